"""Spiral angle of the measured field."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.sources.cdf import CdfReader
from helio.steps.compute.field_spiral_angle import field_spiral_angle
from helio.steps.compute.join_components import join_components
from helio.steps.compute.parker_angle import parker_angle
from helio.steps.compute.resample import resample
from helio.time_range import Duration, TimeRange
from tests.steps.series import check_golden
from tests.steps.solar_wind import series, vectors

NAN = np.nan


def field():
    """Away and towards along the spiral, across it twice, missing, and only along N."""
    return vectors(
        [[3, -3, 1], [-3, 3, 9], [3, 3, 0], [-3, -3, 2], [NAN, 1, 1], [0, 0, 4]], frame="RTN", letters="RTN"
    )


def spiral():
    return series([45.0, 40.0, 50.0, 46.0, 45.0, 45.0], "deg", "ψ")


CALLS = [([field], {})] + [([field, spiral], {"give": give}) for give in ("angle", "deviation", "polarity")]


def test_the_angle_is_that_of_the_parker_spiral_away_and_half_a_turn_more_towards_the_sun():
    result = field_spiral_angle(field())
    np.testing.assert_allclose(result.values, [45, 225, 315, 135, NAN, NAN])
    assert (result.unit, result.frame, result.periods) == ("deg", "", (360.0,))


def test_it_agrees_with_the_spiral_that_parker_angle_computes():
    speed = series([300.0, 400.0, 500.0], "km/s")
    spiral = parker_angle(speed, distance=1.0)
    along = np.stack(
        [np.cos(np.radians(spiral.values)), -np.sin(np.radians(spiral.values)), np.ones(3)], axis=1
    )
    away = vectors(along, frame="RTN", letters="RTN")
    np.testing.assert_allclose(field_spiral_angle(away).values, spiral.values, rtol=1e-12)
    towards = replace(away, values=-along)
    for sign, table in ((1, away), (-1, towards)):
        assert field_spiral_angle(table, spiral, give="polarity").values.tolist() == [sign] * 3
        deviation = field_spiral_angle(table, spiral, give="deviation")
        np.testing.assert_allclose(deviation.values, 0, atol=1e-12)
    assert field_spiral_angle(away, spiral, give="polarity").unit == ""


def test_the_deviation_is_that_from_the_nearer_arm():
    values = field_spiral_angle(field(), spiral(), give="deviation").values
    np.testing.assert_allclose(values[:4], [0, 5, 85, 89])
    assert np.isnan(values[4:]).all()


def test_in_gse_the_signs_of_x_and_y_change():
    gse = vectors([[-3, 3, 1], [3, -3, 9]], frame="GSE")
    np.testing.assert_allclose(field_spiral_angle(gse).values, [45, 225])


def test_its_mean_is_the_mean_direction():
    angles = np.array([350.0, 355.0, 20.0, 5.0])
    turning = vectors(
        np.stack([np.cos(np.radians(angles)), -np.sin(np.radians(angles)), np.zeros(4)], axis=1),
        frame="RTN",
        letters="RTN",
    )
    mean = resample(field_spiral_angle(turning), cadence=Duration("1h"))
    assert mean.values[0] == pytest.approx(stats.circmean(angles, high=360), abs=1e-9)
    pair = resample(field_spiral_angle(turning.take(slice(1, 3))), cadence=Duration("1h"))
    assert pair.values[0] == pytest.approx(7.5)


def test_deviation_and_polarity_need_the_spiral():
    with pytest.raises(StepError, match="the polarity needs the angle of the Parker spiral") as caught:
        field_spiral_angle(field(), give="polarity")
    assert "expected_label" in caught.value.advice


def test_other_frames_and_clocks_are_refused():
    with pytest.raises(FrameMismatch, match="must be in RTN or GSE, but 'B' is in GSM"):
        field_spiral_angle(vectors([[1, 2, 3]], frame="GSM"))
    with pytest.raises(ClockMismatch):
        field_spiral_angle(field(), spiral().take(slice(0, 2)), give="deviation")


def test_no_records_give_no_records():
    assert len(field_spiral_angle(field().take(slice(0, 0)))) == 0


@pytest.mark.archive
def test_a_month_at_the_earth_is_mostly_within_45_degrees_of_the_spiral():
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    [path] = Path(folder).rglob("omni_coho1hr_merged_mag_plasma_20200501*.cdf")
    names = ["BR", "BT", "BN", "V"]
    with CdfReader() as reader:
        made = reader.read(path, names, TimeRange(datetime(2020, 5, 1), datetime(2020, 6, 1)))
    measured = join_components([made[name] for name in names[:3]], names=["B_R", "B_T", "B_N"], frame="RTN")
    deviation = field_spiral_angle(measured, parker_angle(made["V"], distance=1.0), give="deviation").values
    known = deviation[np.isfinite(deviation)]
    assert known.size > 700
    assert (np.abs(known) < 45).mean() > 0.65
    assert abs(np.median(known)) < 15


@pytest.mark.parametrize("give", ["angle", "deviation", "polarity"])
def test_golden(give):
    made = field_spiral_angle(field(), spiral(), give=give)
    check_golden(field_spiral_angle, made, f"_{give}", digits=12)
