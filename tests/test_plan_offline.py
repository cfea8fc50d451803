"""``helio plan`` without a network says what cannot be known, and asks a server that fails only once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app
from helio.testing import Handler, Request, StandIn

pytestmark = pytest.mark.usefixtures("warm_processes")

RANGE = ("-t", "2022-01-01")


class DownHandler(Handler):
    def route(self) -> None:
        self.answer(500, b"", "text/html")


class Down(StandIn):
    handler = DownHandler


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Request]]:
    """What a server is asked for which is down."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    with Down() as server:
        monkeypatch.setenv("HELIO_CDAWEB_URL", server.url)
        yield server.requests


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


@pytest.mark.parametrize("name", ["psp-bfield", "ace-bfield-overview", "omni-solar-wind"])
def test_a_plan_says_what_is_not_known_while_the_server_is_down(name: str, asked: list[Request]):
    found = helio("plan", name, *RANGE)
    assert found.exit_code == 0, found.output
    assert len(asked) == 1
    assert "unknown" in found.output
    assert "helio cannot look up the files of this step while it is offline" in found.output
    assert "to download: unknown for step " in found.output
    assert "500" in found.output
    assert "writes " in found.output


def test_a_plan_asks_nobody_when_it_is_to_be_offline(asked: list[Request]):
    found = helio("plan", "psp-bfield", "--offline", *RANGE)
    assert found.exit_code == 0, found.output
    assert not asked
    assert "helio cannot look up the files of this step while it is offline" in found.output


def test_a_server_that_nobody_answers_for_is_no_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HELIO_CDAWEB_URL", "http://127.0.0.1:9")
    found = helio("plan", "psp-bfield", *RANGE, "--json")
    assert found.exit_code == 0, found.output
    saved = json.loads(found.stdout)
    assert "cannot be reached" in saved["offline"]
    assert "unknown" in [entry["state"] for entry in saved["forecast"]]
    assert saved["files"] == {}


def test_a_plan_that_was_made_offline_can_be_run(asked: list[Request]):
    helio("plan", "psp-bfield", *RANGE, "-o", "plan.json")
    before = len(asked)
    found = helio("run", "plan.json", "--offline", "--direct")
    assert found.exit_code == 1, found.output
    assert "its cache has no" in found.output
    assert len(asked) == before


def test_what_is_wrong_with_a_range_is_still_an_error():
    found = helio("plan", "psp-bfield", "-t", "next sunday evening")
    assert found.exit_code == 2, found.output
