"""Run steps in separate processes, which a time limit, a memory limit or Ctrl-C can end at any time."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any, Self

from helio.errors import Cancelled, StepError, WorkerKilled
from helio.sources import child
from helio.steps.sandbox.parts import Policy

_STARTUP_SECONDS = 60.0


class Workers:
    """Pool of at most `count` processes, which start when they are needed; several threads may share the pool.

    Parameters
    ----------
    count : int
        Maximum number of steps at the same time.
    time_limit : float
        Maximum seconds of one step; then its process is killed.
    memory_limit : int, optional
        Maximum bytes of address space of one process. Default: three quarters of the machine's memory.
    sandbox : "refuse" or "weak"
        Whether code in a template runs where the machine lacks a part of the sandbox.
    """

    def __init__(
        self,
        count: int,
        *,
        time_limit: float = 900.0,
        memory_limit: int | None = None,
        sandbox: Policy = "refuse",
    ) -> None:
        self._time_limit = time_limit
        self._arguments = (str(memory_limit or child.memory_limit()), sandbox)
        self._free = threading.BoundedSemaphore(count)
        self._lock = threading.Lock()
        self._idle: list[_WorkerProcess] = []
        self._busy: set[_WorkerProcess] = set()
        self._cancelled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self, *, code: bool = False) -> None:
        """Start one process before it is needed, and do not wait for it.

        Parameters
        ----------
        code : bool
            Whether code of a template will run, so that its jail is started too.
        """
        with self._lock:
            if not self._idle and not self._busy:
                self._idle.append(_WorkerProcess(*self._arguments, *(["code"] if code else [])))

    def run(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request to a free process, and return the reply of the process.

        Raises
        ------
        StepError
            The step took too long.
        WorkerKilled
            The process of the step was killed from outside or for its memory.
        Cancelled
            `cancel` was called.
        """
        with self._free:
            process = self._take()
            try:
                answer = process.ask(request, self._time_limit)
            except TimeoutError as error:
                self._drop(process)
                raise StepError(
                    f"the step took longer than {self._time_limit:g} s and was stopped",
                    advice="choose a shorter time range, or set HELIO_STEP_SECONDS to a higher value",
                ) from error
            except EOFError as error:
                code, messages = self._drop(process)
                if self._cancelled:
                    raise Cancelled("cancelled") from error
                if code < 0:
                    raise WorkerKilled(
                        f"the process of the step was killed (signal {-code})",
                        advice="choose a shorter time range if memory ran out",
                    ) from error
                raise RuntimeError(f"the process of the step failed:\n{messages}") from error
            except BaseException:
                self._drop(process)
                raise
            with self._lock:
                self._busy.discard(process)
                self._idle.append(process)
            return answer

    def cancel(self) -> None:
        """End all work at once; a call of `run` that is waiting raises `Cancelled`."""
        with self._lock:
            self._cancelled = True
            for process in (*self._busy, *self._idle):
                process.kill()

    def close(self) -> None:
        """End all processes of the pool."""
        with self._lock:
            processes = (*self._busy, *self._idle)
            self._busy, self._idle = set(), []
        for process in processes:
            process.end()

    def _take(self) -> _WorkerProcess:
        with self._lock:
            if self._cancelled:
                raise Cancelled("cancelled")
            while self._idle:
                process = self._idle.pop()
                if process.has_ended():
                    process.end()
                    continue
                break
            else:
                process = _WorkerProcess(*self._arguments)
            self._busy.add(process)
            return process

    def _drop(self, process: _WorkerProcess) -> tuple[int, str]:
        with self._lock:
            self._busy.discard(process)
        return process.end()


class _WorkerProcess:
    """One process of the pool; it runs `helio.pipelines.runs.worker_process`."""

    def __init__(self, *arguments: str) -> None:
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "helio.pipelines.runs.worker_process", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env=child.child_environment(),
            start_new_session=True,  # Ctrl-C reaches only the parent, which decides
        )
        self._unread = b""
        self._ready = False

    def has_ended(self) -> bool:
        """Return whether the process is no longer running, for example because it crashed between two requests."""
        return self._process.poll() is not None

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request to the process and wait for the reply."""
        if not self._ready:
            self._line(time.monotonic() + _STARTUP_SECONDS)
            self._ready = True
        deadline = time.monotonic() + seconds
        line = json.dumps(request).encode() + b"\n"
        try:
            while line:
                line = line[os.write(_descriptor(self._process.stdin), line) :]
        except BrokenPipeError as error:
            raise EOFError from error
        answer: dict[str, Any] = json.loads(self._line(deadline))
        return answer

    def kill(self) -> None:
        """Kill the process without waiting for its end."""
        self._process.kill()

    def end(self) -> tuple[int, str]:
        """Kill the process; return its exit code and everything that it wrote to standard error."""
        if self._stderr.closed:
            return self._process.returncode, ""
        # A dying process has closed its output; its own exit code says more than that of a kill.
        try:
            code = self._process.wait(timeout=2.0 if self._unread == b"" and self._hung_up() else 0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._stderr.seek(0)
        messages = self._stderr.read().decode(errors="replace")
        self._stderr.close()
        return code, messages

    def _hung_up(self) -> bool:
        poll = select.poll()
        poll.register(_descriptor(self._process.stdout), select.POLLHUP)
        return any(event & select.POLLHUP for _, event in poll.poll(0))

    def _line(self, deadline: float) -> bytes:
        output = _descriptor(self._process.stdout)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        while b"\n" not in self._unread:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise TimeoutError
            some = os.read(output, 1 << 16)
            if not some:
                raise EOFError
            self._unread += some
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _descriptor(pipe: IO[bytes] | None) -> int:
    if pipe is None or pipe.closed:
        raise EOFError
    return pipe.fileno()
