"""``helio archive DIR`` as a user meets it."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.cli import app
from helio.doctor import examine
from helio.settings import read_settings

pytestmark = pytest.mark.usefixtures("warm_processes")

ROWS = "time,n [cm^-3],v [km/s]\n2024-05-10T12:00Z,1,400\n2024-05-10T12:01Z,2,410\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one file, an empty home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    made = tmp_path / "data"
    made.mkdir()
    (made / "my_event.csv").write_text(ROWS)
    return made


def helio(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_datasets_are_listed_with_span_cadence_parameters_and_units():
    done = helio("archive", "data")
    assert done.exit_code == 0
    head, row, parameters = (line for line in done.output.splitlines()[2:5])
    assert head.split() == ["dataset", "files", "first", "last", "cadence"]
    assert row.split() == ["MY_EVENT", "1", "2024-05-10", "12:00", "2024-05-10", "12:01", "1", "min"]
    assert parameters == "    n [cm^-3], v [km/s]"


def test_json_has_what_the_function_gives(folder):
    document = json.loads(helio("archive", "data", "--json").output)
    (dataset,) = document["datasets"]
    (same,) = api.list_archive(folder).datasets
    assert (dataset["id"], dataset["files"], dataset["bytes"]) == (same.id, 1, len(ROWS))
    assert (dataset["first"], dataset["last"]) == ("2024-05-10T12:00:00Z", "2024-05-10T12:01:00Z")
    assert [parameter["name"] for parameter in dataset["parameters"]] == ["n", "v"]
    assert (dataset["parameters"][0]["unit"], dataset["parameters"][0]["records"]) == ("cm^-3", 2)


def test_one_dataset_is_told_of_closely():
    done = helio("archive", "data", "my_event")
    assert done.exit_code == 0
    assert "span     2024-05-10T12:00:00 to 2024-05-10T12:01:00" in done.output
    assert any(line.split()[:5] == ["n", "1", "cm^-3", "–", "1"] for line in done.output.splitlines())


def test_an_unknown_dataset_is_refused_with_the_closest():
    done = helio("archive", "data", "MY_EVEN")
    assert done.exit_code == 1
    assert "did you mean 'MY_EVENT'?" in done.output


@pytest.mark.parametrize("name", ["absent", "data/my_event.csv", "cdaweb", "https://example.org/hapi"])
def test_what_is_no_folder_is_refused(name):
    done = helio("archive", name)
    assert done.exit_code == 2
    assert done.output.startswith("error: ")


def test_an_empty_folder_is_said_and_is_no_success(tmp_path):
    (tmp_path / "empty").mkdir()
    done = helio("archive", "empty")
    assert done.exit_code == 1
    assert "no file in the folder can be read" in done.output


def test_a_forged_name_prints_no_line_of_its_own(folder):
    with open(os.path.join(os.fsencode(folder), b"a\nerror: forged\x1b[2J\xe9.cdf"), "wb"):
        pass
    for done in (
        helio("archive", "data"),
        helio("archive", "data", "--json"),
        helio("doctor", "--archive", "data"),
    ):
        assert "\x1b" not in done.output
        assert not any(line.startswith("error: forged") for line in done.output.splitlines())
    assert json.loads(helio("archive", "data", "--json").output)["unread"][0]["path"] == (
        r"a\nerror: forged\x1b[2J\xe9.cdf"
    )


def test_the_doctor_names_every_dataset_and_what_cannot_be_read(folder):
    for number in range(20):
        (folder / f"event_{number:02}.csv").write_text(ROWS)
    (folder / "broken.cdf").touch()
    found = next(finding for finding in examine(read_settings(), str(folder)) if finding.subject == "archive")
    assert (
        found.found == f"21 datasets: {', '.join([f'EVENT_{number:02}' for number in range(20)])}, MY_EVENT"
    )
    assert found.advice == f"use `helio archive {folder}` to see the file that cannot be read"


def test_ctrl_c_ends_it_in_words(monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("helio.sources.archive_listing.format_of", interrupted)
    done = helio("archive", "data")
    assert done.exit_code == 130
    assert done.output == "cancelled; files that were read need not be read again\n"
