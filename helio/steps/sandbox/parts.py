"""The protections of the sandbox: which are required, and which this machine lacks."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from typing import Literal

from helio.errors import NoSandbox

Policy = Literal["refuse", "weak"]

LIMITS = "limits"
FILTER = "system-call filter"
LANDLOCK = "Landlock"
NAMESPACES = "namespaces"
IDENTITY = "no root"
CLOCK = "no clock"
ADDRESSES = "fixed addresses"

ALWAYS = (LIMITS, FILTER)
"""Code never runs without these protections: limits of memory and time; no files, sockets or new processes."""
NECESSARY = (*ALWAYS, LANDLOCK, NAMESPACES)
"""Without one of these protections, code runs only under the policy ``weak``."""
HARDENING = (IDENTITY, CLOCK, ADDRESSES)
"""Optional protections: code does not run as root, and its result cannot depend on the clock or on memory addresses."""

_MEANING = {
    LIMITS: "resource limits (setrlimit, no_new_privs)",
    FILTER: "seccomp filter",
    LANDLOCK: "Landlock, Linux 5.13 or later",
    NAMESPACES: "user, mount, network, process and IPC namespaces",
    IDENTITY: "a user other than root",
    CLOCK: "a stopped clock (vDSO)",
    ADDRESSES: "fixed memory addresses (personality)",
}


@dataclass(frozen=True)
class Part:
    """A protection of the sandbox, and whether this machine has it."""

    name: str
    lacking: str = ""
    """Why this machine lacks the protection; empty if the protection works."""

    @property
    def meaning(self) -> str:
        """What the protection does, in the terms of the Linux kernel."""
        return _MEANING[self.name]


def parts(lacking: dict[str, str]) -> tuple[Part, ...]:
    """Return all protections, each with the reason if this machine lacks it."""
    return tuple(Part(name, lacking.get(name, "")) for name in _MEANING)


def check_system() -> None:
    """Refuse to run code on a system for which helio has no sandbox.

    Raises
    ------
    NoSandbox
        On any other system than Linux on x86_64 or aarch64.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
        raise NoSandbox(
            f"code in a template runs only on Linux (x86_64, aarch64), not on {platform.system()} "
            f"({machine})",
            advice="use tools instead of code: they run on every machine, and `helio tools` lists them",
        )


def check_parts(every: tuple[Part, ...], policy: Policy) -> None:
    """Refuse to run code if a required protection is missing.

    Raises
    ------
    NoSandbox
        A protection that the policy requires is missing.
    """
    demanded = NECESSARY if policy == "refuse" else ALWAYS
    missing = [part for part in every if part.lacking and part.name in demanded]
    if not missing:
        return
    reasons = "; ".join(f"{part.meaning}: {part.lacking}" for part in missing)
    can_do_without = not any(part.name in ALWAYS for part in missing)
    raise NoSandbox(
        f"this machine cannot isolate code as required: {reasons}",
        advice="use tools that need no code; run `helio tools` to list them"
        + ("; or set HELIO_SANDBOX=weak, if you trust the code" if can_do_without else ""),
    )
