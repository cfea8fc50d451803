"""The protections of the sandboxed process, made of Linux system calls; they raise OSError if the kernel lacks one.

The protections are independent of each other: code that gets past one is stopped by the next.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

from helio.steps.sandbox.limits import SandboxLimits

NOBODY = 65534
"""Number of the user without rights, to which root changes before code runs."""

_NEW_MOUNTS, _NEW_NAMES, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USERS, _NEW_PIDS, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_APART = _NEW_MOUNTS | _NEW_NAMES | _NEW_IPC | _NEW_PIDS | _NEW_NETWORK

_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT = 1, 2, 4, 8, 32
_MS_REC, _MS_PRIVATE, _MNT_DETACH = 16384, 1 << 18, 2

_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SECCOMP, _SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
_SECCOMP_FILTER = 2
_ASK, _NOT_RANDOM = 0xFFFFFFFF, 0x0040000

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same numbers on every architecture
_LANDLOCK_VERSION = 1
# What each version of Landlock can refuse beyond the one before it: rights on files; TCP; scopes.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPABILITIES = {"x86_64": 126, "aarch64": 91}

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def call_libc(function: str, *arguments: Any) -> int:
    """Call a function of the C library, and raise an error if it returns a negative number.

    Raises
    ------
    OSError
        It failed.
    """
    result: int = getattr(_libc, function)(*arguments)
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")
    return result


def _system_call(number: int, *arguments: Any) -> int:
    # without a type ctypes passes 32 bits, and the upper half of a register is anything
    words = [
        argument if isinstance(argument, (bytes, ctypes.Array)) else ctypes.c_long(argument)
        for argument in arguments
    ]
    return call_libc("syscall", ctypes.c_long(number), *words)


def _control(option: int, *values: int) -> None:
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    call_libc("prctl", ctypes.c_int(option), *words)


# What is done once, by the warm parent ------------------------------------------------------------------------


def has_fixed_addresses() -> bool:
    """Return whether this process has fixed memory addresses."""
    return bool(call_libc("personality", ctypes.c_ulong(_ASK)) & _NOT_RANDOM)


def fix_addresses() -> None:
    """Give the next program that this process starts fixed memory addresses, except perhaps for its heap."""
    before = call_libc("personality", ctypes.c_ulong(_ASK))
    call_libc("personality", ctypes.c_ulong(before | _NOT_RANDOM))


def forget_host() -> None:
    """Give this process a host name of its own."""
    socket.sethostname("jail")


def enter_namespaces() -> None:
    """Move this process to empty Linux namespaces, without the machine's network, processes, mounts and shared memory.

    The namespaces apply to children: the next forked process becomes process 1, and when it ends, all processes in
    its namespace end. Only a user without root's capabilities needs a user namespace for this.
    """
    try:
        call_libc("unshare", _APART)
        return
    except OSError:
        user, group = os.getuid(), os.getgid()
    call_libc("unshare", _NEW_USERS | _APART)
    _control(_SET_DUMPABLE, 1)  # else the files below belong to root
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1", encoding="ascii")


def leave_files() -> None:
    """Change the root folder of this process to an empty, read-only folder."""
    folder = next(folder for folder in (b"/tmp", b"/proc", b"/dev") if os.path.isdir(folder))
    call_libc("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None)
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    call_libc("mount", b"none", folder, b"tmpfs", ctypes.c_ulong(flags), b"size=4k,nr_inodes=2,mode=555")
    os.chdir(folder)
    _system_call(_PIVOT_ROOT[platform.machine()], b".", b".")
    call_libc("umount2", b".", _MNT_DETACH)
    os.chdir("/")
    call_libc("mount", b"none", b"/", None, ctypes.c_ulong(_MS_REMOUNT | _MS_RDONLY | flags), None)


def landlock_version() -> int:
    """Return the version of Landlock (file access control in Linux) that the kernel has."""
    return _system_call(_LANDLOCK_CREATE, 0, 0, _LANDLOCK_VERSION)


def refuse_files() -> None:
    """Make Landlock refuse every file, every TCP port and every signal to other processes, permanently."""
    version = landlock_version()
    bits = max(count for since, count in _FILE_RIGHTS.items() if since <= version)
    handled = [(1 << bits) - 1, *([3] if version >= 4 else []), *([3] if version >= 6 else [])]
    attributes = struct.pack(f"={len(handled)}Q", *handled)
    rules = _system_call(_LANDLOCK_CREATE, attributes, len(attributes), 0)
    try:
        forbid_new_privileges()
        _system_call(_LANDLOCK_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def become_nobody() -> None:
    """Change the user of this process from root to a user without rights."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def drop_capabilities() -> None:
    """Give up every Linux capability of this process, also those that it has in a user namespace."""
    header = struct.pack("=Ii", 0x20080522, 0)  # version 3, this process
    _system_call(_CAPABILITIES[platform.machine()], header, bytes(24))


def forbid_new_privileges() -> None:
    """Prevent programs that this process starts from getting more rights than this process."""
    _control(_SET_NO_NEW_PRIVILEGES, 1)


def hide_memory() -> None:
    """Prevent other processes from reading the memory of this process, by tracing or from core dumps."""
    _control(_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """Make the kernel kill this process when its parent ends."""
    _control(_SET_DEATH_SIGNAL, signal.SIGKILL)


# What is done for each operation, by the child -----------------------------------------------------------------


def address_space() -> int:
    """Return the number of bytes of address space that this process has mapped."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def limit_resources(limits: SandboxLimits, space: int) -> None:
    """Set the limits of memory, time and output for this process.

    Parameters
    ----------
    space : int
        Bytes of address space, what is mapped already included.
    """
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    space = space if most == resource.RLIM_INFINITY else min(most, space)
    for kind, soft, hard in (
        (resource.RLIMIT_AS, space, space),
        # at the first a signal says what it was, at the second there is no choice
        (resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1),
        (resource.RLIMIT_FSIZE, limits.output, limits.output),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_NOFILE, 16, 16),
    ):
        resource.setrlimit(kind, (soft, hard))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def refuse_calls(call_filter: bytes) -> None:
    """Make the kernel refuse every system call that is not listed in `helio.steps.sandbox.system_calls`."""
    forbid_new_privileges()
    code = ctypes.create_string_buffer(call_filter, len(call_filter))
    program = _Program(len(call_filter) // 8, ctypes.addressof(code))
    _control(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.addressof(program))
