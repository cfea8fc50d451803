"""What a pass returns: edits as JSON Patch with guards, beside its diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from helio.pipelines.diagnostics import Diagnostic, StepId
from helio.pipelines.template import Document
from helio.steps.signature import Signature

Operation = dict[str, Any]


@dataclass(frozen=True)
class Edit:
    """One change to a plan, with what it rests on.

    ``safe`` keeps the meaning of every output; ``bind`` puts the values of one run in place.
    """

    code: str
    message: str
    operations: tuple[Operation, ...]
    step_id: StepId | None = None
    kind: Literal["safe", "bind"] = "safe"

    def to_json(self) -> dict[str, Any]:
        """For records."""
        return {
            "code": self.code,
            "kind": self.kind,
            "step_id": self.step_id,
            "message": self.message,
            "operations": list(self.operations),
        }


@dataclass(frozen=True)
class Context:
    """All that a pass may know beside the plan: no clock, no network, no model."""

    signatures: Mapping[str, Signature]
    now: datetime
    values: Mapping[str, Any]
    """Values given for this run, by the variable's name with its ``$``."""
    archive: str = ""
    """The archive named for this run, or nothing."""
    caption: str = ""
    """What a figure's footer says of the program that drew it."""


Finding = Edit | Diagnostic
Pass = Callable[[Document, Context], Iterable[Finding]]


def replaced(path: str, old: Any, new: Any) -> tuple[Operation, ...]:
    """Replace a value that is still the old one."""
    return ({"op": "test", "path": path, "value": old}, {"op": "replace", "path": path, "value": new})


def added(path: str, value: Any) -> tuple[Operation, ...]:
    """Add a member that is not there."""
    return ({"op": "add", "path": path, "value": value},)


def removed(path: str, old: Any) -> tuple[Operation, ...]:
    """Remove a value that is still the old one."""
    return ({"op": "test", "path": path, "value": old}, {"op": "remove", "path": path})
