"""The output folder of a run: made before it, cleared of an earlier run, taken back when nothing was written."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path, PurePath

from helio.errors import DamagedRecord, OutputError
from helio.pipelines.template.files import RECORD
from helio.store.records import read_record
from helio.store.runs import LARGEST, WrittenFiles


def prepare_folder(folder: Path) -> Path:
    """Make an output folder, or find out that it cannot be one before anything has run.

    Files that an earlier run wrote there, by its own record, are removed: what is found afterwards is this run's.
    """
    probe = folder / f".probe-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        for name in _files_of_earlier_run(folder):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder {folder} cannot be written: {error.strerror or error}",
            advice="another --output",
        ) from error
    return folder


def remove_empty(folder: Path | None) -> None:
    """Take back a folder in which nothing was written."""
    if folder is not None:
        with suppress(OSError):  # something stands in it, or it is gone already
            folder.rmdir()


def _files_of_earlier_run(folder: Path) -> set[str]:
    try:
        earlier = read_record(folder / RECORD, WrittenFiles, largest=LARGEST)
    except (FileNotFoundError, DamagedRecord):
        return set()  # no record of ours, so nothing that is known to be ours
    names = {PurePath(artefact["file"]).name for artefact in earlier["artefacts"]}
    return {RECORD, *(name for name in names if name not in ("", ".."))}
