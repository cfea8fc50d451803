"""Tables of one parameter, read from several files, as one table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile
from helio.store.table import Axis, Floats, Table
from helio.time_range import TimeRange


def clip(table: Table, time_range: TimeRange) -> Table:
    """The records of [start, stop)."""
    return table.between(np.datetime64(time_range.start, "ns"), np.datetime64(time_range.stop, "ns"))


def concatenate(parameter: str, parts: Sequence[tuple[str, Table]]) -> tuple[Table, int]:
    """Tables of one parameter from several files as one, and how many repeated epochs it left out."""
    first_name, first = parts[0]
    for name, table in parts[1:]:
        for what, one, other in _shape_facts(first, table):
            if one != other:
                raise DamagedFile(
                    f"{parameter} changes its {what} between files: "
                    f"{one!r} in {first_name}, {other!r} in {name}",
                    advice="fetch the two intervals apart",
                )
    tables = [table for _, table in parts]
    epoch = np.concatenate([table.epoch for table in tables])
    order: npt.NDArray[np.intp] | None = None
    if epoch.size > 1 and not bool((epoch[1:] > epoch[:-1]).all()):
        order = np.argsort(epoch, kind="stable")
        ordered = epoch[order]
        order = order[np.concatenate([[True], ordered[1:] > ordered[:-1]])]
    joined = first
    if len(tables) > 1:
        axes = tuple(
            _join_axes([(table.axes[i], len(table)) for table in tables]) for i in range(len(first.axes))
        )
        values = np.concatenate([table.values for table in tables])
        joined = replace(
            first,
            epoch=epoch,
            values=values,
            axes=axes,
            stated_representation=first.representation if _same(tables, "representation") else "",
            stated_periods=first.periods if _same(tables, "periods") else (),
        )
    if order is None:
        return joined, 0
    return joined.take(order), int(epoch.size - order.size)


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
    """One axis over all records: fixed where every file has the same bins, else per record."""
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
        np.broadcast_to(each, (count, each.shape[-1])) for each, count in zip(bins, records, strict=True)
    ]
    return np.concatenate(whole)


def _same_bins(one: Axis, other: Axis) -> bool:
    pairs = ((one.centers, other.centers), (one.lower, other.lower), (one.upper, other.upper))
    return all(
        (a is None and b is None)
        or (a is not None and b is not None and np.array_equal(a, b, equal_nan=True))
        for a, b in pairs
    )
