"""Read a question: the properties that it asks for, the things that it asks about, and the words that say neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from helio.authoring.rules.changes.atoms import COUNT, COUNTED, PLACE, PLACES, panel_number
from helio.authoring.rules.harmless import IN_QUESTIONS
from helio.authoring.rules.times.date_pairs import MONTH, MONTHS, YEAR
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.phrases import phrase_pattern
from helio.knowledge.quantities import B, families, spellings
from helio.knowledge.quantity_words import COMPONENTS, WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import plain
from helio.patterns import ignoring_case

_TABLE = VOCABULARY["questions"]
PANEL = re.compile(
    rf"\b(?:(?:panel|plot|subplot)\s*(?:no\.?\s*|number\s*|#\s*)?(?P<number>\d+|(?:{COUNT})\b)"
    rf"|(?P<place>{PLACE})\s+(?:panel|plot|subplot|row|graph|picture|one))\b",
    re.IGNORECASE,
)
_NOUN_BEHIND = re.compile(r"\s+(?:panel|line|curve|trace|step|plot)\b", re.IGNORECASE)
_CODE = re.compile(r"\bH[A-Z]\d{3}\b")
_MEAN = re.compile(r"\bmeans?\b(?=\s*(?:[?.!,;]|$|here\b|by\b|when\b|in\b))", re.IGNORECASE)
_FRAMES = re.compile(rf"\b(?:{'|'.join(FRAMES)})\b")
NAMED_UNITS = re.compile(
    r"\b(?:in|or) (?:K|kelvin|eV|keV|MeV|[npf]T|k?m/s|[np]Pa|cm\^?-3|cm⁻³|R_?E|AU|degrees|mV/m|Hz|kHz)(?![\w/])"
)
_COLOURS = re.compile(rf"\b(?:{'|'.join(VOCABULARY['colours'])})\b", re.IGNORECASE)
_FIELD = re.compile(r"\b(?:magnetic |mag )?fields?\b|(?<![\w|])(?-i:B)(?![\w|])|\bIMF\b", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;:?!()\[\]\"“”'‘’…]+(?:'[a-z]+)?")
_LONGEST_NAME = 5
"""Maximum number of words of a name."""
_ENDINGS = re.compile(r"(?:ations?|ings?|ents?|ants?|ences?|ities|ies|ity|ions?|ed|es|ly|al|s|e|y)$")
_STEM = 4
_AMOUNT = re.compile(r"(\d)[ -](ms|s|min|h|d|Hz|kHz|eV|keV|MeV|nT|km)\b")
_MONTH = re.compile(rf"(?<!\d )\b(?P<name>{MONTH}) (?P<year>{YEAR})\b", re.IGNORECASE)
"""A month of a year, without a day."""
_LONG_UNIT = re.compile(r"(\d)[ -](sec(?=onds?\b|\b)|min(?=utes?\b)|h(?=ours?\b))\w*", re.IGNORECASE)


def _patterns(matters: Mapping[str, Iterable[str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (matter, re.compile(rf"(?<![\w|-])(?:{phrase_pattern(phrase)})(?![\w|])", re.IGNORECASE))
        for matter, phrases in matters.items()
        for phrase in phrases
    )


_TOPICS = _patterns(_TABLE["topics"])
_BEYOND = _patterns(_TABLE["beyond"])
_OPERATIONS = _patterns({verb: row["words"] for verb, row in _TABLE["operations"].items()})
_UNIT = "named unit"
Subject = tuple[str, str]
"""Kind and name of something that a fact is about, such as ``("dataset", "AC_H0_MFI")``; names are folded."""


@dataclass(frozen=True)
class Atom:
    """A part of a question that has a meaning: a property, a subject, or something that metadata never say.

    Parameters
    ----------
    start, stop : int
        Place in the question.
    words : str
        The part as the question writes it.
    topics, beyond : tuple of str
        Properties; matters on which metadata say nothing.
    subjects : frozenset of (str, str)
        Everything that the words may name.
    """

    start: int
    stop: int
    words: str
    topics: tuple[str, ...] = ()
    subjects: frozenset[Subject] = frozenset()
    beyond: tuple[str, ...] = ()

    def with_meaning_of(self, other: Atom) -> Atom:
        """Return the same words with the meanings of both atoms."""
        return Atom(
            self.start,
            self.stop,
            self.words,
            tuple(dict.fromkeys((*self.topics, *other.topics))),
            self.subjects | other.subjects,
            self.beyond or other.beyond,
        )


class Asked:
    """A question as typed atoms; of overlapping atoms the longest counts, and equal parts have all their meanings.

    Parameters
    ----------
    text : str
    names : mapping
        Subjects by folded name: labels, steps, datasets and so on of the template, and those that are always known.
    panels : int
        The largest number of panels of a figure of the template.
    """

    def __init__(self, text: str, names: Mapping[str, frozenset[Subject]], panels: int) -> None:
        text = re.sub(r"['’]s\b|(?<=panel) from the top\b", "", " ".join(text.split()))
        text = _MONTH.sub(
            lambda month: f"{month['year']}-{MONTHS.index(month['name'][:3].lower()) + 1:02d}", text
        )
        self.text = _amounts(text)
        self._names = names
        self._panels = panels

    @cached_property
    def atoms(self) -> list[Atom]:
        """The atoms in the order of the question."""
        merged: dict[tuple[int, int], Atom] = {}
        for atom in self._every():
            place = (atom.start, atom.stop)
            merged[place] = merged[place].with_meaning_of(atom) if place in merged else atom
        chosen: list[Atom] = []
        for atom in sorted(
            map(self._in_place, merged.values()), key=lambda atom: (atom.start - atom.stop, atom.start)
        ):
            if all(atom.stop <= taken.start or atom.start >= taken.stop for taken in chosen):
                chosen.append(atom)
        others = {topic for atom in chosen for topic in atom.topics if atom.topics != (_UNIT,)}
        if not others <= {"reasons"}:  # a unit in passing, `T in eV: is it converted?`, asks for nothing
            chosen = [atom for atom in chosen if atom.topics != (_UNIT,)]
        return sorted(chosen, key=lambda atom: atom.start)

    def _in_place(self, atom: Atom) -> Atom:
        """Return what an atom means where it stands: ``the quality panel`` names a thing, and asks for no property."""
        named = atom.subjects and atom.topics and _NOUN_BEHIND.match(self.text, atom.stop)
        return replace(atom, topics=()) if named else atom

    @property
    def topics(self) -> list[str]:
        """The properties that the question asks for."""
        return list(
            dict.fromkeys(
                "units" if topic == _UNIT else topic for atom in self.atoms for topic in atom.topics[:1]
            )
        )

    @property
    def things(self) -> list[Atom]:
        """The atoms that name a subject."""
        return [atom for atom in self.atoms if atom.subjects]

    @property
    def beyond(self) -> dict[str, list[str]]:
        """The words of the question on which metadata say nothing, by matter."""
        matters: dict[str, list[str]] = {}
        for atom in self.atoms:
            if atom.beyond and not atom.topics and not atom.subjects:
                matters.setdefault(atom.beyond[0], []).append(atom.words)
        return matters

    @property
    def operations(self) -> list[tuple[str, list[str]]]:
        """The operations on data that the question names, such as smoothing: a verb, and the tools that do it."""
        verbs = dict.fromkeys(verb for verb, pattern in _OPERATIONS if pattern.search(self.text))
        return [(verb, _TABLE["operations"][verb]["tools"]) for verb in verbs]

    @property
    def colours(self) -> list[str]:
        """The colours that the question names."""
        return [match[0].casefold() for match in _COLOURS.finditer(self.text)]

    @property
    def rest(self) -> list[str]:
        """The words with a meaning that no atom contains."""
        return [
            part
            for match in _WORD.finditer(self.text)
            for part in re.split(r"(?<=[a-z])[-/](?=[a-z])", match[0].strip(".-/"))
            if not any(atom.start < match.end() and match.start() < atom.stop for atom in self.atoms)
            and not _is_harmless(part)
            and re.search(r"\w", part)
        ]

    def begins(self, *words: str) -> bool:
        """Return whether the question has one of these question words."""
        return ignoring_case(rf"\b(?:{'|'.join(words)})\b").search(self.text) is not None

    def _every(self) -> Iterator[Atom]:
        text = self.text
        for topic, pattern in _TOPICS:
            for match in pattern.finditer(text):
                yield Atom(*match.span(), match[0], topics=(topic,))
        for match in _MEAN.finditer(text):
            yield Atom(*match.span(), match[0], topics=("meanings",))
        for matter, pattern in _BEYOND:
            for match in pattern.finditer(text):
                yield Atom(*match.span(), match[0], beyond=(matter,))
        for name, pattern in _quantities():
            for match in pattern.finditer(text):
                yield Atom(*match.span(), match[0], subjects=frozenset({("quantity", name)}))
        for match in _FRAMES.finditer(text):
            yield Atom(*match.span(), match[0], topics=("frames",))
        for match in NAMED_UNITS.finditer(text):
            yield Atom(*match.span(), match[0], topics=(_UNIT,))
        for match in _COLOURS.finditer(text):
            yield Atom(*match.span(), match[0], topics=("colours",))
        for match in PANEL.finditer(text):
            written = (match["number"] or match["place"]).lower()
            place = PLACES[written] if match["place"] else int(COUNTED.get(written, written))
            number = panel_number(place, self._panels) or place
            yield Atom(*match.span(), match[0], subjects=frozenset({("panel", str(number))}))
        for match in _CODE.finditer(text):
            yield Atom(*match.span(), match[0], subjects=frozenset({("code", match[0])}))
        yield from self._named()

    def _named(self) -> Iterator[Atom]:
        """Yield the names in the question that a table, a template or the catalogue has."""
        words = list(_WORD.finditer(self.text))
        for number, first in enumerate(words):
            for last in words[number : number + _LONGEST_NAME]:
                written = self.text[first.start() : last.end()].strip(".-/")
                subjects = self._names.get(folded(written)) or self._names.get(
                    folded(written).removesuffix("s")
                )
                before, behind = self.text[: first.start()], self.text[last.end() :]
                is_noun = before.casefold().endswith("the ") and not re.search(r"\w", behind)
                if subjects and (
                    folded(written) not in IN_QUESTIONS
                    or (written[:1].isupper() and written != "I")
                    or (is_noun and any(kind == "step" for kind, _ in subjects))
                ):
                    yield Atom(first.start(), last.end(), written, subjects=subjects)


def _is_harmless(word: str) -> bool:
    bare = re.sub(r"['’]s$", "", word.strip(".-/").casefold())
    return bare in IN_QUESTIONS or (len(bare) > _STEM and bare.removesuffix("s") in IN_QUESTIONS)


@cache
def _quantities() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = [(row.quantity, row.pattern) for row in WORDS]
    rows += [(quantity, pattern) for quantity, pattern in COMPONENTS]
    compiled = [
        (name, re.compile(rf"(?<![\w|])(?:{pattern})(?![\w|])", re.IGNORECASE)) for name, pattern in rows
    ]
    return (*compiled, (B, _FIELD))


@cache
def names_of_crafts() -> Mapping[str, frozenset[Subject]]:
    """Return the names of all spacecraft and families of spacecraft, folded, with their subjects."""
    known = {folded(name): frozenset({("craft", folded(craft))}) for name, craft in spellings().items()}
    for family, crafts in families().items():
        known[folded(family)] = frozenset(("craft", folded(craft)) for craft in crafts)
    return known


def folded(name: str) -> str:
    """Return a name in lower case, with blanks for hyphens and underscores.

    >>> folded("Running_average"), folded("s/c")
    ('running average', 's/c')
    """
    return re.sub(r"[\s_-]+", " ", plain(name)).strip().casefold()


def stems(text: str) -> frozenset[str]:
    """Return the words of a text without their endings, so that forms of a word are equal.

    >>> stems("The averaging of averages") == stems("averaged the of")
    True
    """
    words = re.findall(r"[^\W_]+", _amounts(re.sub(r"(?<=[A-Z])s\b", "", plain(text))).casefold())
    return frozenset(_alike().get(stem, stem) for stem in map(_stem, words))


def _amounts(text: str) -> str:
    """Write each number with its unit as one word.

    >>> _amounts("64-Second or 5 minute data at 2 keV")
    '64s or 5min data at 2keV'
    """
    short = _LONG_UNIT.sub(lambda unit: f"{unit[1]}{unit[2].lower().removesuffix('ec')}", text)
    return _AMOUNT.sub(r"\1\2", short)


@cache
def _alike() -> Mapping[str, str]:
    """Return the first word of each group of words that mean the same in questions, all as stems."""
    groups = _TABLE["words alike"]
    return {_stem(word): _stem(group[0]) for group in groups for word in group}


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    word = re.sub(r"(?<=^[a-z]{3})s$", "", word)
    while len(word) > _STEM and (cut := _ENDINGS.sub("", word)) != word and len(cut) >= _STEM:
        word = cut
    return word


def covered(
    words: Iterable[str], texts: Mapping[str, frozenset[str]], question: str, *, most: int
) -> tuple[list[str], list[str]]:
    """Choose few texts that contain as many words as possible; return the texts, and the words that none of them has.

    Parameters
    ----------
    texts : mapping
        The stems of each text.
    question : str
        Of texts with equally many words, the one that has most of these words is chosen.
    """
    every = stems(question)
    left = list(dict.fromkeys(words))
    wanted = {word: stems(word) for word in left}
    chosen: list[str] = []
    while left and len(chosen) < most:
        scores = {text: sum(wanted[word] <= has for word in left) for text, has in texts.items()}
        best = max(scores, key=lambda text: (scores[text], len(texts[text] & every), -len(text)), default="")
        if not best or not scores[best]:
            break
        chosen.append(best)
        left = [word for word in left if not wanted[word] <= texts[best]]
    return chosen, left
