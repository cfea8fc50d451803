"""Shaded intervals of events, such as storms and flares, from tables of events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.steps.compute.solar_flares import flare_class
from helio.steps.render.colours import check_colour
from helio.steps.render.gaps import gaps, record_edges
from helio.steps.render.refusals import (
    SECONDS,
    not_events,
    not_intervals,
    refuse,
    refuse_unknown_label,
    unfit_for_events,
    wrong_events,
)
from helio.steps.render.scales import SCALES
from helio.steps.render.spec import Events, FigureSpec
from helio.store.no_values import NOTHING_FOUND, why_no_values
from helio.store.table import Table

Moments = npt.NDArray[np.int64]

MOST = 500
"""The largest number of intervals of one entry: more are a grey figure."""
MOST_NAMED = 12
"""The largest number of intervals of one entry with a name; the strongest or longest have theirs."""
_COLOURS = ("#e69f00", "#56b4e9", "#009e73", "#cc79a7", "#f0e442", "#0072b2", "#d55e00")
_BELOW = "#999999"
"""Colour of an event below the weakest level."""
_ALONE = 60 * 10**9
"""Length in ns of a single record, whose cadence is unknown."""


@dataclass(frozen=True)
class Interval:
    """The interval of an event in the time range of a figure: its ends in ns, its look and its name."""

    first: int
    last: int
    name: str
    colour: str
    opacity: float
    strength: float
    """What decides which intervals have their name: the distance from zero of a value, or the length."""


def event_labels(spec: FigureSpec) -> list[str]:
    """Return the labels of all tables of events."""
    return [label for entry in spec.get("events", []) for label in _labels_of(entry)]


def event_intervals(
    spec: FigureSpec, tables: Mapping[str, Table], start: np.datetime64, stop: np.datetime64
) -> tuple[list[Interval], list[str]]:
    """Return the intervals that a figure shades from tables of events, and remarks for the reviewer.

    Raises
    ------
    StepError
        A label has no table, the table has no intervals, or the levels do not fit the values.
    """
    intervals: list[Interval] = []
    notes: list[str] = []
    for entry_number, entry in enumerate(spec.get("events", []), 1):
        where = f"events: entry {entry_number}"
        for label in _labels_of(entry):
            refuse_unknown_label(label, tables, where)
        table = tables[entry["of"]]
        reasons = filter(None, (why_no_values(tables[label].notes) for label in _labels_of(entry)))
        missing = next(reasons, "")
        if missing and not missing.startswith(NOTHING_FOUND):
            notes.append(f"{where}: nothing is shaded: {missing}")
            continue
        shaded, remark = _intervals(entry, table, tables, where)
        first, last = (int(end.astype("datetime64[ns]").astype("i8")) for end in (start, stop))
        inside = [
            replace(interval, first=max(interval.first, first), last=min(interval.last, last))
            for interval in shaded
            if interval.first < last and interval.last > first
        ]
        notes.append(f"{where}: {number_of(len(inside), 'interval')} of {entry['of']} shaded{remark}")
        if len(inside) > MOST:
            raise StepError(
                f"{where}: '{entry['of']}' has {len(inside):,} intervals in the time range, more than {MOST}",
                advice="choose a higher threshold for the events, or a shorter time range",
            )
        if sum(bool(interval.name) for interval in inside) > MOST_NAMED:
            notes.append(f"{where}: only the {MOST_NAMED} strongest intervals have their name")
            named = sorted(inside, key=lambda interval: (-interval.strength, interval.first))[:MOST_NAMED]
            inside = [interval if interval in named else replace(interval, name="") for interval in inside]
        intervals += inside
    return intervals, notes


def _labels_of(entry: Events) -> list[str]:
    return [entry[key] for key in ("of", "by") if key in entry]


def _intervals(
    entry: Events, table: Table, tables: Mapping[str, Table], where: str
) -> tuple[list[Interval], str]:
    """Return the intervals of an entry, and what to add to the remark on them."""
    opacity = float(entry.get("opacity", 0.25))
    if not 0 <= opacity <= 1:
        raise StepError(f"{where}: opacity {opacity:g} is not allowed", advice="choose a number from 0 to 1")
    colour = check_colour(entry.get("color", "lightskyblue"), where)
    refuse(wrong_events(entry) or unfit_for_events(entry, {table.kind}, table.unit), where)
    if table.kind == "scalar" and table.unit not in SECONDS:
        return list(_runs(entry, table, opacity, where)), ""
    if "names" in entry:
        raise StepError(
            f"{where}: names are for the values of a series without a unit, but '{entry['of']}' has durations",
            advice="write label for one name for all intervals, or by and levels",
        )
    first, last, unknown = _ends(table, entry["of"], where)
    names, colours, strengths = _names(entry, table, tables, last - first, colour, where)
    intervals = [
        Interval(int(begin), int(end), name, shade, opacity, strength)
        for begin, end, name, shade, strength in zip(first, last, names, colours, strengths, strict=True)
        if begin < end
    ]
    return intervals, f"; of {unknown} one end is not known" if unknown else ""


def _ends(table: Table, label: str, where: str) -> tuple[Moments, Moments, int]:
    """Return the starts and the ends of events in ns, and the number of those with an unknown end.

    An unknown part of an event has no length.
    """
    columns = table.values.reshape(len(table), -1 if len(table) else max(1, len(table.components)))
    if columns.shape[1] > 2:
        refuse(not_intervals(label), where)
    lengths = columns.astype(np.float64) * SECONDS[table.unit] * 1e9
    unknown = int((~np.isfinite(lengths)).any(axis=1).sum())
    lengths = np.where(np.isfinite(lengths), lengths, 0.0)
    if (lengths < 0).any():
        raise StepError(f"{where}: '{label}' has a duration below 0", advice="look at the table first")
    epoch = table.epoch.astype("i8")
    before = lengths[:, 0] if lengths.shape[1] == 2 else np.zeros(len(table))
    return epoch - before.astype(np.int64), epoch + lengths[:, -1].astype(np.int64), unknown


def _names(
    entry: Events, table: Table, tables: Mapping[str, Table], lengths: Moments, colour: str, where: str
) -> tuple[list[str], list[str], list[float]]:
    """Return the name, the colour and the strength of each event."""
    name = entry.get("label", "")
    if "by" not in entry or "levels" not in entry:
        return [name] * len(table), [colour] * len(table), lengths.astype(float).tolist()
    by, scale = tables[entry["by"]], SCALES[entry["levels"]]
    scale.check(entry["by"], by, where)
    if by.kind != "scalar" or by.epoch.tolist() != table.epoch.tolist():
        raise StepError(
            f"{where}: '{entry['by']}' does not have one value for each event of '{entry['of']}'",
            advice="make both tables with the same tool and arguments, except for give",
        )
    names, colours = [], []
    for value in by.values.tolist():
        level = scale.level_of(value)
        words = "" if level is None else scale.names[level]
        if words and entry["levels"] == "flares":
            words = flare_class(value)
        names.append(f"{words} {name}".strip())
        colours.append(_BELOW if level is None else entry.get("color", scale.colours[level]))
    return names, colours, np.abs(by.values.astype(np.float64)).tolist()


def _runs(entry: Events, table: Table, opacity: float, where: str) -> Iterator[Interval]:
    """Yield the intervals in which a series of whole numbers has one value; 0 is no event."""
    finite = table.values[np.isfinite(table.values)]
    if (finite != np.round(finite)).any():
        refuse(not_events(entry["of"], "that are not whole numbers"), where)
    names = entry.get("names", {})
    wrong = next((value for value in names if not value.removeprefix("-").isdecimal()), None)
    if wrong is not None:
        raise StepError(
            f"{where}: '{wrong}' in names is not a whole number",
            advice='name values by their numbers: {"1": "main phase", "2": "recovery"}',
        )
    shown = [int(value) for value in names] or [int(value) for value in np.unique(finite) if value != 0]
    known = np.isfinite(table.values)
    if not known.any():
        return
    _, right = record_edges(table.epoch, gaps(table.epoch, 1.5), _ALONE)
    centre = table.epoch.astype("i8")
    starts, ends = centre[known], (centre + 2 * (right - centre))[known]
    values = table.values[known]
    begins = np.flatnonzero(np.append(True, (np.diff(values) != 0) | (starts[1:] > ends[:-1])))
    for begin, final in zip(begins, np.append(begins[1:], values.size) - 1, strict=True):
        value = int(values[begin])
        if value not in shown:
            continue
        chosen = entry.get("color", _COLOURS[shown.index(value) % len(_COLOURS)])
        yield Interval(
            int(starts[begin]),
            int(ends[final]),
            names.get(str(value), entry.get("label", "")),
            check_colour(chosen, where),
            opacity,
            float(ends[final] - starts[begin]),
        )
