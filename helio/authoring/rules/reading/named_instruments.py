"""Find the instruments in a sentence, and the quantities that an instrument stands for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.reading.named import Placed, names_of_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.writing.computations import (
    DERIVED,
    MAGNITUDE_OF,
    NEARBY,
    OF_ELECTRONS,
    SIDES,
    VECTOR_OF,
    inputs_of,
    recipe_of,
)
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.missions import INSTRUMENT_WORDS, instrument_names
from helio.knowledge.modes import MODES
from helio.knowledge.particles import directions_in
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import (
    ABS_B,
    ALPHA_RATIO,
    ALPHAS,
    ELECTRONS,
    FAST_ELECTRONS,
    IONS,
    MODEL_B,
    POSITION,
    PROTONS,
    RADIO,
    SOURCES,
    THERMAL,
    VECTOR_V,
    B,
    N,
    QuantitySource,
    T,
    families,
    spellings,
)
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, SPECTRA
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

Crafts = list[tuple[int, str]]
"""Spacecraft that a sentence names, each with its position in the sentence."""
_NAMES = {name for source in SOURCES for name in source.instruments}
ALSO_WORDS = {*VOCABULARY["instruments that are also words"]}


def _any_of(names: Collection[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


IN_SMALL_LETTERS = (
    rf"(?<![\w-])(?:{_any_of({name for name in _NAMES - ALSO_WORDS if len(name) > 2})})(?![\w-])"
)
IN_CAPITALS = rf"(?<![\w-])(?:{_any_of(_NAMES)})(?![\w-])"
_HYPHENATED = re.compile(rf"(?<![\w-])(?P<first>{_any_of(_NAMES)})-(?=(?:{_any_of(_NAMES)})(?![\w-]))")
_SLASHED = re.compile(r"(?<![\w/.-])[A-Z\d][\w-]+(?:/[A-Z][\w-]+)+(?![\w/])")
"""Pattern of names with a slash, as in ``EPD/HET`` and ``CELIAS/MTOF/PM``."""
_ABOVE = re.compile(
    rf"(?P<comma>,\s*)?(?<![\w-])(?P<first>{_any_of(_NAMES)})\s+(?P<place>above|over|below|under)\s+(?P<last>{_any_of(_NAMES)})(?![\w-])"
)
"""Two instruments, of which one is drawn above the other."""
_MIXED = re.compile(r"(?<![\w-])(?:SPAN-?[iI]|PLASTIC|Plastic|MagEIS|Hope)(?![\w-])")
_SPECTRUM = r"(?:\s+(?:energy\s+)?(?:spectrograms?|spectra|spectrum|flux(?:es)?|intensit(?:y|ies)))?"
_NO_MOMENT = (
    r"(?!\s+(?:bulk|flow|fluid|velocity|speed|density|temperature|pressure|moments?|heat|number|core|halo|strahl"
    r"|anisotropy|pitch|thermal|gyro\w*|inertial|cyclotron|plasma|distribution|pad)\b)"
)
_PARTICLES = {
    rf"\belectrons?\b{_NO_MOMENT}{_SPECTRUM}": (ELECTRONS, FAST_ELECTRONS),
    rf"\b(?:protons?|ions?)\b{_NO_MOMENT}{_SPECTRUM}": (IONS, PROTONS),
    r"\b(?:(?:differential\s+)?(?:energy|e)[- ]?flux|energy|eflux|dynamic|frequency)?\s*"
    r"\b(?:spectrograms?|spectra|spectrum)\b": SPECTRA,
}
"""Words that mean a spectrum only beside the name of an instrument, and the quantities that they may mean."""
_FLUX = (
    r"\s+(?:(?:differential|energy|number)\s+)*(?:[A-Z][a-z]?\d?\+|protons?|ions?|electrons?|alphas?|helium"
    r"|oxygen|hydrogen|e?flux(?:es)?|intensit\w+|spectr\w+)(?![\w+])"
)
_MOMENT = r"\s+(?:density|densities|temperature|speed|velocity|pressure)"
_LISTED = (
    r"(?:\s+(?:on|at|in) (?:the )?(?:top|bottom)\b)?(?:\s*(?:[,/&+]|\b(?:and|vs\.?|versus|with|plus)\b))+\s*"
)
_MEASURED_BY = re.compile(
    r"(?:(?!(?:and|or|with|vs|over|minus|to)\b)[\w|+-]+\s+){1,3}(?:from|of|by)\s+(?:the\s+)?(?:(?-i:[A-Z])[\w-]+\s+)?",
    re.IGNORECASE,
)
"""Pattern of a quantity before the instrument that measured it."""
_MODE = "|".join(mode.phrases for mode in MODES)
_PARTICLES_OF_OMNI = r"\s+(?:protons?|flux|fluxes)\b"
_PLASMA = {N, SPEED, VECTOR_V, T, THERMAL, ALPHA_RATIO, "alpha density"}

_INSTRUMENT = rf"(?:{_any_of(_NAMES | INSTRUMENT_WORDS)}|MagEIS)(?:\s+L\d[a-z]?|\s*\(\s*L\d[a-z]?\s*\))?"
_LOOK = r"(?:\s+in(?=\s*[,;.]|\s+and\b)|\s*\(\s*\))?"
"""What is left of ``in red`` and ``(red)``."""
_OF_TWO = re.compile(
    r"(?<!fven )(?<!fvén )(?<!sound )(?<!sonic )(?<!thermal )(?<!current )(?<!energy )"
    r"(?P<what>\b(?i:(?:(?:proton|ion|electron|plasma|number|bulk|solar[- ]wind)\s+)*"
    r"(?:density|speed|velocity|temperature)))"
    rf"(?P<craft>\s+(?:at|of|on)\s+(?i:{names_of_spacecraft()}))?\s*(?::|\b(?:from|of|by))\s+(?:the\s+)?"
    rf"(?P<first>{_INSTRUMENT}){_LOOK}\s*(?P<sign>[,&]|,?\s*\b(?:and|vs\.?|versus|against)(?=\s))\s*(?:that\s+)?"
    rf"(?:(?:from|of|by)\s+)?(?:the\s+)?(?P<second>{_INSTRUMENT}){_LOOK}"
    r"(?=\s*(?:[,;.()]|$|(?:in|on|at|of|with|for|as|over|same|from|during)\b|\d))"
)
"""One moment of two instruments: ``density from SWE and from 3DP``."""


def _full_name(phrases: Sequence[str], name: str) -> re.Pattern[str]:
    """Return the pattern of an instrument's name in words, also with the short name in brackets behind."""
    words = any_phrase(phrases).replace("[ -]", ",?[ -]")
    return re.compile(rf"\b(?:{words})\b(?:\s*\(\s*{re.escape(name)}\s*\))?", re.IGNORECASE)


_FULL_NAMES = [
    (_full_name(phrases, name), name)
    for name, phrases in sorted(
        VOCABULARY["full names of instruments"].items(), key=lambda row: -max(map(len, row[1]))
    )
]
"""Patterns of names of instruments in words, the longest first, and the short names."""


_KIND_BEHIND = re.compile(
    rf"(?<![\w-])(?!(?i:{names_of_spacecraft()})\s|[AB]/[EW]\s)(?P<name>[A-Z][\w/-]*[A-Z]\w*)\s+"
    r"(?:sounder|spectrometer|spectrograph|analy[sz]er|detector|sensor|receiver|suite)s?\b(?!\s*[-\d])"
)
"""Pattern of the kind of an instrument behind its name, as in ``WHISPER sounder``."""


def with_short_names(text: str) -> str:
    """Write only the short names of instruments that a text names in words, or with their kind.

    >>> with_short_names("Cluster WHISPER sounder density")
    'Cluster WHISPER density'
    >>> with_short_names("Ulysses vector helium magnetometer field, MMS1 Fast Plasma Investigation (FPI) density")
    'Ulysses VHM field, MMS1 FPI density'
    """
    for pattern, name in _FULL_NAMES:
        text = pattern.sub(name, text)
    return _KIND_BEHIND.sub(r"\g<name>", text)


def without_compounds(text: str) -> str:
    """Write a blank between the names of an instrument, and ``and`` between two of which one is above the other.

    >>> without_compounds("Cluster CIS-HIA and MTOF/PM"), without_compounds("Fe/O")
    ('Cluster CIS HIA and MTOF PM', 'Fe/O')
    >>> without_compounds("radio flux, TNR below HFR")
    'radio flux: HFR and TNR'
    """

    def spaced(match: re.Match[str]) -> str:
        names = match[0].split("/")
        return " ".join(names) if {*map(str.upper, names)} & (_NAMES | INSTRUMENT_WORDS) else match[0]

    def in_order(match: re.Match[str]) -> str:
        names = (match["first"], match["last"])
        listed = " and ".join(names if match["place"] in ("above", "over") else names[::-1])
        return f": {listed}" if match["comma"] else listed

    return _ABOVE.sub(in_order, _HYPHENATED.sub(r"\g<first> ", _SLASHED.sub(spaced, text)))


def with_each_moment(text: str) -> str:
    """Name the moment of two instruments with each of them, unless one only measures a field.

    >>> with_each_moment("density of Wind from SWE and 3DP"), with_each_moment("Wind density from SWE and MFI")
    ('SWE density of Wind and 3DP density', 'Wind density from SWE and MFI')
    """

    def named(match: re.Match[str]) -> str:
        what, craft = re.sub(r"(?i)\bplasma\s+", "", match["what"]), match["craft"] or ""
        for name in (match["first"].split()[0], match["second"].split()[0]):
            measured = {source.quantity for source in SOURCES if name.upper() in source.instruments}
            if {B, ABS_B, RADIO} & measured and not {*_PLASMA, *OF_ELECTRONS.values()} & measured:
                return match[0]
        sign = match["sign"] if match["sign"] == "," else f" {match['sign'].strip(' ,')}"
        return f"{match['first']} {what}{craft}{sign} {match['second']} {what}"

    return _OF_TWO.sub(named, text)


def leave_directions(sentence: Sentence) -> None:
    """Take out ``omni`` where it says that a flux is of all directions, so that it does not name OMNI."""
    others = rf"(?<![\w-])(?!omni)(?:{names_of_spacecraft()})(?![\w-])"
    known = sentence.has(others) or sentence.has(rf"(?-i:{IN_CAPITALS})")
    kinds = _PARTICLES_OF_OMNI if not known else r"(?!)"  # OMNI has protons too
    sentence.drop(rf"(?<![\w-])(?P<out>(?-i:[Oo]mni)(?=(?!{kinds}){_FLUX}(?!{_MOMENT})))")
    sentence.drop(rf"(?-i:{IN_CAPITALS})\s+(?P<out>(?-i:OMNI)(?={_FLUX}(?!{_MOMENT})))")
    if known:
        sentence.drop(r"\((?P<out>(?-i:omni))\)")
        sentence.drop(rf"(?<![\w,]){_FLUX[3:]},?\s+(?P<out>omni)(?![\w-])(?!\s+[a-z])")


def read_instruments(sentence: Sentence) -> tuple[str, ...]:
    """Read the names of instruments; written as the catalogue does, in capitals, so that ``fields`` is none."""
    sentence.drop(rf"\b(?:from|using) (?P<out>the)(?= (?-i:{IN_CAPITALS}))")
    sentence.drop(r"\b(?P<out>s?waves)[ /](?=(?:rad[12]|tnr|hfr|lfr)\b)")
    names = [re.sub(r"^SPAN(?=\w)", "SPAN-", match[0].upper()) for match in sentence.take(_MIXED)]
    for pattern in (re.compile(IN_CAPITALS), IN_SMALL_LETTERS):
        names += [match[0].upper() for match in sentence.take(pattern)]
    return tuple(dict.fromkeys(names))


def beside_others(
    sentence: Sentence, instruments: Sequence[str], crafts: Crafts, placed: Placed
) -> list[tuple[int, int]]:
    """Return the places of instruments beside a quantity of which the table has no row of theirs.

    In ``LPW density and temperature`` both moments are the instrument's.
    """
    flown = {member for _, craft in crafts for member in families().get(craft, (craft,))}
    places = []
    for match in re.finditer(IN_CAPITALS, sentence.text):
        rows = [row for row in SOURCES if match[0] in row.instruments and row.spacecraft in flown]
        own = _directly_behind(sentence.text, match.end(), placed) if match[0] in instruments else []
        own += [
            quantity.name
            for start, quantity in placed
            if _MEASURED_BY.fullmatch(sentence.text, start, match.start())
        ]
        if rows and not all(_is_measured(name, rows) for name in own):
            places.append(match.span())
    return places


def _directly_behind(text: str, stop: int, placed: Placed) -> list[str]:
    """Return the quantity directly behind a place, and of several moments in a list all."""
    names: list[str] = []
    mode = re.compile(rf"(?:\s*[(,]?\s*(?:{_MODE})\b\)?)*\s+", re.IGNORECASE).match(text, stop)
    first = mode.end() if mode else stop
    for start, quantity in placed:
        if start == first:
            names.append(quantity.name)
        elif names and start > stop:
            listed = re.fullmatch(r"\s*[\w -]+(?:,|/|&|\band)\s+(?:the\s+)?", text[stop:start])
            if (
                not listed
                or re.search(IN_CAPITALS, text[stop:start])
                or not {*names, quantity.name} <= _PLASMA
            ):
                break
            names.append(quantity.name)
    return names


def _is_measured(quantity: str, rows: Sequence[QuantitySource]) -> bool:
    same = {quantity, OF_ELECTRONS.get(quantity), MAGNITUDE_OF.get(quantity), VECTOR_OF.get(quantity)}
    same |= {*SIDES.get(quantity, ()), *NEARBY.get(quantity, ())}
    if recipe_of(quantity) in DERIVED:
        same |= inputs_of(recipe_of(quantity))
    return any(row.quantity in same for row in rows)


def with_carriers(crafts: Crafts, instruments: Sequence[str], text: str, catalogue: Catalogue) -> Crafts:
    """Add the spacecraft that alone has the named instruments: ACE for ``SWEPAM and Wind SWE density``."""
    having = {
        name: {source.spacecraft for source in SOURCES if name in source.instruments} for name in instruments
    }
    if not crafts:
        common = set.intersection(*having.values()) if having else set()
        return [(0, craft) for craft in common] if len(common) == 1 else []
    flown = {member for _, craft in crafts for member in families().get(craft, (craft,))}
    added: Crafts = []
    for name, owners in having.items():
        start = text.upper().find(name)
        ahead = max((at for at, _ in crafts if at < start), default=-1)
        stands_apart = ahead < 0 or re.search(
            r"[,;/&+]|\b(?:and|with|vs|versus|against)\b", text[ahead:start]
        )
        own = any(
            name in instrument_names(row) for row, craft in catalogue.crafts() if craft.spacecraft in flown
        )
        if len(owners) == 1 and not owners & flown and stands_apart and not own:  # not in ACE 3DP density
            added.append((start, next(iter(owners))))
    return sorted([*crafts, *added])


def measured_by_each(
    sentence: Sentence, instruments: Sequence[str], crafts: Crafts, drawn: Sequence[RequestQuantity]
) -> dict[RequestQuantity, list[tuple[str, str]]]:
    """Return for ``SPC and SPAN-I density`` the dataset and the parameter of each of the listed instruments."""
    names = rf"(?<![\w-])(?:{_any_of(instruments)})(?![\w-])"
    flown = {craft for _, craft in crafts}
    moment = rf"(?:\s+(?:protons?|ions?))?(?P<own>{_MOMENT})?"
    others = rf"(?!{_MOMENT}\b)|(?=(?P=own)\b)"  # not in SWE density, 3DP temperature
    if len(flown) > 1 or not ignoring_case(rf"{names}{moment}{_LISTED}{names}(?(own)(?:{others}))").search(
        sentence.text
    ):
        return {}
    text = sentence.text.upper().replace("-", "")
    instruments = sorted(instruments, key=lambda name: text.find(name.replace("-", "")))
    every: dict[RequestQuantity, list[tuple[str, str]]] = {}
    for quantity in drawn:
        if quantity.component:
            continue  # a parameter is a whole vector
        rows = [row for row in SOURCES if row.quantity == quantity.name and row.spacecraft in flown]
        by_name = [[row for row in rows if name in row.instruments] for name in instruments]
        first = dict.fromkeys(named[0] for named in by_name if named and len(named) < len(rows))
        most = max((len({*instruments} & row.instruments) for row in rows), default=0)
        if len(first) > 1 and most < len(instruments) and all(len(row.parameters) == 1 for row in first):
            every[quantity] = [(row.dataset, row.parameters[0]) for row in first]
    return every


def without_source_of_indices(sentence: Sentence, crafts: Crafts, placed: Placed) -> Crafts:
    """Leave out OMNI behind an index, as in ``Wind: field, SYM-H from OMNI``; indices come from OMNI anyway."""

    def is_source(start: int) -> bool:
        before = [(at, quantity) for at, quantity in placed if at < start]
        if not before or before[-1][1].name not in INDICES:
            return False
        words = sentence.text[before[-1][0] : start]
        return re.fullmatch(r"[\w-]+(?: index)?,? (?:\(?from|of|by) (?:[\w-]+ )?", words) is not None

    if {craft for _, craft in crafts} <= {"OMNI"} or all(quantity.name in INDICES for _, quantity in placed):
        return crafts
    later = {start for start, _ in crafts if any(at > start for at, _ in placed)}
    return [
        (start, craft) for start, craft in crafts if craft != "OMNI" or start in later or not is_source(start)
    ]


_BEFORE_ITEM = re.compile(
    rf"(?:^|[,;:&+|(]|\b(?:and|with|plus|me|plot|show|draw|need|want|the|{names_of_spacecraft()}))\s*$",
    re.IGNORECASE,
)
"""Pattern of what stands before an item of a list."""
_BEHIND_ITEM = re.compile(
    r"(?<!ion)(?<!proton)(?<!electron)\s*(?:$|[,;&+|).\x01]|\b(?:and|with|plus|below|underneath|on|from|of|for)\b)",
    re.IGNORECASE,
)
"""Pattern of what stands behind an item of a list, which is in the plural."""


def _is_item(sentence: Sentence, start: int, stop: int) -> bool:
    """Return whether particles are an item of a list by themselves, without an instrument ahead."""
    ahead = re.findall(r"(?<![\w-])[A-Z]{3,}(?![\w-])", sentence.text[:start])
    instruments = [name for name in ahead if name.casefold() not in spellings() and name not in KNOWN_FRAMES]
    return (
        not instruments
        and _BEFORE_ITEM.search(sentence.text[:start]) is not None
        and _BEHIND_ITEM.match(sentence.left, stop) is not None
    )


def drop_styled_particles(sentence: Sentence, looks: Sequence[str], placed: Placed) -> None:
    """Remove particles that only say whose line looks how: ``ion and electron density, electrons red``."""
    for look in looks:
        match = ignoring_case(r"(electron|proton|ion)s\b").match(look)
        names = ("electron",) if match and match[1].lower() == "electron" else ("ion", "proton")
        if match and any(quantity.name.startswith(names) for _, quantity in placed):
            sentence.drop(rf"\b{match[0]}(?=\s*(?:(?:in|as|with)\s*)?(?:[,.;&]|and\b|$))")


def spectra_of(sentence: Sentence, instruments: Sequence[str], crafts: Crafts, *, others: bool) -> Placed:
    """Read ``HOPE electrons`` and ``PAS energy spectrogram``: the spectrum that the named instrument measures.

    Only if the instrument before the word, or else all, or the spacecraft, have exactly one such quantity.
    """
    flown = {craft for _, craft in crafts}
    placed: Placed = []
    for pattern, kinds in _PARTICLES.items():
        for match in ignoring_case(pattern).finditer(sentence.text):
            beside = re.search(rf"({IN_CAPITALS})\s+$", sentence.text[: match.start()])
            named = {beside[1]} if beside else {*instruments}
            alone = _is_item(sentence, match.start(), match.end())
            measured = {
                source.quantity
                for source in SOURCES
                if source.quantity in kinds
                and (named & source.instruments or (not named and crafts and (alone or not others)))
                and (not flown or source.spacecraft in flown)
            }
            if len(measured) == 1 and sentence.take_at(*match.span()):
                placed.append((match.start(), RequestQuantity(measured.pop())))
    return placed


def measured_by(instruments: Sequence[str], crafts: Crafts) -> Placed:
    """Return what the named instruments measure: each one quantity, a field or the moments of a plasma."""
    flown = {craft for _, craft in crafts}
    sources = [source for source in SOURCES if not flown or source.spacecraft in flown]
    most = max((len({*instruments} & source.instruments) for source in sources), default=0)
    if most == len(instruments) or len(flown) > 1:
        return _measured_by({*instruments}, sources)
    each = [_measured_by({name}, sources) for name in instruments]
    return [placed for measured in each for placed in measured] if all(each) else []


def _measured_by(named: set[str], sources: Sequence[QuantitySource]) -> Placed:
    most = max((len(named & source.instruments) for source in sources), default=0)
    best = [source for source in sources if most and len(named & source.instruments) == most]
    measured = {source.quantity for source in best} - {POSITION}
    if B in measured:
        measured -= {ABS_B, MODEL_B}
    if (
        RADIO in measured and B not in measured
    ):  # a receiver of waves, which also gives densities and frequencies
        measured = {RADIO}
    if measured and measured <= _PLASMA:
        moments = (N, SPEED if SPEED in measured else VECTOR_V, T)
        return [(0, RequestQuantity(name)) for name in moments if name in measured]
    return [(0, RequestQuantity(name)) for name in measured] if len(measured) == 1 else []


def others_measured(
    sentence: Sentence, instruments: Sequence[str], crafts: Crafts, names: Collection[str]
) -> Placed:
    """Return the field for ``MFI and SWEPAM speed``, and the moments for ``MAG and SWEPAM``.

    A receiver, as in ``speed and RPW``, stands for its radio spectrogram.
    """
    made = {recipe_of(name) for name in names} & {*DERIVED}
    names = {*names, *(part for name in made for part in inputs_of(name))}
    flown = {craft for _, craft in crafts}
    beside: dict[str, None] = {}
    for name in instruments:
        if ignoring_case(rf"\b{re.escape(name)}\s+(?:position|orbit|ephemeris|trajectory)\b").search(
            sentence.text
        ):
            continue
        sources = [row for row in SOURCES if name in row.instruments and row.spacecraft in flown]
        measured = {row.quantity for row in sources} - {POSITION}
        has_field = bool({B, ABS_B} & names)
        joint = rf"(?:\b(?:and|with|plus)|[,;+&/])\s*{re.escape(name)}\b|\b{re.escape(name)}\s*(?:[,;+&/]|and\b|with\b)"
        if (
            len(instruments) > 1
            and not has_field
            and B not in beside
            and B in measured
            and measured <= {B, ABS_B}
        ):
            beside[B] = None
            continue
        same = {*names, *beside, *(OF_ELECTRONS.get(quantity) for quantity in names)}
        if RADIO in measured and B not in measured and not measured & same:
            beside[RADIO] = None
            continue
        is_listed = ignoring_case(joint).search(sentence.text) is not None
        if is_listed and names and names <= {B, ABS_B} and measured and measured <= _PLASMA:
            return [*_measured_by({name}, sources), *((0, RequestQuantity(quantity)) for quantity in beside)]
    return [(0, RequestQuantity(quantity)) for quantity in beside]


def with_crafts(text: str) -> str:
    """Name the spacecraft behind an instrument before the letter of one of two spacecraft.

    >>> with_crafts("HOPE-A protons and SPAN-A electrons"), with_crafts("mageis B electrons, EMFISIS B")
    ('HOPE RBSP-A protons and SPAN-A electrons', 'mageis RBSP-B electrons, EMFISIS B')
    """
    flown = {
        spellings()[name.casefold()]
        for name in re.findall(rf"(?i)(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])", text)
    } - {"OMNI"}

    def named(match: re.Match[str]) -> str:
        sources = [source for source in SOURCES if match["name"].upper() in source.instruments]
        crafts = {source.spacecraft for source in sources}
        own = {craft for craft in crafts if craft.endswith(f"-{match['letter'][0]}")}
        is_field = match["letter"] == "B" and any(source.quantity == B for source in sources)
        if flown and flown.isdisjoint(crafts):
            return match[0]  # the HET-A of PSP
        if len(own) == 1 and (match["sign"] == "-" or (len(crafts) == 2 and not is_field)):
            return f"{match['name']} {own.pop()}"
        return match[0]

    return re.sub(
        r"(?<![\w-])(?<!\bI )(?P<name>[A-Za-z]{3,})(?P<sign>[- ])(?P<letter>[AB]|Ahead|Behind)(?![\w-])",
        named,
        text,
    )


def lacks_particles(request: PipelineRequest) -> bool:
    """Return whether the table of quantities has no particles of the spacecraft that the request asks for."""
    return any(
        quantity.name in (IONS, PROTONS, ELECTRONS, FAST_ELECTRONS, ALPHAS)
        and not any(
            source.quantity == quantity.name
            and source.spacecraft == craft
            and (not request.instruments or {*request.instruments} & source.instruments)
            for source in SOURCES
        )
        for quantity in request.quantities
        for craft in request.spacecraft
        if craft not in families()
    )


def of_several_sensors(text: str, request: PipelineRequest) -> set[str]:
    """Return the particles that a named instrument may measure in several sensors, of which the text names none."""
    said = request.energies or request.modes or directions_in(text) or not request.instruments
    if said or ignoring_case(r"\b(?:energetic|relativistic)\b").search(text):
        return set()
    return {PROTONS, FAST_ELECTRONS} & {quantity.name for quantity in request.quantities}


def at_energies(placed: Placed, instruments: tuple[str, ...], crafts: list[tuple[int, str]]) -> Placed:
    """Read a spectrogram of protons as that of energetic protons if the instrument measures only those."""
    named, flown = {*instruments}, {craft for _, craft in crafts}
    measured = {
        source.quantity
        for source in SOURCES
        if named & source.instruments and (not flown or source.spacecraft in flown)
    }
    other = {IONS: PROTONS, ELECTRONS: FAST_ELECTRONS} if named else {}
    return [
        (at, RequestQuantity(other[quantity.name]))
        if quantity.name in other and quantity.name not in measured and other[quantity.name] in measured
        else (at, quantity)
        for at, quantity in placed
    ]
