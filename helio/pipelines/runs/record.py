"""What the record of a run says: its header, its steps, its files, and what it was made with."""

from __future__ import annotations

import platform
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from helio import __version__
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.artefacts import Artefact
from helio.pipelines.runs.execute import PlanResult, StepResult
from helio.store.rules import rule_numbers

_PACKAGES = (
    "numpy", "scipy", "pandas", "pyarrow", "xarray", "bottleneck", "PyWavelets", "pint",
    "cdflib", "netCDF4", "plotly", "kaleido",
)  # fmt: skip


@cache
def environment() -> dict[str, str]:
    """Versions of what a result depends on."""
    found = {
        "helio": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):  # a part that this installation does without
            found[name] = version(name)
    return found


def step_record(one: StepResult) -> dict[str, Any]:
    """A step as a run's record has it."""
    error = one.error
    return {
        "step_id": one.step.step_id,
        "tool_name": one.step.tool_name,
        "tool_version": one.step.tool_version,
        "state": one.state,
        "critical": one.step.critical,
        **_not_measured(one.step),
        "reason": one.reason,
        "without": list(one.without),
        "error": None
        if error is None
        else {
            "kind": type(error).__name__,
            "message": error.message,
            "place": error.place,
            "advice": error.advice,
        },
        "attempts": [dict(attempt) for attempt in one.attempts],
        "outputs": [
            {
                "label": output.label,
                "key": output.key,
                "recipe": output.recipe,
                "digest": output.digest,
                "suffix": output.suffix,
                "cached": output.cached,
                "made_at": output.made_at,
                **{name: fact for name, fact in output.facts.items() if name not in ("sources", "attempts")},
                "sources": [asdict(source) for source in output.sources],
            }
            for output in one.outputs
        ],
        "seconds": round(one.seconds, 6),
    }


def missing_record(result: PlanResult) -> list[dict[str, Any]]:
    """The items that a run went on without."""
    return [
        {
            "map": loss.item.map_id,
            "item": loss.item.name,
            "step_id": loss.step_id,
            "items": loss.items,
            "left": loss.left,
            "message": str(loss),
        }
        for loss in result.lost
    ]


def artefact_record(one: Artefact, plan: Plan) -> dict[str, Any]:
    """A file as a run's record has it."""
    step = next((step for step in plan.steps if step.step_id == one.step_id), None)
    return {
        "file": str(one.path.absolute()),
        "step_id": one.step_id,
        "kind": one.kind,
        "sha256": one.sha256,
        **({} if step is None else _not_measured(step)),
    }


def _not_measured(step: PlannedStep) -> dict[str, list[str]]:
    """The tables that a step rests on whose values the author wrote, or may have written."""
    found = {
        "not_measured": list(step.not_measured),
        "maybe_not_measured": list(step.maybe_not_measured),
    }
    return {key: labels for key, labels in found.items() if labels}


def header(run_id: str, planned: Plan, archive: str) -> dict[str, Any]:
    """The first members of a run's record: which pipeline, values, clock and archive."""
    return {
        "id": run_id,
        "pipeline": planned.pipeline_id,
        "template_digest": planned.template_digest,
        "archive": archive,
        "now": planned.now.isoformat(),
        "values": dict(planned.values),
    }


def versions() -> dict[str, Any]:
    """What a run was made with: versions of packages, and the numbers of helio's rules."""
    return {"environment": environment(), "rules": rule_numbers()}


def documents(planned: Plan) -> dict[str, Any]:
    """The template of a run in each of its forms, and the edits between them."""
    return {
        "authored": planned.authored,
        "normalised": planned.normalised,
        "plan": planned.document,
        "edits": [edit.to_json() for edit in planned.edits],
    }
