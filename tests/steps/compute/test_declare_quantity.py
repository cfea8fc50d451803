"""Units and frames that a file does not say."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.declare_quantity import declare_quantity
from helio.steps.compute.pitch_angle_average import pitch_angle_average
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, vector

CALLS = [
    ([solar_wind.field], {"unit": "nT"}),
    ([solar_wind.bare_field], {"unit": "nT", "frame": "RTN"}),
]


def bare():
    return replace(vector(), unit="", frame="")


def test_what_is_declared_is_noted():
    found = declare_quantity(bare(), unit="nanotesla", frame="GSM")
    assert (found.unit, found.frame) == ("nT", "GSM")
    assert found.notes[-1] == "unit nT and frame GSM declared in the pipeline, not by the file"
    np.testing.assert_array_equal(found.values, vector().values)


def test_one_of_the_two_leaves_the_other():
    assert declare_quantity(vector(), frame="gse").unit == "nT"
    assert declare_quantity(replace(vector(), unit=""), unit="nT").frame == "GSE"


def test_what_the_file_says_is_not_overruled():
    with pytest.raises(UnitMismatch, match="'B' is in nT, so it cannot be declared to be in km/s"):
        declare_quantity(vector(), unit="km/s")
    with pytest.raises(FrameMismatch, match="'B' is in GSE, so it cannot be declared to be in GSM"):
        declare_quantity(vector(), frame="GSM")


def test_nothing_to_declare_is_refused():
    with pytest.raises(StepError, match="nothing is declared"):
        declare_quantity(bare(), unit=" ")


def test_missing_values_stay_missing():
    assert np.isnan(declare_quantity(bare(), unit="nT").values[3, 1])


def test_golden():
    check_golden(declare_quantity, declare_quantity(bare(), unit="nT", frame="GSE"), digits=12)


def pitch_angles(unit="#/(cm^2*s*str*MeV)"):
    """As ELFIN's fluxes have them: their bins have the unit of the flux."""
    angles = Axis("epa_spec", unit, np.array([20.0, 60.0, 120.0, 160.0]), scale="linear")
    energies = Axis("Energy", "keV", np.array([60.0, 100.0]))
    return Table(
        epochs(0, 60),
        np.ones((2, 4, 2)),
        unit="cm^-2 s^-1 sr^-1 MeV^-1",
        name="nflux",
        axes=(angles, energies),
    )


@pytest.mark.parametrize("unit", ["", "#/(cm^2*s*str*MeV)", "deg"])
def test_an_axis_whose_file_gives_it_no_unit_or_that_of_a_flux_is_given_one(unit):
    """Nothing could be averaged over ELFIN's pitch angles."""
    declared = declare_quantity(pitch_angles(unit), axis="EPA_spec", axis_unit="degrees")
    assert [axis.unit for axis in declared.axes] == ["deg", "keV"]
    assert declared.notes == ("unit deg of the axis 'epa_spec' declared in the pipeline, not by the file",)
    assert pitch_angle_average(declared).values == pytest.approx(np.ones((2, 2)))


def test_pitch_angles_that_cannot_be_told_are_refused_with_what_to_declare():
    for axis in ("", "epa_spec"):
        with pytest.raises(StepError) as caught:
            pitch_angle_average(pitch_angles(), axis=axis)
        assert 'declare_quantity: axis: "epa_spec", axis_unit: "deg"' in caught.value.advice


def test_an_axis_that_has_a_unit_keeps_it():
    with pytest.raises(
        UnitMismatch, match="the axis 'Energy' is in keV, so it cannot be declared to be in deg"
    ):
        declare_quantity(pitch_angles(), axis="Energy", axis_unit="deg")
    with pytest.raises(StepError, match="'axis' does not say which one to use"):
        declare_quantity(pitch_angles(), axis_unit="deg")
    with pytest.raises(StepError, match="'axis' is given without 'axis_unit'"):
        declare_quantity(pitch_angles(), axis="Energy", frame="GSE")
