"""Remove repeated items of a ``for_each``.

HX204 (edit safe)  repeated items of a for_each removed
    Repeated items would give the same labels twice.
    before  "over": ["AC_H2_MFI", "AC_H2_MFI"]
    after   "over": ["AC_H2_MFI"]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from helio.counts import number_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.template import Template
from helio.store.work_keys import canonical_json


def drop_repeated_items(template: Template, context: Context) -> Iterator[Finding]:
    """Remove repeated items of a ``for_each``, because an item and its repetition give the same labels.

    ``over: ["AC_H2_MFI", "AC_H2_MFI"]`` → ``over: ["AC_H2_MFI"]``

    >>> from datetime import datetime
    >>> template = Template.from_json({"steps": [{"step_id": 1, "for_each": {"as": "$DS", "over": ["A", "B", "A"]}}]})
    >>> [edit.message for edit in drop_repeated_items(template, Context({}, datetime(2024, 1, 1), {}))]
    ['removes 1 repeated item of 3']
    """
    del context
    for step in template.walk():
        if step.for_each is None or step.for_each.items is None:
            continue
        items = step.for_each.items
        once: dict[str, Any] = {}
        for item in items:
            once.setdefault(canonical_json(item), item)
        repeated = len(items) - len(once)
        if repeated:
            message = f"removes {number_of(repeated, 'repeated item')} of {len(items)}"
            after = replace(step, for_each=replace(step.for_each, items=list(once.values())))
            yield Edit("HX204", message, changed(step, after), step.step_id)
