"""What each step produces, from its tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.pipelines.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.graph import views
from helio.pipelines.labels import owner
from helio.pipelines.maps import Place, args_of, is_block
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document


def derive_produces(plan: Document, context: Context) -> Iterator[Finding]:
    """Fill in ``produces``; refuse one that contradicts the tool, and a label that two steps produce.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_label": "AC_H2_MFI.BGSEc", "output_label": "B"}
    >>> plan = {"steps": [{"step_id": 1, "tool_name": "magnitude", "tool_args": args, "produces": []}]}
    >>> [edit] = derive_produces(plan, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR101 produces B
    """
    first: dict[str, Place] = {}
    for place in views(plan, context.signatures):
        step, labels = place.step, list(place.outputs)
        if place.signature is None and not is_block(step):
            labels = step["produces"]
        at = pointer(*place.path, "produces")
        if not step["produces"] and labels:
            yield Edit("HR101", f"produces {', '.join(labels)}", replaced(at, [], labels), step["step_id"])
        elif sorted(step["produces"]) != sorted(labels) and _alike(step["produces"], labels):
            new = replaced(at, step["produces"], labels)
            yield Edit("HR202", f"produces {', '.join(labels)}, as the tool spells it", new, step["step_id"])
        elif sorted(step["produces"]) != sorted(labels) and not is_block(step):
            yield Diagnostic(
                "HR102",
                f"produces says {step['produces']}, and the tool gives {labels or 'no label'}",
                step_id=step["step_id"],
                tool_name=step.get("tool_name", ""),
                path=at,
                advice=("leave produces out: it is derived",),
                fixes=(Fix("write what the tool gives", replaced(at, step["produces"], labels)),),
            )
        for label in labels:
            if label in first and not is_same_work(first[label].step, step, context):
                yield _again(place, label, first[label].step["step_id"], set(first))
            first.setdefault(label, place)
    yield from _shadows(first)


def _alike(said: list[str], labels: list[str]) -> bool:
    """Whether two lists name the same labels but for case and repetition."""
    return {one.strip().casefold() for one in said} == {one.casefold() for one in labels}


def is_same_work(one: Document, other: Document, context: Context) -> bool:
    """Whether two steps give one label the same content, so that a later pass makes one of them."""
    if one.get("tool_name") != other.get("tool_name") or "for_each" in one or "for_each" in other:
        return False
    mine, theirs = args_of(one), args_of(other)
    if mine == theirs:
        return context.runs("drop_equal_work")
    signature = context.signatures[one["tool_name"]]
    names: tuple[Any, ...] = (
        "dataset_id",
        "time_range",
        "provider",
        "candidates",
        "output_label",
        "each_interval",
    )
    alike = all(mine.get(name) == theirs.get(name) for name in names) and not mine.get("output_label")
    return signature.gives == "tables" and alike and context.runs("merge_fetches")


def _again(place: Place, label: str, before: StepId, taken: set[str]) -> Diagnostic:
    args = args_of(place.step)
    home = pointer(*place.path, "tool_args")
    at = f"{home}/output_label" if args.get("output_label") == label else home
    fixes: tuple[Fix, ...] = ()
    if at != home:
        number = 2
        while f"{label}_{number}" in taken:
            number += 1
        fixes = (Fix(f"call it {label}_{number}", replaced(at, label, f"{label}_{number}")),)
    return Diagnostic(
        "HR103",
        f"the label '{label}' is produced by step {before} already",
        step_id=place.step["step_id"],
        tool_name=place.step.get("tool_name", ""),
        path=at,
        advice=("another output_label",),
        candidates=(before,),
        fixes=fixes,
    )


def _shadows(places_of: dict[str, Place]) -> Iterator[Diagnostic]:
    """Refuse ``B.Bx`` as the label of a table beside a table ``B``: it reads as a component of it."""
    for label, place in places_of.items():
        table = owner(label.rpartition(".")[0], places_of)
        if table is not None:
            args = args_of(place.step)
            home = pointer(*place.path, "tool_args")
            yield Diagnostic(
                "HR103",
                f"the label '{label}' reads as a component of '{table}', which another step produces",
                step_id=place.step["step_id"],
                tool_name=place.step.get("tool_name", ""),
                path=f"{home}/output_label" if args.get("output_label") == label else home,
                advice=("another output_label, without the dot",),
            )
