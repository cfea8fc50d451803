"""Find the tools that a question is about, and what their pages say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from helio.authoring.rules.questions.asked import covered, stems
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage, argument_words, tool_page

_MOST_TOOLS = 5


_NOT_ASKED = frozenset({"meanings", "methods", "tools", "reasons", "frames"})
"""Properties that the lines about a tool say without a look at its sentences."""


def tool_lines(
    page: ToolPage, topics: Sequence[str], words: Sequence[str], *, arguments: bool
) -> Iterator[str]:
    """Describe a tool from its page, with what a question asks of it.

    Parameters
    ----------
    words : sequence of str
        The words of the question without the name of the tool; the sentences of the page that have them come first.
    arguments : bool
        Whether the question asks what the tool needs.
    """
    tool = page.tool
    chosen: list[str] = []
    asks_number = bool({"numbers", "constants"} & set(topics))
    if set(topics) - _NOT_ASKED and not arguments:
        texts = {text: stems(text.removeprefix(f"{tool.name}: ")) for text in page_sentences(tool.name)}
        if asks_number:
            texts = {text: has for text, has in texts.items() if re.search(r"\d", text)}
        chosen = covered(words, texts, " ".join(words), most=2)[0]
    yield from chosen
    yield f"{tool.name}: {tool.summary}"
    if arguments or "settings" in topics:
        yield from argument_lines(tool.name, words) or argument_lines(tool.name)
    if "methods" in topics or (asks_number and not chosen):
        yield from (
            f"{tool.name}: {' '.join(part.split())}"
            for part in (page.notes, page.returns, page.references)
            if part
        )
    yield f"`helio tools {tool.name}` shows its page"


def argument_lines(name: str, words: Sequence[str] | None = None) -> list[str]:
    """Describe the arguments of a tool; with words, those whose names have one of the words first in them."""
    tool = signatures()[name]
    wanted = None if words is None else stems(" ".join(words))
    return [
        f"{tool.name}: {argument.name} ({argument_words(tool, argument)}): {argument.schema.get('description', '')}"
        for argument in tool.arguments
        if wanted is None or stems(argument.name.removesuffix("_label").replace("_", " ")) <= wanted
    ]


def tools_with(words: Sequence[str]) -> list[str]:
    """Return the tools whose page has words, best match first."""
    wanted = {word: stems(word) for word in words}
    scored: list[tuple[int, int, str]] = []
    for tool in signatures().values():
        named, all_words = tool_words()[tool.name]
        close = sum(stem <= named for stem in wanted.values())
        far = sum(stem <= all_words for stem in wanted.values())
        if close and 2 * far >= len(words):
            scored.append((far, close, tool.name))
    most = max((far for far, _, _ in scored), default=0)
    scored = sorted((row for row in scored if row[0] == most), key=lambda row: (-row[1], row[2]))
    return [name for _, _, name in scored[:_MOST_TOOLS]]


@cache
def tool_words() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Return the stems in the names and the summary of each tool, and those of its whole page."""
    words = {}
    for tool in signatures().values():
        named = stems(" ".join((tool.name, *tool.synonyms, tool.summary)).replace("_", " "))
        words[tool.name] = (named, named | stems(tool_page(tool).text()))
    return words


def page_sentences(name: str) -> Iterator[str]:
    tool = signatures().get(name)
    if tool is not None:
        page = tool_page(tool)
        arguments = [
            f"{argument.name}: {argument.schema.get('description', '')}" for argument in tool.arguments
        ]
        for part in (tool.summary, page.notes, page.returns, page.raises, page.references, *arguments):
            yield from (
                f"{name}: {sentence}"
                for sentence in re.split(r"(?<=[.;])\s+", " ".join(part.split()))
                if sentence
            )
