"""Change how the lines of a figure look: colours, widths, markers, names and filled areas."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.panel_settings import (
    is_spectrogram,
    named_lines,
    panel_numbers,
    says_panel,
)
from helio.authoring.writing.asking import EVERY
from helio.knowledge.quantities import spellings
from helio.patterns import ignoring_case
from helio.pipelines.template.labels import owner

WIDTHS = {"thicker": 2.0, "thinner": 0.5}
MARKERS = {"larger": 2.0, "smaller": 0.5}
"""Words for the size of markers."""
FIXED = {"bold": 3.0, "thin": 1.0}
_PLAIN_WIDTH = 1.3
"""Width of a line that a figure draws without a setting, in pixels."""
LINE = "tool what panel craft every line noun:line noun:trace verb:show"


def lines_of(editor: FigureEditor, clause: Clause, *, by_craft: bool = False) -> list[str]:
    """Return the lines that a clause names; ask if it names none and the figure draws several."""
    numbers = panel_numbers(editor, clause.of("panel"))
    places = [name for name in clause.names if says_panel(clause, name)]
    names = [name for name in clause.names if name not in places]
    numbers += [number for name in places if names for number in editor.panel_numbers(name)[0]]
    within = editor.lines_in(numbers)
    lines = within
    if clause.has("what"):
        lines = [
            line
            for name in names or places
            for line in [
                *editor.known(name, by_craft=by_craft and not within, every=bool(within)),
                *_shown_as_craft(editor, name),
            ]
            if not within or owner(line, within) is not None
        ]
        if within and not lines:
            raise NotUnderstood(f"the panel has no line called '{', '.join(clause.names)}'")
    if clause.has("tool"):
        lines = editor.of_tools([str(atom.value) for atom in clause.of("tool")], lines)
    if lines:
        return list(dict.fromkeys(lines))
    plural = clause.has("every", "line:lines")
    drawn = [line for line in editor.drawn if line not in editor.kept]
    targets = {target for _, target in editor.wished}
    wished = [line for line in drawn if line in targets]
    if clause.has("every:both") and len(wished) == 2:
        return wished
    if clause.has("every:others"):
        atom = clause.of("every:others")[0]
        if atom.start not in editor.others:  # thin and dashed
            editor.others[atom.start] = _others(editor, atom.text, drawn, targets)
        return editor.others[atom.start]
    if plural and len(drawn) != 2 and clause.says(r"\bboth\b"):
        pairs = [panel for panel in editor.panels if len(panel) == 2]
        if len(pairs) != 1:
            raise NotUnderstood(f"the figure draws {len(drawn)} lines, so 'both' is not clear")
        return pairs[0]
    if len(drawn) == 1 or plural or clause.has("noun:width"):
        return drawn
    return [editor.ask("Which line do you mean?", drawn)]


_AXES = ("xyz", "rtn", "LMN")
"""The letters of the components of vectors."""
_OF_FIGURE = ignoring_case(r"\b(?:all|every\w*|any\w*|rest)\b")
"""Words of the other lines of all panels: ``everything else grey``."""


def _others(editor: FigureEditor, words: str, drawn: Sequence[str], targets: Collection[str]) -> list[str]:
    """Return the lines beside those that the sentence has changed: of their panels, or of all if words say so.

    Of a vector of which it has changed a component, the others are the other components.
    """
    others = [line for line in drawn if line not in targets]
    parts: dict[str, list[str]] = {}
    for line in targets:
        vector = owner(line, editor.lines.producers) or ""
        axes = next((axes for axes in _AXES if line[-1:] and line[-1] in axes), "")
        if vector in others and axes:
            left = parts.get(vector, [line[:-1] + axis for axis in axes])
            parts[vector] = [part for part in left if part[-1] != line[-1]]
    is_of_vector = "component" in words.casefold()
    is_of_figure = _OF_FIGURE.search(words) is not None and not is_of_vector
    in_panels = editor.panels and not is_of_figure
    there = editor.lines_in(editor.panels_with({*targets, *parts})) if in_panels else others
    beside = [
        part
        for line in others
        if line in there and (line in parts or not is_of_vector)
        for part in parts.get(line, [line])
    ]
    is_alone = max(map(len, editor.panels), default=1) == 1 and not is_of_vector
    if beside or is_of_figure or is_alone:
        return beside or others
    if is_of_vector:
        raise NotUnderstood(f"helio does not understand which lines '{words}' means", advice="name them")
    answer = editor.ask(f"Which line do you mean by '{words}'?", [*others, EVERY])
    return others if answer == EVERY else [answer]


def _shown_as_craft(editor: FigureEditor, name: str) -> list[str]:
    """Return the lines that the legend calls by the name of a spacecraft, such as its lag behind another one."""
    names = (editor.spec.get("trace_names") or {}) if name.casefold() in spellings() else {}
    named = [line for line, shown in names.items() if str(shown).casefold() == name.casefold()]
    return [line for line in named if line in editor.drawn and not editor.lines.is_vector(line)]


def style_lines(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour, dashes, width or markers of lines."""
    colour, dash, mode = clause.value("colour"), clause.value("dash"), clause.value("mode")
    if not editor.panels and editor.spec.get("xy"):
        _style_points(editor, clause)
        return
    has_colour = bool(colour) or any(key == "trace_colors" for key, _ in editor.wished)
    lines = lines_of(editor, clause, by_craft=has_colour)
    panels = {line: number for number, panel in enumerate(editor.panels, 1) for line in panel}
    coloured = [line for line in lines if editor.lines.has_colours(line)]
    coloured = [line for line in coloured if line not in panels or is_spectrogram(editor, panels[line])]
    if lines and coloured == lines:
        raise NotUnderstood(
            f"{lines[0]} is a spectrogram, which has no line",
            advice="set its colour scale ('viridis for the spectrogram'), or draw a line: 'flux averaged over 1-2 MeV'",
        )
    lines = [line for line in lines if line not in coloured]
    if colour:
        named = clause.has("what")
        crafts = [] if clause.has("panel") else clause.of("craft")
        meant = [line for craft in crafts for line in editor.lines_of(craft.text) if line not in lines]
        vectors = [line for line in (meant if named else lines) if editor.lines.is_vector(line)]
        plain = [line for line in lines if line not in vectors]
        refuse_one_colour(editor, [] if plain else vectors)
        editor.notes += [
            f"{line} keeps its colours, so that its components differ" for line in vectors if plain
        ]
        for line in _not_wished(editor, clause, plain or lines, "trace_colors"):
            editor.put("trace_colors", colour, line)
    for key, value in (("dash", dash), ("mode", mode)):
        for line in _not_wished(editor, clause, lines, f"line_styles.{key}") if value else ():
            editor.put("line_styles", value, line, key)
    if clause.has("width", "relative", "factor", "number"):
        styles = editor.spec.get("line_styles") or {}
        for line in _not_wished(editor, clause, lines, "line_styles.width"):
            now = float(styles.get(line, {}).get("width", _PLAIN_WIDTH))
            width = _width(clause, now)
            if not (clause.has("width", "number") or clause.value("relative") in FIXED):
                editor.notes.append(f"{line} is {width:g} pixels wide instead of {now:g}")
            editor.put("line_styles", width, line, "width")


def refuse_one_colour(editor: FigureEditor, lines: Sequence[str]) -> None:
    """Refuse one colour for lines of which one is a vector."""
    if any(map(editor.lines.is_vector, lines)):
        raise NotUnderstood(
            "one colour for a vector would make its components alike",
            advice="name a component, such as 'make the x component red', or another line",
        )


def colour_in_turn(editor: FigureEditor, clause: Clause) -> None:
    """Give each line that a clause names, or else each line of the figure, one of its colours, in their order."""
    colours = [atom.value for atom in clause.of("colour")]
    lines = lines_of(editor, clause) if clause.has("what", "panel", "craft") else editor.drawn
    lines = [line for line in lines if not editor.lines.has_colours(line)]
    if len(lines) != len(colours) or any(map(editor.lines.is_vector, lines)):
        raise NotUnderstood(
            f"the request gives {len(colours)} colours, but not for as many lines",
            advice="name a line for each colour",
        )
    for line, colour in zip(lines, colours, strict=True):
        editor.put("trace_colors", colour, line)


def notes_on_same_colours(editor: FigureEditor) -> list[str]:
    """Name the lines that have the colour that the sentence gives another line of their panel."""
    colours = editor.spec.get("trace_colors") or {}
    wished = {line for key, line in editor.wished if key == "trace_colors"}
    alike: dict[str, list[str]] = {}
    for panel in editor.panels:
        for colour in dict.fromkeys(colours[line] for line in panel if line in wished & {*colours}):
            alike.setdefault(colour, []).extend(
                line for line in panel if line not in wished and colours.get(line) == colour
            )
    return [f"also {colour} beside them: {', '.join(lines)}" for colour, lines in alike.items() if lines]


def _not_wished(editor: FigureEditor, clause: Clause, lines: list[str], key: str) -> list[str]:
    """Leave out lines with a look of their own if a clause is of all lines: ``all lines red, Bz black``.

    Refuse another look of a line that the clause does not name, ``AE in red, the data in blue``; a width may be exact.
    """
    is_of_all = clause.has("every", "line:lines") and not clause.has("what")
    wished = [line for line in lines if (key, line) in editor.wished]
    own = {tag for atom in clause.atoms for tag in atom.tags}
    may_refine = key == "line_styles.width" and clause.says(r"\d")  # thicker, width 3
    if wished and not (is_of_all or may_refine) and own.isdisjoint(("what", "panel", "every")):
        raise NotUnderstood(
            f"it is not clear which line '{clause.text.strip()}' is for", advice="name the line"
        )
    return [line for line in lines if not (is_of_all and line in wished)]


def _style_points(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour or the markers of one quantity against another."""
    entries = editor.spec["xy"]
    if clause.has("dash", "width", "relative", "factor", "number") or len(entries) != 1:
        raise NotUnderstood(f"helio cannot use '{clause.text}' in this figure")
    if clause.has("colour", "mode") and len(axes := {*named_lines(editor, clause)}) == 1:
        raise NotUnderstood(
            f"the points of one quantity against another are not those of {min(axes)} alone",
            advice="leave out its name, or write 'and' for 'vs' to draw both over time",
        )
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
    if relative in FIXED and not clause.has("factor"):
        return FIXED[relative]
    factor = clause.value("factor") or (WIDTHS | (MARKERS if clause.has("mode") else {})).get(relative or "")
    if factor is None:
        raise NotUnderstood(
            f"helio cannot draw a line {clause.of('relative')[0].text}", advice="say thicker or thinner"
        )
    return round(now * factor, 2)


WHOLE = re.compile(r"\b(?:figure|plot|canvas)\b", re.IGNORECASE)


_WIDEST = 30.0
"""Greatest width of a line in pixels; more pixels are those of the figure."""


def names_figure(clause: Clause) -> bool:
    """Return whether a size is that of the figure: ``1400 px wide``, ``width 900``."""
    number = clause.value("number")
    wide = max(clause.value("width") or 0.0, number.value if number is not None else 0.0) > _WIDEST
    return WHOLE.search(clause.text) is not None or (wide and clause.has("width", "noun:width"))


def has_look(clause: Clause) -> bool:
    if clause.has("width", "noun:width") and names_figure(clause):
        return False
    relative = clause.value("relative")
    is_thick = clause.has("factor") and relative in ("bold", "thicker")
    is_sized = clause.has("noun:width", "mode") and not clause.says(r"\bat\s+[-−+]?\d")  # dots at -50
    if clause.has("number", "factor") and not (is_thick or is_sized):
        return False
    return clause.has("colour", "dash", "mode", "width", "number", "factor") or relative in (*WIDTHS, *FIXED)


def says_bins(clause: Clause) -> bool:
    """Return whether a width is that of the bins of a histogram."""
    return clause.says(r"\bbins?\b")


def refuse_bins(_: FigureEditor, clause: Clause) -> None:
    """Refuse a width of bins that is not understood; it is not that of a line."""
    raise NotUnderstood(
        f"helio does not understand the width of the bins: '{clause.text.strip()}'",
        advice="give it in the unit of the quantity, as in 'bins of 20 km/s'",
    )


def name_lines(editor: FigureEditor, clause: Clause) -> None:
    """Name lines in the legend as quoted, each name to the line of the spacecraft that the name begins with."""
    for atom in clause.of("text"):
        lines = editor.lines.meant(str(atom.value).split()[0], editor.figure(), by_craft=True)
        if len(lines) != 1:
            raise NotUnderstood(f"it is not clear which line to call '{atom.value}'")
        editor.put("trace_names", atom.value, lines[0])


_EVERYWHERE = r"\beverywhere\b|\b(?:the|whole|entire|full)\s+(?:figure|plot|page)\b"


def fill(editor: FigureEditor, clause: Clause) -> None:
    """Fill the area between a line and a value below or above it."""
    limits = clause.value("bound")
    if limits is None:
        raise NotUnderstood("the request does not say where to fill", advice="say 'fill Bz below 0'")
    lines, panels = lines_of(editor, clause), panel_numbers(editor, clause.of("panel"))
    goes_on = any(atom.kind == "bound" for atom in clause.shared) and bool(panels)
    is_elsewhere = clause.names and (
        not {*panels} <= {*editor.panels_with(lines)} or clause.says(_EVERYWHERE)
    )
    if not clause.has("verb:fill") and (goes_on or is_elsewhere):
        raise NotUnderstood(
            "helio shades where a series is above or below a level in its panel, and not in others",
            advice="leave this out, or give the times: 'shade 06:00 to 09:00'",
        )
    for line in lines:
        key, value = ("fill_below", limits.high) if limits.low is None else ("fill_above", limits.low)
        editor.put("line_styles", value, line, key)
        if clause.has("colour"):
            editor.put("line_styles", clause.value("colour"), line, "fill_color")


def swap_colours(editor: FigureEditor, clause: Clause) -> None:
    """Exchange the colours of two lines: those that the clause names, or the only two with a colour."""
    colours = editor.spec.get("trace_colors") or {}
    numbers = panel_numbers(editor, clause.of("panel"))
    there = editor.lines_in(numbers) or list(colours)
    named = [  # long and short channels: each name without its plural, if that is one line
        alone
        if len(alone := editor.lines_of(name.removesuffix("s"))) == 1
        else editor.known(name, by_craft=True)
        for name in clause.names
    ]
    lines = [line for meant in named for line in meant] or there
    if len(lines) != 2:
        raise NotUnderstood("it is not clear which two colours to exchange", advice="name two lines")
    if not set(lines) <= set(colours):
        raise NotUnderstood("the figure does not set one colour for each of the two lines")
    first, second = lines
    editor.put("trace_colors", colours[second], first)
    editor.put("trace_colors", colours[first], second)


LINE_SETTINGS: tuple[Rule, ...] = (
    Rule("verb:swap noun:colour|noun:line_colour", "what craft panel", swap_colours,
         lambda clause: len(clause.names) in (0, 2)),
    Rule("noun:width number|width", "tool what panel", refuse_bins, says_bins),
    Rule("colour", f"{LINE} noun:colour noun:line_colour", colour_in_turn,
         lambda clause: len(clause.of("colour")) > 1, "colour"),
    Rule("colour|dash|mode|"
         "width|relative|factor|number", f"{LINE} colour dash mode width relative factor number noun:colour "
                                         f"noun:dash noun:width "
         "noun:line_colour", style_lines, has_look),
    Rule("mode verb:only", "what panel craft every line", style_lines),
    Rule("verb:name text "
         "line:lines|rel:also|text", "noun:trace_name noun:legend", name_lines,
         lambda clause: len(clause.of("text")) > 1, "text"),
    Rule("verb:fill|verb:shade|verb:mark bound", "what panel craft colour", fill),
    Rule("verb:fill what|panel", "bound number colour craft noun:zero_line", fill),
)  # fmt: skip
