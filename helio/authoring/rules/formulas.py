"""Write the formulas of a sentence, such as dB/dt, -V×B or T_perp/T_par, in the words that the other rules read."""

from __future__ import annotations

import re
from collections.abc import Callable

_Words = str | Callable[[re.Match[str]], str]
_PARALLEL = r"par(?:a|allel|al)?|pal|pll|\|\||∥"
_PERPENDICULAR = r"perp(?:endicular)?|prp|per|⊥"
_T = (
    rf"(?<![\w/])T_?(?P<species{{0}}>e|i|p)?[_,]?(?P<side{{0}}>{_PARALLEL}|{_PERPENDICULAR})"
    r"(?:_?(?P<of{0}>e|i|p))?(?!\w)"
)
_BEFORE = r"(?:\b(?P<before>electron|ion|proton)s?\s+)?(?:\btemperature\s+(?:anisotropy|ratio)\s*,?\s+)?"
_BEHIND = r"(?:\s+of\s+(?:the\s+)?(?P<behind>electron|ion|proton)s?\b(?!\s+\w*(?:spectr|flux)))?"
_TEMPERATURE = r"(?<![\w/])T_?(?P<{0}>e|i|p)(?!\w)"
_SPECIES = {"e": "electron", "i": "ion", "p": "ion", "proton": "ion"}
_ELECTRONS = r"\belectrons?\b|(?-i:\bDES\b)|\bPEACE\b|\bPEA\b"
_IONS = r"\bions?\b|\bprotons?\b|(?-i:\bDIS\b)"
_SIDE = r"(?P<side{0}>par(?:a|allel)?|perp(?:endicular)?)\.?"
_FLOW = r"[VvUu](?:_?(?:sw|i|p))?"
_MOTIONAL = r"(?:convect\w+|motional|interplanetary|solar[ -]wind)"
_FIELD_NAME = r"(?:electric\s+field|e-?field)"
_VXB = (
    rf"(?:{_MOTIONAL}\s+)?(?:{_FIELD_NAME}\s*)?[(,]?\s*(?:\bE\s*=\s*)?[-−–]\s?\(?\s?{_FLOW}\s?[x×X*]\s?B\b\s?\)?\)?"
    rf"(?:\s+(?:{_MOTIONAL}\s+)?{_FIELD_NAME})?"
    rf"|(?<![\w-]){_FLOW}\s?[x×X]\s?B\s+(?:{_MOTIONAL}\s+)?{_FIELD_NAME}"
)
_DERIVATIVE = (
    r"(?<![\w.])(?:d|∂|δ|Δ|delta[ -])\s?(?:\((?P<whole>[^()]+)\)|(?P<what>\|[A-Za-z]\w*\||[A-Za-z][\w-]*))\s*/\s*"
    r"(?:d|∂|δ|Δ|delta[ -])\s?t(?!\w)"
)
_RATE = r"(?<![\w.])d/dt\s*(?:of\s+|\(\s*(?P<inner>[^()]+)\)\s*)"
_NEWELL = (
    r"(?<![\w.])d\s?(?:Φ|φ|phi)(?:_?mp)?\s*/\s*dt(?:\s*\(?\s*newell(?:\s+coupling(?:\s+function)?)?\s*\)?)?"
)
_SHUE = (
    r"[(,]?\s*\b(?:(?:after|by|with|using|from|of|in|according\s+to)\s+)?(?:the\s+)?Shue(?:['’]s)?(?:\s+et\s+al\.?,?)?"
    r"(?:\s*\(?(?:19)?9[78]\)?)?(?:\s+(?:model|formula|\(?19\d\d\)?))*\s*\)?"
)
_STANDOFF = r"(?:subsolar\s+|nose\s+)?(?:stand-?off|position|location|distance|radius)\b"
_QUOTED, _QUOTES = r"([\"“][^\"“”]*[\"”])", ('"', "“")
_ENTROPY = (
    r"(?:\bspecific\s+|\bproton\s+|\bion\s+)*\bentropy\s*[(,=]?\s*T\s*/\s*n\s*\^?\s*\(?2/3\)?\)?"
    r"|\bT\s*/\s*n\s*\^\s*\(?2/3\)?"
)
_DRIFT = r"\|\s?V_?(?:a|alpha|α|He)\s?[-−–]\s?V_?p\s?\|"
_CONE_AND_CLOCK = r"\b(cone|clock)(?:\s+angle)?\s*(?:and|&|,|/|\+|plus)\s*(?:the\s+)?(cone|clock)\s+angles?\b"
_ELSASSER = (
    r"\bels(?:a|ä|ae)sser\s+(?:variables?|energ(?:y|ies))\s*[ez]\s?\^?\s?(?P<sign>[+-]|plus|minus)(?=\s|$|,)"
    r"|(?<![\w])[ez]\s?\^?\s?(?P<other>[+-]|plus|minus)\s+(?:of\s+)?els(?:a|ä|ae)sser\b(?:\s+(?:variables?|energ(?:y|ies)))?"
)
_FROM_SUN = (
    r"\bdistance\s+of\s+(?P<whose>(?:the\s+)?[\w -]+?)\s+(?:from|to)\s+(?:the\s+)?(?P<body>sun|earth)\b"
    r"|(?P<owner>[\w-]+(?:\s\d)?)(?:'s|’s)\s+distance\s+(?:from|to)\s+(?:the\s+)?(?P<whence>sun|earth)\b"
)
_HOW_FAR = r"\bhow far (?:away )?(?:is|was|were|are) (?P<craft>.+?) from (?:the )?(?P<of>sun|earth)\b"
_LETTERS = {"radial": "R", "tangential": "T", "normal": "N"}
_OF_B = r"(?:magnetic\s+)?(?:field|imf)|B"
_COMPONENT = (
    r"\b(?:(?P<named>radial|tangential|normal)|(?P<letter>[xyzrtn]))[ -]"
    rf"(?:(?:magnetic\s+)?(?:field|imf)(?:\s+component)?\b|component\s+of\s+(?:the\s+)?(?:{_OF_B})\b|B\b)"
)
_SPEED = (
    r"\b(?:the\s+)?(?:vector\s+)?magnitude\s+of\s+(?:the\s+)?(?:(?:ion|proton|bulk|flow|plasma)\s+)*(?:velocity|V)\b"
    r"|\b(?:(?:ion|proton|bulk|flow|plasma)\s+)*velocity\s+magnitude\b"
)
_CURL = (
    r"\b(?:current(?:\s+density)?|J)\s+(?:from|by|with|using|via)\s+(?:the\s+|an?\s+)?curlometer"
    r"(?:\s+(?:technique|method))?\b"
)
_POWER = r"(?<=[rR])\s?\*\*\s?2\b"


def with_words(text: str) -> str:
    """Write formulas in words, except in quotes.

    >>> with_words("d(SYM-H)/dt"), with_words("-VxB at ACE"), with_words("electron T_par & T_perp")
    ('time derivative of SYM-H', 'convection electric field at ACE', 'parallel electron temperature & perpendicular \
electron temperature')
    >>> with_words("Tperp/Tpara of the ions"), with_words("Te/Ti")
    ('ion temperature anisotropy', 'electron to ion temperature ratio')
    """
    return "".join(
        part if part[:1] in _QUOTES else _in_words(part) for part in re.split(_QUOTED, text) if part
    ).strip()


def _in_words(text: str) -> str:
    text = _sub(_NEWELL, "Newell coupling function", text)
    text = _sub(_DERIVATIVE, lambda match: f"time derivative of {match['whole'] or match['what']}", text)
    text = _sub(_RATE, lambda match: f"time derivative of {match['inner'] or ''}", text)
    text = _sub(_VXB, " convection electric field ", text)
    if re.search(r"\bshue\b", text, re.IGNORECASE):
        text = _sub(rf"{_SHUE}(?:\s*\bmagnetopause(?!\s+{_STANDOFF}))?", " Shue ", text)
        named = re.search(_STANDOFF, text, re.IGNORECASE)
        text = _sub(r"\s+Shue\b", "" if named else " magnetopause standoff distance", text)
    text = _sub(_ENTROPY, "specific entropy", text)
    known = re.search(r"\b(?:drift|differential|relative)\s+(?:speed|velocity|flow)", text, re.IGNORECASE)
    text = _sub(_DRIFT, " " if known else "alpha drift speed", text)
    text = _sub(_CONE_AND_CLOCK, r"\1 angle and \2 angle", text)
    text = _sub(_ELSASSER, _elsasser, text)
    text = _sub(_HOW_FAR, lambda match: f"{match['craft']} {_CENTRES[match['of'].lower()]} distance", text)
    text = _sub(_FROM_SUN, _distance, text)
    text = _sub(r"\bcross\s+(?=correlat)", "cross-", text)  # a correlation alone is a scatter plot
    text = _sub(_CURL, "curlometer current density", text)
    text = _sub(_SPEED, "bulk speed", text)
    text = _sub(r"\bDst\s?\*", "pressure-corrected Dst", text)
    text = _sub(_POWER, "^2", text)
    text = _sub(_COMPONENT, lambda match: f"B_{match['letter'] or _LETTERS[match['named'].lower()]}", text)
    return _temperatures(text)


_CENTRES = {"sun": "heliocentric", "earth": "geocentric"}


def _sub(pattern: str, words: _Words, text: str) -> str:
    return re.sub(pattern, words, text, flags=re.IGNORECASE)


def _elsasser(match: re.Match[str]) -> str:
    sign = match["sign"] or match["other"]
    return f"Elsasser energy {'plus' if sign in ('+', 'plus') else 'minus'}"


def _distance(match: re.Match[str]) -> str:
    body = match["body"] or match["whence"]
    return f"{_CENTRES[body.lower()]} distance of {match['whose'] or match['owner']}"


def _temperatures(text: str) -> str:
    """Write T_perp, T_par, their ratio, and the ratio of T_i and T_e in words, with the nearest species."""

    def species(match: re.Match[str]) -> str:
        groups = match.groupdict()
        keys = ("species", "of", "species1", "of1", "before", "behind")
        written = next((groups[key].lower() for key in keys if groups.get(key)), "")
        return _SPECIES.get(written, written) or _nearest(text, match.start())

    def anisotropy(match: re.Match[str]) -> str:
        across = [re.fullmatch(_PERPENDICULAR, match[side], re.IGNORECASE) for side in ("side1", "side2")]
        if bool(across[0]) == bool(across[1]):
            return match[0]
        if across[0]:
            return f"{species(match)} temperature anisotropy"
        above, below = (f"{_side(match[side])} {species(match)} temperature" for side in ("side1", "side2"))
        return f"ratio of {above} to {below}"

    def ratio(match: re.Match[str]) -> str:
        above, below = _SPECIES[match["above"].lower()], _SPECIES[match["below"].lower()]
        return match[0] if above == below else f"{above} to {below} temperature ratio"

    one, two = _T.format("1"), _T.format("2").replace(r"(?<![\w/])", "")
    text = _sub(rf"{_BEFORE}{one}\s*/\s*{two}{_BEHIND}", anisotropy, text)
    above, below = _TEMPERATURE.format("above"), _TEMPERATURE.format("below").replace(r"(?<![\w/])", "")
    text = re.sub(rf"{above}\s*/\s*{below}(?:\s+(?:temperature\s+)?ratio)?", ratio, text)
    kinds = r"(?P<kind>(?:(?:electron|ion|proton)s?\s+)?temperature|velocity|electric field)s?\b"
    both = rf"\b{_SIDE.format('1')}\s*(?:and|&|,|/|\+)\s*{_SIDE.format('2')}\s+{kinds}"
    text = _sub(
        both,
        lambda match: " and ".join(f"{_side(match[side])} {match['kind']}" for side in ("side1", "side2")),
        text,
    )
    return _sub(
        rf"{_BEFORE}{_T.format('')}{_BEHIND}",
        lambda match: f"{_side(match['side'])} {species(match)} temperature",
        text,
    )


def _side(written: str) -> str:
    return "perpendicular" if re.fullmatch(_PERPENDICULAR, written, re.IGNORECASE) else "parallel"


def _nearest(text: str, position: int) -> str:
    """Return the species that the sentence names nearest to a position; ions if it names none."""
    places = [
        (abs(match.start() - position), species)
        for species, pattern in (("electron", _ELECTRONS), ("ion", _IONS))
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]
    return min(places)[1] if places else "ion"
