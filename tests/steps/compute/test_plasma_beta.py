"""Plasma beta."""

import numpy as np
import pytest
from scipy import constants

from helio.errors import StepError
from helio.steps.compute.plasma_beta import plasma_beta
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, field, series, temperature


def test_it_is_thermal_over_magnetic_pressure():
    found = plasma_beta(density(), temperature(), field())
    expected = 5e6 * constants.k * 1e5 / ((5e-9) ** 2 / (2 * constants.mu_0))
    assert found.values[0] == pytest.approx(expected, rel=1e-9)
    assert (found.unit, found.name, found.description) == ("", "β_i", "plasma beta of the ions")
    assert found.scale == "log"


def test_electrons_add_their_pressure():
    ions = plasma_beta(density(), temperature(), field())
    both = plasma_beta(density(), temperature(), field(), electron_temperature=1e5)
    assert both.values[0] == pytest.approx(2 * ions.values[0], rel=1e-12)
    assert both.name == "β"
    table = plasma_beta(density(), temperature(), field(), series([1e5] * 6, "K"))
    np.testing.assert_allclose(table.values, both.values, rtol=1e-14)


def test_the_assumptions_of_omni_give_its_formula():
    found = plasma_beta(density(), temperature(), field(), electron_temperature=140000.0, assumed_alpha=0.05)
    omni = (4.16e-5 * temperature().values + 5.34) * density().values / (field().values ** 2).sum(axis=1)
    np.testing.assert_allclose(found.values[:3], omni[:3], rtol=2e-3)


def test_alpha_particles_bring_their_electrons():
    hot = plasma_beta(
        series([1.0], "cm^-3"),
        series([0.0], "K"),
        series([1.0], "nT"),
        electron_temperature=1e5,
        assumed_alpha=0.1,
    )
    bare = plasma_beta(
        series([1.0], "cm^-3"), series([0.0], "K"), series([1.0], "nT"), electron_temperature=1e5
    )
    assert hot.values[0] == pytest.approx(1.2 * bare.values[0], rel=1e-12)


def test_it_is_missing_where_a_quantity_is_or_there_is_no_field():
    found = plasma_beta(density(), temperature(), field())
    assert np.isnan(found.values).tolist() == [False] * 3 + [True] * 3


def test_two_temperatures_of_the_electrons_are_refused():
    with pytest.raises(StepError, match="as a table and as a number"):
        plasma_beta(density(), temperature(), field(), temperature(), electron_temperature=1e5)


@pytest.mark.parametrize("name", ["electron_temperature", "alpha_temperature_ratio"])
def test_negative_numbers_are_refused(name):
    with pytest.raises(StepError, match=f"{name} is -1, but must be a number of at least 0"):
        plasma_beta(density(), temperature(), field(), **{name: -1.0})


def test_golden():
    found = plasma_beta(density(), temperature(), field(), electron_temperature=140000.0, assumed_alpha=0.05)
    check_golden(plasma_beta, found, digits=12)
