"""A series times a number, plus a number."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.rescale import rescale
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field], {"unit": "T", "factor": 1e-9}), ([solar_wind.field], {"unit": "1"})]


def test_factor_and_offset_make_fahrenheit():
    result = rescale(scalar([0, 1], [0, 100], unit="degC", name="T"), factor=1.8, offset=32.0, unit="degF")
    assert result.values.tolist() == [32, 212]
    assert (result.unit, result.description) == ("degF", "1.8 · x + 32")


def test_a_scale_and_back_gives_the_series():
    table = vector()
    there = rescale(table, factor=4.0, offset=0.5, unit="nT")
    np.testing.assert_array_equal(rescale(there, factor=0.25, offset=-0.125, unit="nT").values, table.values)
    assert (there.frame, there.components, there.sources) == (table.frame, table.components, table.sources)


def test_the_unit_is_spelled_as_everywhere_and_one_is_none():
    assert rescale(vector(), unit="km s^-1").unit == "km/s"
    assert rescale(vector(), unit="1").unit == ""


def test_kp_times_ten_becomes_kp():
    result = rescale(scalar([0, 1], [27, np.nan], unit="", name="KP"), factor=0.1, unit="1", name="Kp")
    assert result.values[0] == pytest.approx(2.7)
    assert (result.name, rescale(vector(), unit="nT").name) == ("Kp", "B")


def test_missing_values_stay_missing():
    np.testing.assert_array_equal(
        np.isnan(rescale(vector(), factor=-1.0, offset=3.0, unit="nT").values), np.isnan(vector().values)
    )


def test_a_turned_sign_is_not_drawn_on_a_logarithmic_scale():
    assert rescale(spectrum(), factor=-1.0, unit="counts").scale == "linear"
    assert rescale(spectrum(), factor=2.0, unit="counts").scale == "log"


@pytest.mark.parametrize("arguments", [{"factor": 0.0}, {"factor": float("inf")}, {"offset": float("nan")}])
def test_what_leaves_nothing_is_refused(arguments):
    with pytest.raises(StepError, match="the result has no usable values"):
        rescale(vector(), unit="nT", **arguments)


def test_golden():
    check_golden(rescale, rescale(vector(), factor=1e-9, offset=-1e-9, unit="T"))
