"""A series aligned with the epochs of another series."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from helio.errors import StepError
from helio.steps.compute.between_samples import values_at
from helio.steps.compute.shares import missing, share
from helio.steps.compute.stretches import in_words, usual_step
from helio.steps.result import Result
from helio.steps.signature import window
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration


@tool(
    version=3,
    context=window("limit", records=1),
    gives=Result(like="series"),
    synonyms="align_series align_to align_time_series synchronize synchronise interpolate_onto",
)
def align(
    series: Table, onto: Table, *, limit: Duration, method: Literal["linear", "nearest"] = "linear"
) -> Table:
    """Interpolate a series to the epochs of another table, but not across gaps longer than a limit.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Series to align; any unit, any cadence, regular or not.
    onto : Table, any shape of m records
        Table with the new epochs; its values do not matter.
    limit : Duration
        The longest step between two samples across which a value is interpolated: ``"2min"`` for one-minute data
        in which single records may be missing.
    method : "linear" or "nearest"
        ``linear``: the straight line between the samples before and after. ``nearest``: the nearer of the two, at
        most half the limit away, for flags, counts and indices, which have no values in between.

    Returns
    -------
    Table, shape (m,), (m, k) or (m, b)
        float64, on the epochs of `onto`; unit, frame, components and axes of `series`. NaN before the first and
        after the last sample of `series`, and where the samples around an epoch are further apart than the limit. A
        missing value counts as a missing record. Each component is treated separately.

    Raises
    ------
    StepError
        When `series` has no record in the time range of `onto`; when its bins change from record to record and the
        method is ``"linear"``.

    Notes
    -----
    Nothing is averaged. If the series has many samples between two epochs, most of them are left out,
    and fast variations are aliased; a note reports this. To avoid it, use `resample` first. Angles that wrap, such
    as clock angles and longitudes, are interpolated the shorter way round: halfway from 359° to 1° is 0°.

    References
    ----------
    Piecewise linear interpolation, as ``numpy.interp``, with a limit.

    Examples
    --------
    A density of every two minutes on the one-minute epochs of the field:

    >>> from helio.steps.examples import series
    >>> density, field = series([4.0, 8.0], "cm^-3", every="2min"), series([1.0, 1.0, 1.0], "nT")
    >>> align(density, field, limit=Duration("2min")).values
    array([4., 6., 8.])
    """
    if len(onto) and (
        not len(series) or series.epoch[0] > onto.epoch[-1] or series.epoch[-1] < onto.epoch[0]
    ):
        raise StepError(
            f"'{series.name}' has no record in the time range of '{onto.name}'",
            advice="fetch both series for the same time range",
        )
    values, axes = values_at(series, onto.epoch, method=method, limit=limit.nanoseconds)
    notes = [f"aligned ({method}, limit {limit}): {share(missing(values), values.size, 'values')} missing"]
    if len(series) > 1 and len(onto) > 1:
        own, other = usual_step(series.epoch), usual_step(onto.epoch)
        if other >= 2 * own > 0:
            notes.append(
                f"most samples are left out, not averaged: the series has one every {in_words(own)}, the "
                f"new epochs are {in_words(other)} apart; use resample first to average"
            )
    return replace(series, epoch=onto.epoch, values=values, axes=axes, notes=(*series.notes, *notes))
