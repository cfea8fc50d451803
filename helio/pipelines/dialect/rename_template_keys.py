"""Keys of a template as a whole under their own names."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.dialect.rename_keys import KeyRenaming, Kinds
from helio.pipelines.dialect.synonyms import TEMPLATE_KEYS
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Context, Finding
from helio.pipelines.template.schema import STRUCTURE

KINDS: Kinds = {
    **dict.fromkeys(("id", "name", "description", "artifact"), (str,)),
    "variables": (dict, list),
    "steps": (list,),
}
"""The types that the value of another word for a key may have."""


def rename_template_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename keys of the template that are another word, or another spelling, for one of the format.

    >>> from datetime import datetime
    >>> plan = {"phases": [{"phase": 1}], "vars": {}}
    >>> [edit] = rename_template_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HN102 keys renamed: phases → steps, vars → variables
    """
    del context
    yield from template_renaming(plan).findings()


def template_renaming(plan: Document) -> KeyRenaming:
    """Return a template with the keys of the format, and what was renamed."""
    renaming = KeyRenaming((), plan)
    renaming.rename(TEMPLATE_KEYS, STRUCTURE["properties"], KINDS)
    return renaming
