"""What a step says of its figure, other looks of it, and a figure that has to go on without some of its labels."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.pipelines.template.figures import complete_labels, figure_of, with_figure, without_labels
from helio.pipelines.template.template import Step
from tests.laws import law

SPEC = {
    "labels": ["a", "b", "c.x"],
    "panels": [["a"], ["b", "a"], ["c.x"]],
    "panel_types": ["line", "line", "spectrum"],
    "row_heights": [1, 2, 3],
    "y_label": {"1": "A", "2": "B", "3": "C"},
    "log_scale": 3,
    "hlines": [{"y": 0, "panel": 1}, {"y": 1, "panel": 3}, {"y": 2}],
    "slopes": ["-5/3"],
    "trace_colors": {"a": "red", "a.x": "blue", "c.x": "green"},
}


def test_what_is_said_by_number_moves_with_its_panel():
    left = without_labels(SPEC, ["a"])
    assert left["labels"] == ["b", "c.x"]
    assert left["panels"] == [["b"], ["c.x"]]
    assert left["panel_types"] == ["line", "spectrum"]
    assert left["row_heights"] == [2, 3]
    assert left["y_label"] == {"1": "B", "2": "C"}
    assert left["log_scale"] == 2
    assert left["hlines"] == [{"y": 1, "panel": 2}, {"y": 2}]
    assert left["trace_colors"] == {"c.x": "green"}


def test_a_scale_of_a_panel_that_goes_says_nothing_of_the_others():
    assert without_labels(SPEC, ["c.x"])["log_scale"] == "linear"


def test_a_second_axis_moves_with_its_panel():
    spec = {"labels": ["a", "b", "n"], "panels": [["a"], ["b", "n"]], "right": ["n"]}
    spec["y_range"] = {"1": [0, 1], "2": [0, 2], "2 right": [0, 3]}
    left = without_labels(spec, ["a"])
    assert (left["right"], left["y_range"]) == (["n"], {"1": [0, 2], "1 right": [0, 3]})
    assert without_labels(spec, ["n"])["right"] == []


def test_the_spec_itself_stays():
    before = str(SPEC)
    without_labels(SPEC, ["a", "b"])
    assert str(SPEC) == before


def test_a_figure_without_panels_only_loses_labels():
    assert without_labels({"labels": ["a", "b"]}, ["a"]) == {"labels": ["b"]}


LOOKS = st.dictionaries(
    st.sampled_from(["labels", "panels", "title", "log_scale", "unheard_of"]),
    st.sampled_from([["B"], [["B"], ["$LABEL"]], "$TITLE", {"1": "log"}, 2, None]),
)


@pytest.mark.parametrize("tool_name", ["render_spec", "plot_data"])
@law(25, 1000)
@given(looks=LOOKS, labels=st.lists(st.sampled_from(["B", "$LABEL"])))
def test_other_labels_leave_all_other_looks_as_they_were(
    tool_name: str, looks: Any, labels: list[str]
) -> None:
    args = {"time_range": "$T", "spec": looks, "caption": "c"} if tool_name == "render_spec" else looks
    step = Step.from_json({"note": 1, "tool_args": args, "tool_name": tool_name, "step_id": 1})
    written = with_figure(step, {**figure_of(step), "labels": labels}).to_json()
    drawn = looks | {"labels": labels}
    expected = {**args, "spec": drawn} if tool_name == "render_spec" else drawn
    assert json.dumps(written) == json.dumps(step.to_json() | {"tool_args": expected})


def test_labels_of_panels_come_after_those_of_the_figure() -> None:
    assert complete_labels({"labels": ["b"], "panels": [["a"], ["b", "c"], ["a"]]}) == ["b", "a", "c"]


def test_what_is_no_label_is_left_out() -> None:
    assert complete_labels({"labels": [1, "a"], "panels": [["b", None], 3, "c"]}) == ["a", "b", "c"]
    assert complete_labels({"panels": 3}) == []


def test_labels_of_entries_count_and_time_is_no_label() -> None:
    spec = {"labels": ["B"], "xy": [{"x": "n", "y": "B.x", "color_by": "time"}, {"x": "n", "y": "V"}]}
    assert complete_labels(spec) == ["B", "n", "B.x", "V"]


def test_a_panel_of_an_entry_goes_with_its_labels() -> None:
    spec = {
        "labels": ["a", "b", "c"],
        "panels": [["a"], ["b"]],
        "row_heights": [1, 2, 3],
        "xy": [{"x": "a", "y": "b"}, {"x": "b", "y": "c"}],
        "hlines": [{"y": 1, "panel": 3}, {"y": 2, "panel": 4}],
    }
    histograms = [{"of": ["a", "b"]}, {"of": "c"}]
    assert without_labels(spec | {"histograms": histograms}, ["a"])["histograms"] == histograms[1:]
    left = without_labels(spec, ["a"])
    assert left["xy"] == [{"x": "b", "y": "c"}]
    assert left["panels"] == [["b"]]
    assert left["hlines"] == [{"y": 2, "panel": 2}]
    assert left["row_heights"] == [2, 3]


def test_rows_below_the_time_axis_are_labels_of_the_figure():
    spec = {"labels": ["B"], "ephemeris": ["R", "lon"]}
    assert complete_labels(spec) == ["B", "R", "lon"]
    assert without_labels({**spec, "labels": ["B", "R", "lon"]}, ["R"]) == {
        "labels": ["B", "lon"],
        "ephemeris": ["lon"],
    }
