"""Write the parts of a run's record: header, steps, files and versions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from helio import __version__
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.artefacts import Artefact
from helio.pipelines.runs.execute import PlanResult, StepResult
from helio.pipelines.runs.intervals import PICTURES
from helio.store.rules import rule_numbers

_PACKAGES = (
    "numpy", "scipy", "pandas", "pyarrow", "xarray", "bottleneck", "PyWavelets", "pint",
    "cdflib", "netCDF4", "plotly", "kaleido",
)  # fmt: skip


@cache
def environment() -> dict[str, str]:
    """Return the versions of helio, Python, the platform and all packages on which a result depends."""
    installed = _installed()
    return {
        "helio": __version__,
        "python": platform.python_version(),
        "platform": _platform(),
        **{name: installed[name.lower()] for name in _PACKAGES if name.lower() in installed},
    }


def _platform() -> str:
    """Return the system, its release, the machine and the C library as `platform.platform` writes them.

    On Linux, `platform.platform` starts the program ``uname`` for the processor, whose name is that of the machine.
    """
    if sys.platform != "linux":
        return platform.platform()
    parts = (platform.system(), platform.release(), platform.machine(), "with", "".join(platform.libc_ver()))
    return "-".join(filter(None, parts))


def _installed() -> dict[str, str]:
    """Return the versions of the installed packages, from the names of their folders: ``numpy-2.4.1.dist-info``.

    `importlib.metadata` finds the same, but importing it and reading the metadata takes longer than a cached run.
    """
    versions: dict[str, str] = {}
    for folder in sys.path:
        with suppress(OSError):  # an archive, or a folder that does not exist
            for entry in os.listdir(folder or "."):
                if entry.endswith((".dist-info", ".egg-info")):
                    name, _, rest = entry.rpartition(".")[0].partition("-")
                    versions.setdefault(name.lower(), rest.partition("-")[0])
    return versions


def step_record(result: StepResult) -> dict[str, Any]:
    """Write one step for the record of a run."""
    error = result.error
    return {
        "step_id": result.step.step_id,
        "tool_name": result.step.tool_name,
        "tool_version": result.step.tool_version,
        "state": result.state,
        "critical": result.step.critical,
        **_not_measured(result.step),
        "reason": result.reason,
        "without": list(result.without),
        "error": None
        if error is None
        else {
            "kind": type(error).__name__,
            "message": error.message,
            "place": error.place,
            "advice": error.advice,
        },
        "attempts": [dict(attempt) for attempt in result.attempts],
        **({"tries": result.tries} if result.tries > 1 else {}),
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
                "sources": [dict(vars(source)) for source in output.sources],
            }
            for output in result.outputs
        ],
        **({"sought": list(result.sought)} if result.sought else {}),
        "seconds": round(result.seconds, 6),
    }


def missing_record(result: PlanResult) -> list[dict[str, Any]]:
    """Describe the failed items without which a run continued, for the run's record."""
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


def event_records(steps: Iterable[StepResult], artefacts: Sequence[Artefact]) -> list[dict[str, Any]]:
    """List the events that the steps reported, each with its step, its table and the figure of the run."""
    drawn = [artefact for artefact in artefacts if artefact.kind in PICTURES]
    best = min(drawn, key=lambda artefact: PICTURES.index(artefact.kind), default=None)
    figure = "" if best is None else str(best.path.absolute())
    return [
        {"step_id": result.step.step_id, "label": output.label, **event, "figure": figure}
        for result in steps
        for output in result.outputs
        for event in output.facts.get("events", ())
    ]


def artefact_record(artefact: Artefact, plan: Plan) -> dict[str, Any]:
    """Describe one written file for the record of a run."""
    step = next((step for step in plan.steps if step.step_id == artefact.step_id), None)
    return {
        "file": str(artefact.path.absolute()),
        "step_id": artefact.step_id,
        "kind": artefact.kind,
        "sha256": artefact.sha256,
        **({} if step is None else _not_measured(step)),
    }


def _not_measured(step: PlannedStep) -> dict[str, list[Any]]:
    """List the tables used by a step with numbers that the author of the template wrote, or may have written.

    Documents from which such numbers were read are listed too.
    """
    labels_by_kind: dict[str, list[Any]] = {
        "not_measured": list(step.not_measured),
        "maybe_not_measured": list(step.maybe_not_measured),
        "documents": [
            document
            for number, document in enumerate(step.documents)
            if document not in step.documents[:number]
        ],
    }
    return {key: labels for key, labels in labels_by_kind.items() if labels}


def header(run_id: str, planned: Plan, archive: str) -> dict[str, Any]:
    """Write the first part of a run's record: pipeline, values, time of the run and archive."""
    return {
        "id": run_id,
        "pipeline": planned.pipeline_id,
        "template_digest": planned.template_digest,
        "archive": archive,
        "now": planned.now.isoformat(),
        "values": dict(planned.values),
    }


def versions() -> dict[str, Any]:
    """Return the versions that a run used: versions of packages, and versions of helio's own rules."""
    return {"environment": environment(), "rules": rule_numbers()}


def documents(planned: Plan) -> dict[str, Any]:
    """Return a run's template in three forms (as written, after the passes, as the executed plan), and all edits."""
    return {
        "authored": planned.authored,
        "normalised": planned.normalised,
        "plan": planned.document,
        "edits": [edit.to_json() for edit in planned.edits],
    }
