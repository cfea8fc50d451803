"""Write and read the note that says why a table has no values."""

from __future__ import annotations

from collections.abc import Iterable

_BEGIN = "no values: "
NOTHING_FOUND = "nothing was found"
"""Beginning of the reason why the table of a search, such as one for flares, has no records."""


def no_values_note(reason: str) -> str:
    """Write the note of a table without values.

    >>> no_values_note("fetch failed: nothing there")
    'no values: fetch failed: nothing there'
    """
    return f"{_BEGIN}{reason}"


def why_no_values(notes: Iterable[str]) -> str:
    """Return why a table has no values; return an empty text if no note says this.

    >>> why_no_values(["preliminary", no_values_note("all values are fill values")])
    'all values are fill values'
    """
    return next((note.removeprefix(_BEGIN) for note in notes if note.startswith(_BEGIN)), "")
