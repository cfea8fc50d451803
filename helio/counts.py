"""Write a count together with its noun, in the singular or in the plural."""

from __future__ import annotations


def number_of(count: int, singular: str, plural: str = "") -> str:
    """Write a count with its noun; the plural of the noun is `plural`, by default the singular with an "s".

    >>> number_of(1, "file"), number_of(2310, "file"), number_of(0, "entry", "entries")
    ('1 file', '2,310 files', '0 entries')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"
