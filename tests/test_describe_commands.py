"""Looking at the tables of a run, as a user does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.errors import DamagedObject
from helio.settings import read_settings
from helio.store.runs import Runs
from helio.store.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]


@pytest.fixture
def run_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of two steps on the samples."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    template = {
        "id": "looked-at",
        "steps": [
            {
                "step_id": "b",
                "tool_name": "fetch_data",
                "tool_args": {
                    "dataset_id": "AC_K2_MFI",
                    "parameter_id": "BGSEc",
                    "time_range": "2022-01-01",
                },
            },
            {
                "step_id": "m",
                "tool_name": "magnitude",
                "tool_args": {"source_label": "AC_K2_MFI.BGSEc", "output_label": "B_total"},
            },
        ],
    }
    return api.run(template, archive="sample").id


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


def test_every_table_of_a_run_is_described(run_id: str) -> None:
    shown = helio("describe", run_id)
    assert shown.exit_code == 0
    assert "AC_K2_MFI.BGSEc: " in shown.output
    assert "B_total: " in shown.output
    told = json.loads(helio("describe", run_id, "--json").output)
    assert [fact["label"] for fact in told] == ["AC_K2_MFI.BGSEc", "B_total"]
    assert told[0]["rows"] == 24


def test_one_component_is_described_and_previewed(run_id: str) -> None:
    [told] = json.loads(helio("describe", run_id, "AC_K2_MFI.BGSEc.Bz", "--json").output)
    assert (told["kind"], told["components"]) == ("scalar", 1)
    shown = json.loads(
        helio("preview", run_id, "AC_K2_MFI.BGSEc.Bz", "--rows", "2", "--tail", "--json").output
    )
    assert len(shown["rows"]) == 2
    assert shown["rows"][-1]["epoch"].startswith("2022-01-01T23")


def test_the_first_and_the_last_records_are_shown(run_id: str) -> None:
    shown = helio("preview", run_id, "B_total", "--both", "--rows", "1")
    assert shown.output.startswith("B_total [nT], 2 of 24 records")
    assert len(shown.output.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("describe", "B_tot"), 2, "did you mean 'B_total'?"),
        (("describe", "xyz"), 2, "choose from AC_K2_MFI.BGSEc, B_total"),
        (("preview", "AC_K2_MFI.BGSEc.Bq"), 1, "no component is called 'Bq'"),
        (("preview", "B_total", "--rows", "51"), 2, "1 to 50 rows"),
        (("preview", "B_total", "--rows", "0"), 2, "helio can show 1 to"),
    ],
)
def test_what_is_not_there_is_refused_in_words(
    run_id: str, arguments: tuple[str, ...], code: int, said: str
) -> None:
    shown = helio(arguments[0], run_id, *arguments[1:])
    assert shown.exit_code == code
    assert said in shown.output
    assert "Traceback" not in shown.output


def test_an_unknown_run_is_refused(run_id: str) -> None:
    assert helio("describe", "looked-under").exit_code == 2
    assert helio("preview", "looked-under", "B_total").exit_code == 2


def test_a_table_that_was_collected_is_said_to_be_gone(run_id: str) -> None:
    settings = read_settings()
    for step in Runs(settings.runs).load(run_id).steps:
        for output in step["outputs"]:
            if output["label"]:
                Store(settings.store).path(output["digest"]).unlink()
    with pytest.raises(DamagedObject):
        api.describe(run_id, "B_total")
    shown = helio("describe", run_id)
    assert shown.exit_code == 1
    assert "Traceback" not in shown.output
