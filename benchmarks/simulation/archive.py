"""The archive of a simulated service: CDFs over HTTP on loopback, and CSV files in folders."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.simulation.script import FIRST, Content, Publication, Script, is_folder, is_hapi
from helio.steps.export.about import about
from helio.steps.export.write_cdf import write_cdf
from helio.store.table import Table
from helio.testing.cdaweb import DATA, CdaWebStandIn
from helio.testing.hapi import HapiStandIn
from helio.testing.hapi import dataset as hapi_dataset
from helio.testing.loopback import OwnedServer
from helio.testing.standin import Fault, Handler, StandIn

DAMAGE = b"time,B [nT]\n2024-03-01T00:00:00Z,\x00\x01\xff\xfe"


def dataset(pipeline: int) -> str:
    """Return the dataset of a pipeline."""
    return f"SIM_H0_P{pipeline:02}"


class Weather(StandIn):
    """Stand-in whose faults last as long as `weather` says, and which can be down."""

    of_data: str
    """Text in the paths of requests for data."""

    def __init__(self, skip: Callable[[float], None], *arguments: Any) -> None:
        self.weather: dict[str, str] = {}
        """Fault of each dataset, by its name in small letters."""
        self.victims: dict[str, Callable[[], None]] = {}
        """What to do at the next request for a dataset, before it is answered."""
        self._skip = skip
        super().__init__(*arguments)

    def fault_for(self, path: str) -> Fault | None:
        known = path.lower()
        for name in list(self.victims):
            if name in known:
                self.victims.pop(name)()
        for name, kind in self.weather.items():
            if name not in known:
                continue
            if kind == "cut":
                return Fault("reset midway") if self.of_data in known else None
            if kind == "500":
                return Fault("500")
            if kind == "time-out":
                return Fault("late")
        return super().fault_for(path)

    def down(self) -> None:
        """Stop to listen."""
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def up(self) -> None:
        """Listen again at the same address."""
        handler = self.server.RequestHandlerClass
        self.server = OwnedServer(("127.0.0.1", self.port), handler)
        self.server.owner = self
        self._thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def stall(self) -> None:
        """Let the clock of the clients pass all their limits."""
        self._skip(700.0)


class _LateHandler(Handler):
    def go_wrong(self, fault: Fault) -> bool:
        """Add the fault ``"late"``: half an answer, and the other half after all limits of time."""
        if fault.kind != "late":
            return bool(super().go_wrong(fault))
        body = b"[" + b" " * 1000 + b"]"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:10])
        self.wfile.flush()
        self.standin.over.wait(0.02)
        self.standin.stall()
        try:
            self.wfile.write(body[10:])
            self.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.close_connection = True
        return True


class Server(Weather, CdaWebStandIn):
    """Stand-in for CDAWeb."""

    of_data = DATA

    def __init__(self, folder: Path, skip: Callable[[float], None]) -> None:
        self.lengths: dict[str, int] = {}
        """Sizes to list for files, by name, where they are not those of the files."""
        super().__init__(skip, folder)

    def described(self, file: Any, host: str) -> dict[str, Any]:
        return {**super().described(file, host), **self._length(file.path.name)}

    def _length(self, name: str) -> dict[str, int]:
        return {"Length": self.lengths[name]} if name in self.lengths else {}


class HapiServer(Weather, HapiStandIn):
    """Stand-in for a HAPI server."""

    of_data = "/hapi/data"


class _CdaWebHandler(_LateHandler, CdaWebStandIn.handler):  # type: ignore[misc, name-defined]
    pass


class _HapiHandler(_LateHandler, HapiStandIn.handler):  # type: ignore[misc, name-defined]
    pass


Server.handler = _CdaWebHandler
HapiServer.handler = _HapiHandler


class Archive:
    """The server and the folders, which follow a script."""

    def __init__(self, place: Path, script: Script, skip: Callable[[float], None]) -> None:
        self.script = script
        self._place = place
        self._left = list(script.publications)
        self._is_down = False
        (place / "served").mkdir(parents=True)
        before = FIRST - timedelta(days=1)
        for pipeline in range(script.pipelines):
            if is_folder(pipeline):
                self.folder(pipeline).mkdir()
                self._write(pipeline, before, Content())
            elif not is_hapi(pipeline):
                (place / "served" / self._name(pipeline, before, Content())).write_bytes(
                    self._cdf(pipeline, before, Content())
                )
        self.server = Server(place / "served", skip)
        self.hapi = HapiServer(skip, ())
        for pipeline in filter(is_hapi, range(script.pipelines)):
            self._serve(pipeline, before)

    def folder(self, pipeline: int) -> Path:
        """Return the folder of a pipeline that reads no server."""
        return self._place / f"folder-{pipeline:02}"

    def close(self) -> None:
        """Stop the servers."""
        self.server.close()
        self.hapi.close()

    def go_to(self, now: datetime) -> None:
        """Publish what the script publishes until now, and fail as it says."""
        while self._left and self._left[0].at <= now:
            self.publish(self._left.pop(0))
        faults = {
            dataset(pipeline).lower(): kind
            for (pipeline, moment), kind in self.script.weather.items()
            if moment == now
        }
        is_down = "down" in faults.values()
        for server in (self.server, self.hapi):
            server.weather = {} if is_down else faults
            if is_down != self._is_down:
                (server.down if is_down else server.up)()
        self._is_down = is_down

    def publish(self, publication: Publication) -> None:
        """Publish a file, or replace it."""
        pipeline, day, content = publication.pipeline, publication.day, publication.content
        if is_folder(pipeline):
            self._write(pipeline, day, content, publication.at)
            return
        if is_hapi(pipeline):
            self._serve(pipeline, day, publication.at)
            return
        name = self._name(pipeline, day, content)
        path = self._place / "served" / name
        sound = self._cdf(pipeline, day, content)
        path.write_bytes(sound)
        self.server.lengths.pop(name, None)
        self.server.publish(path, publication.at.replace(tzinfo=UTC).timestamp())
        if content.state == "damaged":
            path.write_bytes(sound[:8] + bytes(len(sound) - 8))
        elif content.state == "wrong size":
            self.server.lengths[name] = len(sound) + 100

    def _write(self, pipeline: int, day: date, content: Content, at: datetime | None = None) -> None:
        values = self.script.values(pipeline, day, content)
        lines = [f"{day}T{hour:02}:00:00Z,{value!r}" for hour, value in enumerate(values)]
        text = "\n".join(["time,B [nT]", *lines]) + "\n"
        path = self.folder(pipeline) / f"{dataset(pipeline).lower()}_{day:%Y%m%d}_v{content.version:02}.csv"
        path.write_bytes(DAMAGE if content.state == "damaged" else text.encode())
        if at is not None:
            os.utime(path, times=2 * (at.replace(tzinfo=UTC).timestamp(),))

    def _serve(self, pipeline: int, newest: date, at: datetime | None = None) -> None:
        """Let the HAPI server have all days of a pipeline that are published until a time."""
        days = {FIRST - timedelta(days=1): Content()}
        if at is not None:
            found = {day: self.script.content(pipeline, day, at) for day in self.script.data_days}
            days |= {day: content for day, content in found.items() if content is not None}
        hours = [
            (datetime.combine(day, datetime.min.time()) + timedelta(hours=hour), value)
            for day, content in sorted(days.items())
            for hour, value in enumerate(self.script.values(pipeline, day, content))
        ]
        served = hapi_dataset(
            dataset(pipeline),
            [{"name": "B", "type": "double", "units": "nT", "fill": "-1e31", "description": "Field"}],
            [f"{moment.isoformat()}Z" for moment, _ in hours],
            {"B": [value for _, value in hours]},
            stop=f"{(hours[-1][0] + timedelta(hours=1)).isoformat()}Z",
            cadence="PT1H",
            modificationDate=f"{(at or datetime.combine(newest, datetime.min.time())).isoformat()}Z",
        )
        self.hapi.datasets[served.id] = served

    @staticmethod
    def _name(pipeline: int, day: date, content: Content) -> str:
        return f"{dataset(pipeline).lower()}_{day:%Y%m%d}_v{content.version:02}.cdf"

    def _cdf(self, pipeline: int, day: date, content: Content) -> bytes:
        values = np.array(self.script.values(pipeline, day, content))
        epoch = np.datetime64(day, "ns") + np.arange(len(values)) * np.timedelta64(1, "h")
        table = Table(epoch, values, unit="nT", name="B")
        return write_cdf({"B": table}, about(self._name(pipeline, day, content), {"B": table}))


def kill(process: int) -> None:
    """End a process at once."""
    os.kill(process, signal.SIGKILL)


__all__ = ["Archive", "Server", "dataset", "kill", "socket"]
