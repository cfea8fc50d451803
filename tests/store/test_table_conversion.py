"""A table as a frame of pandas and as an array of xarray: values, coordinates and metadata."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from helio.store.source_file import SourceFile
from helio.store.table import Axis, Table

EPOCH = np.datetime64("2024-05-10", "ns") + np.arange(3) * np.timedelta64(1, "m")
SOURCE = SourceFile("AC_H2_MFI", "ac_h2_mfi_20240510_v01.cdf", version="01", provider="CDAWeb", sha256="ab")
ABOUT: dict[str, Any] = {
    "unit": "nT",
    "name": "B",
    "description": "Magnetic field",
    "sources": (SOURCE,),
    "notes": ("a remark",),
}
ENERGY = np.array([1.0, 2.5, 9.123456789])
KNOWN = {
    "units": "nT",
    "long_name": "B",
    "description": "Magnetic field",
    "sources": ["AC_H2_MFI: ac_h2_mfi_20240510_v01.cdf (CDAWeb, version 01)"],
    "notes": ["a remark"],
}


def test_a_scalar_has_the_dimension_epoch_and_all_metadata():
    array = Table(EPOCH, np.arange(3.0), **ABOUT).to_xarray()
    assert (array.dims, array.name, array.attrs) == (("epoch",), "B", KNOWN)
    assert (array.epoch.values == EPOCH).all()
    assert array.values.tolist() == [0, 1, 2]


def test_components_are_chosen_by_name():
    values = np.arange(6.0).reshape(3, 2)
    array = Table(EPOCH, values, components=("Bx", "By"), frame="GSE", **ABOUT).to_xarray()
    assert array.dims == ("epoch", "component")
    assert array.attrs == KNOWN | {"frame": "GSE"}
    assert array.sel(component="By").values.tolist() == [1, 3, 5]
    assert array.sel(component="By").attrs["units"] == "nT"


def test_bins_that_do_not_change_are_a_coordinate_with_unit_and_edges():
    axis = Axis("Energy", "keV", ENERGY, ENERGY - 0.5, ENERGY + 0.5)
    array = Table(EPOCH, np.arange(9.0).reshape(3, 3), axes=(axis,), **ABOUT).to_xarray()
    assert array.dims == ("epoch", "energy")
    assert array.sel(energy=2.5).values.tolist() == [1, 4, 7]
    assert array.energy.attrs == {"units": "keV", "long_name": "Energy"}
    assert array.energy_lower.values.tolist() == (ENERGY - 0.5).tolist()
    assert array.energy_upper.dims == ("energy",)


def test_bins_that_change_have_centres_for_each_record():
    axis = Axis("Energy", "keV", np.stack([ENERGY, ENERGY * 2, ENERGY * 3]))
    array = Table(EPOCH, np.ones((3, 3)), axes=(axis,), **ABOUT).to_xarray()
    assert array.dims == ("epoch", "energy_bin")
    assert array.energy.dims == ("epoch", "energy_bin")
    assert array.energy.values[2].tolist() == (ENERGY * 3).tolist()


@pytest.mark.parametrize(
    ("labels", "dimensions"),
    [
        (("Pitch angle", "Energy"), ("pitch_angle", "energy")),
        (("Energy", "energy"), ("energy", "energy_2")),
        (("", "°"), ("axis_1", "axis_2")),
        (("epoch", "Component"), ("epoch_1", "component_2")),
    ],
)
def test_every_axis_has_a_dimension_of_its_own(labels: tuple[str, str], dimensions: tuple[str, str]):
    axes = (Axis(labels[0], "deg", np.arange(2.0)), Axis(labels[1], "keV", ENERGY))
    assert Table(EPOCH, np.ones((3, 2, 3)), axes=axes).to_xarray().dims == ("epoch", *dimensions)


@pytest.mark.parametrize("changing", [False, True])
def test_a_netcdf_file_keeps_values_and_metadata(tmp_path: Path, changing: bool):
    centers = np.stack([ENERGY] * 3) if changing else ENERGY
    axis = Axis("Energy", "keV", centers, centers - 0.5, centers + 0.5)
    array = Table(EPOCH, np.arange(9.0).reshape(3, 3), axes=(axis,), **ABOUT).to_xarray()
    array.to_netcdf(tmp_path / "b.nc")
    with xr.open_dataarray(tmp_path / "b.nc") as read:
        xr.testing.assert_equal(read, array)
        one = {name: value[0] if isinstance(value, list) else value for name, value in KNOWN.items()}
        assert read.attrs == one, "netCDF reads a list of one text as a text"


def test_an_empty_table_and_one_without_metadata_are_converted():
    empty = Table(EPOCH[:0], np.ones((0, 2)), components=("x", "y"))
    assert empty.to_pandas().shape == empty.to_xarray().shape == (0, 2)
    assert empty.to_xarray().attrs == {}
    assert Table(EPOCH[:0], np.ones(0)).to_pandas().shape == (0, 1)


def test_a_frame_knows_the_centres_of_its_bins_exactly_and_hands_its_metadata_on():
    axis = Axis("Energy", "keV", ENERGY)
    frame = Table(EPOCH, np.ones((3, 3)), axes=(axis,), **ABOUT).to_pandas()
    assert frame.attrs["axes"] == [{"label": "Energy", "unit": "keV", "centers": ENERGY.tolist()}]
    assert frame.attrs["sources"][0]["sha256"] == "ab"
    for derived in (frame["1 keV"], frame * 2, frame.resample("2min").mean(), frame[frame > 0].dropna()):
        assert derived.attrs["unit"] == "nT"
    changing = Axis("Energy", "keV", np.stack([ENERGY] * 3))
    assert Table(EPOCH, np.ones((3, 3)), axes=(changing,)).to_pandas().attrs["axes"] == [
        {"label": "Energy", "unit": "keV"}
    ]
    assert isinstance(frame.index, pd.DatetimeIndex)
