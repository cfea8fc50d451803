"""Garbage collection: remove files that no run uses, old files, and the files that exceed the quota."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from helio.errors import OutputError, UnknownRun
from helio.store.collect_files import DIGITS, SurveyedFile, survey_files
from helio.store.disk_entries import DiskEntry, entries_of, files_below, folder_size, look_at
from helio.store.process import fate_of_writer, temporary_name
from helio.store.records import read_bytes
from helio.store.runs import LARGEST, Runs, RunSummary
from helio.store.store import Store, StoredResult, read_result

Kind = Literal[
    "run",
    "result",
    "object",
    "temporary file",
    "damaged object",
    "downloaded file",
    "reply",
    "unfinished download",
    "small picture",
    "file of a figure",
    "log file",
]

UNTOUCHED = timedelta(hours=1)
"""Age below which helio keeps every object in the store, because a run may not have recorded the object yet."""
QUARANTINE = timedelta(days=30)
TABLE = ".arrow"
"""Ending of tables in the store; the quota moves only these, not figures."""
FOREIGN = timedelta(days=1)
"""How long a temporary file is kept if its process may still run on another machine."""

_ORDER: tuple[Kind, ...] = get_args(Kind)
"""Order in which kinds of files are removed: a file is removed only after the files that name it."""


@dataclass(frozen=True)
class Removal:
    """A file or folder to remove, its kind and size, and the reason."""

    path: Path
    kind: Kind
    size: int
    reason: str
    within: bool = True
    """Whether the bytes of this path count towards the quota; the bytes of run records do not."""


@dataclass(frozen=True)
class Collected:
    """Result of a garbage collection, or of a dry run, which removes nothing.

    Parameters
    ----------
    removals : tuple of Removal
    kept : int
        Bytes that stay in the store and the file cache, run records not counted.
    dry_run : bool
        Nothing was removed.
    """

    removals: tuple[Removal, ...]
    kept: int
    dry_run: bool

    @property
    def freed(self) -> int:
        """Return the total bytes of all removed paths."""
        return sum(removal.size for removal in self.removals)

    def by_reason(self) -> dict[tuple[Kind, str], tuple[int, int]]:
        """Count the removed paths and their bytes by kind and reason, in the order of removal."""
        sums: dict[tuple[Kind, str], tuple[int, int]] = {}
        for removal in self.removals:
            count, size = sums.get((removal.kind, removal.reason), (0, 0))
            sums[removal.kind, removal.reason] = (count + 1, size + removal.size)
        return sums


def collect(
    store: Store,
    runs: Runs,
    *,
    files: Path | None = None,
    pictures: Path | None = None,
    older_than: timedelta | None = None,
    expired: Mapping[str, str] = MappingProxyType({}),
    unused_files: timedelta | None = None,
    quota: int | None = None,
    now: datetime,
    dry_run: bool = True,
) -> Collected:
    """Remove the files of the store and of the cache that are no longer needed.

    In this order: records of runs older than an age, and those that are named; results and objects that no run
    record refers to; temporary files of processes that are gone; objects that have been in quarantine for thirty days;
    downloaded files that no run record refers to and nobody has used for a week, downloads unfinished for a week,
    replies of servers that nobody has used for ninety days; then, to fit a quota, objects in quarantine and the tables
    and files that have been unused for longest, although finished runs refer to them (the records stay; a later run
    recomputes the results and downloads the files again). Figures to which a run refers stay.

    Records of running runs and everything they refer to are never removed, nor anything made or used in the last
    hour or since the oldest running run began, nor downloads of another process.

    Parameters
    ----------
    files : Path, optional
        The file cache.
    pictures : Path, optional
        Small pictures of figures; the name of each begins with the sha256 of its figure. Those of figures that no
        run record refers to are removed.
    older_than : timedelta, optional
        Age of run records to remove. Default: remove none.
    expired : mapping
        The ids of further runs whose records to remove, each with the reason.
    unused_files : timedelta, optional
        Time without use after which downloaded files are removed although run records refer to them.
    quota : int, optional
        Bytes that the store and the file cache may hold together, run records not counted.
    now : datetime
        Naive means UTC. A file dated in the future counts as young, so a clock that was set back removes too little.
    dry_run : bool
        Only report what would be removed.

    Raises
    ------
    OutputError
        Something cannot be removed. The store stays consistent; call again.
    """
    now = now.replace(tzinfo=UTC) if now.tzinfo is None else now
    plan = _survey(store, runs, files, pictures, older_than, expired, unused_files, now)
    if quota is not None:
        _fit(plan, quota)
    removed = tuple(plan.removals) if dry_run else tuple(_remove(plan, runs, files))
    return Collected(removed, plan.total - _counted(removed), dry_run)


@dataclass
class _Plan:
    """All files found in the store, and the removals planned so far."""

    removals: list[Removal] = field(default_factory=list)
    seen: dict[Path, DiskEntry] = field(default_factory=dict)
    results_of: dict[Path, list[DiskEntry]] = field(default_factory=lambda: defaultdict(list))
    """The results that name each object: a list of results for the path of an object."""
    objects_of: dict[Path, list[Path]] = field(default_factory=dict)
    """The objects that each result names: a list of paths for the path of a result."""
    movable: list[DiskEntry] = field(default_factory=list)
    """Objects that are removed only if the store exceeds its quota."""
    damaged: list[DiskEntry] = field(default_factory=list)
    movable_files: list[SurveyedFile] = field(default_factory=list)
    """Downloaded files that are removed only if the store exceeds its quota."""
    metadata: dict[Path, DiskEntry] = field(default_factory=dict)
    """The metadata file of each downloaded file, by the path of the downloaded file; both are removed together."""
    total: int = 0

    def remove(self, entry: DiskEntry, kind: Kind, reason: str, *, within: bool = True) -> None:
        self.seen[entry.path] = entry
        self.removals.append(Removal(entry.path, kind, entry.size, reason, within))

    def remove_file(self, file: SurveyedFile, reason: str) -> None:
        self.seen[file.entry.path] = file.entry
        if file.metadata is not None:
            self.metadata[file.entry.path] = file.metadata
        self.removals.append(Removal(file.entry.path, "downloaded file", file.size, reason))


def _survey(
    store: Store,
    runs: Runs,
    files: Path | None,
    pictures: Path | None,
    older_than: timedelta | None,
    expired: Mapping[str, str],
    unused_files: timedelta | None,
    now: datetime,
) -> _Plan:
    plan = _Plan()
    running: set[str] = set()
    referred: set[str] = set()
    young = (now - UNTOUCHED).timestamp()
    for summary in runs.list():
        folder = runs.root / summary.id
        begun = _begun(summary, folder)
        if summary.status == "running":
            running |= _digits_in(folder)
            young = min(young, begun.timestamp())
        elif summary.id in expired or (older_than is not None and now - begun > older_than):
            reason = expired.get(summary.id, "it is older than the given age")
            plan.removals.append(Removal(folder, "run", folder_size(folder), reason, within=False))
        else:
            referred |= _digits_in(folder)
    referred |= running
    fixed = _survey_results(plan, store, young, referred, running)
    for entry in files_below(store.root / "objects"):
        plan.total += entry.size
        if entry.digits not in referred and entry.path not in plan.results_of and entry.modified < young:
            plan.remove(entry, "object", "no run refers to it")
        elif (
            (entry.path.suffix == TABLE or entry.digits not in referred)
            and entry.modified < young
            and entry.path not in fixed
            and entry.digits not in running
        ):
            plan.movable.append(entry)
    _survey_temporary(plan, store, runs, now)
    for entry in files_below(store.root / "quarantine"):
        plan.total += entry.size
        if _quarantined(entry) < now - QUARANTINE:
            plan.remove(entry, "damaged object", "it has been in quarantine for more than 30 days")
        else:
            plan.damaged.append(entry)
    if files is not None:
        _survey_cache(plan, files, young, referred, running, now, unused_files)
    for entry in files_below(pictures) if pictures is not None else ():
        if entry.digits not in referred and entry.modified < young:
            plan.remove(entry, "small picture", "no run refers to its figure", within=False)
    return plan


def _survey_cache(
    plan: _Plan,
    files: Path,
    young: float,
    referred: set[str],
    running: set[str],
    now: datetime,
    unused_files: timedelta | None,
) -> None:
    survey = survey_files(files, referred=referred, running=running, young=young, now=now)
    plan.total += survey.total
    for file in survey.unused:
        plan.remove_file(file, "no run refers to it, and it has not been used for 7 days")
    if unused_files is not None:
        for file in [file for file in survey.movable if file.used < (now - unused_files).timestamp()]:
            survey.movable.remove(file)
            plan.remove_file(file, "it has not been used for longer than files are kept")
    plan.movable_files += survey.movable
    for entry in survey.old_replies:
        plan.remove(entry, "reply", "it has not been used for 90 days")
    for entry in survey.unfinished:
        plan.remove(entry, "unfinished download", "the download has not continued for 7 days")
    for entry in survey.temporary:
        plan.remove(entry, "temporary file", "the process that wrote it has ended")


def _survey_results(
    plan: _Plan, store: Store, young: float, referred: set[str], running: set[str]
) -> set[Path]:
    """Survey the results, and return the objects that must stay even if the store exceeds its quota."""
    fixed: set[Path] = set()
    for entry in files_below(store.root / "results"):
        plan.total += entry.size
        result = read_result(entry.path)
        objects = [] if result is None else _objects(store, result)
        plan.objects_of[entry.path] = objects
        if entry.modified < young:
            if result is None:
                plan.remove(entry, "result", "damaged")
                continue
            if not store.has(result.digest, result.suffix):
                plan.remove(entry, "result", "its object is missing")
                continue
            if entry.digits not in referred:
                plan.remove(entry, "result", "no run refers to it")
                continue
        for path in objects:
            plan.results_of[path].append(entry)
            if entry.modified >= young or entry.digits in running:
                fixed.add(path)
    return fixed


def _survey_temporary(plan: _Plan, store: Store, runs: Runs, now: datetime) -> None:
    old = (now - FOREIGN).timestamp()
    tmp = store.root / "tmp"
    for folder in (tmp, runs.root, *(runs.root / run.id for run in runs.list())):
        for item in entries_of(folder):
            fate = fate_of_writer(item.name.removeprefix("."))
            entry = look_at(Path(item.path)) if fate else None
            if entry is None:
                continue
            plan.total += entry.size if folder == tmp else 0
            if fate == "gone" or (fate == "elsewhere" and entry.modified < old):
                plan.remove(
                    entry, "temporary file", "the process that wrote it has ended", within=folder == tmp
                )


def _fit(plan: _Plan, quota: int) -> None:
    """Plan more removals until the remaining files fit the quota."""
    left = plan.total - _counted(plan.removals)
    for entry in sorted(plan.damaged, key=lambda damaged: damaged.path.name):
        if left <= quota:
            return
        plan.remove(entry, "damaged object", "the quota")
        left -= entry.size

    def last_use(entry: DiskEntry) -> float:
        return max([entry.modified, *(result.modified for result in plan.results_of.get(entry.path, []))])

    gone: set[Path] = set()
    used: list[tuple[float, str, DiskEntry | SurveyedFile]] = [
        *((last_use(entry), entry.path.name, entry) for entry in plan.movable),
        *((file.used, file.entry.path.name, file) for file in plan.movable_files),
    ]
    for _, _, item in sorted(used, key=lambda use: use[:2]):
        if left <= quota:
            return
        if isinstance(item, SurveyedFile):
            plan.remove_file(item, "the quota")
            left -= item.size
            continue
        entry = item
        for result in plan.results_of.get(entry.path, []):
            if result.path not in gone:
                gone.add(result.path)
                plan.remove(result, "result", "the quota")
                left -= result.size
        plan.remove(entry, "object", "the quota")
        left -= entry.size


def _counted(removals: Iterable[Removal]) -> int:
    return sum(removal.size for removal in removals if removal.within)


def _remove(plan: _Plan, runs: Runs, files: Path | None) -> Iterator[Removal]:
    """Remove run records first, then results, then objects, so that no remaining file names a removed file."""
    used: set[Path] = set()
    for removal in sorted(plan.removals, key=lambda item: _ORDER.index(item.kind)):
        if removal.kind == "run":
            with suppress(UnknownRun):  # deleted meanwhile
                runs.delete(removal.path.name)
                yield removal
            continue
        metadata = plan.metadata.get(removal.path)
        changed = look_at(removal.path) != plan.seen[removal.path]
        changed = changed or (metadata is not None and look_at(metadata.path) != metadata)
        if changed or removal.path in used:
            # Used, rewritten or removed since the survey; a used result keeps its objects.
            used.update(plan.objects_of.get(removal.path, []))
            continue
        try:
            if metadata is not None:  # first: a file without metadata is never taken for a known one
                metadata.path.unlink(missing_ok=True)
            if removal.kind == "unfinished download":
                _remove_unfinished(removal.path)
            elif removal.path.is_dir():
                shutil.rmtree(removal.path)
            else:
                removal.path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"{removal.path} cannot be removed: {error.strerror or error}",
                advice="check the owner and permissions of the store",
            ) from error
        if files is not None and removal.path.is_relative_to(files):
            _remove_empty(removal.path.parent, files)
        yield removal


def _remove_unfinished(folder: Path) -> None:
    """Lock an unfinished download before removing it, so that no other process can continue the download meanwhile."""
    taken = folder.with_name(f"{folder.name.partition('.')[0]}.{temporary_name()}")
    with suppress(FileNotFoundError):  # another process continues it
        folder.rename(taken)
        shutil.rmtree(taken)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove an empty folder in the cache, then each folder above it that has become empty."""
    with suppress(OSError):  # it is not empty, or a file has just been added
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _objects(store: Store, result: StoredResult) -> list[Path]:
    """List the object of a result, and every other object that the facts in the result name."""
    named = [store.path(result.digest, result.suffix)]
    pending: list[object] = [result.facts]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, str) and re.fullmatch(r"(sha256:)?[0-9a-f]{64}", value):
            digits = value[-64:]
            named += sorted((store.root / "objects" / digits[:2]).glob(f"{digits}.*"))
    return list(dict.fromkeys(named))


def _begun(summary: RunSummary, folder: Path) -> datetime:
    try:
        begun = datetime.fromisoformat(summary.started_at)
    except ValueError:  # a damaged record
        return datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    return begun.replace(tzinfo=UTC) if begun.tzinfo is None else begun


def _quarantined(entry: DiskEntry) -> datetime:
    try:
        return datetime.strptime(entry.path.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # put there by hand
        return datetime.fromtimestamp(entry.modified, UTC)


def _digits_in(folder: Path) -> set[str]:
    """Find every digest, and every key of a step's work, in the files of a run record.

    Raises
    ------
    DamagedRecord
        A file cannot be read, so that the objects it refers to are unknown.
    """
    digits: set[str] = set()
    for entry in entries_of(folder):
        if entry.name.endswith((".json", ".jsonl")):
            advice = f"run `helio runs delete {folder.name}`; the results that only this run uses are then removed too"
            with suppress(FileNotFoundError):  # deleted meanwhile
                content = read_bytes(Path(entry.path), advice=advice, largest=LARGEST)
                digits.update(DIGITS.findall(content.decode(errors="replace")))
    return digits
