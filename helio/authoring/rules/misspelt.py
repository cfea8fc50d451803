"""Correct words that are misspelt by one slip of the pen."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from helio.authoring.rules.harmless import IN_REQUESTS
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.quantities import SOURCES, families, spellings
from helio.knowledge.quantity_words import WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import singular

_SHORTEST = 3
"""Names of instruments with at most this many letters are too short to suggest for a misspelt word."""

_OTHER_WORDS = (
    "solar",
    "plot",
    "show",
    "draw",
    "compare",
    "histogram",
    "resolution",
    "coordinates",
    "average",
    "delay",
)
_LONG = 8
"""Number of letters from which a word without meaning is told from a name with one slip."""


def with_corrections(text: str, unread: tuple[str, ...], catalogue: Catalogue) -> tuple[str, tuple[str, ...]]:
    """Correct misspelt words that can mean one known word only; return the text and a note for each.

    A word of several titles of the catalogue, such as ``mode``, is no mistake. The plural and the singular of a noun
    mean the same, and need no note.

    Only a letter that is wrong, missing, doubled or in another place is corrected, never the first letter; in words of
    four letters, only letters in another place or missing.
    """
    notes = []
    lexicon = {*known_words(), *_OTHER_WORDS, *(word for word in IN_REQUESTS if len(word) >= _LONG)}
    lexicon |= {f"{word[:-1]}ies" for word in lexicon if word.endswith("ity")}
    for word in unread:
        small = word.casefold()
        stem = small[:-1] if small.endswith("s") else small
        if not re.fullmatch(r"[a-z]{4,}", small) or word.isupper() or small in lexicon:
            continue
        if noun := in_other_number(small):
            text = re.sub(rf"\b{word}\b", noun, text)
            continue
        if {f"{small}s", stem} & lexicon or small in _words_of_titles(catalogue):
            continue  # a name, which has no plural, or a word of the catalogue
        near = {
            spelling
            for spelling in lexicon
            for written in {small, stem}
            if len(spelling) > _SHORTEST and is_one_slip(written, spelling)
            if len(written) > _SHORTEST + 1
            or len(spelling) > len(written)
            or sorted(spelling) == sorted(written)
        }
        meant = {spelling for spelling in near if not {spelling[:-1], f"{spelling[:-3]}y"} & near}
        if len(meant) == 1:
            (right,) = meant
            text = re.sub(rf"\b{word}\b", right, text)
            notes.append(f"'{word}' is read as '{right}'")
    return text, tuple(notes)


@lru_cache(maxsize=4)
def _words_of_titles(catalogue: Catalogue) -> frozenset[str]:
    """Return the words that several titles of the catalogue have."""
    few = 3
    counts = Counter(
        word for row in catalogue.rows for word in {*re.findall(r"[a-z]{4,}", row.title.casefold())}
    )
    return frozenset(word for word, count in counts.items() if count >= few)


def is_one_slip(word: str, known: str) -> bool:
    """Return whether one letter of a word is wrong, too many, missing or exchanged with the next.

    >>> is_one_slip("magentic", "magnetic"), is_one_slip("sped", "speed"), is_one_slip("lane", "plane")
    (True, True, False)
    """
    if word[0] != known[0] or abs(len(word) - len(known)) > 1:
        return False
    first = next(
        (at for at, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), min(len(word), len(known))
    )
    rest, other = word[first:], known[first:]
    swapped = rest[1:2] + rest[:1] + rest[2:]
    return other in (rest[1:], swapped) or rest == other[1:] or rest[1:] == other[1:]


@lru_cache(maxsize=1)
def known_words() -> tuple[str, ...]:
    """Return the words that the rules know, for suggestions: of quantities, computations, spacecraft, instruments."""
    instruments = {name.casefold() for source in SOURCES for name in source.instruments}
    names = set(spellings()) | {name for name in instruments if len(name) > _SHORTEST}
    crafts = {
        word for name in (*spellings(), *families()) for word in re.findall(r"[a-z]{4,}", name.casefold())
    }
    return tuple(sorted(_described_words() | names | (crafts - IN_REQUESTS)))


@lru_cache(maxsize=1)
def _described_words() -> frozenset[str]:
    """Return the words in the names of quantities and computations."""
    phrases = [row.quantity for row in WORDS]
    phrases += [phrase for row in WORDS for phrase in row.phrases]
    phrases += [phrase for named in VOCABULARY["computations"].values() for phrase in named]
    return frozenset(word for phrase in phrases for word in re.findall(r"[a-zé]{4,}", phrase.casefold()))


def in_other_number(word: str) -> str:
    """Return the word of a quantity or computation of which a word is the plural or the singular; empty if none is.

    >>> in_other_number("spectrums"), in_other_number("aces")
    ('spectrum', '')
    """
    names = set(spellings())
    return next(
        (noun for noun in sorted(_described_words() - names - {word}) if singular(noun) == singular(word)),
        "",
    )
