"""The formats of an export, and how its file ends; imports nothing heavy, for plans ask it too."""

from __future__ import annotations

import re
from typing import Literal, cast, get_args

from helio.errors import StepError

Format = Literal["csv", "parquet", "cdf", "netcdf"]
FORMATS: tuple[Format, ...] = get_args(Format)

ENDINGS: dict[Format, tuple[str, ...]] = {
    "csv": ("csv",),
    "parquet": ("parquet",),
    "cdf": ("cdf",),
    "netcdf": ("nc", "nc4", "netcdf"),
}
"""Endings of a file name that say the format; the first is added where there is none."""

OTHER_ENDINGS = (
    *("xlsx", "xls", "ods", "json", "h5", "hdf", "hdf5", "mat", "fits", "fit", "sav", "pkl", "pickle"),
    *("npy", "npz", "feather", "arrow", "tsv", "zip", "gz", "png", "pdf", "svg", "html"),
)
"""Endings of formats that are not written: CSV behind one of them would be opened as what it is not."""


def file_of_export(filename: str, format: str | None) -> tuple[str, Format]:
    """Return the file's whole name and its format, of a name that is given.

    Raises
    ------
    StepError
        The name has folders, or ends like another format than the one that is asked for, or like none of them.

    >>> file_of_export("b.nc", None), file_of_export("b", "cdf")
    (('b.nc', 'netcdf'), ('b.cdf', 'cdf'))
    """
    check_file_name(filename)
    kind = format_of_export(filename, format)
    return with_ending(filename, kind), kind


def check_file_name(filename: str) -> None:
    """Refuse a text that is not a plain file name.

    Raises
    ------
    StepError
        It has folders or signs that cannot be seen, or begins with a dot, or is too long.
    """
    plain = filename.isprintable() and not re.search(r"[/\\]", filename) and filename == filename.strip()
    if not plain or not 0 < len(filename) <= 200 or filename.startswith("."):
        shown = filename if len(filename) <= 60 else f"{filename[:57]}…"
        raise StepError(
            f"'{shown}' is not a plain file name",
            advice="leave out folders: choose the folder with --output; names do not start with a dot",
        )


def format_of_export(filename: str, format: str | None) -> Format:
    """Return the requested format, otherwise that of the file name's ending, otherwise CSV.

    Raises
    ------
    StepError
        The two disagree, or the name ends like a format that is not written.

    >>> format_of_export("b.nc", None)
    'netcdf'
    """
    format_, ending = format_of_name(filename), _ending(filename)
    if format and format_ and format_ != format:
        raise StepError(
            f"'{filename}' ends in {format_}, but the format is {format}",
            advice=f'set format: "{format_}", or leave it out',
        )
    if ending in OTHER_ENDINGS:
        raise StepError(
            f"'{filename}' has the ending of a format that helio does not write",
            advice=f"an ending of {', '.join(known for endings in ENDINGS.values() for known in endings)}, or none",
        )
    return cast(Format, format) if format else format_ or "csv"


def format_of_name(filename: str) -> Format | None:
    """Return the format of a file name's ending, if it is a known one."""
    return next((item for item, endings in ENDINGS.items() if _ending(filename) in endings), None)


def _ending(filename: str) -> str:
    return filename.lower().rpartition(".")[2] if "." in filename else ""


def with_ending(filename: str, format: Format) -> str:
    """Return the name with the ending of its format, added where it is missing.

    >>> with_ending("b", "netcdf")
    'b.nc'
    """
    return filename if _ending(filename) in ENDINGS[format] else f"{filename}.{ENDINGS[format][0]}"
