"""The open answer of a server, which can be read in bounded ways only; and JSON of bounded size and depth."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from helio.errors import DamagedFile, Refused, ReplyTooLarge, ServerUnavailable
from helio.settings import NetworkLimits
from helio.sources.allowance import in_words
from helio.sources.connection import explain_page
from helio.sources.meter import Meter
from helio.sources.server_text import one_line

if TYPE_CHECKING:
    import httpx2

LATER = "try again later; finished downloads are kept"

_STEP = 256 * 1024
"""Bytes that are decompressed at once: a small part may hold a thousand times its size."""
_GZIP = 16 + zlib.MAX_WBITS
_DEEPEST = 64
"""How deeply JSON may be nested; the replies of all services need ten."""
_BYTES_PER_VALUE = 16
"""Bytes that a value of JSON needs on average at least: `[],[],…` would become thirty times its size in memory."""
_LONGEST_NUMBER = 40
"""Digits of a whole number; those of 64 bits have 20."""


class BadBody(Exception):
    """A receiver's word that the body ended early or is not what it should be, and another try may help."""


class UnusableJson(ValueError):
    """JSON that is whole and cannot be used; says why."""


class OpenReply:
    """A status, headers, and a body that is read once.

    Parameters
    ----------
    response : httpx2.Response
        Open, nothing of it read.
    url : str
        What was asked for; with its host, what messages name.
    meter : Meter
        Of the attempt.
    limits : NetworkLimits
    """

    def __init__(self, response: httpx2.Response, url: str, meter: Meter, limits: NetworkLimits) -> None:
        self.status = response.status_code
        self.reason = response.reason_phrase
        self.headers = response.headers
        self.received = 0
        """Bytes of the body that came so far, as they were sent."""
        self._response = response
        self._url = url
        self._host = url.split("/")[2]
        self._meter = meter
        self._limits = limits
        self._stream_ended = False

    @property
    def length(self) -> int:
        """Announced bytes of the body; 0 without an announcement."""
        text: str = self.headers.get("content-length", "")
        return int(text) if text.isdecimal() else 0

    @property
    def came_from(self) -> str:
        """The URL of the reply; after redirects it is not the URL of the request."""
        return str(self._response.url)

    @property
    def certificate(self) -> bytes:
        """The server's certificate in DER; empty on a connection without TLS."""
        stream = self._response.extensions.get("network_stream")
        secured = stream and stream.get_extra_info("ssl_object")
        return (secured and secured.getpeercert(True)) or b""

    def raw(self) -> Iterator[bytes]:
        """Return the body as the server sends it, of any length: the caller limits it."""
        for part in self._response.iter_raw():
            self._meter.add_content(len(part))
            self.received += len(part)
            yield part

    def parts(self, largest: int) -> Iterator[bytes]:
        """Return the body without its compression.

        Parameters
        ----------
        largest : int
            Bytes that it may have.

        Raises
        ------
        ReplyTooLarge
            It has more.
        Refused
            It is compressed in another way than was asked for.
        BadBody
            It is compressed, and ends before its compression does.
        """
        if self.length <= largest:
            size = 0
            for part in self._plain():
                size = max(size + len(part), self.received)
                if size > largest:
                    break
                self._meter.allowed(None)  # decompressing takes its time, too
                if part:
                    yield part
            else:
                return
        raise ReplyTooLarge(f"{self._host} sends more than {in_words(largest)}", place=self._url)

    def read(self) -> bytes:
        """Return the whole body, without its compression.

        Raises
        ------
        ReplyTooLarge
            It is longer than the limits allow.
        Refused, CutShort
            As `parts`.
        """
        content = bytearray()
        try:
            for part in self.parts(self._limits.reply_bytes):
                content += part
        except ReplyTooLarge as error:
            error.advice = more_than(self._limits.reply_bytes)
            raise
        return bytes(content)

    def json(self) -> Any:
        """Read the body as JSON; None where it is not JSON and the status is not 200.

        Raises
        ------
        ServerUnavailable
            It is not JSON, and the status is 200: a page that says that the service is being maintained.
        ReplyTooLarge, Refused, CutShort
            As `read` and `read_json`.
        """
        content = self.read()
        try:
            return read_json(content, self._limits.reply_bytes, self._host)
        except UnusableJson as error:
            raise self.odd_json(error) from error
        except ValueError as error:
            if self.status != 200:
                return None
            raise self.not_json(content) from error

    def odd_json(self, error: UnusableJson) -> DamagedFile:
        """Return the error of JSON that is whole and cannot be used."""
        return DamagedFile(
            f"{self._host} answers with JSON that cannot be used: {error}",
            advice="tell the server's operators",
            place=self._url,
        )

    def not_json(self, content: bytes) -> ServerUnavailable:
        """Return the error for a body that is not JSON: a login page, or a page that explains a problem."""
        kind = self.headers.get("content-type", "bytes of an unknown type")
        if "html" in kind or content.lstrip()[:1] == b"<":
            page = content.decode(errors="replace")
            problem = explain_page(page, self._url, self.came_from)
            error = ServerUnavailable(problem.message, advice=problem.advice, place=self._url)
            error.cause = problem.cause
            return error
        how = "incomplete JSON" if "json" in kind else f"{one_line(kind, 60)} in place of JSON"
        return ServerUnavailable(f"{self._host} answered with {how}", advice=LATER, place=self._url)

    @property
    def has_end(self) -> bool:
        """Whether HTTP's length or the compression proves that the body is whole; a closed connection does not."""
        framed = "content-length" in self.headers or (
            "chunked" in self.headers.get("transfer-encoding", "").lower()
        )
        return framed or self._stream_ended

    def _plain(self) -> Iterator[bytes]:
        """Return the body without its compression, in small parts."""
        header = self.headers.get("content-encoding", "")
        codings = [
            coding for word in header.split(",") if (coding := word.strip().lower()) not in ("", "identity")
        ]
        if not codings:
            yield from self.raw()
        elif codings in (["gzip"], ["x-gzip"], ["deflate"]):
            yield from self._decompressed(codings[0])
        else:
            raise Refused(
                f"{self._host} compresses its reply as '{', '.join(codings)}', which was not requested",
                place=self._url,
            )

    def _decompressed(self, coding: str) -> Iterator[bytes]:
        stream = zlib.decompressobj() if coding == "deflate" else zlib.decompressobj(_GZIP)
        for part in self.raw():
            if coding == "deflate" and self.received == len(part) and not _begins_zlib(part):
                stream = zlib.decompressobj(
                    -zlib.MAX_WBITS
                )  # some servers send it bare, RFC 9110, section 8.4.1.2
            is_full = True
            while part or is_full:
                if stream.eof and part:
                    if coding == "deflate":
                        raise BadBody("goes on after its deflate stream")
                    stream = zlib.decompressobj(_GZIP)  # gzip allows several streams, one after the other
                try:
                    plain = stream.decompress(part, _STEP)
                except zlib.error as error:
                    raise BadBody(f"is damaged: {error}") from error
                yield plain
                is_full = len(plain) == _STEP  # there may be more of it, though all of the part is consumed
                part = stream.unused_data if stream.eof else stream.unconsumed_tail
        if self.received and not stream.eof:
            raise BadBody(f"ends within its {coding} stream")
        self._stream_ended = stream.eof


def read_json(content: bytes, largest: int, server: str) -> Any:
    """Read JSON that a server sent, in UTF-8, UTF-16, UTF-32 or Latin-1.

    Parameters
    ----------
    content : bytes
    largest : int
        Bytes that it may have; the number of its values is bounded accordingly.
    server : str
        Who sent it, for messages.

    Raises
    ------
    ReplyTooLarge
        It is longer, has more values, is nested more deeply or has longer numbers than any service's replies.
    UnusableJson
        It gives a member twice with different values.
    ValueError
        It is not JSON.
    """
    values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if max(len(content), values * _BYTES_PER_VALUE) > largest:
        raise ReplyTooLarge(
            f"{server} sends JSON of {values:,} values in {in_words(len(content))}: more than helio reads at once",
            advice=more_than(largest),
        )
    too_deep = ReplyTooLarge(f"{server} sends JSON that is nested more than {_DEEPEST} levels deep")

    def whole_number(digits: str) -> int:
        if len(digits) > _LONGEST_NUMBER:
            raise ReplyTooLarge(f"{server} sends a whole number of {len(digits):,} digits")
        return int(digits)

    try:
        text = content.decode(json.detect_encoding(content))
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    try:
        value = json.loads(text, parse_int=whole_number, object_pairs_hook=_object)
    except RecursionError as error:
        raise too_deep from error
    level = [value]
    for _ in range(_DEEPEST + 1):
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return value
    raise too_deep


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members and members[name] != value:
            raise UnusableJson(f"it gives '{one_line(name, 40)}' twice with different values")
        members[name] = value
    return members


def more_than(size: int) -> str:
    """Return how to allow a longer reply."""
    return f"HELIO_REPLY_MB={-(-2 * size // 10**6)} allows more, if the reply is to be that long"


def _begins_zlib(part: bytes) -> bool:
    """Return whether bytes begin with the header of a zlib stream, RFC 1950."""
    return part[0] & 0x0F == zlib.DEFLATED and (len(part) < 2 or int.from_bytes(part[:2], "big") % 31 == 0)
