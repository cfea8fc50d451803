"""Set the time range and the caption of each figure in the plan, before the figures are drawn.

HB303 (edit bind)  time range and caption of a figure
    A figure shows the time range that all its data have. The caption names values that were not measured.
    before  render_spec
    after   "time_range": "2024-05-10 to 2024-05-12"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helio.pipelines.analyses.origins import origins
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit, changed
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.from_document import FromDocument, documents_by_label
from helio.pipelines.template.template import Template, reached

_MOST = 5
"""Maximum number of labels that a caption names."""


def bind_artefacts(template: Template, context: Context) -> Iterator[Finding]:
    """Give each figure a caption, and the time range that all fetches of its data have in common.

    A figure over fetches of different ranges keeps the span of its data.
    """
    came_from = origins(template, context.signatures)
    documents = documents_by_label(template.steps)
    needs = {step.step_id: step.depends_on for step in template.steps}
    for step in template.steps:
        if step.tool_name != RENDER:
            continue
        behind = reached(step.step_id, needs)
        ranges = {
            other.tool_args[name]
            for other in template.steps
            if other.step_id in behind and other is not step
            for name in context.signatures[other.tool_name].time_arguments()
            if name in other.tool_args
        }
        more = {"time_range": ranges.pop()} if len(ranges) == 1 else {}
        if context.caption:
            written = sorted(came_from[pointer(*step.path)].written)
            more["caption"] = " · ".join([context.caption, *_not_measured(written, documents)])
        after = replace(step, tool_args={**step.tool_args, **more, **step.tool_args})
        operations = changed(step, after)
        if operations:
            message = "sets the time range and caption of the figure"
            yield Edit("HB303", message, operations, step.step_id, kind="bind")


def _not_measured(labels: Sequence[str], documents: Mapping[str, FromDocument]) -> Iterator[str]:
    """Yield words about tables that nobody measured: first those of each document, then the others."""
    words = {label: documents[label].words for label in labels if label in documents}
    for document in dict.fromkeys(words.values()):
        listed = _listed([label for label in words if words[label] == document])
        yield f"from {document}, not measured: {listed}"
    others = [label for label in labels if label not in words]
    if others:
        yield f"not measured: {_listed(others)}"


def _listed(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _MOST} more" if len(labels) > _MOST else ""
    return f"{', '.join(labels[:_MOST])}{more}"
