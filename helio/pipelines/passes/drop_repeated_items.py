"""Each item of a map once.

HX204 (edit safe)  duplicate items of a map removed
    They would give the same labels twice.
    before  "over": ["AC_H2_MFI", "AC_H2_MFI"]
    after   "over": ["AC_H2_MFI"]
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.maps import places
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document
from helio.store.keys import canonical_json


def drop_repeated_items(plan: Document, context: Context) -> Iterator[Finding]:
    """Leave out items that a map lists again: they would give the same labels twice.

    ``over: ["AC_H2_MFI", "AC_H2_MFI"]`` → ``over: ["AC_H2_MFI"]``

    >>> from datetime import datetime
    >>> plan = {"steps": [{"step_id": 1, "for_each": {"as": "$DS", "over": ["A", "B", "A"]}}]}
    >>> [edit.message for edit in drop_repeated_items(plan, Context({}, datetime(2024, 1, 1), {}))]
    ['1 of 3 items stood there before']
    """
    del context
    for place in places(plan):
        each = place.step.get("for_each")
        over = each.get("over") if isinstance(each, dict) else None
        if not isinstance(over, list):
            continue
        once = list({canonical_json(one): one for one in reversed(over)}.values())[::-1]
        once = sorted(once, key=lambda one: over.index(one)) if len(once) < len(over) else over
        if len(once) < len(over):
            message = f"{len(over) - len(once)} of {len(over)} items stood there before"
            at = pointer(*place.path, "for_each", "over")
            yield Edit("HX204", message, replaced(at, over, once), place.step.get("step_id"))
