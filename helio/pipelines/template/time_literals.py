"""Find fixed time ranges that are written in the steps of a plan and not in a variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from helio.errors import TimeRangeError
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.variables import TOKEN, Path
from helio.steps.signature import Signature
from helio.time_range import canonical

MOST_SHOWN = 6
"""Maximum number of texts from a list that a message shows."""


@dataclass(frozen=True)
class TimeLiteral:
    """A fixed time range in a step, written without a variable.

    Parameters
    ----------
    path : tuple
        Where the range stands in the plan.
    step : Step
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
    step: Step
    name: str
    value: str
    written: str
    required: bool
    replaceable: bool = True

    @property
    def pinned(self) -> bool:
        """Whether the author of the template marked the time range as fixed, so that helio keeps it."""
        pins = self.step.pin
        return self.name in pins or "for_each" in pins  # a map over intervals may have become one range


def time_literals(template: Template, signatures: Mapping[str, Signature]) -> Iterator[TimeLiteral]:
    """Yield every fixed time range of a template: in time arguments, and in the intervals of ``for_each``.

    >>> from helio.steps.signature import signatures
    >>> each = {"as": "$DAY", "over": ["2024-01-01", "2024-01-02"]}
    >>> step = {"step_id": 1, "tool_name": "fetch_data", "tool_args": {"time_range": "$DAY"}, "for_each": each}
    >>> found = time_literals(Template.from_json({"steps": [step]}), signatures())
    >>> [(literal.name, literal.value) for literal in found]
    [('for_each', '2024-01-01 to 2024-01-02'), ('for_each', '2024-01-02 to 2024-01-03')]
    """
    for step in template.walk():
        yield from _items(step, signatures)
        signature = signatures.get(step.tool_name)
        for argument in signature.arguments if signature else ():
            value = step.tool_args.get(argument.name)
            if argument.schema.get("format") == "time-range" and _is_literal(value):
                path = (*step.path, "tool_args", argument.name)
                yield TimeLiteral(path, step, argument.name, value, value, argument.required)


def listed_literals(literals: list[TimeLiteral]) -> str:
    """List time ranges in words, grouped by the steps that contain them."""
    by_step: dict[str, list[str]] = {}
    for result in literals:
        by_step.setdefault(f"step {result.step.step_id}, {result.name}", []).append(result.value)
    return ", ".join(f"{where} ({shortened(values)})" for where, values in by_step.items())


def shortened(texts: list[str]) -> str:
    """Write the first texts of a list, and the number of texts that are left out."""
    shown = texts[:MOST_SHOWN]
    return ", ".join(shown) + (f" and {len(texts) - len(shown)} more" if len(texts) > len(shown) else "")


def _items(step: Step, signatures: Mapping[str, Signature]) -> Iterator[TimeLiteral]:
    loop = step.for_each
    if loop is None:
        return
    home = (*step.path, "for_each", "over")
    found: list[tuple[Path, Any]] = []
    if loop.intervals:
        found = [((*home, "intervals"), loop.intervals)]
    elif loop.items is not None and _fills_times(step, loop.name, signatures):
        found = [((*home, index), item) for index, item in enumerate(loop.items)]
    for path, written in found:
        value = _range(written)
        if value:
            yield TimeLiteral(path, step, "for_each", value, written, True, bool(loop.intervals))


def _fills_times(step: Step, name: str, signatures: Mapping[str, Signature]) -> bool:
    """Return whether the items of a ``for_each`` are the time ranges of its steps."""
    return any(
        name == inner.tool_args.get(argument)
        for inner in step.block or (step,)
        if inner.tool_name in signatures
        for argument in signatures[inner.tool_name].time_arguments()
    )


def _range(value: Any) -> str:
    """Return a time range in the standard spelling; return an empty text for other texts and texts with a variable."""
    try:
        return canonical(value) if _is_literal(value) else ""
    except TimeRangeError:
        return ""


def _is_literal(value: Any) -> TypeGuard[str]:
    """Return whether a value is a text without any variable."""
    return isinstance(value, str) and not TOKEN.search(value)
