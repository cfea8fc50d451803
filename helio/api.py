"""Functions for notebooks and scripts: load, check, plan and run pipelines."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import Cancelled, HelioError, RequestError, UnknownPipeline
from helio.notebook import Shown
from helio.pipelines.arguments import checked, read_clock
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import Diagnostic, Diagnostics, without_hints
from helio.pipelines.template.document import ID, Document, require_id
from helio.settings import Settings, settings_in_use

if TYPE_CHECKING:
    from threading import Event

    from helio.authoring.choice_of_author import By
    from helio.authoring.conversation.chat import Chat
    from helio.authoring.desk import Desk
    from helio.authoring.proposals.drawings import Drawings
    from helio.authoring.proposals.store import Proposal
    from helio.knowledge.archive_catalogue import Listing
    from helio.knowledge.citations import Citation
    from helio.pipelines.blame import Origin
    from helio.pipelines.changes import Change
    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runs.bundle import Bundled
    from helio.pipelines.runs.compare import Comparison
    from helio.pipelines.runs.execute import StepResult
    from helio.pipelines.runs.outcome import Run
    from helio.pipelines.runs.provenance import FigureFile
    from helio.pipelines.runs.rerun import Rerun
    from helio.pipelines.runs.session import Engine
    from helio.pipelines.template.files import Format
    from helio.pipelines.template.runner import RewriteResult
    from helio.service.backfill import Backfill, Choice, Progress
    from helio.service.drift import Drift, Numbers
    from helio.service.refresh import Refresh
    from helio.sources.archive_listing import ArchiveListing
    from helio.sources.archives import Access
    from helio.steps.describe import Description, Preview
    from helio.store.lock_file import Lock
    from helio.store.source_file import Level

MOST_PREVIEWS = 20
"""Maximum number of records of previews that helio keeps."""
EngineName = Literal["direct", "prefect", "ephemeral"]


@checked
def library(settings: Settings | None = None) -> Library:
    """Return the library of pipelines: the pipelines that come with helio, and the user's own."""
    return Library(settings_in_use(settings).templates)


@checked
def load(pipeline: str | Path | Document, settings: Settings | None = None) -> Document:
    """Load a template by the name of a pipeline, from a JSON file, or from a dict.

    The fields of the result have correct places and types; `check` tells whether it can run.

    Raises
    ------
    UnknownPipeline, InvalidTemplate
    """
    from helio.pipelines.runs.prepare import load_template

    return load_template(pipeline, settings_in_use(settings))


@checked
def check(
    pipeline: str | Path | Document,
    *,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    hints: bool = False,
) -> Diagnostics:
    """Return all errors and warnings in a template; return an empty result if the template is correct.

    Parameters
    ----------
    archive : str or Path
        The archive that runs will use. A folder may have datasets that the catalogue lacks.
    hints : bool
        Whether to add hints: possible improvements of a correct template.
    """
    diagnostics = check_template(load(pipeline), now=now, archive=archive).diagnostics
    return Diagnostics(diagnostics if hints else without_hints(diagnostics))


@checked
def check_template(
    template: Document,
    *,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    settings: Settings | None = None,
) -> RewriteResult:
    """Check a template; return what was found, including hints, and the checked template."""
    from helio.pipelines import plan as planning
    from helio.pipelines.known import KnownDatasets
    from helio.sources.archives import open_folder

    settings, clock = settings_in_use(settings), read_now(now)
    source = _archive(archive, settings)
    if archive is not None:
        open_folder(source, settings)
    return planning.check(
        template,
        now=clock,
        archive=source,
        catalogue=KnownDatasets(settings.home, clock, spans=False),
        pipelines=library(settings).templates(),
    )


@checked
def normalised(template: Document) -> Document:
    """Return a template in which each field, name and value has its standard spelling; nothing else is changed.

    Raises
    ------
    InvalidTemplate
        A field is misplaced or has a wrong type.
    """
    from helio.pipelines.plan import normal_form

    return normal_form(template)


@dataclass(frozen=True)
class Mended:
    """A corrected template, the corrections that were made, and the errors that remain.

    Parameters
    ----------
    diff : str
        A unified diff from the original template to the corrected one; empty if nothing was corrected.
    diagnostics : tuple of Diagnostic
        Changes that an author should check, and errors that could not be corrected.
    written : Path or None
        The file that was replaced; None if no file was replaced.
    """

    template: Document = field(repr=False)
    diff: str = field(repr=False)
    diagnostics: tuple[Diagnostic, ...]
    written: Path | None


@checked
def fix(
    pipeline: str | Path,
    *,
    now: datetime | str | None = None,
    write: bool = False,
    settings: Settings | None = None,
) -> Mended:
    """Correct spellings, labels, dependencies and times in a template wherever the correction is certain.

    A time range that helio understands, such as ``2024-05-10``, stays as its author wrote it.

    Parameters
    ----------
    pipeline : str or Path
        One of the user's own pipelines, or a JSON file. A pipeline that comes with helio is not changed.
    write : bool
        Whether to replace the file if every error could be corrected; the library keeps the old text as a revision.
    """
    from helio.pipelines.history import Writing
    from helio.pipelines.known import KnownDatasets
    from helio.pipelines.mend import mend
    from helio.store.runs import Runs

    settings, clock = settings_in_use(settings), read_now(now)
    shelf = library(settings)
    try:
        entry = shelf.find(str(pipeline))
    except UnknownPipeline as error:
        if failed := Runs(settings.runs).failed_lately():
            error.advice += f"; to repair a pipeline after a run, use `helio repair RUN`; {failed}"
        raise
    text = shelf.text(entry)
    known = KnownDatasets(settings.home, clock, spans=False)
    template, diff, diagnostics = mend(
        text,
        now=clock,
        name=entry.path.name,
        catalogue=known,
        pipelines=shelf.templates(),
        keep_phrases=True,
    )
    wrong = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    written = None
    if write and diff and not wrong:
        written = shelf.replace(entry, template, Writing("mended"))
    return Mended(template, diff, diagnostics, written)


@dataclass(frozen=True)
class SavedPipeline:
    """A pipeline that was saved, with notes and diagnostics."""

    template: Document = field(repr=False)
    path: Path
    notes: tuple[str, ...]
    """Notes on what helio assumed, and on steps that helio left out."""
    diagnostics: tuple[Diagnostic, ...]
    """Changes that the user should check."""
    changes: tuple[Change, ...]
    """Differences from the pipeline that was replaced; if the pipeline is new, its whole content."""
    replaced: bool
    """Whether the saved pipeline replaced a pipeline with the same name."""


@checked
def save_runs(
    runs: Sequence[tuple[str, Sequence[str]]],
    name: str,
    *,
    replace: bool = False,
    settings: Settings | None = None,
) -> SavedPipeline:
    """Save runs as a pipeline: fixed time ranges become variables; steps that failed or are not used are left out.

    Parameters
    ----------
    runs : sequence of (id, step ids)
        Runs, each with the steps to keep; without step ids, all steps whose results are used.
    name : str
        The pipeline's id.

    Raises
    ------
    UnknownRun
    RequestError
        A named step failed, or no step is left.
    InvalidTemplate
        The remaining steps cannot run.
    """
    from helio.pipelines.changes import changes
    from helio.pipelines.dialect.parse import parse
    from helio.pipelines.history import Writing, read_as_it_is
    from helio.pipelines.mend import mend
    from helio.pipelines.runs.as_template import RunSelection, template_of
    from helio.pipelines.template.diagnostics import InvalidTemplate
    from helio.store.runs import Runs

    require_id(name, "pipeline id")
    settings = settings_in_use(settings)
    shelf, records = library(settings), Runs(settings.runs)
    chosen = [RunSelection(records.load(run_id), tuple(steps)) for run_id, steps in runs]
    made, notes = template_of(chosen, name, settings.servers)
    template, _, diagnostics = mend(json.dumps(made), now=read_now(None), pipelines=shelf.templates())
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        raise InvalidTemplate(diagnostics)
    run_ids = ", ".join(selection.run.id for selection in chosen)
    text = read_as_it_is(shelf.folder / f"{name}.json") if ID.fullmatch(name) else None
    before = parse(text or "")
    path = shelf.save(template, replace=replace, writing=Writing("saved", request=f"what {run_ids} did"))
    changed = changes({} if before.errors else before.plan, template)
    return SavedPipeline(template, path, notes, diagnostics, changed, text is not None)


@checked
def revision_changes(name: str, number: int, settings: Settings | None = None) -> tuple[Change, ...]:
    """List what a revision changed in one of the user's own pipelines; for the first revision, list the whole pipeline.

    Raises
    ------
    UnknownPipeline, RequestError
        There is no such pipeline or revision.
    InvalidTemplate
        A revision is not a template.
    """
    from helio.pipelines.changes import changes
    from helio.pipelines.dialect.parse import parse
    from helio.pipelines.template.diagnostics import InvalidTemplate

    shelf = library(settings)
    history = shelf.history(shelf.own(name).id)
    texts = {number: history.text(number)}
    earlier = [revision.number for revision in history.revisions() if revision.number < number]
    texts |= {max(earlier): history.text(max(earlier))} if earlier else {}
    read = {revision: parse(text) for revision, text in texts.items()}
    for revision, parsed in read.items():
        if parsed.errors:
            raise InvalidTemplate(parsed.errors, place=f"revision {revision} of {name}")
    return changes(read[max(earlier)].plan if earlier else {}, read[number].plan)


@checked
def blame(name: str, settings: Settings | None = None) -> tuple[Origin, ...]:
    """Find for each variable and step of one of the user's own pipelines who last changed it, when and why.

    Raises
    ------
    UnknownPipeline, RequestError
        There is no such pipeline.
    """
    from helio.pipelines.blame import blame as blamed

    shelf = library(settings)
    return blamed(shelf.history(shelf.own(name).id))


@checked
def plan(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    settings: Settings | None = None,
) -> Plan:
    """Make the plan of a run, and check it, without running anything.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    """
    from helio.pipelines.runs.prepare import plan_of
    from helio.pipelines.runs.request import PlanRequest

    request = PlanRequest(pipeline, time_range, variables, now, archive)
    return plan_of(request, settings_in_use(settings))


@checked
def run(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    output: str | Path | None = None,
    outputs: str | Path | None = None,
    formats: Sequence[Format] = (),
    self_contained: bool = False,
    engine: EngineName = "direct",
    locked: str | Path | None = None,
    proof: Level | None = None,
    access: Access | None = None,
    check: bool = True,
    settings: Settings | None = None,
    planned: Callable[[Plan], None] = lambda plan: None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Run:
    """Run a pipeline; results that are in the store already are not computed again.

    Parameters
    ----------
    pipeline : str, Path or dict
        A pipeline's name, a JSON file, a template, or a plan that ``helio plan`` saved.
    time_range : str
        Value of ``$TIME_RANGE``, or of the only time variable: ``"2021-10-28"``, ``"last 7 days"``, …
    variables : mapping
        Values of other variables, by name with or without ``$``.
    now : datetime or str
        The time that the run takes as now. Default: the current time.
    archive : str or Path
        A folder of files, or ``"sample"``. Default: the steps' own providers.
    output : str or Path
        A folder for figures, exports and ``run.json``.
    outputs : str or Path
        A folder in which the run makes a folder for its files, if `output` is not given. Without both, the run
        writes no files.
    formats : sequence of str
        Formats of figures in addition to the template's, which are HTML and JSON by default.
    self_contained : bool
        Whether each HTML page has plotly.js (5 MB) and all points in it, instead of in files beside it.
    engine : "direct", "prefect" or "ephemeral"
        How to run missing steps: in this process, one after another; as a Prefect flow on the server; as a Prefect
        flow with a temporary server.

    locked : str or Path, optional
        A lock file that `lock` wrote. helio refuses the run if it would use other data. Time range, variables,
        `now` and archive come from the lock file, unless you give them.

    proof : "file", "checksum", "parts" or "size", optional
        How to prove that the files of a locked run are undamaged: by a checksum inside each file (``file``), by this
        or a checksum of the archive (``checksum``), by checksums of parts of each file (``parts``), or by its size
        (``size``). The digests in the lock do not count.

    access : Access, optional
        How the network may be used: ``Access(offline=True)``.

    check : bool
        Whether a failed run is an error. With ``check=False`` a failed run is returned: ``run.status`` and
        ``run.result.steps`` tell what failed, and ``run.tables`` has the tables that were made.

    planned : callable
        Function that gets the plan, with all its values and time ranges, before anything runs.

    Returns
    -------
    Run
        Its status is ``partial`` if only steps or files that are not critical failed; `run.result.steps` has them.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, OutputError
        Raised before anything has run.
    LockMismatch
        The run would use other data than its lock.
    RunFailed
        A critical step failed, or none succeeded. The message names the step, the reason and the remedy; the error has
        the run as its attribute ``run``.
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        The user pressed Ctrl-C; finished steps are in the store, and the same call continues from there.
    """
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest

    for name, is_set in (("formats were", bool(formats)), ("self_contained was", self_contained)):
        if is_set and output is None and outputs is None:
            raise RequestError(
                f"{name} given, but the run writes no files",
                advice=f"set output to a folder, or leave out {name.split()[0]}",
            )
    if proof is not None and locked is None:
        raise RequestError(
            "proof of the files can be required only in a run with a lock file",
            advice="add --locked or --lock FILE to the command; in Python, give the argument locked",
        )
    settings = settings_in_use(settings)
    plan_request = PlanRequest(pipeline, time_range, variables, now, archive)
    request = replace(
        prepare_run(plan_request, settings, locked=locked, access=access),
        proof=proof,
        output=None if output is None else Path(output),
        outputs=None if outputs is None else Path(outputs),
        formats=tuple(formats),
        self_contained=self_contained,
    )
    planned(request.plan)
    # Import the execution only when there is something to execute.
    from helio.pipelines.runs.session import run_plan

    made_by = _engine(engine, settings)
    made = run_plan(request, settings=settings, engine=made_by, started=started, finished=finished)
    if check:
        made.raise_if_failed()
    return made


@checked
def backfill(
    pipeline: str | Path | Document,
    time_range: str | None = None,
    *,
    each: str | None = None,
    events: str | Path | None = None,
    before: str = "",
    after: str = "",
    choose: Choice = "needed",
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    output: str | Path | None = None,
    formats: Sequence[Format] = (),
    workers: int | None = None,
    engine: EngineName = "direct",
    dry_run: bool = False,
    access: Access | None = None,
    settings: Settings | None = None,
    planned: Callable[[Backfill], None] = lambda backfill: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Backfill:
    """Make the missing, failed and stale intervals of a pipeline, each as a run of its own.

    The intervals divide a time range, or lie around events. All runs use the pipeline as it is at the beginning.

    Parameters
    ----------
    time_range : str
        The whole range: ``"2015..2024"``. With ``each="carrington"`` also rotations: ``"CR2240..CR2250"``.
    each : str
        The length of an interval: ``"1d"``, ``"27d"``, ``"1mo"``, ``"1y"``, or ``"carrington"``. Default: ``"1d"``.
    events : str or Path
        Instead of a time range: a CSV or JSON file with the times of events.
    before, after : str
        Margins of each event, such as ``"2h"``.
    choose : "needed", "failed" or "all"
        Which intervals to make: those that are missing, have failed or are stale; those that have failed or have no
        data; or all.
    output : str or Path
        A folder in which each interval has its own; only runs with their files there count. Default: every run counts,
        and new files are written to ``helio-runs/PIPELINE``.
    workers : int
        Maximum number of processes. Default: as in the settings.
    dry_run : bool
        Whether to run nothing, and to estimate files, bytes and time instead.
    planned : callable
        Called with the intervals before anything runs.

    Returns
    -------
    Backfill
        ``status`` is ``"success"`` if each interval is done or has no data, ``"failed"`` if none is done, otherwise
        ``"partial"``; ``intervals`` has the state of each and the reason.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, RequestError
        Raised before anything has run.
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        The user pressed Ctrl-C; finished intervals stay, and the same call goes on.

    Examples
    --------
    >>> helio.backfill("gle73-particles", "2021-10", archive="/data/stereo")  # doctest: +SKIP
    """
    from helio.service.backfill import BackfillRequest
    from helio.service.backfill import backfill as make
    from helio.service.spans import events_in, intervals_of
    from helio.sources.archives import Access as NetworkAccess
    from helio.sources.archives import archive_named
    from helio.store.files import user_path

    if time_range is None and events is None:
        raise RequestError(
            "a backfill needs a time range or a file of events",
            advice="write, for example, 2015..2024, or use --events FILE",
        )
    if time_range is not None and events is not None:
        raise RequestError("a backfill takes a time range or a file of events, not both")
    if events is None and (before or after):
        raise RequestError(
            "margins before and after belong to events",
            advice="add a file of events, or leave out the margins",
        )
    if events is not None and each is not None:
        raise RequestError(
            "events have their own intervals", advice="leave out the length of intervals, or the events"
        )
    if engine == "ephemeral":
        raise RequestError(
            "a backfill cannot use a temporary engine", advice="use the engine 'prefect' or 'direct'"
        )
    settings, clock = settings_in_use(settings), read_clock(now)
    notes: tuple[str, ...] = ()
    if events is not None:
        spans = events_in(Path(events), before, after, clock)
    else:
        spans, note = intervals_of(str(time_range), each or "1d", clock)
        notes = (note,) if note else ()
    count = settings.workers if workers is None else workers
    if count < 1:
        raise RequestError(f"workers is {count}", advice="use at least 1 process")
    access = access or NetworkAccess()
    request = BackfillRequest(
        pipeline=pipeline,
        spans=spans,
        now=clock,
        values=variables or {},
        archive=archive_named(str(settings.archive if archive is None else archive)),
        output=None if output is None else Path(os.path.abspath(user_path(output))),
        formats=tuple(formats),
        choice=choose,
        workers=count,
        engine=engine,
        max_download=access.max_download,
        offline=access.offline,
        refresh=access.refresh,
        dry_run=dry_run,
    )
    made = make(request, settings, planned=planned, on_progress=on_progress)
    return replace(made, notes=(*notes, *made.notes))


@checked
def drift(
    name: str = "",
    *,
    since: datetime | str | None = None,
    numbers: Numbers = "at hand",
    access: Access | None = None,
    settings: Settings | None = None,
    asking: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Drift:
    """Find the figures whose data were republished since their runs.

    helio asks each archive once for each dataset and interval, and downloads nothing for this.

    Parameters
    ----------
    name : str
        A pipeline, or the id of a run. Default: all figures.
    since : datetime or str
        Only figures of intervals that end after this time: ``"2024-01-01"``.
    numbers : "at hand", "download" or "none"
        Compute the changed figures with the present data, to compare their numbers: if these data are on this machine;
        always, which may download them; or never.
    asking : callable
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    Drift
        ``status`` is ``"changed"``, ``"unchanged"``, or ``"unknown"`` if an archive could not be asked; ``changed`` has
        the figures with their files and numbers.

    Raises
    ------
    UnknownPipeline
        Neither a pipeline nor a run has this name.
    Cancelled

    Examples
    --------
    >>> helio.drift("ace-bfield-overview", since="2024-01-01")  # doctest: +SKIP
    """
    from helio.service.drift import find_drift

    return find_drift(
        name,
        settings_in_use(settings),
        since=None if since is None else read_clock(since),
        numbers=numbers,
        access=access,
        on_progress=asking,
    )


@checked
def refresh(
    name: str = "",
    *,
    since: datetime | str | None = None,
    numbers: Numbers = "at hand",
    workers: int | None = None,
    engine: EngineName = "direct",
    dry_run: bool = False,
    access: Access | None = None,
    settings: Settings | None = None,
    asking: Callable[[str, int, int], None] = lambda what, done, total: None,
    planned: Callable[[Backfill], None] = lambda backfill: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Refresh:
    """Make the figures again whose data were republished since their runs, and no others.

    Each new run has the pipeline, values and folder of the earlier one, whose record and results stay.

    Parameters
    ----------
    name, since, numbers, asking
        As for `drift`.
    workers : int
        Maximum number of processes. Default: as in the settings.
    dry_run : bool
        Whether to run nothing.
    planned, on_progress : callable
        As for `backfill`, called for each pipeline.

    Returns
    -------
    Refresh
        ``drift`` is what was republished; ``figures`` has the old and the new run of each figure.

    Raises
    ------
    UnknownPipeline, RequestError
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        The user pressed Ctrl-C; finished figures stay, and the same call goes on.
    """
    from helio.service.refresh import refresh_figures

    if engine == "ephemeral":
        raise RequestError(
            "a refresh cannot use a temporary engine", advice="use the engine 'prefect' or 'direct'"
        )
    settings = settings_in_use(settings)
    count = settings.workers if workers is None else workers
    if count < 1:
        raise RequestError(f"workers is {count}", advice="use at least 1 process")
    drifted = drift(name, since=since, numbers=numbers, access=access, settings=settings, asking=asking)
    return refresh_figures(
        drifted,
        settings,
        now=read_clock(),
        workers=count,
        engine=engine,
        dry_run=dry_run,
        access=access,
        planned=planned,
        on_progress=on_progress,
    )


@checked
def foresee(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    locked: str | Path | None = None,
    access: Access | None = None,
    settings: Settings | None = None,
    planned: Callable[[Plan], None] = lambda plan: None,
) -> tuple[Plan, dict[str, Any]]:
    """Plan a run, and return as JSON what each step would do; if a lock file is given, compare the data with it.

    `planned` is called with the plan before helio asks any archive.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    LockMismatch
        The run would use other data than its lock.
    """
    from helio.pipelines.runs.foresee import foresee as foreseen
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest

    settings = settings_in_use(settings)
    plan_request = PlanRequest(pipeline, time_range, variables, now, archive)
    request = prepare_run(plan_request, settings, locked=locked, access=access)
    planned(request.plan)
    return request.plan, foreseen(request, settings)


@checked
def lock(
    pipeline: str | Path | Document,
    *,
    time_range: str | None = None,
    variables: Mapping[str, Any] | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    access: Access | None = None,
    settings: Settings | None = None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Lock:
    """Make a lock, a list of the files and tables that a run of a pipeline uses; download missing files.

    Returns
    -------
    Lock
        ``lock.write(Path("helio.lock"))`` writes it for ``run(…, locked="helio.lock")``.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    DataError
        A critical fetch failed.
    """
    from helio.pipelines.runs.locking import lock_plan
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest
    from helio.pipelines.runs.session import open_session

    settings = settings_in_use(settings)
    plan_request = PlanRequest(pipeline, time_range, variables, now, archive)
    request = prepare_run(plan_request, settings, access=access)
    with open_session(request, settings) as session:
        return lock_plan(request, session.execution, finished)


@checked
def lock_run(run_id: str, settings: Settings | None = None) -> Lock:
    """Return the lock of a finished run: the list of the files and tables that it used. Nothing is downloaded.

    Raises
    ------
    UnknownRun
    RequestError
        The run did not succeed.
    """
    from helio.pipelines.runs.locking import lock_of_record
    from helio.store.runs import Runs

    return lock_of_record(Runs(settings_in_use(settings).runs).load(run_id))


@checked
def verify(
    run_id: str,
    *,
    archive: str | Path | None = None,
    access: Access | None = None,
    settings: Settings | None = None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Comparison:
    """Repeat a recorded run in an empty temporary store, and compare the results with the recorded results.

    Returns
    -------
    Comparison
        ``same_results`` tells whether every table, figure and file is the same; ``first`` is the first difference.

    Raises
    ------
    UnknownRun
    RequestError
        The run has not ended.
    """
    from helio.pipelines.runs.verify import verify_run
    from helio.sources.archives import archive_named
    from helio.store.runs import Runs

    settings = settings_in_use(settings)
    record = Runs(settings.runs).load(run_id)
    another = archive_named(str(archive)) if archive else ""
    return verify_run(record, settings=settings, archive=another, access=access, finished=finished)


@checked
def read_figure(file: str | Path) -> FigureFile:
    """Read the document that helio enclosed in a PNG, PDF, SVG or HTML file of a figure.

    ``read_figure("field.png").origin`` has the template, the values, the files of the data with their digests, and
    the citations. Nothing is run.

    Raises
    ------
    RequestError
        There is no such file, it is no figure of helio, or it is damaged.
    """
    from helio.pipelines.runs.provenance import read_figure as read

    return read(Path(file))


@checked
def rerun(
    figure: FigureFile | str | Path,
    *,
    archive: str | Path | None = None,
    output: str | Path | None = None,
    outputs: str | Path | None = None,
    formats: Sequence[Format] = (),
    self_contained: bool = False,
    engine: EngineName = "direct",
    access: Access | None = None,
    settings: Settings | None = None,
    check: bool = True,
    planned: Callable[[Plan], None] = lambda plan: None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Rerun:
    """Make a figure again from the document in its file, and compare the new file with the old file.

    The template and its code may come from a stranger: look at ``read_figure(file).origin.template`` first. helio
    checks the template like any other, and runs its code in the sandbox.

    Parameters
    ----------
    figure : FigureFile, str or Path
        The file, or what `read_figure` returned.
    archive : str or Path, optional
        Where the data are. Default: the provider that the document names.
    output, outputs : str or Path
        As for `run`; one of them is necessary.
    formats : sequence of str
        Formats of the figure in addition to the template's and to the format of the file.
    self_contained : bool
        As for `run`; a page with everything in it always gives such a page.
    check : bool
        Whether a failed run is an error. With ``check=False`` it is returned.

    Returns
    -------
    Rerun
        ``same_bytes`` and ``same_figure`` tell whether it is the same; ``differences`` and ``missing``, why not.

    Raises
    ------
    RequestError
        The file has no valid document, or its data came from a folder, and no folder is given.
    InvalidTemplate
        This version of helio cannot run its template.
    RunFailed
        The new run failed, and `check` is true, as for `run`.
    """
    from helio.pipelines.runs.rerun import rerun as run_again
    from helio.sources.archives import archive_named

    if output is None and outputs is None:
        raise RequestError("no folder for the new figure was given", advice="set output to a folder")
    settings = settings_in_use(settings)
    made = run_again(
        read_figure(figure) if isinstance(figure, str | Path) else figure,
        settings=settings,
        engine=_engine(engine, settings),
        archive=archive_named(str(archive)) if archive else "",
        access=access,
        output=None if output is None else Path(output),
        outputs=None if outputs is None else Path(outputs),
        formats=tuple(formats),
        self_contained=self_contained,
        planned=planned,
        started=started,
        finished=finished,
    )
    if check:
        made.run.raise_if_failed()
    return made


@checked
def diff(old: str, new: str, settings: Settings | None = None) -> Comparison:
    """Compare two runs: plans, files, numbers and figures.

    Raises
    ------
    UnknownRun
    """
    from helio.pipelines.runs.compare import compare, judge_by
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    runs, store = Runs(settings.runs), Store(settings.store)
    return compare(runs.load(old), runs.load(new), judge=judge_by(store, store))


@checked
def cite(run_id: str, settings: Settings | None = None) -> tuple[Citation, ...]:
    """Return the citations of the datasets that a run used, and what is unknown about these datasets.

    Raises
    ------
    UnknownRun
    """
    from helio.knowledge.citations import citations_of, uses_of
    from helio.store.runs import Runs

    settings = settings_in_use(settings)
    return Shown(citations_of(uses_of(Runs(settings.runs).load(run_id).step_records), settings.home))


@checked
def describe(run_id: str, label: str = "", settings: Settings | None = None) -> tuple[Description, ...]:
    """Describe one table or all tables of a run: time span, cadence, gaps, missing values, range of values.

    Parameters
    ----------
    run_id : str
        A run's id, or its beginning.
    label : str
        ``"AC_H2_MFI.BGSEc"``, ``"AC_H2_MFI.BGSEc.Bz"``. Default: every table of the run.

    Raises
    ------
    UnknownRun, RequestError, StepError
        The run, the table or the component does not exist.
    DamagedObject
        The store no longer has the table.
    """
    from helio.pipelines.runs.kept_tables import kept_labels, kept_table
    from helio.steps.describe import describe as described
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    record, store = Runs(settings.runs).load(run_id), Store(settings.store)
    labels = [label] if label else kept_labels(record)
    return Shown(described(kept_table(record, table_label, store), table_label) for table_label in labels)


@checked
def preview(
    run_id: str,
    label: str,
    *,
    rows: int | None = None,
    position: Literal["head", "tail", "both"] = "head",
    settings: Settings | None = None,
) -> Preview:
    """Return the first or the last records of a run's table, or both: 5 records by default, 3 for a spectrum.

    Raises
    ------
    UnknownRun, RequestError, StepError
        The run, the table or the component does not exist, or `rows` is more than 50 (10 for a spectrum).
    DamagedObject
        The store no longer has the table.
    """
    from helio.pipelines.runs.kept_tables import kept_table
    from helio.steps.describe import preview as previewed
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    table = kept_table(Runs(settings.runs).load(run_id), label, Store(settings.store))
    return previewed(table, label, rows=rows, position=position)


@checked
def export_notebook(run_id: str, file: str | Path, settings: Settings | None = None) -> Path:
    """Write a notebook with the tables and figures of a run; it does not need helio.

    The notebook loads the tables with pandas, and draws the figures of the run with plotly. It computes nothing again.

    Parameters
    ----------
    run_id : str
        A run's id, its beginning, or ``"last"``.
    file : str or Path
        The notebook, which must not exist: ``"field.ipynb"``.

    Returns
    -------
    Path
        The folder next to the notebook with the tables (Parquet) and figures (JSON): ``field_files``.

    Raises
    ------
    UnknownRun
    RequestError
        The file exists, its name does not end in ``.ipynb``, or the run made no table and no figure.
    DamagedObject
        The store no longer has a table or a figure.
    """
    from helio.pipelines.runs.as_notebook import write_notebook
    from helio.store.files import user_path
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    return write_notebook(Runs(settings.runs).load(run_id), Store(settings.store), user_path(Path(file)))


@checked
def export_runs(run_ids: Sequence[str], file: str | Path, settings: Settings | None = None) -> Bundled:
    """Write runs with their templates, records, files and lists of data into one file, for another home.

    The tables and the data are not in it: `verify` computes them again there.

    Parameters
    ----------
    run_ids : sequence of str
        Ids of runs, their beginnings, or ``"last"``.
    file : str or Path
        The file, which must not exist: ``"paper.zip"``.

    Returns
    -------
    Bundled
        ``notes`` has the files that are not there any more or have changed.

    Raises
    ------
    UnknownRun, RequestError, OutputError
    """
    from helio.pipelines.runs.bundle import write_bundle
    from helio.store.files import user_path
    from helio.store.runs import Runs

    runs = Runs(settings_in_use(settings).runs)
    records = {record.id: record for record in map(runs.load, run_ids)}
    return write_bundle([*records.values()], user_path(Path(file)))


@checked
def import_runs(
    file: str | Path,
    *,
    outputs: str | Path,
    now: datetime | str | None = None,
    settings: Settings | None = None,
) -> Bundled:
    """Add the runs that `export_runs` wrote to this home.

    Only records and files are added: no run in this home uses results that were computed elsewhere.

    Parameters
    ----------
    outputs : str or Path
        Folder that gets a folder for the files of each run.
    now : datetime or str, optional
        When the runs are added; the records say so. Default: the current time.

    Raises
    ------
    RequestError
        The file is no bundle, is damaged, or has another run with the id of one in this home.
    OutputError
    """
    from helio.pipelines.runs.bundle import add_bundle
    from helio.store.files import user_path
    from helio.store.runs import Runs

    settings = settings_in_use(settings)
    folder = user_path(Path(outputs)).absolute()
    return add_bundle(user_path(Path(file)), Runs(settings.runs), folder, read_now(now))


def _engine(name: EngineName, settings: Settings) -> Engine:
    from helio.pipelines.runs.session import Direct

    if name == "direct":
        return Direct()
    if name in ("prefect", "ephemeral"):
        from helio.flows.prefect import PrefectEngine

        return PrefectEngine(settings, settings.environ, ephemeral=name == "ephemeral")
    raise RequestError(f"no engine is called '{name}'", advice="use one of 'direct', 'prefect', 'ephemeral'")


@checked
def desk(
    *,
    by: By = "auto",
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    ended: Event | None = None,
    replay: str | Path | None = None,
    settings: Settings | None = None,
) -> Desk:
    """Return a `Desk`, which handles requests in plain words: `Desk.create`, `Desk.edit`, `Desk.repair`.

    The results are proposals in ``desk.proposals``, for you to accept or reject; nothing is executed. Close the desk
    after use.

    Parameters
    ----------
    by : "auto", "rules" or "model"
        The author; ``auto`` means a model if there is a key for one, otherwise the rules.
    archive : str or Path
        A folder of files, ``"sample"``, or a HAPI server: ``"hapi:NAME"`` or its URL. It is searched before the
        catalogue, and its datasets may be proposed even if they are not in the catalogue.
    replay : str or Path
        A recorded conversation, by file or id, whose answers are used instead of asking the model. It also sets the
        default of `now`.

    Raises
    ------
    NoKey
        A model is needed, but no API key is set; raised at the first question.
    """
    from helio.authoring.desk import Desk

    settings = settings_in_use(settings)
    source = _archive(archive, settings)
    if replay is not None:
        from helio.authoring.models.transcript import clock_of, find_transcript

        replay = find_transcript(replay, settings.transcripts)
        now = clock_of(replay) if now is None else now
    return Desk(
        settings,
        now=read_now(now),
        by=by,
        archive=source,
        listing=_listing_of(source, settings),
        ended=ended,
        replay=replay,
    )


@checked
def chat(
    name: str = "",
    *,
    resume: bool = False,
    by: By = "auto",
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    outputs: str | Path = "helio-runs",
    sources: Sequence[str | Path] = (),
    settings: Settings | None = None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Chat:
    """Begin or resume a conversation about a pipeline: ``chat.say("now for Wind")``, ``chat.say("/accept")``.

    Each line is saved. A sentence makes a proposal; only ``/accept`` changes a pipeline.

    Parameters
    ----------
    name : str
        The pipeline, or a pending proposal. Default: a new pipeline. With `resume`: the conversation, or the pipeline
        of the conversation; by default the last one.
    resume : bool
        Whether to resume a saved conversation.
    by : "auto", "rules" or "model"
        As for `desk`.
    outputs : str or Path
        Folder in which ``/run`` and ``/preview`` make a folder for their files.
    sources : sequence of str or Path
        Files that go with the first sentence, as for ``/from``.

    Raises
    ------
    UnknownPipeline, RequestError
        There is no such pipeline, conversation or file.
    """
    from helio.authoring.conversation.chat import Chat
    from helio.authoring.conversation.saved import Conversation, find_conversation, new_conversation
    from helio.authoring.documents.source_files import read_sources
    from helio.authoring.models.scrub import scrub_of

    settings = settings_in_use(settings)
    scrub = scrub_of(settings)
    tools = _ChatTools(settings, now, archive, Path(outputs), started, finished)
    with closing(tools.desk("rules", None)) as at:  # before a file is written
        if name and not resume:
            at.template(name)
    read_sources(sources, settings)
    if resume:
        conversation = Conversation(find_conversation(settings.chats, name), scrub=scrub)
    else:
        conversation = new_conversation(settings.chats, scrub=scrub)
    made = Chat(conversation, settings, tools, by=by)
    if name and not resume:
        made.about(name)
    if sources:
        made.give(sources)
    return made


@dataclass(frozen=True)
class _ChatTools:
    """What a conversation uses to write, run and draw."""

    settings: Settings
    now: datetime | str | None
    archive: str | Path | None
    outputs: Path
    started: Callable[[PlannedStep], None]
    finished: Callable[[StepResult], None]

    def desk(self, by: By, ended: Event | None) -> Desk:
        return desk(by=by, now=self.now, archive=self.archive, ended=ended, settings=self.settings)

    def run(self, pipeline: str | Document, time_range: str | None, formats: Sequence[Format]) -> Run:
        return run(
            pipeline,
            time_range=time_range,
            formats=formats,
            now=self.now,
            archive=self.archive,
            outputs=self.outputs,
            check=False,
            settings=self.settings,
            started=self.started,
            finished=self.finished,
        )

    def draw(self, proposal: Proposal, time_range: str | None, formats: Sequence[Format]) -> Drawings:
        from helio.authoring.proposals.drawings import drawings_of

        folder = self.outputs / f"preview-{proposal.id}"
        before, after = draw_both(
            proposal,
            folder,
            time_range=time_range,
            now=self.now,
            archive=self.archive,
            formats=formats or ["html"],
            settings=self.settings,
        )
        return drawings_of(before, after, folder)


@checked
def new(
    name: str,
    *,
    spacecraft: Sequence[str] = (),
    quantities: Sequence[str] = (),
    datasets: Sequence[str] = (),
    time_range: str | None = None,
    frame: str = "",
    cadence: str = "",
    operations: Sequence[str] = (),
    title: str = "",
    together: bool = False,
    save_as: Sequence[str] = (),
    replace: bool = False,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    settings: Settings | None = None,
) -> SavedPipeline:
    """Write a pipeline that fetches and draws physical quantities, from the given options, without a language model.

    Parameters
    ----------
    name : str
        The pipeline's id.
    spacecraft : sequence of str
        ``["ACE", "Wind"]``. Default for indices: OMNI.
    quantities : sequence of str
        ``["B", "proton density"]``, or a component, ``["Bz"]``; each is fetched for every spacecraft.
    datasets : sequence of str
        Datasets to draw, in addition to the quantities or alone: ``["AC_H2_MFI.BGSEc"]``.
    time_range : str
        The default of the variable ``$TIME_RANGE``. Default: the last available days.
    frame : str
        ``"GSE"``, ``"GSM"``, ``"RTN"``, ``"SM"``, ``"GEO"`` or ``"GEI"``.
    cadence : str
        ``"5min"``: finer data are averaged.
    operations : sequence of str
        Applied in this order to all series: ``["despike:5min", "running_average:10min", "resample:1h:median"]``.
    title : str
        Title of the figure.
    together : bool
        Whether to draw everything in one panel.
    save_as : sequence of str
        File formats in which to save each series: ``["csv"]``.
    archive : str or Path
        A folder of files, or ``"sample"``: it is searched before the catalogue.

    Raises
    ------
    RequestError
        A name is unknown (the error lists similar names), the request is ambiguous, or the pipeline's name is taken.
    NotProved
        The pipeline is not valid.
    """
    from helio.authoring.flags import request_of
    from helio.pipelines.changes import changes

    require_id(name, "pipeline id")
    settings, clock = settings_in_use(settings), read_now(now)
    given = {
        "spacecraft": ",".join(spacecraft),
        "quantity": ",".join(quantities),
        "dataset": ",".join(datasets),
        "time-range": time_range or "",
        "frame": frame,
        "cadence": cadence,
        "op": ",".join(operations),
    }
    words = " ".join(f"--{key} {shlex.quote(value)}" for key, value in given.items() if value)
    with closing(desk(by="rules", now=clock, archive=archive, settings=settings)) as at:
        request = request_of(
            spacecraft=spacecraft,
            quantities=quantities,
            datasets=datasets,
            time_range=time_range,
            frame=frame,
            cadence=cadence,
            operations=operations,
            title=title,
            together=together,
            save_as=save_as,
            catalogue=at.catalogue,
            now=clock,
        )
        replaced = (library(settings).folder / f"{name}.json").exists()
        path, draft = at.new(request, name=name, request=words, replace=replace)
    diagnostics = draft.proved.diagnostics
    return SavedPipeline(
        draft.template, path, draft.notes, diagnostics, changes({}, draft.template), replaced
    )


@checked
def list_archive(
    archive: str | Path | None = None,
    dataset_id: str = "",
    *,
    on_progress: Callable[[str, int], None] = lambda what, count: None,
    settings: Settings | None = None,
) -> ArchiveListing:
    """List what a folder of files contains: datasets, parameters, units, time spans, and files that cannot be read.

    A file is opened only if its name does not tell enough; the result is cached until the file changes.

    Parameters
    ----------
    archive : str or Path
        A folder of CDF, netCDF, CSV or Parquet files; ``"sample"`` for the samples. Default: ``$HELIO_ARCHIVE``.
    dataset_id : str
        List only this dataset, with the exact spans of its files and the gaps between them.
    on_progress : callable
        Called with the kind of objects counted, and their number so far.

    Returns
    -------
    ArchiveListing

    Raises
    ------
    RequestError
        The folder does not exist, or has too many files.
    UnknownDataset
    """
    from helio.sources.archive_listing import list_archive as listed
    from helio.sources.archives import archives_of, is_folder
    from helio.sources.cdf import CdfReader
    from helio.sources.local import LocalArchive
    from helio.sources.registry import SAMPLE

    settings = settings_in_use(settings)
    source = _archive(archive, settings)
    if source != SAMPLE and not is_folder(source):
        raise RequestError(
            f"{source} is not a folder" if source else "no folder was given",
            advice="name a folder of CDF, netCDF, CSV or Parquet files",
        )
    with CdfReader() as reader:
        opened = archives_of(settings, reader, source).choose("")
        assert isinstance(opened, LocalArchive)
        return listed(opened, dataset_id, on_progress)


@checked
def draw_both(
    proposal: Proposal,
    output: str | Path,
    *,
    time_range: str | None = None,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    formats: Sequence[Format] = (),
    settings: Settings | None = None,
) -> tuple[Run | HelioError | None, Run | HelioError]:
    """Draw the figures before and after a proposed change, with two runs that are not among the other runs.

    Parameters
    ----------
    output : str or Path
        Folder for the new folders ``before`` and ``after``.

    Returns
    -------
    before, after : Run, HelioError or None
        The run, or its error if the run fails. `before` is None for a new pipeline.

    Raises
    ------
    Cancelled
    """

    from helio.settings import PreviewSettings
    from helio.store.runs import Runs

    apart = PreviewSettings(**vars(settings_in_use(settings)))

    def drawn(template: Document, name: str) -> Run | HelioError:
        try:
            return run(
                template,
                time_range=time_range,
                now=now,
                archive=archive,
                output=Path(output) / name,
                formats=formats,
                check=False,
                settings=apart,
            )
        except Cancelled:
            raise
        except HelioError as error:
            return error

    before = None if proposal.earlier is None else drawn(proposal.earlier, "before")
    after = drawn(proposal.template, "after")
    records = Runs(apart.runs)
    kept = {record.id for record in records.newest(MOST_PREVIEWS)}
    for run_id in set(records.ids()) - kept:
        if records.load(run_id).summary().status != "running":
            records.delete(run_id)
    return before, after


def _archive(archive: str | Path | None, settings: Settings) -> str:
    """Return the given archive; if none is given, return the archive in the settings."""
    from helio.sources.archives import archive_named

    return archive_named(str(archive or settings.archive))


def _listing_of(archive: str, settings: Settings) -> Listing | None:
    """List the content of a folder or a HAPI server; return None for archives with datasets of the catalogue, and for
    the other providers.
    """
    from helio.sources.archives import archives_of, is_folder
    from helio.sources.cdf import CdfReader
    from helio.sources.registry import SAMPLE, family_of, is_url

    if archive == SAMPLE or is_folder(archive):
        return list_archive(archive, settings=settings)
    if not family_of(archive) and not is_url(archive):
        return None
    from helio.sources.providers.hapi import Hapi
    from helio.sources.server_listing import ServerListing

    server = archives_of(settings, CdfReader(), archive).choose("")
    if not isinstance(server, Hapi) or server.has_catalogued_ids(server.server):
        return None
    return ServerListing(server)


@checked
def read_now(now: datetime | str | None = None) -> datetime:
    """Return the time that a run uses as the current time, in UTC without a time zone; by default the computer's time.

    Raises
    ------
    TimeRangeError
        The text does not mean one instant.
    """
    return read_clock(now)


__all__ = [
    "backfill",
    "blame",
    "chat",
    "check",
    "check_template",
    "cite",
    "describe",
    "desk",
    "diff",
    "draw_both",
    "drift",
    "export_notebook",
    "export_runs",
    "fix",
    "foresee",
    "import_runs",
    "library",
    "list_archive",
    "load",
    "lock",
    "lock_run",
    "new",
    "normalised",
    "plan",
    "preview",
    "read_figure",
    "read_now",
    "refresh",
    "rerun",
    "revision_changes",
    "run",
    "save_runs",
    "verify",
]
