"""What a run's files are called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from helio.errors import RequestError
from helio.pipelines.diagnostics import StepId

Format = Literal["html", "json", "png", "pdf", "svg"]
Static = Literal["png", "pdf", "svg"]
FORMATS: tuple[Format, ...] = ("html", "json", "png", "pdf", "svg")
STATIC: tuple[Static, ...] = ("png", "pdf", "svg")
PLOTLY_JS = "plotly.min.js"
RECORD = "run.json"
LONGEST_NAME = 120
"""Characters of a file's name: file systems take 255 bytes, and temporary names need some of them."""


def check_formats(formats: Iterable[str]) -> None:
    """Refuse a format that no figure is written in.

    Raises
    ------
    RequestError
        With the formats that there are.
    """
    for name in formats:
        if name not in FORMATS:
            known = f"formats: {', '.join(FORMATS)}"
            raise RequestError(f"'{name}' is no format of figures", advice=known)


def figure_name(step_id: StepId) -> str:
    """The name of a figure's files: its step's, where that is a name."""
    return f"figure-{step_id}" if isinstance(step_id, int) else step_id
