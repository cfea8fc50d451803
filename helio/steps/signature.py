"""The signatures of tools for templates, schemas and help pages; reading them imports no tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, NewType

from helio.steps.quantity import ANYTHING, Quantity
from helio.steps.result import NOTHING_SAID, MatchingTables, Result
from helio.steps.signature_cache import keep, read_kept

Schema = dict[str, Any]
Gives = Literal["tables", "table", "figure", "export"]

Text = NewType("Text", str)
"""A text for people: a title, an axis label, a description. helio does not replace anything in it."""

Title = NewType("Title", str)
"""A text for people in which helio replaces ``{start}``, ``{stop}`` and a variable ``{NAME}`` by their values."""

FileName = NewType("FileName", str)
"""A file name without folders, in which helio replaces ``{start}``, ``{stop}`` and a variable ``{NAME}``."""

PrintedLength = NewType("PrintedLength", str)
"""A length on paper with its unit: ``90 mm``, ``9 cm``, ``3.5 in``, ``8 pt``."""

Amount = NewType("Amount", str)
"""A number with its unit: ``-100 nT``, ``1e-4 W/m^2``; without a unit for a quantity that has none."""

Share = NewType("Share", float)
"""A share of a whole, from 0 to 1."""

Condition = NewType("Condition", str)
"""A condition on values, with the unit of its number: ``< -100 nT``, ``> 1e-4 W/m^2``."""

Code = NewType("Code", str)
"""Python code in a template; helio checks the code without changing it, then runs it in a sandbox."""


@dataclass(frozen=True)
class MaxItems:
    """A mark in the annotation of a list: the largest number of items of the list."""

    items: int


CODE = "text/x-python"
"""Media type that marks an argument as code in a JSON Schema."""


@dataclass(frozen=True)
class TableInput:
    """A table parameter of a tool, and the argument in which a template gives the label of the table."""

    parameter: str
    argument: str
    """The argument in which a template gives the label: ``"source_label"``, or ``"spec.labels"`` in a figure."""
    many: bool = False
    also: tuple[str, ...] = ()
    """Other arguments in which a template may give these labels: ``"spec.panels"``."""
    scalar: bool = False
    """Whether the tool takes a single component, so that a step with a vector must be mapped over its components."""
    takes: Quantity = ANYTHING
    """The unit, kind and frame that the table must have; helio checks them before every call."""
    optional: bool = False
    """Whether a template may leave the table out; the tool then gets None."""
    by_label: bool = False
    """Whether the tool also gets the label of each table, because the result depends on the labels."""


@dataclass(frozen=True)
class Argument:
    """An argument of a tool, with its JSON Schema, as a template gives it."""

    name: str
    schema: Schema
    required: bool
    default: Any = None


@dataclass(frozen=True)
class RecordContext:
    """The input records on which a record of a tool's result may depend: the same record, neighbours, or all records.

    Parameters
    ----------
    reach : "record", "window" or "range"
        The records of the same epoch, the records within a window, or all records.
    lengths : tuple of str
        For a window: the arguments whose sum is the largest distance in time on either side.
    records : int
        For a window: the number of records beyond this distance that may count too, on either side.
    reason : str
        For the whole range: the reason why all records count.
    """

    reach: Literal["record", "window", "range"]
    lengths: tuple[str, ...] = ()
    records: int = 0
    reason: str = ""


RECORD = RecordContext("record")


def window(*lengths: str, records: int = 0) -> RecordContext:
    """Return a context of the neighbouring input records, within a time or within a number of records."""
    return RecordContext("window", lengths, records)


def whole_range(reason: str) -> RecordContext:
    """Return a context of all input records, with the reason why the tool needs all of them."""
    return RecordContext("range", reason=reason)


@dataclass(frozen=True)
class Signature:
    """The signature of a tool: all facts about the tool that templates, schemas and help pages need."""

    name: str
    version: int
    summary: str
    gives: Gives
    tables: tuple[TableInput, ...] = ()
    arguments: tuple[Argument, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    """Groups of arguments: a template must give at least one argument of each group."""
    runs: bool = True
    """Whether helio can run the tool; false if helio replaces it by another tool, or does not support it."""
    context: RecordContext = RECORD
    """The input records on which one record of the result may depend."""
    gives_quantity: Quantity = ANYTHING
    """The unit, kind and frame of every result of the tool, if they do not depend on the inputs."""
    result: Result = NOTHING_SAID
    """The unit, kind and frame of the result, if they depend on the input tables and arguments."""
    same: tuple[MatchingTables, ...] = ()
    """Groups of input tables that must have the same unit, frame or kind."""
    synonyms: tuple[str, ...] = ()
    """Other words that people and language models use for the tool."""
    module: str = ""
    """Module with the tool's function; empty for a spelling that helio replaces by another tool."""
    example: str = ""
    """A short example: Python code that runs, or a step of a template."""

    @property
    def range_capable(self) -> bool:
        """Whether one call for a long time range gives the same records as separate calls for its parts."""
        return self.context.reach == "record"

    @property
    def runs_code(self) -> bool:
        """Whether the tool runs code that the template contains."""
        return any(argument.schema.get("contentMediaType") == CODE for argument in self.arguments)

    def argument(self, name: str) -> Argument | None:
        """Return the tool's argument with this name, or None if the tool has no such argument."""
        return next((argument for argument in self.arguments if argument.name == name), None)

    def time_arguments(self) -> tuple[str, ...]:
        """Return the names of the arguments that hold time ranges."""
        return tuple(
            argument.name for argument in self.arguments if argument.schema.get("format") == "time-range"
        )

    def schema(self) -> Schema:
        """Return the JSON Schema of the tool's ``tool_args``."""
        schema: Schema = {
            "type": "object",
            "properties": {argument.name: argument.schema for argument in self.arguments},
            "required": [argument.name for argument in self.arguments if argument.required],
            "additionalProperties": False,
        }
        if self.needs:
            schema["allOf"] = [{"anyOf": [{"required": [name]} for name in group]} for group in self.needs]
        return schema

    def to_json(self) -> dict[str, Any]:
        """Return the signature as JSON, with which helio can check a template without importing any tool."""
        return {
            "version": self.version,
            "summary": self.summary,
            "gives": self.gives,
            "runs": self.runs,
            "context": asdict(self.context),
            "needs": [list(group) for group in self.needs],
            "tables": [
                {
                    "parameter": table.parameter,
                    "argument": table.argument,
                    "many": table.many,
                    "also": list(table.also),
                    "scalar": table.scalar,
                    **({"optional": True} if table.optional else {}),
                    **({"by_label": True} if table.by_label else {}),
                    **({"takes": table.takes.to_json()} if table.takes != ANYTHING else {}),
                }
                for table in self.tables
            ],
            "arguments": {
                argument.name: {
                    "schema": argument.schema,
                    "required": argument.required,
                    "default": argument.default,
                }
                for argument in self.arguments
            },
            **({"gives_quantity": self.gives_quantity.to_json()} if self.gives_quantity != ANYTHING else {}),
            **({"result": self.result.to_json()} if self.result != NOTHING_SAID else {}),
            **({"same": [same.to_json() for same in self.same]} if self.same else {}),
            "synonyms": list(self.synonyms),
            "module": self.module,
            "example": self.example,
        }

    @classmethod
    def from_json(cls, name: str, written: dict[str, Any]) -> Signature:
        """Restore a `Signature` from the JSON that `to_json` returns."""
        return cls(
            name=name,
            version=written["version"],
            summary=written["summary"],
            gives=written["gives"],
            runs=written["runs"],
            context=RecordContext(**{**written["context"], "lengths": tuple(written["context"]["lengths"])}),
            needs=tuple(tuple(group) for group in written["needs"]),
            tables=tuple(
                TableInput(
                    table["parameter"],
                    table["argument"],
                    table["many"],
                    tuple(table["also"]),
                    table["scalar"],
                    Quantity.from_json(table.get("takes", {})),
                    table.get("optional", False),
                    table.get("by_label", False),
                )
                for table in written["tables"]
            ),
            arguments=tuple(
                Argument(argument, facts["schema"], facts["required"], facts["default"])
                for argument, facts in written["arguments"].items()
            ),
            gives_quantity=Quantity.from_json(written.get("gives_quantity", {})),
            result=Result.from_json(written.get("result", {})),
            same=tuple(MatchingTables.from_json(same) for same in written.get("same", ())),
            synonyms=tuple(written["synonyms"]),
            module=written["module"],
            example=written["example"],
        )


@cache
def signatures() -> Mapping[str, Signature]:
    """Return the signatures of all tools, by name.

    The signatures are read from the code once and cached beside it, so that a template is checked without importing
    any tool.
    """
    cached = read_kept()
    if cached is None:
        # Imports every tool, and numpy and scipy with them.
        from helio.steps.read_tools import read_from_code

        cached = json.loads(
            json.dumps({name: tool.to_json() for name, tool in read_from_code().items()}, default=list)
        )
        keep(cached)
    return {name: Signature.from_json(name, written) for name, written in cached.items()}
