"""Change what a pipeline computes: its times, spacecraft, frames, units, and the arguments of its steps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from helio.authoring.fetches import FETCH, fetch_pairs
from helio.authoring.operations import Operation
from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.authoring.rules.arranging import interval_of, moment_in
from helio.authoring.rules.atoms import SOFT, Atom, Number
from helio.authoring.rules.clauses import Clause, Rule
from helio.authoring.rules.figure import FigureEditor
from helio.authoring.rules.sentence import OF_A_TIME
from helio.authoring.rules.settings import limit_panels, panel_numbers
from helio.authoring.rules.storms import STORMS
from helio.authoring.swapping import crafts_in, refetched, replaced_args, swapped
from helio.authoring.writing.computations import APPLIED
from helio.authoring.writing.writer import FILE_ENDINGS, WINDOWS, default_range
from helio.knowledge.frame_names import TURNABLE
from helio.knowledge.quantities import SOURCES, spellings
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.template.document import Document
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.steps.signature import signatures
from helio.time_range import Duration, parse_time_range

_SMOOTHING = ("running_average", "running_median", "resample")
_RELATIVE = r"last|past|this|current|previous|today|yesterday|now|ago"
_UNITS = {
    "kelvin": "K",
    "electronvolt": "eV",
    "electronvolts": "eV",
    "electron volts": "eV",
    "degrees": "deg",
    "RE": "R_E",
}


# Times ----------------------------------------------------------------------------------------------------


def _time_variable(editor: FigureEditor) -> str:
    variables = editor.after.get("variables") or {}
    names = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
    if not names:
        raise NotUnderstood(
            "this pipeline has no variable for its time range",
            advice="use `helio fix` to make a variable from the time ranges",
        )
    return names[0] if len(names) == 1 else editor.ask("Which time range do you mean?", names)


def set_time(editor: FigureEditor, clause: Clause) -> None:
    """Set the time range."""
    times = [str(atom.value) for atom in clause.of("time", "moment")]
    if clause.has("rel:also", "verb:add"):
        raise NotUnderstood(
            "without a language model, helio can replace the time range but not add a second one",
            advice=f"say 'use {times[0]} instead', or {USE_A_MODEL}",
        )
    if len(times) == 2 and clause.has("rel:instead_of"):
        times = times[:1]
    if len(times) > 1:
        raise NotUnderstood(
            f"the request names {len(times)} time ranges: {', '.join(times)}",
            advice="give one time range, such as 'A to B'",
        )
    name = _time_variable(editor)
    default, notes = default_range(times[0], parse_time_range(times[0], editor.now), editor.now)
    editor.do(Operation("set", "", ("variables", name, "default"), default))
    editor.notes += notes


def zoom_to_clocks(editor: FigureEditor, clause: Clause) -> None:
    """Set the time range to an interval that the request gives by times of the day."""
    start, stop = interval_of(editor, clause)
    if start >= stop:
        raise NotUnderstood(f"{stop} is not after {start}", advice="give the dates, as 'A to B'")
    editor.do(Operation("set", "", ("variables", _time_variable(editor), "default"), f"{start} to {stop}"))


_EDGE = re.compile(
    r"\b(?:(?P<start>from|since|start\w*|begin\w*)|(?P<stop>until|till|up\s+to|end\w*|stop\w*))\b",
    re.IGNORECASE,
)


def move_edge(editor: FigureEditor, clause: Clause) -> None:
    """Let the time range begin or end at a moment: ``begin at 15:00``."""
    name = _time_variable(editor)
    span = parse_time_range(str(editor.after["variables"][name].get("default", "")), editor.now)
    edge = _EDGE.search(clause.text)
    moment = moment_in(editor, clause)
    start, stop = (moment, f"{span.stop:%Y-%m-%dT%H:%M:%S}")
    if edge is None or edge["start"] is None:
        start, stop = f"{span.start:%Y-%m-%dT%H:%M:%S}", moment
    if start >= stop:
        raise NotUnderstood(f"nothing would be left of {span.text}", advice="give the dates, as 'A to B'")
    editor.do(Operation("set", "", ("variables", name, "default"), f"{start} to {stop}"))


def _names_no_data(clause: Clause) -> bool:
    """Return whether the names of a clause only say what happened then: ``the 7-8 March 2012 event``."""
    return set(" ".join(clause.names).casefold().split()) <= OF_A_TIME


def move_time(editor: FigureEditor, clause: Clause) -> None:
    """Move, extend or shorten the time range by a length."""
    own = _variable_named(editor, clause)
    if own and clause.has("duration"):
        editor.do(Operation("set", "", ("variables", own, "default"), clause.value("duration")))
        return
    name = _time_variable(editor)
    default = str(editor.after["variables"][name].get("default", ""))
    if re.search(rf"\b(?:{_RELATIVE})\b", default, re.IGNORECASE):
        raise NotUnderstood(
            f"'{default}' follows the date of each run, so helio cannot move it",
            advice="give the dates, as 'A to B'",
        )
    span = parse_time_range(default, editor.now)
    start, stop = span.start, span.stop
    length = clause.value("duration")
    by = timedelta(microseconds=Duration(length).nanoseconds / 1000) if length else timedelta()
    early = clause.has("rel:back", "rel:before", "noun:start")
    if clause.has("factor"):
        whole = stop - start
        stop = start + whole * clause.value("factor")
    elif clause.has("rel:around"):
        start, stop = start - by, stop + by
    elif clause.has("noun:start", "noun:end") and not clause.has(
        "verb:extend", "verb:add", "verb:shorten", "rel:more"
    ):
        by = -by if clause.has("rel:back", "rel:before") else by
        start, stop = (start + by, stop) if clause.has("noun:start") else (start, stop + by)
    elif clause.has("verb:shorten", "verb:remove"):
        start, stop = (start + by, stop) if clause.has("noun:start") else (start, stop - by)
    elif clause.has("verb:extend", "verb:add", "rel:more") or clause.has("verb:show"):
        start, stop = (start - by, stop) if early else (start, stop + by)
    else:
        by = -by if clause.has("rel:back", "rel:before") else by
        start, stop = start + by, stop + by
    if start >= stop:
        raise NotUnderstood(f"nothing would be left of {span.text}", advice="give the dates, as 'A to B'")
    whole_days = all(moment.time() == datetime.min.time() for moment in (start, stop))
    form = "%Y-%m-%d" if whole_days else "%Y-%m-%dT%H:%M:%S"
    editor.do(Operation("set", "", ("variables", name, "default"), f"{start:{form}} to {stop:{form}}"))


_LONGER = (
    "rel:back", "rel:forward", "rel:around", "rel:more", "verb:extend", "verb:shorten", "noun:start", "noun:end"
)  # fmt: skip


def _moves_time(clause: Clause) -> bool:
    if clause.has("duration"):
        return clause.has(*_LONGER, "rel:before", "rel:after") and clause.has(
            *_LONGER, "verb:shift", "verb:move", "verb:add", "verb:show", "verb:remove"
        )
    return clause.has("verb:extend", "noun:time")


# Spacecraft -----------------------------------------------------------------------------------------------


def swap_craft(editor: FigureEditor, clause: Clause) -> None:
    """Replace a spacecraft by another."""
    named = [spellings()[atom.text.casefold()] for atom in clause.of("craft")]
    present = crafts_in(editor.after, editor.catalogue)
    new, old = named[0], ""
    if len(named) == 2:
        first_is_new = clause.has("rel:instead_of") or not clause.has("verb:replace", "verb:swap")
        new, old = named if first_is_new and named[0] not in present else named[::-1]
        if new in present and old in present:
            new, old = named if clause.has("rel:instead_of") else named[::-1]
    if not old and len(present) > 1:
        others = [name for name in present if name != new]
        old = editor.ask(f"Which spacecraft should {new} replace?", others)
    operations, notes = swapped(editor.after, new, catalogue=editor.catalogue, instead_of=old)
    editor.do(*operations)
    editor.notes += notes
    editor.swapped = True


def _one_or_two_crafts(clause: Clause) -> bool:
    return 1 <= len(clause.of("craft")) <= 2 and all(atom.kind == "craft" for atom in clause.of("what"))


# Frames, cadences and units -------------------------------------------------------------------------------


def set_frame(editor: FigureEditor, clause: Clause) -> None:
    """Draw vectors in another frame: from a parameter in that frame, or by rotating them."""
    frames = [atom.value for atom in clause.of("frame")]
    lines = _lines_named(editor, clause) or editor.drawn
    present = {editor.lines.frame(_base(editor, line)) for line in lines} - {""}
    new = _new_of(frames, present, clause)
    if present == {new}:
        raise NotUnderstood(f"the vectors of this figure are in {new} already")
    operations: list[Operation] = []
    named = {str(step.id) for line in lines for step in _steps_behind(editor, line)}
    for step in editor.after["steps"]:
        view = view_in(step, signatures())
        pairs = fetch_pairs(view.params) if view.tool == FETCH else []
        pairs_new = [in_frame for pair in pairs if (in_frame := _in_frame(*pair, new)) is not None]
        if str(step["step_id"]) in named and pairs and len(pairs_new) == len(pairs) and pairs_new != pairs:
            operations += refetched(editor.after, view, pairs_new)
    if operations:
        editor.do(*operations)
        _write_frame(editor, present, new)
    turned = _turn(editor, lines if not operations else [], new)
    if not operations and not turned:
        raise NotUnderstood(f"no vector of this pipeline is available in {new}")


def _write_frame(editor: FigureEditor, old: set[str], new: str) -> None:
    """Write the new frame into the labels of axes."""
    labels = editor.spec.get("y_label")
    for number, text in labels.items() if isinstance(labels, dict) else ():
        for frame in old:
            if re.search(rf"\b{frame}\b", str(text)) and frame != new:
                editor.put("y_label", re.sub(rf"\b{frame}\b", new, str(text)), number)


def _turn(editor: FigureEditor, lines: list[str], new: str) -> bool:
    """Rotate each vector of lines, and draw the rotated vector."""
    turned: dict[str, str] = {}
    for line in lines:
        base = _base(editor, line)
        frame = editor.lines.frame(base)
        if not editor.lines.is_vector(base) or frame not in TURNABLE or new not in TURNABLE or frame == new:
            continue
        if base not in turned:
            label = editor.free_label(f"{base}_{new}")
            args = {"source_label": base, "to": new, "output_label": label}
            editor.add_step(editor.free_id(label), "transform_frame", args, f"Rotate to {new}", after=base)
            turned[base] = label
        editor.draw_instead(line, turned[base] + line[len(base) :])
        _write_frame(editor, {frame}, new)
    return bool(turned)


def _base(editor: FigureEditor, line: str) -> str:
    return owner(line, editor.lines.producers) or line


def _new_of(values: list[str], present: set[str], clause: Clause) -> str:
    """Return which of two values is the new one: the first of ``A instead of B``, the second of ``from A to B``."""
    if len(values) == 1:
        return values[0]
    absent = [value for value in values if value not in present]
    if len(absent) == 1:
        return absent[0]
    return values[0] if clause.has("rel:instead_of") else values[-1]


def _lines_named(editor: FigureEditor, clause: Clause) -> list[str]:
    lines = [line for name in clause.names for line in editor.known(name, every=True)]
    numbers = panel_numbers(editor, clause.of("panel"))
    numbers += [at for side, at in (("top", 1), ("bottom", len(editor.panels))) if clause.has(f"rel:{side}")]
    if numbers and lines:
        lines = [line for line in lines if any(line in editor.panels[number - 1] for number in numbers)]
    return lines or [line for number in numbers for line in editor.panels[number - 1]]


def _steps_behind(editor: FigureEditor, line: str) -> list[Any]:
    """Return the steps from which a line is computed."""
    producers = editor.lines.producers
    steps, queue = [], [_base(editor, line)]
    while queue:
        label = queue.pop()
        step = producers.get(label)
        if step is None or step in steps:
            continue
        steps.append(step)
        queue += [owner(read, producers) or read for read in step.labels]
    return steps


def _in_frame(dataset: str, parameter: str, frame: str) -> tuple[str, str] | None:
    """Return the parameter of the same dataset that has the same quantity in another frame, if there is one."""
    rows = [row for row in SOURCES if row.dataset == dataset]
    known = next((row for row in rows if row.parameters == (parameter,)), None)
    if known is None or not known.frame:
        return None
    same = (known.quantity, known.spacecraft, frame)
    row = next((row for row in rows if (row.quantity, row.spacecraft, row.frame) == same), None)
    if row is None and not (known.frame in TURNABLE and frame in TURNABLE):
        others = [row for row in SOURCES if (row.quantity, row.spacecraft, row.frame) == same and row.cadence]
        row = min(others, key=lambda other: abs((other.cadence or 0) - (known.cadence or 0)), default=None)
    return (row.dataset, row.parameters[0]) if row is not None and len(row.parameters) == 1 else None


def set_cadence(editor: FigureEditor, clause: Clause) -> None:
    """Fetch the same quantities at another cadence."""
    durations = [atom.value for atom in clause.of("duration")]
    crafts = [spellings()[atom.text.casefold()] for atom in clause.of("craft")]
    length = durations[0]
    if len(durations) == 2 and not clause.has("rel:instead_of"):
        length = durations[1]
    seconds = Duration(length).nanoseconds / 1e9
    operations: list[Operation] = []
    for step in editor.after["steps"]:
        view = view_in(step, signatures())
        pairs = fetch_pairs(view.params) if view.tool == FETCH else []
        new = [found for pair in pairs[:1] if (found := _at_cadence(*pair, crafts, seconds)) is not None]
        if new and new != pairs:
            operations += refetched(editor.after, view, new)
        elif view.tool == FETCH and view.params.get("parameters"):
            operations += _whole_at_cadence(editor, view, crafts, seconds)
    if not operations:
        raise NotUnderstood(f"helio knows no {length} data{f' of {crafts[0]}' if crafts else ''} here")
    editor.do(*operations)


def _whole_at_cadence(
    editor: FigureEditor, view: StepView, crafts: list[str], seconds: float
) -> list[Operation]:
    """Return the operations by which a fetch of several parameters takes a dataset with the same ones at a cadence."""
    dataset, names = str(view.params.get("dataset_id", "")), set(view.params["parameters"])
    if dataset not in editor.catalogue:
        return []
    craft = editor.catalogue.summary(dataset).spacecraft
    if crafts and craft not in crafts:
        return []
    rows = {
        row.dataset
        for row in SOURCES
        if row.cadence is not None and abs(row.cadence - seconds) <= 0.1 * seconds and row.spacecraft == craft
    }
    for name in sorted(rows - {dataset}):
        has = {parameter.name for parameter in editor.catalogue.dataset(name).parameters}
        if names <= has:
            return replaced_args(editor.after, view, dict(view.params) | {"dataset_id": name})
    return []


def _at_cadence(dataset: str, parameter: str, crafts: list[str], seconds: float) -> tuple[str, str] | None:
    """Return the dataset and parameter with the same quantity, frame and unit at another cadence, if there is one."""
    known = next((row for row in SOURCES if row.dataset == dataset and row.parameters == (parameter,)), None)
    if known is None or (crafts and known.spacecraft not in crafts):
        return None
    rows = (
        row
        for row in SOURCES
        if (row.quantity, row.spacecraft, row.frame, row.unit)
        == (known.quantity, known.spacecraft, known.frame, known.unit)
        and row.cadence is not None
        and abs(row.cadence - seconds) <= 0.1 * seconds
    )
    row = next(rows, None)
    return None if row is None or len(row.parameters) != 1 else (row.dataset, row.parameters[0])


def convert(editor: FigureEditor, clause: Clause) -> None:
    """Convert lines to another unit, and write the unit into the label of the axis."""
    units = [canonical_unit(_UNITS.get(atom.text, atom.text)) for atom in clause.of("unit")]
    lines = _lines_named(editor, clause)
    if not lines:
        lines = [line for line in editor.drawn if _convertible(editor.lines.unit(line), units[0])]
    present = {editor.lines.unit(line) for line in lines}
    to = _new_of(units, present, clause)
    if not lines:
        raise NotUnderstood(f"no line of the figure can be given in {to}")
    for line in lines:
        _convert_line(editor, line, to)


def _convertible(unit: str, to: str) -> bool:
    thermal = {unit, to} <= {"eV", "keV", "K", "MK"} and not comparable(unit, to)
    return bool(unit and unit != to and (thermal or comparable(unit, to)))


def _convert_line(editor: FigureEditor, line: str, to: str) -> None:
    unit = editor.lines.unit(line)
    if unit == to:
        raise NotUnderstood(f"{line} is in {to} already")
    if not _convertible(unit, to):
        raise NotUnderstood(f"{line} cannot be given in {to}" + (f": it is in {unit}" if unit else ""))
    thermal = not comparable(unit, to)
    number = next((str(at) for at, panel in enumerate(editor.panels, 1) if line in panel), "")
    ending = re.sub(r"\W+", "", to)
    new = editor.free_label(f"{line}_{ending}")
    args = {"source_label": line, "to": to, "output_label": new} | (
        {"equivalence": "thermal"} if thermal else {}
    )
    editor.add_step(editor.free_id(new), "convert_units", args, f"Convert to {to}", after=_base(editor, line))
    editor.draw_instead(line, new)
    labels = editor.spec.get("y_label")
    if isinstance(labels, dict) and unit in str(labels.get(number, "")):
        editor.put("y_label", labels[number].replace(unit, to), number)


# Computations ---------------------------------------------------------------------------------------------


def set_argument(editor: FigureEditor, step: Document, name: str, value: Any) -> None:
    """Set an argument of a step, or the default of the variable that the argument names."""
    held = (step.get("tool_args") or {}).get(name)
    if isinstance(held, str) and held in (editor.after.get("variables") or {}):
        editor.do(Operation("set", "", ("variables", held, "default"), value))
        return
    editor.do(Operation("set", str(step["step_id"]), ("tool_args", name), value))
    fresh = next(new for new in editor.after["steps"] if new["step_id"] == step["step_id"])
    if isinstance(held, str) and held and held in str(fresh.get("intent", "")):
        editor.do(
            Operation(
                "set", str(step["step_id"]), ("intent",), str(fresh["intent"]).replace(held, str(value))
            )
        )


def set_window(editor: FigureEditor, clause: Clause) -> None:
    """Change the window of the computations that the clause names, or of all."""
    durations = [str(atom.value) for atom in clause.of("duration")]
    tools = [atom.value for atom in clause.of("tool")]
    steps = _of_named(editor, clause, _windowed(editor, tools))
    if not steps and _variable_named(editor, clause):
        set_value(editor, clause)
        return
    if not steps and (tools or clause.has("verb:smooth")) and clause.has("what", "every"):
        smooth(editor, clause)
        return
    if not steps and not clause.has("what"):
        set_value(editor, clause)
        return
    if not steps:
        raise NotUnderstood("the pipeline has no average or other computation with a window to change")
    if not clause.has("what", "tool", "panel", "rel:instead_of"):
        steps = _of_one_window(editor, steps)
    held = {_window_of(editor, step) for step in steps}
    length = _new_of(durations, held, clause)
    if len(durations) == 2:
        old = next(value for value in durations if value != length)
        matching = [step for step in steps if _window_of(editor, step) == old]
        if not matching:
            raise NotUnderstood(f"no window of the pipeline is {old}: {', '.join(sorted(held))}")
        steps = matching
    for step in steps:
        set_argument(editor, step, APPLIED[step["tool_name"]].argument, length)


def _of_one_window(editor: FigureEditor, steps: list[Document]) -> list[Document]:
    """Return the steps of one window; ask which one if the template has variables for several."""
    variables = editor.after.get("variables") or {}
    windows = [
        name for name, facts in variables.items() if facts.get("type") == "duration" and "WINDOW" in name
    ]
    if len(windows) < 2:
        return steps
    chosen = editor.ask("Which window do you mean?", windows)
    return [step for step in editor.after["steps"] if chosen in (step.get("tool_args") or {}).values()]


def _of_named(editor: FigureEditor, clause: Clause, steps: list[Document]) -> list[Document]:
    """Return those of some steps that the named lines come from, or that take the named lines."""
    if not clause.has("what", "panel", "rel:top", "rel:bottom"):
        return steps
    lines = _lines_named(editor, clause)
    behind = {str(step.id) for line in lines for step in _steps_behind(editor, line)}
    named = [step for step in steps if str(step["step_id"]) in behind]
    if named:
        return named
    parts = {
        (_base(editor, line), line[len(_base(editor, line)) :].strip("._").casefold()[-1:]) for line in lines
    }
    taking = []
    for step in steps:
        read = str(step["tool_args"].get("source_label", ""))
        base = _base(editor, read)
        if (base, read[len(base) :].casefold()[-1:]) in parts or (base, "") in parts:
            taking.append(step)
    return taking


def _window_of(editor: FigureEditor, step: Document) -> str:
    held = str(step["tool_args"].get(APPLIED[step["tool_name"]].argument, ""))
    variables = editor.after.get("variables") or {}
    return str(variables[held].get("default", "")) if held in variables else held


def _windowed(editor: FigureEditor, tools: list[str]) -> list[Document]:
    """Return the steps with a window: of the named tools, or the averages, or any others if there are no averages."""
    steps = [
        step
        for step in editor.after["steps"]
        if step.get("tool_name") in APPLIED and APPLIED[step["tool_name"]].argument
    ]
    if tools:
        same = {"running_average", "running_median", "resample"}
        wanted = set(tools) | (same if set(tools) & same else set())
        exact = [step for step in steps if step["tool_name"] in tools]
        return exact or [step for step in steps if step["tool_name"] in wanted]
    averages = [step for step in steps if step["tool_name"] in _SMOOTHING]
    return averages or steps


def _is_smoothed(editor: FigureEditor, line: str, tools: list[str]) -> bool:
    made = editor.lines.producers.get(_base(editor, line))
    return made is not None and made.tool in (tools or ("running_average", "running_median"))


def smooth(editor: FigureEditor, clause: Clause) -> None:
    """Draw smoothed, averaged or cleaned lines instead of the lines themselves."""
    tools = [atom.value for atom in clause.of("tool")]
    tool = tools[0] if tools else "running_average"
    computation = APPLIED[tool]
    window = clause.value("duration") or ""
    if computation.argument and not window:
        window = editor.ask(f"How long is the window of the {tool.replace('_', ' ')}?", WINDOWS)
    relation = next(iter(clause.of("rel:instead_of")), None)
    names = [atom.text for atom in clause.of("what") if relation is None or atom.start < relation.start]
    lines = [line for name in names for line in editor.known(name)]
    smoothed = [line for line in editor.drawn if _is_smoothed(editor, line, tools)]
    if not lines:  # smooth with 30 min: a new window of what is smoothed already
        lines = smoothed if smoothed and window and not clause.has("every") else editor.drawn
    for line in dict.fromkeys(lines):
        made = editor.lines.producers.get(_base(editor, line))
        if made is not None and window and made.tool in _SMOOTHING and (made.tool == tool or not tools):
            held = next(step for step in editor.after["steps"] if str(step["step_id"]) == str(made.id))
            set_argument(editor, held, APPLIED[made.tool].argument, window)
            continue
        source = editor.component(line)
        new = editor.free_label(f"{source}_{computation.ending}")
        given = {computation.argument: window} if computation.argument else {}
        args = {"source_label": source, **given, "output_label": new}
        intent = computation.intent.format(window=window, method="mean")
        editor.add_step(editor.free_id(new), tool, args, intent, after=_base(editor, source))
        editor.draw_instead(line, new)


def add_beside(editor: FigureEditor, clause: Clause) -> None:
    """Compute a new line from each of the meant lines, and draw the new line in the same panel."""
    tool = str(clause.value("tool"))
    computation = APPLIED[tool]
    window = clause.value("duration") or ""
    if computation.argument and not window:
        window = editor.ask(f"How long is the window of the {tool.replace('_', ' ')}?", WINDOWS)
    lines = [line for name in clause.names for line in editor.known(name)]
    if not lines:
        drawn = editor.drawn
        lines = [line for line in drawn if not editor.lines.is_vector(line)] if len(drawn) > 1 else drawn
        lines = lines or drawn
    for line in lines:
        label = editor.component(line)
        new = editor.free_label(f"{label}_{computation.ending}")
        given = {computation.argument: window} if computation.argument else {}
        args = {"source_label": label, **given, "output_label": new}
        intent = computation.intent.format(window=window, method="mean")
        editor.add_step(editor.free_id(new), tool, args, intent, after=_base(editor, label))
        editor.draw(new, near=line, own_panel=clause.has("rel:own_panel") or computation.spectral)
        if clause.has("colour"):
            editor.put("trace_colors", clause.value("colour"), new)
        if clause.has("dash"):
            editor.put("line_styles", clause.value("dash"), new, "dash")


def smooth_or_add(editor: FigureEditor, clause: Clause) -> None:
    """Draw a computed line, beside the line or instead of it; a line that is computed so already gets the window."""
    if clause.has("duration") and _of_named(editor, clause, _windowed(editor, [clause.value("tool")])):
        set_window(editor, clause)
        return
    beside, instead = "beside the line", "instead of the line"
    answer = editor.ask(
        f"Should the {clause.of('tool')[0].text} be drawn beside the line or instead of it?",
        [beside, instead],
    )
    (add_beside if answer == beside else smooth)(editor, clause)


def _adds_tool(clause: Clause) -> bool:
    return all(atom.value in APPLIED for atom in clause.of("tool"))


def change_tool(editor: FigureEditor, clause: Clause) -> None:
    """Let steps use another tool: a running median instead of a running average, with the same window."""
    tools = [str(atom.value) for atom in clause.of("tool")]
    steps = [step for step in editor.after["steps"] if step.get("tool_name") in _SMOOTHING]
    new = _new_of(tools, {str(step["tool_name"]) for step in steps}, clause)
    steps = [step for step in steps if step["tool_name"] != new or clause.has("duration")]
    steps = _of_named(editor, clause, steps)
    if not steps:
        raise NotUnderstood("the pipeline has no average or median to change")
    for step in steps:
        args, old, computation = step["tool_args"], APPLIED[step["tool_name"]], APPLIED[new]
        durations = [str(atom.value) for atom in clause.of("duration")]
        length = _new_of(durations, {_window_of(editor, step)}, clause) if durations else args[old.argument]
        changed = {key: value for key, value in args.items() if key not in (old.argument, "method")}
        changed[computation.argument] = length
        name = str(step["step_id"])
        editor.do(
            Operation("set", name, ("tool_name",), new), Operation("set", name, ("tool_args",), changed)
        )
        if step.get("intent"):
            editor.do(
                Operation("set", name, ("intent",), computation.intent.format(window=length, method="mean"))
            )


def _is_average(clause: Clause) -> bool:
    return all(atom.value in _SMOOTHING for atom in clause.of("tool"))


def without_tool(editor: FigureEditor, clause: Clause) -> None:
    """Draw lines without a computation: the series that the computation took."""
    tools = [str(atom.value) for atom in clause.of("tool")] or list(_SMOOTHING)
    same = set(_SMOOTHING) if set(tools) & set(_SMOOTHING) else set(tools)
    lines = _lines_named(editor, clause) or editor.drawn
    changed = False
    for line in lines:
        step = editor.lines.producers.get(_base(editor, line))
        source = step.params.get("source_label") if step is not None and step.tool in same else None
        if not isinstance(source, str):
            continue
        if any(source in panel for panel in editor.panels):
            editor.redraw([[label for label in panel if label != line] for panel in editor.panels])
        else:
            editor.draw_instead(line, source)
        changed = True
        editor.raw.add(source)
    if not changed and not editor.raw:
        raise NotUnderstood("no line of the figure is smoothed or averaged")


def set_value(editor: FigureEditor, clause: Clause) -> None:
    """Set a variable, or an argument of the one tool that has an argument of this name."""
    words = _argument_words(clause)
    value = _argument_value(clause)
    variables = editor.after.get("variables") or {}
    named = [
        name
        for name, variable in variables.items()
        if _words_of(name) <= words and variable.get("type") != "time_range"
    ]
    if len(named) > 1:
        named = [
            name for name in named if len(_words_of(name)) == max(len(_words_of(rival)) for rival in named)
        ]
    named = named or _described(editor, clause, words)
    if len(named) == 1:
        _check_words(editor, words, named[0], _steps_with(editor, named[0]))
        editor.do(Operation("set", "", ("variables", named[0], "default"), value))
        return
    places = [
        (step, name)
        for step in editor.after["steps"]
        if (signature := signatures().get(str(step.get("tool_name")))) is not None
        for name in (argument.name for argument in signature.arguments)
        if _words_of(name) <= words
        and str(step.get("tool_name")) not in ("render_spec", "plot_data", "style_plot", FETCH)
    ]
    if not places:
        unread = [word for word in re.findall(r"[^\s,;:()\"]+", clause.text) if word.casefold() not in SOFT]
        raise NotUnderstood(f"helio does not understand {', '.join(map(repr, unread))}")
    if len({name for _, name in places}) > 1:
        raise NotUnderstood(
            f"several arguments are called so: {', '.join(sorted({name for _, name in places}))}"
        )
    _check_words(editor, words, places[0][1], [step for step, _ in places])
    for step, name in places:
        set_argument(editor, step, name, value)


def _described(editor: FigureEditor, clause: Clause, words: set[str]) -> list[str]:
    """Return the variables of the value's type whose name and description have all words, and its unit."""
    kind = "duration" if clause.has("duration") else "number"
    number = clause.value("number")
    unit = number.unit if number is not None else ""
    return [
        name
        for name, variable in (editor.after.get("variables") or {}).items()
        if variable.get("type") == kind
        and words - {"window"} <= _words_of(f"{name} {variable.get('description', '')}")
        and (not unit or re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", str(variable.get("description", ""))))
        and words & _words_of(name)
    ]


def _steps_with(editor: FigureEditor, variable: str) -> list[Document]:
    """Return the steps with an argument that is a variable."""
    return [step for step in editor.after["steps"] if variable in (step.get("tool_args") or {}).values()]


def _variable_named(editor: FigureEditor, clause: Clause) -> str:
    """Return the variable that the words of a clause name, if there is exactly one."""
    words = _argument_words(clause)
    variables = editor.after.get("variables") or {}
    named = [
        name
        for name, variable in variables.items()
        if _words_of(name) <= words and variable.get("type") != "time_range"
    ]
    return named[0] if len(named) == 1 else ""


def set_threshold(editor: FigureEditor, clause: Clause) -> bool:
    """Set the threshold of the events found in the named line, if the clause means it; return whether it does."""
    name = _variable_named(editor, clause)
    if name:
        set_value(editor, clause)
        return True
    limits = clause.value("bound")
    value = limits.high if limits.low is None else limits.low
    lines = {_base(editor, line) for words in clause.names for line in editor.known(words, every=True)}
    behind = {label for line in lines for label in editor.behind(line)}
    steps = [
        step
        for step in editor.after["steps"]
        if "threshold" in (step.get("tool_args") or {})
        and step["tool_args"].get("source_label") in behind | lines
    ]
    for step in steps:
        set_argument(editor, step, "threshold", int(value) if float(value).is_integer() else value)
    return bool(steps)


def keep_storms(editor: FigureEditor, clause: Clause) -> None:
    """Set the threshold of storms to that of the named class."""
    word = next(word for word in STORMS if re.search(rf"\b{word}\b", clause.text, re.IGNORECASE))
    steps = [step for step in editor.after["steps"] if "threshold" in (step.get("tool_args") or {})]
    if not steps:
        raise NotUnderstood("the pipeline finds no storms")
    for step in steps:
        set_argument(editor, step, "threshold", STORMS[word])


def limit(editor: FigureEditor, clause: Clause) -> None:
    """Set a threshold that the words mean, or otherwise one limit of an axis."""
    if not set_threshold(editor, clause):
        limit_panels(editor, clause)


_COUNT = "count|consider|find|list|select|regard|treat"


def _names_storms(clause: Clause) -> bool:
    return bool(re.search(r"\bstorms?\b", clause.text, re.IGNORECASE)) and all(
        re.fullmatch(rf"(?:(?:{_COUNT})\s+)?(?:{'|'.join(STORMS)})[ -]?storms?|{_COUNT}", name, re.IGNORECASE)
        for name in clause.names
    )


def _check_words(editor: FigureEditor, words: set[str], name: str, steps: list[Document]) -> None:
    """Refuse words that are neither of the name of a value nor of the steps that take it."""
    variable = (editor.after.get("variables") or {}).get(name, {})
    known = _words_of(f"{name} {variable.get('description', '')}")
    for step in steps:
        text = json.dumps(
            [step.get("step_id"), step.get("tool_name"), step.get("tool_args"), step.get("intent")]
        )
        known |= _words_of(text.replace("_", " "))
        for label in (step.get("tool_args") or {}).values():
            if isinstance(label, str) and label in editor.lines.producers:
                known |= _words_of(editor.lines.all_words(label))
    left = words - known - {"value", "window", "limit", "level"}
    if left:
        raise NotUnderstood(f"helio does not understand {', '.join(map(repr, sorted(left)))}")


def _argument_words(clause: Clause) -> set[str]:
    words = " ".join(
        atom.text for atom in clause.all if atom.kind in ("what", "noun", "bound", "rel", "tool")
    ).casefold()
    return {word.rstrip("s") for word in re.findall(r"[a-z]+", words)} - {
        "the",
        "of",
        "a",
        "to",
        "than",
        "below",
        "above",
    }


def _words_of(name: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z]+", name.casefold())}


def _argument_value(clause: Clause) -> Any:
    for kind in ("number", "duration", "bound", "text"):
        value = clause.value(kind)
        if value is None:
            continue
        if isinstance(value, Number):
            return int(value.value) if value.value.is_integer() else value.value
        if kind == "bound":
            limit = value.low if value.low is not None else value.high
            return int(limit) if float(limit).is_integer() else limit
        return value
    return None


# Files ----------------------------------------------------------------------------------------------------


_SAME_EPOCHS = (
    "running_average", "running_median", "magnitude", "components", "convert_units", "transform_frame", "despike",
    "rescale", "mask_by_flag", "detrend", "declare_quantity",
)  # fmt: skip
"""Tools whose results have the epochs of what they read first."""
_OF_ANY_EPOCHS = ("cdf", "netcdf")
"""Formats that hold tables of different epochs."""


def save(editor: FigureEditor, clause: Clause) -> None:
    """Save lines as files of data; lines that the clause names as one file, if the format can hold them."""
    form = str(clause.value("table"))
    named = list(dict.fromkeys(line for name in clause.names for line in editor.known(name)))
    numbers = panel_numbers(editor, clause.of("panel"))
    named = named or [line for number in numbers for line in editor.panels[number - 1]]
    tables = list(
        dict.fromkeys(editor.component(line) if line != _base(editor, line) else line for line in named)
    )
    together = form in _OF_ANY_EPOCHS or len({_epochs_of(editor, label) for label in tables}) == 1
    for labels in [tables] if named and together else [[label] for label in tables or editor.drawn]:
        name = "_".join(label.rpartition(".")[2] for label in labels) if len(labels) > 1 else labels[0]
        args = {"source_labels": labels, "filename": f"{name}.{FILE_ENDINGS.get(form, form)}", "format": form}
        editor.add_step(editor.free_id(f"save_{name}"), "save_data", args, f"Save as {form}")


def _epochs_of(editor: FigureEditor, label: str) -> str:
    """Return the step, or the label, whose epochs a table has."""
    producers = editor.lines.producers
    step = producers.get(label)
    while step is not None and step.tool in _SAME_EPOCHS and step.labels:
        step = producers.get(owner(step.labels[0], producers) or "")
    return label if step is None else str(step.id)


Names = Callable[[Clause], list[Atom]]
_OLD = "rel:instead rel:instead_of verb:replace verb:swap verb:convert"
THRESHOLDS: tuple[Rule, ...] = (
    Rule("what", "verb:only", keep_storms, _names_storms),
    Rule("bound what", "craft line", limit),
)
DATA: tuple[Rule, ...] = (
    Rule("duration|factor", "duration factor verb:shift verb:move verb:extend verb:shorten verb:add "
                            "verb:remove rel:back rel:forward rel:around "
         "rel:before rel:after rel:more noun:start noun:end noun:time every", move_time, _moves_time),
    Rule("time", f"time rel:also verb:add verb:only noun:time every verb:zoom verb:extend {_OLD} noun:end verb:shift "
                 f"verb:move what", set_time, _names_no_data, several="time"),
    Rule("moment", "moment every verb:move verb:show verb:zoom verb:only noun:time",
         zoom_to_clocks, lambda clause: len(clause.of("moment")) == 2, several="moment"),
    Rule("moment", "time noun:start noun:end noun:time verb:move verb:shift", move_edge,
         lambda clause: _EDGE.search(clause.text) is not None),
    Rule("craft", f"{_OLD} every noun:time", swap_craft, _one_or_two_crafts),
    Rule("frame", f"what panel craft every noun:frame {_OLD}", set_frame, several="frame"),
    Rule("duration noun:cadence|craft", f"duration craft noun:cadence {_OLD}", set_cadence, several="duration"),
    Rule("unit", f"what panel craft every noun:unit unit {_OLD} noun:y_axis noun:y_label", convert, several="unit"),
    Rule("verb:save table", "what craft every table panel tool", save),
    Rule("tool|verb:smooth|"
         "rel:instead|rel:instead_of|noun:window duration", f"what craft every duration "
                                             f"noun:window tool {_OLD} verb:smooth rel:top rel:bottom "
                                             f"panel", set_window,
         lambda clause: clause.has("noun:window", "rel:instead", "rel:instead_of")
         or (clause.has("tool") and not clause.has("verb:smooth", "what")), several="duration"),
    Rule("tool", f"tool noun:window what craft {_OLD} duration", change_tool,
         lambda clause: _is_average(clause)
         and clause.has("rel:instead", "rel:instead_of", "verb:replace", "noun:window"), several="tool duration"),
    Rule("verb:smooth", "what craft every tool duration noun:window verb:smooth", smooth,
         lambda clause: _adds_tool(clause)),
    Rule("verb:add tool", "what craft tool duration noun:window rel:own_panel colour dash", add_beside, _adds_tool),
    Rule("rel:raw what|every|line", "craft verb:show rel:instead", without_tool),
    Rule("verb:remove tool|verb:smooth", "what craft tool every", without_tool),
    Rule("tool duration what", "craft", smooth_or_add, _adds_tool),
    Rule("what|noun:window|"
         "noun:cadence "
         "number|duration|bound|text", "noun:window noun:range noun:cadence rel:before rel:after", set_value),
)  # fmt: skip
