"""Dependencies as a list of the ids of steps.

HR302 (edit safe)  dependency on itself removed
    No step waits for itself.
    before  1: "depends_on": [1]
    after   1: "depends_on": []

HR304 (edit safe)  dependency written as a label
    The label has one producer.
    before  "depends_on": ["AC_H2_MFI.BGSEc"]
    after   "depends_on": [1]

HR305 (edit safe)  dependency in another shape
    It names one step.
    before  "depends_on": "step 1"
    after   "depends_on": [1]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from helio.pipelines.dialect.synonyms import STEP_KEYS, fold, is_null
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.walk import each_list, id_of, wiring
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.labels import owner, split_labels
from helio.pipelines.template.variables import Path

ORDINAL = re.compile(r"(?:result[ _]of[ _])?(?:step|phase|task|id)?[ _#-]*([0-9]{1,9})", re.IGNORECASE)
_ID_KEYS = frozenset(map(fold, ("step_id", *STEP_KEYS["step_id"])))


def mend_dependencies(plan: Document, context: Context) -> Iterator[Finding]:
    """Write ``depends_on`` as ids: from one id, texts, ``"step 1"``, labels; without a step itself, each once.

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "produces": ["B"]}, {"step_id": 2, "depends_on": ["step 1", "B", 2]}]}
    >>> for edit in mend_dependencies(plan, Context({}, datetime(2024, 1, 1), {})):
    ...     print(edit.code, edit.message, edit.operations[-1]["value"])
    HR305 dependencies as a list of steps [1, 'B', 2]
    HR304 a label stands for the step that produces it [1, 2]
    HR302 does not depend on itself [1]
    """
    for path, steps in each_list(plan):
        ids = {str(one): one for step in steps if isinstance(step, dict) and (one := id_of(step)) is not None}
        producers: dict[str, StepId] = {}
        for step in steps:
            if isinstance(step, dict) and (step_id := id_of(step)) is not None:
                for label in _labels(step, context):
                    producers.setdefault(label, step_id)
        for index, step in enumerate(steps):
            if isinstance(step, dict) and "depends_on" in step:
                yield from _mended((*path, index), step, ids, producers, context)


def _mended(
    path: Path, step: Document, ids: Mapping[str, StepId], producers: Mapping[str, StepId], context: Context
) -> Iterator[Edit]:
    at, step_id, written = pointer(*path, "depends_on"), id_of(step), step["depends_on"]
    now = _each_once([_id(item, ids, producers) for item in _listed(written, ids, producers)])
    if now != written or not isinstance(written, list) or any(map(_differs, now, written)):
        yield Edit("HR305", "dependencies as a list of steps", replaced(at, written, now), step_id, path=at)
    labelled = [_producer(item, ids, producers) for item in now]
    if labelled != now:
        labelled = _each_once(labelled)
        message = "a label stands for the step that produces it"
        yield Edit("HR304", message, replaced(at, now, labelled), step_id, path=at)
    if step_id is None or step_id not in labelled or _reads_itself(step, context):
        return
    kept = [needed for needed in labelled if needed != step_id]
    yield Edit("HR302", "does not depend on itself", replaced(at, labelled, kept), step_id, path=at)


def _differs(one: Any, other: Any) -> bool:
    return type(one) is not type(other)


def _labels(step: Document, context: Context) -> list[str]:
    said = step.get("produces")
    found = wiring(step, context.signatures)[0]
    return [*found, *(label for label in (said if isinstance(said, list) else ()) if isinstance(label, str))]


def _listed(written: Any, ids: Mapping[str, StepId], producers: Mapping[str, StepId]) -> list[Any]:
    """The dependencies one by one; a text may be one, or several between commas."""
    if is_null(written):
        return []
    unpacked = unpack(written, list)
    if unpacked is not None:
        written = unpacked
    items = written if isinstance(written, list) else [written]
    found: list[Any] = []
    for item in items:
        if isinstance(item, str) and "," in item and item not in ids and item not in producers:
            found += split_labels(item, producers)
        elif not is_null(item):
            found.append(item)
    return found


def _id(one: Any, ids: Mapping[str, StepId], producers: Mapping[str, StepId]) -> Any:
    """The id that a dependency spells; itself where it spells none."""
    if isinstance(one, dict):
        named = [value for key, value in one.items() if fold(key) in _ID_KEYS]
        return _id(named[0], ids, producers) if len(named) == 1 and not isinstance(named[0], dict) else one
    if isinstance(one, float) and one.is_integer():
        one = int(one)
    if isinstance(one, bool) or not isinstance(one, (int, str)):
        return one
    text = str(one).strip()
    if text in ids:
        return ids[text]
    if text in producers:
        return text
    ordinal = ORDINAL.fullmatch(text)
    return ids.get(str(int(ordinal[1])), one) if ordinal else one


def _producer(one: Any, ids: Mapping[str, StepId], producers: Mapping[str, StepId]) -> Any:
    if not isinstance(one, str) or one in ids:
        return one
    label = owner(one, producers)
    if label is not None:
        return producers[label]
    # A label in another case is meant where only one step gives such a label.
    alike = {producers[known] for known in producers if known.casefold() == one.strip().casefold()}
    return alike.pop() if len(alike) == 1 else one


def _each_once(items: list[Any]) -> list[Any]:
    seen: set[tuple[str, str]] = set()
    found: list[Any] = []
    for item in items:
        mark = (type(item).__name__, repr(item))
        if mark not in seen:
            seen.add(mark)
            found.append(item)
    return found


def _reads_itself(step: Document, context: Context) -> bool:
    """Whether a step reads a label of its own: a cycle, which derive_dependencies refuses."""
    given, read = wiring(step, context.signatures)
    return any(owner(label, given) for label in read)
