"""The formats of an export, and how its file ends; imports nothing heavy, for plans ask it too."""

from __future__ import annotations

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


def format_of_export(filename: str, format: str | None) -> Format:
    """The format that is asked for, else the one that the name ends like, else CSV.

    Raises
    ------
    StepError
        The two disagree.

    >>> format_of_export("b.nc", None)
    'netcdf'
    """
    ending = filename.lower().rpartition(".")[2] if "." in filename else ""
    said = next((one for one, endings in ENDINGS.items() if ending in endings), None)
    if format and said and said != format:
        raise StepError(
            f"'{filename}' ends like {said}, and the format is {format}",
            advice=f'set format: "{said}", or leave it out',
        )
    return cast(Format, format) if format else said or "csv"


def with_ending(filename: str, format: Format) -> str:
    """The name with the ending of its format, added where it is missing.

    >>> with_ending("b", "netcdf")
    'b.nc'
    """
    ending = filename.lower().rpartition(".")[2] if "." in filename else ""
    return filename if ending in ENDINGS[format] else f"{filename}.{ENDINGS[format][0]}"
