"""A unit or a frame that a file does not say."""

from __future__ import annotations

from dataclasses import replace

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.steps.tool import tool
from helio.store.table import Table


@tool(version=1, range_capable=True, needs=(("unit", "frame"),))
def declare_quantity(series: Table, *, unit: str = "", frame: str = "") -> Table:
    """State the unit or the frame of a series whose file does not.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Without a unit, or without a frame, or both.
    unit : str
        In any spelling of the field; what is known otherwise about the data must say so.
    frame : str
        ``"GSE"``, ``"RTN"``; for components of a vector.

    Returns
    -------
    Table, shape of `series`
        The values as they were, with the unit and the frame, and a note that they were declared.

    Raises
    ------
    UnitMismatch, FrameMismatch
        When the series has another one already: a declaration converts nothing and corrects nothing.
    StepError
        When neither is given.
    """
    from helio.knowledge.units import canonical_unit

    if not (unit.strip() or frame.strip()):
        raise StepError("neither a unit nor a frame is declared", advice='unit: "nT", frame: "GSE"')
    declared = canonical_unit(unit)
    if declared and canonical_unit(series.unit) not in ("", declared):
        raise UnitMismatch(
            f"'{series.name}' is in {series.unit}, and is declared to be in {declared}",
            advice="use convert_units for another unit",
        )
    stated = frame.strip()
    if stated and series.frame and series.frame.casefold() != stated.casefold():
        raise FrameMismatch(
            f"'{series.name}' is in {series.frame}, and is declared to be in {stated}",
            advice="use transform_frame for another frame",
        )
    said = " and ".join(
        text for text in (f"unit {declared}" if declared else "", f"frame {stated}" if stated else "") if text
    )
    return replace(
        series,
        unit=declared or series.unit,
        frame=stated or series.frame,
        notes=(*series.notes, f"{said} declared in the pipeline, not by the file"),
    )
