"""One run from a plan to files: what the store has is taken, the rest is executed, and all of it is recorded."""

from __future__ import annotations

import json
import logging
import platform
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from helio import __version__
from helio.errors import (
    Cancelled,
    DamagedFile,
    ExportError,
    HelioError,
    OutputError,
    Refused,
    RequestError,
    TransientError,
)
from helio.knowledge.catalogue import open_catalogue
from helio.knowledge.citations import Citation, cite, uses_of
from helio.pipelines.artefacts import Artefact, Missing, write_artefacts
from helio.pipelines.execute import Execution, PlanResult, Status, StepResult, execute
from helio.pipelines.files import RECORD, Format
from helio.pipelines.lock import absolute_archive, hold_to_lock, lock_plan, refuse_other_files
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.saved import as_json
from helio.pipelines.workers import Workers
from helio.settings import Settings
from helio.sources.archives import Access, Archives, archives_of
from helio.sources.cdf import CdfReader
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.store.files import write_whole
from helio.store.lock import Lock
from helio.store.rules import rule_numbers
from helio.store.runs import Runs
from helio.store.source_file import Level
from helio.store.store import Store

if TYPE_CHECKING:
    from helio.steps.render.figure import Figure
    from helio.store.table import Table

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
        """Show a finished run, its files and digests, to whoever watches; the page on which they see it."""
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
class Run:
    """What came of one run.

    Parameters
    ----------
    id : str
        Its id in the store: ``helio runs show ID``.
    status : "success", "partial" or "failed"
        ``partial`` when all critical steps are done, with the files that the template states for them, and
        something else is not.
    folder : Path or None
        Where its files were written.
    unwritten : tuple of ExportError
        Files that this machine could not write; everything else was written.
    engine : str
        What ran it: ``"prefect"``, ``"direct"``, or ``"none"`` when the store had everything.
    """

    id: str
    status: str
    folder: Path | None
    result: PlanResult
    execution: Execution = field(repr=False)
    artefacts: tuple[Artefact, ...] = ()
    unwritten: tuple[ExportError, ...] = ()
    engine: str = "direct"
    page: str = ""
    """Where the run is shown, if a server shows it."""
    archive: str = ""
    """The archive named for it, by its absolute path if it is a folder."""
    citations: tuple[dict[str, Any], ...] = ()
    """How its datasets are cited, as JSON; `helio.knowledge.citations` says what each member means."""

    @property
    def plan(self) -> Plan:
        """What was executed."""
        return self.result.plan

    @property
    def tables(self) -> Mapping[str, Table]:
        """Every table, by label; each is read from the store when it is first looked at."""
        return _Tables(self.execution)

    @property
    def figures(self) -> dict[int | str, Figure]:
        """Every figure, by the id of the step that drew it."""
        from helio.steps.render.figure import Figure

        found = {one.step.step_id: one.artefact for one in self.result.steps}
        return {
            step_id: Figure(json.loads(self.execution.content(output)), tuple(output.facts["notes"]))
            for step_id, output in found.items()
            if output is not None and "filename" not in output.facts
        }

    @property
    def figure(self) -> Figure:
        """The only figure; an error when there is none or more than one."""
        figures = list(self.figures.values())
        if len(figures) != 1:
            raise RequestError(f"the run has {len(figures)} figures", advice="run.figures, by step id")
        return figures[0]

    def record(self) -> dict[str, Any]:
        """The run as JSON: plan, states, keys, digests, sources, artefacts and environment."""
        return {
            "record": "helio-run/1",
            **_header(self.id, self.plan, self.archive),
            "status": self.status,
            "engine": self.engine,
            "steps": [step_record(one) for one in self.result.steps],
            "artefacts": [_artefact_record(one) for one in self.artefacts],
            "unwritten": [error.message for error in self.unwritten],
            "citations": list(self.citations),
            "warnings": [one.to_json() for one in self.plan.warnings],
            "authored": self.plan.authored,
            "normalised": self.plan.normalised,
            "plan": self.plan.document,
            "edits": [one.to_json() for one in self.plan.edits],
            **_versions(),
        }


def run_plan(
    plan: Plan,
    *,
    settings: Settings,
    engine: Engine,
    archive: str = "",
    output: Path | None = None,
    outputs: Path | None = None,
    formats: Sequence[Format] = (),
    files: Mapping[str, Any] | None = None,
    lock: Lock | None = None,
    proof: Level | None = None,
    access: Access | None = None,
    started: Started = lambda step: None,
    finished: Finished = lambda result: None,
) -> Run:
    """Execute a plan, write its files and keep its record.

    Parameters
    ----------
    output : Path, optional
        The folder for figures, exports and ``run.json``; nothing is written there when left out.

    files : mapping, optional
        What the fetches must be made from, as `Execution.files` gave it when the plan was saved.

    lock : Lock, optional
        What the run is held to.

    proof : str, optional
        How well the bytes of its files must be proven, of a run that is held to a lock.

    access : Access, optional
        How the network may be used.

    Raises
    ------
    Refused
        The archive has other files than `files` says.
    LockMismatch
        The run would use something else than `lock` says; none of its other steps has run.
    OutputError
        The folder or the store cannot be written.
    EngineError, Cancelled
        As the engine says; what is finished is in the store.
    """
    reader = CdfReader()
    archives = archives_of(settings, reader, archive, access)
    open_archives(plan, archives)
    run_id = new_run_id(plan.pipeline_id)
    if output is None and outputs is not None:
        output = outputs / run_id
    store = Store(settings.store)
    with ExitStack() as stack:
        stack.enter_context(reader)
        workers = stack.enter_context(
            Workers(
                settings.workers,
                time_limit=settings.step_seconds,
                memory_limit=settings.worker_memory,
                sandbox=settings.sandbox,
            )
        )
        execution = Execution(plan, store, archives, workers)
        if files and not _same_files(execution, files):
            raise Refused(
                "the files of the archive are not those of the saved plan", advice="helio plan, again"
            )
        if lock is not None:
            hold_to_lock(plan, lock, execution, archives, archive=archive, proof=proof)
        # only now: a run that is refused takes nothing away that an earlier one wrote there
        folder = None if output is None else prepare_folder(output)
        named = absolute_archive(archive)
        begun = {"started_at": _instant(), "command": sys.argv} | _versions()
        record = Runs(settings.runs).begin(_header(run_id, plan, named) | begun, _documents(plan))

        def ended(result: StepResult) -> None:
            record.step(step_record(result))
            finished(result)

        log.info("run %s of %s, archive %s", run_id, plan.pipeline_id, archive or "as the steps say")
        try:
            found = execution.in_store()
            if found is None:
                engine.begin()
                reader.start()
                workers.start(code=any(signatures()[one.tool_name].runs_code for one in plan.steps))
                import_module("helio.store.ipc")  # pyarrow, while the children start
                steps, used = engine.execute(execution, run_id, started, ended), engine.name
            else:
                steps, used = found, "none"
                for one in found:
                    ended(one)
            result = PlanResult(plan, steps)
            log.info("run %s: %s, by %s", run_id, result.status, used)
            artefacts: list[Artefact] = []
            missing: list[Missing] = []
            if folder is not None:
                browser = partial(find_browser_of, settings)
                artefacts, missing = write_artefacts(result, execution, store, folder, formats, browser)
        except (Cancelled, KeyboardInterrupt) as error:
            record.finish("cancelled", finished_at=_instant())
            _remove_empty(folder)
            raise Cancelled("cancelled", advice="the same command goes on from what is finished") from error
        except HelioError as error:
            record.finish("failed", finished_at=_instant(), facts={"error": str(error)})
            _remove_empty(folder)
            raise
        status = status_with_files(result, missing)
        run = Run(
            id=run_id,
            status=status,
            folder=folder,
            result=result,
            execution=execution,
            artefacts=tuple(artefacts),
            unwritten=tuple(one.error for one in missing),
            engine=used,
            archive=named,
            citations=tuple(one.to_json() for one in citations_of(map(step_record, steps), settings.home)),
        )
        written = [_artefact_record(one) for one in artefacts]
        unwritten = [error.message for error in run.unwritten]
        facts = {"engine": used, "citations": list(run.citations), "unwritten": unwritten}
        record.finish(status, written, finished_at=_instant(), facts=facts)
    if folder is not None:
        text = json.dumps(run.record(), indent=1, ensure_ascii=False, default=str) + "\n"
        write_whole(folder / RECORD, text.encode())
    return replace(run, page=engine.tell(run))


def status_with_files(result: PlanResult, missing: Sequence[Missing]) -> Status:
    """The status of a run: a critical file that is missing counts as its step's failure, another makes it partial."""
    lost = {one.step_id for one in missing if one.file.critical}
    steps = (replace(one, state="failed") if one.step.step_id in lost else one for one in result.steps)
    status = PlanResult(result.plan, tuple(steps)).status
    return "partial" if missing and status == "success" else status


def _instant() -> str:
    return datetime.now(UTC).isoformat()


def _same_files(execution: Execution, files: Mapping[str, Any]) -> bool:
    """Whether the fetches for which a saved plan names files would be made from these."""
    found = json.loads(json.dumps(execution.files()))
    return all(found.get(step_id) == choices for step_id, choices in files.items())


def foresee(
    plan: Plan,
    *,
    settings: Settings,
    archive: str = "",
    lock: Lock | None = None,
    access: Access | None = None,
) -> dict[str, Any]:
    """A plan as `helio plan` saves it: what each step would do, and the files that it would be made from.

    When a server cannot be reached, all of it is said as far as it is known offline; ``offline`` then says why.

    Raises
    ------
    LockMismatch
        The files that the archives list are not those of the lock.
    """
    with CdfReader() as reader, Workers(1) as workers:

        def told(access: Access) -> dict[str, Any]:
            archives = archives_of(settings, reader, archive, access)
            open_archives(plan, archives)
            if lock is not None:
                refuse_other_files(plan, lock, archives, archive=archive)
            execution = Execution(plan, Store(settings.store), archives, workers)
            return as_json(plan, archive=archive, files=execution.files(), forecast=execution.forecast())

        access = replace(access or Access(), impatient=True)
        try:
            return told(access)
        except TransientError as error:
            if lock is not None:
                raise  # whether its files are those of the lock cannot be said
            return told(replace(access, offline=True, refresh=False)) | {"offline": error.message}


def make_lock(
    plan: Plan,
    *,
    settings: Settings,
    archive: str = "",
    access: Access | None = None,
    finished: Finished = lambda result: None,
) -> Lock:
    """Run a plan's fetches, so that all of its files are here, and lock them.

    Raises
    ------
    DataError
        A fetch without which the run fails cannot be done.
    """
    with CdfReader() as reader, Workers(1) as workers:
        archives = archives_of(settings, reader, archive, access)
        open_archives(plan, archives)
        execution = Execution(plan, Store(settings.store), archives, workers)
        return lock_plan(plan, execution, archives, archive=archive, finished=finished)


def open_archives(plan: Plan, archives: Archives) -> None:
    """Find out before anything is made that a folder is not there, or that nobody has the name of a provider.

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


def citations_of(steps: Iterable[Mapping[str, Any]], home: Path) -> tuple[Citation, ...]:
    """How the datasets of a record's steps are cited."""
    uses = uses_of(steps)
    try:
        catalogue = open_catalogue(home) if uses else None
    except DamagedFile as error:  # the files say most of it themselves
        log.warning("the catalogue cannot be read, and citations do without: %s", error.message)
        catalogue = None
    return cite(uses, catalogue)


def new_run_id(pipeline_id: str) -> str:
    """A new run's id: the pipeline, the time and four random digits."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{pipeline_id}-{stamp}-{secrets.token_hex(2)}"


def prepare_folder(folder: Path) -> Path:
    """Make an output folder, or find out that it cannot be one before anything has run.

    Files that an earlier run wrote there, by its own record, are removed: what is found afterwards is this run's.
    """
    probe = folder / f".probe-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        for name in _files_of_earlier_run(folder):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder {folder} cannot be written: {error.strerror or error}",
            advice="another --output",
        ) from error
    return folder


def _remove_empty(folder: Path | None) -> None:
    """Take back a folder in which nothing was written."""
    if folder is not None:
        with suppress(OSError):  # something stands in it, or it is gone already
            folder.rmdir()


def _files_of_earlier_run(folder: Path) -> set[str]:
    try:
        earlier = json.loads((folder / RECORD).read_bytes())
        return {RECORD, *(Path(one["file"]).name for one in earlier["artefacts"])}
    except (OSError, ValueError, KeyError, TypeError):
        return set()  # no record of ours, so nothing that is known to be ours


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
        "reason": one.reason,
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


def _artefact_record(one: Artefact) -> dict[str, Any]:
    return {"file": str(one.path.absolute()), "step_id": one.step_id, "kind": one.kind, "sha256": one.sha256}


def _header(run_id: str, planned: Plan, archive: str) -> dict[str, Any]:
    return {
        "id": run_id,
        "pipeline": planned.pipeline_id,
        "template_digest": planned.template_digest,
        "archive": archive,
        "now": planned.now.isoformat(),
        "values": dict(planned.values),
    }


def _versions() -> dict[str, Any]:
    return {"environment": environment(), "rules": rule_numbers()}


def _documents(planned: Plan) -> dict[str, Any]:
    return {
        "authored": planned.authored,
        "normalised": planned.normalised,
        "plan": planned.document,
        "edits": [one.to_json() for one in planned.edits],
    }


def find_browser_of(settings: Settings) -> Path | None:
    """The Chromium that these settings name, or one on the path.

    Raises
    ------
    ExportError
        The one that is named is not there.
    """
    from helio.steps.render.export import find_browser

    return find_browser({"BROWSER_PATH": settings.browser, "PATH": settings.path})


class _Tables(Mapping[str, "Table"]):
    """The tables of a run, read from the store one at a time."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def __getitem__(self, label: str) -> Table:
        if label not in self._execution.labels:
            raise KeyError(label)
        return self._execution.table(label)

    def __iter__(self) -> Iterator[str]:
        return iter(self._execution.labels)

    def __len__(self) -> int:
        return len(self._execution.labels)
