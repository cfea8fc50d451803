"""What a HAPI server answers: its status, in the body or in the line of HTTP, and what each status means.

Reference: HAPI Data Access Specification 3.2, https://github.com/hapi-server/data-specification, section 4.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from helio.errors import (
    DamagedFile,
    DataError,
    NoData,
    Refused,
    ServerUnavailable,
    UnknownDataset,
    UnknownParameter,
)
from helio.sources.http import CutShort

if TYPE_CHECKING:
    import httpx2

OK, EMPTY = 1200, 1201
OUTSIDE, UNKNOWN_DATASET, UNKNOWN_PARAMETER, TOO_MUCH, NO_FORMAT = 1405, 1406, 1407, 1408, 1409
UNDERSTOOD = (200, 204, 400, 404, 413)
"""Statuses of HTTP that come with a status of HAPI; 413 is what some send with 1408."""

_IN_REASON = re.compile(r"HAPI[ :]*(1[2-9]\d\d)\b[ :-]*(.*)", re.IGNORECASE)
_MOST_SAID = 200
_GZIP = 16 + zlib.MAX_WBITS


@dataclass(frozen=True)
class Status:
    """A status of HAPI."""

    code: int
    message: str = ""


class TooMuch(Exception):
    """The server gives less at once than was asked for."""


class NoBinary(Exception):
    """The server does not send binary; says how it was noticed."""


class Body:
    """The body of a response as it comes, without its compression.

    Parameters
    ----------
    response : Response
        Open, nothing of it read.
    """

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response
        coding = response.headers.get("content-encoding", "").strip().lower()
        self._gzip = zlib.decompressobj(_GZIP) if coding in ("gzip", "x-gzip") else None

    def parts(self) -> Iterator[bytes]:
        """All of it.

        Raises
        ------
        CutShort
            It is compressed, and ends before its compression does.
        """
        if self._gzip is None:
            yield from self._response.iter_bytes()
            return
        came = False
        for part in self._response.iter_raw():
            came = came or bool(part)
            while part:
                if self._gzip.eof:  # gzip allows several streams, one after the other
                    self._gzip = zlib.decompressobj(_GZIP)
                try:
                    yield self._gzip.decompress(part)
                except zlib.error as error:
                    raise CutShort(f"is damaged: {error}") from error
                part = self._gzip.unused_data
        if came and not self._gzip.eof:
            raise CutShort("ends within its gzip stream")

    @property
    def has_end(self) -> bool:
        """Whether anything but the end of the connection says that it is whole: HTTP's length, or gzip's checksum."""
        headers = self._response.headers
        framed = "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()
        return framed or (self._gzip is not None and self._gzip.eof)


def status_of(http_status: int, reason: str, body: bytes) -> Status:
    """What an answer says of itself: in its body if that is JSON, else beside HTTP's status, else by that alone.

    >>> status_of(404, "Not Found; HAPI 1406 Bad request - unknown dataset id", b"").code
    1406
    """
    told = status_in(_json(body))
    if told is not None:
        return told
    found = _IN_REASON.search(reason)
    if found:
        return Status(int(found[1]), _short(found[2]))
    if http_status == 204:
        return Status(EMPTY)
    if http_status == 200:
        return Status(OK)
    return (
        Status(TOO_MUCH)
        if http_status == 413
        else Status(http_status, f"HTTP {http_status} {_short(reason)}")
    )


def status_in(said: Any) -> Status | None:
    """The status in a reply or header of JSON, if it has one."""
    status = said.get("status") if isinstance(said, dict) else None
    if isinstance(status, dict) and str(status.get("code", "")).isdigit():
        return Status(int(status["code"]), _short(str(status.get("message", ""))))
    return None


def split_header(body: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a body, where the server sends one unasked, and its records; an unreadable header says nothing.

    >>> split_header(b'#{"HAPI": "3.2"}\\n2021-10-28Z,1.0\\n')
    ({'HAPI': '3.2'}, b'2021-10-28Z,1.0\\n')
    """
    lines = []
    while body.startswith(b"#"):
        line, _, body = body.partition(b"\n")
        lines.append(line[1:])
    header = _json(b"\n".join(lines))
    return (header if isinstance(header, dict) else {}), body


def is_csv(body: bytes) -> bool:
    """Whether a body that should be binary is text instead: lines of printable characters."""
    return body.endswith(b"\n") and b"," in body and body.isascii() and b"\0" not in body


def is_json(body: bytes) -> bool:
    """Whether a body is an object of JSON; records begin with a year."""
    return body[:64].lstrip()[:1] == b"{"


def is_page(body: bytes) -> bool:
    """Whether a body is a page for people."""
    return body[:64].lstrip()[:1] == b"<"


def error_of(status: Status, host: str, what: str, place: str) -> DataError | TooMuch:
    """The error that a status means.

    Parameters
    ----------
    what : str
        What was asked for: ``"AC_H2_MFI"``, ``"BGSEc of AC_H2_MFI for 2024-05-10 to 2024-05-12"``.
    """
    if 400 <= status.code < 500:
        # a server that knows no HAPI answers with HTTP alone
        advice = "the address of a HAPI server ends in /hapi" if status.code == 404 else ""
        return Refused(f"{host} refuses {what} ({status.message.strip()})", advice=advice, place=place)
    said = f"{status.code}{f': {status.message}' if status.message else ''}"
    if status.code == TOO_MUCH:
        return TooMuch(said)
    if status.code == NO_FORMAT:
        return Refused(f"{host} does not send {what} in this format ({said})", place=place)
    if status.code == UNKNOWN_DATASET:
        return UnknownDataset(f"{host} knows no such dataset: {what} ({said})", place=place)
    if status.code == UNKNOWN_PARAMETER:
        return UnknownParameter(f"{host} knows no such parameter: {what} ({said})", place=place)
    if status.code in (OUTSIDE, EMPTY):
        return NoData(f"{host} has no {what} ({said})", advice="another time range", place=place)
    if 1500 <= status.code < 1600:
        return ServerUnavailable(
            f"{host} cannot give {what} now ({said})",
            advice="try again later; what came already is kept",
            place=place,
        )
    if 1400 <= status.code < 1500:
        return Refused(f"{host} refuses {what} ({said})", place=place)
    return DamagedFile(f"{host} answers {what} with a status that HAPI has not ({said})", place=place)


def _json(body: bytes) -> Any:
    if not is_json(body):
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # the second: nested beyond all reason
        return None


def _short(text: str) -> str:
    return " ".join(text.split())[:_MOST_SAID]
