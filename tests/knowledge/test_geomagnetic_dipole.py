"""The dipole of the IGRF."""

import numpy as np
import pytest

from helio.knowledge.geomagnetic_dipole import G10, G11, H11, YEARS


def test_every_coefficient_has_a_value_in_every_year():
    assert YEARS[0] == 1900
    assert YEARS[-1] == 2030
    assert len(YEARS) == len(G10) == len(G11) == len(H11) == 27


def test_the_pole_of_the_dipole_is_where_the_field_model_has_it():
    # WDC Kyoto's table of poles, in geodetic latitude: 1900 78.7 N 68.8 W, 2020 80.7 N 72.7 W
    for year, latitude, longitude in ((1900.0, 78.7, -68.8), (2020.0, 80.7, -72.7)):
        place = YEARS.index(year)
        x, y, z = -np.array([G11[place], H11[place], G10[place]])
        geodetic = z / 0.9933056  # (1 - f)² of the ellipsoid
        assert np.degrees(np.arctan2(geodetic, np.hypot(x, y))) == pytest.approx(latitude, abs=0.06)
        assert np.degrees(np.arctan2(y, x)) == pytest.approx(longitude, abs=0.06)


def test_the_coefficients_change_smoothly():
    for coefficients in (G10, G11, H11):
        assert np.abs(np.diff(coefficients, 2)).max() < 60
