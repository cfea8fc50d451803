"""Write the gallery as a static site: files that a browser opens from a disk or from any web server."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from helio.errors import DamagedRecord, OutputError
from helio.store.files import unwritable, write_whole
from helio.store.records import read_record
from helio.web.site import Site

MANIFEST = ".helio-gallery.json"
"""File that lists what helio wrote into the folder."""


@dataclass(frozen=True)
class Manifest:
    """What an earlier build wrote: each page and file, with a digest of everything on which it depends."""

    written: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """Result of a build: how many pages and files the site has, and how many of them were written now."""

    folder: Path
    pages: int
    files: int
    written: int
    removed: int


def build(site: Site, folder: Path) -> Built:
    """Write all pages and files into a folder; write again only what has changed, and remove what is gone.

    Raises
    ------
    OutputError
        The folder contains files that are not a gallery, or it cannot be written.
    """
    known = _manifest(folder)
    written: dict[str, str] = {}
    count = 0
    try:
        for address in (*site.files_named, *site.pages):
            is_page = address in site.pages
            state = site.state_of(address) if is_page else address
            path = folder / address
            if not (state and known.get(address) == state and path.is_file()):
                if not _write(site, address, path):
                    continue
                count += 1
            written[address] = state
        gone = [address for address in known if address not in written]
        for address in gone:
            _remove(folder, address)
        write_whole(folder / MANIFEST, (json.dumps(asdict(Manifest(written)), indent=0) + "\n").encode())
    except OSError as error:
        raise unwritable(folder, error) from error
    pages = len(site.pages)
    return Built(folder, pages, len(written) - pages, count, len(gone))


def _write(site: Site, address: str, path: Path) -> bool:
    """Write one page or file; return False if its content is not there any more."""
    content = site.content(address)
    if content is None:
        return False
    write_whole(path, content.body, durable=False)
    return True


def _manifest(folder: Path) -> dict[str, str]:
    try:
        return read_record(folder / MANIFEST, Manifest).written
    except FileNotFoundError:
        pass
    except DamagedRecord as error:
        raise OutputError(error.message, advice=f"remove {folder}, and build the gallery again") from error
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise OutputError(
            f"{folder} is not empty, and it is no gallery of helio", advice="choose a new or empty folder"
        )
    return {}


def _remove(folder: Path, address: str) -> None:
    """Remove a file of an earlier build, and its folder if it is empty now."""
    path = folder / address
    if not path.resolve().is_relative_to(folder.resolve()):
        raise OutputError(f"{folder / MANIFEST} names a file outside the folder: {address}")
    path.unlink(missing_ok=True)
    if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()
