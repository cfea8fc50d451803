"""Ballistic shift in time."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.steps.compute.ballistic_shift import ballistic_shift
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import FIELD, PLASMA, field, series, speed, vectors, velocity

CALLS = [([solar_wind.field, solar_wind.wind], {"from_x": 1.5e6, "to_x": 0.0})]


def wind(*speeds):
    return vectors(
        [[-speed_along_x, 10.0, 5.0] for speed_along_x in speeds],
        unit="km/s",
        name="V",
        frame="GSE",
        source=PLASMA,
    )


def seconds(table, start):
    return ((table.epoch - start) / np.timedelta64(1, "s")).tolist()


def test_the_way_over_the_speed_is_the_delay():
    given = series([1.0, 2.0, 3.0], "nT", source=FIELD)
    found = ballistic_shift(given, wind(400, 400, 400), from_x=1.5e6, to_x=90_000.0)
    assert seconds(found, given.epoch[0]) == pytest.approx([3525.0, 3585.0, 3645.0])
    assert found.values.tolist() == [1.0, 2.0, 3.0]
    assert found.sources == (FIELD, PLASMA)
    assert found.description == "shifted ballistically to x = 90000 km"


def test_plasma_that_is_overtaken_is_left_out_and_epochs_increase():
    given = series(np.arange(6.0), "nT")
    found = ballistic_shift(given, wind(300, 300, 300, 600, 600, 600), from_x=30_000.0, to_x=0.0)
    # 100 s at 300 km/s and 50 s at 600: arrivals at 100, 160, 220, 230, 290, 350 s
    assert found.values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    far = ballistic_shift(given, wind(300, 300, 300, 600, 600, 600), from_x=90_000.0, to_x=0.0)
    # 300 and 150 s: arrivals at 300, 360, 420, 330, 390, 450 s
    assert far.values.tolist() == [0.0, 3.0, 4.0, 5.0]
    assert (np.diff(far.epoch) > np.timedelta64(0)).all()
    assert far.notes == ("records left out because faster plasma overtakes them on the way: 2",)


def test_two_that_arrive_together_are_one():
    found = ballistic_shift(series([1.0, 2.0], "nT"), wind(300, 600), from_x=36_000.0, to_x=0.0)
    assert found.values.tolist() == [2.0]


def test_a_record_without_a_speed_has_no_place():
    found = ballistic_shift(series([1.0, 2.0, 3.0], "nT"), wind(400, np.nan, 400), from_x=1.5e6, to_x=0.0)
    assert found.values.tolist() == [1.0, 3.0]
    assert "records left out because their speed or position is missing: 1" in found.notes


def test_missing_values_are_carried_along():
    found = ballistic_shift(field(), replace(speed(), values=np.full(6, 400.0)), from_x=1.5e6, to_x=0.0)
    assert np.isnan(found.values).any(axis=1).tolist() == [False] * 4 + [True, False]


def test_the_position_may_be_a_series_in_gsm_beside_a_velocity_in_gse():
    place = vectors([[1.5e6, 1.0, 2.0]] * 3, unit="km", name="R", frame="GSM")
    given = series([1.0, 2.0, 3.0], "nT")
    found = ballistic_shift(given, wind(400, 400, 400), place, to_x=0.0)
    np.testing.assert_array_equal(
        found.epoch, ballistic_shift(given, wind(400, 400, 400), from_x=1.5e6, to_x=0.0).epoch
    )
    with pytest.raises(FrameMismatch):
        ballistic_shift(given, wind(400, 400, 400), replace(place, frame="GEO"), to_x=0.0)


def test_only_the_component_along_x_carries():
    given = series([1.0], "nT")
    found = ballistic_shift(given, wind(400), from_x=400_000.0, to_x=0.0)
    assert seconds(found, given.epoch[0]) == [1000.0]


def test_a_wind_towards_the_sun_is_refused():
    with pytest.raises(
        StepError, match=r"does not move away from the Sun in 1 of 2 records, first at 2024-05-10T00:01"
    ):
        ballistic_shift(series([1.0, 2.0], "nT"), wind(400, -20), from_x=1.5e6, to_x=0.0)


def test_the_position_is_given_once():
    with pytest.raises(StepError, match="no position is given"):
        ballistic_shift(field(), velocity(), to_x=0.0)
    with pytest.raises(StepError, match="given twice"):
        ballistic_shift(field(), velocity(), vectors([[1.0, 1.0, 1.0]] * 6, unit="km"), from_x=1.0, to_x=0.0)


def test_other_epochs_are_refused():
    with pytest.raises(ClockMismatch):
        ballistic_shift(field(), wind(400), from_x=1.0, to_x=0.0)


def test_golden():
    check_golden(ballistic_shift, ballistic_shift(field(), speed(), from_x=60_000.0, to_x=0.0), digits=12)


def test_plasma_that_hardly_moves_takes_nothing_with_it():
    """One tiny speed made an arrival in 1732, and good records vanished."""
    given = series(np.arange(6.0), "nT")
    found = ballistic_shift(given, wind(400, 400, 400, 1e-6, 400, 400), from_x=1.5e6, to_x=0.0)
    assert found.values.tolist() == [0.0, 1.0, 2.0, 4.0, 5.0]
    assert found.notes == ("records left out because at their speed they would take centuries to arrive: 1",)
    back = ballistic_shift(given, wind(400, 400, 400, 1e-6, 400, 400), from_x=0.0, to_x=1.5e6)
    assert back.values.tolist() == [0.0, 1.0, 2.0, 4.0, 5.0]
