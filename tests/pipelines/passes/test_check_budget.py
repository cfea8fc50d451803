"""A plan that is too large is refused before the passes that compare its steps, the items of its maps counted."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.dialect.check_budget import check_budget
from helio.pipelines.passes import LETTERS
from helio.pipelines.passes.check_size import check_size
from helio.pipelines.plan import check, make_plan, normalise
from helio.pipelines.template.context import Context, Policy
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.steps.signature import signatures
from tests.pipelines.conftest import NOW, fetch, template


def refused(document: dict[str, Any], **how: Any) -> list[str]:
    return [
        diagnostic.message
        for diagnostic in check(document, now=NOW, **how).errors
        if diagnostic.code == "HV701"
    ]


def loop(step_id: int, items: list[Any], **args: Any) -> dict[str, Any]:
    return fetch(step_id, args={"dataset_id": "$DS", **args}, for_each={"as": "$DS", "over": items})


def test_too_many_steps_are_counted_before_any_pass_edits() -> None:
    found = check(template(*(fetch(number) for number in range(5001))), now=NOW)
    assert [diagnostic.code for diagnostic in found.errors] == ["HV701"]
    assert found.edits == ()


@pytest.mark.slow
def test_the_items_of_maps_are_counted_before_steps_are_compared() -> None:
    items = [f"D{number}" for number in range(100)]
    document = template(*(loop(step, items, parameter_id=f"p{step}") for step in range(51)))
    assert refused(document) == [
        "the pipeline has 5100 steps, with one step for each item of for_each; the maximum is 5000"
    ]
    assert refused(template(*document["steps"][:49])) == []


def test_equal_items_count_once() -> None:
    items = ["AC_H2_MFI"] * 900
    document = template(*(loop(step, items, parameter_id=f"p{step}") for step in range(10)))
    assert refused(document) == []


def test_maps_within_blocks_multiply() -> None:
    inner = loop(1, [f"D{number}" for number in range(80)], parameter_id="$P")
    block = {"step_id": 2, "block": [inner], "for_each": {"as": "$P", "over": [f"p{n}" for n in range(80)]}}
    assert refused(template(block)) == [
        "the pipeline has 6400 steps, with one step for each item of for_each; the maximum is 5000"
    ]


def test_the_intervals_of_a_run_are_counted_before_they_are_expanded() -> None:
    each = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
    steps = [
        fetch(
            number,
            args={"parameter_id": f"p{number}", "time_range": "$DAY", "output_label": f"x{number}_$DAY"},
        )
        | {"for_each": each}
        for number in range(20)
    ]
    document = template(*steps)
    assert len(make_plan(document, now=NOW, archive="sample").steps) == 21
    with pytest.raises(InvalidTemplate, match=r"has 6001 steps, .*; the maximum is 5000"):
        make_plan(document, now=NOW, archive="sample", time_range="2023-01-01/P300D")


def test_pipelines_within_pipelines_do_not_grow_beyond_the_limit() -> None:
    saved = {"p0": template(*(fetch(number, args={"parameter_id": f"x{number}"}) for number in range(30)))}
    for level in range(1, 5):
        saved[f"p{level}"] = template(*({"step_id": number, "use": f"p{level - 1}"} for number in range(30)))
    found = check(template({"step_id": 1, "use": "p4"}), now=NOW, pipelines=saved)
    assert [diagnostic.code for diagnostic in found.errors] == ["HV701"]


def test_the_limit_is_the_policy_s() -> None:
    context = Context(signatures(), NOW, {}, policy=Policy(max_steps=2))
    found = normalise(template(fetch(1), fetch(2), fetch(3)), context)
    assert [diagnostic.message for diagnostic in found.errors] == [
        "the pipeline has 3 steps; the maximum is 2"
    ]


def test_sizes_are_checked_first() -> None:
    stages = dict(LETTERS)
    assert stages["N"][1] == (check_budget,)
    assert stages["V"][0] == (check_size,)
