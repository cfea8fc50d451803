"""Collect the steps of a new template, under readable ids and labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from helio.authoring.fetches import FETCH
from helio.authoring.outcome import NotUnderstood
from helio.knowledge.quantities import QuantitySource
from helio.knowledge.unit_algebra import comparable
from helio.pipelines.template.document import Document, slug
from helio.pipelines.template.schema import SCHEMA_VERSION

FILE_ENDINGS = {"netcdf": "nc"}
"""File endings of the formats whose ending is not the format's name."""
OF_ANY_EPOCHS = ("cdf", "netcdf")
"""Formats that hold tables of different epochs."""


@dataclass(frozen=True)
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
    of_two: tuple[str, ...] = ()
    """The labels of two series of which it is the ratio or the difference; its panel stands below theirs."""
    name: str = ""
    """Its name in the legend; empty for a name from its label or spacecraft."""
    are_events: bool = False
    """Whether its values are those of single events, which the figure draws as points."""
    parameter: str = ""
    """The parameter that the request named or described; empty for a quantity of the table."""


def is_convertible(unit: str, to: str) -> bool:
    """Return whether a series can be given in another unit: of the same dimension, or an energy as a temperature."""
    energies, temperatures = {"eV", "keV"}, {"K", "MK"}
    is_thermal = (unit in energies and to in temperatures) or (unit in temperatures and to in energies)
    return unit == to or is_thermal or comparable(unit, to)


@dataclass
class Steps:
    """The steps, notes and variables of a new template, collected one after the other.

    Parameters
    ----------
    sources : list of QuantitySource
        The rows of the table of quantities that the steps fetch.
    descriptions : dict
        What the title calls the parameters that are in no such row.
    """

    steps: list[Document] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    variables: Document = field(default_factory=dict)
    sources: list[QuantitySource] = field(default_factory=list)
    descriptions: dict[str, str] = field(default_factory=dict)
    _aligned: dict[tuple[str, str], PlotSeries] = field(default_factory=dict)

    def add(self, name: str, tool: str, args: Mapping[str, Any], intent: str) -> None:
        """Add a step under an unused id."""
        stem = re.sub(r"\W+", "_", name).strip("_").lower() or "step"
        step_id = free_name(stem, {step["step_id"] for step in self.steps})
        self.steps.append({"step_id": step_id, "tool_name": tool, "tool_args": dict(args), "intent": intent})

    @property
    def makers(self) -> dict[str, Document]:
        """Map each label to the step that makes it."""
        return {step["tool_args"].get("output_label", ""): step for step in self.steps}

    def label(self, stem: str) -> str:
        """Return a label that no step uses yet."""
        return free_name(stem, {*self.makers})

    def make(self, stem: str, tool: str, intent: str, **args: Any) -> str:
        """Add a step that makes a table under an unused label, unless there is an equal step; return the label."""
        for step in self.steps:
            known = dict(step["tool_args"])
            label = known.pop("output_label", "")
            if label and step["tool_name"] == tool and known == args:
                return str(label)
        label = self.label(stem)
        self.add(label, tool, {**args, "output_label": label}, intent)
        return label

    def compute(self, tool: str, source: PlotSeries, ending: str, intent: str, **args: Any) -> PlotSeries:
        """Add a step that computes a new series from an existing series, and return the new series."""
        label = self.make(f"{source.label}_{ending}", tool, intent, source_label=source.label, **args)
        return replace(source, label=label)

    def average_of(self, series: PlotSeries) -> Document:
        """Return the arguments, without a label, of the step that averages a series; empty for other series."""
        for step in self.steps:
            args = dict(step["tool_args"])
            if args.pop("output_label", "") == series.label and step["tool_name"] == "resample":
                return args
        return {}

    def drop_unread_averages(self) -> None:
        """Drop the averages that no other step reads."""
        for step in unread(self.steps):
            if step["tool_name"] == "resample":
                self.steps.remove(step)

    def save(self, name: str, labels: Sequence[str], form: str) -> None:
        """Add a step that saves tables in a file."""
        filename = f"{name}.{FILE_ENDINGS.get(form, form)}"
        args = {"source_labels": list(labels), "filename": filename, "format": form}
        self.add(f"save_{name}", "save_data", args, f"Save as {form}")

    def arithmetic(self, stem: str, left: str, operation: str, right: str, intent: str) -> str:
        """Add a step that adds, subtracts, multiplies or divides two tables, and return the label of the result."""
        return self.make(stem, "arithmetic", intent, left_label=left, right_label=right, operation=operation)

    def convert(self, series: PlotSeries, unit: str) -> PlotSeries:
        """Convert a series to another unit, unless it has this unit; an energy can become a temperature."""
        if series.unit == unit:
            return series
        how = {} if comparable(series.unit, unit) else {"equivalence": "thermal"}
        ending = re.sub(r"\W+", "", unit)
        converted = self.compute("convert_units", series, ending, f"Convert to {unit}", to=unit, **how)
        return replace(converted, unit=unit)

    def align(
        self, series: PlotSeries, clock: PlotSeries, *, limit: str = "", method: str = ""
    ) -> PlotSeries:
        """Align a series with the epochs of another series, across gaps of at most three cadences; only once.

        With OMNI's epochs, which are the starts of its averages, a finer series is averaged over them first.
        """
        if series.label == clock.label:
            return series
        key = (series.label, clock.label)
        if key not in self._aligned:
            own, other = series.cadence or 0.0, clock.cadence or 0.0
            if clock.craft == "OMNI" and 0 < 2 * own <= other and series.kind != "spectrum" and not method:
                cadence = duration(other)
                series = self.compute(
                    "resample", series, f"{cadence}_mean", f"{cadence} mean", cadence=cadence, method="mean"
                )
            label = self.make(
                f"{series.label}_aligned",
                "align",
                f"Align with the epochs of {clock.label}",
                series_label=series.label,
                onto_label=clock.label,
                limit=limit or duration(3 * max(series.cadence or 60.0, clock.cadence or 60.0)),
                **({"method": method} if method else {}),
            )
            self._aligned[key] = replace(series, label=label, cadence=clock.cadence)
        return self._aligned[key]

    def align_all(self, shown: Sequence[PlotSeries]) -> list[PlotSeries]:
        """Align series with the epochs of the coarsest of them."""
        coarsest = max(shown, key=lambda series: series.cadence or 0.0)
        return [self.align(series, coarsest) for series in shown]

    def have_same_epochs(self, shown: Sequence[PlotSeries]) -> bool:
        """Return whether series come from one dataset, without or with the same change of their epochs."""
        return len({self._epochs_of(series.label) for series in shown}) == 1

    def _epochs_of(self, label: str) -> tuple[str, ...]:
        """Return the dataset from which a label comes, and the cadences that steps gave it."""
        made = self.makers.get(label)
        if made is None:
            return (label.partition(".")[0],)  # DATASET.PARAMETER
        args = made["tool_args"]
        inputs = [value for key, value in args.items() if key.endswith("_label") and key != "output_label"]
        source = args.get("onto_label") or next(iter([*inputs, *args.get("source_labels", ())]), "")
        if not source:
            return (str(args.get("candidates", [args])[0].get("dataset_id", label)),)
        return (*self._epochs_of(source), *(str(args[key]) for key in ("cadence", "interval") if key in args))

    def note(self, text: str) -> None:
        """Add a note to the user, unless the same note was added before."""
        if text not in self.notes:
            self.notes.append(text)

    def template(self, name: str, title: str) -> Document:
        """Return the finished template."""
        self._fetch_components()
        return {
            "schema_version": SCHEMA_VERSION,
            "id": slug(name) or "pipeline",
            "name": title,
            "variables": self.variables,
            "steps": self.steps,
        }

    def _fetch_components(self) -> None:
        """Fetch the one component that the other steps take of a vector stored in parts, and not the vector."""
        for join in [step for step in self.steps if step["tool_name"] == "join_components"]:
            vector = join["tool_args"]["output_label"]
            users = [step for step in self.steps if step is not join and uses(step["tool_args"], vector)]
            if [step["tool_name"] for step in users] != ["components"]:
                continue
            (part,), parts = users, self.steps[self.steps.index(join) - 1]
            letters = [name[-1].lower() for name in join["tool_args"]["names"]]
            (letter,), names = part["tool_args"]["keep"], parts["tool_args"]["parameters"]
            if letter not in letters:
                raise NotUnderstood(
                    f"{parts['tool_args']['dataset_id']} has no {letter} component of this vector",
                    advice=f"choose from {', '.join(letters)}",
                )
            name = names[letters.index(letter)]
            args = {key: parts["tool_args"][key] for key in ("dataset_id", "time_range")}
            part["tool_args"] = {
                "parameter_id": name,
                **args,
                "output_label": part["tool_args"]["output_label"],
            }
            part["tool_name"], part["intent"] = FETCH, f"{parts['intent']}: the {letter} component"
            self.steps = [step for step in self.steps if step not in (join, parts)]
            self.notes = [note.replace("+".join(names), name) for note in self.notes]


def uses(value: object, label: str) -> bool:
    """Return whether a label, or a part of it such as ``B.z``, is in the arguments of a step."""
    if isinstance(value, str):
        return value == label or value.startswith(f"{label}.")
    if isinstance(value, dict):
        return any(uses(part, label) for part in (*value, *value.values()))
    return isinstance(value, list | tuple) and any(uses(part, label) for part in value)


def unread(steps: Sequence[Document]) -> list[Document]:
    """Return the steps whose result no other step takes or draws."""
    labels = [(step, str(step["tool_args"].get("output_label") or "")) for step in steps]
    return [
        step
        for step, label in labels
        if label and not any(other is not step and uses(other["tool_args"], label) for other in steps)
    ]


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


def duration(seconds: float) -> str:
    """Write a duration as templates do: ``16s``, ``5min``, ``1h``, ``276ms``."""
    for unit, length in (("d", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= length and (seconds / length).is_integer():
            return f"{int(seconds // length)}{unit}"
    return f"{seconds:g}s" if seconds >= 1 else f"{seconds * 1e3:g}ms"
