"""Change the frame, the cadence or the unit of the data of a pipeline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from helio.authoring.fetches import FETCH
from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.added_content import fetched_pairs
from helio.authoring.rules.changes.atom_values import unit_of
from helio.authoring.rules.changes.clauses import Clause
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_names import says
from helio.authoring.rules.changes.panel_settings import panel_numbers
from helio.authoring.swapping import refetched, replaced_args
from helio.authoring.writing.steps import duration
from helio.knowledge.cadence import cadence_text
from helio.knowledge.frame_names import FRAMES, TURNABLE
from helio.knowledge.quantities import SOURCES, QuantitySource, spellings
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit, pretty_unit
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, entry_labels
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.time_range import Duration

_SAME_EPOCHS = (
    "running_average", "running_median", "magnitude", "components", "convert_units", "transform_frame", "despike",
    "rescale", "mask_by_flag", "detrend", "declare_quantity", "join_components", "thermal_temperature",
)  # fmt: skip
"""Tools whose results have the epochs of what they read first."""


_USUAL_CADENCE = 60.0
"""Cadence in seconds of data that are not in helio's table."""
_OF_SEVERAL_FRAMES = (*FIGURES, "align", "save_data")
"""Tools that may read vectors in several frames."""
_REPLACES = re.compile(r"\b(?:replac\w*|instead|rather than|like)\b", re.IGNORECASE)
"""Words of a sentence whose ``as well`` means that a vector is turned, as others are."""


def set_frame(editor: FigureEditor, clause: Clause) -> None:
    """Draw vectors in another frame: from a parameter in that frame, or by rotating them."""
    frames = [atom.value for atom in clause.of("frame")]
    lines = lines_named(editor, clause) or editor.drawn
    present = {editor.lines.frame(whole_of(editor, line)) for line in lines} - {""}
    new = new_of(frames, present, clause)
    if present == {new} and ("frame", new) not in editor.wished:
        raise NotUnderstood(f"the vectors of this figure are in {new} already")
    editor.wished.add(("frame", new))
    operations: list[Operation] = []
    named = {str(step.id) for line in lines for step in steps_behind(editor, line)}
    turned = []
    for view, pairs in editor.fetches:
        pairs_new = [in_frame for pair in pairs if (in_frame := _in_frame(*pair, new)) is not None]
        fit = len(pairs_new) == len(pairs) or (pairs_new and not {new, *present} <= set(TURNABLE))
        if str(view.id) in named and pairs and fit and pairs_new != pairs:
            turned.append((view, pairs, pairs_new))
    tables = [label for view, *_ in turned for label in view.outputs]
    if {new, *present} <= set(TURNABLE) and _meet_others(editor, tables):
        turned = []  # only what is drawn turns
    for view, pairs, pairs_new in turned:
        _check_cadence(editor, pairs[0], pairs_new[0])
        operations += refetched(editor.after, view, list(dict.fromkeys(pairs_new)))
    tables = [label for view, _ in editor.fetches if str(view.id) in named for label in view.outputs]
    read = {label for step in editor.lines.graph.order for label in step.labels}
    parts = sorted(label for label in read if owner(label, tables) not in (None, label))
    if operations and parts and not {new, *present} <= set(TURNABLE):
        raise NotUnderstood(f"the figure draws lines of {', '.join(parts)}, which {new} does not have")
    editor.do(*operations)
    _write_frame(editor, lines, new)
    left = [line for line in lines if line in editor.drawn] if clause.has("what", "panel") else editor.drawn
    if not _turn(editor, left, new) and not operations and present != {new}:
        raise NotUnderstood(f"no vector of this pipeline is available in {new}")


def _meet_others(editor: FigureEditor, tables: Sequence[str]) -> bool:
    """Return whether a step computes something from vectors of some tables and from a vector of none of them."""
    for step in editor.lines.graph.order:
        vectors = filter(editor.lines.is_vector, step.labels if step.tool not in _OF_SEVERAL_FRAMES else ())
        of_tables = [not set(tables).isdisjoint(editor.behind(vector)) for vector in vectors]
        if any(of_tables) and not all(of_tables):
            return True
    return False


def _check_cadence(editor: FigureEditor, old: tuple[str, str], new: tuple[str, str]) -> None:
    """Note another cadence of the data in another frame; refuse a coarser one from which a spectrum is computed."""
    before, after = ((row.cadence or 0.0) if (row := _row(pair)) else 0.0 for pair in (old, new))
    if not before or not after or before == after:
        return
    said = f"{'.'.join(new)} has a cadence of {cadence_text(after)} instead of {cadence_text(before)}"
    tools = [step.tool for step in editor.lines.graph.order]
    if after > before and any(re.search(r"spectr(?:um|ogram)$", tool) for tool in tools):
        raise NotUnderstood(f"{said}, too coarse for the spectrum", advice="leave the frame as it is")
    editor.notes.append(said)


def _write_frame(editor: FigureEditor, lines: Sequence[str], new: str) -> None:
    """Write the new frame of lines into the labels of their axes, if all vectors there are in it."""
    labels = object_of(editor.spec.get("y_label"))
    for number, panel in enumerate(editor.panels, 1):
        text = labels.get(str(number))
        frames = {editor.lines.frame(line) for line in panel} - {""}
        if text and frames == {new} and set(panel) & set(lines):
            written = re.sub(rf"\b(?:{'|'.join(FRAMES)})\b", new, str(text))
            if written != text:
                editor.put("y_label", written, str(number))


def _turn(editor: FigureEditor, lines: Sequence[str], new: str) -> bool:
    """Rotate each vector of lines, and draw the rotated vector."""
    turned: dict[str, str] = {}
    for line in lines:
        base = whole_of(editor, line)
        frame = editor.lines.frame(base)
        if not editor.lines.is_vector(base) or not {frame, new} <= set(TURNABLE) or frame == new:
            continue
        turned[base] = turned.get(base) or _rotated(editor, base, new)
        drawn = turned[base] + line[len(base) :]
        editor.draw_instead(line, drawn)
        _write_frame(editor, [drawn], new)
    for base, vector in turned.items():
        _turn_components(editor, base, vector, [line for line in lines if line in editor.drawn])
    return bool(turned)


def _turn_components(editor: FigureEditor, base: str, vector: str, lines: Sequence[str]) -> None:
    """Compute lines of a component of a vector from the rotated vector: a smoothed Bz is then in its frame too."""
    steps = {str(step.id): step for line in lines for step in steps_behind(editor, line)}
    for name, step in steps.items():
        parts = [read for read in step.labels if read != base and owner(read, [base])]
        if step.tool == "components" and base in step.labels:
            parts = [base]
        for part in parts:
            new = vector if part == base else f"{vector}.{part[-1].casefold()}"
            editor.do(Operation("rewire", name, old=part, new=new))


def _rotated(editor: FigureEditor, vector: str, frame: str) -> str:
    """Rotate a vector; return the new label."""
    args = {"source_label": vector, "to": frame}
    return editor.compute("transform_frame", f"{vector}_{frame}", args, f"Rotate to {frame}", after=vector)


def add_frame(editor: FigureEditor, clause: Clause) -> None:
    """Draw vectors in another frame too, each in a panel of its own: ``B in GSM as well``."""
    if _REPLACES.search(editor.said):
        raise NotUnderstood("helio does not understand whether the vector in the other frame stays")
    new = str(clause.value("frame"))
    lines = [line for name in clause.names for line in editor.known(name)]
    for line in lines:
        old = editor.lines.frame(line)
        if not editor.lines.is_vector(line) or not {old, new} <= set(TURNABLE) or old == new:
            raise NotUnderstood(f"helio cannot rotate {line} from {old or 'its frame'} to {new}")
        editor.draw(_rotated(editor, line, new), near=line, own_panel=True)


def epochs_of(editor: FigureEditor, label: str) -> str:
    """Return the step, or the label, whose epochs a table has."""
    step = editor.lines.step(label)
    while step.tool in (*_SAME_EPOCHS, "align") and step.labels:
        step = editor.lines.step(step.params["onto_label"] if step.tool == "align" else step.labels[0])
    return str(step.id) or label


def cadences_of(editor: FigureEditor, line: str) -> list[float]:
    """Return the cadences of the data behind a line, in seconds, as far as helio's table or the catalogue has them."""
    fetched = {pair for label in editor.behind(line) for pair in editor.lines.pairs(label)}
    known = [row.cadence for row in SOURCES if row.cadence and (row.dataset, *row.parameters) in fetched]
    datasets = sorted({dataset for dataset, _ in fetched if dataset in editor.catalogue})
    listed = [editor.catalogue.summary(dataset).cadence for dataset in datasets]
    return known or [seconds for cadence in listed if len(cadence) == 1 for seconds in cadence]


def times_of(editor: FigureEditor, label: str) -> tuple[str, ...]:
    """Return whose times a table has: those of a dataset, or of the step that made them."""
    made = epochs_of(editor, label)
    fetched = [step.params for step, _ in editor.fetches if str(step.id) == made]
    return tuple(str(fetched[0].get(key)) for key in ("dataset_id", "time_range")) if fetched else (made,)


def aligned(editor: FigureEditor, label: str, clock: str, args: Document) -> str:
    """Align a table with the times of another; return the new label."""
    clock = whole_of(editor, clock)
    ids = [str(step["step_id"]) for step in editor.after["steps"]]
    last = max((label, clock), key=lambda made: ids.index(str(editor.lines.step(made).id)))
    cadences = [*cadences_of(editor, label), *cadences_of(editor, clock)] or [_USUAL_CADENCE]
    # The nearest sample of the same data is at the epoch itself: a missing value stays missing.
    records = 1 if args.get("method") == "nearest" else 3
    args = {"series_label": label, "onto_label": clock, "limit": duration(records * max(cadences))} | args
    intent = f"Align with the epochs of {clock}"
    return editor.compute("align", f"{label}_aligned", args, intent, after=whole_of(editor, last))


def whole_of(editor: FigureEditor, line: str) -> str:
    return owner(line, editor.lines.producers) or line


def new_of(values: list[str], present: set[str], clause: Clause) -> str:
    """Return which of two values is the new one: the first of ``A instead of B``, the second of ``from A to B``."""
    absent = [value for value in values if value not in present]
    return absent[0] if len(absent) == 1 else values[0 if clause.has("rel:instead_of") else -1]


def lines_named(editor: FigureEditor, clause: Clause) -> list[str]:
    lines = [line for name in clause.new_names for line in editor.known(name, every=True)]
    numbers = panel_numbers(editor, clause.of("panel"))
    numbers += [at for side, at in (("top", 1), ("bottom", len(editor.panels))) if clause.has(f"rel:{side}")]
    within = editor.lines_in(numbers)
    return [line for line in lines if not numbers or line in within] or within


def steps_behind(editor: FigureEditor, line: str) -> list[Any]:
    """Return the steps from which a line is computed."""
    return [editor.lines.producers[label] for label in editor.behind(line)]


def _in_frame(dataset: str, parameter: str, frame: str) -> tuple[str, str] | None:
    """Return the parameter of the same dataset that has the same quantity in another frame, if there is one."""
    known = _row((dataset, parameter))
    if known is None or not known.frame:
        return None
    alike = alike_in(known, frame)
    fitting = [row for row in alike if row.dataset == dataset]
    if not fitting and not {known.frame, frame} <= set(TURNABLE):
        fitting = [row for row in alike if row.cadence]
    row = min(fitting, key=lambda other: abs((other.cadence or 0) - (known.cadence or 0)), default=None)
    return (row.dataset, row.parameters[0]) if row is not None and len(row.parameters) == 1 else None


def alike_in(known: QuantitySource, frame: str) -> list[QuantitySource]:
    """Return the rows of helio's table of the same quantity of the same spacecraft, in a frame."""
    same = (known.quantity, known.spacecraft, frame)
    return [row for row in SOURCES if (row.quantity, row.spacecraft, row.frame) == same]


def _has_cadence(row: QuantitySource, seconds: float) -> bool:
    return row.cadence is not None and abs(row.cadence - seconds) <= 0.1 * seconds


def set_cadence(editor: FigureEditor, clause: Clause) -> None:
    """Fetch the same quantities at another cadence."""
    durations = [atom.value for atom in clause.of("duration")]
    crafts = [spellings()[atom.text.casefold()] for atom in clause.of("craft")]
    length = durations[0 if clause.has("rel:instead_of") else -1]
    seconds = Duration(length).nanoseconds / 1e9
    operations: list[Operation] = []
    changed, kept = list[tuple[str, str]](), list[tuple[str, str]]()
    for view, pairs in editor.fetches:
        new = [found for pair in pairs[:1] if (found := _at_cadence(*pair, crafts, seconds)) is not None]
        (changed if new else kept).extend(pairs[:1])
        if new and new != pairs:
            operations += refetched(editor.after, view, new)
        elif view.params.get("parameters") or (pairs and _row(pairs[0]) is None):
            operations += _whole_at_cadence(editor, view, crafts, seconds)
    known = [row for pair in fetched_pairs(editor) if (row := _row(pair))]
    rows = [row for row in known if not crafts or row.spacecraft in crafts]
    if rows and all(row.cadence == seconds for row in rows):
        editor.notes.append(f"the data have a cadence of {length} already")
        return
    if not operations:
        raise NotUnderstood(
            f"helio knows no {length} data{f' of {crafts[0]}' if crafts else ''} of all the same quantities",
            advice=f"say 'average all lines over {length}'",
        )
    lacking = [pair for pair in kept if _quantity(pair) in {*map(_quantity, changed)} - {""}]
    if lacking and not crafts:
        raise NotUnderstood(
            f"helio knows {length} data instead of {'.'.join(changed[0])}, but none instead of {'.'.join(lacking[0])}",
            advice=f"say 'average all lines over {length}'",
        )
    editor.do(*operations)


def _row(pair: tuple[str, str]) -> QuantitySource | None:
    """Return the row of helio's table of a parameter, if it has one."""
    return next((row for row in SOURCES if (row.dataset, *row.parameters) == pair), None)


def _quantity(pair: tuple[str, str]) -> str:
    return row.quantity if (row := _row(pair)) else ""


def _whole_at_cadence(
    editor: FigureEditor, view: StepView, crafts: list[str], seconds: float
) -> list[Operation]:
    """Return the operations by which a fetch of several parameters takes a dataset with the same ones at a cadence."""
    dataset = str(view.params.get("dataset_id", ""))
    names = {*view.params.get("parameters", (view.params.get("parameter_id"),))}
    if dataset not in editor.catalogue:
        return []
    craft = editor.catalogue.summary(dataset).spacecraft
    if crafts and craft not in crafts:
        return []
    rows = {row.dataset for row in SOURCES if row.spacecraft == craft and _has_cadence(row, seconds)}
    for name in sorted(rows - {dataset}):
        has = {parameter.name for parameter in editor.catalogue.dataset(name).parameters}
        if names <= has:
            return replaced_args(editor.after, view, dict(view.params) | {"dataset_id": name})
    return []


def _at_cadence(dataset: str, parameter: str, crafts: list[str], seconds: float) -> tuple[str, str] | None:
    """Return the dataset and parameter with the same quantity, frame and unit at another cadence, if there is one."""
    known = _row((dataset, parameter))
    if known is None or (crafts and known.spacecraft not in crafts):
        return None
    alike = [row for row in alike_in(known, known.frame) if row.unit == known.unit]
    row = next((row for row in alike if _has_cadence(row, seconds)), None)
    return None if row is None or len(row.parameters) != 1 else (row.dataset, row.parameters[0])


def convert(editor: FigureEditor, clause: Clause) -> None:
    """Convert lines to another unit, and write the unit into the label of the axis."""
    units = [unit_of(atom.text) for atom in clause.of("unit")]
    lines = lines_named(editor, clause) or [
        line for line in editor.drawn if _convertible(editor.lines.unit(line), units[0])
    ]
    present = {editor.lines.unit(line) for line in lines}
    to = new_of(units, present, clause)
    if not lines:
        raise NotUnderstood(f"no line of the figure can be given in {to}")
    for line in lines:
        _convert_line(editor, line, to)


def convert_inputs(editor: FigureEditor, clause: Clause) -> None:
    """Convert what is read by the steps of a line: ``convert P_TEMP to K before computing beta``."""
    units = [unit_of(atom.text) for atom in clause.of("unit")]
    names, _ = clause.beside("rel:before", "what")
    after = [_COMPUTING.sub("", atom.text) for atom in clause.beside("rel:before", "what", "tool")[1]]
    lines = [line for name in after for line in editor.known(name, every=True)] or editor.drawn
    steps = {
        str(step.id): step for line in lines for step in steps_behind(editor, line) if step.tool != FETCH
    }
    inputs = [label for step in steps.values() for label in step.labels]
    meant = [
        label
        for words in (atom.text.casefold() for atom in names)
        for label in dict.fromkeys(inputs)
        if words in (label.casefold(), label.rpartition(".")[2].casefold())
        or says(editor.lines.own_words(label), words)
    ]
    if len(meant) != 1:
        raise NotUnderstood(f"helio does not understand which data to convert: {', '.join(meant or inputs)}")
    (label,), unit = meant, editor.lines.unit(meant[0])
    if not _convertible(unit, units[-1]):
        raise NotUnderstood(f"{label} cannot be given in {units[-1]}: it is in {unit or 'an unknown unit'}")
    new = _converted(editor, label, unit, units[-1])
    for name, step in steps.items():
        if label in step.labels:
            editor.do(Operation("rewire", name, old=label, new=new))


_COMPUTING = re.compile(r"^(?:comput|calculat|deriv)\w*\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)


def _convertible(unit: str, to: str) -> bool:
    thermal = {unit, to} <= {"eV", "keV", "K", "MK"} and not comparable(unit, to)
    return bool(unit and unit != to and (thermal or comparable(unit, to)))


def _convert_line(editor: FigureEditor, line: str, to: str) -> None:
    unit = editor.lines.unit(line)
    if unit == to:
        raise NotUnderstood(f"{line} is in {to} already")
    if not _convertible(unit, to):
        raise NotUnderstood(f"{line} cannot be given in {to}" + (f": it is in {unit}" if unit else ""))
    for entry in editor.spec.get("histograms") or []:
        in_unit = {"bin_width", "x_range"} & entry.keys() or isinstance(entry.get("bins"), list)
        if in_unit and line in entry_labels("histograms", entry):
            raise NotUnderstood(
                f"the histogram of {line} has bins or a range in {unit}",
                advice=f"write a new pipeline with the histogram in {to}",
            )
    number = str([*editor.panels_with([line]), ""][0])
    editor.draw_instead(line, _converted(editor, line, unit, to))
    write_unit(editor, number, unit, to)


def _converted(editor: FigureEditor, label: str, unit: str, to: str) -> str:
    """Add a step that converts a label to a unit; return the new label."""
    new = f"{label}_" + re.sub(r"\W+", "", to)
    args = {"source_label": label, "to": to} | ({} if comparable(unit, to) else {"equivalence": "thermal"})
    return editor.compute("convert_units", new, args, f"Convert to {to}", after=whole_of(editor, label))


def write_unit(editor: FigureEditor, number: str, old: str, new: str) -> None:
    """Write a new unit into the label of the axis of a panel, if it names the old unit."""
    labels = object_of(editor.spec.get("y_label"))
    if number not in labels:
        return
    written = re.sub(
        r"\[([^\]]+)\]",
        lambda match: f"[{pretty_unit(new)}]" if canonical_unit(match[1]) == old else match[0],
        str(labels[number]),
    )
    if written != labels[number]:
        editor.put("y_label", written, number)
