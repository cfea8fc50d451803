"""Let the intents of steps and the title follow a change of what they name: a frame, a cadence, quantities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helio.authoring.operations import Operation
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.lines import AVERAGES, Lines
from helio.authoring.swapping import cadence_of
from helio.authoring.writing.steps import listed
from helio.knowledge.quantity_words import title
from helio.pipelines.template.document import Document

_MOST_NAMED = 3
"""Most quantities that a title names."""


def retell_intents(editor: FigureEditor, before: Document) -> None:
    """Write what a change has replaced into the intents that still name it: ``Take the z component in GSE``."""
    earlier = Lines(before, editor.catalogue, editor.ask)
    intents = {str(step["step_id"]): step.get("intent") for step in before["steps"]}
    for step in editor.after["steps"]:
        name, intent = str(step["step_id"]), step.get("intent")
        if not isinstance(intent, str) or intent != intents.get(name):
            continue
        told = intent
        for old, new in _replaced(earlier, editor.lines, name):
            if old and new and old != new:
                told = re.sub(rf"(?<![\w.-]){re.escape(old)}(?![\w-])", new, told)
        if told != intent:
            editor.do(Operation("set", name, ("intent",), told))


def _replaced(before: Lines, after: Lines, name: str) -> Iterator[tuple[str, str]]:
    """Yield what a step had, and what it has in its place, which may be the same."""
    old, new = (next(step for step in lines.graph.steps if str(step.id) == name) for lines in (before, after))
    if old.outputs and new.outputs:
        yield before.frame(old.outputs[0]), after.frame(new.outputs[0])
    yield cadence_of(dict(old.params), before.catalogue), cadence_of(dict(new.params), after.catalogue)
    for key, value in new.params.items():
        if isinstance(value, str) and isinstance(old.params.get(key), str):
            yield old.params[key], value


def retell_title(editor: FigureEditor, before: Document) -> None:
    """Name in a title such as ``Wind: density and speed`` what the figure draws now; leave other titles alone."""
    earlier = Lines(before, editor.catalogue, editor.ask)
    figures = [step for step in before["steps"] if str(step["step_id"]) in editor.figures()]
    if len(figures) != 1 or len(editor.figures()) != 1:
        return
    written, drawn = str(editor.spec.get("title") or ""), earlier.drawn(figures[0])
    craft, _, listing = written.partition(": ")
    named, titles = re.split(r", | and ", listing), _titles(earlier, drawn)
    is_untouched = earlier.spec(figures[0]).get("title") == written and {*named} <= {*titles}
    if not is_untouched or any(editor.lines.crafts(line) != {craft} for line in editor.drawn):
        return
    left = _titles(editor.lines, editor.drawn)
    told = [name for name in named if name in left] + [name for name in left if name not in titles]
    if told and told != named:
        editor.set_for("title", f"{craft}: {listed(told) if len(told) <= _MOST_NAMED else 'overview'}")


def _titles(lines: Lines, drawn: Sequence[str]) -> list[str]:
    """Return what titles call the quantities of lines, or those of which they are averages or components."""
    sources = [lines.source(line, (*AVERAGES, "components")) for line in drawn]
    return list(dict.fromkeys(title(name) for line in sources for name in sorted(lines.own_quantities(line))))
