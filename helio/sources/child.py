"""Environment, memory limit and pipe of child processes, which helio may kill."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import tempfile
from pathlib import Path

import helio

_LEAST_MEMORY = 2 * 1024**3
_PIPE_BYTES = 1024**2
"""Size of a pipe for arrays; Linux allows no more to an ordinary user."""


def child_environment() -> dict[str, str]:
    """Return the environment of a child process: only the paths of modules, libraries and temporary files.

    The environment fixes the seed of hashes and limits libraries to one thread, so that a child process does the same
    each time.
    """
    package_folder = str(Path(helio.__file__).resolve().parent.parent)
    environment = {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([package_folder, *(path for path in sys.path if path)])),
        "PYTHONHASHSEED": "0",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "TMPDIR": tempfile.gettempdir(),
    }
    for name in ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        if name in os.environ:
            environment[name] = os.environ[name]
    return environment


def memory_limit() -> int:
    """Return how many bytes of address space one child may use: three quarters of the memory, but at least 2 GiB.

    Without this limit, a damaged file, or a wrong number in a template, could use up all memory.
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_LEAST_MEMORY, physical * 3 // 4)


def limit_memory(limit: int) -> None:
    """Limit this process to `limit` bytes of address space, beyond which Python raises MemoryError; disable core dumps.

    The child process calls this function before it reads anything. macOS does not limit address space; there, the
    parent's time limit is the only limit.
    """
    import resource  # the child's part alone

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def wide_pipe() -> tuple[int, int]:
    """Make a pipe for arrays, on Linux as large as the system allows; return its end to read and its end to write."""
    output, entry = os.pipe()
    if sys.platform == "linux":
        # a user with many large pipes gets only small ones, which are slower and pass the same bytes
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(entry, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return output, entry
