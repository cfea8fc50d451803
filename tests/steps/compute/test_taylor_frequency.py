"""Frequency at which a length appears to a spacecraft."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.inertial_length import inertial_length
from helio.steps.compute.taylor_frequency import taylor_frequency
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, series, speed, velocity


def length():
    return inertial_length(density())


CALLS = [([length, speed], {}), ([length, velocity], {})]


def test_a_wave_with_k_l_of_1_passes_in_one_period():
    """A wave of length λ passes V/λ times a second, and k L = 1 is λ = 2πL."""
    found = taylor_frequency(series([100.0], "km", "d_p"), series([400.0], "km/s"))
    assert found.values[0] == pytest.approx(400 / (2 * np.pi * 100), rel=1e-14)
    assert (found.unit, found.name) == ("Hz", "f(d_p)")


def test_a_velocity_counts_by_its_length():
    vector, scalar = velocity(), series(np.linalg.norm(velocity().values, axis=1), "km/s")
    np.testing.assert_allclose(
        taylor_frequency(length(), vector).values, taylor_frequency(length(), scalar).values, rtol=1e-14
    )


def test_it_is_missing_where_a_quantity_is_or_the_length_is_0():
    assert np.isnan(taylor_frequency(length(), velocity()).values).tolist() == [False] * 3 + [
        True,
        True,
        False,
    ]
    assert np.isnan(taylor_frequency(series([0.0], "km"), series([400.0], "km/s")).values[0])


def test_one_component_is_refused():
    with pytest.raises(StepError, match="needs a vector or its length"):
        taylor_frequency(series([1.0], "km"), series([-400.0], "km/s", "Vx", "GSE"))


def test_golden():
    check_golden(taylor_frequency, taylor_frequency(length(), speed()), digits=12)
