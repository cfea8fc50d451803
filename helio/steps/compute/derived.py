"""A result table that is computed record by record from several input tables."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from helio.steps.quantity import same_clock
from helio.store.table import Scale, Table, merge_sources


def derived(
    inputs: tuple[Table, ...],
    values: npt.NDArray[np.float64],
    *,
    unit: str,
    name: str,
    description: str,
    components: tuple[str, ...] = (),
    frame: str = "",
    period: float | None = None,
    scale: Scale = "linear",
) -> Table:
    """Make a result table with the epochs, the sources and the notes of the input tables."""
    return Table(
        epoch=inputs[0].epoch,
        values=values,
        unit=unit,
        name=name,
        frame=frame,
        components=components,
        stated_periods=None if period is None else (period,),
        scale=scale,
        description=description,
        sources=merge_sources(inputs),
        notes=tuple(dict.fromkeys(note for table in inputs for note in table.notes)),
    )


def on_one_clock(*tables: Table | None) -> tuple[Table, ...]:
    """Check that the given tables have the same epochs, and return them.

    Raises
    ------
    ClockMismatch
        When their epochs differ; use the tool align first.
    """
    given = tuple(table for table in tables if table is not None)
    for other in given[1:]:
        same_clock(given[0], other)
    return given
