"""Say what the records have about a pipeline: its last run, and its last changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from helio.errors import DamagedRecord, RequestError
from helio.knowledge.citations import Citation, citations_of, uses_of
from helio.pipelines.changes import Change, changes
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import History, Revision
from helio.pipelines.library import Library
from helio.pipelines.runs.data_quality import quality_rows
from helio.pipelines.runs.listing import listed_runs
from helio.pipelines.runs.why import why_steps
from helio.pipelines.template.document import ID, Document
from helio.steps.compute.stretches import in_words
from helio.store.runs import Runs, RunSummary, StepRecord

_MOST_REVISIONS, _MOST_CHANGES = 5, 10
"""Maximum number of revisions, and of changes of the latest one, to describe."""


@dataclass(frozen=True)
class Records:
    """Records of the user's runs and of the revisions of the user's pipelines.

    Parameters
    ----------
    runs : Runs
    library : Library
    home : Path
        The folder of the catalogue, for citations.
    """

    runs: Runs
    library: Library
    home: Path

    def last_run(self, pipeline: str) -> Iterator[str]:
        """Say when a pipeline ran last, how the run ended, and why its steps were computed again."""
        listed = next(iter(listed_runs(self.runs, pipeline=pipeline, limit=1)), None)
        if listed is None:
            yield f"no run of {pipeline} is recorded"
            return
        summary = listed.summary
        yield (
            f"last run of {pipeline}: {summary.id}, started {_minute(summary.started_at) or 'at an unknown time'}: "
            f"{summary.status}{_duration(summary)}{f', for {listed.time_range}' if listed.time_range else ''}"
        )
        if listed.reason:
            where = f"step {listed.failed_step} failed: " if listed.failed_step else ""
            yield f"{where}{listed.reason}"
        if summary.status == "damaged":
            yield summary.note
            return
        yield from why_steps(self.runs, summary.id, states=("completed", "cached"))

    def notes(self, pipeline: str) -> Iterator[str]:
        """Say what the steps of the last run of a pipeline noted."""
        run, steps = self._last(pipeline)
        if run is None:
            yield f"no run of {pipeline} is recorded"
            return
        notes = [
            f"{step['step_id']}: {note}"
            for step in steps
            for output in step["outputs"]
            for note in output.get("notes", ())
        ]
        yield from dict.fromkeys(notes) if notes else [f"run {run} has no notes"]

    def _last(self, pipeline: str) -> tuple[str | None, Sequence[StepRecord]]:
        """Return the id and the steps of the last run of a pipeline that can be read."""
        listed = next(iter(listed_runs(self.runs, pipeline=pipeline, limit=1)), None)
        if listed is None or listed.summary.status == "damaged":
            return None, ()
        return listed.summary.id, self.runs.load(listed.summary.id).readable_steps[0]

    def citations(self, pipeline: str) -> dict[str, Citation]:
        """Return the citations of the datasets that the last run of a pipeline read, by their ids."""
        _, steps = self._last(pipeline)
        return {citation.dataset_id: citation for citation in citations_of(uses_of(steps), self.home)}

    def datasets_taken(self, pipeline: str) -> tuple[str, Mapping[str, Sequence[str]]]:
        """Return the last run of a pipeline in words, and the datasets that its tables were made of, by label."""
        run, steps = self._last(pipeline)
        taken = {
            output["label"]: list(dict.fromkeys(source.dataset_id for source in output["sources"]))
            for step in steps
            for output in step["outputs"]
        }
        return f"run {run}", {label: datasets for label, datasets in taken.items() if datasets}

    def missing(self, pipeline: str) -> Iterator[str]:
        """Say how many values are missing in each line of the figures of the last run."""
        run, steps = self._last(pipeline)
        if run is None:
            yield f"no run of {pipeline} is recorded, and only a run knows the values in the data"
            return
        panels = [
            panel for step in steps for output in step["outputs"] for panel in output.get("quality", ())
        ]
        if not panels:
            yield f"run {run} recorded no figure"
        for row in quality_rows(panels):
            share = f"; data in {row.coverage} of the time range" if row.coverage else ""
            yield f"{row.missing} values missing, {row.values} valid{share} ({row.name}, panel {row.panel})"

    def changed(self, pipeline: str, since: datetime | int | None = None) -> Iterator[str]:
        """Say who changed a pipeline, when and with which sentence, latest first, and what the latest change was.

        Parameters
        ----------
        since : datetime or int, optional
            Say only what changed since then, naive UTC, or since this revision. Default: since the beginning.
        """
        history = self.library.history(pipeline) if ID.fullmatch(pipeline) else None
        revisions = [] if history is None else history.revisions()
        if history is None or not revisions:
            yield f"no change of {pipeline} is recorded"
            return
        if isinstance(since, int) and since not in [revision.number for revision in revisions]:
            yield _no_revision(pipeline, since)
            return
        new = [
            revision
            for revision in revisions
            if since is None
            or (revision.number > since if isinstance(since, int) else _instant(revision.at) >= since)
        ]
        if not new:
            last = revisions[-1]
            when = f"revision {since}" if isinstance(since, int) else f"{since} UTC"
            yield f"{pipeline} has not changed since {when}: revision {last.number} is of {_minute(last.at)}"
            return
        for revision in reversed(new[-_MOST_REVISIONS:]):
            yield _told(pipeline, revision)
        earlier = revisions[: len(revisions) - (1 if since is None else len(new))]
        if earlier:
            yield from _differences(history, earlier[-1], revisions[-1])

    def revision(self, pipeline: str, number: int) -> Iterator[str]:
        """Say who wrote a revision of a pipeline, when and with which sentence, and what it changed."""
        history = self.library.history(pipeline) if ID.fullmatch(pipeline) else None
        revisions = {} if history is None else {known.number: known for known in history.revisions()}
        if history is None or number not in revisions:
            yield _no_revision(pipeline, number)
            return
        revision = revisions[number]
        yield _told(pipeline, revision)
        if revision.parent in revisions:
            yield from _differences(history, revisions[revision.parent], revision)

    def changed_since_run(self, pipeline: str, template: Document) -> Iterator[str]:
        """Say how a template differs from the one that ran last."""
        listed = next(iter(listed_runs(self.runs, pipeline=pipeline, limit=1)), None)
        if listed is None:
            yield f"no run of {pipeline} is recorded"
            return
        run = listed.summary.id
        changed = changes(self.runs.load(run).authored, template)
        if not changed:
            yield f"{pipeline} has not changed since its last run, {run}"
        yield from _lines(f"since run {run}", changed)


def _no_revision(pipeline: str, number: int) -> str:
    return f"{pipeline} has no revision {number}; `helio history {pipeline}` lists all revisions"


def _told(pipeline: str, revision: Revision) -> str:
    request = f": {revision.request}" if revision.request else ""
    how = f"{revision.kind} by {revision.by}{request}"
    return f"revision {revision.number} of {pipeline}, {_minute(revision.at)}, {how}"


def _instant(written: str) -> datetime:
    """Return an instant of a record as naive UTC."""
    return datetime.fromisoformat(written).astimezone(UTC).replace(tzinfo=None)


def _minute(written: str) -> str:
    return f"{_instant(written):%Y-%m-%d %H:%M} UTC" if written else ""


def _duration(summary: RunSummary) -> str:
    if not summary.started_at or not summary.finished_at:
        return ""
    took = _instant(summary.finished_at) - _instant(summary.started_at)
    return f" in {in_words(took.total_seconds() * 1e9)}"


def _differences(history: History, before: Revision, after: Revision) -> Iterator[str]:
    try:
        old, new = (parse(history.text(revision.number)) for revision in (before, after))
    except (DamagedRecord, RequestError) as error:
        yield f"revision {after.number} cannot be compared with revision {before.number}: {error.message}"
        return
    yield from _lines(f"revision {after.number}", changes(old.plan, new.plan))


def _lines(when: str, changed: Sequence[Change]) -> Iterator[str]:
    yield from (f"{when}: {change}" for change in changed[:_MOST_CHANGES])
    if len(changed) > _MOST_CHANGES:
        yield f"{when}: and {len(changed) - _MOST_CHANGES} more changes"
