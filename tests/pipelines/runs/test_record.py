"""What the record of a run says about the machine."""

from __future__ import annotations

import platform
import sys

import pytest

from helio.pipelines.runs.record import environment


@pytest.mark.skipif(sys.platform != "linux", reason="only there `platform.platform` starts a program")
def test_a_record_names_the_platform_without_starting_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = platform.platform()

    def start() -> str:
        raise AssertionError("platform.platform starts the program uname")

    monkeypatch.setattr(platform, "platform", start)
    environment.cache_clear()
    assert environment()["platform"] == expected
