"""Panels without data among panels with data: what they keep, what they say, and what stays an error."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.render_spec import render_spec
from helio.store.no_values import no_values_note
from helio.store.table import Axis, Table
from tests.steps.render.test_render_spec import (
    TEN_MINUTES,
    draw,
    layout,
    main_traces,
    refused,
    scalar,
    texts,
    vector,
    wide_spectrum,
)


def unknown(reason="fetch failed: nothing there"):
    """Return the table that stands for one that does not exist."""
    return Table(np.zeros(0, "datetime64[ns]"), np.zeros(0), notes=(no_values_note(reason),))


def superposed():
    table = wide_spectrum(4)
    axis = Axis("Time from zero epoch", "h", np.array([-1.5, -0.5, 0.5, 1.5]), scale="linear")
    return replace(table, axes=(axis,))


def without_values(table):
    return replace(table, values=np.full_like(table.values, np.nan))


def early(table):
    """Return the table with all records before the time range of the figure."""
    return replace(table, epoch=table.epoch - np.timedelta64(1, "D"))


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (scalar().take(slice(0, 0)), "no data in this time range"),
        (early(scalar()), "no data in this time range"),
        (without_values(scalar()), "all values are missing"),
        (unknown(), "fetch failed: nothing there"),
    ],
)
def test_the_panel_keeps_its_place_and_its_title_and_says_why(table, reason):
    figure = draw({"B": vector(), "n": table}, panels=[["n"], ["B"]])
    assert reason in texts(figure)
    assert f"panel 1: nothing to draw: {reason}" in figure.notes
    assert layout(figure)["yaxis"]["title"]["text"] == ("n [cm⁻³]" if table.name else "n")
    assert layout(figure)["yaxis"]["showticklabels"] is False
    full = layout(draw({"B": vector(), "n": scalar()}, panels=[["n"], ["B"]]))
    assert layout(figure)["yaxis2"]["domain"] == full["yaxis2"]["domain"]


def test_values_elsewhere_are_missing_in_this_time_range():
    late = scalar(values=[np.nan] * 20 + [1.0] * 20)
    assert "all values are missing in this time range" in texts(draw({"B": vector(), "n": late}))


def test_the_reason_is_small_and_grey_and_within_the_panel():
    figure = draw(
        {"B": vector(), "n": unknown("fetch failed: " + "a long story " * 40)}, canvas_size={"width": 400}
    )
    [text] = [note for note in layout(figure)["annotations"] if note["text"].startswith("fetch failed")]
    assert text["font"] == {"size": 12, "color": "#888888"}
    assert text["text"].count("<br>") == 2
    assert (text["xref"], text["yref"]) == ("x domain", "y2 domain")


def test_a_figure_without_any_data_is_refused_as_a_panel_without_data_was():
    refused(
        "nothing to draw: 'n' has no records in 2024-05-10", "leave the label out", {"n": early(scalar())}
    )
    refused("nothing to draw: 'n' has only missing values", tables={"n": without_values(scalar())})
    pair = {"x": scalar("x", values=[1, np.nan] * 5), "y": scalar("y", values=[np.nan, 1] * 5)}
    refused(
        "panel 1 has no record with a usable value of 'x' and 'y'", tables=pair, xy=[{"x": "x", "y": "y"}]
    )


def test_the_other_lines_of_a_panel_keep_their_colours():
    tables = {"a": scalar("a"), "b": scalar("b"), "c": scalar("c")}
    full = {trace["name"]: trace["line"]["color"] for trace in main_traces(draw(tables))}
    for absent in (without_values(scalar("b")), replace(unknown(), unit="cm^-3")):
        figure = draw({**tables, "b": absent}, panels=[["a", "b", "c"]])
        colours = {trace["name"]: trace["line"]["color"] for trace in main_traces(figure)}
        assert colours == {"a": full["a"], "b (no data)": full["b"], "c": full["c"]}
        assert [trace["y"] for trace in main_traces(figure) if trace["name"] == "b (no data)"] == [[None]]


def test_a_table_that_does_not_exist_has_the_unit_of_its_axis():
    figure = draw({"a": scalar("a"), "b": unknown()}, panels=[["a", "b"]])
    assert layout(figure)["yaxis"]["title"]["text"] == "a, b [cm⁻³]"
    assert "panel 1: b is not drawn: fetch failed: nothing there" in figure.notes
    two = draw({"B": vector(), "b": unknown()}, panels=[["B", "b"]], right=["b"])
    assert layout(two)["yaxis2"]["title"]["text"] == "b<br>(no data)"
    assert layout(two)["yaxis2"]["showticklabels"] is False


def test_what_was_searched_for_and_not_found_is_not_called_missing_data():
    flares = replace(
        scalar("peak").take(slice(0, 0)), notes=(no_values_note("nothing was found by solar_flares"),)
    )
    figure = draw({"a": scalar("a"), "flares": flares}, panels=[["a", "flares"]])
    assert [trace["name"] for trace in main_traces(figure)] == ["a", "peak (none)"]


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("line", scalar()),
        ("bars", scalar()),
        ("strip", scalar("region", "")),
        ("spectrogram", wide_spectrum(4)),
        ("spectrum", wide_spectrum(4)),
        ("epochs", superposed()),
        ("line", wide_spectrum(20)),
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_every_kind_of_panel_may_be_empty(kind, table, kept):
    for absent in (without_values(table), table.take(slice(0, 0)), unknown()):
        # one record of a spectrum is drawn whatever its epoch is; no record is not
        spec = {"panels": [["B"], ["q"]], "panel_types": ["line", kind]}
        figure = draw({"B": vector(), "q": absent}, canvas_size={"width": 1000 if kept else 300}, **spec)
        assert any(note.startswith("panel 2: nothing to draw: ") for note in figure.notes)


def test_a_kind_with_a_second_table_draws_the_other_one():
    for kind, table in (
        ("bars", scalar("a")),
        ("strip", scalar("a")),
        ("spectrum", wide_spectrum(4)),
        ("epochs", superposed()),
    ):
        for absent in (without_values(table), table.take(slice(0, 0)), unknown()):
            figure = draw({"a": table, "b": absent}, panels=[["a", "b"]], panel_types=[kind])
            assert not any("nothing to draw" in note for note in figure.notes)


def test_a_spectrogram_without_its_spectrum_is_empty_and_without_its_line_is_not():
    line = scalar("limit", "keV", values=np.full(10, 10.0))
    flux = wide_spectrum(4)
    for absent in (without_values(line), line.take(slice(0, 0)), unknown()):
        figure = draw({"f": flux, "l": absent}, panels=[["f", "l"]])
        assert [trace["type"] for trace in figure.document["data"]] == ["heatmap"]
    figure = draw({"f": without_values(flux), "l": line, "B": vector()}, panels=[["f", "l"], ["B"]])
    assert "f: all values are missing" not in texts(figure)
    assert "all values are missing" in texts(figure)


def test_panels_side_by_side_may_be_empty():
    tables = {"x": scalar("x"), "y": scalar("y"), "n": without_values(scalar()), "u": unknown()}
    entries = [{"x": "x", "y": "y"}, {"x": "x", "y": "n"}, {"x": "u", "y": "y"}]
    figure = draw(tables, xy=entries, histograms=[{"of": ["x", "n", "u"]}, {"of": "n", "x_label": "density"}])
    drawn = layout(figure)
    assert drawn["xaxis2"]["title"]["text"] == "x [cm⁻³]"
    assert drawn["xaxis3"]["title"]["text"] == "u"
    assert drawn["xaxis5"]["title"]["text"] == "density"
    assert sum(text == "all values are missing" for text in texts(figure)) == 2
    [names] = [text for text in texts(figure) if "u (no data)" in text]
    assert "n (no data)" in names


def test_marks_at_values_are_left_out_of_a_panel_without_a_scale():
    tables = {"Dst": without_values(scalar("Dst", "nT")), "B": vector()}
    marks = {
        "hlines": ["storms", {"y": -50, "panel": 1, "label": "level"}],
        "annotations": [{"text": "here", "x": "2024-05-10T00:05", "y": -50, "panel": 1}],
        "vlines": [{"x": "2024-05-10T00:05"}],
    }
    figure = draw(tables, panels=[["Dst"], ["B"]], **marks)
    assert [shape["yref"] for shape in layout(figure)["shapes"]] == ["y domain", "y2 domain"]
    assert not {"level", "here", "moderate"} & set(texts(figure))
    refused("there is no panel 4", tables=tables, panels=[["Dst"], ["B"]], hlines=[{"y": 1, "panel": 4}])


def test_an_uncertainty_without_records_is_left_out_with_a_remark():
    tables = {"n": scalar(), "e": unknown()}
    figure = draw(tables, panels=[["n"]], bands=[{"line": "n", "sigma": "e"}])
    assert "'n' is drawn without its uncertainty: 'e' has no records" in figure.notes
    assert len(main_traces(figure)) == 1


def test_rows_below_the_time_axis_may_have_no_records():
    figure = draw(
        {"B": vector(), "R": vector().take(slice(0, 0)), "u": unknown()}, panels=[["B"]], ephemeris=["R", "u"]
    )
    assert any(note.startswith("the row u has no value") for note in figure.notes)


def test_a_time_axis_that_follows_the_data_ignores_tables_without_records():
    figure = draw({"B": vector(), "n": unknown()}, x_range="data")
    assert "fetch failed: nothing there" in texts(figure)


def test_a_wrong_key_for_an_empty_panel_is_still_refused():
    with pytest.raises(StepError, match="no line is called 'm'"):
        render_spec(
            {"B": vector(), "n": unknown()}, spec={"trace_colors": {"m": "red"}}, time_range=TEN_MINUTES
        )


@pytest.mark.parametrize("key", ["trace_names", "trace_colors", "line_styles"])
def test_a_style_of_a_component_of_a_missing_table_does_not_fail_the_figure(key):
    value = {"trace_names": "north", "trace_colors": "red", "line_styles": {"width": 2}}[key]
    figure = draw({"n": scalar(), "B": unknown()}, panels=[["n"], ["B"]], **{key: {"B.Bz": value}})
    assert "panel 2: nothing to draw: fetch failed: nothing there" in figure.notes
    with pytest.raises(StepError, match=r"no line is called 'C\.Bz'"):
        draw({"n": scalar(), "B": unknown()}, panels=[["n"], ["B"]], **{key: {"C.Bz": value}})
