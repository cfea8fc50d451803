"""Divide a request for a change into the clause that only says why, and the change: ``Bz is noisy: smooth it``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime

from helio.authoring.rules.changes.atom_reading import instruments, read_atoms
from helio.authoring.rules.changes.atoms import COUNTED, SPELLINGS, Atom
from helio.knowledge.quantity_words import WORDS
from helio.patterns import ignoring_case

_MARKS = " .!;,()"
_BORDER = re.compile(
    r"\s*(?:[;:!]|[.](?!\d)|,)\s+(?:(?:and\s+)?(?:so|thus|therefore|hence|because|since)\s+)?"
    r"|\s+[-–—]+\s+|\s+(?:because|since)\s+",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[;:!]\s|[.]\s|\s[-–—]+\s")
_BAD = ignoring_case("|".join(rf"\b(?:{pattern})\b" for pattern in SPELLINGS["reasons"]["wrong"]))
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_STOPS = re.compile(r"\b(?:stop|end)", re.IGNORECASE)
_STATES = ignoring_case(rf"(?<=\w)(?:{'|'.join(SPELLINGS['reasons']['states'])})")
_PERSON = re.compile(
    r"\W*(?:i|we|he|she|they|it|this|that|these|those|there|you|one|nobody)\W*", re.IGNORECASE
)
_ASKS = ignoring_case("|".join(SPELLINGS["reasons"]["asks"]))
_REVIEWER = re.compile(r"\b(?:reviewer|referee|level)\s*#?\d\b", re.IGNORECASE)
"""Numbers that are no values."""
_ABOUT = re.compile(r"^(?:about|of|with|that)\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^The\b")
_ADVERBS = re.compile(r"\s+(?:still|just|really|simply|often|all|now|both|here|always)$", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:(?:that|this)\s+panel|it|them|they|both(?=\s*(?:$|[,;.]|(?:in|to|into|by|over|with|from|at|on|as|out|off)\b)))\b",
    re.IGNORECASE,
)
_POINTS_ELSE = re.compile(
    r"\b(?:it|its|them|they|their|these|those|there|this|that|ones?|each|others?|also|too|as\s+well"
    r"|both(?!\s+(?:the\s+)?(?:\w+\s+)?\w+s\b))\b",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    r"^(?:use|take)\s+(?=\d[\d.]*[\s-]?[a-z]+(?:$|\s+(?:for|instead|rather)\b))", re.IGNORECASE
)
"""Beginning of a change that gives a length without saying of what."""
_NAMES = frozenset({"what", "craft", "panel", "line", "every"})
_OF_FIGURE = frozenset(
    {"verb", "noun", "rel", "time", "moment", "text", "theme", "palette", "size", "format"}
)
"""Kinds of the parts of a change that is about the whole figure."""
_QUANTITY = re.compile(rf"(?<![\w|])(?:{'|'.join(row.pattern for row in WORDS)})(?![\w|])", re.IGNORECASE)


def without_reason(
    request: str, lines_of: Callable[[str], Collection[str]], now: datetime
) -> Iterator[tuple[str, str]]:
    """Yield a request without each clause at its start or end that may only say why, and a note on this clause.

    In the change that remains, a pronoun becomes what the reason is about, and a setting without a line gets its line.
    """
    for border in _BORDER.finditer(request):
        ends = request[: border.start()].strip(_MARKS), request[border.end() :].strip(_MARKS)
        for reason, change in (ends, ends[::-1]):
            if change and (wanted := _change_beside(reason, change, lines_of, now)):
                read = "" if wanted == change else f"; the change is read as '{wanted}'"
                yield wanted, f"'{reason}' is taken as the reason, and changes nothing{read}"


def _change_beside(
    reason: str, change: str, lines_of: Callable[[str], Collection[str]], now: datetime
) -> str:
    """Return a change with the names that it takes from its reason; empty if the clause may be no reason."""
    bad, verb = _BAD.search(reason), _STATES.search(reason)
    plain = _REVIEWER.sub(" ", _BAD.sub(lambda match: " " * len(match[0]), reason))
    if not (bad or verb) or _ASKS.search(plain) or _SENTENCES.search(reason):
        return ""
    atoms, wanted = read_atoms(plain, now), read_atoms(change, now)
    kinds = {atom.kind for atom in wanted} - {"time"}
    if _YEAR.search(change) or (bad and _STOPS.search(bad[0])):
        kinds.add("time")
    if not all(_is_no_wish(atom, kinds, is_bad=bad is not None) for atom in atoms):
        return ""
    named, meant = (
        {line for atom in clause if atom.kind in ("what", "craft") for line in lines_of(atom.text)}
        for clause in (atoms, wanted)
    )
    named |= {atom.text for atom in atoms if _QUANTITY.search(atom.text) and not lines_of(atom.text)}
    is_named = bool(named) or _QUANTITY.search(plain) is not None
    if not bad and (
        (is_named and not _POINTS.search(change)) or instruments() & {*re.findall(r"[\w-]+", plain)}
    ):
        return ""
    about = _about(reason, [match for match in (bad, verb) if match], atoms, lines_of)
    return _with_names(change, about, atoms, wanted, named - meant, is_bad=bad is not None)


def _about(
    reason: str,
    verbs: Sequence[re.Match[str]],
    atoms: Sequence[Atom],
    lines_of: Callable[[str], Collection[str]],
) -> str:
    """Return what a clause says something about: its first part that names a line or a panel, or its subject."""
    first, last = min(verb.start() for verb in verbs), max(verb.end() for verb in verbs)
    subject = "" if _PERSON.fullmatch(reason[:first]) else reason[:first].strip()
    parts = [_ADVERBS.sub("", subject), _ABOUT.sub("", reason[last:].strip())]
    targets = [atom.text for atom in atoms if atom.kind in ("panel", "noun") or lines_of(atom.text)]
    about = next((part for part in parts if any(target in part for target in targets)), parts[0])
    return _ARTICLE.sub("the", about)


def _with_names(
    change: str,
    about: str,
    atoms: Sequence[Atom],
    wanted: Sequence[Atom],
    lacking: Collection[str],
    *,
    is_bad: bool,
) -> str:
    """Return a change with what a reason is about for a pronoun, or behind a setting; empty if that is not clear."""
    kinds = {atom.kind for atom in wanted}
    is_aimed = bool(kinds & _NAMES)
    if is_bad and "duration" in kinds and not kinds & {"verb", "noun", "tool"}:
        change = _WINDOW.sub("window of ", change)
    panel = next((_ARTICLE.sub("the", atom.text) for atom in atoms if atom.kind == "panel"), "")
    pointed = _POINTS.search(change)
    is_own = pointed is not None and any(
        atom.kind in _NAMES and atom.start < pointed.start() and atom.text.casefold() not in COUNTED
        for atom in wanted
    )
    if pointed and not is_own and (about or is_bad):
        noun = " panel" if "panel" in pointed[0] and "panel" not in about else ""
        change = f"{change[: pointed.start()]}{about}{noun}{change[pointed.end() :]}" if about else ""
    elif is_aimed and lacking:
        return ""
    elif (
        not is_aimed and not kinds <= _OF_FIGURE and {atom.kind for atom in atoms} & {"what", "craft", "noun"}
    ):
        is_known = bool(lacking) or any(atom.kind == "noun" for atom in atoms)
        is_known &= not any(atom.kind == "duration" and atom.text in about for atom in atoms)
        change = f"{change} for {about}" if is_known and about else ""
    if panel and change and "panel" not in kinds and panel not in change:
        change = f"{change} in {panel}"
    unclear = (about or is_bad) and not is_own and _POINTS_ELSE.search(change)
    return "" if unclear else change


def _is_no_wish(atom: Atom, changed: Collection[str], *, is_bad: bool) -> bool:
    """Return whether a part of a clause asks for nothing; what is wrong may have a value that the change replaces."""
    if atom.kind in ("what", "word", "quantity") or "noun:time" in atom.tags:
        return True
    if atom.kind in ("panel", "line", "tool", "noun", "craft") or atom.text.endswith("ing"):  # the smoothing
        return is_bad
    return (
        (is_bad or atom.kind == "time") and atom.kind in changed and atom.kind not in ("verb", "rel", "every")
    )
