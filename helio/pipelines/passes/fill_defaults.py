"""Defaults that an author may leave out.

HN100 (edit safe)  defaults filled in
    Later passes read every step the same way.
    before  {"step_id": 1, "tool_name": …, "tool_args": …}
    after   … "intent": "", "produces": [], "depends_on": [], "critical": true
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy

from helio.pipelines.diagnostics import pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, added
from helio.pipelines.passes.walk import each_step, id_of
from helio.pipelines.schema import SCHEMA_VERSION
from helio.pipelines.template import STEP_DEFAULTS, Document


def fill_defaults(plan: Document, context: Context) -> Iterator[Finding]:
    """Fill in ``schema_version`` and ``variables``, and what each step leaves out.

    >>> from datetime import datetime
    >>> plan = {"schema_version": 1, "variables": {}, "steps": [{"step_id": 1, "intent": "", "critical": False}]}
    >>> [edit.message for edit in fill_defaults(plan, Context({}, datetime(2024, 1, 1), {}))]
    ['produces, depends_on filled in']
    """
    del context
    top = {"schema_version": SCHEMA_VERSION, "variables": {}}
    operations = [op for key, value in top.items() if key not in plan for op in added(pointer(key), value)]
    if operations:
        yield Edit("HN100", "schema_version, variables filled in", tuple(operations))
    for path, step in each_step(plan):
        defaults = {**STEP_DEFAULTS, "tool_args": {}} if "tool_name" in step else STEP_DEFAULTS
        missing = [key for key in defaults if key not in step]
        if missing:
            filled = [op for key in missing for op in added(pointer(*path, key), deepcopy(defaults[key]))]
            yield Edit("HN100", f"{', '.join(missing)} filled in", tuple(filled), id_of(step))
