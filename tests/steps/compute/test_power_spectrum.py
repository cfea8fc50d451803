"""The power spectral density of a series, over frequency."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from helio.errors import StepError
from helio.steps.compute.band_integral import band_integral
from helio.steps.compute.power_spectrogram import power_spectrogram
from helio.steps.compute.power_spectrum import power_spectrum
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar

CALLS = [
    ([solar_wind.bz_long], {"window": solar_wind.HOUR}),
    ([solar_wind.field_long], {"window": solar_wind.HOUR}),
]


def noise(count, seed=12):
    return np.random.default_rng(seed).normal(size=count)


@pytest.mark.parametrize(("trend", "theirs"), [("mean", "constant"), ("linear", "linear")])
@pytest.mark.parametrize("length", [256, 255])
def test_without_a_gap_it_is_scipys_welch(length, trend, theirs):
    values = noise(5000).cumsum()
    result = power_spectrum(
        scalar(np.arange(5000), values), window=Duration(f"{length}s"), overlap=0.5, trend=trend
    )
    frequencies, density = signal.welch(
        values, nperseg=length, noverlap=length - round(length * 0.5), detrend=theirs
    )
    np.testing.assert_allclose(result.values[0], density[1:], rtol=1e-9)
    np.testing.assert_allclose(result.axes[0].centers, frequencies[1:], rtol=1e-12)
    assert len(result) == 1


def test_white_noise_is_flat_with_twice_its_variance_over_the_sampling_frequency():
    result = power_spectrum(scalar(np.arange(100_000) * 0.5, 3 * noise(100_000)), window=Duration("32s"))
    # What is taken out as the mean of each window is missing at the lowest frequency.
    np.testing.assert_allclose(result.values[0, 1:-1], 2 * 9 / 2, rtol=0.1)


def test_a_power_law_has_its_slope():
    """A random walk falls with the square of the frequency."""
    result = power_spectrum(scalar(np.arange(200_000), noise(200_000).cumsum()), window=Duration("2000s"))
    axis, inside = result.axes[0], slice(10, 200)
    slope, _ = np.polyfit(np.log(axis.centers[inside]), np.log(result.values[0, inside]), 1)
    assert slope == pytest.approx(-2, abs=0.1)


def test_windows_are_taken_from_stretches_without_gaps_alone():
    clean = noise(3000)
    broken = clean.copy()
    broken[1000:1050] = np.nan
    result = power_spectrum(scalar(np.arange(3000), broken), window=Duration("100s"))
    parts = [
        power_spectrogram(scalar(np.arange(len(part)), part), window=Duration("100s")).values
        for part in (clean[:1000], clean[1050:])
    ]
    np.testing.assert_allclose(result.values[0], np.concatenate(parts).mean(axis=0), rtol=1e-12)
    assert f"mean of {sum(map(len, parts))} windows" in " ".join(result.notes)


def test_one_record_carries_the_whole_series():
    table = scalar(np.arange(501) + 7, noise(501))
    result = power_spectrum(table, window=Duration("100s"))
    assert result.epoch.tolist() == table.epoch[[250]].tolist()
    assert (result.unit, result.name, result.kind, result.scale) == ("nT^2/Hz", "PSD Bz", "spectrum", "log")


def test_intervals_are_those_of_resample_and_know_nothing_of_each_other():
    values = noise(7200)
    table = scalar(np.arange(7200), values)
    result = power_spectrum(table, window=Duration("10min"), interval=Duration("30min"))
    assert np.datetime_as_string(result.epoch, unit="m").tolist() == [
        f"2024-05-10T0{clock}" for clock in ("0:15", "0:45", "1:15", "1:45")
    ]
    for record in range(4):
        part = table.take(slice(1800 * record, 1800 * (record + 1)))
        alone = power_spectrum(part, window=Duration("10min"))
        np.testing.assert_allclose(result.values[record], alone.values[0], rtol=1e-12)
    moved = power_spectrum(
        table.take(slice(1000, None)), window=Duration("10min"), interval=Duration("30min")
    )
    np.testing.assert_allclose(moved.values[1:], result.values[1:], rtol=1e-12)


def test_an_interval_as_long_as_the_window_holds_one():
    table = scalar(np.arange(3600), noise(3600)).take(slice(7, None))
    result = power_spectrum(table, window=Duration("10min"), interval=Duration("10min"))
    assert np.isnan(result.values).all(axis=1).tolist() == [True] + [False] * 5


def test_an_interval_in_a_gap_is_missing():
    seconds = np.concatenate([np.arange(1800), np.arange(5400, 7200)])
    result = power_spectrum(
        scalar(seconds, noise(3600)), window=Duration("10min"), interval=Duration("30min")
    )
    assert np.isnan(result.values).all(axis=1).tolist() == [False, True, True, False]


def test_the_power_of_a_band_is_the_variance_of_a_wave_in_it():
    seconds = np.arange(6000.0)
    wave = scalar(seconds, 2 * np.sin(2 * np.pi * 0.05 * seconds))
    result = band_integral(power_spectrum(wave, window=Duration("200s")), bands=[(0.02, 0.1), (0.2, 0.4)])
    np.testing.assert_allclose(result.values, [[2.0, 0.0]], atol=1e-6)
    assert (result.unit, result.name) == ("nT^2", "power Bz")


def test_a_window_longer_than_every_interval_is_refused():
    with pytest.raises(StepError, match="less than the window of 2min"):
        power_spectrum(scalar(np.arange(600), noise(600)), window=Duration("2min"), interval=Duration("1min"))


def test_golden():
    seconds = np.arange(64) * 1.0
    values = np.round(np.sin(2 * np.pi * seconds / 4) + seconds / 16, 2)
    result = power_spectrum(
        scalar(seconds, values), window=Duration("16s"), interval=Duration("40s"), trend="linear"
    )
    check_golden(power_spectrum, replace(result, values=np.round(result.values, 9) + 0.0))


def test_a_band_beyond_half_the_sampling_frequency_holds_the_power_of_all_bins():
    values = noise(512)
    found = power_spectrum(scalar(np.arange(512), values), window=Duration("512s"), taper="none")
    assert found.axes[0].centers[-1] == pytest.approx(0.5)
    whole = band_integral(found, bands=[(0.0, float(found.axes[0].upper[-1]))])
    assert whole.values[0] == pytest.approx(values.var(), rel=1e-12)
