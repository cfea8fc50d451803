"""What is told over plain HTTP, read back as the UI reads it."""

from __future__ import annotations

import base64
import io
import json
import random
from email.message import Message
from pathlib import Path
from typing import cast
from urllib.error import HTTPError

import pytest
from PIL import Image

from helio.errors import EngineError
from helio.flows.register import (
    LARGEST_IMAGE,
    PATIENCE,
    QUICK,
    Picture,
    mark_crashed,
    publish,
    register_cached,
)
from helio.flows.server import Server
from helio.flows.task_runs import EVENTS
from helio.pictures import size_of
from helio.pipelines.runs.execute import StepResult
from tests.flows.conftest import Shown, diamond

PNG = b"\x89PNG\r\n\x1a\n"


def large_png() -> bytes:
    """A PNG of noise, which does not become small by compression."""
    written = io.BytesIO()
    Image.frombytes("RGB", (1500, 1000), random.Random(1).randbytes(4_500_000)).save(written, "PNG")
    assert len(written.getvalue()) > LARGEST_IMAGE
    return written.getvalue()


@pytest.mark.slow
@pytest.mark.server
def test_a_run_from_the_store_is_shown_like_any_other(server: Server) -> None:
    plan = diamond(left=False)
    flow_run_id = register_cached(
        server, plan, [StepResult(step, "cached") for step in plan.steps], run_id="r"
    )
    assert flow_run_id is not None
    shown = Shown(server, flow_run_id)
    shown.soon(lambda shown: set(shown.states.values()), {"Cached"})
    edges = {("b", "left"), ("b", "right"), ("left", "figure"), ("right", "figure")}
    assert set(shown.tasks) == {"b", "left", "right", "figure", "apart"}
    assert shown.edges == shown.graph == edges
    run = shown.run
    assert run["name"] == "diamond 2024-01-10/2024-01-11"
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Completed")
    assert set(run["tags"]) == {"helio", "diamond"}
    assert run["context"] == {"helio_run": "r"}
    assert run["start_time"] is not None
    assert run["end_time"] is not None
    assert shown.tasks["b"]["tags"] == ["critical"]
    assert shown.tasks["left"]["tags"] == []


def test_without_a_server_nothing_is_registered_and_nobody_hears_of_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = diamond()
    for environ in ({}, {"PREFECT_API_URL": "http://127.0.0.1:9/api"}):
        results = [StepResult(step, "cached") for step in plan.steps]
        assert register_cached(Server(tmp_path, environ), plan, results, run_id="r") is None
    assert capfd.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.server
def test_figures_digests_and_files_are_shown_with_the_run(server: Server, tmp_path: Path) -> None:
    plan = diamond()
    flow_run_id = register_cached(
        server, plan, [StepResult(step, "cached") for step in plan.steps], run_id="r"
    )
    assert flow_run_id is not None
    page = tmp_path / "figure 1.html"
    pictures = [
        Picture("figure", PNG, page),
        Picture("Other_Figure", None, page),
        Picture("damaged", PNG.ljust(LARGEST_IMAGE + 1), page),
        Picture("large", large_png(), page, tmp_path / "large.png"),
    ]
    lines = [{"label": "AC_H2_MFI.BGSEc", "digest": "sha256:ab", "rows": 24}]
    assert publish(
        server, flow_run_id, pipeline_id="diamond", figures=pictures, tables=lines, files=[page, tmp_path]
    )
    found = server.request("/artifacts/filter", {"flow_runs": {"id": {"any_": [flow_run_id]}}})
    shown = {artifact["key"]: artifact for artifact in found}
    assert set(shown) == {
        "diamond-figure",
        "diamond-other-figure",
        "diamond-damaged",
        "diamond-large",
        "diamond-tables",
        "diamond-files",
    }
    assert shown["diamond-figure"]["type"] == "image"
    head, _, data = shown["diamond-figure"]["data"].partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data) == PNG
    assert shown["diamond-other-figure"]["type"] == shown["diamond-damaged"]["type"] == "markdown"
    assert page.as_uri() in shown["diamond-other-figure"]["data"]
    large = shown["diamond-large"]
    assert large["type"] == "image"
    smaller = base64.b64decode(large["data"].partition(",")[2])
    assert len(smaller) <= LARGEST_IMAGE
    width, height = size_of(smaller)
    assert 300 < width < 1500
    assert abs(width / height - 3 / 2) < 0.01
    assert "1500 × 1000 pixels" in large["description"]
    assert "large.png" in large["description"]
    assert json.loads(shown["diamond-tables"]["data"]) == lines
    assert shown["diamond-files"]["data"].count("\n") == 1


@pytest.mark.parametrize(("flow_run", "patience"), [("", QUICK), ("of-a-schedule", PATIENCE)])
def test_a_scheduled_run_is_patient_with_its_server(
    flow_run: str, patience: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = []

    def answer(server: Server, *question: object, timeout: float, method: str) -> dict[str, str]:
        waits.append(timeout)
        return {"id": "1"}

    monkeypatch.setattr(Server, "is_up", lambda server, timeout: waits.append(timeout) or True)
    monkeypatch.setattr(Server, "request", answer)
    plan = diamond()
    results = [StepResult(step, "cached") for step in plan.steps]
    assert register_cached(Server(tmp_path, {}), plan, results, run_id="r", flow_run=flow_run)
    assert waits == [patience] * 4


def test_artifacts_that_nobody_takes_do_not_end_the_run(tmp_path: Path) -> None:
    server = Server(tmp_path, {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    assert not publish(server, "0", pipeline_id="p", tables=[{"label": "B"}])


@pytest.mark.server
def test_runs_that_are_over_are_not_marked_as_crashed(server: Server) -> None:
    plan = diamond()
    flow_run_id = register_cached(
        server, plan, [StepResult(step, "cached") for step in plan.steps], run_id="r"
    )
    assert flow_run_id is not None
    assert mark_crashed(server, [flow_run_id]) == ()
    assert mark_crashed(server, []) == ()
    assert Shown(server, flow_run_id).run["state_name"] == "Completed"


class Busy:
    """A server whose database is busy at every second call."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def is_up(self, _timeout: float) -> bool:
        return True

    def request(self, path: str, _body: object = None, **_: object) -> dict[str, str]:
        self.asked.append(path)
        if len(self.asked) % 2:
            busy = HTTPError(path, 503, "Service Unavailable", Message(), None)
            raise EngineError(f"refused {path}: status 503") from busy
        return {"id": "made"}


def test_a_run_is_shown_although_the_database_is_busy_for_a_moment() -> None:
    server, plan = Busy(), diamond(left=False)
    results = [StepResult(step, "cached") for step in plan.steps]
    assert register_cached(cast(Server, server), plan, results, run_id="r") == "made"
    assert server.asked[::2] == server.asked[1::2] == ["/flows/", "/flow_runs/", EVENTS]
