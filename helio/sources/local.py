"""A folder or tree of files as a provider: found by their names as CDAWeb writes them, read, joined."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

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
from helio.sources.formats import SUFFIXES
from helio.store.source_file import Proof, SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader, FileFacts
    from helio.store.table import Table

log = logging.getLogger(__name__)

# ac_h0_mfi_20230102_v07.cdf, mms1_fgm_brst_l2_20151016130524_v4.18.1.cdf, tha_l1_state_20100225.cdf,
# solo_L2_epd-ept-asun-rates_20200603_V02.cdf; MAVEN adds a revision: _v01_r02; NOAA's netCDF a d:
# dn_magn-l2-hires_g16_d20200101_v1-0-1.nc.
_FILE_NAME = re.compile(
    r"(?P<dataset>.+?)_d?(?P<date>\d{8})(?:t?(?P<time>\d{2}(?:\d{2}){0,2}))?"
    r"(?:_v(?P<version>\d+(?:[.\-]\d+)*(?:_r\d+)?))?",
    re.IGNORECASE,
)
LOCAL = "local files"
"""How recipes, records and footers name the provider of files in a folder, wherever the folder is."""
_MASTER_DATE = "00000000"
_KEY_PARAMETERS = re.compile(r"(?:^|_)(?:K[0-2]|LL02)(?:_|$)", re.IGNORECASE)

# A day's file may begin a spin before midnight and end a minute after it (WI_H5_SWE: -11 s and +55 s).
_SPILL = timedelta(minutes=5)
_YEAR = timedelta(days=366)
_ALL_TIME = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))
_NO_TIME = TimeRange(datetime(1700, 1, 1), datetime(1700, 1, 1, microsecond=1))
_FEW = 12
_TRIES = 3
"""Files of a dataset to ask for its Logical_source before it is taken to have none that can be read."""


@dataclass(frozen=True)
class FileName:
    """What a file's name says, as CDAWeb writes names.

    Parameters
    ----------
    dataset_id : str
        Upper case, as CDAWeb reports it.
    start : datetime
        UTC; the records begin about there.
    timed : bool
        Whether the name gives a time of day other than midnight: such files last hours at most.
    version : str
        As written, without its ``v``; empty where the name has none.
    """

    dataset_id: str
    start: datetime
    timed: bool
    version: str


@dataclass(frozen=True)
class KnownFile:
    """Facts about a file that are known before it is opened, such as a manifest gives."""

    first: datetime
    last: datetime
    doi: str = ""
    acknowledgement: str = ""
    logical_source: str = ""
    """What the file calls its dataset, where that is not what its name says."""
    sha256: str = ""
    """Of its bytes, where the archive says it; a file with others is refused."""


@dataclass(frozen=True)
class _File:
    path: Path
    dataset_id: str
    start: datetime | None
    timed: bool
    version: str
    rivals: tuple[Path, ...] = ()
    """Other files of the same start and version."""


def parse_file_name(name: str) -> FileName | None:
    """Read dataset id, start and version from a file's name; None where it is not of CDAWeb's form.

    >>> parse_file_name("sta_l1_het_20211028_v01.cdf").dataset_id
    'STA_L1_HET'

    References
    ----------
    ISTP file naming, https://spdf.gsfc.nasa.gov/istp_guide/filenaming.html
    """
    stem, dot, suffix = name.rpartition(".")
    if not dot or suffix.lower() != "cdf":
        return None
    return _parse_stem(stem)


def _parse_stem(stem: str) -> FileName | None:
    found = _FILE_NAME.fullmatch(stem)
    if found is None:
        return None
    time = found["time"] or ""
    try:
        start = datetime.strptime(found["date"] + time.ljust(6, "0"), "%Y%m%d%H%M%S")
    except ValueError:
        return None  # eight digits that are no date, such as an orbit number
    return FileName(found["dataset"].upper(), start, bool(time.strip("0")), found["version"] or "")


def natural_version(text: str) -> tuple[int, ...]:
    """A version by its numbers, so that v10 is newer than v9 and v4.18.1 than v4.9.0.

    >>> natural_version("4.18.1") > natural_version("4.9.0")
    True
    """
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def is_preliminary(dataset_id: str) -> bool:
    """Whether a dataset is a browse, key-parameter or low-latency product (K0, K1, K2, LL02)."""
    return _KEY_PARAMETERS.search(dataset_id) is not None


class LocalArchive:
    """Files in a folder and all folders below it; satisfies `helio.sources.provider.Provider`.

    CDF, netCDF, CSV and Parquet are read. A dataset is found by the names of its files and, where no name fits, by
    the global attribute ``Logical_source``; a file that is no CDF and says nothing is the dataset of its own name.
    The folder is listed once, when it is first needed: make a new archive to see new files. A file counts as the bytes
    that it had when it was first named; once it has others, it is refused.

    Parameters
    ----------
    root : Path
    reader : CdfReader
        Reads the files; its worker is not closed here.
    name : str, optional
        How recipes, records and footers name it. A folder has no name there: moving it, or reading the same bytes
        through a link, changes no result. Messages call it by the name of the folder.
    known : mapping of str to KnownFile, optional
        By file name, what is known of files already.
    digests : FileDigests, optional
        Gives a file's digest; one that remembers saves reading large files in every run.

    Raises
    ------
    RequestError
        There is no such folder, or it cannot be read.
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
        if not root.is_dir():
            what = "is not a folder" if root.exists() else "does not exist"
            raise RequestError(
                f"the archive {root} {what}",
                advice="name a folder that holds CDF, netCDF, CSV or Parquet files",
            )
        try:
            os.scandir(root).close()
        except OSError as error:
            raise RequestError(
                f"the archive {root} cannot be read: {error.strerror}", advice="ask for permission to list it"
            ) from error
        self._root = root.resolve()
        self._reader = reader
        self._name = name or LOCAL
        self._called = name or self._root.name or str(self._root)
        self._known = known or {}
        self._digests = digests or FileDigests()
        self._facts: dict[tuple[Path, FileState], FileFacts | None] = {}
        self._listed: dict[Path, FileFacts] = {}
        """What files said by which they are listed, for their names say nothing."""
        self._named_as: dict[Path, FileDigest] = {}
        """The bytes of each file, as they were when it was first named."""

    @property
    def name(self) -> str:
        """How records and footers name it."""
        return self._name

    def datasets(self) -> list[str]:
        """Ids of all its datasets, sorted; a file whose name says nothing counts by its Logical_source."""
        return sorted({*self._named, *self._described})

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        """Which files may hold records of [start, stop), decided without reading any record.

        A name says where a file starts and not where it ends, so a neighbour may be named that turns out to
        hold nothing of the interval; the tables of `fetch` name those that gave records. DOI and
        acknowledgement stand inside the files and are filled in by `fetch`.

        Raises
        ------
        UnknownDataset
            With the closest ids as advice.
        NoData
            Naming what the names of the files cover.
        DamagedFile
            Two files of one start and version, in different folders, have different bytes.
        """
        return tuple(self._source(file) for file in self._choose(dataset_id, time_range))

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop) from all files that hold them, joined in order of epoch.

        Records that two files share are taken once, from the earlier file; gaps stay gaps. Values are not
        judged: a table may hold nothing but NaN.

        Returns
        -------
        dict of str to Table
            Keyed by parameter, each of at least one record, with the files it came from.

        Raises
        ------
        UnknownDataset, UnknownParameter
        NoData
            A parameter has no record in the interval; the advice says what the files do hold.
        DamagedFile
            A chosen file cannot be read, or two files contradict each other.
        """
        from helio.sources.join import clip, join  # numpy, which finding files does without

        parameters = list(dict.fromkeys(parameters))
        files = self._choose(dataset_id, time_range)
        parts: dict[str, list[tuple[_File, Table]]] = {parameter: [] for parameter in parameters}
        absent: dict[str, list[tuple[_File, UnknownParameter]]] = {parameter: [] for parameter in parameters}
        for file in files:
            for parameter, found in self._read(file, parameters, time_range).items():
                if isinstance(found, UnknownParameter):
                    absent[parameter].append((file, found))
                else:
                    parts[parameter].append((file, clip(found, time_range)))
        for parameter in parameters:
            if absent[parameter] and not parts[parameter]:
                raise self._unknown_parameter(parameter, *absent[parameter][-1])
        tables: dict[str, Table] = {}
        for parameter, found_in in parts.items():
            joined = join(parameter, [(file.path.name, table) for file, table in found_in])
            if joined is not None:
                kept = [file for file, table in found_in if len(table)]
                tables[parameter] = self._complete(
                    joined, parameter, kept, [file for file, _ in absent[parameter]]
                )
        empty = [parameter for parameter in parameters if parameter not in tables]
        if empty:
            raise self._no_records(files, dataset_id, empty, time_range)
        return tables

    def components(self, dataset_id: str, parameter: str) -> tuple[str, ...]:
        """The names of a parameter's components, as the newest file with it has them; none of a scalar or a spectrum.

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
        """Every file of data below the root, in order of its path."""
        paths = sorted(_data_files(self._root), key=str)
        return tuple((_parse_stem(path.stem), path) for path in paths)

    @cached_property
    def _named(self) -> dict[str, list[_File]]:
        """Files whose names are of CDAWeb's form, newest versions only, by dataset and in order of start."""
        return _newest(
            _File(path, name.dataset_id, name.start, name.timed, name.version)
            for name, path in self._listing
            if name is not None
        )

    @cached_property
    def _described(self) -> dict[str, list[_File]]:
        """Files whose names say nothing, by the Logical_source within them."""
        found = []
        for name, path in self._listing:
            # A master CDF holds a dataset's metadata and no records.
            if name is not None or f"_{_MASTER_DATE}" in path.name:
                continue
            facts = self._facts_if_readable(path)
            if facts is None:
                # its name is all there is to know it by; reading it says what is wrong
                found.append(_File(path, path.stem.upper(), None, False, ""))
            if facts is None or not facts.logical_source:
                continue
            self._listed[path] = facts
            inside = parse_file_name(f"{facts.logical_file_id}.cdf")
            found.append(
                _File(
                    path,
                    facts.logical_source.upper(),
                    inside.start if inside else None,
                    inside.timed if inside else False,
                    inside.version if inside else facts.data_version,
                )
            )
        return _newest(found)

    @cached_property
    def _logical_sources(self) -> dict[str, list[str]]:
        """Dataset ids by the Logical_source of their newest readable file, where the two differ."""
        found: dict[str, list[str]] = {}
        for dataset_id, files in self._named.items():
            known = self._known.get(files[-1].path.name)
            if known is not None:  # a file that is known beforehand need not be opened for its name
                if known.logical_source:
                    found.setdefault(known.logical_source.upper(), []).append(dataset_id)
                continue
            every = (self._facts_if_readable(file.path) for file in reversed(files[-_TRIES:]))
            facts = next((each for each in every if each is not None), None)
            if facts is not None and facts.logical_source.upper() not in ("", dataset_id):
                found.setdefault(facts.logical_source.upper(), []).append(dataset_id)
        return found

    def _files(self, dataset_id: str) -> list[_File]:
        wanted = dataset_id.strip().upper()
        if wanted in self._named:
            return self._named[wanted]
        if wanted in self._described:
            return self._described[wanted]
        shared = self._logical_sources.get(wanted, [])
        if len(shared) == 1:
            return self._named[shared[0]]
        if shared:
            raise UnknownDataset(
                f"'{dataset_id}' is the Logical_source of several datasets in {self._called}",
                advice=f"name one of them: {', '.join(shared)}",
            )
        raise UnknownDataset(
            f"no dataset is called '{dataset_id}' in {self._called}",
            advice=_instead_of(wanted, self.datasets(), "datasets"),
        )

    def _choose(self, dataset_id: str, time_range: TimeRange) -> list[_File]:
        files = self._files(dataset_id)
        chosen = _covering(files, time_range, self._known)
        if not chosen:
            raise NoData(
                f"{files[0].dataset_id} has no file for {_written(time_range)} in {self._called}",
                advice=_span_by_names(files, self._known),
            )
        for file in chosen:
            self._refuse_rivals(file)
        return chosen

    def _refuse_rivals(self, file: _File) -> None:
        """Refuse two files of one day that are not the same: which of them is read must not hang on their folders."""
        for rival in file.rivals:
            if rival.suffix.lower() == file.path.suffix.lower() and not self._same_bytes(file.path, rival):
                one, other = (str(path.relative_to(self._root)) for path in (file.path, rival))
                raise DamagedFile(
                    f"{one} and {other} are of the same start and version, and have different bytes",
                    advice="keep one of them in the archive, or name the folder of one as the archive",
                )

    def _same_bytes(self, one: Path, other: Path) -> bool:
        if _state(one).size != _state(other).size:
            return False
        return self._digest(one).sha256 == self._digest(other).sha256

    # Reading

    def _read(
        self, file: _File, parameters: Sequence[str], time_range: TimeRange
    ) -> dict[str, Table | UnknownParameter]:
        """Each parameter's table, or the reader's word that this file lacks it; nothing for an empty file."""
        try:
            return dict(
                self._digests.read(
                    file.path,
                    self._digest(file.path),
                    lambda state: self._reader.read(file.path, parameters, time_range, state),
                )
            )
        except UnknownParameter as error:
            if len(parameters) == 1:
                return {parameters[0]: error}
        except NoData:
            # Archives hold days without a single record; other files may still cover the interval.
            return {}
        each = (self._read(file, [parameter], time_range) for parameter in parameters)
        return {parameter: found for one in each for parameter, found in one.items()}

    def _complete(self, table: Table, parameter: str, kept: list[_File], lacking: list[_File]) -> Table:
        """The table with the files that it came from, and notes on those that were not used."""
        notes = [f"{file.path.name} has no parameter {parameter}" for file in lacking]
        notes += [
            f"{file.path.name} was read, and not {rival.name} of the same start and version"
            for file in kept
            for rival in file.rivals
            if rival.suffix.lower() != file.path.suffix.lower()
        ]
        return replace(
            table,
            sources=tuple(self._cited(file) for file in kept),
            notes=tuple(dict.fromkeys([*table.notes, *notes])),
        )

    def _source(self, file: _File) -> SourceFile:
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
        """The bytes that a file had when it was first named."""
        if path not in self._named_as:
            try:
                found = self._digests.of(path)
            except OSError as error:
                raise _unreadable(path, error) from error
            known = self._known.get(path.name)
            if known is not None and known.sha256 not in ("", found.sha256):
                raise DamagedFile(
                    f"'{path.name}' does not have the bytes that {self._called} lists",
                    advice="install helio again",
                    place=str(path),
                )
            self._named_as[path] = found
        return self._named_as[path]

    def _cited(self, file: _File) -> SourceFile:
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
        """A file's facts while scanning, where a damaged file must not hide the others."""
        try:
            state = _state(path)
            if (path, state) not in self._facts:
                self._facts[path, state] = None
                self._facts[path, state] = self._reader.describe(path, state)
            return self._facts[path, state]
        except (DamagedFile, ChangedFile) as error:
            log.warning("skipped while looking for datasets: %s", error.message)
            return None

    # Refusing

    def _unknown_parameter(self, parameter: str, file: _File, said: UnknownParameter) -> UnknownParameter:
        if said.advice:
            return said
        every = self._facts_of(file.path).parameters
        said.advice = _instead_of(parameter, every, "parameters")
        return said

    def _no_records(
        self, files: list[_File], dataset_id: str, parameters: list[str], time_range: TimeRange
    ) -> NoData:
        ends = []
        for file in files[:1] + files[1:][-1:]:
            for found in self._read(file, parameters[:1], _ALL_TIME).values():
                if not isinstance(found, UnknownParameter) and len(found):
                    first, last = (found.epoch[i].astype("M8[s]") for i in (0, -1))
                    ends.append(f"{file.path.name} holds {first} to {last}")
        return NoData(
            f"{dataset_id} has no record of {', '.join(parameters)} in {_written(time_range)}",
            advice="; ".join(ends) or "the files nearest to the interval hold no record of it at all",
        )


# Choosing files


def _data_files(root: Path) -> Iterable[Path]:
    """Every file of data below a folder, each folder visited once whatever links lead to it."""
    seen: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            log.warning("skipped a folder that cannot be read: %s: %s", folder, error.strerror)
            continue
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir():
                    waiting.append(Path(entry.path))
                elif Path(entry.name).suffix.lower() in SUFFIXES and entry.is_file():
                    yield Path(entry.path)
            except OSError as error:
                log.warning("skipped %s: %s", entry.path, error.strerror)


def _newest(files: Iterable[_File]) -> dict[str, list[_File]]:
    """By dataset and in order of start, one file per start: that of the newest version."""
    newest: dict[tuple[str, datetime | Path], _File] = {}
    for file in files:
        key = (file.dataset_id, file.start or file.path)
        rival = newest.get(key)
        if rival is None or natural_version(file.version) > natural_version(rival.version):
            newest[key] = file
        elif natural_version(file.version) == natural_version(rival.version):
            newest[key] = replace(rival, rivals=(*rival.rivals, file.path))
    grouped: dict[str, list[_File]] = {}
    for file in sorted(newest.values(), key=lambda each: (each.start or datetime.max, each.path)):
        grouped.setdefault(file.dataset_id, []).append(file)
    return grouped


def _covering(files: Sequence[_File], time_range: TimeRange, known: Mapping[str, KnownFile]) -> list[_File]:
    """The files that may hold records of the interval: chosen generously, for a wrong "no data" is worst.

    A file is taken to reach up to the start of the next one. Where none follows soon, one whose name has a
    time of day lasts a day at most; else twice the longest spacing, or a year; a single file may hold a whole
    mission, and is always worth a look.
    """
    starts = [file.start for file in files if file.start is not None]
    spacings = [after - before for before, after in pairwise(starts)]
    longest = max(2 * max(spacings), _YEAR) if spacings else None
    chosen = []
    for index, file in enumerate(files):
        facts = known.get(file.path.name)
        if facts is not None:
            if facts.first < time_range.stop and facts.last >= time_range.start:
                chosen.append(file)
            continue
        if file.start is None:
            chosen.append(file)
            continue
        if file.start - _SPILL >= time_range.stop:
            continue
        ends = starts[index + 1 : index + 2]
        if file.timed:
            ends.append(file.start + timedelta(days=1))
        elif longest is not None:
            ends.append(file.start + longest)
        if not ends or min(ends) + _SPILL > time_range.start:
            chosen.append(file)
    return chosen


def _span_by_names(files: Sequence[_File], known: Mapping[str, KnownFile]) -> str:
    spans = [known[file.path.name] for file in files if file.path.name in known]
    if spans:
        first, last = min(span.first for span in spans), max(span.last for span in spans)
        return f"its records run from {_moment(first)} to {_moment(last)}"
    starts = [file.start for file in files if file.start is not None]
    if len(starts) == 1:
        return f"it has one file, {files[0].path.name}, starting {_moment(starts[0])}"
    return f"it has {len(starts)} files, starting {_moment(starts[0])} to {_moment(starts[-1])}"


def _state(path: Path) -> FileState:
    try:
        return FileState.of(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> DamagedFile:
    return DamagedFile(f"{path.name} cannot be read: {error.strerror}", advice=f"look at {path}")


def _instead_of(wanted: str, every: Sequence[str], kind: str) -> str:
    """What to try in place of a name that is not there: nothing is ever taken in its stead."""
    if not every:
        return f"there are no {kind} in it"
    asked = did_you_mean(wanted, every)
    if len(every) <= _FEW:
        return f"{asked} there is: {', '.join(sorted(every))}".lstrip()
    return asked or f"none of its {len(every)} {kind} has a name like it"


def _written(time_range: TimeRange) -> str:
    return f"{_moment(time_range.start)} to {_moment(time_range.stop)}"


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds" if not moment.microsecond else "auto")
