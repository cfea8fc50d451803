"""Dst without the magnetopause currents."""

import numpy as np
import pytest

from helio.errors import ClockMismatch
from helio.steps.compute.pressure_corrected_dst import pressure_corrected_dst
from tests.steps.solar_wind import NAN, pressure, series


def dst():
    return series([-20.0, -60.0, NAN, -150.0, -90.0, -30.0], "nT", "Dst")


CALLS = [([dst, pressure], {}), ([dst, pressure], {"model": "burton"})]


@pytest.mark.parametrize(("model", "corrected"), [("obrien", -103.52), ("burton", -111.6)])
def test_a_storm_at_four_nanopascal(model, corrected):
    found = pressure_corrected_dst(series([-100.0], "nT", "Dst"), series([4.0], "nPa"), model=model)
    assert found.values[0] == pytest.approx(corrected, abs=1e-9)


def test_the_factor_of_burton_is_that_of_the_paper():
    # 0.20 nT per square root of eV/cm³; 1 nPa is 6241.5 eV/cm³
    assert 0.20 * np.sqrt(6241.5) == pytest.approx(15.8, abs=0.01)


def test_quiet_wind_is_not_corrected():
    # both currents of a quiet day cancel near 2.3 nPa
    found = pressure_corrected_dst(series([0.0], "nT"), series([(11 / 7.26) ** 2], "nPa"))
    assert found.values[0] == pytest.approx(0, abs=1e-12)


def test_it_is_missing_where_one_of_the_two_is():
    found = pressure_corrected_dst(dst(), series([1, NAN, 1, -1, 0, 2], "nPa"))
    assert np.isnan(found.values).tolist() == [False, True, True, True, False, False]
    assert (found.name, found.unit) == ("Dst*", "nT")


def test_an_empty_table_gives_an_empty_table():
    assert len(pressure_corrected_dst(dst().take(slice(0, 0)), pressure().take(slice(0, 0)))) == 0


def test_epochs_must_agree():
    with pytest.raises(ClockMismatch):
        pressure_corrected_dst(dst(), pressure().take(slice(0, 2)))
