"""Read the species, energies and directions of particles in sentences and in the catalogue's descriptions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

What = TypeVar("What")


class Species(NamedTuple):
    """A kind of particle.

    Parameters
    ----------
    kind : str
        Symbol of the element, such as ``He``; ``e`` for electrons, ``ion`` for ions that nothing tells apart.
    mass, charge : int
        Of the isotope and of the ion; 0 if not stated.
    """

    kind: str
    mass: int = 0
    charge: int = 0

    def fits(self, other: Species) -> bool:
        """Return whether data of one species may be called the other: no isotope and no charge contradicts.

        Helium alone is not helium-3.

        >>> Species("O", charge=1).fits(Species("O")), Species("He").fits(Species("He", 3))
        (True, False)
        """
        masses, charges = {self.mass, other.mass} - {0}, {self.charge, other.charge} - {0}
        is_rare = other.mass == 3 and not self.mass
        return self.kind == other.kind and len(masses) < 2 and len(charges) < 2 and not is_rare

    def distance(self, other: Species) -> int:
        """Return how much less one species says than the other; oxygen alone is rather O+ than O++."""
        is_rarer = self.kind == "O" and not self.charge and other.charge > 1
        return (self.mass != other.mass) + (self.charge != other.charge) + is_rarer


class Found(NamedTuple, Generic[What]):
    """Something that a text says, and where."""

    start: int
    stop: int
    what: What


@dataclass(frozen=True)
class Energy:
    """A channel or a range of energies in eV; equal limits are one energy.

    Parameters
    ----------
    high : float
        Infinite for all energies above the lower limit.
    rough : float
        By how much the limits may differ because of how they are rounded.
    """

    low: float
    high: float
    rough: float = 0.0

    @property
    def is_point(self) -> bool:
        return self.low == self.high

    @property
    def centre(self) -> float:
        """The energy in the middle, on a logarithmic axis."""
        return float(f"{(self.low * self.high) ** 0.5:.4g}") if self.low else self.high / 2

    def is_same(self, other: Energy) -> bool:
        """Return whether two channels are the same, up to how their limits are rounded.

        One energy may stand for all above it: 10 MeV for >10 MeV.
        """
        rough = max(self.rough, other.rough)
        if math.inf in (self.high, other.high) and self.high != other.high:
            return abs(self.low - other.low) <= 0.02 * other.low
        return all(
            a == b or abs(a - b) <= max(min(rough, 0.2 * abs(b)), 0.02 * abs(b))
            for a, b in ((self.low, other.low), (self.high, other.high))
        )

    def has(self, other: Energy) -> bool:
        """Return whether another range lies in this one."""
        return self.low * 0.98 <= other.low and other.high <= self.high * 1.02


_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}
_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?"
_UNIT = r"[kKMmG]?[eE][vV](?![a-z])"
_ABOVE = r"(?:\bE\s*)?(?:>=?|≥|(?<![a-z])(?:above|over|greater than|more than|exceeding|higher than)\b)\s*"
_ONE = (
    rf"(?:(?P<above>{_ABOVE})(?P<least>{_NUMBER})(?![\d.]|\s*-?{_UNIT}\s*(?:-|–|\bto\b)\s*[~≈]?\d)|[~≈]?(?P<low>{_NUMBER})"
    rf"(?:\s*-?(?P<first>{_UNIT}))?\s*(?:-|–|\bto\b)\s*[~≈]?(?P<high>{_NUMBER})|[~≈]?(?P<at>{_NUMBER}))"
)
_PLAIN_ONE = re.sub(r"\?P<\w+>", "?:", _ONE)
_PER = r"(?:\s*/\s*(?:nucleon|nuc|amu|n|u|q)(?![a-z])\.?)?"
_LISTED = re.compile(
    rf"(?<![\w.])(?<!\d-)(?<!Z>)(?<!Z>=)(?P<list>{_PLAIN_ONE}(?:\s*(?:{_UNIT}{_PER})?\s*(?:,\s*and\b|,|\band\b|&|/|;)\s*{_PLAIN_ONE})*)"
    rf"\s*-?\s*(?:energy bins,\s*)?(?P<unit>{_UNIT}){_PER}(?![\w])",
    re.IGNORECASE,
)
_EACH = re.compile(rf"(?<![\w.]){_ONE}(?:\s*-?\s*(?P<unit>{_UNIT}))?{_PER}", re.IGNORECASE)


def energies_in(text: str) -> list[Found[Energy]]:
    """Return the energies in a text; in ``>10, >30 and >60 MeV`` the unit is of all.

    >>> [(mention.what.low, mention.what.high) for mention in energies_in("3 - 4.6 MeV/n and 40-50 keV")]
    [(3000000.0, 4600000.0), (40000.0, 50000.0)]
    >>> [mention.what.low for mention in energies_in(">10, >30 and >60 MeV protons")]
    [10000000.0, 30000000.0, 60000000.0]
    """
    found: list[Found[Energy]] = []
    for listed in _LISTED.finditer(text):
        start, stop = listed.span("list")
        for amount in _EACH.finditer(text, start, listed.end("unit")):
            unit = amount["unit"] or _unit_after(text, amount.end(), stop) or listed["unit"]
            scale = _SCALES[unit[:-2].lower()]
            first = _SCALES[amount["first"][:-2].lower()] if amount["first"] else scale
            written = amount["least"] or amount["high"] or amount["at"]
            rough = 0.51 * scale * 10.0 ** -len(written.partition(".")[2])
            low, high = _value(amount["least"] or amount["low"] or amount["at"]), _value(written)
            limit = float("inf") if amount["above"] else high * scale
            end = listed.end() if amount.end() >= stop else amount.end()
            found.append(Found(amount.start(), end, Energy(low * first, limit, rough)))
    return found


def _unit_after(text: str, start: int, stop: int) -> str:
    """Return the next unit in a list of energies: ``3 and 5 keV, 1 MeV``."""
    match = re.compile(_UNIT).search(text, start, stop)
    return match[0] if match else ""


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _species_of(code: str) -> Species:
    """Read a species of the vocabulary: ``He 4 2`` is an alpha particle."""
    kind, *numbers = code.split()
    return Species(kind, *map(int, numbers))


_SPELLINGS: list[tuple[str, str, str]] = [
    (word, code, spelling)
    for word, codes in VOCABULARY["species"].items()
    for code, spellings in codes.items()
    for spelling in spellings
]
SPECIES_WORDS = frozenset(VOCABULARY["species"])
"""One word for each species: ``proton``, ``heliumion``."""
LETTERS = {spelling: word for word, _, spelling in _SPELLINGS if len(spelling) == 1}
"""Letters that alone stand for an element, and its word."""
SYMBOLS = {
    form: word
    for word, _, spelling in _SPELLINGS
    for form in ({spelling, spelling.capitalize(), spelling.upper()} if spelling.islower() else {spelling})
    if len(spelling) > 1
}
"""How species are written, except by a letter, and their words."""
_KINDS = {  # the longest first: helium-3 before helium
    spelling: _species_of(code)
    for _, code, spelling in sorted(_SPELLINGS, key=lambda row: -len(row[2]))
    if re.fullmatch(r"[a-z][a-z -]{2,}\d?", spelling)
}
_SYMBOLS = (  # the longest first
    "CNO|He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Sc|Ti|Cr|Mn|Fe|Co|Ni|Cu|Zn|O2|NO|H|B|C|N|O|F|P|S|K|V"
)
_SYMBOL = re.compile(
    rf"(?<![\w+/])(?P<mass>[34](?=He))?(?P<kind>{_SYMBOLS})(?P<isotope>(?<=He)-?[34](?![\w+]))?"
    r"(?P<charge>\+{1,2}(?![\w+])|\d{1,2}\+|plusplus\b|plus\b)?(?!\w)(?!/\w)(?![-.]\d)"
)
_PLUS = re.compile(r"\+{1,2}(?!\w)")
_COUNTED = re.compile(
    r"\s*(?:,?\s*\(|,|\s(?:and|or|&)\s|\s?(?:flux|intensit|count|rate|sectored|ion|nuclei|spectr|energy|diff)|\s*\x01|$)",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def species_in(text: str) -> tuple[Found[Species], ...]:
    """Return the species in a text.

    >>> [mention.what for mention in species_in("H+, 3He and iron")]
    [Species(kind='H', mass=0, charge=1), Species(kind='He', mass=3, charge=0), Species(kind='Fe', mass=0, charge=0)]
    """
    mentions = sorted([*_names(text), *_symbols(text)], key=lambda mention: mention.start)
    return tuple(
        mention
        for mention in mentions
        if not any(longer.start < mention.start < longer.stop for longer in mentions)
    )  # the ions of oxygen ions


def _names(text: str) -> Iterator[Found[Species]]:
    for match in ignoring_case(rf"(?<![A-Za-z])(?:{any_phrase(_KINDS)})(?![a-z])").finditer(text):
        species = next(
            species
            for phrase, species in _KINDS.items()
            if ignoring_case(any_phrase([phrase])).fullmatch(match[0])
        )
        plus = _PLUS.match(text, match.end())
        if plus and not species.charge:
            species = species._replace(charge=len(plus[0]))
        yield Found(match.start(), _behind(text, plus.end() if plus else match.end()), species)


def _symbols(text: str) -> Iterator[Found[Species]]:
    for match in _SYMBOL.finditer(text):
        mass = int((match["mass"] or match["isotope"] or "0").strip("-"))
        written = match["charge"] or ""
        charge = {"plus": 1, "plusplus": 2}.get(written, 0) or (
            int(written[:-1]) if written[:1].isdigit() else len(written)
        )
        alone = len(match["kind"]) == 1 and not charge
        if alone and not _COUNTED.match(text, match.end()):
            continue  # the B of B GSE
        yield Found(match.start(), _behind(text, match.end()), Species(match["kind"], mass, charge))


def _behind(text: str, stop: int) -> int:
    """Return where a species ends with the words ``ions`` or ``nuclei`` behind it."""
    match = re.compile(r"\s+(?:ions?|nuclei|nucleus|particles?)\b", re.IGNORECASE).match(text, stop)
    return match.end() if match else stop


_DIRECTIONS = {phrase: name for name, phrases in VOCABULARY["directions"].items() for phrase in phrases}
_SIDE = re.compile(r"\b(?:[Ss]ide|[Tt]elescope)[- ]([AB])\b|\b([AB])[- ](?:[Ss]ide|[Tt]elescope)\b")
_TELESCOPE = re.compile(r"\b[Tt]elescope[- ]?(\d)\b")
_FACING = re.compile(r"\b[AB]/([EW]) [Dd]etector\b")
"""Pattern of the detectors of GOES that look to the east and to the west."""
_DEGREE = r"[- ]deg(?:ree)? [Tt]elescopes?\b"
_ANGLE_OF_TELESCOPE = re.compile(rf"\b(\d+)(?=(?: and \d+)?{_DEGREE})")
"""Pattern of the angles of ``0 and 90 degree telescopes``."""


@lru_cache(maxsize=4096)
def directions_in(text: str) -> tuple[Found[str], ...]:
    """Return the directions into which the sensors look that a text names, such as ``antisun`` or ``side A``."""
    pattern = ignoring_case(rf"(?<![A-Za-z])(?:{any_phrase(_DIRECTIONS)})(?![a-z])")
    found = [
        Found(
            *match.span(),
            next(
                name
                for phrase, name in _DIRECTIONS.items()
                if ignoring_case(any_phrase([phrase])).fullmatch(match[0])
            ),
        )
        for match in pattern.finditer(text)
    ]
    sides = [
        Found(*match.span(), f"{kind} {match[1] or match[match.re.groups]}")
        for kind, named in (("side", _SIDE), ("telescope", _TELESCOPE), ("telescope", _ANGLE_OF_TELESCOPE))
        for match in named.finditer(text)
    ]
    facing = [Found(*match.span(), {"E": "east", "W": "west"}[match[1]]) for match in _FACING.finditer(text)]
    return tuple(sorted([*found, *sides, *facing], key=lambda direction: direction.start))
