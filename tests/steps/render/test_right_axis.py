"""A second y axis, at the right of a panel of lines."""

from __future__ import annotations

import numpy as np
import pytest

from helio.errors import StepError
from helio.pipelines.plan import check
from helio.steps.render.render_spec import render_spec
from tests.pipelines.conftest import NOW, fetch, magnitude, template
from tests.steps.render.test_render_spec import (
    TEN_MINUTES,
    draw,
    layout,
    main_traces,
    scalar,
    texts,
    vector,
    wide_spectrum,
)

TABLES = {"p": scalar("P_dyn", "nPa"), "c": scalar("coupling", "kV/s", values=np.linspace(1e3, 5e4, 10))}
BOTH = {"panels": [["p", "c"]], "right": ["c"]}


def test_each_line_has_its_own_axis_with_a_title_in_the_colour_of_the_line():
    figure = draw(TABLES, **BOTH)
    left, right = main_traces(figure)
    assert (left["yaxis"], right["yaxis"]) == ("y", "y2")
    axes = layout(figure)
    assert axes["yaxis"]["title"]["text"] == "P<sub>dyn</sub> [nPa]"
    assert axes["yaxis2"]["title"]["text"] == "coupling [kV/s]"
    assert axes["yaxis"]["title"]["font"]["color"] == left["line"]["color"]
    assert axes["yaxis2"]["title"]["font"]["color"] == right["line"]["color"] != left["line"]["color"]
    assert (axes["yaxis2"]["overlaying"], axes["yaxis2"]["side"]) == ("y", "right")
    assert axes["yaxis"]["mirror"] is True
    assert "legend" not in axes, "two coloured titles name two lines"


def test_the_colour_of_the_spec_is_that_of_the_title_too():
    axes = layout(draw(TABLES, **BOTH, trace_colors={"c": "crimson", "p": "navy"}))
    assert axes["yaxis"]["tickfont"]["color"] == axes["yaxis"]["title"]["font"]["color"] == "navy"
    assert axes["yaxis2"]["title"]["font"]["color"] == "crimson"
    assert axes["yaxis2"]["tickfont"]["color"] == "crimson"


def test_each_axis_has_its_limits_scale_and_label():
    axes = layout(
        draw(
            TABLES,
            **BOTH,
            y_range={"1": [0, 20], "1 right": [100, 1e5]},
            log_y={"1 right": True},
            y_label={"1 right": "Newell"},
        )
    )
    assert (axes["yaxis"]["type"], axes["yaxis"]["range"]) == ("linear", [0, 20])
    assert (axes["yaxis2"]["type"], axes["yaxis2"]["range"]) == ("log", [2, 5])
    assert axes["yaxis2"]["title"]["text"] == "Newell"
    assert axes["yaxis"]["title"]["text"] == "P<sub>dyn</sub> [nPa]"


def test_limits_and_labels_for_all_panels_are_those_of_the_left_axes():
    axes = layout(draw(TABLES, **BOTH, y_range=[0, 20], y_label="pressure"))
    assert "range" not in axes["yaxis2"]
    assert axes["yaxis2"]["title"]["text"] == "coupling [kV/s]"
    assert layout(draw(TABLES, **BOTH, log_scale="log"))["yaxis2"]["type"] == "log"
    assert layout(draw(TABLES, **BOTH, log_scale=1))["yaxis2"]["type"] == "linear"


def test_more_lines_are_named_beyond_the_right_axis():
    figure = draw(TABLES | {"B": vector()}, panels=[["B", "c"]], right=["c"])
    named = [note for note in layout(figure)["annotations"] if note["text"] in ("Bx", "By", "Bz", "coupling")]
    assert [note["text"] for note in named] == ["Bx", "By", "Bz", "coupling"]
    assert min(note["xshift"] for note in named) > 50
    assert "color" not in layout(figure)["yaxis"]["title"]["font"]
    assert layout(figure)["margin"]["r"] > 50 + max(note["xshift"] for note in named)


def test_an_axis_at_the_right_stands_above_a_colour_bar_without_meeting_it():
    tables = TABLES | {"flux": wide_spectrum(5)}
    figure = draw(tables, panels=[["p", "c"], ["flux"]], right=["c"])
    alone = draw(tables, panels=[["p"], ["flux"]])
    assert layout(figure)["yaxis3"]["overlaying"] == "y"
    assert layout(figure)["margin"]["r"] >= layout(alone)["margin"]["r"]
    [bar] = [trace["colorbar"] for trace in figure.document["data"] if trace["type"] == "heatmap"]
    assert bar["y"] + bar["len"] <= layout(figure)["yaxis"]["domain"][0]


def test_units_on_two_axes_are_no_reason_for_a_note():
    assert not any("different units" in note for note in draw(TABLES, **BOTH).notes)
    assert any("different units" in note for note in draw(TABLES, panels=[["p", "c"]]).notes)


@pytest.mark.parametrize(
    ("spec", "match", "advice"),
    [
        ({"panels": [["p"], ["c"]], "right": ["c"]}, "panel 2 has nothing on its left axis", "leave"),
        ({"panels": [["p", "c"]], "right": ["c", "p"]}, "nothing on its left axis", "leave"),
        ({"panels": [["p", "c"]], "right": ["d"]}, "right: no label is called 'd'", "p"),
        ({"panels": [["p"]], "right": ["c"]}, "right: no label is called 'c'", "p"),
        ({**BOTH, "panel_types": ["bars"]}, "not a panel of lines", "type 'line'"),
        ({**BOTH, "y_range": {"1 left": [0, 1]}}, "no panel 1 left", "panel 1"),
        ({**BOTH, "y_range": {"2 right": [0, 1]}}, "no panel 2 right", "panel 1"),
        ({"panels": [["p", "c"]], "y_label": {"1 right": "c"}}, "panel 1 has no y axis at the right", "list"),
        ({**BOTH, "z_min": {"1 right": 0}}, "no panel 1 right", "panel 1"),
        ({**BOTH, "y_range": {"1 right": [5, 1]}}, "must be two values", "both values"),
        (
            {**BOTH, "y_range": {"1 right": [0, 1]}, "log_y": {"1 right": True}},
            "cannot start at 0",
            "above 0",
        ),
    ],
)
def test_wrong_settings_are_refused(spec, match, advice):
    with pytest.raises(StepError, match=match) as found:
        render_spec(TABLES, spec=spec, time_range=TEN_MINUTES)
    assert advice in (found.value.advice or "")


def test_a_spectrum_has_no_second_axis():
    tables = TABLES | {"flux": wide_spectrum(3)}
    with pytest.raises(StepError, match="not a panel of lines of series"):
        render_spec(tables, spec={"panels": [["flux", "c"]], "panel_types": ["line"], "right": ["c"]},
                    time_range=TEN_MINUTES)  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "path", "said"),
    [
        (
            {"right": ["n"], "panels": [["B", "n"]], "y_range": {"2 right": [0, 1]}},
            "y_range/2 right",
            "no panel 2",
        ),
        ({"panels": [["B", "n"]], "log_y": {"1 right": True}}, "log_y/1 right", "no y axis at the right"),
        ({"right": ["n"], "panels": [["B"]]}, "right/0", "'n' is in no panel"),
        ({"right": ["n"], "panels": [["B"], ["n"]]}, "right/0", "nothing on its left axis"),
    ],
)
def test_wrong_settings_are_found_before_the_run(spec, path, said):
    figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": {"labels": ["B", "n"], **spec}}}
    steps = (fetch(args={"output_label": "B"}), magnitude(2, "B", "n"))
    errors = check(template(*steps, figure), now=NOW).errors
    assert [(error.code, said in error.message, error.path) for error in errors] == [
        ("HV109", True, f"/steps/2/tool_args/spec/{path}")
    ]


def test_a_correct_second_axis_passes_the_check():
    spec = {"labels": ["B", "n"], "panels": [["B", "n"]], "right": ["n"], "y_range": {"1 right": [0, 9]}}
    figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}}
    checked = check(template(fetch(args={"output_label": "B"}), magnitude(2, "B", "n"), figure), now=NOW)
    assert not checked.errors


def test_texts_of_the_figure_name_no_line_twice():
    assert texts(draw(TABLES, **BOTH)).count("coupling") == 0
