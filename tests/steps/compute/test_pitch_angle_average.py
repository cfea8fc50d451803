"""A distribution averaged over pitch angles."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.pitch_angle_average import pitch_angle_average
from helio.store.table import Axis, Table
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, scalar, spectrum

CALLS = [([solar_wind.over_angles], {})]


def distribution(function, count=180, records=1):
    """A function of the pitch angle, in bins of equal width, twice as much at the second energy."""
    edges = np.linspace(0, 180, count + 1)
    centers = (edges[1:] + edges[:-1]) / 2
    along = function(np.radians(centers))
    values = np.broadcast_to(np.stack([along, 2 * along]), (records, 2, count)).copy()
    axes = (
        Axis("Energy", "keV", np.array([1.0, 10.0])),
        Axis("Pitch angle", "deg", centers, edges[:-1], edges[1:], "linear"),
    )
    return Table(
        epochs(*range(records)), values, unit="cm^-2 s^-1 sr^-1 keV^-1", name="j", axes=axes, scale="log"
    )


def test_an_isotropic_distribution_is_its_own_average():
    result = pitch_angle_average(distribution(np.ones_like))
    np.testing.assert_allclose(result.values, [[1, 2]], rtol=1e-14)
    assert [axis.label for axis in result.axes] == ["Energy"]
    assert result.unit == "cm^-2 s^-1 sr^-1 keV^-1"


def test_a_pancake_averages_to_two_thirds_and_a_cigar_to_one():
    """∫ sin³α dα / ∫ sin α dα = 2/3, ∫ cos²α sin α dα / ∫ sin α dα = 1/3."""
    np.testing.assert_allclose(
        pitch_angle_average(distribution(lambda a: np.sin(a) ** 2)).values[0, 0], 2 / 3, rtol=1e-4
    )
    np.testing.assert_allclose(
        pitch_angle_average(distribution(lambda a: np.cos(a) ** 2)).values[0, 0], 1 / 3, rtol=1e-4
    )


def test_a_range_takes_the_parts_of_its_bins():
    """Over 0 to 50 deg in bins of 20 deg: the third counts with its part from 40 to 50 deg."""
    table = distribution(lambda a: np.round(np.degrees(a)), count=9)
    weights = -np.diff(np.cos(np.radians([0, 20, 40, 50])))
    expected = (weights * [10, 30, 50]).sum() / weights.sum()
    np.testing.assert_allclose(pitch_angle_average(table, high=50).values[0, 0], expected, rtol=1e-14)


def test_parallel_and_perpendicular_ranges_add_up_to_the_whole():
    table = distribution(lambda a: 1 + np.cos(a), count=12)
    parts = [pitch_angle_average(table, low=low, high=low + 45).values[0, 0] for low in (0, 45, 90, 135)]
    weights = -np.diff(np.cos(np.radians([0, 45, 90, 135, 180]))) / 2
    np.testing.assert_allclose(np.dot(parts, weights), pitch_angle_average(table).values[0, 0], rtol=1e-14)


def test_missing_bins_are_left_out_and_said():
    table = distribution(np.ones_like, count=4, records=2)
    table.values[0, 0, 0] = np.nan
    table.values[1, 1] = np.nan
    result = pitch_angle_average(table)
    np.testing.assert_allclose(result.values, [[1, 2], [1, np.nan]])
    assert "% of the solid angle is missing" in result.notes[-1]
    assert pitch_angle_average(distribution(np.ones_like)).notes == ()


def test_angles_alone_give_a_series():
    table = distribution(np.ones_like)
    alone = replace(table, values=table.values[:, 0], axes=table.axes[1:])
    result = pitch_angle_average(alone, low=0, high=30)
    assert (result.kind, result.values.tolist()) == ("scalar", pytest.approx([1.0]))


def test_angles_may_stand_before_energies_and_have_no_edges():
    table = distribution(lambda a: np.sin(a) ** 2, count=90)
    turned = replace(
        table,
        values=np.moveaxis(table.values, 1, 2),
        axes=(replace(table.axes[1], lower=None, upper=None, scale="log"), table.axes[0]),
    )
    np.testing.assert_allclose(
        pitch_angle_average(turned).values, pitch_angle_average(table).values, rtol=1e-12
    )


@pytest.mark.parametrize(("low", "high"), [(90, 0), (-10, 90), (0, 181), (float("nan"), 90), (45, 45)])
def test_a_range_that_is_none_is_refused(low, high):
    with pytest.raises(StepError, match="not a range of pitch angles"):
        pitch_angle_average(distribution(np.ones_like), low=low, high=high)


def test_axes_that_are_no_angles_are_refused():
    with pytest.raises(StepError, match="no axis of pitch angles") as refusal:
        pitch_angle_average(spectrum())
    assert (
        refusal.value.advice
        == "choose a spectrum over pitch angles; this spectrum has the axes: Energy [keV]"
    )
    with pytest.raises(StepError, match="'Energy' is in keV"):
        pitch_angle_average(spectrum(), axis="Energy")
    with pytest.raises(StepError, match=r"the spectrum of .* must be a spectrum, but 'Bz' is one series"):
        pitch_angle_average(scalar([0], [1]))
    table = distribution(np.ones_like)
    phases = replace(table, axes=(replace(table.axes[0], label="Phase", unit="deg"), table.axes[1]))
    with pytest.raises(StepError, match="2 axes in deg"):
        pitch_angle_average(phases)


def test_an_axis_without_a_unit_is_in_degrees_when_it_cannot_be_in_radians():
    """As the Van Allen Probes' HOPE delivers it: "pitch angle" from 4.5 to 175.5, no unit."""
    table = distribution(lambda a: np.cos(a) ** 2, count=6)
    bare = replace(table, axes=(table.axes[0], replace(table.axes[1], unit="")))
    np.testing.assert_array_equal(pitch_angle_average(bare).values, pitch_angle_average(table).values)
    small = replace(bare.axes[1], centers=np.radians(bare.axes[1].centers), lower=None, upper=None)
    with pytest.raises(StepError, match="no axis of pitch angles in deg"):
        pitch_angle_average(replace(bare, axes=(table.axes[0], small)))
    with pytest.raises(StepError, match="is in no unit"):
        pitch_angle_average(replace(bare, axes=(table.axes[0], small)), axis="pitch angle")


def test_a_range_without_a_bin_is_refused():
    table = distribution(np.ones_like)
    half = replace(
        table,
        values=table.values[..., :90],
        axes=(
            table.axes[0],
            Axis("Pitch angle", "deg", *(part[:90] for part in table.axes[1].parts.values()), "linear"),
        ),
    )
    with pytest.raises(StepError, match="no bin of 'Pitch angle' overlaps the range 100 to 120 deg"):
        pitch_angle_average(half, low=100, high=120)


def test_golden():
    check_golden(
        pitch_angle_average, pitch_angle_average(distribution(lambda a: np.cos(a) ** 2, count=6, records=2))
    )
