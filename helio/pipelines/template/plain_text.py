"""Make control characters and invisible characters visible."""

from __future__ import annotations

import re

_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff"
"""Pattern of control characters and unpaired surrogates, without tabs and line ends."""
_INVISIBLE = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters without width, and characters that change the direction of text."""
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNPRINTABLE = re.compile(
    # The joiner and the selector that make one picture of several characters stay within pictures.
    f"[{_CONTROL}{_INVISIBLE}]|(?<![{_PICTURES}\ufe0f])\u200d|(?<![{_PICTURES}])\ufe0f"
)
_LONG_WORD = re.compile(r"\S{401,}")
_UNSEEN = re.compile(f"[{_CONTROL}{_INVISIBLE}\t\n\u200d\ufe0f]")


def plain(text: str) -> str:
    r"""Make control characters and invisible characters visible in a text from outside, before helio prints the text.

    >>> print(plain("a\x1b[2Jb"))
    a\u001b[2Jb
    """
    return _UNPRINTABLE.sub(lambda found: _escape(found[0]), text)


def without_long_words(text: str) -> str:
    """Shorten each very long word in a message, such as a long name.

    >>> without_long_words("no run is called '" + 5000 * "a" + "'")[-30:]
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaa…'"
    """
    return _LONG_WORD.sub(lambda found: f"{found[0][:200]}…{found[0][-1]}", text)


def escaped(text: str) -> str:
    r"""Make every invisible character visible, also tabs, line ends and unusual spaces.

    >>> print(escaped("one\ttwo\u00a0three\u200b"))
    one\u0009two\u00a0three\u200b
    """
    return "".join(_escape(sign) if not sign.isprintable() or _UNSEEN.match(sign) else sign for sign in text)


def is_seen(text: str) -> bool:
    """Return whether every character of a text is visible when it is printed."""
    return text.isprintable() and not _UNSEEN.search(text)


def _escape(sign: str) -> str:
    """Return a character as JSON writes it with ASCII letters; some rare characters need two escapes."""
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
