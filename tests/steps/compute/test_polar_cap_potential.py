"""Potential across the polar cap."""

import numpy as np

from helio.steps.compute.polar_cap_potential import polar_cap_potential
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, series, speed, vectors

CALLS = [([solar_wind.wind, solar_wind.field], {})]


def by_angle(speed, vector):
    """As the authors write it, with the clock angle itself."""
    _, y, z = vector
    size = np.sqrt(np.sum(np.square(vector)))
    return 1e-4 * speed**2 + 11.7 * size * abs(np.sin(np.arctan2(y, z) / 2)) ** 3


def test_it_is_the_published_formula():
    found = polar_cap_potential(speed(), field())
    expected = [by_angle(v, b) for v, b in zip(speed().values[:4], field().values[:4], strict=True)]
    np.testing.assert_allclose(found.values[:4], expected, rtol=1e-12)
    assert (found.frame, found.components) == ("", ())


def test_a_field_along_the_sun_earth_line_does_not_couple():
    found = polar_cap_potential(series([400.0] * 2, "km/s"), vectors([[3, 0, 0], [1, 0, 5]]))
    assert found.values.tolist() == [16.0, 16.0]


def test_it_is_missing_where_a_quantity_is():
    assert np.isnan(polar_cap_potential(speed(), field()).values).tolist() == [False] * 4 + [True, False]


def test_golden():
    check_golden(polar_cap_potential, polar_cap_potential(speed(), field()), digits=12)
