"""HAPI servers by name: those that are shipped, and those that the environment names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from helio.errors import RequestError, did_you_mean

PREFIX = "hapi:"
"""What comes before a server's name where a provider is named: ``hapi:CDAWeb``."""


def is_hapi(provider: str) -> bool:
    """Whether a provider's name means a HAPI server, known or not."""
    return provider.lower().startswith(PREFIX)


def is_url(archive: str) -> bool:
    """Whether an archive is named by its address."""
    return archive.lower().startswith(("http://", "https://"))


def server_named(provider: str, further: Mapping[str, str]) -> tuple[str, str]:
    """A server's name as it writes it, and its URL.

    >>> server_named("HAPI:cdaweb", {})
    ('CDAWeb', 'https://cdaweb.gsfc.nasa.gov/hapi')

    Parameters
    ----------
    provider : str
        ``hapi:NAME``; capital letters count for nothing.
    further : mapping of str to str
        URLs by name, for servers that are not shipped, or stand elsewhere.

    Raises
    ------
    RequestError
        None has that name.
    """
    name = provider[len(PREFIX) :]
    every = {**_shipped(), **further}
    urls = {known.casefold(): (known, url) for known, url in every.items()}
    if name.casefold() not in urls:
        raise RequestError(
            f"no HAPI server is called '{name}'",
            advice=did_you_mean(name, every, otherwise=f"one of {', '.join(sorted(every, key=str.casefold))}")
            + "; HELIO_HAPI_SERVERS=NAME=URL adds one",
        )
    return urls[name.casefold()]


def every_server(further: Mapping[str, str]) -> dict[str, str]:
    """URLs of all servers by name: those that are shipped, and those that the environment names in their place too.

    >>> every_server({"cdaweb": "http://mirror.org/hapi"})["CDAWeb"]
    'http://mirror.org/hapi'
    """
    renamed = {name.casefold(): name for name in _shipped()}
    return {**_shipped(), **{renamed.get(name.casefold(), name): url for name, url in further.items()}}


def name_of_server(url: str, further: Mapping[str, str]) -> str:
    """``hapi:NAME`` of the server at an address; empty where none is known.

    >>> name_of_server("https://cdaweb.gsfc.nasa.gov/hapi/", {})
    'hapi:CDAWeb'
    """
    every = {**_shipped(), **further}
    return next((f"{PREFIX}{name}" for name, known in every.items() if _plain(known) == _plain(url)), "")


def _plain(url: str) -> str:
    return url.rstrip("/").casefold()


def server_url(url: str) -> str:
    """A server's address without what comes after it.

    Raises
    ------
    RequestError
        It is no URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise RequestError(f"'{url}' is not the URL of a HAPI server", advice="such as https://HOST/hapi")
    return url.rstrip("/")


@cache
def _shipped() -> dict[str, str]:
    text = (files("helio.sources") / "hapi_servers.json").read_text(encoding="utf-8")
    return {one["name"]: one["url"] for one in json.loads(text)["servers"]}
