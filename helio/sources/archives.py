"""Who serves a fetch: the archive named for the run, else the provider that the step names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio.errors import RequestError
from helio.sources.cdf import CdfReader
from helio.sources.local import LocalArchive
from helio.sources.provider import Provider
from helio.sources.samples import sample_archive
from helio.store.file_digests import sha256_of

SAMPLE = "sample"


class Archives:
    """Opens each archive once, when it is first asked for.

    Parameters
    ----------
    reader : CdfReader
        Reads the files of all of them.
    archive : str
        ``"sample"`` or a folder, for every fetch of the run; ``""`` leaves the choice to the steps.
    sha256 : callable, optional
        Gives a file's digest; one that remembers saves reading large files in every run.
    """

    def __init__(
        self, reader: CdfReader, archive: str = "", *, sha256: Callable[[Path], str] = sha256_of
    ) -> None:
        self._reader = reader
        self._sha256 = sha256
        self._archive = archive
        self._opened: dict[str, Provider] = {}

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
        if name not in self._opened:
            self._opened[name] = self._open(name)
        return self._opened[name]

    @staticmethod
    def _served(provider: str) -> str:
        """A provider that a template may name; never a folder, which only the run itself can name."""
        if provider == SAMPLE:
            return provider
        raise RequestError(
            f"no provider is called '{provider}'" if provider else "nobody is named to serve the data",
            advice="--archive DIR or --archive sample",
        )

    def _open(self, name: str) -> Provider:
        if name == SAMPLE:
            return sample_archive(self._reader, self._sha256)
        return LocalArchive(Path(name).expanduser(), self._reader, sha256=self._sha256)
