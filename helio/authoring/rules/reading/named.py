"""Find the spacecraft, datasets and quantities in a sentence, and which quantity belongs to which spacecraft."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import RequestQuantity
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.writing.computations import has_quantity
from helio.knowledge.catalogue import Catalogue, CatalogueEntry
from helio.knowledge.quantities import SOURCES, B, QuantitySource, families, spellings
from helio.knowledge.quantity_words import COMPONENTS, INDICES, RATIOS, WORDS
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

_NUMBERS = {word: str(number) for word, number in VOCABULARY["counted"].items() if 2 <= number <= 5}
AT_1_AU = {"OMNI", "ACE", "Wind", "DSCOVR", "SOHO", "IMP-8", "ISEE-3", "Genesis", "STEREO-A", "STEREO-B"}
_BESIDE_SOLAR_WIND = (
    r"(?:[,;&+]|\b(?:and|with|plus|vs\.?|versus|against|under|below|above|over))\s*(?:the\s+)?(?:upstream\s+)?"
    r"(?P<out>IMF|solar[- ]wind|(?-i:SW))(?=\s+[\w|])(?!\s+(?:entry|monitor|magnetosphere|coupling))"
)
_UNIT = r"\s+(?:m?s|sec\w*|min\w*|h|hours?|days?|Hz|[kM]?eV)\b"
"""Pattern of what stands behind a number that is no spacecraft: ``MMS 1, 4 s``."""
_NUMBERED = re.compile(
    r"(?<![\w-])(?P<stem>[A-Za-z]+)[\s-](?P<numbers>\d+(?:(?:\s*,\s*|\s+(?:and|&|vs\.?)\s+)\d+)+)"
    rf"(?![\w.-]|:\d|{_UNIT})"
)
_MANY = rf"(?:{'|'.join(_NUMBERS)}|[2-5])"
FIELD = r"\bfields?(?![\w-])|(?<![\w|])(?-i:B)(?![\w|])"
"""Pattern of words for the magnetic field that may also say of what a component is."""
Placed = list[tuple[int, RequestQuantity]]
"""Quantities that a sentence requests, each with its position in the sentence."""
_OF_WIND = r"(?:proton )?(?:speed|velocity|density|temperature|dynamic pressure|ram pressure|pressure)s?"
_ALL_DIRECTIONS = (
    r"(?-i:omni)[- ](?:directional|differential|energy|flux|intensit|spectr|protons?|electrons?|ions?|oxygen|helium"
    r"|alphas?|(?-i:(?:H|O|He|e)[+-]))"
)
"""Pattern of ``omni`` where it means all directions, not OMNI."""

_SERIES = re.compile(
    r"(?<![\w.-])(?!UT)(?P<stem>[A-Z]{1,2})(?P<first>\d{1,2})(?P<mark>p?)"
    r"\s*(?:-|–|\bto\b|\bthrough\b)\s*(?P=stem)?(?P<last>\d{1,2})(?P=mark)(?![\w-])"
)


def with_series(text: str) -> str:
    """Write all names of a series.

    >>> with_series("EPAM P1 to P4, DE1-3")
    'EPAM P1, P2, P3, P4, DE1, DE2, DE3'
    """

    def every(match: re.Match[str]) -> str:
        numbers = range(int(match["first"]), int(match["last"]) + 1)
        return ", ".join(f"{match['stem']}{number}{match['mark']}" for number in numbers) or match[0]

    return _SERIES.sub(every, text)


@cache
def names_of_spacecraft() -> str:
    """Return a regular expression that matches every name of a spacecraft."""
    return _any(spellings())


def read_datasets(sentence: Sentence, catalogue: Catalogue) -> tuple[tuple[str, str], ...]:
    """Find the dataset ids in a sentence; return each with the parameter that follows it, or with an empty text."""
    found: dict[tuple[str, str], None] = {}
    for match in re.finditer(
        r"(?<![\w-])([A-Za-z0-9]+(?:[_-][A-Za-z0-9@-]+)+?)(?:\.([A-Za-z]\w*))?(?![\w-])", sentence.text
    ):
        if "_" in match[1] and match[1] in catalogue:
            named = catalogue.summary(match[1]).id
            sentence.drop(re.compile(re.escape(match[0])))
            own = [] if match[2] else _parameters_in(sentence, catalogue, named)
            found |= dict.fromkeys((named, parameter) for parameter in own or [match[2] or ""])
    return tuple(found)


def _parameters_in(sentence: Sentence, catalogue: Catalogue, dataset: str) -> list[str]:
    """Find the parameters of a dataset that a sentence names."""
    names = [parameter.name for parameter in catalogue.dataset(dataset).parameters]
    found: list[str] = []
    for match in re.finditer(r"(?<![\w-])[A-Za-z][\w#-]*\w|(?<![\w-])[A-Z](?![\w-])", sentence.text):
        name = "BT" if match[0] == "B_T" and "B_T" not in names else match[0]  # as BR, BT, BN are written
        if name in names and sentence.take_at(*match.span()):
            found.append(name)
    return list(dict.fromkeys(found))


_OF_DATASET = re.compile(
    r"(?:(?!\band\b)[^,;])*?\s(?:from|of|in)\s+(?:the\s+)?(?:data\s*set\s+)?", re.IGNORECASE
)
"""The words from a quantity to the dataset that has it."""
_LISTED_BEFORE = re.compile(
    r"(?:(?!\b[A-Z0-9]+_)[^,;])*?\s*(?:,|,?\s*\band\b|&)\s*(?:the\s+)?", re.IGNORECASE
)
_MOST_OTHER_WORDS = 2
"""Maximum number of words of a parameter's description besides those of a quantity that it may be."""
_ALONE = re.compile(r"\S+\s+(?:only|alone)\b", re.IGNORECASE)
"""A component that is drawn without its vector: ``Bz only``."""


def of_datasets(
    sentence: Sentence, placed: Placed, datasets: Sequence[tuple[str, str]], catalogue: Catalogue
) -> tuple[Placed, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Take a quantity beside a dataset alone from that dataset: ``density from WI_H5_SWE``, ``WI_H5_SWE density``.

    So are quantities listed with it that the dataset has. Return the quantities of the table, the datasets with the
    parameters that the table lacks, and the datasets of which the table has the quantities.
    """
    left, found, sources = list(placed), list[tuple[str, str]](), list[str]()
    ids = list(dict.fromkeys(name for name, _ in datasets))
    for dataset in ids:
        named = [parameter for name, parameter in datasets if name == dataset and parameter]
        own, is_known, unclear = list[tuple[int, str]](), False, False
        for atom, vector in _of_vectors_named(sentence.text, dataset, named, left).items():
            start, component = atom
            left[left.index(atom)] = (start, replace(component, frame=vector.frame))
            if start < sentence.text.find(dataset) or _ALONE.match(sentence.text, start):
                named = [name for name in named if name not in vector.parameters]  # Bz from AC_H0_MFI BGSM
            is_known = True
        craft = catalogue.summary(dataset).spacecraft
        others = [name for name in ids if name != dataset and catalogue.summary(name).spacecraft == craft]
        for atom in _beside_dataset(sentence.text, dataset, named, left):
            has_alone = has_quantity(dataset, atom[1].name) and not any(
                has_quantity(name, atom[1].name) for name in others
            )
            if not has_alone:
                described = _parameters_for(atom[1], catalogue.dataset(dataset))
                if len(described) != 1:
                    unclear = bool(named)
                    break
                own += [(atom[0], name) for name in described]
                left.remove(atom)
            is_known |= has_alone
        sources += [dataset] if is_known else []
        names = [*named, *(name for _, name in sorted(own)), *[""] * unclear] or ([] if is_known else [""])
        found += [(dataset, name) for name in names]
    return left, tuple(found), tuple(sources)


def _of_vectors_named(
    text: str, dataset: str, parameters: Sequence[str], placed: Placed
) -> dict[tuple[int, RequestQuantity], QuantitySource]:
    """Return the components beside a vector that a sentence names as a parameter, each with the vector's row."""
    rows = {
        row.quantity: row
        for row in SOURCES
        if row.dataset == dataset and row.frame and {*row.parameters} <= {*parameters}
    }
    start = text.find(dataset)
    before = _listed_from(text, start, [atom for atom in reversed(placed) if atom[0] < start], _OF_DATASET)
    beside = [*before, *_beside_dataset(text, dataset, parameters, placed)] if rows else []
    return {atom: rows[atom[1].name] for atom in beside if atom[1].component and atom[1].name in rows}


def _beside_dataset(text: str, dataset: str, parameters: Sequence[str], placed: Placed) -> Placed:
    """Return the quantities listed before ``from`` and a dataset, the last one first, or else those behind it.

    They also stand behind parameters of the dataset that the text lists.
    """
    start = text.find(dataset)
    before = _listed_from(text, start, [atom for atom in reversed(placed) if atom[0] < start], _OF_DATASET)
    if (before and not parameters) or read_spacecraft(Sentence(re.sub(r"\w+_\w+", " ", text))):
        return [] if parameters else before
    stop = start + len(dataset)
    listed = rf"(?:\s*:?\s*(?:{_any(parameters)})(?:\s*(?:,|\band\b|&|\+))+)*" if parameters else ""
    directly = re.compile(rf"{listed}\s*:?\s*(?:the\s+)?")
    return _listed_from(text, stop, [atom for atom in placed if atom[0] >= stop], directly)


def _listed_from(text: str, at: int, atoms: Placed, joint: re.Pattern[str]) -> Placed:
    """Return the first quantities of which each is beside the one before it, and the first beside a place."""
    listed: Placed = []
    for atom in atoms:
        if not joint.fullmatch(text[min(at, atom[0]) : max(at, atom[0])]):
            break
        listed.append(atom)
        at, joint = atom[0], _LISTED_BEFORE
    return listed


def _parameters_for(quantity: RequestQuantity, entry: CatalogueEntry) -> list[str]:
    """Return the parameters of a quantity in the table, or else those whose descriptions name it with fewest others."""
    rows = [row for row in SOURCES if (row.dataset, row.quantity) == (entry.id, quantity.name)]
    if rows and not quantity.component:
        return [name for row in rows[:1] for name in row.parameters]
    words = {*quantity.name.casefold().split()}
    others = {
        parameter.name: len(said - words)
        for parameter in entry.parameters
        if not quantity.component
        and (
            words <= (said := {*re.findall(r"[a-z]{3,}", parameter.description.casefold())})
            or [own for _, own in read_quantities(Sentence(parameter.description), magnitude=False)[0]]
            == [quantity]
        )
    }
    fewest = min(others.values(), default=0)
    return [name for name, count in others.items() if count == fewest <= _MOST_OTHER_WORDS]


def read_ratios(sentence: Sentence) -> Placed:
    """Find the quantities whose names have the word of a computation, such as ``alpha to proton ratio``."""
    rows = [row for row in WORDS if row.quantity in RATIOS]
    return [
        (match.start(), RequestQuantity(row.quantity))
        for row in rows
        for match in sentence.take(rf"(?<![\w|])(?:{row.pattern})(?![\w|]|-\w)")
    ]


def read_spacecraft(sentence: Sentence) -> list[tuple[int, str]]:
    """Find spacecraft, and missions named without a spacecraft; return both in order, with their positions."""
    found: list[tuple[int, str]] = []
    named, grouped, names = spellings(), families(), names_of_spacecraft()
    missions = {name.casefold(): name for name in grouped}
    missions |= {"van allen probes": "RBSP", "van allen probe": "RBSP"}
    every = _any(missions)
    sentence.drop(
        rf"\b(?:and\s+)?(?:the\s+)?(?:same|ditto|likewise|idem)(?:\s+(?:for|from|of|at|with|by|quantit\w+|parameters))*"
        rf"\s+(?=(?:the\s+)?(?:{names}|{every})(?![\w-]))"
    )
    sentence.drop(rf"(?<![\w-])(?:{names})\s+(?P<out>(?:the\s+)?same)(?=\s*(?:$|[,.;]))")
    # neither "the solar wind" nor "the wind of ACE" names the spacecraft Wind
    sentence.drop(rf"(?<![\w-])(?:{names})\s+(?P<out>(?-i:wind)\s+)(?={_OF_WIND})")
    sentence.drop(
        rf"(?<!solar )(?<![\w-])(?P<out>(?-i:wind)\s+)(?={_OF_WIND}\s+(?:of|from|at|by|measured by)\s+"
        rf"(?:{names})(?![\w-]))"
    )
    _leave_solar_wind(sentence, names)
    for match in re.finditer(_NUMBERED, sentence.left):  # Pioneer 10 and 11
        each = [f"{match['stem']} {number}".casefold() for number in re.findall(r"\d+", match["numbers"])]
        if named.keys() >= {*each} and sentence.take_at(*match.span()):
            found += [(match.start() + at, named[name]) for at, name in enumerate(each)]
    for match in sentence.take(  # THEMIS A to E; MMS 1-4
        rf"(?<![\w-])({every})[\s-]*C?([A-E1-4])\s*(?:-|–|\.\.+|…|\bto\b|\bthrough\b)\s*(?:\1|C)?[\s-]*([A-E1-4])(?![\w-])"
    ):
        first, last = match[2].upper(), match[3].upper()
        crafts = grouped[missions[match[1].casefold()]]
        found += [(match.start(), craft) for craft in crafts if first <= craft[-1] <= last]
    listed = (
        r"[A-E1-4](?:(?:\s*(?:,|and|plus|&|/|\+)\s*)+(?:\1)?[\s-]*[A-E1-4]"
        rf"(?![\w-]|(?<=[BE])\s+(?:of|from|at|magnitude|vector|components?|in)\b|{_UNIT}))+"  # THEMIS A and B in GSE
    )
    blank = r"(?:[A-E](?:\s+[A-E]){2,}|[1-4](?:\s+[1-4])+)(?![\w:.-])"
    for match in sentence.take(
        rf"(?<![\w-])({every})[\s-]*({listed}|{blank})"
    ):  # MMS 1, 2 and 3; THEMIS A B C
        alone = ignoring_case(rf"(?:{every})[\s-]*").sub(" ", match[2])
        letters = dict.fromkeys(re.findall(r"(?<![A-Z0-9])[A-E1-4](?![A-Z0-9])", alone.upper()))
        by_letter = {craft[-1]: craft for craft in grouped[missions[match[1].casefold()]]}
        named_in_order = (by_letter[letter] for letter in letters if letter in by_letter)
        found += [(match.start() + at, craft) for at, craft in enumerate(named_in_order)]
    for match in sentence.take(
        rf"(?<![\d.:/-])\b(?:(?:all|both|each)(?: of)?(?: the)?(?: (?P<many>{_MANY}))?|the (?P<the>{_MANY})"
        rf"|(?P<only>{_MANY}))\s+(?P<mission>{every})s?(?![\w-])(?!\s+\d\b)(?: spacecraft| probes| satellites| s/?c)?\b"
    ):
        members = grouped[missions[match["mission"].casefold()]]
        count = match["many"] or match["the"] or match["only"]
        if count and _NUMBERS.get(count.casefold(), count) != str(len(members)):
            raise NotUnderstood(f"{match['mission']} has {len(members)} spacecraft: {', '.join(members)}")
        found += [(match.start(), craft) for craft in members]
    sentence.drop(r"\bcluster\s+(?=c[1-4]\b)")
    for match in sentence.take(  # neither the solar nor a zonal wind
        rf"(?!(?<=[lc] )(?-i:wind))(?<!solar )(?<![\w-])(?!{_ALL_DIRECTIONS})(?:{names})(?![\w-]| spiral| angle)"
    ):
        found.append((match.start(), named[match[0].casefold()]))
    for match in sentence.take(rf"(?<![\w-])({every})(?![\w-])"):
        found.append((match.start(), missions[match[1].casefold()]))
    if found:  # Voyager 2 at Jupiter
        if {name for _, name in found} <= AT_1_AU:
            sentence.drop(r"\b(?:at|near)\s+1\s*AU\b")
        drop_places(sentence)
    return sorted(found)


def near_earth() -> set[str]:
    """Return the spacecraft of the table around the Earth, which are in the solar wind at most at times."""
    return {source.spacecraft for source in SOURCES if source.frame in ("GSE", "GSM")} - AT_1_AU


def beside_solar_wind(sentence: Sentence, crafts: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return OMNI for each ``IMF`` and ``solar wind`` that stand beside data of a spacecraft near the Earth."""
    near = near_earth()
    flown = {name for _, craft in crafts for name in families().get(craft, (craft,))}
    if not flown or not flown <= near:
        return []
    return [
        (match.start("out"), "OMNI")
        for match in sentence.take(_BESIDE_SOLAR_WIND)
        if match.start() > min(start for start, _ in crafts)
    ]


def drop_places(sentence: Sentence) -> None:
    """Take out the body near which a spacecraft is: ``at Jupiter``, ``Mars:``, ``during the Jupiter flyby``."""
    bodies = r"(?:jupiter|saturn|mars|earth|venus|mercury|uranus|neptune|pluto|sun|moon)(?:'s)?(?![\w-])"
    near = r"(?:at|near|past|around|behind|upstream of|close to|in front of|downstream of)\s+(?:the\s+)?"
    passage = r"\s+(?:fly-?by|swing-?by|encounter|passage|closest approach)\b"
    sentence.drop(rf"\b(?:(?:during|at|around|of|for)\s+)?(?:the\s+|its\s+)?{bodies}{passage}")
    sentence.drop(rf"\b{near}{bodies}|\(\s*{bodies}\s*\)")
    sentence.drop(
        rf"^{bodies}(?:\s+(?:orbit|system|magnetosphere))?\s*:|^{bodies}(?=\s+(?:solar\s+wind|plasma)\b)"
    )
    sentence.drop(
        r"\b(?:with)?in\s+the\s+(?:V?LISM|(?:very\s+)?local\s+interstellar\s+medium|heliosheath|heliosphere)\b"
    )


def _leave_solar_wind(sentence: Sentence, names: str) -> None:
    """Take out ``wind`` in small letters where the sentence writes the name of another spacecraft in capitals.

    In ``DSCOVR: wind speed`` it is the solar wind, but in ``ACE and wind density`` the spacecraft.
    """
    others = rf"(?<![\w-])(?!wind\b)(?:{names})(?![\w-])"
    if not any(not match[0].islower() for match in ignoring_case(others).finditer(sentence.text)):
        return
    listed = re.compile(
        rf"(?<![\w-])(?:{names})(?:\s*(?:,|&|/|\+|\b(?:and|or|versus|vs\.?|against|with|to|minus)\b))+\s*$",
        re.IGNORECASE,
    )
    for match in re.finditer(
        r"\b(?i:of|in|by|for|is|was|does|did) the wind\b(?! (?:spacecraft|satellite))", sentence.text
    ):
        sentence.take_at(*match.span())
    before_others = ignoring_case(
        rf"[\w|]+(?:\s+[\w|]+)?\s*(?:(?:&|/|\+|\b(?:and|or|versus|vs\.?|against|plus|minus)\b)\s*(?:{names})(?![\w-])"
        rf"|(?:[,;]|\bwith\b)\s*(?:{names})\s+{_OF_WIND})"
    )  # wind density and ACE density
    for match in re.finditer(rf"(?<![Ss]olar )(?<![\w-])wind\s+(?={_OF_WIND})", sentence.text):
        if not (
            listed.search(sentence.text[: match.start()]) or before_others.match(sentence.text, match.end())
        ):
            sentence.take_at(*match.span())


@cache
def _named_patterns() -> tuple[tuple[str, str, bool], ...]:
    """Return patterns of the quantities, and whether each ends with the letter of a component."""
    components = [(name, pattern, True) for name, pattern in COMPONENTS]
    words = [(row.quantity, row.pattern, False) for row in WORDS]
    after_field = next(index for index, row in enumerate(words) if row[0] == B) + 1
    return tuple(
        (name, rf"(?<![\w|])(?:{pattern})(?![\w|]|-\w)", lettered)
        for name, pattern, lettered in (*words[:after_field], *components, *words[after_field:])
    )


def read_quantities(sentence: Sentence, *, magnitude: bool) -> tuple[Placed, int]:
    """Find the physical quantities in a sentence, with their positions, in order.

    Parameters
    ----------
    magnitude : bool
        Whether the sentence asks for a magnitude, which needs a vector.

    Returns
    -------
    placed : list
    field : int
        The position of the bare word ``field`` or ``B``; -1 if there is none.
    """
    letters = r"(?-i:[RTNXYZ])(?:\s*(?:,|and|&)+\s*(?-i:[RTNXYZ]))*\s+components?\b"
    # not L, M and N, nor the R component of a field
    if sentence.has(rf"(?<![\w|])(?<!\bM )(?<!\bM, )(?<!\bM and )(?<!field )(?<!velocity ){letters}"):
        raise NotUnderstood(
            "helio reads components by their quantity", advice="write 'Br, Bt and Bn' or 'Vx and Vy'"
        )
    found, field, left = _quantities_in(sentence.left)
    sentence.leave(left)
    return [*found] or ([(0, RequestQuantity(B))] if magnitude else []), field


@lru_cache(maxsize=4096)
def _quantities_in(unread: str) -> tuple[tuple[tuple[int, RequestQuantity], ...], int, str]:
    """Return the quantities in the unread rest of a sentence, the place of its bare field, and what is left then."""
    sentence = Sentence.masked(unread)
    found: Placed = []
    for name, pattern, lettered in _named_patterns():
        for match in sentence.take(pattern):
            letter = match[0].rstrip()[-1].lower() if lettered else ""
            found.append((match.start(), RequestQuantity(name, letter)))
    bare = sentence.take_first(FIELD)
    return tuple(sorted(found, key=itemgetter(0))), bare.start() if bare else -1, sentence.left


def pairs_of(
    sentence: Sentence, crafts: Sequence[tuple[int, str]], placed: Placed, drawn: Sequence[RequestQuantity]
) -> tuple[tuple[tuple[str, RequestQuantity], ...], bool]:
    """Pair quantities with spacecraft, or return no pairs if each is for all; also return whether this is unclear.

    ``Wind speed and ACE density`` and ``Bn of STEREO-A and Bz of ACE`` are pairs; ``ACE and Wind density`` and
    ``density of ACE and Wind`` are not; ``density of ACE and Wind speed`` may be either.
    """
    if len({craft for _, craft in crafts}) < 2 or len(drawn) < 2:
        return (), False
    wanted = [(index, quantity) for index, quantity in placed if quantity in drawn]
    runs, is_clear = _with_own(_runs(crafts, wanted), sentence.text)
    if len(runs) == 2 and len(runs[0]) == len(runs[1]) and sentence.drop(r"\brespectively\b"):
        runs = [[word] for pair in zip(*runs, strict=True) for word in pair]
    if len(runs) < 3 or (len(runs) == 3 and isinstance(runs[0][0][1], str)):
        return (), False  # ACE density and Wind
    if len(runs) % 2 or not is_clear:
        return (), True
    steps = [[word for _, word in (*runs[at], *runs[at + 1])] for at in range(0, len(runs), 2)]
    return tuple(
        (craft, quantity)
        for step in steps
        for craft in step
        if isinstance(craft, str)
        for quantity in step
        if isinstance(quantity, RequestQuantity)
    ), False


_Run = list[tuple[int, str | RequestQuantity]]
"""Spacecraft or quantities that stand beside each other, with their positions."""
_OF = re.compile(
    r"(?:(?!,|;|\band\b|\bwith\b|\bplus\b|\bth(?:at|ose)\b).)*(?:\b(?:of|from|by)\s+(?:the\s+)?|\()$"
)
"""Pattern of what stands between the last of some quantities and the spacecraft that has them."""


def _runs(crafts: Sequence[tuple[int, str]], placed_quantities: Placed) -> list[_Run]:
    """Split spacecraft and quantities, in order, into alternating groups; indices count only if OMNI is named."""
    of_omni = any(name == "OMNI" for _, name in crafts)
    words: _Run = [*crafts]
    words += [placed for placed in placed_quantities if of_omni or placed[1].name not in INDICES]
    words.sort(key=itemgetter(0))
    return [[*run] for _, run in groupby(words, lambda word: isinstance(word[1], str))]


def _with_own(runs: Sequence[_Run], text: str) -> tuple[list[_Run], bool]:
    """Split quantities between two spacecraft, of which the second has the last one: ``ACE Bz and speed from Wind``.

    Of more than two quantities it is not clear which are of the second spacecraft; then also return False.
    """
    split: list[_Run] = []
    is_clear = True
    for number, run in enumerate(runs):
        after = runs[number + 1 : number + 2]
        is_between = len(split) % 2 == 1 and isinstance(run[0][1], RequestQuantity) and after
        if is_between and len(run) > 1 and _OF.match(text[run[-1][0] : after[0][0][0]]):
            is_clear = is_clear and len(run) == 2
            split += [run[:-1], run[-1:]]
        else:
            split.append(run)
    return split, is_clear


def _any(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
