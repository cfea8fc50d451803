"""How late the data of a dataset usually are: by the user, by the dates of recorded files, or by the catalogue."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from helio.errors import DamagedFile, DamagedObject, UnknownDataset, UnknownRun
from helio.knowledge.catalogue import open_catalogue
from helio.pipelines.runs.basis import parts_of
from helio.pipelines.runs.intervals import DONE, IntervalRun, Latency, absent_from
from helio.settings import Settings
from helio.sources.registry import is_catalogued
from helio.store.runs import RunRecord

log = logging.getLogger(__name__)

LONGEST = timedelta(days=60)
"""Time after an interval in which a file is published for the first time; a later date is that of a republication."""
LEAST_RUNS = 3
"""Number of runs with dated files from which the dates count."""
MOST_RUNS = 20
"""Maximum number of runs whose files count, the newest intervals first."""
_USUALLY = 0.9
"""Part of the intervals that were complete within the usual latency."""


def latencies_of(
    runs: Iterable[IntervalRun], settings: Settings, given: timedelta | None = None
) -> dict[str, Latency]:
    """Return the usual latency of each dataset that had no data for one of the runs, as far as helio knows it.

    The latency that the user gave counts first. Otherwise helio takes the dates at which the archive published the
    files of earlier runs, if there are at least `LEAST_RUNS` of them: nine of ten intervals were complete within the
    latency. Otherwise it takes the time between the last record of the dataset in the catalogue and the day of the
    catalogue.

    Parameters
    ----------
    runs : iterable of IntervalRun
        Runs of one pipeline.
    given : timedelta, optional
        The latency that the user gave, for all datasets.
    """
    runs = tuple(runs)
    absent: dict[str, IntervalRun] = {}
    for run in runs:
        if run.state == "no data":
            absent |= dict.fromkeys(absent_from(run), run)
    latencies = {}
    for dataset_id, run in absent.items():
        latency = (
            Latency(given, "as the user said")
            if given is not None
            else _by_files(dataset_id, runs, settings) or _by_catalogue(dataset_id, run, settings)
        )
        if latency is not None:
            latencies[dataset_id] = latency
    return latencies


def _by_files(dataset_id: str, runs: Sequence[IntervalRun], settings: Settings) -> Latency | None:
    made = [
        (run.span, run)
        for run in runs
        if run.state in DONE and run.span and run.basis and dataset_id in map(_dataset, run.basis.files)
    ]
    newest = sorted(made, key=lambda pair: pair[0].stop, reverse=True)[:MOST_RUNS]
    delays = sorted(
        delay
        for span, run in newest
        if (published := dict(_published(settings.runs / run.id)).get(dataset_id)) is not None  # the last
        and (delay := max(published - span.stop, timedelta())) <= LONGEST
    )
    if len(delays) < LEAST_RUNS:
        return None
    usual = delays[math.ceil(_USUALLY * len(delays)) - 1]
    return Latency(usual, f"by the dates of the files of {len(delays)} intervals")


def _dataset(name: str) -> str:
    return parts_of(name)[1]


@lru_cache(maxsize=10_000)
def _published(folder: Path) -> tuple[tuple[str, datetime], ...]:
    """Return the datasets that a finished run read, each with the times at which its files were published, in order."""
    try:
        return tuple(sorted(_dates(RunRecord(folder)), key=lambda pair: pair[1]))
    except (DamagedObject, UnknownRun, OSError) as error:
        log.info("run %s does not say when its files were published: %s", folder.name, error)
        return ()


def _dates(record: RunRecord) -> Iterator[tuple[str, datetime]]:
    for step in record.readable_steps[0]:
        for output in step["outputs"]:
            for source in output["sources"] if "range" in output["recipe"] else ():
                # the date of a service is that of a whole dataset, or of the request
                if source.reply or not source.last_modified:
                    continue
                try:
                    published = datetime.fromisoformat(source.last_modified)
                except ValueError:
                    continue
                yield (
                    source.dataset_id,
                    published.astimezone(UTC).replace(tzinfo=None) if published.tzinfo else published,
                )


def _by_catalogue(dataset_id: str, run: IntervalRun, settings: Settings) -> Latency | None:
    try:
        archive = RunRecord(settings.runs / run.id).whole_header.get("archive", "")
    except (DamagedObject, UnknownRun) as error:
        log.info("run %s does not say its archive: %s", run.id, error)
        return None
    if archive and not is_catalogued(archive):
        return None
    try:
        catalogue = open_catalogue(settings.home)
        dataset = catalogue.summary(dataset_id)
    except UnknownDataset:
        return None
    except DamagedFile as error:
        log.warning("%s; how late %s usually is stays unknown", error.message, dataset_id)
        return None
    if dataset.last is None or catalogue.has_stopped(dataset):
        return None
    length = catalogue.as_of - dataset.last
    if not timedelta() < length <= LONGEST:
        return None
    return Latency(length, f"by the catalogue of {catalogue.as_of:%Y-%m-%d}")
