"""Answer questions about values from the tables of a run: gaps, extremes, means, ends of curves, times of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.authoring.named_lines import lines_named
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.lines import AVERAGES, Lines
from helio.authoring.writing.asking import no_question
from helio.counts import number_of
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.unit_spelling import canonical_unit, pretty_unit
from helio.pipelines.runs.kept_tables import kept_table
from helio.pipelines.template.document import Document
from helio.pipelines.template.labels import owner
from helio.steps.compute.columns import columns_of
from helio.steps.compute.stretches import in_words
from helio.steps.describe import describe
from helio.store.runs import RunRecord
from helio.store.store import Store
from helio.store.table import Table

_MOST_TABLES = 6
_MOST_COLUMNS = 6
_MOST_STRETCHES = 6
_GREATEST = "maximum|max|peak|greatest|largest|highest"
_LEAST = "minimum|min|smallest|lowest|least"
_CLOCK = r"(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?"
_WITHIN = re.compile(
    rf",?\s+(?:between|from)\s+(?P<start>{_CLOCK})\s+(?:and|to|until)\s+(?P<stop>{_CLOCK})(?:\s+UTC?\b)?",
    re.IGNORECASE,
)
"""The times to which a question for values is limited."""
_PROPERTY = re.compile(
    r"\b(?:cadences?|resolutions?|rates?|energ\w+|bands?|channels?|bins?|frequenc\w+|levels?|versions?|steps?)\b",
    re.IGNORECASE,
)
"""What metadata have a greatest of, and not the tables."""
_OF = r"(?:\s+(?:values?|points?))?(?:\s+(?:of|in|for))?(?:\s+the)?(?:\s+(?P<what>[^?]+?))?"
_BEGIN = r"\s*(?:(?:and|so|hi|hello|please)[\s,]+)*"
_END = (
    r"(?:\s+(?:there|read|drawn|shown))?"
    r"(?:\s+(?:over|during|in|for)\s+the\s+(?:whole|entire|full)\s+(?:interval|period|time(?:\s+range)?|day|event|figure))?"
)
_WHAT = r"(?:what|when)(?:'s| is| was)(?:\s+the)?"
_BELOW = r"below|under|less\s+than|lower\s+than|smaller\s+than|<"
_ANGLES = frozenset({"deg", "rad"})
"""Units of which a mean of the numbers is no mean."""
_Saying = Callable[[Table, re.Match[str]], Iterator[str]]
"""What a table says to a question."""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"{_BEGIN}(?:{text}){_END}\s*[?.!]*$", re.IGNORECASE)


def _value(words: str) -> re.Pattern[str]:
    """Return the pattern of a question for a value: ``what is the maximum of Bz?``, ``maximum of Bz and when``."""
    when = r"(?:,?\s+and\s+when)(?:\s+(?:is|was)\s+(?:it|that|this))?"
    return re.compile(
        rf"{_BEGIN}(?:{_WHAT}\s+|(?=.*\?)|(?=.*\band when\b))(?:the\s+)?(?:(?:time|date|moment)\s+of\s+(?:the\s+)?)?"
        rf"(?:{words}){_OF}{_END}(?:{when})?\s*[?.!]*$",
        re.IGNORECASE,
    )


def _when(words: str) -> re.Pattern[str]:
    """Return the pattern of a question for the time of a value: ``when is Bz lowest?``."""
    return _pattern(
        rf"when (?:is|was|are|were|does|did)(?: the)? (?P<what>[^?]+?)(?: (?:at|reach|have))?(?: its| the)? (?:{words})"
    )


_SEVERAL_DAYS = "the data are of several days: name a day, as in 2003-11-20 12:00"
Asked = re.Match[str]


def _instant(written: str, table: Table) -> np.datetime64 | None:
    """Return a time of a question; without a date it is of the day of a table, and None if that has several days."""
    date, _, clock = written.upper().replace("T", " ").rpartition(" ")
    days = sorted({*table.epoch[[0, -1]].astype("datetime64[D]").tolist()}) if len(table) else []
    hour, _, rest = clock.partition(":")
    try:
        return np.datetime64(f"{date or days[0]}T{hour:0>2}:{rest}") if date or len(days) == 1 else None
    except ValueError:  # no day of the calendar
        return None


def _value_at(table: Table, asked: Asked) -> Iterator[str]:
    """Yield the values of the record that is nearest to the time of a question."""
    at = _instant(asked["time"], table)
    if at is None or not len(table):
        yield _SEVERAL_DAYS
        return
    nearest = int(np.argmin(np.abs(table.epoch - at)))
    for of, column in _columns(table):
        value = column[nearest] if len(column) == len(table) else np.nan
        said = f"{value:.6g}{_unit(table)}" if np.isfinite(value) else "no value"
        yield f"{of}{said} at {_time(str(table.epoch[nearest]))}, the nearest record"


def _records(table: Table, _: Asked) -> Iterator[str]:
    yield number_of(len(table), "record")


def _gaps(table: Table, asked: Asked) -> Iterator[str]:
    found = describe(table)
    told = "no gap between records"
    if (hole := found.longest_gap) is not None:
        told = (
            f"{number_of(found.gaps, 'gap')} between records; the longest is {in_words(hole.seconds * 1e9)}, "
            f"{_time(hole.start)} to {_time(hole.stop)}"
        )
    yield f"{told}; {next(_missing(table, asked))}"


def _missing(table: Table, _: Asked) -> Iterator[str]:
    flat = columns_of(table.values)
    yield f"{int(np.isnan(flat).sum()):,} of {number_of(flat.size, 'value')} missing"


def _columns(table: Table) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    """Yield the columns of a table, each with its name and a colon; a spectrum, and a single column, has no name."""
    flat = columns_of(table.values)
    columns = [flat.reshape(-1)] if table.kind == "spectrum" else list(flat.T)
    names = [""] if len(columns) == 1 else table.columns()
    for name, column in list(zip(names, columns, strict=True))[:_MOST_COLUMNS]:
        yield f"{name}: " if name else "", column


def _extreme(pick: Callable[[npt.NDArray[np.float64]], np.intp]) -> _Saying:
    def found(table: Table, _: Asked) -> Iterator[str]:
        for of, column in _columns(table):
            if not np.isfinite(column).any():
                yield f"{of}no value"
                continue
            at = int(pick(np.where(np.isfinite(column), column, np.nan)))
            epoch = table.epoch[at * len(table) // len(column)]
            yield f"{of}{column[at]:.6g}{_unit(table)} at {_time(str(epoch))}"

    return found


def _range(table: Table, _: Asked) -> Iterator[str]:
    for of, column in _columns(table):
        valid = column[np.isfinite(column)]
        yield f"{of}{valid.min():.6g} to {valid.max():.6g}{_unit(table)}" if valid.size else f"{of}no value"


def _mean(name: str, of_values: Callable[[npt.NDArray[np.float64]], np.floating[Any]]) -> _Saying:
    def found(table: Table, _: Asked) -> Iterator[str]:
        if canonical_unit(table.unit) in _ANGLES:
            yield f"helio gives no {name} of angles"
            return
        for of, column in _columns(table):
            valid = column[np.isfinite(column)]
            if valid.size:
                yield f"{of}{of_values(valid):.6g}{_unit(table)}, the {name} of {number_of(valid.size, 'value')}"
            else:
                yield f"{of}no value"

    return found


def _stretches(table: Table, asked: Asked) -> Iterator[str]:
    """Yield when the values of each column are below or above the value of a question."""
    if asked["unit"] and canonical_unit(asked["unit"]) != canonical_unit(table.unit):
        yield f"the table is in {pretty_unit(table.unit) or 'no unit'}, not in {asked['unit']}"
        return
    limit, is_below = (
        float(asked["value"].replace("−", "-")),
        bool(re.fullmatch(_BELOW, asked["side"], re.IGNORECASE)),
    )
    side = f"{'below' if is_below else 'above'} {limit:g}{_unit(table)}"
    if table.kind == "spectrum":
        yield "helio gives no times of values of a spectrum"
        return
    cadence = describe(table).cadence_s
    for of, column in _columns(table):
        inside = column < limit if is_below else column > limit
        edges = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False])).astype(int)))
        parts = list(zip(edges[::2], edges[1::2] - 1, strict=True))
        if not parts:
            yield f"{of}never {side}"
            continue
        longest = sorted(parts, key=lambda part: table.epoch[part[0]] - table.epoch[part[1]])[
            :_MOST_STRETCHES
        ]
        times = "; ".join(_between(table, *part) for part in parts if part in longest)
        which = f"the {_MOST_STRETCHES} longest are " if len(parts) > len(longest) else ""
        yield (
            f"{of}{side} in {int(inside.sum()):,} of {number_of(int(np.isfinite(column).sum()), 'value')}"
            f"{f', about {in_words(inside.sum() * cadence * 1e9)}' if cadence else ''}, "
            f"in {number_of(len(parts), 'interval')}: {which}{times}"
        )


def _between(table: Table, first: int, last: int) -> str:
    start, stop = (_time(str(table.epoch[at])) for at in (first, last))
    return start if first == last else f"{start} to {stop.removeprefix(start[:11])}"


def _unit(table: Table) -> str:
    return f" {pretty_unit(table.unit)}" if table.unit else ""


def _edge(last: bool) -> _Saying:
    def found(table: Table, _: Asked) -> Iterator[str]:
        known = np.flatnonzero(np.isfinite(columns_of(table.values)).any(axis=1))
        if known.size:
            yield _time(str(table.epoch[known[-1 if last else 0]]))
        else:
            yield "no value"

    return found


_IN = r"(?:\s+(?:in|of|for|has|have|does|do)(?:\s+the)?\s+(?P<what>[^?]+?)(?:\s+have)?)?"
_THERE = r"(?:\s+(?:are|were)(?:\s+there)?)?"
_CURVE = r"(?:\s+the)?\s+(?:(?P<what>[^?]+?)\s+)?(?:curves?|lines?|traces?)"
_WHERE = r"(?:where|when) (?:does|do|did)"
_SIDE = rf"(?P<side>{_BELOW}|above|over|greater\s+than|more\s+than|higher\s+than|larger\s+than|exceed|>)"
_ASKED: tuple[tuple[re.Pattern[str], _Saying], ...] = (
    (
        _pattern(
            r"how (?:many|much)(?: (?:values|(?:data )?points|samples|records|data))? (?:of|in|for)(?: the)?"
            r" (?P<what>[^?]+?) (?:is|are|was|were) (?:missing|NaNs?)"
        ),
        _missing,
    ),
    (_pattern(rf"how many (?:records?|(?:data )?points|samples|values){_THERE}{_IN}"), _records),
    (
        _pattern(
            r"(?:(?:are|were) there|how many|where (?:are|were)|(?:what|when|where|how long)(?:'s| is| was))"
            rf"(?: any| the| data| longest| largest| biggest)* gaps?{_THERE}{_IN}"
        ),
        _gaps,
    ),
    (
        _pattern(
            rf"(?:(?:are|were) there|how many)(?: any)? (?:missing (?:values|points)|NaNs?){_THERE}{_IN}"
        ),
        _missing,
    ),
    (_value(_GREATEST), _extreme(np.nanargmax)),
    (_value(_LEAST), _extreme(np.nanargmin)),
    (_value("mean|average"), _mean("mean", np.mean)),
    (_value("median"), _mean("median", np.median)),
    (_value("standard deviation|std|spread|scatter"), _mean("standard deviation", np.std)),
    (_value("range|extremes"), _range),
    (_when(_GREATEST), _extreme(np.nanargmax)),
    (_when(_LEAST), _extreme(np.nanargmin)),
    (
        _pattern(rf"what (?:is|was|are|were)(?: the)? (?P<what>[^?]+?) at (?P<time>{_CLOCK})(?: UTC?)?"),
        _value_at,
    ),
    (
        _pattern(
            r"(?:(?:when|how long|how often) )?(?:was|were|is|are|did|does|do)(?: the)? (?P<what>[^?]+?)(?: ever)?"
            rf"(?: (?:go|drop|fall|rise|stay|get))? {_SIDE}\s*(?P<value>[-−+]?\d+(?:\.\d+)?)\s*(?P<unit>[^\s?!]+?)?"
        ),
        _stretches,
    ),
    (_pattern(rf"{_WHERE}{_CURVE} (?:end|stop)"), _edge(last=True)),
    (_pattern(rf"{_WHERE}{_CURVE} (?:start|begin)"), _edge(last=False)),
)
"""The questions, each with what a table says to it."""


_RUN = r"(?:the|this|that)(?: (?:last|latest))? run"
_FILES = _pattern(
    r"(?:(?:which|what) (?:data )?files? (?:(?:was|were|is|are) (?:read|used|downloaded|fetched)"
    rf"|did (?:it|helio|the pipeline|{_RUN}) (?:read|use|download|fetch))"
    r"|(?:which|what) version of the (?:data|files?)(?: (?:was|were|is|are) (?:read|used))?)"
    rf"(?: (?:in|by|during|for) {_RUN}|(?: to (?:draw|plot|make|compute))?(?: for| in)?(?: the)? (?P<what>[^?]+?))?"
)
_WRITTEN = _pattern(
    r"where (?:is|are) (?:the|my) (?:figures?|plots?|files?|pictures?|results?|previews?)(?: saved| now)?"
)


def asks_for_values(text: str) -> bool:
    """Return whether a sentence asks for something that only the tables of a run have.

    >>> asks_for_values("are there gaps?"), asks_for_values("what is the highest energy band?")
    (True, True)
    >>> asks_for_values("what is the cadence?"), asks_for_values("fill the gaps")
    (False, False)
    """
    return bool(_FILES.match(text) or _WRITTEN.match(text)) or _read(text) is not None


@dataclass(frozen=True)
class _Read:
    """A question for values, what answers it, and the times to which it is limited."""

    asked: Asked
    said: _Saying
    within: Asked | None

    @property
    def what(self) -> str:
        """The words for a line; empty if the question names none."""
        return (self.asked["what"] or "").strip()

    def of(self, table: Table) -> Iterator[str]:
        """Yield what a table says to the question."""
        if self.within is None:
            yield from self.said(table, self.asked)
            return
        first, last = (self.within[end].upper().replace("T", " ") for end in ("start", "stop"))
        day = first.rpartition(" ")[0]
        start, stop = (
            _instant(first, table),
            _instant(last if " " in last else f"{day} {last}".strip(), table),
        )
        if start is None or stop is None:
            yield _SEVERAL_DAYS
        elif stop <= start:
            yield f"{last} is not after {first}"
        else:
            limits = f"from {_time(str(start))} to {_time(str(stop))}"
            yield from (f"{fact}, {limits}" for fact in self.said(table.between(start, stop), self.asked))


def _read(text: str) -> _Read | None:
    within = _WITHIN.search(text)
    bare = _WITHIN.sub("", text)
    matches = ((pattern.match(bare), said) for pattern, said in _ASKED)
    return next((_Read(match, said, within) for match, said in matches if match), None)


def values_answered(question: str, record: RunRecord, store: Store, catalogue: Catalogue) -> list[str]:
    """Answer a question about values from the tables of a run; return nothing if it names no line of the run's figure.

    Raises
    ------
    RequestError
        The run did not make the table.
    DamagedObject
        The store no longer has the table.
    """
    drawn = Lines(record.authored, catalogue, no_question)
    if of_files := _FILES.match(question):
        lines = _labels(of_files["what"], record.authored, catalogue) if of_files["what"] else ()
        labels = {label for line in lines for label in drawn.behind(line)}
        told = [] if of_files["what"] and not lines else _files(record, labels)
        return [*told, f"from the record of {record.shown}"] if told else []
    if _WRITTEN.match(question):
        files = [f"{file['kind']:<5} {file['file']}" for file in record.header.get("artefacts", ())]
        return [*(files or ["no file was written"]), f"of {record.shown}"]
    asked = _read(question)
    if asked is None:
        return []
    lines = [
        f"{fact} ({label}{how})"
        for line in _labels(asked.what, record.authored, catalogue)[:_MOST_TABLES]
        for label, how in _with_measured(drawn, line)
        for fact in asked.of(kept_table(record, label, store))
    ]
    return [*lines, f"from the tables of {record.shown}"] if lines else []


def _files(record: RunRecord, labels: Set[str] = frozenset()) -> Sequence[str]:
    """Return the files that a run read for some labels, by default for all, each with version, provider and dataset."""
    sources = [
        source
        for step in record.step_records
        for output in step["outputs"]
        if not labels or output["label"] in labels
        for source in output["sources"]
    ]
    told = [
        f"{source.file}, {f'version {source.version}, ' if source.version else ''}from {source.provider} "
        f"({source.dataset_id})"
        for source in sources
    ]
    return list(dict.fromkeys(told)) or ["no file was read"]


def names_line(question: str, template: Document, catalogue: Catalogue) -> bool:
    """Return whether a question about values names a line of the figure of a template, or asks for files."""
    if _FILES.match(question) or _WRITTEN.match(question):
        return True
    asked = _read(question)
    return bool(asked and asked.what and _labels(asked.what, template, catalogue))


def _labels(what: str, template: Document, catalogue: Catalogue) -> Sequence[str]:
    if _PROPERTY.search(what):
        return ()
    try:
        return lines_named(what, template, catalogue)
    except NotUnderstood:
        return ()


def _with_measured(lines: Lines, label: str) -> Iterator[tuple[str, str]]:
    """Yield a line with how it is averaged, and behind it the measured line of which it is an average."""
    made = owner(label, lines.producers) or label
    source = lines.source(made, AVERAGES)
    if source == made:
        yield label, ""
        return
    step = lines.step(made)
    yield label, f": {step.step.intent or step.tool.replace('_', ' ')}"
    yield source + label[len(made) :], ", not averaged"


def _time(epoch: str) -> str:
    """Write an epoch for people: ``2022-01-01 05:30:00``."""
    return epoch.removesuffix("Z").replace("T", " ").partition(".")[0]
