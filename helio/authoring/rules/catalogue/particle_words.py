"""Read which particles a sentence asks for: species, energies, directions, pitch angles, sensors and channels."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Any

from helio.authoring.rules.harmless import IN_REQUESTS
from helio.authoring.rules.reading.sentence import Sentence
from helio.knowledge.cadence import cadences_in
from helio.knowledge.instrument_index import folded, is_name
from helio.knowledge.particles import LETTERS, Energy, Species, directions_in, energies_in, species_in
from helio.knowledge.phrases import TAKEN
from helio.patterns import ignoring_case

PLAIN = (None, Species("e"), Species("ion"), Species("H", 1, 1))
"""Particles of which the table of quantities has moments."""
_BETWEEN = re.compile(r"[,;]|\b(?:and|plus|with|vs|versus|against|then)\b|&|\s\+\s|\.\s", re.IGNORECASE)
_WORD = re.compile(r"[^\s\x01,;()?!/\"“”]+")
_DEGREES = r"(?:deg(?:rees?)?\b|°)"
_NUMBER = r"\d+(?:\.\d+)?"
_ANGLE_WORDS = r"(?:pitch[- ]?angles?|(?-i:PAs?))"
_ANGLES = re.compile(
    rf"(?:\b{_ANGLE_WORDS}\s*(?:bins?\s*)?(?:of|from|between|in|at|=|range)?\s*)(?P<low>{_NUMBER})\s*{_DEGREES}?"
    rf"\s*(?:(?:-|–|\bto\b|\band\b)\s*(?P<high>{_NUMBER}))?\s*{_DEGREES}?"
    rf"|(?P<first>{_NUMBER})\s*{_DEGREES}?\s*(?:(?:-|–|\bto\b)\s*(?P<second>{_NUMBER})\s*)?-?{_DEGREES}"
    rf"(?:\s+(?:in\s+)?{_ANGLE_WORDS})?",
    re.IGNORECASE,
)
_AVERAGED = re.compile(
    rf"\b(?:averag(?:ed?|ing)|mean|integrated)\s+(?:over|of|in|across)\s+(?:all\s+)?(?:the\s+)?(?=[^,;]{{0,25}}{_ANGLE_WORDS}|[^,;]{{0,20}}{_DEGREES})"
    rf"|\b{_ANGLE_WORDS}[- ](?:averaged?|means?)\b",
    re.IGNORECASE,
)
_MEAN = re.compile(
    r"\b(?:averag(?:ed?|ing)|mean|at|around|near) +(?:(?:over|in|of|between|from) +)?(?=\x01)",
    re.IGNORECASE,
)
"""Pattern of words before a range of energies."""
_MEAN_AHEAD = frozenset({"mean", "average", "averaged"})
"""Words that mean the same ahead of the particles: ``mean proton flux, 25-50 MeV``."""
_INTEGRAL = re.compile(
    r"\b(?:integrated|summed|sum|total(?:led)?) +(?:(?:over|in|between|from) +)?(?=\x01)", re.IGNORECASE
)
_LISTED = re.compile(r"(?<![\w/])[A-Z][a-z]?(?:/[A-Z][a-z]?){2,}(?![\w/])")
"""Pattern of three or more elements; two may be a ratio."""
_SIDES = re.compile(
    r"\b(?P<both>[Ss]ides?\s+A\s*(?:and|&|/|,|\+)\s*B)\b"
    r"|\b(?P<name>[A-Z][\w-]*[A-Z\d])[ -](?P<side>[AB])(?=\s+(?!and\b|GS|RTN)|\s*[,;]|$)"
)
PITCH = re.compile(
    rf"\b(?:{_ANGLE_WORDS}(?:\s+(?:distributions?|spectrograms?|spectra|spectrum|resolved))?|PADs?|strahl)\b",
    re.IGNORECASE,
)
SPECTRUM = re.compile(r"\b(?:spectrograms?|spectra|spectrum)\b", re.IGNORECASE)
_CORRECTIONS = frozenset({"corrected", "uncorrected"})
_FLAGS = {
    "pitch": PITCH,
    "omni": re.compile(r"\bomni(?:[- ]?directional)?\b", re.IGNORECASE),
    "spectrum": SPECTRUM,
    "preliminary": re.compile(
        r"\b(?:real[- ]?time|preliminary|key parameters?|low[- ]latency|beacon|browse|quick[- ]?look)\b",
        re.IGNORECASE,
    ),
    "every": re.compile(r"\b(?:all|channels)\b", re.IGNORECASE),
}
"""Patterns of words that say something once of all particles."""
_FLUX = re.compile(
    r"\b(?:differential|energetic|energy|particles?|number|channel|bins?|nearest|closest|around|near|detectors?|e?flux(?:es)?|intensit(?:y|ies)|apertures?|telescopes?|looking|facing|directions?|nuclei|GCRs?|SEPs?"
    r"|cosmic[- ]rays?|galactic|suprathermal|precipitat\w+)\b",
    re.IGNORECASE,
)
"""Words about particles that tell no parameters of an instrument apart."""
COUNTED = ("counts", "rates")
"""Moments that are numbers of particles; a flux may also be called a rate."""
_PLURAL = re.compile(r"\b(?:electrons|protons|ions|alphas)\b")
"""Pattern of particles that mean their flux beside the moment of another instrument: ``SPA electrons, MPA density``."""
_MOMENTS = {
    "density": r"(?:number\s+)?densit(?:y|ies)",
    "temperature": r"temperatures?",
    "velocity": r"(?:bulk\s+)?velocit(?:y|ies)",
    "speed": r"(?:bulk\s+)?speeds?",
    "pressure": r"pressures?",
    "counts": r"count(?:s|ing)?(?:\s+rates?)?",
    "rates": r"rates?",
}
_CHANNEL = re.compile(r"(?<![\w-])[A-Z]{1,3}\d{1,2}(?:['’p](?!\w))?(?![\w-])")
_RATIO = re.compile(
    r"(?:\bratio (?:of )?(?:the )?)?(?<![\w/])(?P<above>[\w-]+\+{0,2})(?:\s*/\s*|\s+(?:to|over)\s+|-to-)"
    r"(?P<below>[\w-]+(?:\+{1,2}(?!\w))?)(?![\w/])"
    r"(?:\s+(?:(?P<moment>density|\w+)\s+)?ratios?\b)?",
    re.IGNORECASE,
)

_ION_INSTRUMENTS = re.compile(r"\b(?:HOPE|HPCA|CODIF)\b")
"""Pattern of instruments that tell ions apart, of which a ratio of two is that of their densities."""
_SHORT_IONS = {"he": "helium", "p": "proton", "h": "proton", "o": "oxygen"}


def with_ratios(text: str) -> str:
    """Write ratios of particles at an energy, and of densities, in words; others are data themselves.

    >>> with_ratios("ULEIS Fe/O at 320-640 keV/n"), with_ratios("SWICS Fe/O"), with_ratios("O+/H+ density ratio")
    ('ULEIS ratio of Fe and oxygen at 320-640 keV/n', 'SWICS Fe/O', 'ratio of O+ density and H+ density')
    >>> with_ratios("HOPE he/p")
    'HOPE ratio of helium density and proton density'
    """
    energies = bool(energies_in(text))

    def in_words(match: re.Match[str]) -> str:
        moment = (match["moment"] or "").casefold()
        named = ignoring_case(r"ratio").search(match[0]) or match["below"] == "p"
        is_ions = _ION_INSTRUMENTS.search(text) or re.fullmatch(
            r"(?:H|He|O)\+/(?:H|He|O)\+", f"{match['above']}/{match['below']}"
        )
        of_ions = bool(not energies and not moment and named and is_ions)
        moment = "density" if of_ions else moment
        if not energies and moment != "density":
            return match[0]
        both = [match[name] for name in ("above", "below")]
        both = [_SHORT_IONS.get(name.casefold(), name) for name in both] if moment == "density" else both
        kinds = [species_in(f"{name} flux") for name in both]
        whole = all(
            kind and (kind[0].start, kind[0].stop) == (0, len(name))
            for kind, name in zip(kinds, both, strict=True)
        )
        above, below = (LETTERS.get(name, name) for name in both)
        of_alphas = whole and kinds[0][0].what.kind == "He" and kinds[0][0].what.charge != 1
        if not whole or (not (energies or of_ions) and of_alphas):
            return match[0]
        return (
            f"ratio of {above} and {below}" if energies else f"ratio of {above} {moment} and {below} {moment}"
        )

    return _RATIO.sub(in_words, text)


@dataclass(frozen=True)
class Wish:
    """One line or spectrogram of particles that a sentence asks for.

    Parameters
    ----------
    moment : str
        ``"density"`` or another moment; empty for a flux.
    angles : tuple of float, optional
        Pitch angles in deg: one, or a lower and an upper limit.
    pitch : bool
        Whether pitch angles are drawn, or averaged.
    integrated : bool
        Whether the flux is integrated over the energies.
    words : tuple of str
        Other words, which may be names of sensors, and words of the catalogue.
    """

    species: Species | None = None
    energy: Energy | None = None
    direction: str = ""
    channel: str = ""
    moment: str = ""
    angles: tuple[float, ...] = ()
    pitch: bool = False
    averaged: bool = False
    integrated: bool = False
    omni: bool = False
    spectrum: bool = False
    preliminary: bool = False
    every: bool = False
    words: tuple[str, ...] = ()


NO_PARTICLES = Wish()


@dataclass
class Segment:
    """A part of a sentence between commas or conjunctions, and what it says about particles."""

    start: int
    stop: int
    crafts: list[str] = field(default_factory=list)
    species: list[Species] = field(default_factory=list)
    energies: list[Energy] = field(default_factory=list)
    directions: list[str] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    moments: list[str] = field(default_factory=list)
    what: Wish = NO_PARTICLES
    """What the part says only once, such as pitch angles."""
    words: list[tuple[str, tuple[int, int]]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    names: frozenset[str] = frozenset()
    """The names of instruments of the part, or of the part beside it, folded."""
    has_craft: bool = False
    """Whether the part itself names a spacecraft, of which its instrument must be."""
    is_flux: bool = False
    """Whether the part itself names a flux."""
    is_continued: bool = False
    """Whether only the part before says which particles."""

    @property
    def is_particle(self) -> bool:
        """Return whether the part itself says something that only particles have."""
        listed = self.species or self.energies or self.directions or self.channels
        return bool(listed or self.what.pitch or self.what.averaged)

    @property
    def is_spectrum(self) -> bool:
        """Whether the part names a spectrogram and nothing else: ``spectrogram`` in ``HOPE oxygen: spectrogram``."""
        return self.what.spectrum and not (self.is_particle or self.words or self.moments)

    def named(self, sensors: Collection[str]) -> list[str]:
        """Return the words that name instruments."""
        return [word for word, _ in self.words if folded(word) in sensors]


def read_particles(
    view: str, crafts: Sequence[tuple[int, str]], known_channels: Collection[str], sensors: Collection[str]
) -> list[tuple[Segment, list[Wish]]]:
    """Return the parts of a sentence about particles, each with what it asks for; what one lacks, its neighbours say.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    crafts : sequence of (int, str)
        The spacecraft of the sentence, with their positions.
    known_channels : collection of str
        Names of parameters of the instruments that the sentence names.
    sensors : collection of str
        Names of instruments, folded.
    """
    segments = _segments(view, crafts, known_channels, sensors)
    _inherit(segments, "crafts")
    _give_sensors(segments, sensors)
    _continue(segments)
    has_species = any(segment.species for segment in segments)
    about = [segment for segment in segments if segment.is_particle or (has_species and segment.is_spectrum)]
    particle = _joined(about, sensors)
    for after, before in pairwise(particle[::-1]):
        if before.energies and after.energies and not (before.species or before.directions):
            before.directions = list(after.directions)  # 40 and 75 keV electrons, telescope 1
        is_bare = before.what == NO_PARTICLES and not (before.energies or before.channels or before.moments)
        if after.what.pitch and is_bare and not view[before.start : before.stop].rstrip().endswith("s"):
            before.what, before.energies = after.what, list(after.energies)  # H+ and O+ pitch angles at 1 keV
    for before, after in pairwise(particle):
        only_energies = not after.words and len(after.spans) == len(after.energies)
        if before.what.integrated and only_energies:  # summed from 1 to 5 keV and from 5 to 20 keV
            after.what = replace(after.what, integrated=True)
        if before.what.angles and after.what.angles and not (after.species or after.energies):
            after.energies = list(before.energies)  # 40 keV protons at 0 and 90 deg
    for bare, beside in (*pairwise(particle), *pairwise(particle[::-1])):
        named = bare.named(sensors) and beside.named(sensors)
        if named and beside.moments and not bare.moments and _PLURAL.search(view, bare.start, bare.stop):
            bare.moments = [""]
    for name in ("species", "moments"):
        _inherit(particle, name)
    for giver, receiver in (*pairwise(particle[::-1]), *pairwise(particle)):
        if _is_listed(giver, receiver, sensors):
            receiver.energies = list(giver.energies)
            receiver.what = replace(receiver.what, integrated=giver.what.integrated)
    return [(segment, list(_wishes(segment))) for segment in particle]


def _segments(
    view: str, crafts: Sequence[tuple[int, str]], known_channels: Collection[str], sensors: Collection[str]
) -> list[Segment]:
    left = Sentence.masked(_LISTED.sub(lambda match: match[0].replace("/", ","), view))
    taken: list[tuple[int, int, str, Any]] = []

    def take(start: int, stop: int, *named: tuple[str, Any]) -> bool:
        is_free = left.take_at(start, stop)
        taken.extend((start, stop, name, value) for name, value in named if is_free)
        return is_free

    for match in _SIDES.finditer(left.left):
        if match["both"] or folded(match["name"]) in sensors:
            sides = ("A", "B") if match["both"] else (match["side"],)
            take(
                *match.span(0 if match["both"] else "side"),
                *(("directions", f"side {side}") for side in sides),
            )
    for energy in energies_in(view):
        take(energy.start, energy.stop, ("energies", energy.what))
    begins = {start for start, _, name, _ in taken if name == "energies"}
    for pattern, name in ((_MEAN, ""), (_INTEGRAL, "integrated")):
        for match in pattern.finditer(left.left):
            if match.end() in begins:
                take(*match.span(), (name, True))
    for match in _CHANNEL.finditer(left.left):
        if channel_name(match[0]) in known_channels:
            take(*match.span(), ("channels", channel_name(match[0])))
    for match in _AVERAGED.finditer(left.left):
        take(*match.span(), ("averaged", True), ("pitch", True))
    for match in _ANGLES.finditer(left.left):
        limits = tuple(float(match[name]) for name in ("low", "high", "first", "second") if match[name])
        take(*match.span(), ("angles", limits), ("pitch", True))
    for name, pattern in _FLAGS.items():
        for match in pattern.finditer(left.left):
            take(*match.span(), (name, True))
    for name, mentions_in in (("species", species_in), ("directions", directions_in)):
        for mention in mentions_in(left.left):
            take(mention.start, mention.stop, (name, mention.what))
    names = [word for word in _WORD.findall(left.left) if is_name(word) and not _FLUX.fullmatch(word)]
    others = any(folded(word) in sensors for word in names)
    for match in _FLUX.finditer(left.left):
        if others or not (match[0].isupper() and folded(match[0]) in sensors):
            take(*match.span(), ("", None))
    for moment, written in _MOMENTS.items():
        for match in ignoring_case(rf"\b(?:{written})\b").finditer(left.left):
            take(*match.span(), ("moments", moment))
    cuts = [match.span() for match in _BETWEEN.finditer(view) if left.is_unread(*match.span())]
    starts = {start for start, _ in crafts}
    cuts = [cut for cut in cuts if not _is_between_crafts(view, cut, starts)]
    ends = [0, *(cut for span in cuts for cut in span), len(view)]
    segments = [Segment(start, stop) for start, stop in zip(ends[::2], ends[1::2], strict=True)]
    for segment in segments:
        for start, stop, name, value in taken:
            if not segment.start <= start < segment.stop:
                continue
            segment.spans.append((start, stop))
            if name in _LISTS:
                getattr(segment, name).append(value)
            elif name:
                segment.what = replace(segment.what, **{name: value})
        if not segment.species and ignoring_case(r"\bstrahl\b").search(view[segment.start : segment.stop]):
            segment.species.append(Species("e"))
        segment.crafts = [craft for start, craft in crafts if segment.start <= start < segment.stop]
        segment.has_craft = bool(segment.crafts)
        segment.is_flux = (
            ignoring_case(r"\b(?:flux|intensit)").search(view[segment.start : segment.stop]) is not None
        )
        ranges = any(energy.low < energy.high < math.inf for energy in segment.energies)
        for match in _WORD.finditer(left.left, segment.start, segment.stop):
            word = match[0].rstrip(".:")
            if word.casefold() == "only":
                continue  # the reader of the whole sentence decides
            if ranges and word.casefold() in _MEAN_AHEAD:
                segment.spans.append(match.span())
                continue
            named = word.isupper() and folded(word) in sensors
            if (
                (named or word.casefold() not in IN_REQUESTS)
                and not cadences_in(word)
                and re.search(r"[^\W_]{2}", word)
            ):
                segment.words.append((word, (match.start(), match.start() + len(word))))
    return segments


def _is_between_crafts(view: str, cut: tuple[int, int], starts: Collection[int]) -> bool:
    """Return whether a conjunction stands between two spacecraft that have the particles behind them."""
    before = re.search(rf"{TAKEN}+\s*$", view[: cut[0]])
    behind = re.match(rf"\s*(?={TAKEN})", view[cut[1] :])
    is_first = before is not None and not view[: before.start()].replace(TAKEN, "").strip()
    return bool(before and behind and is_first and {before.start(), cut[1] + behind.end()} <= {*starts})


_WITH_SPECTRA = ("angles", "pitch", "averaged", "omni", "spectrum")
_LISTS = ("species", "energies", "directions", "channels", "moments")


def _give_sensors(segments: Sequence[Segment], sensors: Collection[str]) -> None:
    """Give the names of a part that only names an instrument to the part beside it, which names none.

    The counts of an instrument ahead are those of all parts behind: ``ISOIS count rates, HET protons and electrons``.
    """

    def is_alone(segment: Segment) -> bool:
        named = len(segment.named(sensors)) == len(segment.words) > 0
        return named and not segment.is_particle

    for at, alone in enumerate(segments):
        behind = [segment for segment in segments[at + 1 :] if segment.is_particle]
        if is_alone(alone) and alone.moments == ["counts"] and not any(part.moments for part in behind):
            for part in behind:
                part.words += alone.words
                part.moments += alone.moments
            if behind:
                behind[0].spans += alone.spans
                alone.words, alone.moments = [], []
    for before, after in pairwise(segments):
        for alone, beside in ((after, before), (before, after)):
            if is_alone(alone) and not alone.moments and beside.is_particle and not beside.named(sensors):
                beside.words += alone.words
                alone.words = []


def _continue(segments: Sequence[Segment]) -> None:
    """Give the particles of a part to a moment behind it, and a word on a correction to the part before it."""
    for before, after in pairwise([segment for segment in segments if segment.spans or segment.words]):
        words = {word.casefold() for word, _ in after.words}
        if after.is_particle or not before.is_particle or after.crafts != before.crafts:
            continue
        if after.moments and not words and before.moments and {*before.species} - {*PLAIN}:
            after.species, after.is_continued = list(before.species), True
        elif words and words <= _CORRECTIONS and not after.moments:
            before.words += after.words
            before.spans += after.spans
            after.words = []


def _joined(segments: Sequence[Segment], sensors: Collection[str]) -> list[Segment]:
    """Join each part that only completes the part before, as in ``HOPE protons at 90 deg, 10 keV``."""

    joined: list[Segment] = []
    for segment in segments:
        before = joined[-1] if joined else None
        lists = [name for name in ("energies", "directions") if getattr(segment, name)]
        flags = [name for name in _WITH_SPECTRA if getattr(segment.what, name)]
        if (
            before is None
            or segment.species
            or segment.channels
            or (segment.named(sensors) and (before.named(sensors) or not segment.energies))
            or segment.crafts != before.crafts
            or any(getattr(before, name) for name in lists)
            or any(getattr(before.what, name) for name in flags)
            or (before.moments and segment.is_spectrum)
            or (before.what.spectrum and segment.is_flux)
        ):
            joined.append(segment)
            continue
        for name in lists:
            setattr(before, name, getattr(segment, name))
        before.what = replace(before.what, **{name: getattr(segment.what, name) for name in flags})
        before.words += segment.words
        before.spans += segment.spans
    return joined


def _inherit(segments: Sequence[Segment], name: str) -> None:
    """Give each part what it lacks and the part before says, else the part behind it."""
    for before, after in pairwise(segments):
        if not getattr(after, name) and not (
            name == "moments" and (after.energies or after.what.pitch or after.is_spectrum)
        ):
            setattr(after, name, list(getattr(before, name)))
    for after, before in pairwise(segments[::-1]):
        if not getattr(before, name):
            setattr(before, name, list(getattr(after, name)))


def _is_listed(giver: Segment, receiver: Segment, sensors: Collection[str]) -> bool:
    """Return whether a part has the energies of another one, as in ``Fe and O at 320-640 keV/n``."""
    named = giver.named(sensors) and receiver.named(sensors)
    others = any(part.channels or part.moments or part.what.pitch for part in (giver, receiver))
    others |= receiver.what.spectrum > giver.what.spectrum  # ion spectrogram and ion flux at 10 keV
    return bool(giver.species and receiver.species) and not (named or receiver.energies or others)


def _wishes(segment: Segment) -> list[Wish]:
    words = tuple(word for word, _ in segment.words)
    base = replace(segment.what, words=words)
    no_species: list[Species | None] = [None]
    no_energy: list[Energy | None] = [None]
    return [
        replace(base, species=species, energy=energy, direction=direction, channel=channel, moment=moment)
        for species, energy, direction, channel, moment in product(
            no_species if not segment.species else segment.species,
            no_energy if not segment.energies else segment.energies,
            segment.directions or [""],
            segment.channels or [""],
            segment.moments or [""],
        )
    ]


def channel_name(word: str) -> str:
    """Return the name of a channel as the catalogue writes it: ``P1p`` for ``P1'``."""
    return re.sub(r"['’]$", "p", word)
