"""Rows of numbers below the time axis."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.ephemeris import EphemerisRow, ephemeris_rows
from helio.steps.render.render_spec import render_spec
from helio.store.source_file import SourceFile
from helio.store.table import Table
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, scalar
from tests.steps.series import epochs, spectrum, vector


def position(*seconds, values, unit="R_E", name="X"):
    return Table(epochs(*seconds), np.asarray(values, float), unit, name)


def texts_of(table, *ticks, label="x", **spec):
    [[row]] = ephemeris_rows({"ephemeris": [label], **spec}, {label: table})
    return row.texts(epochs(*ticks), 1.5)


def test_values_are_interpolated_between_neighbouring_records():
    table = position(0, 60, 120, values=[1.0, 2.0, -4.0])
    assert texts_of(table, 0, 30, 60, 90, 120) == ["1.00", "1.50", "2.00", "−1.00", "−4.00"]


def test_nothing_is_interpolated_over_a_gap_or_beyond_the_records():
    table = position(0, 60, 120, 600, 660, 720, values=[1, 2, 3, np.nan, 5, 6])
    assert texts_of(table, 120, 300, 630, 660) == ["3.00", "", "", "5.00"]
    assert texts_of(table, -120, -60, -30, 750, 800) == ["", "1.00", "1.00", "6.00", ""]


def test_one_missing_record_is_no_gap_of_a_position():
    assert texts_of(position(0, 60, 180, 240, 300, values=[1, 2, 4, 5, 6]), 120) == ["3.00"]


def test_a_note_counts_the_times_without_a_value():
    figure = draw({"n": scalar(), "x": position(0, 60, values=[5, 6])}, labels=["n"], ephemeris=["x"])
    assert any(note.startswith("the row X [R_E] has no value at ") for note in figure.notes)


@pytest.mark.parametrize(
    ("values", "unit", "name", "expected"),
    [
        ([350.0, 10.0], "deg", "Carrington longitude", "0"),
        ([-170.0, 170.0], "deg", "longitude", "−180"),
        ([23.5, 0.5], "h", "MLT", "0"),
        ([80.0, 60.0], "deg", "latitude", "70.0"),
    ],
)
def test_angles_are_interpolated_the_short_way_round(values, unit, name, expected):
    [text] = texts_of(position(0, 60, values=values, unit=unit, name=name), 30)
    assert text == expected


def test_each_row_has_three_digits():
    assert texts_of(position(0, 60, values=[123456.7, 1.0]), 0, 60) == ["123457", "1"]
    assert texts_of(position(0, 60, values=[0.12345, 0.1]), 0, 60) == ["0.123", "0.100"]
    assert texts_of(position(0, 60, values=[0.0, 0.0]), 0, 60) == ["0", "0"]


def test_a_vector_has_a_row_for_each_component_and_names_can_be_chosen():
    [rows] = ephemeris_rows({"ephemeris": ["B"], "trace_names": {"B.Bx": "B_x"}}, {"B": vector()})
    assert [row.name for row in rows] == ["B_x", "By GSE [nT]", "Bz GSE [nT]"]
    assert all(isinstance(row, EphemerisRow) for row in rows)


def test_the_rows_stand_below_the_ticks_of_the_time_axis():
    orbit = replace(position(0, 600, 900, values=[5, 6, 7]), sources=(SourceFile("ORBIT", "o.cdf"),))
    figure = draw({"n": scalar(), "x": orbit}, labels=["n", "x"], ephemeris=["x"])
    axis = layout(figure)["xaxis"]
    ticks = [note for note in layout(figure)["annotations"] if note["xref"] == "x"]
    assert (axis["tickmode"], axis["tick0"]) == ("linear", ticks[0]["x"])
    assert axis["title"]["text"] == ""
    written = {note["text"] for note in layout(figure)["annotations"]}
    assert {"UT", "X [R_E]", "ORBIT"} <= written
    assert [trace["name"] for trace in figure.document["data"]] == ["n"], "a row is no panel"
    assert "in no panel" not in " ".join(figure.notes)
    plain = draw({"n": scalar()})
    assert layout(figure)["margin"]["b"] > layout(plain)["margin"]["b"]


def test_what_no_row_can_show_is_refused():
    tables = {"n": scalar(), "flux": spectrum()}
    for spec, message in (
        ({"ephemeris": ["m"]}, "no label is called 'm'"),
        ({"ephemeris": ["flux"]}, "a spectrum"),
    ):
        with pytest.raises(StepError, match=message) as refusal:
            render_spec(tables, spec={"labels": ["n"], **spec}, time_range=TEN_MINUTES)
        assert refusal.value.advice
