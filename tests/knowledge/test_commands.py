"""The commands that find and show datasets, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


def test_search_puts_id_span_cadence_and_title_on_a_line():
    found = helio("datasets", "search", "solar wind magnetic field ACE 1 min", "--limit", "2")
    assert found.exit_code == 0
    first, *_, last = found.output.splitlines()
    assert first.startswith("AC_H0_MFI  1997-09-02 to ")
    assert "16 s" in first
    assert last.startswith("and ")


def test_search_takes_words_quoted_or_not():
    assert (
        helio("datasets", "search", "ACE", "B", "field").output
        == helio("datasets", "search", "ACE B field").output
    )


def test_search_that_finds_nothing_says_what_may_be_meant_and_fails():
    found = helio("datasets", "search", "ACE", "magnetometr")
    assert found.exit_code == 1
    assert "no dataset matches" in found.output
    assert "did you mean 'magnetometer'" in found.output


def test_search_prints_json_for_programs():
    told = json.loads(helio("datasets", "search", "SYM-H index", "--json", "--limit", "1").output)
    assert told["datasets"][0]["id"].startswith("OMNI_HRO")
    assert told["total"] > 1


def test_show_tells_what_is_known_and_how_to_cite_it():
    shown = helio("datasets", "show", "ac_h0_mfi")
    assert shown.exit_code == 0
    for words in (
        "AC_H0_MFI",
        "MFI (Magnetic Fields)",
        "16 s",
        "10.48322/e0dc-0h53",
        "N. Ness",
        "NotesA.html",
        "as of 20",
    ):
        assert words in shown.output
    assert max(map(len, shown.output.splitlines())) <= 120
    assert json.loads(helio("datasets", "show", "AC_H0_MFI", "--json").output)["cadence_seconds"] == [16.0]


def test_show_of_a_dataset_that_has_ended_says_so():
    assert ", has ended" in helio("datasets", "show", "UY_1MIN_VHM").output
    assert ", has ended" not in helio("datasets", "show", "AC_H0_MFI").output


def test_an_unknown_dataset_is_an_error_with_a_way_out():
    shown = helio("datasets", "show", "AC_H0_MFY")
    assert shown.exit_code == 1
    assert "did you mean 'AC_H0_MFI'" in shown.output
    failed = helio("datasets", "parameters", "AC_H0_MFY", "--json")
    assert json.loads(failed.output)["error"]["kind"] == "UnknownDataset"


def test_parameters_come_as_a_table():
    lines = helio("datasets", "parameters", "AC_H0_SWE").output.splitlines()
    assert lines[0].split() == ["parameter", "size", "unit", "description"]
    density = next(line for line in lines if line.startswith("Np"))
    assert density.split()[1:3] == ["1", "cm^-3"]


def test_parameters_can_be_chosen_by_text():
    told = json.loads(helio("datasets", "parameters", "OMNI_HRO_1MIN", "--match", "sym", "--json").output)
    assert [parameter["name"] for parameter in told["parameters"]] == ["SYM_D", "SYM_H"]


def test_missions_come_with_spacecraft_and_json():
    assert "MMS1 MMS2 MMS3 MMS4" in helio("missions").output
    told = json.loads(helio("missions", "--json").output)
    assert next(mission for mission in told if mission["name"] == "ACE")["datasets"] == 33


def test_a_damaged_catalogue_in_the_home_is_named(tmp_path: Path):
    path = tmp_path / "home" / "catalogue" / "cdaweb.catalogue"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a catalogue")
    shown = helio("datasets", "show", "AC_H0_MFI")
    assert shown.exit_code == 1
    assert "delete this file" in shown.output


@pytest.mark.parametrize("command", ["show", "parameters"])
def test_a_dataset_of_another_provider_is_named_with_its_parameters(command: str):
    result = helio("datasets", command, "mms1")
    assert result.exit_code != 0
    assert 'set "provider": "ssc" in the fetch; its parameters: XYZ_GSE, XYZ_GSM' in " ".join(
        result.output.split()
    )
