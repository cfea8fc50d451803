"""A vector in another Earth-centred frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from helio.steps.compute.cartesian import cartesian, cartesian_names, renamed
from helio.steps.compute.frame_words import words_in_frame
from helio.steps.compute.geocentric_frames import rotate_between
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    gives=Result(like="vector", frame="{to}|?", kind="vector"),
    synonyms=(
        "coordinate_transform coordinate_transformation transform_coordinates cotrans "
        "convert_coordinates convert_frame change_frame frame_transformation"
    ),
)
def transform_frame(
    vector: Annotated[Table, Quantity(kind="vector", frames=("GSE", "GSM", "SM", "GEO", "GEI"))],
    *,
    to: Literal["GSE", "GSM", "SM", "GEO", "GEI"],
) -> Table:
    """Rotate a vector between GSE, GSM, SM, GEO and GEI.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Cartesian components in any unit and one of these frames. A fourth component that is the magnitude is
        left out.
    to : "GSE", "GSM", "SM", "GEO" or "GEI"
        The frame of the result. GEI has the mean equator and equinox of date, not those of J2000: it includes
        precession, but not nutation (up to 0.005°).

    Returns
    -------
    Table, shape (n, 3)
        float64, unit unchanged, components named after x, y, z; name and description give the new frame. NaN where
        a component that the result needs is missing; x is the same in GSE and GSM. Only directions are rotated: a
        velocity is not made relative to the rotating frame.

    Raises
    ------
    StepError
        When the table is not a Cartesian vector, or when the dipole is needed for times outside 1900 to 2030.
    FrameMismatch
        When the vector is in a different frame, or has no frame.

    References
    ----------
    Hapgood, Planet. Space Sci. 40, 711 (1992); dipole of the IGRF-14, linear in time between its epochs. It stays
    within 0.05° of spacepy's coordinates from 1970 to 2026.

    Examples
    --------
    GSE and GSM share x; the dipole turns y and z:

    >>> from helio.steps.examples import vector
    >>> field = vector([[3.0, 4.0, -5.0]], "nT", frame="GSE")
    >>> transform_frame(field, to="GSM").values.round(2)
    array([[ 3.  ,  5.72, -2.87]])
    """
    names = cartesian_names(vector, "a transformation")
    values = rotate_between(vector.epoch, cartesian(vector, "a transformation"), vector.frame.upper(), to)
    return replace(
        vector,
        values=values,
        frame=to,
        components=renamed(names, ("x", "y", "z")),
        **words_in_frame(vector, to),
    )
