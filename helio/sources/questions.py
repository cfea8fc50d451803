"""One small question for each source, whose right answer is known: for the first contact with real servers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from helio.errors import DamagedFile, NoData, UnknownDataset
from helio.settings import Settings
from helio.sources import cdaweb, swpc
from helio.sources.answer import Answer
from helio.sources.cdf_guard import check_head
from helio.sources.connection import Certificate, ahead_of
from helio.sources.hapi_reply import OK, status_in
from helio.sources.hapi_servers import PREFIX, every_server, name_of_server
from helio.sources.http import Http
from helio.time_range import TimeRange

KNOWN_DATASET = "AC_K2_MFI"
"""One of the oldest of CDAWeb; a file of its is among the samples that helio ships."""
_KNOWN_DAY = datetime(2022, 1, 1)
_HEAD = 512
"""Bytes of a file that tell whether it is a CDF."""
_FIRST_ROW = 16_384
"""Bytes within which the first record of a reply of SWPC ends."""


@dataclass
class Witness:
    """What the answers of one source tell beside what was asked."""

    issuer: str = ""
    """Who signed the certificate; empty where there was none."""
    ahead: float | None = None
    """Seconds that this machine's clock is ahead of the server's."""

    def note(self, answer: Answer, now: float) -> None:
        """Look at an open answer."""
        self.ahead = ahead_of(answer.headers.get("date", ""), now)
        if answer.certificate:
            self.issuer = Certificate.read(answer.certificate).issuer


@dataclass(frozen=True)
class Question:
    """What one source is asked.

    Parameters
    ----------
    source : str
        Its name, as ``--archive`` takes it.
    url : str
        Its address.
    asked : str
        What is asked, in words.
    ask : callable
        Asks, and says what the right answer was.
    """

    source: str
    url: str
    asked: str
    ask: Callable[[Http, Witness], str] = field(repr=False)


def questions(settings: Settings) -> Iterator[Question]:
    """The question of each provider of data that helio knows."""
    yield _cdaweb(cdaweb.rest_url(settings.cdaweb_url or cdaweb.URL), by_user=bool(settings.cdaweb_url))
    for name, url in every_server(settings.hapi_servers).items():
        yield _hapi(name, url.rstrip("/"))
    yield _swpc((settings.swpc_url or swpc.URL).rstrip("/"), by_user=bool(settings.swpc_url))


def _cdaweb(rest: str, *, by_user: bool) -> Question:
    def ask(http: Http, witness: Witness) -> str:
        http = http.at(rest, cdaweb.URL, cdaweb.PUB_URL, by_user=by_user)
        url = f"{rest}datasets?id={KNOWN_DATASET}"
        if KNOWN_DATASET not in cdaweb.dataset_ids(_json(http, url, witness)):
            raise UnknownDataset(
                f"{urlsplit(url).hostname} answers without the dataset {KNOWN_DATASET}",
                advice="look at the address of the server; HELIO_CDAWEB_URL names it",
                place=url,
            )
        day = TimeRange(_KNOWN_DAY, _KNOWN_DAY + timedelta(days=1))
        url = cdaweb.files_url(rest, KNOWN_DATASET, day)
        files = [file.url for file in cdaweb.listed_files(_json(http, url, witness), url)]
        if not files:
            raise NoData(f"{KNOWN_DATASET} has no file for 2022-01-01", advice="try again later", place=url)
        http.refuse_foreign(files[0], f"a listing of {urlsplit(rest).netloc}")
        name = files[0].rpartition("/")[2]
        check_head(_first_bytes(http, files[0], witness, _HEAD), name, files[0])
        return f"{KNOWN_DATASET} is there, and {name} is a CDF"

    return Question("cdaweb", rest, f"for the dataset {KNOWN_DATASET} and the first bytes of a file", ask)


def _hapi(name: str, server: str) -> Question:
    url = f"{server}/capabilities"

    def ask(http: Http, witness: Witness) -> str:
        http = http.at(server, by_user=not name_of_server(server, {}))
        said = _json(http, url, witness)
        version = str(said.get("HAPI") or "") if isinstance(said, dict) else ""
        if not re.match(r"[23]\.\d", version):
            raise DamagedFile(
                f"{urlsplit(url).hostname} names no version of HAPI that helio understands: '{version[:20]}'",
                advice="the address of a HAPI server ends in /hapi; helio understands versions 2 and 3",
                place=url,
            )
        status = status_in(said)
        if status is not None and status.code != OK:
            raise DamagedFile(
                f"{urlsplit(url).hostname} answers with the status {status.code} of HAPI: {status.message}",
                advice="try again later",
                place=url,
            )
        return f"HAPI {version}"

    return Question(f"{PREFIX}{name}", server, "what it can do (capabilities)", ask)


def _swpc(server: str, *, by_user: bool) -> Question:
    product = swpc.PRODUCTS["SWPC_RTSW_MAG"]
    url = f"{server}/{product.path}"

    def ask(http: Http, witness: Witness) -> str:
        head = _first_bytes(http.at(server, by_user=by_user), url, witness, _FIRST_ROW)
        found = re.match(rb"\s*\[\s*(\[[^]]*\])", head)
        try:
            columns = json.loads(found[1]) if found else None
        except ValueError:
            columns = None
        swpc.check_columns(product, columns, url)
        return f"{product.file} has the {len(product.members)} columns that are known"

    return Question("swpc", server, f"for the columns of {product.file}", ask)


def _json(http: Http, url: str, witness: Witness) -> Any:
    def receive(answer: Answer) -> Any:
        witness.note(answer, http.clock.now())
        return answer.json()

    return http.exchange(url, receive, headers=lambda: {"Accept": "application/json"})


def _first_bytes(http: Http, url: str, witness: Witness, count: int) -> bytes:
    """The first bytes of a reply; a server that knows no ranges is not listened to for longer."""

    def receive(answer: Answer) -> bytes:
        witness.note(answer, http.clock.now())
        if "html" in answer.headers.get("content-type", ""):
            raise answer.not_json(answer.read())
        content = b""
        for part in answer.raw():
            content += part
            if len(content) >= count:
                break
        return content[:count]

    ranged = {"Range": f"bytes=0-{count - 1}", "Accept-Encoding": "identity"}
    return http.exchange(url, receive, headers=lambda: ranged, expected=(200, 206))
