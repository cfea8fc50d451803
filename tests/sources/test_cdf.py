"""The reader, on CDFs written here: one test for each thing that files in the wild do."""

import os
import struct
import subprocess
import sys
import threading
from datetime import datetime

import numpy as np
import pycdfpp
import pytest

from helio.errors import DamagedFile, NoData, UnknownParameter
from helio.sources import cdf
from helio.sources.cdf import CdfReader
from helio.time_range import TimeRange
from tests.processes import is_running
from tests.waiting import wait_until

pytestmark = pytest.mark.process

ALWAYS = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
START = 63745056000000.0  # 2020-01-01 as CDF_EPOCH, ms
NAN = float("nan")


def minutes(count, start=START):
    return start + 60_000.0 * np.arange(count)


def with_epoch(made, count=4, name="Epoch"):
    return made.add(name, "epoch", minutes(count))


@pytest.fixture
def read(cdf_reader):
    def one(path, name, time_range=ALWAYS):
        return cdf_reader.read(path, [name], time_range)[name]

    return one


def test_a_vector_has_its_components_unit_frame_and_name(new_cdf, read):
    made = with_epoch(new_cdf())
    values = np.arange(12.0).reshape(4, 3)
    made.add("BGSE", "f4", values, DEPEND_0="Epoch", UNITS=" nT ", LABL_PTR_1="labels", CATDESC="Field")
    made.add("labels", "text", np.array(["Bx (GSE)", "By (GSE)", "Bz (GSE)"]), constant=True)
    table = read(made.done(), "BGSE")
    assert table.components == ("Bx", "By", "Bz")
    assert (table.unit, table.frame, table.name, table.description) == ("nT", "GSE", "B", "Field")
    assert table.values.dtype == "f4"
    assert np.array_equal(table.values, values)
    assert table.epoch[1] == np.datetime64("2020-01-01T00:01")
    assert table.sources == ()
    assert table.notes == ()


def test_the_interval_is_half_open(new_cdf, read):
    made = with_epoch(new_cdf(), 10)
    path = made.add("n", "f8", np.arange(10.0), DEPEND_0="Epoch").done()
    table = read(path, "n", TimeRange(datetime(2020, 1, 1, 0, 2), datetime(2020, 1, 1, 0, 5)))
    assert table.values.tolist() == [2, 3, 4]


def test_an_interval_without_records_gives_a_table_of_length_0(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("j", "f4", np.ones((4, 2)), DEPEND_0="Epoch", DEPEND_1="E")
    made.add("E", "f4", np.arange(8.0).reshape(4, 2) + 1, DEPEND_0="Epoch", UNITS="eV")
    table = read(made.done(), "j", TimeRange(datetime(1999, 1, 1), datetime(1999, 1, 2)))
    assert len(table) == 0
    assert table.values.shape == (0, 2)


def test_attribute_names_may_be_in_any_case(new_cdf, read):
    made = with_epoch(new_cdf())
    path = made.add("n", "f4", [1, 2, -5, 4], Depend_0="Epoch", units="1/cc", fillval=np.float32(-5)).done()
    table = read(path, "n")
    assert table.unit == "1/cc"
    assert np.isnan(table.values).tolist() == [False, False, True, False]


def test_two_clocks_in_one_file_are_not_mixed(new_cdf, cdf_reader):
    made = with_epoch(with_epoch(new_cdf()), 2, "Epoch_slow")
    made.add("fast", "f8", np.arange(4.0), DEPEND_0="Epoch").add(
        "slow", "f8", [7.0, 8.0], DEPEND_0="Epoch_slow"
    )
    tables = cdf_reader.read(made.done(), ["slow", "fast"], ALWAYS)
    assert list(tables) == ["slow", "fast"]
    assert (len(tables["slow"]), len(tables["fast"])) == (2, 4)


def test_without_depend_0_the_only_time_of_as_many_records_is_taken_and_noted(new_cdf, read):
    made = with_epoch(with_epoch(new_cdf()), 2, "Epoch_slow")
    table = read(made.add("n", "f8", [1.0, 2.0]).done(), "n")
    assert len(table) == 2
    assert "'Epoch_slow' is the only time with 2 records" in table.notes[0]


def test_without_depend_0_two_possible_times_are_refused(new_cdf, read):
    made = with_epoch(with_epoch(new_cdf()), 4, "Other")
    with pytest.raises(UnknownParameter, match="several times have 4 records: Epoch, Other"):
        read(made.add("n", "f8", np.arange(4.0)).done(), "n")


def test_a_count_of_records_that_differs_from_its_epochs_is_refused_with_both_numbers(new_cdf, read):
    made = with_epoch(new_cdf(), 4)
    with pytest.raises(UnknownParameter, match="has 6 records, but its epochs 'Epoch' have 4"):
        read(made.add("n", "f8", np.arange(6.0), DEPEND_0="Epoch").done(), "n")


def test_time_that_runs_backwards_is_put_in_order_and_noted(new_cdf, read):
    made = new_cdf().add("Epoch", "epoch", START + np.array([0.0, 3000, 1000, 2000, 3000, 4000]))
    table = read(made.add("n", "f8", np.arange(6.0), DEPEND_0="Epoch").done(), "n")
    assert table.values.tolist() == [0, 2, 3, 1, 5]
    assert bool((table.epoch[1:] > table.epoch[:-1]).all())
    assert "time runs backwards 1 time in" in table.notes[0]
    assert table.notes[1] == "1 record repeats an epoch; the first record of each epoch was kept"


def test_per_record_bins_follow_records_put_in_order(new_cdf, read):
    made = new_cdf().add("Epoch", "epoch", START + np.array([0.0, 2000, 1000]))
    made.add("j", "f4", np.array([[1, 2], [5, 6], [3, 4]]), DEPEND_0="Epoch", DEPEND_1="E")
    made.add("E", "f4", np.array([[10, 20], [50, 60], [30, 40]]), DEPEND_0="Epoch", UNITS="eV")
    table = read(made.done(), "j")
    assert table.values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert table.axes[0].centers.tolist() == [[10, 20], [30, 40], [50, 60]]


def test_records_without_a_usable_epoch_are_dropped_and_noted(new_cdf, read):
    made = new_cdf().add("Epoch", "epoch", np.array([START, -1e31, START + 1000, 0.0]))
    table = read(made.add("n", "f8", np.arange(4.0), DEPEND_0="Epoch").done(), "n")
    assert table.values.tolist() == [0, 2]
    assert table.notes == ("2 of 4 records left out: their epoch is a fill value or out of range",)


def test_a_time_with_two_values_per_record_is_refused(new_cdf, read):
    made = new_cdf().add("Epoch", "epoch", np.full((3, 2), START))
    with pytest.raises(UnknownParameter, match="has 6 values in 3 records"):
        read(made.add("n", "f8", np.arange(3.0), DEPEND_0="Epoch").done(), "n")


def test_tt2000_epochs_are_utc(new_cdf, read):
    made = new_cdf().add("Epoch", "tt2000", np.array([0, 10**9, -(2**63)]))
    table = read(made.add("n", "f8", np.arange(3.0), DEPEND_0="Epoch").done(), "n")
    assert (
        table.epoch.tolist()
        == np.array(["2000-01-01T11:58:55.816", "2000-01-01T11:58:56.816"], "M8[ns]").tolist()
    )


def test_epoch16_keeps_nanoseconds(tmp_path, read):
    cdf = pycdfpp.CDF()
    when = np.array(["2020-01-01T00:00:00.123456789", "2020-01-01T00:00:01"], dtype="M8[ns]")
    cdf.add_variable("Epoch", values=when, data_type=pycdfpp.DataType.CDF_EPOCH16)
    cdf.add_variable("n", values=np.array([1.0, 2.0]), attributes={"DEPEND_0": ["Epoch"]})
    pycdfpp.save(cdf, str(tmp_path / "epoch16.cdf"))
    assert np.array_equal(read(tmp_path / "epoch16.cdf", "n").epoch, when)


def test_a_file_without_any_attribute_is_read(new_cdf, read, cdf_reader):
    made = with_epoch(new_cdf())
    path = made.add("n", "f4", [1, -1e31, 3, 4]).add("B", "f4", np.ones((4, 3))).done()
    assert cdf_reader.describe(path).parameters == ("n", "B")
    table = read(path, "n")
    assert (table.name, table.unit) == ("n", "")
    assert np.isnan(table.values).tolist() == [False, True, False, False]
    assert read(path, "B").components == ("1", "2", "3")


def test_three_elements_without_labels_are_x_y_z_only_where_the_file_declares_them_cartesian(new_cdf, read):
    """A frame, and words such as vector and velocity, made a vector of any three numbers."""
    made = with_epoch(new_cdf())
    said = {
        "SGSM": {},
        "V_GSE": {"CATDESC": "Velocity vector in GSE, position component", "UNITS": "km/s"},
        "B_GSE": {"CATDESC": "Magnetic field in GSE Cartesian coordinates", "UNITS": "nT"},
        "B_RTN": {"REPRESENTATION_1": "Rep_xyz", "UNITS": "nT"},
    }
    for name, attributes in said.items():
        made.add(name, "f4", np.ones((4, 3)), DEPEND_0="Epoch", **attributes)
    path = made.done()
    for name, components, representation in (
        ("SGSM", ("1", "2", "3"), ""),
        ("V_GSE", ("1", "2", "3"), ""),
        ("B_GSE", ("x", "y", "z"), "cartesian"),
        ("B_RTN", ("r", "t", "n"), "cartesian"),
    ):
        table = read(path, name)
        assert (table.components, table.representation) == (components, representation), name
        assert table.frame == name[-3:]
        assert any("declare_quantity" in note for note in table.notes) is not bool(representation)


@pytest.mark.parametrize(
    ("labels", "units", "representation"),
    [
        (["speed", "theta", "phi"], ["km/s", "deg", "deg"], "spherical"),
        (["V1", "V2", "V3"], ["km/s", "deg", "deg"], "spherical"),
        (["rho", "phi", "z"], ["km", "deg", "km"], "cylindrical"),
        (["parallel", "perp1", "perp2"], ["mV/m"], ""),
        (["H+", "He+", "O+"], ["cm^-3"], "none"),
        (["Txx", "Tyy", "Tzz"], ["eV"], "diagonal"),
        (["Tx", "Ty", "Tz"], ["K"], "diagonal"),
        (["Bx_RMS (GSE)", "By_RMS (GSE)", "Bz_RMS (GSE)"], ["nT"], "none"),
        (["Vx (GSE)", "Vy (GSE)", "Vz (GSE)"], ["km/s"], "cartesian"),
        (["Vx (GSE)", "Vy (GSE)", "Vz (GSE)"], ["km/s", "deg", "deg"], ""),
    ],
)
def test_what_three_components_are_follows_from_labels_and_units(
    new_cdf, read, labels, units, representation
):
    made = with_epoch(new_cdf())
    unit = {"UNITS": units[0]} if len(units) == 1 else {"UNIT_PTR": "units"}
    made.add(
        "V",
        "f4",
        np.ones((4, 3)),
        DEPEND_0="Epoch",
        LABL_PTR_1="labels",
        CATDESC="velocity vector, GSE",
        **unit,
    )
    made.add("labels", "text", np.array(labels), constant=True).add(
        "units", "text", np.array(units), constant=True
    )
    assert read(made.done(), "V").representation == representation


def test_a_valid_range_of_a_whole_turn_says_that_an_angle_wraps(new_cdf, read):
    made = with_epoch(new_cdf())
    for name, low, high in (("a", 0.0, 360.0), ("b", -180.0, 180.0), ("c", -90.0, 90.0), ("d", -1e9, 1e9)):
        made.add(name, "f4", np.ones(4), DEPEND_0="Epoch", UNITS="deg", VALIDMIN=low, VALIDMAX=high)
    path = made.done()
    assert [read(path, name).periods for name in "abcd"] == [(360.0,), (360.0,), (0.0,), ()]


def test_a_numeric_depend_1_that_only_counts_names_nothing(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("B", "f4", np.ones((4, 3)), DEPEND_0="Epoch", DEPEND_1="index", LABL_PTR_1="labels")
    made.add("index", "i4", [1, 2, 3], constant=True).add(
        "labels", "text", np.array(["B_R", "B_T", "B_N"]), constant=True
    )
    assert read(made.done(), "B").components == ("B_R", "B_T", "B_N")


def test_sentences_as_labels_give_way_to_the_words_of_depend_1(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add(
        "Time_PB5",
        "i4",
        np.ones((4, 3)),
        DEPEND_0="Epoch",
        LABL_PTR_1="labels",
        DEPEND_1="units",
        UNIT_PTR="units",
    )
    made.add(
        "labels",
        "text",
        np.array(["Year", "Day of Year (Jan 1 = Day 1)", "Elapsed milliseconds of day"]),
        constant=True,
    )
    made.add("units", "text", np.array(["year", "day", "msec"]), constant=True)
    table = read(made.done(), "Time_PB5")
    assert table.components == ("year", "day", "msec")
    assert (table.unit, table.frame) == ("", "")
    assert table.notes == ("the components have different units: year, day, msec",)


def test_a_unit_pointer_to_equal_units_is_the_unit(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("r", "f4", np.ones((4, 2)), DEPEND_0="Epoch", UNIT_PTR="units")
    made.add("units", "text", np.array(["km", "km"]), constant=True)
    assert read(made.done(), "r").unit == "km"


def test_energies_that_alternate_from_record_to_record_are_kept_per_record(new_cdf, read):
    made = with_epoch(new_cdf())
    energies = np.array([[10.0, 20.0], [12.0, 24.0]] * 2)
    made.add("j", "f4", np.ones((4, 2)), DEPEND_0="Epoch", DEPEND_1="E", SCALETYP="log")
    made.add(
        "E",
        "f4",
        energies,
        DEPEND_0="Epoch",
        UNITS="eV",
        LABLAXIS="Energy",
        DELTA_PLUS_VAR="d",
        DELTA_MINUS_VAR="d",
    )
    made.add("d", "f4", [2.0, 4.0], constant=True)
    table = read(made.done(), "j")
    (axis,) = table.axes
    assert (axis.label, axis.unit, axis.scale, axis.per_record) == ("Energy", "eV", "log", True)
    assert np.array_equal(axis.centers, energies)
    assert np.array_equal(axis.lower, energies - np.array([2, 4]))
    assert np.array_equal(axis.upper, energies + np.array([2, 4]))
    assert table.scale == "log"


def test_energies_that_are_the_same_in_every_record_are_fixed(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("j", "f4", np.ones((4, 2)), DEPEND_0="Epoch", DEPEND_1="E")
    made.add("E", "f4", np.tile([10.0, 20.0], (4, 1)), DEPEND_0="Epoch", UNITS="eV")
    axis = read(made.done(), "j").axes[0]
    assert axis.centers.tolist() == [10, 20]
    assert axis.lower is None


def test_a_width_upwards_only_makes_depend_1_the_lower_edge(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("j", "f4", np.ones((4, 2)), DEPEND_0="Epoch", DEPEND_1="E")
    made.add("E", "f8", [1.0, 4.0], constant=True, UNITS="MeV", DELTA_PLUS_VAR="d").add(
        "d", "f8", [3.0, 5.0], constant=True
    )
    table = read(made.done(), "j")
    assert table.axes[0].lower.tolist() == [1, 4]
    assert table.axes[0].upper.tolist() == [4, 9]
    assert table.axes[0].centers.tolist() == [2, 6]
    assert "lower edges" in table.notes[0]


def test_energies_written_as_text_are_an_axis_even_if_they_are_three(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("j", "f4", np.ones((4, 3)), DEPEND_0="Epoch", DEPEND_1="E", LABL_PTR_1="E")
    made.add("E", "text", np.array(["0.7 - 1.4 MeV", "1.4 - 2.8 MeV", "2.8 - 4.0 MeV"]), constant=True)
    (axis,) = read(made.done(), "j").axes
    assert (axis.label, axis.unit, axis.scale) == ("Energy", "MeV", "log")
    assert axis.lower.tolist() == [0.7, 1.4, 2.8]
    assert axis.centers[0] == pytest.approx(np.sqrt(0.7 * 1.4))


def test_two_bin_axes_stand_in_the_order_of_the_dimensions(new_cdf, read):
    made = with_epoch(new_cdf())
    values = np.arange(4 * 3 * 2.0).reshape(4, 3, 2)
    made.add("j", "f4", values, DEPEND_0="Epoch", DEPEND_1="pitch", DEPEND_2="E")
    made.add("pitch", "f4", [15.0, 90.0, 165.0], constant=True, UNITS="deg")
    made.add("E", "f4", np.array([[10.0, 20.0], [12.0, 24.0]] * 2), DEPEND_0="Epoch", UNITS="eV")
    table = read(made.done(), "j")
    assert [(axis.unit, axis.bins, axis.per_record) for axis in table.axes] == [
        ("deg", 3, False),
        ("eV", 2, True),
    ]
    assert np.array_equal(table.values, values)


def test_column_majority_is_undone(new_cdf, read):
    made = with_epoch(new_cdf(column_major=True))
    values = np.arange(4 * 3 * 2.0).reshape(4, 3, 2)
    path = made.add("j", "f8", values, DEPEND_0="Epoch").done()
    # cdflib writes the numbers as they lie, so in the file the first dimension runs fastest
    assert np.array_equal(read(path, "j").values[0].reshape(3, 2), np.arange(6.0).reshape(2, 3).T)
    assert np.array_equal(read(path, "j").values.reshape(4, 3, 2), pycdfpp.load(str(path))["j"].values)


def test_a_tensor_is_nine_components(new_cdf, read):
    made = with_epoch(new_cdf())
    values = np.arange(36.0).reshape(4, 3, 3)
    made.add("P", "f4", values, DEPEND_0="Epoch", LABL_PTR_1="xyz", LABL_PTR_2="xyz", COORDINATE_SYSTEM="GSE")
    made.add("xyz", "text", np.array(["x", "y", "z"]), constant=True)
    table = read(made.done(), "P")
    assert table.components == ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")
    assert table.frame == "GSE"
    assert table.values[1].tolist() == list(range(9, 18))


def test_dimensions_of_one_element_are_left_out(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("n", "f4", np.arange(4.0).reshape(4, 1), DEPEND_0="Epoch")
    made.add("j", "f4", np.ones((4, 1, 2)), DEPEND_0="Epoch", DEPEND_2="E")
    path = made.add("E", "f4", [10.0, 20.0], constant=True, UNITS="eV").done()
    assert read(path, "n").values.shape == (4,)
    assert read(path, "j").axes[0].centers.tolist() == [10, 20]


def test_a_depend_1_of_another_size_is_noted_and_the_bins_are_numbered(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("j", "f4", np.ones((4, 10)), DEPEND_0="Epoch", DEPEND_1="E")
    table = read(made.add("E", "f4", np.arange(16.0), constant=True).done(), "j")
    assert table.axes[0].centers.tolist() == list(range(1, 11))
    assert "'E' that DEPEND gives has shape [16], which does not fit the 10 bins" in table.notes[0]


def test_more_than_two_bin_axes_are_refused(new_cdf, read):
    made = with_epoch(new_cdf())
    with pytest.raises(UnknownParameter, match=r"3 dimensions besides time, of sizes \[2, 3, 4\]"):
        read(made.add("f", "f4", np.ones((4, 2, 3, 4)), DEPEND_0="Epoch").done(), "f")


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4"])
def test_integers_of_every_kind_become_float64(new_cdf, read, kind):
    made = with_epoch(new_cdf())
    path = made.add("q", kind, [1, 2, 99, 4], DEPEND_0="Epoch", FILLVAL=np.int32(99)).done()
    table = read(path, "q")
    assert table.values.dtype == "f8"
    assert np.array_equal(table.values, [1, 2, NAN, 4], equal_nan=True)


def test_records_that_a_sparse_variable_leaves_out_are_pad_or_the_one_before(new_cdf, read):
    made = with_epoch(new_cdf())
    written = [[1, 3], np.array([[1.0, 2, 3], [4, 5, 6]])]
    made.add("pad", "f8", written, sparse="pad_sparse", pad=[-5.0], DEPEND_0="Epoch")
    made.add("none", "f8", written, sparse="pad_sparse", DEPEND_0="Epoch")
    path = made.add("prev", "f8", written, sparse="prev_sparse", DEPEND_0="Epoch").done()
    assert read(path, "pad").values.tolist() == [[-5, -5, -5], [1, 2, 3], [-5, -5, -5], [4, 5, 6]]
    assert read(path, "prev").values[1:].tolist() == [[1, 2, 3], [1, 2, 3], [4, 5, 6]]
    assert np.isnan(read(path, "none").values[[0, 2]]).all()
    theirs = pycdfpp.load(str(path))
    assert np.array_equal(read(path, "pad").values, theirs["pad"].values)


def test_names_that_differ_only_in_case_are_two_parameters(new_cdf, read):
    made = with_epoch(new_cdf())
    path = made.add("V", "f8", [1.0] * 4, DEPEND_0="Epoch").add("v", "f8", [2.0] * 4, DEPEND_0="Epoch").done()
    assert read(path, "V").values[0] == 1
    assert read(path, "v").values[0] == 2


def test_text_that_is_not_ascii_is_read(new_cdf, read):
    made = with_epoch(new_cdf())
    pycdf = pycdfpp.load(str(made.add("n", "f8", np.arange(4.0), DEPEND_0="Epoch").done()))
    pycdf["n"].add_attribute("UNITS", "µT")
    path = made.path.with_name("unicode.cdf")
    pycdfpp.save(pycdf, str(path))
    assert read(path, "n").unit == "µT"


def test_an_unknown_parameter_gets_the_closest_names(new_cdf, read):
    made = with_epoch(new_cdf())
    with pytest.raises(UnknownParameter, match="has no parameter 'BGSM'") as caught:
        read(made.add("BGSE", "f4", np.ones((4, 3)), DEPEND_0="Epoch").done(), "BGSM")
    assert caught.value.advice == "did you mean 'BGSE'?"
    assert caught.value.place.endswith("made.cdf")


def test_text_times_and_constants_are_no_parameters(new_cdf, read, cdf_reader):
    made = with_epoch(new_cdf())
    made.add("mode", "text", np.array(["a", "b", "a", "b"]), DEPEND_0="Epoch").add(
        "g", "f8", 9.81, constant=True
    )
    path = made.add("n", "f8", np.arange(4.0), DEPEND_0="Epoch").done()
    for name, message in (("mode", "holds text"), ("Epoch", "is a time"), ("g", "does not vary in time")):
        with pytest.raises(UnknownParameter, match=message):
            read(path, name)
    assert cdf_reader.describe(path).parameters == ("n",)


def test_a_variable_without_records_is_said_to_have_none(new_cdf, read):
    made = with_epoch(new_cdf()).add("n", "f8", np.arange(4.0), DEPEND_0="Epoch")
    with pytest.raises(UnknownParameter, match=r"'Mode' has no records in 'made\.cdf'") as caught:
        read(made.add("Mode", "u1", np.zeros(0), DEPEND_0="Epoch").done(), "Mode")
    assert caught.value.advice == "choose one of: n"


def test_a_master_cdf_is_said_to_be_one(new_cdf, read, cdf_reader):
    made = new_cdf().add("Epoch", "epoch", np.zeros(0)).add("n", "f8", np.zeros(0), DEPEND_0="Epoch")
    path = made.done()
    with pytest.raises(NoData, match="is a master CDF"):
        read(path, "n")
    assert cdf_reader.describe(path).parameters == ()


def test_an_alternate_view_shows_the_records_of_another_variable(new_cdf, read, cdf_reader):
    made = with_epoch(new_cdf()).add("n", "f8", np.arange(4.0), DEPEND_0="Epoch", UNITS="cm-3")
    made.add(
        "n_view", "f8", np.zeros(0), VIRTUAL="TRUE", FUNCT="alternate_view", COMPONENT_0="n", LABLAXIS="view"
    )
    path = made.done()
    table = read(path, "n_view")
    assert table.values.tolist() == [0, 1, 2, 3]
    assert (table.name, table.unit) == ("view", "cm-3")
    assert cdf_reader.describe(path).parameters == ("n", "n_view")


def test_a_virtual_magnitude_is_computed(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add(
        "B", "f4", np.array([[3, 4, 0], [-1e31, 0, 0], [1, 2, 2], [0, 0, 0]]), DEPEND_0="Epoch", UNITS="nT"
    )
    made.add(
        "Bt", "f4", np.zeros(0), VIRTUAL="TRUE", FUNCT="compute_magnitude", COMPONENT_0="B", LABLAXIS="|B|"
    )
    table = read(made.done(), "Bt")
    assert np.array_equal(table.values, [5, NAN, 3, 0], equal_nan=True)
    assert (table.name, table.unit, table.components) == ("|B|", "nT", ())


def test_any_other_virtual_variable_is_refused_by_its_function(new_cdf, read):
    made = with_epoch(new_cdf()).add("n", "f8", np.arange(4.0), DEPEND_0="Epoch")
    made.add("q", "f8", np.zeros(0), VIRTUAL="TRUE", FUNCT="convert_log10", COMPONENT_0="n", DEPEND_0="Epoch")
    with pytest.raises(UnknownParameter, match="CDAWeb computes it with 'convert_log10'"):
        read(made.done(), "q")


def test_themis_times_are_seconds_since_their_epoch0(new_cdf, read):
    made = new_cdf().add("epoch0", "epoch", 62167219200000.0, constant=True)
    made.add("time", "f8", 1577836800.25 + np.arange(3.0), UNITS="sec")
    made.add(
        "epoch",
        "epoch",
        np.zeros(0),
        VIRTUAL="TRUE",
        FUNCT="comp_themis_epoch",
        COMPONENT_0="epoch0",
        COMPONENT_1="time",
    )
    path = made.add(
        "pos", "f4", np.arange(3.0), DEPEND_0="epoch", DEPEND_TIME="time", DEPEND_EPOCH0="epoch0"
    ).done()
    assert read(path, "pos").epoch[0] == np.datetime64("2020-01-01T00:00:00.250")


def test_a_time_in_unknown_numbers_is_refused(new_cdf, read):
    made = new_cdf().add("t", "f8", np.arange(3.0), UNITS="fortnights")
    with pytest.raises(
        UnknownParameter,
        match="the time 't' has the unit 'fortnights', but helio reads times only as epochs or in seconds",
    ):
        read(made.add("n", "f8", np.arange(3.0), DEPEND_0="t").done(), "n")


def test_facts_are_what_the_file_says(new_cdf, cdf_reader):
    made = with_epoch(new_cdf()).say(
        Logical_source="AC_H0_MFI", Logical_file_id="AC_H0_MFI_20200101_V07", Data_version="7",
        DOI="https://doi.org/10.48322/abcd", Acknowledgement="N. Ness", TITLE="ACE MFI", Descriptor="MFI>",
    )  # fmt: skip
    facts = cdf_reader.describe(
        made.add("n", "f8", np.arange(4.0), DEPEND_0="Epoch", VAR_TYPE="ignore_data").done()
    )
    assert (facts.logical_source, facts.logical_file_id, facts.data_version) == (
        "AC_H0_MFI",
        "AC_H0_MFI_20200101_V07",
        "7",
    )
    assert (facts.doi, facts.acknowledgement, facts.title) == ("10.48322/abcd", "N. Ness", "ACE MFI")
    assert facts.parameters == ("n",)


MANY = 200_000
"""So many epochs are sent before the values of their table are read."""


def with_many_epochs(made, order=slice(None)):
    epochs = 700_000_000_000_000_000 + np.arange(MANY) * 10_000_000
    return made.add("Epoch", "tt2000", epochs[order], gzip=6)


@pytest.mark.parametrize("order", ["increasing", "backwards", "repeated"])
def test_several_long_parameters_share_their_epochs(new_cdf, cdf_reader, order):
    records = np.arange(MANY)
    records = records[::-1] if order == "backwards" else records
    if order == "repeated":
        records[7] = 6
    made = with_many_epochs(new_cdf(), records)
    vector = np.stack([records, records + 0.5, records + 0.25], axis=1)
    made.add("n", "f8", records, DEPEND_0="Epoch", FILLVAL=np.float64(3.0))
    made.add("v", "f4", vector, DEPEND_0="Epoch")
    path = made.add("few", "f8", np.arange(4.0), DEPEND_0="Other").add("Other", "epoch", minutes(4)).done()
    tables = cdf_reader.read(path, ["n", "v", "few"], ALWAYS)
    expected = np.unique(records)
    epochs = np.datetime64("2022-03-08T08:25:30.816", "ns") + expected * np.timedelta64(10, "ms")
    for name in ("n", "v"):
        assert np.array_equal(tables[name].epoch - tables[name].epoch[0], epochs - epochs[0])
    assert np.array_equal(tables["n"].values, np.where(expected == 3, NAN, expected), equal_nan=True)
    assert np.array_equal(tables["v"].values[:, 1], (expected + 0.5).astype("f4"))
    assert tables["few"].values.tolist() == [0, 1, 2, 3]
    assert tables["n"].epoch.flags.writeable
    assert not np.shares_memory(tables["n"].epoch, tables["v"].epoch)


def test_values_that_are_damaged_after_their_epochs_do_not_spoil_the_next_file(new_cdf, cdf_reader):
    noise = np.random.default_rng(1).normal(size=MANY)
    made = with_many_epochs(new_cdf()).add("whole", "f8", np.arange(MANY), DEPEND_0="Epoch")
    path = made.add("n", "f8", noise, gzip=6, DEPEND_0="Epoch").done()
    content = bytearray(path.read_bytes())
    last_stream = content.rindex(b"\x1f\x8b\x08\x00")
    content[last_stream + 1000 : last_stream + 1064] = bytes(64)
    path.write_bytes(content)
    with pytest.raises(DamagedFile):
        cdf_reader.read(path, ["n"], ALWAYS)
    table = cdf_reader.read(path, ["whole"], ALWAYS)["whole"]
    assert np.array_equal(table.values, np.arange(MANY))
    assert len(table.epoch) == MANY


@pytest.mark.parametrize("compressed", [0, 6])
def test_compressed_files_and_variables_are_read(new_cdf, read, compressed):
    made = with_epoch(new_cdf(compressed=compressed), 5000)
    path = made.add("n", "f4", np.arange(5000.0), DEPEND_0="Epoch", gzip=6).done()
    part = TimeRange(datetime(2020, 1, 2), datetime(2020, 1, 3))
    assert read(path, "n", part).values.tolist() == list(range(1440, 2880))


def test_a_variable_compressed_by_an_unknown_method_is_damaged(new_cdf, read):
    path = with_epoch(new_cdf(), 5000).add("n", "f4", np.arange(5000.0), DEPEND_0="Epoch", gzip=6).done()
    data = path.read_bytes()
    # the record that describes a compression: its size, its type of 11, gzip as 5, and a level of 6
    known, unknown = (struct.pack(">qiiiii", 28, 11, method, 0, 1, 6) for method in (5, 99))
    assert data.count(known) == 1
    path.write_bytes(data.replace(known, unknown))
    with pytest.raises(DamagedFile, match="is compressed by method 99"):
        read(path, "n")


def test_a_damaged_description_of_a_compression_is_said(new_cdf, read):
    path = with_epoch(new_cdf(), 5000).add("n", "f4", np.arange(5000.0), DEPEND_0="Epoch", gzip=6).done()
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack(">qii", 28, 11, 5), struct.pack(">qii", 28, 12, 5)))
    with pytest.raises(DamagedFile, match=r"no compression record \(CPR\) is at offset"):
        read(path, "n")


def test_bins_in_the_unit_of_a_flux_are_noted(new_cdf, read):
    made = with_epoch(new_cdf())
    made.add("pa", "f4", [30.0, 90.0, 150.0], constant=True, UNITS="#/(cm^2*s*sr*MeV)")
    made.add("j", "f4", np.ones((4, 3)), DEPEND_0="Epoch", DEPEND_1="pa", UNITS="#/(cm^2*s*sr*MeV)")
    table = read(made.done(), "j")
    assert table.axes[0].unit == "#/(cm^2*s*sr*MeV)"
    assert "'pa' gives its bins the unit of a flux" in table.notes[0]


def test_a_file_that_changes_under_the_same_name_is_read_again(new_cdf, read):
    with_epoch(new_cdf("a.cdf")).add("n", "f8", [1.0] * 4, DEPEND_0="Epoch").done()
    path = with_epoch(new_cdf("b.cdf")).add("n", "f8", [2.0] * 4, DEPEND_0="Epoch").done()
    first = path.with_name("a.cdf")
    assert read(first, "n").values[0] == 1
    os.replace(path, first)
    assert read(first, "n").values[0] == 2


def small(new_cdf):
    return with_epoch(new_cdf()).add("n", "f8", np.arange(4.0), DEPEND_0="Epoch").done()


def worker_pid(reader):
    return reader._worker._process.pid


def test_a_worker_that_takes_too_long_is_killed_and_the_next_file_is_read(new_cdf, monkeypatch):
    path = small(new_cdf)
    with CdfReader() as reader:
        reader.describe(path)
        monkeypatch.setattr(reader, "_time_limit", 0.3)
        pid = worker_pid(reader)
        os.kill(pid, 19)  # SIGSTOP: it hangs
        with pytest.raises(DamagedFile, match=r"'made.cdf' could not be read within 0.3 s") as caught:
            reader.read(path, ["n"], ALWAYS)
        assert caught.value.place == str(path)
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    with CdfReader(time_limit=30) as reader:
        assert len(reader.read(path, ["n"], ALWAYS)["n"]) == 4


def test_a_large_file_has_more_time(new_cdf, monkeypatch):
    path = small(new_cdf)
    monkeypatch.setattr(cdf, "_SLOWEST_BYTES", path.stat().st_size // 2)
    with CdfReader(time_limit=7.0) as reader:
        reader.describe(path)
        given = []

        def take_too_long(request, seconds):
            given.append((request["seconds"], seconds))
            raise TimeoutError

        monkeypatch.setattr(reader._worker, "ask", take_too_long)
        with pytest.raises(DamagedFile) as caught:
            reader.read(path, ["n"], ALWAYS)
        assert given == [(9.0, 9.0)]
        assert caught.value.message == (
            "'made.cdf' could not be read within 9 s, the time limit for its 0 MB"
        )
        monkeypatch.setattr(cdf, "_SLOWEST_BYTES", 5_000_000)
        assert len(reader.read(path, ["n"], ALWAYS)["n"]) == 4


def test_a_worker_that_dies_between_files_is_replaced(new_cdf):
    path = small(new_cdf)
    with CdfReader() as reader:
        reader.describe(path)
        os.kill(worker_pid(reader), 9)
        reader._worker._process.wait()
        assert len(reader.read(path, ["n"], ALWAYS)["n"]) == 4


def test_a_worker_that_dies_over_a_file_names_it(new_cdf, monkeypatch):
    path = small(new_cdf)
    with CdfReader() as reader:
        reader.describe(path)
        pid = worker_pid(reader)
        os.kill(pid, 19)
        wait_for_answer = reader._worker._frame

        def die(deadline):
            os.kill(pid, 9)
            return wait_for_answer(deadline)

        monkeypatch.setattr(reader._worker, "_frame", die)
        with pytest.raises(DamagedFile, match=r"the process that read 'made.cdf' crashed \(signal 9\)"):
            reader.read(path, ["n"], ALWAYS)
        assert len(reader.read(path, ["n"], ALWAYS)["n"]) == 4


def test_a_closed_reader_leaves_no_process(new_cdf):
    path = small(new_cdf)
    with CdfReader() as reader:
        reader.describe(path)
        pid = worker_pid(reader)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert len(reader.read(path, ["n"], ALWAYS)["n"]) == 4
    reader.close()
    reader.close()


def test_the_worker_ends_when_its_parent_is_killed(new_cdf):
    path = small(new_cdf)
    code = (
        "import sys, pathlib; from helio.sources.cdf import CdfReader; r = CdfReader();"
        f"r.describe(pathlib.Path({str(path)!r})); print(r._worker._process.pid, flush=True); input()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    pid = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    wait_until(lambda: not is_running(pid), "the end of the worker")


def test_threads_share_a_reader(new_cdf):
    path = small(new_cdf)
    lengths = []
    with CdfReader() as reader:
        threads = [
            threading.Thread(target=lambda: lengths.append(len(reader.read(path, ["n"], ALWAYS)["n"])))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert lengths == [4] * 8


def test_the_parent_does_not_import_cdflib():
    code = "import sys, helio.sources.cdf; print('cdflib' in sys.modules, 'pandas' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"
    )


def test_a_file_that_needs_more_memory_than_it_may_take_is_refused(new_cdf, monkeypatch):
    made = new_cdf().add("Epoch", "tt2000", [[0, 99_999_999], np.array([0, 1])], sparse="pad_sparse")
    huge = made.add(
        "n", "f8", [[0, 99_999_999], np.array([0.0, 1.0])], sparse="pad_sparse", DEPEND_0="Epoch"
    ).done()
    monkeypatch.setattr("helio.sources.cdf.memory_limit", lambda: 600 * 1024**2)
    with CdfReader() as reader:
        with pytest.raises(DamagedFile, match=r"'made\.cdf' needs more memory"):
            reader.read(huge, ["n"], ALWAYS)
        assert reader.describe(huge).parameters == ("n",)


def test_control_characters_in_text_are_blanked(new_cdf, read):
    made = with_epoch(new_cdf())
    path = made.add("n", "f8", np.arange(4.0), DEPEND_0="Epoch", CATDESC="red \x1b[31mtext").done()
    assert read(path, "n").description == "red  [31mtext"


def test_a_variable_that_claims_more_than_the_file_has_is_refused(new_cdf, read):
    path = small(new_cdf)
    data = bytearray(path.read_bytes())
    for name in (b"Epoch", b"n"):
        # MaxRec stands 60 bytes before the name in the descriptor of a variable
        place = data.index(name.ljust(256, b"\0")) - 60
        data[place : place + 4] = (2**30).to_bytes(4, "big")
    path.write_bytes(data)
    with pytest.raises(DamagedFile, match="claims 8589934600 bytes"):
        read(path, "n")
