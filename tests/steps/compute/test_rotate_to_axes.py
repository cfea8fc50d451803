"""Vectors along axes that another step found."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.minimum_variance import minimum_variance
from helio.steps.compute.rotate_to_axes import rotate_to_axes
from tests.steps import solar_wind
from tests.steps.series import check_golden, vector

CALLS = [([solar_wind.field_long, solar_wind.axes_of_field], {})]


def axes():
    return minimum_variance(vector(), give="axes")


def test_the_vector_the_axes_are_of_becomes_that_of_the_analysis():
    np.testing.assert_allclose(
        rotate_to_axes(vector(), axes()).values, minimum_variance(vector()).values, rtol=0, atol=1e-13
    )


def test_another_vector_keeps_its_unit_and_gets_the_names_of_the_axes():
    velocity = replace(vector(), unit="km/s", name="V", components=("Vx", "Vy", "Vz"))
    found = rotate_to_axes(velocity, axes())
    assert (found.unit, found.frame, found.components) == ("km/s", "LMN", ("V_L", "V_M", "V_N"))
    assert np.isnan(found.values).any(axis=1).tolist() == [False] * 3 + [True] + [False] * 6
    lengths = np.linalg.norm(vector().values, axis=1)
    np.testing.assert_allclose(np.linalg.norm(found.values, axis=1), lengths, rtol=1e-14)


def test_axes_of_another_frame_are_refused():
    with pytest.raises(FrameMismatch, match="'B' is in GSM, but 'LMN axes' is in GSE"):
        rotate_to_axes(replace(vector(), frame="GSM"), axes())


def test_what_are_no_axes_is_refused():
    with pytest.raises(StepError, match="10 records of 3 components") as caught:
        rotate_to_axes(vector(), replace(vector(), unit=""))
    assert "minimum_variance" in caught.value.advice
    with pytest.raises(UnitMismatch, match=r"the axes of .* must be without a unit, but 'B' is in nT"):
        rotate_to_axes(vector(), vector())
    skewed = replace(axes(), values=np.arange(9.0).reshape(1, 9))
    with pytest.raises(StepError, match="not a rotation"):
        rotate_to_axes(vector(), skewed)


def test_golden():
    check_golden(rotate_to_axes, rotate_to_axes(vector(), axes()), digits=12)
