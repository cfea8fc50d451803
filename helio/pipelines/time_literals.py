"""Time ranges that stand in the steps of a plan as they were written, without a variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.maps import Place, args_of, is_block, places, signature_of, variable_of
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN, Path
from helio.steps.signature import Signature
from helio.time_range import canonical

MOST_SHOWN = 6
"""Texts of a list that a message shows."""


@dataclass(frozen=True)
class TimeLiteral:
    """One literal time range.

    Parameters
    ----------
    path : tuple
        Where the range stands in the plan.
    step_path, step : tuple, Document
        The step in which it stands.
    name : str
        The argument; ``for_each`` for a range over which a map runs.
    value, written : str
        The range in its one spelling, and as it stands there.
    required : bool
        Whether the range selects data. The range of a figure only selects what is shown.
    replaceable : bool
        Whether a variable may stand in its place; not in a list of items.
    """

    path: Path
    step_path: Path
    step: Document
    name: str
    value: str
    written: str
    required: bool
    replaceable: bool = True

    @property
    def pinned(self) -> bool:
        """Whether the author says that the range stays."""
        pins = self.step.get("pin") or ()
        return self.name in pins or "for_each" in pins  # a map over intervals may have become one range


def time_literals(plan: Document, signatures: Mapping[str, Signature]) -> Iterator[TimeLiteral]:
    """Every literal time range of a plan: in time arguments, and in the ranges over which maps run.

    >>> from helio.steps.signature import signatures
    >>> each = {"as": "$DAY", "over": ["2024-01-01", "2024-01-02"]}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": {"time_range": "$DAY"}, "for_each": each}
    >>> [(found.name, found.value) for found in time_literals({"steps": [step]}, signatures())]
    [('for_each', '2024-01-01 to 2024-01-02'), ('for_each', '2024-01-02 to 2024-01-03')]
    """
    for place in places(plan):
        yield from _items(place, signatures)
        signature = signature_of(place.step, signatures)
        for name in signature.time_arguments() if signature else ():
            value = args_of(place.step).get(name)
            if not isinstance(value, str) or TOKEN.search(value):
                continue
            argument = signature.argument(name) if signature else None
            required = argument is not None and argument.required
            path = (*place.path, "tool_args", name)
            yield TimeLiteral(path, place.path, place.step, name, value, value, required)


def listed_literals(literals: list[TimeLiteral]) -> str:
    """The ranges in words, by the steps in which they stand."""
    by_step: dict[str, list[str]] = {}
    for result in literals:
        by_step.setdefault(f"step {result.step.get('step_id')}, {result.name}", []).append(result.value)
    return ", ".join(f"{where} ({shortened(values)})" for where, values in by_step.items())


def shortened(texts: list[str]) -> str:
    """The first texts of a list, and how many follow."""
    shown = texts[:MOST_SHOWN]
    return ", ".join(shown) + (f" and {len(texts) - len(shown)} more" if len(texts) > len(shown) else "")


def _items(place: Place, signatures: Mapping[str, Signature]) -> Iterator[TimeLiteral]:
    each = place.step.get("for_each")
    over = each.get("over") if isinstance(each, dict) else None
    home = (*place.path, "for_each", "over")
    if isinstance(over, dict) and isinstance(over.get("intervals"), str):
        found = [((*home, "intervals"), over["intervals"])]
    elif isinstance(over, list) and _fills_times(place.step, variable_of(each), signatures):
        found = [((*home, index), item) for index, item in enumerate(over)]
    else:
        return
    for path, written in found:
        value = _range(written)
        if value:
            intervals = path[-1] == "intervals"
            yield TimeLiteral(path, place.path, place.step, "for_each", value, written, True, intervals)


def _fills_times(step: Document, name: str, signatures: Mapping[str, Signature]) -> bool:
    """Whether the items of a map are the time ranges of its steps."""
    for inner in step["block"] if is_block(step) else [step]:
        signature = signature_of(inner, signatures) if isinstance(inner, dict) else None
        if signature and name in [
            args_of(inner).get(time_argument) for time_argument in signature.time_arguments()
        ]:
            return True
    return False


def _range(text: Any) -> str:
    """A range in its one spelling; empty for what is none, or has a variable in it."""
    if not isinstance(text, str) or TOKEN.search(text):
        return ""
    try:
        return canonical(text)
    except TimeRangeError:
        return ""
