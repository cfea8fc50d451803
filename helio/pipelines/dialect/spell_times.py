"""Time ranges in their one spelling; phrases that are not understood completely are refused.

HN701 (edit safe)  time value in its one spelling
    Lists, objects, offsets and every accepted form name one half-open interval in UTC.
    before  "time_range": ["2024-01-01", "2024-01-08"]
    after   "time_range": "2024-01-01 to 2024-01-08"

HN702 (error)  time phrase not understood completely
    Half understood, it would silently be another range.
    before  "last 3 days of January 2024"
    after   refused, the accepted forms named

HN703 (error)  reversed or empty range
    Swapping it is a guess; it is offered.
    before  "2024-01-20 to 2024-01-15"
    after   refused: "2024-01-15 to 2024-01-20"?

HN704 (edit safe)  relative phrase in its one spelling
    It stays relative until a run resolves it against one clock.
    before  "past 5 days"
    after   "last 5 days"

HN705 (edit safe + warning)  time phrase that earlier versions read as another range
    Both ranges are named, so that a stored phrase never changes its meaning without a word.
    before  "2024-01/2024-03", read as January to March before
    after   "2024-01-01 to 2024-03-01"
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from helio.errors import TimeRangeError
from helio.pipelines.dialect.synonyms import RANGE_PAIRS, fold, is_null
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.walk import each_step, id_of, name_of, variables_of
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.variables import TOKEN
from helio.time_range import canonical, former_meaning, is_relative, names_days

MEANT = re.compile(r"did you mean '(.+)'\?")


def spell_times(plan: Document, context: Context) -> Iterator[Finding]:
    """Write each time range as ``A to B``, or as the relative phrase that it is; it is resolved only in a run.

    A phrase that earlier versions read as another range is written as what it means now, with a warning.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> steps = [{"step_id": 1, "tool_name": "fetch_data", "tool_args": {"time_range": time}}
    ...          for time in (["2024-01-01", "2024-01-08"], "past 5 days", "last 3 days of May", "2024-03 to 2024-01",
    ...                       "2024-01/2024-03")]
    >>> for finding in spell_times({"steps": steps}, Context(signatures(), datetime(2024, 1, 1), {})):
    ...     print(finding.code, finding.message)
    HN701 2024-01-01 to 2024-01-08
    HN704 last 5 days
    HN702 'last 3 days of May' is not understood as a time range
    HN703 '2024-03 to 2024-01' ends before it starts
    HN705 2024-01-01 to 2024-03-01
    """
    times = {
        name for name, facts in variables_of(plan).items() if facts.get("type") in ("time_range", "interval")
    }
    for name, facts in variables_of(plan).items():
        if facts.get("type") == "time_range" and "default" in facts:
            at = pointer("variables", name, "default")
            yield from _spelt(facts["default"], at, None, "", f"{name}: ")
    for path, step in each_step(plan):
        loop = step.get("for_each")
        over = loop.get("over") if isinstance(loop, dict) else None
        if isinstance(over, dict) and "intervals" in over:
            at = pointer(*path, "for_each", "over", "intervals")
            yield from _spelt(over["intervals"], at, id_of(step), name_of(step), "", times)
        signature, args = context.signatures.get(name_of(step)), step.get("tool_args")
        if signature is None or not isinstance(args, dict):
            continue
        for name in signature.time_arguments():
            if name in args:
                at = pointer(*path, "tool_args", name)
                yield from _spelt(args[name], at, id_of(step), signature.name, "", times)


def _spelt(
    value: Any, at: str, step_id: StepId | None, tool: str, whose: str, times: Collection[str] = ()
) -> Iterator[Finding]:
    text, older = _phrases(value) or (None, "")
    held = [token for token in TOKEN.findall(text or "") if token in times]
    if text is not None and held and TOKEN.fullmatch(text) is None:
        yield Diagnostic(
            "HN702",
            f"{whose}'{text}' is not understood as a time range: {held[0]} is a whole one already",
            step_id=step_id,
            tool_name=tool,
            path=at,
            advice=(f"write '{held[0]}' alone",),
            candidates=(held[0],),
            fixes=(Fix(f"write '{held[0]}'", replaced(at, value, held[0])),),
        )
        return
    if text is None or is_null(text) or TOKEN.search(text):
        if text is not None and text != value and not is_null(text):
            yield Edit("HN701", f"{whose}{text}", replaced(at, value, text), step_id, path=at)
        return
    try:
        spelt = canonical(text)
        if spelt != value:
            written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            warning = read_otherwise(text, older, f"'{written}'")
            code = "HN705" if warning else "HN704" if is_relative(spelt) else "HN701"
            yield Edit(code, f"{whose}{spelt}", replaced(at, value, spelt), step_id, warning=warning, path=at)
    except TimeRangeError as error:
        meant = [match[1] for match in [MEANT.fullmatch(error.advice or "")] if match]
        yield Diagnostic(
            "HN703" if error.empty else "HN702",
            f"{whose}{error.message}",
            step_id=step_id,
            tool_name=tool,
            path=at,
            advice=(error.advice,) if error.advice else (),
            candidates=tuple(meant),
            fixes=tuple(Fix(f"write '{guess}'", replaced(at, value, guess)) for guess in meant),
        )


def joined(start: str, stop: str, stop_name: str) -> str:
    """The phrase of a start and a stop; an ``end_date`` without a clock is a whole day, and included.

    >>> joined("2024-05-10", "2024-05-12", "end_date"), joined("2024-05-10", "2024-05-12", "end")
    ('2024-05-10 through 2024-05-12', '2024-05-10 to 2024-05-12')
    """
    included = "date" in fold(stop_name) and names_days(stop)
    return f"{start.strip()} {'through' if included else 'to'} {stop.strip()}"


def read_otherwise(text: str, older: str, written: str) -> str:
    """What to say of a phrase that earlier versions read as another range; empty for all others.

    Parameters
    ----------
    older : str
        The phrase as which they read it: the same one, if it was given as a text.
    written : str
        How the author wrote it, for the message.
    """
    with suppress(TimeRangeError):  # they refused it, so that nothing was ever made of it
        former = former_meaning(text) if older == text else canonical(older)
        if former is not None and former != canonical(text):
            return f"{written} is {canonical(text)}; earlier versions of helio read it as {former}"
    return ""


def _phrases(value: Any) -> tuple[str, str] | None:
    """The phrase of a range given as a text, a list or an object of start and stop; and that of earlier versions."""
    if isinstance(value, str):
        members = unpack(value, list) or unpack(value, dict)
        return (value, value) if members is None else _phrases(members) or (value, value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value), str(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        if len(value) == 2 and not any(map(is_null, value)):
            return _joined_phrases(value[0], value[1], "")
        return (value[0], value[0]) if len(value) == 1 else None
    if isinstance(value, dict) and len(value) == 2:
        members = {fold(key): fact for key, fact in value.items()}
        for first, second in RANGE_PAIRS:
            start, stop = members.get(fold(first)), members.get(fold(second))
            if isinstance(start, str) and isinstance(stop, str) and not is_null(start) and not is_null(stop):
                return _joined_phrases(start, stop, second)
    return None


def _joined_phrases(start: str, stop: str, stop_name: str) -> tuple[str, str]:
    return joined(start, stop, stop_name), joined(start, stop, "")
