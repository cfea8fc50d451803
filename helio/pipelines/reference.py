"""Explain a word: a tool, a code, a key of a template, or a synonym of a tool or key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from helio.errors import RequestError, did_you_mean
from helio.pipelines.codes import Code, codes, explained
from helio.pipelines.dialect.synonyms import (
    ARGUMENTS,
    LOOP_KEYS,
    STEP_KEYS,
    TEMPLATE_KEYS,
    VARIABLE_KEYS,
    fold,
)
from helio.pipelines.template_keys import Key, keys
from helio.steps.signature import signatures
from helio.steps.tool_page import ToolPage, tool_page

Entry = ToolPage | Code | Key


def look_up(word: str) -> Sequence[Entry]:
    """Find a tool, a code, or all meanings of a key by its name, by another spelling, a synonym or one of its values.

    >>> [entry.name for entry in look_up("for_each.over") if isinstance(entry, Key)]
    ['over']
    >>> [entry.tool.name for entry in look_up("smooth") if isinstance(entry, ToolPage)]
    ['running_average']
    >>> sorted({entry.name for entry in look_up("storms") if isinstance(entry, Key)})
    ['levels', 'point_names']
    """
    code = explained(word)
    if code is not None:
        return (code,)
    entries: tuple[Entry, ...] = (*_tools_called(word), *_keys_called(word))
    meant = entries or tuple(entry for name in _meant_by(word) for entry in look_up(name))
    return meant or tuple(_keys_with_value(word))


def find_tool(name: str) -> ToolPage:
    """Find the page of a tool by the tool's name or a synonym.

    Raises
    ------
    RequestError
        No tool has that name.
    """
    pages = [*_tools_called(name)] or [page for meant in _meant_by(name) for page in _tools_called(meant)]
    if not pages:
        known = [*signatures(), *(word for tool in signatures().values() for word in tool.synonyms)]
        raise RequestError(
            f"no tool is called '{name}'",
            advice=did_you_mean(name, known, otherwise="run `helio tools` to see all tools"),
        )
    return pages[0]


def names() -> Iterator[str]:
    """Return the names of all tools, codes and keys."""
    yield from signatures()
    yield from codes()
    yield from keys()


def _tools_called(name: str) -> Iterator[ToolPage]:
    tool = signatures().get(name)
    if tool is not None:
        yield tool_page(tool)


def _keys_called(word: str) -> Iterator[Key]:
    """Yield the keys with this name; ``for_each.over`` means only the key ``over`` inside ``for_each``."""
    for key in keys().get(word.rpartition(".")[2], ()):
        if any(_ends_with(f"{location}.{key.name}", word) for location in key.places):
            yield key


def _ends_with(place: str, word: str) -> bool:
    """Return whether a place in a template ends with a word, which need not have the brackets of lists."""
    return place.endswith(word) or place.replace("[]", "").endswith(word)


def _keys_with_value(word: str) -> Iterator[Key]:
    """Yield the keys of which a word is one of the values, such as ``levels`` for ``storms``."""
    yield from (key for same_name in keys().values() for key in same_name if word in key.values)


def _meant_by(word: str) -> list[str]:
    """Return the tools and keys that a word names, in any case and with or without underscores."""
    spellings = [(tool.name, tool.synonyms) for tool in signatures().values()]
    spellings += [(name, ()) for name in keys()]
    for table in (TEMPLATE_KEYS, STEP_KEYS, LOOP_KEYS, VARIABLE_KEYS, ARGUMENTS):
        spellings += [(name, tuple(words.split())) for name, words in table.items() if name in keys()]
    folded = fold(word)
    meant = [name for name, words in spellings if folded in map(fold, (name, *words))]
    return [name for name in dict.fromkeys(meant) if name != word]
