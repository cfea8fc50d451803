"""Stored time phrases that earlier versions read as another range: what to say of them, and that it is said once."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from helio.errors import DamagedRecord
from helio.pipelines.dialect.spell_times import read_otherwise
from helio.pipelines.plan import Plan
from helio.store.files import write_whole
from helio.store.holding import held
from helio.store.records import read_record

log = logging.getLogger(__name__)

CODE = "HN705"
FILE = "reread.json"


def plan_notices(plan: Plan, home: Path) -> list[str]:
    """What there is to say of a plan's template, unless this home has said it before."""
    found = [warning.message for warning in plan.warnings if warning.code == CODE]
    return _said_once(home, f"pipeline {plan.pipeline_id}", found)


def schedule_notices(name: str, values: Mapping[str, Any], home: Path) -> list[str]:
    """What there is to say of a schedule's values of time variables, unless this home has said it before."""
    found = [
        read_otherwise(value, value, f"'{value}'") for value in values.values() if isinstance(value, str)
    ]
    return _said_once(home, f"schedule {name}", filter(None, found))


def _said_once(home: Path, owner: str, messages: Iterable[str]) -> list[str]:
    """The messages that were not given before, each behind its owner; from now on they were."""
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
    """What was said; nothing where the file is missing or damaged, and then it is said once more."""
    try:
        return read_record(path, list[str])
    except FileNotFoundError:
        return []
    except DamagedRecord as error:
        log.warning("%s; what was said is said once more", error.message)
        return []
