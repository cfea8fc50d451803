"""Read a sentence piece by piece: each understood part is removed, so that what remains was not understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from helio.authoring.rules.harmless import IN_REQUESTS, IN_TIMED_REQUESTS, OF_A_TIME
from helio.authoring.rules.times.date_pairs import MONTH
from helio.knowledge.missions import INSTRUMENT_WORDS
from helio.knowledge.phrases import TAKEN
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case
from helio.time_range import TimeRange, parse_time_range, time_range_or_none

LONGEST_FOR_RULES = 2000
"""Maximum number of characters of a request that helio reads without a model."""
_MISSIONS = frozenset(name.upper() for name in VOCABULARY["missions that are also words"])
_WORD = re.compile(r"[^\s\x01,;()]+")
_MEANT = r"(?:[^\s\x01,;:.?!()\"'“”‘’]|(?<=\d)\.(?=\d))+"
_LONGEST_TIME = 14
"""Maximum number of words of a time phrase."""
_TIME_BEGINS = (
    r"(?:for|from|during|over|in|on|of|at|throughout|within|covering|the|data|(?:date|days?)\s+(?:is|are))"
)

_NAME_OF_A_TIME = (
    r"\b(?:(?:first|second|third|1st|2nd|3rd)\s+)?(?:fast|rapid)\s+lat(?:itud(?:e|inal))?\.?\s+scans?\b"
)
"""Names of passages that helio has no dates of: with a time they say nothing more."""
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?"
_CLOCKS = re.compile(
    rf"(?:\b(?:from|between|at)\s+)?(?<![\d:T-])(?P<first>{_CLOCK})\s*(?:UTC?\s*)?(?:-|–|\bto\b|\buntil\b|\band\b)\s*"
    rf"(?P<second>{_CLOCK})(?![\d:])(?:\s*(?:UTC?|Z)\b)?",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:for|in|during|over|on|throughout|within)\s+|from\s+(?=(?:the\s+)?(?:last|past|this|current|previous)\b)",
    re.IGNORECASE,
)
"""Pattern of words before a time, such as ``during``, that are not part of the time."""

_COMPARED = re.compile(r"\b(?:compar\w+|versus|vs|with|against)\b", re.IGNORECASE)
_MARKED = re.compile(
    r"\b(?:vertical|(?:dashed|dotted|solid)?\s*lines?\s+(?:at|on|for)|mark\w*|arrows?|annotat\w*|shad(?:e|ed|ing)|highlight\w*)\b",
    re.IGNORECASE,
)
"""Words of a figure that draws a time, which then is not the name of an event."""
_PERIOD = re.compile(r"\d{4}|\d{4}-\d{2}|[a-z]{3,9}\.?,? \d{4}", re.IGNORECASE)
"""Pattern of a year or a month alone."""
_EVENT = "|".join(
    sorted(
        OF_A_TIME - {"entire", "full", "interval", "period", "phase", "range", "whole"}, key=len, reverse=True
    )
)
_OF_EVENT = rf"\b(?:{_EVENT})\s*(?:\(|(?:was\s+)?\b(?:of|on|at|from)\s+)?(?:the\s+)?"
_EVENT_BEHIND = rf"\s+(?:[\w-]+\s+){{0,2}}?(?:{_EVENT})\b"
_DAY_NUMBER = r"(?<![\w:-])\d{1,2}(?:st|nd|rd|th)?"
_DAY_AND_MONTH = (
    rf"(?P<day>{_DAY_NUMBER}\s+{MONTH}|\b{MONTH}\s+{_DAY_NUMBER})(?![\w:-]|,?\s+(?:at\s+)?\d{{1,2}}:\d\d)"
)
_YEAR_OF_PUBLICATION = r"(?:\bet\s+al\.?,?|(?<=\bShue))\s*\(?(?:19|20)\d{2}\)?(?![\w:-])"
"""The year of a model, which is no time of the data: ``Shue et al. 1998``."""
_LENGTH_OF_RANGE = (
    rf"\b(?:the\s+)?(?:week(?:end)?|fortnight|days|nights)\s+(?:(?:of|from|between)\s+)?(?={TAKEN})"
)
"""A word that says how long the range behind it is: ``week of 3 to 9 Aug 2008``."""
_COUNTED_LENGTH = re.compile(
    rf"\b(?:(?:for|over|during)\s+)?(?:(?:the|an?)\s+)?(?P<count>\d{{1,3}}|{'|'.join(VOCABULARY['counted'])})[\s-]*(?P<unit>h|hour|day|week)s?"
    rf"(?:[\s-]+(?:long\s+)?(?:stretch|interval|period|span))?\b,?\s*(?:(?:from|of|between)\s+)?(?={TAKEN})",
    re.IGNORECASE,
)
"""How long the range behind it is, in numbers: ``10-day stretch from 1 to 10 August 2002``."""
_HOURS = {"h": 1, "hour": 1, "day": 24, "week": 168}
_ION = re.compile(r"He|[A-Z][a-z]?\d?\+{1,2}")
_BETWEEN = re.compile(
    r"(?:[,;]|\.\s|\b(?:and|with|plus|versus|vs|against)\b|&|\s\+\s)(?!\s*(?:and\s+)?(?!(?-i:C?O2|N2)\b)[A-Za-z]+_?\d+\b)",
    re.IGNORECASE,
)
"""Pattern of what stands between two quantities, but not between names of parameters, as in ``DE1, DE2``."""


@dataclass(frozen=True)
class Part:
    """Words of a sentence that together name one quantity, and their positions.

    Parameters
    ----------
    unread : bool
        Whether a word with a meaning was not understood.
    region : tuple of int
        Where the part begins and ends, with the words that do not belong to the quantity.
    crafts : tuple of str
        The spacecraft that the sentence names for the part.
    left : tuple of tuple of int
        The positions of the words that were not understood.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    unread: bool
    region: tuple[int, int] = (0, 0)
    crafts: tuple[str, ...] = ()
    left: tuple[tuple[int, int], ...] = ()


class Sentence:
    """A request in words; the rules remove each part that they have understood."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(re.sub(r"['’](?:s|d|m|ll|ve)\b", "", text).split())
        self._left = self.text
        self._timed = False

    @classmethod
    def masked(cls, text: str) -> Sentence:
        """Return a sentence of which parts were removed before; the positions in it stay the same."""
        sentence = cls("")
        sentence.text = sentence._left = text
        return sentence

    @property
    def left(self) -> str:
        """Return the text with a mark in the place of every letter that was removed."""
        return self._left

    def leave(self, left: str) -> None:
        """Leave unread only what is left of the sentence where it was read before."""
        self._left = left

    def take(self, pattern: str | re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern in the unread rest of the sentence, ignoring case, and remove each match.

        If the pattern has a group ``out``, take out that group alone.
        """
        compiled = ignoring_case(pattern) if isinstance(pattern, str) else pattern
        start = 0
        while match := compiled.search(self._left, start):
            self._remove(*match.span("out" if "out" in compiled.groupindex else 0))
            start = match.end()
            yield match

    def take_at(self, start: int, stop: int) -> bool:
        """Remove a part of the sentence by its place; return whether it was unread."""
        unread = self.is_unread(start, stop)
        if unread:
            self._remove(start, stop)
        return unread

    def put_back(self, start: int, stop: int) -> None:
        """Make a part of the sentence unread again."""
        self._left = self._left[:start] + self.text[start:stop] + self._left[stop:]

    def is_unread(self, start: int, stop: int) -> bool:
        """Return whether nothing of a part of the sentence was removed."""
        return self._left[start:stop] == self.text[start:stop]

    def has(self, pattern: str) -> bool:
        """Return whether the unread rest of the sentence matches a pattern; remove nothing."""
        return ignoring_case(pattern).search(self._left) is not None

    def take_first(self, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
        """Remove the first match of a pattern and return it; return None if the pattern does not match."""
        return next(self.take(pattern), None)

    def take_text(self, pattern: str) -> str:
        """Remove the first match of a pattern and return its first group; return an empty text without a match."""
        match = self.take_first(pattern)
        return match[1] if match else ""

    def drop(self, pattern: str | re.Pattern[str]) -> int:
        """Remove every match of a pattern, and return the number of matches."""
        return sum(1 for _ in self.take(pattern))

    def take_times(self, now: datetime) -> list[str]:
        """Remove all time phrases, the longest first, and return them in the order in which they were written."""
        self.drop(_YEAR_OF_PUBLICATION)
        times = list(self._clocks(now))
        words = list(_WORD.finditer(self._left))
        spans = sorted(
            (
                (first, last)
                for first in range(len(words))
                for last in range(first, min(first + _LONGEST_TIME, len(words)))
            ),
            key=lambda span: (span[0] - span[1], span[0]),
        )
        taken: list[range] = []
        for first, last in spans:
            if any(first <= span.stop - 1 and last >= span.start for span in taken):
                continue
            start = words[first].start()
            text = self._left[start : words[last].end()].rstrip(".?!:")
            if not _may_be_time(text) or not time_range_or_none(text, now):
                continue
            taken.append(range(first, last + 1))
            lead = _LEAD.match(text)
            if lead and time_range_or_none(text[lead.end() :], now):
                start, text = start + lead.end(), text[lead.end() :]
            times.append((start, text))
        for start, text in times:
            if self._left[start : start + len(text)] == text:
                self._remove(start, start + len(text))
        self.drop(rf"\b{_TIME_BEGINS}\s+(?={TAKEN})")
        self._timed = bool(times)
        self.drop(_NAME_OF_A_TIME if times else r"(?!)")
        # the Halloween storm of 2003-10-29: a name of that time; a year alone would be much longer
        if times and not all(re.fullmatch(r"\d{4}", text) for _, text in times):
            self.drop(
                r"(?<![\w-])(?:the )?(?-i:[A-Z][\w.]*)(?: (?-i:[A-Z][\w.]*)){0,2}"
                r" (?:storm|substorm|event|day(?: event)?)s?\b"
            )
        kept = self._without_outer([text for _, text in sorted(times)], now)
        if len(kept) == 1:
            span = parse_time_range(kept[0], now)
            self.drop(r"(?!)" if span.is_day else _LENGTH_OF_RANGE)
            self._drop_counted_length(span)
            self._drop_event_day(span, now)
            again = "(?:day|date)" if span.is_day else "(?:days|dates|period|interval|time range)"
            self.drop(rf"\b(?:(?:on|for|in|during)\s+)?the\s+same\s+{again}\b")
        return kept

    def _drop_counted_length(self, span: TimeRange) -> None:
        """Remove the length of the time range in numbers, if it is right: ``10-day stretch from 1 to 10 August``."""
        match = _COUNTED_LENGTH.search(self._left)
        if match is None:
            return
        count = VOCABULARY["counted"].get(match["count"].lower(), match["count"])
        if span.duration == timedelta(hours=int(count) * _HOURS[match["unit"].lower()]):
            self.take_at(*match.span())

    def _without_outer(self, times: list[str], now: datetime) -> list[str]:
        """Leave out a year, a month or the day of an event if the other time of the sentence says more.

        In ``in 2020, from 29 Nov to 2 Dec`` the year counts for the days; in ``the event of 29 Nov 2020, 29 Nov to 2
        Dec 2020`` the day only says which event it is.
        """
        if len(times) != 2 or _MARKED.search(self.text):
            return times
        spans = [parse_time_range(text, now) for text in times]
        for outer, inner in ((0, 1), (1, 0)):
            midnight = spans[outer].start.replace(hour=0, minute=0, second=0)  # of the day of the event
            if not (midnight <= spans[inner].start and spans[inner].stop <= spans[outer].stop):
                continue
            if _PERIOD.fullmatch(times[outer]) and not _COMPARED.search(self.text):
                return [times[inner]]
            day = re.escape(times[inner])
            named = ignoring_case(rf"{_OF_EVENT}{day}|{day}{_EVENT_BEHIND}").search(self.text)
            if named and spans[inner].is_day:
                self.drop(rf"\b(?:around|near)\s+(?=(?:the\s+)?(?:{_EVENT})\b)")
                return [times[outer]]
        return times

    def _drop_event_day(self, span: TimeRange, now: datetime) -> None:
        """Remove a day without a year that names an event, or is in brackets: ``7 to 12 May 2024, storm of 10 May``."""
        for pattern in (
            rf"{_OF_EVENT}{_DAY_AND_MONTH}",
            rf"{_DAY_AND_MONTH}{_EVENT_BEHIND}",
            rf"\(\s*{_DAY_AND_MONTH}\s*\)",
        ):
            match = ignoring_case(pattern).search(self._left)
            day = f"{match['day']} {span.start.year}" if match else ""
            if (
                match
                and time_range_or_none(day, now)
                and span.start <= parse_time_range(day, now).start < span.stop
            ):
                self.take_at(*match.span())

    def _clocks(self, now: datetime) -> Iterator[tuple[int, str]]:
        """Remove pairs of times of day with their date, as ``10:00-12:00 on 2 January 2023``; yield time ranges."""
        for clocks in list(_CLOCKS.finditer(self._left)):
            ahead = list(_WORD.finditer(self._left[: clocks.start()]))
            behind = list(_WORD.finditer(self._left, clocks.end()))
            between = self._left[ahead[-1].end() : clocks.start()] if ahead else ""
            spans = [(ahead[-count].start(), ahead[-1].end()) for count in range(min(4, len(ahead)), 0, -1)]
            if between.strip(" ,"):
                spans = []
            if behind and behind[0][0].casefold() in ("on", "of", "in"):
                behind = behind[1:]
            spans += [
                (behind[0].start(), behind[count - 1].end()) for count in range(min(4, len(behind)), 0, -1)
            ]
            every = list(_WORD.finditer(self._left))
            spans += [
                (every[first].start(), every[first + count].end())
                for count in range(4, -1, -1)
                for first in range(len(every) - count)
                if not every[first].start() < clocks.end() <= every[first + count].end() + 1
            ]
            for start, stop in spans:
                day = self._left[start:stop].rstrip(".?!:")
                if not ignoring_case(r"\d|today|yesterday").search(day) or not time_range_or_none(day, now):
                    continue
                span = parse_time_range(day, now)
                date = f"{span.start:%Y-%m-%d}T"
                text = f"{date}{_full(clocks['first'])} to {date}{_full(clocks['second'])}"
                if (
                    (span.stop - span.start).days != 1
                    or re.search(r"\d:\d", day)
                    or not time_range_or_none(text, now)
                ):
                    continue
                self._remove(*clocks.span())
                self._remove(start, start + len(day))
                yield min(start, clocks.start()), text
                break

    def rest(self) -> str:
        """Return the unread rest of the sentence."""
        return " ".join(self._left.replace(TAKEN, " ").split())

    def unread(self) -> tuple[str, ...]:
        """Return the remaining words that helio did not understand, without unimportant words such as ``please``."""
        words = re.findall(_MEANT, self._left)
        return tuple(dict.fromkeys(word for word in words if self._has_meaning(word)))

    def parts(self, moments: Sequence[str], crafts: Sequence[tuple[int, str]]) -> list[Part]:
        """Return the parts of the sentence with the words that name what to draw, or that were never read.

        The moments are what `left` returned before and after each time that such words were read, in order.
        """
        before, after = _restored(moments), moments[-1]
        parts: list[Part] = []
        cuts = [0, *(cut for match in _BETWEEN.finditer(self.text) for cut in match.span()), len(self.text)]
        for start, stop in zip(cuts[::2], cuts[1::2], strict=True):
            words = [match.span() for match in re.compile(_MEANT).finditer(before, start, stop)]
            unread = [
                span for span in words if self.is_unread(*span) and self._has_meaning(before[slice(*span)])
            ]
            spans = [span for span in words if span in unread or TAKEN in after[slice(*span)]]
            if spans:
                text = " ".join(before[slice(*span)] for span in spans)
                parts.append(Part(text, tuple(spans), bool(unread), (start, stop), left=tuple(unread)))
        return _with_crafts(parts, crafts)

    def _has_meaning(self, word: str) -> bool:
        harmless = IN_TIMED_REQUESTS if self._timed else IN_REQUESTS
        if _ION.fullmatch(word) and not (word == "He" and self.text.startswith("He ")):
            return True  # he is harmless, and helium is not
        word = word.strip("-–/+&_")
        if (word in INSTRUMENT_WORDS or word in _MISSIONS) and not self.text.isupper():
            return True  # PLS, LET and GOES, which in small letters are please, let and goes
        return word.casefold() not in harmless and re.search(r"\w", word) is not None

    def _remove(self, start: int, stop: int) -> None:
        self._left = self._left[:start] + TAKEN * (stop - start) + self._left[stop:]


def _restored(left: Sequence[str]) -> str:
    """Return the unread rest of a sentence with what was read between the first and the second moment, and so on."""
    letters = list(left[-1])
    for before, after in zip(left[::2], left[1::2], strict=True):
        for at, (letter, later) in enumerate(zip(before, after, strict=True)):
            if letter not in (later, TAKEN):
                letters[at] = letter
    return "".join(letters)


def _with_crafts(parts: list[Part], crafts: Sequence[tuple[int, str]]) -> list[Part]:
    """Give each part the spacecraft that stand in it, or alone beside it."""
    regions = [part.region for part in parts]
    named: list[list[str]] = [[] for _ in parts]
    waiting: list[str] = []
    for start, craft in sorted(crafts):
        inside = next((at for at, (first, last) in enumerate(regions) if first <= start < last), None)
        before = [at for at, (first, _) in enumerate(regions) if first <= start]
        if inside is not None:
            named[inside] += [*waiting, craft]
            waiting = []
        elif before and not any(first > start for first, _ in regions):
            named[before[-1]].append(craft)
        else:
            waiting.append(craft)
    for at, names in enumerate(named):
        if not names:
            named[at] = next((crafts for crafts in (*named[:at][::-1], *named[at + 1 :]) if crafts), [])
    return [replace(part, crafts=tuple(names)) for part, names in zip(parts, named, strict=True)]


def _full(clock: str) -> str:
    """Write a time of day with two digits for the hour, such as ``09:30``."""
    return clock.zfill(len(clock) + 1) if clock.index(":") == 1 else clock


_MAY_BE_TIME = ignoring_case(r"\d|last|past|this|current|previous|today|yesterday")


def _may_be_time(text: str) -> bool:
    """Return whether a text contains a number or a word such as ``last``, so that it may be a time."""
    if TAKEN in text or (text.isdecimal() and len(text) < 4):
        return False
    return _MAY_BE_TIME.search(text) is not None
