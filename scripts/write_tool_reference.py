"""Writes docs/tools.md, the pages of all tools as `helio tools TOOL` shows them; it is not kept in the repository."""

from __future__ import annotations

from pathlib import Path

from helio.steps.signature import signatures
from helio.steps.tool_page import GROUPS, group_of, tool_page

PAGE = Path(__file__).parents[1] / "docs" / "tools.md"
INTRODUCTION = """# Tools

Written by `python scripts/write_tool_reference.py` from the tools themselves; `helio tools TOOL` shows one of them.
"""


def reference() -> str:
    """Write the page: every tool by group, as the command shows it."""
    parts = [INTRODUCTION]
    for group in GROUPS:
        parts.append(f"## {group[0].upper()}{group[1:]}\n")
        parts += [
            f"### {tool.name}\n\n```text\n{tool_page(tool)}\n```\n"
            for tool in signatures().values()
            if group_of(tool) == group
        ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
