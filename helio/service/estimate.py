"""Estimate what the intervals of a chunk need, from some of them and from earlier runs of the pipeline."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio.errors import DamagedRecord, DataError, UnknownRun
from helio.pipelines.plan import Plan
from helio.pipelines.runs.intervals import DONE, IntervalRun
from helio.pipelines.runs.prepare import plan_of
from helio.service.chunk import Chunk
from helio.settings import Settings
from helio.sources.archives import archives_of
from helio.sources.cdf import CdfReader
from helio.sources.provider import Providers
from helio.steps.fetch.choices import ABSENT, choices_of
from helio.store.runs import Runs
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

SAMPLE = 20
"""Maximum number of intervals whose files are counted, and of earlier runs whose time is taken."""


@dataclass(frozen=True)
class Estimate:
    """What the intervals of a backfill need.

    Parameters
    ----------
    intervals : int
        Number of intervals to make.
    files : int or None
        Number of data files that they read; None if a provider cannot be asked.
    bytes : int or None
        Size of these files; None if a provider does not tell it.
    seconds : float or None
        The time, from earlier runs of the pipeline; None without one.
    sampled : int
        Number of intervals whose files were counted; the others are assumed to be like them.
    """

    intervals: int
    files: int | None
    bytes: int | None
    seconds: float | None
    sampled: int


def estimate(
    chunk: Chunk, spans: Sequence[TimeRange], runs: Sequence[IntervalRun], workers: int, settings: Settings
) -> Estimate:
    """Estimate what it takes to make some intervals of a chunk.

    Parameters
    ----------
    spans : sequence of TimeRange
        The intervals to make.
    runs : sequence of IntervalRun
        Earlier runs of the pipeline.
    workers : int
        Number of processes.
    """
    sample = spans[:: max(1, -(-len(spans) // SAMPLE))]
    files = _files_of_all(chunk, sample, settings)
    scale = len(spans) / len(sample) if sample else 0.0
    size = None if files is None or any(not file.size for file in files) else sum(file.size for file in files)
    seconds = _seconds_of_a_run(runs, settings)
    return Estimate(
        intervals=len(spans),
        files=None if files is None else round(len(files) * scale),
        bytes=None if size is None else round(size * scale),
        seconds=None if seconds is None else seconds * len(spans) / max(1, min(workers, len(spans))),
        sampled=len(sample),
    )


def _files_of_all(chunk: Chunk, spans: Sequence[TimeRange], settings: Settings) -> list[SourceFile] | None:
    """Return the files that some intervals would read, each once; None if a provider cannot be asked."""
    with CdfReader() as reader:
        archives = archives_of(settings, reader, chunk.archive, chunk.access)
        try:
            files = [
                file for span in spans for file in _files_of(plan_of(chunk.request(span), settings), archives)
            ]
        except DataError as error:
            log.info("the files of the backfill are unknown: %s", error.message)
            return None
    return list({(file.provider, file.dataset_id, file.file): file for file in files}.values())


def _files_of(plan: Plan, providers: Providers) -> Iterator[SourceFile]:
    """Yield the files that the fetches of a plan would read."""
    for step in plan.steps:
        for choice in choices_of(step.args) if "time_range" in step.time_ranges else ():
            try:
                located = providers.choose(choice.provider).locate(
                    choice.dataset_id, step.time_ranges["time_range"]
                )
            except ABSENT:
                continue
            yield from located
            break


def _seconds_of_a_run(runs: Sequence[IntervalRun], settings: Settings) -> float | None:
    """Return the mean time of the newest runs with results that did work."""
    records = Runs(settings.runs)
    times: list[float] = []
    for run in sorted(runs, key=lambda run: run.started_at, reverse=True):
        if run.state not in DONE:
            continue
        try:
            header = records.load(run.id).header
        except (UnknownRun, DamagedRecord):  # deleted meanwhile
            continue
        if header.get("engine") != "none" and header.get("finished_at"):
            begun, ended = (datetime.fromisoformat(header[name]) for name in ("started_at", "finished_at"))
            times.append((ended - begun).total_seconds())
        if len(times) == SAMPLE:
            break
    return sum(times) / len(times) if times else None
