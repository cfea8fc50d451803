"""An archive that is named is searched before the catalogue, by the rules and by a model."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from helio import api
from helio.authoring.discovery import CatalogueTools, tools
from helio.authoring.models import door as doors
from helio.authoring.models.model import Call
from helio.authoring.outcome import NotProved, NotUnderstood
from helio.authoring.proposals.store import Proposal
from helio.authoring.rules.reading.named_archives import take_archive
from helio.errors import RequestError, UnknownParameter
from helio.knowledge.archive_catalogue import CatalogueWithArchive
from helio.knowledge.catalogue import Catalogue
from helio.settings import Settings
from helio.sources.archive_listing import ArchiveListing
from helio.sources.samples import sample_folder
from tests.authoring import standin_gemini as standin
from tests.authoring.answers import SEEN, fetch, figure, plan
from tests.authoring.conftest import NOW
from tests.authoring.standin_gemini import KEY

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]

ROWS = "time,n [cm^-3],speed [km/s]\n" + "".join(
    f"2024-01-10T00:{minute:02}Z,{minute},400\n" for minute in range(60)
)
DAY = {"name": "$TIME_RANGE", "type": "time_range", "default": "2024-01-10"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One's own file, and one of CDAWeb's that is not the table's first choice."""
    made = tmp_path / "my data"
    made.mkdir()
    (made / "my_event.csv").write_text(ROWS)
    shutil.copy(sample_folder() / "ac_k2_mfi_20220101_v03.cdf", made)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", model_fallback="")


@pytest.fixture
def desk(settings, monkeypatch, still, folder):
    """Makes desks over the archive, with a scripted model or without."""
    monkeypatch.setattr(doors, "Clock", lambda: still.clock)
    made = []

    def make(server=None, archive=folder):
        with_model = (
            replace(settings, model_keys={"gemini": KEY}, model_urls={"gemini": server.url})
            if server
            else settings
        )
        made.append(api.desk(settings=with_model, now=NOW, archive=archive))
        return made[-1]

    yield make
    for proposal in made:
        proposal.close()


@pytest.fixture
def shelf(folder, library, tmp_path, settings) -> CatalogueTools:
    catalogue = CatalogueWithArchive(Catalogue(), api.list_archive(folder, settings=settings), str(folder))
    return CatalogueTools(catalogue, library, tmp_path / "runs")


def datasets(proposal: Proposal) -> set[str]:
    text = json.dumps(proposal.template)
    return {name for name in ("AC_K2_MFI", "AC_H0_MFI", "AC_H1_MFI", "AC_H3_MFI", "MY_EVENT") if name in text}


def candidates(proposal: Proposal) -> list[str]:
    """List the datasets of the first fetch, in the order in which a run tries them."""
    args = proposal.template["steps"][0]["tool_args"]
    return [choice["dataset_id"] for choice in args.get("candidates", [args])]


# ---- the rules


def test_the_rules_take_a_dataset_of_one_s_own_by_its_name(desk, folder, settings):
    one = desk()
    made = one.create("MY_EVENT.n for 2024-01-10", name="mine")
    assert isinstance(made, Proposal)
    assert datasets(made) == {"MY_EVENT"}
    assert f"the archive {folder} has MY_EVENT; to use it: helio run mine --archive '{folder}'" in made.notes
    one.proposals.accept(made)
    run = api.run("mine", archive=folder, settings=settings)
    assert run.status == "success"
    assert run.result.steps[0].outputs[0].facts["rows"] == 60


def test_the_rules_take_what_the_archive_has_before_what_comes_first_in_the_table(desk, folder):
    asked = "ACE magnetic field vector for 2022-01-01"
    nowhere = desk(archive=None).create(asked)
    assert "AC_K2_MFI" not in datasets(nowhere)
    shadowed = sample_folder() / "ac_k2_mfi_20220101_v03.cdf"
    shutil.copy(shadowed, folder / "ac_h0_mfi_20220101_v07.cdf")
    made = desk().create(asked)
    assert candidates(made) == ["AC_H0_MFI", "AC_K1_MFI"]
    assert any("AC_H0_MFI.BGSEc, 16 s, on 2022-01-01" in note for note in made.notes)
    assert f"AC_K1_MFI of CDAWeb comes after what the archive {folder} has" in made.notes


def test_a_dataset_of_the_archive_that_the_table_lacks_comes_first(desk, folder, settings):
    own = desk()
    made = own.create("ACE magnetic field for 2022-01-01", name="mine")
    assert candidates(made) == ["AC_K2_MFI", "AC_H2_MFI"]
    assert "ACE magnetic field: AC_K2_MFI.BGSEc, 1 h, on 2022-01-01" in made.notes
    assert "AC_K2_MFI: preliminary" in made.notes
    assert f"the archive {folder} has AC_K2_MFI; to use it: helio run mine --archive '{folder}'" in made.notes
    assert "AC_H2_MFI of CDAWeb comes after what the archive" in " ".join(made.notes)
    assert not [note for note in made.notes if "lacks" in note]
    own.proposals.accept(made)
    run = api.run("mine", archive=folder, settings=settings)
    assert run.status == "success"
    assert run.result.steps[0].outputs[0].facts["rows"] == 24


def test_another_time_takes_the_catalogue_although_the_archive_has_the_dataset(desk, folder):
    made = desk().create("ACE magnetic field for 2021-05-01")
    assert candidates(made) == ["AC_H0_MFI", "AC_K1_MFI"]
    assert any(note.startswith(f"the archive {folder} lacks AC_H0_MFI, AC_K1_MFI") for note in made.notes)


def test_data_of_the_archive_that_are_too_coarse_for_the_cadence_come_after_the_catalogue(desk):
    made = desk().create("ACE magnetic field at 1 min for 2022-01-01")
    assert candidates(made)[0] == "AC_H0_MFI"


def test_a_time_that_the_archive_does_not_reach_is_taken_from_the_catalogue_and_said(desk, folder):
    shutil.copy(sample_folder() / "ac_k2_mfi_20220101_v03.cdf", folder / "ac_h0_mfi_20220101_v07.cdf")
    made = desk().create("ACE magnetic field vector for 2021-05-01")
    assert datasets(made) != {"AC_H0_MFI"}
    assert any(note.startswith(f"the archive {folder} lacks AC_H") for note in made.notes)


def test_a_parameter_that_the_file_has_not_is_refused_with_the_closest(desk):
    with pytest.raises(UnknownParameter, match="MY_EVENT has no parameter 'spee'") as caught:
        desk().create("MY_EVENT.spee for 2024-01-10")
    assert "speed" in caught.value.advice


def test_a_time_that_one_s_own_file_does_not_have_is_refused_with_what_it_covers(desk):
    with pytest.raises(NotProved) as caught:
        desk().create("MY_EVENT.n for 2020-01-10")
    (found,) = caught.value.diagnostics
    assert (found.code, "MY_EVENT covers 2024-01-10 to 2024-01-10" in found.message) == ("HE403", True)


def test_a_time_that_only_the_archive_lacks_is_said_to_be_in_the_catalogue(desk, folder):
    with pytest.raises(NotProved) as caught:
        desk().create("AC_K2_MFI.Magnitude for 2021-05-01")
    (found,) = caught.value.diagnostics
    assert found.message.startswith(f"the archive {folder} has no data for 2021-05-01 to 2021-05-02: ")
    assert f"in the archive {folder}; CDAWeb has AC_K2_MFI from " in found.message
    assert found.advice == ("choose another time, or leave the archive out",)
    end = desk().create("when does AC_K2_MFI end?").text
    assert f"data end on 2022-01-01 in the archive {folder}; CDAWeb has AC_K2_MFI from " in end


def test_a_quantity_of_one_dataset_that_the_archive_has_of_another_time_names_the_archive(desk, folder):
    rows = "time,DST1800 [nT]\n" + "".join(f"2023-01-01T{hour:02}:00Z,{hour}\n" for hour in range(24))
    (folder / "omni2_h0_mrg1hr_20230101_v01.csv").write_text(rows)
    with pytest.raises(NotUnderstood, match="OMNI has no Dst for 2003-11-20 to 2003-11-21") as caught:
        desk().create("Dst on 2003-11-20")
    assert f" in the archive {folder}; CDAWeb has OMNI2_H0_MRG1HR from 1963-01-01 to " in str(caught.value)


def test_a_folder_in_the_sentence_is_the_archive_that_was_searched(desk, folder):
    made = desk().create(f"ACE magnetic field for 2022-01-01 from the folder '{folder}'")
    assert candidates(made) == ["AC_K2_MFI", "AC_H2_MFI"]


def test_a_folder_in_the_sentence_that_was_not_searched_is_refused_with_the_option(desk, folder):
    with pytest.raises(NotUnderstood, match="but helio searched no archive") as caught:
        desk(archive=None).create(f"ACE magnetic field for 2022-01-01 from the folder '{folder}'")
    assert "--archive" in caught.value.advice


def test_a_server_with_the_data_of_the_catalogue_is_said_in_a_note(desk):
    made = desk(archive=None).create("ACE magnetic field for 2022-01-01 via HAPI of CDAWeb")
    assert candidates(made)[0] == "AC_H0_MFI"
    assert "to take the data from hapi:CDAWeb, run with --archive hapi:CDAWeb" in made.notes


@pytest.mark.parametrize(
    ("words", "archive"),
    [
        ("from the HAPI server https://example.org/hapi", "https://example.org/hapi"),
        ("from the HAPI server at https://cdaweb.gsfc.nasa.gov/hapi", "hapi:CDAWeb"),
        ("via HAPI of csa", "hapi:CSA"),
        ("from the AMDA HAPI server", "hapi:AMDA"),
        ("from CSA's HAPI server", "hapi:CSA"),
        ("from hapi:Mine", "hapi:Mine"),
        ("from the Mine server", "hapi:Mine"),
        ("from the sample archive", "sample"),
    ],
)
def test_an_archive_is_read_from_the_sentence(words, archive):
    servers = {"hapi": {"Mine": "http://127.0.0.1/hapi"}}
    assert take_archive(f"ACE Bz {words} for 2022-01-01", servers) == ("ACE Bz for 2022-01-01", archive)


def test_an_unknown_server_is_refused_with_the_known_ones():
    with pytest.raises(RequestError, match="no HAPI server is called 'Nowhere'") as caught:
        take_archive("ACE Bz via HAPI of Nowhere for 2022-01-01", {})
    assert "AMDA" in caught.value.advice
    with pytest.raises(RequestError, match="there is no folder"):
        take_archive("ACE Bz from the folder ./none", {})


@pytest.mark.parametrize(
    "text",
    [
        "ACE Bz from CDAWeb for 2022-01-01",
        "density and speed from 2022-01-01 to 2022-01-02",
        "ACE Bz from the HAPI server for 2022-01-01",
    ],
)
def test_other_sentences_name_no_archive(text):
    assert take_archive(text, {}) == (text, "")


# ---- the model's tools


def test_a_search_gives_the_archive_s_datasets_first_and_says_where_each_was_found(shelf):
    found = shelf.call(Call("search_datasets", {"query": "ACE magnetic field"}))
    first, *others = found["datasets"]
    assert (first["dataset_id"], first["found_in"]) == ("AC_K2_MFI", "archive")
    assert first["first"] == "2022-01-01T00:00:00Z"
    assert {other["found_in"] for other in others} == {"CDAWeb"}
    assert "AC_K2_MFI" not in [other["dataset_id"] for other in others]


def test_a_quantity_is_found_first_in_the_archive_although_the_table_lacks_the_dataset(shelf):
    asked = {"quantity": "magnetic field vector", "spacecraft": "ACE"}
    first, *others = shelf.call(Call("find_quantity", asked))["rows"]
    assert (first["dataset_id"], first["parameters"], first["found_in"]) == (
        "AC_K2_MFI",
        ["BGSEc"],
        "archive",
    )
    assert (first["frame"], first["cadence_seconds"], first["note"]) == ("GSE", 3600.0, "preliminary")
    assert {row["found_in"] for row in others} == {"CDAWeb"}


def test_a_search_that_finds_nothing_in_the_archive_says_what_it_has(shelf):
    found = shelf.call(Call("search_datasets", {"query": "Cassini plasma"}))
    assert found["archive_has"] == ["AC_K2_MFI", "MY_EVENT"]


def test_parameters_are_those_of_the_files_and_the_reference_says_so(shelf):
    found = shelf.call(Call("list_parameters", {"dataset_id": "MY_EVENT"}))
    assert [(parameter["parameter_id"], parameter["unit"]) for parameter in found["parameters"]] == [
        ("n", "cm^-3"),
        ("speed", "km/s"),
    ]
    shelf.call(Call("list_parameters", {"dataset_id": "AC_H2_MFI"}))
    own, cdaweb = shelf.found.reference()["datasets"]
    assert (own["dataset_id"], own["found_in"], own["first"]) == (
        "MY_EVENT",
        "archive",
        "2024-01-10T00:00:00Z",
    )
    assert (cdaweb["dataset_id"], cdaweb["found_in"]) == ("AC_H2_MFI", "CDAWeb")


def test_without_an_archive_nothing_says_where_data_were_found(catalogue, library, tmp_path):
    shelf = CatalogueTools(catalogue, library, tmp_path / "runs")
    found = shelf.call(Call("search_datasets", {"query": "ACE magnetic field"}))
    assert not any("found_in" in dataset for dataset in found["datasets"])


@pytest.mark.parametrize("tool", [tool.name for tool in tools()])
def test_every_tool_works_over_an_empty_archive(catalogue, library, tmp_path, tool):
    empty = CatalogueWithArchive(catalogue, ArchiveListing("nowhere", (), ()), "nowhere")
    arguments = {
        "query": "ACE field",
        "dataset_id": "AC_H2_MFI",
        "mission": "ACE",
        "quantity": "magnetic field vector",
    }
    over, plain = (CatalogueTools(known, library, tmp_path / "runs") for known in (empty, catalogue))
    given, same = (desk.call(Call(tool, arguments)) for desk in (over, plain))
    assert "error" not in given
    text = json.dumps(given).replace(', "found_in": "CDAWeb"', "")
    if "archive_has" not in given:
        assert json.loads(text) == same


# ---- a scripted model


def test_a_model_finds_and_plans_with_the_archive(desk, serve, folder, settings):
    look = standin.call("list_parameters", {"dataset_id": "MY_EVENT"})
    steps = (fetch("MY_EVENT", "n"), figure())
    server = serve(look, SEEN, plan(*steps, variables=[DAY]))
    one = desk(server)
    made = one.create("draw my event's density, as physicists like it, for 2024-01-10", name="mine")
    assert isinstance(made, Proposal)
    assert any(note.endswith(f"helio run mine --archive '{folder}'") for note in made.notes)
    searched, _, planned = (json.dumps(request.body, ensure_ascii=False) for request in server.requests)
    assert "has an archive of their own, which is searched first" in searched
    assert '\\"found_in\\": \\"archive\\"' in planned
    assert str(folder) not in searched + planned
    one.proposals.accept(made)
    assert api.run("mine", archive=folder, settings=settings).status == "success"


def test_a_model_that_invents_a_parameter_of_the_archive_is_told(desk, serve):
    wrong, right = (plan(fetch("MY_EVENT", name), figure(), variables=[DAY]) for name in ("density", "n"))
    server = serve(SEEN, wrong, right)
    made = desk(server).create("draw my event's density, as physicists like it, for 2024-01-10")
    assert isinstance(made, Proposal)
    assert "HE402" in json.dumps(server.requests[2].body)
