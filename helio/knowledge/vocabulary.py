"""The words and phrases of sentences, read from a file that can be translated."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VOCABULARY: Mapping[str, Any] = json.loads(
    Path(__file__).with_name("english.json").read_text(encoding="utf-8")
)
"""Phrases of quantities and computations in the notation of `phrase_pattern`, and lists of other words."""
