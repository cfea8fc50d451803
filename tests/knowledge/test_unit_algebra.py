"""Factors between units."""

import subprocess
import sys

import pytest
from scipy import constants

from helio.errors import StepError, UnitMismatch
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import _SYMBOLS, unit_factors
from tests.rows import in_one_test


@in_one_test(
    ("unit", "to", "factor"),
    [
        ("nT", "T", 1e-9),
        ("G", "nT", 1e5),
        ("km/s", "m/s", 1e3),
        ("#/cc", "m^-3", 1e6),
        ("Per cc", "cm^-3", 1.0),
        ("Deg K", "MK", 1e-6),
        ("mV/m", "V/km", 1.0),
        ("keV/(cm^2 s sr keV)", "eV/(cm^2 s sr eV)", 1.0),
        ("1/(SQcm-ster-s-MeV)", "m^-2 s^-1 sr^-1 keV^-1", 10.0),
        ("nT^2/Hz", "T^2/Hz", 1e-18),
        ("Hz", "1/s", 1.0),
        ("sfu", "W/(m^2 Hz)", 1e-22),
        ("AU", "km", 149597870.7),
        ("R_E", "km", 6371.2),
        ("R_Sun", "km", 695700.0),
        ("deg", "rad", constants.pi / 180),
        ("%", "", 0.01),
        ("MeV/n", "keV/n", 1e3),
        ("TECU", "m^-2", 1e16),
        ("h", "min", 60.0),
        ("eV", "J", constants.e),
        ("amu", "g", constants.atomic_mass * 1e3),
        ("c", "km/s", constants.c / 1e3),
        ("erg", "J", 1e-7),
        ("Angstrom", "nm", 0.1),
    ],
)
def test_known_factors_are_exact(unit, to, factor):
    assert conversion_factor(unit, to) == pytest.approx(factor, rel=1e-8 if unit == "amu" else 1e-15)
    assert conversion_factor(to, unit) == pytest.approx(1 / factor, rel=1e-8 if unit == "amu" else 1e-15)


@in_one_test(
    ("unit", "to"),
    [
        ("nT", "km/s"),
        ("K", "eV"),  # kT is an equivalence, and has to be asked for
        ("cm^-2 s^-1 sr^-1", "cm^-2 s^-1"),
        ("counts/s", "Hz"),
        ("rad/s", "Hz"),
        ("MeV/n", "MeV"),
        ("keV/q", "keV"),
        ("R", "cm^-2 s^-1 sr^-1"),
        ("deg", ""),
    ],
)
def test_what_the_field_tells_apart_is_not_converted(unit, to):
    assert not comparable(unit, to)
    with pytest.raises(UnitMismatch, match="the units have different dimensions"):
        conversion_factor(unit, to)


@pytest.mark.parametrize("unit", ["furlongs", "nT; km/s", "0=good", "R_S", "spins", "pixel", "log(eV)"])
def test_a_unit_that_is_not_known_is_equal_to_itself_and_no_more(unit):
    assert conversion_factor(unit, unit) == 1.0
    assert not comparable(unit, "nT")
    with pytest.raises(StepError, match="is not known, so it cannot be converted"):
        conversion_factor(unit, "nT")


@pytest.mark.parametrize(("unit", "to"), [("degC", "K"), ("K", "degC"), ("dB", "")])
def test_what_is_no_multiple_is_not_converted(unit, to):
    with pytest.raises(StepError, match="cannot be converted: the conversion needs more than a factor"):
        conversion_factor(unit, to)


def test_every_symbol_of_the_spellings_is_converted_or_refused_never_guessed():
    refused = {
        symbol
        for symbol, _ in _SYMBOLS.values()
        if unit_factors(symbol) is not None and not comparable(symbol, symbol)
    }
    assert refused == {"degC", "dB", "R_S", "spin", "spins", "pixel", "samples", "sats"}


def test_factors_are_read_from_any_spelling():
    assert unit_factors("#/cc") == (("cm", -3),)
    assert unit_factors("unitless") == ()
    assert unit_factors("furlongs") is None


@pytest.mark.process
def test_asking_for_equal_units_does_not_import_the_units_library():
    code = (
        "import sys; from helio.knowledge.unit_algebra import conversion_factor as f;"
        "assert f('#/cc', 'cm^-3') == 1; assert 'pint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
