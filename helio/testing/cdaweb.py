"""Test server that stands in for CDAWeb on loopback: REST service, file downloads and folder pages for a folder of
CDFs.

It behaves like the service: NASA's own client, cdasws, reads from it unchanged. The formats are those of
https://cdaweb.gsfc.nasa.gov/WebServices/REST/ and of the folders below https://cdaweb.gsfc.nasa.gov/pub/.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    import numpy as np

from helio.testing.standin import Handler, StandIn

NAMESPACE = "http://cdaweb.gsfc.nasa.gov/schema"
REST = "/WS/cdasr/1/dataviews/sp_phys/"
DATA = "/sp_phys/data/"
PUB = "/pub/data/"
MADE = "/tmp/made/"

_NAME = re.compile(r"(.+?)_(\d{8})(\d{6})?(?:_v([\d.]+))?\.cdf", re.IGNORECASE)
_EPOCHS = (31, 32, 33)


@dataclass
class ServedFile:
    """File of a dataset that the test server serves, with the time span of its records."""

    path: Path
    dataset_id: str
    day: datetime
    version: str
    first: datetime
    last: datetime
    published: float

    @property
    def folder(self) -> str:
        return f"{self.dataset_id.lower()}/{self.day.year}"

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]}"'


@dataclass
class Computed:
    """Parameter that no file holds, because the service computes it from a file."""

    compute: Callable[[Any], np.ndarray]
    attributes: dict[str, str] = field(default_factory=dict)


class CdaWebStandIn(StandIn):
    """Test server that stands in for CDAWeb and serves the CDFs below a folder."""

    def __init__(self, folder: Path, *, computed: Mapping[tuple[str, str], Computed] | None = None) -> None:
        self.computed = dict(computed or {})
        self.files: list[ServedFile] = []
        self.made: dict[str, bytes] = {}
        self.makings = 0
        for path in sorted(folder.rglob("*.cdf")):
            self.publish(path)
        super().__init__()

    # For tests

    def publish(self, path: Path, published: float = 1_700_000_000.0) -> None:
        """Serve a file, and stop serving any other file with the same name."""
        match = _NAME.fullmatch(path.name)
        if match is None:
            return
        dataset, day, clock, version = match.groups()
        first, last = _span(path)
        when = datetime.strptime(day + (clock or "000000"), "%Y%m%d%H%M%S")
        served = ServedFile(path, dataset.upper(), when, version or "", first, last, published)
        self.files = [file for file in self.files if file.path.name != path.name] + [served]

    # Served data

    def datasets(self) -> dict[str, list[ServedFile]]:
        grouped: dict[str, list[ServedFile]] = {}
        for file in self.files:
            grouped.setdefault(file.dataset_id, []).append(file)
        return grouped

    def covering(self, dataset_id: str, start: datetime, stop: datetime) -> list[ServedFile]:
        """Return the newest version of each file that has records in the interval."""
        newest: dict[datetime, ServedFile] = {}
        for file in self.datasets().get(dataset_id, []):
            rival = newest.get(file.day)
            if rival is None or _numbers(file.version) > _numbers(rival.version):
                newest[file.day] = file
        return [file for _, file in sorted(newest.items()) if file.first < stop and file.last >= start]

    def variables(self, dataset_id: str) -> list[tuple[str, str]]:
        """Return names and descriptions of the variables that the service offers for a dataset."""
        import cdflib

        file = cdflib.CDF(self.datasets()[dataset_id][-1].path)
        listed = []
        for name in file.cdf_info().zVariables + file.cdf_info().rVariables:
            attributes = file.varattsget(name)
            if str(attributes.get("VAR_TYPE", "")).lower() == "data":
                listed.append((name, str(attributes.get("CATDESC", name))))
        return listed + [
            (name, parameter.attributes.get("CATDESC", name))
            for (dataset, name), parameter in self.computed.items()
            if dataset == dataset_id
        ]

    def described(self, file: ServedFile, host: str) -> dict[str, Any]:
        """Return the description of a file in the form that the service uses."""
        return {
            "Name": f"http://{host}{DATA}{file.folder}/{quote(file.path.name)}",
            "MimeType": "application/x-cdf",
            "StartTime": _stamp(file.first),
            "EndTime": _stamp(file.last),
            "Length": file.path.stat().st_size,
            "LastModified": _stamp(datetime.fromtimestamp(file.published, UTC).replace(tzinfo=None)),
        }

    def subset(
        self, dataset_id: str, names: list[str], start: datetime, stop: datetime, host: str
    ) -> dict[str, Any] | None:
        """Make a CDF with some parameters over an interval, as CDAWeb's data service does."""
        files = self.covering(dataset_id, start, stop)
        if not files:
            return None
        self.makings += 1
        content = _subset(files[0].path, names, start, stop, dataset_id, self.computed, self.makings)
        if content is None:
            return None
        name = f"{dataset_id.lower()}s_{start:%Y%m%d%H%M%S}_{stop:%Y%m%d%H%M%S}_cdaweb.cdf"
        self.made[name] = content
        return {
            "Name": f"http://{host}{MADE}{name}",
            "MimeType": "application/x-cdf",
            "StartTime": _stamp(start),
            "EndTime": _stamp(stop),
            "Length": len(content),
            "LastModified": _stamp(datetime(2026, 1, 1)),
        }


class _CdaWebHandler(Handler):
    standin: CdaWebStandIn

    def route(self) -> None:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        if path.startswith(DATA):
            return self._file(path[len(DATA) :])
        if path.startswith(PUB):
            return self._folder_or_file(path[len(PUB) :])
        if path.startswith(MADE):
            content = self.standin.made.get(path[len(MADE) :])
            return self.answer(404, b"", "text/html") if content is None else self._bytes(content, "", 0.0)
        if path == "/pub/catalogs/all.xml":
            return self.answer(200, self._all_xml(), "text/xml")
        if path.startswith(REST):
            return self._rest(path[len(REST) :].strip("/").split("/"), parse_qs(parts.query))
        return self.answer(404, b"<html><body>Not Found</body></html>", "text/html")

    def _rest(self, words: list[str], query: dict[str, list[str]]) -> None:
        every = self.standin.datasets()
        if words == ["datasets"] and self.command == "POST":
            return self._data_request()
        if words == ["datasets"]:
            ids = query.get("id", list(every))
            return self._send(
                "DatasetDescription",
                [_dataset(dataset_id, every[dataset_id]) for dataset_id in ids if dataset_id in every],
            )
        if len(words) < 3 or words[0] != "datasets":
            return self.answer(404, {"Message": ["no such resource"]})
        dataset_id, what = words[1], words[2]
        if dataset_id not in every:
            return self.answer(404, {"Message": ["Unknown dataset"]})
        if what == "variables":
            return self._send(
                "VariableDescription",
                [
                    {"Name": name, "ShortDescription": text, "LongDescription": text}
                    for name, text in self.standin.variables(dataset_id)
                ],
            )
        start, stop = (datetime.strptime(text, "%Y%m%dT%H%M%SZ") for text in words[3].split(","))
        if what == "orig_data":
            files = [
                self.standin.described(file, self.host)
                for file in self.standin.covering(dataset_id, start, stop)
            ]
            return (
                self._send("FileDescription", files)
                if files
                else self.answer(404, {"Message": ["No data available."]})
            )
        if what == "data":
            made = self.standin.subset(dataset_id, words[4].split(","), start, stop, self.host)
            return (
                self._send("FileDescription", [made])
                if made
                else self.answer(404, {"Message": ["No data available."]})
            )
        return self.answer(404, {"Message": ["no such resource"]})

    def _data_request(self) -> None:
        """Answer an XML request from cdasws: with whole files if the request names no variable, otherwise with
        a CDF of these variables.
        """
        request = ElementTree.fromstring(self.body)

        def texts(name: str) -> list[str]:
            return [element.text or "" for element in request.iter(f"{{{NAMESPACE}}}{name}")]

        start, stop = (
            datetime.fromisoformat(texts(name)[0].replace("Z", "+00:00")).replace(tzinfo=None)
            for name in ("Start", "End")
        )
        dataset_id, names = texts("DatasetId")[0], [name for name in texts("VariableName") if name]
        if names:
            made = self.standin.subset(dataset_id, names, start, stop, self.host)
            return self._send("FileDescription", [made] if made else [], "DataResult")
        files = self.standin.covering(dataset_id, start, stop)
        return self._send(
            "FileDescription", [self.standin.described(file, self.host) for file in files], "DataResult"
        )

    def _send(self, element: str, content: list[dict[str, Any]], root: str = "") -> None:
        if "json" in self.headers.get("Accept", ""):
            self.answer(200, {element: content} if content else {})
            return
        inner = "".join(_xml(element, item) for item in content)
        root = root or f"{element}s"
        text = f'<?xml version="1.0" encoding="UTF-8"?><{root} xmlns="{NAMESPACE}">{inner}</{root}>'
        self.answer(200, text.encode(), "application/xml")

    def _folder_or_file(self, rest: str) -> None:
        rest = rest.rstrip("/")
        within = [f"{file.folder}/{file.path.name}" for file in self.standin.files]
        if rest in within:
            return self._file(rest)
        inside = [path for path in within if path.startswith(f"{rest}/") or not rest]
        if not inside:
            return self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
        names: dict[str, str] = {}
        for path in inside:
            name, slash, _ = path[len(rest) :].lstrip("/").partition("/")
            file = next((f for f in self.standin.files if f.path.name == name), None)
            names[name + slash] = (
                f'<td align="right">{datetime.fromtimestamp(file.published, UTC):%Y-%m-%d %H:%M}  </td>'
                f'<td align="right">{file.path.stat().st_size // 1024}K</td>'
                if file is not None
                else '<td align="right">2024-01-10 00:00  </td><td align="right">  - </td>'
            )
        rows = "".join(
            f'<tr><td><a href="{quote(name)}">{escape(name)}</a></td>{more}</tr>'
            for name, more in names.items()
        )
        page = (
            f"<html><head><title>Index of {PUB}{rest}</title></head><body><table>"
            '<tr><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th></tr>'
            f'<tr><td><a href="/pub/">Parent Directory</a></td></tr>{rows}</table></body></html>'
        )
        return self.answer(200, page.encode(), "text/html;charset=UTF-8")

    def _all_xml(self) -> bytes:
        entries = []
        for dataset_id, files in self.standin.datasets().items():
            timed = any(file.day.hour or file.day.minute for file in files)
            stem = files[0].path.name[: len(dataset_id)]
            naming = f"{stem}_%Y%m%d{'%H%M%S' if timed else ''}_v%Q.cdf"
            first, last = min(file.first for file in files), max(file.last for file in files)
            entries.append(
                f'<dataset nssdc_ID="None" serviceprovider_ID="{dataset_id}" '
                f'timerange_start="{first:%Y-%m-%d %H:%M:%S}" timerange_stop="{last:%Y-%m-%d %H:%M:%S}">'
                f'<description short="{dataset_id}"/>'
                f'<access type="FTP" subdividedby="%Y" filenaming="{naming}">'
                f"<URL>http://{self.host}{PUB}{dataset_id.lower()}</URL></access></dataset>"
            )
        return f'<sites xmlns="cdas"><datasite ID="CDAWeb">{"".join(entries)}</datasite></sites>'.encode()

    def _file(self, rest: str) -> None:
        served = next((f for f in self.standin.files if rest == f"{f.folder}/{f.path.name}"), None)
        if served is None:
            return self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
        return self._bytes(served.path.read_bytes(), served.etag, served.published)

    def _bytes(self, content: bytes, etag: str, published: float) -> None:
        named = {"ETag": etag, "Last-Modified": formatdate(published, usegmt=True), "Accept-Ranges": "bytes"}
        named = named if etag else {}
        if etag and self.headers.get("If-None-Match") == etag:
            return self.answer(304, b"", "application/x-cdf", named)
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        guard = self.headers.get("If-Range", etag)
        if span and etag and guard in (etag, named["Last-Modified"]):
            first = int(span[1])
            if first >= len(content):
                return self.answer(416, b"", "text/plain", {"Content-Range": f"bytes */{len(content)}"})
            spans = {"Content-Range": f"bytes {first}-{len(content) - 1}/{len(content)}"}
            return self.answer(206, content[first:], "application/x-cdf", named | spans)
        return self.answer(200, content, "application/x-cdf", named)


def _dataset(dataset_id: str, files: list[ServedFile]) -> dict[str, Any]:
    return {
        "Id": dataset_id,
        "Observatory": [dataset_id.split("_")[0]],
        "Instrument": [dataset_id.split("_")[-1]],
        "ObservatoryGroup": ["Test"],
        "InstrumentType": ["Magnetic Fields (space)"],
        "Label": f"{dataset_id} from the stand-in",
        "TimeInterval": {
            "Start": _stamp(min(file.first for file in files)),
            "End": _stamp(max(file.last for file in files)),
        },
        "PiName": "N. Ess",
        "PiAffiliation": "GSFC",
        "Notes": "",
    }


def _xml(element: str, content: Any) -> str:
    if isinstance(content, dict):
        inner = "".join(_xml(name, value) for name, value in content.items())
    elif isinstance(content, list):
        return "".join(_xml(element, item) for item in content)
    else:
        inner = escape(str(content))
    return f"<{element}>{inner}</{element}>"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds") + "Z"


def _span(path: Path) -> tuple[datetime, datetime]:
    """Return the first and last epoch of the variable on which most others depend, read with cdflib record by
    record.
    """
    import cdflib
    import numpy as np

    file = cdflib.CDF(path)
    counts: dict[str, int] = {}
    for name in file.cdf_info().zVariables + file.cdf_info().rVariables:
        depend = file.varattsget(name).get("DEPEND_0")
        if depend:
            counts[str(depend)] = counts.get(str(depend), 0) + 1
    for name in sorted(counts, key=lambda variable: -counts[variable]):
        about = file.varinq(name)
        if about.Data_Type in _EPOCHS and about.Last_Rec >= 0:
            ends = [np.ravel(file.varget(name, startrec=i, endrec=i))[:1] for i in (0, about.Last_Rec)]
            first, last = (
                cdflib.cdfepoch.to_datetime(epoch)[0].astype("M8[us]").astype(datetime) for epoch in ends
            )
            return first, last
    day = datetime.strptime(_NAME.fullmatch(path.name)[2], "%Y%m%d")  # type: ignore[index]
    return day, day + timedelta(days=1)


def _subset(
    path: Path,
    names: list[str],
    start: datetime,
    stop: datetime,
    dataset_id: str,
    computed: Mapping[tuple[str, str], Computed],
    making: int,
) -> bytes | None:
    import numpy as np
    import pycdfpp

    source = pycdfpp.load(str(path))
    depends = {"Epoch"}
    for name in names:
        if name in source:
            depends |= {
                str(variable.value)
                for key, variable in source[name].attributes.items()
                if key.startswith(("DEPEND_", "LABL_PTR"))
            }
    clock = next(name for name in depends if name in source and source[name].type.name.startswith("CDF_"))
    clock = "Epoch" if "Epoch" in source else clock
    times = pycdfpp.to_datetime64(source[clock]).reshape(-1)
    first, last = np.searchsorted(times, [np.datetime64(start, "ns"), np.datetime64(stop, "ns")])
    if first == last:
        return None
    made = pycdfpp.CDF()
    for name, attribute in source.attributes.items():
        made.add_attribute(name, list(attribute))
    # the service dates its files, so that no two files are the same
    made.add_attribute("Generation_number", [str(making)])
    made.add_variable(
        clock,
        values=np.ascontiguousarray(times[first:last]),
        data_type=source[clock].type,
        attributes={"VAR_TYPE": ["support_data"], "FIELDNAM": ["Epoch"]},
    )
    for name in (*sorted(depends - {clock}), *names):
        if name in source:
            variable = source[name]
            values = variable.values if variable.is_nrv else np.ascontiguousarray(variable.values[first:last])
            attributes = {
                key: a.value if isinstance(a.value, str | list) else [a.value]
                for key, a in variable.attributes.items()
            }
            made.add_variable(
                name, values=values, data_type=variable.type, is_nrv=variable.is_nrv, attributes=attributes
            )
        elif (dataset_id, name) in computed:
            recipe = computed[dataset_id, name]
            values = np.ascontiguousarray(recipe.compute(source)[first:last])
            made.add_variable(
                name, values=values, attributes={"DEPEND_0": clock, "VAR_TYPE": "data"} | recipe.attributes
            )
    return bytes(pycdfpp.save(made))


CdaWebStandIn.handler = _CdaWebHandler
