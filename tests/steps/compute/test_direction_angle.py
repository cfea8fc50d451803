"""Elevation and azimuth of a vector."""

import numpy as np
import pytest

from helio.steps.compute.direction_angle import direction_angle
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors

CALLS = [([solar_wind.field], {"give": "elevation"}), ([solar_wind.field], {"give": "azimuth"})]


@pytest.mark.parametrize(
    ("vector", "elevation", "azimuth"),
    [
        ((2, 0, 0), 0, 0),
        ((-1, 1, 0), 0, 135),
        ((0, -3, 3), 45, 270),
        ((3, 4, -5), -45, np.degrees(np.arctan2(4, 3))),
        ((0, 0, -2), -90, np.nan),
        ((0, 0, 0), np.nan, np.nan),
    ],
)
def test_the_elevation_is_above_the_first_two_axes_and_the_azimuth_in_their_plane(vector, elevation, azimuth):
    found = [direction_angle(vectors([vector]), give=give).values[0] for give in ("elevation", "azimuth")]
    assert found == pytest.approx([elevation, azimuth], abs=1e-12, nan_ok=True)


def test_it_is_missing_where_a_component_is():
    missing = np.isnan(field().values).any(axis=1)
    for give in ("elevation", "azimuth"):
        assert np.isnan(direction_angle(field(), give=give).values[missing]).all()


def test_golden():
    check_golden(direction_angle, direction_angle(field(), give="elevation"), "-elevation", digits=12)
    check_golden(direction_angle, direction_angle(field(), give="azimuth"), "-azimuth", digits=12)
