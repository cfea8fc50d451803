"""Strips: thin panels of coloured blocks for regions and flags."""

from __future__ import annotations

import numpy as np
import pytest

from helio.errors import StepError
from helio.pipelines.template.figures import without_labels
from helio.steps.render.render_spec import render_spec
from helio.store.table import Table
from tests.steps.render.test_render_spec import DAY, draw, layout, scalar, traces, vector, wide_spectrum
from tests.steps.series import epochs

STRIP = {"panel_types": ["strip"]}
NAMES = {"categories": {"r": {"0": "solar wind", "1": "sheath", "2": "sphere"}}}


def region(*values, hours=1.0):
    return Table(epochs(*np.arange(len(values)) * hours * 3600), np.array(values, float), "", "region")


def strip(table, **spec):
    return draw({"r": table}, DAY, **STRIP | spec)


def blocks(figure):
    """Return (name, start, hours) of each block."""
    return [
        (trace["name"], start[11:16], width / 3.6e6)
        for trace in traces(figure, "bar")
        for start, width in zip(trace["x"], trace["width"], strict=True)
    ]


def test_records_with_one_value_are_one_block_until_the_next_value():
    figure = strip(region(0, 0, 0, 1, 1, 0), **NAMES)
    assert blocks(figure) == [
        ("solar wind", "00:00", 3.0),
        ("solar wind", "05:00", 1.0),
        ("sheath", "03:00", 2.0),
    ]


def test_a_missing_value_and_a_gap_stay_empty():
    assert blocks(strip(region(1, 1, np.nan, 1))) == [("1", "00:00", 2.0), ("1", "03:00", 1.0)]
    apart = Table(epochs(*np.array([0, 1, 2, 3, 9, 10]) * 3600.0), np.ones(6), "", "region")
    assert blocks(strip(apart)) == [("1", "00:00", 4.0), ("1", "09:00", 2.0)]


def test_a_value_keeps_its_colour_on_a_day_without_the_others():
    def colours(*values):
        return {
            trace["name"]: trace["marker"]["color"]
            for trace in traces(strip(region(*values), **NAMES), "bar")
        }

    whole = colours(0, 1, 2)
    assert len(set(whole.values())) == 3
    assert colours(2, 2)["sphere"] == whole["sphere"]


def test_a_strip_has_a_legend_of_the_values_it_shows_even_of_one():
    figure = strip(region(2, 2), **NAMES)
    [trace] = traces(figure, "bar")
    assert (trace["showlegend"], trace["legend"]) == (True, "legend")
    assert "legend" not in layout(strip(region(2, 2), legend=False))


def test_each_component_and_table_has_a_row_with_its_name():
    flags = Table(
        epochs(0, 3600), np.array([[0.0, 1.0], [1.0, 1.0]]), "", "flags", components=("mode", "quality")
    )
    axis = layout(draw({"f": flags}, DAY, **STRIP))["yaxis"]
    assert axis["ticktext"] == ["mode", "quality"]
    assert axis["tickvals"] == [1.5, 0.5]
    assert axis["range"] == [0, 2]
    assert axis["title"]["text"] == ""


def test_a_label_of_the_axis_names_the_row_and_a_strip_is_thin():
    figure = draw({"B": vector(), "r": region(0, 1)}, DAY, panels=[["B"], ["r"]], panel_types=["line", "strip"],
                  y_label={"2": "MMS1"})  # fmt: skip
    assert layout(figure)["yaxis2"]["ticktext"] == ["MMS1"]
    (low, high), (bottom, top) = layout(figure)["yaxis"]["domain"], layout(figure)["yaxis2"]["domain"]
    assert top - bottom < 0.5 * (high - low)


def test_a_value_without_a_name_is_grey_and_noted():
    figure = strip(region(0, 7), **NAMES)
    assert [trace["name"] for trace in traces(figure, "bar")] == ["solar wind", "7"]
    assert traces(figure, "bar")[1]["marker"]["color"] == "#999999"
    assert "panel 1: the value 7 of r has no name in categories" in figure.notes


@pytest.mark.parametrize(
    ("table", "spec", "match", "advice"),
    [
        (scalar(values=[0.5, 1]), {}, "not whole numbers", "'line' or 'bars'"),
        (scalar(values=np.arange(40)), {}, "40 different values", "at most 16"),
        (wide_spectrum(4), {}, "'r' is a spectrum", "slice_spectrum"),
        (region(0, 1), {"categories": {"q": {"0": "x"}}}, "no strip draws 'q'", "r"),
        (region(0, 1), {"categories": {"r": {"quiet": "x"}}}, "'quiet' of 'r' is not a whole number", '"0"'),
        (region(0, 1), {"y_range": [0, 1]}, "has rows and no values", "leave"),
        (region(0, 1), {"right": ["r"]}, "not a panel of lines", "'line'"),
        (region(0, 1), {"bands": [{"line": "r", "sigma": "r"}]}, "no panel of lines", "panel of lines"),
        (
            Table(epochs(*np.arange(9000.0)), np.arange(9000) % 2.0, "", "f"),
            {},
            "changes 9,000 times",
            "shorter",
        ),
    ],
)
def test_what_a_strip_cannot_show_is_refused(table, spec, match, advice):
    spec = {**STRIP, "panels": [["r"]], **spec}
    with pytest.raises(StepError, match=match) as found:
        render_spec({"r": table}, spec=spec, time_range=DAY)
    assert advice in found.value.advice


def test_names_without_a_strip_are_refused():
    with pytest.raises(StepError, match="no strip draws 'r'") as found:
        render_spec({"r": region(0, 1)}, spec=NAMES, time_range=DAY)
    assert "'strip' in panel_types" in found.value.advice


def test_a_lost_table_takes_the_names_of_its_values_with_it():
    assert without_labels({"labels": ["r", "n"], **NAMES}, ["r"]) == {"labels": ["n"], "categories": {}}
