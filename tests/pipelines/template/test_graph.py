"""The graph of a plan: producers, readers, order, and values that follow from step to step."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from helio.limits import LIMITS
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import lists_of_written_steps, written_steps
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.graph import Graph, Read, StepView, graph_of, in_order
from helio.pipelines.template.template import ForEach, Step, Template
from helio.steps.signature import signatures
from tests.laws import law
from tests.pipelines.conftest import fetch, magnitude, render, template

KNOWN = signatures()
NAMES = st.sampled_from(["A", "B", "C", "D", "A.x", "B_$D", "B_*", "*"])
Made = tuple[int, tuple[str, ...], tuple[str, ...]]
STEPS = st.lists(
    st.tuples(st.lists(NAMES, max_size=2).map(tuple), st.lists(NAMES, max_size=3).map(tuple)), max_size=7
).map(lambda found: [(number, gives, reads) for number, (gives, reads) in enumerate(found)])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.text(max_size=3)
    | st.sampled_from(["$D", "B_$D", "*"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["step_id", "tool_args", "for_each", "as", "over", "block", "output_label"]),
            inner,
        )
        | st.fixed_dictionaries(
            {"tool_name": st.sampled_from(["magnitude", "fetch_data", "x"]), "tool_args": inner}
        )
    ),
    max_leaves=12,
)
LAW = law(60, 3000)


def graph_with(*steps: dict[str, Any]) -> Graph[StepView]:
    return graph_of(Template.from_json(template(*steps)).walk(), KNOWN)


def made(steps: list[Made]) -> Graph[Made]:
    return Graph(steps, lambda step: step[1], lambda step: step[2])


def needed(graph: Graph[Made], step: Made) -> list[Made]:
    """The steps that give what a step reads."""
    return [
        producer for read in step[2] for label in graph.given(read) for producer in graph.producers[label]
    ]


def on_a_cycle_or_behind(graph: Graph[Made]) -> set[int]:
    """The steps that are left when those that wait for nothing are taken away, again and again."""
    left = {step[0]: {other[0] for other in needed(graph, step)} for step in graph.steps}
    while free := [number for number, waits in left.items() if not waits & left.keys()]:
        for number in free:
            del left[number]
    return set(left)


@LAW
@given(STEPS)
def test_each_step_stands_after_those_that_it_reads_from(steps: list[Made]) -> None:
    graph = made(steps)
    place = {step[0]: position for position, step in enumerate(graph.order)}
    for step in graph.order:
        assert all(place[other[0]] < place[step[0]] for other in needed(graph, step))
    assert sorted([*graph.order, *graph.cyclic]) == steps
    assert {step[0] for step in graph.cyclic} == on_a_cycle_or_behind(graph)


@LAW
@given(STEPS)
def test_steps_that_stand_in_an_order_keep_it(steps: list[Made]) -> None:
    ordered = made(steps).order
    assert made(ordered).order == ordered


@LAW
@given(STEPS)
def test_the_producers_of_a_label_are_the_steps_that_give_it(steps: list[Made]) -> None:
    graph = made(steps)
    assert {label for step in steps for label in step[1]} == set(graph.producers)
    for label, producers in graph.producers.items():
        assert {step for step in steps if label in step[1]} == set(producers)


@LAW
@given(STEPS)
def test_a_value_follows_from_the_values_of_all_steps_behind_it(steps: list[Made]) -> None:
    graph = made(steps)

    def rule(step: Made, values: Mapping[str, frozenset[int]]) -> dict[str, frozenset[int]]:
        behind = [values.get(label, frozenset()) for read in step[2] for label in graph.given(read)]
        return dict.fromkeys(step[1], frozenset({step[0]}).union(*behind))

    values = graph.propagate(rule, frozenset.union)
    assert set(values) == set(graph.producers)
    for label, producers in graph.producers.items():
        behind: set[int] = set()
        waiting = list(producers)
        while waiting:
            step = waiting.pop()
            if step[0] not in behind:
                behind.add(step[0])
                waiting += needed(graph, step)
        assert values[label] == behind


@LAW
@given(st.fixed_dictionaries({"steps": JSON}) | st.just({}))
def test_a_document_in_any_state_has_a_graph(plan: Any) -> None:
    graph = graph_of(template_in(plan).walk(), KNOWN)
    assert len(graph.order) + len(graph.cyclic) == len(graph.steps)
    assert all(label in view.outputs for label, views in graph.producers.items() for view in views)


def test_a_step_is_shown_with_what_its_tool_says_of_it() -> None:
    graph = graph_with(fetch(), magnitude(), render(panels=[["B"]]))
    get, size, draw = graph.steps
    assert (get.id, get.outputs, get.reads) == (1, ("AC_H2_MFI.BGSEc",), ())
    read = Read(("source_label",), "AC_H2_MFI.BGSEc")
    assert (size.pointer, size.outputs, size.inputs) == ("/steps/1", ("B",), {"vector": [read]})
    assert draw.labels == ("B", "B")
    assert draw.inputs == {"tables": [Read(("spec", "labels", 0), "B")]}
    assert graph.producers == {"AC_H2_MFI.BGSEc": [get], "B": [size]}


def test_a_component_and_a_star_mean_the_tables_that_are_given() -> None:
    graph = graph_with(fetch(), magnitude(), magnitude(3, label="B_$D"))
    assert graph.given("AC_H2_MFI.BGSEc.x") == ["AC_H2_MFI.BGSEc"]
    assert graph.given("B*") == ["B", "B_$D"]
    assert graph.given("B_2024.x") == ["B_$D"]
    assert graph.given("nobody") == []


def test_only_a_star_and_a_variable_mean_any_text() -> None:
    graph = graph_with(magnitude(1, label="S[1]?_$D"), magnitude(2, label="S.+"))
    assert graph.given("S[1]?_2024") == graph.given("S[1]?_2024.x") == ["S[1]?_$D"]
    assert graph.given("S1x_2024") == graph.given("S.x") == []
    assert graph.given("S*") == ["S[1]?_$D", "S.+"]


def test_a_label_that_two_steps_give_has_both() -> None:
    graph = graph_with(fetch(), magnitude(2), magnitude(3))
    assert [view.id for view in graph.producers["B"]] == [2, 3]
    found = graph.propagate(lambda view, _: {label: [view.id] for label in view.outputs}, list.__add__)
    assert found["B"] == [2, 3]
    first: dict[str, Any] = graph.propagate(lambda view, _: dict.fromkeys(view.outputs, view.id))
    assert first["B"] == 2


def test_a_cycle_is_left_out_of_the_order_with_what_needs_it() -> None:
    steps = (magnitude(1, "B", "A"), magnitude(2, "A", "B"), magnitude(3, "B", "C"), magnitude(4, "X", "Y"))
    graph = graph_with(*steps)
    assert [view.id for view in graph.order] == [4]
    assert [view.id for view in graph.cyclic] == [1, 2, 3]


def test_steps_of_blocks_stand_after_their_block() -> None:
    block = {
        "step_id": "m",
        "for_each": {"as": "$D", "over": ["P", "Q"]},
        "block": [magnitude("b", "A", "B_$D")],
    }
    [outer, inner] = graph_with(block).steps
    assert (outer.outputs, inner.outputs) == ((), ("B_$D",))
    assert inner.pointer == "/steps/0/block/0"
    assert inner.pattern("B_$D") == "B_*"


def nested(depth: int, step: dict[str, Any]) -> dict[str, Any]:
    for number in range(depth):
        step = {"step_id": f"block-{number}", "block": [step]}
    return step


def test_steps_of_blocks_stand_in_the_order_in_which_they_are_read() -> None:
    each = {"as": "$D", "over": ["P"]}
    inner = {"step_id": "b", "for_each": each, "block": [{"step_id": "c"}, {"step_id": "d"}]}
    block = [inner, {"step_id": "e"}]
    steps = list(Template.from_json(template({"step_id": "a", "block": block}, {"step_id": "f"})).walk())
    assert [step.step_id for step in steps] == ["a", "b", "c", "d", "e", "f"]
    around = (ForEach.from_json(each),)
    assert [step.maps for step in steps] == [(), around, around, around, (), ()]
    plan = {"steps": [{"step_id": "a", "block": [inner, 7, block[1]]}, None, {"step_id": "f"}]}
    assert [steps[0].path[:-1] for steps in lists_of_written_steps(plan)] == [
        ("steps",),
        ("steps", 0, "block"),
        ("steps", 0, "block", 0, "block"),
    ]
    assert [step.id for step in written_steps(plan)] == ["a", "f", "b", "e", "c", "d"]


def test_blocks_beyond_the_deepest_are_not_looked_into() -> None:
    inside, beyond = nested(LIMITS.blocks - 1, magnitude()), nested(LIMITS.blocks, magnitude())
    assert "B" in graph_with(inside).producers
    assert "B" not in graph_with(beyond).producers
    assert sum(1 for _ in lists_of_written_steps({"steps": [beyond]})) == LIMITS.blocks + 1


def view(label: str, *maps: dict[str, Any]) -> StepView:
    step = Step.from_json(magnitude(label=label), ("steps", 0), tuple(map(ForEach.from_json, maps)))
    return StepView(step, KNOWN["magnitude"])


def test_a_label_is_written_for_each_item_of_the_maps_around_it() -> None:
    context = Context(KNOWN, datetime(2024, 1, 1), {}, catalogue={"AC": Dataset({"x": 1, "y": 3})})
    outer, inner = {"as": "$D", "over": ["P", "Q"]}, {"as": "$N", "over": {"parameters_of": "AC"}}
    both = view("B-$D-$N", outer, inner)
    assert both.with_items("B-$D-$N", context) == ["B-P-x", "B-P-y", "B-Q-x", "B-Q-y"]
    assert both.with_items("B_$N", context) == ["B_x", "B_y"]
    assert both.with_items("B", context) == ["B"]
    assert both.with_items("B-$D-$N", context, most=3) is None
    days = {"as": "$DAY", "over": {"intervals": "$TIME_RANGE", "step": "1d"}}
    assert view("B_$DAY", days).with_items("B_$DAY", context) is None


def test_numbers_on_a_cycle_are_left_out() -> None:
    assert in_order([{1}, {0}, (), {2}, {0}]) == [2, 3]
