"""Write time ranges in the standard spelling; refuse phrases that helio does not understand completely.

HN701 (edit safe)  time range written in its standard spelling
    Lists, objects, offsets and all other accepted forms mean one half-open interval in UTC.
    before  "time_range": ["2024-01-01", "2024-01-08"]
    after   "time_range": "2024-01-01 to 2024-01-08"
    to do   Nothing. helio corrects the plan of the run; `helio fix PIPELINE` corrects your file too, but keeps a
            phrase such as "2024-01-01".

HN702 (error)  time phrase not understood completely
    helio would silently use another range if it ignored a part of the phrase.
    before  "last 3 days of January 2024"
    after   refused, the accepted forms named
    to do   Write the range in one of the forms that the message gives, such as "2024-01-01 to 2024-01-15".

HN703 (error)  reversed or empty range
    helio only suggests swapping start and stop, because it would be a guess.
    before  "2024-01-20 to 2024-01-15"
    after   refused: "2024-01-15 to 2024-01-20"?
    to do   Write the earlier time first.

HN704 (edit safe)  relative phrase written in its standard spelling
    The phrase stays relative until a run resolves it with its clock.
    before  "past 5 days"
    after   "last 5 days"
    to do   Nothing. helio corrects the plan of the run, and your file stays as it is.

HN705 (edit safe + warning)  time phrase that earlier versions read as another range
    The warning gives both ranges, so that a stored phrase never changes its meaning silently.
    before  "2024-01/2024-03", read as January to March before
    after   "2024-01-01 to 2024-03-01"
    to do   Check the new range in the message; write both days in full if you want another one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from helio.errors import TimeRangeError
from helio.pipelines.dialect.synonyms import fold, is_null, range_members
from helio.pipelines.dialect.unpack_json import unpack
from helio.pipelines.dialect.written import text_of, variables_of, written_steps
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.variables import TOKEN
from helio.time_range import canonical, former_meaning, is_relative, names_days

MEANT = re.compile(r"did you mean '(.+)'\?")


def spell_times(plan: Document, context: Context) -> Iterator[Finding]:
    """Write each time range as ``A to B``; keep relative phrases such as ``last 7 days``, which need the time of a run.

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
    declared = variables_of(plan)
    ranges = {name for name, facts in declared.items() if facts.get("type") in ("time_range", "interval")}
    for name, facts in declared.items():
        if facts.get("type") == "time_range" and "default" in facts:
            at = pointer("variables", name, "default")
            yield from WrittenTime(facts["default"], at, variable=f"{name}: ").spelt(())
    for time in _times_of_steps(plan, context):
        yield from time.spelt(ranges)


def _times_of_steps(plan: Document, context: Context) -> Iterator[WrittenTime]:
    for step in written_steps(plan):
        if "intervals" in step.over:
            at = step.at("for_each", "over", "intervals")
            yield WrittenTime(step.over["intervals"], at, step.id, step.tool)
        signature = step.signature(context)
        for name in signature.time_arguments() if signature else ():
            if name in step.args:
                yield WrittenTime(step.args[name], step.at("tool_args", name), step.id, step.tool)


@dataclass(frozen=True)
class WrittenTime:
    """A time range as the author of the template wrote it.

    Parameters
    ----------
    at : str
        Its JSON Pointer.
    variable : str
        Begins the message, where it is the default of a variable.
    """

    value: Any
    at: str
    step_id: StepId | None = None
    tool: str = ""
    variable: str = ""

    def spelt(self, ranges: Collection[str]) -> Iterator[Finding]:
        """Yield the edit to the standard spelling, or an error; `ranges` are variables with whole time ranges."""
        phrase = _phrase_of(self.value)
        if phrase is None or is_null(phrase.text):
            return
        text = phrase.text
        whole = [token for token in TOKEN.findall(text) if token in ranges]
        if whole and TOKEN.fullmatch(text) is None:
            message = f"'{text}' is not understood as a time range: {whole[0]} is already a whole time range"
            yield self._refused("HN702", message, f"write '{whole[0]}' alone", whole[:1])
        elif TOKEN.search(text):
            yield from self._written_as(text, "HN701")
        else:
            try:
                spelt = canonical(text)
            except TimeRangeError as error:
                meant = MEANT.fullmatch(error.advice or "")
                guesses = [meant[1]] if meant else []
                yield self._refused("HN703" if error.empty else "HN702", error.message, error.advice, guesses)
                return
            if spelt == self.value:
                return
            written = text_of(self.value) or json.dumps(self.value, ensure_ascii=False)
            warning = read_otherwise(text, phrase.former, f"'{written}'")
            code = "HN705" if warning else "HN704" if is_relative(spelt) else "HN701"
            yield from self._written_as(spelt, code, warning)

    def _written_as(self, text: str, code: str, warning: str = "") -> Iterator[Edit]:
        if text != self.value:
            message, operations = f"{self.variable}{text}", replaced(self.at, self.value, text)
            yield Edit(code, message, operations, self.step_id, warning=warning, path=self.at)

    def _refused(self, code: str, message: str, advice: str, guesses: list[str]) -> Diagnostic:
        return Diagnostic(
            code,
            f"{self.variable}{message}",
            step_id=self.step_id,
            tool_name=self.tool,
            path=self.at,
            advice=(advice,) if advice else (),
            candidates=tuple(guesses),
            fixes=tuple(Fix(f"write '{guess}'", replaced(self.at, self.value, guess)) for guess in guesses),
        )


def joined(start: str, stop: str, stop_name: str) -> str:
    """Combine a start and a stop into one phrase; an ``end_date`` without a time of day includes that whole day.

    >>> joined("2024-05-10", "2024-05-12", "end_date"), joined("2024-05-10", "2024-05-12", "end")
    ('2024-05-10 through 2024-05-12', '2024-05-10 to 2024-05-12')
    """
    included = "date" in fold(stop_name) and names_days(stop)
    return f"{start.strip()} {'through' if included else 'to'} {stop.strip()}"


def read_otherwise(text: str, older: str, written: str) -> str:
    """Return a warning if earlier versions of helio read a phrase as another range; otherwise an empty text.

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
            return f"{written} is read as {canonical(text)}; earlier versions of helio read it as {former}"
    return ""


class Phrase(NamedTuple):
    """Text of a time range, and how earlier versions of helio understood the author's words."""

    text: str
    former: str


def _phrase_of(value: Any) -> Phrase | None:
    """Return the phrase of a time range; the author wrote a text, a list, or an object with start and stop."""
    match value:
        case bool():
            return None
        case int():
            return Phrase(str(value), str(value))
        case str():
            members = unpack(value, list) or unpack(value, dict)
            return (_phrase_of(members) if members else None) or Phrase(value, value)
        case [str(text)]:
            return Phrase(text, text)
        case [str(start), str(stop)] if not (is_null(start) or is_null(stop)):
            return _joined_phrase(start, stop, "")
        case dict() if len(value) == 2 and (keys := range_members(value)):
            start, stop = (text_of(value[key]) for key in keys)
            return None if is_null(start) or is_null(stop) else _joined_phrase(start, stop, keys[1])
    return None


def _joined_phrase(start: str, stop: str, stop_name: str) -> Phrase:
    return Phrase(joined(start, stop, stop_name), joined(start, stop, ""))
