"""Reading of parameters from all files of one dataset, where each file may hold only some of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from helio.errors import DamagedFile, NoData, UnknownParameter
from helio.sources.file_digests import FileDigest, FileDigests
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader
    from helio.store.table import Table

File = TypeVar("File")
Side = Literal["before", "after"]
FileSpan = tuple[datetime, datetime]
"""The time [begin, end) of a file; records up to a few minutes outside of it are possible."""
ANY_TIME: FileSpan = (datetime.min, datetime.max)


@dataclass(frozen=True)
class OneFile:
    """One file to read, with the digest of its bytes, its citation and its time."""

    path: Path
    source: SourceFile
    digest: FileDigest
    span: FileSpan = ANY_TIME


@dataclass(frozen=True)
class DamagedNeighbour:
    """A damaged file whose time ends before an interval or begins after it."""

    name: str
    side: Side
    error: DamagedFile


@dataclass(frozen=True)
class GatheredTables:
    """Tables that were read from several files, by parameter."""

    tables: dict[str, Table] = field(default_factory=dict)
    """Tables joined in order of epoch; each has at least one record and names the files from which its records came."""
    absent: dict[str, UnknownParameter] = field(default_factory=dict)
    """Parameters that no file has, each with the error that the last file gave."""
    empty: tuple[str, ...] = ()
    """Parameters that have no record in the interval."""


@dataclass(frozen=True)
class JoinedFiles(Generic[File]):
    """Tables that were joined from files, before the files are cited.

    Parameters
    ----------
    tables : dict of str to Table
        Tables with at least one record, by parameter.
    files : dict of str to list
        The files that gave records, by parameter.
    absent : dict
        Parameters that no file has, each with the last file and its error.
    notes : tuple of str
        Notes on damaged files beside the interval, for every table.
    """

    tables: dict[str, Table]
    files: dict[str, list[File]]
    absent: dict[str, tuple[File, UnknownParameter]]
    notes: tuple[str, ...]


def side_of(span: FileSpan, time_range: TimeRange) -> Side | None:
    """Return on which side of an interval the time of a file lies; None if it lies in the interval.

    Only records outside of the file's time could lie in the interval of a file beside it.
    """
    if span[1] <= time_range.start:
        return "before"
    return "after" if span[0] >= time_range.stop else None


def join_files(
    files: Iterable[File],
    parameters: Sequence[str],
    time_range: TimeRange,
    read: Callable[[File, Sequence[str]], Mapping[str, Table]],
    *,
    name: Callable[[File], str],
    span: Callable[[File], FileSpan],
    damaged: Sequence[DamagedNeighbour] = (),
) -> JoinedFiles[File]:
    """Read parameters over [start, stop) from files in order, and join the tables of each parameter.

    Records that two files share are taken once, from the earlier file; gaps stay gaps.

    Parameters
    ----------
    read : callable
        Reads parameters from a file.
    name, span : callable
        Name and time of a file.
    damaged : sequence of DamagedNeighbour
        Files that are known to be damaged before they are read.

    Raises
    ------
    DamagedFile
        A file cannot be read, or two files contradict each other. A damaged file beside the interval is an error only
        if records are missing at that end of the interval; otherwise a note names it.
    """
    from helio.sources.join import (  # numpy, which finding files does without
        clip,
        join,
        reaches_end,
        reaches_start,
    )

    neighbours = list(damaged)
    parts: dict[str, list[tuple[File, Table]]] = {parameter: [] for parameter in parameters}
    lacking: dict[str, list[tuple[File, UnknownParameter]]] = {parameter: [] for parameter in parameters}
    for file in files:
        try:
            tables_of_file = tables_in(file, parameters, read)
        except DamagedFile as error:
            side = side_of(span(file), time_range)
            if side is None:
                raise
            neighbours.append(DamagedNeighbour(name(file), side, error))
            continue
        for parameter, table in tables_of_file.items():
            if isinstance(table, UnknownParameter):
                lacking[parameter].append((file, table))
            else:
                parts[parameter].append((file, clip(table, time_range)))
    tables: dict[str, Table] = {}
    for parameter, every in parts.items():
        joined = join(parameter, [(name(file), table) for file, table in every])
        if joined is not None:
            notes = [f"{name(file)} has no parameter {parameter}" for file, _ in lacking[parameter]]
            tables[parameter] = replace(joined, notes=tuple(dict.fromkeys([*joined.notes, *notes])))
    absent = {
        parameter: lacking[parameter][-1]
        for parameter in parameters
        if lacking[parameter] and not parts[parameter]
    }
    for neighbour in neighbours:
        reaches = reaches_start if neighbour.side == "before" else reaches_end
        if len(tables) + len(absent) < len(parameters) or not all(
            reaches(table, time_range) for table in tables.values()
        ):
            raise neighbour.error
    return JoinedFiles(
        tables,
        {parameter: [file for file, table in every if len(table)] for parameter, every in parts.items()},
        absent,
        tuple(
            f"{neighbour.name} beside this time range was not read: {neighbour.error.message}"
            for neighbour in neighbours
        ),
    )


def tables_in(
    file: File, parameters: Sequence[str], read: Callable[[File, Sequence[str]], Mapping[str, Table]]
) -> dict[str, Table | UnknownParameter]:
    """Return each parameter's table, or the error if the file lacks the parameter; return nothing for a file
    without records.
    """
    try:
        return dict(read(file, parameters))
    except UnknownParameter as error:
        if len(parameters) == 1:
            return {parameters[0]: error}
    except NoData:
        return {}  # archives hold days without a single record; other files may still cover the interval
    tables_of_each = (tables_in(file, [parameter], read) for parameter in parameters)
    return {parameter: table for tables in tables_of_each for parameter, table in tables.items()}


def gather(
    reader: CdfReader,
    files: Sequence[OneFile],
    parameters: Sequence[str],
    time_range: TimeRange,
    digests: FileDigests,
    damaged: Sequence[DamagedNeighbour] = (),
) -> GatheredTables:
    """Read parameters over [start, stop) from downloaded files, as `join_files` does, and cite the files.

    Raises
    ------
    ChangedFile
        The bytes of a file have changed.
    DamagedFile
        As for `join_files`.
    """

    def read(file: OneFile, names: Sequence[str]) -> Mapping[str, Table]:
        return digests.read(
            file.path, file.digest, lambda state: reader.read(file.path, names, time_range, state)
        )

    joined = join_files(
        files,
        parameters,
        time_range,
        read,
        name=lambda file: file.path.name,
        span=lambda file: file.span,
        damaged=damaged,
    )
    tables = {
        parameter: replace(
            table,
            sources=tuple(_cited(reader, file, digests) for file in joined.files[parameter]),
            notes=(*table.notes, *joined.notes),
        )
        for parameter, table in joined.tables.items()
    }
    empty = tuple(name for name in parameters if name not in tables and name not in joined.absent)
    return GatheredTables(tables, {name: error for name, (_, error) in joined.absent.items()}, empty)


def _cited(reader: CdfReader, file: OneFile, digests: FileDigests) -> SourceFile:
    facts = digests.read(file.path, file.digest, lambda state: reader.describe(file.path, state))
    return facts.complete(file.source)
