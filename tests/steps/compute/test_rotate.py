"""Rotation by a matrix."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.rotate import rotate
from tests.steps import solar_wind
from tests.steps.series import check_golden, vector

CALLS = [([solar_wind.field], {"matrix": np.eye(3).tolist(), "frame": "LMN"})]

QUARTER = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def oblique():
    rows = np.linalg.qr(np.array([[1.0, 2.0, -0.5], [0.3, -1.0, 2.0], [4.0, 0.1, 1.0]]))[0]
    return rows * np.sign(np.linalg.det(rows))


def test_a_quarter_turn_about_z_takes_y_for_x():
    found = rotate(vector(), matrix=QUARTER, frame="boundary")
    np.testing.assert_array_equal(found.values[0], [4.0, -3.0, 0.0])
    assert (found.frame, found.components, found.unit) == ("boundary", ("Bx", "By", "Bz"), "nT")


def test_a_rotation_and_its_inverse_give_the_input():
    matrix = oblique()
    there = rotate(vector(gap=False), matrix=matrix.tolist(), frame="boundary")
    back = rotate(there, matrix=matrix.T.tolist(), frame="GSE")
    np.testing.assert_allclose(back.values, vector(gap=False).values, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("frame", "names"),
    [("LMN", ("B_L", "B_M", "B_N")), ("RTN", ("B_R", "B_T", "B_N")), ("FAC", ("Bx", "By", "Bz"))],
)
def test_components_are_named_after_the_new_axes(frame, names):
    assert rotate(vector(), matrix=QUARTER, frame=frame).components == names


def test_a_missing_component_makes_all_three_missing():
    found = rotate(vector(), matrix=oblique().tolist(), frame="LMN")
    assert np.isnan(found.values).all(axis=1).tolist() == [False] * 3 + [True] + [False] * 6


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[1, 0, 0], [0, 1, 0]], "three rows of three numbers"),
        ([[1, 0], [0, 1], [0, 0]], "three rows of three numbers"),
        ([[2, 0, 0], [0, 1, 0], [0, 0, 1]], "row 1 has the length 2"),
        ([[1, 0, 0], [0.6, 0.8, 0], [0, 0, 1]], "the scalar product of rows 1 and 2 is 0.6"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], "its axes are left-handed"),
        ([[float("nan"), 0, 0], [0, 1, 0], [0, 0, 1]], "row 1 has the length nan"),
    ],
)
def test_a_matrix_that_is_no_rotation_is_refused(matrix, why):
    with pytest.raises(StepError, match=why):
        rotate(vector(), matrix=matrix, frame="LMN")


def test_golden():
    check_golden(
        rotate, rotate(vector(), matrix=[[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]], frame="LMN"), digits=12
    )
