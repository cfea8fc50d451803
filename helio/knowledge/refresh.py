"""Renew the catalogue from CDAWeb: datasets from a REST service, parameters from master CDFs.

References: CDAS REST, https://cdaweb.gsfc.nasa.gov/WebServices/REST/; master CDFs,
https://cdaweb.gsfc.nasa.gov/pub/software/cdawlib/0MASTERS/.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from helio.errors import DamagedFile, DataError, Refused, ServerUnavailable
from helio.knowledge.catalogue import Catalogue, open_catalogue, read_time, renewed_path, time_text
from helio.knowledge.catalogue_file import CatalogueDataset, CatalogueParameter, encode
from helio.knowledge.clean import clean_text, split_title
from helio.knowledge.masters import read_masters
from helio.sources.registry import BY_CATALOGUE, source_class
from helio.store.files import write_whole

if TYPE_CHECKING:
    from helio.sources.http import Http

_MASTER = "/pub/software/cdawlib/0MASTERS/{id}_00000000_v01.cdf"
_SHARE = 0.5
"""A reply that lists fewer datasets than this share of those in the catalogue is incomplete."""


@dataclass(frozen=True)
class Renewal:
    """What a renewal of the catalogue has changed.

    Parameters
    ----------
    added, gone : tuple of str
        Ids that are new in CDAWeb, and ids that CDAWeb no longer lists.
    described : tuple of str
        Datasets whose parameters were read from their master CDF.
    undescribed : tuple of str
        Datasets whose master CDF could not be downloaded or read.
    """

    path: Path
    as_of: datetime
    datasets: int
    added: tuple[str, ...]
    gone: tuple[str, ...]
    described: tuple[str, ...]
    undescribed: tuple[str, ...]


def known_so_far(home: Path) -> Catalogue:
    """Return the catalogue to renew: what `open_catalogue` finds; if that is damaged, the one in helio's package."""
    try:
        return open_catalogue(home)
    except DamagedFile:
        return Catalogue()


def renew(
    before: Catalogue,
    home: Path,
    http: Http,
    *,
    now: datetime,
    server: str = "",
    masters: str = "",
) -> Renewal:
    """Request all datasets from CDAWeb, read missing master CDFs, and save the catalogue in helio's home folder.

    Known parameters and units are kept. Master CDFs are read only for datasets without a description, and for those
    whose id matches `masters`.

    Parameters
    ----------
    before : Catalogue
        The catalogue to renew.
    now : datetime
        UTC; becomes the catalogue's date.
    server : str
        Another server than the archive's own.
    masters : str
        A pattern of ids, ``AC_*``, or ``*`` for all, which are some 2,900 files.

    Raises
    ------
    DataError
        The service does not answer, or its reply is not the list of datasets; nothing is written then.
    """
    archive = source_class(BY_CATALOGUE)
    service = archive.full_address(server or archive.address)
    http = http.at(service, by_user=bool(server))
    url = f"{service}datasets"
    _, reply = http.get_json(url)
    listed = _listed(reply, url)
    if len(listed) < _SHARE * len(before):
        raise ServerUnavailable(
            f"CDAWeb's reply lists only {len(listed)} of {len(before)} known datasets",
            advice="try again later; the catalogue is unchanged",
            place=url,
        )
    known = {dataset.id: dataset for dataset in before.facts()}
    merged = [
        replace(dataset, parameters=known[dataset.id].parameters if dataset.id in known else ())
        for dataset in listed.values()
    ]
    wanted_masters = [
        dataset.id
        for dataset in merged
        if (masters and fnmatchcase(dataset.id.upper(), masters.upper())) or dataset.id not in known
    ]
    described = _described(wanted_masters, service, http)
    merged = [
        replace(dataset, parameters=described.get(dataset.id, dataset.parameters)) for dataset in merged
    ]
    path = renewed_path(home)
    write_whole(path, encode(merged, as_of=now, sources=[f"CDAWeb, {url}", *before.sources]))
    return Renewal(
        path,
        now,
        len(merged),
        tuple(sorted(listed.keys() - known.keys())),
        tuple(sorted(known.keys() - listed.keys())),
        tuple(sorted(described)),
        tuple(sorted(set(wanted_masters) - described.keys())),
    )


def _listed(reply: Any, url: str) -> dict[str, CatalogueDataset]:
    """Read the datasets from CDAWeb's reply; entries without an id are left out."""
    rows = reply.get("DatasetDescription") if isinstance(reply, Mapping) else None
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise Refused("CDAWeb's reply is not a list of datasets", place=url)
    datasets: dict[str, CatalogueDataset] = {}
    for row in rows:
        if not isinstance(row, Mapping) or not row.get("Id"):
            continue
        span = row.get("TimeInterval") or {}
        pi = clean_text(_first(row.get("PiName")))
        title, affiliation = split_title(clean_text(_first(row.get("Label"))), pi)
        dataset_id = clean_text(_first(row["Id"]))
        datasets[dataset_id] = CatalogueDataset(
            id=dataset_id,
            group=clean_text(_first(row.get("ObservatoryGroup"))),
            instrument_type=clean_text(_first(row.get("InstrumentType"))),
            title=title,
            first=_second(span.get("Start")),
            last=_second(span.get("End")),
            doi=_first(row.get("Doi")).removeprefix("https://doi.org/").removeprefix("doi:").strip(),
            pi=pi,
            affiliation=affiliation or clean_text(_first(row.get("PiAffiliation"))),
            parameters=(),
        )
    return datasets


def _described(ids: Iterable[str], service: str, http: Http) -> dict[str, Sequence[CatalogueParameter]]:
    """Return the parameters of each dataset whose master CDF the server has."""
    from helio.sources.transfers import together  # what reading the catalogue does without

    with tempfile.TemporaryDirectory(prefix="helio-masters-") as folder:

        def download(dataset_id: str) -> tuple[str, Path] | None:
            url = urljoin(service, _MASTER.format(id=dataset_id.lower()))
            path = Path(folder) / f"{dataset_id.lower().replace('/', '_')}.cdf"
            try:
                reply = http.get(url, expected=(200, 404))
            except DataError:
                return None  # reported as undescribed; the list of datasets is useful without it
            if reply.status == 404:
                return None
            path.write_bytes(reply.content)
            return dataset_id, path

        tasks = [partial(download, dataset_id) for dataset_id in ids]
        paths_by_id = dict(entry for entry in together(http, tasks) if entry)
        read: dict[Path, list[CatalogueParameter]] = {}
        paths = list(paths_by_id.values())
        for start in range(0, len(paths), 100):
            read.update(read_masters(paths[start : start + 100]))
        return {dataset_id: read[path] for dataset_id, path in paths_by_id.items() if read.get(path)}


def _first(value: Any) -> str:
    """Return a value as text; the service gives either a single value or a list, of which the first is used."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = value[0] if value else ""
    return str(value or "")


def _second(text: Any) -> str:
    try:
        return time_text(read_time(_first(text)))
    except ValueError:
        return ""
