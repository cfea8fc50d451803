"""The blocks (VVR, CVVR) of a CDF that hold the records of one variable, and functions that read a range of these
records.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# CDF Internal Format Description (NASA SPDF), sections 2.10 to 2.13: the types of an index of blocks, of a block and
# of a compressed block
_VXR, _VVR, _CVVR = 6, 7, 13
_GZIP_STREAM = zlib.MAX_WBITS | 16
_STRANGE = (-1, -1, -1)

Block = tuple[int, int, int]
"""First record of a block, last record, and offset of the block in the file."""


@dataclass(frozen=True)
class BlockFile:
    """An open CDF, from which blocks are read.

    Parameters
    ----------
    descriptor : int
    size : int
        Bytes of the file.
    wide : bool
        Whether offsets have 8 bytes, as in version 3, or 4.
    """

    descriptor: int
    size: int
    wide: bool

    def bytes(self, offset: int, count: int) -> bytes:
        """Read `count` bytes of the file, or fewer at its end.

        Raises
        ------
        ValueError
            The file is shorter than `count`.
        """
        if not 0 <= count <= self.size:
            raise ValueError(f"cannot read {count} bytes at offset {offset}")
        return os.pread(self.descriptor, count, offset)


def walk_index(file: BlockFile, head: int) -> Iterator[Block]:
    """Yield the blocks of a variable in the order of its index records (VXR), starting at the record at `head`.

    A block with negative record numbers means that the index is invalid at this place.

    Raises
    ------
    ValueError, struct.error, OSError
        The index cannot be read.
    """
    layout, entry, lead = (
        (struct.Struct(">qiqii"), "q", 8) if file.wide else (struct.Struct(">iiiii"), "i", 4)
    )
    width = 8 + struct.calcsize(entry)
    waiting: list[Block | int] = [head] if head else []
    seen = set[int]()
    while waiting:
        offset = waiting.pop()
        if isinstance(offset, tuple):
            yield offset
            continue
        if offset in seen or offset <= 0:
            yield _STRANGE
            continue
        seen.add(offset)
        size, kind, following, entries, used = layout.unpack(file.bytes(offset, layout.size))
        if kind != _VXR:
            yield _STRANGE
            continue
        if not layout.size + entries * width <= size <= file.size - offset:
            yield _STRANGE
        numbers = file.bytes(offset + layout.size, entries * width)
        firsts = struct.unpack_from(f">{used}i", numbers, 0)
        lasts = struct.unpack_from(f">{used}i", numbers, 4 * entries)
        offsets = struct.unpack_from(f">{used}{entry}", numbers, 8 * entries)
        children: list[Block | int] = [following] if following else []
        for first, last, block in zip(reversed(firsts), reversed(lasts), reversed(offsets), strict=True):
            (kind,) = struct.unpack(">i", file.bytes(block + lead, 4))
            children.append(block if kind == _VXR else (first, last, block))
        waiting.extend(children)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Blocks of a variable that follow each other without a gap, starting at record 0.

    Parameters
    ----------
    stops : int64 array, shape (n,)
        Number of the record after the last record of each block.
    offsets : int64 array, shape (n,)
        Position in the file at which each block begins.
    """

    stops: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]


def blocks_in_order(blocks: Iterable[Block], records: int) -> Blocks | None:
    """Return the blocks that hold records [0, records), in order; None if the blocks leave a gap, overlap or end too
    early.
    """
    stops, offsets = [0], []
    for first, last, offset in blocks:
        if first != stops[-1] or last < first:
            return None
        stops.append(last + 1)
        offsets.append(offset)
    if stops[-1] < records or not offsets:
        return None
    return Blocks(np.array(stops[1:], np.int64), np.array(offsets, np.int64))


def read_range(file: BlockFile, blocks: Blocks, width: int, first: int, stop: int) -> npt.NDArray[np.uint8]:
    """Read records [first, stop) into one array, opening only the blocks that hold these records.

    Parameters
    ----------
    width : int
        Bytes of one record.

    Returns
    -------
    uint8 array, shape ((stop - first) * width,)

    Raises
    ------
    ValueError, struct.error, zlib.error, OSError
        A block is damaged, or does not have exactly the bytes of its records.
    """
    data = np.empty((stop - first) * width, np.uint8)
    number = int(np.searchsorted(blocks.stops, first, side="right"))
    record = first
    while record < stop:
        start = int(blocks.stops[number - 1]) if number else 0
        end = min(stop, int(blocks.stops[number]))
        place = data[(record - first) * width : (end - first) * width]
        _read_block(
            file, blocks, number, (int(blocks.stops[number]) - start) * width, (record - start) * width, place
        )
        record, number = end, number + 1
    return data


def _read_block(
    file: BlockFile, blocks: Blocks, number: int, length: int, skipped: int, place: npt.NDArray[np.uint8]
) -> None:
    """Fill `place` with bytes from a block of `length` bytes, starting at byte `skipped` of the block."""
    layout = struct.Struct(">qi4xq" if file.wide else ">ii4xi")
    lead = 12 if file.wide else 8
    offset = int(blocks.offsets[number])
    # a file may end with a block that is shorter than the head of a compressed one
    size, kind, packed = layout.unpack(file.bytes(offset, layout.size).ljust(layout.size, b"\0"))
    if size > file.size - offset:
        raise ValueError(f"block {number} reaches beyond the end of the file")
    if kind == _CVVR and 0 <= packed <= size - layout.size:
        data = file.bytes(offset + layout.size, packed)
        expanding = zlib.decompressobj(_GZIP_STREAM)
        # one byte more, so that more than there should be is seen and the checksum is looked at
        expanded = expanding.decompress(data, length + 1)
        if len(expanded) == length and expanding.eof and not expanding.unused_data:
            place[:] = np.frombuffer(expanded, np.uint8)[skipped : skipped + place.size]
            return
    elif (
        kind == _VVR
        and (size - lead == length or (size - lead > length and number == blocks.offsets.size - 1))
        and os.preadv(file.descriptor, [place.data], offset + lead + skipped) == place.size
    ):
        return
    raise ValueError(f"block {number} does not have exactly the {length} bytes that its records need")
