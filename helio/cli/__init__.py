"""The command ``helio``: read the arguments, call helio's functions once, print text, and return an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from inspect import getdoc

import typer
from typer.main import get_command_name
from typer.models import CommandInfo

from helio import interrupts

# a module's commands join the command when it is imported; --help lists them in this order
from helio.cli import run, new, authoring, proposals, chat, memory, mcp, models, pipelines  # isort: skip
from helio.cli import reference, runs, gallery  # isort: skip
from helio.cli import reproduce, schedules, service, backfill, drift, data, archive, upkeep, dev  # isort: skip
from helio.cli.app import app

__all__ = [
    "app",
    "archive",
    "authoring",
    "backfill",
    "chat",
    "command_for",
    "data",
    "dev",
    "drift",
    "gallery",
    "main",
    "mcp",
    "memory",
    "models",
    "new",
    "pipelines",
    "proposals",
    "reference",
    "reproduce",
    "run",
    "runs",
    "schedules",
    "service",
    "upkeep",
]


_HELP = ("-h", "--help")


def command_for(words: Sequence[str]) -> typer.Typer:
    """Return an application with only the command in `words`, because building all commands takes long.

    Parameters
    ----------
    words : sequence of str
        The command line without its program.

    Returns
    -------
    Typer
        The named command alone; for ``--help`` all commands without their options; otherwise all commands.
    """
    if words and words[0] in _HELP:
        return _described()
    chosen = copy(app)
    chosen.registered_commands = [
        command
        for command in app.registered_commands
        if command.callback and words[:1] == [command.name or get_command_name(command.callback.__name__)]
    ]
    chosen.registered_groups = [group for group in app.registered_groups if words[:1] == [group.name]]
    return chosen if chosen.registered_commands or chosen.registered_groups else app


def _described() -> typer.Typer:
    """Build the application for ``helio --help``, which shows descriptions of all commands, but no options."""
    chosen = copy(app)
    chosen.registered_commands = [_without_options(command) for command in app.registered_commands]
    chosen.registered_groups = [copy(group) for group in app.registered_groups]
    for group in chosen.registered_groups:
        group.typer_instance = copy(group.typer_instance)
        if group.typer_instance is not None:
            group.typer_instance.registered_commands = []
    return chosen


def _without_options(command: CommandInfo) -> CommandInfo:
    described = copy(command)
    if command.callback is not None:
        described.name = command.name or get_command_name(command.callback.__name__)
        described.help = command.help or getdoc(command.callback)
    described.callback = _nothing
    return described


def _nothing() -> None:
    """Do nothing; this function replaces the commands of which ``helio --help`` shows only the description."""


def main() -> None:
    """Run the command; `helio.__main__` calls this function after it has prepared for Ctrl-C."""
    interrupts.install()
    interrupts.carry_out(command_for(sys.argv[1:]))
