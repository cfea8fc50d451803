"""Lock what a plan is made from, and hold a run to a lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

from helio import __version__
from helio.errors import DamagedRecord, LockMismatch, NoData, NotYetPublished, RequestError, UnknownDataset
from helio.pipelines.plan import Plan, PlannedStep, spelled
from helio.pipelines.runs.execute import Execution, StepResult
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.runs.states import DONE
from helio.pipelines.template.document import NOT_MEANING, Document, digest
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
    """Run a plan's fetches, and say what they were made from and what they gave.

    What is not here is downloaded; what was read is in the store, so that the run finds it there.

    Raises
    ------
    DataError
        A fetch without which the run fails cannot be done.
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
    """Compare a template with a lock, before it is planned with the lock's values.

    Raises
    ------
    LockMismatch
    """
    now = replace(
        lock, pipeline=template.get("id", "pipeline"), template=digest(template), document=meant(template)
    )
    _refuse(lock, now)


def meant(template: Document) -> dict[str, Any]:
    """What of a template can change a result: its variables, and its steps by their ids, in their one spelling.

    Names, descriptions and intents are words for people and do not enter it, nor does what passes derive.
    """
    plain = spelled(template).plan
    variables = plain.get("variables") or {}
    return {
        "variables": {name: _without(facts, ("description",)) for name, facts in variables.items()},
        "steps": {str(step["step_id"]): _meant_step(step) for step in plain["steps"]},
    }


def _meant_step(step: Document) -> Document:
    kept = _without(step, ("step_id", "intent", "produces", *NOT_MEANING))
    return kept | ({"block": [*map(_meant_inner, step["block"])]} if "block" in step else {})


def _meant_inner(step: Any) -> Any:
    return {"step_id": step.get("step_id"), **_meant_step(step)} if isinstance(step, dict) else step


def _without(facts: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name not in names}


def refuse_other_files(request: RunRequest, lock: Lock, providers: Providers) -> None:
    """Compare a plan, and the files that its archives list, with a lock; nothing is downloaded.

    Raises
    ------
    LockMismatch
        Naming each difference.
    DataError
        An archive cannot be asked.
    """
    _refuse(lock, _lock(request, providers, {}))


def hold_to_lock(request: RunRequest, lock: Lock, execution: Execution) -> None:
    """Refuse a run that would use anything that is not in a lock, before any of its other steps runs.

    The files are compared as their archives list them, then downloaded if need be, and compared by their bytes;
    last, what was read from them is compared with what was read when they were locked. Where a proof is asked for,
    the digests of the lock do not count: they say that the bytes are those that were locked, and not that these were
    right.

    Raises
    ------
    LockMismatch
        Naming each difference, or each file that is not proven as well as that.
    DataError
        What is locked cannot be had.
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
    """The lock of what a finished run was made from, as its record has it.

    Raises
    ------
    RequestError
        The run did not end well, so what it would have used is not known.
    DamagedObject
    """
    header = record.whole_header
    if record.status not in ("success", "partial"):
        raise RequestError(f"run {record.id} is {record.status}: what it is made from is not known")
    if "archive" not in header:
        raise RequestError(f"the record of run {record.id} does not say which archive it used")
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
    """Return the template of a run if its digest is still the one in the header.

    Raises
    ------
    DamagedRecord
    """
    template: Document = record.authored
    if digest(template) != record.whole_header["template_digest"]:
        raise DamagedRecord(f"the template in the record of run '{record.id}' is not the one that ran")
    return template


def recorded_fetches(record: RunRecord) -> tuple[LockedFetch, ...]:
    """What each fetch of a run was made from, and what it gave."""
    fetching = {name for name, signature in signatures().items() if signature.gives == "tables"}
    return tuple(
        _fetch_of_record(step, record) for step in _in_planned_order(record) if step["tool_name"] in fetching
    )


def listings(fetches: Iterable[LockedFetch]) -> Listings:
    """The files of locked fetches, for an archive that is not to be asked which there are."""
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
    found = list(changed)
    tools = any(line.startswith("tool ") for line in found)
    read = any(line.startswith("step ") for line in found)
    rules = changed_rules(lock.rules, now.rules) if tools or read else ()
    found += rules
    older = (tools or rules) and lock.helio != __version__
    ways = ["helio lock again, which takes what there is now"]
    if any(line.startswith("the pipeline: ") for line in found):
        ways.insert(0, "--lock FILE, with a lock of this pipeline")
    if any(line.startswith("the template: ") for line in found):
        ways.insert(0, "take back what changed in the template")
    if any(line.startswith("$") for line in found):
        ways.insert(0, "leave out what the lock has already: range and variables")
    if older:
        ways.append(f"helio {lock.helio}, which it was locked with")
    if listings(lock.fetches) and all(map(_is_published, changed)):
        ways.append("--locked --offline, as long as the locked files are kept")
    raise LockMismatch(
        "this is not what is locked:" + "".join(f"\n  {line}" for line in found),
        advice="; or ".join(ways),
        differences=tuple(found),
    )


def _is_published(change: str) -> bool:
    """Whether a change is one of the files that an archive lists, which offline is not asked."""
    return change.startswith("step ") and (
        "was published again" in change or ": version " in change or change.endswith(" is new")
    )


def _refuse_unproven(plan: Plan, providers: Providers, results: Iterable[StepResult], level: Level) -> None:
    every = [source for result in results for output in result.outputs for source in output.sources]
    if any(not source.proof for source in every):  # fetched by a helio that did not record it
        now = _proofs_now(plan, providers)
        every = [
            replace(file, proof=file.proof or now.get((file.dataset_id, file.sha256), "")) for file in every
        ]
    weak = dict.fromkeys(
        f"{file.file}: {file.proof or 'not known'}" for file in every if not proves(file.proof, LEVELS[level])
    )
    if weak:
        raise LockMismatch(
            f"the bytes of these files are proven by less than '{LEVELS[level]}':"
            + "".join(f"\n  {line}" for line in weak),
            advice="--proof with a weaker level (file, checksum, parts, size), or files that carry a checksum",
            differences=tuple(weak),
        )


def _proofs_now(plan: Plan, providers: Providers) -> dict[tuple[str, str], Proof]:
    """What is known now of the files of a plan, by data set and sha256."""
    found: dict[tuple[str, str], Proof] = {}
    for step in _fetches(plan):
        span = step.time_ranges["time_range"]
        for choice in choices_of(step.args):
            with suppress(*_NOTHING_THERE):
                sources = providers.choose(choice.provider).locate(choice.dataset_id, span)
                found |= {
                    (source.dataset_id, source.sha256): source.proof for source in sources if source.sha256
                }
    return found


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
    """The files among the sources; what a service answered is held to by what was read from it."""
    return tuple(
        LockedFile(source.file, source.version, source.url, source.size, source.sha256, source.last_modified)
        for source in sources
        if not source.reply
    )


def _with_known_files(one: LockedDataset) -> LockedDataset:
    """The dataset with its files, if any of them is known by its bytes.

    A service that answers for an interval, such as a HAPI server, has none.
    """
    return one if any(file.sha256 for file in one.files) else replace(one, files=())


def _with_use(
    datasets: Iterable[LockedDataset], attempts: Sequence[Mapping[str, Any]]
) -> list[LockedDataset]:
    """Which of the datasets was taken: each attempt is the next one of them, and the last is the one used.

    The files of those whose turn never came decide nothing, and are left out.
    """
    used = len(attempts) - 1 if attempts and attempts[-1]["outcome"] == "used" else -1
    found = [replace(dataset, used=number == used) for number, dataset in enumerate(datasets)]
    return [
        replace(dataset, files=()) if 0 <= used < number else dataset for number, dataset in enumerate(found)
    ]


def _in_planned_order(record: RunRecord) -> list[StepRecord]:
    """The steps of a record as its plan has them: an engine ends them in another order each time."""
    planned = [str(step["step_id"]) for step in record.plan["steps"]]
    places = {step_id: index for index, step_id in enumerate(planned)}
    return sorted(record.step_records, key=lambda one: places.get(str(one["step_id"]), len(places)))


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
    found = (_with_known_files(merged[number]) for number in sorted(merged))
    datasets = _with_use(found, step["attempts"])
    tables = {made["label"]: made["digest"] for made in outputs}
    return LockedFetch(str(step["step_id"]), (start, stop), tuple(datasets), tables)


def _recorded(choice: ChoiceRecord, sources: Mapping[str, SourceFile]) -> list[SourceFile]:
    """The files of a recipe, by what is known of those that gave records."""
    found = []
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
        found.append(known)
    return found


def _planned_span(step: StepRecord, record: RunRecord) -> tuple[str, str]:
    planned = (
        planned_step["tool_args"]
        for planned_step in record.plan["steps"]
        if planned_step["step_id"] == step["step_id"]
    )
    time_range = next(planned, {}).get("time_range")
    if not isinstance(time_range, str):
        raise DamagedRecord(f"the plan of run '{record.id}' has no time range of step '{step['step_id']}'")
    span = parse_time_range(time_range, datetime.fromisoformat(record.whole_header["now"]))
    start, stop = span.as_iso()
    return start, stop
