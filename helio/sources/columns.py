"""Conversion of a file of columns to tables: tables that helio wrote are restored, and other columns become scalars."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from helio.errors import UnknownParameter, did_you_mean
from helio.sources import istp
from helio.sources.clock import EpochSelection, EpochSurvey, clock_between, survey_clock
from helio.sources.join import once
from helio.sources.written import Facts, restore
from helio.store.table import Floats, Table

_IN_BRACKETS = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]*)\]", re.DOTALL)
_IN_PARENTHESES = re.compile(r"(?P<name>.*\S)\s*\((?P<unit>[^()]*(?:\([^()]*\)[^()]*)*)\)", re.DOTALL)


class ColumnFile(Protocol):
    """An open file with columns of values and one or more columns of times."""

    path: Path
    fill_advice: str
    """Advice on how to declare the value ``{fill}`` a fill value in a file of this format."""

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of all columns except the times, in file order; two titles may be equal."""
        ...

    @property
    def written(self) -> tuple[Facts, ...]:
        """Descriptions of the tables that helio wrote to the file; empty for a file that helio did not write."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """Units that the file gives outside the titles; empty for a column without such a unit."""
        ...

    def nanoseconds(self) -> npt.NDArray[np.int64]:
        """Return all times of the file, in file order, in ns since 1970, UTC."""
        ...

    def numbers(self, column: int, dtype: np.dtype[Any] | None = None) -> Floats:
        """Return the column with this index in `titles` as floats, with missing cells as NaN.

        Raises
        ------
        UnknownParameter
            The column does not contain numbers.
        """
        ...

    def block(self, places: Sequence[int], dtype: np.dtype[Any]) -> Floats:
        """Return the columns with these indices in `titles` as an array of shape (n, columns)."""
        ...

    def holds_numbers(self, column: int) -> bool:
        """Return whether a column seems to hold numbers, judged by its type or by its first cells."""
        ...

    def holds_long_integers(self, column: int) -> bool:
        """Return whether a column may hold integers too long for a float64."""
        ...


class Columns:
    """Names, units and positions of the parameters in one file of columns."""

    def __init__(self, file: ColumnFile) -> None:
        self._file = file

    @cached_property
    def written(self) -> dict[str, Facts]:
        """Descriptions of the tables that helio wrote to the file, by parameter."""
        return {str(facts.get("parameter", "")): facts for facts in self._file.written}

    @cached_property
    def places(self) -> dict[str, int]:
        """Map the name of each column to its index in the file's titles; if several columns share the name, their full
        titles are the keys.
        """
        titles = self._file.titles
        names = [parse_title(title)[0] for title in titles]
        often, twice = Counter(names), Counter(titles)
        by_name = {}
        for column, (name, title) in enumerate(zip(names, titles, strict=True)):
            key = name if often[name] == 1 else title
            if title and twice[title] == 1:
                by_name[key] = column
        return by_name

    def parameters(self) -> tuple[str, ...]:
        """Return the names of all readable parameters, in file order: tables that helio wrote, then other columns of
        numbers.
        """
        used = {title for facts in self.written.values() for title in _titles_in(facts)}
        others = [
            name
            for name, column in self.places.items()
            if self._file.titles[column] not in used and self._file.holds_numbers(column)
        ]
        return (*self.written, *others)

    def span(self) -> tuple[int, int] | None:
        """Return the first and the last time, in ns since 1970; None if there are no records."""
        return self._surveyed.span

    def survey(self) -> list[dict[str, Any]]:
        """Describe every parameter in file order, with the fields of `helio.sources.cdf.ParameterFacts`."""
        facts_of_all = []
        for name in self.parameters():
            written = self.written.get(name)
            if written is None:
                column = self.find(name)
                unit = parse_title(self._file.titles[column])[1] or self._file.units[column]
                facts: dict[str, Any] = {"unit": unit, "shape": [], "description": "", "frame": ""}
            else:
                facts = {key: str(written.get(key, "")) for key in ("unit", "description", "frame")}
                components = written.get("components", ())
                facts["shape"] = (
                    [len(components)] if components else [axis["bins"] for axis in written.get("axes", ())]
                )
            clock = {key: getattr(self._surveyed, key) for key in ("span", "records", "cadence")}
            facts_of_all.append({"name": name, **facts, **clock, "support": False})
        return facts_of_all

    @cached_property
    def _surveyed(self) -> EpochSurvey:
        return survey_clock(self._file.nanoseconds(), None)

    def find(self, name: str) -> int:
        """Return the index of the column that has this name or this full title.

        Raises
        ------
        UnknownParameter
        """
        if name in self.places:
            return self.places[name]
        titles = self._file.titles
        if titles.count(name) == 1:
            return titles.index(name)
        alike = [title for title in titles if name in (title, parse_title(title)[0])]
        if len(alike) > 1:
            raise UnknownParameter(
                f"'{name}' matches several columns of '{self._file.path.name}': {', '.join(alike)}",
                advice="write the full title of one column, with its unit; no two titles may be the same",
            )
        every = self.parameters()
        listed = (
            f"choose one of: {', '.join(every[:12])}"
            if every
            else "choose another file: this one has no columns of numbers"
        )
        raise UnknownParameter(
            f"'{self._file.path.name}' has no parameter '{name}'",
            advice=did_you_mean(name, every, otherwise=listed),
        )


class ColumnReader:
    """Reader of tables for one interval from one file of columns."""

    def __init__(self, file: ColumnFile, columns: Columns, start: int, stop: int) -> None:
        self._file, self._columns = file, columns
        self._start, self._stop = np.datetime64(start, "ns"), np.datetime64(stop, "ns")

    @cached_property
    def _clock(self) -> EpochSelection:
        return clock_between("time", self._file.nanoseconds(), None, self._start, self._stop)

    def read(self, name: str) -> Table:
        """Read one parameter over [start, stop) as a table.

        Raises
        ------
        UnknownParameter
            The file has no column of this name, or the column does not contain numbers.
        DamagedFile
            The times, or the descriptions that helio wrote, are invalid.
        """
        facts = self._columns.written.get(name)
        if facts is not None:
            table = restore(self._file.path, facts, self._clock.epoch, self._part)
        else:
            column = self._columns.find(name)
            short, unit = parse_title(self._file.titles[column])
            table = Table(
                epoch=self._clock.epoch,
                values=np.ascontiguousarray(self._picked(self._file.numbers(column))),
                unit=unit or self._file.units[column],
                name=short,
            )
        table = once(replace(table, notes=self._clock.notes), self._clock.without_time)
        notes = [*table.notes, *_infinite(table.values)]
        rounded = istp.rounded_integers(table.values)
        if rounded and facts is None and self._file.holds_long_integers(self._columns.find(name)):
            notes += rounded
        fill = istp.possible_fill(table.values) if facts is None else None
        if fill is not None:
            count, number = fill
            cure = self._file.fill_advice.format(fill=number)
            notes.append(f"{count:,} values of {name} are {number}; if {number} is a fill value, {cure}")
        return replace(table, notes=tuple(notes))

    def _part(self, facts: Facts) -> npt.NDArray[Any]:
        """Return an array that the file stores in several neighbouring columns."""
        titles = self._file.titles
        for title in facts["columns"]:
            if titles.count(title) != 1:
                raise KeyError(f"the column '{title}' is missing or appears more than once")
        places = [titles.index(title) for title in facts["columns"]]
        if not places:
            return np.empty((self._clock.epoch.size, 0))
        return self._picked(self._file.block(places, np.dtype(str(facts["dtype"]))))

    def _picked(self, column: Floats) -> Floats:
        return self._clock.pick(column[slice(*self._clock.span)])


def _infinite(values: npt.NDArray[Any]) -> tuple[str, ...]:
    """Count the infinite values, in words: infinite values stay in the table and make every mean useless."""
    count = int(np.count_nonzero(np.isinf(values))) if values.dtype.kind == "f" else 0
    if not count:
        return ()
    return (
        "infinite values (infinity in the file, or numbers too large for a float64): "
        f"{count:,} of {values.size:,}; they stay in the table",
    )


def parse_title(title: str) -> tuple[str, str]:
    """Split the title of a column, such as ``Bx [nT]`` or ``Bx (nT)``, into name and unit.

    >>> parse_title("Bx (GSE) [nT]")
    ('Bx (GSE)', 'nT')
    """
    title = title.strip()
    match = _IN_BRACKETS.fullmatch(title)
    if match is None:
        match = _IN_PARENTHESES.fullmatch(title)
        # a frame is no unit: "Bx (GSE)"
        if match is not None and match["unit"].strip() in istp.FRAMES:
            match = None
    return (match["name"], match["unit"].strip()) if match else (title, "")


def _titles_in(facts: Facts) -> list[str]:
    parts = [facts.get("values", {})]
    for axis in facts.get("axes", ()):
        parts += [part for part in axis.values() if isinstance(part, dict)]
    return [str(title) for part in parts if isinstance(part, dict) for title in part.get("columns", ())]
