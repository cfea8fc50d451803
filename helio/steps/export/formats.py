"""The file formats of an export and their endings; this module imports no large library, because plans need it."""

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
"""File name endings of each format; helio adds the first ending to a name without an ending."""

OTHER_ENDINGS = (
    *("xlsx", "xls", "ods", "json", "h5", "hdf", "hdf5", "mat", "fits", "fit", "sav", "pkl", "pickle"),
    *("npy", "npz", "feather", "arrow", "tsv", "zip", "gz", "png", "pdf", "svg", "html"),
)
"""Endings of formats that helio does not write; programs would misread a CSV file with such an ending."""


def file_of_export(filename: str, format: str | None) -> tuple[str, Format]:
    """Return the full name of an exported file, with its ending, and its format.

    Raises
    ------
    StepError
        The name has folders, or its ending is that of a format other than `format`, or of a format that helio does
        not write.

    >>> file_of_export("b.nc", None), file_of_export("b", "cdf")
    (('b.nc', 'netcdf'), ('b.cdf', 'cdf'))
    """
    check_file_name(filename)
    kind = format_of_export(filename, format)
    return with_ending(filename, kind), kind


def check_file_name(filename: str) -> None:
    """Refuse a text that is not a plain file name, for instance because it contains a folder.

    Raises
    ------
    StepError
        The text has folders or invisible characters, begins with a dot, or is too long.
    """
    plain = filename.isprintable() and not re.search(r"[/\\]", filename) and filename == filename.strip()
    if not plain or not 0 < len(filename) <= 200 or filename.startswith("."):
        shown = filename if len(filename) <= 60 else f"{filename[:57]}…"
        raise StepError(
            f"'{shown}' is not a plain file name",
            advice="write a name without folders that does not start with a dot; --output chooses the folder",
        )


def format_of_export(filename: str, format: str | None) -> Format:
    """Return the requested format, otherwise the format of the file name's ending, otherwise CSV.

    Raises
    ------
    StepError
        The ending and `format` disagree, or helio does not write files with this ending.

    >>> format_of_export("b.nc", None)
    'netcdf'
    """
    format_, ending = format_of_name(filename), _ending(filename)
    if format and format_ and format_ != format:
        raise StepError(
            f"'{filename}' ends in {format_}, but 'format' is {format}",
            advice=f'set format: "{format_}", or leave it out',
        )
    if ending in OTHER_ENDINGS:
        known = ", ".join(name for endings in ENDINGS.values() for name in endings)
        raise StepError(
            f"'{filename}' has the ending of a format that helio does not write",
            advice=f"use one of these endings: {known}; or no ending",
        )
    return cast(Format, format) if format else format_ or "csv"


def format_of_name(filename: str) -> Format | None:
    """Return the format that has the ending of this file name, or None if no format has it."""
    return next((item for item, endings in ENDINGS.items() if _ending(filename) in endings), None)


def _ending(filename: str) -> str:
    return filename.lower().rpartition(".")[2] if "." in filename else ""


def with_ending(filename: str, format: Format) -> str:
    """Return a file name with the ending of the format; add the ending if it is missing.

    >>> with_ending("b", "netcdf")
    'b.nc'
    """
    return filename if _ending(filename) in ENDINGS[format] else f"{filename}.{ENDINGS[format][0]}"
