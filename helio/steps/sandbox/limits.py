"""Limits of time, memory and result size for code in templates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one run of code; helio stops code that exceeds a limit, and discards its result."""

    cpu_seconds: int = 30
    """The largest processor time, in seconds."""
    wall_seconds: float = 60.0
    """The longest time by the clock, in seconds."""
    memory: int = 2 * 1024**3
    """The largest address space in bytes, besides the interpreter's and eight times the size of the input tables."""
    rows: int = 20_000_000
    """The largest number of rows of a result."""
    columns: int = 2_000
    """The largest number of columns of a result: components, or bins of all axes together."""
    output: int = 512 * 1024**2
    """The largest size of a result in bytes."""
