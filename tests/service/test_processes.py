"""A backfill in real processes: whatever is killed, the same command ends with each figure once and none wrong.

``HELIO_KILLS=50 pytest tests/service/test_processes.py`` kills that many backfills; a few are killed otherwise.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.service.backfill import Progress
from helio.settings import Settings
from helio.store.runs import Runs
from helio.testing import HapiStandIn
from helio.time_range import TimeRange
from tests import laws
from tests.days import daily, write_days
from tests.processes import descendants, is_running
from tests.sources.made_hapi import magnetometer
from tests.waiting import LONG, wait_until

pytestmark = pytest.mark.process

DAYS = 4
WHOLE = "2024-01-01..2024-01-05"
SERVED = "2021-10-28..2021-10-31"
"""The days of `magnetometer`."""
EXAMPLES = 50 if laws.LONG else 1
KILLS = int(os.environ.get("HELIO_KILLS", EXAMPLES))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and a pipeline."""
    place = tmp_path_factory.mktemp("place")
    write_days(place / "data", DAYS)
    (place / "daily.json").write_text(json.dumps(daily()))
    return place


class Command:
    """``helio backfill`` in a process of its own, with a home and a folder of its own."""

    def __init__(self, place: Path, folder: Path, *, whole: str = WHOLE, archive: str = "") -> None:
        folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-P", "-m", "helio", "backfill", str(place / "daily.json"), whole),
                *("--archive", archive or str(place / "data"), "--direct", "--workers", "2"),
            ],
            cwd=folder,
            env={**os.environ, "HELIO_HOME": str(folder / "home")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self) -> str:
        """Wait for the end; return what the command printed."""
        printed, _ = self.process.communicate(timeout=LONG)
        return printed


def figures(folder: Path) -> dict[str, bytes]:
    """The figures of a backfill, by their paths in its folder."""
    root = folder / "helio-runs" / "daily-field"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("draw.json"))}


def field_of_a_server() -> dict[str, Any]:
    """A pipeline that fetches from a stand-in, which can make a run wait."""
    fetch = {"dataset_id": "MADE_MAG", "parameter_id": "BGSE", "time_range": "$TIME_RANGE"}
    return daily(steps=[{"step_id": "fetch", "tool_name": "fetch_data", "tool_args": fetch}])


@pytest.fixture(scope="module")
def undisturbed(place: Path) -> tuple[dict[str, bytes], float]:
    """The figures of a backfill that nobody disturbs, and the seconds it took."""
    begun = time.monotonic()
    command = Command(place, place / "undisturbed")
    printed = command.end()
    assert command.process.returncode == 0, printed
    assert printed.endswith(f"success: daily-field  {DAYS} of {DAYS} done\n")
    made = figures(place / "undisturbed")
    assert len(made) == DAYS
    return made, time.monotonic() - begun


def test_each_run_names_the_command_of_the_user(place: Path, undisturbed: object):
    runs = Runs(place / "undisturbed" / "home" / "runs")
    assert len(runs.ids()) == DAYS
    assert {runs.load(run_id).header["command"][1] for run_id in runs.ids()} == {"backfill"}


@pytest.mark.parametrize("example", range(KILLS))
def test_after_kill_9_the_same_command_ends_with_each_figure_once(
    place: Path, undisturbed: tuple[dict[str, bytes], float], tmp_path: Path, example: int
):
    expected, seconds = undisturbed
    moment = random.Random(example if KILLS == EXAMPLES else None).uniform(0.05, 1.1) * seconds
    command = Command(place, tmp_path)
    time.sleep(moment)
    command.process.kill()
    command.end()
    again = Command(place, tmp_path)
    printed = again.end()
    assert again.process.returncode == 0, printed
    assert figures(tmp_path) == expected, f"killed after {moment:.3f} s"
    runs = Runs(tmp_path / "home" / "runs")
    for summary in runs.list():
        assert summary.status in ("success", "cancelled", "crashed")
    done = [summary.id for summary in runs.list() if summary.status == "success"]
    assert len(done) == DAYS, "an interval was made twice"


def test_ctrl_c_ends_all_processes_and_the_same_command_goes_on(tmp_path: Path):
    (tmp_path / "daily.json").write_text(json.dumps(field_of_a_server()))
    with HapiStandIn([magnetometer()]) as archive:
        archive.fail("/data", *[("timeout", LONG)] * 2)  # both processes wait until they are stopped
        command = Command(tmp_path, tmp_path, whole=SERVED, archive=archive.url)
        wait_until(lambda: len(archive.asked("/data")) >= 2, "the requests of two runs")
        children = descendants(command.process.pid)
        command.process.send_signal(signal.SIGINT)
        printed = command.end()
        assert command.process.returncode == 130, printed
        assert "cancelled; run the same command again to continue" in printed
        wait_until(lambda: not any(map(is_running, children)), "the end of all processes")
        again = Command(tmp_path, tmp_path, whole=SERVED, archive=archive.url)
        assert again.end().endswith("success: daily-field  3 of 3 done\n")


def test_an_interval_whose_process_is_killed_has_failed_and_the_others_are_made(tmp_path: Path):
    runs = Runs(tmp_path / "home" / "runs")

    def fill(archive: HapiStandIn, **more: Any) -> Any:
        return api.backfill(
            field_of_a_server(), SERVED, archive=archive.url, workers=1, output=tmp_path / "plots",
            settings=Settings(tmp_path / "home"), **more,
        )  # fmt: skip

    def kill(progress: Progress) -> None:
        if progress.event == TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29)):
            wait_until(lambda: archive.asked("/data"), "the request of the run")
            [run] = runs.ids()
            os.kill(runs.load(run).process.pid, signal.SIGKILL)

    with HapiStandIn([magnetometer()]) as archive:
        archive.fail("/data", ("timeout", LONG))  # the first run waits until it is killed
        filled = fill(archive, on_progress=kill)
        assert filled.made[0].reason == "the process of the run was killed (signal 9)"
        assert filled.counts == {"crashed": 1, "done": 2}
        assert filled.status == "partial"
        again = fill(archive)
    assert (len(again.made), again.status) == (1, "success")


def test_a_chunk_that_is_stopped_from_outside_ends(place: Path, tmp_path: Path):
    from helio.service import crew
    from helio.service.chunk import Chunk

    chunk = Chunk(
        template=daily(),
        intervals=tuple(tuple(span) for span in [("2024-01-01T00:00:00", "2024-01-02T00:00:00")] * 3),  # type: ignore[misc]
        now="2024-03-01T00:00:00",
        output=str(tmp_path / "plots"),
        archive=str(place / "data"),
    )
    made = crew.make_chunk(chunk, Settings(tmp_path / "home"), workers=1, stopped=lambda: True)
    assert len(made) < 3
