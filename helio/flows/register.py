"""Send cached runs, artifacts and the states of dead runs to the server over HTTP, without importing Prefect."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helio.errors import EngineError
from helio.flows.definition import describe, parameters_of, run_name, tags_of, version_of
from helio.flows.server import Server, ask
from helio.flows.task_runs import EVENTS, TaskRun
from helio.pictures import fit, size_of
from helio.pipelines.plan import Plan
from helio.pipelines.runs.execute import PlanResult, StepResult
from helio.pipelines.template.diagnostics import StepId

log = logging.getLogger(__name__)

QUICK = 3.0
"""Maximum seconds for one request to the server; short, because a finished run should not wait for the server."""
PATIENCE = 30.0
"""Maximum seconds for one request about a scheduled run: nobody waits, and without its end it counts as crashed."""
LARGEST_IMAGE = 1_000_000
"""Maximum bytes of a PNG that is stored in the server's database; a larger figure is stored smaller."""
BEGUN = ("PENDING", "RUNNING", "PAUSED", "CANCELLING")
"""Prefect's states of a flow run that has a process. A run in the state ``SCHEDULED`` has no process yet."""
OPEN = ("SCHEDULED", *BEGUN)
FINAL = ("COMPLETED", "FAILED", "CANCELLED", "CRASHED")


@dataclass(frozen=True)
class Picture:
    """A figure to show on the page of a run."""

    name: str
    png: bytes | None = None
    file: Path | None = None
    """Path of the page with the full figure."""
    source: Path | None = None
    """Path of the PNG."""


def register_cached(
    server: Server, plan: Plan, results: Sequence[StepResult], *, run_id: str, flow_run: str = ""
) -> str | None:
    """Show a run on the server if all its results came from the store and the server answers immediately.

    Parameters
    ----------
    server : Server
        Not started for this.
    results : sequence of StepResult
        Results of all steps of the plan.
    run_id : str
        helio's id of the run.
    flow_run : str
        The id of an existing flow run, such as a scheduled one. Default: create a new one.

    Returns
    -------
    str or None
        The flow run's id; None when the run was not registered, which is logged.
    """
    try:
        if not server.is_up(PATIENCE if flow_run else QUICK):
            log.debug("no server answers, so run %s will not appear there", run_id)
            return None
        result = PlanResult(plan, tuple(results))
        return _complete(server, result, flow_run) if flow_run else _register(server, result, run_id)
    except EngineError as error:
        log.info("run %s does not appear on the server: %s", run_id, error.message)
        return None


def publish(
    server: Server,
    flow_run_id: str,
    *,
    pipeline_id: str,
    figures: Sequence[Picture] = (),
    tables: Sequence[Mapping[str, Any]] = (),
    files: Sequence[Path] = (),
) -> bool:
    """Show the results of a run on the server: its figures, files and the digests of its tables.

    Parameters
    ----------
    flow_run_id : str
        As returned by `run_flow` or `register_cached`.
    figures : sequence of Picture
        Shown as an image when a PNG is given, otherwise as a link to the page.
    tables : sequence of mapping
        One line each: label, digest, rows, …
    files : sequence of Path
        Everything that the run wrote.

    Returns
    -------
    bool
        Whether everything was published; failures are logged.
    """
    artifacts = [figure_artifact(pipeline_id, figure) for figure in figures]
    if tables:
        lines = json.dumps([dict(table) for table in tables], default=str)
        artifacts.append(_artifact(f"{pipeline_id}-tables", "table", lines, "Tables of this run"))
    if files:
        listed = "\n".join(f"- {_link(file)}" for file in files)
        artifacts.append(_artifact(f"{pipeline_id}-files", "markdown", listed, "Files of this run"))
    try:
        for artifact in artifacts:
            server.request("/artifacts/", {**artifact, "flow_run_id": flow_run_id}, timeout=QUICK)
    except EngineError as error:
        log.info(
            "some tables and figures of flow run %s are not on the engine's pages: %s",
            flow_run_id,
            error.message,
        )
        return False
    return True


def mark_crashed(server: Server, flow_run_ids: Iterable[str]) -> tuple[str, ...]:
    """Mark flow runs whose process has died, and their unfinished tasks, as ``Crashed`` on the server.

    Parameters
    ----------
    flow_run_ids : iterable of str
        Runs without a living process. Finished runs stay as they are.

    Returns
    -------
    tuple of str
        The runs that were still open.

    Raises
    ------
    EngineError
        The server refuses the change.
    """
    ids = list(flow_run_ids)
    if not ids:
        return ()
    crashed = {
        "state": {"type": "CRASHED", "name": "Crashed", "message": "the process of the run has died"},
        "force": True,
    }
    these = {"id": {"any_": ids}}
    still_open = {"state": {"type": {"any_": list(OPEN)}}}
    tasks = server.request("/task_runs/filter", {"flow_runs": these, "task_runs": still_open})
    for task in tasks:
        server.request(f"/task_runs/{task['id']}/set_state", crashed)
    begun = {"state": {"type": {"any_": list(BEGUN)}}}
    runs = server.request("/flow_runs/filter", {"flow_runs": {**these, **begun}})
    for run in runs:
        server.request(f"/flow_runs/{run['id']}/set_state", crashed)
    return tuple(str(run["id"]) for run in runs)


def _register(server: Server, result: PlanResult, run_id: str) -> str:
    plan = result.plan
    flow = ask(server, "/flows/", {"name": plan.pipeline_id}, timeout=QUICK)
    name, message = describe(result)
    run = ask(
        server,
        "/flow_runs/",
        {
            "flow_id": flow["id"],
            "flow_version": version_of(plan.authored),
            "name": run_name(plan),
            "parameters": parameters_of(plan.authored, plan.values),
            "tags": tags_of(plan),
            "context": {"helio_run": run_id},
            "state": {"type": "COMPLETED", "name": name, "message": message},
        },
        timeout=QUICK,
    )
    # Events as Prefect's own engine sends them for task runs: all in one call, recorded together.
    ask(server, EVENTS, _events(result, run["id"]), timeout=QUICK)
    return str(run["id"])


def _complete(server: Server, result: PlanResult, flow_run: str) -> str:
    name, message = describe(result)
    for state in ({"type": "RUNNING"}, {"type": "COMPLETED", "name": name, "message": message}):
        ask(server, f"/flow_runs/{flow_run}/set_state", {"state": state, "force": True}, timeout=PATIENCE)
    ask(server, EVENTS, _events(result, flow_run), timeout=PATIENCE)
    return flow_run


def _events(result: PlanResult, flow_run_id: str) -> list[dict[str, Any]]:
    task_runs: dict[StepId, TaskRun] = {}
    events = []
    for ended in result.steps:
        step = ended.step
        task_run = TaskRun(step, flow_run_id, [task_runs[step_id] for step_id in step.depends_on])
        task_run.enter("RUNNING", "Running")  # the server does not need it: the step took no time
        task_runs[step.step_id] = task_run
        events.append(task_run.end(ended))
    return events


def figure_artifact(pipeline_id: str, figure: Picture) -> dict[str, Any]:
    """Return the artifact that shows a figure: an image if there is a small PNG, otherwise a link to its page."""
    key = f"{pipeline_id}-{figure.name}"
    words = f"Figure {figure.name}" + (f": {_link(figure.file)}" if figure.file else "")
    png = figure.png
    if png is not None and len(png) > LARGEST_IMAGE:
        width, height = size_of(png)
        png = fit(png, LARGEST_IMAGE)
        full = f", full size in {_link(figure.source)}" if figure.source else ""
        words += f" (shown smaller: the PNG has {width} × {height} pixels{full})"
    if png is not None:
        data = "data:image/png;base64," + base64.b64encode(png).decode()
        return _artifact(key, "image", data, words)
    return _artifact(key, "markdown", words, f"Figure {figure.name}")


def _artifact(key: str, kind: str, data: str, description: str) -> dict[str, Any]:
    # Prefect allows lower case letters, digits and dashes, and shows artifacts of one key as versions of each other.
    plain = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")
    return {"key": plain, "type": kind, "data": data, "description": description}


def _link(file: Path) -> str:
    # The path as text too: browsers refuse to follow a link from a served page to a file.
    return f"[{file.name}]({file.resolve().as_uri()}) `{file}`"
