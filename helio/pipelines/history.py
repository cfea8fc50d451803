"""Every text that a pipeline of the user's ever had, who wrote it and why; any of them can be had again."""

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

Kind = Literal["saved", "imported", "copied", "mended", "authored", "edited", "repaired", "by hand", "undone"]
_ABOUT = ".about.json"


class NotText(RequestError):
    """A file that should be a text is none."""


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

    number: Count
    parent: Count
    digest: Digest
    at: Instant
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
        found = next((revision for revision in revisions if revision.number == number), None)
        if found is None:
            last = revisions[-1].number if revisions else 0
            raise RequestError(
                f"{self._name} has no revision {number}",
                advice=f"revisions: 1 to {last}" if last else "it was never saved",
            )
        text = self._current()
        if text is not None and found.digest == _digest(text):
            return text
        kept = read_as_it_is(self._text_file(number))
        if kept is None:
            raise RequestError(f"the text of revision {number} of {self._name} is lost")
        if _digest(kept) != found.digest:
            raise DamagedRecord(
                f"{self._text_file(number)} cannot be read: it is not the text that revision {number} had"
            )
        return kept

    def damaged(self) -> list[Path]:
        """The files about revisions that cannot be read; those revisions are passed over."""
        return sorted(path for path in self._abouts() if _revision(path) is None)

    def write(
        self,
        text: str,
        writing: Writing,
        *,
        parent: int | None = None,
        unless: Callable[[str | None], None] | None = None,
    ) -> Revision:
        """Make a text the pipeline's, and keep it with who wrote it; what was changed by hand before is kept too.

        Parameters
        ----------
        unless : callable
            Called with the present text while nobody else can write; what it raises leaves all as it is.
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
        """Remove the pipeline and keep its text, so that `restore` brings it back.

        Returns
        -------
        Revision or None
            The one that has its text; None where its file was no text that could be kept.

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
        parent = next(revision.parent for revision in self.revisions() if revision.number == number)
        writing = Writing("undone", request=f"back to revision {number}")
        return self.write(text, writing, parent=parent)

    def _text_file(self, number: int) -> Path:
        return self._folder / f"{number}.json"

    def _abouts(self) -> list[Path]:
        return [path for path in self._folder.glob(f"*{_ABOUT}") if _number(path)]

    def _known(self) -> list[Revision]:
        found = [_revision(path) for path in self._abouts()]
        return sorted((revision for revision in found if revision is not None), key=lambda one: one.number)

    def _current(self) -> str | None:
        return read_as_it_is(self._file)

    def _next(
        self, known: list[Revision], text: str, writing: Writing, *, parent: int | None = None
    ) -> Revision:
        last = known[-1].number if known else 0
        at = datetime.now(UTC).isoformat(timespec="seconds")
        # the number of a revision that cannot be read is not given again: its text may be whole
        number = max([last, *(_number(path) for path in self._abouts())]) + 1
        return Revision(number, last if parent is None else parent, _digest(text), at, **asdict(writing))

    def _keep(self, revision: Revision, text: str) -> Revision:
        write_whole(self._text_file(revision.number), text.encode())
        about = json.dumps(asdict(revision), indent=1, ensure_ascii=False)
        write_whole(self._folder / f"{revision.number}.about.json", about.encode())
        return revision


GZIP = b"\x1f\x8b"
"""How every gzip file starts."""


def read_as_it_is(path: Path) -> str | None:
    """The text of a file with the ends of its lines as they are; None where there is no file.

    Raises
    ------
    NotText
        It is not UTF-8.
    InvalidTemplate
        It has more bytes than a template may have; the rest is not read.
    RequestError
        It cannot be read.
    """
    try:
        content = read_bytes(path, largest=LIMITS.file_bytes)
        if content.startswith(GZIP):
            raise NotText(f"{path} is compressed with gzip", advice=f"gunzip {path.name}, then use that file")
        return content.decode("utf-8")
    except FileNotFoundError:
        return None
    except DamagedRecord as error:
        with suppress(OSError, ValueError):
            if path.stat().st_size > LIMITS.file_bytes:
                raise InvalidTemplate([oversize_file()], place=str(path)) from error
        raise RequestError(error.message) from error
    except UnicodeDecodeError as error:
        raise NotText(f"{path} is not a text", advice="a JSON file in UTF-8") from error


def _number(path: Path) -> int:
    """The revision that a file is about; 0 where its name says none."""
    name = path.name.removesuffix(_ABOUT)
    return int(name) if name.isascii() and name.isdigit() and len(name) < 10 else 0


def _revision(path: Path) -> Revision | None:
    """What a file says of a revision; None where it is damaged."""
    try:
        written = read_record(path, dict[str, Any])
        # A later version may have added to it.
        known = {field.name: written[field.name] for field in fields(Revision) if field.name in written}
        found: Revision = convert(known, Revision)
    except (FileNotFoundError, DamagedRecord, WrongShape):
        return None
    return found if found.number == _number(path) else None


def _of(known: list[Revision], text: str) -> Revision | None:
    """The newest revision of that text."""
    return next((revision for revision in reversed(known) if revision.digest == _digest(text)), None)


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
