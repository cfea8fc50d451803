"""The loop of `helio serve` in a simulated service: the loop is real, the engine's server is a stand-in in memory."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from helio.flows.serve import Serving
from helio.flows.server import Server
from helio.flows.slots import slots_between
from helio.settings import Settings

Start = Callable[[tuple[str, ...]], "subprocess.Popen[bytes]"]


class Engine(Server):
    """Stand-in for the engine's server: keeps deployments, and plans their flow runs on the clock of the settings."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings.home, {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
        self._clock = settings.clock
        self._deployments: dict[str, dict[str, Any]] = {}
        self._planned: dict[str, datetime] = {}
        """For each deployment, the time up to which its flow runs exist."""
        self.flow_runs: dict[str, dict[str, Any]] = {}

    def is_up(self, timeout: float = 2.0) -> bool:
        """Return that the server answers."""
        return True

    def name_and_time(self, flow_run: str) -> tuple[str, datetime]:
        """Return the schedule of a flow run, and the time for which it is scheduled, naive UTC."""
        shown = self.flow_runs[flow_run]
        moment = datetime.fromisoformat(shown["expected_start_time"]).replace(tzinfo=None)
        return self._deployments[shown["deployment_id"]]["name"], moment

    def finish(self, flow_run: str, state: str = "COMPLETED") -> None:
        """Set the state in which the process of a run leaves it at its end."""
        self._set_state(flow_run, {"type": state})

    def skip(self) -> None:
        """Let every flow run that is due count as made."""
        self._plan()
        for flow_run, shown in self.flow_runs.items():
            if shown["state_type"] == "SCHEDULED":
                self.finish(flow_run)

    def request(self, path: str, body: Any = None, *, method: str = "", timeout: float = 10.0) -> Any:
        """Answer the requests of `helio serve`."""
        match path.strip("/").split("/"):
            case ["flows"]:
                return {"id": f"flow-{body['name']}"}
            case ["deployments"]:
                return self._deploy(body)
            case ["deployments", "filter"]:
                return [] if body["offset"] else list(self._deployments.values())
            case ["deployments", "get_scheduled_flow_runs"]:
                return self._due()
            case ["deployments", deployment]:
                return self._deployments[deployment]
            case ["deployments", *_]:
                return None
            case ["flow_runs", "filter"]:
                return self._found(body)
            case ["flow_runs", flow_run]:
                return self.flow_runs[flow_run]
            case ["flow_runs", flow_run, "set_state"]:
                self._set_state(flow_run, body["state"])
                return {"status": "ACCEPT"}
        raise AssertionError(f"the stand-in of the engine does not know {method} {path}")

    def _deploy(self, described: Mapping[str, Any]) -> dict[str, Any]:
        name = str(described["name"])
        made = {**described, "id": f"deployment-{name}", "paused": False}
        made["schedules"] = [{**schedule, "id": "1"} for schedule in described["schedules"]]
        self._deployments[made["id"]] = made
        self._planned.setdefault(made["id"], self._clock.utc())
        return made

    def _plan(self) -> None:
        now = self._clock.utc()
        for deployment, made in self._deployments.items():
            schedule = made["schedules"][0]["schedule"]
            since, self._planned[deployment] = self._planned[deployment], now
            for slot in slots_between(
                schedule["cron"], schedule["timezone"], since, now + timedelta(seconds=1)
            ):
                flow_run = f"{made['name']} {slot:%Y-%m-%d %H:%M}"
                self.flow_runs.setdefault(flow_run, {
                    "id": flow_run, "name": flow_run, "deployment_id": deployment,
                    "expected_start_time": f"{slot.isoformat()}+00:00",
                    "state_type": "SCHEDULED", "state": {"type": "SCHEDULED"},
                })  # fmt: skip

    def _due(self) -> list[dict[str, Any]]:
        self._plan()
        return [shown for shown in self.flow_runs.values() if shown["state_type"] == "SCHEDULED"]

    def _found(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        runs = query["flow_runs"]
        if query.get("offset") or "id" in runs:
            return []  # nobody cancels a run
        if "state" not in runs:
            return list(self.flow_runs.values())
        if runs["state"]["type"]["any_"] == ["SCHEDULED"]:
            return [{"id": "the next"}]
        return [shown for shown in self.flow_runs.values() if shown["state_type"] == "PENDING"]

    def _set_state(self, flow_run: str, state: Mapping[str, Any]) -> None:
        self.flow_runs[flow_run] |= {"state_type": state["type"], "state": {"state_details": {}, **state}}


class Loop(Serving):
    """The loop of `helio serve`, which starts its runs in the way of the simulation.

    Parameters
    ----------
    begin_run : callable
        Does what the process of a command does, or starts such a process.
    """

    def __init__(self, settings: Settings, engine: Engine, begin_run: Start) -> None:
        self.lines: list[str] = []
        super().__init__(settings, 2, self.lines.append, engine)
        self._begin_run = begin_run
        self.started = 0

    def look_until_idle(self) -> None:
        """Look again until a look starts nothing and nothing runs."""
        before = -1
        while self.started != before or self.activity().running:
            before = self.started
            self.look()
            for process in self._processes():
                process.wait(120)

    def _parameters(self, template: Mapping[str, Any]) -> Mapping[str, Any]:
        return {}  # a form for the engine's pages

    def _start(self, *command: str) -> subprocess.Popen[bytes]:
        self.started += 1
        return self._begin_run(command)


class Ended(subprocess.Popen[bytes]):
    """A process that has ended in order before anybody looked."""

    def __init__(self) -> None:
        self.returncode = 0
        self.pid = 0

    def __del__(self) -> None:
        """Do nothing: there is no process."""

    def poll(self) -> int:
        """Return the exit code."""
        return 0

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code."""
        return 0
