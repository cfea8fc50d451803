"""What a HAPI server says of a dataset, before any of its records are asked for.

Reference: HAPI Data Access Specification 3.2, https://github.com/hapi-server/data-specification, section 3.6.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import prod
from typing import Any

from helio.errors import DamagedFile, UnknownParameter, did_you_mean

BYTES_OF = {"double": 8, "integer": 4}
"""Of one number in a binary record; texts say their length themselves."""

_TIME = re.compile(
    r"(\d{4})(?:-(\d{3})|-(\d{2})(?:-(\d{2}))?)?"
    r"(?:T(\d{2})(?::?(\d{2})(?::?(\d{2})(?:\.(\d*))?)?)?)?Z?"
)
_DURATION = re.compile(
    r"P(?:(\d+(?:\.\d+)?)Y)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SECONDS_OF = (365.25 * 86_400, 365.25 * 7200, 7 * 86_400, 86_400, 3600, 60, 1)
_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"'<>]+)")
_MOST_ELEMENTS = 10**6
"""In one record; whoever says more has made a mistake."""
_REFERENCE = "#/definitions/"
_MAY_CHANGE = {"HAPI", "status", "startDate", "stopDate", "sampleStartDate", "sampleStopDate"}
"""Members of an info that may change without a record: those of a growing dataset, and of the reply itself."""

Texts = tuple[str, ...]


@dataclass(frozen=True)
class Bins:
    """One dimension of a parameter, as its ``bins`` describe it.

    Parameters
    ----------
    centers : tuple of float, str or None
        The centres; or the name of the parameter that has them for each record; None where the dimension is not
        binned, or only `ranges` are given.
    ranges : tuple of pairs, str or None
        The edges, likewise.
    """

    name: str
    unit: str
    centers: tuple[float, ...] | str | None = None
    ranges: tuple[tuple[float, float], ...] | str | None = None


@dataclass(frozen=True)
class Parameter:
    """A parameter as ``info`` describes it.

    Parameters
    ----------
    kind : str
        ``"double"``, ``"integer"``, ``"string"`` or ``"isotime"``.
    size : tuple of int
        Elements in each dimension; empty for a scalar. A single element counts as a scalar.
    length : int
        Bytes of a text; 0 where it is not said.
    units, labels, components : tuple of str
        As many as there are elements, or one for all of them, or none.
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
    bins: tuple[Bins, ...] = ()

    @property
    def elements(self) -> int:
        """How many columns it takes in a record."""
        return prod(self.size)

    @property
    def width(self) -> int:
        """Bytes that it takes in a binary record."""
        return self.elements * BYTES_OF.get(self.kind, self.length)

    def reads_like(self, other: Parameter) -> bool:
        """Whether the same records give the same numbers and units by either description."""
        return all(
            getattr(self, name) == getattr(other, name)
            for name in ("name", "kind", "size", "length", "fill", "units")
        )

    @property
    def beside(self) -> tuple[str, ...]:
        """Parameters that hold its bins, for each record."""
        named = (one for each in self.bins for one in (each.centers, each.ranges) if isinstance(one, str))
        return tuple(dict.fromkeys(named))


@dataclass(frozen=True)
class Info:
    """What a server says of a dataset.

    Parameters
    ----------
    start, stop : datetime
        From the first to the last record, UTC.
    cadence : timedelta or None
        Time between records, nominally.
    most : timedelta or None
        The longest interval that should be asked for at once.
    modified : str
        ``modificationDate``, as the server writes it.
    page : str
        ``resourceURL``, where the dataset is described.
    described : str
        Digest of how the parameters are described; without `modified`, of the whole info except what may change
        while records are appended. Two editions of a dataset differ in `modified` or in this.
    """

    dataset_id: str
    start: datetime
    stop: datetime
    parameters: tuple[Parameter, ...]
    cadence: timedelta | None = None
    most: timedelta | None = None
    modified: str = ""
    title: str = ""
    pi: str = ""
    affiliation: str = ""
    doi: str = ""
    page: str = ""
    described: str = ""

    @property
    def time(self) -> Parameter:
        """The first parameter: the epoch of each record."""
        return self.parameters[0]

    def numbers(self) -> tuple[str, ...]:
        """Names of all parameters that a table can hold."""
        return tuple(one.name for one in self.parameters[1:] if one.kind in BYTES_OF and len(one.size) < 3)

    def parameter(self, name: str) -> Parameter:
        """A parameter that can be a table.

        Raises
        ------
        UnknownParameter
            There is none of that name, or it holds texts or times, or has more than two dimensions.
        """
        one = next((each for each in self.parameters if each.name == name), None)
        every = self.numbers()
        if one is None:
            raise UnknownParameter(
                f"{self.dataset_id} has no parameter '{name}'",
                advice=did_you_mean(name, every, otherwise=_listed(every)),
            )
        if one is self.time:
            raise UnknownParameter(
                f"'{name}' is the time: it comes with every parameter", advice=_listed(every)
            )
        if one.kind not in BYTES_OF:
            holds = "times" if one.kind == "isotime" else "text"
            raise UnknownParameter(f"'{name}' holds {holds}, not numbers", advice=_listed(every))
        if len(one.size) > 2:
            raise UnknownParameter(
                f"'{name}' has the dimensions {list(one.size)} besides time, and a table holds two at most",
                advice=_listed(every),
            )
        return one

    def together(self, name: str) -> tuple[Parameter, ...]:
        """What one request for a parameter brings: the time, the parameter and what holds its bins, in order.

        Raises
        ------
        UnknownParameter
            As `parameter`.
        """
        wanted = self.parameter(name)
        return tuple(
            one
            for one in self.parameters
            if one is self.time or one is wanted or (one.name in wanted.beside and one.kind in BYTES_OF)
        )


def record_bytes(parameters: Sequence[Parameter]) -> int:
    """Length of a binary record; 0 where the server does not say how long its texts are."""
    widths = [one.width for one in parameters]
    return sum(widths) if all(widths) else 0


def read_info(dataset_id: str, said: Mapping[str, Any], place: str) -> Info:
    """An ``info`` reply.

    Raises
    ------
    DamagedFile
        It lacks what every server has to say.
    """
    definitions = said.get("definitions")
    try:
        every = [
            _resolved(one, definitions if isinstance(definitions, dict) else {}) for one in said["parameters"]
        ]
        parameters = tuple(_parameter(one) for one in every)
        start, stop = time_of(str(said["startDate"])), time_of(str(said["stopDate"]))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DamagedFile(
            f"what the server says of {dataset_id} is not a HAPI info: {_words(error)}",
            advice="tell whoever runs the server",
            place=place,
        ) from error
    if not parameters or parameters[0].kind != "isotime":
        raise DamagedFile(
            f"the first parameter of {dataset_id} is not its time",
            advice="tell whoever runs the server",
            place=place,
        )
    cited = " ".join(str(said.get(name) or "") for name in ("citation", "resourceID", "resourceURL"))
    found = _DOI.search(cited)
    page = _text(said.get("resourceURL"))
    # CDAWeb's "N. Ness @ Bartol Research Institute"; who else is a contact need not have made the data
    pi, at, affiliation = _text(said.get("contact")).partition(" @ ")
    return Info(
        dataset_id=dataset_id,
        start=start,
        stop=stop,
        parameters=parameters,
        cadence=duration_of(str(said.get("cadence") or "")),
        most=duration_of(str(said.get("maxRequestDuration") or "")),
        modified=str(said.get("modificationDate") or ""),
        title=_text(said.get("title")) or _text(said.get("description")),
        pi=pi.strip() if at else "",
        affiliation=affiliation.strip(),
        doi=found[1].rstrip(".,;)") if found else "",
        page=page if page.startswith(("http://", "https://")) else "",
        described=_digest_of(every if said.get("modificationDate") else _lasting(said)),
    )


def _lasting(said: Mapping[str, Any]) -> dict[str, Any]:
    """The members of an info that stay the same while records are appended; servers add their own as ``x_...``."""
    return {
        name: value for name, value in said.items() if name not in _MAY_CHANGE and not name.startswith("x_")
    }


def _digest_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def time_of(text: str) -> datetime:
    """A HAPI time: of a month or of a year's days, cut short anywhere, with hour 24 or second 60.

    >>> time_of("2024-131T06Z")
    datetime.datetime(2024, 5, 10, 6, 0)

    Raises
    ------
    ValueError
        It is none.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"'{text}' is no time")
    year, day_of_year, month, day, hour, minute, second, fraction = found.groups()
    limits = ((day_of_year, 366), (hour, 24), (minute, 59), (second, 60))
    if day_of_year == "000" or any(int(one or 0) > most for one, most in limits):
        raise ValueError(f"'{text}' is no time")
    return datetime(int(year), int(month or 1), int(day or 1)) + timedelta(
        days=int(day_of_year or 1) - 1,
        hours=int(hour or 0),
        minutes=int(minute or 0),
        seconds=int(second or 0),
        microseconds=int((fraction or "0").ljust(6, "0")[:6]),
    )


def duration_of(text: str) -> timedelta | None:
    """An ISO 8601 duration, with mean months and years; None where there is none.

    >>> duration_of("PT16S"), duration_of("P1D")
    (datetime.timedelta(seconds=16), datetime.timedelta(days=1))
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        return None
    seconds = sum(
        float(number) * each for number, each in zip(found.groups(default="0"), _SECONDS_OF, strict=True)
    )
    return timedelta(seconds=seconds) if seconds > 0 else None


def _parameter(said: Mapping[str, Any]) -> Parameter:
    elements = said.get("size") or ()
    size = tuple(int(one) for one in (elements if isinstance(elements, (list, tuple)) else (elements,)))
    if any(one < 1 for one in size) or prod(size) > _MOST_ELEMENTS:
        raise ValueError(f"'{said['name']}' has the size {list(size)}")
    frame = said.get("coordinateSystemName")
    return Parameter(
        name=str(said["name"]),
        kind=str(said["type"]),
        size=() if prod(size) == 1 else size,
        length=max(0, int(said.get("length") or 0)),
        fill=None if said.get("fill") is None else str(said["fill"]),
        units=tuple(_flat(said.get("units"))),
        labels=tuple(one for one in _flat(said.get("label")) if one),
        components=tuple(one for one in _flat(said.get("vectorComponents")) if one),
        frame=frame.strip() if isinstance(frame, str) else "",
        description=_text(said.get("description")),
        bins=tuple(_bins(one) for one in said.get("bins") or ()),
    )


def _bins(said: Mapping[str, Any]) -> Bins:
    centers, ranges = said.get("centers"), said.get("ranges")
    name, unit = (
        _text(said.get("label")) or str(said.get("name") or "bin"),
        next(_flat(said.get("units")), ""),
    )
    try:
        return Bins(
            name,
            unit,
            centers if isinstance(centers, str) else tuple(map(float, centers)) if centers else None,
            ranges
            if isinstance(ranges, str)
            else tuple((float(low), float(high)) for low, high in ranges)
            if ranges
            else None,
        )
    except (TypeError, ValueError):
        return Bins(name, unit, ())  # a bin that is null: their number is wrong then, and they are numbered


def _flat(said: Any) -> Iterator[str]:
    """Texts, one or nested lists of them, in the order of the elements; null is no text."""
    if isinstance(said, list):
        for one in said:
            yield from _flat(one)
    else:
        yield "" if said is None else str(said).strip()


def _text(said: Any) -> str:
    return " ".join(said.split()) if isinstance(said, str) else ""


def _resolved(said: Any, definitions: Mapping[str, Any]) -> Any:
    """What stands in place of ``{"$ref": "#/definitions/NAME"}``; definitions hold no references themselves."""
    if isinstance(said, list):
        return [_resolved(one, definitions) for one in said]
    if not isinstance(said, dict):
        return said
    reference = said.get("$ref")
    if isinstance(reference, str) and reference.startswith(_REFERENCE):
        return definitions[reference.removeprefix(_REFERENCE)]
    return {name: _resolved(one, definitions) for name, one in said.items()}


def _words(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown or "it has no parameters"
