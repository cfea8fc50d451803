"""How much of the data a figure shows: coverage of each label, and what is drawn and left out of each trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from helio.steps.render.gaps import coverage, usable_records
from helio.steps.render.lines import Line
from helio.store.expected_records import share_of_expected
from helio.store.table import Table

_OPTIONAL = ("clipped", "not_above_zero", "empty")
"""Facts that the JSON leaves out if they are zero or empty."""


@dataclass(frozen=True)
class LabelQuality:
    """The records of a label in the time range of the figure.

    Parameters
    ----------
    coverage : float or None
        Fraction of the time range that records with a value cover; if the cadence of the source implies more records
        than the table has, at most their fraction. None in a panel without a time axis.
    records : int
        Number of records in the time range.
    valid, expected : int or None
        Number of records with a value in the fetched time range, and the number that the cadence of the source
        implies; None if no record, or hardly any, is missing.
    empty : str
        Why the label has no value; empty if it has one.
    """

    label: str
    coverage: float | None
    records: int
    valid: int | None = None
    expected: int | None = None
    empty: str = ""


@dataclass(frozen=True)
class TraceQuality:
    """The values of a line, a heat map or a cloud of points in the time range of the figure.

    Parameters
    ----------
    values, missing : int
        Number of values, and of records or bins without a value.
    drawn : int
        Number of values that have a point or a cell of their own; the others are as good as hidden by these.
    clipped : int
        Number of values beyond the limits that the figure's spec sets for axes and colours.
    not_above_zero : int
        Number of values that a logarithmic axis cannot show.
    empty : str
        Why there is no value; empty if there is one.
    """

    label: str
    name: str
    values: int
    missing: int
    drawn: int
    clipped: int = 0
    not_above_zero: int = 0
    empty: str = ""

    @property
    def shown(self) -> int:
        """The number of values that the scale of the axis can show."""
        return self.values - self.not_above_zero


def label_qualities(
    tables: Mapping[str, Table],
    absent: Mapping[str, str],
    start: np.datetime64,
    stop: np.datetime64,
    gap_factor: float,
    *,
    over_time: bool,
) -> list[LabelQuality]:
    """Return the coverage of each label of a panel.

    Parameters
    ----------
    tables : mapping of Table
        The tables within the time range, by label.
    absent : mapping of str
        Why labels have no value, by label.
    """
    qualities = []
    for label, table in tables.items():
        valid, expected = share_of_expected(table.notes) or (None, None)
        share = None
        if over_time:
            share = coverage(table.epoch, usable_records(table.values), start, stop, gap_factor)
            if valid is not None and expected is not None:
                share = min(share, valid / expected)
        qualities.append(LabelQuality(label, share, len(table), valid, expected, absent.get(label, "")))
    return qualities


def line_quality(
    line: Line, *, log: bool, limits: tuple[float, float] | None, empty: str = ""
) -> TraceQuality:
    """Return the quality of a line of which all values are drawn.

    Parameters
    ----------
    log : bool
        Whether the y axis is logarithmic.
    limits : two floats, optional
        Limits of the y axis; None if they follow the values.
    """
    finite = int(np.count_nonzero(np.isfinite(line.values)))
    lost = int((line.values <= 0).sum()) if log else 0
    clipped = 0
    if limits is not None:
        # values not above 0 on a logarithmic axis are counted apart
        shown = line.values > 0 if log else np.isfinite(line.values)
        clipped = int((shown & ((line.values < limits[0]) | (line.values > limits[1]))).sum())
    missing = line.values.size - finite
    return TraceQuality(line.label, line.name, finite, missing, finite - lost, clipped, lost, empty)


def as_json(
    number: int, kind: str, labels: Sequence[LabelQuality], traces: Sequence[TraceQuality], empty: str
) -> dict[str, Any]:
    """Return the quality of a panel as JSON; facts that are empty, zero or unknown are left out of its traces."""
    return {
        "panel": number,
        "kind": kind,
        **({"empty": empty} if empty else {}),
        "labels": [_filled(asdict(label)) for label in labels],
        "traces": [_filled(asdict(trace)) for trace in traces],
    }


def _filled(facts: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: value for name, value in facts.items() if value or (name not in _OPTIONAL and value is not None)
    }
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in kept.items()}
