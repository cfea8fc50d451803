"""Make steps of the tables that a model takes from documents: each value with its page and quote, which helio looks up.

HA109 (error)  a table of a document that cannot be made
    A cell lacks its page, its quote or a value that fits its column.
    before  {"row": 1, "column": "start", "value": "17 March", "page": 4, "quote": "17 March"}
    after   the author is asked again
    to do   Nothing in the template: the model is asked again. If it fails again, give only the page with the table.

HA110 (error)  values of a document outside tables
    A reviewer could not see from which page they come.
    before  a step store_dataframe with code that holds the times of a paper
    after   the author is asked again
    to do   Nothing in the template: the model is asked again. If it fails again, give the table as CSV.

HE408 (warning)  a value whose quote is not in the document, or has another value
    The model may have misread the document, or invented the value.
    before  the quote "at 06 UT" for page 4, which does not have these words
    after   a warning above the changes; the cell says that the quote was not found there
    to do   Look at the page, and reject the proposal if the value is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from helio.authoring.documents.event_lists import MOST_EVENTS
from helio.authoring.documents.event_times import moment
from helio.authoring.documents.quotes import has_value, is_on_page
from helio.authoring.documents.source_files import SourceFile
from helio.authoring.models.exchange import RejectedAnswer
from helio.errors import RequestError
from helio.pipelines.dialect.written import object_of, spec_of, written_steps
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.document import Document
from helio.pipelines.template.from_document import (
    KEY,
    START,
    STOP,
    TIME,
    Cell,
    FromDocument,
    code_of,
    from_document,
    is_changed,
)

MOST_TABLES = 12
"""Maximum number of tables of one answer."""
MOST_COLUMNS = 8
"""Maximum number of columns of numbers of a table."""
LONGEST_QUOTE = 300
"""Maximum number of characters of a quote."""
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_COLUMN = re.compile(r"[^\W\d_][\w .^/()*+-]{0,39}")
_DASHES = str.maketrans("‐‑‒–—―−﹣－", "---------")
_MAKER = "store_dataframe"
_VALUES = ("pandas_code", "zero_times")
"""Arguments that can contain the values of a table."""
WRONG, HIDDEN, DOUBTFUL = "HA109", "HA110", "HE408"

RULE = (
    "If the request needs values that stand in a document, such as a list of events or a table of numbers, answer with "
    "them in tables: one cell for each value, with the page (from 1; 0 for a picture or a text) and the exact words of "
    "the document around the value. Columns: time; or start and stop; or time and named columns of numbers, all in one "
    "unit. Leave out the cell of a number that the document lacks. Times are ISO 8601 in UTC. Rows count from 1. Code "
    "makes a step of each table; steps read it by its label: a figure shades a table of start and stop with events, "
    "and marks a table of times with vlines and of; superposed_epoch reads it as events_label. Never write values of a "
    "document into steps."
)
TABLES: Mapping[str, Any] = {
    "type": "array",
    "description": "Values that were read from documents.",
    "items": {
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "The label of the table, as ICMES."},
            "document": {"type": "integer", "description": "The number of the document."},
            "unit": {
                "type": "string",
                "description": "The unit of its numbers; empty for none and for times.",
            },
            "cells": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "row": {"type": "integer"},
                        "column": {"type": "string"},
                        "value": {"type": "string"},
                        "page": {"type": "integer"},
                        "quote": {"type": "string"},
                    },
                    "required": ["row", "column", "value", "page", "quote"],
                },
            },
        },
        "required": ["label", "document", "cells"],
    },
}
"""JSON Schema of the tables of an answer."""


def with_tables(schema: Mapping[str, Any], sources: Sequence[SourceFile]) -> Mapping[str, Any]:
    """Return the schema of an answer, with tables if the request has documents."""
    if not sources:
        return schema
    return {**schema, "properties": {**schema["properties"], "tables": TABLES}}


def table_steps(
    answer: Mapping[str, Any], sources: Sequence[SourceFile], taken: Sequence[str] = ()
) -> tuple[list[Document], list[Diagnostic]]:
    """Make a step of each table of an answer.

    Parameters
    ----------
    answer : mapping
        The JSON of the answer.
    sources : sequence of SourceFile
        The documents of the request.
    taken : sequence of str
        Labels that no table may have.

    Returns
    -------
    list of dict, list of Diagnostic
        The steps, and a warning for each cell whose quote is not where the model says.

    Raises
    ------
    RejectedAnswer
        A table cannot be made; the diagnostics name its cells.
    """
    tables = list(answer.get("tables") or ()) if sources else []
    if len(tables) > MOST_TABLES:
        raise _rejected([f"an answer may have at most {MOST_TABLES} tables, and has {len(tables)}"])
    labels = [str(table["label"]) for table in tables]
    problems = [
        f"the label '{label[:60]}' is taken, or has other characters than letters, digits and _"
        for label in labels
        if label in taken or labels.count(label) > 1 or not _LABEL.fullmatch(label)
    ]
    if problems:
        raise _rejected(problems)
    steps: list[Document] = []
    doubts: list[Diagnostic] = []
    for table, label in zip(tables, labels, strict=True):
        step, document = _step(table, label, sources)
        steps.append(step)
        doubts += _doubts(label, document)
    return steps, doubts


def _step(
    table: Mapping[str, Any], label: str, sources: Sequence[SourceFile]
) -> tuple[Document, FromDocument]:
    number = table["document"]
    if not 1 <= number <= len(sources):
        raise _rejected([f"table {label}: there is no document {number}"])
    source = sources[number - 1]
    problems: list[str] = []
    cells = [
        cell for written in table["cells"] if (cell := _cell(written, label, source, problems)) is not None
    ]
    problems = problems or list(_wrong_shape(label, cells))
    if problems:
        raise _rejected(problems)
    order = sorted({cell.row for cell in cells})
    columns = list(dict.fromkeys(cell.column for cell in cells))
    if START in columns:
        columns = [START, STOP]
    elif columns[0] != TIME:
        columns = [TIME, *(column for column in columns if column != TIME)]
    cells.sort(key=lambda cell: (order.index(cell.row), columns.index(cell.column)))
    document = FromDocument(source.name, source.digest, tuple(cells))
    has_numbers = columns not in ([TIME], [START, STOP])
    args: Document = {
        "pandas_code": code_of(cells),
        "units": str(table.get("unit") or "") if has_numbers else "s",
        "description": f"from {document.words}, sha256 {source.digest}",
        "output_label": label,
    }
    return {
        "step_id": label,
        "tool_name": _MAKER,
        "tool_args": args,
        "intent": f"Values read from {document.words}",
        "annotations": {KEY: document.to_json()},
    }, document


def _cell(written: Mapping[str, Any], label: str, source: SourceFile, problems: list[str]) -> Cell | None:
    """Read one cell; add its faults to the problems."""
    row, page = written["row"], written["page"]
    column = " ".join(str(written["column"]).split())
    quote = " ".join(str(written["quote"]).split())
    where = f"table {label}, row {row}, {column[:40]}"
    if row < 1 or not _COLUMN.fullmatch(column):
        problems.append(f"{where}: rows count from 1, and a column has a short name")
        return None
    if not quote or len(quote) > LONGEST_QUOTE:
        problems.append(f"{where}: the quote is empty or has more than {LONGEST_QUOTE} characters")
        return None
    most = len(source.pages)
    if source.is_text or not source.is_pdf:
        page = 0
    elif page < 1 or (most and page > most):
        problems.append(f"{where}: {source.name} has no page {page}" + (f"; it has {most}" if most else ""))
        return None
    text = " ".join(str(written["value"]).split())
    value: str | float
    try:
        value = moment(text, where) if column in (TIME, START, STOP) else _number(text, where)
    except RequestError as error:
        problems.append(f"{error.message}: {error.advice}")
        return None
    page_text = source.text if source.is_text else source.pages[page - 1] if page and most else ""
    on_page = is_on_page(quote, page_text) if page_text.strip() else None
    return Cell(row, column, value, page, quote, on_page, is_other=not has_value(quote, value))


def _number(text: str, where: str) -> float:
    try:
        value = float(text.translate(_DASHES))
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise RequestError(f"{where}: '{text[:40]}' is not a number", advice="write the number alone")
    return value


def _wrong_shape(label: str, cells: Sequence[Cell]) -> Iterator[str]:
    """Report the faults of the cells of a table together."""
    columns = dict.fromkeys(cell.column for cell in cells)
    rows = {cell.row for cell in cells}
    is_events = START in columns or STOP in columns
    values = {(cell.row, cell.column): str(cell.value) for cell in cells}
    times = [cell.value for cell in cells if cell.column in (TIME, START)]
    wrong = ""
    if not cells:
        wrong = "has no cells"
    elif is_events and set(columns) != {START, STOP}:
        wrong = f"has the columns {', '.join(columns)}: give start and stop, and nothing else"
    elif not is_events and TIME not in columns:
        wrong = "has no column time, and no start and stop"
    elif len(columns) > MOST_COLUMNS + 1:
        wrong = f"has {len(columns)} columns; at most {MOST_COLUMNS} of numbers"
    elif len(rows) > MOST_EVENTS:
        wrong = f"has {len(rows)} rows; at most {MOST_EVENTS}"
    elif len(cells) != len(values):
        wrong = "has two values for one cell"
    elif lacking := [row for row in sorted(rows) if not _is_whole(row, columns, values)]:
        wrong = f"lacks a value in row {lacking[0]}"
    elif len(set(times)) < len(times):
        wrong = "has two rows with the same time"
    if wrong:
        yield f"table {label} {wrong}"
    elif is_events:
        yield from (
            f"table {label}, row {row}: it stops before or at its start"
            for row in sorted(rows)
            if values[row, STOP] <= values[row, START]
        )


def _is_whole(row: int, columns: Iterable[str], values: Mapping[tuple[int, str], str]) -> bool:
    """Return whether a row has its times, and at least one of its numbers: a document may lack the others."""
    times = [column for column in columns if column in (TIME, START, STOP)]
    numbers = [column for column in columns if column not in times]
    return all((row, column) in values for column in times) and (
        not numbers or any((row, column) in values for column in numbers)
    )


def _doubts(label: str, document: FromDocument) -> Iterator[Diagnostic]:
    """Yield a warning for each cell whose quote is not on its page, or has another value."""
    for cell in document.cells:
        where = f"page {cell.page} of {document.name}" if cell.page else document.name
        if cell.on_page is False:
            what = f"the quote '{cell.quote}' is not on {where}"
        elif cell.is_other:
            shown = cell.value if isinstance(cell.value, str) else f"{cell.value:.15g}"
            what = f"the quote '{cell.quote}' does not contain {shown}"
        else:
            continue
        yield Diagnostic(DOUBTFUL, f"row {cell.row}, {cell.column}: {what}", "warning", label, _MAKER)
    unchecked = sum(cell.on_page is None for cell in document.cells)
    if unchecked:
        why = "helio cannot read its text: it is a picture or a scan, or pypdf is not installed"
        yield Diagnostic(
            DOUBTFUL,
            f"{unchecked} of {len(document.cells)} quotes from {document.name} were not checked: {why}",
            "warning",
            label,
            _MAKER,
        )


def check_tables(
    before: Document, after: Document, by_helio: Sequence[Document], sources: Sequence[SourceFile]
) -> Iterator[Diagnostic]:
    """Refuse steps of a model that hold values of a document without its tables; warn of times in figures.

    Parameters
    ----------
    before, after : dict
        The template before an edit, with no steps if it is new, and the template as the model wrote it.
    by_helio : sequence of dict
        The steps that helio made of tables.
    sources : sequence of SourceFile
        The documents of the request; without any, a step may contain values that no document has.

    Yields
    ------
    Diagnostic
        A warning for each figure with times that the model wrote.

    Raises
    ------
    RejectedAnswer
        A step names a document or contains values that are in no table, or changes the values of a table.
    """
    old = [step.json for step in written_steps(before)]
    allowed = [_annotation(step) for step in (*old, *by_helio)]
    values = [object_of(step.get("tool_args")).get(name) for step in old for name in _VALUES]
    for step in (step.json for step in written_steps(after)):
        name = str(step.get("step_id"))
        document = from_document(step)
        if step in old or step in by_helio:
            continue
        if _annotation(step) is not None and _annotation(step) not in allowed:
            raise _rejected(
                [f"step {name} may not write annotations/document: give the values in tables"], HIDDEN
            )
        if document is not None and is_changed(step):
            raise _rejected(
                [f"the values of step {name} were read from {document.words}: change them with tables"],
                HIDDEN,
            )
        if not sources:
            continue
        args = object_of(step.get("tool_args"))
        written = [args[name] for name in _VALUES if name in args and args[name] not in values]
        if written and (step.get("tool_name") == _MAKER or "zero_times" in args):
            raise _rejected([f"step {name} contains values: give those of a document in tables"], HIDDEN)
        times = [*_written_times(step, "vlines", "x"), *_written_times(step, "vrects", "x0")]
        if times:
            message = f"it marks times that name no page of a document: {', '.join(times[:5])}"
            yield Diagnostic(DOUBTFUL, message, "warning", name, str(step.get("tool_name")))


def _written_times(step: Document, key: str, name: str) -> list[str]:
    marks = (spec_of(step) or {}).get(key)
    every = [mark.get(name) for mark in marks if isinstance(mark, dict)] if isinstance(marks, list) else []
    return [time for time in every if isinstance(time, str) and not time.startswith("$")]


def _annotation(step: Mapping[str, Any]) -> Any:
    annotations = step.get("annotations")
    return annotations.get(KEY) if isinstance(annotations, dict) else None


def _rejected(problems: Sequence[str], code: str = WRONG) -> RejectedAnswer:
    return RejectedAnswer([Diagnostic(code, problem) for problem in problems[:20]])
