"""Power spectral densities of the windows of a series, for spectrograms and power spectra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.angles import hold_no_turn
from helio.steps.compute.cartesian import cartesian, cartesian_names
from helio.steps.compute.stretches import cadence_of, in_words, stretches, valid_records
from helio.store.table import Axis, Table
from helio.time_range import Duration

Taper = Literal["hann", "hamming", "blackman", "none"]
Trend = Literal["mean", "linear"]
Values = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

FEWEST = 8
"""The smallest number of samples in a window."""

_BLOCK = 1 << 18
"""Number of samples that one Fourier transform takes at a time: 2 MB, and as much again for the spectra."""

# Periodic tapers, as a discrete transform takes them: numpy's are symmetric, one sample longer.
_TAPERS: dict[str, Callable[[int], npt.NDArray[Any]]] = {
    "hann": np.hanning,
    "hamming": np.hamming,
    "blackman": np.blackman,
    "none": np.ones,
}


@dataclass(frozen=True, eq=False)
class Windows:
    """Equally long windows of a series that contain no missing values and no gaps.

    Parameters
    ----------
    columns : float64, shape (n, c)
        One column for a scalar, three for a vector.
    first : int64, shape (w,)
        First record of each window.
    length, hop : int
        In samples.
    cadence : float
        In ns.
    lost : int
        Records in stretches too short for one window.
    """

    columns: Values
    first: Indices
    length: int
    hop: int
    cadence: float
    lost: int

    @property
    def frequencies(self) -> Axis:
        """The frequencies of the spectra, in Hz; zero is left out, because the mean of each window is removed."""
        step = 1e9 / (self.length * self.cadence)
        centers = np.arange(1, self.length // 2 + 1) * step
        return Axis("Frequency", "Hz", centers, centers - step / 2, centers + step / 2, "log")


def windows_of(
    series: Table, window: Duration, overlap: float, *, purpose: str, borders: Indices | None = None
) -> Windows:
    """Cut every gap-free part of a series into windows; the first window of a part begins at its first sample.

    Parameters
    ----------
    series : Table
    window : Duration
    overlap : float
    purpose : str
        What needs the windows, for error messages: ``"a spectrogram"``.
    borders : int64, optional
        First records of intervals; no window crosses the end of an interval.

    Raises
    ------
    StepError
        When the series has bins, components that are not a vector, or an irregular cadence; when the window has fewer
        than
        eight samples or the overlap is not in [0, 1); when no stretch is as long as a window.
    """
    check_series(series, purpose)
    if not 0 <= overlap < 1:
        raise StepError(
            f"windows cannot overlap by {overlap:g} of their length",
            advice="choose an overlap from 0 to below 1, such as 0.5",
        )
    cadence = cadence_of(series, purpose=purpose)
    length = round(window.nanoseconds / cadence)
    if length < FEWEST:
        raise StepError(
            f"a window of {window} holds {number_of(length, 'sample')}, {in_words(cadence)} apart: too few for a "
            "spectrum",
            advice=f"choose a window of at least {in_words(FEWEST * cadence)}, or data of a shorter cadence",
        )
    columns = summed_columns(series, purpose)
    begin, end = stretches(series.epoch, valid_records(columns), cadence, borders)
    hop = max(1, round(length * (1 - overlap)))
    count = np.where(end - begin >= length, (end - begin - length) // hop + 1, 0)
    if not count.any():
        longest = int((end - begin).max(initial=0))
        raise StepError(
            f"the longest stretch of '{series.name}' without a gap lasts {in_words(longest * cadence)}, less than the "
            f"window of {window}",
            advice="choose a shorter window, or fill short gaps with interpolate first",
        )
    within = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    first = np.repeat(begin, count) + within * hop
    lost = int((end - begin)[count == 0].sum())
    return Windows(columns, first, length, hop, cadence, lost)


def check_series(series: Table, purpose: str) -> None:
    """Refuse tables that have no spectrum: spectra themselves, and angles that wrap.

    Raises
    ------
    StepError
    """
    if series.kind == "spectrum":
        raise StepError(
            f"{purpose} needs a series, but '{series.name}' is a spectrum",
            advice="take one bin of it first, with slice_spectrum",
        )
    hold_no_turn(series, purpose="split into frequencies")


def summed_columns(series: Table, purpose: str) -> Values:
    """Return the columns whose spectra are added: one for a series, x, y and z for a vector, shape (n, c).

    Raises
    ------
    StepError
        When the components are not a vector.
    """
    if series.components:
        return cartesian(series, purpose, spreads=True)
    return series.values.astype(np.float64, copy=False)[:, None]


def periodograms(windows: Windows, chosen: Indices, taper: Taper, trend: Trend) -> Values:
    """Compute the one-sided power spectral density of the chosen windows, shape (len(chosen), frequencies), per Hz.

    The density is scaled so that its integral over frequency, bin by bin, is the variance of the window after its mean
    or line was taken out, each sample weighed by the square of the taper; of several columns it is the sum, the trace
    of the spectral matrix. The transforms are taken block by block in numpy: the same
    numbers as ``scipy.signal.ShortTimeFFT``, which takes one window at a time, ten times slower.
    """
    length = windows.length
    weights = np.asarray(_TAPERS[taper](length if taper == "none" else length + 1)[:length], dtype=np.float64)
    scale = windows.cadence / 1e9 / np.square(weights).sum()
    ramp = np.arange(length) - (length - 1) / 2
    ramp /= np.sqrt(np.square(ramp).sum())
    density = np.zeros((chosen.size, length // 2))
    rows = max(1, _BLOCK // length)
    for column in windows.columns.T:
        every = np.lib.stride_tricks.sliding_window_view(column, length)
        for begin in range(0, chosen.size, rows):
            block = every[windows.first[chosen[begin : begin + rows]]]
            block = block - block.mean(axis=1, keepdims=True)
            if trend == "linear":
                block -= (block * ramp).sum(axis=1, keepdims=True) * ramp
            block *= weights
            transform = np.fft.rfft(block, axis=1)[:, 1:]
            density[begin : begin + rows] += transform.real**2 + transform.imag**2
    # All but frequency zero and, for an even length, the highest one stand for two: their own and the negative one.
    density *= scale
    density[:, : (length - 1) // 2] *= 2
    return density


def spectrum_words(series: Table) -> dict[str, Any]:
    """Return the name, unit and other fields of the table that holds the power spectral density of a series."""
    if series.components:
        names = ", ".join(cartesian_names(series, "a spectrum", spreads=True))
        what = f"power spectral density, sum over {names}"
    else:
        what = "power spectral density"
    return {
        "unit": unit_product((series.unit, 2), ("Hz", -1)),
        "name": f"PSD {series.name}".strip(),
        "description": f"{what} of {series.description}" if series.description else what,
        "components": (),
        "stated_periods": None,
        "frame": "",
        "scale": "log",
    }
