"""Units in the spelling of UDUNITS; every expected text was read by UDUNITS-2 (cf-units 3.3.1)."""

import pytest

from helio.knowledge.udunits import udunits_spelling
from helio.knowledge.unit_spelling import canonical_unit
from tests.rows import in_one_test

READ_BACK = {
    "nT": "nT",
    "cm^-3": "cm-3",
    "#/cc": "cm-3",
    "km/s": "km s-1",
    "nT^2/Hz": "nT2 Hz-1",
    "1/(cm^2 s sr MeV)": "cm-2 s-1 sr-1 MeV-1",
    "keV/(cm^2 s sr keV)": "keV cm-2 s-1 sr-1 keV-1",
    "deg": "degree",
    "deg/s": "degree s-1",
    "degC": "degC",
    "counts/s": "count s-1",
    "%": "percent",
    "AU": "au",
    "Angstrom": "angstrom",
    "nG": None,
    "G": "gauss",
    "": "1",
    "#": "1",
}
OTHERWISE_SAID = {
    "R_E": "6371.2 km",
    "km/R_E^2": "km (6371.2 km)-2",
    "R": "1e10 m-2 s-1",
    "kR": "1e13 m-2 s-1",
    "nR": "1e1 m-2 s-1",
    "sfu": "1e-22 W m-2 Hz-1",
    "TECU": "1e16 m-2",
    "eV/q": "eV e-1",
    "1/(cm^2 s sr (MeV/n))": "cm-2 s-1 sr-1 MeV-1",
    "samples/s": "s-1",
    "samples": "1",
    "year": "Julian_year",
}


@in_one_test(("unit", "spelling"), READ_BACK.items())
def test_a_unit_is_spelled_as_udunits_reads_it_and_means_the_same_to_helio(unit, spelling):
    assert udunits_spelling(unit) == spelling
    if spelling:
        assert canonical_unit(spelling) == canonical_unit(unit)


@in_one_test(("unit", "spelling"), OTHERWISE_SAID.items())
def test_a_unit_that_udunits_lacks_is_written_in_those_that_it_has(unit, spelling):
    assert udunits_spelling(unit) == spelling


@pytest.mark.parametrize("unit", ["dB", "R_S", "nT/sqrt(Hz)", "# major, frames (sic)", "m dB"])
def test_a_unit_that_udunits_cannot_say_is_refused(unit):
    assert udunits_spelling(unit) is None
