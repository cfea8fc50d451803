"""Change the time range of a pipeline."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from helio.authoring.fetches import fetch_choices
from helio.authoring.operations import Operation
from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.authoring.rules.changes.clauses import OLD, Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.moments import intervals_of, moments_in
from helio.authoring.rules.events.storms import STORMS
from helio.authoring.rules.harmless import OF_A_TIME
from helio.authoring.writing.open_ranges import closed
from helio.authoring.writing.writer import default_range
from helio.patterns import ignoring_case
from helio.time_range import Duration, TimeRange, parse_time_range

_PART = re.compile(r"(?:the\s+)?(?P<side>last|first)\s+(?:(?P<count>\d+)\s+)?(?P<unit>days?|hours?)")
_TO = re.compile(r"\bto\s+(?:a\s+total\s+of\s+)?(?:the\s+)?$", re.IGNORECASE)
"""Words before the length of the new range: ``extend to 3 days``."""
_UP_TO = re.compile(r"\b(?:to|until|till|through)\s+(?:the\s+)?(?:end\s+of\s+(?:the\s+)?)?$", re.IGNORECASE)
"""Words before the day to which a range is extended."""
_ENDS = re.compile(
    r"\b(?:end\w*|stop\w*)\s+(?:(?:it|(?:the|this)\s+\w+)\s+)?(?:(?:on|at|in|with|after)\s+)?(?:the\s+(?:end\s+of\s+)?)?$",
    re.IGNORECASE,
)
"""Words before the last day of a range: ``end on 26 October``."""
_SAME = r"\bsame\s+(?:\w+\s+)?(?:days?|dates?|weeks?|months?|hours?|times?|interval|period|season|range)\b"
"""Words that take the range before, without its year."""
_RELATIVE = r"last|past|this|current|previous|today|yesterday|now|ago"


def _time_variable(editor: FigureEditor) -> str:
    variables = editor.after.get("variables") or {}
    names = [name for name, variable in variables.items() if variable.get("type") == "time_range"]
    if not names:
        raise NotUnderstood(
            "this pipeline has no variable for its time range",
            advice="use `helio fix` to make a variable from the time ranges",
        )
    return names[0] if len(names) == 1 else editor.ask("Which time range do you mean?", names)


def time_with_data(editor: FigureEditor, span: str) -> str:
    """Return the part of a range without a start or an end in which there are data of the pipeline; a note says so."""
    datasets = [choice.dataset_id for step, _ in editor.fetches for choice in fetch_choices(step.params)]
    span, note = closed(span, datasets, editor.catalogue, editor.now)
    editor.notes.append(note)
    return span


def set_time(editor: FigureEditor, clause: Clause) -> None:
    """Set the time range."""
    times = [str(atom.value) for atom in clause.new("time", "moment") or clause.of("time", "moment")]
    if clause.has("rel:also", "verb:add"):
        raise NotUnderstood(
            "without a language model, helio can replace the time range but not add a second one",
            advice=f"say 'use {times[0]} instead', or {USE_A_MODEL}",
        )
    if len(times) > 1:
        raise NotUnderstood(
            f"the request names {len(times)} time ranges: {', '.join(times)}",
            advice="give one time range, such as 'A to B'",
        )
    if clause.says(_SAME) and re.fullmatch(r"\d{4}|[A-Za-z]+\.? \d{4}|\d{4}-\d\d", times[0]):
        raise NotUnderstood(
            f"helio does not move the time range into another month or year: '{times[0]}'",
            advice="give the dates, as 'A to B'",
        )
    name = _time_variable(editor)
    before = str(editor.after["variables"][name].get("default", ""))
    time = _part_of(before, times[0], editor) if clause.has("verb:only", "verb:zoom") else ""
    time = time or _extended(before, times[0], clause, editor) or _until_now(times[0], before)
    default, notes = default_range(time, parse_time_range(time, editor.now), editor.now)
    given = editor.given.setdefault(("variables", name), default)
    if given != default and not _is_within(default, given, editor.now):
        raise NotUnderstood(
            f"the request names two time ranges: {given} and {default}",
            advice="give one time range, such as 'A to B'",
        )
    if editor.after["variables"][name].get("default") == default:
        editor.notes.append(f"the time range is {default} already")
    _set_range(editor, name, default)
    editor.notes += notes


def _is_within(part: str, whole: str, now: datetime) -> bool:
    """Return whether a time range is part of another: ``the 2022 Sept event, 5-8 September``."""
    inner, outer = (parse_time_range(text, now) for text in (part, whole))
    return outer.start <= inner.start and inner.stop <= outer.stop


def _part_of(whole: str, part: str, editor: FigureEditor) -> str:
    """Return the part of a range of fixed dates that ``last day only`` means; empty if it means none."""
    said = _PART.fullmatch(part)
    if said is None or ignoring_case(rf"\b(?:{_RELATIVE})\b").search(whole):
        return ""
    span = parse_time_range(whole, editor.now)
    length = timedelta(microseconds=Duration(f"{said['count'] or 1}{said['unit'][0]}").nanoseconds / 1000)
    if length >= span.stop - span.start:
        return ""
    inside = (
        TimeRange(span.stop - length, span.stop)
        if said["side"] == "last"
        else TimeRange(span.start, span.start + length)
    )
    editor.notes.append(f"helio reads '{part}' as that of the time range before, {whole}")
    return str(inside)


def _extended(whole: str, time: str, clause: Clause, editor: FigureEditor) -> str:
    """Return a range of fixed dates with the day to which it is extended; empty if the clause says something else."""
    ahead = clause.ahead_of(clause.of("time", "moment")[0])
    relative = ignoring_case(rf"\b(?:{_RELATIVE})\b").search(f"{whole} {time}")
    to_time = clause.has("verb:extend") and _UP_TO.search(ahead)
    ends = clause.has("noun:end") and not to_time
    if (ends and not _ENDS.search(ahead)) or ((ends or to_time) and (relative or " to " in time)):
        raise NotUnderstood(
            f"helio does not understand '{clause.text}'", advice="give the dates, as 'A to B'"
        )
    if not (to_time or ends):
        return ""
    span, added = parse_time_range(whole, editor.now), parse_time_range(time, editor.now)
    end = added.start if re.search(r"\d:\d", time) else added.stop
    if ends and end <= span.start:
        raise NotUnderstood(f"nothing would be left of {span.text}", advice="give the dates, as 'A to B'")
    if ends:
        return str(TimeRange(span.start, end))
    return str(TimeRange(min(span.start, added.start), max(span.stop, end)))


def _until_now(time: str, before: str) -> str:
    """Return a number of days in hours where the range before it was in hours: both end now and not at midnight.

    >>> _until_now("last 3 days", "last 24 hours"), _until_now("last 3 days", "last 7 days")
    ('last 72 hours', 'last 3 days')
    """
    days = ignoring_case(r"(?:the\s+)?(?P<which>last|past)\s+(?P<count>\d+)\s+days").fullmatch(time)
    rolls = ignoring_case(r"(?:last|past)\s+\d+\s*(?:hours?|h)").fullmatch(before)
    return f"last {24 * int(days['count'])} hours" if days and rolls else time


def zoom_to_clocks(editor: FigureEditor, clause: Clause) -> None:
    """Set the time range to an interval that the request gives by times of the day."""
    (start, stop), *others = intervals_of(editor, clause)
    if others:
        raise NotUnderstood("the request names several time ranges", advice="give one, as 'A to B'")
    if start >= stop:
        raise NotUnderstood(f"{stop} is not after {start}", advice="give the dates, as 'A to B'")
    _set_range(editor, _time_variable(editor), f"{start} to {stop}")


EDGE = re.compile(
    r"\b(?:(?P<start>from|since|start\w*|begin\w*)|(?P<stop>until|till|up\s+to|end\w*|stop\w*))\b",
    re.IGNORECASE,
)


def move_edge(editor: FigureEditor, clause: Clause) -> None:
    """Let the time range begin or end at a moment: ``begin at 15:00``."""
    name = _time_variable(editor)
    span = parse_time_range(str(editor.after["variables"][name].get("default", "")), editor.now)
    edge = EDGE.search(clause.text)
    moment = moments_in(editor, clause)[0]
    is_end = "T24:00" in moment  # of the day
    at = datetime.fromisoformat(moment.replace("T24:", "T00:")) + timedelta(days=is_end)
    is_start = edge is not None and edge["start"] is not None
    _set_part(editor, name, span, *((at, span.stop) if is_start else (span.start, at)))


def without_old_length(clause: Clause) -> Clause:
    """Return a clause without the length of the old range: ``24 h`` of ``last 3 days instead of 24 h``."""
    old = clause.beside("rel:instead_of", "duration")[1]
    return replace(clause, atoms=tuple(atom for atom in clause.atoms if atom not in old))


def names_no_data(clause: Clause) -> bool:
    """Return whether the names of a clause only say what happened then: ``the 7-8 March 2012 event``."""
    words = set(" ".join(clause.names).casefold().split())
    return words <= OF_A_TIME and not (clause.has("verb:only") and words & STORMS.keys())


def move_time(editor: FigureEditor, clause: Clause) -> None:
    """Move, extend or shorten the time range by a length."""
    name = _time_variable(editor)
    default = str(editor.after["variables"][name].get("default", ""))
    if ignoring_case(rf"\b(?:{_RELATIVE})\b").search(default):
        raise NotUnderstood(
            f"'{default}' follows the date of each run, so helio cannot move it",
            advice="give the dates, as 'A to B'",
        )
    span = parse_time_range(default, editor.now)
    start, stop = span.start, span.stop
    length = clause.value("duration")
    by = timedelta(microseconds=Duration(length).nanoseconds / 1000) if length else timedelta()
    first, early = clause.has("noun:start"), clause.has("rel:back", "rel:before")
    longer = clause.has("verb:extend", "verb:add", "rel:more")
    shorter = clause.has("verb:shorten", "verb:remove")
    if clause.has("factor"):
        stop = start + (stop - start) * clause.value("factor")
    elif clause.has("rel:around"):
        start, stop = start - by, stop + by
    elif clause.has("verb:extend", "verb:shorten") and _TO.search(clause.ahead_of(clause.of("duration")[0])):
        start, stop = (stop - by, stop) if first else (start, start + by)
    elif clause.has("noun:start", "noun:end") and not longer and not clause.has("verb:shorten"):
        by = -by if early else by
        start, stop = (start + by, stop) if first else (start, stop + by)
    elif shorter:
        start, stop = (start + by, stop) if first else (start, stop - by)
    elif longer or clause.has("verb:show"):
        start, stop = (start - by, stop) if early or first else (start, stop + by)
    else:
        by = -by if early else by
        start, stop = start + by, stop + by
    _set_part(editor, name, span, start, stop)


def _set_part(editor: FigureEditor, name: str, span: TimeRange, start: datetime, stop: datetime) -> None:
    """Set the time range to another start and stop; refuse one without any time."""
    if start >= stop:
        raise NotUnderstood(f"nothing would be left of {span.text}", advice="give the dates, as 'A to B'")
    whole_days = all(moment.time() == datetime.min.time() for moment in (start, stop))
    form = "%Y-%m-%d" if whole_days else "%Y-%m-%dT%H:%M:%S"
    _set_range(editor, name, f"{start:{form}} to {stop:{form}}")


def _set_range(editor: FigureEditor, name: str, default: str) -> None:
    editor.do(Operation("set", "", ("variables", name, "default"), default))


_LONGER = (
    "rel:back", "rel:forward", "rel:around", "rel:more", "verb:extend", "verb:shorten", "noun:start", "noun:end"
)  # fmt: skip


def moves_time(clause: Clause) -> bool:
    if clause.has("duration"):
        return clause.has(*_LONGER, "rel:before", "rel:after") and clause.has(
            *_LONGER, "verb:shift", "verb:move", "verb:add", "verb:show", "verb:remove"
        )
    return clause.has("verb:extend", "noun:time")


TIMES: tuple[Rule, ...] = (
    Rule("duration|factor", "duration factor verb:shift verb:move verb:extend verb:shorten verb:add "
                            "verb:remove rel:back rel:forward rel:around "
         "rel:before rel:after rel:more noun:start noun:end noun:time every", move_time, moves_time),
    Rule("time", f"time rel:also rel:back verb:add verb:only noun:time every verb:zoom verb:extend "
                 f"verb:shorten {OLD} noun:end verb:shift verb:move what duration", set_time,
         lambda clause: names_no_data(clause) and not without_old_length(clause).has("duration"), several="time"),
    Rule("moment", "moment every verb:move verb:show verb:zoom verb:only noun:time",
         zoom_to_clocks, lambda clause: len(clause.of("moment")) == 2, several="moment"),
    Rule("moment", "time noun:start noun:end noun:time verb:move verb:shift", move_edge,
         lambda clause: EDGE.search(clause.text) is not None),
)  # fmt: skip
