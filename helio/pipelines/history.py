"""Every text that a pipeline of the user's ever had, who wrote it and why; any of them can be had again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from helio.errors import RequestError
from helio.store.files import write_whole

Kind = Literal["saved", "imported", "copied", "mended", "authored", "edited", "repaired", "by hand", "undone"]


@dataclass(frozen=True)
class Writing:
    """Who wrote a text, and why.

    Parameters
    ----------
    kind : str
        What was done: ``"edited"``, ``"by hand"``.
    by : str
        ``"you"``, ``"rules"``, or the name of a model.
    request : str
        The sentence that asked for it; empty where there was none.
    prompt_digest : str
        Of what a model was told, as its transcript has it; empty where there was no model.
    """

    kind: Kind = "saved"
    by: str = "you"
    request: str = ""
    prompt_digest: str = ""


@dataclass(frozen=True)
class Revision:
    """One text of a pipeline.

    Parameters
    ----------
    number : int
        Counted from 1.
    parent : int
        The revision that it was made from, 0 for none; an undo goes there.
    digest : str
        Sha256 of the text.
    at : str
        When it was written, ISO 8601, UTC.
    """

    number: int
    parent: int
    digest: str
    at: str
    kind: Kind
    by: str
    request: str = ""
    prompt_digest: str = ""


class History:
    """The revisions of one pipeline, below the folder of the library.

    Parameters
    ----------
    folder : Path
        Of the library.
    name : str
        The pipeline's id.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.json"
        self._name = name
        self._folder = folder / "history" / name

    def revisions(self) -> list[Revision]:
        """All of them, oldest first; a change by hand since the last one counts as the newest."""
        known, text = self._known(), self._current()
        if text is not None and _of(known, text) is None:
            known.append(self._next(known, text, Writing("by hand")))
        return known

    def present(self) -> Revision | None:
        """The revision that the pipeline is at; None when there is no such pipeline."""
        text = self._current()
        return None if text is None else _of(self.revisions(), text)

    def text(self, number: int) -> str:
        """The text of a revision.

        Raises
        ------
        RequestError
            There is none of that number.
        """
        revisions = self.revisions()
        found = next((one for one in revisions if one.number == number), None)
        if found is None:
            last = revisions[-1].number if revisions else 0
            raise RequestError(
                f"{self._name} has no revision {number}",
                advice=f"revisions: 1 to {last}" if last else "it was never saved",
            )
        text = self._current()
        if text is not None and found.digest == _digest(text):
            return text
        return (self._folder / f"{number}.json").read_text(encoding="utf-8")

    def write(self, text: str, writing: Writing, *, parent: int | None = None) -> Revision:
        """Make a text the pipeline's, and keep it with who wrote it; what was changed by hand before is kept too."""
        known, before = self._known(), self._current()
        if before is not None and _of(known, before) is None:
            known.append(self._keep(self._next(known, before, Writing("by hand")), before))
        if parent is None:
            present = None if before is None else _of(known, before)
            parent = present.number if present else 0
        made = self._keep(self._next(known, text, writing, parent=parent), text)
        write_whole(self._file, text.encode())
        return made

    def undo(self) -> Revision:
        """Make the text from which the present one was made the pipeline's again; once more goes further back.

        Raises
        ------
        RequestError
            There is nothing before it.
        """
        present = self.present()
        if present is None or not present.parent:
            raise RequestError(
                f"there is nothing before this {self._name}", advice=f"helio history {self._name}"
            )
        return self.restore(present.parent)

    def restore(self, number: int) -> Revision:
        """Make the text of an earlier revision the pipeline's again."""
        text = self.text(number)
        parent = next(one.parent for one in self.revisions() if one.number == number)
        writing = Writing("undone", request=f"back to revision {number}")
        return self.write(text, writing, parent=parent)

    def _known(self) -> list[Revision]:
        names = {one.name for one in fields(Revision)}
        found = []
        for path in self._folder.glob("*.about.json"):
            facts = json.loads(path.read_text(encoding="utf-8"))
            found.append(Revision(**{key: value for key, value in facts.items() if key in names}))
        return sorted(found, key=lambda one: one.number)

    def _current(self) -> str | None:
        try:
            return self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    @staticmethod
    def _next(known: list[Revision], text: str, writing: Writing, *, parent: int | None = None) -> Revision:
        last = known[-1].number if known else 0
        at = datetime.now(UTC).isoformat(timespec="seconds")
        return Revision(last + 1, last if parent is None else parent, _digest(text), at, **asdict(writing))

    def _keep(self, revision: Revision, text: str) -> Revision:
        write_whole(self._folder / f"{revision.number}.json", text.encode())
        about = json.dumps(asdict(revision), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{revision.number}.about.json", about.encode())
        return revision


def _of(known: list[Revision], text: str) -> Revision | None:
    """The newest revision of that text."""
    return next((one for one in reversed(known) if one.digest == _digest(text)), None)


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
