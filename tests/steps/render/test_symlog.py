"""Panels of lines on a symlog axis: linear about zero, logarithmic beyond."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import StepError
from helio.pipelines.plan import check
from helio.steps.render.detail import Detail
from helio.steps.render.refine import make_detail
from helio.steps.render.render_spec import render_spec
from helio.steps.render.symlog import Symlog
from helio.store.table import Table
from tests.pipelines.conftest import NOW, fetch, magnitude, template
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, main_traces, scalar, vector
from tests.steps.series import START

GOLDEN = Path(__file__).parent / "golden" / "symlog.json"
CROSSING = [-5000.0, -40.0, -3.0, -0.5, 0.0, 0.7, 20.0, np.nan, 600.0, 30000.0]
FIELD = {"E": scalar("E", "mV/m", values=CROSSING)}
SYMLOG = {"log_scale": "symlog", "linthresh": 1}


def places(values, linthresh=1.0):
    """The scale of matplotlib 3.11, SymmetricalLogTransform with base 10 and linscale 1, divided by linthresh."""
    scaled = np.asarray(values, float) / linthresh
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = np.sign(scaled) * (10 / 9 + np.log10(np.abs(scaled)))
    return np.where(np.abs(scaled) <= 1, scaled * 10 / 9, beyond)


def numbers(written):
    """The numbers of an array in a plotly document."""
    if isinstance(written, list):
        return [np.nan if value is None else value for value in written]
    return np.frombuffer(base64.b64decode(written["bdata"]), "<" + written["dtype"])


def refused(match, advice="", tables=None, **spec):
    with pytest.raises(StepError, match=match) as caught:
        draw(tables or FIELD, **spec)
    assert advice in (caught.value.advice or "")


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=20), st.floats(1e-6, 1e6))
def test_places_keep_the_order_and_give_the_values_back(values, linthresh):
    scale = Symlog(linthresh)
    on_axis = scale.places(sorted(values))
    assert (np.diff(on_axis) >= 0).all()
    np.testing.assert_allclose(scale.values(on_axis), sorted(values), rtol=1e-9, atol=1e-9 * linthresh)
    np.testing.assert_allclose(scale.places(-np.array(values)), -scale.places(values))


def test_places_are_those_of_matplotlib():
    values = np.array([-1e4, -7, -5, -1, 0, 0.3, 5, 12, 1e3])
    np.testing.assert_allclose(Symlog(5.0).places(values), places(values, 5.0))


@pytest.mark.parametrize(
    ("values", "linthresh"),
    [
        ([-40, 3, 20, 50], 10),
        ([0.02, -0.03, 1000], 0.1),  # not below a ten-thousandth of the largest
        ([0, 0, np.nan], 1),
        ([], 1),
    ],
)
def test_the_threshold_follows_the_values(values, linthresh):
    assert Symlog.of([np.array(values, float)]).linthresh == pytest.approx(linthresh)


@pytest.mark.parametrize(
    ("linthresh", "low", "high", "texts"),
    [
        (1, -200, 30, "−100 −10 −1 0 1 10"),
        (5, -20, 300, "−10 0 10 100"),
        (1, -3e4, 3e4, "−10<sup>4</sup> −10<sup>3</sup> −10<sup>2</sup> −10 −1 0 1 10 10<sup>2</sup> 10<sup>3</sup> "
                       "10<sup>4</sup>"),
        (100, -90, 80, "−80 −60 −40 −20 0 20 40 60 80"),
        (1, 2, 60, "2 5 10 20 50"),
        (1, 200, 800, "200 300 400 500 600 700 800"),
    ],
)  # fmt: skip
def test_labels_are_powers_of_ten_or_even_steps(linthresh, low, high, texts):
    values, shown = Symlog(linthresh).ticks(low, high, 11)
    assert shown == texts.split()
    assert values == sorted(values)
    assert len(values) == len(shown)
    assert low <= values[0] <= values[-1] <= high


def test_many_decades_have_labels_at_the_same_powers_on_both_sides():
    values, texts = Symlog(0.01).ticks(-1e4, 1e4, 6)
    assert texts == ["−10<sup>3</sup>", "−1", "0", "1", "10<sup>3</sup>"]
    assert values == [-1000, -1, 0, 1, 1000]


def test_minor_ticks_are_multiples_of_powers_of_ten():
    minor = Symlog(1.0).minor_ticks(-30, 30, 300)
    assert {2, 9, 20, 30, -2, -30, 0.5, -0.1} <= set(minor)
    assert max(map(abs, minor)) == 30
    assert 0 not in minor


def test_minor_ticks_begin_at_a_threshold_that_is_no_power_of_ten():
    minor = Symlog(2.0).minor_ticks(-12, 12, 127)
    assert [tick for tick in minor if tick >= 2] == [2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert max(Symlog(5000.0).minor_ticks(-12, 12, 127), default=0) <= 12


def test_the_line_is_at_its_places_and_the_pointer_shows_values():
    figure = draw(FIELD, **SYMLOG)
    (line,) = main_traces(figure)
    np.testing.assert_allclose(numbers(line["y"]), places(CROSSING), rtol=1e-6)
    np.testing.assert_allclose(numbers(line["customdata"]), CROSSING, rtol=1e-6)
    assert line["hovertemplate"] == "%{customdata:.5g} mV/m<extra>E</extra>"
    axis = layout(figure)["yaxis"]
    assert axis["type"] == "linear"
    zero = axis["ticktext"].index("0")
    assert axis["tickvals"][zero] == 0
    at_ten = next(text for text in axis["ticktext"][zero + 1 :])
    np.testing.assert_allclose(
        axis["tickvals"][zero + 1], places(float(at_ten.replace("10<sup>", "1e").replace("</sup>", "")))
    )
    assert layout(figure)["meta"] == {"symlog": {"yaxis": 1}}
    assert "panel 1: the y axis is linear within ±1 mV/m and logarithmic beyond (symlog)" in figure.notes


def test_a_figure_without_symlog_has_no_places():
    figure = draw(FIELD)
    assert "meta" not in layout(figure)
    assert "customdata" not in main_traces(figure)[0]


def test_limits_lines_texts_and_fills_are_at_their_places():
    figure = draw(
        FIELD,
        **SYMLOG,
        y_range=[-100, 1000],
        hlines=[{"y": -20, "label": "low"}],
        annotations=[{"x": "2024-05-10T00:05", "y": 300, "text": "here"}],
        line_styles={"E": {"fill_below": -2}},
    )
    axes = layout(figure)
    assert axes["yaxis"]["range"] == pytest.approx(places([-100, 1000]).tolist())
    (shape,) = axes["shapes"]
    assert (shape["y0"], shape["y1"]) == pytest.approx((float(places(-20)), float(places(-20))))
    heights = {text["text"]: text["y"] for text in axes["annotations"]}
    assert heights["low"] == pytest.approx(float(places(-20)))
    assert heights["here"] == pytest.approx(float(places(300)))
    (fill,) = [trace for trace in figure.document["data"] if trace["uid"].endswith("fill_below")]
    assert np.nanmax(numbers(fill["y"])) == pytest.approx(float(places(-2)))
    assert "panel 1: y_range leaves out 2 values of E" in figure.notes


def test_bands_and_error_bars_are_at_their_places():
    sigma = {"S": scalar("S", "mV/m", values=np.full(10, 2.0))}
    band = draw(FIELD | sigma, **SYMLOG, bands=[{"line": "E", "sigma": "S"}])
    (drawn,) = [trace for trace in band.document["data"] if trace["uid"].endswith("-band")]
    assert set(np.round(places([-3 - 2, -3 + 2, 600 + 2]), 4)) <= set(np.round(numbers(drawn["y"]), 4))
    bars = draw(FIELD | sigma, **SYMLOG, bands=[{"line": "E", "sigma": "S", "bars": True}])
    (drawn,) = [trace for trace in bars.document["data"] if trace["uid"].endswith("-errors")]
    values = np.array([value for value in CROSSING if np.isfinite(value)])
    np.testing.assert_allclose(
        numbers(drawn["error_y"]["array"]), places(values + 2) - places(values), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        numbers(drawn["error_y"]["arrayminus"]), places(values) - places(values - 2), rtol=1e-5, atol=1e-6
    )


def test_thinned_lines_keep_their_extremes_and_all_values_for_zooming():
    values = np.random.default_rng(2).standard_t(1, 40_000)
    epoch = START + np.arange(values.size) * np.timedelta64(10, "ms")
    figure = render_spec({"E": Table(epoch, values, "mV/m", "E")}, spec={**SYMLOG, "linthresh": 0.5})
    (line,) = main_traces(figure)
    shown = numbers(line["customdata"])
    assert np.size(shown) < 5_000
    assert (np.nanmin(shown), np.nanmax(shown)) == pytest.approx((values.min(), values.max()))
    detail = Detail(make_detail(figure.details))
    assert detail.panels[0]["traces"] == [{"uid": "p1-1", "name": "E", "linthresh": 0.5}]


def test_each_side_of_a_panel_has_its_scale():
    tables = FIELD | {"n": scalar()}
    figure = draw(
        tables,
        panels=[["E", "n"]],
        right=["n"],
        log_scale={"1": "symlog", "1 right": "log"},
        linthresh={"1": 10},
    )
    axes = layout(figure)
    assert (axes["yaxis"]["type"], axes["yaxis2"]["type"]) == ("linear", "log")
    assert axes["meta"] == {"symlog": {"yaxis": 10}}
    both = draw(
        tables, panels=[["E", "n"]], right=["n"], log_scale="symlog", linthresh={"1": 10, "1 right": 2}
    )
    assert layout(both)["meta"] == {"symlog": {"yaxis": 10, "yaxis2": 2}}


def test_columns_can_be_compared_only_with_one_threshold():
    tables = {"a": scalar("a", "nT", values=CROSSING), "b": scalar("b", "nT", values=np.arange(10) - 5.0)}
    spec = {"panels": [["a"], ["b"]], "columns": 2, "share_y": True, "log_scale": "symlog"}
    refused("the row of panel 1 has different kinds of y axes", "one linthresh", tables, **spec)
    axes = layout(draw(tables, **spec, linthresh=1))
    assert axes["yaxis"]["range"] == axes["yaxis2"]["range"]


def test_values_without_sign_or_size_are_drawn():
    for values in ([0.0] * 10, [5.0] * 10, [np.nan] * 9 + [3.0], np.arange(1, 11)):
        figure = draw({"E": scalar("E", "mV/m", values=values)}, log_scale="symlog")
        assert layout(figure)["yaxis"]["tickvals"]


def test_a_panel_without_values_is_drawn_empty():
    tables = FIELD | {"B": vector().take(np.zeros(10, bool))}
    figure = draw(tables, panels=[["E"], ["B"]], log_scale="symlog")
    assert layout(figure)["meta"] == {"symlog": {"yaxis": 10}}


@pytest.mark.parametrize(
    ("spec", "match", "advice"),
    [
        ({"log_scale": "symlog", "linthresh": 0}, "linthresh is 0, but", "write a value above 0"),
        ({"log_scale": "symlog", "linthresh": -2}, "linthresh is -2, but", "write a value above 0"),
        ({"linthresh": 2}, "linthresh: no y axis is symlog", "log_scale: symlog"),
        ({"linthresh": {"1": 2}}, "linthresh: the y axis of panel 1 is not symlog", '{"1": "symlog"}'),
        ({"log_scale": {"3": "symlog"}}, "log_scale: there is no panel 3", "choose panel 1"),
        ({"log_scale": {"1": "symlog"}, "panel_types": ["bars"]}, "panel 1 is of type 'bars'", "log or linear"),
        ({"log_scale": "symlog", "panel_types": ["bars"]}, "no panel of lines over time", "log or linear"),
    ],
)  # fmt: skip
def test_wrong_scales_say_what_to_write(spec, match, advice):
    refused(match, advice, **spec)


@pytest.mark.parametrize(
    ("args", "path", "words"),
    [
        ({"log_scale": "symlogg"}, "log_scale", "symlog"),
        ({"log_scale": {"1": "symlogg"}}, "log_scale/1", "symlog"),
        ({"log_scale": "symlog", "linthresh": {"3": 2}}, "linthresh/3", "there is no panel 3"),
        ({"log_scale": "symlog", "linthresh": "ten"}, "linthresh", "number"),
        ({"log_scale": "symlog", "linthresh": {"1 right": 2}}, "linthresh/1 right", "no y axis at the right"),
    ],
)
def test_a_check_names_the_place(args, path, words):
    args = {"labels": ["B", "Bmag"], "panels": [["B"], ["Bmag"]]} | args
    figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": args}}
    document = template(fetch(args={"output_label": "B"}), magnitude(2, "B", "Bmag"), figure)
    errors = check(document, now=NOW).errors
    assert [error.path for error in errors] == [f"/steps/2/tool_args/spec/{path}"]
    assert words in f"{errors[0].message} {errors[0].advice}"


def test_golden_document():
    figure = render_spec(
        FIELD, spec={**SYMLOG, "hlines": [{"y": -20, "label": "low"}]}, time_range=TEN_MINUTES
    )
    text = json.dumps({"notes": figure.notes, **figure.document}, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("HELIO_WRITE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")
        return
    assert text == GOLDEN.read_text(encoding="utf-8"), (
        "the figure changed: if that is meant, raise render_spec's version, look at a picture, and run the test "
        "again with HELIO_WRITE_GOLDEN=1"
    )
