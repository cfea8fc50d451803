"""Tables as a file: what each format looks like to others; that it reads back equal is tested in `export`."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.errors import StepError
from helio.steps.save_data import save_data
from helio.store.table import Axis, Table
from tests.rows import in_one_test
from tests.steps.series import GOLDEN, START, epochs, spectrum, vector

# From version 3.1 on pandas reads exactly by itself.
EXACTLY = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
)


def save(table, **options):
    """One table under a label."""
    return save_data({"AC_H2_MFI.b": table}, **options)


def read_csv(export, **options):
    return pd.read_csv(io.BytesIO(export.content), comment="#", **EXACTLY, **options)


def test_a_csv_file_is_what_a_person_expects():
    """The whole file, as text; like every golden file it changes together with the tool's version."""
    text = f"version {save_data.__tool__.version}\n" + save(vector()).content.decode()
    assert text == (GOLDEN / "save_data.txt").read_text(encoding="utf-8")


def test_a_spectrum_carries_its_axis_in_the_header():
    text = f"version {save_data.__tool__.version}\n" + save(spectrum()).content.decode()
    assert text == (GOLDEN / "save_data_spectrum.txt").read_text(encoding="utf-8")


def test_csv_reads_back_exactly():
    table = vector()
    frame = read_csv(save(table), parse_dates=["epoch"])
    assert list(frame.columns) == ["epoch", "Bx [nT]", "By [nT]", "Bz [nT]"]
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), table.values)
    np.testing.assert_array_equal(frame["epoch"].dt.tz_convert(None).to_numpy().astype("M8[ns]"), table.epoch)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=20))
def test_any_double_reads_back_exactly(values):
    table = Table(epochs(*range(len(values))), np.array(values), name="x")
    read = read_csv(save(table), skip_blank_lines=False)["x"].to_numpy(dtype=np.float64)
    assert read.tobytes() == (table.values + 0.0).tobytes() or np.array_equal(
        read, table.values, equal_nan=True
    )


@given(st.lists(st.floats(width=32, allow_nan=True, allow_infinity=True), min_size=1, max_size=20))
def test_any_single_reads_back_exactly_in_its_own_precision(values):
    table = Table(epochs(*range(len(values))), np.array(values, dtype=np.float32), name="x")
    read = read_csv(save(table), skip_blank_lines=False)["x"].to_numpy(dtype=np.float64)
    np.testing.assert_array_equal(read.astype(np.float32), table.values)


def test_single_precision_is_written_short():
    table = Table(epochs(0), np.array([0.1], dtype=np.float32), name="x")
    assert save(table).content.decode().splitlines()[-1] == "2024-05-10T00:00:00Z,0.1"


@pytest.mark.parametrize(
    ("nanoseconds", "stamps"),
    [
        ([0, 10**9], ["2024-05-10T00:00:00Z", "2024-05-10T00:00:01Z"]),
        ([0, 5 * 10**8], ["2024-05-10T00:00:00.0Z", "2024-05-10T00:00:00.5Z"]),
        ([0, 10**6], ["2024-05-10T00:00:00.000Z", "2024-05-10T00:00:00.001Z"]),
        ([1, 10**6], ["2024-05-10T00:00:00.000000001Z", "2024-05-10T00:00:00.001000000Z"]),
    ],
)
def test_epochs_have_as_many_digits_as_the_finest_needs(nanoseconds, stamps):
    table = Table(START + np.array(nanoseconds, dtype="m8[ns]"), np.zeros(2))
    lines = save(table).content.decode().splitlines()
    assert [line.split(",")[0] for line in lines[-2:]] == stamps


def test_an_epoch_before_1970_keeps_its_fraction():
    table = Table(np.array(["1963-11-27T00:00:00.25"], "M8[ns]"), np.zeros(1))
    assert save(table).content.decode().splitlines()[-1] == "1963-11-27T00:00:00.25Z,0.0"


def test_an_empty_table_is_a_header():
    lines = save(vector().take(slice(0, 0))).content.decode().splitlines()
    assert lines[-1] == "epoch,Bx [nT],By [nT],Bz [nT]"


def test_text_from_files_cannot_break_the_header():
    table = replace(vector(), description="line one\nepoch,Bx\n2024", notes=("a\r\nb",))
    lines = save(table).content.decode().splitlines()
    assert "# description: line one epoch,Bx 2024" in lines
    assert "# note: a b" in lines
    assert len(read_csv(save(table))) == 10


def moving():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1)) * np.array([[1.0], [2.0], [1.0], [np.nan]])
    return replace(table, axes=(replace(table.axes[0], centers=centers),))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_bins_that_change_are_columns_of_their_own(format):
    export = save(moving(), format=format)
    frame = read_csv(export) if format == "csv" else pd.read_parquet(io.BytesIO(export.content))
    assert list(frame.columns)[-5:] == [f"Energy {j} center [keV]" for j in range(1, 6)]
    assert list(frame.columns)[1] == "Energy 1 [cm^-2 s^-1 sr^-1 keV^-1]"
    np.testing.assert_array_equal(frame.iloc[:, -5:].to_numpy(dtype=float), moving().axes[0].centers)


def test_two_axes_are_laid_flat_with_both_centres_in_the_name():
    axes = (Axis("Energy", "keV", np.array([1.0, 2.0])), Axis("Pitch angle", "deg", np.array([45.0, 135.0])))
    table = Table(epochs(0), np.arange(4.0).reshape(1, 2, 2), axes=axes, unit="s^3/km^6")
    frame = read_csv(save(table))
    assert list(frame.columns)[1] == "1 keV, 45 deg [s^3/km^6]"
    assert frame.iloc[0, 1:].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_unit_that_would_read_as_a_comment_is_written_otherwise():
    known = save(replace(vector(), unit="#/(cm2-steradian-second-MeV/nucleon)"))
    assert list(read_csv(known).columns)[1] == "Bx [cm^-2 s^-1 sr^-1 (MeV/n)^-1]"
    unknown = save(replace(vector(), unit="# major frames"))
    assert list(read_csv(unknown).columns)[1] == "Bx [no. major frames]"


def test_bins_of_one_name_stay_two_columns():
    axes = (Axis("Energy", "keV", np.array([1.0, 1.0, 2.0])),)
    frame = read_csv(save(Table(epochs(0), np.array([[1.0, 2.0, 3.0]]), axes=axes)))
    assert list(frame.columns) == ["epoch", "1 keV", "1 keV (2)", "2 keV"]


def test_parquet_reads_back_exactly_with_utc_nanoseconds_and_its_facts():
    table = replace(
        vector(), epoch=vector().epoch + np.timedelta64(1, "ns"), values=vector().values.astype(np.float32)
    )
    export = save(table, format="parquet")
    read = pq.read_table(io.BytesIO(export.content))
    assert str(read.schema.field("epoch").type) == "timestamp[ns, tz=UTC]"
    assert read.schema.field("Bx [nT]").metadata[b"unit"] == b"nT"
    assert str(read.schema.field("Bx [nT]").type) == "float"
    assert read["By [nT]"].null_count == 0
    facts = json.loads(read.schema.metadata[b"helio_table"])
    (of_table,) = facts["tables"]
    assert (of_table["frame"], of_table["unit"]) == ("GSE", "nT")
    assert facts["sources"][0]["dataset_id"] == "AC_H2_MFI"
    frame = read.to_pandas()
    np.testing.assert_array_equal(frame.iloc[:, 1:].to_numpy(), table.values)
    np.testing.assert_array_equal(frame["epoch"].dt.tz_convert(None).to_numpy().astype("M8[ns]"), table.epoch)


def test_big_endian_values_are_written_too():
    table = replace(vector(), values=vector().values.astype(">f8"))
    assert save(table).content == save(vector()).content
    assert save(table, format="parquet").content == save(vector(), format="parquet").content


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("table", [vector(), spectrum(), moving()], ids=["vector", "spectrum", "moving"])
def test_the_same_table_gives_the_same_bytes(format, table):
    assert save(table, format=format) == save(replace(table), format=format)


@in_one_test(
    ("filename", "format", "written"),
    [
        ("b", "csv", "b.csv"),
        ("b.csv", "csv", "b.csv"),
        ("B.CSV", "csv", "B.CSV"),
        ("ace.2024", "csv", "ace.2024.csv"),
        ("Bfeld übersicht", "parquet", "Bfeld übersicht.parquet"),
        ("", "csv", "b.csv"),
        ("b", "netcdf", "b.nc"),
        ("b.nc4", "netcdf", "b.nc4"),
        ("b", "cdf", "b.cdf"),
    ],
)
def test_the_extension_is_added_once(filename, format, written):
    assert save(vector(), filename=filename, format=format).filename == written


def test_a_file_without_a_name_is_called_after_its_labels():
    assert save_data({"|°|": vector()}).filename == "value.csv"
    assert (
        save_data({"A.B GSE/RTN ..": vector(), "A.n": vector()}, format="cdf").filename == "b-gse-rtn-n.cdf"
    )


@in_one_test(
    "filename",
    ["../b", "a/b", "/etc/passwd", "a\\b", "..", ".", ".hidden", "b\x00", "b\n", " b", "b ", "x" * 300],
)
def test_a_filename_with_folders_is_refused(filename):
    with pytest.raises(StepError, match="not a plain file name"):
        save(vector(), filename=filename)


def test_a_name_that_ends_like_another_format_is_refused():
    with pytest.raises(StepError, match="ends in parquet, but 'format' is csv") as refusal:
        save(vector(), filename="b.parquet", format="csv")
    assert "format" in refusal.value.advice


@pytest.mark.parametrize(
    ("filename", "media_type"),
    [
        ("b", "text/csv; charset=utf-8"),
        ("b.csv", "text/csv; charset=utf-8"),
        ("b.parquet", "application/vnd.apache.parquet"),
        ("b.CDF", "application/x-cdf"),
        ("b.nc", "application/x-netcdf"),
        ("b.nc4", "application/x-netcdf"),
    ],
)
def test_the_name_says_the_format_where_nobody_does(filename, media_type):
    export = save(vector(), filename=filename)
    assert export.media_type == media_type
    assert export.filename == ("b.csv" if filename == "b" else filename)


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_rows_have_one_epoch_each(format):
    with pytest.raises(StepError, match="different epochs") as refusal:
        save_data({"A.b": vector(), "A.flux": spectrum()}, format=format)
    assert "netcdf" in refusal.value.advice


@pytest.mark.parametrize("format", [None, "csv"])
def test_a_workbook_is_not_written_as_csv_behind_its_back(format):
    with pytest.raises(StepError, match=r"'b\.xlsx' has the ending of a format that helio does not write"):
        save(vector(), filename="b.xlsx", format=format)
