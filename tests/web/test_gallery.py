"""Which intervals were due: schedules meet run records."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from helio.errors import RequestError
from helio.flows.last_runs import noted_run
from helio.flows.schedule import Schedule
from helio.pipelines.runs.basis import Basis, steps_of, tools_of
from helio.pipelines.runs.intervals import IntervalRun
from helio.time_range import parse_time_range
from helio.web.gallery import Gallery, Series, length_of, make_gallery
from helio.web.site import Site, explain
from tests.web.homes import NOW, add_run, settings_of

PIPELINE = "psp-bfield"


def add_schedule(home: Path, written: datetime, **more: Any) -> None:
    facts = {
        "name": "daily",
        "pipeline": PIPELINE,
        "cron": "10 6 * * *",
        "values": {"$TIME_RANGE": "yesterday"},
    }
    path = home / "schedules" / f"{more.get('name', 'daily')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schedule": "helio-schedule/1", **facts | more}))
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
    assert series[(1,)].schedules == ()
    assert states(series[(2,)])[-1] == "05-11 due"


def test_two_schedules_with_the_same_values_share_a_card_that_names_both(tmp_path: Path):
    add_schedule(tmp_path, datetime(2024, 5, 9, 12))
    add_schedule(
        tmp_path, datetime(2024, 5, 4, 12), name="weekly", cron="0 7 * * sun", values={"$TIME_RANGE": "last 7 days"},
        late="1d for 10d",
    )  # fmt: skip
    (series,) = made(tmp_path, run("2024-05-10", datetime(2024, 5, 11, 6, 10))).series
    assert [schedule.name for schedule in series.schedules] == ["daily", "weekly"]
    assert [(length_of(item.span), item.state) for item in series.intervals] == [
        ("7 d", "missing"), ("7 d", "due"), ("1 d", "missing"), ("1 d", "done"), ("1 d", "due"),
    ]  # fmt: skip
    assert series.next_run == datetime(2024, 5, 13, 6, 10)
    # helio looks again only for the weeks, and not for ever
    assert [length_of(span) for span in series.looks] == ["7 d", "7 d"]
    (later,) = make_gallery((), settings_of(tmp_path), NOW.replace(day=25)).series
    assert len(later.looks) == 1
    site = Site(settings_of(tmp_path), lambda: NOW)
    content = site.content("index.html")
    assert content is not None
    assert "· schedules daily, weekly" in " ".join(content.body.decode().split())
    month = site.content(f"{PIPELINE}/index.html")
    assert month is not None
    assert "schedule daily: <code>10 6 * * *</code> UTC · schedule weekly: <code>0 7 * * sun</code>" in (
        " ".join(month.body.decode().split())
    )


def test_a_figure_of_an_earlier_pipeline_or_tool_is_stale_as_in_a_backfill(tmp_path: Path):
    now = plan_of_today(tmp_path, PIPELINE)
    step, tool = next(iter(now.steps)), next(iter(now.tools))
    bases = {
        "2024-05-06": now,
        "2024-05-07": Basis({**now.steps, step: "0" * 12}, now.tools),
        "2024-05-08": Basis(now.steps, {**now.tools, tool: 99}),
        "2024-05-09": Basis(
            now.steps, now.tools, {" A 2024-05-09T00:00:00/2024-05-10T00:00:00": {"a.cdf": "1"}}
        ),
        "2024-05-10": None,
    }
    add_schedule(tmp_path, datetime(2024, 5, 12, 7))
    (series,) = made(
        tmp_path, *(run(day, datetime(2024, 5, 11, 6), basis=basis) for day, basis in bases.items())
    ).series
    assert states(series)[:5] == ["05-06 done", "05-07 stale", "05-08 stale", "05-09 done", "05-10 done"]
    template, version = (series.intervals[number].reason for number in (1, 2))
    assert template == f"the template has changed: step {step} differs"
    assert version == f"the tool {tool} has changed: version 99 → {now.tools[tool]}"
    assert series.latest == series.intervals[4]
    assert explain(series, series.intervals[1]) == (
        template, f"run `helio run {PIPELINE} --time-range 2024-05-07`",
    )  # fmt: skip


def test_a_figure_without_a_schedule_is_compared_with_the_pipeline_of_its_name(tmp_path: Path):
    run_id = add_run(tmp_path, "2024-05-10", pipeline=PIPELINE)
    now = plan_of_today(tmp_path, PIPELINE)
    made_then = replace(run("2024-05-10", datetime(2024, 5, 11, 6)), id=run_id)
    (series,) = made(tmp_path, replace(made_then, basis=now)).series
    assert states(series) == ["05-10 done"]
    (series,) = made(tmp_path, replace(made_then, basis=Basis({"fetch": "0" * 12}))).series
    assert states(series) == ["05-10 stale"]


def plan_of_today(home: Path, pipeline: str) -> Basis:
    schedule = Schedule("daily", pipeline, "0 6 * * *", values={"$TIME_RANGE": "yesterday"})
    normalised = schedule.plan(settings_of(home), NOW, schedule.values).normalised
    return Basis(steps_of(normalised), tools_of(normalised))


def test_a_pipeline_that_is_gone_or_invalid_makes_nothing_stale(tmp_path: Path):
    old = Basis({"fetch": "0" * 12}, {"magnitude": 99})
    gone = replace(run("2024-05-10", datetime(2024, 5, 11, 6), basis=old), pipeline="nobody-has-it")
    (series,) = made(tmp_path, gone).series
    assert states(series) == ["05-10 done"]
    templates = settings_of(tmp_path).templates
    templates.mkdir(parents=True)
    (templates / "nobody-has-it.json").write_text(
        '{"id": "nobody-has-it", "steps": [{"tool_name": "no_such"}]}'
    )
    (series,) = made(tmp_path, gone).series
    assert states(series) == ["05-10 done"]


def test_schedules_with_other_values_at_the_same_time_have_cards_of_their_own(tmp_path: Path):
    for window in ("10min", "20min"):
        add_schedule(
            tmp_path, datetime(2024, 5, 9, 12), name=f"every-{window}", pipeline="gle73-particles",
            values={"$TIME_RANGE": "yesterday", "$WINDOW": window},
        )  # fmt: skip
    before = {series.schedules[0].name: series for series in made(tmp_path).series}
    assert len({series.name for series in before.values()}) == 2
    assert {name: dict(series.values) for name, series in before.items()} == {
        "every-10min": {"$WINDOW": "10min"},
        "every-20min": {"$WINDOW": "20min"},
    }
    ran = [
        replace(
            run("2024-05-10", datetime(2024, 5, 11, 6, 10)),
            id=window,
            pipeline="gle73-particles",
            values={"$WINDOW": window},
        )
        for window in ("10min", "20min")
    ]
    after = {series.schedules[0].name: series for series in made(tmp_path, *ran).series}
    for name, series in after.items():
        assert series.values == {"$WINDOW": name.removeprefix("every-")}
        assert states(series) == ["05-09 missing", "05-10 done", "05-11 due"]


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
