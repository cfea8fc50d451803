"""Bands and error bars about lines."""

from __future__ import annotations

import base64
from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.pipelines.plan import check
from helio.pipelines.template.figures import without_labels
from helio.steps.render.render_spec import render_spec
from helio.store.table import Table
from tests.pipelines.conftest import NOW, fetch, magnitude, template
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, layout, main_traces, scalar, texts, vector
from tests.steps.series import SOURCE, epochs

SIGMA = {"bands": [{"line": "n", "sigma": "s"}]}


def tables(**more):
    return {"n": scalar(values=[2, 4, 6]), "s": scalar("s", values=[1, 1, 2]), **more}


def trace_of(figure, ending):
    return next(trace for trace in main_traces(figure) if trace["uid"].endswith(ending))


def corners(trace):
    return [(x[14:16], y) for x, y in zip(trace["x"], trace["y"], strict=True)]


def test_sigma_is_a_band_from_value_minus_sigma_to_value_plus_sigma():
    figure = draw(tables(), **SIGMA)
    band = trace_of(figure, "-band")
    assert corners(band) == [
        ("00", 1),
        ("01", 3),
        ("02", 4),
        ("02", 8),
        ("01", 5),
        ("00", 3),
        ("00", 1),
        ("00", None),
    ]
    assert band["fill"] == "toself"
    assert [trace["uid"] for trace in figure.document["data"]] == ["p1-1-band", "p1-1"], "behind the line"


def test_the_table_of_sigma_has_no_panel_of_its_own():
    figure = draw(tables(), **SIGMA)
    assert "yaxis2" not in layout(figure)
    assert "yaxis2" in layout(draw(tables(), panels=[["n"], ["s"]], **SIGMA))


def test_the_footer_cites_the_source_of_sigma_too():
    cited = tables(s=replace(tables()["s"], sources=(SOURCE,)))
    assert any("AC_H2_MFI" in text for text in texts(draw(cited, **SIGMA)))


def test_limits_may_be_given_themselves():
    figure = draw(
        tables(low=scalar(values=[1, 1, 1]), high=scalar(values=[9, 9, 9])),
        panels=[["n"]],
        bands=[{"line": "n", "lower": "low", "upper": "high"}],
    )
    assert corners(trace_of(figure, "-band"))[:4] == [("00", 1), ("01", 1), ("02", 1), ("02", 9)]


def test_error_bars_have_their_own_length_on_either_side():
    bars = draw(tables(), bands=[{"line": "n", "sigma": "s", "bars": True}])
    error = trace_of(bars, "-errors")["error_y"]
    assert (error["array"], error["arrayminus"]) == ([1, 1, 2], [1, 1, 2])
    assert not any(trace["uid"].endswith("-band") for trace in main_traces(bars))


def test_a_missing_value_or_uncertainty_interrupts_the_band():
    figure = draw(tables(n=scalar(values=[2, np.nan, 6, 7]), s=scalar(values=[1, 1, 1, 1])), **SIGMA)
    assert [y for _, y in corners(trace_of(figure, "-band"))].count(None) == 2


def test_components_of_a_vector_have_the_sigma_of_their_component():
    field = vector(gap=False)
    sigma = replace(field, values=np.full(field.values.shape, 0.5), name="sigma")
    figure = draw({"B": field, "e": sigma}, bands=[{"line": "B", "sigma": "e"}])
    assert sum(trace["uid"].endswith("-band") for trace in main_traces(figure)) == 3
    figure = draw({"B": field, "e": sigma}, bands=[{"line": "B.Bz", "sigma": "e"}])
    assert [trace["uid"] for trace in main_traces(figure) if trace["uid"].endswith("-band")] == ["p1-3-band"]


def test_the_y_axis_has_room_for_the_band_and_a_logarithmic_one_stays_above_zero():
    axis = layout(draw(tables(), **SIGMA, log_scale="log"))["yaxis"]
    assert axis["type"] == "log"
    wide = tables(s=scalar("s", values=[5, 1, 1]))
    band = trace_of(draw(wide, **SIGMA, log_scale="log"), "-band")
    assert min(y for y in band["y"] if y is not None) > 0


def test_a_long_band_is_thinned_with_its_envelope():
    values = 5 + np.sin(np.arange(20000) / 500)
    long = Table(epochs(*np.linspace(0, 800, 20000)), values, "cm^-3", "n")
    sigma = replace(long, values=np.where(np.arange(20000) == 777, 3.0, 0.5))
    band = trace_of(draw({"n": long, "s": sigma}, **SIGMA), "-band")
    drawn = np.frombuffer(base64.b64decode(band["y"]["bdata"]), band["y"]["dtype"])
    assert drawn.size < 5000
    assert np.nanmax(drawn) == pytest.approx(values[777] + 3)
    assert np.nanmin(drawn) == pytest.approx(min(values.min() - 0.5, values[777] - 3))


@pytest.mark.parametrize(
    ("changed", "entry", "match", "advice"),
    [
        ({}, {"line": "m", "sigma": "s"}, "no panel of lines over time draws 'm'", "n"),
        ({}, {"sigma": "s"}, "has no line", '"line"'),
        ({}, {"line": "n"}, "has no uncertainty", "sigma"),
        ({}, {"line": "n", "lower": "s"}, "has lower, but needs sigma", "upper"),
        ({}, {"line": "n", "sigma": "s", "upper": "s"}, "has sigma and upper", "sigma"),
        ({}, {"line": "n", "sigma": "t"}, "no label is called 't'", "s"),
        (
            {"s": scalar("s", "m^-3", values=[1, 1, 1])},
            {"line": "n", "sigma": "s"},
            "'s' is in m",
            "convert_units",
        ),
        ({"s": scalar("s", values=[1, -1, 1])}, {"line": "n", "sigma": "s"}, "below 0", "lower and upper"),
        ({"s": scalar("s", values=[1, 1])}, {"line": "n", "sigma": "s"}, "different epochs", "align"),
        ({}, {"line": "n", "lower": "n", "upper": "s"}, "lower is above upper", "exchange"),
        ({"s": vector(gap=False)}, {"line": "n", "sigma": "s"}, "'s' is in nT", "choose another"),
    ],
)
def test_wrong_uncertainties_are_refused(changed, entry, match, advice):
    with pytest.raises(StepError, match=match) as found:
        render_spec(tables(**changed), spec={"panels": [["n"]], "bands": [entry]}, time_range=TEN_MINUTES)
    assert advice in found.value.advice


def test_too_many_error_bars_are_refused():
    many = Table(epochs(*np.arange(700.0)), np.ones(700), "cm^-3", "n")
    with pytest.raises(StepError, match="700 error bars, too many") as found:
        render_spec({"n": many, "s": many}, spec={"bands": [{"line": "n", "sigma": "s", "bars": True}]},
                    time_range=TEN_MINUTES)  # fmt: skip
    assert "resample" in found.value.advice


def test_the_step_waits_for_the_table_of_sigma_and_a_misspelt_one_is_found_before_the_run():
    def checked(sigma):
        spec = {"labels": ["B"], "bands": [{"line": "B", "sigma": sigma}]}
        figure = {"step_id": 3, "tool_name": "render_spec", "tool_args": {"spec": spec}}
        return check(template(fetch(args={"output_label": "B"}), magnitude(2, "B", "e"), figure), now=NOW)

    complete = checked("e")
    assert not complete.errors
    assert complete.plan["steps"][2]["tool_args"]["spec"]["labels"] == ["B", "e"]
    assert any("ee_" in str(error) for error in checked("ee_").errors)


def test_a_lost_table_takes_its_band_with_it():
    spec = {"labels": ["n", "m"], "bands": [{"line": "n", "sigma": "s"}, {"line": "m", "sigma": "t"}]}
    assert without_labels(spec, ["s"])["bands"] == [{"line": "m", "sigma": "t"}]
    assert without_labels(spec, ["m"])["bands"] == [{"line": "n", "sigma": "s"}]
