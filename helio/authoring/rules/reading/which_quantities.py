"""Find the computations of which a sentence does not say which quantities they take, and ask the user."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation, Lines, PipelineRequest, RequestQuantity
from helio.authoring.rules.computations.computed import SAID_OF_ALL
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.reading.named import Placed
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.computations import APPLIED, MAGNITUDE, OF_TWO, R_SQUARED, SHIFT
from helio.authoring.writing.steps import listed
from helio.knowledge.quantities import ABS_B, B
from helio.knowledge.quantity_words import INDICES, VECTORS, symbol, title
from helio.patterns import ignoring_case

_MOST_QUANTITIES = 4
_AND_INDEX = re.compile(r"\bof\b[^,;.:]*,\s*(?:and|plus|with|together\s+with)\s+(?:also\s+)?(?:the\s+)?$")
"""Words from a computation up to an index that it may not take: ``1 min averages of ACE Bz, and SYM-H``."""
_PLUS = re.compile(r"\s(?:plus|with)\s+(?:also\s+)?(?:the\s+)?(?:[A-Z][\w-]*\s+)?$")
"""Words between a quantity of which something is computed, and another one: ``1 h running mean of V with n``."""

_AND_LAST = re.compile(r"(?:,\s+(?:and|plus)|\b(?:plus|with))\s+(?:[\w-]+\s+){0,2}$")
"""Words between two quantities, of which a computation may take the second alone."""
_OF_BOTH = re.compile(r"[,;:(]|\b(?:both|all|each|them)\b")


@dataclass(frozen=True)
class Unclear:
    """A computation that may take some of several quantities.

    Parameters
    ----------
    quantities : tuple of RequestQuantity
        In the order of the sentence.
    nearest : RequestQuantity, optional
        The quantity that the computation stands next to.
    """

    computation: Computation
    quantities: tuple[RequestQuantity, ...]
    nearest: RequestQuantity | None

    def answered(self, ask: Asks) -> Computation:
        """Return the computation of the quantities that the user chooses: one, some that follow each other, or all.

        Raises
        ------
        NotUnderstood
            The figure draws too many of the quantities to choose from, or no two of them.
        """
        count = len(self.quantities)
        if not 1 < count <= _MOST_QUANTITIES:
            raise NotUnderstood(
                f"it is not clear for which quantity to compute the {_tool(self.computation)}",
                advice="write it beside each quantity, or behind all of them: 'Bz and |B|, all hourly means'",
            )
        runs = [self.quantities[start:stop] for start in range(count) for stop in range(start + 1, count + 1)]
        choices = {
            listed([_name(quantity) for quantity in run]): run
            for run in sorted(runs, key=lambda run: (self.nearest not in run, len(run)))
        }
        chosen = choices[
            ask(f"Of which quantities do you want the {_tool(self.computation)}?", list(choices))
        ]
        return replace(self.computation, of=Lines() if len(chosen) == count else Lines((), chosen))


def unclear_mentions(
    mentions: Iterable[ComputationMention],
    request: PipelineRequest,
    placed: Placed,
    text: str,
    *,
    again: bool,
) -> Iterator[ComputationMention]:
    """Yield the computations that stand between two quantities, or before one that they may not take.

    `again` says whether a clause with a computation names only some of the quantities again.
    """
    for mention in mentions:
        tool, of = mention.computation.tool, mention.computation.of
        if tool in (MAGNITUDE, *OF_TWO) or (of.quantities and not mention.partial):
            continue
        taken = [(start, quantity) for start, quantity in placed if _takes(tool, quantity)]
        is_between = not of.quantities and _is_between_two(mention.position, taken)
        said = ignoring_case(rf"\b{SAID_OF_ALL}$").search(text[: max(mention.position, 0)])
        is_field = all(quantity.name in (B, ABS_B) for _, quantity in placed)
        is_factor = tool == R_SQUARED and not (said or is_field or of.quantities)
        is_of_all = tool in APPLIED and of == Lines()
        is_open = again and not of.quantities
        is_open |= is_of_all and _may_end_before_last(mention, request, placed, text)
        is_open |= is_of_all and not said and _may_begin_at_last(mention, taken, text)
        if mention.partial or is_between or is_factor or is_open:
            yield mention


def _may_end_before_last(
    mention: ComputationMention, request: PipelineRequest, placed: Placed, text: str
) -> bool:
    """Return whether a computation may be of a quantity before a joint alone: ``1 h running mean of V with n``."""
    panels = request.panels
    for (former, other), (start, quantity) in pairwise([(-1, RequestQuantity("")), *placed]):
        before = text[max(mention.position, 0) : start]
        is_index = request.spacecraft and quantity.name in INDICES and _AND_INDEX.search(before)
        again = quantity in [named for at, named in placed if at < start]
        is_loose = (
            former > mention.position and _PLUS.search(before) and not (mention.computation.beside or again)
        )
        is_size = (other.name, other.component, quantity.name) == (B, "", ABS_B)
        is_laid = panels.together or panels.overlaid  # over a spectrogram
        if is_index or (is_loose and not (is_size or is_laid)):
            return True
    return False


def _may_begin_at_last(mention: ComputationMention, placed: Placed, text: str) -> bool:
    """Return whether a computation may be of the last of two quantities: ``speed, and density averaged to 1 h``."""
    starts = [start for start, _ in placed]
    if len(starts) != 2 or mention.position < starts[-1]:
        return False
    between, behind = text[starts[0] : starts[1]], text[starts[1] : mention.position]
    return _AND_LAST.search(between) is not None and not _OF_BOTH.search(behind)


def questions_about(
    mentions: Iterable[ComputationMention], drawn: Sequence[RequestQuantity], placed: Placed
) -> tuple[Unclear, ...]:
    """Return what to ask about computations that may take some of the quantities that the figure draws."""
    questions = []
    for mention in mentions:
        own = tuple(quantity for quantity in drawn if _takes(mention.computation.tool, quantity))
        near = sorted(placed, key=lambda atom: abs(atom[0] - mention.position))
        nearest = next((quantity for _, quantity in near if quantity in own), None)
        questions.append(Unclear(mention.computation, own, nearest))
    return tuple(questions)


def _takes(tool: str, quantity: RequestQuantity) -> bool:
    """Return whether a tool could compute something of a quantity."""
    if tool == "minimum_variance":
        return quantity.name in VECTORS and not quantity.component
    return tool != SHIFT or quantity.name not in INDICES


def _is_between_two(position: int, placed: Placed) -> bool:
    """Return whether a quantity is named before a position in the sentence, and a different quantity after it."""
    before = {quantity for start, quantity in placed if start < position}
    return bool(before) and any(quantity not in before for start, quantity in placed if start > position)


def _name(quantity: RequestQuantity) -> str:
    """Return the name of a quantity for a question: ``Bz``, ``density``."""
    return f"{symbol(quantity.name)}{quantity.component}" if quantity.component else title(quantity.name)


def _tool(computation: Computation) -> str:
    """Return the name of a computation for a question: ``1h running average``, ``1h mean``."""
    tool = computation.method or "mean" if computation.tool == "resample" else computation.tool
    return f"{computation.window} {tool.replace('_', ' ')}".strip()
