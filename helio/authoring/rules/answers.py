"""Answer questions from the template, the catalogue and the reference; say plainly what these do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from helio.authoring.recorded import Records
from helio.authoring.rules.asked import Asked, Atom, Subject, covered, stems
from helio.authoring.rules.pipeline_facts import PipelineFacts
from helio.authoring.rules.question_names import names_in
from helio.authoring.rules.question_sources import sources_named
from helio.authoring.rules.source_facts import Fact, Source, SourceFacts
from helio.authoring.rules.tool_facts import page_sentences, tool_lines, tool_words, tools_with
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.search import Search
from helio.knowledge.text import answer_lines, source_lines
from helio.pipelines.codes import Code
from helio.pipelines.reference import look_up
from helio.pipelines.template.document import Document
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage

DECLINED = "helio cannot answer that without a language model"
_REST = "helio cannot answer the rest without a language model"
_LAST_RUN = re.compile(
    r"\b(?:last|latest|newest|previous) runs?\b|\b(?:was|were|did|has) (?:this|it|the pipeline) (?:last |ever )?run\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:was|were|has) (?:this|it|the pipeline) (?:last )?(?:been )?(?:changed|made)\b"
    r"|\bwhat (?:has |was )?changed\b|\bwho changed\b|\blast change\b",
    re.IGNORECASE,
)
_NOMINAL = frozenset(
    {"units", "doi", "investigator", "fills", "bins", "methods", "coverage", "settings", "cadence"}
)
"""Properties that a sentence without a question word asks for: `DOI of the field`."""
_LOOKS = frozenset({"frames", "panels", "colours", "dashes", "titles", "scales", "order"})
"""Properties that such a sentence wishes to have instead: `B in GSE`."""
_COUNTED = frozenset({"bins", "cadence", "times", "panels", "crafts", "datasets", "instruments", "steps"})
"""Properties whose answer says how many there are."""
_WITH_NUMBERS = frozenset({"cadence", "settings", "times", "bins", "computations", "coverage"})
"""Properties with a number, so that a number in the question is one to compare with."""
_COMPARED = re.compile(r"\bdiffer\w*|\bcompar\w*|\bvs\b|\bversus\b", re.IGNORECASE)
_STEP = re.compile(r"\bstep\s+[\"'“‘]?([\w-]+)", re.IGNORECASE)
_WEAK = ("panels", "steps", "notes", "tools", "datasets", "level", "scales")
"""Properties whose words also say something else in a question that asks for another property."""
_NEEDS_A_SUBJECT = ("reasons", "methods", "meanings", "notes")
_ORDER = ("panel", "dataset", "craft", "instrument", "tool")
"""Kinds of subjects that narrow an answer one after the other; all other kinds are one group."""
_MOST_LINES = 15
_SHORT_ANSWER = 3
"""Number of lines of an answer that the nouns of the question need not narrow."""
_NOUN = re.compile(r"\b(?:the|a|an|this|these|each)\s+([a-z]+)", re.IGNORECASE)
_LONG = 5
"""Number of letters of a word that may be a misspelt name."""
_SHORT = 3
"""Number of words of a question that asks for one thing only."""


def answered(
    request: str,
    template: Document | None,
    catalogue: Catalogue,
    now: datetime,
    records: Records | None = None,
) -> str:
    """Answer a question about a template, about data or about helio, or say that helio cannot answer it.

    Parameters
    ----------
    template : Document, optional
        The template that the question is about. Default: none; the catalogue and the reference answer.
    """
    return _Reader(request, template, catalogue, now, records).answer()


def is_whole(reply: str) -> bool:
    """Return whether an answer leaves no part of the question open."""
    return DECLINED not in reply and _REST not in reply


def fully_answered(
    request: str,
    template: Document | None,
    catalogue: Catalogue,
    now: datetime,
    records: Records | None = None,
) -> str:
    """Answer a sentence that may be a question, if every word of it is understood; otherwise return an empty text."""
    reader = _Reader(request, template, catalogue, now, records)
    text = reader.answer()
    topics = {*reader.asked.topics}
    is_read = (
        topics & _NOMINAL and not topics & _LOOKS and not reader.unsaid and not text.startswith(DECLINED)
    )
    return text if is_read else ""


def facts_of(
    template: Document, catalogue: Catalogue, now: datetime, records: Records | None = None
) -> dict[str, list[str]]:
    """Collect everything from which `answered` answers questions about a template, by topic; leave out empty topics.

    Parameters
    ----------
    records : Records, optional
        The records of runs and changes. Default: none, and no facts about them.
    """
    facts = PipelineFacts(template, catalogue, now)
    lines: dict[str, Iterable[str]] = {
        "steps": (f"{facts.line(name)}: {_summary(step)}" for name, step in facts.steps.items())
    }
    for topic, collect in facts.topics.items():
        if topic not in ("steps", "order", "methods"):
            lines[topic] = (fact.text for fact in collect())
    if records is not None:
        name = str(template.get("id"))
        lines["last run"] = records.last_run(name)
        lines["changes"] = records.changed(name)
        lines["changes since the last run"] = records.changed_since_run(name, template)
    collected = {topic: list(dict.fromkeys(texts)) for topic, texts in lines.items()}
    return {topic: texts for topic, texts in collected.items() if texts}


class _Reader:
    """Reader of one question: the facts of each property that it asks for, narrowed by everything that it names."""

    def __init__(
        self,
        request: str,
        template: Document | None,
        catalogue: Catalogue,
        now: datetime,
        records: Records | None,
    ) -> None:
        self.request = request
        self.records = records
        self.template = template
        self.catalogue = catalogue
        self.pipeline = PipelineFacts(template, catalogue, now) if template is not None else None
        self._known = names_in(request, catalogue, self.pipeline)
        self.asked = Asked(request, self._known, self.pipeline.most() if self.pipeline else 0)
        self.unsaid: list[str] = []
        self._explained = False
        self._searched: set[str] = set()

    def answer(self) -> str:
        """Return all that is known, and say what is not."""
        special = self._of_step() or list(self._recorded())
        if special:
            return "\n".join(special)
        asked = self.asked
        lines = list(dict.fromkeys(" ".join(line.splitlines()) for line in self._lines()))
        unread = self._unread(lines)
        explained = self._explained or (lines and "tools" in self.topics)
        for matter, words in asked.beyond.items() if not explained else ():
            self.unsaid.append(f"{_quoted(words)}: it knows nothing about {matter}")
        if unread:
            self.unsaid.append(f"helio does not understand {_quoted(unread)}{self._hint(unread)}")
        if not lines:
            return f"{DECLINED}: {'; '.join(self.unsaid) or 'the pipeline and the catalogue do not say it'}"
        left_out = (
            f"and {len(lines) - _MOST_LINES} more lines; name a step, a panel or a quantity to see fewer"
        )
        more = [left_out] if len(lines) > _MOST_LINES else []
        rest = [f"{_REST}: {'; '.join(self.unsaid)}"] if self.unsaid else []
        return "\n".join((*lines[:_MOST_LINES], *more, *rest))

    # What is asked -------------------------------------------------------------------------------------------

    @cached_property
    def topics(self) -> list[str]:
        """The properties that the question asks for, or that its question word means."""
        asked = self.asked
        topics = [topic for topic in asked.topics if topic != "counts"]
        if topics:
            strong = [topic for topic in topics if topic not in _WEAK]
            return topics if "counts" in asked.topics else strong or topics[:1]
        if self.pipeline is None and asked.rest and asked.things and not asked.beyond:
            return ["datasets"]
        if any(not re.search(r"\d", word) for word in asked.rest) or asked.beyond:
            return []
        if _COMPARED.search(self.request) and len(asked.things) > 1 and self.pipeline is None:
            return ["meanings", "cadence"]
        kinds = {kind for atom in asked.things for kind, _ in atom.subjects}
        made = self.pipeline is not None and kinds & {"label", "step", "tool", "variable"}
        if asked.begins("who", "whose"):
            return ["methods"] if made else ["investigator"]
        if asked.begins("when"):
            return ["times"]
        if asked.begins("where"):
            return ["reasons"] if made else ["datasets", "reasons"]
        if "panel" in kinds:
            return ["panels"]
        if asked.begins("how"):
            return ["computations"]
        if self.pipeline is not None and not asked.things:
            return ["overview"]
        return ["reasons" if made else "meanings"] if asked.things else []

    @cached_property
    def present(self) -> list[Atom]:
        """The subjects of the question that the template has."""
        return [atom for atom in self.asked.things if atom.subjects & self._universe]

    @cached_property
    def absent(self) -> list[Atom]:
        """The subjects of the question that the template does not have."""
        return [atom for atom in self.asked.things if not atom.subjects & self._universe]

    @cached_property
    def _universe(self) -> frozenset[Subject]:
        if self.pipeline is None:
            return frozenset()
        facts = [fact.about for collect in self.pipeline.topics.values() for fact in collect()]
        panels = {("panel", str(number)) for number in range(1, self.pipeline.most() + 1)}
        return frozenset(panels).union(*facts, *self.pipeline.names.values())

    # Lines ---------------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[str]:
        asked, pipeline = self.asked, self.pipeline
        if pipeline is not None and "emptiness" in asked.topics:
            yield from self._narrowed(list(pipeline.why_empty()), self.present)
            return
        topics = [topic for topic in self.topics if topic not in ("tools", "pipelines")]
        if "tools" in self.topics:
            yield from self._search_tools()
        reference = [atom for atom in self.absent if _kinds(atom) & {"tool", "code", "key"}]
        for atom in reference if "tools" not in self.topics else ():
            yield from self._reference(atom)
        elsewhere = [atom for atom in self.absent if atom not in reference]
        data = {"craft", "dataset", "instrument"}
        if pipeline is not None and elsewhere and not any(_kinds(atom) & data for atom in elsewhere):
            self.unsaid.append(f"the pipeline has no {_quoted([atom.words for atom in elsewhere])}")
            if not self.present:
                return
            elsewhere = []
        if pipeline is not None and (self.present or not elsewhere):
            for topic in topics:
                lines = self._of_topic(pipeline, topic)
                yield from lines
                if lines and not set(self.topics) & set(asked.topics):
                    break  # the question names no property, and the first that helio knows says what it is
        if (
            elsewhere
            and pipeline is None
            and self._searches
            and covered(asked.rest, {text: stems(text) for text in self._texts()}, self.request, most=2)[1]
        ):
            yield from self._search_data()
        elif elsewhere and topics:
            yield from self._outside(elsewhere, topics)
        elif pipeline is None and not reference and "datasets" in topics:
            yield from self._search_data()
        elif pipeline is None and not reference and topics:
            self.unsaid.append("the question names no dataset, spacecraft or tool that helio knows")

    @property
    def _searches(self) -> bool:
        """Return whether the question looks for datasets by words that the table of quantities does not have."""
        named = {kind for atom in self.asked.things for kind, _ in atom.subjects}
        words = [word for word in self.asked.rest if not re.fullmatch(r"[\d.:-]+", word)]
        return bool(words) and self.topics == ["datasets"] and not named & {"dataset", "parameter", "tool"}

    def _of_topic(self, pipeline: PipelineFacts, topic: str) -> list[str]:
        """Return the facts of a property about everything that the question names; note if there are none."""
        collect = pipeline.topics.get(topic)
        facts = list(collect()) if collect else []
        if topic in _NEEDS_A_SUBJECT and not self.present:
            if not self.asked.rest:
                self.unsaid.append(f"the pipeline does not say {_words(topic)}")
            return []
        if topic == "times" and not self.present:
            facts = [fact for fact in facts if any(kind == "variable" for kind, _ in fact.about)]
        if topic in ("settings", "numbers") and not self.present:
            words = [*(atom.words for atom in self.asked.atoms if topic in atom.topics), *self.asked.rest]
            asked = [stem for text in words for stem in stems(text)]
            close = [fact for fact in facts if any(stem in stems(fact.text) for stem in asked)]
            facts = close or ([] if set(self.topics) != {topic} else facts)
            if not facts:
                return []
        lines = self._narrowed(facts, self.present)
        if topic == "colours" and self.asked.colours:
            lines = [line for line in lines if stems(line) & {*self.asked.colours}] or [
                f"no line is set to {' or '.join(self.asked.colours)}",
                *lines,
            ]
        if lines and "counts" in self.asked.topics:
            numbers = list(self._counted(topic))
            if not numbers and not _COUNTED & {*self.topics}:
                self.unsaid.append("the pipeline does not say how many")
            lines = [*numbers, *lines]
        if not lines:
            about = f" of {_quoted([atom.words for atom in self.present])}" if self.present else ""
            self.unsaid.append(f"the pipeline and the catalogue do not say {_words(topic)}{about}")
            if self.present and topic in (
                "frames",
                "units",
                "cadence",
                "computations",
                "level",
                "meanings",
                "datasets",
            ):
                return self._narrowed(list(pipeline.topics["reasons"]()), self.present)
        return lines

    def _narrowed(self, facts: Sequence[Fact], atoms: Sequence[Atom]) -> list[str]:
        """Return the facts about all that the question names; each kind of subject narrows them further."""
        groups: dict[str, frozenset[Subject]] = {}
        for atom in [atom for atom in atoms if not {*atom.topics} & {*self.topics}] or atoms:
            kinds = _kinds(atom)
            kind = next((name for name in _ORDER if name in kinds), "thing")
            groups[kind] = groups.get(kind, frozenset()) | atom.subjects
        for wanted in groups.values():
            facts = [fact for fact in facts if fact.about & wanted] or [
                fact for fact in facts if not fact.about
            ]
        lines = [fact.text for fact in facts]
        return lines if groups else self._with_nouns(lines)

    def _with_nouns(self, lines: list[str]) -> list[str]:
        """Return the lines of a long answer that have a noun of the question: `how do you calculate the difference`."""
        if len(lines) <= _SHORT_ANSWER:
            return lines
        topics = stems(" ".join(atom.words for atom in self.asked.atoms if atom.topics))
        nouns = frozenset[str]().union(*map(stems, _NOUN.findall(self.asked.text))) - topics
        return [line for line in lines if nouns & stems(line)] or lines

    def _counted(self, topic: str) -> Iterator[str]:
        assert self.pipeline is not None
        sources = self.pipeline.data.sources
        wanted = frozenset[Subject]().union(*(atom.subjects for atom in self.present))
        meant = [source for source in sources if not wanted or source.about & wanted] or sources
        if topic == "panels":
            for name, spec in self.pipeline.figures():
                yield f"figure {name} has {len(spec.get('panels') or ())} panels"
        counts = {
            "crafts": ("spacecraft", len({source.dataset.spacecraft for source in meant})),
            "datasets": ("datasets of the catalogue", len({source.dataset.id for source in meant})),
            "instruments": (
                "instruments",
                {(source.dataset.spacecraft, source.dataset.instrument) for source in meant},
            ),
            "steps": ("steps", len(set(self.pipeline.steps))),
        }
        if topic in counts:
            name, number = counts[topic]
            yield f"{number} {name}"

    def _outside(self, atoms: Sequence[Atom], topics: Sequence[str]) -> Iterator[str]:
        """Answer from the catalogue about data that the template does not have."""
        sources, more = self._sources(atoms)
        missing = _quoted([atom.words for atom in atoms])
        if not sources:
            has = "the catalogue has" if self.pipeline is None else "the pipeline has"
            self.unsaid.append(f"{has} nothing called {missing}")
            return
        data = SourceFacts(sources, self.catalogue)
        lines: list[str] = []
        for topic in topics or ["datasets"]:
            chosen = "coverage" if topic == "times" else topic
            facts = [fact.text for fact in data.topics[chosen]()] if chosen in data.topics else []
            if not facts:
                self.unsaid.append(f"the catalogue does not say {_words(topic)}")
            lines += facts
        if lines and self.pipeline is not None:
            yield f"the pipeline has no {missing}; from the catalogue:"
        yield from lines
        if lines and more:
            yield f"and {more} more; `helio datasets search` finds them"

    def _sources(self, atoms: Sequence[Atom]) -> tuple[list[Source], int]:
        """Find the parameters that the question names, and how many more there are."""
        named = frozenset[Subject]().union(*(atom.subjects for atom in (*atoms, *self.present)))
        return sources_named(named, " ".join(self._content("")), self.catalogue)

    # The reference -------------------------------------------------------------------------------------------

    def _reference(self, atom: Atom) -> Iterator[str]:
        """Explain a tool, a code or a key."""
        wanted = sorted(name for kind, name in atom.subjects if kind in ("tool", "code", "key"))
        for name in wanted:
            for entry in look_up(name.replace(" ", "_") if "code" not in _kinds(atom) else name):
                if isinstance(entry, Code):
                    yield f"{entry.code} ({entry.kind}): {entry.meaning}. {entry.why} What to do: {entry.to_do}"
                elif isinstance(entry, ToolPage):
                    arguments = self.asked.begins("needs?", "requires?", "inputs?", "arguments?", "options?")
                    yield from tool_lines(entry, self.topics, arguments=arguments)
                else:
                    places = "; ".join(entry.places)
                    yield f"{entry.name}: {entry.schema.get('description', '')} (a key of {places or 'templates'})"

    def _search_tools(self) -> Iterator[str]:
        """Name the tools whose page has the words of the question."""
        words = self._content("tools")
        tools = tools_with(words)
        if not tools:
            self.unsaid.append(
                f"no tool says {_quoted(words)} on its page; `helio tools` lists all tools"
                if words
                else "it does not say which tool"
            )
        for name in tools:
            yield f"{name}: {signatures()[name].summary}"

    def _search_data(self) -> Iterator[str]:
        """Name the datasets that match the words of the question."""
        words = " ".join(self._content("datasets"))
        result = Search(self.catalogue).find(words, limit=6)
        lost = {part for clause in (*result.unknown, *result.elsewhere) for part in clause.split()}
        self._searched = {word for word in self.asked.rest if not stems(word) & stems(" ".join(lost))}
        if result.hits and 2 * len(self._searched) >= len(self.asked.rest):
            yield from answer_lines(replace(result, unknown={}, elsewhere={}))
            yield from source_lines(words)
        elif not result.hits:
            self.unsaid.append(f"no dataset of the catalogue matches '{words}'")

    def _content(self, topic: str) -> list[str]:
        """Return the words of the question without those that ask for one property and those without meaning."""
        asked = self.asked
        kept = [atom.words for atom in asked.atoms if topic not in atom.topics]
        return [*(word for words in kept for word in words.split()), *asked.rest]

    # What is left --------------------------------------------------------------------------------------------

    def _unread(self, lines: list[str]) -> list[str]:
        """Find texts that have the words that are still unread, and add them to the lines; return the other words."""
        asked = self.asked
        words = list(asked.rest)
        pages = [stems(line) for line in lines]
        if self._searched:
            return [word for word in words if word not in self._searched]
        if "tools" in self.topics:
            names = [line.partition(":")[0] for line in lines]
            pages += [tool_words()[name][1] for name in names if name in tool_words()]
            return [word for word in words if not any(stems(word) <= page for page in pages)] if lines else []
        left = [word for word in words if not any(stems(word) <= page for page in pages)]
        read = [word for word in words if word not in left]
        if not left and (lines or self.absent):
            return []
        # the words of properties without an answer may stand in a text, and so may those that metadata seldom explain
        others = [] if lines or (self.pipeline and self.absent) else self._unanswered_words()
        pool = {text: stems(text) for text in self._texts(pages=not lines)}
        wanted = [
            word for word in dict.fromkeys((*left, *others)) if not re.fullmatch(r"[\d.:-]+|\w{1,2}", word)
        ]
        numbers = [word for word in left if word not in wanted]
        chosen, unread = covered(wanted, pool, self.request, most=2)
        unread = asked.alternatives([*read, *(word for word in wanted if word not in unread)], unread)
        if chosen and not unread and "counts" not in asked.topics and self._is_sure(wanted):
            lines += [text for text in chosen if text not in lines]
            if others:
                self.unsaid, self._explained = [], True
            return numbers
        if lines and re.search(r"\bor\b|^(?:is|are|does|do|was|were)\b", asked.text, re.IGNORECASE):
            numbers = [] if {*self.topics} & _WITH_NUMBERS else numbers
        if lines:
            lines += [
                text
                for text in chosen
                if any(stems(word) <= pool[text] for word in left) and text not in lines
            ]
            return [*(word for word in unread if word in left), *numbers]
        return left

    def _is_sure(self, words: Sequence[str]) -> bool:
        """Return whether words that a text has are enough to take that text as the answer."""
        short = len(self.asked.text.split()) <= _SHORT
        asks_how = bool({*self.topics} & {"reasons", "methods", "computations"})
        return (
            asks_how
            or bool(self.present)
            or len(words) > 1
            or short
            or any(re.search(r"\d", word) for word in words)
        )

    def _unanswered_words(self) -> list[str]:
        """Return the words of all atoms that name nothing in the template."""
        return [
            word
            for atom in self.asked.atoms
            if atom not in self.present and not {*atom.topics} & {"counts", "reasons", "methods", "meanings"}
            for word in re.findall(r"[\w|*]+", atom.words)
        ]

    def _texts(self, *, pages: bool = True) -> list[str]:
        """Return all texts in which unread words may stand: first those about what the question names."""
        texts: list[Fact] = []
        if self.pipeline is not None:
            texts += self.pipeline.texts()
            texts += self.pipeline.topics["methods"]() if pages else ()
        elsewhere = [atom for atom in self.absent if not _kinds(atom) & {"tool", "code", "key"}]
        if elsewhere:
            sources, _ = self._sources(elsewhere)
            whole = [
                Source(source.dataset, parameter)
                for source in sources
                if source.parameter is None
                for parameter in source.dataset.parameters
            ]
            texts += SourceFacts([*sources, *whole], self.catalogue).texts()
        for atom in self.absent:
            for kind, name in atom.subjects:
                if kind == "tool":
                    texts += (Fact(text) for text in page_sentences(name.replace(" ", "_")))
        wanted = frozenset[Subject]().union(*(atom.subjects for atom in self.present))
        about = [fact.text for fact in texts if fact.about & wanted]
        return list(dict.fromkeys(about or [fact.text for fact in texts]))

    def _hint(self, words: Sequence[str]) -> str:
        known = [name for name in self._known if " " not in name]
        near = [did_you_mean(word.casefold(), known) for word in words if len(word) >= _LONG]
        near = [hint for hint in near if hint and " or " not in hint]
        return f" ({'; '.join(near)})" if near else ""

    def _of_step(self) -> list[str]:
        """Describe the step that the question names by `step NAME`."""
        named = _STEP.search(self.request)
        if (
            self.pipeline is None
            or named is None
            or named[1].casefold() in ("do", "does", "is", "in", "of", "for", "by")
        ):
            return []
        steps = self.pipeline.steps
        if named[1] not in steps:
            return [f"No step is called '{named[1]}'. The steps are {', '.join(steps)}."]
        step = steps[named[1]]
        others = [
            topic
            for topic in self.asked.topics
            if topic not in ("steps", "meanings", "reasons", "computations")
        ]
        if others or self.asked.rest or self.asked.beyond:
            return []
        return [
            self.pipeline.line(named[1]) + (f" ({step['intent']})" if step.get("intent") else ""),
            _summary(step),
        ]

    def _recorded(self) -> Iterator[str]:
        """Yield the answer from the records of runs and changes, if the question is about them."""
        about_run, about_change = _LAST_RUN.search(self.request), _CHANGED.search(self.request)
        if self.template is None or (not about_run and not about_change):
            return
        if self.records is None:
            yield f"{DECLINED}; `helio runs` lists the runs, and `helio history` the changes of a pipeline"
            return
        name = str(self.template.get("id"))
        if about_change and about_run:
            yield from self.records.changed_since_run(name, self.template)
        elif about_change:
            yield from self.records.changed(name)
        else:
            yield from self.records.last_run(name)


def _kinds(atom: Atom) -> set[str]:
    return {kind for kind, _ in atom.subjects}


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in dict.fromkeys(words))


def _words(topic: str) -> str:
    return _SAID.get(topic, f"the {topic}")


def _summary(step: Document) -> str:
    """Say in one sentence what the tool of a step does."""
    tool = signatures().get(str(step.get("tool_name")))
    return tool.summary if tool else "helio has no such tool"


_SAID = {
    "fills": "the fill value; it stands in the files (FILLVAL), which only a run reads",
    "doi": "the DOI",
    "sizes": "the size of the download; `helio plan PIPELINE` asks the archives",
    "versions": "the version; `helio --version` and `helio list` show versions",
    "reasons": "why",
    "methods": "the method",
    "meanings": "what it means",
    "bins": "the bins",
    "crafts": "the spacecraft",
    "level": "whether the data are final",
    "computations": "how it is computed",
    "times": "the time",
    "numbers": "the number",
    "exclusions": "which records are left out",
    "coverage": "from when to when there are data",
}
