"""Sums, differences, products and quotients of two tables."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch, StepError, UnitMismatch
from helio.steps.compute.arithmetic import arithmetic
from helio.steps.compute.magnitude import magnitude
from helio.store.source_file import SourceFile
from tests.steps import solar_wind
from tests.steps.series import SOURCE, check_golden, scalar, spectrum, vector

CALLS = [
    *(
        ([solar_wind.bz, solar_wind.other_bz], {"operation": operation})
        for operation in ("add", "subtract", "multiply", "divide")
    ),
    ([solar_wind.field, solar_wind.field], {"operation": "subtract"}),
    ([solar_wind.field, solar_wind.density], {"operation": "multiply"}),
    ([solar_wind.density, solar_wind.field], {"operation": "multiply"}),
    ([solar_wind.field, solar_wind.speed], {"operation": "divide"}),
    ([solar_wind.spectrum, solar_wind.spectrum], {"operation": "divide"}),
]


def test_the_solar_wind_electric_field_has_its_unit():
    speed = scalar([0, 60], [400, 500], unit="km/s", name="V")
    field = scalar([0, 60], [-5, 4], unit="nT", name="Bz")
    result = arithmetic(speed, field, operation="multiply")
    assert result.values.tolist() == [-2000, 2000]
    assert (result.unit, result.name) == ("km nT/s", "V · Bz")


def test_a_difference_of_two_vectors_keeps_unit_and_frame():
    table = vector()
    result = arithmetic(table, replace(table, values=table.values / 2, name="B model"), operation="subtract")
    np.testing.assert_array_equal(result.values, table.values / 2)
    assert (result.unit, result.frame, result.components) == ("nT", "GSE", table.components)
    assert result.name == "B − B model"


def test_a_result_may_have_a_name_of_its_own():
    table = vector()
    assert arithmetic(table, table, operation="subtract").name == "B − B"
    assert arithmetic(table, table, operation="subtract", name="δB").name == "δB"


def test_adding_and_subtracting_again_gives_the_first():
    table = vector()
    there = arithmetic(table, table, operation="add")
    np.testing.assert_array_equal(arithmetic(there, table, operation="subtract").values, table.values)


def test_a_vector_divided_by_its_length_has_length_one_and_no_unit():
    table = vector(gap=False)
    length = replace(
        scalar(np.arange(10) * 60, np.linalg.norm(table.values, axis=1), name="|B|"), epoch=table.epoch
    )
    result = arithmetic(table, length, operation="divide")
    np.testing.assert_allclose(np.linalg.norm(result.values, axis=1), 1, rtol=1e-15)
    assert (result.unit, result.frame, result.name) == ("", "GSE", "B / |B|")


def test_a_scalar_times_a_vector_is_the_vector_times_the_scalar():
    table = vector()
    density = replace(scalar(np.arange(10), np.arange(10), unit="cm^-3", name="n"), epoch=table.epoch)
    one, other = (
        arithmetic(density, table, operation="multiply"),
        arithmetic(table, density, operation="multiply"),
    )
    np.testing.assert_array_equal(one.values, other.values)
    assert one.unit == other.unit
    assert one.components == table.components


def test_what_is_missing_in_either_is_missing():
    one, other = scalar([0, 1, 2], [1, np.nan, 3]), scalar([0, 1, 2], [np.nan, 2, 3])
    for operation in ("add", "subtract", "multiply", "divide"):
        assert np.isnan(arithmetic(one, other, operation=operation).values).tolist() == [True, True, False]


def test_a_division_by_zero_is_missing_and_said():
    result = arithmetic(scalar([0, 1, 2], [1, 0, 3]), scalar([0, 1, 2], [0, 0, 2]), operation="divide")
    np.testing.assert_array_equal(result.values, [np.nan, np.nan, 1.5])
    assert "division by zero: 2 of 3 values" in result.notes[-1]


def test_spectra_over_the_same_bins_go_together_and_others_are_refused():
    table = spectrum()
    result = arithmetic(table, table, operation="divide")
    assert np.nanmax(np.abs(result.values - 1)) == 0
    assert (result.unit, result.kind) == ("", "spectrum")
    other = replace(table, axes=(replace(table.axes[0], centers=table.axes[0].centers * 2),))
    with pytest.raises(StepError, match="different bins"):
        arithmetic(table, other, operation="subtract")
    counts = replace(scalar([0, 60, 120, 180], [1, 2, 3, 4], unit="", name="w"), epoch=table.epoch)
    assert arithmetic(table, counts, operation="divide").values[3, 0] == 16.0


def test_only_what_stays_above_zero_is_drawn_on_a_logarithmic_scale():
    table = spectrum()
    weight = replace(scalar([0, 60, 120, 180], [1, 2, 3, 4], unit="", name="w"), epoch=table.epoch)
    assert arithmetic(table, weight, operation="divide").scale == "log"
    assert arithmetic(table, table, operation="subtract").scale == "linear"
    density = replace(weight, scale="log")
    assert arithmetic(density, weight, operation="multiply").scale == "linear"
    assert arithmetic(density, density, operation="multiply").scale == "log"


def test_units_that_differ_are_refused_with_both_named():
    with pytest.raises(UnitMismatch, match=r"nT.*km/s"):
        arithmetic(scalar([0], [1]), scalar([0], [1], unit="km/s", name="V"), operation="add")


def test_frames_that_differ_are_refused_with_both_named():
    with pytest.raises(FrameMismatch, match=r"GSE.*GSM"):
        arithmetic(vector(), replace(vector(), frame="GSM"), operation="subtract")


def test_a_length_without_a_frame_goes_with_a_component_that_has_one():
    table = vector(gap=False)
    bz, length = table.component("Bz"), magnitude(table)
    assert arithmetic(length, bz, operation="subtract").frame == "GSE"
    assert arithmetic(bz, length, operation="divide").frame == "GSE"
    other = replace(table, frame="GSM").component("By")
    with pytest.raises(FrameMismatch, match=r"GSE.*GSM"):
        arithmetic(bz, other, operation="add")


def test_clocks_that_differ_are_refused_with_the_tool_that_helps():
    with pytest.raises(ClockMismatch) as refusal:
        arithmetic(scalar([0, 1], [1, 2]), scalar([0, 2], [1, 2]), operation="add")
    assert "align" in refusal.value.advice


@pytest.mark.parametrize("operation", ["multiply", "divide"])
def test_two_vectors_have_no_such_product(operation):
    with pytest.raises(StepError, match="does not multiply or divide two vectors"):
        arithmetic(vector(), vector(), operation=operation)


def test_a_scalar_is_neither_added_to_a_vector_nor_divided_by_one():
    table = vector()
    number = replace(scalar(np.arange(10), np.ones(10)), epoch=table.epoch)
    for pair, operation in (((table, number), "add"), ((number, table), "divide")):
        with pytest.raises(StepError, match="cannot be") as refusal:
            arithmetic(*pair, operation=operation)
        assert refusal.value.advice == "take one component of the vector first"


def test_components_in_another_order_are_refused():
    table = vector()
    turned = replace(table, values=table.values[:, ::-1], components=("Bz", "By", "Bx"))
    with pytest.raises(StepError, match="Bx, By, Bz, but 'B' has Bz, By, Bx"):
        arithmetic(table, turned, operation="add")
    spelled = replace(table, components=("BX_GSE", "BY_GSE", "BZ_GSE"))
    assert arithmetic(table, spelled, operation="add").components == table.components


def test_both_tables_sources_are_kept():
    other = SourceFile(
        "WI_H0_MFI", "wi_h0_mfi_20240510_v01.cdf", version="01", provider="sample", sha256="1" * 64
    )
    result = arithmetic(scalar([0], [1]), replace(scalar([0], [1]), sources=(other,)), operation="add")
    assert result.sources == (SOURCE, other)


def test_golden():
    density = replace(
        scalar(np.arange(10), np.arange(10) - 2.0, unit="cm^-3", name="n"), epoch=vector().epoch
    )
    check_golden(arithmetic, arithmetic(vector(), density, operation="divide"))


def test_units_are_told_before_clocks():
    """Two tables of nT and km/s were to be aligned first, and then could not be added."""
    with pytest.raises(UnitMismatch):
        arithmetic(scalar([0], [1]), scalar([0, 1], [1, 2], unit="km/s", name="V"), operation="add")
    with pytest.raises(FrameMismatch):
        arithmetic(vector(), replace(vector(), frame="GSM").take(slice(3)), operation="subtract")


@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide"])
def test_components_of_two_frames_are_not_put_together(operation):
    """B_y in GSM times B_z in GSE was computed without a word."""
    y, z = (
        scalar([0, 60], [1.0, 2.0], name="By"),
        scalar([0, 60], [3.0, 4.0], name="Bz"),
    )
    with pytest.raises(FrameMismatch, match=r"is in GSM, but '.*' is in GSE"):
        arithmetic(replace(y, frame="GSM"), replace(z, frame="GSE"), operation=operation)
    with pytest.raises(FrameMismatch, match=r"is in GSM, but '.*' is in GSE"):
        arithmetic(replace(y, name="1AU IP By, GSM"), replace(z, name="1AU IP Bz, GSE"), operation=operation)
    assert arithmetic(replace(y, frame="GSM"), replace(z, name="|B|"), operation=operation).frame == "GSM"


def test_a_product_with_x_which_gse_and_gsm_share_has_a_meaning():
    x, z = scalar([0, 60], [1.0, 2.0], name="Vx"), scalar([0, 60], [3.0, 4.0], name="Bz")
    found = arithmetic(replace(x, frame="GSE"), replace(z, frame="GSM"), operation="multiply")
    assert found.values.tolist() == [3.0, 8.0]


def test_a_vector_times_a_component_of_another_frame_is_refused():
    with pytest.raises(FrameMismatch, match="GSE"):
        arithmetic(vector(), replace(vector().component("Bz"), frame="RTN", name="B_N"), operation="multiply")
