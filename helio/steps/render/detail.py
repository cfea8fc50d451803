"""The detail of a figure: all its points in files beside its page, which the page loads when a reader zooms in.

The content is one line of JSON, then the files one after another. The line describes the panels and their levels, from
the coarsest to the complete data, and has the size of each file. Each file is a script, because a page that was opened
from a disk may load scripts from there, but nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from helio.errors import OutputError
from helio.store.files import unwritable
from helio.store.process import temporary_name

FORM = 1
"""Version of the content. Raise it with every change of the content."""
SUFFIX = ".detail"
INDEX = "index.json"
LINE = 24
"""Height in pixels of the line below a figure that says how many points it shows."""
_FOLDER = re.compile(r"\.detail-[0-9a-f]{16}\Z")
_BEGIN, _END = b"helioDetail(", b");\n"
"""What makes a script of the JSON in a file."""


def join_detail(panels: Sequence[Mapping[str, Any]], files: Sequence[bytes]) -> bytes:
    """Return the content of a detail.

    Parameters
    ----------
    panels : sequence of dict
        What the page must know of each panel, as JSON.
    files : sequence of bytes
        The files as JSON.
    """
    scripts = [_BEGIN + file + _END for file in files]
    head = {"form": FORM, "panels": list(panels), "sizes": [len(script) for script in scripts]}
    return b"".join([json.dumps(head, separators=(",", ":")).encode(), b"\n", *scripts])


@dataclass(frozen=True, eq=False)
class Detail:
    """The detail of a figure, from its content.

    Parameters
    ----------
    content : bytes
        As `join_detail` returned it.
    """

    content: bytes

    @cached_property
    def _head(self) -> dict[str, Any]:
        head: dict[str, Any] = json.loads(self.content[: self.content.index(b"\n")])
        return head

    @property
    def panels(self) -> list[dict[str, Any]]:
        """What the page must know of the panels; empty if the figure shows all its points."""
        panels: list[dict[str, Any]] = self._head["panels"]
        return panels

    @cached_property
    def digest(self) -> str:
        """Digest of the content: 64 hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def files(self) -> tuple[bytes, ...]:
        """The scripts in the order of their numbers."""
        place = self.content.index(b"\n") + 1
        scripts = []
        for size in self._head["sizes"]:
            scripts.append(self.content[place : place + size])
            place += size
        return tuple(scripts)

    def folder_name(self, stem: str) -> str:
        """Return the name of the folder of these files, beside the page ``STEM.html``."""
        return f"{stem}.detail-{self.digest[:16]}"

    def elements(self) -> Iterator[str]:
        """Yield the files as elements of a page that contains them."""
        for number, script in enumerate(self.files):
            content = script[len(_BEGIN) : -len(_END)].decode()
            yield f'<script type="application/json" id="detail-{number}">{content}</script>\n'

    def write(self, folder: Path) -> None:
        """Write the files into a new folder, which appears when it is complete.

        Raises
        ------
        OutputError
            The folder cannot be written.
        """
        temporary = folder.with_name(f".{temporary_name()}")
        try:
            temporary.mkdir(parents=True)
            try:
                (temporary / INDEX).write_bytes(self.content[: self.content.index(b"\n") + 1])
                for number, script in enumerate(self.files):
                    (temporary / file_name(number)).write_bytes(script)
                if folder.exists():
                    shutil.rmtree(folder)
                os.replace(temporary, folder)
            except BaseException:
                shutil.rmtree(temporary, ignore_errors=True)
                raise
        except OSError as error:
            raise unwritable(folder, error) from error


def isolated_trace(line: Mapping[str, Any], x: Any, y: Any) -> dict[str, Any]:
    """Return plotly's trace for the isolated points of a line, between gaps, which the line itself does not show."""
    return {
        "type": "scatter",
        "name": line["name"],
        "uid": f"{line['uid']}-alone",
        "mode": "markers",
        "x": x,
        "y": y,
        **({"xaxis": line["xaxis"]} if "xaxis" in line else {}),
        "yaxis": line["yaxis"],
        "marker": {"color": line["line"]["color"], "size": round(1 + 1.3 * line["line"]["width"], 1)},
        "hoverinfo": "skip",
        "legendgroup": line["uid"],
        "showlegend": False,
    }


def file_name(number: int) -> str:
    """Return the name of a file of a detail."""
    return f"{number}.js"


def is_detail_folder(name: str) -> bool:
    """Return whether a name is that of a folder with the detail of a figure."""
    return bool(_FOLDER.search(name))


def number_of_files(folder: Path) -> int:
    """Return how many files the detail in a folder has; 0 if it is not there."""
    try:
        return len(json.loads((folder / INDEX).read_bytes())["sizes"])
    except (OSError, ValueError, LookupError, TypeError):
        return 0


def read_detail(folder: Path) -> Detail | None:
    """Read the detail in a folder; return None if it is not there, or if a file of it has changed."""
    try:
        head = (folder / INDEX).read_bytes()
        count = len(json.loads(head)["sizes"])
        detail = Detail(
            b"".join([head, *((folder / file_name(number)).read_bytes() for number in range(count))])
        )
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return detail if folder.name.endswith(f".detail-{detail.digest[:16]}") else None


def remove_other_details(page: Path, keep: str) -> None:
    """Remove the folders with details of earlier versions of a page.

    Parameters
    ----------
    page : Path
        The page ``STEM.html``.
    keep : str
        Name of the folder that the page uses; empty if it uses none.

    Raises
    ------
    OutputError
        A folder cannot be removed.
    """
    for path in page.parent.iterdir():
        if path.name != keep and is_detail_folder(path.name) and path.name.startswith(f"{page.stem}.detail-"):
            remove_detail(path)


def remove_detail(folder: Path) -> None:
    """Remove a folder with a detail.

    Raises
    ------
    OutputError
        The folder cannot be removed.
    """
    try:
        with suppress(FileNotFoundError):
            shutil.rmtree(folder)
    except OSError as error:
        raise OutputError(f"{folder} cannot be removed: {error.strerror or error}") from error
