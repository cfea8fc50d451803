"""What ``--help`` shows on a terminal of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from helio.cli import app
from helio.cli.groups import GROUPS
from tests.rows import in_one_test

ROOT: Any = get_command(app)


def commands(command: Any = ROOT, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command."""
    yield words
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*words, name))


def command_of(words: tuple[str, ...]) -> Any:
    command = ROOT
    for word in words:
        command = command.commands[word]
    return command


def help_of(*words: str) -> str:
    narrow = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="helio", env=narrow)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_command_is_in_one_group():
    grouped = [name for names in GROUPS.values() for name in names]
    assert sorted(grouped) == sorted(ROOT.commands)


def test_the_help_lists_the_groups_in_order_and_the_commands_in_them():
    text = help_of()
    titles = [text.index(f"\n{title}:\n") for title in GROUPS]
    assert titles == sorted(titles)
    names = [text.index(f"\n  {name:<9}  ") for names in GROUPS.values() for name in names]
    assert names == sorted(names)


@in_one_test("words", commands())
def test_no_description_is_cut_and_no_line_is_longer_than_the_terminal(words: tuple[str, ...]):
    text = help_of(*words)
    shown = " ".join(text.split())
    for command in getattr(command_of(words), "commands", {}).values():
        assert " ".join(command.help.split("\n\n")[0].split()) in shown
    assert max(map(len, text.splitlines())) <= 80


@in_one_test("words", commands())
def test_every_option_is_described_in_a_sentence_and_its_value_has_a_name(words: tuple[str, ...]):
    for parameter in command_of(words).params:
        assert getattr(parameter, "hidden", False) or parameter.name == "help" or parameter.help.endswith(".")
    assert not re.search(r"<(path|str|int|float|int range)>|\{[a-z]+\}", help_of(*words))
