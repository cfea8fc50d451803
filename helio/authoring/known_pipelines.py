"""Recognise requests to run, schedule or undo, for which helio has commands."""

from __future__ import annotations

import re
import shlex
from datetime import datetime

from helio.authoring.rules.changes.atoms import COUNT, COUNTED
from helio.authoring.rules.reading.sentence import Sentence
from helio.counts import number_of
from helio.errors import HelioError, RequestError
from helio.pipelines.library import Entry, Library

_RUN = re.compile(
    r"^\s*(?:please\s+)?(?:run|re-?run|execute)\s+(?:(?:my|our|the)\s+)?(?P<what>.+)$", re.IGNORECASE
)
_SAME = re.compile(r"^\s*(?:show\s+(?:me\s+)?)?(?:the\s+)?same\b", re.IGNORECASE)
_SCHEDULE = re.compile(
    r"\s*(?:please\s+|now\s+|and\s+)*(?:schedule\b|(?:run|repeat|update|plot|draw|make)\s+(?:it|this|that)\s+"
    r"(?:automatically\s+)?(?:every|each|daily|hourly|weekly|monthly)\b)",
    re.IGNORECASE,
)
_UNDO = re.compile(
    r"\s*(?:please\s+)?(?:undo|take|put|revert)(?:\s+(?:that|this|it|the last (?:change|one)))?(?:\s+back)?\s*[.!]?\s*",
    re.IGNORECASE,
)
_UNDO_SEVERAL = re.compile(
    rf"\s*(?:please\s+)?(?:undo|take back|revert)\s+(?:the\s+)?(?:last\s+(?P<count>\d+|{COUNT})(?:\s+(?:changes|ones))?"
    r"|all(?:\s+(?:of (?:it|them)|(?:the )?changes))?|everything)\s*[.!]?\s*",
    re.IGNORECASE,
)
_RESTORE = re.compile(
    r"\s*(?:please\s+)?(?:redo(?:\s+(?:that|this|it|the last change))?"
    r"|(?:go|get|revert|return|restore)(?:\s+back)?(?:\s+to)?\s+(?:revision|version)\s+(?P<number>\d+))\s*[.!]?\s*",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\bat\s+(\d{1,2})(?::(\d\d))?\s*(am|pm)?\b", re.IGNORECASE)
_OTHER_REPEAT = re.compile(
    r"\b(?:every|each)\s+(?:\d|other|second|third|few|two|three|minute|year)", re.IGNORECASE
)
"""Repeats that need more thought than `schedule_command` has."""
_WEEKDAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_SAYS_NOTHING = frozenset(
    re.findall(r"\w+", "a an again for from in of on over during once more my our the pipeline template")
)


def answered(request: str, library: Library, now: datetime) -> str:
    """Return the commands that run the requested pipeline; empty if no known pipeline fits the request.

    Raises
    ------
    RequestError
        It asks for "the same", without naming a pipeline.
    """
    if _SAME.search(request):
        raise RequestError(
            "the request says 'the same', but names no pipeline; `helio author` writes new pipelines only",
            advice=f"use `helio edit PIPELINE {shlex.quote(' '.join(request.split()))}`;"
            " `helio list` shows the pipelines",
        )
    match = _RUN.match(request)
    if match is None:
        return ""
    times = Sentence(match["what"]).take_times(now)
    rest = match["what"]
    for phrase in times:
        rest = rest.replace(phrase, " ")
    words = set(re.findall(r"[a-z0-9]+", rest.casefold())) - _SAYS_NOTHING
    fitting = [entry for entry in library.entries() if words and words <= _words(entry, library)]
    own = [entry for entry in fitting if not entry.shipped]
    if not fitting or len(times) > 1:
        return ""
    over = f" --time-range {shlex.quote(times[0])}" if times else ""
    return "\n".join(f"helio run {entry.id}{over}" for entry in own or fitting)


def asks_to_undo(request: str) -> bool:
    """Return whether a sentence only takes the last change back."""
    return bool(_UNDO.fullmatch(request))


def history_command(request: str, name: str) -> str:
    """Return the command that does what a sentence says that only goes back to an earlier text; otherwise empty.

    >>> history_command("undo that", "omni"), history_command("undo the smoothing", "omni")
    ('helio edit omni --undo', '')
    >>> history_command("go back to revision 17", "omni"), history_command("undo the last two", "omni")
    ('helio history omni --restore 17', 'helio history omni --restore NUMBER')
    """
    if asks_to_undo(request):
        return f"helio edit {name} --undo"
    if match := _UNDO_SEVERAL.fullmatch(request) or _RESTORE.fullmatch(request):
        return f"helio history {name} --restore {match.groupdict().get('number') or 'NUMBER'}"
    return ""


def changes_to_undo(request: str, pending: int) -> int:
    """Return how many pending changes a sentence takes back at once; 0 if it names no number of changes.

    Raises
    ------
    RequestError
        Fewer changes are pending.

    >>> changes_to_undo("undo the last two", 3), changes_to_undo("undo everything", 3), changes_to_undo("undo that", 3)
    (2, 3, 0)
    """
    asked = _UNDO_SEVERAL.fullmatch(request)
    if asked is None:
        return 0
    written = (asked["count"] or "").casefold()
    count = COUNTED.get(written, 0) or (int(written) if written.isdecimal() else pending)
    if not 0 < count <= pending:
        there_are = number_of(pending, "change is", "changes are") if pending else "no change is"
        raise RequestError(f"{there_are} pending", advice="use /diff to see them" if pending else "")
    return count


def schedule_command(request: str, pipeline: str, archive: str = "") -> str:
    """Return the command that schedules a pipeline as a sentence says; empty if the sentence asks for no schedule.

    >>> schedule_command("schedule it every day at 7", "omni")
    "helio schedule add omni --cron '0 7 * * *' --time-range yesterday"
    >>> schedule_command("please run it every Monday", "omni", "sample")
    "helio schedule add omni --cron '10 6 * * 1' --time-range 'last 7 days' --archive sample"
    >>> schedule_command("run this hourly", "omni")
    "helio schedule add omni --cron '10 * * * *' --time-range 'previous hour'"
    >>> schedule_command("plot it every day at 7", "omni") == schedule_command("run it every day at 7", "omni")
    True
    >>> schedule_command("make Bz red", "omni"), schedule_command("run it every 3 days", "omni")
    ('', '')
    """
    if _SCHEDULE.match(request) is None or _OTHER_REPEAT.search(request):
        return ""
    hour: int | str = 6
    minute = 10
    clock = _CLOCK.search(request)
    if clock:
        half_day = 12 if (clock[3] or "").casefold() == "pm" and clock[1] != "12" else 0
        hour, minute = min(int(clock[1]) + half_day, 23), min(int(clock[2] or 0), 59)
    days, time_range = "* * *", "yesterday"
    weekday = next((number for number, day in enumerate(_WEEKDAYS) if day in request.casefold()), None)
    if weekday is not None or re.search(r"\bweek(?:ly)?\b", request, re.IGNORECASE):
        days, time_range = f"* * {1 if weekday is None else weekday}", "last 7 days"
    elif re.search(r"\bmonth(?:ly)?\b", request, re.IGNORECASE):
        days, time_range = "1 * *", "previous month"
    elif re.search(r"\bhour(?:ly)?\b", request, re.IGNORECASE):
        hour, time_range = "*", "previous hour"
    cron = f"{minute} {hour} {days}"
    words = ["helio", "schedule", "add", pipeline, "--cron", cron, "--time-range", time_range]
    return shlex.join(words + (["--archive", archive] if archive else []))


def _words(entry: Entry, library: Library) -> set[str]:
    """Return the words in the id and the name of a pipeline."""
    try:
        name = str(library.read(entry).get("name") or "")
    except HelioError:  # a damaged one still has its id; its run reports the damage
        name = ""
    return set(re.findall(r"[a-z0-9]+", f"{entry.id} {name}".casefold()))
