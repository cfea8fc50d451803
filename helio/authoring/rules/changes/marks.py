"""Mark values and times in a figure: lines, levels and shaded intervals."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.atoms import COUNT, COUNTED, Range
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_names import says
from helio.authoring.rules.changes.line_settings import FIXED
from helio.authoring.rules.changes.moments import intervals_of, is_interval, moments_in
from helio.authoring.rules.changes.panel_settings import named_panels, panels_of, says_panel
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.time_range import TimeRange, time_range_or_none

_KIND_OF_LINE = re.compile(r"(?:threshold|reference|limit|level|guide|alert)s?", re.IGNORECASE)


def mark_value(editor: FigureEditor, clause: Clause) -> None:
    """Draw a horizontal line at a value, also at one that a line shall exceed: ``Kp > 5 line``."""
    if pairs := _values_with_panels(clause):
        for pair in pairs:
            mark_value(editor, pair)
        return
    given = [atom.value for atom in clause.of("number", "bound")]
    values = [
        (value.low if value.high is None else value.high) if isinstance(value, Range) else value.value
        for value in given
    ] or [0.0]
    units = [value.unit for value in given if value.unit]
    names = tuple(
        atom for atom in clause.atoms if atom.kind != "what" or not _KIND_OF_LINE.fullmatch(atom.text)
    )
    where = replace(clause, atoms=names)
    numbers = panels_of(editor, where, "The line is in which panel?", unit=units[0] if units else "")
    placed = len(editor.panels) > 1 or clause.has("panel", "what")
    label = {"label": clause.value("text")} if clause.has("text") else {}
    for panel, value in product(numbers, values):
        at_panel = {"panel": panel} if placed else {}
        _add_mark(editor, "hlines", {"y": value} | at_panel | _look(clause) | label)


def _values_with_panels(clause: Clause) -> list[Clause]:
    """Return a clause for each panel that has values of its own: ``at -20 in the field panel, at 500 in the …``."""
    atoms = [atom for atom in clause.atoms if {"number", "bound", "what", "panel"}.intersection(atom.tags)]
    kinds = "".join("p" if {"what", "panel"}.intersection(atom.tags) else "v" for atom in atoms)
    pattern = r"v+p+" if kinds.startswith("v") else r"p+v+"
    if not re.fullmatch(rf"(?:{pattern}){{2,}}", kinds):
        return []
    others = tuple(atom for atom in clause.atoms if atom not in atoms)
    groups = [atoms[slice(*match.span())] for match in re.finditer(pattern, kinds)]
    return [
        replace(clause, atoms=tuple(sorted((*others, *group), key=lambda atom: atom.start)))
        for group in groups
    ]


def move_line(editor: FigureEditor, clause: Clause) -> None:
    """Move the one horizontal line that a clause means to another value: ``line at 0.5 instead of 1``."""
    new, old = ([atom.value.value for atom in atoms] for atoms in clause.beside("rel:instead_of", "number"))
    lines = editor.spec.get("hlines") or []
    numbers = named_panels(editor, clause.of("panel", "what"))
    moved = [
        line
        for line in map(object_of, lines)
        if (not numbers or line.get("panel", 1) in numbers) and (not old or line.get("y") in old)
    ]
    if len(new) != 1 or len(moved) != 1:
        raise NotUnderstood(
            f"helio does not understand which line '{clause.text}' moves",
            advice="say 'line at B instead of A', with the value of a line of the figure",
        )
    there = {"y": new[0]} | _look(clause)
    editor.set_for("hlines", [line | there if line == moved[0] else line for line in lines])


def _look(clause: Clause) -> dict[str, Any]:
    keys = {"colour": "color", "dash": "dash", "width": "width"}
    look = {key: clause.value(kind) for kind, key in keys.items() if clause.has(kind)}
    return look | ({"width": FIXED[kind]} if (kind := clause.value("relative")) in FIXED else {})


def _add_mark(editor: FigureEditor, key: str, mark: dict[str, Any]) -> None:
    held = editor.spec.get(key)
    marks = list(held) if isinstance(held, list) else []
    place = ("y", "panel") if key == "hlines" else ("x", "x0", "x1")
    same = [old for old in marks if isinstance(old, dict) and _is_at(old, mark, place)]
    if same:
        look = {name: value for name, value in mark.items() if name not in place}
        marks[marks.index(same[0])] = same[0] | look
    editor.put(key, marks if same else [*marks, mark])


def _is_at(old: dict[str, Any], mark: dict[str, Any], place: tuple[str, ...]) -> bool:
    """Return whether a mark is where another one is already; it then only gets another look."""
    where = [[line.get(key, 1 if key == "panel" else None) for key in place] for line in (old, mark)]
    return where[0] == where[1] and where[0][0] is not None


def mark_time(editor: FigureEditor, clause: Clause) -> None:
    """Draw a vertical line at each time; an interval that a clause marks is shaded."""
    if clause.has("verb:mark") and not clause.has("noun:vertical_line") and is_interval(clause):
        shade(editor, clause)
        return
    if clause.has("verb:move"):
        _move_mark(editor, clause)
        return
    _note_every_panel(editor, clause)
    label = clause.value("text") or _label(editor, clause)
    for moment in moments_in(editor, clause):
        _add_mark(editor, "vlines", {"x": moment} | ({"label": label} if label else {}) | _look(clause))


def _move_mark(editor: FigureEditor, clause: Clause) -> None:
    """Move the one mark that a clause names by its label: ``move the mark 'shock' to 08:30``."""
    names = {str(atom.value).casefold() for atom in clause.of("text")}
    names |= {plain_name(name).casefold() for name in clause.names}
    marks, moments = editor.spec.get("vlines") or [], moments_in(editor, clause)
    meant = [mark for mark in map(object_of, marks) if not names or _label_of(mark) in names]
    if len(meant) != 1 or len(moments) != 1:
        raise NotUnderstood(
            f"helio does not understand which mark '{clause.text}' moves", advice="name one mark by its label"
        )
    editor.set_for("vlines", [mark | {"x": moments[0]} if mark == meant[0] else mark for mark in marks])


def _label(editor: FigureEditor, clause: Clause) -> str:
    """Return the words that name what happens at a time: ``mark the shock at 04:45``; names of lines only if alone."""
    verbs = clause.of("verb:mark", "verb:shade")
    own = [atom for atom in clause.of("what") if atom.start >= clause.start]  # not those of the clause before
    names = [atom for atom in own if atom.text.casefold() not in COUNTED]
    others = [atom for atom in names if not editor.lines.meant(plain_name(atom.text), editor.figure())]
    names = others or [
        atom for atom in names if verbs and verbs[0].stop <= atom.start and not _is_place(clause, atom.text)
    ]
    if not names:
        return ""
    start = verbs[0].stop if verbs and verbs[0].stop <= names[0].start else names[0].start
    if any(start <= moment.start < names[0].start for moment in clause.of("moment", "time")):
        start = names[0].start  # mark 04:45 with a line called shock
    words = clause.text[start - clause.start : names[0].stop - clause.start]
    return ignoring_case(rf"^\s*(?:for\s+)?(?:the\s+|an?\s+)?(?:(?:{COUNT})\s+)?").sub("", words)


def _note_every_panel(editor: FigureEditor, clause: Clause) -> None:
    """Say that a time is marked in every panel, if the clause names one."""
    if clause.has("panel") or any(_is_place(clause, atom.text) for atom in clause.of("what")):
        editor.notes.append("a time is marked in every panel")


def _is_place(clause: Clause, name: str) -> bool:
    """Return whether a line says in which panel to mark something: ``mark 06:30 in the speed panel``."""
    return clause.says(rf"\b(?:in|on|for)\s+(?:the\s+)?{re.escape(name)}(?!\w)")


def shade(editor: FigureEditor, clause: Clause) -> None:
    """Shade intervals of time."""
    if clause.has("verb:only"):
        raise NotUnderstood("helio shades times in every panel", advice="leave out the panel")
    _note_every_panel(editor, clause)
    label = clause.value("text") or _label(editor, clause)
    colour = clause.value("colour")
    look = ({"label": label} if label else {}) | ({"color": colour} if colour else {})
    for start, stop in intervals_of(editor, clause):
        _add_mark(editor, "vrects", {"x0": start, "x1": stop} | look)


_MARK_KEYS = {"horizontal_line": ("hlines",), "vertical_line": ("vlines",)}
_SHADINGS = ("vrects", "events")
"""Keys of shaded intervals: those that the figure lists, and those from tables of events."""
_MARK_NAMES = {"vrects": "shaded interval", "hlines": "horizontal line", "vlines": "vertical line"}


def remove_marks(editor: FigureEditor, clause: Clause) -> None:
    """Remove horizontal or vertical lines, levels, or shaded intervals."""
    keys = next((keys for noun, keys in _MARK_KEYS.items() if clause.has(f"noun:{noun}")), _SHADINGS)
    keys = ("hlines",) if clause.has("levels") else keys
    held = _held(editor, keys)
    is_level = keys == ("hlines",)
    labels = [] if is_level else [name.casefold() for name in clause.names]
    values = [atom.value.value for atom in clause.of("number")]
    places = [atom for atom in clause.of("what") if is_level and says_panel(clause, atom.text)]
    numbers = [] if values else named_panels(editor, [*clause.of("panel"), *places])
    if is_level and len(places) < len(clause.names):
        raise NotUnderstood(
            f"helio does not understand '{clause.text}'", advice="name the panel or the value"
        )

    def stays(mark: Document) -> bool:
        if clause.has("levels"):
            return bool(mark.get("levels") != clause.value("levels"))
        if labels:
            return not any(says(_label_of(mark), label) for label in labels)
        return mark.get("y", mark.get("x")) not in values if values else mark.get("panel", 1) not in numbers

    is_part = labels or values or numbers or clause.has("levels")
    kept = {key: [mark for mark in held[key] if is_part and stays(object_of(mark))] for key in held}
    if kept == held:
        raise NotUnderstood("the figure has no such line")
    for key in held:
        editor.set_for(key, kept[key])


def _held(editor: FigureEditor, keys: tuple[str, ...]) -> dict[str, list[Any]]:
    """Return the marks that the figure has under some keys; refuse the sentence if there are none."""
    held = {key: marks for key in keys if isinstance(marks := editor.where(key)[0], list) and marks}
    if not held:
        raise NotUnderstood(f"the figure has no {_MARK_NAMES[keys[0]]}")
    return held


def _label_of(mark: Document) -> str:
    """Return the label of a mark; of a mark without a label, the name of the table that it is from."""
    return str(mark.get("label") or str(mark.get("of", "")).replace("_", " ")).casefold()


def set_look_of_shading(editor: FigureEditor, clause: Clause) -> None:
    """Set the colour of the shaded intervals that a clause names, or of all."""
    names = [plain_name(name).casefold() for name in clause.names]
    found = False
    for key, marks in _held(editor, _SHADINGS).items():
        meant = [not names or any(says(_label_of(mark), name) for name in names) for mark in marks]
        found |= any(meant)
        look = {"color": clause.value("colour")}
        editor.set_for(key, [mark | look if of else mark for mark, of in zip(marks, meant, strict=True)])
    if not found:
        raise NotUnderstood(f"the figure has no shaded interval called '{', '.join(clause.names)}'")


def looks_of_shading(editor: FigureEditor) -> Rule:
    """Return the rule of the colour of shaded intervals by their labels alone: ``make the sheath orange``."""

    def is_named(clause: Clause) -> bool:
        keys = _SHADINGS if len(editor.figures()) == 1 else ()
        labels = {_label_of(object_of(mark)) for key in keys for mark in editor.where(key)[0] or ()}
        return {plain_name(name).casefold() for name in clause.names} <= labels

    return Rule("colour what", "noun:colour verb:show", set_look_of_shading, is_named)


def without_marks(editor: FigureEditor, clause: Clause) -> Clause:
    """Remove the marks that names in a clause label: ``remove the sheath and the shock``; return the other names."""
    gone = []
    for atom in clause.of("what"):
        words, is_line = plain_name(atom.text).casefold(), bool(editor.lines_of(atom.text))
        for key in ("vlines", *_SHADINGS, "hlines"):
            held = [object_of(mark) for mark in editor.where(key)[0] or []]
            labels = [_label_of(mark) for mark in held]
            is_meant = [label == words if is_line else says(label, words) for label in labels]
            kept = [mark for mark, goes in zip(held, is_meant, strict=True) if not goes]
            if kept != held:
                editor.set_for(key, kept)
                gone.append(atom)
    own, shared = (tuple(atom for atom in part if atom not in gone) for part in (clause.atoms, clause.shared))
    return replace(clause, atoms=own, shared=shared)


def notes_on_marks_outside(editor: FigureEditor, span: TimeRange) -> list[str]:
    """Name the marks at fixed times that the new time range of the figure does not show."""
    outside = []
    for key in ("vlines", "vrects", "annotations"):
        for mark in map(object_of, editor.spec.get(key) or ()):
            times = [str(mark[name]) for name in ("x", "x0", "x1") if name in mark]
            ends = [time_range_or_none(time, editor.now) for time in times]
            known = [end for end in ends if end is not None]
            if len(known) == len(times) > 0 and (known[-1].start < span.start or known[0].start >= span.stop):
                outside.append(str(mark.get("label") or mark.get("text") or " to ".join(times)))
    return [f"marked at times outside the new time range: {', '.join(outside)}"] if outside else []


def add_levels(editor: FigureEditor, clause: Clause) -> None:
    """Draw the named levels of storms, flares, Kp or protons."""
    numbers = panels_of(editor, clause) if clause.has("what", "panel") else []
    for place in [{"panel": number} for number in numbers] or [{}]:
        _add_mark(editor, "hlines", {"levels": clause.value("levels")} | place | _look(clause))


def _says_value(clause: Clause) -> bool:
    """Return whether a clause draws a line at a value: ``red line at -10 nT``, ``mark beta = 1``."""
    if clause.has("number"):
        is_at = clause.says(r"(?:\bat|=|<|>)\s*(?:y\s*=\s*)?[-−+]?[\d.]")
        return is_at or bool(clause.value("number").unit)
    return clause.has("what", "panel") and not clause.has("verb:remove")


_AT_LIMIT = r"[<>≥≤]=?\s*[-−+]?[\d.]+\s*\S*\s+line\b|\bline\s+(?:for|at|where|when|if)\b"
"""Regular expression of a line at a limit: ``Kp > 5 line``, ``a dashed line for Dst < -100``."""
_MARKED = (
    "colour dash width relative what craft panel text verb:mark verb:add noun:horizontal_line "
    "noun:vertical_line line verb:move verb:name"
)
DRAWN_MARKS = (mark_value, move_line, mark_time, shade, add_levels)
"""Functions that draw a mark, with the look that a clause names."""
MARKS: tuple[Rule, ...] = (
    Rule("levels", "what panel verb:add verb:mark verb:show colour dash line", add_levels),
    Rule("verb:remove noun:horizontal_line|noun:vertical_line|verb:shade|levels",
         "number panel what colour dash line noun:time", remove_marks),
    Rule("verb:remove what noun:time", "", remove_marks),
    Rule("verb:shade colour", "what noun:time noun:colour", set_look_of_shading),
    Rule("verb:move|rel:instead_of line|noun:horizontal_line number",
         "number line noun:horizontal_line rel:instead_of verb:move verb:show what panel colour dash width", move_line,
         lambda clause: clause.has("rel:instead_of") or clause.says(r"\blines?\b.*\bto\s+(?:y\s*=\s*)?[-−+\d.]"),
         several="number"),
    Rule("noun:horizontal_line number", f"{_MARKED} noun:y_axis", mark_value, several="number"),
    Rule("bound line|noun:horizontal_line what|panel", _MARKED, mark_value,
         lambda clause: clause.says(_AT_LIMIT)),
    Rule("verb:mark|verb:add number|noun:zero_line line|noun:zero_line", _MARKED, mark_value),
    Rule("number|noun:zero_line line|noun:zero_line|verb:mark", _MARKED, mark_value, _says_value),
    Rule("verb:mark|noun:vertical_line moment|time", f"{_MARKED} moment time", mark_time, several="moment time"),
    Rule("verb:shade moment|time", "moment time noun:time colour what text verb:name panel verb:only", shade,
         lambda clause: (not clause.says(r"\.\s+(?:last|past|from|on)\b")
                         and clause.has("verb:only") <= clause.has("panel")),
         several="moment time"),
)  # fmt: skip
