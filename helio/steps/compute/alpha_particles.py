"""The mass that alpha particles add to a plasma of measured proton density."""

from __future__ import annotations

import numpy as np

from helio.errors import StepError
from helio.knowledge.constants import ALPHA_MASS, PROTON_MASS
from helio.steps.compute.cartesian import Values
from helio.store.table import Table


def alpha_fraction(ratio: Table | None, assumed: float | None) -> Values | float:
    """Return the number of alpha particles per proton.

    Parameters
    ----------
    ratio : Table, shape (n,), optional
        N_α/N_p.
    assumed : float, optional
        The ratio to use where the table is missing, or everywhere without a table. If left out, the result is NaN
        where the table is NaN, and 0 without a table.

    Raises
    ------
    StepError
        When `assumed` or every value of the table is negative or above 1.

    Notes
    -----
    Single values that are negative or above 1 are not ratios: the result is NaN there, even with an assumed ratio
    for missing ones.
    """
    if assumed is not None and not 0 <= assumed <= 1:
        raise StepError(
            f"the number of alpha particles per proton cannot be {assumed:g}",
            advice="give a number from 0 to 1; in the solar wind it is 0.04 to 0.05 on average",
        )
    if ratio is None:
        return 0.0 if assumed is None else assumed
    values = ratio.values.astype(np.float64)
    missing = np.isnan(values)
    impossible = ~missing & ~((values >= 0) & (values <= 1))
    if impossible.any() and (missing | impossible).all():
        raise StepError(
            f"'{ratio.name}' is not a number of alpha particles per proton: its values are "
            f"{np.nanmin(values):g} to {np.nanmax(values):g}",
            advice='give numbers from 0 to 1; convert a percentage first, with convert_units to "1"',
        )
    values[impossible] = np.nan
    if assumed is not None:
        values[missing] = assumed
    return values


def mass_per_proton(fraction: Values | float) -> Values | float:
    """Return the mass in kg of a plasma's protons and alpha particles, divided by the number of protons."""
    return PROTON_MASS + ALPHA_MASS * fraction
