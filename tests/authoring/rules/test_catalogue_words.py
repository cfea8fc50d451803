"""Words that only the catalogue explains name one parameter, or are asked for, or are refused."""

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood, TemplateDraft
from helio.authoring.rules.sentence import Sentence


def fetched(draft):
    assert isinstance(draft, TemplateDraft), draft
    every = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "fetch_data"]
    return [(args["dataset_id"], args["parameter_id"]) for args in every]


@pytest.mark.parametrize(
    ("request_", "dataset", "parameters"),
    [
        ("ACE EPAM deflected electrons DE1 DE2, 4 Nov 2001", "AC_H1_EPM", ["DE1", "DE2"]),
        ("deflected electrons DE1 of ACE at 1 h, 4 Nov 2001", "AC_H2_EPM", ["DE1"]),
        ("ACE EPAM deflected electrons DE1, DE2 and DE3, 4 Nov 2001", "AC_H1_EPM", ["DE1", "DE2", "DE3"]),
        (
            "ACE EPAM ions LEMS120 channels, 2000-07-13",
            "AC_H1_EPM",
            [f"P{number}p" for number in range(1, 9)],
        ),
        (
            "precipitating electron total energy flux DMSP F17 on 2013-03-17",
            "DMSP-F17_SSJ_PRECIPITATING-ELECTRONS-IONS",
            ["ELE_TOTAL_ENERGY_FLUX"],
        ),
        (
            "DMSP F17 ion average energy and electron average energy, 2013-03-17",
            "DMSP-F17_SSJ_PRECIPITATING-ELECTRONS-IONS",
            ["ION_AVG_ENERGY", "ELE_AVG_ENERGY"],
        ),
    ],
)
def test_descriptions_and_names_of_parameters_are_read(author, request_, dataset, parameters):
    draft = author.create(request_)
    assert fetched(draft) == [(dataset, parameter) for parameter in parameters]
    assert any(f"is read as {dataset}.{parameters[0]}" in note for note in draft.notes)


def test_of_several_parameters_the_person_chooses_one(author):
    request_ = "Hawkeye magnetic field for 1976-01-01"
    asked = author.create(request_)
    assert isinstance(asked, AuthorQuestion)
    assert 2 <= len(asked.choices) <= 6
    choice = next(choice for choice in asked.choices if choice.startswith("HK_H0_MAG.B_gsm: "))
    assert fetched(author.create(request_, chosen=(choice,))) == [("HK_H0_MAG", "B_gsm")]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("ACE EPAM deflected sausages DE1, 4 Nov 2001", "'sausages'"),
        ("ACE EPAM deflected protons DE1, 4 Nov 2001", "'deflected'"),
        ("ACE EPAM deflected electrons DE1 except DE2, 4 Nov 2001", "'except'"),
        ("ACE alpha temperature 2003-01-02", "'alpha'"),
        ("ACE density for 2003-11-20, 2 hours", "'2', 'hours'"),
        ("precipitating electron total energy flux DMSP F17 on 2025-03-17", "for that time"),
        ("unidirectional differential helium flux of RBSP-A HOPE 2013-03-17", "'unidirectional'"),
    ],
)
def test_what_no_parameter_covers_is_refused(author, request_, words):
    with pytest.raises(NotUnderstood) as refused:
        author.create(request_)
    assert words in str(refused.value)


def test_the_parts_of_a_sentence_keep_lists_of_names_together():
    sentence = Sentence("deflected electrons DE1, DE2 and DE3 and the proton density")
    before = sentence.left
    sentence.drop("proton density")
    parts = sentence.parts(before, sentence.left)
    assert [(part.text, part.unread) for part in parts] == [
        ("deflected electrons DE1 DE2 DE3", True),
        ("proton density", False),
    ]


@pytest.mark.parametrize(
    "request_",
    ["ACE EPAM deflected electrons DE1 at 30 min, 4 Nov 2001", "AC_H1_EPM DE1 at 30 min, 4 Nov 2001"],
)
def test_a_parameter_comes_at_the_cadence_of_the_request(author, request_):
    draft = author.create(request_)
    [averaged] = [step["tool_args"] for step in draft.template["steps"] if step["tool_name"] == "resample"]
    assert averaged["cadence"] == "30min"


def test_an_edit_adds_what_only_the_catalogue_describes(author):
    template = author.create("ACE magnetic field for 2001-11-04").template
    added = author.edit("add the deflected electrons DE1 of ACE", template)
    assert ("AC_H1_EPM", "DE1") in [
        (step["tool_args"].get("dataset_id"), step["tool_args"].get("parameter_id"))
        for step in added.template["steps"]
    ]
