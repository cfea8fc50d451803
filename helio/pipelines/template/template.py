"""The template as typed objects that never change; converting it to JSON gives the JSON that was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import Document
from helio.pipelines.template.variables import Path
from helio.steps.fetch.choices import FETCH, Choice, choices_of

Value = Any
"""Any JSON value. The signature of a tool checks the values of its arguments."""


@dataclass(frozen=True, kw_only=True)
class _Object:
    """A JSON object whose keys are typed fields.

    A field is written if it was written before, or has another value than its default.
    """

    keys: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """The keys that were read, in their order."""
    extra: Mapping[str, Value] = field(default_factory=dict, repr=False)
    """Keys and values of the JSON object for which the class has no field."""

    def to_json(self) -> Document:
        """Convert to JSON, with the keys in the order in which they were read; new keys come last."""
        known = _FIELDS[type(self)]
        written: Document = {}
        for key in self.keys:
            written[key] = _plain(getattr(self, known[key][0])) if key in known else self.extra[key]
        for key, (name, default) in known.items():
            if key not in written and (value := getattr(self, name)) != default:
                written[key] = _plain(value)
        return written

    def without(self, *keys: str) -> Self:
        """Return the object without some keys."""
        unset = {name: default for key, (name, default) in _FIELDS[type(self)].items() if key in keys}
        remaining = tuple(key for key in self.keys if key not in keys)
        extra = {key: value for key, value in self.extra.items() if key not in keys}
        return replace(self, keys=remaining, extra=extra, **unset)


@dataclass(frozen=True, kw_only=True)
class Variable(_Object):
    """A variable that a template declares."""

    type: str
    default: Value = None
    of: str = ""
    """The time range that the intervals of this variable divide."""
    step: str = ""
    """The length of each interval."""
    value: Value = None
    """The value of the variable in one run."""

    @classmethod
    def from_json(cls, facts: Document) -> Variable:
        """Read the declaration of a variable from JSON."""
        return cls(**_read(cls, facts))

    @property
    def has_default(self) -> bool:
        """Whether the template states a default value; this value may be null."""
        return "default" in self.keys


@dataclass(frozen=True, kw_only=True)
class ForEach:
    """The items for which a step is repeated, and the variable that stands for an item.

    Parameters
    ----------
    name : str
        The variable, with its ``$``.
    items : list or None
        The items as they are written out; None where another field says where they come from.
    intervals, components_of, parameters_of : str
        A time range to divide; a label; a dataset.
    step : str
        The length of an interval.
    """

    name: str
    items: Sequence[Value] | None = None
    intervals: str = ""
    step: str = ""
    components_of: str = ""
    parameters_of: str = ""
    written: Document = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def from_json(cls, loop: Document) -> ForEach:
        """Read the ``for_each`` of a step from JSON."""
        over = loop["over"]
        if isinstance(over, list):
            return cls(name=loop["as"], items=over, written=loop)
        return cls(name=loop["as"], **over, written=loop)

    def to_json(self) -> Document:
        """Write the items as JSON, with the keys in the order in which they were read."""
        names = ("intervals", "step", "components_of", "parameters_of")
        source: Value = {name: text for name in names if (text := getattr(self, name))}
        over = source if self.items is None else list(self.items)
        known = self.written.get("over")
        if self.items is None and isinstance(known, dict):
            over = {key: getattr(self, key) for key in known} | source
        return {**dict.fromkeys(self.written), "as": self.name, "over": over}


@dataclass(frozen=True, kw_only=True)
class Step(_Object):
    """One use of a tool, a block of steps, or a call of another pipeline."""

    step_id: StepId
    tool_name: str = ""
    tool_args: Mapping[str, Value] = field(default_factory=dict)
    intent: str = ""
    produces: tuple[str, ...] = ()
    depends_on: tuple[StepId, ...] = ()
    critical: bool = True
    retries: int | None = None
    retry_delay: str = ""
    pin: tuple[str, ...] = ()
    annotations: Mapping[str, Value] = field(default_factory=dict)
    for_each: ForEach | None = None
    block: tuple[Step, ...] = ()
    collect: str = ""
    on_item_error: str = ""
    use: str = ""
    with_values: Mapping[str, Value] = field(default_factory=dict)
    files: tuple[Mapping[str, Value], ...] = ()
    """Files of a figure, known after the values of a run are filled in."""
    path: Path = field(default=(), compare=False, repr=False)
    """Path of the step in the document from which it was read."""
    within: tuple[ForEach, ...] = field(default=(), compare=False, repr=False)
    """Every ``for_each`` around the step, the outermost first, without the step's own."""

    @classmethod
    def from_json(cls, step: Document, path: Path = (), within: tuple[ForEach, ...] = ()) -> Step:
        """Read a step from JSON, with the steps of its block."""
        found = _read(cls, step)
        if "for_each" in step:
            found["for_each"] = ForEach.from_json(step["for_each"])
        if "block" in step:
            around = (*within, found["for_each"]) if "for_each" in step else within
            found["block"] = tuple(
                cls.from_json(inner, (*path, "block", index), around)
                for index, inner in enumerate(step["block"])
            )
        return cls(**found, path=path, within=within)

    def with_retries_of(self, other: Step) -> Step:
        """Return the step with the retries of another step, unless it has its own."""
        if self.retries is not None or other.retries is None:
            return self
        return replace(self, retries=other.retries, retry_delay=other.retry_delay)

    @property
    def choices(self) -> list[Choice]:
        """The datasets that a fetch may use, the preferred dataset first; empty if the step is no fetch."""
        return choices_of(self.tool_args) if self.tool_name == FETCH else []

    @property
    def maps(self) -> tuple[ForEach, ...]:
        """Every ``for_each`` around the step, the outermost first; the step's own ``for_each`` is the last."""
        return self.within if self.for_each is None else (*self.within, self.for_each)

    @property
    def items(self) -> tuple[str, ...]:
        """The name of the variable of each ``for_each`` in `maps`."""
        return tuple(loop.name for loop in self.maps)


@dataclass(frozen=True, kw_only=True)
class Template(_Object):
    """Template: states what to fetch, what to compute and what to draw.

    Examples
    --------
    >>> template = Template.from_json({"steps": [{"step_id": 1, "tool_name": "magnitude"}], "id": "mine"})
    >>> template.steps[0].tool_name, template.steps[0].path
    ('magnitude', ('steps', 0))
    >>> template.to_json()
    {'steps': [{'step_id': 1, 'tool_name': 'magnitude'}], 'id': 'mine'}
    """

    steps: tuple[Step, ...]
    variables: Mapping[str, Variable] = field(default_factory=dict)
    id: str = ""
    artifact: str = ""

    @classmethod
    def from_json(cls, document: Document) -> Template:
        """Read a template from a document that has passed `check_structure`."""
        found = _read(cls, document)
        declared = document.get("variables", {})
        found["variables"] = {name: Variable.from_json(facts) for name, facts in declared.items()}
        found["steps"] = tuple(
            Step.from_json(step, ("steps", index)) for index, step in enumerate(document["steps"])
        )
        return cls(**found)

    @property
    def time_variables(self) -> list[str]:
        """The variables that are time ranges, in the order in which they are declared."""
        return [name for name, facts in self.variables.items() if facts.type == "time_range"]

    def lists(self) -> Iterator[tuple[Path, tuple[Step, ...]]]:
        """Yield every list of steps with its path: the template's list, then the list of each block."""
        waiting: list[tuple[Path, tuple[Step, ...]]] = [(("steps",), self.steps)]
        while waiting:
            path, steps = waiting.pop()
            yield path, steps
            waiting += [((*step.path, "block"), step.block) for step in reversed(steps) if step.block]

    def by_list(self) -> Iterator[Step]:
        """Yield every step, list by list: first all steps of a list, then the steps of the blocks in this list."""
        return (step for _, steps in self.lists() for step in steps)

    def walk(self) -> Iterator[Step]:
        """Yield every step; the steps of a block follow directly after the step that contains the block.

        Blocks that are nested too deeply are left out.
        """
        return walk(self.steps)


def walk(steps: Sequence[Step]) -> Iterator[Step]:
    """Yield every step; the steps of a block follow directly after the step that contains the block."""
    for step in steps:
        yield step
        if len(step.path) < 2 * LIMITS.blocks:
            yield from walk(step.block)


def most_retries(steps: Sequence[Step]) -> dict[str, Value]:
    """Return the fields for the retries of a step that does the work of several: those of the most patient step."""
    patient = max(steps, key=lambda step: -1 if step.retries is None else step.retries)
    return {"retries": patient.retries, "retry_delay": patient.retry_delay}


def reached(step_id: StepId, needs: Mapping[StepId, Iterable[StepId]]) -> set[StepId]:
    """Return a step and all steps on which it depends, directly or through other steps.

    >>> sorted(reached(3, {3: [2], 2: [1], 4: [3]}))
    [1, 2, 3]
    """
    found, waiting = {step_id}, [step_id]
    while waiting:
        needed = set(needs.get(waiting.pop(), ())) - found
        found |= needed
        waiting += needed
    return found


_NAMES = {"with": "with_values"}
"""JSON keys that are reserved words of Python, each with the name of its field."""
_OWN = frozenset({"keys", "extra", "path", "within"})
_TUPLES = frozenset({"produces", "depends_on", "pin", "files"})


def _read(kind: type[_Object], written: Document) -> dict[str, Value]:
    """Return the fields of an object with the values that the JSON has."""
    known = _FIELDS[kind]
    found: dict[str, Value] = {"keys": tuple(written)}
    extra: Document = {}
    for key, value in written.items():
        if key not in known:
            extra[key] = value
        else:
            found[known[key][0]] = tuple(value) if key in _TUPLES else value
    if extra:
        found["extra"] = extra
    return found


def _plain(value: Value) -> Value:
    """Convert the value of a field to JSON."""
    if isinstance(value, tuple):
        return [part.to_json() if isinstance(part, Step) else part for part in value]
    if isinstance(value, dict):
        return {key: part.to_json() if isinstance(part, Variable) else part for key, part in value.items()}
    return value.to_json() if isinstance(value, ForEach) else value


def _fields(kind: type[_Object]) -> Mapping[str, tuple[str, Value]]:
    """Return the fields of a class by their JSON keys, each with its name and its default."""
    keys = {name: key for key, name in _NAMES.items()}
    return {
        keys.get(known.name, known.name): (
            known.name,
            {} if known.default_factory is dict else known.default,
        )
        for known in fields(kind)
        if known.name not in _OWN
    }


_FIELDS: dict[type[_Object], Mapping[str, tuple[str, Value]]] = {
    kind: _fields(kind) for kind in (Variable, Step, Template)
}
