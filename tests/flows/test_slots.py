"""When schedules are due over the nights in which clocks change, for the list and for the engine alike."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.flows.last_runs import noted_run
from helio.flows.missed import missed_notes, missed_slots, note_served, read_served
from helio.flows.schedule import Schedule
from helio.flows.slots import MOST, clock_notes, for_engine, slots, slots_ahead, slots_between, slots_in
from helio.pipelines.plan import make_plan
from tests.pipelines.conftest import fetch, template
from tests.rows import in_one_test

NIGHTS = {
    "Europe/Berlin": ("2024-03-31", "2024-10-27"),
    "America/New_York": ("2024-03-10", "2024-11-03"),
    "Australia/Lord_Howe": ("2024-10-06", "2024-04-07"),
    "UTC": ("2024-03-31", "2024-10-27"),
    "Asia/Kolkata": ("2024-03-31", "2024-10-27"),
    "Africa/Cairo": ("2024-04-26", "2024-11-01"),
}
CASES = [(zone, night) for zone, nights in NIGHTS.items() for night in nights]
CRONS = (
    "0 * * * *", "30 2 * * *", "*/15 * * * *", "0 0 * * *", "0 2 * * 0", "20 * * * *", "5 0-23 * * *", "*/15 2 * * *",
    "0 */2 * * *", "0,30 1-3 * * *", "30 1 * * *", "0 * * * 1", "0 0 */2 * 1", "45 23 * * sun",
)  # fmt: skip


def around(zone: str, night: str) -> tuple[datetime, datetime]:
    """From the noon before a night to the second noon after it, naive UTC."""
    noon = datetime.fromisoformat(f"{night}T12:00:00").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    return noon.replace(tzinfo=None) - timedelta(days=1), noon.replace(tzinfo=None) + timedelta(days=1)


def on_the_clock(found: list[datetime], zone: str) -> list[str]:
    local = (slot.replace(tzinfo=UTC).astimezone(ZoneInfo(zone)) for slot in found)
    return [f"{moment:%d %H:%M%z}" for moment in local]


@in_one_test(("zone", "night"), CASES)
@pytest.mark.parametrize("cron", ["0 * * * *", "20 * * * *", "5 0-23 * * *"])
def test_an_hourly_schedule_runs_each_real_hour(cron: str, zone: str, night: str):
    found = list(slots_between(cron, zone, *around(zone, night)))
    steps = {later - earlier for earlier, later in pairwise(found)}
    assert max(steps) == timedelta(hours=1)
    if zone != "Australia/Lord_Howe":
        assert steps == {timedelta(hours=1)}
        assert len(found) == 48


@in_one_test(("zone", "night"), CASES)
def test_every_quarter_of_an_hour_has_its_run(zone: str, night: str):
    found = list(slots_between("*/15 * * * *", zone, *around(zone, night)))
    assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(minutes=15)}
    assert len(found) == 192


@in_one_test(("zone", "night"), CASES)
@pytest.mark.parametrize("cron", ["30 2 * * *", "0 0 * * *", "30 1 * * *", "45 1 * * *"])
def test_a_daily_schedule_runs_once_each_day(cron: str, zone: str, night: str):
    found = list(slots_between(cron, zone, *around(zone, night)))
    days = [text[:2] for text in on_the_clock(found, zone)]
    assert len(days) == len(set(days)) == 2


@in_one_test(
    ("cron", "zone", "night", "expected"),
    [
        ("30 2 * * *", "Europe/Berlin", "2024-03-31", ["31 03:00+0200", "01 02:30+0200"]),
        ("30 2 * * *", "Europe/Berlin", "2024-10-27", ["27 02:30+0200", "28 02:30+0100"]),
        ("30 2 * * *", "America/New_York", "2024-03-10", ["10 03:00-0400", "11 02:30-0400"]),
        ("30 1 * * *", "America/New_York", "2024-11-03", ["03 01:30-0400", "04 01:30-0500"]),
        ("15 2 * * *", "Australia/Lord_Howe", "2024-10-06", ["06 02:30+1100", "07 02:15+1100"]),
        ("45 1 * * *", "Australia/Lord_Howe", "2024-04-07", ["07 01:45+1100", "08 01:45+1030"]),
        ("0 2 * * 0", "Europe/Berlin", "2024-03-31", ["31 03:00+0200"]),
        ("0 2 * * 0", "Europe/Berlin", "2024-10-27", ["27 02:00+0200"]),
        ("0,30 2 * * *", "Europe/Berlin", "2024-03-31", ["31 03:00+0200", "01 02:00+0200", "01 02:30+0200"]),
        ("0 2,3 * * *", "Europe/Berlin", "2024-03-31", ["31 03:00+0200", "01 02:00+0200", "01 03:00+0200"]),
        ("0 0 * * *", "Africa/Cairo", "2024-04-26", ["26 01:00+0300", "27 00:00+0300"]),
        ("30 2 * * *", "UTC", "2024-03-31", ["31 02:30+0000", "01 02:30+0000"]),
        ("30 2 * * *", "Asia/Kolkata", "2024-10-27", ["27 02:30+0530", "28 02:30+0530"]),
    ],
)
def test_a_time_that_is_not_there_or_there_twice(cron: str, zone: str, night: str, expected: list[str]):
    assert on_the_clock(list(slots_between(cron, zone, *around(zone, night))), zone) == expected


@pytest.mark.slow
@in_one_test(("zone", "night"), CASES)
@pytest.mark.parametrize("cron", CRONS)
def test_the_next_run_does_not_depend_on_when_it_is_asked_for(cron: str, zone: str, night: str):
    start, stop = around(zone, night)
    every = list(slots_between(cron, zone, start, stop))
    for minutes in range(0, 48 * 60, 13):
        now = start + timedelta(minutes=minutes, seconds=minutes % 60)
        following = Schedule("s", "s", cron, zone).next_after(now)
        assert following > now
        assert [slot for slot in every if slot > now][:1] in ([], [following])


@pytest.mark.slow
@in_one_test(("zone", "night"), CASES)
@pytest.mark.parametrize("cron", CRONS)
def test_the_engine_plans_the_slots_that_are_listed(cron: str, zone: str, night: str):
    from prefect.server.schemas.schedules import CronSchedule, RRuleSchedule

    start, _ = around(zone, night)
    given = for_engine(cron, zone, start)
    planner = RRuleSchedule(**given) if "rrule" in given else CronSchedule(**given)
    dates = planner._get_dates_generator(n=40, start=start.replace(tzinfo=UTC, second=1))
    planned = [date.astimezone(UTC).replace(tzinfo=None) for date in dates]
    assert planned == list(islice(slots(cron, zone, start), 40))[: len(planned)]
    assert len(planned) >= 3


def test_the_engine_shows_a_cron_where_clocks_do_not_change():
    now = datetime(2024, 1, 1)
    assert for_engine("0 6 * * *", "UTC", now)["cron"] == "0 6 * * *"
    assert for_engine("0 6 * * *", "Asia/Kolkata", now)["timezone"] == "Asia/Kolkata"
    assert "rrule" in for_engine("0 6 * * *", "Europe/Berlin", now)


@pytest.mark.parametrize("cron", ["* * * * *", "0 * * * *", "0 0 * * *", "0 0 1 1 *", "0 0 29 2 *"])
def test_the_engine_takes_what_it_is_handed(cron: str):
    now = datetime(2024, 3, 1)
    given = for_engine(cron, "Europe/Berlin", now)
    assert len(given["rrule"]) <= 6500
    assert 3 <= len(slots_in(given, now)) <= MOST
    assert slots_in(given, now) == slots_ahead(cron, "Europe/Berlin", now)


def test_what_a_change_of_clocks_does_is_said_in_words():
    year = datetime(2024, 1, 1), datetime(2025, 1, 1)
    assert clock_notes("30 2 * * *", "Europe/Berlin", *year) == [
        "in Europe/Berlin, 2024-03-31 has no 02:30; the run is at 03:00 instead",
        "in Europe/Berlin, 2024-10-27 has 02:30 twice; the run is at the first",
    ]
    assert clock_notes("0 6 * * *", "Europe/Berlin", *year) == []
    assert clock_notes("0 * * * *", "Europe/Berlin", *year) == []
    assert clock_notes("30 2 * * *", "UTC", *year) == []
    [note] = clock_notes("*/15 2 * * 0", "Australia/Lord_Howe", *year)
    assert note.startswith(
        "in Australia/Lord_Howe, 2024-10-06 has no 02:00, 02:15; the run is at 02:30 instead"
    )


@pytest.mark.slow
@in_one_test(("zone", "night"), CASES)
def test_the_ranges_of_hourly_runs_follow_each_other(zone: str, night: str):
    spans = []
    for slot in slots_between("0 * * * *", zone, *around(zone, night)):
        plan = make_plan(template(fetch()), now=slot, time_range="last 1 hour", archive="sample")
        spans.append(next(iter(plan.time_ranges.values())))
    assert all(later.start <= earlier.stop for earlier, later in pairwise(spans))
    assert spans[-1].stop - spans[0].start >= timedelta(hours=48)


@pytest.mark.parametrize("night", NIGHTS["Europe/Berlin"])
def test_each_day_has_one_run_of_its_yesterday(night: str):
    days = []
    for slot in slots_between("30 2 * * *", "Europe/Berlin", *around("Europe/Berlin", night)):
        plan = make_plan(template(fetch()), now=slot, time_range="yesterday", archive="sample")
        days.append(next(iter(plan.time_ranges.values())))
    assert days[0].stop == days[1].start
    assert [day.duration for day in days] == [timedelta(days=1)] * 2


def test_a_day_that_no_run_takes_or_two_take_is_said_before():
    schedule = Schedule(
        "s", "s", "30 1 * * *", "Europe/Berlin", {"$TIME_RANGE": "yesterday", "$WINDOW": "5min"}
    )
    [spring] = schedule.clock_notes(datetime(2024, 3, 25))
    [autumn] = schedule.clock_notes(datetime(2024, 10, 25))
    assert "2024-03-30 to 2024-03-31 and 2024-03-30 to 2024-03-31 overlap" in spring
    assert "2024-10-25 to 2024-10-26 and 2024-10-27 to 2024-10-28 leave a gap" in autumn
    for other in ("30 2 * * *", "0 * * * *", "30 6 * * mon"):
        later = replace(schedule, cron=other, values={"$TIME_RANGE": "yesterday"})
        assert not [
            note for note in later.clock_notes(datetime(2024, 1, 1), timedelta(days=366)) if "UTC" in note
        ]


# What was missed


def kept(home: Path, cron: str = "0 * * * *", paused: bool = False) -> Schedule:
    record = home / "schedules" / "s.json"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}")
    os.utime(record, (0, 0))
    return Schedule("s", "s", cron, paused=paused)


def test_slots_without_a_run_are_counted_and_kept(tmp_path: Path):
    schedule = kept(tmp_path)
    since, now = datetime(2024, 5, 1), datetime(2024, 5, 1, 5, 30)
    made = [datetime(2024, 5, 1, 1), datetime(2024, 5, 1, 2)]
    missed = missed_slots(schedule, since, now, made)
    assert missed is not None
    assert (missed.count, missed.first, missed.last) == (3, "2024-05-01T03:00:00", "2024-05-01T05:00:00")
    note_served(tmp_path, now, {"s": missed})
    [note] = missed_notes(schedule, tmp_path, now)
    assert note.startswith("3 runs were missed, 2024-05-01 03:00 to 2024-05-01 05:00 UTC")
    waiting = missed_notes(schedule, tmp_path, now + timedelta(hours=2))[1]
    assert waiting == "2 runs were due since 2024-05-01 05:30 UTC, but `helio serve` is not running"


def test_a_run_that_began_before_helio_serve_was_killed_is_not_missed(tmp_path: Path):
    schedule = kept(tmp_path)
    note_served(tmp_path, datetime(2024, 5, 1, 1, 59, 30))
    with noted_run(tmp_path, "s", datetime(2024, 5, 1, 2)) as note_end:
        note_end("s-20240501T020000Z-0000", "success", "")
    assert missed_notes(schedule, tmp_path, datetime(2024, 5, 1, 2, 30)) == []
    [note] = missed_notes(schedule, tmp_path, datetime(2024, 5, 1, 3, 30))
    assert note == "1 run was due since 2024-05-01 02:00 UTC, but `helio serve` is not running"


def test_a_paused_schedule_misses_nothing(tmp_path: Path):
    assert missed_slots(kept(tmp_path, paused=True), datetime(2024, 5, 1), datetime(2024, 6, 1), ()) is None


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"seen": 7}', '{"seen": "99999-01-01"}', '{"seen": "2024-05-01", "missed": {"s": 1}}'],
)
def test_a_damaged_record_of_what_was_missed_is_thrown_away(tmp_path: Path, content: str):
    schedule = kept(tmp_path)
    (tmp_path / "schedules" / ".served.json").write_text(content)
    assert missed_notes(schedule, tmp_path, datetime(2024, 5, 2)) == []
    note_served(tmp_path, datetime(2024, 5, 2))
    served = read_served(tmp_path)
    assert served is not None
    assert served.seen == "2024-05-02T00:00:00"


def test_the_list_says_what_a_change_of_clocks_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from helio import api

    monkeypatch.setenv("HELIO_HOME", str(tmp_path))
    monkeypatch.setattr(api, "read_now", lambda text: datetime(2024, 3, 29))
    words = ("--cron", "30 2 * * *", "--timezone", "Europe/Berlin", "-t", "yesterday", "--archive", "sample")
    added = CliRunner().invoke(app, ["schedule", "add", "gle73-particles", *words])
    assert added.exit_code == 0, added.output
    listed = CliRunner().invoke(app, ["schedule", "list"])
    assert "next 2024-03-29 01:30 UTC" in listed.stdout
    assert "in Europe/Berlin, 2024-03-31 has no 02:30; the run is at 03:00 instead" in listed.stderr
