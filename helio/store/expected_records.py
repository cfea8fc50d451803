"""Write and read the note that says how many records a table has, and how many its nominal cadence would give."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ENOUGH = 0.95
"""Present fraction of the expected records at which the note is no longer written."""
_NOTE = re.compile(r"([\d,]+) of the ([\d,]+) records that the cadence of .* promises are there")


def expected_note(present: int, expected: int, cadence: str) -> str:
    """Write a note on missing records; return an empty text if at most one record, or one in twenty, is missing.

    >>> expected_note(10, 1440, "1 min")
    '10 of the 1,440 records that the cadence of 1 min promises are there'
    >>> expected_note(23, 24, "1 h")
    ''
    """
    if present >= expected - 1 or present >= _ENOUGH * expected:
        return ""
    return f"{present:,} of the {expected:,} records that the cadence of {cadence} promises are there"


def share_of_expected(notes: Iterable[str]) -> tuple[int, int] | None:
    """Return the present and the expected number of records from a table's notes; return None if no note says this.

    >>> share_of_expected(["preliminary", expected_note(10, 1440, "1 min")])
    (10, 1440)
    """
    for note in notes:
        match = _NOTE.fullmatch(note)
        if match:
            return int(match[1].replace(",", "")), int(match[2].replace(",", ""))
    return None
