"""Limit on simultaneous requests to one server, shared by all helio processes of a user."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.errors import Cancelled

log = logging.getLogger(__name__)

_LOOKS_UP = 0.05
"""Seconds between two checks whether another request may be sent."""
_PATIENCE = 60.0
"""Seconds after which helio sends a request without waiting longer: other processes may be stopped, or busy
with a long file.
"""


class HostPlaces:
    """Lock files that limit the requests to each host: every request holds one of them. If a process dies, the system
    releases its locks.

    If files cannot be locked, or the folder cannot be written, helio sends requests without locks.

    Parameters
    ----------
    folder : Path
        Folder of the lock files, the same for all processes.
    places : int
        Maximum number of simultaneous requests to a host.
    patience : float
        Maximum number of seconds that a request waits.
    """

    def __init__(self, folder: Path, places: int, *, patience: float = _PATIENCE) -> None:
        self._folder = folder
        self._places = places
        self._patience = patience

    @contextmanager
    def place(self, host: str, ended: threading.Event) -> Iterator[None]:
        """Wait until the host may get another request, and hold a lock for this request; stop waiting if the event is
        set.

        Raises
        ------
        Cancelled
            The event was set before a place was free.
        """
        descriptor = self._wait(host, ended)
        try:
            yield
        finally:
            if descriptor is not None:
                os.close(descriptor)  # which unlocks it

    def _wait(self, host: str, ended: threading.Event) -> int | None:
        name = hashlib.sha256(host.encode()).hexdigest()[:24]
        until = time.monotonic() + self._patience
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            while True:
                for number in range(self._places):
                    descriptor = _locked(self._folder / f"{name}.{number}")
                    if descriptor is not None:
                        return descriptor
                if time.monotonic() > until:
                    log.info(
                        "%s: other processes have used all connections for a long time; helio sends "
                        "its request without waiting further",
                        host,
                    )
                    return None
                if ended.wait(_LOOKS_UP):
                    raise Cancelled("cancelled")
        except OSError as error:
            log.info("%s: cannot wait for the requests of other processes: %s", host, error)
            return None


def _locked(path: Path) -> int | None:
    """Open and lock a file; return None if another process has locked the file."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
