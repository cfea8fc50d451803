"""Compute a quantity from the lines of a figure: ``add the dynamic pressure from N and V``."""

from __future__ import annotations

from helio.authoring.fetches import FETCH
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.changes.conversions import aligned, epochs_of, times_of
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.writing.computations import DERIVED, MAGNITUDE_OF, Part
from helio.knowledge.quantities import SOURCES
from helio.knowledge.quantity_words import symbol
from helio.steps.signature import TableInput, signatures

_OF_MEASURED = (FETCH, "magnitude", "join_components")
"""Tools whose results are measured data as they are."""


def computed_here(editor: FigureEditor, request: PipelineRequest) -> str:
    """Compute a quantity from the lines that the figure draws; return its label.

    The label is empty if not exactly one line is each of the inputs, in the unit and the frame that the tool takes,
    or if the lines have the times of different datasets. Of a dataset that has the quantity itself, helio computes it
    only from drawn lines of one fetch, or if the request asks to compute it.
    """
    names = [quantity.name for quantity in request.quantities if not quantity.component]
    recipe = DERIVED.get(names[0]) if len(names) == len(request.quantities) == 1 else None
    others = (*request.computations, *request.instruments, *request.datasets, request.frame)
    if recipe is None or recipe.window or any(others) or len(request.spacecraft) > 1:
        return ""
    inputs = {table.argument: table for table in signatures()[recipe.tool].tables}
    labels: dict[str, str] = {}
    for argument, part in recipe.takes.items():
        fitting = _lines_for(editor, part, inputs[argument])
        if len(fitting) != 1 or editor.lines.crafts(fitting[0]) != set(request.spacecraft):
            return ""
        labels[argument] = fitting[0]
    clock = next(iter(labels.values()))
    apart = [label for label in labels.values() if times_of(editor, label) != times_of(editor, clock)]
    dataset = _dataset(editor, clock)
    is_measured = any((row.dataset, row.quantity) == (dataset, names[0]) for row in SOURCES)
    is_of_one_step = len({epochs_of(editor, label) for label in labels.values()}) == 1
    is_as_drawn = is_of_one_step and {*labels.values()} <= {*editor.drawn}
    if is_measured and names[0] not in request.computed and not is_as_drawn:
        return ""
    if any(_dataset(editor, label) != dataset for label in apart):
        return ""
    for argument, label in labels.items():
        if label in apart:
            labels[argument] = aligned(editor, label, clock, {"method": "nearest"})
    helium = {"assumed_alpha": 0.04} if recipe.helium else {}
    ids = [str(step["step_id"]) for step in editor.after["steps"]]
    last = max(labels.values(), key=lambda made: ids.index(str(editor.lines.producers[made].id)))
    args, intent = {**labels, **recipe.args, **helium}, f"Compute the {names[0]}"
    label = editor.compute(recipe.tool, symbol(names[0]), args, intent, after=last)
    editor.notes.append(f"{names[0]}: computed from {', '.join(dict.fromkeys(labels.values()))}")
    if recipe.note:
        editor.notes.append(f"{names[0]}: {recipe.note}")
    if helium:
        editor.notes.append(f"{names[0]}: computed with 4 % of helium by number, which is assumed")
    return label


def _dataset(editor: FigureEditor, label: str) -> str:
    """Return the dataset from which a fetch takes the data of a label if it has data; the label if there is none."""
    pairs = editor.lines.pairs(label)
    return pairs[0][0] if pairs else label


def _lines_for(editor: FigureEditor, part: Part, table: TableInput) -> list[str]:
    """Return the drawn lines of measured data that are an input as the tool takes it, or the length of a vector."""
    lines = editor.lines
    measured = [
        line
        for line in dict.fromkeys(lines.source(line, AVERAGES) for line in editor.drawn)
        if (step := lines.producers.get(line)) is not None
        and step.tool in _OF_MEASURED
        and (table.takes.unit in ("", None) or lines.unit(line) in ("", table.takes.unit))
        and not part.component
    ]
    length = "" if table.takes.kind or part.frame else MAGNITUDE_OF.get(part.quantity, "")
    for quantity in filter(None, (part.quantity, length)):
        meant = (lines.source(line, AVERAGES) for line in lines.meant(quantity, editor.figure()))
        found = [line for line in dict.fromkeys(meant) if line in measured]
        if quantity in MAGNITUDE_OF:
            found = [line for line in found if lines.is_vector(line)]
        if found := [line for line in found if part.frame in ("", lines.frame(line))]:
            return found
    return []
