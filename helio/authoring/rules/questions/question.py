"""Say what a question asks for: properties, things that the template has, and things that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property

from helio.authoring.fetches import FETCH
from helio.authoring.recorded import Records
from helio.authoring.rules.questions.asked import Asked, Atom, Subject, folded, stems
from helio.authoring.rules.questions.pipeline_facts import PipelineFacts
from helio.authoring.rules.questions.question_names import names_in
from helio.authoring.rules.questions.question_sources import sources_named
from helio.authoring.rules.questions.source_facts import Source
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import VECTOR_V, V
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.template.document import Document
from helio.time_range import TimeRange, time_range_or_none

_COMPARED = re.compile(r"\bdiffer\w*|\bcompar\w*|\bvs\b|\bversus\b", re.IGNORECASE)
_YES_NO = re.compile(
    r"\W*(?:(?:and|so|but|hi|hello)\W+)*(?:is|are|do|does|did|was|were|has|have|can|could)\b", re.IGNORECASE
)
_COVERS = re.compile(
    r"\W*(?:(?:and|so)\W+)?"
    r"(?:(?:is|are) there\b|(?:do|does|did|is|are|has|have)\b.*(?:\bdata\b|\bcovers?\b|\bavailable\b))",
    re.IGNORECASE,
)
_OF_PIPELINES = re.compile(r"\b(?:which|what|how many) (?:\w+ )?pipelines?\b", re.IGNORECASE)
_MADE = re.compile(r"\b(?:the|of|these|those) (?!red\b)\w+ed \w", re.IGNORECASE)
_USED_FOR = re.compile(r"\b(?:which|what)\b.*\b(?:used|taken) (?:for|in) ", re.IGNORECASE)
_NOT_DRAWN = re.compile(
    r"\b(?:when|where)\b.*(?:\b(?:not|never)|n['’]t) (?:\w+ly )?"
    r"(?:drawn|shown|plotted|displayed|visible|used|counted|there)\b"
    r"|\b(?:when|where) (?:is|are) there no\b(?!.*\bdata\b)",
    re.IGNORECASE,
)
"""What asks which records of a thing are left out."""
_NEGATED = re.compile(r"\b(?:no|not|never)\b|n['’]t\b", re.IGNORECASE)
_DATE = re.compile(r"\b(?:19|20)\d\d(?:-\d\d){0,2}\b")
_WEAK = {
    "overview", "panels", "steps", "notes", "tools", "datasets", "level", "scales", "settings", "numbers", "constants",
}  # fmt: skip
"""Properties whose words also say something else in a question that asks for another property."""


_STRONGER = {"times": "exclusions", "meanings": "colours", "colour scales": "scales"}
"""Properties that are not asked for beside another one, whose answer says more."""
_OF_EVENTS = {"counts", "numbers"}
"""Properties of events such as storms, of which a figure has no lines."""
_STORED = ("units", "frames", "cadence", "level")
"""Properties that the archive decides, so that no step says why they are as they are."""
_NAMES: dict[str, str] = VOCABULARY["names of properties in answers"]
_BEGINNINGS: dict[str, str] = VOCABULARY["beginnings of answers"]
_PARAMETER = re.compile(r"(?<![\w.])(?P<dataset>[A-Z][A-Z\d]*_[\w@-]+)\.(?P<parameter>[A-Za-z]\w*)")
"""A parameter of a dataset: ``AC_H0_SWE.Np``."""
_VELOCITY, _SPEED = frozenset({("quantity", VECTOR_V)}), frozenset({("quantity", V)})
DECLINED = "helio cannot answer that without a language model"


class Question:
    """A question about a template, about data or about helio.

    Parameters
    ----------
    request : str
    template : Document, optional
        The template that the question is about. Default: none; the catalogue and the reference answer.
    catalogue : Catalogue
    now : datetime
        Naive UTC.
    records : Records, optional
        The records of runs and changes.
    """

    def __init__(
        self,
        request: str,
        template: Document | None,
        catalogue: Catalogue,
        now: datetime,
        records: Records | None = None,
    ) -> None:
        self.request = (
            _PARAMETER.sub(r"\g<parameter> of \g<dataset>", request) if template is None else request
        )
        self.template = template
        self.catalogue = catalogue
        self.now = now
        self.records = records
        self.pipeline = PipelineFacts(template, catalogue, now, records) if template is not None else None
        self.names = names_in(self.request, catalogue, self.pipeline)
        self.asked = self._read()
        self.unsaid: list[str] = []
        """What cannot be answered, and why."""
        self.searched: set[str] = set()
        """The words with which datasets were found in the catalogue."""
        self.narrowing: set[str] = set()
        """The words that the descriptions of all these datasets have."""

    def _read(self) -> Asked:
        """Read the question; words that name nothing else may mean lines of the figure, as they do in changes."""
        if self.pipeline is None:
            return Asked(self.request, self.names, 0)
        asked = Asked(self.request, self.names, self.pipeline.most())
        if _SPEED & self.universe and not _VELOCITY & self.universe:
            asked.atoms = [
                replace(atom, subjects=_SPEED) if atom.subjects == _VELOCITY else atom for atom in asked.atoms
            ]
        asks = asked.topics or asked.begins("how", "why", "where", "what", "which")
        words = asked.rest if asks and not asked.things and not _OF_EVENTS & {*asked.topics} else []
        if asked.begins("how") and any(word.endswith("ed") for word in words):
            words = []  # what is done
        lines = self.pipeline.lines_meant(" ".join(words)) if words else []
        meant = frozenset(("label", folded(line)) for line in lines)
        if not meant:
            return asked
        return Asked(
            self.request, {**self.names, **{folded(word): meant for word in words}}, self.pipeline.most()
        )

    @property
    def is_yes_no(self) -> bool:
        """Whether the question asks for yes or no."""
        return _YES_NO.match(self.asked.text) is not None and " or " not in self.asked.text

    @property
    def is_negated(self) -> bool:
        """Whether the question has a ``not``, so that yes and no are ambiguous."""
        return _NEGATED.search(self.asked.text) is not None

    def verdict(self, word: str) -> str:
        """Return `yes`, `no` or `partly` as the beginning of an answer; nothing where a `not` makes it ambiguous."""
        return f"{word}: " if word and self.is_yes_no and not self.is_negated else ""

    @property
    def is_comparison(self) -> bool:
        """Whether the question asks how several things differ."""
        return _COMPARED.search(self.request) is not None and len(self.asked.things) > 1

    @cached_property
    def span(self) -> TimeRange | None:
        """The day, month, year or range that the question names."""
        written = _DATE.search(self.asked.text)
        return time_range_or_none(written[0], self.now) if written else None

    @cached_property
    def topics(self) -> list[str]:
        """The properties that the question asks for, or that its question word means."""
        topics = [topic for topic in self.asked.topics if topic != "counts"]
        about_data = {"overview", "coverage", *(["datasets"] if self.pipeline else [])}
        if self.span and _COVERS.match(self.request) and {*topics} <= about_data:
            return ["coverage"]
        topics = [topic for topic in topics if not _STRONGER.get(topic) or _STRONGER[topic] not in topics]
        if self.pipeline and not _OF_PIPELINES.search(self.request):  # which data does this pipeline use?
            topics = [topic for topic in topics if topic != "pipelines"] or topics
        if any(kinds_of(atom) == {"dataset"} for atom in self.asked.things):  # the time range of AC_H0_MFI
            topics = ["coverage" if topic == "times" else topic for topic in topics]
        if not topics:
            return self._of_question_word()
        if "tools" in topics and self.present:
            return ["methods"]
        strong = [topic for topic in topics if topic not in _WEAK]
        if "colours" in strong and (drawn := self._spectrograms()):
            return ["colour scales"] if self.present or len(topics) > 1 else ["colours", *drawn]
        if _NOT_DRAWN.search(self.asked.text) and self.present:
            return ["exclusions"]
        if topics == ["overview"] and self.present:
            return ["panels" if any("panel" in kinds_of(atom) for atom in self.present) else "meanings"]
        if self.made_by and {*strong} - {"computations"}:
            strong = [topic for topic in strong if topic != "computations"]
        if "reasons" in strong:
            return [topic for topic in strong if topic in _STORED] or ["reasons"]
        return strong or [topic for topic in topics if topic != "panels"][:1] or topics[:1]

    def _spectrograms(self) -> list[str]:
        """Return the property of spectrograms that a question for a colour means, if it means no line."""
        if self.pipeline is None or self.asked.colours or self.asked.begins("lines?", "curves?", "traces?"):
            return []
        drawn = [fact.about for fact in self.pipeline.topics["colour scales"]() if fact.about]
        meant = [about for about in drawn if all(atom.subjects & about for atom in self.present)]
        return ["colour scales"] if meant else []

    def _of_question_word(self) -> list[str]:
        """Return the properties that ``who``, ``when``, ``where`` or ``how`` asks for of what the question names."""
        asked = self.asked
        if self.pipeline is None and asked.rest and asked.things and not asked.beyond:
            return ["datasets"]
        if any(not re.search(r"\d", word) for word in asked.rest) or asked.beyond:
            return []
        kinds = {kind for atom in asked.things for kind, _ in atom.subjects}
        if _USED_FOR.search(asked.text) and len(asked.things) > 1:
            return ["computations"]
        made = self.pipeline is not None and kinds & {"label", "step", "tool", "variable"}
        if asked.begins("who", "whose"):
            return ["methods"] if any(map(self.is_computed, asked.things)) else ["investigator"]
        if asked.begins("when"):
            return ["times"]
        if asked.begins("where") and kinds == {"craft"}:
            self.unsaid.append("it knows no position, which only a run has")
            return []
        if asked.begins("where"):
            return ["reasons"] if made else ["datasets", "reasons"]
        if "panel" in kinds:
            return ["panels"]
        if asked.begins("how") and not self.is_comparison:
            return ["computations"]
        return ["meanings"] if asked.things else []

    def is_computed(self, atom: Atom) -> bool:
        """Return whether a step of the template computes what an atom names."""
        steps = self.pipeline.graph.steps if self.pipeline is not None else []
        computing = [step for step in steps if step.tool != FETCH]
        names = [("step", str(step.id)) for step in computing]
        names += [("label", label) for step in computing for label in step.outputs]
        subjects = {(kind, folded(name)) for kind, name in names}
        return bool(atom.subjects & subjects) or "tool" in kinds_of(atom)

    @cached_property
    def made_by(self) -> frozenset[Subject]:
        """The tables that steps make which the question names by what they do: ``the smoothed lines``."""
        if self.pipeline is None or not _MADE.search(self.asked.text):
            return frozenset()
        tools = {tool for _, names in self.asked.operations for tool in names}
        made = [label for label, step in self.pipeline.producers.items() if step.tool in tools]
        return frozenset(("label", folded(label)) for label in made)

    @cached_property
    def present(self) -> list[Atom]:
        """The subjects of the question that the template has; of those that are used for another, the other."""
        present = [atom for atom in self.asked.things if atom.subjects & self.universe]
        used = _USED_FOR.search(self.asked.text)
        return [atom for atom in present if used and atom.start >= used.end()] or present

    @cached_property
    def absent(self) -> list[Atom]:
        """The subjects of the question that the template does not have."""
        return [atom for atom in self.asked.things if not atom.subjects & self.universe]

    @cached_property
    def universe(self) -> frozenset[Subject]:
        """Everything that facts about the template are about."""
        if self.pipeline is None:
            return frozenset()
        facts = [fact.about for collect in self.pipeline.topics.values() for fact in collect()]
        panels = {("panel", str(number)) for number in range(1, self.pipeline.most() + 1)}
        return frozenset(panels).union(*facts, *self.pipeline.names.values())

    def sources(self, atoms: Sequence[Atom]) -> tuple[list[Source], int]:
        """Find the parameters that the question names, and how many more there are."""
        named = frozenset[Subject]().union(*(atom.subjects for atom in (*atoms, *self.present)))
        sources, more = sources_named(named, self.content(""), self.asked.rest, self.catalogue)
        texts = [
            stems(f"{source.text} {' '.join(re.split('[_-]', source.dataset.id))}") for source in sources
        ]
        self.narrowing = {
            word for word in self.asked.rest if texts and all(stems(word) <= text for text in texts)
        }
        return sources, more

    def content(self, topic: str) -> list[str]:
        """Return the words of the question without those that ask for one property and those without meaning."""
        asked = self.asked
        kept = [atom.words for atom in asked.atoms if topic not in atom.topics]
        return [*(word for words in kept for word in words.split()), *asked.rest]


def kinds_of(atom: Atom) -> set[str]:
    return {kind for kind, _ in atom.subjects}


def quoted(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in dict.fromkeys(words))


def in_words(topic: str) -> str:
    """Name a property in an answer."""
    return _NAMES.get(topic, f"the {topic}")


def as_sentence(topic: str, said: str, line: str) -> str:
    """Begin the first line of an answer with what it says.

    >>> as_sentence("units", "yes: ", "nT (B)"), as_sentence("cadence", "", "the catalogue gives no cadence (B)")
    ('yes: the unit is nT (B)', 'the catalogue gives no cadence (B)')
    """
    is_sentence = re.match(
        r"(?:the|no|partly|provisional|panel|figure)\b|Step |\w+_\S+: |[{$]|.* (?:is|are|has|have) ", line
    )
    beginning = "" if is_sentence and topic != "reasons" else _BEGINNINGS.get(topic, "")
    return f"{said}{beginning} {line}" if beginning else f"{said}{line}"
