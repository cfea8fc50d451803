"""Read a sentence that corrects the last one: ``no, the y component`` after ``make the x component red``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from helio.authoring.rules.changes.atom_values import COLOURS, QUOTES
from helio.authoring.rules.questions.asked import PANEL
from helio.authoring.rules.questions.question_form import is_wish
from helio.authoring.rules.reading.named import names_of_spacecraft
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import duration_pattern
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.vocabulary import VOCABULARY

_CORRECTION = re.compile(
    r"\s*(?:(?:oh|sorry|ah)[\s,]+)*(?:(?:no|nope|not that)[,:;–—]\s*(?:sorry[,\s]+)?(?:i (?:mean|meant)\s+)?"
    r"|i meant\s+|sorry[,:]\s*)(?P<what>.+?)(?:\s+instead)?\s*[.!]*",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\s*(?P<what>.+?),?\s+instead\s*[.!]*", re.IGNORECASE)
_VALUES = tuple(
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in (
        rf"(?:(?:dark|light)\s*)?(?:{COLOURS})",
        r"dashed|dotted|solid",
        r"log(?:arithmic)?|lin(?:ear)?|symlog",
        duration_pattern(),
        "|".join(FRAMES),
        names_of_spacecraft(),
    )
)
_LOOKS = 3
"""Number of the patterns above that name the look of a line or a panel."""
_END = re.compile(r"(?:(?P<start>from|since)|until|till|to)\s+(?P<clock>\d\d?:\d\d)", re.IGNORECASE)
_INTERVAL = re.compile(
    r"(?P<start>\d\d?:\d\d)\s*(?:-|–|\b(?:to|until|till)\b)\s*(?P<stop>\d\d?:\d\d)", re.IGNORECASE
)
_PRONOUN = re.compile(r"\b(?:it|them|this|that)\b", re.IGNORECASE)
_OBJECT = re.compile(
    r"\s*(?:(?:please|now|and|also|then)\s+)*[a-z]+\s+(?P<object>(?:the\s+)?.+?)"
    rf"(?:\s+(?:(?:(?:dark|light)\s*)?(?:{COLOURS})|dashed|dotted|solid|log\w*|linear|thicker|thinner|"
    r"(?:to|in|over|by|with|as|at|above|below|from|for)\b.*))?\s*[.!]*",
    re.IGNORECASE,
)
"""A sentence with its object: the words between the verb and the value."""


def correction(text: str) -> str:
    """Return what a sentence that begins with ``no,`` says instead; empty if the sentence is no correction.

    >>> correction("no, the y component"), correction("no legend"), correction("I meant Wind")
    ('the y component', '', 'Wind')
    """
    found = _CORRECTION.fullmatch(text)
    return found["what"] if found else ""


def value_instead(text: str) -> str:
    """Return the value that a sentence such as ``blue instead`` names; empty if it names no value alone.

    >>> value_instead("blue instead"), value_instead("run it for Wind instead")
    ('blue', '')
    """
    found = _INSTEAD.fullmatch(text)
    return found["what"] if found and any(value.fullmatch(found["what"]) for value in _VALUES) else ""


def corrected(what: str, last: str, now: datetime) -> str:
    """Return the last sentence with the part that `what` replaces; empty if it is not clear which part this is.

    >>> corrected("the y component", "make the x component red", datetime(2024, 1, 1))
    'make the y component red'
    >>> corrected("blue", "make Bz red", datetime(2024, 1, 1))
    'make Bz blue'
    >>> corrected("for 2019", "plot the ACE field for 2018", datetime(2024, 1, 1))
    'plot the ACE field for 2019'
    >>> corrected("dashed", "make Bz red", datetime(2024, 1, 1))
    'make Bz dashed'
    >>> corrected("make it thicker", "make Bz red", datetime(2024, 1, 1))
    'make Bz thicker'
    """
    object_ = _OBJECT.fullmatch(last)
    if is_sentence(what):
        return _PRONOUN.sub(object_["object"], what, count=1) if object_ else what
    for old, new in _parts(what, last, now):
        if old and last.count(old) == 1:
            return last.replace(old, new)
    if object_ is None or any(value.fullmatch(what) for value in (_END, _INTERVAL, QUOTES)):
        return ""
    if any(look.fullmatch(what) for look in _VALUES[:_LOOKS]):
        tail = last[object_.end("object") :].strip()
        if re.match(r"(?:to|in|over|by|with|as|at|above|below|from|for)\s", tail):
            is_look = any(look.fullmatch(tail.removeprefix("in ")) for look in _VALUES[:_LOOKS])
            return f"{last}, {what}" if is_look else ""
        return f"{last[: object_.end('object')]} {what}"
    return f"{last[: object_.start('object')]}{what}{last[object_.end('object') :]}"


def is_sentence(what: str) -> bool:
    """Return whether the words are a whole wish, and not only a part of one."""
    return bool(_SENTENCE.match(what)) and is_wish(what)


def adds(what: str, last: str) -> bool:
    """Return whether words are a whole wish about something else than the last sentence, and so replace nothing in it.

    >>> adds("remove Kp", "make Bz red"), adds("make Bz blue", "make Bz red"), adds("remove By", "remove Bz")
    (True, False, False)
    """
    wish, before = _OBJECT.fullmatch(what), _OBJECT.fullmatch(last)
    if not (is_sentence(what) and wish and before) or _PRONOUN.search(what):
        return False
    words = {*re.findall(r"[\w|]+", wish["object"].casefold())} - {"the"}
    verbs = {re.findall(r"[a-z]+", sentence.casefold())[0] for sentence in (what, last)}
    return len(verbs) > 1 and words.isdisjoint(re.findall(r"[\w|]+", last.casefold()))


_SENTENCE = re.compile(
    rf"\s*(?:please\s+)?(?:{'|'.join(VOCABULARY['forms of sentences']['commands'])})\b", re.IGNORECASE
)


def _parts(what: str, last: str, now: datetime) -> Iterator[tuple[str, str]]:
    """Yield the part of the last sentence that is of the same kind as `what`, with what replaces it."""
    if (end := _END.fullmatch(what)) and len(whole := list(_INTERVAL.finditer(last))) == 1:
        start, stop = whole[0].span("start" if end["start"] else "stop")
        yield whole[0][0], last[whole[0].start() : start] + end["clock"] + last[stop : whole[0].end()]
    for value in (*_VALUES, PANEL, _INTERVAL, QUOTES):
        if new := value.fullmatch(re.sub(r"^(?:in|for|over|by|the)\s+", "", what)):
            found = [match[0] for match in value.finditer(last)]
            yield (found[0] if len(found) == 1 else ""), new[0]
    times = Sentence(what).take_times(now)
    if len(times) == 1 and not re.sub(r"^(?:for|in|on|from)\b|\W", "", what.replace(times[0], "")):
        before = Sentence(last).take_times(now)
        yield (before[0] if len(before) == 1 else ""), times[0]
