"""Length of a vector."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from helio.errors import StepError
from helio.steps.tool import tool
from helio.store.table import Table

# What files call the magnitude they carry beside a vector: MMS `Bt` and `R`, others `|B|`, `B total`,
# `Magnitude`.
_MAGNITUDE = re.compile(r"\|.*\||R|[A-Z]_?(?:t|tot|total|mag)|.*\b(?:total|magnitude)\b.*", re.IGNORECASE)


# What tells the components of a Cartesian vector apart: x, y, z; R, T, N; boundary-normal L, M, N; north, east
# and centre or down; unit vectors; local spherical ones; numbers.
_TRIPLES = frozenset(
    frozenset(triple.split())
    for triple in (
        "x y z",
        "r t n",
        "l m n",
        "n e c",
        "n e d",
        "n e z",
        "i j k",
        "u v w",
        "r theta phi",
        "1 2 3",
    )
)
# A position in r, latitude and longitude may have a frame as well.
_ANGLE = re.compile(r"lat|lon|azim|elev|theta|phi|angle", re.IGNORECASE)


@tool(version=2)
def magnitude(vector: Table) -> Table:
    """Euclidean norm of a vector of three components.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Three Cartesian components in any unit: their names differ as x, y, z do, or R, T, N, or 1, 2, 3
        (``Bx``, ``By``, ``Bz``; ``V_R``, ``V_T``, ``V_N``), or the table has a frame. A fourth component is left
        out when its name says that it is the magnitude (``|B|``, ``Bt``, ``R``), as MMS delivers it.

    Returns
    -------
    Table, shape (n,)
        float64, in the unit of the vector, named ``|B|`` for a vector ``B``; it has no frame. NaN wherever
        one of the components is NaN: a magnitude of fewer components would be too small, never missing.

    Raises
    ------
    StepError
        When the table has no components, or not three, or its three are no vector: fluxes in three bands.

    References
    ----------
    |B| = (Bx² + By² + Bz²)^½, in any orthonormal frame.
    """
    names = vector.components
    if not names:
        raise StepError(
            f"a magnitude needs a vector, and '{vector.name}' is a {vector.kind}",
            advice="choose a parameter with three components",
        )
    if len(names) != 3 and not (len(names) == 4 and _MAGNITUDE.fullmatch(names[3].strip())):
        raise StepError(
            f"a magnitude needs three components, and '{vector.name}' has {len(names)}: {', '.join(names)}",
            advice="take three of them with the tool components first",
        )
    if not _are_a_vector(names[:3], vector.frame):
        raise StepError(
            f"a magnitude needs the components of a vector, and '{vector.name}' has {', '.join(names[:3])}",
            advice="choose a parameter whose components are x, y, z or R, T, N, or that has a frame",
        )
    return replace(
        vector,
        values=np.linalg.norm(vector.values[:, :3].astype(np.float64), axis=1),
        components=(),
        frame="",
        name=f"|{vector.name}|" if vector.name else "magnitude",
        description=f"magnitude of {vector.description}" if vector.description else "",
    )


def _are_a_vector(names: tuple[str, ...], frame: str) -> bool:
    """Whether names differ in nothing but the letters of a known triple, or there is a frame and nothing against it."""
    if frozenset(_differing(names)) in _TRIPLES:
        # r, theta, phi without a stem are a place, and Br, Btheta, Bphi a field in three orthogonal directions
        return "theta" not in {name.casefold() for name in names}
    against = any(_ANGLE.search(name) or _MAGNITUDE.fullmatch(name.strip()) for name in names)
    return bool(frame) and not against


def _differing(names: tuple[str, ...]) -> list[str]:
    """``x``, ``y``, ``z`` of ``Vx_err``, ``Vy_err``, ``Vz_err``: names without what all begin and end with."""
    folded = [name.strip().casefold() for name in names]
    begin = _alike(folded)
    end = _alike([name[begin:][::-1] for name in folded])
    return [name[begin : len(name) - end] for name in folded]


def _alike(names: list[str]) -> int:
    """How many letters all of them begin with."""
    columns = enumerate(zip(*names, strict=False))
    return next((place for place, letters in columns if len(set(letters)) > 1), min(map(len, names)))
