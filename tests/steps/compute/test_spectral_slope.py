"""Power laws through spectra, against spectra whose exponent is known."""

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.power_spectrum import power_spectrum
from helio.steps.compute.spectral_slope import spectral_slope
from helio.store.table import Axis, Table
from helio.time_range import Duration
from tests.steps.series import epochs, scalar, spectrum

CALLS = [
    ([spectrum], {"low": 1.0, "high": 17.0}),
    ([spectrum], {"low": 1.0, "high": 9.0, "per_decade": 20, "give": "line"}),
]


def made(values, centers, unit="nT^2/Hz"):
    values = np.atleast_2d(np.asarray(values, dtype=np.float64))
    axis = Axis("Frequency", "Hz", np.asarray(centers, dtype=np.float64))
    return Table(
        epochs(*(60.0 * np.arange(len(values)))), values, unit=unit, name="PSD", axes=(axis,), scale="log"
    )


FREQUENCIES = np.geomspace(1e-3, 10, 400)


@pytest.mark.parametrize("exponent", [-5 / 3, -1.5, -2.8, 0.0, 1.0])
def test_the_exponent_of_a_power_law(exponent):
    found = spectral_slope(made(7 * FREQUENCIES**exponent, FREQUENCIES), low=0.01, high=1)
    assert found.values[0] == pytest.approx([exponent, 0], abs=1e-9)
    assert (found.components, found.unit) == (("exponent", "error"), "")


def test_only_the_range_counts():
    power = np.where(FREQUENCIES < 0.1, FREQUENCIES**-1.0, 0.1 * FREQUENCIES**-2.0)
    below = spectral_slope(made(power, FREQUENCIES), low=0.001, high=0.1)
    above = spectral_slope(made(power, FREQUENCIES), low=0.1, high=10)
    assert [below.values[0, 0], above.values[0, 0]] == pytest.approx([-1, -2], abs=1e-6)


def test_many_bins_at_high_frequencies_do_not_outweigh_the_few_at_low_ones():
    # even frequencies, a bump near the highest: least squares over all bins would follow the bump
    even = np.arange(1, 10001) * 1e-3
    bumped = even**-1.5 * np.where(even > 5, 3.0, 1.0)
    found = spectral_slope(made(bumped, even), low=0.001, high=10).values[0, 0]
    all_bins = np.polyfit(np.log10(even), np.log10(bumped), 1)[0]
    assert abs(found + 1.5) < 0.5 * abs(all_bins + 1.5)


def test_the_line_runs_through_the_spectrum_in_the_range_only():
    power = made(3 * FREQUENCIES**-1.5, FREQUENCIES)
    line = spectral_slope(power, low=0.01, high=1, give="line")
    inside = (FREQUENCIES >= 0.01) & (FREQUENCIES < 1)
    np.testing.assert_allclose(line.values[0, inside], power.values[0, inside], rtol=1e-9)
    assert np.isnan(line.values[0, ~inside]).all()
    assert (line.unit, line.axes, line.name) == (power.unit, power.axes, "slope −1.50 ± 0.00")


def test_each_record_has_its_exponent():
    found = spectral_slope(made([FREQUENCIES**-1, FREQUENCIES**-2], FREQUENCIES), low=0.01, high=1)
    np.testing.assert_allclose(found.values[:, 0], [-1, -2], atol=1e-9)


def test_missing_and_impossible_values_are_left_out():
    power = FREQUENCIES**-1.5
    power[::7], power[1::7], power[2::7] = np.nan, 0, -1
    found = spectral_slope(made(power, FREQUENCIES), low=0.01, high=1)
    assert found.values[0] == pytest.approx([-1.5, 0], abs=1e-9)


def test_a_record_without_values_has_no_exponent_and_a_note():
    found = spectral_slope(made([np.nan * FREQUENCIES, FREQUENCIES**-1], FREQUENCIES), low=0.01, high=1)
    assert np.isnan(found.values[0]).all()
    assert found.notes == ("without an exponent, because fewer than 3 steps have a value: 1 record",)


def test_red_noise_has_the_slope_minus_two():
    walk = np.cumsum(np.random.default_rng(5).normal(size=200_000))
    power = power_spectrum(scalar(np.arange(walk.size), walk), window=Duration("2000s"))
    found = spectral_slope(power, low=0.003, high=0.08)
    assert found.values[0, 0] == pytest.approx(-2, abs=0.05)
    assert found.values[0, 1] < 0.05


def test_an_empty_table_gives_an_empty_table():
    power = made([FREQUENCIES**-1], FREQUENCIES)
    assert spectral_slope(power.take(slice(0, 0)), low=0.01, high=1).values.shape == (0, 2)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"low": 1, "high": 0.1}, "is not a range of a power law"),
        ({"low": 0, "high": 0.1}, "is not a range of a power law"),
        ({"low": 20, "high": 30}, "has 0 filled steps from 20 to 30 Hz"),
        ({"low": 0.01, "high": 1, "per_decade": 0}, "bins per decade"),
        ({"low": 0.01, "high": 1, "axis": "Energy"}, "does not name exactly one axis"),
    ],
)
def test_wrong_arguments_are_refused(limits, message):
    with pytest.raises(StepError, match=message):
        spectral_slope(made([FREQUENCIES**-1], FREQUENCIES), **limits)
