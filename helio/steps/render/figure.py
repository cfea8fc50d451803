"""The figure that the tool render_spec returns: a plotly document, and remarks for a reviewer."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from helio.counts import number_of
from helio.errors import ExportError
from helio.notebook import paragraph
from helio.settings import read_settings

if TYPE_CHECKING:
    from helio.steps.render.refine import Full

PLOTLY = "application/vnd.plotly.v1+json"
"""Media type of a plotly document in a notebook."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure that can be written as JSON, HTML, PNG, PDF or SVG.

    Parameters
    ----------
    document : dict
        Plotly's ``{"data": [...], "layout": {...}}`` in plain JSON types; ``plotly.io.from_json`` reads it.
    notes : tuple of str
        Coverage of each panel, and what a careful reviewer would point out.
    details : tuple of FullLine and FullGrid
        Lines and spectrograms of which the document has only some points, with all their points.
    """

    document: dict[str, Any]
    notes: tuple[str, ...] = ()
    details: tuple[Full, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        title = self.document.get("layout", {}).get("title", {})
        text = str(title.get("text", "") if isinstance(title, dict) else title)[:80]
        traces = number_of(len(self.document.get("data", [])), "trace")
        return f"<Figure {text!r}: {traces}, {number_of(len(self.notes), 'note')}>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return the figure in all formats that a notebook may show: as plotly's document, and as a picture.

        Without a Chromium there is no picture, but a page of HTML with plotly.js, which needs no network (5 MB).
        """
        return {PLOTLY: self.document, "text/plain": repr(self), **self._picture}

    @cached_property
    def _picture(self) -> dict[str, Any]:
        """The figure for a notebook that does not know plotly's documents, by media type."""
        from helio.steps.render.write_figure import StaticRenderer, find_browser, to_html

        settings = read_settings()
        try:
            browser = find_browser({"BROWSER_PATH": settings.browser, "PATH": settings.path})
            with StaticRenderer(browser=browser) as renderer:
                return {"image/png": base64.b64encode(renderer.render(self, "png")).decode()}
        except ExportError as error:
            page = html.escape(to_html(self, scripts="inside").decode())
            height = int(self.document["layout"]["height"]) + 20
            frame = (
                f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="{height}" '
                'style="border: 0"></iframe>'
            )
            return {"text/html": f"{frame}{paragraph(f'no PNG: {error.message}; {error.advice}')}"}
