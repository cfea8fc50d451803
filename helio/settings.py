"""What the environment says, read in one place: the home folder, the archive, the browser, the language model."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from helio.errors import RequestError

log = logging.getLogger(__name__)

IDLE = 1800.0
"""Seconds without use after which the engine's server ends itself; the environment can set another number."""


@dataclass(frozen=True)
class NetworkLimits:
    """How much and how slowly a server of data may send, and which further hosts may be asked."""

    reply_bytes: int = 64 * 10**6
    """``$HELIO_REPLY_MB``, in MB of 10^6 bytes: the longest listing, catalogue or other reply, without its
    compression. Files and HAPI's records have limits of their own: ``--max-download``, the size in the listing."""
    reply_seconds: float = 600.0
    """``$HELIO_REPLY_SECONDS``: how long such a reply may take, all attempts together. Files may take longer."""
    least_rate: float = 500.0
    """``$HELIO_LEAST_RATE``: bytes a second; a server that sends more slowly is given up."""
    rate_seconds: float = 30.0
    """``$HELIO_RATE_SECONDS``: seconds of waiting over which that rate is measured."""
    further_hosts: frozenset[tuple[str, int]] = frozenset()
    """``$HELIO_FURTHER_HOSTS``, ``HOST[:PORT],…``: hosts that a redirect or a listing may lead to, and that may have
    a private address, besides those of the providers. Without a port: 80 and 443."""


@dataclass(frozen=True)
class Settings:
    """Everything that is neither in a template nor on the command line."""

    home: Path
    """Everything a user owns: ``$HELIO_HOME``, else the platform's data folder."""
    archive: str = ""
    """``$HELIO_ARCHIVE``: the archive of runs that name none."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """``$HELIO_NAME_URL``, by the name of a source in small letters, such as ``$HELIO_SWPC_URL``: another server than
    its own, that speaks as it does."""
    servers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """``$HELIO_NAME_SERVERS``, ``NAME=URL,…``, by the name of a source of many servers, such as
    ``$HELIO_HAPI_SERVERS``: servers beside those that are known, or in their place."""
    network: NetworkLimits = NetworkLimits()
    """``$HELIO_REPLY_MB`` and its companions: how much and how slowly a server of data may send."""
    browser: str = ""
    """``$BROWSER_PATH``: the Chromium that draws static figures; else one on the path."""
    path: str = ""
    """``$PATH``: where programs are looked for."""

    workers: int = 2
    """``$HELIO_WORKERS``: how many steps may run at once."""
    step_seconds: float = 900.0
    """``$HELIO_STEP_SECONDS``: how long one step may take."""
    worker_memory: int | None = None
    """``$HELIO_WORKER_MEMORY``: MiB that one step may take; three quarters of the machine's when left out."""

    sandbox: Literal["refuse", "weak"] = "refuse"
    """``$HELIO_SANDBOX``: whether code in a template runs where the machine lacks a part of what shuts it in."""

    engine: Literal["prefect", "direct"] = "prefect"
    """``$HELIO_ENGINE``: what ``helio run`` uses when it is not told."""
    engine_idle: float | None = IDLE
    """``$HELIO_ENGINE_IDLE``: after how long without use the engine's server ends itself, such as ``30min``, ``2h`` or
    a number of minutes, in seconds here; None for ``never`` or 0."""
    model_key: str = field(default="", repr=False)
    """``$GEMINI_API_KEY``, else ``$GOOGLE_API_KEY``: the key of the model's maker; in no text, file or log of ours."""
    model_url: str = ""
    """``$HELIO_MODEL_URL``: another server than Google's, that speaks as Gemini does."""
    model_smart: str = "gemini-3.8-flash"
    """``$HELIO_MODEL_SMART``: the model that plans. The defaults are released models, for previews are withdrawn."""
    model_fast: str = "gemini-3.5-flash-lite"
    """``$HELIO_MODEL_FAST``: the model for everything else."""
    model_fallback: str = "gemini-3.7-flash"
    """``$HELIO_MODEL_FALLBACK``: who is asked when those cannot be; empty, or ``none`` in the environment: nobody."""
    model_tokens: int | None = None
    """``$HELIO_MODEL_TOKENS``: how many tokens one task may take; as many as it needs when left out."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """All of it, for the programs that are started: the engine's server, a browser."""

    @property
    def store(self) -> Path:
        """Objects and results, by content and by key."""
        return self.home / "store"

    @property
    def runs(self) -> Path:
        """A record of every run."""
        return self.home / "runs"

    @property
    def templates(self) -> Path:
        """The user's own pipelines."""
        return self.home / "templates"

    @property
    def transcripts(self) -> Path:
        """What was asked of a model, and what it answered."""
        return self.home / "transcripts"

    @property
    def proposals(self) -> Path:
        """Changes of pipelines that wait for a yes, and those that were decided."""
        return self.home / "proposals"

    @property
    def log_file(self) -> Path:
        """What every command did, in detail."""
        return self.home / "logs" / "helio.log"


def read_settings(environ: Mapping[str, str] = os.environ) -> Settings:
    """Settings from environment variables; the one place where they are read.

    Raises
    ------
    RequestError
        A value is not what its variable takes.
    """
    engine = environ.get("HELIO_ENGINE") or "prefect"
    if engine not in ("prefect", "direct"):
        raise RequestError(f"HELIO_ENGINE is '{engine}', neither prefect nor direct")
    sandbox = environ.get("HELIO_SANDBOX") or "refuse"
    if sandbox not in ("refuse", "weak"):
        raise RequestError(f"HELIO_SANDBOX is '{sandbox}', neither refuse nor weak")
    memory = _number(environ, "HELIO_WORKER_MEMORY", 0.0, least=512)
    tokens = _number(environ, "HELIO_MODEL_TOKENS", 0.0, least=1)
    fallback = environ.get("HELIO_MODEL_FALLBACK") or Settings.model_fallback
    return Settings(
        home=Path(environ["HELIO_HOME"]).expanduser().absolute()
        if environ.get("HELIO_HOME")
        else _data_folder(),
        archive=environ.get("HELIO_ARCHIVE", ""),
        addresses=_addresses(environ),
        servers=_servers(environ),
        network=_network(environ),
        browser=environ.get("BROWSER_PATH", ""),
        path=environ.get("PATH", os.defpath),
        workers=int(_number(environ, "HELIO_WORKERS", min(4, os.cpu_count() or 1), least=1)),
        step_seconds=_number(environ, "HELIO_STEP_SECONDS", 900.0, least=1),
        worker_memory=int(memory * 1024**2) if memory else None,
        sandbox="weak" if sandbox == "weak" else "refuse",
        engine="direct" if engine == "direct" else "prefect",
        engine_idle=_idle(environ.get("HELIO_ENGINE_IDLE", "")),
        model_key=(environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY") or "").strip(),
        model_url=environ.get("HELIO_MODEL_URL", ""),
        model_smart=environ.get("HELIO_MODEL_SMART") or Settings.model_smart,
        model_fast=environ.get("HELIO_MODEL_FAST") or Settings.model_fast,
        model_fallback="" if fallback == "none" else fallback,
        model_tokens=int(tokens) or None,
        environ=dict(environ),
    )


@dataclass(frozen=True)
class CertificateSetting:
    """The certificate authorities that the environment names in place of the system's."""

    name: str
    """Of the variable."""
    path: str
    is_folder: bool


def certificate_setting(environ: Mapping[str, str] = os.environ) -> CertificateSetting | None:
    """The first of ``SSL_CERT_FILE``, ``SSL_CERT_DIR``, ``REQUESTS_CA_BUNDLE`` and ``CURL_CA_BUNDLE`` that is set.

    The first two are OpenSSL's, the others are what an institute may have set for other programs.

    >>> certificate_setting({"REQUESTS_CA_BUNDLE": "/etc/ca.pem"}).name
    'REQUESTS_CA_BUNDLE'
    """
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = environ.get(name, "")
        if path:
            return CertificateSetting(name, path, name == "SSL_CERT_DIR" or os.path.isdir(path))
    return None


def settings_in_use(settings: Settings | None = None) -> Settings:
    """Return the settings, given or read from the environment, with a home that only its owner can read.

    The home is made if it is not there. A home that other users can read, as earlier versions made it, is closed.

    Raises
    ------
    RequestError
        The home is a folder that all users of the machine share, such as ``/tmp``, or a setting is wrong.
    """
    settings = settings or read_settings()
    home = settings.home
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        home.mkdir(mode=0o700, exist_ok=True)
        close_to_others(home)
    except OSError as error:  # commands that write nothing work without a home; the others say what is wrong
        log.debug("the home %s cannot be made or closed: %s", home, error)
    return settings


def close_to_others(folder: Path) -> None:
    """Take all rights on a folder from other users; a folder of another user stays as it is.

    Raises
    ------
    RequestError
        The folder is one that all users share.
    OSError
        The folder is not there, or its rights cannot be changed.
    """
    found = folder.stat()
    if found.st_mode & stat.S_ISVTX:
        raise RequestError(
            f"{folder} is a folder that all users of this machine share",
            advice=f"HELIO_HOME={folder / 'helio'}, a folder of your own",
        )
    if found.st_uid != os.geteuid() and found.st_mode & 0o022:
        raise RequestError(
            f"{folder} belongs to another user, and others can write to it",
            advice="HELIO_HOME=a folder of your own",
        )
    if found.st_uid == os.geteuid() and found.st_mode & 0o077:
        folder.chmod(stat.S_IMODE(found.st_mode) & 0o700)
        log.warning("other users of this machine could read %s; from now on only you can", folder)


def _number(environ: Mapping[str, str], name: str, default: float, *, least: float) -> float:
    text = environ.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value < float("inf"):
        raise RequestError(f"{name} is '{text}', not a number of at least {least:g}")
    return value


def _network(environ: Mapping[str, str]) -> NetworkLimits:
    limits = NetworkLimits
    megabytes = _number(environ, "HELIO_REPLY_MB", limits.reply_bytes / 10**6, least=1)
    return NetworkLimits(
        reply_bytes=int(megabytes * 10**6),
        reply_seconds=_number(environ, "HELIO_REPLY_SECONDS", limits.reply_seconds, least=1),
        least_rate=_number(environ, "HELIO_LEAST_RATE", limits.least_rate, least=1),
        rate_seconds=_number(environ, "HELIO_RATE_SECONDS", limits.rate_seconds, least=1),
        further_hosts=_further_hosts(environ),
    )


def _further_hosts(environ: Mapping[str, str]) -> frozenset[tuple[str, int]]:
    """Hosts and their ports, from ``HOST,HOST:PORT``."""
    found: set[tuple[str, int]] = set()
    for text in filter(None, (part.strip() for part in environ.get("HELIO_FURTHER_HOSTS", "").split(","))):
        try:
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host = port = None
        if not host or parts.netloc != text or set(text) & set("@ \t"):
            raise RequestError(
                f"HELIO_FURTHER_HOSTS holds '{text}', not HOST or HOST:PORT",
                advice="such as data.example.org,127.0.0.1:8080",
            )
        found |= {(host, 80), (host, 443)} if port is None else {(host, port)}
    return frozenset(found)


def _idle(text: str) -> float | None:
    """Seconds of ``30min``, ``2h`` or a number of minutes; None of ``never`` or 0."""
    text = text.strip()
    if not text:
        return IDLE
    if text == "never":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d*)?) ?(s|min|h|d|)", text, re.ASCII)
    seconds = (
        float(found[1]) * {"s": 1, "min": 60, "": 60, "h": 3600, "d": 86400}[found[2]] if found else -1.0
    )
    if seconds and not 1 <= seconds <= 366 * 86400:
        raise RequestError(
            f"HELIO_ENGINE_IDLE is '{text}', not a duration from 1s to 366d",
            advice="30min, 2h, a number of minutes, or never",
        )
    return seconds or None


def _of_sources(environ: Mapping[str, str], what: str) -> Iterator[tuple[str, str, str]]:
    """Variables ``HELIO_NAME_WHAT`` that are set: name, NAME as sources are called, and value."""
    for variable, value in environ.items():
        named = re.fullmatch(rf"HELIO_([A-Z0-9_]+)_{what}", variable)
        if named and value:
            yield variable, named[1].lower().replace("_", "-"), value


def _addresses(environ: Mapping[str, str]) -> dict[str, str]:
    """Addresses of sources by name; the model's maker is no source of data."""
    return {name: url for _, name, url in _of_sources(environ, "URL") if name != "model"}


def _servers(environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """URLs of servers by name, from ``NAME=URL,NAME=URL``, for each source of many servers."""
    servers: dict[str, dict[str, str]] = {}
    for variable, source, text in _of_sources(environ, "SERVERS"):
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, _, url = (word.strip() for word in part.partition("="))
            if not name or not url.startswith(("http://", "https://")):
                raise RequestError(
                    f"{variable} holds '{part}', not NAME=URL",
                    advice=f"NAME=https://HOST/{source}",
                )
            servers.setdefault(source, {})[name] = url
    return servers


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("helio", appauthor=False)
