"""Check that data are as expected: enough of them, in their usual range, without long gaps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.amounts import amount
from helio.steps.compute.columns import columns_of
from helio.steps.compute.interval_rows import rows_in
from helio.steps.compute.mask import meets
from helio.steps.compute.stretches import JITTER, in_words, usual_step, valid_records
from helio.steps.render.gaps import coverage as share_of_time
from helio.steps.render.gaps import usable_records
from helio.steps.result import Result
from helio.steps.signature import Amount, Share, whole_range
from helio.steps.tool import tool
from helio.store.events import Event
from helio.store.table import Table
from helio.time_range import Duration, TimeRange

_GAP = 1.5
"""Time steps longer than this many cadences are gaps, as in figures."""


@tool(
    version=1,
    context=whole_range("coverage, cadence and gaps are those of the whole time range"),
    needs=(("coverage", "minimum", "maximum", "cadence", "longest_gap", "flagged"),),
    gives=Result(like="series"),
    synonyms="check_data quality_check validate assert_data data_contract",
)
def expect(
    series: Table,
    *,
    time_range: TimeRange,
    coverage: Share | None = None,
    minimum: Amount | None = None,
    maximum: Amount | None = None,
    cadence: Duration | None = None,
    longest_gap: Duration | None = None,
    flagged: Share | None = None,
    good: list[float] | None = None,
    severity: Literal["fail", "note"] = "fail",
) -> Table:
    """Check coverage, values, cadence, gaps or flags of a series, and return it unchanged.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit; for `flagged`, the flag. A record is valid if all its components have a value, or one
        bin of a spectrum.
    time_range : TimeRange
        Where the data are expected: usually ``$TIME_RANGE``.
    coverage : float
        Smallest share of the time range with valid records, 0 to 1: 0.9.
    minimum, maximum : Amount
        Smallest and largest value that is possible or usual: ``"-500 nT"``, ``"2000 km/s"``. helio converts the unit to
        that of the series.
    cadence : Duration
        The median time between two records, to a tenth: ``"1min"``. With it, `coverage` counts records of this length.
    longest_gap : Duration
        Longest time without a valid record, also at the start and at the stop of the time range: ``"2h"``.
    flagged : float
        Largest share of records whose flag is not `good`, 0 to 1: 0.05. A missing flag is not good.
    good : list of float
        The flags of good data. Default: 0.
    severity : "fail" or "note"
        ``fail``: the step fails if the data are not as expected, and with it the run, if the step is critical.
        ``note``: the run goes on; the table, the record of the run and the gallery say what is not as expected.

    Returns
    -------
    Table, shape of `series`
        The same records, also those outside the time range.

    Raises
    ------
    StepError
        When the data are not as expected: the message says what was expected, and what was measured. When a share is
        not between 0 and 1, or an amount is not understood.
    UnitMismatch
        When the unit of an amount measures another quantity.

    References
    ----------
    Each dataset documents the meaning of its flags, in ``CATDESC`` and ``VAR_NOTES``; ISTP Metadata Guidelines for
    VALIDMIN and VALIDMAX: https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html

    Examples
    --------
    Three of four minutes have a value:

    >>> from datetime import datetime
    >>> from helio.steps.examples import NAN, series
    >>> span = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 4))
    >>> field = series([5.0, 6.0, NAN, 7.0], "nT", "B")
    >>> expect(field, time_range=span, coverage=0.9, severity="note").notes
    ('not as expected: coverage of B at least 90 %, measured 75 %',)
    """
    for name, value in (("coverage", coverage), ("flagged", flagged)):
        if value is not None and not 0 <= value <= 1:
            raise StepError(
                f"{name} is {value:g}, but a share is between 0 and 1", advice="write 0.9 for 90 %"
            )
    limits = (
        None if minimum is None else amount(minimum, series),
        None if maximum is None else amount(maximum, series),
    )
    if limits[0] is not None and limits[1] is not None and limits[0] > limits[1]:
        raise StepError(
            f"minimum, {minimum}, is above maximum, {maximum}", advice="exchange minimum and maximum"
        )
    inside = series.take(rows_in(series, time_range))
    name = series.name or "the series"
    valid = valid_records(inside.values) if inside.kind != "spectrum" else usable_records(inside.values)
    bounds = np.array([time_range.start, time_range.stop], dtype="datetime64[ns]")
    unmet: list[str] = []
    if coverage is not None:
        unmet += _coverage(inside, valid, bounds, cadence, coverage, name)
    unmet += _values(inside, limits, (minimum, maximum), name)
    if cadence is not None:
        unmet += _cadence(inside, cadence, name)
    if longest_gap is not None:
        unmet += _longest_gap(inside.epoch[valid], bounds, longest_gap, name)
    if flagged is not None:
        unmet += _flags(inside, [0.0] if good is None else good, flagged, name)
    if unmet and severity == "fail":
        raise StepError(
            f"not as expected: {'; '.join(unmet)}",
            advice='look at the data and their source; if the run may go on without them, write severity: "note"',
        )
    messages = [f"not as expected: {words}" for words in unmet]
    return replace(
        series,
        notes=(*series.notes, *messages),
        events=tuple(Event("unmet", message) for message in messages),
    )


def _coverage(
    table: Table,
    valid: npt.NDArray[np.bool_],
    bounds: npt.NDArray[np.datetime64],
    cadence: Duration | None,
    least: float,
    name: str,
) -> Iterator[str]:
    if cadence is None:
        measured = share_of_time(table.epoch, valid, bounds[0], bounds[1], _GAP)
    else:
        length = int((bounds[1] - bounds[0]).astype("timedelta64[ns]").astype(np.int64))
        measured = min(1.0, int(valid.sum()) * cadence.nanoseconds / length)
    if measured < least:
        yield f"coverage of {name} at least {_percent(least)}, measured {_percent(measured)}"


def _values(
    table: Table, limits: tuple[float | None, float | None], texts: tuple[str | None, str | None], name: str
) -> Iterator[str]:
    values = columns_of(table.values)
    bounds: tuple[tuple[float | None, str | None, Literal["<", ">"], str], ...] = (
        (limits[0], texts[0], "<", "not below"),
        (limits[1], texts[1], ">", "not above"),
    )
    for limit, text, where, word in bounds:
        if limit is None:
            continue
        outside = meets(table.values, where, limit).reshape(values.shape)
        if outside.any():
            wrong = np.where(outside, values, np.nan)
            record, column = np.unravel_index(
                np.nanargmin(wrong) if where == "<" else np.nanargmax(wrong), wrong.shape
            )
            measured = f"{values[record, column]:.6g} {table.unit}".strip()
            named = f"{name} {table.components[column]}" if table.components else name
            at = str(table.epoch[record])[:19].replace("T", " ")
            yield (
                f"{name} {word} {text}, measured {measured} in {named} at {at} UT "
                f"({_count(int(outside.sum()), int(np.isfinite(values).sum()), 'values')})"
            )


def _cadence(table: Table, cadence: Duration, name: str) -> Iterator[str]:
    if len(table) < 2:
        yield f"cadence of {name} {cadence}, measured {number_of(len(table), 'record')}"
        return
    measured = usual_step(table.epoch)
    if abs(measured - cadence.nanoseconds) > JITTER * cadence.nanoseconds:
        yield f"cadence of {name} {in_words(cadence.nanoseconds)}, measured {in_words(measured)}"


def _longest_gap(
    epoch: npt.NDArray[np.datetime64], bounds: npt.NDArray[np.datetime64], longest: Duration, name: str
) -> Iterator[str]:
    edges = np.concatenate([bounds[:1], epoch, bounds[1:]])
    steps = np.diff(edges).astype(np.int64)
    if steps.max() > longest.nanoseconds:
        first = str(edges[steps.argmax()])[:19].replace("T", " ")
        yield (
            f"no gap in {name} longer than {in_words(longest.nanoseconds)}, measured {in_words(steps.max())} "
            f"from {first} UT"
        )


def _flags(table: Table, good: list[float], most: float, name: str) -> Iterator[str]:
    if table.kind == "spectrum":
        raise StepError(
            f"'{table.name}' is a spectrum, but a flag must have one value per record",
            advice="give the flag of the dataset as source_label",
        )
    flags = columns_of(table.values)
    bad = (
        (~np.isin(table.values, np.asarray(good, dtype=table.values.dtype))).reshape(flags.shape).any(axis=1)
    )
    if not len(table):
        yield f"{name} flags at most {_percent(most)} of the records, measured no records"
    elif bad.mean() > most:
        count = _count(int(bad.sum()), len(table), "records")
        yield f"{name} flags at most {_percent(most)} of the records, measured {_percent(bad.mean())} ({count})"


def _count(number: int, total: int, what: str) -> str:
    return f"{number:,} of {total:,} {what}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
