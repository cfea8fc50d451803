"""What named operations cost: each on a million records, against the plain numpy line, in one run.

    OPENBLAS_NUM_THREADS=1 python benchmarks/operations.py [NAME …]

Times are medians of interleaved repeats, in milliseconds of this process's processor time, which other processes change
little. Read the ratios: first to the plain line; then, where the plain line does less than the operation, to the fewest
lines that do the same. Memory is the most that an operation holds beside its inputs, its result included, over the size
of its inputs.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import signal

from helio.knowledge.constants import (
    BOLTZMANN,
    ELECTRON_MASS,
    ELEMENTARY_CHARGE,
    PROTON_MASS,
    VACUUM_PERMEABILITY,
    VACUUM_PERMITTIVITY,
)
from helio.steps import load_tool
from helio.store.table import Axis, Table
from helio.time_range import Duration

RECORDS = 1_000_000
REPEATS = 15
AIM_TIME, AIM_MEMORY = 1.5, 4.0

RANDOM = np.random.default_rng(1)
EPOCH = np.datetime64("2024-05-10", "ns") + np.arange(RECORDS) * np.timedelta64(1, "s")


@dataclass(frozen=True)
class Case:
    """A tool with its inputs, and the line that somebody would write instead.

    `fair` does what `plain` leaves out: it refuses impossible values, keeps gaps, weighs what is there.
    """

    tool: str
    tables: tuple[Table, ...]
    plain: Callable[[], Any]
    args: tuple[tuple[str, Any], ...] = ()
    fair: Callable[[], Any] | None = None

    def run(self) -> Any:
        return load_tool(self.tool)(*self.tables, **dict(self.args))

    def data_bytes(self) -> int:
        epochs = {id(table.epoch): table.epoch.nbytes for table in self.tables}
        return sum(epochs.values()) + sum(table.values.nbytes for table in self.tables)


def series(values: npt.NDArray[Any], unit: str, name: str, frame: str = "") -> Table:
    return Table(EPOCH, values, unit=unit, name=name, frame=frame)


def vectors(values: npt.NDArray[Any], unit: str, name: str, frame: str) -> Table:
    names = tuple(name + letter for letter in "xyz")
    return Table(EPOCH, values, unit=unit, name=name, frame=frame, components=names)


B = RANDOM.normal(0, 5, (RECORDS, 3))
V = RANDOM.normal((-400, 0, 0), 20, (RECORDS, 3))
N = RANDOM.uniform(1, 20, RECORDS)
T = RANDOM.uniform(2e4, 3e5, RECORDS)
SPEED = np.linalg.norm(V, axis=1)
AXES = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])

FIELD, FIELD_GSE = vectors(B, "nT", "B", "GSM"), vectors(B, "nT", "B", "GSE")
VELOCITY = vectors(V, "km/s", "V", "GSE")
DENSITY, TEMPERATURE = series(N, "cm^-3", "N"), series(T, "K", "T")
WIND, BZ = series(SPEED, "km/s", "V"), series(B[:, 2].copy(), "nT", "Bz", "GSM")
PRESSURE = series(N / 4, "nPa", "P")


def plain_gsm() -> npt.NDArray[Any]:
    """GSE to GSM as a loop over nothing: angles of the Sun and of a constant dipole, one rotation about x."""
    seconds = EPOCH.astype(np.int64) / 1e9
    days = np.floor(seconds / 86400)
    hours, centuries = (seconds - 86400 * days) / 3600, (days - 10957.5) / 36525
    time_of_stars = np.radians(100.461 + 36000.770 * centuries + 15.04107 * hours)
    anomaly = np.radians(357.528 + 35999.050 * centuries + 0.04107 * hours)
    sun = np.radians(
        280.460 + 36000.772 * centuries + 0.04107 * hours
        + (1.915 - 0.0048 * centuries) * np.sin(anomaly) + 0.020 * np.sin(2 * anomaly)
    )  # fmt: skip
    tilt = np.radians(23.439 - 0.013 * centuries)
    x, y, z = 0.0467, -0.1549, 0.9868
    east, north = (
        np.cos(time_of_stars) * x - np.sin(time_of_stars) * y,
        np.sin(time_of_stars) * x + np.cos(time_of_stars) * y,
    )
    across, up = np.cos(tilt) * north + np.sin(tilt) * z, np.cos(tilt) * z - np.sin(tilt) * north
    side = np.cos(sun) * across - np.sin(sun) * east
    length = np.hypot(side, up)
    cosine, sine = up / length, side / length
    return np.stack([B[:, 0], cosine * B[:, 1] - sine * B[:, 2], sine * B[:, 1] + cosine * B[:, 2]], axis=1)


def plain_covariance() -> npt.NDArray[Any]:
    _, axes = np.linalg.eigh(np.cov(B.T))
    return B @ axes[:, ::-1]


def possible(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values without the negative and infinite ones, which no density, temperature or speed has."""
    return np.where((values >= 0) & (values < np.inf), values, np.nan)


def fair_shift() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Arrivals of the records that have a speed and that no later record overtakes, so that epochs increase."""
    delay = 1.5e6 / -V[:, 0]
    known = np.isfinite(delay)
    arrival = EPOCH[known] + (1e9 * delay[known]).astype("m8[ns]")
    later = np.minimum.accumulate(arrival[::-1])[::-1]
    kept = np.append(arrival[:-1] < later[1:], True)
    return arrival[kept], B[known][kept]


VECTORS_AND_SOLAR_WIND = (
    Case("magnitude", (FIELD,), lambda: np.linalg.norm(B, axis=1)),
    Case("convert_units", (FIELD,), lambda: B * 1e-9, (("to", "T"),)),
    Case("rotate", (FIELD,), lambda: B @ AXES.T, (("matrix", AXES.tolist()), ("frame", "LMN"))),
    Case("transform_frame", (FIELD_GSE,), plain_gsm, (("to", "GSM"),)),
    Case("minimum_variance", (FIELD,), plain_covariance),
    Case("clock_angle", (FIELD,), lambda: np.degrees(np.arctan2(B[:, 1], B[:, 2]))),
    Case(
        "cone_angle",
        (FIELD,),
        lambda: np.degrees(np.arccos(B[:, 0] / np.linalg.norm(B, axis=1))),
        fair=lambda: np.degrees(np.arctan2(np.hypot(B[:, 1], B[:, 2]), B[:, 0])),  # to the last digits near 0
    ),
    Case(
        "parker_angle",
        (WIND,),
        lambda: np.degrees(np.arctan(2.865e-6 * 1.496e8 / SPEED)),
        (("distance", 1.0),),
        fair=lambda: np.degrees(np.arctan(2.865e-6 * 1.496e8 / possible(SPEED))),
    ),
    Case(
        "dynamic_pressure",
        (DENSITY, WIND),
        lambda: 1e21 * PROTON_MASS * N * SPEED**2,
        fair=lambda: 1e21 * PROTON_MASS * possible(N) * possible(SPEED) ** 2,
    ),
    Case(
        "alfven_speed",
        (FIELD, DENSITY),
        lambda: 1e-12 * np.linalg.norm(B, axis=1) / np.sqrt(VACUUM_PERMEABILITY * PROTON_MASS * 1e6 * N),
    ),
    Case(
        "alfven_mach",
        (WIND, FIELD, DENSITY),
        lambda: SPEED / (21.8 * np.linalg.norm(B, axis=1) / np.sqrt(N)),
    ),
    Case(
        "magnetosonic_mach",
        (WIND, DENSITY, TEMPERATURE, FIELD),
        lambda: SPEED / np.sqrt(475.8 * (B**2).sum(axis=1) / N + 0.01376 * T),
    ),
    Case(
        "plasma_beta",
        (DENSITY, TEMPERATURE, FIELD),
        lambda: 2e15 * VACUUM_PERMEABILITY * BOLTZMANN * N * T / (1e-9 * (B**2).sum(axis=1)),
    ),
    Case("electric_field", (VELOCITY, FIELD_GSE), lambda: -1e-3 * np.cross(V, B)),
    Case("vbs", (WIND, BZ), lambda: -1e-3 * SPEED * np.minimum(B[:, 2], 0)),
    Case(
        "newell_coupling",
        (WIND, FIELD),
        lambda: (
            SPEED ** (4 / 3)
            * np.hypot(B[:, 1], B[:, 2]) ** (2 / 3)
            * np.abs(np.sin(np.arctan2(B[:, 1], B[:, 2]) / 2)) ** (8 / 3)
        ),
    ),
    Case(
        "thermal_speed",
        (TEMPERATURE,),
        lambda: 1e-3 * np.sqrt(2 * BOLTZMANN * T / PROTON_MASS),
        fair=lambda: 1e-3 * np.sqrt(2 * BOLTZMANN * possible(T) / PROTON_MASS),
    ),
    Case(
        "thermal_temperature",
        (WIND,),
        lambda: 1e6 * PROTON_MASS * SPEED**2 / (2 * BOLTZMANN),
        fair=lambda: 1e6 * PROTON_MASS * possible(SPEED) ** 2 / (2 * BOLTZMANN),
    ),
    Case(
        "shue_standoff",
        (PRESSURE, BZ),
        lambda: (10.22 + 1.29 * np.tanh(0.184 * (BZ.values + 8.14))) * (N / 4) ** (-1 / 6.6),
    ),
    Case(
        "ballistic_shift",
        (FIELD_GSE, VELOCITY),
        lambda: (EPOCH + (1e9 * 1.5e6 / -V[:, 0]).astype("m8[ns]"), B.copy()),
        (("from_x", 1.5e6), ("to_x", 0.0)),
        fair=fair_shift,
    ),
    Case(
        "gyrofrequency",
        (FIELD,),
        lambda: ELEMENTARY_CHARGE * 1e-9 * np.linalg.norm(B, axis=1) / (2 * np.pi * PROTON_MASS),
    ),
    Case(
        "plasma_frequency",
        (DENSITY,),
        lambda: (
            np.sqrt(1e6 * N * ELEMENTARY_CHARGE**2 / (VACUUM_PERMITTIVITY * ELECTRON_MASS)) / (2e3 * np.pi)
        ),
        fair=lambda: (
            np.sqrt(1e6 * possible(N) * ELEMENTARY_CHARGE**2 / (VACUUM_PERMITTIVITY * ELECTRON_MASS))
            / (2e3 * np.pi)
        ),
    ),
)

SECONDS = np.arange(RECORDS, dtype=np.float64)
WAVE = np.sin(SECONDS / 200) + RANDOM.normal(0, 0.3, RECORDS)
HOLES = np.where(RANDOM.random(RECORDS) < 0.01, np.nan, WAVE)
LINE, BROKEN = series(WAVE, "nT", "B"), series(HOLES, "nT", "B")
LATER = replace(LINE, epoch=EPOCH + np.timedelta64(500, "ms"))
FLAG = series((RANDOM.random(RECORDS) < 0.01).astype(np.float64), "", "flag")
FRAME = pd.DataFrame({"B": HOLES}, index=pd.DatetimeIndex(EPOCH))
SECTIONS = signal.butter(4, [0.01, 0.1], "bandpass", fs=1, output="sos")
SHORT = signal.ShortTimeFFT(
    signal.get_window("hann", 256), 128, 1.0, fft_mode="onesided2X", scale_to="psd", phase_shift=None
)

ENERGIES = Axis("Energy", "keV", np.geomspace(1, 1000, 64))
FLUX = RANDOM.lognormal(size=(RECORDS // 64, 64))
SPECTRA = Table(
    EPOCH[: RECORDS // 64], FLUX, "cm^-2 s^-1 sr^-1 keV^-1", "flux", axes=(ENERGIES,), scale="log"
)
WIDTHS = np.gradient(ENERGIES.centers)
ANGLES = Axis("Pitch angle", "deg", np.linspace(7.5, 172.5, 12), scale="linear")
PITCH = RANDOM.lognormal(size=(RECORDS // 96, 8, 12))
DISTRIBUTION = Table(
    EPOCH[: RECORDS // 96],
    PITCH,
    "cm^-2 s^-1 sr^-1 keV^-1",
    "flux",
    axes=(Axis("Energy", "keV", np.geomspace(1, 100, 8)), ANGLES),
)
SOLID = -np.diff(np.cos(np.radians(np.linspace(0, 180, 13))))
NINE, MINUTE = Duration("9s"), Duration("1min")


def plain_hampel() -> npt.NDArray[Any]:
    """Not quite the rule: about a running median, not about the median of each window."""
    column = pd.Series(HOLES)
    median = column.rolling(9, center=True, min_periods=1).median()
    spread = (column - median).abs().rolling(9, center=True, min_periods=1).median()
    return np.where((column - median).abs() > 5 * 1.4826 * spread, np.nan, column)


def between(values: npt.NDArray[Any], epochs: npt.NDArray[Any], limit: float) -> npt.NDArray[Any]:
    """Linear interpolation from the valid samples of a series, but not across gaps longer than the limit."""
    valid = ~np.isnan(values)
    have = SECONDS[valid]
    made = np.interp(epochs, have, values[valid], left=np.nan, right=np.nan)
    after = np.searchsorted(have, epochs).clip(1, have.size - 1)
    return np.where((have[after] - have[after - 1] <= limit) | (have[after] == epochs), made, np.nan)


def fair_derivative() -> npt.NDArray[Any]:
    """Differences to both neighbours, to one of them beside a gap or a missing value."""
    step = np.diff(SECONDS)
    slope = np.where(step <= 1.5 * np.median(step), np.diff(WAVE) / step, np.nan)
    before, after = np.append(np.nan, slope), np.append(slope, np.nan)
    middle = (before + after) / 2
    return np.where(np.isnan(middle), np.where(np.isnan(before), after, before), middle)


def masked_and_counted(values: npt.NDArray[Any], out: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Values with some taken out, and how many these were; an error if none is left."""
    known = ~np.isnan(values)
    taken = np.count_nonzero(known & out)
    if taken == np.count_nonzero(known):
        raise ValueError
    return np.where(out, np.nan, values), taken


def fair_flags() -> tuple[npt.NDArray[Any], int]:
    """As `masked_and_counted`, where the flag is not zero or is missing."""
    bad = (FLAG.values != 0) | np.isnan(FLAG.values)
    return masked_and_counted(B, bad[:, None])


def fair_band_average() -> npt.NDArray[Any]:
    """The mean over a band, in which missing bins have no weight."""
    part, widths = FLUX[:, 10:40], WIDTHS[10:40]
    return np.nansum(part * widths, axis=1) / (~np.isnan(part) * widths).sum(axis=1)


SERIES_AND_SPECTRA = (
    Case("resample", (BROKEN,), lambda: FRAME.resample("1min").mean().to_numpy(), (("cadence", MINUTE),)),
    Case(
        "running_average",
        (BROKEN,),
        lambda: FRAME.rolling("61s", center=True).mean().to_numpy(),
        (("window", MINUTE),),
    ),
    Case(
        "running_median",
        (BROKEN,),
        lambda: FRAME.rolling("61s", center=True).median().to_numpy(),
        (("window", MINUTE),),
    ),
    Case(
        "align",
        (LINE, LATER),
        lambda: np.interp(SECONDS + 0.5, SECONDS, WAVE),
        (("limit", Duration("2s")),),
        fair=lambda: between(WAVE, SECONDS + 0.5, 2.0),
    ),
    Case(
        "interpolate",
        (BROKEN,),
        lambda: np.interp(SECONDS, SECONDS[~np.isnan(HOLES)], HOLES[~np.isnan(HOLES)]),
        (("limit", MINUTE),),
        fair=lambda: between(HOLES, SECONDS, 60.0),
    ),
    Case("despike", (BROKEN,), plain_hampel, (("window", NINE),)),
    Case("detrend", (LINE,), lambda: signal.detrend(WAVE)),
    Case("derivative", (LINE,), lambda: np.gradient(WAVE, SECONDS), fair=fair_derivative),
    Case(
        "band_pass",
        (LINE,),
        lambda: signal.sosfiltfilt(SECTIONS, WAVE),
        (("low", 0.01), ("high", 0.1)),
    ),
    Case("arithmetic", (FIELD, LINE), lambda: B * WAVE[:, None], (("operation", "multiply"),)),
    Case("rescale", (LINE,), lambda: 2 * WAVE + 1, (("factor", 2.0), ("offset", 1.0), ("unit", "nT"))),
    Case(
        "mask",
        (LINE,),
        lambda: np.where(WAVE > 1, np.nan, WAVE),
        (("where", ">"), ("value", 1.0)),
        fair=lambda: masked_and_counted(WAVE, WAVE > 1),
    ),
    Case(
        "mask_by_flag",
        (FIELD, FLAG),
        lambda: np.where(FLAG.values[:, None] != 0, np.nan, B),
        fair=fair_flags,
    ),
    Case(
        "statistics",
        (BROKEN,),
        lambda: FRAME.resample("1min").agg(["mean", "median", "std", "min", "max"]).to_numpy(),
        (("interval", MINUTE),),
    ),
    Case(
        "power_spectrogram",
        (LINE,),
        lambda: SHORT.spectrogram(WAVE, detr="constant"),
        (("window", Duration("256s")),),
    ),
    Case(
        "power_spectrum",
        (LINE,),
        lambda: signal.welch(WAVE, nperseg=256),
        (("window", Duration("256s")),),
    ),
    Case(
        "band_average",
        (SPECTRA,),
        lambda: np.nansum(FLUX[:, 10:40] * WIDTHS[10:40], axis=1) / WIDTHS[10:40].sum(),
        (("bands", [(3.0, 75.0)]),),
        fair=fair_band_average,
    ),
    Case(
        "band_integral",
        (SPECTRA,),
        lambda: (FLUX[:, 10:40] * WIDTHS[10:40]).sum(axis=1),
        (("bands", [(3.0, 75.0)]),),
    ),
    Case("slice_spectrum", (SPECTRA,), lambda: FLUX[:, 20:40].copy(), (("between", (10.0, 100.0)),)),
    Case(
        "pitch_angle_average",
        (DISTRIBUTION,),
        lambda: np.nansum(PITCH * SOLID, axis=-1) / SOLID.sum(),
    ),
)

CASES: tuple[Case, ...] = (*VECTORS_AND_SOLAR_WIND, *SERIES_AND_SPECTRA)
"""Every operation that a line of numpy or pandas could stand for."""


def medians(case: Case) -> tuple[float, float, float]:
    """Milliseconds of the operation, of the plain and of the fair lines, taken in turn."""
    case.run()  # whatever is imported or cached
    actions = (case.run, case.plain, case.fair or case.plain)
    taken: tuple[list[float], ...] = ([], [], [])
    for _ in range(REPEATS):
        for action, times in zip(actions, taken, strict=True):
            start = time.process_time()
            action()
            times.append((time.process_time() - start) * 1e3)
    operation, plain, fair = (statistics.median(times) for times in taken)
    return operation, plain, fair if case.fair else plain


def peak_bytes(case: Case) -> int:
    """The most that one call holds beside its inputs."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    case.run()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


def main() -> None:
    """Print a line for every case, and mark what misses an aim."""
    wanted = sys.argv[1:]
    print(f"{RECORDS:,} records; aims: {AIM_TIME} × the plain line, {AIM_MEMORY:g} × the data\n")
    print(f"{'operation':<20} {'ms':>8} {'plain ms':>9} {'time':>7} {'fair ms':>8} {'time':>7} {'memory':>8}")
    for case in CASES:
        if wanted and case.tool not in wanted:
            continue
        operation, plain, fair = medians(case)
        time_ratio, memory = operation / plain, peak_bytes(case) / case.data_bytes()
        fairly = f"{fair:8.1f} {operation / fair:6.2f}×" if case.fair else " " * 16
        missed = "  ←" if time_ratio > AIM_TIME or memory > AIM_MEMORY else ""
        print(
            f"{case.tool:<20} {operation:8.1f} {plain:9.1f} {time_ratio:6.2f}× {fairly} {memory:7.2f}×{missed}",
            flush=True,
        )


if __name__ == "__main__":
    main()
