"""A file for a moment, for libraries that write nowhere else."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helio.errors import OutputError


@contextmanager
def scratch_file(suffix: str) -> Iterator[Path]:
    """Return a place for a file of that ending, gone afterwards.

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
            advice=f"make room in {tempfile.gettempdir()}, or name another folder in TMPDIR",
        ) from error
