"""Lock files: record the files and tables of a plan's fetches, and compare a run with this record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from helio import __version__
from helio.errors import DamagedRecord, LockMismatch, NoData, NotYetPublished, RequestError, UnknownDataset
from helio.pipelines.plan import Plan, PlannedStep, meant
from helio.pipelines.runs.execute import Execution, StepResult
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.states import DONE
from helio.pipelines.template.document import Document, digest
from helio.sources.archives import absolute_archive
from helio.sources.local import parse_file_name
from helio.sources.provider import Listings, Providers
from helio.steps.fetch.choices import choices_of
from helio.steps.signature import signatures
from helio.store.lock_file import Lock, LockedDataset, LockedFetch, LockedFile, changes
from helio.store.rules import changed_rules, rule_numbers
from helio.store.runs import ChoiceRecord, RunRecord, StepRecord
from helio.store.source_file import LEVELS, Level, Proof, SourceFile, proves
from helio.time_range import TimeRange, parse_time_range

_NOTHING_THERE = (UnknownDataset, NoData, NotYetPublished)
Finished = Callable[[StepResult], None]


def lock_plan(request: RunRequest, execution: Execution, finished: Finished = lambda result: None) -> Lock:
    """Run the fetches of a plan, and record the files that they read and the tables that they made.

    Missing files are downloaded; the tables are stored, so that the run finds them.

    Raises
    ------
    DataError
        A critical fetch failed.
    """
    results: dict[str, StepResult] = {}
    for step in _fetches(request.plan):
        result = execution.run_step(step)
        finished(result)
        if result.error is not None and step.critical and not any(item.keep_partial for item in step.items):
            raise result.error
        results[str(step.step_id)] = result
    return _lock(request, execution.providers, results)


def refuse_other_template(template: Document, lock: Lock) -> None:
    """Refuse a template that differs from the template of a lock file, before helio plans it.

    Raises
    ------
    LockMismatch
    """
    now = replace(
        lock, pipeline=template.get("id", "pipeline"), template=digest(template), document=meant(template)
    )
    _refuse(lock, now)


def refuse_other_files(request: RunRequest, lock: Lock, providers: Providers) -> None:
    """Refuse a plan that differs from a lock file, and archives that list other files than the lock; download nothing.

    Raises
    ------
    LockMismatch

    DataError
        An archive cannot be reached.
    """
    _refuse(lock, _lock(request, providers, {}))


def hold_to_lock(request: RunRequest, lock: Lock, execution: Execution) -> None:
    """Run the fetches of a plan before all other steps, and refuse the run if their data differ from a lock file.

    First the listings of the archives are compared, then the bytes of the files, which are downloaded if necessary,
    and last the tables read from them. For a required proof the digests of the lock do not count: they show that the
    bytes have not changed since, not that they were right.

    Raises
    ------
    LockMismatch
        With each difference, or each file whose proof is too weak.
    DataError
        Locked data are not available.
    """
    refuse_other_files(request, lock, execution.providers)
    locked = {fetch.step_id: fetch for fetch in lock.fetches}
    results: dict[str, StepResult] = {}
    for step in _fetches(request.plan):
        result = execution.run_step(step)
        if result.error is not None and not locked[str(step.step_id)].failed:
            raise result.error
        results[str(step.step_id)] = result
    _refuse(lock, _lock(request, execution.providers, results))
    if request.proof is not None:
        _refuse_unproven(request.plan, execution.providers, results.values(), request.proof)


def lock_of_record(record: RunRecord) -> Lock:
    """Make the content of a lock file from the record of a finished run.

    Raises
    ------
    RequestError
        The run did not succeed, so the data of a complete run are unknown.
    DamagedObject
    """
    header = record.whole_header
    if record.status not in ("success", "partial"):
        raise RequestError(
            f"run {record.id} is {record.status}: only successful or partial runs can be locked"
        )
    if "archive" not in header:
        raise RequestError(f"the record of run {record.id} does not name the archive that it used")
    steps = record.step_records
    return Lock(
        pipeline=header["pipeline"],
        template=header["template_digest"],
        archive=header["archive"],
        now=header["now"],
        values=header["values"],
        helio=header.get("environment", {}).get("helio", ""),
        tools=dict(sorted({step["tool_name"]: step["tool_version"] for step in steps}.items())),
        fetches=recorded_fetches(record),
        rules=header.get("rules", {}),
        document=meant(_own_template(record)),
    )


def _own_template(record: RunRecord) -> Document:
    """Return the template in a run's record; raise an error if it is not the template that ran.

    Raises
    ------
    DamagedRecord
    """
    template: Document = record.authored
    if digest(template) != record.whole_header["template_digest"]:
        raise DamagedRecord(
            f"the record of run '{record.id}' is damaged: its template has changed since the run"
        )
    return template


def recorded_fetches(record: RunRecord) -> tuple[LockedFetch, ...]:
    """Return the files and the tables of each fetch of a run, from the run's record."""
    fetching = {name for name, signature in signatures().items() if signature.gives == "tables"}
    return tuple(
        _fetch_of_record(step, record) for step in _in_planned_order(record) if step["tool_name"] in fetching
    )


def listings(fetches: Iterable[LockedFetch]) -> Listings:
    """Return the list of files for each locked fetch, so that helio need not ask the archive for it."""
    return {
        (dataset.dataset, *fetch.range): tuple(
            SourceFile(dataset.dataset, file.file, file.version, dataset.provider, file.sha256, file.size,
                       url=file.url, last_modified=file.last_modified)
            for file in dataset.files
        )
        for fetch in fetches
        for dataset in fetch.datasets
        if dataset.files and all(file.url for file in dataset.files)
    }  # fmt: skip


def _refuse(lock: Lock, now: Lock) -> None:
    changed = changes(lock, now)
    if not changed:
        return
    tools = any(line.startswith("tool ") for line in changed)
    read = any(line.startswith("step ") for line in changed)
    rules = changed_rules(lock.rules, now.rules) if tools or read else ()
    lines = (*changed, *rules)
    older = bool(tools or rules) and lock.helio != __version__
    raise LockMismatch(
        "the run differs from its lock:" + "".join(f"\n  {line}" for line in lines),
        advice="; or ".join(_ways_out(lock, changed, older=older)),
        differences=lines,
    )


def _ways_out(lock: Lock, changed: Sequence[str], *, older: bool) -> list[str]:
    """List what a user can do if data have changed since the lock file was written, the most likely action first."""
    ways = ["run `helio lock` again to lock the present data"]
    if any(line.startswith("the pipeline: ") for line in changed):
        ways.insert(0, "use --lock FILE with a lock of this pipeline")
    if any(line.startswith("the template: ") for line in changed):
        ways.insert(0, "undo the changes to the template")
    if any(line.startswith("$") for line in changed):
        ways.insert(0, "leave out the time range and the variables, because the lock sets them")
    if older:
        ways.append(f"use helio {lock.helio}, which wrote the lock")
    if listings(lock.fetches) and all(map(_is_published, changed)):
        ways.append("use --locked --offline, while the locked files are cached")
    return ways


def _is_published(change: str) -> bool:
    """Return whether a change is about the list of files at an archive, which helio cannot ask for when offline."""
    return change.startswith("step ") and (
        "was published again" in change or ": version " in change or change.endswith(" is new")
    )


def _refuse_unproven(plan: Plan, providers: Providers, results: Iterable[StepResult], level: Level) -> None:
    every = [source for result in results for output in result.outputs for source in output.sources]
    if any(not source.proof for source in every):  # fetched by a version of helio that did not record it
        now = _proofs_now(plan, providers)
        every = [
            replace(file, proof=file.proof or now.get((file.dataset_id, file.sha256), "")) for file in every
        ]
    weak = dict.fromkeys(
        f"{file.file}: {file.proof or 'unknown'}" for file in every if not proves(file.proof, LEVELS[level])
    )
    if weak:
        raise LockMismatch(
            f"these files do not have the required proof ('{LEVELS[level]}'):"
            + "".join(f"\n  {line}" for line in weak),
            advice="choose a weaker level with --proof (from strong to weak: file, checksum, parts, size), "
            "or use files with a checksum",
            differences=tuple(weak),
        )


def _proofs_now(plan: Plan, providers: Providers) -> dict[tuple[str, str], Proof]:
    """Return for each file of a plan how helio can now prove that it is unchanged, by dataset and sha256."""
    proofs: dict[tuple[str, str], Proof] = {}
    for step in _fetches(plan):
        span = step.time_ranges["time_range"]
        for choice in choices_of(step.args):
            with suppress(*_NOTHING_THERE):
                sources = providers.choose(choice.provider).locate(choice.dataset_id, span)
                proofs |= {
                    (source.dataset_id, source.sha256): source.proof for source in sources if source.sha256
                }
    return proofs


def _fetches(plan: Plan) -> list[PlannedStep]:
    return [step for step in plan.steps if signatures()[step.tool_name].gives == "tables"]


def _lock(request: RunRequest, providers: Providers, results: Mapping[str, StepResult]) -> Lock:
    plan = request.plan
    return Lock(
        pipeline=plan.pipeline_id,
        template=plan.template_digest,
        archive=absolute_archive(request.archive),
        now=plan.now.isoformat(),
        values=plan.values,
        helio=__version__,
        tools=dict(sorted({step.tool_name: step.tool_version for step in plan.steps}.items())),
        fetches=tuple(_fetch(step, providers, results.get(str(step.step_id))) for step in _fetches(plan)),
        rules=rule_numbers(),
        document=meant(plan.authored),
    )


def _fetch(step: PlannedStep, providers: Providers, result: StepResult | None) -> LockedFetch:
    span = step.time_ranges["time_range"]
    datasets = [
        _dataset(providers, choice.provider, choice.dataset_id, choice.parameters, span)
        for choice in choices_of(step.args)
    ]
    tables: dict[str, str] | None = None
    failed = ""
    if result is not None:
        datasets = _with_use(map(_with_known_files, datasets), result.attempts)
        tables = {output.label: output.digest for output in result.outputs}
        failed = "" if result.state in DONE else type(result.error).__name__
    start, stop = span.as_iso()
    return LockedFetch(str(step.step_id), (start, stop), tuple(datasets), tables, failed)


def _dataset(
    providers: Providers, provider: str, dataset_id: str, parameters: tuple[str, ...], span: TimeRange
) -> LockedDataset:
    archive = providers.choose(provider)
    try:
        sources = archive.locate(dataset_id, span)
    except _NOTHING_THERE as error:
        return LockedDataset(dataset_id, parameters, archive.name, absent=type(error).__name__)
    return LockedDataset(dataset_id, parameters, archive.name, _files(sources))


def _files(sources: Iterable[SourceFile]) -> tuple[LockedFile, ...]:
    """Return the files among the sources of a table; leave out replies of services, whose tables are compared."""
    return tuple(
        LockedFile(source.file, source.version, source.url, source.size, source.sha256, source.last_modified)
        for source in sources
        if not source.reply
    )


def _with_known_files(dataset: LockedDataset) -> LockedDataset:
    """Keep the files of a dataset only if the sha256 of at least one file is known.

    A service that replies for an interval, such as a HAPI server, has no files.
    """
    return dataset if any(file.sha256 for file in dataset.files) else replace(dataset, files=())


def _with_use(
    datasets: Iterable[LockedDataset], attempts: Sequence[Mapping[str, Any]]
) -> list[LockedDataset]:
    """Mark which dataset of a fetch was used: datasets were tried in order, and the last attempt was used.

    Files of candidates that were never tried do not matter, and are left out.
    """
    used = len(attempts) - 1 if attempts and attempts[-1]["outcome"] == "used" else -1
    marked = [replace(dataset, used=number == used) for number, dataset in enumerate(datasets)]
    return [
        replace(dataset, files=()) if 0 <= used < number else dataset for number, dataset in enumerate(marked)
    ]


def _in_planned_order(record: RunRecord) -> list[StepRecord]:
    """Sort the steps in a record by their order in the plan, because an engine may end steps in any order."""
    planned = [str(step["step_id"]) for step in record.plan["steps"]]
    places = {step_id: index for index, step_id in enumerate(planned)}
    return sorted(record.step_records, key=lambda step: places.get(str(step["step_id"]), len(places)))


def _fetch_of_record(step: StepRecord, record: RunRecord) -> LockedFetch:
    outputs = step["outputs"]
    if not outputs:
        span = _planned_span(step, record)
        return LockedFetch(
            str(step["step_id"]),
            span,
            (),
            failed=step["state"] if step["error"] is None else step["error"]["kind"],
        )
    return _fetch_of_outputs(str(step["step_id"]), outputs, step["attempts"])


def fetch_of_result(result: StepResult) -> LockedFetch:
    """Return the files and the tables of one finished fetch."""
    step_id = str(result.step.step_id)
    if not result.outputs:
        failed = result.state if result.error is None else type(result.error).__name__
        start, stop = result.step.time_ranges["time_range"].as_iso()
        return LockedFetch(step_id, (start, stop), (), failed=failed)
    return _fetch_of_outputs(step_id, [vars(output) for output in result.outputs], result.attempts)


def _fetch_of_outputs(
    step_id: str, outputs: Sequence[Mapping[str, Any]], attempts: Sequence[Mapping[str, Any]]
) -> LockedFetch:
    sources = {source.file: source for output in outputs for source in output["sources"]}
    merged: dict[int, LockedDataset] = {}
    for output in outputs:
        for number, choice in enumerate(output["recipe"]["choices"]):
            known = merged.get(number)
            if known is not None:
                merged[number] = replace(known, parameters=(*known.parameters, choice["parameter"]))
                continue
            none = choice["files"] if isinstance(choice["files"], str) else ""
            merged[number] = LockedDataset(
                choice["dataset"],
                (choice["parameter"],),
                choice["provider"],
                () if none else _files(_recorded(choice, sources)),
                none.removeprefix("none: "),
            )
    start, stop = outputs[0]["recipe"]["range"]
    locked = (_with_known_files(merged[number]) for number in sorted(merged))
    datasets = _with_use(locked, attempts)
    tables = {made["label"]: made["digest"] for made in outputs}
    return LockedFetch(step_id, (start, stop), tuple(datasets), tables)


def _recorded(choice: ChoiceRecord, sources: Mapping[str, SourceFile]) -> list[SourceFile]:
    """Return the files that a recipe names, with the facts about them from the run's record, as far as known."""
    files = []
    for name, identity in choice["files"] if isinstance(choice["files"], list) else ():
        known = sources.get(name)
        if known is None or known.dataset_id.upper() != choice["dataset"].upper():
            url, _, rest = identity.partition("|")
            size, _, published = rest.partition("|")
            named = parse_file_name(name)
            known = SourceFile(
                choice["dataset"], name, named.version if named else "", choice["provider"],
                sha256="" if rest else identity, size=int(size or 0),
                url=url if rest else "", last_modified=published,
            )  # fmt: skip
        files.append(known)
    return files


def _planned_span(step: StepRecord, record: RunRecord) -> tuple[str, str]:
    planned = (
        planned_step["tool_args"]
        for planned_step in record.plan["steps"]
        if planned_step["step_id"] == step["step_id"]
    )
    time_range = next(planned, {}).get("time_range")
    if not isinstance(time_range, str):
        raise DamagedRecord(f"the plan of run '{record.id}' has no time range for step '{step['step_id']}'")
    span = parse_time_range(time_range, datetime.fromisoformat(record.whole_header["now"]))
    start, stop = span.as_iso()
    return start, stop
