"""Makes the page of the commands from their own ``--help``; `make docs` writes it."""

from __future__ import annotations

from collections.abc import Iterator

from typer.main import get_command
from typer.testing import CliRunner

from helio.cli import app


def pages() -> dict[str, str]:
    """Make the page by its path: the help of ``helio``, of each of its commands, and of theirs."""
    parts = ["# Commands\n\nEach command prints its own part of this page: `helio COMMAND --help`.\n"]
    for words in _commands(get_command(app), ()):
        shown = CliRunner().invoke(
            app, [*words, "--help"], prog_name="helio", env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
        )
        parts.append(f"## {' '.join(('helio', *words))}\n\n```text\n{shown.output.strip()}\n```\n")
    return {"commands.md": "\n".join(parts)}


def _commands(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*words, name))
