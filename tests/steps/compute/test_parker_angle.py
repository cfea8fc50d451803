"""Angle of the Parker spiral."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.parker_angle import parker_angle
from tests.steps.series import check_golden
from tests.steps.solar_wind import series, speed, velocity


def test_it_is_about_45_degrees_at_the_earth():
    found = parker_angle(series([428.6], "km/s"), distance=1.0)
    assert found.values[0] == pytest.approx(45.0, abs=0.01)
    assert (found.unit, found.name) == ("deg", "ψ_Parker")


def test_its_tangent_grows_with_distance_and_falls_with_speed():
    near = np.tan(np.radians(parker_angle(speed(), distance=0.5).values))
    far = np.tan(np.radians(parker_angle(speed(), distance=5.0).values))
    np.testing.assert_allclose(far / near, 10, rtol=1e-12)
    np.testing.assert_allclose(near * speed().values, near[0] * 400, rtol=1e-12)


def test_it_closes_towards_the_pole():
    at_60 = np.tan(np.radians(parker_angle(speed(), distance=1.0, latitude=60.0).values))
    at_0 = np.tan(np.radians(parker_angle(speed(), distance=1.0).values))
    np.testing.assert_allclose(at_60, at_0 / 2, rtol=1e-12)


def test_the_distance_may_be_a_series():
    radius = series([1.0, 0.5, np.nan, 1.0, 1.0, 0.01], "AU")
    found = parker_angle(speed(), radius, source_radius=10.0)
    assert found.values[0] == pytest.approx(
        parker_angle(speed(), distance=1.0, source_radius=10.0).values[0], rel=1e-14
    )
    assert np.isnan(found.values).tolist() == [False, False, True, False, False, False]
    assert found.values[5] == 0  # below the source there is no angle at a distance of yet


def test_it_is_missing_where_the_speed_is_or_there_is_no_wind():
    assert np.isnan(parker_angle(velocity(), distance=1.0).values).tolist() == [False] * 4 + [True, False]
    assert np.isnan(parker_angle(series([0.0], "km/s"), distance=1.0).values[0])


def test_the_distance_is_given_once():
    with pytest.raises(StepError, match="no distance from the Sun is given"):
        parker_angle(speed())
    with pytest.raises(StepError, match="given twice"):
        parker_angle(speed(), series([1.0] * 6, "AU"), distance=1.0)


@pytest.mark.parametrize(
    ("numbers", "why"),
    [
        ({"distance": 0.0}, "no angle at a distance of"),
        ({"distance": 1.0, "latitude": 91.0}, "a latitude of 91 degrees is not possible"),
        ({"distance": 1.0, "source_radius": -1.0}, "cannot start at"),
    ],
)
def test_impossible_numbers_are_refused(numbers, why):
    with pytest.raises(StepError, match=why):
        parker_angle(speed(), **numbers)


def test_golden():
    check_golden(parker_angle, parker_angle(speed(), distance=1.0), digits=12)
