"""Write equal numbers as equal bytes, so that digests depend on values and not on memory layout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

_BLOCK_BYTES = 1 << 18  # stays in the processor's cache while it is made canonical and hashed


def canonical_blocks(array: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    """Yield the elements of an array in C order as little-endian blocks; every NaN gets one form, and −0.0 becomes 0.0.

    A block is overwritten by the next one.
    """
    if array.dtype.kind not in "fiubM" or array.itemsize > 8:  # longer floats are padded with anything
        raise TypeError(f"a table holds numbers of at most 64 bits, not {array.dtype}")
    plain = np.dtype("<i8") if array.dtype.kind == "M" else array.dtype.newbyteorder("<")
    records = array.shape[0]
    width = array[0].size if records else 0
    if width == 0:
        return
    length = max(1, min(records, _BLOCK_BYTES // (width * plain.itemsize)))
    scratch = np.empty((length, *array.shape[1:]), dtype=plain)
    for first in range(0, records, length):
        source = array[first : first + length]
        block = scratch[: source.shape[0]]
        if plain.kind != "f":
            block[...] = source.view(np.int64) if source.dtype.kind == "M" else source
        else:
            with np.errstate(invalid="ignore"):  # a signalling NaN becomes the one quiet NaN, as all others
                np.add(source, plain.type(0), out=block)
            missing = np.isnan(block)
            if missing.any():
                block[missing] = np.nan
        yield block


def canonical(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a whole array in the form of `canonical_blocks`; copy the array only if it has another form."""
    native = array.dtype.newbyteorder("=")
    if array.flags.c_contiguous and array.dtype == native:
        # Compared as bytes: to ==, −0.0 is 0.0 and no NaN is itself.
        flat, at = array.reshape(-1).view(np.uint8), 0
        for block in canonical_blocks(array):
            if not np.array_equal(flat[at : at + block.nbytes], block.reshape(-1).view(np.uint8)):
                break
            at += block.nbytes
        else:
            return array
    whole = np.empty(array.shape, dtype=native)
    row = 0
    for block in canonical_blocks(array):
        whole[row : row + block.shape[0]] = block.view(native) if native.kind == "M" else block
        row += block.shape[0]
    return whole
