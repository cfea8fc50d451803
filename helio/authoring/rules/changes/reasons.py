"""Divide a request for a change into the clause that only says why, and the change: ``Bz is noisy: smooth it``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from helio.authoring.rules.changes.atom_reading import instruments, read_atoms
from helio.authoring.rules.changes.atoms import Atom
from helio.knowledge.quantity_words import WORDS

_MARKS = " .!;,()"
_BORDER = re.compile(
    r"\s*(?:[;:!]|[.](?!\d)|,)\s+(?:(?:and\s+)?(?:so|thus|therefore|hence|because|since)\s+)?"
    r"|\s+[-–—]+\s+|\s+(?:because|since)\s+",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\btoo\s+(?:much|many|few|little|short|long|coarse|fine|noisy|busy|crowded|spiky|jagged|rough|wiggly|small|faint)\b"
    r"|\bnot\s+\w+\s+enough\b|\b(?:very\s+|rather\s+|so\s+|quite\s+)?(?:noisy|spiky|jagged|hard|difficult|useless|wrong|"
    r"ugly|boring|empty|unreadable|unreliable|unusable|illegible|saturated|contaminated|crowded|confusing|misleading|bad|terrible|awful|broken|off|clipped|a\s+mess|full\s+of\s+\w+)\b"
    r"|\bwashed\s+out\b|\b(?:hides?|kills?|confuses?|distracts?|overlaps?|clutters?|jumps?(?:\s+around)?|doubt(?:s|ed)?|complain(?:s|ed)?)\b|\bthrough\s+the\s+roof\b"
    r"|\b(?:can(?:no|['’])t|can\s+(?:hardly|barely)|could\s*n['’]t)\s+(?:be\s+)?(?:see|seen|read|tell|distinguish|follow)\b"
    r"|\bdo(?:es)?(?:n['’]t|\s+not)\s+(?:trust|like|understand|believe)\b|\b(?:data|it|they)\s+(?:stop|end)(?:s|ped|ed)?\b"
    r"|\bnobody\s+(?:\w+s|can\s+\w+)\b",
    re.IGNORECASE,
)
"""Pattern of what is wrong with a line or a setting."""
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_STOPS = re.compile(r"\b(?:stop|end)", re.IGNORECASE)
_STATES = re.compile(
    r"(?<=\w)(?:['’](?:s|re|m)\b(?!\s+(?:own|panel))|\s+(?:is|are|am|was|were|looks?|looked|seems?|has|have|had|goes|went|"
    r"think|thought|know|suspect|believe|said|says?|told|asked)\b)",
    re.IGNORECASE,
)
"""Pattern of the verbs of a statement."""
_PERSON = re.compile(
    r"\W*(?:i|we|he|she|they|it|this|that|these|those|there|you|one|nobody)\W*", re.IGNORECASE
)
_ASKS = re.compile(
    r"^\W*(?:if|when\w*|whil\w+|where|unless|until|once|as|let|and|or|but)\b|\b(?:not|n[o']t|never|none|no|need\w*|want\w*|"
    r"prefer\w*|like[sd]?|should|must|ought|would|could|may|might|interest\w*|wish\w*|rather|only|just\s+the|also|as\s+well|"
    r"instead|except|without|but|better|best|nicer|clearer|enough|sufficient|fine|ok(?:ay)?|good|great|same|equal\w*|"
    r"similar\w*|alike|important|relevant|matters?|compar\w*|differen\w*|minus|stays?|remains?|kept|shown|drawn|plotted)\b"
    r"|n['’]t\b|\btoo\s*$",
    re.IGNORECASE,
)
"""Pattern of the words with which a clause asks for something, or narrows what another one asks for."""
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


@dataclass(frozen=True)
class Reason:
    """A clause that may only say why, and the change beside it with the names that it takes from the clause."""

    text: str
    change: str
    said: str

    @property
    def note(self) -> str:
        """Return what to tell the user about the clause."""
        read = "" if self.change == self.said else f"; the change is read as '{self.change}'"
        return f"'{self.text}' is taken as the reason, and changes nothing{read}"


def reasons_in(request: str, lines_of: Callable[[str], Collection[str]], now: datetime) -> Iterator[Reason]:
    """Yield each clause at the start or the end of a request that may only say why.

    In the change, a pronoun becomes what the reason is about, and a setting without a line gets its line.
    """
    for border in _BORDER.finditer(request):
        ends = request[: border.start()].strip(_MARKS), request[border.end() :].strip(_MARKS)
        for reason, change in (ends, ends[::-1]):
            if change and (wanted := _change_beside(reason, change, lines_of, now)):
                yield Reason(reason, wanted, change)


def _change_beside(
    reason: str, change: str, lines_of: Callable[[str], Collection[str]], now: datetime
) -> str:
    """Return a change with the names that it takes from its reason; empty if the clause may be no reason."""
    bad, verb = _BAD.search(reason), _STATES.search(reason)
    plain = _REVIEWER.sub(" ", _BAD.sub(lambda match: " " * len(match[0]), reason))
    if not (bad or verb) or _ASKS.search(plain):
        return ""
    atoms, wanted = read_atoms(plain, now), read_atoms(change, now)
    kinds = {atom.kind for atom in wanted} - {"time"}
    if _YEAR.search(change) or (bad and _STOPS.search(bad[0])):
        kinds.add("time")
    if not all(_is_no_wish(atom, kinds, is_bad=bad is not None) for atom in atoms):
        return ""
    named, meant = (
        {line for atom in part if atom.kind in ("what", "craft") for line in lines_of(atom.text)}
        for part in (atoms, wanted)
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
    panel = next((atom.text for atom in atoms if atom.kind == "panel"), "")
    pointed = _POINTS.search(change)
    if pointed and (about or is_bad):
        noun = " panel" if "panel" in pointed[0] and "panel" not in about else ""
        change = f"{change[: pointed.start()]}{about}{noun}{change[pointed.end() :]}" if about else ""
    elif is_aimed and lacking:
        return ""
    elif not is_aimed and not kinds <= _OF_FIGURE and any(atom.kind == "what" for atom in atoms):
        change = f"{change} for {about}" if lacking and about else ""
    if panel and change and "panel" not in kinds and panel not in change:
        change = f"{change} in {panel}"
    return "" if (about or is_bad) and _POINTS_ELSE.search(change) else change


def _is_no_wish(atom: Atom, changed: Collection[str], *, is_bad: bool) -> bool:
    """Return whether a part of a clause asks for nothing; what is wrong may have a value that the change replaces."""
    if atom.kind in ("what", "word", "quantity") or "noun:time" in atom.tags:
        return True
    if atom.kind in ("panel", "line", "tool", "noun", "craft") or atom.text.endswith("ing"):  # the smoothing
        return is_bad
    return (
        (is_bad or atom.kind == "time") and atom.kind in changed and atom.kind not in ("verb", "rel", "every")
    )
