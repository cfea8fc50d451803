"""What a fetch may use is read from its arguments once, with the place of everything."""

from functools import reduce
from typing import Any

import pytest

from helio.steps.fetch.choices import Path, choices_of

OWN = {"dataset_id": "WI_H0_MFI", "parameter_id": "BGSE", "provider": "sample"}


def value_at(args: dict[str, Any], path: Path) -> Any:
    """The value at a place in the arguments."""
    return reduce(lambda value, part: value[part], path, args)


@pytest.mark.parametrize(
    "args",
    [
        {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc"},
        {"dataset_id": "AC_H2_MFI", "parameters": ["Magnitude", "BGSEc"], "provider": "cdaweb"},
        {"dataset_id": "AC_H2_MFI", "parameters": [], "parameter_id": "BGSEc", "candidates": []},
        {"candidates": [OWN, {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc"}]},
    ],
)
def test_what_is_wanted_stands_where_the_choice_says(args: dict[str, Any]) -> None:
    for choice in choices_of(args):
        assert value_at(args, choice.path) == choice.dataset_id
        assert tuple(value_at(args, path) for path in choice.parameter_paths) == choice.parameters


def test_a_candidate_without_a_parameter_is_the_place_of_that_of_the_fetch() -> None:
    whole = {"dataset_id": "AC_H0_MFI"}
    args = {"candidates": ["AC_H2_MFI", whole, OWN], "parameters": ["BGSEc", "B"], "provider": "cdaweb"}
    text, named, own = choices_of(args)
    assert (text.dataset_id, text.path, text.provider) == ("AC_H2_MFI", ("candidates", 0), "cdaweb")
    assert text.parameter_paths == (("candidates", 0),) * 2
    assert (named.parameters, named.parameter_paths) == (("BGSEc", "B"), (("candidates", 1),) * 2)
    assert (own.parameters, own.parameter_paths) == (("BGSE",), (("candidates", 2, "parameter_id"),))
    assert own.provider == "sample"
