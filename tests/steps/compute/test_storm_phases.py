"""Phases of geomagnetic storms."""

import os
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.sources.cdf import CdfReader
from helio.steps.compute.storm_phases import storm_phases
from helio.time_range import TimeRange
from tests.steps.series import check_golden
from tests.steps.solar_wind import series

GIVES = ("phase", "onset", "minimum", "durations")
NAN = np.nan
DST = [5, -10, -60, -110, -70, -90, -30, -12, 0, -20, -40, -20, -5, -16, -55, -51, -14]
"""One value a minute: a storm with two dips, a disturbance that is no storm, and a moderate storm."""


def index(values=DST):
    return series(values, "nT", "Dst")


CALLS = [([index], {"give": give}) for give in GIVES]


def minutes(table):
    start = np.datetime64("2024-05-10", "ns")
    return ((table.epoch - start) / np.timedelta64(1, "m")).tolist()


def test_two_storms_have_their_onsets_minima_and_recoveries():
    onset, minimum = storm_phases(index(), give="onset"), storm_phases(index(), give="minimum")
    assert (minutes(onset), onset.values.tolist()) == ([1, 12], [-10, -5])
    assert (minutes(minimum), minimum.values.tolist()) == ([3, 14], [-110, -55])
    durations = storm_phases(index(), give="durations")
    np.testing.assert_allclose(durations.values * 60, [[2, 4], [2, 2]])
    assert (durations.unit, durations.components) == ("h", ("main phase", "recovery phase"))
    assert minutes(durations) == minutes(minimum)
    assert minimum.unit == "nT"
    assert "2 storms of Dst at or below -50 nT, lowest -110 nT" in minimum.description


def test_phases_are_numbered_on_the_epochs_of_the_index():
    result = storm_phases(index())
    assert result.values.tolist() == [0, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0, 1, 1, 2, 2, 0]
    assert (result.unit, result.frame) == ("", "")
    np.testing.assert_array_equal(result.epoch, index().epoch)


def step_by_step(values, threshold, quiet):
    """The same phases by walking from each minimum to both sides."""
    values = np.array(values, dtype=float)
    phase = np.where(np.isnan(values), NAN, 0.0)
    left = np.where(np.isnan(values), np.inf, values)
    while left.min() <= threshold:
        lowest = int(left.argmin())
        start = lowest
        while start > 0 and not values[start] >= quiet:
            start -= 1
        stop = lowest
        while stop < values.size and not values[stop] >= quiet:
            stop += 1
        phase[start:lowest], phase[lowest:stop] = 1.0, 2.0
        left[start:stop] = np.inf
    phase[np.isnan(values)] = NAN
    return phase


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_from_each_minimum_finds_the_same(seed):
    random = np.random.default_rng(seed)
    values = np.cumsum(random.normal(size=400) * 12)
    values -= np.linspace(0, 0.8, 400) * values[-1] + 30
    values[random.integers(0, 400, 20)] = NAN
    np.testing.assert_array_equal(storm_phases(index(values)).values, step_by_step(values, -50, -15))


def test_thresholds_choose_the_storms():
    assert minutes(storm_phases(index(), threshold=-100, give="minimum")) == [3]
    assert minutes(storm_phases(index(), threshold=-40, give="minimum")) == [3, 10, 14]
    assert minutes(storm_phases(index(), quiet=-11, give="onset")) == [1, 12]
    with pytest.raises(StepError, match="the quiet level of -50 nT is not above the threshold of -50 nT"):
        storm_phases(index(), quiet=-50)


def test_a_storm_that_began_before_the_series_or_goes_on_has_an_unknown_duration():
    cut = index(DST[2:6])
    np.testing.assert_array_equal(storm_phases(cut, give="durations").values, [[NAN, NAN]])
    assert len(storm_phases(cut, give="onset")) == 0
    assert storm_phases(cut).values.tolist() == [1, 2, 2, 2]


def test_missing_samples_are_no_quiet_time():
    gap = index([0, NAN, -60, NAN, -80, NAN, -10])
    np.testing.assert_array_equal(storm_phases(gap).values, [1, NAN, 1, NAN, 2, NAN, 0])
    assert storm_phases(gap).notes == ("missing in the storms: 3 samples",)


@pytest.mark.parametrize("values", [[], [3.0], [NAN, NAN], [5.0, -49.0, 3.0]])
def test_without_a_storm_there_are_no_records(values):
    assert len(storm_phases(index(values), give="minimum")) == 0
    assert storm_phases(index(values), give="durations").values.shape == (0, 2)
    assert not np.nansum(storm_phases(index(values)).values)
    assert storm_phases(index(values)).description == "0 storms of Dst at or below -50 nT"


def test_an_index_in_another_unit_is_refused():
    with pytest.raises(UnitMismatch, match="must be in nT"):
        storm_phases(series([1.0], "T", "Dst"))


@pytest.mark.archive
def test_the_storms_of_spring_2023_are_those_of_kyotos_dst():
    """Minima of Dst after WDC Kyoto: −132 nT on 27 February 2023 at 12 UT, −163 on 24 March, −213 on 24 April."""
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    [path] = Path(folder).rglob("omni2_h0_mrg1hr_20230101*.cdf")
    with CdfReader() as reader:
        dst = reader.read(path, ["DST"], TimeRange(datetime(2023, 1, 1), datetime(2024, 1, 1)))["DST"]
    minima = storm_phases(dst, threshold=-120, give="minimum")
    days = [str(day) for day in minima.epoch.astype("M8[D]")]
    assert days[:3] == ["2023-02-27", "2023-03-24", "2023-04-24"]
    # OMNI has an earlier version of the third
    np.testing.assert_allclose(minima.values[:3], [-132, -163, -213], atol=2)


@pytest.mark.parametrize("give", GIVES)
def test_golden(give):
    check_golden(storm_phases, storm_phases(index(), give=give), f"_{give}", digits=12)
