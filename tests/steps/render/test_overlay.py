"""Lines over spectrograms: their unit, colours and outlines, and the legend inside the panel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.render_spec import render_spec
from tests.steps.render.test_render_spec import (
    TEN_MINUTES,
    draw,
    layout,
    main_traces,
    scalar,
    traces,
    wide_spectrum,
)

TOGETHER = {"panels": [["flux", "V"]]}


def potential(values=None, **more):
    return scalar("V_sc", "keV", values=np.linspace(2, 50, 10) if values is None else values, **more)


def over(*lines, **spec):
    labels = ["V", "W", "X"][: len(lines)]
    tables = {"flux": wide_spectrum(5)} | dict(zip(labels, lines, strict=True))
    return draw(tables, panels=[["flux", *labels]], **spec)


def lines_of(figure):
    return [trace for trace in main_traces(figure) if not trace["uid"].endswith("outline")]


def test_a_line_in_the_unit_of_the_bins_is_drawn_over_the_spectrogram():
    figure = over(potential())
    assert [trace["type"] for trace in figure.document["data"]] == ["heatmap", "scatter", "scatter"]
    [line] = lines_of(figure)
    assert line["yaxis"] == "y"
    assert line["y"][0] == 2
    assert layout(figure)["yaxis"]["title"]["text"] == "Energy [keV]"


def test_the_line_does_not_move_the_axis_of_the_spectrogram():
    alone = draw({"flux": wide_spectrum(5)})
    figure = over(potential(np.full(10, 1e6)))
    assert layout(figure)["yaxis"]["range"] == layout(alone)["yaxis"]["range"]
    assert any("100.0 % of V V_sc is beyond the y axis" in note for note in figure.notes)


def test_the_first_lines_are_white_and_black_and_each_has_an_outline_of_the_other_colour():
    figure = over(potential(), replace(potential(), name="E_2"))
    colours = [trace["line"]["color"] for trace in main_traces(figure)]
    assert colours == ["black", "white", "white", "black"]
    outline, line = main_traces(figure)[:2]
    assert outline["line"]["width"] > line["line"]["width"]
    assert not outline["showlegend"]
    assert line["showlegend"]


def test_the_colour_of_a_line_may_be_chosen_and_its_outline_stays_readable():
    outline, line = main_traces(over(potential(), trace_colors={"V": "crimson"}))
    assert (outline["line"]["color"], line["line"]["color"]) == ("white", "crimson")
    assert line["line"]["width"] == 1.8
    wide = main_traces(over(potential(), line_styles={"V": {"width": 4, "dash": "dot"}}))
    assert [(trace["line"]["width"], trace["line"]["dash"]) for trace in wide] == [(6, "solid"), (4, "dot")]


def test_even_one_line_is_named_inside_the_panel_and_never_on_the_colour_bar():
    figure = over(potential(), trace_names={"V": "potential"})
    legend = layout(figure)["legend"]
    assert 0 < legend["x"] < 1
    assert [trace["name"] for trace in lines_of(figure)] == ["potential"]
    assert "legend" not in layout(over(potential(), legend=False))


def test_the_legend_stands_in_the_corner_that_hides_least_of_the_lines():
    six = {"x_range": ["2024-05-10T00:00", "2024-05-10T00:06:01"]}
    high = layout(over(potential(np.full(10, 90.0)), **six))["legend"]
    low = layout(over(potential(np.full(10, 1.2)), **six))["legend"]
    assert (high["yanchor"], low["yanchor"]) == ("bottom", "top")


def test_an_isolated_value_over_a_spectrogram_has_an_outline_too():
    values = np.full(10, np.nan)
    values[5] = 10
    markers = [trace for trace in traces(over(potential(values))) if trace["mode"] == "markers"]
    assert [marker["marker"]["color"] for marker in markers] == ["black", "white"]
    assert markers[0]["marker"]["size"] > markers[1]["marker"]["size"]


@pytest.mark.parametrize(
    ("unit", "advice"),
    [
        ("eV", 'convert_units to "keV"'),
        ("K", 'equivalence "thermal"'),
        ("nT", "panel of its own"),
        ("", "declare_quantity"),
    ],
)
@pytest.mark.parametrize("types", [{}, {"panel_types": ["spectrogram"]}])
def test_a_line_in_another_unit_is_refused_and_never_converted(unit, advice, types):
    tables = {"flux": wide_spectrum(5), "V": replace(potential(), unit=unit)}
    with pytest.raises(
        StepError, match=r"'V' is in .*, but the y axis of 'flux' \(Energy\) is in keV"
    ) as found:
        render_spec(tables, spec=TOGETHER | types, time_range=TEN_MINUTES)
    assert advice in found.value.advice
    assert "panel of its own" in found.value.advice


def test_two_spectra_below_one_line_are_refused():
    tables = {"flux": wide_spectrum(5), "other": wide_spectrum(5), "V": potential()}
    with pytest.raises(StepError, match="panel 1 has 2 spectra"):
        render_spec(tables, spec={"panels": [["flux", "other", "V"]]}, time_range=TEN_MINUTES)


def test_a_spectrogram_of_lines_alone_is_refused():
    with pytest.raises(StepError, match="'V' has no bins"):
        render_spec({"V": potential()}, spec={"panel_types": ["spectrogram"]}, time_range=TEN_MINUTES)
