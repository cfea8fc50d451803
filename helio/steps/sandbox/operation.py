"""Run one piece of code in its own child process: set up the protections, run the code, return the numbers."""

from __future__ import annotations

import builtins
import fcntl
import json
import mmap
import os
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from helio.steps.sandbox import isolation
from helio.steps.sandbox.allow_list import BUILTINS, MEMBERS
from helio.steps.sandbox.clock import TimeFunctions, stop_clock
from helio.steps.sandbox.limits import SandboxLimits

if TYPE_CHECKING:
    from types import TracebackType

FILENAME = "<code>"
_INPUT, _OUTPUT, _STATUS, _FIRST_FREE = 3, 4, 5, 6
_HIGHEST = 4096
_LONGEST = 2_000
"""The largest number of characters of an error message that leaves the sandboxed process."""


def run(
    request: dict[str, Any],
    descriptors: tuple[int, int, int, int],
    call_filter: bytes,
    space: int,
    clock: TimeFunctions | None = None,
) -> NoReturn:
    """Run one operation and end this process, which exists only for this operation.

    Parameters
    ----------
    request : dict
        ``code``, ``size`` (bytes of the input) and ``limits``.
    descriptors : tuple of int
        Of nothing (/dev/null), the packed tables, the file for the result and the pipe for the status.
    space : int
        Bytes of address space that the process may have.
    clock : Clock, optional
        What is stopped, where the kernel lets it.
    """
    try:
        limits = SandboxLimits(**request["limits"])
        isolation.die_with_parent()
        _keep_only(*descriptors)
        isolation.limit_resources(limits, space)
        size = request["size"]
        packed: Any = b""
        if size:  # copied all at once, for to be stopped at each of its pages would take longer
            flags, rights = mmap.MAP_PRIVATE | mmap.MAP_POPULATE, mmap.PROT_READ | mmap.PROT_WRITE
            packed = mmap.mmap(_INPUT, size, flags, rights)
        random.seed(0)  # Python seeds it again in every child
        output = os.fdopen(_OUTPUT, "wb", buffering=0, closefd=False)
        if clock is not None:
            stop_clock(clock)
        isolation.refuse_calls(call_filter)
        status = _answer(request["code"], packed, limits, output)
    except BaseException as error:  # noqa: BLE001 - any error is reported, and the process ends
        status = _told(error)
    finally:
        # nothing of what code left behind may run: no exit handler, no destructor
        try:
            os.write(_STATUS, json.dumps(status).encode())
        finally:
            os._exit(0)


def _keep_only(nothing: int, packed: int, result: int, status: int) -> None:
    """Keep the four files that the operation needs, each at a fixed number, and close all other files."""
    high = [
        fcntl.fcntl(descriptor, fcntl.F_DUPFD, 20)
        for descriptor in (nothing, nothing, nothing, packed, result, status)
    ]
    for number, descriptor in enumerate(high):
        os.dup2(descriptor, number)
    # never closerange(0, 0): CPython 3.11 takes that for everything
    os.closerange(_FIRST_FREE, _HIGHEST)


def _answer(code: str, packed: Any, limits: SandboxLimits, output: BinaryIO) -> dict[str, Any]:
    from helio.steps.sandbox.exchange import pack_result, unpack

    scope = unpack(packed)
    scope |= modules_in_scope()
    scope |= {"__builtins__": {name: getattr(builtins, name) for name in (*BUILTINS, "ValueError")}}
    program = compile(code, FILENAME, "exec")
    exec(program, scope)
    if "result" not in scope:
        raise NameError("the code did not assign 'result'")
    pack_result(scope["result"], limits, output)
    return {"ok": True}


def modules_in_scope() -> dict[str, Any]:
    """Return the modules that code can use, by the names that code has for them."""
    import numpy as np
    import pandas as pd
    import xarray as xr
    from scipy import signal

    return {"pd": pd, "np": np, "xr": xr, "signal": signal, "pywt": _wavelets()}


def _wavelets() -> SimpleNamespace:
    """Return the allowed functions of PyWavelets; some get copies of arrays that pandas 3 has made read-only."""
    import pywt

    listed = {name: getattr(pywt, name) for name in MEMBERS["pywt"]}
    return SimpleNamespace(**listed | {name: _on_copies(listed[name]) for name in _WANT_TO_WRITE})


_WANT_TO_WRITE = ("dwt", "wavedec", "downcoef", "upcoef")


def _on_copies(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes copies of its array arguments to the given function."""

    def call(*args: Any, **others: Any) -> Any:
        import numpy as np

        def copied(one: Any) -> Any:
            return np.array(one) if hasattr(one, "__array__") else one

        return function(*map(copied, args), **{name: copied(argument) for name, argument in others.items()})

    return call


def _told(error: BaseException) -> dict[str, Any]:
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - an error of the code's own making may not even have a text
        message = ""
    return {"error": type(error).__name__, "message": message[:_LONGEST], "line": _line(error.__traceback__)}


def _line(trace: TracebackType | None) -> int:
    """Return the number of the code's line in which an error occurred, or 0 if it occurred elsewhere."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILENAME:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
