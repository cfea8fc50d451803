"""Integral of a series over time."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.cumulative_integral import cumulative_integral
from helio.steps.compute.derivative import derivative
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [
    ([solar_wind.speed], {}),
    ([solar_wind.field], {"per": "s"}),
    ([solar_wind.spectrum], {"limit": Duration("2min")}),
]


def test_a_constant_grows_evenly_and_a_line_as_its_square():
    minutes = np.arange(61.0)
    constant = cumulative_integral(scalar(60 * minutes, np.full(61, 3.0), "mV/m", "VB_s"))
    np.testing.assert_allclose(constant.values, 3.0 * minutes / 60, rtol=1e-12)
    line = cumulative_integral(scalar(60 * minutes, 2.0 * minutes, "nT", "B"), per="min")
    np.testing.assert_allclose(line.values, minutes**2, rtol=1e-12)
    assert (constant.unit, line.unit, constant.name) == ("h mV/m", "min nT", "∫VB_s dt")
    assert constant.notes == ()


@pytest.mark.parametrize(("per", "factor"), [("s", 3600.0), ("min", 60.0), ("h", 1.0), ("day", 1 / 24)])
def test_an_hour_in_each_unit_of_time(per, factor):
    found = cumulative_integral(scalar([0, 3600], [5.0, 5.0]), per=per)
    assert found.values[-1] == pytest.approx(5.0 * factor, rel=1e-14)


def test_it_undoes_a_derivative():
    seconds = 10.0 * np.arange(500)
    wave = scalar(seconds, np.sin(seconds / 400.0))
    back = cumulative_integral(derivative(wave), per="s")
    np.testing.assert_allclose(back.values, wave.values, atol=1e-3)


def test_gaps_and_missing_values_add_nothing_and_are_counted():
    series = scalar([0, 60, 120, 600, 660, 720, 780], [1.0, 1.0, 1.0, 1.0, np.nan, 1.0, 1.0])
    found = cumulative_integral(series, per="min")
    np.testing.assert_allclose(found.values, [0, 1, 2, 2, np.nan, 2, 3])
    assert found.notes[-1] == "gaps of 10 min of 13 min add nothing"


def test_a_longer_limit_bridges_a_gap():
    series = scalar([0, 60, 120, 600], [1.0, 1.0, 1.0, 1.0])
    assert cumulative_integral(series, per="min", limit=Duration("10min")).values[-1] == 10.0


def test_components_are_integrated_separately():
    table = vector(gap=False)
    found = cumulative_integral(table, per="min")
    assert found.values.shape == table.values.shape
    assert found.components == table.components
    assert found.frame == "GSE"
    np.testing.assert_allclose(found.values[1], (table.values[0] + table.values[1]) / 2)


def test_one_record_and_none():
    assert cumulative_integral(scalar([0], [5.0])).values.tolist() == [0.0]
    assert cumulative_integral(scalar([], [])).values.tolist() == []


def test_an_angle_is_refused():
    angle = replace(scalar([0, 60], [359.0, 1.0], "deg", "flow longitude"))
    with pytest.raises(StepError, match="is an angle that wraps"):
        cumulative_integral(angle)


def test_a_spectrum_is_integrated_bin_by_bin():
    found = cumulative_integral(spectrum(), per="min")
    assert found.values.shape == spectrum().values.shape
    assert found.kind == "spectrum"


def test_golden():
    check_golden(cumulative_integral, cumulative_integral(vector()), digits=12)
