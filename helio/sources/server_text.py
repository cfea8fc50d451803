"""Texts from servers, changed so that helio can show them safely in a terminal."""

from __future__ import annotations

_MOST_SHOWN = 200


def printable(text: str) -> str:
    r"""Replace every control character or unprintable character by a space.

    >>> printable("too much\x1b[31m")
    'too much [31m'
    """
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)


def one_line(text: object, most: int = _MOST_SHOWN) -> str:
    r"""Shorten a server's text to one line, for use in a message or a note.

    >>> one_line("too\n much\x1b[31m"), one_line("x" * 9, most=5)
    ('too much [31m', 'xxxx…')
    """
    line = " ".join(printable(str(text)).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
