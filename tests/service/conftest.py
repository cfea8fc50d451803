"""Backfills of days of local files; most make their intervals in the process of the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helio.pipelines.runs.session import open_processes
from helio.service import backfill as module
from helio.service.chunk import Chunk, Made, make_interval
from helio.settings import Settings


def make_here(
    chunk: Chunk,
    settings: Settings,
    *,
    workers: int,
    on_event: Callable[[Any], None] = lambda event: None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Made, ...]:
    """Do what `make_chunk` does, without processes for the intervals."""
    del workers
    ended: list[Made] = []
    with open_processes(settings) as processes:
        for span in chunk.spans:
            if stopped():
                break
            on_event(span)
            ended.append(make_interval(chunk, span, settings, processes))
            on_event(ended[-1])
            if ended[-1].is_left:
                break
    return tuple(ended)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, warm_processes: None) -> None:
    monkeypatch.setattr(module, "make_chunk", make_here)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
