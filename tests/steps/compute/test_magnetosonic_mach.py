"""Magnetosonic Mach number."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.alfven_mach import alfven_mach
from helio.steps.compute.magnetosonic_mach import magnetosonic_mach
from tests.steps.series import check_golden
from tests.steps.solar_wind import density, field, series, speed, temperature


def test_without_a_field_it_is_the_sonic_mach_number():
    found = magnetosonic_mach(
        series([400.0], "km/s"), series([5.0], "cm^-3"), series([1e5], "K"), series([0.0], "nT")
    )
    sound = np.sqrt(5 / 3 * constants.k * 1e5 / constants.m_p)
    assert found.values[0] == pytest.approx(4e5 / sound, rel=1e-9)
    assert (found.unit, found.name) == ("", "M_ms")


def test_in_a_cold_plasma_it_is_the_alfven_mach_number():
    cold = series([0.0] * 6, "K")
    found = magnetosonic_mach(speed(), density(), cold, field(), assumed_alpha=0.04)
    expected = alfven_mach(speed(), field(), density(), assumed_alpha=0.04)
    np.testing.assert_allclose(found.values[:3], expected.values[:3], rtol=1e-14)


def test_the_assumptions_of_omni_give_its_sound():
    found = magnetosonic_mach(
        series([400.0], "km/s"),
        series([5.0], "cm^-3"),
        series([1e5], "K"),
        series([0.0], "nT"),
        electron_temperature=140000.0,
        assumed_alpha=0.05,
    )
    assert 400 / found.values[0] == pytest.approx(0.1175 * np.sqrt(1e5 + 1.28e5), rel=3e-3)


def test_it_is_missing_where_a_quantity_is():
    found = magnetosonic_mach(speed(), density(), temperature(), field())
    assert np.isnan(found.values).tolist() == [False] * 3 + [True] * 3


def test_golden():
    check_golden(magnetosonic_mach, magnetosonic_mach(speed(), density(), temperature(), field()), digits=12)
