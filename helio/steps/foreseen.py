"""Predict the unit, frame and kind of a step's table before anything runs, from its tool, arguments and inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from helio.steps.quantity import Quantity
from helio.steps.result import UNKNOWN, Aspect, MatchingTables, Result
from helio.steps.signature import Signature

EVERY_KIND = frozenset({"scalar", "vector", "spectrum"})
_SCALAR, _VECTOR = frozenset({"scalar"}), frozenset({"vector"})
_VARIABLE = re.compile(r"\$[A-Za-z_]")
_REFERENCE = re.compile(r"\{(\w+)(:last)?\}")


@dataclass(frozen=True)
class Foreseen:
    """The unit, frame and kind of a table that is not computed yet, as far as they are known.

    Parameters
    ----------
    unit, frame : str or None
        Empty if the table certainly has none; None if unknown.
    kinds : frozenset of str
        The kinds that the table may have: ``scalar``, ``vector``, ``spectrum``.
    doubts : frozenset of "unit", "frame", "kind"
        The facts that come from a catalogue, which may be wrong.
    """

    unit: str | None = None
    frame: str | None = None
    kinds: frozenset[str] = EVERY_KIND
    doubts: frozenset[Aspect] = frozenset()

    def component(self) -> Foreseen:
        """Return the prediction for one component of a vector: a series with the unit and frame of the vector."""
        return replace(self, kinds=_SCALAR, doubts=self.doubts - {"kind"})


Arguments = Mapping[str, Any]
Inputs = Mapping[str, Sequence[Foreseen]]
"""Input tables by the name of the tool's parameter; the list is empty if an optional table is left out."""

NOTHING_KNOWN = Foreseen()


def foreseen(signature: Signature, args: Arguments, inputs: Inputs) -> Foreseen:
    """Predict the unit, frame and kind of a tool's result from its signature, arguments and input tables.

    >>> from helio.steps.signature import signatures
    >>> field = Foreseen("nT", "GSE", frozenset({"vector"}))
    >>> foreseen(signatures()["transform_frame"], {"to": "GSM"}, {"vector": [field]}).frame
    'GSM'
    >>> foreseen(signatures()["derivative"], {}, {"series": [field]}).unit
    'nT/s'
    """
    result = _always(signature.gives_quantity).updated(signature.result)
    for argument, cases in signature.result.by.items():
        for value in _matches(signature, args, argument):
            if value in cases:
                result = result.updated(cases[value])
    return _ToolCall(signature, args, inputs).evaluate(result)


def _always(given: Quantity) -> Result:
    """Return the facts that do not depend on inputs; a single series has no frame unless the tool states one."""
    return Result(
        unit={"": None, "1": ""}.get(given.unit, given.unit),
        frame="" if given.kind == "scalar" else None,
        kind=given.kind or None,
    )


def _matches(signature: Signature, args: Arguments, argument: str) -> list[str]:
    """Return the words by which a `Result` may refer to the value of an argument, such as "given" or "several"."""
    known = signature.argument(argument)
    value = args.get(argument, known.default if known else None)
    if value is None:
        return []
    if isinstance(value, list):
        only = [value[0]] if len(value) == 1 and isinstance(value[0], str) else []
        return ["given", *(["one"] if len(value) == 1 else ["several"] if value else []), *only]
    return ["given", value.strip()] if isinstance(value, str) else ["given"]


@dataclass
class _ToolCall:
    """A call of a tool with its arguments and inputs, which evaluates the expressions in the tool's `Result`."""

    signature: Signature
    args: Arguments
    inputs: Inputs
    doubts: set[Aspect] = field(default_factory=set)

    def evaluate(self, result: Result) -> Foreseen:
        tables = {table.parameter for table in self.signature.tables}
        unit, frame, kind = result.unit, result.frame, result.kind
        like = f"{{{result.like}}}" if result.like in tables else UNKNOWN
        kinds = self._kinds(like if kind is None else kind)
        return Foreseen(
            self._unit(unit, like) if unit is not None else self._unit(like, UNKNOWN),
            self._text(frame, like, "frame") if frame is not None else self._text(like, UNKNOWN, "frame"),
            kinds,
            frozenset(self.doubts),
        )

    def _unit(self, expression: str, like: str) -> str | None:
        factors = expression.split(" ")
        if not any(_REFERENCE.match(factor) for factor in factors):
            return None if expression == UNKNOWN else expression
        if len(factors) == 1 and "^" not in expression:
            unit = self._text(expression, like, "unit")
            return "" if unit == "1" else unit
        known: list[tuple[str, int]] = []
        for factor in factors:
            base, _, power = factor.partition("^")
            unit = self._text(base, UNKNOWN, "unit")
            if unit is None:
                return None
            if unit:
                known.append((unit, int(power or 1)))
        # With hundreds of spellings, for which start-up must not pay.
        from helio.knowledge.unit_products import unit_product

        return unit_product(*known)

    def _text(self, expression: str, like: str, aspect: Aspect) -> str | None:
        """Return a unit or a frame from alternatives: the first alternative that is known and not empty."""
        if "&" in expression:
            return self._shared(expression.split("&"), aspect)
        empty = True
        for alternative in expression.split("|"):
            reference = _REFERENCE.fullmatch(alternative)
            if reference is None:
                return None if alternative == UNKNOWN else alternative
            name, last = reference[1], bool(reference[2])
            if self._is_table(name):
                for table in self._tables(name)[-1:] if last else self._tables(name):
                    value = table.unit if aspect == "unit" else table.frame
                    if value is not None:
                        self._note_doubt(table, aspect)
                    if value:
                        return value
                    empty = empty and value is not None
                empty = empty and bool(self._tables(name))
                continue
            value = self._argument(name)
            if value is None:
                return None
            if value:
                return value
        if not empty or like == UNKNOWN:
            return "" if empty else None
        return self._text(like, UNKNOWN, aspect)

    def _shared(self, names: Sequence[str], aspect: Aspect) -> str | None:
        """Return the unit or the frame that all these tables share; tables without a unit or frame do not count."""
        tables = [table for name in names for table in self._tables(name.strip("{}"))]
        values = [table.unit if aspect == "unit" else table.frame for table in tables]
        if None in values or len(tables) < len(names):
            return None
        for table in tables:
            self._note_doubt(table, aspect)
        different = {value for value in values if value}
        return different.pop() if len(different) == 1 else None if different else ""

    def _kinds(self, expression: str) -> frozenset[str]:
        if expression == UNKNOWN:
            return EVERY_KIND
        names = _REFERENCE.findall(expression)
        if not names:
            return frozenset(expression.split("|"))
        tables = [(self._tables(name) or [NOTHING_KNOWN])[0] for name, _ in names]
        for table in tables:
            self._note_doubt(table, "kind")
        if len(tables) == 1:
            return tables[0].kinds
        left, right = (table.kinds for table in tables)
        if "&" in expression:
            return (left & right) or EVERY_KIND
        # A vector or a spectrum times a series stays what it is.
        return right if left == _SCALAR else left if right == _SCALAR else left | right

    def _is_table(self, name: str) -> bool:
        return any(table.parameter == name for table in self.signature.tables)

    def _tables(self, name: str) -> Sequence[Foreseen]:
        return self.inputs.get(name, ())

    def _argument(self, name: str) -> str | None:
        """Return the text of an argument, or None if its value contains a variable or is not a text."""
        known = self.signature.argument(name)
        value = self.args.get(name, (known.default if known else None) or "")
        return value.strip() if isinstance(value, str) and not _VARIABLE.search(value) else None

    def _note_doubt(self, table: Foreseen, aspect: Aspect) -> None:
        if aspect in table.doubts:
            self.doubts.add(aspect)


@dataclass(frozen=True)
class MatchingInputs:
    """Two inputs that must have the same unit, frame or kind, each given as a parameter and a position in its list."""

    aspect: Aspect
    first: tuple[str, int]
    second: tuple[str, int]
    lone_components: bool = False
    """Whether a component x in GSE may be combined with one in GSM, because x is the same in both frames."""


def pairs_alike(signature: Signature, args: Arguments, inputs: Inputs) -> Iterator[MatchingInputs]:
    """Yield the pairs of a step's inputs that must have the same unit, frame or kind."""
    for same in signature.same:
        if any(args.get(argument) not in values for argument, values in same.when.items()):
            continue
        if same.lone_components and all(
            table.kinds == _VECTOR for name in same.tables for table in inputs.get(name, ())
        ):
            continue  # of two vectors there is no product in any frame
        first, *others = _positions(same, inputs)
        for other in others:
            yield MatchingInputs(same.aspect, first, other, same.lone_components)


def _positions(same: MatchingTables, inputs: Inputs) -> list[tuple[str, int]]:
    if len(same.tables) > 1:
        return [(name, 0) for name in same.tables]
    [name] = same.tables
    first = int(same.after_first)
    return [(name, position) for position in range(first, max(first + 1, len(inputs.get(name, ()))))]


def clashes(aspect: Aspect, first: Foreseen, second: Foreseen) -> bool:
    """Return whether the units, frames or kinds of two tables are known and differ."""
    if aspect == "kind":
        return first.kinds.isdisjoint(second.kinds)
    if aspect == "frame":
        # What has no frame goes with anything here: a magnitude beside a component.
        return (
            bool(first.frame and second.frame) and str(first.frame).casefold() != str(second.frame).casefold()
        )
    if first.unit is None or second.unit is None:
        return False
    from helio.steps.quantity import equal_units

    return not equal_units(first.unit, second.unit)
