"""Curves of a spectrum panel: a line for each record, or the median of many records with a band between quartiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import StepError
from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.render import colours
from helio.steps.render.downsample import isolated, thin_curve
from helio.steps.render.encode import numbers
from helio.steps.render.gaps import usable_records
from helio.steps.render.lines import Line, Points, line_style, points, styled, typical
from helio.steps.render.refine_points import FullPoints
from helio.steps.render.spec import FigureSpec
from helio.steps.render.spectrum_grid import middles, on_common_bins
from helio.steps.render.time_axis import clock_names
from helio.steps.render.wording import inert
from helio.store.table import Axis, Table

Reals = npt.NDArray[np.float64]

MOST = 8
"""Up to this many records are drawn as a line each; more records are drawn as their median and quartiles."""

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_OPACITY = 0.25


@dataclass(frozen=True, eq=False)
class Curve(Line):
    """A curve of values over the bins of a spectrum, before it is drawn."""

    places: Reals = field(kw_only=True)
    """Centres of the bins in increasing order, one for each value."""
    quartiles: tuple[Reals, Reals] | None = None
    """Lower and upper quartile of each bin, if the values are medians."""
    band: str = ""
    """Name of the band between the quartiles, for the legend."""

    @property
    def shown(self) -> tuple[npt.NDArray[Any], ...]:
        """All arrays of values that must fit on the y axis."""
        return (self.values, *(self.quartiles or ()))

    @property
    def entries(self) -> list[tuple[str, str]]:
        """Names and colours for the legend: those of the band, if the curve has a band, and of the line."""
        return [(self.band, self.colour)] * (self.quartiles is not None) + super().entries


def panel_curves(
    number: int,
    tables: Mapping[str, Table],
    spec: FigureSpec,
    foreground: str,
    scale: list[list[float | str]],
    *,
    log_x: bool,
    limits: tuple[float, float] | None,
    events: bool = False,
) -> list[Curve]:
    """Return the curves of a spectrum panel, with their names and colours.

    Records without any value are left out. Up to eight records are drawn separately, each over its own bins. With
    more records, bins that move by less than half their distance are treated as equal, at their median position;
    other bins are combined on the union of their edges, as in a spectrogram. Nothing is interpolated.

    Parameters
    ----------
    number : int
        Number of the panel, for messages.
    tables : mapping of Table
        Tables of the panel, by label.
    log_x : bool
        Whether the axis of the bins is logarithmic; bins at or below zero are then left out.
    limits : two floats, optional
        The part of the axis that is shown; the nearest bin beyond either end is kept, so that lines reach the frame.
    events : bool
        Whether the records are events, which are drawn as their median and quartiles even if there are only two.
    """
    usable = {label: table.take(usable_records(table.values)) for label, table in tables.items()}
    many = sum(map(len, usable.values())) > (1 if events else MOST)
    names = _table_names(usable)
    shades = colours.qualitative(len(usable), spec.get("palette", "tplot"), foreground)
    curves: list[Curve] = []
    for (label, table), colour in zip(usable.items(), shades, strict=True):
        whole = Line(label, "", table, table.values, inert(names[label]), colour)
        named = styled(whole, spec, foreground)
        prefix = f"{named.name} " if len(usable) > 1 or named.name != whole.name else ""
        if len(table) == 1:
            group = [_record(named, table, 0)]
        elif many:
            middle = _median(named, table, log_x, spec)
            of = _events_in_words(table) if events else f"{len(table):,}"
            group = [replace(middle, name=f"{prefix}median of {of}", band=f"{prefix}quartiles")]
        else:
            group = _records(
                named, table, prefix, scale, by_colour=len(usable) == 1 and named.colour == colour
            )
        curves += [_within(curve, log_x, limits, number) for curve in group]
    return curves


def curve_traces(
    curve: Curve,
    *,
    uid: str,
    x_axis: str,
    axis: str,
    pixels: int,
    spec: FigureSpec,
    log_x: bool,
    log_y: bool,
    legend: str | None,
) -> tuple[list[dict[str, Any]], Points, list[FullPoints]]:
    """Return the plotly traces of a curve: the band between quartiles, the line, and markers for isolated values.

    Return the number of drawn and of all points as well, and the complete curve and band if points are left out.
    """
    values = curve.values.astype(np.float64, copy=False)
    if log_y:
        values = np.where(values > 0, values, np.nan)
    places, y = thin_curve(curve.places, values, log=log_x, pixels=pixels)
    style = line_style(curve, spec)
    mode, width = style.get("mode", "lines"), float(style.get("width", curve.width))
    unit, bins = pretty_unit(curve.table.unit), curve.table.axes[0]
    common: dict[str, Any] = {"type": "scatter", "xaxis": x_axis, "yaxis": axis}
    shown: dict[str, Any] = {"showlegend": legend is not None, "legendgroup": uid}
    if legend is not None:
        shown["legend"] = legend
    where = f"{inert(bins.label or 'bin')} %{{x:.4g}} {inert(bins.unit)}".strip()
    traces = []
    drawn, given = points(y, values)
    full = FullPoints(uid, curve.label, curve.places, values, drawn, given, log_x, log_y, shape="line")
    fulls = [full] if drawn < given else []
    if curve.quartiles is not None:
        outline = partial(_outline, curve, curve.quartiles, log_x=log_x, log_y=log_y)
        if fulls:
            whole_x, whole_y = outline(pixels=values.size)
            area = replace(full, uid=f"{uid}-band", x=whole_x, y=whole_y, drawn=0, given=0, shape="area")
            fulls.append(area)
        band_x, band_y = outline(pixels=pixels)
        traces.append(
            {
                **common,
                **shown,
                "name": curve.band,
                "uid": f"{uid}-band",
                "mode": "lines",
                "x": numbers(band_x),
                "y": numbers(band_y),
                "line": {"width": 0, "color": curve.colour, "simplify": False},
                "fill": "toself",
                "fillcolor": curve.colour,
                "opacity": _OPACITY,
                # Drawn below its line, and named below it.
                "legendrank": 1001,
                "hoverinfo": "skip",
            }
        )
    trace = {
        **common,
        **shown,
        "name": curve.name,
        "uid": uid,
        "mode": mode,
        "x": numbers(places),
        "y": numbers(y),
        "line": {
            "color": curve.colour,
            "width": width,
            "dash": style.get("dash", curve.dash),
            "simplify": False,
        },
        "connectgaps": False,
        "hovertemplate": f"{where}<br>%{{y:.5g}} {unit}".rstrip() + f"<extra>{curve.name}</extra>",
    }
    if "markers" in mode:
        trace["marker"] = {"color": curve.colour, "size": 2 + 2 * width}
    traces.append(trace)
    alone = isolated(y)
    if alone.any() and "markers" not in mode:
        traces.append(
            {
                **common,
                "name": curve.name,
                "uid": f"{uid}-alone",
                "mode": "markers",
                "x": numbers(places[alone]),
                "y": numbers(y[alone]),
                "marker": {"color": curve.colour, "size": round(2 + 1.3 * width, 1)},
                "hoverinfo": "skip",
                "legendgroup": uid,
                "showlegend": False,
            }
        )
    return traces, (drawn, given), fulls


def places_of(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return the centres of the lowest and of the highest bin that contain a value."""
    every = np.concatenate([curve.places[np.isfinite(curve.values)] for curve in curves])
    return (float(every.min()), float(every.max())) if every.size else (0.0, 0.0)


def _events_in_words(table: Table) -> str:
    """Write how many events have a value in a bin: ``12 events``, or ``9–12 events`` if bins differ."""
    counts = np.isfinite(table.values).sum(axis=0)
    low, high = int(counts.min()), int(counts.max())
    return number_of(high, "event") if low == high else f"{low:,}–{high:,} events"


def _table_names(tables: dict[str, Table]) -> dict[str, str]:
    bare = {label: table.name or label for label, table in tables.items()}
    return bare if len(set(bare.values())) == len(bare) else {label: label for label in tables}


def _record(line: Line, table: Table, number: int) -> Curve:
    centers = table.axes[0].centers
    places = np.asarray(centers[number] if table.axes[0].per_record else centers, dtype=np.float64)
    return Curve(line.label, "", table, table.values[number], line.name, line.colour, places=places)


def _records(
    line: Line, table: Table, prefix: str, scale: list[list[float | str]], *, by_colour: bool
) -> list[Curve]:
    """Make a curve for each record, named by the record's time; the curves differ in colour or in dashes."""
    shades = colours.sequence(len(table), scale) if by_colour else [line.colour] * len(table)
    return [
        replace(
            _record(line, table, number),
            name=prefix + name,
            colour=shades[number],
            dash="solid" if by_colour else _DASHES[number % len(_DASHES)],
        )
        for number, name in enumerate(clock_names(table.epoch))
    ]


def _median(line: Line, table: Table, log_x: bool, spec: FigureSpec) -> Curve:
    places, values = _common_bins(table, log_x, spec)
    three = np.full((3, places.size), np.nan)
    for number, column in enumerate(values.T):
        finite = column[np.isfinite(column)]
        if finite.size:
            three[:, number] = np.percentile(finite, (25, 50, 75))
    return Curve(
        line.label, "", table, three[1], line.name, line.colour, places=places, quartiles=(three[0], three[2])
    )


def _common_bins(table: Table, log_x: bool, spec: FigureSpec) -> tuple[Reals, npt.NDArray[Any]]:
    axis = table.axes[0]
    middle = typical(axis.centers)
    if not axis.per_record or _near(axis, middle, log_x):
        return middle, table.values
    edges, values = on_common_bins(table, rows=axis.bins, log=log_x)
    return middles(edges, log=log_x), values


def _near(axis: Axis, middle: Reals, log_x: bool) -> bool:
    """Return whether the centres of every record lie less than half a bin from the median centres of all records."""
    centers = np.asarray(axis.centers, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        places, records = (np.log(middle), np.log(centers)) if log_x else (middle, centers)
        places, records = (np.where(np.isfinite(values), values, np.nan) for values in (places, records))
        order = np.argsort(places)
        steps = np.diff(places[order])
        nearest = np.full(places.size, np.inf)
        nearest[order] = np.fmin(np.append(steps, np.nan), np.insert(steps, 0, np.nan))
        return not (np.abs(records - places) > 0.499 * nearest).any()


def _within(curve: Curve, log_x: bool, limits: tuple[float, float] | None, number: int) -> Curve:
    """Return a curve with its bins in increasing order, without bins of unknown position, cut to the visible part."""
    sound = np.flatnonzero(np.isfinite(curve.places) & ((curve.places > 0) | (not log_x)))
    order = sound[np.argsort(curve.places[sound], kind="stable")]
    places = curve.places[order]
    if not places.size:
        raise StepError(
            f"panel {number}: no bin of '{curve.label}' has a position on a logarithmic axis"
            if log_x
            else f"panel {number}: no bin of '{curve.label}' has a known position",
            advice="set log_x: false" if log_x else "set the panel's type to 'line' in panel_types",
        )
    if limits is not None:
        low, high = limits
        if not ((places >= low) & (places <= high)).any():
            unit = curve.table.axes[0].unit
            raise StepError(
                f"bin_range: panel {number}: '{curve.label}' has no bin from {low:g} to {high:g} {unit}".rstrip(),
                advice=f"choose a range within the bins, from {places[0]:.4g} to {places[-1]:.4g} {unit}".rstrip(),
            )
        first = max(0, int(np.searchsorted(places, low)) - 1)
        order = order[first : int(np.searchsorted(places, high, side="right")) + 1]
        places = curve.places[order]
    quartiles = curve.quartiles
    return replace(
        curve,
        places=places,
        values=curve.values[order],
        quartiles=None if quartiles is None else (quartiles[0][order], quartiles[1][order]),
    )


def _outline(
    curve: Curve, quartiles: tuple[Reals, Reals], *, log_x: bool, log_y: bool, pixels: int
) -> tuple[Reals, Reals]:
    """Return the outline of the band between quartiles: along the upper quartile, and back along the lower."""
    low, high = quartiles
    if log_y:
        # Where a quarter of the records has nothing, the band goes down to the lowest value that is drawn.
        every = np.concatenate(curve.shown)
        low = np.maximum(low, every[every > 0].min(initial=np.inf))
        high = np.where(high > 0, high, np.nan)
    x_low, low = thin_curve(curve.places, np.where(np.isfinite(high), low, np.nan), log=log_x, pixels=pixels)
    x_high, high = thin_curve(curve.places, high, log=log_x, pixels=pixels)
    xs: list[Reals] = []
    ys: list[Reals] = []
    for below, above in zip(_runs(low), _runs(high), strict=True):
        xs += [x_high[above], x_low[below][::-1], np.array([np.nan])]
        ys += [high[above], low[below][::-1], np.array([np.nan])]
    if not xs:
        return np.zeros(0), np.zeros(0)
    return np.concatenate(xs)[:-1], np.concatenate(ys)[:-1]


def _runs(values: Reals) -> list[slice]:
    edges = np.flatnonzero(np.diff(np.pad(np.isfinite(values), 1).astype(np.int8)))
    return [slice(int(first), int(last)) for first, last in edges.reshape(-1, 2)]
