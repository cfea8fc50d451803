"""Newell's coupling function."""

import numpy as np
import pytest

from helio.knowledge.unit_spelling import pretty_unit
from helio.steps.compute.newell_coupling import newell_coupling
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, series, speed, vectors

CALLS = [([solar_wind.wind, solar_wind.field], {})]


def by_angle(speed, vector):
    """As Newell et al. write it, with the clock angle itself."""
    _, y, z = vector
    return speed ** (4 / 3) * np.hypot(y, z) ** (2 / 3) * abs(np.sin(np.arctan2(y, z) / 2)) ** (8 / 3)


def test_it_is_the_published_product():
    found = newell_coupling(speed(), field())
    expected = [by_angle(v, b) for v, b in zip(speed().values[:4], field().values[:4], strict=True)]
    np.testing.assert_allclose(found.values[:4], expected, rtol=1e-13)
    assert (found.name, found.frame, found.components) == ("dΦ/dt", "", ())


def test_a_southward_field_of_5_nt_at_400_km_per_s():
    one = newell_coupling(series([400.0], "km/s"), vectors([[0.0, 0.0, -5.0]]))
    assert one.values[0] == pytest.approx(400 ** (4 / 3) * 5 ** (2 / 3), rel=1e-14)


def test_a_northward_field_or_none_does_not_couple():
    one = newell_coupling(series([400.0] * 3, "km/s"), vectors([[1, 0, 5], [3, 0, 0], [0, 0, 0]]))
    assert one.values.tolist() == [0.0, 0.0, 0.0]


def test_it_is_missing_where_a_quantity_is():
    assert np.isnan(newell_coupling(speed(), field()).values).tolist() == [False] * 4 + [True, False]


def test_its_unit_is_written_with_raised_powers():
    assert pretty_unit(newell_coupling(speed(), field()).unit) == "(km/s)⁴ᐟ³ nT²ᐟ³"


def test_golden():
    check_golden(newell_coupling, newell_coupling(speed(), field()), digits=12)
