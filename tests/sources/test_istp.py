"""What attributes mean, on small arrays."""

import numpy as np
import pytest

from helio.sources import istp
from tests.rows import in_one_test

NAN = float("nan")


def same(values, expected):
    return np.array_equal(values, np.array(expected, dtype=values.dtype), equal_nan=True)


def test_a_float32_fill_is_found_in_its_own_precision():
    raw = np.array([1.0, -1e31], dtype="f4")
    values = istp.without_fill(raw, {"FILLVAL": np.float64(-9.999999848243207e30)})
    assert values.dtype == "f4"
    assert same(values, [1.0, NAN])


def test_a_float32_fill_is_found_in_float64_values():
    raw = np.array([1.0, np.float64(np.float32(999.9)), 999.9])
    assert same(istp.without_fill(raw, {"FILLVAL": np.float32(999.9)}), [1.0, NAN, NAN])


def test_each_component_has_its_own_fill():
    raw = np.array([[9.0, 99.0], [99.0, 9.0]])
    assert same(istp.without_fill(raw, {"FILLVAL": np.array([9.0, 99.0])}), [[NAN, NAN], [99.0, 9.0]])


def test_integers_become_float64_with_their_fill_as_nan():
    values = istp.without_fill(np.array([1, -128], dtype="i1"), {"FILLVAL": np.int16(-128)})
    assert values.dtype == "f8"
    assert same(values, [1, NAN])


def test_an_integer_without_fillval_has_that_of_istp():
    assert same(istp.without_fill(np.array([3, 255], dtype="u1"), {}), [3, NAN])


def test_an_integer_fill_inside_the_valid_range_is_data():
    said = {"VALIDMIN": np.uint8(0), "VALIDMAX": np.uint8(255)}
    assert same(istp.without_fill(np.array([3, 255], dtype="u1"), said), [3, 255])


def test_a_fill_that_the_type_cannot_hold_masks_nothing():
    assert same(istp.without_fill(np.array([0, 1], dtype="i4"), {"FILLVAL": np.float64(-1e31)}), [0, 1])


def test_a_nan_fill_and_a_fill_as_text_are_understood():
    assert same(istp.without_fill(np.array([1.0, NAN]), {"FILLVAL": np.float64(NAN)}), [1, NAN])
    assert same(istp.without_fill(np.array([1.0, -1.0]), {"FILLVAL": "-1.0"}), [1, NAN])
    assert same(istp.without_fill(np.array([1.0, -1.0]), {"FILLVAL": "none"}), [1, -1])


def test_floats_without_fillval_lose_the_fill_of_istp_and_the_pad():
    assert same(istp.without_fill(np.array([1, -1e31, -1e30, 1e31], dtype="f4"), {}), [1, NAN, NAN, 1e31])


def test_values_outside_the_valid_range_are_kept_and_counted():
    values = np.array([5.0, 200.0, NAN])
    notes = istp.outside_range(values, {"VALIDMIN": np.float64(0), "VALIDMAX": np.float64(100)})
    assert same(values, [5, 200, NAN])
    assert notes == ("values outside the valid range 0 to 100: 1 of 3; they stay in the table",)


def test_nines_outside_the_valid_range_are_taken_for_fill_and_said_so():
    values = np.array([400.0, 99999.9, 99999.9, 12345.0], dtype="f4")
    notes = istp.outside_range(values, {"VALIDMIN": np.float32(0), "VALIDMAX": np.float32(9999.99)})
    assert same(values, [400, NAN, NAN, 12345])
    assert notes[0] == "the value 99999.9, found 2 times, is outside the valid range and counts as fill"
    assert notes[1].startswith("values outside the valid range 0 to 9999.99: 1 of 4")


def test_999_beyond_a_valid_maximum_of_900_is_data():
    values = np.array([999.0, 899.0])
    notes = istp.outside_range(values, {"VALIDMIN": np.float64(0), "VALIDMAX": np.float64(900)})
    assert same(values, [999, 899])
    assert notes == ("values outside the valid range 0 to 900: 1 of 2; they stay in the table",)


@in_one_test(
    ("value", "most", "fill"),
    [
        (9999.99, 900.0, True),
        (9999.99, 1200.0, False),  # a fast stream, or an error: a reader cannot know
        (999.99, 100.0, True),
        (-999.9, 50.0, True),
        (99999.9, 9999.99, True),
        (999.0, 10.0, False),  # three nines are a number like any other
        (100000.0, 9999.99, False),
        (9999999.0, 1e5, True),
    ],
)
@in_one_test("dtype", ["f4", "f8"])
def test_nines_are_fill_from_four_digits_and_ten_times_the_limit(value, most, fill, dtype):
    values = np.array([value, 0.0], dtype=dtype)
    istp.outside_range(values, {"VALIDMIN": np.float64(-most), "VALIDMAX": np.float64(most)})
    assert np.isnan(values).tolist() == [fill, False]


def test_a_nine_that_float32_rounds_to_a_power_of_ten_is_data():
    values = np.array([1e7, 9999999.9, 999999.99], dtype="f4")
    istp.outside_range(values, {"VALIDMIN": np.float32(0), "VALIDMAX": np.float32(10)})
    assert np.isfinite(values).all()


def test_whether_a_value_is_fill_does_not_depend_on_the_records_read_with_it():
    said = {"VALIDMIN": np.float32(0), "VALIDMAX": np.float32(9999.99)}
    every = np.array([400, 99999.9, 2e6, 999999, -3e6, 99999.9, 12345, -999999, 9999.9], dtype="f4")
    whole = every.copy()
    istp.outside_range(whole, said)
    for first in range(every.size):
        for stop in range(first + 1, every.size + 1):
            part = every[first:stop].copy()
            istp.outside_range(part, said)
            assert same(part, whole[first:stop])


def test_nines_are_compared_with_the_limits_of_their_own_component():
    values = np.array([[9999.9, 9999.9]])
    said = {"VALIDMIN": np.array([0.0, 0.0]), "VALIDMAX": np.array([100.0, 5000.0])}
    istp.outside_range(values, said)
    assert same(values, [[NAN, 9999.9]])


def test_nines_inside_the_valid_range_are_data():
    values = np.array([999.0])
    assert istp.outside_range(values, {"VALIDMIN": np.float64(0), "VALIDMAX": np.float64(1000)}) == ()
    assert same(values, [999])


def test_each_component_has_its_own_valid_range():
    values = np.array([[5.0, 5.0], [50.0, 50.0]])
    said = {"VALIDMIN": np.array([0.0, 0.0]), "VALIDMAX": np.array([10.0, 100.0])}
    assert istp.outside_range(values, said) == (
        "values outside the valid range 0 to [10, 100]: 1 of 4; they stay in the table",
    )


@pytest.mark.parametrize("limits", [(0.0, 0.0), (10.0, -10.0), (-np.inf, 1.0), ("low", 1.0)])
def test_an_impossible_valid_range_says_nothing(limits):
    said = {"VALIDMIN": limits[0], "VALIDMAX": limits[1]}
    assert istp.outside_range(np.array([-5.0, 500.0]), said) == ()


@in_one_test(
    ("labels", "names"),
    [
        (["Bx GSE    ", "By GSE    ", "Bz GSE    ", "Bt        "], ("Bx", "By", "Bz", "Bt")),
        (["Bx (GSM)", "By (GSM)", "Bz (GSM)"], ("Bx", "By", "Bz")),
        (["ACE X-GSE ", "ACE Y-GSE ", "ACE Z-GSE "], ("X", "Y", "Z")),
        (
            ["Vx_spintone_DBCS", "Vy_spintone_DBCS", "Vz_spintone_DBCS"],
            ("Vx_spintone", "Vy_spintone", "Vz_spintone"),
        ),
        (["X, GEI", "Y, GEI", "Z, GEI"], ("X", "Y", "Z")),
        (["B_R", "B_T", "B_N"], ("B_R", "B_T", "B_N")),
        (["Bx (nT)", "By (nT)", "Bz (nT)"], ("Bx", "By", "Bz")),
        (["UeX core (GSE)", "UeY core (GSE)", "UeZ core (GSE)"], ("UeX core", "UeY core", "UeZ core")),
        (["B GSE", "B GSM"], ("B GSE", "B GSM")),
    ],
)
def test_labels_become_short_and_stay_unique(labels, names):
    assert istp.component_names(labels, "nT") == names


def test_labels_that_are_all_the_same_name_nothing():
    assert istp.component_names(["B", "B", "B"]) is None


@in_one_test(
    ("name", "said", "labels", "frame"),
    [
        ("B", {"COORDINATE_SYSTEM": "GSE>Geocentric Solar Ecliptic"}, (), "GSE"),
        ("B", {"COORDINATE_SYSTEM": "gsm"}, (), "GSM"),
        ("SC_pos_GSE", {}, ("ACE X-GSE",), "GSE"),
        ("BGSEc", {}, (), "GSE"),
        ("B1RMSGSM", {}, (), "GSM"),
        ("mms1_fgm_b_gse_brst_l2", {}, (), "GSE"),
        ("psp_fld_l2_mag_RTN_1min", {}, (), "RTN"),
        ("V", {"CATDESC": "Ion velocity in GSE coordinates"}, (), "GSE"),
        ("tha_pos_sel", {}, (), "SEL"),
        ("Time_PB5", {"CATDESC": "Time in PB5 format"}, (), ""),
        ("surface_facet", {}, (), ""),
        ("E", {"CATDESC": "SC potential"}, (), ""),
    ],
)
def test_the_frame_is_found_where_the_file_says_it(name, said, labels, frame):
    assert istp.frame_of(name, said, labels) == frame


def test_energies_written_out_become_bins():
    bins = istp.text_bins(["13.6 - 15.1 MeV ", "29.6 - 33. 4 MeV ", "60 - 100 MeV"])
    assert bins.unit == "MeV"
    assert bins.lower.tolist() == [13.6, 29.6, 60]
    assert bins.upper.tolist() == [15.1, 33.4, 100]
    assert bins.centers[2] == pytest.approx(np.sqrt(6000))


@pytest.mark.parametrize(
    "labels", [["Bx GSE", "By GSE"], ["1 - 2 MeV", "> 10 MeV"], ["1 - 2 MeV", "2 - 3 keV"], ["2 - 1 keV"], []]
)
def test_what_is_no_bin_in_every_label_is_none(labels):
    assert istp.text_bins(labels) is None


def test_a_bin_that_begins_at_zero_has_its_arithmetic_middle():
    assert istp.middle(np.array([0.0, 1.0]), np.array([10.0, 4.0])).tolist() == [5.0, 2.0]


def test_bins_that_are_equal_in_every_record_are_fixed():
    assert istp.fixed_if_equal(np.array([[1.0, NAN], [1.0, NAN]])).shape == (2,)
    assert istp.fixed_if_equal(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]])).shape == (3, 2)


def test_an_axis_with_a_centre_of_zero_is_linear():
    assert istp.axis_scale(np.array([0.0, 10.0]), "eV", {"SCALETYP": "log"}) == "linear"
    assert istp.axis_scale(np.array([1.0, 10.0]), "eV", {}) == "log"
    assert istp.axis_scale(np.array([1.0, 10.0]), "deg", {}) == "linear"


@pytest.mark.parametrize("unit", ["#/(cm^2*s*str*MeV)", "1/(cm2 s sr keV)", "m^-2 s^-1", "cm**-2"])
def test_a_unit_per_area_is_no_unit_of_bins(unit):
    assert istp.is_flux(unit)


@in_one_test("unit", ["deg", "keV", "Hz", "km", "mm", "", "s^2", "R_E", "eV/nuc", "m 25"])
def test_units_of_bins_are_no_fluxes(unit):
    assert not istp.is_flux(unit)


def test_what_components_have_in_common_names_the_vector():
    assert istp.stem_of(("Bx", "By", "Bz", "Bt")) == "B"
    assert istp.stem_of(("B_R", "B_T", "B_N")) == "B"
    assert istp.stem_of(("X", "Y", "Z")) == ""
    assert istp.stem_of(("Vx", "By")) == ""


@pytest.mark.parametrize(
    "raw",
    [
        np.array([1.0, 5.0, 9.0]),
        np.array([1.0, 99999.9, 9.0, 99999.9]),
        np.array([1.0, -1e31, 99999.9, 20.0]),
        np.array([np.nan, 5.0, 20.0, -3.0]),
        np.array([np.nan, np.nan]),
        np.array([1, 5, 20, -3], np.int16),
        np.array([1, -32768, 20], np.int16),
        np.array([[1, 5], [2**53 + 1, -3]]),
        np.array([1.5, 99999.9], np.float32),
    ],
)
def test_known_extremes_change_no_note_and_no_value(raw):
    said = {"VALIDMIN": np.float64(0), "VALIDMAX": np.float64(10)}
    expected = istp.without_fill(raw.copy(), said)
    notes = istp.outside_range(expected, said)
    values, known = istp.without_fill_and_extremes(raw.copy(), said)
    assert istp.outside_range(values, said, known) == notes
    assert np.array_equal(values, expected, equal_nan=True)
    assert (known is None) == bool(np.isnan(istp.without_fill(raw.copy(), said)).sum() > np.isnan(raw).sum())
