"""NASA's archive CDAWeb: its REST service lists files, and helio downloads, caches and reads these files whole."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlsplit

from helio.errors import (
    NoData,
    Offline,
    Refused,
    UnknownDataset,
    did_you_mean,
)
from helio.sources.base import ONLINE, folder_name, whole_seconds
from helio.sources.cdf_guard import check_head
from helio.sources.downloads import CachedFile, FileRequest
from helio.sources.file_source import FileSource, RemoteFile, Span, one_file, proof_of, utc
from helio.sources.gather import GatheredTables, OneFile
from helio.sources.http import Http
from helio.sources.local import is_preliminary
from helio.sources.server_text import one_line, printable
from helio.sources.witness import Witness
from helio.store.records import InstantOrEmpty
from helio.store.source_file import SourceFile
from helio.time_range import TimeRange

log = logging.getLogger(__name__)

DATA_SERVICE = "CDAWeb data service"
PUB_URL = "https://spdf.gsfc.nasa.gov/pub/"
REST = "/WS/cdasr/1/dataviews/sp_phys/"

_KNOWN_DATASET = "AC_K2_MFI"
"""One of the oldest datasets of CDAWeb; helio's sample files include a file of this dataset."""
_KNOWN_DAY = TimeRange(datetime(2022, 1, 1), datetime(2022, 1, 2))
_HEAD = 512
"""Number of first bytes of a file that show whether the file is a CDF."""

_KeptSpans = dict[str, dict[str, InstantOrEmpty]]
"""Saved start and stop of each dataset, by dataset id."""


class CdaWeb(FileSource):
    """CDAWeb, NASA's archive of space physics data, as a source of data.

    The archive offers some parameters that no file contains, such as virtual variables that only the master CDF
    describes. CDAWeb's data service computes these; the sources of the table then name the service.

    References
    ----------
    CDAS REST web services, https://cdaweb.gsfc.nasa.gov/WebServices/REST/
    """

    title = "CDAWeb"
    address = "https://cdaweb.gsfc.nasa.gov"
    further_addresses = (address, PUB_URL)
    publisher = "NASA Space Physics Data Facility (SPDF), CDAWeb"
    listing = "rest"
    question = f"for the dataset {_KNOWN_DATASET} and the first bytes of a file"

    @classmethod
    def full_address(cls, url: str) -> str:
        """Return the URL of a server's REST service; a URL of a REST service stays unchanged.

        >>> CdaWeb.full_address("http://127.0.0.1:8080")
        'http://127.0.0.1:8080/WS/cdasr/1/dataviews/sp_phys/'

        Raises
        ------
        RequestError
            The text is not a URL.
        """
        plain = super().full_address(url)
        return f"{plain}/" if "/dataviews/" in urlsplit(plain).path else f"{plain}{REST}"

    @classmethod
    def folder_of_address(cls, url: str) -> str:
        """Return the cache folder for a server's address."""
        return folder_name(urlsplit(url).netloc)

    @classmethod
    def has_catalogued_ids(cls, name: str) -> bool:
        """Return True, because helio's catalogue lists the datasets of CDAWeb."""
        return True

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted; helio asks CDAWeb for this list once a day.

        Raises
        ------
        ServerUnavailable, RateLimited, Refused, Offline
        """
        return sorted(self._every_dataset())

    def list_files(self, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        """Ask the REST service which files hold records of the range."""
        url = files_url(self.url, dataset_id, time_range)
        _, reply = self.http.get_json(url, expected=(200, 404))
        return sorted(dict.fromkeys(self._described(reply, url)), key=lambda file: (file.start, file.name))

    def span_of(self, dataset_id: str) -> Span | None:
        """Return the first and last epoch of a dataset; None if CDAWeb has no such dataset."""
        if self.is_saved("datasets", _KeptSpans):
            return _span(self._every_dataset(), dataset_id)

        def ask() -> dict[str, dict[str, str]]:
            url = f"{self.url}datasets?id={quote(dataset_id, safe='')}"
            _, reply = self.http.get_json(url, expected=(200, 404))
            return _spans_of(reply)

        name = f"about/{dataset_id}"
        return _span(self.saved(name, ask, _KeptSpans, never_asked=self._never_asked(name)), dataset_id)

    def complete(
        self, dataset_id: str, gathered: GatheredTables, time_range: TimeRange, files: Sequence[OneFile]
    ) -> GatheredTables:
        """Ask CDAWeb's data service for the parameters that no file holds, if the service offers all of them."""
        offered = self._variables(dataset_id)
        for name, error in gathered.absent.items():
            if name not in offered:
                if not error.advice:
                    error.advice = did_you_mean(name, offered)
                raise error
        # each by itself: a computed file must not depend on other requested parameters
        computed = [self._compute(dataset_id, name, time_range, files) for name in gathered.absent]
        tables = {name: table for part in computed for name, table in part.tables.items()}
        empty = (name for part in computed for name in part.empty)
        return GatheredTables(gathered.tables | tables, empty=(*gathered.empty, *empty))

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Request the files of a dataset that certainly exists, and the first bytes of one of its files."""
        url_of_dataset = f"{url}datasets?id={_KNOWN_DATASET}"
        if _KNOWN_DATASET not in _spans_of(witness.json(http, url_of_dataset)):
            raise UnknownDataset(
                f"{urlsplit(url_of_dataset).hostname} does not list the dataset {_KNOWN_DATASET}",
                advice="check the address of the server in HELIO_CDAWEB_URL",
                place=url_of_dataset,
            )
        url_of_dataset = files_url(url, _KNOWN_DATASET, _KNOWN_DAY)
        files = [file.url for file in listed_files(witness.json(http, url_of_dataset), url_of_dataset)]
        if not files:
            raise NoData(
                f"{_KNOWN_DATASET} has no file for {_KNOWN_DAY.start:%Y-%m-%d}",
                advice="try again later",
                place=url_of_dataset,
            )
        http.refuse_foreign(files[0], f"a listing of {urlsplit(url).netloc}")
        name = files[0].rpartition("/")[2]
        check_head(witness.first_bytes(http, files[0], _HEAD), name, files[0])
        return f"the archive has the dataset {_KNOWN_DATASET}, and its file {name} is a valid CDF"

    def _described(self, reply: Any, url: str) -> Iterator[RemoteFile]:
        """Return the files that a reply lists, after checking that this provider keeps files on their hosts."""
        for file in listed_files(reply, url):
            self.refuse_foreign([file.url], url)
            yield file

    def _every_dataset(self) -> dict[str, dict[str, str]]:
        """Start and stop of each dataset, as ISO 8601 texts, or empty if unknown."""

        def ask() -> dict[str, dict[str, str]]:
            _, reply = self.http.get_json(f"{self.url}datasets")
            return _spans_of(reply)

        every: dict[str, dict[str, str]] = self.saved(
            "datasets", ask, _KeptSpans, never_asked=self._never_asked("datasets")
        )
        return every

    def _variables(self, dataset_id: str) -> list[str]:
        """Return the names of the parameters that the archive offers for a dataset."""

        def ask() -> list[str]:
            url = f"{self.url}datasets/{quote(dataset_id, safe='')}/variables"
            _, reply = self.http.get_json(url, expected=(200, 404))
            return [
                str(variable["Name"])
                for variable in _list_of(reply, "VariableDescription")
                if "Name" in variable
            ]

        name = f"variables/{dataset_id}"
        names: list[str] = self.saved(name, ask, list[str], never_asked=self._never_asked(name))
        return names

    def _never_asked(self, name: str) -> str:
        return f"helio is offline, and the reply '{name}' of {self.title} is not cached"

    # What the archive computes

    def _compute(
        self, dataset_id: str, name: str, time_range: TimeRange, files: Sequence[OneFile]
    ) -> GatheredTables:
        url = (
            f"{self.url}datasets/{quote(dataset_id, safe='')}/data/{whole_seconds(time_range)}/"
            f"{quote(name, safe='')}?format=cdf"
        )
        # the name changes when one of its source files changes: the result is then computed again
        made_from = hashlib.sha256(
            "\n".join([url, *(file.source.identity for file in files)]).encode()
        ).hexdigest()
        source = SourceFile(
            dataset_id=dataset_id,
            file="",
            provider=DATA_SERVICE,
            preliminary=is_preliminary(dataset_id),
            url=url,
            reply=True,
        )
        read = [
            one_file(cached, replace(source, file=cached.path.name, proof=proof_of(cached, 0)))
            for cached in self._made(dataset_id, url, made_from, time_range, name)
        ]
        gathered = self.gathered(read, [name], time_range)
        for error in gathered.absent.values():
            raise error
        note = "computed by CDAWeb's data service, because no file holds it"
        tables = {}
        for parameter, table in gathered.tables.items():
            # the service writes another file each time, with the date in it: the numbers are what it answered
            digits = table.digest().removeprefix("sha256:")
            sources = tuple(replace(source, sha256=digits) for source in table.sources)
            tables[parameter] = replace(table, sources=sources, notes=(*table.notes, note))
        return replace(gathered, tables=tables)

    def _made(
        self, dataset_id: str, url: str, made_from: str, time_range: TimeRange, name: str
    ) -> list[CachedFile]:
        folder = f"{self.folder}/computed/{dataset_id}/{made_from[:32]}"
        saved = self.replies.load(folder, list[RemoteFile])
        if saved is not None and not self.refresh:
            requests = _wanted_made(saved.content, folder, made_from)
            cached = [held for file in requests if (held := self.downloads.find(file)) is not None]
            if len(cached) == len(requests):
                return cached
        if self.offline:
            raise Offline(
                f"helio is offline, and the file that {self.title} computes for {dataset_id} is not cached",
                advice=ONLINE,
            )
        _, reply = self.http.get_json(url, expected=(200, 404))
        listed = list(self._described(reply, url))
        if not listed:
            raise NoData(
                f"{self.title} returns no data of {name} of {dataset_id} for {time_range}", place=url
            )
        self.replies.save(folder, [asdict(file) for file in listed])
        return self.downloads.get(_wanted_made(listed, folder, made_from))


def _wanted_made(listed: Sequence[RemoteFile], folder: str, made_from: str) -> list[FileRequest]:
    # the service names what it makes by chance; here, and in the records of runs, it is known by what it is made from
    return [
        FileRequest(file.url, file.size, made_from, f"{folder}/{made_from}-{number}.cdf")
        for number, file in enumerate(listed, 1)
    ]


def files_url(rest: str, dataset_id: str, time_range: TimeRange) -> str:
    """Return the URL at which the REST service lists the files of a range."""
    return f"{rest}datasets/{quote(dataset_id, safe='')}/orig_data/{whole_seconds(time_range)}"


def listed_files(reply: Any, url: str) -> Iterator[RemoteFile]:
    """Return the files that a reply of the REST service lists.

    Raises
    ------
    Refused
        A listed file has no URL from which it can be downloaded.
    """
    for entry in _list_of(reply, "FileDescription"):
        name = entry.get("Name")
        if not isinstance(name, str) or not _may_be_url(name):
            raise Refused(
                f"{urlsplit(url).netloc} lists '{one_line(name)}', which is not a valid address of a file",
                place=url,
            )
        start, stop = _span_in(entry, "StartTime", "EndTime")
        yield RemoteFile(
            url=name,
            size=_size_in(entry),
            last_modified=printable(str(entry.get("LastModified", ""))),
            start=start,
            stop=stop,
        )


def _may_be_url(name: str) -> bool:
    try:
        parts = urlsplit(name)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and name.isprintable()
        )
    except ValueError:  # a port or an address that is none
        return False


def _size_in(entry: Mapping[str, Any]) -> int:
    """Return the size of a listed file in bytes; 0 if the archive gives no size or an impossible size."""
    given = entry.get("Length", 0)
    if re.fullmatch(r"[0-9]{1,15}", str(given)):
        return int(given)
    log.warning(
        "%s is listed with the size %s; helio treats its size as unknown",
        one_line(entry.get("Name")),
        one_line(given, 40),
    )
    return 0


def _span_in(entry: Mapping[str, Any], first: str, last: str) -> tuple[str, str]:
    """Return start and stop as the archive writes them; both are empty if one is not a time, or if the start is
    after the stop.
    """
    start, stop = (str(entry.get(name) or "") for name in (first, last))
    if not start and not stop:
        return "", ""
    try:
        if utc(start) <= utc(stop):
            return start, stop
    except ValueError:
        pass
    log.warning(
        "an entry is listed with the invalid span '%s' to '%s'; helio ignores the span",
        one_line(start, 40),
        one_line(stop, 40),
    )
    return "", ""


def _list_of(reply: Any, element: str) -> list[dict[str, Any]]:
    """Return the elements of a list in a reply; the service writes a single element without a list."""
    listed = reply.get(element) if isinstance(reply, dict) else None
    every = listed if isinstance(listed, list) else [listed]
    return [record for record in every if isinstance(record, dict)]


def _spans_of(reply: Any) -> dict[str, dict[str, str]]:
    spans = {}
    for record in _list_of(reply, "DatasetDescription"):
        interval = record.get("TimeInterval")
        start, stop = _span_in(interval, "Start", "End") if isinstance(interval, dict) else ("", "")
        spans[str(record.get("Id", ""))] = {"start": start, "stop": stop}
    return spans


def _span(spans: Mapping[str, Mapping[str, str]], dataset_id: str) -> Span | None:
    return Span(**spans[dataset_id]) if dataset_id in spans else None
