"""Prediction of the ring current from the solar wind."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.steps.compute.cartesian import Values
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import not_negative
from helio.steps.compute.pressure_corrected_dst import PAPERS
from helio.steps.compute.shares import share
from helio.steps.compute.window_sums import Indices
from helio.steps.quantity import Quantity
from helio.steps.signature import whole_range
from helio.steps.tool import tool
from helio.store.leap_seconds import elapsed
from helio.store.table import Table
from helio.time_range import Duration

HOUR = 3.6e12
"""Nanoseconds."""
LONGEST_KEPT = Duration("3h")


@tool(
    version=1,
    context=whole_range("the ring current of an epoch depends on all solar wind before it"),
    synonyms="burton_equation predict_dst dst_model obrien_mcpherron ring_current_model",
)
def burton_dst(
    electric_field: Annotated[Table, Quantity("mV/m", kind="scalar")],
    index: Annotated[Table, Quantity("nT", kind="scalar")],
    *,
    model: Literal["obrien", "burton"] = "obrien",
    limit: Duration | None = None,
) -> Annotated[Table, Quantity("nT", kind="scalar")]:
    """Predict Dst* from the electric field of the solar wind: injection into the ring current, and its decay.

    Parameters
    ----------
    electric_field : Table, shape (n,)
        VB_s, mV/m, as `vbs` computes it. The models were made from hourly means.
    index : Table, shape (n,)
        Observed Dst*, nT, on the same epochs, as `pressure_corrected_dst` computes it. Only its value at the start,
        and after a long gap of `electric_field`, is used.
    model : "obrien" or "burton"
        The injection Q and the decay time τ; see below.
    limit : Duration
        Where `electric_field` is missing for no longer than this, its last value is kept. After a longer gap the
        prediction starts again from the observed Dst*. Default: 3 h.

    Returns
    -------
    Table, shape (n,)
        Dst* in nT at the same epochs. From each epoch to the next one, dDst*/dt = Q(VB_s) − Dst*/τ is solved exactly,
        with the VB_s of the first of the two. NaN before the first record with both values, and in long gaps. Notes
        say how many values were kept, and how often the prediction started again.

        ``obrien``: Q = −4.4 (VB_s − 0.49) nT/h above 0.49 mV/m, otherwise 0; τ = 2.40 exp(9.74/(4.69 + VB_s)) h.
        ``burton``: Q = −5.4 (VB_s − 0.5) nT/h above 0.5 mV/m, otherwise 0; τ = 7.7 h.

    Raises
    ------
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Burton, McPherron & Russell, J. Geophys. Res. 80, 4204 (1975), with a = 3.6e-5 s⁻¹ and d = −1.5e-3 nT/(s mV/m);
    O'Brien & McPherron, J. Geophys. Res. 105, 7707 (2000).

    Examples
    --------
    An hour of 5.49 mV/m, which injects −22 nT/h, then recovery:

    >>> from helio.steps.examples import series
    >>> field = series([5.49, 0.0, 0.0], "mV/m", "VB_s", every="1h")
    >>> observed = series([0.0, -20.0, -18.0], "nT", "Dst*", every="1h")
    >>> burton_dst(field, observed).values.round(1)
    array([  0. , -20.3, -19.3])
    """
    inputs = on_one_clock(electric_field, index)
    limit = limit or LONGEST_KEPT
    times = elapsed(electric_field.epoch)
    driver, kept, restarts = _without_short_gaps(not_negative(electric_field), times, limit.nanoseconds)
    injection, decay = _rates(driver, model)
    observed = index.values.astype(np.float64)
    values = np.full(driver.shape, np.nan)
    current, started = np.nan, 0
    hours = np.diff(times) / HOUR
    for record in range(driver.size):
        if np.isnan(driver[record]) or restarts[record]:
            current = np.nan
        if np.isnan(current) and np.isfinite(driver[record]) and np.isfinite(observed[record]):
            current, started = float(observed[record]), started + 1
        values[record] = current
        if record < hours.size:
            balance = injection[record] * decay[record]
            current = balance + (current - balance) * np.exp(-hours[record] / decay[record])
    made = derived(
        inputs,
        values,
        unit="nT",
        name="Dst* predicted",
        description=f"Dst* predicted from VB_s, {PAPERS[model]}",
    )
    notes = []
    if kept:
        notes.append(
            f"VB_s kept from the record before, in gaps up to {limit}: {share(kept, driver.size, 'records')}"
        )
    if started > 1:
        notes.append(f"the prediction started again after {number_of(started - 1, 'long gap')}")
    return replace(made, notes=(*made.notes, *notes))


def _rates(driver: Values, model: str) -> tuple[Values, Values]:
    """Return the injection in nT/h and the decay time in h."""
    if model == "burton":
        return -5.4 * np.maximum(driver - 0.5, 0.0), np.full(driver.shape, 1 / (3.6e-5 * 3600))
    return -4.4 * np.maximum(driver - 0.49, 0.0), 2.40 * np.exp(9.74 / (4.69 + driver))


def _without_short_gaps(
    values: Values, times: Indices, limit: int
) -> tuple[Values, int, npt.NDArray[np.bool_]]:
    """Keep the last value in gaps up to `limit`.

    Returns
    -------
    values : float64, shape (n,)
    kept : int
        Number of values that were kept from an earlier record.
    restarts : bool, shape (n,)
        Whether the last valid record before a record is too long ago.
    """
    numbers = np.arange(values.size)
    valid = np.isfinite(values)
    last = np.maximum.accumulate(np.where(valid, numbers, -1))
    since = np.full(values.size, np.inf)
    since[last >= 0] = (times - times[np.maximum(last, 0)])[last >= 0]
    filled: Values = np.where((last >= 0) & (since <= limit), values[np.maximum(last, 0)], np.nan)
    before = np.r_[-1, last[:-1]] if values.size else last
    restarts: npt.NDArray[np.bool_] = (before >= 0) & (times - times[np.maximum(before, 0)] > limit)
    return filled, int((~valid & np.isfinite(filled)).sum()), restarts
