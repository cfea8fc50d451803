"""Reader of one CSV file with a header, as columns and times, with pyarrow; only the worker process imports this
module.
"""

from __future__ import annotations

import csv
import io
import mmap
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from helio.counts import number_of
from helio.errors import DamagedFile, NoData, UnknownParameter
from helio.sources.iso_times import NotATime, is_time, nanoseconds_of_texts
from helio.sources.time_columns import NotTimes, find_times, read_title
from helio.sources.written import WRITTEN, Facts, read_facts
from helio.store.table import Floats

_FILL = re.compile(
    r"(?:fill(?:[ _]?val(?:ue)?)?|_FillValue|missing(?:[ _]value)?)s?\s*[:=]\s*(?P<values>.+)", re.IGNORECASE
)
_GLOBAL = re.compile(r"(?P<name>title|doi|acknowledge?ments?)\s*:\s*(?P<text>.+)", re.IGNORECASE)
_MISSING = ["", "nan", "NaN", "NAN", "-nan", "+nan"]
_FIRST_CELLS = 200
"""Number of rows to read for distinguishing columns of numbers from columns of text."""
_BLOCK = 1024**2
_LONGEST_HEADER = 16 * 1024**2
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class CsvFile:
    """An open CSV file; satisfies `helio.sources.columns.ColumnFile`.

    Lines that begin with ``#`` are comments. The first other line names the columns, separated by commas, or by
    blanks if one column is called year. Times are ISO 8601 and UTC, in one column or in several that `find_times`
    recognises. Numbers have a decimal point. Empty cells, ``nan`` and the fill value in a comment such as ``# fill:
    -9999`` are missing values.

    References
    ----------
    RFC 4180.
    """

    fill_advice = "write a line '# fill: {fill}' at the top of the file"

    def __init__(self, path: Path, source: Path | None = None) -> None:
        self.path = path
        try:
            with (source or path).open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise DamagedFile(f"'{path.name}' cannot be opened: {error}", place=str(path)) from error
        self._comments: list[str] = []
        self._header_lines = 0
        self._block = _BLOCK
        self._every = self._read_header()
        if len(self._every) == 1:
            self._separate_by_commas()
        try:
            self._times = find_times(self._every, self._first_cells)
        except NotTimes as error:
            raise error.in_file(self.path) from error
        self._refuse_data_as_header()

    def close(self) -> None:
        """Close the file; its memory is freed when no column read from the file is in use."""
        self.__dict__.pop("_body", None)
        self._bytes = mmap.mmap(-1, 1)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Titles of all columns except the times, in file order."""
        return tuple(self._every[column] for column in self._places)

    @cached_property
    def written(self) -> tuple[Facts, ...]:
        """Descriptions of the tables that helio wrote to this file."""
        lead = f"{WRITTEN}: "
        facts = [line.removeprefix(lead) for line in self._comments if line.startswith(lead)]
        return tuple(read_facts(self.path, text) for text in facts)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """One empty text for each column, because a CSV file gives units only in its titles."""
        return ("",) * len(self.titles)

    @cached_property
    def said(self) -> dict[str, str]:
        """Facts from the comments of the file: title, DOI and acknowledgement."""
        facts: dict[str, str] = {}
        for line in self._comments:
            match = _GLOBAL.fullmatch(line)
            if match:
                facts.setdefault(match["name"].upper(), match["text"])
        return facts

    def nanoseconds(self) -> npt.NDArray[np.int64]:
        """Return all times of the file in ns since 1970, UTC."""
        return self._nanoseconds

    @cached_property
    def _nanoseconds(self) -> npt.NDArray[np.int64]:
        places = (*self._times.places, *self._times.beside)
        columns = dict(zip(places, self._columns(places, pa.string()), strict=True))
        try:
            return nanoseconds_of_texts(self._times.texts(lambda column: columns[column]))
        except NotTimes as error:
            raise error.in_file(self.path) from error
        except NotATime as error:
            several = "s" if len(self._times.places) > 1 else ""
            raise DamagedFile(
                f"line {self._line_of(error.row)} of '{self.path.name}': {error}, in the "
                f"column{several} {self._times.words}",
                advice="write times as 2024-05-10T00:00:00Z",
                place=str(self.path),
            ) from error

    def numbers(self, column: int, dtype: np.dtype[Any] | None = None) -> Floats:
        """Read a column as floats, in double precision by default, with missing cells as NaN."""
        return self.block([column], dtype or np.dtype("f8"))[:, 0]

    def block(self, places: Sequence[int], dtype: np.dtype[Any]) -> Floats:
        """Read several columns into one array of shape (n, columns)."""
        kind = pa.float32() if dtype == np.float32 else pa.float64()
        try:
            columns = self._columns([self._places[column] for column in places], kind)
        except pa.ArrowInvalid:
            columns = [self._numbers_or_refusal(column, kind) for column in places]
        block = np.empty((len(columns[0]) if columns else 0, len(places)), dtype=dtype)
        for j, column in enumerate(columns):
            block[:, j] = column.to_numpy()
        for fill in self._fills:
            block[block == block.dtype.type(fill)] = np.nan
        return block

    def holds_numbers(self, column: int) -> bool:
        """Return whether the first cells of a column are all numbers or missing."""
        column = self._places[column]
        return all(_is_number(row[column]) for row in self._first_rows if column < len(row))

    def holds_long_integers(self, column: int) -> bool:
        """Return whether a column contains a whole number with sixteen or more digits."""
        (texts,) = self._columns([self._places[column]], pa.string())
        return bool(pc.any(pc.match_substring_regex(texts, r"^\s*[+-]?\d{16,}\s*$")).as_py())

    # Header

    def _read_header(self) -> list[str]:
        self._bytes.seek(len(_BYTE_ORDER_MARK) if self._bytes[:3] == _BYTE_ORDER_MARK else 0)
        read = 0
        while line := self._bytes.readline():
            self._header_lines += 1
            read += len(line)
            text = self._decoded(line)
            if text.startswith("#"):
                self._comments.append(text[1:].strip())
            elif text:
                return self._titles_of(line, text)
            if read > _LONGEST_HEADER:
                break
        raise DamagedFile(
            f"'{self.path.name}' has no header line that names its columns",
            advice="begin the file with a line such as: epoch,Bx [nT],By [nT],Bz [nT]",
            place=str(self.path),
        )

    def _titles_of(self, line: bytes, text: str) -> list[str]:
        if b"\r" in line.rstrip(b"\r\n"):
            raise DamagedFile(
                f"the lines of '{self.path.name}' end in carriage returns without line feeds",
                advice="save the file with the line ends of Unix or Windows",
                place=str(self.path),
            )
        try:
            titles = [title.strip() for title in next(csv.reader(io.StringIO(text)))]
        except csv.Error as error:
            raise DamagedFile(
                f"line {self._header_lines} of '{self.path.name}' cannot be read as names of columns: "
                f"{error}",
                advice="begin the file with a line such as: epoch,Bx [nT],By [nT],Bz [nT]",
                place=str(self.path),
            ) from error
        # a row may be as long as the line of its titles, and must fit into a block whole
        self._block = max(_BLOCK, 32 * len(line))
        if len(titles) == 1:
            for separator, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
                if separator in text:
                    raise DamagedFile(
                        f"the columns of '{self.path.name}' are separated by {word}",
                        advice="save the file with commas between columns, and with decimal points in numbers",
                        place=str(self.path),
                    )
        return titles

    def _refuse_data_as_header(self) -> None:
        if is_time(self._every[self._times.places[0]]) or all(map(_is_number, self._every)):
            raise DamagedFile(
                f"'{self.path.name}' has no header line that names its columns: line "
                f"{self._header_lines} holds data",
                advice="insert a header line before it, such as: epoch,Bx [nT],By [nT],Bz [nT]",
                place=str(self.path),
            )

    def _separate_by_commas(self) -> None:
        """Read columns that are separated by blanks, as OMNIWeb writes them: the header must contain a word for the
        year.
        """
        titles = self._every[0].split()
        if not any(read_title(title).role == "year" for title in titles):
            return
        lines = [
            line if line.lstrip().startswith(b"#") else b",".join(line.split())
            for line in self._bytes[:].split(b"\n")
        ]
        content = b"\n".join(lines)
        self._bytes = mmap.mmap(-1, len(content))
        self._bytes.write(content)
        self._every = titles

    def _decoded(self, line: bytes) -> str:
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise DamagedFile(
                f"line {self._header_lines} of '{self.path.name}' is not text in UTF-8",
                advice="save the file as CSV in UTF-8",
                place=str(self.path),
            ) from error
        return "".join(
            character if character.isprintable() or character == "\t" else " " for character in text
        )

    @cached_property
    def _fills(self) -> tuple[float, ...]:
        fills: list[float] = []
        for line in self._comments:
            match = _FILL.fullmatch(line)
            for word in re.split(r"[,\s]+", match["values"].strip()) if match else ():
                if _is_number(word) and word:
                    fills.append(float(word))
        return tuple(fills)

    # Body

    @cached_property
    def _places(self) -> tuple[int, ...]:
        """Positions of the columns that do not give times, among all columns of the file."""
        times = self._times.places
        return tuple(column for column in range(len(self._every)) if column not in times)

    def _first_cells(self, column: int) -> list[str]:
        return [
            row[column]
            for row in self._first_rows
            if column < len(row) and row[column].strip() not in _MISSING
        ]

    @cached_property
    def _body(self) -> pa.Buffer:
        """The bytes of the file after the header, with any comment lines removed."""
        begin = self._begin
        if self._bytes.find(b"\n#", max(begin - 1, 0)) < 0:
            return pa.py_buffer(self._bytes).slice(begin)
        lines = io.BytesIO(self._bytes[begin:])
        return pa.py_buffer(b"".join(line for line in lines if not line.startswith(b"#")))

    @cached_property
    def _begin(self) -> int:
        position = 0
        for _ in range(self._header_lines):
            end = self._bytes.find(b"\n", position)
            position = len(self._bytes) if end < 0 else end + 1
        return position

    @cached_property
    def _first_rows(self) -> list[list[str]]:
        text = self._bytes[self._begin : self._begin + 64 * 1024].decode("utf-8", errors="replace")
        lines = [
            line for line in text.splitlines()[:_FIRST_CELLS] if line.strip() and not line.startswith("#")
        ]
        # the last may be cut off by the end of what was read
        cut = len(self._bytes) > self._begin + 64 * 1024 and len(lines) > 1
        return list(csv.reader(lines[:-1] if cut else lines))

    def _columns(self, places: Sequence[int], kind: pa.DataType) -> list[pa.ChunkedArray]:
        """Return columns of one type, with all rows.

        Raises
        ------
        pyarrow.ArrowInvalid
            A cell does not have this type.
        """
        if not self._body.size or not bytes(self._body[:4096]).strip():
            raise NoData(
                f"'{self.path.name}' names its columns but holds no records", advice="choose a file with data"
            )
        names = [str(number) for number in range(len(self._every))]
        wrong: list[pa.csv.InvalidRow] = []

        def note(row: pa.csv.InvalidRow) -> str:
            wrong.append(row)
            return "error"

        try:
            table = pa.csv.read_csv(
                pa.BufferReader(self._body),
                read_options=pa.csv.ReadOptions(column_names=names, block_size=self._block),
                parse_options=pa.csv.ParseOptions(invalid_row_handler=note),
                convert_options=pa.csv.ConvertOptions(
                    include_columns=[names[column] for column in places],
                    column_types={names[column]: kind for column in places},
                    null_values=_MISSING,
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            if wrong:
                raise self._uneven(wrong[0]) from error
            if "conversion error" in str(error) and "UTF8" not in str(error):
                raise
            raise DamagedFile(
                f"'{self.path.name}' cannot be read as CSV: {error}",
                advice="save the file as CSV in UTF-8",
                place=str(self.path),
            ) from error
        return list(table.columns)

    def _uneven(self, row: pa.csv.InvalidRow) -> DamagedFile:
        lines = self._bytes[:].splitlines()
        row_bytes = row.text.encode().strip()
        line = next((i for i, text in enumerate(lines, start=1) if text.strip() == row_bytes), 0)
        cut = line == len(lines) and row.actual_columns < row.expected_columns
        advice = (
            "save the file again: it may be cut off"
            if cut
            else "write numbers with a decimal point, such as 1.5, and put texts in quotes"
        )
        return DamagedFile(
            f"line {line} of '{self.path.name}' has {number_of(row.actual_columns, 'value')}, but the file "
            f"has {number_of(row.expected_columns, 'column')}",
            advice=advice,
            place=str(self.path),
        )

    def _numbers_or_refusal(self, column: int, kind: pa.DataType) -> pa.ChunkedArray:
        """Read a column of numbers in which cells may be blank; for any other content, raise an error that names the
        line.
        """
        title = self.titles[column]
        (texts,) = self._columns([self._places[column]], pa.string())
        plain = pc.utf8_trim_whitespace(texts)
        plain = pc.if_else(pc.is_in(plain, pa.array(_MISSING)), pa.scalar(None, pa.string()), plain)
        try:
            return pc.cast(plain, kind)
        except pa.ArrowInvalid:
            row = next(
                i for i, text in enumerate(plain.to_pylist()) if text is not None and not _is_number(text)
            )
        text = plain[row].as_py()
        comma = re.fullmatch(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?", text)
        raise UnknownParameter(
            f"the column '{title}' does not hold numbers: '{text[:40]}' in line {self._line_of(row)} of "
            f"'{self.path.name}'" + (", with a decimal comma" if comma else ""),
            advice="write numbers with a decimal point, such as 1.5"
            if comma
            else "choose another column, or remove the text from this one",
        )

    def _line_of(self, row: int) -> int:
        """Return the number of the line in the file that holds a row of data."""
        data_row = -1
        lines = io.BytesIO(self._bytes[self._begin :])
        for number, line in enumerate(lines, start=self._header_lines + 1):
            if line.strip() and not line.startswith(b"#"):
                data_row += 1
                if data_row == row:
                    return number
        return self._header_lines + 1 + row


def _is_number(text: str) -> bool:
    """Return whether a cell is missing or holds a number; 1_000 is not a number here, although Python would
    accept it.
    """
    text = text.strip()
    if text in _MISSING:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
