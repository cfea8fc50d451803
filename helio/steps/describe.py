"""Descriptions and previews of tables, of limited size, for people and for language models."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import RequestError
from helio.knowledge.unit_spelling import pretty_unit
from helio.notebook import box, printed, table_of
from helio.steps.compute.columns import columns_of
from helio.steps.compute.stretches import GAP_FACTOR, JITTER, in_words
from helio.steps.render.gaps import gaps
from helio.store.leap_seconds import counted
from helio.store.table import Table

MOST_COMPONENTS = 12
MOST_ROWS, MOST_SPECTRA, MOST_COLUMNS = 50, 10, 12
Position = Literal["head", "tail", "both"]


@dataclass(frozen=True)
class Gap:
    """A gap in a table: a time step longer than 1.5 cadences, from the last record before it to the first after it."""

    start: str
    stop: str
    seconds: float


@dataclass(frozen=True)
class Values:
    """Statistics of the values of one component, or of all bins of a spectrum; None if there is no finite value.

    Parameters
    ----------
    name, unit : str
    missing : float
        Share of the records that have no value, 0 to 1.
    minimum, median, maximum : float or None
        Statistics of the finite values, to six digits.
    infinite : int
        Number of infinite values.
    """

    name: str
    unit: str
    missing: float
    minimum: float | None
    median: float | None
    maximum: float | None
    infinite: int = 0


@dataclass(frozen=True)
class BinSummary:
    """A summary of an axis of bins: their number, and the range of their centres over all records."""

    label: str
    unit: str
    bins: int
    low: float | None
    high: float | None
    changing: bool


@dataclass(frozen=True)
class Description:
    """A description of a table; its size is limited, however large the table is.

    Parameters
    ----------
    kind : "scalar", "vector" or "spectrum"
    rows : int
    start, stop : str
        Epochs of the first and the last record, ISO 8601; empty without any.
    cadence_s : float or None
        The median step in seconds.
    steps_s : (float, float) or None
        The shortest and the longest step that is no gap, in seconds.
    regular : bool
        Whether all steps but gaps are within a tenth of the cadence.
    gaps : int
        Number of gaps; `gap_s` is their total length in seconds, `longest_gap` the longest gap.
    representation, periods
        As in `Table`: the relation of the components to each other, and the period of angles that wrap.
    values : tuple of Values
        Summaries of at most 12 components; `components` is the number of all components.
    """

    label: str
    name: str
    description: str
    kind: Literal["scalar", "vector", "spectrum"]
    unit: str
    frame: str
    representation: str
    periods: tuple[float | None, ...]
    components: int
    rows: int
    start: str
    stop: str
    cadence_s: float | None
    steps_s: tuple[float, float] | None
    regular: bool
    gaps: int
    gap_s: float
    longest_gap: Gap | None
    values: tuple[Values, ...]
    axes: tuple[BinSummary, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(description_lines(self))

    def __repr__(self) -> str:
        return f"<Description {self.label!r}: {number_of(self.rows, 'record')}>"

    def _repr_html_(self) -> str:
        title, *facts = description_lines(self)
        return box(title, printed(facts))

    def to_json(self) -> dict[str, Any]:
        """Return all facts of the description as JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Preview:
    """The first or the last records of a table, or both, with values to six digits.

    Parameters
    ----------
    columns : tuple of str
        Components, or centres of bins; at most 12, and `more_columns` is the number of the others.
    rows : tuple of (epoch, values)
        ISO 8601, and a number or None for each column, to six digits.
    of : int
        Number of records of the table.
    """

    label: str
    unit: str
    columns: tuple[str, ...]
    more_columns: int
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]
    of: int

    def __repr__(self) -> str:
        return f"<Preview {self.label!r}: {len(self.rows)} of {number_of(self.of, 'record')}>"

    def _repr_html_(self) -> str:
        others = f" (and {self.more_columns} more)" if self.more_columns else ""
        return box(
            f"{self.label} in {self.unit or 'no unit'}{others}",
            table_of(["epoch", *self.columns], ((epoch, *values) for epoch, values in self.rows)),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the records and their columns as JSON."""
        return {
            "label": self.label,
            "unit": self.unit,
            "of": self.of,
            "more_columns": self.more_columns,
            "columns": list(self.columns),
            "rows": [{"epoch": epoch, "values": list(values)} for epoch, values in self.rows],
        }


def describe(table: Table, label: str = "") -> Description:
    """Describe a table: time range, cadence, gaps, and the missing share, minimum, median and maximum per component.

    A gap is a step between records above 1.5 times the local cadence. Missing values within records count in
    `Values.missing`.
    """
    steps = np.diff(counted(table.epoch))
    broken = gaps(table.epoch, GAP_FACTOR)[1:]
    inside, holes = steps[~broken], steps[broken]
    cadence = float(np.median(inside)) if inside.size else None
    longest = None
    if holes.size:
        index = int(np.flatnonzero(broken)[np.argmax(holes)])
        longest = Gap(_iso(table.epoch[index]), _iso(table.epoch[index + 1]), float(holes.max()) / 1e9)
    return Description(
        label=label or table.name,
        name=table.name,
        description=table.description,
        kind=table.kind,
        unit=table.unit,
        frame=table.frame,
        representation=table.representation,
        periods=table.periods,
        components=len(table.components) or 1,
        rows=len(table),
        start=_iso(table.epoch[0]) if len(table) else "",
        stop=_iso(table.epoch[-1]) if len(table) else "",
        cadence_s=None if cadence is None else cadence / 1e9,
        steps_s=(float(inside.min()) / 1e9, float(inside.max()) / 1e9) if inside.size else None,
        regular=cadence is not None and bool((np.abs(inside - cadence) <= JITTER * cadence).all()),
        gaps=int(holes.size),
        gap_s=float(holes.sum()) / 1e9,
        longest_gap=longest,
        values=tuple(_values(table)),
        axes=tuple(
            BinSummary(
                axis.label,
                axis.unit,
                axis.bins,
                _rounded(np.nanmin(axis.centers)) if np.isfinite(axis.centers).any() else None,
                _rounded(np.nanmax(axis.centers)) if np.isfinite(axis.centers).any() else None,
                axis.per_record,
            )
            for axis in table.axes
        ),
        notes=table.notes,
    )


def preview(
    table: Table, label: str = "", *, rows: int | None = None, position: Position = "head"
) -> Preview:
    """Show the first or the last records of a table, or both.

    Parameters
    ----------
    table : Table
    label : str
    rows : int, optional
        At each end: 5 when left out, at most 50; of a spectrum 3, at most 10.
    position : "head", "tail" or "both"

    Raises
    ------
    RequestError
        For more rows than allowed, or fewer than one.
    """
    usual, most = (3, MOST_SPECTRA) if table.kind == "spectrum" else (5, MOST_ROWS)
    count = usual if rows is None else rows
    if not 1 <= count <= most:
        raise RequestError(
            f"helio can show 1 to {most} rows, not {count}",
            advice="choose fewer rows, or write all rows to a file with save_data",
        )
    every = np.arange(len(table))
    chosen = {
        "head": every[:count],
        "tail": every[max(0, len(table) - count) :],
        "both": np.union1d(every[:count], every[max(0, len(table) - count) :]),
    }[position]
    names = table.columns()
    flat = columns_of(table.values[chosen])[:, :MOST_COLUMNS]
    return Preview(
        label=label or table.name,
        unit=table.unit,
        columns=tuple(names[:MOST_COLUMNS]),
        more_columns=max(0, len(names) - MOST_COLUMNS),
        rows=tuple(
            (_iso(epoch), tuple(map(_rounded, values)))
            for epoch, values in zip(table.epoch[chosen], flat.tolist(), strict=True)
        ),
        of=len(table),
    )


def description_lines(description: Description) -> list[str]:
    """Write a description of a table as lines of text for people."""
    lines = [f"{description.label}: {description.description or description.name or description.kind}"]

    def fact(name: str, text: str) -> None:
        lines.append(f"  {name:<9} {text}")

    what = {
        "scalar": "one series",
        "vector": number_of(description.components, "component"),
        "spectrum": "a spectrum",
    }[description.kind]
    facts = [what, pretty_unit(description.unit) if description.unit else "no unit", description.frame]
    facts += [description.representation] if description.components in (3, 4) else []
    facts += ["wraps"] if any(description.periods) else []
    fact("values", ", ".join(filter(None, facts)))
    if not description.rows:
        fact("records", "none")
        return lines
    fact("records", f"{description.rows:,}, {_plain(description.start)} to {_plain(description.stop)} UTC")
    if description.cadence_s is not None and description.steps_s is not None:
        shortest, longest = (in_words(step * 1e9) for step in description.steps_s)
        steps = "" if description.regular else f", irregular: steps of {shortest} to {longest}"
        fact("cadence", f"{in_words(description.cadence_s * 1e9)}{steps}")
    if description.longest_gap is not None:
        hole = description.longest_gap
        fact(
            "gaps",
            f"{description.gaps:,}, {in_words(description.gap_s * 1e9)} together; "
            f"the longest {in_words(hole.seconds * 1e9)}, {_plain(hole.start)} to {_plain(hole.stop)}",
        )
    else:
        fact("gaps", "none")
    for axis in description.axes:
        changing = ", changing" if axis.changing else ""
        unit = f" {pretty_unit(axis.unit)}" if axis.unit else ""
        fact(
            "axis",
            f"{axis.label or 'bins'}: {number_of(axis.bins, 'bin')}, {_number(axis.low)} to "
            f"{_number(axis.high)}{unit}{changing}",
        )
    width = max(8, *(len(column.name) for column in description.values)) + 2
    lines.append(f"  {'':<{width}}{'missing':>9}{'least':>13}{'median':>13}{'greatest':>13}")
    for column in description.values:
        numbers = "".join(
            f"{_number(value):>13}" for value in (column.minimum, column.median, column.maximum)
        )
        lines.append(f"  {column.name:<{width}}{_percent(column.missing):>9}{numbers}")
    lines += [
        f"  note: infinite values of {column.name}: {column.infinite:,}"
        for column in description.values
        if column.infinite
    ]
    if description.kind == "vector" and description.components > len(description.values):
        lines.append(f"  and {description.components - len(description.values)} more components")
    lines += [f"  note: {note}" for note in description.notes]
    return lines


def preview_lines(shown: Preview) -> list[str]:
    """Write a preview of a table as lines of text for people, one line for each record."""
    unit = f" [{pretty_unit(shown.unit)}]" if shown.unit else ""
    heads = list(shown.columns)
    widths = [max(len(head), 12) + 2 for head in heads]
    stamp = max([len(epoch) for epoch, _ in shown.rows], default=0)
    lines = [f"{shown.label}{unit}, {len(shown.rows)} of {number_of(shown.of, 'record')}"]
    lines.append(" " * stamp + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True)))
    lines += [
        epoch.ljust(stamp)
        + "".join(f"{_number(value):>{width}}" for value, width in zip(values, widths, strict=True))
        for epoch, values in shown.rows
    ]
    if shown.more_columns:
        lines.append(f"and {shown.more_columns:,} more columns")
    return lines


def _values(table: Table) -> list[Values]:
    flat = columns_of(table.values)
    if table.kind == "spectrum":
        return [_of_column("all bins", table.unit, flat.reshape(-1))]
    names = table.components or (table.name or "value",)
    return [
        _of_column(name, table.unit, flat[:, column]) for column, name in enumerate(names[:MOST_COMPONENTS])
    ]


def _of_column(name: str, unit: str, column: npt.NDArray[np.float64]) -> Values:
    known = column[~np.isnan(column)]
    if not known.size:
        return Values(name, unit, 1.0 if column.size else 0.0, None, None, None)
    share = float(f"{1 - known.size / column.size:.6g}")
    finite = known[np.isfinite(known)]
    infinite = known.size - finite.size
    if not finite.size:
        return Values(name, unit, share, None, None, None, infinite)
    least, middle, greatest = finite.min(), np.median(finite), finite.max()
    return Values(name, unit, share, _rounded(least), _rounded(middle), _rounded(greatest), infinite)


def _rounded(value: Any) -> float | None:
    """Round to six digits; return None for NaN and infinite numbers, which JSON cannot hold."""
    number = float(value)
    return float(f"{number:.6g}") if math.isfinite(number) else None


def _iso(epoch: np.datetime64) -> str:
    """Write an epoch without unnecessary zeros: ``2024-05-10T00:00:16Z``, ``2024-05-10T00:00:00.092Z``."""
    seconds, _, rest = str(np.datetime_as_string(epoch, unit="ns")).partition(".")
    while rest.endswith("000"):
        rest = rest[:-3]
    return f"{seconds}.{rest}Z" if rest else f"{seconds}Z"


def _plain(epoch: str) -> str:
    return epoch.removesuffix("Z").replace("T", " ")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _percent(share: float) -> str:
    return "none" if share == 0 else "all" if share == 1 else f"{100 * share:.3g} %"
