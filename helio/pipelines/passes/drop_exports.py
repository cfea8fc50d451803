"""What is said to be done with a figure: every figure of a run is written, so nothing is left to do."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def drop_exports(plan: Document, context: Context) -> Iterator[Finding]:
    """Leave ``manage_plot`` steps out of a run; a static format is asked for with ``--format``.

    ``manage_plot(action="export", filename="out.png")`` after its ``render_spec`` → the ``render_spec`` alone
    """
    del context
    dropped = {step["step_id"]: step for step in plan["steps"] if step["tool_name"] == "manage_plot"}
    if not dropped:
        return
    kept = [
        {**step, "depends_on": [one for one in step["depends_on"] if one not in dropped]}
        for step in plan["steps"]
        if step["step_id"] not in dropped
    ]
    first = next(index for index, step in enumerate(plan["steps"]) if step["step_id"] in dropped)
    yield Edit(
        "HB305",
        "every figure is written as HTML and JSON; nothing is left of manage_plot",
        replaced("/steps", plan["steps"], kept),
        kind="bind",
        warning="every figure of a run is written, under its step's name; for PNG, PDF or SVG give --format",
        path=pointer("steps", first),
    )
