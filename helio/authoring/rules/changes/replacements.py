"""Draw quantities instead of lines of the figure: ``replace A with B``, ``B instead of A``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NoReturn

from helio.authoring.fetches import FETCH
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.changes.added_content import crafts_for, read_addition
from helio.authoring.rules.changes.additions import (
    add_magnitude,
    draw_new,
    set_look,
    vectors_of,
    without_magnitude,
)
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.atoms import Atom
from helio.authoring.rules.changes.clauses import Clause
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.swapping import refetched, swapped
from helio.authoring.writing.asking import EVERY
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import B, spellings
from helio.patterns import ignoring_case
from helio.pipelines.template.labels import owner

_SEVERAL = 2
_SPECIES = r"(?:^|\s)(?:protons?|ions?|electrons?|alphas?|(?:alpha\s+)?particles|helium|oxygen)$"
"""The end of a name that says of which particles something is, and not what."""
_BY = re.compile(r"\s(?:by|with|for)\s")  # in small letters: By is a component


def replace_quantities(editor: FigureEditor, clause: Clause) -> None:
    """Draw quantities instead of lines of the figure: ``replace A with B``, ``B instead of A``."""
    names = [atom for atom in clause.all if atom.kind in ("what", "craft")]
    new, old = clause.beside("rel:instead_of", "what")
    if not clause.has("rel:instead_of"):
        joint = _BY.search(clause.text)
        count = len([atom for atom in names if joint and atom.stop - clause.start <= joint.start()]) or 1
        old, new = names[:count], names[count:]
    if not old or not new:
        raise NotUnderstood("the request does not say what replaces what", advice="say 'replace A with B'")
    are_species = all(ignoring_case(_SPECIES).search(atom.text) for atom in (*old, *new))
    drawn = [line for atom in old for line in editor.lines_of(atom.text)]
    if are_species and not any(map(editor.lines.may_have_colours, drawn)):
        _refuse_species(old[0].text)
    if len(old) == len(new) == 1 and _refetch(editor, old[0].text, new[0].text):
        return
    request = read_addition(editor, " ".join(atom.text for atom in new)).request
    sources = [atom for atom in old if request.quantities and _is_source(editor, atom.text)]
    names_data = (
        request.quantities or request.datasets or request.cuts or new[0].kind == old[0].kind == "craft"
    )
    if not names_data and _is_source(editor, old[0].text):
        raise NotUnderstood(f"the request does not say which quantity of {new[0].text} to draw")
    named = [atom for atom in old if atom not in sources]
    lines = [line for atom in named for line in editor.known(atom.text, every=True)]
    lines += [line for atom in sources for line in _of_source(editor, atom.text, request)]
    _refuse_inputs(editor, lines, named)
    for line in lines:
        editor.draw_apart(line)
    undrawn = without_magnitude(editor, lines) == lines
    if undrawn and all(set(lines) <= set(vectors_of(editor, atom.text, lines)) for atom in new):
        for line in lines:
            editor.draw_instead(line, add_magnitude(editor, line))
        return
    several = len(editor.panels_with(lines)) > 1
    several |= len({frozenset(editor.lines.quantities(line)) for line in lines}) > 1
    if several and len(old) == len(new) == 1 and not read_addition(editor, new[0].text).unread:
        answer = editor.ask(f"Which line do you mean by '{old[0].text}'?", [*lines, EVERY])
        lines = lines if answer == EVERY else [answer]
    if are_species and not all(map(editor.lines.may_have_colours, lines)):
        _refuse_species(old[0].text)
    meant = [_drawn_already(editor, atom.text, lines) for atom in new]
    if meant and all(meant):
        if clause.has("verb:only") and len(editor.panels_with([*lines, *chain(*meant)])) > 1:
            raise NotUnderstood(
                f"helio does not understand '{clause.text}', because these lines are in several panels",
                advice="say which lines go",
            )
        _remove_for(editor, clause, [line for found in meant for line in found], lines)
        return
    asked = {quantity.name for quantity in request.quantities}
    if len(asked) > 1 and clause.has("rel:instead_of") and ignoring_case(r"\bwith\b").search(clause.new_text):
        raise NotUnderstood(f"helio does not understand '{clause.new_text}'", advice="name one quantity")
    crafts = request.spacecraft or (crafts_for(editor, request) if sources else ())
    is_same = all(asked & editor.lines.quantities(line) for line in lines)
    inputs = {label for line in editor.drawn if line not in lines for label in editor.behind(line)}
    is_tied = any(line in inputs or editor.lines.step(line).tool in AVERAGES for line in lines)
    if crafts and is_same and is_tied:
        fetch_from(editor, " and ".join(sorted(asked)), lines, crafts[0])
        is_whole = all(lines == editor.lines.of_instrument(name, lines) for name in request.instruments)
        if len(crafts) > 1 or not is_whole:
            raise NotUnderstood(f"helio cannot fetch '{clause.new_text}' instead of one line")
        return
    atoms = [atom for atom in clause.all if atom not in old and atom.kind not in ("verb", "rel")]
    of = set[str]().union(*map(editor.lines.crafts, lines))
    before = editor.drawn
    draw_new(editor, clause, atoms, lines)
    is_of_same = all(editor.lines.crafts(line) == of for line in editor.drawn if line not in before)
    if len(old) == len(new) == 1 and is_of_same:
        _retitle(editor, plain_name(old[0].text), plain_name(new[0].text))


def _refuse_species(words: str) -> NoReturn:
    raise NotUnderstood(
        f"helio does not understand which quantities of the {words} the request means",
        advice="name each: 'the electron density instead of the proton density'",
    )


def _retitle(editor: FigureEditor, old: str, new: str) -> None:
    """Write the new quantity where the title names the one that is gone."""
    title = str(editor.spec.get("title") or "") if not editor.lines_of(old) else ""
    named = ignoring_case(rf"(?<![\w|]){re.escape(old)}(?![\w|])")
    told = named.sub(lambda match: new[0].upper() + new[1:] if match[0][0].isupper() else new, title)
    if told != title:
        editor.set_for("title", told)


def fetch_from(editor: FigureEditor, what: str, lines: Sequence[str], craft: str) -> None:
    """Fetch the quantity of lines from another spacecraft; what is computed from it stays."""
    producers = editor.lines.producers
    fetched = {
        label: str(producers[label].id)
        for line in lines
        for label in editor.behind(line)
        if producers[label].tool == FETCH
        and editor.lines.own_quantities(label) & editor.lines.quantities(line)
        and editor.lines.crafts(label) != {craft}
    }
    others = [
        label
        for label, step in producers.items()
        if str(step.id) in fetched.values() and label not in fetched
    ]
    if not fetched or others:
        raise NotUnderstood(
            f"helio cannot fetch '{what}' alone from {craft}"
            + (f": its step fetches {', '.join(others)} too" if others else ""),
            advice=f"say 'replace the {what} by the {craft} {what}'",
        )
    if len({frozenset(editor.lines.crafts(label)) for label in fetched}) > 1:
        raise NotUnderstood(
            f"'{what}' is of several spacecraft", advice="say 'replace' one of them 'by' another"
        )
    operations, notes = swapped(editor.after, craft, catalogue=editor.catalogue, only=tuple(fetched.values()))
    editor.do(*operations)
    editor.notes += notes
    editor.swapped = True


def _refetch(editor: FigureEditor, old: str, new: str) -> bool:
    """Fetch another parameter of the same dataset, if both names are those of parameters and no line is the old one."""
    drawn = {name for line in editor.drawn for name in (line, line.rpartition(".")[2])}
    for step, pairs in () if old in drawn else editor.fetches:
        if [name for _, name in pairs] != [old] or pairs[0][0] not in editor.catalogue:
            continue
        dataset = pairs[0][0]
        if new in {parameter.name for parameter in editor.catalogue.dataset(dataset).parameters}:
            editor.do(*refetched(editor.after, step, [(dataset, new)]))
            editor.notes.append(f"step {step.id} fetches {dataset}.{new} instead of {old}")
            return True
    return False


def _is_source(editor: FigureEditor, words: str) -> bool:
    """Return whether words only name a spacecraft or an instrument."""
    return words.casefold() in spellings() or bool(editor.lines.of_instrument(words, editor.drawn))


def _of_source(editor: FigureEditor, source: str, request: PipelineRequest) -> list[str]:
    """Return the lines of a source with the quantity that comes instead: ``density from Wind instead of ACE``."""
    quantities, letters = request.quantities, {B: "B", VELOCITY: "V"}
    words = [
        f"{letters.get(part.name, '')}{part.component}" if part.component else part.name
        for part in quantities
    ]
    is_craft, first = source.casefold() in spellings(), words[0]
    lines = editor.lines_of(f"{source} {first}" if is_craft else f"{first} of {source}")
    if len(words) > 1 or not lines:
        raise NotUnderstood(
            f"the figure draws no such quantity of {source}",
            advice=f"name one of its lines: {', '.join(editor.drawn)}",
        )
    return lines


def _refuse_inputs(editor: FigureEditor, lines: Sequence[str], old: Sequence[Atom]) -> None:
    """Refuse to replace a line that is computed from several quantities, if the words only name one of these."""
    producers = editor.lines.producers
    for line in lines:
        step = producers.get(line)
        if step is None or len({owner(read, producers) for read in step.labels}) < _SEVERAL:
            continue
        known = f"{editor.lines.own_words(line)} {step.step.intent} {step.tool}".casefold().replace("_", " ")
        shown = f"{editor.spec.get('trace_names') or ''} {editor.spec.get('y_label') or ''}".casefold()
        words = [word for atom in old for word in re.findall(r"\w{3,}", atom.text.casefold())]
        if words and not any(word.removesuffix("s") in f"{known} {shown}" for word in words):
            raise NotUnderstood(
                f"the figure draws no line of '{old[0].text}'; {line} is computed from it",
                advice=f"name one of the lines: {', '.join(editor.drawn)}",
            )


def _drawn_already(editor: FigureEditor, words: str, old: Sequence[str]) -> list[str]:
    """Return the lines of a quantity that words name, without those that go."""
    lines = editor.lines.meant(words, editor.figure())
    asked = {quantity.name for quantity in read_addition(editor, words).request.quantities}
    return [
        line
        for line in lines
        if line in editor.drawn
        and line not in old
        and _is_measured(editor, line)
        and (not asked or not (own := editor.lines.own_quantities(line)) or asked & own)
    ]


def _is_measured(editor: FigureEditor, line: str) -> bool:
    """Return whether a line is fetched, or averaged from what is fetched, or a quantity of helio's table."""
    label = editor.lines.source(line, AVERAGES)
    step = editor.lines.producers.get(label)
    return bool(editor.lines.own_quantities(label)) or (step is not None and step.tool == FETCH)


def _remove_for(editor: FigureEditor, clause: Clause, kept: Sequence[str], old: Sequence[str]) -> None:
    """Remove lines instead of which other lines are drawn already; ask what `instead of` means beside a colour."""
    if clause.has("colour"):
        colour = f"draw {', '.join(kept)} in {clause.value('colour')}"
        remove = f"{colour}, and remove {', '.join(old)}"
        if editor.ask("What should change?", [remove, f"{colour}, and keep {', '.join(old)}"]) != remove:
            set_look(editor, clause, kept)
            return
    editor.redraw_without(old)
    set_look(editor, clause, kept)
    editor.notes.append(f"the figure draws {', '.join(kept)} already; {', '.join(old)} is removed")
