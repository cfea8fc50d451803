"""Which processes of this machine live, for tests that start some; a process may end while one looks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def is_running(process: int) -> bool:
    """Return whether a process has not ended; one that has, and that nobody asked for yet, is not running."""
    return _stat(process)[:1] not in ([], ["Z"], ["X"])


def descendants(process: int) -> list[int]:
    """Return all processes below one, each before its own, whichever of its threads started them."""
    children: list[str] = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            children += thread.read_text(encoding="ascii").split()
    return [pid for child in map(int, children) for pid in (child, *descendants(child))]


def command_of(process: int) -> list[str]:
    """Return the words of the command of a process; none if it is gone, or has not read its command yet."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")[:-1]
    except (FileNotFoundError, ProcessLookupError):
        return []


def members(group: int) -> list[int]:
    """Return the running processes of a process group."""
    processes = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    return [process for process in processes if is_running(process) and _stat(process)[2:3] == [str(group)]]


def _stat(process: int) -> list[str]:
    """Return the fields of a process behind its name: state, parent, group and others; none if it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
