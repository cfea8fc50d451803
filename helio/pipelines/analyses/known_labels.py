"""List the labels of all results of a plan; list one label per item of a ``for_each`` if its items are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.graph import StepView
from helio.pipelines.template.labels import owner
from helio.pipelines.template.maps import is_glob, matching, overlap
from helio.pipelines.template.variables import TOKEN, Path

MOST_ITEMS = 1000
"""Maximum number of items of a ``for_each`` whose labels are listed before a run."""


@dataclass(frozen=True)
class Labels:
    """Labels of all results of a plan, and the steps that give these labels.

    Parameters
    ----------
    producers : mapping
        By the list of steps, and in it by label: the id of the step there that gives it, itself or in its block.
    all : mapping
        Every label, in the plan's order.
    complete : bool
        Whether no label is missing: none is made of a variable that has its value only in a run.
    as_patterns : bool
        Whether each label is there at least as it is written, with its variables in it.
    """

    producers: Mapping[Path, Mapping[str, StepId]]
    all: Mapping[str, StepId]
    complete: bool
    as_patterns: bool

    def may_match(self, pattern: str) -> bool:
        """Return whether a label with ``*`` or with variables may match a label of the plan."""
        return not self.as_patterns or any(overlap(pattern, TOKEN.sub("*", known)) for known in self.all)

    def steps(self, label: str, among: Path) -> list[StepId]:
        """Return the steps that give a label; a label with ``*`` stands for all labels that match it."""
        known = self.producers.get(among, {})
        if is_glob(label):
            return list(dict.fromkeys(known[match] for match in matching(label, known)))
        found = owner(label, known)
        return [] if found is None else [known[found]]


def labels_of(steps: Iterable[StepView], context: Context) -> Labels:
    """Find the labels of all results of a plan from the signatures of the tools."""
    producers: dict[Path, dict[str, StepId]] = {}
    every: dict[str, StepId] = {}
    complete = as_patterns = True
    ids: dict[Path, StepId] = {}
    for step in steps:
        ids[step.path] = step.id
        made, known = _made(step, context)
        complete = complete and known
        named = step.signature is not None or bool(step.step.block)
        as_patterns = as_patterns and named and "loop_over" not in step.step.extra
        for label in made:
            every.setdefault(label, ids[step.path])
            for length in range(len(step.path), 0, -2):
                among = producers.setdefault(step.path[: length - 1], {})
                among.setdefault(label, ids[step.path[:length]])
    return Labels(producers, every, complete, as_patterns)


def _made(step: StepView, context: Context) -> tuple[list[str], bool]:
    """Return the labels of one step as written, then its labels for each item, and whether the list is complete."""
    if not step.outputs:
        return [], step.signature.gives in ("figure", "export") if step.signature else bool(step.step.block)
    made, complete = list(step.outputs), "loop_over" not in step.step.extra
    for label in step.outputs:
        names = set(TOKEN.findall(label))
        if not names:
            continue
        named = step.with_items(label, context, MOST_ITEMS) if names <= set(step.step.items) else None
        complete = complete and named is not None
        made += named or ()
    return made, complete
