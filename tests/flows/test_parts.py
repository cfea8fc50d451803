"""A plan with failing items ends the same with the engine and without; ``HELIO_LONG=1`` tries many more plans."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given

from helio.flows.run import FlowRequest, run_flow
from helio.flows.server import Server
from helio.pipelines.plan import Plan
from helio.pipelines.runs.execute import Execution, StepResult
from helio.pipelines.runs.worker_pool import Workers
from tests.laws import law
from tests.pipelines.runs.parts import outcome, plans

pytestmark = [pytest.mark.server, pytest.mark.process]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as workers:
        yield workers


@law(4, 100, suppress_health_check=list(HealthCheck))
@given(plan=plans())
def test_a_run_ends_the_same_with_the_engine_and_without(
    server: Server, home: Path, workers: Workers, plan: Plan
):
    def prefect(execution: Execution) -> tuple[StepResult, ...]:
        return run_flow(FlowRequest(plan, "a-run", home, server.url), execution, pause=lambda: 0.0)

    with tempfile.TemporaryDirectory() as folder:
        first = outcome(plan, Path(folder) / "direct", workers)
        assert outcome(plan, Path(folder) / "engine", workers, prefect) == first
        assert outcome(plan, Path(folder) / "direct", workers, prefect) == first
