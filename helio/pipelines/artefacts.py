"""A run's files: figures in every format asked for, and exports, written whole into one folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from helio.errors import DamagedObject, ExportError
from helio.pipelines.diagnostics import StepId
from helio.pipelines.execute import Execution, Output, PlanResult
from helio.pipelines.files import PLOTLY_JS, STATIC, Format, Static, figure_name
from helio.store.files import write_whole
from helio.store.keys import key_of
from helio.store.store import Result, Store

SCALE = 2.0


@dataclass(frozen=True)
class Artefact:
    """A file that a run wrote."""

    path: Path
    step_id: StepId
    kind: str
    """A figure's format, or ``"data"``."""
    sha256: str


def write_artefacts(
    result: PlanResult,
    execution: Execution,
    store: Store,
    folder: Path,
    formats: Iterable[Format],
    find_browser: Callable[[], Path | None],
) -> tuple[list[Artefact], list[ExportError]]:
    """Write every figure as HTML and JSON and in the static formats asked for, and every export.

    Returns
    -------
    artefacts : list of Artefact
    unwritten : list of ExportError
        Static figures that this machine cannot draw; everything else is written all the same.

    Raises
    ------
    OutputError
        The folder cannot be written, or the disk is full.
    """
    from helio.steps.render.export import StaticRenderer, plotly_js, to_html
    from helio.steps.render.figure import Figure

    artefacts: list[Artefact] = []
    unwritten: list[ExportError] = []
    static = [one for one in STATIC if one in formats]

    def write(name: str, content: bytes, step_id: StepId, kind: str) -> None:
        write_whole(folder / name, content, durable=False)  # the store has it
        artefacts.append(Artefact(folder / name, step_id, kind, hashlib.sha256(content).hexdigest()))

    with ExitStack() as stack:
        renderer: StaticRenderer | None = None
        for step in result.steps:
            output = step.artefact
            if output is None:
                continue
            content, step_id = execution.content(output), step.step.step_id
            if "filename" in output.facts:
                write(output.facts["filename"], content, step_id, "data")
                continue
            figure = Figure(json.loads(content), tuple(output.facts["notes"]))
            library = folder / PLOTLY_JS
            if not library.is_file() or library.stat().st_size != len(plotly_js()):
                write_whole(library, plotly_js(), durable=False)
            write(f"{figure_name(step_id)}.html", to_html(figure, plotly_js="beside"), step_id, "html")
            write(f"{figure_name(step_id)}.json", content, step_id, "json")
            for kind in static:
                try:
                    browser = find_browser()
                    drawn = _kept(store, output, kind, browser)
                    if drawn is None:
                        renderer = renderer or stack.enter_context(StaticRenderer(browser=browser))
                        drawn = renderer.render(figure, kind, scale=SCALE)
                        _keep(store, output, kind, browser, drawn)
                    write(f"{figure_name(step_id)}.{kind}", drawn, step_id, kind)
                except ExportError as error:
                    unwritten.append(error.located(f"{figure_name(step_id)}.{kind}"))
    return artefacts, unwritten


def _recipe(output: Output, kind: Static, browser: Path | None) -> dict[str, object]:
    """What a static figure is made of: the figure, the format, and the browser as far as a look at it tells."""
    from importlib.metadata import version

    identity: list[object] = []
    if browser is not None and browser.exists():
        real = browser.resolve()
        status = os.stat(real)
        identity = [str(real), status.st_size, status.st_mtime_ns]
    return {
        "static figure": output.digest,
        "format": kind,
        "scale": SCALE,
        "kaleido": version("kaleido"),
        "plotly": version("plotly"),
        "browser": identity,
    }


def _kept(store: Store, output: Output, kind: Static, browser: Path | None) -> bytes | None:
    found = store.find(key_of(_recipe(output, kind, browser)))
    if found is None:
        return None
    try:
        return store.bytes(found.digest, found.suffix)
    except DamagedObject:  # it is in quarantine now, and drawn again
        return None


def _keep(store: Store, output: Output, kind: Static, browser: Path | None, content: bytes) -> None:
    recipe = _recipe(output, kind, browser)
    digest = store.put_bytes(content, f".{kind}")
    made_at = datetime.now(UTC).isoformat()
    store.record(key_of(recipe), Result(key_of(recipe), recipe, digest, f".{kind}", {}, made_at, 0.0))
