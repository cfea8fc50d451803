"""Calls of tools with the tables and arguments of a planned step."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import FrameMismatch, Mismatch, StepError, UnitMismatch
from helio.pipelines.runs.call import call_tool
from helio.steps import load_tool
from helio.steps.signature import signatures
from helio.steps.tool import signature_of
from helio.time_range import TimeRange
from tests.rows import in_one_test
from tests.steps.series import spectrum, vector
from tests.steps.solar_wind import alpha_ratio, density, field, speed, velocity

DEMANDING = [
    (name, table)
    for name, signature in signatures().items()
    if signature.runs
    for table in signature.tables
    if table.takes.unit
]


def call(name, args=None, **tables):
    signature = signatures()[name]
    given = {table.parameter: {} for table in signature.tables} | tables
    return call_tool(name, args or {}, given)


@in_one_test(("name", "table"), DEMANDING)
def test_no_tool_takes_a_table_in_a_unit_that_it_does_not_know(name, table):
    tables = {table.parameter: {} for table in signatures()[name].tables}
    wrong = replace(speed() if table.takes.kind != "vector" else velocity(), unit="furlong", frame="GSM")
    before = [table.parameter for table in signatures()[name].tables]
    for earlier in before[: before.index(table.parameter)]:
        takes = next(table.takes for table in signatures()[name].tables if table.parameter == earlier)
        right = replace(
            speed() if takes.kind != "vector" else field(),
            unit="" if takes.unit == "1" else takes.unit,
            frame=takes.frames[0] if takes.frames else "",
        )
        tables[earlier] = {earlier: right}
    tables[table.parameter] = {"X.Y": wrong}
    with pytest.raises(UnitMismatch, match=r"'X\.Y' is in furlong"):
        call_tool(name, {}, tables)


@in_one_test("name", [name for name, tool in signatures().items() if tool.runs])
def test_what_a_tool_takes_is_shipped_as_the_code_has_it(name):
    shipped, read = signatures()[name], signature_of(load_tool(name))
    assert (shipped.tables, shipped.gives_quantity) == (read.tables, read.gives_quantity)


def test_a_tool_gets_its_tables_in_order_and_none_for_what_is_left_out():
    plain = call("dynamic_pressure", density={"n": density()}, velocity={"v": speed()})
    with_alphas = call(
        "dynamic_pressure",
        {"assumed_alpha": 0.05},
        density={"n": density()},
        velocity={"v": speed()},
        alpha_ratio={"a": alpha_ratio()},
    )
    assert with_alphas.values[0] > plain.values[0]


def test_the_label_is_named_and_not_the_name_in_the_file():
    with pytest.raises(UnitMismatch, match=r"the density of .* must be in cm\^-3, but 'WIND.V' is in km/s"):
        call("dynamic_pressure", density={"WIND.V": speed()}, velocity={"v": speed()})


def test_a_temperature_in_ev_is_to_be_converted_by_its_equivalence():
    hot = replace(density(), unit="eV")
    with pytest.raises(UnitMismatch, match="in K, but 'T' is in eV") as caught:
        call("plasma_beta", density={"n": density()}, temperature={"T": hot}, field={"b": field()})
    assert caught.value.advice == 'convert it first: convert_units to "K", equivalence "thermal"'


def test_a_frame_and_a_kind_are_checked_too():
    with pytest.raises(FrameMismatch, match="in GSM, but 'b' is in GSE") as caught:
        call("newell_coupling", velocity={"v": speed()}, field={"b": field("GSE")})
    assert caught.value.advice.startswith('transform it first: transform_frame to "GSM"')
    with pytest.raises(FrameMismatch, match=r"in GSM, but 'OMNI.BZ_GSE' is in GSE"):
        call(
            "vbs",
            velocity={"v": speed()},
            bz={"OMNI.BZ_GSE": replace(density(), unit="nT", name="Bz")},
        )
    with pytest.raises(StepError, match=r"the field of .* must be a vector, but 'j' is a spectrum"):
        call("minimum_variance", field={"j": spectrum()})


def test_every_table_of_a_list_is_checked():
    with pytest.raises(StepError, match=r"the series of .* must be one series, but 'b' is a vector"):
        call("join_components", {"names": ["x", "y"]}, series={"a": density(), "b": vector()})


def test_what_a_tool_gives_is_what_its_signature_says():
    found = call("clock_angle", field={"b": field()})
    assert signatures()["clock_angle"].gives_quantity.unit == found.unit == "deg"
    assert np.isnan(found.values[4])


def test_a_tool_gets_its_time_range_in_place_of_the_text():
    args = {"interval": "2024-05-10T00:00 to 2024-05-10T00:05", "give": "axes"}
    interval = TimeRange.from_iso("2024-05-10T00:00", "2024-05-10T00:05")
    tables = {"field": {"b": vector()}}
    assert len(call_tool("minimum_variance", args, tables, time_ranges={"interval": interval})) == 1


@pytest.mark.parametrize(
    ("name", "tables", "said"),
    [
        (
            "arithmetic",
            {"left": {"ace": vector()}, "right": {"wind": replace(vector(), frame="GSM")}},
            "'ace' is in GSE, but 'wind' is in GSM",
        ),
        (
            "arithmetic",
            {"left": {"ace": vector()}, "right": {"wind": replace(vector(), unit="{T}")}},
            "'ace' is in nT, but 'wind' is in {T}",
        ),
        (
            "arithmetic",
            {"left": {"ace": vector()}, "right": {"wind": vector().take(slice(3))}},
            "'ace' and 'wind' do not have the same epochs: the first has 10 records, the second 3",
        ),
        (
            "dynamic_pressure",
            {"density": {"n": density()}, "velocity": {"v": speed().take(slice(3))}},
            "'n' and 'v' do not have the same epochs: the first has 6 records, the second 3",
        ),
    ],
)
def test_two_tables_that_do_not_go_together_are_called_by_their_labels(name, tables, said):
    """Both were called B, as their files do."""
    with pytest.raises(Mismatch) as caught:
        call(name, {"operation": "subtract"}, **tables)
    assert caught.value.message == said
    assert str(caught.value).startswith(said)
    assert caught.value.tables == ()


def test_a_table_that_a_tool_refuses_is_called_by_its_label():
    with pytest.raises(StepError) as caught:
        call("magnitude", vector={"flux": replace(vector(), components=("P1", "P7", "P9"), frame="")})
    assert "'flux' (P1, P7, P9)" in caught.value.message
    same = {"field": {"b": field().component("Bz")}, "density": {"n": density()}}
    with pytest.raises(StepError, match="'b' is one component in GSM"):
        call("alfven_speed", **same)
