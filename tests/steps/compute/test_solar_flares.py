"""Solar flares."""

import numpy as np
import pytest

from helio.errors import StepError, UnitMismatch
from helio.steps.compute.solar_flares import flare_class, solar_flares
from tests.steps.series import check_golden, scalar
from tests.steps.solar_wind import series

NAN = np.nan
GIVES = ("peak", "start", "durations")
QUIET, RISING, DECAY = (
    [2e-6] * 5,
    [3e-6, 6e-6, 2e-5, 5e-5, 9.3e-5],
    [8e-5, 6e-5, 5e-5, 4.7e-5, 4e-5, 2e-5, 2.5e-6],
)


def flux(values=(*QUIET, *RISING, *DECAY, *QUIET)):
    return series(values, "W/m^2", "XRS-B")


CALLS = [([flux], {"give": give}) for give in GIVES]


def minutes(table):
    return ((table.epoch - np.datetime64("2024-05-10", "ns")) / np.timedelta64(1, "m")).tolist()


def test_a_flare_has_its_start_peak_end_and_class():
    peak, start = solar_flares(flux()), solar_flares(flux(), give="start")
    assert (minutes(peak), peak.values.tolist()) == ([9], [9.3e-5])
    assert (minutes(start), start.values.tolist()) == ([4], [2e-6])
    durations = solar_flares(flux(), give="durations")
    # half-way between 9.3e-5 and 2e-6 is 4.75e-5
    assert durations.values.tolist() == [[5, 4]]
    assert (durations.unit, durations.components) == ("min", ("rise", "decay"))
    assert (peak.unit, peak.scale, peak.notes) == ("W/m^2", "log", ("M9.3 at 2024-05-10 00:09",))
    assert peak.description == "1 flare of C1.0 or more in XRS-B"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1e-8, "A1.0"),
        (9.94e-8, "A9.9"),
        (9.96e-8, "B1.0"),
        (1e-4, "X1.0"),
        (1.33e-3, "X13.3"),
        (5.5e-5, "M5.5"),
    ],
)
def test_classes_are_decades_of_the_flux(value, name):
    assert flare_class(value) == name


def test_two_flares_follow_each_other_and_the_stronger_is_named_first():
    twice = flux([*QUIET, 3e-6, 6e-6, 8e-6, 4e-6, *QUIET, *RISING, *DECAY])
    assert minutes(solar_flares(twice)) == [7, 18]
    assert solar_flares(twice).notes == ("M9.3 at 2024-05-10 00:18, C8.0 at 2024-05-10 00:07",)
    assert minutes(solar_flares(twice, least=1e-5)) == [18]


def test_a_slow_rise_and_noise_are_no_flares():
    assert len(solar_flares(flux(np.linspace(2e-6, 4e-6, 60)))) == 0
    noise = 2e-6 * (1 + 0.03 * np.random.default_rng(0).normal(size=500))
    assert len(solar_flares(flux(noise))) == 0
    assert solar_flares(flux(noise), give="durations").values.shape == (0, 2)


def test_a_gap_is_not_bridged():
    seconds = 60.0 * np.r_[0:8, 40:60]
    values = [*QUIET, *RISING, *DECAY, *QUIET, *QUIET, 2e-6]
    gap = scalar(seconds, values, "W/m^2", "XRS-B")
    durations = solar_flares(gap, give="durations")
    np.testing.assert_array_equal(durations.values, [[3, NAN]])
    missing = np.array([*QUIET, *RISING, *DECAY])
    missing[11] = NAN
    np.testing.assert_array_equal(solar_flares(flux(missing), give="durations").values, [[5, NAN]])


def test_the_flare_at_the_end_of_the_series_has_no_end():
    cut = flux([*QUIET, *RISING])
    np.testing.assert_array_equal(solar_flares(cut, give="durations").values, [[5, NAN]])


def test_other_cadences_and_units_are_refused():
    with pytest.raises(StepError, match="needs one value a minute, but the samples are 5 min apart"):
        solar_flares(scalar(300.0 * np.arange(10), np.full(10, 1e-6), "W/m^2"))
    with pytest.raises(StepError, match="needs at least two records"):
        solar_flares(flux([1e-6]))
    with pytest.raises(UnitMismatch, match="must be in W/m"):
        solar_flares(series([1.0, 2.0], "nT"))


@pytest.mark.parametrize("give", GIVES)
def test_golden(give):
    check_golden(solar_flares, solar_flares(flux(), give=give), f"_{give}", digits=12)
