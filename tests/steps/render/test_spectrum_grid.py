"""Spectra as cells."""

import numpy as np

from helio.steps.render.spectrum_grid import bin_edges, spectrum_grid
from helio.store.table import Axis, Table
from tests.steps.series import START, epochs

HOUR = np.timedelta64(1, "h")


def grid(table, *, columns=100, rows=50, log=True, positive=True):
    return spectrum_grid(
        table,
        start=START,
        stop=START + HOUR,
        columns=columns,
        rows=rows,
        log_y=log,
        positive=positive,
        gap_factor=1.5,
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
        for row, place in enumerate(middle):
            inside = (lower[record] <= place) & (place < upper[record])
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


def test_many_records_become_the_mean_of_the_flux_not_of_its_logarithm():
    values = np.tile([[1.0], [100.0]], (1800, 1))
    values[0] = np.nan
    found = grid(table(np.arange(3600), values, [10]), columns=60)
    assert found.z.shape == (1, 60)
    assert np.allclose(found.z[0, 1:], 50.5)
    assert found.z[0, 0] == (values[1:60].sum()) / 59


def test_an_averaged_spectrum_keeps_its_gap():
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
