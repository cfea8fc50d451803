"""Thinned lines keep what can be seen."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.steps.render.downsample import break_at_seam, isolated, thin_line
from helio.steps.render.gaps import gaps
from tests.steps.series import START

SECOND = np.timedelta64(1, "s")


def thin(epoch, values, pixels=50, factor=1.5):
    return thin_line(
        epoch, values, gaps(epoch, factor), start=epoch[0], stop=epoch[-1] + SECOND, pixels=pixels
    )


def regular(count):
    return START + np.arange(count) * SECOND


def test_the_lowest_and_highest_of_every_pixel_are_kept_exactly():
    values = np.random.default_rng(1).normal(size=10_000)
    epoch = regular(values.size)
    x, y = thin(epoch, values)
    edges = np.linspace(epoch[0].astype("i8"), (epoch[-1] + SECOND).astype("i8"), 51).astype("i8")
    for low, high in itertools.pairwise(edges):
        inside = (epoch.astype("i8") >= low) & (epoch.astype("i8") < high)
        kept = (x.astype("i8") >= low) & (x.astype("i8") < high)
        assert y[kept].min() == values[inside].min()
        assert y[kept].max() == values[inside].max()
    assert np.array_equal(y, values[np.searchsorted(epoch, x)]), "every value stands at its own time"
    assert y.size <= 2 * 50 + 2


def test_first_and_last_samples_are_kept():
    epoch = regular(10_000)
    x, y = thin(epoch, np.sin(np.arange(10_000)))
    assert (x[0], x[-1]) == (epoch[0], epoch[-1])
    assert (y[0], y[-1]) == (0.0, np.sin(9_999))


def test_two_missing_values_in_twenty_thousand_break_the_line():
    values = np.arange(20_000.0)
    values[7_000:7_002] = np.nan
    x, y = thin(regular(values.size), values)
    (place,) = np.flatnonzero(np.isnan(y))
    assert (y[place - 1], y[place + 1]) == (6_999.0, 7_002.0)
    assert x[place - 1] < x[place] < x[place + 1]


def test_absent_records_break_the_line_and_missing_values_beside_them_do_not_hide_it():
    epoch = np.concatenate([regular(5_000), regular(5_000) + 6_000 * SECOND])
    values = np.arange(10_000.0)
    values[4_999] = np.nan
    _, y = thin(epoch, values)
    assert np.isnan(y).sum() == 1


def test_few_points_stay_as_they_are():
    epoch = regular(100)
    values = np.arange(100.0)
    x, y = thin(epoch, values)
    assert np.array_equal(x, epoch)
    assert np.array_equal(y, values)


def test_a_line_broken_everywhere_is_still_bounded():
    values = np.arange(20_000.0)
    values[::2] = np.nan
    _, y = thin(regular(values.size), values)
    assert y.size < 50 * 6


def test_a_value_between_two_breaks_is_found():
    assert isolated(np.array([1.0, np.nan, 2.0, np.nan, 3.0, 4.0])).tolist() == [True, False, True] + 3 * [
        False
    ]


@pytest.mark.slow
@given(
    st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=1, max_size=300),
    st.integers(2, 40),
    st.randoms(use_true_random=False),
)
def test_nothing_is_invented_or_lost_at_the_extremes(numbers, pixels, random):
    values = np.array(numbers)
    steps = np.array([random.choice([1, 1, 1, 7]) for _ in numbers])
    epoch = START + np.cumsum(steps) * SECOND
    x, y = thin(epoch, values, pixels=pixels)
    finite = np.isfinite(y)
    assert np.isin(y[finite], values).all()
    assert np.all(np.diff(x.astype("i8")) > 0)
    if np.isfinite(values).any():
        assert np.nanmin(y) == np.nanmin(values)
        assert np.nanmax(y) == np.nanmax(values)


def test_a_thinned_angle_has_no_line_across_the_panel():
    epoch = START + np.arange(20_000) * np.timedelta64(1, "s")
    angle = (np.arange(20_000) * 7.0) % 360 - 180  # many turns in each pixel
    gap = np.zeros(epoch.size, dtype=bool)
    gap[1:] = np.abs(np.diff(angle)) > 180
    x, y = thin_line(epoch, angle, gap, start=epoch[0], stop=epoch[-1], pixels=200)
    assert (np.abs(np.diff(y)) > 180).any()
    bx, by = break_at_seam(x, y, 360.0)
    assert not (np.abs(np.diff(by)) > 180).any()
    assert (np.diff(bx) > np.timedelta64(0)).all()
    kept = np.isin(bx, x)
    assert np.array_equal(by[kept], y, equal_nan=True)
    assert np.isnan(by[~kept]).all()
    same = break_at_seam(x, y, None)
    assert same[0] is x
    assert same[1] is y
