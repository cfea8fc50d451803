"""One page about one run, in one file: figures, files, citations, provenance, notes and steps."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from helio import __version__
from helio.pipelines.runs.artefacts import SCALE
from helio.pipelines.runs.intervals import read_run
from helio.settings import Settings
from helio.steps.render.write_figure import with_scripts_inside
from helio.store.runs import ArtefactRecord, RunRecord, Runs
from helio.web.details import DrawnFigure, Revisions, read_details
from helio.web.files import MEDIA_TYPES, Files, name_of, size_of
from helio.web.site import STYLE, environment, failure, frame_height


@dataclass(frozen=True)
class ReportFigure:
    """A figure inside a report.

    Parameters
    ----------
    picture : str
        The figure as a ``data:`` address; empty if the run wrote no PNG or SVG.
    size : tuple of int
        Width and height of the picture in pixels of the page; (0, 0) if not known.
    page : str
        The interactive page, with plotly in it; only if there is no picture.
    height : int
        Height of the page.
    """

    drawn: DrawnFigure
    picture: str = ""
    size: tuple[int, int] = (0, 0)
    page: str = ""
    height: int = 0


def write_report(record: RunRecord, settings: Settings, now: datetime) -> str:
    """Return the page about a run, which needs no other file and no network.

    Raises
    ------
    DamagedRecord, UnknownRun
        The record cannot be read.
    """
    run = read_run(record)
    details = read_details(run, Runs(settings.runs), Revisions(settings))
    files = Files(settings)
    files.know(run)
    return (
        environment()
        .get_template("report.html")
        .render(
            root="",
            now=now,
            version=__version__,
            engine="",
            css=Markup(STYLE.read_text(encoding="utf-8")),
            run=run,
            details=details,
            told=failure(run),
            figures=[_figure(figure, files) for figure in details.figures],
        )
    )


def _figure(drawn: DrawnFigure, files: Files) -> ReportFigure:
    for kind in ("png", "svg"):
        file = drawn.file(kind)
        content = _content(file, files)
        if file is not None and content is not None:
            width, height = size_of(content)
            address = f"data:{MEDIA_TYPES[kind]};base64,{base64.b64encode(content).decode()}"
            return ReportFigure(drawn, address, (round(width / SCALE), round(height / SCALE)))
    html = drawn.file("html")
    content = _content(html, files)
    if html is None or content is None:
        return ReportFigure(drawn)
    page = with_scripts_inside(content.decode(), files.detail_of(html))
    return ReportFigure(drawn, page=page, height=frame_height(content))


def _content(file: ArtefactRecord | None, files: Files) -> bytes | None:
    return None if file is None else files.content(name_of(file))
