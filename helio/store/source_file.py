"""The file that a table was read from, without anything that reads it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceFile:
    """A file that a table was read from, as a citation and a lock need it."""

    dataset_id: str
    file: str
    version: str = ""
    provider: str = ""
    sha256: str = ""
    size: int = 0
    doi: str = ""
    acknowledgement: str = ""
    preliminary: bool = False
    """A browse or key-parameter product, not for publication."""
