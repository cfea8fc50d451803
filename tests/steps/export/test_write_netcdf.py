"""What others see in a netCDF file that is exported."""

import io
from dataclasses import replace

import numpy as np
import pytest

from helio.steps.save_data import save_data
from helio.store.table import Table
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
    assert not {"history", "date_created"} & set(file.attrs)


def test_the_bytes_are_those_of_netcdf_4():
    export = save_data({"b": vector()}, format="netcdf")
    assert io.BytesIO(export.content).read(4) == b"\x89HDF"
    assert export.filename == "b.nc"
