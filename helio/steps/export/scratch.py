"""Temporary files, for libraries that can write only to a file and not to memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.errors import OutputError


@contextmanager
def scratch_file(suffix: str) -> Iterator[Path]:
    """Yield the path of a temporary file with the given ending, and delete the file afterwards.

    Raises
    ------
    OutputError
        The disk is full, or the folder for temporary files cannot be written.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="helio-") as folder:
            yield Path(folder) / f"written{suffix}"
    except OSError as error:
        raise OutputError(
            f"the export needs a temporary file, which cannot be written: {error.strerror or error}",
            advice=f"make space in {tempfile.gettempdir()}, or set TMPDIR to another folder",
        ) from error
