"""Integers that a float64 cannot hold exactly are counted in a note, whatever the format."""

from datetime import datetime
from decimal import Decimal

import netCDF4
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helio.time_range import TimeRange

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
LONG = [2**53 + 1, -(2**60) - 1, 5]
NOTE = (
    "integers of 2^53 or more: 2 of 3 values; their last digits may be rounded, because a float64 holds only 53 bits",
)


def csv(path, values, kind):
    rows = (f"2024-05-10T00:0{i}:00,{value}\n" for i, value in enumerate(values))
    path.with_suffix(".csv").write_text("time,n\n" + "".join(rows))
    return path.with_suffix(".csv")


def parquet(path, values, kind):
    times = [datetime(2024, 5, 10, 0, i) for i in range(len(values))]
    pq.write_table(pa.table({"time": times, "n": pa.array(values, kind)}), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def netcdf(path, values, kind, **facts):
    with netCDF4.Dataset(str(path.with_suffix(".nc")), "w") as file:
        file.createDimension("time", len(values))
        time = file.createVariable("time", "i8", ("time",))
        time.units = "minutes since 2024-05-10"
        time[:] = np.arange(len(values))
        variable = file.createVariable("n", kind or "i8", ("time",))
        variable.set_auto_maskandscale(False)
        variable.setncatts(facts)
        variable[:] = np.array(values, variable.dtype)
    return path.with_suffix(".nc")


@pytest.fixture
def notes(tmp_path, cdf_reader):
    def of(write, values, kind=None, **facts):
        return cdf_reader.read(write(tmp_path / "made", values, kind, **facts), ["n"], DAY)["n"].notes

    return of


@pytest.mark.parametrize("write", [csv, parquet, netcdf])
def test_long_integers_are_counted(notes, write):
    assert notes(write, LONG) == NOTE


def test_long_integers_of_a_cdf_are_counted(new_cdf, cdf_reader):
    epochs = 63_882_518_400_000.0 + 60_000.0 * np.arange(3)
    made = new_cdf().add("Epoch", "epoch", epochs).add("n", "i8", LONG, DEPEND_0="Epoch")
    assert cdf_reader.read(made.done(), ["n"], DAY)["n"].notes == NOTE


@pytest.mark.parametrize(
    ("write", "kind", "one"),
    [(netcdf, "u8", int), (parquet, pa.uint64(), int), (parquet, pa.decimal128(20, 0), Decimal)],
    ids=["netcdf", "parquet", "decimal"],
)
def test_unsigned_and_decimal_ones_are_counted(notes, write, kind, one):
    assert notes(write, [one(2**63 + 1), one(1)], kind)[0].startswith(
        "integers of 2^53 or more: 1 of 2 values"
    )


@pytest.mark.parametrize(
    ("write", "values", "kind"),
    [
        (csv, [2**53 - 1, -(2**40)], None),
        (csv, ["1.5e20", "1e400", ""], None),
        (parquet, [1.5e20, 2.0], pa.float64()),
        (netcdf, [1.5e20, 2.0], "f8"),
        (netcdf, [2**31 - 2, 1], "i4"),
    ],
)
def test_floats_and_short_integers_are_not(notes, write, values, kind):
    assert not any("2^53" in note for note in notes(write, values, kind))


def test_a_packed_integer_is_a_measurement(notes):
    assert notes(netcdf, [2**53 + 1, 1], "i8", scale_factor=0.5) == ()
