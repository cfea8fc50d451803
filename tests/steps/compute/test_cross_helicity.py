"""Cross-helicity and residual energy, against fluctuations whose numbers are known."""

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch
from helio.knowledge.constants import PROTON_MASS, VACUUM_PERMEABILITY
from helio.steps.compute.cross_helicity import cross_helicity
from helio.time_range import Duration
from tests.steps import solar_wind
from tests.steps.solar_wind import NAN, series, vectors


def flow_long():
    return solar_wind.long(solar_wind.wind)


def density_long():
    return series(5 + np.sin(np.arange(240)), "cm^-3", "N_p")


def field_long():
    return solar_wind.long(solar_wind.field)


def alpha_ratio_long():
    return series(0.04 + 0.01 * np.cos(np.arange(240)), "1", "N_a/N_p")


TABLES = [flow_long, field_long, density_long]
CALLS = [
    (TABLES, {"window": Duration("30min")}),
    (TABLES, {"window": Duration("30min"), "give": "residual_energy", "assumed_alpha": 0.04}),
    (TABLES, {"window": Duration("1h"), "give": "elsasser_plus"}),
    (TABLES, {"window": Duration("1h"), "give": "elsasser_minus"}),
    ([*TABLES, alpha_ratio_long], {"window": Duration("30min")}),
]

WINDOW = Duration("40min")
DENSITY = 4.0
ALFVEN = 1e-12 / np.sqrt(VACUUM_PERMEABILITY * PROTON_MASS * DENSITY * 1e6)
"""km/s of one nT."""


def plasma(flow, alfven):
    """A velocity and a field with these fluctuations, both in km/s, on top of a wind and of a mean field."""
    velocity = vectors(np.add(flow, [-400.0, 10.0, 0.0]), unit="km/s", name="V")
    field = vectors(np.asarray(alfven) / ALFVEN + [3.0, -4.0, 1.0])
    return velocity, field, series(np.full(len(flow), DENSITY), "cm^-3", "N_p")


def circle(records=61):
    """A rotation in y and z with one turn in the window: its means and mean squares are known."""
    phase = 2 * np.pi * np.arange(records) / 41
    return np.c_[0 * phase, np.cos(phase), np.sin(phase)]


def middle(table):
    """The values whose windows lie in the series."""
    return table.values[20:-20]


@pytest.mark.parametrize("ratio", [1.0, -1.0, 0.5, -2.0, 0.0])
def test_fluctuations_in_proportion(ratio):
    # δb = ratio δv: σ_c = 2r/(1 + r²), σ_r = (1 − r²)/(1 + r²), e± = (1 ± r)²/2 ⟨δv²⟩
    tables = plasma(10 * circle(), ratio * 10 * circle())
    expected = {
        "cross_helicity": 2 * ratio / (1 + ratio**2),
        "residual_energy": (1 - ratio**2) / (1 + ratio**2),
        "elsasser_plus": (1 + ratio) ** 2 / 2 * 100,
        "elsasser_minus": (1 - ratio) ** 2 / 2 * 100,
    }
    for give, value in expected.items():
        found = middle(cross_helicity(*tables, window=WINDOW, give=give))
        np.testing.assert_allclose(found, value, atol=1e-9)


def test_fluctuations_out_of_phase_have_no_cross_helicity():
    turned = circle()[:, [0, 2, 1]] * [1, -1, 1]
    found = cross_helicity(*plasma(circle(), turned), window=WINDOW)
    np.testing.assert_allclose(middle(found), 0, atol=1e-9)


def test_it_agrees_with_the_definition_record_by_record():
    velocity, field, density = (table() for table in TABLES)
    alfven = (
        field.values
        * 1e-12
        / np.sqrt(VACUUM_PERMEABILITY * PROTON_MASS * density.values[:, np.newaxis] * 1e6)
    )
    found = cross_helicity(velocity, field, density, window=Duration("30min")).values
    for record in (0, 15, 120, 239):
        part = slice(max(0, record - 15), record + 16)
        plus, minus = (velocity.values[part] + sign * alfven[part] for sign in (1, -1))
        e_plus, e_minus = (((z - z.mean(axis=0)) ** 2).sum(axis=1).mean() / 2 for z in (plus, minus))
        assert found[record] == pytest.approx((e_plus - e_minus) / (e_plus + e_minus), rel=1e-9)


def test_records_with_a_missing_value_are_left_out():
    velocity, field, density = plasma(circle(), 0.5 * circle())
    values = velocity.values.copy()
    values[30] = [1e5, NAN, 0]
    gappy = vectors(values, unit="km/s", name="V")
    found = cross_helicity(gappy, field, density, window=WINDOW)
    np.testing.assert_allclose(middle(found), 0.8, atol=1e-9)


def test_windows_with_few_records_are_missing_with_a_note():
    tables = [table.take(slice(0, 15)) for table in plasma(circle(), circle())]
    found = cross_helicity(*tables, window=Duration("12min"))
    assert np.isnan(found.values).tolist() == [True] * 3 + [False] * 9 + [True] * 3
    assert found.notes[-1] == "missing in windows with fewer than 10 complete records: 6 of 15 records"


def test_nothing_that_varies_has_no_cross_helicity():
    still = plasma(np.zeros((61, 3)), np.zeros((61, 3)))
    assert np.isnan(cross_helicity(*still, window=WINDOW).values).all()


def test_alpha_particles_make_the_alfven_velocity_smaller():
    tables = plasma(circle(), circle())
    # with b smaller by f, σ_r = (1 − f²)/(1 + f²)
    found = middle(cross_helicity(*tables, window=WINDOW, assumed_alpha=0.05, give="residual_energy"))
    fraction = 1 / (1 + 0.05 * 3.9726)
    np.testing.assert_allclose(found, (1 - fraction) / (1 + fraction), rtol=1e-4)


def test_empty_and_single_records():
    tables = plasma(circle(), circle())
    assert len(cross_helicity(*(table.take(slice(0, 0)) for table in tables), window=WINDOW)) == 0
    one = cross_helicity(*(table.take(slice(0, 1)) for table in tables), window=WINDOW)
    assert np.isnan(one.values).all()


def test_frames_and_epochs_must_agree():
    velocity, field, density = plasma(circle(), circle())
    with pytest.raises(FrameMismatch):
        cross_helicity(vectors(velocity.values, "km/s", "V", frame="GSE"), field, density, window=WINDOW)
    with pytest.raises(ClockMismatch):
        cross_helicity(velocity, field, density.take(slice(0, 5)), window=WINDOW)
