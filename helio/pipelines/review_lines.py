"""Write changes for a review; those that only replace one word, as ``MMS1`` by ``MMS2`` in every dataset, as one."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import groupby

from helio.pipelines.changes import Change

Words = tuple[str, str]
"""A word and the one in its place, in small letters."""

_WORD = re.compile(r"([^\W_]+)")
_LEAST = 5
"""The least number of changes that a review shows as one."""
_WIDTH = 100


def review_lines(changed: Sequence[Change], *, new: bool, numbered: bool = False) -> list[str]:
    """Write changes for a review, each with a sign and indented; those that only replace one word first, as one.

    Parameters
    ----------
    changed : sequence of Change
    new : bool
        Whether there was no earlier text, so that everything was added.
    numbered : bool
        Whether to number several changes, from 1.
    """
    if not changed:
        return ["  no change in what is fetched, computed or drawn"]
    lines: list[str] = []
    of_data = [number for number, change in enumerate(changed, 1) if change.is_of_data]
    if numbered and not new and 0 < len(of_data) < len(changed):
        verb = "changes" if len(of_data) == 1 else "change"
        rest = "the other changes" if len(changed) - len(of_data) == 1 else "the others change"
        lines.append(
            f"  {_ranges(of_data)} {verb} what is fetched or computed; {rest} the figure, names or texts"
        )
    replaced = {} if new else _replaced_words(changed)
    for words, numbers in replaced.items():
        lines += _replacement_lines(words, numbers, changed)
    alike = {number for numbers in replaced.values() for number in numbers}
    for number, change in enumerate(changed, 1):
        if number in alike:
            continue
        text = str(replace(change, is_inner=True)).removeprefix("step ") if new else str(change)
        place = f"{number:>3} " if numbered and not new and len(changed) > 1 else "  "
        lines += f"{place}{'+' if new else '~'} {text}".replace("\n", "\n" + " " * len(place)).split("\n")
    return lines


def _replaced_words(changed: Sequence[Change]) -> dict[Words, list[int]]:
    """Return the words that at least five changes only replace, and the numbers of these changes, from 1."""
    numbers: dict[Words, list[int]] = {}
    for number, change in enumerate(changed, 1):
        pairs = {_replaced(old, new) for old, new in _texts(change, changed)}
        if len(pairs) == 1 and (words := pairs.pop()) is not None:
            numbers.setdefault(words, []).append(number)
    return {words: of_words for words, of_words in numbers.items() if len(of_words) >= _LEAST}


def _replacement_lines(words: Words, numbers: Sequence[int], changed: Sequence[Change]) -> list[str]:
    """Write the changes that only replace words as one: the words, and where they stood."""
    places = {number: changed[number - 1] for number in numbers}
    names = dict.fromkeys(
        change.what if change.step_id is None else f"step {change.step_id}" for change in places.values()
    )
    title = f"{_ranges(numbers)} ~ only {words[0]} → {words[1]}, and nothing else, in"
    return [
        f"  {title}",
        *textwrap.wrap(
            ", ".join(names),
            _WIDTH,
            initial_indent=" " * 8,
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
        ),
    ]


def _ranges(numbers: Sequence[int]) -> str:
    """Write increasing numbers as ranges.

    >>> _ranges([1, 2, 3, 5, 7, 8])
    '1-3, 5, 7, 8'
    """
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    ]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def _texts(change: Change, changed: Sequence[Change]) -> Iterator[tuple[object, object]]:
    """Return the old and new texts of a change; of a key that another one replaces, the two keys."""
    removed = [item.value for item in change.items if item.sign == "-"]
    added = [item.value for item in change.items if item.sign == "+"]
    if len(removed) != len(added) or change.whole:
        yield None, None
    elif change.items:
        yield from zip(removed, added, strict=True)
    elif isinstance(change.before, Enum) or isinstance(change.after, Enum):  # no such key before or after
        yield _keys(change, changed)
    else:
        yield change.before, change.after


def _keys(change: Change, changed: Sequence[Change]) -> tuple[object, object]:
    """Return the removed and the added key of one value, if the change is one of them: of a line's new label."""
    for twin in changed:
        is_moved = (twin.before, twin.after) == (change.after, change.before) and twin.path[
            :-1
        ] == change.path[:-1]
        keys = (
            (twin.path[-1], change.path[-1])
            if isinstance(change.before, Enum)
            else (change.path[-1], twin.path[-1])
        )
        if is_moved and _replaced(*keys) is not None:
            return keys
    return None, None


def _replaced(old: object, new: object) -> Words | None:
    """Return the only word that differs between two texts and the one in its place; None if anything else differs."""
    if not (isinstance(old, str) and isinstance(new, str)):
        return None
    before, after = _WORD.split(old), _WORD.split(new)
    differing = {(was, now) for was, now in zip(before, after, strict=False) if was != now}
    is_same_case = all(
        was.isupper() == now.isupper() and _WORD.fullmatch(was + now) for was, now in differing
    )
    words = {(was.casefold(), now.casefold()) for was, now in differing}
    return words.pop() if len(before) == len(after) and len(words) == 1 and is_same_case else None
