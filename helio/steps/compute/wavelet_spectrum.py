"""The wavelet spectrum of a series, over time and period."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import fft

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.periodograms import (
    FEWEST,
    Trend,
    Values,
    check_series,
    spectrum_words,
    summed_columns,
)
from helio.steps.compute.resample import MOST_VALUES
from helio.steps.compute.shares import share
from helio.steps.compute.stretches import cadence_of, in_words, stretches, valid_records
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.table import Axis, Table
from helio.time_range import Duration

_OMEGA = 6.0
"""Frequency of the Morlet wavelet, without a unit."""
_FOURIER = 4 * math.pi / (_OMEGA + math.sqrt(2 + _OMEGA**2))
"""Fourier period of a scale, in scales: table 1 of Torrence & Compo."""
_CONE = _FOURIER / math.sqrt(2)
"""Period whose e-folding time is 1 s, in seconds."""
_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_HERTZ = {"Hz": 1.0, "mHz": 1e-3}
_SHORTEST = 4
"""The shortest period when none is chosen, in cadences: the wavelets then lie below the Nyquist frequency."""

AxisUnit = Literal["s", "min", "h", "d", "Hz", "mHz"]


@tool(
    version=1,
    context=whole_range("a wavelet reaches over the whole stretch without gaps"),
    gives=Result(
        unit="{series}^2 Hz^-1",
        frame="",
        kind="spectrum",
        by={"give": {"power": Result(unit="{series}^2"), "cone": Result(unit="{axis}", kind="scalar")}},
    ),
    synonyms="wavelet wavelets wavelet_transform wavelet_spectrogram wavelet_power morlet scalogram cwt",
)
def wavelet_spectrum(
    series: Table,
    *,
    give: Literal["density", "power", "cone"] = "density",
    axis: AxisUnit = "s",
    shortest: Duration | None = None,
    longest: Duration | None = None,
    per_octave: int = 12,
    trend: Trend = "mean",
    inside_cone: bool = False,
) -> Table:
    r"""Compute the Morlet wavelet spectrum of a series (Torrence & Compo 1998), or its cone of influence.

    Parameters
    ----------
    series : Table, shape (n,) or (n, 3)
        A series with one cadence, gaps allowed; any unit. For a vector, the result is the sum over its components,
        which does not depend on the frame; a fourth component that is the magnitude is left out.
    give : "density", "power" or "cone"
        The power spectral density, the power of the paper, or the cone of influence; see below.
    axis : "s", "min", "h", "d", "Hz" or "mHz"
        Unit of the axis: periods in s, min, h or d, or frequencies in Hz or mHz.
    shortest : Duration, optional
        The shortest period; default: 4 cadences. Below 3 cadences the wavelet extends beyond the Nyquist frequency,
        and the power is too low.
    longest : Duration, optional
        The longest period; default: the longest one inside the cone of influence, 0.365 of the longest stretch
        without a gap.
    per_octave : int
        Number of periods in each factor of 2, from 2 to 48.
    trend : "mean" or "linear"
        Trend to remove from each stretch first.
    inside_cone : bool
        Whether values outside the cone of influence are NaN.

    Returns
    -------
    Table, shape (n, p), or (n,) for ``cone``
        At the epochs of the series. ``power`` is \|W\|² of the paper, in the unit squared: white noise has its variance
        at every period. ``density`` is 2 δt \|W\|², in the unit squared per Hz: one-sided, as in `power_spectrogram`,
        averaged over the width of the wavelet, and white noise is flat. A sine of amplitude A and period P, in s, has
        the density 1.70 P A² at its period, because the wavelet's width follows its period. Periods are the
        Fourier periods, 1.033 scales, in even steps of the logarithm; the axis increases.

        ``cone`` is the longest period at each epoch, or the lowest frequency, that the ends of the stretch hardly
        affect: the e-folding time √2 s of its wavelet is the time to the nearer end, half a cadence beyond the last
        sample. Values at longer periods are too low.

        Each stretch without a missing value or a missing record (a step above 1.5 cadences) is transformed on its
        own, padded with zeros to twice its length, so nothing is computed across a gap, and each has its own cone.
        NaN where a value is missing, and at periods longer than the stretch. Notes say how many samples are in
        stretches without a result, and which part of the values is outside the cone.

    Raises
    ------
    StepError
        When the series does not have one cadence; use `resample` first. When no stretch has eight samples, or is as
        long as the shortest period. When the periods are not possible. When the components are not a vector, or the
        series is a spectrum or an angle that wraps.

    References
    ----------
    Torrence & Compo, Bull. Am. Meteorol. Soc. 79, 61 (1998), eqs. 4 to 10 and table 1, with ω₀ = 6.

    Examples
    --------
    A sine of 2 nT with a period of 32 s, in the middle of the series:

    >>> import numpy as np
    >>> from helio.steps.examples import series
    >>> wave = 2 * np.sin(2 * np.pi * np.arange(512) / 32)
    >>> spectrum = wavelet_spectrum(series(wave, "nT", "B", every="1s"), shortest=Duration("4s"))
    >>> highest = spectrum.values[256].argmax()
    >>> spectrum.axes[0].centers[[highest]].round(1), spectrum.values[256, [highest]].round(), spectrum.unit
    (array([32.]), array([218.]), 'nT^2/Hz')
    """
    purpose = "a wavelet spectrum"
    check_series(series, purpose)
    cadence = cadence_of(series, purpose=purpose)
    columns = summed_columns(series, purpose)
    begin, end = stretches(series.epoch, valid_records(columns), cadence)
    length = end - begin
    lasting = int(length.max(initial=0))
    if lasting < FEWEST:
        raise StepError(
            f"the longest stretch of '{series.name}' without a gap has {lasting:,} samples: too few for a wavelet",
            advice="fill short gaps with interpolate first, or choose a longer time range",
        )
    delta = cadence / 1e9
    periods = _periods(delta, lasting, shortest, longest, per_octave)
    if len(series) * periods.size > MOST_VALUES:
        raise StepError(
            f"the spectrum would have {len(series):,} records of {periods.size:,} periods, which is too many",
            advice="resample first, or choose a smaller per_octave or a shorter time range",
        )
    distance = np.full(len(series), np.nan)
    for first, last in zip(begin.tolist(), end.tolist(), strict=True):
        place = np.arange(last - first) + 0.5
        distance[first:last] = np.minimum(place, place[::-1]) * delta
    cone = _CONE * distance
    if give == "cone":
        return replace(
            series,
            values=_on_axis(cone, axis),
            components=(),
            stated_periods=None,
            unit=axis,
            name="cone of influence",
            frame="",
            scale="log",
            description=f"cone of influence of the wavelet spectrum of {series.name}",
        )
    power = np.full((len(series), periods.size), np.nan)
    for first, last in zip(begin.tolist(), end.tolist(), strict=True):
        fitting = int(np.searchsorted(periods, (last - first) * delta, side="right"))
        if last - first >= FEWEST and fitting:
            power[first:last, :fitting] = _power(columns[first:last], periods[:fitting], delta, trend)
    outside = (periods > cone[:, None]) & np.isfinite(power)
    notes = [*series.notes, *_notes(power, outside, int(length.sum()), len(series))]
    if inside_cone:
        power[outside] = np.nan
    words = spectrum_words(series)
    if give == "power":
        words |= {"unit": unit_product((series.unit, 2)), "name": f"wavelet power {series.name}".strip()}
    else:
        power *= 2 * delta
        words |= {"name": f"wavelet PSD {series.name}".strip()}
    words["description"] = words["description"].replace(
        "power spectral density", f"wavelet {'power' if give == 'power' else 'power spectral density'}", 1
    )
    if axis in _HERTZ:
        periods, power = periods[::-1], np.ascontiguousarray(power[:, ::-1])
    half = 2 ** (0.5 / per_octave)
    edges = [_on_axis(edge, axis) for edge in (periods / half, periods, periods * half)]
    lower, centers, upper = edges if axis in _SECONDS else edges[::-1]
    what = "Period" if axis in _SECONDS else "Frequency"
    return replace(
        series,
        values=power,
        axes=(Axis(what, axis, centers, lower, upper, "log"),),
        notes=tuple(notes),
        **words,
    )


def _periods(
    delta: float, samples: int, shortest: Duration | None, longest: Duration | None, per_octave: int
) -> Values:
    """Return the periods in s, in increasing order, for a cadence `delta` in s and stretches of so many samples."""
    if not 2 <= per_octave <= 48:
        raise StepError(
            f"{per_octave} periods per octave are not possible",
            advice="choose 2 to 48; the wavelet itself is 0.4 octaves wide",
        )
    low = _SHORTEST * delta if shortest is None else shortest.nanoseconds / 1e9
    # A period of just two cadences may differ from twice the mean cadence in its last digits.
    if low < 2 * delta * (1 - 1e-6):
        raise StepError(
            f"a period of {shortest} is shorter than two cadences of {in_words(delta * 1e9)}",
            advice=f"choose at least {in_words(2e9 * delta)} as shortest",
        )
    lasting = samples * delta
    high = _CONE * lasting / 2 if longest is None else longest.nanoseconds / 1e9
    if high > lasting:
        raise StepError(
            f"a period of {longest} is longer than the longest stretch without a gap, {in_words(lasting * 1e9)}",
            advice="choose a shorter period, or fill short gaps with interpolate first",
        )
    if high < low:
        raise StepError(
            f"the longest period, {in_words(high * 1e9)}, is shorter than the shortest, {in_words(low * 1e9)}",
            advice="choose shorter or longer periods, or a longer time range",
        )
    steps = math.floor(math.log2(high / low) * per_octave + 1e-9)
    return np.asarray(low * 2 ** (np.arange(steps + 1) / per_octave))


def _power(columns: Values, periods: Values, delta: float, trend: Trend) -> Values:
    """Compute the sum of |W|² over the columns of a stretch, shape (samples, periods)."""
    samples = len(columns)
    padded = fft.next_fast_len(2 * samples)
    omega = 2 * np.pi * np.fft.rfftfreq(padded, delta)
    power = np.zeros((samples, periods.size))
    ramp = np.arange(samples) - (samples - 1) / 2
    ramp /= np.sqrt(np.square(ramp).sum())
    for column in columns.T:
        rest = column - column.mean()
        if trend == "linear":
            rest -= (rest * ramp).sum() * ramp
        transform = np.fft.rfft(rest, padded)
        spread = np.zeros(padded, np.complex128)
        for order, scale in enumerate((periods / _FOURIER).tolist()):
            wavelet = np.exp(-((scale * omega - _OMEGA) ** 2) / 2)
            wavelet *= math.sqrt(2 * math.pi * scale / delta) * math.pi**-0.25
            wavelet[0] = 0.0
            spread[: omega.size] = transform * wavelet
            moved = np.fft.ifft(spread)[:samples]
            power[:, order] += moved.real**2 + moved.imag**2
    return power


def _on_axis(periods: Values, axis: AxisUnit) -> Values:
    """Return periods in s as values of an axis: periods or frequencies in its unit."""
    if axis in _SECONDS:
        return periods / _SECONDS[axis]
    return 1 / (periods * _HERTZ[axis])


def _notes(power: Values, outside: npt.NDArray[np.bool_], valid: int, total: int) -> list[str]:
    computed = np.isfinite(power)
    lost = valid - int(computed.any(axis=1).sum())
    notes = [f"outside the cone of influence: {share(int(outside.sum()), int(computed.sum()), 'values')}"]
    if lost:
        notes.append(f"left out, in stretches that are too short: {share(lost, total, 'samples')}")
    return notes
