"""Find the outputs of a plan: its figures, its exports, and its final results, which no other step uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.figures import FIGURES
from helio.pipelines.template.graph import StepView, views
from helio.pipelines.template.labels import owner
from helio.pipelines.template.maps import is_glob, matching
from helio.pipelines.template.template import Template
from helio.steps.signature import Signature

MOST_PANELS = 12
"""Maximum number of tables in a figure for which helio chose the tables: more panels do not fit on a page."""
_MOST_NAMED = 20
LIMITED = "draws_at_most"
"""Annotation of a figure for which helio chose the tables: helio may draw only the first tables."""


def has_artefact(template: Template, context: Context) -> bool:
    """Return whether any step makes a figure or an export."""
    return any(
        signature.gives == "export" or signature.name in FIGURES for signature in _used(template, context)
    )


def has_export(template: Template, context: Context) -> bool:
    """Return whether any step writes tables to a file."""
    return any(signature.gives == "export" for signature in _used(template, context))


def _used(template: Template, context: Context) -> list[Signature]:
    """Return the signatures of the known tools that the steps use."""
    return [
        step.signature for step in views(template.walk(), context.signatures) if step.signature is not None
    ]


def limited(labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a figure's labels into the labels that helio draws and the labels that do not fit on the page.

    Each gives one panel at most.
    """
    return list(labels[:MOST_PANELS]), list(labels[MOST_PANELS:])


def not_drawn(labels: Sequence[str]) -> str:
    """Write the note of a figure that lists the tables that do not fit into this figure.

    >>> not_drawn(["a", "b"])
    'draws the first 12 tables; not drawn: a, b'
    """
    shown = ", ".join(labels[:_MOST_NAMED])
    more = f" … {labels[-1]} ({len(labels)} tables)" if len(labels) > _MOST_NAMED else ""
    return f"draws the first {MOST_PANELS} tables; not drawn: {shown}{more}"


def is_understood(template: Template, context: Context) -> bool:
    """Return whether helio knows the results of every step: all tools are known, and no step calls another pipeline."""
    return all(
        step.step.block or step.signature is not None for step in views(template.walk(), context.signatures)
    )


def terminal_labels(
    template: Template, context: Context, *, before: StepId | None = None, drawn_too: bool = False
) -> dict[str, StepId]:
    """Return the labels of a plan's final results, each with the step that gives this label, in the plan's order.

    Labels that nothing reads; if there are none, labels that no computation reads.

    Parameters
    ----------
    before : step id, optional
        A step that is to read them: what depends on it is left out, and what it reads itself is not counted.
    drawn_too : bool
        Whether labels that a figure reads are among them, as long as no computation reads them.
    """
    later = _dependants(template, before)
    steps = [
        step
        for step in views(template.walk(), context.signatures)
        if step.signature is not None and not (len(step.path) == 2 and step.id == before)
    ]
    produced: dict[str, tuple[StepId, list[str]]] = {}
    for step in steps:
        outer = template.steps[int(step.path[1])].step_id
        if outer in later:
            continue
        for label in step.outputs:
            pattern, named = step.pattern(label), step.with_items(label, context)
            produced.setdefault(pattern, (outer, [pattern] if named is None else named))
    computing = [step for step in steps if step.signature and step.signature.gives in ("table", "tables")]
    for readers in (computing,) if drawn_too else (steps, computing):
        used = labels_used(readers, produced)
        unused = [pattern for pattern in produced if pattern not in used]
        if unused:
            return {label: produced[pattern][0] for pattern in unused for label in produced[pattern][1]}
    return {}


def labels_used(readers: Iterable[StepView], produced: Collection[str]) -> set[str]:
    """Return the produced labels that steps read, either directly, by a component, or by a label with ``*``."""
    reads = [step.pattern(label) for step in readers for label in step.labels]
    used = {known for label in reads if (known := owner(label, produced)) is not None}
    used.update(
        known for label in dict.fromkeys(reads) if is_glob(label) for known in matching(label, produced)
    )
    used.update(label for label in produced if is_glob(label) and matching(label, reads))
    return used


def _dependants(template: Template, step_id: StepId | None) -> set[StepId]:
    """Return all steps that depend on a step, directly or through other steps."""
    found: set[StepId] = set()
    if step_id is None:
        return found
    after: dict[StepId, list[StepId]] = {}
    for step in template.steps:
        for needed in step.depends_on:
            after.setdefault(needed, []).append(step.step_id)
    waiting = list(after.get(step_id, ()))
    while waiting:
        reader = waiting.pop()
        if reader not in found:
            found.add(reader)
            waiting += after.get(reader, ())
    return found
