"""Times as authors write them: dialects of start and stop, and phrases that earlier versions read otherwise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helio.pipelines.plan import check, make_plan
from tests.pipelines.conftest import NOW, fetch, template

DAY = ("2024-05-10", "2024-05-12")


def found_of(**args: Any) -> Any:
    """The one time range that a fetch with these arguments becomes, and what is said of it."""
    step = fetch(1)
    del step["tool_args"]["time_range"]
    step["tool_args"] |= args
    found = check(template(step, variables={}), now=NOW)
    assert found.errors == ()
    [facts] = found.plan["variables"].values()
    times = [edit for edit in found.edits if edit.code in ("HN701", "HN705")]
    return facts["default"], times, [one for one in found.diagnostics if one.code == "HN705"]


@pytest.mark.parametrize(
    "names", [("start_date", "end_date"), ("startDate", "stop_date"), ("date_from", "date_to")]
)
def test_an_end_date_is_a_whole_day_and_says_so(names: tuple[str, str]) -> None:
    default, [edit], [warning] = found_of(**dict(zip(names, DAY, strict=True)))
    assert default == "2024-05-10 to 2024-05-13"
    assert "includes the whole day of" in edit.message
    assert warning.message.startswith(
        f"{names[0]} '2024-05-10' with {names[1]} '2024-05-12' is read as 2024-05-10 to 2024-05-13"
    )
    assert "earlier versions of helio read it as 2024-05-10 to 2024-05-12" in warning.message


@pytest.mark.parametrize("written", [dict, json.dumps])
def test_an_end_date_inside_an_object_is_a_whole_day_too(written: Any) -> None:
    default, _, [warning] = found_of(time_range=written({"start_date": DAY[0], "end_date": DAY[1]}))
    assert default == "2024-05-10 to 2024-05-13"
    assert "2024-05-10 to 2024-05-12" in warning.message


@pytest.mark.parametrize(
    "names", [("start", "end"), ("start_time", "end_time"), ("start", "stop"), ("t0", "t1")]
)
def test_other_pairs_stay_half_open(names: tuple[str, str]) -> None:
    default, [edit], warnings = found_of(**dict(zip(names, DAY, strict=True)))
    assert (default, warnings) == ("2024-05-10 to 2024-05-12", [])
    assert "whole" not in edit.message


@pytest.mark.parametrize("names", [("start_date", "end_date"), ("start_time", "end_time"), ("start", "end")])
@pytest.mark.parametrize("stop", ["2024-05-12T00:00:00Z", "2024-05-12 00:00"])
def test_a_stop_with_a_clock_is_an_instant(names: tuple[str, str], stop: str) -> None:
    default, _, warnings = found_of(**{names[0]: DAY[0], names[1]: stop})
    assert (default, warnings) == ("2024-05-10 to 2024-05-12", [])


def test_one_day_from_its_date_to_its_date_was_refused_before_and_needs_no_warning() -> None:
    default, _, warnings = found_of(start_date=DAY[0], end_date=DAY[0])
    assert (default, warnings) == ("2024-05-10 to 2024-05-11", [])


def test_an_end_date_may_be_relative() -> None:
    assert found_of(start_date="2024-01-01", end_date="yesterday")[0] == "2024-01-01 through yesterday"


@pytest.mark.parametrize(
    ("phrase", "now", "before"),
    [
        ("2024-01/2024-03", "2024-01-01 to 2024-03-01", "2024-01-01 to 2024-04-01"),
        ("2023/2024", "2023-01-01 to 2024-01-01", "2023-01-01 to 2025-01-01"),
    ],
)
def test_a_phrase_read_otherwise_before_is_said_with_both_ranges(phrase: str, now: str, before: str) -> None:
    default, [edit], [warning] = found_of(time_range=phrase)
    assert (default, edit.code) == (now, "HN705")
    assert warning.message == f"'{phrase}' is read as {now}; earlier versions of helio read it as {before}"
    variable = {"$TIME_RANGE": {"type": "time_range", "default": phrase}}
    step = fetch(1)
    step["tool_args"]["time_range"] = "$TIME_RANGE"
    plan = make_plan(template(step, variables=variable), now=NOW, archive="sample")
    assert plan.values["$TIME_RANGE"] == now
    assert [(one.code, one.path) for one in plan.warnings] == [("HN705", "/variables/$TIME_RANGE/default")]
    again = make_plan(plan.normalised, now=NOW, archive="sample")
    assert (again.values, again.warnings) == (plan.values, ())
