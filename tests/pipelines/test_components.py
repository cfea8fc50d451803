"""Maps over the components of a table that only a person's own files describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helio.pipelines.passes.expand_items import expanded
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.template import Template
from helio.steps.signature import signatures
from tests.sources.made_files import goes_like

from .conftest import NOW, fetch, template

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_processes")]


def plan_of(archive: Path, over: str, **args: Any) -> Plan:
    """A running average of each component of a table."""
    get = fetch(1, args={"dataset_id": "MINE", "parameter_id": "b_gse", "time_range": "2024-05-10"} | args)
    average = {
        "step_id": 2,
        "tool_name": "running_average",
        "tool_args": {"source_label": f"{over}.$C", "window": "1min", "output_label": "slow-$C"},
        "for_each": {"as": "$C", "over": {"components_of": over}},
    }
    variables = {"$SET": {"type": "dataset", "default": "MINE"}}
    return make_plan(template(get, average, variables=variables), now=NOW, archive=str(archive))


def labels(plan: Plan) -> list[str]:
    return [label for step in plan.steps for label in step.produces if label.startswith("slow")]


@pytest.mark.parametrize(
    ("over", "args"),
    [
        ("MINE.b_gse", {}),
        ("b", {"output_label": "b"}),
        ("b", {"dataset_id": "$SET", "output_label": "b"}),
        ("MINE.b_gse", {"parameter_id": None, "parameters": ["flux", "b_gse"]}),
    ],
)
def test_components_are_those_of_the_files_of_the_archive(tmp_path: Path, over: str, args: dict[str, Any]):
    goes_like(tmp_path / "mine.nc")
    assert len(labels(plan_of(tmp_path, over, **args))) == 3


def test_cartesian_components_are_called_by_their_letters(tmp_path: Path):
    goes_like(tmp_path / "mine.nc")
    assert labels(plan_of(tmp_path, "MINE.b_gse")) == ["slow-x", "slow-y", "slow-z"]


def test_other_components_are_called_by_their_names():
    get = fetch(1, args={"dataset_id": "MINE", "parameter_id": "p"})
    step = {
        **fetch(2, args={"output_label": "p-$C"}),
        "for_each": {"as": "$C", "over": {"components_of": "MINE.p"}},
    }
    context = Context(signatures(), NOW, {}, components=lambda provider, dataset_id, parameter: ("P1", "P7"))
    both = Template.from_json({"steps": [get, step]})
    found = expanded(both.steps[1], both, context)
    assert isinstance(found, list)
    assert [step.step_id for step in found] == ["2[P1]", "2[P7]"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"dataset_id": "OTHER"}, "no dataset is called 'OTHER'"),
        ({"parameter_id": "nope"}, "nope"),
    ],
)
def test_components_that_no_file_tells_are_refused(tmp_path: Path, args: dict[str, str], said: str):
    goes_like(tmp_path / "mine.nc")
    over = ".".join(({"dataset_id": "MINE", "parameter_id": "b_gse"} | args).values())
    with pytest.raises(InvalidTemplate) as refused:
        plan_of(tmp_path, over, **args)
    [found] = refused.value.diagnostics
    assert (found.code, found.path) == ("HX305", "/steps/1/for_each/over")
    assert said in found.message


@pytest.mark.parametrize("broken", ["damaged", "absent"])
def test_an_archive_that_cannot_be_read_is_named_in_the_refusal(tmp_path: Path, broken: str):
    archive = tmp_path / "archive"
    if broken == "damaged":
        archive.mkdir()
        (archive / "mine.nc").write_bytes(goes_like(tmp_path / "whole.nc").read_bytes()[:3000])
    with pytest.raises(InvalidTemplate) as refused:
        plan_of(archive, "MINE.b_gse")
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["HX305"]


def test_a_scalar_of_a_file_has_no_components_to_map(tmp_path: Path):
    times = pd.date_range("2024-05-10", periods=3, freq="1min", tz="UTC")
    frame = pd.DataFrame({"time": times, "b_gse": [1.0, 2.0, 3.0]})
    frame.to_parquet(tmp_path / "mine.parquet")
    with pytest.raises(InvalidTemplate) as refused:
        plan_of(tmp_path, "MINE.b_gse")
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == ["HB402"]
