"""Write a changed template as text, and keep the author's layout for everything that did not change."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from helio.pipelines.template.document import Document, as_text

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class _Span:
    start: int
    stop: int

    def of(self, text: str) -> str:
        return text[self.start : self.stop]


def splice(text: str, before: Document, after: Document) -> str:
    """Write the template `after` as text; keep those parts of `text` that are the same in `before` and `after`.

    Parameters
    ----------
    text : str
        The file as it is.
    before : dict
        What it says.
    after : dict
        What it has to say.

    Returns
    -------
    str
        With the ends of lines, and the byte order mark if there is one, of `text`.
    """
    mark, ends = "\ufeff" if text.startswith("\ufeff") else "", "\r\n" if "\r\n" in text else "\n"
    text = text.removeprefix("\ufeff")
    if not _says(text, before) or list(after) != _keys_of(before, after):
        return mark + as_text(after).replace("\n", ends)
    members = _members(text)
    pieces: list[str] = []
    at = 0
    for key, span in members.items():
        if _same(before[key], after[key]):
            continue
        new = (
            _steps(text, span, before, after, ends)
            if key == "steps"
            else _laid_out(text, span, after[key], ends)
        )
        pieces += [text[at : span.start], new]
        at = span.stop
    added = [key for key in after if key not in members]
    if added:
        last = list(members.values())[-1]
        margin = _margin(text, last.start)
        pieces.append(text[at : last.stop])
        for key in added:
            value = _indented(after[key], f"{ends}{margin}")
            pieces.append(f",{ends}{margin}{json.dumps(key, ensure_ascii=False)}: {value}")
        at = last.stop
    pieces.append(text[at:])
    return mark + "".join(pieces)


def _keys_of(before: Document, after: Document) -> list[str]:
    """Return the keys of `after` if it only adds keys to the old object."""
    return [*before, *(key for key in after if key not in before)]


def _says(text: str, document: Document) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False  # a plan with prose around it, or in another dialect
    return isinstance(found, dict) and _same(found, document)


def _same(value: object, other: object) -> bool:
    """Return whether two values are equal in JSON: ``True`` is not 1, and the order of keys counts."""
    return json.dumps(value) == json.dumps(other)


def _members(text: str) -> dict[str, _Span]:
    """Return the position in the text of each value in the outermost object, by key."""
    found: dict[str, _Span] = {}
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, stop = _DECODER.raw_decode(text, start)
        found[key] = _Span(start, stop)
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _elements(text: str, span: _Span) -> list[_Span]:
    found: list[_Span] = []
    at = _skip(text, span.start + 1)
    while text[at] != "]":
        _, stop = _DECODER.raw_decode(text, at)
        found.append(_Span(at, stop))
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _steps(text: str, span: _Span, before: Document, after: Document, ends: str) -> str:
    elements = _elements(text, span)
    if not elements:
        return _laid_out(text, span, after["steps"], ends)
    unchanged = [(step, element.of(text)) for step, element in zip(before["steps"], elements, strict=True)]
    margin = _margin(text, elements[0].start)
    written = []
    for step in after["steps"]:
        old_text = next((old for known, old in unchanged if _same(known, step)), None)
        laid_out = _indented(step, f"{ends}{margin}")
        written.append(laid_out if old_text is None else old_text)
    between = text[elements[0].stop : elements[1].start] if len(elements) > 1 else f",{ends}{margin}"
    opening, closing = text[span.start : elements[0].start], text[elements[-1].stop : span.stop]
    return opening + between.join(written) + closing


def _laid_out(text: str, span: _Span, value: object, ends: str) -> str:
    return _indented(value, f"{ends}{_margin(text, span.start)}")


def _indented(value: object, ends: str) -> str:
    """Write a value over several lines, with the line ends and the indentation of the text around it."""
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", ends)


def _margin(text: str, at: int) -> str:
    """Return the white space at the start of the line that contains a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None  # it may match nothing, and always matches
    return found.end()
