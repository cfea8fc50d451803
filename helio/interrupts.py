"""End the command on Ctrl-C or SIGTERM: cleanly if possible within a short time, otherwise by force.

The first signal raises `KeyboardInterrupt` in the main thread, which stops the work and closes its record. Python
cannot interrupt the main thread everywhere (during a name lookup, while a library loads, while it waits for threads at
exit), and libraries may swallow the exception. So a separate thread receives the signal too, and ends the process
after the seconds in `GRACE` in any case. Further signals change nothing.

Only the command installs this. In a notebook Ctrl-C works as usual in Python.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

TYPE_CHECKING = False  # importing `typing` takes longer than all of this
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import NoReturn

CANCELLED = 130
GRACE = {signal.SIGINT: 1.6, signal.SIGTERM: 8.0}
"""Seconds from a signal to the end by force: short if a user waits at a terminal, longer for a service manager."""

_WAKE = signal.SIGURG
"""Signal that only interrupts a system call of the main thread, so that Python handles the signal before it."""

NOTHING_BEGUN = "nothing was begun"
FINISHED = "the command had finished its work"


class _State:
    """How this process is ending. These are plain attributes, because a signal handler may not wait for a lock."""

    installed = False
    is_working = False
    """Whether work is running that should end cleanly; if no work is running, a signal ends the process at once."""
    is_asked = False
    number: int = signal.SIGINT
    """Number of the signal that this process received."""
    forced_at = 0.0
    """Time of the end by force, on the monotonic clock."""
    is_taken = False
    """Whether the main thread was interrupted already; while the main thread cleans up, further signals
    do not interrupt it."""
    is_ending = False
    is_announced = False
    handled = watched = forgiven = 0
    """Numbers of signals that the main thread has handled, that the watching thread has read, and that count as dealt
    with because the work goes on."""
    afterwards = NOTHING_BEGUN
    """What to tell the user about the work done so far, after the line about the cancellation."""


_STATE = _State()
_LAST_ACTIONS: list[Callable[[], None]] = []
_SPARED: set[int] = set()


def install() -> None:
    """Handle Ctrl-C and SIGTERM until this process ends; the command calls this before it imports other modules.

    A signal that was ignored at the start of the process, as under ``nohup``, stays ignored.
    """
    if _STATE.installed:
        return
    _STATE.installed = True
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    signal.signal(_WAKE, lambda number, frame: None)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name="helio-interrupts", daemon=True).start()
    _silence_after_a_signal()


def carry_out(command: Callable[[], object]) -> None:
    """Run a command to its end; after a signal, end the process with exit code 130."""
    try:
        command()
    finally:
        if _STATE.is_asked:
            end()
        _STATE.afterwards = FINISHED
        _STATE.is_working = False
        gc.freeze()  # the process ends: Python need not search all objects for garbage once more


def begin_work(afterwards: str) -> None:
    """Mark the beginning of work that should end cleanly after a signal.

    Parameters
    ----------
    afterwards : str
        Message about the state after a cancellation.
    """
    _STATE.is_working = True
    _STATE.afterwards = afterwards


def asked() -> bool:
    """Return whether a signal has requested the end of this process."""
    return _STATE.is_asked


def note_signal(number: int) -> None:
    """Record that a signal has requested the end of this process."""
    if not _STATE.is_asked:
        _STATE.number = number
        _STATE.forced_at = time.monotonic() + GRACE[signal.Signals(number)]
        _STATE.is_asked = True


def take_signal(number: int) -> bool:
    """Record a signal; return True for the first signal, whose handler ends the work, and False for later signals."""
    note_signal(number)
    is_first, _STATE.is_taken = not _STATE.is_taken, True
    return is_first


def was_terminated() -> bool:
    """Return whether SIGTERM has requested the end of this process."""
    return _STATE.is_asked and _STATE.number == signal.SIGTERM


def seconds_left() -> float:
    """Return the seconds until the process ends by force; return infinity if no signal has arrived."""
    if not (_STATE.installed and _STATE.is_asked):
        return float("inf")
    return max(0.0, _STATE.forced_at - time.monotonic())


def ended_as_asked() -> None:
    """Forget all signals so far: a service ended as its manager asked, or only a part of the work was cancelled."""
    _STATE.forgiven = _STATE.handled
    _STATE.is_asked = _STATE.is_taken = False


def announce_once() -> bool:
    """Return whether the caller must print the line about the cancellation; after a signal, return True only once."""
    if not _STATE.is_asked:
        return True
    to_print, _STATE.is_announced = not _STATE.is_announced, True
    return to_print


def before_the_end(action: Callable[[], None]) -> Callable[[], None]:
    """Register a function that `end` calls before it ends the process by force, for example to complete a record.

    Returns
    -------
    callable
        Cancels the registration.
    """
    _LAST_ACTIONS.append(action)

    def forget() -> None:
        if action in _LAST_ACTIONS:
            _LAST_ACTIONS.remove(action)

    return forget


def spare(pid: int) -> None:
    """Do not kill this child process when this process ends: the child notices this end, cleans up, and ends too."""
    _SPARED.add(pid)


def end() -> NoReturn:
    """End this process and all its child processes immediately."""
    from helio.errors import HelioError

    if _STATE.is_ending:
        while True:  # another thread is about to end the process
            time.sleep(1.0)
    _STATE.is_ending = True
    if announce_once():
        clear_line = "\r\x1b[2K\x1b[?25h" if os.isatty(2) else ""  # a moving line, which hides the cursor
        with suppress(OSError):  # the reader is gone
            os.write(2, f"{clear_line}cancelled; {_STATE.afterwards}\n".encode())
    _kill_descendants()
    for action in tuple(_LAST_ACTIONS):
        with suppress(HelioError, OSError):  # the record then shows a crashed run
            action()
    os._exit(CANCELLED)


def _handle(number: int, frame: FrameType | None) -> None:
    del frame
    _STATE.handled += 1
    if _STATE.is_ending:
        return
    note_signal(number)
    if not _STATE.is_working:
        end()
    if take_signal(number):
        raise KeyboardInterrupt


def _watch(signals: int) -> None:
    while True:
        for number in os.read(signals, 64):
            if number in GRACE:
                _STATE.watched += 1
                if _STATE.watched <= _STATE.forgiven:
                    continue  # this thread is late: the main thread has dealt with it
                note_signal(number)
                while _STATE.is_asked and _STATE.is_working and seconds_left():
                    if _STATE.handled < _STATE.watched:  # the main thread may wait for a key, and sleep on
                        signal.pthread_kill(threading.main_thread().ident or 0, _WAKE)
                    time.sleep(min(0.05, seconds_left()))
                if _STATE.is_asked:
                    end()


def _silence_after_a_signal() -> None:
    """After a signal, print no traceback; before a signal, print tracebacks as usual."""
    show, show_unraisable, show_of_thread = sys.excepthook, sys.unraisablehook, threading.excepthook

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _STATE.is_asked:
            show(kind, error, trace)

    def unraisablehook(unraisable: sys.UnraisableHookArgs) -> None:
        if not _STATE.is_asked:
            show_unraisable(unraisable)

    def thread_excepthook(arguments: threading.ExceptHookArgs) -> None:
        if not _STATE.is_asked:
            show_of_thread(arguments)

    sys.excepthook, sys.unraisablehook, threading.excepthook = excepthook, unraisablehook, thread_excepthook


def _kill_descendants() -> None:
    """Kill all processes that this process has started, directly or indirectly, except detached processes."""
    parents = _parents()
    doomed: set[int] = set()
    frontier = {os.getpid()}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier} - _SPARED - doomed
        doomed |= frontier
    for pid in doomed:
        with suppress(ProcessLookupError, PermissionError):  # it has ended by itself
            os.kill(pid, signal.SIGKILL)


def _parents() -> dict[int, int]:
    """Return the id of the parent process of every visible process."""
    parents: dict[int, int] = {}
    if os.path.exists("/proc/self/stat"):
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                        fields = stat.read().rpartition(")")[2].split()
                except (FileNotFoundError, ProcessLookupError, PermissionError):
                    continue
                parents[int(name)] = int(fields[1])
        return parents
    import subprocess  # takes longer to import than all of this

    listed = subprocess.run(["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False)
    for line in listed.stdout.splitlines():
        pid, parent = line.split()
        parents[int(pid)] = int(parent)
    return parents
