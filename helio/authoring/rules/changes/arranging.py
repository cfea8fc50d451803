"""Arrange what a figure draws: remove, keep, move, join and split panels and lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.additions import add_quantities, set_look, strength_beside
from helio.authoring.rules.changes.atom_reading import plain_name, read_atoms
from helio.authoring.rules.changes.atoms import COUNT, COUNTED, PLACE, Atom, number_of_text
from helio.authoring.rules.changes.clauses import PLACED_BESIDE, Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_names import says
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.changes.marks import MARKS, without_marks
from helio.authoring.rules.changes.panel_settings import (
    asked_panels,
    is_spectrogram,
    named_panels,
    panel_numbers,
    panels_of,
    says_panel,
)
from helio.authoring.rules.changes.replacements import replace_quantities
from helio.authoring.writing.asking import EVERY
from helio.knowledge.quantities import spellings
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.figures import BY_LINE, RIGHT, TWO_SIDED
from helio.pipelines.template.labels import owner

_ALTOGETHER = r"\b(?:completely|entirely|altogether|everywhere)\b"
_THEN_SHOWN = r"(?:,|\b(?:and|but|then))\s+(?:show|draw|plot|display)\b"
SIDES = 2
"""A panel has at most two y axes, each with one unit."""


_IN_PANEL = re.compile(r"(?P<line>.+?)\s+(?:from|in|of)\s+(?:the\s+)?(?P<panel>.+)", re.IGNORECASE)
"""Pattern of a line and the name of its panel: ``SPC density from the density`` panel."""

_OF_INSTRUMENT = re.compile(r"\s(?:of|from)\s+(?:the\s+)?(?P<name>[A-Z][\w-]*)$")


def remove(editor: FigureEditor, clause: Clause) -> None:
    """Remove lines or panels, with the settings for them, and marks by their labels."""
    before, clause = clause, without_marks(editor, clause)
    if before.names and not clause.has("what", "panel"):
        return
    numbers = panel_numbers(editor, clause.of("panel"))
    panels = editor.panels
    _refuse_two_panels(clause)
    if clause.of("panel") and not panels:
        raise NotUnderstood("helio cannot remove a panel: the figure has no list of panels")
    gone, words = list[str](), ""
    around, named = clause.beside("verb:remove", "what")
    if not clause.says(r"\bwithout\b") or not named:
        around, named = _within(clause, clause.of("what"))
    for atom in named:
        inside = _IN_PANEL.fullmatch(atom.text) if says_panel(clause, atom.text) else None
        words = inside["line"] if inside else words
        if inside or (words and clause.says(r"\bpanels\b")):  # Wind from the speed and density panels
            there = editor.lines_in(editor.numbers_of(inside["panel"] if inside else atom.text))
            gone += {*editor.known(words, every=True), *_named_after(editor, words)} & {*there}
        elif says_panel(clause, atom.text):
            numbers += _panels_named(editor, clause, atom)
        elif not clause.has("panel"):
            gone += [
                *_with_averages(
                    editor,
                    atom.text,
                    _with_strength(editor, atom.text, editor.known(all_of(editor, atom.text))),
                ),
                *_named_after(editor, atom.text),
            ]
    if around:  # B without |B|, By in the B panel
        there = editor.lines_in([number for atom in around for number in editor.numbers_of(atom.text)])
        gone = [line for line in gone if {line, owner(line, editor.lines.producers)} & {*there}]
    if clause.has("panel") and not any(says_panel(clause, name) for name in clause.names):
        meant = {name: editor.lines.meant(name, editor.figure()) for name in clause.names}
        if unknown := [name for name, lines in meant.items() if not lines]:
            raise NotUnderstood(f"the figure has no line called '{unknown[0]}'")
        lines = list(chain.from_iterable(meant.values()))
        if clause.says(r"\b(?:from|in|of)\b|\bpanel\b.*\bwithout\b") and lines:  # remove Wind from panel 2
            if _removed_from(editor, clause, numbers, meant):
                return
            numbers = []
        gone += lines
    if clause.says(r"\beverything\s*(?:[,.;:]|and\b)"):
        raise NotUnderstood(f"helio does not understand '{clause.text}'", advice="name the lines that go")
    if len(numbers) == len(panels) and numbers:
        raise NotUnderstood(
            "the request would remove every panel of the figure", advice="keep at least one panel"
        )
    panels = panels or [editor.drawn]
    beside = editor.spec.get("ephemeris") or []
    if set(gone) & set(beside) and not any(set(gone) & set(panel) for panel in panels):
        editor.set_for("ephemeris", [line for line in beside if line not in gone])
        editor.unset_lines(lambda line: owner(line, gone) is not None)
        return
    kept = [
        _without(editor, number, panel, gone)
        for number, panel in enumerate(panels, 1)
        if number not in numbers
    ]
    for vector in {vector for panel in kept for vector in _parts_in(editor, panel, gone).values()}:
        _drop_parts(editor, vector, [line[-1] for line in gone if line.startswith(f"{vector}.")])
        gone = [line for line in gone if not line.startswith(f"{vector}.")]
        if not gone and not numbers:
            return
        kept = [
            _without(editor, at, panel, gone)
            for at, panel in enumerate(editor.panels, 1)
            if at not in numbers
        ]
    missed = gone and not any(line in panel for panel in panels for line in gone)
    _redraw_less(editor, clause, [] if missed else kept)


def _removed_from(
    editor: FigureEditor, clause: Clause, numbers: Sequence[int], meant: Mapping[str, list[str]]
) -> bool:
    """Remove the lines of some names from some panels; return whether none is a component of a vector."""
    lines = list(chain.from_iterable(meant.values()))
    panels = list(enumerate(editor.panels, 1))
    parts = {number: _parts_in(editor, panel, lines) for number, panel in panels}
    _refuse_absent(editor, numbers, meant)
    if any(parts[number] for number in parts if number not in numbers):
        raise NotUnderstood("helio removes components of a vector from all of its panels")
    if any(parts.values()):
        return False
    kept = [
        [line for line in panel if number not in numbers or line not in lines] for number, panel in panels
    ]
    _redraw_less(editor, clause, kept)
    return True


def _refuse_absent(editor: FigureEditor, numbers: Sequence[int], meant: Mapping[str, list[str]]) -> None:
    """Refuse a name of whose lines some panels draw none, and no component of a vector either."""
    for name, lines in meant.items():
        panels = [editor.panels[number - 1] for number in numbers]
        if not any({*panel} & {*lines} or _parts_in(editor, panel, lines) for panel in panels):
            raise NotUnderstood(f"the panel draws no line called '{name}'")


def _redraw_less(editor: FigureEditor, clause: Clause, kept: list[list[str]]) -> None:
    """Draw what stays, and save no more what goes altogether; refuse the clause if nothing stays or nothing goes."""
    if not any(kept) or kept == (editor.panels or [editor.drawn]):
        raise NotUnderstood(f"helio cannot remove '{', '.join(clause.names)}' from the figure")
    gone = {line for line in editor.drawn if not any(line in panel for panel in kept)}
    for step in editor.steps_of(("save_data",)):
        saved, name = step["tool_args"]["source_labels"], str(step["step_id"])
        of_names = [label for words in clause.names for label in _named_after(editor, words, saved)]
        if not clause.says(_ALTOGETHER):
            editor.notes += [f"{label}: still saved; say 'altogether' to stop it" for label in of_names]
            continue
        gone.update(of_names)
        left = [label for label in saved if label not in gone]
        change = Operation("set", name, ("tool_args", "source_labels"), left)
        editor.do(change if left else Operation("remove", name))
    editor.redraw(kept)


def _is_between(clause: Clause) -> bool:
    """Return whether names of lines stand on both sides of ``remove``: ``then V, skip n``."""
    verb = clause.of("verb:remove")[0]
    names = [atom for atom in clause.atoms if atom.kind == "what" and not says_panel(clause, atom.text)]
    return len({atom.start < verb.start for atom in names}) > 1 and not clause.says(r"\bwithout\b")


def _named_after(editor: FigureEditor, name: str, among: Sequence[str] = ()) -> list[str]:
    """Return the lines of which a spacecraft is a part, as their names say: ``Wind − ACE`` is removed with Wind."""
    names = editor.spec.get("trace_names") or {}
    craft = spellings().get(name.casefold(), "")
    return [
        line
        for line in (among or editor.drawn if craft else ())
        if craft in editor.lines.crafts(line)
        and says(f"{editor.lines.own_words(line)} {names.get(line, '')}".casefold(), craft.casefold())
    ]


def _drop_parts(editor: FigureEditor, vector: str, letters: Sequence[str]) -> None:
    """Draw a vector without some components."""
    axes = editor.axes(vector)
    keep = [letter for letter in axes if letter not in letters]
    if not keep or not set(letters) <= set(axes):
        raise NotUnderstood(
            f"helio cannot remove all components of {vector}", advice=f"say 'remove {vector}'"
        )
    args = {"source_label": vector, "keep": keep}
    intent = f"Keep {' and '.join(keep)}"
    label = editor.compute("components", f"{vector}_{''.join(keep)}", args, intent, after=vector)
    for key in BY_LINE:
        known, step, path = editor.where(key)
        gone = [name for name in known or () if name.startswith(f"{vector}.") and name[-1] in letters]
        editor.do(*(Operation("unset", step, (*path, name)) for name in gone))
    editor.draw_instead(vector, label)


def _without(editor: FigureEditor, number: int, panel: Sequence[str], gone: Sequence[str]) -> list[str]:
    """Return the lines of a panel without some; lines over a spectrogram go with it."""
    left = [line for line in panel if line not in gone]
    lone = len(left) < len(panel) and not any(map(editor.lines.may_have_colours, left))
    return [] if lone and editor.panels and is_spectrogram(editor, number) else left


def _panels_named(editor: FigureEditor, clause: Clause, atom: Atom) -> list[int]:
    """Return the panels to remove that a quantity names."""
    numbers, shared = editor.panel_numbers(atom.text)
    named = {line for name in clause.names for line in editor.lines_of(name)}
    shared = shared and not named.issuperset(editor.lines_in(numbers))
    is_whole = all(map(editor.lines.may_have_colours, editor.lines_of(atom.text)))
    if shared and not (is_whole and all(is_spectrogram(editor, number) for number in numbers)):
        raise NotUnderstood(
            f"panel {numbers[0]} draws more than '{atom.text}'",
            advice=f"say 'remove panel {numbers[0]}' to remove the whole panel",
        )
    plural = clause.says(r"panels\b|\b(?:both|all)\b")
    if len(numbers) == 1 and clause.says(r"\b(?:both|all)\b[^,;]*\bpanels\b"):
        raise NotUnderstood(
            f"only panel {numbers[0]} draws '{plain_name(atom.text)}'",
            advice="name the panels that go by their numbers",
        )
    if len(numbers) > 1 and not plural:
        return asked_panels(editor, "Which panel do you mean?", numbers)
    return numbers


def keep_only(editor: FigureEditor, clause: Clause) -> None:
    """Draw only what the clause names."""
    _refuse_only_with(clause)
    numbers = panel_numbers(editor, clause.of("panel"))
    panels = editor.panels or [editor.drawn]
    if numbers and not clause.has("what"):
        if clause.says(r"\bonly\s+(?:in|on|for)\b"):  # shade A to B, only in the first panel
            raise NotUnderstood(
                f"helio does not understand '{clause.text.strip()}'", advice="name what to keep"
            )
        kept = [panel for number, panel in enumerate(panels, 1) if number in numbers]
        editor.redraw(kept)
        editor.keep_entries([line for panel in kept for line in panel])
        return
    meant = [
        editor.lines_in(_panels_meant(editor, clause, name))
        if editor.panels and says_panel(clause, name)
        else _with_strength(editor, name, with_namesakes(editor, _meant_by(editor, name)))
        for name in clause.names
    ]
    if unread := ignoring_case(rf"\bone(?=\s)|\bbut\s+not\b|\bkeep\b.*\b({PLACE})$").search(clause.text):
        raise NotUnderstood(
            f"helio does not understand '{unread[0]}'", advice="name what to keep, or what to remove"
        )
    if not clause.names and not clause.of("panel"):
        raise NotUnderstood("it is not clear which lines to keep", advice="name them")
    if clause.names and (shared := _OF_INSTRUMENT.search(clause.names[-1])):  # ions and electrons of ESA
        own = editor.lines.of_instrument(shared["name"], editor.drawn)
        meant = [[line for line in lines if line in own] or lines for lines in meant]
    narrow = [lines for lines in meant if not any(set(fewer) < set(lines) for fewer in meant)]
    lines = list(dict.fromkeys(line for lines in narrow for line in lines))
    crafts = {spellings()[atom.text.casefold()] for atom in clause.of("craft")}
    if len(crafts) > 1 and len(crafts) == len(clause.names):  # with the differences between them
        lines += [line for line in editor.drawn if line not in lines and editor.lines.crafts(line) <= crafts]
    of_instruments = any(editor.lines.of_instrument(name, editor.drawn) for name in clause.names)
    inside = clause.says(r"\b(?:in|of|from)\b|\bpanel\s*:")  # only |B| in panel 1
    if inside and clause.says(r"\b(?:that|this|its|the\s+same)\s+(?:sub)?panel\b"):
        numbers = editor.panels_with(lines)
    elsewhere = r"\bin\s+(?:the\s+)?(?!same\b|that\b|this\b|its\b)[\w-]+\s+(?:sub)?panel\b"
    if not numbers and clause.says(elsewhere):
        raise NotUnderstood(f"helio does not understand in which panel '{clause.text.strip()}' is")
    if inside and numbers:
        _refuse_absent(editor, numbers, dict(zip(clause.names, meant, strict=True)))
    whole = [at for at in range(1, len(panels) + 1) if (at in numbers) is not bool(inside)] if numbers else []
    kept = []
    for number, panel in enumerate(panels, 1):
        apart = [editor.part(line) for line in _parts_in(editor, panel, lines)]
        left = [line for line in panel if line in lines]
        if of_instruments and is_spectrogram(editor, number):  # its lines stay or go with it
            left = panel if any(map(editor.lines.may_have_colours, left)) else []
        kept.append(panel if number in whole else [*left, *apart])
    editor.redraw(kept)
    if not whole:
        editor.keep_entries([line for panel in kept for line in panel])


def keep_inside(editor: FigureEditor, clause: Clause) -> None:
    """Draw only a part of what a panel draws: ``V only R``, ``AE panel: only AE``."""
    (place,), parts = _around_only(clause)
    _refuse_two_panels(clause)
    _refuse_only_with(clause)
    if place.kind == "craft":
        raise NotUnderstood(
            f"'{clause.text}' has two meanings",
            advice=f"say 'only {place.text} {parts[0].text}' to remove the rest",
        )
    kept, stays = editor.panels, list[str]()
    for number in editor.numbers_of(place.text):
        panel = kept[number - 1]
        left = [line for part in parts for line in _inside(editor, panel, place.text, part.text)]
        if left or parts[0].kind == "craft":  # B only Wind removes the panel of ACE's B
            kept[number - 1] = [editor.part(line) for line in left]
            stays += left
    if not stays:
        raise NotUnderstood(f"the panel of {place.text} draws no '{parts[0].text}'")
    editor.redraw(kept)


_WITH = ignoring_case(r"\s+(?:(?:together|along)\s+)?with\b")


def _refuse_only_with(clause: Clause) -> None:
    """Refuse ``AE only with AL``, which may keep both, or AL alone."""
    if any(_WITH.match(clause.text, only.stop - clause.start) for only in clause.of("verb:only")):
        raise NotUnderstood(
            f"it is not clear what '{clause.text.strip()}' leaves out", advice="name the lines to remove"
        )


def _around_only(clause: Clause) -> tuple[list[Atom], list[Atom]]:
    """Return the name of a panel, and what stays in it: ``V only R``, ``only R in the V panel``."""
    place, parts = _within(clause, clause.of("what"))
    return (place, parts) if place else clause.beside("verb:only", "what")


_IN_TWO = ignoring_case(r"(?:\bin\s+(?:the\s+)?[\w|*-]+\s+panel\b.*){2}")


def _panels_meant(editor: FigureEditor, clause: Clause, name: str) -> list[int]:
    """Return the panels that a name means; refuse ``the angle panel`` of several."""
    numbers = editor.numbers_of(name)
    if len(numbers) > 1 and clause.says(rf"(?<!\w){re.escape(name)}\s+panel\b"):
        raise NotUnderstood(
            f"'{name}' may mean panel {' or '.join(map(str, numbers))}", advice="name the panel by its number"
        )
    return numbers


def _meant_by(editor: FigureEditor, name: str) -> list[str]:
    """Return all lines that a name means; ask which if it names no quantity, and lines of several panels."""
    lines = editor.known(all_of(editor, name), every=True)
    is_clear = any(editor.lines.own_quantities(line) for line in lines) or len(editor.panels_with(lines)) < 2
    return lines if is_clear or name.endswith("s") else editor.known(name)


def _refuse_two_panels(clause: Clause) -> None:
    """Refuse a clause with lines in two panels: ``remove AL in the AE panel and Dst in the SYM-H panel``."""
    if _IN_TWO.search(clause.text):
        raise NotUnderstood(f"'{clause.text.strip()}' names two panels", advice="write a sentence for each")


def _within(clause: Clause, names: list[Atom]) -> tuple[list[Atom], list[Atom]]:
    """Return the name that says in which panel others are, and these: ``R in the V panel``, ``V panel: only R``."""
    if len(names) < 2:
        return [], names
    first, second, last = names[0], names[1], names[-1]
    if _AT_END.search(clause.ahead_of(last)) and says_panel(clause, last.text):
        return [last], names[:-1]
    verbs = [atom.start for atom in clause.of("verb:only", "verb:remove")]
    between = clause.text[first.stop - clause.start : second.start - clause.start]
    is_place = bool(verbs) and min(verbs) > first.start and _AT_START.match(between)
    is_list = second.text != first.text and says_panel(clause, second.text)
    return ([first], names[1:]) if is_place and not is_list else ([], names)


_AT_END = ignoring_case(r"\bin\s+(?:the\s+)?(?:panel\s+(?:of|with)\s+(?:the\s+)?)?$")
_AT_START = ignoring_case(r"(?:\s+(?:sub)?panel\b|\s*:)(?!.*(?:\b(?:and|or|plus)\b|&))")


def _inside(editor: FigureEditor, panel: list[str], whole: str, part: str) -> list[str]:
    """Return the lines of a panel, or components of its vectors, that are a part: ``R`` of ``V``."""
    spelt = [f"{part} of {whole}"] if "component" in part.casefold() else [part, f"{part} {whole}"]
    for words in [f"{whole}{part}"] if len(part) == 1 else spelt:
        meant = editor.lines_of(words)
        if found := [line for line in meant if line in panel or line in _parts_in(editor, panel, meant)]:
            return found
    return []


def _says_where(clause: Clause) -> bool:
    """Return whether a clause names a panel before ``only``, and what stays after it."""
    if clause.has("panel"):
        return False
    places, parts = _around_only(clause)
    return len(places) == 1 and bool(parts)


_FIELD = ignoring_case(r"(?:the\s+)?(?:(?:interplanetary\s+)?magnetic\s+)?fields?|IMF")
_STRENGTH = ignoring_case(r"\|B\||\b(?:magnitude|strength|total|vector|component)s?\b")


def with_namesakes(editor: FigureEditor, lines: list[str]) -> list[str]:
    """Return lines with those in their panels whose names say more: ``beta_measured`` beside ``beta``."""
    if len(lines) != 1 or not re.fullmatch(r"[a-z]{3,}", lines[0]):
        return lines
    beside = next((panel for panel in editor.panels if lines[0] in panel), lines)
    return [line for line in beside if line == lines[0] or line.startswith(f"{lines[0]}_")]


def all_of(editor: FigureEditor, name: str) -> str:
    """Return the name of particles as that of all their lines, if the legend calls only one line so."""
    plain = plain_name(name).casefold()
    named = [str(shown).casefold() for shown in object_of(editor.spec.get("trace_names")).values()]
    return f"all {plain}" if plain in ("electrons", "ions", "protons") and plain in named else name


def _with_strength(editor: FigureEditor, name: str, lines: list[str]) -> list[str]:
    """Return the lines of ``the field`` with its strength in their panels, of which the sentence says nothing."""
    if not _FIELD.fullmatch(name.strip()) or _STRENGTH.search(editor.said):
        return lines
    beside = editor.lines_in(editor.panels_with(lines))
    return [*lines, *(line for line in editor.lines_of("|B|") if line in beside and line not in lines)]


def _with_averages(editor: FigureEditor, name: str, lines: list[str]) -> list[str]:
    """Return lines with their averages that the figure draws, or those that the user means; some words say which."""
    if _OF_AVERAGE.search(editor.said) or name in editor.drawn:
        return lines
    sources = {line: editor.lines.source(line, AVERAGES) for line in editor.drawn if line not in lines}
    averages = [
        line
        for line, raw in sources.items()
        if raw != line and (raw in lines or editor.parts([raw]) & editor.parts(lines))
    ]
    answer = (
        editor.ask(f"Which line do you mean by '{name}'?", [*lines, *averages, EVERY]) if averages else EVERY
    )
    return [*lines, *averages] if answer == EVERY else [answer]


_OF_AVERAGE = ignoring_case(r"\b(?:un)?(?:smooth|averag)|\b(?:raw|means?|medians?|running)\b")


def says_just(clause: Clause) -> bool:
    """Return whether a clause without a verb says what alone stays: ``just the density``."""
    return ignoring_case(r"\W*just\s").match(clause.text) is not None


_OVERLAID = re.compile(r"\b(?:plot|draw|overlay)\b.*\bon\s+top\s+of\b", re.IGNORECASE)
"""Words with which a line is drawn over another, and not above its panel."""
_BESIDE_IT = (
    r"\b(?:and|with),?\s+(?:above|below|under(?:neath)?|before|after)\s+(?:it|that|this|them),?\s+[\w|]"
)
"""Words before what stands beside a panel that was named before it: ``density and above it the speed``."""
_MOVED = re.compile(r"\b(?:mov|bring|rearrang|reorder|shift)\w*\b", re.IGNORECASE)
"""Verbs of what the figure draws already; one can also put or place something new."""


def _names_new(editor: FigureEditor, atoms: Sequence[Atom]) -> bool:
    """Return whether names mean something that the figure does not draw yet."""
    if not atoms or any(atom.kind == "panel" for atom in atoms):
        return False
    names = [atom.text for atom in atoms]
    return any(not editor.lines.meant(plain_name(name), editor.figure()) for name in names)


def move(editor: FigureEditor, clause: Clause) -> None:
    """Move panels above or below others, or to the top or the bottom."""
    moving, beside, side = _placed(clause)
    if beside and not clause.has("panel") and _OVERLAID.search(clause.text):
        put_into_panel(editor, clause)
        return
    if len({atom.text.casefold() for atom in moving}) != max(len(moving), 1):
        raise NotUnderstood("the request does not say which panel to move", advice="name it once")
    if clause.says(r"\btry\b"):
        raise NotUnderstood("helio does not understand which dataset to try first")
    if any(clause.says(rf"\bfor\s+(?:the\s+)?{re.escape(atom.text)}") for atom in beside):
        raise NotUnderstood(
            "helio cannot move panels only for some of the data", advice="name the panel to move"
        )
    if not _MOVED.search(clause.text) and _names_new(editor, moving):
        if (
            side in ("before", "after")
            and not clause.has("verb")
            and not clause.says(r"\b(?:too|also|as well)\b")
        ):
            raise NotUnderstood(
                f"the figure has no panel called '{moving[0].text}'",
                advice=f"say 'add the {moving[0].text}', or name a panel of the figure",
            )
        add_quantities(editor, clause)
        return
    if clause.has("rel:own_panel"):
        kept = tuple(atom for atom in clause.atoms if atom not in beside)
        split(editor, replace(clause, atoms=kept), moves=True)
    moved, others = named_panels(editor, moving), named_panels(editor, beside)
    if len(moved) == len(editor.panels) and len(moving) == 1:
        raise NotUnderstood("these lines are in all panels: none of them stands above or below another")
    at = len(editor.panels) if side == "bottom" else 0
    if others:
        at = min(others) - 1 if side in ("above", "before") else max(others)
    editor.put_panels(moved, at - sum(number <= at for number in moved))


def _placed(clause: Clause) -> tuple[list[Atom], list[Atom], str]:
    """Return the panels that move, those beside which they come, and the side."""
    relation = clause.of(*PLACED_BESIDE)[0]
    if relation.value in ("top", "bottom"):
        return clause.of("what", "panel"), [], relation.value
    ahead, behind = clause.beside(relation.tags[-1], "what", "panel")
    return *((behind, ahead) if clause.says(_BESIDE_IT) else (ahead, behind)), relation.value


def _goes_somewhere(clause: Clause) -> bool:
    if not clause.has("what", "panel"):
        return False
    ahead, behind, side = _placed(clause)
    return bool(ahead) and (bool(behind) or side in ("top", "bottom"))


def swap_panels(editor: FigureEditor, clause: Clause) -> None:
    """Exchange two panels, or a line for a quantity that the figure does not draw yet; without names its only two."""
    if len(clause.names) == SIDES and _names_new(editor, clause.of("what")[1:]):
        replace_quantities(editor, clause)
        return
    panels = editor.panels
    numbers = panel_numbers(editor, clause.of("panel"))
    numbers += [int(atom.value.value) for atom in clause.of("number")]
    for name in clause.names:
        found, _ = editor.panel_numbers(name)
        if len(found) > 1:
            raise NotUnderstood(f"the figure has several panels of '{name}'", advice="give their numbers")
        numbers += found
    numbers = numbers or list(range(1, len(panels) + 1))
    if len(numbers) != SIDES or max(numbers) > len(panels) or min(numbers) < 1:
        raise NotUnderstood("an exchange needs two panels", advice="say 'swap panels 1 and 2'")
    first, second = (number - 1 for number in numbers)
    panels[first], panels[second] = panels[second], panels[first]
    editor.redraw(panels)


_AXIS_OF = ignoring_case(r"\baxis\s+of\s+(?:the\s+)?$")


def to_the_right(editor: FigureEditor, clause: Clause) -> None:
    """Give lines, also new ones, an axis at the right of their panel: ``PCN in the AE panel, right axis``."""
    named = [atom for atom in clause.atoms if "what" in atom.tags] or clause.of("what")
    at = clause.of("rel:right_axis")[0].start
    places = [atom for atom in named if says_panel(clause, atom.text) or (atom.start > at > named[0].start)]
    places += [atom for atom in named if _AXIS_OF.search(clause.ahead_of(atom))]
    meant = [atom for atom in named if atom not in places]
    behind_with = clause.start + clause.text.lower().rfind(" with ", 0, at - clause.start)
    meant = [atom for atom in meant if atom.start > behind_with] or meant  # V, n with Bz on the right axis
    words = [atom.text for atom in meant]
    numbers = panel_numbers(editor, clause.of("panel"))
    numbers += [number for atom in places for number in editor.numbers_of(atom.text)]
    is_of_place = (
        places and meant and at < places[0].start < meant[0].start
    )  # right axis of the V panel and n
    if not words or len(set(numbers)) > 1 or is_of_place:
        raise NotUnderstood("the request does not say which line has its axis at the right")
    drawn = editor.drawn
    if numbers and _names_new(editor, meant):
        new = clause.text[meant[0].start - clause.start : meant[-1].stop - clause.start]
        said = f"add {new} in panel {numbers[0]}"
        add_quantities(editor, Clause(tuple(read_atoms(said, editor.now)), 0, len(said), said))
        lines = [line for line in editor.drawn if line not in drawn]
    else:
        lines = [line for name in words for line in editor.known(name)]
        if numbers and not set(lines) <= set(editor.panels[numbers[0] - 1]):
            _join(editor, lines, numbers[0], lines)
            return
    if len(editor.panels) == SIDES and sorted(lines) in [sorted(panel) for panel in editor.panels]:
        _join(editor, editor.drawn, 1, lines)
        return
    editor.put_right(lines)


def write_below_axis(editor: FigureEditor, clause: Clause) -> None:
    """Write the values of lines in rows below the time axis, also of lines that the figure does not draw yet."""
    drawn = editor.drawn
    if _names_new(editor, clause.of("what")):
        add_quantities(editor, clause)
        lines = [line for line in editor.drawn if line not in drawn]
    else:
        lines = [line for name in clause.names for line in editor.known(name, every=True)]
    editor.redraw_without(lines)
    editor.put_more("ephemeris", lines)


def use_both_sides(editor: FigureEditor, _: Clause) -> None:
    """Draw two panels as one, with a y axis at each side; a panel that has both stays."""
    if len(editor.panels) == 1 and editor.spec.get("right"):
        return
    if len(editor.panels) != SIDES:
        raise NotUnderstood("the request does not say which lines have their axis at the right")
    _join(editor, editor.drawn, 1, editor.panels[1])


def order_panels(editor: FigureEditor, clause: Clause) -> None:
    """Draw the named panels first, in the order of their names; the others follow."""
    editor.put_panels(named_panels(editor, clause.of("what", "panel")), 0)


def _orders(clause: Clause) -> bool:
    """Return whether a clause gives the order of panels: ``order: T, V, n``, ``reorder as V, n, T``."""
    return clause.says(r"\b(?:re-?order|re-?arrang|order)\w*\b") and len(clause.of("what", "panel")) > 1


def move_to_panel(editor: FigureEditor, clause: Clause) -> None:
    """Draw lines, also new ones, in the panel that an ordinal means, or move their panel to this place."""
    if not _MOVED.search(clause.text) and _names_new(editor, clause.of("what")):
        add_quantities(editor, clause)
        return
    numbers = panel_numbers(editor, clause.of("panel"))
    ahead = clause.ahead_of(clause.of("panel")[0])
    if not ignoring_case(r"\b(?:in|into|inside|on)\s+(?:the\s+)?$").search(ahead):
        editor.put_panels(named_panels(editor, clause.of("what")), numbers[0] - 1)
        return
    lines = [line for name in clause.names for line in editor.known(name)]
    if len(numbers) != 1:
        raise NotUnderstood("the request names several panels to draw in")
    if is_spectrogram(editor, numbers[0]) and not any(map(editor.lines.may_have_colours, lines)):
        own = "in a panel of its own at this place"
        over = f"over the spectrogram of panel {numbers[0]}"
        if editor.ask(f"Where do you want {' and '.join(lines)}?", [own, over]) == own:
            editor.put_panels(named_panels(editor, clause.of("what")), numbers[0] - 1)
            return
    _join(editor, lines, numbers[0], stay=clause.has("rel:also") and not clause.has("verb:move"))


def put_into_panel(editor: FigureEditor, clause: Clause) -> None:
    """Draw a line, also a new one, in the panel of another: ``put the electron density in the density panel``."""
    first, *parts, last = clause.of("what")
    if _names_new(editor, [first, *parts]):
        add_quantities(editor, clause)
        return
    numbers = editor.numbers_of(last.text)
    if parts:
        raise NotUnderstood(f"helio does not understand '{clause.text}'", advice="name one line to move")
    if len(numbers) != 1:
        raise NotUnderstood(
            f"the figure has several panels of '{last.text}'", advice="give the number of one"
        )
    lines = editor.known(first.text)
    _join(editor, lines, numbers[0])
    set_look(editor, clause, lines)


_INTO = re.compile(
    r"\b(?:in|into|onto|on|to)\s+(?:the\s+)?(?:(?:same\s+)?panel\s+(?:of|with)\b|.+\bpanel\b)", re.IGNORECASE
)


def _names_two(clause: Clause) -> bool:
    """Return whether a clause names one line and another, in whose panel it comes; ``O+ density`` has two parts."""
    names = clause.of("what")
    return len(names) == 2 or (len(names) > 1 and not clause.says(r"\band\b|,|&|\bor\b"))


def _is_place(clause: Clause) -> bool:
    """Return whether an ordinal says where a panel comes: ``Kp should be the first panel``."""
    ahead = clause.ahead_of(clause.of("panel")[0])
    return (
        clause.has("verb:move")
        or ignoring_case(
            r"\b(?:be|as|become|becomes|is)\s+(?:the\s+)?$|\b(?:in|into)\s+(?:the\s+)?$|\bmake\b.*\s$"
        ).search(ahead)
        is not None
    )


_COUNTS = {**COUNTED, "both": 2}
"""The numbers of panels that words mean."""


def join(editor: FigureEditor, clause: Clause) -> None:
    """Draw lines or panels in one panel; with a drawn line also a line that the figure does not draw yet."""
    if strength_beside(editor, clause):
        return
    if _names_new(editor, clause.of("what")):
        add_quantities(editor, clause)
        return
    count = ignoring_case(rf"\b(?:{'|'.join(_COUNTS)})\b(?=\s+panels\b)").search(clause.text)
    if count and _COUNTS[count[0].casefold()] != len(editor.panels):
        raise NotUnderstood(
            f"the figure has {len(editor.panels)} panels", advice="say which, as in 'join panels 1 and 2'"
        )
    numbers = panel_numbers(editor, clause.of("panel"))
    lines = editor.lines_in(numbers)
    for name in clause.names:
        lines += [line for line in editor.known(name) if line not in lines]
    if not lines:
        lines = editor.drawn
    panels = editor.panels
    homes = [number for number, panel in enumerate(panels, 1) if _parts_in(editor, panel, lines)]
    if homes and not any(set(panel) & set(lines) for panel in panels):  # Bz of ACE and Wind
        parts = [editor.component(line) for line in lines]
        editor.redraw([*panels[: homes[-1]], parts, *panels[homes[-1] :]])
        return
    _join(editor, lines, [*editor.panels_with(lines), 1][0])


def _join(
    editor: FigureEditor,
    lines: list[str],
    number: int,
    at_right: Sequence[str] | None = None,
    *,
    stay: bool = False,
) -> None:
    """Draw lines in a panel, also where they are if they `stay`; the axis of those `at_right` is at the right.

    Without `at_right`, lines of another unit than the first have their axis there.
    """
    panels = editor.panels
    there = panels[number - 1]
    everything = list(dict.fromkeys([*there, *lines]))
    if sum(map(editor.lines.has_colours, everything)) > 1:
        raise NotUnderstood(
            "a panel draws one spectrogram", advice="keep the spectrograms in panels of their own"
        )
    units = list(dict.fromkeys(editor.lines.unit(line) for line in everything))
    if at_right is None and (len(units) > SIDES or "" in units):
        raise NotUnderstood(
            "helio cannot tell that all lines have the same unit, so it does not draw them in one panel",
            advice="say which panels to join",
        )
    chosen = at_right is not None
    if at_right is None:
        at_right = [line for line in everything if editor.lines.unit(line) != units[0]]
    joined = [
        [*panel, *(line for line in lines if line not in panel)]
        if at == number
        else [line for line in panel if stay or line not in lines]
        for at, panel in enumerate(panels, 1)
    ]
    if joined == panels:
        raise NotUnderstood("these lines are in one panel already")
    was_right = set(at_right) <= set(editor.spec.get("right") or [])
    old = str([*editor.panels_with(at_right[:1]), ""][0])
    moved = {}
    for key in TWO_SIDED if old != str(number) else ():
        texts = object_of(editor.spec.get(key))
        axis = old + RIGHT if was_right else old
        if axis in texts:
            moved[key] = texts[axis]
        if old in texts and not joined[int(old) - 1]:
            editor.set_for(key, {name: text for name, text in texts.items() if name != old} or None)
    editor.redraw(joined)
    for key, text in moved.items():
        editor.put(key, text, f"{editor.panels_with(at_right[:1])[0]}{RIGHT}")
    if at_right:
        editor.put_right(at_right)
        unit = "" if chosen else f" in {units[1]}"
        editor.notes.append(f"{', '.join(at_right)}{unit} has its axis at the right")


def _parts_in(editor: FigureEditor, panel: Sequence[str], lines: Sequence[str]) -> dict[str, str]:
    """Return which of some lines are components of vectors that a panel draws, each with its vector."""
    owners = {line: owner(line, editor.lines.producers) or "" for line in lines if line not in panel}
    return {line: vector for line, vector in owners.items() if vector in panel}


def split(editor: FigureEditor, clause: Clause, *, moves: bool = False) -> None:
    """Draw lines in panels of their own, below or above the panels that they leave; the panels may then `move`."""
    if _names_new(editor, [atom for atom in clause.of("what") if atom.text in clause.names]):
        add_quantities(editor, clause)
        return
    panels = editor.panels
    if clause.has("what"):
        lines = list(dict.fromkeys(line for name in clause.names for line in editor.known(name)))
    else:
        numbers = panels_of(editor, clause)
        lines = [line for number in numbers for line in panels[number - 1][1:]]
    if clause.says(r"\bcomponents?\b|\b(?:three|3)\s+panels\b"):
        whole = [line for line in lines if editor.lines.is_vector(line) and editor.lines.frame(line) != "LMN"]
        lines = [line for line in lines if line not in whole]
        lines += [f"{vector}.{axis}" for vector in whole for axis in editor.axes(vector)]
    if clause.says(r"\bcomponents?\b") and not any(_parts_in(editor, panel, lines) for panel in panels):
        raise NotUnderstood(
            "these lines are no components of one vector",
            advice="first say 'replace B by Bx, By and Bz', with the names of the lines",
        )
    arranged, new = list[list[str]](), list[str]()
    for panel in panels:
        parts = _parts_in(editor, panel, lines)
        apart = [
            [line] if line in panel else [editor.component(line)]
            for line in lines
            if line in {*panel, *parts}
        ]
        new += [line for labels in apart for line in labels]
        whole = [vector for vector in panel if list(parts.values()).count(vector) == 3]
        kept = [line for line in panel if line not in lines and line not in whole]
        order = [*apart, kept] if clause.has("rel:above") else [kept, *apart]
        arranged += [labels for labels in order if labels]
    count = ignoring_case(rf"\binto\s+(?P<count>{COUNT}|\d+)\s+").search(clause.text)
    if count and sum(panel not in panels for panel in arranged) != number_of_text(count["count"]):
        raise NotUnderstood(
            f"helio cannot draw these lines in {count['count']} panels", advice="name what each panel draws"
        )
    if len(new) == 1 and clause.has("what") and clause.says(r"\btheir\s+own\b"):
        raise NotUnderstood(
            f"helio does not understand which lines '{clause.text.strip()}' means",
            advice="name them together",
        )
    if arranged == panels and not moves:
        raise NotUnderstood("these lines have panels of their own already")
    editor.redraw(arranged)
    set_look(editor, clause, new)


def _swaps(clause: Clause) -> bool:
    """Return whether a clause names what to exchange, or the panels of a figure that has two."""
    if clause.has("number"):
        return len(clause.of("number")) == SIDES and not clause.has("what", "panel", "every")
    return clause.has("what", "panel") or re.search(r"\bpanels\b", clause.text) is not None


_PLACES = "rel:above rel:below rel:before rel:after rel:top rel:bottom rel:own_panel verb:move verb:show"
ARRANGING: tuple[Rule, ...] = (
    *MARKS,
    Rule("verb:remove what|panel", "craft every rel:below_axis", remove,
         lambda clause: not clause.says(_THEN_SHOWN) and not _is_between(clause)),
    Rule("verb:only what", "craft", keep_inside, _says_where),
    Rule("verb:only what|panel", "craft", keep_only, lambda clause: not clause.says(r"\bonly\s+for\b")),
    Rule("what|panel", "craft", keep_only, says_just),
    Rule("verb:swap", "what panel craft every number noun:order", swap_panels, _swaps, several="number"),
    Rule("rel:right_axis what", "craft panel tool verb:move verb:show verb:add rel:also rel:own_panel", to_the_right),
    Rule("rel:below_axis what", "craft verb:add verb:move verb:show rel:also", write_below_axis),
    Rule("rel:two_sides|rel:right_axis", "every rel:same_panel line", use_both_sides),
    Rule("noun:order|verb:move what|panel", "craft noun:order", order_panels, _orders),
    Rule("rel:above|rel:below|rel:before|"
         "rel:after|rel:top|rel:bottom what|panel", f"{_PLACES} craft panel", move, _goes_somewhere),
    Rule("rel:own_panel what rel:above|rel:below|rel:before|rel:after|rel:top|rel:bottom",
         f"{_PLACES} craft colour dash", move, _goes_somewhere),
    Rule("rel:same_panel|verb:join", "what craft panel every verb:move verb:join rel:same_panel line", join),
    Rule("rel:own_panel|verb:split", "what craft panel every colour dash verb:move rel:above rel:below "
                                     "verb:split rel:own_panel line verb:show", split,
         lambda clause: not (clause.has("rel:above", "rel:below") and _placed(clause)[1])),
    Rule("what panel", "verb:move craft rel:same_panel", move_to_panel, _is_place),
    Rule("verb:move what", "craft line rel:also rel:same_panel colour dash", put_into_panel,
         lambda clause: _INTO.search(clause.text) is not None and _names_two(clause)),
)  # fmt: skip
