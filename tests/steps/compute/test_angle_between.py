"""The angle between two vectors."""

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.steps.compute.angle_between import angle_between
from helio.steps.compute.cone_angle import cone_angle
from tests.steps import solar_wind
from tests.steps.solar_wind import NAN, field, series, vectors


def other_field():
    return vectors(np.roll(field().values, 1, axis=1), name="other")


CALLS = [([field, other_field], {}), ([field, other_field], {"name": "deflection"})]


@pytest.mark.parametrize(
    ("one", "other", "degrees"),
    [
        ((1, 0, 0), (3, 0, 0), 0),
        ((1, 0, 0), (-1e-3, 0, 0), 180),
        ((0, 2, 0), (0, 0, 5), 90),
        ((1, 1, 0), (1, 0, 0), 45),
        ((1, 1, 1), (0, 0, 1), np.degrees(np.arccos(1 / np.sqrt(3)))),
    ],
)
def test_known_angles(one, other, degrees):
    assert angle_between(vectors([one]), vectors([other])).values[0] == pytest.approx(degrees, abs=1e-12)


def test_small_angles_keep_their_digits():
    found = angle_between(vectors([[1.0, 1e-9, 0.0]]), vectors([[1.0, 0.0, 0.0]]))
    assert found.values[0] == pytest.approx(np.degrees(1e-9), rel=1e-12)


def test_the_angle_from_the_first_axis_is_the_cone_angle():
    axis = vectors([[1.0, 0.0, 0.0]] * 6)
    np.testing.assert_allclose(angle_between(field(), axis).values, cone_angle(field()).values, atol=1e-12)


def test_a_turn_of_both_changes_nothing():
    random = np.random.default_rng(1)
    one, other = random.normal(size=(2, 50, 3))
    turn, _ = np.linalg.qr(random.normal(size=(3, 3)))
    np.testing.assert_allclose(
        angle_between(vectors(one @ turn), vectors(other @ turn)).values,
        angle_between(vectors(one), vectors(other)).values,
        rtol=1e-9,
    )


def test_it_is_missing_where_a_component_is_or_there_is_no_direction():
    one = vectors([[1, 0, 0], [NAN, 0, 0], [0, 0, 0], [1, 0, 0]])
    other = vectors([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    assert np.isnan(angle_between(one, other).values).tolist() == [False, True, True, True]


def test_an_empty_table_gives_an_empty_table():
    assert len(angle_between(field().take(slice(0, 0)), field().take(slice(0, 0)))) == 0


def test_it_has_a_name_and_a_unit_and_does_not_wrap():
    found = angle_between(field(), other_field(), name="deflection")
    assert (found.unit, found.name, found.periods) == ("deg", "deflection", (0.0,))
    assert found.sources == field().sources


def test_frames_and_epochs_must_agree():
    with pytest.raises(FrameMismatch):
        angle_between(field(), field(frame="GSE"))
    with pytest.raises(ClockMismatch):
        angle_between(field(), field().take(slice(0, 3)))
    with pytest.raises(StepError, match="must be a vector"):
        angle_between(series([1.0], "nT"), solar_wind.series([1.0], "nT"))
