"""Alfvén Mach number."""

import numpy as np

from helio.steps.compute.alfven_mach import alfven_mach
from helio.steps.compute.alfven_speed import alfven_speed
from tests.steps.series import check_golden
from tests.steps.solar_wind import alpha_ratio, density, field, speed, velocity


def test_it_is_the_ratio_of_the_speeds():
    found = alfven_mach(speed(), field(), density(), alpha_ratio())
    slow = alfven_speed(field(), density(), alpha_ratio())
    np.testing.assert_allclose(found.values[:3], speed().values[:3] / slow.values[:3], rtol=1e-14)
    assert (found.unit, found.name) == ("", "M_A")


def test_a_velocity_counts_by_its_length():
    found = alfven_mach(velocity(), field(), density())
    assert found.values[0] / alfven_mach(speed(), field(), density()).values[0] > 1.001


def test_it_is_missing_where_a_quantity_is_or_there_is_no_field():
    found = alfven_mach(speed(), field(), density())
    assert np.isnan(found.values).tolist() == [False] * 3 + [True] * 3


def test_golden():
    check_golden(alfven_mach, alfven_mach(speed(), field(), density()), digits=12)
