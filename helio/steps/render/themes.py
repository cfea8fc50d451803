"""Themes of figures: helio's white and dark pages, and the templates that plotly contains."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from helio.steps.render.spec import Theme


@dataclass(frozen=True)
class Look:
    """The colours and the plotly template of a theme."""

    foreground: str
    background: str
    template: dict[str, Any]
    own: bool
    """Whether helio chooses the lines, the grid and the background; false if a template of plotly chooses them."""


_OWN: dict[Theme, Look] = {
    "white": Look("#000000", "#ffffff", {}, own=True),
    "dark": Look("#e6e6e6", "#16181c", {}, own=True),
}


def plotly_file(name: str) -> Path:
    """Return the path of a file in plotly's package; this does not import plotly, which is slow."""
    spec = find_spec("plotly")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("plotly is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / "package_data" / name


def look(theme: Theme) -> Look:
    """Return the colours and the plotly template of the theme with this name."""
    if theme in _OWN:
        return _OWN[theme]
    layout = json.loads(plotly_file(f"templates/{theme}.json").read_text(encoding="utf-8"))["layout"]
    foreground = str(layout.get("font", {}).get("color", "#000000"))
    background = str(layout.get("plot_bgcolor", "#ffffff"))
    # Black lines stand on every page but a dark one.
    dark = theme == "plotly_dark"
    return Look(foreground if dark else "#000000", background, {"layout": layout}, own=False)
