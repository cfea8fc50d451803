"""What a notebook calls: read a template, check it, plan it, run it."""

from __future__ import annotations

import json
import os
import platform
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio import __version__
from helio.errors import Cancelled, ExportError, HelioError, OutputError, RequestError, TimeRangeError
from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.library import Library
from helio.pipelines.template import Document, check_shape
from helio.settings import Settings, read_settings
from helio.store.files import write_whole

if TYPE_CHECKING:
    from helio.pipelines.artefacts import Artefact, Format
    from helio.pipelines.execute import Execution, PlanResult, StepResult
    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runner import Rewritten
    from helio.steps.render.figure import Figure
    from helio.store.table import Table

Engine = Literal["direct", "prefect", "ephemeral"]


@dataclass(frozen=True)
class Run:
    """What came of one run.

    Parameters
    ----------
    id : str
        Its id in the store: ``helio runs show ID``.
    status : "success", "partial" or "failed"
        ``partial`` when all critical steps are done and something else is not.
    folder : Path or None
        Where its files were written.
    unwritten : tuple of ExportError
        Static figures that this machine could not draw; everything else was written.
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
            **_header(self.id, self.plan),
            "status": self.status,
            "engine": self.engine,
            "steps": [step_record(one) for one in self.result.steps],
            "artefacts": [_artefact_record(one) for one in self.artefacts],
            "unwritten": [error.message for error in self.unwritten],
            "warnings": [one.to_json() for one in self.plan.warnings],
            "authored": self.plan.authored,
            "normalised": self.plan.normalised,
            "plan": self.plan.document,
            "edits": [one.to_json() for one in self.plan.edits],
            "environment": environment(),
        }


def library(settings: Settings | None = None) -> Library:
    """The shipped templates and the user's own."""
    return Library((settings or read_settings(os.environ)).templates)


def load(pipeline: str | Path | Document, settings: Settings | None = None) -> Document:
    """The template of a pipeline's name, of a JSON file, or one given as a dict.

    Raises
    ------
    UnknownPipeline, InvalidTemplate
    """
    if isinstance(pipeline, dict):
        found = check_shape(pipeline)
        if found is not None:
            from helio.pipelines.diagnostics import InvalidTemplate

            raise InvalidTemplate([found])
        copied: Document = json.loads(json.dumps(pipeline))
        return copied if "id" in copied else {**copied, "id": "pipeline"}
    shelf = library(settings)
    return shelf.read(shelf.find(str(pipeline)))


def check(pipeline: str | Path | Document, *, now: datetime | str | None = None) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a template, errors and warnings; empty when it is right."""
    return check_template(load(pipeline), now=now).diagnostics


def check_template(template: Document, *, now: datetime | str | None = None) -> Rewritten:
    """The diagnostics of a template, and the plan without values that it becomes."""
    from helio.pipelines import plan as planning

    return planning.check(template, now=read_now(now))


def plan(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    settings: Settings | None = None,
) -> Plan:
    """The verified plan of one run, executed by nobody yet.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    """
    from helio.pipelines.plan import make_plan

    settings = settings or read_settings(os.environ)
    return make_plan(
        load(pipeline, settings),
        now=read_now(now),
        values=variables,
        time_range=time_range,
        archive=str(archive or settings.archive),
    )


def run(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    output: str | Path | None = None,
    formats: Sequence[Format] = (),
    engine: Engine = "direct",
    settings: Settings | None = None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Run:
    """Run a pipeline; what the store has already is not made again.

    Parameters
    ----------
    pipeline : str, Path or dict
        A pipeline's name, a JSON file, or a template.
    time_range : str
        ``"2021-10-28"``, ``"last 7 days"``, … for ``$TIME_RANGE``, or the only time variable.
    variables : mapping
        Values of other variables, by name with or without ``$``.
    now : datetime or str
        The run's clock; the present when left out.
    archive : str or Path
        A folder of CDF files, or ``"sample"``; the steps' own providers when left out.
    output : str or Path
        A folder for figures, exports and ``run.json``; nothing is written there when left out.
    formats : sequence of str
        Formats of figures beside HTML and JSON: ``"png"``, ``"pdf"``, ``"svg"``.
    engine : "direct", "prefect" or "ephemeral"
        Who runs what the store has not: this process, one step after another; a Prefect flow against the server;
        a Prefect flow with a server of its own in this process.

    Returns
    -------
    Run
        A failed step is in ``run.status`` and ``run.result.steps``, not raised.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, OutputError
        Before anything has run.
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        Ended by Ctrl-C; what is finished is in the store, and the same call goes on from there.
    """
    settings = settings or read_settings(os.environ)
    source = str(archive or settings.archive)
    planned = plan(
        pipeline, time_range=time_range, variables=variables, now=now, archive=source, settings=settings
    )
    folder = None if output is None else prepare_folder(Path(output))
    # What executes is imported once there is something to execute.
    from helio.pipelines.artefacts import write_artefacts
    from helio.pipelines.execute import Execution, PlanResult
    from helio.pipelines.workers import Workers
    from helio.sources.archives import Archives
    from helio.sources.cdf import CdfReader
    from helio.store.runs import Runs
    from helio.store.store import Store

    run_id = new_run_id(planned.pipeline_id)
    store, runs = Store(settings.store), Runs(settings.runs)
    with ExitStack() as stack:
        reader = stack.enter_context(CdfReader())
        workers = stack.enter_context(
            Workers(settings.workers, time_limit=settings.step_seconds, memory_limit=settings.worker_memory)
        )
        execution = Execution(planned, store, Archives(reader, source), workers)
        begun = {"started_at": _instant(), "command": sys.argv, "environment": environment()}
        record = runs.begin(_header(run_id, planned) | begun, _documents(planned))

        def ended(result: StepResult) -> None:
            record.step(step_record(result))
            finished(result)

        try:
            results = execution.in_store()
            if results is None:
                reader.start()
                workers.start()
                steps, used = _execute(execution, engine, run_id, settings, started, ended)
                result = PlanResult(planned, steps)
            else:
                used = "none"
                result = PlanResult(planned, results)
                for one in results:
                    ended(one)
            artefacts, unwritten = (
                ([], [])
                if folder is None
                else write_artefacts(result, execution, store, folder, formats, _browser(settings))
            )
        except Cancelled:
            record.finish("cancelled", finished_at=_instant())
            raise
        except HelioError as error:
            record.finish("failed", finished_at=_instant(), facts={"error": str(error)})
            raise
        status = "partial" if unwritten and result.status == "success" else result.status
        files = [_artefact_record(one) for one in artefacts]
        record.finish(status, files, finished_at=_instant(), facts={"engine": used})
    done = Run(run_id, status, folder, result, execution, tuple(artefacts), tuple(unwritten), used)
    if folder is not None:
        text = json.dumps(done.record(), indent=1, ensure_ascii=False, default=str) + "\n"
        write_whole(folder / "run.json", text.encode())
    if engine != "direct":
        _tell_engine(done, settings)
    return done


def _execute(
    execution: Execution,
    engine: Engine,
    run_id: str,
    settings: Settings,
    started: Callable[[PlannedStep], None],
    finished: Callable[[StepResult], None],
) -> tuple[tuple[StepResult, ...], str]:
    if engine == "direct":
        from helio.pipelines.execute import execute

        return execute(execution, started=started, finished=finished).steps, "direct"
    raise RequestError(f"there is no engine '{engine}'")


def _tell_engine(done: Run, settings: Settings) -> None:
    del done, settings


def _instant() -> str:
    return datetime.now(UTC).isoformat()


def new_run_id(pipeline_id: str) -> str:
    """A new run's id: the pipeline, the time and four random digits."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{pipeline_id}-{stamp}-{secrets.token_hex(2)}"


def prepare_folder(folder: Path) -> Path:
    """Make an output folder, or find out that it cannot be one before anything has run."""
    probe = folder / f".probe-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise OutputError(
            f"the output folder {folder} cannot be written: {error.strerror or error}",
            advice="another --output",
        ) from error
    return folder


def read_now(now: datetime | str | None) -> datetime:
    """A run's clock as naive UTC.

    Raises
    ------
    TimeRangeError
        The text is not one instant.
    """
    if now is None:
        return datetime.now(UTC).replace(tzinfo=None)
    try:
        read = datetime.fromisoformat(now) if isinstance(now, str) else now
    except ValueError as error:
        raise TimeRangeError(f"'{now}' is not an instant", advice="--now 2024-05-10T06:00:00Z") from error
    return read.astimezone(UTC).replace(tzinfo=None) if read.tzinfo else read


def environment() -> dict[str, str]:
    """Versions of what a result depends on."""
    packages = ("numpy", "cdflib", "plotly", "kaleido", "pyarrow", "pandas")
    return {
        "helio": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        **{name: version(name) for name in packages},
    }


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
                **{name: fact for name, fact in output.facts.items() if name not in ("sources", "attempts")},
                "sources": [asdict(source) for source in output.sources],
            }
            for output in one.outputs
        ],
        "seconds": round(one.seconds, 6),
    }


def _artefact_record(one: Artefact) -> dict[str, Any]:
    return {"file": str(one.path.absolute()), "step_id": one.step_id, "kind": one.kind, "sha256": one.sha256}


def _header(run_id: str, planned: Plan) -> dict[str, Any]:
    return {
        "id": run_id,
        "pipeline": planned.pipeline_id,
        "template_digest": planned.template_digest,
        "now": planned.now.isoformat(),
        "values": dict(planned.values),
    }


def _documents(planned: Plan) -> dict[str, Any]:
    return {
        "authored": planned.authored,
        "normalised": planned.normalised,
        "plan": planned.document,
        "edits": [one.to_json() for one in planned.edits],
    }


def _browser(settings: Settings) -> Path | None:
    from helio.steps.render.export import find_browser

    return find_browser({**os.environ, **({"BROWSER_PATH": settings.browser} if settings.browser else {})})


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


__all__ = ["HelioError", "Run", "check", "library", "load", "plan", "run"]
