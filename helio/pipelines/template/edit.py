"""What a pass is given and what it returns: a context, and edits as JSON Patch with guards beside its diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import Diagnostic, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import Path
from helio.sources.registry import BY_CATALOGUE
from helio.steps.signature import Signature

Operation = dict[str, Any]
Kind = Literal["safe", "lossy", "bind"]
Mode = Literal["safe", "repair"]


@dataclass(frozen=True)
class Edit:
    """One change to a plan, with what it rests on.

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
        What the author is told of it, if that is more than a note.
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
        """The operations that undo it, with guards of their own."""
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
        """For records."""
        return {
            "code": self.code,
            "kind": self.kind,
            "step_id": self.step_id,
            "message": self.message,
            "operations": list(self.operations),
            "inverse": list(self.inverse()),
        }


@dataclass(frozen=True)
class Dataset:
    """What a catalogue knows of a dataset.

    Parameters
    ----------
    parameters : mapping
        By name in catalogue order: number of components, one for a scalar.
    first, last : datetime or None
        What is published, [first, last).
    fresh : bool
        Whether this may refuse or clamp a range: facts of today, or a dataset known to have ended.
    units : mapping
        The unit of each parameter as the archive spells it; empty where there is none or none is known.
    frames : mapping
        The frame of each parameter where the catalogue has a field for it.
    spectra : frozenset of str
        Parameters that are surely given over bins.
    descriptions : mapping
        The archive's own words for each parameter.
    """

    parameters: Mapping[str, int]
    first: datetime | None = None
    last: datetime | None = None
    fresh: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    frames: Mapping[str, str] = field(default_factory=dict)
    spectra: frozenset[str] = frozenset()
    descriptions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Policy:
    """What is allowed."""

    strict: bool = False
    """Whether an unknown key is an error."""
    max_map_items: int = LIMITS.items
    max_steps: int = LIMITS.steps
    """Steps that are written out."""
    max_run_steps: int = LIMITS.run_steps
    """Steps of a run, a step for each item of its maps."""


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
    catalogue: Mapping[str, Dataset] = field(default_factory=dict)
    """Datasets, as far as they are known; a dataset that is not in it is not unknown to the world."""
    policy: Policy = field(default_factory=Policy)
    optional: frozenset[str] | None = None
    """Names of the optional passes that run; all of them when left out."""
    pipelines: Mapping[str, Document] = field(default_factory=dict)
    """Saved templates by id, for ``use``."""
    components: Callable[[str, str, str], tuple[str, ...] | None] = lambda provider, dataset_id, parameter: (
        None
    )
    """The components of a parameter as the files of the run's archive have them, by provider, dataset and parameter;
    None where there are no such files."""

    def runs(self, name: str) -> bool:
        """Whether an optional pass runs."""
        return self.optional is None or name in self.optional

    def provider_of(self, dataset_id: str, named: str) -> str:
        """The provider that is named, or nothing where the catalogue would name it anyway: the same work."""
        # looked up only where one is named: asking opens the catalogue
        return "" if named == BY_CATALOGUE and dataset_id in self.catalogue else named


Finding = Edit | Diagnostic
TemplatePass = Callable[[Template, Context], Iterable[Finding]]
DocumentPass = Callable[[Document, Context], Iterable[Finding]]
"""A pass that reads a template as JSON: one before the gate, where nothing has a known type."""
Pass = TemplatePass | DocumentPass


def reads_types(rewrite: Pass) -> bool:
    """Whether a pass takes a `Template`, as the type of its first parameter says."""
    types = getattr(rewrite, "__annotations__", {})
    return next(iter(types.values()), None) in (Template, "Template")


def replaced(path: str, old: Any, new: Any) -> tuple[Operation, ...]:
    """Replace a value that is still the old one."""
    return ({"op": "test", "path": path, "value": old}, {"op": "replace", "path": path, "value": new})


def added(path: str, value: Any) -> tuple[Operation, ...]:
    """Add a member that is not there; in a list, before the index that the path names."""
    return ({"op": "add", "path": path, "value": value},)


def removed(path: str, old: Any) -> tuple[Operation, ...]:
    """Remove a value that is still the old one."""
    return ({"op": "test", "path": path, "value": old}, {"op": "remove", "path": path})


def changed(before: Step, after: Step) -> tuple[Operation, ...]:
    """Make one step another, where it stands.

    >>> from dataclasses import replace
    >>> step = Step(step_id=2, critical=False, path=("steps", 1), keys=("step_id", "critical"))
    >>> for operation in changed(step, replace(step, critical=True)):
    ...     print(operation)
    {'op': 'test', 'path': '/steps/1/critical', 'value': False}
    {'op': 'replace', 'path': '/steps/1/critical', 'value': True}
    """
    return difference(before.path, before.to_json(), after.to_json())


def reordered(path: Path, before: Sequence[Step], after: Sequence[Step]) -> tuple[Operation, ...]:
    """Put the steps of a list in another order."""
    return replaced(pointer(*path), [step.to_json() for step in before], [step.to_json() for step in after])


def difference(path: Path, before: Any, after: Any) -> tuple[Operation, ...]:
    """Make one value another: objects member by member, where their keys come in the same order; else as a whole.

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
    """Whether the keys come out in the order of `after` when members are removed and then added at the end."""
    left = [key for key in before if key in after]
    return list(after)[: len(left)] == left
