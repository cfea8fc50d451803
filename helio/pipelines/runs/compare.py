"""Compare two runs: plans, files, numbers, figures, and the reasons for their differences.

Results are matched before they are compared: tables by label, files by name, the rest by key, by step, and last by
position among the results of the same tool. Results without a counterpart are listed, never skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from helio.counts import number_of
from helio.errors import DamagedObject
from helio.notebook import box, listed, paragraph, table_of
from helio.pipelines.runs.states import DONE
from helio.steps.signature import signatures
from helio.store.rules import changed_rules
from helio.store.runs import PlanStep, RunRecord
from helio.store.store import Store
from helio.store.work_keys import difference, in_plain_words

if TYPE_CHECKING:
    from helio.pipelines.runs.table_difference import TableDifference

Judge = Callable[[str, str], "TableDifference | None"]
"""Function that compares two tables, given by their digests; it returns None if it cannot compare them."""
Verdict = Literal["same", "different", "not all compared", "nothing compared"]

_CITED = re.compile(r"inputs\.\w+\.(?P<label>.+)\.cites\[\d+\]\[(?P<part>[0-3])\]: (?P<change>.+)")
_INPUT = re.compile(r"inputs\.(?P<parameter>\w+)(?:\[\d+\]|\.(?P<label>.+))\.digest changed")
_CITES = ("dataset", "version", "provider", "preliminary status")
"""Names of the four facts that a figure's recipe records about each source of a table, in order (`recipes.py`)."""


@dataclass(frozen=True)
class Difference:
    """One difference between two runs, in one output of a step.

    Parameters
    ----------
    step_id : str
        Id in the old run.
    output : str
        A table's label, the name of a figure's or an export's file, or ``"figure"``; ``"OLD → NEW"`` after a
        change of its name.
    message : str
        Description of the difference.
    reasons : tuple of str
        Explanations, as far as the records show them.
    table : TableDifference or None
        Difference of a table by components; None where the store no longer has both.
    """

    step_id: str
    output: str
    message: str
    reasons: tuple[str, ...] = ()
    table: TableDifference | None = None

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs."""
        table = None if self.table is None else self.table.to_json()
        return {**vars(self), "reasons": list(self.reasons), "table": table}


@dataclass(frozen=True)
class NotCompared:
    """A result that could not be compared, with the reason.

    Parameters
    ----------
    step_id, output : str
        As in a `Difference`.
    reason : str
        Why it was not compared.
    """

    step_id: str
    output: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs."""
        return dict(vars(self))


@dataclass(frozen=True)
class Comparison:
    """All differences between two runs; each part is empty if nothing differs.

    Parameters
    ----------
    plan : tuple of str
        Pipeline, template, archive, values, and steps.
    files : tuple of str
        Files that data were read from.
    numbers, figures : tuple of Difference
        In the order of the plan, so that the first one is where the runs begin to differ.
    environment : tuple of str
        Versions that results depend on.
    rules : tuple of str
        Changes of helio's own rules between the two, in words (`helio.store.rules`).
    tables, drawn, saved : int
        Number of compared tables, figures, and files of `save_data`.
    not_compared : tuple of NotCompared
        Results that only one of the runs has, in the order of the plan.
    failed_alike : tuple of str
        Ids of the steps that gave nothing in both runs, for the same reason.
    lacking : tuple of str
        Why nothing could be compared: data that the archive of the repeated run does not have.
    """

    old: str
    new: str
    plan: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    numbers: tuple[Difference, ...] = ()
    figures: tuple[Difference, ...] = ()
    environment: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    tables: int = 0
    drawn: int = 0
    saved: int = 0
    not_compared: tuple[NotCompared, ...] = ()
    failed_alike: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    order: tuple[str, ...] = field(default=(), repr=False)
    """Ids of the steps of both runs, in the order of the plan."""

    def __repr__(self) -> str:
        return f"<Comparison of {self.old!r} and {self.new!r}: {self.verdict}, {self.compared} compared>"

    def _repr_html_(self) -> str:
        differences = [
            (difference.step_id, difference.output, "\n".join((difference.message, *difference.reasons)))
            for difference in (*self.numbers, *self.figures)
        ]
        lacking = [(left.step_id, left.output, f"not compared: {left.reason}") for left in self.not_compared]
        return box(
            f"{self.old} and {self.new}: {self.verdict}",
            paragraph(f"compared: {self.compared}"),
            table_of(["step", "result", "difference"], [*differences, *lacking]),
            listed("Without a result in both runs, for the same reason", self.failed_alike),
            listed("Plan", self.plan),
            listed("Files", self.files),
            listed("Environment", self.environment),
            listed("Rules of helio", self.rules),
        )

    @property
    def compared(self) -> str:
        """Number of compared tables, figures and files, in words."""
        counts = [(self.tables, "table"), (self.drawn, "figure"), (self.saved, "saved file")]
        *most, last = [number_of(count, noun) for count, noun in counts if count] or ["nothing"]
        return f"{', '.join(most)} and {last}" if most else last

    @property
    def verdict(self) -> Verdict:
        """Result of the comparison in words; ``same`` only if all results were compared."""
        if (self.numbers or self.figures) and not self.lacking:
            return "different"
        if not self.tables + self.drawn + self.saved:
            return "nothing compared"
        return "not all compared" if self.not_compared else "same"

    @property
    def same_results(self) -> bool:
        """Whether every table, figure and file of both runs was compared and is equal."""
        return self.verdict == "same"

    @property
    def first(self) -> Difference | None:
        """The earliest step at which the runs differ; None if no step differs."""
        differences = (*self.numbers, *self.figures)
        places = {step_id: index for index, step_id in enumerate(self.order)}
        return min(
            differences, key=lambda difference: places.get(difference.step_id, len(places)), default=None
        )

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, for programs."""
        return {
            "comparison": "helio-comparison/1",
            "old": self.old,
            "new": self.new,
            "same_results": self.same_results,
            "verdict": self.verdict,
            "compared": {"tables": self.tables, "figures": self.drawn, "saved": self.saved},
            "not_compared": [left.to_json() for left in self.not_compared],
            "failed_alike": list(self.failed_alike),
            "lacking": list(self.lacking),
            "plan": list(self.plan),
            "files": list(self.files),
            "numbers": [number.to_json() for number in self.numbers],
            "figures": [figure.to_json() for figure in self.figures],
            "environment": list(self.environment),
            "rules": list(self.rules),
        }


def compare(old: RunRecord, new: RunRecord, *, judge: Judge = lambda old, new: None) -> Comparison:
    """Compare the records of two runs, result by result, by their digests.

    Parameters
    ----------
    judge : callable, optional
        Compares the tables of two digests, where both are available.

    Raises
    ------
    DamagedObject
        A record cannot be read.
    """
    environment = tuple(_of_environments(old.whole_header, new.whole_header))
    rules = changed_rules(old.whole_header.get("rules", {}), new.whole_header.get("rules", {}))
    before, after = _results(old), _results(new)
    pairs = _pairs(before, after)
    order = {result.step_id: None for result in before} | {other.step_id: None for other in after}
    alike: dict[str, None] = {}
    counts = dict.fromkeys(KINDS, 0)
    of_tables: list[Difference] = []
    of_artefacts: list[Difference] = []
    for earlier, later in pairs:
        differences = of_tables if earlier.kind == "table" else of_artefacts
        if earlier.output is None or later.output is None:
            if earlier.state == later.state:
                alike[earlier.step_id] = None
            elif not any(
                made.step_id == earlier.step_id and not made.output for made in (*of_tables, *of_artefacts)
            ):
                reasons = tuple(_reasons(earlier, later, environment))
                differences.append(
                    Difference(earlier.step_id, "", f"{earlier.state} → {later.state}", reasons)
                )
            continue
        counts[earlier.kind] += 1
        if earlier.output["digest"] == later.output["digest"]:
            continue
        digests = earlier.output["digest"], later.output["digest"]
        table = judge(*digests) if earlier.kind == "table" else None
        words = " → ".join(map(_short, digests)) if table is None else table.summary
        reasons = tuple(_reasons_of_output(earlier.output, later.output, environment, rules))
        differences.append(Difference(earlier.step_id, _named(earlier, later), words, reasons, table))
    changed = {artefact.step_id for artefact in of_artefacts}
    drawn_as = {earlier.step_id: later.step_id for earlier, later in pairs if earlier.kind != "table"}
    of_artefacts += [
        artefact
        for artefact in _of_artefacts(old, new, drawn_as, environment)
        if artefact.step_id not in changed
    ]
    return Comparison(
        old=old.id,
        new=new.id,
        plan=tuple(_of_plans(old, new, pairs)),
        files=tuple(_of_files(before, after)),
        numbers=tuple(of_tables),
        figures=tuple(of_artefacts),
        environment=environment,
        rules=rules,
        tables=counts["table"],
        drawn=counts["figure"],
        saved=counts["file"],
        not_compared=tuple(_alone(before, after, pairs)),
        failed_alike=tuple(alike),
        order=tuple(order),
    )


def judge_by(old: Store, new: Store) -> Judge:
    """Return a function that compares two tables by their digests: one in the store `old`, one in the store `new`."""

    def judge(before: str, after: str) -> TableDifference | None:
        from helio.pipelines.runs.table_difference import table_difference

        try:
            return table_difference(old.table(before), new.table(after))
        except DamagedObject:  # removed since the run, or damaged: the digests are compared anyway
            return None

    return judge


KINDS = ("table", "figure", "file")


@dataclass(frozen=True, eq=False)
class _PlannedResult:
    """A result that the plan of a run contains, and its output if the run made one.

    Parameters
    ----------
    name : str
        A table's label, the name of the file of an export; empty for a figure.
    state : str
        State of its step: ``"done"``, or the reason why there is no output.
    output : mapping or None
        The output in the record.
    """

    step_id: str
    tool: str
    tool_version: int | None
    kind: str
    name: str
    state: str
    output: Mapping[str, Any] | None = None


def _results(record: RunRecord) -> list[_PlannedResult]:
    """List all results that a run planned, in the plan's order, because the engine may finish steps in any order."""
    done = {str(step["step_id"]): step for step in record.step_records}
    planned = {str(step["step_id"]): step for step in record.plan["steps"]}
    results: list[_PlannedResult] = []
    for step_id in dict.fromkeys((*planned, *done)):
        step, plan = done.get(step_id), planned.get(step_id) or PlanStep(step_id=step_id)
        tool = str((step or plan).get("tool_name", ""))
        outputs = {str(output["label"]): output for output in step["outputs"]} if step else {}
        labels = dict.fromkeys((*map(str, plan.get("produces") or ()), *outputs)) or {"": None}
        for label in labels:
            output = outputs.get(label)
            name = label or str((output or plan.get("tool_args") or {}).get("filename") or "")
            results.append(
                _PlannedResult(
                    step_id,
                    tool,
                    step["tool_version"] if step else None,
                    _kind(tool, label, output),
                    name,
                    _state(step),
                    output,
                )
            )
    return results


def _kind(tool: str, label: str, output: Mapping[str, Any] | None) -> str:
    if label:
        return "table"
    if output is not None:
        return "file" if "filename" in output else "figure"
    signature = signatures().get(tool)
    gives = "" if signature is None else signature.gives
    return {"figure": "figure", "export": "file"}.get(gives, "table")


def _pairs(
    before: Sequence[_PlannedResult], after: Sequence[_PlannedResult]
) -> list[tuple[_PlannedResult, _PlannedResult]]:
    """Match each result of one run with the result of the other run that corresponds to it, in the old plan's order."""
    counterparts: dict[_PlannedResult, _PlannedResult] = {}
    for mark in _MARKS:
        free: dict[Any, list[_PlannedResult]] = {}
        taken = set(counterparts.values())
        for other in after:
            if other not in taken and (name := mark(other)):
                free.setdefault((other.kind, name), []).append(other)
        for result in before:
            if result not in counterparts and (name := mark(result)) and free.get((result.kind, name)):
                counterparts[result] = free[result.kind, name].pop(0)
    return [(result, counterparts[result]) for result in before if result in counterparts]


_MARKS: tuple[Callable[[_PlannedResult], Any], ...] = (
    lambda result: result.name,
    lambda result: result.output["key"] if result.output is not None else None,
    lambda result: (result.step_id, result.tool),
    lambda result: result.tool,
)
"""Properties that help to match the results of two runs, the best property first."""


def _named(earlier: _PlannedResult, later: _PlannedResult) -> str:
    """Write the name of two matched results, for people."""
    names = [result.name or ("" if result.kind == "table" else result.kind) for result in (earlier, later)]
    return names[0] if names[0] == names[1] else " → ".join(names)


def _alone(
    before: Sequence[_PlannedResult],
    after: Sequence[_PlannedResult],
    pairs: Sequence[tuple[_PlannedResult, _PlannedResult]],
) -> Iterator[NotCompared]:
    """Yield the results of one run without a matching result in the other run."""
    paired = {result for pair in pairs for result in pair}
    for results, age in ((before, "old"), (after, "new")):
        for result in results:
            if result not in paired:
                reason = f"only the {age} run has it" + (
                    "" if result.state == "done" else f" ({result.state})"
                )
                yield NotCompared(result.step_id, result.name or result.kind, reason)


def _state(step: Mapping[str, Any] | None) -> str:
    if step is None:
        return "never started"
    if step["state"] in DONE:
        return "done"
    if step["state"] == "failed":
        error = step["error"] or {"kind": "?", "message": "the record gives no reason"}
        return f"failed ({error['kind']}: {error['message']})"
    return str(step["state"])


def _reasons(old: _PlannedResult, new: _PlannedResult, environment: Sequence[str]) -> Iterator[str]:
    yield from _of_tools(old, new)
    yield from environment


def _of_tools(old: _PlannedResult, new: _PlannedResult) -> Iterator[str]:
    versions = old.tool_version, new.tool_version
    if old.tool == new.tool and None not in versions and versions[0] != versions[1]:
        yield f"tool {new.tool}: version {versions[0]} → {versions[1]}"


def _reasons_of_output(
    old: Mapping[str, Any], new: Mapping[str, Any], environment: Sequence[str], rules: Sequence[str]
) -> Iterator[str]:
    """Explain why two outputs differ, by their recipes or by program versions; changed rules are listed elsewhere."""
    if "range" in old["recipe"]:
        files = list(_of_sources(old, new))
        yield from files
        # files are compared above by their bytes; recipes have the archive's listing instead
        before, after = ({**output["recipe"], "choices": ()} for output in (old, new))
        explanations = files + difference(before, after)
        yield from difference(before, after)
    else:
        explanations = [_clear_change(fact, new) for fact in difference(old["recipe"], new["recipe"])]
        yield from dict.fromkeys(explanations)
    if explanations:
        return
    yield from environment
    if not environment and not rules:
        yield "the reason is unknown: the recipes and all recorded versions are equal"


def _clear_change(change: str, output: Mapping[str, Any]) -> str:
    """Describe a difference between recipes more clearly if its path explains little."""
    if change.startswith("version: "):
        return f"tool {output['recipe']['tool']}: {change}"
    match = _INPUT.fullmatch(change)
    if match:
        return f"its input {match['label'] or match['parameter']} changed"
    match = _CITED.fullmatch(change)
    if match:
        return (
            f"the source of {match['label']} has a different {_CITES[int(match['part'])]}: {match['change']}"
        )
    return in_plain_words(change)


def _of_sources(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = ({source.file: source for source in fetched["sources"]} for fetched in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} is no longer used"
        elif name not in before:
            yield f"{name} was not used before"
        elif before[name].sha256 != after[name].sha256:
            yield (
                f"the content of {name} changed: sha256 {before[name].sha256[:12]}… → {after[name].sha256[:12]}…"
            )


def _of_files(before: Sequence[_PlannedResult], after: Sequence[_PlannedResult]) -> Iterator[str]:
    old, new = (
        {"sources": [source for made in results if (output := made.output) and "range" in output["recipe"]
                     for source in output["sources"]]}
        for results in (before, after)
    )  # fmt: skip
    yield from _of_sources(old, new)


def _of_plans(
    old: RunRecord, new: RunRecord, pairs: Sequence[tuple[_PlannedResult, _PlannedResult]]
) -> Iterator[str]:
    for name in ("pipeline", "archive"):
        earlier, later = old.whole_header.get(name, ""), new.whole_header.get(name, "")
        if earlier != later:
            yield f"{name}: {earlier or 'chosen by each step'} → {later or 'chosen by each step'}"
    yield from difference(old.whole_header["values"], new.whole_header["values"])
    before, after = ({str(step["step_id"]): step for step in record.plan["steps"]} for record in (old, new))
    matched: dict[str, str] = {}
    for first, second in pairs:
        if first.step_id not in matched and second.step_id not in matched.values():
            matched[first.step_id] = second.step_id
    for step_id, step in before.items():
        other_id = matched.get(step_id)
        if other_id is None or other_id not in after:
            yield f"step {step_id} was removed"
            continue
        if other_id != step_id:
            yield f"step {step_id} is now step {other_id}"
        used = [
            {name: either.get(name) for name in ("tool_name", "tool_args")}
            for either in (step, after[other_id])
        ]
        yield from (f"step {step_id}: {change}" for change in difference(used[0], used[1]))
    yield from (f"step {step_id} is new" for step_id in after if step_id not in matched.values())
    yield from dict.fromkeys(change for first, second in pairs for change in _of_tools(first, second))


def _of_artefacts(
    old: RunRecord, new: RunRecord, drawn_as: Mapping[str, str], environment: Sequence[str]
) -> Iterator[Difference]:
    """Yield files that have different bytes although they show the same results.

    Parameters
    ----------
    drawn_as : mapping
        Steps of the new run by the steps of the old run that drew or saved the same.
    """
    theirs = {
        (str(artefact["step_id"]), artefact["kind"]): artefact
        for artefact in new.whole_header.get("artefacts", ())
    }
    for artefact in old.whole_header.get("artefacts", ()):
        step_id, name = str(artefact["step_id"]), _name(artefact)
        if step_id not in drawn_as:
            continue  # not compared
        other = theirs.get((drawn_as[step_id], artefact["kind"]))
        if other is None:
            yield Difference(step_id, name, "only the earlier run wrote it")
        elif artefact["sha256"] != other["sha256"]:
            reasons = list(environment)
            if artefact["kind"] in ("png", "pdf", "svg"):
                reasons.append("the figures' data are the same; the browser or its fonts may differ")
            yield Difference(
                step_id,
                name,
                f"sha256 {artefact['sha256'][:12]}… → {other['sha256'][:12]}…",
                tuple(reasons),
            )


def _name(artefact: Mapping[str, Any]) -> str:
    return PurePath(artefact["file"]).name


def _of_environments(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = old.get("environment", {}), new.get("environment", {})
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name, 'missing')} → {after.get(name, 'missing')}"


def _short(digest: str) -> str:
    return f"{digest[:19]}…"
