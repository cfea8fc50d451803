"""The typed form that the UI makes of a template's variables, and what runs are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helio.flows.definition import flow_function, parameter_names, run_name, version_of
from helio.flows.run import prefect_environment
from helio.pipelines.plan import make_plan
from tests.flows.conftest import chain
from tests.pipelines.conftest import NOW, fetch, template

VARIABLES: dict[str, Any] = {
    "$TIME_RANGE": {"type": "time_range", "default": "last 7 days", "description": "The days to show."},
    "$LIMIT": {"type": "number", "default": 2.5, "minimum": 0, "maximum": 10},
    "$BINS": {"type": "integer", "required": True, "minimum": 1},
    "$LOG": {"type": "boolean", "default": True},
    "$FRAME": {"type": "enum", "choices": ["GSE", "GSM"], "default": "GSE"},
    "$WINDOW": {"type": "duration", "default": "10min"},
    "$json": {"type": "string", "default": "x"},
    "$class": {"type": "string", "default": "x"},
    "$_hidden": {"type": "string", "default": "x"},
    "$wait_for": {"type": "string", "default": "x"},
}


@pytest.fixture(scope="module")
def form(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with prefect_environment(tmp_path_factory.mktemp("home"), "http://127.0.0.1:9/api"):
        from helio.flows.definition import define_flow

        flow = define_flow(template(fetch(), variables=VARIABLES), lambda **variables: variables)
    assert flow.name == "short"
    assert flow._entrypoint == "helio.flows.pipelines:short"
    return dict(flow.parameters.model_dump())


def test_every_variable_is_a_parameter(form: dict[str, Any]) -> None:
    wanted = [
        "TIME_RANGE",
        "LIMIT",
        "BINS",
        "LOG",
        "FRAME",
        "WINDOW",
        "json_",
        "class_",
        "hidden",
        "wait_for_",
    ]
    assert list(form["properties"]) == wanted
    assert [form["properties"][name]["position"] for name in wanted] == list(range(10))
    assert form["required"] == ["BINS"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("TIME_RANGE", {"type": "string", "default": "last 7 days", "description": "The days to show."}),
        ("LIMIT", {"type": "number", "minimum": 0, "maximum": 10, "default": 2.5}),
        ("BINS", {"type": "integer", "minimum": 1}),
        ("LOG", {"type": "boolean", "default": True}),
        ("FRAME", {"type": "string", "enum": ["GSE", "GSM"], "default": "GSE"}),
        ("WINDOW", {"type": "string", "default": "10min", "description": "5min, 1h, 1d, …"}),
    ],
)
def test_the_form_is_typed(form: dict[str, Any], name: str, wanted: dict[str, Any]) -> None:
    shown = {
        key: value for key, value in form["properties"][name].items() if key not in ("title", "position")
    }
    assert shown == wanted


def test_parameter_names_are_unique() -> None:
    names = parameter_names({"variables": {"$A": {}, "$_A": {}, "$A_": {}, "$_": {}, "$__": {}}})
    assert len(set(names.values())) == 5
    assert names["$A"] == "A"


@pytest.mark.parametrize(
    ("pipeline_id", "name"), [("gle73-particles", "gle73_particles"), ("3d", "_3d"), ("class", "_class")]
)
def test_a_pipelines_id_becomes_a_python_name(pipeline_id: str, name: str) -> None:
    assert flow_function(pipeline_id) == name
    assert name.isidentifier()


def test_a_run_is_called_by_its_time_range() -> None:
    assert run_name(chain(3)) == "short 2024-01-10/2024-01-11"


def test_a_run_without_a_time_range_is_called_by_its_pipeline() -> None:
    step = fetch(args={"time_range": "2024-01-10"})
    plan = make_plan(template(step, variables={}), now=NOW, archive="sample")
    assert run_name(plan).startswith("short")


def test_a_flows_version_follows_what_the_template_means() -> None:
    one = template(fetch())
    assert version_of(one) == version_of({**one, "annotations": {"note": "by hand"}})
    assert version_of(one) != version_of(template(fetch(), id="other"))


def test_the_environment_is_put_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    monkeypatch.setenv("NO_PROXY", "example.org")
    monkeypatch.delenv("PREFECT_HOME", raising=False)
    before = dict(os.environ)
    with prefect_environment(tmp_path, "http://127.0.0.1:4271/api"):
        assert os.environ["NO_PROXY"] == "example.org,127.0.0.1,localhost"
        assert os.environ["PREFECT_HOME"] == str(tmp_path / "prefect")
        other = prefect_environment(tmp_path / "other", "http://127.0.0.1:4271/api")
        other.__enter__()
    other.__exit__(None, None, None)  # two runs do not end in the order in which they began
    assert dict(os.environ) == before
