"""Spectra as cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.steps.render.gaps import gaps, record_edges
from helio.steps.render.spectrum_grid import bin_edges, spectrum_grid
from helio.store.table import Axis, Table
from tests.steps.series import START, epochs

HOUR = np.timedelta64(1, "h")


def grid(table, *, columns=100, rows=50, log=True, positive=True, span=HOUR, y_range=None):
    return spectrum_grid(
        table,
        start=START,
        stop=START + span,
        columns=columns,
        rows=rows,
        log_y=log,
        positive=positive,
        gap_factor=1.5,
        y_range=y_range,
    )


def table(seconds, values, centers, **edges):
    axis = Axis("Energy", "keV", np.asarray(centers, float), **edges)
    return Table(epochs(*seconds), np.asarray(values, float), "1/(cm^2 s sr keV)", "Flux", axes=(axis,))


def test_edges_are_geometric_means_on_a_logarithmic_axis():
    lower, upper = bin_edges(Axis("E", "keV", np.array([1.0, 100.0, 10.0])), log=True)
    assert np.allclose(lower, [10**-0.5, 10**1.5, 10**0.5])
    assert np.allclose(upper, [10**0.5, 10**2.5, 10**1.5])


def test_edges_are_arithmetic_means_on_a_linear_axis():
    lower, upper = bin_edges(Axis("pitch", "deg", np.array([10.0, 30.0, 60.0])), log=False)
    assert lower.tolist() == [0.0, 20.0, 45.0]
    assert upper.tolist() == [20.0, 45.0, 75.0]


def test_the_files_own_edges_leave_gaps_between_bins_empty():
    found = grid(
        table([0, 60], [[1, 2], [3, 4]], [14, 22], lower=np.array([13.0, 20.0]), upper=np.array([15.0, 24.0]))
    )
    assert found.y.tolist() == [13, 15, 20, 24]
    assert np.array_equal(found.z, [[1, 3], [np.nan, np.nan], [2, 4]], equal_nan=True)


def test_an_edge_that_a_logarithm_cannot_place_is_taken_from_the_centres():
    lower, _ = bin_edges(
        Axis("E", "keV", np.array([1.0, 10.0]), np.array([0.0, 3.0]), np.array([3.0, np.inf])), log=True
    )
    assert np.allclose(lower, [10**-0.5, 3.0])


def test_bins_out_of_order_are_drawn_low_to_high():
    found = grid(table([0, 60], [[3, 1, 2], [30, 10, 20]], [100, 1, 10]))
    assert found.z.tolist() == [[1, 10], [2, 20], [3, 30]]


def test_every_record_is_drawn_in_its_own_bins():
    centres = np.array([[1.0, 10.0], [2.0, 20.0]] * 2)
    found = grid(table([0, 60, 120, 180], [[1, 2], [3, 4], [5, 6], [7, 8]], centres))
    lower, upper = bin_edges(Axis("E", "keV", centres), log=True)
    middle = np.sqrt(found.y[:-1] * found.y[1:])
    values = [[1, 2], [3, 4], [5, 6], [7, 8]]
    for record in range(4):
        for row, centre in enumerate(middle):
            inside = (lower[record] <= centre) & (centre < upper[record])
            expected = values[record][int(inside.argmax())] if inside.any() else np.nan
            assert np.array_equal(found.z[row, record], expected, equal_nan=True)


def test_many_different_tables_of_bins_share_a_fine_grid():
    centres = np.geomspace(1, 100, 4) * (1 + np.arange(20)[:, None] / 50)
    found = grid(table(np.arange(20) * 60, np.tile([1.0, 2, 3, 4], (20, 1)), centres), rows=64)
    assert found.z.shape == (64, 20)
    assert set(np.unique(found.z[np.isfinite(found.z)])) == {1, 2, 3, 4}


def test_a_gap_is_an_empty_column_between_records_of_their_own_width():
    found = grid(table([0, 60, 120, 600, 660], np.ones((5, 2)), [1, 10]))
    seconds = (found.x - START) / np.timedelta64(1, "s")
    assert seconds.tolist() == [-30, 30, 90, 150, 570, 630, 690]
    assert np.isnan(found.z[0]).tolist() == [False, False, False, True, False, False]


def test_fill_and_values_not_above_zero_are_background():
    found = grid(table([0, 60], [[np.nan, 5], [0, -1]], [1, 10]))
    assert np.array_equal(found.z, [[np.nan, np.nan], [5, np.nan]], equal_nan=True)


def test_many_records_become_the_highest_of_each_pixel():
    values = np.tile([[1.0], [100.0]], (1800, 1))
    values[0] = np.nan
    values[1801] = 1e4
    found = grid(table(np.arange(3600), values, [10]), columns=60)
    assert found.z.shape == (1, 60)
    assert np.flatnonzero(found.z[0] != 100).tolist() == [30]
    assert found.z[0, 30] == 1e4


def test_a_spectrum_drawn_by_pixels_keeps_its_gap():
    seconds = np.concatenate([np.arange(1200), np.arange(2400, 3600)])
    found = grid(table(seconds, np.ones((2400, 2)), [1, 10]), columns=60)
    assert np.isnan(found.z[0]).tolist() == [False] * 20 + [True] * 20 + [False] * 20


def test_slow_records_among_fast_ones_leave_no_stripes():
    seconds = np.concatenate([np.arange(1800), np.arange(1800, 3600, 45)])
    found = grid(table(seconds, np.ones((seconds.size, 2)), [1, 10]), columns=120)
    assert np.isfinite(found.z[:, :-1]).all()


def test_a_record_alone_is_drawn():
    found = grid(table([600], [[1, 2]], [1, 10]))
    assert found.z.shape == (2, 1)
    assert found.x[0] < epochs(600)[0] < found.x[1]


# No cell is smaller than a pixel, and the brightest is seen

BRIGHT = 1e6


def edges_in_pixels(found, *, columns, rows, log, span, y_range=None):
    """Edges of the cells as plotly.js places them in a panel of that size, before it rounds them."""
    x = (found.x - START) / span * columns
    scaled, shown = found.y, np.array(y_range or (found.y[0], found.y[-1]))
    if log:
        scaled, shown = np.log(scaled), np.log(shown)
    return x, (scaled - shown[0]) / (shown[1] - shown[0]) * rows


def seen(found, *, columns, rows, log, span, y_range=None):
    """The values that plotly.js draws: it drops cells whose edges round to the same pixel."""
    x, y = edges_in_pixels(found, columns=columns, rows=rows, log=log, span=span, y_range=y_range)
    x, y = np.clip(np.floor(x + 0.5), 0, columns), np.clip(np.floor(y + 0.5), 0, rows)
    return found.z[np.diff(y) > 0][:, np.diff(x) > 0]


@st.composite
def spectra(draw):
    """A table of records and bins of any width with gaps, one cell of it bright, and a panel."""
    steps = draw(st.lists(st.sampled_from([0.001, 0.7, 1.0, 5.0, 60.0, 600.0, 5000.0]), max_size=40))
    seconds = np.concatenate([[0.0], np.cumsum(steps)])
    seconds += draw(st.sampled_from([0.0, 0.35, 1000.0]))
    ratios = draw(st.lists(st.sampled_from([1.0001, 1.003, 1.05, 1.5, 4.0]), max_size=40))
    centres = 10 * np.cumprod([1.0, *ratios])
    if draw(st.booleans()):
        wobble = draw(
            st.lists(st.sampled_from([1.0, 1.2, 1.7]), min_size=seconds.size, max_size=seconds.size)
        )
        centres = centres * np.array(wobble)[:, None]
    edges = {}
    if draw(st.booleans()):
        width = st.sampled_from([1.0, 1.00001, 1.001, 1.05])
        edges = {"lower": centres / draw(width), "upper": centres * draw(width)}
    random = np.random.default_rng(draw(st.integers(0, 99)))
    values = random.uniform(1, 10, (seconds.size, centres.shape[-1]))
    values[draw(st.integers(0, values.shape[0] - 1)), draw(st.integers(0, values.shape[1] - 1))] = BRIGHT
    span = np.timedelta64(int((seconds[-1] + draw(st.sampled_from([0.001, 1.0, 3600.0]))) * 1e9), "ns")
    panel = {"columns": draw(st.integers(30, 900)), "rows": draw(st.integers(20, 400)), "span": span}
    return table(seconds, values, centres, **edges), panel | {"log": draw(st.booleans())}


@given(spectra())
def test_the_brightest_value_is_seen_whatever_the_width_of_its_record_and_bin(made):
    spectrum, panel = made
    found = grid(spectrum, **panel)
    assert np.nanmax(found.z) == BRIGHT
    assert np.nanmax(seen(found, **panel)) == BRIGHT


@given(spectra())
def test_no_cell_is_smaller_than_a_pixel(made):
    spectrum, panel = made
    x, y = edges_in_pixels(grid(spectrum, **panel), **panel)
    assert np.diff(x).min() > 1 - 1e-4  # columns are whole nanoseconds
    assert np.diff(y).min() > 1 - 1e-6


@given(spectra())
def test_a_pixel_within_a_gap_stays_empty(made):
    spectrum, panel = made
    found = grid(spectrum, **panel)
    gap = gaps(spectrum.epoch, 1.5)
    left, right = record_edges(spectrum.epoch, gap, 1)
    for at in np.flatnonzero(gap):
        first, last = right[at - 1], left[at]
        edges = found.x.astype("i8")
        # A short record is widened to the pixel that its epoch is in.
        epochs_in = np.searchsorted(edges, spectrum.epoch[at - 1 : at + 1].astype("i8"), side="right") - 1
        inside = np.flatnonzero((edges[:-1] >= first) & (edges[1:] <= last))
        assert np.isnan(found.z[:, np.setdiff1d(inside, epochs_in)]).all()


@pytest.mark.parametrize("apart", [0.7, 2.0])
def test_short_records_over_a_day_are_all_seen(apart):
    day = np.timedelta64(1, "D")
    seconds = np.concatenate(
        [start + apart * np.arange(20) for start in np.arange(23) * 3700.3 + 11]
    ).tolist()
    values = np.ones((461, 3))
    values[200, 1] = BRIGHT
    panel = {"columns": 800, "rows": 200, "log": True, "span": day}
    found = grid(table([*seconds, 86390.0], values, [1, 10, 100]), **panel)
    drawn = seen(found, **panel)
    assert np.nanmax(drawn) == BRIGHT
    assert np.isfinite(drawn[0]).sum() >= 24
    assert np.isnan(drawn[0]).sum() > 700


def test_a_short_record_is_not_drawn_over_its_neighbour():
    # Records of a minute, and one of a second between two of them.
    seconds = [*range(0, 1800, 60), 1741, *range(1800, 3600, 60)]
    values = np.arange(1.0, 62.0)[:, None]
    found = grid(table(sorted(seconds), values, [10]), columns=100)
    assert found.even
    assert set(values[:, 0]) == set(found.z[0][np.isfinite(found.z[0])])


def test_bins_lower_than_a_pixel_share_rows_of_a_pixel():
    values = np.ones((3, 1000))
    values[1, 500] = BRIGHT
    found = grid(table([0, 60, 120], values, np.linspace(1, 100, 1000)), rows=80, log=False)
    assert found.z.shape == (80, 3)
    assert found.pixel_rows
    assert np.argwhere(found.z == BRIGHT).tolist() == [[40, 1]]


def test_a_thin_bin_far_from_others_does_not_fill_the_space_between():
    centres = np.array([10.0, 20.0, 40.0])
    found = grid(table([0, 60], np.ones((2, 3)), centres, lower=centres, upper=centres * 1.0001), rows=100)
    assert np.isfinite(found.z[:, 0]).sum() == 3


def test_a_zoomed_axis_shows_bins_that_the_whole_axis_cannot():
    made = table([0, 60], np.arange(2000.0).reshape(2, 1000), np.linspace(1, 1000, 1000))
    whole = grid(made, rows=100, log=False)
    zoomed = grid(made, rows=100, log=False, y_range=(10.0, 20.0))
    assert whole.pixel_rows
    assert not zoomed.pixel_rows
    outside = grid(made, rows=100, log=False, y_range=(5000.0, 6000.0))
    assert outside.z.size


def test_edges_without_any_width_are_taken_from_the_centres():
    centres = np.array([10.0, 20.0])
    lower, upper = bin_edges(Axis("E", "keV", centres, centres, centres), log=False)
    assert (lower.tolist(), upper.tolist()) == ([5.0, 15.0], [15.0, 25.0])
