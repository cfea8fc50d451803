"""Detection of a file's format from its name and first bytes; helio refuses incomplete files here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from helio.errors import DamagedFile
from helio.sources.cdf_guard import check_cdf, what_it_is
from helio.sources.damage import ADVICE, unopened
from helio.sources.file_digests import open_regular
from helio.sources.netcdf_guard import NETCDF_3, NETCDF_4, check_netcdf

Format = Literal["cdf", "netcdf", "csv", "parquet"]

SUFFIXES: dict[str, Format] = {
    ".cdf": "cdf",
    ".nc": "netcdf",
    ".nc3": "netcdf",
    ".nc4": "netcdf",
    ".netcdf": "netcdf",
    ".csv": "csv",
    ".parquet": "parquet",
}
"""File name endings that helio reads, in upper or lower case. Some netCDF files also end in ``.cdf``, as netCDF
files once did.
"""

_PARQUET = b"PAR1"
_FOOTER = 8
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def format_of(path: Path) -> Format:
    """Return the format of a complete file, judged by its name and its first and last bytes, without reading data.

    Raises
    ------
    DamagedFile
        The file is absent, empty or truncated, or has another format than its name says.
    """
    format_ = SUFFIXES.get(path.suffix.lower(), "cdf")
    try:
        with open(open_regular(path), "rb") as file:
            head, size = file.read(512), os.fstat(file.fileno()).st_size
            tail = os.pread(file.fileno(), _FOOTER, max(size - _FOOTER, 0))
    except OSError as error:
        raise unopened(path, error) from error
    if size == 0:
        raise DamagedFile(f"'{path.name}' is empty", advice=ADVICE, place=str(path))
    if format_ in ("cdf", "netcdf") and head.startswith((*NETCDF_3, NETCDF_4)):
        check_netcdf(path)
        return "netcdf"
    if format_ == "cdf":
        check_cdf(path)
        return "cdf"
    if format_ == "netcdf":
        raise _other_kind(path, "netCDF", head)
    if format_ == "parquet":
        _check_parquet(path, head, tail, size)
        return "parquet"
    _check_text(path, head)
    if b"\0" in tail:
        raise DamagedFile(
            f"'{path.name}' is not CSV: it begins with text but ends with zero bytes",
            advice=ADVICE,
            place=str(path),
        )
    return "csv"


def _check_parquet(path: Path, head: bytes, tail: bytes, size: int) -> None:
    # Apache Parquet file format: magic, column chunks, footer, its length in four bytes, magic
    if not head.startswith(_PARQUET):
        raise _other_kind(path, "Parquet", head)
    if tail[4:] != _PARQUET or int.from_bytes(tail[:4], "little") + _FOOTER + len(_PARQUET) > size:
        raise DamagedFile(
            f"'{path.name}' is truncated: a Parquet file ends with a footer, but this one does not",
            advice=ADVICE,
            place=str(path),
        )


def _check_text(path: Path, head: bytes) -> None:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DamagedFile(
            f"'{path.name}' is text in UTF-16", advice="save the file as CSV in UTF-8", place=str(path)
        )
    plain = all(byte >= 32 or byte in (9, 10, 13) for byte in head.removeprefix(_BYTE_ORDER_MARK))
    if not plain or what_it_is(head).startswith(("an HTML", "XML")):
        raise _other_kind(path, "CSV", head)


def _other_kind(path: Path, expected: str, head: bytes) -> DamagedFile:
    return DamagedFile(
        f"'{path.name}' is not {expected} but {what_it_is(head)}", advice=ADVICE, place=str(path)
    )
