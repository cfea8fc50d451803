"""Names above points, such as the classes of flares."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.render.render_spec import render_spec
from helio.store.table import Table
from tests.steps.render.test_render_spec import TEN_MINUTES, draw, traces
from tests.steps.series import epochs

STYLE = {"mode": "markers", "point_names": "flares"}


def peaks(seconds, values, unit="W/m^2"):
    return Table(epochs(*seconds), np.array(values, float), unit, "flux at the peak of flares")


def drawn(table, **spec):
    figure = draw({"flares": table}, panels=[["flares"]], line_styles={"flares": {**STYLE, **spec}})
    return traces(figure)[0]


def test_each_peak_has_its_class_above_it():
    trace = drawn(peaks([60, 300, 540], [2.3e-6, 9.3e-4, 5.2e-5]))
    assert trace["text"] == ["C2.3", "X9.3", "M5.2"]
    assert (trace["mode"], trace["textposition"]) == ("markers+text", "top center")


def test_of_names_that_would_overlap_the_strongest_stays():
    trace = drawn(peaks([300, 301, 302, 540], [2.3e-6, 9.3e-4, 5.2e-5, 1e-6]))
    shown = [(y, text) for y, text in zip(trace["y"], trace["text"], strict=True) if y is not None]
    assert shown == [(2.3e-6, ""), (9.3e-4, "X9.3"), (5.2e-5, ""), (1e-6, "C1.0")]


def test_a_value_below_the_weakest_level_has_no_name():
    assert drawn(peaks([60, 300], [2e-9, 1e-6]))["text"] == ["", "C1.0"]


def test_other_scales_write_the_name_of_the_level():
    table = Table(epochs(60, 540), np.array([-60.0, -300.0]), "nT", "Dst")
    assert drawn(table, point_names="storms")["text"] == ["moderate", "super"]


def test_without_the_key_there_is_no_text():
    figure = draw({"flares": peaks([60], [1e-5])}, panels=[["flares"]])
    assert "text" not in traces(figure)[0]


@pytest.mark.parametrize(
    ("table", "name", "why", "advice"),
    [
        (peaks([60], [1e-5]), "flare", "no levels are called 'flare'", "did you mean 'flares'"),
        (peaks([60], [5.0], "nT"), "flares", "but 'flares' is in nT", ""),
        (peaks(range(501), [1e-5] * 501), "flares", "501 points cannot all have a name", "at most 500"),
    ],
)
def test_what_has_no_names_is_refused(table, name, why, advice):
    spec = {"panels": [["flares"]], "line_styles": {"flares": {"point_names": name}}}
    with pytest.raises(StepError, match=why) as found:
        render_spec({"flares": table}, spec=spec, time_range=TEN_MINUTES)
    assert advice in found.value.advice
