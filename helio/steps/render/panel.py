"""The base class of all kinds of panels in a figure.

A kind is a class in a file of its own, such as `line_panel.py`; `panels.py` lists them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.steps.render.axes import (
    check_limits,
    most_symlog_labels,
    most_value_labels,
    set_log_ticks,
    symlog_ticks,
    value_axis,
)
from helio.steps.render.corners import READING, Corner, behind
from helio.steps.render.geometry import LEGEND_KEY, LEGEND_ROW, Geometry
from helio.steps.render.lines import Line
from helio.steps.render.quality import TraceQuality, line_quality
from helio.steps.render.refine import Full
from helio.steps.render.refusals import low_start, refuse
from helio.steps.render.slopes import Guide
from helio.steps.render.spec import FigureSpec, PanelKind
from helio.steps.render.symlog import Symlog
from helio.steps.render.themes import Look
from helio.steps.render.ticks import linear_texts, log_ticks, tick_width
from helio.steps.render.wording import as_axis, axis_title, bracketed, quantity, text_width
from helio.store.no_values import NOTHING_FOUND, why_no_values
from helio.store.table import Table

Value = TypeVar("Value")

BAR_TITLE_ANGLE = -90
"""Rotation of the titles of colour bars, which are read upwards."""
_BAR_LABEL_STANDOFF = 15
"""Width in pixels of a colour bar's ticks and of the spaces around their labels."""
RIGHT_TITLE_STANDOFF = 6
"""Distance in pixels between the tick labels of a y axis at the right and its title."""
_LABEL_STANDOFF = 5
"""Distance in pixels between a panel and its tick labels."""


RIGHT = " right"
"""In a key by panel number, what follows the number of a panel to mean its y axis at the right."""
TWO_SIDED = frozenset({"y_label", "y_range", "log_y", "log_scale", "linthresh"})
"""Keys by panel number that a y axis at the right has too."""
_ONE_SIDED_WORDS = frozenset({"y_label", "y_range", "linthresh"})
"""Keys whose value for all panels is only for the y axes at the left."""


def per_panel(
    value: object, number: int, panels: int, key: str, default: Value, *, right: bool = False
) -> Value:
    """Return the value of a key of the spec for one panel; the spec may give one value, or values by panel number.

    Parameters
    ----------
    right : bool
        Whether the value is for the panel's y axis at the right, ``"2 right"``.

    Raises
    ------
    StepError
        The mapping names a panel that the figure does not have.
    """
    if not isinstance(value, Mapping):
        missing = value is None or (right and key in _ONE_SIDED_WORDS)
        return default if missing else cast(Value, value)
    by_side = {}
    for name, entry in value.items():
        bare = str(name).removesuffix(RIGHT) if key in TWO_SIDED else str(name)
        if not bare.isdecimal() or not 1 <= int(bare) <= panels:
            raise StepError(
                f"{key}: there is no panel {name}",
                advice=f"choose a panel from 1 (top) to {panels}"
                if panels > 1
                else "choose panel 1, the only panel of the figure",
            )
        by_side[int(bare), bare != str(name)] = entry
    return cast(Value, by_side.get((number, right), default))


@dataclass(frozen=True, eq=False)
class FigureStyle:
    """The style that all panels of a figure share."""

    spec: FigureSpec
    kinds: Sequence[PanelKind]
    """The kind of each panel, from the top to the bottom."""
    theme: Look
    line_scale: list[list[float | str]]
    """The colour scale for lines in an order, such as the bins or the records of a spectrum."""
    tables: Mapping[str, Table] = field(default_factory=dict)
    """All tables of the figure by label, also those that only give the uncertainties of lines."""

    @property
    def legend(self) -> bool:
        """Whether the figure names its lines in legends."""
        return self.spec.get("legend", True)

    @property
    def gap_factor(self) -> float:
        """Number of local cadences; a longer time step is a gap."""
        return self.spec.get("gap_factor", 1.5)

    def option(self, key: str, number: int, default: Value, *, right: bool = False) -> Value:
        """Return the value of a key of the figure's spec for the panel with this number, or for its right axis."""
        value = cast(Mapping[str, Any], self.spec).get(key)
        return per_panel(value, number, len(self.kinds), key, default, right=right)


@dataclass(frozen=True)
class Slot:
    """The part of the figure in which a panel is drawn, its time range, and its axes."""

    geometry: Geometry
    start: np.datetime64
    stop: np.datetime64
    y_axis: str
    """Plotly's name of the panel's y axis, such as ``"y"`` or ``"y2"``."""
    x_axis: str
    """Plotly's name of the panel's x axis; panels with time on the x axis share one name."""
    guides: Sequence[Guide] = ()
    """The lines of power laws to draw in the panel."""
    right_axis: str = ""
    """Plotly's name of the panel's y axis at the right, if the panel has one."""
    bar: bool = True
    """Whether the panel draws its colour bar; false if the next panel in its row draws the same one."""


@dataclass
class Drawing:
    """The parts of a plotly document that draw one panel."""

    traces: list[dict[str, Any]] = field(default_factory=list)
    y_axis: dict[str, Any] = field(default_factory=dict)
    layout: dict[str, Any] = field(default_factory=dict)
    """Settings of the figure that belong to this panel: its legend, its own x axis."""
    texts: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Remarks on the panel for the figure's reviewer."""
    qualities: list[TraceQuality] = field(default_factory=list)
    """What is drawn and left out of each trace."""
    details: list[Full] = field(default_factory=list)
    """Lines and spectrograms of which the traces have only some points."""


@dataclass(frozen=True)
class Nothing:
    """Why a panel has nothing to draw.

    Parameters
    ----------
    reason : str
        What the empty panel says.
    message, advice : str
        Those of the error if no panel of the figure has anything to draw.
    """

    reason: str
    message: str
    advice: str


@dataclass(frozen=True, eq=False)
class Panel(ABC):
    """A panel of a figure: its number, from 1 at the top, and its tables by label."""

    number: int
    tables: Mapping[str, Table]
    style: FigureStyle
    reach: tuple[float, ...] = ()
    """Values besides those of the tables that the y axis must show, such as named levels."""
    named: bool = True
    """Whether the lines may have a legend; false if the legend of the next panel in the row names the same lines."""
    reach_right: tuple[float, ...] = ()
    """The same for the y axis at the right."""
    at_right: bool = False
    """Whether this describes the panel's second y axis, at the right, and the lines on it."""
    absent: Mapping[str, str] = field(default_factory=dict)
    """Why labels of the panel have no value in the figure's time range, by label."""
    nothing: Nothing | None = None
    """Why the panel has nothing to draw; None if it has."""

    kind: ClassVar[PanelKind]
    natural_height: ClassVar[int]
    """Height in pixels at a font size of 14, without a legend."""
    over_time: ClassVar[bool] = True
    """Whether the panel shares the figure's time axis; other panels have an x axis of their own."""
    side_by_side: ClassVar[bool] = False
    """Whether panels of this kind share rows, below all other panels."""

    @classmethod
    def check_tables(cls, number: int, tables: Mapping[str, Table]) -> None:
        """Refuse tables that this kind of panel cannot show.

        Raises
        ------
        StepError
            A table has two bin axes, or does not fit this kind of panel.
        """
        for label, table in tables.items():
            if len(table.axes) > 1:
                axes = [axis.label or f"axis {order}" for order, axis in enumerate(table.axes, 1)]
                raise StepError(
                    f"panel {number}: '{label}' has two bin axes ({' and '.join(axes)}), but a panel can "
                    "show only one",
                    advice="average it over one axis first, with band_average",
                )

    @property
    def lines(self) -> Sequence[Line]:
        """The lines that the panel draws; empty for panels without lines."""
        return ()

    @cached_property
    def line_qualities(self) -> Sequence[TraceQuality]:
        """How much of each line the y axis can show."""
        limits = self.y_limits()
        return [
            line_quality(line, log=self.log_y, limits=limits, empty=self.absent.get(line.label, ""))
            for line in self.lines
        ]

    @property
    def right(self) -> Panel | None:
        """The same panel with its y axis at the right and the lines on this axis; None if it has no such axis."""
        return None

    @property
    @abstractmethod
    def log_y(self) -> bool:
        """Whether the panel's y axis is logarithmic."""

    @property
    def symlog(self) -> Symlog | None:
        """The scale of the y axis if it is linear about zero and logarithmic beyond; None for any other scale."""
        return None

    @property
    def log_x(self) -> bool:
        """Whether the panel has an x axis of its own, and this axis is logarithmic."""
        return False

    @property
    def square(self) -> bool:
        """Whether the panel is as high as wide."""
        return False

    @property
    def x_name(self) -> tuple[str, str]:
        """The name and the unit of the panel's own x axis; empty if it has none."""
        return "", ""

    @property
    def row_names(self) -> list[str]:
        """The names of the rows of the y axis, from the top; empty if the y axis shows values."""
        return []

    @property
    def has_colour_bar(self) -> bool:
        """Whether the panel has a colour bar at its right."""
        return False

    @property
    def colour_meaning(self) -> Hashable:
        """What the panel's colours mean; of neighbours with equal meanings, only the last draws a colour bar."""
        return None

    @abstractmethod
    def draw(self, slot: Slot) -> Drawing:
        """Draw the panel, and return the plotly objects."""

    def letter_corner(self, slot: Slot, drawing: Drawing) -> Corner:
        """Return the corner for the panel's letter: the upper left one, or the next one that is empty."""
        width, height = slot.geometry.panel_width(self.number), slot.geometry.panel_height(self.number)
        wide, high = (2.4 * slot.geometry.font + 5) / width, (1.5 * slot.geometry.font + 4) / height
        taken = [
            (text["xanchor"], text["yanchor"])
            for text in drawing.texts
            if str(text.get("xref", "")).endswith(" domain") and str(text.get("yref", "")).endswith(" domain")
        ]
        points = self.places(slot)
        empty = (
            corner for corner in READING if corner not in taken and not behind(points, corner, wide, high)
        )
        return next(empty, READING[0])

    def places(self, slot: Slot) -> list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]:
        """Return the places of the panel's points as fractions of its width and height; empty if a text hides none."""
        del slot
        return []

    def remarks(self, whole: Panel) -> list[str]:
        """Return remarks on the tables for the reviewer, in addition to those of `draw`.

        Parameters
        ----------
        whole : Panel
            The same panel before its tables were cut to the time range.
        """
        return []

    def name_of(self, label: str) -> str:
        """Return the name of a table's quantity with its frame; of a spectrum the name in the figure's spec, if any."""
        table = self.tables[label]
        named = self.style.spec.get("trace_names", {}).get(label) if table.kind == "spectrum" else None
        return named or quantity(table, label)

    def axis_name(self, height: float, font: float) -> dict[str, Any]:
        """Return the default title of the y axis: the names of the quantities, or of their vector, and the unit."""
        tables = self.on_y_axis
        names = as_axis(list(dict.fromkeys(map(self.name_of, tables))))
        units = list(dict.fromkeys(table.unit for table in tables.values()))
        if len(units) > 1:
            with_units = [f"{self.name_of(label)} {bracketed(table.unit)}" for label, table in tables.items()]
            return axis_title(", ".join(dict.fromkeys(with_units)), "", height, font)
        name = ", ".join(names)
        if len(names) > 1 and text_width(name, font) > 2 * height:
            name = f"{names[0]}, …"
        return axis_title(name, units[0], height, font)

    def shown_arrays(self) -> Iterable[npt.NDArray[Any]]:
        """Return all arrays of values that must fit on the panel's y axis."""
        return [values for line in self.lines for values in line.shown]

    def keeps_whole(self, table: Table) -> bool:
        """Return whether a table is drawn even if its records are outside the time range."""
        return False

    def span_of(self, label: str, epoch: npt.NDArray[np.datetime64]) -> tuple[np.datetime64, np.datetime64]:
        """Return the first and the last moment that the panel shows of the records of a label."""
        del label
        return epoch[0], epoch[-1]

    def option(self, key: str, default: Value) -> Value:
        """Return the value of a key of the figure's spec for this panel."""
        return self.style.option(key, self.number, default, right=self.at_right)

    def between(self, start: np.datetime64, stop: np.datetime64, written: str) -> Self:
        """Return a copy of the panel that has only the records in [start, stop), and says what has no value there.

        Parameters
        ----------
        written : str
            The interval in words.
        """
        cut = {
            label: table if self.keeps_whole(table) else table.between(start, stop)
            for label, table in self.tables.items()
        }
        absent = {
            label: _why_absent(self.tables[label], table)
            for label, table in cut.items()
            if not np.isfinite(table.values).any()
        }
        nothing = None
        if self.needs_any_of(absent):
            label, reason = next(iter(absent.items()))
            what = "only missing values" if len(cut[label]) else "no records"
            nothing = Nothing(
                reason if len(set(absent.values())) == 1 else "; ".join(map(": ".join, absent.items())),
                f"nothing to draw: '{label}' has {what} in {written}",
                "choose another time range, or leave the label out of the figure",
            )
        return replace(self, tables=cut, absent=absent, nothing=nothing)

    def needs_any_of(self, absent: Mapping[str, str]) -> bool:
        """Return whether the panel has nothing to draw without the values of these labels."""
        return len(absent) == len(self.tables)

    @property
    def entries(self) -> list[tuple[str, str]]:
        """The names and colours for the panel's legend."""
        return [entry for line in self.lines for entry in line.entries]

    @property
    def has_legend(self) -> bool:
        """Whether the panel has a legend: it needs more than one name, and a figure with legends."""
        two = self.right is not None and max(len(self.lines), len(self.right.lines)) == 1
        shown = self.style.legend and self.named
        return shown and len(self.entries) > 1 and not self.has_colour_bar and not two

    def height(self, font: float) -> float:
        """Return the height in pixels that the panel needs if the figure's spec does not set a height."""
        height = self.natural_height
        if self.has_legend:
            height = max(height, _legend_height(len(self.entries)) + 6)
        return max(height, height * font / 14)

    def room_at_right(self, font: float) -> float:
        """Return the width in pixels that the panel's legend or colour bar needs."""
        if self.has_colour_bar:
            return 10 + 14 + 8 + 3.0 * font + 2 * 1.3 * font + 8
        if self.has_legend:
            return LEGEND_KEY + max(text_width(name, _legend_font(font)) for name, _ in self.entries) + 14
        return 0.0

    def y_title(self, geometry: Geometry) -> dict[str, Any]:
        """Return the title of the panel's y axis."""
        height, font = geometry.panel_height(self.number), geometry.font - 1
        chosen = self.option("y_label", cast(str | None, None))
        title = self.axis_name(height, font) if chosen is None else axis_title(chosen, "", height, font)
        if (self.at_right or self.right is not None) and len(self.lines) == 1:
            title["font"]["color"] = self.lines[0].colour
            if self.lines[0].label in self.absent:
                title["text"] += f"<br>{absent_words(self.absent[self.lines[0].label])}"
        return title

    def label_depth(self, geometry: Geometry) -> float:
        """Return the distance in pixels from the panel to the far end of its y tick labels."""
        widths = [tick_width(text, geometry.font - 2) for text in self._tick_texts(geometry)]
        return _LABEL_STANDOFF + max(widths, default=0.0)

    def right_depth(self, geometry: Geometry) -> float:
        """Return the width in pixels that the panel's y axis at the right needs, 0 without such an axis."""
        if self.right is None:
            return 0.0
        title = self.right.y_title(geometry)
        return self.right.label_depth(geometry) + RIGHT_TITLE_STANDOFF + title_depth(title)

    def y_limits(self) -> tuple[float, float] | None:
        """Return the limits of the y axis from the figure's spec, or None if the spec does not set them."""
        chosen = self.option("y_range", cast(list[float] | None, None))
        if chosen is None:
            return None
        low, high = check_limits(chosen, self.number, "y_range")
        if self.log_y:
            refuse(low_start("y_range", self.number, (low, high)))
        return low, high

    @property
    def on_y_axis(self) -> Mapping[str, Table]:
        """The tables whose values the y axis shows, by label; empty if the y axis shows bins."""
        return self.tables

    def y_units(self) -> set[str]:
        """Return the units of what the y axis shows."""
        return {table.unit for table in self.on_y_axis.values()}

    @cached_property
    def extent(self) -> tuple[float, float]:
        """The lowest and the highest value that must fit on the y axis; both are above zero if the axis is logarithmic.

        Both are 0 where there is none. About a single value plotly.js shows one, or a decade, on either side.
        """
        arrays = [*self.shown_arrays(), np.array(self.reach)]
        limits = _limits_of(arrays, above=0.0 if self.log_y else None)
        if not limits:
            return 0.0, 0.0
        low, high = min(low for low, _ in limits), max(high for _, high in limits)
        if low < high:
            return low, high
        return (low / 10, high * 10) if self.log_y else (low - 1, high + 1)

    def _tick_texts(self, geometry: Geometry) -> list[str]:
        limits = self.y_limits()
        low, high = limits or self.extent
        if not low < high:
            return []
        if self.log_y:
            return log_ticks(low, high)[1] if low > 0 else []
        if self.symlog is not None:
            most = most_symlog_labels(geometry.panel_height(self.number))
            return self.symlog.ticks(*self._ends(self.symlog), most)[1]
        # Without a y_range plotly.js leaves an eighteenth of the lines' range free at both ends, about as much as
        # the edges of bins lie beyond their centres.
        margin = (high - low) / 18 if limits is None else 0.0
        return linear_texts(
            low - margin,
            high + margin * (2 if self.reach else 1),
            most_value_labels(geometry.panel_height(self.number)),
        )

    def _ends(self, scale: Symlog) -> tuple[float, float]:
        """Return the values at the ends of a symlog axis, with the margins that the spec does not exclude."""
        limits = self.y_limits()
        if limits is not None:
            return limits
        low, high = scale.places(self.extent).tolist()
        margin = (high - low) / 18
        bottom, top = scale.values([low - margin, high + margin * (2 if self.reach else 1)]).tolist()
        return bottom, top

    def _y_axis(self, slot: Slot) -> dict[str, Any]:
        geometry = slot.geometry
        position = {"domain": list(geometry.domains[self.number - 1]), "anchor": slot.x_axis}
        axis = value_axis(self.style.theme, position, log=self.log_y, font=geometry.font - 2)
        if not self.log_y:
            axis["nticks"] = most_value_labels(geometry.panel_height(self.number))
        limits = self.y_limits()
        if limits is not None:
            low, high = limits if self.symlog is None else map(self.symlog.place, limits)
            axis["range"] = [float(np.log10(low)), float(np.log10(high))] if self.log_y else [low, high]
        elif self.reach:
            low, high = np.log10(self.extent) if self.log_y else self.extent
            if self.symlog is not None:
                low, high = self.symlog.places(self.extent)
            # Below, as much room as plotly.js leaves; above, also room for the name of a level.
            margin = (high - low) / 18
            axis["range"] = [float(f"{end:.8g}") for end in (low - margin, high + 2 * margin)]
        if self.symlog is not None:
            height = geometry.panel_height(self.number)
            axis |= symlog_ticks(axis["minor"], self.symlog, self._ends(self.symlog), height)
        return axis

    def _scale_values(self, y_axis: dict[str, Any]) -> None:
        """Set the ticks of a logarithmic y axis; on a linear axis, draw a zero line if values have both signs."""
        limits = _limits_of(line.values for line in self.lines)
        if not limits and "range" not in y_axis:
            y_axis |= {"showticklabels": False, "ticks": "", "minor": {"ticks": ""}}
            return
        if self.log_y:
            if limits and not any(high > 0 for _, high in limits):
                raise StepError(
                    f"the y axis of panel {self.number} is logarithmic, but no value is above 0",
                    advice="set log_scale: linear",
                )
            low, high = (10**limit for limit in y_axis["range"]) if "range" in y_axis else self.extent
            set_log_ticks(y_axis, low, high)
            return
        signed = any(low < 0 for low, _ in limits) and any(high > 0 for _, high in limits)
        if self.style.spec.get("show_zero_line", signed):
            y_axis |= {"zeroline": True, "zerolinecolor": "#999999", "zerolinewidth": 1}

    def _lines_log(self, default: bool, lowest: float) -> bool:
        """Return whether the y axis of lines is logarithmic: as the figure's spec says, otherwise the given default."""
        chosen = self.style.spec.get("log_y")
        if chosen is True:
            # One word for the whole figure, in which a field of either sign stays linear.
            default = lowest >= 0
        elif chosen is not None:
            default = bool(self.option("log_y", default))
        scale = self.style.spec.get("log_scale")
        if isinstance(scale, int):
            per_panel({str(scale): True}, self.number, len(self.style.kinds), "log_scale", None)
            return True if scale == self.number and not self.at_right else default
        if scale in ("y", "log"):
            return True
        if scale == "linear" or self.symlog is not None:
            return False
        by_panel = self.option("log_scale", cast(str | None, None))
        return default if by_panel is None else by_panel == "log"

    def _legend(self, geometry: Geometry, drawing: Drawing) -> str | None:
        """Add a legend and return its name; if the entries do not fit, add coloured names and return None."""
        height, top = geometry.panel_height(self.number), geometry.domains[self.number - 1][1]
        if not self.has_legend:
            return None
        # Plotly's entries do not shrink, and move from a right axis when a page stretches: coloured names do neither.
        beyond = self.right_depth(geometry)
        if beyond or _legend_height(len(self.entries)) > height + 2:
            right = geometry.span(self.number)[1]
            drawing.texts += _coloured_names(self.entries, (right, top), height, geometry.font, beyond)
            return None
        legend = f"legend{self.number if self.number > 1 else ''}"
        drawing.layout[legend] = {
            "x": geometry.span(self.number)[1], "xref": "paper", "xanchor": "left",
            "y": top, "yref": "paper", "yanchor": "top",
            "font": {"size": _legend_font(geometry.font)}, "bgcolor": "rgba(0,0,0,0)", "borderwidth": 0,
            "tracegroupgap": 0, "itemwidth": 30, "itemsizing": "constant",
        }  # fmt: skip
        return legend

    def _beside(self, geometry: Geometry) -> dict[str, Any]:
        """Return plotly's settings for the position of the colour bar at the right of the panel."""
        low, high = geometry.domains[self.number - 1]
        # At the panel's side plus 10 pixels of padding: it stays there when a page stretches the figure.
        return {
            "x": geometry.span(self.number)[1], "xref": "paper", "xanchor": "left",
            "y": low, "yref": "paper", "yanchor": "bottom",
            "len": round(high - low, 6),
        }  # fmt: skip

    def _bar_title(
        self, title: dict[str, Any], bar: dict[str, Any], limits: tuple[float, float], geometry: Geometry
    ) -> dict[str, Any]:
        """Return the title of a colour bar, placed so that it does not cover the tick labels."""
        ticks = bar["ticktext"] if "ticktext" in bar else linear_texts(*limits, bar["nticks"])
        widest = max((tick_width(text, geometry.font - 2) for text in ticks), default=0.0)
        low, high = geometry.domains[self.number - 1]
        return {
            **title, "xref": "paper", "x": geometry.span(self.number)[1], "xanchor": "left",
            "textangle": BAR_TITLE_ANGLE, "yref": "paper",
            "y": round((low + high) / 2, 6), "yanchor": "middle", "showarrow": False, "borderpad": 0,
            "xshift": round(10 + 14 + _BAR_LABEL_STANDOFF + widest),
        }  # fmt: skip


def require_bins(number: int, tables: Mapping[str, Table], kind: PanelKind) -> None:
    """Refuse tables without bins in a panel of a kind that needs bins."""
    spectra = [label for label, table in tables.items() if table.kind == "spectrum"]
    without = next((label for label in tables if label not in spectra), None)
    if without is not None:
        raise StepError(
            f"panel {number}: '{without}' has no bins, but the panel's type is {kind}",
            advice="draw it in a panel of type 'line'"
            + (f"; the figure has the spectra {', '.join(spectra)}" if spectra else ""),
        )


def title_depth(title: Mapping[str, Any]) -> float:
    """Return the height in pixels of the lines of an axis title."""
    depth: float = 1.3 * title["font"]["size"] * (1 + title["text"].count("<br>"))
    return depth


def absent_words(reason: str) -> str:
    """Return what stands behind the name of something without values: ``(none)`` if a search found nothing.

    >>> absent_words("nothing was found by solar_flares"), absent_words("fetch failed: nothing there")
    ('(none)', '(no data)')
    """
    return "(none)" if reason.startswith(NOTHING_FOUND) else "(no data)"


def _why_absent(whole: Table, cut: Table) -> str:
    """Return in a few words why a table has no value in the time range of the figure."""
    reason = why_no_values(whole.notes)
    if reason:
        return reason
    if not len(cut):
        return "no data in this time range"
    within = " in this time range" if np.isfinite(whole.values).any() else ""
    return f"all values are missing{within}"


def _limits_of(arrays: Iterable[npt.NDArray[Any]], above: float | None = None) -> list[tuple[float, float]]:
    """Return the lowest and the highest finite value of each array; if a bound is given, only of values above it."""
    limits = []
    for values in arrays:
        low, high = (values.min(), values.max()) if values.size else (np.nan, np.nan)
        if not np.isfinite([low, high]).all() or (above is not None and low <= above):
            shown = np.isfinite(values) if above is None else np.isfinite(values) & (values > above)
            if not shown.any():
                continue
            low, high = values[shown].min(), values[shown].max()
        limits.append((float(low), float(high)))
    return limits


def _legend_height(entries: int) -> int:
    return entries * LEGEND_ROW


def _legend_font(font: float) -> float:
    return min(font - 2, 14.0)


def _coloured_names(
    entries: Sequence[tuple[str, str]],
    corner: tuple[float, float],
    height: float,
    font: float,
    beyond: float,
) -> list[dict[str, Any]]:
    right, top = corner
    pitch = min(height / len(entries), 1.4 * font) if beyond else height / len(entries)
    size = max(5.0, min(_legend_font(font), 0.9 * pitch))
    return [
        {
            "text": name, "showarrow": False, "xref": "paper", "x": right, "xanchor": "left",
            "xshift": 8 + round(beyond),
            "yref": "paper", "y": top, "yanchor": "middle", "yshift": -round((row + 0.5) * pitch, 2),
            "font": {"size": round(size, 1), "color": colour}, "borderpad": 0,
        }
        for row, (name, colour) in enumerate(entries)
    ]  # fmt: skip
