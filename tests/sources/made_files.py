"""Files of other formats than CDF that tests write."""

from pathlib import Path

import netCDF4
import numpy as np


def goes_like(path: Path) -> Path:
    """A netCDF-4 with CF's attributes as NOAA writes it: two clocks, flags, packed values, bins with bounds."""
    with netCDF4.Dataset(str(path), "w") as file:
        file.title = "GOES-16 magnetometer"
        file.setncattr("id", "0b4e3b5a-9bb1-4ad4-9d25-5b1c2ff0f9a1")
        for name, size in (("time", None), ("coordinate", 3), ("channel", 4), ("nv", 2), ("day", 2)):
            file.createDimension(name, size)
        time = file.createVariable("time", "f8", ("time",))
        time.setncatts(
            {"units": "seconds since 2000-01-01 12:00:00", "standard_name": "time", "bounds": "time_bnds"}
        )
        time[:] = 768614400.0 + 0.1 * np.arange(6)  # 2024-05-10T12:00
        bounds = file.createVariable("time_bnds", "f8", ("time", "nv"))
        bounds[:] = 0.0
        field = file.createVariable("b_gse", "f4", ("time", "coordinate"), fill_value=-9999.0)
        field.setncatts(
            {
                "units": "nT",
                "long_name": "Magnetic field in GSE (Cartesian)",
                "valid_range": np.array([-512, 512], "f4"),
            }
        )
        field[:] = np.where(np.arange(18) == 4, -9999, np.arange(18)).reshape(6, 3)
        flag = file.createVariable("DQF", "i1", ("time",), fill_value=np.int8(-1))
        flag.setncatts(
            {"_Unsigned": "true", "flag_values": np.array([0, 1], "i1"), "flag_meanings": "good bad_data"}
        )
        flag[:] = [0, 1, 0, 0, 0, -1]
        packed = file.createVariable("packed", "i2", ("time",), fill_value=np.int16(-99))
        packed.set_auto_maskandscale(False)
        packed.setncatts(
            {"scale_factor": 0.5, "add_offset": 10.0, "valid_min": np.int16(0), "valid_max": np.int16(4)}
        )
        packed[:] = [0, 1, 2, 3, 4, -99]
        energy = file.createVariable("energy", "f4", ("channel",))
        energy.setncatts({"units": "keV", "bounds": "energy_bnds"})
        energy[:] = [1, 2, 4, 8]
        edges = file.createVariable("energy_bnds", "f4", ("channel", "nv"))
        edges[:] = [[0.5, 1.5], [3, 1.5], [3, 6], [6, 12]]
        flux = file.createVariable("flux", "f8", ("channel", "time"))
        flux.setncatts({"units": "cm-2 s-1 sr-1 keV-1", "coordinates": "energy"})
        flux[:] = np.arange(24.0).reshape(4, 6)
        angles = file.createVariable("angle", "f4", ("time", "channel"))
        angles.units = "degree"
        angles[:] = np.arange(24).reshape(6, 4)
        by_angle = file.createVariable("by_angle", "f4", ("time", "channel"))
        by_angle.coordinates = "time angle"
        by_angle[:] = 1.0
        unwritten = file.createVariable("unwritten", "f4", ("time",))
        unwritten[0] = 1.0
        day = file.createVariable("day", "i4", ("day",))
        day.units = "days since 2024-05-09"
        day[:] = [0, 1]
        daily = file.createVariable("daily", "i8", ("day",))
        daily[:] = [7, 8]
        constant = file.createVariable("constant", "f8", ("coordinate",))
        constant[:] = 1.0
        name = file.createVariable("name", "S1", ("time", "nv"))
        name[:] = np.full((6, 2), b"x")
    return path


def istp_like(path: Path) -> Path:
    """A netCDF-3 with ISTP's attributes, as SPDF serves it."""
    with netCDF4.Dataset(str(path), "w", format="NETCDF3_CLASSIC") as file:
        file.setncatts(
            {
                "Logical_source": "icon_like",
                "Data_version": "03",
                "DOI": "10.1234/icon",
                "PI_name": "A. Person",
            }
        )
        file.createDimension("Epoch", None)
        file.createDimension("Energy", 3)
        file.createDimension("words", 2)
        epoch = file.createVariable("Epoch", "f8", ("Epoch",))
        epoch.setncatts({"Units": "milliseconds", "Time_Base": "FIXED: 1970 (POSIX)", "FILLVAL": -1e31})
        times = 1715299200000.0 + 1000.0 * np.arange(5)
        times[2] = -1e31
        epoch[:] = times
        bins = file.createVariable("Energies", "f4", ("Epoch", "Energy"))
        bins.setncatts({"DEPEND_0": "Epoch", "UNITS": "eV", "FILLVAL": np.float32(-1e31)})
        bins[:] = np.arange(15).reshape(5, 3) + 1
        flux = file.createVariable("Flux", "f4", ("Epoch", "Energy"))
        flux.setncatts(
            {
                "DEPEND_0": "Epoch", "DEPEND_1": "Energies", "UNITS": "eV/(cm^2 s sr eV)", "SCALETYP": "log",
                "FILLVAL": np.float32(-1e31), "LABLAXIS": "ion flux", "CATDESC": "Flux of ions",
            }
        )  # fmt: skip
        flux[:] = np.where(np.arange(15) == 1, -1e31, np.arange(15)).reshape(5, 3)
    return path
