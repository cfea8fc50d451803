"""Find the labels that each step produces, from the tool of the step.

HR101 (edit safe)  produces derived from the tool
    The tool decides what it gives.
    before  "output_label": "B"
    after   "produces": ["B"]

HR102 (error)  declared produces contradicts the tool
    One of the two is wrong, and steps that read the label would fail late.
    before  "produces": ["C"] with "output_label": "B"
    after   refused
    to do   Remove "produces" from the step; helio derives it.

HR103 (error)  a label produced twice, or overwritten in place
    A label names one table. helio may suggest another label, but never chooses one.
    before  two steps with "output_label": "B"
    after   refused
    to do   Give one of the two steps another output_label, and correct the steps that read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.edit import Edit, changed, replaced
from helio.pipelines.template.graph import views
from helio.pipelines.template.labels import owner
from helio.pipelines.template.template import Step, Template


def derive_produces(template: Template, context: Context) -> Iterator[Finding]:
    """Fill in ``produces``; refuse a list that contradicts the tool, and a label that two steps produce.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"source_label": "AC_H2_MFI.BGSEc", "output_label": "B"}
    >>> steps = [{"step_id": 1, "tool_name": "magnitude", "tool_args": args, "produces": []}]
    >>> template = Template.from_json({"steps": steps})
    >>> [edit] = derive_produces(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR101 produces B
    """
    first: dict[str, Step] = {}
    for view in views(template.walk(), context.signatures):
        step = view.step
        labels = view.outputs if view.signature or step.block else step.produces
        if sorted(step.produces) != sorted(labels):
            yield from _derived(step, labels)
        for label in labels:
            if label in first and not is_same_work(first[label], step, context):
                yield _again(step, label, first[label].step_id, set(first))
            first.setdefault(label, step)
    yield from _shadows(first)


def _derived(step: Step, labels: tuple[str, ...]) -> Iterator[Finding]:
    """Yield edits or errors for labels in ``produces`` that differ from the labels that the tool gives."""
    new = changed(step, replace(step, produces=labels))
    if not step.produces:
        yield Edit("HR101", f"produces {', '.join(labels)}", new, step.step_id)
    elif _alike(step.produces, labels):
        yield Edit(
            "HR202",
            f"'produces' is now written as the tool spells it: {', '.join(labels)}",
            new,
            step.step_id,
        )
    elif not step.block:
        yield Diagnostic(
            "HR102",
            f"'produces' lists {list(step.produces)}, but the tool gives {list(labels) or 'no label'}",
            step_id=step.step_id,
            tool_name=step.tool_name,
            path=pointer(*step.path, "produces"),
            advice=("remove 'produces': helio derives it",),
            fixes=(Fix("write into 'produces' the labels that the tool gives", new),),
        )


def _alike(declared: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether two lists contain the same labels; upper and lower case and repeated labels do not count."""
    return {label.strip().casefold() for label in declared} == {label.casefold() for label in labels}


def is_same_work(step: Step, other: Step, context: Context) -> bool:
    """Return whether two steps give the same content under one label, so that a later pass can merge the steps."""
    if step.tool_name != other.tool_name or step.for_each is not None or other.for_each is not None:
        return False
    args, other_args = step.tool_args, other.tool_args
    if args == other_args:
        return context.runs("drop_equal_work")
    signature = context.signatures[step.tool_name]
    names = ("dataset_id", "time_range", "provider", "candidates", "output_label", "each_interval")
    alike = all(args.get(name) == other_args.get(name) for name in names) and not args.get("output_label")
    return signature.gives == "tables" and alike and context.runs("merge_fetches")


def _again(step: Step, label: str, before: StepId, taken: set[str]) -> Diagnostic:
    args = step.tool_args
    home = pointer(*step.path, "tool_args")
    at = f"{home}/output_label" if args.get("output_label") == label else home
    fixes: tuple[Fix, ...] = ()
    if at != home:
        number = 2
        while f"{label}_{number}" in taken:
            number += 1
        fixes = (Fix(f"call it {label}_{number}", replaced(at, label, f"{label}_{number}")),)
    return Diagnostic(
        "HR103",
        f"step {before} already produces the label '{label}'",
        step_id=step.step_id,
        tool_name=step.tool_name,
        path=at,
        advice=("choose another output_label",),
        candidates=(before,),
        fixes=fixes,
    )


def _shadows(producers: Mapping[str, Step]) -> Iterator[Diagnostic]:
    """Refuse ``B.Bx`` as the label of a table if there is a table ``B``: it looks like the component Bx of B."""
    for label, step in producers.items():
        table = owner(label.rpartition(".")[0], producers)
        if table is not None:
            args = step.tool_args
            home = pointer(*step.path, "tool_args")
            yield Diagnostic(
                "HR103",
                f"the label '{label}' looks like a component of '{table}', which another step produces",
                step_id=step.step_id,
                tool_name=step.tool_name,
                path=f"{home}/output_label" if args.get("output_label") == label else home,
                advice=("choose another output_label, without a dot",),
            )
