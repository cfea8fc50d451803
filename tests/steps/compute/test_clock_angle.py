"""Clock angle."""

import numpy as np
import pytest

from helio.steps.compute.clock_angle import clock_angle
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors

CALLS = [([solar_wind.field], {})]


@pytest.mark.parametrize(
    ("vector", "degrees"),
    [
        ((9, 0, 1), 0),
        ((9, 1, 0), 90),
        ((9, 0, -1), 180),
        ((9, -1, 0), -90),
        ((9, 1, 1), 45),
        ((0, -3, -3), -135),
    ],
)
def test_it_runs_from_north_over_dusk_to_south(vector, degrees):
    assert clock_angle(vectors([vector])).values[0] == pytest.approx(degrees, abs=1e-12)


def test_it_is_missing_where_a_component_is_or_there_is_no_direction():
    found = clock_angle(field())
    assert np.isnan(found.values).tolist() == [False] * 4 + [True, True]
    assert (found.unit, found.name, found.frame, found.components) == ("deg", "θ_CA", "GSM", ())
    assert found.description == "clock angle of B in GSM"


def test_the_field_along_x_has_no_clock_angle():
    assert np.isnan(clock_angle(vectors([[5.0, 0.0, 0.0]])).values[0])


def test_golden():
    check_golden(clock_angle, clock_angle(field()), digits=12)
