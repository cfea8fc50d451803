"""Homes that earlier versions made: everything in them is still read, and what comes out differently is explained.

The homes are in tests/data/homes, one for each version that was kept, made by scripts/make_old_home.py. They and
these tests stay: whoever changes how something is stored reads the old form too, and whoever changes what comes out
adds a line to helio/store/rules.py or raises the version of the tool.
"""

from __future__ import annotations

import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.store.rules import RULES

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

HOMES = sorted((Path(__file__).parent / "data" / "homes").glob("*.tar.gz"))
OWN = (
    "endless",
    "half",
    "my-ace",
    "nothing",
    "saved-gle",
    "station",
    "station-clock",
    "station-months",
    "wind-day",
)
FINISHED = ("success", "partial", "failed")


@pytest.fixture(params=HOMES, ids=lambda path: path.name.removesuffix(".tar.gz"), autouse=True)
def old(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of an old home, with the station's data and what was written beside it, as the working folder."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HELIO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    return tmp_path


def helio(*words: str, code: int | None = 0) -> Result:
    result = CliRunner().invoke(app, list(words), prog_name="helio")
    assert code is None or result.exit_code == code, f"helio {' '.join(words)}\n{result.output}"
    return result


def answer(*words: str, code: int | None = 0) -> Any:
    return json.loads(helio(*words, "--json", code=code).stdout)


def runs(pipeline: str = "", *statuses: str) -> list[str]:
    """Ids of the old runs, newest first."""
    return [
        str(run["id"])
        for run in answer("runs", "--limit", "100")
        if pipeline in ("", run["pipeline"]) and (not statuses or run["status"] in statuses)
    ]


def archive_of(run: str) -> str:
    """The archive of a run; the station's folder is no longer where the record says."""
    return "sample" if run.startswith(("gle73", "psp")) else "data"


def test_the_pipelines_are_listed_shown_and_checked():
    listed = {pipeline["id"] for pipeline in answer("list")}
    assert listed >= set(OWN)
    for name in OWN:
        assert helio("show", name).stdout
        assert "valid" in helio("check", name).output
        assert json.loads(helio("export", name).stdout)["id"] == name


def test_the_history_is_whole_and_a_revision_comes_back():
    revisions = answer("history", "my-ace")
    assert [(revision["kind"], revision["by"]) for revision in revisions] == [
        ("copied", "you"),
        ("edited", "rules"),
        ("by hand", "you"),
    ]
    titles = [helio("history", "my-ace", "--show", str(number)).stdout for number in (1, 2, 3)]
    assert "Storm" not in titles[0]
    assert '"Storm"' in titles[1]
    assert '"Storm by hand"' in titles[2]
    helio("edit", "my-ace", "--undo")
    assert Path("home/templates/my-ace.json").read_text(encoding="utf-8") == titles[1]
    helio("history", "my-ace", "--restore", "1")
    assert Path("home/templates/my-ace.json").read_text(encoding="utf-8") == titles[0]
    assert len(answer("history", "my-ace")) >= 3


def test_proposals_are_listed_shown_accepted_and_rejected():
    proposals = answer("proposals", "--all")
    states = {
        proposal["pipeline"]: proposal["state"] for proposal in proposals if proposal["state"] == "pending"
    }
    assert set(states) == {"my-ace", "psp-day"}
    assert sorted(proposal["state"] for proposal in proposals) == [
        "accepted",
        "accepted",
        "pending",
        "pending",
        "rejected",
    ]
    for proposal in proposals:
        assert proposal["id"] in helio("proposals", "show", proposal["id"], "--patch").stdout
    pending = {
        proposal["pipeline"]: proposal["id"] for proposal in proposals if proposal["state"] == "pending"
    }
    helio("accept", pending["my-ace"])
    assert "blue" in Path("home/templates/my-ace.json").read_text(encoding="utf-8")
    assert answer("history", "my-ace")[-1]["kind"] == "edited"
    helio("reject", pending["psp-day"])
    assert answer("proposals") == []


def test_schedules_are_listed_and_changed():
    assert "TIME_RANGE='2024-01/2024-02'" in helio("schedule", "list").stdout
    assert {schedule["name"]: schedule["paused"] for schedule in answer("schedule", "list")} == {
        "psp-bfield": False,
        "station": True,
    }
    helio("schedule", "resume", "station")
    helio("schedule", "pause", "psp-bfield")
    helio("schedule", "remove", "psp-bfield")
    assert [schedule["name"] for schedule in answer("schedule", "list")] == ["station"]


def test_runs_of_every_kind_are_listed_and_shown():
    listed = answer("runs", "--limit", "100")
    assert {record["status"] for record in listed} == {*FINISHED, "cancelled", "running"}
    assert not [record for record in listed if record["status"] == "damaged"]
    engines = set()
    for run in runs():
        assert run in helio("runs", "show", run).stdout
        shown = answer("runs", "show", run)
        assert shown["notes"] == []
        engines.add(shown.get("engine", ""))
        assert helio("explain", run).stdout
    assert {"direct", "prefect", "none"} <= engines


def test_every_table_of_a_run_is_described_and_previewed():
    tables = 0
    for run in runs("", *FINISHED):
        for step in answer("runs", "show", run)["steps"]:
            for output in step["outputs"]:
                if output["label"]:
                    tables += 1
                    assert output["label"] in helio("describe", run, output["label"]).stdout
                    assert helio("preview", run, output["label"]).stdout
    assert tables > 20


def test_why_answers_for_every_step():
    for run in runs("", *FINISHED):
        for step in answer("runs", "show", run)["steps"]:
            assert helio("why", run, str(step["step_id"])).stdout


def test_what_a_run_gives_now_is_what_it_gave_or_is_explained():
    for run in runs("", *FINISHED):
        result = helio("verify", run, "--archive", archive_of(run), "--offline", "--json", code=None)
        found = json.loads(result.stdout)
        # a run that gave nothing has nothing to compare
        codes = (2,) if found["verdict"] == "nothing compared" else (0, 1)
        assert result.exit_code in codes, f"{run}\n{result.output}"
        gave = any(step["outputs"] for step in answer("runs", "show", run)["steps"])
        assert gave == (result.exit_code != 2)
        tools = [line for line in found["plan"] if line.startswith("tool ")]
        explained = bool(found["rules"] or tools)
        assert not found["numbers"] or explained, f"{run}: {found['numbers']}"
        # Every figure names the version of helio that drew it.
        version = any(line.startswith("helio: ") for line in found["environment"])
        assert not found["figures"] or explained or version, f"{run}: {found['figures']}"


def test_two_runs_are_compared():
    february, all_of_it = runs("station")
    lines = helio("diff", all_of_it, february).stdout
    assert "2024-01-01" in lines
    assert "numbers:" in lines
    again, first = runs("gle73-particles")
    assert answer("diff", first, again)["same_results"]


def test_an_old_run_is_compared_with_one_of_today():
    helio("run", "station", "--archive", "data", "-t", "2024-01-01 to 2024-03-01", "-o", "out")
    now, _, then = runs("station")
    found = answer("diff", then, now)
    assert found["compared"]["tables"] == 5
    changed = {name for name, rule in RULES.items() if rule.number > 1}
    assert {line.split(":")[0] for line in found["rules"]} <= changed


def test_data_are_cited():
    for run in runs("", "success", "partial"):
        assert helio("cite", run).stdout
        assert answer("cite", run)["datasets"]


# Rules


@pytest.fixture
def new_rule(monkeypatch: pytest.MonkeyPatch) -> str:
    """A change of how files are read, as a later version brings it."""
    words = "since 99.9 numbers are read backwards"
    reading = RULES["reading"]
    monkeypatch.setitem(RULES, "reading", replace(reading, changes=(*reading.changes, words)))
    return f"reading: {words}"


def gives_other_numbers(path: Path, digest: str) -> None:
    """Make a record or a lock say that a table was another."""
    path.write_text(path.read_text(encoding="utf-8").replace(digest, f"sha256:{64 * '0'}"), encoding="utf-8")


def digest_of(run: str, label: str) -> str:
    return next(
        str(output["digest"])
        for step in answer("runs", "show", run)["steps"]
        for output in step["outputs"]
        if output["label"] == label
    )


def test_verify_names_the_rule_that_changed_when_numbers_differ(new_rule: str):
    run = runs("station-months")[0]
    gives_other_numbers(Path("home/runs") / run / "steps.jsonl", digest_of(run, "OBS_MAG.Bx"))
    lines = helio("verify", run, "--archive", "data", code=1).stdout
    assert new_rule in lines
    assert "no version that is recorded differs" not in lines
    assert new_rule in answer("verify", run, "--archive", "data", code=1)["rules"]


def test_diff_names_the_rule_that_changed(new_rule: str):
    helio("run", "station-months", "--archive", "data", "-o", "out")
    now, then = runs("station-months")
    assert new_rule in helio("diff", then, now).stdout
    assert new_rule in helio("diff", now, then).stdout


def test_a_lock_names_the_rule_that_changed_when_numbers_differ(new_rule: str):
    digest = digest_of(runs("station")[1], "OBS_MAG.Bx")
    gives_other_numbers(Path("station.lock"), digest)
    assert new_rule in helio("run", "station", "--lock", "station.lock", "-o", "out", code=2).output


def test_verify_says_nothing_of_rules_when_nothing_differs(new_rule: str):
    helio("run", "psp-bfield", "--archive", "sample", "-o", "out")
    run = runs("psp-bfield")[0]
    header = Path("home/runs") / run / "run.json"
    header.write_text(header.read_text(encoding="utf-8").replace('"reading":', '"reading before":'))
    assert new_rule not in helio("verify", run).stdout


# Locks and plans


@pytest.mark.parametrize("lock", ["gle.lock", "station.lock"])
def test_a_lock_holds_or_says_which_tool_or_rule_has_changed(lock: str):
    pipeline = json.loads(Path(lock).read_text(encoding="utf-8"))["pipeline"]
    result = helio("run", pipeline, "--lock", lock, "-o", "out", code=None)
    said = [": version ", *(f"{name}: " for name in RULES)]
    assert result.exit_code == 0 or any(words in result.output for words in said), result.output


def test_a_saved_plan_runs_or_asks_to_be_made_again(old: Path):
    plan = Path("station-plan.json")
    moved = plan.read_text(encoding="utf-8").replace("/tmp/helio-old-home", str(old))
    plan.write_text(moved, encoding="utf-8")
    result = helio("run", str(plan), "-o", "out", code=None)
    assert result.exit_code == 0 or "helio plan" in result.output, result.output


def test_a_lock_and_a_pipeline_are_made_of_old_runs():
    run = runs("gle73-particles")[0]
    helio("lock", "--run", run, "-o", "again.lock")
    then, now = (json.loads(Path(name).read_text(encoding="utf-8")) for name in ("gle.lock", "again.lock"))
    assert now["fetches"] == then["fetches"]
    helio("save", run, "--as", "again")
    assert "valid" in helio("check", "again").output


def test_nothing_that_a_record_needs_is_collected():
    def objects() -> set[str]:
        return {
            output["digest"]
            for run in runs()
            for step in answer("runs", "show", run)["steps"]
            for output in step["outputs"]
        }

    before = objects()
    helio("gc")
    helio("gc", "--delete")
    assert objects() == before
    kept = {f"sha256:{path.stem}" for path in Path("home/store/objects").rglob("*.*")}
    assert before <= kept


def test_an_old_pipeline_runs():
    helio("run", "saved-gle", "--archive", "sample", "-o", "out")
    assert answer("runs")[0]["status"] == "success"


def test_a_new_record_has_the_number_of_every_rule():
    helio("run", "station-months", "--archive", "data", "-o", "out")
    numbers = {name: rule.number for name, rule in RULES.items()}
    assert answer("runs", "show", runs()[0])["rules"] == numbers
    assert json.loads(Path("out/run.json").read_text(encoding="utf-8"))["rules"] == numbers
