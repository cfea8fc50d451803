"""Send notifications by mail and to webhooks, through apprise; the addresses contain passwords, which no text shows."""

from __future__ import annotations

import logging
import os
import re
import smtplib
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from helio.errors import RequestError
from helio.settings import Settings
from helio.sources.connection import explain_connection

_WITH_HOST = frozenset(
    f"{scheme}{secure}" for scheme in ("json", "xml", "form", "mailto") for secure in ("", "s")
)
"""Schemes whose host may be shown; in others, such as ``slack://``, the host is a part of the secret."""
LONGEST = 64 * 1024
"""Maximum bytes of a file of addresses."""
_LONGEST_REPLY = 200
"""Maximum characters of a mail server's reply in a reason."""
_STATUS = re.compile(r"\berror=(\d{3})\b")
"""HTTP status in a message of apprise."""
_NO_SECRETS = frozenset({"to", "from", "cc", "bcc", "name", "reply", "mode"})
"""Options of an address whose values a reason may show."""
_TO_DO = {
    401: "check user, password and token of the address",
    403: "check user, password and token of the address",
    404: "check the path of the address",
    410: "check the path of the address",
    429: "too many messages were sent; try again later",
}
"""What to do about an answer, by its HTTP status."""


@dataclass(frozen=True)
class Address:
    """An address for notifications, in the spelling of apprise.

    Parameters
    ----------
    origin : str
        Where it is written: ``"$HELIO_NOTIFY"`` or a path.
    number : int
        Its number in the list of all addresses.
    """

    url: str = field(repr=False)
    origin: str
    number: int = 1

    @property
    def name(self) -> str:
        """Return its number, its scheme and, if it is no secret, its host; never user, password, path or query."""
        scheme, host = urlsplit(self.url).scheme, ""
        if scheme in _WITH_HOST:
            host = urlsplit(self.url).netloc.rpartition("@")[2]
        return f"{self.number}: {scheme}://{host or '…'}"


def find_addresses(settings: Settings) -> tuple[Address, ...]:
    """Return the addresses in ``$HELIO_NOTIFY`` and in the file of addresses.

    Raises
    ------
    RequestError
        Other users may read the file, or it cannot be read; an address is not understood.
    """
    written = [(url, "$HELIO_NOTIFY") for url in settings.notify]
    path = settings.notify_file or settings.home / "notify.urls"
    if settings.notify_file is not None or path.exists():
        written += [(url, str(path)) for url in _read_private(path)]
    addresses = tuple(Address(url, origin, number) for number, (url, origin) in enumerate(written, 1))
    for address in addresses:
        try:
            well = bool(urlsplit(address.url).scheme) and "://" in address.url
        except ValueError:
            well = False
        if not well:
            raise RequestError(
                f"address {address.number} for notifications, from {address.origin}, is not an address",
                advice="write, for example, mailtos://USER:PASSWORD@HOST?to=NAME or jsons://HOST/PATH",
            )
    return addresses


def _read_private(path: Path) -> list[str]:
    """Read the lines of a file that only its owner, this user, may read; leave out comments and empty lines."""
    try:
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o077:
                raise RequestError(
                    f"{path} contains passwords, but other users may read or own it",
                    advice=f"run: chmod 600 {path}",
                )
            text = file.read(LONGEST).decode("utf-8")
    except OSError as error:
        raise RequestError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RequestError(f"{path} is not UTF-8 text") from error
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def send(addresses: Sequence[Address], title: str, body: str) -> dict[str, str]:
    """Send a message to all addresses.

    apprise waits at most some seconds for each server.

    Returns
    -------
    dict
        Why addresses did not accept it, by their names; no reason has a secret.
    """
    # On first use: it imports a module for each of a hundred services.
    from apprise import Apprise, AppriseAsset, NotificationManager

    for logger in ("urllib3.connectionpool", "urllib3.retry"):  # they write addresses
        logging.getLogger(logger).disabled = True
    asset = AppriseAsset(app_id="helio", app_desc="helio", app_url="", async_mode=False, secure_logging=True)
    failed = {}
    for address in addresses:
        sender = Apprise(asset=asset)
        with _listening(address) as reasons:
            if not sender.add(address.url):
                scheme = urlsplit(address.url).scheme
                is_known = scheme in NotificationManager()  # type: ignore[no-untyped-call]
                failed[address.name] = (
                    f"a part of the address is missing or wrong; apprise says how to write {scheme}://"
                    if is_known
                    else f"apprise knows no service '{scheme}'"
                )
            elif not sender.notify(title=title, body=body, body_format="text"):
                failed[address.name] = "; ".join(dict.fromkeys(reasons)) or "the server did not accept it"
    return failed


@contextmanager
def _listening(address: Address) -> Iterator[list[str]]:
    """Collect why apprise fails, which only its log says; nothing else gets this log, because it has addresses."""
    heard = _Listener(address)
    log = logging.getLogger("apprise")
    log.propagate = False
    log.setLevel(logging.WARNING)
    log.addHandler(heard)
    try:
        yield heard.reasons
    finally:
        log.removeHandler(heard)


class _Listener(logging.Handler):
    """Handler that takes from each message of apprise the error or the HTTP status, and leaves out the rest."""

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address
        self.reasons: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the reason of a warning, which apprise writes while it handles the error."""
        error, status = sys.exc_info()[1], _STATUS.search(record.getMessage())
        if error is not None:
            self.reasons.append(_reason_of(error, self._address))
        elif status is not None:
            self.reasons.append(_answered(int(status[1])))


def _answered(status: int) -> str:
    phrase = f" ({HTTPStatus(status).phrase})" if status in {*HTTPStatus} else ""
    to_do = f"; {_TO_DO[status]}" if status in _TO_DO else ""
    return f"the server answered with HTTP status {status}{phrase}{to_do}"


def _reason_of(error: BaseException, address: Address) -> str:
    """Say why a message was not sent, without the text of the error, which may have the address."""
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    match error:
        case smtplib.SMTPAuthenticationError():
            return f"the mail server refuses user and password (SMTP {error.smtp_code})"
        case smtplib.SMTPRecipientsRefused():
            replies = [_reply(code, text, address) for code, text in error.recipients.values()]
            return f"the mail server refuses the recipient: {'; '.join(dict.fromkeys(replies))}"
        case smtplib.SMTPResponseException():
            return f"the mail server refuses: {_reply(error.smtp_code, error.smtp_error, address)}"
        case smtplib.SMTPNotSupportedError():
            return (
                "the mail server has no encryption (STARTTLS) or no login at this port; check port and mode"
            )
        case smtplib.SMTPServerDisconnected():
            return "the mail server ended the connection"
    failures = [cause for cause in chain if isinstance(cause, OSError)]
    return explain_connection(failures[-1], "the server").message if failures else type(error).__name__


def _reply(code: int, text: bytes | str, address: Address) -> str:
    """Return the reply of a mail server, without the secrets of an address."""
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())
    parts = urlsplit(address.url)
    secrets = [value for name, value in parse_qsl(parts.query) if name not in _NO_SECRETS]
    secrets += parts.netloc.rpartition("@")[0].split(":")
    for secret in sorted({*secrets, *map(unquote, secrets)} - {""}, key=len, reverse=True):
        words = words.replace(secret, "…")
    return f"SMTP {code} {words[:_LONGEST_REPLY]}".rstrip()


def shown(settings: Settings) -> list[dict[str, Any]]:
    """Describe what is set for notifications, without secrets.

    Raises
    ------
    RequestError
        As `find_addresses`.
    """
    return [{"address": address.name, "from": address.origin} for address in find_addresses(settings)]
