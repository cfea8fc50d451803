"""Maps that could be one call."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, pointer
from helio.pipelines.graph import views
from helio.pipelines.maps import args_of, is_block, uses, variable_of
from helio.pipelines.passes.edit import Context, Finding
from helio.pipelines.template import Document


def check_maps(plan: Document, context: Context) -> Iterator[Finding]:
    """Hint at a map whose items could be worked on together; it is the author's to decide.

    ``custom_operation(B)`` for each component of ``B``; ``fetch(parameter_id: $P)`` for each of a list → HX601

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "AC_H2_MFI", "parameter_id": "$P", "time_range": "$T"}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": args}
    >>> plan = {"steps": [{**step, "for_each": {"as": "$P", "over": ["BGSEc", "Magnitude"]}}]}
    >>> [found.advice for found in check_maps(plan, Context(signatures(), datetime(2024, 1, 1), {}))]
    [('"parameters": […] in one fetch',)]
    """
    for place in views(plan, context.signatures):
        each, step, signature = place.step.get("for_each"), place.step, place.signature
        name = variable_of(each)
        if not name or signature is None or is_block(step) or not isinstance(each, dict):
            continue
        args, over = args_of(step), each.get("over")
        others = {key: value for key, value in args.items() if key not in ("output_label", "parameter_id")}
        advice = ""
        if (
            signature.gives == "tables"
            and args.get("parameter_id") == name
            and not uses({**others, "output_label": args.get("output_label")}, {}, name)
        ):
            advice = '"parameters": […] in one fetch'
        elif isinstance(over, dict) and isinstance(over.get("components_of"), str):
            source = over["components_of"]
            scalar = any(table.scalar for table in signature.tables)
            if not scalar and any(label in (source, f"{source}.{name}") for label in place.labels):
                advice = f"one call on {source}, if it does the same with every component"
        elif not uses(others, signature.schema(), name) and not uses(args.get("parameter_id"), {}, name):
            advice = f"one step: nothing but its label depends on {name}"
        if advice:
            yield Diagnostic(
                "HX601",
                "this map could be one call",
                "warning",
                step.get("step_id"),
                signature.name,
                pointer(*place.path, "for_each"),
                (advice,),
            )
