"""Call a tool: convert the step's arguments to the types in the tool's signature, and pass the tables."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from helio.errors import Mismatch, StepError
from helio.interval import READ_LENGTHS
from helio.sources.provider import Providers
from helio.steps import load_tool
from helio.steps.quantity import check_quantity
from helio.steps.signature import signatures
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.steps.sandbox.jail import Jail
    from helio.store.table import Table


def call_tool(
    name: str,
    args: Mapping[str, Any],
    tables: Mapping[str, Mapping[str, Table]],
    *,
    time_ranges: Mapping[str, TimeRange] | None = None,
    providers: Providers | None = None,
    jail: Jail | None = None,
) -> Any:
    """Call a tool with the arguments of a planned step.

    Parameters
    ----------
    args : mapping
        Arguments of a bound plan: JSON.
    tables : mapping
        Tables by the tool's parameter, then by label.
    time_ranges : mapping
        Time ranges among the arguments, by name; they replace their texts in `args`.
    providers : Providers
        For a fetch.
    jail : Jail
        For a tool that runs code of the template.

    Raises
    ------
    UnitMismatch, FrameMismatch, StepError
        A table does not fit the tool's signature.
    """
    from helio.steps.tool import LabelledTable  # imports numpy, which planning does not need

    signature = signatures()[name]
    positional: list[Any] = [providers] if signature.gives == "tables" else []
    positional += [jail] if signature.runs_code else []
    for table in signature.tables:
        named: dict[str, Any] = dict(tables[table.parameter])
        if table.optional and not named:
            positional.append(None)
            continue
        for label, read in named.items():
            check_quantity(table.takes, read, tool=name, parameter=table.parameter, label=label)
        if signature.runs_code:
            named = {label: LabelledTable(label, read) for label, read in named.items()}
        if not table.many:
            positional += named.values()
        elif table.argument == "source_labels" and not table.by_label:
            positional.append(list(named.values()))
        else:
            positional.append(named)
    used = {table.argument for table in signature.tables}
    used |= {"output_label"} if signature.gives == "table" else set()
    arguments = {
        argument.name: read_length(args[argument.name])
        if (read_length := READ_LENGTHS.get(argument.schema.get("format", "")))
        else args[argument.name]
        for argument in signature.arguments
        if argument.name in args and argument.name not in used
    }
    arguments |= time_ranges or {}
    try:
        # Its tables are checked above, by their labels.
        return inspect.unwrap(load_tool(name))(*positional, **arguments)
    except StepError as error:
        if not signature.runs_code:
            _call_by_labels(error, tables)
        raise


def _call_by_labels(error: StepError, tables: Mapping[str, Mapping[str, Table]]) -> None:
    """Add to an error the labels of the tables: the tool knows only names in files, which are often just B."""
    given = [(label, read) for named in tables.values() for label, read in named.items()]
    if isinstance(error, Mismatch) and error.tables:
        labels = {id(read): label for label, read in given}
        if all(id(table) in labels for table in error.tables):
            error.called(tuple(f"'{labels[id(table)]}'" for table in error.tables))
        error.tables = ()  # an error may be sent to another process
        return
    for label, read in given:
        if read.name and sum(read.name == other.name for _, other in given) == 1:
            error.message = error.message.replace(f"'{read.name}'", f"'{label}'")
