"""Panels over time in columns: their places, times, legends, marks and y ranges, and what they refuse."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.render_spec import render_spec
from helio.store.table import Axis, Table
from tests.steps.render.test_render_spec import TEN_MINUTES, layout, traces
from tests.steps.series import SOURCE, epochs

CRAFT = ("ace", "wind", "soho")
SIX = [["ace.n"], ["wind.n"], ["ace.B"], ["wind.B"], ["ace.V"], ["wind.V"]]
TWO = {"columns": 2}


def series(values, name="n", unit="cm^-3"):
    values = np.asarray(values, float)
    return Table(epochs(*np.arange(values.size) * 60.0), values, unit, name, sources=(SOURCE,))


def tables(scale=(1, 3, 5)):
    made = {}
    for craft, factor in zip(CRAFT, scale, strict=True):
        made[f"{craft}.n"] = series(factor * np.arange(1.0, 11))
        made[f"{craft}.V"] = series(400 + factor * np.arange(10.0), "V", "km/s")
        made[f"{craft}.B"] = Table(
            epochs(*np.arange(10) * 60.0),
            factor * np.arange(-3.0, 7)[:, None] * np.ones(3),
            "nT",
            "B",
            "GSE",
            ("Bx", "By", "Bz"),
            sources=(SOURCE,),
        )
    return made


def draw(panels=SIX, given=None, **spec):
    return render_spec(given or tables(), spec={"panels": panels, **TWO, **spec}, time_range=TEN_MINUTES)


def refuse(match, panels=SIX, given=None, advice="", **spec):
    with pytest.raises(StepError, match=match) as caught:
        draw(panels, given, **spec)
    assert advice in caught.value.advice


def texts(figure):
    return layout(figure)["annotations"]


def y_axis(figure, number):
    return layout(figure)["yaxis" if number == 1 else f"yaxis{number}"]


def side(figure, number):
    """Left and right end of a panel."""
    return tuple(layout(figure)["xaxis" + y_axis(figure, number)["anchor"].removeprefix("x")]["domain"])


def test_panels_fill_the_rows_from_the_left():
    figure = draw()
    assert [y_axis(figure, number)["anchor"] for number in range(1, 7)] == ["x", "x2"] * 3
    assert [side(figure, number) for number in (1, 3, 5)] == [side(figure, 1)] * 3
    left, right = side(figure, 1), side(figure, 2)
    assert left[0] == 0
    assert right[1] == 1
    assert left[1] < right[0]
    assert right[1] - right[0] == pytest.approx(left[1] - left[0], abs=2e-6)
    tops = [y_axis(figure, number)["domain"] for number in range(1, 7)]
    assert tops[::2] == tops[1::2]
    assert all(above[0] > below[1] for above, below in pairwise(tops[::2]))


def test_every_line_is_drawn_on_the_time_axis_of_its_column():
    axes = {trace.get("yaxis", "y"): trace.get("xaxis", "x") for trace in traces(draw())}
    assert axes == {"y": "x", "y2": "x2", "y3": "x", "y4": "x2", "y5": "x", "y6": "x2"}


def test_all_columns_show_the_same_times_also_after_a_zoom():
    drawn = layout(draw())
    assert drawn["xaxis2"]["matches"] == "x"
    assert drawn["xaxis"]["range"] == drawn["xaxis2"]["range"]
    assert drawn["xaxis"]["title"]["text"] == drawn["xaxis2"]["title"]["text"] == "UT"
    assert (drawn["xaxis"]["anchor"], drawn["xaxis2"]["anchor"]) == ("y5", "y6")


def test_one_column_is_the_figure_without_the_key():
    spec = {"panels": SIX}
    assert draw(columns=1).document == render_spec(tables(), spec=spec, time_range=TEN_MINUTES).document


def test_titles_stand_in_the_middle_above_their_columns():
    figure = draw(column_titles=["ACE", "Wind"], title="Solar wind")
    named = {text["text"]: text for text in texts(figure) if text["text"] in ("<b>ACE</b>", "<b>Wind</b>")}
    for number, text in enumerate(named.values(), 1):
        assert text["x"] == pytest.approx(sum(side(figure, number)) / 2, abs=1e-5)
        assert (text["y"], text["yanchor"]) == (1, "bottom")
    # the figure grows by a line, and its own titles move up by it
    assert layout(figure)["margin"]["t"] == layout(draw(title="Solar wind"))["margin"]["t"] + 20
    raised = layout(figure)["title"]["pad"]["b"] - layout(draw(title="Solar wind"))["title"]["pad"]["b"]
    assert raised == 20


def test_letters_count_along_the_rows():
    figure = draw(panel_letters=True)
    letters = [text for text in texts(figure) if re.fullmatch(r"<b>\([a-f]\)</b>", text["text"])]
    assert [text["text"][4] for text in letters] == list("abcdef")
    assert [text["x"] for text in letters] == [side(figure, number)[0] for number in range(1, 7)]


def test_equal_legends_of_a_row_are_drawn_once_at_its_right():
    figure = draw()
    legends = [name for name in layout(figure) if re.fullmatch(r"legend\d*", name)]
    assert legends == ["legend4"]
    assert layout(figure)["legend4"]["x"] == 1
    other = draw(trace_names={"ace.B.x": "radial"})
    assert [name for name in layout(other) if re.fullmatch(r"legend\d*", name)] == ["legend3", "legend4"]
    assert layout(other)["legend3"]["x"] == side(other, 3)[1]
    # the room for the names of the left column lies between the columns
    assert side(other, 2)[0] - side(other, 1)[1] > side(figure, 2)[0] - side(figure, 1)[1]


def test_a_right_axis_has_room_between_the_columns():
    panels = [["ace.n", "ace.V"], ["wind.n", "wind.V"]]
    figure, plain = draw(panels, right=["ace.V", "wind.V"]), draw([["ace.n"], ["wind.n"]])
    assert side(figure, 2)[0] - side(figure, 1)[1] > side(plain, 2)[0] - side(plain, 1)[1]
    assert layout(figure)["yaxis3"]["overlaying"] == "y"
    right = [trace for trace in traces(figure) if trace["yaxis"] == "y4"]
    assert [trace["xaxis"] for trace in right] == ["x2"]


def test_a_row_can_share_its_y_range():
    apart, shared = draw([["ace.n"], ["wind.n"]]), draw([["ace.n"], ["wind.n"]], share_y=True)
    assert "range" not in y_axis(apart, 1)
    assert y_axis(shared, 1)["range"] == y_axis(shared, 2)["range"]
    low, high = y_axis(shared, 1)["range"]
    assert low < 1
    assert high > 30
    rows = draw(share_y=True)
    assert y_axis(rows, 1)["range"] != y_axis(rows, 3)["range"]


def test_a_chosen_y_range_stays_and_the_others_share_theirs():
    figure = draw([["ace.n"], ["wind.n"]], share_y=True, y_range={"1": [0, 5]})
    assert y_axis(figure, 1)["range"] == [0, 5]
    assert y_axis(figure, 2)["range"][1] > 30


def test_equal_ranges_stay_as_the_browser_chooses_them():
    figure = draw([["ace.n"], ["wind.n"]], tables((2, 2, 2)), share_y=True)
    assert "range" not in y_axis(figure, 1)


def test_marks_are_drawn_in_every_column():
    figure = draw(
        vlines=[{"x": "2024-05-10T00:05", "label": "shock"}],
        vrects=[{"x0": "2024-05-10T00:02", "x1": "2024-05-10T00:03"}],
        hlines=[{"y": 5, "panel": 2, "label": "dense"}],
        annotations=[{"text": "here", "x": "2024-05-10T00:05", "y": 5, "panel": 4}],
    )
    shapes = layout(figure)["shapes"]
    upright = [shape for shape in shapes if shape["yref"].endswith("domain")]
    assert sorted((shape["xref"], shape["yref"].split()[0]) for shape in upright) == sorted(
        [("x", "y"), ("x2", "y2"), ("x", "y3"), ("x2", "y4"), ("x", "y5"), ("x2", "y6")] * 2
    )
    [level] = [shape for shape in shapes if not shape["yref"].endswith("domain")]
    assert (level["xref"], level["yref"]) == ("x2 domain", "y2")
    flags = [text for text in texts(figure) if text["text"] == "shock"]
    assert [flag["xref"] for flag in flags] == ["x", "x2"]
    [note] = [text for text in texts(figure) if text["text"] == "here"]
    assert (note["xref"], note["yref"]) == ("x2", "y4")


def test_spectrograms_of_a_row_have_their_colour_bars_beside_them():
    bins = Axis("Energy", "eV", np.array([10.0, 100.0, 1000.0]))
    given = {
        craft: Table(epochs(*np.arange(10) * 60.0), np.full((10, 3), 7.0), "1/s", "flux", axes=(bins,))
        for craft in CRAFT
    }
    figure = draw([["ace"], ["wind"]], given)
    bars = {trace["yaxis"]: trace["colorbar"]["x"] for trace in figure.document["data"]}
    assert bars == {"y": side(figure, 1)[1], "y2": 1}


def test_spectra_can_stand_beside_spectra():
    bins = Axis("Frequency", "Hz", np.array([0.1, 1.0, 10.0]))
    given = tables() | {
        f"{craft}.P": Table(epochs(0.0), np.array([[3.0, 2.0, 1.0]]), "nT^2/Hz", "P", axes=(bins,))
        for craft in CRAFT
    }
    figure = draw([["ace.n"], ["wind.n"], ["ace.P"], ["wind.P"]], given)
    assert [y_axis(figure, number)["anchor"] for number in (1, 2, 3, 4)] == ["x", "x2", "x3", "x4"]
    assert side(figure, 3) == side(figure, 1)
    assert side(figure, 4) == side(figure, 2)
    refuse(
        "panel 4 is a spectrum", [["ace.n"], ["wind.n"], ["ace.n"], ["wind.P"]], given, "put spectra beside"
    )


def test_panels_of_points_stand_below_the_columns():
    figure = draw([["ace.n"], ["wind.n"]], xy=[{"x": "ace.n", "y": "ace.V"}, {"x": "wind.n", "y": "wind.V"}])
    assert [y_axis(figure, number)["anchor"] for number in (1, 2, 3, 4)] == ["x", "x2", "x3", "x4"]
    assert y_axis(figure, 3)["domain"][1] < y_axis(figure, 1)["domain"][0]


def test_dates_below_neighbouring_axes_do_not_meet():
    figure = draw([["ace.n"], ["wind.n"]], canvas_size={"width": 500}, font_size=14)
    drawn = layout(figure)
    plot = drawn["width"] - drawn["margin"]["l"] - drawn["margin"]["r"]
    # ten letters of a date at a font size of 13
    assert (side(figure, 2)[0] - side(figure, 1)[1]) * plot > 10 * 0.6 * 13


def test_row_heights_count_rows():
    figure = draw(row_heights=[2, 1, 1])
    heights = [np.diff(y_axis(figure, number)["domain"])[0] for number in (1, 3, 5)]
    assert heights[0] == pytest.approx(2 * heights[1], rel=1e-3)
    refuse("row_heights has 6 entries for 3", row_heights=[1] * 6)


def test_three_columns_are_wider_than_two():
    panels = [[f"{craft}.n"] for craft in CRAFT]
    assert layout(draw(panels, columns=3))["width"] == 1500
    assert layout(draw())["width"] == 1000
    assert layout(draw(panels, columns=3, canvas_size={"width": 900}))["width"] == 900


@pytest.mark.parametrize(
    ("spec", "match", "advice"),
    [
        ({"columns": 4}, "6 panels do not fill rows of 4", "as many panels for each of the 4 columns"),
        ({"columns": 0}, "0 columns are not possible", "choose 1 to 6"),
        ({"columns": -2}, "-2 columns are not possible", "choose 1 to 6"),
        ({"columns": 7}, "7 columns are not possible", "choose 1 to 6"),
        ({"column_titles": ["ACE"]}, "column_titles has 1 title for 2 columns", "one title for each column"),
        ({"columns": 1, "column_titles": ["A", "B"]}, "2 titles for 1 column", "set columns"),
        ({"columns": 1, "share_y": True}, "share_y: the figure has one column", "set columns"),
        ({"ephemeris": ["ace.V"]}, "1 label cannot be divided among 2 columns", "for each of the 2 columns"),
        ({"canvas_size": {"width": 300}}, "does not fit into a figure of 300 pixels", "larger width"),
        ({"share_y": True, "log_y": {"1": True}}, "the row of panel 1 has different kinds", "one log_y"),
    ],
)
def test_columns_that_do_not_fit_are_refused(spec, match, advice):
    refuse(match, advice=advice, **spec)


def test_a_row_of_two_units_shares_no_range():
    refuse(
        "share_y: the row of panel 1 shows 'cm\\^-3' and 'km/s'",
        [["ace.n"], ["wind.V"]],
        advice="quantities of one unit",
        share_y=True,
    )


def test_a_panel_without_data_keeps_its_place_in_its_column():
    given = tables()
    given["ace.n"] = series(np.full(10, np.nan))
    figure = draw(SIX, given, share_y=True)
    assert y_axis(figure, 1)["anchor"] == "x"
    assert side(figure, 1) == side(figure, 3)
    assert "range" not in y_axis(figure, 2)
    assert y_axis(figure, 3)["range"] == y_axis(figure, 4)["range"]
    [reason] = [text for text in texts(figure) if text["xref"] == "x domain"]
    assert "ace.n" in reason["text"] or "missing" in reason["text"]


def test_rows_below_the_time_axes_belong_to_the_columns_in_turn():
    figure = draw(SIX, ephemeris=["ace.V", "wind.V", "ace.n", "wind.n"])
    drawn = layout(figure)
    names = [text for text in texts(figure) if text["text"] == "V [km/s]<br>n [cm⁻³]"]
    assert [text["x"] for text in names] == [side(figure, 1)[0], side(figure, 2)[0]]
    first = {
        axis: next(text["text"] for text in texts(figure) if text.get("xref") == axis) for axis in ("x", "x2")
    }
    # ACE rises by 1 a minute, Wind by 3
    assert first == {"x": "400<br>1.0", "x2": "400<br>3.0"}
    assert drawn["xaxis"]["dtick"] == drawn["xaxis2"]["dtick"]
    assert drawn["xaxis"]["title"]["text"] == drawn["xaxis2"]["title"]["text"] == ""
    plain = draw()
    assert side(figure, 2)[0] - side(figure, 1)[1] > side(plain, 2)[0] - side(plain, 1)[1]
    assert drawn["margin"]["b"] > layout(plain)["margin"]["b"]


def test_columns_may_have_different_numbers_of_rows():
    figure = draw(SIX, ephemeris=["ace.B", "wind.n"])
    named = [text["text"] for text in texts(figure)]
    assert "Bx GSE [nT]<br>By GSE [nT]<br>Bz GSE [nT]" in named
    assert "n [cm⁻³]" in named
