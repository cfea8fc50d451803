"""Events in which a series meets a condition."""

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.compute.alert import alert
from helio.time_range import Duration
from tests.steps.series import scalar
from tests.steps.solar_wind import bz, series

NAN = np.nan
GIVES = ("extreme", "start", "stop", "durations")
CALLS = [([bz], {"when": "< 0 nT", "give": give}) for give in GIVES]
CALLS += [([bz], {"when": "> 3 nT", "until": "< 1 nT", "lasting": Duration("1min")})]
STORM = [-20, -110, -90, -130, NAN, -85, -101, -70, -20, -105, -60]
"""Dst, one value a minute: a storm that dips three times, and a short one."""


def storm():
    return series(STORM, "nT", "Dst")


def minutes(table):
    return ((table.epoch - np.datetime64("2024-05-10", "ns")) / np.timedelta64(1, "m")).tolist()


def test_a_storm_begins_at_one_level_and_ends_at_another():
    found = alert(storm(), when="< -100 nT", until="> -80 nT")
    assert (minutes(found), found.values.tolist(), found.unit) == ([3, 9], [-130, -105], "nT")
    assert minutes(alert(storm(), when="< -100 nT", until="> -80 nT", give="start")) == [1, 9]
    assert minutes(alert(storm(), when="< -100 nT", until="> -80 nT", give="stop")) == [7, 10]
    durations = alert(storm(), when="< -100 nT", until="> -80 nT", give="durations")
    np.testing.assert_allclose(durations.values, [[2, 4], [0, 1]])
    assert (durations.unit, minutes(durations)) == ("min", [3, 9])


def test_without_an_end_of_its_own_an_event_ends_where_the_condition_does():
    found = alert(storm(), when="< -100 nT")
    assert minutes(found) == [1, 3, 6, 9]


def test_the_record_of_the_run_gets_start_stop_extreme_and_time():
    first, second = alert(storm(), when="< -100 nT", until="> -80 nT").events
    assert (first.kind, first.start, first.stop) == (
        "alert", "2024-05-10T00:01:00.000Z", "2024-05-10T00:07:00.000Z",
    )  # fmt: skip
    assert (first.value, first.unit, first.time) == (-130.0, "nT", "2024-05-10T00:03:00.000Z")
    assert first.message == (
        "Dst < -100 nT from 2024-05-10 00:01 UT to 2024-05-10 00:07 UT, lowest -130 nT at 2024-05-10 00:03 UT"
    )
    assert second.value == -105


def test_missing_values_neither_begin_nor_end_an_event():
    found = alert(series([1, 5, NAN, NAN, 5, NAN], "nT"), when="> 3 nT")
    assert len(found) == 1
    [event] = found.events
    assert (event.start[:16], event.stop) == ("2024-05-10T00:01", "")
    assert "to the end of the data" in event.message
    assert len(alert(series([NAN, NAN], "nT"), when="> 3 nT")) == 0


def test_a_gap_in_the_records_does_not_end_an_event():
    found = alert(scalar([0, 60, 7200, 7260], [1, 5, 5, 1]), when="> 3 nT", give="durations")
    np.testing.assert_allclose(found.values, [[0, 120]])


def test_an_event_shorter_than_the_minimum_is_left_out():
    values = series([0, 5, 0, 5, 6, 7, 0], "nT")
    assert minutes(alert(values, when="> 3 nT", lasting=Duration("2min"))) == [5]
    assert minutes(alert(values, when="> 3 nT", lasting=Duration("3min"))) == []


def test_data_missing_at_the_end_of_an_event_do_not_count_for_its_duration():
    values = series([0, 5, NAN, NAN, NAN, 0], "nT")
    assert len(alert(values, when="> 3 nT", lasting=Duration("1min"))) == 0


def test_the_unit_of_the_level_is_converted():
    found = alert(series([0, -50, -150], "nT", "Dst"), when="< -0.1 uT")
    assert (minutes(found), found.values.tolist()) == ([2], [-150])


def test_an_x_flare_is_an_event():
    found = alert(series([1e-6, 9e-5, 2e-4, 1.5e-4, 1e-6], "W/m^2", "xrs"), when="> 1e-4 W/m^2")
    assert (minutes(found), found.values.tolist()) == ([2], [2e-4])
    assert found.events[0].stop[:16] == "2024-05-10T00:04"


def test_a_number_without_unit_goes_with_an_index_without_unit():
    assert minutes(alert(series([3, 5, 6, 2], "", "Kp"), when=">= 5")) == [2]


def test_the_level_has_the_precision_of_the_file():
    values = np.array([0.1, 0.2], dtype=np.float32)
    found = alert(scalar([0, 60], [0, 0]).take(slice(0, 0)), when="> 0.1 nT")
    assert len(found) == 0
    table = scalar([0, 60], [0.0, 0.0])
    object.__setattr__(table, "values", values)
    assert minutes(alert(table, when="> 0.1 nT")) == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"when": "< -100"}, "has none"),
        ({"when": "below -100 nT"}, "is not a condition"),
        ({"when": "< about 100 nT"}, "is not a number with a unit"),
        ({"when": "< -100 nT", "until": "< -80 nT"}, "may also end it"),
        ({"when": "< -100 nT", "until": "> -120 nT"}, "may also end it"),
        ({"when": "> 5 nT", "until": "< 6 nT"}, "may also end it"),
        ({"when": ">= 5 nT", "until": "<= 5 nT"}, "may also end it"),
    ],
)
def test_a_condition_that_cannot_be_used_is_an_error(arguments, message):
    with pytest.raises(StepError, match=message) as caught:
        alert(storm(), **arguments)
    assert caught.value.advice


def test_a_unit_of_another_quantity_is_an_error():
    with pytest.raises(UnitMismatch, match="which is in nT"):
        alert(storm(), when="< -100 km/s")
    with pytest.raises(StepError, match="the number has the unit nT, the series has none"):
        alert(series([1, 2], "", "Kp"), when="> 5 nT")


def test_a_level_may_begin_and_end_events_that_meet():
    assert minutes(alert(storm(), when="< -100 nT", until=">= -100 nT")) == [1, 3, 6, 9]


def test_many_events_are_counted_and_the_strongest_named():
    values = [value for peak in range(20) for value in (0, 10 + peak)]
    found = alert(series(values, "nT", "B"), when="> 3 nT")
    assert len(found) == 20
    assert len(found.events) == 12
    assert min(event.value for event in found.events) == 18
    assert "20 events with B > 3 nT; the 12 strongest are listed" in found.notes
