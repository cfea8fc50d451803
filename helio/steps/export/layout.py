"""Arrange tables as the variables of one file; tables with equal epochs or equal bins share variables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from helio.errors import StepError
from helio.sources.written import as_text, facts_of
from helio.steps.export.names import Names, plain_name
from helio.store.representation import declaring_words
from helio.store.table import Axis, Epochs, Table

EDGES = ("bounds", "delta_minus", "delta_plus")


@dataclass(frozen=True, eq=False)
class PlacedClock:
    """The epochs that one table or several tables have, and the variable that holds these epochs."""

    name: str
    epoch: Epochs


@dataclass(frozen=True, eq=False)
class PlacedAxis:
    """An axis of bins, and the names of the file's variables that hold its parts."""

    axis: Axis
    parts: dict[str, str]
    """Names of the variables that hold the arrays of the axis: ``centers``, ``lower``, ``upper``."""
    edges: dict[str, str]
    """Names of variables for the edges of the bins, if any: ``bounds``, ``delta_minus``, ``delta_plus``."""
    clock: PlacedClock | None
    """The epochs of bins that change from record to record; None for fixed bins."""

    @property
    def name(self) -> str:
        """Name of the variable that holds the centres of the bins."""
        return self.parts["centers"]


@dataclass(frozen=True, eq=False)
class PlacedTable:
    """A table, and the names of the file's variables that hold its parts."""

    name: str
    table: Table
    clock: PlacedClock
    axes: tuple[PlacedAxis, ...]
    labels: str
    """Name of the variable that holds the names of the components; empty for a table without components."""
    facts: str
    """Metadata of the table as JSON, from which helio restores the same table when it reads the file."""
    directions: str = ""
    """Name of the variable that describes the components, such as x, y, z; empty for a table without components."""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class FileLayout:
    """The complete contents of a file: its tables, axes and epochs, and the names of their variables."""

    clocks: tuple[PlacedClock, ...]
    axes: tuple[PlacedAxis, ...]
    """The axes of all tables; an axis that several tables share is listed once."""
    tables: tuple[PlacedTable, ...]


def lay_out(tables: Mapping[str, Table], clock: str) -> FileLayout:
    """Arrange tables as the variables of one file.

    Parameters
    ----------
    tables : mapping of str to Table
        Tables by the name of their variable.
    clock : str
        Name of the variable of the first set of epochs.

    Raises
    ------
    StepError
        A table is a spectrum without any bin.
    """
    names = Names(tables)
    clocks: dict[bytes, PlacedClock] = {}
    axes: dict[str, PlacedAxis] = {}
    placed = []
    for name, table in tables.items():
        if not all(table.values.shape[1:]):
            raise StepError(f"'{name}' has no bins, so there is nothing to write", advice="leave it out")
        key = hashlib.sha256(table.epoch.tobytes()).digest()
        if key not in clocks:
            clocks[key] = PlacedClock(names.take(clock), table.epoch)
        mine = []
        for axis in table.axes:
            same = _identity(axis, key)
            if same not in axes:
                axes[same] = _place(name, axis, clocks[key], names)
            mine.append(axes[same])
        labels = names.take(f"{name}_labels") if table.components else ""
        words = declaring_words(table.components, table.representation)
        directions = names.take(f"{name}_representation") if words else ""
        facts = _facts(name, table, mine)
        placed.append(PlacedTable(name, table, clocks[key], tuple(mine), labels, facts, directions, words))
    return FileLayout(tuple(clocks.values()), tuple(axes.values()), tuple(placed))


def _place(name: str, axis: Axis, clock: PlacedClock, names: Names) -> PlacedAxis:
    stem = names.take(f"{name}_{plain_name(axis.label or 'bin')}")
    parts = {part: stem if part == "centers" else names.take(f"{stem}_{part}") for part in axis.parts}
    both = axis.lower is not None and axis.upper is not None
    edges = {what: names.take(f"{stem}_{what}") for what in EDGES} if both else {}
    return PlacedAxis(axis, parts, edges, clock if axis.per_record else None)


def _identity(axis: Axis, clock: bytes) -> str:
    """Return a text that is equal for axes that can share a variable: same bins, and same epochs if the bins change."""
    digest = hashlib.sha256(repr((axis.label, axis.unit, axis.scale)).encode("utf-8", "backslashreplace"))
    digest.update(clock if axis.per_record else b"fixed")
    for part, array in axis.parts.items():
        digest.update(f"{part} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _facts(name: str, table: Table, axes: list[PlacedAxis]) -> str:
    places = {"values": {"variable": name}}
    for number, axis in enumerate(axes):
        places |= {f"axis {number} {part}": {"variable": where} for part, where in axis.parts.items()}
    return as_text(facts_of(name, table, lambda part, _: places[part]))
