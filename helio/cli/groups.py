"""Group the commands of ``helio --help``, and show the whole description of each."""

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
    ),
    "Check and share pipelines": (
        "check",
        "fix",
        "copy",
        "save",
        "import",
        "export",
        "history",
        "delete",
    ),
    "Write and edit pipelines": ("new", "author", "edit", "repair", "proposals"),
    "Find data": ("datasets", "missions", "archive", "catalog"),
    "Run pipelines on a schedule": ("schedule", "serve", "up", "down"),
    "Reproduce and cite": ("lock", "verify", "diff", "cite"),
    "Get help and extend helio": ("tools", "explain", "doctor", "gc", "passes", "schema", "dev"),
}
"""The commands of helio by group, first what a newcomer needs."""


class Commands(TyperGroup):
    """Commands whose help shows the whole description of each."""

    def sections(self) -> dict[str, list[str]]:
        """Return the names of the commands by the title above them."""
        return {"Commands": list(self.commands)}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the sections."""
        return [name for names in self.sections().values() for name in names]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line or more for each command, below the title of its section."""
        width = max(map(len, self.commands))
        for title, names in self.sections().items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{name:<{width}}", _description(self.commands[name])) for name in names]
                )


class GroupedCommands(Commands):
    """Commands in the groups and the order of `GROUPS`."""

    def sections(self) -> dict[str, list[str]]:
        """Return the commands that were made, by their group."""
        made = {title: [name for name in names if name in self.commands] for title, names in GROUPS.items()}
        return {title: names for title, names in made.items() if names}


def _description(command: Any) -> str:
    """Return the first paragraph of a command's help, in one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())
