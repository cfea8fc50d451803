"""Mark values and times in a figure: lines, levels and shaded intervals."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.atoms import COUNT, COUNTED, Atom, Range
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_names import DESCRIBED, says
from helio.authoring.rules.changes.line_settings import FIXED
from helio.authoring.rules.changes.moments import default_span, intervals_of, is_interval, moments_in
from helio.authoring.rules.changes.panel_settings import panel_numbers, panels_of
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.time_range import TimeRange, parse_time_range, time_range_or_none

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
    _refuse_some_panels(editor, clause)
    label = clause.value("text") or _label(editor, clause)
    for moment in moments_in(editor, clause):
        _add_mark(editor, "vlines", {"x": moment} | ({"label": label} if label else {}) | _look(clause))


def _label(editor: FigureEditor, clause: Clause) -> str:
    """Return the words that name what happens at a time: ``mark the shock at 04:45``; names of lines only if alone."""
    verbs = clause.of("verb:mark", "verb:shade")
    own = [atom for atom in clause.of("what") if atom.start >= clause.start]  # not those of the clause before
    names = [atom for atom in own if atom.text.casefold() not in COUNTED]
    others = [atom for atom in names if not editor.lines.meant(plain_name(atom.text), editor.figure())]
    names = others or [
        atom
        for atom in names
        if verbs
        and verbs[0].stop <= atom.start
        and not (_names_panels(clause) or _is_place(clause, atom.text))
    ]
    if not names:
        return ""
    start = verbs[0].stop if verbs and verbs[0].stop <= names[0].start else names[0].start
    if any(start <= moment.start < names[0].start for moment in clause.of("moment", "time")):
        start = names[0].start  # mark 04:45 with a line called shock
    after = min((atom.start for atom in clause.atoms if atom.start >= names[0].stop), default=clause.stop)
    rest = _REST_OF_NAME.match(clause.text[names[0].stop - clause.start : after - clause.start])
    words = clause.text[start - clause.start : names[0].stop - clause.start] + (rest[0] if rest else "")
    return ignoring_case(rf"^\s*(?:for\s+)?(?:the\s+|an?\s+)?(?:(?:{COUNT})\s+)?").sub("", words)


_REST_OF_NAME = ignoring_case(
    r"\s+(?!(?:at|on|in|from|to|of|with|for|and|by|as|between|until|around|near|since|please|also|too|there|"
    r"here|which|that|when|where|is|was|it|lines?|using|intervals?|periods?|times?|areas?|bands?)\b)[a-z][a-z-]+(?=\s|[,.!]|$)"
)
"""A word behind a name that belongs to it: the ``sheet`` of ``mark the current sheet at 12:00``."""


def _refuse_some_panels(editor: FigureEditor, clause: Clause) -> None:
    """Refuse to mark a time in some of the panels alone; note that it is in every panel where words may say so."""
    in_panels = _names_panels(clause)
    places = [atom for atom in clause.of("what") if in_panels or _is_place(clause, atom.text)]
    numbers = {*panel_numbers(editor, clause.of("panel"))}
    numbers.update(*(editor.numbers_of(atom.text) for atom in places if editor.lines_of(atom.text)))
    is_asked = in_panels or (numbers and any(_is_behind_time(clause, atom) for atom in places))
    if _LEAVES_OUT.search(editor.said) or (is_asked and len(numbers) < len(editor.panels)):
        raise NotUnderstood("helio marks and shades times in every panel", advice="leave out the panel")
    if numbers and not in_panels:
        editor.notes.append("a time is marked in every panel")


def _names_panels(clause: Clause) -> bool:
    """Return whether a clause speaks of panels, and not only in a label."""
    unquoted = clause.without(atom for atom in clause.atoms if atom.kind == "text")
    return clause.has("panel") or _PANEL.search(unquoted) is not None


_PANEL = ignoring_case(r"\b(?:panels?|subplots?|(?:in|on)\s+the\s+(?!whole|entire|full)\w+\s+plots?)\b")


def _is_behind_time(clause: Clause, place: Atom) -> bool:
    """Return whether a line stands alone behind a time: ``06:30 on the density``, not ``jump in the density``."""
    between = [
        clause.text[time.stop - clause.start : place.start - clause.start]
        for time in clause.of("moment", "time")
    ]
    is_next = any(re.fullmatch(r"\s*(?:in|on|for)\s+(?:the\s+)?", text.casefold()) for text in between)
    return is_next and _REST_OF_NAME.match(clause.text, place.stop - clause.start) is None


_LEAVES_OUT = ignoring_case(
    r"\b(?:in|on|over|across)\s+(?:all|every|each)\s+(?:(?:of\s+)?(?:the\s+)?panels?\s+)?"
    r"(?:but|except|apart\s+from|other\s+than)\b|\bbut\s+not\b"
    r"|\bnot\s+(?:in|on)\s+(?:the\s+)?(?:[\w|-]+\s+){1,2}panel\b"
)
"""Words that leave panels out: ``in all panels but the last``, ``but not in the Kp panel``."""


def _is_place(clause: Clause, name: str) -> bool:
    """Return whether a line says in which panel to mark something: ``mark 06:30 in the speed panel``."""
    return clause.says(rf"\b(?:in|on|for)\s+(?:the\s+)?{re.escape(name)}(?!\w)")


def shade(editor: FigureEditor, clause: Clause) -> None:
    """Shade intervals of time."""
    _refuse_some_panels(editor, clause)
    label = clause.value("text") or _label(editor, clause)
    colour = clause.value("colour")
    look = ({"label": label} if label else {}) | ({"color": colour} if colour else {})
    for start, stop in intervals_of(editor, clause):
        _add_mark(editor, "vrects", {"x0": start, "x1": stop} | look)


_SHADINGS = ("vrects", "events")
"""Keys of shaded intervals: those that the figure lists, and those from tables of events."""
_MARKS = ("vlines", *_SHADINGS, "hlines")
_KEYS = {"levels": ("hlines",), "noun:horizontal_line": ("hlines",), "noun:vertical_line": ("vlines",),
         "verb:shade": _SHADINGS, "number": ("hlines",), "verb:mark": _MARKS}  # fmt: skip
"""Keys of the marks that parts of a clause mean; a clause without such a part may mean any mark."""
_MARK_NAMES = {"vrects": "shaded interval", "hlines": "horizontal line", "vlines": "vertical line"}
_EVERY_MARK = "all marks"
_CALLED = ("labelled", "labeled", "called", "named")
_HELD = ignoring_case(
    r"\b(?:the|this|that|all|both|make|change|move|shift|extend|shorten|colou?r|re-?name|set)\s+"
    r"(?:(?!(?:with|by|as|an?|at|in|from|to)\b)['\"]?[\w|:–-]+['\"]?\s+){0,4}?"
    r"(?:shad(?:ings?|ed)|marks?|(?:vertical|horizontal)\s+lines?)\b(?!\s+the\b)"
    r"|\blines?\b.*\bto\s+(?:y\s*=\s*)?[-−+\d.]"
)
"""Marks that the figure has already: ``the yellow shading``, ``change the marks``."""


def _old_and_new(clause: Clause) -> tuple[Clause, Clause]:
    """Return a clause with the parts that describe marks alone, and with those that these get."""
    _, behind = clause.beside("rel:instead_of", "number", "moment", "time")
    old = behind if clause.has("rel:instead_of") else []
    nouns = clause.of("verb:shade", "verb:mark", "line", "noun:horizontal_line", "noun:vertical_line")
    noun = nouns[-1].start if nouns else 0
    for kind in ("colour", "dash", "width"):
        looks = clause.of(kind)
        said = looks and ignoring_case(r"\bthe\s+(?:\w+\s+)?$").search(clause.ahead_of(looks[0]))
        old += looks[:1] if len(looks) > 1 or (said and looks[0].start < noun) else []
    texts = clause.of("text")
    is_new = any(atom.text.casefold() not in _CALLED for atom in clause.of("verb:name"))
    old += texts[: -1 if is_new else None]
    if not clause.has("rel:instead_of"):
        to_value = clause.has("verb:move") or clause.says(r"\bto\s+(?:y\s*=\s*)?[-−+\d.]+\s*[^\s:\d]*$")
        numbers, times = clause.of("number"), clause.of("moment", "time")
        old += numbers[: -1 if to_value else None]
        looks = [atom for atom in clause.of("colour", "dash", "width", "text") if atom not in old]
        has_ends = clause.has("verb:shade") or not clause.says(r"\bfrom\b|\b(?:at|the)\s+\d")  # of A, to B
        size = 2 if has_ends and is_interval(clause) and not clause.has("time") else 1
        old += times if looks else times[:-size]
    new = [atom for atom in clause.of(*_NEW) if atom not in old]
    return (
        replace(clause, atoms=tuple(atom for atom in clause.all if atom not in new), shared=()),
        replace(clause, atoms=tuple(atom for atom in clause.all if atom not in old), shared=()),
    )


_INSTEAD = ("rel:instead_of", "rel:instead")
_NEW = ("colour", "dash", "width", "text", "number", "moment", "time")


def _meant(editor: FigureEditor, clause: Clause) -> dict[str, list[Any]]:
    """Return the marks that a clause describes by kind, label, look, value, time or panel; ask which kind."""
    keys = [key for part, keys in _KEYS.items() if part and clause.has(part) for key in keys] or _MARKS
    held = {key: marks for key in keys if isinstance(marks := editor.where(key)[0], list) and marks}
    names = [plain_name(name).casefold() for name in clause.names]
    names += [str(atom.value).casefold() for atom in clause.of("text")]
    wanted = {
        "color": [atom.value for atom in clause.of("colour")],
        "dash": [atom.value for atom in clause.of("dash")],
        "y": [atom.value.value for atom in clause.of("number")],
        "levels": [atom.value for atom in clause.of("levels")],
        "panel": panel_numbers(editor, clause.of("panel")),
    }

    def is_named(key: str, mark: Document, name: str) -> bool:
        there = editor.numbers_of(name) if key == "hlines" and editor.lines_of(name) else []
        return says(_label_of(mark), name) or mark.get("panel", 1) in there

    def is_meant(key: str, mark: Document) -> bool:
        has = mark | {"panel": mark.get("panel", 1 if key == "hlines" else None)}
        return (
            (not names or any(is_named(key, mark, name) for name in names))
            and all(has.get(part) in values for part, values in wanted.items() if values)
            and (not clause.has("moment", "time") or _is_at_times(editor, mark, clause))
        )

    every = [(key, object_of(mark)) for key, marks in held.items() for mark in marks]
    known = [name for name in names if any(is_named(key, mark, name) for key, mark in every)]
    meant = {key: [mark for mark in marks if is_meant(key, object_of(mark))] for key, marks in held.items()}
    meant = {key: marks for key, marks in meant.items() if marks}
    if not meant or known != names:
        name = _MARK_NAMES[keys[0]] if len(keys) < len(_MARKS) else "mark"
        told = ", ".join(_told(mark) for marks in held.values() for mark in marks)
        raise NotUnderstood(
            f"the figure has no such {name}" if held else f"the figure has no {name}",
            advice=f"name one of these: {told}" if held else "",
        )
    if clause.has("verb:mark") and len(meant) > 1 and not (names or clause.says(r"\ball\b")):
        kinds = {f"the {_MARK_NAMES.get(key, 'shaded event')}s": key for key in meant}
        answer = editor.ask("Which marks do you mean?", [*kinds, _EVERY_MARK])
        meant = {key: marks for key, marks in meant.items() if answer == _EVERY_MARK or key == kinds[answer]}
    return meant


def _is_at_times(editor: FigureEditor, mark: Document, clause: Clause) -> bool:
    """Return whether a mark is at the times that a clause names, or an interval has the one moment in it."""
    ends = [str(mark[name]) for name in ("x", "x0", "x1") if name in mark]
    if not ends:
        return False
    has = [span.start for end in ends if (span := time_range_or_none(end, editor.now))]
    is_range = is_interval(clause)
    said = (
        intervals_of(editor, clause, ends[0][:10])[0]
        if is_range
        else moments_in(editor, clause, ends[0][:10])
    )
    wanted = [span.start for end in said if (span := time_range_or_none(end, editor.now))]
    if not clause.has("verb:shade") or len(wanted) != 1:
        return wanted == has
    ahead = clause.ahead_of(clause.of("moment", "time")[0])
    is_end = re.search(r"\b(?:from|since|after|until|till|before|to)\s+$", ahead)
    return wanted[0] == has[0] if is_end else has[0] <= wanted[0] <= has[-1]


def _told(mark: Document) -> str:
    """Return a mark as people tell it: by its label, or else by its place."""
    place = " to ".join(str(mark[key]) for key in ("x", "x0", "x1", "y", "levels") if key in mark)
    place += f" in panel {mark['panel']}" if "panel" in mark else ""
    label = str(mark.get("label") or "")
    return f"{label} ({place})" if label and place else place or _label_of(mark)


def remove_marks(editor: FigureEditor, clause: Clause) -> None:
    """Remove the lines, levels or shaded intervals that a clause describes."""
    for key, marks in _meant(editor, clause).items():
        editor.set_for(key, [mark for mark in editor.where(key)[0] if mark not in marks])


def change_marks(editor: FigureEditor, clause: Clause) -> None:
    """Give the marks that a clause describes a new look; only one of them a new place or name."""
    old, new = _old_and_new(clause)
    meant = [(key, mark) for key, marks in _meant(editor, old).items() for mark in marks]
    is_of_one = new.has("text", "number", "moment", "time")
    if is_of_one and len(meant) > 1:
        told = {_told(mark): (key, mark) for key, mark in meant}
        meant = [told[editor.ask("Which mark do you mean?", [*told])]]
    change = _look(new) | ({"label": new.value("text")} if new.has("text") else {})
    for key, mark in meant:
        place = _new_place(editor, key, mark, new) if is_of_one else {}
        held = editor.where(key)[0]
        editor.set_for(key, [it | change | place if it == mark else it for it in held])


def _new_place(editor: FigureEditor, key: str, mark: Document, new: Clause) -> dict[str, Any]:
    """Return the value, the time or the ends that a clause gives a mark."""
    last = str(mark.get("x1", mark.get("x", "")))
    day = (last if "x0" not in mark or not last.endswith("T00:00") else str(mark["x0"]))[:10]
    if key == "hlines" and len(new.of("number")) == 1:
        return {"y": new.value("number").value}
    if not new.has("moment", "time") and new.has("text"):
        return {}
    if key == "vrects" and is_interval(new):
        start, stop = intervals_of(editor, new, day)[0]
        return {"x0": start, "x1": stop}
    moments = moments_in(editor, new, day) if key in ("vlines", "vrects") else []
    if len(moments) != 1:
        raise NotUnderstood(f"helio does not understand where '{new.text.strip()}' moves the mark")
    if key == "vlines":
        return {"x": moments[0]}
    return _new_end(editor, mark, new, moments[0])


_DAY = timedelta(days=1)


def _new_end(editor: FigureEditor, mark: Document, new: Clause, moment: str) -> dict[str, Any]:
    """Return the start or the stop that a clause gives a shaded interval: ``extend the shading to 22:00``."""
    first, wanted = (parse_time_range(str(end), editor.now).start for end in (mark["x0"], moment))
    span = default_span(editor)
    clock = re.fullmatch(r"[\d:\s]+(?:UTC?|Z)?", new.of("moment", "time")[0].text)
    has_date = clock is None or span is None or span.stop <= wanted + _DAY
    named = [key for noun, key in (("start", "x0"), ("end", "x1")) if new.has(f"noun:{noun}")]
    if not named and new.has("verb:extend", "verb:shorten"):
        is_earlier = new.has("verb:extend") and wanted < first
        named = ["x1"] if not is_earlier else ["x0"] if has_date else []
    result = {"x0": mark["x0"], "x1": mark["x1"]} | dict.fromkeys(named, moment)
    if len(named) != 1 or result["x0"] >= result["x1"]:
        raise NotUnderstood(
            f"helio does not understand which interval '{new.text.strip()}' shades",
            advice="say 'change the shading to 2003-11-20 14:00 to 2003-11-21 05:00'",
        )
    return result


def changed_marks(editor: FigureEditor) -> Rule:
    """Return the rule of changes of the marks that the figure has: ``make the sheath orange``, ``move the shading``."""

    def is_held(clause: Clause) -> bool:
        marks = [
            object_of(mark)
            for key in (_MARKS if len(editor.figures()) == 1 else ())
            for mark in editor.where(key)[0] or ()
        ]
        old, new = _old_and_new(clause)
        if not marks or not new.has(*_NEW) or clause.has("verb:add", "verb:remove"):
            return False
        is_level = clause.has("line") and clause.has("number")
        if is_level or clause.has("noun:horizontal_line", "noun:vertical_line", "verb:shade", "verb:mark"):
            is_of_before = clause.names != [atom.text for atom in clause.atoms if "what" in atom.tags]
            return not is_of_before and (clause.has(*_INSTEAD) or _HELD.search(clause.text) is not None)
        labels = {_label_of(mark) for mark in marks}
        names = {plain_name(name).casefold() for name in old.names}
        return bool(names) and names <= labels

    may = f"{_MARKED} moment time number noun:colour noun:time noun:start noun:end verb:extend verb:shorten "
    return Rule("colour|dash|width|text|number|moment|time", f"{may} verb:shade verb:show rel:instead_of rel:instead",
                change_marks, is_held, several="colour dash text number moment time")  # fmt: skip


def _label_of(mark: Document) -> str:
    """Return the label of a mark; of a mark without a label, the name of the table that it is from."""
    return str(mark.get("label") or str(mark.get("of", "")).replace("_", " ")).casefold()


def without_marks(editor: FigureEditor, clause: Clause) -> Clause:
    """Remove the marks that names in a clause label: ``remove the sheath and the shock``; return the other names."""
    gone = []
    for atom in clause.of("what"):
        words, is_line = plain_name(atom.text).casefold(), bool(editor.lines_of(atom.text))
        for key in ("vlines", *_SHADINGS, "hlines"):
            held = [object_of(mark) for mark in editor.where(key)[0] or []]
            labels = [_label_of(mark) for mark in held]
            is_meant = [label == words if is_line else says(label, words) for label in labels]
            if not is_line and key not in _SHADINGS and (look := DESCRIBED.fullmatch(words)) and look["look"]:
                is_meant = [mark.get("color") == look["look"] for mark in held]  # the red line
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
DRAWN_MARKS = (mark_value, change_marks, mark_time, shade, add_levels)
"""Functions that draw a mark, with the look that a clause names."""
MARKS: tuple[Rule, ...] = (
    Rule("levels", "what panel verb:add verb:mark verb:show colour dash line", add_levels),
    Rule("verb:remove noun:horizontal_line|noun:vertical_line|verb:shade|verb:mark|levels",
         "number panel what colour dash line every noun:time moment time text verb:name", remove_marks,
         several="colour moment text number"),
    Rule("verb:remove what noun:time", "", remove_marks),
    Rule("noun:horizontal_line number", f"{_MARKED} noun:y_axis", mark_value, several="number"),
    Rule("bound line|noun:horizontal_line what|panel", _MARKED, mark_value,
         lambda clause: clause.says(_AT_LIMIT)),
    Rule("verb:mark|verb:add number|noun:zero_line line|noun:zero_line", _MARKED, mark_value),
    Rule("number|noun:zero_line line|noun:zero_line|verb:mark", _MARKED, mark_value, _says_value),
    Rule("verb:mark|noun:vertical_line moment|time", f"{_MARKED} moment time verb:only", mark_time,
         lambda clause: not clause.has("verb:only") or _names_panels(clause), several="moment time"),
    Rule("verb:shade moment|time", "moment time noun:time colour what text verb:name panel verb:only", shade,
         lambda clause: (not clause.says(r"\.\s+(?:last|past|from|on)\b")
                         and (not clause.has("verb:only") or _names_panels(clause))),
         several="moment time"),
)  # fmt: skip
