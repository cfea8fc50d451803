"""Current density from the magnetic field at four spacecraft."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.cartesian import Values, cartesian, renamed
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.rotate import LETTERS
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

FLAT = 1e-6
"""Below this volume, relative to the cube of the longest separation, four spacecraft lie in a plane."""

NANOAMPERE = 1e-12 / VACUUM_PERMEABILITY * 1e9
"""The current density in nA/m² of a curl of 1 nT/km."""

Field = Annotated[Table, Quantity("nT", kind="vector")]
Position = Annotated[Table, Quantity("km", kind="vector")]


@tool(
    version=1,
    context=RECORD,
    gives=Result(
        by={
            "give": {
                "current": Result(unit="nA/m^2", frame="{field_1}|{position_1}", kind="vector"),
                "quality": Result(unit="", frame="", kind="scalar"),
                "divergence": Result(unit="nT/km", frame="", kind="scalar"),
            }
        }
    ),
    same=tuple(
        MatchingTables("frame", ("field_1", other))
        for other in (
            *(f"field_{number}" for number in (2, 3, 4)),
            *(f"position_{number}" for number in (1, 2, 3, 4)),
        )
    ),
    synonyms="curlometer_current current_density current_density_curlometer four_spacecraft_current curl_b",
)
def curlometer(
    field_1: Field,
    field_2: Field,
    field_3: Field,
    field_4: Field,
    position_1: Position,
    position_2: Position,
    position_3: Position,
    position_4: Position,
    *,
    give: Literal["current", "quality", "divergence"] = "current",
) -> Table:
    """Compute the current density within a tetrahedron of four spacecraft from their magnetic fields.

    Parameters
    ----------
    field_1 : Table, shape (n, 3) or (n, 4)
        Magnetic field at the first spacecraft, nT, in a Cartesian frame.
    field_2 : Table, shape (n, 3) or (n, 4)
        Magnetic field at the second spacecraft, in the same frame and on the same epochs.
    field_3 : Table, shape (n, 3) or (n, 4)
        Magnetic field at the third spacecraft.
    field_4 : Table, shape (n, 3) or (n, 4)
        Magnetic field at the fourth spacecraft.
    position_1 : Table, shape (n, 3) or (n, 4)
        Position of the first spacecraft, km, in the frame and on the epochs of the fields; use `align` first.
    position_2 : Table, shape (n, 3) or (n, 4)
        Position of the second spacecraft.
    position_3 : Table, shape (n, 3) or (n, 4)
        Position of the third spacecraft.
    position_4 : Table, shape (n, 3) or (n, 4)
        Position of the fourth spacecraft.
    give : "current", "quality" or "divergence"
        The kind of result; see below.

    Returns
    -------
    Table
        ``current``, shape (n, 3): J = ∇×B/μ₀, nA/m^2, in the frame of the fields, where the field varies linearly
        between the spacecraft.
        ``quality``, shape (n,): |∇·B|/|∇×B|, without a unit. ∇·B is zero in nature, so a large ratio shows that the
        field does not vary linearly; authors trust J below 0.1 to 0.5.
        ``divergence``, shape (n,): ∇·B in nT/km.
        NaN where a value is missing, and where the spacecraft lie in a plane or on a line.

    Raises
    ------
    FrameMismatch
        When the tables are not all in one frame.
    ClockMismatch
        When their epochs differ.

    Notes
    -----
    ∇×B = Σ k×B and ∇·B = Σ k·B with the reciprocal vectors k of the tetrahedron. This is the same as the integrals of
    the field along the edges of its faces.

    References
    ----------
    Dunlop, Southwood, Glassmeier & Neubauer, Adv. Space Res. 8, 273 (1988); Chanteur, and Robert et al., in Analysis
    Methods for Multi-Spacecraft Data, ISSI SR-001, chs. 14 and 16 (1998).

    Examples
    --------
    A field B_y that grows by 1 nT every 10 km along x is a current along z:

    >>> from helio.steps.examples import vector
    >>> corners = ([0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 10.0])
    >>> positions = [vector([corner], "km", "R") for corner in corners]
    >>> fields = [vector([[2.0, 0.1 * corner[0], 0.0]], "nT") for corner in corners]
    >>> b1, b2, b3, b4 = fields
    >>> r1, r2, r3, r4 = positions
    >>> curlometer(b1, b2, b3, b4, r1, r2, r3, r4).values.round(1)
    array([[ 0. ,  0. , 79.6]])
    """
    what = "a curlometer"
    fields, positions = (field_1, field_2, field_3, field_4), (position_1, position_2, position_3, position_4)
    for other in (*fields[1:], *positions):
        frame = same_frame(field_1, other)
    inputs = on_one_clock(*fields, *positions)
    reciprocal = _reciprocal_vectors([cartesian(position, what) for position in positions])
    magnetic = [cartesian(field, what) for field in fields]
    curl = np.zeros((len(field_1), 3))
    divergence = np.zeros(len(field_1))
    # Σ k = 0, so only differences count; a uniform field then has no curl to the last digit.
    for vector, measured in zip(reciprocal[1:], magnetic[1:], strict=True):
        difference = measured - magnetic[0]
        curl += np.cross(vector, difference)
        divergence += (vector * difference).sum(axis=1)
    if give == "current":
        return derived(
            inputs,
            curl * NANOAMPERE,
            unit="nA/m^2",
            name="J",
            description="current density ∇×B/μ₀ from four spacecraft",
            components=renamed(("Jx", "Jy", "Jz"), LETTERS.get(frame.upper(), ("x", "y", "z"))),
            frame=frame,
        )
    if give == "divergence":
        return derived(
            inputs, divergence, unit="nT/km", name="∇·B", description="divergence of B from four spacecraft"
        )
    length = np.sqrt((curl * curl).sum(axis=1))
    length[length == 0] = np.nan
    return derived(
        inputs,
        np.abs(divergence) / length,
        unit="",
        name="|∇·B|/|∇×B|",
        description="quality of the current density from four spacecraft",
    )


def _reciprocal_vectors(positions: list[Values]) -> list[Values]:
    """Return the four reciprocal vectors in 1/km, each of shape (n, 3); NaN where the spacecraft lie in a plane.

    Raises
    ------
    StepError
        When the spacecraft lie in a plane at every epoch.
    """
    vectors = []
    flat = np.zeros(len(positions[0]), dtype=bool)
    for number, position in enumerate(positions):
        first, second, third = (other for index, other in enumerate(positions) if index != number)
        normal = np.cross(second - first, third - first)
        volume = ((position - first) * normal).sum(axis=1)
        longest = np.sqrt(
            np.max([((other - position) ** 2).sum(axis=1) for other in (first, second, third)], axis=0)
        )
        flat |= np.abs(volume) <= FLAT * longest**3
        with np.errstate(divide="ignore", invalid="ignore"):
            vectors.append(normal / volume[:, np.newaxis])
    if flat.size and flat.all():
        raise StepError(
            "the four positions lie in a plane, so the current density across it is not determined",
            advice="check that each position_label belongs to another spacecraft",
        )
    for vector in vectors:
        vector[flat] = np.nan
    return vectors
