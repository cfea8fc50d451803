"""What goes wrong with a server, as a whole run meets it: how often it is asked, what is said, and the next run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio.errors import (
    DamagedFile,
    NoData,
    RateLimited,
    Refused,
    ServerUnavailable,
    UnknownDataset,
)
from helio.flows.run import FlowRequest, run_flow
from helio.flows.server import Server
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.runs.execute import Execution, StepResult, execute
from helio.pipelines.runs.worker_pool import Workers
from helio.sources.archives import Archives
from helio.sources.cdf import CdfReader
from helio.sources.http import Http
from helio.store.store import Store
from helio.testing import CdaWebStandIn, FakeClock, HapiStandIn
from tests.pipelines.conftest import fetch, render, template
from tests.sources.conftest import patience
from tests.sources.conftest import published as published
from tests.sources.conftest import standin as standin
from tests.sources.made_hapi import magnetometer

pytestmark = pytest.mark.process

ENGINES = ("direct", "prefect")
LISTING, FILE = "orig_data", "/sp_phys/data/"
NOW = datetime(2024, 3, 31)


@pytest.fixture(scope="module")
def reader() -> Iterator[CdfReader]:
    with CdfReader() as one:
        yield one


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1) as one:
        yield one


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> FakeClock:
    """Nobody waits for anybody."""
    one = FakeClock()
    monkeypatch.setitem(Http.__init__.__kwdefaults__, "timeout", patience(request))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return one


@pytest.fixture
def run(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock, reader: CdfReader, workers: Workers
) -> Callable[..., dict[Any, StepResult]]:
    """A run of a plan as `run_plan` has it: a look into the store, then an engine."""

    def run(plan: Plan, engine: str, archive: str, **options: Any) -> dict[Any, StepResult]:
        archives = Archives(reader, archive, cache=tmp_path / "files", clock=clock, **options)
        execution = Execution(plan, Store(tmp_path / "store"), archives, workers)
        steps = execution.in_store()
        if steps is None and engine == "direct":
            steps = execute(execution).steps
        elif steps is None:
            server: Server = request.getfixturevalue("server")
            home: Path = request.getfixturevalue("home")
            request_of_flow = FlowRequest(plan, "a-run", home, server.url)
            steps = run_flow(request_of_flow, execution, pause=lambda: 0.0)
        return {step.step.step_id: step for step in steps}

    return run


def plan_of(dataset: str, parameter: str, archive: str, **fetched: Any) -> Plan:
    """A fetch and a figure of it."""
    args = {"dataset_id": dataset, "parameter_id": parameter} | fetched
    label = fetched.get("output_label", f"{dataset}.{parameter}")
    variables = {"$TIME_RANGE": {"type": "time_range", "default": "2021-10-28"}}
    document = template(fetch("b", args=args), render("figure", (label,)), variables=variables)
    return make_plan(document, now=NOW, archive=archive)


WITH_ENGINE = (
    (LISTING, "500"), (LISTING, "403"), (LISTING, "404"), (FILE, "500"), (FILE, "404"),
    ("/info", "1500"), ("/data", ("429", 1)),
)  # fmt: skip
"""An engine takes longer, and what a server says is the same for both."""


def with_engines(cases: list[tuple[Any, ...]]) -> list[Any]:
    """Each case in a run without an engine, and some in one with it."""
    return [
        pytest.param(engine, *case, marks=[pytest.mark.server] * (engine == "prefect"))
        for case in cases
        for engine in ENGINES
        if engine == "direct" or case[:2] in WITH_ENGINE
    ]


MAY_PASS = [("timeout", ServerUnavailable), ("reset", ServerUnavailable), ("500", ServerUnavailable)]


@pytest.mark.parametrize(
    ("engine", "stage", "fault", "kind", "attempts"),
    with_engines(
        [
            *[(stage, fault, kind, 3) for stage in (LISTING, FILE) for fault, kind in MAY_PASS],
            *[(stage, ("429", 1), RateLimited, 3) for stage in (LISTING, FILE)],
            (LISTING, "html", ServerUnavailable, 3),
            (LISTING, "truncate", ServerUnavailable, 3),
            (LISTING, "403", Refused, 1),
            (LISTING, "404", NoData, 1),
            (LISTING, "empty", NoData, 1),
            (FILE, "truncate", DamagedFile, 3),
            (FILE, "wrong length", DamagedFile, 1),
            (FILE, "html", DamagedFile, 1),
            (FILE, "damaged", DamagedFile, 1),
            (FILE, "403", Refused, 1),
            (FILE, "404", Refused, 1),
        ]
    ),
)
def test_a_run_asks_cdaweb_three_times_and_the_engine_as_often_again_if_it_may_pass(
    standin: CdaWebStandIn, run, tmp_path: Path, engine: str, stage: str, fault: Any, kind: Any, attempts: int
):
    plan = plan_of("STA_L1_HET", "Proton_Flux", "cdaweb")
    standin.fail(stage, *[fault] * 9)
    results = run(plan, engine, "cdaweb", addresses={"cdaweb": standin.url})
    assert type(results["b"].error) is kind
    assert results["figure"].state == "skipped"
    again = engine == "prefect" and issubclass(kind, (ServerUnavailable, RateLimited))
    assert len(standin.asked(stage)) == attempts * (1 + again)
    assert list(tmp_path.rglob("*/parts/*")) == []
    for path in (tmp_path / "files").rglob("*.cdf"):
        assert path.with_name(f"{path.name}.json").exists()
    # the server is well again, and it is not an hour later
    standin.mend()
    after = run(plan, engine, "cdaweb", addresses={"cdaweb": standin.url})
    assert {value.state for value in after.values()} == {"completed"}
    assert len(standin.asked(FILE)) == 1


@pytest.mark.parametrize(
    ("engine", "stage", "fault", "kind", "attempts"),
    with_engines(
        [
            *[
                (stage, fault, kind, attempts)
                for stage in ("/capabilities", "/info", "/data")
                for fault, kind, attempts in (
                    ("500", ServerUnavailable, 3),
                    ("1500", ServerUnavailable, 3),
                    ("reset", ServerUnavailable, 3),
                    (("429", 1), RateLimited, 3),
                    ("403", Refused, 1),
                )
            ],
            ("/info", "1406", UnknownDataset, 1),
            ("/data", "1405", NoData, 1),
            ("/data", "html", DamagedFile, 1),
        ]
    ),
)
def test_a_run_asks_a_hapi_server_three_times_and_the_engine_as_often_again_if_it_may_pass(
    run, engine: str, stage: str, fault: Any, kind: Any, attempts: int
):
    with HapiStandIn([magnetometer()]) as server:
        plan = plan_of("MADE_MAG", "BGSE", server.url)
        server.fail(stage, *[fault] * 9)
        results = run(plan, engine, server.url)
        assert type(results["b"].error) is kind
        again = engine == "prefect" and issubclass(kind, (ServerUnavailable, RateLimited))
        assert len(server.asked(stage)) == attempts * (1 + again)
        server.mend()
        after = run(plan, engine, server.url)
        assert {value.state for value in after.values()} == {"completed"}


@pytest.mark.parametrize("engine", ["direct", pytest.param("prefect", marks=pytest.mark.server)])
def test_each_of_two_fetches_that_fail_is_asked_for_once_more_by_itself(
    standin: CdaWebStandIn, run, engine: str
):
    day = {"variables": {"$TIME_RANGE": {"type": "time_range", "default": "2021-10-28"}}}
    other = {"dataset_id": "AC_K2_MFI", "parameter_id": "BGSEc"}
    document = template(
        fetch("b", args={"dataset_id": "STA_L1_HET", "parameter_id": "Proton_Flux"}),
        fetch("c", args=other),
        render("figure", ("STA_L1_HET.Proton_Flux", "AC_K2_MFI.BGSEc")),
        **day,
    )
    plan = make_plan(document, now=NOW, archive="cdaweb")
    standin.fail(LISTING, *["503"] * 20)
    results = run(plan, engine, "cdaweb", addresses={"cdaweb": standin.url})
    assert {value.state for value in results.values()} == {"failed", "skipped"}
    for dataset in ("STA_L1_HET", "AC_K2_MFI"):
        asked = [request for request in standin.asked(LISTING) if dataset in request.path]
        assert len(asked) == (3 if engine == "direct" else 6)


def test_a_candidate_that_the_server_does_not_know_is_asked_for_once(run):
    with HapiStandIn([magnetometer()]) as server:
        args = {"candidates": ["MADE_MAK", "MADE_MAG"], "dataset_id": None, "output_label": "B"}
        plan = plan_of("MADE_MAG", "BGSE", server.url, **args)
        results = run(plan, "direct", server.url)
        assert results["b"].state == "completed"
        asked = [request.query["dataset"] for request in server.asked("/info")]
        assert asked == ["MADE_MAK", "MADE_MAG", "MADE_MAG"]  # the last one after the records
