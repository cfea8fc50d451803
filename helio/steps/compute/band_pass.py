"""A series filtered to a band of frequencies."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import signal

from helio.errors import StepError
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.shares import missing, share
from helio.steps.compute.stretches import cadence_of, in_words, stretches
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Table

EDGE = 0.01
"""The result begins where the filter's response to an edge of the data has fallen to this fraction: one per cent."""


@tool(
    version=4,
    context=whole_range(
        "each filtered value depends on every value of its gap-free stretch, and on the cadence of the "
        "whole series"
    ),
    needs=(("low", "high"),),
    gives=Result(like="series"),
    synonyms="bandpass_filter butterworth butterworth_filter butter_filter butterworth_bandpass",
)
def band_pass(series: Table, *, low: float | None = None, high: float | None = None, order: int = 4) -> Table:
    """Keep the variations of a series between two frequencies (zero-phase Butterworth filter).

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        A series with one cadence, gaps allowed; any unit.
    low : float, optional
        Frequency in Hz below which changes are removed. Without it, the filter is a low-pass.
    high : float, optional
        Frequency in Hz above which changes are removed. Without it, the filter is a high-pass.
    order : int
        Order of the filter, 1 to 10. The filter runs forwards and backwards, so that nothing is shifted in time; at
        `low` and `high`, half of the amplitude is left.

    Returns
    -------
    Table, shape of `series`
        float64, named ``B 0.01–0.1 Hz``; same epochs, components, unit and frame. Each stretch without a missing
        value or record is filtered separately, and so is each component. Samples near the ends of a stretch are
        NaN, until the filter's response to data outside has fallen to one per cent. A stretch that is too short is
        NaN. A note says how many values this removes.

    Raises
    ------
    StepError
        When the series does not have one cadence; use `resample` first. When the frequencies are not 0 < low < high
        < half the sampling frequency. When no stretch is long enough, when the bins of a spectrum change, or when
        the series is an angle that wraps.

    References
    ----------
    Gustafsson, F. (1996), Determining the initial states in forward-backward filtering, IEEE Trans. Signal Process.
    44, 988. ``scipy.signal.butter`` and ``sosfiltfilt``.

    Examples
    --------
    Of two waves with periods of 600 s and 10 s, the slow one is left:

    >>> import numpy as np
    >>> from helio.steps.examples import series
    >>> seconds = np.arange(3600)
    >>> slow, fast = np.sin(2 * np.pi * seconds / 600), np.sin(2 * np.pi * seconds / 10)
    >>> filtered = band_pass(series(slow + fast, "nT", "B", every="1s"), high=0.01)
    >>> bool(np.nanmax(np.abs(filtered.values - slow)) < 0.01)
    True
    """
    hold_bins(series, purpose="filtered over time")
    hold_no_turn(series, purpose="filtered")
    if not 1 <= order <= 10:
        raise StepError(
            f"a filter of order {order} is not supported",
            advice="choose an order from 1 to 10, usually 2 to 6",
        )
    cadence = cadence_of(series, purpose="a filter")
    nyquist = 0.5e9 / cadence
    band = [cutoff for cutoff in (low, high) if cutoff is not None]
    if not band or not all(0 < cutoff < nyquist for cutoff in band) or sorted(set(band)) != band:
        limits = " to ".join(f"{cutoff:g}" for cutoff in band)
        raise StepError(
            f"the band {limits} Hz cannot be filtered from samples that are {in_words(cadence)} apart"
            if band
            else "neither 'low' nor 'high' is given",
            advice=f"choose low above 0 and below high, and high below {nyquist:.4g} Hz",
        )
    kind: Literal["bandpass", "lowpass", "highpass"] = (
        "bandpass" if len(band) == 2 else "lowpass" if low is None else "highpass"
    )
    sections = signal.butter(
        order, band if len(band) == 2 else band[0], btype=kind, output="sos", fs=2 * nyquist
    )
    poles = signal.sos2zpk(sections)[1]
    edge = math.ceil(math.log(EDGE) / math.log(float(np.abs(poles).max())))
    flat = columns_of(series.values)
    passed = np.full(flat.shape, np.nan)
    longest = 0
    for column in range(flat.shape[1]):
        first, last = stretches(series.epoch, np.isfinite(flat[:, column]), cadence)
        longest = max(longest, int((last - first).max(initial=0)))
        for number in np.flatnonzero(last - first > 2 * edge + 1):
            begin, end = int(first[number]), int(last[number])
            filtered = signal.sosfiltfilt(sections, flat[begin:end, column], padlen=edge)
            passed[begin + edge : end - edge, column] = filtered[edge:-edge]
    if not np.isfinite(passed).any():
        raise StepError(
            f"the filter needs {in_words((2 * edge + 2) * cadence)} without a gap, but the longest "
            f"stretch of '{series.name}' without a gap lasts {in_words(longest * cadence)}",
            advice="choose a higher frequency for 'low', fill short gaps with the tool interpolate, or choose a longer "
            "time range",
        )
    provenance = (
        f"{band[0]:.4g}–{band[1]:.4g} Hz"
        if kind == "bandpass"
        else f"{'below' if kind == 'lowpass' else 'above'} {band[0]:.4g} Hz"
    )
    note = (
        f"filtered {provenance}: {share(missing(passed) - missing(flat), flat.size, 'values')} missing at edges "
        f"of data gaps and in short stretches, {in_words(edge * cadence)} at each edge"
    )
    return replace(
        series,
        values=passed.reshape(series.values.shape),
        name=f"{series.name} {provenance}".strip(),
        description=f"{series.description}, {provenance}" if series.description else provenance,
        scale=series.scale if low is None else "linear",
        notes=(*series.notes, note),
    )
