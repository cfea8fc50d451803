"""Options and sentences fill the same request, so that they lead to the same pipeline."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio import api
from helio.authoring.flags import request_of
from helio.authoring.outcome import TemplateDraft
from helio.authoring.request import Computation, RequestQuantity
from helio.authoring.rules.author import RuleAuthor
from helio.authoring.rules.reading.sentence_reading import read_request
from helio.authoring.writing.computations import APPLIED, tool_named
from helio.cli import app
from helio.errors import RequestError
from helio.knowledge.catalogue import Catalogue
from helio.settings import read_settings
from helio.steps.signature import signatures

NOW = datetime(2026, 3, 10, 15)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    return tmp_path


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


@pytest.mark.parametrize(
    ("sentence", "given"),
    [
        (
            "ACE and Wind density smoothed with a 10 min running average for 2022-01-01",
            {
                "spacecraft": ["ace", "wind"],
                "quantities": ["density"],
                "operations": ["running_average:10min"],
                "time_range": "2022-01-01",
            },
        ),
        (
            "hourly medians of PSP Br and Bn for 2021-04-29",
            {
                "spacecraft": ["psp"],
                "quantities": ["Br", "Bn"],
                "operations": ["resample:1h:median"],
                "time_range": "2021-04-29",
            },
        ),
        (
            "Wind magnetic field in SM at 5 min cadence and its magnitude in one panel, last week, save as csv",
            {
                "spacecraft": ["Wind"],
                "quantities": ["B"],
                "frame": "sm",
                "cadence": "5min",
                "operations": ["magnitude"],
                "together": True,
                "time_range": "last week",
                "save_as": ["csv"],
            },
        ),
        ("AC_H2_MFI.BGSEc for 2022-01-01", {"datasets": ["AC_H2_MFI.BGSEc"], "time_range": "2022-01-01"}),
    ],
)
def test_options_and_a_sentence_give_the_same_request(catalogue, sentence, given):
    assert request_of(**given, catalogue=catalogue, now=NOW) == read_request(sentence, catalogue, NOW).request


@pytest.mark.slow
def test_the_command_writes_what_the_sentence_would_propose(home):
    made = helio(
        *("new", "mine", "--spacecraft", "ACE,Wind", "--quantity", "B,density", "--op", "magnitude"),
        *("--time-range", "2022-01-01"),
    )
    assert made.exit_code == 0, made.output
    assert made.output.splitlines()[-1].endswith("mine.json")
    desk = api.desk(by="rules", settings=read_settings())
    assert isinstance(desk.rules, RuleAuthor)
    outcome = desk.rules.create("ACE and Wind magnetic field and density and magnitude for 2022-01-01")
    assert isinstance(outcome, TemplateDraft)
    kept = api.load("mine", read_settings())
    assert kept["steps"] == outcome.template["steps"]
    assert kept["variables"] == outcome.template["variables"]
    [revision] = api.library(read_settings()).past("mine").revisions()
    assert (revision.kind, revision.by) == ("authored", "you")
    assert "--spacecraft ACE,Wind" in revision.request


def test_a_new_pipeline_is_found_valid_and_is_the_same_each_time():
    words = ("--spacecraft", "ACE", "--quantity", "B", "-t", "2022-01-01", "--json")
    one, other = (json.loads(helio("new", name, *words).stdout) for name in ("one", "other"))
    assert {**one["template"], "id": ""} == {**other["template"], "id": ""}
    assert helio("check", "one").exit_code == 0
    assert any("AC_H0_MFI.BGSEc" in note for note in one["notes"])


def test_a_name_that_is_taken_is_kept_unless_it_is_replaced():
    words = ("new", "mine", "--spacecraft", "ACE", "--quantity")
    assert helio(*words, "B").exit_code == 0
    refused = helio(*words, "density")
    assert refused.exit_code == 2
    assert "a pipeline called 'mine' already exists" in refused.output
    assert helio(*words, "density", "--replace").exit_code == 0
    assert len(api.library(read_settings()).past("mine").revisions()) == 2


@pytest.mark.parametrize(
    ("given", "says", "near"),
    [
        ({"spacecraft": ["ACEE"]}, "no quantities of a spacecraft 'ACEE'", "'ACE'"),
        ({"spacecraft": ["MMS"]}, "MMS has several spacecraft", "MMS1, MMS2"),
        ({"quantities": ["densty"]}, "no quantity is called 'densty'", "'proton density'"),
        ({"spacecraft": ["ACE"], "frame": "GSX"}, "no frame 'GSX'", "'GSM'"),
        ({"spacecraft": ["ACE"], "operations": ["smoth:1h"]}, "no operation is called 'smoth'", "'smooth'"),
        ({"spacecraft": ["ACE"], "operations": ["smooth"]}, "running_average needs a duration", "10min"),
        ({"spacecraft": ["ACE"], "operations": ["detrend:1h"]}, "detrend takes no value", "'detrend'"),
        ({"spacecraft": ["ACE"], "operations": ["resample:1h:medan"]}, "no method 'medan'", "'median'"),
        ({"spacecraft": ["ACE"], "save_as": ["xls"]}, "no file format 'xls'", "csv"),
        ({"datasets": ["AC_K2_MFY"]}, "no dataset is called 'AC_K2_MFY'", "AC_K2_MFI"),
        ({"datasets": ["AC_H2_MFI.BGSX"]}, "no parameter 'BGSX'", "'BGSM'"),
        ({"spacecraft": ["ACE"], "time_range": "soon"}, "'soon' is not understood", "2024-05-10"),
        ({}, "no spacecraft, quantity or dataset was given", "a spacecraft and a quantity"),
    ],
)
def test_what_is_unknown_is_refused_with_what_is_near(catalogue, given, says, near):
    with pytest.raises(RequestError) as raised:
        request_of(**given, catalogue=catalogue, now=NOW)
    assert says in raised.value.message
    assert near in raised.value.advice


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--quantity", "B"), "The magnetic field of which spacecraft?"),
        (("--spacecraft", "ACE"), "Which quantity of ACE do you want?"),
        (("--dataset", "AC_H2_MFI"), "Which parameter of AC_H2_MFI do you want?"),
        (("--spacecraft", "PSP", "--quantity", "Bz"), "Parker Solar Probe has no z component"),
    ],
)
def test_what_is_left_open_is_refused_and_nothing_is_kept(home, words, says):
    refused = helio("new", "mine", *words)
    assert refused.exit_code == 2
    assert says in refused.output
    assert not (home / "home" / "templates" / "mine.json").exists()


def test_operations_are_tools_and_are_known_by_their_synonyms():
    for tool in APPLIED:
        assert [tool_named(name) for name in signatures()[tool].synonyms] == [tool] * len(
            signatures()[tool].synonyms
        )
        assert not APPLIED[tool].argument or APPLIED[tool].argument in {
            argument.name for argument in signatures()[tool].arguments
        }


def test_an_index_needs_no_spacecraft(catalogue):
    request = request_of(quantities=["Dst"], operations=["hampel:1h"], catalogue=catalogue, now=NOW)
    assert request.quantities == (RequestQuantity("Dst"),)
    assert request.computations == (Computation("despike", "1h"),)
