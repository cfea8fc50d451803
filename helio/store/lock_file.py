"""Lock files: a lock file lists the files and tables that a run used and that later runs must use too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

from helio.counts import number_of
from helio.errors import DamagedFile, DamagedRecord, OutputError, RequestError
from helio.store.files import json_bytes, unwritable, write_whole
from helio.store.records import (
    Count,
    Digest,
    Instant,
    Sha256OrEmpty,
    WrongShape,
    convert,
    read_bytes,
    read_json,
)
from helio.store.work_keys import difference

FORM = "helio-lock/1"

_VERSION = re.compile(r"_v[\d.\-]+(?:_r\d+)?(?=\.\w+$)", re.IGNORECASE)
_SHORT = 12
LARGEST = 1024**3
"""Maximum bytes of a lock file, which names every file of every fetch."""
_HERE = "./"


@dataclass(frozen=True)
class LockedFile:
    """A file of a dataset, as its archive lists it, with the sha256 of its content if that is known.

    Parameters
    ----------
    sha256 : str
        Empty for a file that has not been downloaded.
    """

    file: str
    version: str = ""
    url: str = ""
    size: Count = 0
    sha256: Sha256OrEmpty = ""
    last_modified: str = ""

    @property
    def series(self) -> str:
        """Return the file name without the version, which is the same for all versions of the file."""
        return _VERSION.sub("", self.file).lower()


@dataclass(frozen=True)
class LockedDataset:
    """A dataset that a fetch may use, and the dataset's files in the time range of the fetch.

    Parameters
    ----------
    files : tuple of LockedFile
        Empty where the dataset is served without files, or is a candidate that was never tried.
    absent : str
        Why there is no data, by the kind of error; empty where there is.
    used : bool or None
        Whether the fetch used it; None where this is not known yet.
    """

    dataset: str
    parameters: tuple[str, ...]
    provider: str
    files: tuple[LockedFile, ...] = ()
    absent: str = ""
    used: bool | None = None


@dataclass(frozen=True)
class LockedFetch:
    """The files that one fetch used, and the tables that it made.

    Parameters
    ----------
    range : tuple of str
        Start and stop, ISO 8601, UTC.
    tables : mapping
        The digest of each table, by its label; empty where nothing was read yet.
    failed : str
        The kind of error of a non-critical fetch that gave no data.
    """

    step_id: str
    range: tuple[Instant, Instant]
    datasets: tuple[LockedDataset, ...]
    tables: Mapping[str, Digest] | None = None
    failed: str = ""

    def to_json(self) -> dict[str, Any]:
        """Convert the fetch to JSON, without its empty values."""
        datasets = []
        for dataset in self.datasets:
            files = [{name: fact for name, fact in asdict(file).items() if fact} for file in dataset.files]
            facts = {"dataset": dataset.dataset, "parameters": list(dataset.parameters)}
            datasets.append(
                facts
                | {"provider": dataset.provider, "used": dataset.used}
                | ({"absent": dataset.absent} if dataset.absent else {"files": files})
            )
        ended = {"failed": self.failed} if self.failed else {"tables": dict(self.tables or {})}
        return {"step_id": self.step_id, "range": list(self.range), "datasets": datasets} | ended


@dataclass(frozen=True)
class Lock:
    """List of the files and tables that a run used; later runs must use the same files and tables.

    Parameters
    ----------
    template : str
        The template's digest.
    archive : str
        The archive given for the run; empty where the steps or the catalogue name the provider. In a file, a
        folder that is in the folder of the lock is written as ``./…``, so that both can be moved together.
    now : str
        The run's clock, ISO 8601, UTC.
    values : mapping
        Of the variables, by name, as one run has them.
    helio : str
        The version of helio that wrote the lock; shown, and not compared.
    tools : mapping
        The version of each tool of the plan.
    rules : mapping
        The number of each of helio's rules; empty in locks older than these numbers. Changed rules explain changed
        results, but refuse nothing by themselves.
    document : mapping
        The parts of the template that can change a result: its variables, and its steps by their ids. Empty in older
        locks; then the digest of the template is compared.
    """

    pipeline: str
    template: str
    archive: str
    now: Instant
    values: Mapping[str, Any]
    helio: str
    tools: Mapping[str, int] = field(repr=False)
    fetches: tuple[LockedFetch, ...] = field(repr=False)
    rules: Mapping[str, int] = field(default_factory=dict, repr=False)
    document: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.document and set(self.document) != {"variables", "steps"}:
            raise ValueError("its 'document' must have 'variables' and 'steps', and nothing else")

    @property
    def files(self) -> int:
        """Return the number of different files in the lock."""
        return len({(file.file, file.sha256) for file in self._files()})

    @property
    def bytes(self) -> int:
        """Return the total bytes of all files in the lock."""
        return sum({(file.file, file.sha256): file.size for file in self._files()}.values())

    def _files(self) -> Iterator[LockedFile]:
        for fetch in self.fetches:
            yield from chain.from_iterable(dataset.files for dataset in fetch.datasets)

    def to_json(self) -> dict[str, Any]:
        """Convert the lock to JSON, without its empty values."""
        return {
            "lock": FORM,
            "helio": self.helio,
            "pipeline": self.pipeline,
            "template": self.template,
            "archive": self.archive,
            "now": self.now,
            "values": dict(self.values),
            "tools": dict(self.tools),
            **({"rules": dict(self.rules)} if self.rules else {}),
            "fetches": [fetch.to_json() for fetch in self.fetches],
            **({"document": dict(self.document)} if self.document else {}),
        }

    @classmethod
    def from_json(cls, document: Any, place: str = "") -> Self:
        """Make a lock from the JSON that `to_json` returns.

        Raises
        ------
        RequestError
            It is not a lock, or of a later version of helio.
        DamagedFile
            A part is missing or wrong.
        """
        if not isinstance(document, dict) or not str(document.get("lock", "")).startswith("helio-lock/"):
            raise RequestError(
                "this is not a lock file of helio",
                advice="run `helio lock PIPELINE` to make one",
                place=place,
            )
        if document["lock"] != FORM:
            raise RequestError(
                f"the lock has the format {document['lock']}; this version of helio reads {FORM}",
                advice="update helio, or run `helio lock` again",
                place=place,
            )
        try:
            read: Self = convert({name: document[name] for name in document if name != "lock"}, cls)
        except WrongShape as error:
            raise DamagedFile(
                f"the lock is damaged: {error}", advice="run `helio lock` again", place=place
            ) from error
        return read

    def write(self, path: str | Path) -> bool:
        """Write the lock file and return True; if the file would change only in its time of writing, return False.

        Raises
        ------
        OutputError
        """
        path = Path(path)
        if not path.name or "\0" in str(path):
            raise OutputError(
                f"{str(path)!r} is not a file name", advice="choose a file name such as helio.lock"
            )
        home, archive = path.absolute().parent, Path(self.archive)
        document = self.to_json()
        if archive.is_absolute() and archive.is_relative_to(home):
            document["archive"] = f"{_HERE}{archive.relative_to(home)}"
        try:
            if path.is_dir():
                raise OutputError(f"{path} is a folder", advice="give a file name with --output FILE")
            before = read_lock(path) if path.exists() else None
        except (RequestError, DamagedFile, DamagedRecord):
            before = None  # the caller has decided that it may be replaced
        except OSError as error:  # the name is too long
            raise unwritable(path, error) from error
        if before is not None and before.to_json() | {"now": self.now} == self.to_json():
            return False
        write_whole(path, json_bytes(document))
        return True


def read_lock(path: Path) -> Lock:
    """Read the lock file at a path.

    Raises
    ------
    RequestError
        There is no such file, or it is not a lock.
    DamagedFile
    """
    try:
        if path.is_dir():
            raise FileNotFoundError(path)
        document = read_json(read_bytes(path, advice="run `helio lock` again", largest=LARGEST))
    except FileNotFoundError:
        raise RequestError(
            f"there is no lock {path}", advice="run `helio lock PIPELINE` to make one"
        ) from None
    except WrongShape as error:
        raise DamagedFile(
            f"the lock is damaged: {error}", advice="run `helio lock` again", place=str(path)
        ) from error
    read = Lock.from_json(document, str(path))
    if read.archive.startswith(_HERE):
        return replace(read, archive=str(path.absolute().parent / read.archive.removeprefix(_HERE)))
    return read


def changes(locked: Lock, now: Lock) -> list[str]:
    """Describe how the data now differ from the locked data; compare only facts that are known for both.

    Two files are the same if their bytes are; if bytes are unknown on one side, if the archive lists them alike.
    Their location does not matter: a mirror may serve the file, or a folder may contain a copy.

    Examples
    --------
    >>> one = Lock("p", "sha256:1", "", "2024-01-01", {"$WINDOW": "5min"}, "0.1", {"resample": 1}, ())
    >>> other = Lock("p", "sha256:1", "", "2024-01-02", {"$WINDOW": "1h"}, "0.2", {"resample": 2}, ())
    >>> changes(one, other)
    ['$WINDOW: 5min → 1h', 'tool resample: version 1 → 2']
    """
    differences: list[str] = []
    if locked.pipeline != now.pipeline:
        differences.append(f"the pipeline: {locked.pipeline} → {now.pipeline}")
    elif locked.document and now.document:
        differences += _of_documents(locked.document, now.document)
    elif locked.template != now.template:
        differences.append(f"the template: {_short(locked.template)} → {_short(now.template)}")
    differences += _of_mappings("", locked.values, now.values)
    differences += _of_mappings("tool ", locked.tools, now.tools, "version ")
    differences += changed_fetches(locked.fetches, now.fetches)
    return list(dict.fromkeys(differences))


def changed_fetches(old: Iterable[LockedFetch], new: Iterable[LockedFetch]) -> Iterator[str]:
    """Describe how fetches differ, step by step; `changes` says which facts are compared."""
    before, after = ({fetch.step_id: fetch for fetch in fetches} for fetches in (old, new))
    for step_id in dict.fromkeys((*before, *after)):
        if step_id not in after:
            yield f"step {step_id} no longer fetches data"
        elif step_id not in before:
            yield f"step {step_id} fetches data that are not locked"
        else:
            yield from _of_fetches(before[step_id], after[step_id])


def _of_documents(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Describe the steps and arguments that differ between two versions of a template."""
    for kind, part in (("variable", "variables"), ("step", "steps")):
        before, after = old[part], new[part]
        renamed: dict[str, str] = {}
        for name in before.keys() - after.keys():
            same = (other for other in after.keys() - before.keys() if after[other] == before[name])
            other = next((other for other in sorted(same) if other not in renamed.values()), "")
            if other:
                renamed[name] = other
        for name in before:
            what = f"the template: {kind} {name}"
            if name in after:
                yield from (f"{what}: {change}" for change in difference(before[name], after[name]))
            elif name in renamed:
                yield f"{what} is now called {renamed[name]}"
            else:
                yield f"{what} is gone"
        for name in after:
            if name not in before and name not in renamed.values():
                yield f"the template has a new {kind}: {name}"


def _of_fetches(old: LockedFetch, new: LockedFetch) -> Iterator[str]:
    step = f"step {old.step_id}"
    if old.range != new.range:
        yield f"{step}: {_span(old.range)} → {_span(new.range)}"
        return
    if old.failed or new.failed:
        if old.failed != new.failed and new.tables is not None:
            yield f"{step}: {_ended(old)} → {_ended(new)}"
        return
    if [_named(dataset) for dataset in old.datasets] != [_named(dataset) for dataset in new.datasets]:
        yield f"{step}: {'; '.join(map(_named, old.datasets))} → {'; '.join(map(_named, new.datasets))}"
        return
    changed = False
    for before, after in zip(old.datasets, new.datasets, strict=True):
        for change in _of_datasets(before, after):
            changed = True
            yield f"{step}: {change}"
    used = [
        next((dataset.dataset for dataset in fetch.datasets if dataset.used), "") if fetch.tables else ""
        for fetch in (old, new)
    ]
    if all(used) and used[0] != used[1]:
        yield f"{step}: {used[0]} was used → {used[1]} is used"
    elif not changed and old.tables and new.tables:
        for label, digest in old.tables.items():
            if label in new.tables and new.tables[label] != digest:
                yield f"{step}: the numbers of {label} changed: {_short(digest)} → {_short(new.tables[label])}"


def _of_datasets(old: LockedDataset, new: LockedDataset) -> Iterator[str]:
    if old.absent or new.absent:
        if old.absent != new.absent:
            before, after = (
                dataset.absent or number_of(len(dataset.files), "file") for dataset in (old, new)
            )
            yield f"{old.dataset}: {before} → {after}"
        return
    if not old.files:
        return  # served without files, or never examined: the numbers that were read decide
    listed, now = ({known.file: known for known in dataset.files} for dataset in (old, new))
    gone = {known.series: known for name, known in listed.items() if name not in now}
    for name, file in now.items():
        if name in listed:
            change = _of_files(listed[name], file)
            if change:
                yield f"{old.dataset}: {name} {change}"
        elif file.series in gone:
            earlier = gone.pop(file.series)
            yield f"{old.dataset}: version {earlier.version} → {file.version} ({earlier.file} → {name})"
        else:
            yield f"{old.dataset}: {name} is new"
    for file in gone.values():
        yield f"{old.dataset}: {file.file} is no longer listed"


def _of_files(old: LockedFile, new: LockedFile) -> str:
    if old.sha256 and new.sha256:
        if old.sha256 == new.sha256:
            return ""
        published = (
            f", published {old.last_modified} → {new.last_modified}"
            if old.last_modified != new.last_modified
            else ""
        )
        what = "was published again with other content" if published else "has other content"
        return f"{what}: sha256 {old.sha256[:_SHORT]}… → {new.sha256[:_SHORT]}…{published}"
    facts = []
    if old.size and new.size and old.size != new.size:
        facts.append(f"{old.size} bytes → {new.size} bytes")
    if old.last_modified and new.last_modified and old.last_modified != new.last_modified:
        facts.append(f"published {old.last_modified} → {new.last_modified}")
    return f"was published again: {', '.join(facts)}" if facts else ""


def _of_mappings(kind: str, old: Mapping[str, Any], new: Mapping[str, Any], what: str = "") -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield f"{kind}{name}: {what}{old[name]} → missing"
        elif name not in old:
            yield f"{kind}{name}: missing → {what}{new[name]}"
        elif old[name] != new[name]:
            yield f"{kind}{name}: {what}{old[name]} → {new[name]}"


def _named(dataset: LockedDataset) -> str:
    return f"{dataset.dataset} ({', '.join(dataset.parameters)})"


def _ended(fetch: LockedFetch) -> str:
    return f"no data ({fetch.failed})" if fetch.failed else "data"


def _span(span: tuple[str, str]) -> str:
    return " to ".join(span)


def _short(digest: str) -> str:
    kind, _, digits = digest.partition(":")
    return f"{kind}:{digits[:_SHORT]}…"
