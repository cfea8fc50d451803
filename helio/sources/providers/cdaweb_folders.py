"""CDAWeb's files, found on the web pages of its folders, for times when the REST service does not work."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urljoin, urlsplit
from xml.parsers.expat import ExpatError, ParserCreate

from helio.errors import ServerUnavailable
from helio.sources.file_source import RemoteFile
from helio.sources.folder_listing import folders_between
from helio.sources.providers.cdaweb import PUB_URL, CdaWeb
from helio.time_range import TimeRange


class CdaWebFolders(CdaWeb):
    """CDAWeb, asked through the web pages of its folders; helio uses these pages only if the user or a step names this
    source.

    The folders are those of SPDF, or of another server that the user names.
    """

    listing = "folders"
    question = ""

    @property
    def name(self) -> str:
        """Name of the source in records of runs and in footers of figures."""
        return f"{self.title} folders"

    def list_files(self, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        """Read the web pages of the folders that may hold files of the range, and return these files."""
        about = self._folders().get(dataset_id)
        if about is None:
            return []
        return self.files_in_folders(
            folders_between(about["url"], about["subdividedby"], time_range), time_range
        )

    def _folders(self) -> dict[str, dict[str, str]]:
        """Return the folder of each dataset, from CDAWeb's catalogue of all datasets."""
        own = self.url == self.full_address(self.address)
        url = urljoin(PUB_URL if own else urljoin(self.url, "/pub/"), "catalogs/all.xml")

        def ask() -> dict[str, dict[str, str]]:
            reply = self.http.get(url, accept="text/xml, application/xml")
            try:
                return _folders_in(reply.content)
            except ExpatError as error:
                raise ServerUnavailable(
                    f"the catalogue of {urlsplit(url).netloc} is invalid: {error}", place=url
                ) from error

        every: dict[str, dict[str, str]] = self.saved(
            "folders", ask, dict[str, dict[str, str]], never_asked=self._never_asked("folders")
        )
        return every


def _folders_in(catalogue: bytes) -> dict[str, dict[str, str]]:
    """Return the folder of each dataset and how the folder is divided, from the catalogue of all datasets.

    helio keeps only the needed parts of the catalogue. It refuses XML entities, because a few of them can make a
    document endless.

    Raises
    ------
    ExpatError
        The catalogue is not XML, or declares entities.
    """
    folders: dict[str, dict[str, str]] = {}
    dataset, divided = "", "None"
    url: list[str] | None = None

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal dataset, divided, url
        if tag.endswith("dataset"):
            dataset = attributes.get("serviceprovider_ID", "")
        elif tag.endswith("access"):
            divided = attributes.get("subdividedby", "None")
        elif tag.endswith("URL"):
            url = []

    def end(tag: str) -> None:
        nonlocal url
        if tag.endswith("URL") and url is not None:
            folder, url = "".join(url).strip(), None
            if folder:
                folders[dataset] = {"url": folder.rstrip("/") + "/", "subdividedby": divided}

    def text(part: str) -> None:
        if url is not None:
            url.append(part)

    def entity(name: str, *_: object) -> None:
        raise ExpatError(f"it declares the entity {name}, which helio does not allow")

    parser = ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = text, entity
    parser.Parse(catalogue, True)
    return folders
