"""Add the labels in a figure's panels to the list of the figure's labels.

HO401 (edit safe; lossy (repair) or error (run) for an unknown key)  label of a panel added to the labels of
        its figure; an unknown key of a figure is refused
    A figure draws only its labels.
    before  "labels": ["B"], "panels": [["B"], ["n"]]
    after   "labels": ["B", "n"]
    to do   Correct the unknown key of the figure, as the message suggests; for an added label nothing is
            needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import FIGURES, complete_labels, figure_of, with_figure
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.template import Template


def complete_panels(template: Template, context: Context) -> Iterator[Finding]:
    """Add labels to a figure's ``labels`` if only its ``panels`` name them.

    ``{"labels": ["B"], "panels": [["B"], ["n"]]}`` → ``{"labels": ["B", "n"], "panels": [["B"], ["n"]]}``

    >>> from datetime import datetime
    >>> spec = {"labels": ["B"], "panels": [["B"], ["n"]]}
    >>> steps = [{"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}}]
    >>> template = Template.from_json({"steps": steps})
    >>> [edit.operations[1]["value"] for edit in complete_panels(template, Context({}, datetime(2024, 1, 1), {}))]
    [['B', 'n']]
    """
    if not context.runs("complete_panels"):
        return
    for step in template.walk():
        if step.tool_name not in FIGURES:
            continue
        spec = figure_of(step)
        labels = spec.get("labels", [])
        if not isinstance(labels, list):
            continue  # of a pipeline that was put in just now: the next round splits a text
        # What a label with * stands for is not known yet.
        missing = [label for label in complete_labels(spec)[len(labels) :] if not is_glob(label)]
        if missing:
            after = with_figure(step, {**spec, "labels": [*labels, *missing]})
            message = f"labels of panels added to the figure: {', '.join(missing)}"
            yield Edit("HO401", message, changed(step, after), step.step_id)
