"""What a backfill makes, and what it leaves alone."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.errors import Cancelled, OutputError, RequestError, UnknownPipeline
from helio.flows.schedule import Schedule, Schedules
from helio.pipelines.runs import session
from helio.pipelines.runs.why import why
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.service import backfill as module
from helio.service import chunk as chunk_module
from helio.service.backfill import Backfill, Progress
from helio.settings import Settings
from helio.store.records import WrongShape
from helio.store.runs import Runs
from helio.time_range import TimeRange
from tests.days import daily, day, write_day, write_days
from tests.pipelines.made_archive import Made, write_dataset

pytestmark = pytest.mark.usefixtures("here", "warm_processes")
NOW = datetime(2024, 3, 1)
WHOLE = "2024-01-01..2024-01-04"


@pytest.fixture
def data(home: Path) -> Path:
    return write_days(home / "data", 3)


def fill(home: Path, time_range: str = WHOLE, pipeline: Any = None, **more: Any) -> Backfill:
    arguments = {"archive": home / "data", "now": NOW, "settings": Settings(home / "home"), **more}
    return api.backfill(pipeline or daily(), time_range, **arguments)


def states(filled: Backfill) -> list[str]:
    return [interval.state for interval in filled.intervals]


def made(filled: Backfill) -> list[int]:
    """The days that were made, as numbers."""
    return [ending.span.start.toordinal() - day(0).start.toordinal() for ending in filled.made]


def test_each_interval_is_a_run_and_the_second_time_nothing_runs(home: Path, data: Path):
    first = fill(home)
    assert (states(first), made(first), first.status) == (["done"] * 3, [0, 1, 2], "success")
    runs = Runs(home / "home" / "runs")
    before = runs.ids()
    assert sorted(ending.run for ending in first.made) == list(before)
    header = runs.load(first.made[1].run).header
    assert header["values"] == {"$TIME_RANGE": "2024-01-02 to 2024-01-03"}
    again = fill(home)
    assert (states(again), made(again), again.status) == (["done"] * 3, [], "success")
    assert runs.ids() == before


def test_files_lie_in_a_folder_for_each_interval_and_the_library_is_there_once(home: Path, data: Path):
    fill(home)
    root = home / "helio-runs" / "daily-field"
    for folder in ("2024-01-01", "2024-01-02", "2024-01-03"):
        assert {"draw.html", "draw.json", "run.json"} <= {path.name for path in (root / folder).iterdir()}
    assert [path.parent for path in root.rglob("plotly.min.js")] == [root]


def test_only_the_day_of_a_replaced_file_is_made_again_and_why_says_so(home: Path, data: Path):
    fill(home)
    write_day(data, 1, level=7.0)
    [note] = [interval.reason for interval in fill(home, dry_run=True).intervals if interval.state == "stale"]
    assert note == "AC_H2_MFI: ac_h2_mfi_20240102000000_v01.cdf was republished"
    again = fill(home)
    assert (made(again), states(again)) == ([1], ["done"] * 3)
    first, *changes = why(Runs(home / "home" / "runs"), again.made[0].run, "fetch")
    assert first.startswith("run, because these differ from ")
    [change] = changes
    assert change == "  file ac_h2_mfi_20240102000000_v01.cdf has another content"
    assert made(fill(home)) == []


@pytest.mark.parametrize("choose", ["needed", "failed"])
def test_a_failed_day_whose_file_was_replaced_is_made_again(home: Path, data: Path, choose: str):
    path = next(data.glob("*20240102*"))
    path.write_bytes(path.read_bytes()[:2000])
    assert states(fill(home, "2024-01-02..2024-01-03")) == ["failed"]
    write_day(data, 1)
    [stale] = fill(home, "2024-01-02..2024-01-03", dry_run=True).intervals
    assert (stale.state, stale.reason) == ("stale", f"AC_H2_MFI: {path.name} was republished")
    assert states(fill(home, "2024-01-02..2024-01-03", choose=choose)) == ["done"]


def test_a_damaged_day_fails_alone_and_its_repair_makes_it_alone(home: Path, data: Path):
    path = next(data.glob("*20240102*"))
    path.write_bytes(path.read_bytes()[:2000])
    filled = fill(home)
    assert states(filled) == ["done", "failed", "done"]
    for interval in (filled.intervals[0], filled.intervals[2]):
        assert interval.run is not None
        record = (home / "home" / "runs" / interval.run.id / "steps.jsonl").read_text()
        assert f"{path.name} beside this time range was not read" in record
    write_day(data, 1)
    assert made(fill(home)) == [1]
    path.write_bytes(path.read_bytes()[:2000])
    assert made(fill(home)) == [1]


def test_a_file_without_records_makes_no_neighbour_again(home: Path):
    folder = home / "csv"
    folder.mkdir()
    for number in range(3):
        rows = [f"2024-01-0{number + 1}T{hour:02}:00:00Z,{hour}" for hour in range(24)]
        text = "\n".join(["time,B [nT]", *rows]) + "\n"
        (folder / f"field_2024010{number + 1}_v01.csv").write_text(text)
    args = {"dataset_id": "FIELD", "parameter_id": "B", "time_range": "$TIME_RANGE"}
    pipeline = daily(steps=[
        {"step_id": "fetch", "tool_name": "fetch_data", "tool_args": args},
        {"step_id": "save", "tool_name": "save_data", "tool_args": {"source_labels": ["FIELD.B"], "format": "csv"}},
    ])  # fmt: skip
    assert states(fill(home, pipeline=pipeline, archive=folder)) == ["done"] * 3
    (folder / "field_20240102_v01.csv").write_text("time,B [nT]\n")
    again = fill(home, pipeline=pipeline, archive=folder)
    assert made(again) == [1]
    assert [interval.reason for interval in again.intervals if interval.state != "done"] == [
        "FIELD: field_20240102_v01.csv was republished"
    ]


def test_a_day_that_failed_for_the_file_beside_it_is_made_again_when_that_file_is_right(
    home: Path, data: Path
):
    begin = day(0).start
    short = TimeRange(begin, begin + timedelta(hours=3))  # the next file may hold the last records of the day
    write_dataset(data, "AC_H2_MFI", {"BGSEc": Made("nT", 5.0, "GSE", 3)}, short, "1h")
    path = next(data.glob("*20240102*"))
    path.write_bytes(path.read_bytes()[:2000])
    assert states(fill(home)) == ["failed", "failed", "done"]
    write_day(data, 1)
    [first, *_] = fill(home, dry_run=True).intervals
    assert (first.state, first.reason) == ("stale", f"AC_H2_MFI: {path.name} was republished")
    assert states(fill(home)) == ["done"] * 3


def test_a_day_whose_last_file_found_a_full_disk_is_made_again(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    def write(path: Path, content: bytes) -> None:
        raise OutputError(f"{path} cannot be written: the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(session, "write_whole", write)
        [full] = fill(home, "2024-01-02..2024-01-03").intervals
    assert full.run is not None
    assert (full.state, full.run.transient) == ("failed", True)
    assert "run.json cannot be written: the disk is full" in full.reason
    assert states(fill(home, "2024-01-02..2024-01-03")) == ["done"]
    assert next((home / "helio-runs").rglob("2024-01-02/run.json")).exists()


def test_a_new_day_makes_nothing_but_itself(home: Path, data: Path):
    fill(home)
    write_day(data, 3)
    assert made(fill(home, "2024-01-01..2024-01-05")) == [3]


def test_a_day_without_data_is_tried_again_only_when_data_have_come(home: Path, data: Path):
    whole = "2024-01-01..2024-01-06"
    first = fill(home, whole)
    assert (states(first), first.status) == (["done"] * 3 + ["no data"] * 2, "success")
    assert made(fill(home, whole)) == []
    write_day(data, 3)
    again = fill(home, whole)
    assert (made(again), states(again)) == ([3], ["done"] * 4 + ["no data"])
    assert made(fill(home, whole, choose="failed")) == [4]


def test_days_that_may_still_come_are_waiting(home: Path, data: Path):
    found = fill(home, "2024-01-03..2024-01-06", now=datetime(2024, 1, 5, 12))
    assert states(found) == ["done", "waiting", "waiting"]
    assert found.intervals[2].reason == "the interval ends at 2024-01-06 00:00 UTC"
    assert made(found) == [2, 3]


def test_the_latency_of_a_schedule_counts_for_the_same_pipeline(home: Path, data: Path):
    whole, now = "2024-01-03..2024-01-06", datetime(2024, 1, 8, 3)
    pipeline = home / "daily-field.json"
    pipeline.write_text(json.dumps(daily()))
    settings = Settings(home / "home")

    def schedule(name: str, archive: Path, latency: str, **more: Any) -> None:
        request = Schedule(name, str(pipeline), "0 6 * * *", archive=str(archive), latency=latency, **more)
        Schedules(settings).add(request, now=now, time_range="yesterday")

    schedule("elsewhere", write_days(home / "other", 3), "50d")
    schedule("short", data, "1h")
    schedule("mine", data, "50h")
    found = fill(home, whole, pipeline, now=now).intervals
    assert [interval.state for interval in found] == ["done", "no data", "no data"]
    assert found[2].reason.startswith("gap: ")
    assert found[2].reason.endswith("(AC_H2_MFI usually appears after 3 days, as the user said)")
    found = fill(home, whole, pipeline, now=datetime(2024, 1, 8, 1)).intervals
    assert [interval.state for interval in found] == ["done", "no data", "waiting"]
    assert found[2].reason.startswith(
        "not published yet (AC_H2_MFI usually appears after 3 days, as the user"
    )


def test_the_latency_of_another_pipeline_does_not_count(home: Path, data: Path):
    pipeline = home / "another.json"
    pipeline.write_text(json.dumps(daily(id="another")))
    request = Schedule("another", str(pipeline), "0 6 * * *", archive=str(data), latency="1h")
    Schedules(Settings(home / "home")).add(request, now=datetime(2024, 1, 8), time_range="yesterday")
    assert states(fill(home, "2024-01-04..2024-01-05", now=datetime(2024, 1, 8))) == ["waiting"]


def test_nothing_but_days_without_data_is_no_success(home: Path, data: Path):
    assert fill(home, "2024-02-01..2024-02-03").status == "failed"


def test_all_makes_everything_again(home: Path, data: Path):
    fill(home)
    assert made(fill(home, choose="all")) == [0, 1, 2]


def test_a_changed_template_makes_its_intervals_stale(home: Path, data: Path):
    fill(home)
    changed = daily()
    changed["steps"][2]["tool_args"]["spec"]["title"] = "Another title"
    found = fill(home, pipeline=changed, dry_run=True)
    assert {interval.reason for interval in found.intervals} == {
        "the template has changed: step draw differs"
    }
    assert made(fill(home, pipeline=changed)) == [0, 1, 2]
    assert made(fill(home, pipeline=changed)) == []


def test_words_make_nothing_stale(home: Path, data: Path):
    fill(home)
    assert made(fill(home, pipeline=daily(description="Words"))) == []


def test_other_values_are_other_intervals(home: Path, data: Path):
    template = daily()
    template["variables"]["$UNIT_TITLE"] = {"type": "string", "default": "A"}
    template["steps"][2]["tool_args"]["spec"]["title"] = "$UNIT_TITLE"
    fill(home, pipeline=template)
    other = fill(home, pipeline=template, variables={"UNIT_TITLE": "B"}, output=home / "other")
    assert made(other) == [0, 1, 2]
    assert made(fill(home, pipeline=template)) == []


def test_a_run_by_hand_counts(home: Path, data: Path):
    settings = Settings(home / "home")
    api.run(daily(), time_range="2024-01-02", archive=data, settings=settings, outputs=home / "by-hand")
    assert made(fill(home)) == [0, 2]


def test_with_a_folder_only_runs_with_their_files_there_count(home: Path, data: Path):
    fill(home)
    elsewhere = fill(home, output=home / "plots")
    assert made(elsewhere) == [0, 1, 2]
    assert (home / "plots" / "2024-01-02" / "draw.html").is_file()
    assert made(fill(home, output=home / "plots")) == []
    assert made(fill(home, output=Path("data/../plots"))) == []


def test_a_deleted_file_is_made_again(home: Path, data: Path):
    fill(home)
    lost = home / "helio-runs" / "daily-field" / "2024-01-03" / "draw.html"
    lost.unlink()
    again = fill(home)
    assert made(again) == [2]
    assert lost.is_file()


def test_a_dry_run_runs_nothing_and_estimates(home: Path, data: Path):
    found = fill(home, dry_run=True)
    assert (states(found), made(found)) == (["missing"] * 3, [])
    assert found.estimate is not None
    size = sum(path.stat().st_size for path in data.iterdir())
    assert (found.estimate.intervals, found.estimate.seconds) == (3, None)
    assert (found.estimate.files, found.estimate.bytes) == (3, size)
    assert Runs(home / "home" / "runs").ids() == []
    assert not (home / "helio-runs").exists()
    fill(home, "2024-01-01..2024-01-03")
    later = fill(home, dry_run=True).estimate
    assert later is not None
    assert later.intervals == 1
    assert later.seconds is not None
    elsewhere = fill(home, dry_run=True, output=home / "elsewhere").estimate
    assert elsewhere is not None
    assert elsewhere.intervals == 3
    assert elsewhere.seconds is not None


def test_an_edit_during_a_backfill_changes_no_run_of_it(home: Path, data: Path):
    path = home / "daily.json"
    path.write_text(json.dumps(daily()))
    edited = daily()
    edited["steps"][2]["tool_args"]["spec"]["title"] = "Edited"

    def edit(progress: Progress) -> None:
        path.write_text(json.dumps(edited))

    filled = fill(home, pipeline=path, on_progress=edit)
    runs = Runs(home / "home" / "runs")
    assert len({runs.load(ending.run).header["template_digest"] for ending in filled.made}) == 1
    assert "title" not in runs.load(filled.made[2].run).authored["steps"][2]["tool_args"]["spec"]
    [note] = filled.notes
    assert note.startswith("the pipeline was edited meanwhile")
    assert made(fill(home, pipeline=path)) == [0, 1, 2]


def test_a_used_pipeline_that_is_edited_meanwhile_is_pinned_too(home: Path, data: Path):
    settings = Settings(home / "home")
    inner = {
        "id": "inner",
        "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2024-01-01"}},
        "steps": daily()["steps"][:2],
    }
    outer = daily(id="outer")
    outer["steps"] = [
        {"step_id": "inner", "use": "inner", "with": {"$TIME_RANGE": "$TIME_RANGE"}},
        outer["steps"][2],
    ]
    outer["steps"][1]["tool_args"]["spec"]["labels"] = ["B"]
    settings.templates.mkdir(parents=True)
    (settings.templates / "inner.json").write_text(json.dumps(inner))

    def edit(progress: Progress) -> None:
        (settings.templates / "inner.json").write_text(json.dumps({**inner, "steps": []}))

    assert states(fill(home, pipeline=outer, on_progress=edit)) == ["done"] * 3


def test_the_end_of_each_interval_is_told_with_the_time_left(home: Path, data: Path):
    told: list[Progress] = []
    fill(home, on_progress=told.append)
    assert [(progress.done, progress.total) for progress in told] == [
        (0, 3), (1, 3), (1, 3), (2, 3), (2, 3), (3, 3),
    ]  # fmt: skip
    assert told[0].seconds_left is None
    assert told[-1].seconds_left == 0


def test_ctrl_c_keeps_what_is_finished_and_the_same_call_goes_on(home: Path, data: Path):
    def interrupt(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    with pytest.raises(Cancelled, match="the backfill was stopped"):
        fill(home, on_progress=interrupt)
    assert made(fill(home)) == [1, 2]


def test_a_second_backfill_of_the_same_intervals_at_the_same_time_is_refused(home: Path, data: Path):
    def again(progress: Progress) -> None:
        if refused:
            return
        with pytest.raises(RequestError, match="another backfill of 'daily-field' is running"):
            fill(home)
        refused.append(progress)

    refused: list[Progress] = []
    fill(home, on_progress=again)
    assert refused
    assert made(fill(home)) == []


def test_an_interval_that_another_process_makes_is_left_to_it(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "ELSEWHERE", 0.0)
    fill(home, "2024-01-01..2024-01-02")
    [run_id] = Runs(home / "home" / "runs").ids()
    header = home / "home" / "runs" / run_id / "run.json"
    ended = header.read_text()
    header.write_text(ended.replace('"status": "success"', '"status": "running"'))
    found = fill(home)
    assert (states(found), made(found), found.status) == (["running", "done", "done"], [1, 2], "partial")
    # its process has been killed meanwhile
    header.write_text(header.read_text().replace('"started": "', '"started": "9'))
    assert made(fill(home)) == [0]


def test_an_interval_that_another_process_gives_up_is_made(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    fill(home, "2024-01-01..2024-01-02")
    [run_id] = Runs(home / "home" / "runs").ids()
    header = home / "home" / "runs" / run_id / "run.json"
    header.write_text(header.read_text().replace('"status": "success"', '"status": "running"'))

    def die(progress: Progress) -> None:
        header.write_text(header.read_text().replace('"started": "', '"started": "9'))

    found = fill(home, on_progress=die)
    assert (states(found), made(found)) == (["done"] * 3, [1, 2, 0])


def test_a_failure_is_named_and_tried_again(home: Path, data: Path):
    damaged = data / "ac_h2_mfi_20240102000000_v01.cdf"
    sound = damaged.read_bytes()
    damaged.write_bytes(sound[:2000])
    first = fill(home, "2024-01-02..2024-01-03")
    assert (states(first), first.status) == (["failed"], "failed")
    assert first.made[0].reason == f"step fetch: {first.intervals[0].reason}"
    damaged.write_bytes(sound)
    assert made(fill(home, "2024-01-02..2024-01-03")) == [1]


def test_an_interval_whose_plan_is_refused_has_failed_and_has_no_record(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*arguments: Any, **options: Any) -> None:
        raise RequestError("the archive is not mounted", advice="mount it")

    with monkeypatch.context() as patch:
        patch.setattr(chunk_module, "prepare_run", refuse)
        filled = fill(home)
    assert (states(filled), filled.status) == (["failed"] * 3, "failed")
    assert {interval.reason for interval in filled.intervals} == {"the archive is not mounted"}
    assert {(ending.run, ending.advice) for ending in filled.made} == {("", "mount it")}
    assert made(fill(home)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"time_range": None}, "needs a time range or a file of events"),
        ({"events": "events.csv"}, "a time range or a file of events, not both"),
        ({"before": "1h"}, "margins before and after belong to events"),
        ({"engine": "ephemeral"}, "cannot use a temporary engine"),
        ({"workers": 0}, "workers is 0"),
        ({"time_range": "soon"}, "not understood"),
        ({"variables": {"WINDOW": "1h"}}, "WINDOW"),
    ],
)
def test_a_wrong_request_is_refused_before_anything_runs(
    home: Path, data: Path, more: dict[str, Any], words: str
):
    with pytest.raises((RequestError, InvalidTemplate)) as refused:
        fill(home, **more)
    assert words in str(refused.value) or words in str(getattr(refused.value, "diagnostics", ""))
    assert Runs(home / "home" / "runs").ids() == []


def test_an_unknown_pipeline_is_refused(home: Path, data: Path):
    with pytest.raises(UnknownPipeline):
        fill(home, pipeline="no-such-pipeline")


def test_a_pipeline_with_one_fixed_time_range_can_be_filled(home: Path, data: Path):
    template = daily(variables={})
    template["steps"][0]["tool_args"]["time_range"] = "2024-01-01"
    filled = fill(home, pipeline=template)
    assert states(filled) == ["done"] * 3  # helio makes a variable of the only fixed time range


def test_events_are_made_with_their_margins(home: Path, data: Path):
    (home / "events.csv").write_text("time\n2024-01-01T12:00\n2024-01-02T12:00\n")
    filled = fill(home, None, events=home / "events.csv", before="2h", after="3h")  # type: ignore[arg-type]
    assert [str(interval.span) for interval in filled.intervals] == [
        "2024-01-01T10:00:00 to 2024-01-01T15:00:00",
        "2024-01-02T10:00:00 to 2024-01-02T15:00:00",
    ]
    assert states(filled) == ["done", "done"]


def test_the_lock_of_a_killed_backfill_does_not_stay(home: Path, data: Path):
    """A lock belongs to the process that holds it; the file alone means nothing."""
    fill(home)
    [lock] = (home / "home" / "backfills").iterdir()
    with lock.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(RequestError):
            fill(home, choose="all")
    assert made(fill(home, choose="all")) == [0, 1, 2]


# Chunks -----------------------------------------------------------------------------------------------------


def chunk_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> module.Chunk:
    chunks: list[module.Chunk] = []
    original: Callable[..., Any] = module.make_chunk

    def noted(chunk: module.Chunk, *arguments: Any, **options: Any) -> Any:
        chunks.append(chunk)
        return original(chunk, *arguments, **options)

    monkeypatch.setattr(module, "make_chunk", noted)
    fill(home)
    return chunks[0]


def test_a_chunk_is_plain_json(home: Path, data: Path, monkeypatch: pytest.MonkeyPatch):
    chunk = chunk_of(home, monkeypatch)
    again = module.Chunk.from_json(json.loads(json.dumps(chunk.to_json())))
    assert again == chunk
    assert again.spans == (day(0), day(1), day(2))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("chunk", "helio-chunk/2"),
        ("intervals", [["2024-01-02T00:00:00", "2024-01-01T00:00:00"]]),
        ("intervals", [["soon", "later"]]),
        ("intervals", [["2024-01-01T00:00:00"]]),
        ("template", []),
        ("max_download", -1),
        ("unknown", 1),
    ],
)
def test_a_wrong_chunk_is_refused(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch, key: str, value: Any
):
    document = json.loads(json.dumps(chunk_of(home, monkeypatch).to_json()))
    with pytest.raises(WrongShape):
        module.Chunk.from_json({**document, key: value})
