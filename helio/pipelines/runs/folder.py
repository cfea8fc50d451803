"""Create the output folder of a run, and remove the folder if it stays empty."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path, PurePath

from helio.errors import DamagedRecord, OutputError
from helio.pipelines.template.files import RECORD
from helio.steps.render.detail import is_detail_folder, remove_detail
from helio.store.records import read_record
from helio.store.runs import LARGEST, WrittenFiles


def prepare_folder(folder: Path, pipeline: str) -> Path:
    """Make the output folder of a run; if this is not possible, raise an error before any step runs.

    Files of an earlier run of the same pipeline, according to its record, are removed, so that no old figure stands
    among the new ones. Files of other pipelines stay.
    """
    probe = folder / f".probe-{os.urandom(4).hex()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
        for name in _files_of_earlier_run(folder, pipeline):
            if is_detail_folder(name):
                remove_detail(folder / name)
            else:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"the output folder {folder} cannot be written: {error.strerror or error}",
            advice="choose another folder with --output",
        ) from error
    return folder


def remove_empty(folder: Path | None) -> None:
    """Remove a folder if it is empty."""
    if folder is not None:
        with suppress(OSError):  # it is not empty, or already removed
            folder.rmdir()


def _files_of_earlier_run(folder: Path, pipeline: str) -> set[str]:
    try:
        earlier = read_record(folder / RECORD, WrittenFiles, largest=LARGEST)
    except (FileNotFoundError, DamagedRecord):
        return set()  # without a record of helio, no file is known to be helio's
    if earlier["pipeline"] != pipeline:
        return set()
    names = {PurePath(artefact["file"]).name for artefact in earlier["artefacts"]}
    return {RECORD, *(name for name in names if name not in ("", ".."))}
