"""Regular expressions that many tables hold as text, each compiled once, and changes of text outside quotes.

Python keeps the last 512 patterns that it compiled; the sentences of one template need five times as many.
"""

import re
from collections.abc import Callable
from functools import lru_cache


@lru_cache(maxsize=8192)
def ignoring_case(pattern: str) -> re.Pattern[str]:
    """Return a pattern that takes small and capital letters as the same."""
    return re.compile(pattern, re.IGNORECASE)


def outside_quotes(text: str, write: Callable[[str], str]) -> str:
    """Return a text of which each part that is not in double quotes is written anew.

    >>> outside_quotes('plot bz, title "bz today"', str.upper)
    'PLOT BZ, TITLE "bz today"'
    """
    parts = re.split(r"([\"“][^\"“”]*[\"”])", text)
    return "".join(part if part[:1] in ('"', "“") else write(part) for part in parts if part)
