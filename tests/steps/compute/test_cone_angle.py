"""Cone angle."""

import numpy as np
import pytest

from helio.steps.compute.cone_angle import cone_angle
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors

CALLS = [([solar_wind.field], {})]


@pytest.mark.parametrize(
    ("vector", "degrees", "folded"),
    [
        ((2, 0, 0), 0, 0),
        ((-2, 0, 0), 180, 0),
        ((0, 3, 4), 90, 90),
        ((-1, 1, 0), 135, 45),
        ((1, 0, -1), 45, 45),
    ],
)
def test_it_is_measured_from_the_first_axis(vector, degrees, folded):
    assert cone_angle(vectors([vector])).values[0] == pytest.approx(degrees, abs=1e-12)
    assert cone_angle(vectors([vector]), folded=True).values[0] == pytest.approx(folded, abs=1e-12)


def test_small_angles_keep_their_digits():
    assert cone_angle(vectors([[1.0, 1e-9, 0.0]])).values[0] == pytest.approx(np.degrees(1e-9), rel=1e-12)


def test_it_is_missing_where_a_component_is_or_there_is_no_direction():
    assert np.isnan(cone_angle(field()).values).tolist() == [False] * 4 + [True, True]


def test_in_rtn_it_is_from_the_radial_direction():
    found = cone_angle(vectors([[1, 1, 0]], frame="RTN", letters="RTN"))
    assert found.values[0] == pytest.approx(45)
    assert found.description == "cone angle of B from R in RTN"


def test_golden():
    check_golden(cone_angle, cone_angle(field()), digits=12)
