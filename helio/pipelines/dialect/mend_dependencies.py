"""Write the dependencies of a step as a list of step ids.

HR302 (edit safe)  dependency on itself removed
    No step can wait for itself.
    before  1: "depends_on": [1]
    after   1: "depends_on": []

HR304 (edit safe)  dependency written as a label
    Only one step produces the label.
    before  "depends_on": ["AC_H2_MFI.BGSEc"]
    after   "depends_on": [1]

HR305 (edit safe)  dependencies in another form written as a list of ids
    Each of them can mean only one step.
    before  "depends_on": "step 1"
    after   "depends_on": [1]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from helio.pipelines.dialect.synonyms import STEP_KEYS, fold, folded, is_null
from helio.pipelines.dialect.template_in import view_in
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.written import WrittenStep, list_of, lists_of_written_steps, text_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.labels import owner, split_labels

ORDINAL = re.compile(r"(?:result[ _]of[ _])?(?:step|phase|task|id)?[ _#-]*([0-9]{1,9})", re.IGNORECASE)
MARKS = "<>{}$ "
"""Characters that people and language models put around the result of a step or around a variable."""
_ID_KEYS = folded(f"step_id {STEP_KEYS['step_id']}")


def mend_dependencies(plan: Document, context: Context) -> Iterator[Finding]:
    """Write ``depends_on`` as a list of step ids; it may be one id, texts such as ``"step 1"``, or labels.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "produces": ["B"]}, {"step_id": 2, "depends_on": ["step 1", "B", 2]}]}
    >>> for edit in mend_dependencies(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message, edit.operations[-1]["value"])
    HR305 depends_on written as a list of step ids [1, 'B', 2]
    HR304 labels in depends_on replaced by the steps that produce them [1, 2]
    HR302 dependency of the step on itself removed [1]
    """
    for steps in lists_of_written_steps(plan):
        names = StepNames(steps, context)
        for step in steps:
            if "depends_on" in step.json:
                yield from _mended(step, names, context)


def _mended(step: WrittenStep, names: StepNames, context: Context) -> Iterator[Edit]:
    at, written = step.at("depends_on"), step.json["depends_on"]
    ids = _without_repeats([names.id_of(item) for item in names.listed(written)])
    if repr(ids) != repr(written):  # 1 is not 1.0
        yield step.edit("HR305", "depends_on written as a list of step ids", replaced(at, written, ids), at)
    labelled = [names.producer_of(item) for item in ids]
    if labelled != ids:
        labelled = _without_repeats(labelled)
        message = "labels in depends_on replaced by the steps that produce them"
        yield step.edit("HR304", message, replaced(at, ids, labelled), at)
    if step.id is not None and step.id in labelled and not _reads_itself(step, context):
        kept = [needed for needed in labelled if needed != step.id]
        yield step.edit("HR302", "dependency of the step on itself removed", replaced(at, labelled, kept), at)


class StepNames:
    """Ids and labels of some steps: a dependency may use the id or a label of a step."""

    def __init__(self, steps: list[WrittenStep], context: Context) -> None:
        self.ids = {str(step.id): step.id for step in steps if step.id is not None}
        self.producers: dict[str, StepId] = {}
        for step in steps:
            declared = map(text_of, list_of(step.json.get("produces")))
            for label in (*view_in(step.json, context.signatures).outputs, *declared):
                if step.id is not None and label:
                    self.producers.setdefault(label, step.id)

    def listed(self, written: Any) -> list[Any]:
        """Return dependencies as a list; one text may contain several dependencies, separated by commas."""
        if is_null(written):
            return []
        unpacked = unpack(written, list)
        if unpacked is None:
            unpacked = written if isinstance(written, list) else [written]
        items: list[Any] = []
        for item in unpacked:
            text = text_of(item)
            if "," in text and text not in self.ids and text not in self.producers:
                items += split_labels(text, self.producers)
            elif not is_null(item):
                items.append(item)
        return items

    def id_of(self, item: Any) -> Any:
        """Return the id of the step that a dependency names; return the dependency unchanged if it names no step."""
        match item:
            case dict():
                named = [value for key, value in item.items() if fold(key) in _ID_KEYS]
                return item if len(named) != 1 or isinstance(named[0], dict) else self.id_of(named[0])
            case float() if item.is_integer():
                return self.id_of(int(item))
            case bool():
                return item
            case int() | str():
                text = str(item).strip()
                if text in self.ids or text in self.producers:
                    return self.ids.get(text, text)
                ordinal = ORDINAL.fullmatch(text.strip(MARKS))
                return self.ids.get(str(int(ordinal[1])), item) if ordinal else item
        return item

    def producer_of(self, item: Any) -> Any:
        """Return the id of the step that gives a label; return the dependency unchanged if it is not a label."""
        if not isinstance(item, str) or item in self.ids:
            return item
        label = owner(item, self.producers)
        if label is not None:
            return self.producers[label]
        # A label in another case is meant where only one step gives such a label.
        alike = {
            self.producers[known] for known in self.producers if known.casefold() == item.strip().casefold()
        }
        return alike.pop() if len(alike) == 1 else item


def _without_repeats(items: list[Any]) -> list[Any]:
    return list({repr(item): item for item in items}.values())


def _reads_itself(step: WrittenStep, context: Context) -> bool:
    """Return whether a step reads a label that the step itself gives: a cycle, which derive_dependencies refuses."""
    view = view_in(step.json, context.signatures)
    return any(owner(label, set(view.outputs)) for label in view.labels)
