"""Send notifications by mail and to webhooks, through apprise; the addresses contain passwords, which no text shows."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from helio.errors import RequestError
from helio.settings import Settings

_WITH_HOST = frozenset(
    f"{scheme}{secure}" for scheme in ("json", "xml", "form", "mailto") for secure in ("", "s")
)
"""Schemes whose host may be shown; in others, such as ``slack://``, the host is a part of the secret."""
LONGEST = 64 * 1024
"""Maximum bytes of a file of addresses."""


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


def send(addresses: Sequence[Address], title: str, body: str) -> list[str]:
    """Send a message to all addresses; return the names of those that did not accept it.

    apprise waits at most some seconds for each server.
    """
    # On first use: it imports a module for each of a hundred services.
    from apprise import Apprise, AppriseAsset

    for logger in ("apprise", "urllib3.connectionpool", "urllib3.retry"):  # they write addresses
        logging.getLogger(logger).disabled = True
    asset = AppriseAsset(app_id="helio", app_desc="helio", app_url="", async_mode=False, secure_logging=True)
    failed = []
    for address in addresses:
        sender = Apprise(asset=asset)
        accepted = sender.add(address.url) and sender.notify(title=title, body=body, body_format="text")
        if not accepted:
            failed.append(address.name)
    return failed


def shown(settings: Settings) -> list[dict[str, Any]]:
    """Describe what is set for notifications, without secrets.

    Raises
    ------
    RequestError
        As `find_addresses`.
    """
    return [{"address": address.name, "from": address.origin} for address in find_addresses(settings)]
