"""Execute the steps of a plan, or take their results from the store; every engine uses this module."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from helio.clock import Clock
from helio.errors import (
    Cancelled,
    DamagedObject,
    HelioError,
    Offline,
    Republished,
    TransientError,
    WorkerKilled,
)
from helio.pipelines.analyses.work import Recipe
from helio.pipelines.plan import Plan, PlannedStep
from helio.pipelines.runs.call import call_tool
from helio.pipelines.runs.figure_details import record_detail, stored_detail
from helio.pipelines.runs.recipes import Input, PlannedOutput, recipe_of_inputs, recipes_of_fetch
from helio.pipelines.runs.replies import error_from, table_facts
from helio.pipelines.runs.states import (
    LostItem,
    State,
    Status,
    blocked_by,
    lost_item,
    lost_items,
    may_lack,
    named,
    status_of,
)
from helio.pipelines.runs.worker_pool import Workers
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.document import shortened
from helio.pipelines.template.figures import without_labels
from helio.pipelines.template.retries import Retries
from helio.sources.provider import Providers, Remote
from helio.steps.fetch.choices import ABSENT, choices_of
from helio.steps.render.detail import Detail
from helio.steps.signature import signatures
from helio.store.expected_records import share_of_expected
from helio.store.no_values import NOTHING_FOUND, no_values_note
from helio.store.source_file import SourceFile, is_on_name
from helio.store.store import Store, StoredResult

if TYPE_CHECKING:
    from helio.store.table import Table

log = logging.getLogger(__name__)

_LONGEST_REASON = 150
"""Maximum number of letters of the reason that a panel without data shows."""
PASSING = (TransientError, WorkerKilled)
"""Errors that may pass within seconds or minutes. A full disk does not empty itself."""
_FETCHES = 3
"""Maximum number of attempts to fetch data if the data change during the fetch."""


@dataclass(frozen=True)
class Output:
    """Output of a step: a table with its label, or a figure or an export, which have no label."""

    label: str
    key: str
    recipe: Recipe = field(repr=False)
    digest: str
    suffix: str
    facts: Mapping[str, Any] = field(repr=False)
    sources: tuple[SourceFile, ...] = field(default=(), repr=False)
    cached: bool = False
    made_at: str = ""
    """Time when the results were computed, or when the files of a fetch were read: ISO 8601, UTC."""


@dataclass(frozen=True)
class StepResult:
    """Result of one planned step: its state, outputs and error."""

    step: PlannedStep
    state: State
    outputs: tuple[Output, ...] = ()
    attempts: tuple[Mapping[str, Any], ...] = ()
    error: HelioError | None = None
    reason: str = ""
    """Reason why the step was skipped, or why it had to run."""
    without: tuple[str, ...] = ()
    """What is missing in the result because it failed, from all steps before this step: items as ``step[item]``, and
    for a figure the ids of steps."""
    seconds: float = 0.0
    sought: tuple[Mapping[str, Any], ...] = ()
    """Datasets that a failed fetch could have used, with the files that their providers listed."""
    tries: int = 1
    """How often the step was run, until it succeeded or failed for good."""

    def __repr__(self) -> str:
        why = self.error.message if self.error is not None else self.reason
        return f"<step {self.step.step_id!r}: {self.state}{f', {why}' if why else ''}>"

    @property
    def artefact(self) -> Output | None:
        """The figure or the export that the step made, if there is one."""
        return next((output for output in self.outputs if not output.label), None)


@dataclass(frozen=True)
class PlanResult:
    """Result of a whole plan: the results of its steps."""

    plan: Plan = field(repr=False)
    steps: tuple[StepResult, ...]

    @property
    def status(self) -> Status:
        """Status of the run; `helio.pipelines.runs.states` has the rules."""
        return status_of(self.steps)

    @property
    def lost(self) -> tuple[LostItem, ...]:
        """Failed items of every ``for_each`` that continued without them."""
        return lost_items(self.steps)


class Execution:
    """Execution of one plan; several threads may use the same object.

    Parameters
    ----------
    plan : Plan
    store : Store
        Where results are found and stored.
    providers : Providers
        Providers of the fetches. Fetches run in this process; its CDF reader is a separate process.
    workers : Workers
        Processes in which everything else runs.
    clock : Clock, optional
        Clock for the pauses before further attempts.
    """

    def __init__(
        self, plan: Plan, store: Store, providers: Providers, workers: Workers, clock: Clock | None = None
    ) -> None:
        self.plan = plan
        self.store = store
        self.providers = providers
        self._workers = workers
        self._clock = clock or Clock()
        self._outputs: dict[str, Output] = {}
        self._made: dict[StepId, StepResult] = {}
        self._refused: dict[StepId, HelioError] = {}
        """Errors from finding out the work of a step; `run_step` raises the error of its step."""
        self._failed: dict[StepId, HelioError] = {}
        """Errors of the steps that failed."""
        self._producers = {label: step for step in plan.steps for label in step.produces}
        self._sought: dict[StepId, tuple[Recipe, ...]] = {}
        """Datasets of each fetch that looked for files."""
        self._recorded: dict[str, StoredResult] = {}
        """Results that this run made, by their keys in the store."""
        self._repairing = threading.RLock()
        self._cancelled = threading.Event()

    def in_store(self) -> tuple[StepResult, ...] | None:
        """Return the results of all steps if the store has all of them already."""
        results: list[StepResult] = []
        for step in self.plan.steps:
            try:
                result = self._look_up(step, self._works(step))
            except HelioError as error:
                # raised again when the step runs, so that a server is not asked twice for one attempt
                self._refused[step.step_id] = error
                return None
            if result is None:
                return None
            results.append(self._keep(result))
        return tuple(results)

    def forecast(self) -> list[dict[str, Any]]:
        """Report for each step if its results are stored, if it will run, or if it waits for another step.

        A fetch that finds nothing ``fails`` where the run may continue without it. Where a server cannot be asked and
        its reply is not cached, the state of a fetch is ``unknown``.

        For a fetch that will run, ``download`` lists the URLs to download, each with its bytes, or None where the
        server does not tell. Of several candidates it is the first one that has files. For a step in the store,
        ``results`` are the digests of its results by their keys. For a figure or an export, ``writes`` names its files.
        """
        report: list[dict[str, Any]] = []
        waiting: set[StepId] = set()
        for step in self.plan.steps:
            needed = next((step_id for step_id in step.depends_on if step_id in waiting), None)
            state, reason = self._foreseen(step) if needed is None else ("waits", f"step {needed} runs first")
            if state != "cached":
                waiting.add(step.step_id)
            report.append({"step_id": step.step_id, "state": state, "reason": reason})
            if state == "cached":
                outputs = self._made[step.step_id].outputs
                report[-1]["results"] = {output.key: output.digest for output in outputs}
            if step.files:
                report[-1]["writes"] = [file.name for file in step.files]
            if state == "run" and signatures()[step.tool_name].gives == "tables":
                report[-1]["download"] = self._to_download(step)
        return report

    def _foreseen(self, step: PlannedStep) -> tuple[str, str]:
        """Predict the state of a step, and give the reason; the steps on which it depends have results in the store."""
        try:
            result = self._look_up(step, self._works(step))
        except ABSENT as error:
            if not _may_be_lost(step):
                raise
            return "fails", error.message
        except Offline as error:
            return (
                "unknown",
                f"helio cannot look up the files of this step while it is offline: {error.message}",
            )
        if result is None:
            return "run", "not in the store"
        self._keep(result)
        return "cached", "in the store"

    def _to_download(self, step: PlannedStep) -> dict[str, int | None]:
        span = step.time_ranges["time_range"]
        for choice in choices_of(step.args):
            provider = self.providers.choose(choice.provider)
            if not isinstance(provider, Remote):
                return {}
            try:
                return provider.to_download(choice.dataset_id, choice.parameters, span)
            except ABSENT as error:
                log.info("nothing to download from dataset %s: %s", choice.dataset_id, error.message)
        return {}

    def files(self) -> dict[str, Any]:
        """Return the datasets that each fetch may use, by step id, with the names and identities of their files.

        Fetches whose files are unknown while offline are left out.
        """
        choices: dict[str, Any] = {}
        for step in self.plan.steps:
            if signatures()[step.tool_name].gives != "tables":
                continue
            try:
                with suppress(Offline):
                    choices[str(step.step_id)] = self._works(step)[0].recipe["choices"]
            except ABSENT as error:
                if not _may_be_lost(step):
                    raise
                choices[str(step.step_id)] = f"none: {type(error).__name__}"
        return choices

    def run_step(self, step: PlannedStep) -> StepResult:
        """Run one planned step, unless the store has its results; the steps on which it depends must have ended.

        A `HelioError` ends the step as failed, and names the place; any other exception is a bug and is raised.

        Raises
        ------
        Cancelled
            `cancel` was called.
        """
        begun = time.perf_counter()
        try:
            result = self._run(step)
        except Cancelled:
            raise
        except HelioError as error:
            attempts = tuple(asdict(attempt) for attempt in getattr(error, "attempts", ()))
            seconds = time.perf_counter() - begun
            log.info("step %s failed: %s", step.step_id, error.message)
            self._failed[step.step_id] = located = self._located(error, step)
            sought = self._sought.get(step.step_id, ())
            return StepResult(
                step, "failed", attempts=attempts, error=located, seconds=seconds, sought=sought
            )
        return self._keep(result)

    def _located(self, error: HelioError, step: PlannedStep) -> HelioError:
        """Add the place of the step to an error; if the error names a file, the step comes first."""
        location = f"{self.plan.pipeline_id}#/steps/{step.step_id}"
        error.place = f"{location}, {error.place}" if error.place else location
        return error

    def attempt_step(self, step: PlannedStep) -> StepResult:
        """Run one planned step as `run_step` does, again after an error that may pass, as often as the step says.

        Raises
        ------
        Cancelled
        """
        return attempt_step(step, self.run_step, Retries(), few=self._few_seconds, wait=self._wait)

    def _few_seconds(self) -> float:
        return 1.0 + 2.0 * self._clock.random()

    def _wait(self, seconds: float) -> bool:
        """Wait for some seconds, or until the run is cancelled; return whether it is cancelled."""
        self._clock.sleep(seconds, self._cancelled)
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """End all running work at once, and every pause before a further attempt."""
        self._cancelled.set()
        self.providers.cancel()
        self._workers.cancel()

    def table(self, label: str) -> Table:
        """Return a table that a step made; make the table again if its copy in the store is damaged."""
        output = self._outputs[label]
        content: Table = self._sound(output, lambda: self.store.table(output.digest))
        return replace(content, sources=output.sources, notes=_notes_of(output))

    def content(self, output: Output) -> bytes:
        """Return the bytes of a figure or an export; make it again if its copy in the store is damaged."""
        content: bytes = self._sound(output, lambda: self.store.bytes(output.digest, output.suffix))
        return content

    def detail(self, step: PlannedStep, output: Output) -> Detail:
        """Return all points of a figure, for its page; draw the figure again if the store does not have them."""
        found = stored_detail(self.store, output.key)
        if found is None:
            [work] = self._works(step)
            self._make(step, work, detail=True)
            found = stored_detail(self.store, output.key)
        if found is None:
            raise DamagedObject(
                f"another process has just removed the points of step {step.step_id} from the store"
            )
        return found

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of all tables made so far."""
        return tuple(self._outputs)

    # One step ---------------------------------------------------------------------------------------------

    def _run(self, step: PlannedStep) -> StepResult:
        if self._cancelled.is_set():
            raise Cancelled("cancelled")
        refused = self._refused.pop(step.step_id, None)
        if refused is not None:
            raise refused
        begun = time.perf_counter()
        works = self._works(step)
        stored = self._stored(works)
        missing = _missing(works, stored)
        if not missing:
            log.info("step %s: in the store", step.step_id)
            return self._in_store(step, works, stored)
        log.info("step %s: %s %s", step.step_id, step.tool_name, json.dumps(dict(step.args)))
        if signatures()[step.tool_name].gives == "tables":
            self._sought[step.step_id] = tuple(works[0].recipe["choices"])
            works, attempts = self._fetch(step, works)
        else:
            [work] = missing
            self._make(step, work, detail=any(file.format == "html" for file in step.files))
            attempts = ()
        seconds = time.perf_counter() - begun
        log.info("step %s: done in %.3f s", step.step_id, seconds)
        stored = self._stored([work for work in works if work.key not in self._recorded]) | self._recorded
        outputs = tuple(self._output(step, work, stored, made=work.key in self._recorded) for work in works)
        return StepResult(step, "completed", outputs, attempts=attempts, seconds=seconds)

    def _works(self, step: PlannedStep) -> list[PlannedOutput]:
        signature = signatures()[step.tool_name]
        if signature.gives == "tables":
            return recipes_of_fetch(step, self.providers)
        return [recipe_of_inputs(self._without_lost(step), signature, self._inputs(step))]

    def _lost_labels(self, step: PlannedStep) -> tuple[str, ...]:
        """List the labels that a step reads although the items that give them have failed."""
        read = dict.fromkeys(label for labels in step.reads.values() for label in labels)
        return tuple(
            label
            for label in read
            if self._table_of(label, step) is None and lost_item(self._producer(label), step) is not None
        )

    def _producer(self, label: str) -> PlannedStep:
        return self._producers[self.plan.owners[label]]

    def _table_of(self, label: str, step: PlannedStep) -> Output | None:
        """Return the table that a label means; return None if it does not exist, and the step continues without it."""
        output = self._outputs.get(self.plan.owners[label])
        if output is None:
            producer = self._producer(label)
            if lost_item(producer, step) is None and not may_lack(step, producer):
                raise KeyError(self.plan.owners[label])
        return output

    def _why_failed(self, step: PlannedStep) -> str:
        """Return in a few words why a step has no result: the error of the first failed step behind it."""
        if step.step_id in self._failed:
            fetches = signatures()[step.tool_name].gives == "tables"
            message = self._failed[step.step_id].message
            return shortened(f"{'fetch' if fetches else step.tool_name} failed: {message}", _LONGEST_REASON)
        behind = (earlier for earlier in self.plan.steps if earlier.step_id in step.depends_on)
        return next(filter(None, map(self._why_failed, behind)), "")

    def _why_without_values(self, label: str) -> str:
        """Return in a few words why a table has no values; return an empty text if it has values."""
        output, producer = self._outputs.get(label), self._producers[label]
        if output is None or not output.facts.get("no_values"):
            return ""
        tables = [self.plan.owners[read] for labels in producer.reads.values() for read in labels]
        behind = next(filter(None, map(self._why_without_values, tables)), "")
        what = "no value is left after" if output.facts["rows"] else f"{NOTHING_FOUND} by"
        return behind or f"{what} {producer.tool_name}"

    def _lacking(self, step: PlannedStep) -> dict[str, tuple[str, ...]]:
        """Return for each label that a step reads what failed and is missing from its table, or made no table."""
        lacking: dict[str, tuple[str, ...]] = {}
        for label in dict.fromkeys(label for labels in step.reads.values() for label in labels):
            producer = self._producer(label)
            if self._table_of(label, step) is not None:
                lacking[label] = self._made[producer.step_id].without
            else:
                lacking[label] = (str(lost_item(producer, step) or producer.step_id),)
        return {label: items for label, items in lacking.items() if items}

    def _lost_remark(self, step: PlannedStep) -> str:
        """Describe what is missing from a step's input because it failed; return an empty text if nothing is."""
        lacking = self._lacking(step)
        lost = [label for label in lacking if self._table_of(label, step) is None]
        inner = [
            f"{item} in {label}" for label, items in lacking.items() if label not in lost for item in items
        ]
        names = [*dict.fromkeys(self.plan.owners[label] for label in lost), *inner]
        return f"partial: without {named(names)}" if names else ""

    def _without_lost(self, step: PlannedStep) -> PlannedStep:
        """Return the step without the labels of failed items; the subtitle of a figure then says what is missing."""
        remark, spec = self._lost_remark(step), step.args.get("spec")
        if not remark or not isinstance(spec, dict):
            return step
        left = without_labels(spec, self._lost_labels(step))
        left["subtitle"] = f"{spec['subtitle']}; {remark}" if spec.get("subtitle") else remark
        return replace(step, args={**step.args, "spec": left})

    def _inputs(self, step: PlannedStep) -> dict[str, tuple[Input, ...]]:
        gives = signatures()[step.tool_name].gives
        remark = self._lost_remark(step) if gives == "export" else ""
        inputs: dict[str, tuple[Input, ...]] = {}
        for parameter, labels in step.reads.items():
            tables = []
            for label in dict.fromkeys(labels):
                output = self._table_of(label, step)
                if output is None:
                    producer = self._producer(label)
                    if lost_item(producer, step) is None:
                        tables.append(Input(label, "", absent=self._why_failed(producer)))
                    continue
                table = self.plan.owners[label]
                notes: tuple[str, ...] = ()
                # an export gets all notes of its tables, a figure those on missing records, other steps none
                if gives == "export":
                    notes = tuple(dict.fromkeys(filter(None, (remark, *self._notes_behind(table)))))
                elif gives == "figure":
                    notes = tuple(note for note in _notes_of(output) if share_of_expected([note]))
                    reason = self._why_without_values(table)
                    notes += (no_values_note(reason),) if reason else ()
                tables.append(Input(label, output.digest, label[len(table) + 1 :], output.sources, notes))
            inputs[parameter] = tuple(tables)
        return inputs

    def _notes_behind(self, table: str) -> tuple[str, ...]:
        """Collect the notes about a table and about all tables from which it was made, each table once."""
        behind = [table]
        for name in behind:  # grows while it is read
            labels = [label for labels_read in self._producers[name].reads.values() for label in labels_read]
            tables = dict.fromkeys(self.plan.owners[label] for label in labels)
            behind += [table for table in tables if table not in behind]
        outputs = [self._outputs[name] for name in behind if name in self._outputs]
        notes = dict.fromkeys(note for output in outputs for note in _notes_of(output))
        # Leave out notes on names: a mirror with other names gives the same file.
        return tuple(note for note in notes if not is_on_name(note))

    def _stored(self, works: list[PlannedOutput]) -> dict[str, StoredResult]:
        """Find the results of work that the store has now, by key; other processes may add results at any time.

        Results that an earlier run made from possibly incomplete data are left out.
        """
        results = {work.key: self.store.find(work.key) for work in works}
        return {
            key: result
            for key, result in results.items()
            if result is not None
            and (
                key in self._recorded
                or not any(source.get("incomplete") for source in result.facts.get("sources", ()))
            )
        }

    def _look_up(self, step: PlannedStep, works: list[PlannedOutput]) -> StepResult | None:
        stored = self._stored(works)
        return None if _missing(works, stored) else self._in_store(step, works, stored)

    def _in_store(
        self, step: PlannedStep, works: list[PlannedOutput], stored: Mapping[str, StoredResult]
    ) -> StepResult:
        made = self._made.get(step.step_id)
        if made is not None and [output.key for output in made.outputs] == [work.key for work in works]:
            return made  # this run made it while it checked its lock
        outputs = tuple(self._output(step, work, stored, made=False) for work in works)
        attempts = next((tuple(output.facts.get("attempts", ())) for output in outputs), ())
        return StepResult(step, "cached", outputs, attempts=attempts)

    def _output(
        self, step: PlannedStep, work: PlannedOutput, stored: Mapping[str, StoredResult], *, made: bool
    ) -> Output:
        result = stored.get(work.key)
        if result is None:  # removed since it was found: another process collects garbage
            raise DamagedObject(
                f"another process has just removed the result of step {step.step_id} from the store"
            )
        if "sources" in result.facts:
            sources = tuple(SourceFile(**source) for source in result.facts["sources"])
        else:  # a computation cites the present sources of its inputs, even if other files gave equal numbers before
            inputs = [table for tables in self._inputs(step).values() for table in tables]
            sources = tuple(dict.fromkeys(source for table in inputs for source in table.sources))
        return Output(
            label=work.slot,
            key=work.key,
            recipe=work.recipe,
            digest=result.digest,
            suffix=result.suffix,
            facts=result.facts,
            sources=sources,
            cached=not made,
            made_at=result.made_at,
        )

    def _keep(self, result: StepResult) -> StepResult:
        lacking = self._lacking(result.step).values()
        result = replace(result, without=tuple(dict.fromkeys(item for items in lacking for item in items)))
        self._made[result.step.step_id] = result
        for output in result.outputs:
            if output.label:
                self._outputs[output.label] = output
        return result

    def _fetch(
        self, step: PlannedStep, works: list[PlannedOutput]
    ) -> tuple[list[PlannedOutput], tuple[Mapping[str, Any], ...]]:
        """Fetch missing tables; repeat this if the files at the provider changed during the fetch.

        A server may publish new data meanwhile. The tables read then have new keys, and all tables of the step must
        have the same.
        """
        attempts: tuple[Mapping[str, Any], ...] = ()
        for _ in range(_FETCHES):
            begun = time.perf_counter()
            missing = _missing(works, self._stored(works))
            if not missing:
                break
            args = dict(step.args)
            if len(missing) < len(step.produces):  # the store has the others
                args["parameters"] = [work.recipe["choices"][0]["parameter"] for work in missing]
            fetched = call_tool(
                step.tool_name, args, {}, time_ranges=step.time_ranges, providers=self.providers
            )
            before, works = works, self._works(step)
            if works != before:
                continue
            attempts = tuple(asdict(attempt) for attempt in fetched.attempts)
            for work in missing:
                table: Table = fetched.tables[work.slot]
                facts = table_facts(table) | {
                    "sources": [dict(vars(source)) for source in table.sources],
                    "attempts": list(attempts),
                }
                digest = self.store.put_table(table)
                self._record(work, digest, ".arrow", facts, time.perf_counter() - begun)
            break
        else:
            raise Republished(
                f"the data of step {step.step_id} changed during each of {_FETCHES} attempts to read them",
                advice="try again later",
            )
        return works, attempts

    def _make(
        self, step: PlannedStep, work: PlannedOutput, *, again: bool = True, detail: bool = False
    ) -> None:
        begun = time.perf_counter()
        inputs = self._inputs(step)
        answer = self._workers.run(
            {
                "tool": step.tool_name,
                "args": dict(self._without_lost(step).args),
                "time_ranges": {name: span.as_iso() for name, span in step.time_ranges.items()},
                "store": str(self.store.root),
                "inputs": {
                    parameter: [
                        {
                            "label": table.label,
                            "digest": table.digest,
                            "component": table.component,
                            "sources": [dict(vars(source)) for source in table.sources],
                            "notes": list(table.notes),
                            "absent": table.absent,
                        }
                        for table in given
                    ]
                    for parameter, given in inputs.items()
                },
                **({"detail": True} if detail else {}),
            }
        )
        if "damaged" in answer and again:
            self._repair(answer["damaged"])
            self._make(step, work, again=False, detail=detail)
            return
        if "output" not in answer:
            raise error_from(answer)
        made = answer["output"]
        self._record(work, made["digest"], made["suffix"], made["facts"], time.perf_counter() - begun)
        if detail:
            record_detail(self.store, work.key, answer["detail"])

    def _record(
        self, work: PlannedOutput, digest: str, suffix: str, facts: dict[str, Any], seconds: float
    ) -> None:
        made_at = datetime.now(UTC).isoformat()
        result = StoredResult(work.key, work.recipe, digest, suffix, facts, made_at, seconds)
        self.store.record(work.key, result)
        self._recorded[work.key] = result

    # Damage -----------------------------------------------------------------------------------------------

    def _sound(self, output: Output, read: Callable[[], Any]) -> Any:
        try:
            return read()
        except DamagedObject:
            self._repair(output.digest)
            return read()

    def _repair(self, digest: str) -> None:
        """Run again the step whose output is damaged in the store; the store has moved the damaged file away."""
        with self._repairing:
            for result in tuple(self._made.values()):
                if any(output.digest == digest for output in result.outputs):
                    self._keep(self._run(result.step))


def _missing(works: list[PlannedOutput], stored: Mapping[str, StoredResult]) -> list[PlannedOutput]:
    return [work for work in works if work.key not in stored]


def _notes_of(output: Output) -> tuple[str, ...]:
    return tuple(output.facts.get("notes", ()))


def _may_be_lost(step: PlannedStep) -> bool:
    """Return whether a run can continue without a step: its ``for_each`` can, or the step is not critical."""
    return not step.critical or any(item.keep_partial for item in step.items)


def attempt_step(
    step: PlannedStep,
    run_step: Callable[[PlannedStep], StepResult],
    usual: Retries,
    *,
    few: Callable[[], float],
    wait: Callable[[float], bool],
    retrying: Callable[[], None] = lambda: None,
) -> StepResult:
    """Run a step, again after an error that may pass.

    Parameters
    ----------
    run_step : callable
        Runs the step once; an error that helio knows comes back in the result.
    usual : Retries
        The retries of a step that does not say its own.
    few : callable
        Returns some seconds, for a delay that nobody chose; random, so that many runs do not try again together.
    wait : callable
        Waits for a number of seconds; returns True at once if the run is cancelled.
    retrying : callable
        Called before each further attempt.

    Raises
    ------
    Cancelled
        The run was cancelled while it waited.
    """
    retries = step.retries or usual
    result = run_step(step)
    for number in range(1, retries.number + 1):
        if not isinstance(result.error, PASSING):
            break
        pause = few() if retries.delay is None else retries.delay
        log.warning(
            "step %s: %s; helio tries the step again in %.4g s (%d of %d)",
            step.step_id,
            result.error.message,
            pause,
            number,
            retries.number,
        )
        retrying()
        if wait(pause):
            raise Cancelled("the run was cancelled")
        result = replace(run_step(step), tries=number + 1)
    return result


def execute(
    execution: Execution,
    *,
    started: Callable[[PlannedStep], None] = lambda step: None,
    finished: Callable[[StepResult], None] = lambda result: None,
) -> PlanResult:
    """Run a plan's steps one after another, without an engine.

    The table in `helio.pipelines.runs.states` defines what a failed or skipped step means for the others.
    """
    results: dict[StepId, StepResult] = {}
    for step in execution.plan.steps:
        reason = blocked_by(step, results)
        if reason:
            result = StepResult(step, "skipped", reason=reason)
        else:
            started(step)
            result = execution.attempt_step(step)
        results[step.step_id] = result
        finished(result)
    return PlanResult(execution.plan, tuple(results.values()))
