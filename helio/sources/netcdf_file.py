"""One netCDF file in the terms of ISTP, over netCDF4; only the worker imports it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile
from helio.sources import istp
from helio.sources.cdf_epoch import UNIX_NS
from helio.sources.netcdf_time import TimeUnits, time_units
from helio.sources.variables import Attributes, Variable
from helio.sources.written import LEAP_SECOND
from helio.store.leap_seconds import from_civil

_KINDS = {
    "i1": "INT1", "i2": "INT2", "i4": "INT4", "i8": "INT8", "u1": "UINT1", "u2": "UINT2", "u4": "UINT4",
    "u8": "UINT8", "f4": "FLOAT", "f8": "DOUBLE",
}  # fmt: skip
_TEXT = "CHAR"
_READING_ERRORS = (
    OSError, RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError,
)  # fmt: skip


class NetcdfFile:
    """An open netCDF file; satisfies `helio.sources.variables.VariableFile`.

    A variable's records lie along the dimension of its times, wherever that stands. Fill (``_FillValue``,
    ``missing_value``, ``FILLVAL``, the library's default) is NaN, packed values are unpacked, and what is called
    unsigned is so.

    References
    ----------
    CF Conventions 1.11, sections 2.5, 4.4, 5, 7.1 and 8.1; NetCDF Users Guide, "Attribute Conventions".
    """

    def __init__(self, path: Path, source: Path | None = None) -> None:
        self.path = path
        with self._reading():
            self._file = netCDF4.Dataset(str(source or path), "r")
            self._file.set_auto_maskandscale(False)
            self._file.set_auto_chartostring(False)
            self._variables = dict(_walk(self._file, ""))
        self._as_said: dict[str, Attributes] = {}
        self._attributes: dict[str, Attributes] = {}
        self._times: dict[str, TimeUnits | DamagedFile | None] = {}
        self._clocks: dict[str, str | None] = {}

    def close(self) -> None:
        """Give up the file."""
        self._file.close()

    def part_checksums(self) -> bool:
        """Whether every variable over a dimension has its chunks checked by HDF5: with Fletcher32, or as zlib does."""
        with self._reading():
            filters = [one.filters() or {} for one in self._variables.values() if one.ndim]
        return bool(filters) and all(one.get("fletcher32") or one.get("zlib") for one in filters)

    def names(self) -> tuple[str, ...]:
        """Names of all variables that hold numbers, times or texts, in file order; those of groups with their path.

        What a coordinate names as its bounds belongs to it and is left out.
        """
        bounds = {
            place
            for name in self._variables
            for said in ("BOUNDS", "CLIMATOLOGY")
            for place in _upwards(name.rpartition("/")[0], istp.text_of(self._said(name), said))
        }
        return tuple(
            name for name, variable in self._variables.items() if _kind(variable) and name not in bounds
        )

    def variable(self, name: str) -> Variable | None:
        """The variable of exactly that name, or None."""
        found = self._variables.get(name)
        if found is None or not _kind(found):
            return None
        along = self._record_dimension(name)
        sizes = self._sizes(found)
        records = 1 if along is None else sizes.pop(along)
        kind = UNIX_NS if self._time_of(name) is not None else _kind(found)
        return Variable(
            name=name,
            kind=kind,
            shape=tuple(size for size in sizes if size != 1),
            dimensions=tuple(i for i, size in enumerate(sizes, start=1) if size != 1),
            records=records,
            varies=along is not None,
        )

    def attributes(self, name: str) -> Attributes:
        """Attributes of a variable, CF's under the names of ISTP too; none if there is no such variable."""
        if name not in self._variables:
            return {}
        if name not in self._attributes:
            self._attributes[name] = self._as_istp(name)
        return self._attributes[name]

    def links(self, name: str) -> Attributes:
        """All attributes: they are read with the header."""
        return self.attributes(name)

    def global_attributes(self) -> dict[str, list[Any]]:
        """Global attributes, names in capitals, each a list of entries."""
        with self._reading():
            return {key.upper(): [_readable(self._file.getncattr(key))] for key in self._file.ncattrs()}

    def records(self, variable: Variable, first: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Records [first, stop) as floats with fill NaN, as nanoseconds since 1970, or as texts.

        Returns
        -------
        array, shape (stop - first, *variable.shape); without the first dimension if it does not vary
            Writable and contiguous.
        """
        found = self._variables[variable.name]
        along = self._record_dimension(variable.name)
        stop = variable.records if stop is None else stop
        with self._reading():
            if along is None:
                raw = found[...]
            else:
                raw = found[
                    tuple(slice(first, stop) if i == along else slice(None) for i in range(found.ndim))
                ]
                raw = np.moveaxis(np.asarray(raw), along, 0)
            raw = np.asarray(raw)
        shape = (stop - first, *variable.shape) if variable.varies else variable.shape
        if variable.holds_text:
            texts = _texts(raw)
            return texts.reshape(shape)
        raw = self._native(variable.name, raw)
        missing = self._missing(variable.name, raw)
        units = self._time_of(variable.name)
        if isinstance(units, DamagedFile):
            raise units
        if units is not None:
            missing = self._outside_limits(variable.name, raw) | (False if missing is None else missing)
            nanoseconds = units.decode(raw, missing)
            if LEAP_SECOND.upper() not in self._said(variable.name):
                nanoseconds = from_civil(nanoseconds)
            return nanoseconds.reshape(shape)
        return np.array(self._unpacked(variable.name, raw, missing).reshape(shape), order="C")

    # Values

    def _native(self, name: str, raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
        raw = np.ascontiguousarray(raw, dtype=raw.dtype.newbyteorder("="))
        unsigned = istp.text_of(self._said(name), "_UNSIGNED").lower()
        if raw.dtype.kind == "i" and unsigned == "true":
            return raw.view(f"u{raw.dtype.itemsize}")
        if raw.dtype.kind == "u" and unsigned == "false":
            return raw.view(f"i{raw.dtype.itemsize}")
        return raw

    def _missing(self, name: str, raw: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
        said = self._said(name)
        fills = [
            number
            for attribute in ("_FILLVALUE", "MISSING_VALUE", "FILLVAL")
            for number in _numbers(said.get(attribute))
        ]
        if "_FILLVALUE" not in said and raw.dtype.itemsize > 1:
            # what the library puts where nothing was written
            fills.append(netCDF4.default_fillvals[raw.dtype.str[1:]])
        missing: npt.NDArray[np.bool_] | None = None
        for fill in fills:
            same = _equal(raw, fill)
            if same is not None and same.any():
                missing = same if missing is None else missing | same
        return missing

    def _outside_limits(self, name: str, raw: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Where times lie outside valid_min to valid_max; by CF that makes them missing."""
        outside = np.zeros(raw.shape, dtype=bool)
        scale, offset = self._packing(name)
        for limit, beyond in zip(self._limits(name), (np.less, np.greater), strict=True):
            if limit is None:
                continue
            number = np.asarray(limit)[0]
            if number.dtype.kind == "i" and raw.dtype.kind == "u":
                number = self._native(name, np.asarray([number]))[0]
            elif number.dtype.kind == "f" and raw.dtype.kind in "iu":
                # wider than what is stored: a limit of the unpacked times (NetCDF Users Guide, valid_range)
                number = (number - (0 if offset is None else offset)) / (1 if scale is None else scale)
            outside |= beyond(raw, number)
        return outside

    def _limits(self, name: str) -> tuple[npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
        """What valid_min and valid_max say, or valid_range, each of one element."""
        said = self._said(name)
        both = _numbers(said.get("VALID_RANGE"))
        low, high = (istp.numbers_of(said, one) for one in ("VALID_MIN", "VALID_MAX"))
        if len(both) == 2:
            low = np.array(both[:1]) if low is None else low
            high = np.array(both[1:]) if high is None else high
        return low, high

    def _unpacked(
        self, name: str, raw: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[Any]:
        scale, offset = self._packing(name)
        if scale is None and offset is None:
            values = raw if raw.dtype.kind == "f" else raw.astype(np.float64)
        else:
            dtype = np.result_type(*(one for one in (scale, offset) if one is not None))
            dtype = dtype if dtype.kind == "f" else np.dtype("f8")
            values = raw.astype(np.result_type(dtype, raw.dtype) if raw.dtype.kind == "f" else dtype)
            if scale is not None:
                values *= scale
            if offset is not None:
                values += offset
        if values.dtype.itemsize < 4:
            values = values.astype(np.float32)
        if missing is not None:
            values = values if values.flags.writeable and values is not raw else values.copy()
            values[missing] = np.nan
        return values

    def _packing(self, name: str) -> tuple[Any, Any]:
        said = self._said(name)
        scale, offset = (istp.numbers_of(said, each) for each in ("SCALE_FACTOR", "ADD_OFFSET"))
        return (None if scale is None else scale[0]), (None if offset is None else offset[0])

    # Attributes

    def _said(self, name: str) -> Attributes:
        """What the file says of a variable itself, names in capitals; of two spellings the one that says something."""
        if name in self._as_said:
            return self._as_said[name]
        found = self._variables[name]
        said: Attributes = {}
        with self._reading():
            for key in found.ncattrs():
                value = _readable(found.getncattr(key))
                if not (key.upper() in said and isinstance(value, str) and not value):
                    said[key.upper()] = value
        self._as_said[name] = said
        return said

    def _as_istp(self, name: str) -> Attributes:
        said = dict(self._said(name))
        scale, offset = self._packing(name)
        for one, ours in zip(self._limits(name), ("VALIDMIN", "VALIDMAX"), strict=True):
            if one is None or ours in said:
                continue
            # CF gives limits in the packed form, ISTP in that of the values
            packed = np.asarray(self._native(name, one) if one.dtype.kind == "i" else one)
            said[ours] = packed * (1 if scale is None else scale) + (0 if offset is None else offset)
        # fill is NaN already, and an integer's own default is not CF's
        for fill in ("FILLVAL", "_FILLVALUE", "MISSING_VALUE"):
            said.pop(fill, None)
        words = istp.text_of(said, "CATDESC", "LONG_NAME", "DESCRIPTION", "STANDARD_NAME")
        flags = _flags(said)
        if words or flags:
            said["CATDESC"] = f"{words} ({flags})" if words and flags else words or flags
        for i, pointer in self._pointers(name, said):
            said.setdefault(f"DEPEND_{i}", pointer)
            if i:
                said.setdefault(f"LABL_PTR_{i}", pointer)
        return said

    def _pointers(self, name: str, said: Attributes) -> Iterator[tuple[int, str]]:
        """For each dimension, 0 that of the records, the variable that gives its coordinates."""
        clock = self._clock_of(name)
        if clock is not None:
            yield 0, clock
        along = self._record_dimension(name)
        found = self._variables[name]
        others = [dimension for i, dimension in enumerate(self._dimensions(found)) if i != along]
        listed = istp.text_of(said, "COORDINATES").split()
        for i, dimension in enumerate(others, start=1):
            pointer = self._coordinate(name, dimension, found, along, listed)
            if pointer:
                yield i, pointer

    def _coordinate(
        self, name: str, dimension: str, of: Any, along: int | None, listed: list[str]
    ) -> str | None:
        """The variable of a dimension's coordinates: of its own name, or one of those that `coordinates` lists."""
        group = name.rpartition("/")[0]
        time = None if along is None else self._dimensions(of)[along]
        for candidate in (dimension, *listed):
            for place in _upwards(group, candidate):
                found = self._variables.get(place)
                if found is None or place == name:
                    continue
                dimensions = self._dimensions(found)
                if dimensions in ([dimension], [time, dimension]):
                    return place
        return None

    # Times

    def _time_of(self, name: str) -> TimeUnits | DamagedFile | None:
        """How a variable counts time, or why that is not understood; None where it holds no times."""
        if name not in self._times:
            found, said = self._variables[name], self._said(name)
            counts = isinstance(found.dtype, np.dtype) and found.dtype.kind in "iuf"
            words = (istp.text_of(said, one) for one in ("UNITS", "TIME_BASE", "CALENDAR", "UNITS_METADATA"))
            try:
                units = time_units(*words) if counts else None
                self._times[name] = units and units.packed(*self._packing(name))
            except DamagedFile as error:
                # it is said when these times are asked for: other variables may be on another clock
                self._times[name] = error
        return self._times[name]

    def _clock_of(self, name: str) -> str | None:
        """The times of a variable: its DEPEND_0, else the coordinate of one of its dimensions that is a time."""
        if name not in self._clocks:
            self._clocks[name] = self._find_clock(name)
        return self._clocks[name]

    def _find_clock(self, name: str) -> str | None:
        group, said = name.rpartition("/")[0], self._said(name)
        dimensions = self._dimensions(self._variables[name])
        pointer = istp.text_of(said, "DEPEND_0")
        for place in _upwards(group, pointer) if pointer else ():
            clock = self._variables.get(place)
            if clock is not None and self._dimensions(clock)[:1] and self._dimensions(clock)[0] in dimensions:
                return place
        listed = istp.text_of(said, "COORDINATES").split()
        for dimension in dimensions:
            clocks = [
                other
                for other, variable in self._variables.items()
                if self._dimensions(variable) == [dimension] and self._time_of(other) is not None
            ]
            for candidate in (name, dimension, *listed):
                found = next((place for place in _upwards(group, candidate) if place in clocks), None)
                if found is not None:
                    return found
            if len(clocks) == 1:
                return clocks[0]
        return None

    def _record_dimension(self, name: str) -> int | None:
        """Which of a variable's dimensions counts its records."""
        clock = self._clock_of(name)
        if clock is None:
            return None
        dimension = self._dimensions(self._variables[clock])[0]
        dimensions = self._dimensions(self._variables[name])
        return dimensions.index(dimension) if dimension in dimensions else None

    # Shapes

    def _dimensions(self, variable: Any) -> list[str]:
        """Names of the dimensions, without that of the characters of a text."""
        names = list(variable.dimensions)
        return names[:-1] if variable.dtype == np.dtype("S1") and names else names

    def _sizes(self, variable: Any) -> list[int]:
        return [int(size) for size in variable.shape[: len(self._dimensions(variable))]]

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except _READING_ERRORS as error:
            raise DamagedFile(
                f"'{self.path.name}' could not be read: {type(error).__name__}: {error}",
                advice="fetch it again; if it comes out the same, tell whoever serves it",
            ) from error


def _walk(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, variable in group.variables.items():
        yield f"{prefix}{name}", variable
    for name, inner in group.groups.items():
        yield from _walk(inner, f"{prefix}{name}/")


def _upwards(group: str, name: str) -> Iterator[str]:
    """Where a name that is used in a group may stand: there, or in a group around it."""
    while group:
        yield f"{group}/{name}"
        group = group.rpartition("/")[0]
    yield name


def _kind(variable: Any) -> str:
    """The CDF type; empty for types that a user defined."""
    if variable.dtype is str:
        return _TEXT
    if not isinstance(variable.dtype, np.dtype):
        return ""
    return _TEXT if variable.dtype.kind in "SU" else _KINDS.get(variable.dtype.str[1:], "")


def _texts(raw: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if raw.dtype.kind != "S":
        return np.array([_clean(str(text)) for text in raw.reshape(-1)]).reshape(raw.shape)
    rows = raw.reshape(-1, raw.shape[-1]) if raw.ndim else raw.reshape(1, 1)
    texts = [_clean(b"".join(row.tolist()).decode("utf-8", errors="replace")) for row in rows]
    return np.array(texts).reshape(raw.shape[:-1])


def _clean(text: str) -> str:
    """Without control characters, which a terminal would obey, and the padding."""
    text = text.rstrip("\x00 ")
    return (
        text
        if text.isprintable()
        else "".join(one if one.isprintable() or one == "\n" else " " for one in text)
    )


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value).strip()
    if isinstance(value, bytes):
        return _clean(value.decode("utf-8", errors="replace")).strip()
    if isinstance(value, list):
        return np.array([_clean(str(one)).strip() for one in value])
    return value


def _numbers(value: Any) -> list[Any]:
    """An attribute as numbers; GOES writes some of them as text."""
    found = istp.numbers_of({"X": value}, "X")
    return [] if found is None else list(found)


def _equal(raw: npt.NDArray[Any], fill: Any) -> npt.NDArray[np.bool_] | None:
    """Where values are a fill, in their own precision."""
    number = np.asarray(fill)
    if raw.dtype.kind == "f":
        if np.isnan(number):
            return None
        with np.errstate(over="ignore"):
            same: npt.NDArray[np.bool_] = raw == number.astype(raw.dtype)
        return same
    if number.dtype.kind == "f" and not float(number).is_integer():
        return None
    whole, limits = int(number), np.iinfo(raw.dtype)
    if raw.dtype.kind == "u" and whole < 0:
        whole += 2 ** (8 * raw.dtype.itemsize)  # the fill of a type that is signed in the file
    return np.asarray(raw == whole) if limits.min <= whole <= limits.max else None


def _flags(said: Attributes) -> str:
    """The meanings of flags in words: ``0: good, 1: saturated``."""
    meanings = istp.text_of(said, "FLAG_MEANINGS").split()
    numbers = _numbers(said.get("FLAG_VALUES")) or _numbers(said.get("FLAG_MASKS"))
    if not meanings or len(meanings) != len(numbers):
        return ""
    pairs = zip(numbers, meanings, strict=True)
    return ", ".join(f"{number:g}: {meaning.replace('_', ' ')}" for number, meaning in pairs)
