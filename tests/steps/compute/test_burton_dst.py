"""The Burton equation, against its solutions in steady wind and an independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from helio.errors import ClockMismatch
from helio.steps.compute.burton_dst import burton_dst
from helio.store.table import Table
from helio.time_range import Duration
from tests.steps.series import epochs
from tests.steps.solar_wind import NAN, series


def driving():
    return series([0.0, 2.0, 5.0, NAN, 1.0, 0.2], "mV/m", "VB_s")


def observed():
    return series([-10.0, -12.0, -20.0, -30.0, NAN, -40.0], "nT", "Dst*")


TABLES = [driving, observed]
CALLS = [(TABLES, {}), (TABLES, {"model": "burton"}), (TABLES, {"limit": Duration("30s")})]


def hourly(values, unit="mV/m"):
    values = np.asarray(values, dtype=np.float64)
    return Table(epochs(*(3600.0 * np.arange(values.size))), values, unit=unit)


def predicted(field, observed=0.0, **more):
    field = np.asarray(field, dtype=np.float64)
    index = np.broadcast_to(np.asarray(observed, dtype=np.float64), field.shape)
    return burton_dst(hourly(field), hourly(index, "nT"), **more)


@pytest.mark.parametrize(
    ("model", "hours"), [("obrien", 2.40 * np.exp(9.74 / 4.69)), ("burton", 1 / (3.6e-5 * 3600))]
)
def test_without_driving_the_ring_current_decays(model, hours):
    found = predicted(np.zeros(30), -100.0, model=model)
    np.testing.assert_allclose(found.values, -100 * np.exp(-np.arange(30) / hours), rtol=1e-12)


def test_the_decay_times_are_those_of_the_papers():
    # O'Brien & McPherron: 19 h without driving; Burton et al.: 7.7 h
    assert 2.40 * np.exp(9.74 / 4.69) == pytest.approx(19.1, abs=0.1)
    assert predicted([0, 0], -100.0, model="burton").values[1] == pytest.approx(
        -100 * np.exp(-1 / 7.716), rel=1e-4
    )


@pytest.mark.parametrize(
    ("model", "balance"),
    [("obrien", -4.4 * 4.51 * 2.40 * np.exp(9.74 / 9.69)), ("burton", -5.4 * 4.5 / (3.6e-5 * 3600))],
)
def test_in_a_steady_wind_it_approaches_the_balance(model, balance):
    found = predicted(np.full(500, 5.0), 0.0, model=model)
    assert found.values[-1] == pytest.approx(balance, rel=1e-9)
    assert (np.diff(found.values) <= 0).all()


def test_a_weak_field_injects_nothing():
    assert predicted(np.full(5, 0.49)).values.tolist() == [0.0] * 5


def test_it_agrees_with_an_independent_integration():
    field = 3 + 3 * np.sin(np.arange(48) / 5)
    found = predicted(field, -15.0)

    def change(hour, current):
        now = field[min(int(hour), 47)]
        return -4.4 * max(now - 0.49, 0) - current / (2.40 * np.exp(9.74 / (4.69 + now)))

    current = [-15.0]
    for hour in range(47):
        current.append(solve_ivp(change, (hour, hour + 1 - 1e-9), current[-1:], rtol=1e-10).y[0, -1])
    np.testing.assert_allclose(found.values, current, rtol=1e-6)


def test_a_finer_cadence_gives_the_same_current():
    coarse = predicted(np.full(4, 5.0))
    minutes = np.arange(181) * 60.0
    fine = burton_dst(
        Table(epochs(*minutes), np.full(181, 5.0), unit="mV/m"),
        Table(epochs(*minutes), np.zeros(181), unit="nT"),
    )
    np.testing.assert_allclose(fine.values[::60], coarse.values, rtol=1e-12)


def test_in_a_short_gap_the_last_field_is_kept():
    found = predicted([5, NAN, NAN, 0, 0], 0.0)
    np.testing.assert_array_equal(found.values, predicted([5, 5, 5, 0, 0], 0.0).values)
    assert found.notes == ("VB_s kept from the record before, in gaps up to 3h: 2 of 5 records (40 %)",)


def test_after_a_long_gap_it_starts_again_from_the_observed_index():
    found = predicted(
        [5, NAN, NAN, NAN, NAN, NAN, 0, 0], [0, -1, -2, -3, -4, -5, -60, -7], limit=Duration("2h")
    )
    assert np.isnan(found.values).tolist() == [False] * 3 + [True] * 3 + [False] * 2
    assert found.values[6] == -60
    assert found.notes[-1] == "the prediction started again after 1 long gap"


def test_a_long_gap_without_records_is_a_gap_too():
    field = hourly([5, 5, 0, 0]).take(np.array([0, 1, 2, 3]))
    late = Table(epochs(0, 3600, 40 * 3600, 41 * 3600), field.values, unit="mV/m")
    index = Table(late.epoch, np.array([0.0, -1.0, -44.0, -5.0]), unit="nT")
    assert burton_dst(late, index).values[2] == -44


def test_it_waits_for_the_first_record_with_both():
    found = predicted([NAN, 0, 0, 0], [-1, NAN, -30, -2])
    assert np.isnan(found.values).tolist() == [True, True, False, False]
    assert found.values[2] == -30


def test_empty_and_single_records():
    assert len(predicted([])) == 0
    assert predicted([1.0], -7.0).values.tolist() == [-7.0]


def test_epochs_must_agree():
    with pytest.raises(ClockMismatch):
        burton_dst(hourly([0, 1]), hourly([0, 1, 2], "nT"))
