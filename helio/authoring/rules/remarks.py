"""Leave out what people say of themselves around a request: ``I'm a student, …``, ``…, I need it for a class``."""

from __future__ import annotations

import re
from collections.abc import Collection

from helio.authoring.rules.harmless import IN_TIMED_REQUESTS

_ANYONE = r"(?:one|people|(?:the\s+)?students|everyone|(?:the|my|our)\s+(?:[a-z]+\s+){1,3}can)"
_BETWEEN_CLAUSES = re.compile(
    r"(?<=[,;:.!?])(?<!reason:)(?<!purpose:)(?<!context:)(?<!background:)\s+|\s+(?=\()"
    r"|\s+(?=(?:I|we)(?:['’]d|\s+would)?\s+(?:like|need|want)\b)|\s+(?=(?:and|so|because|as|since|but)\s+(?:I|we|my|our|please)\b)"
    rf"|\s+(?=so\s+that\s+{_ANYONE}\b)",
    re.IGNORECASE,
)
_OF_A_PERSON = re.compile(r"\b(?:I|I['’]m|I['’]ve|I['’]d|[Mm]y|[Ww]e|[Ww]e['’]re|[Oo]ur)\b")
_BEGINS = re.compile(
    r"\W*(?:just\s+)?(?:want(?:ing)?\s+to\s+(?:see|check|know)|(?:curious|wondering)|to\s+(?:see|check)"
    r"|(?:looking|searching|hunting)\s+for|as\s+(?:discussed|agreed|promised|requested|mentioned))\b"
    r"|for\s+[^,;:]+:$|(?:reason|purpose|context|background):|(?:it|this)(?:['’]s|\s+is)\s+(?:all\s+)?for\b"
    rf"|so\s+that\s+{_ANYONE}\b"
    r"|(?:(?-i:[A-Z]?[a-z][a-z-]*|GIC|SEP|CME|ICME|GLE|CIR)\s+){1,3}(?:here|check|desk|hunt|hunting|watch|briefing|survey"
    r"|homework|figure|plot|look|study|case|interval|exercise|needs?|wants?)\s*:$"
    r"|(?:[A-Za-z][a-z-]+\s+){0,2}(?:(?-i:ULF|EMIC|ELF|VLF|KHI|SEA?P|GIC|TEC)|(?:ULF|EMIC|Kelvin-?Helmholtz|whistler|chorus|hiss|Alfv[eé]n)\s+waves?"
    r"|(?:Forbush\s+)?decreases?|(?:ring|tail|field-aligned)\s+currents?|pulsations?|instability|reconnection|switchbacks?|substorms?"
    r"|(?:wave\s+)?stud(?:y|ies)|pile-?up|pressure\s+pulse)\s*:$",
    re.IGNORECASE,
)
"""Pattern of the words with which a person begins to say why or who asks, without naming himself."""
CHANGES_DATA = re.compile(
    r"\b(?:not|no|\w+n['’]t|without|except|exclud\w+|ignor\w+|remov\w+|drop\w*|skip\w*|omit\w*|only|just|but|instead|mask\w*|filter\w*"
    r"|smooth\w*|averag\w*|mean\w*|comput\w*|calculat\w*|compar\w*|differ\w*|subtract\w*|divid\w*|multipl\w*|normali\w*|shift\w*)\b",
    re.IGNORECASE,
)
"""Words with which a clause asks for something, even if its other words were not understood."""


def without_remarks(text: str, unread: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return a request without the clauses about the person in which no word was understood, and a note on each.

    >>> without_remarks("ACE speed of March 2012, I need it for a class exercise", ["class", "exercise"])
    ('ACE speed of March 2012', ("'I need it for a class exercise' is taken to say nothing about the data",))
    >>> without_remarks("for the ionosphere lot: ACE speed of March 2012", ["ionosphere"])
    ('ACE speed of March 2012', ("'for the ionosphere lot' is taken to say nothing about the data",))
    >>> without_remarks("ACE speed of March 2012, I exclude outliers", ["exclude", "outliers"])
    ('ACE speed of March 2012, I exclude outliers', ())
    """
    clauses = _BETWEEN_CLAUSES.split(text)
    remarks = [clause for clause in clauses if _is_remark(clause, unread)]
    if not remarks:
        return text, ()
    kept = " ".join(clause for clause in clauses if clause not in remarks).strip(" ,;:")
    said = (remark.strip(" ,;:.") for remark in remarks)
    return kept, tuple(f"'{remark}' is taken to say nothing about the data" for remark in said)


def _is_remark(clause: str, unread: Collection[str]) -> bool:
    words = re.findall(r"[\w'’/+-]+", clause)
    known = [word for word in words if word not in unread and word.casefold() not in IN_TIMED_REQUESTS]
    return (
        (_OF_A_PERSON.search(clause) or _BEGINS.match(clause)) is not None
        and not CHANGES_DATA.search(clause)
        and all(_OF_A_PERSON.fullmatch(word) for word in known)
    )
