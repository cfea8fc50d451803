"""Identify the process that wrote a file, so that helio recognises files of processes that have died."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from helio.store.records import Count

Fate = Literal["works", "gone", "elsewhere"]
"""State of a process: ``elsewhere`` if it is on another machine or in another container, so that its
state is unknown."""

HIDDEN = "?"

_MARK = re.compile(r"([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9]+)-([0-9A-Za-z]*)-[0-9a-f]{12}")


@dataclass(frozen=True)
class Process:
    """Identity of a process, different for every process on every machine.

    Parameters
    ----------
    pid : int
    started : str
        Start time by the kernel's count: distinguishes a later process with the same number.
    boot : str
        Id of the machine's boot; process numbers and start times begin again with each boot.
    host : str
        The name of the machine.
    namespace : str
        Namespace of the process number; empty where there are no containers.
    """

    pid: Count
    started: str
    boot: str
    host: str
    namespace: str

    @property
    def fate(self) -> Fate:
        """Return the state of the process, as far as this machine can know it."""
        here = this_process()
        if self.boot != here.boot:
            return "gone" if self.host == here.host else "elsewhere"
        if self.namespace != here.namespace or (not self.boot and self.host != here.host):
            return "elsewhere"
        now = started(self.pid)
        if now == HIDDEN:
            return "elsewhere"
        return "works" if self.started and now == self.started else "gone"

    def to_json(self) -> dict[str, Any]:
        """Convert the identity to JSON, for a record."""
        return asdict(self)


def this_process() -> Process:
    """Return the identity of the calling process."""
    return _process(os.getpid())


def temporary_name() -> str:
    """Return a new name for a temporary file; the name identifies this process."""
    process = this_process()
    places = "-".join(_short(fact) for fact in (process.host, process.boot, process.namespace))
    return f"{places}-{process.pid}-{process.started}-{os.urandom(6).hex()}"


def fate_of_writer(name: str) -> Fate | None:
    """Return the state of the process that made a temporary file, from the file's name; return None for other names."""
    mark = _MARK.fullmatch(name)
    if not mark:
        return None
    # A name contains short forms only: replace those that match this machine with the full values.
    here = this_process()
    full = {_short(fact): fact for fact in (here.host, here.boot, here.namespace)}
    host, boot, namespace = (full.get(short, short) for short in mark.groups()[:3])
    return Process(int(mark[4]), mark[5], boot, host, namespace).fate


def started(pid: int) -> str:
    """Return a text that says when a process started, only for comparison; "" if it has ended, `HIDDEN` if unknown."""
    if sys.platform != "linux":
        return _output_of(["ps", "-o", "lstart=", "-p", str(pid)])
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return HIDDEN if _is_hidden(pid) else ""
    # The name in parentheses may contain anything, so count fields after it: state is field 3, start is 22.
    fields = stat[stat.rindex(")") + 2 :].split()
    return (
        "" if fields[0] in "ZX" else fields[19]
    )  # a zombie has ended, though its parent has not yet waited for it


def _is_hidden(pid: int) -> bool:
    """Return whether a process exists but is missing from /proc; /proc may show only the processes of the same user."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False  # it was ours, and ended between the two checks


@functools.lru_cache(maxsize=4)
def _process(pid: int) -> Process:  # by number, so that a fork does not take its parent's name
    if sys.platform == "linux":
        boot = namespace = ""  # some containers show neither
        with suppress(FileNotFoundError, PermissionError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        with suppress(FileNotFoundError, PermissionError):
            namespace = os.readlink("/proc/self/ns/pid")
    else:
        boot, namespace = _output_of(["sysctl", "-n", "kern.bootsessionuuid"]), ""
    return Process(pid, started(pid), boot, socket.gethostname(), namespace)


def _output_of(command: list[str]) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return re.sub(r"[^0-9A-Za-z]", "", answer.stdout)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
