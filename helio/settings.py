"""What the environment says, read in one place: the home folder, the archive and the browser."""

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

    engine: Literal["prefect", "direct"] = "prefect"
    """``$HELIO_ENGINE``: what ``helio run`` uses when it is not told."""
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
    memory = _number(environ, "HELIO_WORKER_MEMORY", 0.0, least=512)
    return Settings(
        home=Path(environ["HELIO_HOME"]).expanduser().absolute()
        if environ.get("HELIO_HOME")
        else _data_folder(),
        archive=environ.get("HELIO_ARCHIVE", ""),
        cdaweb_url=environ.get("HELIO_CDAWEB_URL", ""),
        browser=environ.get("BROWSER_PATH", ""),
        path=environ.get("PATH", os.defpath),
        workers=int(_number(environ, "HELIO_WORKERS", min(4, os.cpu_count() or 1), least=1)),
        step_seconds=_number(environ, "HELIO_STEP_SECONDS", 900.0, least=1),
        worker_memory=int(memory * 1024**2) if memory else None,
        engine="direct" if engine == "direct" else "prefect",
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


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("helio", appauthor=False)
