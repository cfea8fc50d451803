"""A folder of data files as a provider: helio finds files by names of CDAWeb's form, reads the files and joins
their tables.
"""

from __future__ import annotations

import logging
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from helio.counts import number_of
from helio.errors import (
    ChangedFile,
    DamagedFile,
    NoData,
    RequestError,
    UnknownDataset,
    UnknownParameter,
    did_you_mean,
)
from helio.sources.file_digests import FileDigest, FileDigests, FileState, changed
from helio.sources.folder_walk import MOST_ENTRIES, Walk, shown, walk
from helio.sources.formats import SUFFIXES, format_of
from helio.sources.gather import FileSpan, join_files, side_of, tables_in
from helio.store.source_file import Proof, SourceFile, note_on_name
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader, FileFacts, ParameterFacts
    from helio.store.table import Table

T = TypeVar("T")

log = logging.getLogger(__name__)

# ac_h0_mfi_20230102_v07.cdf, mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf, tha_l1_state_20100225.cdf,
# solo_L2_epd-ept-asun-rates_20200603_V02.cdf; MAVEN adds a revision: _v01_r02; NOAA's netCDF a d:
# dn_magn-l2-hires_g16_d20200101_v1-0-1.nc.
_FILE_NAME = re.compile(
    r"(?P<dataset>.+?)_d?(?P<date>\d{8})(?:t?(?P<time>\d{2}(?:\d{2}){0,2}))?"
    r"(?:_v(?P<version>\d+(?:[.\-]\d+)*(?:_r\d+)?))?",
    re.IGNORECASE,
)
# Cluster Science Archive: C1_CP_FGM_SPIN__20240510_000000_20240511_000000_V01; Solar Orbiter: …_20240510T000000-
# 20240511T000000_V01; Swarm: SW_OPER_MAGA_LR_1B_20240510T000000_20240510T235959_0605_MDR_MAG_LR.
_TWO_DATES = re.compile(
    r"(?P<dataset>.+?)_{1,2}(?P<date>\d{8})(?:[t_]?(?P<time>\d{6}|\d{4}))?"
    r"[_-](?P<stop_date>\d{8})(?:[t_]?(?P<stop_time>\d{6}|\d{4}))?"
    r"(?:_v(?P<version>\d+(?:[.\-]\d+)*)|_(?P<number>\d{4})(?=_))?(?:_.*)?",
    re.IGNORECASE,
)
LOCAL = "local files"
"""Name of a folder of files, as provider, in records of runs and in footers of figures, wherever the folder is."""
_MASTER_DATE = "00000000"
_KEY_PARAMETERS = re.compile(r"(?:^|_)(?:K[0-2]|LL02)(?:_|$)", re.IGNORECASE)

# A day's file may begin a spin before midnight and end a minute after it (WI_H5_SWE: -11 s and +55 s).
_SPILL = timedelta(minutes=5)
_NO_MARGIN = timedelta()
_YEAR = timedelta(days=366)
_ALL_TIME = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
_NO_TIME = TimeRange(datetime(1700, 1, 1), datetime(1700, 1, 1, microsecond=1))
MOST_NAMELESS = 20_000
"""Maximum number of files to open because their names do not contain their dataset."""
MOMENT = timedelta(microseconds=1)
"""Time to add to the last epoch of a file to get an exclusive stop time."""
_LARGE = 256 * 1024**2
"""Size in bytes from which helio checks the structure of a file before it reads the whole file for the digest."""
_FACTS, _SURVEY = "facts-1", "survey-1"
"""Names of the two kinds of saved facts about files, with the version of their form."""
_FEW = 12
_TRIES = 3
"""Maximum number of files to open to find the Logical_source attribute of a dataset."""


@dataclass(frozen=True)
class FileName:
    """Parts of a file name that has CDAWeb's form.

    Parameters
    ----------
    dataset_id : str
        Dataset id in upper case, as CDAWeb writes it.
    start : datetime
        Approximate UTC of the first record.
    timed : bool
        Whether the name contains a time of day other than midnight: such files cover some hours at most.
    version : str
        Version as written, without the letter ``v``; empty if the name has no version.
    stop : datetime or None
        UTC before which the records end; only for names with two dates.
    """

    dataset_id: str
    start: datetime
    timed: bool
    version: str
    stop: datetime | None = None


@dataclass(frozen=True)
class KnownFile:
    """Facts about a file that are known before helio opens it, for example from a manifest."""

    first: datetime
    last: datetime
    doi: str = ""
    acknowledgement: str = ""
    logical_source: str = ""
    """The dataset's name inside the file, if this name differs from the name in the file name."""
    sha256: str = ""
    """Digest of the file's bytes, if the archive gives one; helio refuses a file with other bytes."""


@dataclass(frozen=True)
class ArchiveFile:
    """File of an archive, described by its name or its global attributes.

    Parameters
    ----------
    start : datetime or None
        Approximate UTC of the first record.
    timed : bool
        Whether `start` has a time of day other than midnight: such files cover some hours at most.
    version : str
        Version without the letter ``v``; empty if the file has no version.
    stop : datetime or None
        UTC before which the records end; None if neither the name nor the file was read for it.
    first : datetime or None
        UTC of the first record; None if the file was not read for it.
    rivals : tuple of Path
        Other files with the same start and version.
    older : tuple of Path
        Files with the same start and an older version, which helio does not read.
    """

    path: Path
    dataset_id: str
    start: datetime | None
    timed: bool
    version: str
    stop: datetime | None = None
    first: datetime | None = None
    rivals: tuple[Path, ...] = ()
    older: tuple[Path, ...] = ()


def parse_file_name(name: str) -> FileName | None:
    """Read dataset id, start and version from a file name; return None if the name does not have CDAWeb's form.

    >>> parse_file_name("sta_l1_het_20211028_v01.cdf").dataset_id
    'STA_L1_HET'

    References
    ----------
    ISTP file naming, https://spdf.gsfc.nasa.gov/istp_guide/filenaming.html
    """
    stem, dot, suffix = name.rpartition(".")
    if not dot or suffix.lower() not in ("cdf", "nc"):
        return None
    return _parse_stem(stem)


def _parse_stem(stem: str) -> FileName | None:
    match = _FILE_NAME.fullmatch(stem)
    if match is None:
        return None
    time = match["time"] or ""
    try:
        start = datetime.strptime(match["date"] + time.ljust(6, "0"), "%Y%m%d%H%M%S")
    except ValueError:
        return None  # eight digits that are no date, such as an orbit number
    return FileName(match["dataset"].upper(), start, bool(time.strip("0")), match["version"] or "")


def _parse_two_dates(stem: str) -> FileName | None:
    """Read a file name that contains the first and last date of the file; a last date without a time means the
    whole day.
    """
    match = _TWO_DATES.fullmatch(stem)
    if match is None:
        return None
    time = match["time"] or ""
    try:
        start = datetime.strptime(match["date"] + time.ljust(6, "0"), "%Y%m%d%H%M%S")
        stop = datetime.strptime(
            match["stop_date"] + (match["stop_time"] or "").ljust(6, "0"), "%Y%m%d%H%M%S"
        )
        stop = stop if match["stop_time"] else stop + timedelta(days=1)
    except (ValueError, OverflowError):
        return None
    if stop <= start:
        return None
    version = match["version"] or match["number"] or ""
    return FileName(match["dataset"].upper(), start, bool(time.strip("0")), version, stop)


def natural_version(text: str) -> tuple[int, ...]:
    """Return a version as numbers for comparison, so that v10 is newer than v9, and v4.18.1 newer than v4.9.0.

    >>> natural_version("4.18.1") > natural_version("4.9.0")
    True
    """
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def is_preliminary(dataset_id: str) -> bool:
    """Return whether a dataset is a browse, key-parameter or low-latency product (K0, K1, K2, LL02)."""
    return _KEY_PARAMETERS.search(dataset_id) is not None


class LocalArchive:
    """Data files in a folder and its subfolders; satisfies `helio.sources.provider.Provider`.

    helio reads CDF, netCDF, CSV and Parquet files. The name of a file gives its dataset; if the name does not have
    CDAWeb's form, the global attribute ``Logical_source`` gives it. A file that is not a CDF and has no such attribute
    is a dataset of its own, with the name of the file. The folder is searched once, when it is first needed: make a new
    archive to see new files. If the bytes of a file change after helio first named it, helio refuses the file.

    Parameters
    ----------
    root : Path
    reader : CdfReader
        Reads the files; the archive does not close the reader.
    name : str, optional
        Name of the archive in records of runs and in footers. By default this name does not contain the folder, so that
        moving the folder, or reading it through a link, changes no result. Messages use the name of the folder.
    known : mapping of str to KnownFile, optional
        Known facts of files, by file name.
    digests : FileDigests, optional
        Gives the digest of a file; if this object saves digests, a run need not read large files again.

    Raises
    ------
    RequestError
        The folder does not exist or cannot be read.
    """

    def __init__(
        self,
        root: Path,
        reader: CdfReader,
        *,
        name: str | None = None,
        known: Mapping[str, KnownFile] | None = None,
        digests: FileDigests | None = None,
    ) -> None:
        try:
            if not root.is_dir():
                what = "is not a folder" if root.exists() else "does not exist"
                raise RequestError(
                    f"the archive {shown(root)} {what}",
                    advice="choose a folder that holds CDF, netCDF, CSV or Parquet files",
                )
            os.scandir(root).close()
        except (OSError, ValueError) as error:  # too long, or with a null character
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise RequestError(
                f"the archive {shown(root)} cannot be read: {reason}",
                advice="get permission to list the folder",
            ) from error
        self._root = root.resolve()
        self._reader = reader
        self._name = name or LOCAL
        self._called = name or self._root.name or str(self._root)
        self._known = known or {}
        self._digests = digests or FileDigests()
        self._facts: dict[tuple[Path, FileState], FileFacts | None] = {}
        self._listed: dict[Path, FileFacts] = {}
        """Facts of files that helio had to open, because their names do not contain their dataset."""
        self._coverages: dict[int, tuple[list[ArchiveFile], _Coverage]] = {}
        """What the files of a dataset cover, by the id of their list."""
        self._on_progress: Callable[[str, int], None] = lambda what, count: None
        self._named_as: dict[Path, FileDigest] = {}
        """Digest of each file at the time when helio first named the file."""

    @property
    def name(self) -> str:
        """Name of the archive in records of runs and in footers of figures."""
        return self._name

    @property
    def root(self) -> Path:
        """Folder of the archive, with links resolved."""
        return self._root

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted; if a file name does not contain the dataset, use the file's
        Logical_source.
        """
        return sorted({*self._named, *self._described})

    def files(
        self, on_progress: Callable[[str, int], None] = lambda what, count: None
    ) -> dict[str, list[ArchiveFile]]:
        """Return the files to read, by dataset and in order of start; of files with the same start, return only the
        newest version.

        If more than `MOST_NAMELESS` files have names that do not contain their dataset, these files are left out.

        Parameters
        ----------
        on_progress : callable
            Called with the kind of objects counted, and their number so far.
        """
        self._on_progress = on_progress
        described = self._described if self.nameless <= MOST_NAMELESS else {}
        return dict(sorted({**described, **self._named}.items()))

    def masters(self) -> tuple[Path, ...]:
        """Return the files that describe a dataset but contain no records."""
        return tuple(path for name, path in self._listing if name is None and f"_{_MASTER_DATE}" in path.name)

    def shadowed(self) -> tuple[ArchiveFile, ...]:
        """Return the files that a fetch does not read: only their contents name the dataset, but other files have it in
        their names.
        """
        if self.nameless > MOST_NAMELESS:
            return ()
        return tuple(
            file
            for dataset_id, files in self._described.items()
            if dataset_id in self._named
            for file in files
        )

    @cached_property
    def nameless(self) -> int:
        """Number of files whose names do not contain their dataset."""
        return sum(
            name is None and _parse_two_dates(path.stem) is None and f"_{_MASTER_DATE}" not in path.name
            for name, path in self._listing
        )

    @cached_property
    def walk(self) -> Walk:
        """All files and folders below the archive's folder, searched only once."""
        files = walk(self._root, SUFFIXES, lambda entries: self._on_progress("entries", entries))
        for entry in files.skipped:
            log.warning("skipped %s: %s", shown(entry.path), entry.reason)
        return files

    def facts(self, path: Path) -> FileFacts:
        """Return the facts of a file, saved until the file changes; helio does not verify the digest of its bytes.

        Raises
        ------
        DamagedFile, ChangedFile
        """
        from helio.sources.cdf import facts_from_json, facts_to_json

        return self._remembered(path, _FACTS, self._reader.describe, facts_to_json, facts_from_json)

    def survey(self, path: Path) -> tuple[ParameterFacts, ...]:
        """Describe each parameter of a file; helio saves the result until the file changes.

        Raises
        ------
        DamagedFile, ChangedFile
        """
        from helio.sources.cdf import survey_from_json, survey_to_json

        return self._remembered(path, _SURVEY, self._reader.survey, survey_to_json, survey_from_json)

    def _remembered(
        self,
        path: Path,
        kind: str,
        read: Callable[[Path, FileState], T],
        to_json: Callable[[T], Any],
        from_json: Callable[[Any], T | None],
    ) -> T:
        """Return saved facts of a file in its current state; read the facts from the file if nothing usable is
        saved.
        """
        state = _state(path)
        note = self._digests.noted(path, state, kind)
        facts = from_json(note) if note is not None else None
        if facts is None:
            facts = read(path, state)
            self._digests.note(path, state, kind, to_json(facts))
        return facts

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Return the files that may hold records of [start, stop), judged without reading records.

        A file name gives the start of the file but not its end, so the result may contain a neighbouring file without
        records in the interval; the tables of `fetch` name only the files that gave records. DOI and acknowledgement
        are inside the files; `fetch` adds them.

        Raises
        ------
        UnknownDataset
            No dataset has this id; the advice gives the closest ids.
        NoData
            The range has no file; the message names the range that the file names cover.
        DamagedFile
            Two files with the same start and version, in different folders, have different bytes.
        """
        return tuple(self._source(file) for file in self._choose(dataset_id, time_range))

    def files_with_records(self, dataset_id: str, time_range: TimeRange) -> frozenset[str]:
        """Return the names of the files whose first and last epoch say that they have records of [start, stop).

        This opens the files that helio has not opened before. A file whose epochs are unknown is included, unless its
        own time lies beside the interval.

        Raises
        ------
        UnknownDataset, NoData, DamagedFile
            As for `locate`.
        """
        coverage = self._coverage_of(self._files(dataset_id))
        named = set()
        for file in self._choose(dataset_id, time_range):
            facts = self._facts_if_readable(file.path)
            if facts is None or facts.span is None:
                has_records = side_of(coverage.own(file), time_range) is None
            else:
                has_records = facts.span[0] < time_range.stop and time_range.start <= facts.span[1]
            if has_records:
                named.add(file.path.name)
        return frozenset(named)

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) from all files that hold them, and join the records in order of epoch.

        Records that two files share are taken once, from the earlier file; gaps stay gaps. Values are not checked: a
        table may contain only NaN.

        Returns
        -------
        dict of str to Table
            Tables by parameter, each with at least one record and with the files from which the table came.

        Raises
        ------
        UnknownDataset, UnknownParameter
        NoData
            A parameter has no record in the interval; the advice names the range that the files cover.
        DamagedFile
            A chosen file cannot be read, or two files contradict each other. A damaged file beside the interval is an
            error only if records are missing at that end of the interval; otherwise a note names it.
        """
        parameters = list(dict.fromkeys(parameters))
        files = self._choose(dataset_id, time_range)
        coverage = self._coverage_of(self._files(dataset_id))
        joined = join_files(
            files,
            parameters,
            time_range,
            lambda file, names: self._read(file, names, time_range),
            name=lambda file: file.path.name,
            span=coverage.own,
        )
        for parameter, (file, error) in joined.absent.items():
            raise self._unknown_parameter(parameter, file, error)
        tables = {
            parameter: self._complete(table, joined.files[parameter], joined.notes)
            for parameter, table in joined.tables.items()
        }
        empty = [parameter for parameter in parameters if parameter not in tables]
        if empty:
            raise self._no_records(files, dataset_id, empty, time_range)
        return tables

    def components(self, dataset_id: str, parameter: str) -> tuple[str, ...]:
        """Return the names of a parameter's components from the newest file with this parameter; empty for a scalar or
        spectrum.

        Raises
        ------
        UnknownDataset, UnknownParameter, NoData, DamagedFile
        """
        lacking: UnknownParameter | None = None
        for file in reversed(self._files(dataset_id)):
            try:
                # no record lies there, and a table without records has its components all the same
                return self._reader.read(file.path, [parameter], _NO_TIME)[parameter].components
            except UnknownParameter as error:
                lacking = lacking or self._unknown_parameter(parameter, file, error)
        assert lacking is not None  # a dataset has files
        raise lacking

    # Finding

    @cached_property
    def _listing(self) -> tuple[tuple[FileName | None, Path], ...]:
        """Every data file below the root, in order of path.

        Raises
        ------
        RequestError
            There are too many files: the result must not depend on where a search stops.
        """
        if not self.walk.is_whole:
            raise RequestError(
                f"the archive {shown(self._root)} has more than {MOST_ENTRIES:,} files and folders",
                advice="choose a subfolder",
            )
        return tuple((_parse_stem(path.stem), path) for path in self.walk.files)

    @cached_property
    def _named(self) -> dict[str, list[ArchiveFile]]:
        """Files whose names have CDAWeb's form, only the newest versions, by dataset and in order of start."""
        return _newest(
            ArchiveFile(path, name.dataset_id, name.start, name.timed, name.version)
            for name, path in self._listing
            if name is not None
        )

    @cached_property
    def _described(self) -> dict[str, list[ArchiveFile]]:
        """Files with other names, by the Logical_source or the DATASET_ID inside the file.

        Raises
        ------
        RequestError
            There are too many files: the result must not depend on which of them were opened.
        """
        if self.nameless > MOST_NAMELESS:
            raise RequestError(
                f"{self.nameless:,} files in {self._called} have names that do not say their dataset, "
                f"but helio opens at most {MOST_NAMELESS:,} such files",
                advice="choose a subfolder, or name the files as their archive does: DATASET_20240510_v01.cdf",
            )
        described: list[ArchiveFile] = []
        alike: dict[tuple[str, str], list[tuple[FileName, Path]]] = {}
        for name, path in self._listing:
            # A master CDF holds a dataset's metadata and no records.
            if name is not None or f"_{_MASTER_DATE}" in path.name:
                continue
            two = _parse_two_dates(path.stem)
            if two is None:
                described += self._file_inside(path)
                self._on_progress("files opened", len(described))
            else:
                alike.setdefault((two.dataset_id, path.suffix.lower()), []).append((two, path))
        for (dataset_id, _), group in alike.items():
            # One of them says what all are; names with two dates say the rest.
            inside = next(
                (facts for _, path in group[-_TRIES:] if (facts := self._facts_if_readable(path))), None
            )
            for two, path in group:
                known_as = (inside.logical_source if inside else "") or dataset_id
                described.append(
                    ArchiveFile(path, known_as.upper(), two.start, two.timed, two.version, two.stop)
                )
        return _newest(_without_older(described))

    def _file_inside(self, path: Path) -> list[ArchiveFile]:
        """Return a file as its own attributes describe it; return an empty list if it neither names a dataset
        nor has parameters.
        """
        facts = self._facts_if_readable(path)
        if facts is None:
            # its name is all there is to know it by; reading it says what is wrong
            return [ArchiveFile(path, path.stem.upper(), None, False, "")]
        if not facts.logical_source and not facts.parameters:
            return []
        self._listed[path] = facts
        inside = parse_file_name(f"{facts.logical_file_id}.cdf")
        first, last = facts.span or (None, None)
        return [
            ArchiveFile(
                path,
                (facts.logical_source or path.stem).upper(),
                inside.start if inside else None,
                inside.timed if inside else False,
                inside.version if inside else facts.data_version,
                # a name inside is generous about the day; the epochs are exact
                None if inside or last is None else last + MOMENT,
                None if inside else first,
            )
        ]

    @cached_property
    def _logical_sources(self) -> dict[str, list[str]]:
        """Dataset ids by the Logical_source of their newest readable file, only for datasets where the two
        names differ.
        """
        ids: dict[str, list[str]] = {}
        for dataset_id, files in self._named.items():
            known = self._known.get(files[-1].path.name)
            if known is not None:  # a file that is known beforehand need not be opened for its name
                if known.logical_source:
                    ids.setdefault(known.logical_source.upper(), []).append(dataset_id)
                continue
            facts = self._newest_facts(files)
            if facts is not None and facts.logical_source.upper() not in ("", dataset_id):
                ids.setdefault(facts.logical_source.upper(), []).append(dataset_id)
        return ids

    def _newest_facts(self, files: Sequence[ArchiveFile]) -> FileFacts | None:
        """Return the facts of the newest readable file; give up after a few files that cannot be read."""
        every = (self._facts_if_readable(file.path) for file in reversed(files[-_TRIES:]))
        return next((facts for facts in every if facts is not None), None)

    def _files(self, dataset_id: str) -> list[ArchiveFile]:
        wanted_id = dataset_id.strip().upper()
        if wanted_id in self._named:
            return self._named[wanted_id]
        if wanted_id in self._described:
            return self._described[wanted_id]
        shared = self._logical_sources.get(wanted_id, [])
        if len(shared) == 1:
            return self._named[shared[0]]
        if shared:
            raise UnknownDataset(
                f"'{dataset_id}' is the Logical_source of several datasets in {self._called}",
                advice=f"choose one of them: {', '.join(shared)}",
            )
        # a file that belongs to another dataset as it says itself is found by its name all the same
        by_stem = [
            file
            for files in self._described.values()
            for file in files
            if file.path.stem.upper() == wanted_id
        ]
        if by_stem:
            return by_stem
        passed_over = len(self.walk.skipped) + self.walk.more_skipped
        source = (
            f"; run `helio archive DIR` to list {number_of(passed_over, 'entry', 'entries')} that helio skipped"
            if passed_over
            else ""
        )
        raise UnknownDataset(
            f"no dataset is called '{dataset_id}' in {self._called}",
            advice=_instead_of(wanted_id, self.datasets(), "datasets") + source,
        )

    def _choose(self, dataset_id: str, time_range: TimeRange) -> list[ArchiveFile]:
        files = self._files(dataset_id)
        chosen = self._coverage_of(files).of(time_range)
        if not chosen:
            raise NoData(
                f"{files[0].dataset_id} has no file for {_written(time_range)} in {self._called}",
                advice=_span_by_names(files, self._known),
            )
        for file in chosen:
            self._refuse_rivals(file)
        return chosen

    def _coverage_of(self, files: list[ArchiveFile]) -> _Coverage:
        """Return what the files of a dataset cover; work it out once, because a backfill asks for thousands of days."""
        known = self._coverages.get(id(files))
        if known is None or known[0] is not files:
            known = self._coverages[id(files)] = (files, _Coverage(files, self._known))
        return known[1]

    def _refuse_rivals(self, file: ArchiveFile) -> None:
        """Raise an error for two different files of the same dataset, start and version, because helio cannot
        know which one is right.
        """
        for rival in file.rivals:
            if rival.suffix.lower() == file.path.suffix.lower() and not self._same_bytes(file.path, rival):
                first, other = (str(path.relative_to(self._root)) for path in (file.path, rival))
                raise DamagedFile(
                    f"{first} and {other} have the same start and version but different bytes",
                    advice="keep only one of them in the archive, or use the folder of one of them as the "
                    "archive",
                )

    def _same_bytes(self, one: Path, other: Path) -> bool:
        if _state(one).size != _state(other).size:
            return False
        return self._digest(one).sha256 == self._digest(other).sha256

    # Reading

    def _read(
        self, file: ArchiveFile, parameters: Sequence[str], time_range: TimeRange
    ) -> Mapping[str, Table]:
        """Read parameters from a file whose bytes did not change since helio first named it."""
        return self._digests.read(
            file.path,
            self._digest(file.path),
            lambda state: self._reader.read(file.path, parameters, time_range, state),
        )

    def _complete(self, table: Table, kept: list[ArchiveFile], further: Sequence[str]) -> Table:
        """Return the table with the files from which its records came, with notes on the files that were not used, and
        with further notes.
        """
        notes = [note for file in kept if (note := self._other_name(file))]
        notes += [
            f"{file.path.name} was read instead of {rival.name}, which has the same start and version"
            for file in kept
            for rival in file.rivals
            if rival.suffix.lower() != file.path.suffix.lower()
        ]
        return replace(
            table,
            sources=tuple(self._cited(file) for file in kept),
            notes=(*dict.fromkeys([*table.notes, *notes]), *further),
        )

    def _other_name(self, file: ArchiveFile) -> str:
        """Return a note if the dataset id in a file differs from the id in its name; return an empty text if
        both agree.
        """
        inside = self._facts_of(file.path).logical_source.upper()
        if file.path.name in self._known or alike(inside, file.dataset_id):
            return ""
        return note_on_name(file.path.name, inside, file.dataset_id)

    def _source(self, file: ArchiveFile) -> SourceFile:
        known = self._known.get(file.path.name)
        digest = self._digest(file.path)
        proof: Proof = "checksum of the archive" if known and known.sha256 else "nothing"
        return SourceFile(
            dataset_id=file.dataset_id,
            file=file.path.name,
            version=file.version,
            provider=self.name,
            sha256=digest.sha256,
            size=digest.state.size,
            doi=known.doi if known else "",
            acknowledgement=known.acknowledgement if known else "",
            preliminary=is_preliminary(file.dataset_id),
            proof="checksum in the file" if digest.checksum == "right" else proof,
        )

    def _digest(self, path: Path) -> FileDigest:
        """Return the digest of the bytes that a file had when helio first named the file."""
        if path not in self._named_as:
            try:
                if FileState.of(path).size > _LARGE:
                    format_of(path)  # a file without data is not read to its end
                digest = self._digests.of(path)
            except OSError as error:
                raise _unreadable(path, error) from error
            known = self._known.get(path.name)
            if known is not None and known.sha256 not in ("", digest.sha256):
                raise DamagedFile(
                    f"'{path.name}' does not have the bytes that {self._called} lists for this file",
                    advice="install helio again",
                    place=str(path),
                )
            self._named_as[path] = digest
        return self._named_as[path]

    def _cited(self, file: ArchiveFile) -> SourceFile:
        facts = self._facts_of(file.path)
        if self._listed.get(file.path, facts) != facts:
            raise changed(file.path)
        return facts.complete(self._source(file))

    def _facts_of(self, path: Path) -> FileFacts:
        digest = self._digest(path)
        facts = self._facts.get((path, digest.state))
        if facts is None:
            facts = self._digests.read(path, digest, lambda state: self._reader.describe(path, state))
            self._facts[path, digest.state] = facts
        return facts

    def _facts_if_readable(self, path: Path) -> FileFacts | None:
        """Return a file's facts, or None for a damaged or empty file, so that a search of a folder still finds the
        other files.
        """
        try:
            state = _state(path)
            if (path, state) not in self._facts:
                self._facts[path, state] = None
                self._facts[path, state] = self.facts(path)
            return self._facts[path, state]
        except (DamagedFile, ChangedFile, NoData) as error:
            log.warning("a file was skipped in the search for datasets: %s", error.message)
            return None

    # Refusing

    def _unknown_parameter(
        self, parameter: str, file: ArchiveFile, errors: UnknownParameter
    ) -> UnknownParameter:
        if errors.advice:
            return errors
        every = self._facts_of(file.path).parameters
        errors.advice = _instead_of(parameter, every, "parameters")
        return errors

    def _no_records(
        self, files: list[ArchiveFile], dataset_id: str, parameters: list[str], time_range: TimeRange
    ) -> NoData:
        ends = []
        for file in files[:1] + files[1:][-1:]:
            every = tables_in(file, parameters[:1], lambda file, names: self._read(file, names, _ALL_TIME))
            for table in every.values():
                if not isinstance(table, UnknownParameter) and len(table):
                    first, last = (table.epoch[i].astype("M8[s]") for i in (0, -1))
                    ends.append(f"{file.path.name} holds records from {first} to {last}")
        return NoData(
            f"{dataset_id} has no record of {', '.join(parameters)} in {_written(time_range)}",
            advice="choose another time range: "
            + ("; ".join(ends) or "the nearest files hold no record of the parameter"),
        )


# Choosing files


def _without_older(files: Sequence[ArchiveFile]) -> list[ArchiveFile]:
    """Remove the files for which a newer version with the same dataset and interval exists.

    Files with the same version, or without a version, all stay, because helio cannot know which one is right.
    """
    by_span: dict[tuple[str, datetime, datetime], list[ArchiveFile]] = {}
    remaining = []
    for file in files:
        if file.start is None and file.first is not None and file.stop is not None:
            by_span.setdefault((file.dataset_id, file.first, file.stop), []).append(file)
        else:
            remaining.append(file)
    for group in by_span.values():
        versions = {natural_version(file.version) for file in group}
        if len(versions) < len(group):
            remaining += group
            continue
        *older, newest = sorted(group, key=lambda file: natural_version(file.version))
        remaining.append(replace(newest, older=tuple(file.path for file in older)))
    return remaining


def alike(inside: str, dataset_id: str) -> bool:
    """Return whether the dataset id inside a file agrees with the id in its name: both are equal, or one begins with
    the other.

    >>> alike("SOLO_L2_MAG-RTN", "SOLO_L2_MAG-RTN-NORMAL"), alike("WI_H0_MFI", "AC_H0_MFI")
    (True, False)
    """
    first, other = (re.sub(r"[^A-Z0-9]", "", text.upper()) for text in (inside, dataset_id))
    return first.startswith(other) or other.startswith(first)


def _newest(files: Iterable[ArchiveFile]) -> dict[str, list[ArchiveFile]]:
    """Return, by dataset and in order of start, the file with the newest version for each start."""
    newest: dict[tuple[str, datetime | Path], ArchiveFile] = {}
    for file in files:
        key = (file.dataset_id, file.start or file.path)
        rival = newest.get(key)
        if rival is None:
            newest[key] = file
        elif natural_version(file.version) > natural_version(rival.version):
            older = (*rival.older, rival.path, *rival.rivals)
            newest[key] = replace(file, older=(*file.older, *older))
        elif natural_version(file.version) == natural_version(rival.version):
            newest[key] = replace(rival, rivals=(*rival.rivals, file.path))
        else:
            newest[key] = replace(rival, older=(*rival.older, file.path))
    grouped: dict[str, list[ArchiveFile]] = {}
    for file in sorted(newest.values(), key=lambda file: (file.start or datetime.max, file.path)):
        grouped.setdefault(file.dataset_id, []).append(file)
    return grouped


class _Coverage:
    """The time that each file of a dataset may cover; doubtful files count: a wrong "no data" is the worst error.

    helio assumes that a file ends where the next file starts. If no file follows soon, a file whose name contains a
    time of day lasts one day at most; any other file lasts up to twice the longest spacing of the files, or one year. A
    single file without a time of day in its name may have any length, because it may contain a whole mission.
    """

    def __init__(self, files: Sequence[ArchiveFile], known: Mapping[str, KnownFile]) -> None:
        self._files = files
        own = own_spans(files, known)
        self._own = {file.path: (begin, end) for file, (begin, end, _) in zip(files, own, strict=True)}
        spans = [(_shifted(begin, -margin), _shifted(end, margin)) for begin, end, margin in own]
        self._order = sorted(range(len(files)), key=lambda index: spans[index][0])
        self._begins = [spans[index][0] for index in self._order]
        self._ends = [spans[index][1] for index in self._order]
        self._latest = list(accumulate(self._ends, max))
        """The latest end of each file and of all before it."""

    def of(self, time_range: TimeRange) -> list[ArchiveFile]:
        """Return the files that may hold records of an interval, in their order."""
        chosen = []
        at = bisect_left(self._begins, time_range.stop) - 1
        while at >= 0 and self._latest[at] > time_range.start:
            if self._ends[at] > time_range.start:
                chosen.append(self._order[at])
            at -= 1
        return [self._files[index] for index in sorted(chosen)]

    def own(self, file: ArchiveFile) -> FileSpan:
        """Return the time of a file, without the minutes by which its records may lie outside of it."""
        return self._own[file.path]


def _shifted(moment: datetime, margin: timedelta) -> datetime:
    return moment if moment in (datetime.min, datetime.max) else moment + margin


def own_spans(
    files: Sequence[ArchiveFile], known: Mapping[str, KnownFile]
) -> list[tuple[datetime, datetime, timedelta]]:
    """Return the time [begin, end) of each file, in order of start, and how far its records may lie outside of it."""
    starts = [file.start for file in files if file.start is not None]
    spacings = [after - before for before, after in pairwise(starts)]
    longest = max(2 * max(spacings), _YEAR) if spacings else None
    spans = []
    for index, file in enumerate(files):
        facts = known.get(file.path.name)
        if facts is not None:
            spans.append((facts.first, facts.last + MOMENT, _NO_MARGIN))
        elif file.start is None:
            if file.first is None or file.stop is None:
                spans.append((datetime.min, datetime.max, _NO_MARGIN))
            else:
                spans.append((file.first, file.stop, _NO_MARGIN))
        elif file.stop is not None:
            spans.append((file.start, file.stop, _SPILL))
        else:
            ends = starts[index + 1 : index + 2]
            if file.timed:
                ends.append(file.start + timedelta(days=1))
            elif longest is not None:
                ends.append(file.start + longest)
            spans.append((file.start, min(ends) if ends else datetime.max, _SPILL))
    return spans


def _span_by_names(files: Sequence[ArchiveFile], known: Mapping[str, KnownFile]) -> str:
    spans = [known[file.path.name] for file in files if file.path.name in known]
    if spans:
        first, last = min(span.first for span in spans), max(span.last for span in spans)
        return f"choose another time range: the records of the dataset run from {_moment(first)} to {_moment(last)}"
    spans_inside = [
        (file.first, file.stop) for file in files if file.first is not None and file.stop is not None
    ]
    if len(spans_inside) == len(files):
        first, last = min(span[0] for span in spans_inside), max(span[1] for span in spans_inside) - MOMENT
        return f"choose another time range: the records of the dataset run from {_moment(first)} to {_moment(last)}"
    starts = [file.start for file in files if file.start is not None]
    if not starts:
        return "choose another time range: no file of the dataset has records in the given range"
    if len(starts) == 1:
        return (
            f"choose another time range: the only file, {files[0].path.name}, starts at {_moment(starts[0])}"
        )
    return (
        f"choose another time range: the {len(starts)} files start between {_moment(starts[0])} and "
        f"{_moment(starts[-1])}"
    )


def _state(path: Path) -> FileState:
    try:
        return FileState.of(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> DamagedFile:
    return DamagedFile(f"{path.name} cannot be read: {error.strerror}", advice=f"check the file {path}")


def _instead_of(name: str, every: Sequence[str], kind: str) -> str:
    """Suggest names that are similar to an unknown name; helio never uses a suggestion by itself."""
    if not every:
        return f"check the files: they contain no {kind}"
    suggestion = did_you_mean(name, every)
    if len(every) <= _FEW:
        listed = ", ".join(sorted(every))
        return f"{suggestion} All {kind}: {listed}" if suggestion else f"choose one of: {listed}"
    elsewhere = "; without --archive, helio looks at CDAWeb" if kind == "datasets" else ""
    return suggestion or f"none of the {len(every)} {kind} has a similar name{elsewhere}"


def _written(time_range: TimeRange) -> str:
    return f"{_moment(time_range.start)} to {_moment(time_range.stop)}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds" if not moment.microsecond else "auto")
