"""Integral of a series over time, from its start."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.angles import turning
from helio.steps.compute.bins import hold_bins
from helio.steps.compute.columns import columns_of
from helio.steps.compute.stretches import GAP_FACTOR, in_words, local_cadence
from helio.steps.result import Result
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import elapsed
from helio.store.table import Table
from helio.time_range import Duration

NANOSECONDS = {"s": 1e9, "min": 60e9, "h": 3600e9, "day": 86400e9}


@tool(
    version=1,
    context=whole_range("the integral begins at the start of the time range"),
    gives=Result(like="series", unit="{series} {per}"),
    synonyms="time_integral cumulative_sum integrate cumulative fluence",
)
def cumulative_integral(
    series: Table, *, per: Literal["s", "min", "h", "day"] = "h", limit: Duration | None = None
) -> Table:
    """Integrate a series over time, from the start of the time range to each record.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit, any cadence, regular or not: VB_s, a particle flux.
    per : "s", "min", "h" or "day"
        Unit of time of the result: mV/m integrated over hours is in mV/m h.
    limit : Duration, optional
        The longest step between two records over which the integral goes on. Default: 1.5 times the local cadence,
        so that one missing record is a gap.

    Returns
    -------
    Table, shape of `series`
        float64, in the unit of the series times that of time; same epochs, components and frame. Between two
        neighbouring valid records, the mean of both times the time between them. Gaps and missing values add
        nothing, so an integral with gaps is too small if the series is never negative; a note gives the time that is
        missing. NaN where the value itself is missing.

    Raises
    ------
    StepError
        When the series is an angle that wraps, or the bins of a spectrum change from record to record.

    References
    ----------
    Trapezoidal rule: Press et al., Numerical Recipes, ch. 4.1.

    Examples
    --------
    2 mV/m for three minutes:

    >>> from helio.steps.examples import series
    >>> made = cumulative_integral(series([2.0, 2.0, 2.0, 2.0], "mV/m", "VB_s"), per="min")
    >>> made.values, made.unit
    (array([0., 2., 4., 6.]), 'min mV/m')
    """
    hold_bins(series, purpose="integrated")
    if turning(series).by_column:
        raise StepError(
            f"'{series.name}' is an angle that wraps, so it has no integral",
            advice="integrate its sine or cosine, or a component of the vector",
        )
    flat = columns_of(series.values)
    steps = np.diff(elapsed(series.epoch))
    longest = GAP_FACTOR * local_cadence(series.epoch) if limit is None else limit.nanoseconds
    joined = (steps > 0) & (steps <= longest)
    values = np.zeros(flat.shape)
    parts = 0.5 * (flat[1:] + flat[:-1]) * (steps / NANOSECONDS[per])[:, np.newaxis]
    counted = np.isfinite(parts) & joined[:, np.newaxis]
    np.cumsum(np.where(counted, parts, 0.0), axis=0, out=values[1:])
    values[~np.isfinite(flat)] = np.nan
    # Of several columns, the one with the most missing time.
    left_out = float((steps[:, np.newaxis] * ~counted).sum(axis=0).max(initial=0)) if steps.size else 0.0
    notes = series.notes
    if left_out > 0:
        notes = (*notes, f"gaps of {in_words(left_out)} of {in_words(float(steps.sum()))} add nothing")
    return replace(
        series,
        values=values.reshape(series.values.shape),
        unit=unit_product((series.unit, 1), (per, 1)) if series.unit else per,
        stated_periods=(),
        name=f"∫{series.name} dt" if series.name else "integral",
        scale="linear",
        description=f"integral over time of {series.description}" if series.description else "",
        notes=notes,
    )
