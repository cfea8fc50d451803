"""Ids of CDAWeb data sets in any case; what the catalogue does not list; lists with nothing in them."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import InvalidTemplate
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template

KNOWN = {"AC_H2_MFI": Dataset({"Magnitude": 1, "BGSEc": 3}), "AC_H0_MFI": Dataset({"BGSEc": 3})}


def planned(*steps: dict[str, Any], archive: str = "", **given: Any) -> Plan:
    return make_plan(template(*steps), now=NOW, archive=archive, catalogue=KNOWN, **given)


def warned(plan: Plan) -> list[str]:
    return [one.code for one in plan.warnings if one.code.startswith("HV5")]


@pytest.mark.parametrize("archive", ["", "cdaweb", "cdaweb-folders"])
def test_a_data_set_of_cdaweb_is_asked_for_as_its_catalogue_spells_it(archive: str):
    plan = planned(
        fetch(args={"dataset_id": "ac_h2_mfi"}),
        magnitude(source="ac_h2_mfi.BGSEc"),
        render(labels=("ac_h2_mfi.BGSEc", "B"), panels=[["ac_h2_mfi.BGSEc"], ["B"]]),
        archive=archive,
    )
    first, second, third = plan.steps
    assert first.args["dataset_id"] == "AC_H2_MFI"
    assert first.produces == ("AC_H2_MFI.BGSEc",)
    assert second.args["source_label"] == "AC_H2_MFI.BGSEc"
    assert third.args["spec"]["panels"] == [["AC_H2_MFI.BGSEc"], ["B"]]
    assert plan.normalised["steps"][0]["tool_args"]["dataset_id"] == "ac_h2_mfi"


def test_what_is_written_as_produced_follows_the_spelling():
    step = fetch(args={"dataset_id": "ac_h2_mfi"}, produces=["ac_h2_mfi.BGSEc"])
    assert planned(step).steps[0].produces == ("AC_H2_MFI.BGSEc",)


def test_each_candidate_is_spelt_as_in_the_catalogue():
    args = {"candidates": ["ac_h2_mfi", {"dataset_id": "ac_h0_mfi"}], "output_label": "B"}
    step = fetch(args=args)
    del step["tool_args"]["dataset_id"]
    asked = planned(step).steps[0].args["candidates"]
    assert [one["dataset_id"] for one in asked] == ["AC_H2_MFI", "AC_H0_MFI"]


@pytest.mark.parametrize(("archive", "provider"), [("/data", ""), ("", "hapi:here"), ("hapi:here", "")])
def test_ids_of_others_stay_as_they_are_written(archive: str, provider: str):
    args = {"dataset_id": "ac_h2_mfi"} | ({"provider": provider} if provider else {})
    assert planned(fetch(args=args), archive=archive).steps[0].args["dataset_id"] == "ac_h2_mfi"


def test_a_parameter_that_the_catalogue_does_not_list_is_warned_of():
    plan = planned(fetch(args={"parameter_id": "BGSE"}))
    [found] = [one for one in plan.warnings if one.code == "HV501"]
    assert found.candidates == ("BGSEc",)
    assert found.path == "/steps/0/tool_args/parameter_id"


def test_each_of_several_parameters_and_candidates_is_looked_up():
    step = fetch(args={"parameters": ["Magnitude", "BGSE"]})
    del step["tool_args"]["parameter_id"]
    [found] = [one for one in planned(step).warnings if one.code == "HV501"]
    assert found.path == "/steps/0/tool_args/parameters/1"
    args = {"candidates": ["AC_H2_MFI", "AC_H0_MFI"], "parameter_id": "Magnitude", "output_label": "B"}
    step = fetch(args=args)
    del step["tool_args"]["dataset_id"]
    [found] = [one for one in planned(step).warnings if one.code == "HV501"]
    assert found.path == "/steps/0/tool_args/candidates/1"


def test_no_parameter_is_warned_of_where_the_catalogue_is_not_asked():
    unlisted = fetch(args={"parameter_id": "BGSE"})
    assert warned(planned(unlisted, archive="/data")) == []
    assert warned(planned(fetch(args={"parameter_id": "BGSE", "provider": "hapi:here"}))) == []
    assert warned(planned(fetch())) == []


@pytest.mark.parametrize("nothing", [[], [""], [" ", ""]])
def test_a_fetch_of_no_parameter_is_refused_before_anything_is_fetched(nothing: list[str]):
    step = fetch(args={"parameters": nothing})
    del step["tool_args"]["parameter_id"]
    with pytest.raises(InvalidTemplate) as caught:
        planned(step)
    [found] = caught.value.diagnostics
    assert found.code == "HN506"
    assert "'parameters' is empty" in found.message


def test_no_candidate_at_all_is_refused():
    step = fetch(args={"candidates": [], "output_label": "B"})
    del step["tool_args"]["dataset_id"]
    with pytest.raises(InvalidTemplate) as caught:
        planned(step)
    assert [one.code for one in caught.value.diagnostics] == ["HN506"]


def test_an_empty_list_beside_what_is_needed_does_no_harm():
    assert planned(fetch(args={"candidates": []})).steps[0].args["parameter_id"] == "BGSEc"
