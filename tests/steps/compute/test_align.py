"""A series on another one's epochs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helio.errors import StepError
from helio.steps.compute.align import align
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.series import check_golden, epochs, scalar, spectrum, vector

CALLS = [
    ([solar_wind.bz, solar_wind.bz], {"limit": solar_wind.HOUR}),
    ([solar_wind.field, solar_wind.bz], {"limit": solar_wind.HOUR}),
]


def onto(*seconds):
    return scalar(seconds, np.zeros(len(seconds)), name="n")


def test_a_straight_line_is_itself_between_its_samples():
    seconds = np.arange(0, 3600, 16.0)
    result = align(scalar(seconds, 2 * seconds + 1), onto(*np.arange(5, 3500, 7.0)), limit=Duration("20s"))
    np.testing.assert_allclose(result.values, 2 * np.arange(5, 3500, 7.0) + 1, rtol=1e-13)


def test_a_gap_longer_than_the_limit_stays_a_gap_and_a_shorter_one_is_crossed():
    series = scalar([0, 60, 300, 360, 480], [0, 1, 5, 6, 8])
    result = align(series, onto(*range(0, 481, 60)), limit=Duration("2min"))
    np.testing.assert_array_equal(result.values, [0, 1, np.nan, np.nan, np.nan, 5, 6, 7, 8])


def test_a_missing_value_is_a_missing_record():
    series = scalar([0, 60, 120, 180, 240], [0, 1, np.nan, np.nan, 4])
    result = align(series, onto(30, 90, 120, 240), limit=Duration("2min"))
    np.testing.assert_array_equal(result.values, [0.5, np.nan, np.nan, 4])


def test_nothing_is_made_before_the_first_and_after_the_last_sample():
    for method in ("linear", "nearest"):
        result = align(
            scalar([60, 120], [1, 2]), onto(0, 60, 120, 180), limit=Duration("1min"), method=method
        )
        np.testing.assert_array_equal(result.values, [np.nan, 1, 2, np.nan])


def test_the_nearest_sample_is_taken_no_further_than_half_the_limit():
    series = scalar([0, 60, 120], [3, 5, 9])
    result = align(series, onto(0, 29, 30, 31, 91, 151), limit=Duration("1min"), method="nearest")
    np.testing.assert_array_equal(result.values, [3, 3, 3, 5, 9, np.nan])


def test_the_clock_and_nothing_else_is_the_others():
    table = vector()
    other = onto(0, 100, 200)
    result = align(table, other, limit=Duration("2min"))
    np.testing.assert_array_equal(result.epoch, other.epoch)
    assert (result.unit, result.frame, result.components, result.name) == ("nT", "GSE", table.components, "B")


def test_each_component_is_taken_on_its_own():
    result = align(vector(), onto(180), limit=Duration("1min"))
    assert np.isnan(result.values[0]).tolist() == [False, True, False]
    assert result.values[0, 0] == 8.0


def test_samples_that_are_left_out_are_said():
    seconds = np.arange(600.0)
    result = align(scalar(seconds, seconds), onto(0, 60, 120), limit=Duration("2s"))
    assert "one every 1 s, the new epochs are 1 min apart" in result.notes[-1]
    assert not any(
        "left out" in note
        for note in align(onto(0, 60), scalar([0, 30], [1, 1]), limit=Duration("2min")).notes
    )


def test_tables_of_two_different_days_are_refused():
    with pytest.raises(StepError, match="no record in the time range of 'n'"):
        align(scalar([0, 60], [1, 2]), onto(90_000, 90_060), limit=Duration("1min"))


def test_a_spectrum_is_aligned_bin_by_bin_and_changing_bins_only_to_the_nearest():
    table = spectrum()
    result = align(table, onto(30), limit=Duration("1min"))
    assert result.values[0].tolist() == [24.0, 12.0, 6.0, 3.0, 1.5]
    centers = np.tile(table.axes[0].centers, (4, 1))
    centers[1::2] *= 2
    moving = replace(table, axes=(replace(table.axes[0], centers=centers),))
    with pytest.raises(StepError, match="cannot be interpolated") as refusal:
        align(moving, onto(30), limit=Duration("1min"))
    assert refusal.value.advice
    result = align(moving, onto(50, 170), limit=Duration("1min"), method="nearest")
    assert result.axes[0].centers[:, 0].tolist() == [2.0, 2.0]
    assert result.values[:, 0].tolist() == [32.0, 64.0]


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 90), min_size=1, max_size=40),
    st.lists(st.one_of(st.just(np.nan), st.floats(-1e3, 1e3)), min_size=40, max_size=40),
    st.lists(st.integers(0, 2000), min_size=1, max_size=40),
    st.integers(1, 200),
)
def test_it_is_numpys_interpolation_wherever_the_samples_are_near_enough(steps, values, wanted, limit):
    have = np.cumsum(steps)
    values = np.array(values[: len(steps)])
    valid = ~np.isnan(values)
    want = np.array(sorted(wanted))
    if have[0] > want[-1] or have[-1] < want[0]:
        return
    result = align(scalar(have, values), onto(*want), limit=Duration(f"{limit}s")).values
    known, samples = have[valid], values[valid]
    for time, value in zip(want, result, strict=True):
        before, after = known[known <= time], known[known >= time]
        near = before.size and after.size and after[0] - before[-1] <= limit
        assert np.isnan(value) != bool(near)
        if near and time not in known:
            np.testing.assert_allclose(value, np.interp(time, known, samples), rtol=1e-9, atol=1e-9)


def test_between_two_infinite_samples_there_is_no_value():
    result = align(scalar([0, 60, 120], [np.inf, np.inf, 1]), onto(30, 60), limit=Duration("1min"))
    np.testing.assert_array_equal(result.values, [np.nan, np.inf])


@pytest.mark.parametrize("steps", [(1, 1), (0, 3)])
def test_blocks_do_not_show_in_the_last_bit(monkeypatch, steps):
    generator = np.random.default_rng(4)
    values = generator.normal(size=(500, 3))
    values[generator.random((500, 3)) < 0.2] = np.nan
    have = np.cumsum(generator.integers(*steps, 500, endpoint=True))
    table = replace(vector(), epoch=epochs(*have), values=values)
    wanted = onto(*np.sort(generator.uniform(0, have[-1], 700)), *have[-1:] + 1)
    whole = align(table, wanted, limit=Duration("3s"))
    monkeypatch.setattr("helio.steps.compute.between_samples.BLOCK", 7)
    np.testing.assert_array_equal(align(table, wanted, limit=Duration("3s")).values, whole.values)


def test_an_empty_clock_gives_an_empty_table():
    assert len(align(vector(), onto(), limit=Duration("1min"))) == 0


def test_golden():
    check_golden(align, align(vector(), onto(*range(30, 720, 90)), limit=Duration("2min")))
    check_golden(
        align,
        align(vector(), onto(*range(30, 720, 90)), limit=Duration("2min"), method="nearest"),
        "_nearest",
    )
    assert epochs(30)[0] == onto(30).epoch[0]
