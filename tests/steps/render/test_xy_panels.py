"""Panels of one quantity against another: scatter plots and hodograms."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import cKDTree

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.fit_line import fit_line
from helio.steps.render.clouds import MOST
from helio.steps.render.render_spec import render_spec
from helio.steps.render.time_axis import time_ticks
from helio.steps.render.wording import text_width
from helio.steps.render.write_figure import to_json
from helio.store.table import Table
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, texts, traces
from tests.steps.render.test_spectrum_panels import plain
from tests.steps.series import SOURCE, epochs, vector


def series(values, name="n", unit="cm^-3", step=60.0, **more):
    values = np.asarray(values, float)
    return Table(epochs(*np.arange(values.size) * step), values, unit, name, sources=(SOURCE,), **more)


def circle(count=9, step=60.0):
    angle = np.linspace(0, np.pi, count)
    return {
        "B.B_L": series(5 * np.cos(angle), "B_L", "nT", step, frame="LMN"),
        "B.B_M": series(5 * np.sin(angle), "B_M", "nT", step, frame="LMN"),
    }


HODOGRAM = {"type": "hodogram", "x": "B.B_M", "y": "B.B_L"}
SCATTER = {"x": "n", "y": "V"}


def pair(x=(1, 2, 3, 4), y=(400, 410, 420, 430)):
    return {"n": series(x), "V": series(y, "V", "km/s")}


def points(figure, uid="p1"):
    (trace,) = [trace for trace in traces(figure) if trace["uid"] == uid]
    return trace


def named(figure, part):
    return [trace for trace in traces(figure) if part in trace["uid"]]


def refuse(match, advice="", error=StepError, tables=None, **entry):
    with pytest.raises(error, match=match) as found:
        render_spec(tables or pair(), spec={"xy": [entry]}, time_range=TEN_MINUTES)
    assert advice in found.value.advice


# --- scatter -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [320, 1000])
def test_a_scatter_has_a_marker_for_each_record(width):
    figure = draw(pair(), xy=[SCATTER], canvas_size={"width": width})
    cloud = points(figure)
    assert (cloud["mode"], cloud["x"], cloud["y"]) == ("markers", [1, 2, 3, 4], [400, 410, 420, 430])
    assert cloud["marker"]["color"] == "#000000"
    axes = layout(figure)
    assert axes["xaxis"]["title"]["text"] == "n [cm⁻³]"
    assert axes["yaxis"]["title"]["text"] == "V [km/s]"
    assert axes["xaxis"]["range"] == pytest.approx([0.88, 4.12])
    assert axes["xaxis"]["type"] == "linear"
    assert axes["hovermode"] == "closest"
    assert "scaleanchor" not in axes["yaxis"]


def test_the_same_tables_give_the_same_bytes():
    tables = pair()
    assert to_json(draw(tables, xy=[SCATTER])) == to_json(draw(dict(reversed(tables.items())), xy=[SCATTER]))


def test_records_without_a_value_are_left_out_and_counted():
    figure = draw(pair(x=(1, np.nan, 3, 4), y=(400, 410, np.nan, 430)), xy=[SCATTER])
    assert points(figure)["x"] == [1, 4]
    assert "panel 1: points of 2 of 4 records; left out: 2 without a value" in figure.notes


def test_a_logarithmic_axis_leaves_out_and_counts_values_not_above_zero():
    figure = draw(pair(x=(0, 1, 10, 100)), xy=[{**SCATTER, "log_x": True}])
    assert points(figure)["x"] == [1, 10, 100]
    assert layout(figure)["xaxis"]["type"] == "log"
    low, high = layout(figure)["xaxis"]["range"]
    assert low < 0
    assert high > 2
    assert "left out: 1 not above 0 on a logarithmic scale" in figure.notes[0]
    refuse("no record", "linear axis", tables=pair(x=(0, -1, -2, -3)), **SCATTER, log_x=True)


def test_limits_labels_and_points_outside():
    entry = {**SCATTER, "x_range": [0, 3.5], "y_range": [300, 500], "x_label": "density", "y_label": "speed"}
    figure = draw(pair(), xy=[entry])
    axes = layout(figure)
    assert axes["xaxis"]["range"] == [0, 3.5]
    assert axes["yaxis"]["range"] == [300, 500]
    assert (axes["xaxis"]["title"]["text"], axes["yaxis"]["title"]["text"]) == ("density", "speed")
    assert "panel 1: 1 point outside the limits of the axes" in figure.notes


def test_quantities_of_one_name_are_called_by_their_labels():
    tables = {"ACE.Bz": series([1, 2], "Bz", "nT"), "Wind.Bz": series([1, 3], "Bz", "nT")}
    axes = layout(draw(tables, xy=[{"x": "ACE.Bz", "y": "Wind.Bz"}]))
    assert axes["xaxis"]["title"]["text"] == "ACE.Bz [nT]"
    assert axes["yaxis"]["title"]["text"] == "Wind.Bz [nT]"


# --- colours -------------------------------------------------------------------------------------------------


def test_colours_by_time_have_a_bar_with_times():
    figure = draw(pair(), xy=[{**SCATTER, "color_by": "time"}])
    assert points(figure)["marker"]["color"] == [0, 60, 120, 180]
    (bar,) = named(figure, "bar")
    assert bar["marker"]["colorbar"]["ticktext"] == ["00:00", "00:01", "00:02", "00:03"]
    assert bar["marker"]["colorbar"]["tickvals"] == [0, 60, 120, 180]
    assert "UT" in texts(figure)


def test_colours_by_a_quantity_have_a_bar_with_its_unit():
    tables = {**pair(), "T": series([1e4, np.nan, 1e5, 1e6], "T_p", "K")}
    figure = draw(tables, xy=[{**SCATTER, "color_by": "T", "log_color": True}], colorscale="viridis")
    cloud = points(figure)
    assert cloud["x"] == [1, 3, 4]
    assert cloud["marker"]["color"] == [4, 5, 6]
    assert (cloud["marker"]["cmin"], cloud["marker"]["cmax"]) == (4, 6)
    assert "T<sub>p</sub> [K]" in texts(figure)
    assert "left out: 1 without a value" in figure.notes[0]


def test_one_colour_for_all_points():
    assert points(draw(pair(), xy=[{**SCATTER, "color": "Crimson"}]))["marker"]["color"] == "crimson"


@pytest.mark.parametrize(
    ("step", "most", "written"),
    [
        (1e-3, 6, ["00:00:00.000", "00:00:00.002", "00:00:00.004", "00:00:00.006", "00:00:00.008"]),
        (60, 6, ["00:00", "00:02", "00:04", "00:06", "00:08"]),
        (7200, 6, ["00:00", "06:00", "12:00", "18:00"]),
        (14_400, 6, ["05-10 00:00", "05-10 12:00", "05-11 00:00", "05-11 12:00"]),
        (864_000, 6, ["05-17", "06-06", "06-26", "07-16", "08-05"]),
    ],
)  # fmt: skip
def test_the_times_of_a_colour_bar_are_even(step, most, written):
    first, last = epochs(0, 9 * step)
    ticks, named_times = time_ticks(first, last, most)
    assert named_times == written
    assert len(ticks) == len(named_times) <= most
    assert len(set(np.diff(ticks))) == 1


# --- hodogram ------------------------------------------------------------------------------------------------


def test_a_hodogram_has_equal_axes_and_its_ends_marked():
    figure = draw(circle(), xy=[HODOGRAM], canvas_size={"width": 900})
    axes = layout(figure)
    assert axes["yaxis"]["scaleanchor"] == "x"
    (x0, x1), (y0, y1) = axes["xaxis"]["range"], axes["yaxis"]["range"]
    assert x1 - x0 == pytest.approx(y1 - y0)
    width = (axes["xaxis"]["domain"][1] - axes["xaxis"]["domain"][0]) * plot_size(axes)[0]
    height = (axes["yaxis"]["domain"][1] - axes["yaxis"]["domain"][0]) * plot_size(axes)[1]
    assert width == pytest.approx(height, abs=0.5)
    (start,), (end,) = named(figure, "start"), named(figure, "end")
    assert (start["x"], start["y"]) == ([0], [5])
    assert end["y"] == [-5]
    assert {"start", "end"} <= set(texts(figure))


def plot_size(axes):
    margin = axes["margin"]
    return axes["width"] - margin["l"] - margin["r"], axes["height"] - margin["t"] - margin["b"]


def test_the_colours_of_a_line_follow_time_and_every_piece_is_drawn_once():
    tables = circle(9)
    figure = draw(tables, xy=[HODOGRAM])
    pieces = named(figure, "line")
    drawn = []
    for trace in pieces:
        x, y = plain(trace["x"]), plain(trace["y"])
        drawn += [
            (x[k], y[k], x[k + 1], y[k + 1]) for k in range(x.size - 1) if np.isfinite(x[k : k + 2]).all()
        ]
    assert len(drawn) == len(set(drawn)) == 8
    assert len({trace["line"]["color"] for trace in pieces}) == 8


@pytest.mark.parametrize("entry", [HODOGRAM, {**HODOGRAM, "color": "blue"}])
def test_a_line_is_broken_at_gaps_and_missing_values(entry):
    tables = circle(12)
    for label, table in tables.items():
        values = table.values.copy()
        values[3] = np.nan
        epoch = table.epoch.copy()
        epoch[8:] += np.timedelta64(1, "m")
        tables[label] = replace(table, values=values, epoch=epoch)
    joined = {
        tuple(plain(trace["x"])[[k, k + 1]].round(5))
        for trace in named(draw(tables, xy=[entry]), "line")
        for k in range(len(plain(trace["x"])) - 1)
    }
    x = tables["B.B_M"].values.round(5)
    pieces = {tuple(np.float32(x[[k, k + 1]]).astype(float).round(5)) for k in (0, 1, 4, 5, 6, 8, 9, 10)}
    assert {piece for piece in joined if np.isfinite(piece).all()} == pieces


def test_the_choices_of_a_hodogram_can_be_changed():
    entry = {**HODOGRAM, "equal_axes": False, "mark_ends": False, "mode": "lines+markers", "color": "black"}
    figure = draw(circle(), xy=[entry])
    assert "scaleanchor" not in layout(figure)["yaxis"]
    assert not named(figure, "start")
    assert not named(figure, "bar")
    assert len(named(figure, "line")) == 1
    assert "opacity" not in points(figure)["marker"]


def test_only_records_between_two_times_are_drawn():
    entry = {**SCATTER, "between": ["2024-05-10T00:01", "2024-05-10T00:03"]}
    assert points(draw(pair(), xy=[entry]))["x"] == [2, 3]
    refuse("needs two times", "write between", **SCATTER, between=["2024-05-10"])
    refuse("not before", "exchange", **SCATTER, between=["2024-05-11", "2024-05-10"])
    refuse("has no records in 2024-05-11 to", "time range", **SCATTER, between=["2024-05-11", "2024-05-12"])


# --- a line through the points -------------------------------------------------------------------------------


def test_a_fit_is_a_line_and_a_text_with_the_numbers_of_the_tool():
    tables = pair(x=(1, 2, np.nan, 4, 5), y=(400, 412, 0, 428, 441))
    figure = draw(tables, xy=[{**SCATTER, "fit": "linear"}])
    (line,) = named(figure, "fit")
    known = stats.linregress([1, 2, 4, 5], [400, 412, 428, 441])
    assert line["x"] == [1, 5]
    assert line["y"] == pytest.approx([known.intercept + known.slope * x for x in (1, 5)])
    (text,) = [text for text in texts(figure) if "slope" in text]
    words = fit_line(tables["n"], tables["V"]).description
    assert all(part.split(" km")[0] in words for part in text.split("<br>")[:2])
    assert text.split("<br>")[0].endswith("km cm³/s")
    assert text.endswith("n = 4")
    assert any("linear fit: slope" in note for note in figure.notes)


@pytest.mark.parametrize(("log", "count"), [(True, 2), (False, 65)])
def test_a_power_law_is_straight_only_on_logarithmic_axes(log, count):
    tables = pair(x=(1, 10, 100, -1), y=(2, 20, 200, 5))
    figure = draw(tables, xy=[{**SCATTER, "fit": "power_law", "log_x": log, "log_y": log}])
    (line,) = named(figure, "fit")
    x, y = plain(line["x"]), plain(line["y"])
    assert (x.size, x[0], x[-1]) == (count, 1, 100)
    assert y == pytest.approx(2 * x, rel=1e-6)
    assert any("left out: 1 not above 0" in note for note in figure.notes)


def test_the_text_of_a_fit_stands_where_no_points_are():
    rising, falling = (pair(x=np.arange(50), y=400 + sign * np.arange(50)) for sign in (1, -1))
    for tables, side in ((rising, "left"), (falling, "right")):
        figure = draw(tables, xy=[{**SCATTER, "fit": "linear"}])
        (note,) = [note for note in layout(figure)["annotations"] if "slope" in note["text"]]
        assert (note["xanchor"], note["yanchor"]) == (side, "top")
        assert "bgcolor" in note


def test_a_fit_that_does_not_exist_is_refused():
    refuse("at least 3 records", "longer", tables=pair((1, 2), (3, 4)), **SCATTER, fit="linear")
    refuse("is in", "cannot be converted", UnitMismatch, **SCATTER, fit="orthogonal")


# --- many points ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["markers", "lines"])
def test_many_points_lose_no_extreme_and_no_pixel(mode):
    noise = np.random.default_rng(2)
    x, y = noise.normal(size=40_000), noise.normal(size=40_000)
    if mode == "lines":
        x, y = np.cumsum(x) / 100, np.cumsum(y) / 100
    tables = {"n": series(x, step=0.01), "V": series(y, "V", "km/s", step=0.01)}
    figure = draw(tables, xy=[{**SCATTER, "mode": mode}])
    cloud = points(figure)
    drawn = plain(cloud["x"]), plain(cloud["y"])
    assert MOST < drawn[0].size < 40_000
    for values, shown in zip((x, y), drawn, strict=True):
        assert (shown.min(), shown.max()) == pytest.approx((values.min(), values.max()), rel=1e-6)
    axes = layout(figure)
    width, height = plot_size(axes)
    every, shown = (in_pixels(*values, axes, width, height) for values in ((x, y), drawn))
    distance, _ = cKDTree(shown).query(every, p=np.inf)
    assert distance.max() <= 1
    assert (
        f"panel 1: {drawn[0].size:,} of 40,000 points are drawn: those that can be seen" in figure.notes[-1]
    )


def in_pixels(x, y, axes, width, height):
    (x0, x1), (y0, y1) = axes["xaxis"]["range"], axes["yaxis"]["range"]
    return np.stack([(x - x0) / (x1 - x0) * width, (y - y0) / (y1 - y0) * height], -1)


# --- arrangement ---------------------------------------------------------------------------------------------


def three(**more):
    tables = {"B": vector(), **circle(), **pair((1, 2, 3, 4)), **more}
    tables["B.B_N"] = replace(tables["B.B_M"], name="B_N")
    return tables


def test_panels_stand_side_by_side_below_those_over_time():
    spec = {"labels": ["B"], "xy": [HODOGRAM, {**HODOGRAM, "x": "B.B_N"}]}
    figure = draw(three(), **spec)
    axes = layout(figure)
    assert axes["xaxis"]["type"] == "date"
    assert axes["xaxis"]["domain"] == [0, 1]
    left, right = axes["xaxis2"]["domain"], axes["xaxis3"]["domain"]
    assert left[0] == 0
    assert left[1] < right[0]
    assert right[1] <= 1
    assert left[1] - left[0] == pytest.approx(right[1] - right[0], abs=1e-5)
    assert axes["yaxis2"]["domain"] == axes["yaxis3"]["domain"]
    assert axes["yaxis2"]["domain"][1] < axes["yaxis"]["domain"][0]
    assert axes["xaxis3"]["anchor"] == "y3"
    assert len(named(figure, "bar")) == 1
    assert axes["hovermode"] == "x"


def test_neighbours_with_other_colours_have_a_bar_each():
    spec = {"xy": [HODOGRAM, {**SCATTER, "color_by": "time"}, {**SCATTER, "color_by": "n"}]}
    assert len(named(draw(three(), labels=["B"], **spec), "bar")) == 3


@pytest.mark.parametrize(("width", "columns"), [(420, 1), (640, 2), (1000, 3)])
def test_a_narrow_figure_has_fewer_panels_in_a_row(width, columns):
    spec = {"labels": ["B"], "xy": [HODOGRAM] * 3, "canvas_size": {"width": width}}
    axes = layout(draw(three(), **spec))
    tops = [axes[f"yaxis{number}"]["domain"][1] for number in (2, 3, 4)]
    assert tops.count(tops[0]) == columns


def test_labels_of_points_are_drawn_over_time_only_if_panels_names_them():
    labels = ["B", "n", "V"]
    figure = draw(three(), labels=labels, xy=[SCATTER])
    assert "xaxis3" not in layout(figure)
    both = draw(three(), labels=labels, panels=[["n"], ["V"]], xy=[SCATTER])
    assert layout(both)["yaxis2"]["title"]["text"] == "V [km/s]"
    assert points(both, "p3")["x"] == [1, 2, 3, 4]


def test_marks_find_the_panel_by_its_number():
    spec = {
        "panels": [["B"]],
        "xy": [SCATTER],
        "hlines": [{"y": 415, "panel": 2, "label": "limit"}],
        "vlines": [{"x": 2.5, "panel": 2, "label": "middle"}, {"x": "2024-05-10T00:05"}],
    }
    figure = draw(three(), **spec)
    drawn = {(shape["xref"], shape["yref"]): shape for shape in layout(figure)["shapes"]}
    assert drawn["x2 domain", "y2"]["y0"] == 415
    assert drawn["x2", "y2 domain"]["x0"] == 2.5
    assert ("x", "y domain") in drawn
    assert ("x", "y2 domain") not in drawn


def test_row_heights_count_rows():
    spec = {"panels": [["B"]], "xy": [SCATTER, SCATTER]}
    axes = layout(draw(three(), **spec, row_heights=[1, 3], canvas_size={"height": 900}))
    heights = [np.diff(axes[name]["domain"])[0] for name in ("yaxis", "yaxis2", "yaxis3")]
    assert heights[1] == heights[2] == pytest.approx(3 * heights[0], rel=1e-3)
    with pytest.raises(StepError, match="3 entries for 2"):
        draw(three(), **spec, row_heights=[1, 1, 1])


# --- what is refused -----------------------------------------------------------------------------------------


def test_two_time_bases_are_never_joined():
    other = {**pair(), "V": series([400, 410], "V", "km/s", step=120.0)}
    refuse("do not have the same epochs", "align", ClockMismatch, other, **SCATTER)
    shifted = {**pair(), "V": series([400, 410, 420, 430], "V", "km/s", step=60.1)}
    refuse("do not have the same epochs", "align", ClockMismatch, shifted, **SCATTER)
    third = {**pair(), "T": series([1, 2], "T", "K")}
    refuse("do not have the same epochs", "align", ClockMismatch, third, **SCATTER, color_by="T")


def test_equal_axes_need_one_unit_and_one_frame():
    refuse("is in cm", "cannot be converted", UnitMismatch, **SCATTER, equal_axes=True)
    tables = circle()
    tables["B.B_M"] = replace(tables["B.B_M"], frame="RTN")
    refuse("is in", "", FrameMismatch, tables, **HODOGRAM)
    omni = {
        "bx": series([1, 2], "BX GSE", "nT", frame="GSE"),
        "bz": series([1, 2], "BZ GSM", "nT", frame="GSM"),
    }
    assert points(draw(omni, xy=[{"type": "hodogram", "x": "bx", "y": "bz"}]))["x"] == [1, 2]
    refuse("cannot be logarithmic", "leave out log_x", tables=circle(), **HODOGRAM, log_x=True)


def test_each_axis_takes_one_series():
    tables = {"B": vector(), **pair()}
    refuse("x of panel 2 must be one series, but 'B' is a vector", "B.Bx", tables=tables, x="B", y="n")
    refuse("color_by of panel 1 must be one series", "B.Bx", tables=tables, **SCATTER, color_by="B")
    refuse("'n' is on both axes", "another label", x="n", y="n")
    refuse("has no y", "label of y", x="n")
    refuse("no label is called 'm'", "n, V", x="m", y="V")


def test_contradictions_are_refused():
    refuse("both color and color_by", "leave out color", **SCATTER, color="red", color_by="time")
    refuse("one colour for all", "color_by: time", **SCATTER, color="time")
    refuse("'blu' is not a colour", "blue", **SCATTER, color="blu")
    refuse("log_color needs a quantity", "leave out", **SCATTER, color_by="time", log_color=True)
    refuse("x_range of panel 1", "both values", **SCATTER, x_range=[5, 1])
    refuse("x axis of panel 1 is logarithmic", "above 0", **SCATTER, log_x=True, x_range=[0, 1])


def test_keys_of_the_figure_do_not_reach_into_an_entry():
    with pytest.raises(StepError, match="y_range: panel 2 is described by an entry of xy") as found:
        draw(three(), panels=[["B"]], xy=[SCATTER], y_range={"2": [0, 1]})
    assert "entry of xy" in found.value.advice
    with pytest.raises(StepError, match="there is no panel 3"):
        draw(three(), panels=[["B"]], xy=[SCATTER], hlines=[{"y": 1, "panel": 3}])
    with pytest.raises(StepError, match="no panel has a time axis"):
        draw(pair(), xy=[SCATTER], vlines=[{"x": "2024-05-10T00:05"}])
    with pytest.raises(StepError, match="no panel is a spectrum"):
        draw(pair(), xy=[SCATTER], slopes=[-2])


def test_a_panel_that_is_too_narrow_is_refused():
    entry = {**SCATTER, "color_by": "time"}
    with pytest.raises(StepError, match=r"do not fit|does not fit"):
        draw(pair(), xy=[entry], canvas_size={"width": 330}, font_size=24)


def test_wide_colour_bars_leave_room_for_fewer_panels_in_a_row():
    entries = [HODOGRAM, {**SCATTER, "color_by": "time"}, {**SCATTER, "color_by": "n"}]
    for width, columns in ((1000, 3), (800, 2)):
        axes = layout(draw(three(), labels=["B"], xy=entries, canvas_size={"width": width}))
        tops = [axes[f"yaxis{number}"]["domain"][1] for number in (2, 3, 4)]
        assert tops.count(tops[0]) == columns


def test_letters_and_the_text_of_a_fit_are_in_the_emptiest_corners():
    x = np.linspace(0, 1, 200)
    tables = {
        "n": series(1 + x, "n"),
        "v": series(500 - 100 * x, "v", "km s^-1"),
    }  # falls from the upper left
    figure = draw(tables, xy=[{"x": "n", "y": "v", "fit": "linear"}], panel_letters=True)
    letter = next(text for text in layout(figure)["annotations"] if text["text"].startswith("<b>("))
    words = next(text for text in layout(figure)["annotations"] if "r = " in text["text"])
    corners = [(text["xanchor"], text["yanchor"]) for text in (letter, words)]
    assert set(corners) == {("right", "top"), ("left", "bottom")}
    assert (letter["xshift"], letter["yshift"]) == ((-5, -4) if corners[0] == ("right", "top") else (5, 4))


def test_a_letter_stays_at_the_upper_left_where_nothing_is():
    x = np.linspace(0, 1, 200)
    tables = {"n": series(1 + x, "n"), "v": series(400 + 100 * x, "v", "km s^-1")}
    letter = next(
        text
        for text in layout(draw(tables, xy=[{"x": "n", "y": "v"}], panel_letters=True))["annotations"]
        if text["text"].startswith("<b>(")
    )
    assert (letter["xanchor"], letter["yanchor"]) == ("left", "top")


def test_the_text_of_a_fit_is_not_wider_than_a_narrow_panel():
    x = np.linspace(0, 1, 50)
    tables = {"n": series(1 + x, "n"), "v": series(400 + 123.4 * x**2, "v", "km s^-1")}
    entry = {"x": "n", "y": "v", "fit": "linear"}
    figure = draw(tables, xy=[entry] * 3, canvas_size={"width": 700})
    words = [text for text in layout(figure)["annotations"] if "slope" in text["text"]]
    width = (layout(figure)["xaxis"]["domain"][1] - layout(figure)["xaxis"]["domain"][0]) * (
        700 - layout(figure)["margin"]["l"] - layout(figure)["margin"]["r"]
    )
    assert len(words) == 3
    for text in words:
        assert max(text_width(line, text["font"]["size"]) for line in text["text"].split("<br>")) <= width - 8


def test_the_text_of_a_fit_breaks_into_short_lines_where_long_lines_would_hide_points():
    x = np.linspace(0, 1, 200)
    tables = {"n": series(1 + x, "n"), "v": series(500 - 1234.5 * x**1.1, "v", "km s^-1")}
    entry = {"x": "n", "y": "v", "fit": "linear"}
    broken, whole = (
        next(
            text["text"].split("<br>")
            for text in layout(draw(tables, xy=[entry] * panels, canvas_size={"width": width}))["annotations"]
            if "slope" in text["text"]
        )
        for panels, width in ((3, 700), (1, 1000))
    )
    assert len(whole) == 3
    assert broken[0] == "slope"
    assert [*broken[-2:]] == whole[-1].split(", ")
    assert " ".join(broken[:4]) == " ".join(whole[:2])


def test_the_text_of_a_fit_hides_neither_its_line_nor_points():
    x = np.array([0.0, 0.02, 0.98, 1.0])  # only the line crosses the upper right corner
    tables = {"n": series(1 + x, "n"), "v": series(100 * x, "v", "km s^-1")}
    text = next(
        text
        for text in layout(draw(tables, xy=[{"x": "n", "y": "v", "fit": "linear"}]))["annotations"]
        if "slope" in text["text"]
    )
    assert (text["xanchor"], text["yanchor"]) == ("left", "top")
    assert "bgcolor" in text
