"""A HAPI server that a person names is searched before the catalogue, by the rules and by a model."""

from dataclasses import replace
from pathlib import Path

import pytest

from helio import api
from helio.authoring.discovery import CatalogueTools
from helio.authoring.models.model import Call
from helio.authoring.outcome import NotUnderstood
from helio.authoring.proposals.store import Proposal
from helio.errors import ServerUnavailable
from helio.knowledge.archive_catalogue import MOST_DESCRIBED, CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue
from helio.settings import Settings
from helio.testing import HapiStandIn
from helio.testing.hapi import dataset
from tests.authoring.conftest import NOW

pytestmark = pytest.mark.process

HOURS = [f"2022-01-01T{hour:02}:00:00Z" for hour in range(24)]
FIELD = {"type": "double", "units": "nT", "fill": "-1e31", "size": [3]}


def field(name: str, parameter: str = "BGSEc", **about):
    """A dataset of one day with a magnetic field."""
    described = {**FIELD, "name": parameter, "description": "Magnetic field in GSE"}
    span = {"start": "2022-01-01T00:00Z", "stop": "2022-01-02T00:00Z", "cadence": "PT1H"}
    return dataset(name, [described], HOURS, {parameter: [[1, 2, 3]] * 24}, **{**span, **about})


@pytest.fixture
def server():
    with HapiStandIn([field("AC_H3_MFI"), field("LAB_MAG", "B_GSE")]) as standin:
        yield standin


@pytest.fixture
def settings(tmp_path: Path, server) -> Settings:
    return Settings(home=tmp_path / "home", servers={"hapi": {"lab": server.url}}, model_fallback="")


@pytest.fixture
def desk(settings):
    made = []

    def make(archive: str | None = "hapi:lab"):
        made.append(api.desk(settings=settings, by="rules", now=NOW, archive=archive))
        return made[-1]

    yield make
    for one in made:
        one.close()


def candidates(proposal: Proposal) -> list[str]:
    args = proposal.template["steps"][0]["tool_args"]
    return [choice["dataset_id"] for choice in args.get("candidates", [args])]


def test_a_dataset_of_the_server_is_taken_by_its_name_and_runs(desk, settings):
    one = desk()
    made = one.create("LAB_MAG.B_GSE for 2022-01-01", name="mine")
    assert candidates(made) == ["LAB_MAG"]
    assert "the archive hapi:lab has LAB_MAG; to use it: helio run mine --archive hapi:lab" in made.notes
    one.proposals.accept(made)
    run = api.run("mine", archive="hapi:lab", settings=settings)
    assert run.result.steps[0].outputs[0].facts["rows"] == 24


def test_the_server_comes_before_what_comes_first_in_the_table(desk):
    asked = "ACE magnetic field vector for 2022-01-01"
    assert candidates(desk(None).create(asked))[0] == "AC_H0_MFI"
    made = desk().create(asked)
    assert candidates(made)[0] == "AC_H3_MFI"
    assert any(note.startswith("the archive hapi:lab has AC_H3_MFI") for note in made.notes)


def test_a_time_that_the_server_does_not_have_is_taken_from_the_catalogue_and_said(desk):
    made = desk().create("ACE magnetic field vector for 2021-05-01")
    assert "AC_H3_MFI" not in candidates(made)
    assert any(note.startswith("the archive hapi:lab lacks AC_H0_MFI") for note in made.notes)


@pytest.mark.parametrize(
    "words", ["from hapi:lab", "from the lab HAPI server", "via HAPI of lab", "from {url}"]
)
def test_the_server_in_the_sentence_is_the_one_that_was_searched(desk, server, words):
    asked = f"ACE magnetic field vector for 2022-01-01 {words.format(url=server.url)}"
    for archive in ("hapi:lab", server.url):
        assert candidates(desk(archive).create(asked))[0] == "AC_H3_MFI"
    with pytest.raises(NotUnderstood, match="names the archive hapi:lab, but helio searched no archive"):
        desk(None).create(asked)


def test_a_server_that_does_not_answer_is_an_error(desk):
    with pytest.raises(ServerUnavailable):
        desk("http://127.0.0.1:9/hapi").create("ACE magnetic field vector for 2022-01-01")


def test_a_model_s_search_has_the_server_s_datasets_first(server, settings, library, tmp_path):
    listing = api._listing_of("hapi:lab", settings)
    shelf = CatalogueTools(CatalogueWithArchive(Catalogue(), listing, "hapi:lab"), library, tmp_path)
    first, *_ = shelf.call(Call("search_datasets", {"query": "lab magnetic field"}))["datasets"]
    assert (first["dataset_id"], first["found_in"]) == ("LAB_MAG", "archive")
    row, *_ = shelf.call(Call("find_quantity", {"quantity": "magnetic field vector", "spacecraft": "ACE"}))[
        "rows"
    ]
    assert (row["dataset_id"], row["found_in"]) == ("AC_H3_MFI", "archive")


def test_of_a_server_with_many_datasets_only_those_that_the_words_name_are_asked_for(settings):
    with HapiStandIn(
        [field(f"ZZ_{n}_MAG") for n in range(3 * MOST_DESCRIBED)] + [field("AC_H3_MFI")]
    ) as large:
        listing = api._listing_of("hapi:big", replace(settings, servers={"hapi": {"big": large.url}}))
        catalogue = CatalogueWithArchive(Catalogue(), listing, "hapi:big")
        assert [entry.id for entry in catalogue.archived("ACE")] == ["AC_H3_MFI"]
        assert catalogue.find_archived("zz 117 field")[0].id == "ZZ_117_MAG"
        assert len(large.asked("/info")) <= MOST_DESCRIBED + 1


def test_cdaweb_s_own_server_needs_no_list_because_the_catalogue_has_it(settings):
    assert api._listing_of("hapi:CDAWeb", settings) is None
    assert api._listing_of("cdaweb", settings) is None


def test_of_two_datasets_of_the_archive_the_one_that_covers_more_of_the_time_is_first(settings):
    short = field("AC_H3_MFI", stop="2022-01-01T06:00Z")
    with HapiStandIn([short, field("AC_K2_MFI")]) as both:
        one = api.desk(settings=settings, by="rules", now=NOW, archive=both.url)
        made = one.create("ACE magnetic field vector for 2022-01-01")
        one.close()
    assert candidates(made)[0] == "AC_K2_MFI"
