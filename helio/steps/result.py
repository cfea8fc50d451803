"""What is known of a tool's result before the tool runs, as the decorator ``@tool`` states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Aspect = Literal["unit", "frame", "kind"]
UNKNOWN = "?"


@dataclass(frozen=True)
class Result:
    """The unit, frame and kind of a tool's result, as expressions that refer to its input tables and arguments.

    ``{name}`` stands for the unit, frame or kind of the table parameter ``name``, or for the text of the argument
    ``name``. Where an argument is empty, `like` decides.

    Parameters
    ----------
    like : str
        The table parameter whose unit, frame and kind the result keeps where nothing else is said.
    unit : str, optional
        A unit, ``""`` for none, or a product with powers: ``"{series}^2 Hz^-1"``; with ``|`` as a frame.
    frame : str, optional
        A frame or ``""`` for none; of several with ``|`` between them the first that is known and not empty.
    kind : str, optional
        ``"scalar"``, ``"vector"``, ``"spectrum"``, or several with ``|`` between them. ``"{a}*{b}"`` is the kind of
        a product, ``"{a}&{b}"`` the kind that both have.
    by : mapping
        What else holds for some values of an argument: ``{"give": {"axes": Result(unit="")}}``. A list matches
        ``"one"`` or ``"several"`` by its length and its only item by name; ``"given"`` matches any value.

    ``"?"`` says that nothing is known.
    """

    like: str = ""
    unit: str | None = None
    frame: str | None = None
    kind: str | None = None
    by: Mapping[str, Mapping[str, Result]] = field(default_factory=dict)

    def updated(self, other: Result) -> Result:
        """Return a copy of this result, with the facts that `other` states in place of its own."""
        return Result(
            other.like or self.like,
            self.unit if other.unit is None else other.unit,
            self.frame if other.frame is None else other.frame,
            self.kind if other.kind is None else other.kind,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the stated facts as JSON; facts that are empty are left out."""
        written = {
            entry.name: value
            for entry in fields(self)
            if entry.name != "by" and (value := getattr(self, entry.name)) not in (None, entry.default)
        }
        cases = {
            argument: {value: case.to_json() for value, case in values.items()}
            for argument, values in self.by.items()
        }
        return {**written, "by": cases} if cases else written

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Result:
        """Restore a `Result` from the JSON that `to_json` returns."""
        cases = {
            argument: {value: cls.from_json(case) for value, case in values.items()}
            for argument, values in written.get("by", {}).items()
        }
        return cls(**{**written, "by": cases})


NOTHING_SAID = Result()


@dataclass(frozen=True)
class MatchingTables:
    """Input tables of a tool that must have the same unit, frame or kind.

    Parameters
    ----------
    aspect : "unit", "frame" or "kind"
    tables : tuple of str
        Two table parameters; or one that is a list, whose tables are compared with each other.
    after_first : bool
        Whether the first table of a list may differ: x is the same in GSE and GSM.
    lone_components : bool
        Whether x of GSE goes with GSM, and two vectors are not compared.
    when : mapping
        Values of arguments for which it holds; empty for always.
    """

    aspect: Aspect
    tables: tuple[str, ...]
    after_first: bool = False
    lone_components: bool = False
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the stated facts as JSON; facts that are empty are left out."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> MatchingTables:
        """Restore a `MatchingTables` object from the JSON that `to_json` returns."""
        when = {argument: tuple(values) for argument, values in written["when"].items()}
        return cls(**{**written, "tables": tuple(written["tables"]), "when": when})
