"""Replies of servers, read within limits of size; JSON is also limited in depth."""

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
"""Number of bytes to decompress at a time: compressed data may expand a thousandfold."""
_GZIP = 16 + zlib.MAX_WBITS
_DEEPEST = 64
"""Maximum depth of nested JSON; replies of real services need ten levels."""
_BYTES_PER_VALUE = 16
"""Smallest average length of a JSON value in bytes: text such as ``[],[],…`` needs thirty times its length in memory.
"""
_LONGEST_NUMBER = 40
"""Maximum number of digits of a whole number; 64-bit numbers have up to 20."""


class BadBody(Exception):
    """Error of a function that reads a body: the body is cut off or wrong, so helio sends the request again."""


class UnusableJson(ValueError):
    """Error for complete JSON that helio cannot use; the message gives the reason."""


class OpenReply:
    """Reply of a server whose body has not been read yet; the body can be read only once.

    Parameters
    ----------
    response : httpx2.Response
        Open reply of which nothing was read.
    url : str
        URL of the request; messages show its host.
    meter : Meter
        Counter of the bytes and seconds of this request.
    limits : NetworkLimits
    """

    def __init__(self, response: httpx2.Response, url: str, meter: Meter, limits: NetworkLimits) -> None:
        self.status = response.status_code
        self.reason = response.reason_phrase
        self.headers = response.headers
        self.received = 0
        """Bytes of the body received so far, before decompression."""
        self._response = response
        self._url = url
        self._host = url.split("/")[2]
        self._meter = meter
        self._limits = limits
        self._stream_ended = False

    @property
    def length(self) -> int:
        """Length of the body in bytes, as the server announced it; 0 if the server announced no length."""
        text: str = self.headers.get("content-length", "")
        return int(text) if text.isdecimal() else 0

    @property
    def came_from(self) -> str:
        """URL from which the reply came; after a redirect this URL differs from the URL of the request."""
        return str(self._response.url)

    @property
    def certificate(self) -> bytes:
        """The server's certificate in DER format; empty for a connection without TLS."""
        stream = self._response.extensions.get("network_stream")
        secured = stream and stream.get_extra_info("ssl_object")
        return (secured and secured.getpeercert(True)) or b""

    def raw(self) -> Iterator[bytes]:
        """Yield the body in parts as the server sent them, without a limit of length: the caller must limit the
        length.
        """
        for part in self._response.iter_raw():
            self._meter.add_content(len(part))
            self.received += len(part)
            yield part

    def parts(self, largest: int) -> Iterator[bytes]:
        """Yield the body in parts, after decompression.

        Parameters
        ----------
        largest : int
            Maximum number of bytes of the body.

        Raises
        ------
        ReplyTooLarge
            The body has more bytes.
        Refused
            The body has a compression that helio did not ask for.
        BadBody
            The body is compressed and is cut off.
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
        raise ReplyTooLarge(f"{self._host} sends a reply longer than {in_words(largest)}", place=self._url)

    def read(self) -> bytes:
        """Return the whole body, after decompression.

        Raises
        ------
        ReplyTooLarge
            The body is longer than the limits allow.
        Refused, CutShort
            As for `parts`.
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
        """Read the body as JSON; return None if the body is not JSON and the HTTP status is not 200.

        Raises
        ------
        ServerUnavailable
            The body is not JSON although the status is 200, for example a page that announces maintenance.
        ReplyTooLarge, Refused, CutShort
            As for `read` and `read_json`.
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
        """Return the error for JSON that is complete but that helio cannot use."""
        return DamagedFile(
            f"{self._host} sends JSON that cannot be used: {error}",
            advice="report this to the server's operators",
            place=self._url,
        )

    def not_json(self, content: bytes) -> ServerUnavailable:
        """Return the error for a body that is not JSON, such as a login page or a maintenance page."""
        kind = self.headers.get("content-type", "data of unknown type")
        if "html" in kind or content.lstrip()[:1] == b"<":
            page = content.decode(errors="replace")
            problem = explain_page(page, self._url, self.came_from)
            error = ServerUnavailable(problem.message, advice=problem.advice, place=self._url)
            error.cause = problem.cause
            return error
        how = "incomplete JSON" if "json" in kind else f"{one_line(kind, 60)} instead of JSON"
        return ServerUnavailable(f"{self._host} answered with {how}", advice=LATER, place=self._url)

    @property
    def has_end(self) -> bool:
        """Whether the announced length or the compression proves that the body is complete. A closed connection is no
        proof.
        """
        framed = "content-length" in self.headers or (
            "chunked" in self.headers.get("transfer-encoding", "").lower()
        )
        return framed or self._stream_ended

    def _plain(self) -> Iterator[bytes]:
        """Yield the body without its compression, in small parts."""
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
                f"{self._host} compresses its reply with '{', '.join(codings)}', which helio did not request",
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
                        raise BadBody("has extra bytes after its deflate data")
                    stream = zlib.decompressobj(_GZIP)  # gzip allows several streams, one after the other
                try:
                    plain = stream.decompress(part, _STEP)
                except zlib.error as error:
                    raise BadBody(f"is damaged: {error}") from error
                yield plain
                is_full = len(plain) == _STEP  # there may be more of it, though all of the part is consumed
                part = stream.unused_data if stream.eof else stream.unconsumed_tail
        if self.received and not stream.eof:
            raise BadBody(f"is cut off inside its {coding} data")
        self._stream_ended = stream.eof


def read_json(content: bytes, largest: int, server: str) -> Any:
    """Read JSON that a server sent, encoded in UTF-8, UTF-16, UTF-32 or Latin-1.

    Parameters
    ----------
    content : bytes
    largest : int
        Maximum number of bytes; it also limits the number of values.
    server : str
        Name of the server, for messages.

    Raises
    ------
    ReplyTooLarge
        The JSON is longer, has more values, deeper nesting or longer numbers than the replies of real services.
    UnusableJson
        The same key of a JSON object occurs twice with different values.
    ValueError
        The content is not JSON.
    """
    values = content.count(b",") + content.count(b"[") + content.count(b"{")
    if max(len(content), values * _BYTES_PER_VALUE) > largest:
        raise ReplyTooLarge(
            f"{server} sends JSON with {values:,} values in {in_words(len(content))}, more than helio "
            "reads at once",
            advice=more_than(largest),
        )
    too_deep = ReplyTooLarge(f"{server} sends JSON nested more than {_DEEPEST} levels deep")

    def whole_number(digits: str) -> int:
        if len(digits) > _LONGEST_NUMBER:
            raise ReplyTooLarge(
                f"{server} sends a number of {len(digits):,} digits; helio reads at most {_LONGEST_NUMBER}"
            )
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
            raise UnusableJson(f"'{one_line(name, 40)}' appears twice with different values")
        members[name] = value
    return members


def more_than(size: int) -> str:
    """Return advice on how to allow replies longer than `size` bytes."""
    return f"set HELIO_REPLY_MB={-(-2 * size // 10**6)} to allow longer replies"


def _begins_zlib(part: bytes) -> bool:
    """Return whether a body begins with the header of a zlib stream, RFC 1950."""
    return part[0] & 0x0F == zlib.DEFLATED and (len(part) < 2 or int.from_bytes(part[:2], "big") % 31 == 0)
