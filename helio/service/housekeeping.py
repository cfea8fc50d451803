"""Housekeeping: what the settings of retention remove from a home, once a day, while `helio serve` runs."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from helio.counts import number_of
from helio.errors import DamagedRecord, EngineError, OutputError
from helio.flows.last_runs import last_run
from helio.flows.schedule import Schedules
from helio.flows.server import Server
from helio.pipelines.runs.intervals import IntervalRun, intervals
from helio.pipelines.runs.known_runs import known_runs_of
from helio.pipelines.template.files import DETAIL
from helio.service.kept import Kept, last_housekeeping, write_housekeeping
from helio.settings import Settings
from helio.store.collect import Collected, Removal, collect
from helio.store.disk_entries import entries_of, files_below, folder_size
from helio.store.process import fate_of_writer
from helio.store.runs import ArtefactRecord, Runs
from helio.store.store import Store

if TYPE_CHECKING:
    from helio.flows.serve import Activity

log = logging.getLogger(__name__)

PATIENCE = timedelta(hours=1)
"""How long housekeeping waits for a time in which no run is running."""
PLURALS: Mapping[str, str] = {"reply": "replies", "file of a figure": "files of figures"}
OWN_FILES = ("run.json", "helio-figure.js")
"""Files that helio writes beside the files of a run; they go with the last of these."""


def clean_up(
    settings: Settings,
    now: datetime,
    *,
    older_than: timedelta | None = None,
    quota: int | None = None,
    dry_run: bool = True,
) -> Collected:
    """Remove what the settings of retention do not keep, and what no run uses.

    Parameters
    ----------
    now : datetime
        Naive UTC.
    older_than : timedelta, optional
        Age of further run records to remove, whatever the settings say.
    quota : int, optional
        Bytes that the store and the file cache may hold together; replaces the quota of the settings.
    dry_run : bool
        Only report what would be removed.

    Raises
    ------
    OutputError, DamagedRecord
        Something cannot be removed or read.
    """
    home, retention = settings.home, settings.retention
    known = known_runs_of(settings).read()
    runs = [known_run.run for known_run in known.values() if known_run.run is not None]
    expired = dict(expired_runs(runs, settings, now))
    if quota is None and retention.quota is not None:
        used, movable = home_size(home)
        quota = max(retention.quota - (used - movable), 0)
    collected = collect(
        Store(settings.store),
        Runs(settings.runs),
        files=home / "files",
        pictures=home / "gallery" / "thumbs",
        older_than=older_than,
        expired=expired,
        unused_files=_length(retention.files),
        quota=quota,
        now=now,
        dry_run=dry_run,
    )
    kept = [run for run in runs if run.id not in expired]
    others = [
        *_files_of([run for run in runs if run.id in expired], kept, home / "scheduled"),
        *_old_logs(settings, now),
        *_left_over(home),
    ]
    if not dry_run:
        for removal in others:
            _remove(removal.path)
    return replace(collected, removals=(*collected.removals, *others))


def expired_runs(runs: Iterable[IntervalRun], settings: Settings, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield the ids of the runs that the settings do not keep, each with the reason.

    The last run of each schedule stays, because `helio status` names it.
    """
    retention = settings.retention
    runs = list(runs)
    shown = shown_runs(runs)
    schedules = Schedules(settings).names()
    named = {last.run for name in schedules if (last := last_run(settings.home, name)) is not None}
    for run in runs:
        if run.state == "running" or run.id in named:
            continue
        age = (now - run.started_at).total_seconds()
        if retention.figures is not None and age > retention.figures:
            yield run.id, "it is older than figures are kept"
        elif run.id not in shown and retention.runs is not None and age > retention.runs:
            yield run.id, "it is older than runs are kept"


def shown_runs(runs: Iterable[IntervalRun]) -> frozenset[str]:
    """Return the id of the run that the gallery shows for each interval of each pipeline and its values."""
    by_series: dict[str, list[IntervalRun]] = defaultdict(list)
    for run in runs:
        by_series[json.dumps([run.pipeline, dict(run.values)], sort_keys=True, default=str)].append(run)
    return frozenset(
        interval.run.id
        for series in by_series.values()
        for interval in intervals(series)
        if interval.run is not None
    )


def home_size(home: Path) -> tuple[int, int]:
    """Return the bytes of all files of a home, and of those in its store and file cache; each inode counts once."""
    seen: set[tuple[int, int]] = set()
    sizes = []
    for folders in (("store", "files"), ("",)):
        total = 0
        for folder in folders:
            for entry in files_below(home / folder):
                with suppress(FileNotFoundError):
                    facts = entry.path.stat(follow_symlinks=False)
                    inode = (facts.st_dev, facts.st_ino)
                    total += 0 if inode in seen else facts.st_size
                    seen.add(inode)
        sizes.append(total)
    return sum(sizes), sizes[0]


def _files_of(expired: Iterable[IntervalRun], kept: Iterable[IntervalRun], root: Path) -> Iterator[Removal]:
    """Yield the unchanged files below a folder that only expired runs have written."""
    needed = {file["file"] for run in kept for file in run.files}
    found = {
        path: file
        for run in expired
        for file in run.files
        if file["file"] not in needed and (path := Path(file["file"])).is_relative_to(root)
    }
    gone = {path for path, file in found.items() if _is_unchanged(path, file)}
    for folder in sorted({path.parent for path in gone}):
        own = {folder / name for name in OWN_FILES if (folder / name).is_file()}
        if set(folder.iterdir()) <= gone | own:
            yield Removal(folder, "file of a figure", folder_size(folder), "its run is removed", within=False)
            continue
        for path in sorted(path for path in gone if path.parent == folder):
            size = folder_size(path) if path.is_dir() else path.stat().st_size
            yield Removal(path, "file of a figure", size, "its run is removed", within=False)


def _is_unchanged(path: Path, file: ArtefactRecord) -> bool:
    if file["kind"] == DETAIL:
        return path.is_dir()
    if not path.is_file():
        return False
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest() == file["sha256"]


def _old_logs(settings: Settings, now: datetime) -> Iterator[Removal]:
    """Yield log files that are no longer written and are older than logs are kept."""
    limit = settings.retention.logs
    folders = (settings.log_file.parent, settings.home / "prefect")
    for path in sorted(path for folder in folders for path in folder.glob("*.log.[0-9]")):
        age = now.timestamp() - path.stat().st_mtime
        if limit is not None and age > limit:
            yield Removal(
                path, "log file", path.stat().st_size, "it is older than logs are kept", within=False
            )


def _left_over(home: Path) -> Iterator[Removal]:
    """Yield temporary files beside small files of the home, whose writer was killed."""
    for folder in (home, home / "schedules", home / "schedules" / ".last", home / "prefect"):
        for entry in entries_of(folder):
            if (
                entry.is_file(follow_symlinks=False)
                and fate_of_writer(entry.name.removeprefix(".")) == "gone"
            ):
                size = entry.stat(follow_symlinks=False).st_size
                yield Removal(
                    Path(entry.path),
                    "temporary file",
                    size,
                    "the process that wrote it has ended",
                    within=False,
                )


def _remove(path: Path) -> None:
    try:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"{path} cannot be removed: {error.strerror or error}") from error


def keep_house(settings: Settings, now: datetime) -> Kept:
    """Do the housekeeping of a day: what the settings do not keep goes, and logs and the engine's database shrink.

    Without a setting, only the engine's log and its database shrink. The result is recorded for `helio status`.

    Parameters
    ----------
    now : datetime
        Naive UTC.

    Raises
    ------
    OutputError
        The record cannot be written.
    """
    removed: tuple[Removal, ...] = ()
    trouble = []
    try:
        if settings.retention.is_set:
            removed = clean_up(settings, now, dry_run=False).removals
    except (OutputError, DamagedRecord) as error:
        trouble.append(error.message)
    server = Server(settings.home, settings.environ)
    try:
        server.limit_log()
        server.shrink_database()
    except (EngineError, OSError) as error:
        trouble.append(str(error))
    kept = Kept(
        at=now.replace(microsecond=0).isoformat(),
        used=home_size(settings.home)[0],
        removed=_in_words(removed),
        trouble="; ".join(trouble),
    )
    write_housekeeping(settings.home, kept)
    log.info("%s", kept)
    return kept


def _in_words(removed: Sequence[Removal]) -> str:
    counts = Counter(removal.kind for removal in removed)
    freed = f"{sum(removal.size for removal in removed) / 1e6:.1f} MB"
    words = [number_of(count, kind, PLURALS.get(kind, "")) for kind, count in counts.items()]
    return f"{', '.join(words)} ({freed})" if words else ""


class Housekeeper:
    """Housekeeper of a home, which starts a process once a day while `helio serve` runs."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._begun: datetime | None = None

    def look(self, activity: Activity, now: datetime) -> None:
        """Begin the housekeeping if it is due and no run is running, or if it has waited for an hour.

        Parameters
        ----------
        now : datetime
            Naive UTC.
        """
        if self._process is not None and self._process.poll() is None:
            return
        self._process = None
        last = last_housekeeping(self._settings.home)
        if last is not None and not last.is_due(now):
            return
        if self._begun is not None and timedelta() <= now - self._begun < PATIENCE:
            return  # the last attempt ended without a record
        if activity.running and last is not None and now < last.next + PATIENCE:
            return
        self._begun = now
        self._process = subprocess.Popen(
            [sys.executable, "-m", "helio", "gc", "--daily"],
            env={**self._settings.environ, "HELIO_HOME": str(self._settings.home.absolute())},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end(self) -> None:
        """End a housekeeping that has not finished; the next one continues."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def _length(seconds: float | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)
