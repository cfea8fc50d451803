"""What each step produces, from its tool."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.labels import owner, produced_labels
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def derive_produces(plan: Document, context: Context) -> Iterator[Finding]:
    """Fill in ``produces``; refuse one that contradicts the tool, and a label that two steps produce.

    ``{"tool_name": "magnitude", "tool_args": {…, "output_label": "B"}}`` → ``"produces": ["B"]``
    """
    first: dict[str, StepId] = {}
    places: dict[str, int] = {}
    for index, step in enumerate(plan["steps"]):
        signature = context.signatures.get(step["tool_name"])
        if signature is None:
            continue
        labels = produced_labels(signature, step["tool_args"])
        at = pointer("steps", index, "produces")
        if not step["produces"] and labels:
            yield Edit("HR101", f"produces {', '.join(labels)}", replaced(at, [], labels), step["step_id"])
        elif sorted(step["produces"]) != sorted(labels):
            yield Diagnostic(
                "HR102",
                f"produces says {step['produces']}, and the tool gives {labels or 'no label'}",
                step_id=step["step_id"],
                tool_name=step["tool_name"],
                path=at,
                advice=("leave produces out: it is derived",),
            )
        for label in labels:
            if label in first:
                yield Diagnostic(
                    "HR103",
                    f"the label '{label}' is produced by step {first[label]} already",
                    step_id=step["step_id"],
                    tool_name=step["tool_name"],
                    path=pointer("steps", index, "tool_args"),
                    advice=("another output_label",),
                )
            first.setdefault(label, step["step_id"])
            places.setdefault(label, index)
    yield from _shadows(plan, places)


def _shadows(plan: Document, places: dict[str, int]) -> Iterator[Diagnostic]:
    """Refuse ``B.Bx`` as the label of a table beside a table ``B``: it reads as a component of it."""
    for label, index in places.items():
        table = owner(label.rpartition(".")[0], places)
        if table is not None:
            step = plan["steps"][index]
            yield Diagnostic(
                "HR103",
                f"the label '{label}' reads as a component of '{table}', which another step produces",
                step_id=step["step_id"],
                tool_name=step["tool_name"],
                path=pointer("steps", index, "tool_args"),
                advice=("another output_label, without the dot",),
            )
