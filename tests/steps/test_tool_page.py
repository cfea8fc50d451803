"""The page of every tool says what it takes and gives, and its step is one that a template can have."""

from __future__ import annotations

import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from helio.steps.signature import Signature, signatures
from helio.steps.tool_page import GROUPS, group_of, step_text, tool_page
from tests.rows import in_one_test

TOOLS = list(signatures().values())


@in_one_test("tool", TOOLS)
def test_the_page_names_every_argument_and_what_the_tool_gives(tool: Signature):
    page = str(tool_page(tool))
    assert page.startswith(f"{tool.name}: {tool.summary[:40]}")
    for argument in tool.arguments:
        assert f"\n  {argument.name}  (" in page
    assert "\nGives\n  " in page
    assert "\nAs a step of a template\n  {\n" in page
    assert max(map(len, page.partition("As a step of a template")[0].splitlines())) <= 120


@in_one_test("tool", TOOLS)
def test_the_step_of_the_page_fits_the_schema_of_the_tool(tool: Signature):
    step = tool_page(tool).step
    assert step is not None
    Draft202012Validator(tool.schema()).validate(step["tool_args"])
    assert '"tool_args": {\n' in step_text(step)


@in_one_test("tool", [tool for tool in TOOLS if tool.gives == "table"])
def test_the_page_of_a_computation_says_what_it_gives_and_where_it_comes_from(tool: Signature):
    page = tool_page(tool)
    assert page.returns
    assert page.references


def test_the_page_says_units_frames_defaults_and_the_formula():
    page = str(tool_page(signatures()["vbs"]))
    assert "velocity_label  (label of a table in km/s; required)" in page
    assert "bz_label  (label of one series in nT in GSM; required)" in page
    assert "A table: one series in mV/m." in page
    average = str(tool_page(signatures()["running_average"]))
    assert "A table with the unit, frame and kind of `source_label`." in average
    resample = str(tool_page(signatures()["resample"]))
    assert '("mean", "median", "min", "max" or "first"; default "mean")' in " ".join(resample.split())
    assert "B/√(μ₀ρ)" in str(tool_page(signatures()["alfven_speed"]))


def test_the_result_of_each_choice_is_told():
    page = " ".join(str(tool_page(signatures()["minimum_variance"])).split())
    assert "with `give` axes: the frame of `source_label` and no unit" in page
    assert "with `give` eigenvalues: the unit (unit of `source_label`)^2 and no frame" in page


def test_a_page_names_the_arguments_of_a_template():
    page = str(tool_page(signatures()["align"]))
    assert "`series_label`" in page
    assert "`series`" not in page


def test_every_group_has_tools_and_every_tool_a_group():
    assert {group_of(tool) for tool in TOOLS} == set(GROUPS)


@pytest.mark.process
def test_a_page_imports_no_tool():
    code = (
        "import sys; from helio.steps.signature import signatures; from helio.steps.tool_page import tool_page; "
        "print(tool_page(signatures()['vbs'])); print('numpy' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("vbs: ")
    assert done.stderr.strip() == "False"
