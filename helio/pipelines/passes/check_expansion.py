"""Check which steps each ``for_each`` will become in a run, as far as this is known before the run."""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import RequestError
from helio.pipelines.passes.derive_produces import is_same_work
from helio.pipelines.passes.expand_items import expanded
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.document import shortened
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import interval_microseconds, items_of_map
from helio.pipelines.template.template import Step, Template, walk
from helio.pipelines.template.variables import Path


def check_expansion(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse a ``for_each`` that fails in every run: too many items, shared labels, or intervals without a length.

    Items that are written out are expanded as in a run. Of intervals only their length is looked at: which ones they
    are is the run's to say.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> args = {"dataset_id": "$DS", "parameter_id": "x", "time_range": "$T", "output_label": "B"}
    >>> each = {"as": "$DS", "over": ["A", "B"]}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": args, "for_each": each}
    >>> template = Template.from_json({"steps": [step]})
    >>> [found] = check_expansion(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found.code, found.message)
    HR103 every item would give the same label 'B'
    """
    for step in template.walk():
        loop = step.for_each
        if loop is None or not loop.intervals:
            continue
        try:
            interval_microseconds(loop.step or "1d")
        except RequestError as error:
            yield Diagnostic(
                "HV101",
                f"'{shortened(loop.step)}' is not a valid interval length: {error.message}",
                step_id=step.step_id,
                tool_name=step.tool_name,
                path=pointer(*step.path, "for_each", "over", "step"),
                advice=('write a length such as "step": "6h", "1d" or "27d"',),
            )
    made: list[Step] = []
    for step in template.steps:
        if step.for_each is None:
            made.append(step)
            continue
        if any(items_of_map(loop, context) is None for inner in walk([step]) for loop in inner.maps):
            continue
        found = expanded(step, template, context)
        if isinstance(found, Diagnostic):
            yield found
        else:
            made += found
    yield from _given_twice(made, template, context)


def _given_twice(made: list[Step], template: Template, context: Context) -> Iterator[Diagnostic]:
    """Yield an error for each label that two items, or an item and another step, give."""
    written = {step.path: step for step in template.steps}
    first: dict[str, Step] = {}
    reported: set[tuple[Path, str]] = set()
    for view in views(made, context.signatures):
        step, home = view.step, written[view.path[:2]]
        for label in view.outputs:
            other = first.setdefault(label, step)
            mapped = home.for_each is not None or written[other.path[:2]].for_each is not None
            if (
                other is step
                or not mapped
                or is_same_work(other, step, context)
                or (home.path, label) in reported
            ):
                continue
            reported.add((home.path, label))
            yield Diagnostic(
                "HR103",
                f"step {step.step_id} gives the label '{label}', which step {other.step_id} already gives",
                step_id=home.step_id,
                tool_name=step.tool_name,
                path=pointer(*home.path),
                advice=("choose another output_label",),
                candidates=(other.step_id,),
            )
