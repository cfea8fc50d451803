"""Clean the texts of archives: remove control characters and repeated spaces, and limit the length."""

from __future__ import annotations

import unicodedata

LONGEST = 400
"""The largest number of characters of a title or description; useful titles have up to about 350."""


def clean_text(text: str) -> str:
    """Return a text of an archive as one line of at most `LONGEST` characters.

    >>> clean_text("  B-field\\n magnitude\\x07 ")
    'B-field magnitude'
    """
    printed = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in text)
    line = " ".join(printed.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1].rstrip() + "…"


def split_title(label: str, pi: str) -> tuple[str, str]:
    """Split CDAWeb's label of a dataset into the title and the affiliation of its investigator.

    >>> split_title("ACE Magnetic Field 1-Hour Level 2 Data - N. Ness (Bartol Research Institute)", "N. Ness")
    ('ACE Magnetic Field 1-Hour Level 2 Data', 'Bartol Research Institute')
    """
    title, dash, rest = label.rpartition(" - ")
    if not (dash and pi and rest.startswith(pi)):
        if not pi and dash and not rest.strip():
            return title.strip(), ""
        return label.strip().removesuffix(" -").strip(), ""
    inside = rest[len(pi) :].strip()
    affiliation = inside[1:-1].strip() if inside.startswith("(") and inside.endswith(")") else ""
    return title.strip(), affiliation
