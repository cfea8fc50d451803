"""What archives have republished since the recorded runs, and the figures that are made again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.errors import UnknownPipeline
from helio.pipelines.runs.intervals import Interval, intervals
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.runs.why import why
from helio.service.drift import Drift
from helio.service.refresh import Refresh
from helio.settings import Settings
from helio.sources.allowance import in_words
from helio.sources.archives import Access
from helio.store.runs import Runs
from helio.testing import CdaWebStandIn, HapiStandIn
from tests.days import daily, day, write_day, write_days
from tests.pipelines.made_archive import Made, write_dataset
from tests.sources.made_hapi import magnetometer

pytestmark = pytest.mark.usefixtures("here", "warm_processes")
WHOLE = "2024-01-01..2024-01-05"
NOW = datetime(2024, 6, 1)
LATER = 1_760_000_000.0
FIRST = "ac_h2_mfi_20240101000000_v01.cdf"


@pytest.fixture
def cdaweb(home: Path) -> Iterator[CdaWebStandIn]:
    with CdaWebStandIn(write_days(home / "served", 4)) as standin:
        yield standin


@pytest.fixture
def settings(home: Path, cdaweb: CdaWebStandIn) -> Settings:
    return replace(Settings(home / "home"), addresses={"cdaweb": cdaweb.url})


@pytest.fixture
def filled(settings: Settings, cdaweb: CdaWebStandIn) -> list[str]:
    """The runs of four days, in their order; the archive has forgotten the requests for them."""
    made = api.backfill(daily(), WHOLE, archive="cdaweb", output="plots", now=NOW, settings=settings)
    cdaweb.mend()
    return [interval.run.id for interval in made.intervals if interval.run is not None]


def drift(settings: Settings, name: str = "", **more: Any) -> Drift:
    return api.drift(name, settings=settings, **more)


def refresh(settings: Settings, name: str = "", **more: Any) -> Refresh:
    return api.refresh(name, settings=settings, workers=1, **more)


def republish(cdaweb: CdaWebStandIn, home: Path, number: int, level: float = 7.0) -> None:
    cdaweb.publish(write_day(home / "served", number, level=level), published=LATER)


def publish_next_version(cdaweb: CdaWebStandIn, home: Path, number: int, level: float = 6.0) -> None:
    written = write_day(home / "new", number, level=level)
    cdaweb.publish(
        shutil.copy(written, home / "served" / written.name.replace("_v01", "_v02")), published=LATER
    )


def changed(found: Drift) -> list[str]:
    return [figure.run.id for figure in found.changed]


def downloads(cdaweb: CdaWebStandIn) -> list[int]:
    """The statuses of the replies to requests for files."""
    return [request.status for request in cdaweb.asked("/sp_phys/data/")]


def of_days(settings: Settings) -> tuple[Interval, ...]:
    return intervals(known.run for known in known_runs_of(settings).read().values() if known.run is not None)


def test_nothing_has_changed_and_each_dataset_and_interval_is_asked_for_once(
    settings: Settings, cdaweb: CdaWebStandIn, filled: list[str]
):
    other = daily(id="other-field")
    api.backfill(other, WHOLE, archive="cdaweb", output="other", now=NOW, settings=settings)
    cdaweb.mend()
    found = drift(settings)
    assert (found.status, found.figures, found.questions) == ("unchanged", 8, 4)
    assert len(cdaweb.requests) == 4
    assert cdaweb.most_at_once <= 4


def test_a_new_time_stamp_of_the_same_bytes_is_no_change(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    cdaweb.publish(home / "served" / FIRST, published=LATER)
    assert drift(settings).status == "unchanged"
    assert downloads(cdaweb) == [304]
    found = api.backfill(daily(), WHOLE, archive="cdaweb", output="plots", settings=settings, dry_run=True)
    assert found.to_do == ()


def test_the_same_bytes_are_no_change_if_the_server_cannot_say_so(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str], monkeypatch: pytest.MonkeyPatch
):
    cdaweb.publish(home / "served" / FIRST, published=LATER)
    monkeypatch.setattr("helio.sources.downloads._validators", lambda held: {})
    assert changed(drift(settings)) == filled[:1]
    assert downloads(cdaweb) == []
    found = drift(settings, numbers="download")
    assert (found.status, found.same_bytes) == ("unchanged", 1)
    assert refresh(settings, numbers="download").figures == ()


def test_republished_files_are_named_with_what_changed_and_are_not_downloaded(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    republish(cdaweb, home, 0)
    publish_next_version(cdaweb, home, 2)
    found = drift(settings)
    assert (found.status, changed(found)) == ("changed", [filled[0], filled[2]])
    [first], [third] = (figure.files for figure in found.changed)
    assert first.in_words() == (
        f"AC_H2_MFI: {FIRST} was republished (last modified 2023-11-14T22:13:20.000Z → 2025-10-09T08:53:20.000Z)"
    )
    assert third.in_words().startswith(
        "AC_H2_MFI: ac_h2_mfi_20240103000000_v01.cdf was replaced by version 02 (version 01 → 02, last modified"
    )
    assert [figure.not_compared for figure in found.changed] == [
        "the new data are not on this machine; --compare downloads them"
    ] * 2
    assert 200 not in [request.status for request in cdaweb.asked("_v02.cdf")]
    shown = found.to_json()["changed"][0]
    assert (shown["start"], shown["numbers"]) == ("2024-01-01T00:00:00", None)
    assert shown["figures"] == [
        str(home / "plots" / "2024-01-01" / name) for name in ("draw.html", "draw.json")
    ]
    assert (shown["files"][0]["old"]["size"], shown["files"][0]["new"]["version"]) == (19355, "01")


def test_numbers_are_compared_per_trace_with_unit_time_and_coverage(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    republish(cdaweb, home, 0)
    [figure] = drift(settings, numbers="download").changed
    fetched, magnitude = figure.number_lines()
    assert fetched.startswith(
        "AC_H2_MFI.BGSEc: 3 of 3 components differ; B_x: 24 of 24 values differ, by at most "
    )
    assert magnitude.startswith("B: 24 of 24 values differ, by at most ")
    assert " nT at 2024-01-01T" in magnitude
    assert magnitude.endswith("; coverage 100.0 % → 100.0 %")
    [of_b] = [table for table in figure.to_json()["numbers"] if table["output"] == "B"]
    assert of_b["coverage"] == [1.0, 1.0]
    assert of_b["table"]["components"][0]["changed"] == 24
    cdaweb.mend()
    [again] = drift(settings).changed
    assert list(again.number_lines()) == [fetched, magnitude]  # the new data are now on this machine
    assert 200 not in downloads(cdaweb)


def test_a_new_file_with_the_same_numbers_says_so(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    more = {"BGSEc": Made("nT", 5.0, "GSE", 3), "Magnitude": Made("nT")}
    cdaweb.publish(write_dataset(home / "served", "AC_H2_MFI", more, day(1), "1h"), published=LATER)
    [figure] = drift(settings, numbers="download").changed
    assert (figure.run.id, list(figure.number_lines())) == (filled[1], ["the numbers are the same"])


def test_data_that_are_gone_are_named_and_the_figure_stays(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    cdaweb.files = [file for file in cdaweb.files if "20240104" not in file.path.name]
    done = refresh(settings)
    [figure] = done.drift.changed
    assert (figure.run.id, figure.gone) == (
        filled[3],
        "AC_H2_MFI has no file for 2024-01-04 to 2024-01-05 in CDAWeb",
    )
    assert [file.change for file in figure.files] == ["is gone"]
    assert done.figures[0].reason.startswith("its data are gone, so the figure stays as it is: ")
    assert (home / "plots" / "2024-01-04" / "draw.html").exists()
    assert len(Runs(settings.runs).ids()) == 4


def test_a_dataset_that_is_no_longer_there_is_named(
    settings: Settings, cdaweb: CdaWebStandIn, filled: list[str]
):
    cdaweb.files = []
    found = drift(settings)
    assert changed(found) == filled
    assert found.changed[0].gone == "no dataset is called 'AC_H2_MFI' in CDAWeb"


def test_an_archive_that_is_down_is_asked_once_and_nothing_is_said_of_its_figures(
    settings: Settings, cdaweb: CdaWebStandIn, filled: list[str]
):
    cdaweb.fail("orig_data", *["503"] * 100)
    found = drift(settings)
    assert (found.status, found.changed, found.unknown) == ("unknown", (), 4)
    [reason] = found.unasked
    assert reason.startswith("CDAWeb did not answer: 127.0.0.1:")


def test_offline_the_last_answers_count(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    republish(cdaweb, home, 0)
    assert drift(settings, access=Access(offline=True)).status == "unchanged"
    assert cdaweb.requests == []
    drift(settings)
    cdaweb.mend()
    assert changed(drift(settings, access=Access(offline=True))) == filled[:1]
    assert cdaweb.requests == []


def test_a_pipeline_a_run_or_a_date_narrow_the_question(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    for number in range(4):
        republish(cdaweb, home, number)
    assert changed(drift(settings, "daily-field")) == filled
    assert changed(drift(settings, filled[1])) == filled[1:2]
    assert changed(drift(settings, since="2024-01-03")) == filled[2:]
    assert drift(settings, "psp-bfield").figures == 0
    with pytest.raises(UnknownPipeline, match="no pipeline and no run is called 'daily-feld'") as caught:
        drift(settings, "daily-feld")
    assert caught.value.advice == "did you mean 'daily-field'?"


def test_a_figure_of_a_folder_has_changed_when_its_bytes_have(home: Path):
    settings = Settings(home / "home")
    data = write_days(home / "data", 3)
    made = api.backfill(
        daily(), "2024-01-01..2024-01-04", archive=data, output="plots", now=NOW, settings=settings
    )
    assert drift(settings).status == "unchanged"
    (data / FIRST).touch()
    assert drift(settings).status == "unchanged"
    write_day(data, 1, level=7.0)
    [figure] = drift(settings).changed
    second = made.intervals[1].run
    assert second is not None
    assert figure.run.id == second.id
    assert [line.split(":")[0] for line in figure.number_lines()] == ["AC_H2_MFI.BGSEc", "B"]
    shutil.rmtree(data)
    found = drift(settings)
    assert (found.status, found.unknown) == ("unknown", 3)
    assert found.unasked == (f"the archive {data} does not exist",)


def test_only_the_changed_figures_are_made_again_and_both_versions_stay(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    republish(cdaweb, home, 0)
    publish_next_version(cdaweb, home, 2)
    before = (home / "plots" / "2024-01-01" / "draw.json").read_bytes()
    untouched = (home / "plots" / "2024-01-02" / "draw.json").stat()
    planned = refresh(settings, dry_run=True)
    folders = [str(home / "plots" / name) for name in ("2024-01-01", "2024-01-03")]
    assert [figure.folder for figure in planned.figures] == folders
    assert len(Runs(settings.runs).ids()) == 4
    done = refresh(settings)
    assert (done.status, [figure.old.id for figure in done.figures]) == ("success", [filled[0], filled[2]])
    assert [figure.made and figure.made.state for figure in done.figures] == ["done", "done"]
    assert (home / "plots" / "2024-01-01" / "draw.json").read_bytes() != before
    assert (home / "plots" / "2024-01-02" / "draw.json").stat().st_mtime_ns == untouched.st_mtime_ns
    versions = [[run.id for run in interval.runs] for interval in of_days(settings)]
    assert [len(runs) for runs in versions] == [2, 1, 2, 1]
    assert (versions[0][1], versions[2][1]) == (filled[0], filled[2])
    assert drift(settings).status == "unchanged"
    left = api.backfill(daily(), WHOLE, archive="cdaweb", output="plots", settings=settings, dry_run=True)
    assert left.to_do == ()
    compared = api.diff(filled[0], versions[0][0], settings)
    assert [difference.output for difference in compared.numbers] == ["AC_H2_MFI.BGSEc", "B"]


def test_a_figure_is_made_again_with_the_pipeline_of_its_run(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path
):
    settings.templates.mkdir(parents=True)
    path = settings.templates / "daily-field.json"
    path.write_text(json.dumps(daily()))
    api.run("daily-field", archive="cdaweb", output="mine", settings=settings)
    path.write_text(json.dumps(daily(steps=daily()["steps"][:2])))
    republish(cdaweb, home, 0)
    [figure] = refresh(settings).figures
    assert figure.made is not None
    assert figure.folder == str(home / "mine")
    steps = [step["step_id"] for step in Runs(settings.runs).load(figure.made.run).plan["steps"]]
    assert steps == ["fetch", "b", "draw"]


def test_a_figure_that_another_run_has_overwritten_gets_a_new_folder(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path
):
    for number in (0, 1):
        api.run(
            daily(), time_range=str(day(number)), archive="cdaweb", output=home / "mine", settings=settings
        )
    shown = (home / "mine" / "draw.json").read_bytes()
    republish(cdaweb, home, 0)
    [figure] = refresh(settings).figures
    assert figure.folder == str(home / "helio-runs" / "daily-field" / "2024-01-01")
    assert (Path(figure.folder) / "draw.html").exists()
    assert (home / "mine" / "draw.json").read_bytes() == shown


def test_why_names_the_version_that_replaced_a_file(
    settings: Settings, cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    publish_next_version(cdaweb, home, 0)
    [figure] = refresh(settings).figures
    assert figure.made is not None
    assert why(Runs(settings.runs), figure.made.run, "fetch")[1:] == [f"  {FIRST} was replaced by version 02"]


def test_a_server_with_one_date_for_a_dataset_is_asked_once_for_all_intervals(home: Path):
    with HapiStandIn([magnetometer(modificationDate="2022-01-01Z")]) as server:
        settings = Settings(home / "home")
        fetch = {"dataset_id": "MADE_MAG", "parameter_id": "BGSE", "time_range": "$TIME_RANGE"}
        steps = [{"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch}]
        variables = {"$TIME_RANGE": {"type": "time_range", "default": "2021-10-28"}}
        for date in ("2021-10-28", "2021-10-29"):
            pipeline = {"id": "made", "variables": variables, "steps": steps}
            api.run(pipeline, time_range=date, archive=server.url, settings=settings)
        server.mend()
        assert drift(settings).status == "unchanged"
        assert [request.path.split("?")[0] for request in server.requests] == ["/hapi/info"]
        server.datasets["MADE_MAG"].about["modificationDate"] = "2022-02-02Z"
        server.mend()
        found = drift(settings)
        assert len(found.changed) == 2
        assert server.asked("/data") == []
        assert "(last modified 2022-01-01Z → 2022-02-02Z)" in found.changed[0].files[0].in_words()
        same = drift(settings, numbers="download")
        assert (same.status, same.same_bytes) == ("unchanged", 2)


def test_a_limit_of_downloads_ends_a_backfill_and_the_same_command_goes_on(
    settings: Settings, cdaweb: CdaWebStandIn
):
    size = cdaweb.files[0].path.stat().st_size
    access = Access(2 * size + size // 2)
    more: dict[str, Any] = {"archive": "cdaweb", "output": "plots", "now": NOW, "settings": settings}
    first = api.backfill(daily(), WHOLE, access=access, **more)
    assert [interval.state for interval in first.intervals] == ["done", "done", "left", "left"]
    assert first.intervals[3].reason == (
        f"the limit of {in_words(2 * size + size // 2)} for all downloads is reached; run the same command again to "
        "continue, or set a larger --max-download"
    )
    assert (first.status, len(downloads(cdaweb))) == ("partial", 2)
    second = api.backfill(daily(), WHOLE, access=access, **more)
    assert [interval.state for interval in second.intervals] == ["done"] * 4
    assert (second.status, len(downloads(cdaweb))) == ("success", 4)
    assert not list(settings.home.glob(".ledger-*"))


def test_an_interval_that_alone_exceeds_the_limit_fails_and_hides_no_other(
    settings: Settings, cdaweb: CdaWebStandIn
):
    more: dict[str, Any] = {"archive": "cdaweb", "output": "plots", "now": NOW, "settings": settings}
    found = api.backfill(daily(), WHOLE, access=Access(1000), **more)
    assert [interval.state for interval in found.intervals] == ["failed"] * 4
    assert found.intervals[0].reason == "the download of 1 file of 19.4 kB exceeds the limit of 1 kB"
    assert downloads(cdaweb) == []


@pytest.fixture
def helio(
    settings: Settings, cdaweb: CdaWebStandIn, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    monkeypatch.setenv("HELIO_HOME", str(settings.home))
    monkeypatch.setenv("HELIO_CDAWEB_URL", cdaweb.url)
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    return lambda *words: CliRunner().invoke(app, words, prog_name="helio")


def test_the_command_has_an_exit_code_for_cron(
    helio: Callable[..., Result], cdaweb: CdaWebStandIn, home: Path, filled: list[str]
):
    assert (helio("drift").exit_code, helio("drift").stdout) == (0, "unchanged: the data of 4 figures\n")
    republish(cdaweb, home, 0)
    result = helio("drift", "--no-compare")
    assert result.exit_code == 3
    assert result.stdout.endswith("changed: the data of 1 of 4 figures\n`helio refresh` makes them again\n")
    assert "numbers" not in result.stdout
    assert json.loads(helio("drift", "--json").stdout)["status"] == "changed"
    result = helio("refresh")
    assert result.exit_code == 0
    assert "success: made 1 of 1 figure again\n" in result.stdout
    assert f"    helio diff {filled[0]} daily-field-" in result.stdout
    assert helio("refresh").exit_code == 0
    cdaweb.fail("orig_data", *["503"] * 100)
    result = helio("drift")
    assert result.exit_code == 1
    assert "not known: no archive of the 4 figures could be asked\n" in result.stdout
    assert "not asked: CDAWeb did not answer: " in result.stderr
    result = helio("drift", "--offline")
    assert result.exit_code == 0
    assert "offline: no archive was asked" in result.stderr


def test_without_runs_there_is_nothing_to_ask(helio: Callable[..., Result], cdaweb: CdaWebStandIn):
    result = helio("drift")
    assert (result.exit_code, result.stdout) == (0, "no figure with data is recorded\n")
    assert helio("refresh").exit_code == 0
    assert cdaweb.requests == []
    assert helio("drift", "nothing-like-it").exit_code == 2
    assert helio("drift", "--since", "yesteryear").exit_code == 2
