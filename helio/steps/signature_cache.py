"""Save the signatures of all tools beside their code until the code changes, as Python saves bytecode."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from helio.errors import OutputError
from helio.store.files import write_whole

CODE = Path(__file__).parent
"""Folder with the code of all tools."""
KEPT = CODE / "__pycache__" / "tools.json"


def read_kept() -> dict[str, Any] | None:
    """Read the saved signatures of the tools; return None if there are none, or if the code has changed."""
    for path in _paths():
        try:
            cached = json.loads(path.read_bytes())
        except (OSError, ValueError):
            continue  # not there, or not whole: it is made again
        if isinstance(cached, dict) and cached.get("code") == code_state():
            tools: dict[str, Any] = cached["tools"]
            return tools
    return None


def keep(tools: Mapping[str, Any]) -> None:
    """Save the signatures beside the code, or in the user's cache folder if the code's folder is read-only."""
    content = json.dumps({"code": code_state(), "tools": tools}, ensure_ascii=False, default=list).encode()
    for path in _paths():
        try:
            write_whole(path, content, durable=False)
        except OutputError:
            continue  # the next command reads the code again
        return


def code_state() -> list[list[str | int]]:
    """Return the name, size and modification time of every file on which a signature may depend."""
    root, own = os.fspath(CODE.parent), os.fspath(CODE)
    folders = [own, *(entry.path for entry in os.scandir(own) if entry.is_dir())]
    tools = [entry for folder in folders for entry in os.scandir(folder) if entry.name.endswith(".py")]
    states = [(entry.path, entry.stat()) for entry in tools]
    time_range = os.path.join(root, "time_range.py")
    states.append((time_range, os.stat(time_range)))
    return sorted([path.removeprefix(root), state.st_size, state.st_mtime_ns] for path, state in states)


def _paths() -> Iterator[Path]:
    yield KEPT
    from platformdirs import user_cache_path

    yield user_cache_path("helio") / "tools.json"
