"""The tasks: a sentence to an author, and what has to come of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from helio.authoring.outcome import Failure
from helio.pipelines.library import SHIPPED
from helio.pipelines.template.document import Document, read_template

HERE = Path(__file__).parent
NOW = datetime(2026, 2, 10, 12)
"""The clock of every task that names none."""
KINDS = ("create", "edit", "question", "repair")


@dataclass(frozen=True)
class Task:
    """One task.

    Parameters
    ----------
    id, kind : str
        ``"edit-red-bz"``, ``"edit"``.
    request : str
        The sentence; empty for a repair.
    now : datetime
        Naive UTC.
    expected : tuple of dict
        What would do: the author has to come up with any one of them.
    text : str
        The file of the template that is edited or repaired: one of ours, or one that helio ships.
    failure : Failure or None
        Of a repair: what the run failed with.
    plain : bool
        Mission or several, quantity, range, magnitude, average, compare, plot: nothing else.
    missions : tuple of str
    """

    id: str
    kind: str
    request: str
    now: datetime
    expected: tuple[Mapping[str, Any], ...]
    text: str = ""
    failure: Failure | None = None
    plain: bool = False
    missions: tuple[str, ...] = ()
    possible: bool = True
    """Whether the data and tools exist; otherwise the author must not draft anything."""

    @property
    def template(self) -> Document:
        """What the file says."""
        return read_template(self.text, place=self.id)


def base_text(name: str, folder: Path = HERE) -> str:
    """The text of a template by name: of the folder, then ours, then those that are shipped."""
    places = [home / f"{name}.json" for home in (folder / "templates", HERE / "templates", SHIPPED)]
    return next((place for place in places if place.is_file()), places[-1]).read_text(encoding="utf-8")


def read_tasks(folder: Path = HERE / "tasks") -> tuple[Task, ...]:
    """Every task of a folder, by kind and in the order of the files; kinds without a file are left out."""
    files = [(kind, folder / f"{kind}.json") for kind in KINDS]
    return tuple(
        _task(kind, written, folder)
        for kind, file in files
        if file.is_file()
        for written in json.loads(file.read_text(encoding="utf-8"))
    )


def _task(kind: str, written: Mapping[str, Any], folder: Path) -> Task:
    expected = written.get("expect", {})
    failed = written.get("failure")
    text = base_text(written["base"], folder) if "base" in written else ""
    for old, new in written.get("replace", ()):
        if old not in text:
            raise ValueError(f"{written['id']}: its base has no {old}")
        text = text.replace(old, new)
    return Task(
        str(written["id"]),
        kind,
        str(written.get("request", "")),
        datetime.fromisoformat(written["now"]) if "now" in written else NOW,
        tuple(expected) if isinstance(expected, list) else (expected,),
        text,
        None if failed is None else _failure(failed),
        bool(written.get("plain")),
        tuple(written.get("missions", ())),
        bool(written.get("possible", True)),
    )


def _failure(written: Mapping[str, Any]) -> Failure:
    return Failure(
        "run-of-the-benchmark",
        written["step"],
        written["kind"],
        written["message"],
        written.get("advice", ""),
        tuple(written.get("evidence", ())),
    )
