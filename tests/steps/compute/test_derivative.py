"""The rate of change of a series."""

import numpy as np

from helio.steps.compute.derivative import derivative
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field], {}), ([solar_wind.spectrum], {}), ([solar_wind.bare_series], {})]


def test_a_straight_line_has_its_slope_everywhere():
    seconds = np.arange(0, 600, 16.0)
    result = derivative(scalar(seconds, 0.5 * seconds + 3))
    np.testing.assert_allclose(result.values, 0.5, rtol=1e-13)
    assert (result.unit, result.name) == ("nT/s", "dBz/dt")


def test_a_sine_has_a_cosine():
    seconds = np.arange(0, 100, 0.01)
    result = derivative(scalar(seconds, np.sin(seconds)))
    np.testing.assert_allclose(result.values[1:-1], np.cos(seconds[1:-1]), atol=2e-5)


def test_it_agrees_with_numpys_gradient_on_uneven_steps():
    generator = np.random.default_rng(3)
    seconds = np.cumsum(generator.uniform(0.5, 1.4, 300))
    values = generator.normal(size=300)
    table = scalar(seconds, values)
    theirs = np.gradient(values, (table.epoch - table.epoch[0]) / np.timedelta64(1, "s"))
    np.testing.assert_allclose(derivative(table, limit=Duration("2s")).values, theirs, rtol=1e-9)


def test_no_difference_is_taken_across_a_gap():
    result = derivative(scalar([0, 60, 120, 600, 660, 720], [0, 60, 120, 0, 120, 240]))
    assert result.values.tolist() == [1, 1, 1, 2, 2, 2]


def test_a_missing_value_is_a_gap_and_stays_missing():
    result = derivative(scalar(np.arange(7), [0, 1, 2, np.nan, 8, 10, 12]))
    np.testing.assert_array_equal(result.values, [1, 1, 1, np.nan, 2, 2, 2])


def test_a_value_without_any_neighbour_has_no_derivative():
    result = derivative(scalar(np.arange(5), [0, np.nan, 2, np.nan, 8]))
    assert np.isnan(result.values).all()


def test_a_limit_says_what_is_a_gap():
    table = scalar([0, 60, 300, 360], [0, 60, 300, 360])
    np.testing.assert_allclose(derivative(table, limit=Duration("4min")).values, 1)
    assert np.isnan(derivative(table, limit=Duration("30s")).values).all()


def test_two_records_of_one_epoch_make_no_infinite_slope():
    for seconds in ([0, 1, 1, 2, 3], [0, 1, 1, 1, 2], [0, 0, 0, 0, 0]):
        assert not np.isinf(derivative(scalar(seconds, [0, 1, 2, 3, 4])).values).any()


def test_infinity_spoils_its_neighbours_and_nothing_else():
    result = derivative(scalar(range(6), [0, np.inf, -np.inf, 3, 4, 5]))
    np.testing.assert_array_equal(result.values[4:], [1, 1])


def test_each_component_is_taken_on_its_own():
    assert np.isnan(derivative(vector()).values[3]).tolist() == [False, True, False]


def test_an_acceleration_is_in_its_own_unit():
    assert derivative(scalar([0, 1], [400, 410], unit="km/s")).unit == "km/s^2"
    assert derivative(scalar([0, 1], [400, 410], unit="")).unit == "s^-1"


def test_one_record_has_no_derivative_and_none_has_none():
    assert np.isnan(derivative(scalar([0], [1])).values).tolist() == [True]
    assert len(derivative(vector().take(slice(0, 0)))) == 0
    assert derivative(spectrum()).scale == "linear"


def test_golden():
    check_golden(derivative, derivative(vector()))
