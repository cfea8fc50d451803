"""Find the frames in a sentence, and which vector each of them belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import RequestQuantity
from helio.authoring.rules.reading.named import Placed
from helio.authoring.rules.reading.sentence import Sentence
from helio.knowledge.frame_names import FRAMES
from helio.knowledge.quantities import ELECTRON_SPEED, ELECTRON_V, SOURCES, VECTOR_V, B
from helio.knowledge.quantities import V as SPEED
from helio.knowledge.quantity_words import VECTORS

_FRAMES = "|".join((*FRAMES, *sorted({source.frame for source in SOURCES} - {*FRAMES, ""})))
TURNED = (
    rf"(?:\b(?:rotated|transformed|converted|turned)\s+)?(?:\bfrom\s+)?\b(?:{_FRAMES})\s*(?:-+>|→|to|into)\s*(?=(?:{_FRAMES})\b)"
    rf"|\(?\b(?:(?:rotate|transform|convert|turn)\s+(?:it|them)|rotated|transformed|converted)\s+from\s+(?:{_FRAMES})\b\)?"
    rf"|\b(?:rotate|transform|convert|turn)\b(?=.*?\b(?:in)?to\s+(?:the\s+)?(?:{_FRAMES})\b)"
)
"""Pattern of the frame of the data before the one to draw, and of a verb before the data."""
_FRAME = (
    rf"\b(?:(?:rotated|transformed|converted|turned)\s+(?:in)?to\s+(?:the\s+)?)?"
    rf"(?P<frame>{_FRAMES})\b(?:[- ](?:frames?|coord(?:inate)?s?|system)\b)?"
)
_JOINED = re.compile(
    r"\s*(?:(?:,|/|&|\+|\band\b|\bvs\.?|\bversus\b)\s*)+(?:in\s+)?(?:the\s+)?", re.IGNORECASE
)
_BREAK = re.compile(r".*(?:[,;:(+&/|]|\b(?:and|with|plus)\b)", re.IGNORECASE)
_VELOCITY = re.compile(r"(?:electron\s+)?V_?[ipe]?(?!\w)|(?:\w+\s+)?velocit", re.IGNORECASE)

LMN = "LMN"
"""The frame of vectors along the axes of minimum variance."""
_SPEEDS = {SPEED: VECTOR_V, ELECTRON_SPEED: ELECTRON_V}
"""Speeds, whose symbol with a frame means the velocity."""


@dataclass(frozen=True)
class _Frames:
    """Frames that a sentence names in one place: ``GSE``, or ``GSE and GSM``."""

    names: tuple[str, ...]
    start: int
    stop: int


def read_frames(
    sentence: Sentence, placed: Placed, axes: Sequence[int] = ()
) -> tuple[str, Placed, NotUnderstood | None]:
    """Remove the frames from a sentence.

    Parameters
    ----------
    axes : sequence of int
        Where the sentence names the axes of minimum variance, which may be those of some vectors beside a frame of
        others: ``V in GSM and B in LMN``. The frame of these vectors is then `LMN`.

    Returns
    -------
    frame : str
        The frame of all vectors; empty if there is none, or if each vector has its own.
    placed : list
        The quantities, with a velocity instead of a speed that has a frame, and with the frames of their own.
    doubt : NotUnderstood, optional
        Why it is not clear to which vector a frame belongs.
    """
    found = [
        _Frames((match["frame"].upper(),), match.start(), match.end()) for match in sentence.take(_FRAME)
    ]
    apart = [*found, *(_Frames((LMN,), at, at + len(LMN)) for at in axes)]
    frame, framed, doubt = _of_vectors(apart, placed, sentence)
    turned = {quantity.name for _, quantity in framed if quantity.frame == LMN}
    others = {quantity.frame for _, quantity in framed} - {LMN, ""}
    if doubt is None and turned == {B} and others:  # the axes are those of the field
        return frame, framed, None
    return _of_vectors(found, placed, sentence)


def _of_vectors(
    found: Sequence[_Frames], placed: Placed, sentence: Sentence
) -> tuple[str, Placed, NotUnderstood | None]:
    groups = _grouped(sorted(found, key=lambda each: each.start), sentence.text)
    names = list(dict.fromkeys(name for group in groups for name in group.names))
    vectors = [
        at for at, (start, quantity) in enumerate(placed) if _may_have_frame(sentence, start, quantity)
    ]
    bound: dict[int, list[str]] = {}
    for group, among in zip(groups, _bound(groups, placed, vectors, sentence.text), strict=True):
        of = [at for at in among if not _is_scalar(at, among, placed, group)]
        vectors_meant = {placed[at][1].name for at in of}  # one, or several components of it
        if len(names) > 1 and (not of or (len(group.names) > 1 and len(vectors_meant) > 1)):
            doubt = NotUnderstood(
                f"it is not clear which vector to draw in {' and '.join(group.names)}",
                advice="write each frame behind its vector ('V in GSE, B in GSM')",
            )
            return names[0], placed, doubt
        for at in of:
            bound[at] = [*bound.get(at, ()), *group.names]
    if len(names) < 2:
        return next(iter(names), ""), [_turned(atom, at in bound, "") for at, atom in enumerate(placed)], None
    framed: Placed = []
    for at, atom in enumerate(placed):
        framed += [_turned(atom, at in bound, name) for name in dict.fromkeys(bound.get(at, [""]))]
    return "", framed, None


def _turned(atom: tuple[int, RequestQuantity], bound: bool, frame: str) -> tuple[int, RequestQuantity]:
    """Give a quantity its frame, or leave that of its parameter; a speed with a frame is a velocity."""
    start, quantity = atom
    if bound and quantity.name in _SPEEDS:
        quantity = replace(quantity, name=_SPEEDS[quantity.name])
    return start, replace(quantity, frame=frame or quantity.frame)


def _grouped(found: Sequence[_Frames], text: str) -> list[_Frames]:
    """Join frames that stand beside each other: ``GSE and GSM``."""
    groups: list[_Frames] = []
    for each in found:
        if groups and _JOINED.fullmatch(text[groups[-1].stop : each.start]):
            last = groups.pop()
            each = _Frames((*last.names, *each.names), last.start, each.stop)
        groups.append(each)
    return groups


def _may_have_frame(sentence: Sentence, start: int, quantity: RequestQuantity) -> bool:
    """Return whether a quantity is a vector or a component, or a velocity that may be one."""
    if quantity.name not in _SPEEDS:
        return bool(quantity.component) or quantity.name in VECTORS
    return _VELOCITY.match(sentence.text[start:]) is not None


def _bound(groups: Sequence[_Frames], placed: Placed, vectors: Sequence[int], text: str) -> list[list[int]]:
    """Return the vectors of each group of frames: those behind it in ``GSE velocity``, otherwise those before it."""
    starts = [placed[at][0] for at in vectors]
    leading = []
    for number, group in enumerate(groups):
        begin = max(groups[number - 1].stop if number else 0, _last_break(text[: group.start]))
        follows = any(start >= group.stop and not text[group.stop : start].strip() for start in starts)
        leading.append(follows and not any(begin <= start < group.start for start in starts))
    taken: set[int] = set()
    bound: list[list[int]] = []
    for number, group in enumerate(groups):
        if leading[number]:
            stop = groups[number + 1].start if number + 1 < len(groups) else len(text)
            if number + 1 < len(groups) and not leading[number + 1]:  # GSE velocity, B in GSM
                stop = next(start for start in starts if start >= group.stop) + 1
            of = [at for at, start in zip(vectors, starts, strict=True) if group.stop <= start < stop]
        else:
            of = [at for at, start in zip(vectors, starts, strict=True) if start < group.start]
        of = [at for at in of if at not in taken]
        taken.update(of)
        bound.append(of)
    return bound


def _is_scalar(at: int, among: Sequence[int], placed: Placed, group: _Frames) -> bool:
    """Return whether a component between a speed and a frame has the frame alone: ``V, density, Bz GSM``."""
    start, quantity = placed[at]
    low, high = min(start, group.start), max(start, group.start)
    return quantity.name == SPEED and any(
        placed[other][1].component and low < placed[other][0] < high for other in among
    )


def _last_break(text: str) -> int:
    """Return the position behind the last sign or word that divides a list."""
    match = _BREAK.match(text)
    return match.end() if match else 0
