"""Mark a note by what it is about, where an author passes on only some notes."""

from __future__ import annotations


class TimeNote(str):
    """A note about the time range of a new pipeline: of no use for data that are added to another pipeline."""

    __slots__ = ()
