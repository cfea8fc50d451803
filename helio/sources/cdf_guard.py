"""Checks that refuse an incomplete CDF before a reader opens it."""

from __future__ import annotations

import os
import struct
from pathlib import Path

from helio.errors import DamagedFile
from helio.sources.damage import ADVICE, broken, unopened

# CDF Internal Format Description (NASA SPDF), sections 2.1 to 2.4: the magic numbers, the CDR and GDR
# of versions 2.6 (also written by 2.0 to 2.5, under another number) and 3, the CCR and the CPR.
_MAGIC_3 = b"\xcd\xf3\x00\x01"
_MAGIC_26 = b"\xcd\xf2\x60\x02"
_MAGIC_2 = b"\x00\x00\xff\xff"
_PLAIN = b"\x00\x00\xff\xff"
_COMPRESSED = b"\xcc\xcc\x00\x01"
_CDR, _GDR, _CCR, _CPR = 1, 2, 10, 11
_COMPRESSIONS = {1: "run-length encoding of zeros", 5: "gzip"}
_PADDING = 256 * 1024**2
"""Number of bytes that a file may have after its last record, in addition to the length of its contents."""


def check_cdf(path: Path) -> None:
    """Check that a file is a complete CDF, within some tens of microseconds and without reading data.

    Raises
    ------
    DamagedFile
        The file is absent, empty, truncated or of another kind, or has a compression that helio cannot read.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(512)
            check_head(head, path.name, str(path))
            if head[4:8] == _COMPRESSED:
                _check_compressed(path, size, head, file.fileno())
            else:
                _check_plain(path, size, head, file.fileno())
    except OSError as error:
        raise unopened(path, error) from error


def check_head(head: bytes, name: str, where: str) -> None:
    """Check that the first bytes of a file are the first bytes of a CDF.

    Raises
    ------
    DamagedFile
        The file begins with other bytes.
    """
    if not head:
        raise DamagedFile(f"'{name}' is empty", advice=ADVICE, place=where)
    if head[:4] not in (_MAGIC_3, _MAGIC_26, _MAGIC_2):
        raise DamagedFile(f"'{name}' is not a CDF but {what_it_is(head)}", advice=ADVICE, place=where)
    if head[4:8] not in (_PLAIN, _COMPRESSED):
        raise DamagedFile(
            f"'{name}' begins like a CDF, but its second magic number is {head[4:8].hex() or 'missing'}",
            advice=ADVICE,
            place=where,
        )


def what_it_is(head: bytes) -> str:
    """Describe the kind of a file in words, from its first bytes."""
    start = head.lstrip()[:64].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head")):
        return "an HTML page, which servers send for a missing file"
    if start.startswith(b"<?xml"):
        return "XML"
    for magic, kind in (
        (b"\x1f\x8b", "a gzip archive"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x89HDF", "HDF5 or netCDF-4"),
        (b"\x89PNG", "a PNG image"),
        (b"\xff\xd8\xff", "a JPEG image"),
        (b"PAR1", "Parquet"),
        (_MAGIC_3, "a CDF"),
        (_MAGIC_26, "a CDF"),
        (b"CDF\x01", "netCDF-3, which is another format than CDF"),
        (b"CDF\x02", "netCDF-3, which is another format than CDF"),
        (b"SIMPLE  =", "FITS"),
        (b"%PDF", "a PDF document"),
    ):
        if head.startswith(magic):
            return kind
    if all(byte >= 32 or byte in (9, 10, 13) for byte in head):
        return "text"
    return f"unknown data beginning with the bytes {head[:4].hex()}"


def _check_plain(path: Path, size: int, head: bytes, descriptor: int) -> None:
    wide = head[:4] == _MAGIC_3
    cdr_type, gdr = _fields(path, ">iq" if wide else ">ii", head, 16 if wide else 12)
    if cdr_type != _CDR:
        raise broken(path, "its first record is not a CDF descriptor record (CDR)")
    length = 44 if wide else 24
    if gdr < 8 or gdr + length > size:
        raise _truncated(path, size, max(gdr + length, 0))
    record = os.pread(descriptor, length, gdr)
    # RecordSize, RecordType, four or three offsets, and the last of those is where the file says it ends
    (gdr_type,) = _fields(path, ">i", record, 8 if wide else 4)
    if gdr_type != _GDR:
        raise broken(path, "no global descriptor record (GDR) is at the stated offset")
    (end,) = _fields(path, ">q" if wide else ">i", record, 36 if wide else 20)
    if end > size:
        raise _truncated(path, size, end)
    refuse_padding(path, size, end)


def _check_compressed(path: Path, size: int, head: bytes, descriptor: int) -> None:
    wide = head[:4] == _MAGIC_3
    length, record_type, cpr = _fields(path, ">qiq" if wide else ">iii", head, 8)
    if record_type != _CCR:
        raise broken(path, "its first record is not that of a compressed CDF (CCR)")
    if length < 32 or 8 + length > size:
        raise _truncated(path, size, 8 + max(length, 0))
    lead = 8 if wide else 4
    if cpr < 8 or cpr + lead + 8 > size:
        raise _truncated(path, size, max(cpr + lead + 8, 0))
    length, cpr_type, compression = _fields(
        path, ">qii" if wide else ">iii", os.pread(descriptor, lead + 8, cpr), 0
    )
    if cpr + length > size:
        raise _truncated(path, size, cpr + length)
    refuse_padding(path, size, cpr + length)
    if cpr_type != _CPR:
        raise broken(path, "no compression record (CPR) is at the stated offset")
    if compression not in _COMPRESSIONS:
        raise DamagedFile(
            f"'{path.name}' is compressed by method {compression}, which helio cannot read",
            advice="use NASA's cdfconvert to write the file with another compression: "
            f"{' or '.join(_COMPRESSIONS.values())}",
            place=str(path),
        )


def refuse_padding(path: Path, size: int, end: int) -> None:
    """Refuse a file much longer than its contents, such as a sparse file, because reading it would take long.

    Raises
    ------
    DamagedFile
    """
    if size > 2 * end + _PADDING:
        raise DamagedFile(
            f"'{path.name}' is damaged: it has {size} bytes, but its contents need only {end} bytes",
            advice=ADVICE,
            place=str(path),
        )


def _fields(path: Path, layout: str, record: bytes, offset: int) -> tuple[int, ...]:
    if len(record) < offset + struct.calcsize(layout):
        raise broken(path, "it ends inside its first records")
    return struct.unpack_from(layout, record, offset)


def _truncated(path: Path, size: int, end: int) -> DamagedFile:
    return DamagedFile(
        f"'{path.name}' is truncated: it should have at least {end} bytes but has {size}",
        advice=ADVICE,
        place=str(path),
    )
