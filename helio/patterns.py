"""Regular expressions that many tables hold as text: each is compiled once.

Python keeps the last 512 patterns that it compiled; the sentences of one template need five times as many.
"""

import re
from functools import lru_cache


@lru_cache(maxsize=8192)
def ignoring_case(pattern: str) -> re.Pattern[str]:
    """Return a pattern that takes small and capital letters as the same."""
    return re.compile(pattern, re.IGNORECASE)
