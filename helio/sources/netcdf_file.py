"""Reader of one netCDF file as variables with ISTP attributes, with netCDF4; only the worker process imports
this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import numpy.typing as npt

from helio.errors import DamagedFile
from helio.sources import istp
from helio.sources.cdf_epoch import UNIX_NS
from helio.sources.damage import reading
from helio.sources.netcdf_time import TimeUnits, time_units
from helio.sources.variables import Attributes, FileVariable
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

    The records of a variable lie along the dimension of its times, which may be any of its dimensions. Fill values
    (``_FillValue``, ``missing_value``, ``FILLVAL``, the library's default) become NaN, packed values are unpacked,
    and variables marked as unsigned are read as unsigned.

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
        """Close the file."""
        self._file.close()

    def part_checksums(self) -> bool:
        """Return whether HDF5 verifies the values of every variable with dimensions, by Fletcher32 checksums or
        by zlib.
        """
        with self._reading():
            filters = [variable.filters() or {} for variable in self._variables.values() if variable.ndim]
        return bool(filters) and all(
            settings.get("fletcher32") or settings.get("zlib") for settings in filters
        )

    def names(self) -> tuple[str, ...]:
        """Return the names of all variables of numbers, times or texts, in file order; for a variable in a group, the
        name begins with the group's path.

        The names of variables with the bounds of a coordinate are left out.
        """
        bounds = {
            path
            for name in self._variables
            for attribute in ("BOUNDS", "CLIMATOLOGY")
            for path in _upwards(name.rpartition("/")[0], istp.text_of(self._said(name), attribute))
        }
        return tuple(
            name for name, variable in self._variables.items() if _kind(variable) and name not in bounds
        )

    def variable(self, name: str) -> FileVariable | None:
        """Return the variable with exactly this name, or None."""
        variable = self._variables.get(name)
        if variable is None or not _kind(variable):
            return None
        along = self._record_dimension(name)
        sizes = self._sizes(variable)
        records = 1 if along is None else sizes.pop(along)
        kind = UNIX_NS if self._time_of(name) is not None else _kind(variable)
        return FileVariable(
            name=name,
            kind=kind,
            shape=tuple(size for size in sizes if size != 1),
            dimensions=tuple(i for i, size in enumerate(sizes, start=1) if size != 1),
            records=records,
            varies=along is not None,
        )

    def attributes(self, name: str) -> Attributes:
        """Return the attributes of a variable, with CF attributes also under their ISTP names; empty if there
        is no such variable.
        """
        if name not in self._variables:
            return {}
        if name not in self._attributes:
            self._attributes[name] = self._as_istp(name)
        return self._attributes[name]

    def links(self, name: str) -> Attributes:
        """Return all attributes of a variable; they are in memory already."""
        return self.attributes(name)

    def global_attributes(self) -> dict[str, list[Any]]:
        """Return the global attributes by name in capitals, each as a list of entries."""
        with self._reading():
            return {key.upper(): [_readable(self._file.getncattr(key))] for key in self._file.ncattrs()}

    def records(self, variable: FileVariable, first: int = 0, stop: int | None = None) -> npt.NDArray[Any]:
        """Read records [first, stop): numbers as floats with fill values as NaN, times as ns since 1970, or texts.

        Returns
        -------
        array, shape (stop - first, *variable.shape); without the first dimension if it does not vary
            Writable and contiguous.
        """
        variable_in_file = self._variables[variable.name]
        along = self._record_dimension(variable.name)
        stop = variable.records if stop is None else stop
        with self._reading():
            if along is None:
                raw = variable_in_file[...]
            else:
                raw = variable_in_file[
                    tuple(
                        slice(first, stop) if i == along else slice(None)
                        for i in range(variable_in_file.ndim)
                    )
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
        attributes = self._said(name)
        fills = [
            number
            for attribute in ("_FILLVALUE", "MISSING_VALUE", "FILLVAL")
            for number in _numbers(attributes.get(attribute))
        ]
        if "_FILLVALUE" not in attributes and raw.dtype.itemsize > 1:
            # what the library puts where nothing was written
            fills.append(netCDF4.default_fillvals[raw.dtype.str[1:]])
        missing: npt.NDArray[np.bool_] | None = None
        for fill in fills:
            same = _equal(raw, fill)
            if same is not None and same.any():
                missing = same if missing is None else missing | same
        return missing

    def _outside_limits(self, name: str, raw: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Return where times lie outside valid_min to valid_max, because such times are missing by the CF
        Conventions.
        """
        outside = np.zeros(raw.shape, dtype=bool)
        scale, offset = self._packing(name)
        for limit, beyond in zip(self._limits(name), (np.less, np.greater), strict=True):
            if limit is None:
                continue
            number = np.asarray(limit)[0]
            if number.dtype.kind == "i" and raw.dtype.kind == "u":
                number = self._native(name, np.asarray([number]))[0]
            elif number.dtype.kind == "f" and raw.dtype.kind in "iu":
                # wider than the stored type: a limit of the unpacked times (NetCDF Users Guide, valid_range)
                number = (number - (0 if offset is None else offset)) / (1 if scale is None else scale)
            outside |= beyond(raw, number)
        return outside

    def _limits(self, name: str) -> tuple[npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
        """Return the limits valid_min and valid_max, or both from valid_range; each limit must have one element."""
        attributes = self._said(name)
        both = _numbers(attributes.get("VALID_RANGE"))
        low, high = (istp.numbers_of(attributes, attribute) for attribute in ("VALID_MIN", "VALID_MAX"))
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
            dtype = np.result_type(*(array for array in (scale, offset) if array is not None))
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
        attributes = self._said(name)
        scale, offset = (
            istp.numbers_of(attributes, attribute) for attribute in ("SCALE_FACTOR", "ADD_OFFSET")
        )
        return (None if scale is None else scale[0]), (None if offset is None else offset[0])

    # Attributes

    def _said(self, name: str) -> Attributes:
        """Return the attributes of a variable, with names in capitals; if two names differ only in case, use
        the one with a value.
        """
        if name in self._as_said:
            return self._as_said[name]
        variable = self._variables[name]
        attributes: Attributes = {}
        with self._reading():
            for key in variable.ncattrs():
                value = _readable(variable.getncattr(key))
                if not (key.upper() in attributes and isinstance(value, str) and not value):
                    attributes[key.upper()] = value
        self._as_said[name] = attributes
        return attributes

    def _as_istp(self, name: str) -> Attributes:
        attributes = dict(self._said(name))
        scale, offset = self._packing(name)
        for limit, ours in zip(self._limits(name), ("VALIDMIN", "VALIDMAX"), strict=True):
            if limit is None or ours in attributes:
                continue
            # CF gives limits in the packed form, ISTP in that of the values
            packed = np.asarray(self._native(name, limit) if limit.dtype.kind == "i" else limit)
            attributes[ours] = packed * (1 if scale is None else scale) + (0 if offset is None else offset)
        # fill is NaN already, and an integer's own default is not CF's
        for fill in ("FILLVAL", "_FILLVALUE", "MISSING_VALUE"):
            attributes.pop(fill, None)
        words = istp.text_of(attributes, "CATDESC", "LONG_NAME", "DESCRIPTION", "STANDARD_NAME")
        flags = _flags(attributes)
        if words or flags:
            attributes["CATDESC"] = f"{words} ({flags})" if words and flags else words or flags
        for i, pointer in self._pointers(name, attributes):
            attributes.setdefault(f"DEPEND_{i}", pointer)
            if i:
                attributes.setdefault(f"LABL_PTR_{i}", pointer)
        return attributes

    def _pointers(self, name: str, attributes: Attributes) -> Iterator[tuple[int, str]]:
        """Yield each dimension (0 for the records) with the variable that gives its coordinates."""
        clock = self._clock_of(name)
        if clock is not None:
            yield 0, clock
        along = self._record_dimension(name)
        variable = self._variables[name]
        others = [dimension for i, dimension in enumerate(self._dimensions(variable)) if i != along]
        listed = istp.text_of(attributes, "COORDINATES").split()
        for i, dimension in enumerate(others, start=1):
            pointer = self._coordinate(name, dimension, variable, along, listed)
            if pointer:
                yield i, pointer

    def _coordinate(
        self, name: str, dimension: str, of: Any, along: int | None, listed: list[str]
    ) -> str | None:
        """Return the variable with a dimension's coordinates: it has the dimension's name, or the attribute
        `coordinates` names it.
        """
        group = name.rpartition("/")[0]
        time = None if along is None else self._dimensions(of)[along]
        for candidate in (dimension, *listed):
            for path in _upwards(group, candidate):
                variable = self._variables.get(path)
                if variable is None or path == name:
                    continue
                dimensions = self._dimensions(variable)
                if dimensions in ([dimension], [time, dimension]):
                    return path
        return None

    # Times

    def _time_of(self, name: str) -> TimeUnits | DamagedFile | None:
        """Return the time units of a variable, or the error that explains why the units are unclear; None for a
        variable that holds no times.
        """
        if name not in self._times:
            variable, attributes = self._variables[name], self._said(name)
            counts = isinstance(variable.dtype, np.dtype) and variable.dtype.kind in "iuf"
            words = (
                istp.text_of(attributes, attribute)
                for attribute in ("UNITS", "TIME_BASE", "CALENDAR", "UNITS_METADATA")
            )
            try:
                units = time_units(*words) if counts else None
                self._times[name] = units and units.packed(*self._packing(name))
            except DamagedFile as error:
                # it is said when these times are asked for: other variables may be on another clock
                self._times[name] = error
        return self._times[name]

    def _clock_of(self, name: str) -> str | None:
        """Return the variable with the times of another variable: named in DEPEND_0, otherwise the time
        coordinate of a dimension.
        """
        if name not in self._clocks:
            self._clocks[name] = self._find_clock(name)
        return self._clocks[name]

    def _find_clock(self, name: str) -> str | None:
        group, attributes = name.rpartition("/")[0], self._said(name)
        dimensions = self._dimensions(self._variables[name])
        pointer = istp.text_of(attributes, "DEPEND_0")
        for name_of_clock in _upwards(group, pointer) if pointer else ():
            clock = self._variables.get(name_of_clock)
            if clock is not None and self._dimensions(clock)[:1] and self._dimensions(clock)[0] in dimensions:
                return name_of_clock
        listed = istp.text_of(attributes, "COORDINATES").split()
        for dimension in dimensions:
            clocks = [
                other
                for other, variable in self._variables.items()
                if self._dimensions(variable) == [dimension] and self._time_of(other) is not None
            ]
            for candidate in (name, dimension, *listed):
                clock_path = next((path for path in _upwards(group, candidate) if path in clocks), None)
                if clock_path is not None:
                    return clock_path
            if len(clocks) == 1:
                return clocks[0]
        return None

    def _record_dimension(self, name: str) -> int | None:
        """Return the position of the dimension that counts the records of a variable; None if there is no such
        dimension.
        """
        clock = self._clock_of(name)
        if clock is None:
            return None
        dimension = self._dimensions(self._variables[clock])[0]
        dimensions = self._dimensions(self._variables[name])
        return dimensions.index(dimension) if dimension in dimensions else None

    # Shapes

    def _dimensions(self, variable: Any) -> list[str]:
        """Return the names of a variable's dimensions, without the dimension that counts the characters of a text."""
        names = list(variable.dimensions)
        return names[:-1] if variable.dtype == np.dtype("S1") and names else names

    def _sizes(self, variable: Any) -> list[int]:
        return [int(size) for size in variable.shape[: len(self._dimensions(variable))]]

    def _reading(self) -> AbstractContextManager[None]:
        return reading(self.path, _READING_ERRORS)


def _walk(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, variable in group.variables.items():
        yield f"{prefix}{name}", variable
    for name, inner in group.groups.items():
        yield from _walk(inner, f"{prefix}{name}/")


def _upwards(group: str, name: str) -> Iterator[str]:
    """Yield the paths at which a name used in a group may be defined: in this group, or in a group that contains it."""
    while group:
        yield f"{group}/{name}"
        group = group.rpartition("/")[0]
    yield name


def _kind(variable: Any) -> str:
    """Return the CDF type that corresponds to a netCDF type; empty for types that the file's author defined."""
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
    """Remove padding and control characters from a text; a terminal would obey control characters."""
    text = text.rstrip("\x00 ")
    return (
        text
        if text.isprintable()
        else "".join(character if character.isprintable() or character == "\n" else " " for character in text)
    )


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return _clean(value).strip()
    if isinstance(value, bytes):
        return _clean(value.decode("utf-8", errors="replace")).strip()
    if isinstance(value, list):
        return np.array([_clean(str(item)).strip() for item in value])
    return value


def _numbers(value: Any) -> list[Any]:
    """Return an attribute as numbers; GOES files write some numbers as text."""
    numbers = istp.numbers_of({"X": value}, "X")
    return [] if numbers is None else list(numbers)


def _equal(raw: npt.NDArray[Any], fill: Any) -> npt.NDArray[np.bool_] | None:
    """Return where values equal a fill value, compared in the precision of the values."""
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


def _flags(attributes: Attributes) -> str:
    """Return the meanings of flag values in words: ``0: good, 1: saturated``."""
    meanings = istp.text_of(attributes, "FLAG_MEANINGS").split()
    numbers = _numbers(attributes.get("FLAG_VALUES")) or _numbers(attributes.get("FLAG_MASKS"))
    if not meanings or len(meanings) != len(numbers):
        return ""
    pairs = zip(numbers, meanings, strict=True)
    return ", ".join(f"{number:g}: {meaning.replace('_', ' ')}" for number, meaning in pairs)
