"""Read data that are in no row of the table of quantities: by the names and descriptions that the catalogue gives."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.catalogue.catalogue_choice import (
    MOST_CHOICES,
    best_matches,
    chosen,
    in_same_dataset,
    of_one_craft,
    together,
)
from helio.authoring.rules.catalogue.catalogue_matches import (
    MEASURED,
    Match,
    Named,
    Wanted,
    model_words,
    reaches,
    titled_so,
    with_component,
    with_words,
)
from helio.authoring.rules.catalogue.catalogue_parameters import (
    OF_TIME,
    described_dataset,
    numbers_of,
    species_words,
    word_list,
)
from helio.authoring.rules.catalogue.particle_words import NO_PARTICLES
from helio.authoring.rules.reading.named import read_quantities
from helio.authoring.rules.reading.sentence import Part, Sentence
from helio.authoring.writing.asking import Asks
from helio.authoring.writing.steps import listed
from helio.knowledge.catalogue import Catalogue, time_text
from helio.knowledge.instrument_index import InstrumentIndex, folded, instrument_index
from helio.knowledge.modes import is_mode
from helio.knowledge.particles import LETTERS, SPECIES_WORDS, directions_in
from helio.knowledge.quantities import SOURCES, families, spellings
from helio.knowledge.quantity_words import INDICES
from helio.knowledge.search import Search, search_of
from helio.knowledge.vocabulary import VOCABULARY
from helio.knowledge.words import concepts, tokens

_LAYOUT = frozenset(
    {
        "right",
        "left",
        "top",
        "bottom",
        "legend",
        "axis",
        "axes",
        "coordinate",
        "coordinates",
        "each",
        "every",
        "bin",
        "bins",
    }
)
"""Words about a figure, which also stand in descriptions of parameters, such as right ascension."""
_DENIAL = re.compile(
    r"\b(?:not|(?-i:[Nn]o)|without|except|excluding|than|between|ratio|minus|divided"
    r"|(?<!spin[- ])averaged(?! energ)"
    r"|(?:mean|average)(?!.*\b(?:charge|flux|spectrogram|energy)))\b",
    re.IGNORECASE,
)
_PICTURES = re.compile(r"\b(?:images|image data|movies?|keograms?|photos?)\b")
"""Pattern of pictures, which no panel draws; IMAGE is a mission."""
_SIZE = re.compile(r"(?<!\|B)\|(?!B\|)")
"""Pattern of the bars around a vector, of which the catalogue may only have the vector; it has |B| in words."""
_PARTS = frozenset({"telescope", "telescopes", "aperture", "apertures", "head", "heads"})
"""Words for a part of an instrument, which its name says, too."""
_LABEL = re.compile(r"[A-Za-z]{3,}-[A-D]")
"""Pattern of words that tell datasets of an instrument apart."""
_ALL_COMPONENTS = re.compile(r",?\s*\(?(?:(?:all|the|its|three)\s+)*components\)?(?=\s*(?:[,;]|$))")
"""Pattern of words behind a vector that only say that it is drawn whole."""
_IN_WORDS = {
    r"\|B\|": "magnetic field magnitude",
    r"(?<![\w-])L(?![\w-])(?! (?:shell|value|parameter))": "L shell",
    r"\b(electric|magnetic)(?= spectr(?:ogram|um|a)s?\b)": r"\1 field",
    r"(?<=\+) (perpendicular|parallel) ion (?=temperature)": r" \1 ",
    r"(?<!\bspace )\bstations?\b": "",
    r"(?i)\b(?:wave[- ]normal angles?|WNA)(?![\w-])": "polar angle of the wave vector",
    r"\b([A-Z][A-Z\d]+|spacecraft|[\w]+-state) coord(?:inate)?s?\b": r"\1",
    r"\b(?<!electric )(?:magnetic )?field strength\b": "magnetic field magnitude",
}
"""Short forms, and the words that descriptions have for them."""
_SYNONYMS = {
    r"\bhot (?:proton|ion)s?\b": "high energy ion",
    r"\bcold (?:proton|ion)s?\b": "low energy ion",
    r"\bdrifts?\b": "velocity",
    r"\bperturbations?\b": "delta",
    r"(?<![\w|-])B(?![\w|-])": "magnetic field",
}
"""Words for which the description of a parameter may have another one."""
_MOMENTS = re.compile(r"\bmoments\b", re.IGNORECASE)
_ONE_MOMENT = re.compile(r"(?:\w+ )*(?:density|temperature|velocity|speed)", re.IGNORECASE)
_EACH_MOMENT = ("density", "velocity", "temperature")
_COMPONENTS = frozenset("HDZXYE")
"""Components of the field at a station on the ground."""
_OF_STATIONS = frozenset({"magnetometer", "ground"})
"""Words beside the name of a station that ask for no component."""
_COMMON = frozenset(VOCABULARY["missions that are also words"])


@dataclass(frozen=True)
class _Asked:
    """What a part of a sentence asks for, completed with what it shares with the parts beside it.

    Parameters
    ----------
    names : tuple of str
        Names of instruments and stations, in small letters without signs.
    said : tuple of str
        The same names as the sentence writes them.
    """

    part: Part
    words: tuple[str, ...]
    crafts: frozenset[str]
    names: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    is_moment: bool = False
    """Whether it is one of the moments of an instrument, which need not have all."""

    @property
    def text(self) -> str:
        return " ".join(self.words)

    @property
    def is_craft(self) -> bool:
        """Whether the part only names one spacecraft."""
        return len(self.crafts) == 1 and not (self.words or self.names)

    @property
    def measured(self) -> tuple[str, ...]:
        """The words that say what is measured, without the kinds of particles."""
        return tuple(
            word
            for word in self.words
            if word not in LETTERS and {*word_list(word)} - SPECIES_WORDS - OF_TIME
        )

    @property
    def species(self) -> set[str]:
        return species_words(self.text)

    @property
    def has_head(self) -> bool:
        return bool({*word_list(self.text)} & MEASURED)


def words_asked(
    view: str,
    parts: Sequence[Part],
    done: Collection[tuple[int, int]],
    wanted: Wanted,
    catalogue: Catalogue,
    ask: Asks,
) -> list[Named] | str | None:
    """Find the parameters whose descriptions have the words of parts; None if a word stays unexplained.

    Parameters
    ----------
    view : str
        The sentence with a mark in the place of each letter that is already understood.
    done : collection of tuple of int
        The regions of the parts that are already explained.

    Returns
    -------
    list of Named, str or None
        The string says where to look, if too many parameters fit to choose from.
    """
    if any(_PICTURES.search(part.text) or _SIZE.search(part.text) for part in parts):
        return None
    parts = _joined(parts, view)
    words = [{*_in_words(part.text).casefold().split()} for part in parts]
    if any(_LAYOUT & said or _DENIAL.search(part.text) for said, part in zip(words, parts, strict=True)):
        return None if any(part.unread and part.region not in done for part in parts) else []
    index = instrument_index(catalogue)
    search = search_of(catalogue)
    own = [asked for part in parts for asked in _each(_asked(part, index, search), view)]
    headings = [asked.part for asked, after in pairwise(own) if asked.is_craft and not after.crafts]
    every = _completed(own)
    places = [asked for asked in every if asked.part in headings or _is_only_place(asked, every)]
    read = [
        asked
        for asked in every
        if asked.part.region not in done
        and asked not in places
        and (asked.part.unread or not is_index(asked.part))
        and (_needs_catalogue(asked, done) or _is_new(asked, every))
        and (asked.words or asked.names)
    ]
    explained: list[tuple[_Asked, str, list[Match]]] = []
    for asked in read:
        shared = (
            () if asked.part.unread or len(asked.names) < 2 else zip(asked.names, asked.said, strict=True)
        )
        alone = (replace(asked, names=(name,), said=(said,)) for name, said in shared)
        for narrowed in (asked, *alone):
            before = [matches for *_, matches in explained]
            text, fits = _found(narrowed, wanted, catalogue, index, ask, before, alone=len(every) == 1)
            if fits:
                break
        if fits:
            explained.append((narrowed, text, fits))
        elif not asked.is_moment and (_needs_catalogue(asked, done) or _is_measured(asked, catalogue, index)):
            return None
    if any(asked.is_moment for asked in read) and not explained:
        return None
    named = [Named(asked.part.text, asked.part.region, asked.part.spans, ()) for asked in places]
    for asked, text, fits in explained:
        beside = [
            matches
            for part, _, matches in explained
            if (part.names, part.crafts) == (asked.names, asked.crafts)
        ]
        best = fits
        if not all(match.off[0] for match in fits):  # a species alone means a flux, and none of its moments
            best = best_matches(in_same_dataset(fits, beside), text, NO_PARTICLES, wanted, catalogue)
            best = together(best, text) if text else best
        if len(best) > MOST_CHOICES:
            return _hint(asked, best)
        part = asked.part
        if len(best) == 1 and best[0].off[0]:
            raise NotUnderstood(
                f"'{part.text}' does not say which quantity to draw",
                advice=f"name the quantity, as in '{best[0].first.description}'",
            )
        if len(best) > 1:
            best = chosen(f"Which data do you mean by '{part.text}'?", best, ask)
        behind = _ALL_COMPONENTS.match(view, part.region[1])
        is_vector = all(match.first.parameter.size == (3,) and not match.cuts for match in best)
        spans = (*part.spans, behind.span()) if behind and is_vector else part.spans
        named.append(Named(part.text, part.region, spans, tuple(best), part.crafts))
    return named


def _joined(parts: Sequence[Part], view: str) -> list[Part]:
    """Join a part that only says which data the part before means, as in ``LEP velocity, editor-A``."""
    joined: list[Part] = []
    for part in parts:
        narrows = _LABEL.fullmatch(part.text) or is_mode(view[slice(*part.region)].strip(" ,;()"))
        if joined and narrows and part.crafts in ((), joined[-1].crafts):
            before = joined.pop()
            part = replace(
                before,
                text=f"{before.text} {part.text}",
                spans=before.spans + part.spans,
                left=before.left + part.left,
                region=(before.region[0], part.region[1]),
                unread=True,
            )
        joined.append(part)
    return joined


def _needs_catalogue(asked: _Asked, done: Collection[tuple[int, int]]) -> bool:
    """Return whether only the catalogue may have what a part asks for; the table has no row of its spacecraft."""
    return asked.part.unread or not (done or asked.part.crafts) or _is_off_table(asked.crafts)


def _is_off_table(crafts: Collection[str]) -> bool:
    """Return whether the table of quantities has no row of any of these spacecraft."""
    return bool(crafts) and {*crafts}.isdisjoint((*spellings().values(), *families()))


def _is_only_place(asked: _Asked, every: Sequence[_Asked]) -> bool:
    """Return whether a part only says at which station the components of another part are measured."""
    return {*map(str.casefold, asked.words)} <= _OF_STATIONS and any(
        other.names == asked.names != () and {*other.words} & _COMPONENTS for other in every
    )


def _is_measured(asked: _Asked, catalogue: Catalogue, index: InstrumentIndex) -> bool:
    """Return whether the named instrument has such a quantity, which must not come from another instrument."""
    placed, _ = read_quantities(Sentence(asked.part.text), magnitude=False)
    of_quantity = {concept for _, quantity in placed for concept in concepts(tokens(quantity.name))}
    return any(
        (of_quantity - SPECIES_WORDS) & described.words.concepts and not model_words(described)
        for number in _flown(asked, catalogue)
        if {*asked.names} <= index.names_of(number)
        for described in described_dataset(number, catalogue).drawn
    )


def is_index(part: Part) -> bool:
    """Return whether a part names only indices of the Earth, which belong to no spacecraft."""
    placed, field = read_quantities(Sentence(part.text), magnitude=False)
    return bool(placed) and field < 0 and all(quantity.name in INDICES for _, quantity in placed)


def crafts_named(part: Part, catalogue: Catalogue) -> frozenset[str]:
    """Return the spacecraft that a part names, also those that are not in the table of quantities."""
    return _asked(part, instrument_index(catalogue), search_of(catalogue)).crafts


def measures(instruments: Part, other: Part, catalogue: Catalogue) -> bool:
    """Return whether an instrument that one part names measures the quantity that another part names."""
    index, search = instrument_index(catalogue), search_of(catalogue)
    carrier, own = (_asked(part, index, search) for part in (instruments, other))
    names = [name for name, said in zip(carrier.names, carrier.said, strict=True) if not said.islower()]
    return any(_is_measured(replace(own, names=(name,)), catalogue, index) for name in names)


def _flown(asked: _Asked, catalogue: Catalogue) -> list[int]:
    """Return the numbers of the datasets of the spacecraft that a part names; all if it names none."""
    return numbers_of(asked.crafts, catalogue) if asked.crafts else [*range(len(catalogue.crafts()))]


def _asked(part: Part, index: InstrumentIndex, search: Search) -> _Asked:
    """Find the names of instruments and of spacecraft in a part of a sentence."""
    crafts = frozenset(part.crafts)
    words = [word for word in _in_words(part.text).split() if word.casefold() not in _PARTS]
    words = [piece for word in words for piece in _pieces(word, index)]
    rest, named = search.named(" ".join(word for word in words if word not in _COMMON))
    left = {*rest.split()}
    if named and (not crafts or (part.unread and _is_off_table(named))):
        kept = [
            word for word in words if {*re.findall(r"[a-z0-9.]+", word.lower())} & left or word in _COMMON
        ]
        if len(kept) < len(words):
            words, crafts = kept, frozenset(named)
    found = index.named_in(words)
    said = [word for _, names in found for word in names]
    return _Asked(
        part,
        tuple(word for word in words if word not in said),
        crafts,
        tuple(name for name, _ in found),
        tuple(" ".join(names) for _, names in found),
    )


def _in_words(text: str) -> str:
    for pattern, meaning in _IN_WORDS.items():
        text = re.sub(pattern, meaning, text)
    return text


def _each(asked: _Asked, view: str) -> list[_Asked]:
    """Return what ``FSMI H D Z`` asks for, each of the components, and ``LEP moments``, each of the moments."""
    if asked.names and not asked.has_head and _MOMENTS.search(view, *asked.part.region):
        parts = [replace(asked.part, text=f"{asked.part.text} {moment}") for moment in _EACH_MOMENT]
        return [
            replace(asked, part=part, words=(*asked.words, moment), is_moment=True)
            for part, moment in zip(parts, _EACH_MOMENT, strict=True)
        ]
    letters = [word for word in asked.words if word in _COMPONENTS]
    others = tuple(word for word in asked.words if word not in letters)
    return [replace(asked, words=(*others, letter)) for letter in letters] if len(letters) > 1 else [asked]


def _pieces(word: str, index: InstrumentIndex) -> list[str]:
    """Split ``CIS-HIA``, ``CIS/CODIF``, ``HOPE-A`` and ``EESA-Low`` into the name and what narrows it."""
    pieces = re.split(r"[-/]", word)
    names = [bool(index.numbers(folded(piece))) for piece in pieces]
    narrow = len(pieces) == 2 and names[0] and not index.numbers(folded(word))
    return pieces if len(pieces) > 1 and all(pieces) and (all(names) or narrow) else [word]


def _completed(every: list[_Asked]) -> list[_Asked]:
    """Give each part the spacecraft, the instrument and the quantity that it shares with the parts beside it."""
    done: list[_Asked] = []
    shared: tuple[str, ...] = ()
    for at, asked in enumerate(every):
        others = [*reversed(done), *every[at + 1 :]]
        ahead = (*every[at + 1 :], *reversed(every[:at]))
        if not asked.crafts:
            asked = replace(
                asked, crafts=next((other.crafts for other in others if other.crafts), frozenset())
            )
        if not asked.names:
            same = (other for other in others if other.names and other.crafts in (asked.crafts, frozenset()))
            if other := next(same, None):
                labels = tuple(word for word in other.words if _LABEL.fullmatch(word))
                own = (*asked.words, *labels) if asked.words else ()
                asked = replace(asked, names=other.names, said=other.said, words=own)
            elif done and asked.words and not {*asked.words} & table_instruments():
                names = (word for word in done[-1].words if word in table_instruments())
                asked = replace(asked, words=(*names, *asked.words))  # LPW density and temperature
        if not asked.words:  # SPC and SPAN-I density
            asked = replace(asked, words=next((other.words for other in ahead if other.words), ()))
        if asked.species and not asked.has_head:  # omni H+ and O+ fluxes
            head = next((other.measured for other in ahead if other.has_head), ())
            if asked.text.endswith("s") and _ONE_MOMENT.fullmatch(" ".join(head)):
                head = ()  # ions and electron density
            shared = asked.measured or shared
            more = (word for word in (*shared, *head) if word not in asked.words)
            asked = replace(asked, words=(*asked.words, *more))
        else:
            if asked.species and shared:
                asked = replace(asked, words=(*shared, *asked.words))
            shared = ()
        done.append(asked)
    return done


@lru_cache(maxsize=1)
def table_instruments() -> frozenset[str]:
    """Return the names of instruments in the table of quantities."""
    return frozenset(name for source in SOURCES for name in source.instruments if name.isupper())


def _is_new(asked: _Asked, every: Sequence[_Asked]) -> bool:
    """Return whether a part that the table explains belongs to an instrument that the table does not know."""
    named = {*asked.words} & table_instruments()
    shares = {*asked.part.text.split()} == {*asked.said}  # RPW TNR flux in sfu, and HFR
    return any(
        beside.part.unread
        and (
            beside.names == asked.names != ()
            or named & {*beside.words}
            or (shares and beside.words == asked.words)
        )
        for beside in every
        if beside is not asked
    )


def _found(
    asked: _Asked,
    wanted: Wanted,
    catalogue: Catalogue,
    index: InstrumentIndex,
    ask: Asks,
    before: Sequence[Sequence[Match]],
    *,
    alone: bool,
) -> tuple[str, list[Match]]:
    """Return the words of a part beside names, and the parameters that have them.

    Let the person choose the spacecraft if several have such parameters, but none of those that the parts `before`
    are data of.
    """
    crafts = catalogue.crafts()
    named = {craft for name in asked.crafts for craft in (*families().get(name, ()), name)}
    numbers = _flown(asked, catalogue)
    if not named:
        owners = [index.numbers(name) for name in asked.names]
        if not owners:
            return "", []
        some = set.intersection(*owners) or set.union(*owners)
        missions = {crafts[number][1].mission for number in some}
        numbers = [number for number in numbers if number in some or crafts[number][1].mission in missions]
    own = {name for number in numbers for name in index.names_of(number)}
    unknown = [said for name, said in zip(asked.names, asked.said, strict=True) if name not in own]
    words = (*asked.words, *unknown)
    for label in filter(_LABEL.fullmatch, words):  # editor-A
        written = re.compile(rf"(?<!\w){label}(?!\w)", re.IGNORECASE)
        titled = [number for number in numbers if written.search(catalogue.rows[number].title)]
        if titled:
            numbers, words = titled, tuple(word for word in words if word != label)
    names = [name for name in asked.names if name in own]
    text = " ".join(words)
    every = list(with_words(text, names, numbers, wanted, catalogue, frame_elsewhere=not alone))
    reaching = _fitting(every, asked, wanted, catalogue)
    if not reaching:
        vectors = [*with_component(text, names, numbers, wanted, catalogue)]
        reaching = _fitting(vectors, asked, wanted, catalogue)
    if not reaching and named and named.isdisjoint(spellings().values()):
        for word, synonym in _SYNONYMS.items():
            text = re.sub(word, synonym, text)
        alike = [*with_words(text, names, numbers, wanted, catalogue)]
        alike = alike or [*titled_so(text, numbers, catalogue)]
        reaching = _fitting(alike, asked, wanted, catalogue)
    late = [match for match in every if not reaches(match.dataset, wanted.spans, catalogue)]
    if late and not reaching and not asked.is_moment:
        first = late[0].dataset
        raise NotUnderstood(
            f"helio knows no '{asked.part.text}' of {listed(sorted({match.dataset.spacecraft for match in late}))}"
            " for that time",
            advice=f"choose a time with data: {first.id} {time_text(first.first)} to {time_text(first.last)}",
        )
    if len({match.dataset.spacecraft for match in reaching}) != len(named):
        reaching = of_one_craft(reaching, asked.part.text, () if named else before, ask)
    return text, reaching


def _fitting(matches: Sequence[Match], asked: _Asked, wanted: Wanted, catalogue: Catalogue) -> list[Match]:
    """Keep the parameters that have data of every time, and are of all the named telescopes or of none."""
    telescopes = {
        mention.what for mention in directions_in(asked.part.text) if mention.what.startswith("telescope")
    }
    return [
        match
        for match in matches
        if reaches(match.dataset, wanted.spans, catalogue)
        and (
            not telescopes
            or all(parameter.directions in (telescopes, frozenset()) for parameter in match.parameters)
        )
    ]


def _hint(asked: _Asked, found: Sequence[Match]) -> str:
    datasets = list(dict.fromkeys(match.dataset.id for match in found))
    more = f" and {len(datasets) - 3} more" if len(datasets) > 3 else ""
    return (
        f"'{asked.part.text}' may be one of {len(found)} parameters of {listed(datasets[:3])}{more}: name one as "
        f"DATASET.PARAMETER, such as {found[0].first.full_name}"
    )
