"""Runs passes over a plan: applies their edits, keeps their diagnostics, stops where something is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import jsonpatch

from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.passes.edit import Context, Edit, Pass
from helio.pipelines.template import Document


@dataclass(frozen=True)
class Rewritten:
    """A plan after some passes, and all that they did and found."""

    plan: Document
    edits: tuple[Edit, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that keep the plan from running."""
        return tuple(one for one in self.diagnostics if one.severity == "error")


def rewrite(authored: Document, context: Context, stages: Iterable[Iterable[Pass]]) -> Rewritten:
    """Run stages of passes; paths of diagnostics are those of `authored`.

    Applying the ``operations`` of the edits to `authored`, in order, gives the plan again.
    """
    plan, edits, diagnostics = authored, list[Edit](), list[Diagnostic]()
    for stage in stages:
        for one_pass in stage:
            found = list(one_pass(plan, context))
            new = [one for one in found if isinstance(one, Edit)]
            diagnostics += [
                authored_path(one, plan, authored) for one in found if isinstance(one, Diagnostic)
            ]
            operations = [operation for edit in new for operation in edit.operations]
            if operations:
                plan = jsonpatch.JsonPatch(operations).apply(plan)
                edits += new
        if any(one.severity == "error" for one in diagnostics):
            break
    return Rewritten(plan, tuple(edits), tuple(dict.fromkeys(diagnostics)))


def authored_path(found: Diagnostic, plan: Document, authored: Document) -> Diagnostic:
    """Steps move and are merged; the author looks for a step where it was written."""
    parts = found.path.split("/")
    if plan is authored or len(parts) < 3 or parts[1] != "steps" or not parts[2].isdigit():
        return found
    step_id = plan["steps"][int(parts[2])]["step_id"]
    for index, step in enumerate(authored["steps"]):
        if step.get("step_id") == step_id:
            return replace(found, path="/".join([*parts[:2], str(index), *parts[3:]]))
    return found
