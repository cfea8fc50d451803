"""Convection electric field."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch, UnitMismatch
from helio.steps.compute.electric_field import electric_field
from tests.steps import solar_wind
from tests.steps.series import check_golden
from tests.steps.solar_wind import field, vectors, velocity

CALLS = [([solar_wind.wind, solar_wind.field], {})]


def test_a_southward_field_points_it_from_dawn_to_dusk():
    wind = vectors([[-400.0, 0.0, 0.0]], unit="km/s", name="V")
    found = electric_field(wind, vectors([[0.0, 0.0, -5.0]]))
    np.testing.assert_allclose(found.values[0], [0.0, 2.0, 0.0], atol=1e-15)  # mV/m: 400 km/s times 5 nT
    assert (found.unit, found.name, found.frame) == ("mV/m", "E", "GSM")
    assert found.components == ("Ex", "Ey", "Ez")


def test_it_is_the_cross_product():
    found = electric_field(velocity(), field("GSE"))
    expected = -np.cross(velocity().values, field().values) * 1e-3
    np.testing.assert_allclose(found.values, expected, rtol=1e-13)


def test_it_is_missing_where_a_component_that_enters_is():
    assert np.isnan(electric_field(velocity(), field("GSE")).values[4]).tolist() == [True, False, True]


def test_in_rtn_its_components_are_named_so():
    wind = vectors([[400.0, 0.0, 0.0]], unit="km/s", name="V", frame="RTN", letters="RTN")
    found = electric_field(wind, vectors([[1.0, 2.0, 3.0]], frame="RTN", letters="RTN"))
    assert found.components == ("E_R", "E_T", "E_N")


def test_two_frames_are_refused():
    with pytest.raises(FrameMismatch, match="'V' is in GSE, but 'B' is in GSM"):
        electric_field(velocity(), field())
    with pytest.raises(FrameMismatch, match="has no frame"):
        electric_field(velocity(), replace(field(), frame=""))


def test_golden():
    check_golden(electric_field, electric_field(velocity(), field("GSE")), digits=12)


def test_other_units_are_refused_in_a_direct_call():
    wind = vectors([[-4e5, 0.0, 0.0]], unit="m/s", name="V")
    south = vectors([[0.0, 0.0, -5.0]])
    with pytest.raises(UnitMismatch, match=r"the velocity of .* must be in km/s, but 'V' is in m/s"):
        electric_field(wind, south)
    with pytest.raises(UnitMismatch, match=r"the field of .* must be in nT, but 'B' is in T"):
        electric_field(velocity=replace(wind, unit="km/s"), field=replace(south, unit="T"))
