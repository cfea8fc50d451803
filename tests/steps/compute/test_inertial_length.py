"""Inertial length."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.alfven_speed import alfven_speed
from helio.steps.compute.gyrofrequency import gyrofrequency
from helio.steps.compute.inertial_length import inertial_length
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, series

CALLS = [([density], {}), ([density], {"particle": "electron"})]


@pytest.mark.parametrize(
    ("particle", "charge", "mass", "name"),
    [
        ("proton", 1, constants.m_p, "d_p"),
        ("electron", 1, constants.m_e, "d_e"),
        ("alpha", 2, constants.physical_constants["alpha particle mass"][0], "d_α"),
    ],
)
def test_it_is_the_speed_of_light_over_the_plasma_frequency(particle, charge, mass, name):
    found = inertial_length(series([5.0], "cm^-3"), particle=particle)
    omega = np.sqrt(5e6 * (charge * constants.e) ** 2 / (constants.epsilon_0 * mass))
    assert found.values[0] == pytest.approx(constants.c / omega * 1e-3, rel=1e-9)
    assert (found.unit, found.name) == ("km", name)


def test_the_formulary_has_228_km_for_a_proton_and_5_km_for_an_electron_per_cubic_centimetre():
    one = series([1.0], "cm^-3")
    assert inertial_length(one).values[0] == pytest.approx(228, abs=0.5)
    assert inertial_length(one, particle="electron").values[0] == pytest.approx(5.31, abs=0.005)


def test_an_alfven_wave_goes_this_far_in_a_radian_of_gyration():
    number, field = series([5.0, 20.0], "cm^-3"), series([5.0, 8.0], "nT")
    omega = 2 * np.pi * gyrofrequency(field).values
    np.testing.assert_allclose(
        inertial_length(number).values, alfven_speed(field, number).values / omega, rtol=1e-9
    )


def test_it_is_missing_where_the_density_is_or_cannot_be():
    assert np.isnan(inertial_length(density()).values).tolist() == [False] * 3 + [True] + [False] * 2
    assert np.isnan(inertial_length(series([-1.0, 0.0], "cm^-3")).values).all()
    assert inertial_length(series([], "cm^-3")).values.shape == (0,)


def test_golden():
    check_golden(inertial_length, inertial_length(density()), digits=12)
