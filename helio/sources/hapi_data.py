"""Conversion of a HAPI server's binary or CSV records to tables.

Reference: HAPI Data Access Specification 3.2, https://github.com/hapi-server/data-specification, section 3.7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import DamagedFile
from helio.sources import istp
from helio.sources.hapi_info import BYTES_OF, HapiBins, HapiParameter, record_bytes
from helio.sources.join import once
from helio.sources.server_text import one_line
from helio.store.leap_seconds import from_civil
from helio.store.representation import Representation, representation_of
from helio.store.table import Axis, Epochs, Floats, Table
from helio.time_range import TimeRange

Format = Literal["binary", "csv"]

_DTYPES = {"double": "<f8", "integer": "<i4"}
_FORM = re.compile(
    rb"(\d{4})(?:-(\d{3})|-(\d{2})(?:-(\d{2}))?)?"
    rb"(?:T(\d{2})(?::?(\d{2})(?::?(\d{2})(?:\.(\d*))?)?)?)?Z?"
)
_FIRST_YEAR, _LAST_YEAR = 1678, 2261
"""First and last whole year that a 64-bit count of nanoseconds since 1970 can hold."""
_SECOND = 1_000_000_000
_NUMBER = re.compile(
    r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*|\s*[+-]?(nan|inf|infinity)\s*", re.I
)
_EMPTY_CELL = re.compile(rb",[ \t]*(?=[,\r\n]|\Z)|,\"\"(?=[,\r\n]|\Z)")
_PLAUSIBLE = (1e-50, 1e50)
"""Smallest and largest absolute value of a plausible measurement, in any usual unit; random bytes rarely give
such values.
"""
_SURELY_SWAPPED, _SURELY_RIGHT = 0.9, 0.5
"""If less than the second share of the numbers is plausible, but the first share or more with swapped bytes,
the bytes must be swapped.
"""
_FEW_INTEGERS = 4
"""Smallest number of different integers that is enough evidence for judging their byte order."""
_MOST_TENSOR = 16
"""Maximum number of elements of a matrix, such as 3 × 3 or 4 × 4, whose elements become components of a table."""
_ADVICE = "run again; if the error stays, report it to the server's operators"


@dataclass(frozen=True, eq=False)
class Records:
    """Records of a reply: epochs in increasing order, and an array of values for each parameter.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
    values : dict of str to array, shape (n, *size)
        Values by parameter, with fill values as NaN.
    sent : int
        Number of records in the body, including records that repeat an epoch.
    in_order : bool
        Whether the records in the body are in order of epoch.
    """

    epoch: Epochs
    values: dict[str, Floats]
    notes: tuple[str, ...] = ()
    sent: int = 0
    in_order: bool = True

    def outside(self, span: TimeRange) -> int:
        """Count the epochs outside an interval; an epoch exactly at its end is allowed: some servers add one."""
        if not self.epoch.size:
            return 0
        first, last = self.epoch[[0, -1]].astype("M8[us]")
        if first >= np.datetime64(span.start) and last <= np.datetime64(span.stop):
            return 0
        epoch = self.epoch.astype("M8[us]")
        return int(np.count_nonzero((epoch < np.datetime64(span.start)) | (epoch > np.datetime64(span.stop))))

    def reached(self, span: TimeRange) -> datetime:
        """Return the epoch up to which no record is missing: the last epoch, or the interval's start if the
        epochs are not in order.
        """
        if not self.in_order or not self.epoch.size:
            return span.start
        last: datetime = self.epoch[-1].astype("M8[us]").item()
        return min(max(last, span.start), span.stop)


def read_records(body: bytes, form: Format, parameters: Sequence[HapiParameter]) -> Records:
    """Decode the records of a reply without its header; the first parameter must be the time.

    helio sorts epochs that are not in order, and keeps the first of several records with the same epoch. A note reports
    both, and says whether the values of records with the same epoch differ.

    Raises
    ------
    DamagedFile
        The body does not match the server's description, or contains an invalid time.
    """
    texts, columns = (_binary if form == "binary" else _csv)(body, parameters)
    epoch = epochs_of(texts)
    notes = [remark for parameter in parameters for remark in parameter.remarks]
    if form == "binary":
        for parameter, column in zip(parameters[1:], columns, strict=True):
            notes += _check_byte_order(column, parameter)
    backwards = int(np.count_nonzero(epoch[1:] < epoch[:-1]))
    increases = bool((epoch[1:] > epoch[:-1]).all())
    # an empty cell is read as NaN, so most replies need no search
    has_nan = form == "csv" and any(bool(np.isnan(column).any()) for column in columns)
    empty = len(_EMPTY_CELL.findall(body)) if has_nan else 0
    if empty:
        notes.append(f"empty values in the reply: {empty:,}; they count as missing")
    if backwards:
        notes.append(
            f"time runs backwards {number_of(backwards, 'time')} in the reply; helio sorted the records by time"
        )
    order = np.empty(0, np.intp) if increases else np.argsort(epoch, kind="stable")
    values = {}
    for parameter, column in zip(parameters[1:], columns, strict=True):
        array, note = _without_fill(column, parameter)
        notes += _odd_numbers(array, parameter)
        if not increases:
            array, repeats = _each_epoch_once(epoch[order], array[order], parameter)
            several = len(parameters) > 2
            notes += [
                *repeats[:1],
                *(f"{parameter.name}: {text}" if several else text for text in repeats[1:]),
            ]
        values[parameter.name] = array
        notes += [note] if note else []
    epochs = epoch if increases else np.unique(epoch)
    return Records(epochs, values, tuple(dict.fromkeys(notes)), epoch.size, not backwards)


def _each_epoch_once(
    ordered: Epochs, array: Floats, parameter: HapiParameter
) -> tuple[Floats, tuple[str, ...]]:
    """Return the first record of each epoch, and a note on how many records repeat an epoch and whether they differ."""
    columns = array.reshape(array.shape[0], -1)
    table = Table(
        ordered, columns, istp.common_unit(parameter.units)[0], components=numbered_names(columns.shape[1])
    )
    table = once(table, without_time=0)
    return table.values.reshape(-1, *array.shape[1:]), table.notes


def _binary(
    body: bytes, parameters: Sequence[HapiParameter]
) -> tuple[npt.NDArray[np.bytes_], list[npt.NDArray[Any]]]:
    length = record_bytes(parameters)
    if not length or len(body) % length:
        parts = ", ".join(f"{parameter.width} of {parameter.name}" for parameter in parameters)
        raise DamagedFile(
            f"the reply has {len(body)} bytes, which is not a whole number of records of {length} bytes "
            f"({parts})",
            advice=_ADVICE,
        )
    layout = np.dtype(
        [
            (f"{number}", _DTYPES.get(parameter.kind, f"S{parameter.length}"), parameter.size)
            for number, parameter in enumerate(parameters)
        ]
    )
    records = np.frombuffer(body, dtype=layout)
    names = (f"{number}" for number in range(1, len(parameters)))
    return records["0"], [np.ascontiguousarray(records[name]) for name in names]


def _csv(
    body: bytes, parameters: Sequence[HapiParameter]
) -> tuple[npt.NDArray[np.bytes_], list[npt.NDArray[Any]]]:
    import pyarrow as pa
    from pyarrow import csv

    names = [f"{number}" for number in range(sum(parameter.elements for parameter in parameters))]
    if not body or body.isspace():
        return np.empty(0, "S1"), [np.empty((0, *parameter.size)) for parameter in parameters[1:]]
    try:
        read = csv.read_csv(
            pa.BufferReader(body),
            read_options=csv.ReadOptions(column_names=names),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.float64() if name != "0" else pa.string() for name in names},
                null_values=["NaN", "nan", "NAN", "Nan", ""],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise DamagedFile(
            f"the reply is not CSV with a time and {number_of(len(names) - 1, 'number')} in each record: "
            f"{one_line(error)}",
            advice=_ADVICE,
        ) from error
    columns = [np.empty((read.num_rows, parameter.elements)) for parameter in parameters[1:]]
    begin = 0
    for batch in read.to_batches():  # of few records, so that the rows to fill stay in the processor's cache
        numbers = iter(batch.columns[1:])
        for column in columns:
            for element in range(column.shape[1]):
                column[begin : begin + batch.num_rows, element] = next(numbers).to_numpy(zero_copy_only=False)
        begin += batch.num_rows
    shaped = zip(columns, parameters[1:], strict=True)
    return _texts(read.column(0)), [column.reshape(-1, *parameter.size) for column, parameter in shaped]


def _texts(column: Any) -> npt.NDArray[np.bytes_]:
    """Return a column of texts as bytes, without spaces at either end."""
    import pyarrow as pa
    from pyarrow import compute

    trimmed = compute.utf8_trim_whitespace(column).cast(pa.binary())
    longest: int = compute.max(compute.binary_length(trimmed)).as_py() or 1
    if compute.min(compute.binary_length(trimmed)).as_py() == longest:
        # as they stand in memory, one after the other: no text is touched
        parts = [
            np.frombuffer(chunk.cast(pa.binary(longest)).buffers()[1], f"S{longest}", count=len(chunk))
            for chunk in trimmed.chunks
        ]
        return np.concatenate(parts)
    return np.array(trimmed.to_pylist(), dtype=np.bytes_)


def epochs_of(texts: npt.NDArray[np.bytes_]) -> Epochs:
    """Convert HAPI times to datetime64[ns]; the times may be shortened or give a day of year.

    Hour 24 is the next midnight; fractions beyond nanoseconds are cut. For leap seconds see `helio.store.leap_seconds`;
    a second 60 that is no leap second counts as the first second of the next minute.

    Raises
    ------
    DamagedFile
        A text is not a time, has another form than the other texts of its length, or is outside of the years that
        nanoseconds can express.
    """
    width = texts.dtype.itemsize
    letters = np.ascontiguousarray(texts).view(np.uint8).reshape(-1, width)
    if texts.size == 0:
        return np.empty(0, "M8[ns]")
    if letters[:, -1].all():
        return from_civil(*_of_one_form(letters)).view("M8[ns]")
    lengths = np.char.str_len(texts)
    nanoseconds, second_60 = np.empty(texts.size, np.int64), np.empty(texts.size, bool)
    for length in np.unique(lengths):
        rows = lengths == length
        nanoseconds[rows], second_60[rows] = _of_one_form(letters[rows, : int(length)])
    return from_civil(nanoseconds, second_60).view("M8[ns]")


def _of_one_form(letters: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Convert times that are all written in the same form to ns since 1970; also return which times have a
    second 60, which counts as the next second.
    """
    form = _FORM.fullmatch(letters[0].tobytes())
    if form is None:
        raise _no_time(letters, 0)
    # one row per letter, so that work on one position of all times runs through memory in order
    rows = np.ascontiguousarray(letters.T)
    digits = rows - np.uint8(ord("0"))
    wrong = np.zeros(letters.shape[0], bool)
    in_numbers: set[int] = set()
    for group in range(1, 9):
        in_numbers.update(range(*form.span(group)) if form[group] is not None else ())
    for position in range(rows.shape[0]):
        wrong |= digits[position] > 9 if position in in_numbers else rows[position] != rows[position, 0]

    def number(group: int, default: int) -> npt.NDArray[np.int64]:
        if form[group] is None:
            return np.full(1, default, np.int64)
        places = digits[slice(*form.span(group))]
        if bool((places == places[:, :1]).all()):
            places = places[:, :1]  # years and months seldom change: convert them once
        total = np.zeros(places.shape[1], np.int32)
        for row in places:
            total *= 10
            total += row
        return total.astype(np.int64)

    year, month, hour, minute, second = (
        number(group, default) for group, default in ((1, 0), (3, 1), (5, 0), (6, 0), (7, 0))
    )
    months = ((year - 1970) * 12 + month - 1).view("M8[M]")
    first = months.astype("M8[D]")
    if form[2] is None:
        day, most = number(4, 1), (months + 1).astype("M8[D]") - first
    else:
        day = number(2, 1)
        most = (months + 12).astype("M8[D]") - first
    wrong = wrong | (month < 1) | (month > 12) | (day < 1) | (day > most.astype(np.int64))
    wrong = wrong | (hour > 24) | (minute > 59) | (second > 60)
    nanoseconds = np.zeros(1, np.int64)
    if form[8]:
        start, stop = form.span(8)
        fraction = np.zeros(letters.shape[0], np.int32)  # nine digits fit
        for position in range(start, min(stop, start + 9)):
            fraction *= 10
            fraction += digits[position]
        nanoseconds = fraction.astype(np.int64) * 10 ** max(0, 9 - (stop - start))
    wrong = wrong | ((hour == 24) & ((minute > 0) | (second > 0) | (nanoseconds > 0)))
    wrong = wrong | (year < _FIRST_YEAR) | (year > _LAST_YEAR)
    if wrong.any():
        raise _no_time(letters, int(np.flatnonzero(np.broadcast_to(wrong, letters.shape[:1]))[0]))
    seconds = (first.astype(np.int64) + day - 1) * 86_400 + hour * 3600 + minute * 60 + second
    shape = letters.shape[:1]
    return (
        np.broadcast_to(seconds * _SECOND + nanoseconds, shape).copy(),
        np.broadcast_to(second == 60, shape),
    )


def _no_time(letters: npt.NDArray[np.uint8], row: int) -> DamagedFile:
    text = one_line(letters[row].tobytes().decode("ascii", errors="replace"), 60)
    return DamagedFile(
        f"'{text}' is not a time between the years {_FIRST_YEAR} and {_LAST_YEAR}, or is not written "
        "like the other times of the reply",
        advice=_ADVICE,
    )


def _without_fill(raw: npt.NDArray[Any], parameter: HapiParameter) -> tuple[Floats, str]:
    """Convert values to float64 with values equal to the fill as NaN; also return a note if the fill is not a
    number.
    """
    values = np.require(raw, np.float64, ["WRITEABLE"])
    if parameter.fill is None or parameter.kind not in BYTES_OF:
        return values, ""
    if not _NUMBER.fullmatch(parameter.fill):
        fill_text = one_line(parameter.fill, 40)
        return (
            values,
            f"the fill value of {parameter.name} is '{fill_text}', which is not a number, so no values "
            "were replaced",
        )
    fill = float(parameter.fill)
    if not np.isnan(fill):
        missing = values == fill
        if parameter.kind == "double":
            # servers widen what their files hold in single precision, and write the fill from the documentation
            with np.errstate(over="ignore"):
                missing |= values == np.float64(np.float32(fill))
        values[missing] = np.nan
    return values, ""


def _odd_numbers(values: Floats, parameter: HapiParameter) -> list[str]:
    """Return notes on odd numbers: infinite values, integers that are not whole, and integers too long for a
    float64.
    """
    notes = []
    infinite = int(np.count_nonzero(np.isinf(values)))
    if infinite:
        notes.append(
            f"values of {parameter.name} that are infinite, or too large for a float64: {infinite:,}"
        )
    if parameter.kind == "integer":
        fractions = int(np.count_nonzero(np.isfinite(values) & (values != np.trunc(values))))
        if fractions:
            notes.append(
                f"{parameter.name} is described as integer, but has "
                f"{number_of(fractions, 'value that is not a whole number', 'values that are not whole numbers')}"
            )
        notes += istp.rounded_integers(values)
    return notes


def _check_byte_order(raw: npt.NDArray[Any], parameter: HapiParameter) -> list[str]:
    """Refuse numbers that make sense only if their bytes are read in the other order: HAPI servers must send
    little-endian numbers.

    helio judges doubles by their absolute value. Integers are judged swapped if all are multiples of 65,536 and become
    smaller than 65,536 when swapped. For only a few different integers this may be an accident: helio then reads them
    as little-endian and adds a note.

    Raises
    ------
    DamagedFile
    """
    if parameter.kind not in BYTES_OF or not raw.size:
        return []
    values = raw.reshape(-1)
    fill = _fill_number(parameter)
    if parameter.kind == "double":
        plausible = _plausible(values) & (values != fill) & (values != np.array(fill).byteswap())
        if np.count_nonzero(plausible) >= _SURELY_RIGHT * values.size:
            return []  # as nearly always: no need to swap all bytes
    swapped = values.byteswap()
    used = (values != 0) & (values != fill) & (swapped != fill)
    values, swapped = values[used], swapped[used]
    if not values.size:
        return []
    if parameter.kind == "integer":
        is_swapped = not (values & 0xFFFF).any() and not (swapped.view(np.uint32) >> 16).any()
        if is_swapped and np.unique(values).size < _FEW_INTEGERS:
            return [
                f"every number of {parameter.name} is a multiple of 65,536, such as "
                f"{_shown(values[:1])}: the server may send its bytes in the wrong order"
            ]
    else:
        is_swapped = _share_plausible(values) < _SURELY_RIGHT and _share_plausible(swapped) >= _SURELY_SWAPPED
    if is_swapped:
        raise DamagedFile(
            f"the numbers of {parameter.name} are not little-endian, as HAPI requires: they begin with "
            f"{_shown(values)} when read as little-endian, but with {_shown(swapped)} when read as "
            "big-endian",
            advice="report this to the server's operators",
        )
    return []


def _share_plausible(values: npt.NDArray[Any]) -> float:
    """Return the share of the numbers, without missing ones, that have a plausible size for a measurement."""
    numbers = values[~np.isnan(values)]
    return float(np.mean(_plausible(numbers))) if numbers.size else 0.0


def _plausible(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which numbers have a plausible size for a measurement."""
    sizes = np.abs(values)
    least, most = _PLAUSIBLE
    plausible: npt.NDArray[np.bool_] = (sizes >= least) & (sizes <= most)
    return plausible


def _shown(values: npt.NDArray[Any]) -> str:
    return ", ".join(f"{value:.10g}" for value in values[:3].tolist())


def _fill_number(parameter: HapiParameter) -> float:
    fill = parameter.fill
    return float(fill) if fill is not None and _NUMBER.fullmatch(fill) else np.nan


# Tables


def table_of(parameter: HapiParameter, records: Records) -> Table:
    """Return the table of a parameter, with unit, name, frame, components and axes as the server describes them.

    Components without names get numbers; they get the names x, y, z only if the server declares them Cartesian.
    """
    values = records.values[parameter.name]
    unit, unit_note = istp.common_unit(parameter.units)
    labels = parameter.labels if len(parameter.labels) == parameter.elements > 1 else ()
    components, axes, layout_notes = _layout(parameter, labels, unit, records)
    if components and values.ndim > 2:
        values = values.reshape(values.shape[0], -1)
    representation: Representation = ""
    if components and len(parameter.size) == 1:
        representation = representation_of(
            labels or components,
            parameter.units,
            declared=parameter.components,
            description=parameter.description,
        )
    unnamed = components == numbered_names(parameter.elements)
    if unnamed and not representation:
        layout_notes += istp.unknown_components(components)
    if unnamed and representation == "cartesian":
        letters = ("r", "t", "n") if frame_of(parameter, ()) == "RTN" else ("x", "y", "z")
        components = (*letters, *components[3:])
    single = parameter.labels[0] if len(parameter.labels) == 1 else ""
    return Table(
        epoch=records.epoch,
        values=values,
        unit=unit,
        name=single or istp.stem_of(components) or parameter.name,
        frame=frame_of(parameter, labels) if components else "",
        components=components,
        axes=axes,
        stated_representation=representation,
        stated_periods=()
        if axes
        else istp.periods_of(
            parameter.components or labels or components,
            parameter.units,
            parameter.name,
            parameter.description,
            {},
        ),
        description=parameter.description,
        notes=tuple(note for note in (*records.notes, unit_note, *layout_notes) if note),
    )


def frame_of(parameter: HapiParameter, labels: Sequence[str]) -> str:
    """Return the frame of a parameter, from the server's words; empty if it has none."""
    attributes = {"COORDINATE_SYSTEM": parameter.frame, "CATDESC": parameter.description}
    return istp.frame_of(parameter.name, attributes, labels)


def _layout(
    parameter: HapiParameter, labels: tuple[str, ...], unit: str, records: Records
) -> tuple[tuple[str, ...], tuple[Axis, ...], list[str]]:
    """Return the components or the axes of a parameter's bins, and notes on tolerated faults."""
    notes: list[str] = []
    axes = [_axis(parameter, number, records, notes) for number in range(len(parameter.size))]
    if len(axes) == 1 and axes[0] is not None and not _only_counts(axes[0], parameter.size[0]):
        return (), (axes[0],), notes
    if axes and all(axis is None or _only_counts(axis, axis.bins) for axis in axes):
        written = istp.text_bins(labels) if len(axes) == 1 else None
        if written is not None:
            name = (
                "Frequency" if written.unit.endswith("Hz") else "Angle" if written.unit == "deg" else "Energy"
            )
            scale = istp.axis_scale(written.centers, written.unit, {})
            return (
                (),
                (Axis(name, written.unit, written.centers, written.lower, written.upper, scale),),
                notes,
            )
        components = _components(parameter, labels, unit)
        if components:
            return components, (), notes
    for number, size in enumerate(parameter.size):
        if axes[number] is None:
            axes[number] = istp.numbered_axis(size)
            notes.append(f"the server does not name the {size} elements, so they are numbered")
    return (), tuple(axis for axis in axes if axis is not None), notes


def _components(parameter: HapiParameter, labels: tuple[str, ...], unit: str) -> tuple[str, ...]:
    named = istp.component_names(labels, unit) if labels else None
    if (
        named is None
        and len(parameter.components) == parameter.elements
        and len(set(parameter.components)) == parameter.elements
    ):
        named = parameter.components
    few = parameter.elements <= (istp.MOST_COMPONENTS if len(parameter.size) == 1 else _MOST_TENSOR)
    if named is not None:
        return named if few or len(parameter.size) == 1 else ()
    if parameter.size == (3, 3):
        return tuple(f"{row}{column}" for row in "xyz" for column in "xyz")
    return numbered_names(parameter.elements) if few and len(parameter.size) == 1 else ()


def numbered_names(count: int) -> tuple[str, ...]:
    """Return numbers as names for the components, because the server does not name them."""
    return tuple(str(number) for number in range(1, count + 1))


def _only_counts(axis: Axis, size: int) -> bool:
    return (
        size <= istp.MOST_COMPONENTS
        and not axis.unit
        and axis.lower is None
        and istp.is_counting(axis.centers)
    )


def _axis(parameter: HapiParameter, number: int, records: Records, notes: list[str]) -> Axis | None:
    if number >= len(parameter.bins):
        return None
    bins, size = parameter.bins[number], parameter.size[number]
    edges = _edges(bins, size, records)
    centers = (
        None if bins.centers == parameter.name else _centers(bins, records)
    )  # no bins are their own values
    if centers is None and edges is None:
        if bins.centers is not None or bins.ranges is not None:
            notes.append(f"the bins of '{bins.name}' cannot be read; they are numbered instead")
        return None
    if edges is None and bins.ranges is not None:
        notes.append(f"the edges of '{bins.name}' are not {size} pairs of numbers; helio ignores them")
    if centers is None and edges is not None:
        centers = istp.middle(*edges)
    if centers is None or centers.shape[-1] != size:
        notes.append(f"'{bins.name}' does not have {size} bins; helio numbers the bins instead")
        return None
    lower = upper = None
    if edges is not None:
        lower, upper = edges
        if centers.ndim == 2 and lower.ndim == 1:
            lower, upper = (np.broadcast_to(edge, centers.shape) for edge in edges)
        elif centers.ndim == 1 and lower.ndim == 2:
            centers = np.broadcast_to(centers, lower.shape)
    return Axis(bins.name, bins.unit, centers, lower, upper, istp.axis_scale(centers, bins.unit, {}))


def _centers(bins: HapiBins, records: Records) -> Floats | None:
    if isinstance(bins.centers, str):
        centers = records.values.get(bins.centers)
        return istp.fixed_if_equal(centers) if centers is not None and centers.ndim == 2 else None
    return None if bins.centers is None else np.array(bins.centers)


def _edges(bins: HapiBins, size: int, records: Records) -> tuple[Floats, Floats] | None:
    """Return lower and upper edges of bins from pairs for each bin, or from two rows, as older HAPI schemas
    have them.
    """
    if isinstance(bins.ranges, str):
        edges = records.values.get(bins.ranges)
        if edges is None or edges.ndim != 3:
            return None
        if edges.shape[1:] == (size, 2):
            pairs = edges
        elif edges.shape[1:] == (2, size):
            pairs = edges.transpose(0, 2, 1)
        else:
            return None
        fixed = istp.fixed_if_equal(np.ascontiguousarray(pairs).reshape(pairs.shape[0], 2 * size))
        pairs = fixed.reshape(*fixed.shape[:-1], size, 2)
    elif bins.ranges is None or len(bins.ranges) != size:
        return None
    else:
        pairs = np.array(bins.ranges)
    return np.ascontiguousarray(pairs.min(axis=-1)), np.ascontiguousarray(pairs.max(axis=-1))
