"""Search for datasets by words in their ids, missions, instruments, titles and parameters, and by synonyms.

The ranking is that of BM25 with the fields' weights folded into the term frequency, as Robertson, Zaragoza and Taylor
describe it (CIKM 2004, doi:10.1145/1031171.1031181), without a model. If the question names a spacecraft, all others
are left out; if it names a cadence, datasets with the nearest cadence that is not coarser come first.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from helio.errors import closest
from helio.knowledge.cadence import said_cadences
from helio.knowledge.catalogue import Catalogue, CatalogueEntry, DatasetRow, DatasetSummary, read_time
from helio.knowledge.missions import ALIASES, BODIES, Craft
from helio.knowledge.words import AT_L1, CONTEXT, CRAFT_AT_L1, Clause, clauses, plain, tokens

_SATURATION = 6.0
"""The constant k1 of the ranking BM25: it limits how much the weight of a single word counts."""
_AS_TOLD = 0.75
"""Weight of words that match although the concept that they name does not; the words of a phrase share this weight."""
_ALSO = 0.3
"""Weight of the second best match of a dataset, besides its best match with a weight of 1."""
_CONTEXT = 0.3
"""Weight of a word that names a place, where a word that names a measured quantity has 1."""
_CADENCE = 6.0
"""Weight of a dataset's cadence if it is the requested cadence; as much as two words."""
_FEW = 4
_OF_POSITION = re.compile(r"\bheliocentric|\bheliographic|\bposition\b|\bpositions\b|\bHGI?\b", re.IGNORECASE)
_OTHER_LETTERS = re.compile(r"(?=\w*[^\W\d_a-zA-Z])\w+")


@dataclass(frozen=True)
class Hit:
    """A dataset that matches a question, and how well it matches."""

    dataset: DatasetSummary
    score: float


@dataclass(frozen=True)
class SearchResult:
    """The datasets that match a question, and the words that match nothing.

    Parameters
    ----------
    hits : tuple of Hit
        Best first.
    total : int
        Number of datasets found, before the limit.
    unknown : mapping
        Words that no dataset contains, each with similar words.
    craft : tuple of str
        The missions and spacecraft that the question names.
    elsewhere : mapping
        Words that no dataset of these spacecraft contains, each with the missions whose datasets do.
    """

    hits: tuple[Hit, ...]
    total: int
    unknown: Mapping[str, tuple[str, ...]]
    craft: tuple[str, ...] = ()
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Search:
    """A search for datasets in one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._words = catalogue.words()

    def find(self, question: str, *, limit: int = 10, similar: bool = True) -> SearchResult:
        """Find the datasets that match a question, best match first.

        Parameters
        ----------
        question : str
            Words, in any order: ``solar wind magnetic field ACE 1 min``.
        similar : bool
            Whether to find similar words for those that match nothing, which takes longer than all else.
        """
        question = plain(question)
        rest, craft = self.named(question)
        cadence, rest = _cadence(rest)
        places = [
            number
            for number, (_, dataset) in enumerate(self._datasets)
            if craft & {dataset.mission, dataset.spacecraft}
        ]
        places = places or list(range(len(self._datasets)))
        scores = dict.fromkeys(places, 0.0)
        met = dict.fromkeys(places, 0)
        # words in other letters are in no title
        unknown: dict[str, tuple[str, ...]] = dict.fromkeys(_OTHER_LETTERS.findall(question), ())
        elsewhere: dict[str, tuple[str, ...]] = {}
        parts = clauses(tokens(rest))
        for clause in parts:
            weights = self._told(clause)
            if not weights:
                unknown[" ".join(clause.words)] = self._close(clause.words[-1]) if similar else ()
                continue
            worth = _CONTEXT if clause.concept in CONTEXT and len(parts) > 1 else 1.0
            rarity = worth * math.log(1 + len(self._datasets) / (1 + len(weights)))
            matching = weights.keys() & scores.keys()
            if not matching:
                elsewhere[" ".join(clause.words)] = self._missions(weights)
            for number in matching:
                weight = weights[number]
                scores[number] += rarity * weight * (_SATURATION + 1) / (_SATURATION + weight)
                met[number] += 1
        if parts:
            places = [number for number in places if met[number]]
        elif not craft and not cadence:
            places = []
        hits = self._best({number: scores[number] for number in places}, rest, cadence, limit)
        return SearchResult(hits, len(places), unknown, tuple(sorted(craft)), elsewhere)

    def _best(
        self, scores: Mapping[int, float], question: str, cadence: float | None, limit: int
    ) -> tuple[Hit, ...]:
        """Return the best datasets; examine only datasets whose highest possible score is among the best.

        A dataset stands in the queue with its highest possible score, and after examination with its score.
        """
        rows, most = self.catalogue.rows, _CADENCE if cadence else 0.0
        queue: list[tuple[float, int, str, int, bool]] = []
        for number, score in scores.items():
            row = rows[number]
            queue.append((-(score + _merit(row) + most), len(row.id), row.id, number, False))
        heapq.heapify(queue)
        hits: list[Hit] = []
        while queue and len(hits) < limit:
            negative, length, dataset_id, number, examined = heapq.heappop(queue)
            if examined:
                hits.append(Hit(self.catalogue.at(number), round(-negative, 3)))
                continue
            row = rows[number]
            score = scores[number] + (_merit(row) - drawbacks(row, question))
            score += _cadence_score(self.catalogue.at(number).cadence, cadence) if cadence else 0.0
            heapq.heappush(queue, (-score, length, dataset_id, number, True))
        return tuple(hits)

    @cached_property
    def _datasets(self) -> list[tuple[str, Craft]]:
        return self.catalogue.crafts()

    @cached_property
    def _flown(self) -> list[Craft]:
        return list(dict.fromkeys(craft for _, craft in self._datasets))

    @cached_property
    def _crafts(self) -> dict[tuple[str, ...], str]:
        """All names of missions and spacecraft, split into words, each with the usual name."""
        names: dict[tuple[str, ...], str] = {}
        for craft in (craft for craft in self._flown if craft.mission not in BODIES):
            for name in (craft.mission, craft.spacecraft):
                names.setdefault(_words_of(name), name)
                if len(joined := name.replace("-", "")) > 3:  # DE1 is also a channel
                    names.setdefault(_words_of(joined), name)
            if re.fullmatch(
                r"[A-Z]\d+|\d{4}-\d+", last := craft.spacecraft.removeprefix(f"{craft.mission}-")
            ):
                names.setdefault(_words_of(last), craft.spacecraft)  # F17 of DMSP, 1994-084 of LANL
        known = set(names.values())
        for name, aliases in ALIASES.items():
            if name in known:
                names.update({_words_of(alias): name for alias in aliases})
        names.pop((), None)
        return names

    def named(self, question: str) -> tuple[str, set[str]]:
        """Return the question without the names of missions and spacecraft, and the set of these names.

        A mission is left out if one of its spacecraft is named. Of a planet or a comet there are positions only, so
        their names count only in a question about these.
        """
        question_words = " ".join(_words_of(question))
        words = tuple(AT_L1.sub(" ", question_words).split())
        at_l1 = set(CRAFT_AT_L1) if AT_L1.search(question_words) else set()
        rest, named = self._without(words, self._crafts)
        if not named and _OF_POSITION.search(question):
            rest, named = self._without(words, {_words_of(name): name for name in BODIES})
        missions = {craft.mission for craft in self._flown if craft.spacecraft in named - {craft.mission}}
        return rest, (named - missions) or at_l1

    def _without(self, words: tuple[str, ...], crafts: Mapping[tuple[str, ...], str]) -> tuple[str, set[str]]:
        """Return the words without names, and the set of the usual names."""
        named: set[str] = set()
        names: list[str] = []
        longest = max(map(len, crafts))
        start = 0
        while start < len(words):
            for length in range(min(longest, len(words) - start), 0, -1):
                craft = crafts.get(words[start : start + length])
                if craft and not (craft == "Wind" and names[-1:] == ["solar"]):
                    named.add(craft)
                    start += length
                    break
            else:
                names.append(words[start])
                start += 1
        return " ".join(names), named

    def _told(self, clause: Clause) -> dict[int, float]:
        """Return how well each dataset matches a part of a question: its best match counts, its second a little."""
        weights_of: dict[int, list[float]] = {}
        if clause.concept:
            for number, weight in self._postings(f"~{clause.concept}"):
                weights_of.setdefault(number, []).append(float(weight))
        for concept, worth in clause.related:
            for number, weight in self._postings(f"~{concept}"):
                weights_of.setdefault(number, []).append(weight * worth)
        words: dict[int, float] = {}
        share = (_AS_TOLD if clause.concept else 1.0) / max(1, len(clause.words))
        for word in clause.words:
            if len(word) == 1 and len(clause.words) > 1:
                continue  # the H of SYM-H is also hydrogen
            for number, weight in self._postings(word):
                words[number] = words.get(number, 0.0) + weight * share
        if clause.spelt:
            for number, weight in self._postings(clause.spelt):
                words[number] = max(words.get(number, 0.0), float(weight))
        for number, total in words.items():
            weights_of.setdefault(number, []).append(total)
        best = {number: sorted(weights, reverse=True) for number, weights in weights_of.items()}
        return {number: weights[0] + _ALSO * sum(weights[1:2]) for number, weights in best.items()}

    def _postings(self, word: str) -> list[tuple[int, int]]:
        start = self._words.find(f"\n{word}|")
        if start < 0:
            return []
        line = self._words[start + 1 : self._words.index("\n", start + 1)]
        postings: list[tuple[int, int]] = []
        for group in line.split("|")[1:]:
            weight, _, steps = group.partition(":")
            number = 0
            for step in steps.split(","):
                number += int(step)
                postings.append((number, int(weight)))
        return postings

    def _missions(self, weights: Mapping[int, float]) -> tuple[str, ...]:
        """Return the missions with the best matching datasets."""
        best: dict[str, float] = {}
        for number, weight in weights.items():
            mission = self._datasets[number][1].mission
            best[mission] = best.get(mission, 0.0) + weight
        return tuple(sorted(best, key=lambda name: (-best[name], name))[:_FEW])

    def _close(self, word: str) -> tuple[str, ...]:
        vocabulary = re.findall(r"\n([a-z][a-z0-9]{2,})\|", self._words)
        return closest(word, [*vocabulary, *(" ".join(craft) for craft in self._crafts)])


@lru_cache(maxsize=4)
def search_of(catalogue: Catalogue) -> Search:
    """Return the search in a catalogue, which keeps what it has read."""
    return Search(catalogue)


def _words_of(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9.]+", text.lower()))


def _cadence(question: str) -> tuple[float | None, str]:
    """Return the cadence that a question asks for, in seconds, and the question without this cadence."""
    cadences = said_cadences(question)
    if not cadences:
        return None, question
    for words, _ in cadences:
        question = question.replace(words, " ")
    return cadences[0][1], question


def _cadence_score(cadences: tuple[float, ...], asked_cadence: float) -> float:
    """Return a score for the best of a dataset's cadences; helio can compute a slow cadence from a faster one."""
    if not cadences:
        return 0.0
    return max(_one_cadence(cadence / asked_cadence) for cadence in cadences)


def _one_cadence(ratio: float) -> float:
    if 0.95 <= ratio <= 1.05:
        return _CADENCE
    if ratio < 1:
        return _CADENCE * max(0.0, 0.6 - 0.2 * math.log10(1 / ratio))
    return -_CADENCE * min(1.0, 0.25 + 0.25 * math.log10(ratio))


_LESS = (
    (
        r"PRELIM|[_-]K[0-2][_-]|LL02|[_-]LL(-|$)|low latency|beacon",
        r"prelim|key|k[0-2]|latency|real|quick|beacon|ll",
        2.5,
    ),
    (r"^Links to|GIFWALK|R0_SUMMARY", r"link|plot|gif|summary", 12.0),
    (
        r"housekeeping|_HK|HKP|state of health|calibration|[_-]Q0|QZC|background",
        r"housekeep|hk|health|calib|background",
        4.0,
    ),
    (r"key parameters|_KP[_-]", r"key", 6.0),
    (r"predicted|_PRE$|PRED_", r"predict|future", 3.0),
    (r"BRST|BURST-|[_-]BURST|MAGB_|DISB|burst mode(?!s)", r"brst|burst|high res|waveform", 4.0),
    (r"\bslow\b|_SLOW", r"slow", 1.0),
    (r"_ACTIVE\b", r"active|passive|sound", 1.0),
    (r"DO NOT USE|diagnostic", r"diagnostic", 6.0),
    (r"unvalidated|_UP_", r"unvalidated", 2.0),
    (r"movie|images? data links", r"movie|image", 3.0),
)  # fmt: skip


def _merit(row: DatasetRow) -> float:
    """Return a score that orders equal matches: long datasets before short ones, described ones before others."""
    first, last = read_time(row.first), read_time(row.last)
    years = (last - first).days / 365.25 if first and last else 0.0
    return min(years, 30) * 0.04 + (0.3 if row.parameters else 0.0) + (0.3 if row.doi else 0.0)


def drawbacks(row: DatasetRow | CatalogueEntry, question: str) -> float:
    """Return how much lower a dataset is ranked because of its kind, such as preliminary, that is not asked for."""
    text = f"{row.id} {row.title}"
    return sum(less for kind, unless, less in _COMPILED if kind.search(text) and not unless.search(question))


_COMPILED = tuple(
    (re.compile(kind, re.IGNORECASE), re.compile(rf"\b(?:{unless})", re.IGNORECASE), less)
    for kind, unless, less in _LESS
)
