"""A unit, a frame or the unit of an axis that a file does not say."""

from __future__ import annotations

from dataclasses import replace

from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.sources.istp import is_flux
from helio.steps.compute.bins import place_of
from helio.steps.tool import tool
from helio.store.table import Table


@tool(version=2, range_capable=True, needs=(("unit", "frame", "axis_unit"),))
def declare_quantity(
    series: Table, *, unit: str = "", frame: str = "", axis: str = "", axis_unit: str = ""
) -> Table:
    """State the unit, the frame or the unit of an axis of a series whose file does not.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Without a unit, or without a frame, or both.
    unit : str
        In any spelling of the field; what is known otherwise about the data must say so.
    frame : str
        ``"GSE"``, ``"RTN"``; for components of a vector.
    axis : str
        Label of the axis that `axis_unit` is for, whatever its case; it may be left out for a spectrum with one axis.
    axis_unit : str
        Of the bins of a spectrum: ``"deg"``, ``"keV"``. The axis has none, or has the unit of a flux, which no bin has:
        ELFIN gives it to its pitch angles.

    Returns
    -------
    Table, shape of `series`
        The values as they were, with unit, frame and axis, and a note that they were declared.

    Raises
    ------
    UnitMismatch, FrameMismatch
        When the series or the axis has another one already: a declaration converts nothing and corrects nothing.
    StepError
        When none is given, or the axis is not there.

    References
    ----------
    ISTP Metadata Guidelines, https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html: what UNITS and the coordinate
    system have to say, and where files leave it out.
    """
    from helio.knowledge.units import canonical_unit

    if not (unit.strip() or frame.strip() or axis_unit.strip()):
        raise StepError("no unit and no frame is declared", advice='unit: "nT", frame: "GSE"')
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
    axes = list(series.axes)
    bins = canonical_unit(axis_unit)
    said = [f"unit {declared}"] if declared else []
    said += [f"frame {stated}"] if stated else []
    if axis.strip() and not bins:
        raise StepError("an axis is named, and no unit of it", advice='axis_unit: "deg"')
    if bins:
        place = place_of(series, axis.strip())
        old = axes[place].unit
        if old and canonical_unit(old) != bins and not is_flux(old):
            raise UnitMismatch(
                f"the axis '{axes[place].label}' is in {old}, and is declared to be in {bins}",
                advice="leave out axis_unit: the unit of an axis that has one is not changed",
            )
        axes[place] = replace(axes[place], unit=bins)
        said.append(f"unit {bins} of the axis '{axes[place].label}'")
    return replace(
        series,
        unit=declared or series.unit,
        frame=stated or series.frame,
        axes=tuple(axes),
        notes=(*series.notes, f"{' and '.join(said)} declared in the pipeline, not by the file"),
    )
