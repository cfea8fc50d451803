"""A netCDF file that is not all there, which the library itself reads as zeros."""

import netCDF4
import numpy as np
import pytest

from helio.errors import DamagedFile
from helio.sources.netcdf_guard import check_netcdf
from tests.sources.made_files import goes_like, istp_like

KINDS = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "NETCDF4_CLASSIC")


def made(path, kind, *, unlimited=True, names=("time", "n")):
    with netCDF4.Dataset(str(path), "w", format=kind) as file:
        file.title = "made"
        file.createDimension("time", None if unlimited else 100)
        for name in names:
            variable = file.createVariable(name, "i2" if name == "odd" else "f8", ("time",))
            variable.units = "s"
            variable[:] = np.arange(100)
    return path


@pytest.mark.parametrize("unlimited", [True, False])
@pytest.mark.parametrize("names", [("n",), ("odd",), ("time", "odd", "n"), ("odd", "odd_2")])
@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_file_passes_and_a_shorter_one_does_not(kind, names, unlimited, tmp_path):
    path = made(tmp_path / "made.nc", kind, unlimited=unlimited, names=names)
    check_netcdf(path)
    data = path.read_bytes()
    for length in (len(data) // 2, len(data) - 8, len(data) - 100, 60, 5):
        path.write_bytes(data[:length])
        with pytest.raises(DamagedFile, match=r"truncated|damaged"):
            check_netcdf(path)


@pytest.mark.parametrize("make", [goes_like, istp_like])
def test_files_as_they_are_served_pass(make, tmp_path):
    check_netcdf(make(tmp_path / "made.nc"))


@pytest.mark.parametrize("kind", KINDS[:3])
def test_a_header_that_makes_no_sense_is_refused(kind, tmp_path):
    path = made(tmp_path / "made.nc", kind)
    data = path.read_bytes()
    for offset in range(8, 120):
        changed = bytearray(data)
        changed[offset] = 0xFF
        path.write_bytes(changed)
        try:
            check_netcdf(path)
        except DamagedFile as refusal:
            assert "made.nc" in refusal.message


def test_a_file_that_was_never_closed_is_refused(tmp_path):
    path = made(tmp_path / "made.nc", "NETCDF3_CLASSIC")
    data = bytearray(path.read_bytes())
    data[4:8] = b"\xff" * 4
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match="did not close it"):
        check_netcdf(path)
