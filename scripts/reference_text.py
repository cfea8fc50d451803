"""Turn docstrings into the Markdown of the reference pages."""

from __future__ import annotations

import re
from collections.abc import Iterable


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


def definitions(entries: Iterable[tuple[str, str]]) -> str:
    """Write terms, already in Markdown, with their explanations.

    >>> print(definitions([("`window`", "Length."), ("`unit`", "")]))
    `window`
    : Length.
    <BLANKLINE>
    `unit`
    : –
    """
    return "\n\n".join(f"{term}\n: {explanation or '–'}" for term, explanation in entries)


def page_name(title: str) -> str:
    """Write the title of a group as the name of its page.

    >>> page_name("Vectors and frames")
    'vectors-and-frames'
    """
    return "-".join(re.findall("[a-z0-9]+", title.lower()))


def _escaped(text: str) -> str:
    return re.sub(r"([*\\\[\]])", r"\\\1", text.replace("&", "&amp;").replace("<", "&lt;"))
