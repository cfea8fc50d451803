"""De Hoffmann–Teller frame."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from scipy import optimize, stats

from helio.errors import ClockMismatch, FrameMismatch, StepError
from helio.steps.compute.de_hoffmann_teller import de_hoffmann_teller
from helio.steps.compute.electric_field import electric_field
from helio.time_range import TimeRange
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors, velocity

GIVES = ("frame_velocity", "velocity", "electric_field", "quality")
MOTION = np.array([-250.0, 40.0, 110.0])


def flow_long():
    return solar_wind.long(solar_wind.wind)


CALLS = [([flow_long, solar_wind.field_long], {"give": give}) for give in GIVES]


def boundary(noise=0.0, records=200):
    """A field that turns, and a flow that in a frame moving with `MOTION` is along the field."""
    phase = np.linspace(0, np.pi, records)
    magnetic = np.stack([np.full(records, 3.0), 20 * np.cos(phase), 20 * np.sin(phase)], axis=1)
    scatter = np.random.default_rng(2).normal(size=magnetic.shape) * noise
    flow = MOTION + 4.0 * magnetic + scatter
    return vectors(flow, unit="km/s", name="V", frame="GSE"), vectors(magnetic, frame="GSE")


def test_the_motion_of_a_constructed_boundary_is_found():
    result = de_hoffmann_teller(*boundary())
    np.testing.assert_allclose(result.values, [MOTION], rtol=1e-10)
    assert (result.unit, result.frame, result.components) == ("km/s", "GSE", ("Vx", "Vy", "Vz"))
    quality = de_hoffmann_teller(*boundary(), give="quality")
    np.testing.assert_allclose(quality.values, [[1, 1, 0]], atol=1e-10)
    assert (quality.unit, quality.frame) == ("", "")
    assert quality.notes == ()


def test_no_other_frame_has_less_electric_field():
    """Khrabrov & Sonnerup's D(V), minimised without their matrix."""
    flow, magnetic = boundary(noise=30.0)

    def remaining(frame):
        return (np.cross(flow.values - frame, magnetic.values) ** 2).sum(axis=1).mean()

    theirs = optimize.minimize(
        remaining, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-8}
    )
    ours = de_hoffmann_teller(flow, magnetic)
    np.testing.assert_allclose(ours.values[0], theirs.x, atol=1e-4)
    ratio = de_hoffmann_teller(flow, magnetic, give="quality").component("D/D₀").values[0]
    assert ratio == pytest.approx(remaining(theirs.x) / remaining(np.zeros(3)), rel=1e-9)


def test_slope_and_correlation_are_scipys():
    flow, magnetic = boundary(noise=30.0)
    measured = electric_field(flow, magnetic).values
    expected = de_hoffmann_teller(flow, magnetic, give="electric_field")
    line = stats.linregress(expected.values.ravel(), measured.ravel())
    quality = de_hoffmann_teller(flow, magnetic, give="quality").values[0]
    np.testing.assert_allclose(quality[:2], [line.slope, line.rvalue], rtol=1e-10)
    assert (expected.unit, expected.components) == ("mV/m", ("Ex", "Ey", "Ez"))


def test_the_velocity_in_the_frame_is_along_the_field():
    result = de_hoffmann_teller(*boundary(), give="velocity")
    np.testing.assert_allclose(result.values, 4.0 * boundary()[1].values, atol=1e-9)
    assert (result.unit, result.frame, result.components) == ("km/s", "GSE", ("Vx", "Vy", "Vz"))


def test_only_complete_records_of_the_interval_count():
    flow, magnetic = boundary()
    flow.values[100:] = 900.0
    flow.values[3, 1] = np.nan
    magnetic.values[7, 2] = np.nan
    hour = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 10, 1, 40))
    result = de_hoffmann_teller(flow, magnetic, interval=hour)
    np.testing.assert_allclose(result.values, [MOTION], rtol=1e-10)
    assert "98 samples" in result.description
    whole = de_hoffmann_teller(flow, magnetic, interval=hour, give="velocity")
    assert len(whole) == 200
    assert np.isnan(whole.values[3]).tolist() == [False, True, False]


def test_a_poor_frame_is_noted():
    flow, magnetic = boundary()
    random = np.random.default_rng(4).normal(size=flow.values.shape) * 100
    poor = de_hoffmann_teller(replace(flow, values=random), magnetic)
    assert "no good de Hoffmann–Teller frame: the correlation is" in poor.notes[0]


def test_too_few_records_are_refused():
    flow, magnetic = boundary(records=2)
    with pytest.raises(StepError, match="at least 3 complete records of velocity and field, but there are 2"):
        de_hoffmann_teller(flow, magnetic)
    empty = slice(0, 0)
    with pytest.raises(StepError, match="but there are 0") as caught:
        de_hoffmann_teller(flow.take(empty), magnetic.take(empty))
    assert "there are no records" in caught.value.advice


def test_a_field_of_one_direction_is_refused():
    flow, magnetic = boundary()
    straight = replace(magnetic, values=np.outer(np.linspace(1, 5, 200), [1.0, 2.0, 2.0]))
    with pytest.raises(StepError, match="the magnetic field keeps one direction in the series"):
        de_hoffmann_teller(flow, straight)


def test_two_frames_and_two_clocks_are_refused():
    flow, magnetic = boundary()
    with pytest.raises(FrameMismatch, match="is in GSE, but 'B' is in GSM"):
        de_hoffmann_teller(flow, replace(magnetic, frame="GSM"))
    with pytest.raises(ClockMismatch):
        de_hoffmann_teller(flow.take(slice(1, None)), magnetic)


def test_in_rtn_its_components_are_named_so():
    flow, magnetic = boundary()
    names = {"frame": "RTN", "components": ("B_R", "B_T", "B_N")}
    result = de_hoffmann_teller(replace(flow, **names), replace(magnetic, **names))
    assert result.components == ("V_R", "V_T", "V_N")


@pytest.mark.parametrize("give", GIVES)
def test_golden(give):
    result = de_hoffmann_teller(velocity(), field("GSE"), give=give)
    check_golden(de_hoffmann_teller, result, f"_{give}", digits=9)
