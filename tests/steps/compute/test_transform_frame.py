"""Vectors between Earth-centred frames."""

import itertools
import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import StepError
from helio.sources.cdf import CdfReader
from helio.steps.compute.geocentric_frames import CHAIN, dipole_tilt, rotate_between
from helio.steps.compute.transform_frame import transform_frame
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.rows import in_one_test
from tests.steps import solar_wind
from tests.steps.series import GOLDEN, check_golden, vector

CALLS = [([solar_wind.field], {"to": "GEO"})]

FRAMES = ("GSE", "GSM", "SM", "GEO", "GEI")  # the columns of the file
PAIRS = list(itertools.permutations(FRAMES, 2))
PEER = GOLDEN / "transform_frame_spacepy.txt"


def degrees_between(one, other):
    return np.degrees(
        np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), np.einsum("ij,ij->i", one, other))
    )


def peer():
    lines = [line.split() for line in PEER.read_text().splitlines() if not line.startswith("#")]
    epoch = np.array([line[0].rstrip("Z") for line in lines], dtype="M8[ns]")
    numbers = np.array([[float(text) for text in line[1:]] for line in lines])
    return epoch, {frame: numbers[:, 3 * i : 3 * i + 3] for i, frame in enumerate(FRAMES)}


def table(epoch, values, frame):
    return Table(epoch, values, unit="nT", name="B", frame=frame, components=("Bx", "By", "Bz"))


@in_one_test(("start", "stop"), PAIRS)
def test_every_pair_of_frames_agrees_with_a_peer_library(start, stop):
    epoch, known = peer()
    found = transform_frame(table(epoch, known[start], start), to=stop)
    assert degrees_between(found.values, known[stop]).max() < 0.05
    assert (found.frame, found.components, found.unit) == (stop, ("Bx", "By", "Bz"), "nT")


@in_one_test(("start", "stop"), PAIRS)
def test_there_and_back_is_where_it_began(start, stop):
    epoch, known = peer()
    given = table(epoch, 1e3 * known[start], start)
    back = transform_frame(transform_frame(given, to=stop), to=start)
    np.testing.assert_allclose(back.values, given.values, rtol=0, atol=1e-9)


def test_lengths_stay():
    epoch, known = peer()
    found = transform_frame(table(epoch, known["GSE"], "GSE"), to="SM")
    np.testing.assert_allclose(
        np.linalg.norm(found.values, axis=1), np.linalg.norm(known["GSE"], axis=1), rtol=1e-14
    )


def test_the_sun_is_on_the_x_axis_of_gse_and_at_its_place_in_the_sky():
    # Equinox of March 2020 at 03:50 UT: the Sun stands at the vernal point, the x axis of GEI
    epoch = np.array(["2020-03-20T03:50"], dtype="M8[ns]")
    sun = rotate_between(epoch, np.array([[1.0, 0.0, 0.0]]), "GSE", "GEI")
    assert degrees_between(sun, np.array([[1.0, 0.0, 0.0]]))[0] < 0.02
    # At 12:07 UT of that day it is above the meridian of Greenwich (equation of time: -7.4 min)
    noon = rotate_between(
        np.array(["2020-03-20T12:07:25"], dtype="M8[ns]"), np.array([[1.0, 0.0, 0.0]]), "GSE", "GEO"
    )
    assert abs(np.degrees(np.arctan2(noon[0, 1], noon[0, 0]))) < 0.05


def test_the_dipole_is_the_z_axis_of_sm_and_in_the_xz_plane_of_gsm():
    epoch, _ = peer()
    years = epoch.astype("M8[Y]").astype(int) + 1970
    axis = rotate_between(epoch, np.tile([0.0, 0.0, 1.0], (len(epoch), 1)), "SM", "GSM")
    assert np.abs(axis[:, 1]).max() < 1e-12
    geographic = rotate_between(epoch, np.tile([0.0, 0.0, 1.0], (len(epoch), 1)), "SM", "GEO")
    # The northern pole of the dipole moved from 78.6 N 289.8 E in 1970 to 80.7 N 287.3 E in 2020 (WDC Kyoto)
    latitude = np.degrees(np.arcsin(geographic[:, 2]))
    assert latitude[years < 1975] == pytest.approx(78.6, abs=0.15)
    assert latitude[years == 2020] == pytest.approx(80.65, abs=0.1)


def test_the_tilt_swings_with_the_season_and_the_hour():
    year = np.arange("2015-01-01", "2016-01-01", dtype="M8[h]").astype("M8[ns]")
    tilt = dipole_tilt(year)
    # obliquity plus the colatitude of the dipole, 23.4 + 9.7
    assert tilt.max() == pytest.approx(33.1, abs=0.1)
    assert tilt.min() == pytest.approx(-33.1, abs=0.1)
    assert 5 <= year[tilt.argmax()].astype("M8[M]").astype(int) % 12 <= 6


def test_a_missing_component_spoils_what_it_enters_and_no_more():
    given = vector()
    found = transform_frame(given, to="GSM")
    assert np.isnan(found.values[3]).tolist() == [False, True, True]
    np.testing.assert_array_equal(found.values[:, 0], given.values[:, 0])
    assert (
        np.isnan(transform_frame(given, to="GEO").values).any(axis=1).tolist()
        == [False] * 3 + [True] + [False] * 6
    )


def test_a_magnitude_beside_the_vector_is_left_out():
    given = vector(gap=False)
    four = replace(
        given,
        values=np.column_stack([given.values, np.linalg.norm(given.values, axis=1)]),
        components=("Bx", "By", "Bz", "Bt"),
    )
    np.testing.assert_array_equal(
        transform_frame(four, to="SM").values, transform_frame(given, to="SM").values
    )


def test_blocks_of_records_join_without_a_seam():
    epoch = np.datetime64("2024-05-10", "ns") + np.arange(70_000) * np.timedelta64(1, "s")
    values = np.tile([1.0, 2.0, 3.0], (len(epoch), 1))
    found = rotate_between(epoch, values, "GSE", "SM")
    assert np.abs(np.diff(found, axis=0)).max() < 1e-3
    np.testing.assert_array_equal(
        found[40_000:40_001], rotate_between(epoch[40_000:40_001], values[:1], "GSE", "SM")
    )


def test_times_without_a_known_dipole_are_refused_where_it_is_needed():
    late = replace(vector(), epoch=vector().epoch + np.timedelta64(20 * 365, "D"))
    with pytest.raises(StepError, match="known from 1900 to 2030, but the data are from 2044-05-05"):
        transform_frame(late, to="GSM")
    assert transform_frame(late, to="GEO").frame == "GEO"


def test_an_empty_table_stays_empty():
    assert len(transform_frame(vector().take(slice(0, 0)), to="SM")) == 0


def test_a_frame_is_turned_into_itself_unchanged():
    np.testing.assert_array_equal(transform_frame(vector(), to="GSE").values, vector().values)
    assert CHAIN[2] == "GSE"


@pytest.mark.slow
@pytest.mark.archive
@pytest.mark.parametrize(
    ("file", "gse", "gsm", "apart"),
    [
        ("wind/wi_h0_mfi_20031120_v05.cdf", "BGSE", "BGSM", 0.2),
        ("ace/ac_h0_mfi_20230102_v07.cdf", "BGSEc", "BGSM", 0.3),
        (
            "mms/mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf",
            "mms1_fgm_b_gse_brst_l2",
            "mms1_fgm_b_gsm_brst_l2",
            0.02,
        ),
    ],
)
def test_gse_becomes_the_gsm_that_missions_deliver(file, gse, gsm, apart):
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    whole = TimeRange(datetime(1990, 1, 1), datetime(2030, 1, 1))
    with CdfReader() as reader:
        given = reader.read(Path(folder) / file, [gse, gsm], whole)
    mine = transform_frame(given[gse], to="GSM").values
    theirs = given[gsm].values[:, :3].astype(np.float64)
    # Wind and ACE extrapolate an older dipole; MMS takes that of its time.
    # Small fields are rounded in the files: the angle is of fields above 2 nT
    strong = np.linalg.norm(theirs, axis=1) > 2
    assert strong.sum() > 1000
    assert np.nanmax(degrees_between(mine, theirs)[strong]) < apart


@pytest.mark.archive
def test_the_tilt_is_that_of_the_wind_file():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    whole = TimeRange(datetime(1990, 1, 1), datetime(2030, 1, 1))
    with CdfReader() as reader:
        tilt = reader.read(Path(folder) / "wind/wi_h0_mfi_20031120_v05.cdf", ["TILTANG"], whole)["TILTANG"]
    assert np.nanmax(np.abs(dipole_tilt(tilt.epoch) - tilt.values)) < 0.3  # from an older dipole


def test_golden():
    check_golden(transform_frame, transform_frame(vector(), to="GSM"), digits=12)
