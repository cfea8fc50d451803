"""Find the unit, frame and kind of each table of a plan before a run, as far as they are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helio.pipelines.dialect.written import list_of, object_of
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.figures import ENTRIES, RENDER
from helio.pipelines.template.graph import Graph, Read, StepView
from helio.pipelines.template.labels import owner
from helio.pipelines.template.variables import Path
from helio.steps.foreseen import EVERY_KIND, NOTHING_KNOWN, Foreseen, foreseen
from helio.steps.quantity import ANYTHING, equal_units

MOST_TENSOR = 16
"""The largest number of components of a tensor; a parameter with more is a spectrum."""


@dataclass(frozen=True)
class ReadTable:
    """A label that a step reads, its path in the step's arguments, and the known facts of the table with this label."""

    path: Path
    label: str
    known: Foreseen


CONVERT = "convert_units"
"""The tool that requires a table in a unit of the same quantity as its argument."""


def quantities(
    graph: Graph[StepView], context: Context, demanding: Callable[[StepView], bool]
) -> dict[str, Foreseen]:
    """Return the known unit, frame and kind of each table that the steps in question need.

    Each tool says what it gives of what it is given (`helio.steps.foreseen`). Only these labels need the catalogue.

    Parameters
    ----------
    demanding : function
        Whether a step is in question.
    """
    needed: set[str] = set()
    for step in reversed(graph.order):
        if demanding(step) or needed.intersection(step.outputs):
            needed.update(table for label in step.labels if (table := owner(label, graph.producers)))

    def rule(step: StepView, known: Mapping[str, Foreseen]) -> Mapping[str, Foreseen]:
        return _given(step, known, context) if needed.intersection(step.outputs) else {}

    return graph.propagate(rule, lambda _, last: last) if needed else {}


def demands(step: StepView) -> bool:
    """Return whether the tool of a step requires a certain unit, frame or kind of its input tables."""
    tool = step.signature
    if tool is None:
        return False
    if step.tool == RENDER:
        judged = any(_is_entry(read.path) or _is_mark(read.path) for read in step.reads)
        return judged or bool(_shared_axes(step))
    return step.tool == CONVERT or bool(tool.same or any(table.takes != ANYTHING for table in tool.tables))


def tables_read(step: StepView, known: Mapping[str, Foreseen]) -> dict[str, list[ReadTable]]:
    """Return the known facts of each table that a step reads, grouped by the tool's parameter."""
    return {
        parameter: [ReadTable(read.path, read.label, _known_of(read.label, known)) for read in reads]
        for parameter, reads in step.inputs.items()
    }


def entries_read(step: StepView, known: Mapping[str, Foreseen]) -> dict[Path, ReadTable]:
    """Return the known facts of the tables that the entries of a figure read, by their paths in the arguments."""
    return _read_at(step, known, _is_entry)


def marks_read(step: StepView, known: Mapping[str, Foreseen]) -> dict[Path, ReadTable]:
    """Return the known facts of the tables of events and of vertical lines, by their paths in the arguments."""
    return _read_at(step, known, _is_mark)


def panels_read(step: StepView, known: Mapping[str, Foreseen]) -> dict[int, list[ReadTable]]:
    """Return the known facts of the tables in each panel, by the number of the panel in the figure."""
    return {
        number: [ReadTable(read.path, read.label, _known_of(read.label, known)) for read in reads]
        for number, reads in _panels(step).items()
    }


def axes_shared(step: StepView, known: Mapping[str, Foreseen]) -> dict[int, list[ReadTable]]:
    """Return the known facts of the tables that share a y axis, by the number of their panel in the figure."""
    shared = _shared_axes(step)
    return {number: reads for number, reads in panels_read(step, known).items() if number in shared}


def _shared_axes(step: StepView) -> dict[int, list[Read]]:
    """Return the labels in each panel of lines or bars that has several."""
    types = list_of(object_of(step.params.get("spec")).get("panel_types"))
    return {
        number: reads
        for number, reads in _panels(step).items()
        if len(reads) > 1 and types[number - 1 : number] in ([], ["line"], ["bars"])
    }


def _panels(step: StepView) -> dict[int, list[Read]]:
    """Return the labels in each panel that the figure lists."""
    panels: dict[int, list[Read]] = {}
    for read in step.reads if step.tool == RENDER else ():
        if read.path[:2] == ("spec", "panels"):
            panels.setdefault(int(read.path[2]) + 1, []).append(read)
    return panels


def _read_at(
    step: StepView, known: Mapping[str, Foreseen], chosen: Callable[[Path], bool]
) -> dict[Path, ReadTable]:
    return {
        read.path: ReadTable(read.path, read.label, _known_of(read.label, known))
        for read in step.reads
        if step.tool == RENDER and chosen(read.path)
    }


def _is_mark(path: Path) -> bool:
    return path[:1] == ("spec",) and path[1:2] in (("events",), ("vlines",)) and path[-1] == "of"


def _is_entry(path: Path) -> bool:
    return path[:1] == ("spec",) and path[1:2] in [(key,) for key in ENTRIES]


def _known_of(label: str, known: Mapping[str, Foreseen]) -> Foreseen:
    table = owner(label, known)
    if table is None:
        return NOTHING_KNOWN
    return known[table] if table == label else known[table].component()


def _given(step: StepView, known: Mapping[str, Foreseen], context: Context) -> Mapping[str, Foreseen]:
    """Return the known facts of a step's results; a ``for_each`` step has none, because its items may differ."""
    args, signature = step.params, step.signature
    if signature is None or step.step.for_each is not None:
        return dict.fromkeys(step.outputs, NOTHING_KNOWN)
    if signature.gives == "table":
        tables = {
            parameter: [read.known for read in reads] for parameter, reads in tables_read(step, known).items()
        }
        return {label: foreseen(signature, args, tables) for label in step.outputs}
    if args.get("candidates") or args.get("provider"):
        return {}
    return dict(_fetched(args, step.outputs, context))


def _fetched(
    args: Mapping[str, Any], labels: Sequence[str], context: Context
) -> Iterator[tuple[str, Foreseen]]:
    dataset = context.catalogue.get(args.get("dataset_id", ""))
    for label, name in zip(labels, args.get("parameters") or [args.get("parameter_id")], strict=False):
        if dataset is None or name not in dataset.parameters:
            continue
        unit = dataset.units.get(name, "").strip()
        components = dataset.parameters[name]
        kinds = frozenset({"scalar"}) if components == 1 else EVERY_KIND - {"scalar"}
        if name in dataset.spectra or components > MOST_TENSOR:
            kinds = frozenset({"spectrum"})
        yield (
            label,
            Foreseen(
                # A catalogue that says none may not know.
                unit if unit and not equal_units(unit, "") else None,
                dataset.frames.get(name) or _stated_frame(name, dataset) or None,
                kinds,
                frozenset({"unit", "frame", "kind"}),
            ),
        )


def _stated_frame(name: str, dataset: Dataset) -> str:
    from helio.knowledge.frame_names import stated_frame

    # A speed may be described as that of a vector in some frame, and has none itself.
    alone = dataset.parameters[name] == 1
    return stated_frame(name, "" if alone else dataset.descriptions.get(name, ""))
