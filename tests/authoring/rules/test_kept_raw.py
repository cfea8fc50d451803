"""Quantities that a sentence wants as they were measured, beside others of which it computes something."""

import pytest

from helio.authoring.outcome import NotUnderstood
from tests.authoring.rules.test_computations import figure
from tests.rows import in_one_test

DRAWN = [
    ("ACE V hourly averages, n raw, 5 May 2010", ["ACE_V_binned", "ACE_n"]),
    ("ACE density as it is, and hourly means of the speed, 5 May 2010", ["ACE_n", "ACE_V_binned"]),
    ("hourly means of Wind V and n, T not averaged, 6 June 2016", ["Wind_V_binned", "Wind_n_binned", "Wind_T"]),
    ("Wind |B| hourly, 5 May 2010, and the raw speed and density", ["Wind_Bmag_binned", "Wind_V", "Wind_n"]),
    ("ACE |B|, V and n, 10 min means, but leave n alone, 5 May 2010", ["ACE_Bmag_binned", "ACE_V_binned", "ACE_n"]),
    ("Leave V alone, average n and T to ten minutes. Wind, 14 Dec 2006.", ["Wind_V", "Wind_n_binned", "Wind_T_binned"]),
    ("Everything as 5 min averages except SYM-H: Wind V and SYM-H, 5 May 2014", ["OMNI_SYMH", "Wind_V_binned"]),
    ("ACE B strength, n and V, 8 May 2010, 1 h mean of n, the rest as is", ["ACE_Bmag", "ACE_n_binned", "ACE_V"]),
    ("psp BR BT, 29 apr 2021, only BR averaged to 10 min, the rest stay as they are", ["PSP_Br_binned", "PSP_Bt"]),
    ("Wind V and n, 23 May 2002, smooth V over 10 min, n don't touch", ["Wind_V_smooth", "Wind_n"]),
    ("ACE n and V; 2012-03-08; n: running mean 1 h; V: none", ["ACE_n_smooth", "ACE_V"]),
    ("ACE Bz raw and speed raw, 5 May 2010", ["ACE_Bz", "ACE_V"]),
    ("ACE |B| 10 min means, Bz raw, 5 May 2010", ["ACE_Bmag_binned", "ACE_Bz"]),
    ("take the Bz of ACE and smooth it by 5 min, take the speed and leave it, 7 May 2010", ["ACE_Bz_smooth", "ACE_V"]),
    ("Wind V and |B|; average the former to 10 min, leave the latter; 24 Sep 1998", ["Wind_V_binned", "Wind_Bmag"]),
    ("Wind V and |B|; smooth the latter over 10 min; 24 Sep 1998", ["Wind_V", "Wind_Bmag_smooth"]),
    ("Wind V 5 min mean, n raw, and |B| below, 1 May 2010", ["Wind_V_binned", "Wind_n", "Wind_Bmag"]),
    ("ACE B components 5-min averages but |B| at full resolution, 5 May 2010", ["ACE_B_binned", "ACE_Bmag"]),
    ("ACE |B| 10 min means and native speed, 5 May 2010", ["ACE_Bmag_binned", "ACE_V"]),
    ("ACE Bz, V and n in their native resolution, |B| as hourly means, 5 May 2010",
     ["ACE_Bz", "ACE_V", "ACE_n", "ACE_Bmag_binned"]),
    ("ACE Bz and n, all at native resolution, 5 May 2010", ["ACE_Bz", "ACE_n"]),
    ("Wind |B| hourly mean and the speed below (no mean), 1 May 2010", ["Wind_Bmag_binned", "Wind_V"]),
]  # fmt: skip


@in_one_test(("sentence", "drawn"), DRAWN)
def test_a_raw_quantity_is_drawn_as_it_was_measured(author, sentence, drawn):
    assert [panel for (panel,) in figure(author, sentence)["panels"]] == drawn


@in_one_test(
    ("sentence", "drawn"),
    [
        ("Bz of ACE and Wind, ACE averaged to 5 min, Wind as delivered, 7 May 2010", ["ACE_Bz_binned", "Wind_Bz"]),
        ("ACE and Wind speed, 7 May 2010, Wind smoothed over 15 min, ACE raw", ["ACE_V", "Wind_V_smooth"]),
        ("Wind and ACE |B|, 7 May 2010, ACE not averaged, Wind 5 min means", ["Wind_Bmag_binned", "ACE_Bmag"]),
    ],
)  # fmt: skip
def test_a_spacecraft_is_drawn_as_it_was_measured(author, sentence, drawn):
    assert figure(author, sentence)["panels"] == [drawn]


def test_raw_beside_a_mean_of_the_same_quantity_draws_both(author):
    panels = figure(author, "ACE |B| raw and smoothed over 1 h, 5 May 2010")["panels"]
    assert panels == [["ACE_Bmag", "ACE_Bmag_smooth"]]


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("Wind B magnitude and V, 2005-01-21, V with 5 min medians, B untouched", "'B' is the vector or its"),
        ("ACE Bz and n raw, 5 May 2010, hourly means of Bz and n", "not clear of what helio computes the average"),
        ("ACE and Wind Bz raw, hourly means in red, 7 May 2010", "not clear of what helio computes the average"),
        ("Bz of ACE and Wind, 7 May 2010, ACE 5 min means, the others raw", "'others'"),
        ("ACE EPAM electrons DE1 except DE2, 4 Nov 2001", "'except'"),
    ],
)  # fmt: skip
def test_what_is_raw_and_what_is_computed_must_be_clear(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


@in_one_test(
    ("sentence", "drawn"),
    [
        ("ACE n and V, 5 May 2010, 10 min means of n", "ACE_n_binned ACE_V"),
        ("Wind B n V, 5 May 2010, n and V smoothed over 10 min", "Wind_B Wind_n_smooth Wind_V_smooth"),
        ("Geotail Bz and n, 3 January 1997, Bz with 1 min running mean", "Geotail_Bz+Geotail_Bz_smooth Geotail_n"),
        ("ACE Bz n V, 5 May 2010, 1 h means of Bz, 10 min running mean of n", "ACE_Bz_binned ACE_n_smooth ACE_V"),
        ("ACE n and Bz, 5 May 2010; Bz with a 1 h running mean in red", "ACE_n ACE_Bz+ACE_Bz_smooth"),
        ("ACE n and Bz, 5 May 2010. Smooth Bz with a 1 h running mean", "ACE_n ACE_Bz_smooth"),
        ("OMNI Bz, SYM-H and V, 5 May 2010. Hourly averages for Bz and V", "OMNI_Bz_binned OMNI_SYMH OMNI_V_binned"),
        ("ACE n and V, V smoothed over 1 h in red, 2008-07-13", "ACE_n ACE_V_smooth"),
        ("ACE n, V, 2008-07-13; n in red, V smoothed over 10 min in blue", "ACE_n ACE_V_smooth"),
        ("ACE n and V, 2008-07-13, V in red and smoothed over 1 h", "ACE_n ACE_V_smooth"),
        ("ACE n and V, both smoothed over 1 h, V in red, 2008-07-13", "ACE_n_smooth ACE_V_smooth"),
        ("OMNI Dst and V, 28 oct - 1 nov 2003, Dst hourly, V as 3 h averages from OMNI", "OMNI_Dst OMNI_V_binned"),
        ("ACE |B|: running mean 1 h. n: running mean 2 h. V: none. 2012-03-08", "ACE_Bmag_smooth ACE_n_smooth ACE_V"),
        ("SYM-H and AE, 1 min, SYM-H hourly, 2008-07-13", "OMNI_SYMH_binned OMNI_AE"),
        ("OMNI VBs hourly and Dst hourly, 14-19 Mar 2015", "OMNI_VBs OMNI_Dst"),
        ("voyager 2, log density and log temperature, 1 day averages, aug 2007", "Voyager2_n_binned Voyager2_T_binned"),
        ("OMNI Bz GSM and Dst, 5 May 2010, hourly mean of Bz overlaid", "OMNI_Bz+OMNI_Bz_1h_mean OMNI_Dst"),
        ("OMNI Bz and Dst, 5 May 2010, 3 h running mean of Bz, overplotted", "OMNI_Bz+OMNI_Bz_smooth OMNI_Dst"),
        ("OMNI Bz and Dst, 5 May 2010, also a 3 h running mean of Bz", "OMNI_Bz+OMNI_Bz_smooth OMNI_Dst"),
        ("OMNI n and V for 2008, 27-day running mean of V on top", "OMNI_n OMNI_V+OMNI_V_smooth"),
        ("OMNI n and V for 2008, V smoothed over 27 days on top", "OMNI_V_smooth OMNI_n"),
        ("OMNI V and Bz, 5 May 2010, standard deviation of Bz over 1 h", "OMNI_V OMNI_Bz OMNI_Bz_std"),
        ("OMNI V and n, 5 May 2010, derivative of V", "OMNI_V OMNI_V_rate OMNI_n"),
        ("OMNI V and n, 5 May 2010, only the derivative of V", "OMNI_V_rate OMNI_n"),
        ("OMNI V and n, 5 May 2010, spectrogram of V", "OMNI_V OMNI_V_spectrogram OMNI_n"),
        ("Wind B, n and V, 5 May 2010; power spectrum of B", "Wind_B Wind_B_power Wind_n Wind_V"),
    ],
)  # fmt: skip
def test_a_clause_that_names_quantities_again_computes_only_these(author, sentence, drawn):
    assert ["+".join(panel) for panel in figure(author, sentence)["panels"]] == drawn.split()


def test_a_colour_of_an_added_line_is_its_own(author):
    settings = figure(
        author, "ACE speed & density: add to the density a 10 min running mean in magenta. 2008-07-13"
    )
    assert settings["panels"] == [["ACE_V"], ["ACE_n", "ACE_n_smooth"]]
    assert settings["trace_colors"] == {"ACE_n_smooth": "magenta"}


@pytest.mark.parametrize(
    "sentence",
    [
        "OMNI Bz, 5 May 2010, 1 h running mean of Bz overlaid in red",
        "OMNI Bz and Dst, 5 May 2010, overplot the 1 h running mean of Bz in red",
        "OMNI Bz and Dst, 5 May 2010, overplot Bz smoothed over 1 h in red",
        "OMNI Bz and Dst, 5 May 2010, also a 1 h running mean of Bz in red",
    ],
)
def test_a_colour_behind_a_line_over_its_input_is_that_of_this_line(author, sentence):
    assert figure(author, sentence)["trace_colors"] == {"OMNI_Bz_smooth": "red"}


@pytest.mark.parametrize(
    "words",
    ["speed raw, temperature; 2005-01-20", "speed raw, temperature log; three panels; 2005-01-20"],
)
def test_an_average_beside_one_quantity_is_of_no_other_before_a_semicolon(author, words):
    spec = figure(author, f"ACE density with 1 h medians, {words}")
    assert spec["panels"] == [["ACE_n_binned"], ["ACE_V"], ["ACE_T"]]


def test_an_average_beside_one_of_several_quantities_that_are_not_raw_is_not_clear(author):
    with pytest.raises(NotUnderstood, match="not clear of what helio computes the average"):
        author.create("ACE density with 1 h medians, speed raw, temperature, separate panels, 2005-01-20")


def test_an_average_directly_before_the_last_quantity_is_of_this_one_alone(author):
    settings = figure(
        author, "SYM-H in blue and, on the right axis, hourly averaged AE in orange; 10 May 2024"
    )
    assert settings["panels"] == [["OMNI_SYMH", "OMNI_AE_binned"]]


@pytest.mark.parametrize(
    ("sentence", "says"),
    [
        ("IMP-8 speed in the solar wind, Feb 1986", "when IMP-8 is in the solar wind"),
        ("Geotail Bz in the plasma sheet, 1996", "when Geotail is in the plasma sheet"),
        ("Geotail Vx in the tail, 27 March 1996", "are those of the solar wind"),
        ("lag between ACE and Wind Bz, 20 April 2020, and plot both Bz", "would not draw 'both Bz'"),
        ("Dst vs SYM-H in one panel, July 2000, Dst in red", "not those of OMNI_Dst alone"),
        ("SOHO_CELIAS-SEM_1DAY.first_order_flux, hourly means, Oct 2003", "cannot average it to 1h"),
        ("ACE V smoothed over 20 s, Oct 2003", "a window of 20s smooths nothing"),
    ],
)
def test_what_the_data_cannot_give_is_refused(author, sentence, says):
    with pytest.raises(NotUnderstood, match=says):
        author.create(sentence)


@pytest.mark.parametrize(
    ("sentence", "dataset"),
    [
        ("SOHO SEM EUV 26–34 nm as hourly means, 15 Oct to 15 Nov 2003", "SOHO_CELIAS-SEM_15S"),
        ("Solar Orbiter B_R smoothed over 30 s, 4 Nov 2021", "SOLO_L2_MAG-RTN-NORMAL"),
    ],
)
def test_averages_take_data_that_are_finer(author, sentence, dataset):
    assert author.create(sentence).template["steps"][0]["tool_args"]["dataset_id"] == dataset


@in_one_test(
    ("sentence", "drawn"),
    [
        ("ACE |B| and V, 22 Oct 1999, hourly averages for the two", "ACE_Bmag_binned ACE_V_binned"),
        ("ACE |B|, n and V, 22 Oct 1999, 10 min means for all three", "ACE_Bmag_binned ACE_n_binned ACE_V_binned"),
        ("Wind V and n, 22 Oct 1999, averaged to ten minutes each", "Wind_V_binned Wind_n_binned"),
        ("ACE V and n, 22 Oct 1999, with their 1 h running means", "ACE_V+ACE_V_smooth ACE_n+ACE_n_smooth"),
        ("ACE V and n, 22 Oct 1999, add to each its 1 h running mean", "ACE_V+ACE_V_smooth ACE_n+ACE_n_smooth"),
        ("ACE V, 22 Oct 1999, a centred 1 h running mean of it", "ACE_V_smooth"),
    ],
)  # fmt: skip
def test_words_for_all_quantities(author, sentence, drawn):
    assert ["+".join(panel) for panel in figure(author, sentence)["panels"]] == drawn.split()


def test_the_number_of_all_quantities_must_be_right(author):
    with pytest.raises(NotUnderstood, match="'two'"):
        author.create("ACE |B|, n and V, 22 Oct 1999, hourly averages for the two")
