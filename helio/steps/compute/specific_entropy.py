"""Specific entropy of a plasma."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from helio.knowledge.constants import BOLTZMANN, ELEMENTARY_CHARGE
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import not_negative, positive
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    synonyms="entropy plasma_entropy proton_specific_entropy entropy_per_particle",
)
def specific_entropy(
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    temperature: Annotated[Table, Quantity("K", kind="scalar")],
) -> Annotated[Table, Quantity("eV cm^2", kind="scalar")]:
    """Compute the specific entropy S = T/n^(2/3), which stays the same while a plasma expands without heating.

    Parameters
    ----------
    density : Table, shape (n,)
        Particles of one species per volume, cm^-3.
    temperature : Table, shape (n,)
        Temperature of this species, K, on the same epochs. Convert a temperature in eV first, with `convert_units` and
        the equivalence ``thermal``.

    Returns
    -------
    Table, shape (n,)
        kT/n^(2/3) in eV cm², which is p/n^(5/3); to be drawn on a logarithmic scale. The entropy per particle is
        3/2 k times its logarithm, and a constant. NaN where a quantity is missing or negative, or the density is 0.

    Raises
    ------
    ClockMismatch
        When the epochs differ.

    References
    ----------
    Borovsky & Denton, J. Geophys. Res. Space Phys. 121, 6107 (2016), who tell ejecta, streamer belts and coronal holes
    apart with the proton-specific entropy.

    Examples
    --------
    8 protons per cm³ of 10 eV:

    >>> from helio.steps.examples import series
    >>> specific_entropy(series([8.0], "cm^-3"), series([116045.18], "K")).values.round(3)
    array([2.5])
    """
    inputs = on_one_clock(density, temperature)
    entropy = not_negative(temperature)
    entropy *= BOLTZMANN / ELEMENTARY_CHARGE
    entropy /= np.cbrt(positive(density)) ** 2
    return derived(
        inputs, entropy, unit="eV cm^2", name="S", description="specific entropy T/n^(2/3)", scale="log"
    )
