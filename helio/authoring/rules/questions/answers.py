"""Answer questions from the template, the catalogue and the reference; say plainly what these do not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from helio.authoring.recorded import Records
from helio.authoring.rules.questions.answers_elsewhere import (
    cadence_exists,
    datasets_found,
    explanation_of,
    from_catalogue,
    other_data,
    tools_found,
)
from helio.authoring.rules.questions.arguments_asked import arguments_asked
from helio.authoring.rules.questions.asked import Subject, covered, stems
from helio.authoring.rules.questions.marks_asked import marks_asked
from helio.authoring.rules.questions.origins_asked import origin_asked, same_asked
from helio.authoring.rules.questions.pipeline_answers import (
    about_step,
    about_topic,
    authors_named,
    band_asked,
    critical_asked,
    frames_defined,
    from_records,
    happened,
    lacks_count,
    narrowed,
    presence,
    side_asked,
    summary_of,
    tool_asked,
)
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question import DECLINED, Question, kinds_of, quoted
from helio.authoring.rules.questions.source_facts import Fact, SourceFacts, lines_of
from helio.authoring.rules.questions.tool_facts import page_sentences, tool_words
from helio.authoring.rules.questions.values_asked import KINDS, kind_asked, values_told
from helio.errors import did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.patterns import ignoring_case
from helio.pipelines.template.document import Document

_REST = "helio cannot answer the rest without a language model"
_ABSENT = "the pipeline has no"
_NOMINAL = frozenset(
    [
        "units",
        "doi",
        "investigator",
        "fills",
        "bins",
        "methods",
        "coverage",
        "settings",
        "cadence",
        "overview",
    ]
)
"""Properties that a sentence without a question word asks for: `DOI of the field`."""
_STATED = frozenset(
    {"units", "doi", "investigator", "licence", "instruments", "crafts", "archives", "coverage"}
)
"""Properties that only a fact of their own says."""
_LOOKS = frozenset({"frames", "panels", "colours", "dashes", "titles", "scales", "order"})
"""Properties that such a sentence wishes to have instead: `B in GSE`."""
_WITH_NUMBERS = frozenset({"cadence", "settings", "times", "bins", "computations", "coverage"})
"""Properties with a number, so that a number in the question is one to compare with."""
_NUMBER = re.compile(r"[\d.:-]+(?:[mun]?s|min|h|d)?")
_COMMANDS = (
    (r"cite|acknowledge", "`helio cite RUN` says how to cite the data of a run, and helio"),
    (
        r"what (?:can|does|could) (?:helio|you) (?:do|compute|draw|plot)\b",
        "`helio --help` lists the commands, `helio tools` what helio computes, `helio missions` whose data it finds",
    ),
    (
        r"(?:what|which|how many) (?:other )?pipelines\b",
        "`helio list` lists your pipelines and those that come with helio",
    ),
    (r"scheduled?\b", "`helio schedule list` lists the schedules, with their next runs"),
)
"""Commands that answer a question by which helio finds nothing, each with the words of such questions."""
_PARTS = re.compile(r",|;|\?\s*\w|\b(?:and|but|plus)\b", re.IGNORECASE)
_MOST_LINES = 6
_LIKE = 0.75
"""The least likeness of a name to a word of a question; plain words such as 'shifted' are no misspelt names."""
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
    question = Question(request, template, catalogue, now, records)
    text = _Answer(question).text()
    if text.startswith(DECLINED):
        text = next((command for words, command in _COMMANDS if ignoring_case(words).search(request)), text)
    named = {kind for atom in question.asked.things for kind in kinds_of(atom)}
    of_data = named & {"craft", "dataset", "instrument"} and question.topics != ["exclusions"]
    if template is None or not text.startswith(DECLINED) or not of_data:
        return text
    about_data = Question(request, None, catalogue, now)
    elsewhere = _Answer(about_data).text()
    if not is_whole(elsewhere) or about_data.searched:
        return text
    return f"{elsewhere}\nfrom the catalogue, not from the pipeline"


def is_whole(reply: str) -> bool:
    """Return whether an answer leaves no part of the question open."""
    return not reply.startswith(DECLINED) and _ABSENT not in reply and _REST not in reply


def fully_answered(
    request: str,
    template: Document | None,
    catalogue: Catalogue,
    now: datetime,
    records: Records | None = None,
) -> str:
    """Answer a sentence that may be a question, if every word of it is understood; otherwise return an empty text."""
    question = Question(request, template, catalogue, now, records)
    text = _Answer(question).text()
    topics = {*question.asked.topics}
    is_read = (
        topics & _NOMINAL and not topics & _LOOKS and not question.unsaid and not text.startswith(DECLINED)
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
    facts = PipelineFacts(template, catalogue, now, records)
    lines: dict[str, Iterable[str]] = {
        "steps": (f"{facts.line(name)}: {summary_of(step)}" for name, step in facts.steps.items())
    }
    for topic, collect in facts.topics.items():
        if topic not in ("steps", "order", "methods"):
            lines[topic] = lines_of(collect())
    if records is not None:
        name = str(template.get("id"))
        lines["last run"] = records.last_run(name)
        lines["changes"] = records.changed(name)
        lines["changes since the last run"] = records.changed_since_run(name, template)
    collected = {topic: list(dict.fromkeys(texts)) for topic, texts in lines.items()}
    return {topic: texts for topic, texts in collected.items() if texts}


class _Answer:
    """The answer to a question: the facts of each property that it asks for, narrowed by everything that it names."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._explained = False
        self._left_out = 0

    def text(self) -> str:
        """Return all that is known, and say what is not."""
        question = self.question
        special = (
            about_step(question)
            or tool_asked(question)
            or frames_defined(question)
            or list(from_records(question))
        )
        special = (
            special
            or side_asked(question)
            or critical_asked(question)
            or marks_asked(question)
            or happened(question)
            or cadence_exists(question)
            or arguments_asked(question)
            or values_told(question)
            or band_asked(question)
            or authors_named(question)
            or same_asked(question)
            or origin_asked(question)
            or other_data(question)
            or presence(question)
        )
        if special:
            return "\n".join(special)
        asked = question.asked
        lines = list(dict.fromkeys(" ".join(line.splitlines()) for line in self._lines()))
        lines = [line for line in lines if not any(other.endswith(f" {line}") for other in lines)]
        if question.pipeline and asked.rest and {*question.topics} & {"times", "coverage", "bins"}:
            lines = [line for line in lines if stems(" ".join(asked.rest)) <= stems(line)] or lines
        kind = kind_asked(asked.text)
        is_of_time = kind in ("duration", "time") and "exclusions" not in question.topics
        if lines and is_of_time and not any(KINDS[kind].search(line) for line in lines):
            question.unsaid.append(
                f"it does not find {'how long' if kind == 'duration' else 'when'} in the pipeline and the catalogue"
            )
        told = len(lines)
        unread = self._unread(lines)
        if lines and lacks_count(question, lines):
            lines, told = [], 0
            question.unsaid, unread = ["it does not find how many in the pipeline and the catalogue"], []
        added = lines[told:]
        explained = self._explained or (lines and "tools" in question.topics)
        for matter, words in asked.beyond.items() if not explained else ():
            if matter.startswith("the values") and lines and asked.operations:
                continue  # gaps that a step fills
            if left := [word for word in words if not any(stems(word) <= stems(line) for line in added)]:
                question.unsaid.append(f"{quoted(left)}: it knows nothing about {matter}")
        shown = [*lines[: max(_MOST_LINES - len(added), 0)][:told], *added]
        self._left_out += len(lines) - len(shown)
        if unread:
            question.unsaid.append(f"helio does not understand {quoted(unread)}{self._hint(unread)}")
        if question.unsaid and not self._may_answer_a_part():
            lines = shown = []
        if not lines and len(question.unsaid) == 1 and question.unsaid[0].startswith(_ABSENT):
            return question.unsaid[0]
        if not lines:
            nothing = "it finds nothing about it in the pipeline and the catalogue"
            return f"{DECLINED}: {'; '.join(question.unsaid) or nothing}"
        more = [f"and {self._left_out} more; name a step, a panel or a quantity"] if self._left_out else []
        rest = [f"{_REST}: {'; '.join(question.unsaid)}"] if question.unsaid else []
        return "\n".join((*shown, *more, *rest))

    def _may_answer_a_part(self) -> bool:
        """Return whether a question has several parts, or names a dataset, so that unread words only describe it."""
        asked = self.question.asked
        named = {kind for atom in asked.things for kind in kinds_of(atom)}
        return "dataset" in named or (
            not {*self.question.topics} <= {"overview", "steps"} and _PARTS.search(asked.text) is not None
        )

    # Lines ---------------------------------------------------------------------------------------------------

    def _lines(self) -> Iterator[str]:
        question = self.question
        asked, pipeline = question.asked, question.pipeline
        if pipeline is not None and "emptiness" in asked.topics:
            yield from lines_of(narrowed(question, list(pipeline.why_empty()), question.present))
            return
        topics = [topic for topic in question.topics if topic not in ("tools", "pipelines")]
        if "tools" in question.topics:
            yield from tools_found(question)
        data = {"craft", "dataset", "instrument"}
        of_data = pipeline is None and any(kinds_of(atom) & data for atom in question.absent)
        reference = [
            atom
            for atom in question.absent
            if kinds_of(atom) & {"tool", "code", "key"} and not (of_data and "quantity" in kinds_of(atom))
        ]  # the electric field of a spacecraft is no tool
        for atom in reference if "tools" not in question.topics else ():
            if pipeline is not None and "tool" in kinds_of(atom):
                name = next(name for kind, name in atom.subjects if kind == "tool").replace(" ", "_")
                yield f"the pipeline has no {atom.words}; `helio tools {name}` explains how helio computes it"
                yield from list(explanation_of(question, atom))[:1]
                return
            yield from explanation_of(question, atom)
        elsewhere = [atom for atom in question.absent if atom not in reference]
        if reference and pipeline is None and all(kinds_of(atom) == {"quantity"} for atom in elsewhere):
            return  # the temperature that a tool needs
        if pipeline is not None and elsewhere and not any(kinds_of(atom) & data for atom in elsewhere):
            question.unsaid.append(f"the pipeline has no {quoted([atom.words for atom in elsewhere])}")
            if not question.present:
                return
            elsewhere = []
        if (
            pipeline is not None
            and (question.present or not elsewhere)
            and not (elsewhere and question.is_comparison)
        ):
            for topic in topics:
                lines = about_topic(question, topic)
                share = max(_MOST_LINES // len(topics), 2) if lines else 0
                yield from lines[:share]
                self._left_out += len(lines[share:])
                if lines and not set(question.topics) & set(asked.topics):
                    break  # the question names no property, and the first that helio knows says what it is
        if elsewhere and pipeline is None and self._searches():
            yield from datasets_found(question)
        elif elsewhere and topics:
            yield from from_catalogue(question, elsewhere, topics)
        elif pipeline is None and not reference and "datasets" in topics:
            yield from datasets_found(question)
        elif pipeline is None and not reference and topics:
            question.unsaid.append("the question names no dataset, spacecraft or tool that helio knows")

    def _searches(self) -> bool:
        """Return whether the question looks for datasets by words that the texts about its subjects do not have."""
        question = self.question
        words = question.asked.rest
        named = {kind for atom in question.asked.things for kind, _ in atom.subjects}
        if question.topics != ["datasets"] or named & {"dataset", "parameter", "tool"}:
            return False
        texts = {text: stems(text) for text in self._texts()}
        return bool(covered(words, texts, question.request, most=2)[1])

    # What is left --------------------------------------------------------------------------------------------

    def _unread(self, lines: list[str]) -> list[str]:
        """Add the texts that together have all words that are still unread; if there are none, return these words."""
        question = self.question
        asked = question.asked
        words = [word for word in asked.rest if word not in question.narrowing]
        if question.searched:
            return [word for word in words if word not in question.searched]
        pages = [stems(line) for line in lines]
        if "tools" in question.topics:
            pages += [
                tool_words()[name][1] for line in lines if (name := line.partition(":")[0]) in tool_words()
            ]
        left = [word for word in words if not any(stems(word) <= page for page in pages)]
        if not left and (question.absent or (lines and not asked.beyond)):
            return []
        # a text may explain an opinion, as `trust the current where it is small` does
        others = asked.beyond.get("opinions", []) if lines and question.pipeline else []
        if not lines and not (question.pipeline and question.absent):
            others = self._unanswered_words()
        numbers = [word for word in left if _NUMBER.fullmatch(word)]
        if {*question.topics} & _STATED and not (lines and "coverage" not in question.topics):
            return [word for word in left if word not in numbers]  # texts with these words say something else
        wanted = [word for word in (*left, *others) if word not in numbers]
        of_values = any(matter.startswith("the values") for matter in asked.beyond)
        texts = self._texts(pages=(not lines or bool(left)) and not of_values, every=bool(lines and others))
        pool = {text: stems(text) for text in texts}
        chosen, unread = covered(wanted, pool, question.request, most=2)
        if lines and {*question.topics} & _WITH_NUMBERS:
            left, numbers = [word for word in left if word not in numbers], []
        is_sure = bool(lines) or self._is_sure(wanted)
        is_indirect = question.is_yes_no and not lines  # a text with these words may not say yes
        if not chosen or unread or "counts" in asked.topics or not is_sure or is_indirect:
            return left
        if others and not lines:
            question.unsaid, self._explained = [], True
        lines += [text for text in chosen if text not in lines]
        return numbers

    def _is_sure(self, words: Sequence[str]) -> bool:
        """Return whether words that a text has are enough to take that text as the answer."""
        question = self.question
        short = len(question.asked.text.split()) <= _SHORT
        asks_how = bool({*question.topics} & {"reasons", "methods", "computations"})
        return asks_how or bool(question.present) or len(words) > 1 or short

    def _unanswered_words(self) -> list[str]:
        """Return the words of all atoms that name nothing in the template, or of all if no property is asked for."""
        is_open = self.question.asked.rest and not self.question.topics
        return [
            word
            for atom in self.question.asked.atoms
            if (atom not in self.question.present or is_open)
            and not {*atom.topics} & {"counts", "reasons", "methods", "meanings"}
            for word in re.findall(r"[\w|*]+", atom.words)
        ]

    def _texts(self, *, pages: bool = True, every: bool = False) -> list[str]:
        """Return all texts in which unread words may stand: first those about what the question names."""
        question = self.question
        texts: list[Fact] = []
        if question.pipeline is not None:
            texts += question.pipeline.texts(looks="reasons" not in question.topics)
            explains = {"reasons", "methods", "computations", "meanings"}
            texts += question.pipeline.topics["methods"]() if pages and {*question.topics} & explains else ()
        elsewhere = [atom for atom in question.absent if not kinds_of(atom) & {"tool", "code", "key"}]
        if elsewhere:
            sources, _ = question.sources(elsewhere)
            whole = [part for source in sources if source.parameter is None for part in source.parts]
            texts += SourceFacts([*sources, *whole], question.catalogue).texts()
        for atom in question.absent:
            for kind, name in atom.subjects:
                if kind == "tool":
                    texts += (Fact(text) for text in page_sentences(name.replace(" ", "_"), question.request))
        wanted = frozenset[Subject]().union(*(atom.subjects for atom in question.present))
        about = [] if every else [fact for fact in texts if fact.about & wanted]
        return lines_of(about or texts)

    def _hint(self, words: Sequence[str]) -> str:
        known = [name for name in self.question.names if " " not in name]
        near = [did_you_mean(word.casefold(), known, cutoff=_LIKE) for word in words if len(word) >= _LONG]
        near = [hint for hint in near if hint and " or " not in hint]
        return f" ({'; '.join(near)})" if near else ""
