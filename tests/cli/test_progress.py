"""What a terminal shows while a run downloads, and what everything else does not."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading

import pytest

from helio.cli.progress import downloads_line
from helio.sources.transfers import Progress
from helio.testing import CdaWebStandIn
from tests.test_cdaweb_run import service  # noqa: F401 - a fixture
from tests.waiting import LONG

pytestmark = pytest.mark.process


def on_a_terminal(*words: str, stdout_too: bool = False) -> tuple[int, str, str]:
    """Exit code, standard output and what the terminal showed of a command whose standard error is one."""
    terminal, end = pty.openpty()
    shown = bytearray()

    def read() -> None:
        try:
            while some := os.read(terminal, 65_536):
                shown.extend(some)
        except OSError:  # what Linux says once the other end is closed
            return

    reading = threading.Thread(target=read)
    reading.start()
    done = subprocess.run(
        [sys.executable, "-m", "helio", *words],
        stdout=end if stdout_too else subprocess.PIPE,
        stderr=end,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "200"},
        timeout=LONG,
    )
    os.close(end)
    reading.join()
    os.close(terminal)
    return done.returncode, (done.stdout or b"").decode(), shown.decode()


@pytest.fixture
def slow(service: CdaWebStandIn) -> CdaWebStandIn:  # noqa: F811
    """A server whose file takes longer than a busy terminal takes to show it."""
    service.fail("/sp_phys/data/", ("slow", 0.08))
    return service


def test_a_terminal_shows_files_and_bytes_and_the_output_stays_clean(slow: CdaWebStandIn):
    code, output, shown = on_a_terminal("run", "gle73-particles", "-o", "out")
    assert code == 0
    assert "0 of 1 file," in shown
    assert "of 215 kB" in shown
    assert "━" in shown
    assert "of 1 file" not in output
    assert "\x1b" not in output
    assert output.splitlines()[0].startswith("time range: 2021-10-28 00:00 to ")
    assert output.splitlines()[1].startswith("✓ ")


def test_lines_of_steps_stand_above_the_moving_one(slow: CdaWebStandIn):
    code, _, shown = on_a_terminal("run", "gle73-particles", "-o", "out", stdout_too=True)
    assert code == 0
    assert "0 of 1 file," in shown
    assert "records)\r\n" in shown


def test_a_program_that_asks_for_json_sees_no_moving_line(slow: CdaWebStandIn):
    code, _, shown = on_a_terminal("run", "gle73-particles", "-o", "out", "--json")
    assert (code, shown) == (0, "")


def test_a_log_file_sees_no_moving_line(slow: CdaWebStandIn):
    command = [sys.executable, "-m", "helio", "run", "gle73-particles", "-o", "out"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0
    assert "files" not in done.stdout + done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_detail_and_a_moving_line_do_not_meet(slow: CdaWebStandIn):
    code, _, shown = on_a_terminal("-v", "run", "gle73-particles", "-o", "out")
    assert code == 0
    assert "done in" in shown
    assert "of 1 files" not in shown


@pytest.mark.parametrize(
    ("fetches", "line"),
    [
        ([], ""),
        ([Progress(1, 3, 12_400_000, 24_800_000)], "━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌ 1 of 3 files, 12.4 MB of 24.8 MB"),
        (
            [Progress(1, 3, 10, 20, 1), Progress(0, 1, 5, 20, 2)],
            "━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌ 1 of 4 files, 15 B of 40 B",
        ),
        ([Progress(1, 3, 500, 0)], "1 of 3 files, 500 B"),
        ([Progress(1, 2, 300, 200)], "━━━━━━━━━━━━━━━━━━━━ 1 of 2 files, 300 B of 200 B"),
    ],
)
def test_the_line_sums_up_all_fetches(fetches: list[Progress], line: str):
    assert downloads_line(fetches) == line
