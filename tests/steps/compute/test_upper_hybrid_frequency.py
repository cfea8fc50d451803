"""Upper-hybrid frequency."""

import numpy as np
from scipy import constants

from helio.steps.compute.upper_hybrid_frequency import upper_hybrid_frequency
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, field, series

CALLS = [([density, field], {})]


def test_it_is_the_root_of_the_sum_of_both_squares():
    found = upper_hybrid_frequency(series([100.0, 1.0], "cm^-3"), series([300.0, 5000.0], "nT"))
    number, strength = np.array([1e8, 1e6]), np.array([3e-7, 5e-6])
    squares = number * constants.e**2 / (constants.epsilon_0 * constants.m_e)
    squares += (constants.e * strength / constants.m_e) ** 2
    np.testing.assert_allclose(found.values, np.sqrt(squares) / (2e3 * np.pi), rtol=1e-9)
    assert (found.unit, found.name) == ("kHz", "f_uh")


def test_without_a_field_it_is_the_plasma_frequency_and_without_plasma_the_gyrofrequency():
    found = upper_hybrid_frequency(series([100.0, 0.0], "cm^-3"), series([0.0, 1000.0], "nT"))
    np.testing.assert_allclose(found.values, [89.787, 27.992], atol=1e-3)


def test_it_is_missing_where_a_quantity_is():
    found = upper_hybrid_frequency(density(), field())
    assert np.isnan(found.values).tolist() == [False] * 3 + [True, True, False]


def test_golden():
    check_golden(upper_hybrid_frequency, upper_hybrid_frequency(density(), field()), digits=12)
