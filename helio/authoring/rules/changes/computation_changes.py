"""Change the computations of a pipeline and the arguments of its steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation
from helio.authoring.rules.changes.added_content import SUPERPOSED
from helio.authoring.rules.changes.additions import (
    ANY_PART,
    SAME_PANEL,
    Place,
    add_magnitude,
    add_quantities,
    place_of,
    put_into,
    set_look,
    vectors_of,
)
from helio.authoring.rules.changes.arranging import remove
from helio.authoring.rules.changes.atoms import COUNTED, Atom
from helio.authoring.rules.changes.clauses import OLD, Clause, Rule
from helio.authoring.rules.changes.conversions import cadences_of, lines_named, new_of, steps_behind, whole_of
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_settings import style_lines
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.changes.panel_settings import limit_panels, panel_numbers
from helio.authoring.rules.changes.replacements import replace_quantities
from helio.authoring.rules.events.storms import STORMS
from helio.authoring.rules.times.durations import INTERVALS
from helio.authoring.writing.asking import WINDOWS
from helio.authoring.writing.computations import APPLIED, DERIVED
from helio.authoring.writing.layout import average_named
from helio.authoring.writing.steps import duration
from helio.knowledge.cadence import cadence_text
from helio.knowledge.quantities import B
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.time_range import Duration

WINDOW_OF = {
    **{recipe.tool: recipe.window for recipe in DERIVED.values() if recipe.window},
    **{tool: computation.argument for tool, computation in APPLIED.items() if computation.argument},
    SUPERPOSED: "bin",
    "cross_correlation_lag": "interval",
}
"""Tools with a window, each with the argument for it."""
_NEW_PANEL = ignoring_case(r"\b(?:an?|another)(?: \w+)? panel (?:[ao][tn] [\w ]+ )?(?:with|for|of|showing)\b")
_AS_AVERAGE = re.compile(
    rf"\bas\s+(?:an?\s+|its\s+|their\s+)?(?:\d|running|moving|{'|'.join(INTERVALS)})", re.IGNORECASE
)
"""Words that say how a line itself is drawn: ``the density as hourly means``."""
_OTHER_AVERAGE = re.compile(
    rf"\b(?:medians?|(?:{'|'.join(INTERVALS)})\s+(?:means?|averages?))\b", re.IGNORECASE
)
"""Words that name another average than a running mean, and not only a window."""


def set_argument(editor: FigureEditor, step: Document, name: str, value: Any, *, alone: bool = False) -> None:
    """Set an argument of a step, or the default of the variable that the argument names, unless the step is `alone`."""
    held = (step.get("tool_args") or {}).get(name)
    given = editor.given.setdefault((str(step["step_id"]), name), value)
    if given != value:
        raise NotUnderstood(
            f"the request gives two values for the {name} of step {step['step_id']}: {given} and {value}",
            advice="say which line, panel or computation each of them is for",
        )
    if not alone and isinstance(held, str) and held in (editor.after.get("variables") or {}):
        editor.do(Operation("set", "", ("variables", held, "default"), value))
        return
    if alone and isinstance(held, str) and f"{{{held.removeprefix('$')}}}" in str(editor.spec):
        raise NotUnderstood(
            f"the texts of the figure name {held}, which other lines take too", advice=f"say '{held} {value}'"
        )
    place = str(step["step_id"])
    intent = next(str(new.get("intent", "")) for new in editor.after["steps"] if str(new["step_id"]) == place)
    editor.do(Operation("set", place, ("tool_args", name), value))
    if isinstance(held, str) and (told := _retold(intent, held, value)) != intent:
        editor.do(Operation("set", place, ("intent",), told))
    if len(editor.figures()) == 1:
        _retell(editor, str(step["tool_args"].get("output_label")), name.rpartition("_")[2], (held, value))


def _retell(editor: FigureEditor, label: str, word: str, values: tuple[Any, Any]) -> None:
    """Write a new length for the old one in the names of a step's lines, and a value where the subtitle names it."""
    names, step, path = editor.where("trace_names")
    for line, shown in (names or {}).items() if isinstance(values[0], str) else ():
        if owner(line, [label]) and (told := _retold(str(shown), *values)) != shown:
            editor.do(Operation("set", step, (*path, line), told))
    parts = str(editor.spec.get("subtitle") or "").split("; ")
    told = "; ".join(_retold(part, *values) if word in part.casefold() else part for part in parts)
    if told != "; ".join(parts):
        editor.set_for("subtitle", told)


def _retold(text: str, held: Any, value: Any) -> str:
    """Write a new value for the old one in a text.

    >>> _retold("daily mean", "1d", "6h"), _retold("4 % alphas", 0.04, 0.08), _retold("4 nT", 4, 5)
    ('6h mean', '8 % alphas', '5 nT')
    >>> _retold("1 h mean", "1h", "2h"), _retold("V, 30min mean", "30min", "1h")
    ('2 h mean', 'V, 1h mean')
    >>> _retold("Daily mean", "1d", "1d")
    'Daily mean'
    """
    words = {length: word for word, length in INTERVALS.items()}
    pairs = [(held, value), (words.get(held, held), words.get(value, value))]
    if isinstance(held, str):
        pairs.append((average_named(held), average_named(str(value))))
    if isinstance(held, (int, float)) and isinstance(value, (int, float)):
        pairs = [(f"{held:g}", f"{value:g}"), (f"{held * 100:g} %", f"{value * 100:g} %")]
    for old, new in pairs if held and held != value else ():
        text = ignoring_case(rf"(?<![\w.−-]){re.escape(str(old))}(?![\w.])").sub(str(new), text)
    return text


def set_window(editor: FigureEditor, clause: Clause) -> None:
    """Change the window of the computations that the clause names, or of all."""
    if clause.says(r"\bonly\s*,"):
        raise NotUnderstood(f"helio does not understand '{clause.text}'", advice="first say which lines stay")
    durations = [str(atom.value) for atom in clause.of("duration")]
    tools = [atom.value for atom in clause.of("tool")]
    steps = _of_named(editor, clause, _windowed(editor, tools))
    if clause.has("every", "panel") and set(tools) & set(AVERAGES):
        smooth(editor, clause)
        return
    averaged = clause.has("verb:smooth") or set(tools) & set(AVERAGES)
    if averaged and len(durations) == 1 and not clause.has("rel:instead_of"):
        steps = _not_of_inputs(editor, clause, steps)
    others = steps and set(tools) <= set(AVERAGES) and all(step["tool_name"] not in tools for step in steps)
    if tools and others and _OTHER_AVERAGE.search(clause.text):
        change_tool(editor, clause)
        return
    if not steps and (averaged or (tools and clause.has("what", "every"))):
        smooth(editor, clause)
        return
    if not steps:
        raise NotUnderstood("the pipeline has no average or other computation with a window to change")
    if len(durations) == 1 and not clause.has("what", "tool", "panel", "rel:instead_of", "every"):
        steps = _of_one_window(editor, steps)
    held = {_window_of(editor, step) for step in steps}
    length = new_of(durations, held, clause)
    if len(durations) == 2:
        _refuse_partly_averaged(editor, clause, steps)
        old = next(value for value in durations if value != length)
        matching = [step for step in steps if _window_of(editor, step) == old]
        if not matching:
            raise NotUnderstood(f"no window of the pipeline is {old}: {', '.join(sorted(held))}")
        steps = matching
    _refuse_shared(editor, clause, steps)
    _set_windows(editor, clause, steps, length)


def _refuse_partly_averaged(editor: FigureEditor, clause: Clause, steps: list[Document]) -> None:
    """Refuse another window for lines of which only some have one of the steps."""
    if not all(_each_held(editor, clause, steps)):
        raise NotUnderstood("only some of these lines are averaged", advice="name one line after the other")


def _each_held(editor: FigureEditor, clause: Clause, steps: list[Document]) -> list[bool]:
    """Return for each name of a clause whether one of the steps makes or takes its lines."""
    alone = [replace(clause, atoms=(atom,), shared=()) for atom in clause.of("what")]
    return [bool(_of_named(editor, name, steps)) for name in alone]


def _set_windows(editor: FigureEditor, clause: Clause, steps: list[Document], length: str) -> None:
    """Set the window of steps; a variable that steps of other lines take too is left to these."""
    taken = {str(step["tool_args"].get(WINDOW_OF[step["tool_name"]])) for step in steps}
    ids = {str(step["step_id"]) for step in steps}
    shared = any(str(step["step_id"]) not in ids for name in taken for step in _steps_with(editor, name))
    for step in steps:
        alone = shared and clause.has("what", "panel")
        set_argument(editor, step, WINDOW_OF[step["tool_name"]], length, alone=alone)


def times(length: str, factor: float) -> str:
    """Return a duration that is longer by a factor.

    >>> times("10min", 0.5)
    '5min'
    """
    return duration(Duration(length).nanoseconds * factor / 1e9)


def scale_window(editor: FigureEditor, clause: Clause) -> None:
    """Multiply the window of the computations that the clause names by a factor: ``halve the smoothing window``."""
    steps = _of_named(editor, clause, _windowed(editor, [atom.value for atom in clause.of("tool")]))
    if not steps:
        raise NotUnderstood("the pipeline has no average or other computation with a window to change")
    steps = steps if clause.has("what", "panel", "every") else _of_one_window(editor, steps)
    held = {_window_of(editor, step) for step in steps}
    if len(held) > 1:
        raise NotUnderstood(
            f"the windows have several lengths: {', '.join(sorted(held))}", advice="name one line"
        )
    _refuse_shared(editor, clause, steps)
    _set_windows(editor, clause, steps, times(held.pop(), clause.value("factor")))


def _of_one_window(editor: FigureEditor, steps: list[Document]) -> list[Document]:
    """Return the steps of one window; ask which one if the pipeline has several."""
    variables = editor.after.get("variables") or {}
    windows = {
        name: _steps_with(editor, name)
        for name, facts in variables.items()
        if facts.get("type") == "duration" and "WINDOW" in name
    }
    for step in steps:
        held = str(step["tool_args"].get(WINDOW_OF[step["tool_name"]], ""))
        if held and held not in windows:
            taking = [other for other in steps if held in other["tool_args"].values()]
            windows[f"{held} ({', '.join(str(other['step_id']) for other in taking)})"] = taking
    given = {name for name, _ in editor.given}
    left = {
        name: taking
        for name, taking in windows.items()
        if given.isdisjoint(str(step["step_id"]) for step in taking)
    }
    windows = left or windows
    if len(windows) < 2:
        return next(iter(windows.values()), steps)
    return windows[editor.ask("Which window do you mean?", list(windows))]


def _of_named(editor: FigureEditor, clause: Clause, steps: list[Document]) -> list[Document]:
    """Return those of some steps that the named lines come from, or that take the named lines."""
    if not clause.has("what", "panel", "rel:top", "rel:bottom"):
        return steps
    lines = lines_named(editor, clause)
    behind = {str(step.id) for line in lines for step in steps_behind(editor, line)}
    named = [step for step in steps if str(step["step_id"]) in behind]
    parts = {_part_of(editor, line) for line in lines}

    def takes(step: Document) -> bool:
        read = _part_of(editor, str(step["tool_args"].get("source_label", "")))
        is_drawn = step["tool_args"].get("output_label") in editor.drawn
        return is_drawn and bool(parts & {read, (read[0], "")})

    return named or list(filter(takes, steps))


def _not_of_inputs(editor: FigureEditor, clause: Clause, steps: list[Document]) -> list[Document]:
    """Leave out steps that only make inputs from which a named line is computed with others: beta of averaged data."""
    if not clause.has("what"):
        return steps
    inputs: set[str] = set()
    for line in lines_named(editor, clause):
        while len((made := editor.lines.step(line)).labels) == 1:
            line = made.labels[0]
        inputs |= {str(step.id) for step in steps_behind(editor, line)} - {str(made.id)}
    return [step for step in steps if str(step["step_id"]) not in inputs]


def _refuse_shared(editor: FigureEditor, clause: Clause, steps: Sequence[Document]) -> None:
    """Refuse to change steps that only lie behind the lines a clause names, and also behind other lines."""
    if not clause.has("what", "panel", "rel:top", "rel:bottom"):
        return
    lines = lines_named(editor, clause)
    tables = {whole_of(editor, line) for line in lines}
    behind = {str(step.id) for line in lines for step in steps_behind(editor, line)}
    ids = {str(step["step_id"]) for step in steps if step["tool_args"].get("output_label") not in tables}
    ids &= behind
    others = [
        line
        for line in editor.drawn
        if line not in lines and ids & {str(step.id) for step in steps_behind(editor, line)}
    ]
    if len(ids) == len(steps) and others:
        raise NotUnderstood(
            f"{', '.join(others)} would change too: these lines are computed from {', '.join(sorted(ids))}",
            advice="name all lines that change",
        )


def _part_of(editor: FigureEditor, line: str) -> tuple[str, str]:
    """Return the table of a line, and the letter of the component that it is."""
    base = whole_of(editor, line)
    return base, line[len(base) :].strip("._").casefold()[-1:]


def _window_of(editor: FigureEditor, step: Document) -> str:
    return _length(editor, str(step["tool_args"].get(WINDOW_OF[step["tool_name"]], "")))


def _length(editor: FigureEditor, window: str) -> str:
    """Return a window as a length, if it is a variable."""
    variables = editor.after.get("variables") or {}
    return str(variables[window].get("default", "")) if window in variables else window


def _windowed(editor: FigureEditor, tools: list[str]) -> list[Document]:
    """Return the steps with a window: of the named tools, or the averages, or any others if there are no averages."""
    if not tools:
        return editor.steps_of(AVERAGES) or editor.steps_of(WINDOW_OF)
    wanted = {*tools, *(AVERAGES if set(tools) & set(AVERAGES) else ())}
    wanted |= {SUPERPOSED} if "resample" in tools else set()
    return editor.steps_of(WINDOW_OF.keys() & tools) or editor.steps_of(WINDOW_OF.keys() & wanted)


def smooth(editor: FigureEditor, clause: Clause) -> None:
    """Draw smoothed, averaged or cleaned lines instead of the lines themselves."""
    tool, window = _tool_of(editor, clause)
    lines = [line for name in clause.new_names for line in editor.known(name)]
    lines = lines_named(editor, clause) if clause.has("panel") else lines
    tools = [atom.value for atom in clause.of("tool")] or ["running_average", "running_median"]
    smoothed = [line for line in editor.drawn if editor.lines.step(line).tool in tools]
    if not lines:  # smooth with 30 min: a new window of what is smoothed already
        drawn = [line for panel in editor.panels for line in panel] or editor.drawn
        drawn = [line for line in drawn if line not in editor.kept]
        lines = smoothed if smoothed and window and not clause.has("every") else drawn
    # 2 h smoothing for Bz, of which the figure draws an average
    averages = {editor.lines.source(line, AVERAGES): line for line in smoothed}
    lines = [averages.get(component_read(editor, line), line) if window else line for line in lines]
    held = []
    are_raw = any(editor.lines.step(line).tool not in AVERAGES for line in lines)
    for line in dict.fromkeys(lines):
        made = editor.lines.step(line)
        is_named = made.tool in (tool, SUPERPOSED) or clause.has("every", "panel") or not clause.has("tool")
        is_named &= made.tool != "resample" or tool == "resample"  # other steps take the cadence of a series
        differs = tool != made.tool and "running_median" in (tool, made.tool) and clause.has("tool")
        differs |= (
            tool == "resample"
            and made.tool in AVERAGES[:2]
            and bool(_OTHER_AVERAGE.search(clause.text) or (clause.has("every") and are_raw))
        )
        source = editor.lines.source(line, AVERAGES) if differs and clause.has("every") else line
        is_named &= not differs
        if window and is_named and made.tool in (*AVERAGES, SUPERPOSED):
            held += [step for step in editor.after["steps"] if str(step["step_id"]) == str(made.id)]
        elif (
            tool in AVERAGES
            and window
            and {*cadences_of(editor, line)} == {Duration(_length(editor, window)).nanoseconds / 1e9}
        ):
            editor.notes.append(f"{line} has a cadence of {window} already")
        else:
            new = _computed_from(editor, source, tool, window)
            editor.draw_instead(line, new)
            named = object_of(editor.spec.get("trace_names")).get(new)
            if named and window and tool in AVERAGES:
                average = "median" if tool == "running_median" else "mean"
                editor.put("trace_names", f"{named}, {average_named(_length(editor, window))} {average}", new)
    _set_windows(editor, clause, held, window)


def add_beside(editor: FigureEditor, clause: Clause) -> None:
    """Compute a new line from each of the meant lines, and draw it in the same panel or where the clause says."""
    place = place_of(editor, clause, clause.atoms)
    names = place.names_of(clause)
    vectors = {name: vectors_of(editor, name, editor.drawn) for name in names if not editor.lines_of(name)}
    if names and set(names) == set(vectors) and not any(vectors.values()):
        add_quantities(editor, clause)
        return
    tool, window = _tool_of(editor, clause)
    sources: dict[str, str] = {}
    """Each line that is meant, with what the new line is computed from."""
    for name in names:
        sources |= {vector: add_magnitude(editor, vector) for vector in vectors.get(name, ())}
        sources |= {line: line for line in (() if vectors.get(name) else editor.known(name))}
    if not sources and (numbers := panel_numbers(editor, clause.of("panel"))):
        sources, place = {line: line for line in editor.lines_in(numbers)}, Place()
    if not sources:
        drawn = editor.drawn
        lines = [line for line in drawn if not editor.lines.is_vector(line)] if len(drawn) > 1 else drawn
        sources = {line: line for line in lines or drawn}
    is_one = clause.has("rel:same_panel") and place.into is None and not clause.says(r"\bpanels\b")
    if is_one and len(editor.panels_with(sources)) > 1:
        add_quantities(editor, clause)  # in a panel for all of them
        return
    all_vectors = {vector for alike in vectors.values() for vector in alike}
    last, is_one = "", place.into is None and not clause.says(r"\b(?:each|every|panels)\b")
    is_one &= len(editor.panels_with(sources)) == 1 and _NEW_PANEL.search(clause.text) is not None
    for line, source in sources.items():
        made = editor.lines.step(source)
        if tool in AVERAGES and made.tool in AVERAGES:
            held = _window_of(editor, {"tool_name": made.tool, "tool_args": made.params})
            if (made.tool, held) == (tool, window):
                raise NotUnderstood(f"the figure already draws {line}, which has a window of {window}")
            source = editor.lines.source(source, AVERAGES)
        new = _computed_from(editor, source, tool, window, beside=True)
        if tool == "resample" and not editor.lines.is_vector(new):
            editor.put("trace_names", average_named(f"{_length(editor, window)} mean"), new)
        # a spectrum and a rate have other units than the line
        apart = APPLIED[tool].kind == "spectrum" or APPLIED[tool].unit != "{}"
        apart |= _NEW_PANEL.search(clause.text) is not None or line in all_vectors
        if is_one and last:
            editor.draw(new, near=last)
        elif place.into is None and place.at is None:
            editor.draw(new, near=line, own_panel=apart or clause.has("rel:own_panel"))
        else:
            put_into(editor, [new], place, ())
        set_look(editor, clause, [new])
        last = new


def _tool_of(editor: FigureEditor, clause: Clause) -> tuple[str, str]:
    """Return the tool that a clause names and its window; ask for a window that is not named."""
    tool = str(clause.value("tool") or "running_average")
    window = clause.value("duration") or ""
    if len({atom.value for atom in clause.of("duration")}) > 1 and not clause.has("rel:instead_of"):
        raise NotUnderstood(
            f"it is not clear which window '{clause.text.strip()}' gives the average",
            advice="ask for one change after the other: first the time range, then the average",
        )
    alike = [step for line in editor.drawn if (step := editor.lines.step(line)).tool == tool]
    held = {str(step.params[WINDOW_OF[tool]]) for step in alike if tool in WINDOW_OF}
    if len(held) == 1 and clause.says(r"\bsame\s+(?:\w+\s+)?window\b"):
        window = held.pop()
    if APPLIED[tool].argument and not window:
        window = editor.ask(f"How long is the window of the {tool.replace('_', ' ')}?", WINDOWS)
    return tool, window


def component_read(editor: FigureEditor, line: str) -> str:
    """Return the label by which a step of the pipeline reads a line: ``B.Bz`` for ``B.z``."""
    base, letter = _part_of(editor, line)
    read = {name for step in editor.lines.graph.order for name in step.labels}
    alike = [
        name
        for name in read
        if whole_of(editor, name) == base and name.casefold()[-1:] == letter and name != base
    ]
    return alike[0] if letter and len(alike) == 1 else line


def _computed_from(editor: FigureEditor, line: str, tool: str, window: str, *, beside: bool = False) -> str:
    """Add a step that applies a tool to a line, and maybe stays `beside` it; return the new label."""
    computation = APPLIED[tool]
    if computation.frame and editor.lines.step(line).tool == "rotate_to_axes":
        raise NotUnderstood(f"{line} is along L, M, N already")
    _refuse_finer(editor, line, tool, window)
    if tool == "minimum_variance" and B not in editor.lines.own_quantities(line):
        return _along_axes_of_field(editor, line)
    source = editor.component(line)
    meant = Computation(tool, window)
    args = {"source_label": source, **computation.arguments(meant)}
    if beside and tool == "resample":
        args["epoch"] = "middle"  # over the data, a value stands in the middle of its interval
    new = f"{source}_{computation.ending}"
    intent = computation.intent_of(replace(meant, window=_length(editor, window)))
    return editor.compute(tool, new, args, intent, after=whole_of(editor, source))


def _along_axes_of_field(editor: FigureEditor, vector: str) -> str:
    """Rotate a vector to the axes of minimum variance of the magnetic field of its spacecraft; return the new label."""
    crafts = editor.lines.crafts(vector)
    fields = [
        line
        for line in editor.drawn
        if B in editor.lines.own_quantities(line)
        and editor.lines.is_vector(line)
        and editor.lines.crafts(line) == crafts
        and editor.lines.frame(line) == editor.lines.frame(vector)
    ]
    if len(fields) != 1 or not editor.lines.is_vector(vector):
        raise NotUnderstood(
            f"helio does not know along the axes of which field to draw {vector}",
            advice="first draw the magnetic field in the frame of this vector",
        )
    args = {"source_label": fields[0], "give": "axes"}
    axes = editor.compute("minimum_variance", f"{fields[0]}_axes", args, "Find L, M, N", after=fields[0])
    args = {"vector_label": vector, "axes_label": axes}
    ids = [str(step["step_id"]) for step in editor.after["steps"]]
    last = max((vector, axes), key=lambda made: ids.index(str(editor.lines.step(made).id)))
    return editor.compute("rotate_to_axes", f"{vector}_lmn", args, "Rotate to L, M, N", after=last)


def _refuse_finer(editor: FigureEditor, line: str, tool: str, window: str) -> None:
    """Refuse averages over no more than the cadence of the data."""
    cadences, window = cadences_of(editor, line), _length(editor, window)
    seconds = Duration(window).nanoseconds / 1e9 if tool in AVERAGES and window else 0.0
    if seconds and cadences and seconds <= min(cadences):
        how = "longer than" if seconds < min(cadences) else "so nothing changes over"
        raise NotUnderstood(f"{line} has a cadence of {cadence_text(min(cadences))}, {how} {window}")


def smooth_or_add(editor: FigureEditor, clause: Clause) -> None:
    """Draw a computed line, beside the line or instead of it; a line that is computed so already gets the window.

    A line with a colour or dashes of its own is drawn beside the line.
    """
    windowed = _windowed(editor, [clause.value("tool")])
    held = _each_held(editor, clause, windowed)
    if any(held) and not all(held):  # the speed, which is averaged, and the density
        if _OTHER_AVERAGE.search(clause.text) or not is_average(clause):
            raise NotUnderstood(
                "only some of these lines are averaged", advice="name one line after the other"
            )
        smooth(editor, replace(clause, atoms=tuple(atom for atom in clause.atoms if atom.kind != "tool")))
        return
    if steps := _of_named(editor, clause, windowed):
        set_window(editor, clause)
        made = {step["tool_args"].get("output_label") for step in steps}
        set_look(editor, clause, [line for line in editor.drawn if whole_of(editor, line) in made])
        return
    beside, instead = "beside the line", "instead of the line"
    is_over = place_of(editor, clause, clause.atoms).into is not None
    is_beside = is_over or clause.has("colour", "dash", "rel:same_panel")
    is_how = _AS_AVERAGE.search(clause.text) or (  # V averaged to 1 h
        clause.of("tool")[0].text.endswith("ed") and len(clause.names) == 1 and not clause.says(r"^\W*with\b")
    )
    if is_beside or (
        not (is_how and not clause.has("rel:also"))
        and beside
        == editor.ask(
            f"Should the {clause.of('tool')[0].text} be drawn beside the line or instead of it?",
            [beside, instead],
        )
    ):
        add_beside(editor, clause)
    else:
        smooth(editor, clause)


def draw_raw(editor: FigureEditor, clause: Clause) -> None:
    """Draw the series of averages behind them: ``raw density in grey behind the smoothed one``, ``raw density too``."""
    names = clause.names[:1] if clause.says(_BEHIND) else clause.names
    averages = [line for name in names for line in editor.known(name)] or editor.of_tools(AVERAGES)
    sources = {line: editor.lines.source(line, AVERAGES) for line in averages}
    for line, raw in sources.items():
        if raw == line or raw in editor.drawn:
            raise NotUnderstood(f"{line} is no average, or the figure draws {raw} already")
    pairs = [
        [[sources[line], line] if line in sources else [line] for line in panel] for panel in editor.panels
    ]
    editor.redraw([[line for pair in panel for line in pair] for panel in pairs])
    looks = clause.of("colour", "dash", "relative", "width")
    named = [Atom("what", raw, clause.start, clause.start, raw) for raw in sources.values()]
    style_lines(editor, replace(clause, atoms=(*looks, *named), shared=()))


def adds_tool(clause: Clause) -> bool:
    is_of_mean = clause.says(r"\b(?:deflection|angle)s?\b")  # the deflection from a running mean
    is_one = clause.has("rel:same_panel") and not clause.says(SAME_PANEL)  # in one panel of its own
    return all(atom.value in APPLIED for atom in clause.of("tool")) and not (is_of_mean or is_one)


def change_tool(editor: FigureEditor, clause: Clause) -> None:
    """Let steps use another tool: a running median instead of a running average, with the same window."""
    tools = [str(atom.value) for atom in clause.of("tool")]
    if len(tools) == 2 and len({*tools}) == 1 and len({atom.value for atom in clause.of("duration")}) == 2:
        set_window(editor, clause)  # ten-minute means instead of five-minute means
        return
    steps = editor.steps_of(AVERAGES)
    new = new_of(tools, {str(step["tool_name"]) for step in steps}, clause)
    others = [step for step in steps if step["tool_name"] != new or clause.has("duration")]
    steps = _not_of_inputs(editor, clause, _of_named(editor, clause, others))
    if not steps and clause.has("verb:replace") and clause.has("what"):
        _average_instead(editor, clause)
        return
    if not steps:
        raise NotUnderstood("none of the lines meant has an average or median to change")
    for step in steps:
        args, old, computation = step["tool_args"], APPLIED[step["tool_name"]], APPLIED[new]
        durations = [str(atom.value) for atom in clause.of("duration")]
        length = new_of(durations, {_window_of(editor, step)}, clause) if durations else args[old.argument]
        changed = {key: value for key, value in args.items() if key not in (old.argument, "method")}
        changed[computation.argument] = length
        said = _length(editor, str(length))
        name, intent = str(step["step_id"]), computation.intent.format(window=said, method="mean")
        editor.do(
            Operation("set", name, ("tool_name",), new),
            Operation("set", name, ("tool_args",), changed),
            *([Operation("set", name, ("intent",), intent)] if step.get("intent") else ()),
        )


def _average_instead(editor: FigureEditor, clause: Clause) -> None:
    """Draw averages instead of lines, of which the clause may say the cadence: the hourly speed by daily means."""
    lengths = clause.of("duration")
    for line in lines_named(editor, clause) if len(lengths) > 1 else ():
        cadences = cadences_of(editor, line)
        if cadences and Duration(lengths[0].value).nanoseconds / 1e9 not in cadences:
            raise NotUnderstood(f"{line} has a cadence of {cadence_text(min(cadences))}")
    smooth(editor, replace(clause, atoms=tuple(atom for atom in clause.atoms if atom not in lengths[:-1])))


def is_average(clause: Clause) -> bool:
    return all(atom.value in AVERAGES for atom in clause.of("tool"))


def without_tool(editor: FigureEditor, clause: Clause) -> None:
    """Draw lines without a computation: the series that the computation took."""
    tools = [str(atom.value) for atom in clause.of("tool")] or list(AVERAGES)
    same = set(AVERAGES) if set(tools) & set(AVERAGES) else set(tools)
    if clause.says(r"\b(?:smoothed|averaged)\s*$") and not clause.has("rel:raw") and clause.shared:
        raise NotUnderstood(f"helio does not understand '{clause.text.strip()}'", advice="give the window")
    there = editor.lines_in(panel_numbers(editor, clause.of("panel")))
    if clause.has("what"):
        clause = replace(clause, atoms=tuple(atom for atom in clause.atoms if atom.kind != "panel"))
    named = lines_named(editor, clause)
    coloured = editor.lines.meant("spectrograms", editor.figure()) if tools == ["compute_spectrogram"] else []
    coloured = [line for line in coloured if not named or line in named]
    if coloured:
        editor.redraw_without(coloured)
        return
    length = clause.value("duration")
    steps = [step for step in editor.steps_of(same) if not length or _window_of(editor, step) == length]
    if length and not steps:
        raise NotUnderstood(f"no line of the figure is averaged over {length}")
    meant = {str(step["step_id"]) for step in _of_named(editor, clause, steps)}
    for line in editor.drawn:
        step = editor.lines.step(line)
        source = step.params.get("source_label") if str(step.id) in meant else None
        if not isinstance(source, str) or (there and line not in there):
            continue
        if any(source in panel for panel in editor.panels):
            editor.redraw_without([line])
        else:
            editor.draw_instead(line, source)
        editor.raw.add(source)
    if not editor.raw and (named or not clause.has("tool")):
        raise NotUnderstood(f"no line of {'that panel' if there else 'the figure'} is smoothed or averaged")
    if not editor.raw:  # the name of the tool is that of a line
        names = [replace(atom, kind="what") if atom.kind == "tool" else atom for atom in clause.atoms]
        remove(editor, replace(clause, atoms=tuple(names)))


def _steps_with(editor: FigureEditor, variable: str) -> list[Document]:
    """Return the steps with an argument that is a variable."""
    return [step for step in editor.after["steps"] if variable in (step.get("tool_args") or {}).values()]


_EXTREME = re.compile(r"^(?:minimum|maximum|min|max|peak|lowest|highest)\s+", re.IGNORECASE)


def set_threshold(editor: FigureEditor, clause: Clause) -> bool:
    """Set the threshold of the events found in the named line, if the clause means it; return whether it does."""
    limits = clause.value("bound")
    value = limits.high if limits.low is None else limits.low
    names = [_EXTREME.sub("", words) for words in clause.names]
    lines = {whole_of(editor, line) for words in names for line in editor.known(words, every=True)}
    behind = {label for line in lines for label in editor.behind(line)}
    steps = [
        step for step in _with_threshold(editor) if step["tool_args"].get("source_label") in behind | lines
    ]
    for step in steps:
        set_argument(editor, step, "threshold", int(value) if float(value).is_integer() else value)
    return bool(steps)


def _with_threshold(editor: FigureEditor) -> list[Document]:
    return [step for step in editor.after["steps"] if "threshold" in (step.get("tool_args") or {})]


def keep_storms(editor: FigureEditor, clause: Clause) -> None:
    """Set the threshold of storms to that of the named class."""
    word = next(word for word in STORMS if clause.says(rf"\b{word}\b"))
    if not _with_threshold(editor):
        raise NotUnderstood("the pipeline finds no storms")
    for step in _with_threshold(editor):
        set_argument(editor, step, "threshold", STORMS[word])


def limit(editor: FigureEditor, clause: Clause) -> None:
    """Set a threshold that the words mean, or otherwise one limit of an axis."""
    if not set_threshold(editor, clause):
        limit_panels(editor, clause)


_COUNT = "count|consider|find|list|select|regard|treat"


def names_storms(clause: Clause) -> bool:
    """Return whether a clause names nothing but a class of storms: ``only intense storms``."""
    named = rf"(?:(?:{_COUNT})\s+)?(?:{'|'.join(STORMS)})[ -]?storms?|{_COUNT}"
    return clause.says(r"\bstorms?\b") and all(ignoring_case(named).fullmatch(name) for name in clause.names)


def _is_moved(clause: Clause) -> bool:
    """Return whether a clause also says where a line goes, which no window does: ``V on top, window of 1 h``."""
    return clause.has("what") and clause.has("rel:top", "rel:bottom")


def _set_window_or_replace(editor: FigureEditor, clause: Clause) -> None:
    """Set a window, or draw what the figure lacks instead of a line: ``hourly Dst instead of SYM-H``."""
    new, old = ([atom.text for atom in atoms] for atoms in clause.beside("rel:instead_of", "what"))
    meant, gone = ({line for name in names for line in editor.lines_of(name)} for names in (new, old))
    if meant and gone and not meant & gone and clause.has("duration"):
        raise NotUnderstood(
            f"the figure draws both {', '.join(new)} and {', '.join(old)}",
            advice=f"say 'remove {old[0]}', and which window the other line has",
        )
    lacks = bool(new and old) and not meant and all(map(editor.lines_of, old))
    (replace_quantities if lacks else set_window)(editor, clause)


_BEHIND = (
    r"\b(?:behind|under(?:neath)?|below|beneath)\s+the\s+(?:smoothed|averaged?)(?:\s+(?:one|line|curve))?\W*$"
)
_BOTH_DRAWN = (
    r"\b(?:smoothed|averaged)\b.*\b(?:over|on|and|with|against|beside)\b.*\b(?:raw|original|unsmoothed)\b"
)
_BESIDE = "rel:above rel:below rel:top rel:bottom"
_SAME_AVERAGE = ignoring_case(
    r"\b(?:same|keep\s+(?:the|its|their)(?:\s+same)?)\s+(?:smoothing|averag\w+|window)\b"
)
_LIKE = ignoring_case(r"\b(?:\w+\s+the\s+same\s+(?:\w+\s+)?window\s+as|like|(?<!well )as(?! well))\b")


def replace_as_averaged(editor: FigureEditor, clause: Clause) -> None:
    """Draw quantities instead of lines, averaged as these are; angles and what is too coarse stay as they are."""
    before = {line: editor.lines.step(line) for line in editor.drawn}
    replace_quantities(editor, clause)
    average = _average_of([step for line, step in before.items() if line not in editor.drawn])
    lines = editor.lines
    new = [line for line in editor.drawn if line not in before and lines.step(line).tool not in AVERAGES]
    is_asked = _SAME_AVERAGE.search(editor.said) is not None and not editor.swapped
    if is_asked and (average is None or not new):
        raise NotUnderstood("the new lines and those that go have no average in common")
    if average is None or clause.has("duration", "tool"):
        return
    for line in new:
        try:
            _average(editor, line, *average)
        except NotUnderstood as refusal:
            if is_asked:
                raise
            editor.notes.append(f"{refusal.message}: it is drawn as it is")


def _average_of(steps: Sequence[StepView]) -> tuple[str, str] | None:
    """Return the tool and the window with which all steps take a mean or a running median; None if there is none."""
    averages = {(step.tool, str(step.params.get(WINDOW_OF.get(step.tool, "")))) for step in steps}
    are_means = all(step.params.get("method", "mean") == "mean" for step in steps)
    (tool, window), *others = averages or {("", "")}
    return (tool, window) if tool in AVERAGES and are_means and not others else None


def _average(editor: FigureEditor, line: str, tool: str, window: str) -> None:
    """Draw a line averaged, in place of it; refuse angles and spectrograms."""
    if editor.lines.unit(line) in ("deg", "rad") or editor.lines.may_have_colours(line):
        raise NotUnderstood(f"{line} is an angle or a spectrogram, of which helio draws no average")
    editor.draw_instead(line, _computed_from(editor, editor.lines.source(line, AVERAGES), tool, window))
    editor.notes.append(f"{line}: averaged over {_length(editor, window)}")


def average_like(editor: FigureEditor, clause: Clause) -> None:
    """Average lines as others are: ``average the density like the speed``."""
    names, like = _names_around_like(clause)
    averaged = [line for line in editor.drawn if editor.lines.step(line).tool in AVERAGES]
    count = COUNTED.get(like[0].split()[-1].casefold(), len(averaged))
    is_rest = re.fullmatch(r"others?(?: (?:two|three|four|lines|ones?))?", like[0]) and count == len(averaged)
    models = averaged if is_rest else [line for name in like for line in editor.known(name, every=True)]
    average = _average_of([editor.lines.step(line) for line in models])
    if average is None or clause.value("duration") not in (None, _length(editor, average[1])):
        raise NotUnderstood(f"{', '.join(models)}: no such average in common", advice="name the window")
    for line in [line for name in names for line in editor.known(name, every=True)]:
        _average(editor, line, *average)


def _names_around_like(clause: Clause) -> tuple[list[str], list[str]]:
    """Return the lines to average, and those that are averaged already; none if the words do not say it."""
    joint = _LIKE.search(clause.text)
    at, named = clause.start + joint.start() if joint else clause.stop, clause.of("what")
    return [atom.text for atom in named if atom.start < at], [atom.text for atom in named if atom.start > at]


REPLACEMENTS: tuple[Rule, ...] = (
    Rule("verb:replace|verb:swap|rel:instead_of what", f"{ANY_PART} verb:only", replace_as_averaged,
         lambda clause: len(clause.of("what")) > 1),
)  # fmt: skip
COMPUTATIONS: tuple[Rule, ...] = (
    Rule("tool|verb:smooth what", "what craft tool verb:smooth noun:window duration", average_like,
         lambda clause: is_average(clause) and all(_names_around_like(clause))),
    Rule("verb:convert|rel:instead_of tool what",
         "what craft tool frame noun:frame verb:show verb:convert rel:instead_of", smooth,
         lambda clause: {atom.value for atom in clause.of("tool")} == {"minimum_variance"}),
    Rule("tool|verb:smooth|"
         "rel:instead|rel:instead_of|noun:window duration", f"what craft every duration "
                                             f"noun:window tool {OLD} verb:smooth rel:top rel:bottom "
                                             f"panel verb:only", _set_window_or_replace,
         lambda clause: (clause.has("noun:window", "rel:instead", "rel:instead_of") and not _is_moved(clause))
         or (clause.has("tool") and not clause.has("verb:smooth", "what")), several="duration"),
    Rule("factor noun:window|verb:smooth|tool", "what craft every panel tool verb:smooth noun:window", scale_window),
    Rule("tool", f"tool noun:window what craft {OLD} duration verb:smooth", change_tool,
         lambda clause: is_average(clause)
         and clause.has("rel:instead", "rel:instead_of", "verb:replace", "noun:window"), several="tool duration"),
    Rule("verb:smooth", "what craft every tool duration noun:window verb:smooth verb:only", smooth,
         lambda clause: adds_tool(clause) and not clause.says(r"\bkeep")),
    Rule("verb:add tool", "what craft tool duration noun:window rel:own_panel rel:same_panel colour dash panel "
                          f"{_BESIDE}", add_beside, adds_tool),
    Rule("rel:raw what", "what rel:raw rel:below colour dash relative width tool line verb:show verb:add", draw_raw,
         lambda clause: clause.says(_BEHIND)),
    Rule("rel:raw rel:also", "what colour dash relative width line every verb:show", draw_raw,
         lambda clause: not clause.says(r"^\W*also\b")),
    Rule("rel:raw", "what every line craft tool panel verb:show verb:smooth rel:instead rel:instead_of", without_tool,
         lambda clause: clause.has("rel:instead", "rel:instead_of") or not clause.says(r"^\W*also\b|" + _BOTH_DRAWN)),
    Rule("verb:remove|verb:undo tool|verb:smooth", "what craft tool every duration verb:only", without_tool,
         lambda clause: not clause.says(r"\bkeep") and (clause.atoms[0].kind == "verb" or not clause.has("duration"))),
    Rule("tool what", "craft every duration", smooth,
         lambda clause: clause.atoms[0].kind == "tool" and clause.atoms[0].value in ("despike", "detrend")),
    Rule("tool duration what", "craft colour dash rel:own_panel rel:same_panel", smooth_or_add,
         lambda clause: adds_tool(clause) and not (clause.has("rel:same_panel") and len(clause.of("what")) > 1)),
)  # fmt: skip
