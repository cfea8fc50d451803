"""Read conditions on values: those to leave out, those that are events, and those that the data shall meet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Lines, RequestQuantity
from helio.authoring.rules.computations.mentions import ComputationMention, mention_of
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import duration_in, duration_pattern
from helio.knowledge.phrases import any_phrase
from helio.knowledge.unit_spelling import canonical_unit
from helio.knowledge.vocabulary import VOCABULARY
from helio.patterns import ignoring_case

SIGNS = {
    "<": r"<|below|under|beneath|(?:less|lower|smaller|weaker)\s+than",
    "<=": r"<=|≤|at\s+most|up\s+to",
    ">": r">|above|over|beyond|(?:more|greater|higher|larger|stronger|faster)\s+than|exceed(?:s|ed|ing)?",
    ">=": r">=|≥|at\s+least",
}
"""The words for each sign of a condition."""
SIGN = "|".join(SIGNS[sign] for sign in ("<=", ">=", "<", ">"))
VERB = (
    r"(?:(?:is|was|are|were|be|been|has|had|did|does|it|they|that|which|falls?|fell|drops?|dropped|dips?|dipped|goes|went|gets"
    r"|got|rises?|rose|stays?|stayed|remains?|remained|reach(?:es|ed)?|values?|again|back)\s+)*"
)
UNIT = r"nT|pT|km/s|km\s?s\^?-1|(?:/\s?|per\s+)(?:cm\^?3|cc)|cm\^?-3|#/cc|cc|MK|K|k?eV|MeV|nPa|mV/m|pfu|sfu"
UNIT += r"|(?-i:V)(?!\s*(?:[<>=≤≥]|is\b|was\b|above\b|below\b|exceed))|W/m\^?2|degrees?|deg|%"
NUMBER = r"[-−+]?\s?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_LENGTHS = "years?|months?|weeks?|days?|hours?|minutes?|seconds?|h|min|s|d|samples|records|points|panels"
_NO_LENGTH = rf"(?!\s*(?:{_LENGTHS})\b)"
LEVEL = rf"(?P<level>{NUMBER})(?![\d:/]|-\d)(?:\s*(?P<unit>{UNIT})(?![\w/]))?{_NO_LENGTH}"
LASTING = (
    r",?\s*(?:\b(?:and|that|which|with|of|is|it)\s+)*"
    r"(?:\b(?:lasting|last(?:s|ed)?|for|during|longer)\b\s*|\bduration\s*(?:of\s+)?|\bof(?=\s+at\s))"
    r"(?:for\s+)?(?:at\s+least|(?:(?:more|longer)\s+)?than|over|>=?|≥|(?<=\bfor )|(?<=\bduring )|(?<=\blasting ))\s*"
    rf"(?:an?\s+(?=\d))?{duration_pattern()}(?:\s+or\s+(?:more|longer))?"
)
_RANGE = (
    rf"(?P<low>{NUMBER})(?:\s*(?:{UNIT}))?\s*(?:\band\b|\bto\b|-|–)\s*(?P<high>{NUMBER})(?![\d:/])"
    rf"(?:\s*(?P<range_unit>{UNIT})(?![\w/]))?{_NO_LENGTH}"
)
_SIDE = r"(?P<side>between|outside|within|inside|leaves|not\s+between)"
_HALF = r"(?<=\w )(?<=(?:.is|are|was|ere|rns|ays|ins) )(?P<half>negative|positive)\b"
"""A condition on the sign of values, behind its verb."""
_CONDITION = rf"(?:(?P<sign>{SIGN})\s*{LEVEL}|{_SIDE}\s+(?:of\s+)?{_RANGE}|{_HALF})"
_OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "between": "outside", "outside": "between"}
_WORDS = VOCABULARY["conditions"]
_VALUES = rf"(?:{any_phrase(_WORDS['values'])})"
_AWAY = rf"(?!(?:drops|cuts|skips)\b)(?:{any_phrase(_WORDS['leave out'])})"
_GONE = rf"(?:{any_phrase(_WORDS['left out'])})"
_MARK = rf"(?:{any_phrase(_WORDS['mark'])})"
_EVENTS = rf"(?:{any_phrase(_WORDS['events'])})"
_ALERTS = rf"(?:{any_phrase(_WORDS['alerts'])})"
_FAIL = rf"(?:{any_phrase(_WORDS['fail'])})"
_NOTE = rf"(?:{any_phrase(_WORDS['note'])})"
_CHECK = rf"(?:{any_phrase(_WORDS['check'])})"
_WHERE = r"(?:where(?:ver)?|when(?:ever)?|while|for\s+which|in\s+which|during\s+which|if)"
_WHICH = rf"(?:{_WHERE}|with|that|which|of|for|having|in|:)"
SMALL = r"(?:(?:the|all|any|every|each|its|their|those|these)\s+)*"
NAME = (
    rf"(?:(?!{_WHERE}\b|only\b|{_VALUES}\b)"
    r"(?P<what>(?:[A-Za-z|α-ω∥⊥][\w|*^./-]*|\d?[A-Z][\w|-]*)(?:\s+(?!(?:and|or|with|but|only|where|when|if)\b)[\w|(][\w|().^/-]*){0,3}?)\s*)?"
)
"""The name of the series of a condition; the rules for quantities read it."""
_OF_NAME = rf"{SMALL}(?:{_VALUES}\s+(?:of\s+)?(?:(?:which|that)\s+)?)?{SMALL}{NAME}{VERB}"
_ONLY = r"(?:\bbut\s+)?\b(?:(?:keep|show|plot|draw|use)\s+)?(?:only|just)\s+"
_LIMITED = rf"{_OF_NAME}{_CONDITION}"
_RECORDS = rf"{SMALL}{_VALUES}\s+(?:of\s+[\w|]+\s+)?"
_OF_SERIES = r"(?<=[\w|)\x01] )"
_OTHER_WISH = re.compile(
    rf"(?:\b(?:shad|fill|highlight|colou?r|draw\w*\s+in|red|blue|green|lines?|{_MARK}|{_EVENTS}|{_ALERTS}|count|only|run|start|stop|send"
    r"|tell|notify|mail|update)\w*)\b[^;.]*$",
    re.IGNORECASE,
)
"""Words before a condition that say that it is no condition on what is drawn: ``shade the times when Bz < 0``."""
COLUMN = re.compile(r"[A-Za-z]\w*_\w+")
"""The name of a parameter as a dataset writes it."""
_FORMS = (
    # (what to do, whether the condition says what stays, and the words)
    ("mask", False, rf"\b(?:and\s+|with\s+)?set\s+{_LIMITED}\s+(?:to|as)\s+(?:NaNs?|missing|fill)\b"),
    ("mask", False, rf"\b(?:and\s+|with\s+)?{_LIMITED},?\s+(?:(?:are|is|being|be|were)\s+)*{_GONE}\b"),
    (
        "mask",
        False,
        rf"\b(?:and\s+|but\s+)?{_AWAY}\s+(?P<where>(?:(?!{_WHERE}\b)[\w|.-]+\s+){{0,4}}?{_WHERE}\s+){_LIMITED}",
    ),
    (
        "mask",
        False,
        rf"\b(?:and\s+|but\s+)?{_AWAY}\s+(?P<where>{_RECORDS}(?:whose|with|having)\s+){_LIMITED}",
    ),
    ("mask", False, rf"\b(?:and\s+|but\s+)?{_AWAY}\s+{_LIMITED}"),
    (
        "mask",
        True,
        rf"{_ONLY}(?:(?:for|in|at)\s+)?(?:{_VALUES}\s+)?(?P<where>{_WHERE}\s+|with\s+|of\s+){_LIMITED}",
    ),
    ("mask", True, rf"{_ONLY}{SMALL}{_VALUES}\s+{_LIMITED}"),
    ("alert", False, rf"\b(?:and\s+)?{_MARK}\s+{SMALL}{_EVENTS}\s+(?:{_WHICH}\s+)?{_LIMITED}"),
    ("alert", False, rf"\b(?:and\s+)?{_MARK}\s+(?:{_WHERE}\s+)+{_LIMITED}"),
    ("alert", False, rf"\b(?:(?:with|and|plus|add)\s+)*{SMALL}{_ALERTS}\s*(?:{_WHICH}\s+|:\s*)*{_LIMITED}"),
    ("mask", True, rf"{_OF_SERIES}(?P<where>(?:where|when(?:ever)?|while)\s+){_LIMITED}"),
)
_SHADE = r"(?:shad(?:e|ed|ing)|highlight(?:ed|ing)?)"
_BEGINS_EVENT = r"\b(?:falls?|fell|drop\w*|dip\w*|goes|went|gets|got|rises?|rose|reach\w*)\b"
_OF_TIMES = (
    r"\b(?:(?:save|write|list|export|count)\w*\s+(?:them|these|those)"
    r"|(?:the|these|those)\s+(?:times|intervals|periods))\b"
)
_NOT_SHADED = (
    r"\s+(?:(?:with|as|by|using)\s+(?:\w+\s+){0,2}?(?:dots?|points?|markers?|symbols?|circles?|crosses|stars?|lines?)"
    r"|in\s+(?:all|both|every|each)\s+(?:of\s+the\s+)?panels?)\b"
)
"""Words behind a condition for what is made of its times, and for what helio does not draw there."""
_WHOLE = rf"\b(?:{_SHADE}|intervals?|periods?|parts?|(?:in|during)\s+which)\b"
_TIMES = r"(?:times|intervals?|periods?|parts?)"
_BEHIND = (
    rf"(?<=[,;])\s*(?:(?:and|with)\s+)?(?:the\s+)?(?:{_TIMES}\s+{_WHICH}\s+)?(?P<state>{_LIMITED})"
    rf"(?:\s+{_TIMES})?(?:\s+(?:is|are))?\s+shaded\b"
)
"""A level whose verb stands behind it: ``Bz<0 periods shaded``."""
_STATE = (
    rf"\b(?:(?:mark|flag|indicat|highlight)(?:e|ed|ing)?|{_SHADE})\s+(?:(?:all|only|the|its|those|these)\s+)*"
    rf"(?:{_WHERE}\s+|(?:{_TIMES}|(?<=shade )(?:every|each)\s+(?:time|interval|period))\s+(?:{_WHICH}\s+)*"
    rf"|(?<=shade )(?=[\w|]+\s*(?:<|>|below|above|under))){_LIMITED}"
)
"""A wish to mark all times at which a condition is met, and not the event that begins then."""
_SIGNED = (
    rf"\b(?:with\s+)?{SMALL}(?P<sign>positive|negative)\s+(?:{_VALUES}\s+)?(?:(?:are|is|being)\s+)?{_GONE}\b"
    rf"|\b{_AWAY}\s+{SMALL}(?P<other>positive|negative)\s+{_VALUES}\b"
)
_ENERGY = re.compile(r"[kM]?eV$")
_HAS_TEMPERATURE = re.compile(r"temp|\bT|energ", re.IGNORECASE)
_CUT = re.compile(r"[,;:]|\.\s")
_DONE = (
    r"(?:,?\s*\b(?:drawn|shown|plotted|marked)\s+)?\bon\s+(?:top\s+of\s+)?"
    r"(?:it|them|the\s+(?:same\s+)?(?:panel|line|curve))\b"
    rf"|,?\s*\band\s+(?:then\s+)?{_MARK}\s+(?:them|these|those)\b(?!\s+(?:with|as|by|in(?!\s+the\s+(?:figure|plot|panel)))\b)"
)


def with_states_shaded(text: str) -> str:
    """Write a wish to mark where a series is above or below a level as one to shade this; events stay as they are.

    >>> with_states_shaded("Bz, mark the intervals under -10 nT"), with_states_shaded("V, shade where V exceeds 600")
    ('Bz, shade where it is below -10 nT', 'V, shade where V is above 600')
    """

    def shaded(match: re.Match[str]) -> str:
        changes = ignoring_case(_BEGINS_EVENT).search(match[0]) and not ignoring_case(_SHADE).match(match[0])
        lasting = ignoring_case(LASTING).match(text, match.end())
        whole = ignoring_case(_WHOLE).search(match[0])
        kept = (lasting and not whole) or ignoring_case(rf".*{_OF_TIMES}").match(text, match.end())
        if changes or match["side"] or kept:
            return match[0]
        if other := lasting or ignoring_case(_NOT_SHADED).match(text, match.end()):
            raise NotUnderstood(
                f"helio shades where a series is above or below a level in its panel, and not '{other[0].strip()}'",
                advice="leave this out, or write 'mark every time Bz < -10 nT' for a dot at each event",
            )
        sign, level, _ = _limit(match)
        side = "below" if sign[0] == "<" else "above"
        return f"shade where {(match['what'] or 'it').strip()} is {side} {level:g} {match['unit'] or ''}".rstrip()

    text = ignoring_case(_BEHIND).sub(r" shade \g<state>", text)
    return ignoring_case(_STATE).sub(shaded, text)


def read_conditions(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read ``without values above 100``, ``only where V > 500 km/s`` and ``mark every time Bz drops below -10 nT``."""
    yield from _checks(sentence)
    for tool, stays, pattern in _FORMS:
        for match in list(ignoring_case(pattern).finditer(sentence.left)):
            is_last = pattern == _FORMS[-1][2] and _OTHER_WISH.search(sentence.text[: match.start()])
            if not _is_of_energy(match) and sentence.is_unread(*match.span()) and not is_last:
                yield _condition(sentence, match, tool, stays=stays)
    for match in sentence.take(_SIGNED):
        sign = ">" if (match["sign"] or match["other"]).lower() == "positive" else "<"
        yield mention_of("mask", match.start(), args={"where": sign, "value": 0.0})


def condition_spans(text: str) -> list[tuple[int, int]]:
    """Return where the conditions of a text are, whose numbers are no limits of axes."""
    sentence = Sentence.masked(text)
    list(read_conditions(sentence))
    return [match.span() for match in re.finditer("\x01+", sentence.left)]


def _is_of_energy(match: re.Match[str]) -> bool:
    """Return whether a condition is on the energy of particles, which are other data and no values to leave out."""
    unit = match["unit"] or match["range_unit"] or ""
    return bool(_ENERGY.match(unit)) and not _HAS_TEMPERATURE.search(match["what"] or "")


def _condition(sentence: Sentence, match: re.Match[str], tool: str, *, stays: bool) -> ComputationMention:
    """Take the words of a condition, but not the name of its series; return what to compute."""
    sign, value, unit = _limit(match)
    sign = _OPPOSITES[sign] if stays else sign
    is_range = isinstance(value, tuple)
    if tool == "alert" and is_range:
        raise NotUnderstood(
            "an event is above or below one level", advice="write, for example, 'mark every time Bz < -10 nT'"
        )
    named = take_around(sentence, match)
    if COLUMN.fullmatch(sentence.text[slice(*named)]):
        sentence.take_at(*named)
    if tool == "mask":
        args: dict[str, Any] = {"where": sign, "value": value} | ({"unit": unit} if unit else {})
        mention = mention_of(tool, match.start(), args=args)
        return replace(
            mention, named=named, by_other="where" in match.groupdict() and match["where"] is not None
        )
    args = {"when": f"{sign} {value:g} {unit}".strip()} | ({"unit": unit} if unit else {})
    if lasting := sentence.take_first(LASTING):
        args["lasting"] = duration_in(lasting)
    sentence.drop(_DONE)
    mention = mention_of(tool, match.start(), args=args)
    beside = replace(mention.computation, beside=True, behind=True)
    return replace(mention, computation=beside, named=named)


def take_around(sentence: Sentence, match: re.Match[str]) -> tuple[int, int]:
    """Take a match without the names in it, which other rules read; return where the name of its series is."""
    groups = match.groupdict()
    start, stop = match.span("what") if groups.get("what") else (match.end(), match.end())
    first = match.start()
    away = ignoring_case(rf"(?:and\s+|but\s+)?{_AWAY}\s+").match(match[0])
    if groups.get("where") and away:  # blank V where |B| < 10 nT: V is read elsewhere
        sentence.take_at(first, first + away.end())
        where = ignoring_case(rf"(?:{_RECORDS})?\S+\s+$").search(match["where"])
        first = match.start("where") + (where.start() if where else 0)
    sentence.take_at(first, start)
    if sentence.text[stop : match.end()].strip():  # more of the name may stand behind a blank
        sentence.take_at(stop, match.end())
    return start, stop


def _limit(match: re.Match[str]) -> tuple[str, float | tuple[float, float], str]:
    """Return the sign of a condition, its level or its two limits, and the unit as templates write it."""
    if match["half"]:
        return "<" if match["half"].lower() == "negative" else ">", 0.0, ""
    if match["side"]:
        side = "between" if match["side"].lower() in ("between", "within", "inside") else "outside"
        return side, (number_in(match["low"]), number_in(match["high"])), unit_of(match["range_unit"] or "")
    return sign_of(match["sign"]), number_in(match["level"]), unit_of(match["unit"] or "")


def sign_of(words: str) -> str:
    """Return the sign that words such as ``drops below`` mean."""
    return next(sign for sign, pattern in SIGNS.items() if ignoring_case(pattern).fullmatch(words))


def number_in(text: str) -> float:
    """Return a number that a sentence writes."""
    return float(re.sub(r"\s", "", text).replace("−", "-"))


def unit_of(written: str) -> str:
    """Return a unit as templates write it.

    >>> unit_of("/cc"), unit_of("km/s")
    ('cm^-3', 'km/s')
    """
    if ignoring_case(r"cc|cm").search(written):
        return "cm^-3"
    return canonical_unit(re.sub(r"(?i)degrees?", "deg", written))


_LONGER = r"(?:(?:is|are|of|lasts?|exceeds?|longer|more|larger|than|over|above|>)\s+)*"
_GAP = rf"(?:data\s+)?gaps?\s+{_LONGER}{duration_pattern()}"
_SHARE = r"(?P<share>\d+(?:\.\d+)?)\s*(?:%|per\s?cent)"
_COVERAGE = r"(?:(?:data\s+)?(?:coverage|completeness))"
_OF_TIME = r"(?:\s+of\s+(?:the\s+)?(?:day|time|range|interval|period|whole\s+time)(?:\s+range)?)?"
_COVERED = r"(?:has|have|is|are|with)\s+(?:data|values|covered|valid(?:\s+data)?)\b"
_OR = r"(?:\s*(?:,|and|or|,\s*(?:and|or))\s+(?:(?:that|if|when)\s+)?)?"
_EXPECTED = (
    # (the argument, and the words)
    (
        "coverage",
        rf"{SMALL}(?:an?\s+)?{_COVERAGE}\s*(?:of\s+(?![\d.]))?{NAME}{VERB}(?:of\s+)?(?P<how>{SIGN}|)\s*{_SHARE}{_OF_TIME}",
    ),
    ("coverage", rf"(?:an?\s+)?(?P<how>(?:{SIGN})\s+|){_SHARE}\s+{_COVERAGE}"),
    ("coverage", rf"(?P<how>{SIGN})\s+{_SHARE}{_OF_TIME}\s+{_COVERED}"),
    ("coverage", rf"{SMALL}{NAME}covers?\s+(?P<how>{SIGN})\s+{_SHARE}{_OF_TIME}"),
    (
        "longest_gap",
        r"(?:there\s+(?:is|are)\s+)?(?P<how>no\s+|)(?:any\s+|an?\s+|the\s+)*"
        rf"(?:{NAME}(?:has|have)\s+(?:no\s+|an?\s+)?)?{_GAP}",
    ),
    (
        "cadence",
        rf"(?:an?\s+|the\s+)?(?:cadence|time\s+step)\s+(?:is\s+|of\s+)*(?P<how>){duration_pattern()}",
    ),
    ("values", _LIMITED),
)


def _checks(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read what data shall be like: ``fail if the coverage is below 90 %``, ``check that there is no gap > 6 h``."""
    only_note = sentence.has(rf"\b{_NOTE}\b")
    soft = rf"(?:[,;(]?\s*\b(?:(?:but|only|just|please)\s+)*{_NOTE}\b(?:\s+(?:if|when)\s+not\b)?[,)]?)"
    outcome = rf"(?:{_FAIL}|{_NOTE})"
    begin = rf"(?P<bad>\b(?:(?:and|but|please)\s+)*{outcome}(?:(?:,?\s+but\s+|,\s*){outcome})*,?\s+"
    begin += r"(?:if|when(?:ever)?|unless)\s+)"
    begin += (
        rf"|(?P<good>\b(?:and\s+|with\s+|an?\s+|please\s+)*{_CHECK}(?:\s*:|\s+that|\s+for)?\s+(?!whether\b))"
    )
    for match in ignoring_case(begin).finditer(sentence.left):
        is_bad = match["bad"] is not None and not ignoring_case(r"unless\s+$").search(match[0])
        at, named, args = match.end(), (0, 0), dict[str, Any]()
        taken = [match.span()]
        only_data = (
            is_bad and ignoring_case(rf"\b{_FAIL}\b").search(match[0]) is None
        )  # warn if V > 900: events
        while expectation := _expected_at(sentence.left, at, is_bad=is_bad, only_data=only_data):
            expected, name, end = expectation
            args |= expected
            taken += [(at, name[0]), (name[1], end)]
            named = name if name[0] < name[1] else named
            at = end
        if args:
            break
    else:
        return
    for span in taken:
        sentence.take_at(*span)
    if only_note:
        sentence.drop(soft)
        args["severity"] = "note"
    sentence.drop(rf"(?<![\w-]){_CHECK}(?:\s+please)?\s*(?=[:,]?\s*\x01)")
    if not is_bad:
        sentence.drop(rf"[,;(]?\s*\b(?:and\s+|then\s+)*{_FAIL}\b(?:\s+(?:if|otherwise)\s*(?:not)?\b)?")
    yield replace(mention_of("expect", match.start(), args=args), named=named)


def _expected_at(
    text: str, at: int, *, is_bad: bool, only_data: bool
) -> tuple[dict[str, Any], tuple[int, int], int] | None:
    """Return what a text expects from a position on, where the name of the series is, and where this ends."""
    for argument, words in _EXPECTED[: -1 if only_data else None]:
        match = re.compile(rf"{_OR}(?:{words})", re.IGNORECASE).match(text, at)
        if match is None:
            continue
        span = match.span("what") if match.groupdict().get("what") else (match.end(), match.end())
        if argument == "values":
            return _extremes(match, is_bad=is_bad), span, match.end()
        if argument == "coverage":
            if match["how"].strip() and (sign_of(match["how"].strip())[0] == "<") != is_bad:
                raise NotUnderstood(
                    f"helio checks the least coverage, not '{match[0].strip()}'",
                    advice="write 'fail if the coverage is below 90 %' or 'check that the coverage is at least 90 %'",
                )
            return {"coverage": float(f"{float(match['share']) / 100:.12g}")}, span, match.end()
        if argument == "longest_gap" and (match["how"] or re.search(r"\bno\b", match[0])) and is_bad:
            return None
        return {argument: duration_in(match)}, span, match.end()
    return None


def _extremes(match: re.Match[str], *, is_bad: bool) -> dict[str, Any]:
    """Return the least and the largest value that a condition expects, or that it does not expect if it `is_bad`."""
    sign, value, unit = _limit(match)
    sign = _OPPOSITES[sign] if is_bad else sign
    more = {"unit": unit} if unit else {}
    if isinstance(value, tuple):
        if sign != "between":
            raise NotUnderstood(
                "helio checks that values are between two limits",
                advice="write 'check that V is between 200 and 900'",
            )
        return {"minimum": f"{value[0]:g} {unit}".strip(), "maximum": f"{value[1]:g} {unit}".strip()} | more
    return {"minimum" if sign[0] == ">" else "maximum": f"{value:g} {unit}".strip()} | more


_TOO = re.compile(
    rf"(?:\b(?:and|plus|with)|[,&+])\s+(?:also\s+)?(?:{NUMBER}\s+times|twice)\s+(?:the\s+)?$", re.IGNORECASE
)
"""Words before a multiple of a series that is drawn, too: ``density and 0.5 times the density``."""


def with_conditions(
    mentions: Sequence[ComputationMention],
    placed: Sequence[tuple[int, RequestQuantity]],
    crafts: Sequence[tuple[int, str]],
    text: str,
) -> tuple[tuple[ComputationMention, ...], list[tuple[int, RequestQuantity]]]:
    """Give each condition its series, and leave out the names that only conditions have: ``V where |B| > 10 nT``."""
    spans = [mention.named for mention in mentions if mention.named[0] < mention.named[1]]
    outside = [
        (at, quantity) for at, quantity in placed if not any(first <= at < stop for first, stop in spans)
    ]
    left, changed = list(placed), []
    for mention in mentions:
        first, stop = mention.named
        own = next((quantity for at, quantity in placed if first <= at < stop), None)
        is_column = mention.computation.tool == "mask" and COLUMN.fullmatch(text, first, stop) is not None
        own = RequestQuantity(text[first:stop]) if is_column else own
        drawn = list(dict.fromkeys(quantity for _, quantity in outside))
        clause = max((cut.end() for cut in _CUT.finditer(text, 0, first or mention.position)), default=0)
        computation = mention.computation
        if computation.tool == "align":
            clock = Lines(tuple(craft for at, craft in crafts if first <= at < stop), (own,) if own else ())
            left = [atom for atom in left if not first <= atom[0] < stop]
            computation = replace(computation, by=clock)
        if computation.tool in ("align", "rescale") and (own is None or computation.tool == "align"):
            ends = first or mention.position
            objects = [atom for atom in outside if clause <= atom[0] < ends]
            if objects and {quantity for _, quantity in objects} != {*drawn}:
                computation = replace(computation, of=Lines((), tuple(dict(objects).values())))
                earlier = {quantity for at, quantity in outside if at < clause}
                left = [atom for atom in left if not (atom in objects and atom[1] in earlier)]
        flown = {craft for at, craft in crafts if first <= at < stop}
        if computation.tool == "mask" and flown and {craft for _, craft in crafts} - flown:
            raise NotUnderstood(
                f"helio takes the condition '{text[first:stop]}' from the spacecraft whose records it leaves out",
                advice="name data of one spacecraft",
            )
        if own is None or not drawn or computation.tool == "align":
            changed.append(replace(mention, computation=computation))
            continue
        same = [quantity for quantity in drawn if replace(own, frame=quantity.frame) == quantity][:1]
        if same or mention.by_other:
            left = [atom for atom in left if not first <= atom[0] < stop]
        if same and computation.tool == "rescale" and _TOO.search(text[:first]):
            computation = replace(computation, beside=True)
        by_other = mention.by_other or is_column
        before = [quantity for at, quantity in outside if clause <= at < first] if by_other else []
        masked = list(dict.fromkeys(before)) or (drawn if by_other else same or [own])
        if by_other and masked != same:
            computation = replace(computation, tool="mask_by_flag", by=Lines((), tuple(same or [own])))
        if masked != drawn:
            computation = replace(computation, of=Lines((), tuple(masked)))
        changed.append(replace(mention, computation=computation))
    return tuple(changed), left
