"""A template read into its types is written back as it was."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

import helio
from helio.pipelines.dialect.check_structure import check_structure
from helio.pipelines.template.context import Context
from helio.pipelines.template.template import ForEach, Step, Template
from tests.laws import law
from tests.pipelines.conftest import fetch, magnitude, template
from tests.rows import in_one_test

SHIPPED = sorted((Path(helio.__file__).parent / "pipelines" / "templates").glob("*.json"))
CASES = sorted((Path(__file__).parents[2] / "data").glob("rewrite_cases*.json"))
CONTEXT = Context({}, datetime(2024, 1, 1), {})


def documents() -> list[Any]:
    """Every template that is shipped, and every template of the rewrite cases before and after its passes."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in SHIPPED]
    cases = [case for path in CASES for case in json.loads(path.read_text(encoding="utf-8"))["cases"]]
    for case in cases:
        found += [document for document in (case["before"], case["after"]) if isinstance(document, dict)]
    return found


DOCUMENTS = documents()


def has_structure(document: Any) -> bool:
    """Whether a document passes the gate."""
    return isinstance(document.get("steps"), list) and not list(check_structure(document, CONTEXT))


def assert_kept(document: Any) -> None:
    """Read and write a document: equal values, types and order of keys."""
    assert json.dumps(Template.from_json(document).to_json()) == json.dumps(document)


def test_there_are_many_documents_to_try() -> None:
    assert len(SHIPPED) >= 4
    assert sum(map(has_structure, DOCUMENTS)) > 100


@in_one_test("document", [document for document in DOCUMENTS if has_structure(document)])
def test_a_document_is_written_as_it_was_read(document: Any) -> None:
    assert_kept(document)


WORDS = st.sampled_from(["", "$DAY", "B", "past 3 days", "concat", "x", "figure"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
EACH = st.fixed_dictionaries(
    {
        "over": st.lists(VALUES, max_size=3)
        | st.dictionaries(
            st.sampled_from(["step", "intervals", "components_of", "parameters_of"]), WORDS, min_size=1
        ),
        "as": st.just("$DAY"),
    }
)
MEMBERS: dict[str, st.SearchStrategy[Any]] = {
    "tool_args": st.dictionaries(WORDS, VALUES, max_size=3),
    "intent": WORDS,
    "produces": st.lists(st.sampled_from(["B", "C"]), max_size=2),
    "depends_on": st.lists(st.integers(0, 3) | st.sampled_from(["a", "b"]), max_size=2),
    "critical": st.booleans(),
    "pin": st.lists(st.just("time_range"), max_size=1),
    "annotations": st.dictionaries(WORDS, VALUES, max_size=3),
    "for_each": EACH,
    "collect": st.sampled_from(["list", "concat"]),
    "on_item_error": st.sampled_from(["fail", "keep_partial"]),
    "with": st.dictionaries(WORDS, VALUES, max_size=2),
    "loop_over": VALUES,
    "unheard_of": VALUES,
}
TOP: dict[str, st.SearchStrategy[Any]] = {
    "annotations": MEMBERS["annotations"],
    "name": WORDS,
    "artifact": st.sampled_from(["figure", "data"]),
    "variables": st.dictionaries(
        st.just("$DAY"),
        st.fixed_dictionaries(
            {"type": st.just("interval")},
            optional={"default": VALUES, "of": WORDS, "required": st.booleans()},
        ),
    ),
}


@st.composite
def changed(draw: st.DrawFn) -> Any:
    """A template of those above with some members set, others taken out, and keys in another order."""
    document = copy.deepcopy(draw(st.sampled_from([known for known in DOCUMENTS if has_structure(known)])))
    homes: list[tuple[Any, dict[str, st.SearchStrategy[Any]]]] = [(document, TOP)]
    homes += [(step, MEMBERS) for step in document["steps"]]
    homes += [(inner, MEMBERS) for step in document["steps"] for inner in step.get("block", ())]
    for _ in range(draw(st.integers(1, 6))):
        home, members = draw(st.sampled_from(homes))
        key = draw(st.sampled_from(sorted(members)))
        home[key] = draw(members[key])
    home, _ = draw(st.sampled_from(homes))
    members = draw(st.permutations(list(home.items())))
    home.clear()
    home.update(members[: draw(st.integers(len(members) - 1, len(members)))])
    return document


def assume_structure(document: Any) -> None:
    """Leave out a document that the gate refuses; a key that it does not know is kept all the same."""
    known = {key: value for key, value in document.items() if key != "unheard_of"}
    steps = [
        {key: value for key, value in step.items() if key != "unheard_of"}
        for step in document.get("steps", ())
    ]
    assume("steps" in document and has_structure(known | {"steps": steps}))


@pytest.mark.slow
@law(25, 1200, suppress_health_check=[HealthCheck.too_slow])
@given(changed())
def test_a_changed_document_is_written_as_it_was_read(document: Any) -> None:
    assume_structure(document)
    assert_kept(document)


EDITS: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
    "tool_name": ("tool_name", WORDS),
    "tool_args": ("tool_args", st.dictionaries(WORDS, VALUES, max_size=3)),
    "intent": ("intent", WORDS),
    "produces": ("produces", MEMBERS["produces"]),
    "depends_on": ("depends_on", MEMBERS["depends_on"]),
    "critical": ("critical", st.booleans()),
    "pin": ("pin", MEMBERS["pin"]),
    "annotations": ("annotations", MEMBERS["annotations"]),
    "with_values": ("with", MEMBERS["with"]),
}
"""Fields of a step, each with its key and other values."""


@pytest.mark.slow
@law(25, 1200, suppress_health_check=[HealthCheck.too_slow])
@given(changed(), st.data())
def test_an_edit_of_one_field_leaves_every_other_member_as_it_was(document: Any, data: st.DataObject) -> None:
    assume_structure(document)
    read = Template.from_json(document)
    place = data.draw(st.integers(0, len(read.steps) - 1))
    name = data.draw(st.sampled_from(sorted(EDITS)))
    key, values = EDITS[name]
    value = data.draw(values)
    before = read.steps[place]
    after = replace(before, **{name: tuple(value) if isinstance(value, list) else value})
    steps = (*read.steps[:place], after, *read.steps[place + 1 :])
    expected = copy.deepcopy(document)
    if key in expected["steps"][place] or after != before:
        expected["steps"][place][key] = value
    assert json.dumps(replace(read, steps=steps).to_json()) == json.dumps(expected)


def test_a_field_that_changes_keeps_its_place_and_a_new_one_comes_last() -> None:
    step = Step.from_json({"critical": False, "note": {"b": 1}, "step_id": 1})
    written = replace(step, critical=True, depends_on=(2,)).to_json()
    assert json.dumps(written) == '{"critical": true, "note": {"b": 1}, "step_id": 1, "depends_on": [2]}'


def test_a_field_set_to_its_default_stays_where_it_was_written() -> None:
    step = Step.from_json({"step_id": 1, "produces": ["B"]})
    assert replace(step, produces=()).to_json() == {"step_id": 1, "produces": []}


def test_members_are_left_out() -> None:
    each = {"as": "$N", "over": [1]}
    step = Step.from_json({"step_id": 1, "for_each": each, "collect": "list", "loop_over": [1]})
    assert step.without("for_each", "collect", "loop_over").to_json() == {"step_id": 1}


def test_a_step_knows_its_place_and_the_maps_around_it() -> None:
    inner = {"step_id": "a", "for_each": {"as": "$N", "over": [1]}}
    outer = {
        "step_id": 1,
        "for_each": {"as": "$D", "over": {"intervals": "$T"}},
        "block": [inner, magnitude("b")],
    }
    found = Template.from_json({"steps": [fetch(0), outer]})
    assert [step.step_id for step in found.walk()] == [0, 1, "a", "b"]
    assert [step.items for step in found.walk()] == [(), ("$D",), ("$D", "$N"), ("$D",)]
    assert [step.path for step in found.walk()][2:] == [("steps", 1, "block", 0), ("steps", 1, "block", 1)]


def test_steps_come_list_by_list_or_in_the_order_of_reading() -> None:
    block = {"step_id": 1, "block": [magnitude("a")]}
    found = Template.from_json(template(block, fetch(2)))
    assert [step.step_id for step in found.walk()] == [1, "a", 2]
    assert [step.step_id for step in found.by_list()] == [1, 2, "a"]


def test_the_items_of_a_map_are_a_list_or_come_from_somewhere() -> None:
    listed = ForEach.from_json({"as": "$N", "over": [1, 2]})
    assert (listed.items, listed.intervals) == ([1, 2], "")
    days = ForEach.from_json({"over": {"step": "6h", "intervals": "$T"}, "as": "$D"})
    assert (days.items, days.intervals, days.step) == (None, "$T", "6h")
    assert json.dumps(replace(days, intervals="$U").to_json()) == (
        '{"over": {"step": "6h", "intervals": "$U"}, "as": "$D"}'
    )
