"""Unit spellings: what archives write, what they mean, what is left alone."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from helio.knowledge.unit_spelling import canonical_unit, pretty_unit
from tests.rows import in_one_test

SPELLINGS = json.loads((Path(__file__).parent / "units.json").read_text(encoding="utf-8"))


@in_one_test(("spelling", "canonical"), SPELLINGS["canonical"].items())
def test_a_spelling_of_the_archives_has_its_canonical_form(spelling, canonical):
    assert canonical_unit(spelling) == canonical


@in_one_test("spelling", SPELLINGS["unchanged"])
def test_what_is_not_understood_comes_back_stripped_and_otherwise_unchanged(spelling):
    assert canonical_unit(spelling) == spelling.strip()


@in_one_test("canonical", sorted(set(SPELLINGS["canonical"].values())))
def test_canonical_and_pretty_forms_read_back_as_themselves(canonical):
    assert canonical_unit(canonical) == canonical
    assert canonical_unit(pretty_unit(canonical)) == canonical


@in_one_test(
    ("canonical", "label"),
    [
        ("cm^-3", "cm⁻³"),
        ("1/cm^-3", "1/cm⁻³"),
        ("log10(nT**2/Hz)", "log10(nT²/Hz)"),
        ("cm^-2 s^-1 sr^-1 MeV^-1", "cm⁻² s⁻¹ sr⁻¹ MeV⁻¹"),
        ("cm^-2 s^-1 sr^-1 (MeV/n)^-1", "cm⁻² s⁻¹ sr⁻¹ (MeV/n)⁻¹"),
        ("eV/(cm^2 s sr eV)", "eV/(cm² s sr eV)"),
        ("nT^2/Hz", "nT²/Hz"),
        ("R_E", "R_E"),
        ("deg", "°"),
        ("deg/s", "°/s"),
        ("degC", "°C"),
        ("uA", "µA"),
        ("us", "µs"),
        ("km/s", "km/s"),
        ("", ""),
    ],
)
def test_a_label_shows_superscripts_and_signs(canonical, label):
    assert pretty_unit(canonical) == label


def test_case_tells_units_apart():
    assert canonical_unit("mV") != canonical_unit("MV")
    assert canonical_unit("NA") == ""
    assert canonical_unit("nA") == "nA"


def test_newtons_are_not_numbers_of_particles():
    assert canonical_unit("N/cm3") == "cm^-3"
    assert canonical_unit("N/m^2") == "N/m^2"


_PARTS = [
    "cm",
    "km",
    "s",
    "sr",
    "keV",
    "MeV",
    "nT",
    "counts",
    "R_E",
    "1",
    "^",
    "-",
    "2",
    "3",
    "/",
    " ",
    "*",
    "(",
    ")",
]


@given(st.text(max_size=30) | st.lists(st.sampled_from(_PARTS), max_size=12).map("".join))
def test_any_text_has_one_canonical_form(spelling):
    canonical = canonical_unit(spelling)
    assert canonical_unit(canonical) == canonical
