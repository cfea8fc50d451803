"""``helio plan`` without a network says what cannot be known, and asks a server that fails only once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helio.cli import app

RANGE = ("-t", "2022-01-01")


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The paths that a server is asked for which is down."""
    paths: list[str] = []

    class Down(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(500)

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Down)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_CDAWEB_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    yield paths
    server.shutdown()
    server.server_close()


def helio(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), prog_name="helio")


@pytest.mark.parametrize("name", ["psp-bfield", "ace-bfield-overview", "omni-solar-wind"])
def test_a_plan_says_what_is_not_known_while_the_server_is_down(name: str, asked: list[str]):
    found = helio("plan", name, *RANGE)
    assert found.exit_code == 0, found.output
    assert len(asked) == 1
    assert "unknown" in found.output
    assert "not known offline" in found.output
    assert "to download: not known for " in found.output
    assert "500" in found.output
    assert "writes " in found.output


def test_a_plan_asks_nobody_when_it_is_to_be_offline(asked: list[str]):
    found = helio("plan", "psp-bfield", "--offline", *RANGE)
    assert found.exit_code == 0, found.output
    assert not asked
    assert "not known offline" in found.output


def test_a_server_that_nobody_answers_for_is_no_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HELIO_CDAWEB_URL", "http://127.0.0.1:9")
    found = helio("plan", "psp-bfield", *RANGE, "--json")
    assert found.exit_code == 0, found.output
    saved = json.loads(found.stdout)
    assert "cannot be reached" in saved["offline"]
    assert "unknown" in [told["state"] for told in saved["forecast"]]
    assert saved["files"] == {}


def test_a_plan_that_was_made_offline_can_be_run(asked: list[str]):
    helio("plan", "psp-bfield", *RANGE, "-o", "plan.json")
    before = len(asked)
    found = helio("run", "plan.json", "--offline", "--direct")
    assert found.exit_code == 1, found.output
    assert "was never asked" in found.output
    assert len(asked) == before


def test_what_is_wrong_with_a_range_is_still_an_error():
    found = helio("plan", "psp-bfield", "-t", "next sunday evening")
    assert found.exit_code == 2, found.output
