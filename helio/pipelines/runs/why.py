"""Explain why a step of a run had to run or not, by comparing it with the same step of the run before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from helio.errors import DamagedObject, RequestError, UnknownRun, closest
from helio.pipelines.runs.basis import file_changes, replacements
from helio.pipelines.runs.listing import time_ranges
from helio.store.runs import RunRecord, Runs, StepRecord, message_of
from helio.store.work_keys import difference, in_plain_words

_INPUT = re.compile(r"inputs\.(?P<parameter>\w+)(?:\[(?P<place>\d+)\]|\.(?P<label>.+))\.digest changed")
_FILE = re.compile(r"choices\[\d+\]\.files\[(?P<file>[^\]]*\D[^\]]*)\](?:: .*| digest changed)")


def why(runs: Runs, run_id: str, step_id: str) -> list[str]:
    """Explain why a step of a run was executed, was taken from the store, was skipped or failed.

    Raises
    ------
    UnknownRun, RequestError
        There is no such run, or it has no such step.
    """
    record = runs.load(run_id)
    step = _step(record, step_id)
    if step is None:
        merged = _merged_into(record, step_id)
        if merged:
            return [
                f"step {step_id} was merged into step {merged} before the run: run `helio why {record.id} {merged}`"
            ]
        known = [str(step["step_id"]) for step in record.step_records]
        close = closest(step_id, known)
        raise RequestError(
            f"run {record.id} has no finished step '{step_id}'",
            advice=f"did you mean '{close[0]}'?"
            if close
            else f"choose one of its finished steps: {', '.join(known)}"
            if known
            else "choose another run: no step of this run has finished",
        )
    if step["state"] == "skipped":
        return [f"skipped: {step['reason']}"]
    if step["state"] == "failed":
        return [f"failed: {message_of(step)}"]
    if step["state"] == "cached":
        return ["taken from the store: an earlier run did the same work on the same data"]
    before = _before(runs, record, step_id)
    if before is None:
        spans = ", ".join(dict.fromkeys(time_ranges(record)))
        return [f"run: no earlier run of this pipeline{f' for {spans}' if spans else ''} finished this step"]
    earlier, earlier_step = before
    return [
        f"run, because these differ from {earlier.id}:",
        *(
            f"  {line}"
            for line in dict.fromkeys(_in_words(_changes(earlier_step, step), earlier, record, step))
        ),
    ]


def why_steps(runs: Runs, run_id: str, *, states: Sequence[str] = ()) -> list[str]:
    """Explain why each step of a run was executed or not; steps with the same reason share a line.

    Parameters
    ----------
    states : sequence of str
        Leave out steps with other states. Default: leave out none.
    """
    steps, _ = runs.load(run_id).readable_steps
    named: dict[str, list[str]] = {}
    for step in steps:
        if not states or step["state"] in states:
            first, *rest = why(runs, run_id, str(step["step_id"]))
            named.setdefault(" ".join((first, "; ".join(map(str.strip, rest)))).strip(), []).append(
                str(step["step_id"])
            )
    lines = [f"{'step' if len(ids) == 1 else 'steps'} {', '.join(ids)}: {why}" for why, ids in named.items()]
    nothing = steps and all(step["state"] == "cached" for step in steps)
    return ["nothing was computed again", *lines] if nothing else lines


def _in_words(changes: list[str], earlier: RunRecord, record: RunRecord, step: StepRecord) -> list[str]:
    """Name the tables and files whose content changed; of a table, also the step that made it, and the first reason."""
    words = []
    for change in changes:
        file = _FILE.fullmatch(change)
        table = _INPUT.fullmatch(change)
        if file:
            words.append(f"file {file['file']} has another content")
        elif table:
            words.append(_of_table(table, earlier, record, step) or change)
        else:
            words.append(in_plain_words(change))
    return words


def _of_table(match: re.Match[str], earlier: RunRecord, record: RunRecord, step: StepRecord) -> str:
    """Say why an input table of a step changed; return an empty text if no step of the run made the table."""
    digests = {_digest_at(output["recipe"], match) for output in step["outputs"]}
    for source in record.step_records:
        for output in source["outputs"]:
            if output["digest"] not in digests or not output["digest"]:
                continue
            what = f"table {output['label'] or match['label'] or match['parameter']} changed"
            before = _step(earlier, str(source["step_id"]))
            reasons = _in_words(_changes(before, source), earlier, record, source) if before else []
            return f"{what}, because of step {source['step_id']}{f': {reasons[0]}' if reasons else ''}"
    return ""


def _digest_at(recipe: Mapping[str, Any], match: re.Match[str]) -> str:
    """Return the digest of the input that a change names, by place or by label."""
    tables = recipe.get("inputs", {}).get(match["parameter"])
    if isinstance(tables, list) and match["place"] is not None and int(match["place"]) < len(tables):
        tables = tables[int(match["place"])]
    elif isinstance(tables, Mapping) and match["label"] is not None:
        tables = tables.get(match["label"])
    return str(tables.get("digest", "")) if isinstance(tables, Mapping) else ""


def _merged_into(record: RunRecord, step_id: str) -> str:
    """Find the step into which a pass merged this step."""
    for step in record.plan["steps"]:
        merged = step.get("annotations", {}).get("stands_for", [])
        if isinstance(merged, list) and step_id in map(str, merged):
            return str(step["step_id"])
    return ""


def _step(record: RunRecord, step_id: str) -> StepRecord | None:
    return next((step for step in record.step_records if str(step["step_id"]) == step_id), None)


def _before(runs: Runs, record: RunRecord, step_id: str) -> tuple[RunRecord, StepRecord] | None:
    """Find the latest earlier run of the same pipeline and time range in which the step was completed.

    A run of equal values is better than a later one of other values. Runs of other days differ anyway.
    """
    header = record.whole_header
    spans = set(time_ranges(record))
    latest: tuple[RunRecord, StepRecord] | None = None
    for summary in runs.list():
        if summary.pipeline != header["pipeline"] or summary.started_at >= header["started_at"]:
            continue
        if summary.status == "damaged":
            continue
        earlier = RunRecord(runs.root / summary.id)
        try:
            has_equal_values = earlier.header.get("values") == header["values"]
            if not has_equal_values and (latest is not None or set(time_ranges(earlier)) != spans):
                continue
            step = _step(earlier, step_id)
        except (DamagedObject, UnknownRun):  # skip this record; an older one may be readable
            continue
        if step is not None and step["state"] in ("completed", "cached"):
            if has_equal_values:
                return earlier, step
            latest = latest or (earlier, step)
    return latest


def _changes(old: StepRecord, new: StepRecord) -> list[str]:
    before = {output["label"]: output["recipe"] for output in old["outputs"]}
    changes: list[str] = []
    for output in new["outputs"]:
        if output["cached"]:
            continue
        label = output["label"]
        if label not in before:
            changes.append(f"{label} is new")
            continue
        earlier, later, replaced = _without_replaced(before[label], output["recipe"])
        differences = [*replaced, *difference(earlier, later)]
        changes += differences or [f"{label or 'its result'} was missing or damaged in the store"]
    return changes


def _without_replaced(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any], list[str]]:
    """Return two recipes of a fetch without the files that another version replaced, and words about these files."""
    words: list[str] = []
    if "choices" not in old or "choices" not in new or len(old["choices"]) != len(new["choices"]):
        return old, new, words
    pairs = []
    for before, after in zip(old["choices"], new["choices"], strict=True):
        files = [choice["files"] for choice in (before, after)]
        if before["dataset"] != after["dataset"] or any(isinstance(listed, str) for listed in files):
            pairs.append((before, after))
            continue
        earlier, later = (dict(listed) for listed in files)
        successors = replacements(earlier.keys() - later.keys(), later.keys() - earlier.keys())
        words += [f"{name} {change}" for name, change in file_changes(earlier, later) if name in successors]
        replaced = {*successors, *successors.values()}
        left = [[entry for entry in listed if entry[0] not in replaced] for listed in files]
        pairs.append(({**before, "files": left[0]}, {**after, "files": left[1]}))
    return (
        {**old, "choices": [before for before, _ in pairs]},
        {**new, "choices": [after for _, after in pairs]},
        words,
    )
