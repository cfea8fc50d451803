"""Walén relation."""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from scipy import constants, stats

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.sources.cdf import CdfReader
from helio.steps.compute.alfven_speed import alfven_speed
from helio.steps.compute.align import align
from helio.steps.compute.de_hoffmann_teller import de_hoffmann_teller
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.minimum_variance import minimum_variance
from helio.steps.compute.running_average import running_average
from helio.steps.compute.walen_relation import walen_relation
from helio.time_range import Duration, TimeRange
from tests.steps import solar_wind
from tests.steps.compute.test_de_hoffmann_teller import boundary, flow_long
from tests.steps.series import check_golden
from tests.steps.solar_wind import alpha_ratio, density, field, series, velocity


def density_long():
    return solar_wind.long(density)


def alpha_long():
    return solar_wind.long(alpha_ratio)


CALLS = [
    ([flow_long, solar_wind.field_long, density_long], {"give": give})
    for give in ("quality", "alfven_velocity")
]
CALLS += [([flow_long, solar_wind.field_long, density_long, alpha_long], {})]


def at_slope(slope, noise=0.0):
    """A flow that is `slope` times the Alfvén velocity, with the field and a density that varies."""
    _, magnetic = boundary()
    protons = series(5 + 3 * np.sin(np.arange(200)), "cm^-3", "n")
    alfven = walen_relation(magnetic_as_flow(magnetic), magnetic, protons, give="alfven_velocity")
    scatter = np.random.default_rng(1).normal(size=(200, 3)) * noise
    return replace(alfven, values=slope * alfven.values + scatter, name="V'"), magnetic, protons


def magnetic_as_flow(magnetic):
    return replace(magnetic, unit="km/s", name="V", components=("Vx", "Vy", "Vz"))


@pytest.mark.parametrize("slope", [1.0, -1.0, 0.6])
def test_the_slope_of_a_constructed_boundary_is_found(slope):
    result = walen_relation(*at_slope(slope))
    assert result.component("slope").values == pytest.approx(slope)
    assert result.component("correlation").values == pytest.approx(np.sign(slope))
    assert result.component("slope z").values == pytest.approx(slope)
    assert (result.unit, result.frame) == ("", "")
    assert result.components[2:4] == ("slope x", "correlation x")


def test_every_number_is_scipys():
    flow, magnetic, protons = at_slope(0.8, noise=20.0)
    alfven = (
        magnetic.values * 1e-9 / np.sqrt(constants.mu_0 * constants.m_p * protons.values * 1e6)[:, None] / 1e3
    )
    result = walen_relation(flow, magnetic, protons).values[0]
    lines = [stats.linregress(alfven.ravel(), flow.values.ravel())]
    lines += [stats.linregress(alfven[:, column], flow.values[:, column]) for column in range(3)]
    np.testing.assert_allclose(
        result, [number for line in lines for number in (line.slope, line.rvalue)], rtol=1e-9
    )


def test_the_alfven_velocity_is_along_the_field_with_the_alfven_speed():
    speed = alfven_speed(field("GSE"), density(), alpha_ratio())
    result = walen_relation(velocity(), field("GSE"), density(), alpha_ratio(), give="alfven_velocity")
    np.testing.assert_allclose(magnitude(result).values, speed.values, rtol=1e-12)
    assert (result.unit, result.frame, result.components) == ("km/s", "GSE", ("V_Ax", "V_Ay", "V_Az"))


def test_alpha_particles_make_alfven_waves_slower():
    flow, magnetic, protons = at_slope(1.0)
    assert walen_relation(flow, magnetic, protons, assumed_alpha=0.05).component("slope").values[0] > 1.08


def test_only_complete_records_of_the_interval_count():
    flow, magnetic, protons = at_slope(1.0)
    flow.values[100:] = 0.0
    protons.values[4] = np.nan
    protons.values[5] = 0.0
    hour = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 1, 40))
    result = walen_relation(flow, magnetic, protons, interval=hour)
    assert result.component("slope").values == pytest.approx(1.0)
    assert "98 samples" in result.description
    alfven = walen_relation(flow, magnetic, protons, interval=hour, give="alfven_velocity")
    assert np.flatnonzero(np.isfinite(alfven.values).all(axis=1)).tolist() == [*range(4), *range(6, 100)]


def test_a_component_that_does_not_vary_has_no_correlation():
    flow, magnetic, protons = at_slope(1.0)
    magnetic.values[:, 0] = 0.0
    result = walen_relation(flow, magnetic, protons)
    assert np.isnan(result.component("slope x").values).all()
    assert np.isfinite(result.component("slope").values).all()


def test_too_few_records_two_frames_and_two_clocks_are_refused():
    flow, magnetic, protons = at_slope(1.0)
    few = slice(0, 2)
    with pytest.raises(
        StepError, match="at least 3 complete records of velocity, field and density, but there are 2"
    ):
        walen_relation(flow.take(few), magnetic.take(few), protons.take(few))
    with pytest.raises(FrameMismatch, match="is in GSM, but 'B' is in GSE"):
        walen_relation(replace(flow, frame="GSM"), magnetic, protons)
    with pytest.raises(ClockMismatch):
        walen_relation(flow, magnetic, protons.take(few))


@pytest.mark.archive
def test_a_reconnection_jet_is_almost_steady_in_its_frame_and_slower_than_alfvenic():
    """MMS1 on 2015-10-16 beside the X line: LMN of Burch et al., Science 352, aaf2939 (2016), and a good frame."""
    folder = os.environ.get("HELIO_TEST_ARCHIVE")
    if not folder:
        pytest.skip("HELIO_TEST_ARCHIVE does not name a folder of real CDFs")
    day = TimeRange(datetime(2015, 10, 16), datetime(2015, 10, 17))
    [field_file] = Path(folder).rglob("mms1_fgm_brst_l2_20151016130524*.cdf")
    [ion_file] = Path(folder).rglob("mms1_fpi_brst_l2_dis-moms_20151016130524*.cdf")
    names = ["mms1_dis_bulkv_gse_brst", "mms1_dis_numberdensity_brst"]
    with CdfReader() as reader:
        magnetic = reader.read(field_file, ["mms1_fgm_b_gse_brst_l2"], day)["mms1_fgm_b_gse_brst_l2"]
        ions = reader.read(ion_file, names, day)
    crossing = TimeRange(datetime(2015, 10, 16, 13, 5, 40), datetime(2015, 10, 16, 13, 6, 9))
    axes = minimum_variance(magnetic, interval=crossing, give="axes").values.reshape(3, 3)
    published = [[0.3665, -0.1201, 0.9226], [0.5694, -0.7553, -0.3245], [0.7358, 0.6443, -0.2084]]
    assert (np.degrees(np.arccos((axes * published).sum(axis=1))) < 2).all()
    velocity, protons = (ions[name] for name in names)
    jet = TimeRange(datetime(2015, 10, 16, 13, 5, 50), datetime(2015, 10, 16, 13, 6, 50))
    smooth = running_average(magnetic, window=Duration("150ms"))
    on_clock = align(smooth, velocity, limit=Duration("50ms"))
    slope, correlation, remaining = de_hoffmann_teller(
        velocity, on_clock, interval=jet, give="quality"
    ).values[0]
    assert correlation > 0.98
    assert slope == pytest.approx(1, abs=0.01)
    assert remaining < 0.03
    moving = de_hoffmann_teller(velocity, on_clock, interval=jet, give="velocity")
    walen = walen_relation(moving, on_clock, protons, interval=jet)
    assert -0.7 < walen.component("slope").values[0] < -0.5
    assert walen.component("correlation").values[0] < -0.85


@pytest.mark.parametrize("give", ["quality", "alfven_velocity"])
def test_golden(give):
    result = walen_relation(velocity(), field("GSE"), density(), give=give)
    check_golden(walen_relation, result, f"_{give}", digits=9)
