"""Replies of servers, saved as JSON files together with the time of each reply."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from helio.errors import DamagedRecord, OutputError
from helio.store.files import note_use, write_whole
from helio.store.records import Seconds, WrongShape, convert, read_record

log = logging.getLogger(__name__)

LARGEST = 1024**3
"""Maximum size of a saved reply in bytes."""


@dataclass(frozen=True)
class SavedReply:
    """Saved reply of a server, or the part of a reply that helio needs."""

    content: Any
    saved_at: Seconds
    """Time when the reply was saved, in seconds since 1970, UTC."""

    @property
    def said(self) -> datetime:
        """Time when the reply was saved, as a datetime in UTC."""
        return datetime(1970, 1, 1) + timedelta(seconds=self.saved_at)


class SavedReplies:
    """Saved replies below one folder; a reply is either completely there or absent.

    Parameters
    ----------
    root : Path
    now : callable
        Seconds since 1970, UTC.
    """

    def __init__(self, root: Path, now: Callable[[], float]) -> None:
        self._root = root
        self._now = now
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}

    @contextmanager
    def alone(self, name: str) -> Iterator[None]:
        """Let only one thread at a time work on a name, so that two steps do not request the same reply."""
        with self._lock:
            lock = self._asking.setdefault(name, threading.Lock())
        with lock:
            yield

    def load(self, name: str, kind: Any = Any, *, longest: float | None = None) -> SavedReply | None:
        """Load a saved reply; return None if the reply is missing, damaged, or older than `longest` seconds.

        Parameters
        ----------
        kind : type
            Type of the saved content, as for `helio.store.records.convert`.
        """
        path = self._root / f"{name}.json"
        saved = _read(path, kind)
        if saved is None or (longest is not None and not 0 <= self._now() - saved.saved_at <= longest):
            return None
        note_use(path)
        return saved

    def load_all(self, folder: str, kind: Any = Any) -> Iterator[SavedReply]:
        """Load all replies that are saved in one folder, in order of their names."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for path in sorted((self._root / folder).iterdir()):
                saved = _read(path, kind) if path.suffix == ".json" else None
                if saved is not None:
                    yield saved

    def save(self, name: str, content: Any) -> SavedReply:
        """Save a reply; if the folder cannot be written, save nothing, and a later run requests the reply again."""
        saved = SavedReply(content, self._now())
        text = json.dumps({"saved_at": saved.saved_at, "content": content})
        try:
            write_whole(self._root / f"{name}.json", text.encode(), durable=False)
        except OutputError as error:
            log.warning("a reply was not saved: %s", error.message)
        return saved

    def forget(self, name: str) -> None:
        """Delete a saved reply."""
        with suppress(OSError):
            (self._root / f"{name}.json").unlink()


def _read(path: Path, kind: Any) -> SavedReply | None:
    try:
        saved = read_record(path, SavedReply, largest=LARGEST)
        return replace(saved, content=convert(saved.content, kind, "content"))
    except FileNotFoundError:
        return None
    except (DamagedRecord, WrongShape) as error:
        log.warning("%s: %s; helio requests the reply again", path, error)
        return None
