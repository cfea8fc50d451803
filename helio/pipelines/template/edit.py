"""Edits of a plan as JSON Patch; an edit first tests that the values to change are still the expected values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.template import Step
from helio.pipelines.template.variables import Path

Operation = dict[str, Any]
Kind = Literal["safe", "lossy", "bind"]


@dataclass(frozen=True)
class Edit:
    """One change to a plan, as JSON Patch; it tests the old values before it replaces them.

    Parameters
    ----------
    code : str
    message : str
        What was done, for people.
    operations : tuple of dict
        JSON Patch (RFC 6902); every ``replace`` and ``remove`` stands after a ``test`` of the value that it takes
        away, so that the operations can be replayed and undone.
    kind : "safe", "lossy" or "bind"
        ``safe`` keeps the meaning of every defined output. ``lossy`` may not: it is applied while authoring, and is
        an error in a run. ``bind`` puts the values of one run in place.
    warning : str
        Warning for the author, where a note is not enough.
    path : str
        Where the author looks for what was changed.
    """

    code: str
    message: str
    operations: tuple[Operation, ...]
    step_id: StepId | None = None
    kind: Kind = "safe"
    warning: str = ""
    path: str = ""

    def inverse(self) -> tuple[Operation, ...]:
        """Return the operations that undo this edit."""
        undone: list[tuple[Operation, ...]] = []
        before: dict[str, Any] = {}
        for operation in self.operations:
            path, kind = operation["path"], operation["op"]
            if kind == "test":
                before[path] = operation["value"]
            elif kind == "replace":
                undone.append(replaced(path, operation["value"], before[path]))
            elif kind == "remove":
                undone.append(added(path, before[path]))
            else:
                undone.append(removed(path, operation["value"]))
        return tuple(undo for operations in reversed(undone) for undo in operations)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON for records."""
        return {
            "code": self.code,
            "kind": self.kind,
            "step_id": self.step_id,
            "message": self.message,
            "operations": list(self.operations),
            "inverse": list(self.inverse()),
        }


def replaced(path: str, old: Any, new: Any) -> tuple[Operation, ...]:
    """Return operations that replace a value; they fail if the value is no longer the old value."""
    return ({"op": "test", "path": path, "value": old}, {"op": "replace", "path": path, "value": new})


def added(path: str, value: Any) -> tuple[Operation, ...]:
    """Return operations that add a value under a key, or into a list before the index at the end of the path."""
    return ({"op": "add", "path": path, "value": value},)


def removed(path: str, old: Any) -> tuple[Operation, ...]:
    """Return operations that remove a value; they fail if the value is no longer the old value."""
    return ({"op": "test", "path": path, "value": old}, {"op": "remove", "path": path})


def changed(before: Step, after: Step) -> tuple[Operation, ...]:
    """Return operations that turn a step into another step at the same position.

    >>> from dataclasses import replace
    >>> step = Step(step_id=2, critical=False, path=("steps", 1), keys=("step_id", "critical"))
    >>> for operation in changed(step, replace(step, critical=True)):
    ...     print(operation)
    {'op': 'test', 'path': '/steps/1/critical', 'value': False}
    {'op': 'replace', 'path': '/steps/1/critical', 'value': True}
    """
    return difference(before.path, before.to_json(), after.to_json())


def reordered(path: Path, before: Sequence[Step], after: Sequence[Step]) -> tuple[Operation, ...]:
    """Return operations that put the steps of a list in another order."""
    return replaced(pointer(*path), [step.to_json() for step in before], [step.to_json() for step in after])


def difference(path: Path, before: Any, after: Any) -> tuple[Operation, ...]:
    """Return operations that turn one value into another, key by key if the order of keys allows this.

    >>> difference(("x",), {"a": 1, "b": 2}, {"b": 2, "c": 3})[1:]
    ({'op': 'remove', 'path': '/x/a'}, {'op': 'add', 'path': '/x/c', 'value': 3})
    >>> [operation["path"] for operation in difference(("x",), {"a": 1, "b": 2}, {"b": 2, "a": 3})]
    ['/x', '/x']
    """
    if isinstance(before, dict) and isinstance(after, dict) and _order_stays(before, after):
        made: list[Operation] = []
        for key, value in before.items():
            inner = (*path, key)
            made += difference(inner, value, after[key]) if key in after else removed(pointer(*inner), value)
        for key, value in after.items():
            made += () if key in before else added(pointer(*path, key), value)
        return tuple(made)
    if before == after and type(before) is type(after):
        return ()
    return replaced(pointer(*path), before, after)


def _order_stays(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Return whether removing old keys and adding new keys at the end gives the key order of `after`."""
    remaining = [key for key in before if key in after]
    return list(after)[: len(remaining)] == remaining
