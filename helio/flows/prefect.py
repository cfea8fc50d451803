"""Use Prefect as the engine that runs a plan: start the server, run the flow, and show the results."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Self

from helio.errors import EngineError, UnknownRun
from helio.flows.again import USUAL_RETRIES
from helio.flows.register import FINAL, Picture, mark_crashed, publish, register_cached
from helio.flows.schedule import Schedule
from helio.flows.server import Server
from helio.pipelines.runs.execute import Execution, StepResult
from helio.pipelines.runs.outcome import Run
from helio.pipelines.runs.session import Finished, Started
from helio.pipelines.template.files import FORMATS
from helio.pipelines.template.retries import Retries
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.runs import RunRecord

log = logging.getLogger(__name__)

FLOW_RUNS = ".flow-runs"
"""Folder next to the run records, with a file for each run that has not ended in order; the file has the
flow run's id."""


class PrefectEngine:
    """Engine that runs the steps of a plan as a Prefect flow.

    Parameters
    ----------
    settings : Settings
    environ : mapping
        ``PREFECT_API_URL`` in it names the server; otherwise helio's own is used, and started if necessary.
    ephemeral : bool
        Whether to start a temporary server for this run, which leaves nothing behind, for batch systems.
    flow_run : str
        The id of an existing flow run, such as a scheduled one. Default: create a new one.
    usual_retries : Retries
        How often to try a step again that does not say it.
    """

    name = "prefect"

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        *,
        ephemeral: bool = False,
        flow_run: str = "",
        usual_retries: Retries = USUAL_RETRIES,
    ) -> None:
        self._settings = settings
        self._server = Server(
            settings.home, environ, idle=settings.engine_idle, keep=settings.retention.engine
        )
        self._ephemeral = ephemeral
        self._given = flow_run
        self._flow_run = ""
        self._usual_retries = usual_retries

    @classmethod
    def of_schedule(cls, schedule: Schedule, settings: Settings, *, flow_run: str = "") -> Self:
        """Return the engine for a run of a schedule, with the retries of the schedule."""
        delay = schedule.delay
        return cls(
            settings,
            settings.environ,
            flow_run=flow_run,
            usual_retries=Retries(schedule.retries, None if delay is None else delay.total_seconds()),
        )

    def begin(self) -> None:
        """Start the server if it is not running, but do not wait for it: helio prepares the run in the meantime."""
        if not self._ephemeral and not self._server.is_up():
            self._server.start()

    def execute(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        """Run every step of a plan as a task of a Prefect flow run.

        Raises
        ------
        EngineError
            The server cannot be started or reached.
        Cancelled
        """
        with self._prefect_imported():
            if self._ephemeral:
                return self._run(execution, run_id, started, finished)
            with self._server.used():
                self._server.wait()
                mark_dead_runs(self._server, self._settings, continuing=self._given)
                try:
                    return self._run(execution, run_id, started, finished)
                except EngineError as error:
                    raise self._server.database_error() or error from error

    @contextmanager
    def _prefect_imported(self) -> Iterator[None]:
        """Import Prefect in another thread during a ``with`` block, while its server starts: both take seconds."""
        from helio.flows.run import prefect_environment

        with prefect_environment(self._settings.home, self._server.url):
            # Nobody waits for it: the flow needs the same module, and Ctrl-C must end the wait for the server at once.
            module = ("helio.flows.engine",)
            threading.Thread(target=import_module, args=module, name="helio-import", daemon=True).start()
            yield

    def _run(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        from helio.flows.run import FlowRequest, run_flow

        request = FlowRequest(
            execution.plan,
            run_id,
            self._settings.home,
            api_url=None if self._ephemeral else self._server.url,
            flow_run=self._given,
            workers=self._settings.workers,
            usual_retries=self._usual_retries,
        )
        return run_flow(
            request,
            execution,
            started=started,
            finished=finished,
            recorded=lambda flow_run: self._keep(run_id, flow_run),
        )

    def tell(self, run: Run) -> str:
        """Show the figures, digests and files of a run on the server, also if no step had to be computed."""
        (self._settings.runs / FLOW_RUNS / run.id).unlink(missing_ok=True)
        # A server that does not answer is not started for this.
        if self._ephemeral or not (self._flow_run or self._given or self._server.is_up()):
            return ""
        with self._server.used():
            return self._show(run)

    def _show(self, run: Run) -> str:
        flow_run = self._flow_run
        if run.engine == "none":
            if self._server.is_outdated():
                self._server.start()  # replaces a server without a secret, though this run needs none
            steps = run.result.steps
            flow_run = (
                register_cached(self._server, run.plan, steps, run_id=run.id, flow_run=self._given) or ""
            )
        if not flow_run:
            return ""
        by_step: dict[object, dict[str, Path]] = {}
        for artefact in run.artefacts:
            by_step.setdefault(artefact.step_id, {})[artefact.kind] = artefact.path.absolute()
        figures = [
            Picture(
                str(step),
                files["png"].read_bytes() if "png" in files else None,
                files.get("html"),
                files.get("png"),
            )
            for step, files in by_step.items()
            if files.keys() & FORMATS
        ]
        tables = [
            {
                "label": output.label,
                "digest": output.digest,
                "rows": output.facts["rows"],
                "unit": output.facts["unit"],
            }
            for step in run.result.steps
            for output in step.outputs
            if output.label
        ]
        files = [artefact.path.absolute() for artefact in run.artefacts]
        pipeline = run.plan.pipeline_id
        publish(self._server, flow_run, pipeline_id=pipeline, figures=figures, tables=tables, files=files)
        if run.status != run.result.status:
            self._correct(flow_run, run.status, "; ".join(problem.message for problem in run.unwritten))
        return self._server.link(f"/runs/flow-run/{flow_run}")

    def _correct(self, flow_run: str, status: str, why: str) -> None:
        """Report to the server that files of the run are missing, which is known only after the last step."""
        kind, name = ("FAILED", "CriticalFailure") if status == "failed" else ("COMPLETED", "Partial")
        state = {"state": {"type": kind, "name": name, "message": why}, "force": True}
        try:
            shown = self._server.request(f"/flow_runs/{flow_run}")
            if shown["state_type"] not in FINAL:
                return  # a person has restarted it meanwhile
            self._server.request(f"/flow_runs/{flow_run}/set_state", state)
        except EngineError as error:
            log.info(
                "the server shows the run %s as complete, although it is incomplete: %s",
                flow_run,
                error.message,
            )

    def _keep(self, run_id: str, flow_run: str) -> None:
        self._flow_run = flow_run
        write_whole(self._settings.runs / FLOW_RUNS / run_id, flow_run.encode())


def mark_dead_runs(server: Server, settings: Settings, *, continuing: str = "") -> int:
    """Mark runs of this home folder whose process has died as ``Crashed`` on the server; return their number.

    Parameters
    ----------
    continuing : str
        The id of a flow run that this process continues, whatever happened to its earlier process.
    """
    dead: dict[Path, str] = {}
    living = {continuing}
    for path in (settings.runs / FLOW_RUNS).glob("[!.]*"):
        with suppress(FileNotFoundError):  # ended meanwhile
            flow_run = path.read_text(encoding="utf-8")
            status = _status(settings.runs / path.name)
            if status == "crashed":
                dead[path] = flow_run
            elif status == "running":
                living.add(flow_run)
            else:
                path.unlink()
    if not dead:
        return 0
    try:
        marked = mark_crashed(server, set(dead.values()) - living)
    except EngineError as error:
        log.info(
            "the processes of some runs have ended, but helio could not mark these runs as crashed on the server: %s",
            error.message,
        )
        return 0
    for path in dead:
        path.unlink(missing_ok=True)
    return len(marked)


def _status(record: Path) -> str:
    """Return the status of a run; return an empty text if the record of the run was deleted."""
    try:
        return RunRecord(record).summary().status
    except UnknownRun:
        return ""
