"""Read which quantities of a sentence stay as they were measured while others are averaged: ``V hourly, n raw``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, RequestQuantity
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.reading.named import Placed, read_quantities, read_spacecraft
from helio.authoring.rules.reading.own_computations import NamedData
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS
from helio.authoring.writing.computations import APPLIED
from helio.knowledge.quantities import ABS_B, B
from helio.patterns import ignoring_case

_TREATED = r"(?:averag\w*|avg|smooth\w*|filter\w*|means?|medians?|running\s+(?:mean|median|average))"
_OVER = r"(?<!\bover )(?<!\bover the )(?<!\bunder )(?<!\bunder the )"
_NATIVE = r"(?:own|native|original|full)\s+(?:time\s+)?(?:res(?:olution)?|cadence)s?\b"
RAW = (
    r"\b(?:(?:is|are|be|kept|left|stay(?:s|ing)?|remains?)\s+)?(?:as\s+(?:(?:it|they)\s+)?(?:is|are|comes?|stands?)\b|as\s+(?:delivered|measured|recorded)\b"
    rf"|{_OVER}raw\b(?!\s+(?:data|values?|lines?|series|measure|curves?|and\s+(?:with|as|its|smooth|averag)))"
    r"|un-?(?:averaged|smoothed|filtered|altered|touched|processed|treated)\b"
    rf"|(?:(?:at|in)\s+(?:(?:its|their|the)\s+)?)?{_NATIVE}|native\b"
    rf"|not\s+(?:averaged|smoothed|filtered)\b|(?:without|no)\s+(?:any\s+)?{_TREATED}(?=\s*(?:[,;.)]|$|and\b|in\b))|by\s+itself\b"
    r"|without(?=\s*(?:[,;.)]|$))|no(?:ne|thing)\b(?=\s*(?:[,;.)–—]|$|(?:for|on)\s)))"
)
"""Words of a quantity that nothing is computed from."""
_NAME = (
    r"(?P<what>(?:the\s+)?(?!(?:axis|title|legend|gaps?|colou?r|rest|others?)\b)[\w|-]+"
    r"(?:\s+(?!(?:and|or|with)\b)[\w|-]+){0,3}?)"
)
_CLAUSES = [
    (ignoring_case(pattern), written)
    for pattern, written in (
        (rf",?\s+but\s+{_NAME}\s+(?P<raw>{RAW})", r", \g<what> \g<raw>"),
        (rf"\btake\s+{_NAME}\s+and\s+leave\s+it\b(?:\s+alone\b|\s+{RAW})?", r"\g<what> raw"),
        (
            rf"(?:\bbut\s+)?(?:\bplease\s+)?\b(?:leave|keep)\s+{_NAME}(?:\s+(?:alone\b|(?={RAW}))(?P<raw>{RAW})?|(?=\s*(?:[,;.]|$)))",
            r"\g<what> raw",
        ),
        (
            rf"\b(?:don['’]?t|do\s+not)\s+(?:touch|{_TREATED})\s+{_NAME}(?=\s*(?:[,;.]|$))",
            r"\g<what> raw",
        ),
        (rf"{_NAME}\s+(?:don['’]?t|do\s+not)\s+(?:touch|{_TREATED})(?=\s*(?:[,;.]|$))", r"\g<what> raw"),
        (rf",?\s*\b(?:except|but\s+not)\s+(?:(?:for|on)\s+)?{_NAME}(?=\s*(?:[,;:.]|$))", r", \g<what> raw"),
    )
]
"""Clauses that leave a quantity as it is, and their plain forms."""
_OTHERS = r"the\s+(?:rest|(?:two\s+)?others?|other\s+(?:two|three|ones?|quantities))\b"
_REST = ignoring_case(
    rf"(?:[,;.:–—-]\s*)?\b(?:and\s+|but\s+)?(?:(?:for\s+|leave\s+|keep\s+)?{_OTHERS}\s+{RAW}|{RAW}\s+(?:for|on)\s+{_OTHERS}"
    rf"|(?:don['’]?t|do\s+not)\s+(?:touch|{_TREATED})\s+{_OTHERS}|leave\s+{_OTHERS}(?:\s+alone\b)?(?=\s*(?:[,;.]|$)))"
)
"""A clause about all quantities beside which no computation stands: ``only AE gets a mean, the rest raw``."""
_AVERAGED = ignoring_case(rf"\b(?:{_TREATED}|{'|'.join(INTERVALS)}|binn\w+)\b")
"""Words for a computation that changes the cadence or the values of a series."""
_JOINT = ignoring_case(r"\s*(?:[,;:()]|\.\s|\b(?:and|plus|with|but|versus|vs\.?)\b|[&+])\s*")


def with_plain_raw(text: str) -> str:
    """Write clauses that leave a quantity as it is in the plain form.

    >>> with_plain_raw("average n and T over 10 min, leave V alone"), with_plain_raw("all hourly except Dst")
    ('average n and T over 10 min, V raw', 'all hourly, Dst raw')
    """
    for pattern, written in _CLAUSES:
        for clause in reversed([*pattern.finditer(text)]):
            if _names_quantity(clause["what"]):
                text = f"{text[: clause.start()]}{clause.expand(written)}{text[clause.end() :]}"
    return text


@dataclass(frozen=True)
class KeptRaw:
    """Where a sentence names what stays as it was measured.

    Parameters
    ----------
    spans : tuple
        The beginning and the end of the words that name it.
    rest : bool
        Whether all stays beside which no computation stands.
    crafts : frozenset of str
        Of one quantity of several spacecraft, those whose data stay.
    """

    spans: tuple[tuple[int, int], ...] = ()
    rest: bool = False
    crafts: frozenset[str] = frozenset()

    def quantities(self, placed: Placed) -> frozenset[RequestQuantity]:
        """Return the quantities that stay as they were measured."""
        return frozenset(quantity for at, quantity in placed if self.has(at))

    def has(self, position: int) -> bool:
        """Return whether a position is in the words that name what stays as it was measured."""
        return any(start <= position < stop for start, stop in self.spans)


def take_kept_raw(sentence: Sentence) -> KeptRaw:
    """Remove the words for what stays as it was measured, beside the name of one of several quantities."""
    if not _AVERAGED.search(sentence.left):
        sentence.drop(rf"\b(?:(?:all|both|everything)\s+)?(?:at|in)\s+(?:(?:the|its|their)\s+)?{_NATIVE}")
    placed, field = read_quantities(Sentence.masked(sentence.left), magnitude=False)
    flown = read_spacecraft(Sentence.masked(sentence.left))
    count = len({quantity for _, quantity in placed}) + (field >= 0 or sentence.has(r"\bcomponents\b"))
    of_crafts = count == 1 < len({craft for _, craft in flown})
    if count < 2 and not of_crafts:
        return KeptRaw()
    rest = not of_crafts and sentence.take_first(_REST) is not None
    text = sentence.left
    joints = [(0, 0), *(match.span() for match in _JOINT.finditer(text)), (len(text), len(text))]
    spans = []
    for match in ignoring_case(RAW).finditer(text):
        before = max(stop for _, stop in joints if stop <= match.start())
        if "their" in match[0].lower():  # B, V and n in their native resolution
            treated = [words.end() for words in _AVERAGED.finditer(text, 0, match.start())]
            before = min(stop for _, stop in joints if stop >= max(treated, default=0))
        after = min(start for start, _ in joints if start >= match.end())
        if not text[before : match.start()].strip(" \x01") and not text[match.end() : after].strip(" \x01"):
            before = max((stop for _, stop in joints if stop < before), default=0)  # the speed, raw
        named = [(before, match.start()), (match.end(), after)]
        names = _names_craft if of_crafts else _names_quantity
        own = next((span for span in named if names(text[slice(*span)])), None)
        if own is not None and not (of_crafts and match.start() < (placed[0][0] if placed else field)):
            sentence.take_at(*match.span())
            spans.append(own)
    if not of_crafts:
        return KeptRaw(tuple(spans), rest)
    return KeptRaw(crafts=frozenset(craft for at, craft in flown if KeptRaw(tuple(spans)).has(at)))


def of_the_others(
    mentions: Sequence[ComputationMention], kept: KeptRaw, named: NamedData
) -> tuple[ComputationMention, ...]:
    """Give computations of all quantities only those that do not stay as they were measured.

    Raises
    ------
    NotUnderstood
        It is not clear which quantities these are.
    """
    if kept.crafts:
        return (_of_other_crafts(mentions, kept, named),) if mentions else ()
    raw = kept.quantities(named.placed)
    names = {quantity.name for quantity in named.quantities()}
    if {B, ABS_B} <= names and RequestQuantity(B) in raw:
        raise NotUnderstood(
            "it is not clear whether 'B' is the vector or its magnitude",
            advice="write '|B|' for the magnitude",
        )
    limited = []
    for mention in mentions:
        of = mention.computation.of
        if mention.computation.tool in APPLIED and not of.quantities:
            near = named.part_at(mention.position) if kept.rest else named.quantities()
            of = replace(of, quantities=tuple(quantity for quantity in near if quantity not in raw))
        clause = range(*named.clause_at(mention.position))
        beside = {quantity for at, quantity in named.placed if at in clause and not kept.has(at)}
        later = {*of.quantities}.intersection(named.quantities(clause.stop)) - beside if beside else None
        if not of.quantities or raw & ({*of.quantities} | beside) or later:  # n with medians, V raw, T
            raise _unclear(mention)
        limited.append(replace(mention, computation=replace(mention.computation, of=of)))
    return tuple(limited)


def _of_other_crafts(
    mentions: Sequence[ComputationMention], kept: KeptRaw, named: NamedData
) -> ComputationMention:
    """Give one computation, beside a spacecraft whose data do not stay raw, all such spacecraft."""
    mention = mentions[0]
    cuts = [match.end() for match in ignoring_case(r"[,;:&+]|\.\s|\band\b").finditer(named.text)]
    parts = pairwise([0, *cuts, len(named.text) + 1])
    part = next(part for part in parts if max(mention.position, 0) in range(*part))
    beside = {*mention.computation.of.crafts} or {*named.crafts_in(*part)}
    if len(mentions) > 1 or mention.computation.tool not in APPLIED or not beside or kept.crafts & beside:
        raise _unclear(mention)
    crafts = tuple(dict.fromkeys(craft for _, craft in named.crafts if craft not in kept.crafts))
    return replace(mention, computation=replace(mention.computation, of=Lines(crafts)))


def _unclear(mention: ComputationMention) -> NotUnderstood:
    tool = mention.computation.tool.replace("resample", "average").replace("_", " ")
    return NotUnderstood(
        f"it is not clear of what helio computes the {tool}",
        advice="write it beside its quantity, as in 'hourly means of the speed, and the density as it is'",
    )


def _names_craft(words: str) -> bool:
    return bool(read_spacecraft(Sentence.masked(words)))


def _names_quantity(words: str) -> bool:
    placed, field = read_quantities(Sentence.masked(words), magnitude=False)
    return bool(placed) or field >= 0
