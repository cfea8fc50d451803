"""Parquet that somebody else wrote, read through the worker."""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helio.errors import DamagedFile, DataError, NoData, UnknownParameter
from helio.time_range import TimeRange

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))
STAMPS = [datetime(2024, 5, 10), datetime(2024, 5, 10, 0, 1)]


@pytest.fixture
def read(tmp_path, cdf_reader):
    """Write columns as a file and read one of its parameters."""

    def ask(columns, name="n"):
        path = tmp_path / "made.parquet"
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path)
        return cdf_reader.read(path, [name], DAY)[name]

    return ask


@pytest.mark.parametrize(
    "stamps",
    [
        pa.array(STAMPS, pa.timestamp("s")),
        pa.array(STAMPS, pa.timestamp("ms", tz="UTC")),
        pa.array(STAMPS, pa.timestamp("ns", tz="Europe/Berlin")),
        pa.array(["2024-05-10T00:00:00Z", "2024-05-10T00:01:00Z"]),
        pa.array(["2024-05-10T00:00:00Z", "2024-05-10T00:01:00Z"], pa.large_string()),
    ],
    ids=["s", "ms UTC", "ns Berlin", "texts", "large texts"],
)
def test_times_of_any_kind_are_utc(read, stamps):
    table = read({"time": stamps, "n": [1.0, 2.0]})
    np.testing.assert_array_equal(table.epoch, np.array(STAMPS, "M8[ns]"))


def test_days_are_times_too(read):
    table = read({"when": pa.array([date(2024, 5, 10)]), "n": [1.0]})
    assert table.epoch[0] == np.datetime64("2024-05-10")


def test_the_index_of_pandas_is_the_times(read):
    index = pd.DatetimeIndex(STAMPS, name="t")
    frame = pd.DataFrame(
        {"published": pd.to_datetime(STAMPS) + pd.Timedelta("1D"), "n": [1.0, 2.0]}, index=index
    )
    assert len(read(pa.Table.from_pandas(frame))) == 2


def test_of_several_columns_of_times_that_which_is_called_so_is_taken(read):
    later = [stamp.replace(year=2025) for stamp in STAMPS]
    assert len(read({"published": later, "epoch": STAMPS, "n": [1.0, 2.0]})) == 2


@pytest.mark.parametrize(
    ("column", "expected", "dtype"),
    [
        (pa.array([1, None]), [1.0, np.nan], "f8"),
        (pa.array([1.5, None], pa.float32()), [1.5, np.nan], "f4"),
        (pa.array([True, False]), [1.0, 0.0], "f8"),
        (pa.array([Decimal("1.5"), Decimal("2.5")]), [1.5, 2.5], "f8"),
        (pa.array([2**63, 1], pa.uint64()), [2.0**63, 1.0], "f8"),
    ],
)
def test_numbers_of_any_type_are_floats_with_nan_for_null(read, column, expected, dtype):
    table = read({"time": STAMPS, "n": column})
    np.testing.assert_array_equal(table.values, expected)
    assert table.values.dtype == dtype


def test_units_stand_in_titles_or_in_the_metadata(read):
    assert read({"time": STAMPS, "n [cm^-3]": [1.0, 2.0]}).unit == "cm^-3"
    fields = [pa.field("time", pa.timestamp("us")), pa.field("n", pa.float64(), metadata={"units": "cm^-3"})]
    assert read(pa.table([STAMPS, [1.0, 2.0]], schema=pa.schema(fields))).unit == "cm^-3"


def test_a_column_whose_name_has_points_is_found(read):
    assert read({"time": STAMPS, "ace.n.total": [1.0, 2.0]}, "ace.n.total").values.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"n": [1.0, 2.0]}, "has no column of times; its columns are n"),
        ({"when": ["a", "b"], "n": [1.0, 2.0]}, "has no column of times"),
        ({"time": ["2024-05-10", "tomorrow"], "n": [1.0, 2.0]}, "record 1: 'tomorrow' is not a time"),
        ({"time": pa.array([STAMPS[0], None]), "n": [1.0, 2.0]}, "record 1 has no time"),
        ({"time": pa.array([datetime(1492, 10, 12)] * 2), "n": [1.0, 2.0]}, "outside the years"),
        ({"time": [1.0, 2.0], "n": [1.0, 2.0]}, "has no column of times"),
    ],
)
def test_times_that_are_none_are_refused_in_words(read, columns, said):
    with pytest.raises(DamagedFile, match=said) as refusal:
        read(columns)
    assert refusal.value.advice


@pytest.mark.parametrize(
    "column",
    [pa.array(["a", "b"]), pa.array([[1.0], [2.0]]), pa.array([{"x": 1}, {"x": 2}])],
    ids=["text", "list", "struct"],
)
def test_a_column_that_is_no_number_is_no_parameter(read, column, cdf_reader, tmp_path):
    with pytest.raises(UnknownParameter, match="not numbers"):
        read({"time": STAMPS, "n": column, "m": [1, 2]})
    assert cdf_reader.describe(tmp_path / "made.parquet").parameters == ("m",)
    assert read({"time": STAMPS, "n": column, "m": [1, 2]}, "m").values.tolist() == [1.0, 2.0]


def test_no_records_is_no_data(read):
    with pytest.raises(NoData, match="holds no records"):
        read({"time": pa.array([], pa.timestamp("ns")), "n": pa.array([], pa.float64())})


@pytest.mark.slow
def test_a_damaged_file_is_refused_or_read_but_never_a_crash(read, cdf_reader, tmp_path):
    read({"time": pa.array(STAMPS * 50), "n": np.arange(100.0)})
    path = tmp_path / "made.parquet"
    data = path.read_bytes()
    for offset in np.linspace(4, len(data) - 9, 60).astype(int):
        changed = bytearray(data)
        changed[offset] ^= 0xFF
        path.write_bytes(changed)
        try:
            cdf_reader.describe(path)
            cdf_reader.read(path, ["n"], DAY)
        except DataError as refusal:
            assert refusal.message
