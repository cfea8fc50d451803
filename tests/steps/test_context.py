"""No tool's result depends on records further away than the tool says, to the last bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helio.interval import CalendarInterval
from helio.steps import load_tool
from helio.steps.compute.join_components import join_components
from helio.steps.signature import signatures
from helio.store.table import Table
from helio.time_range import Duration
from tests.laws import law
from tests.steps.calls import stated_calls
from tests.steps.compute.test_vectors_and_solar_wind import CALLS as CALLS_OF_WIND

RECORDS = 150
WILD = (999.9, -1e31, np.nan, np.inf, 0.0)
MINUTE = Duration("1min")

STATED = stated_calls()
CALLS = {name: [(makes, args)] for name, (makes, args) in CALLS_OF_WIND.items()} | STATED
"""By tool: tables and arguments of some calls."""
CALLS |= {
    "resample": [([STATED["resample"][0][0][0]], {"cadence": MINUTE, "method": method}) for method in
                 ("mean", "median", "min", "max", "first")]
                + [(makes, {"cadence": CalendarInterval("1 month")}) for makes, _ in STATED["resample"][:1]],
    "statistics": [(makes, {**args, "interval": MINUTE}) for makes, args in STATED["statistics"]],
    "running_average": [([makes[0]], {"window": MINUTE}) for makes, _ in STATED["running_average"]],
    "running_median": [([makes[0]], {"window": MINUTE}) for makes, _ in STATED["running_median"]],
    "despike": [([makes[0]], {"window": MINUTE}) for makes, _ in STATED["despike"]],
    "interpolate": [
        (makes, {"limit": MINUTE, **more})
        for makes, _ in STATED["interpolate"]
        for more in ({}, {"method": "nearest"}, {"cadence": Duration("7s")})
    ],
    "align": [
        (makes, {"limit": MINUTE, **more})
        for makes, _ in STATED["align"]
        for more in ({}, {"method": "nearest"})
    ],
    "derivative": [
        (makes, {**args, **more})
        for makes, args in STATED["derivative"]
        for more in ({}, {"limit": Duration("20s")})
    ],
}  # fmt: skip
WITHOUT_TABLES = {"store_dataframe"}


def angle():
    return Table(np.zeros(1, "M8[ns]"), np.ones(1), unit="deg", name="flow longitude")


for name in ("resample", "running_average", "interpolate", "align", "derivative", "statistics"):
    makes, args = CALLS[name][0]
    CALLS[name] = [
        *CALLS[name],
        ([angle, *makes[1:]], {**args, **({"of": ["mean"]} if name == "statistics" else {})}),
    ]


def cases():
    for name, signature in sorted(signatures().items()):
        if signature.gives != "table" or signature.context.reach == "range" or name in WITHOUT_TABLES:
            continue
        if name == "join_components":
            continue  # takes a list of series, in a test of its own
        assert name in CALLS, f"the test of {name} states no CALLS"
        yield from (
            pytest.param(name, *call, id=f"{name}-{number}") for number, call in enumerate(CALLS[name])
        )


def clock(rng):
    """Epochs with jitter, changes of cadence, gaps and a start at no round time."""
    steps = np.where(np.arange(RECORDS) < RECORDS // 2, 4.0, 2.5) + rng.normal(0, 0.05, RECORDS)
    steps[rng.integers(1, RECORDS, 4)] = rng.uniform(8, 200, 4)
    start = np.datetime64("2024-05-10T23:50:01.3", "ns")
    return start + np.cumsum(np.round(steps * 1e9).astype(np.int64)).astype("m8[ns]")


def long(table, epoch, rng):
    """A table of many records of its kind, with noise and missing values."""
    if len(table) == 1 and table.components and len(table.components) == 9:
        return table  # the axes of an analysis are one record
    which = rng.integers(0, max(1, len(table)), epoch.size)
    values = np.nan_to_num(table.values[which].astype(np.float64), nan=1.0)
    values = values * (1 + 0.3 * rng.normal(size=values.shape))
    if table.unit == "deg":
        values = rng.uniform(-90, 270, values.shape)
    values[rng.random(values.shape) < 0.05] = np.nan
    axes = tuple(axis if not axis.per_record else axis.take(which) for axis in table.axes)
    return replace(table, epoch=epoch, values=values, axes=axes, notes=())


def reach_of(name, args):
    """How far a record may look, in ns and in records."""
    context = signatures()[name].context
    return sum(args[length].nanoseconds for length in context.lengths if length in args), context.records


def assert_same_away_from(before, after, epoch, touched, name, args):
    """Hold that records of a result out of reach of the touched records are equal to the bit."""
    distance, records = reach_of(name, args)
    ns = epoch.view(np.int64)
    first, last = max(0, touched[0] - records), min(len(epoch) - 1, touched[-1] + records)
    low, high = ns[first] - distance, ns[last] + distance
    for side in ("before", "after"):
        chosen = [
            table.epoch.view(np.int64) < low if side == "before" else table.epoch.view(np.int64) > high
            for table in (before, after)
        ]
        one, other = before.take(chosen[0]), after.take(chosen[1])
        np.testing.assert_array_equal(one.epoch, other.epoch)
        assert one.values.tobytes() == other.values.tobytes(), (name, side)


@pytest.mark.parametrize(("name", "makes", "args"), list(cases()))
@given(seed=st.integers(0, 2**32 - 1), wild=st.sampled_from(WILD))
@law(3, 120)
def test_a_wild_value_changes_nothing_out_of_reach(name, makes, args, seed, wild):
    rng = np.random.default_rng(seed)
    epoch = clock(rng)
    tables = [long(make(), epoch, rng) for make in makes]
    before = load_tool(name)(*tables, **args)
    place = int(rng.integers(0, RECORDS))
    for number, table in enumerate(tables):
        if len(table) != RECORDS:
            continue
        values = table.values.copy()
        values[place] = wild
        spoiled = [*tables[:number], replace(table, values=values), *tables[number + 1 :]]
        with np.errstate(all="ignore"):
            after = load_tool(name)(*spoiled, **args)
        assert_same_away_from(before, after, epoch, (place, place), name, args)


@pytest.mark.parametrize(("name", "makes", "args"), list(cases()))
@given(seed=st.integers(0, 2**32 - 1))
@law(3, 120)
def test_an_edge_changes_nothing_out_of_reach(name, makes, args, seed):
    rng = np.random.default_rng(seed)
    epoch = clock(rng)
    tables = [long(make(), epoch, rng) for make in makes]
    first, last = int(rng.integers(0, 40)), int(rng.integers(RECORDS - 40, RECORDS))
    parts = [table.take(slice(first, last)) if len(table) == RECORDS else table for table in tables]
    whole, part = load_tool(name)(*tables, **args), load_tool(name)(*parts, **args)
    distance, records = reach_of(name, args)
    ns = epoch.view(np.int64)
    low = ns[min(first + records, RECORDS - 1)] + distance if first else ns[0] - 1
    high = ns[max(last - 1 - records, 0)] - distance
    inside = [
        (table.epoch.view(np.int64) > low) & (table.epoch.view(np.int64) < high) for table in (whole, part)
    ]
    one, other = whole.take(inside[0]), part.take(inside[1])
    np.testing.assert_array_equal(one.epoch, other.epoch)
    assert one.values.tobytes() == other.values.tobytes()


def test_joined_series_depend_on_their_own_record_alone():
    rng = np.random.default_rng(1)
    epoch = clock(rng)
    series = [Table(epoch, rng.normal(size=RECORDS), unit="nT", name=f"B{letter}") for letter in "xyz"]
    before = join_components(series, names=["Bx", "By", "Bz"])
    after = join_components([table.take(slice(7, 200)) for table in series], names=["Bx", "By", "Bz"])
    assert before.values[7:200].tobytes() == after.values.tobytes()


def test_every_tool_says_what_it_needs_and_why_where_that_is_everything():
    for name, signature in signatures().items():
        context = signature.context
        assert bool(context.reason) == (context.reach == "range"), name
        assert set(context.lengths) <= {argument.name for argument in signature.arguments}, name
        assert context.reach == "window" or not (context.lengths or context.records), name


def test_every_tool_of_limited_reach_is_called_here():
    tools = {name for name, signature in signatures().items() if signature.gives == "table"}
    limited = {name for name in tools if signatures()[name].context.reach != "range"}
    assert limited - WITHOUT_TABLES - {"join_components"} <= set(CALLS)
