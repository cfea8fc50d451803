"""Decide whether a step can run and how a run ends, from the steps that ended before; all engines use these rules.

How a step ends:

| a step that it depends on | inside the same item, or in no map with ``keep_partial`` | outside the item |
|---|---|---|
| completed, cached | runs | runs |
| completed or cached without some items | runs; its result lacks these items too | the same |
| failed, skipped | skipped | runs without the lost item, if something is left |

An item is lost where one of its steps failed or was skipped and its map has ``"on_item_error": "keep_partial"``.
Something is left if both conditions hold: for each map that lost an item, the step reads an existing table (or, if it
reads none of that map's tables, it depends on a step that is done); and no input of its tool has lost all its tables.

A figure runs without the tables of failed and skipped steps that are not critical, and says in their panels why they
are empty, if one of its tables is left.

How a run ends:

| the steps that are neither completed nor cached | the run |
|---|---|
| none | success |
| all of them; or a critical one, unless it belongs to a lost item of a map that has another item left | failed |
| others | partial |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from helio.pipelines.template.figures import RENDER
from helio.pipelines.template.labels import owner

if TYPE_CHECKING:
    from helio.pipelines.plan import Item, PlannedStep
    from helio.pipelines.template.diagnostics import StepId

State = Literal["completed", "cached", "failed", "skipped"]
Status = Literal["success", "partial", "failed"]

MOST_NAMED = 3
"""Maximum number of missing tables that a message or a figure names."""
DONE: tuple[State, ...] = ("completed", "cached")


class StepEnd(Protocol):
    """A step that has ended, with its state."""

    @property
    def step(self) -> PlannedStep:
        """The planned step that has ended."""
        ...

    @property
    def state(self) -> State:
        """State in which the step ended."""
        ...


@dataclass(frozen=True)
class LostItem:
    """Failed item of a ``for_each``, if the ``for_each`` continues without this item."""

    item: Item
    items: int
    """Number of all items of the ``for_each``."""
    left: int
    """Number of items of the ``for_each`` that did not fail."""
    step_id: StepId
    """First step of the failed item that is not done."""

    def __str__(self) -> str:
        return (
            f"partial: the item {self.item.name} of step {self.item.map_id} failed; "
            f"the run continued with {self.left} of {self.items} items"
        )


def lost_item(ended: PlannedStep, reader: PlannedStep) -> Item | None:
    """Find the item that is lost if `ended` failed and `reader` continues; None if `reader` cannot continue."""
    shared = 0
    while ended.items[: shared + 1] == reader.items[: shared + 1] and shared < len(ended.items):
        shared += 1
    return next((item for item in ended.items[shared:] if item.keep_partial), None)


def blocked_by(step: PlannedStep, results: Mapping[StepId, StepEnd]) -> str:
    """Explain why a step cannot run, from the results of its dependencies; return an empty text if it can run."""
    needed = [results[step_id] for step_id in step.depends_on]
    lost: dict[StepId, StepId | None] = {}
    """For each failed or skipped step, the ``for_each`` that continues without it; None for a step not critical."""
    for result in needed:
        if result.state in DONE:
            continue
        item = lost_item(result.step, step)
        if item is not None:
            lost[result.step.step_id] = item.map_id
        elif may_lack(step, result.step) and not _behind_critical(result, results):
            lost[result.step.step_id] = None
        else:
            return f"step {result.step.step_id} {'failed' if result.state == 'failed' else 'was skipped'}"
    return _nothing_left(step, needed, lost) if lost else ""


def may_lack(step: PlannedStep, other: PlannedStep) -> bool:
    """Return whether a step is a figure that is drawn without the tables of another step if that step fails."""
    read = (label for labels in step.reads.values() for label in labels)
    return (
        step.tool_name == RENDER
        and not other.critical
        and any(owner(label, other.produces) is not None for label in read)
    )


def _behind_critical(result: StepEnd, results: Mapping[StepId, StepEnd]) -> bool:
    """Return whether a step was skipped because a critical step failed."""
    causes = [results[step_id] for step_id in result.step.depends_on if results[step_id].state not in DONE]
    return any(cause.step.critical or _behind_critical(cause, results) for cause in causes)


def _nothing_left(step: PlannedStep, needed: Sequence[StepEnd], lost: Mapping[StepId, StepId | None]) -> str:
    """Explain which input of a step has no items left; return an empty text if each input still has an item."""
    producers = {label: result.step for result in needed for label in result.step.produces}
    read: dict[str, PlannedStep] = {}
    for labels in step.reads.values():
        makers = {label: producers[table] for label in labels if (table := owner(label, producers))}
        read |= makers
        if makers and all(producer.step_id in lost for producer in makers.values()):
            return f"every step that gives {named(tuple(makers))} failed or was skipped"
    for map_id in dict.fromkeys(map_id for map_id in lost.values() if map_id is not None):
        tables = [producer for producer in read.values() if _belongs_to(producer, map_id)]
        steps = tables or [result.step for result in needed if _belongs_to(result.step, map_id)]
        if all(step.step_id in lost for step in steps):
            return f"every item of step {map_id} failed or was skipped"
    return ""


def named(names: Sequence[str]) -> str:
    """Join the first names of a list in one line; the run's record has the complete list."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def _belongs_to(step: PlannedStep, map_id: StepId) -> bool:
    return any(item.map_id == map_id for item in step.items)


def status_of(results: Sequence[StepEnd]) -> Status:
    """Return the status of a run (success, partial or failed), from its steps."""
    undone = [result for result in results if result.state not in DONE]
    if not undone:
        return "success"
    items = _Items(results)
    if len(undone) == len(results) or any(
        result.step.critical and not items.may_lose(result.step) for result in undone
    ):
        return "failed"
    return "partial"


def lost_items(results: Sequence[StepEnd]) -> tuple[LostItem, ...]:
    """List the failed items without which the run continued, in the order of the plan."""
    items = _Items(results)
    lost: dict[tuple[Item, ...], LostItem] = {}
    for result in results:
        if result.state in DONE:
            continue
        for chain in items.around(result.step):
            every = items.of_map(chain)
            left = sum(not items.is_lost(other) for other in every)
            if chain[-1].keep_partial and left and items.is_lost(chain):
                lost.setdefault(chain, LostItem(chain[-1], len(every), left, result.step.step_id))
    return tuple(lost.values())


class _Items:
    """Items of every ``for_each`` of a run; the identity of an item includes the items around it, outermost first."""

    def __init__(self, results: Sequence[StepEnd]) -> None:
        self._undone: dict[tuple[Item, ...], list[PlannedStep]] = {}
        self._by_map: dict[StepId, dict[tuple[Item, ...], None]] = {}
        for result in results:
            for chain in self.around(result.step):
                self._by_map.setdefault(chain[-1].map_id, {})[chain] = None
                self._undone.setdefault(chain, []).extend([result.step] * (result.state not in DONE))
        self._lost: dict[tuple[Item, ...], bool] = {}

    @staticmethod
    def around(step: PlannedStep) -> Iterator[tuple[Item, ...]]:
        """Yield each item to which a step belongs, together with the items around it; the outermost is first."""
        return (step.items[: depth + 1] for depth in range(len(step.items)))

    def of_map(self, chain: tuple[Item, ...]) -> list[tuple[Item, ...]]:
        """List all items of the ``for_each`` to which an item belongs."""
        return list(self._by_map[chain[-1].map_id])

    def is_lost(self, chain: tuple[Item, ...]) -> bool:
        """Return whether an item failed: a step is not done, and no inner ``for_each`` continues without this step."""
        if chain not in self._lost:
            depth = len(chain)
            self._lost[chain] = any(not self.may_lose(step, depth) for step in self._undone[chain])
        return self._lost[chain]

    def may_lose(self, step: PlannedStep, depth: int = 0) -> bool:
        """Return whether a ``for_each`` around a step can continue without it; ignore the `depth` outermost ones."""
        return any(
            chain[-1].keep_partial and not all(self.is_lost(other) for other in self.of_map(chain))
            for chain in list(self.around(step))[depth:]
        )
