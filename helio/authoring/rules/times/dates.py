"""Write dates as people type them, such as ``23/07/2012``, in the forms that helio reads as time ranges."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from helio.authoring.outcome import NotUnderstood
from helio.errors import TimeRangeError
from helio.patterns import ignoring_case
from helio.time_range import parse_time_range

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if number}
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_TH = r"(?:st|nd|rd|th)?"
_DAY = rf"\d{{1,2}}{_TH}"
_JOINT = r"\s*(?:-|–|\bto\b|\buntil\b|\btill\b|\bthrough\b)\s*"
_YEAR = r"(?:19|20)\d{2}"
_WRITTEN = rf"\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d)?|\d{{1,2}} {_MONTH} {_YEAR}|{_MONTH} \d{{1,2}},? {_YEAR}"
_WRITTEN_DATES = ignoring_case(
    rf"(?<![\w.-])(?P<first>{_WRITTEN})(?![\w-])(?:\s+(?:to|until|till)\s+(?P<last>{_WRITTEN})(?![\w-]))?"
)
"""A date as helio's grammar of time ranges has it, or two dates of a time range."""
_MOVED_FROM = ignoring_case(r"\b(?:chang|mov|shift|switch|replac)\w*\b[^.;,]*$")
"""Words before two dates of which the second replaces the first: ``change the day from``."""


def with_plain_dates(text: str) -> str:
    """Replace dates by dates that helio's grammar of time ranges has; leave alone what has two meanings.

    >>> with_plain_dates("on 23/07/2012"), with_plain_dates("2003, November"), with_plain_dates("5/6/2010")
    ('on 2012-07-23', 'November 2003', '5/6/2010')
    >>> with_plain_dates("days 90-95 of 2001"), with_plain_dates("17-Mar-15")
    ('2001-090 through 2001-095', '2015-03-17')
    """
    for pattern, written in _FORMS:
        text = ignoring_case(pattern).sub(written, text)
    return text


def refuse_impossible_dates(text: str, now: datetime) -> str:
    """Refuse a day that does not exist, and a time range that ends before it starts; return the text.

    Raises
    ------
    NotUnderstood
    """
    for match in _WRITTEN_DATES.finditer(text):
        dates = [written for written in match.groups() if written]
        try:
            starts = [parse_time_range(written, now).start for written in dates]
            if sorted(starts) != starts and not _MOVED_FROM.search(text[: match.start()]):
                parse_time_range(" to ".join(dates), now)
        except TimeRangeError as error:
            raise NotUnderstood(error.message, advice=error.advice) from error
    return text


def with_dates_of(text: str, start: date, stop: date) -> str:
    """Complete the dates of intervals without a year, or without a month, by those of a time range [start, stop).

    >>> with_dates_of("zoom to 17-18 March", date(2015, 3, 16), date(2015, 3, 21))
    'zoom to 17-18 March 2015'
    >>> with_dates_of("06:00-12:00 on the 17th", date(2015, 3, 16), date(2015, 3, 21))
    '06:00-12:00 on 2015-03-17'
    >>> with_dates_of("a line on 17 March at 04:45", date(2015, 3, 16), date(2015, 3, 21))
    'a line on 17 March at 04:45'
    """
    days = [start + timedelta(days=count) for count in range(min((stop - start).days, _MOST_DAYS))]
    years = {day.year for day in days}
    clocks = _TWO_CLOCKS.search(text) is not None

    def with_year(match: re.Match[str]) -> str:
        is_pair = _PAIR_OF_DAYS.search(match[0]) is not None
        month = _number_of_month(re.findall(r"[a-z]{3,}", re.sub(_TO, " ", match[0].casefold()))[-1])
        named = [day for day in days if day.month == month and str(day.day) in re.findall(r"\d+", match[0])]
        rest = text[: match.start()] + text[match.end() :]
        alone = ignoring_case(r"\W*(?:(?:only|just|show|use|for|on|the)\b\W*)*").fullmatch(rest) is not None
        further = ignoring_case(r"\bextend\b[^,;]*$").search(text[: match.start()]) is not None
        complete = (named and (clocks or is_pair or alone)) or further
        return f"{match[0]} {days[0].year}" if complete and len(years) == 1 else match[0]

    def with_month(match: re.Match[str]) -> str:
        named = [day for day in days if day.day == int(match["day"])]
        return f"on {named[0]}" if (clocks or _CLOCK.search(text)) and len(named) == 1 else match[0]

    def counted(match: re.Match[str]) -> str:
        count = 1 if not match["count"] else _COUNTS.get(match["count"].casefold()) or int(match["count"])
        is_first = match["which"].casefold() == "first"
        named = days[:count] if is_first else days[-count:]
        first, last = named[0], named[-1] + timedelta(days=1)
        return f"{first}" if count == 1 else f"{first} to {last}"

    text = _DAY_WITHOUT_YEAR.sub(with_year, text)
    text = _HOUR_ALONE.sub(r"\g<hour>:00\g<zone>", text)
    text = _OWN_DAYS.sub(counted, text) if days else text
    return _DAY_ALONE.sub(with_month, text)


_MOST_DAYS = 400
_TO = r"\b(?:to|until|till|through|and|of)\b|\d(?:st|nd|rd|th)"
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_HOUR_ALONE = ignoring_case(
    r"(?<![\d:.–-])(?P<hour>[012]?\d)(?P<zone>\s*UTC?)\b(?!\s*(?:-|–|to\b|until\b|and\b)\s*\d)"
)
_OWN_DAYS = ignoring_case(
    r"\b(?:the\s+)?(?P<which>first|final)\s+(?:(?P<count>one|two|three|four|five|\d)\s+days|day)\b"
    r"(?!\s+of)"
)
_TWO_CLOCKS = ignoring_case(
    r"\d{1,2}(?::\d{2}){0,2}\s*(?:UTC?|h)?\s*(?:-|–|\bto\b|\buntil\b|\band\b)\s*\d{1,2}"
    r"(?:(?::\d{2}){1,2}|(?::\d{2}){0,2}\s*(?:UTC?|h)\b)"
)
_PAIR_OF_DAYS = re.compile(r"\d\D*(?:-|–|\bto\b|\band\b)\D*\d")
_SOME_DAYS = rf"{_DAY}(?:{_JOINT}{_DAY})?"
_DAY_WITHOUT_YEAR = ignoring_case(
    rf"(?<![\d.:-])(?:{_SOME_DAYS}\s+(?:of\s+)?\b{_MONTH}|\b{_MONTH}\s+{_SOME_DAYS})"
    rf"(?![\w:]|,?\s*{_YEAR}|\s*-\s*\d|\s*{_MONTH}\b)"
)
_CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b")
_DAY_ALONE = re.compile(r"\bon\s+the\s+(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?!\s+(?:of|panel))", re.IGNORECASE)


def _numbered(match: re.Match[str]) -> str:
    """Write ``23/07/2012`` or ``23.7.2012``; a date without dots only if one of the numbers is no month."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    months = 12
    if match["dot"] == "." or first > months or first == second:
        return _iso(match, year, second, first)
    return _iso(match, year, first, second) if second > months else match[0]


def _year_first(match: re.Match[str]) -> str:
    year, month, day = filter(None, match.groups())
    return _iso(match, int(year), int(month), int(day))


def _iso(match: re.Match[str], year: int, month: int, day: int) -> str:
    """Return a date as ISO 8601 has it; what was matched if there is no such day."""
    is_day = 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
    return f"{year}-{month:02d}-{day:02d}" if is_day else match[0]


def _days_of_year(match: re.Match[str]) -> str:
    """Write days of a year as dates; if they have no year, it is the only one that the sentence names."""
    named = {*re.findall(rf"(?<![\d./:-]){_YEAR}(?![\d/-]|[:.]\d)", match.string)}
    year = match["year"] or match["after"] or (named.pop() if len(named) == 1 else "")
    return f"{year}-{int(match['first']):03d} through {year}-{int(match['last']):03d}" if year else match[0]


def _number_of_month(name: str) -> int:
    return _MONTHS[name[:3].lower()]


def _two_months(match: re.Match[str]) -> str:
    """Write ``October and November 2003`` as a range that contains both months."""
    first, last = (_number_of_month(match[name]) for name in ("first", "last"))
    if first >= last or (match["joint"].strip().casefold() in ("and", "&", "+") and last != first + 1):
        return match[0]
    return f"{match['first']} {match['year']} to {match['last']} {match['year']}"


def _two_years(match: re.Match[str]) -> str:
    if match["joint"].strip() in ("and", "&") and (
        int(match["last"]) != int(match["first"]) + 1 or _COMPARES.search(match.string)
    ):
        return match[0]
    return f"{match['first']} to {match['last']}" if int(match["first"]) < int(match["last"]) else match[0]


def _days_last(match: re.Match[str]) -> str:
    """Write ``August 2018 25-27`` and ``2018 August 25-27`` with the days first."""
    years = [year for year in (match["y1"], match["y2"]) if year]
    if len(years) != 1:
        return match[0]
    return f"{match['first']}-{match['last']} {match['month']} {years[0].strip(' :')}"


def _lasting(match: re.Match[str]) -> str:
    """Write ``2024-05-10 for 3 days`` as a range."""
    try:
        start = date.fromisoformat(match["start"])
    except ValueError:
        return match[0]
    numbers = {"two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "ten": 10}
    count = numbers.get(match["count"].lower()) or int(match["count"])
    days = count * 7 if (match["unit"] or "").lower().startswith("week") else count
    return f"{start} to {start + timedelta(days=days)}"


def _century(match: re.Match[str]) -> str:
    return f"{match[1].replace('-', ' ')} {_four_digits(match[2])}"


def _four_digits(year: str) -> str:
    """Return a year of two digits with its century: from 1957, before the first launch, to 2056."""
    first_launch = 57
    return f"{'19' if int(year) >= first_launch else '20'}{year}"


def _two_short_years(match: re.Match[str]) -> str:
    """Write ``1994-95`` as a range of both years; 2003-10 is a month."""
    last = f"{match['first'][:2]}{match['last']}"
    return f"{match['first']} to {last}" if match["first"] < last else match[0]


_COMPARES = re.compile(
    r"\b(?:compar\w+|(?:versus|vs\.?|against)(?=\s+(?:that\s+of\s+|in\s+)?(?:19|20)\d{2})"
    r"|between|each|both|over-?(?:lay|plot)\w*|superpos\w+|side by side|differ\w+)\b",
    re.IGNORECASE,
)
"""Words that tell two years apart."""
_ISO_DAY = r"(?<![\d-])(?:19|20)\d{2}-\d{2}-\d{2}"
_COUNT = r"(?P<count>two|three|four|five|seven|ten|\d{1,2})(?:\s+(?P<unit>days?|weeks?)|\s*(?P<letter>d)\b)"
_COMPACT = (
    r"(?P<{0}>(?:19|20)\d{{2}}-?\d{{2}}-?\d{{2}})[\s/T](?P<{0}_clock>[0-2]\d[0-5]\d)(?:\s*(?:UTC?|Z)\b)?"
)
_ISO = r"(?P<start>\d{4}-\d{2}-\d{2})(?![\dT:-])"
_OTHER_LANGUAGES = {
    word: number
    for number, words in enumerate(
        (
            "januar janvier enero", "februar février fevrier febrero", "märz maerz mars marzo", "avril abril",
            "mai mayo", "juni juin junio", "juli juillet julio", "août aout agosto", "septembre septiembre",
            "oktober octobre octubre", "novembre noviembre", "dezember décembre decembre diciembre",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
"""Months in German, French and Spanish; beside a day, so that Mars stays a planet."""


def _english(match: re.Match[str]) -> str:
    month = calendar.month_name[_OTHER_LANGUAGES[match["month"].lower()]]
    days = ignoring_case(r"\s*\b(?:bis|et|y|au|al)\b\s*").sub("-", match["days"].replace(".", ""))
    return f"{days} {month} {match['year']}"


def _compact(match: re.Match[str]) -> str:
    """Write ``20230423 1800 - 20230424 1200`` with the signs of ISO 8601."""
    moments = ((match[name].replace("-", ""), match[f"{name}_clock"]) for name in ("first", "last"))
    written = (f"{day[:4]}-{day[4:6]}-{day[6:]}T{clock[:2]}:{clock[2:]}" for day, clock in moments)
    return " to ".join(written)


def _with_century(match: re.Match[str]) -> str:
    month = int(match["month"]) if match["month"].isdigit() else _number_of_month(match["month"])
    return _iso(match, int(_four_digits(match["year"])), month, int(match["day"]))


def _alone_with_century(match: re.Match[str]) -> str:
    """Write ``17 Mar 15`` with four digits of the year, in a sentence without another year."""
    written = _with_century(match)
    return match[0] if written == match[0] else f"{match['before']}{written}"


def _months_of_year(match: re.Match[str]) -> str:
    """Write ``2001 (July to October)`` as a range of months."""
    first, last = (_number_of_month(match[name]) for name in ("first", "last"))
    return (
        f"{match['first']} {match['year']} to {match['last']} {match['year']}" if first < last else match[0]
    )


_FORMS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"\b(?P<before>(?:from|until|till|to|on|the|and|for|of|between)\s+)(?P<day>\d{{1,2}})\.\s+(?:of\s+)?(?={_MONTH})",
     r"\g<before>\g<day> "),  # from 3. March until 6. March
    (r"\bthru\b", "through"),
    (r"\bnoon\b", "12:00"),
    (r"\b(\d{1,2})\s*-?\s*(?:h|hrs?|hours?)\s+(?:from|after)\s+midnight\b", r"00:00 to \1:00"),
    (rf"(?<![\w-])({_MONTH}\s+{_YEAR})[-–](?={_MONTH}\s+{_YEAR}(?![\d-]))", r"\1 to "),
    (rf"\[([^\[\]]*{_YEAR}[^\[\]]*)\]", r"(\1)"),
    (rf"\b(?P<before>{_MONTH}(?:\s+\d{{1,2}}(?:\s*[-–]\s*\d{{1,2}})?)?,?\s*)['’](?P<year>\d{{2}})(?![\w'’])",
     lambda match: f"{match['before']}{_four_digits(match['year'])}"),
    (rf"(?<![\d/])(\d{{1,2}})(?P<sign>[/-])({_MONTH})(?P=sign)({_YEAR})(?![\d/-])", r"\1 \3 \4"),
    (rf"\b(?:to|until|till|through)\s+(?:the\s+)?end\s+of\s+(?=(?:the\s+)?{_DAY}\s+{_MONTH}\b|{_ISO_DAY})", "through "),
    (rf"(?:\bfrom\s+)?(?:the\s+)?\b(?:start|beginning)\s+of\s+(?=(?:{_MONTH}\s+)?{_YEAR}{_JOINT}(?:the\s+)?end\b)", ""),
    (rf"\b(to|until|till|through)\s+(?:the\s+)?end\s+of\s+(?=(?:{_MONTH}\s+)?{_YEAR}(?![\d-]))", r"\1 "),
    (r"\benc\b\.?\s*#?(?=\d{1,2}\b)", "encounter "),
    (rf"\b(?:the\s+)?st\.?\s+patrick['’]?s?\s+day,?\s+(?:of\s+)?({_YEAR})(?!\s+(?:\w+\s+)?storm)", r"17 March \1"),
    (rf"(?<![\w./-]){_COMPACT.format('first')}{_JOINT}{_COMPACT.format('last')}(?![\d:.-])", _compact),
    (rf"(?:\b(?:vom|du|del)\s+)?(?P<days>\d{{1,2}}\.?(?:\s*(?:-|–|bis|et|y|au|al)\s*\d{{1,2}}\.?)?)\s*(?:de\s+)?"
     rf"(?P<month>{'|'.join(_OTHER_LANGUAGES)})\s+(?:de\s+)?(?P<year>{_YEAR})(?![\w-])", _english),
    (rf"\b(?P<days>)(?!mars\b)(?P<month>{'|'.join(_OTHER_LANGUAGES)})\s+(?P<year>{_YEAR})(?![\w-])", _english),
    (rf"(?<![\d.])(\d{{1,2}})\.\s*(-|–)\s*(\d{{1,2}})\.\s*(?={_MONTH}\s+{_YEAR})", r"\1-\3 "),
    (rf"(?<![\w./-])({_YEAR})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\w:./-])", r"\1-\2-\3"),
    (rf"({_ISO_DAY})/(\d{{1,2}}:\d\d)\s*[-–]\s*({_YEAR}-\d\d-\d\d)/(\d{{1,2}}:\d\d)", r"\1T\2 to \3T\4"),
    (rf"(?<![\d.-])({_YEAR})\s(0[1-9]|1[0-2])\s([0-3]\d)(?![\d:.-])", r"\1-\2-\3"),
    (rf"(?<![\d./-])({_YEAR})/([0-3]\d\d)(?![\d/.-])", r"\1-\2"),
    (rf"\b(?:DOY|day)\s*([0-3]?\d?\d)/({_YEAR})(?![\d/.-])", r"\2 DOY \1"),
    (r"(?<![\d./:-])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{2})(?![\d/:-]|\.\d)", _with_century),
    (r"(?<![\d./:-])(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d{1,2})/(?P<year>\d{2})(?![\d/:-]|\.\d)", _with_century),
    (rf"\b(?:in|for|during|of)\s+(?P<month>0[1-9]|1[0-2])/(?P<year>{_YEAR})(?![\d/-]|\.\d)", r"\g<year>-\g<month>"),
    (rf"^(?P<before>(?!.*(?<!\d){_YEAR}(?!\d)).*?)(?<![\w.:/-])(?P<day>\d{{1,2}})[ -](?P<month>{_MONTH})[ -]"
     r"(?P<year>\d{2})(?![\w:./-]|\s*(?:UTC?|h)\b)", _alone_with_century),
    (rf"(?<![\d./:-])(?P<year>{_YEAR})(?:\s*[(,:]\s*|\s+)(?P<first>{_MONTH})(?:{_JOINT})(?P<last>{_MONTH})"
     r"(?!\s*\d)\)?", _months_of_year),
    (r"\byesterday\s+(?:and|&|\+)\s+today\b", "yesterday through today"),
    (rf"(?<![\d./-])({_YEAR})\s+({_MONTH})\s+({_DAY}\s*(?:-|–|to|through)\s*{_DAY})(?![\d:./-])", r"\2 \3, \1"),
    (rf"(?<![\d./-])(?P<first>{_YEAR})[-–/](?P<last>1[3-9]|[2-9]\d)(?![\d/:-]|\.\d)", _two_short_years),
    (r"(?<![\d-])((?:19|20)\d)0s\b", r"\g<1>0 to \g<1>9"),
    (rf"(?<![\d-])({_YEAR}),?\s+(?:the\s+)?(?:whole|full|entire)\s+year\b", r"\1"),
    (rf"\b(?:the\s+)?(?:whole|full|entire)\s+(?:of\s+)?(?={_YEAR}(?![\d-]))", ""),
    (r"\b(first|last)\s+(two|three)\s+weeks(?=\s+(?:of|in)\b)",
     lambda match: f"{match[1]} {14 if match[2].lower() == 'two' else 21} days"),
    (rf"\b({_MONTH}\s+{_YEAR}),?\s+(first|last)\s+week\b", r"the \2 week of \1"),
    (rf"\b(?:one|1|a|single)\s+day,?\s+(?:on\s+|of\s+)?(?={_ISO_DAY}(?![\dT/-])(?!\s*(?:to|-|–|until|through)\b)"
     rf"|{_DAY}\s+{_MONTH}\s+{_YEAR})", ""),
    (r"(?<![\d./-])(?P<first>\d{1,2})(?P<dot>[./-])(?P<second>\d{1,2})(?P=dot)"
     r"(?P<year>(?:19|20)\d{2})(?![\d/-]|\.\d)", _numbered),
    (r"(?<![\d./-])((?:19|20)\d{2})(?:[./](\d{1,2})[./](\d{1,2})|-(\d)-(\d{1,2})|-(\d\d)-(\d))(?![\d/-]|\.\d)",
     _year_first),
    (rf"(?<![\w-])(\d{{1,2}})({_MONTH})({_YEAR})(?![\w-])", r"\1 \2 \3"),
    (rf"(?<![\w./-])(\d{{1,2}}[-–]\d{{1,2}}) ?({_MONTH}) ?({_YEAR})(?![\w-])", r"\1 \2 \3"),
    (rf"(?<![\d-])(?P<year>{_YEAR}),\s*(?P<month>{_MONTH})(?:\s+(?P<day>{_DAY}))(?=\s*(?:$|[,.;]))",
     r"\g<day> \g<month> \g<year>"),
    (rf"(?<![\d-])({_YEAR}),\s*({_MONTH})(?=\s*(?:$|[,.;]))", r"\2 \1"),
    (rf"\b(?P<first>{_MONTH})(?P<joint>{_JOINT}|\s*[&+/]\s*|\s+and\s+)(?P<last>{_MONTH}),?\s+"
     rf"(?P<year>{_YEAR})(?![\d-])", _two_months),
    (rf"\b(?P<month>{_MONTH}\s+{_YEAR})(?P<event>(?:\s+[a-z]+){{0,3}})\s*[,;:.?(]?\s*\bdays?\s+(?P<first>\d{{1,2}})(?:{_JOINT})"
     rf"(?P<last>\d{{1,2}})(?![\d:-]|\s*(?:of|in)\b|\s+{_MONTH})", r"\g<first>-\g<last> \g<month>\g<event>"),
    (rf"(?:(?<![\d-])(?P<year>{_YEAR}),?\s*)?\b(?:DOY|days?(?:\s+of\s+(?:the\s+)?year)?)\s*(?P<first>\d{{1,3}}){_JOINT}"
     rf"(?:(?:DOY|day)\s*)?(?P<last>\d{{1,3}})(?![\d-]|\s*(?:of|in)\s+(?:the\s+)?{_MONTH})(?:,?\s*(?:of\s+|in\s+)?(?P<after>{_YEAR}))?",
     _days_of_year),
    (rf"(?<![\d./:-])(?P<first>{_YEAR})(?P<joint>\s*[-–&]\s*|\s+and\s+)(?P<last>{_YEAR})(?![\d/:-]|\.\d)", _two_years),
    (rf"\b(?:from\s+|starting\s+(?:on\s+)?)?{_ISO}\s*(?:,|for|\+|plus)\s*{_COUNT}(?![\w-])", _lasting),
    (rf"(?<![\d-])({_YEAR}-\d{{2}})-(\d{{2}})\s*/\s*(\d{{2}})(?![\d-])", r"\1-\2 through \1-\3"),
    (rf"(?<![\d-])({_YEAR})(\d{{2}})(\d{{2}})\s*(?:-|–|to|/)\s*({_YEAR})(\d{{2}})(\d{{2}})(?![\d-])",
     r"\1-\2-\3 through \4-\5-\6"),
    (rf"(?:\b(?P<y1>{_YEAR})\s+)?(?<!\b\d\s)(?<!\b\d\d\s)(?<!\dth\s)(?<!\dst\s)(?<!\dnd\s)(?<!\drd\s)(?<!of\s)"
     rf"\b(?P<month>{_MONTH}),?\s+(?P<y2>{_YEAR}\s*:?\s+)?(?P<first>\d{{1,2}}){_TH}\s*[-–]\s*"
     rf"(?P<last>\d{{1,2}}){_TH}(?![\d:.–-]|\s*(?:UTC?|Z|h|hours?)\b)", _days_last),
    (rf"\bstart(?:ing|s)?\s*[:=]?\s*({_ISO_DAY}),?\s*(?:and\s+)?(?:end(?:ing|s)?|stop(?:ping|s)?)\s*[:=]?"
     rf"\s*({_ISO_DAY})", r"\1 to \2"),
    (rf"\b({_MONTH})\s+of\s+({_YEAR})(?![\d-])", r"\1 \2"),
    (rf"\bday\s+(\d{{1,2}})\s+of\s+({_MONTH}),?\s+({_YEAR})", r"\1 \2 \3"),
    (rf"\b((?:\d{{1,2}}[\s-])?{_MONTH}(?:\s+\d{{1,2}},?)?)\s+['’](\d{{2}})\b", _century),
    (rf"(?<![\w-])(\d{{1,2}}-{_MONTH})-(\d{{2}})(?![\w-])", _century),
    (rf"(?<!-)(?<!new\s)(?<!per\s)(?<!each\s)(?<!every\s)(?<!by\s)\b(?:the\s+)?years?\s+(?={_YEAR}\b)", ""),
    (r"(?<!each )(?<!every )\b(?:the\s+)?month\s+of\s+(?=\w)", ""),
)  # fmt: skip
"""Patterns of dates, and how helio's grammar writes what they match."""
