"""Values set to missing by a flag, or by another series."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, StepError
from helio.steps.compute.magnitude import magnitude
from helio.steps.compute.mask_by_flag import mask_by_flag
from tests.steps import solar_wind
from tests.steps.series import check_golden, scalar, spectrum, vector

CALLS = [([solar_wind.field, solar_wind.bz], {"where": ">", "value": 1e9})]


def flag(values):
    return replace(
        scalar(np.arange(len(values)), values, unit="", name="QF"), epoch=vector().epoch[: len(values)]
    )


def test_records_whose_flag_is_not_zero_are_taken_out_whole():
    result = mask_by_flag(vector(), flag([0, 1, 0, 0, 3, 0, 0, 0, 0, 0]))
    assert np.isnan(result.values).all(axis=1).nonzero()[0].tolist() == [1, 4]
    np.testing.assert_array_equal(result.values[0], vector().values[0])
    assert "masked where 'QF' is not 0: 6 of 30 values (20 %)" in result.notes[-1]


def test_a_missing_flag_says_nothing_good():
    result = mask_by_flag(vector(), flag([0, np.nan, 0, 0, 0, 0, 0, 0, 0, 0]))
    assert np.isnan(result.values[1]).all()


def test_several_good_flags():
    result = mask_by_flag(vector(), flag([0, 1, 2, 0, 1, 2, 0, 1, 2, 0]), where="not", value=[0, 1])
    assert np.isnan(result.values).all(axis=1).nonzero()[0].tolist() == [2, 5, 8]


def test_any_series_may_be_the_flag():
    table = vector(gap=False)
    result = mask_by_flag(table, magnitude(table), where="<", value=1.0)
    assert np.isnan(result.values).all(axis=1).nonzero()[0].tolist() == [4, 9]


def test_one_component_of_a_flag_is_enough():
    table = vector(gap=False)
    pair = replace(table, values=np.zeros((10, 2)), components=("sun", "moon"), frame="", unit="")
    pair.values[7, 1] = 1
    assert np.isnan(mask_by_flag(table, pair).values).all(axis=1).nonzero()[0].tolist() == [7]


def test_a_spectrum_is_masked_by_record():
    table = spectrum()
    bad = replace(scalar([0, 60, 120, 180], [0, 0, 1, 0], name="QF"), epoch=table.epoch)
    assert np.isnan(mask_by_flag(table, bad).values[2]).all()


def test_a_flag_on_another_clock_is_refused_with_the_tool_that_helps():
    with pytest.raises(ClockMismatch) as refusal:
        mask_by_flag(vector(), flag([0, 0, 0]))
    assert "align" in refusal.value.advice


def test_a_spectrum_is_no_flag_and_a_flag_that_is_never_good_is_refused():
    with pytest.raises(StepError, match="a flag must have one value per record"):
        mask_by_flag(spectrum(), spectrum())
    with pytest.raises(StepError, match="removes all 29 values of 'B'"):
        mask_by_flag(vector(), flag([1] * 10))


def test_golden():
    check_golden(
        mask_by_flag, mask_by_flag(vector(), flag([0, 1, 0, np.nan, 2, 0, 0, 0, 4, 0]), where=">", value=1)
    )


def test_bits_of_a_flag_are_tested_one_by_one():
    flags = [0, 1, 2, 8, 9, 16, 1024, 65535, np.nan, 4]
    result = mask_by_flag(vector(gap=False), flag(flags), where="bits", value=[0, 3, 10])
    gone = np.isnan(result.values).all(axis=1).nonzero()[0].tolist()
    assert gone == [1, 3, 4, 6, 7, 8]
    assert "masked where 'QF' has bit 0 or 3 or 10 set" in result.notes[-1]


@pytest.mark.parametrize("value", [[], [1.5], [-1], [53]])
def test_what_names_no_bits_is_refused(value):
    with pytest.raises(StepError, match="does not name bits"):
        mask_by_flag(vector(), flag([0] * 10), where="bits", value=value)


@pytest.mark.parametrize("bad", [0.5, -1.0, 1e17])
def test_a_flag_that_is_no_whole_number_has_no_bits(bad):
    with pytest.raises(StepError, match="'QF' has no bits"):
        mask_by_flag(vector(), flag([bad] + [0] * 9), where="bits", value=3)
