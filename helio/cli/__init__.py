"""The command: arguments in, one call of the API, text and an exit code out."""

from __future__ import annotations

# a module's commands join the command when it is imported; --help lists them in this order
from helio.cli import run, authoring, pipelines, runs, reproduce, schedules, data, upkeep  # isort: skip
from helio.cli.app import app

__all__ = ["app", "authoring", "data", "main", "pipelines", "reproduce", "run", "runs", "schedules", "upkeep"]


def main() -> None:
    """Run the command."""
    app()
