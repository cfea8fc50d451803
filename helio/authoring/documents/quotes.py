"""Look for quotes on the pages of documents, and for values in quotes."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

_LIKE = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("‘’‚‛′´`", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("∼˜∽", "~"),
        **dict.fromkeys("⋅∙•", "·"),
        **dict.fromkeys("º˚", "°"),
        "×": "x",
        "\u00ad": "",
    }
)
"""Characters that readers of PDFs and models take for each other."""
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_NUMBER = re.compile(
    r"(?P<letter>[^\W\d_])?(?P<sign>(?<![\d.)])[-+]\s?)?"
    r"(?P<number>\d{1,3}(?P<groups>(?:,\d{3})+)(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
    r"(?:e(?P<e>[-+]?\d{1,3})(?!\d)|\^(?P<raised>[-+]?\d{1,3})|\s*[x·*]\s*10\^?(?P<power>[-+]?\d{1,3}))?"
)
_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>\d{2}(?:\.\d+)?))?(?:\s*(?P<half>[ap])\.?m\b)?"
    r"|(?<![\d.,:])(?P<hours>[01]\d|2[0-4])(?P<minutes>[0-5]\d)\s*(?:utc?|z|h)\b"
    r"|(?:(?<=\d[-/]\d\d\s)|(?<=\d[-/]\d{4}\s))(?P<hours_of_day>[01]\d|2[0-4])(?P<minutes_of_day>[0-5]\d)(?!\d)"
    r"|(?<![\d.,:])(?P<full>[01]?\d|2[0-4])\s*(?:utc?|z)\b"
)
_MONTHS = ("jan(?:uary)?", "feb(?:ruary)?", "mar(?:ch)?", "apr(?:il)?", "may", "june?", "july?", "aug(?:ust)?",
           "sep(?:t(?:ember)?)?", "oct(?:ober)?", "nov(?:ember)?", "dec(?:ember)?")  # fmt: skip
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})[-/. ](\d{1,2})[-/. ](\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)")


def is_on_page(quote: str, page: str) -> bool:
    """Return whether a page has the words of a quote.

    Blanks, case, kinds of dashes and of quotation marks, and hyphens at line ends do not count, because readers of PDFs
    differ in them. A quote that begins or ends within a number is not on the page.

    Examples
    --------
    >>> is_on_page("interplanetary shock's −50 nT", "the inter-\\nplanetary Shock’s -50 nT")
    True
    >>> is_on_page("22", "Dst of -223 nT"), is_on_page("Dst of 223", "Dst of -223 nT")
    (False, False)
    """
    letters = "".join(_plain(quote).replace("^", "").split())
    if not letters:
        return False
    pattern = re.escape(letters[0])
    for before, letter in pairwise(letters):
        in_word = before.isalpha() and letter.isalpha()
        pattern += (r"(?:-\s*\n)?\s*" if in_word else r"\s*") + re.escape(letter)
    first = r"(?<!\d)(?<!\d[.,])" if letters[0].isdigit() else ""
    last = r"(?!\d)(?![.,]\d)" if letters[-1].isdigit() else ""
    return re.search(f"{first}{pattern}{last}", _plain(page).replace("^", "")) is not None


def has_value(quote: str, value: str | float) -> bool:
    """Return whether a quote contains a number, or does not contradict a time in ISO 8601.

    A number has the sign, the digits and the power of ten that the quote has. A time agrees with the times of day and
    the dates of the quote, if it has any.

    Examples
    --------
    >>> has_value("1.5 × 10³", 1500.0), has_value("Dst = −223 nT", -223.0), has_value("−223", 23.0)
    (True, True, False)
    >>> has_value("17 March, 04:45 UT", "2015-03-17T04:45:00"), has_value("at 04:45 UT", "2015-03-17T04:55:00")
    (True, False)
    """
    text = _plain(quote)
    if isinstance(value, str):
        time = datetime.fromisoformat(value[: len("2015-03-17T04:45:00.123456")])
        return _agrees_with_clocks(text, time) and _agrees_with_dates(text, time)
    without_gaps = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text)  # 12 300
    numbers = (number for part in (text, without_gaps) for number in _numbers(part))
    return any(math.isclose(number, value, rel_tol=1e-12) for number in numbers)


@lru_cache(maxsize=64)  # the cells of a table share their page
def _plain(text: str) -> str:
    """Return a text with one spelling of what looks alike, in small letters, and ``^`` before raised digits."""
    raised = re.sub(
        "[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda match: f"^{match[0].translate(_RAISED)}", text.translate(_LIKE)
    )
    return unicodedata.normalize("NFKC", raised).translate(_LIKE).casefold()


def _numbers(text: str) -> Iterator[float]:
    """Yield the numbers of a text, in each way to read a dash after a letter or before a blank, and a comma."""
    for match in _NUMBER.finditer(text):
        written, power = match["number"], match["e"] or match["power"] or "0"
        if match["raised"] and written == "10":
            written, power = "1", match["raised"]
        readings = [written.replace(",", "." if match["groups"] is None else "")]
        if match["groups"] and written.count(",") == 1 and "." not in written:
            readings.append(written.replace(",", "."))
        sign = match["sign"] or ""
        for reading in readings:
            size = float(f"{reading}e{power}")
            if "-" in sign:
                yield -size
            if "-" not in sign or match["letter"] or sign.endswith(" "):
                yield size


def _agrees_with_clocks(text: str, time: datetime) -> bool:
    """Return whether a text has this time of day, or none."""
    seconds = time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6
    clocks = [_seconds(match) for match in _CLOCK.finditer(text)]
    return not clocks or any(abs(clock - seconds) < 1e-6 for clock in clocks)


def _seconds(clock: re.Match[str]) -> float:
    """Return a time of day in seconds."""
    hour = int(clock["hour"] or clock["hours"] or clock["hours_of_day"] or clock["full"])
    minute = int(clock["minute"] or clock["minutes"] or clock["minutes_of_day"] or 0)
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"] == "p" else 0)
    return hour % 24 * 3600 + minute * 60 + float(clock["second"] or 0)


def _agrees_with_dates(text: str, time: datetime) -> bool:
    """Return whether a text has this date, or none that is written in full or with the name of a month."""
    named = [
        number
        for number, name in enumerate(_MONTHS, start=1)
        if re.search(rf"\d(?:st|nd|rd|th)?[,.\s-]*{name}(?![a-z])|(?<![a-z]){name}[.\s-]*\d", text)
    ]
    if named:
        return time.month in named and re.search(rf"(?<![\d:.])0?{time.day}(?![\d:])", text) is not None
    dates = [(int(year), {(int(month), int(day))}) for year, month, day in _YEAR_FIRST.findall(text)]
    dates += [
        (int(year), {(int(one), int(other)), (int(other), int(one))})
        for one, other, year in _YEAR_LAST.findall(text)
    ]
    return not dates or any(year == time.year and (time.month, time.day) in days for year, days in dates)
