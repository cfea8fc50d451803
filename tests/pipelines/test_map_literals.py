"""A loop over literals that cannot be read says which items it is about."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.plan import check

from .conftest import NOW, fetch, template


def message(items: Any) -> str:
    step = fetch(1, args={"parameter_id": "BGSEc"}) | {"loop_over": items}
    [found] = [
        diagnostic for diagnostic in check(template(step), now=NOW).errors if diagnostic.code == "HX202"
    ]
    return found.message


def test_the_items_that_no_argument_takes_are_named():
    assert '"x", "y"' in message(["x", "y"])


def test_items_that_are_no_literals_are_named():
    assert '{"a": 1}' in message([{"a": 1}])


@pytest.mark.parametrize("count", [11, 500])
def test_of_many_items_the_first_are_named_and_the_others_counted(count: int):
    said = message([f"item{number}" for number in range(count)])
    assert '"item9"' in said
    assert "item10" not in said
    assert f"and {count - 10} more" in said
