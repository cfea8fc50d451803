"""Turn schemas and docstrings into the Markdown of the reference pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

_SECTION = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)


def type_of(schema: Mapping[str, Any]) -> str:
    """Say which values a schema takes, in a few words.

    >>> type_of({"type": "array", "items": {"type": "string", "format": "label"}})
    'list of label'
    >>> type_of({"anyOf": [{"enum": ["y", "log"]}, {"type": "integer"}]})
    '`y` or `log` or whole number'
    """
    if "anyOf" in schema and "type" not in schema:
        return _joined([type_of(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return _joined([f"`{value}`" for value in schema["enum"]])
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object whose values are {type_of(schema['additionalProperties'])}"
    words = {"string": "text", "integer": "whole number", "boolean": "`true` or `false`"}
    if schema.get("contentMediaType"):
        return "Python code"
    plain = schema.get("type", "any value")
    return str(schema.get("format", words.get(plain, plain))).replace("-", " ")


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def sections(docstring: str) -> dict[str, str]:
    """Split a docstring into its parts by title; what comes before the first title has the title ''.

    >>> sections("Do it.\\n\\nReturns\\n-------\\nTable\\n    The same.")
    {'': 'Do it.', 'Returns': 'Table\\n    The same.'}
    """
    text = inspect.cleandoc(docstring)
    pieces = _SECTION.split(text)
    return {title: body.strip("\n") for title, body in zip(["", *pieces[1::2]], pieces[::2], strict=True)}


def markdown(text: str) -> str:
    """Write the prose of a docstring as Markdown: literals, lists of terms and nothing that Markdown would read.

    >>> markdown("Take ``a*b`` of `series`, where x < y and a*b*c.")
    'Take `a*b` of `series`, where x &lt; y and a\\\\*b\\\\*c.'
    """
    parts = re.split(r"(``.+?``|`[^`\n]+`)", text, flags=re.DOTALL)
    return "".join(
        f"`{' '.join(part.strip('`').split())}`" if index % 2 else _escaped(part)
        for index, part in enumerate(parts)
    )


def terms(body: str) -> str:
    """Write a section of terms and indented explanations, as numpydoc has them, as a Markdown list.

    >>> print(terms("Table, shape (n,)\\n    Same epochs.\\nStepError\\n    Bins change."))
    - **Table, shape (n,)**: Same epochs.
    - **StepError**: Bins change.
    """
    items: list[tuple[str, list[str]]] = []
    for line in body.splitlines():
        if line and not line[0].isspace():
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    return "\n".join(
        f"- **{markdown(term)}**" + (f": {markdown(' '.join(lines).strip())}" if any(lines) else "")
        for term, lines in items
    )


def cell(text: str) -> str:
    """Write text for a cell of a table."""
    return " ".join(markdown(text).replace("|", "\\|").split())


def _escaped(text: str) -> str:
    return re.sub(r"([*\\\[\]])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
