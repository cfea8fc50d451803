"""What the environment says, read in one place: the home folder, the archive and the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """Everything that is neither in a template nor on the command line."""

    home: Path
    """Everything a user owns: ``$HELIO_HOME``, else the platform's data folder."""
    archive: str = ""
    """``$HELIO_ARCHIVE``: the archive of runs that name none."""
    browser: str = ""
    """``$BROWSER_PATH``: the Chromium that draws static figures."""

    @property
    def templates(self) -> Path:
        """The user's own pipelines."""
        return self.home / "templates"

    @property
    def log_file(self) -> Path:
        """What every command did, in detail."""
        return self.home / "logs" / "helio.log"


def read_settings(environ: Mapping[str, str]) -> Settings:
    """Settings from environment variables."""
    return Settings(
        home=Path(environ["HELIO_HOME"]).expanduser() if environ.get("HELIO_HOME") else _data_folder(),
        archive=environ.get("HELIO_ARCHIVE", ""),
        browser=environ.get("BROWSER_PATH", ""),
    )


def _data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("helio", appauthor=False)
