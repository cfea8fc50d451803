"""Minimum variance analysis."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.minimum_variance import minimum_variance
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, spectrum, vector

CALLS = [
    ([solar_wind.field_long], {"give": give, **more})
    for give in ("vector", "axes", "eigenvalues")
    for more in ({}, {"constraint": "zero_normal_field"})
]

NORMAL = np.array([0.9, -0.3, np.sqrt(1 - 0.81 - 0.09)])
MIDDLE = np.cross(NORMAL, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(NORMAL, [0.0, 0.0, 1.0]))
LARGEST = np.cross(MIDDLE, NORMAL)


def layer(records=600, noise=0.01):
    """A rotational layer: B_L turns from -20 to 20 nT, B_M bulges, B_N stays at 3 nT, in GSE."""
    time = np.linspace(-3, 3, records)
    along = np.stack([20 * np.tanh(time), 12 / np.cosh(time), np.full(records, 3.0)], axis=1)
    along += noise * np.random.default_rng(7).normal(size=along.shape)
    values = along @ np.stack([LARGEST, MIDDLE, NORMAL])
    return Table(
        epochs(*np.arange(records)), values, unit="nT", name="B", frame="GSE", components=("Bx", "By", "Bz")
    )


def axes_of(found):
    return found.values.reshape(3, 3)


def degrees(one, other):
    return np.degrees(np.arccos(min(1.0, abs(float(one @ other)))))


def test_the_axes_of_a_constructed_layer_are_found():
    found = axes_of(minimum_variance(layer(), give="axes"))
    assert degrees(found[0], LARGEST) < 0.1
    assert degrees(found[1], MIDDLE) < 0.1
    assert degrees(found[2], NORMAL) < 0.1


def test_the_layer_is_seen_along_its_own_axes():
    found = minimum_variance(layer())
    assert (found.frame, found.components, found.unit) == ("LMN", ("B_L", "B_M", "B_N"), "nT")
    assert found.values[:, 2] == pytest.approx(3.0, abs=0.1)
    assert np.ptp(found.values[:, 0]) == pytest.approx(40.0, abs=0.3)
    np.testing.assert_allclose(magnitude(found).values, magnitude(layer()).values, rtol=1e-12)


def test_eigenvalues_are_the_variances_in_falling_order():
    values = minimum_variance(layer(), give="eigenvalues")
    rotated = minimum_variance(layer()).values
    np.testing.assert_allclose(values.values[0], rotated.var(axis=0), rtol=1e-8)
    assert (np.diff(values.values[0]) < 0).all()
    assert (values.unit, values.frame, values.components) == ("nT^2", "", ("λ_L", "λ_M", "λ_N"))


def test_the_axes_are_right_handed_and_their_signs_are_settled():
    for sign in (1.0, -1.0):
        turned = replace(layer(), values=sign * layer().values)
        found = axes_of(minimum_variance(turned, give="axes"))
        np.testing.assert_allclose(np.cross(found[0], found[1]), found[2], atol=1e-12)
        np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-12)
        assert found[2, 0] > 0
        assert found[0, 2] > 0


def test_only_the_interval_is_analysed_and_the_whole_series_is_turned():
    outside = layer()
    outside.values[:100] = np.random.default_rng(3).normal(size=(100, 3)) * 500
    clock = [datetime(2024, 5, 10, 0, minutes, seconds) for minutes, seconds in ((1, 40), (10, 0))]
    found = minimum_variance(outside, interval=TimeRange(*clock))
    assert len(found) == 600
    assert found.values[100:, 2] == pytest.approx(3.0, abs=0.1)
    assert "500 samples" in found.description
    axes = minimum_variance(outside, interval=TimeRange(*clock), give="axes")
    assert str(axes.epoch[0]) == "2024-05-10T00:01:40.000000000"


def test_records_with_a_missing_component_are_left_out_and_stay_missing():
    gap = layer()
    gap.values[50:60, 1] = np.nan
    found = minimum_variance(gap)
    assert np.isnan(found.values).all(axis=1).sum() == 10
    assert "590 samples" in found.description
    assert degrees(axes_of(minimum_variance(gap, give="axes"))[2], NORMAL) < 0.1


def test_the_description_says_how_good_the_normal_is():
    found = minimum_variance(layer())
    assert "λ_M/λ_N = " in found.description
    assert "N = (0.9" in found.description
    assert found.notes == ()


def test_a_poor_normal_is_noted():
    values = np.random.default_rng(11).normal(size=(200, 3)) * [5.0, 1.2, 1.0]
    flat = replace(layer(200), values=values)
    assert "poorly determined: λ_M/λ_N is 1." in minimum_variance(flat).notes[0]


def test_a_wave_in_a_plane_has_no_variance_along_its_normal():
    phase = np.linspace(0, 6 * np.pi, 100)
    plane = replace(layer(100), values=np.stack([np.zeros(100), 2 * np.cos(phase), np.sin(phase)], axis=1))
    found = minimum_variance(plane, give="eigenvalues")
    assert found.values[0, 2] == pytest.approx(0, abs=1e-12)
    assert not np.signbit(found.values[0, 2])
    np.testing.assert_allclose(axes_of(minimum_variance(plane, give="axes"))[2], [1, 0, 0], atol=1e-12)


def test_too_few_vectors_or_none_that_vary_are_refused():
    with pytest.raises(StepError, match="at least 4 complete vectors, but there are 3 in the series"):
        minimum_variance(layer().take(slice(0, 3)))
    early = TimeRange(datetime(2020, 1, 1), datetime(2020, 1, 2))
    with pytest.raises(StepError, match="there are 0 in the interval") as caught:
        minimum_variance(layer(), interval=early)
    assert "2024-05-10 00:00:00 to 2024-05-10 00:09:59 UT" in caught.value.advice
    with pytest.raises(StepError, match="does not vary"):
        minimum_variance(replace(layer(), values=np.ones((600, 3))))


def test_what_is_no_vector_is_refused():
    with pytest.raises(StepError, match=r"the field of .* must be a vector, but 'proton flux' is a spectrum"):
        minimum_variance(spectrum())


def tangential(normal_noise=4.0):
    """A sheet without a normal field, but with so much noise along N that N has no smallest variance."""
    time = np.linspace(-3, 3, 600)
    noise = np.random.default_rng(5).normal(size=(600, 3)) * [0.5, 0.5, normal_noise]
    along = np.stack([10 * np.tanh(time), np.full(600, 12.0), np.zeros(600)], axis=1) + noise
    return replace(layer(), values=along @ np.stack([LARGEST, MIDDLE, NORMAL]))


def test_the_constraint_finds_the_normal_of_a_tangential_discontinuity():
    free = axes_of(minimum_variance(tangential(), give="axes"))
    bound = axes_of(minimum_variance(tangential(), constraint="zero_normal_field", give="axes"))
    assert degrees(free[2], NORMAL) > 45
    assert degrees(bound[2], NORMAL) < 3
    assert (
        degrees(bound[1], tangential().values.mean(axis=0) / np.linalg.norm(tangential().values.mean(axis=0)))
        < 1e-6
    )
    along = minimum_variance(tangential(), constraint="zero_normal_field")
    assert along.values[:, 2].mean() == pytest.approx(0, abs=1e-12)
    assert "mean of the normal component required to be 0" in along.description


def test_the_constraint_is_the_eigenvectors_of_the_projected_matrix():
    """Against P M P of Sonnerup & Scheible (1998), eq. 8.22, whose third eigenvalue is zero."""
    field = tangential().values
    mean = field.mean(axis=0) / np.linalg.norm(field.mean(axis=0))
    projection = np.eye(3) - np.outer(mean, mean)
    matrix = np.cov(field.T, bias=True)
    variances, vectors = np.linalg.eigh(projection @ matrix @ projection)
    found = axes_of(minimum_variance(tangential(), constraint="zero_normal_field", give="axes"))
    values = minimum_variance(tangential(), constraint="zero_normal_field", give="eigenvalues").values[0]
    np.testing.assert_allclose(np.abs(vectors[:, 1] @ found[2]), 1, rtol=1e-12)
    np.testing.assert_allclose(np.abs(vectors[:, 2] @ found[0]), 1, rtol=1e-12)
    np.testing.assert_allclose(values, [variances[2], mean @ matrix @ mean, variances[1]], rtol=1e-10)
    np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(found) == pytest.approx(1)


def test_a_poor_normal_under_the_constraint_is_noted_with_its_own_ratio():
    poor = minimum_variance(tangential(normal_noise=5.0), constraint="zero_normal_field")
    assert poor.notes == (
        "the normal is poorly determined: λ_L/λ_N is " + poor.notes[0].split()[-4] + " less than 4",
    )


def test_the_constraint_needs_a_mean_and_variation_across_it():
    wave = replace(layer(4), values=np.array([[1.0, 0, 0], [-1.0, 0, 0], [0, 2.0, 0], [0, -2.0, 0]]))
    with pytest.raises(StepError, match="the mean of the vector in the series is zero"):
        minimum_variance(wave, constraint="zero_normal_field")
    steady = replace(layer(4), values=np.array([[1.0, 0, 0], [2.0, 0, 0], [3.0, 0, 0], [4.0, 0, 0]]))
    with pytest.raises(StepError, match="does not vary"):
        minimum_variance(steady, constraint="zero_normal_field")


@pytest.mark.parametrize("give", ["vector", "axes", "eigenvalues"])
def test_golden(give):
    check_golden(minimum_variance, minimum_variance(vector(), give=give), f"_{give}", digits=12)
