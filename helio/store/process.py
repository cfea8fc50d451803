"""Which process wrote something, so that one that is gone is told from one that works."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import secrets
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Process:
    """A process among all that ever ran on this machine and others.

    Parameters
    ----------
    pid : int
    started : str
        When it started, as the kernel counts: tells it from a later process with a recycled number.
    boot : str
        The boot of the machine: numbers and starts begin anew with each.
    host : str
        The machine, and on Linux the namespace in which the number counts.
    """

    pid: int
    started: str
    boot: str
    host: str

    @property
    def gone(self) -> bool:
        """Whether it has certainly ended; False for one on another machine, of which nothing is known."""
        here = this_process()
        if self.host != here.host:
            return False
        return self.boot != here.boot or started(self.pid) != self.started

    @property
    def mark(self) -> str:
        """The process in a file's name; `gone_by_mark` reads it."""
        return f"{_short(self.host)}-{_short(self.boot)}-{self.pid}-{self.started}"

    def to_json(self) -> dict[str, Any]:
        """As a record keeps it."""
        return asdict(self)


def this_process() -> Process:
    """The process that asks."""
    return _process(os.getpid())


def temporary_name() -> str:
    """A new name for a file or folder that this process makes and will move to its place."""
    return f"{this_process().mark}-{secrets.token_hex(6)}"


def gone_by_mark(name: str) -> bool | None:
    """Whether the writer of a temporary name is gone; None where that cannot be known."""
    found = re.fullmatch(r"([0-9a-f]{8})-([0-9a-f]{8})-([0-9]+)-([0-9A-Za-z]*)-[0-9a-f]{12}", name)
    here = this_process()
    if not found or found[1] != _short(here.host):
        return None
    return found[2] != _short(here.boot) or started(int(found[3])) != found[4]


def started(pid: int) -> str:
    """When a process started, in a form that only equality means something for; empty when it is gone."""
    if sys.platform != "linux":
        return _said(["ps", "-o", "lstart=", "-p", str(pid)])
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    # The name in parentheses may hold anything, so fields are counted behind its end: state is field 3, start 22.
    fields = stat[stat.rindex(")") + 2 :].split()
    return "" if fields[0] in "ZX" else fields[19]  # a zombie has ended, though its parent has not yet asked


@functools.lru_cache(maxsize=4)
def _process(pid: int) -> Process:  # by number, so that a fork does not take its parent's name
    if sys.platform == "linux":
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        host = f"{socket.gethostname()} {os.readlink('/proc/self/ns/pid')}"
    else:
        boot, host = _said(["sysctl", "-n", "kern.bootsessionuuid"]), socket.gethostname()
    return Process(pid, started(pid), boot, host)


def _said(command: list[str]) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return re.sub(r"[^0-9A-Za-z]", "", answer.stdout)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
