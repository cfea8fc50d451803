"""Keys that are nearly those of the format: mended while authoring, refused with that fix in a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helio.pipelines.mend import mend
from helio.pipelines.plan import check
from tests.pipelines.conftest import NOW, fetch, render, template


def misspelt(path: tuple[str | int, ...], key: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A right template, and the same with its last key in another spelling."""
    right = template(fetch(critical=True, intent="field"), render(labels=("AC_H2_MFI.BGSEc",)))
    right["steps"][0]["for_each"] = {"as": "$DAY", "over": ["2024-01-10", "2024-01-11"]}
    right["steps"][0]["tool_args"] |= {"time_range": "$DAY", "output_label": "B_$DAY"}
    right["steps"][1]["tool_args"]["spec"]["labels"] = ["B_*"]
    wrong = json.loads(json.dumps(right))
    owner: Any = wrong
    for part in path[:-1]:
        owner = owner[part]
    owner[key] = owner.pop(path[-1])
    return right, wrong


KEYS = [
    (("variables",), "varibles"),
    (("variables", "$TIME_RANGE", "default"), "defualt"),
    (("steps", 0, "tool_name"), "tol_name"),
    (("steps", 0, "intent"), "intnet"),
    (("steps", 0, "for_each"), "for_eahc"),
]


@pytest.mark.parametrize(("path", "key"), KEYS)
def test_a_misspelt_key_is_mended_while_authoring(path: tuple[str | int, ...], key: str) -> None:
    right, wrong = misspelt(path, key)
    mended, _, found = mend(json.dumps(wrong), now=NOW)
    expected, _, _ = mend(json.dumps(right), now=NOW)
    assert mended == (expected or right)
    assert [(finding.severity, finding.message) for finding in found if finding.code == "HN504"] == [
        ("warning", f"'{key}' is not a known key; did you mean '{path[-1]}'?")
    ]


@pytest.mark.parametrize(("path", "key"), [case for case in KEYS if case[1] != "intnet"])
def test_a_run_refuses_it_and_says_what_mends_it(path: tuple[str | int, ...], key: str) -> None:
    _, wrong = misspelt(path, key)
    [error] = [finding for finding in check(wrong, now=NOW).errors if finding.code == "HN504"]
    assert error.advice == (f"run `helio fix PIPELINE`: '{key}' read as '{path[-1]}'",)
    assert error.path == "/" + "/".join(map(str, (*path[:-1], key)))


def test_a_key_for_people_is_mended_in_a_run_too() -> None:
    _, wrong = misspelt(("steps", 0, "intent"), "intnet")
    found = check(wrong, now=NOW)
    assert found.errors == ()
    assert found.plan["steps"][0]["intent"] == "field"
    assert [finding.severity for finding in found.diagnostics if finding.code == "HN504"] == ["warning"]


def kept_aside(**keys: Any) -> dict[str, Any]:
    document = template(fetch(**keys), render(labels=("AC_H2_MFI.BGSEc",)))
    found = check(document, now=NOW)
    assert not [finding for finding in found.diagnostics if finding.code == "HN504"]
    unknown: dict[str, Any] = found.plan["steps"][0]["annotations"]["unknown"]
    return unknown


def test_a_key_whose_right_spelling_is_there_already_is_kept_aside() -> None:
    assert kept_aside(critical=True, critcal=False) == {"critcal": False}


def test_a_value_that_the_right_key_cannot_have_is_kept_aside() -> None:
    assert kept_aside(critcal=["no"]) == {"critcal": ["no"]}


@pytest.mark.parametrize("key", ["user", "pan", "width"])
def test_a_short_word_is_no_misspelt_key(key: str) -> None:
    assert kept_aside(**{key: "a"}) == {key: "a"}


def test_misspelt_steps_are_named_where_there_are_none() -> None:
    document = template(fetch())
    document["stepps"] = document.pop("steps")
    _, _, [error] = mend(json.dumps(document), now=NOW)
    assert (error.code, error.advice) == ("HP004", ("did you mean 'steps' instead of 'stepps'?",))


def test_a_question_begins_its_own_line() -> None:
    document = template(fetch(), {**render(labels=("AC_H2_MFI.BGSEc",)), "tool_name": "render_spek"})
    [error] = check(document, now=NOW).errors
    assert str(error).splitlines()[-1] == "  Did you mean 'render_spec'?"
