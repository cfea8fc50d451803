"""Equal work is done once."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import pointer
from helio.pipelines.graph import view_of
from helio.pipelines.labels import owner
from helio.pipelines.maps import EACH, args_of, signature_of
from helio.pipelines.meaning import equal_work
from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.passes.edit import Context, Edit, Finding
from helio.pipelines.template import Document
from helio.pipelines.work import is_text


def drop_equal_work(plan: Document, context: Context) -> Iterator[Finding]:
    """Keep the first of steps that give the same for the same reason; whoever used the others uses it.

    ``1: fetch B; 2: fetch B; 3: magnitude(B), depends on 2`` → ``1: fetch B; 3: magnitude(B), depends on 1``

    Two labels of equal tables become one only where computations alone read the second: a figure shows its labels,
    and an export is called after its own. The kept step is critical if any of them was.
    """
    if not context.runs("drop_equal_work"):
        return
    steps = plan["steps"]
    draft, dependants = Draft(("steps",), steps), dependants_of(steps)
    for kept, place in equal_steps(plan, context):
        if draft.is_gone(kept) or draft.is_gone(place):
            continue
        both = {kept, place}
        if any(reaches(draft.steps, draft.places, one, both, through=both) for one in both):
            continue
        mine, other = (view_of(draft.steps[one], context.signatures).outputs for one in (kept, place))
        instead = dict(zip(other, mine, strict=True))
        renamed = {one: name for one, name in instead.items() if one != name}
        readers = _readers(draft, renamed, context) if renamed else []
        if renamed and not _may_be_renamed(draft, renamed, readers, context):
            continue
        first, second = draft.steps[kept]["step_id"], draft.steps[place]["step_id"]
        for reader in readers:
            draft.set(reader, "tool_args", _relabelled(draft.steps[reader], renamed, context))
        raised = ""
        if (
            draft.steps[place].get("critical", True) is True
            and draft.steps[kept].get("critical", True) is False
        ):
            draft.set(kept, "critical", True)
            raised = f"'critical: false' has no effect: step {second} does the same work and is critical"
        if first != second:
            draft.stand_for(kept, [second])
        if renamed:
            kept_notes = draft.steps[kept].get("annotations") or {}
            aliases = {**(kept_notes.get("aliases") or {}), **renamed}
            draft.set(kept, "annotations", {**kept_notes, "aliases": aliases})
        draft.remove(place)
        if first != second:
            draft.rewire({second: first}, dependants.get(second, []))
            dependants.setdefault(first, []).extend(dependants.get(second, ()))
        yield Edit(
            "HO201",
            f"step {second} does what step {first} does, and is left out",
            draft.take(),
            first,
            warning=raised,
            path=pointer("steps", kept, "critical") if raised else pointer("steps", place),
        )


def equal_steps(plan: Document, context: Context) -> list[tuple[int, int]]:
    """Pairs of places: a step, and a later one that gives the same tables in every run."""
    signs = equal_work(plan, context)
    first: dict[tuple[str, ...], int] = {}
    found: list[tuple[int, int]] = []
    for place, step in enumerate(plan["steps"]):
        signature = signature_of(step, context.signatures)
        if signature is None or signature.gives not in ("table", "tables") or "for_each" in step:
            continue
        labels = view_of(step, context.signatures).outputs
        made = tuple(signs.get(one, "") for one in labels)
        if not made or "" in made or not isinstance(step.get("step_id"), (int, str)):
            continue
        if step.get("pin"):
            continue
        made = (*made, str(args_of(step).get(EACH, "")))  # of equal tables one may be refused for its gaps
        if made in first:
            found.append((first[made], place))
        else:
            first[made] = place
    return found


def _readers(draft: Draft, renamed: dict[str, str], context: Context) -> list[int]:
    return [
        place
        for place, step in enumerate(draft.steps)
        if not draft.is_gone(place)
        and any(owner(label, renamed) for label in view_of(step, context.signatures).labels)
    ]


def _may_be_renamed(draft: Draft, renamed: dict[str, str], readers: list[int], context: Context) -> bool:
    """Whether only computations read these labels, and nothing else in the plan speaks of them."""
    if not readers:
        return False  # an output by itself: its name is what the author asked for
    for place, step in enumerate(draft.steps):
        if draft.is_gone(place):
            continue
        signature = signature_of(step, context.signatures)
        if signature is None or "for_each" in step:
            return False
        if place in readers and signature.gives != "table":
            return False
        words = [
            value
            for argument in signature.arguments
            if is_text(argument.schema) and isinstance(value := args_of(step).get(argument.name), str)
        ]
        # Code names its tables by the last part of their labels.
        if any(label.rpartition(".")[2] in text for label in renamed for text in words):
            return False
    return True


def _relabelled(step: Document, renamed: dict[str, str], context: Context) -> Document:
    signature = context.signatures[step["tool_name"]]
    args = dict(args_of(step))
    for table in signature.tables:
        value = args.get(table.argument)
        if isinstance(value, str):
            args[table.argument] = _renamed(value, renamed)
        elif isinstance(value, list):
            args[table.argument] = [_renamed(one, renamed) if isinstance(one, str) else one for one in value]
    return args


def _renamed(label: str, renamed: dict[str, str]) -> str:
    known = owner(label, renamed)
    return label if known is None else renamed[known] + label[len(known) :]
