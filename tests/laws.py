"""How many examples property tests try: some in every run, always the same; many new ones with ``make long``."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

LONG = bool(os.environ.get("HELIO_LONG"))


def law(examples: int, long: int | None = None, **more: Any) -> settings:
    """Return the settings of a property test.

    Parameters
    ----------
    examples, long : int
        Examples of a usual run, and of ``make long``: twenty times as many when left out.
    """
    count = (long or 20 * examples) if LONG else examples
    return settings(max_examples=count, deadline=None, derandomize=not LONG, **more)
