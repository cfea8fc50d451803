"""Arrays pass through a pipe unchanged, whether the reader copies them from memory or not."""

import ctypes
import errno
import fcntl
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from helio.sources import splice
from helio.sources.child import wide_pipe

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux passes memory through a pipe")


def read_all(output):
    with open(output, "rb") as file:
        return file.read()


def passed(array):
    """Write an array, change its memory as soon as the function returns, and return the bytes that the reader has."""
    output, entry = wide_pipe()
    with ThreadPoolExecutor(1) as pool:
        splice.write_all(entry, b"header")
        data = array.view(np.uint8).data
        # nothing is read before the pipe is full
        reading = pool.submit(read_all, output)
        splice.write_all(entry, data)
        array[:] = 0
        os.close(entry)
        return reading.result()


@pytest.fixture
def numbers():
    return np.random.default_rng(1).integers(1, 2**62, 500_001)


@pytest.mark.parametrize("first", [0, 1, 3])
def test_memory_may_change_after_the_write(numbers, first):
    array = numbers[first:]
    expected = b"header" + array.tobytes()
    assert passed(array) == expected


@pytest.mark.parametrize("count", [0, 1, 131_071, 131_072, 131_073])
def test_arrays_about_as_large_as_the_pipe_pass(numbers, count):
    array = numbers[:count]
    expected = b"header" + array.tobytes()
    assert passed(array) == expected


@linux
@pytest.mark.parametrize("reason", [errno.ENOSYS, errno.EPERM, errno.EINVAL])
def test_a_system_that_refuses_to_share_memory_copies_it(numbers, monkeypatch, reason):
    def refuse(*arguments):
        ctypes.set_errno(reason)
        return -1

    monkeypatch.setattr(splice, "_vmsplice", lambda: refuse)
    expected = b"header" + numbers.tobytes()
    assert passed(numbers) == expected


@linux
def test_an_interrupted_write_continues(numbers, monkeypatch):
    vmsplice, interruptions = splice._vmsplice(), iter([True, False, True])

    def interrupted(*arguments):
        if next(interruptions, False):
            ctypes.set_errno(errno.EINTR)
            return -1
        return vmsplice(*arguments)

    monkeypatch.setattr(splice, "_vmsplice", lambda: interrupted)
    expected = b"header" + numbers.tobytes()
    assert passed(numbers) == expected
    assert next(interruptions, None) is None


def test_a_pipe_that_nobody_reads_is_an_error(numbers):
    output, entry = wide_pipe()
    os.close(output)
    with pytest.raises(BrokenPipeError):
        splice.write_all(entry, numbers.view(np.uint8).data)
    os.close(entry)


@linux
def test_a_user_with_too_many_large_pipes_gets_a_small_one(monkeypatch, numbers):
    def refuse(descriptor, command, size=0):
        if command == fcntl.F_SETPIPE_SZ:
            raise PermissionError
        return real(descriptor, command, size)

    real = fcntl.fcntl
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    expected = b"header" + numbers.tobytes()
    assert passed(numbers) == expected
