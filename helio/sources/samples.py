"""Sample archive: a few real data files that helio ships as part of its package."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.errors import RequestError
from helio.sources.file_digests import FileDigests
from helio.sources.local import KnownFile, LocalArchive

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader

NAME = "sample archive"

# The manifest gives epochs cut to the millisecond.
_CUT = timedelta(milliseconds=1)


def sample_folder() -> Path:
    """Return the folder of the sample files inside the installed package.

    Raises
    ------
    RequestError
        The package is not installed as plain files.
    """
    folder = Path(__file__).with_name("sample_archive")
    if not folder.is_dir():
        raise RequestError(
            "the sample files are not installed as plain files",
            advice="install helio-pipelines with pip instead of running it from a zip file",
        )
    return folder


def sample_manifest() -> list[dict[str, Any]]:
    """Return the manifest of the sample files: contents and origin of each file, in order of file names."""
    document = json.loads((sample_folder() / "manifest.json").read_text(encoding="utf-8"))
    entries: list[dict[str, Any]] = document["files"]
    return entries


def sample_archive(reader: CdfReader, digests: FileDigests | None = None) -> LocalArchive:
    """Return the sample archive as a provider, with time spans, DOIs and acknowledgements from the manifest."""
    known = {
        str(entry["file"]): KnownFile(
            first=datetime.fromisoformat(entry["span"][0]),
            last=datetime.fromisoformat(entry["span"][1]) + _CUT,
            doi=str(entry["doi"]),
            acknowledgement=str(entry["acknowledgement"]),
            logical_source=str(entry.get("logical_source", "")),
            sha256=str(entry["sha256"]),
        )
        for entry in sample_manifest()
    }
    return LocalArchive(sample_folder(), reader, name=NAME, known=known, digests=digests)
