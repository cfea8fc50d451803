"""Answer questions about values from the tables of a run: records, gaps, missing values, extremes, ends of curves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from helio.authoring.named_lines import lines_named
from helio.authoring.outcome import NotUnderstood
from helio.counts import number_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.unit_spelling import pretty_unit
from helio.pipelines.runs.kept_tables import kept_table
from helio.steps.compute.columns import columns_of
from helio.steps.compute.stretches import in_words
from helio.steps.describe import describe
from helio.store.runs import RunRecord
from helio.store.store import Store
from helio.store.table import Table

_MOST_TABLES = 6
_MOST_COLUMNS = 6
_GREATEST = "maximum|max|peak|greatest|largest|highest"
_LEAST = "minimum|min|smallest|lowest|least"
_PROPERTY = re.compile(
    r"\b(?:cadences?|resolutions?|rates?|energ\w+|bands?|channels?|bins?|frequenc\w+|levels?|versions?|steps?)\b",
    re.IGNORECASE,
)
"""What metadata have a greatest of, and not the tables."""
_OF = r"(?:\s+(?:values?|points?))?(?:\s+(?:of|in|for))?(?:\s+the)?(?:\s+(?P<what>[^?]+?))?"
_END = r"(?:\s+(?:there|read|drawn|shown))?\s*[?.!]*$"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:(?:and|so|hi|hello|please)[\s,]+)*(?:{text}){_END}", re.IGNORECASE)


def _records(table: Table) -> Iterator[str]:
    yield number_of(len(table), "record")


def _gaps(table: Table) -> Iterator[str]:
    found = describe(table)
    if found.longest_gap is None:
        yield "no gap"
        return
    hole = found.longest_gap
    yield (
        f"{number_of(found.gaps, 'gap')}; the longest is {in_words(hole.seconds * 1e9)}, "
        f"{_time(hole.start)} to {_time(hole.stop)}"
    )


def _missing(table: Table) -> Iterator[str]:
    flat = columns_of(table.values)
    yield f"{int(np.isnan(flat).sum()):,} of {number_of(flat.size, 'value')} missing"


def _extreme(pick: Callable[[npt.NDArray[np.float64]], np.intp]) -> Callable[[Table], Iterator[str]]:
    def found(table: Table) -> Iterator[str]:
        flat = columns_of(table.values)
        columns = [flat.reshape(-1, 1).T.reshape(-1)] if table.kind == "spectrum" else list(flat.T)
        names = [""] if len(columns) == 1 else table.columns()
        for name, column in list(zip(names, columns, strict=True))[:_MOST_COLUMNS]:
            of = f"{name}: " if name else ""
            if not np.isfinite(column).any():
                yield f"{of}no value"
                continue
            at = int(pick(np.where(np.isfinite(column), column, np.nan)))
            epoch = table.epoch[at * len(table) // len(column)]
            unit = f" {pretty_unit(table.unit)}" if table.unit else ""
            yield f"{of}{column[at]:.6g}{unit} at {_time(str(epoch))}"

    return found


def _edge(last: bool) -> Callable[[Table], Iterator[str]]:
    def found(table: Table) -> Iterator[str]:
        known = np.flatnonzero(np.isfinite(columns_of(table.values)).any(axis=1))
        if known.size:
            yield _time(str(table.epoch[known[-1 if last else 0]]))
        else:
            yield "no value"

    return found


_IN = r"(?:\s+(?:in|of|for)(?:\s+the)?\s+(?P<what>[^?]+?))?"
_THERE = r"(?:\s+(?:are|were)(?:\s+there)?)?"
_CURVE = r"(?:\s+the)?\s+(?:(?P<what>[^?]+?)\s+)?(?:curves?|lines?|traces?)"
_WHAT = r"(?:what|when)(?:'s| is| was)(?:\s+the)?"
_WHERE = r"(?:where|when) (?:does|do|did)"
_ASKED: tuple[tuple[re.Pattern[str], Callable[[Table], Iterator[str]]], ...] = (
    (_pattern(rf"how many (?:records?|(?:data )?points|samples|values){_THERE}{_IN}"), _records),
    (
        _pattern(
            rf"(?:(?:are|were) there|how many|where (?:are|were))(?: any| the| data)* gaps{_THERE}{_IN}"
        ),
        _gaps,
    ),
    (
        _pattern(
            rf"(?:(?:are|were) there|how many)(?: any)? (?:missing (?:values|points)|NaNs?){_THERE}{_IN}"
        ),
        _missing,
    ),
    (_pattern(rf"{_WHAT} (?:{_GREATEST}){_OF}"), _extreme(np.nanargmax)),
    (_pattern(rf"{_WHAT} (?:{_LEAST}){_OF}"), _extreme(np.nanargmin)),
    (_pattern(rf"{_WHERE}{_CURVE} (?:end|stop)"), _edge(last=True)),
    (_pattern(rf"{_WHERE}{_CURVE} (?:start|begin)"), _edge(last=False)),
)
"""The questions, each with what a table says to it."""


_FILES = _pattern(
    r"(?:which|what) (?:data )?files? (?:was|were|is|are) (?:read|used|downloaded|fetched)"
    r"|(?:which|what) version of the (?:data|files?)(?: (?:was|were|is|are) (?:read|used))?"
)


def asks_for_values(text: str) -> bool:
    """Return whether a sentence asks for something that only the tables of a run have.

    >>> asks_for_values("are there gaps?"), asks_for_values("what is the highest energy band?")
    (True, True)
    >>> asks_for_values("what is the cadence?"), asks_for_values("fill the gaps")
    (False, False)
    """
    return bool(_FILES.match(text)) or any(pattern.match(text) for pattern, _ in _ASKED)


def values_answered(question: str, record: RunRecord, store: Store, catalogue: Catalogue) -> list[str]:
    """Answer a question about values from the tables of a run; return nothing if it names no line of the run's figure.

    Raises
    ------
    RequestError
        The run did not make the table.
    DamagedObject
        The store no longer has the table.
    """
    kind = "preview" if record.folder.parent.name == "previews" else "run"
    if _FILES.match(question):
        return [*_files(record), f"from the record of {kind} {record.id}"]
    for pattern, said in _ASKED:
        if asked := pattern.match(question):
            labels = _labels((asked["what"] or "").strip(), record, catalogue)
            lines = [
                f"{fact} ({label})"
                for label in labels[:_MOST_TABLES]
                for fact in said(kept_table(record, label, store))
            ]
            return [*lines, f"from the tables of {kind} {record.id}"] if lines else []
    return []


def _files(record: RunRecord) -> Sequence[str]:
    """Return the files that a run read, each with its version, its provider and its dataset."""
    sources = [
        source for step in record.step_records for output in step["outputs"] for source in output["sources"]
    ]
    lines = [
        f"{source.file}, {f'version {source.version}, ' if source.version else ''}from {source.provider} "
        f"({source.dataset_id})"
        for source in sources
    ]
    return list(dict.fromkeys(lines)) or ["no file was read"]


def _labels(what: str, record: RunRecord, catalogue: Catalogue) -> Sequence[str]:
    if _PROPERTY.search(what):
        return ()
    try:
        return lines_named(what, record.authored, catalogue)
    except NotUnderstood:
        return ()


def _time(epoch: str) -> str:
    """Write an epoch for people: ``2022-01-01 05:30:00``."""
    return epoch.removesuffix("Z").replace("T", " ").partition(".")[0]
