"""Reading of parameters from all files of one dataset, where each file may hold only some of the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from helio.errors import NoData, UnknownParameter
from helio.sources.file_digests import FileDigest, FileDigests
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader
    from helio.store.table import Table


@dataclass(frozen=True)
class OneFile:
    """One file to read, with the digest of its bytes and its citation."""

    path: Path
    source: SourceFile
    digest: FileDigest


@dataclass(frozen=True)
class GatheredTables:
    """Tables that were read from several files, by parameter."""

    tables: dict[str, Table] = field(default_factory=dict)
    """Tables joined in order of epoch; each has at least one record and names the files from which its records came."""
    absent: dict[str, UnknownParameter] = field(default_factory=dict)
    """Parameters that no file has, each with the error that the last file gave."""
    empty: tuple[str, ...] = ()
    """Parameters that have no record in the interval."""


def gather(
    reader: CdfReader,
    files: Sequence[OneFile],
    parameters: Sequence[str],
    time_range: TimeRange,
    digests: FileDigests,
) -> GatheredTables:
    """Read parameters over [start, stop) from files in order, and join the tables of each parameter.

    Records that two files share are taken once, from the earlier file; gaps stay gaps.

    Raises
    ------
    ChangedFile
        The bytes of a file have changed.
    DamagedFile
        A file cannot be read, or two files contradict each other.
    """
    from helio.sources.join import clip, join  # numpy, which finding files does without

    parts: dict[str, list[tuple[OneFile, Table]]] = {name: [] for name in parameters}
    lacking: dict[str, list[OneFile]] = {name: [] for name in parameters}
    errors: dict[str, UnknownParameter] = {}
    for file in files:
        for name, table in _read(reader, file, parameters, time_range, digests).items():
            if isinstance(table, UnknownParameter):
                lacking[name].append(file)
                errors[name] = table
            else:
                parts[name].append((file, clip(table, time_range)))
    tables: dict[str, Table] = {}
    for name, every in parts.items():
        joined = join(name, [(file.path.name, table) for file, table in every])
        if joined is None:
            continue
        notes = [f"{file.path.name} has no parameter {name}" for file in lacking[name]]
        tables[name] = replace(
            joined,
            sources=tuple(_cited(reader, file, digests) for file, table in every if len(table)),
            notes=tuple(dict.fromkeys([*joined.notes, *notes])),
        )
    absent = {name: errors[name] for name in parameters if errors.get(name) and not parts[name]}
    empty = tuple(name for name in parameters if name not in tables and name not in absent)
    return GatheredTables(tables, absent, empty)


def _read(
    reader: CdfReader, file: OneFile, parameters: Sequence[str], time_range: TimeRange, digests: FileDigests
) -> dict[str, Table | UnknownParameter]:
    """Return each parameter's table, or the error if the file lacks the parameter; return nothing for a file
    without records.
    """
    try:
        return dict(
            digests.read(
                file.path, file.digest, lambda state: reader.read(file.path, parameters, time_range, state)
            )
        )
    except UnknownParameter as error:
        if len(parameters) == 1:
            return {parameters[0]: error}
    except NoData:
        return {}  # archives hold days without a single record; other files may still cover the interval
    tables_of_each = (_read(reader, file, [name], time_range, digests) for name in parameters)
    return {name: table for tables in tables_of_each for name, table in tables.items()}


def _cited(reader: CdfReader, file: OneFile, digests: FileDigests) -> SourceFile:
    facts = digests.read(file.path, file.digest, lambda state: reader.describe(file.path, state))
    return facts.complete(file.source)
