"""Chosen components of a vector."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.components import components
from tests.steps import solar_wind
from tests.steps.series import check_golden, spectrum, vector

CALLS = [([solar_wind.field], {"keep": ["z"]}), ([solar_wind.field], {"keep": ["y", "z"]})]


def test_components_come_in_the_order_they_are_named():
    result = components(vector(), keep=["Bz", "Bx"])
    assert result.components == ("Bz", "Bx")
    np.testing.assert_array_equal(result.values, vector().values[:, [2, 0]])
    assert (result.unit, result.frame, result.name) == ("nT", "GSE", "B")
    assert result.sources == vector().sources


def test_one_component_is_a_scalar_with_its_name():
    result = components(vector(), keep=["By"])
    assert result.kind == "scalar"
    assert (result.name, result.frame, result.unit) == ("By", "GSE", "nT")


@pytest.mark.parametrize(
    "names", [("Bx", "By", "Bz"), ("BX (GSE)", "BY (GSE)", "BZ (GSE)"), ("B_x", "B_y", "B_z")]
)
def test_the_letters_of_the_axes_do_whatever_the_file_calls_them(names):
    given = replace(vector(), components=names)
    result = components(given, keep=["z", "x"])
    assert result.components == (names[2], names[0])


def test_an_exact_name_comes_before_a_letter():
    given = replace(vector(), components=("y", "x", "z"))
    assert components(given, keep=["y"]).values.tolist()[:2] == vector().values[:2, 0].tolist()


def test_letters_mean_nothing_where_components_are_no_axes():
    given = replace(vector(), components=("P1", "P7", "Q"))
    with pytest.raises(StepError, match="no component is called 'x'"):
        components(given, keep=["x"])


def test_missing_values_stay_missing():
    assert np.isnan(components(vector(), keep=["Bx", "By"]).values[3]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("keep", "what"),
    [
        (["bx"], "no component is called 'bx'"),
        (["Bx", "Bx"], "names a component twice"),
        ([], "'keep' is empty"),
    ],
)
def test_names_are_exact_and_given_once(keep, what):
    with pytest.raises(StepError, match=what) as refusal:
        components(vector(), keep=keep)
    assert refusal.value.advice == "choose from the components: Bx, By, Bz"


def test_a_spectrum_has_no_components():
    with pytest.raises(StepError, match="is a spectrum"):
        components(spectrum(), keep=["Bx"])


def test_golden():
    check_golden(components, components(vector(), keep=["Bz", "Bx"]))
