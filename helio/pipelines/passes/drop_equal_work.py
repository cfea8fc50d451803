"""Remove steps that would repeat the work of an earlier step.

HO201 (edit safe, and warning)  equal work done once
    The same tool on the same input gives the same table.
    before  1: fetch B; 2: fetch B
    after   1: fetch B
    to do   Nothing; remove one of the two steps from the template if you wrote both by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from helio.pipelines.analyses.meaning import equal_work
from helio.pipelines.analyses.work import is_text
from helio.pipelines.passes.draft import Draft, dependants_of, reaches
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import pointer
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.graph import StepView, views
from helio.pipelines.template.labels import owner
from helio.pipelines.template.maps import EACH
from helio.pipelines.template.template import Template, most_retries


def drop_equal_work(template: Template, context: Context) -> Iterator[Finding]:
    """Keep the first of several steps that do the same work; other steps then use the results of this step.

    ``1: fetch B; 2: fetch B; 3: magnitude(B), depends on 2`` → ``1: fetch B; 3: magnitude(B), depends on 1``

    Two labels of equal tables become one only where computations alone read the second: a figure shows its labels,
    and an export is called after its own. The kept step is critical if any of them was.
    """
    if not context.runs("drop_equal_work"):
        return
    steps = template.steps
    draft, dependants = Draft(("steps",), steps), dependants_of(steps)
    uses = _Uses(draft, context)
    for first_index, index in equal_steps(template, context):
        if draft.is_gone(first_index) or draft.is_gone(index):
            continue
        both = {first_index, index}
        if any(reaches(draft.steps, draft.places, either, both, through=both) for either in both):
            continue
        instead = dict(zip(uses.view(index).outputs, uses.view(first_index).outputs, strict=True))
        renamed = {label: name for label, name in instead.items() if label != name}
        readers = uses.readers(renamed)
        if renamed and not uses.allow(renamed, readers):
            continue
        first, second = draft.steps[first_index].step_id, draft.steps[index].step_id
        for reader in readers:
            draft.change(reader, tool_args=_relabelled(uses.view(reader), renamed))
            uses.add(reader)
        draft.change(first_index, **most_retries([draft.steps[first_index], draft.steps[index]]))
        raised = ""
        if draft.steps[index].critical and not draft.steps[first_index].critical:
            draft.change(first_index, critical=True)
            raised = f"'critical: false' has no effect: step {second} does the same work and is critical"
        if first != second:
            draft.stand_for(first_index, [second])
        if renamed:
            notes = draft.steps[first_index].annotations
            draft.change(
                first_index, annotations={**notes, "aliases": {**notes.get("aliases", {}), **renamed}}
            )
        draft.remove(index)
        if first != second:
            draft.rewire({second: first}, dependants.get(second, []))
            dependants.setdefault(first, []).extend(dependants.get(second, ()))
        yield Edit(
            "HO201",
            f"step {second} repeats the work of step {first} and is left out",
            draft.take(),
            first,
            warning=raised,
            path=pointer("steps", first_index, "critical") if raised else pointer("steps", index),
        )


def equal_steps(template: Template, context: Context) -> list[tuple[int, int]]:
    """Yield pairs of indices: a step, and a later step that gives the same tables in every run."""
    signs = equal_work(template, context)
    first: dict[tuple[str, ...], int] = {}
    found: list[tuple[int, int]] = []
    for index, view in enumerate(views(template.steps, context.signatures)):
        step = view.step
        made = tuple(signs.get(label, "") for label in view.outputs)
        if not made or "" in made or step.pin or step.for_each is not None:
            continue
        made = (*made, str(step.tool_args.get(EACH, "")))  # of equal tables one may be refused for its gaps
        if made in first:
            found.append((first[made], index))
        else:
            first[made] = index
    return found


class _Uses:
    """Labels of a plan, and for each label the steps that read or mention the label."""

    def __init__(self, draft: Draft, context: Context) -> None:
        self._draft = draft
        self._context = context
        self._readers: dict[str, set[int]] = {}
        self._texts: list[tuple[int, str]] = []
        self._all_known = True
        for index, step in enumerate(draft.steps):
            signature = context.signatures.get(step.tool_name)
            if signature is None or step.for_each is not None:
                self._all_known = False
            if signature is None:
                continue
            self.add(index)
            self._texts += [
                (index, step.tool_args[argument.name])
                for argument in signature.arguments
                if is_text(argument.schema) and argument.name in step.tool_args
            ]

    def view(self, index: int) -> StepView:
        """Return the present state of a step, with the signature of its tool."""
        step = self._draft.steps[index]
        return StepView(step, self._context.signatures.get(step.tool_name))

    def add(self, index: int) -> None:
        """Record a step as a reader of its labels; also of a table, if a label is a component of this table."""
        for label in self.view(index).labels:
            while label:
                self._readers.setdefault(label, set()).add(index)
                label = label.rpartition(".")[0]

    def readers(self, labels: Mapping[str, str]) -> list[int]:
        """List the steps that read a table with one of these labels, or a component of it."""
        noted = set().union(*(self._readers.get(label, ()) for label in labels))
        return [
            index
            for index in sorted(noted)
            if not self._draft.is_gone(index)
            and any(owner(label, labels) for label in self.view(index).labels)
        ]

    def allow(self, renamed: Mapping[str, str], readers: Sequence[int]) -> bool:
        """Return whether only computations read these labels, and nothing else in the plan names the labels."""
        if not readers or not self._all_known:
            return False  # without a reader it is an output by itself: its name is what the author asked for
        tools = (self._draft.steps[reader].tool_name for reader in readers)
        if any(self._context.signatures[tool].gives != "table" for tool in tools):
            return False
        # Code names its tables by the last part of their labels.
        names = [label.rpartition(".")[2] for label in renamed]
        return not any(
            name in text for index, text in self._texts if not self._draft.is_gone(index) for name in names
        )


def _relabelled(view: StepView, renamed: dict[str, str]) -> dict[str, Any]:
    args = dict(view.params)
    for table in view.signature.tables if view.signature else ():
        value = args.get(table.argument)
        if isinstance(value, str):
            args[table.argument] = _renamed(value, renamed)
        elif isinstance(value, list):
            args[table.argument] = [
                _renamed(item, renamed) if isinstance(item, str) else item for item in value
            ]
    return args


def _renamed(label: str, renamed: dict[str, str]) -> str:
    known = owner(label, renamed)
    return label if known is None else renamed[known] + label[len(known) :]
