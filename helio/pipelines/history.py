"""Keep every version of the user's pipelines, with its author and reason, so that a user can restore any version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from helio.errors import DamagedRecord, OutputError, RequestError
from helio.limits import LIMITS
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.oversize import oversize_file
from helio.store.files import write_whole
from helio.store.holding import held
from helio.store.records import Count, Digest, Instant, WrongShape, convert, read_bytes, read_record

Kind = Literal[
    "saved", "imported", "copied", "mended", "authored", "edited", "repaired", "by hand", "undone", "restored"
]
_ABOUT = ".about.json"


class NotText(RequestError):
    """Error for a file that is not a text."""


@dataclass(frozen=True)
class Writing:
    """Author and reason of a new version of a pipeline's text.

    Parameters
    ----------
    kind : str
        Kind of change: ``"edited"``, ``"by hand"``.
    by : str
        ``"you"``, ``"rules"``, or the name of a model.
    request : str
        The sentence that requested it; empty where there was none.
    prompt_digest : str
        Digest of the prompt in the model's transcript; empty where there was no model.
    left_out : tuple of str
        What the sentence requested and a person did not accept, in words.
    """

    kind: Kind = "saved"
    by: str = "you"
    request: str = ""
    prompt_digest: str = ""
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Revision:
    """One version of a pipeline's text.

    Parameters
    ----------
    number : int
        Number from 1.
    parent : int
        The revision that it was made from, 0 for none; an undo restores it.
    digest : str
        Sha256 of the text.
    at : str
        Time of writing, ISO 8601, UTC.
    """

    number: Count
    parent: Count
    digest: Digest
    at: Instant
    kind: Kind
    by: str
    request: str = ""
    prompt_digest: str = ""
    left_out: tuple[str, ...] = ()


class History:
    """History of one pipeline: its old and present texts, in a folder of the library.

    Parameters
    ----------
    folder : Path
        Folder of the library.
    name : str
        The pipeline's id.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._file = folder / f"{name}.json"
        self._name = name
        self._folder = folder / "history" / name

    def revisions(self) -> list[Revision]:
        """List all revisions, oldest first; a later change by hand to the pipeline's file is the newest revision."""
        known, text = self._known(), self._current()
        if text is not None and _of(known, text) is None:
            known.append(self._next(known, text, Writing("by hand")))
        return known

    def present(self) -> Revision | None:
        """Find the revision that the pipeline has now; return None if the pipeline does not exist."""
        text = self._current()
        return None if text is None else _of(self.revisions(), text)

    def last_sentence(self) -> str:
        """Return the request that led to the present text from its parent, which `undo` takes back."""
        present = self.present()
        requests = [
            revision.request
            for revision in self.revisions()
            if present is not None
            and (revision.digest, revision.parent) == (present.digest, present.parent)
            and revision.kind not in ("undone", "restored")
        ]
        return (requests[-1] if requests else "") or "a change without a sentence"

    def text(self, number: int) -> str:
        """Return the text of the pipeline at a revision.

        Raises
        ------
        RequestError
            There is no revision of that number.
        """
        revisions = self.revisions()
        wanted_revision = next((revision for revision in revisions if revision.number == number), None)
        if wanted_revision is None:
            last = revisions[-1].number if revisions else 0
            raise RequestError(
                f"{self._name} has no revision {number}",
                advice=f"choose a revision from 1 to {last}" if last else "save the pipeline first",
            )
        text = self._current()
        if text is not None and wanted_revision.digest == _digest(text):
            return text
        stored = read_as_it_is(self._text_file(number))
        if stored is None:
            raise RequestError(f"the text of revision {number} of {self._name} is missing from the library")
        if _digest(stored) != wanted_revision.digest:
            raise DamagedRecord(
                f"{self._text_file(number)} cannot be read: its text has changed since revision {number} was written"
            )
        return stored

    def damaged(self) -> list[Path]:
        """List the files of the history that helio cannot read; their revisions are missing from `revisions`."""
        return sorted(path for path in self._abouts() if _revision(path) is None)

    def write(
        self,
        text: str,
        writing: Writing,
        *,
        parent: int | None = None,
        unless: Callable[[str | None], None] | None = None,
    ) -> Revision:
        """Write a new text of the pipeline, with its author; first record a change that the user made by hand.

        Parameters
        ----------
        unless : callable
            Called with the present text while no other process can write; if it raises, nothing changes.
        """
        with held(self._folder / "lock"):
            known, before = self._known(), self._current()
            if unless is not None:
                unless(before)
            if before is not None and _of(known, before) is None:
                known.append(self._keep(self._next(known, before, Writing("by hand")), before))
            if parent is None:
                present = None if before is None else _of(known, before)
                parent = present.number if present else 0
            made = self._keep(self._next(known, text, writing, parent=parent), text)
            write_whole(self._file, text.encode())
            return made

    def delete(self) -> Revision | None:
        """Remove the pipeline and keep its text, so that `restore` can bring the pipeline back.

        Returns
        -------
        Revision or None
            The revision with its text; None where its file was not a text.

        Raises
        ------
        OutputError
            The file cannot be removed.
        """
        with held(self._folder / "lock"):
            known, last = self._known(), None
            with suppress(NotText):
                text = self._current()
                if text is not None:
                    last = _of(known, text)
                    if last is None or read_as_it_is(self._text_file(last.number)) != text:
                        last = self._keep(self._next(known, text, Writing("by hand")), text)
            try:
                self._file.unlink()
            except OSError as error:
                raise OutputError(f"{self._file} cannot be removed: {error.strerror}") from error
            return last

    def undo(self) -> Revision:
        """Restore the text from which the present text was made; call this method again to go further back.

        Raises
        ------
        RequestError
            There is no earlier text.
        """
        present = self.present()
        if present is None or not present.parent:
            first = present is None or present.number == 1
            raise RequestError(
                f"{self._name} has {'no earlier revision' if first else 'its first text already'}",
                advice=f"`helio history {self._name}` lists its revisions; `helio delete {self._name}` removes it",
            )
        return self._rewrite(present.parent, Writing("undone", request=f"back to revision {present.parent}"))

    def restore(self, number: int) -> Revision:
        """Restore the text of another revision, earlier or later than the present one."""
        return self._rewrite(number, Writing("restored", request=f"revision {number}"))

    def _rewrite(self, number: int, writing: Writing) -> Revision:
        text = self.text(number)
        parent = next(revision.parent for revision in self.revisions() if revision.number == number)
        return self.write(text, writing, parent=parent)

    def _text_file(self, number: int) -> Path:
        return self._folder / f"{number}.json"

    def _abouts(self) -> list[Path]:
        return [path for path in self._folder.glob(f"*{_ABOUT}") if _number(path)]

    def _known(self) -> list[Revision]:
        readable = [_revision(path) for path in self._abouts()]
        return sorted(
            (revision for revision in readable if revision is not None), key=lambda revision: revision.number
        )

    def _current(self) -> str | None:
        return read_as_it_is(self._file)

    def _next(
        self, known: list[Revision], text: str, writing: Writing, *, parent: int | None = None
    ) -> Revision:
        last = known[-1].number if known else 0
        at = datetime.now(UTC).isoformat(timespec="seconds")
        # never reuse the number of an unreadable revision: its text may be intact
        number = max([last, *(_number(path) for path in self._abouts())]) + 1
        return Revision(number, last if parent is None else parent, _digest(text), at, **asdict(writing))

    def _keep(self, revision: Revision, text: str) -> Revision:
        write_whole(self._text_file(revision.number), text.encode())
        about = json.dumps(asdict(revision), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{revision.number}.about.json", about.encode())
        return revision


GZIP = b"\x1f\x8b"
"""First bytes of every gzip file."""


def read_as_it_is(path: Path) -> str | None:
    """Read a text without changing its line endings; return None if there is no file.

    Raises
    ------
    NotText
        It is not UTF-8.
    InvalidTemplate
        It has more bytes than a template may have.
    RequestError
        It cannot be read.
    """
    try:
        content = read_bytes(path, largest=LIMITS.file_bytes)
        if content.startswith(GZIP):
            raise NotText(
                f"{path} is compressed with gzip",
                advice=f"run gunzip {path.name}, then use the decompressed file",
            )
        return content.decode("utf-8")
    except FileNotFoundError:
        return None
    except DamagedRecord as error:
        with suppress(OSError, ValueError):
            if path.stat().st_size > LIMITS.file_bytes:
                raise InvalidTemplate([oversize_file()], place=str(path)) from error
        raise RequestError(error.message) from error
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not a text in UTF-8", advice="use a JSON file in UTF-8") from error


def _number(path: Path) -> int:
    """Read the revision number from a file's name; return 0 if the name has no number."""
    name = path.name.removesuffix(_ABOUT)
    return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 0


def _revision(path: Path) -> Revision | None:
    """Read a revision from its file; return None if the file is damaged."""
    try:
        written = read_record(path, dict[str, Any])
        # A later version may have added members.
        known = {field.name: written[field.name] for field in fields(Revision) if field.name in written}
        revision: Revision = convert(known, Revision)
    except (FileNotFoundError, DamagedRecord, WrongShape):
        return None
    return revision if revision.number == _number(path) else None


def _of(known: list[Revision], text: str) -> Revision | None:
    """Find the newest revision with this text."""
    return next((revision for revision in reversed(known) if revision.digest == _digest(text)), None)


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
