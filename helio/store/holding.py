"""A lock between processes that write the same files; the system releases it when its process ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.store.files import unwritable


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a file, waiting until it is free; it also excludes other threads of this process.

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
