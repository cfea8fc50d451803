"""The catalogue renewed over HTTP from a stand-in on loopback, and kept when that cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.knowledge.catalogue import Catalogue, open_catalogue, renewed_path
from helio.knowledge.catalogue_file import CatalogueDataset, CatalogueParameter, encode
from helio.sources.samples import sample_folder
from helio.testing import Handler, StandIn

pytestmark = pytest.mark.process

DATASETS = "/WS/cdasr/1/dataviews/sp_phys/datasets"
MASTER = "/pub/software/cdawlib/0MASTERS/ac_k2_mfi_00000000_v01.cdf"
FUTURE = datetime(2026, 4, 1, tzinfo=UTC)


def row(dataset: str, **other: Any) -> dict[str, Any]:
    """As the service answers, https://cdaweb.gsfc.nasa.gov/WS/cdasr/1/dataviews/sp_phys/datasets in JSON."""
    return {
        "Id": dataset,
        "Observatory": ["ACE"],
        "Instrument": ["MAG"],
        "ObservatoryGroup": ["ACE"],
        "InstrumentType": ["Magnetic Fields (space)"],
        "Label": f"Magnetic field of {dataset} - N. Ness (Bartol Research Institute)",
        "TimeInterval": {"Start": "1997-09-02T00:00:12.000Z", "End": "2026-10-01T23:59:59.000Z"},
        "PiName": "N. Ness",
        "PiAffiliation": "Bartol Research Institute",
        "Notes": f"https://cdaweb.gsfc.nasa.gov/misc/NotesA.html#{dataset}",
        "Doi": "10.48322/e0dc-0h53",
        **other,
    }


class ServiceHandler(Handler):
    def route(self) -> None:
        status, kind, body = self.standin.replies.get(self.path, (404, "text/html", b"<html>not here</html>"))
        self.answer(status, body, kind)


class Service(StandIn):
    """Replies by path, changed by the test."""

    handler = ServiceHandler

    def __init__(self) -> None:
        self.replies: dict[str, tuple[int, str, bytes]] = {}
        super().__init__()

    def lists(self, *rows: dict[str, Any]) -> None:
        self.replies[DATASETS] = (200, "application/json", json.dumps({"DatasetDescription": rows}).encode())


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as served:
        yield served


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose catalogue knows two datasets, one of them with parameters."""
    monkeypatch.setenv("HELIO_HOME", str(tmp_path))
    facts = [
        CatalogueDataset(
            "AC_H0_MFI",
            "ACE",
            "Magnetic Fields",
            "Old title",
            "",
            "",
            "",
            "",
            "",
            [CatalogueParameter("BGSEc", "nT", (3,))],
        ),
        CatalogueDataset("AC_H9_OLD", "ACE", "Magnetic Fields", "Gone by now", "", "", "", "", "", []),
    ]
    path = renewed_path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(encode(facts, as_of=FUTURE, sources=["a test"]))
    return tmp_path


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


def refresh(service: Service, *arguments: str) -> Result:
    return helio("catalog", "refresh", "--server", service.url, *arguments)


def test_spans_and_titles_are_renewed_and_known_parameters_kept(service: Service, home: Path):
    service.lists(row("AC_H0_MFI"))
    done = refresh(service)
    assert done.exit_code == 0, done.output
    entry = open_catalogue(home).dataset("AC_H0_MFI")
    assert entry.title == "Magnetic field of AC_H0_MFI"
    assert entry.affiliation == "Bartol Research Institute"
    assert entry.last == datetime(2026, 10, 1, 23, 59, 59, tzinfo=UTC)
    assert [parameter.name for parameter in entry.parameters] == ["BGSEc"]
    assert "AC_H9_OLD" not in open_catalogue(home)
    assert [request.path for request in service.requests] == [DATASETS]


def test_a_new_dataset_is_described_from_its_master(service: Service, home: Path):
    service.lists(row("AC_H0_MFI"), row("AC_K2_MFI"))
    master = next(sample_folder().glob("ac_k2_mfi*.cdf")).read_bytes()
    service.replies[MASTER] = (200, "application/octet-stream", master)
    done = refresh(service, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert (told["added"], told["gone"], told["described"]) == (["AC_K2_MFI"], ["AC_H9_OLD"], ["AC_K2_MFI"])
    vector = open_catalogue(home).dataset("AC_K2_MFI").parameter("BGSEc")
    assert (vector.unit, vector.size, vector.frame) == ("nT", (3,), "GSE")
    assert (
        json.loads(helio("datasets", "search", "AC_K2_MFI", "--json").output)["datasets"][0]["id"]
        == "AC_K2_MFI"
    )


@pytest.mark.parametrize("master", [None, b"<html>busy</html>", b"\xcd\xf3\x00\x01" + b"\0" * 2000])
def test_a_master_that_cannot_be_read_leaves_the_dataset_undescribed(
    service: Service, home: Path, master: bytes
):
    service.lists(row("AC_H0_MFI"), row("AC_K2_MFI"))
    if master is not None:
        service.replies[MASTER] = (200, "application/octet-stream", master)
    done = refresh(service)
    assert done.exit_code == 0
    assert "the master CDFs of these datasets could not be read: AC_K2_MFI" in done.output
    assert open_catalogue(home).dataset("AC_K2_MFI").parameters == ()


def test_masters_of_known_datasets_are_read_when_asked(service: Service, home: Path):
    service.lists(row("AC_H0_MFI"))
    master = next(sample_folder().glob("ac_k2_mfi*.cdf")).read_bytes()
    service.replies[MASTER.replace("ac_k2", "ac_h0")] = (200, "application/octet-stream", master)
    assert refresh(service, "--masters", "ac_*").exit_code == 0
    assert len(open_catalogue(home).dataset("AC_H0_MFI").parameters) > 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ((404, "text/html", b"<html>gone</html>"), "404"),
        ((200, "application/json", b'{"Message": ["no such view"]}'), "is not a list of datasets"),
        ((200, "application/json", b"[]"), "is not a list of datasets"),
        ((200, "application/json", b'{"DatasetDescription": []}'), "lists only 0 of 2 known datasets"),
    ],
)
def test_a_service_that_does_not_answer_leaves_the_catalogue_as_it_was(
    service: Service, home: Path, reply: tuple[int, str, bytes], said: str
):
    before = renewed_path(home).read_bytes()
    service.replies[DATASETS] = reply
    done = refresh(service)
    assert done.exit_code == 1
    assert said in done.output
    assert "the catalogue of 2026-04-01 is kept" in done.output
    assert "Traceback" not in done.output
    assert renewed_path(home).read_bytes() == before
    assert sorted(path.name for path in renewed_path(home).parent.iterdir()) == ["cdaweb.catalogue"]


def test_rows_that_lack_what_others_have_are_taken_as_far_as_they_go(service: Service, home: Path):
    bare = {"Id": ["AC_H0_MFI"], "TimeInterval": {"Start": "soon", "End": None}}
    service.lists(bare, {"Label": "no id"}, row("AC_X"))
    assert refresh(service).exit_code == 0
    entry = open_catalogue(home).summary("AC_H0_MFI")
    assert (entry.title, entry.first, entry.last, entry.doi) == ("", None, None, "")


def test_a_catalogue_of_today_is_not_asked_for_again(service: Service, home: Path):
    service.lists(row("AC_H0_MFI"))
    assert refresh(service).exit_code == 0
    again = refresh(service)
    assert again.exit_code == 0
    assert "less than a day old" in again.output
    assert refresh(service, "--force").exit_code == 0
    assert [request.path for request in service.requests] == [DATASETS, DATASETS]
    assert Catalogue(renewed_path(home)).sources[0].endswith(DATASETS)


def test_a_damaged_catalogue_is_renewed(service: Service, home: Path):
    renewed_path(home).write_bytes(b"not a catalogue")
    service.lists(*(row(dataset_id) for dataset_id in Catalogue().ids()[:1500]))
    assert refresh(service).exit_code == 0
    assert len(open_catalogue(home)) == 1500
