"""Divide a sentence at the places of the panels that it names, or a list into its things."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atoms import COUNT, COUNTED, PANEL, PLACE, PLACES
from helio.authoring.rules.computations.computed import read_computations
from helio.authoring.rules.reading.arrangement import BELOW, rank_of
from helio.authoring.rules.reading.cadences import take_cadences
from helio.authoring.rules.reading.kept_raw import RAW
from helio.authoring.rules.reading.looks import take_looks
from helio.authoring.rules.reading.named import read_quantities, read_spacecraft
from helio.authoring.rules.reading.own_computations import ITS, ITS_AVERAGE
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.date_pairs import MONTH
from helio.authoring.writing.layout import MIDDLE

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL = rf"(?P<place>{'|'.join(_ORDINALS)}|last|finally)"
_NO_PANEL = rf"(?!\s+(?:weeks?|half|halves|days?|months?|quarters?|orders?|harmonics?|of|{MONTH})\b)"
_LABEL = re.compile(
    r"(?P<lead>^|[,;:.]\s*(?:and\s+)?|\s)(?:(?i:panel|row|subplot)\s+(?P<letter>[A-F])|\(?(?P<item>[1-9]|[a-h])\))\s*:?\s+(?=[\w|>])"
)
_BEGINS_WITH = re.compile(
    rf"(?P<lead>^|[,;:.]\s*(?:and\s+)?|\band\s+)(?:the\s+)?{_ORDINAL}\b{_NO_PANEL}(?:\s+{PANEL}\b)?(?P<sign>\s*:)?\s+"
    r"(?!(?:in|on|at|with)\b)",
    re.IGNORECASE,
)
_ENDS_WITH = re.compile(
    rf"(?P<lead>(?<=[\w)|])\s+)(?:in\s+the\s+)?{_ORDINAL}\b{_NO_PANEL}(?!\s+{PANEL}\b)(?=\s*(?:[,.;(]|$)|\s+(?:and|as|on|with)\b)",
    re.IGNORECASE,
)
"""Patterns of the labels and the numbers of panels, before and behind what they draw."""
_ONE_AND_ANOTHER = re.compile(
    r"\bin\s+one\s+panel\b(?P<between>(?:(?!\bin\s+(?:one|another)\b).)*)\bin\s+(?:another|the\s+other)(?:\s+(?:panel|plot|one))?\b"
    r"(?!.*\bin\s+(?:one|another)\b)",
    re.IGNORECASE,
)
"""Places of two panels: ``Bz in one panel and V in another``."""
THEM = r"(?:it|that|this|them|those|these)"
END = rf"\s*(?:$|[,.;)\x02])|\s+(?:(?:and|then|with|plus|for|on|in|during|from|over|of|at|{MONTH})\b|\d)"
_PLACE = re.compile(
    rf"(?:\b(?:in|on|at|as)\s+)?(?:\bthe\s+|\ban?\s+)?\b(?:very\s+)?(?P<named>{PLACE})(?:most)?[\s-]+(?:{PANEL}|one)\b(?:\s+{BELOW}(?={END}))?"
    rf"|\b(?:on|at)\s+(?:the\s+)?(?:very\s+)?(?P<side>top|bottom)\b(?!\s+of\b)|\bin\s+the\s+(?P<only>{PLACE})(?={END})"
    rf"|(?:\bin\s+)?\b(?:panel|row)\s+(?P<number>[1-9]|one|two|three|four)\b|\b(?P<alone>(?:top|middle|bottom)(?=\s*[:=])|(?:upper|lower)(?=\s*(?:$|[,.;:=)])))"
    r"|(?<!\bin )(?<!\binto )(?<!\bon )"
    rf"\b(?P<own>(?:one|an?|another|the\s+other)\s+panel\s+(?:with|for|of|showing)|(?:one|another|the\s+other)\s+(?:with|for|showing))\b"
    rf"|\b(?:in\s+the\s+panel\s+)?(?:directly\s+|right\s+|just\s+)?(?:(?P<below>{BELOW}|(?<=\bin\s)another(?=\s+(?:panel|plot|one)\b|\s*(?:$|[,.;)]))(?:\s+(?:panel|plot|one))?)"
    rf"|(?P<above>above(?=\s+{THEM}\b|\s*(?:$|[,.;)\x02])|\s+(?:(?:and|with|as|for|on|in|during|from|{MONTH})\b|\d{{4}}\b|\d+\s+{MONTH}))))\b(?P<them>\s+{THEM}\b)?",
    re.IGNORECASE,
)
"""Words that say where in the figure a part stands."""
_ENDS = re.compile(END, re.IGNORECASE)
"""What stands behind the place of a part that ends with its place."""
_LOOK_BEHIND = re.compile(
    r"\s*\x02+|\s+(?:as|in|on|with)\s+(?:an?\s+)?[^,;.]*?(?=\s*(?:[,;.]|$)|\s+and\b)", re.IGNORECASE
)
"""What may stand behind the place of a part and belongs to it, if it names no data: ``on a log axis``, ``(log)``."""
_LOOKED = re.compile(
    r"\b(?:right|dashed|dotted|solid|thick|thin|red|blue|green|black|gr[ae]y|orange|purple)\s*$",
    re.IGNORECASE,
)
"""The end of what is drawn at a place with a look of its own: ``n in the second panel with V dashed``."""
_BEGINS = re.compile(r"(?:^|[,;:.]|\s[-–—]|\b(?:and|then|plus|with))\s*$", re.IGNORECASE)
"""What stands before the place of a part that begins with its place."""
_WITH_DATA = re.compile(r"\s+with\b", re.IGNORECASE)
"""What stands between the place of a part that begins with it and its data: ``a second panel with the speed``."""
_COMPUTES = r"(?:comput|calculat|deriv|smooth|filter|averag|detrend|differentiat|integrat|take|apply)"
_OF_ALL = re.compile(
    r"(?:(?:show|plot|draw)\s+)?(?:(?:all|everything)\b(?:\s+(?:of\s+)?(?:them|panels|lines|quantities|two|three|four)\b)*"
    r"(?:\s+(?:are|is))?|each(?=\s+(?:as|averaged|smoothed)\b))\s+"
    r"(?P<what>(?:as|averaged|smoothed|resampled|on|with|over"
    r"|(?:one|five|ten|\d+)[- ](?:second|minute|hour|s|min|h))\b.*)",
    re.IGNORECASE,
)
"""Words behind the parts that are said of all of them."""
_BREAK = re.compile(
    rf";|,?\s+then\b(?!\s+{_COMPUTES})|\.\s+(?=[A-Z|])"
    rf"|(?<=\w|\||\))\s+above(?=\s+(?!(?:it|that|them|zero|average|in|on|as|with|and|for|from|during|(?i:{MONTH}))\b)[A-Za-z|])"
    r"|(?<=spectrogram)\s+over(?=\s+(?:the\s+)?(?:\||B\b|B_?[xyz]\b|(?:plasma\s+|number\s+)?(?:density|speed|temperature)))"
)
"""What stands between parts that give no place."""
_JOINT = re.compile(
    r"[\s,;:.=+&]+|(?:and|then|plus|with|also|its|their|showing|(?:should\s+)?shows?|has|having|above)\b",
    re.IGNORECASE,
)
_FIELD_AND_SIZE = re.compile(
    r"\b(?:B|field|components)\b.*\b(?:with|and)\s+(?:the\s+|its\s+)?\|B\|", re.IGNORECASE
)
"""A field and its magnitude, which share the panel at the top or the bottom."""
_SHARED = re.compile(r"\b(?:one|same|single)\s+panel\b", re.IGNORECASE)
_TAIL = re.compile(r"(?:[\s,;:.]|\s[-–—]|\band\b)+$", re.IGNORECASE)
"""What may stand behind the words of a part."""
_JOINTS = (
    re.compile(r"\band\b", re.IGNORECASE),
    re.compile(
        r"\b(?:(?:(?:together|along)\s+)?with(?!\s+(?:(?:its|an?|the)\s+)?(?:[\w-]+\s+){0,2}"
        r"(?:axis|scale|range|lines?|dots|markers?|colou?rs?)\b)|plus)\b|[,;]",
        re.IGNORECASE,
    ),
)
"""What stands before a part that ends with its place, but no look (``with a red line``); the last one before data."""
_NUMBER_OF_PANELS = re.compile(
    rf"(?:^|,\s*|\s)(?:(?:in|as|on)\s+)?(?P<count>{COUNT}|\d)[\s-]+(?:separate\s+|stacked\s+)*panels"
    r"(?:\s+stacked)?(?:\s+from\s+top\s+to\s+bottom)?(?:\s+in\s+(?:this|that)\s+order)?"
    rf"(?=\s*(?:$|[,.;])|\s+(?:for|from|on|in|during)\s+(?:\d|{MONTH}))(?!\s*[,.;]\s*(?:one|each|the\s+first|panel)\b)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
_REFERS = re.compile(
    r"\b(?:all(?!\s+of\s+\d)|both|each|every(?!\s+\d)|everything|they|them|their|these|those|same(?!\s+(?:panel|plot|ax[ie]s))|others?"
    r"|respective(?:ly)?|ditto|likewise|former|latter|difference|between|separate\w*|individual"
    r"|(?:two|three|four)\s+(?:panels?|quantit\w+|spacecraft|of|lines?|plots?))\b"
    r"|^(?:it|that|this|only)\b|\b(?:from|using)\s+(?:the\s+)?(?!1[\s-]*min\w*\s+OMNI\b)(?:\d+[\s-]*[a-z]+|hourly|daily)\s+[a-z]",
    re.IGNORECASE,
)
"""Words of a part that mean something only beside the other parts, or are said of all parts."""
_RELATES = re.compile(
    r"\b(?:ratios?\s+(?:of|between)|correlat\w+|lags?|delays?|against|versus|vs|function\s+of|coherence|cross|sum|product|from|using|times|minus"
    r"|angles?\s+between|align\w*|propagat\w+|shift\w*|MVA|variance|LMN|rotat\w+|when|where|while|if|only|scatter|hodogram|histograms?"
    r"|derived|calculated|(?<=, )on\s+the\s+right\s+axis(?=,))\b",
    re.IGNORECASE,
)
"""Words of a list that may relate one thing of it to another, or that are said of all."""
_LISTED = re.compile(
    r"\s*,\s*(?:(?:and|plus|(?:(?:together|along)\s+)?with|then)\s+)?|\s+(?:and|plus|as\s+well\s+as|(?:together|along)\s+with|then|with|[&+])\s+",
    re.IGNORECASE,
)
"""What stands between the things of a list."""
COMPARE = re.compile(r"\bcompar(?:e|ing|ison\s+of)\b", re.IGNORECASE)
_BOTH = re.compile(r"(?:^|(?<=:\s))both\b", re.IGNORECASE)
"""Words at the beginning of a list, which belong to no thing of it."""
_WINDOW = re.compile(r"\b(?:with|over|by|of)\s+(?:an?\s+)?$", re.IGNORECASE)
"""What stands before a window alone, whose computation another thing names: ``smooth V over 3 h, n over 1 h``."""
_AS_IS = re.compile(rf"[\s,]*{RAW}(?:\s+and(?=\s+log))?", re.IGNORECASE)
"""Words of a thing that nothing is computed from."""
_DATA = re.compile(r"\b(?:spectrogra\w*|flux(?:es)?|counts?|protons?|electrons?|ions?)\b")
"""Words that may name data which are no quantities of the table."""


@dataclass(frozen=True)
class Piece:
    """A piece of a sentence: its words without its place, and the rank of the place; 0 if it gives none.

    Parameters
    ----------
    is_panel : bool
        Whether the place is that of one panel, which draws all that the piece names.
    is_heading : bool
        Whether the words stand before the label of the first panel, and so are said of all panels.
    """

    text: str
    rank: int = 0
    is_panel: bool = False
    is_heading: bool = False


def with_numbered_panels(text: str) -> str:
    """Write the places of panels as ``panel 1:`` before, and ``in the second panel`` behind what they draw.

    >>> with_numbered_panels("ACE, May 2010: first the speed, second the density")
    'ACE, May 2010: panel 1: the speed, panel 2: the density'
    >>> with_numbered_panels("(a) ACE speed, (b) ACE density; May 2010")
    'panel 1: ACE speed, panel 2: ACE density; May 2010'
    >>> with_numbered_panels("ACE speed on top, density second, |B| third")
    'ACE speed on top, density in the second panel, |B| in the third panel'
    """
    text = _ONE_AND_ANOTHER.sub(r"in the first panel\g<between>in the second panel", text)
    labels = [_number_of(match) for match in _LABEL.finditer(text)]
    if len(labels) > 1 and labels == [*range(1, len(labels) + 1)]:
        text = _LABEL.sub(lambda match: f"{match['lead']}panel {_number_of(match)}: ", text)
    begins = list(_BEGINS_WITH.finditer(text))
    if {"first"} < {match["place"].lower() for match in begins} or any(match["sign"] for match in begins):
        text = _BEGINS_WITH.sub(lambda match: f"{match['lead']}{_label_of(match['place'])}: ", text)
    ends = {match["place"].lower() for match in _ENDS_WITH.finditer(text)}
    if {"second", "third"} <= ends or (
        "second" in ends and re.search(r"\b(?:in|on|at)\s+(?:the\s+)?(?:first|top)\b", text)
    ):
        text = _ENDS_WITH.sub(r"\g<lead>in the \g<place> panel", text)
    return text


def _number_of(label: re.Match[str]) -> int:
    """Return the number that the label of a panel means: 2 for ``Panel B:``, ``(b)`` and ``2)``."""
    sign = (label["letter"] or label["item"]).lower()
    return int(sign) if sign.isdigit() else ord(sign) - ord("a") + 1


def _label_of(place: str) -> str:
    """Return the label of the panel that an ordinal means."""
    return f"panel {_ORDINALS.index(place.lower()) + 1}" if place.lower() in _ORDINALS else "last panel"


def divided(text: str) -> list[Piece]:
    """Divide a request at the places that it gives to parts of the figure, and at semicolons.

    >>> [part.text for part in divided("hourly Bz on top, the density below for May 2010")]
    ['hourly Bz', 'the density', 'for May 2010']
    """
    plain = _without_brackets(text)
    borders = {0}
    places: list[re.Match[str]] = []
    matches = list(_PLACE.finditer(plain))
    if len(matches) == 1 and matches[0]["side"] and ITS_AVERAGE.search(plain[: matches[0].start()]):
        matches = []  # Bz, its running mean on top
    _refuse_two_tops(matches)
    breaks = {match.start() for match in _BREAK.finditer(plain)}
    for match in matches:
        begin = max(border for border in {*borders, *breaks} if border <= match.start())
        own = _borders_of(match, plain, is_first=borders == {0}) | _border_in_pair(plain, begin, match)
        if not own:
            return []
        borders |= own
        places.append(match)
    heading = places[0].start() if places and _is_first_label(places[0], plain) else 0
    starts = sorted(borders | breaks)
    spans = zip(starts, [*starts[1:], len(text)], strict=True)
    pieces = [_piece(text, start, stop, places, is_heading=stop <= heading) for start, stop in spans]
    return _with_shared_words([piece for piece in pieces if piece.text])


def _refuse_two_tops(places: Sequence[re.Match[str]]) -> None:
    """Refuse a place above beside another place at the top: ``n above, V below, Bz on top``."""
    tops = [place for place in places if _rank(place) == 1]
    if len(tops) > 1 and any(place["above"] for place in tops):
        raise NotUnderstood(
            f"it is not clear which of two panels stands at the top: '{tops[0][0].strip()}', '{tops[1][0].strip()}'",
            advice="name all panels from top to bottom",
        )


def _border_in_pair(plain: str, begin: int, place: re.Match[str]) -> set[int]:
    """Return where a comma before ``and`` parts things, of which ``in the last panel`` is that of the last one."""
    pair = re.compile(r"(?P<first>[^;.]+),\s+and\s+(?P<second>[^,;.]+?)\s*").fullmatch(
        plain, begin, place.start()
    )
    if (
        begin == 0
        or _rank(place) <= MIDDLE
        or pair is None
        or not (named_data(pair["first"]) and named_data(pair["second"]))
    ):
        return set()
    first, second = (
        {quantity.name for _, quantity in read_quantities(Sentence(words), magnitude=False)[0]}
        for words in (pair["first"], pair["second"])
    )
    return set() if first & second else {pair.end("first")}  # Bx, By, and Bz in the last panel


def _with_shared_words(pieces: list[Piece]) -> list[Piece]:
    """Give what is said of all pieces to each of them: ``speed on top, density below, all as hourly means``."""
    shared = [match["what"] for piece in pieces[1:] if (match := _OF_ALL.fullmatch(piece.text))]
    own = [piece for piece in pieces if piece is pieces[0] or not _OF_ALL.fullmatch(piece.text)]
    if not shared or any(named_data(words) for words in shared):
        return pieces
    return [
        piece if piece.is_heading else replace(piece, text=" ".join((piece.text, *shared))) for piece in own
    ]


def _is_first_label(place: re.Match[str], plain: str) -> bool:
    """Return whether a place is the label of the first panel, behind which stands what it draws: ``…: panel 1``."""
    has_sign = re.match(r"\s*[:=]", plain[place.end() :]) or re.search(
        r"(?:[:.]|\s[-–—])\s*$", plain[: place.start()]
    )
    return (_rank(place) == 1 or place["own"] is not None) and has_sign is not None


def _borders_of(place: re.Match[str], plain: str, *, is_first: bool) -> set[int]:
    """Return where a place divides a sentence; empty if it neither begins nor ends a part."""
    before, after = plain[: place.start()], plain[place.end() :]
    look = _LOOK_BEHIND.match(after)
    has_own = look and _WITH_DATA.match(look[0]) and named_data(look[0])
    is_looked = look and (_LOOKED.search(look[0]) if has_own else not named_data(look[0]))
    stop = place.end() + (look.end() if look and is_looked else 0)
    ends = bool(before.strip()) and (stop > place.end() or _ENDS.match(after))
    is_behind_joint = _BEGINS.search(before) and (place["them"] or has_own or not ends)
    if place["own"] or is_behind_joint or re.match(r"\s*[:=]", after):
        return {place.start()}
    if not ends:
        return set()
    others = [match for match in _PLACE.finditer(plain) if match.start() != place.start()]
    is_lower = _rank(place) > 1 and all(_rank(match) > 1 for match in others)
    is_upper = _rank(place) == 1 and not (others or named_data(after))
    is_before_lower = place["above"] and others and all(match["below"] for match in others)
    if not (is_first and (place["below"] or is_lower or is_upper or is_before_lower)):
        return {stop}
    # Bz, the density below: the part that ends with its place begins at the last joint before data
    joints = [joint for pattern in _JOINTS for joint in pattern.finditer(before)]
    begins = [
        joint
        for joint in joints
        if named_data(_first_listed(joint, before)) and not _SHARED.search(before, joint.end())
    ]
    if not begins:
        return set() if place["below"] else {stop}
    is_of_two = re.match(rf"\s+and\s+(?:the\s+)?(?:{PLACE})\b", after, re.IGNORECASE)
    if is_before_lower:  # Bz, n above, V below; but Bz and n above, V below
        last = max(begins, key=re.Match.start)
        is_alone = (
            place["them"]
            or last[0].casefold().endswith(("with", "plus"))
            or (len(begins) == 1 and last[0] == ",")
        )
        return {last.start(), stop} if is_alone else {stop}
    lists = [
        joint for joint in sorted(begins, key=re.Match.start) if not is_of_two and _begins_list(joint, before)
    ]
    last = lists[-1] if lists else begins[-1]
    is_enumeration = (
        not lists and last[0] == "," and re.match(r"(?!\s*and\b)[^,;]*\band\b", before[last.end() :])
    )
    if is_upper and (is_enumeration or not places_of_computations(before[: last.start()])):
        return {stop}  # hourly Bz, n and V above; Bz and hourly V above
    is_clear = last[0].casefold().endswith(("with", "plus", ",", ";"))  # n with V below, not n and V
    return {last.start(), stop} if place["below"] or is_upper or is_clear else {stop}


def _first_listed(joint: re.Match[str], before: str) -> str:
    """Return the words behind a joint; behind ``with``, those of its first thing: ``Bz with 5 min averages and n``."""
    behind = before[joint.end() :]
    return re.split(r"\band\b", behind)[0] if joint[0].casefold().endswith("with") else behind


def _begins_list(joint: re.Match[str], before: str) -> bool:
    """Return whether all things behind a joint share a place: ``|B|, Bx, By, Bz …``, ``|B| with n, V …``."""
    ahead, behind = before[: joint.start()], before[joint.end() :]
    if joint[0].casefold().endswith(("with", "plus")):
        return all(map(named_data, behind.split(",")))
    own, other = (
        {quantity for _, quantity in read_quantities(Sentence(words), magnitude=False)[0]}
        for words in (behind, ahead)
    )
    names = {quantity.name for quantity in own}
    is_vector = len(own) > 1 and len(names) == 1
    return is_vector and not any(quantity.component and quantity.name in names for quantity in other - own)


def _piece(text: str, start: int, stop: int, places: Sequence[re.Match[str]], *, is_heading: bool) -> Piece:
    """Return the words between two borders without the words of their place, joints and remarks."""
    own = [place for place in places if start <= place.start() and place.end() <= stop]
    words, at = "", start
    for place in own:
        words, at = f"{words}{text[at : place.start()]} ", place.end()
    words = f"{words}{text[at:stop]}"
    while joint := _JOINT.match(words):
        words = words[joint.end() :]
    words = " ".join(words.split())
    words = _TAIL.sub("", words if _names_several(words) else _AS_IS.sub("", words))
    words = re.sub(r"\btogether$", "in one panel", words)  # Bx, By and Bz together in the top panel
    at_edge = any(place["side"] for place in own) and _FIELD_AND_SIZE.search(words)
    is_panel = bool(at_edge) or any(
        place["number"] or place["named"] or place["only"] or place["alone"] or place["own"] for place in own
    )
    return Piece(words, _rank(own[0]) if own else 0, is_panel, is_heading)


def _names_several(words: str) -> bool:
    """Return whether words name several quantities or spacecraft, of which some may stay as they were measured."""
    placed, _ = read_quantities(Sentence(words), magnitude=False)
    named = {quantity for _, quantity in placed}, {craft for _, craft in read_spacecraft(Sentence(words))}
    return any(len(names) > 1 for names in named)


def _without_brackets(text: str) -> str:
    """Return a text of the same length that has no words in brackets."""
    return _BRACKETS.sub(lambda match: "\x02" * len(match[0]), text)


def _rank(match: re.Match[str]) -> int:
    """Return the order that a place gives to its part."""
    if match["below"] or match["own"]:
        return MIDDLE
    if match["above"]:
        return 1
    if match["number"]:
        return int(COUNTED.get(match["number"].lower(), match["number"]))
    place = PLACES[(match["named"] or match["side"] or match["only"] or match["alone"]).lower()]
    return rank_of(place)


def without_number_of_panels(text: str) -> tuple[str, int]:
    """Take the number of panels from a request; 0 if it gives none, or one of some panels only.

    >>> without_number_of_panels("ACE Bz smoothed over 1 h, speed, two panels, May 2010")
    ('ACE Bz smoothed over 1 h, speed, May 2010', 2)
    """
    numbers = list(_NUMBER_OF_PANELS.finditer(text))
    if len(numbers) != 1:
        return text, 0
    (number,) = numbers
    count = number["count"].casefold()
    return f"{text[: number.start()]}{text[number.end() :]}", int(COUNTED.get(count, count))


def refers_to_others(words: str) -> bool:
    """Return whether words mean something only beside other parts of the sentence, or are said of all parts."""
    return _REFERS.search(words) is not None


def listed_things(text: str, now: datetime) -> list[str]:
    """Divide a list into the things of which each has its own computations; empty if one may have those of another.

    >>> listed_things("Wind density smoothed over 10 min and hourly means of the speed", datetime(2026, 1, 1))
    ['Wind density smoothed over 10 min', 'hourly means of the speed']
    >>> listed_things("hourly means of density and speed", datetime(2026, 1, 1))
    []
    """
    sentence = Sentence(_BOTH.sub("", COMPARE.sub("", text)))
    text = sentence.text
    sentence.take_times(now)
    pieces = sentence.left.split(";")
    is_one = sum(bool(named_data(piece) or read_computations(Sentence(piece))) for piece in pieces) == 1
    joint = "," if is_one else ";"  # n and V; two panels; 5 May 2010
    plain = _without_brackets(joint.join(pieces))
    if _RELATES.search(plain) or _REFERS.search(plain) or _PLACE.search(plain) or _BREAK.search(plain):
        return []
    joints = list(_LISTED.finditer(plain))
    starts = [0, *(joint.end() for joint in joints)]
    stops = [*(joint.start() for joint in joints), len(text)]
    things: list[tuple[int, int]] = []
    for start, stop in zip(starts, stops, strict=True):
        named = [named_data(sentence.left[slice(*span)]) for span in ((start, stop), *things[-1:])]
        if things and not all(named):
            things[-1] = (things[-1][0], stop)
        else:
            things.append((start, stop))
    words = [text[start:stop] for start, stop in things]
    untimed = [sentence.left[start:stop] for start, stop in things]  # 11-12 is no difference
    if _computes_all(untimed[-1]):
        return []
    own = [
        *map(places_of_computations, untimed[:-1]),
        places_of_computations(_without_cadence_of_all(untimed[-1])),
    ]
    is_of_all = "before" in own[0] and not any(own[1:]) and not any(map(_AS_IS.search, words))
    if not any(own) or is_of_all:  # hourly V, n in red, T
        return []
    for number, thing in enumerate(words):
        has_look = number < len(words) - 1 and take_looks(thing, now)[1]
        own[number] |= {"its"} if has_look or _AS_IS.search(thing) else set()
    for number, wheres in enumerate(own):
        former = next(filter(None, reversed(own[:number])), set[str]())
        later = next(filter(None, own[number + 1 :]), set[str]())
        if not wheres and ("before" in former or "behind" in later):
            return []
    if any(map(_AS_IS.search, words)):  # B as is, n with a running mean: not n as it is
        words = [re.sub(r"\bwith\s+(?=an?\s)", "using ", phrase) for phrase in words]
    return [_AS_IS.sub("", thing) for thing in words]


@lru_cache(maxsize=1024)
def named_data(words: str) -> tuple[int, ...]:
    """Return where words name quantities of the table, and other data."""
    placed, field = read_quantities(Sentence(words), magnitude=False)
    sentence = Sentence(words)
    read_spacecraft(sentence)
    others = [match.start() for match in _DATA.finditer(sentence.left)]
    return (*(start for start, _ in placed), *others, *([field] if field >= 0 else []))


def _computes_all(words: str) -> bool:
    """Return whether a computation stands alone behind the last thing of a list: ``log n, log T, daily means``."""
    head, _, tail = words.partition(",")
    return bool(named_data(head) and not named_data(tail) and read_computations(Sentence(tail)))


def _without_cadence_of_all(words: str) -> str:
    """Leave out a cadence behind the last thing of a list and a comma, which is that of all: ``Bz and V, hourly``."""
    head, _, tail = words.partition(",")
    return head if named_data(head) and not (named_data(tail) or read_computations(Sentence(tail))) else words


def places_of_computations(words: str) -> set[str]:
    """Return where computations stand: ``before`` or ``behind`` a thing, or ``its``, which no other thing can have."""
    sentence = Sentence(words)
    starts = [mention.position for mention in read_computations(sentence)]
    with suppress(NotUnderstood):
        cadences = take_cadences(sentence, timed=True, windowless=False)
        starts += [start for start, _ in cadences if not _WINDOW.search(words[:start])]
    last = max(named_data(words), default=0)
    return {
        "before" if start < last else "its" if ITS.search(words[:start]) else "behind" for start in starts
    }
