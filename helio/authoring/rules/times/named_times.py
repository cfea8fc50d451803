"""Write named events, Carrington rotations, halves of months and hours as plain time ranges in a sentence."""

from __future__ import annotations

import calendar
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.times.clocks import with_plain_clocks
from helio.authoring.rules.times.date_pairs import MONTH, with_whole_dates
from helio.authoring.rules.times.dates import with_plain_dates
from helio.authoring.rules.times.open_times import with_stated_ends
from helio.authoring.rules.times.times_around import signed_length, widened, with_plain_spans
from helio.authoring.rules.times.times_from_now import COUNTS, part_of_today, with_times_from_now
from helio.authoring.writing.asking import Asks
from helio.interval import carrington_number, carrington_start
from helio.patterns import ignoring_case
from helio.time_range import parse_time_range

_ARROW = re.compile(rf"(?<=[\dZ])\s*(?:-{{1,2}}>|=>|→)\s*(?=\d|{MONTH})", re.IGNORECASE)
"""An arrow between two times."""
_ROTATION = re.compile(
    r"\b(?:carrington\s+rotation(?P<several>s)?|CR)\s*#?\s*(?P<first>\d{3,4})"
    r"(?P<more>\s*(?:-|–|to|through|and|&)\s*(?:CR\s*)?(?P<last>\d{3,4}))?(?(several)(?(more)|(?!)))(?![\w-])"
    r"|\b(?P<which>last|previous|past|this|current)\s+(?:(?P<count>\d|two|three|four|five|six)\s+)?carrington\s+rotations?\b",
    re.IGNORECASE,
)
"""Rotations with their numbers; "averages over Carrington rotations 2001" has a year."""
_BARTELS = re.compile(r"\bbartels\s+rotation\s*#?\s*(\d{4})\b", re.IGNORECASE)
_FIRST_BARTELS = date(1832, 2, 8)
"""Start of the first Bartels rotation; each has 27 days."""
_MONTH_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_YEAR = r"(?:18|19|20)\d{2}"
_YEAR_OF_A_DATE = re.compile(
    rf"(?<![\d.:-])({_YEAR})(?=-\d)|{_MONTH_NAME}\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?({_YEAR})\b"
    rf"|\b(?:in|of|during|for)\s+({_YEAR})\s*(?=$|[,.;?!])",
    re.IGNORECASE,
)
_BARE_YEAR = re.compile(rf"(?<![\w.:/-]){_YEAR}(?![\w/-]|[.:]\d)")
_YEAR_ALONE = re.compile(rf"(?:\b(?:in|of|for|during)\s+)?{_BARE_YEAR.pattern}", re.IGNORECASE)
_DATE = re.compile(
    rf"(?<![\d.]){_YEAR}-?\d{{2}}|\b(?:yesterday|today)\b|\bdays? ago\b"
    r"|\b(?:last|past|this|previous)\s+(?:\d+\s+)?(?:minute|hour|day|night|week|month|year)s?\b",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(r"(?<!\w)\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+$", re.IGNORECASE)
_MONTH_BEFORE = re.compile(rf"\b{_MONTH_NAME}\s+$", re.IGNORECASE)
_PLACE_BEFORE = re.compile(
    r"\b(?:across|through|beyond|past|behind|inside|outside|(?:up|down)stream\s+of)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""Pattern of words before a name that is a place in the sentence, and no time."""
_RANGE_JOINT = r"\s*(?:[-–—]|\b(?:to|until|till|through)\b)\s*"
_RANGE_BEFORE = ignoring_case(rf"(?:\d|{_MONTH_NAME}){_RANGE_JOINT}$")
_RANGE_BEHIND = ignoring_case(rf"{_RANGE_JOINT}(?:\d{{1,2}}\s+)?{_MONTH_NAME}")
"""Patterns of the rest of a range of months beside a name: ``polar pass, June 1995 to October 1995``."""
_STORM_OF_DAY = ignoring_case(
    rf"\b(?:the\s+)?(?:(?:geo)?magnetic\s+)?(?:super)?storm\s+(?:of|on)\s+(?P<day>{_YEAR}-\d\d-\d\d"
    rf"|\d{{1,2}}\s+{_MONTH_NAME}\s+{_YEAR}|{_MONTH_NAME}\s+\d{{1,2}},?\s+{_YEAR})(?![\w-]|\s+\d\d?:\d\d|{_RANGE_JOINT}\d)"
)
_QUOTED = re.compile(r"(?<!\w)[\"'“‘].+?[\"'”’](?!\w)")
_TITLE_BEFORE = re.compile(
    r"\btitled?\b(?:\s+(?!(?:for|during|in|over|from|at|on|of|and|with)\b)[^\s,;\"'“”]+){0,4}\s*$",
    re.IGNORECASE,
)
# encounter 1 h, encounter 4.5, encounters 4 to 6
_ENDS = (
    r"(?![\w-])(?!\.\d)(?!(?<=\d)\s*(?:h|hrs?|hours?|min|minutes?|s|secs?|seconds?|d|days?|AU|R_?s|k?m|[kM]?eV|nT|Hz)\b)"
    r"(?!(?<=\d)\s*(?:[–/&]|to|and|or|through)\s*\d{1,2}(?![\d:.-]))"
)
_LISTED = 3
"""The largest number of events that a message lists."""


@dataclass(frozen=True)
class NamedEvent:
    """An event that has a name.

    Parameters
    ----------
    name : str
    phrases : str
        Regular expression of the phrases that name the event.
    start, stop : date
        The range [start, stop) that contains the event.
    source : str
        Where the dates come from.
    spacecraft : str, optional
        Regular expression of the spacecraft that a sentence must name; without them the phrases mean something else.
    of_month : str, optional
        Regular expression of the phrases that name the event together with its month: ``perihelion of Nov 2021``.
    """

    name: str
    phrases: str
    start: date
    stop: date
    source: str
    spacecraft: str = ""
    of_month: str = ""

    def named_in(self, text: str, crafts: str = "") -> Iterator[re.Match[str]]:
        """Yield the places where a text names the event, with the month and the year before or after the name.

        `crafts` are spacecraft of which the text is, whether it names them or not.
        """
        if not self.spacecraft or ignoring_case(rf"(?<![\w-])(?:{self.spacecraft})(?!\w)").search(
            f"{crafts} {text}"
        ):
            yield from _pattern(self.phrases).finditer(text)
            for match in _pattern(self.of_month).finditer(text) if self.of_month else ():
                if (match["month"] and match["year"]) or (match["month_after"] and match["year_after"]):
                    yield match

    @property
    def span(self) -> str:
        """Return the range as text, such as ``2024-05-10 to 2024-05-13``."""
        return f"{self.start} to {self.stop}"

    def is_in(self, year: int, month: int = 0) -> bool:
        """Return whether a part of the event is in a year, or in a month of it."""
        last = self.stop - timedelta(days=1)
        if not month:
            return self.start.year <= year <= last.year
        return (self.start.year, self.start.month) <= (year, month) <= (last.year, last.month)


@dataclass(frozen=True)
class _Mention:
    """A name in a sentence: its place, the events that it may mean, and the month and year beside it."""

    start: int
    stop: int
    phrase: str
    events: tuple[NamedEvent, ...]
    year: int = 0
    month: int = 0

    def meant(self) -> tuple[NamedEvent, ...]:
        """Return the events that the month and the year allow."""
        return tuple(event for event in self.events if not self.year or event.is_in(self.year, self.month))


@cache
def events() -> tuple[NamedEvent, ...]:
    """Return the named events."""
    listed = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))
    return tuple(
        NamedEvent(
            event["name"],
            re.sub(r"\{([a-z]+)\}", lambda word: listed["words"][word[1]], "|".join(event["phrases"])),
            date.fromisoformat(event["start"]),
            date.fromisoformat(event["stop"]),
            event["source"],
            "|".join(event.get("spacecraft", ())),
            listed["words"]["orbit"] if any("{orbit}" in phrase for phrase in event["phrases"]) else "",
        )
        for event in listed["events"]
    )


@cache
def _pattern(phrases: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w-])(?:(?:around|near)\s+)?(?:the\s+)?"
        rf"(?:(?:(?P<month>{_MONTH_NAME})\s+)?(?P<year>{_YEAR})\s+)?(?P<phrase>{phrases})"
        rf"(?:\s*,?\s*\(?(?:(?:of|in|from)\s+)?(?:(?P<month_after>{_MONTH_NAME})\s+)?(?P<year_after>{_YEAR})"
        rf"(?![\d-]|:\d)\)?)?{_ENDS}",
        re.IGNORECASE,
    )


def with_plain_times(
    text: str, now: datetime, ask: Asks | None = None, crafts: str = ""
) -> tuple[str, tuple[str, ...]]:
    """Replace names of times by time ranges; return the new text and notes that give each range with its source.

    A name next to a time range is left out of the text: the range of the sentence counts. Names in quotes and in
    titles stay. `ask` asks which event is meant if a name has several meanings; without it the name is refused.
    `crafts` are the spacecraft of the pipeline that the text changes: ``encounter 4`` is one of theirs.

    >>> with_plain_times("ACE Bz for the first half of March 2022", datetime(2026, 1, 1))[0]
    'ACE Bz for 2022-03-01 to 2022-03-16'
    >>> with_plain_times("PSP field at encounter 4", datetime(2026, 1, 1))[0]
    'PSP field at 2020-01-23 to 2020-02-04'

    Raises
    ------
    NotUnderstood
        The sentence gives the event another year, or names two events, or the name has several meanings; or the
        sentence names a part of today, such as ``this morning``, which begins at another hour in each country.
    """
    notes: list[str] = []
    text = _ARROW.sub(" to ", text)
    text = with_times_from_now(with_stated_ends(text, now), now, notes)
    text = with_whole_dates(with_plain_spans(with_plain_dates(text), notes))
    text = with_plain_clocks(text, notes)
    text = _ROTATION.sub(lambda match: _rotation(match, now, notes), text)
    text = _BARTELS.sub(_bartels, text)
    text = widened(_with_events(_with_storm_of_day(text, notes), notes, ask, crafts))
    if (part := part_of_today(text)) and not _has_time(text.replace(part, "")):
        raise NotUnderstood(
            f"helio does not know which hours '{part}' has in UTC",
            advice="write 'today', 'yesterday', 'last 12 hours', or two times",
        )
    return " ".join(text.replace("()", "").split()), tuple(notes)


def _with_storm_of_day(text: str, notes: list[str]) -> str:
    """Let a day of a storm that has a name mean the whole storm: ``the storm of 10 May 2024``."""
    match = _STORM_OF_DAY.search(text)
    if match is None or _has_time(f"{text[: match.start()]}{text[match.end() :]}"):
        return text
    day = parse_time_range(match["day"], datetime(2000, 1, 1)).start.date()
    storms = [event for event in events() if "storm" in event.name.casefold()]
    named = [event for event in storms if event.start <= day < event.stop]
    if len(named) != 1:
        return text
    notes.append(f"helio reads the {named[0].name} as {named[0].span} ({named[0].source})")
    return f"{text[: match.start()]}{named[0].span}{text[match.end() :]}"


def _with_events(text: str, notes: list[str], ask: Asks | None, crafts: str) -> str:
    mentions = _mentions(text, crafts)
    if not mentions:
        return text
    rest = text
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]}{rest[mention.stop :]}"
    years = {int(next(filter(None, match.groups()))) for match in _YEAR_OF_A_DATE.finditer(rest)}
    for mention in mentions:
        _check_year(mention, years)
    if _has_time(rest):
        return rest
    if alone := _BARE_YEAR.findall(rest):
        mention = mentions[0]
        if len(alone) > 1 or len(mentions) > 1 or mention.year:
            raise NotUnderstood(
                f"the request names '{mention.phrase}' and the year {alone[0]}", advice="give one time range"
            )
        around = (_YEAR_ALONE.sub("", part) for part in (rest[: mention.start], rest[mention.start :]))
        return _with_events(f"{mention.phrase} {alone[0]}".join(around), notes, ask, crafts)
    named = {_only(mention, ask) for mention in mentions}
    if len(named) > 1:
        several = " and ".join(f"the {event.name}" for event in sorted(named, key=lambda event: event.start))
        raise NotUnderstood(f"the request names {several}", advice="give one time range that contains both")
    event = named.pop()
    if (length := signed_length(rest)) and "perihelion" in mentions[0].phrase.lower():
        raise NotUnderstood(
            f"helio knows the days of the {event.name}, {event.span}, and not the day of its perihelion",
            advice=f"give the date of the perihelion, as in '2022-02-25 {length}'",
        )
    notes.append(f"helio reads the {event.name} as {event.span} ({event.source})")
    return f"{rest[: mentions[0].start]}{event.span}{rest[mentions[0].start :]}"


def _mentions(text: str, crafts: str = "") -> list[_Mention]:
    """Return the names in a text, in order; of names that overlap, the first and longest."""
    named: dict[tuple[int, int], list[tuple[NamedEvent, re.Match[str]]]] = {}
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for event in events():
        for match in event.named_in(text, crafts):
            start, stop = match.span("phrase")
            is_title = _TITLE_BEFORE.search(text[:start]) or any(
                first < start and stop < last for first, last in quoted
            )
            is_date = ignoring_case(_MONTH_NAME).match(match["phrase"]) and _DAY_BEFORE.search(text[:start])
            if not is_title and not is_date:
                named.setdefault((start, -stop), []).append((event, match))
    mentions: list[_Mention] = []
    for place in sorted(named):
        mention = _mention(text, tuple(event for event, _ in named[place]), named[place][0][1])
        if not mentions or mention.start >= mentions[-1].stop:
            mentions.append(mention)
    return mentions


def _mention(text: str, named: tuple[NamedEvent, ...], match: re.Match[str]) -> _Mention:
    """Return a name with the month and the year beside it; ``17 March 2015`` before it is a date of its own."""
    start, month, year = match.start(), match["month"], match["year"]
    before = text[: match.start("month" if month else "year")] if year else ""
    if year and ((_DAY_BEFORE if month else _MONTH_BEFORE).search(before) or _RANGE_BEFORE.search(before)):
        start, month, year = match.start("phrase"), None, None
    stop = match.end()
    if match["year_after"]:
        month, year = match["month_after"], match["year_after"]
        if month and _RANGE_BEHIND.match(text, stop):
            stop, month = match.end("phrase"), None
        elif month and _PLACE_BEFORE.search(text[: match.start("phrase")]):
            stop = match.end("phrase")  # across the termination shock, August 2007: a time of its own
    number = list(calendar.month_abbr).index(month[:3].title()) if month else 0
    return _Mention(start, stop, match["phrase"], named, int(year or 0), number)


def _check_year(mention: _Mention, years: set[int]) -> None:
    """Refuse a year that does not fit: beside the name, or in the dates of the rest of the sentence."""
    if mention.meant() and (
        not years or any(event.is_in(year) for event in mention.events for year in years)
    ):
        return
    listed = " and ".join(f"the {event.name} ({event.span})" for event in mention.events)
    if len(mention.events) > _LISTED:
        listed = f"'{mention.phrase}'"
    wrong = min(years) if mention.meant() else f"{calendar.month_name[mention.month]} {mention.year}".strip()
    raise NotUnderstood(f"{listed} cannot be in {wrong}", advice="give the dates")


def _only(mention: _Mention, ask: Asks | None) -> NamedEvent:
    """Return the one event that a name means; ask if it may mean several."""
    meant = {f"{event.name} ({event.span})": event for event in mention.meant()}
    if len(meant) == 1:
        return next(iter(meant.values()))
    if ask is None:
        raise NotUnderstood(
            f"'{mention.phrase}' has several meanings: the {', the '.join(meant)}",
            advice="give the year, or the dates",
        )
    return meant[ask(f"Which '{mention.phrase}' is meant?", tuple(meant))]


def _has_time(text: str) -> bool:
    """Return whether a text has a date, or a time such as ``last week``; a year alone is no date."""
    if _DATE.search(text):
        return True
    return any(
        ignoring_case(rf"(?:\b{_MONTH_NAME}|\d(?:st|nd|rd|th)?,?|\bQ[1-4])\s+$").search(text[: year.start()])
        for year in _BARE_YEAR.finditer(text)
    )


def _rotation(match: re.Match[str], now: datetime, notes: list[str]) -> str:
    if match["which"]:
        last = carrington_number(now) - (match["which"].lower() in ("last", "previous", "past"))
        written = match["count"] or "1"
        first = last - (COUNTS.get(written.lower()) or int(written)) + 1
    else:
        first, last = int(match["first"]), int(match["last"] or match["first"])
    start, stop = carrington_start(first), carrington_start(last + 1)
    if start >= stop:
        return match[0]
    span = f"{start:%Y-%m-%dT%H:%M} to {stop:%Y-%m-%dT%H:%M}"
    which = f"rotation {first} is" if first == last else f"rotations {first} to {last} are"
    notes.append(f"Carrington {which} {span}, as seen from the Earth")
    return span


def _bartels(match: re.Match[str]) -> str:
    start = _FIRST_BARTELS + timedelta(days=27 * (int(match[1]) - 1))
    return f"{start} to {start + timedelta(days=27)}"
