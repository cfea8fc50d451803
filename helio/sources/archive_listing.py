"""Listing of a folder of data files: datasets, parameters, units, first and last records, gaps, and unreadable
files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median

from helio.counts import number_of
from helio.errors import DamagedFile, DataError, UnknownDataset, did_you_mean
from helio.sources.cdf import FileFacts, ParameterFacts
from helio.sources.folder_walk import SkippedEntry, shown
from helio.sources.formats import format_of
from helio.sources.local import MOMENT, MOST_NAMELESS, ArchiveFile, LocalArchive, alike

MOST_CHECKED = 50_000
"""Maximum number of files whose first and last bytes are checked."""
MOST_OPENED = 200
"""Maximum number of files to open for the exact first and last records when a single dataset is listed."""
_TRIES = 3
"""Number of files to try at each end of a dataset before helio takes the first and last times from the file names."""
_OFTEN = 100
_LONGER = 1.5
"""If two neighbouring files are this many times further apart than usual, a file between them counts as missing."""

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class FileGap:
    """Time interval for which a dataset in a folder has no file.

    Parameters
    ----------
    start, stop : datetime
        UTC, half-open.
    """

    start: datetime
    stop: datetime


@dataclass(frozen=True)
class ArchiveDataset:
    """Dataset in a folder, described by facts from its files.

    Parameters
    ----------
    id : str
        Dataset id under which a step fetches the data.
    known_as : str
        The dataset's name inside its newest file, if that name differs from `id`.
    title : str
    parameters : tuple of ParameterFacts
        Parameters of the newest readable file, in file order, data before support data.
    first, last : datetime or None
        UTC of the first and the last record; taken from the dates in file names if `is_span_exact` is False.
    is_span_exact : bool
        Whether the span was read from records.
    cadence : float or None
        Seconds between records of the first parameter that is data.
    files : int
        Number of files that helio reads for the dataset.
    bytes : int
        Size of these files in bytes.
    older : int
        Number of files of older versions with the same start or interval, which helio does not read.
    gaps : tuple of FileGap
        Intervals between two files that no file covers. Empty if the files are too irregular to judge.
    gaps_from : "records", "names" or "unknown"
        Source from which helio found the gaps.
    notes : tuple of str
        Facts that a person should know before using the dataset.
    """

    id: str
    known_as: str
    title: str
    parameters: tuple[ParameterFacts, ...]
    first: datetime | None
    last: datetime | None
    is_span_exact: bool
    cadence: float | None
    files: int
    bytes: int
    older: int
    gaps: tuple[FileGap, ...]
    gaps_from: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ArchiveListing:
    """Result of listing a folder: its datasets, and the files that cannot be read.

    Parameters
    ----------
    folder : str
    datasets : tuple of ArchiveDataset
        In order of their ids.
    unread : tuple of SkippedEntry
        Unreadable files and folders, each with the reason.
    notes : tuple of str
        Notes on what was left out or not checked.
    """

    folder: str
    datasets: tuple[ArchiveDataset, ...]
    unread: tuple[SkippedEntry, ...]
    notes: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the datasets."""
        return tuple(dataset.id for dataset in self.datasets)

    def dataset(self, dataset_id: str) -> ArchiveDataset:
        """Return a dataset of `ids`."""
        return next(dataset for dataset in self.datasets if dataset.id == dataset_id)

    def __repr__(self) -> str:
        unread = f", {number_of(len(self.unread), 'unreadable file')}" if self.unread else ""
        return f"<ArchiveListing {self.folder!r}: {number_of(len(self.datasets), 'dataset')}{unread}>"


def list_archive(
    archive: LocalArchive, dataset_id: str = "", on_progress: Progress = lambda what, count: None
) -> ArchiveListing:
    """List the datasets of a folder: check the name and the first and last bytes of every file, and open a few files of
    each dataset.

    Parameters
    ----------
    dataset_id : str
        List only this dataset, in more detail: its id in upper or lower case, or its name inside its files.
    on_progress : callable
        Called with the kind of objects counted, and their number so far.

    Raises
    ------
    UnknownDataset
    RequestError
        The folder has more files than helio looks at in one search.
    """
    return _Look(archive, on_progress).listing(dataset_id)


class _Look:
    def __init__(self, archive: LocalArchive, on_progress: Progress) -> None:
        self._archive, self._on_progress = archive, on_progress
        self._checked = 0
        self._unread: dict[Path, str] = {}
        self._shadowed: tuple[ArchiveFile, ...] = ()

    def listing(self, dataset_id: str) -> ArchiveListing:
        every = self._archive.files(self._on_progress)
        readable = {name: self._readable(files) for name, files in every.items()}
        chosen = {name: files for name, files in readable.items() if files}
        self._shadowed = self._archive.shadowed()
        for file in self._shadowed:
            chosen.setdefault(file.path.stem.upper(), self._readable([replace(file, older=())]))
        if dataset_id:
            chosen = self._only(dataset_id, chosen)
        datasets = []
        for number, (name, files) in enumerate(sorted(chosen.items())):
            self._on_progress("datasets", number)
            dataset = self._dataset(name, files, closely=bool(dataset_id)) if files else None
            if dataset is not None and dataset.files:
                datasets.append(dataset)
        return ArchiveListing(shown(self._archive.root), tuple(datasets), self._skipped(), self._notes(every))

    def _only(self, dataset_id: str, chosen: dict[str, list[ArchiveFile]]) -> dict[str, list[ArchiveFile]]:
        wanted_id = dataset_id.strip().upper()
        if wanted_id in chosen:
            return {wanted_id: chosen[wanted_id]}
        called = [
            name
            for name, files in chosen.items()
            if (facts := self._facts(files[-1])) is not None and facts.logical_source.upper() == wanted_id
        ]
        if len(called) == 1:
            return {called[0]: chosen[called[0]]}
        if called:
            raise UnknownDataset(
                f"'{dataset_id}' is the Logical_source of several datasets in {shown(self._archive.root)}",
                advice=f"choose one of them: {', '.join(called)}",
            )
        raise UnknownDataset(
            f"no dataset is called '{dataset_id}' in {shown(self._archive.root)}",
            advice=did_you_mean(
                wanted_id, chosen, otherwise=f"choose one of: {', '.join(sorted(chosen)[:12])}"
            ),
        )

    def _readable(self, files: Sequence[ArchiveFile]) -> list[ArchiveFile]:
        """Return the files whose first and last bytes are intact; list all other files as unreadable."""
        readable = []
        for file in files:
            self._checked += 1
            if self._checked % _OFTEN == 0:
                self._on_progress("files checked", self._checked)
            if file.path in self._unread:
                continue
            if self._checked <= MOST_CHECKED:
                try:
                    format_of(file.path)
                except DamagedFile as error:
                    self._unread[file.path] = error.message
                    continue
            readable.append(file)
        return readable

    def _dataset(self, name: str, files: list[ArchiveFile], *, closely: bool) -> ArchiveDataset:
        newest = self._first_facts(reversed(files))
        if closely and len(files) <= MOST_OPENED:
            spans = []
            for number, file in enumerate(files):
                self._on_progress("files opened", number)
                facts = self._facts(file)
                if facts is not None and facts.span is not None:
                    spans.append(facts.span)
        else:
            ends = [newest, self._first_facts(iter(files))]
            spans = [facts.span for facts in ends if facts is not None and facts.span is not None]
            spans += [(file.first, file.stop - MOMENT) for file in files if file.first and file.stop]
        files = [file for file in files if file.path not in self._unread]
        first, last, exact = _span(files, spans)
        parameters = self._parameters(files)
        data = next((facts for facts in parameters if facts.cadence is not None), None)
        gaps, gaps_from = _gaps(files, spans if closely and len(spans) == len(files) else (), data)
        inside = newest.logical_source.upper() if newest is not None else ""
        known_as = inside if inside not in ("", name) else ""
        return ArchiveDataset(
            id=name,
            known_as=known_as,
            title=(newest.source_description or newest.title) if newest is not None else "",
            parameters=parameters,
            first=first,
            last=last,
            is_span_exact=exact,
            cadence=data.cadence if data is not None else None,
            files=len(files),
            bytes=sum(_size(file.path) for file in files),
            older=sum(len(file.older) for file in files),
            gaps=gaps,
            gaps_from=gaps_from,
            notes=tuple(self._notes_on(name, files, known_as)),
        )

    def _notes_on(self, name: str, files: list[ArchiveFile], known_as: str) -> list[str]:
        notes = []
        if known_as and not alike(known_as, name):
            notes.append(
                f"the metadata in its files call the dataset {known_as}, but the file names say {name}"
            )
        rivals = [rival for file in files for rival in file.rivals]
        if rivals:
            notes.append(
                f"files with the same start and version as another file: {len(rivals)}, such as "
                f"{shown(rivals[0].name)}; a run uses them only if their bytes are equal"
            )
        older = [path for file in files for path in file.older]
        if older:
            notes.append(
                f"files of older versions, which are not read: {len(older)}, such as {shown(older[0].name)}"
            )
        for file in self._shadowed:
            if file.dataset_id == name:
                notes.append(
                    f"{shown(file.path.name)} also names the dataset {name}, but a fetch of {name} does "
                    f"not read it: fetch it as {file.path.stem.upper()}"
                )
        return notes

    def _parameters(self, files: list[ArchiveFile]) -> tuple[ParameterFacts, ...]:
        for file in files[: -_TRIES - 1 : -1]:
            try:
                survey = self._archive.survey(file.path)
            except DataError as error:
                self._unread[file.path] = error.message
                continue
            if survey:
                return tuple(sorted(survey, key=lambda facts: facts.support))
        return ()

    def _first_facts(self, files: Iterator[ArchiveFile]) -> FileFacts | None:
        """Return the facts of the first file that can be read and holds records."""
        first_facts = None
        for _ in range(_TRIES):
            file = next(files, None)
            facts = self._facts(file) if file is not None else None
            if facts is not None and facts.span is not None:
                return facts
            first_facts = first_facts or facts
        return first_facts

    def _facts(self, file: ArchiveFile) -> FileFacts | None:
        if file.path in self._unread:
            return None
        try:
            return self._archive.facts(file.path)
        except DataError as error:
            self._unread[file.path] = error.message
            return None

    def _skipped(self) -> tuple[SkippedEntry, ...]:
        root = self._archive.root
        damaged = (
            SkippedEntry(shown(path.relative_to(root)), _plainly(reason, path))
            for path, reason in self._unread.items()
        )
        return tuple(sorted([*self._archive.walk.skipped, *damaged], key=lambda entry: entry.path))

    def _notes(self, every: dict[str, list[ArchiveFile]]) -> tuple[str, ...]:
        notes = []
        masters = self._archive.masters()
        if masters:
            notes.append(f"master files, which describe datasets but hold no records: {len(masters)}")
        if self._archive.walk.more_skipped:
            notes.append(f"further files and folders that cannot be read: {self._archive.walk.more_skipped}")
        if self._archive.nameless > MOST_NAMELESS:
            notes.append(
                f"{self._archive.nameless:,} files have names that do not say their dataset. helio "
                f"opens at most {MOST_NAMELESS:,} such files to find out, so it opened none: choose a "
                "subfolder"
            )
        count = sum(len(files) for files in every.values())
        if count > MOST_CHECKED:
            notes.append(
                f"only the first {MOST_CHECKED:,} of {count:,} files were checked; the others are "
                "listed by their names alone"
            )
        return tuple(notes)


def _span(
    files: Sequence[ArchiveFile], spans: Sequence[tuple[datetime, datetime]]
) -> tuple[datetime | None, datetime | None, bool]:
    """Return the first and last record of a dataset, and whether the times were read or taken from the file names."""
    if spans:
        return min(span[0] for span in spans), max(span[1] for span in spans), True
    starts = [file.start for file in files if file.start is not None]
    stops = [file.stop for file in files if file.stop is not None]
    return min(starts, default=None), max([*starts, *stops], default=None), False


def _gaps(
    files: Sequence[ArchiveFile],
    spans: Sequence[tuple[datetime, datetime]],
    data: ParameterFacts | None,
) -> tuple[tuple[FileGap, ...], str]:
    """Return the intervals without a file, judged by the records of the files if all were read, otherwise by the dates
    in the file names.
    """
    if len(files) < 2:
        return (), "records" if spans else "names"
    if spans:
        usual = timedelta(seconds=_LONGER * (data.cadence if data is not None and data.cadence else 0) + 1)
        return _between(sorted(spans), usual), "records"
    if all(file.start is not None and file.stop is not None for file in files):
        named = sorted((file.start, file.stop) for file in files if file.start and file.stop)
        return _between(named, timedelta(minutes=1)), "names"
    starts = sorted(file.start for file in files if file.start is not None)
    if len(starts) < len(files) or any(file.timed for file in files) or len(starts) < 3:
        return (), "unknown"
    spacings = [(after - before).total_seconds() for before, after in pairwise(starts)]
    usual = timedelta(seconds=median(spacings))
    gaps = [
        FileGap(before + usual, after)
        for before, after in pairwise(starts)
        if after - before > _LONGER * usual
    ]
    return tuple(gaps), "names"


def _between(spans: Sequence[tuple[datetime, datetime]], usual: timedelta) -> tuple[FileGap, ...]:
    """Return intervals longer than usual between the end of the earlier files and the start of the next file."""
    gaps, end = [], spans[0][1]
    for start, stop in spans[1:]:
        if start - end > usual:
            gaps.append(FileGap(end, start))
        end = max(end, stop)
    return tuple(gaps)


def _plainly(reason: str, path: Path) -> str:
    """Remove the file's name from a reason, because the listing already shows the name."""
    return reason.removeprefix(f"'{path.name}' ").removeprefix(f"{path.name} ")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # it vanished since it was listed
        return 0
