"""Garbage collection: what no run refers to, what is old, what no longer fits."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, get_args

from helio.errors import OutputError, UnknownRun
from helio.store.collect_files import DIGITS, KeptFile, survey_files
from helio.store.found import Found, entries_of, files_below, folder_size, look_at
from helio.store.process import fate_of_writer, temporary_name
from helio.store.records import read_bytes
from helio.store.runs import LARGEST, Runs, RunSummary
from helio.store.store import Result, Store, read_result

Kind = Literal[
    "run",
    "result",
    "object",
    "temporary file",
    "damaged object",
    "downloaded file",
    "reply",
    "unfinished download",
]

UNTOUCHED = timedelta(hours=1)
"""What was made or used since is kept: a run may be between putting an object and recording it."""
QUARANTINE = timedelta(days=30)
FOREIGN = timedelta(days=1)
"""How long a temporary file is kept whose writer, on another machine, may be alive."""

_ORDER: tuple[Kind, ...] = get_args(Kind)
"""Records go first, then results, then objects: what is left refers to nothing that is gone."""


@dataclass(frozen=True)
class Removal:
    """One thing that goes, and why."""

    path: Path
    kind: Kind
    size: int
    reason: str
    within: bool = True
    """Whether it counts for the quota: run records do not."""


@dataclass(frozen=True)
class Collected:
    """What was removed, or would be.

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
        """Bytes of all that goes."""
        return sum(one.size for one in self.removals)

    def by_reason(self) -> dict[tuple[Kind, str], tuple[int, int]]:
        """Number and bytes for each kind and reason, in the order in which they go."""
        sums: dict[tuple[Kind, str], tuple[int, int]] = {}
        for one in self.removals:
            count, size = sums.get((one.kind, one.reason), (0, 0))
            sums[one.kind, one.reason] = (count + 1, size + one.size)
        return sums


def collect(
    store: Store,
    runs: Runs,
    *,
    files: Path | None = None,
    older_than: timedelta | None = None,
    quota: int | None = None,
    now: datetime,
    dry_run: bool = True,
) -> Collected:
    """Remove what is no longer needed.

    In this order: records of runs older than an age; results and objects that no run record refers to; temporary
    files of processes that are gone; objects that have been in quarantine for thirty days; downloaded files that no
    run record refers to and nobody has used for a week, what is left of downloads that ended a week ago, replies of
    servers that nobody has used for ninety days; then, to fit a quota, what is in quarantine and the objects and
    files that have not been used for longest, although finished runs refer to them (their records stay; the work is
    done again when it is asked for, and the files are downloaded again).

    Never removed are records of running runs and what they refer to, and whatever was made or used in the last hour
    or since the oldest running run began. What another process is downloading is left alone.

    Parameters
    ----------
    files : Path, optional
        The file cache.
    older_than : timedelta, optional
        Age of run records; none is dropped when left out.
    quota : int, optional
        Bytes that the store and the file cache may hold together, run records not counted.
    now : datetime
        Naive means UTC. Whatever seems younger than now is young: a clock that was set back removes too little.
    dry_run : bool
        Only say what would go.

    Raises
    ------
    OutputError
        Something cannot be removed. What is gone already leaves the store whole; call again.
    """
    now = now.replace(tzinfo=UTC) if now.tzinfo is None else now
    plan = _survey(store, runs, files, older_than, now)
    if quota is not None:
        _fit(plan, quota)
    removed = tuple(plan.removals) if dry_run else tuple(_remove(plan, runs, files))
    return Collected(removed, plan.total - _counted(removed), dry_run)


@dataclass
class _Plan:
    """What the survey found, and what is to go."""

    removals: list[Removal] = field(default_factory=list)
    seen: dict[Path, Found] = field(default_factory=dict)
    results_of: dict[Path, list[Found]] = field(default_factory=lambda: defaultdict(list))
    """Results that name an object."""
    objects_of: dict[Path, list[Path]] = field(default_factory=dict)
    """Objects that a result names."""
    movable: list[Found] = field(default_factory=list)
    """Objects that stay unless there is a quota."""
    damaged: list[Found] = field(default_factory=list)
    movable_files: list[KeptFile] = field(default_factory=list)
    """Downloaded files that stay unless there is a quota."""
    beside: dict[Path, Found] = field(default_factory=dict)
    """What stands beside a file and goes with it."""
    total: int = 0

    def remove(self, found: Found, kind: Kind, reason: str, *, within: bool = True) -> None:
        self.seen[found.path] = found
        self.removals.append(Removal(found.path, kind, found.size, reason, within))

    def remove_file(self, one: KeptFile, reason: str) -> None:
        self.seen[one.found.path] = one.found
        if one.beside is not None:
            self.beside[one.found.path] = one.beside
        self.removals.append(Removal(one.found.path, "downloaded file", one.size, reason))


def _survey(
    store: Store, runs: Runs, files: Path | None, older_than: timedelta | None, now: datetime
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
        elif older_than is not None and now - begun > older_than:
            plan.removals.append(
                Removal(folder, "run", folder_size(folder), "older than was asked for", within=False)
            )
        else:
            referred |= _digits_in(folder)
    referred |= running
    fixed = _survey_results(plan, store, young, referred, running)
    for found in files_below(store.root / "objects"):
        plan.total += found.size
        if found.digits not in referred and found.path not in plan.results_of and found.modified < young:
            plan.remove(found, "object", "no run refers to it")
        elif found.modified < young and found.path not in fixed and found.digits not in running:
            plan.movable.append(found)
    _survey_temporary(plan, store, runs, now)
    for found in files_below(store.root / "quarantine"):
        plan.total += found.size
        if _quarantined(found) < now - QUARANTINE:
            plan.remove(found, "damaged object", "in quarantine for more than 30 days")
        else:
            plan.damaged.append(found)
    if files is not None:
        _survey_cache(plan, files, young, referred, running, now)
    return plan


def _survey_cache(
    plan: _Plan, files: Path, young: float, referred: set[str], running: set[str], now: datetime
) -> None:
    survey = survey_files(files, referred=referred, running=running, young=young, now=now)
    plan.total += survey.total
    plan.movable_files += survey.movable
    for one in survey.unused:
        plan.remove_file(one, "no run refers to it, and it was not used for 7 days")
    for found in survey.old_replies:
        plan.remove(found, "reply", "not used for 90 days")
    for found in survey.unfinished:
        plan.remove(found, "unfinished download", "left alone for 7 days")
    for found in survey.temporary:
        plan.remove(found, "temporary file", "its process is gone")


def _survey_results(
    plan: _Plan, store: Store, young: float, referred: set[str], running: set[str]
) -> set[Path]:
    """Sort out the results; the objects of those that no quota may touch."""
    fixed: set[Path] = set()
    for found in files_below(store.root / "results"):
        plan.total += found.size
        result = read_result(found.path)
        objects = [] if result is None else _objects(store, result)
        plan.objects_of[found.path] = objects
        if found.modified < young:
            if result is None:
                plan.remove(found, "result", "damaged")
                continue
            if not store.has(result.digest, result.suffix):
                plan.remove(found, "result", "its object is gone")
                continue
            if found.digits not in referred:
                plan.remove(found, "result", "no run refers to it")
                continue
        for one in objects:
            plan.results_of[one].append(found)
            if found.modified >= young or found.digits in running:
                fixed.add(one)
    return fixed


def _survey_temporary(plan: _Plan, store: Store, runs: Runs, now: datetime) -> None:
    old = (now - FOREIGN).timestamp()
    tmp = store.root / "tmp"
    for folder in (tmp, runs.root, *(runs.root / one.id for one in runs.list())):
        for entry in entries_of(folder):
            fate = fate_of_writer(entry.name.removeprefix("."))
            found = look_at(Path(entry.path)) if fate else None
            if found is None:
                continue
            plan.total += found.size if folder == tmp else 0
            if fate == "gone" or (fate == "elsewhere" and found.modified < old):
                plan.remove(found, "temporary file", "its process is gone", within=folder == tmp)


def _fit(plan: _Plan, quota: int) -> None:
    """Add to what goes until the rest fits."""
    left = plan.total - _counted(plan.removals)
    for found in sorted(plan.damaged, key=lambda one: one.path.name):
        if left <= quota:
            return
        plan.remove(found, "damaged object", "the quota")
        left -= found.size

    def last_use(found: Found) -> float:
        return max([found.modified, *(one.modified for one in plan.results_of.get(found.path, []))])

    gone: set[Path] = set()
    used: list[tuple[float, str, Found | KeptFile]] = [
        *((last_use(one), one.path.name, one) for one in plan.movable),
        *((one.used, one.found.path.name, one) for one in plan.movable_files),
    ]
    for _, _, one in sorted(used, key=lambda each: each[:2]):
        if left <= quota:
            return
        if isinstance(one, KeptFile):
            plan.remove_file(one, "the quota")
            left -= one.size
            continue
        found = one
        for result in plan.results_of.get(found.path, []):
            if result.path not in gone:
                gone.add(result.path)
                plan.remove(result, "result", "the quota")
                left -= result.size
        plan.remove(found, "object", "the quota")
        left -= found.size


def _counted(removals: Iterable[Removal]) -> int:
    return sum(one.size for one in removals if one.within)


def _remove(plan: _Plan, runs: Runs, files: Path | None) -> Iterator[Removal]:
    """Records first, then results, then objects: what is left refers to nothing that is gone."""
    used: set[Path] = set()
    for removal in sorted(plan.removals, key=lambda one: _ORDER.index(one.kind)):
        if removal.kind == "run":
            with suppress(UnknownRun):  # deleted meanwhile
                runs.delete(removal.path.name)
                yield removal
            continue
        beside = plan.beside.get(removal.path)
        changed = look_at(removal.path) != plan.seen[removal.path]
        changed = changed or (beside is not None and look_at(beside.path) != beside)
        if changed or removal.path in used:
            # Used, rewritten or removed since it was looked at; what is used keeps its objects.
            used.update(plan.objects_of.get(removal.path, []))
            continue
        try:
            if beside is not None:  # first: a file of which nothing is known is not taken for what it was
                beside.path.unlink(missing_ok=True)
            if removal.kind == "unfinished download":
                _remove_unfinished(removal.path)
            elif removal.path.is_dir():
                shutil.rmtree(removal.path)
            else:
                removal.path.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"{removal.path} cannot be removed: {error.strerror or error}",
                advice="check who owns the store",
            ) from error
        if files is not None and removal.path.is_relative_to(files):
            _remove_empty(removal.path.parent, files)
        yield removal


def _remove_unfinished(folder: Path) -> None:
    """Take a download that ended as whoever goes on with it does, so that only one of both gets it."""
    taken = folder.with_name(f"{folder.name.partition('.')[0]}.{temporary_name()}")
    with suppress(FileNotFoundError):  # another process goes on with it
        folder.rename(taken)
        shutil.rmtree(taken)


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove a folder and those above it, as far as they are empty and within the cache."""
    with suppress(OSError):  # something stands in it, or has just come
        while folder != root:
            folder.rmdir()
            folder = folder.parent


def _objects(store: Store, result: Result) -> list[Path]:
    """The object of a result, and whatever else its facts name."""
    named = [store.path(result.digest, result.suffix)]
    pending: list[object] = [result.facts]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            pending += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            pending += one
        elif isinstance(one, str) and re.fullmatch(r"(sha256:)?[0-9a-f]{64}", one):
            digits = one[-64:]
            named += sorted((store.root / "objects" / digits[:2]).glob(f"{digits}.*"))
    return list(dict.fromkeys(named))


def _begun(summary: RunSummary, folder: Path) -> datetime:
    try:
        begun = datetime.fromisoformat(summary.started_at)
    except ValueError:  # a damaged record
        return datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    return begun.replace(tzinfo=UTC) if begun.tzinfo is None else begun


def _quarantined(found: Found) -> datetime:
    try:
        return datetime.strptime(found.path.name[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # put there by hand
        return datetime.fromtimestamp(found.modified, UTC)


def _digits_in(folder: Path) -> set[str]:
    """Every digest and key that the files of a run record mention, wherever.

    Raises
    ------
    DamagedRecord
        A file cannot be read at all, so that nobody knows what it refers to.
    """
    found: set[str] = set()
    for entry in entries_of(folder):
        if entry.name.endswith((".json", ".jsonl")):
            advice = f"helio runs delete {folder.name}; then nothing that only this run refers to is kept"
            with suppress(FileNotFoundError):  # deleted meanwhile
                content = read_bytes(Path(entry.path), advice=advice, largest=LARGEST)
                found.update(DIGITS.findall(content.decode(errors="replace")))
    return found
