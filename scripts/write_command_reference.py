"""Writes docs/commands.md from the commands' own ``--help``; a test holds it there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from helio.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"


def reference() -> str:
    """The page: the help of ``helio``, of each of its commands, and of theirs."""
    parts = ["# Commands\n\nWritten by `python scripts/write_command_reference.py` from `--help`.\n"]
    for words in _commands(get_command(app), ()):
        shown = CliRunner().invoke(
            app, [*words, "--help"], prog_name="helio", env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
        )
        parts.append(f"## {' '.join(('helio', *words))}\n\n```text\n{shown.output.strip()}\n```\n")
    return "\n".join(parts)


def _commands(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*words, name))


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
