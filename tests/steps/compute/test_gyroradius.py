"""Gyroradius."""

import numpy as np
import pytest
from scipy import constants

from helio.errors import ClockMismatch, StepError
from helio.steps.compute.gyrofrequency import gyrofrequency
from helio.steps.compute.gyroradius import gyroradius
from helio.steps.compute.thermal_speed import thermal_speed
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, series, temperature

CALLS = [([temperature, field], {}), ([temperature, field], {"particle": "electron", "factor": 1.0})]


@pytest.mark.parametrize("particle", ["proton", "electron", "alpha"])
def test_it_is_the_thermal_speed_over_the_angular_gyrofrequency(particle):
    heat, strength = series([1e5, 4e4], "K"), series([5.0, 12.0], "nT")
    speed = thermal_speed(heat, particle=particle, factor=1.0).values
    omega = 2 * np.pi * gyrofrequency(strength, particle=particle).values
    found = gyroradius(heat, strength, particle=particle, factor=1.0)
    np.testing.assert_allclose(found.values, speed / omega, rtol=1e-12)


def test_the_formulary_has_102_cm_for_protons_of_1_ev_in_1_gauss():
    kelvin = constants.e / constants.k
    found = gyroradius(series([kelvin], "K"), series([1e5], "nT"), factor=1.0)
    assert found.values[0] * 1e5 == pytest.approx(102, abs=0.3)
    assert (found.unit, found.name) == ("km", "ρ_p")


def test_the_most_probable_speed_is_the_default():
    heat, strength = series([1e5], "K"), series([5.0], "nT")
    ratio = gyroradius(heat, strength).values / gyroradius(heat, strength, factor=1.0).values
    assert ratio[0] == pytest.approx(np.sqrt(2), rel=1e-14)


def test_it_is_missing_without_a_field_or_a_temperature():
    found = gyroradius(temperature(), field())
    assert np.isnan(found.values).tolist() == [False] * 4 + [True, True]
    assert np.isnan(gyroradius(series([-5.0], "K"), series([5.0], "nT")).values[0])


def test_one_component_epochs_that_differ_and_an_impossible_factor_are_refused():
    heat = series([1e5], "K")
    with pytest.raises(StepError, match="needs a vector or its length"):
        gyroradius(heat, series([5.0], "nT", "Bz", "GSM"))
    with pytest.raises(ClockMismatch):
        gyroradius(heat, series([5.0, 5.0], "nT"))
    with pytest.raises(StepError, match="must be positive"):
        gyroradius(heat, series([5.0], "nT"), factor=0.0)


def test_golden():
    check_golden(gyroradius, gyroradius(temperature(), field()), digits=12)
