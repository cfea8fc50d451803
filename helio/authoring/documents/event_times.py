"""Read the times of events, in ISO 8601 and in other forms that have one meaning."""

from __future__ import annotations

import re
from datetime import datetime

from helio.errors import RequestError, TimeRangeError
from helio.time_range import is_relative, parse_time_range

_WRITE_ISO = "write times in UTC as 2024-05-10T17:05"
LONGEST_TIME = 60
"""Maximum characters of a time in words."""
_DAY = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?=\D|$)")
_DAY_OF_YEAR = re.compile(r"(\d{4})[-/ ](\d{3})(?=[T ]|$)")
_CLOCK_WITHOUT_COLON = re.compile(
    r"(?<=[-\d]\d[T ])([0-2]\d)([0-5]\d)(\d{2})?(?=\s*(?:Z|UTC?)?$)", re.IGNORECASE
)
_SHORT_HOUR = re.compile(r"(?<=[T ])(\d:\d\d)")
_TWO_TIMES = re.compile(r"/|\.\.|–| - |\b(?:to|until|till|through|and)\b", re.IGNORECASE)
_ANY_TIME = datetime(2000, 1, 1)
"""The present, for a grammar that can name it; times of events do not."""


def plain_time(text: str) -> str:
    """Write a time in the form that helio reads, and leave alone what is no time or has two meanings.

    >>> [plain_time(time) for time in ("2015/3/17 0445", "2015 076 04:45", "2015-03-17 4:45 UT", "05/06/15")]
    ['2015-03-17 04:45', '2015-076 04:45', '2015-03-17 04:45 UT', '05/06/15']
    """
    time = _DAY.sub(lambda match: f"{match[1]}-{int(match[3]):02}-{int(match[4]):02}", text.strip(), count=1)
    time = _DAY_OF_YEAR.sub(r"\1-\2", time, count=1)
    time = _CLOCK_WITHOUT_COLON.sub(
        lambda match: ":".join(part for part in match.groups() if part is not None), time
    )
    return _SHORT_HOUR.sub(r"0\1", time, count=1)


def is_moment(text: str) -> bool:
    """Return whether a text is a time that `moment` can read."""
    try:
        moment(text, "")
    except RequestError:
        return False
    return True


def moment(text: str, where: str, *more: str) -> str:
    """Convert a time to ISO 8601 in UTC with seconds, and with fractions only if the text has them.

    Parameters
    ----------
    where : str
        Where the time stands, for the message.
    more : str
        Further advice.

    Raises
    ------
    RequestError
        The text is not a time, or has two meanings.

    Examples
    --------
    >>> moment("2015-03-17T04:45+01:00", ""), moment("17-Mar-2015 04:45", ""), moment("2015/03/17 0445 UT", "")
    ('2015-03-17T03:45:00', '2015-03-17T04:45:00', '2015-03-17T04:45:00')
    """
    import numpy as np
    import pyarrow as pa

    from helio.sources.iso_times import NotATime, nanoseconds_of_texts

    plain = plain_time(text)
    try:
        instant = np.datetime64(int(nanoseconds_of_texts(pa.chunked_array([[plain]]))[0]), "ns")
    except NotATime as error:
        start = _in_words(plain)
        if start is None:
            raise RequestError(
                f"{where}: '{text[:60]}' is not a time in ISO form",
                advice=", and ".join([_WRITE_ISO, *more]),
            ) from error
        instant = np.datetime64(start, "ns")
    seconds, _, fraction = str(instant).partition(".")
    return f"{seconds}.{fraction.rstrip('0')}".rstrip(".")


def _in_words(text: str) -> datetime | None:
    """Return a time such as ``17 Mar 2015 04:45``; None if the text is no single time of at most a day."""
    if len(text) > LONGEST_TIME or _TWO_TIMES.search(text) or not re.search(r"\d{4}", text):
        return None
    try:
        span = parse_time_range(text, _ANY_TIME)
    except TimeRangeError:
        return None
    return None if is_relative(text) or (span.stop - span.start).total_seconds() > 86_400 else span.start
