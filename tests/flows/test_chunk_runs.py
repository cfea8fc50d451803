"""A chunk of intervals on the engine's server, read back as its pages read it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio import api
from helio.errors import Cancelled
from helio.flows.chunk_runs import FOLDER, LOOK_EVERY, ChunkRun, mark_dead_chunks
from helio.flows.server import Server
from helio.service.backfill import Backfill
from helio.settings import Settings
from tests.days import daily, day, write_days
from tests.flows.conftest import ENVIRON, Shown, diamond

pytestmark = [pytest.mark.slow, pytest.mark.server]
NOW = datetime(2024, 3, 1)
PNG = b"\x89PNG\r\n\x1a\n"


def chunk(home: Path, intervals: int = 3) -> ChunkRun:
    settings = Settings(home, environ=ENVIRON)
    return ChunkRun(diamond(), intervals, "2024-01-01/2024-01-04", settings)


def flow_run_of(shown: ChunkRun) -> str:
    return shown.page.rpartition("/")[2]


def test_each_interval_is_a_task_run_with_its_state_reason_and_picture(
    home: Path, server: Server, tmp_path: Path
) -> None:
    picture, page = tmp_path / "figure.png", tmp_path / "figure.html"
    picture.write_bytes(PNG)
    page.write_text("a page")
    with chunk(home) as made:
        for number in range(3):
            made.begun(day(number))
        made.ended(day(0), "done", picture=str(picture))
        made.ended(day(1), "no data", "step fetch: no file")
        made.ended(day(2), "failed", "step draw: too large", picture=str(page), line="✗ the third day")
        assert not made.is_stopped()
    shown = Shown(server, flow_run_of(made))
    expected = {day(0).text: "Completed", day(1).text: "NoData", day(2).text: "Failed"}
    shown.soon(lambda shown: shown.states, expected)
    assert shown.tasks[day(2).text]["state"]["message"] == "step draw: too large"
    shown.soon(lambda shown: [message for _, message in shown.log], [
        f"{day(0)}  done", f"{day(1)}  no data: step fetch: no file", "✗ the third day",
    ])  # fmt: skip
    assert [task for task, _ in shown.log] == [shown.tasks[day(number).text]["id"] for number in range(3)]
    run = shown.run
    assert run["name"] == "diamond backfill 2024-01-01/2024-01-04"
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Partial")
    assert run["state"]["message"] == "1 done, 1 failed, 1 no data"
    assert set(run["tags"]) == {"helio", "backfill", "diamond"}
    artifacts = {artifact["task_run_id"]: artifact for artifact in artifacts_of(server, made)}
    image = artifacts[shown.tasks[day(0).text]["id"]]
    assert (image["type"], base64.b64decode(image["data"].partition(",")[2])) == ("image", PNG)
    assert "figure.html" in artifacts[shown.tasks[day(2).text]["id"]]["data"]
    assert list((home / FOLDER).iterdir()) == []


def artifacts_of(server: Server, made: ChunkRun) -> list[dict[str, Any]]:
    these = {"flow_runs": {"id": {"any_": [flow_run_of(made)]}}}
    return list(server.request("/artifacts/filter", these))


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (("done", "no data"), ("COMPLETED", "Completed")),
        (("done", "partial"), ("COMPLETED", "Partial")),
        (("no data", "no data"), ("FAILED", "Failed")),
    ],
)
def test_the_flow_run_ends_as_its_intervals(
    home: Path, server: Server, states: tuple[str, str], expected: tuple[str, str]
) -> None:
    with chunk(home) as made:
        for number, state in enumerate(states):
            made.begun(day(number))
            made.ended(day(number), state)
    run = Shown(server, flow_run_of(made)).run
    assert (run["state_type"], run["state_name"]) == expected


def test_a_chunk_that_is_stopped_is_cancelled(home: Path, server: Server) -> None:
    made = chunk(home)

    def stop() -> None:
        with made:
            made.begun(day(0))
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        stop()
    shown = Shown(server, flow_run_of(made))
    assert shown.run["state_type"] == "CANCELLED"
    shown.soon(lambda shown: shown.states, {day(0).text: "Cancelled"})


def test_a_person_can_cancel_a_chunk_on_its_page(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helio.flows.chunk_runs.LOOK_EVERY", 0.0)
    assert LOOK_EVERY > 0
    with chunk(home) as made:
        assert not made.is_stopped()
        state = {"state": {"type": "CANCELLING"}, "force": True}
        server.request(f"/flow_runs/{flow_run_of(made)}/set_state", state)
        assert made.is_stopped()


@pytest.fixture
def killed(home: Path, server: Server) -> Iterator[ChunkRun]:
    """A chunk whose process was killed."""
    made = chunk(home)
    made.__enter__()
    made.begun(day(0))
    [record] = (home / FOLDER).iterdir()
    written = json.loads(record.read_text())
    written["process"]["started"] += "9"
    record.write_text(json.dumps(written))
    yield made
    made._use.__exit__(None, None, None)


def test_a_chunk_whose_process_was_killed_has_crashed(home: Path, server: Server, killed: ChunkRun) -> None:
    shown = Shown(server, flow_run_of(killed))
    shown.soon(lambda shown: shown.states, {day(0).text: "Running"})
    assert mark_dead_chunks(server, home) == 1
    assert shown.run["state_type"] == "CRASHED"
    shown.soon(lambda shown: shown.states, {day(0).text: "Crashed"})
    assert mark_dead_chunks(server, home) == 0


def test_many_pictures_become_links(
    home: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helio.flows.chunk_runs.MOST_IMAGES", 1)
    picture = tmp_path / "figure.png"
    picture.write_bytes(PNG)
    with chunk(home) as made:
        for number in range(2):
            made.begun(day(number))
            made.ended(day(number), "done", picture=str(picture))
    assert sorted(artifact["type"] for artifact in artifacts_of(server, made)) == ["image", "markdown"]


def test_a_backfill_shows_its_intervals_on_the_engines_pages(
    home: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = write_days(tmp_path / "data", 2)
    settings = Settings(home, environ=ENVIRON)

    def fill() -> Backfill:
        return api.backfill(
            daily(), "2024-01-01..2024-01-04", archive=data, now=NOW, engine="prefect", settings=settings
        )

    filled = fill()
    assert filled.status == "success"
    shown = Shown(server, filled.page.rpartition("/")[2])
    assert shown.run["name"] == "daily-field backfill 2024-01-01/2024-01-04"
    expected = {day(0).text: "Completed", day(1).text: "Completed", day(2).text: "NoData"}
    shown.soon(lambda shown: shown.states, expected)
    shown.soon(lambda shown: {message for _, message in shown.log}, {str(ending) for ending in filled.made})
    assert sum(str(ending).startswith("✓") for ending in filled.made) == 2
    again = fill()
    assert (again.page, len(again.made)) == ("", 0)
