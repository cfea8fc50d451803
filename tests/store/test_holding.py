"""Locks between processes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from helio.errors import OutputError
from helio.store.holding import held


def test_a_pipe_in_the_place_of_the_file_is_an_error_and_no_wait_without_end(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    os.mkfifo(path)
    with pytest.raises(OutputError, match="lock"), held(path):
        pass
