"""Names of the files that a run writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from helio.errors import RequestError, StepError
from helio.pipelines.template.diagnostics import StepId
from helio.steps.export.formats import ENDINGS, OTHER_ENDINGS, check_file_name
from helio.time_range import TimeRange

Format = Literal["html", "json", "png", "pdf", "svg"]
Static = Literal["png", "pdf", "svg"]
FORMATS: tuple[Format, ...] = ("html", "json", "png", "pdf", "svg")
STATIC: tuple[Static, ...] = ("png", "pdf", "svg")
UNSTATED: tuple[Format, ...] = ("html", "json")
"""Formats of a figure if the template does not state any format."""
PLOTLY_JS, VIEWER_JS = "plotly.min.js", "helio-figure.js"
"""Names of the scripts that the pages of figures load."""
DETAIL = "detail"
"""Kind of the folder with all points of a page of a figure, in records of runs."""
RECORD = "run.json"
LONGEST_NAME, MOST_BYTES = 120, 200
"""Maximum number of characters and of bytes of a file name: file systems allow 255 bytes; temporary names need some."""

_NOT_FIGURES = (
    *(ending for endings in ENDINGS.values() for ending in endings),
    *(ending for ending in OTHER_ENDINGS if ending not in FORMATS),
    *("jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "eps", "ps", "htm"),
)
"""File extensions of other formats, which figures cannot have, because programs would expect other content."""


@dataclass(frozen=True)
class OutputFile:
    """A file that a step will write.

    Parameters
    ----------
    name : str
        Its plain name, in the folder of the run.
    format : str
        A figure's format, or ``"data"``.
    critical : bool
        Whether the run fails without it.
    """

    name: str
    format: str
    critical: bool


def check_formats(formats: Iterable[str]) -> None:
    """Raise an error for a format that figures cannot have.

    Raises
    ------
    RequestError
        With the formats that there are.
    """
    for name in formats:
        if name not in FORMATS:
            known = f"use one of these formats: {', '.join(FORMATS)}"
            raise RequestError(f"figures cannot be written as '{name}'", advice=known)


def figure_name(step_id: StepId) -> str:
    """Make the name of a figure's files from the id of its step; used if the template states no name.

    >>> figure_name(3), figure_name("fig[2024-01-10]"), figure_name("fig[a/b]")
    ('figure-3', 'fig[2024-01-10]', 'fig[a_b]')
    """
    if isinstance(step_id, int):
        return f"figure-{step_id}"
    plain = "".join("_" if sign in "/\\" or not sign.isprintable() else sign for sign in step_id)
    return f"_{plain[1:]}" if plain.startswith(".") else plain


def figure_files(
    filename: str, formats: Sequence[str], *, otherwise: str, unstated: Sequence[str] = UNSTATED
) -> list[tuple[str, str]]:
    """Return the names of a figure's files, each with its format.

    Parameters
    ----------
    filename : str
        As a template states it, everything filled in; empty where it states none.
    formats : sequence of str
        The formats that it states.
    otherwise : str
        The name without an ending where none is stated.
    unstated : sequence of str
        The formats where neither `formats` nor the ending of the name says any.

    Raises
    ------
    StepError
        The name is no plain name, or its ending disagrees with the formats.

    >>> figure_files("ace.png", [], otherwise="figure-3")
    [('ace.png', 'png')]
    >>> figure_files("ace", ["png", "pdf"], otherwise="figure-3")
    [('ace.png', 'png'), ('ace.pdf', 'pdf')]
    """
    if not filename:
        return [(f"{otherwise}.{form}", form) for form in dict.fromkeys(formats or unstated)]
    check_file_name(filename)
    base, dot, ending = filename.rpartition(".")
    form_of_name = ending.lower()
    if not dot or form_of_name not in (*FORMATS, *_NOT_FIGURES):
        return [(f"{filename}.{form}", form) for form in dict.fromkeys(formats or unstated)]
    if form_of_name in _NOT_FIGURES:
        raise StepError(
            f"figures cannot be written in the format of '{filename}'",
            advice=f"use the extension {', '.join(FORMATS)}, or none",
        )
    if formats and form_of_name not in formats:
        raise StepError(
            f"'{filename}' ends in {form_of_name}, but the formats are {', '.join(formats)}",
            advice=f'remove the extension, or add "{form_of_name}" to the formats',
        )
    return [
        (filename if form == form_of_name else f"{base}.{form}", form)
        for form in dict.fromkeys(formats or (form_of_name,))
    ]


def time_in_name(moment: datetime) -> str:
    """Write a time for a file name, with no more digits than the time needs.

    >>> time_in_name(datetime(2024, 5, 10)), time_in_name(datetime(2024, 5, 10, 12, 0, 30))
    ('20240510', '20240510T120030')
    """
    return time_in_title(moment).replace("-", "").replace(":", "").replace(" ", "T")


def time_in_title(moment: datetime) -> str:
    """Write a time for a title, with no more digits than the time needs.

    >>> time_in_title(datetime(2024, 5, 10)), time_in_title(datetime(2024, 5, 10, 12))
    ('2024-05-10', '2024-05-10 12:00')
    """
    day, clock = moment.date().isoformat(), moment.time()
    if moment == datetime(moment.year, moment.month, moment.day):
        return day
    if clock.microsecond:
        return f"{day} {clock.isoformat('microseconds').rstrip('0')}"
    return f"{day} {clock.isoformat('seconds' if clock.second else 'minutes')}"


def times_of(span: TimeRange, *, in_name: bool) -> dict[str, str]:
    """Return the texts that replace ``{start}`` and ``{stop}`` in a file name or in a title."""
    written = time_in_name if in_name else time_in_title
    return {"start": written(span.start), "stop": written(span.stop)}
