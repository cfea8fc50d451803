"""Find each ``for_each`` that one step without ``for_each`` could replace.

HX601 (warning)  a for_each that a single step could replace
    Its items could be computed together; only the author knows whether the result is the same.
    before  custom_operation for each component
    after   a hint
    to do   Nothing is needed. Remove for_each if one call on the whole table gives what you want.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import uses
from helio.pipelines.template.template import Template


def check_maps(template: Template, context: Context) -> Iterator[Finding]:
    """Warn of a ``for_each`` that one step without ``for_each`` could replace; the author of the template decides.

    ``custom_operation(B)`` for each component of ``B``; ``fetch(parameter_id: $P)`` for each of a list → HX601

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "$P", "time_range": "$T"}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": args}
    >>> template = Template.from_json({"steps": [{**step, "for_each": {"as": "$P", "over": ["BGSEc", "Magnitude"]}}]})
    >>> [finding.advice for finding in check_maps(template, Context(signatures(), datetime(2024, 1, 1), {}))]
    [('use "parameters": […] in one fetch',)]
    """
    for view in views(template.walk(), context.signatures):
        step, loop, signature = view.step, view.step.for_each, view.signature
        if loop is None or signature is None:
            continue
        args, name = step.tool_args, loop.name
        others = {key: value for key, value in args.items() if key not in ("output_label", "parameter_id")}
        advice = ""
        if (
            signature.gives == "tables"
            and args.get("parameter_id") == name
            and not uses({**others, "output_label": args.get("output_label")}, {}, name)
        ):
            advice = 'use "parameters": […] in one fetch'
        elif loop.components_of:
            source = loop.components_of
            scalar = any(table.scalar for table in signature.tables)
            if not scalar and any(label in (source, f"{source}.{name}") for label in view.labels):
                advice = f"use one step on {source}, if the tool does the same with every component"
        elif not uses(others, signature.schema(), name) and not uses(args.get("parameter_id"), {}, name):
            advice = f"use one step without for_each: only its label depends on {name}"
        if advice:
            yield Diagnostic(
                "HX601",
                "one step without for_each could do the same work",
                "warning",
                step.step_id,
                signature.name,
                pointer(*step.path, "for_each"),
                (advice,),
            )
