"""Exports in a template: how their tables, formats and files are named, and what makes two of them equal work."""

from __future__ import annotations

from typing import Any

import pytest

from helio.pipelines.plan import Plan, check, make_plan
from helio.pipelines.runs.recipes import Input, recipe_of_inputs
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.steps.signature import signatures
from tests.rows import in_one_test

from .conftest import NOW, fetch, magnitude, template

LABEL = "AC_H2_MFI.BGSEc"


def export(step_id: int | str = 9, **args: Any) -> dict[str, Any]:
    return {"step_id": step_id, "tool_name": "save_data", "tool_args": {"source_labels": [LABEL], **args}}


def planned(*steps: dict[str, Any]) -> Plan:
    return make_plan(template(fetch(), magnitude(), *steps), now=NOW, archive="sample")


def args_of(plan: Plan, step_id: int | str = 9) -> dict[str, Any]:
    return dict(next(step.args for step in plan.steps if step.step_id == step_id))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"source_label": LABEL}, [LABEL]),
        ({"source_labels": LABEL}, [LABEL]),
        ({"source_labels": f"{LABEL}, B"}, [LABEL, "B"]),
        ({"source_labels": [LABEL, "B"]}, [LABEL, "B"]),
    ],
)
def test_one_label_or_several_are_taken_in_any_spelling(given, meant):
    step = {"step_id": 9, "tool_name": "save_data", "tool_args": {**given, "filename": "out"}}
    assert args_of(planned(step))["source_labels"] == meant


@in_one_test(
    ("word", "format"),
    [
        ("NetCDF", "netcdf"),
        ("nc", "netcdf"),
        ("NetCDF-4", "netcdf"),
        (".nc", "netcdf"),
        ("CDF", "cdf"),
        (".cdf", "cdf"),
        ("pq", "parquet"),
        ("CSV", "csv"),
    ],
)
def test_a_format_is_known_by_other_words(word, format):
    assert args_of(planned(export(format=word)))["format"] == format


def test_a_format_that_nobody_knows_is_refused():
    with pytest.raises(InvalidTemplate):
        planned(export(format="idl save file"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"filename": "b.nc"}, {"filename": "b", "format": "netcdf"}),
        ({"filename": "b"}, {"filename": "b.csv"}),
        ({"filename": "B.cdf"}, {"filename": "b", "format": "cdf"}),
    ],
)
def test_two_exports_into_one_file_are_refused_whatever_says_its_format(first, second):
    with pytest.raises(InvalidTemplate) as refusal:
        planned(export(8, **first), export(9, **second))
    assert [finding.code for finding in refusal.value.diagnostics if finding.severity == "error"] == ["HV104"]


def test_one_name_in_two_formats_is_two_files():
    planned(export(8, filename="b", format="cdf"), export(9, filename="b", format="netcdf"))


def test_a_name_that_ends_like_another_format_is_refused_in_the_plan():
    with pytest.raises(InvalidTemplate, match=r"ends in netcdf, but 'format' is cdf"):
        planned(export(filename="b.nc", format="cdf"))


def test_an_export_without_a_name_is_called_after_its_labels():
    args = args_of(planned(export(source_labels=[LABEL, "B"], format="cdf")))
    assert args["filename"] == "AC_H2_MFI.BGSEc_B"


def test_labels_are_part_of_an_export_for_they_name_what_is_in_it():
    plan = planned(export(source_labels=[LABEL, "B"], filename="b", format="cdf"))
    step = next(step for step in plan.steps if step.step_id == 9)
    signature = signatures()["save_data"]

    def key(*labels: str) -> str:
        inputs = {"tables": tuple(Input(label, f"sha256:{number}") for number, label in enumerate(labels))}
        return recipe_of_inputs(step, signature, inputs).key

    assert key("A", "B") == key("A", "B")
    assert len({key("A", "B"), key("A", "C"), key("B", "A")}) == 3


@pytest.mark.parametrize("name", ["a/b.nc", "../b.csv", ".hidden", "b.xlsx", "b\\c.csv"])
def test_a_bad_file_name_is_refused_by_check_before_anything_is_fetched(name):
    found = check(template(fetch(), export(filename=name)), now=NOW)
    [error] = found.errors
    assert error.code == "HV104"
    assert error.path == "/steps/1/tool_args/filename"
    assert name in error.message


def test_a_bad_file_name_from_a_variable_is_refused_by_the_plan():
    document = template(fetch(), export(filename="$NAME"))
    document["variables"]["$NAME"] = {"type": "string", "default": "b.csv"}
    assert not check(document, now=NOW).errors
    with pytest.raises(InvalidTemplate) as caught:
        make_plan(document, now=NOW, archive="sample", values={"NAME": "a/b.csv"})
    assert [finding.code for finding in caught.value.diagnostics] == ["HV104"]
