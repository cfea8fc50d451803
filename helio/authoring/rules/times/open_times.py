"""Read times of which the data say the start or the end: ``since 1990``, ``until 2003``, ``the whole mission``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.times.date_pairs import MONTH, YEAR
from helio.authoring.rules.times.durations import NUMBERS
from helio.patterns import ignoring_case
from helio.time_range import EARLIEST, LATEST, TimeRange, parse_time_range, time_range_or_none

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?<![\d./-]){YEAR}-\d{{2}}-\d{{2}}(?:[T ]\d{{1,2}}:\d{{2}})?|{YEAR}-\d{{2}}(?!\d)"
    rf"|(?:{_DAY}\s+(?:of\s+)?)?{MONTH},?\s+(?:{_DAY},?\s+)?{YEAR}|{YEAR})(?![\w:./-]|\s+{MONTH})"
)
_IN = r"(?:(?:the\s+)?(?:beginning|start)\s+of\s+|the\s+year\s+|in\s+|from\s+|on\s+|with\s+|at\s+)*"
_NOW = (
    r"(?:now(?:adays)?|today|to\s*date|date|(?:the\s+)?present(?:\s+(?:day|time))?|this\s+day|(?:its|the)\s+end"
    r"|(?:the\s+)?end\s+of\s+(?:the\s+|its\s+)?(?:mission|data|record)|(?:the\s+)?latest(?:\s+(?:data|available))*)\b"
)
_TO = r"\s*(?:,?\s*\b(?:up\s+)?(?:to|until|till|through)|-|–|\.\.+)\s*"
_START_TO_END = (
    rf"\bthe\s+(?:start|beginning)\s+of\s+(?P<first>{_DATE}){_TO}(?:the\s+end\s+of\s+)?(?={_DATE})"
)
_ENDS = r"(?=\s*(?:$|[,.;:)]|\b(?:as|with|in|from|and|for|please)\b))"
_NO_END = r"(?!\s*(?:,?\s*(?:for|lasting|to|until|till|through|and|-|–|\+|±)|,\s*\d)(?:\s|\d))"
"""No end of the range follows."""
_SINCE = (
    rf"\b(?:ever\s+)?(?:since|starting|beginning|as\s+of)\s+{_IN}(?P<since>{_DATE})(?:{_TO}{_NOW}|{_NO_END})"
)
_ONWARDS = (
    rf"(?:\bfrom\s+)?{_IN}(?P<onwards>{_DATE})\s*(?:,\s*)?(?:(?:and|or|up|until|to|till)\s+)?"
    rf"(?:onwards?\b|on-?ward\b|on\b{_ENDS}|forward\b|later\b)"
)
_TO_NOW = rf"(?:\bfrom\s+)?{_IN}(?P<to_now>{_DATE}){_TO}{_NOW}"
_NO_LENGTH = r"(?<!days )(?<!day )(?<!hours )(?<!hour )(?<!h )"
_AFTER = rf"{_NO_LENGTH}\bafter\s+(?:the\s+year\s+)?(?P<after>{_DATE}){_NO_END}"
_UNTIL = (
    r"(?:\b(?:from\s+)?(?:launch|(?:the\s+)?(?:start|beginning)(?:\s+of\s+(?:the\s+)?(?:mission|data))?)\s+)?"
    rf"(?<!\d )\b(?:up\s+(?:to|until|through)|until|till|(?<=launch )to|(?<=mission )to)\s+"
    rf"(?:the\s+end\s+of\s+)?(?P<until>{_DATE})"
)
_BEFORE = (
    rf"{_NO_LENGTH}\b(?:before|prior\s+to|earlier\s+than)\s+(?:the\s+year\s+)?"
    rf"(?P<before>{_DATE})"
)
_WHOLE = r"(?:whole|entire|full|complete)"
_OF = r"(?:(?:for|over|during|in|of|throughout|across|through|from|using|with|since)\s+)?(?:(?:the|its|their|an?)\s+)*"
_RECORD = (
    r"(?:mission|time\s+(?:range|span|period|series|interval)|period|record|data\s*(?:set|base|record)"
    r"|data\s+(?:range|span|period|coverage|interval)|coverage|life\s*time|history|archive|life)"
)
_START = r"(?:launch|(?:(?:start|beginning)\s+of\s+)(?:(?:the|its)\s+)?(?:mission|data|operations|measurements|record))"
_ALL = (
    rf"\b{_OF}(?:{_WHOLE}|all)(?:\s+of)?\s+(?:(?:the|its|their)\s+)?(?P<kept>(?:(?:NAMES|(?-i:[A-Z])[\w/-]*|\d)\s+)*)"
    rf"(?:available\s+)?{_RECORD}\b|\b(?:mission-?long|throughout\s+(?:the\s+|its\s+)?mission)\b"
    rf"|\b(?:since|from|after)\s+(?:the\s+|its\s+)?{_START}(?:{_TO}{_NOW})?(?![\w-])|\ball\s+(?:times|years)\b(?!\s*-)"
)
_ALL_DATA = (
    r"\b(?:(?:for|over|from|using|with)\s+)?(?:all(?:\s+of)?(?:\s+the)?|(?:the\s+)?(?:whole|entire|full|complete))\s+"
    r"(?:(?:available|existing)\s+)?data(?:\s+(?:available|there\s+(?:is|are)|we\s+have|you\s+have|that\s+exists?))?\b"
    r"|\b(?:as\s+long\s+as|whatever|everything)\s+(?:there\s+(?:is|are)\s+data|is\s+available|available)"
)
_FORMS = (_SINCE, _TO_NOW, _ONWARDS, _AFTER, _UNTIL, _BEFORE)
_OTHER_TIME = re.compile(
    rf"(?<![\w.:/-]){YEAR}(?![\w/]|[:.]\d)|\b(?:yesterday|today|ago)\b|(?<![\w-])(?:last|past|this|current|previous)\s+"
    r"(?:\d+\s+)?(?:minute|hour|day|night|week|month|year)s?\b",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"(?:(?:please|can|you|could|show|use|plot|draw|make|take|extend|zoom|out|set|change|widen|do|run|cover|now|it|this|me|us"
    r"|the|everything|time|range|period|instead|to|for|over|same)\s*)*",
    re.IGNORECASE,
)
"""Words before a time in a sentence that only sets the time range."""
_MOVES_EDGE = re.compile(r"start|begin", re.IGNORECASE)
"""Words that in a change only move the start of the time range."""
_RANGE_BEFORE = re.compile(rf"(?:\b(?:from|between)\b[^,;]*|\d\s*|{MONTH}\s*)$", re.IGNORECASE)


_NO_YEAR = rf"(?<![\d.:-]){_DAY}(?:\s+{MONTH})?|\b{MONTH}(?:\s+{_DAY})?"
_STATED = (
    rf"(?:\b(?:the\s+)?(?P<days>{'|'.join(NUMBERS)}|\d+)\s+days\s+from\s+)?"
    rf"(?P<first>{_DATE}|{_NO_YEAR}){_TO}(?P<last>{_DATE})\s*,?\s*\(?\s*(?:with\s+)?(?:both\s+)?"
    r"(?:(?:the\s+)?(?:ends?|dates?|days?|months?|years?|last\s+(?:day|year|month))\s+)?(?:(?:are|is)\s+)?"
    r"(?:(?P<without>exclusive|excluded|not\s+included)|(?P<within>incl(?:usive(?:ly)?|uded)?\.?|end\s+of\s+(?:the\s+)?day))(?!\w)\s*\)?"
)
_AGAIN = rf"(?P<range>(?P<first>{_DATE}){_TO}(?P<last>{_DATE}))\s*\(\s*(?:until|till|up\s+to)\s+(?P<end>{_DATE})\s*\)"


def with_stated_ends(text: str, now: datetime) -> str:
    """Write ranges of which the sentence says whether the last day or year belongs to them with their two times.

    >>> now = datetime(2026, 1, 1)
    >>> with_stated_ends("Kp, 2000 to 2010 (exclusive)", now)
    'Kp, 2000-01-01 to 2010-01-01'
    >>> with_stated_ends("Kp, 7 May 2022 to 9 May 2022 inclusive", now)
    'Kp, 2022-05-07 to 2022-05-10'
    >>> with_stated_ends("Kp, the ten days from 20 April 2021 to 29 April 2021 inclusive", now)
    'Kp, 2021-04-20 to 2021-04-30'
    """

    def stated(match: re.Match[str]) -> str:
        last = parse_time_range(match["last"], now)
        start = parse_time_range(f"{match['first']} to {match['last']}", now).start
        stop = last.start if match["without"] else last.stop
        days = match["days"] and int(NUMBERS.get(match["days"].lower(), match["days"]))
        return str(TimeRange(start, stop)) if days in (None, (stop - start).days) else match[0]

    def ended(match: re.Match[str]) -> str:
        first, last, end = (parse_time_range(match[name], now) for name in ("first", "last", "end"))
        known = end.start in (last.start, last.stop)  # 2006 to 2009 (until 2010-01-01)
        return str(TimeRange(first.start, end.start)) if known else match[0]

    return ignoring_case(_AGAIN).sub(ended, ignoring_case(_STATED).sub(stated, text))


def ends_before_named_day(time: str, now: datetime) -> str:
    """Return a note if a range of dates ends before the last day that it names; otherwise an empty text.

    >>> now = datetime(2026, 1, 1)
    >>> ends_before_named_day("2003-10-26 to 2003-11-07", now)
    "'2003-10-26 to 2003-11-07' ends where 2003-11-07 begins; write 'through' to include that day"
    >>> ends_before_named_day("26 to 29 October 2003", now), ends_before_named_day("2003-10-26 to 2003-10", now)
    ('', '')
    """
    match = ignoring_case(rf".*?{_TO}(?P<last>{_DATE})").fullmatch(time)
    last = time_range_or_none(match["last"], now) if match else None
    stop = parse_time_range(time, now).stop
    if last is None or not last.is_day or last.start != stop:
        return ""
    return f"'{time}' ends where {stop:%Y-%m-%d} begins; write 'through' to include that day"


def with_open_times(text: str, now: datetime) -> str:
    """Write times without a start or an end as ranges from, or to, the edge of the times that helio knows.

    A sentence with another time stays as it is, except that all data of a time are the data.

    >>> now = datetime(2026, 1, 1)
    >>> with_open_times("sunspot number since 1990", now), with_open_times("Kp up to 2003", now)
    ('sunspot number 1990-01-01 to 2262-04-11', 'Kp 1677-09-22 to 2004-01-01')
    >>> with_open_times("F10.7 from the start of 2008 to the end of 2019", now)
    'F10.7 from 2008 through 2019'
    >>> with_open_times("Ulysses, all data: speed", now), with_open_times("ACE, all data of 2003: speed", now)
    ('Ulysses, 1677-09-22 to 2262-04-11 : speed', 'ACE, all data of 2003: speed')
    """
    text = ignoring_case(rf"\bsince\s+(?P<first>{_DATE}){_TO}(?<!through )(?={_DATE})").sub(
        r"\g<first> to ", text
    )
    text = ignoring_case(rf"\bsince\s+(?={_DATE}{_TO}{_DATE})").sub("", text)
    text = ignoring_case(r"\bsince\s+(yesterday|today|\d+\s+days\s+ago)\b").sub(r"\1 to now", text)
    text = ignoring_case(_START_TO_END).sub(r"\g<first> through ", text)
    for pattern in (*_FORMS, _ALL.replace("NAMES", names_of_spacecraft()), _ALL_DATA):
        match = ignoring_case(pattern).search(text)
        if match is None:
            continue
        before, behind = text[: match.start()], text[match.end() :]
        dates = {name: date for name, date in match.groupdict().items() if date}
        if _OTHER_TIME.search(f"{before} \x01 {behind}") or (
            dates.keys() & {"until", "before"} and _RANGE_BEFORE.search(before)
        ):
            continue
        kept = dates.pop("kept", "")
        return " ".join(f"{before} {kept} {_range(dates, now)} {behind}".split())
    return text


def with_whole_time(text: str, within: Callable[[str], str], now: datetime) -> str:
    """Write ``show the whole mission`` and ``since 2015`` as ranges, if the sentence says nothing else.

    Parameters
    ----------
    within : callable
        Returns the part of a range in which there are data.
    """
    for pattern in (_ALL.replace("NAMES", names_of_spacecraft()), _SINCE, _TO_NOW, _ONWARDS):
        match = ignoring_case(pattern).search(text)
        if (
            match is None
            or _MOVES_EDGE.match(match[0])
            or match.groupdict().get("kept")
            or text[match.end() :].strip(" .!")
        ):
            continue
        before = text[: match.start()]
        dates = {name: date for name, date in match.groupdict().items() if date}
        if _SHOWS.fullmatch(before):
            return f"{before}{within(_range(dates, now))}"
    return text


def _range(dates: Mapping[str, str], now: datetime) -> str:
    start, stop = EARLIEST, LATEST
    for name, date in dates.items():
        span = parse_time_range(date, now)
        if name in ("until", "before"):
            stop = span.stop if name == "until" else span.start
        else:
            start = span.stop if name == "after" else span.start
    return TimeRange(start, stop).text.replace(" ", "T").replace("TtoT", " to ")
