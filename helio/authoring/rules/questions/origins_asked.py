"""Say from which instrument, spacecraft or dataset data come: the same as other data, or which of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from helio.authoring.rules.questions.asked import Atom, Subject, folded
from helio.authoring.rules.questions.question import DECLINED, Question, as_sentence, kinds_of
from helio.authoring.rules.questions.source_facts import MERGED, Source, SourceFacts, is_named, lines_of
from helio.knowledge.quantities import ABS_B, VECTOR_V, B, V

_SAME = re.compile(
    r"\b(?P<how>same|different|identical|common|single|(?<=from )one|(?<=only )one|(?<=just )one) (?:\w+ )?$",
    re.IGNORECASE,
)
_COMPARED = ("instruments", "crafts", "datasets")
_KINDS = {"instrument": "instruments", "craft": "crafts", "dataset": "datasets"}
_OR = re.compile(r",? or (?:(?:from|by|of|is it|the) )*", re.IGNORECASE)
_VECTORS = {V: VECTOR_V, ABS_B: B}
"""The vectors of which quantities are the magnitudes."""
_FROM = re.compile(r"\b(?:from|by) (?:the )?$", re.IGNORECASE)
_OF_DATA = ("craft", "instrument", "dataset", "parameter")
_BETWEEN = re.compile(r",|\b(?:as|and|than|with|to|like)\b|&", re.IGNORECASE)
"""What stands between two things that are compared."""


def same_asked(question: Question) -> list[str]:
    """Compare where data come from: ``is the density from the same instrument as the field?``."""
    pipeline, asked = question.pipeline, question.asked
    atoms = [atom for atom in asked.atoms if {*atom.topics} & {*_COMPARED}]
    meant = [(match, atom) for atom in atoms if (match := _SAME.search(asked.text[: atom.start]))]
    if pipeline is None or not question.is_yes_no or not meant:
        return []
    how, topic = meant[0][0]["how"].casefold(), meant[0][1].topics[0]
    sides = _sides(question)
    groups = [sources_named_by(question, side) for side in sides] or [
        [source] for source in pipeline.data.sources
    ]
    values = [{_value(topic, source) for source in group} for group in groups]
    is_known = values and all(group and all(group) for group in values) and not pipeline.has_unlisted_data
    if question.absent or asked.rest or asked.beyond or len(sides) == 1 or not is_known:
        return [f"{DECLINED}: it cannot tell which data are compared"]
    names = [" ".join(atom.words for atom in side) for side in sides] or [""]
    shown = groups if sides else [[source for group in groups for source in group]]
    told = [
        f"{name}: {'; '.join(_told(question, topic, group))}"
        for name, group in zip(names, shown, strict=True)
    ]
    said = question.verdict(_likeness(values, how == "different", in_parts=bool(sides)))
    return [f"{said}{told[0].removeprefix(': ')}", *told[1:]]


def origin_asked(question: Question) -> list[str]:
    """Say whether data have an origin, or which of several: ``is the density from SWE?``, ``from SWE or from 3DP?``."""
    pipeline, asked = question.pipeline, question.asked
    pairs = [
        pair for pair in pairwise(asked.things) if _OR.fullmatch(asked.text[pair[0].stop : pair[1].start])
    ]
    last = [
        atom for atom in asked.things[-1:] if question.is_yes_no and _FROM.search(asked.text[: atom.start])
    ]
    kinds = [kind for first, second in pairs for kind in _KINDS if kind in kinds_of(first) & kinds_of(second)]
    kinds = kinds or [kind for atom in last for kind in _KINDS if kind in kinds_of(atom)]
    if pipeline is None or not kinds or asked.rest or asked.beyond or not {*asked.topics} <= {*_COMPARED}:
        return []
    topic = _KINDS[kinds[0]]
    origins = [atom for atom in asked.things if kinds[0] in kinds_of(atom)] if pairs else last
    meant = [atom for atom in asked.things if atom not in origins]
    sources = sources_named_by(question, meant)
    wanted = {subject for atom in origins for subject in atom.subjects if subject[0] == kinds[0]}
    chosen = [source for source in sources if source.about & wanted]
    if not sources and pipeline.has_unlisted_data:
        return lines_of(pipeline.topics[topic]())
    if any(atom in question.absent for atom in meant) or not sources:
        return []
    is_known = all(_value(topic, source) for source in sources)
    if pairs:
        lines = _told(question, topic, chosen or sources)
        return [as_sentence(topic, "neither: " if is_known and not chosen else "", lines[0]), *lines[1:]]
    said = "no" if not chosen else "yes" if len(chosen) == len(sources) else "partly"
    if said != "partly" and pipeline.has_unlisted_data:
        return []
    said = said if is_known or said == "yes" else ""
    lines = _told(question, topic, sources)
    return [as_sentence(topic, question.verdict(said), lines[0]), *lines[1:]]


def _likeness(values: Sequence[set[str]], asks_difference: bool, *, in_parts: bool) -> str:
    """Return yes, no or partly; an empty text if all have the same alternatives, of which a run takes one."""
    pairs = list(combinations(values, 2))
    if all(first == second for first, second in pairs):
        return ("no" if asks_difference else "yes") if len(values[0]) == 1 else ""
    if in_parts and any(first & second for first, second in pairs):
        return "partly"
    return "yes" if asks_difference else "no"


def _sides(question: Question) -> list[list[Atom]]:
    """Return what the question names on each side of a comparison; a spacecraft named alone is that of all sides."""
    text, sides = question.asked.text, dict[int, list[Atom]]()
    for atom in question.present:
        sides.setdefault(len(_BETWEEN.findall(text[: atom.start])), []).append(atom)
    crafts = [side for side in sides.values() if all(kinds_of(atom) == {"craft"} for atom in side)]
    if len(crafts) == len(sides):
        return list(sides.values())
    common = [atom for side in crafts for atom in side]
    return [[*common, *side] for side in sides.values() if side not in crafts]


def sources_named_by(question: Question, atoms: Sequence[Atom]) -> list[Source]:
    """Return the data that all atoms name, by themselves or by a table that is made from them."""
    pipeline = question.pipeline
    assert pipeline is not None
    sources = pipeline.data.sources
    for atom in atoms:
        steps = {name for kind, name in atom.subjects if kind == "step"}
        labels = [
            label
            for label, step in pipeline.producers.items()
            if ("label", folded(label)) in atom.subjects or folded(str(step.id)) in steps
        ]
        tables = {table for label in labels for table in pipeline.lines.behind(label)}
        wanted = {subject for subject in atom.subjects if subject[0] in _OF_DATA}
        quantities = atom.subjects | {("quantity", _VECTORS.get(name, name)) for _, name in atom.subjects}
        measured = {
            source.label for source in sources if source.about & wanted or _quantities(source) & quantities
        }
        sources = [source for source in sources if source.label in (measured or tables)]
    return sources


def _quantities(source: Source) -> frozenset[Subject]:
    """Return what a source measures: by helio's table, or by its description if the table does not have it."""
    return frozenset(("quantity", row.quantity) for row in source.rows) or source.about


def _value(topic: str, source: Source) -> str:
    """Return what is compared; an empty text if the catalogue does not say it."""
    dataset = source.dataset
    if topic == "instruments":
        return f"{dataset.instrument} of {dataset.spacecraft}" if is_named(dataset) else ""
    if topic == "crafts":
        return "" if dataset.spacecraft == MERGED else dataset.spacecraft
    return dataset.id


def _told(question: Question, topic: str, sources: Sequence[Source]) -> list[str]:
    if topic == "datasets":
        return list(dict.fromkeys(source.dataset.id for source in sources))
    return lines_of(SourceFacts(sources, question.catalogue).topics[topic]())
