"""Carrington longitude of the Earth."""

import numpy as np

from helio.steps.compute.carrington import earth_carrington_longitude


def longitudes(*times):
    return earth_carrington_longitude(np.array(times, dtype="datetime64[ns]"))


def test_the_example_of_meeus():
    """Example 29.a: 1992 October 13 at 0 h dynamical time has L₀ = 238.63°."""
    np.testing.assert_allclose(longitudes("1992-10-13"), [238.63], atol=0.02)


def test_rotation_1699_began_on_1980_august_29():
    """Example 29.b: rotation 1699 begins, with L₀ = 0, at JDE 2444480.723."""
    [longitude] = longitudes("1980-08-29T05:21")
    assert min(longitude, 360 - longitude) < 0.05


def test_it_falls_by_a_turn_in_a_synodic_rotation():
    days = np.datetime64("2020-01-01", "ns") + np.arange(3653) * np.timedelta64(1, "D")
    turned = np.unwrap(np.radians(earth_carrington_longitude(days)))
    rate = -360 * 3652 / np.degrees(turned[-1] - turned[0])
    assert abs(rate - 27.2753) < 0.002
    assert (np.diff(turned) < 0).all()
