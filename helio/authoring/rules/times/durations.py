"""Read durations in sentences, such as ``10 minutes`` or ``half an hour``."""

from __future__ import annotations

import re
from datetime import timedelta

from helio.interval import CalendarInterval
from helio.time_range import Duration

MONTHS = {"month": 1, "quarter": 3, "year": 12}
INTERVALS = {
    "hourly": "1h", "daily": "1d", "minutely": "1min", "weekly": "7d", "monthly": "1 month", "quarterly": "3 months",
    "yearly": "1 year", "annually": "1 year", "annual": "1 year",
}  # fmt: skip
"""Words for the length of intervals."""
_UNITS = {"ms": "ms", "s": "s", "m": "min", "h": "h", "d": "d"}
_DIGITS = dict(
    zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], range(1, 10), strict=True)
)
_TEENS = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBERS = {
    **_DIGITS,
    **{word: number for number, word in enumerate(_TEENS, 10)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
"""Numbers in words; those such as ``forty-five`` are a multiple of ten and a digit."""
_NUMBERS = {"a": "1", "an": "1", **{word: str(number) for word, number in NUMBERS.items()}}
_SPELT = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_WITH_UNIT = re.compile(
    rf"(?<![\w-])(?:(?P<tens>{'|'.join(_TENS)})(?P<joint>[\s-]+))?(?P<number>{'|'.join(NUMBERS)})"
    r"(?=(?:-|\s+)(?:seconds?|secs?|minutes?|mins?|hours?)\b|-days?\b)",
    re.IGNORECASE,
)


def with_counted_units(text: str) -> str:
    """Write numbers in words before a unit of time as digits.

    >>> with_counted_units("five-minute means over ninety minutes or forty-five seconds, one-minute data, an hour")
    '5-minute means over 90 minutes or 45 seconds, 1-minute data, an hour'
    """
    return _WITH_UNIT.sub(
        lambda match: str(NUMBERS.get((match["tens"] or "").lower(), 0) + NUMBERS[match["number"].lower()]),
        text,
    )


def duration_pattern(name: str = "", *, calendar: bool = False) -> str:
    """Return a regular expression for a duration; `name` makes its group names unique within a larger expression.

    With `calendar`, months, quarters, years and Carrington rotations match too.
    """
    more = r"|months?|quarters?|years?|(?:carrington|solar)[\s-]+rotations?" if calendar else ""
    return (
        rf"(?P<number{name}>\d+(?:\.\d+)?|(?:half an|{_SPELT})(?=[\s-]))[\s-]*"  # "and" is no day
        r"(?:(?:more|extra|additional)[\s-]+)?"
        rf"(?P<unit{name}>ms|seconds?|secs?|s|minutes?|mins?|hours?|(?<=-)hourly|hrs?|hr|h|days?|d|weeks?{more})\b"
    )


def duration_range_pattern() -> str:
    """Return a regular expression for two durations such as ``2 to 10 min`` and ``20 s to 10 min``."""
    unit = r"ms|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?"
    first = rf"(?P<number1>\d+(?:\.\d+)?)[\s-]*(?P<unit1>{unit})?"
    return rf"{first}\s*(?:to|-|–|and|until|\.\.)\s*\+?{duration_pattern('2')}"


def duration_range_in(match: re.Match[str]) -> tuple[str, str]:
    """Return the durations of a match; the unit of the second is that of both if the first has none.

    >>> duration_range_in(re.search(duration_range_pattern(), "periods of 2 to 10 min"))
    ('2min', '10min')
    """
    first = _duration(match["number1"], (match["unit1"] or match["unit2"]).lower())
    return first, duration_in(match, "2")


def duration_in(match: re.Match[str], *names: str) -> str:
    """Return the first duration that a match contains, spelled as in templates (``10min``); empty if there is none.

    >>> duration_in(re.search(duration_pattern(calendar=True), "2-year means"))
    '2 years'
    >>> [duration_in(re.search(duration_pattern(), text)) for text in ("10 minutes", "half an hour", "an hour")]
    ['10min', '30min', '1h']
    """
    for name in names or ("",):
        number, unit = match[f"number{name}"], match[f"unit{name}"]
        if number:
            return _duration(number.lower(), unit.lower())
    return ""


def length_of(written: str) -> timedelta:
    """Return the length of a duration that is spelled as in templates."""
    return timedelta(microseconds=Duration(written).nanoseconds / 1000)


def _duration(number: str, unit: str) -> str:
    count = _NUMBERS.get(number, number)
    months = next((months for word, months in MONTHS.items() if unit.startswith(word)), 0)
    if months or "rotation" in unit:
        whole = months and count.isdigit()
        return str(CalendarInterval(f"{int(count) * months} months" if whole else f"{count} {unit}"))
    letter = "ms" if unit == "ms" else unit[0]
    if number == "half an":
        return "30min" if letter == "h" else "30s"
    return f"{float(count) * 7:g}d" if letter == "w" else f"{count}{_UNITS[letter]}"
