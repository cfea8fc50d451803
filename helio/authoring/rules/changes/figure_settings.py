"""Change the texts, the sizes and the styles of a whole figure."""

from __future__ import annotations

import re
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_settings import (
    FIXED,
    LINE,
    LINE_SETTINGS,
    WIDTHS,
    lines_of,
    names_figure,
)
from helio.authoring.rules.changes.panel_settings import (
    PANEL_SETTINGS,
    axes_of,
    check_colours,
    is_spectrogram,
    panel_numbers,
    panels_of,
    put_by_panel,
    says_panel,
    single_axis,
)
from helio.authoring.rules.times.named_times import events
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import pretty_unit
from helio.patterns import ignoring_case
from helio.pipelines.template.figures import RIGHT
from helio.time_range import parse_time_range

_TEXTS = {"subtitle": "subtitle", "title": "title", "x_label": "x_label", "file_name": "filename",
          "x_axis": "x_label"}  # fmt: skip


def set_text(editor: FigureEditor, clause: Clause) -> None:
    """Set a title, a label of an axis or a name in the legend."""
    text = clause.value("text")
    if clause.has("noun:title") and clause.has("noun:subtitle"):
        raise NotUnderstood(
            "helio does not understand which text is the title", advice="write both in quotes"
        )
    if any(ignoring_case(r"\bone$").search(name) for name in clause.names):
        raise NotUnderstood(f"helio does not understand '{clause.names[0]}'", advice="name a line or an axis")
    for noun, key in _TEXTS.items():
        if clause.has(f"noun:{noun}"):
            if clause.has("what", "panel") and noun == "title":
                raise NotUnderstood("a panel has no title of its own", advice="set the label of its y axis")
            editor.put(key, text)
            return
    is_of_axis = clause.has("noun:y_label", "noun:y_axis", "panel")
    is_of_axis |= any(says_panel(clause, name) for name in clause.names)
    if is_of_axis and not clause.has("noun:trace_name", "noun:legend"):
        for number in panels_of(editor, clause, "The label of which panel?"):
            axis = single_axis(editor, clause, number)
            put_by_panel(editor, "y_label", axis, _with_unit_or_note(editor, clause, axis, text))
        return
    if clause.has("what", "line", "noun:trace_name", "noun:legend"):
        lines = lines_of(editor, clause)
        if len(lines) != 1:
            lines = [editor.ask(f"Which line shall be called '{text}'?", lines)]
        editor.put("trace_names", text, lines[0])
        return
    if clause.has("verb:name") and not clause.says(r"\b(?:it|figure|plot|titled?|entitled)\b"):
        raise NotUnderstood(
            f"the request does not say what to call '{text}'", advice="name a line, an axis or the title"
        )
    editor.put("title", text)
    if clause.says(r"\b(?:re-?name|call)\s+(?:it|this|that)\b(?!\s+(?:plot|figure))"):
        editor.notes.append(
            "the title is changed; the pipeline keeps its name (`helio copy` gives it another)"
        )


def _with_unit_or_note(editor: FigureEditor, clause: Clause, axis: str, text: str) -> str:
    """Return the label of a y axis with the unit of its lines; in quotes it stays, and a note says that it has none."""
    number = int(axis.removesuffix(RIGHT))
    panel = editor.panels[number - 1] if number <= len(editor.panels) else []
    units = {editor.lines.unit(line) for line in panel if axes_of(editor, number, [line]) == [axis]}
    if len(units) != 1 or is_spectrogram(editor, number, perhaps=True) or re.search(r"[\[(]", text):
        return text
    unit = pretty_unit(units.pop())
    if not unit or any(comparable(word, unit) for word in (text, *re.split(r"[\s,]+", text)) if word):
        return text
    if re.search(rf"[\"'“‘`«]\s*{re.escape(text)}\s*[\"'”’`»]", editor.said or clause.text):
        editor.notes.append(f"the label '{text}' has no unit; the axis is in {unit}")
        return text
    return f"{text} [{unit}]"


def match_title(editor: FigureEditor, _: Clause) -> None:
    """Write the name of the event of the sentence as the title."""
    named = [event.name for event in events() if ignoring_case(rf"\b(?:{event.phrases})").search(editor.said)]
    if not named:
        raise NotUnderstood("the request does not say the new title", advice="write the title in quotes")
    editor.put("title", named[0][0].upper() + named[0][1:])


def remove_text(editor: FigureEditor, clause: Clause) -> None:
    """Remove a text that the figure sets."""
    key = next(key for key in ("title", "subtitle", "x_label", "y_label") if clause.has(f"noun:{key}"))
    held = editor.where(key)[0]
    if held is None:
        raise NotUnderstood(f"the figure sets no {key.replace('_', ' ')}")
    if key == "y_label" and isinstance(held, dict) and clause.has("what", "panel"):
        for number in panels_of(editor, clause):
            put_by_panel(editor, key, single_axis(editor, clause, number), None)
        return
    editor.set_for(key, None)


_SWITCHES = {"legend": "legend", "footer": "footer", "panel_letters": "panel_letters",
             "zero_line": "show_zero_line", "shared_y": "share_y"}  # fmt: skip


def switch(editor: FigureEditor, clause: Clause) -> None:
    """Show or hide a part of the figure."""
    key = next(key for noun, key in _SWITCHES.items() if clause.has(f"noun:{noun}"))
    editor.put(key, not clause.has("verb:remove"))


def letter_panels(editor: FigureEditor, _: Clause) -> None:
    """Write a letter at each panel: ``mark the panels (a) and (b)``."""
    editor.put("panel_letters", value=True)


def is_for_panels(clause: Clause) -> bool:
    """Return whether letters are for all panels: ``move (a) and (b)`` would name two panels."""
    if any(atom.value != "every" for atom in clause.of("panel")):
        return False
    if clause.has("verb:mark", "verb:name", "verb:add", "verb:annotate", "noun:panel_letters"):
        return True
    said = r"\b(?:letters?|labels?)\b|\b(?:in|on|at|to)\s+(?:\w+\s+)?(?:sub)?panels?\b"
    return ignoring_case(said).search(clause.text) is not None


_FACTORS = {"larger": 1.25, "smaller": 0.8, "taller": 1.5, "wider": 1.5, "narrower": 0.67, "flatter": 0.67}
"""Factors of sizes that words mean."""


def _refuse_panel(clause: Clause, setting: str) -> None:
    """Refuse a setting of the whole figure for one of its panels."""
    if clause.has("panel") and clause.value("panel") != "every":
        raise NotUnderstood(
            f"the {setting} is that of the whole figure, not of a panel", advice="leave the panel out"
        )


def set_number(editor: FigureEditor, clause: Clause) -> None:
    """Set a size, a factor or a threshold of the figure."""
    values = [atom.value.value for atom in clause.of("number")]
    if len(values) > 1:
        if len(values) != len(editor.panels) or not clause.has("noun:panel_height"):
            raise NotUnderstood(f"the request gives {len(values)} sizes for {len(editor.panels)} panels")
        editor.put("row_heights", [_whole(value) for value in values])
        return
    printed, width = clause.value("printed"), clause.value("width")
    value: Any = printed or width or next(iter(values), None)
    factor = clause.value("factor") or _FACTORS.get(clause.value("relative") or "", 1.0)
    if clause.has("noun:font_size"):
        _refuse_panel(clause, "font size")
        now = editor.spec.get("font_size", 14)
        editor.put("font_size", _resized(editor, "font size", now, value, factor))
    elif clause.has("noun:gap_factor"):
        editor.put("gap_factor", value)
    elif clause.has("noun:columns"):
        editor.put("columns", int(value))
    elif clause.has("noun:linthresh") and clause.has("what", "panel"):
        for number in panels_of(editor, clause):
            put_by_panel(editor, "linthresh", single_axis(editor, clause, number), value)
    elif clause.has("noun:linthresh"):
        editor.put("linthresh", value)
    else:
        _set_size(editor, clause, value, factor)


def _set_size(editor: FigureEditor, clause: Clause, value: Any, factor: float) -> None:
    if clause.has("noun:width", "noun:figure_width"):
        _refuse_panel(clause, "width")
    styles = editor.spec.get("line_styles") or {}
    lines = [line for name in clause.names for line in editor.lines_of(name)]
    if value is None and lines and all("markers" in styles.get(line, {}).get("mode", "") for line in lines):
        raise NotUnderstood(
            f"helio does not understand what of {', '.join(lines)} to make {clause.of('relative')[0].text}",
            advice="say 'thicker' for the markers, or 'taller panel'",
        )
    if clause.has("panel", "what"):
        heights = editor.spec.get("row_heights") or [1] * len(editor.panels)
        for number in panels_of(editor, clause):
            new = _whole(value if value is not None else heights[number - 1] * factor)
            heights = [*heights[: number - 1], new, *heights[number:]]
        editor.put("row_heights", heights)
        return
    size = editor.spec.get("canvas_size") or {}
    said = clause.says(r"\b(?:wide|width)\b")
    wide = clause.has("noun:figure_width", "noun:width", "relative:wider", "relative:narrower") or said
    sides = ["width" if wide else "height"]
    if clause.has("noun:figure_size", "relative:larger", "relative:smaller"):
        sides = ["width", "height"]
    for side in sides:
        usual = 1000 if side == "width" else 150 + 200 * max(1, len(editor.panels))
        new = _resized(editor, f"{side} of the figure in pixels", size.get(side, usual), value, factor)
        editor.put("canvas_size", new, side)


def limit_times(editor: FigureEditor, clause: Clause) -> None:
    """Draw only a part of the time range."""
    span = parse_time_range(clause.value("time"), editor.now)
    editor.put("x_range", [f"{moment:%Y-%m-%dT%H:%M:%S}" for moment in (span.start, span.stop)])


def set_canvas(editor: FigureEditor, clause: Clause) -> None:
    """Set the width and the height of the figure in pixels."""
    width, height = clause.value("size")
    editor.put("canvas_size", width, "width")
    editor.put("canvas_size", height, "height")


def _resized(editor: FigureEditor, name: str, now: Any, value: Any, factor: float) -> Any:
    """Return a given size, or otherwise the present one times a factor, with a note."""
    if value is not None:
        return _whole(value)
    if not isinstance(now, (int, float)):
        raise NotUnderstood(f"the {name} is {now}", advice="give the new size")
    editor.notes.append(f"the {name} is {round(now * factor)} instead of {now:g}")
    return round(now * factor)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


_EVERY_SPECTROGRAM = re.compile(
    r"\b(?:(?:(?:all|both)\s+)?(?:of\s+)?(?:the\s+|these\s+)?(?:spectrograms|spectra|colou?r plots)"
    r"|(?:every|each)\s+(?:spectrogram|spectrum|colou?r plot))\b",
    re.IGNORECASE,
)


def _names(clause: Clause) -> list[str]:
    """Return the names of a clause without words for all spectrograms."""
    every = _EVERY_SPECTROGRAM.search(clause.text)
    return [name for name in clause.names if every is None or name.casefold() not in every[0].casefold()]


def set_name(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour scale, the palette, the theme or a format of the file."""
    for name in _names(clause):
        if not editor.lines.meant(name, editor.figure()):
            raise NotUnderstood(f"the figure has no line called '{name}'")
    if clause.has("palette"):
        editor.put("palette", clause.value("palette"))
    elif clause.has("colormap"):
        check_colours(editor, [])
        _check_every_spectrogram(editor, clause)
        editor.put("colorscale", clause.value("colormap"))
    elif clause.has("format"):
        _refuse_panel(clause, "format")
        _set_format(editor, clause)
    elif clause.has("colour"):
        _refuse_panel(clause, "background")
        dark = {"black": "dark", "white": "white"}.get(clause.value("colour"))
        if dark is None:
            raise NotUnderstood("the background is white or dark")
        editor.put("theme", dark)
    else:
        _refuse_panel(clause, "background")
        editor.put("theme", clause.value("theme"))


def _set_format(editor: FigureEditor, clause: Clause) -> None:
    """Set the format of the figure's file, or its name with the ending of the format."""
    name, _, form = clause.value("format").rpartition(".")
    if name:
        editor.put("filename", f"{name}.{form.casefold()}")
    else:
        held = editor.spec.get("formats") or ["html"]
        more = ("formats", "") in editor.wished or clause.has("rel:also", "verb:add")  # png and pdf
        editor.put("formats", list(dict.fromkeys([*(held if more else ()), form.casefold()])))


def _check_every_spectrogram(editor: FigureEditor, clause: Clause) -> None:
    """Refuse a colour scale for some of the spectrograms: a figure has one for all."""
    coloured = {at for at in range(1, len(editor.panels) + 1) if is_spectrogram(editor, at, perhaps=True)}
    named = set(panel_numbers(editor, clause.of("panel")))
    named |= {at for name in _names(clause) for at in editor.numbers_of(name)}
    if named and not coloured <= named:
        others = ", ".join(map(str, sorted(coloured - named)))
        raise NotUnderstood(
            f"a figure has one colour scale for all its spectrograms, and panel {others} has one too",
            advice=f"say '{clause.value('colormap')} for all spectrograms'",
        )


def put_side_by_side(editor: FigureEditor, _: Clause) -> None:
    """Arrange the panels in two columns, or all in one row if they do not fill two."""
    count = len(editor.panels)
    editor.put("columns", count if count % 2 else 2)


_LEAST_HEIGHT = 100
"""Least height of a figure, in pixels: a smaller number is the relative height of a panel."""


def _is_size(clause: Clause) -> bool:
    number = clause.value("number")
    if number is not None and clause.has("noun:panel_height") and not clause.has("what", "panel"):
        return len(clause.of("number")) > 1 or number.value >= _LEAST_HEIGHT
    sized = clause.has("number", "printed", "width", "factor")
    if clause.value("relative") in (*WIDTHS, *FIXED):
        return False
    return sized or clause.has("relative")


SETTINGS: tuple[Rule, ...] = (
    *LINE_SETTINGS,
    *PANEL_SETTINGS,
    Rule("colour noun:theme", "", set_name),
    Rule("text", f"{LINE} noun:title noun:subtitle noun:x_label noun:y_label noun:y_axis noun:trace_name "
                 f"noun:legend "
         "noun:file_name "
         "verb:name verb:add noun:x_axis", set_text, lambda clause: not clause.has("line:lines") or clause.has("what")),
    Rule("noun:title rel:accordingly", "", match_title),
    Rule("verb:remove noun:title|noun:subtitle|noun:x_label|noun:y_label", "what panel", remove_text),
    Rule("noun:legend|noun:footer|"
         "noun:panel_letters|noun:zero_line|noun:shared_y", "verb:remove verb:add verb:show", switch),
    Rule("letters|noun:panel_letters", "letters noun:panel_letters verb:mark verb:name verb:add verb:annotate "
                                       "verb:move panel every", letter_panels, is_for_panels),
    Rule("noun:font_size|noun:gap_factor|noun:columns|noun:linthresh|noun:figure_height|noun:figure_width|"
         "noun:figure_size|noun:panel_height|noun:width|"
         "relative", "what panel number printed width factor", set_number, _is_size, "number"),
    Rule("factor", "what panel relative noun:panel_height", set_number,
         lambda clause: clause.value("relative") not in (*WIDTHS, *FIXED)
         and (clause.has("panel", "relative", "noun:panel_height") or clause.says(r"\bpanels?\b"))),
    Rule("width|printed", "relative noun:figure_width noun:figure_height", set_number, names_figure),
    Rule("noun:x_axis time", "noun:range noun:x_axis verb:zoom", limit_times),
    Rule("size", "noun:figure_size noun:figure_height noun:figure_width", set_canvas),
    Rule("colormap|palette|theme|format", "what panel tool line every noun:colour_scale noun:palette "
                                          "noun:theme noun:colour noun:colour_bar noun:scale verb:save "
         "rel:instead", set_name),
    Rule("rel:side_by_side", "panel every", put_side_by_side),
)  # fmt: skip
"""Rules for changes of how a figure looks."""
