"""Wait in a test for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

LONG = 300.0
"""Seconds that a busy machine has for what takes an idle one a moment. No test asserts less."""


def wait_until(happened: Callable[[], object], what: str = "what was waited for") -> None:
    """Return once something has happened; ask often at first, then seldom enough to leave the processor to it."""
    waited, pause = 0.0, 0.01
    while waited < LONG:
        if happened():
            return
        time.sleep(pause)
        waited, pause = waited + pause, min(pause * 1.3, 0.2)
    pytest.fail(f"{what} did not happen")
