"""Test server that stands in for services.swpc.noaa.gov on loopback, with synthetic JSON data in the formats of the
service.

Rows of texts with the names of their columns first: https://services.swpc.noaa.gov/products/solar-wind/; objects:
https://services.swpc.noaa.gov/json/goes/primary/. It has the faults of `Handler` and two more: "half" truncates the
JSON, "renamed" renames a column.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from email.utils import formatdate
from typing import Any

from helio.testing.standin import Fault, Handler, StandIn

MAG = "/products/solar-wind/mag-7-day.json"
PLASMA = "/products/solar-wind/plasma-7-day.json"
XRAYS = "/json/goes/primary/xrays-7-day.json"


class SwpcStandIn(StandIn):
    """Test server for SWPC with seven days of synthetic records up to the minute `newest`, which a test can change."""

    def __init__(self, newest: datetime, *, days: float = 7, cadence: float = 60.0) -> None:
        self.newest = newest
        self.window = timedelta(days=days)
        self.cadence = timedelta(seconds=cadence)
        self.change: Callable[[str, list[Any]], list[Any]] = lambda path, records: records
        """Function that a test sets to change the records of a reply."""
        super().__init__()

    def epochs(self) -> list[datetime]:
        """Return the epochs of the records, at whole multiples of the cadence since 2000."""
        number = int((self.newest - datetime(2000, 1, 1)) / self.cadence)
        last = datetime(2000, 1, 1) + number * self.cadence
        return [last - i * self.cadence for i in range(int(self.window / self.cadence) - 1, -1, -1)]

    def reply(self, path: str) -> list[Any] | None:
        """Return the reply of the service for a path."""
        if path == MAG:
            rows: list[Any] = [["time_tag", "bx_gsm", "by_gsm", "bz_gsm", "lon_gsm", "lat_gsm", "bt"]]
            rows += [[_tag(epoch), *_field(epoch)] for epoch in self.epochs()]
        elif path == PLASMA:
            rows = [["time_tag", "density", "speed", "temperature"]]
            rows += [[_tag(epoch), *_plasma(epoch)] for epoch in self.epochs()]
        elif path == XRAYS:
            rows = [record for epoch in self.epochs() for record in _xrays(epoch)]
        else:
            return None
        return self.change(path, rows)


class _SwpcHandler(Handler):
    standin: SwpcStandIn

    def go_wrong(self, fault: Fault) -> bool:
        if fault.kind not in ("half", "renamed"):
            return super().go_wrong(fault)
        body = json.dumps(self.standin.reply(self.path)).encode()
        body = body[: len(body) // 2] if fault.kind == "half" else body.replace(b"time_tag", b"timestamp")
        self.answer(200, body, "application/json")
        return True

    def route(self) -> None:
        reply = self.standin.reply(self.path)
        if reply is None:
            return self.answer(404, b"<html><body>Not Found</body></html>", "text/html")
        body = json.dumps(reply).encode()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        seconds = (self.standin.newest - datetime(1970, 1, 1)).total_seconds()
        named = {"ETag": etag, "Last-Modified": formatdate(seconds, usegmt=True)}
        if self.headers.get("If-None-Match") == etag:
            return self.answer(304, b"", "application/json", named)
        return self.answer(200, body, "application/json", named)


def _tag(epoch: datetime) -> str:
    return epoch.isoformat(" ", "milliseconds")


def _number(epoch: datetime) -> int:
    return int((epoch - datetime(2000, 1, 1)).total_seconds() // 60)


def _field(epoch: datetime) -> list[str | None]:
    # two hours of every day are missing
    if epoch.hour in (3, 4):
        return [None] * 6
    i = _number(epoch)
    bx, by, bz = (i % 100) / 10 - 5, (i % 70) / 10 - 3.5, (i % 50) / 10 - 2.5
    bt = (bx**2 + by**2 + bz**2) ** 0.5
    return [f"{value:.2f}" for value in (bx, by, bz, i % 360, (i % 180) - 90, bt)]


def _plasma(epoch: datetime) -> list[str | None]:
    i = _number(epoch)
    return [None if epoch.hour == 3 else f"{2 + i % 9}.50", f"{350 + i % 300}.1", f"{50_000 + i % 90_000}"]


def _xrays(epoch: datetime) -> list[dict[str, Any]]:
    i = _number(epoch)
    return [
        {
            "time_tag": f"{epoch:%Y-%m-%dT%H:%M:%SZ}",
            "satellite": 18,
            "flux": flux,
            "observed_flux": flux,
            "electron_correction": 0.0,
            "electron_contaminaton": False,
            "energy": energy,
        }
        for energy, flux in (("0.05-0.4nm", 1e-9 * (1 + i % 7)), ("0.1-0.8nm", 1e-7 * (1 + i % 7)))
    ]


SwpcStandIn.handler = _SwpcHandler
