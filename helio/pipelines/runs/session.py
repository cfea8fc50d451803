"""Execute a plan from request to files: take results from the store, make missing results, and record everything."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from helio import interrupts
from helio.clock import Clock
from helio.errors import Cancelled, HelioError, Refused, RequestError, Suspended
from helio.knowledge.citations import Use, citations_of
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.artefacts import (
    Artefact,
    MissingFile,
    StaticFigures,
    find_browser_of,
    write_artefacts,
)
from helio.pipelines.runs.execute import Execution, PlanResult, StepResult, execute
from helio.pipelines.runs.folder import prepare_folder, remove_empty
from helio.pipelines.runs.outcome import Run, status_with_files
from helio.pipelines.runs.provenance import document_of, provenance_of
from helio.pipelines.runs.record import documents, header, step_record, versions
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.worker_pool import Workers
from helio.pipelines.template.document import id_like
from helio.pipelines.template.files import RECORD
from helio.settings import Settings
from helio.sources.archives import Archives, absolute_archive, archives_of, is_folder
from helio.sources.cdf import CdfReader
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.store.files import json_bytes, write_whole
from helio.store.runs import RunRecord, Runs
from helio.store.store import Store

log = logging.getLogger(__name__)

LISTED_FOR = 30.0
"""Seconds for which several runs that use the same processes use one list of the files in a folder."""

Started = Callable[[PlannedStep], None]
Finished = Callable[[StepResult], None]


class FinishedTogether(Protocol):
    """Function that receives the results of steps that finished at the same moment."""

    def __call__(self, *results: StepResult) -> None:
        """Receive the results in the order of the plan."""
        ...


class Engine(Protocol):
    """Program that executes the steps whose results are not in the store."""

    @property
    def name(self) -> str:
        """Name of the engine, as it appears in run records."""
        ...

    def begin(self) -> None:
        """Start to prepare for work; do not wait until this is finished."""
        ...

    def execute(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        """Run every step of the plan."""
        ...

    def tell(self, run: Run) -> str:
        """Show a finished run to the user, with its files and digests; return its web page, if there is one."""
        ...


class Direct:
    """Engine that executes one step after another in this process, without a server."""

    name = "direct"

    def begin(self) -> None:
        """Do nothing: this engine needs no preparation."""

    def execute(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        """Run every step of the plan, one after another."""
        del run_id
        return execute(execution, started=started, finished=finished).steps

    def tell(self, run: Run) -> str:
        """Return None, because this engine has no web page for the run."""
        return ""


@dataclass(frozen=True)
class Processes:
    """Processes that do the work of runs, each started when it is first needed; runs may use them one after another.

    Parameters
    ----------
    reader : CdfReader
        Reader of the files of archives.
    workers : Workers
        Processes for computations.
    static : StaticFigures
        Browser for static figures.
    """

    reader: CdfReader
    workers: Workers
    static: StaticFigures
    _folders: dict[str, tuple[float, Archives]] = field(default_factory=dict, repr=False)

    def archives(self, request: RunRequest, settings: Settings) -> Archives:
        """Return the archives of a run; list the files of a folder only now and then.

        To list ten years of daily files takes longer than to draw one of the days.
        """
        archive, access = request.archive, request.access
        if not is_folder(archive) or access.cited:
            return archives_of(settings, self.reader, archive, access)
        listed_at, archives = self._folders.get(archive, (-LISTED_FOR, None))
        now = settings.clock.monotonic()
        if archives is None or now - listed_at >= LISTED_FOR:
            archives = archives_of(settings, self.reader, archive, access)
            self._folders[archive] = now, archives
        return archives


@contextmanager
def open_processes(settings: Settings) -> Iterator[Processes]:
    """Open the processes of one or several runs, and end them."""
    with (
        CdfReader() as reader,
        Workers(
            settings.workers,
            time_limit=settings.step_seconds,
            memory_limit=settings.worker_memory,
            sandbox=settings.sandbox,
        ) as workers,
        StaticFigures(partial(find_browser_of, settings)) as static,
    ):
        yield Processes(reader, workers, static)


@dataclass(frozen=True)
class RunSession:
    """Resources of one run.

    Parameters
    ----------
    execution : Execution
        Execution of the requested plan.
    processes : Processes
        Processes that do its work.
    """

    request: RunRequest
    execution: Execution
    processes: Processes

    def refuse_unplanned_files(self) -> None:
        """Refuse a run whose fetches would use other files than the saved plan names.

        Raises
        ------
        Refused
        """
        if self.request.files and not _same_files(self.execution, self.request.files):
            raise Refused(
                "the archive's files differ from those of the saved plan", advice="run `helio plan` again"
            )

    def results(
        self, engine: Engine, record: RunRecord, started: Started, finished: FinishedTogether
    ) -> tuple[PlanResult, str]:
        """Return every result, from the store or made by the engine, and the name of the engine that was used."""
        plan, results = self.request.plan, self.execution.in_store()
        if results is None:
            record.make_durable()
            engine.begin()
            self.processes.reader.start()
            self.processes.workers.start(
                code=any(signatures()[step.tool_name].runs_code for step in plan.steps)
            )
            import_module("helio.store.ipc")  # imports pyarrow while the child processes start
            return PlanResult(plan, engine.execute(self.execution, record.id, started, finished)), engine.name
        finished(*results)
        return PlanResult(plan, results), "none"


@contextmanager
def open_session(
    request: RunRequest, settings: Settings, processes: Processes | None = None
) -> Iterator[RunSession]:
    """Open the archives of a run, and close them and all other resources when the run ends.

    Parameters
    ----------
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes.

    Raises
    ------
    RequestError
        A folder does not exist, or a step names an unknown provider.
    """
    with open_processes(settings) if processes is None else nullcontext(processes) as opened:
        archives = opened.archives(request, settings)
        _open_archives(request.plan, archives)
        execution = Execution(request.plan, Store(settings.store), archives, opened.workers, settings.clock)
        yield RunSession(request, execution, opened)


def run_plan(
    request: RunRequest,
    *,
    settings: Settings,
    engine: Engine,
    started: Started = lambda step: None,
    finished: Finished = lambda result: None,
    processes: Processes | None = None,
) -> Run:
    """Execute a plan, and write its files and its record.

    Parameters
    ----------
    started, finished : callable
        Called with each step before it runs, and with its result.
    processes : Processes, optional
        Processes to use and to leave open. Default: own processes.

    Raises
    ------
    Refused
        The archive has other files than the saved plan names.
    LockMismatch
        The run would use other data than its lock; only fetches have run.
    OutputError
        The folder or the store cannot be written.
    EngineError, Cancelled
        Raised by the engine; finished steps are in the store.
    """
    plan, named = request.plan, absolute_archive(request.archive)
    run_id = new_run_id(plan.pipeline_id, settings.runs, settings.clock)
    with open_session(request, settings, processes) as session:
        session.refuse_unplanned_files()
        if request.lock is not None:
            from helio.pipelines.runs.locking import hold_to_lock

            hold_to_lock(request, request.lock, session.execution)
        # only now: a refused run must not remove files of an earlier run
        folder = request.folder(run_id)
        if folder is not None:
            prepare_folder(folder, plan.pipeline_id)
        begun = {"started_at": _instant(settings.clock), "command": sys.argv} | versions()
        begun |= {"self_contained": True} if request.self_contained else {}
        record = Runs(settings.runs).begin(header(run_id, plan, named) | begun, documents(plan))

        def ended(*results: StepResult) -> None:
            record.step(*map(step_record, results))
            for result in results:
                finished(result)

        log.info("run %s of %s, archive %s", run_id, plan.pipeline_id, request.archive or "as in the steps")
        with _closed_when_it_fails(record, folder, settings.clock):
            result, used = session.results(engine, record, started, ended)
            log.info("run %s: %s, by %s", run_id, result.status, used)
            artefacts, missing = _write_files(session, result, folder, settings.home)
            run = Run(
                id=run_id,
                status=status_with_files(result, missing),
                folder=folder,
                result=result,
                execution=session.execution,
                artefacts=tuple(artefacts),
                unwritten=tuple(absent.error for absent in missing),
                engine=used,
                archive=named,
                citations=tuple(
                    cited.to_json() for cited in citations_of(_uses(result.steps), settings.home)
                ),
            )
            facts = run.ending()
            if folder is not None:
                write_whole(folder / RECORD, json_bytes(run.record(), default=str))
        record.finish(run.status, facts.pop("artefacts"), finished_at=_instant(settings.clock), facts=facts)
    return replace(run, page=engine.tell(run))


def _write_files(
    session: RunSession, result: PlanResult, folder: Path | None, home: Path
) -> tuple[list[Artefact], list[MissingFile]]:
    """Write the files of a run if it has a folder; return the files written and those that could not be written."""
    if folder is None:
        return [], []
    request = session.request

    def document(figure: StepResult, digest: str) -> bytes:
        return document_of(
            provenance_of(
                result,
                figure,
                archive=request.archive if request.named_archive is None else request.named_archive,
                home=home,
                digest=digest,
                template=request.figures.get(str(figure.step.step_id)),
            )
        )

    return write_artefacts(
        result,
        session.execution,
        folder,
        request.formats,
        session.processes.static,
        document,
        shared=request.output is None,
        self_contained=request.self_contained,
    )


@contextmanager
def _closed_when_it_fails(record: RunRecord, folder: Path | None, clock: Clock) -> Iterator[None]:
    """Close the record of a run that is cancelled or fails, and remove its output folder if the folder is empty.

    Raises
    ------
    Cancelled
        Instead of the exception from a signal.
    """

    def finish_cancelled(facts: Mapping[str, str] | None = None) -> None:
        record.finish("cancelled", finished_at=_instant(clock), facts=facts)

    ended_in_order = interrupts.before_the_end(finish_cancelled)
    try:
        yield
    except (Cancelled, KeyboardInterrupt) as error:
        reason = {"error": str(error)} if isinstance(error, Suspended) else None
        finish_cancelled(reason)
        ended_in_order()
        remove_empty(folder)
        if reason:
            raise
        raise Cancelled(
            "cancelled", advice="run the same command again to continue; finished steps are kept"
        ) from error
    except HelioError as error:
        if interrupts.asked():
            finish_cancelled()
        else:
            facts = {"error": str(error), "error_kind": type(error).__name__}
            record.finish("failed", finished_at=_instant(clock), facts=facts)
        ended_in_order()
        remove_empty(folder)
        raise
    ended_in_order()


def _instant(clock: Clock) -> str:
    return clock.utc().replace(tzinfo=UTC).isoformat()


def _same_files(execution: Execution, files: Mapping[str, Any]) -> bool:
    """Return whether the fetches of a run would read the files that its saved plan names."""
    present = json.loads(json.dumps(execution.files()))
    return all(present.get(step_id) == choices for step_id, choices in files.items())


def _open_archives(plan: Plan, archives: Archives) -> None:
    """Open the archives of a run; refuse a missing folder or an unknown provider before the run makes anything.

    Raises
    ------
    RequestError
    """
    archives.open_named()
    for step in plan.steps:
        if signatures()[step.tool_name].gives == "tables":
            for choice in choices_of(step.args):
                try:
                    archives.choose(choice.provider)
                except RequestError as error:
                    error.located(f"{plan.pipeline_id}#/steps/{step.step_id}/tool_args/provider")
                    raise


def _uses(steps: Iterable[StepResult]) -> list[Use]:
    """List the files that the fetches of a run will read."""
    return [
        Use(source, tuple(output.recipe["range"]), output.made_at)
        for step in steps
        for output in step.outputs
        if "range" in output.recipe
        for source in output.sources
    ]


def new_run_id(pipeline_id: str, runs: Path, clock: Clock) -> str:
    """Make the id of a new run from the pipeline, the time and four random digits; no run in the folder has it."""
    while True:
        stamp = clock.utc().strftime("%Y%m%dT%H%M%SZ")
        run_id = f"{id_like(pipeline_id)}-{stamp}-{os.urandom(2).hex()}"
        if not (runs / run_id).exists():
            return run_id
