"""The command: arguments in, one call of the API, text and an exit code out."""

from __future__ import annotations

from helio import interrupts

# a module's commands join the command when it is imported; --help lists them in this order
from helio.cli import run, authoring, pipelines, reference, runs  # isort: skip
from helio.cli import reproduce, schedules, data, archive, upkeep, dev  # isort: skip
from helio.cli.app import app

__all__ = [
    "app",
    "archive",
    "authoring",
    "data",
    "dev",
    "main",
    "pipelines",
    "reference",
    "reproduce",
    "run",
    "runs",
    "schedules",
    "upkeep",
]


def main() -> None:
    """Run the command; ``helio`` itself begins in `helio.__main__`, which takes Ctrl-C before it imports this."""
    interrupts.install()
    interrupts.carry_out(app)
