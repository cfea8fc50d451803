"""What a notebook calls: read a template, check it, plan it, run it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import RequestError, TimeRangeError
from helio.pipelines.diagnostics import Diagnostic
from helio.pipelines.library import Library
from helio.pipelines.template import Document, check_shape
from helio.settings import Settings, read_settings

if TYPE_CHECKING:
    from helio.pipelines.execute import StepResult
    from helio.pipelines.files import Format
    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.run import Engine, Run
    from helio.pipelines.runner import Rewritten

EngineName = Literal["direct", "prefect", "ephemeral"]


def library(settings: Settings | None = None) -> Library:
    """The shipped templates and the user's own."""
    return Library((settings or read_settings()).templates)


def load(pipeline: str | Path | Document, settings: Settings | None = None) -> Document:
    """The template of a pipeline's name, of a JSON file, or one given as a dict.

    Its fields are where they belong and of their types; whether it can run is what `check` says.

    Raises
    ------
    UnknownPipeline, InvalidTemplate
    """
    from helio.pipelines.diagnostics import InvalidTemplate
    from helio.pipelines.plan import check_fields

    if isinstance(pipeline, dict):
        found = check_shape(pipeline)
        if found is not None:
            raise InvalidTemplate([found])
        document: Document = json.loads(json.dumps(pipeline))
    else:
        shelf = library(settings)
        document = shelf.read(shelf.find(str(pipeline)))
    document.setdefault("id", "pipeline")
    errors = check_fields(document)
    if errors:
        raise InvalidTemplate(errors, place="" if isinstance(pipeline, dict) else str(pipeline))
    return document


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

    settings = settings or read_settings()
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
    engine: EngineName = "direct",
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
    settings = settings or read_settings()
    source = str(archive or settings.archive)
    planned = plan(
        pipeline, time_range=time_range, variables=variables, now=now, archive=source, settings=settings
    )
    # What executes is imported once there is something to execute.
    from helio.pipelines.run import run_plan

    return run_plan(
        planned,
        settings=settings,
        engine=_engine(engine, settings),
        archive=source,
        output=None if output is None else Path(output),
        formats=formats,
        started=started,
        finished=finished,
    )


def _engine(name: EngineName, settings: Settings) -> Engine:
    from helio.pipelines.run import Direct

    if name == "direct":
        return Direct()
    if name in ("prefect", "ephemeral"):
        from helio.flows.prefect import PrefectEngine

        return PrefectEngine(settings, settings.environ, ephemeral=name == "ephemeral")
    raise RequestError(f"there is no engine '{name}'", advice="direct, prefect or ephemeral")


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


__all__ = ["check", "check_template", "library", "load", "plan", "read_now", "run"]
