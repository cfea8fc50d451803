"""Reader of one CDF as variables, attributes and records, with cdflib; only the worker process imports this module."""

from __future__ import annotations

import math
import os
import struct
import zlib
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt
from cdflib.cdfread import CDF
from cdflib.dataclasses import VDR

from helio.errors import DamagedFile
from helio.sources.cdf_blocks import BlockFile, Blocks, blocks_in_order, read_range, walk_index
from helio.sources.damage import reading
from helio.sources.variables import TEXT_KINDS, Attributes, FileVariable

_TYPES = {
    1: "INT1", 2: "INT2", 4: "INT4", 8: "INT8", 11: "UINT1", 12: "UINT2", 14: "UINT4",
    21: "REAL4", 22: "REAL8", 41: "BYTE", 44: "FLOAT", 45: "DOUBLE",
    31: "EPOCH", 32: "EPOCH16", 33: "TIME_TT2000", 51: "CHAR", 52: "UCHAR",
}  # fmt: skip
_DTYPES = {
    "INT1": "i1", "INT2": "i2", "INT4": "i4", "INT8": "i8", "UINT1": "u1", "UINT2": "u2", "UINT4": "u4",
    "REAL4": "f4", "REAL8": "f8", "BYTE": "i1", "FLOAT": "f4", "DOUBLE": "f8",
    "EPOCH": "f8", "EPOCH16": "c16", "TIME_TT2000": "i8",
}  # fmt: skip
# what NASA's library puts where a sparse variable has no pad of its own
_DEFAULT_PADS = {
    "INT1": -127, "INT2": -32767, "INT4": -2147483647, "INT8": -9223372036854775807, "BYTE": -127,
    "UINT1": 254, "UINT2": 65534, "UINT4": 4294967294,
    "REAL4": -1e30, "REAL8": -1e30, "FLOAT": -1e30, "DOUBLE": -1e30,
    "EPOCH": 0.0, "EPOCH16": 0.0, "TIME_TT2000": -9223372036854775807,
}  # fmt: skip
_LINKS = frozenset({
    "DEPEND_0", "DEPEND_TIME", "DEPEND_EPOCH0", "VIRTUAL", "FUNCT", "FUNCTION", "COMPONENT_0", "COMPONENT_1", "UNITS",
})  # fmt: skip
"""Attributes that decide whether helio can read a variable, and which variable holds its epochs."""
_LONGEST_LINK = 512
# CDF Internal Format Description (NASA SPDF), sections 2.6 and 2.11: the flags of a VDR, the CPR
_COMPRESSED, _CPR = 4, 11
_GZIP = 5
"""The only compression of records that cdflib reads correctly; cdflib reads any other method as if it were gzip."""
_DEFLATE_LIMIT = 1100
"""Deflate shrinks data at most 1032 times; a variable that claims a larger factor is damaged."""

# What a reader written for whole files raises on others, found by flipping bytes of real ones.
_READING_ERRORS = (
    OSError, EOFError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError,
    NameError, AssertionError, struct.error, zlib.error,
)  # fmt: skip


class _CdfOf(CDF):  # type: ignore[misc]  # cdflib says nothing of its types
    """Subclass of cdflib's CDF that reads an open descriptor; cdflib would open the file that is at the path by now."""

    def __init__(self, source: Path, *, string_encoding: str) -> None:
        self._source = source
        super().__init__(source, string_encoding=string_encoding)

    def _file_or_url_or_s3_handler(self, filename: str, filetype: str, s3_read_method: int) -> IO[bytes]:
        return self._source.open("rb")


class CdfFile:
    """An open CDF that keeps in memory what was read from the file, except records."""

    def __init__(self, path: Path, source: Path | None = None) -> None:
        self.path = path
        source = source or path
        self.size = source.stat().st_size
        with self._reading():
            # Latin-1 reads any byte; text that is UTF-8 is recognised afterwards
            self._cdf = _CdfOf(source, string_encoding="latin-1")
            if self._cdf.temp_file is not None:
                # the unpacked copy stays readable through its handle, and goes even if this process is killed
                self.size = self._cdf.temp_file.stat().st_size
                self._handle = self._cdf.temp_file.open("rb")
                os.remove(self._cdf.temp_file)
                self._cdf.temp_file = None
            else:
                self._handle = source.open("rb")
            self._file = BlockFile(self._handle.fileno(), self.size, wide=self._cdf.cdfversion == 3)
            self._whole_is_gzip = _is_gzip(source)
        self._names: tuple[str, ...] | None = None
        self._described: dict[str, tuple[FileVariable, VDR, str | int] | None] = {}
        self._attributes: dict[str, Attributes] = {}
        self._links: dict[tuple[bool, int], Attributes] | None = None
        self._methods: dict[tuple[bool, int], int] | None = None
        self._blocks: dict[str, Blocks | None] = {}
        self.clock_marks: dict[tuple[str, bool, str], npt.NDArray[np.int64]] = {}
        """Epochs that `helio.sources.cdf_tables` has read at regular steps from the time variables of this file."""

    def close(self) -> None:
        """Close the file."""
        self._handle.close()

    def names(self) -> tuple[str, ...]:
        """Return the names of all variables, in file order."""
        if self._names is None:
            with self._reading():
                info = self._cdf.cdf_info()
            self._names = tuple(name.strip() for name in [*info.zVariables, *info.rVariables])
        return self._names

    def part_checksums(self) -> bool:
        """Return whether gzip, which detects damaged values, compresses the whole file or all its time-varying numbers
        and times.
        """
        if self._whole_is_gzip:
            return True
        varying = [
            descriptor
            for name in self.names()
            if (description := self._describe(name)) is not None
            for variable, descriptor, _ in [description]
            if variable.varies and variable.records and not variable.holds_text
        ]
        return bool(varying) and all(
            variable.compression_bool and self._method(variable) == _GZIP for variable in varying
        )

    def variable(self, name: str) -> FileVariable | None:
        """Return the variable with exactly this name, or None."""
        description = self._describe(name)
        return None if description is None else description[0]

    def attributes(self, name: str) -> Attributes:
        """Return the attributes of a variable; empty if there is no such variable."""
        if name not in self._attributes:
            description = self._describe(name)
            if description is None:
                return {}
            with self._reading():
                attributes = self._cdf.varattsget(description[2])
            self._attributes[name] = {
                key.strip().upper(): _readable(value)
                for key, value in attributes.items()
                if value is not None
            }
        return self._attributes[name]

    def links(self, name: str) -> Attributes:
        """Return only the attributes that decide whether a variable can be read; fast for files with many variables."""
        if self._links is None:
            with self._reading():
                self._links = self._read_links()
        description = self._describe(name)
        if description is None:
            return {}
        return self._links.get((description[1].section_type == 8, int(description[1].variable_number)), {})

    def global_attributes(self) -> dict[str, list[Any]]:
        """Return the global attributes by name in capitals, each as a list of entries."""
        with self._reading():
            attributes = self._cdf.globalattsget()
        return {
            key.strip().upper(): [_readable(entry) for entry in entries]
            for key, entries in attributes.items()
        }

    def records(self, variable: FileVariable, first: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Read records [first, stop) as stored in the file, in native byte order, and in C order in memory.

        Returns
        -------
        array, shape (stop - first, *variable.shape); without the first dimension if it does not vary
            Writable and contiguous. Text is str without trailing blanks.
        """
        _, descriptor, key = self._known(variable.name)
        stop = variable.records if stop is None else stop
        if stop <= first:
            dtype = "U1" if variable.holds_text else _DTYPES[variable.kind]
            return np.empty((0, *variable.shape), dtype=dtype)
        self._refuse_absurd(variable, descriptor)
        self._refuse_unknown_compression(variable, descriptor)
        data: npt.NDArray[Any] | None
        if descriptor.sparse:
            data = self._sparse_records(variable, descriptor, key, first, stop)
        else:
            data = self._plain_records(variable, descriptor, first, stop)
            if data is None:
                with self._reading():
                    data = self._cdf.varget(key, startrec=first, endrec=stop - 1)
        return self._shaped(variable, data, stop - first)

    def _describe(self, name: str) -> tuple[FileVariable, VDR, str | int] | None:
        if name not in self._described:
            self._described[name] = self._look_up(name)
        return self._described[name]

    def _look_up(self, name: str) -> tuple[FileVariable, VDR, str | int] | None:
        key: str | int = name
        with self._reading():
            try:
                descriptor = self._cdf.vdr_info(name)
            except ValueError:
                # cdflib says so by a ValueError, and a damaged name is one as well
                descriptor = None
        if descriptor is None or descriptor.name.strip() != name:
            # cdflib takes names without regard to case; two may differ in nothing else
            if name not in self.names():
                return None
            key = self.names().index(name)
            with self._reading():
                descriptor = self._cdf.vdr_info(key)
            if descriptor.name.strip() != name:
                raise DamagedFile(f"'{self.path.name}' has two variables named '{name}'")
        kind = _TYPES.get(descriptor.data_type)
        if kind is None:
            raise DamagedFile(
                f"variable '{name}' in '{self.path.name}' has the unknown data type {descriptor.data_type}"
            )
        sizes = [int(size) for size in descriptor.dim_sizes]
        if len(sizes) == len(descriptor.dim_vary):
            sizes = [size for size, vary in zip(sizes, descriptor.dim_vary, strict=True) if vary]
        variable = FileVariable(
            name=name,
            kind=kind,
            shape=tuple(size for size in sizes if size != 1),
            dimensions=tuple(i for i, size in enumerate(sizes, start=1) if size != 1),
            records=max(int(descriptor.max_rec) + 1, 0),
            varies=bool(descriptor.record_vary),
        )
        return variable, descriptor, key

    def _known(self, name: str) -> tuple[FileVariable, VDR, str | int]:
        description = self._describe(name)
        if description is None:
            raise KeyError(name)
        return description

    def _refuse_absurd(self, variable: FileVariable, descriptor: VDR) -> None:
        """Refuse a variable that claims impossibly many bytes, so that a damaged size does not fill the memory."""
        width = (
            int(descriptor.num_elements) if variable.holds_text else np.dtype(_DTYPES[variable.kind]).itemsize
        )
        claimed = width * variable.records
        for size in variable.shape:
            claimed *= size
        limit = self.size * (_DEFLATE_LIMIT if descriptor.compression_bool else 1)
        if width < 1 or claimed < 0 or (claimed > limit and not descriptor.sparse):
            raise DamagedFile(
                f"variable '{variable.name}' claims {claimed} bytes, but '{self.path.name}' has only "
                f"{self.size}"
            )

    def _refuse_unknown_compression(self, variable: FileVariable, descriptor: VDR) -> None:
        """Refuse compression methods other than gzip, because gunzipping their bytes may give wrong numbers."""
        if not descriptor.compression_bool:
            return
        method = self._method(descriptor)
        if method != _GZIP:
            raise DamagedFile(
                f"variable '{variable.name}' in '{self.path.name}' is compressed by method {method}, "
                "which helio cannot read",
                advice="if the file is intact, convert it to gzip compression with NASA's cdfconvert",
            )

    def _method(self, descriptor: VDR) -> int | None:
        """Return the number of a variable's compression method; None if the variable is not compressed."""
        if self._methods is None:
            with self._reading():
                self._methods = self._read_methods()
        return self._methods.get((descriptor.section_type == 8, int(descriptor.variable_number)))

    def _plain_records(
        self, variable: FileVariable, descriptor: VDR, first: int, stop: int
    ) -> npt.NDArray[Any] | None:
        """Read only the blocks of records [first, stop); return None for any unusual variable, which cdflib
        must read.
        """
        shape = tuple(int(size) for size in descriptor.dim_sizes)
        usual = (
            variable.varies
            and not variable.holds_text
            and 0 <= first < stop <= variable.records
            and descriptor.num_elements == 1
            and len(shape) == len(descriptor.dim_vary)
            and all(descriptor.dim_vary)
            and all(size > 0 for size in shape)
            and (len(variable.shape) < 2 or self._cdf._majority == "Row_major")
        )
        if not usual:
            return None
        dtype = np.dtype(_DTYPES[variable.kind])
        try:
            if variable.name not in self._blocks:
                walk = walk_index(self._file, descriptor.head_vxr)
                self._blocks[variable.name] = blocks_in_order(walk, variable.records)
            blocks = self._blocks[variable.name]
            if blocks is None:
                return None
            data = read_range(self._file, blocks, dtype.itemsize * math.prod(shape), first, stop).view(dtype)
        except (ValueError, OSError, struct.error, zlib.error):
            # cdflib finds the damage again and says what it is
            return None
        if self._cdf._convert_option() != "=":
            data.byteswap(inplace=True)
        return data

    def _sparse_records(
        self, variable: FileVariable, descriptor: VDR, key: str | int, first: int, stop: int
    ) -> npt.NDArray[Any]:
        """Read a variable for which the file stores only some records, and fill in the missing records."""
        if variable.holds_text:
            raise DamagedFile(
                f"variable '{variable.name}' in '{self.path.name}' is text with sparse records, which "
                "helio cannot read"
            )
        dtype = np.dtype(_DTYPES[variable.kind])
        pad: Any = _DEFAULT_PADS[variable.kind]
        if descriptor.pad is not None and np.size(descriptor.pad) == 1:
            pad = np.asarray(descriptor.pad).reshape(-1)[0]
        data = np.full((variable.records, *variable.shape), pad, dtype=dtype)
        previous = 0
        with self._reading():
            blocks = sorted(
                (block_first, block_last)
                for block_first, block_last, _ in walk_index(self._file, descriptor.head_vxr)
                if 0 <= block_first <= block_last
            )
        for block_first, block_last in blocks:
            block_last = min(block_last, variable.records - 1)
            if block_last < block_first:
                continue
            if descriptor.sparse == 2 and previous:
                data[previous:block_first] = data[previous - 1]
            with self._reading():
                block = self._cdf.varget(key, startrec=block_first, endrec=block_last)
            data[block_first : block_last + 1] = self._shaped(variable, block, block_last + 1 - block_first)
            previous = block_last + 1
        if descriptor.sparse == 2 and previous:
            data[previous:] = data[previous - 1]
        return data[first:stop]

    def _global_record(self) -> int:
        """Return the offset of the global descriptor record (GDR)."""
        wide = self._file.wide
        (offset,) = struct.unpack(
            ">q" if wide else ">i", self._file.bytes(20, 8) if wide else self._file.bytes(16, 4)
        )
        return int(offset)

    def _read_links(self) -> dict[tuple[bool, int], Attributes]:
        """Read the attribute descriptors (ADR) of the file once, with only those entries (AEDR) that `_LINKS` names.

        cdflib goes through all of them once per variable.
        """
        wide = self._file.wide
        gdr = self._global_record()
        # rVDRhead, zVDRhead, ADRhead; of an ADR: next, first r or global entry, scope, …, first z entry, …, name
        head = struct.unpack(">qi3q" if wide else ">ii3i", self._file.bytes(gdr, 36 if wide else 20))
        layout = struct.Struct(">qiqq5iq3i" if wide else ">iiii5ii3i")
        entry = struct.Struct(">qiq9i" if wide else ">iii9i")
        links: dict[tuple[bool, int], Attributes] = {}
        offset, seen = head[4], set[int]()
        while offset > 0 and offset not in seen:
            seen.add(offset)
            data = self._file.bytes(offset, layout.size + 64)
            fields = layout.unpack_from(data)
            name = data[layout.size :].split(b"\0")[0].decode("latin-1").strip().upper()
            offset = fields[2]
            # scopes 1 and 3 are global
            if name not in _LINKS or fields[4] not in (2, 4):
                continue
            for is_z, next_entry in ((False, fields[3]), (True, fields[9])):
                while next_entry > 0 and next_entry not in seen:
                    seen.add(next_entry)
                    data = self._file.bytes(next_entry, entry.size + _LONGEST_LINK)
                    _, _, following, _, kind, number, length, *_ = entry.unpack_from(data)
                    if _TYPES.get(kind) in TEXT_KINDS:
                        text = data[entry.size : entry.size + length].split(b"\0")[0].decode("latin-1")
                        links.setdefault((is_z, number), {})[name] = _readable(text)
                    next_entry = following
        return links

    def _read_methods(self) -> dict[tuple[bool, int], int]:
        """Return the compression method (CPR) of each compressed variable, from one pass over the variable descriptors
        (VDR), r-variables before z-variables.
        """
        wide = self._file.wide
        gdr = self._global_record()
        _, _, *heads = struct.unpack(">qi2q" if wide else ">ii2i", self._file.bytes(gdr, 28 if wide else 16))
        # next descriptor, …, flags, …, number, CPR; of the CPR: size, type, method
        layout = struct.Struct(">8x4xq24xi20xiq" if wide else ">4x4xi16xi20xii")
        cpr = struct.Struct(">8xii" if wide else ">4xii")
        methods: dict[tuple[bool, int], int] = {}
        for is_z, offset_of_record in zip((False, True), heads, strict=True):
            seen = set[int]()
            while offset_of_record > 0 and offset_of_record not in seen:
                seen.add(offset_of_record)
                following, flags, number, offset = layout.unpack(
                    self._file.bytes(offset_of_record, layout.size)
                )
                if flags & _COMPRESSED:
                    kind, method = cpr.unpack(self._file.bytes(offset, cpr.size))
                    if kind != _CPR:
                        raise ValueError(f"no compression record (CPR) is at offset {offset}")
                    methods[is_z, number] = method
                offset_of_record = following
        return methods

    def _shaped(self, variable: FileVariable, data: object, count: int) -> npt.NDArray[Any]:
        if variable.holds_text:
            texts = np.array([_utf8(text).rstrip() for text in np.asarray(data).reshape(-1)])
            return texts.reshape((count, *variable.shape) if variable.varies else variable.shape)
        array = np.ascontiguousarray(data, dtype=np.dtype(_DTYPES[variable.kind]))
        shape = (count, *variable.shape) if variable.varies else variable.shape
        if array.size != int(np.prod(shape, dtype=np.int64)):
            raise DamagedFile(
                f"variable '{variable.name}' in '{self.path.name}' has {array.size} values, which do "
                f"not fit the shape {shape}"
            )
        array = array.reshape(shape)
        return array if array.flags.writeable else array.copy()

    def _reading(self) -> AbstractContextManager[None]:
        return reading(self.path, _READING_ERRORS)


def _is_gzip(source: Path) -> bool:
    """Return whether a CDF is compressed as one gzip stream, which begins at byte 40 in version 3 and at byte 28 in
    older versions.
    """
    with source.open("rb") as file:
        head = file.read(42)
    return head[4:8] == b"\xcc\xcc\x00\x01" and b"\x1f\x8b" in (head[40:42], head[28:30])


def _readable(value: object) -> object:
    if isinstance(value, str):
        return _utf8(value).strip()
    if isinstance(value, np.ndarray) and value.dtype.kind == "U":
        return np.array([_utf8(text).strip() for text in value.reshape(-1)])
    return value


def _utf8(text: str) -> str:
    """Decode text as UTF-8, or as Latin-1 if UTF-8 fails; remove control characters, which a terminal would obey."""
    text = str(text)
    if not text.isascii():
        with suppress(UnicodeError):
            text = text.encode("latin-1").decode("utf-8")
    if not text.isprintable():
        text = "".join(
            character if character.isprintable() or character == "\n" else " " for character in text
        )
    return text
