"""Units, titles, ranges and footers in words."""

from datetime import datetime

import pytest

from helio.steps.render.wording import axis_title, cited_sources, pretty_unit, wrap, written_range
from helio.store.source_file import SourceFile
from tests.rows import in_one_test


@in_one_test(
    ("unit", "written"),
    [
        ("cm^-3", "cm⁻³"),
        ("1/(cm^2 s sr MeV)", "1/(cm² s sr MeV)"),
        ("eV cm**-3", "eV cm⁻³"),
        ("s^{-1}", "s⁻¹"),
        ("nT", "nT"),
        ("R_E", "R_E"),
        ("deg", "°"),
        ("", ""),
    ],
)
def test_exponents_are_raised_and_the_rest_is_left(unit, written):
    assert pretty_unit(unit) == written


@pytest.mark.parametrize(
    ("start", "stop", "written"),
    [
        ((2021, 10, 28), (2021, 10, 29), "2021-10-28 00:00 – 10-29 00:00 UT"),
        ((2021, 10, 28), (2021, 10, 28, 6), "2021-10-28 00:00 – 06:00 UT"),
        ((2023, 12, 31), (2024, 1, 1), "2023-12-31 00:00 – 2024-01-01 00:00 UT"),
        ((2015, 10, 16, 13, 5, 24), (2015, 10, 16, 13, 7, 43), "2015-10-16 13:05:24 – 13:07:43 UT"),
        (
            (2015, 10, 16, 13, 5, 24, 500000),
            (2015, 10, 16, 13, 5, 26),
            "2015-10-16 13:05:24.500 – 13:05:26.000 UT",
        ),
    ],
)
def test_a_range_names_what_changes(start, stop, written):
    assert written_range(datetime(*start), datetime(*stop)) == written


def test_a_short_title_stands_on_one_line_and_a_long_one_has_its_unit_below():
    assert axis_title("B GSE", "nT", 180, 13) == {"text": "B GSE [nT]", "font": {"size": 13}}
    assert (
        axis_title("Proton Flux", "1/(cm^2 s sr MeV)", 180, 13)["text"] == "Proton Flux<br>[1/(cm² s sr MeV)]"
    )


def test_a_title_too_long_for_its_panel_becomes_smaller_and_is_cut_last():
    found = axis_title(
        "mms1_dis_numberdensity_extrapolation_low_fast_and_more_and_more_and_more", "cm^-3", 100, 13
    )
    assert found["font"]["size"] == pytest.approx(8.5, abs=0.1)
    assert "…" in found["text"]
    assert found["text"].endswith("<br>[cm⁻³]")


def test_names_from_files_are_never_markup():
    assert axis_title("<b>|B|</b> & x", "nT", 500, 13)["text"] == "&lt;b&gt;|B|&lt;/b&gt; &amp; x [nT]"


def test_words_without_spaces_break_at_an_underscore():
    assert wrap("mms1_dis_numberdensity_fast", 90, 10, 3)[:2] == ["mms1_dis_", "numberdensity_"]


def test_a_footer_names_data_sets_once_with_their_versions():
    files = [
        SourceFile("A_H0", "a1", version="v02", provider="CDAWeb"),
        SourceFile("A_H0", "a2", version="v10", provider="CDAWeb"),
        SourceFile("B", "b", version="4.18.1", provider="sample archive"),
    ]
    assert cited_sources(files) == "A_H0 v02–v10 (CDAWeb); B v4.18.1 (sample archive)"
