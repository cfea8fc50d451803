"""Patterns of words that people write in several ways, read from a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SPELLINGS: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("spellings.json").read_text(encoding="utf-8")
)
