"""Replace a label with ``*`` by the labels that match it.

HX502 (edit safe)  label with * replaced by the labels that match it
    All matching labels are known.
    before  "labels": ["*.mag"]
    after   "labels": ["AC_H2_MFI.mag", "AC_H0_MFI.mag"]
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.analyses.outputs import is_understood
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import is_glob, matching, without_globs
from helio.pipelines.template.template import Template


def resolve_globs(template: Template, context: Context) -> Iterator[Finding]:
    """Replace each label with ``*`` in a list by the labels that match, when all matching labels are known.

    ``labels: ["*.mag"]`` → ``labels: ["AC_H2_MFI.mag", "AC_H0_MFI.mag"]``. Where a map's items are known only in a run,
    the ``*`` stays until then.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> get = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "$T"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> first = {"step_id": 1, "tool_name": "fetch_data", "tool_args": get, "for_each": each}
    >>> plot = {"step_id": 2, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["*.x"]}}}
    >>> template = Template.from_json({"steps": [first, plot]})
    >>> [edit] = resolve_globs(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> edit.message
    '* replaced by A.x, B.x'
    """
    steps = list(views(template.walk(), context.signatures))
    readers = [
        (step, step.signature, globs)
        for step in steps
        if step.signature is not None
        and len(step.path) == 2
        and step.step.for_each is None
        and (globs := [label for label in step.labels if is_glob(label)])
    ]
    if not readers or not is_understood(template, context):
        return
    known: list[str] = []
    unknown: list[str] = []
    for step in steps:
        for label in step.outputs:
            items = step.with_items(label, context)
            if items is None:
                unknown.append(step.pattern(label))
            else:
                known += items
    for step, signature, globs in readers:
        if any(matching(glob, unknown) or glob in unknown for glob in globs):
            continue
        args = without_globs(step.params, signature, known)
        if args != step.params:
            meant = dict.fromkeys(label for glob in globs for label in matching(glob, known))
            at = pointer(*step.path, "tool_args")
            message = f"* replaced by {', '.join(meant)}"
            yield Edit("HX502", message, replaced(at, step.params, args), step.id)
