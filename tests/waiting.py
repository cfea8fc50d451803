"""Wait in a test for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

LONG = 300.0
"""Seconds that a busy machine has for what takes an idle one a moment. No test asserts less."""
EVERY = 0.05


def wait_until(happened: Callable[[], object], what: str = "what was waited for") -> None:
    """Return once something has happened."""
    for _ in range(int(LONG / EVERY)):
        if happened():
            return
        time.sleep(EVERY)
    pytest.fail(f"{what} did not happen")
