"""Choose between the parameters of the catalogue that fit a part of a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any

from helio.authoring.rules.catalogue.catalogue_matches import Match, Wanted
from helio.authoring.rules.catalogue.catalogue_parameters import (
    OF_TIME,
    TABLE,
    DescribedParameter,
    word_list,
)
from helio.authoring.rules.catalogue.particle_words import NO_PARTICLES, Wish
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.sources import has_records, quarters
from helio.knowledge.catalogue import Catalogue, CatalogueEntry
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.instrument_index import folded
from helio.knowledge.particles import SPECIES_WORDS
from helio.knowledge.quantities import SOURCES
from helio.knowledge.search import drawbacks
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import tokens
from helio.patterns import ignoring_case

MOST_TOGETHER = 4
MOST_CHOICES = 12
"""Maximum number of parameters, or of spacecraft, between which helio lets the person choose."""
RECORDS = 1500
"""About how many records a figure draws well, for a choice between cadences."""
SIDES = frozenset(VOCABULARY["directions of sensors"])
"""Words that say where a sensor looks."""
_AXES = ({"zonal", "meridional"}, {"north", "south", "east", "west", "up", "down"}, {"x", "y", "z"})
"""Words for the axes of frames; components in two frames are not one vector."""
_OF_AXES = frozenset({"elevation", "azimuth", "latitude", "longitude"}).union(*_AXES)
_FIRST_SIDES = frozenset({"sun", "side A", "forward"})
"""Directions of the sensor that is drawn if the sentence names none."""
_OF_PARTICLES = re.compile(r"\b(?:flux|intensit|spectr(?:um|a\b|ogram))", re.IGNORECASE)
_FRAMES = ("GSE", "RTN", "GSM")
"""Frames that a vector comes in if the sentence names none, the first first."""
_FRAME_WORDS = {tokens(frame)[0]: frame for frame in KNOWN_FRAMES}
_OF_FRAMES = {*_FRAME_WORDS, "coordinate", "frame", "reference", "system", "spacecraft", "instrument"}
"""Words of descriptions that only say in which frame a vector is."""
_OF_SPACECRAFT = re.compile(
    r"\b(?:spacecraft|instrument) (?:reference )?(?:frame|coordinates)\b", re.IGNORECASE
)
"""Pattern of descriptions of vectors in a frame that turns with the spacecraft."""
_ALIKE = 3
"""Maximum number of words by which descriptions of the same vector differ."""
_COPY = re.compile(r"(?:_?(?:stack(?:ed)?|simple|T|\d))+$")
_PLOTS = frozenset(VOCABULARY["kinds of plots"])
"""Words for the kind of plot that the archive draws of a parameter."""
_NARROWER = frozenset(VOCABULARY["words of narrower quantities"])
"""Words of descriptions that make a quantity a more special one."""
_VARIANT = re.compile(
    r"_T$|stack|simple|maximum|_by[AEP]_at|_at[AEP]_by|_[AE]$|\bCORR|_TT$|\bsector(?!s)|_sect|movie|total|integral|upflow"
    r"|all quality|\b90 deg (?!telescope)|loss cone|HCad|burst|reduced|channel \d|_ch\d|individual time"
    r"|overlay|background[- ](?:corrected|subtracted)|log(?:arithm|_|10)",
    re.IGNORECASE,
)
"""What parameters have that show the data of another one in another way, or after a correction."""
_ONE_TELESCOPE = re.compile(r"_t\d$")
"""Pattern of names of the fluxes in one telescope of several."""
_EAST = re.compile(r"(?<=\d)E(?=_)")
"""Pattern of what names the detector to the east, such as ``E2E_COR_FLUX``; the table has the one to the west."""
_OF_ALL = re.compile(r"averaged (?:for|over) all (?:pixels|sectors|sensors|telescopes|detectors)$")
_OF_ONE = re.compile(r"(?:for|of|in) (?:pixel|sector|sensor|telescope|detector) \d+$")
_BURST = re.compile(r"(?!.*\b(?:full|reduced)\b).*burst", re.IGNORECASE)
"""Pattern of titles of datasets that have only bursts."""
_OWN_FRAMES = _NARROWER | {"spacecraft", "instrument"}
"""Also the words for frames that turn with a spacecraft."""
_ROWS = {
    (source.dataset, name): (row, source.quantity)
    for row, source in reversed([*enumerate(SOURCES)])
    for name in source.parameters
}
"""The first row of each parameter in the table of quantities, and its quantity."""
_TABLE_DATASETS = frozenset(dataset for dataset, _ in TABLE)


def best_matches(
    found: Sequence[Match], text: str, wish: Wish, wanted: Wanted, catalogue: Catalogue
) -> list[Match]:
    """Return the matches that are as good as each other.

    Parameters
    ----------
    text : str
        The words that the matches have.
    wish : Wish
        The particles that the matches have.
    """
    found = _over_all(found)
    rows = {row.id: row for row in catalogue.rows}
    said = " ".join((text, *(words for _, words in wanted.modes)))

    def rank_of_kind(match: Match) -> float:
        less = drawbacks(rows[match.dataset.id], said)
        return float(less == 0) if wish.preliminary else less

    best = lowest(
        found,
        lambda match: -match.named,
        lambda match: not all(map(match.first.is_available, wanted.spans)),
        lambda match: -sum(quarters(match.dataset.id, span, catalogue) for span in wanted.spans),
        lambda match: not all(has_records(match.dataset.id, span, catalogue) for span in wanted.spans),
        lambda match: match.off[0],
        lambda match: (
            0.0 if text else rank_of_kind(match)
        ),  # preliminary fluxes last, even if they have the channel
        lambda match: match.off[1],
        lambda match: 0 if text else -len(match.names),
        lambda match: match.off[2],
        rank_of_kind,
        lambda match: "burst" not in said.lower() and bool(_BURST.match(match.dataset.title)),
    )
    if text.strip():
        best = _best_words(best, text, wanted)
    elif wish != NO_PARTICLES:
        best = _best_particles(best, wish, wanted)
    return _at_one_cadence(_shown_once(best), wanted, always=wish != NO_PARTICLES)


def of_other_sensors(
    best: Match, fits: Sequence[Match], wish: Wish, wanted: Wanted, catalogue: Catalogue
) -> list[Match]:
    """Return a match of each other sensor with the same flux as the best one, where a wish tells none apart."""
    untold = Wish(wish.species, wish.energy, omni=wish.omni, spectrum=wish.spectrum, words=wish.words)

    def kind(match: Match) -> tuple[object, ...]:
        axes = len(match.first.parameter.size)
        less = drawbacks(match.dataset, ""), _variants(match.first, set())
        unit = re.sub("[kMG]eV", "eV", match.first.parameter.canonical_unit)
        return axes, axes or match.dataset.id, unit, match.off, less

    alike = [match for match in fits if wish == untold and kind(match) == kind(best)]
    of_both = {True, False} <= {match.first.is_of_plasma for match in alike}

    def sensor(match: Match) -> tuple[object, ...]:
        *others, energies = match.first.sensor
        return (*others, energies) if of_both else tuple(others)  # which energies only tells a plasma apart

    groups: dict[object, list[Match]] = {sensor(best): []}
    for match in alike:
        groups.setdefault(sensor(match), []).append(match)
    return [best_matches(group, "", wish, wanted, catalogue)[0] for group in [*groups.values()][1:]]


def _over_all(found: Sequence[Match]) -> Sequence[Match]:
    """Of the same data of each pixel or sector, keep those that are averaged over all, if they are there."""
    alike: dict[tuple[str, str], list[Match]] = {}
    for match in found:
        about = _OF_ONE.sub("", _OF_ALL.sub("", match.first.parameter.description))
        alike.setdefault((match.dataset.id, about), []).append(match)
    whole = {
        key: [match for match in same if _OF_ALL.search(match.first.parameter.description)]
        for key, same in alike.items()
    }
    return [match for key, same in alike.items() for match in whole[key] or same]


def in_same_dataset(fits: list[Match], beside: Sequence[Sequence[Match]]) -> list[Match]:
    """Prefer the matches whose dataset also has a match for each part beside theirs."""
    common = set.intersection(*({match.dataset.id for match in matches} for matches in beside))
    return [match for match in fits if match.dataset.id in common] or fits


def _best_words(best: list[Match], text: str, wanted: Wanted) -> list[Match]:
    """Prefer matches with few other words, and usual ones."""
    heads = {match.first.parameter.description for match in best}
    asked = {*word_list(text)}
    if len({_named(match) for match in best}) == 1:
        best = lowest(
            best,
            lambda match: cadence_rank(match.dataset, wanted),
            lambda match: match.dataset.id not in _TABLE_DATASETS,
        )
    best = lowest(
        best,
        lambda match: -len(match.names & _id_pieces(match.dataset.id)),
        lambda match: bool(match.extra),
        lambda match: cadence_rank(match.dataset, wanted),
        lambda match: bool(match.extra & _NARROWER - asked),
        lambda match: "field" in asked and not match.first.parameter.unit,
    )
    own = asked - SPECIES_WORDS - OF_TIME
    if _OF_PARTICLES.search(text) or all(own <= {*word_list(match.dataset.title)} for match in best):
        best = lowest(best, lambda match: not all(parameter.is_flux for parameter in match.parameters))
    ranked = [(match, match.extra & _OF_AXES, _variants(match.first, heads)) for match in best]
    best = [  # an azimuth is no variant of an elevation
        match
        for match, axes, rank in ranked
        if all(rank <= other for _, other_axes, other in ranked if other_axes <= axes)
    ]
    more = [frozenset(word for word in match.extra - SIDES if not re.search(r"\d", word)) for match in best]
    best = _without_supersets(best, more)
    for frame in () if wanted.frame else _FRAMES:
        best = _of_frame(best, frame)
    return lowest(
        best,
        lambda match: match.first.pair not in TABLE,
        lambda match: not asked <= {*word_list(match.first.parameter.name)},
    )


def _best_particles(best: list[Match], wish: Wish, wanted: Wanted) -> list[Match]:
    """Prefer the cadence and the kind of flux of a wish, and usual parameters."""
    heads = {match.first.parameter.description for match in best}
    best = lowest(
        best,
        lambda match: cadence_rank(match.dataset, wanted),
        lambda match: -len(match.names & _id_pieces(match.dataset.id)),
        lambda match: wish.spectrum and len(match.first.parameter.size) != 1 and not match.cuts,
        lambda match: match.first.is_by_pitch != wish.pitch,
        lambda match: wish.omni and not ignoring_case(r"omni").search(match.first.text),
        lambda match: (
            not wish.every
            and (wish.energy or len(wish.words) < 2)
            and match.first.pair not in TABLE
            and not (wish.direction and (match.dataset.id, _EAST.sub("W", match.first.pair[1])) in TABLE)
        ),
        lambda match: match.dataset.id not in _TABLE_DATASETS,
        lambda match: _variants(match.first, heads),
        lambda match: len(match.first.parameter.size) == 2,
    )
    best = _first_in_table(best)
    if not wish.direction:
        best = lowest(
            best, lambda match: bool(match.first.directions) and not match.first.directions & _FIRST_SIDES
        )
    return _best_moments(best, wish, wanted) if wish.moment else _of_most_bins(best)


def _first_in_table(best: list[Match]) -> list[Match]:
    """Of parameters of one dataset that hold the same quantity of the table, keep the first, as the table does."""
    rows = [_ROWS.get(match.first.pair) for match in best]
    known = [row for row in rows if row is not None]
    same = len({match.dataset.id for match in best}) == len({quantity for _, quantity in known}) == 1
    return [best[rows.index(min(known))]] if same and len(known) == len(rows) else best


def _of_most_bins(found: list[Match]) -> list[Match]:
    """Of one flux in several detectors or sums, which only their names and numbers tell apart, keep the most bins."""
    every = [match.first.parameter for match in found]
    said = [{*word_list(re.sub(r"\d+", " ", parameter.description))} for parameter in every]
    differing = set[str]().union(*said) - said[0].intersection(*said)
    shapes = {(match.dataset.id, match.first.parameter.canonical_unit) for match in found}
    named = all(
        word not in SIDES | SPECIES_WORDS and f"_{word.upper()}" in parameter.name
        for parameter, words in zip(every, said, strict=True)
        for word in words & differing
    )
    alike = len(shapes) == 1 and named and all(len(parameter.size) == 1 for parameter in every)
    return lowest(found, lambda match: -match.first.parameter.size[0]) if alike else found


def _best_moments(best: list[Match], wish: Wish, wanted: Wanted) -> list[Match]:
    """Prefer moments that are called so, with few other words, in a usual frame; a speed is rather a scalar."""
    is_speed = wish.moment == "speed"
    concept = "velocity" if is_speed else wish.moment
    best = lowest(
        best,
        lambda match: concept not in match.first.words.concepts,
        lambda match: is_speed and bool(match.first.parameter.size),
        lambda match: bool(match.first.words.words & _OWN_FRAMES),
    )
    for frame in (wanted.frame,) if wanted.frame else _FRAMES:
        best = _of_frame(best, frame)
    return _without_supersets(best, [frozenset(word_list(match.first.description)) for match in best])


def _without_supersets(found: list[Match], words: Sequence[frozenset[str]]) -> list[Match]:
    """Leave out matches that have all words of another one, and more."""
    return [match for match, own in zip(found, words, strict=True) if not any(less < own for less in words)]


def lowest(found: Sequence[Match], *keys: Callable[[Match], Any]) -> list[Match]:
    """Keep the matches of the lowest rank by each key in turn."""
    for key in keys:
        ranks = [key(match) for match in found]
        found = [match for match, rank in zip(found, ranks, strict=True) if rank == min(ranks)]
    return [*found]


def _variants(described: DescribedParameter, heads: set[str]) -> int:
    """Return how many signs there are that a parameter shows the data of another one, such as an arrow to it."""
    description = described.parameter.description
    return (
        len(_VARIANT.findall(f"{described.parameter.name} "))
        + (described.head in heads and not _ONE_TELESCOPE.search(described.parameter.name))
        + len(_VARIANT.findall(description))
    )


def _of_frame(found: list[Match], frame: str) -> list[Match]:
    """Of the same vector in several frames, keep the one in a frame."""
    framed = [match.extra - _OF_FRAMES for match in found if _frame_of(match.first) == frame]

    def is_elsewhere(match: Match) -> bool:
        is_vector = len(match.first.parameter.size) == 1 and _frame_of(match.first) not in ("", frame)
        return is_vector and any(len(match.extra - _OF_FRAMES ^ words) <= _ALIKE for words in framed)

    return [match for match in found if not is_elsewhere(match)]


def _frame_of(described: DescribedParameter) -> str:
    if _OF_SPACECRAFT.search(described.description):
        return "spacecraft"
    words = {*word_list(f"{described.parameter.name} {described.parameter.description}")} & {*_FRAME_WORDS}
    return described.parameter.frame or (_FRAME_WORDS[words.pop()] if len(words) == 1 else "")


def _shown_once(found: list[Match]) -> list[Match]:
    """Keep the first of parameters that only show the same data as another plot."""
    first: dict[tuple[str, frozenset[str]], Match] = {}
    for match in found:
        parameter = match.first.parameter
        words = {*word_list(f"{_COPY.sub('', parameter.name)} {parameter.description}")} - _PLOTS
        first.setdefault((match.dataset.id, frozenset(words)), match)
    return list(first.values())


def _at_one_cadence(found: list[Match], wanted: Wanted, *, always: bool) -> list[Match]:
    """Keep the parameters of the dataset that suits the time; only if all datasets have them, or always.

    Data of several instruments stay.
    """
    if always and len({(match.dataset.instrument, match.first.craft) for match in found}) > 1:
        return found
    own: dict[str, set[tuple[str, ...]]] = {}
    for match in found:
        own.setdefault(match.dataset.id, set()).add(_named(match))
    if not always and any(names != own[found[0].dataset.id] for names in own.values()):
        return found
    return lowest(
        found,
        lambda match: (_off_records(match.dataset, wanted), len(match.dataset.id), match.dataset.id),
    )


def cadence_rank(entry: CatalogueEntry, wanted: Wanted) -> int:
    """Return how well a dataset fits the cadence that the sentence asks for: equal, finer, unknown or coarser."""
    if wanted.cadence is None:
        return 0
    if any(0.67 <= cadence / wanted.cadence <= 1.5 for cadence in entry.cadence):
        return 0
    return 2 if not entry.cadence else 1 if min(entry.cadence) < wanted.cadence else 3


def _off_records(entry: CatalogueEntry, wanted: Wanted) -> float:
    """Return how far the cadence of a dataset is from one that gives a good number of records."""
    length = sum(((span.stop - span.start) for span in wanted.spans), timedelta()).total_seconds() or 86400.0
    if len(entry.cadence) != 1:
        return math.log(3.0)
    return abs(math.log(entry.cadence[0] * RECORDS / length))


def together(found: list[Match], text: str) -> list[Match]:
    """Join matches that differ only by the direction of a sensor or, where a plural asks for all, by particles."""
    if not 1 < len(found) <= MOST_TOGETHER or len({match.dataset.id for match in found}) > 1:
        return found
    every = [described for match in found for described in match.parameters]
    shapes = {(described.parameter.canonical_unit, described.parameter.size) for described in every}
    apart: list[set[str]] = [{*word_list(match.first.parameter.description)} for match in found]
    differing = set[str]().union(*apart) - apart[0].intersection(*apart) - {"ab"}
    plural = ignoring_case(r"\b(?:spectrograms|spectra|fluxes|intensities|densities|temperatures)\b").search(
        text
    )
    one = len(shapes) == 1 and set() < differing <= (SIDES | SPECIES_WORDS if plural else SIDES)
    one &= sum(bool(differing & axes) for axes in _AXES) < 2
    return [Match(tuple(every))] if one else found


def of_one_craft(found: list[Match], said: str, before: Iterable[Sequence[Match]], ask: Asks) -> list[Match]:
    """Keep the matches of a spacecraft of the parts before, or of the one that the person chooses.

    None if there are too many to choose from.
    """
    flown = {match.dataset.spacecraft for matches in before for match in matches}
    found = [match for match in found if match.dataset.spacecraft in flown] or found
    crafts = sorted({match.dataset.spacecraft for match in found})
    if len(crafts) < 2:
        return found
    if len(crafts) > MOST_CHOICES:
        return []
    chosen_craft = ask(f"Which spacecraft do you mean by '{said}'?", crafts)
    return [match for match in found if match.dataset.spacecraft == chosen_craft]


def chosen(question: str, found: Sequence[Match], ask: Asks) -> list[Match]:
    """Let the person choose one of several matches."""
    choices = {match.described: match for match in found}
    if len(choices) == 1:
        return [found[0]]
    return [choices[ask(question, list(choices))]]


@lru_cache(maxsize=4096)
def _id_pieces(dataset: str) -> set[str]:
    return {folded(name) for piece in dataset.split("_") for name in (piece, *piece.split("-"))}


def by_id(found: Sequence[Match]) -> list[Match]:
    """Keep the matches of the datasets whose ids, and not only titles, have the most names of instruments."""
    return lowest([*found], lambda match: -len(match.names & _id_pieces(match.dataset.id)))


def _named(match: Match) -> tuple[str, ...]:
    return tuple(described.parameter.name for described in match.parameters)
