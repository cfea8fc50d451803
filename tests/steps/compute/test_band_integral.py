"""A spectrum integrated over bands."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.compute.band_average import band_average
from helio.steps.compute.band_integral import band_integral
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, scalar, spectrum

CALLS = [
    ([solar_wind.spectrum], {"bands": [(2.0, 9.0)]}),
    ([solar_wind.spectrum], {"bands": [(1.0, 4.0), (4.0, 20.0)]}),
]


def power_law(unit="cm^-2 s^-1 sr^-1 keV^-1", axis_unit="keV", factor=1.0):
    edges = np.geomspace(1.0, 100.0, 4001)
    centers = np.sqrt(edges[1:] * edges[:-1])
    axis = Axis("Energy", axis_unit, centers * factor, edges[:-1] * factor, edges[1:] * factor)
    return Table(epochs(0), (centers**-2.0)[None, :], unit=unit, name="flux", axes=(axis,), scale="log")


def test_a_power_law_integrates_to_its_theory():
    """∫ E⁻² dE from a to b is 1/a − 1/b."""
    result = band_integral(power_law(), bands=[(1, 10), (10, 100), (2.5, 37)])
    np.testing.assert_allclose(result.values[0], [0.9, 0.09, 1 / 2.5 - 1 / 37], rtol=1e-5)
    assert result.unit == "cm^-2 s^-1 sr^-1"
    assert result.components == ("1–10 keV", "10–100 keV", "2.5–37 keV")


def test_an_axis_in_electronvolts_under_a_flux_per_kiloelectronvolt_is_converted():
    result = band_integral(power_law(axis_unit="eV", factor=1000.0), bands=[(1e3, 1e4)])
    np.testing.assert_allclose(result.values, [0.9], rtol=1e-5)
    assert (result.unit, result.name) == ("cm^-2 s^-1 sr^-1", "flux 1000–10000 eV")


def test_an_energy_flux_keeps_its_energy():
    assert band_integral(power_law("eV/(cm^2 s sr eV)", "eV"), bands=[(1, 10)]).unit == "eV/(cm^2 s sr)"


@pytest.mark.parametrize(("unit", "axis_unit"), [("", "keV"), ("cm^-2 s^-1 sr^-1 keV^-1", "")])
def test_what_has_no_unit_is_given_none(unit, axis_unit):
    assert band_integral(power_law(unit, axis_unit), bands=[(1, 10)]).unit == ""


def test_a_bin_counts_with_its_part_inside_the_band():
    axis = Axis(
        "Energy", "keV", np.array([1.5, 2.5, 3.5]), np.array([1.0, 2, 3]), np.array([2.0, 3, 4]), "linear"
    )
    table = Table(epochs(0), np.array([[10.0, 20, 40]]), unit="keV^-1", axes=(axis,))
    result = band_integral(table, bands=[(1.25, 3.5), (0.0, 9.0), (2.0, 3.0)])
    assert result.values.tolist() == [[7.5 + 20 + 20, 70, 20]]
    assert result.components == ("1.25–3.5 keV", "1–4 keV", "2–3 keV")


def test_neighbouring_bands_add_up_to_the_whole():
    parts = band_integral(spectrum(), bands=[(1, 3), (3, 7.7)])
    whole = band_integral(spectrum(), bands=[(1, 7.7)])
    np.testing.assert_allclose(parts.values.sum(axis=1), whole.values, rtol=1e-14)


def test_it_is_the_average_times_the_width_where_bins_are_taken_whole():
    table = spectrum()
    low, high = 2**-0.5, 2**2.5
    average = band_average(table, bands=[(low, high)]).values[:, 0]
    result = band_integral(table, bands=[(low, high)])
    np.testing.assert_allclose(result.values[:2], (average * (high - low))[:2], rtol=1e-14)
    assert result.kind == "scalar"
    assert result.name == "proton flux 0.7071–5.657 keV"


def test_a_missing_bin_makes_its_band_missing_and_no_other():
    result = band_integral(spectrum(), bands=[(1.5, 2.5), (5, 10)])
    assert np.isnan(result.values).tolist() == [[False, False], [False, False], [True, False], [False, False]]


def test_bins_that_change_are_integrated_record_by_record():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1] *= 100
    result = band_integral(replace(table, axes=(replace(table.axes[0], centers=centers),)), bands=[(1, 10)])
    assert np.isnan(result.values).tolist() == [False, True, True, False]


def test_one_of_two_axes_is_integrated_away():
    axes = (
        Axis("Energy", "keV", np.array([1.0, 3.0]), scale="linear"),
        Axis("Pitch angle", "deg", np.array([45.0, 135.0]), scale="linear"),
    )
    table = Table(epochs(0), np.array([[[1.0, 2], [3, 4]]]), unit="keV^-1", name="f", axes=axes)
    result = band_integral(table, bands=[(0, 4)], axis="energy")
    assert result.values.tolist() == [[8, 12]]
    assert [axis.label for axis in result.axes] == ["Pitch angle"]
    assert result.unit == ""
    for arguments in ({"bands": [(0, 4)]}, {"bands": [(0, 1), (1, 2)], "axis": "Energy"}):
        with pytest.raises(StepError):
            band_integral(table, **arguments)


@pytest.mark.parametrize(
    ("bands", "what"),
    [
        ([], "'bands' is an empty list"),
        ([(4, 2)], "is empty"),
        ([(50, 60)], "no bin of 'Energy' overlaps"),
        ([(1, 2), (1, 2)], "same"),
    ],
)
def test_bands_that_say_nothing_are_refused(bands, what):
    with pytest.raises(StepError, match=what):
        band_integral(spectrum(), bands=bands)


def test_a_series_and_a_lone_bin_have_no_bands():
    with pytest.raises(StepError, match=r"the spectrum of .* must be a spectrum, but 'Bz' is one series"):
        band_integral(scalar([0], [1]), bands=[(1, 2)])
    lone = Table(epochs(0), np.array([[2.0]]), axes=(Axis("Energy", "MeV", np.array([5.0])),))
    with pytest.raises(StepError, match="overlaps"):
        band_integral(lone, bands=[(1, 10)])


def test_golden():
    check_golden(band_integral, band_integral(spectrum(), bands=[(1.0, 4.5), (4.5, 20.0)]))


def test_what_is_no_density_has_no_integral():
    """counts/s over keV became counts keV/s, and an intensity over pitch angles one per sr."""
    rates = replace(spectrum(), unit="counts/s", name="rate")
    with pytest.raises(
        UnitMismatch, match="'rate' is in counts/s, but an integral over the axis needs a unit per keV"
    ) as caught:
        band_integral(rates, bands=[(1, 10)])
    assert "band_average" in caught.value.advice
    angles = replace(spectrum().axes[0], label="Pitch angle", unit="deg", scale="linear")
    around = replace(spectrum(), axes=(angles,))
    with pytest.raises(UnitMismatch, match="needs a unit per deg") as caught:
        band_integral(around, bands=[(1, 10)])
    assert "pitch_angle_average" in caught.value.advice


def test_energies_beside_a_flux_per_nucleon_are_taken_per_nucleon_and_that_is_said():
    """As STEREO HET delivers it: MeV, and a flux per MeV/nucleon."""
    flux = replace(spectrum(), unit="#/(cm2-steradian-second-MeV/nucleon)", name="Proton Flux")
    found = band_integral(flux, bands=[(1, 10)])
    assert found.unit == "cm^-2 s^-1 sr^-1"
    assert (
        found.notes[-1]
        == "'Energy' in keV is read as energy per nucleon, because 'Proton Flux' is per nucleon"
    )
    same = band_integral(replace(flux, unit="cm^-2 s^-1 sr^-1 MeV^-1"), bands=[(1, 10)])
    np.testing.assert_array_equal(found.values, same.values)
