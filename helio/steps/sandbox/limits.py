"""How much one operation may take, and how much it may give."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one operation; an operation that exceeds one is ended, and its result is dropped."""

    cpu_seconds: int = 30
    """Of processor time."""
    wall_seconds: float = 60.0
    """By the clock."""
    memory: int = 2 * 1024**3
    """Bytes of address space, beyond the interpreter's own and eight times the tables that go in."""
    rows: int = 20_000_000
    """Of a result."""
    columns: int = 2_000
    """Of a result: components, or bins of all axes together."""
    output: int = 512 * 1024**2
    """Bytes of a result."""
