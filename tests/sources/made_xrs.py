"""Daily files of the X-ray sensors of GOES, in the layout of NCEI."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import netCDF4
import numpy as np

FLARE = 1.2e-3
"""Flux of the flare at 12:02, in W/m2."""


def write_day(
    folder: Path,
    satellite: int,
    day: datetime,
    version: str = "2-2-0",
    flare: Sequence[float] = (FLARE,),
    records: int = 1440,
) -> Path:
    """One-minute averages in the layout of the files: variables, units, fills and epochs since 2000-01-01T12:00."""
    path = folder / f"sci_xrsf-l2-avg1m_g{satellite}_d{day:%Y%m%d}_v{version}.nc"
    with netCDF4.Dataset(path, "w") as file:
        file.title = "L2 XRS 1-min Averages"
        file.institution = "NOAA NCEI"
        file.createDimension("time", None)
        time = file.createVariable("time", "f8", ("time",), fill_value=-9999.0)
        time.units = "seconds since 2000-01-01 12:00:00 UTC"
        time.standard_name = "time"
        time[:] = (day - datetime(2000, 1, 1, 12)).total_seconds() + 60.0 * np.arange(records)
        for channel, quiet in (("a", 1e-8), ("b", 1e-6)):
            flux = file.createVariable(f"xrs{channel}_flux", "f4", ("time",), fill_value=-9999.0)
            flux.units, flux.long_name = "W/m2", f"XRS-{channel.upper()} primary average flux."
            values = np.full(records, quiet)
            values[722 : 722 + len(flare)] = np.array(flare) / (1 if channel == "b" else 3)
            values[100] = -9999.0
            flux[:] = values
            flag = file.createVariable(f"xrs{channel}_flag", "u1", ("time",), fill_value=255)
            flag.long_name = f"Flags for xrs{channel}_flux."
            flag[:] = (np.arange(records) == 50).astype(np.uint8)
    return path
