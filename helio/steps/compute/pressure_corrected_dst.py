"""Dst without the magnetopause currents."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import not_negative
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table

CORRECTIONS = {"obrien": (7.26, 11.0), "burton": (15.8, 20.0)}
"""Factor b in nT/√nPa and offset c in nT of each model."""
PAPERS = {"obrien": "O'Brien & McPherron 2000", "burton": "Burton et al. 1975"}


@tool(
    version=1,
    context=RECORD,
    synonyms="dst_star corrected_dst dst_pressure_correction",
)
def pressure_corrected_dst(
    index: Annotated[Table, Quantity("nT", kind="scalar")],
    pressure: Annotated[Table, Quantity("nPa", kind="scalar")],
    *,
    model: Literal["obrien", "burton"] = "obrien",
) -> Annotated[Table, Quantity("nT", kind="scalar")]:
    """Compute Dst*, the Dst of the ring current alone, without the magnetopause currents that the pressure drives.

    Parameters
    ----------
    index : Table, shape (n,)
        Dst or SYM-H, nT.
    pressure : Table, shape (n,)
        Dynamic pressure of the solar wind, nPa, on the same epochs.
    model : "obrien" or "burton"
        O'Brien & McPherron (2000): b = 7.26 nT/√nPa, c = 11 nT. Burton et al. (1975): b = 15.8 nT/√nPa, c = 20 nT.

    Returns
    -------
    Table, shape (n,)
        Dst* = Dst − b √P + c in nT. NaN where one of the two is missing or the pressure is negative.

    Raises
    ------
    ClockMismatch
        When the epochs differ; use `resample` and `align` first.

    References
    ----------
    Burton, McPherron & Russell, J. Geophys. Res. 80, 4204 (1975), with 0.20 nT/√(eV cm⁻³); O'Brien & McPherron,
    J. Geophys. Res. 105, 7707 (2000).

    Examples
    --------
    A storm at 9 nPa: the ring current is stronger than Dst shows.

    >>> from helio.steps.examples import series
    >>> dst, pressure = series([-100.0], "nT", "Dst"), series([9.0], "nPa")
    >>> pressure_corrected_dst(dst, pressure).values.round(2)
    array([-110.78])
    """
    inputs = on_one_clock(index, pressure)
    factor, offset = CORRECTIONS[model]
    values = index.values.astype(np.float64) - factor * np.sqrt(not_negative(pressure)) + offset
    name = index.name or "Dst"
    return derived(
        inputs,
        values,
        unit="nT",
        name=f"{name}*",
        description=f"{name} without magnetopause currents, {PAPERS[model]}",
    )
