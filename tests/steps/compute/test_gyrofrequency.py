"""Gyrofrequency."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.gyrofrequency import gyrofrequency
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, series


@pytest.mark.parametrize(
    ("particle", "charge", "mass", "name"),
    [
        ("electron", 1, constants.m_e, "f_ce"),
        ("proton", 1, constants.m_p, "f_cp"),
        ("alpha", 2, constants.physical_constants["alpha particle mass"][0], "f_cα"),
    ],
)
def test_it_is_charge_times_field_over_mass(particle, charge, mass, name):
    found = gyrofrequency(series([5.0], "nT"), particle=particle)
    assert found.values[0] == pytest.approx(charge * constants.e * 5e-9 / (2 * np.pi * mass), rel=1e-9)
    assert (found.unit, found.name) == ("Hz", name)


def test_electrons_turn_28_times_a_second_per_nanotesla():
    assert gyrofrequency(series([1.0], "nT"), particle="electron").values[0] == pytest.approx(
        27.9925, abs=1e-4
    )


def test_it_is_missing_where_a_component_is():
    assert np.isnan(gyrofrequency(field()).values).tolist() == [False] * 4 + [True, False]


def test_golden():
    check_golden(gyrofrequency, gyrofrequency(field(), particle="electron"), digits=12)
