"""What others see in a netCDF file that is exported."""

import io
from dataclasses import replace

import netCDF4
import numpy as np
import pytest

from helio import __version__
from helio.sources.local import LocalArchive
from helio.steps.save_data import save_data
from helio.store.table import Table
from tests.steps.export.test_read_back import ALWAYS
from tests.steps.series import epochs, spectrum, vector

xarray = pytest.importorskip("xarray")


def written(tables, tmp_path, filename="ace_b_20240510_v02.nc"):
    """The file as xarray reads it, times decoded."""
    path = tmp_path / filename
    path.write_bytes(save_data(tables, filename=filename).content)
    with xarray.open_dataset(path, engine="netcdf4") as file:
        return file.load()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return written({"AC_H2_MFI.BGSEc": vector(), "X.flux": spectrum()}, tmp_path_factory.mktemp("netcdf"))


def test_times_are_decoded_to_those_of_the_table(file):
    np.testing.assert_array_equal(file["time"].values.astype("M8[ns]"), vector().epoch)
    np.testing.assert_array_equal(file["time_2"].values.astype("M8[ns]"), spectrum().epoch)
    assert file["time"].attrs["standard_name"] == "time"


def test_nanoseconds_are_kept(tmp_path):
    table = replace(vector(), epoch=vector().epoch + np.arange(10) * np.timedelta64(1, "ns"))
    file = written({"b": table}, tmp_path)
    np.testing.assert_array_equal(file["time"].values.astype("M8[ns]"), table.epoch)


def test_a_vector_is_found_by_the_names_of_its_components(file):
    variable = file["BGSEc"]
    assert variable.dims == ("time", "BGSEc_labels")
    np.testing.assert_array_equal(variable.sel(BGSEc_labels="Bz").values, vector().values[:, 2])
    np.testing.assert_array_equal(variable.values, vector().values)
    assert (variable.attrs["units"], variable.attrs["coordinate_system"]) == ("nT", "GSE")
    assert np.isnan(variable.encoding["_FillValue"])


def test_bins_are_a_coordinate(file):
    variable = file["flux"]
    assert variable.dims == ("time_2", "flux_Energy")
    np.testing.assert_array_equal(variable.sel(flux_Energy=4.0).values, spectrum().values[:, 2])
    assert file["flux_Energy"].attrs["units"] == "keV"


def test_bins_that_change_are_a_coordinate_over_time(tmp_path):
    centers = np.tile(spectrum().axes[0].centers, (4, 1)) * np.arange(1, 5)[:, None]
    axis = replace(spectrum().axes[0], centers=centers)
    file = written({"flux": replace(spectrum(), axes=(axis,))}, tmp_path)
    assert file["flux_Energy"].dims == ("time", "flux_Energy_bin")
    assert "flux_Energy" in file["flux"].coords


def test_edges_are_bounds_as_cf_has_them(tmp_path):
    centers = spectrum().axes[0].centers
    axis = replace(spectrum().axes[0], lower=centers * 0.75, upper=centers * 1.5)
    file = written({"flux": replace(spectrum(), axes=(axis,))}, tmp_path)
    bounds = file[file["flux_Energy"].attrs["bounds"]]
    np.testing.assert_array_equal(bounds.values, np.stack([centers * 0.75, centers * 1.5], axis=-1))


def test_two_axes_of_the_same_bins_have_a_dimension_each(tmp_path):
    axis = spectrum().axes[0]
    table = Table(epochs(0), np.arange(25.0).reshape(1, 5, 5), axes=(axis, axis))
    file = written({"matrix": table}, tmp_path)
    assert len(set(file["matrix"].dims)) == 3
    np.testing.assert_array_equal(file["matrix"].values, table.values)


def test_the_file_says_what_it_is_and_what_it_rests_on(file):
    assert file.attrs["Conventions"].startswith("CF-1.")
    assert file.attrs["id"] == "ace_b"
    assert "ac_h2_mfi_20240510_v01.cdf" in file.attrs["source"]
    assert "date_created" not in file.attrs


def test_the_history_names_helio_and_the_files_and_no_time(file):
    expected = f"written by helio {__version__} from AC_H2_MFI: ac_h2_mfi_20240510_v01.cdf"
    assert file.attrs["history"].startswith(expected)


def raw(tables, tmp_path):
    """The file as the library has it, without any decoding."""
    path = tmp_path / "b.nc"
    path.write_bytes(save_data(tables, filename="b.nc").content)
    return netCDF4.Dataset(path)


def edged(**changes):
    centers = spectrum().axes[0].centers
    axis = replace(spectrum().axes[0], lower=centers * 0.75, upper=centers * 1.5)
    return replace(spectrum(), axes=(replace(axis, **changes),))


def test_coordinates_and_their_bounds_have_no_fill_value(tmp_path):
    with raw({"A.b": vector(), "X.flux": edged()}, tmp_path) as file:
        coordinates = [name for name in file.variables if name in file.dimensions]
        assert sorted(coordinates) == ["b_labels", "flux_Energy", "time", "time_2"]
        for name in (*coordinates, file["flux_Energy"].bounds):
            assert "_FillValue" not in file[name].ncattrs(), name
        assert np.isnan(file["flux"]._FillValue)


@pytest.mark.parametrize(
    "centers",
    [
        [1.0, np.nan, 3.0, 4.0, 5.0],
        [1.0, 1.0, 2.0, 3.0, 4.0],
        [1.0, 3.0, 2.0, 4.0, 5.0],
        [1.0, 2.0, 3.0, 4.0, np.inf],
        [1.0, 2.0, 3.0, 4.0, netCDF4.default_fillvals["f8"]],
    ],
    ids=["missing", "twice", "not in order", "infinite", "the library's fill"],
)
def test_bins_that_are_no_coordinate_variable_of_cf_are_an_auxiliary_one(centers, tmp_path, cdf_reader):
    table = replace(spectrum(), axes=(replace(spectrum().axes[0], centers=np.array(centers)),))
    with raw({"X.flux": table}, tmp_path) as file:
        assert file["flux"].dimensions == ("time", "flux_Energy_bin")
        assert file["flux"].coordinates == "flux_Energy"
        assert "_FillValue" in file["flux_Energy"].ncattrs()
    found = LocalArchive(tmp_path, cdf_reader).fetch("b", ["flux"], ALWAYS)["flux"]
    np.testing.assert_array_equal(found.axes[0].centers, centers)


@pytest.mark.parametrize(
    ("unit", "units", "comment"),
    [
        ("cm^-3", "cm-3", None),
        ("nT^2/Hz", "nT2 Hz-1", None),
        ("#/(cm^2 s sr MeV)", "cm-2 s-1 sr-1 MeV-1", None),
        ("deg", "degree", None),
        ("", "1", None),
        ("R_E", "6371.2 km", "in units of R_E"),
        ("dB", "dB", "the unit 'dB' is not one of UDUNITS"),
        ("# major", "# major", "the unit '# major' is not one of UDUNITS"),
    ],
)
def test_units_are_those_of_udunits_and_another_one_is_named(unit, units, comment, tmp_path, cdf_reader):
    axis = replace(spectrum().axes[0], unit=unit)
    table = replace(spectrum(), unit=unit, axes=(axis,))
    with raw({"X.flux": table}, tmp_path) as file:
        for name in ("flux", "flux_Energy"):
            assert file[name].units == units
            assert getattr(file[name], "comment", None) == comment
    found = LocalArchive(tmp_path, cdf_reader).fetch("b", ["flux"], ALWAYS)["flux"]
    assert (found.unit, found.axes[0].unit) == (unit, unit)


def test_the_bytes_are_those_of_netcdf_4():
    export = save_data({"b": vector()}, format="netcdf")
    assert io.BytesIO(export.content).read(4) == b"\x89HDF"
    assert export.filename == "b.nc"
