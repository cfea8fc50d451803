"""Positions of spacecraft from NASA's Satellite Situation Center (SSCWeb), over its web service."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypedDict
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from helio.errors import (
    DamagedFile,
    NoData,
    Refused,
    ReplyTooLarge,
    RequestError,
    ServerUnavailable,
    UnknownDataset,
)
from helio.sources.allowance import in_words
from helio.sources.answer import LATER, BadBody, OpenReply, more_than
from helio.sources.http import Http
from helio.sources.reply_source import ReplySource
from helio.sources.server_text import one_line
from helio.sources.witness import Witness
from helio.store.records import NaiveInstant
from helio.time_range import Duration, TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table

_NAMESPACE = "http://sscweb.gsfc.nasa.gov/schema"
_SERVICE = "WS/sscr/2"
_XML = "application/xml"

_SYSTEMS = {
    "GSE": "Gse",
    "GSM": "Gsm",
    "SM": "Sm",
    "GEO": "Geo",
    "GM": "Gm",
    "GEI": "GeiTod",
    "J2000": "GeiJ2000",
}
"""Frames, and the service's names of them. GEI has the equator and the equinox of the date."""
_ANGLES_IN = ("GEO", "GM", "GSE", "SM")
"""Frames in which helio asks for latitude, longitude and local time."""
_COMPONENTS = {"X": "X", "Y": "Y", "Z": "Z", "Latitude": "Lat", "Longitude": "Lon", "LocalTime": "Local_Time"}
"""Elements of a reply, and the names with which a question asks for them."""
_DIPOLE = ("DipoleLValue", "DipoleInvariantLatitude")
_CARTESIAN = ("X", "Y", "Z")
_FILL = 1e30
"""Smallest size of a fill value; ISTP writes -1e31, and the universe is smaller."""
_MOST_GROUPS = 20_000
"""Maximum number of elements with children; each needs thirty times its length in memory, and a reply has few."""
_BYTES_PER_RECORD = 1200
"""About the length of a record with everything that helio asks for."""
_EVEN = (600, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)
"""Cadences in seconds that helio proposes for long ranges."""
_DEEPEST = 16


@dataclass(frozen=True)
class _Parameter:
    """Where the values of a parameter stand in a reply: the service's name of the frame, if any, and the elements."""

    system: str
    columns: tuple[str, ...]
    unit: str
    name: str
    description: str
    frame: str = ""

    @property
    def is_vector(self) -> bool:
        return self.frame != ""


def _parameters() -> Iterator[tuple[str, _Parameter]]:
    for frame, system in _SYSTEMS.items():
        yield f"XYZ_{frame}", _Parameter(system, _CARTESIAN, "km", "position", f"Position in {frame}", frame)
    yield "R", _Parameter("Gse", _CARTESIAN, "km", "R", "Distance from the Earth's centre")
    for frame in _ANGLES_IN:
        system = _SYSTEMS[frame]
        yield (
            f"Lat_{frame}",
            _Parameter(system, ("Latitude",), "deg", f"latitude {frame}", f"Latitude in {frame}"),
        )
        longitude = f"longitude {frame}"
        yield f"Lon_{frame}", _Parameter(system, ("Longitude",), "deg", longitude, f"Longitude in {frame}")
        yield f"LT_{frame}", _Parameter(system, ("LocalTime",), "h", f"LT {frame}", f"Local time in {frame}")
    yield (
        "L",
        _Parameter("", ("DipoleLValue",), "", "L", "L of the dipole's field line through the spacecraft"),
    )
    latitude = "Invariant latitude of the dipole's field line"
    yield "InvLat", _Parameter("", ("DipoleInvariantLatitude",), "deg", "invariant latitude", latitude)


PARAMETERS: Mapping[str, _Parameter] = dict(_parameters())
"""Parameters of every dataset, by name."""

_OFTEN_USED = (
    "ace", "cluster1", "cluster2", "cluster3", "cluster4", "dscovr", "geotail", "iss", "mms1", "mms2", "mms3", "mms4",
    "polar", "rbspa", "rbspb", "themisa", "themisb", "themisc", "themisd", "themise", "wind",
)  # fmt: skip
"""Some of the service's 300 spacecraft, for hints that need no request."""


class _Observatory(TypedDict):
    """A spacecraft of the service: its name, the seconds between its positions, and its first and last position."""

    name: str
    resolution: int
    start: NaiveInstant
    end: NaiveInstant


@dataclass(frozen=True)
class _Dataset:
    """A dataset id: a spacecraft of the service, and the cadence after ``@``, if there is one."""

    id: str

    @cached_property
    def craft(self) -> str:
        return self.id.partition("@")[0]

    @cached_property
    def cadence(self) -> str:
        return self.id.partition("@")[2]


class Ssc(ReplySource):
    """Positions of 300 spacecraft near the Earth and in the solar wind, in seven frames.

    A dataset is a spacecraft, under the service's id: ``mms1``. After ``@`` may stand a coarser cadence: ``mms1@1h``
    has one position an hour. It must be a multiple of the service's own cadence, of which the service then leaves out
    the positions between (its resolution factor). All datasets have the parameters `PARAMETERS`. One reply has them
    all.

    Positions after the present are predictions, which the service replaces later.

    References
    ----------
    https://sscweb.gsfc.nasa.gov/WebServices/REST; messages: https://sscweb.gsfc.nasa.gov/WebServices/REST/SSC.xsd;
    frames: https://sscweb.gsfc.nasa.gov/users_guide/Appendix_C.shtml
    """

    title = "SSCWeb"
    address = "https://sscweb.gsfc.nasa.gov"
    publisher = "NASA Satellite Situation Center"
    subjects = "position positions orbit orbits ephemeris location locations trajectory trajectories MLT"
    question = "for the spacecraft whose positions it has"

    def datasets(self) -> list[str]:
        """Return the ids of all spacecraft, sorted; helio asks for them once a day.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, Offline
        """
        return sorted(self._observatories())

    @classmethod
    def known_datasets(cls) -> Mapping[str, Collection[str]]:
        """Return the spacecraft that are used most often, with their parameters; the service has many more."""
        return dict.fromkeys(_OFTEN_USED, tuple(PARAMETERS))

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Request the list of spacecraft."""
        place = f"{url}/{_SERVICE}/observatories"
        try:
            observatories = _read_observatories(witness.content(http, place, accept=_XML))
        except BadBody as error:
            raise DamagedFile(f"the list of spacecraft {error}", advice=LATER, place=place) from error
        return f"the service has positions of {len(observatories)} spacecraft"

    def parameters_of(self, dataset_id: str) -> Collection[str]:
        """Return the names of the parameters, which all datasets have."""
        return PARAMETERS

    def url_of(self, dataset_id: str, time_range: TimeRange) -> str:
        """Return the address of the page on which SSCWeb shows what it has; the question itself is posted."""
        return f"{self.url}/{_SERVICE}/locations"

    def refuse_unknown_dataset(self, dataset_id: str) -> None:
        """Raise an error for an unknown spacecraft, or a cadence that the service does not have.

        Raises
        ------
        UnknownDataset
            The advice gives the closest ids, or the cadences that exist.
        """
        dataset = _Dataset(dataset_id)
        if dataset.craft not in self._observatories():
            raise UnknownDataset(
                f"no spacecraft is called '{dataset.craft}' in {self.title}",
                advice=self.close_ids(dataset.craft)
                or "its ids are written in small letters and without signs: mms1, themisa",
            )
        self._factor(dataset)

    def title_of(self, dataset_id: str) -> str:
        """Return the title of a dataset, with the name of the spacecraft."""
        return f"Positions of {self._observatories()[_Dataset(dataset_id).craft]['name']}"

    def close_ids(self, dataset_id: str) -> str:
        """Return advice for an unknown spacecraft: the closest ids, in the service's spelling."""
        folded = "".join(sign for sign in dataset_id.casefold() if sign.isalnum())
        named = [craft for craft in self._observatories() if folded.startswith(craft)]
        if named:
            return f"did you mean '{max(named, key=len)}'?"
        return super().close_ids(folded)

    def ask(self, dataset_id: str, time_range: TimeRange) -> Any:
        """Post the question for the positions in [start, stop), and return times and columns of values.

        Raises
        ------
        NoData, NotYetPublished
            The service has no position in the range; the message names the range that has.
        TooLarge, ReplyTooLarge
            The reply is longer than the limits allow; the advice names a coarser cadence.
        ServerUnavailable, RateLimited, Refused, DamagedFile
        """
        dataset = _Dataset(dataset_id)
        observatory = self._observatories()[dataset.craft]
        wanted = self._covered(dataset, observatory, time_range)
        factor = self._factor(dataset)
        place = self.url_of(dataset_id, time_range)
        self._refuse_too_many(dataset, wanted, observatory["resolution"] * factor)

        def receive(answer: OpenReply) -> Any:
            return self.counted(
                answer,
                f"{dataset_id} for {time_range}",
                lambda: _read_locations(answer, dataset.craft, place),
            )

        reply = self.http.exchange(
            place,
            receive,
            headers=lambda: {"Accept": _XML, "Content-Type": _XML},
            body=question_for(dataset.craft, wanted, factor),
        )
        if not reply["time"]:
            every = _every(observatory["resolution"] * factor)
            raise NoData(
                f"{self.title} has no position of {dataset_id} in {time_range}",
                advice=f"its positions are {every} apart: choose a longer time range",
                place=place,
            )
        return reply

    def read(self, reply: Any, dataset_id: str, parameter: str) -> Table:
        """Make a table of one parameter from times and columns; distances are in km, angles in degrees or hours.

        Raises
        ------
        NoData
            The service gives no values of this parameter for the spacecraft.
        DamagedFile
            The times do not increase.
        """
        import numpy as np
        import pyarrow as pa

        from helio.sources.iso_times import nanoseconds_of_texts
        from helio.store.table import Table as NewTable

        known = PARAMETERS[parameter]
        columns = [reply["columns"].get(f"{known.system} {column}".strip()) for column in known.columns]
        if any(column is None for column in columns):
            raise NoData(
                f"{self.title} gives no {parameter} of {dataset_id}", advice="choose another parameter"
            )
        epoch = nanoseconds_of_texts(pa.chunked_array([reply["time"]], pa.string())).view("datetime64[ns]")
        if not np.all(np.diff(epoch) > np.timedelta64(0)):
            raise DamagedFile(f"the times that {self.title} sends do not increase")
        values = np.array(columns, dtype=np.float64).T  # None becomes NaN
        if parameter == "R":
            values = np.sqrt((values**2).sum(axis=1, keepdims=True))
        return NewTable(
            epoch=epoch,
            values=values if known.is_vector else values[:, 0],
            unit=known.unit,
            name=known.name,
            frame=known.frame,
            components=known.columns if known.is_vector else (),
            description=f"{known.description} of {reply['craft']}",
        )

    def _observatories(self) -> dict[str, _Observatory]:
        def request() -> dict[str, _Observatory]:
            def receive(answer: OpenReply) -> dict[str, _Observatory]:
                return _read_observatories(_xml_of(answer))

            url = f"{self.url}/{_SERVICE}/observatories"
            return self.http.exchange(url, receive, headers=lambda: {"Accept": _XML})

        observatories: dict[str, _Observatory] = self.saved(
            "observatories",
            request,
            dict[str, _Observatory],
            never_asked=f"{self.title} was never asked for its spacecraft",
        )
        return observatories

    def _factor(self, dataset: _Dataset) -> int:
        """Return how many of the service's steps lie between two positions of a dataset."""
        if "@" not in dataset.id:
            return 1
        resolution = self._observatories()[dataset.craft]["resolution"]
        try:
            factor, rest = divmod(Duration(dataset.cadence).nanoseconds, resolution * 10**9)
        except RequestError as error:
            raise UnknownDataset(
                f"'{dataset.id}': {error.message}", advice=f"write a cadence such as {dataset.craft}@1h"
            ) from error
        if rest or not factor:
            raise UnknownDataset(
                f"{self.title} has no positions of {dataset.craft} every {dataset.cadence}",
                advice=f"its positions are {_every(resolution)} apart: choose a multiple, such as "
                f"{dataset.craft}@{_every(10 * resolution)}",
            )
        return factor

    def _covered(self, dataset: _Dataset, observatory: _Observatory, time_range: TimeRange) -> TimeRange:
        """Return the part of a range in which the service has positions."""
        first, last = (datetime.fromisoformat(observatory[edge]) for edge in ("start", "end"))
        start = max(time_range.start, first)
        stop = min(time_range.stop, last + timedelta(seconds=1))
        if start < stop:
            return TimeRange(start, stop)
        raise self.absent(
            f"{self.title} has positions of {dataset.craft} only from {first:%Y-%m-%dT%H:%M}Z to "
            f"{last:%Y-%m-%dT%H:%M}Z, not for {time_range}",
            "choose a range within these times",
            last=last,
            follows=time_range.start > last,
        )

    def _refuse_too_many(self, dataset: _Dataset, time_range: TimeRange, step: int) -> None:
        largest = self.http.limits.reply_bytes
        expected = int(time_range.duration.total_seconds() / step) * _BYTES_PER_RECORD
        if expected > largest:
            least = step * math.ceil(expected / largest)
            even = (seconds for seconds in _EVEN if seconds >= least and seconds % step == 0)
            coarser = next(even, least)
            raise ReplyTooLarge(
                f"{dataset.id} for {time_range} is about {in_words(expected)}, more than helio reads at once",
                advice=f"choose a coarser cadence, such as {dataset.craft}@{_every(coarser)}, a shorter time range, "
                f"or {more_than(math.ceil(expected / 2))}",
                place=self.url_of(dataset.id, time_range),
            )


def question_for(craft: str, time_range: TimeRange, factor: int) -> bytes:
    """Return the XML that asks for the positions of a spacecraft.

    Parameters
    ----------
    craft : str
        The service's id.
    factor : int
        Resolution factor: the service sends every `factor`-th of its positions.
    """
    start, stop = (moment.replace(tzinfo=UTC).isoformat() for moment in (time_range.start, time_range.stop))
    asked = [(system, component) for system in _SYSTEMS.values() for component in _CARTESIAN]
    angles = [component for component in _COMPONENTS if component not in _CARTESIAN]
    asked += [(_SYSTEMS[frame], component) for frame in _ANGLES_IN for component in angles]
    coordinates = "".join(
        f"<CoordinateOptions><CoordinateSystem>{system}</CoordinateSystem>"
        f"<Component>{_COMPONENTS[component]}</Component></CoordinateOptions>"
        for system, component in asked
    )
    # The field model counts for no value that helio asks for, but the service's own clients always send it.
    return (
        f'<DataRequest xmlns="{_NAMESPACE}"><Description>SSC DataRequest</Description>'
        f"<TimeInterval><Start>{start}</Start><End>{stop}</End></TimeInterval>"
        "<BFieldModel><InternalBFieldModel>IGRF</InternalBFieldModel>"
        "<TraceStopAltitude>100</TraceStopAltitude>"
        '<ExternalBFieldModel xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xsi:type="Tsyganenko89cBFieldModel"><KeyParameterValues>KP3_3_3</KeyParameterValues>'
        "</ExternalBFieldModel></BFieldModel>"
        f"<Satellites><Id>{escape(craft)}</Id><ResolutionFactor>{factor}</ResolutionFactor></Satellites>"
        "<OutputOptions><AllLocationFilters>true</AllLocationFilters><MinMaxPoints>2</MinMaxPoints>"
        f"{coordinates}<ValueOptions><RadialDistance>false</RadialDistance>"
        "<BFieldStrength>false</BFieldStrength><DipoleLValue>true</DipoleLValue>"
        "<DipoleInvLat>true</DipoleInvLat></ValueOptions></OutputOptions></DataRequest>"
    ).encode()


def _every(seconds: int) -> str:
    return str(Duration(f"{seconds}s"))


# Replies


def _xml_of(answer: OpenReply) -> bytes:
    """Read a reply, and refuse a web page in its place."""
    content = answer.read()
    begin = content[:200].lstrip().lower()
    if "html" in answer.headers.get("content-type", "") or begin.startswith((b"<!doctype", b"<html")):
        raise answer.not_json(content)
    return content


def _read_observatories(content: bytes) -> dict[str, _Observatory]:
    """Read the list of spacecraft.

    Raises
    ------
    BadBody
        The content is not this list.
    """
    root = _tree(content, "ObservatoryResponse")
    observatories = {}
    try:
        for entry in root["Observatory"]:
            [craft], [name], [resolution] = entry["Id"], entry["Name"], entry["Resolution"]
            [start], [end] = entry["StartTime"], entry["EndTime"]
            if int(resolution) <= 0:
                raise ValueError("the time between positions is not positive")
            observatories[craft] = _Observatory(
                name=name, resolution=int(resolution), start=_moment(start), end=_moment(end)
            )
    except (KeyError, TypeError, ValueError) as error:
        raise BadBody(f"does not list spacecraft as SSCWeb does ({error})") from error
    return observatories


def _moment(text: str) -> str:
    """Return a time of the service as UTC without a zone."""
    return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None).isoformat()


def _read_locations(answer: OpenReply, craft: str, place: str) -> dict[str, Any]:
    """Read the positions of one spacecraft: its times, and columns of values by frame and component.

    Raises
    ------
    BadBody
        The reply is not complete, or of another form.
    NoData, UnknownDataset, ServerUnavailable, Refused
        The service reports an error.
    """
    try:
        [result] = _tree(_xml_of(answer), "Response")["Result"]
        [status], [detail] = result["StatusCode"], result["StatusSubCode"]
        if status == "Error":
            _refuse(str(detail), result.get("StatusText", []), craft, place)
        data = next((entry for entry in result.get("Data", []) if entry["Id"] == [craft]), None)
        if data is None:
            return {"craft": craft, "time": [], "columns": {}}
        times = data.get("Time", [])
        columns = {name: list(map(_number, data[name])) for name in _DIPOLE if data.get(name)}
        for coordinates in data.get("Coordinates", []):
            [system] = coordinates["CoordinateSystem"]
            for name in _COMPONENTS:
                if coordinates.get(name):
                    columns[f"{system} {name}"] = list(map(_number, coordinates[name]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadBody(f"does not give positions as SSCWeb does ({error})") from error
    for name, values in columns.items():
        if len(values) != len(times):
            raise BadBody(f"has {len(times)} times, but {len(values)} values of {name}")
    return {"craft": craft, "time": times, "columns": columns}


def _number(text: str) -> float | None:
    value = float(text)
    return value if abs(value) < _FILL else None  # NaN compares as false


def _refuse(detail: str, texts: Sequence[Any], craft: str, place: str) -> NoReturn:
    """Raise the error that a status of the service means."""
    words = one_line("; ".join(map(str, texts))) or detail
    if detail == "InvalidSatellite":
        raise UnknownDataset(f"SSCWeb does not know the spacecraft '{craft}': {words}", place=place)
    if detail in ("InvalidBeginTime", "InvalidEndTime", "InvalidTimeRange"):
        raise NoData(f"SSCWeb has no positions for this time range: {words}", place=place)
    if detail == "ServerError":
        raise ServerUnavailable(f"SSCWeb reports an error: {words}", advice=LATER, place=place)
    raise Refused(f"SSCWeb refuses the question: {words}", place=place)


def _tree(content: bytes, root: str) -> dict[str, Any]:
    """Read XML as nested dicts: the children of each element by name, as lists of texts and dicts.

    Raises
    ------
    BadBody
        The content is not complete XML with this root, or declares entities.
    """
    collector = _Collector()
    parser = ElementTree.XMLParser(target=collector)
    try:
        parser.feed(content)
        parser.close()
    except ElementTree.ParseError as error:
        raise BadBody(f"is not complete XML ({error})") from error
    if collector.root != root:
        raise BadBody(f"is XML of another form: '{one_line(collector.root, 40)}' instead of '{root}'")
    return collector.content


class _Collector:
    """Target of an XML parser that collects texts, without namespaces and attributes."""

    def __init__(self) -> None:
        self.root = ""
        self.content: dict[str, Any] = {}
        self._groups = 0
        self._open: list[tuple[str, dict[str, Any], list[str]]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise BadBody(f"has elements nested more than {_DEEPEST} levels deep")
        self._open.append((tag.rpartition("}")[2], {}, []))

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1][2].append(text)

    def end(self, tag: str) -> None:
        name, children, texts = self._open.pop()
        value = children or "".join(texts).strip()
        self._groups += bool(children)
        if self._groups > _MOST_GROUPS:
            raise BadBody(f"has more than {_MOST_GROUPS:,} groups of elements")
        if self._open:
            self._open[-1][1].setdefault(name, []).append(value)
        else:
            self.root, self.content = name, children

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise BadBody("has a document type, in which a server could declare entities")

    def close(self) -> None:
        """Do nothing: the texts are in `content`."""
