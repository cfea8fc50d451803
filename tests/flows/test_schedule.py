"""Schedules as records: what is taken, what is refused, and when they run."""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from helio.errors import ExportError, HelioError, RequestError, TimeRangeError, UnknownPipeline
from helio.flows import serve
from helio.flows.prefect import PrefectEngine
from helio.flows.schedule import Schedule, Schedules, dated
from helio.pipelines.plan import make_plan
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.settings import Settings
from tests.pipelines.conftest import NOW, fetch, template

EVERY_MORNING = "10 6 * * *"


@pytest.fixture
def schedules(tmp_path: Path) -> Schedules:
    return Schedules(
        Settings(home=tmp_path / "home", browser=sys.executable)
    )  # a schedule needs one, no run does


def add(schedules: Schedules, pipeline: str = "gle73-particles", **changes: Any) -> Schedule:
    given = {"name": "", "cron": EVERY_MORNING, "archive": "sample", "time_range": "yesterday", "now": NOW}
    given |= changes
    options = {key: given.pop(key) for key in ("time_range", "now", "replace") if key in given}
    return schedules.add(Schedule(pipeline=pipeline, **given), **options)


@pytest.mark.parametrize(
    ("formats", "lacking"),
    [(("png",), "PNG"), (("json", "svg", "pdf"), "PDF and SVG"), (("html", "json"), "")],
)
def test_formats_that_no_browser_can_draw_are_refused(tmp_path: Path, formats: tuple[str, ...], lacking: str):
    schedules = Schedules(Settings(home=tmp_path / "home", path=str(tmp_path)))
    if lacking:
        with pytest.raises(
            ExportError, match=f"would lack {lacking}: this machine has no browser"
        ) as refused:
            add(schedules, formats=formats)
        assert "helio doctor --fix" in refused.value.advice
    else:
        add(schedules, formats=formats)
    assert bool(schedules.names()) != bool(lacking)


@pytest.mark.parametrize(
    ("tool", "args", "lacking"),
    [
        ("render_spec", {"spec": {"labels": ["AC_H2_MFI.BGSEc"], "formats": ["png"]}}, "PNG"),
        ("save_data", {"source_labels": ["AC_H2_MFI.BGSEc"], "format": "csv"}, ""),
    ],
)
def test_a_figure_of_the_template_may_need_a_browser_and_a_table_never(
    tmp_path: Path, tool: str, args: dict[str, Any], lacking: str
):
    schedules = Schedules(Settings(home=tmp_path / "home", path=str(tmp_path)))
    document = template(fetch(), {"step_id": 2, "tool_name": tool, "tool_args": args})
    (tmp_path / "t.json").write_text(json.dumps(document), encoding="utf-8")
    request = {"pipeline": str(tmp_path / "t.json"), "formats": () if lacking else ("png",)}
    if lacking:
        with pytest.raises(ExportError, match=f"would lack {lacking}:"):
            add(schedules, **request)
    else:
        assert add(schedules, **request).name in schedules.names()


def test_what_was_added_is_read_back(schedules: Schedules):
    added = add(schedules, values={"WINDOW": "20min"}, formats=("png",), output="/figures")
    assert schedules.names() == ["gle73-particles"]
    assert schedules.load("gle73-particles") == added
    assert added.values == {"$WINDOW": "20min", "$TIME_RANGE": "yesterday"}
    assert added.output == "/figures"
    assert not added.paused


def test_its_record_is_one_whole_file_in_the_home(schedules: Schedules):
    add(schedules)
    [file] = schedules.folder.iterdir()
    assert file.name == "gle73-particles.json"
    assert json.loads(file.read_text())["schedule"] == "helio-schedule/1"


def test_one_that_is_paused_can_go_on(schedules: Schedules):
    add(schedules)
    assert schedules.pause("gle73-particles").paused
    assert schedules.load("gle73-particles").paused
    assert not schedules.pause("gle73-particles", paused=False).paused


def test_one_that_is_removed_is_gone(schedules: Schedules):
    add(schedules)
    schedules.remove("gle73-particles")
    assert schedules.names() == []
    with pytest.raises(RequestError, match="no schedule is called 'gle73-particles'"):
        schedules.remove("gle73-particles")


def test_a_change_keeps_when_a_schedule_was_added_and_adding_it_again_does_not(schedules: Schedules):
    first = add(schedules)
    later = NOW + timedelta(days=1)
    assert first.added == NOW.isoformat()
    assert add(schedules, now=later, replace=True).added == first.added
    assert schedules.pause("gle73-particles").added == first.added
    schedules.remove("gle73-particles")
    assert add(schedules, now=later).added == later.isoformat()


def test_a_damaged_schedule_can_be_replaced(schedules: Schedules):
    add(schedules)
    (schedules.folder / "gle73-particles.json").write_text("{")
    assert add(schedules, replace=True) == schedules.load("gle73-particles")


def test_one_pipeline_may_have_several_schedules(schedules: Schedules):
    add(schedules)
    add(schedules, name="weekly", cron="0 7 * * mon", time_range="last 7 days")
    assert schedules.names() == ["gle73-particles", "weekly"]


def test_a_name_is_not_taken_twice_unless_to_replace(schedules: Schedules):
    add(schedules)
    with pytest.raises(RequestError, match="already") as refused:
        add(schedules, cron="0 7 * * *")
    assert "--replace" in refused.value.advice
    assert add(schedules, cron="0 7 * * *", replace=True) == schedules.load("gle73-particles")


def test_without_an_archive_the_catalogue_says_who_serves(schedules: Schedules):
    assert add(schedules, archive="").archive == ""
    assert add(schedules, archive="cdaweb", replace=True).archive == "cdaweb"


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"pipeline": "gle73-partcles"}, UnknownPipeline, "did you mean 'gle73-particles'"),
        ({"cron": "10 6 * *"}, RequestError, "five fields"),
        ({"cron": "0 10 6 * * *"}, RequestError, "five fields"),
        ({"cron": "10 25 * * *"}, RequestError, "bad hour"),
        ({"cron": "0 0 30 2 *"}, RequestError, "bad day-of-month"),
        ({"cron": "0 0 LW * *"}, RequestError, "not a cron expression"),
        ({"cron": "@daily"}, RequestError, "10 6 * * *"),
        ({"timezone": "Mars/Jezero"}, RequestError, "not a time zone"),
        ({"timezone": "../etc/passwd"}, RequestError, "not a time zone"),
        ({"time_range": "yesterdy"}, InvalidTemplate, "yesterdy"),
        ({"values": {"WINDOWS": "1h"}}, InvalidTemplate, "WINDOW"),
        ({"values": {"WINDOW": "long"}}, InvalidTemplate, "long"),
        ({"archive": "/there/is/none"}, RequestError, "/there/is/none"),
        ({"archive": "cdawep"}, RequestError, "cdawep"),
        ({"name": "Every Morning"}, RequestError, "every-morning"),
    ],
)
def test_what_could_not_run_is_refused_when_it_is_added(
    schedules: Schedules, changes: dict[str, Any], kind: type[HelioError], words: str
):
    with pytest.raises(kind) as refused:
        add(schedules, **changes)
    assert words in str(refused.value)
    assert schedules.names() == []


def test_a_range_for_a_pipeline_without_one_is_refused(schedules: Schedules, tmp_path: Path):
    file = tmp_path / "fixed.json"
    document = {**template(fetch(args={"time_range": "2022-01-01"}, pin=["time_range"])), "variables": {}}
    file.write_text(json.dumps(document))
    with pytest.raises((InvalidTemplate, TimeRangeError), match="no variable of type time_range"):
        add(schedules, str(file))


def test_it_does_not_depend_on_the_folder_it_was_added_in(
    schedules: Schedules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("mine.json").write_text(json.dumps(template(fetch())))
    added = add(schedules, "mine.json", archive="data", output="out", name="mine")
    assert added.pipeline == str(tmp_path / "mine.json")
    assert added.archive == str(tmp_path / "data")
    assert added.output == str(tmp_path / "out")


def test_a_damaged_record_is_named_and_nothing_else_suffers(schedules: Schedules):
    add(schedules)
    (schedules.folder / "broken.json").write_text("{")
    (schedules.folder / "other.json").write_text('{"schedule": "helio-schedule/1", "name": "other"}')
    for name in ("broken", "other"):
        with pytest.raises(RequestError, match=f"{name}.json cannot be read"):
            schedules.load(name)
    assert schedules.load("gle73-particles").cron == EVERY_MORNING


@pytest.mark.parametrize(
    ("timezone", "expected"),
    [("UTC", datetime(2024, 4, 1, 6, 10)), ("Europe/Berlin", datetime(2024, 4, 1, 4, 10))],
)
def test_the_next_run_is_given_in_utc(timezone: str, expected: datetime):
    assert Schedule("one", "one", EVERY_MORNING, timezone).next_after(NOW) == expected


@pytest.mark.parametrize(
    ("time_range", "name"),
    [
        ("yesterday", "2024-03-30"),
        ("2021-10-28", "2021-10-28"),
        ("2021-10-28 to 2021-11-04", "2021-10-28_2021-11-04"),
        ("last 3 hours", "2024-03-31T093456_2024-03-31T123456"),
        ("2021-10-28T12:00 to 2021-10-29T12:00", "2021-10-28T120000_2021-10-29T120000"),
    ],
)
def test_files_are_kept_under_the_range_they_cover(time_range: str, name: str):
    plan = make_plan(template(fetch()), now=NOW, time_range=time_range, archive="sample")
    assert dated(plan) == name
    settings = Settings(home=Path("/home"))
    assert Schedule("s", "p", EVERY_MORNING).folder(settings, plan) == Path("/home/scheduled/s") / name
    assert Schedule("s", "p", EVERY_MORNING, output="/out").folder(settings, plan) == Path("/out") / name


def test_the_runs_of_a_schedule_share_the_library_of_their_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = Settings(home=tmp_path / "home")
    plan = make_plan(template(fetch()), now=NOW, time_range="yesterday", archive="sample")
    requests: list[RunRequest] = []
    ended = SimpleNamespace(id="r", status="success", result=SimpleNamespace(steps=()), unwritten=())
    monkeypatch.setattr(serve, "run_plan", lambda request, **_: requests.append(request) or ended)
    schedule = Schedule("s", "psp-bfield", EVERY_MORNING, archive="sample")
    serve.run_slot(schedule, plan, settings, cast(PrefectEngine, None))
    assert requests[0].folder("run") == schedule.folder(settings, plan)
    assert requests[0].outputs == schedule.root(settings), "one of many folders"


def test_files_of_a_pipeline_without_a_range_are_kept_under_the_scheduled_time():
    document = {**template(fetch(args={"time_range": "2022-01-01"}, pin=["time_range"])), "variables": {}}
    assert dated(make_plan(document, now=NOW, archive="sample")) == "2024-03-31T123456"


def test_a_schedules_phrase_is_kept_in_the_one_spelling(schedules: Schedules):
    assert add(schedules, time_range="2021-10/2021-11").values == {"$TIME_RANGE": "2021-10-01 to 2021-11-01"}
    assert add(schedules, time_range="past 5 days", replace=True).values == {"$TIME_RANGE": "last 5 days"}
    assert schedules.load("gle73-particles").notices(schedules.settings) == []


def test_a_schedule_of_an_earlier_version_says_both_ranges_of_its_phrase_once(schedules: Schedules):
    schedule = add(schedules)
    path = schedules.folder / f"{schedule.name}.json"
    record = json.loads(path.read_text(encoding="utf-8")) | {"values": {"$TIME_RANGE": "2021-10/2021-11"}}
    path.write_text(json.dumps(record), encoding="utf-8")
    [notice] = schedules.load(schedule.name).notices(schedules.settings)
    assert "2021-10-01 to 2021-11-01" in notice
    assert "2021-10-01 to 2021-12-01" in notice
    assert schedules.load(schedule.name).notices(schedules.settings) == []
    (schedules.settings.home / "reread.json").write_text("{not JSON", encoding="utf-8")
    assert schedules.load(schedule.name).notices(schedules.settings) == [notice]
