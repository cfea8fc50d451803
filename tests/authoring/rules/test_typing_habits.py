"""A request means the same however it is typed: in small letters, with signs for words, with or without spaces."""

import re

import pytest

from helio.authoring.outcome import TemplateDraft

SENTENCES = [
    "MMS3 DES density, Tpara and Tperp, 2016-12-09 09:00-09:10",
    "PSP FIELDS B in RTN plus |B|, 2021-11-20 to 2021-11-22",
    "ACE B in GSM with |B| in black in the same panel, 3 Jan 2008",
    "EFW density of RBSP-B, 2014-02-19, with L and MLT written under the time axis",
    "hourly OMNI proton density for 2019",
    "Wind magnetic field and temperature T, 11 September 2005",
    "Te/Tp ratio at Wind on 2 Feb 2008",
    "Alfven speed at ACE on 31 March 2001, combine MFI and SWEPAM",
    "Proton plasma beta at Solar Orbiter on 2022-03-11 with PAS moments and MAG, log axis",
    "type III radio bursts with PSP FIELDS RFS HFR on 2019-04-03",
    "SYM-H and below it the IMF Bz in GSM, 22 to 24 June 2015",
    "Ulysses speed and latitude, Sep 1994 to Aug 1995; speed as dots, latitude on a panel of its own",
    "rbspa emfisis density level 4, 17-18 march 2013, log y",
    "Wind n and V with a 1 h running mean, |B| without, 3 May 2010",
]

HABITS = {
    "small letters": str.lower,
    "signs and spaces": lambda text: (
        re.sub(r", (?=[A-Za-z|])", ",", text)
        .replace(" and ", " & ")
        .replace("without ", "w/o ")
        .replace("with ", "w/ ")
        .replace(" ", "  ")
    ),
}


def drawn(author, request):
    """Return what a draft computes and draws, with datasets and parameters for the labels of the fetched data."""
    draft = author.create(request)
    assert isinstance(draft, TemplateDraft), request
    labels = {}
    steps = []
    for step in draft.template["steps"]:
        args = {**step["tool_args"]}
        if step["tool_name"] == "fetch_data":
            data = args.get("candidates", [args])[0]
            labels[args["output_label"]] = f"{data['dataset_id']}.{data['parameter_id']}"
        else:
            spec = args.pop("spec", {})
            spec = {key: value for key, value in spec.items() if key not in ("title", "labels")}
            steps.append((step["tool_name"], repr(args), repr(spec)))
    text = repr(sorted(steps))
    for label in sorted(labels, key=len, reverse=True):
        text = text.replace(label, labels[label])
    return text, sorted(labels.values()), draft.template["variables"]["$TIME_RANGE"]["default"]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_request_means_the_same_however_it_is_typed(author, sentence):
    meant = drawn(author, sentence)
    for habit, typed in HABITS.items():
        assert drawn(author, typed(sentence)) == meant, habit


def test_what_stands_in_quotes_stays(author):
    draft = author.create('ACE Bz gsm & n, 3 May 2010, title "bz gsm & n,raw"')
    assert draft.template["steps"][-1]["tool_args"]["spec"]["title"] == "bz gsm & n,raw"


@pytest.mark.parametrize(
    ("request_", "span"),
    [
        ("hourly Dst since 1 January 2024 until 31 December 2024", "2024-01-01 to 2025-01-01"),
        ("Dst since 2020-01-01 until 2020-02-01", "2020-01-01 to 2020-02-01"),
        ("Dst since January 2024 through March 2024", "2024-01-01 to 2024-04-01"),
    ],
)
def test_since_and_until_give_the_days_of_the_sentence(author, request_, span):
    assert author.create(request_).template["variables"]["$TIME_RANGE"]["default"] == span
