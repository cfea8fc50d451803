"""The figure that the tool render_spec returns: a plotly document, and remarks for a reviewer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from helio.counts import number_of


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure that can be written as JSON, HTML, PNG, PDF or SVG.

    Parameters
    ----------
    document : dict
        Plotly's ``{"data": [...], "layout": {...}}`` in plain JSON types; ``plotly.io.from_json`` reads it.
    notes : tuple of str
        Coverage of each panel, and what a careful reviewer would point out.
    """

    document: dict[str, Any]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        title = self.document.get("layout", {}).get("title", {})
        text = str(title.get("text", "") if isinstance(title, dict) else title)[:80]
        traces = number_of(len(self.document.get("data", [])), "trace")
        return f"<Figure {text!r}: {traces}, {number_of(len(self.notes), 'note')}>"
