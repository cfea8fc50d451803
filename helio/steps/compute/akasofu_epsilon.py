"""Coupling parameter ε of Perreault and Akasofu."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.cartesian import cartesian, length_of
from helio.steps.compute.clock_angle import squared_sine_of_half
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.quantity import Quantity
from helio.steps.result import Result
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

_LENGTH = 7 * 6371.2
"""l₀, the effective radius of the magnetosphere's cross-section, in km."""
_FACTOR = 4 * np.pi / VACUUM_PERMEABILITY * _LENGTH**2 * 1e-18
"""Converts V B² from km/s nT² to GW."""


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="GW", frame="", kind="scalar"),
    synonyms="epsilon_parameter perreault_akasofu akasofu",
)
def akasofu_epsilon(
    velocity: Annotated[Table, Quantity("km/s")],
    field: Annotated[Table, Quantity("nT", kind="vector", frames=("GSM",))],
) -> Table:
    """Compute the coupling parameter ε of Perreault & Akasofu, the power from the solar wind to the magnetosphere.

    Parameters
    ----------
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed of the solar wind or its velocity in any frame, km/s.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field in GSM, nT, on the same epochs.

    Returns
    -------
    Table, shape (n,)
        (4π/μ₀) V B² sin⁴(θ/2) l₀² in GW, with the clock angle θ in the y–z plane and l₀ = 7 R_E. A storm begins above
        about 1000 GW. NaN where a quantity is missing.

    Raises
    ------
    FrameMismatch
        When the field is not in GSM.
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Perreault & Akasofu, Geophys. J. R. Astron. Soc. 54, 547 (1978); Akasofu, Space Sci. Rev. 28, 121 (1981), also for
    l₀ and 10¹⁹ erg/s.

    Examples
    --------
    At 400 km/s and 5 nT: southward, towards dusk, northward.

    >>> from helio.steps.examples import series, vector
    >>> speed = series([400.0, 400.0, 400.0], "km/s")
    >>> field = vector([[0.0, 0.0, -5.0], [0.0, 5.0, 0.0], [0.0, 0.0, 5.0]], "nT", frame="GSM")
    >>> akasofu_epsilon(speed, field).values.round()
    array([199.,  50.,   0.])
    """
    inputs = on_one_clock(velocity, field)
    x, y, z = cartesian(field, "a coupling function").T
    transverse = np.hypot(y, z)
    squared_sine = squared_sine_of_half(y, z)
    speed = length_of(velocity, "a coupling function")
    values = _FACTOR * speed * (x * x + transverse * transverse) * squared_sine * squared_sine
    return derived(
        inputs, values, unit="GW", name="ε", description="coupling parameter of Perreault and Akasofu"
    )
