"""`helio serve` shows the gallery: one process, one link, with and without an engine that answers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from helio.flows.secret import find_secret
from helio.flows.tickets import make_ticket
from helio.web.serve import serving
from tests.waiting import LONG, wait_until
from tests.web.homes import settings_of, usual_home

pytestmark = pytest.mark.process
NOBODY = {"PREFECT_API_URL": "http://127.0.0.1:9/api"}
"""An engine of somebody else, which does not answer."""


@contextmanager
def helio_serve(home: Path, *options: str) -> Iterator[tuple[str, Path]]:
    """Run `helio serve` without an engine; yield the address that it prints, and its log."""
    log = home.parent / "serve.log"
    environ = {**os.environ, "HELIO_HOME": str(home), **NOBODY}
    with log.open("w") as written:
        process = subprocess.Popen(
            [sys.executable, "-m", "helio", "serve", *options], stdout=written, stderr=written, env=environ
        )
    try:
        wait_until(
            lambda: "gallery: http" in log.read_text() or process.poll() is not None, "the gallery's link"
        )
        links = re.findall(r"gallery: (http\S+)", log.read_text())
        assert links, log.read_text()
        yield links[0], log
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(LONG) == 0
        assert "Traceback" not in log.read_text()


def ask(link: str, path: str, method: str = "GET", body: object = None) -> tuple[int, bytes]:
    parts = urlsplit(link)
    assert parts.port is not None
    headers = {"Content-Type": "application/json", "Origin": f"http://{parts.netloc}"} if body else {}
    with closing(HTTPConnection("127.0.0.1", parts.port, timeout=LONG)) as connection:
        connection.request(method, path, body and json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, reply.read()


def root_of(link: str, home: Path) -> str:
    ticket = make_ticket(find_secret(home / "gallery"), time.time())
    status, body = ask(link, "/open", "POST", {"ticket": ticket})
    assert status == 200
    path: str = json.loads(body)["path"]
    return path


def test_the_gallery_answers_while_the_engine_does_not(tmp_path: Path):
    usual_home(tmp_path / "home")
    with helio_serve(tmp_path / "home") as (link, log):
        assert urlsplit(link).fragment == ""  # a log is no terminal
        assert ask(link, "/")[0] == 403
        root = root_of(link, tmp_path / "home")
        assert b"ACE field" in ask(link, root)[1]
        wait_until(lambda: "waiting for this server" in log.read_text(), "a word about the engine")
        status, body = ask(link, root + "engine")
        assert status == 503
        assert b"helio up" in body
        assert "serving the schedules" not in log.read_text()


def test_another_gallery_of_the_home_gives_a_link_to_that_of_the_schedules(tmp_path: Path):
    usual_home(tmp_path / "home")
    environ = {**os.environ, "HELIO_HOME": str(tmp_path / "home")}
    with helio_serve(tmp_path / "home") as (link, _):
        printed = subprocess.run(
            [sys.executable, "-m", "helio", "gallery", "serve"], env=environ, capture_output=True, text=True
        )
    assert printed.stdout.strip() == link


def test_a_taken_port_is_left_to_its_program_unless_the_user_names_it(tmp_path: Path):
    settings = settings_of(tmp_path / "home")
    with serving(settings) as first, serving(settings) as second:
        ports = {urlsplit(first).port, urlsplit(second).port}
        assert len(ports) == 2
        assert ask(second, "/")[0] == 403
        environ = {**os.environ, "HELIO_HOME": str(tmp_path / "other"), **NOBODY}
        command = [sys.executable, "-m", "helio", "serve", "--port", str(urlsplit(first).port)]
        refused = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "cannot use port" in refused.stderr
