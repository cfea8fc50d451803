"""A spectrum averaged over bands."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.band_average import band_average
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, spectrum

CALLS = [
    ([solar_wind.spectrum], {"bands": [(2.0, 9.0)]}),
    ([solar_wind.spectrum], {"bands": [(1.0, 4.0), (4.0, 20.0)]}),
]


def test_the_mean_is_weighted_by_the_width_of_the_bins():
    """Bins at 1, 2 and 4 keV on a logarithmic axis reach from centre/√2 to centre·√2."""
    result = band_average(spectrum(), bands=[(1.0, 4.5)])
    assert result.values[0, 0] == pytest.approx((16 * 1 + 8 * 2 + 4 * 4) / (1 + 2 + 4), rel=1e-14)
    assert result.components == ("0.7071–5.657 keV",)
    assert result.unit == spectrum().unit


def test_a_power_law_integrates_to_its_theory_with_the_files_own_edges():
    edges = np.geomspace(1.0, 100.0, 2001)
    centers = np.sqrt(edges[1:] * edges[:-1])
    axis = Axis("Energy", "keV", centers, lower=edges[:-1], upper=edges[1:])
    table = Table(epochs(0), (centers**-2.0)[None, :], axes=(axis,))
    result = band_average(table, bands=[(1.0, 10.0), (10.0, 100.0)])
    # ∫ E⁻² dE / ΔE = 1 / (low · high)
    np.testing.assert_allclose(result.values[0], [1 / 10, 1 / 1000], rtol=1e-5)
    assert result.components == ("1–10 keV", "10–100 keV")


def test_a_flat_spectrum_stays_flat_in_every_band():
    table = replace(spectrum(), values=np.full((4, 5), 3.0))
    np.testing.assert_allclose(band_average(table, bands=[(1, 2), (2, 9), (0, 99)]).values, 3.0, rtol=1e-15)


def test_a_bin_belongs_to_the_band_that_starts_at_its_centre():
    result = band_average(spectrum(), bands=[(1.0, 2.0), (2.0, 4.0)])
    assert result.values[0].tolist() == [16.0, 8.0]


def test_missing_bins_are_left_out_and_a_band_without_any_is_missing():
    result = band_average(spectrum(), bands=[(1.0, 2.5), (2.0, 4.0)])
    assert result.values[2, 0] == 48.0
    assert np.isnan(result.values[2, 1])
    assert np.isnan(result.values).sum() == 1


def test_the_order_of_the_bins_does_not_matter():
    table = spectrum()
    order = [3, 0, 4, 2, 1]
    axis = replace(table.axes[0], centers=table.axes[0].centers[order])
    shuffled = replace(table, values=table.values[:, order], axes=(axis,))
    bands = [(1.0, 4.5), (4.5, 20.0)]
    np.testing.assert_allclose(
        band_average(shuffled, bands=bands).values, band_average(table, bands=bands).values, rtol=1e-15
    )
    assert band_average(shuffled, bands=bands).components == band_average(table, bands=bands).components


def test_a_linear_axis_has_its_edges_midway():
    axis = Axis("Pitch angle", "deg", np.array([15.0, 45.0, 75.0]), scale="linear")
    table = Table(epochs(0), np.array([[1.0, 2.0, 6.0]]), axes=(axis,))
    result = band_average(table, bands=[(30, 90)])
    assert result.values[0, 0] == 4.0
    assert result.components == ("30–90 deg",)


def test_alternating_energy_tables_are_averaged_record_by_record():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1::2] *= 1.5
    alternating = replace(table, axes=(replace(table.axes[0], centers=centers),))
    result = band_average(alternating, bands=[(1.0, 2.5)])
    # Odd records: bins at 1.5 and 3 keV, of which one lies in the band; even ones: 1 and 2 keV.
    expected = [(16 * 1 + 8 * 2) / 3, 32.0, 48.0, 64.0]
    np.testing.assert_allclose(result.values[:, 0], expected, rtol=1e-14)
    assert result.components == ("0.7071–2.828 keV",)


def test_a_record_whose_bins_miss_the_band_is_missing():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1] *= 100
    moving = replace(table, axes=(replace(table.axes[0], centers=centers),))
    assert np.isnan(band_average(moving, bands=[(1.0, 2.5)]).values[:, 0]).tolist() == [
        False,
        True,
        False,
        False,
    ]


def two_axes():
    energies, angles = np.array([1.0, 10.0, 100.0]), np.array([45.0, 135.0])
    values = np.arange(12, dtype=np.float64).reshape(2, 3, 2)
    axes = (Axis("Energy", "keV", energies), Axis("Pitch angle", "deg", angles, scale="linear"))
    return Table(epochs(0, 60), values, unit="eV/(cm^2 s sr eV)", name="f", axes=axes)


def test_one_of_two_axes_is_averaged_away():
    result = band_average(two_axes(), bands=[(0, 180)], axis="pitch ANGLE")
    assert result.values.tolist() == [[0.5, 2.5, 4.5], [6.5, 8.5, 10.5]]
    assert [axis.label for axis in result.axes] == ["Energy"]
    assert "Pitch angle 0–180 deg" in result.description
    low = band_average(two_axes(), bands=[(1, 2)], axis="Energy")
    assert low.values.tolist() == [[0.0, 1.0], [6.0, 7.0]]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"bands": [(0, 180)]}, "'axis' does not say which one to use"),
        ({"bands": [(0, 180)], "axis": "L"}, "'L' does not name exactly one axis"),
        ({"bands": [(0, 90), (90, 180)], "axis": "Pitch angle"}, "one band at a time"),
    ],
)
def test_two_axes_need_a_name_and_one_band(arguments, what):
    with pytest.raises(StepError, match=what):
        band_average(two_axes(), **arguments)


@pytest.mark.parametrize(
    ("bands", "what"),
    [
        ([], "'bands' is an empty list"),
        ([(4.0, 2.0)], "the band 4 to 2 is empty"),
        ([(float("nan"), 2.0)], "is empty"),
        ([(20.0, 30.0)], "no bin of 'Energy' has its centre between 20 and 30 keV"),
        ([(0.5, 1.5), (0.9, 1.1)], "cover the same bins"),
    ],
)
def test_bands_that_say_nothing_are_refused(bands, what):
    with pytest.raises(StepError, match=what):
        band_average(spectrum(), bands=bands)


def test_a_band_without_a_bin_lists_the_centres():
    with pytest.raises(StepError) as refusal:
        band_average(spectrum(), bands=[(20.0, 30.0)])
    assert (
        refusal.value.advice
        == "choose a band that contains the centre of a bin; the centres are 1, 2, 4, 8, 16"
    )


def test_a_series_has_no_bands():
    table = band_average(spectrum(), bands=[(1.0, 2.0)])
    with pytest.raises(
        StepError, match=r"the spectrum of .* must be a spectrum, but 'proton flux' is a vector"
    ):
        band_average(table, bands=[(1.0, 2.0)])


def test_a_lone_bin_needs_no_width():
    axis = Axis("Energy", "MeV", np.array([5.0]))
    table = Table(epochs(0), np.array([[2.0]]), axes=(axis,))
    assert band_average(table, bands=[(1.0, 10.0)]).values.tolist() == [[2.0]]


def test_sources_stay_with_the_result():
    assert band_average(spectrum(), bands=[(1.0, 2.0)]).sources == spectrum().sources


def test_golden():
    check_golden(band_average, band_average(spectrum(), bands=[(1.0, 4.5), (4.5, 20.0)]))
