"""Everything that is written reads back equal, through the archive that a user would name."""

import time
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given

from helio.errors import StepError
from helio.knowledge.unit_spelling import canonical_unit
from helio.sources.local import LocalArchive
from helio.steps.save_data import save_data
from helio.store.table import Axis, Table
from helio.time_range import TimeRange
from tests.laws import law
from tests.steps.series import epochs, spectrum, vector
from tests.store.tables import assert_same, tables
from tests.store.tables import spectrum as two_axes

pytestmark = pytest.mark.slow

FORMATS = ("csv", "parquet", "cdf", "netcdf")
ALWAYS = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))


def scalar(**facts):
    values = facts.pop("values", np.array([1.5, np.nan, -0.1]))
    return Table(epochs(0, 1, 2.5), values, **{"name": "n", "unit": "cm^-3"} | facts)


def moving():
    table = spectrum()
    centers = np.tile(table.axes[0].centers, (4, 1)) * np.array([[1.0], [2.0], [1.0], [np.nan]])
    axis = replace(table.axes[0], centers=centers, lower=centers * 0.9, upper=centers / 0.9)
    return replace(table, axes=(axis,))


def edges():
    table = spectrum()
    centers = (table.axes[0].centers / 3).astype("f4")
    axis = replace(
        table.axes[0], centers=centers, lower=centers * np.float32(0.7), upper=centers.astype("f8")
    )
    return replace(table, axes=(axis,))


TABLES = {
    "scalar": scalar(),
    "single precision": scalar(values=np.array([0.1, np.nan, 1e-30], "f4")),
    "no unit": scalar(unit="", name=""),
    "log scale": scalar(scale="log"),
    "description": scalar(description="Dichte der Protonen, ρ in cm⁻³ — 100 % “gut”, Zeile 1\nZeile 2"),
    "infinite": scalar(values=np.array([np.inf, -np.inf, 5e-324])),
    "odd unit": scalar(unit="# major, frames (sic)"),
    "vector": vector(),
    "vector in single precision": replace(vector(), values=vector().values.astype("f4") / 3, frame="RTN"),
    "one component": Table(epochs(0, 1), np.array([[1.0], [2.0]]), components=("x",)),
    "odd components": Table(
        epochs(0, 1), np.ones((2, 3)), unit="nT", components=("B x", "ß [nT]", "B x [nT]")
    ),
    "what is stated of components": replace(
        vector(),
        components=("a", "b", "c"),
        stated_representation="cartesian",
        stated_periods=(360.0, None, 0.0),
    ),
    "stated to be unknown": replace(vector(), stated_representation="", stated_periods=()),
    "a longitude stated to have no known period": scalar(name="longitude", unit="deg", stated_periods=()),
    "a period that is stated": scalar(unit="deg", stated_periods=(360.0,)),
    "spectrum": spectrum(),
    "edges": edges(),
    "bins that change": moving(),
    "two axes": two_axes(),
    "one bin": Table(epochs(0, 1), np.ones((2, 1)), axes=(Axis("E", "eV", np.array([5.0])),)),
    "bins of one centre": Table(
        epochs(0), np.ones((1, 3)), axes=(Axis("E", "eV", np.array([1.0, 1.0, 2.0])),)
    ),
    "nanoseconds": replace(vector(), epoch=vector().epoch + np.arange(10) * np.timedelta64(1, "ns")),
    "around a leap second": Table(
        np.array(["2016-12-31T23:59:59.5", "2017-01-01", "2017-01-01T00:00:01"], "M8[ns]"), np.arange(3.0)
    ),
}


def read_back(export, folder, reader, *parameters, dataset=None):
    """The tables of a file that is put into a folder, by parameter."""
    folder.mkdir(exist_ok=True)
    (folder / export.filename).write_bytes(export.content)
    archive = LocalArchive(folder, reader)
    dataset = dataset or archive.datasets()[0]
    return archive.fetch(dataset, parameters, ALWAYS)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", TABLES)
def test_a_table_reads_back_equal(name, format, tmp_path, cdf_reader):
    table = TABLES[name]
    found = read_back(save_data({"X.par": table}, filename="b", format=format), tmp_path, cdf_reader, "par")
    assert_same(found["par"], table)
    assert found["par"].digest() == table.digest()


@law(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
@pytest.mark.parametrize("format", FORMATS)
def test_any_table_reads_back_equal_or_is_refused(table, format, tmp_path, cdf_reader):
    assume(len(table))
    folder = tmp_path / "one"
    for file in folder.glob("*"):
        file.unlink()
    try:
        export = save_data({"par": table}, filename="b", format=format)
    except StepError as refusal:
        assert refusal.advice
        assert format == "cdf" or not all(table.values.shape[1:])
        return
    found = read_back(export, folder, cdf_reader, "par")
    assert_same(found["par"], table)


@pytest.mark.parametrize("format", ["cdf", "netcdf"])
def test_tables_of_two_clocks_share_a_file(format, tmp_path, cdf_reader):
    every = {"A.b": vector(), "A.flux": spectrum(), "B.b": moving(), "B.n": scalar()}
    found = read_back(
        save_data(every, filename="all", format=format), tmp_path, cdf_reader, "A_b", "flux", "B_b", "n"
    )
    for name, table in zip(("A_b", "flux", "B_b", "n"), every.values(), strict=True):
        assert_same(found[name], table)


@pytest.mark.parametrize("format", FORMATS)
def test_tables_of_one_clock_share_a_file(format, tmp_path, cdf_reader):
    other = replace(vector(), values=vector().values.astype("f4"), frame="GSM")
    every = {
        "A.b": vector(),
        "A.bgsm": other,
        "A.n": replace(scalar(), epoch=vector().epoch, values=np.ones(10)),
    }
    found = read_back(save_data(every, filename="all", format=format), tmp_path, cdf_reader, "b", "bgsm", "n")
    for name, table in zip(("b", "bgsm", "n"), every.values(), strict=True):
        assert_same(found[name], table)


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_table_gives_the_same_bytes_later(format):
    every = {"A.b": vector(), "A.bgsm": replace(vector(), frame="GSM")}
    before = save_data(every, filename="b", format=format)
    time.sleep(1.05 if format in ("cdf", "netcdf") else 0)  # HDF5 counts times in seconds
    assert (
        save_data({name: replace(table) for name, table in every.items()}, filename="b", format=format)
        == before
    )


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_of_an_export_is_the_dataset_of_its_name(format, tmp_path, cdf_reader):
    export = save_data({"b": vector()}, filename="my_b_20240510_v03", format=format)
    (tmp_path / export.filename).write_bytes(export.content)
    archive = LocalArchive(tmp_path, cdf_reader)
    assert archive.datasets() == ["MY_B"]
    (source,) = archive.fetch("my_b", ["b"], ALWAYS)["b"].sources
    assert (source.file, source.version) == (export.filename, "03")


@pytest.mark.parametrize("format", ["cdf", "netcdf"])
@pytest.mark.parametrize(
    "name",
    [
        *("scalar", "single precision", "vector", "spectrum", "edges", "bins that change", "log scale"),
        "what is stated of components",
    ],
)
def test_the_attributes_of_others_alone_say_the_same(name, format, tmp_path, cdf_reader, monkeypatch):
    """Without what helio writes for itself: values, epochs, unit, frame, components and bins are all there."""
    for writer in ("write_cdf", "write_netcdf"):
        monkeypatch.setattr(f"helio.steps.export.{writer}.WRITTEN", "something_else")
    table = TABLES[name]
    found = read_back(save_data({"X.par": table}, filename="b", format=format), tmp_path, cdf_reader, "par")[
        "par"
    ]
    np.testing.assert_array_equal(found.epoch, table.epoch)
    np.testing.assert_array_equal(found.values, table.values)
    assert canonical_unit(found.unit) == canonical_unit(table.unit)
    assert (found.frame, found.components) == (table.frame, table.components)
    assert found.representation == table.representation
    assert (found.scale, found.values.dtype) == (table.scale, table.values.dtype)
    for mine, theirs in zip(table.axes, found.axes, strict=True):
        np.testing.assert_array_equal(theirs.centers, mine.centers)
        assert (canonical_unit(theirs.unit), theirs.scale) == (canonical_unit(mine.unit), mine.scale)
        for part in ("lower", "upper"):
            edge, expected = getattr(theirs, part), getattr(mine, part)
            assert (edge is None) == (expected is None)
            if expected is not None:
                np.testing.assert_allclose(edge, expected, rtol=1e-6)
