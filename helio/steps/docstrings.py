"""Read the sections of a tool's docstring, which are written in the style of numpydoc."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TITLE = re.compile(r"^(\w[^\n]*)\n-+\n", re.MULTILINE)


def sections(doc: str) -> dict[str, str]:
    r"""Split a docstring at the titles of its sections; the text before the first title has the key ``""``.

    >>> sections("Mean.\n\nReturns\n-------\nTable\n    Same epochs.\n")
    {'': 'Mean.', 'Returns': 'Table\n    Same epochs.'}
    """
    before, *titled = _TITLE.split(doc)
    parts = {"": before} | dict(zip(titled[::2], titled[1::2], strict=True))
    return {title: text.strip() for title, text in parts.items()}


def entries(section: str) -> Iterator[tuple[str, str]]:
    r"""Yield each name that a section lists, with its description as one line.

    >>> list(entries("low, high : float\n    In Hz.\nname : str\n    Of the\n    result."))
    [('low', 'In Hz.'), ('high', 'In Hz.'), ('name', 'Of the result.')]
    """
    for entry in re.finditer(r"^(\S[^\n]*?)(?: *: [^\n]*)?\n((?:[ ]+[^\n]*\n?|\n)*)", section, re.MULTILINE):
        for name in entry[1].split(","):
            yield name.strip(), in_one_line(entry[2])


def in_one_line(text: str) -> str:
    """Join the lines of a text, and remove the backquotes around code."""
    return " ".join(text.split()).replace("``", "")
