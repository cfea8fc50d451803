"""Longitude of the magnetic footpoint."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.carrington import earth_carrington_longitude
from helio.steps.compute.footpoint_longitude import footpoint_longitude
from helio.steps.compute.parker_angle import parker_angle
from tests.steps.series import check_golden
from tests.steps.solar_wind import series, speed, velocity


def longitude():
    return series([10.0, 100.0, 350.0, 200.0, np.nan, 300.0], "deg", "Carrington longitude")


def radius():
    return series([1.0, 0.5, 0.1, 0.7, 0.3, 0.2], "AU")


CALLS = [
    ([speed], {"distance": 1.0}),
    ([speed, longitude, radius], {}),
    ([velocity, longitude], {"distance": 1.0, "give": "separation"}),
]


def test_it_is_how_far_the_sun_turns_while_the_wind_travels():
    """360° in 25.38 days, and 1 AU less a solar radius at 400 km/s."""
    found = footpoint_longitude(series([400.0], "km/s"), distance=1.0, give="separation")
    days = (1.495978707e8 - 6.957e5) / 400 / 86400
    assert found.values[0] == pytest.approx(360 * days / 25.38, rel=1e-12)
    assert (found.unit, found.periods) == ("deg", (0.0,))


def test_it_is_the_tangent_of_the_spiral_in_radians():
    """φ − φ₀ = Ω (r − r₀)/V, and tan ψ = Ω (r − r₀)/V at the equator."""
    turned = footpoint_longitude(speed(), distance=0.7, source_radius=10.0, give="separation").values
    angle = parker_angle(speed(), distance=0.7, source_radius=10.0).values
    np.testing.assert_allclose(np.radians(turned), np.tan(np.radians(angle)), rtol=1e-12)


def test_the_longitude_is_that_of_the_spacecraft_and_the_separation():
    apart = footpoint_longitude(speed(), longitude(), radius(), give="separation").values
    found = footpoint_longitude(speed(), longitude(), radius())
    np.testing.assert_allclose(found.values, (longitude().values + apart) % 360, rtol=1e-12)
    assert found.periods == (360.0,)
    assert np.isnan(found.values).tolist() == [False] * 4 + [True, False]


def test_without_a_longitude_it_is_that_of_the_earth():
    own = earth_carrington_longitude(speed().epoch)
    apart = footpoint_longitude(speed(), distance=1.0, give="separation").values
    found = footpoint_longitude(speed(), distance=1.0)
    np.testing.assert_allclose(found.values, (own + apart) % 360, rtol=1e-12)
    assert "of the Earth" in found.description


def test_slower_wind_connects_further_west():
    slow, fast = footpoint_longitude(series([300.0, 600.0], "km/s"), distance=1.0, give="separation").values
    assert slow == pytest.approx(2 * fast, rel=1e-12)


def test_it_is_missing_where_a_quantity_is_or_there_is_no_wind():
    found = footpoint_longitude(velocity(), distance=1.0)
    assert np.isnan(found.values).tolist() == [False] * 4 + [True, False]
    assert np.isnan(footpoint_longitude(series([0.0, -400.0], "km/s"), distance=1.0).values).all()


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({}, "no distance from the Sun is given"),
        ({"distance": 1.5e8}, "is not possible"),
        ({"distance": 1.0, "source_radius": -1.0}, "cannot end at -1 solar radii"),
    ],
)
def test_impossible_numbers_are_refused(numbers, why):
    with pytest.raises(StepError, match=why):
        footpoint_longitude(speed(), **numbers)


def test_the_distance_is_given_once():
    with pytest.raises(StepError, match="given twice"):
        footpoint_longitude(speed(), None, radius(), distance=1.0)


def test_golden():
    check_golden(footpoint_longitude, footpoint_longitude(speed(), longitude(), radius()), digits=12)
