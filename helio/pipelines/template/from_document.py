"""Values of a step that were read from a document: where each value stands there, and the code that makes the table.

A step has them in its annotations, below ``document``: the name and the SHA-256 of the file, and one entry in ``cells``
for each value, with its row, column, page and quote. A list that rules have read has no cells.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from helio.pipelines.template.template import Step
from helio.store.records import WrongShape, convert

KEY = "document"
"""Key of a step's annotations."""
TIME, START, STOP = "time", "start", "stop"
"""Columns of times; all other columns have numbers."""
_LONGEST_NAME = 40
"""Maximum characters of the name of a document in a caption."""


@dataclass(frozen=True)
class Cell:
    """A value of a table, and where the document has it.

    Parameters
    ----------
    row : int
        From 1.
    column : str
        ``"time"``, or ``"start"`` and ``"stop"``, or the name of a column of numbers.
    value : str or float
        A time in ISO 8601, UTC, or a number.
    page : int
        Page of the document, from 1; 0 where it has no pages.
    quote : str
        The words of the document with the value.
    on_page : bool or None
        Whether helio found the quote on that page; None if helio cannot read the page.
    is_other : bool
        Whether the quote has another number, time of day or date.
    """

    row: int
    column: str
    value: str | float
    page: int = 0
    quote: str = ""
    on_page: bool | None = None
    is_other: bool = False

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, without facts that are not known."""
        facts: dict[str, Any] = {"row": self.row, "column": self.column, "value": self.value}
        facts |= {"page": self.page} if self.page else {}
        facts |= {"quote": self.quote} if self.quote else {}
        facts |= {} if self.on_page is None else {"on_page": self.on_page}
        return {**facts, "is_other": True} if self.is_other else facts

    @property
    def words(self) -> str:
        """Return the cell and its source in words: ``row 3, stop: … ← page 4 'until 05 UT on the 18th'``."""
        at = f"page {self.page} " if self.page else ""
        doubts = {True: [], False: ["NOT FOUND there"], None: ["not checked"]}[self.on_page]
        doubts = [*doubts, "the quote has ANOTHER VALUE"] if self.is_other else doubts
        doubt = f" ({'; '.join(doubts)})" if doubts else ""
        return f"row {self.row}, {self.column}: {self.value} ← {at}'{self.quote}'{doubt}"


@dataclass(frozen=True)
class FromDocument:
    """A document from which the values of a step were read.

    Examples
    --------
    >>> table = FromDocument("paper.pdf", "0" * 64, (Cell(1, "start", "2015-03-17T06:00:00", 4, "at 06 UT", True),))
    >>> table.words, table.cells[0].words
    ('paper.pdf p. 4', "row 1, start: 2015-03-17T06:00:00 ← page 4 'at 06 UT'")
    """

    name: str
    sha256: str
    cells: tuple[Cell, ...] = ()

    @property
    def pages(self) -> list[int]:
        """Return the pages of the values, in order."""
        return sorted({cell.page for cell in self.cells if cell.page})

    @property
    def words(self) -> str:
        """Return the document and its pages in words, for captions."""
        name = self.name if len(self.name) <= _LONGEST_NAME else f"{self.name[: _LONGEST_NAME - 1]}…"
        if not self.pages:
            return name
        return f"{name} p{'p' if len(self.pages) > 1 else ''}. {', '.join(map(str, self.pages))}"

    @property
    def lines(self) -> list[str]:
        """Return the document and each of its cells in a line, for a review."""
        return [f"{self.name}, sha256 {self.sha256}", *(cell.words for cell in self.cells)]

    def to_json(self) -> dict[str, Any]:
        """Convert to the JSON that stands in the annotations of a step."""
        cells = [cell.to_json() for cell in self.cells]
        return {"name": self.name, "sha256": self.sha256, **({"cells": cells} if cells else {})}

    def short(self) -> dict[str, Any]:
        """Return the name, the SHA-256 and the pages, for the record of a run."""
        return {"name": self.name, "sha256": self.sha256, **({"pages": self.pages} if self.pages else {})}


def from_document(step: Mapping[str, Any] | Step) -> FromDocument | None:
    """Return the document that a step names in its annotations; None if it names none, or not in this form."""
    annotations = step.annotations if isinstance(step, Step) else step.get("annotations")
    if not isinstance(annotations, Mapping) or KEY not in annotations:
        return None
    try:
        document: FromDocument = convert(annotations[KEY], FromDocument)
    except WrongShape:
        return None
    return document


def documents_by_label(steps: Iterable[Step]) -> dict[str, FromDocument]:
    """Return the document of each label whose step names one."""
    named = ((step, from_document(step)) for step in steps)
    return {label: document for step, document in named if document is not None for label in step.produces}


def code_of(cells: Sequence[Cell]) -> str:
    """Return the code that makes a table of cells: of times, of durations, or of numbers over time.

    >>> print(code_of([Cell(1, "time", "2024-05-10T17:05:00"), Cell(1, "Dst", -412.0)]))
    rows = [
        ("2024-05-10T17:05:00", -412.0),
    ]
    time = pd.to_datetime([row[0] for row in rows], format="ISO8601")
    result = pd.DataFrame([row[1:] for row in rows], index=time, columns=["Dst"])

    A number that the document lacks is None in the code, and NaN in the table.
    """
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows: dict[int, dict[str, str | float]] = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.column] = cell.value
    values = [[row.get(column) for column in columns] for row in rows.values()]
    if columns == [TIME]:
        return code_of_times([str(row[0]) for row in values])
    if columns == [START, STOP]:
        return code_of_events([(str(row[0]), str(row[1])) for row in values])
    return (
        f"{_rows(values)}"
        'time = pd.to_datetime([row[0] for row in rows], format="ISO8601")\n'
        f"result = pd.DataFrame([row[1:] for row in rows], index=time, columns={json.dumps(columns[1:])})"
    )


def code_of_events(events: Iterable[tuple[str, str]]) -> str:
    """Return code that makes a table of durations, with the start and the stop of one event in each line.

    >>> print(code_of_events([("2024-05-10T17:05:00", "2024-05-12T00:00:00")]))
    rows = [
        ("2024-05-10T17:05:00", "2024-05-12T00:00:00"),
    ]
    start = pd.to_datetime([row[0] for row in rows], format="ISO8601")
    stop = pd.to_datetime([row[1] for row in rows], format="ISO8601")
    result = pd.Series((stop - start).total_seconds(), index=start)
    """
    return (
        f"{_rows(events)}"
        'start = pd.to_datetime([row[0] for row in rows], format="ISO8601")\n'
        'stop = pd.to_datetime([row[1] for row in rows], format="ISO8601")\n'
        "result = pd.Series((stop - start).total_seconds(), index=start)"
    )


def code_of_times(times: Iterable[str]) -> str:
    """Return code that makes a table of times, with one time in each line; each is an event without a length.

    >>> print(code_of_times(["2024-05-10T17:05:00"]))
    times = [
        "2024-05-10T17:05:00",
    ]
    result = pd.Series(0.0, index=pd.to_datetime(times, format="ISO8601"))
    """
    lines = "\n".join(f"    {json.dumps(time)}," for time in times)
    return f'times = [\n{lines}\n]\nresult = pd.Series(0.0, index=pd.to_datetime(times, format="ISO8601"))'


def _rows(rows: Iterable[Sequence[str | float | None]]) -> str:
    lines = "\n".join(
        f"    ({', '.join('None' if value is None else json.dumps(value) for value in row)})," for row in rows
    )
    return f"rows = [\n{lines}\n]\n"


def is_changed(step: Mapping[str, Any] | Step) -> bool:
    """Return whether the code of a step no longer makes the table that its document gives, cell by cell."""
    document = from_document(step)
    if document is None or not document.cells:
        return False
    args = step.tool_args if isinstance(step, Step) else step.get("tool_args")
    return not isinstance(args, Mapping) or args.get("pandas_code") != code_of(document.cells)
