"""What the runner holds passes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from helio.pipelines.template.context import Context
from helio.pipelines.template.diagnostics import Diagnostic
from helio.pipelines.template.edit import Edit, added, changed
from helio.pipelines.template.runner import AuthoredPaths, RewriteResult, replay, rewrite, undo
from helio.pipelines.template.template import Template

CONTEXT = Context({}, datetime(2024, 1, 1), {})


def plan() -> dict[str, Any]:
    return {"steps": [{"step_id": 1, "tool_args": {"labels": ["B"]}}]}


def note(document: Any, context: Context) -> Iterator[Any]:
    """A pass as it should be."""
    if "note" not in document:
        yield Edit("HX000", "noted", added("/note", "x"))


def adds_in_place(document: Any, context: Context) -> list[Any]:
    document["steps"][0]["tool_args"]["labels"].append("C")
    return []


def edits_and_adds_in_place(document: Any, context: Context) -> Iterator[Any]:
    yield Edit("HX000", "title", added("/title", "x"))
    del document["steps"][0]["tool_args"]


def raises_after_adding(document: Any, context: Context) -> Iterator[Any]:
    document["steps"].append({})
    raise KeyError("x")
    yield


def finds_text(document: Any, context: Context) -> list[Any]:
    return [Edit("HX000", "title", added("/title", "x")), "done"]


def finds_nothing_at_all(document: Any, context: Context) -> Any:
    return None


def edits_what_is_no_json(document: Any, context: Context) -> list[Any]:
    return [Edit("HX000", "title", added("/title", {1, 2}))]


def says_what_for(template: Template, context: Context) -> Iterator[Any]:
    """A pass that reads types."""
    for step in template.steps:
        if not step.intent:
            yield Edit("HX000", "intent", changed(step, replace(step, intent="x")), step.step_id)


def adds_to_arguments(template: Template, context: Context) -> list[Any]:
    template.steps[0].tool_args["labels"].append("C")
    return []


def accused(found: RewriteResult) -> list[tuple[str, tuple[Any, ...]]]:
    return [(one.code, one.candidates) for one in found.diagnostics]


@pytest.mark.parametrize(
    "wrong",
    [
        adds_in_place,
        adds_to_arguments,
        edits_and_adds_in_place,
        raises_after_adding,
        finds_text,
        finds_nothing_at_all,
        edits_what_is_no_json,
    ],
)
def test_a_pass_that_breaks_its_promises_is_named_and_leaves_the_plan_alone(wrong: Any) -> None:
    authored = plan()
    found = rewrite(authored, CONTEXT, [(note, wrong)])
    assert accused(found) == [("HI002", (wrong.__name__,))]
    assert found.plan == {**plan(), "note": "x"}
    assert authored == plan()


def test_after_a_pass_that_breaks_its_promises_the_next_one_sees_the_plan_as_it_was() -> None:
    seen: list[Any] = []

    def looks(document: Any, context: Context) -> list[Any]:
        seen.append(document["steps"])
        return []

    rewrite(plan(), CONTEXT, [(adds_in_place, looks)])
    assert seen == [plan()["steps"]]


def test_a_value_that_equals_nothing_is_not_a_change() -> None:
    assert rewrite({"steps": [], "x": float("nan")}, CONTEXT, [(note,)]).diagnostics == ()


def test_a_pass_that_reads_types_sees_what_passes_before_it_made_of_the_plan() -> None:
    seen: list[Any] = []

    def looks(template: Template, context: Context) -> list[Any]:
        seen.append([(step.intent, step.tool_args) for step in template.steps])
        return []

    found = rewrite(plan(), CONTEXT, [(looks, says_what_for, looks, note, adds_to_arguments, looks)])
    assert seen == [[(intent, {"labels": ["B"]})] for intent in ("", "x", "x")]
    assert found.plan == {"steps": [{**plan()["steps"][0], "intent": "x"}], "note": "x"}
    assert replay(plan(), found.edits) == found.plan
    assert undo(found.plan, found.edits) == plan()


def test_many_diagnostics_find_their_paths_with_one_reading_of_the_template():
    read: list[object] = []

    class Step(dict[str, Any]):
        def get(self, key: str, default: Any = None) -> Any:
            read.append(self["step_id"])
            return super().get(key, default)

    authored: Any = {"steps": [Step(step_id=number) for number in range(40)]}
    ids = [
        *range(39, -1, -1),
        "7.inner",
        "7[a].b.c",
        "8.inner.x",
    ]  # moved, and of a used pipeline or of a map
    moved: Any = {"steps": [{"step_id": step_id} for step_id in ids]}
    paths = AuthoredPaths(authored)
    found = [paths.of(Diagnostic("HX000", "x", path=f"/steps/{index}/y"), moved).path for index in range(43)]
    assert found == [
        *(f"/steps/{index}/y" for index in range(39, -1, -1)),
        "/steps/7",
        "/steps/7",
        "/steps/8",
    ]
    assert read == list(range(40))
