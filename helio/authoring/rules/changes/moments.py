"""Read the moments and intervals that a clause names; what it leaves out comes from the time range of the figure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.clauses import Clause
from helio.authoring.rules.changes.figure import FigureEditor
from helio.patterns import ignoring_case
from helio.time_range import TimeRange, parse_time_range, time_range_or_none


def default_span(editor: FigureEditor) -> TimeRange | None:
    """Return the default of the first time range of the pipeline, if it can be read."""
    defaults = default_ranges(editor)
    return time_range_or_none(defaults[0], editor.now) if defaults else None


def default_ranges(editor: FigureEditor) -> list[str]:
    """Return the defaults of the time ranges of the pipeline."""
    variables = (editor.after.get("variables") or {}).values()
    ranges = [str(facts.get("default") or "") for facts in variables if facts.get("type") == "time_range"]
    return [text for text in ranges if text]


_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?")
_NEXT_CLOCK = re.compile(rf"\s*(?:,|\band\b)\s*(?={_CLOCK.pattern})")
"""What stands between times of the day: ``04:45 and 13:00 on 17 March``."""
_NO_DATE = re.compile(r"\d{1,2}:\d{2}(?::[\d.]+)?\s*(?:UTC?|Z)?|\b(?:at|on|the)\b|(?<=\d)T|,")


def _clock_and_date(text: str) -> tuple[str, str]:
    clock = _CLOCK.search(text)
    return clock[0].zfill(5) if clock else "", " ".join(_NO_DATE.sub(" ", text).split())


def moments_in(editor: FigureEditor, clause: Clause, day: str = "") -> list[str]:
    """Return the times that a clause names; times of the day without a date are of `day`, or the figure's."""
    texts = [text for atom in clause.of("moment", "time") for text in _NEXT_CLOCK.split(atom.text)]
    named = [_clock_and_date(text) for text in texts]
    dates = " ".join(date for _, date in named if date) or day
    clocks = [(clock, date) for clock, date in named if clock]
    moments = [
        _moment(editor, _day(editor, date if len(clocks) > 1 and date else dates), clock)
        for clock, date in clocks
    ] or [_day(editor, date) for _, date in named]
    for moment in moments:
        _refuse_outside(editor, moment, moment)
    return moments


def _moment(editor: FigureEditor, day: str, clock: str) -> str:
    """Return a time of a day; 24:00 is the start of the next day."""
    if not clock:
        return day
    start = parse_time_range(f"{day}T{clock}", editor.now).start
    return f"{start:%Y-%m-%dT%H:%M}" if clock.startswith("24") else f"{day}T{clock}"


def _refuse_outside(editor: FigureEditor, start: str, stop: str) -> None:
    """Refuse an interval that a figure of fixed dates would not show."""
    span = default_span(editor)
    fixed = any(re.search(r"\d{4}-\d\d", default) for default in default_ranges(editor))
    first, last = (parse_time_range(moment, editor.now) for moment in (start, stop))
    if span is not None and fixed and (first.start > span.stop or last.stop < span.start):
        raise NotUnderstood(
            f"{start} is not in the time range of the figure, {span.text}",
            advice="change the time range first",
        )


def _day(editor: FigureEditor, plain: str) -> str:
    span = default_span(editor)
    if not plain:
        if span is None or (span.stop - span.start).total_seconds() > 86400:
            raise NotUnderstood(
                "the request gives a time of the day without a date",
                advice="give the date, as 2015-03-17T04:45",
            )
        return f"{span.start:%Y-%m-%d}"
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof\b", "", plain)
    years = [f" {year}" for year in sorted({span.start.year, span.stop.year})] if span else []
    years = [""] if re.search(r"\d{4}", plain) else years
    for day in filter(None, (time_range_or_none(f"{plain}{year}", editor.now) for year in years)):
        if len(years) == 1 or span is None or (day.start < span.stop and day.stop > span.start):
            return f"{day.start:%Y-%m-%d}"
    raise NotUnderstood(
        f"helio does not understand the date '{plain}'", advice="give the date, as 2015-03-17"
    )


_JOINT = r"\s*(?:(?<=\d)\s*-\s*(?=\d)|–|\b(?:to|until|through)\b)\s*"
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def is_interval(clause: Clause) -> bool:
    """Return whether a clause names a start and a stop: two times that ``to`` or a dash joins."""
    named = clause.of("moment", "time")
    words = clause.text[named[0].start - clause.start : named[-1].stop - clause.start] if named else ""
    return ignoring_case(_JOINT).search(_ISO_DATE.sub("0", words)) is not None


def intervals_of(editor: FigureEditor, clause: Clause, day: str = "") -> list[tuple[str, str]]:
    """Return each start and stop that a clause names; times of the day without a date are of `day`, or the figure's."""
    if (times := clause.of("time")) and clause.has("moment"):
        raise NotUnderstood("the request names a time of the day beside a range", advice="give one of them")
    for first, second in pairwise(times):
        between = clause.text[first.stop - clause.start : second.start - clause.start]
        if re.fullmatch(r"\s*(?:to|until|till|-|–)\s*", between):
            raise NotUnderstood(f"'{first.text} to {second.text}' ends before it starts")
    if times:
        return [_interval(editor, time.text) for time in times]
    named = [_clock_and_date(atom.text) for atom in clause.of("moment")]
    if named and not any(clock for clock, _ in named) and not is_interval(clause):
        days = [datetime.fromisoformat(_day(editor, date)) for _, date in named]
        return [(f"{day:%Y-%m-%d}", f"{day + timedelta(days=1):%Y-%m-%d}") for day in days]
    if not named or len(named) % 2:
        raise NotUnderstood(
            "the interval to shade needs a start and a stop",
            advice="say 'shade 06:00 to 12:00 on 2015-03-17'",
        )
    known = next((date for _, date in named if date), day)
    ends = [_moment(editor, _day(editor, date or known), clock) for clock, date in named]
    intervals = list(zip(ends[::2], ends[1::2], strict=True))
    if reversed_ := next((pair for pair in intervals if pair[0] >= pair[1]), None):
        raise NotUnderstood(f"'{' to '.join(reversed_)}' ends before it starts")
    return intervals


def _interval(editor: FigureEditor, time: str) -> tuple[str, str]:
    span = time_range_or_none(time, editor.now)
    if span is None:
        raise NotUnderstood(f"helio does not understand the time '{time}'")
    form = "%Y-%m-%dT%H:%M" if not (span.start.second or span.stop.second) else "%Y-%m-%dT%H:%M:%S"
    start, stop = f"{span.start:{form}}", f"{span.stop:{form}}"
    _refuse_outside(editor, start, stop)
    return start, stop
