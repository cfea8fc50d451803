"""Dynamic pressure."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import constants

from helio.errors import ClockMismatch, StepError
from helio.steps.compute.dynamic_pressure import dynamic_pressure
from tests.steps.series import check_golden
from tests.steps.solar_wind import alpha_ratio, density, speed, velocity

ALPHA = constants.physical_constants["alpha particle mass"][0]


def test_protons_alone_push_with_their_mass():
    found = dynamic_pressure(density(), speed())
    assert found.values[0] == pytest.approx(5e6 * constants.m_p * 4e5**2 * 1e9, rel=1e-9)
    assert (found.unit, found.name, found.frame, found.components) == ("nPa", "P_dyn", "", ())


def test_alpha_particles_add_their_mass():
    found = dynamic_pressure(density(), speed(), alpha_ratio())
    mass = constants.m_p + 0.04 * ALPHA
    assert found.values[0] == pytest.approx(5e6 * mass * 4e5**2 * 1e9, rel=1e-9)
    constant = dynamic_pressure(density(), speed(), assumed_alpha=0.04)
    assert constant.values[0] == pytest.approx(found.values[0], rel=1e-12)


def test_a_velocity_counts_by_its_length():
    found = dynamic_pressure(density(), velocity())
    length = np.linalg.norm(velocity().values, axis=1)
    expected = dynamic_pressure(density(), replace(speed(), values=length))
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-14)


def test_it_is_missing_where_a_quantity_is():
    assert np.isnan(dynamic_pressure(density(), velocity()).values).tolist() == [False] * 3 + [
        True,
        True,
        False,
    ]
    with_alphas = dynamic_pressure(density(), speed(), alpha_ratio())
    assert np.isnan(with_alphas.values).tolist() == [False] * 3 + [True, True, False]


def test_an_assumed_share_fills_a_missing_one():
    found = dynamic_pressure(density(), speed(), alpha_ratio(), assumed_alpha=0.05)
    assert np.isnan(found.values).tolist() == [False] * 3 + [True, False, False]
    assert found.values[4] == dynamic_pressure(density(), speed(), assumed_alpha=0.05).values[4]


@pytest.mark.parametrize("share", [-0.1, 1.5, float("nan")])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(StepError, match="alpha particles per proton"):
        dynamic_pressure(density(), speed(), assumed_alpha=share)


def test_other_epochs_are_refused():
    late = replace(speed(), epoch=speed().epoch + np.timedelta64(1, "s"))
    with pytest.raises(ClockMismatch, match="'N_p' and 'V' do not have the same epochs"):
        dynamic_pressure(density(), late)


def test_the_inputs_are_left_as_they_were():
    ratio, plasma = alpha_ratio(), speed()
    dynamic_pressure(density(), plasma, ratio, assumed_alpha=0.05)
    assert np.isnan(ratio.values[4])
    np.testing.assert_array_equal(plasma.values, speed().values)


def test_golden():
    check_golden(
        dynamic_pressure, dynamic_pressure(density(), speed(), alpha_ratio(), assumed_alpha=0.05), digits=12
    )
