"""What a series does within intervals of fixed duration."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.clock_angle import clock_angle
from helio.steps.compute.resample import resample
from helio.steps.compute.statistics import statistics
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [
    ([solar_wind.bz], {"interval": solar_wind.HOUR, "of": ["mean"]}),
    ([solar_wind.bz], {"interval": solar_wind.HOUR}),
    ([solar_wind.field], {"interval": solar_wind.HOUR, "of": ["mean"]}),
    ([solar_wind.field], {"interval": solar_wind.HOUR, "of": ["count"]}),
]


def test_a_minute_of_five_values():
    table = scalar([0, 10, 20, 30, 40], [2, 4, 4, 5, 10])
    result = statistics(table, interval=Duration("1min"))
    assert result.components == ("mean", "median", "std", "min", "max")
    np.testing.assert_allclose(result.values, [[5, 4, 3, 2, 10]])
    assert result.unit == "nT"


def test_it_agrees_with_pandas_for_every_statistic_and_component():
    generator = np.random.default_rng(9)
    values = 1e6 + generator.normal(size=(800, 3))
    values[generator.random((800, 3)) < 0.4] = np.nan
    table = vector()
    table = replace(
        table, epoch=scalar(np.cumsum(generator.exponential(7, 800)), np.zeros(800)).epoch, values=values
    )
    for statistic in ("mean", "median", "std", "min", "max", "count"):
        result = statistics(table, interval=Duration("50s"), of=[statistic])
        expected = getattr(table.to_pandas().resample("50s"), statistic)()
        assert result.components == (f"Bx {statistic}", f"By {statistic}", f"Bz {statistic}")
        np.testing.assert_allclose(result.values, expected.to_numpy(), rtol=1e-9)
        np.testing.assert_array_equal(result.epoch, expected.index.to_numpy().astype("datetime64[ns]"))


def test_the_intervals_are_those_of_resample():
    result = statistics(vector(), interval=Duration("2min"), of=["mean", "max"])
    for column, method in enumerate(("mean", "max")):
        expected = resample(vector(), cadence=Duration("2min"), method=method)
        np.testing.assert_array_equal(result.values[:, column::2], expected.values)
        np.testing.assert_array_equal(result.epoch, expected.epoch)


def test_a_small_deviation_on_a_large_mean_is_found():
    values = 1e9 + np.tile([-0.5, 0.5], 30)
    result = statistics(scalar(np.arange(60), values), interval=Duration("1min"), of=["std"])
    np.testing.assert_allclose(result.values, [np.sqrt(60 * 0.25 / 59)], rtol=1e-9)
    assert (result.kind, result.name) == ("scalar", "Bz std")


def test_an_empty_interval_is_missing_and_its_count_is_zero():
    table = scalar([0, 10, 130], [1, np.nan, 3])
    both = statistics(table, interval=Duration("1min"), of=["mean", "std"])
    np.testing.assert_array_equal(both.values, [[1, np.nan], [np.nan, np.nan], [3, np.nan]])
    count = statistics(table, interval=Duration("1min"), of=["count"])
    assert (count.values.tolist(), count.unit) == ([1, 0, 1], "")


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ([], "'of' is an empty list"),
        (["mean", "mean"], "one table cannot hold these statistics: mean, mean"),
        (["count", "mean"], "one table cannot hold these statistics: count, mean"),
    ],
)
def test_what_cannot_stand_in_one_table_is_refused(of, message):
    with pytest.raises(StepError, match=message):
        statistics(vector(), interval=Duration("1min"), of=of)


def test_a_spectrum_is_refused_and_an_empty_series_stays_empty():
    with pytest.raises(StepError, match="is a spectrum"):
        statistics(spectrum(), interval=Duration("1min"))
    for of in (None, ["std"], ["median"]):
        assert len(statistics(vector().take(slice(0, 0)), interval=Duration("1min"), of=of)) == 0


def test_golden():
    check_golden(statistics, statistics(vector(), interval=Duration("3min")))


@pytest.mark.parametrize("of", ["mean", "median", "std", "min", "max"])
def test_a_component_stays_in_its_frame(of):
    """Without it, B_z in GSE passed for B_z in GSM."""
    bz = statistics(vector().component("Bz"), interval=Duration("2min"), of=[of])
    assert (bz.frame, bz.name) == ("GSE", f"Bz {of}")
    assert statistics(vector(), interval=Duration("2min"), of=[of]).frame == "GSE"


def test_all_statistics_of_a_component_are_in_its_frame_and_a_count_is_in_none():
    assert statistics(vector().component("Bz"), interval=Duration("2min")).component("mean").frame == "GSE"
    assert statistics(vector().component("Bz"), interval=Duration("2min"), of=["count"]).frame == ""


def test_means_of_a_vector_are_a_vector_and_its_deviations_are_none():
    assert clock_angle(statistics(vector(), interval=Duration("2min"), of=["mean"])).unit == "deg"
    with pytest.raises(StepError, match="not the components of one vector"):
        clock_angle(statistics(vector(), interval=Duration("2min"), of=["std"]))
