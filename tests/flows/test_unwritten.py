"""A run whose file cannot be written is shown by the server as it ended, not as its steps did."""

from __future__ import annotations

from pathlib import Path

import pytest

from helio.flows.prefect import PrefectEngine
from helio.flows.server import Server
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.session import run_plan
from helio.settings import read_settings
from tests.pipelines.conftest import NOW, template

from .conftest import ENVIRON


def planned(name: str, *, critical: bool) -> Plan:
    fetch = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc", "time_range": "2022-01-01"}
    spec = {"labels": ["AC_K2_MFI.BGSEc"], "title": name, "formats": ["json", "png"]}
    steps = [
        {"step_id": 1, "tool_name": "fetch_data", "tool_args": fetch},
        {"step_id": 2, "tool_name": "render_spec", "tool_args": {"spec": spec}, "critical": critical},
    ]
    return make_plan(template(*steps, id=name), now=NOW, archive="sample")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("critical", "status", "shown"),
    [(True, "failed", ("FAILED", "CriticalFailure")), (False, "partial", ("COMPLETED", "Partial"))],
)
def test_the_server_shows_that_a_file_is_missing(
    server: Server,
    home: Path,
    tmp_path: Path,
    critical: bool,
    status: str,
    shown: tuple[str, str],
) -> None:
    environ = {**ENVIRON, "HELIO_HOME": str(home), "PATH": str(tmp_path)}
    environ.pop("BROWSER_PATH", None)
    settings = read_settings(environ)
    plan = planned(f"unwritten-{status}", critical=critical)

    def run() -> Run:
        engine = PrefectEngine(settings, settings.environ)
        request = RunRequest(plan, "sample", output=tmp_path / "out")
        return run_plan(request, settings=settings, engine=engine)

    for engine in ("prefect", "none"):  # what the store has needs none
        done = run()
        assert (done.status, done.engine) == (status, engine)
        assert [artefact.path.name for artefact in done.artefacts] == ["figure-2.json"]
        flow_run = server.request(f"/flow_runs/{done.page.rpartition('/')[2]}")
        assert (flow_run["state_type"], flow_run["state_name"]) == shown
        assert "no Chromium" in flow_run["state"]["message"]
