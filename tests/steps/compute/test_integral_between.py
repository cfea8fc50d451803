"""A spectrum integrated between limits that change with time."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, StepError, UnitMismatch
from helio.steps.compute.band_integral import band_integral
from helio.steps.compute.integral_between import integral_between
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, scalar, spectrum


def lower_limit():
    return scalar([0, 60, 120, 180], [1.0, 2.0, 4.0, 1.5], "keV", "low")


def upper_limit():
    return scalar([0, 60, 120, 180], [8.0, 8.0, 16.0, 3.0], "keV", "high")


CALLS = [
    ([solar_wind.spectrum], {"low": 2.0, "high": 9.0}),
    ([solar_wind.spectrum, lower_limit], {"high": 9.0}),
    ([solar_wind.spectrum, lower_limit, upper_limit], {}),
]


def power_law(records=3):
    edges = np.geomspace(1.0, 1e4, 4001)
    centers = np.sqrt(edges[1:] * edges[:-1])
    axis = Axis("Frequency", "Hz", centers, edges[:-1], edges[1:])
    values = np.tile(centers**-2.0, (records, 1))
    return Table(
        epochs(*(60.0 * np.arange(records))), values, unit="nT^2/Hz", name="PSD B", axes=(axis,), scale="log"
    )


def gyrofrequencies(factor):
    return scalar([0, 60, 120], [20.0 * factor, 500.0 * factor, 4000.0 * factor], "Hz", "f_ce")


def test_a_power_law_integrates_to_its_theory_between_parts_of_a_frequency():
    """∫ f⁻² df from a to b is 1/a − 1/b."""
    found = integral_between(power_law(), gyrofrequencies(0.1), gyrofrequencies(0.5))
    a, b = gyrofrequencies(0.1).values, gyrofrequencies(0.5).values
    np.testing.assert_allclose(found.values, 1 / a - 1 / b, rtol=1e-5)
    assert (found.unit, found.name, found.kind) == ("nT^2", "power B", "scalar")


def test_fixed_limits_give_the_integral_over_a_band():
    table = power_law()
    np.testing.assert_allclose(
        integral_between(table, low=10.0, high=300.0).values,
        band_integral(table, bands=[(10.0, 300.0)]).values,
        rtol=1e-14,
    )


def test_one_limit_may_be_fixed():
    found = integral_between(power_law(), None, gyrofrequencies(0.5), low=2.0)
    np.testing.assert_allclose(found.values, 0.5 - 1 / gyrofrequencies(0.5).values, rtol=1e-5)


def test_bins_that_change_are_followed():
    lower = np.array([[1.0, 2.0], [10.0, 20.0]])
    axis = Axis("Energy", "keV", 1.5 * lower, lower, 2 * lower, "linear")
    table = Table(epochs(0, 60), np.array([[3.0, 5.0], [3.0, 5.0]]), unit="keV^-1", axes=(axis,))
    found = integral_between(table, scalar([0, 60], [1.0, 10.0], "keV"), scalar([0, 60], [3.0, 30.0], "keV"))
    assert found.values.tolist() == [3.0 + 5.0, 30.0 + 50.0]


def test_a_band_beyond_the_bins_is_missing_because_its_integral_would_be_too_small():
    found = integral_between(power_law(), gyrofrequencies(1.0), gyrofrequencies(5.0))
    assert np.isnan(found.values).tolist() == [False, False, True]
    assert found.notes[-1] == "the bins do not cover the band: 1 of 3 records (33.3 %) set to missing"


def test_missing_limits_and_bins_and_empty_bands_are_missing():
    table = power_law()
    table.values[0, 2000] = np.nan  # at 100 Hz
    limits = scalar([0, 60, 120], [10.0, np.nan, 4000.0], "Hz")
    assert np.isnan(integral_between(table, limits, high=300.0).values).all()
    # A missing bin outside the band does not matter.
    assert np.isfinite(integral_between(table, low=200.0, high=300.0).values).all()


def test_limits_in_another_unit_are_refused():
    with pytest.raises(UnitMismatch, match="'f_ce' is in kHz, but the axis 'Frequency' is in Hz"):
        integral_between(power_law(), replace(gyrofrequencies(0.1), unit="kHz"), high=300.0)


def test_counts_that_are_no_density_are_refused():
    with pytest.raises(UnitMismatch):
        integral_between(replace(spectrum(), unit="counts/s"), low=2.0, high=9.0)


def test_each_limit_is_given_once():
    with pytest.raises(StepError, match="the upper limit is missing"):
        integral_between(power_law(), low=2.0)
    with pytest.raises(StepError, match="the lower limit is given twice"):
        integral_between(power_law(), gyrofrequencies(0.1), low=2.0, high=300.0)


def test_other_epochs_are_refused():
    with pytest.raises(ClockMismatch):
        integral_between(power_law(2), gyrofrequencies(0.1), high=300.0)


def test_a_spectrum_with_two_axes_is_refused():
    angles = Axis("Pitch angle", "deg", np.array([45.0, 135.0]))
    table = spectrum()
    both = replace(table, values=np.repeat(table.values[:, :, None], 2, 2), axes=(*table.axes, angles))
    with pytest.raises(StepError, match="has two axes"):
        integral_between(both, low=2.0, high=9.0)


def test_golden():
    check_golden(integral_between, integral_between(spectrum(), lower_limit(), upper_limit()))
