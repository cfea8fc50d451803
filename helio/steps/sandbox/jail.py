"""The sandbox: a parent process, started at first use, runs code of templates in child processes without rights."""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import IO, TYPE_CHECKING, Any, Self

from helio.errors import BadResult, CodeFailed, CodeRefused, NoSandbox
from helio.sources import child
from helio.steps.sandbox.limits import SandboxLimits
from helio.steps.sandbox.parts import Part, Policy, check_parts, check_system, parts

if TYPE_CHECKING:
    from helio.steps.sandbox.exchange import Returned
    from helio.store.table import Table

_STARTUP_SECONDS = 60.0
_GRACE_SECONDS = 5.0
"""The parent process gets this many seconds after the time limit, to report that it has stopped the operation."""
_LONGEST_ANSWER = 1 << 20
_LONGEST_SHOWN = 300
_LONGEST_REQUEST = 150_000
"""The largest size of a request in bytes; the longest code that the allow-list accepts fits into it."""
_PER_INPUT = 8
"""Bytes of address space that an operation gets per byte of input tables, for copies and intermediate results."""


class Jail:
    """A sandbox that runs untrusted code, one operation at a time; a context manager that several threads can use.

    The parent process starts with the first operation, or with `start`. It ends with `close`, or when the process
    that owns the jail ends.

    Parameters
    ----------
    policy : "refuse" or "weak"
        ``"weak"`` lets code run on a machine that lacks some protections; the most important ones are always required.
    limits : SandboxLimits
        Of one operation.
    lifeline : int, optional
        A pipe; when its other end is closed, running code is stopped.
    """

    def __init__(
        self, *, policy: Policy = "refuse", limits: SandboxLimits | None = None, lifeline: int | None = None
    ) -> None:
        self._policy = policy
        self._limits = limits or SandboxLimits()
        self._lifeline = lifeline
        self._zygote: _ZygoteProcess | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the parent process, and do not wait until it is ready.

        Raises
        ------
        NoSandbox
            On another system than Linux.
        """
        with self._lock:
            self._started()

    def parts(self) -> tuple[Part, ...]:
        """Wait until the parent process is ready, and return the protections and which of them this machine has."""
        with self._lock:
            return self._started().parts()

    def run(self, code: str, tables: Sequence[tuple[str, Table]] = ()) -> Returned:
        """Run code in the sandbox, and return its result.

        The caller must check the code against the allow-list first.

        Parameters
        ----------
        code : str
        tables : sequence of (str, Table)
            Tables that code finds as ``df_NAME`` or ``da_NAME``, the first also as ``df`` or ``da``.

        Returns
        -------
        Returned
            The value of ``result`` after the code has run.

        Raises
        ------
        CodeRefused
            The code is far too long.
        CodeFailed
            The code raised an error, tried something that is not allowed, or exceeded a limit.
        BadResult
            The result cannot be read.
        NoSandbox
            The machine lacks a protection that the policy requires.
        """
        from helio.steps.sandbox.exchange import NotReadableError, pack, unpack_result

        packed = pack(tables)
        limits = replace(self._limits, memory=self._limits.memory + _PER_INPUT * len(packed))
        with self._lock:
            zygote = self._started()
            check_parts(zygote.parts(), self._policy)
            try:
                answer, written = zygote.ask(code, packed, limits)
            except (EOFError, TimeoutError) as error:
                self._stop()
                raise CodeFailed(
                    "the process that runs the code was killed",
                    advice="try again; if it fails again, run `helio doctor`",
                ) from error
            except BaseException:
                self._stop()
                raise
        if answer.get("ok") is not True:
            raise _failure(answer, limits, tables)
        try:
            return unpack_result(written, limits)
        except NotReadableError as error:
            raise BadResult(f"the result of the code cannot be read: {_plain(str(error))}") from error

    def close(self) -> None:
        """Stop the parent process and all code that is running."""
        with self._lock:
            self._stop()

    def _started(self) -> _ZygoteProcess:
        check_system()
        if self._zygote is not None and self._zygote.has_ended():
            self._stop()
        if self._zygote is None:
            self._zygote = _ZygoteProcess(self._lifeline)
        return self._zygote

    def _stop(self) -> None:
        if self._zygote is not None:
            self._zygote.end()
        self._zygote = None


def find_parts() -> tuple[Part, ...]:
    """Find quickly which protections this machine has, without the imports that code needs.

    Raises
    ------
    NoSandbox
        On another system than Linux.
    """
    check_system()
    zygote = _ZygoteProcess(None, "--cold")
    try:
        return zygote.parts()
    finally:
        zygote.end()


class _ZygoteProcess:
    """The parent process of the sandbox, which runs the module `helio.steps.sandbox.zygote`."""

    def __init__(self, lifeline: int | None, *options: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket, self._lifeline = ours, lifeline
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._parts: tuple[Part, ...] | None = None
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "helio.steps.sandbox.zygote", str(theirs.fileno()), *options],
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for the waiting process, which then closes the jail
            )

    def has_ended(self) -> bool:
        """Return whether the parent process has ended although helio did not end it."""
        return self._process.poll() is not None

    def parts(self) -> tuple[Part, ...]:
        """Wait until the parent process is ready, and return the protections and which of them this machine has."""
        if self._parts is None:
            try:
                ready = self._receive(time.monotonic() + _STARTUP_SECONDS)
            except (EOFError, TimeoutError) as error:
                output = self.end()
                reason = output or (
                    "it took too long" if isinstance(error, TimeoutError) else "it was killed"
                )
                raise NoSandbox(
                    f"the process that runs the code did not start: {reason}",
                    advice="try again; if it fails again, run `helio doctor`",
                ) from error
            self._parts = parts(ready["lacking"])
        return self._parts

    def ask(self, code: str, packed: bytes, limits: SandboxLimits) -> tuple[dict[str, Any], Any]:
        """Run code on packed tables; return the status of the operation and its packed result."""
        given = _memory_file("input", packed)
        result = _memory_file("output")
        try:
            request = {"code": code, "size": len(packed), "limits": asdict(limits)}
            message = json.dumps(request, ensure_ascii=False).encode("utf-8", "surrogatepass")
            if len(message) > _LONGEST_REQUEST:
                raise CodeRefused(
                    f"the code is longer than the {_LONGEST_REQUEST:,} bytes that helio accepts"
                )
            try:
                socket.send_fds(self._socket, [message], [given, result])
            except BrokenPipeError as error:
                raise EOFError from error
            answer = self._receive(time.monotonic() + limits.wall_seconds + _GRACE_SECONDS)
            reply = _told(answer)
            size = os.fstat(result).st_size
            if reply.get("ok") is not True or not 0 < size <= limits.output:
                return reply, b""
            return reply, mmap.mmap(result, size, mmap.MAP_PRIVATE, mmap.PROT_READ)
        finally:
            os.close(given)
            os.close(result)

    def end(self) -> str:
        """Kill the parent process and its children, and return the text that the parent process has printed."""
        self._socket.close()
        if self._said.closed:
            return ""
        self._process.kill()
        self._process.wait()
        self._said.seek(0)
        output = self._said.read().decode(errors="replace").strip()
        self._said.close()
        return output

    def _receive(self, deadline: float) -> dict[str, Any]:
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        if self._lifeline is not None:
            poll.register(self._lifeline, 0)  # a closed pipe is always reported
        ready = dict(poll.poll(max(0.0, deadline - time.monotonic()) * 1000))
        if not ready:
            raise TimeoutError
        if self._socket.fileno() not in ready:
            raise EOFError
        try:
            message = self._socket.recv(_LONGEST_ANSWER)
        except ConnectionResetError as error:
            raise EOFError from error
        if not message:
            raise EOFError
        answer: dict[str, Any] = json.loads(message)
        return answer


def _environment() -> dict[str, str]:
    """Return the environment variables of a child process, without any that describe the user."""
    ours = child.child_environment()
    names = ("PYTHONPATH", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "LD_LIBRARY_PATH")
    return {name: ours[name] for name in names if name in ours} | {
        "MKL_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # large arrays in large pages: a child touches every page of its memory for the first time
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        # the others take far more address space than they use, and it is that which is limited
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }


def _memory_file(name: str, content: bytes | None = None) -> int:
    """Make a file in memory; a file with content cannot be changed later."""
    import fcntl

    file = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    if content is not None:
        left = memoryview(content)
        while left:
            left = left[os.write(file, left) :]
        every = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, every)
    return file


def _told(answer: dict[str, Any]) -> dict[str, Any]:
    """Return how an operation ended: as the parent process reports, otherwise as the child process reports."""
    if "said" not in answer:
        return answer
    try:
        reply = json.loads(answer["said"])
    except (ValueError, RecursionError):
        return {}
    if not isinstance(reply, dict):
        return {}
    line = reply.get("line")
    is_line = isinstance(line, int) and not isinstance(line, bool) and 0 < line <= _LONGEST_REQUEST
    return {
        "ok": reply.get("ok") is True,
        "error": reply.get("error"),
        "message": reply.get("message"),
        "line": line if is_line else 0,
    }


def _failure(
    answer: dict[str, Any], limits: SandboxLimits, tables: Sequence[tuple[str, Table]]
) -> CodeFailed:
    """Return the error for an operation that has no result."""
    if answer.get("late"):
        return CodeFailed(
            f"the code was stopped because it took longer than {limits.wall_seconds:g} s",
            advice="choose a shorter time range",
        )
    number = answer.get("signal")
    if isinstance(number, int):
        return _killed(number, limits)
    name, message, line = (answer.get(key) for key in ("error", "message", "line"))
    if not isinstance(name, str):
        return CodeFailed("the process that runs the code ended without a message")
    name, message = _plain(name), _plain(message if isinstance(message, str) else "")
    where = f" at line {line}" if line else ""
    if name in ("MemoryError", "_ArrayMemoryError", "ArrayMemoryError"):
        return CodeFailed(
            f"the code{where} needs more memory than the {limits.memory >> 20:,} MiB that code may use",
            advice="choose a shorter time range",
        )
    if name in (
        "PermissionError",
        "BlockingIOError",
        "ModuleNotFoundError",
        "ImportError",
        "FileNotFoundError",
        "ZoneInfoNotFoundError",
    ):
        return CodeFailed(
            f"the code{where} used something that is not allowed: {name}: {message}",
            advice="remove this call: code cannot use files, networks, clocks, processes, or time zones "
            "other than UTC",
        )
    advice = ""
    if name in ("KeyError", "NameError", "AttributeError"):
        advice = f"use the names that are in scope: {'; '.join(_in_words(*table) for table in tables) or 'no table'}"
    return CodeFailed(f"the code failed{where}: {name}{f': {message}' if message else ''}", advice=advice)


def _killed(number: int, limits: SandboxLimits) -> CodeFailed:
    if number == signal.SIGXCPU:
        return CodeFailed(
            f"the code was stopped because it took more than {limits.cpu_seconds} s of processor time",
            advice="choose a shorter time range",
        )
    if number in (signal.SIGSEGV, signal.SIGBUS):
        return CodeFailed(
            f"the code was stopped because it damaged its own memory (signal {number})",
        )
    return CodeFailed(
        f"the process that runs the code was killed (signal {number})", advice="choose a shorter time range"
    )


def _in_words(name: str, table: Table) -> str:
    kind = "da" if len(table.axes) == 2 else "df"
    if table.axes:
        return f"{kind}_{name} ({' × '.join(str(axis.bins) for axis in table.axes)} bins)"
    return f"{kind}_{name} (columns {', '.join(table.columns())})"


def _plain(text: str) -> str:
    """Remove characters from a text of the code that would control a terminal."""
    shown = "".join(character if character.isprintable() else " " for character in " ".join(text.split()))
    return shown if len(shown) <= _LONGEST_SHOWN else shown[: _LONGEST_SHOWN - 1] + "…"
