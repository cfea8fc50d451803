"""The steps of a plan one after another, those inside blocks too, before anything is known of their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.labels import produced_labels, read_labels
from helio.pipelines.template.variables import Path
from helio.steps.signature import Signature


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
    waiting: list[tuple[Path, Any]] = [(("steps",), plan.get("steps"))]
    while waiting:
        path, steps = waiting.pop()
        if not isinstance(steps, list) or len(path) >= 2 * LIMITS.nesting:
            continue
        yield path, steps
        waiting += [
            ((*path, index, "block"), step.get("block"))
            for index, step in reversed(list(enumerate(steps)))
            if isinstance(step, dict)
        ]


def id_of(step: Document) -> StepId | None:
    """The id of a step, if it is one."""
    found = step.get("step_id")
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None


def name_of(step: Document) -> str:
    """The tool that a step names, or nothing."""
    found = step.get("tool_name")
    return found if isinstance(found, str) else ""


def args_of(step: Document) -> Document:
    """The arguments of a step, empty where there are none."""
    found = step.get("tool_args")
    return found if isinstance(found, dict) else {}


def spec_of(step: Document) -> Any:
    """What a figure's step says of its looks; None where it has no arguments."""
    args = step.get("tool_args")
    if not isinstance(args, dict):
        return None
    return args.get("spec") if step.get("tool_name") == RENDER else args


def needs_of(step: Document) -> list[Any]:
    """What a step depends on, empty where it says nothing that is a list."""
    found = step.get("depends_on")
    return found if isinstance(found, list) else []


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


def wiring(step: Document, signatures: Mapping[str, Signature]) -> tuple[list[str], list[str]]:
    """The labels that a step gives, and those that it reads; none where its tool is not known."""
    signature, args = signatures.get(name_of(step)), args_of(step)
    if signature is None:
        return [], []
    return produced_labels(signature, args), [label for _, label in read_labels(signature, args)]
