"""Make reading the clock fail in code of templates: this needs no system call, so the kernel's filter cannot refuse it.

The kernel maps a small library into every process, the vDSO, whose functions read the time from shared memory; no
filter of system calls sees them. In the child that runs code their first bytes are overwritten, in its own copy of the
page, with an error; what asks the kernel instead is refused by the filter.
"""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
from dataclasses import dataclass
from typing import Any

from helio.steps.sandbox.isolation import call_libc

_AT_SYSINFO_EHDR = 33
_READ, _WRITE, _EXECUTE = 1, 2, 4
_LOADED, _DYNAMIC = 1, 2
_HASH, _STRINGS, _SYMBOLS, _GNU_HASH = 4, 5, 6, 0x6FFFFEF5
_SYMBOL = struct.Struct("=IBBHQQ")
_FUNCTIONS = ("clock_gettime", "clock_getres", "gettimeofday", "time", "getrandom")
_NAMES = {f"{prefix}{function}".encode() for prefix in ("__vdso_", "__kernel_") for function in _FUNCTIONS}
# Return -1: "not permitted" for a function of the kernel's.
_REFUSAL = {
    "x86_64": bytes.fromhex("48c7c0ffffffff c3"),  # mov rax, -1; ret
    "aarch64": bytes.fromhex("00008092 c0035fd6"),  # mov x0, #-1; ret
}


@dataclass(frozen=True)
class TimeFunctions:
    """The addresses of the functions that read the clock, in this process.

    Parameters
    ----------
    start, length : int
        The pages of the library; a length of 0 where the kernel maps none.
    functions : tuple of int
        Addresses.
    """

    start: int
    length: int
    functions: tuple[int, ...]


def find_clock() -> TimeFunctions:
    """Find the functions that read the clock, in the table of symbols of the vDSO (a library of the Linux kernel).

    References
    ----------
    vdso(7); elf(5); Linux, Documentation/ABI/stable/vdso.
    """
    # a handle of its own, for the type of what a function gives is kept with the handle
    ask: Any = ctypes.CDLL(None).getauxval
    ask.restype, ask.argtypes = ctypes.c_ulong, (ctypes.c_ulong,)
    start = ask(_AT_SYSINFO_EHDR)
    if not start:
        return TimeFunctions(0, 0, ())
    length, shift, tables = _tables(start)
    addresses = set()
    for number in range(_symbols(tables)):
        name, _, _, section, value, _ = _words(_SYMBOL.format, tables[_SYMBOLS] + number * _SYMBOL.size)
        if section and ctypes.string_at(tables[_STRINGS] + name) in _NAMES:
            addresses.add(shift + value)
    pages = -(-length // mmap.PAGESIZE)
    return TimeFunctions(start, pages * mmap.PAGESIZE, tuple(sorted(addresses)))


def stop_clock(clock: TimeFunctions) -> None:
    """Make every function that reads the clock fail, permanently, in this process.

    Raises
    ------
    OSError
        The kernel does not let the library be changed.
    """
    if not clock.functions:
        return
    refusal = _REFUSAL[platform.machine()]
    # never writable and executable at once: when it becomes executable again, the kernel of an ARM machine drops what
    # the processor has read of it before
    _protect(clock, _READ | _WRITE)
    for function in clock.functions:
        ctypes.memmove(function, refusal, len(refusal))
    _protect(clock, _READ | _EXECUTE)


def _tables(start: int) -> tuple[int, int, dict[int, int]]:
    """Return the length of the vDSO library, the offset of its addresses in memory, and the addresses of its tables."""
    (headers,) = _words("=Q", start + 32)
    size, count = _words("=HH", start + 54)
    segments = [_words("=IIQQQQQQ", start + headers + at * size) for at in range(count)]
    loaded = next(segment for segment in segments if segment[0] == _LOADED)
    dynamic = next(segment for segment in segments if segment[0] == _DYNAMIC)
    shift = start + loaded[2] - loaded[3]
    tags: dict[int, int] = {}
    at = shift + dynamic[3]
    while (entry := _words("=QQ", at))[0]:
        tags[entry[0]] = shift + entry[1]
        at += 16
    return loaded[6], shift, tags


def _symbols(tags: dict[int, int]) -> int:
    """Return the number of symbols of the vDSO library, from one of its two kinds of look-up tables."""
    if _HASH in tags:
        return int(_words("=II", tags[_HASH])[1])
    at = tags[_GNU_HASH]
    buckets, first, bloom, _ = _words("=IIII", at)
    heads = at + 16 + 8 * bloom
    last = max(_words(f"={buckets}I", heads))
    if last < first:
        return int(first)
    chains = heads + 4 * buckets
    while not _words("=I", chains + 4 * (last - first))[0] & 1:  # the last of a chain is odd
        last += 1
    return int(last) + 1


def _words(form: str, at: int) -> tuple[Any, ...]:
    return struct.unpack(form, ctypes.string_at(at, struct.calcsize(form)))


def _protect(clock: TimeFunctions, rights: int) -> None:
    call_libc("mprotect", ctypes.c_void_p(clock.start), ctypes.c_size_t(clock.length), ctypes.c_int(rights))
