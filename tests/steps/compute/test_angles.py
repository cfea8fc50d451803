"""Angles that wrap, in every tool that puts neighbours together."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.align import align
from helio.steps.compute.angles import turning
from helio.steps.compute.arithmetic import arithmetic
from helio.steps.compute.band_pass import band_pass
from helio.steps.compute.convert_units import convert_units
from helio.steps.compute.cross_correlation_lag import cross_correlation_lag
from helio.steps.compute.declare_quantity import declare_quantity
from helio.steps.compute.derivative import derivative
from helio.steps.compute.despike import despike
from helio.steps.compute.detrend import detrend
from helio.steps.compute.interpolate import interpolate
from helio.steps.compute.power_spectrogram import power_spectrogram
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.compute.resample import resample
from helio.steps.compute.running_average import running_average
from helio.steps.compute.running_median import running_median
from helio.steps.compute.statistics import statistics
from helio.store.table import Table
from helio.time_range import Duration
from tests.rows import in_one_test
from tests.steps.series import epochs, scalar

SEAM = [179.0, -179.0, 178.0, -178.0, 180.0]


def angle(values, name="θ_CA", unit="deg", step=10.0):
    return scalar(np.arange(len(values)) * step, values, unit=unit, name=name)


def near(angles, expected):
    away = (np.asarray(angles) - expected + 180) % 360 - 180
    return np.abs(away).max() < 1e-9


def test_the_mean_of_directions_about_180_degrees_is_180_degrees():
    """It was 36°."""
    for mean in (
        resample(angle(SEAM), cadence=Duration("1min")),
        statistics(angle(SEAM), interval=Duration("1min"), of=["mean"]),
        running_average(angle(SEAM), window=Duration("10min")),
    ):
        assert near(mean.values, 180.0)
        assert mean.notes[-1].startswith("angles are averaged as directions")


def test_longitudes_from_0_to_360_stay_so_and_a_lone_latitude_is_a_number():
    place = Table(
        epochs(0, 10, 20),
        np.array([[350.0, 10.0], [20.0, 20.0], [5.0, 60.0]]),
        unit="deg",
        components=("lon", "lat"),
    )
    mean = resample(place, cadence=Duration("1min"))
    assert mean.values[0] == pytest.approx([5.0, 30.0], abs=1e-2)
    assert 0 <= resample(angle([350.0, 340.0], "longitude"), cadence=Duration("1min")).values[0] <= 360


def test_radians_go_round_too():
    mean = resample(angle(np.radians(SEAM), unit="rad"), cadence=Duration("1min"))
    assert near(np.degrees(mean.values), 180.0)


def test_missing_values_are_left_out_and_opposite_directions_have_no_mean():
    assert near(resample(angle([179.0, np.nan, -179.0]), cadence=Duration("1min")).values, 180.0)
    assert np.isnan(resample(angle([90.0, -90.0]), cadence=Duration("1min")).values).all()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("θ_cone", [0.0, 180.0, 90.0]),
        ("latitude", [-90.0, 90.0, 10.0]),
        ("δ", [5.0, 7.0]),
        ("σ of the longitude std", [0.0, 300.0]),
        ("x", [10.0, 350.0]),
    ],
)
def test_what_does_not_go_round_is_a_number(name, values):
    assert not turning(angle(values, name))


def test_whether_an_angle_wraps_is_a_fact_and_no_matter_of_its_values():
    """The mean of 356.7° was 236.7° when one value of 999.9° was fetched with it."""
    assert turning(angle([1.0, 2.0], "longitude"))
    assert turning(angle([0.0, 999.9, np.nan], "longitude"))
    assert not turning(angle(SEAM, unit="nT"))
    given = angle([356.0, 357.4, 10.0, 20.0], "flow longitude")
    wild = angle([356.0, 357.4, 10.0, 999.9], "flow longitude")
    for series_ in (given, wild):
        assert resample(series_, cadence=Duration("20s")).values[0] == pytest.approx(356.7)


def test_azimuths_from_minus_90_to_270_are_directions_too():
    given = angle([269.0, -89.0, 100.0, 110.0], "azimuth")
    assert resample(given, cadence=Duration("20s")).values == pytest.approx([-90.0, 105.0])


def test_an_angle_of_unknown_kind_is_a_number_and_a_note_says_so():
    mean = resample(angle([10.0, 350.0], "x"), cadence=Duration("1min"))
    assert mean.values[0] == 180.0
    assert (
        "does not know whether it wraps after a full turn, so it is averaged as a plain number"
        in mean.notes[-1]
    )
    declared = resample(declare_quantity(angle([10.0, 350.0], "x"), wraps="yes"), cadence=Duration("1min"))
    assert near(declared.values, 0.0)
    plain = resample(declare_quantity(angle([10.0, 350.0], "x"), wraps="no"), cadence=Duration("1min"))
    assert plain.values[0] == 180.0
    assert not any("whether it wraps" in note and "does not know" in note for note in plain.notes)


def test_a_longitude_without_a_unit_is_a_number_and_a_note_says_so():
    mean = resample(angle([10.0, 350.0], "longitude", unit=""), cadence=Duration("1min"))
    assert mean.values[0] == 180.0
    assert "has the name of an angle but no unit" in mean.notes[-1]


def test_local_times_wrap_at_24_hours():
    mean = resample(angle([23.0, 1.5], "MLT", unit="h"), cadence=Duration("1min"))
    assert mean.values[0] == pytest.approx(0.25)


def test_a_turn_is_converted_with_its_unit():
    turned = convert_units(declare_quantity(angle([10.0, 350.0], "x"), wraps="yes"), to="rad")
    assert turned.periods == pytest.approx((2 * np.pi,))


REFUSED = {
    "resample median": lambda one: resample(one, cadence=Duration("1min"), method="median"),
    "resample min": lambda one: resample(one, cadence=Duration("1min"), method="min"),
    "statistics": lambda one: statistics(one, interval=Duration("1min")),
    "statistics std": lambda one: statistics(one, interval=Duration("1min"), of=["std"]),
    "running_median": lambda one: running_median(one, window=Duration("1min")),
    "detrend": lambda one: detrend(one),
    "despike": lambda one: despike(one, window=Duration("1min")),
    "band_pass": lambda one: band_pass(one, low=0.01),
    "power_spectrum": lambda one: power_spectrum(one, window=Duration("2min")),
    "power_spectrogram": lambda one: power_spectrogram(one, window=Duration("2min")),
    "cross_correlation_lag": lambda one: cross_correlation_lag(one, one, longest=Duration("1min")),
}


@in_one_test("name", REFUSED)
def test_what_has_no_meaning_for_directions_is_refused(name):
    with pytest.raises(StepError, match="'θ_CA' is an angle that wraps") as caught:
        REFUSED[name](angle(SEAM * 20))
    assert "to the components of the vector" in caught.value.advice


def test_the_first_of_an_interval_and_the_count_need_no_order():
    assert resample(angle(SEAM), cadence=Duration("1min"), method="first").values[0] == 179.0
    assert statistics(angle(SEAM), interval=Duration("1min"), of=["count"]).values[0] == 5


def test_a_rate_of_change_goes_the_shorter_way():
    slope = derivative(angle([178.0, 179.0, 180.0, -179.0, -178.0]))
    assert slope.values == pytest.approx([0.1] * 5)
    assert slope.notes[-1] == "changes of angles are taken the shorter way round"


def test_a_difference_of_directions_is_the_shorter_way():
    one, other = angle([179.0, -179.0, 90.0]), angle([-179.0, 179.0, -120.0])
    found = arithmetic(one, other, operation="subtract")
    assert found.values.tolist() == [-2.0, 2.0, -150.0]
    assert found.notes[-1] == "the angles wrap, so each difference is taken the shorter way round"
    total = arithmetic(one, angle([2.0, 2.0, 2.0], "offset"), operation="add")
    assert total.values.tolist() == [181.0, -177.0, 92.0]
    assert "jumps" in arithmetic(one, other, operation="multiply").notes[-1]


def test_between_samples_it_is_the_shorter_way():
    given = angle([179.0, np.nan, -179.0])
    filled = interpolate(given, limit=Duration("1min"))
    assert near(filled.values, [179.0, 180.0, -179.0])
    onto = replace(given, epoch=epochs(5, 15, 18), values=np.zeros(3))
    found = align(angle([350.0, 10.0, 30.0], "longitude"), onto, limit=Duration("1min"))
    assert near(found.values, [0.0, 20.0, 26.0])
