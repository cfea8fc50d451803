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
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from helio.store.records import Count

Fate = Literal["works", "gone", "elsewhere"]
"""What is known of a process: of one on another machine, or in another container, nothing."""

HIDDEN = "?"

_MARK = re.compile(r"([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{8})-([0-9]+)-([0-9A-Za-z]*)-[0-9a-f]{12}")


@dataclass(frozen=True)
class Process:
    """A process among all that ever ran on this machine and others.

    Parameters
    ----------
    pid : int
    started : str
        When it started, as the kernel counts: tells it from a later process with a recycled number.
    boot : str
        The boot of the machine, of which there is one only; numbers and starts begin anew with each.
    host : str
        The name of the machine.
    namespace : str
        Within which the number counts; empty where there are no containers.
    """

    pid: Count
    started: str
    boot: str
    host: str
    namespace: str

    @property
    def fate(self) -> Fate:
        """Whether it still works, as far as can be known here. No clock is asked."""
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
        """As a record keeps it."""
        return asdict(self)


def this_process() -> Process:
    """The process that asks."""
    return _process(os.getpid())


def temporary_name() -> str:
    """A new name for a file or folder that this process makes and will move to its place."""
    one = this_process()
    places = "-".join(_short(place) for place in (one.host, one.boot, one.namespace))
    return f"{places}-{one.pid}-{one.started}-{secrets.token_hex(6)}"


def fate_of_writer(name: str) -> Fate | None:
    """What became of the process that made a temporary name; None when it is no such name."""
    found = _MARK.fullmatch(name)
    if not found:
        return None
    # What stands in a name is shortened, so it is put in the place of what it can be compared with.
    here = this_process()
    full = {_short(place): place for place in (here.host, here.boot, here.namespace)}
    host, boot, namespace = (full.get(short, short) for short in found.groups()[:3])
    return Process(int(found[4]), found[5], boot, host, namespace).fate


def started(pid: int) -> str:
    """When a process started, only to be compared; empty when it is gone, `HIDDEN` when we may not know."""
    if sys.platform != "linux":
        return _said(["ps", "-o", "lstart=", "-p", str(pid)])
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return HIDDEN if _is_hidden(pid) else ""
    # The name in parentheses may hold anything, so fields are counted behind its end: state is field 3, start 22.
    fields = stat[stat.rindex(")") + 2 :].split()
    return "" if fields[0] in "ZX" else fields[19]  # a zombie has ended, though its parent has not yet asked


def _is_hidden(pid: int) -> bool:
    """Whether it is there all the same: /proc may be mounted so that it shows one's own processes only."""
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return False  # ours, and it has ended between the two looks


@functools.lru_cache(maxsize=4)
def _process(pid: int) -> Process:  # by number, so that a fork does not take its parent's name
    if sys.platform == "linux":
        boot = namespace = ""  # some containers show neither
        with suppress(FileNotFoundError, PermissionError):
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        with suppress(FileNotFoundError, PermissionError):
            namespace = os.readlink("/proc/self/ns/pid")
    else:
        boot, namespace = _said(["sysctl", "-n", "kern.bootsessionuuid"]), ""
    return Process(pid, started(pid), boot, socket.gethostname(), namespace)


def _said(command: list[str]) -> str:
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return re.sub(r"[^0-9A-Za-z]", "", answer.stdout)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
