"""Specific entropy."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.specific_entropy import specific_entropy
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, series, temperature

CALLS = [([density, temperature], {})]
KELVIN = constants.e / constants.k
"""1 eV in K."""


def test_it_is_the_temperature_over_the_density_to_two_thirds():
    found = specific_entropy(series([8.0, 1.0], "cm^-3"), series([10 * KELVIN, 10 * KELVIN], "K"))
    np.testing.assert_allclose(found.values, [2.5, 10.0], rtol=1e-9)
    assert (found.unit, found.name, found.scale) == ("eV cm^2", "S", "log")


def test_it_stays_the_same_where_a_plasma_expands_without_heating():
    number = np.array([20.0, 5.0, 0.5])
    heat = 2e5 * (number / 20.0) ** (2 / 3)  # T is proportional to n^(γ - 1), with γ = 5/3
    found = specific_entropy(series(number, "cm^-3"), series(heat, "K")).values
    np.testing.assert_allclose(found, found[0], rtol=1e-12)


def test_it_is_the_pressure_over_the_density_to_five_thirds():
    number, heat = 5.0, 1e5
    pressure = number * heat / KELVIN  # eV/cm³
    found = specific_entropy(series([number], "cm^-3"), series([heat], "K"))
    assert found.values[0] == pytest.approx(pressure / number ** (5 / 3), rel=1e-9)


def test_it_is_missing_where_a_quantity_is_or_cannot_be():
    found = specific_entropy(density(), temperature())
    assert np.isnan(found.values).tolist() == [False] * 3 + [True, False, True]
    assert np.isnan(specific_entropy(series([0.0, 5.0], "cm^-3"), series([1e5, -1.0], "K")).values).all()


def test_golden():
    check_golden(specific_entropy, specific_entropy(density(), temperature()), digits=12)
