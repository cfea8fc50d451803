"""Limits of time, memory and result size for code in templates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one operation; helio stops an operation that exceeds a limit, and discards its result."""

    cpu_seconds: int = 30
    """Of processor time."""
    wall_seconds: float = 60.0
    """By the clock."""
    memory: int = 2 * 1024**3
    """Bytes of address space, in addition to the interpreter's own and eight times the size of the input tables."""
    rows: int = 20_000_000
    """Of a result."""
    columns: int = 2_000
    """The largest number of columns of a result: components, or bins of all axes together."""
    output: int = 512 * 1024**2
    """The largest size of a result in bytes."""
