"""Drift velocity in crossed electric and magnetic fields."""

import numpy as np
import pytest

from helio.errors import FrameMismatch
from helio.steps.compute.electric_field import electric_field
from helio.steps.compute.exb_drift import exb_drift
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors, velocity


def electric():
    """The field of the moving plasma, in mV/m."""
    return electric_field(velocity(), field("GSE"))


CALLS = [([electric, lambda: solar_wind.field("GSE")], {})]


def test_the_field_of_a_moving_plasma_gives_its_velocity_across_the_magnetic_field():
    drift, flow, lines = exb_drift(electric(), field("GSE")).values, velocity().values, field("GSE").values
    complete = np.isfinite(drift).all(axis=1)
    assert complete.sum() >= 3
    for found, v, b in zip(drift[complete], flow[complete], lines[complete], strict=True):
        np.testing.assert_allclose(found, v - np.dot(v, b) / np.dot(b, b) * b, rtol=1e-10)


def test_it_is_missing_where_a_component_is_or_there_is_no_magnetic_field():
    force = vectors([[0, 2, 0], [0, 2, np.nan]], unit="mV/m", name="E")
    assert np.isnan(exb_drift(force, vectors([[0, 0, 0], [0, 0, -5]])).values).all()


def test_two_frames_are_refused():
    with pytest.raises(FrameMismatch, match="is in GSM"):
        exb_drift(electric(), field())


def test_golden():
    check_golden(exb_drift, exb_drift(electric(), field("GSE")), digits=12)
