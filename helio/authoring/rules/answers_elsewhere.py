"""Answer what a template does not say: from the catalogue, and from the reference of tools, codes and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from helio.authoring.rules.asked import Atom, stems
from helio.authoring.rules.question import Question, in_words, kinds_of, quoted
from helio.authoring.rules.source_facts import SourceFacts
from helio.authoring.rules.tool_facts import tool_lines, tools_with
from helio.knowledge.search import Search
from helio.knowledge.text import answer_lines, source_lines
from helio.pipelines.codes import Code
from helio.pipelines.reference import look_up
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage


def from_catalogue(question: Question, atoms: Sequence[Atom], topics: Sequence[str]) -> Iterator[str]:
    """Answer from the catalogue about data that the template does not have."""
    sources, more = question.sources(atoms)
    missing = quoted([atom.words for atom in atoms])
    if not sources:
        has = "the catalogue has" if question.pipeline is None else "the pipeline has"
        question.unsaid.append(f"{has} nothing called {missing}")
        return
    data = SourceFacts(sources, question.catalogue)
    lines: list[str] = []
    for topic in topics or ["datasets"]:
        chosen = "coverage" if topic == "times" else topic
        facts = [fact.text for fact in data.topics[chosen]()] if chosen in data.topics else []
        if not facts:
            question.unsaid.append(f"the catalogue does not say {in_words(topic)}")
        lines += facts
    if lines and question.pipeline is not None:
        yield f"the pipeline has no {missing}; from the catalogue:"
    yield from lines
    if lines and more:
        yield f"and {more} more; `helio datasets search` finds them"


def explanation_of(question: Question, atom: Atom) -> Iterator[str]:
    """Explain a tool, a code or a key."""
    wanted = sorted(name for kind, name in atom.subjects if kind in ("tool", "code", "key"))
    for name in wanted:
        for entry in look_up(name.replace(" ", "_") if "code" not in kinds_of(atom) else name):
            if isinstance(entry, Code):
                yield f"{entry.code} ({entry.kind}): {entry.meaning}. {entry.why} What to do: {entry.to_do}"
            elif isinstance(entry, ToolPage):
                arguments = question.asked.begins("needs?", "requires?", "inputs?", "arguments?", "options?")
                yield from tool_lines(entry, question.topics, arguments=arguments)
            else:
                places = "; ".join(entry.places)
                yield f"{entry.name}: {entry.schema.get('description', '')} (a key of {places or 'templates'})"


def tools_found(question: Question) -> Iterator[str]:
    """Name the tools whose page has the words of the question."""
    words = question.content("tools")
    tools = tools_with(words)
    if not tools:
        question.unsaid.append(
            f"no tool says {quoted(words)} on its page; `helio tools` lists all tools"
            if words
            else "it does not say which tool"
        )
    for name in tools:
        yield f"{name}: {signatures()[name].summary}"


def datasets_found(question: Question) -> Iterator[str]:
    """Name the datasets that match the words of the question."""
    words = " ".join(question.content("datasets"))
    result = Search(question.catalogue).find(words, limit=6)
    lost = {part for clause in (*result.unknown, *result.elsewhere) for part in clause.split()}
    question.searched = {word for word in question.asked.rest if not stems(word) & stems(" ".join(lost))}
    if result.hits and 2 * len(question.searched) >= len(question.asked.rest):
        yield from answer_lines(replace(result, unknown={}, elsewhere={}))
        yield from source_lines(words)
    elif not result.hits:
        question.unsaid.append(f"no dataset of the catalogue matches '{words}'")
