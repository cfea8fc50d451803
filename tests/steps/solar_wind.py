"""A few records of solar wind that the tests of derived quantities share."""

from dataclasses import replace

import numpy as np

from helio.steps import load_tool
from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table
from helio.time_range import Duration
from tests.steps.series import epochs, spectrum

PLASMA = SourceFile("WI_H1_SWE", "wi_h1_swe_20240510_v01.cdf", version="01", provider="sample")
FIELD = SourceFile("WI_H0_MFI", "wi_h0_mfi_20240510_v05.cdf", version="05", provider="sample")
NAN = np.nan
MINUTE, HOUR = Duration("1min"), Duration("1h")


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


def long(make):
    """A table of 240 records at one minute, by repeating what there is."""
    table = make()
    records = np.arange(240) % len(table)
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(240) * np.timedelta64(60, "s")
    noise = np.random.default_rng(3).normal(size=table.values[records].shape)
    return replace(
        table.take(records), epoch=epoch, values=np.nan_to_num(table.values[records]) + noise, notes=()
    )


def wind():
    return vectors([[-400.0, 20.0, -5.0]] * 6, unit="km/s", name="V", frame="GSM")


def field_long():
    return long(field)


def bz_long():
    return long(bz)


def axes_of_field():
    return load_tool("minimum_variance")(field_long(), give="axes")


def pressure():
    return series([1.0, 2.0, 0.0, np.nan, 5.0, 9.0], "nPa")


def over_angles():
    made = spectrum()
    angles = np.linspace(10.0, 170.0, made.values.shape[1])
    return replace(made, axes=(Axis("Pitch angle", "deg", angles, scale="linear"),))


def other_bz():
    return replace(bz(), name="other")


def bare_field():
    return replace(field(), unit="", frame="")


def bare_series():
    return series([1.0, 2.0, 3.0], "")
