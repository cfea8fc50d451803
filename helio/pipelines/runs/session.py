"""One run from its request to its files: take what the store has, have the rest made, and record all of it."""

from __future__ import annotations

import json
import logging
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from helio import interrupts
from helio.errors import Cancelled, HelioError, Refused, RequestError, Suspended
from helio.knowledge.citations import Use, citations_of
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.artefacts import Artefact, Missing, find_browser_of, write_artefacts
from helio.pipelines.runs.execute import Execution, PlanResult, StepResult, execute
from helio.pipelines.runs.folder import prepare_folder, remove_empty
from helio.pipelines.runs.locking import hold_to_lock
from helio.pipelines.runs.outcome import Run, status_with_files
from helio.pipelines.runs.record import documents, header, step_record, versions
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.workers import Workers
from helio.pipelines.template.document import id_like
from helio.pipelines.template.files import RECORD
from helio.settings import Settings
from helio.sources.archives import Archives, absolute_archive, archives_of
from helio.sources.cdf import CdfReader
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.store.files import json_bytes, write_whole
from helio.store.runs import RunRecord, Runs
from helio.store.store import Store

log = logging.getLogger(__name__)

Started = Callable[[PlannedStep], None]
Finished = Callable[[StepResult], None]


class Engine(Protocol):
    """Who executes what the store has not."""

    @property
    def name(self) -> str:
        """How records name it."""
        ...

    def begin(self) -> None:
        """There is work to do: get ready, and do not wait."""
        ...

    def execute(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        """Run every step of the execution's plan."""
        ...

    def tell(self, run: Run) -> str:
        """Show a finished run, its files and digests, to the user, and return the page that shows it."""
        ...


class Direct:
    """Executes in this process, one step after another, and tells nobody."""

    name = "direct"

    def begin(self) -> None:
        """Nothing to get ready."""

    def execute(
        self, execution: Execution, run_id: str, started: Started, finished: Finished
    ) -> tuple[StepResult, ...]:
        """Run every step of the execution's plan."""
        del run_id
        return execute(execution, started=started, finished=finished).steps

    def tell(self, run: Run) -> str:
        """Nobody watches."""
        return ""


@dataclass(frozen=True)
class RunSession:
    """What one run works with while it lasts; nothing is started before there is work.

    Parameters
    ----------
    execution : Execution
        Of the plan that was asked for.
    reader : CdfReader
        Reads the files of its archives.
    workers : Workers
        Where its computations run.
    """

    request: RunRequest
    execution: Execution
    reader: CdfReader
    workers: Workers

    def refuse_unplanned_files(self) -> None:
        """Refuse a run whose fetches would be made from other files than its saved plan names.

        Raises
        ------
        Refused
        """
        if self.request.files and not _same_files(self.execution, self.request.files):
            raise Refused(
                "the files of the archive are not those of the saved plan", advice="helio plan, again"
            )

    def results(
        self, engine: Engine, run_id: str, started: Started, finished: Finished
    ) -> tuple[PlanResult, str]:
        """Take every result from the store, or have the engine make what is missing; with the name of what ran."""
        plan, found = self.request.plan, self.execution.in_store()
        if found is None:
            engine.begin()
            self.reader.start()
            self.workers.start(code=any(signatures()[step.tool_name].runs_code for step in plan.steps))
            import_module("helio.store.ipc")  # pyarrow, while the children start
            return PlanResult(plan, engine.execute(self.execution, run_id, started, finished)), engine.name
        for result in found:
            finished(result)
        return PlanResult(plan, found), "none"


@contextmanager
def open_session(request: RunRequest, settings: Settings) -> Iterator[RunSession]:
    """Open the archives of a run, and close all that it works with at its end.

    Raises
    ------
    RequestError
        A folder is not there, or no provider has a name that a step gives.
    """
    with (
        CdfReader() as reader,
        Workers(
            settings.workers,
            time_limit=settings.step_seconds,
            memory_limit=settings.worker_memory,
            sandbox=settings.sandbox,
        ) as workers,
    ):
        archives = archives_of(settings, reader, request.archive, request.access)
        _open_archives(request.plan, archives)
        execution = Execution(request.plan, Store(settings.store), archives, workers)
        yield RunSession(request, execution, reader, workers)


def run_plan(
    request: RunRequest,
    *,
    settings: Settings,
    engine: Engine,
    started: Started = lambda step: None,
    finished: Finished = lambda result: None,
) -> Run:
    """Execute a plan, write its files and keep its record.

    Parameters
    ----------
    started, finished : callable
        Called with each step before it runs, and with what came of it.

    Raises
    ------
    Refused
        The archive has other files than the saved plan names.
    LockMismatch
        The run would use something else than its lock says; none of its other steps has run.
    OutputError
        The folder or the store cannot be written.
    EngineError, Cancelled
        As the engine says; what is finished is in the store.
    """
    plan, named = request.plan, absolute_archive(request.archive)
    run_id = _new_run_id(plan.pipeline_id)
    with open_session(request, settings) as session:
        session.refuse_unplanned_files()
        if request.lock is not None:
            hold_to_lock(request, request.lock, session.execution)
        # only now: a run that is refused takes nothing away that an earlier one wrote there
        folder = request.folder(run_id)
        if folder is not None:
            prepare_folder(folder)
        begun = {"started_at": _instant(), "command": sys.argv} | versions()
        record = Runs(settings.runs).begin(header(run_id, plan, named) | begun, documents(plan))

        def ended(result: StepResult) -> None:
            record.step(step_record(result))
            finished(result)

        log.info("run %s of %s, archive %s", run_id, plan.pipeline_id, request.archive or "as the steps say")
        with _closed_when_it_fails(record, folder):
            result, used = session.results(engine, run_id, started, ended)
            log.info("run %s: %s, by %s", run_id, result.status, used)
            artefacts, missing = _write_files(session, result, folder, settings)
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
            facts = run.record()
        record.finish(
            run.status,
            facts["artefacts"],
            finished_at=_instant(),
            facts={name: facts[name] for name in ("engine", "missing", "citations", "unwritten")},
        )
    if folder is not None:
        write_whole(folder / RECORD, json_bytes(facts, default=str))
    return replace(run, page=engine.tell(run))


def _write_files(
    session: RunSession, result: PlanResult, folder: Path | None, settings: Settings
) -> tuple[list[Artefact], list[Missing]]:
    """Write the files of a run, if it has a folder; those that were written, and those that could not be."""
    if folder is None:
        return [], []
    browser = partial(find_browser_of, settings)
    return write_artefacts(result, session.execution, folder, session.request.formats, browser)


@contextmanager
def _closed_when_it_fails(record: RunRecord, folder: Path | None) -> Iterator[None]:
    """Close the record of a run that is cancelled or fails, and take back its folder where nothing was written.

    Raises
    ------
    Cancelled
        In place of what a signal raised.
    """

    def finish_cancelled(facts: Mapping[str, str] | None = None) -> None:
        record.finish("cancelled", finished_at=_instant(), facts=facts)

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
        raise Cancelled("cancelled", advice="the same command goes on from what is finished") from error
    except HelioError as error:
        if interrupts.asked():
            finish_cancelled()
        else:
            record.finish("failed", finished_at=_instant(), facts={"error": str(error)})
        ended_in_order()
        remove_empty(folder)
        raise
    ended_in_order()


def _instant() -> str:
    return datetime.now(UTC).isoformat()


def _same_files(execution: Execution, files: Mapping[str, Any]) -> bool:
    """Whether the fetches would read the files that a saved plan names for them."""
    found = json.loads(json.dumps(execution.files()))
    return all(found.get(step_id) == choices for step_id, choices in files.items())


def _open_archives(plan: Plan, archives: Archives) -> None:
    """Refuse a folder that is missing, or a provider that no source has, before anything is made.

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
    """The files that the fetches of a run read."""
    return [
        Use(source, tuple(output.recipe["range"]), output.made_at)
        for step in steps
        for output in step.outputs
        if "range" in output.recipe
        for source in output.sources
    ]


def _new_run_id(pipeline_id: str) -> str:
    """A new run's id: the pipeline, the time and four random digits."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{id_like(pipeline_id)}-{stamp}-{secrets.token_hex(2)}"
