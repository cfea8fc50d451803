"""Solar flares in the X-ray flux."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.derived import derived
from helio.steps.compute.possible import positive
from helio.steps.compute.stretches import cadence_of, in_words
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import counted
from helio.store.table import Table

RISE = 1.4
"""Smallest ratio of the fluxes at the end and at the start of the first four minutes of a flare."""

_MINUTE = 60e9
_NAMED = 12
"""The note names this many flares, the strongest ones."""


@tool(
    version=1,
    context=whole_range("a flare lasts until the flux has decayed to half"),
    gives=Result(
        frame="",
        by={
            "give": {
                "peak": Result(unit="W/m^2", kind="scalar"),
                "start": Result(unit="W/m^2", kind="scalar"),
                "durations": Result(unit="min", kind="vector"),
            }
        },
    ),
    synonyms="flare_class flares xray_flares goes_flares flare_list find_flares",
)
def solar_flares(
    flux: Annotated[Table, Quantity("W/m^2", kind="scalar")],
    *,
    least: float = 1e-6,
    give: Literal["peak", "start", "durations"] = "peak",
) -> Table:
    """Find solar flares in the X-rays of 0.1 to 0.8 nm, with their classes.

    Parameters
    ----------
    flux : Table, shape (n,)
        One-minute averages of the X-ray flux at 0.1 to 0.8 nm, W/m^2, gaps allowed.
    least : float
        The smallest peak, W/m^2: 1e-6 for C1, 1e-5 for M1, 1e-4 for X1.
    give : "peak", "start" or "durations"
        The kind of result; see below.

    Returns
    -------
    Table
        ``peak``, shape (m,): the largest flux of each flare, W/m^2, at its time.
        ``start``, shape (m,): the flux before each flare, W/m^2, at its start.
        ``durations``, shape (m, 2), in min, at the peaks: from start to peak, and from peak to end; NaN where the
        series ends, or has a gap, before the end.
        A note lists the strongest flares with their classes. A series without a flare gives no records.

    Raises
    ------
    StepError
        When the series does not have a cadence of one minute.

    Notes
    -----
    A flare starts with four minutes in which the flux increases each minute, to at least 1.4 times the flux at the
    start. It ends where the flux is half-way between the peak and the flux at the start. The class is the flux at the
    peak: A, B, C, M and X for 1e-8, 1e-7, 1e-6, 1e-5 and 1e-4 W/m^2. Operational fluxes of GOES-1 to GOES-15 are 0.7 of
    science-quality fluxes, so the classes of that time are smaller; multiply science-quality fluxes by 0.7, with
    `rescale`, to compare with them.

    References
    ----------
    NOAA NCEI, GOES X-ray Sensor (XRS) Measurements, user's guide of the operational data; Space Weather Prediction
    Center, solar X-ray events.

    Examples
    --------
    A flare that rises from 2e-6 to 3e-5 W/m² and decays:

    >>> from helio.steps.examples import series
    >>> flux = series([2e-6, 2e-6, 4e-6, 9e-6, 2e-5, 3e-5, 2.5e-5, 2e-5, 1.5e-5, 1e-5], "W/m^2", "X-rays")
    >>> flares = solar_flares(flux)
    >>> flares.values, flares.notes
    (array([3.e-05]), ('M3.0 at 2024-05-10 00:05',))
    """
    cadence = cadence_of(flux, purpose="a search for flares")
    if abs(cadence - _MINUTE) > 0.1 * _MINUTE:
        raise StepError(
            f"a search for flares needs one value a minute, but the samples are {in_words(cadence)} apart",
            advice='first use resample with cadence "1min"',
        )
    values = positive(flux)
    flares = [flare for flare in _flares(values, counted(flux.epoch)) if values[flare.peak] >= least]
    records = [flare.start if give == "start" else flare.peak for flare in flares]
    chosen = flux.take(np.array(records, dtype=np.int64))
    description = (
        f"{number_of(len(flares), 'flare')} of {flare_class(least)} or more in {flux.name or 'the flux'}"
    )
    if give == "durations":
        minutes = counted(flux.epoch) / _MINUTE
        durations = np.full((len(flares), 2), np.nan)
        for row, flare in zip(durations, flares, strict=True):
            row[0] = minutes[flare.peak] - minutes[flare.start]
            if flare.end is not None:
                row[1] = minutes[flare.end] - minutes[flare.peak]
        made = derived(
            (chosen,),
            durations,
            unit="min",
            name="duration",
            description=description,
            components=("rise", "decay"),
        )
        made = replace(made, stated_representation="none")
    else:
        made = derived(
            (chosen,),
            chosen.values.astype(np.float64),
            unit="W/m^2",
            name=f"flux at the {give} of flares",
            description=description,
            scale="log",
        )
    strongest = sorted(flares, key=lambda flare: -values[flare.peak])[:_NAMED]
    named = [
        f"{flare_class(values[flare.peak])} at {str(flux.epoch[flare.peak])[:16].replace('T', ' ')}"
        for flare in strongest
    ]
    return replace(made, notes=(*made.notes, ", ".join(named))) if named else made


def flare_class(flux: float) -> str:
    """Return the class of a flare from its largest flux in W/m², with one decimal.

    >>> flare_class(9.3e-4), flare_class(9.97e-6), flare_class(2.8e-3), flare_class(4e-9)
    ('X9.3', 'M1.0', 'X28.0', 'A0.4')
    """
    lowest = 1e-8
    for letter in "ABCMX":
        number = round(float(flux) / lowest, 1)
        if number < 10 or letter == "X":
            break
        lowest *= 10
    return f"{letter}{number:.1f}"


@dataclass(frozen=True)
class _Flare:
    """Numbers of the records of a flare; the end is None if it is not known."""

    start: int
    peak: int
    end: int | None


def _flares(values: npt.NDArray[np.float64], time: npt.NDArray[np.int64]) -> list[_Flare]:
    if values.size < 4:
        return []
    rising = (np.diff(values) > 0) & (np.diff(time) < 1.5 * _MINUTE)
    begins = rising[:-2] & rising[1:-1] & rising[2:] & (values[3:] >= RISE * values[:-3])
    flares: list[_Flare] = []
    free = 0
    for start in np.flatnonzero(begins).tolist():
        if start < free:
            continue
        peak, end = start + 3, None
        record = peak + 1
        while record < values.size and time[record] - time[record - 1] < 1.5 * _MINUTE:
            if np.isnan(values[record]):
                break
            if values[record] > values[peak]:
                peak = record
            elif values[record] <= (values[peak] + values[start]) / 2:
                end = record
                break
            record += 1
        flares.append(_Flare(start, peak, end))
        free = record
    return flares
