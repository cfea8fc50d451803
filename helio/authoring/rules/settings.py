"""Change how a figure looks: the lines, the axes, the texts and the whole figure."""

from __future__ import annotations

import re
from typing import Any

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.atoms import Atom, Number, Range
from helio.authoring.rules.clauses import Clause, Rule
from helio.authoring.rules.figure import FigureEditor
from helio.authoring.rules.named_times import events
from helio.authoring.writing.steps import listed
from helio.authoring.writing.writer import EVERY
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.template.figures import ENTRY_LABELS
from helio.time_range import parse_time_range

_WIDTHS = {"thicker": 2.0, "thinner": 0.5}
_FIXED = {"bold": 3.0, "thin": 1.0}
_PLAIN_WIDTH = 1.3
"""Width of a line that a figure draws without a setting, in pixels."""
_LINE = "tool what panel craft every line noun:line noun:trace verb:show"
_PANEL = "what panel craft every"
_SPELT_UNITS = {"kelvin": "K", "degrees": "deg"}
_SIZES = {"figure height": 900, "figure width": 1000}


# Lines ----------------------------------------------------------------------------------------------------


def lines_of(editor: FigureEditor, clause: Clause, *, by_craft: bool = False) -> list[str]:
    """Return the lines that a clause names; ask if it names none and the figure draws several."""
    numbers = panel_numbers(editor, clause.of("panel"))
    within = [line for number in numbers for line in editor.panels[number - 1]]
    lines = within
    if clause.has("what"):
        lines = [
            line
            for name in clause.names
            for line in editor.known(name, by_craft=by_craft and not within, every=bool(within))
            if not within or line in within
        ]
        if within and not lines:
            raise NotUnderstood(f"the panel has no line called '{', '.join(clause.names)}'")
    if clause.has("tool"):
        lines = editor.of_tools([str(atom.value) for atom in clause.of("tool")], lines)
    if lines:
        return list(dict.fromkeys(lines))
    plural = clause.has("every", "line:lines")
    drawn = editor.drawn
    if len(drawn) == 1:
        return drawn
    if not plural and not clause.has("noun:width"):
        return [editor.ask("Which line do you mean?", drawn)]
    return drawn


def style_lines(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour, dashes, width or markers of lines."""
    colour, dash, mode = clause.value("colour"), clause.value("dash"), clause.value("mode")
    if not editor.panels and editor.spec.get("xy"):
        _style_points(editor, clause)
        return
    lines = lines_of(editor, clause, by_craft=True)
    if colour:
        named = clause.has("what", "panel")
        vectors = [] if named else [line for line in lines if editor.lines.is_vector(line)]
        plain = [line for line in lines if line not in vectors]
        if vectors and not plain:
            raise NotUnderstood("one colour for a vector would make its components alike")
        editor.notes += [
            f"{line} keeps its colours, so that its components differ" for line in vectors if plain
        ]
        for line in plain or lines:
            editor.put("trace_colors", colour, line)
    if dash:
        for line in lines:
            editor.put("line_styles", dash, line, "dash")
    if mode:
        for line in lines:
            editor.put("line_styles", mode, line, "mode")
    if clause.has("width", "relative", "factor", "number"):
        styles = editor.spec.get("line_styles") or {}
        for line in lines:
            now = float(styles.get(line, {}).get("width", _PLAIN_WIDTH))
            width = _width(clause, now)
            if not (clause.has("width", "number") or clause.value("relative") in _FIXED):
                editor.notes.append(f"{line} is {width:g} pixels wide instead of {now:g}")
            editor.put("line_styles", width, line, "width")


def _style_points(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour or the markers of one quantity against another."""
    entries = editor.spec["xy"]
    if clause.has("dash", "width", "relative", "factor", "number") or len(entries) != 1:
        raise NotUnderstood(f"helio cannot use '{clause.text}' in this figure")
    given = {"color": clause.value("colour"), "mode": clause.value("mode")}
    editor.set_for("xy", [entries[0] | {key: value for key, value in given.items() if value}])


def _width(clause: Clause, now: float) -> float:
    width = clause.value("width")
    if width is not None:
        return float(width)
    number = clause.value("number")
    if number is not None:
        return float(number.value)
    relative = clause.value("relative")
    if relative in _FIXED and not clause.has("factor"):
        return _FIXED[relative]
    factor = clause.value("factor") or _WIDTHS.get(relative or "") or 1.0
    return round(now * factor, 2)


_WHOLE = re.compile(r"\b(?:figure|plot|canvas)\b", re.IGNORECASE)


def _has_look(clause: Clause) -> bool:
    if clause.has("width") and _WHOLE.search(clause.text):
        return False
    if clause.has("number", "factor") and not clause.has("noun:width"):
        return False
    relative = clause.value("relative")
    return clause.has("colour", "dash", "mode", "width", "number", "factor") or relative in (
        *_WIDTHS,
        *_FIXED,
    )


# Panels ---------------------------------------------------------------------------------------------------


def panel_numbers(editor: FigureEditor, atoms: list[Atom]) -> list[int]:
    """Return the numbers of the panels that ordinals mean."""
    count = len(editor.panels)
    numbers: list[int] = []
    for atom in atoms:
        if atom.value == "every":
            numbers += range(1, count + 1)
            continue
        for place in atom.value:
            number = (count + 1) // 2 if place == 0 else place if place > 0 else count + 1 + place
            if not 1 <= number <= count or (place == 0 and count % 2 == 0):
                raise NotUnderstood(
                    f"the figure has no panel {atom.text.split()[-1] if place > 0 else atom.text}",
                    advice=f"choose a panel from 1 to {count}",
                )
            numbers.append(number)
    return list(dict.fromkeys(numbers))


def panels_of(
    editor: FigureEditor, clause: Clause, question: str = "Which panel do you mean?", unit: str = ""
) -> list[int]:
    """Return the numbers of the panels that a clause names; ask if it names none and the figure has several.

    Parameters
    ----------
    unit : str
        Unit of a value for the panels: a panel in which alone all lines have it is meant without a question.
    """
    numbers = panel_numbers(editor, clause.of("panel"))
    for atom in clause.of("what"):
        numbers += editor.numbers_of(atom.text)
    count = len(editor.panels)
    if clause.has("every"):
        numbers += range(1, count + 1)
    if not numbers and unit:
        numbers = [at for at, panel in enumerate(editor.panels, 1) if _is_in(editor, panel, unit)]
        numbers = numbers if len(numbers) == 1 else []
    if not numbers and clause.has("noun:bin_axis"):
        numbers = [number for number in range(1, count + 1) if is_spectrogram(editor, number)]
        if not numbers:
            raise NotUnderstood("the figure draws no spectrogram")
    if not numbers and count > 1:
        names = [f"panel {number}" for number in range(1, count + 1)]
        answer = editor.ask(question, [*names, EVERY])
        numbers = list(range(1, count + 1)) if answer == EVERY else [names.index(answer) + 1]
    return list(dict.fromkeys(numbers)) or [1]


def _is_in(editor: FigureEditor, panel: list[str], unit: str) -> bool:
    """Return whether all lines of a panel have a unit."""
    return {editor.lines.unit(line) for line in panel} == {canonical_unit(_SPELT_UNITS.get(unit, unit))}


def put_by_panel(editor: FigureEditor, key: str, number: int, value: Any) -> None:
    """Set a key of the figure for one panel; the other panels keep what the key says for all."""
    held, step_id, path = editor.where(key)
    if held is not None and not isinstance(held, dict):
        whole = {str(at): held for at in range(1, len(editor.panels) + 1)}
        editor.do(Operation("set", step_id, path, whole))
    if value is None:
        if isinstance(editor.where(key)[0], dict) and str(number) in editor.where(key)[0]:
            editor.do(Operation("unset", step_id, (*path, str(number))))
        return
    editor.put(key, value, str(number))


def is_spectrogram(editor: FigureEditor, number: int) -> bool:
    """Return whether a panel draws a spectrogram, if the template tells."""
    types = editor.spec.get("panel_types")
    if isinstance(types, list) and number <= len(types):
        return bool(types[number - 1] == "spectrogram")
    return any(
        "spectrogram" in quantity
        for line in editor.panels[number - 1]
        for quantity in editor.lines.quantities(line)
    )


def scale_panels(editor: FigureEditor, clause: Clause) -> None:
    """Make axes logarithmic, linear or symlog."""
    kind = clause.value("scale")
    if clause.has("verb:remove"):
        if kind == "linear":
            raise NotUnderstood(
                "helio does not understand which scale to use", advice="say 'log' or 'symlog'"
            )
        kind = "linear"
    if clause.has("noun:colour_bar", "noun:colour_scale", "noun:z_range"):
        _scale_colours(editor, clause, kind)
        return
    if clause.has("noun:x_axis"):
        raise NotUnderstood("the axis of time is always linear")
    if (
        not clause.has("what", "panel", "noun:bin_axis")
        and (clause.has("every") or not clause.has("line"))
        and len(editor.panels) != 1
    ):
        _scale_all(editor, kind)
        return
    for number in panels_of(editor, clause):
        set_scale(editor, number, kind)


def _scale_all(editor: FigureEditor, kind: str) -> None:
    """Set the scale of every panel; a logarithmic one only of panels without vectors, if there are some."""
    if not editor.panels and editor.spec.get("xy"):
        raise NotUnderstood("helio cannot change the scale of one quantity against another")
    positive = [
        number for number, panel in enumerate(editor.panels, 1) if not any(map(editor.lines.is_vector, panel))
    ]
    if kind != "log" or len(positive) in (0, len(editor.panels)):
        editor.put("log_scale", kind)
        return
    for number in positive:
        set_scale(editor, number, kind)
    editor.notes.append("the panels of vectors keep their linear axes, because vectors have negative values")


def set_scale(editor: FigureEditor, number: int, kind: str) -> None:
    """Set the scale of the y axis of a panel, by the key that sets it now."""
    held = editor.spec.get("log_y")
    if kind != "symlog" and (
        is_spectrogram(editor, number) or (isinstance(held, dict) and str(number) in held)
    ):
        put_by_panel(editor, "log_y", number, kind == "log")
        return
    if isinstance(held, dict) and str(number) in held:
        put_by_panel(editor, "log_y", number, None)
    if editor.spec.get("log_scale") in ("y", "log", "linear", "symlog") and len(editor.panels) == 1:
        editor.put("log_scale", kind)
        return
    held = editor.spec.get("log_scale")
    if isinstance(held, int):
        _, step_id, path = editor.where("log_scale")
        editor.do(Operation("set", step_id, path, {str(held): "log"}))
    elif held == "y":
        editor.do(Operation("set", *editor.where("log_scale")[1:], "log"))
    put_by_panel(editor, "log_scale", number, kind)


def _check_colours(editor: FigureEditor, numbers: list[int]) -> None:
    """Refuse a setting of colours if none of the panels can be a spectrogram; no panel means all panels."""
    if any(key.partition(".")[0] in editor.spec for key in ENTRY_LABELS):
        return  # one series against another may have a colour bar
    panels = editor.panels or [[line] for line in editor.drawn]
    types = editor.spec.get("panel_types")
    for number in numbers or range(1, len(panels) + 1):
        kind = types[number - 1] if isinstance(types, list) and number <= len(types) else ""
        maybe = not kind and any(map(editor.lines.may_have_colours, panels[number - 1]))
        if maybe or kind == "spectrogram":
            return
    where = f"panel {listed([str(number) for number in numbers])}" if numbers else "the figure"
    raise NotUnderstood(
        f"{where} has no spectrogram, so it has no colour bar",
        advice="say 'y range', 'y axis log' or 'y axis linear' to change the axis of a line",
    )


def _scale_colours(editor: FigureEditor, clause: Clause, kind: str) -> None:
    if kind == "symlog":
        raise NotUnderstood("a colour scale is linear or logarithmic")
    numbers = panels_of(editor, clause) if clause.has("what", "panel") else []
    _check_colours(editor, numbers)
    if not numbers:
        editor.put("log_z", kind == "log")
        return
    for number in numbers:
        put_by_panel(editor, "log_z", number, kind == "log")


def limit_panels(editor: FigureEditor, clause: Clause) -> None:
    """Set the limits of axes or of colours."""
    limits: Range = clause.value("range") or clause.value("bound") or Range()
    if clause.has("noun:z_range", "noun:colour_bar", "noun:colour_scale"):
        _limit_colours(editor, clause, limits)
        return
    for number in panels_of(editor, clause, "The range of which panel?", limits.unit):
        _check_unit(editor, number, limits.unit)
        if limits.low is None or limits.high is None:
            held = editor.spec.get("y_range")
            held = held.get(str(number)) if isinstance(held, dict) else held
            if limits == Range():
                if held is None:
                    raise NotUnderstood(f"the range of panel {number} is automatic already")
                put_by_panel(editor, "y_range", number, None)
                continue
            if not held:
                raise NotUnderstood(
                    f"panel {number} has no limits of its own, so one limit alone is not enough",
                    advice="give both limits, such as '0 to 20'",
                )
            limits_now = [
                held[0] if limits.low is None else limits.low,
                held[1] if limits.high is None else limits.high,
            ]
            put_by_panel(editor, "y_range", number, limits_now)
            continue
        put_by_panel(editor, "y_range", number, [limits.low, limits.high])


def _limit_colours(editor: FigureEditor, clause: Clause, limits: Range) -> None:
    numbers = panels_of(editor, clause) if clause.has("what", "panel") else []
    _check_colours(editor, numbers)
    if not numbers:
        numbers = [number for number in range(1, len(editor.panels) + 1) if is_spectrogram(editor, number)]
        numbers = numbers if len(numbers) > 1 else []
        if numbers:
            names = [f"panel {number}" for number in numbers]
            answer = editor.ask("The colours of which panel?", [*names, EVERY])
            numbers = numbers if answer == EVERY else [numbers[names.index(answer)]]
    for key, value in (("z_min", limits.low), ("z_max", limits.high)):
        if value is None and limits != Range():
            continue
        if not numbers and value is None:
            editor.set_for(key, None)
        elif not numbers:
            editor.put(key, value)
        for number in numbers:
            put_by_panel(editor, key, number, value)


def _check_unit(editor: FigureEditor, number: int, unit: str) -> None:
    """Refuse limits in a unit that the panel's lines do not have."""
    if not unit:
        return
    known = {editor.lines.unit(line) for line in editor.panels[number - 1]} - {""}
    given = canonical_unit(_SPELT_UNITS.get(unit, unit))
    if known and given not in known and len(known) == 1:
        own = next(iter(known))
        raise NotUnderstood(
            f"panel {number} is in {own}, not in {unit}",
            advice=f"give the values in {own}" if comparable(own, given) else f"choose a panel in {unit}",
        )


# Texts ----------------------------------------------------------------------------------------------------


def set_text(editor: FigureEditor, clause: Clause) -> None:
    """Set a title, a label of an axis or a name in the legend."""
    text = clause.value("text")
    for noun, key in (
        ("subtitle", "subtitle"),
        ("title", "title"),
        ("x_label", "x_label"),
        ("file_name", "filename"),
    ):
        if clause.has(f"noun:{noun}"):
            if clause.has("what", "panel") and noun == "title":
                raise NotUnderstood("a panel has no title of its own", advice="set the label of its y axis")
            editor.put(key, text)
            return
    if clause.has("noun:x_axis"):
        editor.put("x_label", text)
        return
    if clause.has("noun:y_label", "noun:y_axis", "panel") and not clause.has(
        "noun:trace_name", "noun:legend"
    ):
        for number in panels_of(editor, clause, "The label of which panel?"):
            put_by_panel(editor, "y_label", number, text)
        return
    if clause.has("what", "line", "noun:trace_name", "noun:legend"):
        lines = lines_of(editor, clause)
        if len(lines) != 1:
            lines = [editor.ask(f"Which line is called '{text}'?", lines)]
        editor.put("trace_names", text, lines[0])
        return
    if clause.has("verb:name") and not re.search(
        r"\b(?:it|figure|plot|titled?|entitled)\b", clause.text, re.IGNORECASE
    ):
        raise NotUnderstood(
            f"the request does not say what to call '{text}'", advice="name a line, an axis or the title"
        )
    editor.put("title", text)


def name_lines(editor: FigureEditor, clause: Clause) -> None:
    """Name lines in the legend as quoted, each name to the line of the spacecraft that the name begins with."""
    for atom in clause.of("text"):
        lines = editor.lines.meant(str(atom.value).split()[0], editor.figure(), by_craft=True)
        if len(lines) != 1:
            raise NotUnderstood(f"it is not clear which line to call '{atom.value}'")
        editor.put("trace_names", atom.value, lines[0])


def match_title(editor: FigureEditor, clause: Clause) -> None:
    """Write the name of the event of the sentence as the title."""
    del clause
    named = [
        event.name for event in events() if re.search(rf"\b(?:{event.phrases})", editor.said, re.IGNORECASE)
    ]
    if not named:
        raise NotUnderstood("the request does not say the new title", advice="write the title in quotes")
    editor.put("title", named[0][0].upper() + named[0][1:])


def remove_text(editor: FigureEditor, clause: Clause) -> None:
    """Remove a text that the figure sets."""
    keys = {"title": "title", "subtitle": "subtitle", "x_label": "x_label", "y_label": "y_label"}
    key = next(key for noun, key in keys.items() if clause.has(f"noun:{noun}"))
    held = editor.where(key)[0]
    if held is None:
        raise NotUnderstood(f"the figure sets no {key.replace('_', ' ')}")
    if key == "y_label" and isinstance(held, dict) and clause.has("what", "panel"):
        for number in panels_of(editor, clause):
            put_by_panel(editor, key, number, None)
        return
    editor.set_for(key, None)


# The whole figure -----------------------------------------------------------------------------------------

_SWITCHES = {
    "legend": "legend",
    "footer": "footer",
    "panel_letters": "panel_letters",
    "zero_line": "show_zero_line",
    "shared_y": "share_y",
}


def switch(editor: FigureEditor, clause: Clause) -> None:
    """Show or hide a part of the figure."""
    key = next(key for noun, key in _SWITCHES.items() if clause.has(f"noun:{noun}"))
    editor.put(key, not clause.has("verb:remove"))


def letter_panels(editor: FigureEditor, clause: Clause) -> None:
    """Write a letter at each panel: ``mark the panels (a) and (b)``."""
    del clause
    editor.put("panel_letters", value=True)


def _is_for_panels(clause: Clause) -> bool:
    """Return whether letters are for all panels: ``move (a) and (b)`` would name two panels."""
    if any(atom.value != "every" for atom in clause.of("panel")):
        return False
    written = clause.has("verb:mark", "verb:name", "verb:add", "verb:annotate", "noun:panel_letters")
    return (
        written
        or re.search(
            r"\b(?:letters?|labels?)\b|\b(?:in|on|at|to)\s+(?:\w+\s+)?(?:sub)?panels?\b",
            clause.text,
            re.IGNORECASE,
        )
        is not None
    )


def set_number(editor: FigureEditor, clause: Clause) -> None:
    """Set a size, a factor or a threshold of the figure."""
    given: Number | None = clause.value("number")
    printed, width = clause.value("printed"), clause.value("width")
    value: Any = printed or width or (given.value if given is not None else None)
    relative = {
        "larger": 1.25,
        "smaller": 0.8,
        "taller": 1.5,
        "wider": 1.5,
        "narrower": 0.67,
        "flatter": 0.67,
    }
    factor = clause.value("factor") or relative.get(clause.value("relative") or "", 1.0)
    if clause.has("noun:font_size"):
        editor.put(
            "font_size", _whole(value if value is not None else _scaled(editor, "font_size", 14, factor))
        )
    elif clause.has("noun:gap_factor"):
        editor.put("gap_factor", value)
    elif clause.has("noun:columns"):
        editor.put("columns", int(value))
    elif clause.has("noun:linthresh"):
        if clause.has("what", "panel"):
            for number in panels_of(editor, clause):
                put_by_panel(editor, "linthresh", number, value)
        else:
            editor.put("linthresh", value)
    else:
        _set_size(editor, clause, value, factor)


def _set_size(editor: FigureEditor, clause: Clause, value: Any, factor: float) -> None:
    if clause.has("panel", "what"):
        heights = editor.spec.get("row_heights") or [1] * len(editor.panels)
        for number in panels_of(editor, clause):
            now = heights[number - 1]
            heights = [
                *heights[: number - 1],
                _whole(value if value is not None else now * factor),
                *heights[number:],
            ]
        editor.put("row_heights", heights)
        return
    size = editor.spec.get("canvas_size") or {}
    said = re.search(r"\b(?:wide|width)\b", clause.text, re.IGNORECASE)
    wide = clause.has("noun:figure_width", "relative:wider", "relative:narrower") or said is not None
    sides = ["width" if wide else "height"]
    if clause.has("noun:figure_size", "relative:larger", "relative:smaller"):
        sides = ["width", "height"]
    for side in sides:
        usual = 1000 if side == "width" else 150 + 200 * max(1, len(editor.panels))
        now = size.get(side, usual)
        if value is None and not isinstance(now, (int, float)):
            raise NotUnderstood(f"the figure's {side} is {now}", advice="give the new size")
        new = _whole(value) if value is not None else round(now * factor)
        editor.put("canvas_size", new, side)
        if value is None:
            editor.notes.append(f"the figure's {side} is {new} pixels instead of {now}")


def _is_whole(clause: Clause) -> bool:
    return _WHOLE.search(clause.text) is not None


def fill(editor: FigureEditor, clause: Clause) -> None:
    """Fill the area between a line and a value below or above it."""
    limits = clause.value("bound")
    if limits is None:
        raise NotUnderstood("the request does not say where to fill", advice="say 'fill Bz below 0'")
    for line in lines_of(editor, clause):
        key, value = ("fill_below", limits.high) if limits.low is None else ("fill_above", limits.low)
        editor.put("line_styles", value, line, key)
        if clause.has("colour"):
            editor.put("line_styles", clause.value("colour"), line, "fill_color")


def limit_times(editor: FigureEditor, clause: Clause) -> None:
    """Draw only a part of the time range."""
    span = parse_time_range(clause.value("time"), editor.now)
    editor.put("x_range", [f"{moment:%Y-%m-%dT%H:%M:%S}" for moment in (span.start, span.stop)])


def set_canvas(editor: FigureEditor, clause: Clause) -> None:
    """Set the width and the height of the figure in pixels."""
    width, height = clause.value("size")
    editor.put("canvas_size", width, "width")
    editor.put("canvas_size", height, "height")


def _scaled(editor: FigureEditor, key: str, usual: float, factor: float) -> float:
    now = editor.spec.get(key, usual)
    if not isinstance(now, (int, float)):
        raise NotUnderstood(f"the figure's {key.replace('_', ' ')} is {now}", advice="give the new size")
    editor.notes.append(f"{key.replace('_', ' ')} {round(now * factor)} instead of {now:g}")
    return round(now * factor)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def set_name(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour scale, the palette, the theme or a format of the file."""
    for name in clause.names:
        if not editor.lines.meant(name, editor.figure()):
            raise NotUnderstood(f"the figure has no line called '{name}'")
    if clause.has("palette"):
        editor.put("palette", clause.value("palette"))
    elif clause.has("colormap"):
        editor.put("colorscale", clause.value("colormap"))
    elif clause.has("format"):
        editor.put("formats", [clause.value("format")])
    elif clause.has("colour"):
        dark = {"black": "dark", "white": "white"}.get(clause.value("colour"))
        if dark is None:
            raise NotUnderstood("the background is white or dark")
        editor.put("theme", dark)
    else:
        editor.put("theme", clause.value("theme"))


def set_panel_type(editor: FigureEditor, clause: Clause) -> None:
    """Draw panels as bars, a strip or a spectrogram, or as lines again."""
    kind = clause.value("paneltype") or "line"
    types = list(editor.spec.get("panel_types") or ["line"] * len(editor.panels))
    if not editor.spec.get("panel_types"):
        types = [
            "spectrogram" if is_spectrogram(editor, number) else "line" for number in range(1, len(types) + 1)
        ]
    for number in panels_of(editor, clause):
        types[number - 1] = kind
    editor.put("panel_types", types)


def put_side_by_side(editor: FigureEditor, clause: Clause) -> None:
    """Arrange the panels in columns."""
    del clause
    editor.put("columns", 2)


def swap_colours(editor: FigureEditor, clause: Clause) -> None:
    """Exchange the colours of two lines."""
    colours = editor.spec.get("trace_colors")
    pair = [editor.known(name, by_craft=True) for name in clause.names]
    if not isinstance(colours, dict) or any(len(lines) != 1 or lines[0] not in colours for lines in pair):
        raise NotUnderstood("the figure does not set one colour for each of the two lines")
    (first,), (second,) = pair
    editor.put("trace_colors", colours[second], first)
    editor.put("trace_colors", colours[first], second)


def _two_names(clause: Clause) -> bool:
    return len(clause.names) == 2


def _names_several(clause: Clause) -> bool:
    return len(clause.of("text")) > 1


def _is_size(clause: Clause) -> bool:
    sized = clause.has("number", "printed", "width", "factor")
    if clause.value("relative") in (*_WIDTHS, *_FIXED):
        return False
    return sized or clause.has("relative")


_AXES = "noun:y_axis noun:y_range noun:range noun:scale noun:x_axis"
_COLOUR_AXES = "noun:colour_bar noun:z_range noun:colour_scale"
SETTINGS: tuple[Rule, ...] = (
    Rule("colour noun:theme", "", set_name),
    Rule("verb:swap noun:colour|noun:line_colour", "what craft", swap_colours, _two_names),
    Rule("colour|dash|mode|"
         "width|relative|factor|number", f"{_LINE} colour dash mode width relative factor number noun:colour "
                                         f"noun:dash noun:width "
         "noun:line_colour", style_lines, _has_look),
    Rule("scale", f"{_PANEL} {_AXES} {_COLOUR_AXES} noun:bin_axis verb:remove", scale_panels),
    Rule("range|bound|auto", f"{_PANEL} {_AXES} {_COLOUR_AXES} verb:zoom", limit_panels),
    Rule("verb:name text "
         "line:lines|rel:also|text", "noun:trace_name noun:legend", name_lines, _names_several, "text"),
    Rule("text", f"{_LINE} noun:title noun:subtitle noun:x_label noun:y_label noun:y_axis noun:trace_name "
                 f"noun:legend "
         "noun:file_name "
         "verb:name verb:add noun:x_axis", set_text, lambda clause: not clause.has("line:lines") or clause.has("what")),
    Rule("noun:title rel:accordingly", "", match_title),
    Rule("verb:remove noun:title|noun:subtitle|noun:x_label|noun:y_label", "what panel", remove_text),
    Rule("noun:legend|noun:footer|"
         "noun:panel_letters|noun:zero_line|noun:shared_y", "verb:remove verb:add verb:show", switch),
    Rule("letters|noun:panel_letters", "letters noun:panel_letters verb:mark verb:name verb:add verb:annotate "
                                       "verb:move panel every", letter_panels, _is_for_panels),
    Rule("noun:font_size|noun:gap_factor|noun:columns|noun:linthresh|noun:figure_height|noun:figure_width|"
         "noun:figure_size|"
         "noun:panel_height|relative", "what panel number printed width factor", set_number, _is_size),
    Rule("factor", "what panel relative noun:panel_height", set_number),
    Rule("width|printed", "relative noun:figure_width noun:figure_height", set_number, _is_whole),
    Rule("verb:fill|verb:shade bound", "what panel craft colour", fill),
    Rule("verb:fill what|panel", "bound number colour craft noun:zero_line", fill),
    Rule("noun:x_axis time", "noun:range noun:x_axis verb:zoom", limit_times),
    Rule("size", "noun:figure_size noun:figure_height noun:figure_width", set_canvas),
    Rule("colormap|palette|theme|format", "what panel tool line every noun:colour_scale noun:palette "
                                          "noun:theme noun:colour noun:colour_bar noun:scale verb:save "
         "rel:instead", set_name),
    Rule("paneltype|mode:lines", "what panel craft every line", set_panel_type),
    Rule("rel:side_by_side", "panel every", put_side_by_side),
)  # fmt: skip
