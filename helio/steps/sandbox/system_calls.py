"""The system calls that sandboxed code may make: to get memory, to read input and to write the result.

A filter in the kernel's own language (classic BPF) that refuses every call which is not on the list: no file is opened,
no socket made, no process started, signalled or looked at, no random number asked for. The filter is permanent. Only
the
clock can be read without a call; `helio.steps.sandbox.clock` stops it.
"""

from __future__ import annotations

import platform
import struct
from dataclasses import dataclass

# Instructions of classic BPF: load a word of the call, compare it, give a verdict.
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_VERDICT = 0x06  # BPF_RET | BPF_K

_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1  # the call fails with EPERM, which Python raises as PermissionError
_KILL = 0x80000000

# Places in struct seccomp_data: the number of the call, the architecture, the third of its arguments.
_NUMBER, _ARCHITECTURE, _THIRD = 0, 4, 16 + 2 * 8
_EXECUTABLE = 4  # PROT_EXEC
_X32 = 0x40000000  # x86_64 has a second set of calls above this number


@dataclass(frozen=True)
class Machine:
    """The numbers of the allowed system calls on one kind of processor."""

    audit: int
    """The constant by which the kernel names the kind of processor."""
    calls: dict[str, int]
    """Numbers of the system calls that are allowed with any arguments."""
    mapping: dict[str, int]
    """Numbers of the system calls that are allowed only for memory that cannot be executed."""


MACHINES = {
    "x86_64": Machine(
        0xC000003E,
        {
            "read": 0,
            "write": 1,
            "close": 3,
            "fstat": 5,
            "lseek": 8,
            "munmap": 11,
            "brk": 12,
            "rt_sigreturn": 15,
            "pread64": 17,
            "pwrite64": 18,
            "sched_yield": 24,
            "mremap": 25,
            "madvise": 28,
            "getpid": 39,
            "exit": 60,
            "gettid": 186,
            "futex": 202,
            "restart_syscall": 219,
            "exit_group": 231,
        },
        {"mmap": 9, "mprotect": 10},
    ),
    "aarch64": Machine(
        0xC00000B7,
        {
            "close": 57,
            "lseek": 62,
            "read": 63,
            "write": 64,
            "pread64": 67,
            "pwrite64": 68,
            "fstat": 80,
            "exit": 93,
            "exit_group": 94,
            "futex": 98,
            "sched_yield": 124,
            "restart_syscall": 128,
            "rt_sigreturn": 139,
            "getpid": 172,
            "gettid": 178,
            "brk": 214,
            "munmap": 215,
            "mremap": 216,
            "madvise": 233,
        },
        {"mmap": 222, "mprotect": 226},
    ),
}


def call_filter(machine: str = "") -> bytes:
    """Return the filter of system calls in the kernel's format: an array of ``struct sock_filter``.

    Parameters
    ----------
    machine : str
        ``"x86_64"`` or ``"aarch64"``; this one when left out.

    Raises
    ------
    KeyError
        For any other architecture.

    References
    ----------
    Linux, Documentation/userspace-api/seccomp_filter.rst; the numbers are those of asm/unistd_64.h and
    asm-generic/unistd.h.
    """
    known = MACHINES[machine or platform.machine()]
    program = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, known.audit),
        (_VERDICT, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_VERDICT, 0, 0, _REFUSE),
    ]
    for number in known.calls.values():
        program += [(_EQUAL, 0, 1, number), (_VERDICT, 0, 0, _ALLOW)]
    for number in known.mapping.values():
        program += [
            (_EQUAL, 0, 4, number),
            (_LOAD, 0, 0, _THIRD),
            (_ANY_BIT, 0, 1, _EXECUTABLE),
            (_VERDICT, 0, 0, _REFUSE),
            (_VERDICT, 0, 0, _ALLOW),
        ]
    program.append((_VERDICT, 0, 0, _REFUSE))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
