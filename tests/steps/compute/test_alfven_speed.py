"""Alfvén speed."""

import numpy as np
import pytest
from scipy import constants

from helio.steps.compute.alfven_speed import alfven_speed
from tests.steps.series import check_golden
from tests.steps.solar_wind import FIELD, PLASMA, alpha_ratio, density, field, series


def test_it_is_the_field_over_the_root_of_the_density():
    found = alfven_speed(field(), density())
    expected = 5e-9 / np.sqrt(constants.mu_0 * constants.m_p * 5e6) * 1e-3
    assert found.values[0] == pytest.approx(expected, rel=1e-9)
    assert (found.unit, found.name, found.frame, found.components) == ("km/s", "V_A", "", ())
    assert found.sources == (FIELD, PLASMA)


def test_the_number_of_the_formularies():
    one = alfven_speed(series([1.0], "nT"), series([1.0], "cm^-3"))
    assert one.values[0] == pytest.approx(
        21.81, abs=0.01
    )  # NRL Plasma Formulary: 2.18e11 B/√n cm/s, B in gauss


def test_alpha_particles_make_it_slower():
    plain, heavy = alfven_speed(field(), density()), alfven_speed(field(), density(), alpha_ratio())
    assert heavy.values[0] == pytest.approx(plain.values[0] / np.sqrt(1 + 0.04 * 3.97260), rel=1e-5)


def test_strength_and_vector_give_the_same():
    strength = series(np.linalg.norm(field().values, axis=1), "nT", "|B|")
    np.testing.assert_allclose(
        alfven_speed(strength, density()).values, alfven_speed(field(), density()).values, rtol=1e-14
    )


def test_it_is_missing_where_a_quantity_is_or_there_is_no_plasma():
    assert np.isnan(alfven_speed(field(), density()).values).tolist() == [False] * 3 + [True, True, False]
    empty = alfven_speed(series([5.0, 5.0], "nT"), series([0.0, -1.0], "cm^-3"))
    assert np.isnan(empty.values).all()


def test_golden():
    check_golden(alfven_speed, alfven_speed(field(), density()), digits=12)
