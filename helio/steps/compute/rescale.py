"""A series times a number, plus a number."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from helio.errors import StepError
from helio.knowledge.unit_spelling import canonical_unit
from helio.steps.result import Result
from helio.steps.signature import RECORD, Text
from helio.steps.tool import tool
from helio.store.periods import scaled_periods
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(like="series", unit="{unit}|"),
    synonyms="scale_and_offset linear_scale scale_series",
)
def rescale(
    series: Table, *, unit: str, factor: float = 1.0, offset: float = 0.0, name: Text = Text("")
) -> Table:
    """Multiply by a number, then add a number, and state the unit of the result.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Any components and unit.
    unit : str
        Unit of the result: ``"nT"``, ``"km/s"``; ``"1"`` for no unit. To convert a unit, use `convert_units`, which
        knows the factor.
    factor : float
        Factor, not zero: ``-1`` changes the sign.
    offset : float
        Offset in the unit of the result.
    name : str
        Name of the result on a figure; default: the name of the series.

    Returns
    -------
    Table, shape of `series`
        float64, ``factor · x + offset``. Same epochs, components, frame and name; NaN stays NaN.

    Raises
    ------
    StepError
        When the factor is zero, or factor or offset is not finite.

    References
    ----------
    The author chooses the factor, and should name its source in the intent of the step.

    Examples
    --------
    A sign the other way round, as for a current that is counted towards the Sun:

    >>> from helio.steps.examples import series
    >>> rescale(series([1.5, -2.0], "nA/m^2", "j"), unit="nA/m^2", factor=-1.0).values
    array([-1.5,  2. ])
    """
    if factor == 0 or not math.isfinite(factor) or not math.isfinite(offset):
        raise StepError(
            f"with factor {factor:g} and offset {offset:g}, the result has no usable values",
            advice="choose a finite factor other than 0, and a finite offset",
        )
    provenance = f"{factor:g} · x" if factor != 1 else "x"
    if offset:
        provenance += f" {'+' if offset > 0 else '−'} {abs(offset):g}"
    return replace(
        series,
        values=np.multiply(series.values, factor, dtype=np.float64) + offset,
        unit=canonical_unit(unit),
        stated_periods=scaled_periods(series.periods, factor),
        name=name or series.name,
        description=f"{series.description}, {provenance}" if series.description else provenance,
        scale=series.scale if factor > 0 and offset >= 0 else "linear",
    )
