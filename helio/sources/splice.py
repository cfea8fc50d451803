"""Writing of large arrays into a pipe without copying them twice."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import sys
from collections.abc import Callable
from functools import cache

import numpy as np

_UNAVAILABLE = frozenset({errno.ENOSYS, errno.EPERM, errno.EINVAL})


@cache
def _vmsplice() -> Callable[..., int]:
    """Return the system call of Linux that puts memory into a pipe."""
    function = ctypes.CDLL(None, use_errno=True).vmsplice
    function.argtypes = (ctypes.c_int, ctypes.POINTER(_Memory), ctypes.c_size_t, ctypes.c_uint)
    function.restype = ctypes.c_ssize_t
    return function


class _Memory(ctypes.Structure):
    """Place and number of bytes, as vmsplice takes them (struct iovec)."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def write_all(pipe: int, data: bytes | memoryview) -> None:
    """Write all bytes into a pipe; on Linux, the reader copies most of them directly from the memory of this process.

    The last bytes, as many as the pipe can hold, are copied into the pipe. When they are in, nothing of the bytes
    before is left in the pipe, so that `data` may change as soon as this function returns.

    Parameters
    ----------
    data : bytes or memoryview
        Contiguous bytes, at least as many as the pipe holds if they should not be copied.

    Raises
    ------
    OSError
        No process reads from the pipe any more.
    """
    left = memoryview(data)
    if sys.platform == "linux":
        capacity = fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)
        if len(left) > capacity:
            left = left[_splice(pipe, left[:-capacity]) :]
    while left:
        left = left[os.write(pipe, left) :]


def _splice(pipe: int, data: memoryview) -> int:
    """Let the reader of a pipe copy bytes from memory; return how many, fewer if the system does not allow it."""
    start, done = np.frombuffer(data, np.uint8).ctypes.data, 0
    while done < len(data):
        count = _vmsplice()(pipe, _Memory(start + done, len(data) - done), 1, 0)
        if count >= 0:
            done += count
        elif ctypes.get_errno() in _UNAVAILABLE:
            break
        elif ctypes.get_errno() != errno.EINTR:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
