"""Read the parts of a template in any spelling, before the types of the parts are checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from helio.limits import LIMITS
from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, Operation, added, removed, replaced
from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.variables import Path
from helio.steps.signature import Signature


def text_of(value: Any) -> str:
    """Return the value if it is a text, otherwise an empty text."""
    return value if isinstance(value, str) else ""


def object_of(value: Any) -> Document:
    """Return the value if it is an object, otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return the value if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []


def id_of(step: Document) -> StepId | None:
    """Return the value if it can be the id of a step, otherwise None."""
    step_id = step.get("step_id")
    return step_id if isinstance(step_id, (int, str)) and not isinstance(step_id, bool) else None


@dataclass(frozen=True)
class WrittenStep:
    """A step in any spelling; a part that is missing or has a wrong type reads as empty."""

    path: Path
    json: Document

    @property
    def id(self) -> StepId | None:
        """The id of the step; None if the id is missing or invalid."""
        return id_of(self.json)

    @property
    def tool(self) -> str:
        """The name of the step's tool."""
        return text_of(self.json.get("tool_name"))

    @property
    def args(self) -> Document:
        """The arguments of the step's tool."""
        return object_of(self.json.get("tool_args"))

    @property
    def loop(self) -> Document:
        """The ``for_each`` of the step."""
        return object_of(self.json.get("for_each"))

    @property
    def over(self) -> Document:
        """The object that says where the items of ``for_each`` come from; empty if it is missing."""
        return object_of(self.loop.get("over"))

    @property
    def item(self) -> str:
        """The name of the variable for the items of ``for_each``."""
        return text_of(self.loop.get("as"))

    def at(self, *inside: str | int) -> str:
        """Return the JSON Pointer of a part of the step."""
        return pointer(*self.path, *inside)

    def signature(self, context: Context) -> Signature | None:
        """Return the signature of the tool, if it is known."""
        return context.signatures.get(self.tool)

    def edit(
        self, code: str, message: str, operations: Iterable[Operation], at: str = "", warning: str = ""
    ) -> Edit:
        """Make a safe edit of the step."""
        return Edit(code, message, tuple(operations), self.id, warning=warning, path=at)

    def error(
        self,
        code: str,
        message: str,
        at: str,
        advice: Iterable[str],
        candidates: Iterable[Any] = (),
        fixes: Iterable[Fix] = (),
    ) -> Diagnostic:
        """Make an error about the step and its tool."""
        return Diagnostic(
            code, message, "error", self.id, self.tool, at, tuple(advice), tuple(candidates), tuple(fixes)
        )


def written_steps(plan: Document) -> Iterator[WrittenStep]:
    """Yield every step that is an object; the steps of a block follow the step that contains the block.

    >>> plan = {"steps": [{"step_id": 1, "block": [{"step_id": "a"}]}, {"step_id": 2}]}
    >>> [(step.path, step.id) for step in written_steps(plan)]
    [(('steps', 0), 1), (('steps', 1), 2), (('steps', 0, 'block', 0), 'a')]
    """
    return (step for steps in lists_of_written_steps(plan) for step in steps)


def lists_of_written_steps(plan: Document) -> Iterator[list[WrittenStep]]:
    """Yield each list of steps: the plan's list, and the list of each block."""
    waiting: list[tuple[Path, Any]] = [(("steps",), plan.get("steps"))]
    while waiting:
        path, listed = waiting.pop()
        if not isinstance(listed, list) or len(path) >= 2 * LIMITS.nesting:
            continue
        steps = [
            WrittenStep((*path, index), step) for index, step in enumerate(listed) if isinstance(step, dict)
        ]
        yield steps
        waiting += [((*step.path, "block"), step.json.get("block")) for step in reversed(steps)]


def spec_of(step: Document) -> Any:
    """Return the settings of a figure from its step; return None if the step has no arguments."""
    args = step.get("tool_args")
    if not isinstance(args, dict):
        return None
    return args.get("spec") if step.get("tool_name") == RENDER else args


def variables_of(plan: Document) -> dict[str, Document]:
    """Map the name of each variable to its declaration; leave out declarations that are not objects."""
    variables = object_of(plan.get("variables"))
    return {name: facts for name, facts in variables.items() if isinstance(facts, dict)}


class Replacement(NamedTuple):
    """Replacement of one value by another: the path, the old value and the new value."""

    path: Path
    old: Any
    new: Any


def replacements(changes: Iterable[Replacement]) -> tuple[Operation, ...]:
    """Return the operations that make several replacements."""
    return tuple(
        operation for change in changes for operation in replaced(pointer(*change.path), *change[1:])
    )


def removals(path: Path, members: Mapping[str, Any]) -> tuple[Operation, ...]:
    """Return the operations that remove several keys of one object."""
    return tuple(
        operation for key, value in members.items() for operation in removed(pointer(*path, key), value)
    )


class EditedObject:
    """Object of a template that a pass is changing: its present keys and values, and the operations made so far."""

    def __init__(self, path: Path, before: Document) -> None:
        self.path = path
        self.now = dict(before)
        self.operations: list[Operation] = []

    def at(self, *inside: str | int) -> str:
        """Return the JSON Pointer of a key of the object."""
        return pointer(*self.path, *inside)

    def take(self, key: str) -> Any:
        """Remove a key from the object, and return its value."""
        value = self.now.pop(key)
        self.operations += removed(self.at(key), value)
        return value

    def put(self, key: str, value: Any) -> None:
        """Set the value of a key; a new key comes last."""
        if key in self.now:
            self.operations += replaced(self.at(key), self.now[key], value)
        else:
            self.operations += added(self.at(key), value)
        self.now[key] = value

    def new_operations(self) -> tuple[Operation, ...]:
        """Return the operations made since the last call."""
        operations, self.operations = tuple(self.operations), []
        return operations
