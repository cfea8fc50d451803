"""Writes docs/tools.md from the tools' own docstrings; it is not kept in the repository."""

from __future__ import annotations

import inspect
from pathlib import Path

from helio.steps import load_tool
from helio.steps.signature import Signature, signatures

PAGE = Path(__file__).parents[1] / "docs" / "tools.md"
INTRODUCTION = """# Tools

Written by `python scripts/write_tool_reference.py` from the tools themselves; `helio show TOOL` shows one of them.
In a template the tables before `*` are named by their labels, in `source_label` or `source_labels`.
"""


def reference() -> str:
    """Write the page: every tool with its signature, its docstring and its example."""
    return "\n".join([INTRODUCTION, *(_described(tool) for tool in signatures().values())])


def _described(tool: Signature) -> str:
    if not tool.runs:
        return f"## {tool.name}\n\n{tool.summary}\n\n```json\n{tool.example}\n```\n"
    function = load_tool(tool.name)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
    ]
    call = inspect.Signature(parameters)
    return f"## {tool.name}\n\n```text\n{tool.name}{call}\n\n{inspect.getdoc(function)}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
