"""Add facts that a file does not state: a unit, a frame, or the unit of an axis."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from helio.counts import number_of
from helio.errors import FrameMismatch, StepError, UnitMismatch
from helio.sources.istp import is_flux
from helio.steps.compute.bins import place_of
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.periods import turn_of
from helio.store.table import Table

Stated = Literal["", "cartesian", "spherical", "cylindrical", "diagonal", "none"]


@tool(
    version=3,
    context=RECORD,
    needs=(("unit", "frame", "axis_unit", "representation", "wraps"),),
    gives=Result(like="series", unit="{unit}", frame="{frame}"),
    synonyms="set_unit set_units assign_units set_frame assign_frame",
)
def declare_quantity(
    series: Table,
    *,
    unit: str = "",
    frame: str = "",
    representation: Stated = "",
    wraps: Literal["", "yes", "no"] = "",
    axis: str = "",
    axis_unit: str = "",
) -> Table:
    """Declare facts that a file does not state: unit, frame, representation, whether an angle wraps, unit of an axis.

    Parameters
    ----------
    series : Table, shape (n,), (n, k) or (n, b)
        Series of which one of these facts is unknown.
    unit : str
        Unit in any usual spelling, known from the documentation of the data.
    frame : str
        Frame of the components of a vector: ``"GSE"``, ``"RTN"``.
    representation : "cartesian", "spherical", "cylindrical", "diagonal" or "none"
        Relation of the components to each other. Cartesian components are along three orthogonal axes, in one unit;
        components that have only numbers then get the names x, y, z, or R, T, N in RTN.
    wraps : "yes" or "no"
        Whether an angle repeats after a whole turn, as a longitude does and a latitude does not; for a series in
        deg, rad or hours of local time.
    axis : str
        Label of the axis that `axis_unit` is for, in any case; it may be left out for a spectrum with one axis.
    axis_unit : str
        Unit of the bins of a spectrum: ``"deg"``, ``"keV"``. Only for an axis without a unit, or with the unit of a
        flux by mistake, as ELFIN gives to its pitch angles.

    Returns
    -------
    Table, shape of `series`
        The same values with the declared facts, and a note about the declaration.

    Raises
    ------
    UnitMismatch, FrameMismatch
        When the series or the axis already has a different unit or frame: this tool does not convert or correct.
    StepError
        When no fact is given, or the axis does not exist; when the file states a different representation, or the
        table does not have three components; when the file states whether the angle wraps, or the unit is not one of
        angle.

    References
    ----------
    ISTP Metadata Guidelines, https://spdf.gsfc.nasa.gov/istp_guide/vattributes.html: what UNITS and the coordinate
    system have to say, and where files leave it out.

    Examples
    --------
    A file that says nothing of its unit and frame:

    >>> from helio.steps.examples import vector
    >>> known = declare_quantity(vector([[3.0, 4.0, 0.0]], "", frame=""), unit="nT", frame="GSE")
    >>> known.unit, known.frame, known.values
    ('nT', 'GSE', array([[3., 4., 0.]]))
    """
    from helio.knowledge.unit_spelling import canonical_unit

    if not (unit.strip() or frame.strip() or axis_unit.strip() or representation or wraps):
        raise StepError(
            "nothing is declared", advice='give at least one fact, such as unit: "nT" or frame: "GSE"'
        )
    declared = canonical_unit(unit)
    if declared and canonical_unit(series.unit) not in ("", declared):
        raise UnitMismatch(
            f"'{series.name}' is in {series.unit}, so it cannot be declared to be in {declared}",
            advice="use convert_units to convert to another unit",
        )
    stated = frame.strip()
    if stated and series.frame and series.frame.casefold() != stated.casefold():
        raise FrameMismatch(
            f"'{series.name}' is in {series.frame}, so it cannot be declared to be in {stated}",
            advice="use transform_frame to rotate into another frame",
        )
    axes = list(series.axes)
    bins = canonical_unit(axis_unit)
    provenance = [f"unit {declared}"] if declared else []
    provenance += [f"frame {stated}"] if stated else []
    provenance += [f"representation {representation}"] if representation else []
    provenance += [f"that it {'wraps' if wraps == 'yes' else 'does not wrap'}"] if wraps else []
    if axis.strip() and not bins:
        raise StepError("'axis' is given without 'axis_unit'", advice='add axis_unit: "deg"')
    if bins:
        index = place_of(series, axis.strip())
        old = axes[index].unit
        if old and canonical_unit(old) != bins and not is_flux(old):
            raise UnitMismatch(
                f"the axis '{axes[index].label}' is in {old}, so it cannot be declared to be in {bins}",
                advice="leave out axis_unit: declare_quantity does not change a unit that the file states",
            )
        axes[index] = replace(axes[index], unit=bins)
        provenance.append(f"unit {bins} of the axis '{axes[index].label}'")
    result = replace(
        series,
        unit=declared or series.unit,
        frame=stated or series.frame,
        axes=tuple(axes),
        notes=(*series.notes, f"{' and '.join(provenance)} declared in the pipeline, not by the file"),
    )
    if representation:
        result = _represented(result, representation)
    return _wrapping(result, wraps) if wraps else result


def _represented(series: Table, representation: Stated) -> Table:
    if len(series.components) not in (3, 4):
        raise StepError(
            f"'{series.name}' has {number_of(len(series.components), 'component')}, but a representation needs three",
            advice="first join three series with the tool join_components",
        )
    if series.representation not in ("", representation):
        raise StepError(
            f"the components of '{series.name}' are {series.representation}, so they cannot be declared "
            f"to be {representation}",
            advice="declare only what the file does not state: declare_quantity does not correct a file",
        )
    numbered = series.components[:3] == ("1", "2", "3")
    names = series.components
    if representation == "cartesian" and numbered:
        letters = ("r", "t", "n") if series.frame.upper() == "RTN" else ("x", "y", "z")
        names = (*letters, *names[3:])
    return replace(series, components=names, stated_representation=representation)


def _wrapping(series: Table, wraps: Literal["yes", "no"]) -> Table:
    turn = turn_of(series.unit, hours=True)
    if not turn or series.axes:
        raise StepError(
            f"'{series.name}' is in {series.unit or 'no unit'}, but only an angle or a local time can wrap",
            advice='if it is an angle, declare its unit too: unit "deg"',
        )
    known = [period is not None and bool(period) != (wraps == "yes") for period in series.periods]
    if any(known):
        raise StepError(
            f"'{series.name}' is already known {'to wrap' if wraps == 'no' else 'not to wrap'}",
            advice="declare only what the file does not state: declare_quantity does not correct a file",
        )
    period = turn if wraps == "yes" else 0.0
    return replace(series, stated_periods=(period,) * max(1, len(series.components)))
