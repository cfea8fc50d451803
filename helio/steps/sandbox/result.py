"""Make tables from the results of code: refuse results that are not tables, and add notes to suspicious results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from helio.counts import number_of
from helio.errors import BadResult
from helio.knowledge.unit_spelling import canonical_unit
from helio.steps.sandbox.exchange import Returned
from helio.store.table import Axis, Table, merge_sources

LONGEST_NAME = 100
_NUMERIC = re.compile(r"(u?int|float|Int|UInt|Float)\d+|bool(ean)?")
# What a page would take for a tag or a character of its own: "<b>", "</a", "&lt;", "&#60;".
_MARKUP = re.compile(r"<[A-Za-z/!?]|&#?\w+;")
_MOST_GROWTH = 1.1
"""A result gets a note if it has more than this many times the rows of its longest input."""
_BIN_UNITS = {"frequency": "Hz", "energy": "eV"}
"""Units of the bins of a spectrum without time, unless the name of its index has another one in brackets."""
_UNIT_BEHIND = re.compile(r"(.*?)\s*[(\[]([^()\[\]]+)[)\]]\s*")

Floats = npt.NDArray[np.floating[Any]]


def as_table(
    returned: Returned, inputs: Sequence[Table], *, units: str = "", description: str = "", name: str = ""
) -> Table:
    """Make a table from the result of code, or refuse the result.

    Parameters
    ----------
    returned : Returned
        The unpacked result of the operation.
    inputs : sequence of Table
        The input tables.
    units : str
        Unit of the result, in any known spelling.
    name : str
        Name of the quantity, if the result does not give one.

    Returns
    -------
    Table, shape (n,), (n, k), (n, b) or (n, b1, b2)
        Sorted by epoch. A result over frequency or energy without time has one record, in the middle of the inputs'
        times. Otherwise one column is a scalar; several are components, or bins where their names are numbers. Bins
        that are the same as those of an input get its axes. It has no frame, and the sources of all inputs. Its notes
        say what
        may be a mistake: NaN that became zero, more rows than the inputs have, values that are all equal or all NaN.

    Raises
    ------
    BadResult
        If the result has no time index and is no spectrum, has a missing or repeated epoch, anything other than real
        numbers, or names that are not plain text.
    """
    if returned.bins is not None:
        return _spectrum(returned, inputs, canonical_unit(units) if units else "", description, name)
    epoch, values = _epoch(returned), returned.values
    if values is None:
        raise BadResult("the result of the code holds no values")
    _check_numbers(returned)
    if not len(epoch):
        raise BadResult(
            "the result has no rows", advice="choose a longer time range, or remove conditions from the code"
        )
    order = np.argsort(epoch, kind="stable")
    notes = []
    if not bool(np.all(order == np.arange(len(order)))):
        notes.append("the rows were not in order of time, so helio sorted them")
        epoch, values = epoch[order], values[order]
    twice = int((np.diff(epoch) == np.timedelta64(0)).sum())
    if twice:
        raise BadResult(
            f"the result has {number_of(twice, 'row')} with the same epoch as an earlier row",
            advice="remove repeated epochs: result = result[~result.index.duplicated()]",
        )
    if not all(values.shape[1:]):
        raise BadResult(
            "the result has no columns" if returned.kind == "frame" else "the result has no bins",
            advice="check the selection of columns or bins against df.columns or da.dim1",
        )
    components, axes, called = _columns(returned, values, epoch, inputs)
    if not components and not axes:
        values = values.reshape(len(epoch))
    table = Table(
        epoch=np.ascontiguousarray(epoch),
        values=np.ascontiguousarray(values),
        unit=canonical_unit(units) if units else "",
        # a name that came with an input says what went in, and not what came out
        name=name if called in {column for table in inputs for column in table.columns()} else called or name,
        components=components,
        axes=axes,
        description=description,
        sources=merge_sources(list(inputs)),
    )
    return replace(table, notes=(*notes, *_notes(table, inputs)))


def _spectrum(returned: Returned, inputs: Sequence[Table], unit: str, description: str, name: str) -> Table:
    """Make a spectrum of one record from a result over frequency or energy without time.

    Parameters
    ----------
    unit : str
        Unit of the values.
    name : str
        Name of the quantity, if the column has none.

    Raises
    ------
    BadResult
        If it has several columns, bins that are missing or repeated, or if no input gives it a time.
    """
    bins, values = returned.bins, returned.values
    assert bins is not None  # the caller has seen them
    axis_label, axis_unit = label_and_unit(returned.bins_name)
    word = axis_label.lower()
    _check_numbers(returned)
    if values is None or values.shape[1] != 1:
        raise BadResult(
            f"the result over {word} has {number_of(len(returned.columns), 'column')}, but a spectrum has one",
            advice="return one column, such as result[['power']]; use a step for each further column",
        )
    if not bins.size:
        raise BadResult("the result has no rows", advice="remove conditions from the code")
    if not np.isfinite(bins).all() or np.unique(bins).size < bins.size:
        what = "missing or infinite" if not np.isfinite(bins).all() else "equal"
        plural = "frequencies" if word == "frequency" else "energies"
        raise BadResult(
            f"the result has {what} {plural}, but each bin needs its own",
            advice=f"remove or average these rows: result = result.groupby(level=0).mean() makes one of equal {plural}",
        )
    known = [table.epoch for table in inputs if len(table)]
    if not known:
        raise BadResult(
            f"the result over {word} has no time, and the code has no input table that gives it one",
            advice="return one row with a time index, and a column for each bin, named by its number",
        )
    first, last = min(epoch[0] for epoch in known), max(epoch[-1] for epoch in known)
    order = np.argsort(bins, kind="stable")
    axis = Axis(
        label=axis_label[:1].upper() + axis_label[1:].lower(),
        unit=axis_unit or _BIN_UNITS[word],
        centers=np.ascontiguousarray(bins[order]),
        scale="log" if bins.min() > 0 else "linear",
    )
    [column] = returned.columns
    called = "" if isinstance(column, (int, float)) else _column_name(column)
    table = Table(
        epoch=np.array([first + (last - first) // 2]),
        values=np.ascontiguousarray(values[order].T),
        unit=unit,
        name=called or name,
        axes=(axis,),
        description=description,
        sources=merge_sources(list(inputs)),
    )
    return replace(table, notes=tuple(_notes(table, ())))


def label_and_unit(text: str) -> tuple[str, str]:
    """Split a text into a label and the unit in brackets after it.

    >>> label_and_unit("Frequency (Hz)"), label_and_unit("PSD [nT^2/Hz]"), label_and_unit("Energy")
    (('Frequency', 'Hz'), ('PSD', 'nT^2/Hz'), ('Energy', ''))
    """
    match = _UNIT_BEHIND.fullmatch(text)
    return (match[1], canonical_unit(match[2])) if match else (text.strip(), "")


def _epoch(returned: Returned) -> npt.NDArray[np.datetime64]:
    if returned.kind not in ("frame", "series", "array"):
        raise BadResult(
            f"'result' has the type {plain_name(returned.kind)}, but must be a table",
            advice="assign a DataFrame, a Series or a DataArray with its time index",
        )
    if returned.epoch is None:
        raise BadResult(
            f"the result has no time index, but {plain_name(returned.index)}",
            advice="restore the time index: result.index = df.index, or result = result.set_index('time'); for a "
            "spectrum, name the index 'frequency' or 'energy'",
        )
    if bool(np.isnat(returned.epoch).any()):
        raise BadResult(
            "the result has rows without a time",
            advice="remove these rows: result = result[result.index.notna()]",
        )
    return returned.epoch


def _check_numbers(returned: Returned) -> None:
    names = returned.columns or ("result",)
    for name, dtype in zip(names, returned.dtypes, strict=False):
        if _NUMERIC.fullmatch(dtype):
            continue
        what = f"the column '{_column_name(name)}'" if len(returned.dtypes) > 1 else "the result"
        if dtype.startswith("complex"):
            raise BadResult(
                f"{what} holds complex numbers, but a table can only hold real numbers",
                advice="take np.abs(…), np.angle(…) or np.real(…) of it",
            )
        if dtype.startswith(("datetime", "timedelta")):
            raise BadResult(
                f"{what} holds times, but a table can only hold numbers",
                advice="convert durations with ….dt.total_seconds()",
            )
        raise BadResult(
            f"{what} holds {plain_name(dtype)}, but a table can only hold numbers",
            advice="convert it with pd.to_numeric(…), or leave it out",
        )


def _columns(
    returned: Returned, values: Floats, epoch: npt.NDArray[np.datetime64], inputs: Sequence[Table]
) -> tuple[tuple[str, ...], tuple[Axis, ...], str]:
    """Return the components or the axes of a result, and the name of its quantity."""
    if returned.kind == "array":
        if values.ndim == 1:
            return (), (), ""
        marks = [array for _, array in returned.axes]
        if values.ndim == 2 and marks[0] is not None and all(isinstance(mark, str) for mark in marks[0]):
            return _distinct([_column_name(mark) for mark in marks[0]]), (), ""
        return (), _axes_of_array(returned, values, epoch, inputs), ""
    names = returned.columns
    if not names:
        raise BadResult("the result has no columns")
    if len(names) == 1:
        return (), (), "" if isinstance(names[0], (int, float)) else _column_name(names[0])
    numbers = _numbers(names)
    if numbers is not None:
        axes = _known_axes(numbers, values, epoch, inputs)
        if axes is None and not _is_count(numbers):
            axes = (Axis("", "", numbers, scale="linear"),)
        if axes is not None:
            return (), axes, ""
    return _distinct([_column_name(name) for name in names]), (), ""


def _axes_of_array(
    returned: Returned, values: Floats, epoch: npt.NDArray[np.datetime64], inputs: Sequence[Table]
) -> tuple[Axis, ...]:
    for table in inputs:
        if len(table.axes) == values.ndim - 1 and values.shape[1:] == table.values.shape[1:]:
            known = _of_epochs(table, epoch)
            if known is not None:
                return known
    axes = []
    for (name, marks), size in zip(returned.axes, values.shape[1:], strict=True):
        numbers = _numbers(marks) if marks is not None else None
        if numbers is None:
            numbers = np.arange(1.0, size + 1)
        label = "" if re.fullmatch(r"dim_?\d+", name) else _column_name(name)
        axes.append(Axis(label, "", numbers, scale="linear"))
    return tuple(axes)


def _known_axes(
    numbers: Floats, values: Floats, epoch: npt.NDArray[np.datetime64], inputs: Sequence[Table]
) -> tuple[Axis, ...] | None:
    """Return the axes of the input whose bins have these centres, or None if no input has them."""
    for table in inputs:
        if len(table.axes) != 1 or table.axes[0].bins != values.shape[1]:
            continue
        axis = table.axes[0]
        same = _is_count(numbers) if axis.per_record else np.allclose(axis.centers, numbers, rtol=1e-6)
        if same:
            return _of_epochs(table, epoch)
    return None


def _of_epochs(table: Table, epoch: npt.NDArray[np.datetime64]) -> tuple[Axis, ...] | None:
    """Return the axes of a table at the given epochs, or None if its bins change and an epoch is not in the table."""
    if not any(axis.per_record for axis in table.axes):
        return table.axes
    at = np.searchsorted(table.epoch, epoch)
    if len(table) == 0 or not np.array_equal(table.epoch[np.minimum(at, len(table) - 1)], epoch):
        return None
    return tuple(axis.take(at) for axis in table.axes)


def _numbers(names: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """Return the names as numbers if all names are finite numbers and differ, otherwise None."""
    try:
        numbers = np.array([float(name) for name in names if not isinstance(name, tuple)])
    except (ValueError, OverflowError):  # no number, or a whole one that no float holds
        return None
    distinct = len(numbers) == len(names) == len(np.unique(numbers))
    return numbers if distinct and bool(np.isfinite(numbers).all()) else None


def _is_count(numbers: Floats) -> bool:
    """Return whether the numbers are 0, 1, 2, … or 1, 2, 3, …: such numbers only count the columns."""
    return any(np.array_equal(numbers, np.arange(len(numbers)) + first) for first in (0, 1))


def _distinct(names: list[str]) -> tuple[str, ...]:
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise BadResult(
            f"the column '{sorted(twice)[0]}' occurs twice in the result",
            advice="rename one of the columns, for example with df.add_suffix('_2')",
        )
    return tuple(names)


def _column_name(name: Any) -> str:
    """Return the name of a column as plain text; names of several levels are joined with an underscore.

    Raises
    ------
    BadResult
        It is not plain text: empty, too long, with control characters, or with what a page takes for markup.
    """
    if isinstance(name, tuple):
        text = "_".join(str(level) for level in name if str(level))
    else:
        text = f"{name:g}" if isinstance(name, float) else str(name)
    if text != plain_name(text) or len(text) > LONGEST_NAME or _MARKUP.search(text):
        raise BadResult(
            f"the name of a column is not plain text: '{plain_name(text)}'",
            advice=f"use at most {LONGEST_NAME} characters, without tags and control characters",
        )
    return text


def plain_name(text: str) -> str:
    """Return a text that is safe to show: without control characters, and not too long."""
    shown = "".join(character if character.isprintable() else "�" for character in text)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


# What may be a mistake ----------------------------------------------------------------------------------------


def _notes(table: Table, inputs: Sequence[Table]) -> Iterator[str]:
    values = table.values.reshape(len(table), -1)
    missing = np.isnan(values)
    if missing.all():
        yield "all values are NaN"
        return
    infinite = int(np.isinf(values).sum())
    if infinite:
        yield f"infinite values, possibly from a division by zero: {infinite:,}"
    zeros = max((_zeros_from_nothing(table, source) for source in inputs), default=0)
    if zeros:
        yield (
            f"rows with 0 where an input has only NaN: {zeros:,}; sums ignore NaN unless you set "
            "skipna=False or min_count=1"
        )
    longest = max((len(source) for source in inputs), default=0)
    if inputs and len(table) > _MOST_GROWTH * longest:
        yield f"the result has {len(table):,} rows, the longest input only {longest:,}"
    constant = [
        name
        for name, column in zip(table.columns(), values.T, strict=True)
        if len(table) > 1 and _is_constant(column)
    ]
    if inputs and constant:
        every = len(constant) == values.shape[1]
        listed = "all values are equal" if every else ", ".join(constant[:5])
        yield f"constant: {listed}"


def _zeros_from_nothing(table: Table, source: Table) -> int:
    """Return the number of rows that are zero although all values of an input at the same epoch are NaN."""
    if not len(source):
        return 0
    nothing = source.epoch[np.isnan(source.values.reshape(len(source), -1)).all(axis=1)]
    rows = np.isin(table.epoch, nothing, assume_unique=True)
    zero = (table.values.reshape(len(table), -1) == 0).any(axis=1)
    return int((rows & zero).sum())


def _is_constant(column: Floats) -> bool:
    valid = column[~np.isnan(column)]
    return len(valid) > 1 and bool((valid == valid[0]).all())
