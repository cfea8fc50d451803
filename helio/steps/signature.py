"""What templates, schemas and pages of help know about a tool, without importing any tool."""

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
"""Words for people: titles, labels of axes, descriptions. Nothing is ever substituted in them."""

Title = NewType("Title", str)
"""Words for people in which ``{start}``, ``{stop}`` and ``{NAME}`` of a variable are filled in."""

FileName = NewType("FileName", str)
"""The plain name of a file, in which the same is filled in."""

Code = NewType("Code", str)
"""A program in Python, of a template's own. Nothing is ever substituted in it; it is read before it is run, shut in."""


@dataclass(frozen=True)
class MaxItems:
    """A note on the type of a list: how many items it may have."""

    items: int


CODE = "text/x-python"
"""The media type by which a schema marks code."""


@dataclass(frozen=True)
class TableInput:
    """A table parameter, and where a template names its label."""

    parameter: str
    argument: str
    """``"source_label"``; for a figure the dotted places of its labels: ``"spec.labels"``."""
    many: bool = False
    also: tuple[str, ...] = ()
    """Further places where the same labels may be named: ``"spec.panels"``."""
    scalar: bool = False
    """Whether one component is taken at a time: a vector has to be mapped over its components."""
    takes: Quantity = ANYTHING
    """What the table has to be; checked before every call."""
    optional: bool = False
    """Whether the tool can do without it; it then gets None."""
    by_label: bool = False
    """Whether the tool gets its tables by their labels: the labels are then part of what it makes."""


@dataclass(frozen=True)
class Argument:
    """An argument as a template writes it."""

    name: str
    schema: Schema
    required: bool
    default: Any = None


@dataclass(frozen=True)
class RecordContext:
    """The records of its tables on which one record of a tool's result may depend.

    Parameters
    ----------
    reach : "record", "window" or "range"
        Those of the same epoch; those within a window; all of them.
    lengths : tuple of str
        For a window: the arguments whose sum is the longest distance in time, on either side.
    records : int
        For a window: how many records beyond that distance may count too, on either side.
    reason : str
        For the whole range: why.
    """

    reach: Literal["record", "window", "range"]
    lengths: tuple[str, ...] = ()
    records: int = 0
    reason: str = ""


RECORD = RecordContext("record")


def window(*lengths: str, records: int = 0) -> RecordContext:
    """Return a context of limited reach."""
    return RecordContext("window", lengths, records)


def whole_range(reason: str) -> RecordContext:
    """Return a context without a limit, which needs a reason."""
    return RecordContext("range", reason=reason)


@dataclass(frozen=True)
class Signature:
    """The complete facts of a tool for templates, schemas and help."""

    name: str
    version: int
    summary: str
    gives: Gives
    tables: tuple[TableInput, ...] = ()
    arguments: tuple[Argument, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    """Groups of arguments of which one must be given."""
    runs: bool = True
    """False for a spelling that passes lower to another tool, or a tool that this version cannot run."""
    context: RecordContext = RECORD
    """Which records of its tables one record of the result may depend on."""
    gives_quantity: Quantity = ANYTHING
    """What the table that is given always is, where that does not depend on the inputs."""
    result: Result = NOTHING_SAID
    """What it gives, where that follows from its tables and arguments."""
    same: tuple[MatchingTables, ...] = ()
    """Tables that have to agree with each other."""
    synonyms: tuple[str, ...] = ()
    """Other words that people and models write for it."""
    module: str = ""
    """Where its function is; empty for a spelling that passes lower to another tool."""
    example: str = ""
    """A short example: Python that runs, or the step of a template."""

    @property
    def range_capable(self) -> bool:
        """Whether one call for a range gives the same records as calls for its parts, put together."""
        return self.context.reach == "record"

    @property
    def runs_code(self) -> bool:
        """Whether the tool runs code that stands in the template."""
        return any(argument.schema.get("contentMediaType") == CODE for argument in self.arguments)

    def argument(self, name: str) -> Argument | None:
        """Return the argument of that name, if the tool has it."""
        return next((argument for argument in self.arguments if argument.name == name), None)

    def time_arguments(self) -> tuple[str, ...]:
        """Return names of the arguments that are time ranges."""
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
        """Return it as shipped, so that a template can be checked without importing any tool."""
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
        """Return the reverse of `to_json`."""
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
    """Return every tool by name.

    They are read from the code once and kept beside it, so that a template is checked without importing any tool.
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
