"""Who serves a fetch: the archive of the run, else the step, else the catalogue; and nobody else."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from helio.pipelines.known import known_datasets
from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate
from tests.pipelines.conftest import NOW, fetch, template

KNOWN = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}


def planned(*steps: dict[str, Any], archive: str = "", **changes: Any) -> Plan:
    return make_plan(
        template(*steps, **changes), now=NOW, archive=archive, catalogue=changes.pop("catalogue", KNOWN)
    )


def refused(*steps: dict[str, Any]) -> Diagnostic:
    with pytest.raises(InvalidTemplate) as caught:
        planned(*steps)
    [found] = caught.value.diagnostics
    return found


def candidates(*named: str | dict[str, str], **args: str) -> dict[str, Any]:
    step = fetch(args={"candidates": list(named), "output_label": "B", **args})
    del step["tool_args"]["dataset_id"]
    return step


def test_what_the_catalogue_knows_is_served_by_cdaweb():
    plan = planned(fetch())
    assert plan.steps[0].args["provider"] == "cdaweb"
    [edit] = [one for one in plan.edits if one.code == "HS103"]
    assert edit.kind == "bind"
    assert "provider" not in plan.normalised["steps"][0]["tool_args"]


def test_named_or_not_it_is_the_same_plan():
    named = planned(fetch(args={"provider": "cdaweb"}))
    assert named.steps == planned(fetch()).steps
    assert [one.code for one in named.edits if one.code == "HS103"] == []


def test_a_provider_that_is_named_stays():
    for provider in ("sample", "swpc", "cdaweb-folders"):
        assert planned(fetch(args={"provider": provider})).steps[0].args["provider"] == provider


def test_the_archive_of_the_run_serves_everything():
    assert "provider" not in planned(fetch(), archive="sample").steps[0].args
    assert planned(fetch(args={"dataset_id": "MINE"}), archive="/data").steps
    assert planned(fetch(args={"provider": "nobody"}), archive="/data").steps


def test_a_dataset_that_the_catalogue_does_not_know_needs_a_provider():
    found = refused(fetch(args={"dataset_id": "AC_H2_MFY"}))
    assert (found.code, found.path) == ("HS101", "/steps/0/tool_args/dataset_id")
    assert "AC_H2_MFY" in found.message
    assert found.candidates[0] == "AC_H2_MFI"
    assert '"provider" in the step' in found.advice[-1]
    assert "--archive DIR" in found.advice[-1]


def test_a_dataset_of_swpc_is_told_to_be_one():
    found = refused(fetch(args={"dataset_id": "SWPC_RTSW_MAG", "parameter_id": "BGSM"}))
    assert found.advice == ('set "provider": "swpc" in the step, or use --archive swpc',)


def test_a_provider_that_is_none_is_refused_with_the_closest():
    found = refused(fetch(args={"provider": "cdawep"}))
    assert (found.code, found.candidates) == ("HS102", ("cdaweb",))
    assert found.advice[0] == "did you mean 'cdaweb'?"
    far = refused(fetch(args={"provider": "zzz"}))
    assert [advice[:17] for advice in far.advice] == ["use --archive DIR"]


def test_each_candidate_has_its_own():
    step = planned(candidates("AC_H2_MFI", {"dataset_id": "X", "provider": "sample"}, "AC_H0_MFI")).steps[0]
    assert step.args["candidates"] == [
        {"dataset_id": "AC_H2_MFI", "provider": "cdaweb"},
        {"dataset_id": "X", "provider": "sample"},
        {"dataset_id": "AC_H0_MFI", "provider": "cdaweb"},
    ]


def test_the_provider_of_the_step_is_that_of_its_candidates():
    step = planned(candidates("AC_H2_MFI", "X", provider="sample")).steps[0]
    assert step.args["candidates"] == ["AC_H2_MFI", "X"]


def test_a_candidate_that_nobody_serves_is_named():
    found = refused(candidates("AC_H2_MFI", "MY_OWN"))
    assert (found.code, found.path) == ("HS101", "/steps/0/tool_args/candidates/1")


def test_a_dataset_that_is_a_variable_is_known_once_it_has_a_value():
    variables = {
        "$DATASET": {"type": "dataset", "default": "AC_H2_MFI"},
        "$TIME_RANGE": {"type": "time_range", "default": "2024"},
    }
    document = template(fetch(args={"dataset_id": "$DATASET"}), variables=variables)
    plan = make_plan(document, now=NOW, catalogue=KNOWN)
    assert plan.steps[0].args["provider"] == "cdaweb"
    with pytest.raises(InvalidTemplate, match="'MINE'"):
        make_plan(document, now=NOW, catalogue=KNOWN, values={"$DATASET": "MINE"})


def test_fetches_are_put_together_whether_their_provider_is_named_or_not():
    plan = planned(fetch(1), fetch(2, args={"parameter_id": "Magnitude", "provider": "cdaweb"}))
    step, _ = plan.steps  # and a figure
    assert step.args["parameters"] == ["Magnitude", "BGSEc"]
    assert step.args["provider"] == "cdaweb"


def test_other_providers_are_kept_apart():
    steps = planned(fetch(1), fetch(2, args={"parameter_id": "Magnitude", "provider": "sample"})).steps
    assert [one.args["provider"] for one in steps[:2]] == ["cdaweb", "sample"]


def test_known_spans_refuse_what_cdaweb_serves_and_nothing_else():
    ended = {"AC_H2_MFI": Dataset({"BGSEc": 3}, datetime(1997, 9, 2), datetime(2000, 1, 1), fresh=True)}
    with pytest.raises(InvalidTemplate, match="HB302"):
        make_plan(template(fetch()), now=NOW, catalogue=ended)
    assert make_plan(template(fetch(args={"provider": "sample"})), now=NOW, catalogue=ended).steps


def test_the_shipped_catalogue_names_every_data_set_of_the_shipped_pipelines(tmp_path: Path):
    known = known_datasets(tmp_path, NOW)
    folder = Path(__file__).parents[3] / "helio" / "pipelines" / "templates"
    checked = 0
    for path in sorted(folder.glob("*.json")):
        for step in json.loads(path.read_text()).get("steps", ()):
            args = step["tool_args"]
            if "dataset_id" in args and "provider" not in args:
                assert args["dataset_id"] in known
                checked += 1
    assert checked > 5
    assert "MY_EVENTS" not in known
    assert "" not in known
