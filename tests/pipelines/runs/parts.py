"""Random templates with maps of which some items fail, and what a run of one came to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from helio.pipelines.plan import Plan, make_plan
from helio.pipelines.runs.execute import Execution, PlanResult, StepResult, execute
from helio.pipelines.runs.states import LostItem, blocked_by
from helio.pipelines.runs.worker_pool import Workers
from helio.store.store import Store
from tests.pipelines.conftest import NOW, fetch, magnitude, render, template

from .test_execute import Served

GOOD, BAD = ("GOOD", "FINE", "NICE"), ("ABSENT", "DOWN", "DAMAGED", "FILL")
POLICIES = st.sampled_from(["fail", "keep_partial", "keep_partial", "keep_partial"])
MOSTLY = st.sampled_from([True, True, True, False])

Engine = Callable[[Execution], tuple[StepResult, ...]]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """A map, plain or of a block, perhaps within a map; steps after it that read one of its items, some, or all."""
    names = draw(st.lists(st.sampled_from([*GOOD, *BAD]), min_size=1, max_size=4, unique=True))
    nested = draw(st.booleans())
    item = "$D-$P" if nested else "$D"
    items = [f"{name}-{part}" for part in "pq" for name in names] if nested else names
    args = {"dataset_id": "$D", "parameter_id": "B", "time_range": "2024-01-10", "output_label": f"B-{item}"}
    get = fetch("get", args=args, pin=["time_range"])
    inner = [get, magnitude("mag", f"B-{item}", f"M-{item}", depends_on=["get"], critical=draw(MOSTLY))]
    each = {"as": "$D", "over": names}
    step: dict[str, Any] = {"step_id": "m", "for_each": each, "on_item_error": draw(POLICIES)}
    step = {**step, "block": inner, "critical": draw(MOSTLY)}
    if nested:
        outer = {"as": "$P", "over": ["p", "q"]}
        step = {"step_id": "o", "for_each": outer, "on_item_error": draw(POLICIES), "block": [step]}
    steps = [step, fetch("other", args={"dataset_id": draw(st.sampled_from([*GOOD, "ABSENT"])),
                                        "output_label": "X"}, critical=draw(MOSTLY))]  # fmt: skip
    one = draw(st.sampled_from(items))
    some = draw(
        st.lists(st.sampled_from([f"M-{item}" for item in items]), min_size=1, max_size=3, unique=True)
    )
    join = {"source_labels": some, "names": [f"c{n}" for n in range(len(some))], "output_label": "J"}
    code = {"source_labels": some, "pandas_code": "result = df", "output_label": "J"}
    after = [
        render("all", ("M-*",), panels=[["M-*"]]),
        render("both", (*some, "X")),
        magnitude("single", f"B-{one}", "S", critical=draw(MOSTLY)),
        render("later", ("S",)),
        {"step_id": "file", "tool_name": "save_data",
         "tool_args": {"source_labels": ["M-*"], "filename": "m.csv"}},
        draw(st.sampled_from([
            {"step_id": "join", "tool_name": "join_components", "tool_args": join},
            {"step_id": "join", "tool_name": "custom_operation", "tool_args": code},
        ])),
        render("joined", ("J",)),
    ]  # fmt: skip
    chosen = draw(st.lists(st.sampled_from(after), max_size=4, unique_by=lambda step: step["step_id"]))
    needed = {"later": "single", "joined": "join"}
    ids = {step["step_id"] for step in chosen}
    steps += [
        step
        for step in after
        if step["step_id"] in ids and needed.get(step["step_id"], "all") in {*ids, "all"}
    ]
    return make_plan(template(*steps), now=NOW, archive="x")


@dataclass(frozen=True)
class Outcome:
    """All that must be the same whoever runs a plan, and whatever of it is in the store."""

    status: str
    lost: tuple[LostItem, ...]
    states: dict[Any, str]
    reasons: dict[Any, str]
    without: dict[Any, tuple[str, ...]]
    tables: dict[str, str]
    files: dict[Any, bytes]


def direct(execution: Execution) -> tuple[StepResult, ...]:
    """Run without an engine."""
    return execute(execution).steps


def outcome(plan: Plan, folder: Path, workers: Workers, engine: Engine = direct) -> Outcome:
    """Run a plan as `run_plan` does: a look into the store, then an engine."""
    execution = Execution(plan, Store(folder), Served(), workers)
    steps = execution.in_store() or engine(execution)
    result = PlanResult(plan, steps)
    return Outcome(
        result.status,
        result.lost,
        {result.step.step_id: {"cached": "completed"}.get(result.state, result.state) for result in steps},
        {result.step.step_id: result.reason for result in steps if result.state == "skipped"},
        {result.step.step_id: result.without for result in steps},
        {output.label: output.digest for step in steps for output in step.outputs if output.label},
        {
            result.step.step_id: execution.content(result.artefact)
            for result in steps
            if result.artefact is not None
        },
    )


def half_done(plan: Plan, chosen: Sequence[bool], folder: Path, workers: Workers) -> None:
    """Put the results of some steps into a store, as a run would leave them that was ended."""
    execution = Execution(plan, Store(folder), Served(), workers)
    results: dict[Any, StepResult] = {}
    for step, is_chosen in zip(plan.steps, [*chosen, *[False] * len(plan.steps)], strict=False):
        can = is_chosen and not blocked_by(step, results)
        results[step.step_id] = execution.run_step(step) if can else StepResult(step, "skipped")
