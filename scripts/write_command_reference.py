"""Writes docs/commands.md from the commands' own ``--help``; a test holds it there."""

from __future__ import annotations

from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from helio.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"


def reference() -> str:
    """The page: the help of ``helio`` and of each of its commands."""
    command = get_command(app)
    names = ["", *getattr(command, "commands", {})]
    parts = ["# Commands\n\nWritten by `python scripts/write_command_reference.py` from `--help`.\n"]
    for name in names:
        arguments = [name, "--help"] if name else ["--help"]
        shown = CliRunner().invoke(
            app, arguments, prog_name="helio", env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}
        )
        parts.append(f"## helio {name}".rstrip() + f"\n\n```text\n{shown.output.strip()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
