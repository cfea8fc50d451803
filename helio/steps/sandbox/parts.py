"""What the jail is made of, which of it has to be there, and what this machine lacks."""

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
"""Without these code is never run: memory and time have an end, and no file, socket or process can be asked for."""
NECESSARY = (*ALWAYS, LANDLOCK, NAMESPACES)
"""Without these it is refused, unless the policy is ``weak``: two more walls, each of them complete by itself."""
HARDENING = (IDENTITY, CLOCK, ADDRESSES)
"""Good to have. What root owns is closed to it as well; capabilities are given up in any case. And a result cannot
depend on when or where in memory it is computed; the allow-list refuses to ask in any case."""

_MEANING = {
    LIMITS: "resource limits (setrlimit, no_new_privs)",
    FILTER: "seccomp filter",
    LANDLOCK: "Landlock, Linux 5.13 or later",
    NAMESPACES: "user, mount, network, process and IPC namespaces",
    IDENTITY: "another user than root",
    CLOCK: "a clock that is stopped (vDSO)",
    ADDRESSES: "memory laid out in the same way every time (personality)",
}


@dataclass(frozen=True)
class Part:
    """A part of the jail on this machine."""

    name: str
    lacking: str = ""
    """Why it is not there; empty where it is."""

    @property
    def meaning(self) -> str:
        """What it is, in the kernel's words."""
        return _MEANING[self.name]


def parts(lacking: dict[str, str]) -> tuple[Part, ...]:
    """Return every part, with the reason for each missing one."""
    return tuple(Part(name, lacking.get(name, "")) for name in _MEANING)


def check_system() -> None:
    """Refuse to run code where no jail can be built.

    Raises
    ------
    NoSandbox
        On any other system than Linux on x86_64 or aarch64.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "aarch64"):
        raise NoSandbox(
            f"code in a template runs only on Linux (x86_64, aarch64), not on {platform.system()} ({machine})",
            advice="use named tools, which run everywhere (helio tools lists them)",
        )


def check_parts(every: tuple[Part, ...], policy: Policy) -> None:
    """Refuse to run code behind a wall that is not whole.

    Raises
    ------
    NoSandbox
        A part is lacking that the policy demands.
    """
    demanded = NECESSARY if policy == "refuse" else ALWAYS
    missing = [part for part in every if part.lacking and part.name in demanded]
    if not missing:
        return
    reasons = "; ".join(f"{part.meaning}: {part.lacking}" for part in missing)
    can_do_without = not any(part.name in ALWAYS for part in missing)
    raise NoSandbox(
        f"this machine cannot isolate code as required: {reasons}",
        advice="use named tools instead (helio tools lists them)"
        + ("; or HELIO_SANDBOX=weak, if you trust the code" if can_do_without else ""),
    )
