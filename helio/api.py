"""What a notebook calls: read a template, check it, plan it, run it."""

from __future__ import annotations

import json
import os
import platform
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio import __version__
from helio.errors import ExportError, HelioError, OutputError, RequestError, TimeRangeError
from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.library import Library
from helio.pipelines.template import Document, check_shape
from helio.settings import Settings, read_settings

if TYPE_CHECKING:
    from helio.pipelines.execute import PlanResult, StepResult
    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runner import Rewritten
    from helio.steps.render.figure import Figure
    from helio.store.table import Table

Format = Literal["html", "json", "png", "pdf", "svg"]
FORMATS: tuple[Format, ...] = ("html", "json", "png", "pdf", "svg")
ALWAYS: tuple[Format, ...] = ("html", "json")
"""A figure is always written as these: they need nothing but helio."""


@dataclass(frozen=True)
class Artefact:
    """A file that a run wrote."""

    path: Path
    step_id: int | str
    kind: str
    """A figure's format, or ``"data"``."""
    sha256: str


@dataclass(frozen=True)
class Run:
    """What came of one run.

    Parameters
    ----------
    status : "success", "partial" or "failed"
        ``partial`` when all critical steps are done and something else is not.
    tables : dict of Table
        By label.
    figures : dict of Figure
        By step id.
    unwritten : tuple of ExportError
        Static figures that this machine could not draw; everything else was written.
    """

    id: str
    status: str
    folder: Path | None
    result: PlanResult
    artefacts: tuple[Artefact, ...] = ()
    unwritten: tuple[ExportError, ...] = field(default=())

    @property
    def plan(self) -> Plan:
        """What was executed."""
        return self.result.plan

    @property
    def tables(self) -> dict[str, Table]:
        """Every table, by label."""
        return self.result.tables

    @property
    def figures(self) -> dict[int | str, Figure]:
        """Every figure, by the id of the step that drew it."""
        from helio.steps.render.figure import Figure

        return {
            one.step.step_id: one.artefact for one in self.result.steps if isinstance(one.artefact, Figure)
        }

    @property
    def figure(self) -> Figure:
        """The only figure; an error when there is none or more than one."""
        figures = list(self.figures.values())
        if len(figures) != 1:
            raise RequestError(f"the run has {len(figures)} figures", advice="run.figures, by step id")
        return figures[0]

    def record(self) -> dict[str, Any]:
        """The run as JSON: plan, states, digests, sources, artefacts and environment."""
        return {
            "record": "helio-run/1",
            "id": self.id,
            "status": self.status,
            "pipeline": self.plan.pipeline_id,
            "template_digest": self.plan.template_digest,
            "now": self.plan.now.isoformat(),
            "values": dict(self.plan.values),
            "steps": [_step_record(one) for one in self.result.steps],
            "artefacts": [
                {"file": one.path.name, "step_id": one.step_id, "kind": one.kind, "sha256": one.sha256}
                for one in self.artefacts
            ],
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
    settings: Settings | None = None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Run:
    """Run a pipeline.

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
        A folder for figures, exports and ``run.json``; nothing is written when left out.
    formats : sequence of str
        Formats of figures beside HTML and JSON: ``"png"``, ``"pdf"``, ``"svg"``.

    Returns
    -------
    Run
        A failed step is in ``run.status`` and ``run.result.steps``, not raised.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, OutputError
        Before anything has run.
    """
    from helio.sources.archives import Archives
    from helio.sources.cdf import CdfReader

    settings = settings or read_settings(os.environ)
    source = str(archive or settings.archive)
    with ExitStack() as stack:
        reader = stack.enter_context(CdfReader())
        reader.start()  # the worker gets ready while the plan is made
        planned = plan(
            pipeline,
            time_range=time_range,
            variables=variables,
            now=now,
            archive=source,
            settings=settings,
        )
        folder = None if output is None else prepare_folder(Path(output))
        from helio.pipelines.execute import execute

        result = execute(planned, Archives(reader, source), started=started, finished=finished)
    begun = Run(folder.name if folder else planned.pipeline_id, result.status, folder, result)
    return begun if folder is None else _write(begun, folder, formats, settings)


def run_folder(pipeline_id: str, parent: Path) -> Path:
    """A new folder for a run: the pipeline, the time and four random digits."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return parent / f"{pipeline_id}-{stamp}-{secrets.token_hex(2)}"


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


def _step_record(one: StepResult) -> dict[str, Any]:
    from dataclasses import asdict

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
        "attempts": [asdict(attempt) for attempt in one.attempts],
        "tables": {
            label: {
                "digest": table.digest(),
                "rows": len(table),
                "unit": table.unit,
                "frame": table.frame,
                "components": list(table.components),
                "notes": list(table.notes),
                "sources": [asdict(source) for source in table.sources],
            }
            for label, table in one.tables.items()
        },
        "notes": list(getattr(one.artefact, "notes", ())),
        "seconds": round(one.seconds, 6),
    }


def _write(begun: Run, folder: Path, formats: Iterable[Format], settings: Settings) -> Run:
    """Write figures, exports and the record; static figures that cannot be drawn make the run partial."""
    import hashlib

    from helio.steps.render.export import StaticRenderer, find_browser, plotly_js, to_html, to_json
    from helio.steps.render.figure import Figure
    from helio.store.files import write_whole

    artefacts: list[Artefact] = []
    unwritten: list[ExportError] = []

    def write(name: str, content: bytes, step_id: int | str, kind: str) -> None:
        write_whole(folder / name, content)
        artefacts.append(Artefact(folder / name, step_id, kind, hashlib.sha256(content).hexdigest()))

    static = [one for one in dict.fromkeys(formats) if one not in ALWAYS]
    with ExitStack() as stack:
        renderer: StaticRenderer | None = None
        for one in begun.result.steps:
            if one.artefact is None:
                continue
            if not isinstance(one.artefact, Figure):
                write(one.artefact.filename, one.artefact.content, one.step.step_id, "data")
                continue
            name = _figure_name(one.step.step_id)
            write_whole(folder / "plotly.min.js", plotly_js())
            write(f"{name}.html", to_html(one.artefact, plotly_js="beside"), one.step.step_id, "html")
            write(f"{name}.json", to_json(one.artefact), one.step.step_id, "json")
            for kind in static:
                try:
                    if renderer is None:
                        environ = {
                            **os.environ,
                            **({"BROWSER_PATH": settings.browser} if settings.browser else {}),
                        }
                        renderer = stack.enter_context(StaticRenderer(browser=find_browser(environ)))
                    write(f"{name}.{kind}", renderer.render(one.artefact, kind), one.step.step_id, kind)  # type: ignore[arg-type]
                except ExportError as error:
                    unwritten.append(error.located(f"{name}.{kind}"))
    status = "partial" if unwritten and begun.status == "success" else begun.status
    finished = Run(begun.id, status, folder, begun.result, tuple(artefacts), tuple(unwritten))
    record = json.dumps(finished.record(), indent=1, ensure_ascii=False, default=str) + "\n"
    write_whole(folder / "run.json", record.encode())
    return finished


def _figure_name(step_id: int | str) -> str:
    return f"figure-{step_id}" if isinstance(step_id, int) else step_id


__all__ = ["HelioError", "Run", "check", "library", "load", "plan", "run"]
