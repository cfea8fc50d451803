"""Panels of bars over time."""

from __future__ import annotations

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.render_spec import render_spec
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.steps.render.test_render_spec import DAY, draw, layout, scalar, traces, vector, wide_spectrum
from tests.steps.series import epochs

BARS = {"panel_types": ["bars"]}
KP = [2.0, 4.667, 5.0, 8.667, 9.0, 0.0, np.nan, 3.0]


def three_hourly(values, name="Kp", unit="", hours=3.0):
    return Table(epochs(*np.arange(len(values)) * hours * 3600), np.asarray(values, float), unit, name)


def kp_bars(values=KP, time_range=DAY, **spec):
    return draw({"K": three_hourly(values)}, time_range, **BARS | spec)


def bars(figure):
    return traces(figure, "bar")


def test_a_bar_lasts_from_its_epoch_to_the_next_one():
    [bar] = bars(draw({"n": three_hourly([1, 2, 3], "n")}, DAY, **BARS))
    assert bar["x"] == ["2024-05-10T00:00", "2024-05-10T03:00", "2024-05-10T06:00"]
    assert bar["width"] == [10_800_000.0] * 3
    assert bar["offset"] == 0
    assert bar["y"] == [1, 2, 3]


def test_an_epoch_in_the_middle_moves_the_bar_by_half_its_width():
    middle = {"line_styles": {"n": {"bar": "middle"}}}
    [bar] = bars(draw({"n": three_hourly([1, 2, 3], "n")}, DAY, **BARS, **middle))
    assert bar["x"][1] == "2024-05-10T01:30"
    assert bar["width"] == [10_800_000.0] * 3


def test_a_bar_before_a_gap_is_as_long_as_the_cadence():
    table = Table(epochs(*np.array([0, 1, 2, 3, 4, 5, 6, 12, 13]) * 3600.0), np.ones(9), "", "n")
    [bar] = bars(draw({"n": table}, DAY, **BARS))
    assert bar["width"] == [3_600_000.0] * 9


def test_one_record_is_one_bar():
    [bar] = bars(draw({"n": three_hourly([4.0], "n")}, DAY, **BARS))
    assert (len(bar["x"]), bar["y"]) == (1, [4])
    assert bar["width"][0] > 0


def test_without_a_time_range_the_last_bar_is_whole():
    def limits(**more):
        return layout(draw({"n": three_hourly([1, 2, 3], "n")}, None, **BARS, **more))["xaxis"]["range"]

    assert limits() == ["2024-05-10T00:00", "2024-05-10T09:00"]
    assert limits(line_styles={"n": {"bar": "middle"}}) == ["2024-05-09T22:30", "2024-05-10T07:30"]


def test_kp_has_the_colours_of_its_storm_levels_and_a_legend_of_those_it_reaches():
    figure = kp_bars()
    assert [(bar["name"], bar["y"]) for bar in bars(figure)] == [
        ("below G1", [2.0, 0.0, 3.0]),
        ("G1", [4.667, 5.0]),
        ("G4", [8.667]),
        ("G5", [9.0]),
    ]
    assert len({bar["marker"]["color"] for bar in bars(figure)}) == 4
    assert all(bar["showlegend"] and bar["legend"] == "legend" for bar in bars(figure))
    assert "legend" in layout(figure)


def test_a_colour_in_the_spec_gives_plain_bars():
    [bar] = bars(kp_bars(trace_colors={"K": "steelblue"}))
    assert bar["marker"]["color"] == "steelblue"
    assert bar["y"] == [2.0, 4.667, 5.0, 8.667, 9.0, 0.0, 3.0]


def test_ten_times_kp_is_not_coloured_and_a_note_says_why():
    figure = kp_bars([20, 57, 90])
    assert len(bars(figure)) == 1
    assert any(
        "reaches 90, but Kp is never above 9" in note and "factor 0.1" in note for note in figure.notes
    )


def test_bars_begin_at_zero_also_with_levels():
    figure = kp_bars([3, 4, 5], hlines=["Kp"])
    assert layout(figure)["yaxis"]["range"][0] == 0
    assert layout(figure)["yaxis"]["range"][1] > 6
    assert layout(kp_bars([3, 4, 5], y_range=[2, 9]))["yaxis"]["range"] == [2, 9]


def test_several_tables_stand_side_by_side():
    first, second = bars(draw({"a": three_hourly([1, 2], "a"), "b": three_hourly([3, 4], "b")}, DAY,
                              panels=[["a", "b"]], **BARS))  # fmt: skip
    assert (first["x"][0], second["x"][0]) == ("2024-05-10T00:00", "2024-05-10T01:30")
    assert first["width"] == second["width"] == [5_400_000.0] * 2
    assert len(bars(draw({"B": vector(gap=False)}, **BARS))) == 3


def test_values_of_both_signs_have_a_zero_line_and_negative_values_hang_from_it():
    figure = draw({"n": three_hourly([-2, 3], "n")}, DAY, **BARS)
    assert layout(figure)["yaxis"]["zeroline"]
    assert bars(figure)[0]["y"] == [-2, 3]


def test_bars_stand_above_lines_over_the_same_time_axis():
    figure = draw(
        {"K": three_hourly(KP), "n": scalar()}, DAY, panels=[["K"], ["n"]], panel_types=["bars", "line"]
    )
    assert {trace.get("xaxis", "x") for trace in figure.document["data"]} == {"x"}
    assert layout(figure)["barmode"] == "overlay"


@pytest.mark.parametrize(
    ("table", "match", "advice"),
    [
        (wide_spectrum(5), "'t' is a spectrum", "slice_spectrum"),
        (three_hourly(np.ones(5000), "n", hours=1 / 3600), "narrower than a pixel", "resample"),
        (three_hourly([-1.0, -2.0], "n"), "logarithmic, but no value is above 0", "linear"),
        (three_hourly([np.nan] * 3, "n"), "only missing values", "another time range"),
    ],
)
def test_what_bars_cannot_show_is_refused(table, match, advice):
    scale = {"log_scale": "log"} if "logarithmic" in match else {}
    with pytest.raises(StepError, match=match) as found:
        render_spec({"t": table}, spec=BARS | scale, time_range=TimeRange(DAY.start, DAY.stop))
    assert advice in found.value.advice
