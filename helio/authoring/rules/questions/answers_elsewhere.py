"""Answer what a template does not say: from the catalogue, and from the reference of tools, codes and keys."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from math import isclose

from helio.authoring.rules.questions.asked import Atom, Subject, folded, stems
from helio.authoring.rules.questions.pipeline_answers import verdict
from helio.authoring.rules.questions.question import Question, as_sentence, in_words, kinds_of, quoted
from helio.authoring.rules.questions.question_sources import datasets_of, described_by
from helio.authoring.rules.questions.source_facts import Fact, Source, SourceFacts, cadences_of, lines_of
from helio.authoring.rules.questions.tool_facts import (
    ASKS_A_TOOL,
    argument_lines,
    asks_inputs,
    tool_lines,
    tools_with,
)
from helio.authoring.rules.questions.values_asked import focus_words
from helio.counts import number_of
from helio.knowledge.cadence import cadence_text, said_cadences
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import search_of
from helio.knowledge.text import answer_lines, source_lines
from helio.patterns import ignoring_case
from helio.pipelines.codes import Code
from helio.pipelines.reference import look_up
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage

_OTHER = re.compile(
    r"\b(?P<kind>other|others|another|alternative|higher|finer|better|faster|lower|coarser|full|highest|finest)\b"
    r"(?:\s+[\w-]+)?\s+(?:time )?(?:data ?sets?|data|cadences?|resolutions?|products?|sources?)\b",
    re.IGNORECASE,
)
"""What asks for data beside those of the pipeline."""
_FINER = {
    **dict.fromkeys(("higher", "finer", "better", "faster", "full", "highest", "finest"), 1),
    **dict.fromkeys(("lower", "coarser"), -1),
}
_OF_RATES = 0.02
"""How much a cadence may differ from a rate that a question names: records every 92 ms are 11 Hz."""
_TWO = 2
_MOST_NAMED = 8


def from_catalogue(question: Question, atoms: Sequence[Atom], topics: Sequence[str]) -> Iterator[str]:
    """Answer from the catalogue about data that the template does not have."""
    sources, more = question.sources(atoms)
    missing = quoted([atom.words for atom in atoms])
    subjects = frozenset[Subject]().union(*(atom.subjects for atom in atoms))
    kinds = {kind for kind, _ in subjects}
    at = {seconds for _, seconds in said_cadences(question.asked.text)}
    if "instrument" in kinds <= {"instrument", "craft"} and (at or "cadence" in topics):
        every = described_by(question.asked.rest, _measured(question, subjects))
        at_cadence = [source for source in every if at & {*cadences_of(source)}]
        sources, more = at_cadence or every, 0
    if not sources:
        has = "the catalogue has" if question.pipeline is None else "the pipeline has"
        question.unsaid.append(f"{has} nothing called {missing}")
        return
    data = SourceFacts(sources, question.catalogue)
    lines: list[str] = []
    for topic in topics or ["datasets"]:
        chosen = "coverage" if topic == "times" else topic
        if topic in ("frames", "units") and all(source.parameter is None for source in sources):
            parts = [part for source in sources for part in source.parts]
            named = [part for part in parts if part.parameter and part.parameter.name in question.asked.rest]
            data = SourceFacts(named or parts, question.catalogue)
        if (
            chosen == "coverage"
            and not question.asked.rest
            and all(kinds_of(atom) == {"craft"} for atom in atoms)
        ):
            lines += _missions(question, atoms)
        if chosen == "coverage" and question.span:
            facts = lines_of(data.available(question.span))
        elif chosen in data.topics:
            found = list(data.topics[chosen]())
            asked = [fact for fact in found if verdict(question, topic, [fact]) == "yes: "]
            said = "yes: " if asked and topic == "frames" else verdict(question, topic, found)
            facts = lines_of(asked or found)
            facts[:1] = [as_sentence(chosen, said, line) for line in facts[:1]]
        else:
            facts = []
        if not facts:
            question.unsaid.append(f"it does not find {in_words(topic)} in the catalogue")
        lines += facts
    if len(sources) == _TWO and "meanings" in topics and question.is_comparison:
        lines += _differences(*sources)
    yield from lines
    if "instruments" in topics and question.narrowing:
        yield f"these are the data whose descriptions have {quoted(question.narrowing)}; others may measure it too"
    if lines and more:
        yield f"and {more} more; `helio datasets search` finds them"
    if lines and question.pipeline is not None:
        yield f"from the catalogue: the pipeline has no {missing}"


def other_data(question: Question) -> list[str]:
    """Name the datasets beside those of the pipeline that measure the same: ``is there a finer resolution?``."""
    asked = _OTHER.search(question.asked.text)
    if question.pipeline is None or asked is None or question.asked.begins("uses?", "used"):
        return []
    named = frozenset[Subject]().union(*(atom.subjects for atom in question.present))
    used = question.pipeline.data.sources
    meant = [source for source in used if source.about & named] or used
    about = {subject for source in meant for subject in source.about if subject[0] in ("craft", "quantity")}
    ids = dict.fromkeys(source.dataset.id for source in used)
    others = [source for source in _measured(question, about) if source.dataset.id not in ids]
    if kind := _FINER.get(asked["kind"].casefold()):
        others = [source for source in others if _is_finer(source, meant, kind)]
    present = lines_of(SourceFacts(meant, question.catalogue).topics["cadence"]())
    lines = lines_of(SourceFacts(others, question.catalogue).topics["cadence"]())
    if not lines:
        is_yes_no = ignoring_case(r"\W*(?:is|are)\b").match(question.asked.text)
        lines = [f"{'no: ' if is_yes_no else ''}the catalogue states no such dataset of the same quantity"]
    return [*lines, f"the pipeline has {'; '.join(present)}"]


def cadence_exists(question: Question) -> list[str]:
    """Say whether data have the cadence that a question names, from the whole catalogue: ``is there 1 s VHM data?``."""
    asked = question.asked
    said = said_cadences(asked.text)
    named = frozenset[Subject]().union(*(atom.subjects for atom in asked.things))
    unread = {*asked.rest} - {word for text, _ in said for word in text.split()}
    unread -= {word for word in unread if said_cadences(word)}
    kinds = {kind for kind, _ in named}
    is_asked = question.is_yes_no and said and not unread and not asked.beyond and not question.span
    topics = {"cadence", "datasets", "coverage"}
    if (
        not is_asked
        or not kinds & {"craft", "instrument"}
        or "dataset" in kinds
        or not {*asked.topics} <= topics
    ):
        return []
    if question.pipeline is not None and not asked.begins("exists?", "available", "there"):
        return []
    found = _measured(question, named)
    lines = []
    for words, seconds in said:
        likeness = _OF_RATES if words.casefold().endswith("hz") else 1e-9
        fitting = [
            (source, known)
            for source in found
            for known in cadences_of(source)
            if isclose(seconds, known, rel_tol=likeness)
        ]
        lines += lines_of(
            Fact(
                f"yes: {words}{'' if isclose(seconds, known) else f', {cadence_text(known)}'} ({{}})",
                of=source.dataset.id,
            )
            for source, known in fitting
        )
        if not fitting:
            others = lines_of(SourceFacts(found, question.catalogue).topics["cadence"]())
            is_known = all(map(cadences_of, found))
            lines += [f"{'no: ' if is_known else ''}the catalogue states no such data at {words}", *others]
    return lines if found else []


def _measured(question: Question, named: Collection[Subject]) -> list[Source]:
    """Return what all datasets of the named spacecraft and instruments measure of the named quantities."""
    wanted = {subject for subject in named if subject[0] == "quantity"}
    quantities = {name for _, name in wanted}
    datasets = map(question.catalogue.dataset, datasets_of(named, question.catalogue))
    if not quantities:
        return [Source(dataset) for dataset in datasets]
    table = [row for row in SOURCES if row.quantity in quantities and row.dataset in question.catalogue]
    known = {
        (dataset.instrument_type, part.canonical_unit)
        for row in table
        for dataset in [question.catalogue.dataset(row.dataset)]
        for part in dataset.parameters
        if part.name == row.parameters[0]
    }
    inside = [part for dataset in datasets for part in Source(dataset).parts if part.parameter]
    listed = [part for row in table for part in inside if row in part.rows]
    alike = [
        part
        for part in inside
        if part.about & wanted
        and (part.dataset.instrument_type, part.parameter and part.parameter.canonical_unit) in known
    ]
    return list({part.dataset.id: part for part in reversed((*listed, *alike))}.values())[::-1]


def _is_finer(source: Source, meant: Sequence[Source], sign: int) -> bool:
    """Return whether a source has a finer cadence than those of the same quantity, or with sign -1 a coarser one."""
    quantities = {subject for subject in source.about if subject[0] == "quantity"}
    alike = [other for other in meant if other.about & quantities]
    known = [cadence for other in alike for cadence in cadences_of(other)]
    return any(not known or sign * cadence < sign * min(known) for cadence in cadences_of(source))


def _missions(question: Question, atoms: Sequence[Atom]) -> Iterator[str]:
    """Say from when to when the catalogue has any data of each spacecraft or mission."""
    for atom in atoms:
        wanted = {name for _, name in atom.subjects}
        spans = sorted(
            (row.first[:10], row.last[:10], row.id)
            for row, (_, craft) in zip(question.catalogue.rows, question.catalogue.crafts(), strict=True)
            if row.first and {folded(craft.spacecraft), folded(craft.mission)} & wanted
        )
        if spans:
            last = max(stop for _, stop, _ in spans)
            counted = number_of(len(spans), "dataset")
            yield f"{atom.words}: {counted} from {spans[0][0]} ({spans[0][2]}) to {last}"


def _differences(first: Source, second: Source) -> Iterator[str]:
    """Say which parameters only one of two datasets has."""
    for source, compared in ((first, second), (second, first)):
        names = [parameter.name for parameter in source.dataset.parameters]
        common = {parameter.name for parameter in compared.dataset.parameters}
        only = [name for name in names if name not in common]
        if only and len(only) < len(names):
            yield f"only in {source.dataset.id}: {', '.join(only[:_MOST_NAMED])}{' …' if only[_MOST_NAMED:] else ''}"


def explanation_of(question: Question, atom: Atom) -> Iterator[str]:
    """Explain a tool, a code or a key."""
    wanted = sorted(name for kind, name in atom.subjects if kind in ("tool", "code", "key"))
    for name in wanted:
        for entry in look_up(name.replace(" ", "_") if "code" not in kinds_of(atom) else name):
            if isinstance(entry, Code):
                yield f"{entry.code} ({entry.kind}): {entry.meaning}. {entry.why} What to do: {entry.to_do}"
            elif isinstance(entry, ToolPage):
                words = _words_beside_tools(question)
                yield from tool_lines(entry, question.asked.text, question.topics, words)
            else:
                places = "; ".join(entry.places)
                yield f"{entry.name}: {entry.schema.get('description', '')} (a key of {places or 'templates'})"


def _words_beside_tools(question: Question) -> list[str]:
    """Return the words of a question without the names of tools, and without those that ask for a whole page."""
    asking = [
        atom for atom in question.asked.atoms if {*atom.topics} & ASKS_A_TOOL or "tool" in kinds_of(atom)
    ]
    known = {folded(word) for atom in asking for word in (atom.words, *atom.words.split())}
    return [word for word in focus_words(question.asked.text) if folded(word) not in known]


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
    if len(tools) == 1 and asks_inputs(question.asked.text):
        yield from argument_lines(tools[0], words) or argument_lines(tools[0])


def datasets_found(question: Question) -> Iterator[str]:
    """Name the datasets that match the words of the question."""
    words = " ".join(question.content("datasets"))
    result = search_of(question.catalogue).find(words, limit=6, similar=False)
    lost = {part for clause in (*result.unknown, *result.elsewhere) for part in clause.split()}
    question.searched = {word for word in question.asked.rest if not stems(word) & stems(" ".join(lost))}
    if result.hits and 2 * len(question.searched) >= len(question.asked.rest):
        yield from answer_lines(replace(result, unknown={}, elsewhere={}))
        yield from source_lines(words)
    elif not result.hits:
        question.unsaid.append(f"no dataset of the catalogue matches '{words}'")
