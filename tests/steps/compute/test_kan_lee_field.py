"""Merging electric field of Kan and Lee."""

import numpy as np

from helio.steps.compute.kan_lee_field import kan_lee_field
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, series, speed, vectors

CALLS = [([solar_wind.wind, solar_wind.field], {})]


def by_angle(speed, vector):
    """As the authors write it, with the clock angle itself."""
    _, y, z = vector
    return speed * np.hypot(y, z) * np.sin(np.arctan2(y, z) / 2) ** 2 * 1e-3


def test_it_is_the_published_formula():
    found = kan_lee_field(speed(), field())
    expected = [by_angle(v, b) for v, b in zip(speed().values[:4], field().values[:4], strict=True)]
    np.testing.assert_allclose(found.values[:4], expected, rtol=1e-12)
    assert (found.frame, found.components) == ("", ())


def test_a_field_along_the_sun_earth_line_does_not_couple():
    found = kan_lee_field(series([400.0] * 2, "km/s"), vectors([[3, 0, 0], [1, 0, 5]]))
    assert found.values.tolist() == [0.0, 0.0]


def test_it_is_missing_where_a_quantity_is():
    assert np.isnan(kan_lee_field(speed(), field()).values).tolist() == [False] * 4 + [True, False]


def test_golden():
    check_golden(kan_lee_field, kan_lee_field(speed(), field()), digits=12)
