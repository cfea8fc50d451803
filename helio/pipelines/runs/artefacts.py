"""Write the files of a run into one folder: figures in all requested formats, and exports."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Literal, Self, cast

from helio.errors import DamagedObject, ExportError
from helio.pipelines.plan import PlannedStep
from helio.pipelines.runs.execute import Execution, Output, PlanResult, StepResult
from helio.pipelines.template.diagnostics import StepId
from helio.pipelines.template.files import DETAIL, PLOTLY_JS, VIEWER_JS, Format, OutputFile, Static
from helio.settings import Settings
from helio.store.files import write_whole
from helio.store.store import Store, StoredResult
from helio.store.work_keys import key_of

if TYPE_CHECKING:
    from helio.steps.render.figure import Figure
    from helio.steps.render.write_figure import StaticRenderer

SCALE = 2.0


@dataclass(frozen=True)
class Artefact:
    """A file that a run wrote."""

    path: Path
    step_id: StepId
    kind: str
    """Format of a figure, ``"detail"`` for the folder with all points of a page, or ``"data"`` for an export."""
    sha256: str
    """Digest of the file, or of the content of the folder."""


@dataclass(frozen=True)
class MissingFile:
    """A file that could not be written on this machine, and the reason."""

    file: OutputFile
    step_id: StepId
    error: ExportError


def write_artefacts(
    result: PlanResult,
    execution: Execution,
    folder: Path,
    formats: Iterable[Format],
    static: StaticFigures,
    document_of: Callable[[StepResult, str], bytes],
    *,
    shared: bool = False,
    self_contained: bool = False,
) -> tuple[list[Artefact], list[MissingFile]]:
    """Write the files that the plan names, and every figure also in the other requested formats.

    Parameters
    ----------
    formats : iterable of str
        Formats in addition to the plan's; the run does not fail without them.
    static : StaticFigures
        Draws PNG, PDF and SVG.
    document_of : callable
        Returns the document to enclose in each file of a figure, from the figure's step and the figure's digest. The
        store keeps figures without it, so it changes no key and no digest.
    shared : bool
        Whether the folder is one of many in a folder that may hold the library of all their pages.
    self_contained : bool
        Whether each page has its scripts and all its points in it.

    Returns
    -------
    artefacts : list of Artefact
    missing : list of MissingFile
        Figures that this machine cannot draw in a format; everything else is written anyway.

    Raises
    ------
    OutputError
        The folder cannot be written, or the disk is full.
    """
    from helio.steps.render.detail import remove_other_details
    from helio.steps.render.enclose import enclose
    from helio.steps.render.figure import Figure
    from helio.steps.render.write_figure import plain_title, to_html

    artefacts: list[Artefact] = []
    missing: list[MissingFile] = []
    planned = {file.name.lower(): step.step_id for step in result.plan.steps for file in step.files}

    def write(file: OutputFile, content: bytes, step_id: StepId) -> None:
        write_whole(folder / file.name, content, durable=False)  # the store has a copy
        digest = hashlib.sha256(content).hexdigest()
        artefacts.append(Artefact(folder / file.name, step_id, file.format, digest))

    for step in result.steps:
        output = step.artefact
        if output is None:
            continue
        content, step_id = execution.content(output), step.step.step_id
        if "filename" in output.facts:
            for file in step.step.files:
                write(file, content, step_id)
            continue
        figure = Figure(json.loads(content), tuple(output.facts["notes"]))
        document, title = document_of(step, output.digest), plain_title(figure)
        for file in (*step.step.files, *_further(step.step, formats)):
            other = planned.get(file.name.lower(), step_id)
            try:
                if other != step_id:
                    raise ExportError(
                        f"step {other} already writes a file called {file.name}",
                        advice="choose another file name in the template",
                    )
                if file.format == "json":
                    write(file, content, step_id)
                    continue
                if file.format != "html":
                    drawn = static.draw(execution.store, output, figure, cast(Static, file.format))
                    write(file, enclose(drawn, file.format, document, title=title), step_id)
                    continue
                detail, stem = execution.detail(step.step, output), PurePath(file.name).stem
                points = folder / detail.folder_name(stem)
                has_files = bool(detail.panels) and not self_contained
                if not self_contained:
                    write_scripts(folder, shared=shared)
                if has_files:  # before the page, which would show only some points without it
                    detail.write(points)
                place: Literal["inside", "beside"] = "inside" if self_contained else "beside"
                drawn = to_html(figure, scripts=place, detail=detail, stem=stem)
                write(file, enclose(drawn, file.format, document, title=title), step_id)
                if has_files:
                    artefacts.append(Artefact(points, step_id, DETAIL, detail.digest))
                remove_other_details(folder / file.name, points.name if has_files else "")
            except ExportError as error:
                missing.append(MissingFile(file, step_id, error.located(file.name)))
    return artefacts, missing


def write_scripts(folder: Path, *, shared: bool) -> None:
    """Write the code of the pages in a folder, and plotly.js for all pages of a tree of folders, where it is missing.

    The library is in the folder above if that folder is shared or has it already, otherwise in the folder itself.
    """
    from helio.steps.render.write_figure import plotly_js, viewer_js

    library = plotly_js()

    def has_library(place: Path) -> bool:
        path = place / PLOTLY_JS
        return path.is_file() and path.stat().st_size == len(library)

    above = Path(os.path.abspath(folder)).parent
    if has_library(folder) or not (shared or has_library(above)):
        place, address = folder, PLOTLY_JS
    else:
        place, address = above, f"../{PLOTLY_JS}"
    if not has_library(place):
        write_whole(place / PLOTLY_JS, library, durable=False)
    viewer = folder / VIEWER_JS
    if not viewer.is_file() or viewer.read_bytes() != viewer_js(address):
        write_whole(viewer, viewer_js(address), durable=False)


def _further(step: PlannedStep, formats: Iterable[Format]) -> list[OutputFile]:
    """Return file names for those formats of a figure that the plan does not list, made from its first file name."""
    first = step.files[0]
    base = first.name[: -len(first.format) - 1]
    own = {file.name for file in step.files}
    names = {f"{base}.{kind}": kind for kind in formats}
    return [OutputFile(name, kind, critical=False) for name, kind in names.items() if name not in own]


class StaticFigures:
    """Renderer of static figures: starts a browser for the first figure, and takes stored figures from the store.

    A context manager, which several runs may use one after another.

    Parameters
    ----------
    find_browser : callable
        Returns the browser's program, or None.
    """

    def __init__(self, find_browser: Callable[[], Path | None]) -> None:
        self._find_browser = find_browser
        self._stack = ExitStack()
        self._renderer: StaticRenderer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def draw(self, store: Store, output: Output, figure: Figure, kind: Static) -> bytes:
        """Draw a figure in one format, or take it from the store.

        Raises
        ------
        ExportError
            There is no browser, or it failed.
        """
        from helio.steps.render.write_figure import StaticRenderer

        browser = self._find_browser()
        drawn = stored_drawing(store, output.digest, kind, browser)
        if drawn is None:
            if self._renderer is None:
                self._renderer = self._stack.enter_context(StaticRenderer(browser=browser))
            drawn = self._renderer.render(figure, kind, scale=SCALE)
            _store(store, output, kind, browser, drawn)
        return drawn


def _recipe(digest: str, kind: Static, browser: Path | None) -> dict[str, object]:
    """Return everything that determines a static figure: the figure, the format and the browser's program file."""
    from importlib.metadata import version

    identity: list[object] = []
    if browser is not None and browser.exists():
        real = browser.resolve()
        status = os.stat(real)
        identity = [str(real), status.st_size, status.st_mtime_ns]
    return {
        "static figure": digest,
        "format": kind,
        "scale": SCALE,
        "kaleido": version("kaleido"),
        "plotly": version("plotly"),
        "browser": identity,
    }


def stored_drawing(store: Store, digest: str, kind: Static, browser: Path | None) -> bytes | None:
    """Return a static figure from the store, without an enclosed document; None if the store does not have it.

    Parameters
    ----------
    digest : str
        Digest of the figure.
    browser : Path or None
        The browser that drew it.
    """
    result = store.find(key_of(_recipe(digest, kind, browser)))
    if result is None:
        return None
    try:
        return store.bytes(result.digest, result.suffix)
    except DamagedObject:  # it is now in quarantine; the figure is drawn again
        return None


def _store(store: Store, output: Output, kind: Static, browser: Path | None, content: bytes) -> None:
    recipe = _recipe(output.digest, kind, browser)
    digest = store.put_bytes(content, f".{kind}")
    made_at = datetime.now(UTC).isoformat()
    store.record(key_of(recipe), StoredResult(key_of(recipe), recipe, digest, f".{kind}", {}, made_at, 0.0))


def own_browser(home: Path) -> Path:
    """Return the path of the browser that `helio doctor --fix` puts into helio's home."""
    return home / "browser" / "chromium"


def find_browser_of(settings: Settings) -> Path | None:
    """Find the browser to draw figures with.

    Tries in this order: the browser that the settings name, helio's own, a browser on the system's search path, and the
    download of ``kaleido_get_chrome``.

    Raises
    ------
    ExportError
        The browser in the settings does not exist.
    """
    from platformdirs import user_data_path

    from helio.steps.render.write_figure import find_browser

    own = own_browser(settings.home)
    if not settings.browser and own.is_file():
        return own
    downloads = user_data_path("choreographer", "plotly") / "deps"
    folders = [*downloads.glob("chrome-*"), *downloads.glob("chrome-*/*.app/Contents/MacOS")]
    path = os.pathsep.join(filter(None, (settings.path, *map(str, sorted(folders)))))
    return find_browser({"BROWSER_PATH": settings.browser, "PATH": path})
