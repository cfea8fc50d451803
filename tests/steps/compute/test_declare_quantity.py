"""Units and frames that a file does not say."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.declare_quantity import declare_quantity
from tests.steps.series import check_golden, vector


def bare():
    return replace(vector(), unit="", frame="")


def test_what_is_declared_is_noted():
    found = declare_quantity(bare(), unit="nanotesla", frame="GSM")
    assert (found.unit, found.frame) == ("nT", "GSM")
    assert found.notes[-1] == "unit nT and frame GSM declared in the pipeline, not by the file"
    np.testing.assert_array_equal(found.values, vector().values)


def test_one_of_the_two_leaves_the_other():
    assert declare_quantity(vector(), frame="gse").unit == "nT"
    assert declare_quantity(replace(vector(), unit=""), unit="nT").frame == "GSE"


def test_what_the_file_says_is_not_overruled():
    with pytest.raises(UnitMismatch, match="'B' is in nT, and is declared to be in km/s"):
        declare_quantity(vector(), unit="km/s")
    with pytest.raises(FrameMismatch, match="'B' is in GSE, and is declared to be in GSM"):
        declare_quantity(vector(), frame="GSM")


def test_nothing_to_declare_is_refused():
    with pytest.raises(StepError, match="neither a unit nor a frame"):
        declare_quantity(bare(), unit=" ")


def test_missing_values_stay_missing():
    assert np.isnan(declare_quantity(bare(), unit="nT").values[3, 1])


def test_golden():
    check_golden(declare_quantity, declare_quantity(bare(), unit="nT", frame="GSE"), digits=12)
