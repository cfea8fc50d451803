"""How late the data of a dataset usually are, and what this says about an interval without data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.knowledge.catalogue import open_catalogue
from helio.pipelines.runs.basis import Basis, Files
from helio.pipelines.runs.intervals import IntervalRun, Latency, State, intervals, read_run
from helio.pipelines.runs.latency import latencies_of
from helio.settings import Settings
from helio.store.runs import Runs
from helio.testing import CdaWebStandIn
from tests.days import daily, day, write_days

DAY = timedelta(days=1)
TWO_DAYS = {"A": Latency(2 * DAY, "as the user said")}


def without_data(files: dict[str, Files], reason: str = "A has no file") -> IntervalRun:
    basis = Basis(
        files={f" {dataset} 2024-01-01T00:00:00/2024-01-02T00:00:00": of for dataset, of in files.items()}
    )
    return IntervalRun(
        "r", "p", "no data", day(1).stop, day(0), reason=reason, failed_step="fetch", basis=basis
    )


def judged(run: IntervalRun, age: timedelta, latencies: dict[str, Latency]) -> tuple[State, str]:
    [interval] = intervals([run], now=day(0).stop + age, latencies=latencies)
    return interval.state, interval.reason


def test_a_young_interval_is_not_published_yet_and_an_older_one_is_a_gap():
    run = without_data({"A": {}})
    words = "A usually appears after 2 days, as the user said"
    assert judged(run, 2 * DAY - timedelta(seconds=1), TWO_DAYS) == (
        "waiting",
        f"not published yet ({words}): A has no file",
    )
    assert judged(run, 2 * DAY, TWO_DAYS) == ("no data", f"gap: A has no file ({words})")


def test_without_a_known_latency_the_patience_of_a_week_counts():
    run = without_data({"A": {}})
    assert judged(run, 6 * DAY, {}) == ("waiting", "A has no file")
    assert judged(run, 7 * DAY, {"B": TWO_DAYS["A"]}) == ("no data", "A has no file")


def test_the_latest_of_the_absent_datasets_counts_and_those_with_files_do_not():
    latencies = {name: Latency(length * DAY, "s") for name, length in (("A", 2), ("B", 10), ("C", 30))}
    run = without_data({"A": {}, "B": {}, "C": {"c.cdf": "1"}})
    assert judged(run, 5 * DAY, latencies)[1].startswith(
        "not published yet (B usually appears after 10 days, s)"
    )
    assert judged(run, 11 * DAY, latencies)[0] == "no data"


def test_data_that_are_published_and_only_fill_are_not_late():
    run = without_data({"A": {"a.cdf": "1"}}, "all values are fill values")
    assert judged(run, 8 * DAY, TWO_DAYS) == ("no data", "all values are fill values")


@pytest.fixture
def cdaweb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CdaWebStandIn]:
    """Four days, each published two days and six hours after its end."""
    monkeypatch.chdir(tmp_path)
    with CdaWebStandIn(write_days(tmp_path / "served", 4)) as standin:
        for file in standin.files:
            publish(standin, file.path, file.day + 3 * DAY + timedelta(hours=6))
        yield standin


def publish(standin: CdaWebStandIn, path: Path, at: datetime) -> None:
    standin.publish(path, at.replace(tzinfo=UTC).timestamp())


@pytest.fixture
def settings(tmp_path: Path, cdaweb: CdaWebStandIn) -> Settings:
    return replace(Settings(tmp_path / "home"), addresses={"cdaweb": cdaweb.url})


def ran(settings: Settings, *numbers: int, archive: Any = "cdaweb") -> list[IntervalRun]:
    runs = [
        api.run(daily(), time_range=str(day(number)), archive=archive, check=False, settings=settings)
        for number in numbers
    ]
    return [read_run(Runs(settings.runs).load(run.id)) for run in runs]


@pytest.mark.usefixtures("warm_processes")
def test_the_dates_of_the_files_of_earlier_runs_say_it(settings: Settings):
    runs = ran(settings, 0, 1, 2, 5)
    assert runs[-1].state == "no data"
    source = "by the dates of the files of 3 intervals"
    assert latencies_of(runs, settings) == {"AC_H2_MFI": Latency(2 * DAY + timedelta(hours=6), source)}
    assert latencies_of(runs[:-1], settings) == {}
    assert latencies_of(runs, settings, 4 * DAY) == {"AC_H2_MFI": Latency(4 * DAY, "as the user said")}


@pytest.mark.usefixtures("warm_processes")
def test_files_that_were_republished_years_later_say_nothing_and_the_catalogue_counts(
    settings: Settings, cdaweb: CdaWebStandIn
):
    for file in list(cdaweb.files)[:2]:
        publish(cdaweb, file.path, file.day + 900 * DAY)
    runs = ran(settings, 0, 1, 2, 5)
    catalogue = open_catalogue(settings.home)
    last = catalogue.summary("AC_H2_MFI").last
    assert last is not None
    late = catalogue.as_of - last
    expected = (
        {"AC_H2_MFI": Latency(late, f"by the catalogue of {catalogue.as_of:%Y-%m-%d}")}
        if timedelta() < late <= 60 * DAY
        else {}
    )
    assert latencies_of(runs, settings) == expected


@pytest.mark.usefixtures("warm_processes")
def test_the_catalogue_says_nothing_about_a_folder(settings: Settings, tmp_path: Path):
    runs = ran(settings, 0, 1, 2, 5, archive=tmp_path / "served")
    assert runs[-1].state == "no data"
    assert latencies_of(runs, settings) == {}


@pytest.mark.usefixtures("warm_processes")
def test_a_backfill_says_what_is_late_and_what_is_missing(settings: Settings, cdaweb: CdaWebStandIn):
    cdaweb.files = [file for file in cdaweb.files if "20240103" not in file.path.name]
    now = datetime(2024, 1, 7)
    ran(settings, 0, 1, 2, 3, 4)
    found = api.backfill(
        daily(), "2024-01-01..2024-01-06", archive="cdaweb", now=now, dry_run=True, settings=settings
    ).intervals
    assert [interval.state for interval in found] == ["done", "done", "no data", "done", "waiting"]
    words = "AC_H2_MFI usually appears after 3 days, by the dates of the files of 3 intervals"
    assert found[2].reason.startswith("gap: CDAWeb lists no file of AC_H2_MFI for 2024-01-03 to 2024-01-04")
    assert found[2].reason.endswith(f" ({words})")
    assert found[4].reason.startswith(f"not published yet ({words}): ")
