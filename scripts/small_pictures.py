"""Draw figures as small PNG files for the documentation; each file states which figure it shows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path


def figure_of(png: bytes) -> str:
    """Return the SHA-256 of the figure that a picture shows, as the picture states it; empty if it states none."""
    stated = re.search(rb"tEXtfigure\0([0-9a-f]{64})", png)
    return stated[1].decode() if stated else ""


def draw(pictures: Mapping[Path, tuple[Path, str]], *, width: int | None = None) -> None:
    """Draw figures with Chromium.

    Parameters
    ----------
    pictures : mapping
        By the PNG file to write: the JSON file of its figure, and the SHA-256 that the picture states.
    width : int, optional
        Width of the pictures in pixels; as drawn when left out.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    from helio.steps.render.figure import Figure
    from helio.steps.render.write_figure import StaticRenderer, find_browser

    with StaticRenderer(browser=find_browser(os.environ)) as renderer:
        for path, (document, digest) in pictures.items():
            figure = Figure(json.loads(document.read_bytes()))
            drawn = renderer.render(figure, "png")
            smooth = any(
                trace["type"] == "heatmap" or "colorbar" in trace.get("marker", {})
                for trace in figure.document["data"]
            )
            about = PngInfo()
            about.add_text("figure", digest)
            image = Image.open(BytesIO(drawn)).convert("RGB")
            if width is None:
                image = image.quantize(256 if smooth else 32, dither=Image.Dither.NONE)
            else:  # smooth edges need more colours, and thin lines keep theirs with this method
                size = (width, round(image.height * width / image.width))
                image = image.resize(size, Image.Resampling.LANCZOS)
                image = image.quantize(96, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
            image.save(path, "PNG", optimize=True, pnginfo=about)
