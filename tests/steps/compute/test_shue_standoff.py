"""Magnetopause of Shue et al."""

import numpy as np
import pytest

from helio.steps.compute.shue_standoff import shue_standoff
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import series

CALLS = [
    ([solar_wind.pressure, solar_wind.bz], {}),
    ([solar_wind.pressure, solar_wind.bz], {"give": "flaring"}),
]


def pressure():
    return series([2.0, 8.0, np.nan, 0.0, 1.0], "nPa", "P_dyn")


def bz():
    return series([0.0, -15.0, 1.0, 1.0, np.nan], "nT", "Bz", frame="GSM")


def test_a_quiet_day_has_it_at_ten_earth_radii():
    found = shue_standoff(pressure(), bz())
    # (10.22 + 1.29 tanh(0.184 × 8.14)) × 2^(-1/6.6), by hand
    assert found.values[0] == pytest.approx((10.22 + 1.29 * 0.904741) * 0.900304, abs=1e-4)
    assert (found.unit, found.name) == ("R_E", "r₀")


def test_a_storm_pushes_it_in_and_opens_it():
    near = shue_standoff(pressure(), bz())
    flaring = shue_standoff(pressure(), bz(), give="flaring")
    assert near.values[1] < 7
    assert flaring.values[0] == pytest.approx(0.58 * (1 + 0.024 * np.log(2)), rel=1e-12)
    assert flaring.values[1] > flaring.values[0]
    assert (flaring.unit, flaring.name) == ("", "α")


@pytest.mark.parametrize("give", ["standoff", "flaring"])
def test_it_is_missing_where_a_quantity_is_or_nothing_pushes(give):
    assert np.isnan(shue_standoff(pressure(), bz(), give=give).values).tolist() == [False] * 2 + [True] * 3


@pytest.mark.parametrize("give", ["standoff", "flaring"])
def test_golden(give):
    check_golden(shue_standoff, shue_standoff(pressure(), bz(), give=give), f"_{give}", digits=12)
