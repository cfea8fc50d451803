"""Checks that data are as expected."""

from datetime import datetime

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.compute.expect import expect
from helio.time_range import Duration, TimeRange
from tests.steps.series import scalar
from tests.steps.solar_wind import NAN, bz, field, series

HOUR = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 1))
SIX = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 6))
CALLS = [
    ([field], {"time_range": SIX, "coverage": 0.1}),
    ([bz], {"time_range": SIX, "minimum": "5 nT", "severity": "note"}),
]


def hour(missing=0):
    """An hour of values 0 to 59, of which the first are missing."""
    values = np.arange(60.0)
    values[:missing] = NAN
    return series(values, "nT", "B")


def unmet(table, **expected):
    """What is not as expected, without a failure."""
    found = expect(table, time_range=HOUR, severity="note", **expected)
    assert [event.message for event in found.events] == list(found.notes)
    assert {event.kind for event in found.events} <= {"unmet"}
    np.testing.assert_array_equal(found.values, table.values)
    return [note.removeprefix("not as expected: ") for note in found.notes]


def test_data_as_expected_pass_unchanged():
    table = hour()
    found = expect(
        table,
        time_range=HOUR,
        coverage=1.0,
        minimum="0 nT",
        maximum="59 nT",
        cadence=Duration("1min"),
        longest_gap=Duration("1min"),
    )
    assert (found.events, found.notes, found.digest()) == ((), (), table.digest())


@pytest.mark.parametrize("cadence", [None, Duration("1min")])
def test_coverage_is_the_share_of_the_time_range_with_valid_records(cadence):
    assert unmet(hour(15), coverage=0.75, cadence=cadence) == []
    assert unmet(hour(15), coverage=0.76, cadence=cadence) == ["coverage of B at least 76 %, measured 75 %"]
    assert unmet(hour().take(slice(0, 30)), coverage=0.6, cadence=cadence) == [
        "coverage of B at least 60 %, measured 50 %"
    ]


def test_a_value_out_of_range_is_named_with_its_time():
    assert unmet(hour(), minimum="2 nT", maximum="0.05 uT") == [
        "B not below 2 nT, measured 0 nT in B at 2024-05-10 00:00:00 UT (2 of 60 values)",
        "B not above 0.05 uT, measured 59 nT in B at 2024-05-10 00:59:00 UT (9 of 60 values)",
    ]


def test_the_component_out_of_range_is_named():
    [words] = unmet(field(), maximum="5 nT")
    assert "measured 8 nT in B Bx at 2024-05-10 00:03:00 UT (2 of 17 values)" in words


def test_the_cadence_is_the_median_step():
    assert unmet(hour(), cadence=Duration("61s")) == []
    assert unmet(hour(), cadence=Duration("30s")) == ["cadence of B 30 s, measured 1 min"]
    assert unmet(hour().take(slice(0, 1)), cadence=Duration("1min")) == [
        "cadence of B 1min, measured 1 record"
    ]


def test_a_gap_counts_at_the_ends_of_the_time_range_too():
    assert unmet(hour(20), longest_gap=Duration("20min")) == []
    assert unmet(hour(21), longest_gap=Duration("20min")) == [
        "no gap in B longer than 20 min, measured 21 min from 2024-05-10 00:00:00 UT"
    ]
    assert unmet(scalar([0, 600, 3000], [1, 1, 1]), longest_gap=Duration("30min")) == [
        "no gap in Bz longer than 30 min, measured 40 min from 2024-05-10 00:10:00 UT"
    ]


def test_flags_that_are_not_good_are_counted_and_a_missing_flag_is_not_good():
    flag = series([0, 0, 1, 2, NAN, 0, 0, 0, 0, 0], "", "flag")
    assert unmet(flag, flagged=0.3) == []
    assert unmet(flag, flagged=0.2) == [
        "flag flags at most 20 % of the records, measured 30 % (3 of 10 records)"
    ]
    assert unmet(flag, flagged=0.2, good=[0, 1]) == []


def test_without_records_everything_that_needs_records_is_not_as_expected():
    empty = hour().take(slice(0, 0))
    expected = {
        "coverage": 0.1,
        "cadence": Duration("1min"),
        "longest_gap": Duration("10min"),
        "flagged": 0.5,
        "minimum": "0 nT",
    }
    assert [words.split()[0] for words in unmet(empty, **expected)] == ["coverage", "cadence", "no", "B"]


def test_records_outside_the_time_range_do_not_count():
    later = scalar(np.arange(60) * 60.0 + 3600, np.full(60, 1e9), name="B")
    assert unmet(later, maximum="5 nT") == []
    assert unmet(later, coverage=0.5) == ["coverage of B at least 50 %, measured 0 %"]


def test_the_step_fails_and_says_what_was_expected_and_measured():
    with pytest.raises(StepError, match="coverage of B at least 90 %, measured 75 %; B not below") as caught:
        expect(hour(15), time_range=HOUR, coverage=0.9, minimum="20 nT")
    assert 'severity: "note"' in caught.value.advice


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"coverage": 90}, "coverage is 90, but a share is between 0 and 1"),
        ({"flagged": -0.1}, "flagged is -0.1"),
        ({"minimum": "5 nT", "maximum": "1 nT"}, "minimum, 5 nT, is above maximum, 1 nT"),
        ({"minimum": "5"}, "the series has the unit nT, the number has none"),
        ({"minimum": "five nT"}, "is not a number with a unit"),
    ],
)
def test_an_expectation_that_cannot_be_checked_is_an_error(arguments, message):
    with pytest.raises(StepError, match=message):
        expect(hour(), time_range=HOUR, **arguments)


def test_a_limit_in_the_unit_of_another_quantity_is_an_error():
    with pytest.raises(UnitMismatch, match="which is in nT"):
        expect(hour(), time_range=HOUR, maximum="800 km/s")
