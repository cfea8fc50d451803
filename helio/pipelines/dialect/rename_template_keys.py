"""Keys of a template as a whole under their own names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from helio.pipelines.dialect.rename_keys import Renaming
from helio.pipelines.dialect.synonyms import TEMPLATE_KEYS, folded
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.document import Document
from helio.pipelines.template.schema import STRUCTURE

_ACCEPTS: Mapping[str, Callable[[Any], bool]] = {
    "id": lambda value: isinstance(value, str),
    "name": lambda value: isinstance(value, str),
    "description": lambda value: isinstance(value, str),
    "artifact": lambda value: isinstance(value, str),
    "variables": lambda value: isinstance(value, (dict, list)),
    "steps": lambda value: isinstance(value, list),
}


def rename_template_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename keys of the template that are another word, or another spelling, for one of the format.

    >>> from datetime import datetime
    >>> plan = {"phases": [{"phase": 1}], "vars": {}}
    >>> [edit] = rename_template_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HN102 keys renamed: phases → steps, vars → variables
    """
    del context
    yield from Renaming((), plan, folded(TEMPLATE_KEYS), STRUCTURE["properties"], _ACCEPTS).findings()
