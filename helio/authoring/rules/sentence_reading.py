"""Read a sentence word by word into a `PipelineRequest`; refuse what is not clear, instead of guessing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from operator import itemgetter

from helio.authoring.outcome import USE_A_MODEL, NotUnderstood
from helio.authoring.request import PipelineRequest, RequestedStyle, RequestQuantity
from helio.authoring.rules.arrangement import Arrangement
from helio.authoring.rules.cadences import take_cadence, take_modes, with_plain_rates
from helio.authoring.rules.catalogue_matches import Wanted
from helio.authoring.rules.catalogue_words import CatalogueReading, read_catalogue
from helio.authoring.rules.computed import (
    ComputationMention,
    drop_rhythms_of_figures,
    of_windowed,
    read_computations,
)
from helio.authoring.rules.formulas import with_words
from helio.authoring.rules.named import (
    Placed,
    names_of_spacecraft,
    pairs_of,
    read_datasets,
    read_quantities,
    read_ratios,
    read_spacecraft,
    with_species,
)
from helio.authoring.rules.named_times import with_plain_times
from helio.authoring.rules.open_times import with_open_times
from helio.authoring.rules.particle_data import particles_asked
from helio.authoring.rules.particle_table import at_energies, lacks_particles, with_crafts
from helio.authoring.rules.saved_files import take_files
from helio.authoring.rules.sentence import Part, Sentence
from helio.authoring.writing.computations import APPLIED, DERIVED, LAG, MAGNITUDE, OF_ELECTRONS, OF_TWO
from helio.authoring.writing.writer import Asks
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.phrases import any_phrase
from helio.knowledge.quantities import (
    ABS_B,
    ALPHA_RATIO,
    ELECTRONS,
    FAST_ELECTRONS,
    IONS,
    POSITION,
    PROTONS,
    RADIO,
    SOURCES,
    THERMAL,
    VECTOR_V,
    B,
    N,
    T,
    families,
)
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES, SPECTRA, VECTORS
from helio.knowledge.vocabulary import VOCABULARY
from helio.time_range import parse_time_range

_INSTRUMENTS = {name for source in SOURCES for name in source.instruments}
_WORDS = {
    "FIELDS", "HOPE", "WAVES", "STATIC", "STEP", "PLASTIC", "RAPID", "PEACE", "HYDRA", "TIDE", "STAFF", "LET", "SIT",
    "FIT", "HIS", "SEP", "VIS", "STE", "RAD", "DES", "DIS", "PIX", "CAM", "SPI", "SUN",
}  # fmt: skip
"""Instruments whose names in small letters are words."""
_SMALL_INSTRUMENT = (
    rf"(?<![\w-])(?:{'|'.join(sorted(name for name in _INSTRUMENTS - _WORDS if len(name) > 2))})(?![\w-])"
)
_INSTRUMENT = rf"(?<![\w-])(?:{'|'.join(sorted(_INSTRUMENTS, key=len, reverse=True))})(?![\w-])"
_NAMES = "|".join(sorted(map(re.escape, _INSTRUMENTS), key=len, reverse=True))
_COMPOUND = rf"(?<![\w-])(?P<first>{_NAMES})[-/](?=(?:{_NAMES})(?![\w-]))"
"""Pattern of an instrument before a hyphen and another one, as in ``CIS-HIA`` and ``EPD/HET``."""
UNITS = (
    "nT", "pT", "km/s", "m/s", "K", "MK", "nPa", "Pa", "eV", "keV", "AU", "R_E", "RE", "Re", "R_Sun", "km", "mV/m",
    "Hz", "kHz", "cm^-3", "cm-3", "m^-3", "m-3", "1/cm^3", "1/cm3", "1/cc", "/cc", "/cm^3", "/cm3", "nT/s", "deg", "%",
)  # fmt: skip
UNIT_WORDS = any_phrase(phrase for phrases in VOCABULARY["units"].values() for phrase in phrases)
_RADIAL = re.compile(r"\bb_?[rn]\b", re.IGNORECASE)
_TITLE = r"\b(?:titled?|with the title|entitled)\s*[:=]?\s*[\"“'‘]([^\"”'’]+)[\"”'’]"
_NAME = r"\b(?:called|named)\s+[\"“'‘]?([a-z0-9][a-z0-9-]*[a-z0-9])[\"”'’]?(?=\s*$|[,.])"
_FRAMES = (*FRAMES, *sorted({source.frame for source in SOURCES} - {*FRAMES, ""}))
_CDAWEB = (
    r"\b(?:(?:from|via|at|in|using|out of)\s+)?(?:the\s+)?(?:NASA\s+)?(?:(?:SPDF|GSFC)[ /'’s]*)?"
    r"(?:CDAWeb|CDA[- ]web|SPDF)"
    r"(?:\s+(?:archive|server|site|data(?:base)?))?(?![\w/.-])"
)
"""Words that name the archive from which helio takes the data of its catalogue."""
_TURNED = rf"\b(?:{'|'.join(_FRAMES)})\s*(?:-+>|→|to|into)\s*(?=(?:{'|'.join(_FRAMES)})\b)"
# a second frame is left, and refused
_FRAME = (
    r"\b(?:(?:rotated|transformed|converted|turned)\s+(?:in)?to\s+)?"
    rf"({'|'.join(_FRAMES)})\b(?: (?:frame|coordinates?|system))?"
)
_UNIT = (
    rf"(?:(?-i:{'|'.join(re.escape(name) for name in sorted(UNITS, key=len, reverse=True))})|{UNIT_WORDS})"
)
_IN_UNIT = rf"\b(?:in|as)\s+(?:units?\s+of\s+)?(?P<unit>{_UNIT})(?![\w/^-])|[(\[](?P<bracketed>{_UNIT})[)\]]"
_NOT_IN_UNIT = rf"[,(]?\s*\b(?:and\s+)?(?:not|instead\s+of|rather\s+than)\s+(?:in\s+)?{_UNIT}(?![\w/^-])\)?"
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
_OF_INSTRUMENT = (
    r"\b(?:from|using|with|by|of)\b[^,;]*?\x1f\s*(?P<out>(?:ions?|protons?|electrons?|moments?))\b"
    r"(?!\s+(?:\w+\s+){0,2}(?:spectr\w+|flux\w*|density|densities|velocity|speed|temperatures?|intensit\w+))"
)
"""Particles behind an instrument that only say which data to take: ``the Alfvén speed from FGM and ESA ions``."""
_PLANE = (
    r"\b(?:(?:in|on|onto|projected\s+(?:in|on)?to)\s+)?(?:the\s+)?(?:(?P<out>"
    r"(?P<first>[xy])[-–]?(?P<second>[yz])[- ](?:plane|projection)))\b"
)
"""The plane in which to draw orbits."""
_PARTICLES_OF_OMNI = r"\s+(?:protons?|flux|fluxes)\b"
_GROUP = (
    r"\b(?:(?:solar[- ]wind|SW)(?:\s+plasma)?|plasma)"
    r"(?:\s+(?:parameters?|overview|conditions?|quantities|data|moments?|summary|measurements?))?\b"
)
"""Words that stand for several quantities where the sentence names none."""


@dataclass(frozen=True)
class Reading:
    """The request that was read from a sentence, and the words that were not understood.

    Parameters
    ----------
    request : PipelineRequest
    unread : tuple of str
        Words with a meaning that were not read.
    doubt : NotUnderstood, optional
        Why the sentence is ambiguous.
    """

    request: PipelineRequest
    unread: tuple[str, ...]
    doubt: NotUnderstood | None = None
    named: tuple[str, ...] = ()
    """Notes on the time ranges of named events, and on parameters found by their descriptions."""
    hint: str = ""
    """What the catalogue has for the words that were not read, where it is too much to choose from."""


@dataclass(frozen=True)
class _OfParticles:
    """What is left of a sentence before its instruments and quantities are read, and its spacecraft."""

    left: str
    crafts: tuple[tuple[int, str], ...]


def _with_tangential(text: str) -> str:
    """Write Bt as B_T beside Br or Bn; alone it is the strength of the field.

    >>> _with_tangential("BR BT BN in 1990"), _with_tangential("Bt and Bz")
    ('BR B_T BN in 1990', 'Bt and Bz')
    """
    return re.sub(r"\bbt\b", "B_T", text, flags=re.IGNORECASE) if _RADIAL.search(text) else text


def read_request(
    text: str,
    catalogue: Catalogue,
    now: datetime,
    ask: Asks | None = None,
    *,
    looks: Sequence[str] = (),
    described: bool = True,
    whole: bool = False,
) -> Reading:
    """Read a request from a sentence: first its datasets and times, then all other kinds of words.

    Parameters
    ----------
    looks : sequence of str
        What the request says about looks; those of `take_looks`.
    described : bool
        Whether to look in the catalogue for parameters whose descriptions have the words that are left.
    whole : bool
        Whether to look there for all quantities, because no row of the table has them.

    Raises
    ------
    NotUnderstood
        A duration may be a cadence or a time; without `ask`, a named event may be one of several.
    """
    reading, parts, of_particles = _read(text, catalogue, now, ask, looks)
    request = reading.request
    spans = tuple(parse_time_range(time, now) for time in request.times)
    wanted = Wanted(spans, request.frame, request.cadence, request.modes)
    if described and (reading.unread or len(request.energies) > 1 or lacks_particles(request)):
        integrated = any(tool.tool == "cumulative_integral" for tool in request.computations)
        particles = particles_asked(
            of_particles.left, of_particles.crafts, wanted, catalogue, ask, integrated=integrated
        )
        if particles:
            described_whole = _by_description(parts, wanted, catalogue)
            if described_whole.datasets and len(described_whole.spans) > len(particles.spans):
                particles = described_whole
            again = _read(text, catalogue, now, ask, looks, particles)[0]
            if not again.unread:
                return again
            reading = min(again, reading, key=lambda read: len(read.unread))
    if not described or not (reading.unread or whole) or not parts:
        return reading
    if whole:
        parts = [replace(part, unread=True) for part in parts]
    found = read_catalogue(parts, wanted, catalogue, ask)
    if found.hint:
        return replace(reading, hint=found.hint)
    return _read(text, catalogue, now, ask, looks, found)[0] if found.datasets else reading


def _by_description(parts: list[Part], wanted: Wanted, catalogue: Catalogue) -> CatalogueReading:
    """Read the parameters whose descriptions have all words, where there is nothing to ask."""
    try:
        return read_catalogue(parts, wanted, catalogue, None)
    except NotUnderstood:
        return CatalogueReading()


def _read(
    text: str,
    catalogue: Catalogue,
    now: datetime,
    ask: Asks | None,
    looks: Sequence[str],
    described: CatalogueReading = CatalogueReading(),
) -> tuple[Reading, list[Part], _OfParticles]:
    """Read a request; return also the parts that name quantities, except those in `described`, and the particles."""
    text, named = with_plain_times(text, now, ask)
    text = with_open_times(text, now)
    text = re.sub(r"\b(LANL)\s+(?=(?:19|20)\d\d\b)", r"\1-", text)  # a spacecraft, not a year
    text = re.sub(r"\b([A-Z]\d{1,2})['’′](?![A-Za-z])", r"\1p", text)  # P1' is P1p in the archive
    text = re.sub(r"\bSPAN-([ABEabe])\b", r"SPAN\1", text)
    text = re.sub(r"\b(side|telescope|sensor|unit|editor)\s+(?=[A-D]\b)", r"\1-", text)
    text = re.sub(_COMPOUND, r"\g<first> ", text)
    sentence = Sentence(_with_tangential(with_species(with_words(with_plain_rates(with_crafts(text))))))
    _leave_directions(sentence)
    for span in described.spans:
        sentence.take_at(*span)
    sentence.drop(
        r"\b(?:flux ropes?|proton monitor|time profiles?|solar cycle \d+(?:\s+(?:max|min)(?:imum)?"
        r"|\s+(?:ris|declin|ascend|descend)\w+(?:\s+phase)?|\s+(?:onset|decay|start|end|peak))?)\b"
    )
    sentence.drop(
        r"\b(?:(?:around|during|at|near|for)\s+)?(?:perihelion|encounter|enc\.?|perijove|flyby)\s*#?\d+\b|(?-i:\bE\d{1,2}\b)"
    )
    sentence.drop(r"\bn\s+(?=(?:please\s+)?(?:plot|show|draw|make|give)\b)")  # and
    sentence.drop(r"\b(?:i\.e\.|e\.g\.|etc\.?)")
    cdaweb = sentence.drop(_CDAWEB) > 0
    title = sentence.take_text(_TITLE)
    files = take_files(sentence)
    name = sentence.take_text(_NAME).lower()
    datasets = read_datasets(sentence, catalogue)
    arrangement = Arrangement(sentence)
    ratios = read_ratios(sentence)
    mentions = read_computations(sentence)
    if any(step.tool == "band_integral" for cut in described.cuts for step in cut.steps):
        mentions = tuple(tool for tool in mentions if tool.computation.tool != "cumulative_integral")
    if any(mention.computation.tool == "minimum_variance" for mention in mentions):
        sentence.drop(r"(?-i:\bL\s*[,/-]?\s*M\s*[,/-]?\s*(?:and\s+)?N\b)(?:\s+components?)?")
    times = tuple(sentence.take_times(now))
    drop_rhythms_of_figures(sentence, [parse_time_range(time, now) for time in times])
    sentence.drop(_TURNED)
    behind = None
    if any(mention.computation.tool == LAG for mention in mentions):
        behind = sentence.take_first(r"\bbehind\b")
    crafts = read_spacecraft(sentence)
    counted = {count: word for word, count in VOCABULARY["counted"].items()}.get(len(crafts), r"(?!)")
    sentence.drop(rf"\b(?:{counted}|{len(crafts)})\s+(?:different\s+)?(?:spacecrafts?|satellites?|probes?)\b")
    sentence.drop(r"\b(?:an?\s+|the\s+)?(?:fresh|new|nice)\s+one\b|\bon\s+(?:one|a single)\s+page\b")
    of_particles = _OfParticles(sentence.left, tuple(crafts))
    named_data = [sentence.left]
    energies = _energies(sentence)
    instruments = _instruments(sentence)
    named_data.append(sentence.left)
    flown = crafts
    crafts = [craft for craft in crafts or _carriers(instruments) if craft[1] not in described.crafts]
    as_lines = (
        sentence.take_first(r"\bas (?:separate |individual |stacked )?lines?\b|(?<=flux )lines\b") is not None
    )
    magnitude = any(mention.computation.tool == MAGNITUDE for mention in mentions)
    units = _units(sentence)
    sentence.drop(r"\balong\s+(?:(?:the|its|their)\s+)?(?:\S+\s+)??(?:orbits?|trajector(?:y|ies)|path)\b")
    plane = (
        sentence.take_first(_PLANE) if sentence.has(r"\b(?:orbits?|position|trajector(?:y|ies))\b") else None
    )
    if plane:
        sentence.drop(r"\bprojected\s+(?:in|on)?to\b")
    named_data.append(sentence.left)
    placed, field = read_quantities(sentence, magnitude=magnitude)
    placed = sorted([*placed, *of_windowed(mentions)], key=itemgetter(0))
    if any(quantity.name not in SPECTRA for _, quantity in placed):
        sentence.drop(_OF_INSTRUMENT)
    particles = _particles(sentence, instruments, crafts, read=bool(placed))
    asked = {quantity.name for _, quantity in (*placed, *particles)} | ({B} if field >= 0 else set())
    modes = take_modes(sentence, [craft for _, craft in crafts], instruments, asked, catalogue)
    named_data.append(sentence.left)
    datasets += tuple(pair for pair in described.datasets if pair not in datasets)
    placed = sorted([*at_energies(placed, instruments, crafts), *ratios, *particles], key=itemgetter(0))
    if (
        not datasets
        and not described.cuts
        and field < 0
        and all(quantity.name in INDICES for _, quantity in placed)
    ):
        placed = sorted([*placed, *_of_groups(sentence)], key=itemgetter(0))
        placed = placed or _of_instruments(instruments, crafts)
    if placed:
        placed = sorted(
            [*placed, *_of_other_instruments(instruments, crafts, placed, field)], key=itemgetter(0)
        )
    sentence.drop(_GROUP if placed or datasets or field >= 0 else r"(?!)")
    of_spectra = {name.name for _, name in placed} <= {RADIO} and bool(placed or described.notes)
    if of_spectra and not [tool for tool in mentions if tool.computation.window]:
        mentions = tuple(tool for tool in mentions if tool.computation.tool != "power_spectrogram")
    placed = _with_total(sentence, placed)
    if len(placed) == 1:
        sentence.drop(r"\b(?:only|alone)\b")
    styled = _styled(looks)
    placed = _whole(sentence, placed, field, styled)
    vectors = bool({quantity.name for _, quantity in placed} & {*VECTORS}) and (
        sentence.drop(r"\b(?:3-?d\s+)?vectors?(?=\W|$)") > 0
    )
    lengths = [
        (mention.position, RequestQuantity(ABS_B))
        for mention in mentions
        if mention.computation.tool == MAGNITUDE
    ]
    panels = arrangement.panels(crafts, [*placed, *lengths])
    if plane and {quantity.name for _, quantity in placed} == {POSITION}:
        panels = replace(panels, kind="orbits", plane=f"{plane['first']}{plane['second']}".lower())
    computed = _derived(sentence, placed)
    drawn = _drawn(sentence, placed, styled)
    if any(quantity.component or quantity.name in VECTORS for quantity in drawn):
        sentence.drop(r"\bcomponents?\b")
    sentence.drop(r"(?<=\x1f )components?\b" if described.datasets else r"(?!)")  # H component
    crafts = _without_source_of_indices(sentence, crafts, placed)
    placed = [(start, quantity) for start, quantity in placed if computed in ("", quantity.name)]
    drawn = [quantity for quantity in drawn if computed in ("", quantity.name)]
    if behind and len(crafts) == 2:  # the lag of Wind behind ACE: ACE is first
        crafts = [(at, name) for at, name in zip((0, 1), [name for _, name in crafts][::-1], strict=True)]
    own, unclear = pairs_of(crafts, placed, drawn)
    frame = sentence.take_text(_FRAME).upper()
    sentence.drop(rf"\b{frame}\b(?: (?:frame|coordinates?|system))?" if frame else r"(?!)")  # once more
    unset = [mention for mention in mentions if mention.computation.tool in APPLIED]
    windowless = any(
        APPLIED[mention.computation.tool].argument and not mention.computation.window for mention in unset
    )
    request = PipelineRequest(
        # missions where the author must choose a spacecraft come last
        spacecraft=tuple(sorted(dict.fromkeys(craft for _, craft in crafts), key=families().__contains__)),
        quantities=tuple(drawn),
        own=own,
        datasets=datasets,
        cuts=described.cuts,
        times=times,
        frame=frame,
        cadence=take_cadence(sentence, timed=bool(times), windowless=windowless),
        modes=modes,
        vectors=vectors or re.search(r"\bvectors?\b", sentence.text, re.IGNORECASE) is not None,
        energies=energies,
        instruments=instruments,
        units=units,
        computed=computed,
        computations=tuple(mention.computation for mention in mentions),
        panels=panels,
        style=RequestedStyle(title, tuple(looks), as_lines),
        exports=files.formats,
        saved=files.lines,
        name=name,
    )
    named += files.notes
    if cdaweb:
        named += ("a run takes the data from CDAWeb, unless --archive names another archive",)
    doubt = _doubt(mentions, placed, drawn, unclear=unclear)
    reading = Reading(request, sentence.unread(), doubt, (*named, *described.notes))
    return reading, _with_crafts(sentence.parts(_restored(named_data), named_data[-1]), flown), of_particles


def _restored(left: Sequence[str]) -> str:
    """Return the unread rest of a sentence with what was read between the first and the second moment, and so on.

    Parameters
    ----------
    left : sequence of str
        The unread rest at an even number of moments, in order.
    """
    letters = list(left[-1])
    for before, after in zip(left[::2], left[1::2], strict=True):
        for at, (letter, later) in enumerate(zip(before, after, strict=True)):
            if letter != later:
                letters[at] = letter
    return "".join(letters)


def _with_crafts(parts: list[Part], crafts: Sequence[tuple[int, str]]) -> list[Part]:
    """Give each part the spacecraft that stand in it, or alone beside it."""
    regions = [part.region for part in parts]
    named: list[list[str]] = [[] for _ in parts]
    waiting: list[str] = []
    for start, craft in sorted(crafts):
        inside = next((at for at, (first, last) in enumerate(regions) if first <= start < last), None)
        before = [at for at, (first, _) in enumerate(regions) if first <= start]
        if inside is not None:
            named[inside] += [*waiting, craft]
            waiting = []
        elif before and not any(first > start for first, _ in regions):
            named[before[-1]].append(craft)
        else:
            waiting.append(craft)
    for at, names in enumerate(named):
        if not names:
            named[at] = next((other for other in (*named[:at][::-1], *named[at + 1 :]) if other), [])
    return [replace(part, crafts=tuple(names)) for part, names in zip(parts, named, strict=True)]


def _leave_directions(sentence: Sentence) -> None:
    """Take out ``omni`` where it says that a flux is of all directions, so that it does not name OMNI."""
    others = rf"(?<![\w-])(?!omni)(?:{names_of_spacecraft()})(?![\w-])"
    known = sentence.has(others) or sentence.has(rf"(?-i:{_INSTRUMENT})")
    kinds = _PARTICLES_OF_OMNI if not known else r"(?!)"  # OMNI has protons too
    flux = r"\s+(?:(?:differential|energy|number)\s+)*(?:[A-Z][a-z]?\d?\+|protons?|ions?|electrons?|alphas?|helium"
    flux += r"|oxygen|hydrogen|e?flux(?:es)?|intensit\w+|spectr\w+)(?![\w+])"
    moment = r"\s+(?:density|densities|temperature|speed|velocity|pressure)"
    sentence.drop(rf"(?<![\w-])(?P<out>(?-i:[Oo]mni)(?=(?!{kinds}){flux}(?!{moment})))")
    sentence.drop(rf"(?-i:{_INSTRUMENT})\s+(?P<out>(?-i:OMNI)(?={flux}(?!{moment})))")
    if known:
        sentence.drop(rf"(?<![\w,]){flux[3:]},?\s+(?P<out>omni)(?![\w-])(?!\s+[a-z])")


def _without_source_of_indices(
    sentence: Sentence, crafts: list[tuple[int, str]], placed: Placed
) -> list[tuple[int, str]]:
    """Leave out OMNI behind an index, as in ``Wind: field, SYM-H from OMNI``; indices come from OMNI anyway."""

    def is_source(start: int) -> bool:
        before = [(at, quantity) for at, quantity in placed if at < start]
        if not before or before[-1][1].name not in INDICES:
            return False
        words = sentence.text[before[-1][0] : start]
        return re.fullmatch(r"[\w-]+(?: index)?,? (?:\(?from|of|by) ", words) is not None

    if {name for _, name in crafts} <= {"OMNI"} or all(quantity.name in INDICES for _, quantity in placed):
        return crafts
    later = {start for start, _ in crafts if any(at > start for at, _ in placed)}
    return [craft for craft in crafts if craft[1] != "OMNI" or craft[0] in later or not is_source(craft[0])]


def _instruments(sentence: Sentence) -> tuple[str, ...]:
    """Read the names of instruments; written as the catalogue does, in capitals, so that ``fields`` is none."""
    spelt = r"(?<![\w-])(?:SPAN-?[iI]|PLASTIC|Plastic|MagEIS|Hope)(?![\w-])"
    sentence.drop(r"(?<=\bfrom )the\b|(?<=\busing )the\b")
    names = [re.sub(r"^SPAN(?=\w)", "SPAN-", match[0].upper()) for match in sentence.take(re.compile(spelt))]
    names += [match[0].upper() for match in sentence.take(re.compile(_INSTRUMENT))]
    names += [match[0].upper() for match in sentence.take(_SMALL_INSTRUMENT)]
    return tuple(dict.fromkeys(names))


def _carriers(instruments: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the spacecraft that alone has the named instruments, if the sentence names no spacecraft."""
    having = [{source.spacecraft for source in SOURCES if name in source.instruments} for name in instruments]
    common = set.intersection(*having) if having else set()
    return [(0, craft) for craft in common] if len(common) == 1 else []


def _energies(sentence: Sentence) -> tuple[str, ...]:
    """Read the energies above which particles are counted: ``>10 MeV`` or ``above 10 MeV``."""
    above = r"(?:\bE\s*)?(?:>=?|≥|\babove|\bover|\bgreater than|\bmore than|\bexceeding)"
    found = [
        f">{match[1]} {match[2]}"
        for match in sentence.take(rf"{above}\s*(\d+(?:\.\d+)?)\s*((?-i:[MkG]eV))\b")
    ]
    sentence.drop(r"\bintegral\b" if found else r"(?!)")
    return tuple(found)


def _with_total(sentence: Sentence, placed: Placed) -> Placed:
    """Read ``Bx, By, Bz and total`` and ``the field and its strength``: the magnitude of the field."""
    if B not in {quantity.name for _, quantity in placed} or ABS_B in {
        quantity.name for _, quantity in placed
    }:
        return placed
    match = sentence.take_first(r"\b(?:the |its )?(?:total|strength|modulus|absolute value)\b")
    return sorted([*placed, (match.start(), RequestQuantity(ABS_B))], key=itemgetter(0)) if match else placed


def _of_groups(sentence: Sentence) -> Placed:
    """Read ``plasma parameters`` and ``solar wind overview``: the quantities that they stand for."""
    match = sentence.take_first(_GROUP)
    if match is None:
        return []
    names = (N, SPEED, T) if "plasma" in match[0].lower() else (B, N, SPEED, T)
    return [(match.start(), RequestQuantity(name)) for name in names]


def _of_instruments(instruments: tuple[str, ...], crafts: list[tuple[int, str]]) -> Placed:
    """Return what the named instruments measure, if this is one quantity, a field or the moments of a plasma."""
    flown = {craft for _, craft in crafts}
    rows = [source for source in SOURCES if not flown or source.spacecraft in flown]
    most = max((len({*instruments} & source.instruments) for source in rows), default=0)
    named = [source for source in rows if most and len({*instruments} & source.instruments) == most]
    measured = {source.quantity for source in named} - {POSITION}
    if B in measured:
        measured.discard(ABS_B)
    if measured and measured <= {N, SPEED, VECTOR_V, T, THERMAL, ALPHA_RATIO, "alpha density"}:
        wanted = (N, SPEED if SPEED in measured else VECTOR_V, T)
        return [(0, RequestQuantity(name)) for name in wanted if name in measured]
    return [(0, RequestQuantity(name)) for name in measured] if len(measured) == 1 else []


def _of_other_instruments(
    instruments: tuple[str, ...], crafts: list[tuple[int, str]], placed: Placed, field: int
) -> Placed:
    """Return the field for ``MFI and SWEPAM speed``, where one instrument measures only the field."""
    names = {quantity.name for _, quantity in placed}
    names |= {part.quantity for name in names if name in DERIVED for part in DERIVED[name].takes.values()}
    if field >= 0 or names & {B, ABS_B} or len(instruments) < 2:
        return []
    flown = {craft for _, craft in crafts}
    for name in instruments:
        measured = {row.quantity for row in SOURCES if name in row.instruments and row.spacecraft in flown}
        if B in measured and measured <= {B, ABS_B, POSITION}:
            return [(0, RequestQuantity(B))]
    return []


def _particles(
    sentence: Sentence, instruments: tuple[str, ...], crafts: list[tuple[int, str]], *, read: bool
) -> Placed:
    """Read ``HOPE electrons`` and ``PAS energy spectrogram``: the spectrum that the named instrument measures.

    Only if the instruments, or the spacecraft, have exactly one such quantity.
    """
    named = set(instruments)
    placed: Placed = []
    for pattern, kinds in _PARTICLES.items():
        measured = {
            source.quantity
            for source in SOURCES
            if source.quantity in kinds
            and (named & source.instruments or (not named and crafts and not read))
            and (not crafts or source.spacecraft in {craft for _, craft in crafts})
        }
        if len(measured) == 1:
            for match in re.finditer(pattern, sentence.text, re.IGNORECASE):
                if sentence.take_at(*match.span()):
                    placed.append((match.start(), RequestQuantity(next(iter(measured)))))
    return placed


def _units(sentence: Sentence) -> tuple[str, ...]:
    """Read the units in which to draw data, also as words: ``in kelvin, not eV``."""
    sentence.drop(_NOT_IN_UNIT)
    written = [str(match["unit"] or match["bracketed"]) for match in sentence.take(_IN_UNIT)]
    plain = {word.casefold(): unit for unit, words in VOCABULARY["units"].items() for word in words}
    return tuple(plain.get(" ".join(unit.casefold().split()), unit) for unit in written)


def _whole(sentence: Sentence, placed: Placed, field: int, styled: set[RequestQuantity]) -> Placed:
    """Complete the quantities: ``field`` is the vector, unless it only says of what a component is.

    In ``Bz of the magnetic field`` the vector is only the word behind its component.
    """
    wanted = [(start, quantity) for start, quantity in placed if quantity not in styled]
    sources = {
        part.quantity
        for _, name in wanted
        if name.name in DERIVED
        for part in DERIVED[name.name].takes.values()
    }
    beside = re.search(
        r"(?:\band|\bplus|\bwith|[&+])\s+(?:the\s+)?(?:\w+\s+){0,2}$", sentence.text[: max(field, 0)]
    )
    is_source = bool(sources & {B, ABS_B}) and not beside
    listed = re.match(r"\w+\s*(?:[,&/+]|\b(?:and|plus|with)\b)", sentence.text[max(field, 0) :])
    vector = {B} if beside or listed else {B, ABS_B}  # B and |B|, but the magnitude of the field
    if field >= 0 and not is_source and not {quantity.name for _, quantity in wanted} & vector:
        placed = sorted([*placed, (field, RequestQuantity(B))], key=itemgetter(0))
    named_components = [
        (start, quantity)
        for (start, quantity), (after, component) in pairwise(placed)
        if component.component
        and quantity == RequestQuantity(component.name)
        and not re.search(r",|\band\b|\bwith\b|\+|;|\bof\b|\bin\b", sentence.text[start:after])
    ]  # magnetic field components BR BT BN
    of_component = [
        (start, quantity)
        for (before, component), (start, quantity) in pairwise(placed)
        if component.component
        and quantity == RequestQuantity(component.name)
        and re.fullmatch(
            r"[bv]_?[xyzrtn](?:[- ]components?)?\s+(?:of|from)\s+(?:the\s+)?",
            sentence.text[before:start],
            re.IGNORECASE,
        )
    ]
    return [atom for atom in placed if atom not in (*of_component, *named_components)]


def _styled(looks: Sequence[str]) -> set[RequestQuantity]:
    """Return the components that a request names to say how the line of a vector looks."""
    read = (read_quantities(Sentence(phrase), magnitude=False)[0] for phrase in looks)
    return {quantity for placed in read for _, quantity in placed if quantity.component}


def _drawn(sentence: Sentence, placed: Placed, styled: set[RequestQuantity]) -> list[RequestQuantity]:
    """Return the quantities to draw, without components that the sentence names only to colour their lines."""
    if any(quantity.name not in INDICES for _, quantity in placed):
        sentence.take_first(r"\b(?:of|in) the solar wind\b")
    every = dict.fromkeys(quantity for _, quantity in placed)
    whole = {quantity.name for quantity in every if not quantity.component}
    drawn = [quantity for quantity in every if not (quantity.name in whole and quantity in styled)]
    parts = {quantity.name for quantity in drawn if quantity.component}
    if parts and sentence.take_first(r"\bonly\b"):
        return [quantity for quantity in drawn if quantity.component or quantity.name not in parts]
    return drawn


def _derived(sentence: Sentence, placed: Placed) -> str:
    """Return a quantity to compute from others, as ``dynamic pressure from density and velocity``, or ""."""
    if len(placed) < 2 or placed[0][1].name not in DERIVED:
        return ""
    (start, first), (following, _) = placed[:2]
    needed = {*(part.quantity for part in DERIVED[first.name].takes.values()), SPEED, ABS_B}
    needed |= {bulk for bulk, of_electrons in OF_ELECTRONS.items() if of_electrons in needed}
    computed = re.search(r"\bfrom\b", sentence.text[start:following], re.IGNORECASE)
    return first.name if computed and all(quantity.name in needed for _, quantity in placed[1:]) else ""


def _doubt(
    mentions: tuple[ComputationMention, ...], placed: Placed, drawn: list[RequestQuantity], *, unclear: bool
) -> NotUnderstood | None:
    """Return an error if a sentence has several meanings; otherwise return None."""
    if unclear:
        return NotUnderstood(
            "it is not clear which quantity belongs to which spacecraft",
            advice="write each quantity after its spacecraft ('ACE density and Wind speed'), or first all spacecraft "
            "and then all quantities ('ACE and Wind density and speed')",
        )
    for mention in mentions:
        tool = mention.computation.tool
        between = tool not in (MAGNITUDE, *OF_TWO) and _is_between_two(mention.position, placed)
        if len(drawn) > 1 and (mention.partial or between):
            return NotUnderstood(
                f"it is not clear for which quantity to compute the {tool.replace('_', ' ')}",
                advice=f"request one quantity at a time, or {USE_A_MODEL}",
            )
    return None


def _is_between_two(position: int, placed: Placed) -> bool:
    """Return whether a quantity is named before a position in the sentence, and a different quantity after it."""
    before = {quantity for start, quantity in placed if start < position}
    return bool(before) and any(quantity not in before for start, quantity in placed if start > position)
