"""Ids of runs."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

import pytest

from helio.clock import Clock
from helio.pipelines.runs.session import new_run_id


def test_many_runs_within_a_second_have_different_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = (number // 2 for number in count())
    monkeypatch.setattr(os, "urandom", lambda size: next(numbers).to_bytes(size, "big"))
    for _ in range(20):
        (tmp_path / new_run_id("same", tmp_path, Clock())).mkdir()
    assert len(list(tmp_path.iterdir())) == 20
