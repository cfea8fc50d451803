"""Joining of one parameter's tables from several files; counts the records that are left out because epochs repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import DamagedFile
from helio.store.one_pass import increases
from helio.store.table import Axis, Floats, Table
from helio.time_range import TimeRange

WITHOUT_TIME = "have no usable epoch"
REPEATED = "repeat an epoch of the same file"
CONTRADICTED = "contradict the record of another file for the same epoch"

_ADVICE = {
    REPEATED: (
        "give each record its own time, with columns called date and time, or year, month, day, hour, "
        "minute, second; if a file has several rows for one epoch, such as one for each energy channel "
        "or sensor, write these rows as columns instead"
    ),
    CONTRADICTED: "keep only the correct file for this interval in the archive",
    WITHOUT_TIME: "download the file again, or use another version of the file",
}
_MOST_PAIRS = 5
"""Maximum number of pairs of differing files to name one by one in a note."""


def clip(table: Table, time_range: TimeRange) -> Table:
    """Return the records of a table in [start, stop)."""
    return table.between(np.datetime64(time_range.start, "ns"), np.datetime64(time_range.stop, "ns"))


def reaches_start(table: Table, time_range: TimeRange) -> bool:
    """Return whether no further record fits between the start of an interval and the first record."""
    spacing = _least_spacing(table)
    return spacing is not None and bool(table.epoch[0] - np.datetime64(time_range.start, "ns") < spacing)


def reaches_end(table: Table, time_range: TimeRange) -> bool:
    """Return whether no further record fits between the last record and the end of an interval."""
    spacing = _least_spacing(table)
    return spacing is not None and bool(np.datetime64(time_range.stop, "ns") - table.epoch[-1] <= spacing)


def _least_spacing(table: Table) -> np.timedelta64 | None:
    """Return the shortest time between two records; None if there are fewer than two."""
    return np.diff(table.epoch).min() if len(table) > 1 else None


def join(parameter: str, parts: Sequence[tuple[str, Table]]) -> Table | None:
    """Join tables of one parameter from several files, with each epoch once; return None if no table has a record.

    If several files have a record of the same epoch, the record of the earlier file is kept. Notes describe the records
    left out.

    Parameters
    ----------
    parts : sequence of (str, Table)
        Tables in the order of the files, each with the name of its file.

    Raises
    ------
    DamagedFile
        Two files contradict each other in unit, components, frame, shape or axes; or more than half of all records
        would be left out: because they repeat an epoch of their file, have no epoch, or contradict an earlier file
        at the same epoch. Equal records of two files count as one record.
    """
    parts_with_records = [(name, table) for name, table in parts if len(table)]
    joined, repeats = concatenate(parameter, parts_with_records) if parts_with_records else (None, Repeats())
    dropped: Counter[str] = Counter()
    for _, table in parts:
        dropped.update(table.dropped)
    held = sum(len(table) for _, table in parts) + dropped.total()
    dropped[CONTRADICTED] += repeats.differing
    _refuse_mostly_dropped(parameter, [name for name, _ in parts], held, dropped)
    if joined is None:
        return None
    notes = [note for _, table in parts for note in table.notes if len(table) or table.dropped]
    return replace(joined, notes=tuple(dict.fromkeys([*notes, *repeats.notes])), dropped={})


def _refuse_mostly_dropped(
    parameter: str, files: Sequence[str], held: int, dropped: Mapping[str, int]
) -> None:
    """Raise an error if more than half of the records would be left out; this rule holds for every file format."""
    lost = sum(dropped.values())
    if 2 * lost <= held:
        return
    reasons = {reason: count for reason, count in dropped.items() if count}
    where = f"'{files[0]}'" if len(files) == 1 else f"{len(files)} files (the first is '{files[0]}')"
    raise DamagedFile(
        f"{lost} of the {held} records of {parameter} for this interval in {where} cannot be used: "
        + ", ".join(f"{count} {reason}" for reason, count in reasons.items()),
        advice=_ADVICE[max(reasons, key=lambda reason: reasons[reason])],
    )


def once(table: Table, without_time: int, *, distinct: bool = False) -> Table:
    """Return the table of one file with each epoch once: keep the first record of an epoch, and count the others.

    Parameters
    ----------
    table : Table
        Table with epochs in increasing order; records of a repeated epoch keep the order of the file.
    without_time : int
        Number of records of the interval that have no epoch and are therefore not in the table.
    distinct : bool
        Whether it is known that no epoch repeats.
    """
    dropped = {WITHOUT_TIME: without_time} if without_time else {}
    if distinct or increases(table.epoch):
        return replace(table, dropped=dropped)
    first = _first_of_each(table.epoch)
    first_of_each, repeated = _pairs(first)
    difference = _difference(table, first_of_each, repeated, None)
    notes = [
        *table.notes,
        f"{number_of(repeated.size, 'record repeats', 'records repeat')} an epoch; the first record of each epoch was "
        "kept",
    ]
    if difference.count:
        notes.append(
            f"{number_of(difference.count, 'repeated record differs', 'repeated records differ')} from the first "
            f"record of the same epoch{difference.words}"
        )
    dropped[REPEATED] = int(repeated.size)
    return replace(table.take(first), notes=tuple(notes), dropped=dropped)


@dataclass(frozen=True)
class Repeats:
    """Counts of epochs that several files contain.

    Parameters
    ----------
    differing : int
        Number of records left out although they differ from the record that was kept.
    """

    differing: int = 0
    notes: tuple[str, ...] = ()


def concatenate(parameter: str, parts: Sequence[tuple[str, Table]]) -> tuple[Table, Repeats]:
    """Join tables of one parameter from several files, and describe the epochs that several files contain."""
    first_name, first = parts[0]
    for name, table in parts[1:]:
        for what, first_fact, other in _shape_facts(first, table):
            if first_fact != other:
                raise DamagedFile(
                    f"{parameter} changes its {what} between files: "
                    f"{first_fact!r} in {first_name}, {other!r} in {name}",
                    advice="use two fetches: one for the time before this change, and one for the time after it",
                )
    tables = [table for _, table in parts]
    if len(tables) == 1:
        return first, Repeats()
    axes = tuple(
        _join_axes([(table.axes[i], len(table)) for table in tables]) for i in range(len(first.axes))
    )
    epoch = np.concatenate([table.epoch for table in tables])
    values = np.concatenate([table.values for table in tables])
    joined = replace(
        first,
        epoch=epoch,
        values=values,
        axes=axes,
        stated_representation=first.representation if _same(tables, "representation") else "",
        stated_periods=first.periods if _same(tables, "periods") else (),
    )
    if bool((epoch[1:] > epoch[:-1]).all()):
        return joined, Repeats()
    order = np.argsort(epoch, kind="stable")
    first_of_each = _first_of_each(epoch[order])
    unique = joined.take(order[first_of_each])
    if first_of_each.all():
        return unique, Repeats()
    kept_records, repeated = (order[places] for places in _pairs(first_of_each))
    return unique, _repeats(parts, joined, kept_records, repeated)


def _repeats(
    parts: Sequence[tuple[str, Table]],
    joined: Table,
    kept_records: npt.NDArray[np.intp],
    repeated: npt.NDArray[np.intp],
) -> Repeats:
    """Describe, for each pair of files, the records that repeat an epoch of the earlier file, and whether they
    differ.
    """
    file = np.repeat(np.arange(len(parts)), [len(table) for _, table in parts])
    single = np.array([table.values.dtype.itemsize < 8 for _, table in parts])[file]
    differing, notes = 0, []
    pairs = np.unique(np.stack([file[kept_records], file[repeated]], axis=1), axis=0)
    for first_file, other in pairs.tolist():
        both = (file[kept_records] == first_file) & (file[repeated] == other)
        difference = _difference(joined, kept_records[both], repeated[both], single)
        if difference.count:
            differing += difference.count
            notes.append(
                f"{parts[first_file][0]} and {parts[other][0]} differ in {difference.count} of the "
                f"{number_of(int(np.count_nonzero(both)), 'epoch')} that both files have{difference.words}; "
                f"the records of {parts[first_file][0]} were kept"
            )
    if len(notes) > _MOST_PAIRS:
        notes = [
            *notes[:_MOST_PAIRS],
            f"further pairs of files that differ in the same way: {len(notes) - _MOST_PAIRS}",
        ]
    kept = f"{number_of(repeated.size, 'repeated epoch')}: the first record of each was kept"
    return Repeats(differing, (kept, *notes))


@dataclass(frozen=True)
class _Difference:
    count: int
    words: str


def _difference(
    table: Table,
    kept_records: npt.NDArray[np.intp],
    repeated: npt.NDArray[np.intp],
    single: npt.NDArray[np.bool_] | None,
) -> _Difference:
    """Return how many pairs of records differ, and by how much.

    Two missing values are equal. If one of the two records has single precision (`single`, by record), both are
    compared in single precision, so that 1.1 in single precision equals 1.1 in double precision.
    """
    coarse = None if single is None else single[kept_records] | single[repeated]
    differs = np.zeros(kept_records.shape, dtype=bool)
    half_missing = np.zeros(kept_records.shape, dtype=bool)
    largest = 0.0
    for name, array in table.arrays():
        if name == "epoch" or array.shape[:1] != (len(table),) or (name != "values" and array.ndim < 2):
            continue
        first = array[kept_records].reshape(kept_records.size, -1)
        other = array[repeated].reshape(kept_records.size, -1)
        unequal = (first != other) & ~(np.isnan(first) & np.isnan(other))
        if coarse is not None:
            with np.errstate(over="ignore"):
                unequal &= ~(coarse[:, None] & (first.astype(np.float32) == other.astype(np.float32)))
        differs |= unequal.any(axis=1)
        if name == "values" and unequal.any():
            half_missing = (unequal & (np.isnan(first) | np.isnan(other))).any(axis=1)
            with np.errstate(invalid="ignore", over="ignore"):
                apart = np.abs(first[unequal].astype(np.float64) - other[unequal].astype(np.float64))
            largest = float(np.fmax.reduce(apart, initial=0.0))
    words = f", by up to {largest:.4g} {table.unit}".rstrip() if largest else ""
    missing = int(np.count_nonzero(half_missing))
    words += f"; in {number_of(missing, 'pair')} only one record has a value" if missing else ""
    return _Difference(int(np.count_nonzero(differs)), words)


def _first_of_each(epoch: npt.NDArray[np.datetime64]) -> npt.NDArray[np.bool_]:
    """Return a mask that is True for the first of several equal epochs; the epochs must be in order."""
    first = np.ones(epoch.shape, dtype=bool)
    first[1:] = epoch[1:] > epoch[:-1]
    return first


def _pairs(first: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return, for each repeated epoch, the record that is kept and the record that repeats its epoch."""
    repeated = np.flatnonzero(~first)
    kept_records = np.flatnonzero(first)
    return kept_records[np.searchsorted(kept_records, repeated) - 1], repeated


def _same(tables: Sequence[Table], fact: str) -> bool:
    return len({getattr(table, fact) for table in tables}) == 1


def _shape_facts(one: Table, other: Table) -> Iterable[tuple[str, Any, Any]]:
    yield "unit", one.unit, other.unit
    yield "components", one.components, other.components
    yield "frame", one.frame, other.frame
    # What a file leaves open is no contradiction, and stays open for the whole.
    if one.representation and other.representation:
        yield "representation", one.representation, other.representation
    yield "shape", one.values.shape[1:], other.values.shape[1:]
    yield "axes", [axis.unit for axis in one.axes], [axis.unit for axis in other.axes]


def _join_axes(parts: Sequence[tuple[Axis, int]]) -> Axis:
    """Join one axis over the records of all files: one axis if every file has the same bins, otherwise one for
    each record.
    """
    first = parts[0][0]
    if not any(axis.per_record for axis, _ in parts) and all(_same_bins(first, axis) for axis, _ in parts):
        return first

    records = [count for _, count in parts]
    lower = [axis.lower for axis, _ in parts if axis.lower is not None]
    upper = [axis.upper for axis, _ in parts if axis.upper is not None]
    return replace(
        first,
        centers=_per_record([axis.centers for axis, _ in parts], records),
        # Edges that only some files give would be wrong for the others.
        lower=_per_record(lower, records) if len(lower) == len(parts) else None,
        upper=_per_record(upper, records) if len(upper) == len(parts) else None,
    )


def _per_record(bins: Sequence[Floats], records: Sequence[int]) -> Floats:
    whole = [
        np.broadcast_to(array, (count, array.shape[-1])) for array, count in zip(bins, records, strict=True)
    ]
    return np.concatenate(whole)


def _same_bins(one: Axis, other: Axis) -> bool:
    pairs = ((one.centers, other.centers), (one.lower, other.lower), (one.upper, other.upper))
    return all(
        (a is None and b is None)
        or (a is not None and b is not None and np.array_equal(a, b, equal_nan=True))
        for a, b in pairs
    )
