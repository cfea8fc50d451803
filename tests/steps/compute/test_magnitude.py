"""Magnitude of a vector."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.magnitude import magnitude
from tests.steps.series import check_golden, vector


def test_three_four_and_nothing_make_five():
    result = magnitude(vector())
    assert result.values[0] == 5.0
    assert result.values[2] == 7.0
    assert (result.name, result.unit, result.frame, result.components) == ("|B|", "nT", "", ())


def test_a_magnitude_is_missing_where_one_component_is():
    result = magnitude(vector())
    assert np.isnan(result.values).tolist() == [False] * 3 + [True] + [False] * 6


def test_it_is_the_same_in_every_frame():
    table = vector(gap=False)
    angle = 0.7
    turn = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    turned = replace(table, values=table.values @ turn.T)
    np.testing.assert_allclose(magnitude(turned).values, magnitude(table).values, rtol=1e-15)


def test_single_precision_is_computed_in_double():
    table = vector()
    result = magnitude(replace(table, values=(table.values * 1e30).astype(np.float32)))
    assert result.values.dtype == np.float64
    assert result.values[0] == pytest.approx(5e30, rel=1e-6)


@pytest.mark.parametrize("fourth", ["|B|", "Bt        ", "B_total", "R", "Magnitude", "Bmag"])
def test_a_fourth_component_that_is_the_magnitude_is_left_out(fourth):
    table = vector()
    wide = replace(
        table,
        values=np.column_stack([table.values, np.full(len(table), 99.0)]),
        components=(*table.components, fourth),
    )
    np.testing.assert_array_equal(magnitude(wide).values, magnitude(table).values)


def test_a_fourth_component_that_may_be_anything_is_refused():
    table = vector()
    wide = replace(
        table,
        values=np.column_stack([table.values, table.values[:, 0]]),
        components=(*table.components, "charge"),
    )
    with pytest.raises(StepError, match="three components, and 'B' has 4: Bx, By, Bz, charge"):
        magnitude(wide)


def test_scalars_and_pairs_have_no_magnitude():
    with pytest.raises(StepError, match="needs a vector"):
        magnitude(vector().component("Bx"))
    with pytest.raises(StepError, match="has 2"):
        magnitude(replace(vector(), values=vector().values[:, :2], components=("Bx", "By")))


def test_sources_and_notes_stay_with_the_result():
    table = vector()
    assert magnitude(table).sources == table.sources
    assert magnitude(table).notes == table.notes


def test_golden():
    check_golden(magnitude, magnitude(vector()))
