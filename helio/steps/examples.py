"""Make small tables for the examples of tools, and for trying a tool in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from helio.store.table import Axis, Epochs, Table
from helio.time_range import Duration

START = np.datetime64("2024-05-10T00:00", "ns")
"""First epoch of all example tables."""
NAN = float("nan")


def series(values: Sequence[float], unit: str = "", name: str = "x", *, every: str = "1min") -> Table:
    """Make a series with a regular cadence, starting on 2024-05-10.

    Parameters
    ----------
    values : list of float, shape (n,)
        NaN where a value is missing.
    unit, name : str
    every : str
        The cadence: ``"1min"``, ``"1h"``.

    >>> series([5.0, 8.0], "cm^-3", "N_p")
    <Table 'N_p': scalar 2, cm^-3, 2024-05-10T00:00:00 to 2024-05-10T00:01:00>
    """
    return Table(_epochs(len(values), every), np.array(values, dtype=np.float64), unit=unit, name=name)


def vector(
    values: Sequence[Sequence[float]],
    unit: str = "nT",
    name: str = "B",
    *,
    frame: str = "GSE",
    every: str = "1min",
) -> Table:
    """Make a vector with a regular cadence, starting on 2024-05-10.

    Parameters
    ----------
    values : list of lists of three floats, shape (n, 3)
        Along x, y, z; in RTN along R, T, N.
    unit, name, frame : str
    every : str
        The cadence.

    >>> vector([[3.0, 4.0, 0.0]]).components
    ('Bx', 'By', 'Bz')
    >>> vector([[400.0, 5.0, 0.0]], "km/s", "V", frame="RTN").components
    ('V_R', 'V_T', 'V_N')
    """
    letters = ("_R", "_T", "_N") if frame == "RTN" else ("x", "y", "z")
    return Table(
        _epochs(len(values), every),
        np.array(values, dtype=np.float64),
        unit=unit,
        name=name,
        frame=frame,
        components=tuple(f"{name}{letter}" for letter in letters),
    )


def spectrum(
    values: Sequence[Sequence[float]],
    axis: Axis,
    unit: str = "cm^-2 s^-1 sr^-1 keV^-1",
    name: str = "flux",
    *,
    every: str = "1min",
) -> Table:
    """Make a spectrum with a regular cadence, starting on 2024-05-10.

    Parameters
    ----------
    values : list of lists of float, shape (n, b)
        One value for each bin.
    axis : Axis
        As `energies` gives it.
    unit, name : str
    every : str
        The cadence.

    >>> spectrum([[16.0, 8.0]], energies([1.0, 2.0, 4.0])).kind
    'spectrum'
    """
    return Table(
        _epochs(len(values), every),
        np.array(values, dtype=np.float64),
        unit=unit,
        name=name,
        axes=(axis,),
        scale="log",
    )


def energies(edges: Sequence[float], unit: str = "keV") -> Axis:
    """Make an axis of energies from the edges of its bins.

    Parameters
    ----------
    edges : list of float, shape (b + 1,)
        Increasing; centres are the geometric means.
    unit : str

    >>> energies([1.0, 4.0, 9.0]).centers
    array([2., 6.])
    """
    every = np.array(edges, dtype=np.float64)
    lower, upper = every[:-1], every[1:]
    return Axis("Energy", unit, np.sqrt(lower * upper), lower, upper)


def pitch_angles(edges: Sequence[float]) -> Axis:
    """Make an axis of pitch angles, in deg, from the edges of its bins.

    Parameters
    ----------
    edges : list of float, shape (b + 1,)
        Increasing, 0 to 180.

    >>> pitch_angles([0.0, 90.0, 180.0]).centers
    array([ 45., 135.])
    """
    every = np.array(edges, dtype=np.float64)
    lower, upper = every[:-1], every[1:]
    return Axis("Pitch angle", "deg", (lower + upper) / 2, lower, upper, scale="linear")


def _epochs(records: int, every: str) -> Epochs:
    return START + np.arange(records) * np.timedelta64(Duration(every).nanoseconds, "ns")
