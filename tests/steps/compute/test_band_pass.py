"""A series between two frequencies."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from helio.errors import StepError
from helio.steps.compute.band_pass import band_pass
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field_long], {"high": 1 / 300})]


def waves(seconds, *frequencies):
    return sum(np.sin(2 * np.pi * frequency * seconds) for frequency in frequencies)


def middle(values, part=0.2):
    edge = int(part * len(values))
    return values[edge:-edge]


def test_a_wave_in_the_band_stays_and_those_beside_it_go():
    seconds = np.arange(10_000.0)
    result = band_pass(scalar(seconds, waves(seconds, 0.001, 0.02, 0.3)), low=0.01, high=0.05)
    np.testing.assert_allclose(middle(result.values), middle(waves(seconds, 0.02)), atol=0.01)
    assert (result.unit, result.name, result.description) == ("nT", "Bz 0.01–0.05 Hz", "0.01–0.05 Hz")


def test_low_and_high_pass_add_up_to_the_whole_far_from_the_edge_frequency():
    seconds = np.arange(10_000.0)
    table = scalar(seconds, 5 + waves(seconds, 0.002, 0.2))
    slow, fast = band_pass(table, high=0.02).values, band_pass(table, low=0.02).values
    np.testing.assert_allclose(middle(slow + fast), middle(table.values), atol=0.01)
    np.testing.assert_allclose(middle(slow), middle(5 + waves(seconds, 0.002)), atol=0.01)


def test_the_amplitude_is_halved_at_the_edge_frequency_and_nothing_is_shifted():
    seconds = np.arange(10_000.0)
    wave = waves(seconds, 0.05)
    result = band_pass(scalar(seconds, wave), high=0.05)
    np.testing.assert_allclose(middle(result.values), middle(0.5 * wave), atol=1e-3)


def test_it_is_scipys_filter_away_from_the_edges():
    values = np.random.default_rng(4).normal(size=5000).cumsum()
    result = band_pass(scalar(np.arange(5000) * 3.0, values), low=0.005, high=0.05, order=3).values
    sections = signal.butter(3, [0.005, 0.05], "bandpass", fs=1 / 3, output="sos")
    theirs = signal.sosfiltfilt(sections, values)
    inside = np.flatnonzero(np.isfinite(result))[200:-200]
    np.testing.assert_allclose(result[inside], theirs[inside], atol=1e-5)


def test_edges_are_missing_as_far_as_the_outside_matters():
    """A jump just outside a stretch changes nothing that is given by more than a few per cent of it."""
    values = np.zeros(2000)
    jumped = values.copy()
    jumped[:3] = 100.0
    table = band_pass(scalar(np.arange(2000), values), low=0.01, high=0.1)
    other = band_pass(scalar(np.arange(2000), jumped), low=0.01, high=0.1)
    assert np.isnan(table.values[:50]).all()
    assert np.isnan(table.values[-50:]).all()
    assert np.nanmax(np.abs(other.values - table.values)) < 2


def test_each_stretch_is_filtered_on_its_own():
    seconds = np.concatenate([np.arange(2000.0), np.arange(2600.0, 4600.0)])
    values = waves(seconds, 0.05)
    values[1500] = np.nan
    whole = band_pass(scalar(seconds, values), low=0.02, high=0.1)
    for part in (slice(0, 1500), slice(1501, 2000), slice(2000, 4000)):
        alone = band_pass(scalar(seconds[part], values[part]), low=0.02, high=0.1)
        np.testing.assert_array_equal(whole.values[part], alone.values)
        assert np.isnan(alone.values[0])
        assert np.isfinite(alone.values).any()
    assert np.isnan(whole.values[1500])
    assert "missing at edges of data gaps" in whole.notes[-1]


def test_a_stretch_that_is_too_short_is_missing():
    seconds = np.concatenate([np.arange(1000.0), np.arange(1100.0, 1150.0)])
    result = band_pass(scalar(seconds, waves(seconds, 0.05)), low=0.02, high=0.1)
    assert np.isnan(result.values[1000:]).all()
    assert np.isfinite(result.values[:1000]).any()


def test_a_series_with_nothing_long_enough_is_refused_with_what_it_needs():
    with pytest.raises(
        StepError,
        match=r"the filter needs .* without a gap, but the longest stretch of 'Bz' without a gap lasts 100 s",
    ):
        band_pass(scalar(np.arange(100), np.zeros(100)), low=0.001)


def test_two_cadences_are_refused_with_one_to_resample_to():
    seconds = np.concatenate([np.arange(0, 600, 1.0), np.arange(600, 1200, 0.5)])
    with pytest.raises(StepError, match="needs one cadence") as refusal:
        band_pass(scalar(seconds, np.zeros(len(seconds))), low=0.01)
    assert 'cadence "500ms"' in refusal.value.advice
    assert "500 ms to 1 s" in str(refusal.value)


def test_a_third_of_the_records_missing_here_and_there_is_still_one_cadence():
    seconds = np.arange(20_000.0)
    keep = np.random.default_rng(3).random(20_000) > 0.3
    keep[5000:7000] = True
    result = band_pass(scalar(seconds[keep], waves(seconds, 0.1)[keep]), low=0.05, high=0.2)
    assert np.isfinite(result.values).sum() > 1800


def test_a_slower_mode_is_another_cadence_and_not_a_row_of_gaps():
    seconds = np.concatenate(
        [np.arange(0, 2000, 1.0), np.arange(2000, 2040, 4.0), np.arange(2040, 4000, 1.0)]
    )
    with pytest.raises(StepError, match="they last 1 s to 4 s"):
        band_pass(scalar(seconds, waves(seconds, 0.1)), low=0.05, high=0.2)


def test_epochs_rounded_to_milliseconds_are_one_cadence():
    seconds = np.round(np.arange(3000) / 32, 3)
    result = band_pass(scalar(seconds, waves(seconds, 1.0)), low=0.5, high=2)
    np.testing.assert_allclose(middle(result.values), middle(waves(seconds, 1.0)), atol=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "neither 'low' nor 'high' is given"),
        ({"low": 0.2, "high": 0.1}, "the band 0.2 to 0.1 Hz cannot be filtered from samples"),
        ({"low": -1.0}, "cannot be filtered from samples"),
        ({"high": 0.5}, "cannot be filtered from samples"),
        ({"high": float("nan")}, "cannot be filtered from samples"),
        ({"low": 0.1, "high": 0.1}, "cannot be filtered from samples"),
    ],
)
def test_a_band_that_is_none_is_refused(arguments, message):
    with pytest.raises(StepError, match=message) as refusal:
        band_pass(scalar(np.arange(100), np.zeros(100)), **arguments)
    assert "below 0.5 Hz" in refusal.value.advice


def test_an_absurd_order_and_a_lone_record_are_refused():
    with pytest.raises(StepError, match="order 40"):
        band_pass(scalar(np.arange(100), np.zeros(100)), high=0.1, order=40)
    with pytest.raises(StepError, match="at least two records, but 'Bz' has 1"):
        band_pass(scalar([0], [1]), high=0.1)


def test_a_spectrum_is_filtered_bin_by_bin_and_drawn_on_a_linear_scale():
    seconds = np.arange(2000.0)
    values = np.column_stack([waves(seconds, 0.02)] * 5) + np.arange(5)
    table = replace(spectrum(), epoch=scalar(seconds, seconds).epoch, values=values)
    result = band_pass(table, low=0.005)
    np.testing.assert_allclose(result.values[1000], [result.values[1000, 0]] * 5, atol=1e-9)
    assert (result.scale, result.axes) == ("linear", table.axes)


def test_golden():
    seconds = np.arange(40) * 60.0
    values = np.round(waves(seconds, 1 / 240, 1 / 1200), 2)
    result = band_pass(scalar(seconds, values), low=1 / 480, high=1 / 150, order=1)
    # Filters of two versions of scipy differ in the last digits.
    check_golden(band_pass, replace(result, values=np.round(result.values, 6) + 0.0))


def test_components_are_filtered_one_by_one():
    seconds = np.arange(1000.0)
    values = np.column_stack([waves(seconds, 0.05)] * 3)
    values[500, 1] = np.nan
    table = replace(vector(), epoch=scalar(seconds, seconds).epoch, values=values)
    result = band_pass(table, high=0.1)
    assert np.isnan(result.values[500]).tolist() == [False, True, False]
    assert np.isnan(result.values[505]).tolist() == [False, True, False]
