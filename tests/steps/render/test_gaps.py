"""Gaps and coverage."""

import numpy as np

from helio.steps.render.gaps import coverage, gaps, record_edges
from tests.rows import in_one_test
from tests.steps.series import START, epochs


def test_one_missing_record_is_a_gap():
    assert np.flatnonzero(gaps(epochs(0, 60, 120, 240, 300), 1.5)).tolist() == [3]


def test_three_islands_of_one_minute_data_are_broken_twice():
    minute = np.arange(40) * 60.0
    found = gaps(epochs(*minute, *(minute + 30_000), *(minute + 60_000)), 1.5)
    assert np.flatnonzero(found).tolist() == [40, 80]


def test_an_irregular_cadence_is_broken_only_where_records_are_missing():
    steps = np.array([97.0, 94.0, 97.0, 100.0, 97.0, 583.0, 97.0, 94.0, 194.0, 97.0] * 5)
    found = gaps(epochs(0, *np.cumsum(steps)), 1.5)
    assert np.array_equal(found[1:], steps > 150)


def test_a_change_of_cadence_is_not_a_row_of_gaps():
    steps = np.array([1.0] * 400 + [10.0] * 400)
    assert not gaps(epochs(0, *np.cumsum(steps)), 1.5).any()


def test_the_factor_may_be_widened():
    assert not gaps(epochs(0, 60, 120, 240, 300), 3.0).any()


def test_a_record_beside_a_gap_is_as_wide_as_the_cadence():
    epoch = epochs(0, 10, 20, 100, 110)
    left, right = record_edges(epoch, gaps(epoch, 1.5), 1)
    seconds = lambda edges: ((edges - START.astype("i8")) / 1e9).tolist()  # noqa: E731
    assert seconds(left) == [-5, 5, 15, 95, 105]
    assert seconds(right) == [5, 15, 25, 105, 115]


def test_coverage_counts_records_with_values_over_the_time_range():
    epoch = epochs(*np.arange(50))
    usable = np.arange(50) >= 10
    share = coverage(epoch, usable, START, START + np.timedelta64(100, "s"), 1.5)
    assert share == 0.4


def test_nothing_covers_nothing():
    assert coverage(epochs(), np.zeros(0, bool), START, START + np.timedelta64(1, "h"), 1.5) == 0.0


@in_one_test("seed", range(30))
def test_coverage_is_the_width_of_the_records_with_values(seed: int):
    random = np.random.default_rng(seed)
    steps = random.choice([1, 1, 1, 2, 40], size=random.integers(1, 300)) * 1_000_000_001
    steps[: seed % 3 * 50] = 1_000_000_001
    epoch = START + np.concatenate([[0], steps.cumsum()]).astype("timedelta64[ns]")
    usable = random.random(epoch.size) < (1.0 if seed % 2 else 0.8)
    start, stop = epoch[0], epoch[-1] + np.timedelta64(1000, "s")

    left, right = record_edges(epoch, gaps(epoch, 1.5), 0)
    expected = int((right - left)[usable].sum()) / int((stop - start).astype("i8"))
    assert coverage(epoch, usable, start, stop, 1.5) == min(1.0, expected)
