"""Makes the pages of the tools from their signatures and docstrings; `make docs` writes them."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import cell, markdown, sections, terms, type_of

from helio.steps import load_tool
from helio.steps.signature import Signature, signatures
from helio.steps.tool_page import GROUPS, group_of


def pages() -> dict[str, str]:
    """Make a page for each tool and an index, by path in the reference."""
    tools = sorted(signatures().values(), key=lambda tool: (GROUPS.index(group_of(tool)), tool.name))
    return {"tools/index.md": _index(tools)} | {f"tools/{tool.name}.md": _page(tool) for tool in tools}


def _index(tools: list[Signature]) -> str:
    parts = [
        "# Tools",
        "A step of a template uses one tool: `tool_name` names it, `tool_args` has its arguments. "
        "`helio tools` lists the tools, `helio tools TOOL` shows one of them.",
    ]
    for group, members in groupby(tools, group_of):
        parts += [f"## {group[0].upper()}{group[1:]}", "| tool | what it does |\n|---|---|"]
        parts[-1] += "".join(
            f"\n| [{tool.name}]({tool.name}.md) | {cell(tool.summary)} |" for tool in members
        )
    listing = "\n".join(tool.name for tool in tools)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{listing}\n```\n"])


def _page(tool: Signature) -> str:
    parts = [f"# {tool.name}", markdown(tool.summary)]
    described = sections(load_tool(tool.name).__doc__ or "") if tool.runs else {}
    _, _, more = described.get("", "").partition("\n\n")
    if more:
        parts.append(markdown(more))
    parts += ["## Arguments in a template", "| argument | type | meaning |\n|---|---|---|"]
    for argument in tool.arguments:
        name = f"`{argument.name}`" + (" (required)" if argument.required else "")
        meaning = cell(argument.schema.get("description", ""))
        if argument.default not in (None, "", [], ()):
            meaning += f" Default: `{json.dumps(argument.default, ensure_ascii=False)}`."
        parts[-1] += f"\n| {name} | {cell(type_of(argument.schema))} | {meaning} |"
    for group in tool.needs:
        parts.append(f"Give one of {', '.join(f'`{name}`' for name in group)}.")
    if tool.gives == "figure":
        parts.append("[Keys of a figure](../figure.md) explains each key of a figure.")
    for title in ("Returns", "Raises"):
        if title in described:
            parts += [f"## {title}", terms(described[title])]
    for title in ("Notes", "References"):
        if title in described:
            parts += [f"## {title}", markdown(described[title])]
    parts += ["## Example", *(_example(tool.example) if tool.runs else [f"```json\n{tool.example}\n```"])]
    facts = [f"Version {tool.version}."]
    if tool.synonyms:
        facts.append(f"Also understood as: {', '.join(f'`{word}`' for word in tool.synonyms)}.")
    if tool.context.reach == "range":
        facts.append(f"Uses the whole time range: {markdown(tool.context.reason)}.")
    return "\n\n".join([*parts, "## Facts", *facts]) + "\n"


def _example(text: str) -> list[str]:
    return [
        f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else markdown(paragraph)
        for paragraph in text.split("\n\n")
    ]
