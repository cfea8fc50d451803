"""Errors for data files that cannot be opened, or whose bytes are not what a reader expects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.errors import DamagedFile

ADVICE = "download the file again; if the error stays, report it to the provider"


def unopened(path: Path, error: OSError) -> DamagedFile:
    """Return the error for a file that the system does not open."""
    return DamagedFile(f"'{path.name}' cannot be opened: {error.strerror or error}", place=str(path))


def broken(path: Path, reason: str) -> DamagedFile:
    """Return the error for a file in which a check has found damage."""
    return DamagedFile(f"'{path.name}' is damaged: {reason}", advice=ADVICE, place=str(path))


def unreadable(path: Path, error: Exception) -> DamagedFile:
    """Return the error for a file on which the library that reads it has failed."""
    return DamagedFile(f"'{path.name}' could not be read: {type(error).__name__}: {error}", advice=ADVICE)


@contextmanager
def reading(path: Path, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    """Replace the errors that a library raises for a damaged file by one error that names the file.

    Raises
    ------
    DamagedFile
    """
    try:
        yield
    except errors as error:
        raise unreadable(path, error) from error
