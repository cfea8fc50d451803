"""Who serves a fetch: the archive named for the run, else the provider that the step names."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from helio.errors import RequestError, closest
from helio.settings import NetworkLimits, Settings
from helio.sources.allowance import MAX_DOWNLOAD, Allowance
from helio.sources.cdf import CdfReader
from helio.sources.cited_as import Citations, CitedAs
from helio.sources.file_digests import FileDigests
from helio.sources.hapi_servers import is_hapi, is_url, server_named
from helio.sources.local import LocalArchive
from helio.sources.provider import Listings, Provider
from helio.sources.samples import sample_archive
from helio.store.files import is_folder_there, user_path

if TYPE_CHECKING:
    from helio.sources.cdaweb import CdaWeb
    from helio.sources.downloads import Progress
    from helio.sources.hapi import Hapi
    from helio.sources.http import Http
    from helio.sources.swpc import Swpc

SAMPLE = "sample"
CDAWEB = "cdaweb"
CDAWEB_FOLDERS = "cdaweb-folders"
"""CDAWeb's files as the listings of its folders name them, for when its REST service does not."""
SWPC = "swpc"
SERVED = (SAMPLE, CDAWEB, CDAWEB_FOLDERS, SWPC)
"""Providers that a step may name itself."""

_HURRY = 5.0
"""Seconds for a connection where whoever asks can do without the answer."""


def archive_named(archive: str) -> str:
    """The archive that a person names; capital letters count for nothing, unless there is a folder of that name.

    >>> archive_named("CDAWeb"), archive_named("./mine")
    ('cdaweb', './mine')
    """
    folded = archive.strip().casefold()
    return folded if folded in SERVED and not is_folder_there(user_path(archive)) else archive


def is_folder(archive: str) -> bool:
    """Whether the archive of a run is a folder, not a provider's name or address and not left to the steps."""
    return bool(archive) and archive not in SERVED and not is_hapi(archive) and not is_url(archive)


def absolute_archive(archive: str) -> str:
    """An archive as another folder of work would name it."""
    folder = user_path(archive)
    return str(folder.absolute()) if archive and is_folder_there(folder) else archive


@dataclass(frozen=True)
class Access:
    """How the network may be used.

    Parameters
    ----------
    max_download : int or None
        Bytes that the run may download.
    offline : bool
        Ask nobody: use what is kept.
    refresh : bool
        Ask again what is kept already.
    impatient : bool
        Try each request once, and give up early a server that cannot be reached.
    listed : Listings
        Files that are known, so that their archive is not asked which there are.
    cited : Citations
        Files that are cited as a record cites them, whoever serves them.
    told : callable
        Is told the progress of downloads, from several threads.
    """

    max_download: int | None = MAX_DOWNLOAD
    offline: bool = False
    refresh: bool = False
    impatient: bool = False
    listed: Listings = field(default_factory=dict)
    cited: Citations = field(default_factory=dict)
    told: Callable[[Progress], None] = lambda progress: None


def archives_of(
    settings: Settings, reader: CdfReader, archive: str = "", access: Access | None = None
) -> Archives:
    """The archives of a run, with what is remembered and kept in the home."""
    access = access or Access()
    return Archives(
        reader,
        archive,
        digests=FileDigests(settings.home / "file-digests"),
        cache=settings.home / "files",
        cdaweb_url=settings.cdaweb_url,
        swpc_url=settings.swpc_url,
        hapi_servers=settings.hapi_servers,
        limits=settings.network,
        max_download=access.max_download,
        offline=access.offline,
        refresh=access.refresh,
        impatient=access.impatient,
        listed=access.listed,
        cited=access.cited,
        told=access.told,
    )


def open_folder(archive: str, settings: Settings) -> None:
    """Refuse an archive that would be a folder and is none.

    Raises
    ------
    RequestError
    """
    if is_folder(archive):
        with CdfReader() as reader:
            archives_of(settings, reader, archive).open_named()


class Archives:
    """Opens each archive once, when it is first asked for.

    Parameters
    ----------
    reader : CdfReader
        Reads the files of all of them.
    archive : str
        A provider of `SERVED`, ``hapi:NAME``, the URL of a HAPI server, or a folder, for every fetch of the run;
        ``""`` leaves the choice to the steps.
    digests : FileDigests, optional
        Gives a file's digest; one that remembers saves reading large files in every run.
    cache : Path, optional
        Where what is downloaded is kept; without it nothing can be.
    cdaweb_url : str, optional
        Another server than NASA's.
    swpc_url : str, optional
        Another server than NOAA's.
    hapi_servers : mapping of str to str, optional
        URLs of HAPI servers by name, beside those that are known.
    limits : NetworkLimits, optional
        How much and how slowly a server may send.
    max_download : int or None, optional
        Bytes that the run may download.
    offline : bool
        Ask nobody: use what is kept.
    refresh : bool
        Ask again what is kept already.
    impatient : bool
        Try each request once, and give up early a server that cannot be reached.
    listed : Listings, optional
        Files that are known, so that their archive is not asked which there are.
    cited : Citations, optional
        Files that are cited as a record cites them, whoever serves them.
    told : callable, optional
        Is told the progress of downloads.
    """

    def __init__(
        self,
        reader: CdfReader,
        archive: str = "",
        *,
        digests: FileDigests | None = None,
        cache: Path | None = None,
        cdaweb_url: str = "",
        swpc_url: str = "",
        hapi_servers: Mapping[str, str] | None = None,
        limits: NetworkLimits | None = None,
        max_download: int | None = MAX_DOWNLOAD,
        offline: bool = False,
        refresh: bool = False,
        impatient: bool = False,
        listed: Listings | None = None,
        cited: Citations | None = None,
        told: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._reader = reader
        self._digests = digests or FileDigests()
        self._archive = archive
        self._cache = cache
        self._cdaweb_url = cdaweb_url
        self._swpc_url = swpc_url
        self._hapi_servers = hapi_servers or {}
        self._limits = limits
        self._allowance = Allowance(max_download)
        self._offline = offline
        self._refresh = refresh
        self._impatient = impatient
        self._listed = listed or {}
        self._cited = cited or {}
        self._told = told
        self._lock = threading.Lock()
        self._opened: dict[str, Provider] = {}
        self._client: Http | None = None
        self._cancelled = False

    def open_named(self) -> None:
        """Open the archive named for the run, if one is.

        Raises
        ------
        RequestError
            It is not a folder that can be read.
        """
        if self._archive:
            self.choose("")

    def choose(self, provider: str) -> Provider:
        """The provider for a step that names `provider`, or names none with ``""``."""
        name = self._archive or self._served(provider)
        if is_hapi(name):
            name = name.casefold()  # capital letters count for nothing: one server, one client
        with self._lock:
            if name not in self._opened:
                opened = self._open(name)
                self._opened[name] = CitedAs(opened, self._cited) if self._cited else opened
            return self._opened[name]

    def cancel(self) -> None:
        """End all that is being asked or downloaded, and ask nobody any more; whoever waits gets `Cancelled`."""
        with self._lock:
            self._cancelled = True
            client = self._client
        if client is not None:
            client.cancel()

    def _http(self) -> Http:
        """The client of all providers of the run; called with the lock held."""
        if self._client is None:
            # what a run without the network does without
            from helio.sources.host_places import HostPlaces
            from helio.sources.http import CONNECTIONS_PER_HOST, Http

            places = HostPlaces(self._cache / "hosts", CONNECTIONS_PER_HOST) if self._cache else None
            hurry: dict[str, Any] = {"attempts": 1, "connecting": _HURRY} if self._impatient else {}
            self._client = Http(places=places, limits=self._limits, **hurry)
            if self._cancelled:
                self._client.cancel()
        return self._client

    @staticmethod
    def _served(provider: str) -> str:
        """A provider that a template may name; never a folder or a URL, which only the run itself can name."""
        if provider in SERVED or is_hapi(provider):
            return provider
        raise RequestError(
            f"no provider is called '{provider}'" if provider else "nobody is named to serve the data",
            advice=f"a provider: {', '.join(SERVED)}, hapi:NAME; or --archive DIR",
        )

    def _open(self, name: str) -> Provider:
        if name == SAMPLE:
            return sample_archive(self._reader, self._digests)
        if name == CDAWEB:
            return self._cdaweb("rest")
        if name == CDAWEB_FOLDERS:
            return self._cdaweb("folders")
        if name == SWPC:
            return self._swpc()
        if is_hapi(name):
            return self._hapi(*server_named(name, self._hapi_servers))
        if is_url(name):
            return self._hapi("", name)
        folder = user_path(name)
        close = () if os.path.exists(folder) or folder.name != name else closest(name, SERVED)
        if close:
            raise RequestError(
                f"the archive {name} does not exist, neither as a folder nor as a provider",
                advice=f"did you mean {' or '.join(map(repr, close))}?",
            )
        return LocalArchive(folder, self._reader, digests=self._digests)

    def _cdaweb(self, way_in: Literal["rest", "folders"]) -> CdaWeb:
        from helio.sources.cdaweb import CdaWeb  # what a run without the network does without

        return CdaWeb(
            self._reader,
            self._folder(),
            self._http(),
            url=self._cdaweb_url,
            way_in=way_in,
            digests=self._digests,
            limit=self._allowance,
            offline=self._offline,
            refresh=self._refresh,
            listed=self._listed,
            told=self._told,
        )

    def _swpc(self) -> Swpc:
        from helio.sources.swpc import Swpc

        return Swpc(
            self._folder(),
            self._http(),
            url=self._swpc_url,
            limit=self._allowance,
            offline=self._offline,
            refresh=self._refresh,
            told=self._told,
        )

    def _hapi(self, server: str, url: str) -> Hapi:
        from helio.sources.hapi import Hapi

        return Hapi(
            url,
            self._folder(),
            self._http(),
            server=server,
            digests=self._digests,
            limit=self._allowance,
            offline=self._offline,
            refresh=self._refresh,
            told=self._told,
        )

    def _folder(self) -> Path:
        """Where what servers send is kept."""
        if self._cache is None:
            raise RequestError("there is no folder for what servers send", advice="name one in HELIO_HOME")
        return self._cache
