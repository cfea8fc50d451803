"""What happened for each interval: records in, intervals out."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import DamagedRecord
from helio.pipelines.runs.basis import Basis
from helio.pipelines.runs.intervals import Interval, IntervalRun, RunState, State, intervals, read_run
from helio.store.runs import RunRecord, Runs
from helio.time_range import TimeRange
from tests.laws import law
from tests.web.homes import add_run, error

FIRST = datetime(2024, 5, 10)


def day(number: int, length: int = 1) -> TimeRange:
    start = FIRST + timedelta(days=number)
    return TimeRange(start, start + timedelta(days=length))


def run(
    name: str, span: TimeRange | None, state: RunState = "done", hour: int = 6, **more: Any
) -> IntervalRun:
    return IntervalRun(name, "p", state, FIRST + timedelta(days=30, hours=hour), span, **more)


def shown(items: tuple[Interval, ...]) -> list[tuple[str, State, list[str]]]:
    return [(str(interval.span), interval.state, [run.id for run in interval.runs]) for interval in items]


def test_no_runs_give_no_intervals():
    assert intervals(()) == ()


def test_intervals_are_in_order_of_time_whatever_the_order_of_runs():
    runs = [run("b", day(1)), run("a", day(0)), run("c", day(2), "failed")]
    expected = [(str(day(0)), "done", ["a"]), (str(day(1)), "done", ["b"]), (str(day(2)), "failed", ["c"])]
    assert all(shown(intervals(order)) == expected for order in permutations(runs))


def test_a_due_interval_without_a_run_is_missing():
    found = intervals([run("a", day(0))], due=[day(0), day(1)])
    assert [(interval.state, interval.due) for interval in found] == [("done", True), ("missing", True)]
    assert found[1].run is None


def test_an_interval_that_was_not_due_is_shown_but_not_called_due():
    assert [(interval.state, interval.due) for interval in intervals([run("a", day(3))], due=[day(0)])] == [
        ("missing", True),
        ("done", False),
    ]


def test_the_newest_run_with_results_counts():
    interval = intervals(
        [run("old", day(0), hour=1), run("new", day(0), hour=9), run("mid", day(0), hour=5)]
    )[0]
    assert [run.id for run in interval.runs] == ["new", "mid", "old"]
    assert interval.run is not None
    assert interval.run.id == "new"


@pytest.mark.parametrize("later", ["failed", "no data", "crashed", "cancelled", "running"])
def test_a_later_run_without_results_does_not_hide_the_figure(later: RunState):
    interval = intervals([run("old", day(0), hour=1), run("new", day(0), later, hour=9, reason="why")])[0]
    assert interval.run is not None
    assert (interval.state, interval.run.id) == ("done", "old")
    assert interval.later_failure is not None
    assert interval.later_failure.id == "new"


def test_an_earlier_failure_is_no_later_failure():
    interval = intervals([run("old", day(0), "failed", 1, reason="why"), run("new", day(0), hour=9)])[0]
    assert (interval.state, interval.later_failure) == ("done", None)


def test_without_results_the_newest_run_says_what_happened():
    found = intervals([run("old", day(0), "failed", 1), run("new", day(0), "no data", 9)])
    assert shown(found) == [(str(day(0)), "no data", ["new", "old"])]


def test_a_partial_result_is_a_result():
    assert intervals([run("a", day(0), "partial", 1), run("b", day(0), "failed", 2)])[0].state == "partial"


def test_a_week_is_not_a_run_of_its_days():
    found = intervals([run("week", day(0, 7))], due=[day(0), day(1)])
    assert [interval.state for interval in found] == ["missing", "done", "missing"]


def test_a_run_without_an_interval_is_left_out():
    assert intervals([run("a", None)]) == ()


# Reading records --------------------------------------------------------------------------------------------


def read(home: Path, run_id: str) -> IntervalRun:
    return read_run(RunRecord(home / "runs" / run_id))


def test_a_record_names_its_interval_values_and_files(tmp_path: Path):
    found = read(tmp_path, add_run(tmp_path, "2024-05-10", values={"$SC": "mms1"}))
    assert (found.span, found.state, found.title) == (
        TimeRange(FIRST, FIRST + timedelta(1)),
        "done",
        "ACE field",
    )
    assert found.values == {"$SC": "mms1"}
    assert found.started_at == datetime(2024, 5, 12, 6, 10)
    assert [file["kind"] for file in found.files] == ["html", "png"]


def test_a_relative_range_counts_from_the_time_of_the_run(tmp_path: Path):
    assert read(tmp_path, add_run(tmp_path, "yesterday")).span == TimeRange(
        datetime(2024, 5, 11), datetime(2024, 5, 12)
    )


def test_a_run_without_a_time_variable_has_no_interval(tmp_path: Path):
    assert read(tmp_path, add_run(tmp_path, "")).span is None


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("NoData", "no data"),
        ("NoUsableData", "no data"),
        ("NotYetPublished", "no data"),
        ("Offline", "failed"),
    ],
)
def test_the_kind_of_the_error_tells_no_data_from_a_failure(tmp_path: Path, kind: str, state: str):
    failed = add_run(tmp_path, "2024-05-10", status="failed", failure=error(kind, "why not", "what to do"))
    found = read(tmp_path, failed)
    assert (found.state, found.failed_step, found.reason, found.advice) == (
        state,
        "fetch",
        "why not",
        "what to do",
    )


def test_a_run_whose_process_is_gone_has_crashed(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", status="running")
    header = tmp_path / "runs" / run_id / "run.json"
    assert read(tmp_path, run_id).state == "running"
    header.write_text(header.read_text().replace('"started": "', '"started": "9'))
    assert read(tmp_path, run_id).state == "crashed"


@pytest.mark.parametrize(
    "variables", ["[]", '{"$TIME_RANGE": 3}', '{"$TIME_RANGE": {"type": "time_range", "value": "soon"}}']
)
def test_a_damaged_plan_is_reported(tmp_path: Path, variables: str):
    run_id = add_run(tmp_path, "2024-05-10")
    plan = tmp_path / "runs" / run_id / "plan.json"
    whole = plan.read_text()
    begin = whole.index('"variables": ') + len('"variables": ')
    end = whole.index(',\n "steps"')
    plan.write_text(whole[:begin] + (variables if variables != "[]" else "[1]") + whole[end:])
    with pytest.raises(DamagedRecord):
        read(tmp_path, run_id)


def test_records_of_a_home_give_its_intervals(tmp_path: Path):
    add_run(tmp_path, "2024-05-10")
    add_run(tmp_path, "2024-05-11", status="failed", failure=error("NoData", "none"))
    runs = Runs(tmp_path / "runs")
    found = intervals(read_run(runs.load(run_id)) for run_id in runs.ids())
    assert [interval.state for interval in found] == ["done", "no data"]


# What is to do ----------------------------------------------------------------------------------------------

OLD, NEW = Basis({"b": "1"}), Basis({"b": "2"})


@pytest.mark.parametrize(
    ("state", "basis", "expected"),
    [
        ("done", NEW, "stale"),
        ("partial", NEW, "stale"),
        ("no data", NEW, "stale"),
        ("failed", NEW, "stale"),
        ("failed", OLD, "failed"),
        ("crashed", NEW, "crashed"),
        ("running", NEW, "running"),
        ("done", OLD, "done"),
        ("no data", OLD, "no data"),
        ("done", None, "done"),
    ],
)
def test_a_result_on_another_basis_is_stale(state: RunState, basis: Basis | None, expected: State):
    present = {"a": basis} if basis else {}
    [found] = intervals([run("a", day(0), state, basis=OLD)], present=present)
    assert found.state == expected
    assert ("step b differs" in found.reason) == (expected == "stale")


@pytest.mark.parametrize(
    ("kind", "may_pass"),
    [("ServerUnavailable", True), ("OutputError", True), ("StepError", False), ("DamagedFile", False)],
)
def test_a_server_that_is_down_and_a_full_disk_may_pass(tmp_path: Path, kind: str, may_pass: bool):
    failed = add_run(tmp_path, "2024-05-10", status="failed", failure=error(kind, "why not"))
    assert read(tmp_path, failed).transient is may_pass


def test_a_full_disk_outside_a_step_may_pass_too(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", status="running")
    facts = {"error": "run.json cannot be written: the disk is full", "error_kind": "OutputError"}
    Runs(tmp_path / "runs").load(run_id).finish("failed", finished_at="2024-05-12T06:11:00", facts=facts)
    found = read(tmp_path, run_id)
    assert (found.state, found.reason, found.transient) == ("failed", facts["error"], True)


def test_an_interval_that_is_made_again_is_running():
    runs = [run("a", day(0), basis=OLD), run("b", day(0), "running", hour=9, basis=None)]
    assert [interval.state for interval in intervals(runs, present={"a": NEW})] == ["running"]
    assert [interval.state for interval in intervals(runs, present={"a": OLD})] == ["done"]


@pytest.mark.parametrize(("days", "expected"), [(1, "waiting"), (6.9, "waiting"), (7.1, "no data")])
def test_data_of_the_last_days_may_still_come(days: float, expected: State):
    runs = [run("a", day(0), "no data", reason="no file")]
    [found] = intervals(runs, now=day(0).stop + timedelta(days=days))
    assert (found.state, found.reason) == (expected, "no file")


def test_an_interval_that_has_not_ended_is_waiting():
    found = intervals((), due=[day(0), day(1)], now=FIRST + timedelta(days=1, hours=3))
    assert [interval.state for interval in found] == ["missing", "waiting"]
    assert found[1].reason == "the interval ends at 2024-05-12 00:00 UTC"


def test_the_last_due_interval_of_a_schedule_is_due_and_not_missing():
    found = intervals((), due=[day(0), day(1)], expected=[day(1)], now=FIRST + timedelta(days=30))
    assert [interval.state for interval in found] == ["missing", "due"]
    assert intervals([run("a", day(1))], due=[day(1)], expected=[day(1)])[0].state == "done"


runs_of_days = st.lists(
    st.builds(
        lambda number, hour, state, changed: run(
            f"{number}-{hour}-{state}", day(number), state, hour, basis=NEW if changed else OLD, reason="why"
        ),
        st.integers(0, 3),
        st.integers(0, 20),
        st.sampled_from(get_args(RunState)),
        st.booleans(),
    ),
    max_size=8,
    unique_by=lambda made: made.id,
)
clocks = st.none() | st.integers(0, 40).map(lambda days: FIRST + timedelta(days=days))


def judged(runs: list[IntervalRun], now: datetime | None, *, due: int = 4) -> dict[TimeRange, State]:
    spans = [day(number) for number in range(due)]
    present = {run.id: OLD for run in runs}
    return {interval.span: interval.state for interval in intervals(runs, spans, now=now, present=present)}


def with_results(runs: list[IntervalRun]) -> set[TimeRange]:
    return {run.span for run in runs if run.span is not None and run.state in ("done", "partial")}


@law(100)
@given(runs_of_days, clocks, st.randoms())
def test_the_order_of_records_does_not_matter(runs: list[IntervalRun], now: datetime | None, random: Any):
    shuffled = list(runs)
    random.shuffle(shuffled)
    assert judged(shuffled, now) == judged(runs, now)


@law(100)
@given(runs_of_days, runs_of_days, clocks)
def test_more_records_never_undo_a_result(
    runs: list[IntervalRun], more: list[IntervalRun], now: datetime | None
):
    both = list({run.id: run for run in (*runs, *more)}.values())
    before, after = judged(runs, now), judged(both, now)
    assert all(after[span] in ("done", "partial", "stale", "running") for span in with_results(runs))
    assert {span for span in after if after[span] == "missing"} <= {
        span for span in before if before[span] == "missing"
    }


@law(100)
@given(runs_of_days, clocks)
def test_runs_of_other_intervals_change_nothing(runs: list[IntervalRun], now: datetime | None):
    whole = judged(runs, now)
    for number in range(4):
        alone = judged([run for run in runs if run.span == day(number)], now)
        assert alone[day(number)] == whole[day(number)]


@law(100)
@given(runs_of_days, clocks)
def test_a_failed_attempt_does_not_hide_a_result(runs: list[IntervalRun], now: datetime | None):
    before = judged(runs, now)
    for state in ("failed", "no data", "crashed", "cancelled"):
        later = [run(f"later-{number}", day(number), state, 23, basis=OLD) for number in range(4)]
        after = judged([*runs, *later], now)
        assert all(after[span] == before[span] for span in with_results(runs) if before[span] != "running")
