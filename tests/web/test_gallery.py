"""Which intervals were due: schedules meet run records."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helio.errors import RequestError
from helio.flows.last_runs import noted_run
from helio.pipelines.runs.intervals import IntervalRun
from helio.time_range import parse_time_range
from helio.web.gallery import Gallery, Series, make_gallery
from helio.web.site import explain
from tests.web.homes import NOW, settings_of

PIPELINE = "psp-bfield"


def add_schedule(home: Path, written: datetime, **more: Any) -> None:
    facts = {
        "name": "daily",
        "pipeline": PIPELINE,
        "cron": "10 6 * * *",
        "values": {"$TIME_RANGE": "yesterday"},
    }
    path = home / "schedules" / "daily.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schedule": "helio-schedule/1", **facts, **more}))
    os.utime(path, (written.replace(tzinfo=UTC).timestamp(),) * 2)


def run(day: str, now: datetime, **more: Any) -> IntervalRun:
    span = parse_time_range(day, now)
    return IntervalRun(f"{day} {now}", PIPELINE, "done", now, span, now=now, **more)


def made(home: Path, *runs: IntervalRun) -> Gallery:
    return make_gallery(runs, settings_of(home), NOW)


def states(series: Series) -> list[str]:
    return [f"{item.span.start:%m-%d} {item.state}" for item in series.intervals]


def test_days_since_the_schedule_was_written_are_due(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 9, 12))
    (series,) = made(tmp_path, run("2024-05-10", datetime(2024, 5, 11, 6, 10))).series
    assert states(series) == ["05-09 missing", "05-10 done", "05-11 due"]
    assert series.next_run == datetime(2024, 5, 13, 6, 10)


def test_days_since_the_first_scheduled_run_are_due_although_the_schedule_was_changed_later(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 12, 7))
    (series,) = made(tmp_path, run("2024-05-08", datetime(2024, 5, 9, 6, 10))).series
    assert states(series) == ["05-08 done", "05-09 missing", "05-10 missing", "05-11 due"]


def test_days_that_a_person_ran_by_hand_long_ago_make_nothing_due(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 11, 7))
    (series,) = made(tmp_path, run("2020-01-04", datetime(2024, 5, 1, 11, 23, 5))).series
    assert states(series) == ["01-04 done", "05-11 due"]


def test_a_paused_schedule_makes_nothing_due_after_it_was_paused(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 10, 12), paused=True)
    (series,) = made(tmp_path, run("2024-05-08", datetime(2024, 5, 9, 6, 10))).series
    assert states(series) == ["05-08 done", "05-09 missing"]
    assert series.next_run is None


def test_a_schedule_with_a_fixed_range_makes_nothing_due(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 1), values={"$TIME_RANGE": "2020-01-04"})
    (series,) = made(tmp_path).series
    assert states(series) == []


def test_a_schedule_that_has_not_run_yet_is_shown(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 12, 7))
    (series,) = made(tmp_path).series
    assert (series.pipeline, states(series), series.latest) == (PIPELINE, [], None)


def test_the_schedule_belongs_to_the_values_that_it_ran_last(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 12, 7))
    by_hand = run("2024-05-08", datetime(2024, 5, 9, 6, 11, 30), values={"$N": 1})
    scheduled = run("2024-05-08", datetime(2024, 5, 9, 6, 10), values={"$N": 2})
    series = {tuple(item.values.values()): item for item in made(tmp_path, by_hand, scheduled).series}
    assert series[(1,)].schedule is None
    assert states(series[(2,)])[-1] == "05-11 due"


@pytest.mark.parametrize("content", ["{", '{"schedule": "helio-schedule/1", "name": "daily"}'])
def test_a_damaged_schedule_does_not_hide_the_figures(tmp_path: Path, content: str):
    add_schedule(tmp_path, NOW)
    (tmp_path / "schedules" / "daily.json").write_text(content)
    (series,) = made(tmp_path, run("2024-05-08", datetime(2024, 5, 9, 6, 10))).series
    assert states(series) == ["05-08 done"]


def test_a_scheduled_run_that_failed_before_it_had_a_record_is_shown_with_the_reason(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 9, 12))
    with pytest.raises(RequestError), noted_run(tmp_path, "daily", datetime(2024, 5, 11, 6, 10)):
        raise RequestError("the pipeline names a dataset that does not exist")
    (series,) = made(tmp_path).series
    assert states(series) == ["05-09 missing", "05-10 failed", "05-11 due"]
    assert explain(series, series.intervals[1])[0] == "the pipeline names a dataset that does not exist"


def test_a_failure_of_a_time_that_is_not_due_changes_nothing(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 9, 12))
    with pytest.raises(RequestError), noted_run(tmp_path, "daily", datetime(2023, 5, 11, 6, 10)):
        raise RequestError("the pipeline names a dataset that does not exist")
    (series,) = made(tmp_path).series
    assert states(series) == ["05-09 missing", "05-10 missing", "05-11 due"]


def test_of_very_many_due_intervals_the_newest_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helio.web.gallery.MOST_DUE", 3)
    add_schedule(tmp_path, datetime(2024, 4, 1))
    due = [interval.span.start for interval in made(tmp_path).series[0].intervals if interval.due]
    assert due == [datetime(2024, 5, day) for day in (10, 11)]  # within the length of the oldest three
