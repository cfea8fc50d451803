"""The power spectral density of a series, over time and frequency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio.errors import StepError
from helio.steps.compute.periodograms import Indices, Taper, Trend, periodograms, spectrum_words, windows_of
from helio.steps.compute.resample import MOST_VALUES
from helio.steps.compute.shares import share
from helio.steps.compute.stretches import in_words
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=3,
    context=whole_range(
        "windows are counted from the first sample of a gap-free stretch, and one cadence is used for "
        "all of them"
    ),
    gives=Result(unit="{series}^2 Hz^-1", frame="", kind="spectrum"),
    synonyms="psd_spectrogram fft_spectrogram dynamic_power_spectrum dynamic_spectrum",
)
def power_spectrogram(
    series: Table, *, window: Duration, overlap: float = 0.5, taper: Taper = "hann", trend: Trend = "mean"
) -> Table:
    """Compute the power spectral density of short windows over time and frequency; no window crosses a gap.

    Parameters
    ----------
    series : Table, shape (n,) or (n, 3)
        A series with one cadence, gaps allowed; any unit. For a vector, the result is the sum over its components,
        the trace of the spectral matrix, which does not depend on the frame; a fourth component that is the magnitude
        is left out.
    window : Duration
        Length of the windows: the lowest frequency is its inverse. Rounded to whole samples.
    overlap : float
        Part of a window that the next one shares, from 0 to below 1.
    taper : "hann", "hamming", "blackman" or "none"
        Window function.
    trend : "mean" or "linear"
        Trend to remove from each window first.

    Returns
    -------
    Table, shape (w, f)
        float64, in the unit squared per Hz: ``nT^2/Hz``, for a logarithmic scale, one-sided; its integral over
        frequency is the variance of the window about its own mean or line. Frequencies in Hz from 1/window to half
        the sampling frequency in steps of 1/window, with their edges; frequency zero is left out. For windows of an
        even number of samples, the last bin lies at half the sampling frequency and extends half a step beyond it;
        to include all its power, end a band of `band_integral` there. The epoch is the **middle** of the window.
        Each stretch without a missing value or a missing record (a step above 1.5 cadences) is cut into windows on
        its own, from its first sample on; a gap gives one or two records of NaN, so that nothing is drawn or
        averaged across it. A note says how many samples are in stretches too short for a window.

    Raises
    ------
    StepError
        When the series does not have one cadence; use `resample` first. When a window holds fewer than eight
        samples, or no stretch is as long as a window. When the components are not a vector, or the series is a
        spectrum.

    References
    ----------
    Welch, P. D. (1967), IEEE Trans. Audio Electroacoust. 15, 70. ``scipy.signal.ShortTimeFFT`` with scale ``psd``.

    Examples
    --------
    A wave whose frequency doubles:

    >>> import numpy as np
    >>> from helio.steps.examples import series
    >>> seconds = np.arange(400)
    >>> wave = np.where(seconds < 200, np.sin(2 * np.pi * 0.1 * seconds), np.sin(2 * np.pi * 0.2 * seconds))
    >>> power = power_spectrogram(series(wave, "nT", "B", every="1s"), window=Duration("100s"), overlap=0.0)
    >>> power.axes[0].centers[power.values.argmax(axis=1)].round(2)
    array([0.1, 0.1, 0.2, 0.2])
    """
    windows = windows_of(series, window, overlap, purpose="a spectrogram")
    axis = windows.frequencies
    if windows.first.size * axis.bins > MOST_VALUES:
        raise StepError(
            f"the spectrogram would have {windows.first.size:,} windows of {axis.bins:,} frequencies, "
            "which is too many",
            advice="choose a smaller overlap or a shorter time range",
        )
    every = np.arange(windows.first.size)
    density = periodograms(windows, every, taper, trend)
    middle = series.epoch[windows.first + windows.length // 2].astype(np.int64)
    epoch, index = _with_gaps(middle, round(windows.hop * windows.cadence))
    values = np.full((epoch.size, axis.bins), np.nan)
    values[index] = density
    notes = list(series.notes)
    if windows.lost:
        notes.append(
            f"left out, in stretches shorter than a window of {in_words(windows.length * windows.cadence)}: "
            f"{share(windows.lost, len(series), 'samples')}"
        )
    return replace(
        series,
        epoch=epoch.astype("datetime64[ns]"),
        values=values,
        axes=(axis,),
        notes=tuple(notes),
        **spectrum_words(series),
    )


def _with_gaps(middle: Indices, hop: int) -> tuple[Indices, Indices]:
    """Add one or two epochs in each gap between windows; return all epochs, and where the windows are among them."""
    steps = np.diff(middle)
    wide, wider = steps > 1.5 * hop, steps > 2.5 * hop
    added = wide.astype(np.int64) + wider
    index = np.arange(middle.size)
    index[1:] += np.cumsum(added)
    epoch = np.empty(middle.size + int(added.sum()), dtype=np.int64)
    epoch[index] = middle
    after = index[:-1]
    epoch[after[wide] + 1] = np.where(wider, middle[:-1] + hop, middle[:-1] + steps // 2)[wide]
    epoch[after[wider] + 2] = (middle[1:] - hop)[wider]
    return epoch, index
