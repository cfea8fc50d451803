"""Write the formulas of a sentence, such as dB/dt, -V×B or T_perp/T_par, in the words that the other rules read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.species import with_species
from helio.authoring.rules.reading.spellings import SPELLINGS
from helio.authoring.writing.computations import DERIVED
from helio.knowledge.phrases import phrase_pattern
from helio.knowledge.quantities import DISTANCE, L_SHELL, LATITUDE, LONGITUDE, MLT, SOURCES, B
from helio.knowledge.quantity_words import COMPONENTS, WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case, outside_quotes

_Words = str | Callable[[re.Match[str]], str]
_FORMULAS = [(ignoring_case(pattern), words) for pattern, words in SPELLINGS["formulas"]]
"""Patterns of formulas, and the words for them."""
_PARALLEL = r"par(?:a|allel|al)?|pal|pll|\|\||∥"
_PERPENDICULAR = r"perp(?:endicular)?|prp|per|⊥"
_T = (
    rf"(?<![\w/])T_?(?P<species{{0}}>e|i|p)?[_,]?(?P<side{{0}}>{_PARALLEL}|{_PERPENDICULAR})"
    r"(?:_?(?P<of{0}>e|i|p))?(?!\w)"
)
_SIDES_LISTED = r"{0}(?:\s*(?:,|&|\+|\band\b)\s*{0})*".format(re.sub(r"\?P<\w+>", "?:", _T.format("")))
_OF_BOTH = (
    r"\b(?P<first>electron|ion|proton)\s*(?:,|/|&|\+|\band\b)\s*(?P<second>electron|ion|proton)\s+"
    rf"(?P<listed>{_SIDES_LISTED})(?!\s*/)"
)
"""Temperatures of two kinds of particles: ``ion and electron T_par, T_perp``."""
_BEFORE = r"(?:\b(?P<before>electron|ion|proton)s?\s+)?(?:\btemperature\s+(?:anisotropy|ratio)\s*,?\s+)?"
_BEHIND = r"(?:\s+of\s+(?:the\s+)?(?P<behind>electron|ion|proton)s?\b(?!\s+\w*(?:spectr|flux)))?"
_TEMPERATURE = r"(?<![\w/])T_?(?P<{0}>e|i|p)(?!\w)"
_SPECIES = {"e": "electron", "i": "ion", "p": "ion", "proton": "ion"}
_ELECTRONS = r"\belectrons?\b|(?-i:\bDES\b)|\bPEACE\b|\bPEA\b"
_OF_ELECTRONS = (
    rf"(?<![\w/])T_?e[_,]?(?:{_PARALLEL}|{_PERPENDICULAR})(?!\w)"
    r"|\b(?:parallel|perpendicular)\s+electron\s+temp"
)
_IONS = r"\bions?\b|\bprotons?\b|(?-i:\bDIS\b)"
_SIDE = r"(?P<side{0}>par(?:a|allel)?|perp(?:endicular)?)\.?"
_SHUE = (
    r"[(,]?\s*\b(?:(?:after|by|with|using|from|of|in|according\s+to)\s+)?(?:the\s+)?Shue(?:['’]s)?(?:\s+et\s+al\.?,?)?"
    r"(?:\s*\(?(?:19)?9[78]\)?)?(?:\s+(?:model|formula|\(?19\d\d\)?))*\s*\)?"
)
_STANDOFF = r"(?:subsolar\s+|nose\s+)?(?:stand-?off|position|location|distance|radius|flaring)\b"
_ATTRIBUTION = (
    r"(?:[(,]\s*|\b(?:after|by|with|using|from|of|in|per|following|according\s+to|(?:predicted|defined|given|proposed|as)\s+by)\s+)+"
    r"(?:the\s+)?(?:{0})(?:['’]s)?(?:\s+et\s+al\.?,?)?(?:\s*\((?:19|20)\d\d[a-z]?\)|,?\s+(?:19|20)\d\d[a-z]?(?=\)))?"
    r"(?:\s+(?:model|formula|relation|function|index|method|definition|expression|paper|form|parameterization))*"
    r"(?![\w-]|\s+(?:electric|coupling|potential|field|epsilon))\s*\)?"
)
"""Pattern of the authors of a method behind a quantity: ``(Boyle et al. 1997)``, ``after Newell``."""
_SIGNS = {
    "theta": "(?:theta|θ)", "Omega": "(?:omega|Ω|ω)", "pi": "(?:pi|π)", "rho": "(?:rho|ρ)", "sqrt": "(?:sqrt|√)",
    "(": r"\(?", ")": r"\)?", "2": "[2²]", "3": "[3³]", "-": "[-−–⁻]",
}  # fmt: skip
"""Regular expressions of signs that people write in several ways in formulas."""
_DRIFT = r"\|\s?V_?(?:a|alpha|α|He)\s?[-−–]\s?V_?p\s?\|"
_OF_PLANETS = (
    r"(?:\b(?:of|for|and)\b|[,&])(?:\s+(?:of|the|and))*\s+(?P<planet>Mercury|Venus|Earth|Mars|Jupiter|Saturn|Uranus|Neptune"
    r"|Pluto)\b(?!['’-]|\s+(?:flyby|encounter|orbit|magnetosphere|system|bow))"
)
"""A planet in a list of bodies whose distance is asked for."""
_CURL = (
    r"[(,]?\s*\b(?:(?:from|by|with|using|via)\s+)?(?:the\s+|an?\s+)?(?:curlometer(?:\s+(?:technique|method))?"
    r"|curl\s?(?:of\s+)?\(?(?:the\s+)?(?:B\b|magnetic\s+field\b)\)?)\)?"
)
_CURRENT = (
    r"(?<!curlometer )\b(?:(?:electric\s+)?currents?(?:\s+densit(?:y|ies))?(?:\s*[,(]?(?-i:J)\b\)?)?|(?-i:J)\b)"
    r"(?:\s*=)?"
)
_JOINT = r"\s*(?:,|/|&|\+|\band\b|\bplus\b)\s*(?:the\s+)?"
_PULSATIONS = (
    r"\bP(?P<kind>[ci])\s?(?P<first>[1-5])(?:\s?[-–/]\s?(?:P[ci]\s?)?(?P<last>[1-5]))?s?\b"
    r"(?:[- ]+(?:range|band(?![- ]?pass)|frequency|frequencies|pulsations?|waves?|oscillations?|fluctuations?)\b)*"
)
_PERIODS = {
    "c1": (0.2, 5), "c2": (5, 10), "c3": (10, 45), "c4": (45, 150), "c5": (150, 600), "i1": (1, 40), "i2": (40, 150),
}  # fmt: skip
"""Periods in s of the classes of pulsations (Jacobs et al. 1964)."""
_OF_SPECIES = (
    r"(?P<what>(?:[\w-]+ ){0,2}[\w-]+) (?:of (?:the )?|\()(?P<species>electron|proton|ion|alpha)s?\b\)?"
    r"(?! (?:\w+ )?(?:spectr|flux|energy|particle))"
)
_OF_ITS_FIELD = ignoring_case(
    r"\b(?P<what>(?:(?:clock|cone|spiral|azimuth(?:al)?|elevation|latitude|longitude)(?:\s+angles?)?(?:\s*(?:,|and|&)\s*)?)+)"
    rf"\s+of\s+(?:the\s+)?(?P<craft>{names_of_spacecraft()})\s+(?P<field>(?:(?:interplanetary\s+)?magnetic\s+)?field|IMF|(?-i:B))\b"
)
"""Angles of a field beside the name of its spacecraft: ``clock angle of the OMNI IMF``."""
_BETWEEN_ITS_FIELD = ignoring_case(
    rf"\bangle\s+between\s+(?:the\s+)?(?P<craft>{names_of_spacecraft()})\s+(?P<field>(?:magnetic\s+)?field|IMF|(?-i:B))\s+and\s+"
    r"(?:the\s+)?(?:(?:ion|proton|plasma|flow|bulk|solar[- ]wind)\s+)*(?:velocity|flow|(?-i:V))\b"
)
_MOMENT_OF_ITS_IONS = ignoring_case(
    rf"\b(?P<what>(?:velocity|density|temperature|speed|pressure|beta|moments))\s+(?:(?:of|from|for|at)\s+)?"
    rf"(?P<craft>{names_of_spacecraft()})\s+(?:ions|protons)(?P<also>\s+and\s+electrons)?\b"
    r"(?!\s*(?:spectr|flux|energ|and\b|,|&|>|<|[\d.]+\s*[kM]?eV))"
)
"""The same beside its velocity, and moments before the spacecraft and its ions: ``velocity MMS1 ions``."""
_LISTED = r"(?<![\w|])(?P<name>[A-Za-z]+)\s*(?:,|&|/|\+|\band\b|\bplus\b|,\s*and\b)\s*$"
_SYMBOL = r"\|[A-Za-z]\|(?!\w)|[A-Za-z]{1,2}_?[A-Za-z\d]{0,4}(?![\w|])"
_OF_TWO = (
    rf"(?:\b(?:the\s+)?ratio\s+(?:of\s+)?)?(?<![\w/|.*·-])(?P<left>{_SYMBOL})\s?(?P<sign>[/*·])\s?(?P<right>{_SYMBOL})"
    r"(?!\s?[/*·^])(?:\s+ratio\b)?"
)
"""A ratio or a product of two symbols; with more signs it is a list: ``B/V/n``."""
_OF_A_PLACE = (L_SHELL, MLT, LATITUDE, LONGITUDE, DISTANCE)
_SHARED = ("electron", "electrons", "alpha", "helium")
"""Particles that stand once for all quantities behind them; protons need no name."""
_MEMBER = (
    rf"(?:(?P<craft{{0}}>{names_of_spacecraft()})\s+)?(?P<name{{0}}>[A-Za-z|][\w|-]*)(?:\s+(?:GS[EM]|RTN))?"
)
_MEMBER += rf"(?:\s+(?P<of{{0}}>{names_of_spacecraft()}))?"
_MINUS = ignoring_case(rf"(?<![\w|]){_MEMBER.format(1)}\s+(?P<sign>[-−–])\s+{_MEMBER.format(2)}(?![\w|])")
_SUBTRACTED = ({"SYM-H", "Dst"}, {"AU", "AL"})
"""Indices whose difference has a meaning: the ring current at two cadences, and AE."""


def with_words(text: str) -> str:
    """Write formulas in words, except in quotes.

    >>> with_words("d(SYM-H)/dt"), with_words("-VxB at ACE"), with_words("electron T_par & T_perp")
    ('time derivative of SYM-H', 'convection electric field at ACE', 'parallel electron temperature & perpendicular \
electron temperature')
    >>> with_words("Tperp/Tpara of the ions"), with_words("Te/Ti"), with_words("n(O+)/n(H+)")
    ('ion temperature anisotropy', 'electron to ion temperature ratio', 'ratio of O+ density to H+ density')
    """
    return outside_quotes(text, _in_words).strip()


def _formula_pattern(formula: str) -> str:
    """Return a regular expression for a formula as people write it: ``V/(2πd_i)`` for ``V/(2 pi d_i)``.

    >>> bool(re.fullmatch(_formula_pattern("V B_T sin^2(theta/2)"), "V*B_T sin²(θ/2)"))
    True
    """
    tokens = re.findall(r"sqrt|a(?:rc)?tan|sin|theta|Omega|pi|rho|[\d.]+e-\d|\d+(?:\.\d+)?|[^\s_^]", formula)
    return r"[\s_^*·×{}]*".join(_SIGNS.get(token, re.escape(token)) for token in tokens)


@cache
def _definitions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return quantities, each with the pattern of the formulas that define it and of a symbol before them."""
    symbol, end = r"(?:(?<!\S)[^\s,;()=]{1,6}\s*(?==))?(?:[=,:(]\s*)?(?<![\w/^*)])", r"(?![\w/^*])\)?"
    return tuple(
        (name, ignoring_case(f"{symbol}(?:{'|'.join(map(_formula_pattern, formulas))}){end}"))
        for name, formulas in SPELLINGS["definitions"].items()
    )


@cache
def _authors() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return the patterns of the authors of methods, each with that of the quantity that their method gives."""
    patterns = {row.quantity: ignoring_case(rf"(?<![\w|])(?:{row.pattern})(?![\w|])") for row in WORDS}
    return tuple(
        (ignoring_case(_ATTRIBUTION.format(phrase_pattern(authors))), patterns[quantity])
        for authors, quantity in VOCABULARY["authors of methods"].items()
    )


def _with_defined(text: str) -> str:
    """Write the formulas that define quantities with their names, or leave them out beside the name.

    >>> _with_defined("f = V/(2π d_i) at Wind"), _with_defined("upper hybrid frequency = (fpe² + fce²)^½ of PSP")
    ('frequency of the proton inertial length at Wind', 'upper hybrid frequency of PSP')
    """
    text = re.sub(r"\^\s*½", "^1/2", text)
    for name, whole in _definitions():
        match = whole.search(text)
        if match:
            before, behind = text[: match.start()].rstrip(), text[match.end() :]
            named = any(
                ignoring_case(rf"(?<![\w|])(?:{row.pattern})(?![\w|])").search(f"{before} \x01 {behind}")
                for row in WORDS
                if row.quantity == name
            )
            text = f"{before} {'' if named else name}{behind}".strip()
    return text


def _in_words(text: str) -> str:
    text = _with_defined(text)
    text = _OF_ITS_FIELD.sub(r"\g<craft> \g<what> of the \g<field>", text)
    text = _BETWEEN_ITS_FIELD.sub(r"angle between the \g<field> and the velocity of \g<craft>", text)
    text = _MOMENT_OF_ITS_IONS.sub(
        lambda match: f"{'ion and electron ' if match['also'] else ''}{match['what']} {match['craft']}", text
    )
    for pattern, words in _FORMULAS:
        text = pattern.sub(words, text)
    if ignoring_case(r"\bwavelet").search(text):  # which shows all periods
        text = _sub(rf"(?:\b(?:for|in|of)\s+(?:the\s+)?)?{_PULSATIONS}", " ", text)
    text = text if re.search(r"\dm?Hz|\sm?Hz", text) else _sub(_PULSATIONS, _pulsations, text)
    if ignoring_case(r"\bshue\b").search(text):
        text = _sub(rf"{_SHUE}(?:\s*\bmagnetopause(?!\s+{_STANDOFF}))?", " Shue ", text)
        named = ignoring_case(_STANDOFF).search(text)
        text = _sub(r"\s+Shue\b", "" if named else " magnetopause standoff distance", text)
    text = _without_authors(text)
    known = ignoring_case(r"\b(?:drift|differential|relative)\s+(?:speed|velocity|flow)").search(text)
    text = _sub(_DRIFT, " " if known else "alpha drift speed", text)
    text = _with_planets(text)
    text = _with_minus(_curlometer(text))
    text = with_species(_sub(_OF_TWO, _of_two, _temperatures(text)))
    text = _with_fronts(_with_heads(_of_species(text)))
    for phrase, words in VOCABULARY["shorthands"].items():
        text = _sub(rf"\b(?:{phrase_pattern(phrase)})(?!\w)", words, text)
    return text


def _without_authors(text: str) -> str:
    """Leave out the authors of a method beside the quantity that it gives: ``polar cap potential (Boyle index)``."""
    for attribution, named in _authors():
        for match in reversed([*attribution.finditer(text)]):
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            text = rest if named.search(rest) else text
    return text


def _with_heads(text: str) -> str:
    """Repeat the last words of a quantity for each of those before it: ``ion and electron gyroradius``."""
    for joint in reversed(list(ignoring_case(_JOINT).finditer(text))):
        before = re.search(r"(?:[\w-]+ )?[\w-]+$", text[: joint.start()])
        behind = re.match(r"[\w–-]+(?: [\w–-]+){1,6}", text[joint.end() :])
        if before and behind:
            text = text[: joint.start()] + _head(before[0], behind[0]) + text[joint.start() :]
    return text


def _of_species(text: str) -> str:
    """Write the particles before their quantity: ``thermal speed of the electrons``."""

    for match in reversed(list(ignoring_case(_OF_SPECIES).finditer(text))):
        words, species = match["what"].split(), match["species"].lower()
        known = next((at for at in range(len(words)) if _quantity(" ".join(words[at:]))), None)
        if known is None:
            continue
        turned = f"{species} {' '.join(words[known:])}"
        if not _quantity(turned):
            if species not in ("proton", "ion"):
                continue
            turned = " ".join(words[known:])  # protons need no name
        before = text[: match.start()] + "".join(f"{word} " for word in words[:known])
        while (other := re.search(_LISTED, before)) and _quantity(f"{species} {other['name']}"):
            at = other.start("name")
            turned, before = f"{species} {before[at:]}{turned}", before[:at]
        text = before + turned + text[match.end() :]
    return text


def _with_fronts(text: str) -> str:
    """Repeat the first words of a quantity for the next one: ``electron gyroradius and inertial length``."""
    for joint in reversed(list(ignoring_case(_JOINT).finditer(text))):
        before = re.search(r"(?:[\w–-]+ ){1,5}[\w–-]+$", text[: joint.start()])
        behind = re.match(r"[\w–-]+(?: [\w–-]+){0,3}", text[joint.end() :])
        if before and behind:
            text = text[: joint.end()] + _front(before[0].split(), behind[0].split()) + text[joint.end() :]
    return text


def _front(before: list[str], behind: list[str]) -> str:
    """Return the words that the words behind a joint lack to name a quantity; empty if they lack none."""
    words = next((before[at:] for at in range(len(before)) if _quantity(" ".join(before[at:]))), [])
    shared = bool(words) and words[0].casefold() in _SHARED and bool(_quantity(" ".join(words[1:])))
    shared |= "frequencies" in map(str.casefold, words)
    for count in range(len(behind), 0, -1):
        own = _quantity(" ".join(behind[:count]), ("scalar", "vector", "index", "spectrum"))
        for stop in range(len(words) - 1, 0, -1):
            other = _quantity(" ".join([*words[:stop], *behind[:count]]))
            if (
                other
                and other not in (own, _quantity(" ".join(words)))
                and (not own or (shared and "beta" not in behind[:count]))
            ):
                return f"{' '.join(words[:stop])} "
        if own:
            return ""
    return ""


def _head(before: str, behind: str) -> str:
    """Return the words that the words before a joint lack to name a quantity; empty if they lack none."""
    words, last = behind.split(), before.split()[-1]
    if _quantity(last, ("scalar", "vector", "index", "spectrum")) or {"ratio", "heliographic"} & {
        *behind.casefold().split()
    }:
        return ""
    if last.casefold().endswith("s") and not words[0].casefold().endswith("s"):
        return ""  # ions, electron density
    for count in range(len(words), 1, -1):
        named = _quantity(" ".join(words[:count]))
        for start in range(1, count if named else 0):
            head = " ".join(words[start:count])
            for own in (before, last):
                other = _quantity(f"{own} {head}")
                if other and other != named:
                    return f" {head}"
    return ""


@lru_cache(maxsize=4096)
def _quantity(words: str, kinds: tuple[str, ...] = ("scalar", "vector")) -> str:
    """Return the quantity that words name as a whole, if it is of one of the kinds."""
    rows = (row for row in WORDS if row.kind in kinds)
    return next((row.quantity for row in rows if ignoring_case(row.pattern).fullmatch(words)), "")


def _pulsations(match: re.Match[str]) -> str:
    """Return a class of pulsations with its frequencies in mHz: ``Pc5``, of 150 to 600 s."""
    names = sorted(
        f"{match['kind'].lower()}{number}" for number in (match["first"], match["last"] or match["first"])
    )
    if not _PERIODS.keys() >= {*names}:
        return match[0]
    high, low = 1e3 / _PERIODS[names[0]][0], 1e3 / _PERIODS[names[1]][1]
    return f"{float(f'{low:.3g}'):g} to {float(f'{high:.3g}'):g} mHz {match[0][:2]}{match['first']}"


def _of_two(match: re.Match[str]) -> str:
    """Write ``Pth/Pmag`` and ``n*Vx`` in words; the name of a ratio stays.

    Raises
    ------
    NotUnderstood
        A slash between quantities with different units, or between two components, may also stand in a list.
    """
    left, right, sign = match["left"], match["right"], match["sign"]
    names = _symbol(left), _symbol(right)
    if not all(names) or {*names} & {*_OF_A_PLACE} or _quantity(f"{left}/{right}"):
        return match[0]
    if sign != "/":
        return f"{left} times {right}"
    is_ratio = "ratio" in match[0].lower() or "|" in match[0] or _units(names[0]) & _units(names[1])
    if not is_ratio or names[0] == names[1]:
        raise NotUnderstood(
            f"it is not clear what '{left}/{right}' means",
            advice=f"write 'ratio of {left} to {right}', or '{left} and {right}'",
        )
    return f"ratio of {left} to {right}"


def _symbol(text: str) -> str:
    """Return the quantity that a symbol names, or the one of which it is a component."""
    components = (name for name, pattern in COMPONENTS if ignoring_case(pattern).fullmatch(text))
    return B if text == "B" else _quantity(text) or next(components, "")


def _units(quantity: str) -> set[str]:
    """Return the units of a quantity in the table and in the recipes; those of frequencies are one."""
    units = {row.unit for row in SOURCES if row.quantity == quantity}
    units |= {DERIVED[quantity].unit} if quantity in DERIVED else set()
    return {"Hz" if unit == "kHz" else unit for unit in units - {"", "{}"}}


def _with_minus(text: str) -> str:
    """Write the sign between one quantity of two spacecraft as ``minus``; other dashes divide a list.

    >>> _with_minus("ACE Np - Wind Np 2004"), _with_minus("ACE Np - Wind V 2004")
    ('ACE Np minus Wind Np 2004', 'ACE Np - Wind V 2004')
    """
    match = _MINUS.search(text)
    if match is None or len(re.findall(r"\s[-−–]\s", text)) > 1:
        return text
    crafts = {(match[f"craft{side}"] or match[f"of{side}"] or "").casefold() for side in "12"}
    names = {match["name1"].casefold(), match["name2"].casefold()}
    indices = {_quantity(name, ("index",)) for name in (match["name1"], match["name2"])}
    of_two = len(crafts - {""}) == 2 and len(names) == 1
    start, stop = match.span("sign")
    return f"{text[:start]}minus{text[stop:]}" if of_two or indices in _SUBTRACTED else text


def _curlometer(text: str) -> str:
    """Write ``current density (curlometer)`` and ``J = curl B`` with the name of the quantity."""
    curl = ignoring_case(_CURL)
    if not curl.search(text):
        return text
    named, count = ignoring_case(_CURRENT).subn("curlometer current density", curl.sub(" ", text), count=1)
    return named if count else curl.sub(" curlometer current density ", text, count=1)


def _sub(pattern: str, words: _Words, text: str) -> str:
    return ignoring_case(pattern).sub(words, text)


def _with_planets(text: str) -> str:
    """Write the parameter of a planet's distance from the Sun, as the table has spacecraft alone.

    >>> _with_planets("heliocentric distance of Juno and of Jupiter")
    'heliocentric distance of Juno and JUPITER_HELIO1HR_POSITION.RAD_AU'
    """
    heads = r"\b(?:heliocentric|solar)\s+distances?\b"
    if not ignoring_case(heads).search(text):
        return text
    text, planets = re.subn(
        _OF_PLANETS, lambda match: f" and {match['planet'].upper()}_HELIO1HR_POSITION.RAD_AU", text
    )
    names_others = ignoring_case(rf"(?<![\w-])(?:{names_of_spacecraft()})(?![\w-])").search(text)
    return _sub(heads, "" if planets and not names_others else r"\g<0>", text).replace("  ", " ")


def _temperatures(text: str) -> str:
    """Write T_perp, T_par, their ratio, and the ratio of T_i and T_e in words, with the nearest species."""

    def species(match: re.Match[str]) -> str:
        groups = match.groupdict()
        keys = ("species", "of", "species1", "of1", "before", "behind")
        written = next((groups[key].lower() for key in keys if groups.get(key)), "")
        return _SPECIES.get(written, written) or _nearest(text, match.start())

    def anisotropy(match: re.Match[str]) -> str:
        across = [ignoring_case(_PERPENDICULAR).fullmatch(match[side]) for side in ("side1", "side2")]
        if bool(across[0]) == bool(across[1]):
            return match[0]
        if across[0]:
            return f"{species(match)} temperature anisotropy"
        above, below = (f"{_side(match[side])} {species(match)} temperature" for side in ("side1", "side2"))
        return f"ratio of {above} to {below}"

    def ratio(match: re.Match[str]) -> str:
        above, below = _SPECIES[match["above"].lower()], _SPECIES[match["below"].lower()]
        return match[0] if above == below else f"{above} to {below} temperature ratio"

    def of_both(match: re.Match[str]) -> str:
        sides = re.split(r"\s*(?:,|&|\+|\band\b)\s*", match["listed"])
        return " and ".join(f"{match[kind]} {side}" for kind in ("first", "second") for side in sides)

    text = _sub(_OF_BOTH, of_both, text)
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
    return "perpendicular" if ignoring_case(_PERPENDICULAR).fullmatch(written) else "parallel"


def _nearest(text: str, position: int) -> str:
    """Return the species that the sentence names nearest to a position; ions if it names none, or T_e beside T."""
    if ignoring_case(_OF_ELECTRONS).search(text):
        return "ion"
    places = [
        (abs(match.start() - position), species)
        for species, pattern in (("electron", _ELECTRONS), ("ion", _IONS))
        for match in ignoring_case(pattern).finditer(text)
    ]
    return min(places)[1] if places else "ion"
