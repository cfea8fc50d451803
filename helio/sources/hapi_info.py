"""A HAPI server's description of a dataset (``info``), read before any records are requested.

Reference: HAPI Data Access Specification 3.2, https://github.com/hapi-server/data-specification, section 3.6.
"""

from __future__ import annotations

import hashlib
import json
import re
from calendar import isleap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from math import isfinite, prod
from typing import Any

from helio.errors import DamagedFile, UnknownParameter, did_you_mean
from helio.sources.server_text import one_line, printable

BYTES_OF = {"double": 8, "integer": 4}
"""Number of bytes of one number in a binary record, by HAPI type; for texts the server gives the length."""

_TIME = re.compile(
    r"(\d{4})(?:-(\d{3})|-(\d{2})(?:-(\d{2}))?)?"
    r"(?:T(\d{2})(?::?(\d{2})(?::?(\d{2})(?:\.(\d*))?)?)?)?Z?",
    re.ASCII,
)
_DURATION = re.compile(
    r"P(?:(\d+(?:\.\d+)?)Y)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?",
    re.ASCII,
)
_SECONDS_OF = (365.25 * 86_400, 365.25 * 7200, 7 * 86_400, 86_400, 3600, 60, 1)
_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"'<>]+)")
_MOST_ELEMENTS = 10**6
"""Maximum number of elements of a parameter in one record; a server that gives more has made a mistake."""
_MOST_DIMENSIONS = 8
_LONGEST_TEXT = 10**6
"""Maximum number of bytes of one text in a record."""
_SHORTEST_DURATION, _LONGEST_DURATION = 1e-6, 100 * 365.25 * 86_400
"""Limits in seconds: the shortest duration that a Python timedelta can hold, and a duration longer than any
series of records needs.
"""
_LONGEST_EDITION = 64
_KINDS = {*BYTES_OF, "string", "isotime"}
_OPERATORS = "report this to the server's operators"
_REFERENCE = "#/definitions/"
_MAY_CHANGE = {"HAPI", "status", "startDate", "stopDate", "sampleStartDate", "sampleStopDate"}
"""Keys of an ``info`` reply whose values may change while the records stay the same, because the dataset grows
or the reply is new.
"""

Texts = tuple[str, ...]


@dataclass(frozen=True)
class HapiBins:
    """Bins along one dimension of a parameter, as the server's ``bins`` object describes them.

    Parameters
    ----------
    centers : tuple of float, str or None
        The centres of the bins, or the name of the parameter that contains them for each record; None if the dimension
        has no bins, or if only `ranges` are given.
    ranges : tuple of pairs, str or None
        The lower and upper edges of the bins, or the name of the parameter that contains them for each record.
    """

    name: str
    unit: str
    centers: tuple[float, ...] | str | None = None
    ranges: tuple[tuple[float, float], ...] | str | None = None


@dataclass(frozen=True)
class HapiParameter:
    """Parameter of a dataset, as the server's ``info`` reply describes it.

    Parameters
    ----------
    kind : str
        ``"double"``, ``"integer"``, ``"string"`` or ``"isotime"``.
    size : tuple of int
        Number of elements in each dimension; empty for a scalar. A single element counts as a scalar.
    length : int
        Number of bytes of a text; 0 if the server does not give it.
    units, labels, components : tuple of str
        One text for each element, or one for all elements, or none.
    frame : str
        ``coordinateSystemName``.
    """

    name: str
    kind: str
    size: tuple[int, ...] = ()
    length: int = 0
    fill: str | None = None
    units: Texts = ()
    labels: Texts = ()
    components: Texts = ()
    frame: str = ""
    description: str = ""
    bins: tuple[HapiBins, ...] = ()
    problem: str = ""
    """The reason why helio cannot read the parameter; empty if helio can read it."""
    remarks: Texts = ()
    """Faults in the parameter's description that helio tolerated, in words."""

    @property
    def described(self) -> dict[str, Any]:
        """Fields that decide how records are read. helio makes a digest from them, which must stay the same in all
        versions of helio.
        """
        return {name: fact for name, fact in asdict(self).items() if name not in ("problem", "remarks")}

    @property
    def elements(self) -> int:
        """Number of columns of the parameter in a CSV record."""
        return prod(self.size)

    @property
    def width(self) -> int:
        """Number of bytes of the parameter in a binary record."""
        return self.elements * BYTES_OF.get(self.kind, self.length)

    def reads_like(self, other: HapiParameter) -> bool:
        """Return whether records read with the other description would give the same numbers and units."""
        return all(
            getattr(self, name) == getattr(other, name)
            for name in ("name", "kind", "size", "length", "fill", "units", "problem")
        )

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the parameters that hold the bins of this parameter for each record."""
        named = (name for bins in self.bins for name in (bins.centers, bins.ranges) if isinstance(name, str))
        return tuple(dict.fromkeys(name for name in named if name != self.name))


@dataclass(frozen=True)
class Info:
    """A server's description of a dataset (``info``).

    Parameters
    ----------
    start, stop : datetime
        Times of the first and the last record, UTC.
    cadence : timedelta or None
        Nominal time between records.
    most : timedelta or None
        Longest interval to ask for in one request.
    modified : str
        The ``modificationDate`` of the dataset, as the server writes it.
    page : str
        The ``resourceURL``: URL of a page that describes the dataset.
    described : str
        Digest of the descriptions of the parameters; if `modified` is empty, digest of the whole ``info`` except what
        may change while records are appended. Two versions of a dataset differ in `modified` or in this digest.
    """

    dataset_id: str
    start: datetime
    stop: datetime
    parameters: tuple[HapiParameter, ...]
    cadence: timedelta | None = None
    most: timedelta | None = None
    modified: str = ""
    title: str = ""
    pi: str = ""
    affiliation: str = ""
    doi: str = ""
    page: str = ""
    described: str = ""
    remarks: Texts = ()
    """Faults in the ``info`` reply that helio tolerated, in words."""
    place: str = ""
    """URL of the ``info`` reply."""

    @property
    def time(self) -> HapiParameter:
        """The first parameter, which holds the epoch of each record."""
        return self.parameters[0]

    def numbers(self) -> tuple[str, ...]:
        """Return the names of all parameters that a table can contain."""
        return tuple(
            parameter.name
            for parameter in self.parameters[1:]
            if parameter.kind in BYTES_OF and len(parameter.size) < 3 and not parameter.problem
        )

    def parameter(self, name: str) -> HapiParameter:
        """Return the description of a parameter, after checking that the parameter can be read as a table.

        Raises
        ------
        UnknownParameter
            No parameter has this name, or the parameter contains texts or times, or it has more than two dimensions.
        DamagedFile
            The server's description is invalid, so that helio cannot read the records.
        """
        found_parameter = next((parameter for parameter in self.parameters if parameter.name == name), None)
        every = self.numbers()
        if found_parameter is None:
            raise UnknownParameter(
                f"{self.dataset_id} has no parameter '{name}'",
                advice=did_you_mean(name, every, otherwise=_listed(every)),
            )
        if found_parameter.problem:
            raise DamagedFile(
                f"'{name}' of {self.dataset_id} cannot be read: {found_parameter.problem}",
                advice=f"{_OPERATORS}, or {_listed(every)}",
                place=self.place,
            )
        if found_parameter is self.time:
            raise UnknownParameter(
                f"'{name}' is the time; helio reads the times together with every parameter",
                advice=_listed(every),
            )
        if found_parameter.kind not in BYTES_OF:
            holds = "times" if found_parameter.kind == "isotime" else "text"
            raise UnknownParameter(f"'{name}' holds {holds}, not numbers", advice=_listed(every))
        if len(found_parameter.size) > 2:
            raise UnknownParameter(
                f"'{name}' has {len(found_parameter.size)} dimensions besides time, of sizes "
                f"{list(found_parameter.size)}, but a table holds at most two",
                advice=_listed(every),
            )
        return found_parameter

    def together(self, name: str) -> tuple[HapiParameter, ...]:
        """Return the parameters to request together, in the server's order: the time, the parameter, and the parameters
        with its bins.

        Raises
        ------
        UnknownParameter
            As for `parameter`.
        """
        chosen = self.parameter(name)
        return tuple(
            parameter
            for parameter in self.parameters
            if parameter is self.time
            or parameter is chosen
            or (parameter.name in chosen.beside and parameter.kind in BYTES_OF and not parameter.problem)
        )


def record_bytes(parameters: Sequence[HapiParameter]) -> int:
    """Return the length of a binary record in bytes; 0 if the server does not give the length of its texts."""
    widths = [parameter.width for parameter in parameters]
    return sum(widths) if all(widths) else 0


def read_info(dataset_id: str, info: Mapping[str, Any], url: str) -> Info:
    """Read an ``info`` reply of a server.

    Raises
    ------
    DamagedFile
        The reply lacks a fact that every server must give.
    """
    definitions = info.get("definitions")
    try:
        every = [
            _resolved(parameter, definitions if isinstance(definitions, dict) else {})
            for parameter in _list_in(info, "parameters")
        ]
        parameters = tuple(_parameter(parameter) for parameter in every)
        start, stop = _moment_in(info, "startDate"), _moment_in(info, "stopDate")
        if start > stop:
            raise ValueError(f"its startDate {start.isoformat()} is after its stopDate {stop.isoformat()}")
    except (ValueError, RecursionError) as error:
        raise DamagedFile(
            f"the info of {dataset_id} from the server does not follow HAPI: {error}",
            advice=_OPERATORS,
            place=url,
        ) from error
    if not parameters or parameters[0].kind != "isotime":
        raise DamagedFile(
            f"the first parameter of {dataset_id} is not its time", advice=_OPERATORS, place=url
        )
    problem = parameters[0].problem or (
        "" if parameters[0].elements == 1 else "each record has several times"
    )
    if problem:
        raise DamagedFile(
            f"the time of {dataset_id} cannot be read: {problem}",
            advice=_OPERATORS,
            place=url,
        )
    remarks: list[str] = []
    cited = " ".join(str(info.get(name) or "") for name in ("citation", "resourceID", "resourceURL"))
    doi = _DOI.search(cited)
    page = _text(info.get("resourceURL"))
    # CDAWeb's "N. Ness @ Bartol Research Institute"; who else is a contact need not have made the data
    pi, at, affiliation = _text(info.get("contact")).partition(" @ ")
    return Info(
        dataset_id=dataset_id,
        start=start,
        stop=stop,
        parameters=_without_repeated_names(parameters),
        cadence=_duration_in(info, "cadence", remarks),
        most=_duration_in(info, "maxRequestDuration", remarks),
        modified=_edition_in(info, remarks),
        title=_text(info.get("title")) or _text(info.get("description")),
        pi=pi.strip() if at else "",
        affiliation=affiliation.strip(),
        doi=doi[1].rstrip(".,;)") if doi else "",
        page=page if page.startswith(("http://", "https://")) else "",
        described=_digest_of(every if info.get("modificationDate") else _lasting(info)),
        remarks=(*remarks, *_stamp_remarks(info)),
        place=url,
    )


def _list_in(info: Mapping[str, Any], name: str) -> list[Any]:
    items = info.get(name)
    if not isinstance(items, list):
        raise ValueError(f"'{name}' is not a list")
    return items


def _moment_in(info: Mapping[str, Any], name: str) -> datetime:
    if info.get(name) is None:
        raise ValueError(f"'{name}' is missing")
    try:
        return time_of(str(info[name]))
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{name} '{one_line(info[name], 40)}' is not a time between the years 1 and 9999"
        ) from error


def _duration_in(info: Mapping[str, Any], name: str, remarks: list[str]) -> timedelta | None:
    """Read a duration that the server gives; return None without a duration, or with a remark if the duration
    is invalid.
    """
    given = info.get(name)
    if given is None or given == "":
        return None
    duration = duration_of(given) if isinstance(given, str) else None
    if duration is None:
        remarks.append(
            f"the server gives the {name} '{one_line(given, 40)}', which is not a valid duration; helio "
            "ignores it"
        )
    return duration


def _edition_in(info: Mapping[str, Any], remarks: list[str]) -> str:
    """Read the ``modificationDate``, which tells versions of the dataset apart even if it is not a valid date."""
    given = info.get("modificationDate")
    if given is None or given == "":
        return ""
    text = given if isinstance(given, str) else json.dumps(given, sort_keys=True)
    try:
        time_of(text)
    except (ValueError, OverflowError):
        remarks.append(
            f"the server's modificationDate '{one_line(text, 40)}' is not a time; helio uses it only to "
            "tell versions apart"
        )
    if len(text) > _LONGEST_EDITION:
        return f"{one_line(text, 40)} {hashlib.sha256(text.encode(errors='replace')).hexdigest()[:16]}"
    return printable(text)


_STAMPS = {"BEGIN": "the beginning", "END": "the end"}


def _stamp_remarks(info: Mapping[str, Any]) -> Texts:
    """Return a remark that says to which part of its interval a record's time refers, if this is not the centre."""
    given = info.get("timeStampLocation")
    if given is None or given == "" or str(given).upper() == "CENTER":
        return ()
    where = _STAMPS.get(str(given).upper())
    if where:
        return (
            f"according to the server, the time of each record is {where} of its interval; helio did not move "
            "the times",
        )
    return (
        f"the server gives the timeStampLocation '{one_line(given, 40)}', so helio does not know "
        "whether a time is the beginning, the centre or the end of its interval",
    )


def _without_repeated_names(parameters: tuple[HapiParameter, ...]) -> tuple[HapiParameter, ...]:
    """Mark parameters that share a name as unreadable, because a request could return any of them."""
    counts = Counter(parameter.name for parameter in parameters)
    return tuple(
        replace(
            parameter,
            problem=parameter.problem
            or f"the server describes {counts[parameter.name]} parameters with this name",
        )
        if counts[parameter.name] > 1
        else parameter
        for parameter in parameters
    )


def _lasting(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of an ``info`` reply that stay the same while records are appended, without the server's
    ``x_...`` keys.
    """
    return {
        name: value for name, value in info.items() if name not in _MAY_CHANGE and not name.startswith("x_")
    }


def _digest_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def time_of(text: str) -> datetime:
    """Read a HAPI time: with month and day or with the day of the year, possibly shortened, possibly with hour 24 or
    second 60.

    >>> time_of("2024-131T06Z")
    datetime.datetime(2024, 5, 10, 6, 0)

    Raises
    ------
    ValueError
        The text is not a HAPI time.
    """
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"'{text}' is not a time")
    year, day_of_year, month, day, hour, minute, second, fraction = match.groups()
    days = 366 if isleap(int(year)) else 365
    limits = ((day_of_year, days), (hour, 24), (minute, 59), (second, 60))
    if day_of_year == "000" or any(int(field or 0) > most for field, most in limits):
        raise ValueError(f"'{text}' is not a time")
    return datetime(int(year), int(month or 1), int(day or 1)) + timedelta(
        days=int(day_of_year or 1) - 1,
        hours=int(hour or 0),
        minutes=int(minute or 0),
        seconds=int(second or 0),
        microseconds=int((fraction or "0").ljust(6, "0")[:6]),
    )


def duration_of(text: str) -> timedelta | None:
    """Read an ISO 8601 duration of 1 µs to 100 years, with average months and years; return None for any other text.

    >>> duration_of("PT16S"), duration_of("P1D")
    (datetime.timedelta(seconds=16), datetime.timedelta(days=1))
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    seconds = sum(
        float(number) * seconds_of_part
        for number, seconds_of_part in zip(match.groups(default="0"), _SECONDS_OF, strict=True)
    )
    return timedelta(seconds=seconds) if _SHORTEST_DURATION <= seconds <= _LONGEST_DURATION else None


def _parameter(entry: Any) -> HapiParameter:
    """Read a parameter's description; for an unreadable parameter, set `problem` to the reason, so that other
    parameters stay usable.
    """
    if not isinstance(entry, dict):
        raise ValueError(f"'{one_line(entry, 40)}' does not describe a parameter")
    name = entry.get("name")
    problems: list[str] = []
    remarks: list[str] = []
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        problems.append("its name is not plain text")
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        problems.append(f"the server gives the type '{one_line(kind, 40)}', which HAPI does not define")
        kind = ""
    size = _whole_numbers(entry.get("size"))
    if size is None or any(count < 1 for count in size) or len(size) > _MOST_DIMENSIONS:
        problems.append(f"the server gives the invalid size {one_line(entry.get('size'), 40)}")
        size = ()
    elif prod(size) > _MOST_ELEMENTS:
        problems.append(f"the server gives {prod(size):,} elements, but the limit is {_MOST_ELEMENTS:,}")
        size = ()
    length = (0,) if kind in BYTES_OF else _whole_numbers(entry.get("length"))
    if length is None or len(length) > 1 or not 0 <= sum(length) <= _LONGEST_TEXT:
        problems.append(f"the server gives the invalid length {one_line(entry.get('length'), 40)}")
        length = ()
    fill = entry.get("fill")
    if isinstance(fill, list | dict | bool):
        remarks.append(
            f"the fill value of {name} is '{one_line(fill, 40)}', which is not a number, so no values "
            "were replaced"
        )
        fill = None
    units = tuple(_flat(entry.get("units"), f"unit of {name}", remarks))
    frame = entry.get("coordinateSystemName")
    bins = entry.get("bins")
    if bins is not None and not isinstance(bins, list):
        remarks.append(f"the bins of {name} are not a list; helio ignores them")
    found_bins = tuple(_bins(part) for part in bins) if isinstance(bins, list) else ()
    if len(found_bins) > len(size) and not problems:
        remarks.append(
            f"{name} has {len(size)} dimensions but bins for {len(found_bins)}; helio uses only the "
            f"first {len(size)}"
        )
    return HapiParameter(
        name=printable(str(name)),
        kind=kind,
        size=() if prod(size) == 1 else size,
        length=sum(length),
        fill=None if fill is None else str(fill),
        units=units,
        labels=tuple(text for text in _flat(entry.get("label")) if text),
        components=tuple(text for text in _flat(entry.get("vectorComponents")) if text),
        frame=printable(frame).strip() if isinstance(frame, str) else "",
        description=_text(entry.get("description")),
        bins=found_bins,
        problem=problems[0] if problems else "",
        remarks=tuple(remarks),
    )


def _whole_numbers(value: Any) -> tuple[int, ...] | None:
    """Read whole numbers, single or in a list, also if written as text; return None for anything else.

    >>> _whole_numbers([3, "2"]), _whole_numbers(None), _whole_numbers([1.5])
    ((3, 2), (), None)
    """
    every = () if value is None else value if isinstance(value, list) else (value,)
    texts = [str(number) for number in every if not isinstance(number, bool)]
    plain = [re.fullmatch(r"(-?[0-9]{1,18})(?:\.0*)?", text) for text in texts]
    sizes = tuple(int(number[1]) for number in plain if number)
    return sizes if len(sizes) == len(every) else None


def _bins(entry: Any) -> HapiBins:
    """Read the bins of one dimension; the centres stay empty if the centres or ranges cannot be read."""
    if not isinstance(entry, dict):
        return HapiBins("bin", "", ())
    name, unit = (
        _text(entry.get("label")) or one_line(entry.get("name") or "bin"),
        next(_flat(entry.get("units")), ""),
    )
    centers, ranges = _numbers(entry.get("centers")), _pairs(entry.get("ranges"))
    if centers == () or ranges == ():
        return HapiBins(name, unit, ())  # their number is wrong then, and they are numbered
    return HapiBins(name, unit, centers, ranges)


def _numbers(value: Any) -> tuple[float, ...] | str | None:
    """Read finite numbers, or the name of a parameter; return None without a value, and an empty tuple if the
    value is invalid.
    """
    if isinstance(value, str) or not value:
        return value or None
    try:
        numbers = tuple(map(float, value))
    except (TypeError, ValueError):
        return ()
    return numbers if all(map(isfinite, numbers)) else ()


def _pairs(value: Any) -> tuple[tuple[float, float], ...] | str | None:
    """Read pairs of finite numbers, or the name of a parameter; return None without a value, and an empty tuple
    if the value is invalid.
    """
    if isinstance(value, str) or not value:
        return value or None
    try:
        pairs = tuple((float(low), float(high)) for low, high in value)
    except (TypeError, ValueError):
        return ()
    return pairs if all(isfinite(edge) for pair in pairs for edge in pair) else ()


def _flat(value: Any, what: str = "", remarks: list[str] | None = None) -> Iterator[str]:
    """Return texts and numbers, single or in nested lists, as one flat list; anything else becomes an empty text."""
    if isinstance(value, list):
        for part in value:
            yield from _flat(part, what, remarks)
    elif value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        yield printable("" if value is None else str(value)).strip()
    else:
        if remarks is not None:
            remarks.append(f"the {what} is '{one_line(value, 40)}', which is not text; helio ignores it")
        yield ""


def _text(value: Any) -> str:
    return " ".join(printable(value).split()) if isinstance(value, str) else ""


def _resolved(value: Any, definitions: Mapping[str, Any]) -> Any:
    """Replace ``{"$ref": "#/definitions/NAME"}`` by the definition of that name; definitions may not contain
    references.
    """
    if isinstance(value, list):
        return [_resolved(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REFERENCE):
        name = reference.removeprefix(_REFERENCE)
        if name not in definitions:
            raise ValueError(f"the definition '{one_line(name, 40)}' is missing")
        return definitions[name]
    return {name: _resolved(value, definitions) for name, value in value.items()}


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    if not names:
        return "choose another dataset: this one has no parameters"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"choose one of: {', '.join(names[:most])}{more}"
