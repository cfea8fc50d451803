"""Group the commands in ``helio --help``, and show the whole description of each command."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Run pipelines and look at results": (
        "list",
        "show",
        "run",
        "plan",
        "runs",
        "describe",
        "preview",
        "why",
        "gallery",
        "report",
    ),
    "Check and share pipelines": (
        "check",
        "fix",
        "copy",
        "save",
        "import",
        "export",
        "history",
        "blame",
        "delete",
    ),
    "Write and edit pipelines": (
        "new",
        "author",
        "edit",
        "chat",
        "answer",
        "repair",
        "proposals",
        "accept",
        "reject",
        "models",
        "mcp",
        "memory",
    ),
    "Find data": ("datasets", "missions", "archive", "catalog"),
    "Run pipelines on a schedule": (
        "backfill",
        "drift",
        "refresh",
        "schedule",
        "serve",
        "status",
        "notify",
        "up",
        "down",
    ),
    "Reproduce and cite": ("lock", "verify", "rerun", "diff", "cite"),
    "Get help and extend helio": ("tools", "explain", "doctor", "gc", "passes", "schema", "dev"),
}
"""Titles of the groups of commands, each with its commands; first the group that a new user needs first."""


class Commands(TyperGroup):
    """Group of commands whose help shows the whole description of each command."""

    def sections(self) -> dict[str, list[str]]:
        """Map each title that the help shows to the names of the commands below it."""
        return {"Commands": list(self.commands)}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands in the order of the help."""
        return [name for names in self.sections().values() for name in names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the description of each command, in one or more lines, below the title of its group."""
        width = max(map(len, self.commands))
        for title, names in self.sections().items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{width}}", _description(self.commands[name])) for name in names]
                )


class GroupedCommands(Commands):
    """All commands of helio, in the groups and the order of `GROUPS`."""

    def sections(self) -> dict[str, list[str]]:
        """Return the commands created so far, grouped as in the help."""
        made = {title: [name for name in names if name in self.commands] for title, names in GROUPS.items()}
        return {title: names for title, names in made.items() if names}


def _description(command: Any) -> str:
    """Return the first paragraph of a command's description as one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())
