"""Inputs at the edge of what there is: no records, infinities, and gaps longer than memory."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.arithmetic import arithmetic
from helio.steps.compute.band_average import band_average
from helio.steps.compute.band_integral import band_integral
from helio.steps.compute.cross_correlation_lag import cross_correlation_lag
from helio.steps.compute.pitch_angle_average import pitch_angle_average
from helio.steps.compute.resample import resample
from helio.steps.compute.running_average import running_average
from helio.steps.compute.running_median import running_median
from helio.steps.compute.slice_spectrum import slice_spectrum
from helio.time_range import Duration
from tests.steps.series import scalar, spectrum

BINS = {
    "band_average": lambda one: band_average(one, bands=[(1, 5)]),
    "band_integral": lambda one: band_integral(one, bands=[(1, 5)]),
    "slice_spectrum": lambda one: slice_spectrum(one, at=2.0),
    "pitch_angle_average": lambda one: pitch_angle_average(
        replace(one, axes=(replace(one.axes[0], unit="deg"),))
    ),
}


@pytest.mark.parametrize("name", BINS)
def test_bins_that_change_over_no_records_are_refused_in_words(name):
    """It was a bare ValueError of zip()."""
    given = spectrum()
    [axis] = given.axes
    changing = replace(axis, centers=np.tile(axis.centers, (len(given), 1)))
    with pytest.raises(StepError, match="there are no records"):
        BINS[name](replace(given, axes=(changing,)).take(slice(0)))


def test_a_gap_longer_than_memory_is_refused():
    far = [0, 1, 2, 3, 4, 1e9]
    series = scalar(far, np.arange(6.0))
    with pytest.raises(
        StepError, match="each series has 6 samples, but its time range is 1,000,000,001 times"
    ):
        cross_correlation_lag(series, series, longest=Duration("2s"))


def test_infinities_are_left_out_of_running_means_and_medians_alike_and_said():
    series = scalar([0, 1, 2, 3], [1.0, np.inf, 3.0, -np.inf])
    for averaged in (
        running_average(series, window=Duration("2s")),
        running_median(series, window=Duration("2s")),
    ):
        assert averaged.values.tolist() == [1.0, 2.0, 3.0, 3.0]
        assert averaged.notes == ("infinite values are left out: 2 of 4 values (50 %)",)
    assert resample(series, cadence=Duration("1min")).values.tolist() == [2.0]


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide"])
def test_infinities_have_no_difference_and_no_warning(operation):
    one, other = scalar([0, 1], [np.inf, 0.0]), scalar([0, 1], [np.inf, np.inf], name="x")
    values = arithmetic(one, replace(other, values=-other.values), operation=operation).values
    assert values.shape == (2,)
