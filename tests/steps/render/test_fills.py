"""Filled areas between a line and a level."""

from __future__ import annotations

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.fills import beyond_level, pieces
from helio.steps.render.render_spec import render_spec
from tests.steps.render.test_render_spec import (
    TEN_MINUTES,
    draw,
    main_traces,
    scalar,
    vector,
    wide_spectrum,
)
from tests.steps.series import epochs

NAN = float("nan")


def polygons(values, level, *, below=True, log=False):
    """Return the corners of each polygon as (minutes, value)."""
    x, y = beyond_level(epochs(*np.arange(len(values)) * 60.0), np.array(values), level, below=below, log=log)
    minutes = (x - epochs(0)[0]) / np.timedelta64(1, "m") if x.size else np.zeros(0)
    return [
        [(float(minute), float(value)) for minute, value in zip(minutes[piece], y[piece], strict=True)]
        for piece in pieces(y)
    ]


def area(polygon):
    x, y = np.array(polygon).T
    return abs(float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum())) / 2


def test_the_area_begins_and_ends_where_the_line_crosses_the_level():
    [polygon] = polygons([1, -1, -1, 1], 0)
    assert polygon == [(0.5, 0), (1, -1), (2, -1), (2.5, 0), (2.5, 0), (0.5, 0)]
    assert area(polygon) == pytest.approx(1.5)


def test_what_is_above_and_what_is_below_together_is_everything():
    values = [3.0, -1, 2, 2, -5, -5, 1]
    total = np.trapezoid(np.abs(np.interp(np.linspace(0, 6, 60001), range(7), values)), dx=1e-4)
    parts = polygons(values, 0) + polygons(values, 0, below=False)
    assert sum(map(area, parts)) == pytest.approx(total, rel=1e-6)


def test_a_gap_ends_an_area_and_a_line_that_stays_outside_has_none():
    assert len(polygons([-1, -1, NAN, -1, -1], 0)) == 2
    assert polygons([1, 2, 1], 0) == []
    assert polygons([0, 0, 0], 0) == []
    assert polygons([NAN, NAN], 0) == []


def test_on_a_logarithmic_axis_the_crossing_is_where_the_drawn_line_crosses():
    [polygon] = polygons([1, 100], 10, log=True)
    assert polygon[1] == pytest.approx((0.5, 10))


def test_a_southward_field_is_filled_behind_its_line():
    figure = draw({"B": vector()}, line_styles={"B.Bz": {"fill_below": 0}})
    uids = [trace["uid"] for trace in figure.document["data"]]
    assert uids.index("p1-3-fill_below") < uids.index("p1-3")
    [fill] = [trace for trace in main_traces(figure) if "fill" in trace]
    line = next(trace for trace in main_traces(figure) if trace.get("name") == "Bz")
    assert (fill["fill"], fill["fillcolor"]) == ("toself", line["line"]["color"])
    assert fill["legendgroup"] == line["legendgroup"]
    assert not fill["showlegend"]
    assert max(value for value in fill["y"] if value is not None) == 0


def test_a_fill_may_have_its_own_colour_and_both_sides():
    style = {"n": {"fill_below": 3, "fill_above": 8, "fill_color": "orange"}}
    fills = [trace for trace in main_traces(draw({"n": scalar()}, line_styles=style)) if "fill" in trace]
    assert [fill["fillcolor"] for fill in fills] == ["orange", "orange"]


def test_a_line_over_a_spectrogram_may_be_filled_and_the_fill_has_no_outline():
    tables = {"flux": wide_spectrum(5), "E": scalar("E", "keV")}
    figure = draw(tables, panels=[["flux", "E"]], line_styles={"E": {"fill_below": 5}})
    uids = [trace["uid"] for trace in figure.document["data"]]
    assert "p1-1-fill_below" in uids
    assert "p1-1-fill_below-outline" not in uids


@pytest.mark.parametrize(
    ("spec", "match", "advice"),
    [
        (
            {"line_styles": {"n": {"fill_below": 0}}, "log_scale": "log"},
            "the y axis is logarithmic",
            "above 0",
        ),
        ({"line_styles": {"n": {"fill_below": 0, "fill_color": "blu"}}}, "'blu' is not a colour", "blue"),
        ({"line_styles": {"n": {"fill_below": 0}}, "panel_types": ["bars"]}, "no effect .* 'bars'", "'line'"),
        ({"line_styles": {"n": {"bar": "middle"}}}, "bar of 'n' has no effect", "'bars'"),
        ({"line_styles": {"m": {"fill_below": 0}}}, "no line is called 'm'", "n"),
    ],
)
def test_wrong_fills_are_refused(spec, match, advice):
    with pytest.raises(StepError, match=match) as found:
        render_spec({"n": scalar()}, spec=spec, time_range=TEN_MINUTES)
    assert advice in found.value.advice


# --- over a spectrogram, to an edge of the panel --------------------------------------------------------------


def over_spectrogram(**style):
    line = scalar("cone", "keV", values=np.linspace(2, 5, 10))
    return draw({"flux": wide_spectrum(5), "V": line}, panels=[["flux", "V"]], line_styles={"V": style})


@pytest.mark.parametrize(("edge", "name"), [("top", "fill_below"), ("bottom", "fill_above")])
def test_the_area_from_a_line_to_an_edge_of_a_spectrogram(edge, name):
    figure = over_spectrogram(fill_to=edge)
    [fill] = [trace for trace in main_traces(figure) if trace["uid"].endswith(name)]
    low, high = (10**end for end in figure.document["layout"]["yaxis"]["range"])
    heights = [value for value in fill["y"] if value is not None]
    wanted = high if edge == "top" else low
    assert (max(heights) if edge == "top" else min(heights)) == pytest.approx(wanted, rel=1e-6)
    assert 2 <= (min(heights) if edge == "top" else max(heights)) <= 5
    assert "fillpattern" not in fill
    alone = draw({"flux": wide_spectrum(5)})
    assert figure.document["layout"]["yaxis"]["range"] == alone.document["layout"]["yaxis"]["range"]


def test_a_filled_area_may_be_hatched():
    figure = over_spectrogram(fill_to="top", fill_hatched=True, fill_color="crimson")
    [fill] = [trace for trace in main_traces(figure) if trace["uid"].endswith("fill_below")]
    assert (fill["fillpattern"]["shape"], fill["fillpattern"]["fgcolor"]) == ("/", "crimson")


def test_an_edge_is_refused_where_it_has_no_effect_or_beside_a_value():
    with pytest.raises(StepError, match="fill_to of 'B' has no effect in a panel of type 'line'"):
        draw({"B": scalar("B", "nT", values=np.arange(10.0))}, line_styles={"B": {"fill_to": "top"}})
    with pytest.raises(StepError, match="'V' is filled to the top and to a value") as refused:
        over_spectrogram(fill_to="top", fill_below=3)
    assert "leave out fill_to" in refused.value.advice
