"""Library of templates: those that come with helio, which nobody can change, and the user's own."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from helio.errors import RequestError, UnknownPipeline, closest
from helio.pipelines.arguments import checked
from helio.pipelines.dialect.parse import parse
from helio.pipelines.history import History, Revision, Writing, read_as_it_is
from helio.pipelines.template.diagnostics import InvalidTemplate
from helio.pipelines.template.document import ID, Document, as_text, is_id, require_id, shortened, slug
from helio.pipelines.template.schema import SCHEMA_FILE, schema_text
from helio.store.files import is_file, is_folder_there, is_special, user_path, write_whole

FIGURE_ENDINGS = (".png", ".pdf", ".svg", ".html")
SHIPPED = Path(__file__).with_name("templates")


@dataclass(frozen=True)
class Entry:
    """A template in the library: its id, its file, and whether it belongs to the user."""

    id: str
    path: Path
    shipped: bool


@dataclass(frozen=True)
class Library:
    """The templates that come with helio, and the templates of one user.

    Parameters
    ----------
    folder : Path
        Folder of the user's own templates; created when the first one is saved.
    """

    folder: Path

    def entries(self) -> list[Entry]:
        """List all templates by id; a user's own template never has the id of one that comes with helio."""
        entries_by_id = {
            entry.id: entry for entry in (*_entries(self.folder, False), *_entries(SHIPPED, True))
        }
        return [entries_by_id[name] for name in sorted(entries_by_id)]

    @checked
    def find(self, name: str) -> Entry:
        """Find a template by its id, or a template file by its path.

        Raises
        ------
        UnknownPipeline
            The error lists the closest ids.
        """
        for shipped, folder in ((True, SHIPPED), (False, self.folder)):
            path = folder / f"{name}.json"
            if ID.fullmatch(name) and is_file(path):
                return Entry(name, path, shipped)
        if name.endswith(".json") or os.sep in name:
            path = user_path(name)
            if name.lower().endswith(FIGURE_ENDINGS) and is_file(path):
                raise UnknownPipeline(
                    f"{shortened(name)} is a figure, not a pipeline",
                    advice=f"`helio show {shortened(name)}` shows its pipeline, `helio rerun` makes it again",
                )
            if is_folder_there(path):
                raise UnknownPipeline(
                    f"{shortened(name)} is a folder", advice="give the path of one JSON file in it"
                )
            if is_file(path):
                return Entry(slug(path.stem), path, shipped=False)
            if is_special(path):
                raise UnknownPipeline(
                    f"{shortened(name)} is not a regular file",
                    advice="save the pipeline in a file, and give the path of this file",
                )
            raise UnknownPipeline(
                f"there is no file {shortened(name)}",
                advice="check the path, or run `helio list` to see the pipelines",
            )
        deleted = self._deleted(name)
        if deleted is not None:
            raise UnknownPipeline(
                f"the pipeline '{name}' was deleted",
                advice=f"to restore it, run `helio history {name} --restore {deleted.number}`",
            )
        known = [entry.id for entry in self.entries()]
        close = closest(name, known)
        raise UnknownPipeline(
            f"no pipeline is called '{shortened(name)}'",
            advice=f"did you mean '{close[0]}'?"
            if close
            else f"use one of these pipelines: {', '.join(known)}",
            name=name,
        )

    def templates(self) -> Mapping[str, Document]:
        """Return all templates by id; a template is read only when it is used."""
        return _Templates(self)

    def read(self, entry: Entry) -> Document:
        """Read the template of an entry; if the template has no id, the name of its file becomes the id."""
        text = self.text(entry)
        parsed = parse(text)
        if parsed.errors:
            raise InvalidTemplate(parsed.errors, place=str(entry.path))
        document = parsed.plan
        return document if "id" in document else {**document, "id": entry.id or "pipeline"}

    def text(self, entry: Entry) -> str:
        """Read the text of an entry's file without changing its line endings and its byte order mark.

        Raises
        ------
        RequestError
            It cannot be read.
        """
        text = read_as_it_is(entry.path)
        if text is None:
            raise RequestError(f"{entry.path} cannot be read: it does not exist")
        return text

    def replace(self, entry: Entry, document: Document, writing: Writing | None = None) -> Path:
        """Replace the template of an entry; the old template stays in the history.

        Raises
        ------
        RequestError
            It is a shipped one.
        """
        return self.replace_text(entry, as_text(document), writing)

    def replace_text(
        self, entry: Entry, text: str, writing: Writing | None = None, *, instead_of: str | None = None
    ) -> Path:
        """Replace a template by a text, as `replace` does; the old template stays in the history.

        Parameters
        ----------
        instead_of : str, optional
            The text that is to be replaced.

        Raises
        ------
        RequestError
            It is a shipped one, or its text has changed.
        """

        def same(present: str | None) -> None:
            if instead_of is not None and present != instead_of:
                raise RequestError(
                    f"{entry.id} has changed since the change was proposed", advice="propose the change again"
                )

        if entry.shipped:
            raise RequestError(
                f"{entry.id} comes with helio and cannot be changed",
                advice="copy it with `helio copy`, then edit the copy",
            )
        if entry.path.parent == self.folder:
            self.history(entry.id).write(text, writing or Writing(), unless=same)
        else:
            same(read_as_it_is(entry.path))
            write_whole(entry.path, text.encode())
        return entry.path

    @checked
    def save(self, document: Document, *, replace: bool = False, writing: Writing | None = None) -> Path:
        """Save a template under its id; if it replaces a template, the old one stays in the history.

        Raises
        ------
        RequestError
            The id is not valid, belongs to a shipped template, or is taken.
        """
        name = str(document.get("id", ""))
        require_id(name, "pipeline id")
        if (SHIPPED / f"{name}.json").exists():
            raise RequestError(
                f"'{name}' is the id of a pipeline that comes with helio", advice="choose another id"
            )

        def free(present: str | None) -> None:
            if present is not None and not replace:
                raise RequestError(
                    f"a pipeline called '{name}' already exists",
                    advice="use --replace, or choose another name",
                )

        path = self.folder / f"{name}.json"
        if not replace and path.exists():  # before any file is written
            free("")
        write_whole(self.folder / SCHEMA_FILE, schema_text().encode())
        self.history(name).write(as_text(document), writing or Writing(), unless=free)
        return path

    @checked
    def history(self, name: str) -> History:
        """Return the revisions of one of the user's own pipelines.

        Raises
        ------
        UnknownPipeline
            The name is not valid.
        """
        if not ID.fullmatch(name):
            raise UnknownPipeline(
                f"no pipeline is called '{shortened(name)}'", advice="run `helio list` to see the pipelines"
            )
        return History(self.folder, name)

    @checked
    def own(self, name: str) -> Entry:
        """Find one of the user's own templates.

        Raises
        ------
        UnknownPipeline
        RequestError
            It is a shipped one, or a file elsewhere.
        """
        entry = self.find(name)
        if entry.shipped:
            raise RequestError(
                f"'{name}' is a pipeline that comes with helio, not one of your pipelines",
                advice="run `helio list` to see your pipelines",
            )
        if entry.path.resolve().parent != self.folder.resolve():
            raise RequestError(
                f"'{name}' is a file outside your library, of which helio keeps no history",
                advice=f"`helio import {shortened(name)}` adds it to your pipelines",
            )
        return entry

    def past(self, name: str) -> History:
        """Return the revisions of one of the user's own pipelines, even if the user has deleted the pipeline.

        Raises
        ------
        UnknownPipeline, RequestError
            As in `own`.
        """
        return self.history(name if self._deleted(name) else self.own(name).id)

    @checked
    def delete(self, name: str) -> tuple[Path, Revision | None]:
        """Delete one of the user's own templates, and keep its text in its history.

        Returns
        -------
        path : Path
            The removed file.
        revision : Revision or None
            The revision to restore; None where the file was not a text.
        """
        entry = self.own(name)
        return entry.path, self.history(entry.id).delete()

    def _deleted(self, name: str) -> Revision | None:
        """Find the last revision of a deleted pipeline; return None if no deleted pipeline has this name."""
        if not is_id(name) or any((folder / f"{name}.json").exists() for folder in (SHIPPED, self.folder)):
            return None
        revisions = self.history(name).revisions()
        return revisions[-1] if revisions else None


class _Templates(Mapping[str, Document]):
    def __init__(self, library: Library) -> None:
        self._library = library
        self._entries = {entry.id: entry for entry in library.entries()}

    def __getitem__(self, name: str) -> Document:
        return self._library.read(self._entries[name])

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _entries(folder: Path, shipped: bool) -> Iterator[Entry]:
    for path in sorted(folder.glob("*.json")):
        if path.name != SCHEMA_FILE and ID.fullmatch(path.stem):
            yield Entry(path.stem, path, shipped)
