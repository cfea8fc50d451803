"""Plasma frequency."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.plasma_frequency import plasma_frequency
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, series


@pytest.mark.parametrize(
    ("particle", "charge", "mass", "name"),
    [
        ("electron", 1, constants.m_e, "f_pe"),
        ("proton", 1, constants.m_p, "f_pp"),
        ("alpha", 2, constants.physical_constants["alpha particle mass"][0], "f_pα"),
    ],
)
def test_it_is_the_root_of_density_over_mass(particle, charge, mass, name):
    found = plasma_frequency(series([5.0], "cm^-3"), particle=particle)
    expected = np.sqrt(5e6 * (charge * constants.e) ** 2 / (constants.epsilon_0 * mass)) / (2 * np.pi)
    assert found.values[0] == pytest.approx(expected * 1e-3, rel=1e-9)
    assert (found.unit, found.name) == ("kHz", name)


def test_electrons_have_9_khz_at_one_per_cubic_centimetre():
    assert plasma_frequency(series([1.0], "cm^-3")).values[0] == pytest.approx(8.9787, abs=1e-4)


def test_it_is_missing_where_the_density_is_or_cannot_be():
    assert np.isnan(plasma_frequency(density()).values).tolist() == [False] * 3 + [True] + [False] * 2
    assert np.isnan(plasma_frequency(series([-1.0], "cm^-3")).values[0])


def test_golden():
    check_golden(plasma_frequency, plasma_frequency(density()), digits=12)
