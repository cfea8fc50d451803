"""Rectified electric field."""

import numpy as np

from helio.steps.compute.vbs import vbs
from tests.steps.series import check_golden
from tests.steps.solar_wind import bz, series, speed, velocity


def test_a_southward_field_counts_and_a_northward_one_does_not():
    found = vbs(series([400.0, 400.0, 400.0], "km/s"), series([-5.0, 5.0, 0.0], "nT"))
    assert found.values.tolist() == [2.0, 0.0, 0.0]
    assert not np.signbit(found.values).any()
    assert (found.unit, found.name, found.frame) == ("mV/m", "VB_s", "")


def test_a_velocity_counts_by_its_length():
    found = vbs(velocity(), bz())
    assert found.values[1] == 380 * 2e-3


def test_it_is_missing_where_a_quantity_is():
    assert np.isnan(vbs(velocity(), bz()).values).tolist() == [False] * 4 + [True, False]
    assert np.isnan(vbs(series([400.0], "km/s"), series([np.nan], "nT")).values[0])


def test_golden():
    check_golden(vbs, vbs(speed(), bz()), digits=12)
