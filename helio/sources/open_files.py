"""Opening of a data file of any format, to read its facts and its tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from helio.sources.cdf_file import CdfFile
from helio.sources.cdf_tables import TableReader, parameters_of, span_of, survey_of
from helio.sources.formats import Format
from helio.store.table import Epochs, Table

UseEpochs = Callable[[Epochs], None]

_DATED = re.compile(r"(?P<stem>.+?)_d?\d{8}(?:t?\d{2,6})?(?:_v\d+(?:[.\-]\d+)*(?:_r\d+)?)?", re.IGNORECASE)
_TWO_DATES = re.compile(
    r"(?P<stem>.+?)_{1,2}\d{8}(?:[t_]?(?:\d{6}|\d{4}))?[_-]\d{8}(?:[t_]?(?:\d{6}|\d{4}))?(?:_v\d+(?:[.\-]\d+)*)?",
    re.IGNORECASE,
)
_PLAIN_ID = re.compile(r"[A-Za-z][\w.+-]{0,99}")


class Tables(Protocol):
    """Reader of the tables of one interval from one file."""

    def read(self, name: str) -> Table:
        """Read one parameter over the interval, with fill values as NaN.

        Raises
        ------
        UnknownParameter, NoData, DamagedFile
        """
        ...


class OpenFile(Protocol):
    """An open data file of any format."""

    def facts(self) -> dict[str, Any]:
        """Return the fields of a `helio.sources.cdf.FileFacts`."""
        ...

    def survey(self) -> list[dict[str, Any]]:
        """Return the fields of a `helio.sources.cdf.ParameterFacts` for each parameter."""
        ...

    def tables(self, start: int, stop: int, use_epochs: UseEpochs | None = None) -> Tables:
        """Return a reader of tables for the interval [start, stop), in ns since 1970.

        Parameters
        ----------
        use_epochs : callable, optional
            Function that may get the epochs of a table before its values are read.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


def open_file(path: Path, kind: Format, descriptor: int) -> OpenFile:
    """Open a data file with the reader for its format; import only the libraries that this format needs.

    Parameters
    ----------
    path : Path
        Path of the file, for messages; helio reads the file through `descriptor`.
    descriptor : int
        Descriptor of the open file. Another file may be at the path by now.

    Raises
    ------
    DamagedFile
    """
    source = Path(f"/dev/fd/{descriptor}")
    if kind in ("cdf", "netcdf"):
        return _Variables(path, kind, source)
    return _ColumnTables(path, kind, source)


def dataset_of(path: Path, attributes: Mapping[str, list[Any]]) -> str:
    """Return the dataset of a file that is not a CDF: the dataset that the file states, otherwise the file name without
    date and version.

    >>> dataset_of(Path("my_events_20240510_v01.csv"), {})
    'my_events'
    """
    words = _text(attributes, "LOGICAL_SOURCE") or _text(attributes, "DATASET_ID")
    if words:
        return words
    # ACDD's id, unless it is a UUID or the name of the file
    words = _text(attributes, "ID").removesuffix(".nc")
    if _PLAIN_ID.fullmatch(words) and not re.fullmatch(
        r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", words
    ):
        return _undated(words)
    # CF's source says how data were made, in words; some write an id there
    words = _text(attributes, "SOURCE")
    if _PLAIN_ID.fullmatch(words) and re.search(r"[A-Za-z].*_.*\d|\d.*_|_.*_", words):
        return _undated(words)
    return _undated(path.stem)


def _undated(stem: str) -> str:
    match = _DATED.fullmatch(stem) or _TWO_DATES.fullmatch(stem)
    return match["stem"] if match else stem


class _Variables:
    """Reader of tables from a CDF or netCDF file."""

    def __init__(self, path: Path, kind: Format, source: Path) -> None:
        self._is_cdf = kind == "cdf"
        self._file = CdfFile(path, source) if self._is_cdf else _netcdf(path, source)

    def facts(self) -> dict[str, Any]:
        attributes, checked = self._file.global_attributes(), self._file.part_checksums()
        if not self._is_cdf:
            attributes = {**attributes, "LOGICAL_SOURCE": [dataset_of(self._file.path, attributes)]}
        every = parameters_of(self._file)
        return _facts(attributes, every, span_of(self._file, every), part_checksums=checked)

    def survey(self) -> list[dict[str, Any]]:
        return survey_of(self._file)

    def tables(self, start: int, stop: int, use_epochs: UseEpochs | None = None) -> Tables:
        return TableReader(self._file, start, stop, use_epochs)

    def close(self) -> None:
        self._file.close()


class _ColumnTables:
    """Reader of tables from a CSV or Parquet file."""

    def __init__(self, path: Path, kind: Format, source: Path) -> None:
        from helio.sources.columns import Columns

        self._file = _csv(path, source) if kind == "csv" else _parquet(path, source)
        self._columns = Columns(self._file)

    def facts(self) -> dict[str, Any]:
        attributes = {name: [text] for name, text in self._file.said.items()}
        attributes["LOGICAL_SOURCE"] = [dataset_of(self._file.path, attributes)]
        return _facts(attributes, self._columns.parameters(), self._columns.span())

    def survey(self) -> list[dict[str, Any]]:
        return self._columns.survey()

    def tables(self, start: int, stop: int, use_epochs: UseEpochs | None = None) -> Tables:
        from helio.sources.columns import ColumnReader

        return ColumnReader(self._file, self._columns, start, stop)

    def close(self) -> None:
        self._file.close()


def _netcdf(path: Path, source: Path) -> Any:
    from helio.sources.netcdf_file import NetcdfFile

    return NetcdfFile(path, source)


def _csv(path: Path, source: Path) -> Any:
    from helio.sources.csv_file import CsvFile

    return CsvFile(path, source)


def _parquet(path: Path, source: Path) -> Any:
    from helio.sources.parquet_file import ParquetFile

    return ParquetFile(path, source)


def _facts(
    attributes: Mapping[str, list[Any]],
    parameters: tuple[str, ...],
    span: tuple[int, int] | None,
    *,
    part_checksums: bool = False,
) -> dict[str, Any]:
    return {
        # the Cluster Science Archive writes DATASET_ID
        "logical_source": _text(attributes, "LOGICAL_SOURCE") or _text(attributes, "DATASET_ID"),
        "logical_file_id": _text(attributes, "LOGICAL_FILE_ID"),
        "data_version": _text(attributes, "DATA_VERSION"),
        "doi": _text(attributes, "DOI", "DATASET_DOI"),
        "acknowledgement": _text(attributes, "ACKNOWLEDGEMENT", "ACKNOWLEDGMENT", "ACKNOWLEDGEMENTS"),
        "title": _text(attributes, "TITLE", "LOGICAL_SOURCE_DESCRIPTION"),
        "descriptor": _text(attributes, "DESCRIPTOR"),
        "mission": _text(attributes, "SOURCE_NAME", "MISSION_GROUP"),
        "parameters": list(parameters),
        "pi": _text(attributes, "PI_NAME", "CREATOR_NAME"),
        "affiliation": _text(attributes, "PI_AFFILIATION", "INSTITUTION"),
        "rules_of_use": _text(attributes, "RULES_OF_USE", "LICENSE"),
        "source_description": _text(attributes, "LOGICAL_SOURCE_DESCRIPTION"),
        "part_checksums": part_checksums,
        "span": span,
    }


def _text(attributes: Mapping[str, list[Any]], *names: str) -> str:
    entries = next((attributes[name] for name in names if name in attributes), [])
    return " ".join(str(entry).strip() for entry in entries if str(entry).strip())
