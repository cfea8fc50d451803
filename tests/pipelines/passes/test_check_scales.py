"""What the scale of an axis excludes is found before anything is fetched, in the words of the run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from helio.errors import StepError
from helio.pipelines.passes.check_scales import check_scales
from helio.pipelines.plan import check
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.template import Template
from helio.steps.examples import energies, series, spectrum, vector
from helio.steps.render.render_spec import render_spec
from helio.steps.signature import signatures
from tests.pipelines.conftest import NOW, fetch, magnitude, template

FIELD = vector([[3.0, 4.0, 0.0], [1.0, 2.0, 2.0]], "nT")
TABLES = {
    "F.B": FIELD,
    "b": series([5.0, 3.0], "nT", "b"),
    "F.N": series([5.0, 6.0], "cm^-3", "N"),
    "F.E": spectrum([[1.0, 2.0], [3.0, 4.0]], energies([1.0, 10.0, 100.0]), "1"),
}
DATASETS = {"F": Dataset({"B": 3, "N": 1, "E": 2}, spectra=frozenset({"E"}))}
TWO = {"labels": ["b", "F.N"], "panels": [["b"], ["F.N"]]}


def found(spec: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    steps = [
        fetch(1, args={"dataset_id": "F", "parameters": ["B", "N", "E"], "parameter_id": None}),
        magnitude(2, "F.B", "b"),
        {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["b"], **spec}}},
    ]
    del steps[0]["tool_args"]["parameter_id"]
    context = Context(signatures(), datetime(2024, 1, 1), {}, catalogue=DATASETS)
    findings = check_scales(Template.from_json({"steps": steps}), context)
    start = "/steps/2/tool_args/spec/"
    return [
        (finding.code, finding.path.removeprefix(start), finding.message, *finding.advice)
        for finding in findings
    ]


def run_says(spec: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(StepError) as refused:
        render_spec(TABLES, spec={"labels": ["b"], **spec})  # type: ignore[typeddict-item]
    return refused.value.message, refused.value.advice


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"log_scale": "symlog", "linthresh": -5}, "linthresh"),
        (TWO | {"log_scale": {"2": "symlog"}, "linthresh": {"2": 0}}, "linthresh/2"),
        (TWO | {"log_scale": {"2": "symlog"}, "linthresh": {"1": 5}}, "linthresh/1"),
        ({"linthresh": 5}, "linthresh"),
        ({"log_scale": "y", "y_range": [-5, 5]}, "y_range"),
        ({"log_scale": 1, "y_range": [0, 5]}, "y_range"),
        (TWO | {"log_scale": {"1": "log"}, "y_range": {"1": [-1, 5], "2": [-1, 5]}}, "y_range/1"),
        (TWO | {"log_y": {"2": True}, "y_range": {"2": [-1, 5]}}, "y_range/2"),
        (
            {
                "labels": ["b", "F.N"],
                "panels": [["b", "F.N"]],
                "right": ["F.N"],
                "log_scale": {"1 right": "log"},
            }
            | {"y_range": {"1 right": [-1, 5]}},
            "y_range/1 right",
        ),
        ({"labels": ["F.E"], "panel_types": ["spectrogram"], "log_y": True, "y_range": [0, 9]}, "y_range"),
        ({"labels": ["F.E"], "panel_types": ["spectrum"], "log_x": True, "bin_range": [0, 9]}, "bin_range"),
        (
            {"labels": ["b", "F.N"], "xy": [{"x": "b", "y": "F.N", "log_x": True, "x_range": [-1, 5]}]},
            "xy/0/x_range",
        ),
        (
            TWO | {"histograms": [{"of": ["b"]}, {"of": ["b"], "log_y": True, "y_range": [0, 5]}]},
            "histograms/1/y_range",
        ),
    ],
)
def test_the_check_says_what_the_run_says(spec: dict[str, Any], path: str) -> None:
    [(code, place, *words)] = found(spec)
    assert (code, place) == ("HV112", path)
    assert tuple(words) == run_says(spec)


def test_a_kind_that_only_the_catalogue_says_is_a_warning() -> None:
    spec = {"labels": ["F.N"], "panels": [["F.N"]], "log_scale": "log", "y_range": [-5, 5]}
    [(code, _, message, advice)] = found(spec)
    said = run_says(spec)
    assert (code, message, advice) == ("HV113", f"{said[0]}, according to the catalogue", said[1])


@pytest.mark.parametrize(
    "spec",
    [
        TWO | {"log_scale": "symlog", "linthresh": {"1": 5}, "y_range": [-5, 5]},
        TWO | {"log_scale": "y", "y_range": [0.1, 5]},
        TWO | {"log_scale": {"1": "log"}, "y_range": {"2": [-5, 5]}},
        {"log_scale": "$SCALE", "linthresh": 5, "y_range": [-5, 5]},
        {"log_scale": "y", "y_range": "$LIMITS"},
        # Whether these axes are logarithmic depends on values, and on the kind of the panel.
        TWO | {"log_y": True, "y_range": [-5, 5]},
        {"labels": ["F.E"], "panels": [["F.E"]], "log_scale": "log", "y_range": [-5, 5]},
        {"panel_types": ["strip"], "log_scale": "log", "y_range": [-5, 5]},
        {"xy": [{"x": "b", "y": "b", "log_x": True, "x_range": [-1, 5]}], "labels": ["b", "F.N"]},
    ],
)
def test_what_is_right_or_not_known_yet_is_left_alone(spec: dict[str, Any]) -> None:
    assert found(spec) == []


def test_the_place_is_that_of_the_argument_as_it_was_written() -> None:
    plot = {"step_id": 2, "tool_name": "plot_data"}
    plot["tool_args"] = {"labels": ["n"], "log_scale": "symlog", "linthresh": -5}
    [error] = check(template(fetch(args={"output_label": "B"}), magnitude(3, "B", "n"), plot), now=NOW).errors
    assert (error.code, error.path) == ("HV112", "/steps/2/tool_args/linthresh")
