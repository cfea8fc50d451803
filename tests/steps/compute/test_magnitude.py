"""Magnitude of a vector."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, DataError, StepError
from helio.sources.cdf import CdfReader
from helio.steps.compute.band_average import band_average
from helio.steps.compute.declare_quantity import declare_quantity
from helio.steps.compute.magnitude import magnitude
from helio.time_range import TimeRange
from tests.rows import in_one_test
from tests.steps import solar_wind
from tests.steps.series import check_golden, spectrum, vector

CALLS = [([solar_wind.field], {})]


def test_three_four_and_nothing_make_five():
    result = magnitude(vector())
    assert result.values[0] == 5.0
    assert result.values[2] == 7.0
    assert (result.name, result.unit, result.frame, result.components) == ("|B|", "nT", "", ())


def test_a_magnitude_is_missing_where_one_component_is():
    result = magnitude(vector())
    assert np.isnan(result.values).tolist() == [False] * 3 + [True] + [False] * 6


def test_it_is_the_same_in_every_frame():
    table = vector(gap=False)
    angle = 0.7
    turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    turned = replace(table, values=table.values @ turn.T)
    np.testing.assert_allclose(magnitude(turned).values, magnitude(table).values, rtol=1e-15)


def test_single_precision_is_computed_in_double():
    table = vector()
    result = magnitude(replace(table, values=(table.values * 1e30).astype(np.float32)))
    assert result.values.dtype == np.float64
    assert result.values[0] == pytest.approx(5e30, rel=1e-6)


@pytest.mark.parametrize("fourth", ["|B|", "Bt        ", "B_total", "R", "Magnitude", "Bmag"])
def test_a_fourth_component_that_is_the_magnitude_is_left_out(fourth):
    table = vector()
    wide = replace(
        table,
        values=np.column_stack([table.values, np.full(len(table), 99.0)]),
        components=(*table.components, fourth),
    )
    np.testing.assert_array_equal(magnitude(wide).values, magnitude(table).values)


def test_a_fourth_component_that_may_be_anything_is_refused():
    table = vector()
    wide = replace(
        table,
        values=np.column_stack([table.values, table.values[:, 0]]),
        components=(*table.components, "charge"),
    )
    with pytest.raises(StepError, match="three components, but 'B' has 4: Bx, By, Bz, charge"):
        magnitude(wide)


def test_scalars_and_pairs_have_no_magnitude():
    with pytest.raises(StepError, match=r"the vector of .* must be a vector, but 'Bx' is one series"):
        magnitude(vector().component("Bx"))
    with pytest.raises(StepError, match="has 2"):
        magnitude(replace(vector(), values=vector().values[:, :2], components=("Bx", "By")))


def test_fluxes_in_three_bands_have_no_magnitude():
    bands = band_average(spectrum(), bands=[(1, 3), (3, 6), (6, 20)])
    assert len(bands.components) == 3
    with pytest.raises(StepError, match="needs Cartesian components"):
        magnitude(bands)


@in_one_test(
    "names",
    [
        ("Bx", "By", "Bz"),
        ("X", "Y", "Z"),
        ("B_R", "B_T", "B_N"),
        ("B_r", "B_t", "B_n"),
        ("R", "T", "N"),
        ("UeX core", "UeY core", "UeZ core"),
        ("Bx_RMS", "By_RMS", "Bz_RMS"),
        ("X (Delta SC)", "Y (Delta SC)", "Z (Delta SC)"),
        ("BL", "BM", "BN"),
        ("B_N", "B_E", "B_C"),
        ("Br", "Btheta", "Bphi"),
        ("Vz", "Vx", "Vy"),
    ],
)
def test_a_vector_is_known_by_its_names(names):
    table = replace(vector(), components=names, frame="")
    assert magnitude(table).values[0] == 5.0


def test_components_may_be_named_in_words():
    table = replace(vector(), components=("radial", "tangential", "normal"), frame="RTN")
    assert magnitude(table).values[0] == 5.0


@pytest.mark.parametrize("names", [("1", "2", "3"), ("E1", "E2", "E3")])
def test_numbered_components_are_a_vector_only_when_somebody_says_so(names):
    table = replace(vector(), components=names)
    with pytest.raises(StepError, match=r"does not say whether the components of .* are Cartesian") as caught:
        magnitude(table)
    assert "declare_quantity" in caught.value.advice
    assert magnitude(declare_quantity(table, representation="cartesian")).values[0] == 5.0


@in_one_test(
    ("names", "frame"),
    [
        (("year", "day", "msec"), ""),
        (("13.6–19.3 MeV", "19.3–40 MeV", "40–100 MeV"), ""),
        (("R", "theta", "phi"), ""),
        (("R", "Latitude", "Longitude"), "HGI"),
        (("Bx", "By", "Bt"), "GSE"),
        (("Bx", "By", "|B|"), "GSE"),
        (("x", "y", "t"), ""),
        (("0", "1", "2"), ""),
    ],
)
def test_three_columns_that_are_no_vector_are_refused(names, frame):
    with pytest.raises(StepError, match="needs Cartesian components"):
        magnitude(replace(vector(), components=names, frame=frame))


@pytest.mark.slow
@pytest.mark.archive
def test_every_vector_of_the_archive_has_a_magnitude():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    whole = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
    taken, refused = [], set()
    with CdfReader() as reader:
        for path in sorted(Path(folder).rglob("*.cdf")):
            try:
                names = reader.describe(path).parameters
            except DamagedFile:
                continue
            for name in names:
                try:
                    table = reader.read(path, [name], whole)[name]
                except DataError:
                    continue
                if len(table.components) == 3 or table.components[3:] in (("Bt",), ("R",)):
                    try:
                        magnitude(table)
                        taken.append(name)
                    except StepError:
                        refused.add(table.components)
    # the unit spin vectors of Wind MFI, and ELFIN's flags: the files do not say what their three numbers are
    assert refused == {("year", "day", "msec"), ("1", "2", "3")}
    assert len(taken) > 60
    assert {"BGSEc", "B_RTN", "tha_pos_sse", "mms1_fgm_r_gse_brst_l2", "UceGSE", "DB_SC", "RTN"} <= set(taken)


@pytest.mark.archive
@pytest.mark.parametrize(
    ("file", "vector", "strength"),
    [
        ("ace/ac_h0_mfi_20230102_v07.cdf", "BGSEc", "Magnitude"),
        ("wind/wi_h0_mfi_20031120_v05.cdf", "BGSE", "BF1"),
        ("mms/mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf", "mms1_fgm_b_gse_brst_l2", "Bt"),
    ],
)
def test_the_magnitude_is_that_of_the_file(file, vector, strength):
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    whole = TimeRange(datetime(1990, 1, 1), datetime(2030, 1, 1))
    with CdfReader() as reader:
        tables = reader.read(Path(folder) / file, [vector, *[strength] * (strength != "Bt")], whole)
    known = tables[vector].component("Bt") if strength == "Bt" else tables[strength]
    # ACE and Wind give the mean of the magnitude, which is larger than that of the mean vector
    apart = np.abs(magnitude(tables[vector]).values - known.values) / known.values
    assert np.nanmedian(apart) < (1e-6 if strength == "Bt" else 0.01)


def test_sources_and_notes_stay_with_the_result():
    table = vector()
    assert magnitude(table).sources == table.sources
    assert magnitude(table).notes == table.notes


def test_golden():
    check_golden(magnitude, magnitude(vector()))
