"""Tell the user once about stored time phrases that earlier versions of helio understood as another range."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from helio.pipelines.dialect.spell_times import read_otherwise
from helio.pipelines.plan import Plan
from helio.store.files import write_whole
from helio.store.holding import held
from helio.store.records import read_if_whole

log = logging.getLogger(__name__)

CODE = "HN705"
FILE = "reread.json"


def plan_notices(plan: Plan, home: Path) -> list[str]:
    """Return messages about a plan's time phrases that helio now reads differently; skip messages shown before."""
    messages = [warning.message for warning in plan.warnings if warning.code == CODE]
    return _new_messages(home, f"pipeline {plan.pipeline_id}", messages)


def schedule_notices(name: str, values: Mapping[str, Any], home: Path) -> list[str]:
    """Return messages about a schedule's time phrases that helio now reads differently; skip messages shown before."""
    messages = [
        read_otherwise(value, value, f"'{value}'") for value in values.values() if isinstance(value, str)
    ]
    return _new_messages(home, f"schedule {name}", filter(None, messages))


def _new_messages(home: Path, owner: str, messages: Iterable[str]) -> list[str]:
    """Return the messages that are new in this home folder, with their pipeline or schedule, and record them."""
    texts = [f"{owner}: {message}" for message in messages]
    if not texts:
        return []
    with held(home / f"{FILE}.lock"):
        before = _read(home / FILE)
        new = [text for text in texts if text not in before]
        if new:
            write_whole(home / FILE, json.dumps([*before, *new], indent=1, ensure_ascii=False).encode())
    return new


def _read(path: Path) -> list[str]:
    """Read the messages that were shown already; return none if the file is missing or damaged."""
    return read_if_whole(path, list[str], log, "helio shows the notices again") or []
