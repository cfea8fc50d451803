"""Figures from tables and specs."""

import base64
import itertools
import json
import os
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from plotly.graph_objects import Figure as PlotlyFigure

from helio.errors import StepError
from helio.steps.render.colours import colour_scale
from helio.steps.render.render_spec import render_spec
from helio.steps.render.ticks import tick_width
from helio.steps.render.write_figure import to_json
from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table
from helio.time_range import TimeRange
from tests.steps.series import START, epochs, spectrum, vector

GOLDEN = Path(__file__).parent / "golden"
TEN_MINUTES = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 14))
DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


def scalar(name="n", unit="cm^-3", values=None, count=10, **more):
    values = np.linspace(1, 10, count) if values is None else np.asarray(values, float)
    return Table(epochs(*np.arange(values.size) * 60.0), values, unit, name, **more)


def wide_spectrum(bins, **more):
    axis = Axis("Energy", "keV", np.geomspace(1, 100, bins))
    values = np.outer(np.arange(1, 11), np.arange(1, bins + 1)).astype(float)
    return Table(epochs(*np.arange(10) * 60.0), values, "eV/(cm^2 s sr eV)", "Flux", axes=(axis,), **more)


def draw(tables, time_range=TEN_MINUTES, caption="", **spec):
    """A figure whose document plotly accepts."""
    figure = render_spec(tables, spec=spec, time_range=time_range, caption=caption)
    PlotlyFigure(json.loads(to_json(figure)))
    return figure


def layout(figure):
    return figure.document["layout"]


def traces(figure, kind="scatter"):
    return [trace for trace in figure.document["data"] if trace["type"] == kind]


def main_traces(figure):
    return [trace for trace in traces(figure) if not trace["uid"].endswith(("alone", "bins"))]


def texts(figure):
    return [note["text"] for note in layout(figure)["annotations"]]


def refused(match, advice="", tables=None, **spec):
    with pytest.raises(StepError, match=match) as found:
        render_spec(tables or {"B": vector(), "n": scalar()}, spec=spec, time_range=TEN_MINUTES)
    assert advice in found.value.advice
    assert found.value.advice


# --- whole figures -------------------------------------------------------------------------------------------


def test_golden_document():
    tables = {"AC_H2_MFI.BGSEc": vector(), "n": scalar(), "flux": spectrum()}
    spec = {
        "title": "Overview",
        "vlines": [{"x": "2024-05-10T00:05", "label": "shock"}],
        "vrects": [{"x0": "2024-05-10T00:06", "x1": "2024-05-10T00:09"}],
    }
    figure = draw(tables, caption="overview@1", **spec)
    text = (
        json.dumps(
            {"version": render_spec.__tool__.version, "notes": figure.notes, **figure.document},
            indent=1,
            ensure_ascii=False,
        )
        + "\n"
    )
    path = GOLDEN / "overview.json"
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != known and os.environ.get("HELIO_WRITE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    assert text == known, (
        "the figure changed: if that is meant, raise render_spec's version, look at a picture, "
        "and run the test again with HELIO_WRITE_GOLDEN=1"
    )


def test_the_order_of_the_tables_and_earlier_figures_change_nothing():
    spec = {"panels": [["B"], ["n"]]}
    first = to_json(draw({"B": vector(), "n": scalar()}, **spec))
    draw({"x": scalar("x"), "y": scalar("y")})
    assert to_json(draw({"n": scalar(), "B": vector()}, **spec)) == first


def test_a_shaded_interval_may_be_a_time_range_of_a_variable():
    event = "2024-05-10T00:06 to 2024-05-10T00:09"
    given = draw({"n": scalar()}, vrects=[{"x0": event, "x1": event}])
    written = draw({"n": scalar()}, vrects=[{"x0": "2024-05-10T00:06", "x1": "2024-05-10T00:09"}])
    assert to_json(given) == to_json(written)
    refused("'2024-05-10 to x' is not a time", "ISO time", vrects=[{"x0": event, "x1": "2024-05-10 to x"}])


# --- margins -------------------------------------------------------------------------------------------------


def kilometres(most):
    return scalar("tha_pos_sel", "km", values=np.linspace(-most / 3, most, 10))


def test_wide_tick_labels_widen_the_left_margin_for_all_panels():
    margin = layout(draw({"n": scalar()}))["margin"]["l"]
    times = scalar("UT", "s", values=1.26706e9 + np.arange(10.0) * 1e4)
    wide = layout(draw({"n": scalar(), "UT": times}))
    assert wide["margin"]["l"] > margin
    assert "automargin" not in wide["yaxis"] or not wide["yaxis"]["automargin"]


def test_titles_of_y_axes_stand_clear_of_the_widest_labels_in_one_column():
    figure = layout(draw({"n": scalar(), "pos": kilometres(3.8e5)}))
    near, far = figure["yaxis"]["title"]["standoff"], figure["yaxis2"]["title"]["standoff"]
    # one-digit labels are further from their title than -1×10⁵, and none is nearer than six pixels
    assert near > far >= 6
    labels = tick_width("−1×10<sup>5</sup>", 12)
    assert figure["margin"]["l"] >= labels + 13 * 1.3


def test_a_y_range_decides_the_margin_and_not_the_data():
    times = scalar("UT", "s", values=1.26706e9 + np.arange(10.0) * 1e4)
    assert (
        layout(draw({"UT": times}, y_range=[0, 9]))["margin"]["l"]
        == layout(draw({"n": scalar()}))["margin"]["l"]
    )


def test_margins_grow_with_the_font():
    times = scalar("UT", "s", values=1.26706e9 + np.arange(10.0) * 1e4)
    small, large = (layout(draw({"UT": times}, font_size=size))["margin"]["l"] for size in (10, 28))
    assert large > 2 * small


def test_titles_of_colour_bars_stand_in_one_line():
    wide = wide_spectrum(6)
    narrow = replace(wide, values=np.linspace(1.61e4, 4.45e4, wide.values.size).reshape(wide.values.shape))
    figure = draw({"a": wide, "b": narrow})
    shifts = [note["xshift"] for note in layout(figure)["annotations"] if note.get("textangle") == -90]
    assert len(shifts) == 2
    assert len(set(shifts)) == 1
    texts_of_b = traces(figure, "heatmap")[1]["colorbar"]["ticktext"]
    assert texts_of_b == [f"{digit}×10<sup>4</sup>" for digit in (2, 3, 4)]


# --- panels --------------------------------------------------------------------------------------------------


def test_equal_units_share_a_panel_and_spectra_have_their_own():
    figure = draw({"B": vector(), "n": scalar(), "F": scalar("|B|", "nT"), "flux": spectrum()})
    assert [trace["yaxis"] for trace in main_traces(figure)] == ["y"] * 3 + ["y"] + ["y2"]
    assert [trace["yaxis"] for trace in traces(figure, "heatmap")] == ["y3"]


def test_quantities_without_a_unit_do_not_share_an_axis():
    figure = draw({"Kp": scalar("Kp", ""), "M": scalar("M_A", "")})
    assert [trace["yaxis"] for trace in main_traces(figure)] == ["y", "y2"]


def test_panels_are_stacked_from_the_top_with_equal_width_and_small_gaps():
    figure = draw({"B": vector(), "n": scalar(), "flux": spectrum()})
    domains = [layout(figure)[axis]["domain"] for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert domains[0][1] == 1
    assert domains[2][0] == 0
    for upper, lower in itertools.pairwise(domains):
        assert 0 < upper[0] - lower[1] <= 0.03
    assert [key for key in layout(figure) if key.startswith("xaxis")] == ["xaxis"]


def test_row_heights_are_relative():
    domains = [
        layout(draw({"B": vector(), "n": scalar()}, row_heights=[3, 1]))[axis]["domain"]
        for axis in ("yaxis", "yaxis2")
    ]
    tall, short = (high - low for low, high in domains)
    assert tall / short == pytest.approx(3, rel=1e-4)


def test_labels_choose_what_is_drawn_and_a_label_in_no_panel_is_noted():
    tables = {"B": vector(), "n": scalar()}
    assert {trace["yaxis"] for trace in traces(draw(tables, labels=["n"]))} == {"y"}
    assert "in no panel: B" in draw(tables, labels=["B", "n"], panels=[["n"]]).notes


def test_panels_that_cannot_be_are_refused():
    refused("no label is called 'Bgse'", "choose one of the labels: ", panels=[["Bgse"], ["n"]])
    refused("labels: no label is called 'nn'", "did you mean 'n'", labels=["nn"])
    refused("panel 1: no label is called 'n'", labels=["B"], panels=[["n"]])
    refused("panel 2 names no table", panels=[["n"], []])
    refused("panel_types has 1 entry for 2 panels", panel_types=["line"])
    refused("row_heights has 1 entry", row_heights=[1])
    refused("row_heights must be positive", row_heights=[1, 0])
    refused("y_label: there is no panel 3", "choose a panel from 1 (top) to 2", y_label={"3": "x"})
    refused("log_scale: there is no panel 0", log_scale=0)
    refused("'n' has no bins", panels=[["n"]], panel_types=["spectrogram"])
    refused("is not allowed", canvas_size={"width": 10, "height": 500})
    refused("do not fit", "canvas_size", panels=[["B"], ["n"]] * 3, canvas_size={"width": 400, "height": 200})


def test_a_spectrum_among_lines_is_refused_with_a_way_out():
    tables = {"n": scalar(), "flux": spectrum()}
    refused(r"'n' is in cm\^-3, but the y axis of 'flux'", "panel of its own", tables, panels=[["n", "flux"]])
    refused(
        "2 spectra",
        "its own panel",
        {"a": spectrum(), "b": spectrum()},
        panels=[["a", "b"]],
        panel_types=["spectrogram"],
    )


def test_two_bin_axes_are_refused_with_a_way_out():
    axes = (
        Axis("Energy", "keV", np.array([1.0, 10.0])),
        Axis("Pitch angle", "deg", np.array([45.0, 90.0, 135.0])),
    )
    table = Table(epochs(0, 60), np.ones((2, 2, 3)), "", "f", axes=axes)
    refused(
        "two bin axes \\(Energy and Pitch angle\\)",
        "average it over one axis first, with band_average",
        {"f": table},
    )


def test_nothing_to_draw_is_an_error_that_names_the_label():
    refused("'n' has only missing values", "leave", {"n": scalar(values=[np.nan, np.nan])})
    refused(
        "'n' has no records", "leave", {"n": replace(scalar(), epoch=scalar().epoch + np.timedelta64(2, "D"))}
    )
    with pytest.raises(StepError, match="no records in n"):
        render_spec({"n": scalar(count=0)}, spec={})
    with pytest.raises(StepError, match="the figure names no table"):
        render_spec({}, spec={})


# --- the time axis -------------------------------------------------------------------------------------------


def test_the_time_axis_is_the_whole_interval_that_was_asked_for():
    axis = layout(draw({"n": scalar()}, time_range=DAY))["xaxis"]
    assert axis["range"] == ["2024-05-10T00:00", "2024-05-11T00:00"]
    assert axis["type"] == "date"
    assert axis["title"]["text"] == "UT"
    assert axis["anchor"] == "y"


def test_without_a_time_range_the_axis_spans_the_data_and_keeps_the_last_record():
    figure = draw({"n": scalar()}, time_range=None)
    assert layout(figure)["xaxis"]["range"] == ["2024-05-10T00:00", "2024-05-10T00:09"]
    assert len(main_traces(figure)[0]["y"]) == 10


def test_records_at_the_stop_are_not_drawn():
    figure = draw({"n": scalar()}, time_range=TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 9)))
    assert len(main_traces(figure)[0]["y"]) == 9


def test_x_range_narrows_the_view():
    figure = draw({"n": scalar()}, x_range=["2024-05-10T00:02", "2024-05-10T00:04:30"])
    assert layout(figure)["xaxis"]["range"] == ["2024-05-10T00:02", "2024-05-10T00:04:30"]
    refused("x_range is reversed", x_range=["2024-05-11", "2024-05-10"])
    for early in ("1600-01-01", "0001-01-01T00:00+05:00", "2263-01-01"):
        refused("outside the range of times in nanoseconds", "1677-09-22", x_range=[early, "2024-05-10"])
    refused("'yesterday' is not a time", "ISO time", x_range=["yesterday", "2024-05-10"])


def test_an_offset_is_converted_to_utc():
    figure = draw({"n": scalar()}, vlines=[{"x": "2024-05-10T02:03+02:00"}])
    assert layout(figure)["shapes"][0]["x0"] == "2024-05-10T00:03"


def test_times_are_texts_so_that_no_time_zone_moves_them():
    jittered = scalar(count=200)
    jittered = replace(jittered, epoch=jittered.epoch + np.arange(200) % 7 * np.timedelta64(1, "s"))
    figure = draw({"n": jittered}, time_range=DAY)
    assert all(isinstance(moment, str) for moment in main_traces(figure)[0]["x"])


# --- lines ---------------------------------------------------------------------------------------------------


def test_missing_values_and_absent_records_break_the_line():
    figure = draw({"B": vector()})
    by, bx = main_traces(figure)[1], main_traces(figure)[0]
    assert bx["y"].count(None) == 1
    assert by["y"].count(None) == 2
    assert not any(trace["connectgaps"] for trace in main_traces(figure))


def test_a_clock_angle_is_not_drawn_across_the_seam():
    """From 179° to −179° a line ran over the whole panel."""
    turning = replace(
        scalar(), name="θ_CA", unit="deg", values=np.resize([170.0, 179.0, -179.0, -170.0], len(scalar()))
    )
    drawn = main_traces(draw({"ca": turning}))[0]["y"]
    assert drawn.count(None) == (len(turning) - 1) // 2
    assert None not in main_traces(draw({"x": replace(turning, unit="nT")}))[0]["y"]


def test_a_value_alone_between_gaps_is_a_marker():
    figure = draw({"n": scalar(values=[1, np.nan, 3, np.nan, 5, 6])})
    alone = [trace for trace in traces(figure) if trace["uid"].endswith("alone")]
    assert [trace["y"] for trace in alone] == [[1.0, 3.0]]
    assert alone[0]["mode"] == "markers"


def test_the_gap_factor_is_the_authors():
    slow = replace(scalar(count=4), epoch=epochs(0, 60, 120, 240))
    assert None in main_traces(draw({"n": slow}))[0]["y"]
    assert None not in main_traces(draw({"n": slow}, gap_factor=2.5))[0]["y"]
    refused("gap_factor 0.5", gap_factor=0.5)


def test_many_points_are_thinned_and_peaks_survive():
    values = np.zeros(100_000)
    values[54_321] = 99.0
    table = Table(START + np.arange(values.size) * np.timedelta64(100, "ms"), values, "nT", "B")
    trace = main_traces(draw({"B": table}, time_range=DAY))[0]
    assert trace["y"]["dtype"] == "f4"
    assert len(trace["x"]) < 2_000
    peak = (START + 54_321 * np.timedelta64(100, "ms")).astype("datetime64[ms]")
    assert str(peak).rstrip("0") in trace["x"]


@pytest.mark.parametrize(
    "names",
    [
        ("Bx", "By", "Bz", "|B|"),
        ("B_R", "B_T", "B_N", "Bmag"),
        ("BX_GSE", "BY_GSE", "BZ_GSE", "B_total"),
        ("Bx", "By", "Bz", "Bt"),
    ],
)
def test_vectors_are_blue_green_red_and_their_magnitude_black(names):
    table = replace(vector(), values=np.ones((10, 4)), components=names)
    colours = [trace["line"]["color"] for trace in main_traces(draw({"B": table}))]
    assert colours == ["#0000ff", "#008000", "#ff0000", "#000000"]


def test_components_in_another_order_keep_their_colours():
    table = replace(vector(), components=("Bz", "Bx", "By"))
    assert [trace["line"]["color"] for trace in main_traces(draw({"B": table}))] == [
        "#ff0000",
        "#0000ff",
        "#008000",
    ]


def test_components_asked_for_one_by_one_keep_the_vectors_colours():
    tables = {f"B.{name}": vector().component(name) for name in ("Bz", "Bx")}
    assert [trace["line"]["color"] for trace in main_traces(draw(tables))] == ["#ff0000", "#0000ff"]


def test_a_line_alone_is_black_and_several_go_by_position():
    assert main_traces(draw({"n": scalar()}))[0]["line"]["color"] == "#000000"
    first = [trace["line"]["color"] for trace in main_traces(draw({"a": scalar("a"), "b": scalar("b")}))]
    other = [trace["line"]["color"] for trace in main_traces(draw({"c": scalar("c"), "a": scalar("a")}))]
    assert first == other == ["#000000", "#0000ff"]


def test_a_component_keeps_its_colour_when_it_is_averaged():
    names = {"B.x": "Bx", "B.y": "By", "Bz_smooth": "⟨Bz⟩_10min", "Bmag": "|B|"}
    figure = draw({label: scalar(name) for label, name in names.items()})
    colours = {trace["name"]: trace["line"]["color"] for trace in main_traces(figure)}
    assert colours == {"Bx": "#0000ff", "By": "#008000", "⟨Bz⟩<sub>10min</sub>": "#ff0000", "|B|": "#000000"}
    beside = main_traces(draw({"Bz": scalar("Bz"), "Bz_smooth": scalar("⟨Bz⟩_10min")}))
    assert [trace["line"]["color"] for trace in beside] == ["#000000", "#0000ff"]


def test_a_colour_that_the_spec_gives_to_a_line_is_that_of_no_other_line():
    tables = {"V": scalar("V"), "n": scalar("n"), "T": scalar("T")}
    found = main_traces(draw(tables, trace_colors={"V": "blue"}))
    assert [trace["line"]["color"] for trace in found] == ["blue", "#000000", "#ff0000"]


def test_the_palette_for_the_colour_blind_replaces_blue_green_red():
    colours = [trace["line"]["color"] for trace in main_traces(draw({"B": vector()}, palette="okabe-ito"))]
    assert colours == ["#0072b2", "#009e73", "#d55e00"]


def test_colours_styles_and_names_are_given_by_label_or_component():
    spec = {
        "trace_colors": {"B.Bx": "Crimson", "n": "#00f"},
        "line_styles": {"B": {"width": 3, "dash": "dot"}, "n": {"mode": "markers"}},
        "trace_names": {"B.Bz": "north"},
    }
    bx, _, bz, n = main_traces(draw({"B": vector(), "n": scalar()}, **spec))
    assert (bx["line"]["color"], n["line"]["color"]) == ("crimson", "#00f")
    assert bx["line"] | {"color": ""} == {"color": "", "width": 3.0, "dash": "dot", "simplify": False}
    assert n["mode"] == "markers"
    assert bz["name"] == "north"


def test_lines_that_the_figure_names_do_not_make_the_other_names_longer():
    tables = {"n": scalar("n"), "n_smooth": scalar("n")}
    assert [trace["name"] for trace in main_traces(draw(tables, panels=[["n", "n_smooth"]]))] == [
        "n",
        "n_smooth",
    ]
    density = {"n": replace(scalar("n"), name="density"), "n_smooth": replace(scalar("n"), name="density")}
    named = draw(density, panels=[["n", "n_smooth"]], trace_names={"n_smooth": "1 h mean"})
    assert [trace["name"] for trace in main_traces(named)] == ["density", "1 h mean"]


def test_a_component_is_addressed_by_the_letter_of_its_axis_too():
    spec = {"trace_colors": {"B.z": "crimson"}, "trace_names": {"B.x": "towards the Sun"}}
    named = replace(vector(), components=("Bx GSE", "By GSE", "Bz GSE"))
    bx, by, bz = main_traces(draw({"B": named}, **spec))
    assert bz["line"]["color"] == "crimson" != by["line"]["color"]
    assert bx["name"] == "towards the Sun"


def test_styles_of_unknown_lines_and_unknown_colours_are_refused():
    refused("trace_colors: no line is called 'B.Bt'", "B.Bx", trace_colors={"B.Bt": "red"})
    refused("'blu' is not a colour", "'blue'", trace_colors={"B": "blu"})
    refused("'rgb\\(1\\)' is not a colour", "crimson", trace_colors={"B": "rgb(1)"})


def test_the_bins_of_a_spectrum_are_lines_coloured_in_order_of_energy():
    figure = draw({"flux": spectrum()}, panel_types=["line"])
    found = main_traces(figure)
    assert [trace["name"] for trace in found] == ["1 keV", "2 keV", "4 keV", "8 keV", "16 keV"]
    assert len({trace["line"]["color"] for trace in found}) == 5
    assert layout(figure)["yaxis"]["type"] == "log"


def test_energy_ranges_name_the_lines_where_the_file_gives_them():
    table = spectrum()
    axis = replace(table.axes[0], lower=table.axes[0].centers * 0.75, upper=table.axes[0].centers * 1.5)
    found = main_traces(draw({"flux": replace(table, axes=(axis,))}, panel_types=["line"]))
    assert found[0]["name"] == "0.75–1.5 keV"


def test_many_bins_have_a_colour_bar_instead_of_names():
    figure = draw({"flux": wide_spectrum(32)}, panel_types=["line"])
    assert not any(trace["showlegend"] for trace in traces(figure))
    (bar,) = (
        trace["marker"]["colorbar"] for trace in traces(figure) if "colorbar" in trace.get("marker", {})
    )
    assert (bar["y"], bar["len"]) == (0.0, 1.0)
    assert "Energy [keV]" in texts(figure)


# --- legends -------------------------------------------------------------------------------------------------


def test_each_panels_names_stand_beside_it():
    figure = draw({"B": vector(), "V": replace(vector(), unit="km/s", components=("Vx", "Vy", "Vz"))})
    assert layout(figure)["legend"]["y"] == 1
    assert layout(figure)["legend2"]["y"] == layout(figure)["yaxis2"]["domain"][1]
    assert {trace["legend"] for trace in main_traces(figure)} == {"legend", "legend2"}
    assert all(layout(figure)[name]["x"] == 1 for name in ("legend", "legend2"))


def test_a_panel_grows_until_its_names_fit():
    figure = draw({"flux": wide_spectrum(12), "n": scalar()}, panel_types=["line", "line"])
    low, high = layout(figure)["yaxis"]["domain"]
    margin = layout(figure)["margin"]
    assert (high - low) * (layout(figure)["height"] - margin["t"] - margin["b"]) >= 12 * 19


def test_names_that_cannot_fit_become_small_coloured_texts_within_their_panel():
    figure = draw(
        {"flux": wide_spectrum(12)}, panel_types=["line"], canvas_size={"width": 800, "height": 220}
    )
    names = {trace["name"]: trace["line"]["color"] for trace in main_traces(figure)}
    found = [note for note in layout(figure)["annotations"] if note["text"] in names]
    assert [note["font"]["color"] for note in found] == list(names.values())
    height = layout(figure)["height"] - layout(figure)["margin"]["t"] - layout(figure)["margin"]["b"]
    assert all(-height < note["yshift"] < 0 for note in found)
    assert not any(trace["showlegend"] for trace in traces(figure))


def test_a_line_alone_needs_no_legend_and_a_legend_can_be_left_out():
    assert not any(trace["showlegend"] for trace in traces(draw({"n": scalar()})))
    assert not any(trace["showlegend"] for trace in traces(draw({"B": vector()}, legend=False)))


def test_equal_names_are_told_apart_by_their_labels():
    found = main_traces(draw({"ACE.B": vector(), "WIND.B": vector()}))
    assert [trace["name"] for trace in found][::3] == ["ACE.B: Bx", "WIND.B: Bx"]
    assert [trace["line"]["dash"] for trace in found][::3] == ["solid", "dash"]


# --- axes ----------------------------------------------------------------------------------------------------


def test_titles_carry_the_frame_and_the_unit():
    figure = draw({"B": vector(), "n": scalar("n_p"), "flux": spectrum()})
    assert layout(figure)["yaxis"]["title"]["text"] == "B GSE [nT]"
    assert layout(figure)["yaxis2"]["title"]["text"] == "n<sub>p</sub> [cm⁻³]"
    assert layout(figure)["yaxis3"]["title"]["text"] == "Energy [keV]"
    assert "proton flux<br>[cm⁻² s⁻¹ sr⁻¹ keV⁻¹]" in texts(figure)


def test_a_frame_already_in_the_name_is_not_said_twice():
    assert layout(draw({"B": replace(vector(), name="BGSE")}))["yaxis"]["title"]["text"] == "BGSE [nT]"


@pytest.mark.parametrize(
    ("names", "frames", "title"),
    [
        (("Bx", "By", "Bz"), ("GSE",) * 3, "B GSE [nT]"),
        (("B_R", "B_N"), ("RTN",) * 2, "B RTN [nT]"),
        (("Bx", "Bz"), ("GSE", "GSM"), "Bx GSE, Bz GSM [nT]"),
        (("Bx", "Ez"), ("GSE",) * 2, "Bx GSE, Ez GSE [nT]"),
        (("Bz",), ("GSE",), "Bz GSE [nT]"),
    ],
)
def test_the_axis_of_components_has_the_name_of_their_vector(names, frames, title):
    tables = {name: scalar(name, "nT", frame=frame) for name, frame in zip(names, frames, strict=True)}
    assert layout(draw(tables, panels=[list(tables)]))["yaxis"]["title"]["text"] == title


def test_y_label_is_for_all_panels_or_by_number():
    tables = {"B": vector(), "n": scalar()}
    assert layout(draw(tables, y_label="mine"))["yaxis2"]["title"]["text"] == "mine"
    by_number = layout(draw(tables, y_label={"2": "mine"}))
    assert (by_number["yaxis"]["title"]["text"], by_number["yaxis2"]["title"]["text"]) == (
        "B GSE [nT]",
        "mine",
    )


def test_y_range_is_in_data_values_also_when_logarithmic():
    figure = draw(
        {"B": vector(), "n": scalar()}, y_range={"1": [-20, 20], "2": [1, 100]}, log_scale={"2": "log"}
    )
    assert layout(figure)["yaxis"]["range"] == [-20, 20]
    assert layout(figure)["yaxis2"]["range"] == [0, 2]
    refused("y_range of panel 1", y_range=[3, 1])
    refused("y_range: the y axis of panel 2 is logarithmic", y_range={"2": [0, 1]}, log_scale={"2": "log"})


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        ({}, ["linear", "linear", "log"]),
        ({"log_scale": "y"}, ["log", "log", "log"]),
        ({"log_scale": 2}, ["linear", "log", "log"]),
        ({"log_scale": {"2": "log"}}, ["linear", "log", "log"]),
        ({"log_y": True}, ["linear", "log", "log"]),
        ({"log_y": {"3": False}}, ["linear", "linear", "linear"]),
        ({"log_y": True, "log_scale": "linear"}, ["linear", "linear", "log"]),
    ],
)
def test_logarithmic_axes_as_asked(spec, types):
    found = layout(draw({"B": vector(), "n": scalar(), "flux": spectrum()}, **spec))
    assert [found[axis]["type"] for axis in ("yaxis", "yaxis2", "yaxis3")] == types


def test_a_logarithmic_axis_without_positive_values_is_refused():
    refused(
        "the y axis of panel 1 is logarithmic, but no value is above 0",
        "linear",
        {"n": scalar(values=[-1, -2])},
        log_scale="log",
    )


def test_a_file_that_says_logarithmic_is_believed():
    assert layout(draw({"n": scalar(scale="log")}))["yaxis"]["type"] == "log"


def test_signed_quantities_have_a_zero_line():
    found = layout(draw({"B": vector(), "n": scalar()}))
    assert found["yaxis"]["zeroline"]
    assert not found["yaxis2"]["zeroline"]
    assert not layout(draw({"B": vector()}, show_zero_line=False))["yaxis"]["zeroline"]


# --- spectrograms --------------------------------------------------------------------------------------------


def test_colours_are_logarithmic_between_data_values():
    trace = traces(draw({"flux": spectrum()}, z_min=1, z_max=100), "heatmap")[0]
    assert (trace["zmin"], trace["zmax"]) == (0, 2)
    assert trace["colorbar"]["ticktext"] == ["10<sup>0</sup>", "10<sup>1</sup>", "10<sup>2</sup>"]
    assert trace["z"][0][0] == pytest.approx(np.log10(16))
    assert traces(draw({"flux": spectrum()}, z_min={"1": 2}), "heatmap")[0]["zmin"] == pytest.approx(
        np.log10(2)
    )


def test_linear_colours_when_asked_or_when_values_are_signed():
    assert traces(draw({"flux": spectrum()}, log_z=False), "heatmap")[0]["z"][0][0] == 16
    signed = replace(spectrum(), values=-spectrum().values)
    assert traces(draw({"flux": signed}), "heatmap")[0]["zmax"] == -1


def test_impossible_colours_are_refused():
    refused("z_min 5 is not below z_max 1", tables={"f": spectrum()}, z_min=5, z_max=1)
    refused("z_min is 0, but logarithmic colours", tables={"f": spectrum()}, z_min=0)
    refused("no colour scale is called 'turob'", "'turbo'", tables={"f": spectrum()}, colorscale="turob")
    refused(
        "no value of 'f' is above 0",
        "log_z",
        {"f": replace(spectrum(), values=-spectrum().values)},
        log_z=True,
    )


@pytest.mark.parametrize("name", ["turbo", "viridis", "spedas", "RdBu", "viridis_r"])
def test_known_colour_scales_reach_from_0_to_1(name):
    scale = traces(draw({"flux": spectrum()}, colorscale=name), "heatmap")[0]["colorscale"]
    assert (scale[0][0], scale[-1][0]) == (0, 1)


def test_a_colour_bar_is_as_tall_as_its_panel_and_stands_outside():
    figure = draw({"B": vector(), "flux": spectrum(), "n": scalar()}, panels=[["B"], ["flux"], ["n"]])
    low, high = layout(figure)["yaxis2"]["domain"]
    bar = traces(figure, "heatmap")[0]["colorbar"]
    assert (bar["y"], bar["len"], bar["yanchor"]) == (low, pytest.approx(high - low, abs=2e-6), "bottom")
    assert (bar["ypad"], bar["xpad"], bar["x"], bar["xanchor"]) == (0, 10, 1, "left")


def test_missing_bins_are_background_and_the_frame_ends_at_the_bins_edges():
    figure = draw({"flux": spectrum()})
    assert traces(figure, "heatmap")[0]["z"][1][2] is None
    assert traces(figure, "heatmap")[0]["zsmooth"] is False
    assert layout(figure)["yaxis"]["range"] == pytest.approx(np.log10([2**-0.5, 2**4.5]))


def test_a_long_spectrogram_is_averaged_to_pixels():
    axis = Axis("Energy", "keV", np.geomspace(1, 100, 4))
    epoch = START + np.arange(20_000) * np.timedelta64(4, "s")
    table = Table(epoch, np.ones((20_000, 4), dtype=np.float32), "", "f", axes=(axis,))
    trace = traces(draw({"f": table}, time_range=DAY), "heatmap")[0]
    rows, columns = map(int, trace["z"]["shape"].split(", "))
    assert rows == 4
    assert columns < 1000
    assert isinstance(trace["x0"], str)


# --- marks ---------------------------------------------------------------------------------------------------


def test_vertical_lines_and_shaded_intervals_cross_every_panel():
    spec = {
        "vlines": [{"x": "2024-05-10T00:05", "label": "shock", "color": "white"}],
        "vrects": [{"x0": "2024-05-10T00:06", "x1": "2024-05-10T00:09", "color": "gold", "label": "sheath"}],
    }
    figure = draw({"B": vector(), "n": scalar()}, **spec)
    assert [(shape["type"], shape["yref"]) for shape in layout(figure)["shapes"]] == [
        ("rect", "y domain"), ("rect", "y2 domain"), ("line", "y domain"), ("line", "y2 domain"),
    ]  # fmt: skip
    assert layout(figure)["shapes"][0]["layer"] == "below"
    assert layout(figure)["shapes"][2]["line"]["color"] == "red", "white cannot be seen on white"
    assert {"shock", "sheath"} <= set(texts(figure))


def test_labels_of_near_lines_stand_below_each_other():
    lines = [{"x": f"2024-05-10T00:05:0{second}", "label": f"event {second}"} for second in range(3)]
    figure = draw({"n": scalar()}, vlines=lines)
    shifts = [note["yshift"] for note in layout(figure)["annotations"] if note["text"].startswith("event")]
    assert len(set(shifts)) == 3


def test_marks_without_a_place_are_refused():
    refused("vlines: entry 1 has no x", "add x to", vlines=[{"label": "shock"}])
    refused("vrects: entry 1 has no x1", vrects=[{"x0": "2024-05-10"}])
    refused("vrects: entry 1: x0 is not before x1", vrects=[{"x0": "2024-05-10", "x1": "2024-05-10"}])
    refused("vlines: entry 1: 'noon' is not a time", vlines=[{"x": "noon"}])
    refused("vlines: entry 1: 5 is not a time", vlines=[{"x": 5}])
    refused("hlines: entry 1 has no y", hlines=[{"panel": 1}])
    refused(
        "hlines: entry 1: there is no panel 7",
        "choose a panel from 1 (top) to 2",
        hlines=[{"y": 1, "panel": 7}],
    )
    refused("annotations: entry 1 has no text", annotations=[{"x": 0.5, "y": 0.5}])


def test_texts_and_thresholds_on_a_logarithmic_panel_stand_at_their_value():
    figure = draw(
        {"n": scalar()},
        log_scale="y",
        hlines=[{"y": 5, "label": "threshold"}],
        annotations=[
            {"text": "here", "x": "2024-05-10T00:05", "y": 10},
            {"text": "corner", "x": 0.02, "y": 0.9},
        ],
    )
    notes = {note["text"]: note for note in layout(figure)["annotations"]}
    assert notes["here"]["y"] == 1
    assert notes["threshold"]["y"] == pytest.approx(np.log10(5))
    assert layout(figure)["shapes"][0]["y0"] == 5
    assert (notes["corner"]["xref"], notes["corner"]["yref"]) == ("paper", "paper")


# --- titles, footer, theme -----------------------------------------------------------------------------------


def test_the_title_has_the_time_range_below_it():
    figure = draw({"n": scalar()}, time_range=DAY, title="Density", subtitle="ACE")
    assert layout(figure)["title"]["text"] == "<b>Density</b>"
    assert texts(figure)[0] == "ACE · 2024-05-10 00:00 – 05-11 00:00 UT"
    assert (
        layout(draw({"n": scalar()}, time_range=DAY))["title"]["text"] == "2024-05-10 00:00 – 05-11 00:00 UT"
    )


def test_the_footer_names_data_sets_and_the_run():
    figure = draw({"B": vector()}, caption="overview@1 · helio 0.1")
    assert texts(figure)[-2:] == ["AC_H2_MFI v01 (sample)", "overview@1 · helio 0.1"]
    assert "overview@1" not in " ".join(texts(draw({"B": vector()}, caption="overview@1", footer=False)))


def test_preliminary_data_are_marked_across_the_figure():
    source = SourceFile("AC_K0_MFI", "a", preliminary=True)
    figure = draw({"B": replace(vector(), sources=(source,)), "n": scalar()})
    assert "PRELIMINARY" in texts(figure)
    assert any("preliminary" in note for note in figure.notes)
    assert "PRELIMINARY" not in texts(draw({"B": vector()}))


def test_themes_and_sizes_reach_the_layout():
    figure = draw(
        {"n": scalar()}, theme="plotly_dark", font_size=16, canvas_size={"width": 700, "height": 400}
    )
    assert main_traces(figure)[0]["line"]["color"] == "#f2f5fa", "a black line cannot be seen on black"
    assert (layout(figure)["width"], layout(figure)["height"]) == (700, 400)
    assert layout(figure)["font"]["size"] == 16
    assert layout(figure)["template"]["layout"]["paper_bgcolor"]
    refused("font_size 80", font_size=80)


def test_a_figure_has_the_size_in_which_it_is_printed():
    figure = draw({"n": scalar()}, font_size="9 pt", canvas_size={"width": "90 mm", "height": "2.5in"})
    assert (layout(figure)["width"], layout(figure)["height"]) == (340, 240)
    assert layout(figure)["font"]["size"] == 12
    assert to_json(figure) == to_json(
        draw({"n": scalar()}, font_size=12, canvas_size={"width": 340, "height": 240})
    )
    refused("font_size 4 pt is not allowed", font_size="4 pt")
    refused("canvas_size 76 × 500 is not allowed", canvas_size={"width": "2 cm", "height": 500})


def test_panels_are_lettered_from_the_top_inside_each_panel():
    figure = draw({"B": vector(), "n": scalar(), "flux": spectrum()}, panel_letters=True)
    letters = [note for note in layout(figure)["annotations"] if note["text"].startswith("<b>(")]
    assert [note["text"] for note in letters] == ["<b>(a)</b>", "<b>(b)</b>", "<b>(c)</b>"]
    tops = [layout(figure)[axis]["domain"][1] for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert [note["y"] for note in letters] == tops
    assert ["bgcolor" in note for note in letters] == [False, False, True], "a box hides no line"
    assert "<b>(a)</b>" not in texts(draw({"B": vector()}))


def test_the_letter_after_z_is_aa():
    tables = {f"n{number}": scalar(unit=f"km^{number + 2}") for number in range(27)}
    assert "<b>(aa)</b>" in texts(draw(tables, panel_letters=True))


@pytest.mark.parametrize("theme", ["dark", "plotly_dark"])
@pytest.mark.parametrize("palette", ["tplot", "okabe-ito"])
def test_every_line_can_be_read_on_a_dark_page(palette, theme):
    scalars = {f"n{number}": scalar(name=f"n{number}") for number in range(8)}
    figure = draw(
        {"B": vector(), **scalars, "flux": spectrum()},
        panels=[["B"], [*scalars], ["flux"]],
        panel_types=["line"] * 3,
        theme=theme,
        palette=palette,
    )
    for trace in main_traces(figure):
        parts = [int(trace["line"]["color"][start : start + 2], 16) / 255 for start in (1, 3, 5)]
        luminance = np.dot([0.2126, 0.7152, 0.0722], np.power(parts, 2.2))
        assert luminance >= 0.19, trace["name"]


def test_a_black_line_of_the_spec_can_be_read_on_a_dark_page_alone():
    for theme, colour in (("dark", "#808080"), ("plotly_white", "black")):
        [trace] = main_traces(draw({"n": scalar()}, theme=theme, trace_colors={"n": "black"}))
        assert trace["line"]["color"] == colour


def test_lines_of_large_titles_end_within_the_page():
    title = "Magnetic field of the slow solar wind measured by Parker Solar Probe near its perihelion"
    figure = draw({"B": vector()}, title=title, font_size=24)
    first = layout(figure)["title"]["text"].removeprefix("<b>").removesuffix("</b>")
    assert title.startswith(first)
    assert layout(figure)["margin"]["l"] + 0.6 * 26 * len(first) < 1000


def test_a_long_name_has_room_in_the_legend():
    name = "radial component of the magnetic field"
    figure = draw({"B": vector()}, trace_names={"B.Bx": name})
    assert layout(figure)["margin"]["r"] > 42 + 0.6 * 12 * len(name)


def test_the_time_axis_follows_the_data_on_request():
    values = [np.nan, 1.0, 2.0, 3.0, np.nan]
    tables = {"n": scalar(values=values), "B": vector()}
    figure = draw(tables, DAY, labels=["n"], x_range="data")
    assert layout(figure)["xaxis"]["range"] == ["2024-05-10T00:01", "2024-05-10T00:03"]
    assert "panel 1: coverage n 100.0 %" in figure.notes
    shown = "the time axis shows 2024-05-10 00:01 – 00:03 UT, from the first to the last record"
    assert shown in figure.notes
    assert layout(draw(tables, DAY, labels=["n"]))["xaxis"]["range"] == [
        "2024-05-10T00:00",
        "2024-05-11T00:00",
    ]
    refused("nothing to draw", tables={"n": scalar(values=[np.nan] * 3)}, x_range="data")


def described(description, dataset, name="N"):
    return replace(scalar(name), description=description, sources=(SourceFile(dataset, "file.cdf"),))


def test_quantities_of_one_name_are_told_apart_by_particles():
    ions = described("MMS1 FPI/DIS ion number density", "MMS1_FPI_FAST_L2_DIS-MOMS")
    electrons = described("MMS1 FPI/DES electron number density", "MMS1_FPI_FAST_L2_DES-MOMS")
    figure = draw({"i": ions, "e": electrons}, panels=[["i"], ["e"]])
    titles = [layout(figure)[axis]["title"]["text"] for axis in ("yaxis", "yaxis2")]
    assert titles == ["N, ions [cm⁻³]", "N, electrons [cm⁻³]"]
    together = draw({"i": ions, "e": electrons}, panels=[["i", "e"]])
    assert [trace["name"] for trace in main_traces(together)] == ["N, ions", "N, electrons"]
    assert layout(draw({"i": ions}))["yaxis"]["title"]["text"] == "N [cm⁻³]"


def test_quantities_of_one_name_are_told_apart_by_spacecraft():
    ace, wind = described("ion density", "AC_H0_SWE"), described("ion density", "WI_H1_SWE")
    figure = draw({"a": ace, "w": wind}, panels=[["a", "w"]])
    assert [trace["name"] for trace in main_traces(figure)] == ["ACE N", "Wind N"]
    unknown = draw({"a": described("", "X"), "b": described("", "Y")}, panels=[["a", "b"]])
    assert [trace["name"] for trace in main_traces(unknown)] == ["a", "b"], "labels tell them apart"


@pytest.mark.parametrize(("width", "most"), [(1000, 11), (340, 3), (300, 2)])
def test_a_narrow_figure_has_fewer_time_labels(width, most):
    figure = draw({"B": vector()}, canvas_size={"width": width, "height": 300})
    assert layout(figure)["xaxis"]["nticks"] == most


# --- review --------------------------------------------------------------------------------------------------


def test_notes_say_how_much_of_the_range_has_data():
    half = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10) + timedelta(minutes=20))
    assert draw({"n": scalar()}, time_range=half).notes[0] == "panel 1: coverage n 50.0 %"


def test_notes_point_out_what_a_reviewer_would():
    values = np.full((10, 3), np.nan)
    values[0, 1] = 1.0
    values[:, 0] = 1e9
    notes = " | ".join(draw({"B": replace(vector(), values=values)}).notes)
    assert "B Bz has no value in the time range" in notes
    assert "B By is 90 % missing" in notes
    assert "a million times" in notes
    crowd = {f"n{number}": scalar(f"n{number}") for number in range(7)}
    assert "panel 1: 7 lines in one panel" in draw(crowd).notes
    mixed = {"a": scalar(unit="eV"), "b": scalar(unit="K", count=1)}
    found = " | ".join(draw(mixed, panels=[["a", "b"]]).notes)
    assert "different units on one axis: eV, K" in found
    assert "a has 10 records, b only 1" not in found
    assert "3 values of n not above 0" in " ".join(
        draw({"n": scalar(values=[0, -1, 0, 1])}, log_scale="y").notes
    )
    assert not [note for note in draw({"n": scalar()}).notes if "coverage" not in note]


@pytest.mark.parametrize("name", ["turbo", "viridis"])
def test_the_colour_scales_that_stand_here_are_plotlys(name):
    from plotly import colors

    theirs = [(pytest.approx(position), colour) for position, colour in colors.get_colorscale(name)]
    assert [tuple(stop) for stop in colour_scale(name)] == theirs


def test_no_point_of_a_line_is_left_out_by_plotly():
    tables = {"B": vector(), "flux": wide_spectrum(30), "psd": wide_spectrum(40)}
    figure = draw(
        tables,
        panels=[["B"], ["flux"], ["psd"]],
        panel_types=["line", "line", "spectrum"],
        log_x=True,
        log_y={"3": True},
        slopes=[{"panel": 3, "slope": -2}],
    )
    lines = [trace for trace in traces(figure) if "lines" in trace["mode"]]
    assert len(lines) > 34
    assert all(trace["line"]["simplify"] is False for trace in lines)


def test_notes_count_what_the_limits_of_a_spec_leave_out():
    """Of the values 1 to 10, y_range 2 to 8.5 leaves out 1, 9 and 10; without limits nothing is left out."""
    assert "panel 1: y_range leaves out 3 values of n" in draw({"n": scalar()}, y_range=[2, 8.5]).notes
    assert not [note for note in draw({"n": scalar()}, y_range=[1, 10]).notes if "leaves out" in note]
    some = scalar(values=[-1, 0, 1, np.nan, 100, 10, 10, 10, 10, 10])
    found = draw({"n": some}, log_scale="y", y_range=[5, 50]).notes
    assert "panel 1: y_range leaves out 2 values of n" in found
    assert "panel 1: a logarithmic axis leaves out 2 values of n not above 0" in found
    flux = wide_spectrum(3)
    found = draw({"flux": flux}, log_z=False, z_min=2, z_max=20).notes
    beyond = np.count_nonzero((flux.values < 2) | (flux.values > 20))
    assert f"panel 1: {beyond} cells of flux beyond z_min or z_max have the first or the last colour" in found
    assert not [note for note in draw({"flux": flux}, log_z=False).notes if "colour" in note]


def test_notes_say_how_many_points_of_thinned_lines_are_in_the_page():
    values = np.random.default_rng(1).normal(size=20_000)
    values[77] = np.nan
    table = Table(START + np.arange(20_000) * np.timedelta64(40, "ms"), values, "nT", "B")
    figure = draw({"B": table})
    [note] = [note for note in figure.notes if "points" in note]
    [trace] = main_traces(figure)
    held = np.frombuffer(base64.b64decode(trace["y"]["bdata"]), trace["y"]["dtype"].replace("f", "<f"))
    finite = held[np.isfinite(held)]
    assert note.startswith(f"panel 1: {finite.size:,} of 19,999 points are drawn")
    assert finite.size < 4000
    assert (finite.min(), finite.max()) == (
        np.float32(np.nanmin(values)),
        np.float32(np.nanmax(values)),
    )


def test_notes_say_what_shares_the_pixels_of_a_spectrogram():
    axis = Axis("Energy", "keV", np.linspace(1, 100, 1000))
    seconds = np.arange(0, 800, 0.1)
    table = Table(epochs(*seconds), np.ones((seconds.size, 1000), np.float32), "eV", "Flux", axes=(axis,))
    figure = draw({"flux": table}, log_y=False)
    assert (
        "panel 1: 8,000 records and 1,000 bins of flux are drawn by pixels, and each pixel shows its highest value; "
        "resample first to draw means"
    ) in figure.notes
    few = draw({"flux": wide_spectrum(5)})
    assert not [note for note in few.notes if "pixel" in note]


def test_a_spectrogram_with_a_y_range_is_laid_out_for_what_it_shows():
    axis = Axis("Energy", "keV", np.linspace(1, 1000, 1000))
    table = Table(epochs(0, 60, 120), np.arange(3000.0).reshape(3, 1000), "eV", "Flux", axes=(axis,))
    whole, shown = (
        traces(draw({"flux": table}, log_y=False, **more), "heatmap")[0]
        for more in ({}, {"y_range": [100, 110]})
    )
    assert len(np.frombuffer(base64.b64decode(whole["y"]["bdata"]), "<f4")) < 400
    assert (
        len(
            np.frombuffer(
                base64.b64decode(shown["y"]["bdata"]), "<f8" if shown["y"]["dtype"] == "f8" else "<f4"
            )
        )
        > 900
    )


def test_the_letter_of_a_panel_of_lines_is_not_on_its_lines():
    falling = scalar(values=np.linspace(10, 1, 400))
    letters = [
        text
        for text in layout(draw({"n": falling}, time_range=None, panel_letters=True))["annotations"]
        if text["text"].startswith("<b>(")
    ]
    assert [(text["xanchor"], text["yanchor"]) for text in letters] == [("right", "top")]


def test_the_last_time_label_has_room_without_a_legend():
    table = Table(epochs(*np.arange(25) * 3600.0), np.arange(25.0), "nT", "Dst")
    whole = layout(draw({"Dst": table}, time_range=DAY))["margin"]["r"]
    assert whole >= 0.5 * 10 * 0.6 * 13, "half of the date below the last label"
    part = TimeRange(datetime(2024, 5, 10, 0, 10), datetime(2024, 5, 10, 22, 30))
    assert layout(draw({"Dst": table}, time_range=part))["margin"]["r"] == 24, "no label is near the end"


def test_a_spectrum_has_the_name_of_the_spec_at_its_colours_or_its_axis_and_its_bins_keep_theirs():
    named = {"trace_names": {"flux": "STEREO-A protons"}}
    assert any("STEREO-A protons" in text for text in texts(draw({"flux": spectrum()}, **named)))
    as_lines = draw({"flux": spectrum()}, panel_types=["line"], **named)
    assert "STEREO-A protons" in layout(as_lines)["yaxis"]["title"]["text"]
    assert all(trace.get("name") != "STEREO-A protons" for trace in traces(as_lines))
