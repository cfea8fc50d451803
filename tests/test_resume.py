"""Whatever ends a run, nothing is corrupt, nothing is said to be done that is not, and the next command finishes.

``HELIO_KILLS=50 pytest tests/test_resume.py`` kills that many runs under the engine; a few are killed otherwise.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from helio.flows.server import Server
from helio.store.runs import Runs
from helio.store.store import Store
from tests import laws
from tests.waiting import LONG, wait_until

pytestmark = pytest.mark.process

EXAMPLES = 50 if laws.LONG else 1
KILLS = int(os.environ.get("HELIO_KILLS", EXAMPLES))


def ten_steps() -> dict[str, Any]:
    """Two fetches, seven computations in two branches, and a figure."""
    steps: list[dict[str, Any]] = []

    def step(name: str, tool: str, **args: Any) -> None:
        steps.append({"step_id": name, "tool_name": tool, "tool_args": args})

    day = "2021-10-28"
    step(
        "p",
        "fetch_data",
        dataset_id="STA_L1_HET",
        parameter_id="Proton_Flux",
        time_range=day,
        output_label="p",
    )
    step(
        "e",
        "fetch_data",
        dataset_id="STA_L1_HET",
        parameter_id="Electron_Flux",
        time_range=day,
        output_label="e",
    )
    step("bands", "band_average", source_label="p", bands=[[13.6, 19.3], [60, 100]], output_label="bands")
    step("p5", "running_average", source_label="bands", window="5min", output_label="p5")
    step("p30", "running_average", source_label="p5", window="30min", output_label="p30")
    step("hourly", "resample", source_label="p30", cadence="1h", output_label="hourly")
    step("low", "components", source_label="hourly", keep=["13.6–19.3 MeV"], output_label="low")
    step("e5", "running_average", source_label="e", window="5min", output_label="e5")
    step("ehourly", "resample", source_label="e5", cadence="1h", output_label="ehourly")
    step(
        "fig",
        "render_spec",
        spec={"labels": ["p30", "low", "ehourly"], "panels": [["p30"], ["low"], ["ehourly"]]},
    )
    return {"id": "ten-steps", "steps": steps}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a server of its own."""
    home = tmp_path_factory.mktemp("home")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("PREFECT_", "HELIO_"))}
    server = Server(home, environ)
    server.start()
    server.wait()
    (home / "ten-steps.json").write_text(json.dumps(ten_steps()), encoding="utf-8")
    yield home
    server.stop()


def command(home: Path, output: str, *more: str) -> tuple[list[str], dict[str, str]]:
    words = [sys.executable, "-m", "helio", "run", str(home / "ten-steps.json"), "--archive", "sample"]
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("PREFECT_", "HELIO_"))}
    return [*words, "--output", str(home / output), "--json", *more], environ | {"HELIO_HOME": str(home)}


def run(home: Path, output: str, *more: str) -> tuple[int, dict[str, Any], str]:
    words, environ = command(home, output, *more)
    done = subprocess.run(words, env=environ, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr


def until_a_result(home: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a run has its first result; others are to come, unless this machine is so busy that it has ended."""
    wait_until(lambda: process.poll() is not None or any((home / "store").rglob("*.arrow")), "a result")


def forget(home: Path) -> None:
    """An empty store, so that there is work to do; the records of runs stay."""
    shutil.rmtree(home / "store", ignore_errors=True)


def digests(record: dict[str, Any]) -> dict[str, str]:
    return {step["step_id"]: step["outputs"][0]["digest"] for step in record["steps"]}


def everything_in_the_store_is_whole(home: Path) -> None:
    store = Store(home / "store")
    for path in (home / "store" / "objects").rglob("*.*"):
        digest = f"sha256:{path.stem}"
        if path.suffix == ".arrow":
            assert store.table(digest).digest() == digest
        else:
            store.bytes(digest, path.suffix)


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing ends: the digest of each step, and the seconds it took."""

    digests: dict[str, str]
    seconds: float


@pytest.fixture(scope="module")
def reference(home: Path) -> Undisturbed:
    begun = time.monotonic()
    code, record, told = run(home, "reference")
    assert code == 0, told
    return Undisturbed(digests(record), time.monotonic() - begun)


def test_killed_at_any_moment_the_next_run_finishes_with_the_same_results(home: Path, reference: Undisturbed):
    chance = random.Random(20211028)
    words, environ = command(home, "killed")
    number = cut = 0
    while number < KILLS or not cut:  # one of them at least is killed at work
        forget(home)
        shutil.rmtree(home / "killed", ignore_errors=True)
        process = subprocess.Popen(words, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if number % 2 == 0:
            until_a_result(home, process)
        else:
            time.sleep(chance.uniform(0.2, 1.0) * reference.seconds)
        process.send_signal(signal.SIGKILL)
        cut += process.wait() == -signal.SIGKILL
        for path in (home / "killed").glob("*.*"):  # whatever is there is whole
            if path.suffix == ".json":
                json.loads(path.read_text(encoding="utf-8"))
        everything_in_the_store_is_whole(home)
        assert "running" not in {summary.status for summary in Runs(home / "runs").list()}
        code, record, told = run(home, "killed", *(["--direct"] if number % 2 else []))
        assert code == 0, told
        assert digests(record) == reference.digests
        number += 1


def test_two_processes_at_once_do_the_same(home: Path, reference: Undisturbed):
    forget(home)
    both = []
    for name in ("one", "other"):
        words, environ = command(home, name)
        both.append(
            subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
    for process in both:
        out, told = process.communicate()
        assert process.returncode == 0, told
        assert digests(json.loads(out)) == reference.digests
    everything_in_the_store_is_whole(home)


def test_a_damaged_object_is_made_again(home: Path, reference: Undisturbed):
    run(home, "sound", "--direct")
    hourly = reference.digests["hourly"]
    path = Store(home / "store").path(hourly)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-40])
    figure = Store(home / "store").path(reference.digests["fig"], ".json")
    figure.chmod(0o644)
    figure.write_bytes(b"{}")
    code, record, told = run(home, "mended", "--direct")
    assert code == 0, told
    assert digests(record) == reference.digests
    everything_in_the_store_is_whole(home)


def test_a_full_disk_fails_in_words_and_the_next_run_finishes(home: Path, reference: Undisturbed):
    forget(home)
    words, environ = command(home, "full", "--direct")
    limited = [
        "bash",
        "-c",
        'ulimit -f 40; exec "$@"',
        "bash",
        *words,
    ]  # blocks of 1024 bytes for any one file
    done = subprocess.run(limited, env=environ, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "cannot be written" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    everything_in_the_store_is_whole(home)
    code, record, told = run(home, "full", "--direct")
    assert code == 0, told
    assert digests(record) == reference.digests


def test_a_server_that_is_killed_in_mid_run_costs_no_result(home: Path, reference: Undisturbed):
    forget(home)
    words, environ = command(home, "serverless")
    process = subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until_a_result(home, process)
    server = Server(home, environ)
    pid = server.state().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    out, told = process.communicate(timeout=LONG)
    assert process.returncode == 0, told
    assert digests(json.loads(out)) == reference.digests
    code, _, told = run(home, "after")
    assert code == 0, told


def test_a_clock_that_steps_back_changes_nothing(home: Path, reference: Undisturbed):
    for path in (home / "store").rglob("*"):
        if path.is_file():
            os.utime(path, (4_000_000_000, 4_000_000_000))  # all that is there comes from the future
    code, record, told = run(home, "back")
    assert code == 0, told
    assert {step["state"] for step in record["steps"]} == {"cached"}


def test_ctrl_c_ends_within_seconds_and_leaves_a_state_to_go_on_from(home: Path, reference: Undisturbed):
    forget(home)
    words, environ = command(home, "stopped")
    process = subprocess.Popen(words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until_a_result(home, process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=LONG)
    if process.returncode != 0:  # it may have been just done
        assert process.returncode == 130, told
        assert "cancelled" in told
        assert Runs(home / "runs").list()[0].status == "cancelled"
    assert "Traceback" not in told
    code, record, told = run(home, "stopped", "--direct")
    assert code == 0, told
    assert digests(record) == reference.digests
