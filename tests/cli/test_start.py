"""Makes of the command only what the words on the command line need."""

from __future__ import annotations

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from helio.cli import app, command_for
from tests.rows import in_one_test

NAMES = sorted(get_command(app).commands)  # type: ignore[attr-defined]


def text_of(words: list[str], *, whole: bool) -> tuple[int, str]:
    result = CliRunner().invoke(app if whole else command_for(words), words, prog_name="helio")
    return result.exit_code, result.output


@in_one_test("name", NAMES)
def test_a_command_is_made_alone_and_is_the_same(name: str):
    assert list(get_command(command_for([name])).commands) == [name]  # type: ignore[attr-defined]
    assert text_of([name, "--help"], whole=False) == text_of([name, "--help"], whole=True)


@pytest.mark.parametrize("words", [[], ["--help"], ["-v", "list"], ["lsit"], ["--version"], ["list", "-x"]])
def test_other_words_get_what_all_commands_answer(words: list[str]):
    assert text_of(words, whole=False) == text_of(words, whole=True)


def test_the_whole_command_keeps_all_its_commands():
    command_for(["list"])
    assert sorted(get_command(app).commands) == NAMES  # type: ignore[attr-defined]
