"""The power spectral density of a series, over frequency."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio.counts import number_of
from helio.steps.compute.periodograms import Taper, Trend, periodograms, spectrum_words, windows_of
from helio.steps.compute.resample import intervals_of
from helio.steps.compute.shares import share
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=4,
    context=whole_range("one spectrum is averaged over all windows"),
    gives=Result(unit="{series}^2 Hz^-1", frame="", kind="spectrum"),
    synonyms="psd compute_psd welch welch_psd welch_spectrum power_spectral_density",
)
def power_spectrum(
    series: Table,
    *,
    window: Duration,
    interval: Duration | None = None,
    overlap: float = 0.5,
    taper: Taper = "hann",
    trend: Trend = "mean",
) -> Table:
    """Compute the power spectral density of a series with Welch's method; no window crosses a gap.

    Parameters
    ----------
    series : Table, shape (n,) or (n, 3)
        A series with one cadence, gaps allowed; any unit. For a vector, the result is the sum over its components,
        the trace of the spectral matrix, which does not depend on the frame; a fourth component that is the magnitude
        is left out.
    window : Duration
        Length of the windows: the lowest frequency is its inverse. Rounded to whole samples.
    interval : Duration, optional
        Compute one spectrum for each interval of this length; intervals start at multiples of this length since
        1970, as in `resample`. Default: one spectrum for the whole series.
    overlap : float
        Part of a window that the next one shares, from 0 to below 1.
    taper : "hann", "hamming", "blackman" or "none"
        Window function.
    trend : "mean" or "linear"
        Trend to remove from each window first.

    Returns
    -------
    Table, shape (1, f), or (m, f) with an interval
        float64, in the unit squared per Hz: ``nT^2/Hz``, for a logarithmic scale, one-sided; its integral over
        frequency is the mean variance of the windows about their own mean or line, which excludes variations slower
        than a window. The table has **one record**, or one for each interval; its epoch is the **middle** of the
        series or the interval. Frequencies in Hz from 1/window to half the sampling frequency, with their edges;
        frequency zero is left out. For windows of an even number of samples, the last bin lies at half the sampling
        frequency and extends half a step beyond it; to include all its power, end a band of `band_integral` there.
        All windows in the interval are averaged, from stretches without a missing value or record; an interval
        without one is NaN. A note says how many windows there were.

    Raises
    ------
    StepError
        When the series does not have one cadence; use `resample` first. When a window holds fewer than eight
        samples, or no stretch is as long as a window. When the components are not a vector, or the series is a
        spectrum.

    References
    ----------
    Welch, P. D. (1967), The use of fast Fourier transform for the estimation of power spectra, IEEE Trans. Audio
    Electroacoust. 15, 70. ``scipy.signal.welch``.

    Examples
    --------
    A wave of 2 nT with a period of 50 s: its variance, 2 nT², stands at 0.02 Hz.

    >>> import numpy as np
    >>> from helio.steps.examples import series
    >>> wave = series(2 * np.sin(2 * np.pi * np.arange(1000) / 50), "nT", "B", every="1s")
    >>> power = power_spectrum(wave, window=Duration("200s"))
    >>> frequency = power.axes[0].centers
    >>> power.unit, float(frequency[power.values[0].argmax()].round(3))
    ('nT^2/Hz', 0.02)
    >>> float(np.sum(power.values[0] * 0.005).round(2))
    2.0
    """
    if interval is None or not len(series):
        epoch, begin, end = series.epoch[:1], np.zeros(1, np.int64), np.full(1, len(series))
        epoch = epoch + (series.epoch[-1:] - epoch) // 2
    else:
        epoch, begin, end = intervals_of(series, interval)
        epoch = epoch + np.timedelta64(interval.nanoseconds // 2, "ns")
    windows = windows_of(series, window, overlap, purpose="a power spectrum", borders=begin)
    axis = windows.frequencies
    values = np.full((epoch.size, axis.bins), np.nan)
    last = windows.first + windows.length
    low = np.searchsorted(windows.first, begin, side="left")
    high = np.searchsorted(last, end, side="right")
    used = 0
    for record in np.flatnonzero(high > low):
        chosen = np.arange(low[record], high[record])
        used += chosen.size
        values[record] = periodograms(windows, chosen, taper, trend).mean(axis=0)
    notes = [*series.notes, f"mean of {number_of(used, 'window')}"]
    if windows.lost:
        notes.append(
            f"left out, in stretches shorter than a window: {share(windows.lost, len(series), 'samples')}"
        )
    return replace(
        series, epoch=epoch, values=values, axes=(axis,), notes=tuple(notes), **spectrum_words(series)
    )
