"""Lay out tables with the same epochs as columns of numbers, with their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.written import as_numbers, facts_of
from helio.steps.export.names import one_line
from helio.store.table import Axis, Epochs, Floats, Table, merge_sources


@dataclass(frozen=True)
class Column:
    """A column of numbers and its title."""

    title: str
    unit: str
    values: Floats


@dataclass(frozen=True)
class FlatTable:
    """The columns that hold several tables, and the metadata of these tables.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        Epochs of all columns.
    facts : list of dict
        Metadata of each table, from which a reader restores the table.
    sources : list of dict
        Source files of the tables, without empty facts.
    """

    epoch: Epochs
    columns: list[Column]
    facts: list[dict[str, Any]]
    sources: list[dict[str, Any]]


def lay_flat(tables: Mapping[str, Table]) -> FlatTable:
    """Lay tables out as columns with unique titles: first the values, then bins that change from record to record.

    Raises
    ------
    StepError
        The tables have different epochs.
    """
    first, *others = tables.values()
    if any(not np.array_equal(first.epoch, other.epoch) for other in others):
        raise StepError(
            f"{', '.join(tables)} have different epochs, but each row of this format has one epoch",
            advice='align or resample them first, or set format: "cdf" or "netcdf"',
        )
    columns: list[Column] = []
    taken = {"epoch"}
    facts = []
    for parameter, table in tables.items():
        places: dict[str, dict[str, Any]] = {}
        names, unit = table.columns(), canonical_unit(table.unit)
        if len(tables) > 1 and not table.components:
            # bins and nameless scalars of several tables are distinguished by their names
            names = [f"{parameter} {name}" for name in names] if table.axes else [parameter]
        flat = table.values.reshape(len(table), len(names))
        made = [Column(_free(name, unit, taken), unit, flat[:, index]) for index, name in enumerate(names)]
        places["values"] = {"columns": [column.title for column in made]}
        columns += made
        for number, axis in enumerate(table.axes):
            for part, bins in axis.parts.items():
                key = f"axis {number} {part}"
                if not axis.per_record:
                    places[key] = {"values": as_numbers(bins)}
                    continue
                moving = list(_moving(axis, part, bins, taken))
                places[key] = {"columns": [column.title for column in moving]}
                columns += moving
        facts.append(_facts(parameter, table, places))
    every = merge_sources(tables)
    cited = [{name: fact for name, fact in source.cited().items() if fact} for source in every]
    return FlatTable(first.epoch, columns, facts, cited)


def _facts(parameter: str, table: Table, places: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    return facts_of(parameter, table, lambda name, _: places[name])


_WORDS = {"centers": "center", "lower": "lower", "upper": "upper"}


def _moving(axis: Axis, part: str, bins: npt.NDArray[Any], taken: set[str]) -> list[Column]:
    unit = canonical_unit(axis.unit)
    return [
        Column(_free(f"{axis.label or 'bin'} {j + 1} {_WORDS[part]}", unit, taken), unit, bins[:, j])
        for j in range(axis.bins)
    ]


def _free(name: str, unit: str, taken: set[str]) -> str:
    """Return a title that no other column has, with a number if necessary."""
    name = one_line(name) or "column"
    free, again = _title(name, unit), 1
    while free in taken:
        again += 1
        free = _title(f"{name} ({again})", unit)
    taken.add(free)
    return free


def _title(name: str, unit: str) -> str:
    # Readers take `#` for the start of a comment wherever it stands: `pandas.read_csv(…, comment="#")`.
    return (f"{name} [{one_line(unit)}]" if unit else name).replace("#", "no.")
