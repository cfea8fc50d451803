"""Find the bytes of files that runs wrote, by their digests; make small pictures of figures, each once."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import cast
from urllib.parse import quote

from helio.errors import DamagedObject, ExportError, UnknownRun
from helio.pipelines.runs.artefacts import find_browser_of, stored_drawing
from helio.pipelines.runs.figure_details import stored_detail
from helio.pipelines.runs.intervals import PICTURES, IntervalRun
from helio.pipelines.template.files import DETAIL, Static
from helio.settings import Settings
from helio.steps.render.detail import Detail, file_name, number_of_files, read_detail
from helio.store.files import write_whole
from helio.store.runs import ArtefactRecord, OutputRecord, RunRecord, Runs
from helio.store.store import Store
from helio.web.gallery import safe_name

FORM = 1
"""Version of the small pictures. Raise it with every change of how they look."""
WIDTH, HEIGHT = 400, 560
"""Maximum size of a small picture, in pixels."""
COLOURS = 255
LARGEST = 200_000_000
"""Maximum number of pixels of a figure that helio makes smaller."""
FOLDER = "files"
THUMBS = "thumbs"
MEDIA_TYPES: Mapping[str, str] = {
    "html": "text/html; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
"""Media types of the files that a gallery contains; all others are downloaded."""


class Files:
    """Files that runs wrote: from the store, otherwise from the run's output folder if the file has not changed.

    A file is found by the digest in the run's record, never by a name from outside.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._store = Store(settings.store)
        self._checked: dict[tuple[str, str], bool] = {}
        """Whether the gallery can show a file, by the file's name and state."""
        self._sources: dict[tuple[str, str], Path | None] = {}
        """Where the bytes of a file are, by the file's name and state."""
        self._runs = Runs(settings.runs)
        self._thumbs = settings.home / "gallery" / THUMBS
        self._by_name: dict[str, tuple[str, ArtefactRecord]] = {}
        """The run and the record of each file, by the file's name in the gallery."""
        self._details: dict[str, tuple[str, ArtefactRecord]] = {}
        """The run and the record of each folder with the detail of a figure, by the folder's name."""
        self._read_detail = lru_cache(maxsize=4)(self._find_detail)

    def know(self, run: IntervalRun) -> None:
        """Let the gallery contain the files of a run."""
        for file in run.files:
            if file["kind"] == DETAIL:
                self._details.setdefault(Path(file["file"]).name, (run.id, file))
            elif file["sha256"]:
                self._by_name.setdefault(name_of(file), (run.id, file))

    def content(self, name: str) -> bytes | None:
        """Return the bytes of a file by its name in the gallery; None if there is no such file any more."""
        if name not in self._by_name:
            return None
        run_id, file = self._by_name[name]
        return self._bytes(file) or (self._drawn_again(run_id, file) if file["kind"] in PICTURES else None)

    def detail_files(self, run: IntervalRun) -> list[str]:
        """Return the names of the files with the details of the figures of a run, each in its folder."""
        names = [Path(file["file"]).name for file in run.files if file["kind"] == DETAIL]
        return [
            f"{name}/{file_name(number)}" for name in names for number in range(self._number_of_files(name))
        ]

    def detail_file(self, name: str) -> bytes | None:
        """Return a file of the detail of a figure, ``FOLDER/NUMBER.js``; None if it is not there any more."""
        folder, _, file = name.partition("/")
        number = file.removesuffix(".js")
        if folder not in self._details or not (number.isascii() and number.isdecimal()):
            return None
        detail = self._read_detail(folder)
        return None if detail is None or int(number) >= len(detail.files) else detail.files[int(number)]

    def detail_of(self, page: ArtefactRecord) -> Detail | None:
        """Return the detail of the page of a figure; None if it has none."""
        run_id = self._by_name[name_of(page)][0]
        for name, (other_id, file) in self._details.items():
            same_figure = (other_id, file["step_id"]) == (run_id, page["step_id"])
            if same_figure and name.startswith(f"{Path(page['file']).stem}.detail-"):
                return self._read_detail(name)
        return None

    def _number_of_files(self, name: str) -> int:
        count = number_of_files(Path(self._details[name][1]["file"]))
        if count:
            return count
        detail = self._read_detail(name)
        return 0 if detail is None else len(detail.files)

    def _find_detail(self, name: str) -> Detail | None:
        """Return the detail in a folder of a run, otherwise from the store, if it has not changed."""
        run_id, file = self._details[name]
        for detail in (read_detail(Path(file["file"])), self._stored_detail(run_id, file)):
            if detail is not None and detail.digest == file["sha256"]:
                return detail
        return None

    def _stored_detail(self, run_id: str, file: ArtefactRecord) -> Detail | None:
        outputs = self._figures_of(run_id, file)
        return next(filter(None, (stored_detail(self._store, output["key"]) for output in outputs)), None)

    def has(self, file: ArtefactRecord) -> bool:
        """Return whether the gallery can show a file, after checking its bytes; a file is checked once."""
        if not file["sha256"]:
            return False
        state = (name_of(file), self.state_of(file))
        if state not in self._checked:
            known = self.source(name_of(file)) or self.content(name_of(file))
            self._checked[state] = known is not None
        return self._checked[state]

    def source(self, name: str) -> Path | None:
        """Return where the bytes of a file are, by its name in the gallery; None if helio must draw it again.

        The bytes are checked once, and again after the file has changed.
        """
        if name not in self._by_name:
            return None
        file = self._by_name[name][1]
        state = (name, self.state_of(file))
        if state not in self._sources:
            self._sources[state] = self._checked_source(file)
        return self._sources[state]

    def beginning(self, name: str, size: int) -> bytes:
        """Return the first bytes of a file; return none if it is not there any more."""
        path = self.source(name)
        if path is None:
            return (self.content(name) or b"")[:size]
        try:
            with path.open("rb") as file:
                return file.read(size)
        except FileNotFoundError:  # removed meanwhile
            return b""

    def state_of(self, file: ArtefactRecord) -> str:
        """Return a text that changes when the file changes; empty if there is no such file. This reads no bytes."""
        if not file["sha256"]:
            return ""
        if self._is_stored(file):
            return "stored"
        try:
            status = os.stat(file["file"])
        except (OSError, ValueError):  # ValueError: no path
            return "drawn again" if file["kind"] in PICTURES else ""
        return f"{status.st_size} {status.st_mtime_ns}"

    def thumbnail(self, name: str) -> Path | None:
        """Return the file with the small picture of a PNG, by the figure's name in the gallery; make it if necessary.

        Several threads may call this. None if the PNG is not there.
        """
        if name not in self._by_name or self._by_name[name][1]["kind"] != "png":
            return None
        kept = self._thumbs / f"{self._by_name[name][1]['sha256']}-{FORM}.png"
        if not kept.is_file():
            content = self.content(name)
            small = None if content is None else make_thumbnail(content)
            if small is None:
                return None
            write_whole(kept, small, durable=False)
        return kept

    def _checked_source(self, file: ArtefactRecord) -> Path | None:
        """Return where the bytes of a file are: in the store, or in the run's output folder."""
        digest = f"sha256:{file['sha256']}"
        if self._is_stored(file):
            try:
                self._store.bytes(digest, _suffix(file))
                return self._store.path(digest, _suffix(file))
            except DamagedObject:  # it is now in quarantine
                pass
        path = Path(file["file"])
        return path if _sound(path, file) is not None else None

    def _bytes(self, file: ArtefactRecord) -> bytes | None:
        if self._is_stored(file):
            try:
                return self._store.bytes(f"sha256:{file['sha256']}", _suffix(file))
            except DamagedObject:  # it is now in quarantine
                pass
        return _sound(Path(file["file"]), file)

    def _drawn_again(self, run_id: str, file: ArtefactRecord) -> bytes | None:
        """Return the picture of a figure whose file was replaced, from the figure in the store."""
        from helio.steps.render.figure import Figure
        from helio.steps.render.write_figure import to_html

        try:
            for output in self._figures_of(run_id, file):
                if file["kind"] != "html":
                    return stored_drawing(
                        self._store, output["digest"], cast(Static, file["kind"]), self._browser
                    )
                figure = json.loads(self._store.bytes(output["digest"], ".json"))
                return to_html(
                    Figure(figure, tuple(output.get("notes", ()))),
                    scripts="beside",
                    detail=stored_detail(self._store, output["key"]),
                    stem=Path(file["file"]).stem,
                )
        except DamagedObject:
            return None
        return None

    def _figures_of(self, run_id: str, file: ArtefactRecord) -> list[OutputRecord]:
        """Return the figures in the record of a run that the step of a file made; none if the record is gone."""
        try:
            steps = RunRecord(self._runs.root / run_id).readable_steps[0]
        except UnknownRun:
            return []
        return [
            output
            for step in steps
            for output in step["outputs"]
            if str(step["step_id"]) == str(file["step_id"]) and output["suffix"] == ".json"
        ]

    @cached_property
    def _browser(self) -> Path | None:
        try:
            return find_browser_of(self._settings)
        except ExportError:  # the setting is wrong; `helio doctor` reports it
            return None

    def _is_stored(self, file: ArtefactRecord) -> bool:
        return self._store.has(f"sha256:{file['sha256']}", _suffix(file))


def _sound(path: Path, file: ArtefactRecord) -> bytes | None:
    """Return the bytes of a file; None if they are not those of its record any more."""
    try:
        content = path.read_bytes()
    except (OSError, ValueError):  # ValueError: no path
        return None
    return content if hashlib.sha256(content).hexdigest() == file["sha256"] else None


def name_of(file: ArtefactRecord) -> str:
    """Return the name of a file in the gallery: a part of its digest, and its own name."""
    stem = os.path.splitext(os.path.basename(file["file"]))[0]
    return f"{file['sha256'][:16]}-{safe_name(stem)}.{_ending(file)}"


def address_of(file: ArtefactRecord) -> str:
    """Return the address of a file, relative to the gallery's first page."""
    return f"{FOLDER}/{quote(name_of(file))}"


def thumbnail_address(file: ArtefactRecord) -> str:
    """Return the address of the small picture of a PNG, relative to the gallery's first page."""
    return f"{THUMBS}/{quote(name_of(file))}"


def make_thumbnail(png: bytes) -> bytes | None:
    """Make a small PNG of at most `WIDTH` times `HEIGHT` pixels; return None if the bytes are no picture."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
            if picture.width * picture.height > LARGEST:
                return None
            scale = min(WIDTH / picture.width, HEIGHT / picture.height, 1)
            size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
            # To twice the size by whole factors first, which costs little.
            drawn = picture.convert("RGBA").reduce(max(int(1 / scale / 2), 1))
            drawn = drawn.resize(size, Image.Resampling.LANCZOS)
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    small = Image.new("RGB", size, "white")
    small.paste(drawn, mask=drawn)
    written = io.BytesIO()
    # An octree keeps the colours of thin lines; cutting at the median makes them grey.
    few = small.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(written, "PNG")
    return written.getvalue()


def size_of(png: bytes) -> tuple[int, int]:
    """Read the width and height of a PNG from its first bytes; (0, 0) if it is none."""
    if png[:8] != b"\x89PNG\r\n\x1a\n" or len(png) < 24:
        return 0, 0
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def _ending(file: ArtefactRecord) -> str:
    ending = os.path.splitext(file["file"])[1][1:].lower()
    return ending if ending.isascii() and ending.isalnum() and len(ending) <= 8 else "bin"


def _suffix(file: ArtefactRecord) -> str:
    return f".{_ending(file)}"
