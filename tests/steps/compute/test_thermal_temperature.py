"""Temperature from thermal speed."""

import numpy as np
import pytest
from scipy import constants

from helio.errors import StepError
from helio.steps.compute.thermal_temperature import thermal_temperature
from tests.steps.series import check_golden
from tests.steps.solar_wind import series


def test_it_is_half_the_mass_times_the_speed_squared():
    found = thermal_temperature(series([40.0], "km/s"))
    assert found.values[0] == pytest.approx(constants.m_p * 4e4**2 / (2 * constants.k), rel=1e-9)
    assert (found.unit, found.name) == ("K", "T_p")


def test_it_is_missing_where_the_speed_is_or_cannot_be():
    assert np.isnan(thermal_temperature(series([40.0, np.nan, -1.0], "km/s")).values).tolist() == [
        False,
        True,
        True,
    ]


def test_a_factor_of_no_convention_is_refused():
    with pytest.raises(StepError, match="must be positive"):
        thermal_temperature(series([40.0], "km/s"), factor=0.0)


def test_golden():
    check_golden(
        thermal_temperature, thermal_temperature(series([30.0, np.nan, 55.0], "km/s", "W")), digits=12
    )
