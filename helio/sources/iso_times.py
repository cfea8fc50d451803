"""Conversion of columns of ISO 8601 texts to nanoseconds of UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from helio.store.leap_seconds import from_civil

_DAY_OF_YEAR = re.compile(r"(\d{4})-(\d{3})(.*)", re.DOTALL)
_FORM = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<hour>\d{2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?P<fraction>\.\d{1,9})?)?)?)?"
    r"\s*(?P<zone>Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?"
)


_SECOND_60 = r"([T ]\d{2}:?\d{2}:?)60([.Zz+ -]|U|$)"


class NotATime(ValueError):
    """Error for a text that is not a time; the message shows the text."""

    def __init__(self, row: int, text: str, why: str = "is not a time in ISO 8601") -> None:
        super().__init__(f"'{text}' {why}" if text else "the time is missing")
        self.row = row
        """Number of the wrong text's row in the column, counted from 0."""


def nanoseconds_of_texts(texts: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Convert ISO 8601 texts to ns since 1970, shape (n,); a text without an offset counts as UTC.

    For leap seconds see `helio.store.leap_seconds`. A second 60 that is no leap second counts as the next second.

    Raises
    ------
    NotATime
        A text is not a time, or is outside 1677 to 2262; the error names the first such text.

    References
    ----------
    ISO 8601-1:2019, dates of calendar and of ordinal form.
    """
    if texts.null_count:
        raise NotATime(int(pc.index(pc.is_null(texts), pa.scalar(True)).as_py()), "")
    plain = pc.utf8_trim_whitespace(texts)
    nanoseconds = _of_one_form(plain)
    if nanoseconds is not None:
        return from_civil(nanoseconds)
    second_60 = np.asarray(pc.match_substring_regex(plain, _SECOND_60))
    if second_60.any():  # pyarrow reads all but these
        nanoseconds = _of_one_form(pc.replace_substring_regex(plain, _SECOND_60, r"\159\2"))
    if nanoseconds is not None:
        nanoseconds = nanoseconds + 10**9 * second_60
    else:
        nanoseconds = np.fromiter(
            (_nanoseconds(row, text) for row, text in enumerate(plain.to_pylist())),
            dtype=np.int64,
            count=len(plain),
        )
    return from_civil(nanoseconds, second_60)


def _of_one_form(texts: pa.ChunkedArray) -> npt.NDArray[np.int64] | None:
    """Convert all texts in one step if all have a time zone or none has one; otherwise return None."""
    for kind in (pa.timestamp("ns", tz="UTC"), pa.timestamp("ns")):
        try:
            return np.array(pc.cast(texts, kind).cast(pa.int64()), dtype=np.int64)
        except pa.ArrowInvalid:
            continue
    return None


def is_time(text: str) -> bool:
    """Return whether a text is a time that `nanoseconds_of_texts` can convert."""
    try:
        _nanoseconds(0, text.strip())
    except NotATime:
        return False
    return True


def _nanoseconds(row: int, text: str) -> int:
    ordinal = _DAY_OF_YEAR.fullmatch(text)
    plain = text
    try:
        if ordinal:
            day = datetime.strptime(f"{ordinal[1]}-{ordinal[2]}", "%Y-%j")
            plain = f"{day:%Y-%m-%d}{ordinal[3]}"
        match = _FORM.fullmatch(plain)
        if match is None:
            raise NotATime(row, text)
        moment = datetime.fromisoformat(match["date"])
        hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
        # 24:00:00 is the end of a day, and second 60 the second after it until it is known to be a leap second
        if hour > 24 or minute > 59 or second > 60 or (hour == 24 and (minute or second)):
            raise NotATime(row, text)
        moment += timedelta(hours=hour, minutes=minute, seconds=second) - _offset(match["zone"] or "")
    except (ValueError, OverflowError) as error:
        if isinstance(error, NotATime):
            raise
        raise NotATime(row, text) from error
    since = moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    fraction = int((match["fraction"] or ".0")[1:].ljust(9, "0"))
    nanoseconds = (since.days * 86_400 + since.seconds) * 10**9 + fraction
    if abs(nanoseconds) >= 2**63 - 1:
        raise NotATime(row, text, "lies outside the years 1677 to 2262")
    return nanoseconds


def _offset(zone: str) -> timedelta:
    if zone in ("", "Z", "z", "UTC"):
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -size if zone[0] == "-" else size
