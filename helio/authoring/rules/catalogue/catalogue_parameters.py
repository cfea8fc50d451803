"""Read what the catalogue says of the parameters of a dataset: words, particles, energies and directions."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise

from helio.knowledge.catalogue import Catalogue, CatalogueEntry, ParameterEntry
from helio.knowledge.instrument_index import folded, instrument_index
from helio.knowledge.missions import Craft, instrument_names
from helio.knowledge.modes import BY_NAME, LEVELS
from helio.knowledge.particles import (
    LETTERS,
    SPECIES_WORDS,
    SYMBOLS,
    Energy,
    Species,
    directions_in,
    energies_in,
    species_in,
)
from helio.knowledge.quantities import SOURCES, families
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import MEASURES, Clause, concepts, plain, tokens
from helio.patterns import ignoring_case
from helio.time_range import TimeRange

AUXILIARY = frozenset(VOCABULARY["auxiliary parameters"])
"""Words of parameters that describe other parameters, such as ``uncertainty``."""
OF_TIME = frozenset(VOCABULARY["words of cadences"])
TABLE = frozenset((source.dataset, name) for source in SOURCES for name in source.parameters)
"""The datasets and parameters in the table of quantities."""
ARROW = re.compile(r"^\s*-+>\s*")
"""Pattern of descriptions of parameters that show the data of the parameter before otherwise."""
_NUMBERED = re.compile(r"[a-z]{2,}\d+")
"""Pattern of an end of a name that has its own number."""
_UNUSABLE = re.compile(
    r"not yet functional|do not use|not used|map number|no (?:cdaweb )?plots|\bbin nos?\b", re.IGNORECASE
)
_OF_BINS = re.compile(r"\benergy (?:bins?|channels?|steps?|levels?)\b", re.IGNORECASE)
"""Pattern of descriptions of the energies of a spectrum, if they are in eV."""
_SYMBOL = re.compile(
    rf"(?<![A-Za-z0-9+])(?:{'|'.join(map(re.escape, sorted(SYMBOLS, key=len, reverse=True)))})(?![A-Za-z0-9+])"
)
_AT_ANGLE = re.compile(r"^(\d+) deg(?:rees?)?(?! telescope)\b", re.IGNORECASE)
_L_SHELL = re.compile(
    r"\b(?:M[ca]c?Il+wain(?:'?s)? )?L[- ](?:(?:shell|value|parameter)s?|Mc-?Il+wain)\b|\bMc-?Il+wain(?:'?s)? L\b",
    re.IGNORECASE,
)
_ALONG_FIELD = re.compile(r"(?<![A-Za-z])T_?(perp|par(?:a|allel)?)(?![A-Za-z])", re.IGNORECASE)
_ALONG = {"perp": "perpendicular"}
"""Which temperature a name such as ``Tpar`` means, if not the parallel one."""
_NEUTRAL = re.compile(r"(?<![\w+])(?:[ONC]|He|Ar)(?= [Dd]ensity)")
"""Pattern of atoms without a charge in descriptions of their density."""
_COMPONENT = re.compile(r"_mag([hdezxy])_")
"""Pattern of the component in names of parameters of ground stations, such as ``thg_magd_fsmi``."""
_CHANNEL = re.compile(r"[A-Z]{1,2}\d{1,2}(?=flux|counts)")
"""Pattern of the channel with which the name of a parameter begins."""
_OF_ANOTHER = re.compile(r"(?i)(?:sigma|err|error|unc|stdev|std|flag|dqf)$|^n_?points")
"""Pattern of names of parameters that describe another one."""
_AVAILABLE = re.compile(
    r"data available (?:from|beginning on|after) (?P<first>\d{4}/\d\d/\d\d)(?: to (?P<last>\d{4}/\d\d/\d\d))?"
)
_REMARKS = r"[(,].*|\[(?!label)[^]]*\]|\bafter .*"
"""What a description says of how the data were made."""
_OF_ERRORS = re.compile(r"sigma|(?:^|_)unc(?:_|$)|err(?:or)?(?:_|$)", re.IGNORECASE)
_FLUX = re.compile(
    r"(?<!heat )(?<!magnetic )(?<!momentum )(?<!poynting )\b(?:flux(?:es)?|intensit(?:y|ies)|flx)\b",
    re.IGNORECASE,
)
_DENSITIES = re.compile(r"\bN[ei]\b")
"""Symbols of densities, which are also those of neon and nickel."""
_SIDE = re.compile(r"\bside [AB]\b|\b(?<=_)?[AB]_(?=[A-Z])")
_CNO = re.compile(r"\bC, ?N,? ?(?:and )?O\b")
_IN_UNIT = re.compile(r"(?<![A-Za-z])([kMG]?eV)", re.IGNORECASE)
_BINS = {
    "FPI": ("ev", Energy(2, 30e3)),
    "CIS": ("ev", Energy(5, 40e3)),
    "HOPE": ("ev", Energy(1, 55e3)),
    "SST": ("ev", Energy(25e3, 6e6)),
    "RPS": ("mev", Energy(50e6, 4e9)),
}
"""The unit and the range of the bins of instruments of which the catalogue says neither, or only that of the fluxes."""
_SHORT = {
    "E": Species("e"), "P": Species("H", 1, 1), "I": Species("ion"), "O": Species("O"), "HE": Species("He"),
}  # fmt: skip
"""Species as names of the PRBEM standard write them: ``FEDO`` has electrons."""
_SPELT = {
    "fluxe": "flux", "flx": "flux", "irradiance": "flux", "degree": "deg", "mean": "average", "avg": "average",
    "ave": "average", "dif": "differential", "diff": "differential",
}  # fmt: skip
"""Words in the spelling of most descriptions."""
_COUNTED = {"e": Species("e"), "p": Species("H", 1, 1), "a": Species("He", 4, 2)}
"""Species as units write them: ``e/(cm^2*s*sr)``."""
_SIDES = frozenset({"sun", "antisun", "north", "south"})
"""Directions between which helio lets the person choose."""
_ENERGETIC = 40e3
"""The energy in eV that a plasma does not reach."""


class Words:
    """The words and the concepts of a text of the catalogue."""

    def __init__(self, text: str, more: Sequence[str] = ()) -> None:
        self.text, self.name = text, text.split(" ", 1)[0]
        listed = [*word_list(text), *more]
        self.words = {*listed}
        self.concepts = {*concepts(listed)}
        self.joined = {
            folded(word) for word in re.findall(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", text.replace("_", " "))
        }

    def has(self, clause: Clause) -> bool:
        """Return whether the text has the concept or all words of a clause."""
        return (
            (clause.concept != "" and clause.concept in self.concepts)
            or (clause.spelt != "" and clause.spelt in self.words)
            or all(
                stem(word) in self.stems
                or (len(word) > 3 and any(own.startswith(word) for own in self.words))
                for word in clause.words
            )
        )

    def has_name(self, name: str) -> bool:
        """Return whether the text has a name of an instrument, in small letters without signs."""
        return name in self.joined or name in self.words

    @cached_property
    def stems(self) -> set[str]:
        return {stem(word) for word in self.words}

    @cached_property
    def numerals(self) -> set[float]:
        return {float(number) for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", self.text)}

    @cached_property
    def letters(self) -> set[str]:
        return {*re.findall(r"(?<![A-Za-z])[A-Z](?![A-Za-z])", self.text.replace("_", " "))}

    @property
    def species(self) -> set[str]:
        return self.concepts & SPECIES_WORDS | self.words & SPECIES_WORDS

    @cached_property
    def auxiliary(self) -> frozenset[str]:
        """The words that say that a parameter describes another one, outside of its remarks."""
        if _OF_ANOTHER.search(self.name):
            return frozenset({"uncertainty"})
        return AUXILIARY & {*word_list(ignoring_case(_REMARKS).sub(" ", self.text))}


_ASIDE = re.compile(
    r"\((?:[^()]*/[^()]*|[^()]* with [^()]*)\)|background[- ](?:corrected|subtracted)", re.IGNORECASE
)
"""Pattern of words of a description that do not make its data auxiliary."""


@dataclass(frozen=True, eq=False)
class DescribedParameter:
    """A parameter, with what its name and its descriptions say.

    Parameters
    ----------
    sensors : frozenset of str
        What may name a sensor in the id and in the title of the dataset, in small letters without signs.
    head : str
        The description of the parameter to which an arrow points.
    """

    entry: CatalogueEntry
    craft: Craft
    parameter: ParameterEntry
    sensors: frozenset[str]
    head: str

    @property
    def pair(self) -> tuple[str, str]:
        """The dataset and the name."""
        return self.entry.id, self.parameter.name

    @property
    def full_name(self) -> str:
        """``DATASET.PARAMETER``."""
        return ".".join(self.pair)

    @cached_property
    def description(self) -> str:
        """The description without its arrow."""
        return " ".join(ARROW.sub("", self.parameter.description).split())

    @cached_property
    def about(self) -> str:
        """The description, with that of the parameter to which an arrow points."""
        return " ".join(f"{self.parameter.description} {self.head}".split())

    @cached_property
    def text(self) -> str:
        """Name and description, with that of the parameter to which an arrow points."""
        return f"{self.parameter.name} {self.about}"

    @cached_property
    def words(self) -> Words:
        """The words of the parameter alone, with what its unit says."""
        parameter = self.parameter
        text = f"{parameter.name} {parameter.description} {parameter.frame} {' '.join(parameter.axes)}"
        component = _COMPONENT.search(parameter.name)
        words = Words(f"{text} {component[1].upper()}" if component else text)
        if self.is_flux:
            words.words |= {"flux", "intensity"}
            for letter, name in LETTERS.items():
                if name in words.words or re.search(rf"(?<![A-Za-z]){letter}(?![A-Za-z+\d])", text):
                    words.words |= {name, letter.lower()}
        for symbol in _NEUTRAL.findall(parameter.description):
            words.words |= {LETTERS.get(symbol) or SYMBOLS[symbol], "atomic"}
        if counted := re.match(r"(?i)(e|p|a|ions?)/", parameter.unit):
            words.words.add({"e": "electron", "p": "proton", "a": "alpha", "i": "ion"}[counted[1][0].lower()])
        if re.match(r"(?i)(?:cnts?|counts?)\b", parameter.unit):
            words.words.add("count")
        of_axis = any(comparable(parameter.canonical_unit, unit) for unit in ("eV", "deg"))
        if len(parameter.size) == 1 and parameter.size[0] > 6 and not of_axis:
            words.concepts |= {"spectrum", "energyspectrum"}
        if parameter.unit and comparable(parameter.unit, "mV/m"):
            words.concepts.add("electricfield")
        if {"flow", "drift"} & words.words and comparable(parameter.unit or "1", "m/s"):
            words.concepts.add("velocity")
        return words

    @cached_property
    def head_words(self) -> Words:
        """The words of the description of the parameter to which an arrow points."""
        return Words(self.head)

    @cached_property
    def is_flux(self) -> bool:
        """Whether the parameter is a flux of particles, by its words or its unit."""
        return bool(_FLUX.search(self.parameter.description.replace("_", " "))) or _flux_unit(
            self.parameter.canonical_unit
        )

    @cached_property
    def _is_usable(self) -> bool:
        is_axis = _OF_BINS.search(self.parameter.description) and comparable(self.parameter.unit or "1", "eV")
        is_model = self.entry.id.endswith("_SSC") and self.parameter.unit == "nT"
        described = self.parameter.kind != "string" and not _UNUSABLE.search(self.parameter.description)
        return described and not is_axis and not is_model

    @cached_property
    def is_drawn(self) -> bool:
        """Whether the parameter holds measured numbers that a panel can draw as they are."""
        is_time = self.parameter.unit.lower() in OF_TIME and self.pair not in TABLE
        return self._is_usable and not is_time and len(self.parameter.size) < 2

    @cached_property
    def is_measured(self) -> bool:
        """Whether the parameter holds measurements, and does not describe another one."""
        told = f"{self.parameter.name} {self.parameter.description}"
        words = {*tokens(_ASIDE.sub(" ", told))}
        auxiliary = words & (AUXILIARY - {"count"}) or _OF_ERRORS.search(self.parameter.name)
        return (
            self._is_usable
            and (
                self.pair in TABLE
                or not (
                    auxiliary or {"flag", "background"} & {*tokens(re.sub(r"\([^()]*\)", " ", self.head))}
                )
            )
            and "TIME" not in self.parameter.name.upper()
        )

    @cached_property
    def species(self) -> tuple[Species, ...]:
        """All species that the data hold, together; empty if the catalogue does not say."""
        aside = _DENSITIES if comparable(self.parameter.canonical_unit, "cm^-3") else _SIDE
        in_unit = rf"\bin {re.escape(self.parameter.unit or self.entry.id)}(?!\w)"  # K is no potassium
        out = rf"{in_unit}|(?<![A-Za-z])ION_(?=[a-z])|(?<=[A-Z])-[HL]\b"  # ION_protons are protons, HEP-H a sensor
        about = (re.sub(out, " ", _CNO.sub("CNO", text)) for text in (self.parameter.description, self.about))
        own, whole = (aside.sub(" ", text) for text in about)
        texts = [re.sub(r"\([^()]*\)", " ", text) for text in (own, whole)]
        for text in (*(texts if self.head and self.is_flux else texts[1:]), whole):
            if kinds := [mention.what for mention in species_in(text)]:
                return tuple(kinds) if _is_group(text, kinds) else (kinds[0],)
        short = re.match(r"F([A-Z0-9]+?)(?:DO|DU|SA)", self.parameter.name)
        if short and short[1] in _SHORT:
            return (_SHORT[short[1]],)
        name = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", _SIDE.sub(" ", self.parameter.name))
        if kinds := [mention.what for mention in species_in(name)]:
            return (kinds[0],)
        if counted := re.match(r"#?\s*(e|p|a)\s*/", self.parameter.unit):
            return (_COUNTED[counted[1]],)
        measured = {*MEASURES.get(self.entry.instrument, "").split()} & {"electron"}
        title = {mention.what for mention in species_in(" ".join((self.entry.title, *measured)))}
        if "e" not in {species.kind for species in title}:
            title = title - {Species("ion")} or title  # alphas in an instrument for ions
        return tuple(title) if len(title) == 1 else ()

    @cached_property
    def channel(self) -> str:
        """The channel with which the name begins, such as ``E1`` of ``E1flux``; else the name."""
        begins = _CHANNEL.match(self.parameter.name)
        return begins[0] if begins else self.parameter.name

    @cached_property
    def bands(self) -> tuple[Energy, ...]:
        """The channels of energy, of the parameter to which an arrow points if it names none itself."""
        found = energies_in(self.description) or energies_in(self.about)
        return tuple(mention.what for mention in found)

    @cached_property
    def angle(self) -> float | None:
        """The one pitch angle at which the flux is measured, as in ``90 deg MEA flux``."""
        angles = _AT_ANGLE.findall(self.description) if self.is_flux else []
        return float(angles[0]) if len(angles) == 1 else None

    @cached_property
    def is_by_pitch(self) -> bool:
        """Whether the bins of a flux are pitch angles: ``O+ flux, 16 pitch angles``."""
        bins = re.search(r"\b(\d+) pitch[- ]?angles\b", self.description)
        return bins is not None and self.parameter.size == (int(bins[1]),)

    @cached_property
    def directions(self) -> frozenset[str]:
        """The directions into which the sensor looks."""
        own = f"{self.parameter.name} {self.description}"
        texts = (own, self.text, self.entry.title)
        found = (frozenset(mention.what for mention in directions_in(text)) for text in texts)
        return next(filter(None, found), frozenset())

    @cached_property
    def _bins(self) -> tuple[str, Energy] | None:
        names = {*instrument_names(self.entry.id)} & _BINS.keys()
        return _BINS[names.pop()] if len(names) == 1 else None

    @cached_property
    def reach(self) -> tuple[Energy, ...]:
        """The ranges of energies that the instrument measures, as far as helio or the title knows them."""
        titled = (mention.what for mention in energies_in(self.entry.title))
        ranges = tuple(energy for energy in titled if energy.low < energy.high < math.inf)
        return (self._bins[1],) if self._bins else ranges

    @cached_property
    def sensor(self) -> tuple[object, ...]:
        """What tells the sensor from others of the instrument: its side, name and channel, and its energies."""
        sides = {mention.what for mention in directions_in(f"{self.text} {self.entry.title}")} & _SIDES
        side = sides.pop() if len(sides) == 1 else ""
        names = re.findall(r"\b[A-Z]{3,}(?:-[A-Z]\b|(?=, ))|\b\d+ degree telescope\b", self.about)
        return side, frozenset(names), () if self.parameter.size else self.bands, self.reach

    @property
    def is_of_plasma(self) -> bool | None:
        """Whether the energies are those of a plasma, not of energetic particles; None if they are not known."""
        return max(energy.high for energy in self.reach) < _ENERGETIC if self.reach else None

    def is_available(self, span: TimeRange) -> bool:
        """Return whether no remark says that there are data only of other times: ``[data available from A to B]``."""
        told = _AVAILABLE.search(self.about)
        if not told:
            return True
        first, last = (date and datetime.strptime(date, "%Y/%m/%d") for date in (told["first"], told["last"]))
        return (not first or first < span.stop) and (not last or span.start < last + timedelta(days=1))

    @cached_property
    def _told(self) -> frozenset[str]:
        crafts = f"{self.craft.mission} {self.craft.spacecraft}"
        text = f"{self.text} {self.entry.id} {self.entry.title} {crafts} {' '.join(_levels(self.entry))}"
        return frozenset(tokens(text))

    def explains(self, word: str) -> bool:
        """Return whether the catalogue has a word in what it says of the parameter or its dataset."""
        name = folded(word)
        is_begin = len(name) > 4 and re.search(r"[A-Z]$", word)  # TOFxE of TOFXEH
        begins = is_begin and any(sensor.startswith(name) for sensor in self.sensors)
        return name in self.sensors or bool(begins) or (bool(word) and self._told.issuperset(tokens(word)))

    @cached_property
    def energy_unit(self) -> str:
        """The unit of the energies of the bins, as far as helio or the catalogue knows it; empty if not."""
        if self._bins:
            return self._bins[0]
        bins = " ".join(
            other.unit
            for other in self.entry.parameters
            if ignoring_case("energ").search(other.name) and {*other.size} & {*self.parameter.size}
        )
        for text in (bins, self.about, self.parameter.unit, self.entry.title):
            units: set[str] = {
                unit.lower() for unit in _IN_UNIT.findall(text.replace("!N", " ").replace("_", " "))
            }
            if len(units) == 1:
                return units.pop()
        return ""


@dataclass(frozen=True, eq=False)
class DescribedDataset:
    """A dataset, with the words of its title and of each of its parameters.

    Parameters
    ----------
    names : frozenset of str
        The names of its instruments, in small letters without signs.
    """

    entry: CatalogueEntry
    craft: Craft
    names: frozenset[str]

    @cached_property
    def parameters(self) -> tuple[DescribedParameter, ...]:
        """All parameters, each with the description of the one before to which its arrow points."""
        described, head = [], ""
        for parameter in self.entry.parameters:
            arrow = ARROW.match(parameter.description)
            head = head if arrow else parameter.description
            described.append(
                DescribedParameter(self.entry, self.craft, parameter, self.sensors, head if arrow else "")
            )
        return tuple(described)

    @cached_property
    def drawn(self) -> tuple[DescribedParameter, ...]:
        """The parameters that a panel can draw as they are."""
        return tuple(parameter for parameter in self.parameters if parameter.is_drawn)

    @cached_property
    def measured(self) -> tuple[DescribedParameter, ...]:
        """The parameters with measurements."""
        return tuple(parameter for parameter in self.parameters if parameter.is_measured)

    @cached_property
    def words(self) -> Words:
        """The words of the id, the title and the instrument."""
        names = instrument_names(self.entry.id)
        measures = (MEASURES.get(name, "").split() for name in (self.entry.instrument, *names))
        more = [*(word for words in measures for word in words), *(name.lower() for name in names)]
        more += _levels(self.entry)
        return Words(f"{self.entry.id} {self.entry.title} {self.entry.instrument_type}", more)

    @cached_property
    def words_of_id(self) -> frozenset[str]:
        """The words of the id, which are those of all its parameters: ``PICKUP-IONS``."""
        return frozenset(tokens(self.entry.id.replace("_", " ")))

    @cached_property
    def by_name(self) -> dict[str, DescribedParameter]:
        """The parameters that a panel can draw, by their names in small letters without signs.

        Also by the ends of the names, such as ``scm1`` of ``the_fb_scm1``, that only one parameter has.
        """
        ends = [parameter.parameter.name.rpartition("_")[2].casefold() for parameter in self.drawn]
        only = {
            end: parameter
            for end, parameter in zip(ends, self.drawn, strict=True)
            if ends.count(end) == 1 and _NUMBERED.fullmatch(end)
        }
        return only | {folded(parameter.parameter.name): parameter for parameter in self.drawn}

    @cached_property
    def sensors(self) -> frozenset[str]:
        """What may name a sensor in the id and in the title, in small letters without signs."""
        return sensor_names(self.entry.id, self.entry.title) | self.names


@lru_cache(maxsize=512)
def described_dataset(number: int, catalogue: Catalogue) -> DescribedDataset:
    """Return a dataset by its number in the catalogue."""
    dataset, craft = catalogue.crafts()[number]
    names = instrument_index(catalogue).names_of(number) | {*map(folded, instrument_names(dataset))}
    return DescribedDataset(catalogue.dataset(dataset), craft, names)


def numbers_of(crafts: Collection[str], catalogue: Catalogue) -> list[int]:
    """Return the numbers of the datasets of spacecraft, or of missions, in the catalogue."""
    named = {craft for name in crafts for craft in (*families().get(name, ()), name)}
    return [
        number
        for number, (_, craft) in enumerate(catalogue.crafts())
        if {craft.spacecraft, craft.mission} & named
    ]


@lru_cache(maxsize=8192)
def sensor_names(dataset: str, title: str) -> frozenset[str]:
    """Return what may name an instrument or a sensor in the id and the title of a dataset."""
    pieces = re.split(r"[_-]", dataset)
    words = re.findall(r"[\w-]+", title)
    parts = [part for word in words for part in word.split("-")]
    every: list[str] = [*pieces, *instrument_names(dataset)]
    for group in (pieces, words, parts):
        every += [word for word in group if not word.islower()]
        every += [f"{first}{second}" for first, second in pairwise(group)]
    return frozenset(folded(name) for name in every if len(name) > 1)


def _levels(entry: CatalogueEntry) -> list[str]:
    """Return the levels of processing in the id and the title of a dataset, such as ``l2``."""
    return [f"l{level[-1]}" for level in LEVELS if BY_NAME[level].is_of(f"{entry.id} {entry.title}")]


def word_list(text: str) -> list[str]:
    """Split a text into words as `tokens` does, with a word instead of the symbol of an element or an ion."""
    spaced = _L_SHELL.sub("lshell", text.replace("_", " "))
    spaced = spaced.replace("N/S ", "north south ").replace("E/W ", "east west ")
    spaced = _ALONG_FIELD.sub(lambda match: f"{_ALONG.get(match[1].lower(), 'parallel')} temperature", spaced)
    spaced = ignoring_case(r"(?<=\bfield )strength\b").sub("magnitude", spaced)
    words = tokens(plain(_SYMBOL.sub(lambda match: f" {SYMBOLS[match[0]]} ", spaced)))
    return [_SPELT.get(word, word) for word in words]


def species_words(text: str) -> set[str]:
    """Return the words for species in a text, also those that letters stand for.

    >>> sorted(species_words("unsectored H and O+ flux"))
    ['oxygen', 'proton']
    """
    return {*word_list(text)} & SPECIES_WORDS | {LETTERS[word] for word in text.split() if word in LETTERS}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a word without its ending, so that ``precipitating`` and ``precipitation`` are one.

    >>> stem("precipitating"), stem("precipitation"), stem("omnidirectional"), stem("ion")
    ('precipit', 'precipit', 'omnidirect', 'ion')
    """
    return re.sub(r"(?<=\w{5})(?:ations?|ating|ated|ates?|ional|al|ing|ed|es)$", "", word)


def _is_group(text: str, found: Sequence[Species]) -> bool:
    """Return whether several species are measured together: ``C, N, O intensity``."""
    kinds = {species.kind for species in found}
    return len(kinds) > 1 and re.search(r"\b[A-Z][a-z]?, [A-Z][a-z]?\b|\+\s*ions|/", text) is not None


@lru_cache(maxsize=4096)
def _flux_unit(unit: str) -> bool:
    return any(
        comparable(unit, known)
        for known in (
            "cm^-2 s^-1 sr^-1", "cm^-2 s^-1 sr^-1 MeV^-1", "cm^-2 s^-1", "eV/(cm^2 s sr eV)",
            "eV/(cm^2 s sr)", "cm^-2 s^-1 sr^-1 (MeV/n)^-1", "counts/(cm^2 s sr MeV)",
        )
    )  # fmt: skip
