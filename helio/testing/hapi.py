"""Test server that stands in for a HAPI server of version 2.0 or 3 on loopback, with invented datasets or recorded
replies.

It follows the specification, https://github.com/hapi-server/data-specification; the client of the HAPI group reads
from it unchanged.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from helio.testing.standin import Fault, Handler, StandIn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MESSAGES = {
    1200: "OK",
    1201: "OK - no data for time range",
    1400: "Bad request - user input error",
    1401: "Bad request - unknown API parameter name",
    1402: "Bad request - syntax error in start time",
    1403: "Bad request - syntax error in stop time",
    1404: "Bad request - start equal to or after stop",
    1405: "Bad request - start < startDate and/or stop > stopDate",
    1406: "Bad request - unknown dataset id",
    1407: "Bad request - unknown dataset parameter",
    1408: "Bad request - too much time or data requested",
    1409: "Bad request - unsupported output format",
    1410: "Bad request - unsupported include value",
    1411: "Bad request - out-of-order or duplicate parameters",
    1412: "Bad request - unsupported resolve_references value",
    1413: "Bad request - unsupported depth value",
    1500: "Internal server error",
    1501: "Internal server error - upstream request error",
}
REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 500: "Internal Server Error"}
_KINDS = {"double": "<f8", "integer": "<i4"}


@dataclass
class Dataset:
    """Dataset that the test server serves, with its records.

    Parameters
    ----------
    about : dict
        Keys and values of ``info`` other than the parameters and the time span.
    parameters : list of dict
        Parameters as in ``info``, the time first.
    records : structured array
        One field for each parameter, with its name; the time as bytes.
    epoch : datetime64[ns]
        Epoch of each record.
    """

    id: str
    parameters: list[dict[str, Any]]
    records: npt.NDArray[Any]
    epoch: npt.NDArray[np.datetime64]
    start: str
    stop: str
    about: dict[str, Any] = field(default_factory=dict)

    def info(self, names: Iterable[str] | None = None) -> dict[str, Any]:
        """Return the ``info`` reply with all parameters, or only with the named ones."""
        chosen = [
            parameter
            for index, parameter in enumerate(self.parameters)
            if names is None or index == 0 or parameter["name"] in names
        ]
        return {**self.about, "startDate": self.start, "stopDate": self.stop, "parameters": chosen}

    def body(self, names: list[str], start: np.datetime64, stop: np.datetime64, form: str) -> bytes:
        """Return the records of [start, stop) as bytes in one of HAPI's formats."""
        import numpy as np

        rows = self.records[(self.epoch >= start) & (self.epoch < stop)][names]
        if form == "binary":
            packed = np.empty(rows.size, np.dtype([(name, rows.dtype[name]) for name in names]))
            for name in names:
                packed[name] = rows[name]
            return packed.tobytes()
        lines = []
        for row in rows:
            cells: list[str] = []
            for name in names:
                cells += [_cell(cell) for cell in np.ravel(row[name])]
            lines.append(",".join(cells) + "\n")
        return "".join(lines).encode()


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        text = value.decode().rstrip("\0")
        return f'"{text}"' if "," in text else text
    return "NaN" if value != value else repr(value.item())


def dataset(
    name: str,
    parameters: list[dict[str, Any]],
    times: Iterable[str],
    values: Mapping[str, npt.ArrayLike],
    *,
    start: str = "",
    stop: str = "",
    **about: Any,
) -> Dataset:
    """Make a dataset from times (as texts) and the values of each parameter."""
    import numpy as np

    texts = np.array([time.encode() for time in times])
    every = [
        {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": texts.dtype.itemsize},
        *parameters,
    ]
    layout = [
        (
            parameter["name"],
            _KINDS.get(parameter["type"], f"S{parameter.get('length', 1)}"),
            tuple(parameter.get("size", ())),
        )
        for parameter in every
    ]
    records = np.zeros(texts.size, np.dtype(layout))
    records["Time"] = texts
    for key, array in values.items():
        records[key] = array
    epoch = np.array([np.datetime64(_moment(text.decode()), "ns") for text in texts.tolist()], "M8[ns]")
    return Dataset(
        name,
        every,
        records,
        epoch,
        start or _written(epoch[0]),
        stop or _written(epoch[-1] + np.timedelta64(1, "s")),
        about,
    )


def recorded(folder: Path) -> Dataset:
    """Load a dataset from recorded replies: ``info.json``, and one binary body whose name gives its parameters
    and time span.
    """
    import numpy as np

    info = json.loads((folder / "info.json").read_text())
    [path] = folder.glob("*.bin")
    names = path.stem.removeprefix(f"{folder.name}_").rsplit("_", 2)[0].split("-")
    every = {parameter["name"]: parameter for parameter in info["parameters"]}
    # a recorded reply may have fewer parameters than `info`; names may contain the dash that joins them
    chosen = [info["parameters"][0]] + [every[name] for name in _joined(names, every)]
    layout = [
        (
            parameter["name"],
            _KINDS.get(parameter["type"], f"S{parameter.get('length', 1)}"),
            tuple(parameter.get("size", ())),
        )
        for parameter in chosen
    ]
    records = np.frombuffer(path.read_bytes(), np.dtype(layout))
    epoch = np.array(
        [np.datetime64(_moment(time.decode()), "ns") for time in records["Time"].tolist()], "M8[ns]"
    )
    about = {key: info[key] for key in ("contact", "resourceURL") if key in info}
    return Dataset(folder.name, chosen, records, epoch, info["startDate"], info["stopDate"], about)


def _joined(words: list[str], known: Mapping[str, Any]) -> list[str]:
    joined: list[str] = []
    while words:
        size = next(size for size in range(len(words), 0, -1) if "-".join(words[:size]) in known)
        joined.append("-".join(words[:size]))
        words = words[size:]
    return joined


class HapiStandIn(StandIn):
    """Test server that stands in for a HAPI server and serves datasets below ``/hapi``.

    Parameters
    ----------
    version : str
        ``"2.0"`` expects ``id``, ``time.min`` and ``time.max``, and has no time-varying bins.
    formats : tuple of str
    most : timedelta, optional
        Longest interval; a longer one is refused with 1408.

    Attributes
    ----------
    before_data, after_data : callable
        Called with the query of each data request, before and after its records are read.
    unframed : str
        ``"HTTP/1.0"`` or ``"HTTP/1.1"``: data are sent without their length, and end with the connection.
    gzip : bool
        Whether data are sent compressed.
    refuses : callable
        Function that says, from the query of a data request, whether to refuse the request with HAPI status 1409.
    kinds : dict of str to str
        The content type of each format.
    http_status : int
        The HTTP status of replies with records.
    """

    def __init__(
        self,
        datasets: Iterable[Dataset],
        *,
        version: str = "3.2",
        formats: tuple[str, ...] = ("csv", "binary"),
        most: timedelta | None = None,
        empty: int = 1201,
    ) -> None:
        self.datasets = {served.id: served for served in datasets}
        self.version = version
        self.formats = formats
        self.most = most
        self.empty = empty
        self.before_data: Callable[[dict[str, str]], None] = lambda query: None
        self.after_data: Callable[[dict[str, str]], None] = lambda query: None
        self.unframed = ""
        self.gzip = False
        self.refuses: Callable[[dict[str, str]], bool] = lambda query: False
        self.kinds = {"csv": "text/csv", "binary": "application/octet-stream"}
        self.http_status = 200
        super().__init__()
        self.url += "/hapi"


class _StatusError(Exception):
    """Error for a request that the server must answer with a HAPI error status."""


class _HapiHandler(Handler):
    standin: HapiStandIn

    def go_wrong(self, fault: Fault) -> bool:
        if fault.kind == "200":
            self._send({"status": _status(int(fault.number))})
        elif fault.kind == "reason":
            code = int(fault.number)
            self.answer(_http_status(code), b"", "text/plain", reason=_reason(code))
        elif fault.kind == "page 404":
            self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
        elif fault.kind.isdigit() and len(fault.kind) == 4:
            self._refuse(int(fault.kind))
        elif fault.kind.isdigit() and fault.kind != "429":
            self.answer(int(fault.kind), b"", "text/plain")
        elif fault.kind == "empty":
            self.answer(200, b"", "application/octet-stream")
        else:
            return super().go_wrong(fault)
        return True

    # Answering

    def route(self) -> None:
        query = self.request_made.query
        endpoint = urlsplit(self.path).path.removeprefix("/hapi/")
        try:
            if endpoint == "capabilities":
                self._only(query, ())
                self._send({"outputFormats": list(self.standin.formats), **self._ok()})
            elif endpoint == "about" and self.standin.version[0] == "3":
                about = {"id": "STANDIN", "title": "Stand-in of tests", "contact": "nobody"}
                self._send(about | self._ok())
            elif endpoint == "catalog":
                self._only(query, ())
                self._send(
                    {"catalog": [{"id": dataset_id} for dataset_id in self.standin.datasets], **self._ok()}
                )
            elif endpoint == "info":
                self._info(query)
            elif endpoint == "data":
                self._data(query)
            else:
                self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
        except _StatusError as refused:
            self._refuse(refused.args[0])

    def _info(self, query: dict[str, str]) -> None:
        dataset, *_ = self._words()
        self._only(query, (dataset, "parameters", "resolve_references"))
        served = self._dataset(query)
        names = self._parameters(served, query) if query.get("parameters") else None
        self._send(served.info(names) | self._ok())

    def _data(self, query: dict[str, str]) -> None:
        import numpy as np

        dataset, start_word, stop_word = self._words()
        self._only(query, (dataset, start_word, stop_word, "parameters", "format", "include"))
        self.standin.before_data(query)
        served = self._dataset(query)
        names = self._parameters(served, query)
        start = self._time(query.get(start_word, ""), 1402)
        stop = self._time(query.get(stop_word, ""), 1403)
        form = query.get("format", "csv")
        if form not in self.standin.formats or self.standin.refuses(query):
            raise _StatusError(1409)
        if query.get("include", "header") != "header":
            raise _StatusError(1410)
        if start >= stop:
            raise _StatusError(1404)
        if start < _moment(served.start) or stop > _moment(served.stop):
            raise _StatusError(1405)
        if self.standin.most is not None and stop - start > self.standin.most:
            raise _StatusError(1408)
        body = served.body(names, np.datetime64(start, "ns"), np.datetime64(stop, "ns"), form)
        kind = self.standin.kinds[form]
        code = 1200 if body else self.standin.empty
        if "include" in query:
            header = json.dumps({**served.info(names), **self._ok(code), "format": form})
            body = f"#{header}\n".encode() + body
        self.standin.after_data(query)
        self.unframed = self.standin.unframed
        if self.standin.gzip:
            body = gzip.compress(body)
        self.answer(
            self.standin.http_status,
            body,
            kind,
            {"Content-Encoding": "gzip"} if self.standin.gzip else None,
            reason=_reason(code),
        )

    def _words(self) -> tuple[str, str, str]:
        return (
            ("id", "time.min", "time.max") if self.standin.version[0] == "2" else ("dataset", "start", "stop")
        )

    @staticmethod
    def _only(query: dict[str, str], known: tuple[str, ...]) -> None:
        if set(query) - set(known):
            raise _StatusError(1401)

    def _dataset(self, query: dict[str, str]) -> Dataset:
        served = self.standin.datasets.get(query.get(self._words()[0], ""))
        if served is None:
            raise _StatusError(1406)
        return served

    @staticmethod
    def _parameters(served: Dataset, query: dict[str, str]) -> list[str]:
        every = [parameter["name"] for parameter in served.parameters]
        names = query["parameters"].split(",") if query.get("parameters") else every
        if set(names) - set(every):
            raise _StatusError(1407)
        if names != [name for name in every if name in names]:
            raise _StatusError(1411)
        return names if names[0] == every[0] else [every[0], *names]

    @staticmethod
    def _time(text: str, code: int) -> datetime:
        try:
            return _moment(text)
        except ValueError as error:
            raise _StatusError(code) from error

    def _ok(self, code: int = 1200) -> dict[str, Any]:
        return {"HAPI": self.standin.version, "status": _status(code)}

    def _refuse(self, code: int) -> None:
        body = json.dumps({"HAPI": self.standin.version, "status": _status(code)}).encode()
        self.answer(_http_status(code), body, "application/json", reason=_reason(code))

    def _send(self, content: dict[str, Any]) -> None:
        body = json.dumps({"HAPI": self.standin.version, **content}).encode()
        self.answer(200, body, "application/json")


def _status(code: int) -> dict[str, Any]:
    return {"code": code, "message": MESSAGES.get(code, "")}


def _http_status(code: int) -> int:
    return 404 if code in (1406, 1407) else 200 if code < 1300 else 400 if code < 1500 else 500


def _reason(code: int) -> str:
    return f"{REASONS[_http_status(code)]}; HAPI {code} {MESSAGES.get(code, '')}"


def _moment(text: str) -> datetime:
    """Read a HAPI time from a request or a record: complete or shortened, with month and day or with the day of
    the year.
    """
    text = text.removesuffix("Z")
    date, _, clock = text.partition("T")
    words = date.split("-")
    if not text or not all(word.isdigit() for word in words):
        raise ValueError(text)
    if len(words) == 2 and len(words[1]) == 3:
        day = datetime(int(words[0]), 1, 1) + timedelta(days=int(words[1]) - 1)
    else:
        year, month, day_of_month = (int(word) for word in (*words, "1", "1")[:3])
        day = datetime(year, month, day_of_month)
    hour, minute, second = (
        float(word) for word in (*[part for part in clock.split(":") if part], "0", "0", "0")[:3]
    )
    return day + timedelta(hours=hour, minutes=minute, seconds=second)


def _written(moment: np.datetime64) -> str:
    import numpy as np

    return f"{np.datetime_as_string(moment, unit='ms')}Z"


HapiStandIn.handler = _HapiHandler
