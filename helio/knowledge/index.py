"""Make the search index of a catalogue: it lists, for each word, the datasets that the word describes, with weights."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from helio.knowledge.missions import craft_of, instrument_of
from helio.knowledge.words import MEASURES, concepts, tokens

if TYPE_CHECKING:
    from helio.knowledge.catalogue_file import CatalogueDataset

# How much a word tells of a dataset by where it stands.
ID, INSTRUMENT, TITLE, CONCEPT, MEASURED, PARAMETER = 5, 5, 4, 5, 4, 1
MOST = 16
"""A word counts at most this much in one dataset; further repetitions do not increase its weight."""
_USUAL = 12
"""Number of words in an ordinary title; words in longer titles count less."""


def word_index(datasets: Sequence[CatalogueDataset]) -> str:
    """Return a line ``word|weight:steps|…`` for each word; each step is a dataset's number minus the previous number.

    A concept begins with a tilde: ``~magneticfield``.
    """
    postings: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, dataset in enumerate(datasets):
        for word, weight in _weights(dataset).items():
            postings[word][weight].append(number)
    lines = []
    for word in sorted(postings):
        index_lines = []
        for weight, places in sorted(postings[word].items()):
            steps = (after - before for before, after in zip([0, *places], places, strict=False))
            index_lines.append(f"{weight}:" + ",".join(map(str, steps)))
        lines.append("|".join([word, *index_lines]))
    return "\n".join(["", *lines, ""])


def _weights(dataset: CatalogueDataset) -> dict[str, int]:
    mission = craft_of(dataset.id, dataset.group).mission
    instrument = instrument_of(dataset.id, mission)
    title = tokens(dataset.title)
    shortened = min(1.0, (2 * _USUAL) / (_USUAL + max(len(title), 1)))
    weights: Counter[str] = Counter()

    def add(words: Sequence[str], weight: float) -> None:
        for word in dict.fromkeys(words):
            weights[word] = min(MOST, weights[word] + max(1, round(weight)))

    named = tokens(dataset.id.replace("-", " ").replace("_", " "))
    add(named, ID)
    add([f"~{concept}" for concept in concepts(named)], CONCEPT)
    add(tokens(instrument), INSTRUMENT)
    add([f"~{concept}" for concept in MEASURES.get(instrument, "").split()], MEASURED)
    add(title, TITLE * shortened)
    add([f"~{concept}" for concept in concepts(title)], CONCEPT * shortened)
    kind = tokens(dataset.instrument_type)
    add(kind, 1)
    add([f"~{concept}" for concept in concepts(kind)], 2)
    seen: dict[str, None] = {}
    for parameter in dataset.parameters:
        words = tokens(f"{parameter.name.replace('_', ' ')} {parameter.description}")
        seen.update(dict.fromkeys(word for word in words if len(word) > 1 and not word.isdigit()))
        seen.update(dict.fromkeys(f"~{concept}" for concept in concepts(words)))
    add(list(seen), PARAMETER)
    return weights
