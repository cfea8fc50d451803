"""Questions that a heliophysicist asks, and what should come first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helio.knowledge.catalogue import Catalogue
from helio.knowledge.search import Search
from helio.knowledge.text import answer_lines
from helio.knowledge.words import CONCEPTS, concepts, tokens
from tests.rows import in_one_test

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def search() -> Search:
    return Search(Catalogue())


def first(search: Search, question: str) -> str:
    return search.find(question, limit=1).hits[0].dataset.id


def asked(file: str) -> list[dict[str, Any]]:
    questions: list[dict[str, Any]] = json.loads((HERE / file).read_text(encoding="utf-8"))
    return questions


@pytest.mark.parametrize(("file", "least"), [("questions.json", 49), ("questions_later.json", 19)])
def test_the_right_dataset_comes_first(search: Search, file: str, least: int):
    """The first file was written before the ranking; the second after it was tuned, when 18 of its 20 were right."""
    wrong = [
        f"{question['question']}: {found}"
        for question in asked(file)
        if (found := first(search, question["question"])) not in question["expected"]
    ]
    assert len(asked(file)) - len(wrong) >= least, wrong


@pytest.mark.parametrize("file", ["questions.json", "questions_later.json"])
def test_the_right_dataset_is_among_the_first_three(search: Search, file: str):
    for question in asked(file):
        hits = {hit.dataset.id for hit in search.find(question["question"], limit=3).hits}
        assert hits & set(question["expected"]), question["question"]


@pytest.mark.parametrize("words", ["B field", "B-field", "magnetic field", "IMF", "fluxgate magnetometer"])
def test_what_means_the_same_finds_the_same(search: Search, words: str):
    assert first(search, f"ACE {words} 16 s") == "AC_H0_MFI"


def test_the_order_and_the_case_of_words_count_for_nothing(search: Search):
    assert (
        search.find("1 MIN rtn PSP magnetic field").hits[0]
        == search.find("psp Magnetic Field RTN 1 min").hits[0]
    )


def test_the_solar_wind_is_not_the_spacecraft_wind(search: Search):
    missions = {hit.dataset.mission for hit in search.find("solar wind plasma", limit=50).hits}
    assert len(missions) > 1
    assert {hit.dataset.mission for hit in search.find("Wind plasma", limit=50).hits} == {"Wind"}


@in_one_test(
    ("name", "spacecraft"),
    [
        ("PSP", "Parker Solar Probe"),
        ("Parker", "Parker Solar Probe"),
        ("SolO", "Solar Orbiter"),
        ("STEREO Ahead", "STEREO-A"),
        ("MMS 3", "MMS3"),
        ("THEMIS-D", "THEMIS-D"),
        ("Van Allen Probe B", "RBSP-B"),
        ("RBSP-B", "RBSP-B"),
        ("C2", "Cluster-2"),
        ("GOES-8", "GOES-8"),
        ("ERG", "Arase"),
    ],
)
def test_a_spacecraft_is_known_by_its_other_names(search: Search, name: str, spacecraft: str):
    assert search.find(f"{name} magnetic field").hits[0].dataset.spacecraft == spacecraft


def test_the_cadence_asked_for_comes_first_else_a_finer_one(search: Search):
    assert first(search, "ACE magnetic field 1 h") == "AC_H2_MFI"
    assert first(search, "ACE magnetic field 4 min") == "AC_H1_MFI"
    assert first(search, "ACE magnetic field 1 min") == "AC_H0_MFI"  # 16 s; 4 min cannot give 1 min


def test_finished_data_come_before_preliminary_ones_unless_asked(search: Search):
    assert first(search, "ACE magnetic field hourly") == "AC_H2_MFI"
    assert first(search, "ACE magnetic field hourly key parameters preliminary") == "AC_K2_MFI"


def test_an_id_finds_its_dataset(search: Search):
    for dataset in ("AC_H0_MFI", "wi_pm_3dp", "MMS4_FPI_BRST_L2_DES-MOMS", "THA_L2_ESA"):
        assert first(search, dataset) == dataset.upper()


def test_a_misspelt_word_is_told_what_it_may_mean(search: Search):
    answer = search.find("ACE magnetometr")
    assert answer.unknown["magnetometr"][0] == "magnetometer"


@in_one_test("question", ["", "   ", "the of", "|", "\n", "qqqqzzzz", "1" * 500, "9" * 400 + " s"])
def test_a_question_that_says_nothing_finds_nothing(search: Search, question: str):
    answer = search.find(question)
    assert (answer.hits, answer.total) == ((), 0)


def test_a_limit_keeps_the_best_and_tells_the_rest(search: Search):
    answer = search.find("magnetic field", limit=3)
    assert len(answer.hits) == 3
    assert answer.total > 100
    assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)


def test_no_phrase_stands_for_two_concepts():
    seen: dict[tuple[str, ...], str] = {}
    for concept, phrases in CONCEPTS.items():
        for phrase in phrases:
            words = tuple(tokens(phrase))
            assert seen.setdefault(words, concept) == concept, phrase
            assert concept in concepts(words)


@pytest.mark.parametrize(
    ("question", "word"), [("Ulysses cosmic rays", "cosmic ray"), ("GOES x-ray", "x ray")]
)
def test_a_word_that_does_not_go_with_the_spacecraft_is_named(search: Search, question: str, word: str):
    answer = search.find(question)
    assert answer.hits == ()
    assert answer.craft == (question.split()[0],)
    assert answer.elsewhere[word]
    told = answer_lines(answer)
    assert told[0] == "no dataset matches"
    assert told[1].startswith(f"note: no dataset of {question.split()[0]} matches '{word}', but ")


def test_what_goes_with_the_spacecraft_is_not_complained_of(search: Search):
    assert search.find("ACE cosmic rays").elsewhere == {}
    assert search.find("cosmic rays").elsewhere == {}


def test_an_accent_does_not_cut_a_word(search: Search):
    assert search.find("électron flux ACE") == search.find("electron flux ACE")
    assert search.find("α particle Wind") == search.find("alpha particle Wind")


def test_words_in_other_letters_are_said_not_to_be_found(search: Search):
    assert search.find("поле ACE").unknown == {"поле": ()}


@pytest.mark.parametrize("question", ["IMF at L1 GSM", "IMF GSM near the L1 point", "IMF GSM Lagrange point"])
def test_l1_as_a_place_is_no_level_of_data(search: Search, question: str):
    crafts = {hit.dataset.mission for hit in search.find(question, limit=20).hits}
    assert crafts <= {"ACE", "Wind", "SOHO", "DSCOVR"}
    assert first(search, question) == "WI_H0_MFI"


def test_l1_beside_a_spacecraft_stays_a_level_of_data(search: Search):
    assert first(search, "STEREO-A L1 magnetic field RTN") == "STA_L1_MAG_RTN"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wind plasma moments", "WI_PM_3DP"),  # not the plasma waves of WI_H0_WAV
        ("solar energetic protons STEREO", "STA_L1_HET"),  # not the solar wind of PLASTIC
        ("Kp index", "OMNI2_H0_MRG1HR"),  # not the key parameters of MAVEN
        ("MAVEN key parameters", "MVN_INSITU_KP-4SEC"),
    ],
)
def test_a_word_of_two_meanings_is_read_by_the_words_beside_it(search: Search, question: str, expected: str):
    assert first(search, question) == expected
