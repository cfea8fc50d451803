"""Components of a vector along a field and across it."""

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.steps.compute.along_field import along_field
from helio.steps.compute.magnitude import magnitude
from tests.steps.solar_wind import NAN, field, series, vectors


def electric():
    return vectors(np.roll(field().values, 1, axis=1), unit="mV/m", name="E")


CALLS = [([electric, field], {}), ([electric, field], {"give": "perpendicular"})]


@pytest.mark.parametrize(
    ("vector", "direction", "along", "across"),
    [
        ((2, 0, 0), (5, 0, 0), 2, 0),
        ((2, 0, 0), (-5, 0, 0), -2, 0),
        ((0, 3, 4), (1, 0, 0), 0, 5),
        ((1, 1, 0), (1, 0, 0), 1, 1),
        ((1, 2, 3), (1, 1, 1), 6 / np.sqrt(3), np.sqrt(14 - 12)),
    ],
)
def test_known_components(vector, direction, along, across):
    one, other = vectors([vector], unit="mV/m", name="E"), vectors([direction])
    assert along_field(one, other).values[0] == pytest.approx(along, abs=1e-12)
    assert along_field(one, other, give="perpendicular").values[0] == pytest.approx(across, abs=1e-12)


def test_both_parts_make_the_whole():
    parts = [along_field(electric(), field(), give=give).values for give in ("parallel", "perpendicular")]
    whole = magnitude(electric()).values[:4]
    np.testing.assert_allclose(np.hypot(*parts)[:4], whole, rtol=1e-12)


def test_a_convection_field_has_no_part_along_the_magnetic_field():
    flow, magnetic = np.random.default_rng(2).normal(size=(2, 20, 3))
    found = along_field(vectors(-np.cross(flow, magnetic), unit="mV/m"), vectors(magnetic))
    np.testing.assert_allclose(found.values, 0, atol=1e-14)


def test_it_is_missing_where_a_component_is_or_there_is_no_field():
    one = vectors([[1, 0, 0], [NAN, 0, 0], [1, 0, 0], [0, 0, 0]], name="E")
    other = vectors([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0]])
    for give in ("parallel", "perpendicular"):
        found = along_field(one, other, give=give).values
        assert np.isnan(found).tolist() == [False, True, True, False]


def test_it_has_the_unit_and_the_name_of_the_vector():
    found = along_field(electric(), field())
    assert (found.unit, found.name, found.frame) == ("mV/m", "E∥", "")
    assert len(along_field(electric().take(slice(0, 0)), field().take(slice(0, 0)))) == 0


def test_frames_and_epochs_must_agree():
    with pytest.raises(FrameMismatch):
        along_field(electric(), field(frame="GSE"))
    with pytest.raises(ClockMismatch):
        along_field(electric(), field().take(slice(0, 3)))
    with pytest.raises(StepError, match="must be a vector"):
        along_field(series([1.0], "nT"), series([1.0], "nT"))
