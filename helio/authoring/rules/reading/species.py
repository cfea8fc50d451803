"""Name the particles of each moment in a sentence that names them once for several moments."""

from __future__ import annotations

import re

from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.knowledge.particles import species_in
from helio.patterns import ignoring_case

_KIND = r"(?:electron|proton|ion|alpha|helium|oxygen)"
_WORDS = (
    r"(?:number\s+|bulk\s+|flow\s+|thermal\s+|specific\s+|scalar\s+|parallel\s+|perpendicular\s+)*"
    r"(?:temperature\s+anisotropy|densit(?:y|ies)|temp(?:erature)?s?|velocit(?:y|ies)|speeds?|pressures?|entropy|beta"
    r"|gyrorad(?:ius|ii)|(?:gyro|(?:gyro|cyclotron|larmor|plasma)[\s-]+)frequenc(?:y|ies)|larmor\s+rad(?:ius|ii)"
    r"|inertial\s+(?:lengths?|scales?)|skin\s+depths?|anisotropy)"
)
_LETTER = r"(?-i:[nNTV](?![\w/+|=(]|-\w))|V_?[xyz](?!\w)"
_LETTERS = {"n": "density", "N": "density", "T": "temperature"}
_NOUN = rf"(?:{_WORDS}(?:\s+(?-i:[nNTV])(?![\w/+|=(-]))?|moments?|{_LETTER})\b"
_AND = (
    r"(?:\s*(?:,|/|&|\+|\band\b)\s*(?:and\s+|the\s+|of\s+)*"
    r"|(?<=ity|ies|ure|eed|res|eds)\s+(?=(?:densit(?:y|ies)|temperatures?|velocit(?:y|ies)|speeds?)\b))"
)
"""What stands between two moments; only a blank between whole words: ``density velocity``."""
_KINDS = rf"{_KIND}s?(?:{_AND}{_KIND}s?)*"
_INSTRUMENT = r"(?-i:[A-Z][A-Z\d/-]{2,7})"
_SPECIES = re.compile(
    rf"\b(?:(?P<kinds>{_KINDS})(?:\s*:)?\s+(?:moments?\b\s*(?:[:,(]\s*)?(?={_WORDS}\b))?)?"
    rf"(?P<nouns>(?:plasma\s+)?{_NOUN}(?:{_AND}{_NOUN})*)"
    r"(?!\s+(?:ratio|anisotropy|difference)s?\b)"
    rf"(?:(?P<unit>\s+in\s+(?-i:k?eV|M?K|km/s|m/s|cm-3|/cc))?\s+(?P<of>of|for|from)\s+(?:the\s+)?(?P<place>(?:(?:{names_of_spacecraft()}|{_INSTRUMENT})\s+){{0,2}})"
    rf"(?P<kinds_behind>{_KINDS})\b"
    r"(?!\s+(?:densit|temperature|velocit|speed|pressure|beta|energ|spectr|flux|data|moment|(?:at\s+)?[\d.–-]+\s*[kM]?eV)))?",
    re.IGNORECASE,
)
"""Particles and what is measured of them, in both orders: ``ion and electron temperature``, ``density of alphas``."""

_ONE_IN_PLURAL = re.compile(r"\w+s\b.*[^s]$", re.IGNORECASE)
_DIRECTED = re.compile(r"(?:parallel|perpendicular)\b", re.IGNORECASE)
_MOMENTS = ("density", "velocity", "temperature")
_ELECTRONS = re.compile(r"\belectrons?\b", re.IGNORECASE)
_OTHER_SPECIES = re.compile(r"\b(?:protons?|ions?|alphas?|helium|solar[- ]wind)\b", re.IGNORECASE)
_MOMENT = r"(?:number\s+density|(?<!number )(?<!energy )(?<!current )density|temperature|velocity)\b"
_OF_PARTICLES = re.compile(
    rf"(?<!electron )\b(?:{_MOMENT}|pressure\b|(?:energy\s+)?(?<!electron energy )spectr(?:ograms?|um|a)\b)",
    re.IGNORECASE,
)
_OF_HEAVY = re.compile(rf"\b(?:bulk\s+)?speeds?\b|{_OF_PARTICLES.pattern}", re.IGNORECASE)
_ONE_MOMENT = re.compile(rf"\bspeeds?\b|{_MOMENT}", re.IGNORECASE)
_OF_OTHERS = re.compile(
    rf"\b(?:flux|intensit|ratio|current|power|plasma|(?:{names_of_spacecraft()})\b|(?-i:[A-Z]{{3,}}))",
    re.IGNORECASE,
)
"""What is no moment, or one of other particles: ``alphas: density, solar wind speed``."""
_SYMBOL = r"\b[BNPTV]\b"
"""Symbols of quantities that are those of elements, too: ``V`` is no vanadium."""
_LIGHT = ("e", "H", "ion")
"""Particles of which the table of quantities has the moments."""
_BESIDE_SPECTRUM = re.compile(
    rf"\belectrons?\s+(?:[a-z]+\s+){{0,3}}spectr(?:ograms?|um|a)\s*(?:,?\s*(?:and\s+)?then\b|,|[+&]|\band\b|\bplus\b|\bwith\b)\s*(?={_MOMENT})",
    re.IGNORECASE,
)


_SPECTRA_OF_BOTH = re.compile(
    r"\b(?P<first>ion|proton|electron)s?\s*(?:\band\b|[&/+])\s*(?P<second>ion|proton|electron)s?\s+"
    r"(?P<noun>(?:(?:omni\w*|differential|energy|flux)\s+)*spectr(?:ogram|um|a)s?)\b",
    re.IGNORECASE,
)


def with_species(text: str) -> str:
    """Name the particles of every moment: all moments of a list are of the same particles.

    Electrons or heavy ions before a colon name all that is behind it.

    >>> with_species("electron n, T and velocity")
    'electron density, electron temperature and electron velocity'
    >>> with_species("densities of the ions and electrons")
    'ion density and electron density'
    >>> with_species("beta and gyroradius of the MMS1 electrons")
    'electron beta and electron gyroradius of MMS1'
    >>> with_species("FPI electrons: spectrogram, number density")
    'FPI : electron spectrogram, electron number density'
    >>> with_species("STATIC O+: density, temperature")
    'STATIC : O+ density, O+ temperature'
    >>> with_species("ion and electron energy spectra")
    'ion energy spectra and electron energy spectra'
    """
    text = _SPECTRA_OF_BOTH.sub(r"\g<first> \g<noun> and \g<second> \g<noun>", text)
    if not _OTHER_SPECIES.search(text):  # electron spectrogram and density
        text = _BESIDE_SPECTRUM.sub(r"\g<0>electron ", text)
    head, colon, rest = text.partition(":")
    own, count = _OF_PARTICLES.subn(r"electron \g<0>", rest)
    if count and _ELECTRONS.search(head) and not _OTHER_SPECIES.search(text):
        text = _ELECTRONS.sub("", head) + colon + own
    named = ignoring_case(names_of_spacecraft()).sub(
        lambda craft: " " * len(craft[0]), head
    )  # STEREO-B is no boron
    heavy = (
        species_in(re.sub(_SYMBOL, " ", named)) if not (species_in(rest) or _OF_OTHERS.search(rest)) else ()
    )
    if len(heavy) == 1 and heavy[0].what.kind not in _LIGHT and _ONE_MOMENT.search(rest):
        name = re.sub(r"(?:\s+ions?|(?<=[a-z])s)$", "", head[heavy[0].start : heavy[0].stop])
        rest = _OF_HEAVY.sub(rf"{name} \g<0>", rest)
        text = head[: heavy[0].start] + head[heavy[0].stop :] + colon + rest
    return _SPECIES.sub(_each_of_each, text)


def _each_of_each(match: re.Match[str]) -> str:
    """Write each moment of a list with each of its particles."""
    kinds, behind = (ignoring_case(_KIND).findall(match[name] or "") for name in ("kinds", "kinds_behind"))
    written = ignoring_case(_AND).split(match["nouns"])
    nouns = [noun for each in written for noun in _nouns(each)]
    commas = [joint[0].strip() == "," for joint in ignoring_case(_AND).finditer(match["nouns"])]
    heads = {noun.casefold() if _DIRECTED.match(noun) else noun.split()[-1].casefold() for noun in nouns}
    if len(heads) < len(nouns) or (len(kinds) > 1 and _ONE_IN_PLURAL.match(match["kinds"])):
        return match[0]  # alpha density and number density; ions, electron density
    if kinds and behind:
        if len(kinds) * len(behind) > 1 or len(nouns) != 2:
            return match[0]
        pairs = [*zip((*kinds, *behind), nouns, strict=True)]  # electron density and temperature of the ions
    else:
        pairs = [(kind, noun) for kind in kinds or behind for noun in nouns]
    behind_place = f" {match['of']} {match['place'].strip()}" if match["place"] else ""
    behind_place = f"{match['unit'] or ''}{behind_place}"
    if not pairs:
        return match[0]
    listed = [_of(kind, noun) for kind, noun in pairs]
    is_of_two = len(commas) == len(listed) - 1 and commas.count(True) == 1 and not commas[-1]
    # density and temperature, parallel and perpendicular temperature
    second = commas.index(True) + 1 if is_of_two else 0
    lists = filter(None, (listed[:second], listed[second:]))
    return ", ".join(" and ".join(quantities) for quantities in lists) + behind_place


def _nouns(written: str) -> tuple[str, ...]:
    """Return the moments that one item of a list means, in the singular and without their symbols."""
    if written.casefold().startswith("moment"):
        return _MOMENTS
    if ignoring_case(_LETTER).fullmatch(written):
        return (_LETTERS.get(written, written),)
    words = re.sub(r"\s+(?-i:[nNTV])$", "", written)
    return (re.sub(r"(?i)(?<=ature|ssure|speed)s$", "", re.sub(r"ies$", "y", words)),)


def _of(kind: str, noun: str) -> str:
    """Return a moment with its particles, which the velocity of ions in a symbol does not need."""
    bare = (
        noun.startswith(("V", "v")) and len(noun) < len("velocity") and kind.casefold() in ("ion", "proton")
    )
    return noun if bare else f"{kind} {noun}"
