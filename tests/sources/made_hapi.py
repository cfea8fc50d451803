"""Datasets for a HAPI server, made up here."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from helio.testing import Dataset, dataset

FILL = -1e31


def magnetometer(days: int = 3, **about: str) -> Dataset:
    """Hourly records of every kind of parameter, from 28 October 2021."""
    count = 24 * days
    hours = np.arange(count)
    times = np.datetime64("2021-10-28T00:00", "ms") + hours * np.timedelta64(1, "h")
    field = np.stack([hours * 0.1, -hours * 0.2, hours * 0.3], axis=1)
    field[5] = FILL
    flags = hours % 4
    flags[7] = -99
    counts = np.outer(hours + 1, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    counts[3, 2] = FILL
    energies = np.tile([10.0, 20.0, 40.0], (count, 1))
    energies[count // 2 :] *= 2
    edges = np.stack([energies * 0.8, energies * 1.2], axis=2)
    double = {"type": "double", "fill": "-1e31"}
    nine = [float(energy) for energy in range(10, 100, 10)]
    return dataset(
        "MADE_MAG",
        [
            {"name": "Magnitude", "units": "nT", "description": "B-field magnitude", **double},
            {
                "name": "BGSE", "units": "nT", "size": [3], "coordinateSystemName": "GSE",
                "vectorComponents": ["x", "y", "z"], "description": "Magnetic field vector", **double,
            },
            {"name": "Flag", "type": "integer", "units": None, "fill": "-99", "description": "Quality"},
            {"name": "Mode", "type": "string", "units": None, "fill": None, "length": 6},
            {"name": "Sent", "type": "isotime", "units": "UTC", "fill": None, "length": 24},
            {
                "name": "Flux", "units": "1/(cm^2 s sr keV)", "size": [9], "label": "Electron flux",
                "bins": [{
                    "name": "Energy", "units": "keV", "centers": nine,
                    "ranges": [[energy - 5, energy + 5] for energy in nine],
                }], **double,
            },
            {
                "name": "Moving", "units": "1/s", "size": [3],
                "bins": [{"name": "Energy", "units": "eV", "centers": "Energies", "ranges": "Edges"}], **double,
            },
            {"name": "Energies", "units": "eV", "size": [3], **double},
            {"name": "Edges", "units": "eV", "size": [3, 2], **double},
            {
                "name": "Mixed", "units": ["nT", "degrees", "degrees"], "size": [3],
                "label": ["B", "theta", "phi"], **double,
            },
            {"name": "Cube", "units": "1", "size": [2, 2, 2], **double},
        ],
        [f"{time}Z" for time in times.astype(str)],
        {
            "Magnitude": np.linalg.norm(np.where(field > -1e30, field, 0), axis=1), "BGSE": field,
            "Flag": flags, "Mode": np.where(hours % 2, b"a,b", b"slow"),
            "Sent": [f"{time}Z".encode() for time in times.astype(str)], "Flux": counts,
            "Moving": counts[:, :3], "Energies": energies, "Edges": edges, "Mixed": field,
            "Cube": np.zeros((count, 2, 2, 2)),
        },
        cadence="PT1H", description="A magnetometer of nobody", contact="N. Obody @ Nowhere",
        resourceID="doi:10.12345/made-mag", **about,
    )  # fmt: skip


def plain(name: str, days: int = 3) -> Dataset:
    """One scalar every hour, written by days of the year, without cadence, as HAPI 2.0 knows it."""
    hours = np.arange(24 * days)
    times = [datetime(2021, 10, 28) + timedelta(hours=int(hour)) for hour in hours]
    return dataset(
        name,
        [{"name": "V", "type": "double", "units": "km/s", "fill": "9999.9", "description": "Flow speed"}],
        [f"{time:%Y-%jT%H:%M}Z" for time in times],
        {"V": np.where(hours == 4, 9999.9, 400.0 + hours)},
    )
