"""The labels that the steps of a plan give, those of maps with their items as far as these are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from helio.pipelines.diagnostics import StepId
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.maps import (
    Place,
    args_of,
    is_block,
    is_glob,
    known_items,
    matching,
    overlap,
    places,
    signature_of,
    variable_of,
    with_item,
)
from helio.pipelines.passes.edit import Context
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path

MOST_ITEMS = 1000
"""Maps of more items than this have labels that only a run knows."""


@dataclass(frozen=True)
class Labels:
    """Who gives which label.

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
        """Whether a label with ``*`` may stand for a label, now or once all variables have their values."""
        return not self.as_patterns or any(overlap(pattern, TOKEN.sub("*", known)) for known in self.all)

    def steps(self, label: str, among: Path) -> list[StepId]:
        """The steps of a list that give what a label, or all that match one with ``*``, stands for."""
        known = self.producers.get(among, {})
        if is_glob(label):
            return list(dict.fromkeys(known[one] for one in matching(label, known)))
        found = owner(label, known)
        return [] if found is None else [known[found]]


def labels_of(plan: Document, context: Context) -> Labels:
    """Read the labels that the tools' signatures say the steps give."""
    producers: dict[Path, dict[str, StepId]] = {}
    every: dict[str, StepId] = {}
    complete = as_patterns = True
    ids: dict[Path, StepId] = {}
    for place in places(plan):
        ids[place.path] = place.step["step_id"]
        made, known = _made(place, context)
        complete = complete and known
        named = signature_of(place.step, context.signatures) is not None or is_block(place.step)
        as_patterns = as_patterns and named and "loop_over" not in place.step
        for label in made:
            every.setdefault(label, place.step["step_id"])
            for length in range(len(place.path), 0, -2):
                among = producers.setdefault(place.path[: length - 1], {})
                among.setdefault(label, ids[place.path[:length]])
    return Labels(producers, every, complete, as_patterns)


def reads_of(place: Place, context: Context) -> Iterator[tuple[Path, str]]:
    """Every label that a step reads, with its place in the arguments."""
    signature = signature_of(place.step, context.signatures)
    if signature is not None:
        yield from read_labels(signature, args_of(place.step))


def _made(place: Place, context: Context) -> tuple[list[str], bool]:
    """The labels of one step as written, then with the items of its maps; and whether these are all."""
    signature = signature_of(place.step, context.signatures)
    if signature is None:
        return [], is_block(place.step)
    labels = produced_labels(signature, args_of(place.step))
    if not labels:
        return [], signature.gives in ("figure", "export")
    made, complete = list(labels), "loop_over" not in place.step
    for label in labels:
        tokens = set(TOKEN.findall(label))
        if not tokens:
            continue
        maps = [one for one in place.maps if variable_of(one) in tokens]
        items = [known_items(one, context) for one in maps]
        known = [one for one in items if one is not None]
        count = 1
        for one in known:
            count *= len(one)
        if tokens - {variable_of(one) for one in maps} or len(known) < len(items) or count > MOST_ITEMS:
            complete = False
            continue
        for chosen in product(*known):
            named = label
            for loop, item in reversed(list(zip(maps, chosen, strict=True))):  # an item may name an outer one
                named = str(with_item(named, {}, variable_of(loop), item))
            made.append(named)
    return made, complete
