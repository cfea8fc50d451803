"""Values set to missing by what they are."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import StepError
from helio.steps.compute.mask import mask
from tests.rows import in_one_test
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field], {"where": ">", "value": 1e9})]

SIX = scalar(np.arange(6), [0, 1, 2, 3, np.nan, 5])


@in_one_test(
    ("where", "value", "left"),
    [
        (">", 2, [0, 1, 2]),
        (">=", 2, [0, 1]),
        ("<", 2, [2, 3, 5]),
        ("<=", 2, [3, 5]),
        ("equals", 2, [0, 1, 3, 5]),
        ("equals", [0, 5], [1, 2, 3]),
        ("not", 2, [2]),
        ("not", [1, 2], [1, 2]),
        ("between", [1, 3], [0, 5]),
        ("outside", [1, 3], [1, 2, 3]),
    ],
)
def test_what_meets_the_condition_is_taken_out(where, value, left):
    result = mask(SIX, where=where, value=value)
    assert result.values[~np.isnan(result.values)].tolist() == left
    assert len(result) == 6


def test_the_note_counts_what_was_there():
    assert (
        "masked where > 2: 2 of 6 values (33.3 %) set to missing" in mask(SIX, where=">", value=2).notes[-1]
    )


def test_components_are_looked_at_one_by_one():
    result = mask(vector(), where=">", value=5.0)
    assert np.isnan(result.values[3]).tolist() == [True, True, False]
    assert (result.frame, result.unit) == ("GSE", "nT")


def test_a_number_equals_the_same_number_in_single_precision():
    table = replace(SIX, values=np.array([0.1, 9999.99, 1, 2, 3, 4], dtype=np.float32))
    assert (
        np.isnan(mask(table, where="equals", value=[0.1, 9999.99]).values).tolist()
        == [True, True] + [False] * 4
    )


def test_a_number_beyond_single_precision_takes_nothing_out():
    table = replace(SIX, values=SIX.values.astype(np.float32))
    assert np.isnan(mask(table, where=">", value=1e300).values).sum() == 1


def test_a_mask_that_leaves_nothing_is_refused():
    with pytest.raises(StepError, match="removes all 5 values of 'Bz'") as refusal:
        mask(SIX, where="<", value=100)
    assert "the step removes the values that match the condition" in refusal.value.advice


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (">", [1, 2]),
        ("between", 1),
        ("between", [3, 1]),
        ("outside", [1, 2, 3]),
        ("equals", []),
        ("<", float("nan")),
    ],
)
def test_numbers_that_do_not_fit_the_condition_are_refused(where, value):
    with pytest.raises(StepError, match="does not work with"):
        mask(SIX, where=where, value=value)


def test_a_spectrum_is_masked_bin_by_bin():
    result = mask(spectrum(), where="<", value=2.0)
    assert np.isnan(result.values[0]).tolist() == [False, False, False, False, True]


def test_masking_twice_changes_nothing():
    once = mask(SIX, where=">", value=2)
    assert mask(once, where=">", value=2).digest() == once.digest()


def test_golden():
    check_golden(mask, mask(vector(), where="outside", value=[-1, 4]))
