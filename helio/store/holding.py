"""A lock between processes that write one thing; the kernel lets go of it when its holder dies."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.store.files import unwritable


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock that a file stands for, waiting for whoever has it; threads of one process exclude each other too.

    Parameters
    ----------
    path : Path
        Made when it is not there, and left there: to remove it would let two hold a lock each.

    Raises
    ------
    OutputError
        The file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("ab")
    except OSError as error:
        raise unwritable(path, error) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
