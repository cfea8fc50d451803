"""What a notebook calls: read a template, check it, plan it, run it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import Cancelled, HelioError, RequestError
from helio.pipelines.arguments import checked, read_clock
from helio.pipelines.library import Library
from helio.pipelines.template.diagnostics import Diagnostic, without_hints
from helio.pipelines.template.document import ID, Document, require_id
from helio.settings import Settings, settings_in_use

if TYPE_CHECKING:
    from threading import Event

    from helio.authoring.desk import By, Desk
    from helio.authoring.proposals import Proposal
    from helio.knowledge.citations import Citation
    from helio.pipelines.changes import Change
    from helio.pipelines.plan import Plan, PlannedStep
    from helio.pipelines.runs.compare import Comparison
    from helio.pipelines.runs.execute import StepResult
    from helio.pipelines.runs.outcome import Run
    from helio.pipelines.runs.session import Engine
    from helio.pipelines.template.files import Format
    from helio.pipelines.template.runner import Rewritten
    from helio.sources.archive_listing import ArchiveListing
    from helio.sources.archives import Access
    from helio.steps.describe import Description, Preview
    from helio.store.lock_file import Lock
    from helio.store.source_file import Level

EngineName = Literal["direct", "prefect", "ephemeral"]


@checked
def library(settings: Settings | None = None) -> Library:
    """The shipped templates and the user's own."""
    return Library(settings_in_use(settings).templates)


@checked
def load(pipeline: str | Path | Document, settings: Settings | None = None) -> Document:
    """The template of a pipeline's name, of a JSON file, or one given as a dict.

    Its fields are where they belong and of their types; whether it can run is what `check` says.

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
) -> tuple[Diagnostic, ...]:
    """Everything that is wrong with a template, errors and warnings; empty when it is right.

    Parameters
    ----------
    archive : str or Path
        The archive of the runs. A folder decides itself which data sets it has.
    hints : bool
        Whether to add hints: what could be better, and is not wrong.
    """
    found = check_template(load(pipeline), now=now, archive=archive).diagnostics
    return found if hints else without_hints(found)


@checked
def check_template(
    template: Document,
    *,
    now: datetime | str | None = None,
    archive: str | Path | None = None,
    settings: Settings | None = None,
) -> Rewritten:
    """The diagnostics of a template, hints among them, and the plan without values that it becomes."""
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
    """A template with each field, name and value in its one spelling, nothing else done to it.

    Raises
    ------
    InvalidTemplate
        A field is not where it belongs, or not of its type.
    """
    from helio.pipelines.plan import normal_form

    return normal_form(template)


@dataclass(frozen=True)
class Mended:
    """What became of a template that was mended.

    Parameters
    ----------
    diff : str
        A unified diff from the template as it was to the mended one; empty when there was nothing to mend.
    diagnostics : tuple of Diagnostic
        What was changed in a way that an author must know, and what could not be mended.
    written : Path or None
        The file that was replaced.
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
    """Mend what can be mended in a template, whoever wrote it: spellings, labels, dependencies, times.

    Parameters
    ----------
    pipeline : str or Path
        One of the user's own, or a JSON file; a shipped one can only be looked at.
    write : bool
        Whether the file is replaced when everything could be mended; the old one of the library is kept as a
        revision.
    """
    from helio.pipelines.history import Writing
    from helio.pipelines.known import KnownDatasets
    from helio.pipelines.mend import mend

    settings, clock = settings_in_use(settings), read_now(now)
    shelf = library(settings)
    entry = shelf.find(str(pipeline))
    text = shelf.text(entry)
    known = KnownDatasets(settings.home, clock, spans=False)
    template, diff, found = mend(
        text, now=clock, name=entry.path.name, catalogue=known, pipelines=shelf.templates()
    )
    wrong = any(one.severity == "error" for one in found)
    written = None
    if write and diff and not wrong:
        written = shelf.replace(entry, template, Writing("mended"))
    return Mended(template, diff, found, written)


@dataclass(frozen=True)
class Saved:
    """A template as it was saved."""

    template: Document = field(repr=False)
    path: Path
    notes: tuple[str, ...]
    """What was assumed, or left out, and why."""
    diagnostics: tuple[Diagnostic, ...]
    """What was changed in a way that its author must know."""
    changes: tuple[Change, ...]
    """What differs from the pipeline that it replaced; all of it where there was none."""
    replaced: bool
    """Whether there was a pipeline of that name."""


@checked
def save_runs(
    runs: Sequence[tuple[str, Sequence[str]]],
    name: str,
    *,
    replace: bool = False,
    settings: Settings | None = None,
) -> Saved:
    """Save what runs did as a pipeline: literal ranges become variables, what failed or led nowhere is left out.

    Parameters
    ----------
    runs : sequence of (id, step ids)
        Without step ids everything is taken that came to something.
    name : str
        The pipeline's id.

    Raises
    ------
    UnknownRun
    RequestError
        A step that is named failed, or nothing is left.
    InvalidTemplate
        What is left cannot run.
    """
    from helio.pipelines.changes import changes
    from helio.pipelines.dialect.parse import parse
    from helio.pipelines.history import Writing, read_as_it_is
    from helio.pipelines.mend import mend
    from helio.pipelines.runs.as_template import Chosen, template_of
    from helio.pipelines.template.diagnostics import InvalidTemplate
    from helio.store.runs import Runs

    require_id(name, "pipeline id")
    settings = settings_in_use(settings)
    shelf, records = library(settings), Runs(settings.runs)
    chosen = [Chosen(records.load(one), tuple(steps)) for one, steps in runs]
    made, notes = template_of(chosen, name, settings.servers)
    template, _, found = mend(json.dumps(made), now=read_now(None), pipelines=shelf.templates())
    if any(one.severity == "error" for one in found):
        raise InvalidTemplate(found)
    said = ", ".join(one.run.id for one in chosen)
    text = read_as_it_is(shelf.folder / f"{name}.json") if ID.fullmatch(name) else None
    before = parse(text or "")
    path = shelf.save(template, replace=replace, writing=Writing("saved", request=f"what {said} did"))
    changed = changes({} if before.errors else before.plan, template)
    return Saved(template, path, notes, found, changed, text is not None)


@checked
def revision_changes(name: str, number: int, settings: Settings | None = None) -> tuple[Change, ...]:
    """What a revision of one of the user's own pipelines changed of the one before it; all of it for the first one.

    Raises
    ------
    UnknownPipeline, RequestError
        There is no such pipeline or revision.
    InvalidTemplate
        A revision is no template.
    """
    from helio.pipelines.changes import changes
    from helio.pipelines.dialect.parse import parse
    from helio.pipelines.template.diagnostics import InvalidTemplate

    shelf = library(settings)
    kept = shelf.history(shelf.own(name).id)
    texts = {number: kept.text(number)}
    earlier = [revision.number for revision in kept.revisions() if revision.number < number]
    texts |= {max(earlier): kept.text(max(earlier))} if earlier else {}
    read = {revision: parse(text) for revision, text in texts.items()}
    for revision, found in read.items():
        if found.errors:
            raise InvalidTemplate(found.errors, place=f"revision {revision} of {name}")
    return changes(read[max(earlier)].plan if earlier else {}, read[number].plan)


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
    """The verified plan of one run, executed by nobody yet.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    """
    from helio.pipelines.runs.prepare import plan_of
    from helio.pipelines.runs.request import PlanRequest

    asked = PlanRequest(pipeline, time_range, variables, now, archive)
    return plan_of(asked, settings_in_use(settings))


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
    engine: EngineName = "direct",
    locked: str | Path | None = None,
    proof: Level | None = None,
    access: Access | None = None,
    settings: Settings | None = None,
    planned: Callable[[Plan], None] = lambda plan: None,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> Run:
    """Run a pipeline; what the store has already is not made again.

    Parameters
    ----------
    pipeline : str, Path or dict
        A pipeline's name, a JSON file, a template, or a plan that ``helio plan`` saved.
    time_range : str
        ``"2021-10-28"``, ``"last 7 days"``, … for ``$TIME_RANGE``, or the only time variable.
    variables : mapping
        Values of other variables, by name with or without ``$``.
    now : datetime or str
        The run's clock; the present when left out.
    archive : str or Path
        A folder of CDF files, or ``"sample"``; the steps' own providers when left out.
    output : str or Path
        A folder for figures, exports and ``run.json``.
    outputs : str or Path
        When `output` is left out: a folder in which the run gets one of its own. Nothing is written when both
        are left out.
    formats : sequence of str
        Formats of figures beside those that the template states, which are HTML and JSON where it states none.
    engine : "direct", "prefect" or "ephemeral"
        Who runs what the store has not: this process, one step after another; a Prefect flow against the server;
        a Prefect flow with a server of its own in this process.

    locked : str or Path, optional
        A lock that `lock` wrote. The run is refused if it would use anything else; range, variables, clock and
        archive are the lock's where they are not given.

    proof : "file", "checksum", "parts" or "size", optional
        Refuse a locked run whose files are not proven as well: by a checksum in the file, by that or one of the
        archive, by checksums of their parts, or by their size. The digests of the lock do not count.

    access : Access, optional
        How the network may be used: ``Access(offline=True)``.

    planned : callable
        Called with the plan before anything runs: its values and time ranges are resolved.

    Returns
    -------
    Run
        A failed step is in ``run.status`` and ``run.result.steps``, not raised.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError, OutputError
        Before anything has run.
    LockMismatch
        The run would use something else than its lock says.
    EngineError
        The engine's server cannot be started or reached.
    Cancelled
        Ended by Ctrl-C; what is finished is in the store, and the same call goes on from there.
    """
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest

    if formats and output is None and outputs is None:
        raise RequestError(
            "formats are those of files, and the run writes none",
            advice="output='a folder' writes them there",
        )
    if proof is not None and locked is None:
        raise RequestError("a proof can be required of a locked run", advice="--locked, or --lock FILE")
    settings = settings_in_use(settings)
    asked = PlanRequest(pipeline, time_range, variables, now, archive)
    request = replace(
        prepare_run(asked, settings, locked=locked, access=access),
        proof=proof,
        output=None if output is None else Path(output),
        outputs=None if outputs is None else Path(outputs),
        formats=tuple(formats),
    )
    planned(request.plan)
    # What executes is imported once there is something to execute.
    from helio.pipelines.runs.session import run_plan

    made_by = _engine(engine, settings)
    return run_plan(request, settings=settings, engine=made_by, started=started, finished=finished)


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
    """The plan of one run, and as JSON what each step would do; held to a lock where one is given.

    `planned` is called with the plan before the archives are asked.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    LockMismatch
        The run would use something else than its lock says.
    """
    from helio.pipelines.runs.foresee import foresee as foreseen
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest

    settings = settings_in_use(settings)
    asked = PlanRequest(pipeline, time_range, variables, now, archive)
    request = prepare_run(asked, settings, locked=locked, access=access)
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
    """Lock what a run of a pipeline is made from; files that are not here are downloaded.

    Returns
    -------
    Lock
        ``lock.write(Path("helio.lock"))`` keeps it for ``run(…, locked="helio.lock")``.

    Raises
    ------
    UnknownPipeline, InvalidTemplate, TimeRangeError
    DataError
        A fetch without which the run fails cannot be done.
    """
    from helio.pipelines.runs.locking import lock_plan
    from helio.pipelines.runs.prepare import prepare_run
    from helio.pipelines.runs.request import PlanRequest
    from helio.pipelines.runs.session import open_session

    settings = settings_in_use(settings)
    asked = PlanRequest(pipeline, time_range, variables, now, archive)
    request = prepare_run(asked, settings, access=access)
    with open_session(request, settings) as session:
        return lock_plan(request, session.execution, finished)


@checked
def lock_run(run_id: str, settings: Settings | None = None) -> Lock:
    """The lock of what a finished run was made from; nothing is downloaded.

    Raises
    ------
    UnknownRun
    RequestError
        The run did not end well.
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
    """Run again what a record says was run, in an empty store of its own, and compare with what came of it.

    Returns
    -------
    Comparison
        ``same_results`` when every table, figure and file came out as it was; else ``first`` is where it parts.

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
    """How the datasets of a run are cited, and what is not known of them.

    Raises
    ------
    UnknownRun
    """
    from helio.knowledge.citations import citations_of, uses_of
    from helio.store.runs import Runs

    settings = settings_in_use(settings)
    return citations_of(uses_of(Runs(settings.runs).load(run_id).step_records), settings.home)


@checked
def describe(run_id: str, label: str = "", settings: Settings | None = None) -> tuple[Description, ...]:
    """Bounded facts about a table that a run made, or about all of them: span, cadence, gaps, missing values, range.

    Parameters
    ----------
    run_id : str
        A run's id, or the beginning of one.
    label : str
        ``"AC_H2_MFI.BGSEc"``, ``"AC_H2_MFI.BGSEc.Bz"``; every table of the run when left out.

    Raises
    ------
    UnknownRun, RequestError, StepError
        No such run, no table of that label, no such component.
    DamagedObject
        The store has the table no longer.
    """
    from helio.pipelines.runs.kept_tables import kept_labels, kept_table
    from helio.steps.describe import describe as described
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    record, store = Runs(settings.runs).load(run_id), Store(settings.store)
    labels = [label] if label else kept_labels(record)
    return tuple(described(kept_table(record, one, store), one) for one in labels)


@checked
def preview(
    run_id: str,
    label: str,
    *,
    rows: int | None = None,
    position: Literal["head", "tail", "both"] = "head",
    settings: Settings | None = None,
) -> Preview:
    """The first or the last records of a table that a run made, or both; 5 of them, 3 of a spectrum.

    Raises
    ------
    UnknownRun, RequestError, StepError
        No such run, no table of that label, no such component, more than 50 rows (10 of a spectrum).
    DamagedObject
        The store has the table no longer.
    """
    from helio.pipelines.runs.kept_tables import kept_table
    from helio.steps.describe import preview as previewed
    from helio.store.runs import Runs
    from helio.store.store import Store

    settings = settings_in_use(settings)
    table = kept_table(Runs(settings.runs).load(run_id), label, Store(settings.store))
    return previewed(table, label, rows=rows, position=position)


def _engine(name: EngineName, settings: Settings) -> Engine:
    from helio.pipelines.runs.session import Direct

    if name == "direct":
        return Direct()
    if name in ("prefect", "ephemeral"):
        from helio.flows.prefect import PrefectEngine

        return PrefectEngine(settings, settings.environ, ephemeral=name == "ephemeral")
    raise RequestError(f"there is no engine '{name}'", advice="direct, prefect or ephemeral")


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
    """Where pipelines are asked for in words: `Desk.create`, `Desk.edit`, `Desk.repair`; close it afterwards.

    What comes of it waits as a proposal in ``desk.proposals``, to be accepted or rejected; nothing is executed.

    Parameters
    ----------
    by : "auto", "rules" or "model"
        Who writes: a model where there is a key for one, else the rules, when it is ``auto``.
    archive : str or Path
        A folder of files, or ``"sample"``. It is searched before the catalogue, and its datasets may be proposed
        whether or not the catalogue knows them.
    replay : str or Path
        A transcript that answers in place of the model: its file, or its id. Its clock counts where none is given.

    Raises
    ------
    NoKey
        A model is wanted, and there is no key; when it is first asked.
    """
    from helio.authoring.desk import Desk

    settings = settings_in_use(settings)
    source = _archive(archive, settings)
    if replay is not None:
        from helio.authoring.transcript import clock_of, find_transcript

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
) -> Saved:
    """Write a pipeline of the user's own that fetches quantities, computes and draws them; no model is asked.

    Parameters
    ----------
    name : str
        The pipeline's id.
    spacecraft : sequence of str
        ``["ACE", "Wind"]``; OMNI for indices when left out.
    quantities : sequence of str
        ``["B", "proton density"]``; each of every spacecraft. A component is ``"Bz"``.
    datasets : sequence of str
        Data sets to draw beside them, or instead: ``["AC_H2_MFI.BGSEc"]``.
    time_range : str
        The default of the variable ``$TIME_RANGE``; when left out, the last days that there are.
    frame : str
        ``"GSE"``, ``"GSM"``, ``"RTN"``, ``"SM"``, ``"GEO"`` or ``"GEI"``.
    cadence : str
        ``"5min"``: finer data are averaged.
    operations : sequence of str
        Applied in this order to all of it: ``["despike:5min", "running_average:10min", "resample:1h:median"]``.
    title : str
        Of the figure.
    together : bool
        Whether to draw all of it in one panel.
    save_as : sequence of str
        Forms of files in which to save each series: ``["csv"]``.
    archive : str or Path
        A folder of files, or ``"sample"``: it is searched before the catalogue.

    Raises
    ------
    RequestError
        A name is unknown, with those that are near; something is left open; or the name is taken.
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
    found = draft.proved.diagnostics
    return Saved(draft.template, path, draft.notes, found, changes({}, draft.template), replaced)


@checked
def list_archive(
    archive: str | Path | None = None,
    dataset_id: str = "",
    *,
    on_progress: Callable[[str, int], None] = lambda what, count: None,
    settings: Settings | None = None,
) -> ArchiveListing:
    """List what a folder of files holds: datasets, parameters, units, spans, and files that cannot be read.

    A file is opened only where its name does not tell enough, and what it says is remembered until it is written to.

    Parameters
    ----------
    archive : str or Path
        A folder of CDF, netCDF, CSV or Parquet files; ``"sample"`` for the samples; ``$HELIO_ARCHIVE`` when left out.
    dataset_id : str
        List this dataset alone, with the exact spans of its files and the gaps between them.
    on_progress : callable
        Called with what is counted, and how many there are so far.

    Returns
    -------
    ArchiveListing

    Raises
    ------
    RequestError
        There is no such folder, or it has more files than one walk looks at.
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
    """The figures before and after a change that waits for a yes, through ordinary runs.

    Parameters
    ----------
    output : str or Path
        Gets the folders ``before`` and ``after``.

    Returns
    -------
    before, after : Run, HelioError or None
        The error where one of them cannot be run at all, which a change may be there to mend. None where there was
        nothing before.

    Raises
    ------
    Cancelled
    """

    def drawn(template: Document, name: str) -> Run | HelioError:
        try:
            return run(
                template,
                time_range=time_range,
                now=now,
                archive=archive,
                output=Path(output) / name,
                formats=formats,
                settings=settings,
            )
        except Cancelled:
            raise
        except HelioError as error:
            return error

    before = None if proposal.earlier is None else drawn(proposal.earlier, "before")
    return before, drawn(proposal.template, "after")


def _archive(archive: str | Path | None, settings: Settings) -> str:
    """The archive that is given, else that of the environment."""
    from helio.sources.archives import archive_named

    return archive_named(str(archive or settings.archive))


def _listing_of(archive: str, settings: Settings) -> ArchiveListing | None:
    """What an archive of one's own holds; what the catalogue or a server knows is asked there."""
    from helio.sources.archives import is_folder
    from helio.sources.registry import SAMPLE

    if archive != SAMPLE and not is_folder(archive):
        return None
    return list_archive(archive, settings=settings)


@checked
def read_now(now: datetime | str | None = None) -> datetime:
    """Read a run's clock as naive UTC; the present when left out.

    Raises
    ------
    TimeRangeError
        The text is not one instant.
    """
    return read_clock(now)


__all__ = [
    "check",
    "check_template",
    "cite",
    "describe",
    "desk",
    "diff",
    "draw_both",
    "fix",
    "foresee",
    "library",
    "list_archive",
    "load",
    "lock",
    "lock_run",
    "new",
    "normalised",
    "plan",
    "preview",
    "read_now",
    "revision_changes",
    "run",
    "save_runs",
    "verify",
]
