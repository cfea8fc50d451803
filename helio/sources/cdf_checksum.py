"""The MD5 checksum that a CDF of version 3 may carry at its end."""

from __future__ import annotations

import hashlib
import struct
import zlib
from typing import Literal

Checksum = Literal["none", "right", "wrong"]

# CDF Internal Format Description (NASA SPDF), sections 2.2 and 2.9: the flags of the CDF descriptor (CDR), and the
# record (CCR) that holds a whole CDF in compressed form.
_MAGIC_3 = b"\xcd\xf3\x00\x01"
_PLAIN, _COMPRESSED = b"\x00\x00\xff\xff", b"\xcc\xcc\x00\x01"
_CDR_AT, _COMPRESSED_CDR_AT, _FLAGS = 8, 40, 32
_HAS_CHECKSUM, _IS_MD5, _IS_OTHER = 4, 8, 16
_LENGTH = 16
_HEAD = 4096
"""Number of first bytes of a file that surely contain the checksum flags, whether the file is compressed or not."""


class ByteDigests:
    """Running sha256 of bytes; for a CDF that carries an MD5 checksum, also a check of this MD5.

    The checksum of a CDF covers all bytes of the file before it. If the whole CDF is compressed, the checksum
    covers the compressed bytes, and the flag that announces it is compressed too.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._flags: int | None = None
        """The checksum flags of the CDF; None until enough bytes have arrived."""
        self._held = b""
        """Bytes that are not yet part of the MD5: all bytes while the flags are unknown, then the last 16."""

    def update(self, chunk: bytes | memoryview) -> None:
        """Add the next bytes of the file to both digests."""
        self._sha256.update(chunk)
        if self._flags is None:
            self._held += bytes(chunk)
            if len(self._held) >= _HEAD:
                self._begin()
        elif self._flags and len(chunk) < _LENGTH:
            self._hold_back(self._held + bytes(chunk))
        elif self._flags:
            self._md5.update(self._held)
            self._hold_back(chunk)

    @property
    def sha256(self) -> str:
        """The sha256 of all bytes so far, in hexadecimal."""
        return self._sha256.hexdigest()

    def checksum(self) -> Checksum:
        """Return whether the file ends with an MD5 checksum, and whether this checksum is right; call this after the
        last byte.
        """
        if self._flags is None:
            self._begin()
        if not self._flags:
            return "none"
        known_kind = self._flags == _HAS_CHECKSUM | _IS_MD5
        return "right" if known_kind and self._held == self._md5.digest() else "wrong"

    def _begin(self) -> None:
        self._flags = _checksum_flags(self._held)
        self._hold_back(self._held if self._flags else b"")

    def _hold_back(self, chunk: bytes | memoryview) -> None:
        """Add all bytes to the MD5 except the last 16, which may be the checksum itself."""
        view = memoryview(chunk)
        self._md5.update(view[:-_LENGTH])
        self._held = bytes(view[-_LENGTH:])


def _checksum_flags(head: bytes) -> int:
    """Return the checksum flags from the descriptor of a CDF; return 0 for any other file.

    A valid file has both flags for MD5 or none of them: a file with only one of them is damaged.
    """
    if head[:4] != _MAGIC_3:
        return 0
    if head[4:8] == _COMPRESSED:
        record = _expanded(head[_COMPRESSED_CDR_AT:])
    elif head[4:8] == _PLAIN:
        record = head[_CDR_AT:]
    else:
        return 0
    if len(record) < _FLAGS + 4:
        return 0
    (flags,) = struct.unpack_from(">i", record, _FLAGS)
    return int(flags) & (_HAS_CHECKSUM | _IS_MD5 | _IS_OTHER)


def _expanded(data: bytes) -> bytes:
    """Decompress the first bytes, from gzip or from the CDF's run-length encoding of zeros; empty for any other
    method.
    """
    if data[:2] == b"\x1f\x8b":
        try:
            return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _FLAGS + 4)
        except zlib.error:
            return b""
    expanded = bytearray()
    position = 0
    while position + 1 < len(data) and len(expanded) < _FLAGS + 4:
        if data[position]:
            expanded.append(data[position])
            position += 1
        else:
            expanded += bytes(data[position + 1] + 1)
            position += 2
    return bytes(expanded)
