"""Worker processes that make the intervals of a chunk, several at the same time."""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO

from helio.service.chunk import Chunk, Made
from helio.service.worker import first_line
from helio.settings import Settings
from helio.sources.child import child_environment
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

LETTING_GO = 1.2
"""Seconds for the processes to close the records of their runs after Ctrl-C."""
OFTEN = 0.5
"""Seconds between two questions whether the chunk is to end."""

Event = TimeRange | Made
"""An interval that begins, or how it ended."""


def make_chunk(
    chunk: Chunk,
    settings: Settings,
    *,
    workers: int,
    on_event: Callable[[Event], None] = lambda event: None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Made, ...]:
    """Make all intervals of a chunk, each as a run of its own, in at most `workers` processes.

    Parameters
    ----------
    on_event : callable
        Called in this thread for each interval that begins, and for each that has ended.
    stopped : callable
        Asked now and then; when it returns True, no further interval begins, and the running ones are stopped.

    Returns
    -------
    tuple of Made
        In the order in which they ended. After an interval that was left (`Made.is_left`), no other interval begins.
    """
    ended: list[Made] = []
    total = len(chunk.intervals)
    with _crew(chunk, settings, min(workers, len(chunk.intervals))) as crew:
        while len(ended) < total:
            try:
                event = crew.events.get(timeout=OFTEN)
            except queue.Empty:
                if stopped():
                    break
                continue
            if isinstance(event, Made):
                ended.append(event)
                total -= crew.drop_rest() if event.is_left else 0
            on_event(event)
    return tuple(ended)


@contextmanager
def _crew(chunk: Chunk, settings: Settings, count: int) -> Iterator[_Crew]:
    crew = _Crew(chunk, settings, count)
    try:
        yield crew
    finally:
        crew.close()


class _Crew:
    """Threads that each feed one worker process, and the events from them."""

    def __init__(self, chunk: Chunk, settings: Settings, count: int) -> None:
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._line = json.dumps(first_line(settings, chunk))
        self._left = deque(chunk.spans)
        self._closing = threading.Event()
        self._processes: set[_Worker] = set()
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._feed, name="helio-crew", daemon=True) for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def drop_rest(self) -> int:
        """Begin no further interval; return how many there would have been."""
        dropped = 0
        with suppress(IndexError):
            while True:
                self._left.pop()
                dropped += 1
        return dropped

    def close(self) -> None:
        """End all processes: those that still work close the records of their runs."""
        with self._lock:
            self._closing.set()
            processes = tuple(self._processes)
        for process in processes:
            process.hang_up()
        end = time.monotonic() + LETTING_GO
        for process in processes:
            process.wait(max(0.0, end - time.monotonic()))
        for thread in self._threads:
            thread.join()
        for process in processes:
            process.close()

    def _feed(self) -> None:
        worker: _Worker | None = None
        with suppress(IndexError):
            while not self._closing.is_set():
                span = self._left.popleft()
                worker = worker if worker is not None and worker.is_alive else self._start()
                if worker is None:
                    return
                self.events.put(span)
                made = worker.make(span)
                if not self._closing.is_set():
                    self.events.put(made)
        if worker is not None and not self._closing.is_set():
            worker.dismiss()

    def _start(self) -> _Worker | None:
        with self._lock:
            if self._closing.is_set():
                return None
            worker = _Worker(self._line)
            self._processes.add(worker)
            return worker


class _Worker:
    """A process that runs `helio.service.worker`."""

    def __init__(self, line: str) -> None:
        self._messages: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "helio.service.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            # the network needs the user's proxy and certificates
            env={**os.environ, "PYTHONPATH": child_environment()["PYTHONPATH"]},
            start_new_session=True,  # Ctrl-C reaches only this process, which decides
            encoding="utf-8",
        )
        self._say(line)

    @property
    def is_alive(self) -> bool:
        """Return whether the process still runs."""
        return self._process.poll() is None

    def make(self, span: TimeRange) -> Made:
        """Let the process make an interval; an interval whose process has died has failed."""
        assert self._process.stdout is not None
        self._say(json.dumps(span.as_iso()))
        answer = self._process.stdout.readline()
        if answer.endswith("\n"):
            return Made(**json.loads(answer))
        start, stop = span.as_iso()
        return Made(start, stop, "failed", self._how_it_died(), "run the same command again")

    def dismiss(self) -> None:
        """Let the process end in order."""
        self._say("null")
        self.wait(LETTING_GO)

    def hang_up(self) -> None:
        """Close the input of the process, which then stops its run and ends."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def wait(self, seconds: float) -> None:
        """Wait until the process has ended; kill it after some seconds."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Close all files of a process that has ended."""
        with suppress(BrokenPipeError):  # a line that it did not read
            self._process.__exit__(None, None, None)
        self._messages.close()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ValueError):  # it has died or was hung up; its answer tells
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _how_it_died(self) -> str:
        code = self._process.wait()
        self._messages.seek(0)
        messages = self._messages.read().decode(errors="replace")
        log.info("a worker process of the backfill ended with code %d:\n%s", code, messages)
        if code < 0:
            return f"the process of the run was killed (signal {-code})"
        last = messages.strip().splitlines()[-1:] or ["no message"]
        return f"the process of the run failed: {last[0]}"
