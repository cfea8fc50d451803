"""What the environment says, read in one place: the home folder, the archive, the browser, the language model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from helio.errors import RequestError


@dataclass(frozen=True)
class Settings:
    """Everything that is neither in a template nor on the command line."""

    home: Path
    """Everything a user owns: ``$HELIO_HOME``, else the platform's data folder."""
    archive: str = ""
    """``$HELIO_ARCHIVE``: the archive of runs that name none."""
    cdaweb_url: str = ""
    """``$HELIO_CDAWEB_URL``: another server than NASA's, that speaks as CDAWeb does."""
    swpc_url: str = ""
    """``$HELIO_SWPC_URL``: another server than NOAA's, that has what services.swpc.noaa.gov has."""
    hapi_servers: Mapping[str, str] = field(default_factory=dict)
    """``$HELIO_HAPI_SERVERS``, ``NAME=URL,…``: HAPI servers beside those that are known, or in their place."""
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
        cdaweb_url=environ.get("HELIO_CDAWEB_URL", ""),
        swpc_url=environ.get("HELIO_SWPC_URL", ""),
        hapi_servers=_servers(environ),
        browser=environ.get("BROWSER_PATH", ""),
        path=environ.get("PATH", os.defpath),
        workers=int(_number(environ, "HELIO_WORKERS", min(4, os.cpu_count() or 1), least=1)),
        step_seconds=_number(environ, "HELIO_STEP_SECONDS", 900.0, least=1),
        worker_memory=int(memory * 1024**2) if memory else None,
        sandbox="weak" if sandbox == "weak" else "refuse",
        engine="direct" if engine == "direct" else "prefect",
        model_key=(environ.get("GEMINI_API_KEY") or environ.get("GOOGLE_API_KEY") or "").strip(),
        model_url=environ.get("HELIO_MODEL_URL", ""),
        model_smart=environ.get("HELIO_MODEL_SMART") or Settings.model_smart,
        model_fast=environ.get("HELIO_MODEL_FAST") or Settings.model_fast,
        model_fallback="" if fallback == "none" else fallback,
        model_tokens=int(tokens) or None,
        environ=dict(environ),
    )


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


def _servers(environ: Mapping[str, str]) -> dict[str, str]:
    """URLs of servers by name, from ``NAME=URL,NAME=URL``."""
    found = {}
    for one in filter(None, (part.strip() for part in environ.get("HELIO_HAPI_SERVERS", "").split(","))):
        name, _, url = (part.strip() for part in one.partition("="))
        if not name or not url.startswith(("http://", "https://")):
            raise RequestError(
                f"HELIO_HAPI_SERVERS holds '{one}', not NAME=URL", advice="NAME=https://HOST/hapi"
            )
        found[name] = url
    return found


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("helio", appauthor=False)
