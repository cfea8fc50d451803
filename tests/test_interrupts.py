"""Ctrl-C ends the command wherever it is: exit code 130, one line, no traceback, nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helio.sources.samples import sample_folder
from helio.store.runs import Runs
from helio.testing import CdaWebStandIn
from tests.processes import is_running
from tests.waiting import LONG, wait_until

pytestmark = pytest.mark.process

INTERRUPT_AT = """
import os, sys

class InterruptAt:
    "Sends a signal at the moment when a module is first imported."
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            for _ in range({times}):
                os.kill(os.getpid(), {number})

sys.meta_path.insert(0, InterruptAt())
"""
COMMAND = "from helio.__main__ import main; main()"


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("HELIO_", "PREFECT_"))}
    return {**kept, "HELIO_HOME": str(home), "HELIO_ENGINE": "direct", **more}


def start(code: str, *words: str, cwd: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environment(cwd / "home", PYTHONPATH=str(Path(__file__).parents[1]), **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
    )


def interrupted(process: subprocess.Popen[str]) -> str:
    """The last line of a process that has ended as an interrupted one should; before it, only waits are reported."""
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said
    *waits, last = said.splitlines()
    assert last.startswith("cancelled; "), said
    assert all("Ctrl-C cancels" in line for line in waits), said
    return last


# ---- while modules are imported

IMPORTED_EARLY = [
    "helio.interrupts",
    "enum",
    "threading",
    "helio.cli",
    "typer",
    "helio.cli.run",
    "helio.cli.upkeep",
]
IMPORTED_IN_A_RUN = [
    "helio.api",
    "helio.errors",
    "jsonpatch",
    "helio.pipelines.runs.session",
    "numpy",
    "pyarrow",
    "helio.store.ipc",
]


@pytest.mark.parametrize("module", IMPORTED_EARLY + IMPORTED_IN_A_RUN)
def test_at_any_import(module: str, tmp_path: Path):
    code = INTERRUPT_AT.format(module=module, times=1, number=2)
    process = start(code + COMMAND, "run", "gle73-particles", "--archive", "sample", cwd=tmp_path)
    said = interrupted(process)
    assert ("nothing was begun" in said) == (module in IMPORTED_EARLY)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module", ["typer", "helio.api", "numpy"])
def test_the_second_signal_says_nothing_more(module: str, number: int, tmp_path: Path):
    code = INTERRUPT_AT.format(module=module, times=3, number=int(number))
    interrupted(start(code + COMMAND, "run", "gle73-particles", "--archive", "sample", cwd=tmp_path))


def test_a_signal_that_is_to_be_ignored_stays_ignored(tmp_path: Path):
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code += INTERRUPT_AT.format(module="typer", times=1, number=2)
    process = start(code + COMMAND, "--version", cwd=tmp_path)
    said, _ = process.communicate(timeout=LONG)
    assert process.returncode == 0
    assert said.startswith("helio ")


# ---- where Python alone would go on, or never end

BEGIN = """
import atexit, os, signal, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from helio import interrupts
interrupts.install()
def ready():
    print("ready", flush=True)
"""
HANGS = {
    "a library that swallows it": """
def command():
    interrupts.begin_work("more is to do")
    ready()
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass
interrupts.carry_out(command)
""",
    "a main thread that no signal reaches": """
def command():
    interrupts.begin_work("more is to do")
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    ready()
    threading.Event().wait()
interrupts.carry_out(command)
""",
    "a thread that is waited for at exit": """
threading.Thread(target=time.sleep, args=(1000,)).start()
interrupts.carry_out(ready)
""",
    "a pool of threads that is waited for at exit": """
ThreadPoolExecutor(1).submit(time.sleep, 1000)
interrupts.carry_out(ready)
""",
    "a function at exit": """
atexit.register(time.sleep, 1000)
interrupts.carry_out(ready)
""",
    "a thread that fails when it is broken off": """
broken_off = threading.Event()
def fail():
    broken_off.wait()
    raise RuntimeError("broken off")
def command():
    interrupts.begin_work("more is to do")
    thread = threading.Thread(target=fail)
    thread.start()
    ready()
    try:
        time.sleep(1000)
    finally:
        broken_off.set()
        thread.join()
        raise ValueError("another error in its place")
interrupts.carry_out(command)
""",
}


@pytest.mark.parametrize("place", HANGS)
def test_in_a_place_where_python_alone_would_not_end(place: str, tmp_path: Path):
    process = start(BEGIN + HANGS[place], cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    interrupted(process)


def test_no_child_lives_on_but_one_that_tidies_up_itself(tmp_path: Path):
    code = """
def command():
    interrupts.begin_work("more is to do")
    sleep = [sys.executable, "-c", "import time; time.sleep(1000)"]
    code = f"import subprocess; inner = subprocess.Popen({sleep}); print(inner.pid, flush=True); inner.wait()"
    nest = [sys.executable, "-c", code]
    child = subprocess.Popen(nest, stdout=subprocess.PIPE, text=True, start_new_session=True)
    spared = subprocess.Popen(sleep, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    interrupts.spare(spared.pid)
    print(child.pid, child.stdout.readline().strip(), spared.pid, flush=True)
    time.sleep(1000)
interrupts.carry_out(command)
"""
    process = start(BEGIN + code, cwd=tmp_path)
    assert process.stdout is not None
    child, grandchild, spared = map(int, process.stdout.readline().split())
    try:
        process.send_signal(signal.SIGINT)
        interrupted(process)
        assert is_running(spared)
        wait_until(lambda: not any(map(is_running, (child, grandchild))), "the end of the killed processes")
    finally:
        os.kill(spared, signal.SIGKILL)


def test_the_last_actions_are_done_though_the_work_does_not_end(tmp_path: Path):
    code = """
def command():
    interrupts.begin_work("more is to do")
    interrupts.before_the_end(lambda: open("closed", "w").close())
    interrupts.before_the_end(lambda: open("open", "w").close())()
    ready()
    while True:
        try:
            time.sleep(1000)
        except KeyboardInterrupt:
            pass
interrupts.carry_out(command)
"""
    process = start(BEGIN + code, cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert interrupted(process) == "cancelled; more is to do"
    assert (tmp_path / "closed").exists()
    assert not (tmp_path / "open").exists()


def test_without_a_signal_a_mistake_shows_its_traceback(tmp_path: Path):
    process = start(BEGIN + "interrupts.carry_out(lambda: 1 / 0)", cwd=tmp_path)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 1
    assert "ZeroDivisionError" in said


# ---- in a run


@pytest.fixture
def service(tmp_path: Path) -> Iterator[CdaWebStandIn]:
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copy(sample_folder() / "sta_l1_het_20211028_v01.cdf", folder)
    with CdaWebStandIn(folder) as standin:
        yield standin


@pytest.mark.parametrize(
    ("engine", "group"), [("--direct", False), ("--direct", True), ("--ephemeral", True)]
)
def test_during_a_download_that_never_ends(service: CdaWebStandIn, tmp_path: Path, engine: str, group: bool):
    words = ["run", "gle73-particles", "--archive", "cdaweb", engine, "-o", "out"]
    service.fail("/sp_phys/data/", *[("slow", LONG)] * 9)
    code = "import os; os.setsid()\n" + COMMAND
    process = start(code, *words, cwd=tmp_path, HELIO_CDAWEB_URL=service.url)
    wait_until(lambda: service.asked("/sp_phys/data/") or process.poll() is not None, "the download")
    assert process.poll() is None
    (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
    interrupted(process)
    assert [run.status for run in Runs(tmp_path / "home" / "runs").list()] == ["cancelled"]
    assert not (tmp_path / "out").exists()
    service.mend()
    again = start(COMMAND, *words, "--direct", "--json", cwd=tmp_path, HELIO_CDAWEB_URL=service.url)
    record, said = again.communicate(timeout=LONG)
    assert again.returncode == 0, said
    assert json.loads(record)["status"] == "success"
