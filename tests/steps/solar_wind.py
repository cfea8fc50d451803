"""A few records of solar wind that the tests of derived quantities share."""

import numpy as np

from helio.store.source_file import SourceFile
from helio.store.table import Table
from tests.steps.series import epochs

PLASMA = SourceFile("WI_H1_SWE", "wi_h1_swe_20240510_v01.cdf", version="01", provider="sample")
FIELD = SourceFile("WI_H0_MFI", "wi_h0_mfi_20240510_v05.cdf", version="05", provider="sample")
NAN = np.nan


def series(values, unit, name="", frame="", source=PLASMA):
    """One value a minute."""
    values = np.array(values, dtype=np.float64)
    return Table(
        epochs(*(60.0 * np.arange(len(values)))), values, unit=unit, name=name, frame=frame, sources=(source,)
    )


def vectors(values, unit="nT", name="B", frame="GSM", letters="xyz", source=FIELD):
    """One vector a minute."""
    values = np.array(values, dtype=np.float64)
    return Table(
        epochs(*(60.0 * np.arange(len(values)))),
        values,
        unit=unit,
        name=name,
        frame=frame,
        components=tuple(f"{name}{letter}" for letter in letters),
        sources=(source,),
    )


def density():
    """Protons, missing once."""
    return series([5.0, 4.0, 10.0, NAN, 8.0, 2.5], "cm^-3", "N_p")


def speed():
    """Slow and fast."""
    return series([400.0, 380.0, 650.0, 500.0, 420.0, 300.0], "km/s", "V")


def temperature():
    """Of the protons, missing once."""
    return series([1e5, 8e4, 2.5e5, 1e5, 5e4, NAN], "K", "T")


def alpha_ratio():
    """Missing once."""
    return series([0.04, 0.05, 0.08, 0.03, NAN, 0.02], "", "alpha/proton")


def velocity():
    """In GSE, mostly from the Sun."""
    return vectors(
        [
            [-400.0, 20.0, -5.0],
            [-380.0, 0.0, 0.0],
            [-650.0, -40.0, 12.0],
            [-500.0, 10.0, 3.0],
            [-420.0, NAN, 1.0],
            [-300.0, 5.0, 5.0],
        ],
        unit="km/s",
        name="V",
        frame="GSE",
        source=PLASMA,
    )


def field(frame="GSM"):
    """Southward, northward, across, missing once, and none at all."""
    return vectors(
        [
            [3.0, 4.0, 0.0],
            [1.0, 2.0, -2.0],
            [-2.0, 3.0, 6.0],
            [8.0, -1.0, 4.0],
            [0.5, NAN, -0.125],
            [0.0, 0.0, 0.0],
        ],
        frame=frame,
    )


def bz():
    """z of `field`."""
    return field().component("Bz")
