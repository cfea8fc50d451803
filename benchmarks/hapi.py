"""How fast a HAPI reply becomes a table, binary and CSV, against pandas and hapiclient in the same run.

    python benchmarks/hapi.py

A day of seconds, of three and of 32 numbers each. Wall times are medians of interleaved repeats, CPU times minima: read
the ratios. What a fetch over HTTP costs beside the decoding is measured from a server on loopback, cold and with all of
it kept; the CPU time of the server, a thread of this process, counts for all.
"""

from __future__ import annotations

import io
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd

from helio.sources.file_digests import FileDigests
from helio.sources.hapi_data import read_records
from helio.sources.hapi_info import HapiParameter
from helio.sources.providers.hapi import Hapi
from helio.time_range import TimeRange

RECORDS = 86_400
DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


Taken = dict[str, list[tuple[float, float]]]


def measure(taken: Taken, name: str, action: Callable[[], object]) -> None:
    """Add the milliseconds of wall and CPU time that an action takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    milliseconds = ((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)
    taken.setdefault(name, []).append(milliseconds)


def report(taken: Taken, against: str) -> None:
    columns = {name: list(zip(*times, strict=True)) for name, times in taken.items()}
    facts = {name: (statistics.median(wall), min(cpu)) for name, (wall, cpu) in columns.items()}
    for name, (wall, cpu) in facts.items():
        ratios = f"{wall / facts[against][0]:5.2f} × and {cpu / facts[against][1]:5.2f} ×"
        print(f"  {name:26} {wall:8.1f} ms {cpu:8.1f} ms CPU   {ratios} {against}")


def bodies(columns: int) -> tuple[bytes, bytes]:
    """The same records, binary and CSV."""
    epoch = np.datetime64("2024-05-10", "ms") + np.arange(RECORDS) * 1000
    array = np.zeros(RECORDS, [("t", "S24"), ("v", "<f8", (columns,))])
    array["t"] = np.char.add(epoch.astype(str), "Z").astype("S24")
    array["v"] = np.random.default_rng(1).normal(size=(RECORDS, columns)).round(4)
    lines = (",".join([row["t"].decode(), *(f"{one:.4f}" for one in row["v"])]) for row in array)
    return array.tobytes(), ("\n".join(lines) + "\n").encode()


def by_pandas(text: bytes) -> pd.DataFrame:
    frame = pd.read_csv(io.BytesIO(text), header=None)
    frame.index = pd.to_datetime(frame.pop(0))
    return frame


def decoding(columns: int, repeats: int = 7) -> None:
    binary, text = bodies(columns)
    wanted = [
        HapiParameter("Time", "isotime", length=24),
        HapiParameter("V", "double", (columns,), fill="-1e31"),
    ]
    ways: dict[str, Callable[[], object]] = {
        "helio, binary": lambda: read_records(binary, "binary", wanted),
        "helio, CSV": lambda: read_records(text, "csv", wanted),
        "pandas.read_csv": lambda: by_pandas(text),
    }
    taken: Taken = {}
    for _ in range(repeats):
        for name, way in ways.items():
            measure(taken, name, way)
    print(
        f"{RECORDS} records of {columns} numbers: {len(binary) / 1e6:.1f} MB binary, {len(text) / 1e6:.1f} MB CSV"
    )
    report(taken, "pandas.read_csv")


class Served(BaseHTTPRequestHandler):
    """A HAPI server of one dataset."""

    protocol_version = "HTTP/1.1"
    wbufsize = 1024**2
    body = b""
    info = b""

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        endpoint = urlsplit(self.path).path.rpartition("/")[2]
        said = {
            "capabilities": b'{"HAPI": "3.2", "status": {"code": 1200, "message": "OK"}, '
            b'"outputFormats": ["csv", "binary"]}',
            "catalog": b'{"HAPI": "3.2", "status": {"code": 1200, "message": "OK"}, "catalog": [{"id": "ONE"}]}',
            "info": self.info,
            "data": self.body,
        }[endpoint]
        if endpoint == "data":
            width = len(said) // RECORDS
            query = parse_qs(urlsplit(self.path).query)
            first, last = (_second(query[word][0]) * width for word in ("start", "stop"))
            said = said[first:last]
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


def _second(text: str) -> int:
    return int((np.datetime64(text.rstrip("Z")) - np.datetime64("2024-05-10")) / np.timedelta64(1, "s"))


def fetching(repeats: int = 15) -> None:
    binary, _ = bodies(3)
    Served.body = binary
    Served.info = json.dumps({
        "HAPI": "3.2", "status": {"code": 1200, "message": "OK"}, "cadence": "PT1S",
        "startDate": "2024-05-10Z", "stopDate": "2024-05-11Z",
        "parameters": [
            {"name": "Time", "type": "isotime", "units": "UTC", "fill": None, "length": 24},
            {"name": "V", "type": "double", "units": "nT", "fill": "-1e31", "size": [3]},
        ],
    }).encode()  # fmt: skip
    server = ThreadingHTTPServer(("127.0.0.1", 0), Served)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/hapi"
    theirs = _hapiclient()
    taken: Taken = {}
    span = ("2024-05-10T00:00:00Z", "2024-05-11T00:00:00Z")
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("helio, cold", "helio, kept, first", "helio, kept"):
                provider = Hapi(Path(folder), url=url, digests=FileDigests(Path(folder, "digests")))
                measure(taken, name, partial(provider.fetch, "ONE", ["V"], DAY))
                provider.close()
            if theirs is not None:
                ask = partial(theirs, url, "ONE", "V", *span, cachedir=f"{folder}/theirs")
                measure(taken, "hapiclient, keeps nothing", partial(ask, cache=False, usecache=False))
                measure(taken, "hapiclient, cold", partial(ask, cache=True, usecache=False))
                measure(taken, "hapiclient, kept", partial(ask, cache=True, usecache=True))
    server.shutdown()
    server.server_close()
    print(
        "a day of seconds of three numbers over HTTP on loopback; hapiclient leaves times as texts, checks no digest"
    )
    report(taken, "helio, kept" if theirs is None else "hapiclient, cold")


def _hapiclient() -> Callable[..., object] | None:
    try:
        from hapiclient import hapi
    except ImportError:
        print("hapiclient is not installed, and is left out", file=sys.stderr)
        return None
    return hapi  # type: ignore[no-any-return]


if __name__ == "__main__":
    for columns in (3, 32):
        decoding(columns)
    fetching()
