"""Runs as a user lists and names them: `last`, time range, failure, picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import helio
from tests.rows import in_one_test

pytestmark = [pytest.mark.usefixtures("home"), pytest.mark.usefixtures("warm_processes")]


def failing() -> str:
    """A pipeline whose first step fails."""
    fetch = {"dataset_id": "NO_SUCH", "parameter_id": "x", "time_range": "2022-01-01"}
    steps = [
        {"step_id": "b", "tool_name": "fetch_data", "tool_args": fetch},
        {"step_id": "fig", "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["NO_SUCH.x"]}}},
    ]
    Path("broken.json").write_text(json.dumps({"id": "broken", "steps": steps}), encoding="utf-8")
    return "broken.json"


def two_runs() -> tuple[dict[str, Any], dict[str, Any]]:
    """A run that succeeded, then one that failed, as the list has them."""
    helio("run", "psp-bfield", "--archive", "sample")
    helio("run", failing(), "--archive", "sample", code=1)
    newest, first = json.loads(helio("runs", "--json").stdout)
    return first, newest


def test_a_run_is_listed_with_its_range_its_failure_and_its_picture():
    success, failed = two_runs()
    assert success["status"] == "success"
    assert success["time_range"] == "2020-01-04 to 2020-01-05"
    assert success["picture"].endswith("/field-figure.html")
    assert success["reason"] == ""
    assert (failed["status"], failed["pipeline"], failed["failed_step"]) == ("failed", "broken", "b")
    assert failed["time_range"] == "2022-01-01 to 2022-01-02"
    assert "NO_SUCH" in failed["reason"]
    text = helio("runs").stdout
    assert f"{success['id']}  psp-bfield  2020-01-04 to 2020-01-05\n" in text
    assert f"\n           helio-runs/{success['id']}/field-figure.html\n" in text
    assert "\n           step b: no dataset is called 'NO_SUCH'" in text
    Path(success["picture"]).unlink()
    assert "field-figure.html  (no longer there)" in helio("runs").stdout


def test_a_record_without_steps_plan_or_artefacts_is_still_listed(home: Path):
    _, failed = two_runs()
    folder = home / "home" / "runs" / failed["id"]
    header = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del header["artefacts"]
    (folder / "run.json").write_text(json.dumps(header), encoding="utf-8")
    (folder / "plan.json").unlink()
    listed = {run["id"]: run for run in json.loads(helio("runs", "--json").stdout)}[failed["id"]]
    assert (listed["time_range"], listed["picture"]) == ("", "")
    assert listed["failed_step"] == "b"
    (folder / "steps.jsonl").unlink()
    listed = {run["id"]: run for run in json.loads(helio("runs", "--json").stdout)}[failed["id"]]
    assert (listed["status"], listed["failed_step"]) == ("failed", "")
    assert failed["id"] in helio("runs").stdout


def test_the_list_is_limited_and_chosen_by_pipeline():
    success, _ = two_runs()
    assert [run["id"] for run in json.loads(helio("runs", "--json", "--pipeline", "psp-bfield").stdout)] == [
        success["id"]
    ]
    assert json.loads(helio("runs", "--json", "--limit", "0").stdout) == []
    assert helio("runs", "--pipeline", "nothing").stdout == "no runs of this pipeline\n"


def test_last_is_the_run_that_began_last():
    success, failed = two_runs()
    assert helio("runs", "show", "last").stdout.startswith(f"{failed['id']}: failed")
    assert helio("why", "last", "b").stdout.startswith("failed: ")
    assert helio("explain", "last").stdout.startswith(f"{failed['id']}: ")
    assert f"new {failed['id']}" in helio("diff", success["id"], "last").stdout
    helio("runs", "delete", "last")
    assert helio("runs", "show", "last").stdout.startswith(f"{success['id']}: success")
    assert "B_RTN" in helio("describe", "last").stdout
    assert helio("preview", "last", "B_RTN").stdout
    assert helio("cite", "last").stdout
    assert "written helio.lock" in helio("lock", "--run", "last").stdout
    assert "mine.json" in helio("save", "last:field,magnitude", "--as", "mine").stdout


def test_the_files_of_a_new_fetch_are_a_difference():
    runs = []
    for datasets in (["PSP_FLD_L2_MAG_RTN_1MIN"], ["PSP_FLD_L2_MAG_RTN_1MIN", "STA_L1_HET"]):
        parameters = {"PSP_FLD_L2_MAG_RTN_1MIN": "psp_fld_l2_mag_RTN_1min", "STA_L1_HET": "Proton_Flux"}
        days = {"PSP_FLD_L2_MAG_RTN_1MIN": "2020-01-04", "STA_L1_HET": "2021-10-28"}
        steps = [
            {"step_id": name, "tool_name": "fetch_data",
             "tool_args": {"dataset_id": name, "parameter_id": parameters[name], "time_range": days[name]}}
            for name in datasets
        ]  # fmt: skip
        Path("many.json").write_text(json.dumps({"id": "many", "steps": steps}), encoding="utf-8")
        helio("run", "many.json", "--archive", "sample")
        runs.append(json.loads(helio("runs", "--json").stdout)[0]["id"])
    text = helio("diff", *runs).stdout
    assert "files:\n  sta_l1_het_20211028_v01.cdf was not used before\n" in text


@in_one_test(
    "words",
    [
        ("runs", "show", "last"),
        ("runs", "delete", "last"),
        ("why", "last", "b"),
        ("diff", "last", "last"),
        ("verify", "last"),
        ("describe", "last"),
        ("preview", "last", "B"),
        ("cite", "last"),
        ("lock", "--run", "last"),
        ("save", "last", "--as", "mine"),
        ("repair", "last"),
    ],
)
def test_an_empty_home_says_that_there_are_no_runs(words: tuple[str, ...]):
    told = helio(*words, code=2).output
    assert "there are no runs yet" in told
    assert "helio run PIPELINE" in told


def test_a_proposed_pipeline_is_called_a_proposal_until_it_is_accepted():
    helio("author", "plot Wind magnetic field for 2022-01-01", "--as", "wind-field", "--author", "rules")
    [proposal] = json.loads(helio("proposals", "--json").stdout)
    for words in (("plan", "wind-field"), ("check", "wind-field")):
        told = helio(*words, code=2).output
        assert "'wind-field' is a proposal that is not accepted yet" in told
        assert f"helio accept {proposal['id']}" in told
    helio("accept", proposal["id"])
    assert "still a proposal" not in helio("check", "wind-field").output
    assert "no pipeline is called 'wind-fild'" in helio("edit", "wind-fild", "title: x", code=2).output


def test_hints_are_counted_and_shown_on_request():
    fetch = {"dataset_id": "AC_H2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"}
    average = {"source_label": "AC_H2_MFI.BGSEc", "window": "1h", "output_label": "smooth"}
    steps = [
        {
            "step_id": 1,
            "tool_name": "fetch_data",
            "tool_args": fetch,
            "intent": "the field of the Wind spacecraft",
        },
        {"step_id": 2, "tool_name": "running_average", "tool_args": average, "intent": "daily means"},
        {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["smooth"]}}},
    ]
    Path("hinted.json").write_text(json.dumps({"id": "hinted", "steps": steps}), encoding="utf-8")
    told = helio("check", "hinted.json").stdout
    shown = helio("check", "hinted.json", "--hints").stdout
    count = shown.count("info[")
    assert count > 0
    assert "info[" not in told
    assert told.endswith(
        f"{count} hint{'s' * (count != 1)} not shown; to see them: `helio check hinted.json --hints`\n"
    )
    assert "not shown" not in shown
    assert json.loads(helio("check", "hinted.json", "--json").stdout)["hints_not_shown"] == count


def test_show_prints_the_pipeline_of_a_run_too():
    assert "there are no runs yet" in helio("show", "last", code=2).output
    success, failed = two_runs()
    shown = helio("show", "last")
    assert shown.stdout.startswith("broken:")
    assert shown.stderr == f"note: this is the pipeline of run {failed['id']}\n"
    assert "field-figure: render_spec" in helio("show", success["id"]).stdout
    assert json.loads(helio("show", "last", "--json").stdout)["id"] == "broken"
    assert "no pipeline is called 'brok'" in helio("show", "brok", code=2).output


def test_a_run_given_as_a_pipeline_is_named_as_a_run():
    two_runs()
    told = helio("check", "last", code=2).output
    assert "'last' is a run, not a pipeline" in told
    assert "helio save last --as NAME" in told
