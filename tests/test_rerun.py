"""A figure says where it comes from, and is made again from its file, which may come from a stranger."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.errors import RequestError
from helio.pipelines.runs.provenance import FORM, Provenance, document_of, read_figure, template_of_figure
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.template import reached
from helio.settings import read_settings
from helio.sources.samples import sample_folder
from helio.steps.render.enclose import as_bytes, enclose, enclosed
from helio.steps.render.write_figure import find_browser
from helio.steps.signature import signatures
from helio.testing import CdaWebStandIn
from tests.rows import try_rows

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("warm_processes")]

FILE = "sta_l1_het_20211028_v01.cdf"
RECORD = bytes.fromhex(
    "3dbd6b9c3c87cf923e0b9da93e55190f3e9a6f233ecb839e3f01dc3f3f2b8fd63f350bed3f4c3e143f3cf261"
)
"""The values of one record of `Proton_Flux` in the file."""
SVG = b'<svg class="main-svg" xmlns="http://www.w3.org/2000/svg"><rect/></svg>'
PSP = {"dataset_id": "PSP_FLD_L2_MAG_RTN_1MIN", "parameters": ["psp_fld_l2_mag_RTN_1min"]}


def step(name: str, tool: str, **args: Any) -> dict[str, Any]:
    return {"step_id": name, "tool_name": tool, "tool_args": args}


def intervals(variable: str) -> dict[str, Any]:
    return {"as": variable, "over": {"intervals": "$TIME_RANGE", "step": "6h"}}


BLOCK = [
    step("b", "fetch_data", **PSP, time_range="$DAY", output_label="B_$DAY"),
    step("m", "magnitude", source_label="B_$DAY", output_label="mag_$DAY"),
    step("unused", "running_average", source_label="mag_$DAY", window="10min", output_label="s_$DAY"),
    step(
        "fig", "render_spec", spec={"labels": ["mag_$DAY"], "title": "day {start}", "filename": "mag_{start}"}
    ),
]
MANY = {
    "id": "many",
    "created_at": "2026-01-02T03:04:05",
    "source_session": "secret-session",
    "variables": {
        "$TIME_RANGE": {"type": "time_range", "default": "2020-01-04 to 2020-01-05"},
        "$W": {"type": "duration", "default": "10min"},
    },
    "steps": [
        {"step_id": "daily", "for_each": intervals("$DAY"), "on_item_error": "keep_partial", "block": BLOCK},
        step("all", "fetch_data", **PSP, time_range="$I", output_label="part$I")
        | {"for_each": intervals("$I"), "collect": "list", "on_item_error": "keep_partial"},
        step("w", "fetch_data", dataset_id="AC_K2_MFI", parameters=["Magnitude"], time_range="2022-01-01"),
        step("r", "running_average", source_label="AC_K2_MFI.Magnitude", window="$W", output_label="sm"),
        step("other", "plot_data", labels=["AC_K2_MFI.Magnitude", "sm"], title="other"),
        step("style", "style_plot", title="Styled") | {"depends_on": ["other"]},
        step("ex", "manage_plot", action="export", filename="mine.json") | {"depends_on": ["other"]},
        step("globs", "render_spec", spec={"labels": ["part*", "mag*"]}),
    ],
}
PHRASE = {
    "id": "phrase",
    "steps": [
        step("b", "fetch_data", **PSP, time_range="last 3 days", output_label="B") | {"pin": ["time_range"]},
        step("f", "render_spec", spec={"labels": ["B"]}),
    ],
}
CODE = {
    "id": "coded",
    "steps": [
        step("b", "fetch_data", dataset_id="AC_K2_MFI", parameters=["BGSEc"], time_range="2022-01-01"),
        step(
            "double",
            "custom_operation",
            source_labels=["AC_K2_MFI.BGSEc"],
            pandas_code="result = df_BGSEc * 2\nresult = result + 0",
            output_label="twice",
            units="nT",
        ),
        step("f", "render_spec", spec={"labels": ["twice"]}),
    ],
}


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    return tmp_path


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Work from now on as on another machine, where nothing is kept."""
    return lambda: monkeypatch.setenv("HELIO_HOME", str(Path("elsewhere").absolute()))


def helio(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), prog_name="helio")


def gle(*words: str, archive: str = "sample", output: str = "out") -> Path:
    """Draw the particles of GLE 73; return the page."""
    result = helio("run", "gle73-particles", "--archive", archive, "-o", output, *words)
    assert result.exit_code == 0, result.output
    return Path(output) / "particles.html"


def own_data() -> Path:
    """A folder with a copy of the samples."""
    return Path(shutil.copytree(sample_folder(), "data"))


def changed(origin: Provenance, **facts: Any) -> bytes:
    """Return an SVG with a document in which a stranger has changed some facts."""
    return enclose(SVG, "svg", as_bytes(origin.to_json() | facts), title="")


# What a figure says


def test_equal_runs_write_equal_files_without_run_clock_or_place(
    work: Path, elsewhere: Callable[[], None]
) -> None:
    data = own_data()
    first = gle("--format", "json", archive=str(data)).read_bytes()
    elsewhere()
    moved = Path(shutil.move(data, "moved"))
    assert gle(archive=str(moved), output="again").read_bytes() == first
    document = enclosed(first)[0].decode()
    for private in (str(work), "/tmp", "home", "2026", "gle73-particles-2", "seconds", "accessed"):
        assert private not in document
    origin = read_figure(Path("again/particles.html")).origin
    assert origin.archive == "a folder"
    assert origin.values == {"$TIME_RANGE": "2021-10-28 to 2021-10-29", "$WINDOW": "10min"}
    assert [file.file for dataset in origin.datasets for file in dataset.files] == [FILE]
    assert [(cited.dataset_id, cited.doi) for cited in origin.citations] == [
        ("STA_L1_HET", "10.48322/12as-eq92")
    ]


def test_the_document_is_no_part_of_the_figure_in_the_store() -> None:
    page = gle("--format", "json")
    run = json.loads(page.with_name("run.json").read_text())
    [figure] = [output for step in run["steps"] for output in step["outputs"] if not output["label"]]
    assert read_figure(page).origin.digest == figure["digest"]
    files = {file["kind"]: file["sha256"] for file in run["artefacts"]}
    assert figure["digest"] == f"sha256:{files['json']}", "the JSON file is the figure in the store"
    verified = helio("verify", "last", "--archive", str(sample_folder()))
    assert verified.exit_code == 0, verified.output


def plans_of(template: dict[str, Any] | str, now: str = "2020-01-05") -> list[tuple[str, Any, Any]]:
    """Return the id of each figure of a template, the plan, and the plan of the figure's own template years later."""
    archive = None if template == "swpc-now" else "sample"
    plan = api.plan(template, archive=archive, now=now)
    figures = [step.step_id for step in plan.steps if signatures()[step.tool_name].gives == "figure"]
    return [
        (name, plan, api.plan(template_of_figure(plan, name), archive=archive, now="2029-01-01"))
        for name in figures
    ]


def needed_for(name: Any, plan: Any) -> list[Any]:
    needed = reached(name, {step.step_id: step.depends_on for step in plan.steps})
    return [step for step in plan.document["steps"] if step["step_id"] in needed]


def test_a_template_of_a_figure_plans_the_same_steps_at_any_time() -> None:
    shipped = [entry.id for entry in api.library().entries()]

    def check(template: Any) -> None:
        for name, plan, again in plans_of(template):
            assert needed_for(name, again) == needed_for(name, plan)

    assert len(shipped) > 5
    try_rows([*((name, name) for name in shipped), ("many", MANY), ("phrase", PHRASE), ("code", CODE)], check)


def test_a_template_of_a_figure_has_only_the_steps_that_it_needs() -> None:
    plans = {name: (plan, again) for name, plan, again in plans_of(MANY)}
    name = "daily[2020-01-04T06:00].fig"
    plan, again = plans[name]
    assert [step.step_id for step in again.steps] == [
        f"daily[2020-01-04T06:00].{part}" for part in ("b", "m", "fig")
    ]
    template = template_of_figure(plan, name)
    assert template_of_figure(again, name) == template
    assert "secret-session" not in json.dumps(template)
    assert "created_at" not in template
    assert "$W" not in template["variables"]
    other = template_of_figure(plan, "other")
    assert [step["step_id"] for step in other["steps"]] == ["w", "r", "other", "ex"]


# The same again


def test_a_page_and_a_picture_are_made_again_in_another_home(elsewhere: Callable[[], None]) -> None:
    formats = ["html", *(["svg", "pdf", "png"] if find_browser(read_settings().environ) else [])]
    page = gle("--format", ",".join(formats))
    for form in formats:
        elsewhere()
        result = helio("rerun", str(page.with_suffix(f".{form}")), "--yes", "-o", f"again-{form}")
        assert result.exit_code == 0, result.output
        assert f"same: again-{form}/particles.{form} has the same bytes" in result.output
        again = Path(f"again-{form}", f"particles.{form}")
        assert again.read_bytes() == page.with_suffix(f".{form}").read_bytes()


def test_each_figure_of_a_pipeline_is_made_again_by_itself(elsewhere: Callable[[], None]) -> None:
    run = api.run(MANY, archive="sample", output="out")
    assert run.status == "partial", "PSP has no data in the third interval"
    pages = [artefact for artefact in run.artefacts if artefact.kind == "html"]
    assert len(pages) == 5
    elsewhere()
    for page in pages:
        made = api.rerun(page.path, output=f"again-{page.path.stem}")
        assert made.verdict == "same", (page.path, made)
    assert read_figure(pages[0].path).origin.fetches != read_figure(pages[1].path).origin.fetches


def test_code_in_a_figure_is_shown_with_its_lines_and_runs_in_the_sandbox(
    elsewhere: Callable[[], None],
) -> None:
    page = api.run(CODE, archive="sample", output="out").artefacts[0].path
    elsewhere()
    result = helio("rerun", str(page), "--yes", "-o", "again")
    assert result.exit_code == 0, result.output
    assert "        | result = df_BGSEc * 2\n        | result = result + 0\n" in result.output
    hostile = json.loads(
        json.dumps(read_figure(page).origin.template).replace("df_BGSEc * 2", "open('/etc/passwd')")
    )
    Path("hostile.svg").write_bytes(changed(read_figure(page).origin, template=hostile))
    with pytest.raises(InvalidTemplate, match="open"):
        api.rerun("hostile.svg", output="never")
    assert not Path("never").exists()


def test_helio_asks_before_it_runs_the_pipeline_of_a_figure() -> None:
    page = gle()
    runs = len(json.loads(helio("runs", "--json").stdout))
    result = helio("rerun", str(page))
    assert result.exit_code == 2
    assert "only if you agree" in result.output
    assert 'dataset_id = "STA_L1_HET"' in result.output
    assert len(json.loads(helio("runs", "--json").stdout)) == runs


def test_other_data_are_found_by_their_digest_and_the_figure_differs(elsewhere: Callable[[], None]) -> None:
    data = own_data()
    page = gle(archive=str(data))
    elsewhere()
    without = helio("rerun", str(page), "--yes", "-o", "never")
    assert without.exit_code == 2
    assert f"give the data with --archive DIR: {FILE}" in without.output
    assert helio("rerun", str(page), "--yes", "--archive", str(data), "-o", "same").exit_code == 0

    content = bytearray((data / FILE).read_bytes())
    content[len(content) // 2] ^= 1
    (data / FILE).write_bytes(content)
    other = helio("rerun", str(page), "--yes", "--archive", str(data), "-o", "other")
    assert other.exit_code in (1, 2), other.output
    assert (
        f"STA_L1_HET: {FILE} has other content: sha256 e36f5320f5d2" in other.output
        or "nothing was" in other.output
    )

    (data / FILE).unlink()
    absent = helio("rerun", str(page), "--yes", "--archive", str(data), "-o", "absent")
    assert absent.exit_code == 2
    assert f"missing: {FILE} of STA_L1_HET (sha256 e36f5320f5d2…)" in absent.output
    assert "nothing was compared" in absent.output


def test_a_csv_file_with_another_number_gives_another_figure() -> None:
    data = Path("data")
    data.mkdir()
    rows = "".join(f"2024-05-10T00:{minute:02}:00Z,{minute}\n" for minute in range(60))
    table = data / "mine_field_20240510_v01.csv"
    table.write_text(f"time,B\n{rows}")
    template = {
        "id": "mine",
        "steps": [
            step("b", "fetch_data", dataset_id="MINE_FIELD", parameters=["B"], time_range="2024-05-10"),
            step("f", "render_spec", spec={"labels": ["MINE_FIELD.B"]}),
        ],
    }
    page = api.run(template, archive=data, output="out").artefacts[0].path
    table.rename(data / "mine_field_20240510_v02.csv")
    moved = api.rerun(page, archive=data, output="moved")
    assert not moved.missing
    assert not [line for line in moved.differences if "sha256" in line]
    table.write_text(f"time,B\n{rows}".replace(",59\n", ",60\n"))
    (data / "mine_field_20240510_v02.csv").unlink()
    made = api.rerun(page, archive=data, output="again")
    assert made.verdict == "different"
    assert not made.same_figure
    assert any(f"{table.name} has other content: sha256" in line for line in made.differences)


# Figures of strangers


def test_show_prints_where_a_figure_comes_from() -> None:
    page = gle()
    result = helio("show", str(page))
    assert result.exit_code == 0
    for text in (
        "figure of step particles, made with helio ",
        f"      {FILE}  v01  215 kB  sha256 e36f5320f5d2",
        "https://doi.org/10.48322/12as-eq92",
        "  $WINDOW (duration) = 10min",
        "  smooth: running_average",
    ):
        assert text in result.output
    assert json.loads(helio("show", str(page), "--json").stdout)["figure"] == FORM


def test_a_text_of_a_stranger_looks_like_no_line_of_helio() -> None:
    origin = read_figure(gle()).origin
    template = origin.template | {"name": "nice\n  step: harmless\x1b[2J", "description": "a\nb"}
    Path("x.svg").write_bytes(changed(origin, template=template))
    output = helio("show", "x.svg").output
    assert "gle73-particles: nice step: harmless" in output
    assert "\x1b" not in output
    assert "\n  step: harmless" not in output


def test_a_document_of_a_stranger_is_refused_in_plain_words() -> None:
    origin = read_figure(gle()).origin
    deep: Any = []
    for _ in range(90):
        deep = [deep]
    rows: list[tuple[str, dict[str, Any], str]] = [
        ("form", {"figure": "helio-figure/2"}, "this version of helio reads helio-figure/1"),
        ("no form", {"figure": None}, "this version of helio reads"),
        ("left out", {"left_out": "it is too large"}, "does not contain its pipeline: it is too large"),
        ("unknown key", {"run": "/etc/passwd"}, "has the unknown key 'run'"),
        ("folder", {"archive": "/etc"}, "names the archive '/etc', which is no provider"),
        ("address", {"archive": "http://127.0.0.1/hapi"}, "which is no provider"),
        ("values", {"values": {"$WINDOW": "1h"}}, "its values are not those of its template"),
        ("digest", {"digest": "sha256:x"}, "digest is"),
        ("step", {"step": 3}, "step is 3, not a string"),
        ("files", {"fetches": [{"step_id": "b"}]}, "lacks 'range'"),
        ("citations", {"citations": [{"dataset_id": 3}]}, "dataset_id is 3, not a string"),
        ("template", {"template": []}, "template is [], not an object"),
        ("variables", {"template": {**origin.template, "variables": {"$WINDOW": 3}}}, "its values are not"),
        ("no steps", {"template": {"id": "x", "steps": []}}, "has no steps"),
        ("steps", {"template": {"id": "x", "steps": 3}}, "steps"),
        ("block", {"template": {"id": "x", "steps": [{"step_id": "a", "block": 3}]}}, "block"),
        ("deep", {"template": {"id": "x", "steps": [{"step_id": "a", "annotations": {"a": deep}}]}}, "deep"),
    ]

    def check(facts: dict[str, Any], message: str) -> None:
        Path("x.svg").write_bytes(changed(origin, **facts))
        for command in (("show", "x.svg"), ("rerun", "x.svg", "--yes")):
            result = helio(*command)
            assert result.exit_code == 2, result.output
            assert message in " ".join(result.output.split())
            assert "Traceback" not in result.output

    try_rows(rows, check)
    Path("x.svg").write_bytes(enclose(SVG, "svg", b'{"figure": 1, "figure": 2}', title=""))
    with pytest.raises(RequestError, match="appears twice"):
        api.read_figure("x.svg")
    Path("x.svg").write_bytes(enclose(SVG, "svg", b'{"figure": NaN}', title=""))
    with pytest.raises(RequestError, match="NaN is not valid JSON"):
        api.read_figure("x.svg")


def test_a_template_of_a_stranger_is_shown_as_it_runs() -> None:
    origin = read_figure(gle()).origin
    odd = {key: value for key, value in origin.template.items() if key != "id"}
    odd["steps"] = [{**step, "tool": step["tool_name"]} for step in odd["steps"]]
    for step in odd["steps"]:
        del step["tool_name"]
    Path("x.svg").write_bytes(changed(origin, template=odd))
    result = helio("show", "x.svg")
    assert result.exit_code == 0, result.output
    assert "pipeline: Ground-level event 73" in result.output
    assert "  smooth: running_average" in result.output


def test_a_document_names_a_step_that_its_template_lacks() -> None:
    origin = read_figure(gle()).origin
    Path("x.svg").write_bytes(changed(origin, step="../../x"))
    with pytest.raises(RequestError, match=r"has no step '\.\./\.\./x' that draws it"):
        api.rerun("x.svg", output="never")
    assert not Path("never").exists()


def test_a_document_that_is_too_large_is_left_out_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    origin = read_figure(gle()).origin
    monkeypatch.setattr("helio.pipelines.runs.provenance.LARGEST", 1000)
    document = json.loads(document_of(origin))
    assert sorted(document) == ["figure", "helio", "left_out"]
    with pytest.raises(
        RequestError, match=r"does not contain its pipeline: it has [\d,]+ bytes, .* at most 1,000"
    ):
        Provenance.from_json(document)


def test_a_figure_that_is_not_there_is_said() -> None:
    for command in ("show", "rerun"):
        result = helio(command, "absent.png")
        assert result.exit_code == 2
        assert "there is no file absent.png" in result.output


def test_no_clock_of_the_run_is_in_the_values() -> None:
    run = api.run("psp-bfield", archive="sample", output="out", now=datetime(2030, 1, 1))
    page = next(artefact.path for artefact in run.artefacts if artefact.kind == "html")
    assert "2030" not in enclosed(page.read_bytes())[0].decode()


def test_a_file_that_was_published_again_is_named(
    work: Path, elsewhere: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    served = work / "served"
    served.mkdir()
    shutil.copyfile(sample_folder() / FILE, served / FILE)
    with CdaWebStandIn(served) as service:
        monkeypatch.setenv("HELIO_CDAWEB_URL", service.url)
        page = gle(archive="cdaweb")
        document = enclosed(page.read_bytes())[0].decode()
        assert service.url not in document
        assert "127.0.0.1" not in document
        elsewhere()
        same = helio("rerun", str(page), "--yes", "-o", "same")
        assert same.exit_code == 0, same.output
        content = (served / FILE).read_bytes()
        assert content.count(RECORD) == 1
        (served / FILE).unlink()
        (served / FILE).write_bytes(content.replace(RECORD, bytes(len(RECORD))))
        service.publish(served / FILE, 1_760_000_000.0)
        monkeypatch.setenv("HELIO_HOME", str(work / "third"))
        other = helio("rerun", str(page), "--yes", "-o", "other")
        assert other.exit_code == 1, other.output
        assert (
            f"note: step protons: STA_L1_HET: {FILE} has other content: sha256 e36f5320f5d2… → "
            in other.output
        )
        assert "different: the new figure differs from the old one" in other.output


def test_a_person_at_a_terminal_is_asked_and_may_say_no(monkeypatch: pytest.MonkeyPatch) -> None:
    page = gle()
    monkeypatch.setattr("helio.cli.reproduce.can_ask", lambda: True)
    no = CliRunner().invoke(app, ["rerun", str(page), "-o", "never"], input="n\n")
    assert no.exit_code == 2
    assert "Run this pipeline? [y/N]: n\nnothing was run\n" in no.output
    assert not Path("never").exists()
    yes = CliRunner().invoke(app, ["rerun", str(page), "-o", "again"], input="y\n")
    assert yes.exit_code == 0, yes.output
