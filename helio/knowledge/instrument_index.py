"""The names of instruments, detectors and stations, from the ids and the titles of the catalogue's datasets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.missions import ALIASES, instrument_names
from helio.knowledge.particles import SYMBOLS
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import concepts, tokens

_LONGEST = 3
"""Maximum number of words of a name, such as ``Fort Churchill``."""
_PIECE = re.compile(r"[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]+")
_LEVEL = re.compile(
    r"[A-Z]?\d+[A-Z]?|\d+(?:HR|MIN|SEC|S|MS|DAY|YR)|[LHKMRV]\d\w?|LL\d*|REL\d+|DEF|PRE|OR|AT", re.I
)
"""Pattern of pieces of ids that name a level or a cadence."""
_CADENCE = re.compile(r"\d+(?:HR|MIN|SEC)$")
_ACRONYM = re.compile(r"[A-Za-z0-9]*[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*")
_PLACE = re.compile(r"\bat ((?:[A-Z][\w.'’-]*\s?){1,3})")
_INSTITUTE = re.compile(r"\([^()]*(?:Univ|Inst|Lab|/)[^()]*\)")


class InstrumentIndex:
    """The datasets of each name of an instrument, a detector or a station, by the number of the dataset."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._numbers: dict[str, set[int]] = {}
        self._official: set[str] = set()
        self._names: list[frozenset[str]] = []
        frames = {frame.casefold() for frame in KNOWN_FRAMES}
        for number, (row, (_, craft)) in enumerate(zip(catalogue.rows, catalogue.crafts(), strict=True)):
            own = {*map(folded, (craft.mission, craft.spacecraft, *ALIASES.get(craft.spacecraft, ())))}
            names = {*map(folded, _names(row.id, row.title))} - frames - own
            self._official.update(map(folded, instrument_names(row.id)))
            self._names.append(frozenset(names))
            for name in names:
                self._numbers.setdefault(name, set()).add(number)

    def names_of(self, number: int) -> frozenset[str]:
        """Return the names, without signs and in small letters, that a dataset's id and title have."""
        return self._names[number]

    def numbers(self, name: str) -> set[int]:
        """Return the numbers of the datasets with a name, without signs and in small letters."""
        return self._numbers.get(name, set())

    def named_in(self, words: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
        """Find the names among the words of a sentence; return each with the words that it has there.

        A word in small letters that also means a quantity, such as ``electron``, is no name.
        """
        given, found, start = list(words), [], 0
        while start < len(given):
            for length in range(1, min(_LONGEST, len(given) - start) + 1):
                part = tuple(given[start : start + length])
                name = folded("".join(part))
                official = length == 1 and part[0].isupper() and name in self._official
                named = all(map(is_name, part)) and (length == 1 or is_name(" ".join(part)))
                if name in self._numbers and (named or official):
                    found.append((name, part))
                    start += length
                    break
            else:
                start += 1
        return found


def is_name(word: str) -> bool:
    """Return whether a word may be the name of an instrument: written as a name, or without another meaning.

    >>> is_name("EPI-Hi"), is_name("uleis"), is_name("electrons"), is_name("Density")
    (True, True, False, False)
    """
    if len(word) < 2 or not re.search(r"[A-Za-z]", word) or word in SYMBOLS:
        return False
    if re.search(r"[A-Z]", word[1:]):
        return not _is_plain(word)
    return not concepts(tokens(word)) and not _is_plain(word)


def _is_plain(word: str) -> bool:
    small = word.casefold()
    return bool({small, small.removesuffix("s"), small.removesuffix("es"), *tokens(word)} & _PLAIN)


@lru_cache(maxsize=8192)
def folded(name: str) -> str:
    """Write a name in small letters without signs, as ``epihi``."""
    return re.sub(r"[\W_]", "", name).casefold()


@lru_cache(maxsize=4)
def instrument_index(catalogue: Catalogue) -> InstrumentIndex:
    """Return the index of a catalogue."""
    return InstrumentIndex(catalogue)


_PLAIN = frozenset(VOCABULARY["no names of instruments"])
"""Words of quantities and of data, which are no names of instruments."""


def _names(dataset: str, title: str) -> set[str]:
    pieces = re.split(r"[_@]", dataset)[1:]
    names = {*instrument_names(dataset), *pieces}
    names |= {part for piece in pieces for part in piece.split("-")}
    names |= {_CADENCE.sub("", name) for name in names}
    plain = _INSTITUTE.sub(" ", title)
    names |= {*_ACRONYM.findall(plain)}
    names |= {part for name in _ACRONYM.findall(plain) for part in name.split("-")}
    names |= {match[1].strip(" ,.") for match in _PLACE.finditer(title)}
    return {name for name in names if len(name) > 1 and _PIECE.search(name) and not _LEVEL.fullmatch(name)}
