"""What the public functions refuse: wrong types, empty texts, unknown names, each before anything has run."""

from __future__ import annotations

import datetime as dt
import inspect
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import helio
from helio import api
from helio.authoring.proposals.store import Proposal
from helio.cli import app
from helio.errors import (
    HelioError,
    LockMismatch,
    OutputError,
    Refused,
    RequestError,
    UnknownPipeline,
    UnknownResult,
    UnknownRun,
)
from helio.pipelines.arguments import CHECKS
from helio.pipelines.plan import Plan
from helio.pipelines.runs.outcome import Run
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.files import FORMATS
from helio.settings import read_settings
from helio.sources.samples import sample_folder
from helio.store.runs import Runs
from tests.rows import in_one_test, try_rows

pytestmark = pytest.mark.usefixtures("warm_processes")

FETCH = {
    "step_id": "b",
    "tool_name": "fetch_data",
    "tool_args": {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "$TIME_RANGE"},
}
TEMPLATE = {
    "id": "short",
    "variables": {"$TIME_RANGE": {"type": "time_range", "default": "2022-01-01"}},
    "steps": [FETCH],
}
DRAW = {"tool_name": "render_spec", "tool_args": {"spec": {"labels": ["AC_K2_MFI.BGSEc"]}}}
PUBLIC = {name: getattr(api, name) for name in api.__all__}


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of one fetch, and one figure."""
    home = tmp_path_factory.mktemp("home")
    settings = read_settings({"HELIO_HOME": str(home)})
    steps = [FETCH, {"step_id": 1, **DRAW}]
    return api.run({**TEMPLATE, "steps": steps}, archive="sample", settings=settings)


def nothing_has_run() -> bool:
    return not Runs(read_settings().runs).list() and not list(Path().glob("*.*"))


class Other:
    """Nothing that any argument can be; its name in a test is the same in every process."""

    def __repr__(self) -> str:
        return "other"


OTHER = Other()

# Every argument of every function -----------------------------------------------------------------------------

WRONG_TYPES: dict[str, tuple[Any, ...]] = {
    "pipeline": (None, 5, b"short", math.nan, ["short"], OTHER),
    "template": (None, 5, b"short"),
    "time_range": (
        5,
        b"2022-01-01",
        math.nan,
        dt.datetime(2022, 1, 1),
        pd.Timestamp("2022-01-01"),
        pd.NaT,
        (dt.datetime(2022, 1, 1), dt.datetime(2022, 1, 2, tzinfo=dt.UTC)),
        ["2022-01-01"],
    ),
    "variables": (
        "TIME_RANGE=2022",
        5,
        [("TIME_RANGE", "2022")],
        {5: "2022"},
        {b"TIME_RANGE": "2022"},
        {"TIME_RANGE": dt.datetime(2022, 1, 1)},
        {"TIME_RANGE": b"2022"},
        {"TIME_RANGE": OTHER},
    ),
    **dict.fromkeys(
        ["now", "since"], (5, b"2022-01-01", math.nan, dt.date(2022, 1, 1), np.datetime64("2022-01-01"))
    ),
    "archive": (5, b"sample", math.nan, ["sample"]),
    "output": (5, b"out", math.nan, True),
    "outputs": (5, b"out", math.nan),
    "locked": (5, b"helio.lock", True),
    "replay": (5, b"x"),
    "sources": (None, 5, "events.csv", Path("events.csv"), (5,), (None,), ["a.csv", 5]),
    "formats": (None, 5, b"png", math.nan, (5,), (b"png",), {"png": True}, (name for name in ["png"])),
    "engine": (None, 5, b"direct"),
    "proof": (5, b"file", True),
    "position": (None, 5, b"head"),
    "by": (None, 5, b"rules"),
    "file": (None, 5, b"figure.png", math.nan),
    "figure": (None, 5, b"figure.png", math.nan),
    "run_id": (None, 5, b"x", Path("x"), math.nan),
    "label": (None, 5, b"x", math.nan),
    "name": (None, 5, b"x"),
    "dataset_id": (None, 5, b"x"),
    "on_progress": (None, 5, "print"),
    "old": (None, 5, b"x"),
    "new": (None, 5, b"x"),
    "write": (None, 5, "yes", math.nan),
    "replace": (None, 5, "yes"),
    "resume": (None, 5, "yes"),
    "hints": (None, 5, "yes"),
    "check": (None, 5, "yes"),
    "together": (None, 5, "yes"),
    "self_contained": (None, 5, "yes"),
    **dict.fromkeys(["frame", "cadence", "title"], (None, 5, b"GSE", math.nan, ["GSE"])),
    **dict.fromkeys(["each", "before", "after"], (5, b"1d", math.nan, ["1d"])),
    "events": (5, b"events.csv", math.nan),
    "choose": (None, 5, b"all"),
    "numbers": (None, 5, b"none"),
    "asking": (None, 5, "print"),
    "dry_run": (None, 5, "yes"),
    "workers": (math.nan, 2.5, "5", True),
    **dict.fromkeys(
        ["spacecraft", "quantities", "datasets", "operations", "save_as", "run_ids"],
        (None, 5, "ACE", b"ACE", math.nan, {"ACE": True}, [5], [b"ACE"], [None]),
    ),
    "rows": (math.nan, 2.5, "5", b"5", True),
    "number": (math.nan, 2.5, "5", True),
    "planned": (None, 5, "print"),
    "started": (None, 5),
    "finished": (None, 5),
    "runs": (None, "x", 5, ["x"], [("x", "12")], [(5, [])], [("x", [5])], [("x",)]),
    "settings": (5, "home", {}),
    "access": (5, "offline", {"offline": True}),
    "proposal": (None, 5, "x"),
    "ended": (5, "x"),
}
WRONG_VALUES: dict[str, tuple[Any, ...]] = {
    "pipeline": (
        "",
        "no-such-pipeline",
        "x" * 300,
        "x" * 5000 + ".json",
        "a\0b",
        "~nobody-at-all/x.json",
        {},
        Path("no-such.json"),
        Path("x" * 300),
        {"steps": math.nan},
        {"steps": [math.nan]},
    ),
    "time_range": ("", " ", "nonsense", "2022-01-02 to 2022-01-01", "x" * 5000, "a\0b"),
    "variables": (
        {"NO_SUCH": "x"},
        {"TIME_RANGE": math.nan},
        {"TIME_RANGE": ""},
        {"": "2022"},
        {"TIME_RANGE": "2022-01-01", "$TIME_RANGE": "2022-01-02"},
    ),
    "now": ("", "tomorrow", pd.NaT, "x" * 300, "0001-01-01T00:00:00+14:00"),
    "archive": ("", "no-such-folder", "x" * 300, "a\0b", "~nobody-at-all/data"),
    **dict.fromkeys(
        ["file", "figure"], ("", "no-such.png", Path("no-such.png"), "a\0b", "x" * 5000 + ".png")
    ),
    "output": ("", "x" * 300, "a\0b", "~nobody-at-all/out"),
    "outputs": ("", "x" * 300, "a\0b"),
    "locked": ("", "no-such.lock", "x" * 300, "."),
    "replay": ("", "no-such", "x" * 300, "a\0b"),
    "formats": ("png", "", ("gif",), ("PNG",), ("png", "gif"), ("",), ["png "]),
    "engine": ("", "Direct", "prefct", "x" * 300),
    "proof": ("", "md5"),
    "position": ("", "middle", "heads"),
    "by": ("", "rule"),
    "run_id": ("", "no-such-run", "x" * 300, "..", "/", "a\0b"),
    "old": ("", "no-such-run", "x" * 300),
    "new": ("", "no-such-run", "x" * 300),
    "label": ("no-such", "x" * 300),
    "dataset_id": ("no-such", "x" * 300, "a\0b"),
    "rows": (0, -1, 51),
    "each": ("", "1", "soon", "0s", "-1d", "0mo", "1ns", "3 moons", "x" * 300),
    "events": ("", "no-such.csv", "x" * 300, "a\0b", "."),
    "before": ("soon", "1d", "-1h"),
    "after": ("soon", "1d", "-1h"),
    "choose": ("", "every", "faild"),
    "numbers": ("", "all", "downlod"),
    "since": ("", "yesteryear", "2024-13-01"),
    "workers": (0, -1),
    "spacecraft": (["ACEE"], [""], ["MMS"], ["x" * 300], ["a\0b"]),
    "quantities": (["densty"], [""], ["x" * 300]),
    "datasets": (["AC_K2_MFY.BGSEc"], ["AC_K2_MFI.BGSEx"], [""], ["x" * 300]),
    "frame": ("GSX", " ", "x" * 300),
    "cadence": ("soon", " ", "0s", "-5min"),
    "operations": (
        ["smoth:1h"],
        ["running_average"],
        ["running_average:"],
        ["detrend:1h"],
        ["resample:1h:sum"],
        [""],
    ),
    "save_as": (["xls"], [""]),
    "run_ids": ([], [""], ["no-such-run"]),
    "runs": ([], [("no-such-run", [])], [("x" * 300, [])]),
}
GOOD: dict[str, Any] = {
    "pipeline": TEMPLATE,
    "template": TEMPLATE,
    "run_id": "x",
    "old": "x",
    "new": "x",
    "label": "x",
    "name": "mine",
    "number": 1,
    "runs": [("x", [])],
    "file": "figure.png",
    "figure": "figure.png",
    "proposal": Proposal("p", "authored", "short", "", "rules", "", json.dumps(TEMPLATE), ""),
    "output": "out",
    "outputs": "out",
    "run_ids": ["last"],
}


def calls(name: str, values: dict[str, tuple[Any, ...]]) -> list[tuple[str, str, Any]]:
    """Each argument of a function with each of its values, and a name for the two."""
    return [
        (f"{parameter}-{number}", parameter, value)
        for parameter in inspect.signature(PUBLIC[name]).parameters
        for number, value in enumerate(values.get(parameter, ()))
    ]


def call(name: str, parameter: str, value: Any) -> Any:
    function: Callable[..., Any] = PUBLIC[name]
    parameters = inspect.signature(function).parameters
    needed = {
        key: GOOD[key]
        for key, parameter in parameters.items()
        if parameter.default is parameter.empty and key != "now"
    }
    if "archive" in parameters and parameter not in ("archive", "by", "ended", "replay"):
        needed["archive"] = "sample"
    return function(**{**needed, parameter: value})


@pytest.mark.parametrize("name", [name for name in PUBLIC if calls(name, WRONG_TYPES)])
def test_a_wrong_type_is_refused_by_the_name_of_the_argument(name: str) -> None:
    parameters = inspect.signature(PUBLIC[name]).parameters

    def check(parameter: str, value: Any) -> None:
        with pytest.raises(TypeError, match=parameter):
            call(name, parameter, value)
        assert nothing_has_run()

    def is_wrong(parameter: str, value: Any) -> bool:
        """None may be the default, and NaT is a datetime by its type."""
        default = value is None and parameters[parameter].default is None
        return not default and not (value is pd.NaT and parameter == "now")

    try_rows((row for row in calls(name, WRONG_TYPES) if is_wrong(*row[1:])), check)


@pytest.mark.parametrize("name", [name for name in PUBLIC if calls(name, WRONG_VALUES)])
def test_a_wrong_value_is_refused_in_words(name: str) -> None:
    def check(parameter: str, value: Any) -> None:
        try:
            answer = call(name, parameter, value)
        except HelioError as error:
            refusal = error
        else:  # these two return what is wrong
            assert name in ("check", "draw_both")
            refusal = answer[1] if name == "draw_both" else InvalidTemplate(answer)
        assert isinstance(refusal, HelioError)
        assert refusal.message
        assert len(str(refusal)) < 7000
        assert nothing_has_run()

    says_nothing_wrong = {} if name in ("load", "normalised") else None
    try_rows((row for row in calls(name, WRONG_VALUES) if row[2] != says_nothing_wrong), check)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_misspelt_argument_is_refused_with_the_right_one(name: str) -> None:
    parameters = list(inspect.signature(PUBLIC[name]).parameters)
    with pytest.raises(TypeError, match=f"{name}.. has no argument '{parameters[-1]}x'.*'{parameters[-1]}'"):
        PUBLIC[name](**{f"{parameters[-1]}x": 1})


def test_every_public_function_is_checked_and_every_check_has_wrong_examples() -> None:
    functions = {
        name
        for name, function in inspect.getmembers(api, inspect.isfunction)
        if not name.startswith("_") and function.__module__ == "helio.api"
    }
    assert functions == set(PUBLIC)
    used = {key for function in PUBLIC.values() for key in inspect.signature(function).parameters}
    assert used == set(WRONG_TYPES)
    assert set(CHECKS) - used == {
        "request",
        "chosen",
        "documents",
        "document",
        "writing",
        "choice",
        "text",
        "written_by",
    }  # of methods
    assert not [
        name
        for name, function in PUBLIC.items()
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    ]


def test_the_choices_are_those_of_the_code() -> None:
    from helio.authoring.choice_of_author import By
    from helio.steps.describe import Position
    from helio.store.source_file import Level

    for name, kind in {"engine": api.EngineName, "by": By, "position": Position, "proof": Level}.items():
        assert set(CHECKS[name].keywords["of"]) == set(get_args(kind)), name


# What a notebook meets ----------------------------------------------------------------------------------------


def test_a_format_that_is_not_written_is_refused_with_those_that_are() -> None:
    with pytest.raises(RequestError, match="figures cannot be written as 'gif'") as refusal:
        helio.run(TEMPLATE, archive="sample", output="out", formats=("gif",))
    assert all(name in refusal.value.advice for name in FORMATS)
    with pytest.raises(RequestError, match="must be a list or a tuple") as refusal:
        helio.run(TEMPLATE, archive="sample", output="out", formats="png")
    assert "('png',)" in refusal.value.advice
    assert nothing_has_run()


def test_formats_of_a_run_that_writes_nothing_are_refused() -> None:
    with pytest.raises(RequestError, match="formats") as refusal:
        helio.run(TEMPLATE, archive="sample", formats=("png",))
    assert "output" in refusal.value.advice
    assert nothing_has_run()


def test_a_self_contained_page_of_a_run_that_writes_nothing_is_refused() -> None:
    with pytest.raises(RequestError, match="self_contained was given") as refusal:
        helio.run(TEMPLATE, archive="sample", self_contained=True)
    assert refusal.value.advice == "set output to a folder, or leave out self_contained"


@pytest.mark.parametrize("engine", ["prefect", "ephemeral", "direct"])
def test_formats_are_refused_whatever_runs(engine: Any) -> None:
    with pytest.raises(RequestError, match="figures cannot be written as 'gif'"):
        helio.run(TEMPLATE, archive="sample", output="out", formats=["png", "gif"], engine=engine)
    assert nothing_has_run()


def test_a_saved_plan_takes_no_other_time_range_however_empty() -> None:
    planned, document = api.foresee(TEMPLATE, archive="sample")
    Path("saved.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(RequestError, match="a saved plan has fixed values"):
        helio.run("saved.json", time_range="")
    assert not Runs(read_settings().runs).list()
    assert isinstance(planned, Plan)


def test_a_saved_plan_is_foreseen_and_locked_as_it_was_saved() -> None:
    first, document = api.foresee(TEMPLATE, archive="sample")
    Path("saved.json").write_text(json.dumps(document), encoding="utf-8")
    planned, again = api.foresee("saved.json")
    assert (planned.values, planned.document["steps"]) == (first.values, first.document["steps"])
    for fact in ("archive", "files", "forecast", "now"):
        assert again[fact] == document[fact]
    assert api.lock("saved.json").write("helio.lock")
    assert helio.run("saved.json", locked="helio.lock").status == "success"
    with pytest.raises(RequestError, match="a saved plan has fixed values"):
        api.foresee("saved.json", archive="sample")


def test_a_plan_of_other_files_is_not_foreseen() -> None:
    _, document = api.foresee(TEMPLATE, archive="sample")
    (step_id,) = document["files"]
    document["files"][step_id][0]["files"] = [["another.cdf", "sha256:0"]]
    Path("saved.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(Refused, match="the archive's files differ from those of the saved plan"):
        api.foresee("saved.json")


@pytest.mark.parametrize("name", ["TIME_RANGE", "$TIME_RANGE"])
def test_a_time_range_that_is_given_twice_is_refused(name: str) -> None:
    with pytest.raises(RequestError, match="TIME_RANGE is given twice"):
        api.plan(TEMPLATE, time_range="2022-01-02", variables={name: "2022-01-01"}, archive="sample")


def test_a_time_range_takes_the_place_of_that_of_the_lock() -> None:
    assert api.lock(TEMPLATE, archive="sample").write("helio.lock")
    made = api.run(TEMPLATE, archive="sample", locked="helio.lock", time_range="2022-01-01")
    assert made.status == "success"
    with pytest.raises(LockMismatch):
        api.run(TEMPLATE, archive="sample", locked="helio.lock", time_range="2022-01-02")


def test_a_table_that_was_not_made_is_a_typed_error_and_a_key_error(run: Run) -> None:
    with pytest.raises(UnknownResult, match="the run made no table") as refusal:
        run.tables["AC_K2_MFI.BGSEC"]
    assert "did you mean 'AC_K2_MFI.BGSEc'?" in str(refusal.value)
    assert isinstance(refusal.value, KeyError)
    with pytest.raises(UnknownResult) as refusal:
        run.tables["zz"]
    assert "tables: 'AC_K2_MFI.BGSEc'" in str(refusal.value)
    assert "zz" not in run.tables
    assert run.tables.get("zz") is None
    for wrong in (None, 5, b"x", ""):
        with pytest.raises(UnknownResult):
            run.tables[wrong]  # type: ignore[index]


def test_a_figure_that_was_not_drawn_is_a_typed_error_and_a_key_error(run: Run) -> None:
    assert list(run.figures) == [1]
    with pytest.raises(UnknownResult, match="the run made no figure '1'") as refusal:
        run.figures["1"]
    assert refusal.value.advice == "did you mean 1?"
    with pytest.raises(UnknownResult, match="the run made no figure 99"):
        run.figures[99]
    assert run.figures.get("b") is None
    assert run.figure.document == run.figures[1].document


def test_a_figure_says_how_much_of_its_data_it_shows(run: Run) -> None:
    [panel] = run.figure.quality
    assert [(label["label"], label["records"]) for label in panel["labels"]] == [("AC_K2_MFI.BGSEc", 24)]
    assert [(trace["name"], trace["values"]) for trace in panel["traces"]] == [
        ("Bx", 24),
        ("By", 24),
        ("Bz", 24),
    ]
    assert run.record()["steps"][-1]["outputs"][0]["quality"] == list(run.figure.quality)


def test_the_only_figure_is_refused_where_there_is_none_or_more_than_one() -> None:
    text = {"step_id": 1, "tool_name": "save_data", "tool_args": {"source_label": "AC_K2_MFI.BGSEc"}}
    one = api.run({**TEMPLATE, "steps": [FETCH, text]}, archive="sample")
    with pytest.raises(RequestError, match="the run drew no figure"):
        _ = one.figure
    steps = [FETCH, {"step_id": "first", **DRAW}, {"step_id": "second", **DRAW}]
    two = api.run({**TEMPLATE, "steps": steps}, archive="sample")
    with pytest.raises(RequestError, match="the run has 2 figures") as refusal:
        _ = two.figure
    assert refusal.value.advice == "choose one with run.figures[…]: 'first', 'second'"


def test_a_table_of_a_step_that_failed_says_why() -> None:
    failed = api.run(TEMPLATE, time_range="2035-01-01", archive="sample", check=False)
    assert failed.status == "failed"
    with pytest.raises(UnknownResult) as refusal:
        failed.tables["AC_K2_MFI.BGSEc"]
    assert "step 'b' failed: " in refusal.value.advice
    with pytest.raises(RequestError, match="the run drew no figure") as refused:
        _ = failed.figure
    assert "step 'b' failed: " in refused.value.advice
    assert "failed" in repr(failed)


def test_what_a_notebook_shows_is_short(run: Run) -> None:
    table = run.tables["AC_K2_MFI.BGSEc"]
    shown = {
        "run": run,
        "result": run.result,
        "step": run.result.steps[0],
        "tables": run.tables,
        "figures": run.figures,
        "table": table,
        "figure": run.figure,
        "plan": run.plan,
        "checked": api.check_template(TEMPLATE),
        "lock": api.lock(TEMPLATE, archive="sample"),
    }
    for name, value in shown.items():
        assert len(repr(value)) <= 500, name
        assert "\n" not in repr(value), name
    assert repr(run) == f"<Run '{run.id}': success, 1 table, 1 figure>"
    assert repr(run.tables) == "<1 table: 'AC_K2_MFI.BGSEc'>"
    assert repr(run.plan) == "<Plan 'short': TIME_RANGE='2022-01-01 to 2022-01-02'; steps 'b', 1>"
    for fact in ("24 x 3", "nT", "GSE", "2022-01-01T00:"):
        assert fact in repr(table)


def test_a_frame_knows_unit_frame_name_and_sources(run: Run, tmp_path: Path) -> None:
    table = run.tables["AC_K2_MFI.BGSEc"]
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.components)
    assert frame.attrs["unit"] == "nT"
    assert frame.attrs["frame"] == "GSE"
    assert frame.attrs["name"] == table.name
    assert frame.attrs["sources"][0]["dataset_id"] == "AC_K2_MFI"
    assert frame.attrs["sources"][0]["file"] == table.sources[0].file
    frame.to_parquet(tmp_path / "frame.parquet")  # pandas keeps them as JSON
    assert pd.read_parquet(tmp_path / "frame.parquet").attrs == frame.attrs
    assert pd.concat([frame, frame]).attrs == frame.attrs


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2024-05-10T06:00:00Z", dt.datetime(2024, 5, 10, 6)),
        (dt.datetime(2024, 5, 10, 6), dt.datetime(2024, 5, 10, 6)),
        (dt.datetime(2024, 5, 10, 8, tzinfo=dt.timezone(dt.timedelta(hours=2))), dt.datetime(2024, 5, 10, 6)),
        (pd.Timestamp("2024-05-10T08:00+02:00"), dt.datetime(2024, 5, 10, 6)),
        (pd.Timestamp("2024-05-10T06:00:00.000000001"), dt.datetime(2024, 5, 10, 6)),
    ],
)
def test_a_clock_is_naive_utc_and_a_plain_datetime(now: Any, expected: dt.datetime) -> None:
    assert api.read_now(now) == expected
    assert type(api.read_now(now)) is dt.datetime


def test_names_and_paths_may_be_paths(run: Run) -> None:
    Path("mine.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
    for pipeline in ("mine.json", Path("mine.json"), Path("mine.json").absolute()):
        assert api.load(pipeline)["id"] == "short"
    assert api.run(Path("mine.json"), archive=Path(sample_folder()), output=Path("out")).status == "success"


METHODS = {
    "find": lambda value: api.library().find(value),
    "own": lambda value: api.library().own(value),
    "delete": lambda value: api.library().delete(value),
    "history": lambda value: api.library().history(value),
    "save": lambda value: api.library().save(value),
    "create": lambda value: api.desk(by="rules").create(value),
    "create as": lambda value: api.desk(by="rules").create("plot the ACE magnetic field", name=value),
    "create sources": lambda value: api.desk(by="rules").create("shade the events", sources=value),
    "create documents": lambda value: api.desk(by="rules").create("shade the events", documents=value),
    "chat sources": lambda value: api.chat(sources=value),
    "create chosen": lambda value: api.desk(by="rules").create("plot the ACE magnetic field", chosen=value),
    "edit": lambda value: api.desk(by="rules").edit(value, "make it red"),
    "repair": lambda value: api.desk(by="rules").repair(value),
    "load": lambda value: api.desk(by="rules").proposals.load(value),
}


@in_one_test("value", [None, 5, b"x", math.nan, OTHER])
@in_one_test("method", METHODS)
def test_methods_of_what_is_returned_refuse_a_wrong_type_by_its_name(method: str, value: Any) -> None:
    named = "name|request|run_id|pipeline|document|chosen|sources|documents"
    with pytest.raises(TypeError, match=f"^(each item of )?({named}) must be "):
        METHODS[method](value)


@in_one_test("value", ["", "x" * 300, "a\0b", "a/b", "../x", "no-such"])
@in_one_test("method", ["find", "own", "delete", "edit", "repair", "load"])
def test_methods_of_what_is_returned_refuse_an_unknown_name_in_words(method: str, value: str) -> None:
    with pytest.raises(HelioError):
        METHODS[method](value)


def test_a_library_saves_no_document_without_an_id() -> None:
    with pytest.raises(RequestError, match="is not a valid pipeline id"):
        api.library().save({"steps": []})
    with pytest.raises(TypeError, match="has no argument 'overwrite'"):
        api.library().save(TEMPLATE, overwrite=True)  # type: ignore[call-arg]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", ".", "a\0b", "x" * 300])
def test_a_lock_is_not_written_where_no_file_can_be(path: str) -> None:
    made = api.lock(TEMPLATE, archive="sample")
    with pytest.raises(OutputError):
        made.write(path)
    assert made.write("helio.lock")
    assert api.run(TEMPLATE, archive="sample", locked="helio.lock").status == "success"


# One length of ids --------------------------------------------------------------------------------------------

LONG = "x" * 300


def test_a_pipeline_of_a_long_name_is_not_known() -> None:
    with pytest.raises(UnknownPipeline):
        api.load(LONG)
    with pytest.raises(UnknownPipeline):
        api.library().find(f"{LONG}.json")
    with pytest.raises(UnknownRun):
        api.describe(LONG)


@pytest.mark.parametrize("length", [179, 300, 5000])
def test_no_pipeline_is_saved_under_a_long_name(length: int) -> None:
    with pytest.raises(RequestError, match=f"has {length} characters; a pipeline id may have at most 178"):
        api.library().save({**TEMPLATE, "id": "x" * length})
    assert api.library().save({**TEMPLATE, "id": "x" * 178}).is_file()


@pytest.mark.parametrize("id_", [LONG, "x" * 5000, "x" * 179, "a/b", "..", "Ünïcode ÜBER"])
def test_a_template_of_an_id_that_is_none_is_refused(id_: str) -> None:
    with pytest.raises(InvalidTemplate, match="HV101"):
        api.run({**TEMPLATE, "id": id_}, archive="sample")
    assert nothing_has_run()


@pytest.mark.slow
@pytest.mark.parametrize("id_", ["x" * 178, "", " "])
def test_a_run_has_an_id_that_names_a_folder(id_: str) -> None:
    made = api.run({**TEMPLATE, "id": id_}, archive="sample")
    assert made.id.startswith(id_.strip() or "pipeline")
    assert Runs(read_settings().runs).load(made.id).status == "success"


@pytest.mark.parametrize(
    "arguments",
    [
        ["copy", "ace-bfield-overview", LONG],
        ["show", LONG],
        ["run", LONG],
        ["plan", LONG],
        ["check", LONG],
        ["edit", LONG, "make the line red"],
        ["author", "plot the ACE magnetic field of 2022-01-01", "--author", "rules", "--as", LONG],
        ["import", f"{LONG}.json"],
        ["import", "long.json"],
        ["schedule", "add", "short.json", "--cron", "0 6 * * *", "--archive", "sample", "--name", LONG],
        ["schedule", "remove", LONG],
        ["schedule", "pause", LONG],
        ["runs", "show", LONG],
        ["describe", LONG],
        ["save", LONG, "--as", "mine"],
        ["delete", LONG],
        ["history", LONG],
        ["accept", LONG],
        ["blame", LONG],
        ["reject", LONG],
    ],
    ids=lambda arguments: " ".join(arguments)[:24],
)
def test_a_long_name_is_refused_by_every_command(arguments: list[str]) -> None:
    Path("short.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
    Path("long.json").write_text(json.dumps({**TEMPLATE, "id": LONG}), encoding="utf-8")
    result = CliRunner().invoke(app, arguments, prog_name="helio")
    assert result.exit_code in (1, 2), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert re.search(r"^error", result.output, re.MULTILINE)


def test_a_run_is_not_saved_under_a_long_name() -> None:
    made = api.run(TEMPLATE, archive="sample")
    with pytest.raises(RequestError, match="has 300 characters"):
        api.save_runs([(made.id, [])], LONG)
