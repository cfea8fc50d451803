"""Find the tools that a question is about, and what their pages say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from helio.authoring.rules.questions.asked import NAMED_UNITS, covered, stems
from helio.authoring.rules.questions.values import sentences
from helio.authoring.rules.questions.values_asked import ASKS_A_VALUE, kind_asked
from helio.patterns import ignoring_case
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage, argument_words, result_words, tool_page

_MOST_TOOLS = 5


ASKS_A_TOOL = frozenset({"meanings", "methods", "tools", "computations", "units", "reasons"})
"""Properties that the whole page of a tool answers."""
_INPUTS = re.compile(
    r"\b(?:needs?|requires?|wants?|expects?|takes?|inputs?|arguments?|options?)\b", re.IGNORECASE
)


_FAILS = re.compile(
    r"\b(?:fail\w*|errors?|rais\w+|refus\w+|complain\w*|stop\w*|crash\w*|if|when|without|too)\b",
    re.IGNORECASE,
)
AUTHORS = re.compile(
    r"\b(?:who|whose|whom|authors?|papers?|models?|references?|published?|literature)\b", re.IGNORECASE
)


def tool_lines(page: ToolPage, text: str, topics: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Answer a question about a tool from its page; say nothing if the page does not have the words of the question.

    Parameters
    ----------
    words : sequence of str
        The words of the question without the name of the tool.
    """
    tool = page.tool
    words = [word for word in words if not stems(word) <= stems(tool.name.replace("_", " "))]
    texts = {line: stems(line) for line in page_sentences(tool.name, text)}
    chosen, left = covered(words, texts, text, most=2)
    references = " ".join(page.references.split())
    if asks_inputs(text):
        yield from argument_lines(tool.name, words) or argument_lines(tool.name)
    elif "units" in topics:
        yield f"{tool.name}: {result_words(tool)}"
    elif AUTHORS.search(text):
        yield f"{tool.name}: {references}"
    elif (
        words and {*topics} & ASKS_A_VALUE and not left and not any(re.search(r"\d", line) for line in chosen)
    ):
        yield f"{tool.name}: {' '.join(page.returns.split())}"
    elif words or kind_asked(text):
        yield from chosen if not left else ()
    elif "methods" in topics or ignoring_case(r"\bhow\b").search(text):
        parts = (page.returns, page.notes, references)
        yield from (f"{tool.name}: {' '.join(part.split())}" for part in parts if part)
    else:
        yield f"{tool.name}: {tool.summary}"


def asks_inputs(text: str) -> bool:
    """Return whether a question asks what a tool needs, or in which unit."""
    return _INPUTS.search(text) is not None or NAMED_UNITS.search(text) is not None


def argument_lines(name: str, words: Sequence[str] | None = None) -> list[str]:
    """Describe the arguments of a tool; with words, those whose names have one of the words first in them."""
    tool = signatures()[name]
    wanted = None if words is None else stems(" ".join(words))
    return [
        f"{tool.name}: {argument.name} ({argument_words(tool, argument)}): {argument.schema.get('description', '')}"
        for argument in tool.arguments
        if wanted is None or stems(argument.name.removesuffix("_label").replace("_", " ")) <= wanted
    ]


def tools_with(words: Sequence[str], among: Collection[str] | None = None) -> list[str]:
    """Return the tools whose page has words, best match first; by default of all tools."""
    wanted = {word: stems(word) for word in words}
    scored: list[tuple[int, int, str]] = []
    for tool in signatures().values() if among is None else map(signatures().__getitem__, among):
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


def page_sentences(name: str, question: str = "") -> Iterator[str]:
    """Yield the sentences of a tool's page; those about failures only for a question that may ask about one."""
    tool = signatures().get(name)
    if tool is not None:
        page = tool_page(tool)
        arguments = [
            f"{argument.name}: {argument.schema.get('description', '')}" for argument in tool.arguments
        ]
        failures = page.raises if not question or _FAILS.search(question) else ""
        for part in (tool.summary, page.notes, page.returns, failures, *arguments):
            yield from (f"{name}: {sentence}" for sentence in sentences(part))
        if page.references:
            yield f"{name}: {' '.join(page.references.split())}"
