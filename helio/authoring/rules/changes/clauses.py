"""Divide a sentence into clauses, and find for each clause the change that its typed parts mean."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from helio.authoring.rules.changes.atoms import COUNTED, Atom
from helio.patterns import ignoring_case

_SEPARATOR = re.compile(
    r"\s*(?P<joint>[;,]|\.(?=\s|$)|\b(?:and(?!\s+(?:(?:show|plot|draw|display|put)\s+(?:it|them|that|"
    r"the\s+result)|above|upwards?|larger|bigger|stronger|higher|beyond)\b)|then|but|plus)\b|&)\s*",
    re.IGNORECASE,
)
_MANY = frozenset({"what", "panel", "verb", "noun", "rel", "line", "every", "craft"})
"""Kinds of which a clause may have several; of each other kind at most one."""
_LOOKS = frozenset({"colour", "dash", "width", "mode", "scale", "range", "bound", "relative"})
"""Kinds of values that are for what the clause before names, if the clause itself names nothing."""
VALUES = frozenset({
    "colour", "dash", "width", "mode", "scale", "range", "bound", "relative", "factor", "auto", "colormap", "palette",
    "theme", "text", "time", "frame", "craft", "unit",
})  # fmt: skip
"""Kinds of values of which a clause may have several: ``log from 1 to 1000``, ``Wind for 2015-03-17``."""
EXCLUSIVE = frozenset({"colour", "dash", "mode", "scale", "colormap", "palette", "theme", "format"})
"""Kinds of values of which a look has one, so that ``A instead of B`` says all with A."""
OLD = "rel:instead rel:instead_of verb:replace verb:swap verb:convert"
"""Parts of a clause that also names what was before."""
ANYTHING = "*"
"""What a rule may have that reads the words of a clause by itself."""
_TARGETS = ("what", "panel", "every", "line")
_SEVERAL = 2
_NAMES = frozenset({"what", "craft"})
_FIRST_INPUT = re.compile(r"\bfrom\s+(?:the\s+)?(?:\S+\s+)?\S+$", re.IGNORECASE)
"""The first of two names at the end of a clause: ``add the dynamic pressure from N and V at the bottom``."""
_TOGETHER = frozenset({"rel:same_panel", "rel:own_panel", "rel:also"})
"""Parts at the end of a list of names: ``add A and B together``, ``add A and B as well``."""
_PLACED = frozenset({"rel:top", "rel:bottom", "rel:right_axis", "rel:own_panel", "rel:same_panel"})
"""Parts of a clause that only says where something new comes: ``also the Kp index, at the bottom``."""
_BY = re.compile(r"\w\s+(?:by|with)\s+\w", re.IGNORECASE)
"""Word between the names of a further pair: ``replace A by B and C by D``."""
_BESIDE = frozenset({"rel:above", "rel:below"})
PLACED_BESIDE = _BESIDE | {"rel:top", "rel:bottom", "rel:before", "rel:after"}
"""Parts of a clause that say where a panel comes."""
_AROUND = frozenset({"rel", "what", "craft", "panel"})
"""Kinds of the parts of a clause that only says beside what something comes: ``Bz in its own panel, below |B|``."""
_COMPUTED = frozenset({"duration", "tool", "what"})
"""Kinds of the parts of a clause that only says what to compute: ``5 min running mean over |B|``."""
_MARKS = frozenset({"noun:horizontal_line", "noun:vertical_line", "verb:mark", "verb:shade"})
_OF_TWO = re.compile(
    r"\b(?:angle|difference|ratio|lag|delay|correlation)s?\s+between\s+(?!.*\band\b)", re.IGNORECASE
)
"""The beginning of what has two names: ``the angle between B and the radial direction``."""
_IN_PANEL = ignoring_case(r"\W*in\s+(?:the\s+)?[\w|-]+\s+panel\W*")
"""A clause that only says in which panel something is."""
_SAME_TIME = ignoring_case(
    r"(?:(?:for|on|over|in)\s+)?(?:the\s+)?same\s+(?:days?|dates?|interval|times?|period|range|time\s+(?:range|interval))\W*"
)
"""A clause that says of a change without a time that the time stays."""
_OLD_VALUE = re.compile(
    r",?\s*\b(?:instead\s+of|rather\s+than|in\s+place\s+of|not)\b.*$", re.IGNORECASE | re.DOTALL
)
_STATEMENT = r"\w\s+(?:is|are|was|were|looks?|seems?|says?|has|have|had)\s(?!.*\bto\s*$)"
"""Verbs of a clause whose names are not for the clause behind it: ``Chorus is what we study. Drop the hiss``."""
_IMPLIED = frozenset({"rel:also", "line", "verb:show"})
"""Parts that any clause may have."""


@dataclass(frozen=True)
class Clause:
    """The typed parts of a clause, in order.

    Parameters
    ----------
    atoms : tuple of Atom
    start, stop : int
        Where the clause is in the sentence.
    text : str
        The words of the clause.
    shared : tuple of Atom
        Parts that the clause takes from the clause before it.
    """

    atoms: tuple[Atom, ...]
    start: int
    stop: int
    text: str
    shared: tuple[Atom, ...] = ()

    @property
    def all(self) -> tuple[Atom, ...]:
        """Return the clause's own parts and those that it shares."""
        return (*self.atoms, *self.shared)

    def of(self, *tags: str) -> list[Atom]:
        """Return the parts with one of the tags."""
        return [atom for atom in self.all if any(tag in atom.tags for tag in tags)]

    def has(self, *tags: str) -> bool:
        """Return whether the clause has a part with one of the tags."""
        return bool(self.of(*tags))

    def value(self, kind: str) -> Any:
        """Return the value of the first part of a kind, or None."""
        return next((atom.value for atom in self.all if kind in atom.tags), None)

    @property
    def names(self) -> list[str]:
        """Return the words that name lines or panels."""
        return [atom.text for atom in self.of("what") if atom.text.casefold() not in COUNTED]

    @property
    def new_names(self) -> list[str]:
        """Return the names without those that others replace: A of ``A instead of B``."""
        return [atom.text for atom in self.new("what")] or self.names

    @property
    def new_text(self) -> str:
        """Return the words without those of what is replaced: ``A`` of ``A instead of B``."""
        return _OLD_VALUE.sub("", self.text)

    def new(self, *tags: str) -> list[Atom]:
        """Return the parts with one of the tags that do not stand behind ``instead of``."""
        return self.beside("rel:instead_of", *tags)[0]

    def beside(self, relation: str, *tags: str) -> tuple[list[Atom], list[Atom]]:
        """Return the parts with one of the tags that stand before a relation, and those behind it."""
        at = next((atom.start for atom in self.of(relation)), self.stop)
        named = self.of(*tags)
        return [atom for atom in named if atom.start < at], [atom for atom in named if atom.start > at]

    def says(self, pattern: str) -> bool:
        """Return whether a regular expression matches some words of the clause, in capitals or not."""
        return ignoring_case(pattern).search(self.text) is not None

    def without(self, atoms: Iterable[Atom]) -> str:
        """Return the words of the clause with blanks in the place of some parts."""
        text = self.text
        for atom in atoms:
            start, stop = atom.start - self.start, atom.stop - self.start
            text = text[:start] + " " * (stop - start) + text[stop:]
        return text

    def ahead_of(self, atom: Atom) -> str:
        """Return the words of the clause before one of its parts."""
        return self.text[: atom.start - self.start]


@dataclass(frozen=True)
class Rule:
    """What a clause with certain parts means.

    Parameters
    ----------
    needs : str
        Tags that the clause must have, separated by blanks; alternatives are separated by ``|``.
    may : str
        Tags that it may have besides; parts with other tags do not fit.
    change : callable
        Makes the change: takes the editor and the clause.
    when : callable, optional
        Whether a clause with these parts fits.
    several : str
        Kinds of values of which the clause may have more than one.
    """

    needs: str
    may: str
    change: Callable[[Any, Clause], None]
    when: Callable[[Clause], bool] | None = None
    several: str = ""

    def fits(self, clause: Clause) -> bool:
        """Return whether the rule reads every part of a clause."""
        if self.may == ANYTHING:
            return self.when is not None and self.when(clause)
        needs, may = _tags(self.needs), frozenset(self.may.split())
        known = may.union(*needs) | _IMPLIED
        atoms = clause.all
        if not all(any(tag in known for tag in atom.tags) for atom in atoms):
            return False
        if not all(any(tag in atom.tags for atom in atoms for tag in tags) for tags in needs):
            return False
        counts = Counter(atom.kind for atom in atoms if atom.kind not in _MANY)
        if any(count > 1 and kind not in self.several.split() for kind, count in counts.items()):
            return False
        return self.when is None or self.when(clause)


@lru_cache(maxsize=256)
def _tags(needs: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(need.split("|")) for need in needs.split())


@dataclass(frozen=True)
class Change:
    """A clause, and the rule that reads it."""

    clause: Clause
    rule: Rule


def removes_lines(atoms: Sequence[Atom]) -> bool:
    """Return whether parts only say which lines go, so that a value behind them cannot be for these lines."""
    verbs, kinds = {atom.tags[-1] for atom in atoms if atom.kind == "verb"}, {atom.kind for atom in atoms}
    return verbs == {"verb:remove"} and kinds <= {"verb", "what", "craft", "line", "panel"}


def without_old_values(atoms: Sequence[Atom]) -> list[Atom]:
    """Leave out values that a new value of the same kind replaces: ``log`` of ``linear instead of log``."""
    kept = list(atoms)
    for relation in [atom for atom in atoms if "rel:instead_of" in atom.tags]:
        at = kept.index(relation)
        old = kept[at + 1] if at + 1 < len(kept) else relation
        if old.kind not in EXCLUSIVE:
            continue
        earlier = kept[:at] if any(atom.kind == old.kind for atom in kept[:at]) else kept[at + 2 : at + 4]
        if sum(atom.kind == old.kind for atom in earlier) == 1:
            kept[at : at + 2] = []
    return kept


def read_clauses(
    text: str, atoms: Sequence[Atom], rules: Sequence[Rule]
) -> tuple[list[Change], list[Clause]]:
    """Read a sentence as the largest number of clauses that each mean something.

    Returns
    -------
    list of Change
        The changes in order; empty if a part of the sentence has no meaning.
    list of Clause
        The parts of the sentence at which the reading ends; empty if everything was read.
    """
    segments = _segments(text, atoms)
    if not segments:
        return [], []
    reader = _Reading(segments, text, rules)
    for level in range(3):
        changes = reader.read(0, (), level)
        if changes is not None:
            return changes, []
    unread = [clause for clause in segments if not any(rule.fits(clause) for rule in rules)]
    return [], unread or segments[reader.furthest :]


class _Reading:
    def __init__(self, segments: Sequence[Clause], text: str, rules: Sequence[Rule]) -> None:
        self.segments = segments
        self.text = text
        self.rules = rules
        self.furthest = 0

    def read(self, at: int, before: tuple[Atom, ...], level: int) -> list[Change] | None:
        """Read the segments from a position; `before` has the parts of the clause before it."""
        self.furthest = max(self.furthest, at)
        if at == len(self.segments):
            return []
        for stop in range(at + 1, len(self.segments) + 1):
            if any(segment.says(_STATEMENT) for segment in self.segments[at : stop - 1]):
                break
            clause = _join(self.segments[at:stop], self.text)
            for wanted in _with_shared(clause, before, level):
                changes = self.changes(wanted)
                if not changes:
                    continue
                rest = self.read(stop, wanted.all, level)
                if rest is not None:
                    return [*changes, *rest]
                break
        return None

    def changes(self, clause: Clause) -> list[Change]:
        """Return the change that a clause means, or one change for each of its values."""
        if {atom.kind for atom in clause.atoms} <= _NAMES and clause.says(_STATEMENT):
            return []  # ACE is broken
        rule = next((rule for rule in self.rules if rule.fits(clause)), None)
        if rule is not None:
            return [Change(clause, rule)]
        values = [atom for atom in clause.all if atom.kind in VALUES]
        kinds = [atom.kind for atom in values if atom.kind in EXCLUSIVE]
        is_titled = clause.has("text") and clause.has("time", "moment")
        if len(values) < _SEVERAL or len(set(kinds)) < len(kinds) or is_titled:
            return []
        changes = []
        for value in values:
            for left_out in ((), ("noun",), _TARGETS, ("noun", *_TARGETS)):
                part = _without(clause, [atom for atom in values if atom is not value], left_out)
                rule = next((rule for rule in self.rules if rule.fits(part)), None)
                if rule is not None:
                    changes.append(Change(part, rule))
                    break
            else:
                return []
        used = {atom for change in changes for atom in change.clause.all}
        return changes if used.issuperset(clause.all) else []


def _without(clause: Clause, atoms: Sequence[Atom], kinds: Sequence[str]) -> Clause:
    """Return a clause without some parts."""
    own, shared = (
        tuple(atom for atom in part if not any(atom is gone for gone in atoms) and atom.kind not in kinds)
        for part in (clause.atoms, clause.shared)
    )
    return replace(clause, atoms=own, shared=shared)


def _join(clauses: Sequence[Clause], text: str) -> Clause:
    """Return several neighbouring clauses as one."""
    start, stop = clauses[0].start, clauses[-1].stop
    return Clause(tuple(atom for clause in clauses for atom in clause.atoms), start, stop, text[start:stop])


def _with_shared(clause: Clause, before: tuple[Atom, ...], level: int) -> list[Clause]:
    """Return a clause alone, and with parts of the clause before it that it lacks: verb, names of settings, targets.

    On level 1 a clause without values may also share the values; on level 0 it shares the verb only to remove or add.
    """
    if not before:
        return [clause]

    def of(*kinds: str) -> tuple[Atom, ...]:
        return tuple(atom for atom in before if atom.kind in kinds)

    named = ("what", "panel", "craft", "every", "line")
    verbs, nouns, targets = of("verb"), of("noun"), of(*named)
    if any("verb:remove" in atom.tags for atom in before):  # remove the shading and the speed
        verbs = tuple(atom for atom in verbs if "verb:shade" not in atom.tags)
    values = tuple(atom for atom in before if atom.kind not in ("verb", "noun", "rel", *named))
    if clause.says(r"^\W*(?:(?:that|those)\s+)?of\b") and of(
        "tool"
    ):  # the median of A in red and of B in blue
        is_placed = of("panel") or len(of("what", "craft")) > 1
        return [] if is_placed else [replace(clause, shared=of("verb", "tool", "duration"))]
    own = {atom.kind for atom in clause.atoms}
    has_target = bool(own & {"what", "panel", "craft", "every"})
    is_of_rest = clause.says(r"\baxes\b(?!\s+(?:for|of|on)\b)")  # remove V, linear axes
    if removes_lines(before) and own & _LOOKS and (is_of_rest or of("panel")):
        targets = of("panel", "every", "line")
    shared: list[tuple[Atom, ...]] = []
    if not has_target and targets:
        shared.append(targets)
        if "noun" not in own:
            shared.append((*targets, *nouns))
    if "verb" not in own:
        shared += [verbs, (*verbs, *nouns)] if "noun" not in own else [verbs]
    if "noun" not in own:
        shared.append(nouns)
    if level and has_target and own <= {"what", "panel", "craft", "every", "line", "rel"}:
        shared.append((*verbs, *nouns, *values))
    options = [replace(clause, shared=parts) for parts in dict.fromkeys(shared) if parts]
    only = any("verb:only" in atom.tags for atom in before)
    averages = {"tool", "duration"}  # only V, 10 min means; V on top and in 10 min means
    with_averages = only or (own <= averages | {"noun", "rel"} and of("what") and not removes_lines(before))
    looks = own & (_LOOKS | averages if with_averages else _LOOKS)
    is_of_before = targets and not has_target and not clause.has("every", "line:lines")
    is_removed_too = own == {"levels"} and removes_lines(before)
    return [*options, clause] if (looks and is_of_before) or is_removed_too else [clause, *options]


def _segments(text: str, atoms: Sequence[Atom]) -> list[Clause]:
    """Divide a sentence at commas and conjunctions outside of its typed parts."""
    cuts = [
        match
        for match in _SEPARATOR.finditer(text)
        if not any(atom.start < match.end("joint") and match.start("joint") < atom.stop for atom in atoms)
        and not (match["joint"].casefold() == "and" and _OF_TWO.search(text[: match.start()]))
    ]
    edges = [0, *(place for cut in cuts for place in cut.span()), len(text)]
    clauses = []
    is_timed = any(atom.kind in ("time", "moment") for atom in atoms)
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        inside = tuple(atom for atom in atoms if start <= atom.start < stop)
        if inside and (is_timed or not _SAME_TIME.fullmatch(text[start:stop])):
            clauses.append(Clause(inside, start, stop, text[start:stop]))
    return _with_lists(clauses, text)


def _with_lists(clauses: list[Clause], text: str) -> list[Clause]:
    """Join each clause to the clause before it of which it is a part: ``remove Bx and By``."""
    joined: list[Clause] = []
    for clause in clauses:
        if joined and (_is_part(joined[-1], clause) or _is_named_too(joined[-1], clause, text)):
            joined[-1] = _join([joined[-1], clause], text)
        else:
            joined.append(clause)
    return joined


def _is_part(before: Clause, clause: Clause) -> bool:
    """Return whether a clause only says where, when, how or by what name something of the clause before it is."""
    last = {tag for atom in before.atoms for tag in atom.tags}
    kinds = {atom.kind for atom in before.atoms}
    lone = {atom.kind for atom in clause.atoms if "noun:window" not in atom.tags}
    titled = clause.says(r"\b(?:title|figure|plot)\b")
    named = lone == {"text", "verb"} and not titled and "text" not in kinds
    listed = "number" in lone and lone <= {"number", "what", "panel"}
    is_new = before.has("verb:add", "rel:also")
    ways = _PLACED | {"rel:raw", "rel:also"} if is_new else _PLACED  # also Bz, unsmoothed, too
    placed = bool(lone) and all(not ways.isdisjoint(atom.tags) for atom in clause.atoms)
    placed |= is_new and clause.says(r"^\W*between\b") and lone <= _NAMES
    is_within = lone == {"what"} and _IN_PANEL.fullmatch(clause.text) is not None
    placed |= is_within and before.has("verb:only", "verb:remove", "verb:add")
    if lone == {"range"} and before.has("verb:only", "verb:remove") and before.says(r"\b(?:band|channel)s\b"):
        return True  # only two bands: 13.6-19.3 and 60-100 MeV
    if (
        lone == {"colour"}
        and before.atoms[-1].kind == "colour"
        and clause.text.strip() == clause.atoms[0].text
    ):
        return True  # in black and red
    styled = clause.atoms[0].kind in ("moment", "time") and kinds.isdisjoint(_LOOKS)
    timed = lone - ({*_LOOKS, "line"} if styled else set()) <= {
        "moment",
        "time",
    }  # mark 03:00 and 05:00 in red
    if placed or (not _MARKS.isdisjoint(last) and (named or listed or timed)):
        return True
    beside = len(clause.atoms) > 1 and not _BESIDE.isdisjoint(clause.atoms[0].tags) and lone <= _AROUND
    pronoun = re.search(r"\b(?:it|them|this|that)\b", clause.text)
    if beside and "panel" not in kinds and _BESIDE.isdisjoint(last) and not (pronoun and last & {"verb:add"}):
        return True
    added = lone == {"colour"} and pronoun is None and ("verb:add" in last or kinds == _COMPUTED)
    windowed = lone == {"duration"} or (not lone and clause.says(r"\bsame\b"))  # same window
    windowed &= bool({"tool", "verb:smooth"} & last)
    # add A, smoothed over 1 h
    computed = "tool" in lone and lone <= {"tool", "duration"} and "verb:add" in last
    return lone.isdisjoint(kinds) and (added or windowed or computed)


def _is_named_too(before: Clause, clause: Clause, text: str) -> bool:
    """Return whether a clause only names more lines for the clause before it, which ends with such a name."""
    if clause.has("craft") and clause.says(r"^\W*(?:use|using|take|switch|change)\b"):
        return False
    last = before.atoms[-1]
    between = text[last.stop : clause.start]
    apart = before.has("tool") and len(before.names) == 1 and re.fullmatch(r"\s*,\s*and\s+", between)
    if apart or re.search(r";|\bthen\b", between):  # add the mean of A, and B
        return False
    is_open = all(atom.kind in _NAMES or "verb:smooth" in atom.tags for atom in before.atoms)
    is_set = clause.atoms[0].kind in _NAMES and clause.has("duration", *_LOOKS) and not clause.has("verb")
    if is_open and is_set and re.search(r"\band\b|&", between):  # smooth A and B over 30 min
        return True
    if before.has("verb:add") and clause.atoms[0].kind in _NAMES and _FIRST_INPUT.search(before.text):
        return True
    removed = before.has("verb:remove", "verb:only") and "and" in between
    placed = before.has("verb:add", "rel:also") and not before.has(*PLACED_BESIDE)  # add AE and AL at the top
    placed = placed and not (before.says(r"\bpanels?\b") or re.search(r",\s*and\b", between))
    names = [
        atom
        for atom in clause.atoms
        if _TOGETHER.isdisjoint(atom.tags)
        and not (removed and atom.kind in ("rel", "panel"))  # hide Bx and By in the first panel
        and not (placed and not PLACED_BESIDE.isdisjoint(atom.tags))
    ]
    paired = before.has("verb:replace") and (_BY.search(clause.text) or clause.has("rel:also"))
    ends = last.kind in _NAMES and any(atom.kind not in _NAMES for atom in before.atoms)
    return ends and bool(names) and all(atom.kind in _NAMES for atom in names) and not paired
