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


@tool(version=1)
def magnitude(vector: Table) -> Table:
    """Euclidean norm of a vector of three components.

    Parameters
    ----------
    vector : Table, shape (n, 3) or (n, 4)
        Three Cartesian components in any unit. A fourth component is left out when its name says that it is
        the magnitude (``|B|``, ``Bt``, ``R``), as MMS delivers it.

    Returns
    -------
    Table, shape (n,)
        float64, in the unit of the vector, named ``|B|`` for a vector ``B``; it has no frame. NaN wherever
        one of the components is NaN: a magnitude of fewer components would be too small, never missing.

    Raises
    ------
    StepError
        When the table has no components, or not three.

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
    return replace(
        vector,
        values=np.linalg.norm(vector.values[:, :3].astype(np.float64), axis=1),
        components=(),
        frame="",
        name=f"|{vector.name}|" if vector.name else "magnitude",
        description=f"magnitude of {vector.description}" if vector.description else "",
    )
