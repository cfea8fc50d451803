"""What a faulty server costs with the limits that helio has by default: how it ends, time, memory and bytes.

    python benchmarks/faulty_server.py [WORDS]

Each case is a process of its own against a server on loopback, real HTTP and real waits: the slow ones take a minute
or two. WORDS chooses cases by their names. Memory is what the process had at most above what it had before it asked.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import chain, repeat
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the tests' server

from helio.testing.faulty import (
    JSON,
    OK,
    Answer,
    FaultyServer,
    bomb,
    drip,
    endless,
    redirect,
    unending_json,
    whole,
)

GZIP = b"Content-Encoding: gzip\r\n"
MANY = 1_000_000

CASES: dict[str, tuple[str, Callable[[str], Answer]]] = {
    "a listing at 1 byte/s": ("json", lambda _: chain([JSON + b"\r\n"], drip(b"1" * MANY, 1))),
    "headers at 1 byte/s": ("json", lambda _: chain([OK], drip(b"A: " + b"b" * MANY, 1))),
    "interim answers at 1/s": ("json", lambda _: drip(b"HTTP/1.1 102 Wait\r\n\r\n" * MANY, 1, 21)),
    "interim answers without end": ("json", lambda _: endless(b"HTTP/1.1 102 Wait\r\n\r\n")),
    "a file at 64 byte/s": ("file", lambda _: chain([OK + b"\r\n"], drip(b"1" * MANY, 0.25, 16))),
    "JSON without end": ("json", lambda _: unending_json()),
    "chunks without end": (
        "bytes",
        lambda _: chain(
            [OK + b"Transfer-Encoding: chunked\r\n\r\n"], repeat(b"1000\r\n" + b"a" * 4096 + b"\r\n")
        ),
    ),
    "a gzip bomb of 2 GiB": ("json", lambda _: whole(bomb("gzip", 2048), headers=GZIP)),
    "a gzip bomb in place of an error's text": (
        "json",
        lambda _: whole(bomb("gzip", 2048), headers=GZIP, head=b"HTTP/1.1 403 No\r\n"),
    ),
    "a gzip bomb in place of records": (
        "records",
        lambda _: whole(bomb("gzip", 2048), headers=GZIP, head=OK),
    ),
    "a file of 31 kB without end": ("file", lambda _: chain([OK + b"\r\n"], endless(b"file"))),
    "a redirect to another port": ("json", lambda _: redirect("http://127.0.0.1:1/")),
    "a redirect with a body without end": (
        "json",
        lambda text: (
            chain([b"HTTP/1.1 302 Found\r\nLocation: /again\r\n\r\n"], endless(b"moved"))
            if "/a " in text
            else whole(b"[]")
        ),
    ),
    "JSON of 10 million levels": ("json", lambda _: whole(b"[" * 10**7 + b"]" * 10**7)),
    "JSON of 900 levels": ("json", lambda _: whole(b"[" * 900 + b"]" * 900)),
    "JSON of 20 million lists": ("json", lambda _: whole(b"[" + b"[]," * (2 * 10**7) + b"1]")),
    "JSON of the largest size": ("json", lambda _: whole(b'["' + b"a" * 63_000_000 + b'"]')),
    "JSON of the most values": ("json", lambda _: whole(b"[" + b'{"a":1},' * 1_990_000 + b"1]")),
    "a number of a million digits": ("json", lambda _: whole(b"[" + b"1" * MANY + b"]")),
}

ASK = """
import json, resource, sys, tempfile, time
from datetime import datetime
from pathlib import Path
import httpx2, httpcore2, h11
from helio.errors import HelioError
from helio.sources.downloads import Downloads, FileRequest
from helio.sources.providers.hapi import Hapi
from helio.sources.http import Http
from helio.time_range import TimeRange
url, kind, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
http = Http().at(url, by_user=True)
DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, begun = peak(), time.monotonic()
try:
    match kind:
        case "json": http.get_json(url + "/a")
        case "bytes": http.get(url + "/a")
        case "file": Downloads(folder, http).get([FileRequest(url + "/a", 31_000)])
        case "records": Hapi(folder, http, url=url + "/hapi").fetch("A", ["B"], DAY)
    ended = ["", "it is taken"]
except HelioError as error:
    ended = [type(error).__name__, error.message]
print(json.dumps([*ended, time.monotonic() - begun, peak() - before]))
"""

INFO = {
    "HAPI": "3.2",
    "status": {"code": 1200, "message": "OK"},
    "startDate": "2021-01-01Z",
    "stopDate": "2022-01-01Z",
    "cadence": "PT1H",
    "parameters": [
        {"name": "Time", "type": "isotime", "length": 24, "units": "UTC", "fill": None},
        {"name": "B", "type": "double", "units": "nT", "fill": None},
    ],
}


def main() -> None:
    words = " ".join(sys.argv[1:])
    print(f"{'case':40} {'ends as':15} {'asked':>5} {'seconds':>8} {'MiB':>6} {'MB sent':>8}")
    for name, (kind, answer) in CASES.items():
        if words not in name:
            continue
        answers = dict.fromkeys(("/a", "/hapi/data"), answer) | {
            "/again": whole(b"[]"),
            "/hapi/info": whole(json.dumps(INFO).encode()),
            "/hapi/capabilities": whole(b'{"HAPI": "3.2", "outputFormats": ["csv"]}'),
        }  # fmt: skip
        answer("GET /a HTTP/1.1")  # a bomb takes longer to make than to refuse
        with FaultyServer(answers) as server, tempfile.TemporaryDirectory() as folder:
            time.sleep(0.1)
            asked = [sys.executable, "-c", ASK, server.url, kind, folder]
            done = subprocess.run(asked, capture_output=True, text=True, check=True)
            ended, message, seconds, memory = json.loads(done.stdout)
            requests = sum("/a" in text or "/hapi/data" in text for text in server.requests)
            sent = sum(server.sent) / 1e6
        print(f"{name:40} {ended:15} {requests:5} {seconds:8.1f} {memory:6.0f} {sent:8.2f}", flush=True)
        print(f"    {message[:150]}", flush=True)


if __name__ == "__main__":
    main()
