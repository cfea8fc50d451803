"""Write the gallery as a static site: files that a browser opens from a disk or from any web server."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from helio.errors import DamagedRecord, OutputError
from helio.store.files import link_or_copy, unwritable, write_whole
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
    """Result of a build.

    Parameters
    ----------
    pages, files : int
        How many the site has.
    written, removed : int
        Pages and files that this build wrote, linked or removed.
    copied : int
        Files that it copied, because it could not link them.
    reason : str
        Why it could not.
    """

    folder: Path
    pages: int
    files: int
    written: int
    removed: int
    copied: int = 0
    reason: str = ""


def build(site: Site, folder: Path, *, threads: int | None = None) -> Built:
    """Write all pages and files into a folder; write again only what has changed, and remove what is gone.

    Files of runs and small pictures are clones or hard links of helio's own, where the disk allows it. An interrupted
    build continues with the next one.

    Parameters
    ----------
    threads : int, optional
        Threads that make small pictures. Default: one for each processor.

    Raises
    ------
    OutputError
        The folder contains files that are not a gallery, or it cannot be written.
    """
    known = _manifest(folder)
    builder = _Builder(site, folder, known)
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1, "helio-thumbnail")
    try:
        builder.note()
        waiting = [address for address in site.files_named if not builder.has(address)]
        found = {address: pool.submit(site.source, address) for address in waiting}
        for address in (*site.pages, *site.files_named):
            builder.write(address, found.pop(address).result if address in found else lambda: None)
        gone = [address for address in known if address not in builder.written]
        for address in gone:
            _remove(folder, address)
            del builder.known[address]
    except OSError as error:
        raise unwritable(folder, error) from error
    finally:
        pool.shutdown(cancel_futures=True)
        builder.note()
    pages = len(site.pages)
    files = len(builder.written) - pages
    return Built(folder, pages, files, builder.count, len(gone), builder.copied, builder.reason)


class _Builder:
    """What a build has written so far."""

    def __init__(self, site: Site, folder: Path, known: dict[str, str]) -> None:
        self._site = site
        self._folder = folder
        self.known = dict(known)
        self.written: dict[str, str] = {}
        self.count = self.copied = 0
        self.reason = ""

    def has(self, address: str) -> bool:
        """Return whether an earlier build has written a page or file that is still right."""
        state = self._state_of(address)
        return bool(state) and self.known.get(address) == state and (self._folder / address).is_file()

    def write(self, address: str, source: Callable[[], Path | None]) -> None:
        """Write a page or file, unless it is there or its content is not there any more.

        Parameters
        ----------
        source : callable
            Gives the file to link to; None if there is only the content.
        """
        if not self.has(address):
            path = source()
            if path is not None:
                self._link(path, self._folder / address)
            else:
                content = self._site.content(address)
                if content is None:
                    return
                write_whole(self._folder / address, content.body, durable=False)
            self.count += 1
        self.written[address] = self._state_of(address)

    def note(self) -> None:
        """Write the list of what the folder contains."""
        manifest = Manifest({**self.known, **self.written})
        write_whole(self._folder / MANIFEST, (json.dumps(asdict(manifest), indent=0) + "\n").encode())

    def _link(self, source: Path, path: Path) -> None:
        reason = link_or_copy(source, path)
        self.copied += bool(reason)
        self.reason = reason or self.reason

    def _state_of(self, address: str) -> str:
        return self._site.state_of(address) if address in self._site.pages else address


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
