"""Keep what the run records say, and read only records that are new or have changed."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass

from helio.errors import DamagedRecord, UnknownRun
from helio.pipelines.runs.intervals import IntervalRun, read_run
from helio.store.runs import HEADER, RunRecord, Runs

log = logging.getLogger(__name__)


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


class KnownRuns:
    """All runs in a folder of run records.

    Parameters
    ----------
    runs : Runs
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._known: dict[str, KnownRun] = {}

    def read(self) -> dict[str, KnownRun]:
        """Return all runs by id; read the records that are new, have changed, or belong to running runs."""
        now: dict[str, KnownRun] = {}
        for run_id in self._runs.ids():
            record = RunRecord(self._runs.root / run_id)
            try:
                written = os.stat(record.folder / HEADER).st_mtime_ns
            except OSError:  # deleted meanwhile, or without a header
                now[run_id] = KnownRun(None, 0)
                continue
            known = self._known.get(run_id)
            finished = known is not None and (known.run is None or known.run.state != "running")
            now[run_id] = known if known and finished and known.written == written else _read(record, written)
        self._known = now
        return now


def _read(record: RunRecord, written: int) -> KnownRun:
    try:
        return KnownRun(read_run(record), written)
    except (DamagedRecord, UnknownRun) as error:
        log.warning("%s; the gallery leaves the run out", error.message)
        return KnownRun(None, written)
