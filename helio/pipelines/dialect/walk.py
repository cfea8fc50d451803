"""The steps of a plan one after another, those inside blocks too, before anything is known of their shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.maps import lists_of_steps
from helio.pipelines.template.variables import Path


def each_step(plan: Document) -> Iterator[tuple[Path, Document]]:
    """Every step with its place, the steps of blocks after those that hold them.

    >>> plan = {"steps": [{"step_id": 1, "block": [{"step_id": "a"}]}, {"step_id": 2}]}
    >>> [(path, step["step_id"]) for path, step in each_step(plan)]
    [(('steps', 0), 1), (('steps', 1), 2), (('steps', 0, 'block', 0), 'a')]
    """
    for path, steps in each_list(plan):
        for index, step in enumerate(steps):
            if isinstance(step, dict):
                yield (*path, index), step


def each_list(plan: Document) -> Iterator[tuple[Path, list[Any]]]:
    """Every list of steps with its place: the plan's own, and that of each block."""
    return ((path, steps) for path, steps, _ in lists_of_steps(plan, LIMITS.nesting))


def id_of(step: Document) -> StepId | None:
    """The id of a step, if it is one."""
    found = step.get("step_id")
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def name_of(step: Document) -> str:
    """The tool that a step names, or nothing."""
    found = step.get("tool_name")
    return found if isinstance(found, str) else ""


def variables_of(plan: Document) -> dict[str, Document]:
    """The declared variables that are objects, by name."""
    found = plan.get("variables")
    if not isinstance(found, dict):
        return {}
    return {name: facts for name, facts in found.items() if isinstance(facts, dict)}


def loop_variable(step: Document) -> str:
    """The name that a step's ``for_each`` gives its item, or nothing."""
    loop = step.get("for_each")
    name = loop.get("as") if isinstance(loop, dict) else None
    return name if isinstance(name, str) else ""
