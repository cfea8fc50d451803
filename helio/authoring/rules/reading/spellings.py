"""Patterns of words that people write in several ways, read from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SPELLINGS: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("spellings.json").read_text(encoding="utf-8")
)
_SYMBOLS = [(re.compile(pattern), words) for pattern, words in SPELLINGS["symbols"]]


def with_symbols_in_words(text: str) -> str:
    """Write quantities that stand in short as the other rules read them.

    >>> with_symbols_in_words("ion N, Te parallel and He2+ density")
    'ion density, Te_parallel and alpha density'
    """
    for pattern, words in _SYMBOLS:
        text = pattern.sub(words, text)
    return text
