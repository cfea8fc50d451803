"""The texts around the panels of a figure: title, footer and watermark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from helio.steps.render.corners import Corner
from helio.steps.render.geometry import LEFT, Geometry
from helio.steps.render.spec import FigureSpec
from helio.steps.render.themes import Look
from helio.steps.render.time_axis import as_datetime, clock_names
from helio.steps.render.wording import FONT_FAMILY, cited_sources, inert, wrap, written_range
from helio.store.source_file import SourceFile


def title_lines(
    spec: FigureSpec, start: np.datetime64, stop: np.datetime64, width: int, font: float
) -> list[str]:
    """Return the lines of the title: the title itself, the subtitle and the time range."""
    second = written_span(start, stop)
    if spec.get("subtitle"):
        second = f"{spec['subtitle']} · {second}"
    room = width - LEFT * max(1.0, font / 14) - 24
    first = wrap(spec["title"], room, font + 2, 3) if spec.get("title") else []
    return [*(f"<b>{line}</b>" for line in first), *wrap(second, room, font - 1, 2)]


def written_span(start: np.datetime64, stop: np.datetime64) -> str:
    """Write a time range for readers, or a single time if start and stop are equal."""
    if start == stop:
        return f"{clock_names(np.array([start]), date=True)[0]} UT"
    return written_range(as_datetime(start), as_datetime(stop))


def page_layout(
    geometry: Geometry, theme: Look, titles: Sequence[str], *, legend: bool, lift: int = 0
) -> dict[str, Any]:
    """Return plotly's layout of the whole figure, except its axes.

    Parameters
    ----------
    lift : int
        Height in pixels of what stands between the title and the panels: titles of columns, names of events.
    """
    layout: dict[str, Any] = {
        "width": geometry.width,
        "height": geometry.height,
        "margin": {
            "l": geometry.left, "r": geometry.right, "t": geometry.top, "b": geometry.bottom,
            "autoexpand": False,
        },
        "font": {"family": FONT_FAMILY, "size": geometry.font, "color": theme.foreground},
        "title": {
            "text": titles[0],
            "font": {"size": geometry.font + (2 if len(titles) > 1 else 0)},
            "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom",
            "pad": {"b": lift + round(8 + (len(titles) - 1) * 1.4 * geometry.font)}, "automargin": False,
        },
        "hovermode": "x",
        "dragmode": "zoom",
        "showlegend": legend,
    }  # fmt: skip
    if theme.own:
        layout |= {"paper_bgcolor": theme.background, "plot_bgcolor": theme.background}
    else:
        layout["template"] = theme.template
    return layout


def column_titles(
    titles: Sequence[str], spans: Sequence[tuple[float, float]], geometry: Geometry, strip: int = 0
) -> list[dict[str, Any]]:
    """Return plotly's texts for the titles of columns, each in the middle above its column.

    Parameters
    ----------
    strip : int
        Height in pixels of what is between the titles and the panels.
    """
    return [
        {
            "text": f"<b>{title}</b>", "xref": "paper", "x": round((left + right) / 2, 6), "xanchor": "center",
            "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 3 + strip, "showarrow": False, "borderpad": 0,
            "font": {"size": geometry.font},
        }
        for title, (left, right) in zip(titles, spans, strict=True)
    ]  # fmt: skip


def second_lines(titles: Sequence[str], geometry: Geometry, lift: int = 0) -> list[dict[str, Any]]:
    """Return the lines below the title as a separate text, because plotly moves a title that has several lines."""
    if len(titles) < 2:
        return []
    return [
        {
            "text": "<br>".join(titles[1:]), "xref": "paper", "x": 0, "xanchor": "left", "xshift": -1,
            "yref": "paper", "y": 1, "yanchor": "bottom", "yshift": 5 + lift, "showarrow": False, "align": "left",
            "borderpad": 0,
            "font": {"size": geometry.font - 1},
        }
    ]  # fmt: skip


def panel_letter(
    number: int, geometry: Geometry, theme: Look, *, boxed: bool, corner: Corner
) -> dict[str, Any]:
    """Return plotly's text for the letter of a panel, ``(a)`` for the first, in a corner of the panel.

    A box behind the letter keeps it readable on colours; on lines it would hide data.
    """
    (bottom, top), (left, right) = geometry.domains[number - 1], geometry.span(number)
    side, end = corner
    letters = ""
    while number:
        number, place = divmod(number - 1, 26)
        letters = chr(ord("a") + place) + letters
    return {
        "text": f"<b>({letters})</b>", "xref": "paper", "x": left if side == "left" else right, "xanchor": side,
        "xshift": 5 if side == "left" else -5,
        "yref": "paper", "y": top if end == "top" else bottom, "yanchor": end, "yshift": -4 if end == "top" else 4,
        "showarrow": False, "borderpad": 1,
        "font": {"size": geometry.font}, **({"bgcolor": theme.background, "opacity": 0.85} if boxed else {}),
    }  # fmt: skip


def watermark(geometry: Geometry, theme: Look) -> dict[str, Any]:
    """Return plotly's text for the watermark PRELIMINARY across the panels."""
    size = min(geometry.plot_width / 8, geometry.plot_height / 4)
    return {
        "text": "PRELIMINARY", "xref": "paper", "x": 0.5, "yref": "paper", "y": 0.5, "showarrow": False,
        "textangle": -25, "opacity": 0.15, "font": {"size": round(size), "color": theme.foreground},
    }  # fmt: skip


def footer_lines(
    sources: Sequence[SourceFile], caption: str, width: int, font: float
) -> tuple[list[str], list[str]]:
    """Break the footer into lines: the cited sources on the left, the caption on the right."""
    size = _footer_font(font)
    left = cited_sources(sources)
    return (
        wrap(left, (0.6 if caption else 0.95) * width - 20, size, 3) if left else [],
        wrap(caption, 0.36 * width, size, 3) if caption else [],
    )


def footer(footers: tuple[list[str], list[str]], geometry: Geometry, theme: Look) -> list[dict[str, Any]]:
    """Return plotly's annotations for the texts below the lowest axis."""
    size = _footer_font(geometry.font)
    rows = max(map(len, footers))
    common = {
        "xref": "paper", "yref": "paper", "y": 0, "yanchor": "top", "showarrow": False, "borderpad": 0,
        "yshift": -(geometry.bottom - rows * 14 * geometry.font / 14 - 4),
        "font": {"size": size, "color": _footer_colour(theme)},
    }  # fmt: skip
    left, right = ("<br>".join(inert(line) for line in side) for side in footers)
    texts = []
    if left:
        shift = 12 - geometry.left
        texts.append({"text": left, "x": 0, "xanchor": "left", "xshift": shift, "align": "left", **common})
    if right:
        shift = geometry.right - 12
        texts.append({"text": right, "x": 1, "xanchor": "right", "xshift": shift, "align": "right", **common})
    return texts


def _footer_colour(theme: Look) -> str:
    if not theme.own:
        return theme.foreground
    return "#666666" if theme.foreground == "#000000" else "#999999"


def _footer_font(font: float) -> float:
    return max(6.0, font - 5)
