"""The interface of a file of variables with attributes, from which tables are made: CDF, and netCDF in CDF's terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

Attributes = dict[str, Any]
"""Names in capitals; values are str, a numpy scalar, or a numpy array."""

TEXT_KINDS = frozenset({"CHAR", "UCHAR"})


@dataclass(frozen=True)
class FileVariable:
    """The facts that a file states about a variable, without records.

    Parameters
    ----------
    kind : str
        The CDF type without ``CDF_``: ``"REAL4"``, ``"TIME_TT2000"``; ``"UNIX_NS"`` for times that come as
        nanoseconds since 1970.
    shape : tuple of int
        Of one record, without dimensions that do not vary or have one element.
    dimensions : tuple of int
        The numbers of these dimensions in the file, from 1: the i of DEPEND_i.
    records : int
        Number of records written.
    varies : bool
        Whether it varies from record to record.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    dimensions: tuple[int, ...]
    records: int
    varies: bool

    @property
    def holds_text(self) -> bool:
        """Whether it is made of characters."""
        return self.kind in TEXT_KINDS


class VariableFile(Protocol):
    """An open file of variables."""

    path: Path

    def names(self) -> tuple[str, ...]:
        """Return names of all variables, in file order."""
        ...

    def variable(self, name: str) -> FileVariable | None:
        """Return the variable of exactly that name, or None."""
        ...

    def attributes(self, name: str) -> Attributes:
        """Return the attributes of a variable, as ISTP names them; empty if there is no such variable."""
        ...

    def links(self, name: str) -> Attributes:
        """Return the attributes that decide whether a variable can be read."""
        ...

    def records(self, variable: FileVariable, first: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Read records [first, stop), in native order, writable; without the first dimension if it does not vary."""
        ...
