"""Every tool has an example; pytest runs those of functions as doctests, this file those of templates."""

import doctest
import json
import runpy
from pathlib import Path

import pytest

from helio import api
from helio.steps.examples import energies, pitch_angles, series, spectrum, vector
from helio.steps.signature import signatures
from helio.steps.tool_page import GROUPS, group_of, step_text, tool_page

TOOLS = sorted(signatures())
FUNCTIONS = [name for name in TOOLS if signatures()[name].runs]
FETCH = {
    "step_id": 1,
    "tool_name": "fetch_data",
    "tool_args": {
        "dataset_id": "PSP_FLD_L2_MAG_RTN_1MIN",
        "parameter_id": "psp_fld_l2_mag_RTN_1min",
        "time_range": "2020-01-04",
        "output_label": "B",
    },
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_example_calls_the_tool_and_shows_a_result(name):
    lines = doctest.DocTestParser().get_examples(signatures()[name].example)
    assert any(f"{name}(" in line.source for line in lines)
    assert lines[-1].want


@pytest.mark.parametrize("name", sorted(set(TOOLS) - set(FUNCTIONS)))
def test_an_example_of_a_template_is_a_step_with_that_tool(name):
    assert json.loads(signatures()[name].example)["tool_name"] == name


def test_the_examples_of_figures_make_one_pipeline():
    steps = [json.loads(signatures()[name].example) for name in ("plot_data", "style_plot", "manage_plot")]
    plan = api.plan({"steps": [FETCH, *steps]}, archive="sample")
    [drawn] = [step for step in plan.steps if step.tool_name == "render_spec"]
    stated = {"labels": ["B"], "title": "Magnetic field", "y_label": "B [nT]", "palette": "okabe-ito"}
    assert stated.items() <= drawn.args["spec"].items()
    assert "field.png" in [file.name for file in drawn.files]


def test_the_reference_has_a_page_for_every_tool_with_its_arguments_and_its_example():
    script = Path(__file__).parents[2] / "scripts" / "write_tool_reference.py"
    pages = runpy.run_path(str(script))["pages"]()
    groups = {f"tools/{group.replace(' ', '-')}.md" for group in GROUPS}
    assert set(pages) == {"tools/index.md"} | groups | {f"tools/{name}.md" for name in TOOLS}
    for name, tool in signatures().items():
        page = pages[f"tools/{name}.md"]
        assert f"[{name}]({name}.md)" in pages["tools/index.md"]
        assert page.startswith(f"# {name}\n")
        assert [group for group in groups if f"[{name}]({name}.md)" in pages[group]] == [
            f"tools/{group_of(tool).replace(' ', '-')}.md"
        ]
        assert all(f"\n`{argument.name}` *" in page for argument in tool.arguments)
        assert all(line in page for line in tool.example.splitlines() if line.startswith(">>> "))
        step = tool_page(tool).step
        assert step is not None
        assert step_text(step) in page


def test_example_tables_stand_at_a_regular_cadence():
    hours = [str(epoch) for epoch in series([1.0, 2.0], every="1h").epoch.astype("M8[h]")]
    assert hours == ["2024-05-10T00", "2024-05-10T01"]
    assert vector([[1.0, 2.0, 3.0]], frame="GSM").frame == "GSM"
    assert spectrum([[1.0, 2.0]], energies([1.0, 2.0, 4.0], "eV")).axes[0].unit == "eV"
    assert pitch_angles([0.0, 90.0, 180.0]).upper.tolist() == [90.0, 180.0]
