"""Write the default values that a template may leave out.

HN100 (edit safe)  defaults filled in
    Later passes read every step the same way.
    before  {"step_id": 1, "tool_name": …, "tool_args": …}
    after   … "intent": "", "produces": [], "depends_on": [], "critical": true
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.document import STEP_DEFAULTS
from helio.pipelines.template.edit import Edit, added, changed
from helio.pipelines.template.schema import SCHEMA_VERSION
from helio.pipelines.template.template import Template


def fill_defaults(template: Template, context: Context) -> Iterator[Finding]:
    """Write ``schema_version``, ``variables`` and the fields of each step that a template may leave out.

    >>> from datetime import datetime
    >>> step = {"step_id": 1, "use": "mine", "intent": "", "critical": False}
    >>> template = Template.from_json({"schema_version": 1, "variables": {}, "steps": [step]})
    >>> [edit.message for edit in fill_defaults(template, Context({}, datetime(2024, 1, 1), {}))]
    ['produces, depends_on filled in']
    """
    del context
    top = {"schema_version": SCHEMA_VERSION, "variables": {}}
    operations = [
        op for key, value in top.items() if key not in template.keys for op in added(pointer(key), value)
    ]
    if operations:
        yield Edit("HN100", "defaults filled in: schema_version, variables", tuple(operations))
    for step in template.by_list():
        defaults = STEP_DEFAULTS if step.block or step.use else [*STEP_DEFAULTS, "tool_args"]
        missing = tuple(key for key in defaults if key not in step.keys)
        if missing:
            filled = changed(step, replace(step, keys=(*step.keys, *missing)))
            yield Edit("HN100", f"{', '.join(missing)} filled in", filled, step.step_id)
