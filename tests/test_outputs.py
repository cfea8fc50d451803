"""What a template says of its files: formats, names, and what happens when one of them cannot be written."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.store.runs import RunRecord

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

LABEL = "AC_K2_MFI.BGSEc"
DAY = "2022-01-01"


@pytest.fixture(scope="module")
def no_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder of programs, one for all tests: they share processes with the same environment."""
    return tmp_path_factory.mktemp("bin")


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, no_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working folder, an empty home, and no browser."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.setenv("PATH", str(no_programs))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)


def helio(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments), prog_name="helio")
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def fetch(step_id: int | str = "b", time_range: str = "$TIME_RANGE", **args: Any) -> dict[str, Any]:
    given = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": time_range} | args
    return {"step_id": step_id, "tool_name": "fetch_data", "tool_args": given}


def figure(
    step_id: int | str = "fig", label: str = LABEL, critical: bool = True, **spec: Any
) -> dict[str, Any]:
    args = {"spec": {"labels": [label], **spec}}
    return {"step_id": step_id, "tool_name": "render_spec", "tool_args": args, "critical": critical}


def copy_of_figure(step_id: int | str = "x", critical: bool = True, **args: Any) -> dict[str, Any]:
    given = {"action": "export", **args}
    return {"step_id": step_id, "tool_name": "manage_plot", "tool_args": given, "critical": critical}


def save(step_id: int | str = "csv", label: str = LABEL, **args: Any) -> dict[str, Any]:
    return {"step_id": step_id, "tool_name": "save_data", "tool_args": {"source_labels": [label], **args}}


def write(*steps: dict[str, Any], **more: Any) -> str:
    variables = {"$TIME_RANGE": {"type": "time_range", "default": DAY}} | more.pop("variables", {})
    document = {"id": "short", "variables": variables, "steps": list(steps), **more}
    Path("t.json").write_text(json.dumps(document), encoding="utf-8")
    return "t.json"


def run(name: str, *options: str, code: int = 0) -> set[str]:
    """The files of a run, of which record and run.json name each."""
    result = helio("run", name, "--archive", "sample", "-o", "out", *options)
    assert result.exit_code == code, result.output
    found = {path.name for path in Path("out").iterdir()} - {"run.json", "helio-figure.js", "plotly.min.js"}
    listed = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    record = json.loads(helio("runs", "show", listed["id"], "--json").stdout)
    for artefacts in (listed["artefacts"], record["artefacts"]):
        assert {Path(artefact["file"]).name for artefact in artefacts} == found
    return found


def refused(command: str, name: str, *options: str) -> str:
    result = helio(command, name, *options)
    assert result.exit_code == 2, result.output
    return result.output


# Formats and names ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "files"),
    [
        ({}, {"fig.html", "fig.json"}),
        ({"formats": ["json"]}, {"fig.json"}),
        ({"formats": "html"}, {"fig.html"}),
        ({"formats": "HTML, json"}, {"fig.html", "fig.json"}),
        ({"filename": "ace"}, {"ace.html", "ace.json"}),
        ({"filename": "ace.html"}, {"ace.html"}),
        ({"filename": "ace.html", "formats": ["json", "html"]}, {"ace.html", "ace.json"}),
        ({"filename": "ace.v1", "formats": ["json"]}, {"ace.v1.json"}),
    ],
)
def test_a_figure_is_written_in_the_formats_and_under_the_name_that_it_states(spec, files):
    assert run(write(fetch(), figure(**spec))) == files


@pytest.mark.parametrize("tool", ["plot_data", "style_plot"])
def test_the_other_spellings_of_a_figure_state_files_too(tool):
    plot = {"step_id": 2, "tool_name": "plot_data", "tool_args": {"labels": [LABEL]}}
    style = {"step_id": 3, "tool_name": "style_plot", "tool_args": {"title": "B"}, "depends_on": [2]}
    (plot if tool == "plot_data" else style)["tool_args"] |= {"file_name": "ace_{start}", "format": "json"}
    assert run(write(fetch(), plot, style)) == {"ace_20220101.json"}


@pytest.mark.parametrize("args", [{"filename": "ace.json"}, {"filename": "ace", "format": "json"}])
def test_an_export_of_a_figure_is_written_beside_the_files_of_the_figure(args):
    assert run(write(fetch(), figure(), copy_of_figure(**args))) == {"fig.html", "fig.json", "ace.json"}


def test_two_exports_of_one_figure_are_two_files():
    steps = [copy_of_figure("x", filename="a.json"), copy_of_figure("y", filename="b_{start}.html")]
    assert run(write(fetch(), figure(formats=["json"]), *steps)) == {"fig.json", "a.json", "b_20220101.html"}


def test_formats_of_the_command_are_added():
    assert run(write(fetch(), figure(filename="ace.json"))) == {"ace.json"}
    assert run(write(fetch(), figure(filename="ace.json")), "--format", "html") == {"ace.json", "ace.html"}


def test_a_file_that_is_gone_is_written_again_by_a_run_that_makes_nothing():
    name = write(fetch(), figure(filename="ace_{start}.json"), save(filename="b_{stop}.csv"))
    assert run(name) == {"ace_20220101.json", "b_20220102.csv"}
    Path("out/ace_20220101.json").unlink()
    Path("out/b_20220102.csv").unlink()
    assert run(name) == {"ace_20220101.json", "b_20220102.csv"}
    assert json.loads(Path("out/run.json").read_text(encoding="utf-8"))["engine"] == "none"


def test_the_record_waits_for_the_disk_only_before_something_is_made(monkeypatch: pytest.MonkeyPatch):
    waited: list[str] = []
    monkeypatch.setattr(RunRecord, "make_durable", lambda record: waited.append(record.id))
    name = write(fetch(), save(filename="b.csv"))
    run(name)
    assert waited == [path.name for path in Path("home/runs").iterdir()]
    run(name)
    assert len(waited) == 1


def test_another_name_draws_nothing_again():
    run(write(fetch(), figure()))
    run(write(fetch(), figure(filename="other", formats=["json"])))
    assert json.loads(Path("out/run.json").read_text(encoding="utf-8"))["engine"] == "none"


def test_the_plan_says_which_files_a_run_writes():
    name = write(fetch(), figure(filename="ace_{start}", formats=["png"]), save(filename="b"))
    said = helio("plan", name, "--archive", "sample")
    assert said.exit_code == 0, said.output
    assert "fig  render_spec  step b runs first, writes ace_20220101.png" in said.output
    assert "writes b.csv" in said.output


# What stands in braces ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time_range", "start", "stop"),
    [
        ("2022-01-01", "20220101", "20220102"),
        ("2022-01-01T06:00/PT6H", "20220101T0600", "20220101T1200"),
        ("2022-01-01T06:00:30/2022-01-01T12:00", "20220101T060030", "20220101T1200"),
    ],
)
def test_times_in_a_name_are_as_precise_as_they_are(time_range, start, stop):
    name = write(fetch(), figure(filename="ace_{start}_{stop}.json"), save(filename="b_{start}"))
    assert run(name, "-t", time_range) == {f"ace_{start}_{stop}.json", f"b_{start}.csv"}


@pytest.mark.parametrize("written", ["{CRAFT}", "{{CRAFT}}", "${CRAFT}"])
def test_a_variable_in_a_name_has_its_value(written):
    variables = {"$CRAFT": {"type": "string", "default": "ACE"}}
    steps = [fetch(), figure(filename=f"{written}_{{start}}.json"), save(filename=f"{written}_b")]
    assert run(write(*steps, variables=variables)) == {"ACE_20220101.json", "ACE_b.csv"}
    assert run("t.json", "--set", "CRAFT=Wind") == {"Wind_20220101.json", "Wind_b.csv"}


def test_a_variable_after_a_dollar_keeps_working_in_a_name():
    variables = {"$CRAFT": {"type": "string", "default": "ACE"}}
    steps = [fetch(), figure(filename="$CRAFT.json"), save(filename="b-$CRAFT.csv")]
    assert run(write(*steps, variables=variables)) == {"ACE.json", "b-ACE.csv"}


def test_times_and_variables_in_a_title_are_readable():
    variables = {"$CRAFT": {"type": "string", "default": "ACE"}}
    spec = {"title": "{CRAFT} {start} to {stop}", "subtitle": "from {TIME_RANGE}"}
    name = write(fetch(), figure(formats=["json"], **spec), variables=variables)
    assert "never used" not in helio("check", name).output
    run(name, "-t", "2022-01-01T06:00/PT6H")
    drawn = Path("out/fig.json").read_text(encoding="utf-8")
    assert "ACE 2022-01-01 06:00 to 2022-01-01 12:00" in drawn
    assert "from 2022-01-01T06:00:00 to 2022-01-01T12:00:00" in drawn


@pytest.mark.parametrize("key", ["filename", "title", "subtitle"])
@pytest.mark.parametrize("text", ["b_{strat}", "b_{}", "b_{", "b_}", "b_{a b}", "{{}}"])
@pytest.mark.parametrize("tool", ["render_spec", "plot_data"])
def test_a_brace_that_names_nothing_is_refused(key, text, tool):
    step = figure(**{key: text})
    if tool == "plot_data":
        step |= {"tool_name": tool, "tool_args": step["tool_args"]["spec"]}
    said = refused("check", write(fetch(), step))
    assert "is neither a variable nor a time" in said
    assert "HN602" in said
    assert "{start}" in said


def test_a_dollar_before_braces_is_words_in_a_title_and_a_variable_in_a_name():
    assert helio("check", write(fetch(), figure(title="cost $5, ${X}"))).exit_code == 0
    assert "'{X}' is neither a variable nor a time" in refused(
        "check", write(fetch(), figure(filename="${X}"))
    )


@pytest.mark.parametrize("step", [save(filename="{nothing}.csv"), copy_of_figure(filename="{nothing}.png")])
def test_a_brace_that_names_nothing_is_refused_in_exports(step):
    assert "'{nothing}' is neither a variable nor a time" in refused("check", write(fetch(), figure(), step))


@pytest.mark.parametrize("spec", [{"filename": "a_{start}"}, {"title": "since {start}"}])
def test_a_time_where_there_is_none_is_refused(spec):
    made = {
        "step_id": 1,
        "tool_name": "store_dataframe",
        "tool_args": {"python_code": "result = pd.DataFrame()", "output_label": "made"},
    }
    said = refused("check", write(fetch(), figure("fine"), made, figure("fig", "made", **spec)))
    assert "HV108" in said
    assert "step fig" in said


def test_a_saved_run_keeps_the_variables_that_only_a_name_uses():
    variables = {"$CRAFT": {"type": "string", "default": "ACE"}}
    run(write(fetch(), figure(filename="{CRAFT}.json"), variables=variables))
    run_id = json.loads(Path("out/run.json").read_text(encoding="utf-8"))["id"]
    assert helio("save", run_id, "--as", "again").exit_code == 0
    assert run("again") == {"ACE.json"}


def test_a_saved_run_keeps_the_exports_of_its_figures():
    exports = [
        copy_of_figure("x", filename="a.json") | {"depends_on": ["two"]},
        copy_of_figure("y", filename="b.json"),
    ]
    exports[1]["depends_on"] = ["one"]
    files = run(write(fetch(), figure("one"), figure("two", title="B"), *exports))
    run_id = json.loads(Path("out/run.json").read_text(encoding="utf-8"))["id"]
    assert helio("save", run_id, "--as", "again").exit_code == 0
    assert {"a.json", "b.json"} < files
    assert run("again") == files


# Safe names -----------------------------------------------------------------------------------------------------

UNSAFE = [
    "../ace.json",
    "/tmp/ace.json",
    "a/b.json",
    "a\\b.json",
    ".ace.json",
    "a\nb.json",
    "a\u202eb.json",
    " a.json",
]


@pytest.mark.parametrize("name", [*UNSAFE, "x" * 300 + ".json", "é" * 110 + ".json"])
@pytest.mark.parametrize("make", [figure, copy_of_figure, save])
def test_a_name_that_is_no_plain_name_is_refused(name, make):
    name = name.replace(".json", ".csv") if make is save else name
    said = refused(
        "check", write(fetch(), *([figure()] if make is copy_of_figure else []), make(filename=name))
    )
    assert "HV104" in said
    assert "plain file name" in said or "too long" in said


@pytest.mark.parametrize("value", ["../x", "/etc/x", "a\nb", "x" * 300])
@pytest.mark.parametrize("written", ["{CRAFT}.json", "$CRAFT.json"])
def test_a_value_cannot_make_a_name_unsafe(value, written):
    variables = {"$CRAFT": {"type": "string", "default": "ACE"}}
    name = write(fetch(), figure(filename=written), variables=variables)
    assert helio("check", name).exit_code == 0
    assert "HV104" in refused("plan", name, "--archive", "sample", "--set", f"CRAFT={value}")


def test_an_item_cannot_lead_out_of_the_folder():
    step = figure(formats=["json"], subtitle="{WORD}") | {"for_each": {"as": "$WORD", "over": ["../up", "a"]}}
    assert run(write(fetch(), step)) == {"fig[.._up].json", "fig[a].json"}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"filename": "ace.png", "formats": ["pdf"]}, "ends in png"),
        ({"filename": "ace.csv"}, "figures cannot be written in the format of"),
        ({"filename": "ace.jpg"}, "figures cannot be written in the format of"),
        ({"formats": ["gif"]}, "is not one of"),
        ({"formats": []}, "is an empty list"),
    ],
)
def test_a_name_and_formats_that_disagree_are_refused(spec, said):
    assert said in refused("check", write(fetch(), figure(**spec)))


# No two steps write one file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (figure("one", filename="ace.json"), figure("two", title="B", filename="ACE.json")),
        (save("one", filename="b"), save("two", filename="b.csv", format="csv")),
        (figure("one", filename="ace_{start}"), figure("two", title="B", filename="ace_{start}")),
        (figure("one"), figure("two", title="B", filename="one.html")),
    ],
)
def test_two_steps_cannot_write_one_file(first, second):
    name = write(fetch(), first, second)
    said = refused("plan", name, "--archive", "sample")
    assert "HV104" in said
    assert "step two" in said
    assert "step one" in said
    if "{start}" not in str(first):  # what it becomes is known in a run
        assert "step one" in refused("check", name)


def test_two_exports_of_two_figures_cannot_be_one_file():
    one, two = figure("one"), figure("two", title="B")
    exports = [
        copy_of_figure(f"x{name}", filename="ace.json") | {"depends_on": [name]} for name in ("one", "two")
    ]
    said = refused("check", write(fetch(), one, two, *exports))
    assert "xone" in said
    assert "xtwo" in said
    assert "ace.json" in said


def mapped(over: Any, **spec: Any) -> dict[str, Any]:
    block = [fetch("b", "$PART", output_label="B_$PART"), figure("fig", "B_$PART", formats=["json"], **spec)]
    return {"step_id": "each", "for_each": {"as": "$PART", "over": over}, "block": block}


HALVES = ["2022-01-01T00:00:00 to 2022-01-01T12:00:00", "2022-01-01T12:00:00 to 2022-01-02T00:00:00"]


@pytest.mark.parametrize("over", [HALVES, {"intervals": "$TIME_RANGE", "step": "12h"}])
@pytest.mark.parametrize("spec", [{"filename": "ace_{start}"}, {"filename": "ace_{PART}"}, {}])
def test_items_of_a_map_have_files_of_their_own(over, spec):
    files = run(write(mapped(over, **spec)))
    assert len(files) == 2
    if spec == {"filename": "ace_{start}"}:
        assert files == {"ace_20220101.json", "ace_20220101T1200.json"}


@pytest.mark.parametrize("over", [HALVES, {"intervals": "$TIME_RANGE", "step": "12h"}])
@pytest.mark.parametrize("command", ["check", "plan"])
def test_items_of_a_map_cannot_share_a_file(over, command):
    said = refused(command, write(mapped(over, filename="ace")))
    assert "HV104" in said
    assert re.search(r"step each\[\S+ already writes a file called ace\.json", said)


@pytest.mark.parametrize("where", ["in the map", "behind the map", "behind a map that becomes a block"])
@pytest.mark.parametrize("over", [HALVES, {"intervals": "$TIME_RANGE", "step": "12h"}])
def test_one_export_of_the_figures_of_a_map_is_a_file_for_each(where, over):
    step, export = mapped(over), copy_of_figure(filename="ace_{start}.html")
    if where == "in the map":
        step["block"].append(export)
        steps = [step]
    elif where == "behind the map":
        steps = [step, export | {"depends_on": ["each"]}]
    else:
        each = {"for_each": step["for_each"]}
        steps = [inner | each for inner in step["block"]] + [export | {"depends_on": ["fig"]}]
    files = run(write(*steps))
    assert {"ace_20220101.html", "ace_20220101T1200.html"} < files
    assert len(files) == 4


def test_one_export_of_the_figures_of_a_map_needs_a_name_for_each():
    export = copy_of_figure(filename="ace.html") | {"depends_on": ["each"]}
    said = refused("plan", write(mapped(HALVES), export))
    assert re.search(r"step each\[\S+ already writes a file called ace\.html", said)


# Data, and figures that nobody asked for ------------------------------------------------------------------------


def scaled(step_id: str, factor: float = 2.0) -> dict[str, Any]:
    args = {"source_label": LABEL, "factor": factor, "unit": "nT", "output_label": f"out_{step_id}"}
    return {"step_id": step_id, "tool_name": "rescale", "tool_args": args}


MANY = [scaled(f"s{number:02}", number + 2.0) for number in range(15)]


@pytest.mark.parametrize("word", ["data", "Data", "tables"])
@pytest.mark.parametrize("key", ["artifact", "artefact"])
def test_a_pipeline_that_asks_for_data_ends_in_an_export(word, key):
    assert run(write(fetch(), **{key: word})) == {"AC_K2_MFI.BGSEc.csv"}
    assert run(write(fetch(), *MANY, **{key: word})) == {"short.nc"}


def test_a_pipeline_that_asks_for_data_keeps_its_figure_and_its_export():
    assert run(write(fetch(), figure(), artifact="data")) == {"fig.html", "fig.json", "AC_K2_MFI.BGSEc.csv"}
    assert run(write(fetch(), save(filename="b"), artifact="data")) == {"b.csv"}


def test_a_pipeline_that_asks_for_data_exports_the_items_of_a_map():
    each = fetch("b", "$PART", output_label="B_$PART")
    each["for_each"] = {"as": "$PART", "over": {"intervals": "$TIME_RANGE", "step": "1h"}}
    assert run(write(each, artifact="data")) == {"short.nc"}


def test_what_a_pipeline_ends_in_is_one_of_two():
    assert "is not one of figure, data" in refused("check", write(fetch(), artifact="movie"))


def mapped_outputs() -> list[dict[str, Any]]:
    each = fetch("b", "$PART", output_label="B_$PART")
    each["for_each"] = {"as": "$PART", "over": {"intervals": "$TIME_RANGE", "step": "1h"}}
    return [each]


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize(
    ("steps", "count", "last"),
    [([fetch(), *MANY], 15, "out_s14"), (mapped_outputs(), 24, "B_2022-01-01T23:00")],
    ids=["steps", "items"],
)
def test_a_figure_that_nobody_chose_draws_twelve_tables_and_names_the_others(steps, count, last, empty):
    plot = [{"step_id": "figure", "tool_name": "plot_data", "tool_args": {}}] if empty else []
    name = write(*steps, *plot)
    assert run(name) == {"figure.html", "figure.json"}
    said = helio("run", name, "--archive", "sample", "-o", "out").output
    assert "draws the first 12 tables; not drawn: " in said
    assert last in said
    assert "HV302" not in said
    listed = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    [drawn] = [step for step in listed["plan"]["steps"] if step["tool_name"] == "render_spec"]
    assert len(drawn["tool_args"]["spec"]["labels"]) == 12
    assert len(drawn["depends_on"]) == 12
    assert len(listed["steps"]) == count + (
        2 if steps[0]["step_id"] == "b" and "for_each" not in steps[0] else 1
    )


# Without a browser ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "code", "status", "engine"),
    [
        ([figure(formats=["png", "json"])], 1, "failed", "--direct"),
        ([figure(filename="ace.pdf")], 1, "failed", "--direct"),
        ([figure(critical=False, formats=["png", "json"])], 3, "partial", "--direct"),
        ([figure(), copy_of_figure(filename="ace.png")], 1, "failed", "--direct"),
        ([figure(), copy_of_figure()], 1, "failed", "--direct"),
        ([figure(), copy_of_figure(critical=False, filename="ace.png")], 3, "partial", "--ephemeral"),
    ],
)
def test_a_file_that_a_template_states_and_no_browser_draws(steps, code, status, engine):
    name = write(fetch(), *steps)
    for _ in ("made", "from the store"):
        result = helio("run", name, "--archive", "sample", "-o", "out", engine)
        assert result.exit_code == code, result.output
        assert "apt-get install chromium" in result.output
        listed = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
        assert listed["status"] == status
        assert json.loads(helio("runs", "show", listed["id"], "--json").stdout)["status"] == status


def test_a_format_of_the_command_fails_no_run():
    assert run(write(fetch(), figure()), "--format", "png", code=3) == {"fig.html", "fig.json"}


# All points of a page ---------------------------------------------------------------------------------------------


def details(folder: str = "out") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir() if path.is_dir())


def test_a_figure_that_is_written_again_replaces_its_detail():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    (first,) = details()
    page = Path("out/particles.html").read_bytes()
    assert first.encode() in page
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out", "-t", "2021-10-28/2021-10-28T23:00")
    (second,) = details()
    assert second != first
    assert second.encode() in Path("out/particles.html").read_bytes()
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    assert details() == [first]
    assert Path("out/particles.html").read_bytes() == page
    Path("out/run.json").unlink()
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out", "-t", "2021-10-28/2021-10-28T23:00")
    assert details() == [second], "also if no record says what the folder contains"


def test_a_lost_detail_is_made_again_from_the_tables(tmp_path: Path):
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    (name,) = details()
    content = Path("out", name, "0.js").read_bytes()
    for path in Path(os.environ["HELIO_HOME"]).rglob("*.detail"):
        path.unlink()
    helio("run", "gle73-particles", "--archive", "sample", "-o", "again")
    assert details("again") == [name]
    assert Path("again", name, "0.js").read_bytes() == content


def test_the_detail_of_a_run_is_verified_and_made_again_with_its_page():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    verified = helio("verify", "last")
    assert verified.exit_code == 0, verified.output
    made = helio("rerun", "out/particles.html", "--archive", "sample", "--yes", "-o", "again", "--json")
    assert json.loads(made.stdout)["verdict"] == "same"
    assert details("again") == details()


def test_a_self_contained_page_is_one_file_which_is_verified_and_made_again():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    for path in ("helio-figure.js", "plotly.min.js"):
        Path("out", path).unlink()
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out", "--self-contained")
    assert {path.name for path in Path("out").iterdir()} == {"particles.html", "particles.json", "run.json"}
    page = Path("out/particles.html").read_text(encoding="utf-8")
    assert 'type="application/json" id="detail-0"' in page
    assert "src=" not in page.partition("<script>")[0]
    verified = helio("verify", "last")
    assert verified.exit_code == 0, verified.output
    made = helio("rerun", "out/particles.html", "--archive", "sample", "--yes", "-o", "again", "--json")
    assert json.loads(made.stdout)["verdict"] == "same"
    assert details("again") == []
    beside = helio("rerun", "out/particles.html", "--archive", "sample", "--yes", "-o", "again").output
    assert "again/particles.html" in beside


def test_a_page_with_files_beside_it_can_be_made_again_as_one_file():
    helio("run", "gle73-particles", "--archive", "sample", "-o", "out")
    command = ["rerun", "out/particles.html", "--archive", "sample", "--yes", "--self-contained", "-o", "one"]
    made = helio(*command, "--json")
    assert json.loads(made.stdout)["same_figure"] is True
    assert {path.name for path in Path("one").iterdir()} == {"particles.html", "particles.json", "run.json"}
