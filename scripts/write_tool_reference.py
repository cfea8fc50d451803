"""Makes the pages of the tools from their signatures and docstrings; `make docs` writes them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import cell, definitions, markdown, page_name, terms

from helio.steps import load_tool
from helio.steps.docstrings import sections
from helio.steps.signature import Signature, signatures
from helio.steps.tool_page import (
    GROUPS,
    argument_words,
    context_words,
    group_of,
    in_template_words,
    result_words,
    step_text,
    tool_page,
)


def pages() -> dict[str, str]:
    """Make a page for each tool and each group of tools, and an index, by path in the reference."""
    tools = sorted(signatures().values(), key=lambda tool: (GROUPS.index(group_of(tool)), tool.name))
    groups = {group: list(members) for group, members in groupby(tools, group_of)}
    listed = {f"tools/{page_name(group)}.md": _group(group, members) for group, members in groups.items()}
    return (
        {"tools/index.md": _index(groups)} | listed | {f"tools/{tool.name}.md": _page(tool) for tool in tools}
    )


def _index(groups: Mapping[str, Sequence[Signature]]) -> str:
    parts = [
        "# Tools",
        "A step of a template uses one tool: `tool_name` names it, `tool_args` has its arguments. "
        "`helio tools` lists the tools, `helio tools TOOL` shows one of them.",
    ]
    for group, tools in groups.items():
        parts += [f"## [{group[0].upper()}{group[1:]}]({page_name(group)}.md)", _table(tools)]
    return "\n\n".join([*parts, _hidden(map(page_name, groups))])


def _group(group: str, tools: Sequence[Signature]) -> str:
    title = f"# {group[0].upper()}{group[1:]}"
    return "\n\n".join([title, _table(tools), _hidden(tool.name for tool in tools)])


def _table(tools: Sequence[Signature]) -> str:
    rows = (f"| [{tool.name}]({tool.name}.md) | {cell(tool.summary)} |" for tool in tools)
    return "\n".join(["| tool | what it does |", "|---|---|", *rows])


def _hidden(names: Iterable[str]) -> str:
    listing = "\n".join(names)
    return f"```{{toctree}}\n:hidden:\n\n{listing}\n```\n"


def _page(tool: Signature) -> str:
    page = tool_page(tool)
    docstring = (inspect.getdoc(load_tool(tool.name)) or "") if tool.runs else ""
    described = sections(in_template_words(tool, docstring))
    parts = [f"# {tool.name}", markdown(tool.summary)]
    parts += [markdown(text) for text in (described.get("", "").partition("\n")[2].strip(),) if text]
    arguments = [
        (
            f"`{argument.name}` *{markdown(argument_words(tool, argument))}*",
            markdown(argument.schema.get("description", "")),
        )
        for argument in tool.arguments
    ]
    parts += ["## Arguments", definitions(arguments)]
    parts += [f"Give one of {', '.join(f'`{name}`' for name in group)}." for group in tool.needs]
    if tool.gives == "figure":
        parts.append("[Keys of a figure](../figure.md) explains each key of a figure.")
    parts += ["## Result", *(markdown(text) for text in (result_words(tool), context_words(tool)) if text)]
    parts += [terms(described[title]) for title in ("Returns",) if title in described]
    parts += [f"## Errors\n\n{terms(described[title])}" for title in ("Raises",) if title in described]
    for title in ("Notes", "References"):
        if title in described:
            parts += [f"## {title}", markdown(described[title])]
    if page.step is not None:
        parts += ["## As a step of a template", f"```json\n{step_text(page.step)}\n```"]
    if tool.runs:
        parts += ["## In Python", *_example(f">>> from {tool.module} import *\n\n{tool.example}")]
    parts.append(f"Version {tool.version}.")
    if tool.synonyms:
        parts[-1] += f" Other words for it: {', '.join(f'`{word}`' for word in tool.synonyms)}."
    return "\n\n".join(parts) + "\n"


def _example(text: str) -> list[str]:
    return [
        f"```pycon\n{paragraph}\n```" if paragraph.startswith(">>>") else markdown(paragraph)
        for paragraph in text.split("\n\n")
    ]
