"""A process that makes intervals of a chunk: a chunk and intervals come in, one line of JSON each; endings go out.

The first line has the settings, the command and the chunk; each further line is an interval. When its input ends, the
process stops its run as Ctrl-C does, so that nothing goes on after `helio backfill` was killed.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import pickle
import queue
import signal
import sys
import threading
from dataclasses import asdict, replace
from typing import IO, Any

from helio import interrupts
from helio.errors import Cancelled
from helio.pipelines.runs.session import open_processes
from helio.service.chunk import Chunk, make_interval
from helio.settings import Settings
from helio.time_range import TimeRange


def first_line(settings: Settings, chunk: Chunk) -> dict[str, Any]:
    """Return what a worker process must read first; only a process of the same user may read it."""
    return {
        "settings": base64.b64encode(pickle.dumps(settings)).decode(),
        "command": sys.argv,
        "chunk": chunk.to_json(),
    }


def work(lines: IO[str], answers: IO[str]) -> None:
    """Make the intervals that come in; write how each ended."""
    begun = json.loads(lines.readline())
    settings: Settings = pickle.loads(base64.b64decode(begun["settings"]))
    chunk = Chunk.from_json(begun["chunk"])
    sys.argv = begun["command"]  # a run's record names the command of the user
    _log_to(settings)
    intervals: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines, intervals), name="helio-intervals", daemon=True).start()
    # the processes of a chunk share the work between intervals, not between steps
    settings = replace(settings, workers=1)
    with open_processes(settings) as processes:
        while (interval := intervals.get()) is not None:
            made = make_interval(chunk, TimeRange.from_iso(*interval), settings, processes)
            answers.write(json.dumps(asdict(made)) + "\n")
            answers.flush()


def _read(lines: IO[str], intervals: queue.SimpleQueue[list[str] | None]) -> None:
    """Put each interval into the queue; stop the process if the lines end before the last one, which is ``null``."""
    for line in lines:
        interval = json.loads(line)
        intervals.put(interval)
        if interval is None:
            return
    os.kill(os.getpid(), signal.SIGTERM)


def _log_to(settings: Settings) -> None:
    """Add the messages of this process to the log of all commands."""
    root = logging.getLogger("helio")
    root.propagate = False
    root.setLevel(logging.INFO)
    if settings.log_file.parent.is_dir():
        written = logging.FileHandler(settings.log_file, encoding="utf-8", errors="backslashreplace")
        written.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(written)


def main() -> None:
    """Work until there are no more intervals, or until a signal."""
    interrupts.install()
    interrupts.begin_work("the run was stopped")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may write between the answers
    try:
        work(sys.stdin, answers)
    except (Cancelled, KeyboardInterrupt, BrokenPipeError):
        interrupts.end()


if __name__ == "__main__":
    interrupts.carry_out(main)
