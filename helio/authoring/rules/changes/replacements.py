"""Draw quantities instead of lines of the figure: ``replace A with B``, ``B instead of A``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from helio.authoring.fetches import FETCH
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.added_content import read_addition
from helio.authoring.rules.changes.additions import ANY_PART, add_magnitude, draw_new, set_look
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.writing.asking import EVERY
from helio.knowledge.quantities import B

_BY = re.compile(r"\s(?:by|with|for)\s", re.IGNORECASE)


def replace_quantities(editor: FigureEditor, clause: Clause) -> None:
    """Draw quantities instead of lines of the figure: ``replace A with B``, ``B instead of A``."""
    names = [atom for atom in clause.all if atom.kind in ("what", "craft")]
    relation = next((atom for atom in clause.all if atom.tags[-1] == "rel:instead_of"), None)
    if relation is not None:
        new = [atom for atom in names if atom.start < relation.start]
        old = [atom for atom in names if atom.start > relation.start]
    else:
        joint = _BY.search(clause.text)
        count = len([atom for atom in names if joint and atom.stop - clause.start <= joint.start()]) or 1
        old, new = names[:count], names[count:]
    if not old or not new:
        raise NotUnderstood("the request does not say what replaces what", advice="say 'replace A with B'")
    lines = [line for atom in old for line in editor.known(atom.text, every=True)]
    if all(_is_strength(atom.text) and _may_be_of(editor, atom.text, lines) for atom in new) and all(
        editor.lines.is_vector(line) for line in lines
    ):
        for line in lines:
            editor.draw_instead(line, add_magnitude(editor, line))
        return
    several = len({at for at, panel in enumerate(editor.panels) if set(panel) & set(lines)}) > 1
    if several and len(old) == len(new) == 1 and not read_addition(editor, new[0].text).unread:
        answer = editor.ask(f"Which line do you mean by '{old[0].text}'?", [*lines, EVERY])
        lines = lines if answer == EVERY else [answer]
    meant = [_drawn_already(editor, atom.text, lines) for atom in new]
    if meant and all(meant):
        _remove_for(editor, clause, [line for found in meant for line in found], lines)
        return
    atoms = [atom for atom in clause.all if atom not in old and atom.kind not in ("verb", "rel")]
    draw_new(editor, clause, atoms, lines)


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
    label = editor.unaveraged(line)
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
    editor.redraw([[label for label in panel if label not in old] for panel in editor.panels])
    set_look(editor, clause, kept)
    editor.notes.append(f"the figure draws {', '.join(kept)} already; {', '.join(old)} is removed")


def _is_strength(words: str) -> bool:
    """Return whether words mean the magnitude of a vector."""
    plain = re.sub(
        r"\b(?:the|of|total|bulk|flow|proton|field|magnetic|velocity|vector|b|v|its)\b|\|[bv]\|",
        " ",
        words.casefold(),
    )
    if not plain.split():
        return re.search(r"\||\btotal\b", words, re.IGNORECASE) is not None
    return plain.split() in (["magnitude"], ["speed"]) or (
        plain.split() in (["strength"], ["amplitude"], ["magnitudes"]) and plain != words.casefold()
    )


def _may_be_of(editor: FigureEditor, words: str, lines: Sequence[str]) -> bool:
    """Return whether words for a strength may mean that of vectors: the total field is not that of a velocity."""
    of_field = re.search(r"\b(?:field|magnetic)\b|\bb\b", words, re.IGNORECASE) is not None
    return not of_field or all(B in (editor.lines.quantities(line) or {B}) for line in lines)


def _replaces(clause: Clause) -> bool:
    return len([atom for atom in clause.all if atom.kind in ("what", "craft")]) > 1


REPLACEMENTS: tuple[Rule, ...] = (
    Rule("verb:replace|verb:swap|rel:instead_of what", ANY_PART, replace_quantities, _replaces),
)
