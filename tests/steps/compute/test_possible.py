"""What a quantity cannot be is missing in everything that is computed from it, in the same way everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.alfven_mach import alfven_mach
from helio.steps.compute.alfven_speed import alfven_speed
from helio.steps.compute.dynamic_pressure import dynamic_pressure
from helio.steps.compute.gyrofrequency import gyrofrequency
from helio.steps.compute.magnetosonic_mach import magnetosonic_mach
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.parker_angle import parker_angle
from helio.steps.compute.plasma_beta import plasma_beta
from helio.steps.compute.plasma_frequency import plasma_frequency
from helio.steps.compute.shue_standoff import shue_standoff
from helio.steps.compute.thermal_speed import thermal_speed
from helio.steps.compute.thermal_temperature import thermal_temperature
from tests.rows import in_one_test
from tests.steps.solar_wind import alpha_ratio, series

STRENGTH, SPEED, DENSITY = series([5.0], "nT", "|B|"), series([400.0], "km/s", "V"), series([5.0], "cm^-3")
KELVIN, RADIUS, ALPHA = series([1e5], "K"), series([1.0], "AU"), series([0.04], "")

# Each takes its inputs by name, the first of which is spoilt.
USES = {
    "alfven_speed n": (DENSITY, lambda n: alfven_speed(STRENGTH, n)),
    "alfven_speed B": (STRENGTH, lambda b: alfven_speed(b, DENSITY)),
    "alfven_mach V": (SPEED, lambda v: alfven_mach(v, STRENGTH, DENSITY)),
    "dynamic_pressure n": (DENSITY, lambda n: dynamic_pressure(n, SPEED)),
    "dynamic_pressure V": (SPEED, lambda v: dynamic_pressure(DENSITY, v)),
    "plasma_beta n": (DENSITY, lambda n: plasma_beta(n, KELVIN, STRENGTH)),
    "plasma_beta T": (KELVIN, lambda t: plasma_beta(DENSITY, t, STRENGTH)),
    "plasma_beta B": (STRENGTH, lambda b: plasma_beta(DENSITY, KELVIN, b)),
    "plasma_beta T_e": (KELVIN, lambda t: plasma_beta(DENSITY, KELVIN, STRENGTH, t)),
    "magnetosonic_mach n": (DENSITY, lambda n: magnetosonic_mach(SPEED, n, KELVIN, STRENGTH)),
    "magnetosonic_mach T": (KELVIN, lambda t: magnetosonic_mach(SPEED, DENSITY, t, STRENGTH)),
    "magnetosonic_mach B": (STRENGTH, lambda b: magnetosonic_mach(SPEED, DENSITY, KELVIN, b)),
    "parker_angle V": (SPEED, lambda v: parker_angle(v, distance=1.0)),
    "parker_angle r": (RADIUS, lambda r: parker_angle(SPEED, r)),
    "plasma_frequency": (DENSITY, plasma_frequency),
    "gyrofrequency": (STRENGTH, gyrofrequency),
    "thermal_speed": (KELVIN, thermal_speed),
    "thermal_temperature": (SPEED, thermal_temperature),
    "shue_standoff": (series([2.0], "nPa"), lambda p: shue_standoff(p, series([-5.0], "nT", "Bz", "GSM"))),
}


@in_one_test("impossible", [-1.0, -np.inf, np.inf, np.nan])
@in_one_test("name", USES)
def test_what_cannot_be_is_missing(name, impossible):
    """The density of a failed fit gave a negative pressure, and infinities a bare warning."""
    spoilt, use = USES[name]
    assert np.isfinite(use(spoilt).values).all()
    assert np.isnan(use(replace(spoilt, values=np.array([impossible]))).values).all()


@pytest.mark.parametrize("name", ["magnetosonic_mach n", "alfven_speed n", "parker_angle r"])
def test_nothing_is_divided_by_zero(name):
    spoilt, use = USES[name]
    assert np.isnan(use(replace(spoilt, values=np.array([0.0]))).values).all()


def five(value):
    return series([value] * 5 + [0.04], "", "alpha")


ALPHAS = {
    "dynamic_pressure": lambda a, **k: dynamic_pressure(*repeated(DENSITY, SPEED), a, **k),
    "alfven_speed": lambda a, **k: alfven_speed(*repeated(STRENGTH, DENSITY), a, **k),
    "alfven_mach": lambda a, **k: alfven_mach(*repeated(SPEED, STRENGTH, DENSITY), a, **k),
    "plasma_beta": lambda a, **k: plasma_beta(*repeated(DENSITY, KELVIN, STRENGTH), None, a, **k),
    "magnetosonic_mach": lambda a, **k: magnetosonic_mach(
        *repeated(SPEED, DENSITY, KELVIN, STRENGTH), None, a, **k
    ),
}


def repeated(*tables):
    return [
        replace(alpha_ratio(), values=np.repeat(table.values, 6), unit=table.unit, name=table.name)
        for table in tables
    ]


@in_one_test("value", [-0.5, 1.5])
@in_one_test("name", ALPHAS)
def test_a_share_of_alpha_particles_that_cannot_be_is_missing_whatever_is_assumed(name, value):
    """−0.5 gave a pressure of −1.3 nPa."""
    found = ALPHAS[name](five(value), assumed_alpha=0.05).values
    assert np.isnan(found).tolist() == [True] * 5 + [False]


@pytest.mark.parametrize("name", ALPHAS)
def test_a_table_without_any_possible_share_is_refused(name):
    with pytest.raises(StepError, match="its values are 4 to 5") as caught:
        ALPHAS[name](series([4.0, 5.0, np.nan, 4.0, 4.0, 4.0], "", "alpha"))
    assert "percentage" in caught.value.advice


@pytest.mark.parametrize("name", ALPHAS)
def test_fifty_alpha_particles_per_proton_are_refused(name):
    with pytest.raises(StepError, match="the number of alpha particles per proton cannot be 50"):
        ALPHAS[name](None, assumed_alpha=50)


@pytest.mark.parametrize("name", ALPHAS)
def test_a_table_and_the_same_number_give_the_same_and_the_number_fills_what_is_missing(name):
    table = ALPHAS[name](series([0.05] * 6, "", "alpha")).values
    np.testing.assert_allclose(ALPHAS[name](None, assumed_alpha=0.05).values, table)
    partly = series([0.05, np.nan, 0.05, np.nan, 0.05, 0.05], "", "alpha")
    np.testing.assert_allclose(ALPHAS[name](partly, assumed_alpha=0.05).values, table)
    assert np.isnan(ALPHAS[name](partly).values).tolist() == [False, True, False, True, False, False]


def test_a_distance_in_km_is_no_distance_in_au():
    with pytest.raises(StepError, match=r"1.49598e\+08 AU") as caught:
        parker_angle(SPEED, distance=149597870.7)
    assert "the Earth is at 1.0" in caught.value.advice


def test_a_magnitude_of_an_infinite_component_is_no_field_strength():
    field = replace(magnitude_source(), values=np.array([[np.inf, 1.0, 1.0]]))
    assert np.isinf(magnitude(field).values).all()
    assert np.isnan(gyrofrequency(field).values).all()


def magnitude_source():
    return replace(STRENGTH, values=np.ones((1, 3)), components=("Bx", "By", "Bz"), frame="GSE")
