"""Answer from a template: the facts of a property, one step, and the records of its runs and changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helio.authoring.recorded import Records
from helio.authoring.rules.asked import Atom, Subject, stems
from helio.authoring.rules.question import DECLINED, Question, in_words, kinds_of, quoted
from helio.authoring.rules.source_facts import Fact
from helio.pipelines.template.document import Document
from helio.steps.signature import signatures

_LAST_RUN = re.compile(
    r"\b(?:last|latest|newest|previous) runs?\b|\b(?:was|were|did|has) (?:this|it|the pipeline) (?:last |ever )?run\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:was|were|has) (?:this|it|the pipeline) (?:last )?(?:been )?(?:changed|made)\b"
    r"|\bwhat (?:has |was )?changed\b|\bwho changed\b|\blast change\b",
    re.IGNORECASE,
)
_STEP = re.compile(r"\bstep\s+[\"'“‘]?([\w-]+)", re.IGNORECASE)
_COUNTED = frozenset({"bins", "cadence", "times", "panels", "crafts", "datasets", "instruments", "steps"})
"""Properties whose answer says how many there are."""
_NEEDS_A_SUBJECT = ("reasons", "methods", "meanings", "notes")
_ORDER = ("panel", "dataset", "craft", "instrument", "tool")
"""Kinds of subjects that narrow an answer one after the other; all other kinds are one group."""
_SHORT_ANSWER = 3
"""Number of lines of an answer that the nouns of the question need not narrow."""
_NOUN = re.compile(r"\b(?:the|a|an|this|these|each)\s+([a-z]+)", re.IGNORECASE)
_REASONED = ("frames", "units", "cadence", "computations", "level", "meanings", "datasets")
"""Properties that the purpose of a step may explain where no fact does."""


def about_topic(question: Question, topic: str) -> list[str]:
    """Return the facts of a property about everything that the question names; note if there are none."""
    pipeline = question.pipeline
    assert pipeline is not None
    collect = pipeline.topics.get(topic)
    facts = list(collect()) if collect else []
    if topic in _NEEDS_A_SUBJECT and not question.present:
        if not question.asked.rest:
            question.unsaid.append(f"the pipeline does not say {in_words(topic)}")
        return []
    if topic == "times" and not question.present:
        facts = [fact for fact in facts if any(kind == "variable" for kind, _ in fact.about)]
    if topic in ("settings", "numbers") and not question.present:
        words = [*(atom.words for atom in question.asked.atoms if topic in atom.topics), *question.asked.rest]
        asked = [stem for text in words for stem in stems(text)]
        close = [fact for fact in facts if any(stem in stems(fact.text) for stem in asked)]
        facts = close or ([] if set(question.topics) != {topic} else facts)
        if not facts:
            return []
    lines = narrowed(question, facts, question.present)
    if topic == "colours" and question.asked.colours:
        lines = [line for line in lines if stems(line) & {*question.asked.colours}] or [
            f"no line is set to {' or '.join(question.asked.colours)}",
            *lines,
        ]
    if lines and "counts" in question.asked.topics:
        numbers = list(_counted(question, topic))
        if not numbers and not _COUNTED & {*question.topics}:
            question.unsaid.append("the pipeline does not say how many")
        lines = [*numbers, *lines]
    if not lines:
        about = f" of {quoted([atom.words for atom in question.present])}" if question.present else ""
        question.unsaid.append(f"the pipeline and the catalogue do not say {in_words(topic)}{about}")
        if question.present and topic in _REASONED:
            return narrowed(question, list(pipeline.topics["reasons"]()), question.present)
    return lines


def narrowed(question: Question, facts: Sequence[Fact], atoms: Sequence[Atom]) -> list[str]:
    """Return the facts about all that the question names; each kind of subject narrows them further."""
    groups: dict[str, frozenset[Subject]] = {}
    for atom in [atom for atom in atoms if not {*atom.topics} & {*question.topics}] or atoms:
        kinds = kinds_of(atom)
        kind = next((name for name in _ORDER if name in kinds), "thing")
        groups[kind] = groups.get(kind, frozenset()) | atom.subjects
    for wanted in groups.values():
        facts = [fact for fact in facts if fact.about & wanted] or [fact for fact in facts if not fact.about]
    lines = [fact.text for fact in facts]
    return lines if groups else _with_nouns(question, lines)


def _with_nouns(question: Question, lines: list[str]) -> list[str]:
    """Return the lines of a long answer that have a noun of the question: `how do you calculate the difference`."""
    if len(lines) <= _SHORT_ANSWER:
        return lines
    topics = stems(" ".join(atom.words for atom in question.asked.atoms if atom.topics))
    nouns = frozenset[str]().union(*map(stems, _NOUN.findall(question.asked.text))) - topics
    return [line for line in lines if nouns & stems(line)] or lines


def _counted(question: Question, topic: str) -> Iterator[str]:
    assert question.pipeline is not None
    sources = question.pipeline.data.sources
    wanted = frozenset[Subject]().union(*(atom.subjects for atom in question.present))
    meant = [source for source in sources if not wanted or source.about & wanted] or sources
    if topic == "panels":
        for name, spec in question.pipeline.figures():
            yield f"figure {name} has {len(spec.get('panels') or ())} panels"
    counts = {
        "crafts": ("spacecraft", len({source.dataset.spacecraft for source in meant})),
        "datasets": ("datasets of the catalogue", len({source.dataset.id for source in meant})),
        "instruments": (
            "instruments",
            len({(source.dataset.spacecraft, source.dataset.instrument) for source in meant}),
        ),
        "steps": ("steps", len(set(question.pipeline.steps))),
    }
    if topic in counts:
        name, number = counts[topic]
        yield f"{number} {name}"


def about_step(question: Question) -> list[str]:
    """Describe the step that the question names by `step NAME`."""
    named = _STEP.search(question.request)
    if (
        question.pipeline is None
        or named is None
        or named[1].casefold() in ("do", "does", "is", "in", "of", "for", "by")
    ):
        return []
    steps = question.pipeline.steps
    if named[1] not in steps:
        return [f"No step is called '{named[1]}'. The steps are {', '.join(steps)}."]
    step = steps[named[1]]
    others = [
        topic
        for topic in question.asked.topics
        if topic not in ("steps", "meanings", "reasons", "computations")
    ]
    if others or question.asked.rest or question.asked.beyond:
        return []
    return [
        question.pipeline.line(named[1]) + (f" ({step['intent']})" if step.get("intent") else ""),
        summary_of(step),
    ]


def from_records(question: Question, records: Records | None) -> Iterator[str]:
    """Yield the answer from the records of runs and changes, if the question is about them."""
    about_run, about_change = _LAST_RUN.search(question.request), _CHANGED.search(question.request)
    if question.template is None or (not about_run and not about_change):
        return
    if records is None:
        yield f"{DECLINED}; `helio runs` lists the runs, and `helio history` the changes of a pipeline"
        return
    name = str(question.template.get("id"))
    if about_change and about_run:
        yield from records.changed_since_run(name, question.template)
    elif about_change:
        yield from records.changed(name)
    else:
        yield from records.last_run(name)


def summary_of(step: Document) -> str:
    """Say in one sentence what the tool of a step does."""
    tool = signatures().get(str(step.get("tool_name")))
    return tool.summary if tool else "helio has no such tool"
