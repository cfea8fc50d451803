"""No tool combines tables of different frames or epochs without a word."""

from dataclasses import replace

import numpy as np
import pytest

from helio.errors import ClockMismatch, FrameMismatch
from helio.pipelines.runs.call import call_tool
from helio.steps.signature import signatures
from helio.time_range import Duration
from tests.rows import in_one_test
from tests.steps.calls import stated_calls
from tests.steps.compute.test_vectors_and_solar_wind import CALLS as CALLS_OF_WIND
from tests.steps.solar_wind import alpha_ratio, density, field, series, temperature, vectors, wind

SPEED_AND_GSM = "takes only the speed of the velocity, and the field in GSM alone"
LENGTHS = "takes only the length of its vectors, which is the same in every frame"
ANY_FRAME = {
    "akasofu_epsilon": SPEED_AND_GSM,
    "align": "takes only the epochs of its second table",
    "alfven_mach": LENGTHS,
    "ballistic_shift": "moves a series in time, whatever its frame; its own test has the velocity and the position",
    "cross_correlation_lag": "compares the course in time of any two series",
    "kan_lee_field": SPEED_AND_GSM,
    "magnetosonic_mach": LENGTHS,
    "mask_by_flag": "takes only the flags of its second table",
    "newell_coupling": SPEED_AND_GSM,
    "polar_cap_potential": SPEED_AND_GSM,
    "superposed_epoch": "takes only the epochs of its events",
}
"""Tools that may take tables of different frames, and why."""
ANY_CLOCK = {
    "align": "brings tables onto one clock",
    "cross_correlation_lag": "compares two series over their own epochs",
    "rotate_to_axes": "takes axes of one record for all records",
    "superposed_epoch": "takes the samples around the epochs of its events",
}
"""Tools that may take tables of different epochs, and why."""
SEPARATE = {
    "custom_operation": "leaves it to the code of the template",
    "plot_data": "draws each table by itself",
    "render_spec": "draws each table by itself",
    "save_data": "checks the clocks itself, as the columns of its format need it",
}
"""Tools that do not combine their tables by a rule of their own, and why."""

CALLS = {name: [call] for name, call in CALLS_OF_WIND.items()} | stated_calls()
CALLS["join_components"] = [
    ([lambda letter=letter: field().component(f"B{letter}") for letter in "xyz"], {"names": ["a", "b", "c"]})
]
CALLS["alfven_mach"].append(([wind, field, density, alpha_ratio], {}))
CALLS["ballistic_shift"].append(
    ([field, wind, lambda: vectors([[1.5e6, 0, 0]] * 6, "km", "R", "GSE")], {"to_x": 0.0})
)
CALLS["magnetosonic_mach"].append(([wind, density, temperature, field, temperature, alpha_ratio], {}))
CALLS["parker_angle"].append(([wind, lambda: series([1.0] * 6, "AU", "R")], {}))
CALLS["plasma_beta"].append(([density, temperature, field, temperature, alpha_ratio], {}))
COMBINING = sorted(
    name
    for name, signature in signatures().items()
    if name not in SEPARATE and (len(signature.tables) > 1 or any(table.many for table in signature.tables))
)


def call(name, tables, args):
    """Call a tool as a pipeline does."""
    given = {table.parameter: {} for table in signatures()[name].tables}
    parameters = list(given)
    for number, table in enumerate(tables):
        given[parameters[min(number, len(parameters) - 1)]][f"table_{number}"] = table
    written = {key: str(value) if isinstance(value, Duration) else value for key, value in args.items()}
    return call_tool(name, written, given)


def has_frame_cases(name):
    """Return whether two tables of a tool may both have a frame."""
    tables = signatures()[name].tables
    return len([table for table in tables if table.many or table.takes.kind in ("", "vector")]) > 1


def cases(excused, counts):
    for name in COMBINING:
        for makes, args in CALLS.get(name, ()) if name not in excused else ():
            positions = [position for position, make in enumerate(makes) if counts(make())]
            for position in positions if len(positions) > 1 else ():
                yield name, makes, args, position


def test_every_tool_that_combines_tables_is_called_here():
    assert set(COMBINING) <= set(CALLS), "the test of the tool states no CALLS"
    assert set(ANY_FRAME) | set(ANY_CLOCK) <= set(COMBINING)
    for name in COMBINING:
        several = [makes for makes, _ in CALLS[name] if len(makes) > 1]
        most = max(map(len, several), default=0)
        assert most >= max(2, len(signatures()[name].tables)), f"no call of {name} has all its tables"
        if has_frame_cases(name) and name not in ANY_FRAME:
            framed = [makes for makes in several if sum(bool(make().frame) for make in makes) > 1]
            assert framed, f"no call of {name} has two tables with a frame: add one to the CALLS of its test"


@in_one_test(("name", "makes", "args", "position"), cases(ANY_CLOCK, lambda table: True))
def test_other_epochs_are_refused(name, makes, args, position):
    tables = [make() for make in makes]
    call(name, tables, args)
    later = tables[position].epoch + np.timedelta64(1, "s")
    tables[position] = replace(tables[position], epoch=later)
    with pytest.raises(ClockMismatch):
        call(name, tables, args)


@in_one_test(("name", "makes", "args", "position"), cases(ANY_FRAME, lambda table: table.frame))
def test_another_frame_is_refused(name, makes, args, position):
    tables = [make() for make in makes]
    call(name, tables, args)
    tables[position] = replace(tables[position], frame="RTN")
    with pytest.raises(FrameMismatch):
        call(name, tables, args)
