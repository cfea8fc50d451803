"""Selection of the provider for each fetch: the archive chosen for the run, otherwise the provider named in the
step.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.clock import Clock
from helio.errors import RequestError, closest
from helio.settings import NetworkLimits, Settings
from helio.sources.allowance import MAX_DOWNLOAD, Allowance
from helio.sources.cdf import CdfReader
from helio.sources.cited_as import Citations, CitedProvider
from helio.sources.file_digests import FileDigests
from helio.sources.local import LocalArchive
from helio.sources.provider import Listings, Provider
from helio.sources.registry import (
    BY_ADDRESS,
    SAMPLE,
    archive_of,
    choices,
    family_of,
    is_url,
    names,
    server_named,
    source_class,
)
from helio.sources.samples import sample_archive
from helio.store.files import is_folder_there, user_path

if TYPE_CHECKING:
    from helio.sources.base import Source
    from helio.sources.http import Http
    from helio.sources.transfers import Progress

_HURRY = 5.0
"""Seconds to wait for a connection when helio can continue without the reply."""


def archive_named(archive: str) -> str:
    """Return a provider's name in lower case; return anything else, such as a folder, unchanged.

    >>> archive_named("CDAWeb"), archive_named("./mine")
    ('cdaweb', './mine')
    """
    folded = archive.strip().casefold()
    return folded if folded in names() and not is_folder_there(user_path(archive)) else archive


def is_folder(archive: str) -> bool:
    """Return whether the archive of a run is a folder: neither empty nor the name or URL of a provider."""
    return bool(archive) and archive not in names() and not family_of(archive) and not is_url(archive)


def absolute_archive(archive: str) -> str:
    """Return a folder as an absolute path; return any other archive unchanged."""
    folder = user_path(archive)
    return str(folder.absolute()) if archive and is_folder_there(folder) else archive


@dataclass(frozen=True)
class Access:
    """Rules for using the network in a run.

    Parameters
    ----------
    max_download : int or None
        Number of bytes that the run may download; None sets no limit.
    offline : bool
        Work offline: use only the cache.
    refresh : bool
        Request data again although they are in the cache.
    ask_again : bool
        Ask servers for their lists of files again, of any age, but download no data for this.
    impatient : bool
        Try each request once, and give up early a server that cannot be reached.
    listed : Listings
        Known files, for which helio does not ask the archive for a listing.
    cited : Citations
        Files to cite as an earlier record cites them, whichever provider gives them.
    on_progress : callable
        Called with the progress of downloads, from several threads.
    ledger : Path, optional
        File that counts the downloaded bytes of several runs together (`Allowance`).
    """

    max_download: int | None = MAX_DOWNLOAD
    offline: bool = False
    refresh: bool = False
    ask_again: bool = False
    impatient: bool = False
    listed: Listings = field(default_factory=dict)
    cited: Citations = field(default_factory=dict)
    on_progress: Callable[[Progress], None] = lambda progress: None
    ledger: Path | None = None


def archives_of(
    settings: Settings, reader: CdfReader, archive: str = "", access: Access | None = None
) -> Archives:
    """Make the `Archives` of a run, with the cache and the saved file digests in helio's home folder."""
    return Archives(
        reader,
        archive,
        digests=FileDigests(settings.home / "file-digests"),
        cache=settings.home / "files",
        addresses=settings.addresses,
        servers=settings.servers,
        limits=settings.network,
        clock=settings.clock,
        access=access,
    )


def open_folder(archive: str, settings: Settings) -> None:
    """Check that an archive given as a folder is a folder that can be read.

    Raises
    ------
    RequestError
    """
    if is_folder(archive):
        with CdfReader() as reader:
            archives_of(settings, reader, archive).open_named()


class Archives:
    """All archives (providers and folders) of a run; each archive is opened at its first use.

    Parameters
    ----------
    reader : CdfReader
        Reads the files of all archives.
    archive : str
        A provider's name, the URL of a HAPI server, or a folder, for every fetch of the run; ``""`` leaves the choice
        to the steps.
    digests : FileDigests, optional
        Gives the digest of a file; if this object saves digests, a run need not read large files again.
    cache : Path, optional
        Folder of the cache; without a folder, nothing can be downloaded.
    addresses : mapping of str to str, optional
        Addresses to use instead of the archives' own addresses, by name of the archive.
    servers : mapping, optional
        For each source with many servers, such as ``hapi``, the URLs of further servers by name.
    limits : NetworkLimits, optional
        Limits on the size and the slowness of replies.
    clock : Clock, optional
    access : Access, optional
        Rules for using the network.
    """

    def __init__(
        self,
        reader: CdfReader,
        archive: str = "",
        *,
        digests: FileDigests | None = None,
        cache: Path | None = None,
        addresses: Mapping[str, str] | None = None,
        servers: Mapping[str, Mapping[str, str]] | None = None,
        limits: NetworkLimits | None = None,
        clock: Clock | None = None,
        access: Access | None = None,
    ) -> None:
        self._reader = reader
        self._digests = digests or FileDigests()
        self._archive = archive
        self._cache = cache
        self._addresses = addresses or {}
        self._servers = servers or {}
        self._limits = limits
        self._clock = clock
        self._access = access or Access()
        self._allowance = Allowance(self._access.max_download, self._access.ledger)
        self._lock = threading.Lock()
        self._opened: dict[str, Provider] = {}
        self._client: Http | None = None
        self._cancelled = False

    def open_named(self) -> None:
        """Open the archive chosen for the run, if the user chose one.

        Raises
        ------
        RequestError
            The archive is not a folder, or the folder cannot be read.
        """
        if self._archive:
            self.choose("")

    def choose(self, provider: str) -> Provider:
        """Return the provider for a step; an empty name means that the step names no provider."""
        name = self._archive or self._served(provider)
        if family_of(name):
            name = name.casefold()  # capital letters count for nothing: one server, one client
        with self._lock:
            if name not in self._opened:
                opened = self._open(name)
                self._opened[name] = (
                    CitedProvider(opened, self._access.cited) if self._access.cited else opened
                )
            return self._opened[name]

    def cancel(self) -> None:
        """Cancel all requests and downloads, and refuse new ones; waiting callers get `Cancelled`."""
        with self._lock:
            self._cancelled = True
            client = self._client
        if client is not None:
            client.cancel()

    def _http(self) -> Http:
        """Return the HTTP client that all providers of the run share. The caller must hold the lock."""
        if self._client is None:
            # what a run without the network does without
            from helio.sources.host_places import HostPlaces
            from helio.sources.http import CONNECTIONS_PER_HOST, Http

            places = HostPlaces(self._cache / "hosts", CONNECTIONS_PER_HOST) if self._cache else None
            hurry: dict[str, Any] = {"attempts": 1, "connecting": _HURRY} if self._access.impatient else {}
            self._client = Http(places=places, limits=self._limits, clock=self._clock, **hurry)
            if self._cancelled:
                self._client.cancel()
        return self._client

    @staticmethod
    def _served(provider: str) -> str:
        """Return a provider that a template may name: never a folder or a URL, because only the user of the run may
        choose these.
        """
        if provider in names() or family_of(provider):
            return provider
        raise RequestError(
            f"no provider is called '{provider}'" if provider else "no data provider was given",
            advice=f"choose a provider ({choices()}), or use --archive DIR",
        )

    def _open(self, name: str) -> Provider:
        if name == SAMPLE:
            return sample_archive(self._reader, self._digests)
        if name in names():
            return self._source(name, url=self._addresses.get(archive_of(name), ""))
        if family := family_of(name):
            server, url = server_named(name, self._servers)
            return self._source(family, url=url, server=server)
        if is_url(name):
            return self._source(BY_ADDRESS, url=name)
        folder = user_path(name)
        close = () if os.path.exists(folder) or folder.name != name else closest(name, names())
        if close:
            raise RequestError(
                f"the archive '{name}' is neither a folder nor a provider",
                advice=f"did you mean {' or '.join(map(repr, close))}?",
            )
        return LocalArchive(folder, self._reader, digests=self._digests)

    def _source(self, name: str, *, url: str, server: str = "") -> Source:
        return source_class(name)(
            self._folder(),
            self._http(),
            url=url,
            server=server,
            reader=self._reader,
            digests=self._digests,
            limit=self._allowance,
            offline=self._access.offline,
            refresh=self._access.refresh,
            ask_again=self._access.ask_again,
            listed=self._access.listed,
            on_progress=self._access.on_progress,
        )

    def _folder(self) -> Path:
        """Return the cache folder for the replies and files of servers."""
        if self._cache is None:
            raise RequestError(
                "replies of servers cannot be stored: no cache folder is set",
                advice="set HELIO_HOME to a folder",
            )
        return self._cache
