"""The status of a HAPI reply, read from the body or the HTTP status line, and the error that each status means.

Reference: HAPI Data Access Specification 3.2, https://github.com/hapi-server/data-specification, section 4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from helio.errors import (
    DamagedFile,
    DataError,
    NoData,
    Refused,
    ReplyTooLarge,
    ServerUnavailable,
    UnknownDataset,
    UnknownParameter,
)
from helio.settings import NetworkLimits
from helio.sources.answer import read_json
from helio.sources.server_text import one_line

OK, EMPTY = 1200, 1201
OUTSIDE, UNKNOWN_DATASET, UNKNOWN_PARAMETER, TOO_MUCH, NO_FORMAT = 1405, 1406, 1407, 1408, 1409
UNDERSTOOD = (200, 204, 400, 404, 413)
"""HTTP statuses whose reply may contain a HAPI status; some servers send 413 together with HAPI status 1408."""

_IN_REASON = re.compile(r"HAPI[ :]*(1[2-9]\d\d)\b[ :-]*(.*)", re.IGNORECASE)
_CODE = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True)
class Status:
    """HAPI status of a reply: its code and message."""

    code: int
    message: str = ""


class IntervalTooLong(Exception):
    """Error for a requested interval that is longer than the server gives in one reply."""


class NoBinary(Exception):
    """Error for a server that does not send binary records; the message says how helio noticed this."""


def status_of(http_status: int, reason: str, body: bytes) -> Status:
    """Return the HAPI status of a reply, from the JSON body, the HTTP reason phrase or the HTTP status.

    >>> status_of(404, "Not Found; HAPI 1406 Bad request - unknown dataset id", b"").code
    1406
    """
    stated = status_in(_json(body))
    if stated is not None:
        return stated
    match = _IN_REASON.search(reason)
    if match:
        return Status(int(match[1]), one_line(match[2]))
    if http_status == 204:
        return Status(EMPTY)
    if http_status == 200:
        return Status(OK)
    return (
        Status(TOO_MUCH)
        if http_status == 413
        else Status(http_status, f"HTTP {http_status} {one_line(reason)}")
    )


def status_in(body: Any) -> Status | None:
    """Return the status in a JSON reply or header: None if there is no status, code 0 if the code is not a number.

    >>> status_in({"status": {"code": "1406", "message": "unknown"}}).code
    1406
    """
    status = body.get("status") if isinstance(body, dict) else None
    if status is None:
        return None
    code: Any = status.get("code") if isinstance(status, dict) else status
    message = status.get("message", "") if isinstance(status, dict) else ""
    if isinstance(code, float) and code.is_integer():
        code = int(code)
    if isinstance(code, bool) or not _CODE.fullmatch(str(code)):
        return Status(0, f"the status '{one_line(code, 40)}' {one_line(message)}".strip())
    return Status(int(code), one_line(message))


def split_header(body: bytes) -> tuple[dict[str, Any], bytes]:
    """Split a body into the records and the header that some servers add without being asked; ignore an invalid header.

    >>> split_header(b'#{"HAPI": "3.2"}\\n2021-10-28Z,1.0\\n')
    ({'HAPI': '3.2'}, b'2021-10-28Z,1.0\\n')
    """
    end = 0
    while body.startswith(b"#", end):
        end = body.find(b"\n", end) + 1 or len(body)
    lines = re.sub(rb"^#", b"", body[:end], flags=re.MULTILINE)
    header = _json(lines)
    return (header if isinstance(header, dict) else {}), body[end:]


def is_csv(body: bytes) -> bool:
    """Return whether a body is CSV text although binary records were requested."""
    return body.endswith(b"\n") and b"," in body and body.isascii() and b"\0" not in body


def is_json(body: bytes) -> bool:
    """Return whether a body is a JSON object and not records, which begin with a year."""
    return body[:64].lstrip()[:1] == b"{"


def is_page(body: bytes) -> bool:
    """Return whether a body is a web page."""
    return body[:64].lstrip()[:1] == b"<"


def error_of(status: Status, host: str, what: str, url: str) -> DataError:
    """Return the error that a HAPI status means.

    Parameters
    ----------
    what : str
        The request in words: ``"AC_H2_MFI"``, ``"BGSEc of AC_H2_MFI for 2024-05-10 to 2024-05-12"``.
    """
    if 400 <= status.code < 500:
        # a server that knows no HAPI answers with HTTP alone
        advice = "check the address: the address of a HAPI server ends in /hapi" if status.code == 404 else ""
        return Refused(
            f"{host} refuses the request for {what} ({status.message.strip()})", advice=advice, place=url
        )
    words = in_words(status)
    if status.code == NO_FORMAT:
        return Refused(f"{host} does not send {what} in the requested format ({words})", place=url)
    if status.code == UNKNOWN_DATASET:
        return UnknownDataset(f"{host} does not know the dataset: {what} ({words})", place=url)
    if status.code == UNKNOWN_PARAMETER:
        return UnknownParameter(f"{host} does not know the parameter: {what} ({words})", place=url)
    if status.code in (OUTSIDE, EMPTY):
        return NoData(f"{host} has no {what} ({words})", advice="choose another time range", place=url)
    if 1500 <= status.code < 1600:
        return ServerUnavailable(
            f"{host} cannot send {what} now ({words})",
            advice="try again later; the data received so far are kept",
            place=url,
        )
    if 1400 <= status.code < 1500:
        return Refused(f"{host} refuses the request for {what} ({words})", place=url)
    return DamagedFile(
        f"{host} answers the request for {what} with a status that HAPI does not define ({words})",
        advice="report this to the server's operators",
        place=url,
    )


def in_words(status: Status) -> str:
    """Write a HAPI status as text: ``1408: too much time or data requested``."""
    return ": ".join(filter(None, (str(status.code or ""), status.message)))


def _json(body: bytes) -> Any:
    if not is_json(body):
        return None
    try:
        return read_json(body, NetworkLimits.reply_bytes, "")
    except (ValueError, ReplyTooLarge):  # unreasonable JSON says nothing
        return None
