"""Split what a request for a new figure says about looks from the rest, and apply it to the new template."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest
from helio.authoring.rules.arranging import ARRANGING, keep_only, remove, swap_panels
from helio.authoring.rules.atoms import Atom, read_atoms
from helio.authoring.rules.clauses import read_clauses
from helio.authoring.rules.figure import FigureEditor
from helio.authoring.rules.settings import SETTINGS
from helio.authoring.writing.writer import Asks
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.template.document import Document

_LINE = "verb:add verb:mark colour dash width relative number text what panel line"
# Parts that begin a phrase about looks, and the parts next to them that belong to the phrase.
_ANCHORS = (
    ("noun:horizontal_line", f"{_LINE} noun:zero_line noun:horizontal_line"),
    ("noun:vertical_line", f"{_LINE} moment time noun:vertical_line"),
    ("verb:shade", "moment time noun:time colour text what"),
    ("noun:y_axis noun:y_range noun:range", "range bound scale what panel noun:y_range noun:range"),
    ("noun:colour_bar noun:z_range", "range scale"),
    ("noun:subtitle noun:x_label", "text verb:name"),
    ("noun:legend noun:footer noun:panel_letters", "verb:remove verb:add"),
    ("noun:font_size", "number printed relative"),
    ("palette theme colormap", "noun:palette noun:theme noun:colour_scale noun:colour"),
)
_NEEDS = {"noun:horizontal_line": "number", "noun:vertical_line": "moment time", "verb:shade": "moment time",
          "noun:y_axis noun:y_range noun:range": "range bound"}  # fmt: skip
_NEAR = re.compile(
    r"[\s,(]*(?:(?:an?|the|in|on|to|at|of|with|as|is|and|from|for|panel|axis|scale|drawn|shown)[\s,]+)*[\s,)]*",
    re.IGNORECASE,
)
_LEVEL = re.compile(
    r"(?<!vertical )(?<!horizontal )"
    r"\b(?:(?:alert|threshold|warning|limit|reference) )?line (?=at [-−+]?\d+(?:\.\d+)?(?![\d:-]))",
    re.IGNORECASE,
)
"""A line at a number is horizontal."""
_CUTS = (
    r"\s*[,;]\s*|\.\s+|\s+[-–—]\s+",
    r"\s*[,;]\s*|\.\s+|\s+[-–—]\s+|,?\s*\b(?:and|plus)\b\s*",
    r"\s*[,;]\s*|\.\s+|\s+[-–—]\s+|\s+(?:with|on|as|in)\s+(?:an?\s+)?",
)
"""Where a request is divided into parts: at punctuation, then also at small words."""
_CHANGES = (*SETTINGS, *(rule for rule in ARRANGING if rule.change not in (remove, keep_only, swap_panels)))
"""Rules for changes that a request for a new figure may also ask for."""
_PLACE = re.compile(r"\b(?:to|in|on|of|for)\s+(?:the\s+)?$", re.IGNORECASE)
_LEAD = re.compile(r"(?:[,;]?\s*\b(?:and|with|using|plus)\s+)?(?:an?\s+|the\s+)?$|[,;]\s*$", re.IGNORECASE)


def take_looks(text: str, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Split marks, limits and other settings that a request for a new figure names from the rest.

    >>> take_looks("ACE Bz with a horizontal line at 0 for 2015-03-17", datetime(2026, 1, 1))
    ('ACE Bz for 2015-03-17', ('horizontal line at 0',))
    """
    text = _LEVEL.sub("horizontal line ", text)
    atoms = read_atoms(text, now)
    spans: list[tuple[int, int]] = []
    for anchors, near in _ANCHORS:
        for at, atom in enumerate(atoms):
            if not set(anchors.split()) & set(atom.tags) or any(
                start <= atom.start < stop for start, stop in spans
            ):
                continue
            parts = _grown(atoms, at, frozenset(near.split()), text)
            needed = set(_NEEDS.get(anchors, "").split())
            if needed and not any(needed & set(part.tags) for part in parts):
                continue
            spans.append((parts[0].start, parts[-1].stop))
    looks, rest, at = [], "", 0
    for start, stop in sorted(spans):
        tail = re.match(r"\s+(?:panel|axis|scale)\b", text[stop:], re.IGNORECASE)
        stop += tail.end() if tail else 0
        looks.append(text[start:stop].strip(" ,"))
        rest += _LEAD.sub(" ", text[at:start])
        at = stop
    return " ".join((rest + text[at:]).split()), tuple(looks)


def take_phrases(text: str, unread: Sequence[str], now: datetime) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Split the parts of a request that have words which helio did not read, if each part is a change of a figure.

    Yields
    ------
    tuple
        The rest of the request, and the parts; first without the parts, then with the names in them.

    >>> next(take_phrases("Wind V and n in 2008, right axis for n", ("right", "axis"), datetime(2026, 1, 1)))
    ('Wind V and n in 2008', ('right axis for n',))
    """
    if re.search(r"\bright\b", text, re.IGNORECASE):  # V at left, n at right
        text = re.sub(r"\s+(?:at|on)(?: the)? left\b", "", text, flags=re.IGNORECASE)
        unread = [word for word in unread if word.casefold() != "left"]
    words = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in unread) or r"(?!)")
    for cut in _CUTS:
        pieces = re.split(f"({cut})", text, flags=re.IGNORECASE)
        named = list(pieces)
        phrases = []
        for at in range(0, len(pieces), 2):
            if not words.search(pieces[at]):
                continue
            phrase = pieces[at].strip(" .?!")
            atoms = read_atoms(phrase, now)
            changes, left = read_clauses(phrase, atoms, _CHANGES)
            if left or not changes:
                break
            phrases.append(phrase)
            pieces[at], named[at] = "", _names_in(phrase, atoms)
        else:
            for parts in (pieces, named):
                yield "".join(parts).strip(" ,;"), tuple(phrases)


def _names_in(phrase: str, atoms: Sequence[Atom]) -> str:
    """Return a phrase without the words that say how to draw the data that it names."""
    for atom in sorted(atoms, key=lambda atom: -atom.start):
        if atom.kind not in ("what", "craft", "time", "moment", "frame"):
            phrase = f"{phrase[: atom.start]} {phrase[atom.stop :]}"
    return phrase


def is_same_data(shorter: PipelineRequest, whole: PipelineRequest) -> bool:
    """Return whether a request without some parts asks for the data, times and computations of the whole request."""
    return (
        (shorter.times, shorter.spacecraft, shorter.datasets, shorter.computations, shorter.energies)
        == (whole.times, whole.spacecraft, whole.datasets, whole.computations, whole.energies)
        and (shorter.cadence, shorter.frame, shorter.instruments)
        == (whole.cadence, whole.frame, whole.instruments)
        and set(shorter.quantities) <= set(whole.quantities)
    )


def _grown(atoms: Sequence[Atom], at: int, near: frozenset[str], text: str) -> list[Atom]:
    """Return the part at an index with its neighbours of certain kinds, between which only small words stand."""
    first = last = at
    while first and _joins(atoms[first - 1], atoms[first], near, text):
        first -= 1
    while (
        last + 1 < len(atoms)
        and near & set(atoms[last + 1].tags)
        and _NEAR.fullmatch(text[atoms[last].stop : atoms[last + 1].start])
    ):
        name = {"what", "panel"} & set(atoms[last + 1].tags)
        if name and not _PLACE.search(text[: atoms[last + 1].start]):
            break
        last += 1
    return list(atoms[first : last + 1])


def _joins(before: Atom, atom: Atom, near: frozenset[str], text: str) -> bool:
    """Return whether a part before another belongs to its phrase; a name of what to draw does not."""
    between = text[before.stop : atom.start]
    return (
        bool((near - {"what", "panel"}) & set(before.tags))
        and re.fullmatch(r"\s*(?:an?|the)?\s*", between) is not None
    )


def changed_looks(
    looks: Sequence[str], template: Document, *, catalogue: Catalogue, ask: Asks, now: datetime
) -> tuple[Document, list[str]]:
    """Apply phrases about looks to the figure of a template; return the new template and notes.

    Parameters
    ----------
    looks : sequence of str
        Phrases such as ``Bz red``; those of `take_looks`.

    Raises
    ------
    NotUnderstood
        A phrase has no meaning for this figure.
    """
    editor = FigureEditor(template, catalogue, ask, now)
    for phrase in looks:
        changes, left = read_clauses(phrase, read_atoms(phrase, now), _CHANGES)
        if left or not changes:
            raise NotUnderstood(f"helio does not understand '{phrase}'")
        for change in changes:
            change.rule.change(editor, change.clause)
    return editor.after, editor.notes
