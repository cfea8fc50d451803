"""Conversion of units."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import constants

from helio.errors import StepError, UnitMismatch
from helio.steps.compute.convert_units import convert_units
from tests.steps import solar_wind
from tests.steps.series import check_golden, spectrum, vector
from tests.steps.solar_wind import series, temperature

CALLS = [
    ([solar_wind.field], {"to": "T"}),
    ([solar_wind.temperature], {"to": "eV", "equivalence": "thermal"}),
]


def test_values_and_unit_change_and_nothing_else():
    found = convert_units(vector(), to="T")
    np.testing.assert_allclose(found.values, vector().values * 1e-9, rtol=1e-15)
    assert (found.unit, found.name, found.frame, found.components) == ("T", "B", "GSE", ("Bx", "By", "Bz"))
    assert np.isnan(found.values[3]).tolist() == [False, True, False]


def test_there_and_back_is_where_it_began():
    back = convert_units(convert_units(vector(), to="G"), to="nT")
    np.testing.assert_allclose(back.values, vector().values, rtol=1e-15)


def test_a_spectrum_keeps_its_axis():
    found = convert_units(spectrum(), to="m^-2 s^-1 sr^-1 eV^-1")
    assert found.values[0, 0] == pytest.approx(16.0 * 10)
    assert found.axes[0].unit == "keV"


def test_a_spelling_of_the_same_unit_changes_no_digit():
    found = convert_units(replace(vector(), unit="#/cc"), to="cm^-3")
    np.testing.assert_array_equal(found.values, vector().values)
    assert found.unit == "cm^-3"


def test_single_precision_is_converted_in_double():
    found = convert_units(replace(vector(), values=vector().values.astype(np.float32)), to="uT")
    assert found.values.dtype == np.float64
    assert found.values[0, 0] == 3.0 * 1e-3


def test_the_radius_of_the_earth_that_was_taken_is_noted():
    found = convert_units(series([10.0], "R_E", "r"), to="km")
    assert found.values[0] == pytest.approx(63712.0)
    assert found.notes == ("converted with R_E = 6371.2 km; the dataset may use another radius",)
    assert convert_units(series([10.0], "Re", "r"), to="R_E").notes == ()


def test_a_temperature_is_an_energy_only_when_asked():
    hot = convert_units(series([1.0], "eV", "T"), to="K", equivalence="thermal")
    assert hot.values[0] == pytest.approx(constants.e / constants.k, rel=1e-12)
    back = convert_units(
        convert_units(temperature(), to="keV", equivalence="thermal"), to="MK", equivalence="thermal"
    )
    np.testing.assert_allclose(back.values * 1e6, temperature().values, rtol=1e-14)
    for unit, other in (("eV", "K"), ("MK", "keV")):
        with pytest.raises(
            UnitMismatch, match=f"is in {unit}, which cannot be converted to {other}"
        ) as caught:
            convert_units(series([1.0], unit, "T"), to=other)
        assert "thermal" in caught.value.advice


def test_the_equivalence_is_for_temperatures_only():
    with pytest.raises(UnitMismatch, match="not between nT and T"):
        convert_units(vector(), to="T", equivalence="thermal")


def test_the_equivalence_accepts_what_is_a_temperature_or_an_energy_already():
    """The candidates of a fetch may be in eV and in K."""
    for unit, to, factor in (("K", "K", 1.0), ("MK", "K", 1e6), ("keV", "eV", 1e3)):
        found = convert_units(series([2.0], unit, "T"), to=to, equivalence="thermal")
        assert (found.values[0], found.unit) == (pytest.approx(2.0 * factor, rel=1e-12), to)


def test_another_dimension_names_both():
    with pytest.raises(UnitMismatch, match="nT cannot be converted to km/s"):
        convert_units(vector(), to="km/s")


@pytest.mark.parametrize(("unit", "to"), [("furlongs", "km"), ("nT", "smoots"), ("degC", "K"), ("K", "degC")])
def test_what_is_not_known_is_not_converted(unit, to):
    with pytest.raises(StepError, match="cannot be converted"):
        convert_units(replace(vector(), unit=unit), to=to)


def test_a_series_without_a_unit_has_to_be_given_one_first():
    with pytest.raises(StepError, match="has no unit") as caught:
        convert_units(replace(vector(), unit=""), to="nT")
    assert "declare_quantity" in caught.value.advice


def test_golden():
    check_golden(convert_units, convert_units(vector(), to="pT"), digits=12)
