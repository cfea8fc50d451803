"""The names of a run's files."""

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
"""Formats of a figure for which the template states none."""
PLOTLY_JS = "plotly.min.js"
RECORD = "run.json"
LONGEST_NAME, MOST_BYTES = 120, 200
"""Characters and bytes of a file's name: file systems take 255 bytes, and temporary names need some of them."""

_NOT_FIGURES = (
    *(ending for endings in ENDINGS.values() for ending in endings),
    *(ending for ending in OTHER_ENDINGS if ending not in FORMATS),
    *("jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "eps", "ps", "htm"),
)
"""Endings of formats in which no figure is written: a PNG behind one of them would be opened as what it is not."""


@dataclass(frozen=True)
class OutputFile:
    """A file that a step is to write.

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
    """Refuse a format that no figure is written in.

    Raises
    ------
    RequestError
        With the formats that there are.
    """
    for name in formats:
        if name not in FORMATS:
            known = f"formats: {', '.join(FORMATS)}"
            raise RequestError(f"'{name}' is not a format of figures", advice=known)


def figure_name(step_id: StepId) -> str:
    """Return the name of a figure's files where the template states none: its step's, as a file name can have it.

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
    """Return the names of a figure's files with their formats.

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
            f"'{filename}' ends in a format that figures cannot have",
            advice=f"an ending of {', '.join(FORMATS)}, or none",
        )
    if formats and form_of_name not in formats:
        raise StepError(
            f"'{filename}' ends in {form_of_name}, but the formats are {', '.join(formats)}",
            advice=f'the name without its ending, or "{form_of_name}" among the formats',
        )
    return [
        (filename if form == form_of_name else f"{base}.{form}", form)
        for form in dict.fromkeys(formats or (form_of_name,))
    ]


def time_in_name(moment: datetime) -> str:
    """Return a moment as a file name has it, as precise as it is.

    >>> time_in_name(datetime(2024, 5, 10)), time_in_name(datetime(2024, 5, 10, 12, 0, 30))
    ('20240510', '20240510T120030')
    """
    return time_in_title(moment).replace("-", "").replace(":", "").replace(" ", "T")


def time_in_title(moment: datetime) -> str:
    """Return a moment as a title has it, as precise as it is.

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
    """Return the texts of ``{start}`` and ``{stop}`` in a file name or in a title."""
    written = time_in_name if in_name else time_in_title
    return {"start": written(span.start), "stop": written(span.stop)}
