"""Run a command in this process."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from helio.cli import app


def helio(*words: str, code: int = 0) -> Result:
    """Run ``helio`` with these words, and expect an exit code."""
    result = CliRunner().invoke(app, list(words), prog_name="helio")
    assert result.exit_code == code, result.output
    return result
