"""Write the names of what ``the former``, ``the second one`` and the last word of a name mean."""

from __future__ import annotations

import re

from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.atom_values import COLOURS
from helio.authoring.rules.reading.named import read_quantities, read_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.patterns import ignoring_case

_PRONOUN = ignoring_case(
    r"\b(?:the\s+)?(?:(?P<which>former|latter)(?:\s+one)?"
    r"|(?<!\bin the )(?<!\bon the )(?P<place>first|second|third|last)\s+one"
    r"|(?<=\bthe )(?P<turn>first|second|third|last)(?=\s+(?:over|by|to)\s+(?:an?\s+)?\d)"
    r"|(?P<two>first|last)\s+two(?=\s*(?:$|[,.;:)])|\s+(?:in|on|over|with)\b))\b(?!\s+panel|\s+(?:spacecraft|probe))"
)
_LAST_WORD = ignoring_case(
    r"(?P<before>(?:[,;.]|\band\b)\s*(?:the\s+)?)(?P<out>(?P<word>density|temperature|speed|velocity|pressure)"
    r"(?P<behind>(?:\s+panel)?(?:\s+(?:goes|comes|belongs|is|should\s+be))?\s+(?:(?:log\w*|linear|left|right|first|last)\b"
    r"|(?:above|below|under\w*|beneath)\b(?!\s*[-−+\d])|on\s+(?:top|the|an?)\b|at\s+the\s+(?:top|bottom)\b"
    rf"|in\s+(?:(?:{COLOURS})|log|its|the\s+(?!same\b)(?:\w+\s+)?panel)\b)[^,;.]*))"
)
"""Pattern of a clause that says the place or the look of what is named by one word: ``…, density on top``."""
_HAS_PLACE = ignoring_case(r"\s+(?:on\s+top|above|below|at\s+the\s+(?:top|bottom)|in\s+the\s+\w+\s+panel)\b")
_PLACES = {"former": 0, "first": 0, "second": 1, "third": 2, "latter": -1, "last": -1}


def with_names_for_pronouns(text: str) -> str:
    """Write names for pronouns, if the words before the first one name several quantities or several spacecraft.

    ``the former`` and ``the latter`` are for two.

    >>> with_names_for_pronouns("Wind V and |B|, the former in red; smooth the latter over 1 h")
    'Wind V and |B|, V in red; smooth |B| over 1 h'
    >>> with_names_for_pronouns("Wind and ACE Bz, one panel, the former red")
    'Wind and ACE Bz, one panel, Wind red'
    """
    first = _PRONOUN.search(text)
    names = _names_in(text[: first.start()]) if first else []

    def named(match: re.Match[str]) -> str:
        if match["two"]:
            pair = names[:2] if match["two"].lower() == "first" else names[-2:]
            return " and ".join(pair) if len(names) > len(pair) else match[0]
        place = _PLACES[(match["which"] or match["place"] or match["turn"]).lower()]
        is_clear = len(names) == len(("former", "latter")) if match["which"] else place < len(names) > 1
        return names[place] if is_clear else match[0]

    return _PRONOUN.sub(named, text)


def with_names_for_last_words(text: str) -> str:
    """Write a name for its last word, if a clause behind that name says a place or a look of it.

    >>> with_names_for_last_words("Wind electron density and Bz, density on top")
    'Wind electron density and Bz, electron density on top'

    Raises
    ------
    NotUnderstood
        The text names several quantities that end with the word, or says another place of the one.
    """
    sentence = Sentence(text)
    placed, _ = read_quantities(sentence, magnitude=False)

    def named(match: re.Match[str]) -> str:
        start, word = match.start("word"), match["word"].lower()
        own = next((quantity for at, quantity in placed if at == start), None)
        before = {
            quantity: at for at, quantity in reversed(placed) if at < start and word in quantity.name.split()
        }
        if own is None or not before or own in before:
            return match[0]
        (name, at), *others = [(_word_at(text, sentence.left, at), at) for at in before.values()]
        is_placed = _HAS_PLACE.match(text, at + len(name)) and _HAS_PLACE.match(match["behind"])
        if others or is_placed:
            raise NotUnderstood(
                f"it is not clear which {word} '{match['out']}' means",
                advice=f"write '{name}' or '{own.name}' there",
            )
        return f"{match['before']}{name}{match['behind']}"

    return _LAST_WORD.sub(named, text)


def _names_in(text: str) -> list[str]:
    """Return the names of the quantities of a text, or, if it has only one, those of its spacecraft."""
    sentence = Sentence.masked(text)
    crafts = dict.fromkeys(craft for _, craft in read_spacecraft(sentence))
    placed, field = read_quantities(sentence, magnitude=False)
    first_named = {quantity: start for start, quantity in reversed(placed)}
    starts = sorted([*first_named.values(), *([field] if field >= 0 else [])])
    if len(starts) > 1:
        return [] if len(crafts) > 1 else [_word_at(text, sentence.left, start) for start in starts]
    return [*crafts]


def _word_at(text: str, left: str, start: int) -> str:
    """Return the words that were taken from a position on; `left` has marks in their place."""
    taken = re.compile("\x01+").match(left, start)
    return text[start : taken.end()].strip() if taken else ""
