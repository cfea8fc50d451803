"""Finds the columns of a file that contain its times, from titles and first cells, and returns the times as ISO
8601 texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from helio.errors import DamagedFile
from helio.sources.cdf_epoch import NO_TIME
from helio.sources.iso_times import NotATime
from helio.sources.netcdf_time import TimeUnits

Cells = Callable[[int], pa.ChunkedArray]
"""Function that returns the cells of a column as texts, given the number of the column."""

_ROLES = {
    "stamp": ("epoch", "date time", "datetime", "timestamp", "time stamp", "time tag", "timetag", "isotime",
              "iso time"),
    "date": ("date", "dates", "yyyymmdd", "yyyy mm dd", "date yyyymmdd", "date yyyy mm dd", "ymd"),
    "time": ("time", "times", "time of day", "tod", "hh mm", "hh mm ss", "time hh mm", "time hh mm ss"),
    "hhmm": ("hhmm", "time hhmm"),
    "hhmmss": ("hhmmss", "time hhmmss"),
    "year": ("year", "years", "yr", "yyyy"),
    "month": ("month", "mon", "mo"),
    "day": ("day", "dd", "da", "dom", "dy", "day of month", "mday"),
    "doy": ("doy", "ddd", "yday", "day of year"),
    "hour": ("hour", "hours", "hr", "hrs", "hh", "hour h", "hours h", "hr h"),
    "minute": ("minute", "minutes", "mins", "minute min", "minutes min"),
    "min": ("min", "mn"),
    "mm": ("mm",),
    "second": ("second", "seconds", "sec", "secs", "ss", "second s", "seconds s", "sec s"),
    "millisecond": ("millisecond", "milliseconds", "msec", "ms"),
    "microsecond": ("microsecond", "microseconds", "usec", "us"),
    "hours of day": ("hours of day", "hour of day", "decimal hour", "decimal hours", "time h", "time hr", "time hours",
                     "time of day h"),
    "minutes of day": ("minutes of day", "minute of day", "time min", "time minutes", "time of day min"),
    "seconds of day": ("seconds of day", "second of day", "sec of day", "secs of day", "seconds of the day", "sod",
                       "time s", "time sec", "time seconds", "time of day s", "sod s",
                       "seconds of day s"),
    "milliseconds of day": ("milliseconds of day", "ms of day", "msec of day", "time ms", "time msec",
                            "time of day ms"),
}  # fmt: skip
_ROLE_OF = {name: role for role, names in _ROLES.items() for name in names}
_OF_DAY = {
    "hours of day": 3600 * 10**9,
    "minutes of day": 60 * 10**9,
    "seconds of day": 10**9,
    "milliseconds of day": 10**6,
}
_ALONE = {"hour": "hours of day", "minute": "minutes of day", "second": "seconds of day"}
_PARTS = ("hour", "minute", "second", "millisecond", "microsecond")
_NANOSECONDS = {
    "hour": 3600 * 10**9,
    "minute": 60 * 10**9,
    "second": 10**9,
    "millisecond": 10**6,
    "microsecond": 10**3,
}
_TITLED = ("stamp", "date", "time")

_OFFSET = re.compile(
    r"(?:(?:utc|gmt|ut)\s*(?P<short>[+-]\s*\d{1,2}(?::?\d{2})?)|(?P<long>[+-]\d{2}:?\d{2}))(?!\d)"
)
_UTC = frozenset({"utc", "ut", "gmt", "zulu"})
_LOCAL = frozenset({
    "local", "loc", "lt", "lst", "est", "edt", "cst", "cdt", "mst", "mdt", "pst", "pdt", "hst", "akst", "cet", "cest",
    "eet", "eest", "wet", "west", "bst", "ist", "jst", "kst", "msk",
})  # fmt: skip
_SCALE = re.compile(r"(time|epoch|date)?(tai|gpst|gps|tt2000|tt|tdt|tdb|tcb|tcg|et)(time|epoch)?")
"""Words that name a time scale other than UTC, either alone or joined to a word for time."""
_ZONES_ALONE = _UTC | {"local", "lt", "lst"}
_PLACE_NAME = re.compile(r"(?:africa|america|antarctica|asia|atlantic|australia|europe|indian|pacific)/\w+")

_OFFSET_UNIT = r"(?:in)?(?:h|hr|hrs|hours?|m|min|mins|minutes?|s|sec|secs|seconds?)?"
_SAYS_OFFSET = re.compile(
    rf"(?:(?:time|local)*(?:tz|timezone)(?:name|info|id|abbr|abbreviation|code)?"
    rf"|(?:time|local)*(?:tz|timezone|zone|utc|gmt|ut)(?:offset|shift|diff|difference|delta)"
    rf"|(?:local)?(?:time)?(?:offset|shift|difference)(?:from|to)?(?:utc|gmt|ut)|offsetlocal(?:time)?|local(?:time)?offset"
    rf"|localminusutc){_OFFSET_UNIT}"
)
_MAY_SAY_OFFSET = re.compile(r"(?:tz|zone|offset|timeoffset)(?:in)?(?:h|hr|hrs|hours?)?")
"""Titles that may name an offset from UTC, but also data: ``tz`` may be the z component of a temperature."""
_CELL_OF_UTC = r"(?i)^(?:(?:etc/)?(?:utc|gmt|ut|z|zulu))?\s*[+-]?(?:0{0,2}:?0{0,2}(?::00)?|0\.0*)$"
_CELL_OF_OFFSET = (
    r"(?i)^(?:(?:utc|gmt|ut)?\s*[+-]\d{1,2}(?::?\d{2})?|[+-]?(?:\d|1[0-4])(?:\.(?:0+|250*|50*|750*))?"
    r"|\d{2}:\d{2}|[a-z]{2,4}|[a-z]+/[a-z_/+-]+\d*)$"
)

_DATE = r"\d{4}-(?:\d{2}-\d{2}|\d{3})"
_OF_DATE = re.compile(rf"{_DATE}|\d{{8}}")
_COMPLETE = re.compile(rf"{_DATE}[T ]\d{{2}}.*", re.DOTALL)
_MIDNIGHT = r"[T ]00:?00(?::?00(?:\.0+)?)?$"
_OF_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|z|UTC|[+-]\d{2}(?::?\d{2})?)?")
_OWN_ZONE = r"(?:[Zz]|UTC|[T ]\d{2}[:\d.]*[+-]\d{2}(?::?\d{2})?)\s*$"
_DAY = 86_400 * 10**9
_MOST_LOOKED_AT = 100
"""Maximum number of columns whose cells helio checks for times although their titles do not suggest times."""


class NotTimes(ValueError):
    """Error for columns that seem to contain the times of a file but are incomplete or ambiguous."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice

    def in_file(self, path: Path) -> DamagedFile:
        """Return the error for the file that has these columns."""
        return DamagedFile(f"'{path.name}': {self}", advice=self.advice, place=str(path))


@dataclass(frozen=True)
class Title:
    """Role of a column in the times of a file, such as date or hour, read from the column's title.

    Parameters
    ----------
    role : str
        Role such as ``"date"`` or ``"hour"``; empty if the title does not suggest a time.
    zone : str or None
        ``"+00:00"`` for UTC, ``"+02:00"``, ``"local"``; None if the title does not say.
    scale : str
        Time scale other than UTC: ``"TAI"``, ``"GPS"``; empty if the title names none.
    """

    role: str
    zone: str | None
    scale: str = ""


def read_title(title: str) -> Title:
    """Return the role and the time zone that a column's title states.

    >>> read_title("Time (UTC+2)")
    Title(role='time', zone='+02:00', scale='')
    """
    text, zone = title.lower(), None
    match = _OFFSET.search(text)
    if match:
        sign, digits = (
            (match["short"] or match["long"])[0],
            re.sub(r"\D", "", match["short"] or match["long"]),
        )
        digits = digits.rjust(2, "0") if len(digits) < 3 else digits.rjust(4, "0")
        zone = f"{sign}{digits[:2]}:{digits[2:] or '00'}"
        text = text[: match.start()] + " " + text[match.end() :]
    if _PLACE_NAME.search(text):
        zone, text = "local", _PLACE_NAME.sub(" ", text)
    words = re.findall(r"[a-z0-9%]+", text)
    if zone is None and set(words) & _LOCAL:
        zone = "local"
    if zone is None and set(words) & _UTC:
        zone = "+00:00"
    name = " ".join(word for word in words if word not in _UTC and word not in _LOCAL)
    if not name and zone and set(words) <= _ZONES_ALONE:
        # "UTC", "UTC+2", "LT"
        return Title("time", zone)
    # "UT [h]"; without a zone the field along H, or anything
    name = f"time {name}" if zone and name in ("h", "s") else name
    return (
        _in_other_scale(name)
        if zone is None and name not in _ROLE_OF
        else Title(_ROLE_OF.get(name, ""), zone)
    )


def _in_other_scale(name: str) -> Title:
    """Read a title that may name another time scale than UTC; its role is the role of the remaining words."""
    rest, scale = [], ""
    for word in name.split():
        match = _SCALE.fullmatch(word)
        if match is None:
            rest.append(word)
            continue
        scale = match[2].upper()
        rest += [part for part in (match[1], match[3]) if part]
    role = _ROLE_OF.get(" ".join(rest), "") if rest else "stamp" if scale == "TT2000" else ""
    whole = role in _TITLED or role in _OF_DAY or role.startswith("hhmm")
    return Title(role if scale and whole else "", None, scale)


@dataclass(frozen=True)
class TimeColumns:
    """The columns of a file that together contain its times.

    Parameters
    ----------
    titles : tuple of str
        All titles of the file.
    parts : mapping of str to int
        Number of the column for each role: ``{"stamp": 0}`` for one column of complete times, otherwise for example
        ``{"date": 0, "time": 1}``.
    zone : str or None
        Time zone, as in `Title`.
    """

    titles: tuple[str, ...]
    parts: Mapping[str, int] = field(default_factory=dict)
    zone: str | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """Numbers of the columns with times, in file order."""
        return tuple(sorted(self.parts.values()))

    @property
    def beside(self) -> tuple[int, ...]:
        """Numbers of other columns whose titles say that they contain offsets from UTC or time zones."""
        bare = [_bare(title) for title in self.titles]
        return tuple(
            column
            for column, name in enumerate(bare)
            if column not in self.parts.values()
            and (_SAYS_OFFSET.fullmatch(name) or _MAY_SAY_OFFSET.fullmatch(name))
            and not (name == "tz" and "tx" in bare)
        )

    @property
    def words(self) -> str:
        """Titles of the columns with times, as a text for messages."""
        return _words(self.titles, self.places)

    @property
    def single(self) -> int | None:
        """Number of the single column that contains complete times; None if several columns together give the times."""
        return self.parts.get("stamp") if len(self.parts) == 1 else None

    def texts(self, cells: Cells) -> pa.ChunkedArray:
        """Return all times of the file as ISO 8601 texts.

        Raises
        ------
        NotATime
            A cell does not have the form of its column.
        NotTimes
            The cells of a column have several forms, or contain local times without an offset.
        """
        if self.single is not None:
            return self._zoned(pc.utf8_trim_whitespace(cells(self.single)), cells)
        texts = self._days(cells)
        hours = self._times_of_day(cells)
        if hours is not None:
            texts = pc.binary_join_element_wise(texts, hours, "T")
        return self._zoned(texts, cells)

    def offset(self, cells: Cells) -> int:
        """Return the nanoseconds to subtract from times whose text contains no offset from UTC.

        Raises
        ------
        NotTimes
            The times are local times without an offset, or another column gives an offset.
        """
        if self.zone is None:
            self._refuse_other_offsets(cells)
        if self.zone == "local":
            raise self._local()
        hours, minutes = (int(part) for part in (self.zone or "+00:00")[1:].split(":"))
        size = (hours * 60 + minutes) * 60 * 10**9
        return -size if (self.zone or "+")[0] == "-" else size

    def _refuse_other_offsets(self, cells: Cells) -> None:
        """Raise an error if another column says that the times are not in UTC."""
        for column in self.beside:
            texts = pc.utf8_trim_whitespace(cells(column)).unique().to_pylist()
            stated = [text for text in texts if text and text.lower() != "nan"]
            other = [text for text in stated if not re.match(_CELL_OF_UTC, text)]
            unclear = _MAY_SAY_OFFSET.fullmatch(_bare(self.titles[column]))
            if other and (not unclear or all(re.match(_CELL_OF_OFFSET, text) for text in other)):
                raise NotTimes(
                    f"'{self.titles[column]}' gives '{other[0]}' as the offset from UTC of the times in "
                    f"{self.words}, but helio does not read columns of offsets",
                    "write the times in UTC, or the offset in each time, such as 2024-05-10T00:00:00+02:00",
                )

    def _zoned(self, texts: pa.ChunkedArray, cells: Cells) -> pa.ChunkedArray:
        """Append the offset that the title states to each time; a cell with its own offset must agree with the
        title.
        """
        if self.zone == "+00:00" or (self.zone is None and not self.beside):
            return texts
        own = pc.match_substring_regex(texts, _OWN_ZONE)
        if self.zone is None:
            if not pc.all(own).as_py():
                self._refuse_other_offsets(cells)
            return texts
        if self.zone == "local":
            if not pc.all(own).as_py():
                raise self._local()
            return texts
        if pc.any(own).as_py():
            raise NotTimes(
                f"the title {self.words} gives the offset {self.zone}, but its times contain offsets too",
                "write the offset either in the title or in the times",
            )
        return pc.binary_join_element_wise(texts, self.zone, "")

    def _local(self) -> NotTimes:
        return NotTimes(
            f"the times in {self.words} are local times, and the file does not give their offset from UTC",
            "write the offset in the title, such as 'time (UTC+2)', or in each time, such as "
            "2024-05-10T00:00:00+02:00",
        )

    # Days

    def _days(self, cells: Cells) -> pa.ChunkedArray:
        if "date" in self.parts:
            texts = pc.utf8_trim_whitespace(cells(self.parts["date"]))
            texts = pc.replace_substring_regex(texts, _MIDNIGHT, "")
            return pc.replace_substring_regex(texts, r"^(\d{4})(\d{2})(\d{2})$", r"\1-\2-\3")
        year = self._whole("year", cells)
        if "doy" not in self.parts:
            return _joined([year, self._whole("month", cells), self._whole("day", cells)], (4, 2, 2), "-")
        day = self._day_of_year(cells) // _DAY
        first: npt.NDArray[np.datetime64] = (np.clip(year, 1, 9999) - 1970).astype("M8[Y]")
        length = ((first + 1).astype("M8[D]") - first.astype("M8[D]")).astype(np.int64)
        wrong = np.flatnonzero((day < 1) | (day > length) | (year < 1) | (year > 9999))
        if wrong.size:
            row = int(wrong[0])
            raise NotATime(row, f"{year[row]}-{day[row]}", "is not a valid day of year")
        days = first.astype("M8[D]") + (day - 1).astype("m8[D]")
        texts = np.datetime_as_string(days)
        return pa.chunked_array([pa.array(texts.tolist(), pa.string())])

    def _day_of_year(self, cells: Cells) -> npt.NDArray[np.int64]:
        """Convert a day of the year to ns; use its fraction only if no other column gives the time of day."""
        if set(self.parts) != {"year", "doy"}:
            return self._whole("doy", cells) * _DAY
        return TimeUnits(_DAY, 0).decode(self._numbers("doy", cells), np.zeros((), dtype=bool))

    # Times of day

    def _times_of_day(self, cells: Cells) -> pa.ChunkedArray | None:
        for role in ("time", "hhmm", "hhmmss"):
            if role in self.parts:
                return self._texts_of_day(role, cells)
        for role, unit in _OF_DAY.items():
            if role in self.parts:
                numbers = self._numbers(role, cells)
                self._hold_whole_day(role, numbers)
                since = TimeUnits(unit, 0).decode(numbers, np.zeros((), dtype=bool))
                return _clock_of(*_of_day(since, numbers, end_is_24=unit > 10**9))
        given = [role for role in _PARTS if role in self.parts]
        if not given:
            if "doy" not in self.parts:
                return None
            rest = self._day_of_year(cells) % _DAY
            return _clock_of(*_of_day(rest, rest, end_is_24=True))
        # all but the last are whole
        wholes = {role: self._whole(role, cells) for role in given[:-1]}
        last = self._numbers(given[-1], cells)
        wholes[given[-1]] = np.floor(last).astype(np.int64)
        unit = _NANOSECONDS[given[-1]]
        fraction = np.minimum(np.rint((last - np.floor(last)) * unit).astype(np.int64), unit - 1)
        hour, minute, second, milli, micro = (wholes.get(role, np.zeros_like(fraction)) for role in _PARTS)
        for part, most in ((milli, 999), (micro, 999_999 if "millisecond" not in wholes else 999)):
            wrong = np.flatnonzero((part < 0) | (part > most))
            if wrong.size:
                raise NotATime(int(wrong[0]), str(part[wrong[0]]), "is not a fraction of a second")
        if given[-1] == "minute":
            second, fraction = fraction // 10**9, fraction % 10**9
        return _clock_of(hour, minute, second, milli * 10**6 + micro * 10**3 + fraction)

    def _hold_whole_day(self, role: str, numbers: npt.NDArray[np.float64]) -> None:
        """Raise an error for minutes without an hour, or seconds without a minute, if no value is above 59:
        these may belong to an hour or minute that no column gives.
        """
        called = read_title(self.titles[self.parts[role]]).role
        if called in ("minute", "second") and (numbers < 60).all():
            before = "hour" if called == "minute" else "minute"
            raise NotTimes(
                f"'{self.titles[self.parts[role]]}' may count the {called}s of the {before} or of the "
                f"day: no column gives the {before}, and no value is above 59",
                f"add the column '{before}', or call this column '{called}s of day'",
            )

    def _texts_of_day(self, role: str, cells: Cells) -> pa.ChunkedArray:
        texts = pc.utf8_trim_whitespace(cells(self.parts[role]))
        if role == "time":
            digits = pc.drop_null(pc.match_substring_regex(texts, r"^\d+(\.\d+)?$"))
            if not pc.any(digits).as_py():
                return pc.replace_substring_regex(texts, r"^(\d:)", r"0\1")
            widths = set(
                pc.unique(pc.utf8_length(pc.replace_substring_regex(texts, r"\..*$", ""))).to_pylist()
            )
            if not pc.all(digits).as_py() or widths not in ({4}, {6}):
                raise self._unclear(self.parts[role])
            width = widths.pop()
        else:
            width = len(role)
            short = pc.match_substring_regex(texts, rf"^\d{{1,{width}}}$")
            texts = pc.if_else(short, pc.utf8_lpad(texts, width, "0"), texts)
        if width == 4:
            return pc.replace_substring_regex(texts, r"^(\d{2})(\d{2})$", r"\1:\2")
        return pc.replace_substring_regex(texts, r"^(\d{2})(\d{2})(\d{2}(?:\.\d+)?)$", r"\1:\2:\3")

    def _unclear(self, column: int) -> NotTimes:
        return NotTimes(
            f"the meaning of '{self.titles[column]}' next to "
            f"{_words(self.titles, [p for p in self.places if p != column])} is not clear: its cells "
            "are neither HH:MM:SS, nor all HHMM, nor all HHMMSS",
            "write the meaning in the title: 'time [s]' or 'time [h]' for seconds or hours of the day, "
            "'HHMM' or 'HHMMSS'",
        )

    # Numbers

    def _numbers(self, role: str, cells: Cells) -> npt.NDArray[np.float64]:
        texts = pc.utf8_trim_whitespace(cells(self.parts[role]))
        if texts.null_count:
            raise NotATime(int(pc.index(pc.is_null(texts), pa.scalar(True)).as_py()), "")
        try:
            numbers = np.array(pc.cast(texts, pa.float64()), dtype=np.float64)
        except pa.ArrowInvalid:
            numbers = np.array([_number(row, text) for row, text in enumerate(texts.to_pylist())])
        wrong = np.flatnonzero(~np.isfinite(numbers) | (np.abs(numbers) > 10**12))
        if wrong.size:
            raise NotATime(int(wrong[0]), texts[int(wrong[0])].as_py())
        return numbers

    def _whole(self, role: str, cells: Cells) -> npt.NDArray[np.int64]:
        numbers = self._numbers(role, cells)
        wrong = np.flatnonzero(numbers != np.floor(numbers))
        if wrong.size:
            row = int(wrong[0])
            raise NotATime(
                row,
                f"{numbers[row]:g}",
                f"is not a whole number, which the column '{self.titles[self.parts[role]]}' needs",
            )
        return numbers.astype(np.int64)


def find_times(titles: Sequence[str], first_cells: Callable[[int], Sequence[str]]) -> TimeColumns:
    """Find the columns that contain the times of a file.

    helio tries in this order: one column of complete times with a title such as ``time`` or ``epoch``; separate columns
    for date and time of day; columns for year, day and time of day; finally the first column, whatever it contains.

    Parameters
    ----------
    titles : sequence of str
    first_cells : callable
        Function that returns some cells of a column, without missing ones, given the number of the column.

    Raises
    ------
    NotTimes
        The titles of some columns suggest parts of a time, but these parts do not make a complete time.
    """
    return _TimeFinder(tuple(titles), first_cells).find()


def refuse_other_scale(title: str) -> None:
    """Raise an error for a column of times whose title names a time scale other than UTC.

    Raises
    ------
    NotTimes
    """
    scale = read_title(title).scale
    if scale:
        raise NotTimes(
            f"by its title, '{title}' holds times in {scale}, not in UTC; helio does not convert them",
            "write the times in UTC; if they already are in UTC, call the column 'time (UTC)'",
        )


def is_time_title(title: str) -> bool:
    """Return whether a title suggests a column of complete times."""
    return read_title(title).role in _TITLED


class _TimeFinder:
    def __init__(self, titles: tuple[str, ...], first_cells: Callable[[int], Sequence[str]]) -> None:
        self._titles = titles
        self._first_cells = first_cells
        self._read = [read_title(title) for title in titles]
        self._called: dict[str, list[int]] = {}
        for column, title in enumerate(self._read):
            if title.role == "mm":
                self._called.setdefault(self._what_mm_is(column), []).append(column)
            elif title.role:
                self._called.setdefault(title.role, []).append(column)

    def find(self) -> TimeColumns:
        called = sorted(column for role in _TITLED for column in self._called.get(role, ()))
        # in UTC, should there be local times beside it
        called.sort(key=lambda column: not self._in_utc(column))
        kinds = {column: self._kind(column) for column in called}
        for column in called:
            if kinds[column] == "complete":
                return self._made({"stamp": column})
        dates = [column for column in called if kinds[column] in ("date", "midnight")]
        dates.sort(key=lambda column: self._read[column].role != "date")
        if dates:
            return self._beside_date(dates[0])
        group = self._year_and_day()
        if group is not None:
            return self._made({**group, **self._time_of_day(set(group.values()))})
        if any(kinds[column] == "time" for column in called) or self._called.keys() & {"hhmm", "hhmmss"}:
            if "date" in self._called:
                date_column = self._called["date"][0]
                cell = next(iter(self._first_cells(date_column)), "")
                raise NotTimes(
                    f"'{cell}' in '{self._titles[date_column]}' is not a date",
                    "write dates as 2024-05-10 or 20240510",
                )
            raise NotTimes(
                f"no column gives the date that belongs to {_words(self._titles, self._any_part())}",
                "name the column of dates 'date', or name its parts 'year', 'month', 'day' or 'year', 'doy'",
            )
        if self._kind(0) in ("complete", "midnight", "date"):
            return self._made({"stamp": 0})
        if not called and "year" in self._called:
            raise NotTimes(
                f"{_words(self._titles, self._any_part())} do not give a complete date",
                "name the columns 'year', 'month', 'day' or 'year', 'doy'",
            )
        return self._made({"stamp": called[0] if called else 0})

    def _in_utc(self, column: int) -> bool:
        """Return whether a column's title says UTC, or names neither a time zone nor a time scale."""
        return self._read[column].zone in (None, "+00:00") and not self._read[column].scale

    def _beside_date(self, date: int) -> TimeColumns:
        """Return the columns of a date and its time of day, or only of the date if each record has another day."""
        rest = self._time_of_day({date})
        if rest and self._read[date].role == "date":
            return self._made({"date": date, **rest})
        cells = self._first_cells(date)
        others = list(rest.values()) or [
            column
            for column in range(min(len(self._titles), _MOST_LOOKED_AT))
            if column != date and self._kind(column) == "time"
        ]
        if others and len(set(cells)) < len(cells):
            raise NotTimes(
                f"several records have the same date in '{self._titles[date]}', and "
                f"{_words(self._titles, others)} may be their times of day",
                "name the column of dates 'date' and the column of times of day 'time'",
            )
        compact = any(re.fullmatch(r"\d{8}", cell) for cell in cells)
        return self._made({"date" if compact else "stamp": date})

    def _year_and_day(self) -> dict[str, int] | None:
        for roles in (("year", "month", "day"), ("year", "doy")):
            if all(role in self._called for role in roles):
                return {role: self._only(role) for role in roles}
        return None

    def _time_of_day(self, used: set[int]) -> dict[str, int]:
        """Return the columns that give the time of day; empty if there are none."""
        times = [
            column
            for role in ("time", "hhmm", "hhmmss")
            for column in self._called.get(role, ())
            if column not in used
        ]
        kinds = {column: self._kind(column) for column in times}
        times = [column for column in times if kinds[column] not in ("complete", "midnight", "date")]
        clock = self._called.keys() & {"hour", *_OF_DAY}
        times = [column for column in times if not (clock and self._read[column].scale)]
        preferred = [
            column for column in times if self._read[column].zone != "local" and not self._read[column].scale
        ] or times
        if len(preferred) > 1:
            raise NotTimes(
                f"it is not clear which of {_words(self._titles, preferred)} gives the time of day",
                "keep only one of them in the file, or rename the others",
            )
        called = [role for role in _PARTS if role in self._called]
        if self._min_is_minute():
            self._called["minute"] = self._called["min"]
            called.insert(1, "minute")
        whole = [*preferred, *(column for role in _OF_DAY for column in self._called.get(role, ()))][:1]
        if whole and "hour" not in called and called:
            # seconds beside HH:MM would be lost
            raise self._not_whole([*whole, *(self._only(role) for role in called)])
        if preferred:
            return {self._read[preferred[0]].role: preferred[0]}
        for role in _OF_DAY:
            if role in self._called:
                return {role: self._only(role)}
        if len(called) == 1 and called[0] in _ALONE:
            return {_ALONE[called[0]]: self._only(called[0])}
        if not set(called) & set(_PARTS[:3]):
            return {}
        if called not in ([*_PARTS[: len(called)]], [*_PARTS[:3], "microsecond"]):
            raise self._not_whole([self._only(role) for role in called])
        return {role: self._only(role) for role in called}

    def _min_is_minute(self) -> bool:
        """Return whether a column "min" contains minutes and not a minimum: it follows the hour, and there is
        no column of a maximum.
        """
        return (
            "minute" not in self._called
            and len(self._called.get("min", ())) == 1
            and self._called["min"][0] - 1 in self._called.get("hour", ())
            and not any(title.lower().startswith(("max", "mx")) for title in self._titles)
        )

    def _not_whole(self, places: Sequence[int]) -> NotTimes:
        return NotTimes(
            f"{_words(self._titles, places)} do not give a complete time of day",
            "name the columns 'hour', 'minute', 'second', with none left out before the last, or write "
            "HH:MM:SS.fff in one column",
        )

    def _made(self, parts: dict[str, int]) -> TimeColumns:
        for column in parts.values():
            refuse_other_scale(self._titles[column])
        zones = {self._read[column].zone for column in parts.values()} - {None}
        if len(zones) > 1:
            raise NotTimes(
                f"{_words(self._titles, parts.values())} are in different time zones",
                "write all parts of a time in the same zone, preferably UTC",
            )
        zone = next(iter(zones), None)
        if zone not in (None, "local") and not re.fullmatch(r"[+-](?:0\d|1[0-4]):[0-5]\d", zone):
            raise NotTimes(
                f"the titles {_words(self._titles, parts.values())} give the time zone {zone}, which "
                "does not exist",
                "write a time zone such as UTC+2",
            )
        return TimeColumns(self._titles, parts, zone)

    def _only(self, role: str) -> int:
        places = self._called[role]
        if len(places) > 1:
            raise NotTimes(
                f"it is not clear which of {_words(self._titles, places)} gives the {role}",
                "keep only one of them in the file, or rename the others",
            )
        return places[0]

    def _what_mm_is(self, column: int) -> str:
        before = self._read[column - 1].role if column else ""
        return {"year": "month", "hour": "minute"}.get(before, "")

    def _any_part(self) -> list[int]:
        return sorted(column for role, places in self._called.items() if role for column in places)

    def _kind(self, column: int) -> Literal["complete", "midnight", "date", "time", "other"]:
        """Return the kind of a column, such as date or time, judged by its first cells."""
        cells = [cell.strip() for cell in self._first_cells(column)]
        if not cells:
            return "other"
        if any(_COMPLETE.fullmatch(cell) for cell in cells):
            bare = [re.sub(_MIDNIGHT, "", cell) for cell in cells]
            return "midnight" if all(_OF_DATE.fullmatch(cell) for cell in bare) else "complete"
        if _OF_DATE.fullmatch(cells[0]):
            return "date"
        return "time" if all(_OF_TIME.fullmatch(cell) for cell in cells) else "other"


def _bare(title: str) -> str:
    """Return a title with only its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", title.lower())


def _words(titles: Sequence[str], places: Any) -> str:
    return ", ".join(f"'{titles[column]}'" for column in places)


def _number(row: int, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise NotATime(row, text, "is not a number") from error


def _of_day(
    nanoseconds: npt.NDArray[np.int64], numbers: npt.NDArray[Any], *, end_is_24: bool
) -> tuple[npt.NDArray[np.int64], ...]:
    """Return hours, minutes, seconds and ns for a time since midnight; a leap second is second 60 of the last minute.

    The end of a day of 86,400 seconds is 24:00:00 with `end_is_24`, and 23:59:60 otherwise: the same time, except on a
    day with a leap second.
    """
    wrong = np.flatnonzero((nanoseconds < 0) | (nanoseconds >= _DAY + 10**9) | (nanoseconds == NO_TIME))
    if wrong.size:
        raise NotATime(int(wrong[0]), f"{numbers[wrong[0]]:.15g}", "is not within one day")
    seconds, rest = np.divmod(nanoseconds, 10**9)
    leap = nanoseconds > _DAY if end_is_24 else nanoseconds >= _DAY
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    return np.where(leap, 23, hour), np.where(leap, 59, minute), np.where(leap, 60, second), rest


def _clock_of(
    hour: npt.NDArray[np.int64],
    minute: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    nanosecond: npt.NDArray[np.int64],
) -> pa.ChunkedArray:
    """Write times of day as texts ``HH:MM:SS.nnnnnnnnn``."""
    carry, nanosecond = np.divmod(nanosecond, 10**9)
    whole = _joined([hour, minute, second + carry], (2, 2, 2), ":")
    if not nanosecond.any():
        return whole
    return pc.binary_join_element_wise(whole, _joined([nanosecond], (9,), ""), ".")


def _joined(
    numbers: Sequence[npt.NDArray[np.int64]], widths: Sequence[int], separator: str
) -> pa.ChunkedArray:
    texts = [
        pc.utf8_lpad(pa.chunked_array([pa.array(number)]).cast(pa.string()), width, "0")
        for number, width in zip(numbers, widths, strict=True)
    ]
    return pc.binary_join_element_wise(*texts, separator) if len(texts) > 1 else texts[0]
