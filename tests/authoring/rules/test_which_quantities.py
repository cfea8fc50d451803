"""Computations of which a sentence does not say which quantities they take: helio asks."""

import pytest

from helio.authoring.outcome import AuthorQuestion, NotUnderstood

NEAR_THE_SPEED = [
    "bulk speed",
    "proton density and bulk speed",
    "bulk speed and Bz",
    "proton density, bulk speed and Bz",
    "proton density",
    "Bz",
]
"""The choices for a mean that stands next to the speed, in a sentence of density, speed and Bz."""


@pytest.mark.parametrize(
    ("sentence", "tool", "choices"),
    [
        ("1 min averages of ACE Bz, and SYM-H, 2015-03-17", "1min mean", ["Bz", "Bz and SYM-H", "SYM-H"]),
        ("5 min average of ACE Bz plus V, July 2010", "5min mean", ["Bz", "Bz and bulk speed", "bulk speed"]),
        (
            "1 h running mean of ACE V with n, July 2010",
            "1h running average",
            ["bulk speed", "bulk speed and proton density", "proton density"],
        ),
        (
            "power spectrum of ACE Bz plus |B|, 3 July 2010",
            "power spectrum",
            ["Bz", "Bz and magnetic field magnitude", "magnetic field magnitude"],
        ),
        (
            "detrended Wind n plus ACE V, July 2010",
            "detrend",
            ["proton density", "proton density and bulk speed", "bulk speed"],
        ),
        (
            "ACE n and V, 1 h running mean of V, times r^2, 2012-03-08",
            "r squared",
            ["bulk speed", "proton density and bulk speed", "proton density"],
        ),
        (
            "ACE speed, and density averaged to 1 h, 5 May 2010",
            "1h mean",
            ["proton density", "bulk speed and proton density", "bulk speed"],
        ),
        (
            "Wind n, V hourly, T, 5 May 2010",
            "1h mean",
            [
                "bulk speed",
                "proton density and bulk speed",
                "bulk speed and proton temperature",
                "proton density, bulk speed and proton temperature",
                "proton density",
                "proton temperature",
            ],
        ),
        (
            "ACE Bx, Bz hourly, By, 5 May 2010",
            "1h mean",
            ["Bz", "Bx and Bz", "Bz and By", "Bx, Bz and By", "Bx", "By"],
        ),
        (
            "Wind n and V hourly and Bz, 5 May 2010",
            "1h mean",
            NEAR_THE_SPEED,
        ),
        (
            "ACE n and V hourly, time derivative of Bz, 5 May 2010",
            "1h mean",
            NEAR_THE_SPEED,
        ),
        (
            "ACE Bz after 5 min smoothing and V, 24 July 2012",
            "5min running average",
            ["Bz", "Bz and bulk speed", "bulk speed"],
        ),
        (
            "ACE hourly means of density and speed and the derivative of Bz, 2003-10-29",
            "1h mean",
            [
                "proton density",
                "proton density and bulk speed",
                "proton density, bulk speed and Bz",
                "bulk speed",
                "Bz",
                "bulk speed and Bz",
            ],
        ),
    ],
)
def test_the_user_is_asked_which_quantities_a_computation_takes(author, sentence, tool, choices):
    asked = author.create(sentence)
    assert isinstance(asked, AuthorQuestion)
    assert asked.text == f"Of which quantities do you want the {tool}?"
    assert list(asked.choices) == choices


@pytest.mark.parametrize(
    ("chosen", "drawn"),
    [
        ("Bz", ["ACE_Bz_binned", "ACE_V"]),
        ("bulk speed", ["ACE_Bz", "ACE_V_binned"]),
        ("Bz and bulk speed", ["ACE_Bz_binned", "ACE_V_binned"]),
    ],
)
def test_only_the_chosen_quantities_are_computed(author, chosen, drawn):
    draft = author.create("5 min average of ACE Bz plus V, July 2010", chosen=(chosen,))
    (figure,) = (step for step in draft.template["steps"] if step["tool_name"] == "render_spec")
    assert [panel for (panel,) in figure["tool_args"]["spec"]["panels"]] == drawn


def test_of_many_quantities_the_sentence_must_say_it(author):
    with pytest.raises(NotUnderstood, match="for which quantity to compute the 1h running average"):
        author.create("1 h running mean of ACE V with n, T, Bz, By and Bx, July 2010")
