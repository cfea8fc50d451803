"""Conversion of a file's variables to tables: finds the epochs, the records and the axes of each variable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import DamagedFile, DataError, NoData, UnknownParameter, did_you_mean
from helio.sources import istp
from helio.sources.cdf_epoch import (
    EPOCH_TYPES,
    convert_increasing,
    unix_nanoseconds,
    unix_nanoseconds_of_seconds,
)
from helio.sources.clock import EpochSelection, EpochSurvey, clock_between, survey_clock
from helio.sources.join import once
from helio.sources.variables import FileVariable, VariableFile
from helio.sources.written import WRITTEN, read_facts, restore
from helio.store.leap_seconds import spans_leap_second
from helio.store.representation import Representation, representation_of
from helio.store.table import Axis, Floats, Table

_MOST_SURVEYED = 1_000_000
"""Maximum number of epochs of a time variable to read for its first and last time."""
_MARKED = 8_192
"""If the epochs of a time variable are in order, helio remembers one epoch out of this many."""
_NEAR_LEAP_SECOND = 2_000_000_000
_MOST_TENSOR = 16
"""Maximum number of elements of a matrix, such as 3 × 3 or 4 × 4, whose elements become components of a table."""


@runtime_checkable
class MarkedFile(Protocol):
    """File that remembers, while it is open, some epochs of its time variables."""

    clock_marks: dict[tuple[str, bool, str], npt.NDArray[np.int64]]
    """Every `_MARKED`-th epoch of time variables whose epochs are all valid and in order, by name, unit and base."""


class TableReader:
    """Reader of tables for one interval from one file; variables with the same time variable share its epochs.

    Parameters
    ----------
    start, stop : int
        Nanoseconds since 1970.
    use_epochs : callable, optional
        Function that gets the epochs of a table before its values are read, if the table will have exactly these.
    """

    def __init__(
        self,
        file: VariableFile,
        start: int,
        stop: int,
        use_epochs: Callable[[npt.NDArray[np.datetime64]], None] | None = None,
    ) -> None:
        self._file, self._use_epochs = file, use_epochs
        self._start, self._stop = np.datetime64(start, "ns"), np.datetime64(stop, "ns")
        self._clocks: dict[str, EpochSelection] = {}

    def read(self, name: str) -> Table:
        """Read one parameter over [start, stop), with fill values as NaN.

        Raises
        ------
        UnknownParameter
            The file has no such parameter, or the parameter is text, constant in time, virtual, without records, or of
            a shape that a table cannot hold.
        NoData
            The file has no records at all, as a master CDF.
        DamagedFile
        """
        variable = self._parameter(name)
        attributes = self._file.attributes(name)
        if variable.records == 0 and _is_virtual(attributes):
            return self._virtual(variable, attributes)
        _require_records(self._file, variable)
        return self._table(variable, attributes, variable)

    def _parameter(self, name: str) -> FileVariable:
        variable = self._file.variable(name)
        if variable is None:
            every = parameters_of(self._file)
            raise UnknownParameter(
                f"'{self._file.path.name}' has no parameter '{name}'",
                advice=did_you_mean(name, every, otherwise=_listed(every)),
            )
        if variable.holds_text:
            raise UnknownParameter(
                f"'{name}' holds text, not numbers", advice=_listed(parameters_of(self._file))
            )
        if variable.kind in EPOCH_TYPES:
            raise UnknownParameter(
                f"'{name}' is a time; helio reads the times together with every parameter",
                advice=_listed(parameters_of(self._file)),
            )
        if not variable.varies:
            raise UnknownParameter(
                f"'{name}' does not vary in time", advice=_listed(parameters_of(self._file))
            )
        return variable

    def _virtual(self, variable: FileVariable, attributes: istp.Attributes) -> Table:
        function = istp.text_of(attributes, "FUNCT", "FUNCTION").lower()
        source = self._file.variable(istp.text_of(attributes, "COMPONENT_0"))
        if function not in _VIRTUAL_FUNCTIONS or source is None or not _is_series(source):
            raise UnknownParameter(
                f"'{variable.name}' is a virtual variable: CDAWeb computes it with "
                f"'{function or 'an unnamed function'}', and this file holds no records of it",
                advice="use the provider CDAWeb, or " + _listed(parameters_of(self._file)),
            )
        merged = {**self._file.attributes(source.name), **attributes}
        if function == "alternate_view":
            return self._table(variable, merged, source)
        vector = self._table(source, self._file.attributes(source.name), source)
        # The archive computes a length of it: where nothing speaks against it, that declares a vector.
        if len(vector.components) < 3 or vector.representation not in ("cartesian", ""):
            raise UnknownParameter(
                f"'{variable.name}' is a virtual variable, the magnitude of '{source.name}', but "
                f"'{source.name}' is not a Cartesian vector"
            )
        squares = np.square(vector.values[:, :3], dtype=np.float64).sum(axis=1)
        return replace(
            vector,
            values=np.sqrt(squares).astype(vector.values.dtype),
            components=(),
            frame="",
            stated_periods=(),
            name=_name_of(variable.name, attributes),
            unit=istp.text_of(attributes, "UNITS") or vector.unit,
            description=istp.text_of(attributes, "CATDESC", "FIELDNAM"),
            notes=(*vector.notes, f"helio computed it as the magnitude of '{source.name}'"),
        )

    def _table(self, variable: FileVariable, attributes: istp.Attributes, source: FileVariable) -> Table:
        """Make a table from the records of `source` and from `attributes`."""
        clock = self._clock_of(variable, attributes, source)
        facts = istp.text_of(attributes, WRITTEN.upper())
        if facts:
            return self._written(facts, clock)
        if self._use_epochs is not None and clock.distinct and isinstance(clock.records, slice):
            self._use_epochs(clock.epoch)
        first, stop = clock.span
        every, extremes = istp.without_fill_and_extremes(self._file.records(source, first, stop), attributes)
        values = clock.pick(every)
        extremes = extremes if values is every else None
        units = self.units(attributes)
        unit, unit_note = istp.common_unit(units)
        notes = [*clock.notes, unit_note, *istp.outside_range(values, attributes, extremes)]
        if source.kind in ("INT8", "UINT8") and not {"SCALE_FACTOR", "ADD_OFFSET"} & attributes.keys():
            notes += istp.rounded_integers(values)
        layout = self._layout(variable.name, source, attributes, clock, units)
        if layout.components and values.ndim > 2:
            values = values.reshape(values.shape[0], -1)
        description = istp.text_of(attributes, "CATDESC", "FIELDNAM")
        name = _name_of(variable.name, attributes, layout.components)
        table = Table(
            epoch=clock.epoch,
            values=values,
            unit=unit,
            name=name,
            frame=istp.frame_of(variable.name, attributes, layout.labels) if layout.components else "",
            components=layout.components,
            axes=layout.axes,
            stated_representation=layout.representation,
            stated_periods=()
            if layout.axes
            else istp.periods_of(
                layout.labels or layout.components, units, f"{variable.name} {name}", description, attributes
            ),
            scale=istp.scale_of(attributes),
            description=description,
            notes=tuple(note for note in (*notes, *layout.notes) if note),
        )
        return once(table, clock.without_time, distinct=clock.distinct)

    def _written(self, facts: str, clock: EpochSelection) -> Table:
        """Make the table that helio once wrote to this file, from its saved description."""

        def part(facts: Mapping[str, Any]) -> npt.NDArray[Any]:
            variable = self._file.variable(str(facts["variable"]))
            if variable is None:
                raise KeyError(facts["variable"])
            span = clock.span if variable.varies else (0, 1)
            array = self._file.records(variable, *span)
            attributes = self._file.attributes(variable.name)
            if "FILLVAL" in attributes:  # in netCDF a missing value is NaN, and nothing else is fill
                array = istp.without_fill(array, attributes)
            return clock.pick(array) if variable.varies else array

        table = restore(self._file.path, read_facts(self._file.path, facts), clock.epoch, part)
        return once(replace(table, notes=clock.notes), clock.without_time, distinct=clock.distinct)

    def _clock_of(
        self, variable: FileVariable, attributes: istp.Attributes, source: FileVariable
    ) -> EpochSelection:
        time = find_time(self._file, variable.name, attributes, source.records)
        if time.records != source.records:
            raise UnknownParameter(
                f"'{variable.name}' has {number_of(source.records, 'record')}, but its epochs '{time.name}' "
                f"have {time.records:,}, so helio cannot match values and times"
            )
        if time.name not in self._clocks:
            self._clocks[time.name] = self._read_clock(time)
        clock = self._clocks[time.name]
        return replace(clock, notes=(time.note, *clock.notes)) if time.note else clock

    def _read_clock(self, time: TimeSource) -> EpochSelection:
        marks = self._file.clock_marks if isinstance(self._file, MarkedFile) else {}
        key = (time.name, time.counts_seconds, time.base)
        if key in marks:
            return self._read_marked(time, marks[key])
        nanoseconds, valid, increasing = time.read(self._file)
        written = nanoseconds.shape[0]
        if written != time.records:
            raise UnknownParameter(
                f"the time '{time.name}' has {number_of(written, 'value')} in "
                f"{number_of(time.records, 'record')}, but needs one value for each record"
            )
        clock = clock_between(time.name, nanoseconds, valid, self._start, self._stop, increasing=increasing)
        # what a leap second does to an epoch depends on the epochs beside it
        if isinstance(clock.records, slice) and not _near_leap_second(nanoseconds):
            marks[key] = nanoseconds[::_MARKED].copy()
        return clock

    def _read_marked(self, time: TimeSource, marks: npt.NDArray[np.int64]) -> EpochSelection:
        """Read only those epochs that lie between the remembered epochs around the interval."""
        start, stop = self._start.astype(np.int64), self._stop.astype(np.int64)
        first = max(int(np.searchsorted(marks, start)) - 1, 0) * _MARKED
        last = min(int(np.searchsorted(marks, stop)) * _MARKED, time.records)
        nanoseconds, valid, increasing = time.read(self._file, first, last)
        clock = clock_between(time.name, nanoseconds, valid, self._start, self._stop, increasing=increasing)
        begin, end = clock.span
        return replace(clock, records=slice(first + begin, first + end), written=time.records)

    def units(self, attributes: istp.Attributes) -> tuple[str, ...]:
        """Return the common unit of all elements, or one unit for each element; empty if the file gives no unit."""
        unit = istp.text_of(attributes, "UNITS")
        units = (unit,) if unit else self._texts(istp.text_of(attributes, "UNIT_PTR"))
        return tuple(unit.strip() for unit in units)

    def _texts(self, name: str) -> tuple[str, ...]:
        """Return the texts of a constant text variable; empty if there is no such variable."""
        variable = self._file.variable(name) if name else None
        if variable is None or not variable.holds_text or variable.records == 0:
            return ()
        records = self._file.records(variable, 0, 1)
        return tuple(str(text) for text in records.reshape(-1))

    def _layout(
        self,
        name: str,
        source: FileVariable,
        attributes: istp.Attributes,
        clock: EpochSelection,
        units: tuple[str, ...],
    ) -> Layout:
        shape = source.shape
        if not shape:
            return Layout()
        if len(shape) > 2:
            raise UnknownParameter(
                f"'{name}' has {len(shape)} dimensions besides time, of sizes {list(shape)}, but a "
                "table holds at most two"
            )
        dimensions = [
            self._dimension(i, n, attributes, clock) for i, n in zip(source.dimensions, shape, strict=True)
        ]
        unit = istp.common_unit(units)[0]
        if len(shape) == 1:
            layout = _one_dimension(dimensions[0], shape[0], unit)
            return self._represented(layout, dimensions[0], name, attributes, units)
        return _two_dimensions(dimensions, shape, unit)

    def _represented(
        self,
        layout: Layout,
        dimension: Dimension,
        name: str,
        attributes: istp.Attributes,
        units: tuple[str, ...],
    ) -> Layout:
        """Return the representation of the components, such as Cartesian; numbered Cartesian components get the letters
        of their axes.
        """
        if not layout.components:
            return layout
        frame = istp.text_of(attributes, "REPRESENTATION_1", "FRAME")
        representation = representation_of(
            layout.labels or layout.components,
            units,
            declared=self._texts(frame) or (frame,),
            description=f"{istp.text_of(attributes, 'CATDESC')} {istp.text_of(attributes, 'FIELDNAM')}",
        )
        if not representation and not layout.labels:
            layout = replace(layout, notes=(*layout.notes, *istp.unknown_components(layout.components)))
        if representation != "cartesian" or layout.labels:
            return replace(layout, representation=representation)
        letters = ("r", "t", "n") if istp.frame_of(name, attributes) == "RTN" else ("x", "y", "z")
        return replace(layout, components=(*letters, *layout.components[3:]), representation=representation)

    def _dimension(
        self, number: int, size: int, attributes: istp.Attributes, clock: EpochSelection
    ) -> Dimension:
        """Read the attributes DEPEND_i and LABL_PTR_i of one dimension."""
        number = self._number_said(number, size, attributes)
        pointer = istp.text_of(attributes, f"DEPEND_{number}")
        labels = self._texts(istp.text_of(attributes, f"LABL_PTR_{number}"))
        labels = labels if len(labels) == size else ()
        variable = self._file.variable(pointer) if pointer else None
        if variable is None or variable.records == 0:
            note = f"DEPEND_{number} names '{pointer}', which has no records" if pointer else ""
            return Dimension(labels=labels, note=note if not labels else "")
        if variable.holds_text:
            texts = self._texts(pointer)
            return Dimension(labels=labels, texts=texts if len(texts) == size else ())
        axis, note = self._axis(variable, size, clock)
        return Dimension(axis=axis, labels=labels, note=note, counts=_only_counts(variable, axis))

    def _number_said(self, number: int, size: int, attributes: istp.Attributes) -> int:
        """Return the number i in the attribute names DEPEND_i of a dimension, for variables with earlier dimensions of
        one element.
        """
        for i in (number, 1, 2, 3):
            for attribute in (f"DEPEND_{i}", f"LABL_PTR_{i}"):
                variable = self._file.variable(istp.text_of(attributes, attribute))
                if variable is not None and variable.shape == (size,):
                    return i
        return number

    def _axis(self, variable: FileVariable, size: int, clock: EpochSelection) -> tuple[Axis | None, str]:
        if variable.shape != (size,):
            shape = list(variable.shape)
            return None, (
                f"the variable '{variable.name}' that DEPEND gives has shape {shape}, which does not fit the "
                f"{size} bins; helio numbers the bins instead"
            )
        if variable.kind in EPOCH_TYPES:
            return (
                None,
                f"'{variable.name}' should give the bins, but it contains times; helio numbers the bins instead",
            )
        if variable.varies and variable.records not in (1, clock.written):
            return None, (
                f"'{variable.name}' has {number_of(variable.records, 'record')} for "
                f"{number_of(clock.written, 'epoch')}, so they cannot be the bins; helio numbers the bins instead"
            )
        attributes = self._file.attributes(variable.name)
        centers = self._bins(variable, clock)
        plus = self._edges(istp.text_of(attributes, "DELTA_PLUS_VAR"), variable, clock, centers)
        minus = self._edges(istp.text_of(attributes, "DELTA_MINUS_VAR"), variable, clock, centers)
        note = ""
        lower, upper = self._bounds(istp.text_of(attributes, "BOUNDS"), variable, clock, centers)
        if lower is None and plus is not None and minus is not None:
            lower, upper = centers - minus, centers + plus
        elif lower is None and plus is not None:
            # a width upwards only: what DEPEND gives is the lower edge, as Solar Orbiter EPD does
            lower, upper = centers, centers + plus
            centers = istp.middle(lower, upper).astype(centers.dtype)
            note = (
                f"'{variable.name}' gives lower edges; the geometric mean of the edges is used as the "
                "centre of each bin"
            )
        if lower is not None and upper is not None and not _sane(lower, upper):
            lower = upper = None
        unit = istp.text_of(attributes, "UNITS")
        if istp.is_flux(unit):
            # ELFIN EPD gives pitch angles the UNITS of its fluxes, and says degrees nowhere
            wrong = (
                f"'{variable.name}' gives its bins the unit of a flux, '{unit}', and the file does not "
                "give their real unit"
            )
            note = f"{note}; {wrong}" if note else wrong
        axis = Axis(
            label=istp.text_of(attributes, "LABLAXIS", "FIELDNAM") or variable.name,
            unit=unit,
            centers=centers,
            lower=lower,
            upper=upper,
            scale=istp.axis_scale(centers, unit, attributes),
        )
        return axis, note

    def _bins(self, variable: FileVariable, clock: EpochSelection) -> Floats:
        attributes = self._file.attributes(variable.name)
        if not variable.varies or variable.records == 1:
            raw = self._file.records(variable, 0, 1)
            return istp.without_fill(raw.reshape(variable.shape), attributes)
        first, stop = clock.span
        return istp.fixed_if_equal(
            clock.pick(istp.without_fill(self._file.records(variable, first, stop), attributes))
        )

    def _bounds(
        self, name: str, centre: FileVariable, clock: EpochSelection, centers: Floats
    ) -> tuple[Floats | None, Floats | None]:
        """Return the lower and upper edges of the bins from a variable of CF bounds, whose pairs may be in any
        order.
        """
        variable = self._file.variable(name) if name else None
        if variable is None or variable.holds_text or variable.shape != (*centre.shape, 2):
            return None, None
        if variable.varies and variable.records not in (1, clock.written):
            return None, None
        edges = self._bins(variable, clock)
        if edges.shape[:-1] != centers.shape:
            return None, None
        return edges.min(axis=-1), edges.max(axis=-1)

    def _edges(
        self, name: str, centre: FileVariable, clock: EpochSelection, centers: Floats
    ) -> Floats | None:
        variable = self._file.variable(name) if name else None
        if variable is None or variable.holds_text or variable.kind in EPOCH_TYPES or variable.records == 0:
            return None
        if variable.shape not in ((), centre.shape) or (
            variable.varies and variable.records not in (1, clock.written)
        ):
            return None
        widths = self._bins(variable, clock)
        if widths.ndim == 1 and variable.shape == () and variable.varies and variable.records > 1:
            widths = widths[:, None]
        if widths.ndim > centers.ndim:
            return None
        return np.broadcast_to(widths, centers.shape)


@dataclass(frozen=True, eq=False)
class TimeSource:
    """Variable from which helio reads the epochs of another variable.

    Parameters
    ----------
    variable : FileVariable
        Variable that contains epochs or seconds.
    base : str, optional
        For seconds: name of the constant epoch from which the seconds count; empty for 1970.
    """

    name: str
    variable: FileVariable
    counts_seconds: bool = False
    base: str = ""
    note: str = ""

    @property
    def records(self) -> int:
        """Number of records of the time variable."""
        return int(self.variable.records)

    def read(
        self, file: VariableFile, first: int = 0, stop: int | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_] | None, bool]:
        """Return the epochs of records [first, stop) in ns since 1970; a mask of the usable epochs, or None if all are
        usable; and whether it is known that the epochs increase.
        """
        raw = file.records(self.variable, first, stop).reshape(-1)
        if not self.counts_seconds and convert_increasing(raw, self.variable.kind):
            return raw, None, True
        return *self._converted(file, raw), False

    def survey(self, file: VariableFile) -> EpochSurvey:
        """Return the first and last epoch of the time variable; for very many records, read only the first and the last
        record.
        """
        if self.records <= _MOST_SURVEYED:
            return survey_clock(*self.read(file)[:2])
        ends = [(0, _MOST_SURVEYED // 2), (self.records - _MOST_SURVEYED // 2, self.records)]
        facts = [survey_clock(*self.read(file, *end)[:2]) for end in ends]
        spans = [clock.span for clock in facts if clock.span is not None]
        span = (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None
        return EpochSurvey(span, self.records, facts[0].cadence)

    def _converted(
        self, file: VariableFile, raw: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_] | None]:
        if not self.counts_seconds:
            return unix_nanoseconds(raw, self.variable.kind)
        return unix_nanoseconds_of_seconds(raw.astype(np.float64), self._base(file))

    def _base(self, file: VariableFile) -> int:
        variable = file.variable(self.base) if self.base else None
        if variable is None or variable.records == 0:
            return 0
        nanoseconds, valid = unix_nanoseconds(file.records(variable, 0, 1).reshape(-1), variable.kind)
        if valid is not None:
            raise DamagedFile(
                f"the times in '{file.path.name}' are seconds after '{self.base}', but '{self.base}' holds a fill value"
            )
        return int(nanoseconds[0])


def _near_leap_second(nanoseconds: npt.NDArray[np.int64]) -> bool:
    """Return whether increasing epochs (ns since 1970) contain a leap second, or begin or end close to a leap
    second.
    """
    if not nanoseconds.size:
        return False
    limits = np.iinfo(np.int64)
    first = max(int(nanoseconds[0]) - _NEAR_LEAP_SECOND, limits.min + 1)
    last = min(int(nanoseconds[-1]) + _NEAR_LEAP_SECOND, limits.max)
    return spans_leap_second(np.array([first, last]).view("M8[ns]"))


def find_time(file: VariableFile, name: str, attributes: istp.Attributes, records: int) -> TimeSource:
    """Find the time variable of a variable: the one named in DEPEND_0, or another one if DEPEND_0 names no usable
    variable.

    Raises
    ------
    UnknownParameter
        The variable has no times, or several time variables are possible.
    """
    pointer = istp.text_of(attributes, "DEPEND_0")
    time = _time_named(file, pointer) if pointer else None
    if time is None:
        # THEMIS: seconds since 1970 beside an epoch that is to be computed from them
        seconds = file.variable(istp.text_of(attributes, "DEPEND_TIME"))
        if seconds is not None and seconds.records and not seconds.holds_text:
            time = TimeSource(
                seconds.name,
                seconds,
                counts_seconds=True,
                base=_base_named(file, attributes, "DEPEND_EPOCH0"),
            )
    if time is not None:
        return time
    clocks = [clock for clock in _clocks(file) if clock.records == records]
    reason = f"its DEPEND_0 '{pointer}' has no records" if pointer else "it has no DEPEND_0"
    if len(clocks) == 1 and records:
        return TimeSource(
            clocks[0].name,
            clocks[0],
            note=f"{reason}; '{clocks[0].name}' is the only time with {number_of(records, 'record')}",
        )
    several, held = ", ".join(clock.name for clock in clocks), number_of(records, "record")
    raise UnknownParameter(
        f"'{name}' has no time: {reason}, and "
        + (f"several times have {held}: {several}" if clocks else f"no time has {held}")
    )


def _time_named(file: VariableFile, name: str) -> TimeSource | None:
    variable = file.variable(name)
    if variable is None or variable.holds_text:
        return None
    if variable.records:
        if variable.kind in EPOCH_TYPES:
            return TimeSource(name, variable)
        return _seconds_named(file, variable)
    attributes = file.links(name)
    function = istp.text_of(attributes, "FUNCT").lower()
    if function == "alternate_view":
        source = file.variable(istp.text_of(attributes, "COMPONENT_0"))
        if source is not None and source.records and source.kind in EPOCH_TYPES:
            return TimeSource(source.name, source)
    if function.startswith("comp_themis_epoch"):
        seconds = file.variable(istp.text_of(attributes, "COMPONENT_1"))
        if seconds is not None and seconds.records and not seconds.holds_text:
            return TimeSource(
                seconds.name, seconds, counts_seconds=True, base=_base_named(file, attributes, "COMPONENT_0")
            )
    return None


def _seconds_named(file: VariableFile, variable: FileVariable) -> TimeSource:
    attributes = file.links(variable.name)
    unit = istp.text_of(attributes, "UNITS").lower()
    if unit not in {"s", "sec", "secs", "second", "seconds", "unix time"} and "1970" not in unit:
        has = f"has the unit '{unit}'" if unit else "has no unit"
        raise UnknownParameter(
            f"the time '{variable.name}' {has}, but helio reads times only as epochs or in seconds"
        )
    base = _base_named(file, attributes, "DEPEND_EPOCH0")
    return TimeSource(variable.name, variable, counts_seconds=True, base=base)


def _base_named(file: VariableFile, attributes: istp.Attributes, name: str) -> str:
    base = istp.text_of(attributes, name)
    variable = file.variable(base) if base else None
    return base if variable is not None and variable.kind in EPOCH_TYPES else ""


def _clocks(file: VariableFile) -> list[FileVariable]:
    variables = [file.variable(name) for name in file.names()]
    return [
        variable
        for variable in variables
        if variable is not None and variable.kind in EPOCH_TYPES and variable.varies
    ]


@dataclass(frozen=True, eq=False)
class Dimension:
    """Facts that a file gives about one dimension of a variable."""

    axis: Axis | None = None
    labels: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    """The texts of DEPEND_i, if DEPEND_i names a variable of texts."""
    note: str = ""
    counts: bool = False
    """Whether the axis only numbers its elements, such as 1, 2, 3."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Components or axes of a table, derived from the dimensions of a variable other than time."""

    components: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    representation: Representation = ""


def _one_dimension(dimension: Dimension, size: int, unit: str) -> Layout:
    labels = dimension.labels or dimension.texts
    if dimension.axis is not None and not (dimension.counts and size <= istp.MOST_COMPONENTS):
        return Layout(axes=(dimension.axis,), notes=(dimension.note,))
    written = _written_axis(dimension)
    if written is not None:
        return Layout(axes=(written,))
    components = _components(dimension, unit)
    if components and (size <= istp.MOST_COMPONENTS or dimension.axis is None):
        return Layout(components=components, labels=labels)
    if size <= istp.MOST_COMPONENTS:
        return Layout(components=tuple(str(j) for j in range(1, size + 1)), notes=(dimension.note,))
    note = dimension.note or f"the file does not name its {size} elements, so they are numbered"
    return Layout(axes=(istp.numbered_axis(size),), notes=(note,))


def _two_dimensions(dimensions: list[Dimension], shape: tuple[int, ...], unit: str) -> Layout:
    """Return two axes, or the components of a tensor if both dimensions have names."""
    axes = [
        dimension.axis if dimension.axis is not None and not dimension.counts else _written_axis(dimension)
        for dimension in dimensions
    ]
    if axes == [None, None] and shape[0] * shape[1] <= _MOST_TENSOR:
        names = [
            _components(dimension, unit) or (("x", "y", "z") if shape == (3, 3) else ())
            for dimension in dimensions
        ]
        pairs = tuple(f"{left}{right}" for left in names[0] for right in names[1])
        if pairs and len(set(pairs)) == len(pairs):
            return Layout(components=pairs)
    notes = [dimension.note for dimension in dimensions]
    for j, (dimension, size) in enumerate(zip(dimensions, shape, strict=True)):
        if axes[j] is None:
            axes[j] = istp.numbered_axis(size)
            names_of_bins = _components(dimension, unit) if size <= istp.MOST_COMPONENTS else None
            what = f"they are {', '.join(names_of_bins)}" if names_of_bins else "the file does not name them"
            notes.append(f"the {size} bins of dimension {j + 1} are numbered: {what}")
    return Layout(axes=tuple(axis for axis in axes if axis is not None), notes=tuple(notes))


def _written_axis(dimension: Dimension) -> Axis | None:
    for texts in (dimension.texts, dimension.labels):
        bins = istp.text_bins(texts)
        if bins is not None:
            label = "Frequency" if bins.unit.endswith("Hz") else "Angle" if bins.unit == "deg" else "Energy"
            scale = istp.axis_scale(bins.centers, bins.unit, {})
            return Axis(label, bins.unit, bins.centers, bins.lower, bins.upper, scale)
    return None


def _components(dimension: Dimension, unit: str) -> tuple[str, ...] | None:
    """Return the names of components from the labels, or from a text variable in DEPEND_i if the labels are
    sentences.
    """
    from_labels = istp.component_names(dimension.labels, unit) if dimension.labels else None
    from_texts = istp.component_names(dimension.texts, unit) if dimension.texts else None
    if from_labels and from_texts and max(map(len, from_labels)) > 16 >= max(map(len, from_texts)):
        return from_texts
    return from_labels or from_texts


def _only_counts(variable: FileVariable, axis: Axis | None) -> bool:
    return axis is not None and istp.is_counting(axis.centers) and (axis.unit == "" or "INT" in variable.kind)


def _sane(lower: Floats, upper: Floats) -> bool:
    finite = np.isfinite(lower) & np.isfinite(upper)
    return bool(finite.any() and np.all(lower[finite] < upper[finite]))


def _name_of(name: str, attributes: istp.Attributes, components: tuple[str, ...] = ()) -> str:
    return (
        istp.text_of(attributes, "LABLAXIS")
        or istp.stem_of(components)
        or istp.text_of(attributes, "FIELDNAM")
        or name
    )


_VIRTUAL_FUNCTIONS = frozenset({"alternate_view", "compute_magnitude"})


def _is_virtual(attributes: istp.Attributes) -> bool:
    return istp.text_of(attributes, "VIRTUAL").lower() == "true" or bool(istp.text_of(attributes, "FUNCT"))


def _require_records(file: VariableFile, variable: FileVariable) -> None:
    if variable.records:
        return
    every = [file.variable(name) for name in file.names()]
    if not any(other is not None and other.varies and other.records for other in every):
        raise NoData(
            f"'{file.path.name}' is a master CDF: it describes a dataset and holds no records",
            advice="choose a file with data",
        )
    raise UnknownParameter(
        f"'{variable.name}' has no records in '{file.path.name}'", advice=_listed(parameters_of(file))
    )


def _is_series(variable: FileVariable) -> bool:
    """Return whether a variable has numbers that vary in time."""
    return (
        variable.records > 0
        and variable.varies
        and not variable.holds_text
        and variable.kind not in EPOCH_TYPES
    )


def parameters_of(file: VariableFile) -> tuple[str, ...]:
    """Return the names of all parameters that `TableReader.read` can read, in file order: variables of numbers that
    vary in time.
    """
    return tuple(name for name in file.names() if _is_parameter(file, name))


def _is_parameter(file: VariableFile, name: str) -> bool:
    variable = file.variable(name)
    if variable is None or variable.holds_text or variable.kind in EPOCH_TYPES or not variable.varies:
        return False
    if len(variable.shape) > 2:
        return False
    attributes = file.links(name)
    source = variable
    if variable.records == 0:
        if istp.text_of(attributes, "FUNCT").lower() not in _VIRTUAL_FUNCTIONS:
            return False
        component = file.variable(istp.text_of(attributes, "COMPONENT_0"))
        if component is None or not _is_series(component):
            return False
        source = component
        attributes = {**file.links(source.name), **attributes}
    try:
        return bool(find_time(file, name, attributes, source.records).records == source.records)
    except DataError:
        return False


def span_of(file: VariableFile, parameters: Iterable[str]) -> tuple[int, int] | None:
    """Return the first and last epoch of all parameters, in ns since 1970, over all time variables; None without
    epochs.
    """
    spans = [clock.span for clock in _surveyed(file, parameters).values() if clock.span is not None]
    return (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None


def survey_of(file: VariableFile) -> list[dict[str, Any]]:
    """Describe every parameter in file order, with the fields of `helio.sources.cdf.ParameterFacts`."""
    every = parameters_of(file)
    clocks = _surveyed(file, every)
    reader = TableReader(file, 0, 0)
    facts = []
    for name in every:
        variable, attributes = file.variable(name), file.attributes(name)
        if variable is None or name not in clocks:
            continue
        if variable.records == 0:  # virtual: what it is made of says what it does not say itself
            attributes = {**file.attributes(istp.text_of(attributes, "COMPONENT_0")), **attributes}
        kind = istp.text_of(attributes, "VAR_TYPE").lower()
        facts.append(
            {
                "name": name,
                "unit": istp.common_unit(reader.units(attributes))[0],
                "shape": list(variable.shape),
                "description": istp.text_of(attributes, "CATDESC", "FIELDNAM"),
                "frame": istp.frame_of(name, attributes) if len(variable.shape) == 1 else "",
                "span": clocks[name].span,
                "records": clocks[name].records,
                "cadence": clocks[name].cadence,
                "support": kind not in ("", "data"),
            }
        )
    return facts


def _surveyed(file: VariableFile, parameters: Iterable[str]) -> dict[str, EpochSurvey]:
    """Return the first and last epoch and the cadence of each parameter whose time variable can be read."""
    read: dict[str, EpochSurvey] = {}
    surveyed = {}
    for name in parameters:
        variable, links = file.variable(name), file.links(name)
        if variable is None:
            continue
        source = variable
        if variable.records == 0:
            source = file.variable(istp.text_of(links, "COMPONENT_0")) or variable
            links = {**file.links(source.name), **links}
        try:
            time = find_time(file, name, links, source.records)
            if time.name not in read:
                read[time.name] = time.survey(file)
        except (DataError, MemoryError):  # a look around passes over what only a fetch has to refuse
            continue
        surveyed[name] = read[time.name]
    return surveyed


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    if not names:
        return "choose another file: this one has no parameters"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"choose one of: {', '.join(names[:most])}{more}"
