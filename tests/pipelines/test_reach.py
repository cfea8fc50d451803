"""A time range for the run moves what it is meant for, or nothing: several literal ranges, loops, used pipelines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.flows.schedule import Schedule, Schedules
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.settings import Settings, read_settings

from .conftest import NOW, fetch, render, template

DAY, OTHER, THIRD, ASKED = "2024-01-01", "2024-01-02", "2024-01-03", "2024-01-10"


def literal(step_id: int, day: str, **changes: Any) -> dict[str, Any]:
    return fetch(step_id, args={"time_range": day, "output_label": f"B{step_id}"}, **changes)


def planned(*steps: dict[str, Any], **how: Any) -> Plan:
    document = template(*steps, variables=how.pop("variables", {}))
    return make_plan(document, now=NOW, archive="sample", **how)


def refused(*steps: dict[str, Any], **how: Any) -> str:
    with pytest.raises(InvalidTemplate) as error:
        planned(*steps, **how)
    [found] = [diagnostic for diagnostic in error.value.diagnostics if diagnostic.severity == "error"]
    assert found.code == "HB205"
    return str(found)


def ranges(plan: Plan) -> list[str]:
    return [step.args["time_range"] for step in plan.steps if step.tool_name == "fetch_data"]


THREE = (literal(1, DAY), literal(2, OTHER), literal(3, THIRD), render(4, ("B1", "B2", "B3")))


def test_one_literal_in_several_fetches_moves_as_one() -> None:
    plan = planned(literal(1, DAY), literal(2, "2024-01-01/2024-01-02"), time_range=ASKED)
    assert ranges(plan) == ["2024-01-10 to 2024-01-11"] * 2


@pytest.mark.parametrize("asked", [ASKED, DAY, OTHER])
def test_one_range_for_three_days_is_refused_and_names_each(asked: str) -> None:
    words = refused(*THREE, time_range=asked)
    assert "only step 1 (2024-01-01 to 2024-01-02)" in words
    assert "step 2 ($TIME_RANGE_2: 2024-01-02 to 2024-01-03)" in words
    assert "step 3 ($TIME_RANGE_3: 2024-01-03 to 2024-01-04)" in words


def test_a_value_of_the_variable_that_helio_made_is_the_same_request() -> None:
    refused(*THREE, values={"TIME_RANGE": ASKED})
    assert ranges(planned(*THREE, values={"TIME_RANGE": DAY})) == ranges(planned(*THREE))


def test_a_range_for_each_is_clear() -> None:
    values = {"TIME_RANGE": ASKED, "TIME_RANGE_2": DAY, "TIME_RANGE_3": OTHER}
    assert ranges(planned(*THREE, values=values)) == [
        "2024-01-10 to 2024-01-11",
        "2024-01-01 to 2024-01-02",
        "2024-01-02 to 2024-01-03",
    ]


def test_without_a_range_the_three_days_are_drawn() -> None:
    assert len(set(ranges(planned(*THREE)))) == 3


def test_a_pinned_range_stays_and_the_other_moves() -> None:
    plan = planned(literal(1, DAY), literal(2, OTHER, pin=["time_range"]), time_range=ASKED)
    assert ranges(plan) == ["2024-01-10 to 2024-01-11", "2024-01-02 to 2024-01-03"]


def test_numbered_variables_that_fix_wrote_are_no_clearer_than_literals() -> None:
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": DAY},
        "$TIME_RANGE_2": {"type": "time_range", "default": OTHER},
    }
    steps = (literal(1, "$TIME_RANGE"), literal(2, "$TIME_RANGE_2"))
    refused(*steps, variables=variables, time_range=ASKED)


def test_a_variable_with_a_name_of_its_own_is_left_alone() -> None:
    variables = {
        "$TIME_RANGE": {"type": "time_range", "default": DAY},
        "$QUIET": {"type": "time_range", "default": OTHER},
    }
    plan = planned(literal(1, "$TIME_RANGE"), literal(2, "$QUIET"), variables=variables, time_range=ASKED)
    assert ranges(plan) == ["2024-01-10 to 2024-01-11", "2024-01-02 to 2024-01-03"]


def test_a_declared_variable_that_no_step_uses_moves_nothing() -> None:
    variables = {"$TIME_RANGE": {"type": "time_range", "default": THIRD}}
    words = refused(literal(1, DAY), variables=variables, time_range=ASKED)
    assert "would change no step" in words
    assert "step 1, time_range (2024-01-01 to 2024-01-02)" in words


def test_days_of_a_loop_beside_a_literal_are_not_left_behind() -> None:
    each = {"as": "$DAY", "over": [OTHER, THIRD]}
    loop = fetch(2, args={"time_range": "$DAY", "output_label": "B_$DAY"}, for_each=each)
    words = refused(literal(1, DAY), loop, time_range=ASKED)
    assert "step 2, for_each (2024-01-02 to 2024-01-03, 2024-01-03 to 2024-01-04)" in words
    with pytest.raises(InvalidTemplate, match="step 2, for_each"):
        planned({**loop, "step_id": 2}, time_range=ASKED)


def test_the_range_that_a_loop_divides_moves_with_the_same_literal() -> None:
    span = "2024-01-01 to 2024-01-03"
    loop = fetch(
        2,
        args={"time_range": "$DAY", "output_label": "B_$DAY", "dataset_id": "AC_H0_MFI"},
        for_each={"as": "$DAY", "over": {"intervals": span, "step": "1d"}},
    )
    plan = planned(literal(1, span), loop, time_range="2024-01-10 to 2024-01-12")
    assert ranges(plan) == [
        "2024-01-10 to 2024-01-12",
        "2024-01-10 to 2024-01-11",
        "2024-01-11 to 2024-01-12",
    ]
    refused(literal(1, DAY), loop, time_range=ASKED)


def test_a_literal_in_a_block_counts() -> None:
    each = {"as": "$DS", "over": ["AC_H2_MFI", "AC_H0_MFI"]}
    inner = fetch("a", args={"dataset_id": "$DS", "time_range": OTHER})
    refused(literal(1, DAY), {"step_id": 2, "block": [inner], "for_each": each}, time_range=ASKED)


def test_ranges_of_used_pipelines_count() -> None:
    saved = {"other": {"id": "other", "steps": [literal(1, OTHER)]}}
    words = refused(literal(1, DAY), {"step_id": 2, "use": "other"}, pipelines=saved, time_range=ASKED)
    assert "step 2.1, time_range (2024-01-02 to 2024-01-03)" in words
    both = {"step_id": 2, "use": "other"}, {"step_id": 3, "use": "third"}
    saved["third"] = {"id": "third", "steps": [literal(1, THIRD)]}
    refused(*both, pipelines=saved, time_range=ASKED)


def test_the_view_of_a_figure_is_not_left_behind_silently() -> None:
    figure = render(2, ("B1",))
    figure["tool_args"]["time_range"] = "2024-01-01T06:00 to 2024-01-01T12:00"
    refused(literal(1, DAY), figure, time_range=ASKED)
    declared = {"$TIME_RANGE": {"type": "time_range", "default": DAY}}
    plan = planned(literal(1, "$TIME_RANGE"), figure, variables=declared, time_range=ASKED)
    assert [diagnostic.code for diagnostic in plan.warnings] == ["HB205"]
    plan = planned(literal(1, "$TIME_RANGE"), figure, variables=declared)
    assert plan.warnings == ()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return read_settings({"HELIO_HOME": str(tmp_path), "HELIO_ARCHIVE": "sample", "HELIO_ENGINE": "direct"})


def test_every_way_to_give_a_range_is_refused_alike(settings: Settings, tmp_path: Path) -> None:
    document = template(*THREE, variables={})
    for ask in (api.plan, api.run, api.lock, api.foresee):
        with pytest.raises(InvalidTemplate, match="HB205"):
            ask(document, time_range=ASKED, settings=settings)
    file = tmp_path / "three.json"
    file.write_text(json.dumps(document))
    schedule = Schedule("", str(file), "10 6 * * *", archive="sample")
    with pytest.raises(InvalidTemplate, match="HB205"):
        Schedules(settings).add(schedule, now=NOW, time_range="yesterday")
    with pytest.raises(InvalidTemplate, match="HB205"):
        Schedules(settings).add(replace(schedule, values={"TIME_RANGE": "yesterday"}), now=NOW)


def test_a_schedule_of_used_pipelines_takes_a_range(settings: Settings, tmp_path: Path) -> None:
    api.library(settings).save(template(fetch(), id="field"))
    file = tmp_path / "user.json"
    file.write_text(json.dumps({"id": "user", "steps": [{"step_id": 1, "use": "field"}]}))
    schedule = Schedule("", str(file), "10 6 * * *", archive="sample")
    added = Schedules(settings).add(schedule, now=NOW, time_range="yesterday")
    assert added.values == {"$TIME_RANGE": "yesterday"}
