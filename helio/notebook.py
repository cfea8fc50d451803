"""HTML in which results show themselves in Jupyter; every text is escaped, because texts come from data and files."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from helio.counts import number_of

MOST_ROWS = 60
"""Maximum number of rows of a table, or of items of a list; the last row says how many others there are."""
LONGEST_TEXT = 1500
"""Maximum number of characters of one cell or item."""


class _Showable(Protocol):
    def _repr_html_(self) -> str: ...


_Item = TypeVar("_Item", bound=_Showable)

_LEFT = ' style="text-align: left; vertical-align: top; white-space: pre-wrap"'


def text_as_html(value: object) -> str:
    """Escape a text for HTML, and shorten it to at most `LONGEST_TEXT` characters.

    >>> text_as_html("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    text = str(value)
    return html.escape(text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…")


def box(title: object, *parts: str) -> str:
    """Put parts of HTML below an escaped title; Jupyter typesets no formulas in it, because `$` marks variables."""
    return (
        '<div class="tex2jax_ignore mathjax_ignore">'
        f"<p><strong>{text_as_html(title)}</strong></p>{''.join(parts)}</div>"
    )


def paragraph(text: object) -> str:
    """Return a text as a paragraph; an empty text gives nothing."""
    return f"<p>{text_as_html(text)}</p>" if str(text) else ""


def printed(lines: Iterable[str]) -> str:
    """Return lines of text as a command would print them: each space stays."""
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


def listed(title: str, items: Iterable[object]) -> str:
    """Return a titled list of texts; without items, return nothing."""
    every = list(items)
    if not every:
        return ""
    points = "".join(f"<li{_LEFT}>{text_as_html(item)}</li>" for item in _limited(every))
    return f"<p>{text_as_html(title)}</p><ul>{points}</ul>"


def table_of(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of texts; without rows, return nothing."""
    every = list(rows)
    if not every:
        return ""
    names = "".join(f"<th{_LEFT}>{text_as_html(name)}</th>" for name in head)
    lines = "".join(
        f"<tr>{''.join(f'<td{_LEFT}>{text_as_html(cell)}</td>' for cell in row)}</tr>"
        for row in every[:MOST_ROWS]
    )
    others = len(every) - MOST_ROWS
    rest = f'<tr><td colspan="{len(head)}">… {number_of(others, "more row")}</td></tr>' if others > 0 else ""
    return f"<table><thead><tr>{names}</tr></thead><tbody>{lines}{rest}</tbody></table>"


class Shown(tuple[_Item, ...]):
    """A tuple that Jupyter shows as its items, one below the other."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        others = len(self) - MOST_ROWS
        shown = [item._repr_html_() for item in self[:MOST_ROWS]]
        return "".join(
            [*shown, *([paragraph(f"… {number_of(others, 'more', 'more')}")] if others > 0 else [])]
        )


def _limited(items: Sequence[object]) -> list[object]:
    others = len(items) - MOST_ROWS
    return [*items[:MOST_ROWS], *([f"… {number_of(others, 'more', 'more')}"] if others > 0 else [])]
