"""Executes planned steps: one by its tool, a plan one after another. Knows no engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import HelioError, StepError
from helio.pipelines.diagnostics import StepId
from helio.pipelines.plan import Plan, PlannedStep
from helio.sources.provider import Providers
from helio.steps import load_tool
from helio.steps.signature import signatures
from helio.store.table import Table
from helio.time_range import Duration, parse_time_range

if TYPE_CHECKING:
    from helio.steps.fetch.fetch_data import Attempt
    from helio.steps.render.figure import Figure
    from helio.steps.save_data import Export

State = Literal["completed", "cached", "failed", "skipped"]
DONE: tuple[State, ...] = ("completed", "cached")
Status = Literal["success", "partial", "failed"]


@dataclass(frozen=True)
class StepResult:
    """What came of one planned step."""

    step: PlannedStep
    state: State
    tables: Mapping[str, Table] = field(default_factory=dict)
    artefact: Figure | Export | None = None
    attempts: tuple[Attempt, ...] = ()
    error: HelioError | None = None
    reason: str = ""
    """Why the step was skipped."""
    seconds: float = 0.0


@dataclass(frozen=True)
class PlanResult:
    """What came of a whole plan."""

    plan: Plan
    steps: tuple[StepResult, ...]

    @property
    def status(self) -> Status:
        """``failed`` when a critical step is not done, or nothing is; ``partial`` when another one is not."""
        undone = [one for one in self.steps if one.state not in DONE]
        if len(undone) == len(self.steps) or any(one.step.critical for one in undone):
            return "failed"
        return "partial" if undone else "success"

    @property
    def tables(self) -> dict[str, Table]:
        """Every table, by label."""
        return {label: table for one in self.steps for label, table in one.tables.items()}


def execute(
    plan: Plan,
    providers: Providers,
    *,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> PlanResult:
    """Run a plan's steps one after another.

    A step that fails or is skipped blocks all that depend on it, directly or not; everything else still runs.
    """
    results: dict[StepId, StepResult] = {}
    tables: dict[str, Table] = {}
    for step in plan.steps:
        reason = blocked_by(step, results)
        if reason:
            result = StepResult(step, "skipped", reason=reason)
        else:
            started(step)
            result = execute_step(step, plan, tables, providers)
        results[step.step_id] = result
        tables.update(result.tables)
        finished(result)
    return PlanResult(plan, tuple(results.values()))


def blocked_by(step: PlannedStep, results: Mapping[StepId, StepResult]) -> str:
    """Why a step cannot run, given the results of all that it depends on; empty when it can."""
    for one in step.depends_on:
        if results[one].state not in DONE:
            return f"step {one} {'failed' if results[one].state == 'failed' else 'was skipped'}"
    return ""


def execute_step(
    step: PlannedStep, plan: Plan, tables: Mapping[str, Table], providers: Providers
) -> StepResult:
    """Run one planned step on the tables made so far.

    An error that helio knows ends the step as failed, with its place named; any other one is a bug and is raised.
    """
    begun = time.perf_counter()
    try:
        outcome = _call(step, plan, tables, providers)
    except HelioError as error:
        place = f"{plan.pipeline_id}#/steps/{step.step_id}"
        return StepResult(step, "failed", error=error.located(place), seconds=time.perf_counter() - begun)
    seconds = time.perf_counter() - begun
    gives = signatures()[step.tool_name].gives
    if gives == "table":
        return StepResult(step, "completed", {step.produces[0]: outcome}, seconds=seconds)
    if gives == "tables":
        return StepResult(step, "completed", outcome.tables, attempts=outcome.attempts, seconds=seconds)
    return StepResult(step, "completed", artefact=outcome, seconds=seconds)


def _call(step: PlannedStep, plan: Plan, tables: Mapping[str, Table], providers: Providers) -> Any:
    owners, now = plan.owners, plan.now
    signature = signatures()[step.tool_name]
    positional: list[Any] = [providers] if signature.gives == "tables" else []
    for table in signature.tables:
        named = {label: _table(label, owners[label], tables) for label in step.reads[table.parameter]}
        if not table.many:
            positional += named.values()
        elif table.argument == "source_labels":
            positional.append(list(named.values()))
        else:
            positional.append(named)
    used = {table.argument for table in signature.tables} | (
        {"output_label"} if signature.gives == "table" else set()
    )
    arguments = {
        one.name: _typed(one.schema.get("format"), step.args[one.name], now)
        for one in signature.arguments
        if one.name in step.args and one.name not in used
    }
    return load_tool(step.tool_name)(*positional, **arguments)


def _typed(kind: str | None, value: Any, now: datetime) -> Any:
    if kind == "time-range":
        return parse_time_range(value, now)
    return Duration(value) if kind == "duration" else value


def _table(label: str, owner: str, tables: Mapping[str, Table]) -> Table:
    table = tables[owner]
    if label == owner:
        return table
    try:
        return table.component(label[len(owner) + 1 :])
    except StepError as error:
        raise StepError(f"{label}: {error.message}", advice=error.advice) from error
