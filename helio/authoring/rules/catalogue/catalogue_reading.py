"""Read data that are in no row of the table of quantities: by what the catalogue says of its parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Cut
from helio.authoring.rules.catalogue.catalogue_matches import MEASURED, Match, Named, Wanted
from helio.authoring.rules.catalogue.catalogue_parameters import species_words, word_list
from helio.authoring.rules.catalogue.catalogue_particles import MOST_CHANNELS, overlap, particles_asked
from helio.authoring.rules.catalogue.catalogue_words import (
    crafts_named,
    is_index,
    measures,
    table_instruments,
    words_asked,
)
from helio.authoring.rules.reading.sentence import Part
from helio.authoring.writing.asking import Asks, no_question
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.instrument_index import instrument_index
from helio.knowledge.modes import BY_NAME, LEVELS, PRODUCTS
from helio.knowledge.particles import LETTERS, directions_in, energies_in
from helio.knowledge.phrases import TAKEN
from helio.knowledge.quantities import families
from helio.knowledge.search import search_of
from helio.patterns import ignoring_case

_FLUX = re.compile(
    r"\b(?:flux|spectr|intensit|ions?\b|protons?\b|electrons?\b|alphas?\b)"
    r"(?!.*(?:densit|veloci|speed|temperature|pressure))",
    re.IGNORECASE,
)
"""Words for particles without those for their moments."""

_ONE_COMPONENT = re.compile(r"(?<![\w./-])([xyzrtn])(?:[\s-]+comp(?:onent)?)?$", re.IGNORECASE)
_WITHOUT_ENERGY = ("pitch_angle_average", "components", "magnitude")
_MOMENT = re.compile(r"(?i:densit|veloci|speed|temperature|pressure)|\b[VNTnv][xyzrtnp]?\b")


@dataclass(frozen=True)
class CatalogueReading:
    """Parameters that parts of a sentence name, and the positions of the words that name them.

    Parameters
    ----------
    crafts : frozenset of str
        The spacecraft in the table of quantities whose data these parameters alone are.
    hint : str
        Where to look, if too many parameters fit to choose from.
    """

    datasets: tuple[tuple[str, str], ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    crafts: frozenset[str] = frozenset()
    hint: str = ""
    cuts: tuple[Cut, ...] = ()
    starts: tuple[int, ...] = ()
    """Where the words of each dataset begin."""
    cut_starts: tuple[int, ...] = ()
    """Where the words of each part begin."""
    shared: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Parameters that share a panel, such as the channels of a species."""
    repeats: bool = False
    """Whether different words would mean the same parameters."""


def read_catalogue(
    view: str,
    parts: Sequence[Part],
    crafts: Sequence[tuple[int, str]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
    *,
    integrated: bool,
    jointly: bool = False,
) -> CatalogueReading:
    """Find the parameters that a sentence names; empty if a word stays unexplained.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    integrated : bool
        Whether the sentence asks for an integral, which over a range of energies is not one over time.
    jointly : bool
        Whether to read no part by itself, because the parts may share an instrument.
    """
    for mode in {mode for mode, _ in wanted.modes} - {*LEVELS}:
        phrases = rf"(?<![\w-])(?:{BY_NAME[mode].phrases})(?![\w-])"
        view = ignoring_case(phrases).sub(lambda match: TAKEN * len(match[0]), view)
        if mode in PRODUCTS:
            plain = [ignoring_case(phrases).sub("", part.text).strip() for part in parts]
            parts = [replace(part, text=text) for part, text in zip(parts, plain, strict=True) if text]
    every: list[Named] | str = []
    if not (jointly or _share(parts, catalogue) or _share_craft(parts, catalogue)):
        every = _each_alone(view, parts, wanted, catalogue)
    every = every or _named(view, parts, crafts, wanted, catalogue, ask)
    if isinstance(every, str):
        return CatalogueReading(hint=every)
    if any(_is_sensor(named, parts, catalogue) for named in every):
        return CatalogueReading()  # it would draw the data of another sensor, too
    if any(named.said.casefold() in ("only", "just") for named in every):
        return CatalogueReading()  # with good data only
    flown = {name for named in every for match in named.matches for name in astuple(match.first.craft)}
    if any(crafts_named(part, catalogue) - flown for part in parts if part.unread and not part.crafts):
        return CatalogueReading()  # it would draw no data of one of the spacecraft
    starts: dict[tuple[str, str], int] = {}
    cuts: dict[Cut, int] = {}
    notes: list[str] = []
    shared: list[tuple[tuple[str, str], ...]] = []
    for named in sorted(every, key=lambda named: named.region):
        shared_spans = {span for beside in every if beside is not named for span in beside.spans}
        start = min({*named.spans} - shared_spans or named.spans)[0]
        for match in named.matches:
            _refuse_component(named.said, match, catalogue)
            notes.append(f"'{named.said}' is read as {match.described}")
            if match.cuts:
                tools = {"band_average": "band_integral"} if integrated else {}
                steps = (replace(step, tool=tools.get(step.tool, step.tool)) for step in match.cuts)
                cuts.setdefault(Cut(*match.first.pair, tuple(steps)), start)
                notes += _note_of_unit(match)
            else:
                for described in match.parameters:
                    starts.setdefault(described.pair, start)
                if 1 < len(match.parameters) <= MOST_CHANNELS:
                    shared.append(tuple(described.pair for described in match.parameters))
    every_span = (span for named in every for span in named.spans)
    spans = tuple(span for span in every_span if view[slice(*span)].strip(TAKEN))
    others = {
        craft
        for part in parts
        if not any(overlap(part.region, span) for span in spans)
        for craft in part.crafts
    }
    return CatalogueReading(
        tuple(starts),
        spans,
        tuple(dict.fromkeys(notes)),
        frozenset(craft for named in every for craft in named.crafts if _is_of(craft, named)) - others,
        cuts=tuple(cuts),
        starts=tuple(starts.values()),
        cut_starts=tuple(cuts.values()),
        shared=tuple(shared),
        repeats=_repeats(every),
    )


def _refuse_component(said: str, match: Match, catalogue: Catalogue) -> None:
    """Refuse one component of a parameter whose columns the catalogue does not name: ``velocity x component``."""
    one = _ONE_COMPONENT.search(said)
    for described in match.parameters:
        dataset, name = described.pair
        if one and catalogue.dataset(dataset).parameter(name).size:
            raise NotUnderstood(
                f"helio does not know which column of {dataset}.{name} is the {one[1]} component",
                advice="request all components, then change the pipeline: 'keep only the first component'",
            )


def _named(
    view: str,
    parts: Sequence[Part],
    crafts: Sequence[tuple[int, str]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
) -> list[Named] | str:
    """Return what the parts of a sentence name together; empty if a word stays unexplained.

    The string says where to look, if too many parameters fit to choose from.
    """
    particles = particles_asked(view, parts, crafts, wanted, catalogue, ask)
    search = search_of(catalogue)
    spans = [span for named in particles for span in named.spans if not search.named(view[slice(*span)])[1]]
    done = {part.region for part in parts if any(overlap(part.region, span) for span in spans)}
    words = words_asked(view, parts, done, wanted, catalogue, ask)
    if isinstance(words, str):
        return words
    return [] if words is None else [*particles, *words]


def _each_alone(view: str, parts: Sequence[Part], wanted: Wanted, catalogue: Catalogue) -> list[Named]:
    """Return what each part that was not understood names by itself; empty if one needs the others or is not clear."""
    unread = [part for part in parts if part.unread]
    if len(parts) < 2 or not all(_stands_alone(part, parts, catalogue) for part in unread):
        return []
    every: list[Named] = []
    for part in unread:
        start, stop = part.region
        alone = TAKEN * start + view[start:stop] + TAKEN * (len(view) - stop)
        crafts = [(start, craft) for craft in part.crafts]
        try:
            named = _named(alone, [part], crafts, wanted, catalogue, no_question)
        except NotUnderstood:
            return []
        if isinstance(named, str) or not named:
            return []
        every += [replace(match, region=(max(start, match.region[0]), match.region[1])) for match in named]
    return every


def _stands_alone(part: Part, parts: Sequence[Part], catalogue: Catalogue) -> bool:
    """Return whether a part shares neither an instrument nor what is measured with the parts beside it."""
    others = [other for other in parts if other is not part]
    shares_species = not species_words(part.text) and any(species_words(other.text) for other in others)
    if shares_species and (energies_in(part.text) or directions_in(part.text)):
        return False  # ions at 500 eV and 5 keV; electrons to the east and to the west
    is_whole = bool({*word_list(part.text)} & MEASURED) or re.search(r"\d", part.text) is not None
    by_itself = _instruments(part, catalogue) or not any(_instruments(other, catalogue) for other in others)
    return by_itself and (is_whole or not any(other.unread and species_words(other.text) for other in others))


def _share(parts: Sequence[Part], catalogue: Catalogue) -> bool:
    """Return whether a part behind an instrument is data of it, too: ``LEP ion density and velocity``."""
    carrier: Part | None = None
    for part in parts:
        is_flux = _FLUX.search(part.text) is not None
        fluxes = is_flux and carrier is not None and _FLUX.search(carrier.text) is not None
        named = _instruments(part, catalogue)
        if named >= {*part.text.split()} or (fluxes and not part.unread):
            return True  # LED and HED protons; SST ions and electrons
        if named:
            carrier = part if part.unread else None
        elif carrier is not None and not part.unread:
            if part.text in LETTERS and not LETTERS.keys().isdisjoint(carrier.text.split()):
                return True  # CRIS B and N
            moments = _MOMENT.search(carrier.text) and _MOMENT.search(part.text)
            same = species_words(part.text) <= species_words(carrier.text)
            if (moments and same) or measures(carrier, part, catalogue):
                return True
    return False


def _share_craft(parts: Sequence[Part], catalogue: Catalogue) -> bool:
    """Return whether a spacecraft without a row in the table has the quantities of other parts, too.

    In ``DE-2 electron temperature and density`` both are of DE-2.
    """
    others = any(not (part.unread or part.crafts or is_index(part)) for part in parts)
    return others and any(part.unread and not part.crafts and crafts_named(part, catalogue) for part in parts)


def _instruments(part: Part, catalogue: Catalogue) -> set[str]:
    """Return the words of a part that name instruments."""
    words = part.text.split()
    named = instrument_index(catalogue).named_in(words)
    return {word for _, names in named for word in names} | (table_instruments() & {*words})


def _repeats(every: Sequence[Named]) -> bool:
    """Return whether different words would mean the same parameters."""
    meant: dict[tuple[tuple[str, str], ...], str] = {}
    for named in every:
        pairs = tuple(
            described.pair for match in named.matches if not match.cuts for described in match.parameters
        )
        if pairs and meant.setdefault(pairs, named.said) != named.said:
            return True
    return False


def _is_sensor(named: Named, parts: Sequence[Part], catalogue: Catalogue) -> bool:
    """Return whether words only name the sensor of the particles of another part: ``electron flux, EESA-high``."""
    ahead = [part for part in parts if part.region[1] <= min(named.spans)[0]]
    parameters = {described.pair[1] for match in named.matches for described in match.parameters}
    is_quantity = {*word_list(named.said)} & MEASURED or species_words(named.said) or named.said in parameters
    is_carrier = any(
        _instruments(part, catalogue) or (not part.crafts and crafts_named(part, catalogue))
        for part in parts
        if part.text == named.said
    )
    is_name = re.search(r"[A-Z]{3}", named.said) and not (is_quantity or is_carrier)
    return bool(is_name) and any(species_words(part.text) for part in ahead)


def _is_of(craft: str, named: Named) -> bool:
    """Return whether some of the parameters are data of a spacecraft, or of a mission."""
    own = {craft, *families().get(craft, ())}
    return any({match.dataset.spacecraft, match.first.craft.mission} & own for match in named.matches)


def _note_of_unit(match: Match) -> list[str]:
    """Say in which unit energies are given whose bins the catalogue does not list."""
    if match.first.bands or all(step.tool in _WITHOUT_ENERGY for step in match.cuts):
        return []
    spelt = {"ev": "eV", "kev": "keV", "mev": "MeV", "gev": "GeV"}[match.first.energy_unit]
    return [
        f"the catalogue does not list the energies of {match.first.full_name}; they are taken to be in {spelt}"
    ]
