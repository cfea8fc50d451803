"""Convert spellings of units in archives to one canonical spelling, and to the form for labels of figures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from helio.limits import LIMITS
from helio.patterns import ignoring_case

_SUPERSCRIPT = str.maketrans("0123456789+-−./", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻·ᐟ")
_EXPONENT = re.compile(
    r"(?:\^|\*\*)(?:\{([+\-−]?\d+(?:[./]\d+)?)\}|\(([+\-−]?\d+(?:[./]\d+)?)\)|([+\-−]?\d+(?:[./]\d+)?))"
)
_PLAIN = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

# Spellings of "no unit"; `.` and `#` fill the UNITS of counters and flags in CDAWeb's holdings.
_NONE = frozenset(
    [
        "none",
        "unitless",
        "dimensionless",
        "ratio",
        "fraction",
        "fractional",
        "n/a",
        "num",
        "number",
        "#",
        ".",
        "1",
        "[]",
    ]
)

PREFIXES = {
    "f": "femto",
    "p": "pico",
    "n": "nano",
    "u": "micro",
    "m": "milli",
    "k": "kilo",
    "M": "mega",
    "G": "giga",
}
_PREFIXED = ("m", "s", "eV", "T", "V", "Hz", "Pa", "W", "A", "J", "g", "rad", "R")

# Exact spellings of units, case included: `mV` and `MV` are two units.
_SYMBOLS: dict[str, tuple[str, int]] = {
    **{prefix + base: (prefix + base, 1) for base in _PREFIXED for prefix in ("", *PREFIXES)},
    **{
        same: (same, 1)
        for same in (
            *(
                "cm",
                "K",
                "MK",
                "AU",
                "R_E",
                "R_J",
                "R_S",
                "R_Sun",
                "sr",
                "deg",
                "degC",
                "h",
                "min",
                "day",
                "year",
            ),
            *("%", "counts", "N", "erg", "dB", "TECU", "sfu", "amu", "Angstrom", "G", "C", "e", "c"),
            *(
                "MeV/n",
                "keV/n",
                "eV/n",
                "GeV/n",
                "keV/q",
                "eV/q",
                "MeV/q",
                "spin",
                "spins",
                "pixel",
                "samples",
                "sats",
            ),
        )
    },
    "cc": ("cm", 3),
    "SQcm": ("cm", 2),
    "d": ("day", 1),
    "yr": ("year", 1),
    "hr": ("h", 1),
    "Hr": ("h", 1),
    "Re": ("R_E", 1),
    "RE": ("R_E", 1),
    "Kev": ("keV", 1),
    "KeV": ("keV", 1),
    "KEV": ("keV", 1),
    "kev": ("keV", 1),
    "Mev": ("MeV", 1),
    "MEV": ("MeV", 1),
    "ev": ("eV", 1),
    "EV": ("eV", 1),
    "nt": ("nT", 1),
    "NT": ("nT", 1),
    "mv": ("mV", 1),
    "Km": ("km", 1),
    "KM": ("km", 1),
    "Sr": ("sr", 1),
    "st": ("sr", 1),
    "Au": ("AU", 1),
    "au": ("AU", 1),
    "k": ("K", 1),
    "°": ("deg", 1),
    "°C": ("degC", 1),
    "Å": ("Angstrom", 1),
}

# Words, whatever their case.
_WORDS: dict[str, tuple[str, int]] = {
    **{
        f"{long}{word}{plural}": (prefix + symbol, 1)
        for prefix, long in (("", ""), *PREFIXES.items())
        for symbol, words in {
            "T": ("tesla",),
            "V": ("volt",),
            "m": ("meter", "metre"),
            "s": ("second",),
            "W": ("watt",),
            "A": ("amp", "ampere"),
            "Hz": ("hertz",),
            "Pa": ("pascal",),
            "eV": ("electronvolt",),
            "rad": ("radian",),
            "R": ("rayleigh",),
            "G": ("gauss",),
            "J": ("joule",),
        }.items()
        for word in words
        for plural in ("", "s")
    },
    **dict.fromkeys(["sec", "secs"], ("s", 1)),
    "msec": ("ms", 1),
    "microsec": ("us", 1),
    "rads": ("rad", 1),
    **dict.fromkeys(["hour", "hours", "hrs"], ("h", 1)),
    **dict.fromkeys(["minute", "minutes", "mins"], ("min", 1)),
    "days": ("day", 1),
    **dict.fromkeys(["years", "yrs"], ("year", 1)),
    **dict.fromkeys(["kelvin", "degk", "deg_k"], ("K", 1)),
    **dict.fromkeys(["celsius", "celcius", "deg_c", "degc"], ("degC", 1)),
    **dict.fromkeys(["deg", "degs", "degree", "degrees"], ("deg", 1)),
    **dict.fromkeys(["earthradii", "r_e"], ("R_E", 1)),
    **dict.fromkeys(["ster", "str", "steradian", "steradians"], ("sr", 1)),
    **dict.fromkeys(["count", "counts", "cnts", "cts", "cnt"], ("counts", 1)),
    **dict.fromkeys(["percent"], ("%", 1)),
    **dict.fromkeys(["erg", "ergs"], ("erg", 1)),
    "angstrom": ("Angstrom", 1),
}

# Words for "number of", which a density or a flux leaves out: `protons/cm^3` is cm^-3.
_NUMBER_OF = frozenset(
    [
        "#",
        "no",
        "particle",
        "particles",
        "proton",
        "protons",
        "#protons",
        "ion",
        "ions",
        "electron",
        "electrons",
        "photon",
        "photons",
        "enas",
    ]
)
# Single letters mean it only before a volume or an areal rate: `N/cm3`, `e/(cm^2 s sr)`, but not `N/m^2`.
_NUMBER_LETTERS = frozenset("nNpPea")

_RANK = {
    unit: rank for rank, unit in enumerate(["km", "m", "cm", "R_E", "AU", "s", "ms", "min", "h", "sr", "deg"])
}
_LAST = len(_RANK)

_REMARK = re.compile(
    r"""\(\s*(?: \d+\s*-?\s*(?:min|sec|s|hr|h|day)          # (1min), (3sec)
               | (?:all|good)\s*q(?:'?s)?                    # (All Qs), (Good Q)
               | all\ flags | w/?o?\ error\ bars | with\ error\ bars | UT | from\ fits | from\ moments
               | qual\ only\ if\ scan=2=SW | >200 )\s*\)""",
    re.VERBOSE | re.IGNORECASE,
)
_FRAME = re.compile(r"\s+(?:GSE|GSM|GEI|GEO|SM|DSL|SSL|RTN|HEEQ|HCI|DBCS|MSO|SC)$")
_IDL_POWER = re.compile(r"![UE]\s*([+-]?\d+)\s*!N", re.IGNORECASE)
_IDL_SUBSCRIPT = re.compile(r"!D\s*(\w+)\s*!N", re.IGNORECASE)
_ENERGY_PER = re.compile(r"\b([kMG]?eV|[KM]ev)\s*/\s*(?:(nucleon|nuc\b\.?|n\b|N\b)|(?:q|e)\b)")
_TOKEN = re.compile(
    r"""\s*(?: (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<divide>/)
             | (?P<power>(?:\^|\*\*)\s*(?:[({]\s*[+-]?\d+\s*[)}]|[+-]?\d+)|(?<=[A-Za-z)\]])[+-]?\d+)
             | (?P<times>[*·.-])
             | (?P<name>\#?[A-Za-zÅ°%_]+(?:/[nq]\b)?|\#) | (?P<one>1(?![\d.])) )""",
    re.VERBOSE,
)


@dataclass
class _UnreadableError(Exception):
    """The error if a text is not a product of known units."""

    spelling: str


Factor = tuple[str, int]


def canonical_unit(spelling: str) -> str:
    """Return the canonical spelling of a unit: the one spelling that helio uses for this unit.

    Units are never converted or cancelled. Plain products of negative powers are written
    ``cm^-2 s^-1 sr^-1 MeV^-1``; as soon as there is a numerator it is a fraction, ``km/s`` or
    ``eV/(cm^2 s sr eV)``. Lengths stand first, then times, solid angle and the rest.

    Parameters
    ----------
    spelling : str
        As in ``UNITS``: IDL codes (``cm!U-3!N``), remarks (``nT (1min)``), ``#/cc``, ``1/(SQcm-ster-s)``. One that is
        longer than `LIMITS.unit`, or has a power above `LIMITS.unit_power`, is not understood.

    Returns
    -------
    str
        Empty for "no unit". A spelling that is not understood completely comes back stripped, otherwise
        unchanged; so does one with a power that contradicts its slash, such as ``1/cm^-3``.
    """
    understood = _understood(spelling) if len(spelling) <= LIMITS.unit else None
    return spelling.strip() if understood is None else understood


def unit_factors(spelling: str) -> tuple[Factor, ...] | None:
    """Return the symbols of a unit with their exponents, ``(("km", 1), ("s", -1))``; None if a part is unknown."""
    canonical = canonical_unit(spelling)
    if not canonical:
        return ()
    if len(canonical) > LIMITS.unit:
        return None
    try:
        return tuple(_reduced(_factors(canonical)))
    except _UnreadableError:
        return None


def pretty_unit(canonical: str) -> str:
    """Write a unit for a label, with exponents as superscripts: ``cm⁻³``, ``eV/(cm² s sr eV)``, ``µA``, ``°``."""
    if len(canonical) > LIMITS.unit:
        return canonical
    powers = _EXPONENT.sub(
        lambda match: "".join(filter(None, match.groups())).translate(_SUPERSCRIPT), canonical
    )
    if _understood(canonical) != canonical:
        return powers
    micro = re.sub(r"\bu(?=(?:m|s|eV|T|V|Hz|Pa|W|A|J|g|rad|R)(?![A-Za-z]))", "µ", powers)
    degree = re.sub(r"\bdeg(?=C?(?![A-Za-z]))", "°", micro)
    return degree.replace("Angstrom", "Å").replace("R_Sun", "R_☉")


@lru_cache(maxsize=4096)
def _understood(spelling: str) -> str | None:
    """Return the canonical spelling of a unit, or None if a part of the unit is unknown."""
    plain = _without_codes(spelling.strip())
    if plain.lower() in _NONE or plain in ("", "NA"):  # but `nA` is a current
        return ""
    for candidate in (plain, _FRAME.sub("", plain)):
        try:
            return _written(_reduced(_factors(candidate)))
        except _UnreadableError:
            continue
    return None


def _without_codes(text: str) -> str:
    """Remove typesetting from a unit: codes of IDL and TeX, superscript digits, and remarks in parentheses."""
    text = _IDL_POWER.sub(r"^\1 ", text)
    text = _IDL_SUBSCRIPT.sub(r"_\1", text)
    text = re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda match: "^" + match[0].translate(_PLAIN), text)
    text = text.replace("µ", "u").replace("μ", "u").replace("☉", "Sun").replace("°C", "degC")
    text = _REMARK.sub("", text)
    text = ignoring_case(r"\bdeg(?:rees)?\.?[ _-]*(K|k|Kelvin)\b").sub("K", text)
    text = ignoring_case(r"\bdeg(?:rees)?\.?[ _-]*C\b").sub("degC", text)
    text = ignoring_case(r"\bEarth ?radii\b").sub("R_E", text)
    text = ignoring_case(r"\bper\b").sub("/", text)
    text = re.sub(r"^c/s\b", "counts/s", text)
    text = _ENERGY_PER.sub(lambda match: f"{match[1]}/{'n' if match[2] else 'q'}", text)
    text = text.strip().rstrip(".").strip()
    inside = re.fullmatch(r"\[([^\[\]]*)\]|\(([A-Za-z%]*)\)", text)
    return (inside[1] or inside[2] or "").strip() if inside else text


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if not match or match.lastgroup is None:
            raise _UnreadableError(text)
        yield match.lastgroup, match[match.lastgroup]
        position = match.end()


def _factors(text: str) -> list[Factor]:
    tokens = list(_tokens(text))
    factors, rest = _quotient(tokens, text)
    if rest or not factors:
        raise _UnreadableError(text)
    return factors


def _quotient(tokens: list[tuple[str, str]], text: str) -> tuple[list[Factor], list[tuple[str, str]]]:
    """Read the factors of a unit up to a closing bracket, and return them with the rest of the text.

    Everything between one slash and the next is divided by, as the field writes it: ``#/cm2-s-sr`` has three
    units below the line.
    """
    factors: list[Factor] = []
    below = False
    wants_factor = False
    blank_below = False
    while tokens:
        kind, token = tokens[0]
        if kind == "close":
            break
        tokens = tokens[1:]
        if kind == "divide":
            if wants_factor or blank_below:
                raise _UnreadableError(text)  # `mV/m pT/Hz`: it is unclear whether pT is a divisor
            below, wants_factor = True, True
            continue
        if kind == "times":
            if wants_factor or not factors:
                raise _UnreadableError(text)
            wants_factor = True
            continue
        if kind == "one":
            if factors or below:
                raise _UnreadableError(text)
            wants_factor = False
            factors = [("", 0)]
            continue
        if kind == "open":
            inner, tokens = _quotient(tokens, text)
            if not tokens:
                raise _UnreadableError(text)
            tokens = tokens[1:]
        elif kind == "name":
            inner = [_named(token, text)]
        else:
            raise _UnreadableError(text)
        power = 1
        explicit = False
        if tokens and tokens[0][0] == "power":
            power = int(re.sub(r"[^\d+-]", "", tokens[0][1]))
            explicit = True
            tokens = tokens[1:]
        if below and ((explicit and power < 0) or any(exponent < 0 for _, exponent in inner)):
            raise _UnreadableError(text)  # `1/cm^-3` and `counts/s cm^-2` can be read in two ways
        blank_below = below and not wants_factor
        sign = -1 if below else 1
        factors += [(name, exponent * power * sign) for name, exponent in inner]
        if any(abs(exponent) > LIMITS.unit_power for _, exponent in factors):
            raise _UnreadableError(text)
        wants_factor = False
    if wants_factor:
        raise _UnreadableError(text)
    return factors, tokens


def _named(token: str, text: str) -> Factor:
    if token in _SYMBOLS:
        return _SYMBOLS[token]
    if token.lower() in _NUMBER_OF or token in _NUMBER_LETTERS:
        return token, 1
    if len(token) > 2 and token.lower() in _WORDS:
        return _WORDS[token.lower()]
    stem, _, per = token.partition("/")
    if per and stem in _SYMBOLS and _SYMBOLS[stem][0].endswith("eV"):
        return f"{_SYMBOLS[stem][0]}/{per}", 1
    raise _UnreadableError(text)


def _reduced(factors: list[Factor]) -> list[Factor]:
    """Combine equal units above and below the fraction line, remove words for "number of", and sort the rest."""
    sides: dict[tuple[str, bool], int] = {}
    for name, power in factors:
        if power:
            sides[name, power < 0] = sides.get((name, power < 0), 0) + power
    if any(abs(power) > LIMITS.unit_power for power in sides.values()):
        raise _UnreadableError("the exponent is too large")
    if ("deg", False) in sides and ("N", False) in sides:
        raise _UnreadableError("deg N")  # degrees north, not degree newtons
    below = {name: -power for (name, negative), power in sides.items() if negative}
    is_rate = below.get("cm", 0) >= 3 or (("cm" in below or "m" in below) and "s" in below)
    for (name, negative), power in list(sides.items()):
        if name.lower() in _NUMBER_OF or (name in _NUMBER_LETTERS and name not in ("N", "e")):
            dropped = name.lower() in _NUMBER_OF or is_rate
        else:
            dropped = name in ("N", "e") and not negative and is_rate
        if dropped and not negative and power == 1 and len(sides) > 1:
            del sides[name, negative]
        elif name not in _SYMBOLS:
            raise _UnreadableError(name)
    if not sides:
        raise _UnreadableError("")
    return sorted(
        ((name, power) for (name, _), power in sides.items()),
        key=lambda factor: (factor[1] < 0, _RANK.get(factor[0], _LAST), factor[0]),
    )


def _written(factors: list[Factor]) -> str:
    above = [factor for factor in factors if factor[1] > 0]
    below = [factor for factor in factors if factor[1] < 0]
    if not above:
        return " ".join(_factor(*factor) for factor in below)
    top = " ".join(_factor(*factor) for factor in above)
    if not below:
        return top
    bottom = " ".join(_factor(name, -power) for name, power in below)
    return f"{top}/({bottom})" if len(below) > 1 or "/" in bottom else f"{top}/{bottom}"


def _factor(name: str, power: int) -> str:
    if power == 1:
        return name
    return f"({name})^{power}" if "/" in name else f"{name}^{power}"
