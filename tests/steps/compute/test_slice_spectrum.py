"""One bin of a spectrum, or some of them."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.slice_spectrum import slice_spectrum
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, scalar, spectrum

CALLS = [([solar_wind.spectrum], {"at": 4.0}), ([solar_wind.spectrum], {"between": (1.0, 1e4)})]


def two_axes():
    axes = (
        Axis("Energy", "keV", np.array([1.0, 10.0, 100.0])),
        Axis("Pitch angle", "deg", np.array([45.0, 135.0]), scale="linear"),
    )
    return Table(epochs(0, 60), np.arange(12.0).reshape(2, 3, 2), unit="counts", name="f", axes=axes)


def test_the_nearest_bin_is_taken_as_it_is_and_named():
    result = slice_spectrum(spectrum(), at=4.4)
    np.testing.assert_array_equal(result.values, spectrum().values[:, 2])
    assert (result.kind, result.name, result.unit) == ("scalar", "proton flux at 4 keV", spectrum().unit)
    assert result.description == "bin of Energy at 4 keV, nearest to 4.4 keV"
    assert result.notes[-1] == result.description


def test_nearness_is_that_of_the_axis():
    """5.8 keV is nearer to 4 than to 8 as a number, and nearer to 8 as a ratio."""
    assert slice_spectrum(spectrum(), at=5.8).name.endswith("8 keV")
    linear = replace(spectrum(), axes=(replace(spectrum().axes[0], scale="linear"),))
    assert slice_spectrum(linear, at=5.8).name.endswith("4 keV")


def test_missing_values_stay_missing():
    assert np.isnan(slice_spectrum(spectrum(), at=2).values).tolist() == [False, False, True, False]


def test_a_range_holds_its_low_end_and_not_its_high_end():
    result = slice_spectrum(spectrum(), between=(2.0, 8.0))
    assert result.axes[0].centers.tolist() == [2.0, 4.0]
    np.testing.assert_array_equal(result.values, spectrum().values[:, 1:3])
    assert (result.scale, result.unit, result.description) == ("log", spectrum().unit, "Energy 2 to 8 keV")


def test_one_of_two_axes_is_sliced():
    table = two_axes()
    assert slice_spectrum(table, at=90, axis="pitch angle").values.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert slice_spectrum(table, at=12, axis="Energy").values.tolist() == [[2, 3], [8, 9]]
    part = slice_spectrum(table, between=(5, 500), axis="Energy")
    assert part.values.tolist() == [[[2, 3], [4, 5]], [[8, 9], [10, 11]]]
    assert part.axes[1].centers.tolist() == [45, 135]


def test_edges_go_with_their_bins():
    axis = replace(spectrum().axes[0], lower=np.arange(5.0), upper=np.arange(1.0, 6.0))
    part = slice_spectrum(replace(spectrum(), axes=(axis,)), between=(2, 9)).axes[0]
    assert (part.lower.tolist(), part.upper.tolist()) == ([1, 2, 3], [2, 3, 4])


def test_of_bins_that_change_the_nearest_of_each_record_is_taken():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1::2] *= 1.5
    centers[3] *= 1000
    moving = replace(table, axes=(replace(table.axes[0], centers=centers),))
    result = slice_spectrum(moving, at=3)
    np.testing.assert_array_equal(result.values, [4, 16, 12, np.nan])
    assert result.name == "proton flux at 3 to 4 keV"


def test_a_range_of_bins_that_change_must_hold_equally_many():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1::2] *= 1.5
    moving = replace(table, axes=(replace(table.axes[0], centers=centers),))
    result = slice_spectrum(moving, between=(1.2, 5.0))
    assert result.axes[0].centers.tolist() == [[2, 4], [1.5, 3]] * 2
    with pytest.raises(StepError, match="1 to 2 bins of 'Energy', depending on the record"):
        slice_spectrum(moving, between=(1.0, 2.5))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"at": 50.0}, "50 keV is outside all bins"),
        ({"at": 0.1}, "outside all bins"),
        ({"between": (40.0, 50.0)}, "no bin of 'Energy'"),
        ({}, "either 'at' or 'between' must be given, and not both"),
        ({"at": 2.0, "between": (1.0, 2.0)}, "either 'at' or 'between' must be given, and not both"),
        ({"at": 2.0, "axis": "L"}, "'L' does not name exactly one axis"),
    ],
)
def test_what_is_not_there_is_refused(arguments, what):
    with pytest.raises(StepError, match=what) as refusal:
        slice_spectrum(spectrum(), **arguments)
    assert refusal.value.advice


def test_a_series_has_no_bins():
    with pytest.raises(StepError, match=r"the spectrum of .* must be a spectrum, but 'Bz' is one series"):
        slice_spectrum(scalar([0], [1]), at=1)


def test_golden():
    check_golden(slice_spectrum, slice_spectrum(spectrum(), at=2.2))
    check_golden(slice_spectrum, slice_spectrum(spectrum(), between=(2.0, 20.0)), "_between")
