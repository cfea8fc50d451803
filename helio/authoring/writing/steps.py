"""Collect the steps of a new template, give them readable ids and labels, and arrange the panels of the figure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from helio.knowledge.quantities import FAST_ELECTRONS, POSITION, PROTONS, B
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantity_words import WORDS, symbol
from helio.pipelines.template.document import Document, slug
from helio.pipelines.template.schema import SCHEMA_VERSION

# B on top, then V, n, T, derived quantities, spectrograms with ions above electrons, indices.
_ORDER = (
    *("B", "Bmag", "clock", "cone", "Vvec", "V", "n", "Ne", "T", "Te", "W", "Pdyn", "beta", "VA", "MA", "Mms", "S"),
    *("Newell", "VBs", "r0", "ions", "electrons", "protons", "fast_electrons", "position", "R"),
    *("SYMH", "Dst", "Kp", "AE", "AL", "AU"),
)  # fmt: skip
_LOGARITHMIC = ("plasma beta", PROTONS, FAST_ELECTRONS)
_LETTERS = {B: "B", VELOCITY: "V", POSITION: "R"}
# ACE blue, Wind red, DSCOVR green, and OMNI black; others by their order.
COLOURS = {"ACE": "blue", "Wind": "red", "DSCOVR": "green", "OMNI": "black"}
MORE_COLOURS = ("darkorange", "purple", "teal", "brown", "magenta", "olive")


@dataclass
class PlotSeries:
    """A table that a figure can draw: one physical quantity of one spacecraft.

    Parameters
    ----------
    label : str
    quantity : str
        A component of a vector is a quantity of its own: ``"magnetic field vector z"``.
    craft : str
    kind : str
        ``"vector"``, ``"scalar"`` or ``"spectrum"``.
    cadence : float or None
        Seconds.
    """

    label: str
    quantity: str
    craft: str
    kind: str
    cadence: float | None = None
    frame: str = ""
    unit: str = ""
    group: str = ""
    """``"1"`` or ``"2"`` if the figure compares two time ranges; otherwise empty."""
    over: str = ""
    """The label of the series in whose panel it is drawn, on top; empty for a panel of its own."""


@dataclass
class Steps:
    """The steps, notes and variables of a new template, collected one after the other."""

    steps: list[Document] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    variables: Document = field(default_factory=dict)

    def add(self, name: str, tool: str, args: Mapping[str, Any], intent: str) -> str:
        """Add a step under an unused id, and return the id."""
        stem = re.sub(r"\W+", "_", name).strip("_").lower() or "step"
        step_id = free_name(stem, {step["step_id"] for step in self.steps})
        self.steps.append({"step_id": step_id, "tool_name": tool, "tool_args": dict(args), "intent": intent})
        return step_id

    def label(self, stem: str) -> str:
        """Return a label that no step uses yet."""
        return free_name(stem, {step["tool_args"].get("output_label") for step in self.steps})

    def compute(self, tool: str, source: PlotSeries, ending: str, intent: str, **args: Any) -> PlotSeries:
        """Add a step that computes a new series from an existing series, and return the new series."""
        label = self.label(f"{source.label}_{ending}")
        self.add(label, tool, {"source_label": source.label, **args, "output_label": label}, intent)
        return PlotSeries(**vars(source) | {"label": label})

    def note(self, text: str) -> None:
        """Add a note to the user, unless the same note was added before."""
        if text not in self.notes:
            self.notes.append(text)

    def template(self, name: str, title: str) -> Document:
        """Return the finished template."""
        return {
            "schema_version": SCHEMA_VERSION,
            "id": slug(name) or "pipeline",
            "name": title,
            "variables": self.variables,
            "steps": self.steps,
        }


def free_name(stem: str, taken: Collection[str], joint: str = "_") -> str:
    """Return a name that is not taken yet; add a number if the wanted name is taken.

    >>> free_name("b", {"b", "b_2"})
    'b_3'
    """
    number, name = 2, stem
    while name in taken:
        name, number = f"{stem}{joint}{number}", number + 1
    return name


def listed(names: Sequence[str]) -> str:
    """Join names into a list in words: ``ACE``, ``ACE and Wind``, ``ACE, Wind and DSCOVR``."""
    unique = list(dict.fromkeys(names))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} and {unique[-1]}"


def panels_of(drawn: Sequence[PlotSeries], *, compare: bool) -> list[list[PlotSeries]]:
    """Give each series its own panel; if `compare` is true, one panel has a scalar quantity of several spacecraft."""
    ordered = sorted(drawn, key=lambda series: (_rank(series.quantity), series.group))
    panels: list[list[PlotSeries]] = []
    for series in ordered:
        last = panels[-1] if panels else []
        together = (
            last
            and compare
            and series.kind == last[0].kind == "scalar"
            and series.quantity == last[0].quantity
            and series.craft not in [previous.craft for previous in last]
        )
        if together or (series.over and any(series.over == previous.label for previous in last)):
            last.append(series)
        else:
            panels.append([series])
    return panels


def figure_of(
    panels: Sequence[Sequence[PlotSeries]],
    *,
    title: str,
    as_lines: bool = False,
) -> Document:
    """Return the settings of a figure, for the argument `spec` of the tool `render_spec`."""
    spec: Document = {
        "labels": [series.label for panel in panels for series in panel],
        "panels": [[series.label for series in panel] for panel in panels],
        "title": title,
    }
    labels, names, shades = _by_craft(panels)
    scales = {
        str(number): "log"
        for number, panel in enumerate(panels, 1)
        if panel[0].kind == "scalar" and panel[0].quantity in _LOGARITHMIC
    }
    looks: Document = {
        "y_label": labels,
        "trace_names": names,
        "trace_colors": shades,
        "log_scale": scales,
    }
    if as_lines and any(panel[0].kind == "spectrum" for panel in panels):
        looks["panel_types"] = ["line" for _ in panels]
    return spec | {key: value for key, value in looks.items() if value}


def _by_craft(
    panels: Sequence[Sequence[PlotSeries]],
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the axis labels by panel number, and the names and colours of lines, that tell spacecraft apart."""
    several = len({series.craft for panel in panels for series in panel}) > 1
    labels: dict[str, str] = {}
    names: dict[str, str] = {}
    shades: dict[str, str] = {}
    for number, panel in enumerate(panels, 1):
        if len({series.craft for series in panel}) > 1:
            for index, series in enumerate(panel):
                names[series.label] = series.craft
                shades[series.label] = COLOURS.get(series.craft, MORE_COLOURS[index % len(MORE_COLOURS)])
        elif several and len(panel) == 1 and panel[0].kind == "vector" and panel[0].unit:
            labels[str(number)] = _axis_of(panel[0])  # two panels would both be called B GSE
    return labels, names, shades


def _axis_of(series: PlotSeries) -> str:
    """Return the label of an axis, such as ``ACE B GSE [nT]``."""
    letter = _LETTERS.get(series.quantity, symbol(series.quantity))
    return f"{series.craft} {letter} {series.frame} [{series.unit}]".replace("  ", " ")


def _rank(quantity: str) -> tuple[int, str]:
    """Return the position of a quantity in a figure's order; a component comes directly after its vector."""
    symbols = (row.symbol for row in WORDS if f"{quantity} ".startswith(f"{row.quantity} "))
    known = next((_ORDER.index(name) for name in symbols if name in _ORDER), len(_ORDER))
    return known, quantity
