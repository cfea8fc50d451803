"""Keep what the run records say, and read only records that are new or have changed.

A file in helio's home keeps it for the next process, because reading ten thousand records takes long.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from helio import __version__
from helio.errors import DamagedRecord, OutputError, UnknownRun
from helio.pipelines.runs.basis import Basis
from helio.pipelines.runs.intervals import IntervalRun, read_run
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.runs import HEADER, RunRecord, Runs
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

FORM = 6
"""Version of the kept file. Raise it with every change of `IntervalRun` or of what `read_run` reads."""


@dataclass(frozen=True)
class KnownRun:
    """A run, and the state of its record when it was read.

    Parameters
    ----------
    run : IntervalRun or None
        None if the record is damaged.
    written : int
        When the header of the record was written, in nanoseconds.
    """

    run: IntervalRun | None
    written: int

    @property
    def is_final(self) -> bool:
        """Return whether the run has ended, so that its record does not change any more."""
        return self.run is not None and self.run.state != "running"


class KnownRuns:
    """All runs in a folder of run records.

    Parameters
    ----------
    runs : Runs
    kept : Path
        The file that keeps what the records say.
    """

    def __init__(self, runs: Runs, kept: Path) -> None:
        self._runs = runs
        self._kept = kept
        self._known = _read_kept(kept)

    def read(self) -> dict[str, KnownRun]:
        """Return all runs by id; read the records that are new, have changed, or belong to running runs."""
        now: dict[str, KnownRun] = {}
        changed = False
        for run_id in self._runs.ids():
            record = RunRecord(self._runs.root / run_id)
            try:
                written = os.stat(f"{self._runs.root}/{run_id}/{HEADER}").st_mtime_ns
            except OSError:  # deleted meanwhile, or without a header
                now[run_id] = KnownRun(None, 0)
                continue
            known = self._known.get(run_id)
            if known is not None and known.written == written and known.is_final:
                now[run_id] = known
            else:
                now[run_id] = _read(record, written)
                changed = changed or now[run_id].is_final
        if changed or len(now) != len(self._known):
            _keep(self._kept, now)
        self._known = now
        return now


def known_runs_of(settings: Settings) -> KnownRuns:
    """Return all runs of a home folder, with the file that every process of helio shares."""
    return KnownRuns(Runs(settings.runs), settings.home / "gallery" / "runs.json")


def _read(record: RunRecord, written: int) -> KnownRun:
    try:
        return KnownRun(read_run(record), written)
    except (DamagedRecord, UnknownRun) as error:
        log.warning("%s; the gallery leaves the run out", error.message)
        return KnownRun(None, written)


def _keep(path: Path, known: Mapping[str, KnownRun]) -> None:
    """Write the runs that have ended, with a digest of the text; what cannot be written is read again next time."""
    rows = [
        [
            run.written,
            {
                **vars(run.run),
                "span": run.run.span and run.run.span.as_iso(),
                "basis": run.run.basis and vars(run.run.basis),
            },
        ]
        for run in known.values()
        if run.run is not None and run.is_final
    ]
    text = json.dumps(rows, default=datetime.isoformat)
    try:
        write_whole(path, f"{_seal(text)}\n{text}".encode(), durable=False)
    except OutputError as error:
        log.warning("%s; the gallery reads all run records again next time", error.message)


def _read_kept(path: Path) -> dict[str, KnownRun]:
    """Read what this version of helio has kept; nothing if there is no such file or if it is damaged."""
    try:
        seal, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, UnicodeDecodeError):
        return {}
    if seal != _seal(text):
        return {}
    return {facts["id"]: KnownRun(_run_of(facts), written) for written, facts in json.loads(text)}


def _run_of(facts: dict[str, Any]) -> IntervalRun:
    return IntervalRun(
        **facts
        | {
            "span": facts["span"] and TimeRange.from_iso(*facts["span"]),
            "started_at": datetime.fromisoformat(facts["started_at"]),
            "now": facts["now"] and datetime.fromisoformat(facts["now"]),
            "files": tuple(facts["files"]),
            "basis": facts["basis"] and Basis(**facts["basis"]),
            "events": tuple(facts["events"]),
        }
    )


def _seal(text: str) -> str:
    """Return a digest of the text and of the version that wrote it."""
    return hashlib.sha256(f"{FORM} {__version__}\n{text}".encode(errors="surrogatepass")).hexdigest()
