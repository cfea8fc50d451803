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
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from helio import __version__, interrupts
from helio.errors import (
    Cancelled,
    DamagedFile,
    DamagedRecord,
    ExportError,
    HelioError,
    OutputError,
    Refused,
    RequestError,
    Suspended,
    TransientError,
    UnknownResult,
    did_you_mean,
)
from helio.knowledge.catalogue import open_catalogue
from helio.knowledge.citations import Citation, Use, cite
from helio.pipelines.artefacts import Artefact, Missing, write_artefacts
from helio.pipelines.earlier_runs import runs_with
from helio.pipelines.execute import Execution, PlanResult, StepResult, execute
from helio.pipelines.files import RECORD, Format
from helio.pipelines.lock import absolute_archive, hold_to_lock, lock_plan, refuse_other_files
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.saved import as_json
from helio.pipelines.states import DONE, Status
from helio.pipelines.template import id_like, shortened
from helio.pipelines.workers import Workers
from helio.settings import Settings
from helio.sources.archives import Access, Archives, archives_of
from helio.sources.cdf import CdfReader
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.store.files import json_bytes, write_whole
from helio.store.lock import Lock
from helio.store.records import read_record
from helio.store.rules import rule_numbers
from helio.store.runs import LARGEST, Runs, WrittenFiles
from helio.store.source_file import Level
from helio.store.store import Store

if TYPE_CHECKING:
    from helio.steps.render.figure import Figure
    from helio.store.table import Table

log = logging.getLogger(__name__)

Name = TypeVar("Name", bound=int | str)
Value = TypeVar("Value", covariant=True)
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
        """Every table, by label; each is read from the store when it is looked at.

        Raises
        ------
        UnknownResult
            When a label is asked for that the run made no table of.
        """
        return Results("table", self.execution.labels, self.execution.table, self._why_missing)

    @property
    def figures(self) -> Mapping[int | str, Figure]:
        """Every figure, by the id of the step that drew it.

        Raises
        ------
        UnknownResult
            When a step is asked for that drew no figure.
        """
        from helio.steps.render.figure import Figure

        drawn = {
            result.step.step_id: result.artefact
            for result in self.result.steps
            if result.artefact is not None and "filename" not in result.artefact.facts
        }

        def read(step_id: int | str) -> Figure:
            output = drawn[step_id]
            return Figure(json.loads(self.execution.content(output)), tuple(output.facts["notes"]))

        return Results("figure", tuple(drawn), read, self._why_missing)

    @property
    def figure(self) -> Figure:
        """The only figure.

        Raises
        ------
        RequestError
            There is none, or more than one.
        """
        figures = self.figures
        if len(figures) == 1:
            return next(iter(figures.values()))
        if figures:
            advice = "run.figures[…]: " + ", ".join(map(repr, figures))
            raise RequestError(f"the run has {len(figures)} figures", advice=advice)
        raise RequestError(
            "the run drew no figure", advice=self._failures() or "a step of render_spec draws one"
        )

    def __repr__(self) -> str:
        counts = f"{_counted(len(self.tables), 'table')}, {_counted(len(self.figures), 'figure')}"
        folder = "" if self.folder is None else f", folder={str(self.folder)!r}"
        failures = self._failures()
        return f"<Run {self.id!r}: {self.status}, {counts}{folder}{f', {failures}' if failures else ''}>"

    def _failures(self) -> str:
        """The first step that failed, and how many others did."""
        failed = [result for result in self.result.steps if result.error is not None]
        if not failed or failed[0].error is None:
            return ""
        others = f", and {_counted(len(failed) - 1, 'other step')}" if len(failed) > 1 else ""
        return f"step {failed[0].step.step_id!r} failed: {shortened(failed[0].error.message)}{others}"

    def _why_missing(self, name: object) -> str:
        """Why there is no table or figure of a name that the plan knows; empty where it knows none."""
        for result in self.result.steps:
            if result.state in DONE or name not in (*result.step.produces, result.step.step_id):
                continue
            reason = result.error.message if result.error is not None else result.reason
            return f"step {result.step.step_id!r} {result.state}: {reason}"
        return ""

    def record(self) -> dict[str, Any]:
        """The run as JSON: plan, states, keys, digests, sources, artefacts and environment."""
        return {
            "record": "helio-run/1",
            **_header(self.id, self.plan, self.archive),
            "status": self.status,
            "engine": self.engine,
            "missing": _missing_record(self.result),
            "steps": [step_record(one) for one in self.result.steps],
            "artefacts": [_artefact_record(artefact, self.plan) for artefact in self.artefacts],
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

        def finish_cancelled(facts: Mapping[str, Any] | None = None) -> None:
            record.finish("cancelled", finished_at=_instant(), facts=facts)

        ended_in_order = interrupts.before_the_end(finish_cancelled)

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
            reason = {"error": str(error)} if isinstance(error, Suspended) else None
            finish_cancelled(reason)
            ended_in_order()
            _remove_empty(folder)
            if reason:
                raise
            raise Cancelled("cancelled", advice="the same command goes on from what is finished") from error
        except HelioError as error:
            if interrupts.asked():
                finish_cancelled()
            else:
                record.finish("failed", finished_at=_instant(), facts={"error": str(error)})
            ended_in_order()
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
            unwritten=tuple(absent.error for absent in missing),
            engine=used,
            archive=named,
            citations=tuple(citation.to_json() for citation in citations_of(_uses(steps), settings.home)),
        )
        written = [_artefact_record(artefact, plan) for artefact in artefacts]
        facts = {
            "engine": used,
            "missing": _missing_record(result),
            "citations": list(run.citations),
            "unwritten": [error.message for error in run.unwritten],
        }
        ended_in_order()
        record.finish(status, written, finished_at=_instant(), facts=facts)
    if folder is not None:
        write_whole(folder / RECORD, json_bytes(run.record(), default=str))
    return replace(run, page=engine.tell(run))


def status_with_files(result: PlanResult, missing: Sequence[Missing]) -> Status:
    """The status of a run: a critical file that is missing counts as its step's failure, another makes it partial."""
    lost = {step.step_id for step in missing if step.file.critical}
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

    A step whose results are in the store names in ``runs`` the newest successful runs that have them. When a server
    cannot be reached, all of it is said as far as it is known offline; ``offline`` then says why.

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
            files, forecast = execution.files(), execution.forecast()
            _name_runs(forecast, Runs(settings.runs))
            return as_json(plan, archive=archive, files=files, forecast=forecast)

        access = replace(access or Access(), impatient=True)
        try:
            return told(access)
        except TransientError as error:
            if lock is not None:
                raise  # whether its files are those of the lock cannot be said
            return told(replace(access, offline=True, refresh=False)) | {"offline": error.message}


def _name_runs(forecast: list[dict[str, Any]], runs: Runs) -> None:
    """Put the runs whose results would be used into what is said of each step."""
    every = {key: digest for step in forecast for key, digest in step.get("results", {}).items()}
    held = runs_with(runs, every)
    for step in forecast:
        named = list(dict.fromkeys(held[key] for key in step.pop("results", ()) if key in held))
        if named:
            step["runs"] = named
            step["reason"] += f", as in {', '.join(named)}"


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


def _uses(steps: Iterable[StepResult]) -> list[Use]:
    """The files that the fetches of a run read."""
    return [
        Use(source, tuple(output.recipe["range"]), output.made_at)
        for step in steps
        for output in step.outputs
        if "range" in output.recipe
        for source in output.sources
    ]


def citations_of(uses: Sequence[Use], home: Path) -> tuple[Citation, ...]:
    """How the datasets that were used are cited."""
    try:
        catalogue = open_catalogue(home) if uses else None
    except DamagedFile as error:  # the files say most of it themselves
        log.warning("the catalogue cannot be read, and citations do without: %s", error.message)
        catalogue = None
    return cite(uses, catalogue)


def new_run_id(pipeline_id: str) -> str:
    """A new run's id: the pipeline, the time and four random digits."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{id_like(pipeline_id)}-{stamp}-{secrets.token_hex(2)}"


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
        earlier = read_record(folder / RECORD, WrittenFiles, largest=LARGEST)
    except (FileNotFoundError, DamagedRecord):
        return set()  # no record of ours, so nothing that is known to be ours
    names = {PurePath(artefact["file"]).name for artefact in earlier["artefacts"]}
    return {RECORD, *(name for name in names if name not in ("", ".."))}


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


def _missing_record(result: PlanResult) -> list[dict[str, Any]]:
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


def _artefact_record(one: Artefact, plan: Plan) -> dict[str, Any]:
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


class Results(Mapping[Name, Value]):
    """What a run made, by name, read from the store one at a time."""

    def __init__(
        self,
        kind: str,
        names: tuple[Name, ...],
        read: Callable[[Name], Value],
        why_missing: Callable[[object], str],
    ) -> None:
        self._kind = kind
        self._names = names
        self._read = read
        self._why_missing = why_missing

    def __getitem__(self, name: Name) -> Value:
        if name in self._names:
            return self._read(name)
        known = ", ".join(map(repr, self._names[:10])) + (" …" if len(self._names) > 10 else "")
        alike = next((other for other in self._names if str(other) == str(name)), None)
        advice = (
            f"did you mean {alike!r}?"
            if alike is not None
            else did_you_mean(
                str(name),
                map(str, self._names),
                otherwise=f"{self._kind}s: {known}" if known else f"the run made no {self._kind}",
            )
        )
        raise UnknownResult(
            f"the run made no {self._kind} {name!r}", advice=self._why_missing(name) or advice
        )

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._names[:10])) + (" …" if len(self._names) > 10 else "")
        return f"<{_counted(len(self), self._kind)}{f': {shown}' if shown else ''}>"

    def _ipython_key_completions_(self) -> list[Name]:
        return list(self._names)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
