"""The `@tool` decorator, and how a function's signature and docstring become a JSON Schema."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from helio.interval import Interval
from helio.limits import LIMITS
from helio.sources.provider import Providers
from helio.steps.docstrings import entries, sections
from helio.steps.quantity import ANYTHING, Quantity, check_quantity
from helio.steps.result import NOTHING_SAID, MatchingTables, Result
from helio.steps.sandbox.jail import Jail
from helio.steps.signature import (
    CODE,
    Amount,
    Argument,
    Code,
    Condition,
    FileName,
    Gives,
    MaxItems,
    PrintedLength,
    RecordContext,
    Schema,
    Share,
    Signature,
    TableInput,
    Text,
    Title,
)
from helio.store.table import Table
from helio.time_range import Duration, TimeRange

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class LabelledTable:
    """A table with its label, for tools that run code, because the code refers to the table by the label."""

    label: str
    table: Table


@dataclass(frozen=True)
class ToolMark:
    """The facts about a tool that the decorator `tool` stores on the tool's function."""

    version: int
    context: RecordContext
    needs: tuple[tuple[str, ...], ...] = ()
    labels_in: tuple[str, ...] = field(default=())
    scalar: tuple[str, ...] = ()
    gives: Result = NOTHING_SAID
    same: tuple[MatchingTables, ...] = ()
    synonyms: tuple[str, ...] = ()


def tool(
    *,
    version: int,
    context: RecordContext,
    needs: tuple[tuple[str, ...], ...] = (),
    labels_in: tuple[str, ...] = (),
    scalar: tuple[str, ...] = (),
    gives: Result = NOTHING_SAID,
    same: tuple[MatchingTables, ...] = (),
    synonyms: str = "",
) -> Callable[[Function], Function]:
    """Mark a function as a tool; the function then checks the unit, frame and kind of its tables at every call.

    Tables are the parameters before the ``*``, arguments those after it. In a template a tool's only table is named by
    ``source_label``, a list of them or a mapping of them by label by ``source_labels``, one of several by its own
    name and ``_label``. ``Annotated[Table, Quantity(...)]`` states what a table must be; ``… | None = None`` marks an
    optional table.

    Parameters
    ----------
    version : int
        Version of the tool; raise it with any change to results, so that old results are computed again.
    context : RecordContext
        The input records on which one record of the result may depend; a test checks this exactly.
    needs : tuple of tuple of str
        Groups of arguments of which one must be given.
    labels_in : tuple of str
        For a mapping of tables: paths of the arguments that name the labels; the first one must name all of them.
    scalar : tuple of str
        Tables from which the tool takes one component at a time.
    gives : Result
        Unit, frame and kind of the result, if they follow from the tables and arguments; if they never change, they
        are in the return annotation.
    same : tuple of MatchingTables
        Tables that must have the same unit, frame or kind.
    synonyms : str
        Other words that people and models use for the tool, separated by blanks.
    """

    def mark(function: Function) -> Function:
        marked = ToolMark(version, context, needs, labels_in, scalar, gives, same, tuple(synonyms.split()))
        function.__tool__ = marked  # type: ignore[attr-defined]

        @functools.cache
        def demanding() -> tuple[tuple[int, TableInput], ...]:
            """List the tables with a required unit, frame or kind, and their positions; only the first call reads the
            code.
            """
            parameters = list(inspect.signature(function).parameters)
            tables = signature_of(function).tables
            return tuple(
                (parameters.index(table.parameter), table) for table in tables if table.takes != ANYTHING
            )

        @functools.wraps(function)
        def checked(*given: Any, **named: Any) -> Any:
            for position, table in demanding():
                value = given[position] if position < len(given) else named.get(table.parameter)
                for read in _tables_in(value):
                    check_quantity(table.takes, read, tool=function.__name__, parameter=table.parameter)
            return function(*given, **named)

        return cast(Function, checked)

    return mark


def _tables_in(value: Any) -> Iterator[Table]:
    """Yield the tables in the value of a parameter: a table, a list or a mapping; ignore other values."""
    values = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else [value]
    return (read for read in values if isinstance(read, Table))


def signature_of(function: Callable[..., Any]) -> Signature:
    """Read the signature and the docstring of a function that is a tool."""
    mark: ToolMark = function.__tool__  # type: ignore[attr-defined]
    hints = typing.get_type_hints(function, include_extras=True)
    doc = inspect.getdoc(function) or ""
    parts = sections(doc)
    help_texts = dict(entries(parts.get("Parameters", "")))
    positional: list[tuple[str, Any]] = []
    arguments: list[Argument] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            positional.append((name, hints[name]))
            continue
        schema = schema_of(hints[name])
        if name in help_texts:
            schema = {"description": help_texts[name], **schema}
        required = parameter.default is inspect.Parameter.empty
        arguments.append(Argument(name, schema, required, None if required else parameter.default))
    returned, gives_quantity = _quantity(hints["return"])
    gives = _gives(returned)
    tables = tuple(_table_inputs(positional, mark))
    named = [] if mark.labels_in else [_label_argument(table, help_texts) for table in tables]
    if gives == "table":
        arguments.append(
            Argument(
                "output_label",
                {
                    "description": "The label of the result.",
                    "type": "string",
                    "format": "label",
                    "minLength": 1,
                },
                required=True,
            )
        )
    return Signature(
        name=function.__name__,
        version=mark.version,
        summary=doc.splitlines()[0] if doc else "",
        gives=gives,
        tables=tables,
        arguments=(*named, *arguments),
        needs=mark.needs,
        context=mark.context,
        gives_quantity=gives_quantity,
        result=mark.gives,
        same=mark.same,
        synonyms=mark.synonyms,
        module=function.__module__,
        example=parts.get("Examples", ""),
    )


def schema_of(annotation: Any) -> Schema:
    """Return the JSON Schema of a Python annotation, for the values that a template may contain."""
    simple: dict[Any, Schema] = {
        str: {"type": "string"},
        Text: {"type": "string", "format": "text"},
        Title: {"type": "string", "format": "title"},
        FileName: {"type": "string", "format": "file-name"},
        PrintedLength: {
            "type": "string",
            "format": "printed-length",
            "pattern": r"^\d+(\.\d+)? ?(mm|cm|in|pt)$",
        },
        Amount: {"type": "string", "format": "amount", "pattern": r"^\s*[+\-−]?[0-9.]"},
        Condition: {"type": "string", "format": "condition", "pattern": r"^\s*[<>]=?\s*[+\-−]?[0-9.]"},
        Code: {"type": "string", "format": "text", "contentMediaType": CODE},
        bool: {"type": "boolean"},
        int: {"type": "integer"},
        float: {"type": "number"},
        Share: {"type": "number", "minimum": 0, "maximum": 1},
        TimeRange: {"type": "string", "format": "time-range"},
        Duration: {"type": "string", "format": "duration"},
        Interval: {"type": "string", "format": "interval-length"},
        Any: {},
    }
    if annotation in simple:
        return dict(simple[annotation])
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        notes = [note for note in inner[1:] if not isinstance(note, MaxItems)]
        schema = schema_of(inner[0])
        if notes:
            schema = {"description": " ".join(map(str, notes)), **schema}
        most = [{"maxItems": note.items} for note in inner[1:] if isinstance(note, MaxItems)]
        return schema | (most[0] if most else {})
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        options = [schema_of(member) for member in inner if member is not type(None)]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if origin in (list, Sequence):
        return {"type": "array", "maxItems": LIMITS.arguments, "items": schema_of(inner[0])}
    if origin is tuple:
        return {
            "type": "array",
            "prefixItems": [schema_of(member) for member in inner],
            "minItems": len(inner),
            "maxItems": len(inner),
        }
    if origin is dict:
        return {
            "type": "object",
            "maxProperties": LIMITS.arguments,
            "additionalProperties": schema_of(inner[1]),
        }
    if typing.is_typeddict(annotation):
        hints = typing.get_type_hints(annotation, include_extras=True)
        fields = {
            name: schema_of(
                get_args(hint)[0] if get_origin(hint) in (typing.Required, typing.NotRequired) else hint
            )
            for name, hint in hints.items()
        }
        # Annotations that are texts hide `Required` from __required_keys__.
        required = sorted(
            name
            for name, hint in hints.items()
            if get_origin(hint) is typing.Required or annotation.__total__
        )
        typed: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
        return {**typed, "required": required} if required else typed
    raise TypeError(f"helio cannot make a JSON Schema from the annotation {annotation!r}")


def _gives(returned: Any) -> Gives:
    kinds: dict[str, Gives] = {
        "Table": "table",
        "FetchResult": "tables",
        "Figure": "figure",
        "Export": "export",
    }
    return kinds[returned.__name__]


def _quantity(annotation: Any) -> tuple[Any, Quantity]:
    """Return the type and the quantity in ``Annotated[Table, Quantity(...)]``; the default quantity is `ANYTHING`."""
    if get_origin(annotation) is not Annotated:
        return annotation, ANYTHING
    hint, *notes = get_args(annotation)
    return hint, next((note for note in notes if isinstance(note, Quantity)), ANYTHING)


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """Return the type ``X`` of an annotation ``X | None``, and whether the annotation allows None."""
    inner = get_args(annotation)
    if get_origin(annotation) in (Union, types.UnionType) and type(None) in inner:
        return next(member for member in inner if member is not type(None)), True
    return annotation, False


def _table_inputs(positional: list[tuple[str, Any]], mark: ToolMark) -> Iterator[TableInput]:
    tables = [(name, hint) for name, hint in positional if hint not in (Providers, Jail)]
    for name, annotation in tables:
        required, optional = _without_none(annotation)
        hint, takes = _quantity(required)
        if hint in (Table, LabelledTable):
            argument = "source_label" if len(tables) == 1 else f"{name}_label"
            yield TableInput(name, argument, scalar=name in mark.scalar, takes=takes, optional=optional)
        elif get_origin(hint) is list:
            yield TableInput(name, "source_labels", many=True, takes=_quantity(get_args(hint)[0])[1])
        elif not mark.labels_in:  # a mapping by label
            takes = _quantity(get_args(hint)[1])[1]
            yield TableInput(name, "source_labels", many=True, takes=takes, by_label=True)
        else:  # a mapping by label: the template names the labels inside an argument
            yield TableInput(name, mark.labels_in[0], many=True, also=mark.labels_in[1:])


def _label_argument(table: TableInput, help_texts: dict[str, str]) -> Argument:
    label: Schema = {"type": "string", "format": "label", "minLength": 1}
    many: Schema = {"type": "array", "maxItems": LIMITS.labels, "items": label, "minItems": 1}
    schema = many if table.many else label
    if table.parameter in help_texts:
        schema = {"description": help_texts[table.parameter], **schema}
    return Argument(table.argument, schema, required=not table.optional)
