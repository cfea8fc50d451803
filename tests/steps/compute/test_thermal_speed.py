"""Thermal speed."""

import numpy as np
import pytest
from scipy import constants

from helio.errors import StepError
from helio.steps.compute.thermal_speed import thermal_speed
from helio.steps.compute.thermal_temperature import thermal_temperature
from tests.rows import in_one_test
from tests.steps.series import check_golden
from tests.steps.solar_wind import series, temperature


def test_it_is_the_most_probable_speed_of_protons():
    found = thermal_speed(temperature())
    assert found.values[0] == pytest.approx(np.sqrt(2 * constants.k * 1e5 / constants.m_p) * 1e-3, rel=1e-9)
    assert (found.unit, found.name) == ("km/s", "w_p")


@in_one_test(
    ("particle", "mass", "name"),
    [
        ("proton", constants.m_p, "w_p"),
        ("electron", constants.m_e, "w_e"),
        ("alpha", constants.physical_constants["alpha particle mass"][0], "w_α"),
    ],
)
@in_one_test("factor", [1.0, 2.0, 3.0])
def test_every_particle_and_factor_there_and_back(particle, mass, name, factor):
    found = thermal_speed(temperature(), particle=particle, factor=factor)
    assert found.values[0] == pytest.approx(np.sqrt(factor * constants.k * 1e5 / mass) * 1e-3, rel=1e-9)
    assert found.name == name
    back = thermal_temperature(found, particle=particle, factor=factor)
    np.testing.assert_allclose(back.values, temperature().values, rtol=1e-14)


def test_it_is_missing_where_the_temperature_is_or_cannot_be():
    assert np.isnan(thermal_speed(series([1e5, np.nan, -1.0, 0.0], "K")).values).tolist() == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("factor", [0.0, -2.0, float("nan"), float("inf")])
def test_a_factor_of_no_convention_is_refused(factor):
    with pytest.raises(StepError, match="must be positive"):
        thermal_speed(temperature(), factor=factor)


def test_golden():
    check_golden(thermal_speed, thermal_speed(temperature()), digits=12)
