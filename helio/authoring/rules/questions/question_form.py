"""Tell questions from wishes by the form of a sentence."""

from __future__ import annotations

import re

from helio.authoring.rules.questions.asked import PANEL
from helio.knowledge.phrases import any_phrase
from helio.knowledge.vocabulary import VOCABULARY

_FORMS = VOCABULARY["forms of sentences"]


def _any(name: str) -> str:
    return rf"(?:{any_phrase(_FORMS[name])})(?![\w|])"


def _any_word(name: str) -> str:
    """Return a pattern of words that have no plural: `uses` and `makes` are no commands."""
    return rf"(?:{'|'.join(_FORMS[name])})\b"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_GREETINGS = _pattern(rf"^\s*(?:{_any('greetings')}[\s,]*)*")
_QUESTION_START = _pattern(_any("begin a question"))
_QUESTION_ELSEWHERE = _pattern(
    rf"\?\s*(?:\W*$|\w)|[:;–—]\s*(?:when\b|where\b|{_any('question words')})|\b{_any('end a question')}\s*[.!]?\s*$"
)
_QUESTION_WORD = _pattern(rf"\b{_any('question words')}")
_PROPERTY = _pattern(rf"(?<![\w|]){_any('properties')}")
_WISH_START = _pattern(rf"(?!{_any('begin a question like a wish')}){_any('begin a wish')}")
_WISH = _pattern(rf"\b{_any('wishes')}")
_COMMAND = _pattern(
    rf"(?:(?:^|[.,;:?!–])\s*|\b{_any('before a command')}\s+)(?:{_any('softeners')}\s+)*{_any_word('commands')}"
)
_CHANGE = _pattern(rf"\b{_any_word('words of a change')}|\d")
_COLOUR = _pattern(rf"\b(?:{'|'.join(VOCABULARY['colours'])})\b")
_VERB = _pattern(rf"\b{_any_word('verbs of a question')}")
_DATA = re.compile(r"^(?:do|does|did|is|are|were|has|have)\b.*\bdata\b", re.IGNORECASE)
_COMPARED = re.compile(r"\s*(?:the )?differences? between \w+_\S+ and \w+_\S+$", re.IGNORECASE)
_SERIES = _pattern(rf"\b{_any('ask for a series')}")
_OVERVIEW = _pattern(
    r"\W*(?:please )?(?:give|show|write) (?:me|us) (?:an? |the )?(?:\w+ )?(?:overview|summary|description)"
    r"(?: of (?:this|it|that|the (?:pipeline|figure|plot|template)))?(?: please)?\W*$"
)
_IN_SENTENCE = r"(?:[^.:?!]|(?<=\d)[.:](?=\d))*"
_REASON = re.compile(
    rf"(?P<reason>(?:(?i:I|we)\s+)?(?i:need|want|would\s+like|try|like)\s+to\s+(?:know|see|check|find\s+out|understand)\s+"
    rf"(?:if|whether|when|where|how|why|what)\b{_IN_SENTENCE}[.:!]"
    rf"|[A-Z]{_IN_SENTENCE}?\b(?:was|were|had|came|went|hit|struck|saw|flew|began|\w+ed)\b{_IN_SENTENCE}\."
    r"(?=\s+(?i:please|plot|draw|show|make|give|can|could)\b))\s+(?P<request>.+)",
    re.DOTALL,
)
"""A statement before a request: ``The shock passed ACE at noon. Plot …``, ``Need to know if …: …``."""
_FEWEST_WORDS = 2
"""Number of words up to which what stands behind a question is no request of its own."""
_NAME_WITH_A_NUMBER = re.compile(
    r"\b[A-Z][A-Z0-9]*[_-][\w-]+|\b(?:level|L)[- ]?2\b|\bF10\.7\b|\b(?:first|last|latest) (?:record|data)\b"
)


def is_question(request: str) -> bool:
    """Return whether a sentence asks about a template or about data; otherwise the sentence requests a change.

    >>> is_question("which dataset is used?"), is_question("do the panels share an axis"), is_question("DOI of MFI")
    (True, True, True)
    >>> is_question("could you make it red?"), is_question("how about a red line?"), is_question("5 min cadence")
    (False, False, False)
    """
    text = _plain(request)
    if _OVERVIEW.match(text):
        return True
    if _requests(text):
        return False
    names_property = bool(_QUESTION_WORD.search(text) or _PROPERTY.search(text))
    without_names = _NAME_WITH_A_NUMBER.sub("", PANEL.sub("", text))
    return _has_form_of_question(text) or (names_property and not _CHANGE.search(without_names))


def begins_question(request: str) -> bool:
    """Return whether a sentence has the form of a question: its first words, its last words or a question mark."""
    text = _plain(request)
    return not _requests(text) and _has_form_of_question(text)


def without_question_mark(request: str) -> str:
    """Return a wish that only a question mark makes a question, without the mark; otherwise return an empty text.

    >>> without_question_mark("MMS4?"), without_question_mark("which unit?"), without_question_mark("AC_H0_MFI?")
    ('MMS4', '', '')
    """
    bare = request.strip().rstrip("?! ")
    is_only_marked = is_question(request) and not is_question(bare)
    says_more = _VERB.search(bare) or _NAME_WITH_A_NUMBER.search(bare)
    return bare if is_only_marked and not says_more else ""


def question_before_request(request: str) -> tuple[str, str]:
    """Return a question or a statement, and the request behind it of which it is the reason; or two empty texts.

    >>> question_before_request("What did IMP 8 see? Plot its proton speed for 10-13 March 1989.")
    ('What did IMP 8 see?', 'Plot its proton speed for 10-13 March 1989.')
    >>> question_before_request("Could you plot ACE Bz? For last week, please")
    ('', '')
    """
    if reason := _REASON.fullmatch(request.strip()):
        return reason["reason"], reason["request"]
    question, mark, rest = request.strip().partition("? ")
    begins = mark and is_question(f"{question}?") and not is_question(rest)
    return (f"{question}?", rest.strip()) if begins and len(rest.split()) > _FEWEST_WORDS else ("", "")


def begins_with_reason(request: str) -> bool:
    """Return whether a request begins with a statement that gives its reason."""
    return _REASON.fullmatch(request.strip()) is not None


def asks_for_series(request: str) -> bool:
    """Return whether a question about data asks for a series in time, which only a figure can show.

    >>> asks_for_series("How far was Juno from the Sun during 2014?"), asks_for_series("how far back do the data go")
    (True, False)
    """
    return bool(_SERIES.search(request))


def asks_for_data(request: str) -> bool:
    """Return whether a question asks only whether there are data.

    >>> asks_for_data("does ACE have data for 2025?"), asks_for_data("what did ACE measure in 2025?")
    (True, False)
    """
    return _DATA.match(_plain(request).strip()) is not None


def is_wish(request: str) -> bool:
    """Return whether a sentence has a verb of a change, a number, a time or a colour, so that it may be a wish."""
    text = _plain(request)
    return bool(_WISH_START.match(text) or _CHANGE.search(text) or _COLOUR.search(text))


def _plain(request: str) -> str:
    """Return a sentence with plain apostrophes and without the greetings at its start."""
    return _GREETINGS.sub("", request.replace("’", "'"))


def _requests(text: str) -> bool:
    return bool(_WISH_START.match(text) or _WISH.search(text) or _COMMAND.search(text))


def _has_form_of_question(text: str) -> bool:
    return bool(_QUESTION_START.match(text) or _COMPARED.match(text) or _QUESTION_ELSEWHERE.search(text))
