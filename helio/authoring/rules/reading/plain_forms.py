"""Write turns of phrase in the forms that the rules read: places, windows, and what is computed and then drawn."""

from __future__ import annotations

import re

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atoms import PANEL
from helio.authoring.rules.computations.conditions import with_states_shaded
from helio.authoring.rules.reading.arrangement import BELOW
from helio.authoring.rules.reading.divided_sentences import END, THEM, named_data
from helio.authoring.rules.reading.named import read_quantities, read_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.date_pairs import MONTH
from helio.authoring.rules.times.durations import duration_pattern

_NAME = r"(?-i:[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*)"
_TWO_NAMES = re.compile(
    rf"(?<!, )\b(?P<first>{_NAME})(?P<joint>\s*(?:\band\b|[&+])\s*)(?P<second>{_NAME})\b(?!\s*(?:and\b|[&+,]\s*[A-Z]))",
    re.IGNORECASE,
)
_PLACED_NAME = re.compile(
    rf"[,;]\s*(?:(?:with|and)\s+)?(?:the\s+)?(?P<name>{_NAME})\s+(?:(?:panel|spectrum|spectrogram|data)\s+)?"
    rf"(?:(?P<high>(?:on|at\s+the)\s+top|above)|(?:at\s+the\s+bottom|{BELOW}))(?:\s+(?P<other>{_NAME}))?(?=\s*(?:$|[,.;]))",
    re.IGNORECASE,
)
"""Patterns of the names of two instruments, and of the place of the panel of one of them."""
_IN_ONE = r"(?:in|on|into)\s+(?:one|the\s+same|a\s+single)\s+(?:panel|plot|axes)\b"
_NO_DATA = r"(?:\d|(?:time|energ\w+|frequenc\w+|pitch|(?:hour|day|month|year)s?|each|all|both|an?|one|two)\b)"
_ONE_MINUS_OTHER = r"(?-i:[A-Z])[\w-]*\s+minus\s+(?-i:[A-Z])[\w-]*"
_BY = r"(?:with|over|by|to|in)"
_AND = r"\s*(?:,|,?\s+and)\s+"
_WORDS = r"(?:(?!(?:and|with|over|by|to|in|smooth\w*|averag\w*)\b)[\w|.-]+\s+){1,4}?"
_SHOWN = r"(?:,?\s+(?:and\s+)?(?:then\s+)?(?:plot|draw|show|display)\s+(?:it|this|that|the\s+result)\b)"
_MOMENT = r"(?:velocity|speed|density|temperature|pressure)"
_LEFT_OUT = r"(?:without|(?:do\s+not|don['’]t)\s+(?:plot|draw|show))"
_BEFORE_THEN = r"(?:(?!\bthen\b)[^;|])*"
_PLAIN_FORMS = [
    (re.compile(pattern, re.IGNORECASE), written)
    for pattern, written in (
        (r"\b(?:encounter|perijove)\s*#?\d{1,2}\s*\((?P<time>[^()]*\b(?:19|20)\d\d\b[^()]*)\)", r"\g<time>"),
        (
            r"(\bdetrend\s(?:(?!\b(?:with|draw|plot|show)\b)[^.;])*?\band\b(?:(?!\b(?:with|draw|plot|show)\b)[^.;])*?)"
            r"\b(?:with|by)\s+(?=(?:an?\s|the\s|\d|hourly|daily)[^,.;]*?\b(?:mean|average|median)\b)",
            r"\1using ",
        ),
        (
            r"(?:,\s*|\s+)(?:and\s+)?each(?:\s+(?:panel|one))?\s+with\s+(?:the\s+)?(?:y[- ]?(?:axis\s+)?)?"
            r"(?:limits?|range)(?:\s+(?:of|from))?\s+(?=[-−+]?\d)",
            ", all y from ",
        ),
        (r"\(\s*y(?:[- ]axis)?\s*[:=]?\s*(?:from\s+)?(?=[-+]?\d)", "(y range "),
        (r"(second\s+panel\b.*?\bin\s+(?:the|a)\s+third)(?=\s*(?:$|[,.;])|\s+(?:and|as)\b)", r"\1 panel"),
        (
            r"^((?!.*(?:smooth|averag|filter|mean|median|de-?sp|de-?tr)).*?)[,;] nothing special for [\w|]+(?=$|[,;.])",
            r"\1",
        ),
        (
            rf"[,;.]?\s+(?:and\s+)?(?:{BELOW}(?:\s+{THEM})?|(?:(?<=panel\s)|(?<=panel,\s)|(?<=panel;\s))then)[,:]?\s+"
            r"(?P<what>(?:(?:the|their|its)\s+)*(?:difference|ratio)(?:\s+(?:of|between)\s+(?:them|both|the\s+two)"
            rf"|\s+{_ONE_MINUS_OTHER})?|{_ONE_MINUS_OTHER})(?={END})",
            r", \g<what> below",
        ),
        (
            rf"(?:[,;.]\s+(?:and\s+)?|\s+and\s+){BELOW}(?:\s+{THEM})?[,:]?\s+(?P<what>its\s+(?:(?!(?:and|with|in|as)\b)[\w./-]+\s+){{0,4}}?"
            r"(?:means?|averages?|medians?|derivative|integral(?:\s+over\s+time)?|(?:power\s+)?spectrum|spectrogram)"
            rf"(?:\s+(?:in|as|with)\s+(?!{MONTH})[^,;.]+?)?)(?={END})",
            r", \g<what> below",
        ),
        (
            rf"\b(?P<smooth>smooth(?:ed|ing)?\b(?:[^,;.]*?\b(?:with|by|using)\s+|\s*[:=(]\s*)(?:an?\s+)?{duration_pattern()}[\s-]+)(?=medians?\b)",
            r"\g<smooth>running ",
        ),
        (
            rf"\b(?P<smooth>smooth(?:ed|ing)?\b[^;.]*?\b{duration_pattern('_first')}[^;.]*?(?:\band|,)\s[^,;.]*?)\bwith\s+(?=an?\s+{duration_pattern('_second')}[\s-]+running\s+medians?\b)",
            r"\g<smooth>as ",
        ),
        (
            r"\b(?:put|lay|(?:draw|plot|show)(?=[^,;:.]*\son\s+top\s))\s+(?P<first>[^,;:.]+?)\s+(?:over|on\s+top\s+of)"
            rf"\s+(?P<second>(?!{_NO_DATA})[^,;:.]+?)\s+(?={_IN_ONE})",
            r"plot \g<second> and \g<first> ",
        ),
        (
            rf"^(?P<head>(?!.*\bratio)[^;]*?)\b(?:(?:panel\s+)?over|panel\s+on\s+top\s+of)\s+(?=(?:the\s+)?(?!{_NO_DATA})"
            rf"(?:[A-Za-z|][\w|]*)(?:\s+panel\b(?!s)|,?\s+(?:(?:in|as)\s+)?(?:two|2|separate)\s+{PANEL}))",
            r"\g<head>above ",
        ),
        (
            rf"(?:[,;.]|\band)\s+(?P<below>{BELOW}),\s+(?=(?:the|an?)\s|(?-i:[A-Z|]))",
            r"; \g<below> ",
        ),
        (
            rf"\b[io]n\s+the\s+next\b(?:\s+(?:{PANEL}|one))?(?=\s*(?:$|[,.;)])|\s+(?:on|with|as|for|and|from)\b)",
            "in another panel",
        ),
        (
            rf"(?:\b(?P<verb>smooth|averag)e?\s+(?P<first>{_WORDS}))(?P<by>{_BY})\s+(?P<length>(?:an?\s+)?{duration_pattern('_first')})"
            rf"(?P<joint>{_AND})(?P<other>{_WORDS})(?P=by)\s+(?=(?:an?\s+)?{duration_pattern('_second')})",
            r"\g<first>\g<verb>ed \g<by> \g<length>\g<joint>\g<other>\g<verb>ed \g<by> ",
        ),
        (
            rf"\b(?P<made>smoothed|averaged)\s+(?P<by>{_BY})\s+(?P<length>(?:an?\s+)?{duration_pattern('_first')})"
            rf"(?P<joint>{_AND})(?P<other>{_WORDS})(?P=by)\s+(?=(?:an?\s+)?{duration_pattern('_second')})",
            r"\g<made> \g<by> \g<length>\g<joint>\g<other>\g<made> \g<by> ",
        ),
        (
            r"^(?!.*\b(?:both|all|too|itself|them|everything|as\s+well)\b)\W*(?:please\s+)?(?:from|using|use|with|take)\s+(?!\d)(?P<inputs>(?:(?!window|mean|averag|median|smooth)[^;.])+?),?\s+(?:(?:and|to)\s+)?"
            r"(?:compute|calculate|derive|determine)\s+(?:the\s+)?(?P<what>(?!(?:its|their)\b)(?:(?!\band\b)[^,;.])+?)"
            rf"(?:{_SHOWN}|(?=\s*(?:$|[,;.])|\s+(?:for|on|in|during)\s))[\s,]*",
            r"\g<what> from \g<inputs>, ",
        ),
        (
            r"[,;.]?\s+(?:(?:and|then)\s+)*(?:compute|calculate|make)\s+(?P<what>(?:its|the|an?)\s+[^,;.]+?)\s*(?:,|,?\s+and)\s+(?:then\s+)?"
            r"(?:overplot|overlay|superimpose)\s+(?:it|that|this)\b(?:\s+(?:on|over|onto)(?:\s+top\s+of)?\s+(?:the\s+)?(?:[\w-]+\s+)?"
            r"(?:values|data|series|line|curve|it)\b)?",
            r" and \g<what> overplotted",
        ),
        (
            r"\b(?P<made>(?:compute|calculate|derive)\s+(?:the\s+)?(?P<what>[^\s,;.]+)\s[^;]*?\band\s+(?:then\s+)?(?:show|plot|draw)\s+"
            r"(?:(?!\band\b)[^,;.])*?\b(?:means?|averages?|medians?))\s+of\s+(?:(?:this|that)\s+\w+|it|(?P=what))(?![\w|])",
            r"\g<made>",
        ),
        (
            rf"^(?P<made>(?={_BEFORE_THEN}\b(?:averag|smooth|filter|resampl))(?={_BEFORE_THEN}\b(?:(?-i:B)|field)\b)[^;|]*?),?\s+(?:and\s+)?then"
            r"\s+(?:(?:take|compute|form|calculate)\s+)?\|B\|",
            r"\g<made>, then take the magnitude",
        ),
        (  # electron velocity and ion velocity, ions on top, electrons smoothed over 1 min
            rf"^(?P<head>(?!.*\b(?P<twice>ion|electron|proton)s?\s+{_MOMENT}\b.*\b(?P=twice)s?\s+{_MOMENT}\b)"
            rf".*\b(?P<name>ion|electron|proton)s?(?:\s+and\s+\w+)?\s+(?P<what>{_MOMENT})\b.*[,;]\s*(?:only\s+)?(?:the\s+)?)"
            rf"(?P=name)s?(?:\s+panel)?(?=\s+(?:(?:first|last|on\s+top|at\s+the\s+(?:top|bottom)|{BELOW}|above)\s*(?:[.,;]|$)"
            r"|(?:smooth|averag|bin|resampl|despik)\w*ed\b|(?:on\s+an?\s+|in\s+)?log\w*\b))",
            r"\g<head>\g<name> \g<what>",
        ),
        (  # ion and electron temperatures, electrons first
            rf"\b(?P<one>ion|electron|proton)s?\s+and\s+(?P<two>ion|electron|proton)s?\s+(?P<rest>{_MOMENT}.*?)"
            r"(?:,|,?\s+(?:with|and))\s+(?:the\s+)?(?P=two)s?(?:\s+ones?)?\s+(?:first|on\s+top|at\s+the\s+top)\b",
            r"\g<two> and \g<one> \g<rest>",
        ),
        (  # ACE mag and Wind mag magnitude, compared
            rf"^(?=.*\bcompar)(?P<head>.*?)\b(?P<name>mag|field|B)\b(?P<length>(?:\s+{duration_pattern()})?)"
            r"(?P<joint>\s*(?:,|\band\b|\bvs\.?|[&+])\s*[\w\s-]+?\s)(?P=name)(?P=length)\s+magnitudes?\b",
            r"\g<head>|B|\g<length>\g<joint>|B|\g<length>",
        ),
        (
            rf"^(?!.*\b(?:bottom|first|then|panel|{BELOW})\b)(?P<mean>.*\b(?:means?|averages?|medians?)\s+of\s+[^,;.]+?)(?:,?\s+on\s+top(?!\s+of)|,\s+(?:overplotted|overlaid|superimposed))(?={END})",
            r"\g<mean> overplotted",
        ),
        *(  # B and density without Bx
            (
                rf"\b(?:magnetic\s+field|(?-i:B))(?:\s+vector)?\b(?P<rest>[^;]*?),?\s+(?:but\s+)?{_LEFT_OUT}\s+(?:the\s+)?"
                rf"{left}\b(?:\s+component\b)?",
                rf"{kept}\g<rest>",
            )
            for left, kept in (("Bx", "By and Bz"), ("By", "Bx and Bz"), ("Bz", "Bx and By"))
        ),
        (
            rf"\bas\s+well\s+as\s+(?=[^,;.]*?\b(?:on\s+top|at\s+the\s+(?:top|bottom)|above|{BELOW}|{PANEL})\b)",
            "plus ",
        ),
        (
            r",?\s+with\s+(?P<what>(?:the\s+)?[A-Za-z|][\w|]*)\s+(?P<place>first|last)(?=\s*(?:$|[,.;])|\s+and\b)",
            r", \g<what> \g<place>",
        ),
        (r"(?<=\d\d):\s+(?=(?:smooth|average|despike|detrend)\b)", "; "),
        (
            r"\b(?P<of>(?:electron|ion|proton)\s+)?(?:T|temperatures?),?\s+parallel\s+and\s+(?:T\s+)?perp(?:endicular)?\b(?!\s+temp)"
            r"(?:\s+to\s+(?:B|the\s+(?:magnetic\s+)?field)\b)?",
            r"parallel and perpendicular \g<of>temperature",
        ),
        (r"(?P<energies>\d\s*[kMG]eV(?:/n(?:uc)?)?)\s+(?:energy\s+)?band\b", r"\g<energies>"),
        (r"\baround\s+(?:its|the|their)\s+crossing\s+of\s+(?=the\s)", "around "),
        (
            r"(?<=[\w)])(?<!\bin)(?<!\bon)(?<!\bper)(?<!\bthe)(?<!\beach)(?<!\bas)(?<!\bwith)(?<!\bthan)(?<!\binto)(?<!\bjust)(?<!\bonly)"
            r"(?<!\bsharing)(?<!\bshare)(?<!\bshares)(?<!\bhave)(?<!\ba)\s+one\s+panel(?=\s*(?:$|[,;.]))",
            " in one panel",
        ),
        (r"\b(?P<drawn>(?:plot|draw|show)\b[^;:.]*?)\s+twice\s*:\s*", r"\g<drawn>, "),
    )
]
"""Patterns of places, of windows, and of what is computed and then drawn, and how the rules write them."""
_SAME_FOR = re.compile(
    rf"^(?P<first>(?:[^;:]|(?<=\d):(?=\d))+?)[,;.]?\s+(?:and\s+)?{BELOW}(?:\s+{THEM})?,?\s+the\s+same\s+(?:for|of|from|with)\s+(?P<other>[\w-]+)"
    rf"(?P<rest>(?P<plain>\s*(?:$|[,;.])|\s+(?:(?:for|on|from|during)\b|(?-i:[A-Z0-9])|in\s+(?:\d|{MONTH})))?.*)$",
    re.IGNORECASE,
)
"""A part that is said again of other particles or another spacecraft: ``below it the same for electrons``."""
_SAME_BELOW = re.compile(rf"[,;.]?\s+and\s+(?P<other>[\w-]+)\s+the\s+same\s+{BELOW}\b", re.IGNORECASE)
_THEN_ANGLE = re.compile(
    r"\b(?:smooth|averag)\w*\b[^;.]*\b(?P<then>then\s+(?:(?:compute|take|draw|plot)\s+)?(?:the\s+|its\s+)?(?:clock|cone)\s+angle)"
    rf"\b(?!\s+{BELOW})",
    re.IGNORECASE,
)
"""An angle that is perhaps that of a mean: ``B averaged over 30 min, then the clock angle``."""
_SPECIES = re.compile(r"\b(?P<name>ion|proton|electron)s?\b", re.IGNORECASE)


_CORRECTED = re.compile(r"(?P<old>[\w|-]+)\?\s+(?:or\s+|no,?\s+)?rather\s+(?P<new>[\w|-]+)", re.IGNORECASE)


def without_corrected_name(text: str) -> str:
    """Leave out a name that the next one of its kind replaces: ``wind 3dp? rather swe: n``."""
    match = _CORRECTED.search(text)
    if match is None:
        return text
    kinds = [(*map(bool, (read_spacecraft(Sentence(name)), named_data(name))),) for name in match.groups()]
    if kinds[0] != kinds[1]:
        raise NotUnderstood(
            f"it is not clear what '{match['new']}' replaces", advice="leave out what is wrong"
        )
    return f"{text[: match.start()]}{text[match.start('new') :]}"


def in_plain_forms(text: str) -> str:
    """Write places, windows and computations in plain forms, and two instruments in the order of their panels.

    >>> in_plain_forms("Wind RAD1 and RAD2 spectra, 28 October 2003, RAD2 on top")
    'Wind RAD2 and RAD1 spectra, 28 October 2003'
    >>> in_plain_forms("ACE and Wind Bz in one panel; below, their difference")
    'ACE and Wind Bz in one panel, their difference below'
    >>> in_plain_forms("MMS1 ion spectrogram, below it the same for electrons")
    'MMS1 ion spectrogram, below it MMS1 electron spectrogram'
    """
    if angle := _THEN_ANGLE.search(text):
        raise NotUnderstood(
            f"it is not clear whether '{angle['then']}' is that of the averaged field",
            advice="for that of the measured field write 'the clock angle below'",
        )
    text = with_states_shaded(_with_same_again(text))
    for pattern, written in _PLAIN_FORMS:
        text = pattern.sub(written, text)
    placed = _PLACED_NAME.search(text)
    if placed is None:
        return text
    rest = f"{text[: placed.start()]}{text[placed.end() :]}"
    pairs = [pair for pair in _TWO_NAMES.finditer(rest) if placed["name"] in pair.group("first", "second")]
    quantities, field = read_quantities(Sentence(rest), magnitude=False)
    is_known = named_data(placed["name"]) or read_spacecraft(Sentence(placed["name"]))
    if len(pairs) != 1 or is_known or len({quantity for _, quantity in quantities}) + (field >= 0) > 1:
        return text
    (pair,) = pairs
    names = [placed["name"], *({pair["first"], pair["second"]} - {placed["name"]})]
    if placed["other"] not in (None, names[-1]):
        return text
    first, second = names if placed["high"] else names[::-1]
    return f"{rest[: pair.start()]}{first}{pair['joint']}{second}{rest[pair.end() :]}"


def _with_same_again(text: str) -> str:
    """Say a part again for the particles or the spacecraft of which a second part is the same."""
    text = _SAME_BELOW.sub(r", below it the same for \g<other>", text)
    again = _SAME_FOR.match(text)
    if again is None:
        return text
    other = _SPECIES.fullmatch(again["other"])
    named = [match.span("name") for match in _SPECIES.finditer(again["first"])]
    if other is None and read_spacecraft(Sentence(again["other"])):
        crafts = [re.escape(craft) for _, craft in read_spacecraft(Sentence(again["first"]))]
        named = [match.span() for craft in crafts for match in re.finditer(rf"\b{craft}\b", again["first"])]
    if len(named) != 1 or again["plain"] is None:
        raise NotUnderstood(
            f"it is not clear what 'the same' is for {again['other']}",
            advice="name its quantities and how they look",
        )
    ((start, stop),) = named
    name = other["name"] if other else again["other"]
    return f"{again['first']}, below it {again['first'][:start]}{name}{again['first'][stop:]}{again['rest']}"
