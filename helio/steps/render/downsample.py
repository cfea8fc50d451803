"""Reduce lines to a few points per pixel, so that their exact envelope, their ends and every gap remain."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Int = npt.NDArray[np.int64]

_SHORT = 200
"""Mean number of values in a piece up to which all pieces are searched together, which is then faster."""


def thin_line(
    epoch: npt.NDArray[np.datetime64],
    values: npt.NDArray[Any],
    gap: npt.NDArray[np.bool_],
    *,
    start: np.datetime64,
    stop: np.datetime64,
    pixels: int,
    borders: Int | None = None,
) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[Any]]:
    """Reduce a line over time to a few points per pixel, and break it at gaps.

    Parameters
    ----------
    epoch, values : shape (n,)
        NaN where there is no value.
    gap : bool, shape (n,)
        Whether there is a gap before each record.
    start, stop : datetime64[ns]
        The interval that `pixels` divide.
    pixels : int
        With more than two points per pixel, only the lowest and highest of each pixel are kept, at their
        own times, with the ends of every uninterrupted piece. Of several breaks within one pixel the first
        is kept: nothing of the others can be seen.
    borders : shape (pixels + 1,), optional
        The borders of the pixels in ns. Default: those of `pixel_borders`.

    Returns
    -------
    epoch, values : shape (m,)
        A NaN stands wherever the line is broken.
    """
    finite = np.isfinite(values)
    nanoseconds: Int = epoch.astype("datetime64[ns]", copy=False).view("i8")
    if finite.all():
        chosen = nanoseconds
        value = values
        breaks = np.flatnonzero(gap)
    else:
        index = np.flatnonzero(finite)
        chosen = nanoseconds[index]
        value = values[index]
        # NaN between two values breaks the line, and so does a gap anywhere between them.
        passed = np.cumsum(gap)[index]
        breaks = np.flatnonzero((np.diff(index) > 1) | (np.diff(passed) > 0)) + 1
    if value.size == 0:
        return epoch[:0], values[:0]
    if values.size <= 2 * pixels:
        if not gap.any():
            return epoch, values
        return _broken(chosen, value, np.arange(value.size), breaks)
    if borders is None:
        borders = pixel_borders(start, stop, pixels)
    starts = np.searchsorted(chosen, borders[:-1])
    starts = _distinct(value.size, starts[starts < value.size], [0])
    pixel_of_break = np.searchsorted(starts, breaks, side="right")
    breaks = breaks[np.unique(pixel_of_break, return_index=True)[1]]
    starts = _distinct(value.size, starts, breaks)
    stops = np.append(starts[1:], value.size)
    if value.size > _SHORT * starts.size:
        pieces = list(zip(starts, stops, strict=True))
        lowest = np.array([first + value[first:last].argmin() for first, last in pieces])
        highest = np.array([first + value[first:last].argmax() for first, last in pieces])
    else:
        lowest, highest = (_firsts_of(value, starts, extreme) for extreme in (np.minimum, np.maximum))
    samples = _distinct(value.size, lowest, highest, [0, value.size - 1], breaks, breaks - 1)
    return _broken(chosen, value, samples, breaks)


def break_at_seam(
    x: npt.NDArray[np.datetime64], y: npt.NDArray[Any], period: float | None
) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[Any]]:
    """Break the line of an angle where it jumps from one end of its range to the other.

    From 179° to −179° there are two degrees, and no line across the panel. A thinned line needs this too, because it
    keeps only the first of several breaks within one pixel.

    Parameters
    ----------
    x, y : shape (n,)
    period : float or None
        The period in the unit of `y`; None for a line that is no angle, which stays as it is.
    """
    if period is None:
        return x, y
    with np.errstate(invalid="ignore"):
        jumps = np.flatnonzero(np.abs(np.diff(y.astype(np.float64))) > period / 2) + 1
    nanoseconds: Int = x.astype("datetime64[ns]", copy=False).view("i8")
    middle = (nanoseconds[jumps - 1] + nanoseconds[jumps]) // 2
    return np.insert(nanoseconds, jumps, middle).view("datetime64[ns]"), np.insert(y, jumps, np.nan)


def pixel_borders(start: np.datetime64, stop: np.datetime64, pixels: int) -> Int:
    """Return the times in ns that divide an interval into equal parts."""
    first, last = (int(moment.astype("datetime64[ns]").astype("i8")) for moment in (start, stop))
    return np.linspace(first, last, pixels + 1).astype("i8")


def _distinct(size: int, *indices: Int | list[int]) -> Int:
    """Return the different indices of an array of a size in increasing order, faster than `numpy.unique`."""
    is_taken = np.zeros(size, dtype=bool)
    for chosen in indices:
        is_taken[chosen] = True
    return np.flatnonzero(is_taken)


def _firsts_of(value: npt.NDArray[Any], starts: Int, extreme: np.ufunc) -> Int:
    """Return the index of the first extreme value of each piece."""
    piece = np.repeat(np.arange(starts.size), np.diff(np.append(starts, value.size)))
    equal = np.flatnonzero(value == extreme.reduceat(value, starts)[piece])
    is_first = np.diff(piece[equal], prepend=-1) > 0
    return equal[is_first]


def thin_curve(
    places: npt.NDArray[np.float64], values: npt.NDArray[np.float64], *, log: bool, pixels: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Reduce a curve over increasing positions to a few points per pixel, and break it where a value is missing.

    With more than two bins per pixel only the lowest and highest of each pixel are kept, at their own places, with the
    ends of every uninterrupted piece: the exact envelope.

    Parameters
    ----------
    places, values : shape (n,)
        NaN where there is no value; places above zero where `log`.
    log : bool
        Whether pixels are equal steps of the logarithm.
    pixels : int
        Width of the whole range of places.
    """
    index = np.flatnonzero(np.isfinite(values))
    if values.size <= 2 * pixels or not index.size:
        return places, values
    scaled = np.log10(places[index]) if log else places[index]
    pixel = np.floor((scaled - scaled[0]) / max(scaled[-1] - scaled[0], 1e-300) * pixels)
    piece = np.concatenate([[0], np.cumsum(np.diff(index) > 1)])
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(pixel) > 0) | (np.diff(piece) > 0)]))
    value = values[index]
    groups = zip(starts, np.append(starts[1:], value.size), strict=True)
    extremes = [first + at for first, last in groups for at in _extremes(value[first:last])]
    borders = np.flatnonzero(np.diff(piece))
    samples = np.unique(
        np.concatenate([extremes, borders, borders + 1, [0, value.size - 1]]).astype(np.int64)
    )
    breaks = np.flatnonzero(np.diff(piece[samples])) + 1
    samples = index[samples]
    return np.insert(places[samples], breaks, places[samples[breaks]]), np.insert(
        values[samples], breaks, np.nan
    )


def _extremes(values: npt.NDArray[np.float64]) -> tuple[int, int]:
    return int(values.argmin()), int(values.argmax())


def thin_cloud(columns: Int, rows: Int, extremes: Int) -> Int:
    """Return the indices of the points that are visible as markers: the last point in each pixel, and the extremes.

    Parameters
    ----------
    columns, rows : shape (n,)
        The pixel of each point; a later point covers an earlier one.
    extremes : shape (m,)
        Indices of points that are kept in any case.
    """
    order = np.lexsort((rows, columns))
    last = np.flatnonzero((np.diff(columns[order]) != 0) | (np.diff(rows[order]) != 0))
    # The sort is stable: in each pixel the last index is the latest point.
    return np.union1d(order[np.append(last, order.size - 1)], extremes).astype(np.int64)


def thin_path(columns: Int, rows: Int, breaks: npt.NDArray[np.bool_], extremes: Int) -> Int:
    """Return the indices of the points that a line needs: the ends of each stay in a pixel, and the extremes.

    Parameters
    ----------
    columns, rows : shape (n,)
        The pixel of each point.
    breaks : bool, shape (n,)
        Whether the line is broken before each point.
    extremes : shape (m,)
        Indices of points that are kept in any case.
    """
    moved = (np.diff(columns) != 0) | (np.diff(rows) != 0) | breaks[1:]
    begins = np.concatenate([[True], moved])
    ends = np.concatenate([moved, [True]])
    return np.union1d(np.flatnonzero(begins | ends), extremes).astype(np.int64)


def isolated(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Find values without a valid neighbour on either side, which a line would not show."""
    finite = np.isfinite(values)
    padded = np.pad(finite, 1)
    alone: npt.NDArray[np.bool_] = finite & ~padded[:-2] & ~padded[2:]
    return alone


def _broken(
    epoch: Int, values: npt.NDArray[Any], samples: Int, breaks: Int
) -> tuple[npt.NDArray[np.datetime64], npt.NDArray[Any]]:
    where = np.searchsorted(samples, breaks)
    middle = (epoch[breaks - 1] + epoch[breaks]) // 2
    return (
        np.insert(epoch[samples], where, middle).astype("datetime64[ns]"),
        np.insert(values[samples], where, np.nan),
    )
