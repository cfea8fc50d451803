"""The power spectral density of a series, over time and frequency."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal

from helio.errors import StepError
from helio.steps.compute.power_spectrogram import power_spectrogram
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.bz_long], {"window": solar_wind.HOUR})]


def noise(count, seed=11):
    return np.random.default_rng(seed).normal(size=count)


def field(seconds, values):
    table = scalar(seconds, np.zeros(len(seconds)), name="B")
    return replace(table, values=values, components=("Bx", "By", "Bz"), frame="GSE")


def test_a_tone_stands_at_its_frequency_with_its_power():
    """A wave of amplitude 3 nT has the mean square 9/2 nT², whatever the taper."""
    seconds = np.arange(4096) * 0.25
    tone = scalar(seconds, 100 + 3 * np.sin(2 * np.pi * 0.5 * seconds))
    for taper in ("hann", "hamming", "blackman", "none"):
        result = power_spectrogram(tone, window=Duration("64s"), taper=taper)
        axis = result.axes[0]
        assert (axis.centers[np.argmax(result.values, axis=1)] == 0.5).all()
        power = (result.values * (axis.upper - axis.lower)).sum(axis=1)
        np.testing.assert_allclose(power, 4.5, rtol=1e-6)


def test_the_integral_over_frequency_is_the_variance():
    """Parseval: without a taper the density of each window adds up to its own variance."""
    values = noise(4000).cumsum()
    result = power_spectrogram(
        scalar(np.arange(4000), values), window=Duration("100s"), overlap=0, taper="none"
    )
    variance = values.reshape(40, 100).var(axis=1)
    np.testing.assert_allclose(result.values.sum(axis=1) * 0.01, variance, rtol=1e-11)


@pytest.mark.parametrize(("length", "overlap"), [(128, 0.5), (101, 0.0), (64, 0.75)])
@pytest.mark.parametrize(("trend", "theirs"), [("mean", "constant"), ("linear", "linear")])
def test_it_is_scipys_short_time_transform(length, overlap, trend, theirs):
    values = noise(3000).cumsum()
    result = power_spectrogram(
        scalar(np.arange(3000) * 2.0, values), window=Duration(f"{2 * length}s"), overlap=overlap, trend=trend
    )
    hop = round(length * (1 - overlap))
    transform = signal.ShortTimeFFT(
        signal.get_window("hann", length), hop, 0.5, fft_mode="onesided2X", scale_to="psd", phase_shift=None
    )
    # Its windows are placed about multiples of the hop; shifting the series puts the first at the first sample.
    first = length // 2
    padded = np.concatenate([np.zeros((-first) % hop), values])
    slices = np.arange(len(result)) + ((-first) % hop + first) // hop
    theirs = transform.spectrogram(padded, detr=theirs, p0=int(slices[0]), p1=int(slices[-1]) + 1)
    np.testing.assert_allclose(result.values, theirs[1:].T, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(result.axes[0].centers, transform.f[1:])


def test_the_epoch_is_the_middle_of_the_window():
    result = power_spectrogram(scalar(np.arange(200), noise(200)), window=Duration("100s"), overlap=0.5)
    assert np.datetime_as_string(result.epoch, unit="s").tolist() == [
        "2024-05-10T00:00:50",
        "2024-05-10T00:01:40",
        "2024-05-10T00:02:30",
    ]


def test_no_window_crosses_a_gap_and_nan_stands_in_it():
    seconds = np.concatenate([np.arange(300.0), np.arange(1000.0, 1300.0)])
    values = noise(600)
    result = power_spectrogram(scalar(seconds, values), window=Duration("100s"))
    missing = np.isnan(result.values).all(axis=1)
    middle = (result.epoch - scalar([0], [0]).epoch[0]) / np.timedelta64(1, "s")
    assert middle[missing].tolist() == [300, 1000]
    assert middle[~missing].tolist() == [50, 100, 150, 200, 250, 1050, 1100, 1150, 1200, 1250]
    alone = power_spectrogram(scalar(seconds[300:], values[300:]), window=Duration("100s"))
    np.testing.assert_array_equal(result.values[~missing][5:], alone.values)


def test_a_missing_value_ends_a_stretch_and_the_lost_samples_are_said():
    values = noise(300)
    values[150] = np.nan
    result = power_spectrogram(scalar(np.arange(300), values), window=Duration("100s"), overlap=0)
    assert np.isnan(result.values).all(axis=1).tolist() == [False, True, False]
    values[40] = np.nan
    result = power_spectrogram(scalar(np.arange(300), values), window=Duration("100s"), overlap=0)
    assert (
        "left out, in stretches shorter than a window of 100 s: 40 of 300 samples (13.3 %)"
        in result.notes[-1]
    )


def test_a_vector_gives_the_trace_in_any_frame():
    seconds, values = np.arange(1000.0), noise(3000).reshape(1000, 3)
    table = field(seconds, values)
    result = power_spectrogram(table, window=Duration("100s"))
    each = [
        power_spectrogram(table.component(name), window=Duration("100s")).values for name in table.components
    ]
    np.testing.assert_allclose(result.values, sum(each), rtol=1e-12)
    turn, _ = np.linalg.qr(noise(9).reshape(3, 3))
    turned = power_spectrogram(replace(table, values=values @ turn.T), window=Duration("100s"))
    np.testing.assert_allclose(turned.values, result.values, rtol=1e-9)
    with_magnitude = replace(
        table,
        values=np.column_stack([values, np.linalg.norm(values, axis=1)]),
        components=(*table.components, "|B|"),
    )
    np.testing.assert_array_equal(
        power_spectrogram(with_magnitude, window=Duration("100s")).values, result.values
    )


def test_a_figure_can_label_it():
    table = field(np.arange(200.0), noise(600).reshape(200, 3))
    result = power_spectrogram(replace(table, description="field"), window=Duration("1min"))
    assert (result.unit, result.name, result.scale, result.frame) == ("nT^2/Hz", "PSD B", "log", "")
    assert result.description == "power spectral density, sum over Bx, By, Bz of field"
    axis = result.axes[0]
    assert (axis.label, axis.unit, axis.scale) == ("Frequency", "Hz", "log")
    assert axis.lower[0] > 0
    assert (
        power_spectrogram(scalar(np.arange(200), noise(200), unit="km/s"), window=Duration("1min")).unit
        == "km^2/(s^2 Hz)"
    )


def test_two_cadences_are_refused():
    seconds = np.concatenate([np.arange(0, 600, 1.0), np.arange(600, 1200, 4.0)])
    with pytest.raises(StepError, match="needs one cadence") as refusal:
        power_spectrogram(scalar(seconds, noise(len(seconds))), window=Duration("1min"))
    assert "resample" in refusal.value.advice


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"window": Duration("7s")}, "holds 7 samples"),
        ({"window": Duration("1h")}, "without a gap lasts 5 min"),
        ({"window": Duration("1min"), "overlap": 1.0}, "cannot overlap"),
        ({"window": Duration("1min"), "overlap": -0.1}, "cannot overlap"),
    ],
)
def test_windows_that_cannot_be_are_refused_with_what_could(arguments, what):
    with pytest.raises(StepError, match=what) as refusal:
        power_spectrogram(scalar(np.arange(300), noise(300)), **arguments)
    assert refusal.value.advice


def test_components_that_are_no_vector_and_spectra_are_refused():
    table = field(np.arange(100.0), noise(300).reshape(100, 3))
    with pytest.raises(StepError, match="needs Cartesian components"):
        power_spectrogram(replace(table, components=("a", "b", "c"), frame=""), window=Duration("1min"))
    with pytest.raises(StepError, match="is a spectrum"):
        power_spectrogram(spectrum(), window=Duration("1min"))
    with pytest.raises(StepError, match="at least two records, but 'B' has 0"):
        power_spectrogram(vector().take(slice(0, 0)), window=Duration("1min"))


def test_blocks_do_not_show(monkeypatch):
    table = scalar(np.arange(2000), noise(2000))
    whole = power_spectrogram(table, window=Duration("100s")).values
    monkeypatch.setattr("helio.steps.compute.periodograms._BLOCK", 150)
    np.testing.assert_allclose(power_spectrogram(table, window=Duration("100s")).values, whole, rtol=1e-13)


def test_golden():
    seconds = np.concatenate([np.arange(24), np.arange(60, 84)]) * 1.0
    values = np.round(np.sin(2 * np.pi * seconds / 4) + seconds / 16, 2)
    result = power_spectrogram(scalar(seconds, values), window=Duration("8s"))
    check_golden(power_spectrogram, replace(result, values=np.round(result.values, 9) + 0.0))
