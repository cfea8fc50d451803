"""Test server that stands in for NASA's Satellite Situation Center on loopback, with circular orbits.

It speaks the protocol of https://sscweb.gsfc.nasa.gov/WebServices/REST in XML: `observatories` and, posted,
`locations`. NASA's client `sscws` reads it unchanged. It has the faults of `Handler` and three more: "half" cuts the
XML, "entity" declares an entity, and "status" reports an error with status 200, as the service does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import ClassVar
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from helio.testing.standin import Fault, Handler, StandIn

_NAMESPACE = "http://sscweb.gsfc.nasa.gov/schema"
_PREFIX = f"{{{_NAMESPACE}}}"
_SERVICE = "/WS/sscr/2"
_XML = "application/xml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_SYSTEMS = ("Geo", "Gm", "Gse", "Gsm", "Sm", "GeiTod", "GeiJ2000")
_EARTH = 6378.137


@dataclass(frozen=True)
class Spacecraft:
    """A spacecraft on a circle about the Earth.

    Parameters
    ----------
    radius : float
        In km.
    period : timedelta
        Time of one turn, which begins at noon in every frame: on the x axis of GSE, and half as high above the
        equator as far from the axis.
    resolution : int
        Seconds between two positions.
    start, end : datetime
        First and last position.
    """

    id: str
    name: str
    radius: float = 60_000.0
    period: timedelta = timedelta(hours=24)
    resolution: int = 180
    start: datetime = datetime(2015, 3, 13)
    end: datetime = datetime(2024, 12, 31)

    def turn(self, moment: datetime) -> float:
        """Return the angle from the x axis in radians."""
        day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
        return 2 * math.pi * ((moment - day) / self.period)

    def position(self, moment: datetime, system: str) -> tuple[float, float, float]:
        """Return x, y and z in km; each frame is tilted about its x axis by another angle."""
        tilt = math.radians(10.0 * _SYSTEMS.index(system))
        x, y = self.radius * math.cos(self.turn(moment)), self.radius * math.sin(self.turn(moment))
        return x, y * math.cos(tilt), y * math.sin(tilt)

    def times(self, start: datetime, end: datetime, factor: int) -> list[datetime]:
        """Return the times of every `factor`-th position from `start` to `end`, both included, as the service does."""
        step = timedelta(seconds=self.resolution)
        first = max(0, -((self.start - start) // step))
        moments = []
        moment = self.start + first * step
        while moment <= min(end, self.end):
            moments.append(moment)
            moment += factor * step
        return moments


CRAFT = (
    Spacecraft("ace", "ACE", 1.5e6, timedelta(days=180), 720, datetime(1997, 8, 25, 17, 48)),
    Spacecraft("mms1", "MMS-1"),
    Spacecraft("mms2", "MMS-2", 60_020.0),
    Spacecraft("themisa", "THEMIS-A", 70_000.0, resolution=60, start=datetime(2007, 2, 17)),
)


class SscStandIn(StandIn):
    """Test server for SSCWeb, with the given spacecraft; `left_out` lists elements that it does not send."""

    def __init__(self, craft: Sequence[Spacecraft] = CRAFT) -> None:
        self.craft = {spacecraft.id: spacecraft for spacecraft in craft}
        self.left_out: set[str] = set()
        super().__init__()

    def observatories(self) -> str:
        """Return the reply of the service that lists its spacecraft."""
        entries = "".join(
            f"<Observatory><Id>{craft.id}</Id><Name>{escape(craft.name)}</Name><Resolution>{craft.resolution}"
            f"</Resolution><StartTime>{_iso(craft.start)}</StartTime><EndTime>{_iso(craft.end)}</EndTime>"
            f"<ResourceId>spase://SMWG/Observatory/{craft.name}</ResourceId></Observatory>"
            for craft in self.craft.values()
        )
        return f'{_HEAD}<ObservatoryResponse xmlns="{_NAMESPACE}">{entries}</ObservatoryResponse>'

    def locations(self, question: ElementTree.Element) -> str:
        """Return the reply of the service to a ``DataRequest``."""
        satellites = question.findall(f"{_PREFIX}Satellites")
        unknown = [craft for craft in map(_id, satellites) if craft not in self.craft]
        if not satellites or unknown:
            detail = "InvalidSatellite" if unknown else "MissingSatellites"
            return error_result(detail, f"Unknown satellite {', '.join(unknown)}")
        start, end = (
            datetime.fromisoformat(_text(question, f"TimeInterval/{edge}"))
            .astimezone(UTC)
            .replace(tzinfo=None)
            for edge in ("Start", "End")
        )
        if end <= start:
            return error_result("InvalidTimeRange", "The end is not after the start")
        asked: dict[str, list[str]] = {}
        for option in question.iterfind(f"{_PREFIX}OutputOptions/{_PREFIX}CoordinateOptions"):
            asked.setdefault(_text(option, "CoordinateSystem"), []).append(_text(option, "Component"))
        values = {
            name
            for name in ("RadialDistance", "DipoleLValue", "DipoleInvLat")
            if _text(question, f"OutputOptions/ValueOptions/{name}") == "true"
        }
        data = "".join(
            "".join(self._data(self.craft[_id(satellite)], start, end, _factor(satellite), asked, values))
            for satellite in satellites
        )
        return _result(f"<StatusCode>Success</StatusCode><StatusSubCode>Success</StatusSubCode>{data}")

    def _data(
        self,
        craft: Spacecraft,
        start: datetime,
        end: datetime,
        factor: int,
        asked: Mapping[str, Sequence[str]],
        values: set[str],
    ) -> Iterator[str]:
        times = craft.times(start, end, factor)
        yield f"<Data><Id>{craft.id}</Id>"
        for system, components in asked.items():
            yield f"<Coordinates><CoordinateSystem>{system}</CoordinateSystem>"
            columns = [_angles(craft.position(time, system)) for time in times]
            for element, component in _ELEMENTS.items():
                if component in components and element not in self.left_out:
                    yield from (f"<{element}>{column[element]!r}</{element}>" for column in columns)
            yield "</Coordinates>"
        yield from (f"<Time>{_iso(time)}</Time>" for time in times)
        for option, element in _VALUES.items():
            if option in values and element not in self.left_out:
                columns = [_angles(craft.position(time, "Sm")) for time in times]
                yield from (f"<{element}>{_dipole(column)[element]!r}</{element}>" for column in columns)
        yield "</Data>"


_ELEMENTS = {"X": "X", "Y": "Y", "Z": "Z", "Latitude": "Lat", "Longitude": "Lon", "LocalTime": "Local_Time"}
_VALUES = {
    "RadialDistance": "RadialLength",
    "DipoleLValue": "DipoleLValue",
    "DipoleInvLat": "DipoleInvariantLatitude",
}


def error_result(detail: str, text: str) -> str:
    """Return the result with which the service reports an error: its HTTP status is 200."""
    return _result(
        f"<StatusCode>Error</StatusCode><StatusSubCode>{detail}</StatusSubCode>"
        f"<StatusText>{escape(text)}</StatusText>"
    )


def error_page(message: str, description: str) -> bytes:
    """Return the XHTML page with which the service refuses a request."""
    return (
        '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Error</title></head><body>'
        f'<p class="ErrorMessage"><b>Error Message: </b>{escape(message)}</p>'
        f'<p class="ErrorDescription"><b>Error Description: </b>{escape(description)}</p></body></html>'
    ).encode()


def _result(content: str) -> str:
    return (
        f'{_HEAD}<Response xmlns="{_NAMESPACE}"><Result xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        f'xsi:type="DataResult">{content}</Result></Response>'
    )


def _angles(position: tuple[float, float, float]) -> dict[str, float]:
    x, y, z = position
    radius = math.dist(position, (0, 0, 0))
    longitude = math.degrees(math.atan2(y, x)) % 360
    return {
        "X": x,
        "Y": y,
        "Z": z,
        "Latitude": math.degrees(math.asin(z / radius)),
        "Longitude": longitude,
        "LocalTime": (longitude / 15 + 12) % 24,
    }


def _dipole(column: Mapping[str, float]) -> dict[str, float]:
    """Return radius and, of the dipole's field line, L and invariant latitude; latitudes are those in SM."""
    radius = math.dist((column["X"], column["Y"], column["Z"]), (0, 0, 0))
    length = radius / _EARTH / math.cos(math.radians(column["Latitude"])) ** 2
    return {
        "RadialLength": radius,
        "DipoleLValue": length,
        "DipoleInvariantLatitude": math.degrees(math.acos(math.sqrt(1 / length))),
    }


def _iso(moment: datetime) -> str:
    return f"{moment.isoformat(timespec='milliseconds')}+00:00"


def _text(element: ElementTree.Element, path: str) -> str:
    return (element.findtext("/".join(f"{_PREFIX}{name}" for name in path.split("/"))) or "").strip()


def _id(satellite: ElementTree.Element) -> str:
    return _text(satellite, "Id")


def _factor(satellite: ElementTree.Element) -> int:
    return int(_text(satellite, "ResolutionFactor"))


class _SscHandler(Handler):
    standin: SscStandIn
    replaces: ClassVar[tuple[str, ...]] = ("half", "entity", "status")

    def go_wrong(self, fault: Fault) -> bool:
        if fault.kind not in self.replaces:
            return super().go_wrong(fault)
        if fault.kind == "status":
            self.answer(200, error_result("ServerError", "The database is not available").encode(), _XML)
            return True
        body = self.standin.observatories()
        if fault.kind == "half":
            body = body[: len(body) // 2]
        else:
            body = body.replace(_HEAD, f'{_HEAD}<!DOCTYPE r [<!ENTITY e "e">]>')
        self.answer(200, body.encode(), _XML)
        return True

    def route(self) -> None:
        resource = self.path.partition("?")[0]
        if resource == f"{_SERVICE}/observatories" and self.command == "GET":
            return self.answer(200, self.standin.observatories().encode(), _XML)
        if resource != f"{_SERVICE}/locations" or self.command != "POST":
            return self.answer(
                404, error_page("Not found", "There is no such resource."), "application/xhtml+xml"
            )
        try:
            question = ElementTree.fromstring(self.body)
            if question.tag != f"{_PREFIX}DataRequest":
                raise ValueError(f"the request is a {question.tag}")
            reply = self.standin.locations(question)
        except (ElementTree.ParseError, ValueError) as error:
            return self.answer(400, error_page("Bad request", str(error)), "application/xhtml+xml")
        return self.answer(200, reply.encode(), _XML)


SscStandIn.handler = _SscHandler
