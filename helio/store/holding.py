"""A lock that lets only one process at a time write certain files; the system frees the lock when the process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.store.files import unwritable


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Lock a file for a ``with`` block: wait until no other process and no other thread of this process has the lock.

    Parameters
    ----------
    path : Path
        Created when missing, and never removed: otherwise two processes could hold one lock each.

    Raises
    ------
    OutputError
        The file cannot be created.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # not blocking: a pipe there would wait for a reader
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise unwritable(path, error) from error
    with os.fdopen(descriptor, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
