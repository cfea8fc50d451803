"""Checks that refuse an incomplete netCDF file before a reader opens it."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

from helio.errors import DamagedFile
from helio.sources.cdf_guard import refuse_padding
from helio.sources.damage import ADVICE, broken, unopened

NETCDF_3 = (b"CDF\x01", b"CDF\x02", b"CDF\x05")
NETCDF_4 = b"\x89HDF\r\n\x1a\n"

# HDF5 File Format Specification, "Disk Format: Level 0A - Format Signature and Superblock": where each
# version of the superblock gives the base and the end of the file.
_SUPERBLOCKS = {0: (24, 40), 1: (28, 44), 2: (12, 28), 3: (12, 28)}
_SIZES_AT = {0: 13, 1: 13, 2: 9, 3: 9}

# NetCDF Classic Format Specification: tags of the lists, bytes of the types
_DIMENSIONS, _VARIABLES, _ATTRIBUTES = 10, 11, 12
_TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
_MOST = 1_000_000
"""Maximum length of a list in a header; a longer list means that the header is damaged."""


def check_netcdf(path: Path) -> None:
    """Check that a file is a complete netCDF file, without reading data.

    The netCDF library silently reads the missing end of a truncated classic file as zeros. Therefore helio computes
    from the header where the file must end.

    Raises
    ------
    DamagedFile
        The file is absent or truncated, or its header is invalid.

    References
    ----------
    NetCDF Classic Format Specification; HDF5 File Format Specification, version 3.0.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if file.read(8) == NETCDF_4:
                end = _end_of_hdf5(path, os.pread(file.fileno(), 64, 0))
            else:
                descriptor = file.fileno()
                end = _ClassicHeader(
                    path, lambda count, offset: os.pread(descriptor, count, offset), size
                ).end()
    except OSError as error:
        raise unopened(path, error) from error
    if end > size:
        raise DamagedFile(
            f"'{path.name}' is truncated: it should have at least {end} bytes but has {size}",
            advice=ADVICE,
            place=str(path),
        )
    refuse_padding(path, size, end)


def _end_of_hdf5(path: Path, head: bytes) -> int:
    version = head[8] if len(head) > 8 else -1
    places = _SUPERBLOCKS.get(version)
    if places is None or len(head) < places[1] + 8 or head[_SIZES_AT[version]] != 8:
        raise broken(path, "its HDF5 superblock is invalid")
    base, end = (struct.unpack_from("<Q", head, offset)[0] for offset in places)
    return int(base + end)


class _ClassicHeader:
    """The header of a netCDF-3 file, from which helio computes how long the file must be."""

    def __init__(self, path: Path, read: Callable[[int, int], bytes], size: int) -> None:
        self._path, self._read, self._size = path, read, size
        self._place = 4
        version = read(4, 0)[3]
        self._wide_counts = version == 5
        self._wide_offsets = version in (2, 5)

    def end(self) -> int:
        """Return how many bytes the file must have according to its header; the padding of the last variable
        may be missing.
        """
        records = self._count()
        if records == (2**64 - 1 if self._wide_counts else 2**32 - 1):
            raise broken(
                self._path,
                "the program that wrote it did not close it, so the number of its records is unknown",
            )
        lengths = self._dimensions()
        self._attributes()
        fixed: list[int] = []
        by_record: list[tuple[int, int]] = []
        for _ in range(self._list(_VARIABLES)):
            begin, width, varies = self._variable(lengths)
            if varies:
                by_record.append((begin, width))
            else:
                fixed.append(begin + width)
        ends = [self._place, *fixed]
        if records and by_record:
            # a single record variable is packed without padding
            padded = [width if len(by_record) == 1 else -(-width // 4) * 4 for _, width in by_record]
            begin, width = max(by_record)
            ends.append(begin + (records - 1) * sum(padded) + width)
        return max(ends)

    def _dimensions(self) -> list[int]:
        lengths = []
        for _ in range(self._list(_DIMENSIONS)):
            self._name()
            lengths.append(self._count())
        return lengths

    def _attributes(self) -> None:
        for _ in range(self._list(_ATTRIBUTES)):
            self._name()
            size = self._type_size()
            self._skip(-(-size * self._count() // 4) * 4)

    def _variable(self, lengths: list[int]) -> tuple[int, int, bool]:
        """Return the position of a variable's data, their number of bytes (per record if the variable varies),
        and whether it varies.
        """
        self._name()
        numbers = [self._count() for _ in range(self._bounded(self._count()))]
        self._attributes()
        width = self._type_size()
        if any(number >= len(lengths) for number in numbers):
            raise broken(self._path, "a variable has a dimension that does not exist")
        self._count()  # the size that it says itself, which overflows for large variables
        begin = self._number(8 if self._wide_offsets else 4)
        varies = bool(numbers) and lengths[numbers[0]] == 0
        for number in numbers[1:] if varies else numbers:
            width *= lengths[number]
        return begin, width, varies

    def _list(self, tag: int) -> int:
        kind, count = self._number(4), self._count()
        if kind not in (0, tag) or (kind == 0 and count):
            raise broken(self._path, "its header is invalid")
        return self._bounded(count)

    def _bounded(self, count: int) -> int:
        if count > _MOST:
            raise broken(self._path, f"its header claims a list of {count} entries")
        return count

    def _name(self) -> None:
        self._skip(-(-self._count() // 4) * 4)

    def _type_size(self) -> int:
        size = _TYPE_SIZES.get(self._number(4))
        if size is None:
            raise broken(self._path, "its header names an unknown data type")
        return size

    def _count(self) -> int:
        return self._number(8 if self._wide_counts else 4)

    def _number(self, width: int) -> int:
        data = self._read(width, self._place)
        if len(data) < width:
            raise broken(self._path, "it ends inside its header")
        self._place += width
        return int.from_bytes(data, "big")

    def _skip(self, count: int) -> None:
        self._place += count
        if self._place > self._size:
            raise broken(self._path, "it ends inside its header")
