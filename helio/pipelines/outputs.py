"""The outputs of a plan: which labels it ends in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from helio.pipelines.diagnostics import StepId
from helio.pipelines.figures import FIGURES, depends_on
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.maps import (
    Place,
    args_of,
    as_glob,
    is_block,
    is_glob,
    known_items,
    matching,
    places,
    signature_of,
    variable_of,
    with_item,
)
from helio.pipelines.template import Document

if TYPE_CHECKING:
    from helio.pipelines.passes.edit import Context

MOST_PANELS = 12
"""Tables of a figure that no author chose: more panels are too high for a page."""
_MOST_NAMED = 20
LIMITED = "draws_at_most"
"""The annotation of a figure whose tables a pass chose, and which may be more than it draws."""


def has_artefact(plan: Document, context: Context) -> bool:
    """Whether any step makes a figure or an export."""
    found = (signature_of(place.step, context.signatures) for place in places(plan))
    return any(one is not None and (one.gives == "export" or one.name in FIGURES) for one in found)


def has_export(plan: Document, context: Context) -> bool:
    """Whether any step writes tables to a file."""
    found = (signature_of(place.step, context.signatures) for place in places(plan))
    return any(one is not None and one.gives == "export" for one in found)


def limited(labels: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of labels that no author chose, those that a figure draws, and those that it leaves out.

    Each gives one panel at most.
    """
    return list(labels[:MOST_PANELS]), list(labels[MOST_PANELS:])


def not_drawn(labels: Sequence[str]) -> str:
    """Say which tables a figure leaves out.

    >>> not_drawn(["a", "b"])
    'draws the first 12 tables; not drawn: a, b'
    """
    shown = ", ".join(labels[:_MOST_NAMED])
    more = f" … {labels[-1]} ({len(labels)} tables)" if len(labels) > _MOST_NAMED else ""
    return f"draws the first {MOST_PANELS} tables; not drawn: {shown}{more}"


def is_understood(plan: Document, context: Context) -> bool:
    """Whether what every step gives is known: no unknown tool, no call of another pipeline."""
    return all(
        is_block(place.step) or signature_of(place.step, context.signatures) is not None
        for place in places(plan)
    )


def terminal_labels(
    plan: Document, context: Context, *, before: StepId | None = None, drawn_too: bool = False
) -> dict[str, StepId]:
    """The labels that a plan ends in, each with the step that gives it, in the plan's order.

    Those that nothing reads; else those that no computation reads.

    Parameters
    ----------
    before : step id, optional
        A step that is to read them: what depends on it is left out, and what it reads itself is not counted.
    drawn_too : bool
        Whether labels that a figure reads are among them, as long as no computation reads them.
    """
    produced: dict[str, tuple[StepId, list[str]]] = {}
    reads: list[str] = []
    computed: list[str] = []
    later = _dependants(plan, before)
    for place in places(plan):
        signature = signature_of(place.step, context.signatures)
        if signature is None or (len(place.path) == 2 and place.step.get("step_id") == before):
            continue
        outer = plan["steps"][place.path[1]].get("step_id")
        args = args_of(place.step)
        labels = [as_glob(label, place.variables) for _, label in read_labels(signature, args)]
        reads += labels
        if signature.gives in ("table", "tables"):
            computed += labels
        if outer in later or not isinstance(outer, (int, str)):
            continue
        for label in produced_labels(signature, args):
            produced.setdefault(as_glob(label, place.variables), (outer, _concrete(label, place, context)))
    for used_by in (computed,) if drawn_too else (reads, computed):
        used = _used(used_by, produced)
        unused = [one for one in produced if one not in used]
        if unused:
            return {label: produced[one][0] for one in unused for label in produced[one][1]}
    return {}


def _used(reads: list[str], produced: dict[str, tuple[StepId, list[str]]]) -> set[str]:
    found = {known for one in reads if (known := owner(one, produced)) is not None}
    for one in dict.fromkeys(reads):
        if is_glob(one):
            found.update(matching(one, produced))
    found.update(one for one in produced if is_glob(one) and matching(one, reads))
    return found


def concrete_labels(label: str, place: Place, context: Context) -> list[str] | None:
    """A label for all items of the maps around it; none where they are not known yet."""
    maps = [one for one in place.maps if variable_of(one) and variable_of(one) in label]
    items = [known_items(one, context) for one in maps]
    found: list[str] = []
    for chosen in product(*(one or [] for one in items)):
        named = label
        for loop, item in reversed(list(zip(maps, chosen, strict=True))):  # an item may name an outer one
            named = str(with_item(named, {}, variable_of(loop), item))
        found.append(named)
    return None if any(one is None for one in items) else found


def _concrete(label: str, place: Place, context: Context) -> list[str]:
    found = concrete_labels(label, place, context)
    return [as_glob(label, place.variables)] if found is None else found


def _dependants(plan: Document, step_id: StepId | None) -> set[StepId]:
    """All that depends on a step, directly or not."""
    found: set[StepId] = set()
    if step_id is None:
        return found
    after: dict[StepId, list[StepId]] = {}
    for step in plan["steps"]:
        for one in depends_on(step):
            after.setdefault(one, []).append(step.get("step_id"))
    waiting = list(after.get(step_id, ()))
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += after.get(one, ())
    return found
