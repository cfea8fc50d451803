"""Units that are known before a run."""

from datetime import datetime

import pytest

from helio.pipelines.passes.check_quantities import check_quantities
from helio.pipelines.passes.edit import Context, Dataset
from helio.steps.signature import signatures

PLASMA = Dataset(
    {"N": 1, "V": 3, "T": 1, "B": 3, "FLAG": 1},
    units={"N": "#/cc", "V": "Km/s", "T": "eV", "B": "nT", "FLAG": "", "odd": "furlongs"},
)


def step(number, tool, **args):
    return {"step_id": number, "tool_name": tool, "tool_args": args}


def fetch(number, *names, **args):
    return step(number, "fetch_data", dataset_id="WI_PLASMA", parameters=list(names), **args)


def found(*steps, datasets=None):
    known = {"WI_PLASMA": PLASMA} if datasets is None else datasets
    context = Context(signatures(), datetime(2024, 1, 1), {}, catalogue=known)
    return list(check_quantities({"steps": list(steps)}, context))


def beta(**labels):
    given = {"density_label": "WI_PLASMA.N", "temperature_label": "WI_PLASMA.T", "field_label": "WI_PLASMA.B"}
    return step(2, "plasma_beta", **{**given, **labels}, output_label="beta")


def test_a_temperature_in_ev_is_said_with_its_conversion():
    [one] = found(fetch(1, "N", "T", "B"), beta())
    assert (one.code, one.severity, one.path) == ("HV402", "warning", "/steps/1/tool_args/temperature_label")
    assert one.message == "the temperature has to be in K, and 'WI_PLASMA.T' is in eV, says the catalogue"
    assert one.advice == ('convert it first: convert_units to "K", equivalence "thermal"',)


def test_spellings_of_the_right_unit_are_right():
    steps = (
        fetch(1, "N", "V"),
        step(
            2, "dynamic_pressure", density_label="WI_PLASMA.N", velocity_label="WI_PLASMA.V", output_label="p"
        ),
    )
    assert found(*steps) == []


def test_a_component_has_the_unit_of_its_vector():
    [one] = found(fetch(1, "V"), step(2, "gyrofrequency", source_label="WI_PLASMA.V.Vx", output_label="f"))
    assert "'WI_PLASMA.V.Vx' is in km/s" in one.message


def test_what_another_tool_always_gives_is_sure():
    [one] = found(
        step(1, "vbs", velocity_label="v", bz_label="bz", output_label="e"),
        step(2, "shue_standoff", pressure_label="e", bz_label="bz", output_label="r0"),
    )
    assert (one.code, one.severity) == ("HV401", "error")
    assert one.message == "the pressure has to be in nPa, and 'e' is in mV/m"


@pytest.mark.parametrize(
    "first",
    [
        fetch(1, "FLAG", output_label="WI_PLASMA.T"),
        fetch(1, "X"),
        {**fetch(1, "T"), "for_each": {"as": "$X", "over": ["a"]}},
        step(
            1, "fetch_data", candidates=["WI_PLASMA", "OTHER"], parameter_id="T", output_label="WI_PLASMA.T"
        ),
        fetch(1, "T", provider="local"),
        step(1, "resample", source_label="x", cadence="1min", output_label="WI_PLASMA.T"),
    ],
    ids=[
        "no unit",
        "no such parameter",
        "a map",
        "candidates",
        "another provider",
        "a tool that keeps the unit",
    ],
)
def test_what_is_not_known_is_left_to_the_run(first):
    assert found(first, beta()) == []


def test_without_a_catalogue_nothing_is_said():
    assert found(fetch(1, "N", "T", "B"), beta(), datasets={}) == []
