"""Schedules under `helio serve`, against a real server: what it shows, what runs, what is left when it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from helio.errors import Cancelled, EngineError
from helio.flows.last_runs import last_run
from helio.flows.missed import note_served, read_served
from helio.flows.register import BEGUN, FINAL
from helio.flows.schedule import Schedule, Schedules
from helio.flows.serve import run_scheduled
from helio.flows.server import Server, ask
from helio.flows.slots import slots_in
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.runs import Runs
from tests.flows.conftest import ENVIRON, Shown
from tests.processes import is_running, members
from tests.waiting import LONG, wait_until

pytestmark = [pytest.mark.server, pytest.mark.process]

HELIO = "from helio.flows import serve; serve.serve.__kwdefaults__['every'] = 0.4; from helio.cli import main; main()"
"""The command, which looks more often what is new."""
STEPS = {"protons", "bands", "smooth", "particles"}
SCHEDULED = "2021-10-29T06:10:00+00:00"


class Serving:
    """`helio serve` in a process of its own, and what it and the server say."""

    def __init__(self, home: Path, server: Server) -> None:
        self.home = home
        self.server = server
        self.schedules = Schedules(Settings(home=home))
        self.log = home / "serve.txt"
        self.process: subprocess.Popen[bytes]

    def start(self) -> None:
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", HELIO, "serve"],
                env={**ENVIRON, "HELIO_HOME": str(self.home), "PYTHONUNBUFFERED": "1"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONG)

    def add(self, name: str, **changes: Any) -> None:
        # Once a year, so that nothing but what a test asks for runs.
        facts = {"cron": "10 6 1 1 *", "archive": "sample"} | changes
        time_range, replace = facts.pop("time_range", "yesterday"), facts.pop("replace", False)
        now = datetime.now(UTC).replace(tzinfo=None)
        self.schedules.add(
            Schedule(name, "gle73-particles", **facts), now=now, time_range=time_range, replace=replace
        )
        soon(lambda: self.deployment(name) is not None, f"deployment {name}")

    def deployment(self, name: str) -> dict[str, Any] | None:
        wanted = {"deployments": {"name": {"any_": [name]}}}
        found = ask(self.server, "/deployments/filter", wanted)
        return found[0] if found else None

    def trigger(self, name: str, when: str = SCHEDULED, **parameters: Any) -> Shown:
        deployment = self.deployment(name)
        assert deployment is not None
        state = {"type": "SCHEDULED", "state_details": {"scheduled_time": when}}
        body = {"state": state, "parameters": parameters}
        return Shown(
            self.server, ask(self.server, f"/deployments/{deployment['id']}/create_flow_run", body)["id"]
        )

    def runs(self) -> list[int]:
        """The processes of runs."""
        children = _children(self.process.pid)
        return [process for process, command in children.items() if "--flow-run" in command]

    def ended(self, shown: Shown) -> dict[str, Any]:
        soon(lambda: shown.run["state_type"] in FINAL, f"the end of {shown.id}")
        return shown.run


def soon(true: Callable[[], bool], what: str) -> None:
    wait_until(true, what)


@contextmanager
def served(home: Path, server: Server) -> Iterator[Serving]:
    one = Serving(home, server)
    one.start()
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.stop()
        for name in one.schedules.names():
            one.schedules.remove(name)
            # The next `helio serve` of this home would find it, and delete it in the middle of a test.
            if (deployment := one.deployment(name)) is not None:
                ask(server, f"/deployments/{deployment['id']}", method="DELETE")


@pytest.fixture(scope="module")
def serving(home: Path, server: Server) -> Iterator[Serving]:
    with served(home, server) as one:
        one.add("daily", values={"WINDOW": "15min"})
        yield one


@pytest.fixture(scope="module")
def late(serving: Serving) -> Shown:
    """A late run, which has ended."""
    shown = serving.trigger("daily")
    serving.ended(shown)
    return shown


def test_a_late_run_takes_the_yesterday_of_its_scheduled_day(late: Shown, home: Path) -> None:
    run = late.run
    assert (run["state_name"], run["name"]) == ("Completed", "gle73-particles 2021-10-28/2021-10-29")
    assert run["parameters"] == {"TIME_RANGE": "yesterday", "WINDOW": "15min"}
    late.soon(lambda shown: set(shown.tasks) >= STEPS, True)
    folder = home / "scheduled" / "daily" / "2021-10-28"
    soon(lambda: (folder / "run.json").is_file(), "run.json")
    assert {"particles.html", "particles.json"} <= {path.name for path in folder.iterdir()}
    record = json.loads((folder / "run.json").read_text())
    assert record["now"] == "2021-10-29T06:10:00"
    assert record["values"] == {"$TIME_RANGE": "2021-10-28 to 2021-10-29", "$WINDOW": "15min"}
    assert record["engine"] == "prefect"
    assert record["id"] in [summary.id for summary in Runs(home / "runs").list()]


def test_the_same_day_again_comes_from_the_store_within_its_own_flow_run(
    serving: Serving, late: Shown
) -> None:
    before = _begun(serving)
    shown = serving.trigger("daily")
    assert serving.ended(shown)["state_name"] == "Completed"
    shown.soon(lambda shown: set(shown.states.values()), {"Cached"})
    assert set(shown.tasks) >= STEPS
    assert _begun(serving) == before + 1


def _begun(serving: Serving) -> int:
    """Count the flow runs that have begun; the server plans others for later whenever it likes."""
    begun = {"flow_runs": {"state": {"type": {"any_": [*BEGUN, *FINAL]}}}}
    return int(ask(serving.server, "/flow_runs/count", begun))


def test_a_triggered_run_can_take_other_values(serving: Serving, home: Path) -> None:
    other = "2021-10-28T12:00 to 2021-10-29"
    run = serving.ended(serving.trigger("daily", TIME_RANGE=other, WINDOW="20min"))
    assert run["state_name"] == "Completed"
    folder = home / "scheduled" / "daily" / "2021-10-28T120000_2021-10-29"
    soon(lambda: (folder / "run.json").is_file(), "run.json")
    assert json.loads((folder / "run.json").read_text())["values"]["$WINDOW"] == "20min"


def test_a_step_that_fails_is_a_critical_failure_in_words_and_is_retried_before_its_process_has_ended(
    serving: Serving, home: Path
) -> None:
    when = "2021-11-05T06:10:00+00:00"  # the samples have no file of that day
    serving.add("failing")
    shown = serving.trigger("failing", when)
    assert serving.ended(shown)["state_name"] == "CriticalFailure"
    _retry(serving, shown)
    soon(lambda: _states(serving, shown).count("FAILED") == 2, "the end of the second try")
    assert "CRASHED" not in _states(serving, shown)
    run = shown.run
    assert (run["state_type"], run["state_name"]) == ("FAILED", "CriticalFailure")
    assert "step protons failed: STA_L1_HET has no file for 2021-11-04" in run["state"]["message"]
    assert datetime.fromisoformat(run["expected_start_time"]) == datetime.fromisoformat(when)
    soon(lambda: not serving.runs(), "the end of the process")
    [newest, *_] = Runs(home / "runs").list()
    assert newest.status == "failed"
    last = last_run(home, "failing")
    assert last is not None
    assert (last.state, last.slot, last.run) == ("no data", "2021-11-05T06:10:00", newest.id)
    assert last.reason.startswith("step protons: STA_L1_HET has no file for 2021-11-04")
    serving.schedules.remove("failing")


def test_a_run_that_cannot_be_planned_is_a_critical_failure_in_words(serving: Serving) -> None:
    run = serving.ended(serving.trigger("daily", TIME_RANGE="yesterdy"))
    assert (run["state_type"], run["state_name"]) == ("FAILED", "CriticalFailure")
    assert "did you mean 'yesterday'" in run["state"]["message"]


def test_the_form_has_the_templates_variables_and_the_schedules_values(serving: Serving) -> None:
    deployment = serving.deployment("daily")
    assert deployment is not None
    assert deployment["parameters"] == {"TIME_RANGE": "yesterday", "WINDOW": "15min"}
    form = deployment["parameter_openapi_schema"]["properties"]
    assert {name: facts["default"] for name, facts in form.items()} == {
        "TIME_RANGE": "2021-10-28",
        "WINDOW": "10min",
    }
    assert deployment["schedules"][0]["schedule"]["cron"] == "10 6 1 1 *"
    assert deployment["global_concurrency_limit"]["limit"] == 1
    assert deployment["concurrency_options"]["collision_strategy"] == "ENQUEUE"


def test_a_misspelt_parameter_is_refused_by_the_server(serving: Serving) -> None:
    with pytest.raises(EngineError, match="WINDWO"):
        serving.trigger("daily", WINDWO="20min")


def test_a_misspelt_parameter_fails_the_run_with_the_words_of_the_command(serving: Serving) -> None:
    deployment = serving.deployment("daily")
    assert deployment is not None
    opened = {"enforce_parameter_schema": False}  # as somebody may on the server
    ask(serving.server, f"/deployments/{deployment['id']}", opened, method="PATCH")
    try:
        run = serving.ended(serving.trigger("daily", WINDWO="20min"))
    finally:
        closed = {"enforce_parameter_schema": True}
        ask(serving.server, f"/deployments/{deployment['id']}", closed, method="PATCH")
    assert (run["state_type"], run["state_name"]) == ("FAILED", "CriticalFailure")
    message = run["state"]["message"]
    assert "a value is given for $WINDWO, but the template declares no such variable" in message
    assert "did you mean $WINDOW?" in message


def test_the_range_of_a_schedule_moves_a_literal_range(serving: Serving, home: Path) -> None:
    literal = home / "literal.json"
    args = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-02"}
    literal.write_text(
        json.dumps({"id": "literal", "steps": [{"step_id": 1, "tool_name": "fetch_data", "tool_args": args}]})
    )
    now = datetime.now(UTC).replace(tzinfo=None)
    schedule = Schedule("", str(literal), "10 6 1 1 *", archive="sample")
    serving.schedules.add(schedule, now=now, time_range="yesterday")
    soon(lambda: serving.deployment("literal") is not None, "the deployment")
    deployment = serving.deployment("literal")
    assert deployment is not None
    assert deployment["parameters"] == {"TIME_RANGE": "yesterday"}
    run = serving.ended(serving.trigger("literal", "2022-01-02T06:10:00+00:00"))
    assert (run["state_name"], run["name"]) == ("Completed", "literal 2022-01-01/2022-01-02")
    serving.schedules.remove("literal")


def test_two_runs_of_one_schedule_run_one_after_the_other(serving: Serving) -> None:
    when = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    both = [serving.trigger("daily", when, TIME_RANGE="2021-10-28") for _ in range(2)]
    first, second = sorted(
        (serving.ended(flow_run) for flow_run in both), key=lambda run: str(run["start_time"])
    )
    assert datetime.fromisoformat(first["end_time"]) <= datetime.fromisoformat(second["start_time"])
    assert (first["state_name"], second["state_name"]) == ("Completed", "Completed")


def test_pausing_and_removing_are_noticed_without_a_restart(serving: Serving) -> None:
    serving.add("short-lived")

    def active() -> bool:
        deployment = serving.deployment("short-lived")
        assert deployment is not None
        return bool(deployment["schedules"][0]["active"])

    assert active()
    serving.schedules.pause("short-lived")
    soon(lambda: not active(), "the pause")
    serving.schedules.pause("short-lived", paused=False)
    soon(active, "the end of the pause")
    serving.schedules.remove("short-lived")
    soon(lambda: serving.deployment("short-lived") is None, "the removal")
    assert serving.deployment("daily") is not None


def test_a_schedule_that_is_added_again_does_not_get_the_runs_that_were_planned_before(
    serving: Serving,
) -> None:
    serving.add("added-again")
    serving.add("resumed")
    serving.stop()
    missed, kept = serving.trigger("added-again"), serving.trigger("resumed")
    before = {name: deployed(serving, name) for name in ("added-again", "resumed")}
    serving.schedules.remove("added-again")
    serving.add("added-again")
    serving.schedules.pause("resumed")
    serving.schedules.pause("resumed", paused=False)
    serving.start()
    assert serving.ended(kept)["state_name"] == "Completed"
    with pytest.raises(EngineError, match="404"):
        _ = missed.run
    after = {name: deployed(serving, name) for name in ("added-again", "resumed")}
    assert before["resumed"] == after["resumed"]
    assert before["added-again"] != after["added-again"]
    assert last_run(serving.home, "added-again") is None
    for name in after:
        serving.schedules.remove(name)


def deployed(serving: Serving, name: str) -> str:
    deployment = serving.deployment(name)
    assert deployment is not None
    return str(deployment["id"])


def test_the_server_plans_the_listed_runs_where_clocks_change(serving: Serving) -> None:
    minute = (datetime.now(UTC).minute + 30) % 60  # none is due during the test
    serving.add("hourly", cron=f"{minute} * * * *", timezone="Europe/Berlin", time_range="2021-10-28")
    serving.schedules.pause("hourly", paused=False)
    deployment = serving.deployment("hourly")
    assert deployment is not None
    listed = slots_in(deployment["schedules"][0]["schedule"], datetime(2000, 1, 1))
    assert listed[0] - timedelta(hours=1) <= datetime.now(UTC).replace(tzinfo=None)
    assert {later - earlier for earlier, later in pairwise(listed)} == {timedelta(hours=1)}

    def planned() -> list[str]:
        wanted = {
            "deployments": {"name": {"any_": ["hourly"]}},
            "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
            "sort": "EXPECTED_START_TIME_ASC",
        }
        return [run["expected_start_time"] for run in ask(serving.server, "/flow_runs/filter", wanted)]

    soon(lambda: len(planned()) >= 3, "the planned runs")
    assert {f"{slot.isoformat()}Z" for slot in listed} >= set(planned())
    serving.schedules.remove("hourly")


def test_slots_that_passed_while_nothing_ran_are_announced(serving: Serving, home: Path) -> None:
    now = datetime.now(UTC).replace(tzinfo=None)
    serving.add("missing", cron=f"0 {(now.hour + 12) % 24} * * *", time_range="yesterday")
    serving.stop()
    record = serving.schedules.folder / "missing.json"
    os.utime(record, (0, 0))
    note_served(home, now - timedelta(days=3, hours=1))
    serving.start()
    soon(lambda: "missing: 3 runs were missed" in serving.log.read_text(), "the announcement")
    served = read_served(home)
    assert served is not None
    assert served.missed["missing"].count == 3
    serving.schedules.remove("missing")


def test_a_damaged_record_holds_up_no_other_and_loses_no_deployment(serving: Serving) -> None:
    serving.add("damaged")
    write_whole(serving.schedules.folder / "damaged.json", b"{")
    soon(lambda: "damaged has an error" in serving.log.read_text(), "a word about it")
    assert serving.deployment("damaged") is not None
    soon(lambda: serving.log.read_text().count("damaged has an error") == 1, "one word about it")
    assert serving.ended(serving.trigger("daily"))["state_name"] == "Completed"
    assert serving.ended(serving.trigger("damaged"))["state_name"] == "CriticalFailure"
    serving.schedules.remove("damaged")


def test_one_home_is_served_once(serving: Serving, home: Path) -> None:
    environ = {**ENVIRON, "HELIO_HOME": str(home)}
    command = [sys.executable, "-m", "helio", "serve"]
    second = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=LONG)
    assert second.returncode == 2
    assert "another `helio serve` already runs" in second.stderr


@dataclass(frozen=True)
class Held:
    """A run that waits in the middle, because the process that computes for it is stopped."""

    shown: Shown
    process: int
    worker: int

    def release(self) -> None:
        """Let it go on; nothing if it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.worker, signal.SIGCONT)


WINDOWS = count(31)
"""Minutes of running averages that no run has taken yet."""


@contextmanager
def held(serving: Serving) -> Iterator[Held]:
    """Start a run that must compute something, and hold it in the middle."""
    soon(lambda: not serving.runs(), "the end of earlier runs")
    run = None
    while run is None:
        run = _hold(serving)
    try:
        soon(lambda: run.shown.run["state_type"] == "RUNNING", "its beginning")
        yield run
    finally:
        run.release()


def _hold(serving: Serving) -> Held | None:
    """Start a run and hold it; None if it has begun its last step or ended before, on a busy machine."""
    shown = serving.trigger("daily", WINDOW=f"{next(WINDOWS)}min")
    soon(lambda: _workers(serving) or shown.run["state_type"] in FINAL, "a process that computes")
    for worker, process in _workers(serving).items():
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGSTOP)
            run = Held(shown, process, worker)
            if "particles" not in shown.tasks:
                return run
            run.release()
    serving.ended(shown)
    return None


def test_a_run_that_is_cancelled_on_the_server_ends(serving: Serving) -> None:
    with held(serving) as run:
        ask(serving.server, f"/flow_runs/{run.shown.id}/set_state", {"state": {"type": "CANCELLING"}})
        assert serving.ended(run.shown)["state_type"] == "CANCELLED"


def _workers(serving: Serving) -> dict[int, int]:
    """The processes that compute, and the process of the run of each."""
    return {
        process: run
        for run in serving.runs()
        for process, command in _children(run).items()
        if "helio.pipelines.runs.worker_process" in command
    }


def _children(parent: int) -> dict[int, str]:
    """The child processes of a process, and their command lines."""
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return {int(line.split()[0]): line for line in lines}


def _retry(serving: Serving, shown: Shown) -> None:
    """Ask for a run again, as the button on its page does."""
    state = {"type": "SCHEDULED", "name": "AwaitingRetry", "message": "Retry from the UI"}
    answer = ask(serving.server, f"/flow_runs/{shown.id}/set_state", {"state": state})
    assert answer["status"] == "ACCEPT"


def _states(serving: Serving, shown: Shown) -> list[str]:
    """Every state that the run has had."""
    return [state["type"] for state in ask(serving.server, f"/flow_run_states/?flow_run_id={shown.id}")]


def test_a_run_that_crashed_can_be_asked_for_again(serving: Serving) -> None:
    with held(serving) as run:
        os.killpg(run.process, signal.SIGKILL)
        shown = run.shown
        assert serving.ended(shown)["state_type"] == "CRASHED"
    _retry(serving, shown)
    soon(lambda: shown.run["state_type"] == "COMPLETED", "the end of the second try")
    assert _states(serving, shown).count("CRASHED") == 1


@pytest.mark.parametrize("kind", ["Suspended", "Paused"])
def test_a_run_that_is_paused_on_its_page_begins_no_step_until_it_is_resumed(
    serving: Serving, home: Path, kind: str
) -> None:
    with held(serving) as run:
        shown = run.shown
        state = {
            "type": "PAUSED",
            "name": kind,
            "state_details": {
                "pause_reschedule": kind == "Suspended",
                "pause_timeout": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
            },
        }
        answer = ask(serving.server, f"/flow_runs/{shown.id}/set_state", {"state": state})
        assert answer["status"] == "ACCEPT"
        before = len(Runs(home / "runs").list())
    words = "to continue, resume the run there" if kind == "Paused" else "helio begins no further step"
    soon(lambda: words in serving.log.read_text(), "a word about it")
    if kind == "Suspended":
        soon(lambda: not serving.runs(), "the end of the process")
        [record, *_] = Runs(home / "runs").list()
        assert record.status == "cancelled"
        assert "suspended on its Prefect page" in Runs(home / "runs").load(record.id).header["error"]
    assert (shown.run["state_type"], shown.run["state_name"]) == ("PAUSED", kind)
    assert "particles" not in shown.tasks
    ask(serving.server, f"/flow_runs/{shown.id}/resume", {})
    soon(lambda: shown.run["state_type"] == "COMPLETED", "the end of the resumed run")
    assert len(Runs(home / "runs").list()) == before + (kind == "Suspended")
    shown.soon(lambda shown: set(shown.tasks) >= STEPS, True)


def test_a_paused_run_can_be_cancelled(serving: Serving) -> None:
    with held(serving) as run:
        ask(serving.server, f"/flow_runs/{run.shown.id}/set_state", {"state": {"type": "PAUSED"}})
        run.release()
        ask(serving.server, f"/flow_runs/{run.shown.id}/set_state", {"state": {"type": "CANCELLING"}})
        assert serving.ended(run.shown)["state_type"] == "CANCELLED"


def test_ending_as_a_service_manager_does_puts_back_a_run_and_leaves_no_process(serving: Serving) -> None:
    with held(serving) as run:
        assert serving.stop() == 0
        assert "Traceback" not in serving.log.read_text()
        assert "cancelled; the schedules stay" not in serving.log.read_text()
        soon(lambda: not members(run.process) and not is_running(run.worker), "the end of its processes")
        shown = run.shown
    assert shown.run["state_type"] == "SCHEDULED"
    serving.start()
    assert serving.ended(shown)["name"] == "gle73-particles 2021-10-28/2021-10-29"
    assert shown.run["state_name"] == "Completed"
    assert shown.run["expected_start_time"] == "2021-10-29T06:10:00Z"


def test_a_server_that_is_killed_is_brought_back_and_the_schedules_go_on(serving: Serving) -> None:
    before = serving.server.state().pid
    assert before is not None
    words = "the server answers again"
    said = serving.log.read_text().count(words)
    os.kill(before, signal.SIGKILL)
    soon(lambda: serving.server.state().pid not in (None, before), "another server")
    soon(lambda: serving.log.read_text().count(words) > said, "a word about it")
    assert serving.ended(serving.trigger("daily"))["state_name"] == "Completed"


def test_a_run_whose_server_is_lost_before_its_first_step_is_cancelled_not_failed(tmp_path: Path) -> None:
    with pytest.raises(Cancelled, match="the engine's server was lost"):
        run_scheduled("any", Settings(home=tmp_path))
    assert last_run(tmp_path, "daily") is None


def test_ctrl_c_ends_it_with_130(serving: Serving) -> None:
    soon(lambda: "serving the schedules" in serving.log.read_text(), "its first line")
    assert serving.stop(signal.SIGINT) == 130
    assert "Traceback" not in serving.log.read_text()
    assert "cancelled; the schedules stay" in serving.log.read_text()
    serving.start()
