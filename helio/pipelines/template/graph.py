"""Graph of a plan: its steps, and the labels through which results go from step to step."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, reduce
from itertools import product
from math import prod
from typing import Any, Generic, NamedTuple, TypeVar

from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import StepId, pointer
from helio.pipelines.template.labels import owner, produced_labels, read_labels
from helio.pipelines.template.maps import as_glob, is_glob, items_of_map, with_item
from helio.pipelines.template.template import Step
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.signature import Signature

AnyStep = TypeVar("AnyStep")
Value = TypeVar("Value")


class Read(NamedTuple):
    """A label that a step reads, and its path in the arguments."""

    path: Path
    label: str


@dataclass(frozen=True)
class StepView:
    """A step with the labels that its tool gives and reads; if the tool is unknown, there are no labels."""

    step: Step
    signature: Signature | None

    @property
    def id(self) -> StepId:
        """The id of the step."""
        return self.step.step_id

    @property
    def tool(self) -> str:
        """The name of the step's tool; empty for a block and for a call of another pipeline."""
        return self.step.tool_name

    @property
    def params(self) -> Mapping[str, Any]:
        """The arguments of the step's tool."""
        return self.step.tool_args

    @property
    def path(self) -> Path:
        """Path of the step in the document from which it was read."""
        return self.step.path

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the step."""
        return pointer(*self.path)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The labels that the step gives, as the template writes them."""
        return tuple(produced_labels(self.signature, self.params)) if self.signature else ()

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The labels that the step reads, as the template writes them, with their paths."""
        return tuple(map(Read._make, read_labels(self.signature, self.params))) if self.signature else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the step reads, without their paths."""
        return tuple(read.label for read in self.reads)

    @cached_property
    def inputs(self) -> dict[str, list[Read]]:
        """The labels that the step reads, grouped by the tool's parameter, without labels in a figure's ``panels``."""
        found: dict[str, list[Read]] = {}
        for table in self.signature.tables if self.signature else ():
            path = tuple(table.argument.split("."))
            reads = [read for read in self.reads if read.path[: len(path)] == path]
            if reads:
                found[table.parameter] = reads
        return found

    def pattern(self, label: str) -> str:
        """Return a label of the step with ``*`` for the variable of each ``for_each`` around the step."""
        return as_glob(label, self.step.items)

    def with_items(self, label: str, context: Context, most: int | None = None) -> list[str] | None:
        """Return a label of the step for every item of each ``for_each`` around the step.

        Returns
        -------
        list of str or None
            The label alone where it names no item. None where the items are known only in a run, or are more than
            `most`.
        """
        names = set(TOKEN.findall(label))
        maps = [loop for loop in self.step.maps if loop.name in names]
        if not maps:
            return [label]
        items = [items_of_map(loop, context) for loop in maps]
        known = [listed for listed in items if listed is not None]
        if len(known) < len(items) or (most is not None and prod(map(len, known)) > most):
            return None
        found: list[str] = []
        for chosen in product(*known):
            named = label
            for loop, item in reversed(list(zip(maps, chosen, strict=True))):  # an item may name an outer one
                named = str(with_item(named, {}, loop.name, item))
            found.append(named)
        return found


class Graph(Generic[AnyStep]):
    """Steps of a plan, connected by the labels that they give and read.

    Cycles, labels that several steps give and labels that none gives are all allowed: passes report them.

    Parameters
    ----------
    steps : iterable
        In the order of the plan.
    gives, reads : callable
        The labels that a step gives, and those that it reads. `reads` may use `producers`.
    """

    def __init__(
        self,
        steps: Iterable[AnyStep],
        gives: Callable[[AnyStep], Iterable[str]],
        reads: Callable[[AnyStep], Iterable[str]],
    ) -> None:
        self.steps: Sequence[AnyStep] = tuple(steps)
        self._reads = reads
        self._numbers: dict[str, list[int]] = {}
        for number, step in enumerate(self.steps):
            for label in gives(step):
                self._numbers.setdefault(label, []).append(number)

    @cached_property
    def producers(self) -> dict[str, list[AnyStep]]:
        """The steps that give each label; if several steps give the same label, a pass reports the error."""
        return {label: [self.steps[number] for number in numbers] for label, numbers in self._numbers.items()}

    def given(self, label: str) -> list[str]:
        """Return the labels of results that a label means: the label itself, or the table of which it is a component.

        Where there is none: all that it may mean once variables have their values, as far as names tell.
        """
        table = owner(label, self._numbers)
        if table is not None:
            return [table]
        if not _is_open(label):
            return [other for other, pattern in self._open.items() if pattern.match(label)]
        pattern = re.compile(translate(_any_value(label)))
        return [
            other
            for other in self._numbers
            if pattern.match(other) or (other in self._open and self._open[other].match(label))
        ]

    @property
    def order(self) -> list[AnyStep]:
        """The steps in an order in which each follows the steps that it needs, without steps in or after a cycle."""
        return [self.steps[number] for number in self._order]

    @property
    def cyclic(self) -> list[AnyStep]:
        """The steps that `order` leaves out, because they are in a cycle or after a cycle."""
        return [self.steps[number] for number in self._cyclic]

    def propagate(
        self,
        rule: Callable[[AnyStep, Mapping[str, Value]], Mapping[str, Value]],
        join: Callable[[Value, Value], Value] = lambda first, _: first,
    ) -> dict[str, Value]:
        """Compute a value for each label from the values of the labels that the label's step reads.

        Parameters
        ----------
        rule : callable
            From a step and the values found so far, the values of the labels that it gives. It is called in `order`;
            then, for steps on a cycle and those that need them, again until no value changes.
        join : callable
            From the values that two steps give one label, the label's value. Default: the first.

        Returns
        -------
        dict
            By label, without the labels that the rule gives no value.
        """
        values: dict[str, Value] = {}
        made: dict[int, Mapping[str, Value]] = {}

        def changes(number: int) -> bool:
            before, made[number] = made.get(number), rule(self.steps[number], values)
            for label in made[number]:
                given = (made[other][label] for other in self._numbers[label] if label in made.get(other, ()))
                values[label] = reduce(join, given)
            return made[number] != before

        for number in self._order:
            changes(number)
        for _ in self._cyclic:  # a chain of steps is at most as long as there are steps
            changed = [changes(number) for number in self._cyclic]
            if not any(changed):
                break
        return values

    @cached_property
    def _order(self) -> list[int]:
        return in_order(
            [
                {
                    number
                    for read in self._reads(step)
                    for given in self.given(read)
                    for number in self._numbers[given]
                }
                for step in self.steps
            ]
        )

    @cached_property
    def _cyclic(self) -> list[int]:
        return sorted(set(range(len(self.steps))).difference(self._order))

    @cached_property
    def _open(self) -> dict[str, re.Pattern[str]]:
        """The labels that may stand for several labels, each with a pattern that matches them and their components."""
        given = {label: _any_value(label) for label in self._numbers if _is_open(label)}
        return {
            label: re.compile(f"{translate(named)}|{translate(f'{named}.*')}")
            for label, named in given.items()
        }


def graph_of(steps: Iterable[Step], signatures: Mapping[str, Signature]) -> Graph[StepView]:
    """Build the graph of some steps, for example of all steps from a template's `walk`."""
    return Graph(views(steps, signatures), lambda step: step.outputs, lambda step: step.labels)


def views(steps: Iterable[Step], signatures: Mapping[str, Signature]) -> Iterator[StepView]:
    """Combine each step with the signature of its tool."""
    return (StepView(step, signatures.get(step.tool_name)) for step in steps)


def in_order(needs: Sequence[Collection[int]]) -> list[int]:
    """Sort numbers so that each number follows the numbers that it needs; if several can be next, take the smallest.

    Numbers on a cycle, and those that need them, are left out.

    >>> in_order([{2}, (), {1}, {3}])
    [1, 2, 0]
    """
    waits = [set(needed) for needed in needs]
    after: dict[int, list[int]] = {}
    for number, needed in enumerate(waits):
        for other in needed:
            after.setdefault(other, []).append(number)
    ready = [number for number, needed in enumerate(waits) if not needed]
    ordered: list[int] = []
    while ready:
        number = heapq.heappop(ready)
        ordered.append(number)
        for other in after.get(number, ()):
            waits[other].discard(number)
            if not waits[other]:
                heapq.heappush(ready, other)
    return ordered


def _is_open(label: str) -> bool:
    """Return whether a label contains ``*`` or a variable, so that it may stand for several labels."""
    return is_glob(label) or TOKEN.search(label) is not None


def _any_value(label: str) -> str:
    """Return a label as a pattern of `fnmatch`, with a ``*`` for each variable in it."""
    return TOKEN.sub("*", label.replace("[", "[[]").replace("?", "[?]"))
