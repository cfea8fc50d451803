"""What is foreseen of a table, held against the table that the tool really gives."""

from dataclasses import replace

import pytest

from helio.knowledge.unit_spelling import canonical_unit
from helio.steps import load_tool
from helio.steps.foreseen import EVERY_KIND, Foreseen, MatchingInputs, clashes, foreseen, pairs_alike
from helio.steps.quantity import ANYTHING, check_quantity
from helio.steps.result import NOTHING_SAID
from helio.steps.signature import signatures
from helio.time_range import Duration
from tests.steps.calls import stated_calls
from tests.steps.compute import test_vectors_and_solar_wind as always
from tests.steps.solar_wind import field

RULED = {name for name, tool in signatures().items() if tool.result != NOTHING_SAID}
STATED = stated_calls()
CALLS = {name: calls for name, calls in STATED.items() if name in RULED}
# These run code, or take several tables as one, and have tests of their own below.
ELSEWHERE = {
    "compute_spectrogram",
    "custom_operation",
    "join_components",
    "store_dataframe",
}


def known_of(table):
    return Foreseen(table.unit, table.frame, frozenset({table.kind}))


def cases():
    for name, calls in CALLS.items():
        for number, (tables, args) in enumerate(calls):
            yield pytest.param(name, tables, args, id=f"{name}-{number}")


def test_every_tool_that_gives_a_table_says_what_it_gives():
    silent = {
        name
        for name, signature in signatures().items()
        if signature.gives == "table" and name not in RULED and signature.gives_quantity == ANYTHING
    }
    assert not silent
    assert set(CALLS) | ELSEWHERE == RULED
    compared = {name for name, tool in signatures().items() if tool.same}
    assert compared < RULED, (
        f"{', '.join(sorted(compared - RULED))}: `@tool` has `same=` and no `gives=`: add gives=Result(...) with the "
        'unit, frame and kind of the result, such as Result(like="field")'
    )


WITH_UNIT_OF_AN_AXIS = {"band_integral", "integral_between", "spectral_break"}
"""Tools whose unit follows from the unit of an axis, which is not known before a run."""


@pytest.mark.parametrize(("name", "makes", "args"), list(cases()))
def test_what_is_foreseen_is_what_comes(name, makes, args):
    tables = [make() for make in makes]
    parameters = [table.parameter for table in signatures()[name].tables]
    inputs = {parameter: [known_of(table)] for parameter, table in zip(parameters, tables, strict=False)}
    written = {key: str(value) if isinstance(value, Duration) else value for key, value in args.items()}
    written = {key: list(value) if isinstance(value, tuple) else value for key, value in written.items()}
    told, came = foreseen(signatures()[name], written, inputs), load_tool(name)(*tables, **args)
    assert told.kinds >= {came.kind}
    assert told.unit is None or canonical_unit(told.unit) == canonical_unit(came.unit)
    assert told.frame is None or told.frame == came.frame
    # What is known of the inputs is not lost: a rule that knows nothing would pass all of the above.
    assert told.unit is not None or name in WITH_UNIT_OF_AN_AXIS
    assert told.frame is not None
    assert told.kinds != EVERY_KIND


@pytest.mark.parametrize("name", sorted(STATED))
def test_the_tables_of_the_stated_calls_are_what_the_tool_takes(name):
    for makes, _ in STATED[name]:
        for parameter, make in zip(signatures()[name].tables, makes, strict=False):
            check_quantity(parameter.takes, make(), tool=name, parameter=parameter.parameter)


@pytest.mark.parametrize("name", sorted({*always.CALLS, *STATED} - RULED))
def test_what_is_always_given_is_what_comes(name):
    makes, args = STATED[name][0] if name in STATED else always.CALLS[name]
    told, came = foreseen(signatures()[name], {}, {}), load_tool(name)(*(make() for make in makes), **args)
    assert (told.unit, told.frame, told.kinds) == (came.unit, came.frame, {came.kind})


def test_joined_components_are_in_the_frame_of_the_last_one():
    tables = [load_tool("components")(field(), keep=[letter]) for letter in "xyz"]
    known = [known_of(table) for table in tables]
    known[0] = replace(known[0], frame="GSE")  # as OMNI's B_x
    told = foreseen(signatures()["join_components"], {"names": ["Bx", "By", "Bz"]}, {"series": known})
    came = load_tool("join_components")(tables, names=["Bx", "By", "Bz"])
    assert (told.unit, told.frame, told.kinds) == (came.unit, came.frame, {came.kind})
    stated = foreseen(signatures()["join_components"], {"frame": "RTN"}, {"series": known})
    assert stated.frame == "RTN"


def test_code_has_the_unit_that_is_stated_beside_it_and_no_frame():
    assert foreseen(signatures()["custom_operation"], {"units": "nT"}, {}) == Foreseen("nT", "")
    assert foreseen(signatures()["store_dataframe"], {}, {}) == Foreseen("", "")


@pytest.mark.parametrize("name", sorted(RULED))
def test_nothing_known_gives_no_error_and_nothing_false(name):
    told = foreseen(signatures()[name], {}, {})
    assert told.doubts == frozenset()
    for wrong in (3, None, ["$X"], {"a": 1}, "$X"):
        args = {argument.name: wrong for argument in signatures()[name].arguments}
        assert foreseen(signatures()[name], args, {}).unit in (None, told.unit)


def test_a_variable_in_an_argument_is_not_known():
    known = {"series": [Foreseen("nT", "GSE", frozenset({"vector"}))]}
    assert foreseen(signatures()["convert_units"], {"to": "$UNIT"}, known).unit is None
    assert foreseen(signatures()["convert_units"], {"to": "T"}, known).unit == "T"


def test_a_unit_from_an_argument_rests_on_no_catalogue():
    read = Foreseen("eV", "GSE", frozenset({"scalar"}), frozenset({"unit", "frame", "kind"}))
    told = foreseen(signatures()["convert_units"], {"to": "K"}, {"series": [read]})
    assert told.doubts == {"frame", "kind"}


def test_only_what_is_known_of_both_clashes():
    gse, gsm, none = (Foreseen("nT", frame, frozenset({"vector"})) for frame in ("GSE", "GSM", ""))
    assert clashes("frame", gse, gsm)
    assert not clashes("frame", gse, replace(gse, frame="gse"))
    assert not clashes("frame", gse, none)
    assert not clashes("unit", gse, Foreseen())
    assert clashes("kind", gse, Foreseen(kinds=frozenset({"scalar"})))
    assert not clashes("kind", gse, Foreseen())


def test_the_first_of_joined_components_may_be_called_gse():
    known = [Foreseen("nT", frame, frozenset({"scalar"})) for frame in ("GSE", "GSM", "GSM")]
    pairs = list(pairs_alike(signatures()["join_components"], {}, {"series": known}))
    assert MatchingInputs("frame", ("series", 1), ("series", 2)) in pairs
    assert not [pair for pair in pairs if pair.aspect == "frame" and pair.first == ("series", 0)]
