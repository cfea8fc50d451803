"""A label drawn in a panel is a label of the figure.

HO401 (edit safe; lossy (repair) or error (run) for an unknown key)  panel label missing from labels added; an
        unknown key of a figure is refused with the valid ones
    A figure draws only its labels.
    before  "labels": ["B"], "panels": [["B"], ["n"]]
    after   "labels": ["B", "n"]
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.figures import FIGURES, RENDER, complete_labels, spec_of
from helio.pipelines.maps import is_glob, places
from helio.pipelines.passes.edit import Context, Edit, Finding, added, replaced
from helio.pipelines.template import Document


def complete_panels(plan: Document, context: Context) -> Iterator[Finding]:
    """Add labels that stand in ``panels`` only to a figure's ``labels``.

    ``{"labels": ["B"], "panels": [["B"], ["n"]]}`` → ``{"labels": ["B", "n"], "panels": [["B"], ["n"]]}``

    >>> from datetime import datetime
    >>> spec = {"labels": ["B"], "panels": [["B"], ["n"]]}
    >>> plan = {"steps": [{"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}}]}
    >>> [edit.operations[1]["value"] for edit in complete_panels(plan, Context({}, datetime(2024, 1, 1), {}))]
    [['B', 'n']]
    """
    if not context.runs("complete_panels"):
        return
    for place in places(plan):
        spec = spec_of(place.step)
        if place.step.get("tool_name") not in FIGURES or not isinstance(spec, dict):
            continue
        labels, complete = spec.get("labels"), complete_labels(spec)
        if labels and not isinstance(labels, list):
            continue  # still one text, which is split first
        # What a label with * stands for is not known yet.
        missing = [one for one in complete[len(labels or ()) :] if not is_glob(one)]
        if missing:
            inner = ("spec",) if place.step["tool_name"] == RENDER else ()
            at = pointer(*place.path, "tool_args", *inner, "labels")
            complete = [*(labels or ()), *missing]
            operations = replaced(at, labels, complete) if "labels" in spec else added(at, complete)
            step_id = place.step.get("step_id")
            yield Edit("HO401", f"labels of panels added: {', '.join(missing)}", operations, step_id)
