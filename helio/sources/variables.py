"""Interface of a file that contains variables with attributes: a CDF, or a netCDF file described with ISTP
attributes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

Attributes = dict[str, Any]
"""Attributes by their names in capitals; each value is a str, a numpy scalar or a numpy array."""

TEXT_KINDS = frozenset({"CHAR", "UCHAR"})


@dataclass(frozen=True)
class FileVariable:
    """Facts that a file states about a variable, without its records.

    Parameters
    ----------
    kind : str
        The CDF type without ``CDF_``: ``"REAL4"``, ``"TIME_TT2000"``; ``"UNIX_NS"`` for times that come as
        nanoseconds since 1970.
    shape : tuple of int
        Shape of one record, without dimensions that do not vary or that have only one element.
    dimensions : tuple of int
        The numbers of these dimensions in the file, from 1: the i of DEPEND_i.
    records : int
        Number of records written.
    varies : bool
        Whether the variable varies from record to record.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    dimensions: tuple[int, ...]
    records: int
    varies: bool

    @property
    def holds_text(self) -> bool:
        """Whether the variable contains text."""
        return self.kind in TEXT_KINDS


class VariableFile(Protocol):
    """An open file that contains variables with attributes."""

    path: Path

    def names(self) -> tuple[str, ...]:
        """Return the names of all variables, in file order."""
        ...

    def variable(self, name: str) -> FileVariable | None:
        """Return the variable with exactly this name, or None."""
        ...

    def attributes(self, name: str) -> Attributes:
        """Return the attributes of a variable under their ISTP names; empty if there is no such variable."""
        ...

    def links(self, name: str) -> Attributes:
        """Return only the attributes that decide whether a variable can be read."""
        ...

    def records(self, variable: FileVariable, first: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Read records [first, stop) as a writable array; for a constant variable, the array has no dimension
        for records.
        """
        ...
