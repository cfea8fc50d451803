"""Complete pairs of dates of which one says less than the other, such as ``29 Nov - 2 Dec 2020``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise

from helio.errors import TimeRangeError
from helio.patterns import ignoring_case
from helio.time_range import parse_time_range

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
YEAR = r"(?:19|20)\d{2}"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_CLOCK = (
    r"(?:,?[ T](?:at )?(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:\s*UTC?|Z)?|,?\s+(?P<hour>\d{1,2})\s*"
    r"(?:UTC?|h(?!\s*-?\s*(?!(?:to|until|till|through|and|UTC?)\b)[a-z]))\b)?"  # not 1 h averages
)
_SIDES = (
    rf"(?P<year>{YEAR})[-/.](?P<number>\d{{1,2}})[-/.](?P<day>\d{{1,2}})",
    rf"(?:(?P<early>{YEAR}),?[\s-]+)?(?P<day>{_DAY})(?:\s+of)?[\s-]*(?P<month>{MONTH})(?:,?[\s-]+(?P<year>{YEAR}))?",
    rf"(?:(?P<early>{YEAR}),?[\s-]+)?(?P<month>{MONTH})[\s-]*(?P<day>{_DAY})(?!\d)(?:,?[\s-]+(?P<year>{YEAR}))?",
    rf"(?P<day>\d{{1,2}})(?P<sign>[./])(?P<number>\d{{1,2}})(?:[./](?P<year>{YEAR}))?\.?",
    r"(?P<number>\d{2})-(?P<day>\d{2})",
    rf"(?P<day>{_DAY})\.?(?:,?\s+(?P<year>{YEAR})(?!-\d{{2}}-\d{{2}}))?",  # no year in 'MMS 1, 2017-07-11'
)
"""Forms of a date: a part that is missing is that of the other date."""
_SIDE = "(?:" + "|".join(re.sub(r"\?P<\w+>", "?:", f"(?:{side}){_CLOCK}") for side in _SIDES) + ")"
_JOINT = r"\s*(?:-|–|—|\.\.\.?|/|\+|&|,?\s*\b(?:to|until|till|through|and)\b)\s*(?:the\s+)?"
_UNIT = (
    r"(?:[kMG]?eV|[kMGm]?Hz|[np]T|[nckm]?m|AU|R_?[ES]|[MG]?K|deg\w*|°|%|[mn]?s|min|h|days?|hours?|/)(?![a-z])"
)
_PAIR = re.compile(
    rf"(?<![\w./:+-])(?:(?:from|between)\s+)?(?P<first>{_SIDE})(?P<joint>{_JOINT})(?P<last>{_SIDE})"
    rf"(?![\w+-]|[./:]\d|(?:\s*(?:,|&|\band\b)\s*[\d.]+\s*[-–]\s*[\d.]+)*\s*(?-i:{_UNIT}))",  # 3-4.6 MeV are energies
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"(?<![\w./:-])(?P<first>{_DAY})(?P<more>(?:\s*,\s*{_DAY})+)\s*(?:,|,?\s*(?:and|&))\s*(?P<last>{_DAY}(?:\s+of)?\s+{MONTH})",
    re.IGNORECASE,
)
_BRACKETED = re.compile(
    rf"(?:{_DAY}\s+)?(?P<month>{MONTH})\s+(?P<year>{YEAR})(?P<words>(?:\s+[a-z-]+){{0,4}})"
    rf"\s*\(\s*(?P<days>{_DAY}{_JOINT}{_DAY})(?:\s+(?P<again>{MONTH}))?\s*\)",
    re.IGNORECASE,
)
_ORDINALS = re.compile(
    r"(?:from\s+|between\s+)?\d{1,2}(?:st|nd|rd|th)\b[^a-z]*\D+\d{1,2}(?:st|nd|rd|th)\b[^a-z]*", re.IGNORECASE
)
_IN_PANELS = re.compile(r"\b(?:in|panels?)\s+(?:the\s+)?$", re.IGNORECASE)
_OF_SENTENCE = re.compile(rf"(?P<month>{MONTH})\s*(?:{_DAY},?\s+)?(?P<year>{YEAR})(?![\w-])", re.IGNORECASE)
"""Patterns of two days without their month, of words before numbers of panels, and of the month of a sentence."""
_ANY_YEAR = re.compile(rf"(?<![\w.]){YEAR}(?!\w|[:.]\d)")
_NOW = datetime(2000, 1, 1)


@dataclass(frozen=True)
class _Side:
    """A date of which parts may be missing; 0 or an empty text stands for a missing part."""

    year: int
    month: int
    day: int
    clock: str
    sure: bool
    """Whether no number of it may be a day or a month."""

    @property
    def date(self) -> date:
        return date(self.year, self.month, self.day)


def with_whole_dates(text: str) -> str:
    """Write both dates of a pair whole where one takes its month or year from the other, or from the sentence.

    Two days with the names of their months include the second day.

    >>> with_whole_dates("2020 Nov 29 - Dec 2"), with_whole_dates("2012 Sept 27 to Oct 1")
    ('2020-11-29 through 2020-12-02', '2012-09-27 through 2012-10-01')
    >>> with_whole_dates("23/24 April 2023"), with_whole_dates("14.-16.7.2000")
    ('2023-04-23 through 2023-04-24', '2000-07-14 through 2000-07-16')
    >>> with_whole_dates("the April 1976 perihelion (15-20 April)")
    'the perihelion 15-20 April 1976'
    >>> with_whole_dates("3-4.6 and 4.6-15 MeV protons, 2012")
    '3-4.6 and 4.6-15 MeV protons, 2012'
    >>> with_whole_dates("ACE 7 to 10 September 2017: Bz")
    'ACE 7 to 10 September 2017: Bz'
    >>> with_whole_dates("April 2023: |B|, 23rd and 24th")
    'April 2023: |B|, 2023-04-23 through 2023-04-24'
    >>> with_whole_dates("30 Dec - 2 Jan 2004"), with_whole_dates("10 May 2005 22:00 to 11 May 02:00")
    ('2003-12-30 through 2004-01-02', '2005-05-10T22:00 to 2005-05-11T02:00')
    """
    text = ignoring_case(r"(?<=\d(?:st|nd|rd|th))\s+(?:at\s+)?noon\b").sub(" 12:00", text)
    text = _LISTED.sub(_listed, _BRACKETED.sub(_bracketed, text))
    for match in reversed(list(_PAIR.finditer(text))):
        if _is_in_words(match) or not is_time(match[0]):
            around = f"{text[: match.start()]} {text[match.end() :]}"
            years = {int(year) for year in _ANY_YEAR.findall(around)}
            month = _month_elsewhere(match, around)
            written = _pair(match, years.pop() if len(years) == 1 else 0, month)
            text = f"{text[: match.start()]}{written or match[0]}{text[match.end() :]}"
    return text


def is_time(text: str) -> bool:
    """Return whether helio's grammar of time ranges reads a text."""
    try:
        parse_time_range(text, _NOW)
    except TimeRangeError as error:
        return error.empty
    return True


def _listed(match: re.Match[str]) -> str:
    """Write ``10, 11 and 12 May`` as a range, if its days follow each other."""
    days = [int(number) for number in re.findall(r"\d+", f"{match['first']}{match['more']} {match['last']}")]
    follow = all(later - day == 1 for day, later in pairwise(days))
    return f"{match['first']}-{match['last']}" if follow else match[0]


def _bracketed(match: re.Match[str]) -> str:
    """Leave the days in brackets, which say more than the date before them, if both are of one month."""
    again = match["again"] or match["month"]
    same = again[:3].casefold() == match["month"][:3].casefold()
    return f"{match['words'].strip()} {match['days']} {again} {match['year']}".strip() if same else match[0]


def _month_elsewhere(pair: re.Match[str], around: str) -> int:
    """Return the only month of a sentence for two days without a month, as in ``23rd and 24th``; otherwise 0."""
    months = {(match["month"][:3].lower(), match["year"]) for match in _OF_SENTENCE.finditer(around)}
    ends = re.match(r"\s*(?:$|[,.;:)])", pair.string[pair.end() :])
    is_days = _ORDINALS.fullmatch(pair[0]) and not _IN_PANELS.search(pair.string[: pair.start()])
    return MONTHS.index(months.pop()[0]) + 1 if is_days and ends and len(months) == 1 else 0


def _pair(match: re.Match[str], elsewhere: int, month: int) -> str:
    """Write a pair of dates as a range; empty if it is none, or if a number may be a day or a month.

    `elsewhere` and `month` are the year and the month that the sentence names elsewhere, or 0.
    """
    first, last = _side(match["first"]), _side(match["last"])
    is_length = last and not (first and first.clock) and re.search(r",\s*\d+\s*h$", match["last"])
    if first is None or last is None or is_length:  # 5 to 11 May 2026, 2h
        return ""
    if month:
        first, last = replace(first, month=month, sure=True), replace(last, month=month)
    bare = not (first.month and last.month)
    if (
        not (first.month or last.month)
        or not (first.year or last.year or elsewhere)
        or not (first.sure or last.sure)
    ):
        return ""
    is_hour = ignoring_case(r"\s*UTC?\b").match(match.string[match.end() :]) is not None
    if bare and (first.clock or last.clock or is_hour):
        return ""
    first, last = (
        replace(first, month=first.month or last.month),
        replace(last, month=last.month or first.month),
    )
    backwards = (first.month, first.day) > (last.month, last.day)
    if bare and backwards:
        return ""
    last_year = last.year or (first.year or elsewhere) + backwards
    first_year = first.year or last_year - (backwards and bool(last.year))
    first, last = replace(first, year=first_year), replace(last, year=last_year)
    try:
        days = (last.date - first.date).days
    except ValueError:
        return ""
    joint = match["joint"].strip(" ,").casefold()
    of_two = joint in ("and", "&", "+", "/")
    if days < 0 or (of_two and days != 1 and not match[0].lower().startswith("between")):
        return ""
    in_words = (bool(month) or _is_in_words(match)) and not (first.clock or last.clock)
    written = [f"{side.date}{f'T{side.clock}' if side.clock else ''}" for side in (first, last)]
    return (" through " if bare or of_two or in_words or joint == "through" else " to ").join(written)


def _is_in_words(pair: re.Match[str]) -> bool:
    """Return whether a pair has two days with the names of their months."""
    sides = (pair["first"], pair["last"])
    return all(re.search(r"[^\W\d]{3}", side) and re.search(r"(?<!\d)\d{1,2}(?!\d)", side) for side in sides)


def _side(text: str) -> _Side | None:
    for pattern in _SIDES:
        match = ignoring_case(f"(?:{pattern}){_CLOCK}").fullmatch(text.strip())
        if match is None:
            continue
        parts = {"year": "", "early": "", "month": "", "number": "", "sign": "", **match.groupdict()}
        day, number = int(re.sub(r"\D", "", parts["day"])), int(parts["number"] or 0)
        month = MONTHS.index(parts["month"][:3].lower()) + 1 if parts["month"] else number
        year = int(parts["year"] or parts["early"] or 0)
        clock = parts["clock"] or (f"{int(parts['hour']):02d}:00" if parts["hour"] else "")
        months = len(MONTHS)
        sure = bool(month) and (parts["sign"] != "/" or day > months or day == number)
        if parts["sign"] == "/" and number > months:  # the month first
            day, month, sure = number, day, True
        return _Side(year, month, day, clock.zfill(5) if clock else "", sure)
    return None
