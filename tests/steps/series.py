"""Small tables that the tests of the tools share, and their text in golden files."""

import os
from pathlib import Path

import numpy as np

from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table

GOLDEN = Path(__file__).parent / "golden"
SOURCE = SourceFile(
    "AC_H2_MFI", "ac_h2_mfi_20240510_v01.cdf", version="01", provider="sample", sha256="0" * 64
)
START = np.datetime64("2024-05-10T00:00:00", "ns")


def epochs(*seconds):
    """Epochs so many seconds after 2024-05-10."""
    return START + (np.array(seconds, dtype=np.float64) * 1e9).round().astype("timedelta64[ns]")


def scalar(seconds, values, unit="nT", name="Bz"):
    """A series of one component, so many seconds after 2024-05-10."""
    return Table(
        epochs(*seconds), np.asarray(values, dtype=np.float64), unit=unit, name=name, sources=(SOURCE,)
    )


def vector(gap=True):
    """Ten one-minute records of a magnetic field: one component is missing once, three records are absent."""
    values = np.array(
        [[3.0, 4.0, 0.0], [1.0, 2.0, 2.0], [-2.0, 3.0, 6.0], [8.0, -1.0, 4.0], [0.5, 0.25, -0.125]] * 2
    )
    if gap:
        values[3, 1] = np.nan
    seconds = np.arange(10) * 60.0
    seconds[6:] += 180.0
    return Table(
        epochs(*seconds),
        values,
        unit="nT",
        name="B",
        frame="GSE",
        components=("Bx", "By", "Bz"),
        sources=(SOURCE,),
        notes=("two records had the same epoch",),
    )


def spectrum():
    """Four records of a proton flux over five energies, one bin missing once."""
    values = np.array([[16.0, 8.0, 4.0, 2.0, 1.0]]) * np.array([[1.0], [2.0], [3.0], [4.0]])
    values[2, 1] = np.nan
    energies = Axis("Energy", "keV", np.array([1.0, 2.0, 4.0, 8.0, 16.0]))
    return Table(
        epochs(0, 60, 120, 180),
        values,
        unit="cm^-2 s^-1 sr^-1 keV^-1",
        name="proton flux",
        axes=(energies,),
        scale="log",
        sources=(SOURCE,),
    )


def as_text(table, version, digits=15):
    """A table as a person reads it in a diff."""
    lines = [
        f"version {version}",
        f"name {table.name}",
        f"unit {table.unit}",
        f"frame {table.frame or 'none'}",
    ]
    lines.append("columns " + " | ".join(table.columns()))
    flat = table.values.reshape(len(table), -1)
    for epoch, row in zip(np.datetime_as_string(table.epoch, unit="ms"), flat.tolist(), strict=True):
        lines.append(f"{epoch}Z " + " ".join(f"{value:.{digits}g}" for value in row))
    return "\n".join(lines) + "\n"


def check_golden(function, table, case="", digits=15):
    """Hold a tool's result on a small table; HELIO_WRITE_GOLDEN=1 writes that of a new version.

    Fewer digits are for results whose last ones depend on the machine: angles, roots, eigenvectors.
    """
    version = function.__tool__.version
    path = GOLDEN / f"{function.__name__}{case}.txt"
    text = as_text(table, version, digits)
    known = path.read_text(encoding="utf-8") if path.exists() else ""
    if text == known:
        return
    assert not known.startswith(f"version {version}\n"), (
        f"the result of {function.__name__} changed and its version did not: if the change is meant, raise "
        f"@tool(version={version + 1}) and run the test again with HELIO_WRITE_GOLDEN=1\n{known}\n→\n{text}"
    )
    assert os.environ.get("HELIO_WRITE_GOLDEN") == "1", (
        f"no result of version {version} is held in {path.name}"
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
