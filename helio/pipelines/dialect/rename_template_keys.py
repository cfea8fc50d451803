"""Rename the top-level keys of a template to the keys of the template format."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.dialect.rename_keys import KeyRenaming, Kinds, spellings_of
from helio.pipelines.dialect.synonyms import TEMPLATE_KEYS
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.document import Document
from helio.pipelines.template.schema import STRUCTURE

KINDS: Kinds = {
    **dict.fromkeys(("id", "name", "description", "artifact"), (str,)),
    "variables": (dict, list),
    "steps": (list,),
}
"""Types that a value must have so that helio accepts a synonym as its key."""


def rename_template_keys(plan: Document, context: Context) -> Iterator[Finding]:
    """Rename top-level keys of the template that are synonyms or other spellings of known keys.

    >>> from datetime import datetime
    >>> plan = {"phases": [{"phase": 1}], "vars": {}}
    >>> [edit] = rename_template_keys(plan, Context({}, datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HN102 keys renamed: phases → steps, vars → variables
    """
    del context
    renaming = template_renaming(plan)
    yield from (*renaming.findings(), *renaming.misspelt_keys(STRUCTURE["properties"], KINDS))


def template_renaming(plan: Document) -> KeyRenaming:
    """Return the template with its synonyms of keys replaced by known keys, and the list of renamed keys."""
    renaming = KeyRenaming((), plan)
    renaming.rename(spellings_of(TEMPLATE_KEYS, STRUCTURE["properties"]), STRUCTURE["properties"], KINDS)
    return renaming
