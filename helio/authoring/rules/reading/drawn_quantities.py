"""Complete the quantities that a sentence names, and find out which of them the figure draws.

`field` is the position of a word for the magnetic field, or -1; a group `alone` has no quantities beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, RequestQuantity
from helio.authoring.rules.computations.computed import CLEANING
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.reading.cadences import LENGTH
from helio.authoring.rules.reading.named import FIELD, Placed, names_of_spacecraft, read_quantities
from helio.authoring.rules.reading.named_instruments import IN_CAPITALS, Crafts
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.writing.computations import (
    DERIVED,
    OF_ELECTRONS,
    VECTOR_OF,
    inputs_of,
    recipe_of,
)
from helio.authoring.writing.steps import listed
from helio.knowledge.frame_names import KNOWN_FRAMES
from helio.knowledge.quantities import ABS_B, VECTOR_V, B, N, T
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import INDICES
from helio.patterns import ignoring_case

GROUP = (
    r"\b(?:(?:solar[- ]wind|SW)(?:\s+plasma)?|plasma)(?![\s-]*(?:sheet|pause|sphere|mantle))"
    r"(?:\s+(?:parameters?|overview|conditions?|quantities|data|moments?|summary|measurements?))?\b"
)
"""Words that stand for several quantities where the sentence names none."""
OVERVIEW = r"\b(?:overview|quick-?look|summary)(?:\s+(?:plot|figure|panels?))?\b"
"""Words that stand for field, density, speed and temperature where the sentence names only a spacecraft."""
_JOINED_OVERVIEW = (
    r"(?P<out>\b(?:(?P<group>solar[- ]wind|SW|plasma)\s+)?(?:overview|quick-?look|summary)\b"
    r"(?(group)(?:\s+(?:plot|figure|panels?))?))"
    r"(?=(?:[\s\x01]|\b(?:of|from|for|at)\b)*(?P<joint>[+&]|\b(?:with|plus|and|incl(?:uding|\b))))"
)
"""An overview beside which the sentence names more; ``overview plot with`` only begins a list."""
Mentions = tuple[ComputationMention, ...]
_MOMENTS = {N, SPEED, VECTOR_V, T}
_NEXT_TO_EACH_OTHER = re.compile(r",|\b(?:and|with|plus|but|of|in)\b|[+&;]")
_HEADS = re.compile(
    r"(?!.*\b(?:and|with|plus|then|next|second|lower|panels?|rows?|plots?|top|bottom|below|above|under\w*|beneath)\b)"
    r"(?:[^;:+&]*:[^,;:+&]*|(?:MAG|magnetometer)\b[\w\s.():/-]*(?:(?<=\d),)?\s*(?:the\s+)?)",
    re.IGNORECASE,
)
"""Words from the name of a field up to its magnitude, if the name is only a heading: ``MAG in 2001: |B|``."""
_PLACED = re.compile(
    r"[\w|]+(?:\s+(?:GS[EM]|RTN))?\s+(?:above|below|underneath|beneath|on\s+top|in\s+(?:its|an?)\s+(?:own|second|separate)\s+panel)\b(?!\s*[-−\d])",
    re.IGNORECASE,
)
"""A quantity with the place of its panel, which nothing else is computed from."""
_VECTOR = re.compile(r"\b(?:vectors?|components?)\b", re.IGNORECASE)
_OF_VECTOR = re.compile(
    r"(?:[bv]_?[xyzrtn](?:[- ]components?)?|[|\w\s]*(?:\|B\||Bt|magnitude|strength))\s+(?:of|from)\s+(?:the\s+)?"
    rf"(?:(?:{LENGTH}|hourly)[\s-]+)?"
    r"(?:(?-i:[A-Z]+)\s+)?",
    re.IGNORECASE,
)


def merged(*lists: Placed) -> Placed:
    """Return quantities of several lists in the order of the sentence."""
    return sorted([placed for quantities in lists for placed in quantities], key=itemgetter(0))


def in_listed_panels(text: str, placed: Placed) -> Placed:
    """Leave out what a list of panels names again: ``Mach number of Wind, panels: |B|, density, Mach number``."""
    listed = ignoring_case(r"\bpanels\b[^:;.]*:").search(text)
    start = listed.end() if listed else 0
    again = {quantity for at, quantity in placed if at >= start}
    return [(at, quantity) for at, quantity in placed if at >= start or quantity not in again]


def of_heading(mentions: Mentions, text: str, placed: Placed) -> Mentions:
    """Give a computation before a list of panels only what stands there: ``|B| smoothed, panels: |B| and density``."""
    listed = ignoring_case(r"\bpanels\b[^:;.]*:").search(text)
    start = listed.end() if listed else 0
    own = tuple(dict.fromkeys(quantity for at, quantity in placed if at < start))
    if not own or {*own} >= {quantity for at, quantity in placed if at >= start}:
        return mentions
    return tuple(
        replace(mention, computation=replace(mention.computation, of=Lines((), own)))
        if mention.position < start and mention.computation.of == Lines()
        else mention
        for mention in mentions
    )


def of_group(sentence: Sentence, *, alone: bool) -> Placed:
    """Read ``plasma parameters`` and ``solar wind overview``: the quantities that they stand for."""
    match = sentence.take_first(GROUP) or (sentence.take_first(OVERVIEW) if alone else None)
    if match is None:
        return []
    names = (N, SPEED, T) if "plasma" in match[0].lower() else (B, N, SPEED, T)
    return [(match.start(), RequestQuantity(name)) for name in names]


def of_joined_overview(sentence: Sentence, placed: Placed) -> Placed:
    """Read ``overview with beta``: what an overview shows, unless the sentence lists some of it itself."""
    if not placed or {*_MOMENTS, B, ABS_B} & {quantity.name for _, quantity in placed}:
        return []
    match = sentence.take_first(_JOINED_OVERVIEW)
    if match is None or any(match.end() <= at < match.start("joint") for at, _ in placed):
        return []  # overview of beta and Mach number
    names = (N, SPEED, T) if (match["group"] or "").lower() == "plasma" else (B, N, SPEED, T)
    return [(match.start(), RequestQuantity(name)) for name in names]


def of_listed_group(sentence: Sentence, placed: Placed) -> Placed:
    """Read ``the field and plasma data``: a group that stands beside other quantities, not over a list of its own."""
    if _MOMENTS & {quantity.name for _, quantity in placed}:
        return []
    joined = r"(?:\band|\bplus|\bwith|[,+&])\s*"
    every = rf"(?:(?:the|hourly|daily|{LENGTH})\s+)*"
    match = sentence.take_first(rf"{joined}{every}(?P<out>{GROUP})|(?P<first>{GROUP})(?=\s*{joined})")
    if match is None or (placed[:1] and _SOURCE_AHEAD.search(sentence.text[placed[0][0] : match.start()])):
        return []
    start = max(match.start("out"), match.start("first"))
    return [(start, RequestQuantity(name)) for name in (N, SPEED, T)]


_SOURCE_AHEAD = re.compile(r"\b(?:from|using|based on)\s+(?:the\s+)?(?:[\w|-]+\s+){0,2}$", re.IGNORECASE)
"""Pattern of words before a group that is the source of a quantity: ``pressure from the Wind plasma data``."""
_FROM = re.compile(
    r"(?:\b(?:from|using|based on)\b|\buse\b(?!.*\b(?:for|in|on|as|scale|axis)\b)|^[^,;)]*\((?![^)]*\)))"
    r"(?!.*(?:,|\band\b))",
    re.IGNORECASE | re.DOTALL,
)
"""Words between a quantity and those from which helio computes it."""
_NO_LIST = re.compile(
    rf"(?:{GROUP}|(?-i:{IN_CAPITALS})(?:\s+(?:data|moments|ions?|electrons?))?)\s*(?:and|,|&)(?=\s+(?:the\s+)?[\w-]*\s*$)",
    re.IGNORECASE,
)
"""Commas and the word ``and`` between a quantity and its first input, behind an instrument or a group of data: ``beta
from PAS and MAG``."""
_COMPUTED = r"\b(?:computed|calculated|derived)"
_COMPUTED_FROM_THEM = ignoring_case(rf"{_COMPUTED}\s+from\s+(?:them|these|those|both|it)\b")
_TO_COMPUTE = ignoring_case(
    r"\b(?:compute|calculate|derive)d?\s+(?:(?:(?!\b(?:of|means?|averages?|medians?|ratio|difference|plot|draw|show|add|with"
    r"|over|from|for|on|in)\b)[^;.:])+(?:,|\band\b|&)\s*)?(?:(?:and|the|its|their|an?)\s+)*$"
)
"""Words for what is computed even if a dataset has it: ``computed from them``, ``compute beta and the``."""
_INSTRUMENTS = re.compile(
    rf"(?:,|\bwith|\busing)\s*{IN_CAPITALS}(?:\s+(?:data|moments|ions?|protons?))?\s*(?:and|[,&+/])\s*(?=(?:MAG|magnetometer)\b[^:;]*$)(?!.*\bpanels?\b)"
)
"""A list of instruments whose last one is the magnetometer: ``cross helicity of PSP, SPAN-I and MAG``."""
_LED = re.compile(r"(?:[.;:(]|\bwith|\busing|\btak(?:e|ing))\s*(?:the\s+)?$", re.IGNORECASE)
"""What stands before quantities that may only be the inputs of another one."""
_OF_INSTRUMENT = re.compile(
    rf"[\w|/ -]*\b(?:from|by|of|out of)\s+(?:the\s+)?{IN_CAPITALS}(?!.*\b(?:below|above|under|beneath|top|panel))"
)
_BARE_PARTICLES = re.compile(r"(?:ion|proton|electron)s\b", re.IGNORECASE)
_DRAWN_TOO = re.compile(r"[,;]\s*(?:and|with|plus|\+|&)\s+(?:(?:the|its|also)\s+)*$", re.IGNORECASE)
"""Words before a quantity that is drawn beside one that helio computes from others: ``from n and V, and the speed``."""
_DRAWN_WITH = re.compile(
    r"\b(?:plot|draw|show)(?:\s+(?:it|this|that))?\s+(?:(?:together|along)\s+)?with\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_OF_PROTONS = re.compile(r"(?:proton|ion)s?\b|(?-i:[nNTV]_?p)\b", re.IGNORECASE)
_ITSELF = re.compile(r"\b(?:itself|themselves)\b", re.IGNORECASE)
_ALSO = re.compile(r"\b(?:also|too|as well|plus|then|put|add|over-?plot|overlay)\b|;", re.IGNORECASE)
_LISTED = re.compile(
    rf"\w+\)?(?:\s+(?:in\s+)?(?:{'|'.join(KNOWN_FRAMES)}))?(?:\s+(?:of|from|at|by)\s+[\w-]+)?"
    r"(?:\s+components?(?=.*(?:\|B\||\b(?:strength|magnitude)\b)))?(?:\s+in\s+(?:one|the\s+same)\s+panel(?=\s+with\b))?"
    r"(?:\s+\d+[ -]?(?:s(?:ec)?|min(?:ute)?|h(?:our|r)?)s?)?\s*(?:(?:on\s+top|first)\s*)?"
    r"(?:[,&/+;]|\b(?:and|plus|with|then)\b)"
)
_OF_ANOTHER = r"(?:\band|\bplus|\bwith|[&+,;])\s[^,;]*\bof\s+(?:the\s+)?$"
"""What stands before a quantity of which something else is drawn: ``beta and a running mean of``."""
_BESIDE = re.compile(
    r"(?:\band|\bplus|\bwith|[&+])\s+(?:the\s+)?(?:(?!(?:and|plus)\b)[\w-]+\s+){0,2}$|[,;:/]\s*(?:the\s+)?$"
    rf"|{_OF_ANOTHER}"
    r"|\b(?:spectr\w+|PSD|wavelet)\s+of\s+(?:the\s+)?$",
    re.IGNORECASE,
)
"""What stands before a field that is drawn beside other quantities."""
_OF_WHAT = re.compile(r"\b(?:of|from|using|with|for|in|by|on|over|to|the)\b|[()=]")
"""Words between a quantity and that from which it comes."""
_CLAUSE = re.compile(r"[,;]|\.\s|\bwith\b", re.IGNORECASE)
_OF_CRAFT = re.compile(r"(?:magnetic\s+)?\S+\s+(?:of|from|at|by|on)\s+(?:the\s+)?", re.IGNORECASE)
"""A quantity and the word before its spacecraft."""
_LONE_LETTER = re.compile(
    rf"(?<!\bvector )B(?![\w|])(?!\s*(?:(?:\(|in\s+)?(?:{'|'.join(KNOWN_FRAMES)})|vectors?)\b)"
)
"""The letter of the field without a frame: in a list with its components, the magnitude."""
_LETTER = re.compile(r"[BV](?![\w|])")


_TOTAL = (
    r"\b(?:total|strength|modulus|absolute value)\b)"
    r"(?=\s*(?:$|[^\w\s|]|\x01|(?:field|and|in|on|for|from|over|\d+)\b))"
)
"""Pattern of a word for the magnitude of the field, behind which no other quantity stands."""


def with_total(sentence: Sentence, placed: Placed, field: int) -> Placed:
    """Read ``Bx, By, Bz and total`` and ``the field and its strength``: the magnitude of the field.

    In ``|B| and its components`` it is the other way round.
    """
    names = {quantity.name for _, quantity in placed}
    vector = [(field, RequestQuantity(B))] if field >= 0 and B not in names else []
    if ABS_B in names and B not in names and not vector:
        match = sentence.take_first(
            r"\b(?:(?:its|the|all|three|vector)\s+)*components?\b(?!\s+of\s+(?:the\s+)?v)"
        )
        return merged(placed, [(match.start(), RequestQuantity(B))]) if match else placed
    if ABS_B in names or not (vector or B in names):
        return placed
    match = sentence.take_first(
        r"(?:\band|\bplus|\bwith|[,+&/]) (?P<out>(?:the |its )?" + _TOTAL if vector else f"({_TOTAL}"
    )
    components = {quantity.component for _, quantity in placed if quantity.name == B}
    if (
        match
        and "absolute" in match[0].lower()
        and not vector
        and len(components) == 1
        and "" not in components
    ):
        raise NotUnderstood(
            "helio has no tool for the absolute value of a component", advice="ask for 'Bz and |B|'"
        )
    return merged(placed, vector, [(match.start(), RequestQuantity(ABS_B))]) if match else placed


def styled_components(looks: Sequence[str]) -> set[RequestQuantity]:
    """Return the components that a request names to say how the line of a vector looks."""
    read = (read_quantities(Sentence(phrase), magnitude=False)[0] for phrase in looks)
    return {quantity for placed in read for _, quantity in placed if quantity.component}


def of_named_component(text: str, placed: Placed) -> Placed:
    """Let a vector that a later sentence names again be its one component: ``radial velocity. The velocity hourly``."""
    meant: Placed = []
    for start, quantity in placed:
        components = {own for _, own in meant if own.component and own.name == quantity.name}
        is_said_again = re.search(r"[.;][\s,]+the\s+$", text[:start], re.IGNORECASE) or says_look(text, start)
        again = is_said_again and not quantity.component
        meant.append((start, components.pop() if again and len(components) == 1 else quantity))
    return meant


_LATER = re.compile(r"[.;]\s+(?:(?!\b(?:also|add|plus|below|under\w*|beneath|then)\b)[^.;])*$", re.IGNORECASE)
_DRAWN_AS = re.compile(
    r"[\w|]+\s+(?:(?:shall|should)\s+be\s+)?(?:drawn\s+|shown\s+)?(?:as\s+(?!(?:an?\s+)?(?:vector|component))|in\s*(?=[,;.]|$))",
    re.IGNORECASE,
)
"""What stands before and behind a quantity of which a later clause says how it is drawn."""


def says_look(text: str, start: int) -> bool:
    """Return whether a later clause says how a quantity is drawn: ``Br and n; n as dots, the field as a line``."""
    return bool(_LATER.search(text[:start]) and _DRAWN_AS.match(text, start))


def with_field(
    sentence: Sentence, placed: Placed, field: int, styled: set[RequestQuantity], crafts: Crafts
) -> Placed:
    """Add the vector for the word ``field``, unless it only says of what a component is, and leave such vectors out.

    In ``Bz of the magnetic field`` the vector is only the word behind its component.
    """
    names = {quantity.name for _, quantity in placed if quantity not in styled}
    if field >= 0:
        sources = {
            part.quantity for name in names if name in DERIVED for part in DERIVED[name].takes.values()
        }
        before = _BESIDE.search(sentence.text[:field])
        if before and any(before.start() < start < field for start, _ in placed):
            before = None  # clock angle + cone angle IMF
        beside = before or _is_symbol_in_list(sentence.text, field, placed)
        listed = _LISTED.match(sentence.text[field:])
        same = {B} if beside or listed else {B, ABS_B}  # B and |B|, but the magnitude of the field
        is_first = all(field < start for start, _ in placed)
        is_source = sources & {B, ABS_B} and not (beside or (listed and is_first))
        whole = {quantity.name for _, quantity in placed if not quantity.component}
        of_another = B in names and _is_of_another(field, placed, crafts, sentence.text)
        if B in names and not whole & {B, ABS_B} and (beside or (listed and is_first) or of_another):
            letter = _LONE_LETTER.match(sentence.text, field)  # B, Bz; the field and Bz
            drawn = ABS_B if letter and not of_another else B
            placed = merged(placed, [(field, RequestQuantity(drawn))])
        elif not is_source and not names & same:
            placed = merged(placed, [(field, RequestQuantity(B))])
            again = [(match.start(), RequestQuantity(B)) for match in sentence.take(FIELD)]  # of Wind, too
            placed = merged(placed, again)
    names_of_others = []
    for first, second in pairwise(placed):
        between = sentence.text[first[0] : second[0]]
        heads = _HEADS.fullmatch(between) and not _VECTOR.search(sentence.text)
        is_head = heads and (
            _is_vector_of(first[1], second[1])
            or (first[1], second[1]) == (RequestQuantity(B), RequestQuantity(ABS_B))
        )
        if is_head or (_is_vector_of(first[1], second[1]) and not _NEXT_TO_EACH_OTHER.search(between)):
            names_of_others.append(first)  # magnetic field components BR BT BN; Cassini MAG: |B|
        of_field = (first[1].name, second[1]) == (ABS_B, RequestQuantity(B))
        if (of_field or _is_vector_of(second[1], first[1])) and _OF_VECTOR.fullmatch(between):
            names_of_others.append(second)
    return [atom for atom in placed if atom not in names_of_others]


def _is_symbol_in_list(text: str, field: int, placed: Placed) -> bool:
    """Return whether ``B`` stands beside another quantity with only a blank between: ``B V n``, ``n B``.

    A quantity of the field alone is no other one: ``B clock angle``.
    """
    if not re.match(r"B\s", text[field:]):
        return False
    listed = {
        start for start, each in placed if each.name not in DERIVED or len(DERIVED[each.name].takes) > 1
    }
    nearest = max((start for start in listed if start < field), default=field)
    before = text[nearest:field]
    return field + 2 in listed or (before != "" and _OF_WHAT.search(before) is None)


def _is_of_another(field: int, placed: Placed, crafts: Crafts, text: str) -> bool:
    """Return whether a field and its nearest component have other spacecraft: ``ACE B and Bz of Wind``."""
    components = [start for start, quantity in placed if quantity.name == B and quantity.component]
    component = min(components, key=lambda start: abs(start - field), default=field)
    low, high = sorted((field, component))
    own, other = (_carrier(at, crafts, text) for at in (field, component))
    return any(low < start < high for start, _ in crafts) or bool(own and other and own != other)


def _carrier(at: int, crafts: Crafts, text: str) -> str | None:
    """Return the spacecraft of the quantity at a position: the one behind ``of``, or else the last one before it."""
    behind = _OF_CRAFT.match(text, at)
    before = [craft for start, craft in crafts if start < at]
    return dict(crafts).get(behind.end() if behind else -1) or next(reversed(before), None)


def _is_vector_of(vector: RequestQuantity, component: RequestQuantity) -> bool:
    return bool(component.component) and vector == RequestQuantity(component.name)


def drawn_of(
    sentence: Sentence, placed: Placed, styled: set[RequestQuantity], crafts: Crafts
) -> list[RequestQuantity]:
    """Return the quantities to draw, without components that the sentence names only to colour their lines."""
    if any(quantity.name not in INDICES for _, quantity in placed):
        sentence.take_first(r"\b(?:of|in) the solar wind\b")
    every = dict.fromkeys(quantity for _, quantity in placed)
    whole = {quantity.name for quantity in every if not quantity.component}
    drawn = [
        quantity
        for quantity in every
        if not (quantity.name in whole and replace(quantity, frame="") in styled)
    ]
    parts = {quantity.name for quantity in drawn if quantity.component}
    flown = [at for at, _ in crafts]
    of_one = not any(
        min(flown) < at < max(flown) for at, _ in placed if flown
    )  # no B of ACE, only Bz of Wind
    only = sentence.take_first(r"\b(?:only|just)\b") if parts and of_one else None
    if only is None:
        return drawn
    cuts = [0, *(cut.end() for cut in _CLAUSE.finditer(sentence.text)), len(sentence.text) + 1]
    begins, ends = next(clause for clause in pairwise(cuts) if only.start() in range(*clause))
    own = {quantity.name for at, quantity in placed if begins <= at < ends and quantity.component}
    letters = {  # B, Bz only
        quantity
        for at, quantity in placed
        if at < begins and VECTOR_OF.get(quantity.name) in own and _LETTER.match(sentence.text, at)
    }
    return [
        quantity
        for quantity in drawn
        if quantity.component or (quantity.name not in parts and quantity not in letters)
    ]


def derived_from_others(
    sentence: Sentence, placed: Placed, field: int, described: Sequence[int]
) -> tuple[tuple[str, ...], frozenset[RequestQuantity], tuple[str, ...]]:
    """Find a quantity to compute from others: ``dynamic pressure from density and velocity``.

    Parameters that the catalogue describes stand at the positions `described`.

    Returns
    -------
    tuple
        The name of the quantity, if any; those others that the figure does not draw (it draws the density of ``from the
        density, and the density itself``); and the names of all others, with that of the electrons beside a bare one.

    Raises
    ------
    NotUnderstood
        helio computes the quantity from others than those.
    """
    none: tuple[tuple[str, ...], frozenset[RequestQuantity], tuple[str, ...]] = ((), frozenset(), ())
    if not placed or recipe_of(placed[0][1].name) not in DERIVED:
        return none
    start, first = placed[0]
    others = [(at, quantity) for at, quantity in placed if quantity != first]
    following = min((at for at in (*(at for at, _ in others), field, *described) if at > start), default=-1)
    if following < 0:
        return none
    takes = {part.quantity for part in DERIVED[recipe_of(first.name)].takes.values()}
    needed = inputs_of(recipe_of(first.name))
    strange = [quantity for _, quantity in others if quantity.name not in needed]
    if not described and _say_sources(sentence.text, needed, others, following):
        strange = []
    elif not (
        _FROM.search(_NO_LIST.sub(" ", re.sub(r"\s*\([^()]*\)", "", sentence.text[start:following])))
        or any(named.end() == following for named in _INSTRUMENTS.finditer(sentence.text, start))
    ):
        return none
    beside = [
        at
        for at, _ in others
        if ignoring_case(_OF_ANOTHER).search(sentence.text[following:at])
        or ignoring_case(r"\b(?:together|along)\s+with\s+(?:the\s+)?$").search(sentence.text[:at])
        or _PLACED.match(sentence.text, at)
    ]
    if beside and len(beside) == len(others):
        return none  # the cone angle from the field, plus a running mean of |B|
    if all(quantity in strange for at, quantity in others if at in beside):
        others = [(at, quantity) for at, quantity in others if at not in beside]
        strange, beside = [quantity for quantity in strange if quantity in dict(others).values()], []
    if beside:
        raise NotUnderstood(
            f"it is not clear whether helio computes the {first.name} from {others[-1][1].name}",
            advice=f"first request the {first.name}, then change the pipeline: 'add …'",
        )
    if strange and (following, strange[0]) == others[0]:
        return none  # the Alfvén speed from Wind (Dst below)
    ends = [*(at for at, _ in others), len(sentence.text)][1:]
    beside_it = min(
        (at for at, _ in others if _DRAWN_WITH.search(sentence.text[:at])), default=len(sentence.text)
    )
    shown = {
        quantity
        for (at, quantity), end in zip(others, ends, strict=True)
        if at >= beside_it
        or (
            _DRAWN_TOO.search(sentence.text[:at])
            and (quantity in strange or _ITSELF.search(sentence.text[at:end]))
        )
    }
    sentence.drop(_ITSELF)
    if ({*strange} - shown or described) and not _ALSO.search(sentence.text[following:]):
        raise NotUnderstood(
            f"helio computes the {first.name} from {listed(sorted(takes))} of its table, not from other data",
            advice="name only these behind the quantity, or write 'and also …' for what to draw beside it",
        )
    if not others or ({*strange} - shown):
        return none
    inputs = {quantity.name for _, quantity in others} & needed
    inputs |= {
        OF_ELECTRONS[quantity.name]
        for at, quantity in others
        if quantity.name in OF_ELECTRONS and not _OF_PROTONS.match(sentence.text, at)
    }
    hidden = frozenset(quantity for _, quantity in others if quantity not in shown)
    computed = (first.name,) if first.name in DERIVED else ()
    return computed, hidden, tuple(sorted(inputs))


def _say_sources(text: str, needed: Collection[str], others: Placed, following: int) -> bool:
    """Return whether the quantities behind a derived one only say which instruments measure its inputs.

    As in ``plasma beta. Density from 3DP, field from MFI`` and ``with ions from ESA``.
    """
    ends = [*(at for at, _ in others), len(text)][1:]
    return _LED.search(text[:following]) is not None and all(
        (quantity.name in needed or _BARE_PARTICLES.match(text, at)) and _OF_INSTRUMENT.match(text[at:end])
        for (at, quantity), end in zip(others, ends, strict=True)
    )


def computed_from(text: str) -> str:
    """Return the quantity that a text wants computed from one of its inputs, or "".

    >>> computed_from("plasma frequency from the QTN density"), computed_from("proton temperature from SWICS")
    ('plasma frequency', '')
    """
    placed, field = read_quantities(Sentence(text), magnitude=False)
    if not placed or placed[0][1].name not in DERIVED:
        return ""
    start, first = placed[0]
    behind = [(at, quantity.name) for at, quantity in placed if quantity != first]
    behind += [(field, B)] if field >= 0 else []
    is_input = any(
        name in inputs_of(first.name) and _FROM.search(_NO_LIST.sub(" ", text[start:at]))
        for at, name in behind
    )
    return first.name if is_input else ""


def said_computed(text: str, placed: Placed) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the quantities that a text wants computed, even if a dataset has them, and those it names as the inputs.

    >>> text = "density and speed, and the dynamic pressure computed from them"
    >>> said_computed(text, read_quantities(Sentence(text), magnitude=False)[0])
    (('dynamic pressure',), ('proton density', 'bulk speed'))
    """
    ends = [*(at for at, _ in placed), len(text)][1:]
    derived = [
        (at, name, _COMPUTED_FROM_THEM.search(text[at:end]))
        for (at, name), end in zip(((at, quantity.name) for at, quantity in placed), ends, strict=True)
        if name in DERIVED
    ]
    from_craft = ignoring_case(
        rf"[^,;.:]*?{_COMPUTED}\s+(?:from|for|with|using)\s+(?:the\s+)?(?:{names_of_spacecraft()})"
    )
    computed = [
        name
        for at, name, from_them in derived
        if from_them or _TO_COMPUTE.search(text[:at]) or from_craft.match(text, at)
    ]
    of_them = max((at for at, _, from_them in derived if from_them), default=0)
    before = (quantity.name for at, quantity in placed if at < of_them and quantity.name not in computed)
    return tuple(dict.fromkeys(computed)), tuple(dict.fromkeys(before))


def named_again(text: str, placed: Placed, crafts: Sequence[tuple[int, str]], marks: Sequence[int]) -> Placed:
    """Return the quantities that a clause names again to say what becomes of their lines: ``…, Bz on top``."""
    cuts = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]

    def repeats(clause: tuple[int, int]) -> bool:
        start, stop = clause
        earlier = {quantity for at, quantity in placed if at < start}
        own = {quantity for at, quantity in placed if start <= at < stop}
        return bool(own) and own <= earlier and not any(start <= at < stop for at, _ in crafts)

    again: Placed = []
    for is_repeated, clauses in groupby(pairwise(cuts), repeats):
        spans = [*clauses]
        start, stop = spans[0][0], spans[-1][1]
        if is_repeated and any(start <= at < stop for at in marks):
            again += [(at, quantity) for at, quantity in placed if start <= at < stop]
    return again


class PairsUnclear(NotUnderstood):
    """Error: a sentence does not say which quantity belongs to which spacecraft."""


def doubt_about(
    mentions: Sequence[ComputationMention],
    drawn: Sequence[RequestQuantity],
    *,
    unclear: bool,
) -> NotUnderstood | None:
    """Return an error if a sentence has several meanings; otherwise return None."""
    if unclear:
        return PairsUnclear(
            "it is not clear which quantity belongs to which spacecraft",
            advice="write each quantity after its spacecraft ('ACE density and Wind speed'), or first all spacecraft "
            "and then all quantities ('ACE and Wind density and speed')",
        )
    for mention in mentions:
        tool = mention.computation.tool
        before = [
            earlier.computation.tool for earlier in mentions if -1 < earlier.position < mention.position
        ]
        if len(drawn) == 1 and mention.partial and before and tool not in CLEANING:
            return NotUnderstood(
                f"it is not clear whether to compute the {tool.replace('_', ' ')} of the data, or of the result of "
                f"{before[-1].replace('_', ' ')}",
                advice="request one computation, then add the other one to the figure",
            )
    return None
