"""Wait in a test for what another thread or process does."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


class _Listener(logging.Handler):
    def __init__(self, words: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._words = words
        self._act = act

    def emit(self, record: logging.LogRecord) -> None:
        if self._words in record.getMessage():
            self._act()


@contextmanager
def when_logged(logger: str, words: str, act: Callable[[], object]) -> Iterator[None]:
    """Do something at the moment at which a logger of helio says these words, in the thread that says them."""
    log, listener = logging.getLogger(logger), _Listener(words, act)
    before = log.level
    log.setLevel(logging.INFO)
    log.addHandler(listener)
    try:
        yield
    finally:
        log.removeHandler(listener)
        log.setLevel(before)
