"""Say in a note how many records a table lacks by its nominal cadence, and find this again where a figure is drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ENOUGH = 0.95
"""Share of the expected records from which nothing is said."""
_NOTE = re.compile(r"([\d,]+) of the ([\d,]+) records that the cadence of .* promises are there")


def expected_note(found: int, expected: int, cadence: str) -> str:
    """Say that records are missing; empty where at most one of them, or one in twenty, is.

    >>> expected_note(10, 1440, "1 min")
    '10 of the 1,440 records that the cadence of 1 min promises are there'
    >>> expected_note(23, 24, "1 h")
    ''
    """
    if found >= expected - 1 or found >= _ENOUGH * expected:
        return ""
    return f"{found:,} of the {expected:,} records that the cadence of {cadence} promises are there"


def share_of_expected(notes: Iterable[str]) -> tuple[int, int] | None:
    """The two numbers of such a note among the notes of a table; None where there is none.

    >>> share_of_expected(["preliminary", expected_note(10, 1440, "1 min")])
    (10, 1440)
    """
    for note in notes:
        found = _NOTE.fullmatch(note)
        if found:
            return int(found[1].replace(",", "")), int(found[2].replace(",", ""))
    return None
