"""Let the intents of steps follow a change of what they name: a frame, a cadence, a length or a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helio.authoring.operations import Operation
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.lines import Lines
from helio.authoring.swapping import cadence_of
from helio.pipelines.template.document import Document


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
