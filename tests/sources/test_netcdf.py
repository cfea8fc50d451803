"""netCDF as CF and as ISTP have it, read through the worker."""

from datetime import datetime

import netCDF4
import numpy as np
import pytest

from helio.errors import DamagedFile, DataError, UnknownParameter
from helio.time_range import TimeRange
from tests.sources.made_files import goes_like, istp_like

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


@pytest.fixture(scope="module")
def goes(tmp_path_factory):
    return goes_like(tmp_path_factory.mktemp("netcdf") / "dn_magn-l2-hires_g16_d20240510_v1-0-1.nc")


@pytest.fixture(scope="module")
def istp(tmp_path_factory):
    return istp_like(tmp_path_factory.mktemp("netcdf") / "some_name.nc")


def one(reader, path, name, time_range=DAY):
    return reader.read(path, [name], time_range)[name]


def small(path, units="seconds since 1970-01-01", times=(0.0, 1.0), format="NETCDF4", kind="f8", **facts):
    """Two or more records of ``n`` over ``time``."""
    with netCDF4.Dataset(str(path), "w", format=format) as file:
        file.createDimension("time", len(times))
        time = file.createVariable("time", kind, ("time",))
        time.setncatts({"units": units, **facts})
        time[:] = times
        values = file.createVariable("n", "f4", ("time",))
        values[:] = np.arange(len(times))
    return path


def test_a_vector_of_cf_has_its_unit_frame_and_epochs(cdf_reader, goes):
    table = one(cdf_reader, goes, "b_gse")
    assert (table.unit, table.frame, table.components) == ("nT", "GSE", ("x", "y", "z"))
    assert table.description == "Magnetic field in GSE (Cartesian)"
    assert table.values.dtype == np.float32
    assert np.isnan(table.values[1, 1])
    assert np.isnan(table.values).sum() == 1
    start = np.datetime64("2024-05-10T12:00", "ns")
    np.testing.assert_array_equal(table.epoch, start + np.arange(6) * np.timedelta64(100, "ms"))


def test_flags_are_numbers_whose_meaning_stands_in_words(cdf_reader, goes):
    table = one(cdf_reader, goes, "DQF")
    np.testing.assert_array_equal(table.values, [0, 1, 0, 0, 0, np.nan])
    assert table.description == "0: good, 1: bad data"


def test_packed_values_are_unpacked_and_so_is_their_range(cdf_reader, goes):
    table = one(cdf_reader, goes, "packed")
    np.testing.assert_array_equal(table.values, [10, 10.5, 11, 11.5, 12, np.nan])
    assert table.notes == ()


def test_bins_are_found_by_the_coordinate_and_edges_by_its_bounds(cdf_reader, goes):
    table = one(cdf_reader, goes, "flux")
    (axis,) = table.axes
    assert (axis.label, axis.unit, axis.scale) == ("energy", "keV", "log")
    assert axis.lower.tolist() == [0.5, 1.5, 3, 6]
    assert axis.upper.tolist() == [1.5, 3, 6, 12]


def test_records_are_found_where_time_is_the_last_dimension(cdf_reader, goes):
    np.testing.assert_array_equal(one(cdf_reader, goes, "flux").values, np.arange(24.0).reshape(4, 6).T)


def test_a_coordinate_over_time_is_bins_that_change(cdf_reader, goes):
    (axis,) = one(cdf_reader, goes, "by_angle").axes
    assert axis.per_record
    np.testing.assert_array_equal(axis.centers, np.arange(24).reshape(6, 4))


def test_two_clocks_in_one_file(cdf_reader, goes):
    table = one(cdf_reader, goes, "daily", TimeRange(datetime(2024, 5, 9), datetime(2024, 5, 10)))
    assert (table.values.tolist(), table.epoch.tolist()) == (
        [7.0],
        [np.datetime64("2024-05-09", "ns").astype(int)],
    )


def test_what_was_never_written_is_missing(cdf_reader, goes):
    assert np.isnan(one(cdf_reader, goes, "unwritten").values).tolist() == [False, *[True] * 5]


def test_a_part_of_the_records_is_that_part(cdf_reader, goes):
    later = TimeRange(datetime(2024, 5, 10, 12, 0, 0, 200_000), datetime(2024, 5, 10, 12, 0, 0, 400_000))
    assert one(cdf_reader, goes, "flux", later).values[:, 0].tolist() == [2.0, 3.0]


def test_parameters_are_numbers_over_time_without_bounds(cdf_reader, goes):
    facts = cdf_reader.describe(goes)
    assert set(facts.parameters) == {
        *("b_gse", "DQF", "packed", "flux", "angle", "by_angle", "unwritten", "daily")
    }
    assert facts.logical_source == "dn_magn-l2-hires_g16"
    assert facts.title == "GOES-16 magnetometer"


def test_attributes_of_istp_are_understood_in_netcdf(cdf_reader, istp):
    table = one(cdf_reader, istp, "Flux")
    assert (table.name, table.scale, table.unit) == ("ion flux", "log", "eV/(cm^2 s sr eV)")
    assert len(table) == 4
    assert np.isnan(table.values[0, 1])
    assert table.notes == ("1 of 5 records left out: their epoch is a fill value or out of range",)
    assert table.axes[0].centers[2].tolist() == [10.0, 11.0, 12.0]


def test_the_file_says_its_dataset_version_and_doi(cdf_reader, istp):
    facts = cdf_reader.describe(istp)
    assert (facts.logical_source, facts.data_version, facts.doi, facts.pi) == (
        *("icon_like", "03", "10.1234/icon", "A. Person"),
    )


@pytest.mark.parametrize("name", ["nope", "constant", "name", "time", "energy"])
def test_what_is_no_parameter_is_refused_in_words(cdf_reader, goes, name):
    with pytest.raises(UnknownParameter) as refusal:
        one(cdf_reader, goes, name)
    assert name in refusal.value.message


@pytest.mark.parametrize(
    ("units", "times", "kind", "first"),
    [
        ("seconds since 1970-01-01T00:00:00Z", [1715299200, 1715299201], "i8", "2024-05-10T00:00:00"),
        ("days since 1970-01-01", [19853.25, 19854.0], "f8", "2024-05-10T06:00:00"),
        (
            "milliseconds since 1970-01-01 00:00:00.0 UTC",
            [1715299200123.0, 1715299200124.0],
            "f8",
            "2024-05-10T00:00:00.123",
        ),
        ("hours since 2024-05-10 02:00 +02:00", [0, 1], "i4", "2024-05-10T00:00:00"),
        ("seconds since 1970-1-1 0:00:00 0:00", [1715299200.1, 1715299201.0], "f8", "2024-05-10T00:00:00.1"),
        ("nanoseconds since 2024-05-10", [1, 2], "i8", "2024-05-10T00:00:00.000000001"),
        ("minutes since 2024-05-10", [1, 2], "f4", "2024-05-10T00:01:00"),
        ("days since 0001-01-01", [739017.0, 739018.0], "f8", "2024-05-10T00:00:00"),
        ("days since 1970-1-1 0:0:0 -6:00", [19853, 19854], "i4", "2024-05-10T06:00:00"),
        ("seconds since 1970-1-1 00:00:00 -6", [1715299200, 1715299201], "i4", "2024-05-10T06:00:00"),
        ("seconds since 2024-05-10", [0.1, 0.2], "f8", "2024-05-10T00:00:00.1"),
        ("hours since 2024-05-10 12", [0, 1], "i4", "2024-05-10T12:00:00"),
        ("weeks since 2024-05-03", [1, 2], "i4", "2024-05-10T00:00:00"),
        (
            "seconds since 2024-05-10 00:00:00.123456789",
            [0, 1],
            "i8",
            "2024-05-10T00:00:00.123456789",
        ),
    ],
)
def test_times_count_from_any_moment_in_any_unit(cdf_reader, tmp_path, units, times, kind, first):
    path = small(tmp_path / "made.nc", units, times, kind=kind)
    table = one(cdf_reader, path, "n", TimeRange(datetime(2024, 5, 8), datetime(2024, 5, 13)))
    assert table.epoch[0] == np.datetime64(first, "ns")


@pytest.mark.parametrize(
    ("units", "facts", "said"),
    [
        ("months since 2020-01-01", {}, "months do not all have the same length"),
        ("seconds since launch", {}, "gives no reference time that helio can read"),
        ("days since 2020-01-01", {"calendar": "360_day"}, "calendar '360_day'"),
        ("days since 2020-01-01", {"calendar": "noleap"}, "calendar 'noleap'"),
        ("seconds since 2020-01-01", {"calendar": "tai"}, "calendar 'tai'"),
        ("seconds since 2020-01-01", {"units_metadata": "leap_seconds: utc"}, "count leap seconds"),
        ("common_years since 2020-01-01", {}, "do not all have the same length"),
        ("fortnights since 2020-01-01", {}, "the unit of time 'fortnights' is unknown"),
        ("seconds since 2020-01-01 00:00:00 UTC+2", {}, "gives no reference time that helio can read"),
        ("seconds since 2020-01-01 00:00:00 EST", {}, "gives no reference time that helio can read"),
        ("seconds since 2020-01-01 00:00:00 local", {}, "gives no reference time that helio can read"),
        ("seconds since 2020-01-01 -6:00", {}, "gives no reference time that helio can read"),
        ("seconds since 2020-01-01 00:00:00 -6:00 UTC", {}, "gives no reference time that helio can read"),
        ("seconds since 2020-02-30", {}, "gives no reference time that helio can read"),
    ],
)
def test_times_that_are_not_understood_are_refused_in_words(cdf_reader, tmp_path, units, facts, said):
    with pytest.raises(DamagedFile, match=said):
        one(cdf_reader, small(tmp_path / "made.nc", units, **facts), "n")


def packed(path, units, stored, kind, fill=None, **facts):
    """Times as they are stored, and 0, 1, 2 … as values."""
    with netCDF4.Dataset(str(path), "w") as file:
        file.createDimension("time", len(stored))
        time = file.createVariable("time", kind, ("time",), fill_value=fill)
        time.set_auto_maskandscale(False)
        time.setncatts({"units": units, **facts})
        time[:] = np.asarray(stored, time.dtype)
        file.createVariable("n", "f8", ("time",))[:] = np.arange(float(len(stored)))
    return path


@pytest.mark.parametrize(
    ("units", "stored", "kind", "facts", "times"),
    [
        (
            "seconds since 2024-05-10",
            [1, 86399999],
            "i4",
            {"scale_factor": 0.001},
            ["00:00:00.001", "23:59:59.999"],
        ),
        (
            "seconds since 2024-05-10",
            [1, 9],
            "i4",
            {"scale_factor": np.float32(0.001)},
            ["00:00:00.001", "00:00:00.009"],
        ),
        (
            *("seconds since 1970-01-01", [1715299200001000001, 1715299200001000003], "i8"),
            *({"scale_factor": 1e-9}, ["00:00:00.001000001", "00:00:00.001000003"]),
        ),
        ("days since 2024-05-10", [0, 86399], "i4", {"scale_factor": 1 / 86400}, ["00:00:00", "23:59:59"]),
        ("days since 1970-01-01", [1715299201], "i4", {"scale_factor": 1 / 86400}, ["00:00:01"]),
        ("hours since 2024-05-10", [0, 5], "i2", {"scale_factor": 1 / 3}, ["00:00:00", "01:40:00"]),
        ("seconds since 2024-05-10", [0, 1], "i4", {"add_offset": 3600.5}, ["01:00:00.5", "01:00:01.5"]),
        (
            *("seconds since 1970-01-01", [1, 2], "i2"),
            *({"scale_factor": 60, "add_offset": 1715299200}, ["00:01:00", "00:02:00"]),
        ),
        (
            *("seconds since 2024-05-10", [0.5, 1.0], "f4"),
            *({"scale_factor": 0.1, "add_offset": 3600.0}, ["01:00:00.05", "01:00:00.1"]),
        ),
        (
            *("minutes since 2024-05-10", [-56, -1], "i1"),
            *({"_Unsigned": "true", "scale_factor": 2.0}, ["06:40:00", "08:30:00"]),
        ),
        (
            "seconds since 2024-05-10",
            [2],
            "i4",
            {"scale_factor": 0.12345678901234567},
            ["00:00:00.246913578"],
        ),
    ],
)
def test_packed_times_are_unpacked_exactly(cdf_reader, tmp_path, units, stored, kind, facts, times):
    table = one(cdf_reader, packed(tmp_path / "x.nc", units, stored, kind, **facts), "n")
    assert table.epoch.tolist() == np.array([f"2024-05-10T{time}" for time in times], "M8[ns]").tolist()


@pytest.mark.parametrize("facts", [{"scale_factor": 0.0}, {"scale_factor": -1.0}, {"add_offset": np.nan}])
def test_times_that_cannot_be_unpacked_are_refused(cdf_reader, tmp_path, facts):
    path = packed(tmp_path / "x.nc", "seconds since 2024-05-10", [1, 2], "i4", **facts)
    with pytest.raises(DamagedFile, match="packed times with scale_factor"):
        one(cdf_reader, path, "n")


@pytest.mark.parametrize(
    ("stored", "kind", "fill", "facts"),
    [
        ([1, -1, 2], "i4", -1, {}),
        ([1, -1, 2], "i4", None, {"missing_value": np.int32(-1)}),
        ([1, netCDF4.default_fillvals["i4"], 2], "i4", None, {}),
        ([1.0, np.nan, 2.0], "f8", None, {}),
        ([1, -5, 2], "i4", None, {"valid_min": np.int32(0)}),
        ([1, 90, 2], "i4", None, {"valid_max": np.int32(80)}),
        ([1, 90, 2], "i4", None, {"valid_range": np.array([0, 80], "i4")}),
        ([1, 255, 2], "u1", 255, {}),
        ([1, -1, 2], "i1", None, {"_Unsigned": "true", "missing_value": np.int8(-1)}),
        ([1, 200, 2], "u1", None, {"_Unsigned": "false", "valid_min": np.int8(0)}),
        ([1, 90, 2], "i4", None, {"scale_factor": 60.0, "valid_max": 3600.0}),
        ([1, 90, 2], "i4", None, {"scale_factor": 60.0, "valid_max": np.int32(60)}),
        ([1, -1, 2], "i4", -1, {"scale_factor": 60.0}),
    ],
)  # fmt: skip
def test_times_that_the_file_calls_missing_are_dropped_and_counted(
    cdf_reader, tmp_path, stored, kind, fill, facts
):
    path = packed(tmp_path / "x.nc", "seconds since 2024-05-10", stored, kind, fill, **facts)
    table = one(cdf_reader, path, "n")
    assert table.values.tolist() == [0.0, 2.0]
    assert table.notes == ("1 of 3 records left out: their epoch is a fill value or out of range",)


def test_a_variable_without_times_says_so(cdf_reader, tmp_path):
    with netCDF4.Dataset(str(tmp_path / "x.nc"), "w") as file:
        file.createDimension("x", 2)
        file.createVariable("n", "f8", ("x",))
    with pytest.raises(UnknownParameter, match="'n' does not vary in time"):
        one(cdf_reader, tmp_path / "x.nc", "n")


def test_a_variable_in_a_group_has_its_path(cdf_reader, tmp_path):
    with netCDF4.Dataset(str(tmp_path / "x.nc"), "w") as file:
        file.createDimension("time", 2)
        time = file.createVariable("time", "i8", ("time",))
        time.units = "seconds since 2024-05-10"
        time[:] = [0, 1]
        inner = file.createGroup("ions").createVariable("n", "f8", ("time",))
        inner[:] = [3.0, 4.0]
    assert one(cdf_reader, tmp_path / "x.nc", "ions/n").values.tolist() == [3.0, 4.0]


def test_a_cdf_by_name_may_be_netcdf_3(cdf_reader, tmp_path):
    path = small(tmp_path / "old.cdf", "seconds since 2024-05-10", format="NETCDF3_CLASSIC")
    assert one(cdf_reader, path, "n").values.tolist() == [0.0, 1.0]


@pytest.mark.slow
def test_a_damaged_file_is_refused_or_read_but_never_a_crash(cdf_reader, goes, tmp_path):
    """Bytes turned over at places that are spread over the whole file."""
    data = goes.read_bytes()
    path = tmp_path / "made.nc"
    for offset in np.linspace(0, len(data) - 1, 60).astype(int):
        changed = bytearray(data)
        changed[offset] ^= 0xFF
        path.write_bytes(changed)
        try:
            cdf_reader.describe(path)
            one(cdf_reader, path, "flux")
        except DataError as refusal:
            assert refusal.message
