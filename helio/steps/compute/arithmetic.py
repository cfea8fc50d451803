"""Sums, differences, products and quotients of two tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.unit_products import unit_product
from helio.steps.compute.angles import shorter_way, turning, within_turn
from helio.steps.compute.columns import columns_of
from helio.steps.compute.lone_component import letter_of
from helio.steps.compute.shares import missing, share
from helio.steps.quantity import frame_of_series, same_clock, same_frame, same_unit
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD, Text
from helio.steps.tool import tool
from helio.store.periods import known_periods
from helio.store.representation import Representation
from helio.store.table import Axis, Table, merge_sources

Operation = Literal["add", "subtract", "multiply", "divide"]
_SIGNS = {"add": "+", "subtract": "−", "multiply": "·", "divide": "/"}


@tool(
    version=4,
    context=RECORD,
    gives=Result(
        by={
            "operation": {
                "add": Result(unit="{left}|{right}", frame="{left}&{right}", kind="{left}&{right}"),
                "subtract": Result(unit="{left}|{right}", frame="{left}&{right}", kind="{left}&{right}"),
                "multiply": Result(unit="{left} {right}", frame="{left}&{right}", kind="{left}*{right}"),
                "divide": Result(unit="{left} {right}^-1", frame="{left}&{right}", kind="{left}*{right}"),
            }
        }
    ),
    same=(
        MatchingTables("unit", ("left", "right"), when={"operation": ("add", "subtract")}),
        MatchingTables("kind", ("left", "right"), when={"operation": ("add", "subtract")}),
        MatchingTables("frame", ("left", "right"), when={"operation": ("add", "subtract")}),
        MatchingTables("frame", ("left", "right"), lone_components=True),
    ),
    synonyms="table_arithmetic binary_operation",
)
def arithmetic(left: Table, right: Table, *, operation: Operation, name: Text = Text("")) -> Table:
    """Add, subtract, multiply or divide two tables, record by record, with their units.

    Parameters
    ----------
    left : Table, shape (n,), (n, k) or (n, b)
        First operand.
    right : Table, shape of `left`, or (n,) to multiply or divide by
        Second operand, on the same epochs as `left`; use `align` first if they differ.
    operation : "add", "subtract", "multiply" or "divide"
        For a sum or a difference, both tables must have the same unit, frame, and components or bins. Multiply or
        divide a vector or a spectrum by a scalar, a spectrum also by a spectrum over the same bins, and components
        without a frame also by components with the same names.
    name : str
        Name of the result on a figure: ``"δB"``. Default: both names with the sign, ``B − B``.

    Returns
    -------
    Table, shape (n,), (n, k) or (n, b)
        float64. A sum or a difference has the unit of both tables; a product or a quotient has the product or
        quotient of their units: ``nT`` times ``km/s`` gives ``km nT/s``; nothing is converted. NaN where one of the
        two values is missing, and where the divisor is zero. A difference of angles that wrap is taken the shorter
        way round; a sum is brought into one turn.

    Raises
    ------
    ClockMismatch, UnitMismatch, FrameMismatch
        When the epochs or the frames differ, or the units of a sum or a difference. A scalar without a frame can be
        combined with any component: |B| − B_z. The x component in GSE can be multiplied with one in GSM, because
        both frames have the same x.
    StepError
        When the shapes do not fit, or when the product of two vectors is requested.

    References
    ----------
    BIPM, The International System of Units (SI Brochure, 9th ed., 2019), sec. 5.4.1: quantity calculus.

    Examples
    --------
    The square of a field has the square of its unit:

    >>> from helio.steps.examples import series
    >>> field = series([5.0, 3.0], "nT", "B")
    >>> squared = arithmetic(field, field, operation="multiply")
    >>> squared.values, squared.unit
    (array([25.,  9.]), 'nT^2')
    """
    unit = same_unit(left, right) if operation in ("add", "subtract") else ""
    _hold_frames(left, right, product=operation in ("multiply", "divide"))
    same_clock(left, right)
    first, second, shape = _side_by_side(left, right, operation)
    angles = any(turning(table) for table in (left, right))
    if operation in ("add", "subtract"):
        with np.errstate(invalid="ignore"):  # two infinities have no difference
            values = first + second if operation == "add" else first - second
        if angles:
            values = _round(values, left, right, operation)
    else:
        unit = unit_product((left.unit, 1), (right.unit, 1 if operation == "multiply" else -1))
        with np.errstate(invalid="ignore", over="ignore"):  # nor has infinity a product with zero
            values = first * second if operation == "multiply" else _quotient(first, second)
    sign = _SIGNS[operation]
    notes = [*left.notes, *right.notes]
    if angles:
        notes.append(
            "the angles wrap, so each difference is taken the shorter way round"
            if operation == "subtract"
            else "the angles wrap, so each sum is brought into one turn"
            if operation == "add"
            else f"an angle that wraps is {_done(operation)}: the result jumps where the angle wraps"
        )
    if operation == "divide" and (second == 0).any():
        zeros = missing(values) - int(np.count_nonzero(np.isnan(first) | np.isnan(second)))
        notes.append(f"missing because of a division by zero: {share(zeros, values.size, 'values')}")
    return replace(
        shape,
        values=values,
        unit=unit,
        stated_representation=_representation(left, right, shape),
        stated_periods=_periods(left, right) if operation in ("add", "subtract") else (),
        frame=shape.frame if shape.kind == "vector" else _frame_of_scalars(left, right),
        name=name or f"{_called(left, operation)} {sign} {_called(right, operation)}",
        # A difference, or a product with a signed series, is not above zero any more.
        scale=shape.scale
        if operation != "subtract" and (shape.kind == "spectrum" or left.scale == right.scale)
        else "linear",
        description=f"{left.description} {sign} {right.description}"
        if left.description and right.description
        else "",
        sources=merge_sources([left, right]),
        notes=tuple(dict.fromkeys(notes)),
    )


def _side_by_side(
    left: Table, right: Table, operation: Operation
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Table]:
    """Return the values of both tables in shapes that fit, and the table that has the shape of the result."""
    first, second = left.values.astype(np.float64, copy=False), right.values.astype(np.float64, copy=False)
    product = operation in ("multiply", "divide")
    if product and right.kind == "scalar":
        return first, second.reshape(-1, *[1] * (first.ndim - 1)), left
    if operation == "multiply" and left.kind == "scalar":
        return first.reshape(-1, *[1] * (second.ndim - 1)), second, right
    if left.kind != right.kind:
        raise StepError(
            f"'{left.name}' is a {left.kind} and '{right.name}' a {right.kind}: "
            f"they cannot be {_done(operation)}",
            advice="take one component of the vector first"
            if "vector" in (left.kind, right.kind)
            else "average the spectrum over a band first, with band_average",
        )
    if left.kind == "vector":
        if product and (left.frame or right.frame):
            raise StepError(
                f"'{left.name}' and '{right.name}' are both vectors, and arithmetic does not multiply or "
                "divide two vectors",
                advice="take one component of each vector",
            )
        if len(left.components) != len(right.components) or (
            left.components != right.components
            and (not left.frame or sorted(left.components) == sorted(right.components))
        ):
            raise StepError(
                f"'{left.name}' has the components {', '.join(left.components)}, but '{right.name}' has "
                f"{', '.join(right.components)}",
                advice="first take the same components of both vectors, in the same order, with the tool "
                "components",
            )
    if left.kind == "spectrum" and not (
        len(left.axes) == len(right.axes)
        and all(_same_bins(axis, other) for axis, other in zip(left.axes, right.axes, strict=True))
    ):
        raise StepError(
            f"'{left.name}' and '{right.name}' have different bins",
            advice="first average both spectra over the same bands, with band_average",
        )
    return first, second, left


def _round(
    values: npt.NDArray[np.float64], left: Table, right: Table, operation: Operation
) -> npt.NDArray[np.float64]:
    """Shift sums and differences by full turns in each column in which an input has angles that wrap."""
    flat = columns_of(values).copy()
    negative = columns_of((left.values < 0) | (right.values < 0)) > 0
    for column, period in {**turning(left).by_column, **turning(right).by_column}.items():
        chosen = flat[:, column]
        flat[:, column] = (
            shorter_way(chosen, period)
            if operation == "subtract"
            else within_turn(chosen, period, negative[:, column])
        )
    return flat.reshape(values.shape)


def _representation(left: Table, right: Table, shape: Table) -> Representation:
    """Return the representation that the input vectors share: "none" for angles, empty if they differ."""
    if not shape.components:
        return ""
    stated = {table.representation for table in (left, right) if table.components}
    joint = stated.pop() if len(stated) == 1 else ""
    return joint if joint in ("cartesian", "diagonal", "") else "none"


def _periods(left: Table, right: Table) -> tuple[float | None, ...]:
    """Return the periods of a sum or a difference: a column wraps if this column wraps in one of the inputs."""
    if len(left.periods) != len(right.periods):
        return left.periods or right.periods
    pairs = zip(left.periods, right.periods, strict=True)
    return known_periods(
        [
            period or other if period or other else period if period == other else None
            for period, other in pairs
        ]
    )


def _hold_frames(left: Table, right: Table, *, product: bool) -> None:
    """Refuse to combine components of different frames, if the frames of both are known.

    Only x of GSE and of GSM is the same in both, so that a product with it has a meaning.
    """
    if left.kind == right.kind == "vector":
        if not product:  # of two vectors with a frame there is no product at all
            same_frame(left, right)
        return
    left_frame, other = frame_of_series(left), frame_of_series(right)
    if not (left_frame and other):
        return
    shared = {left_frame.upper(), other.upper()} == {"GSE", "GSM"}
    if product and shared and "x" in (letter_of(left), letter_of(right)):
        return
    same_frame(left, right, (left_frame, other))


def _frame_of_scalars(left: Table, right: Table) -> str:
    """Return the frame of combined single components: the frame that both state, or that only one of them states."""
    frames = {table.frame for table in (left, right) if table.frame}
    return frames.pop() if len(frames) == 1 else ""


def _same_bins(one: Axis, other: Axis) -> bool:
    if one.centers.shape[-1] != other.centers.shape[-1] or one.unit != other.unit:
        return False
    return bool(np.all((one.centers == other.centers) | (np.isnan(one.centers) & np.isnan(other.centers))))


def _quotient(above: npt.NDArray[Any], below: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    quotient = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=quotient, where=below != 0)
    return quotient


def _called(table: Table, operation: Operation) -> str:
    name = table.name or "x"
    return f"({name})" if operation in ("multiply", "divide") and " " in name else name


def _done(operation: Operation) -> str:
    return {"add": "added", "subtract": "subtracted", "multiply": "multiplied", "divide": "divided"}[
        operation
    ]
