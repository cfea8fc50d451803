"""Dynamic pressure of the solar wind."""

from __future__ import annotations

from typing import Annotated

from helio.steps.compute.alpha_particles import alpha_fraction, mass_per_proton
from helio.steps.compute.cartesian import length_of
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import not_negative
from helio.steps.quantity import Quantity
from helio.steps.signature import RECORD
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=3,
    context=RECORD,
    synonyms="ram_pressure flow_pressure solar_wind_pressure compute_dynamic_pressure",
)
def dynamic_pressure(
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    velocity: Annotated[Table, Quantity("km/s")],
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    assumed_alpha: float | None = None,
) -> Annotated[Table, Quantity("nPa", kind="scalar")]:
    """Compute the momentum flux ρV² of the solar wind.

    Parameters
    ----------
    density : Table, shape (n,)
        Protons per volume, cm^-3.
    velocity : Table, shape (n,), (n, 3) or (n, 4)
        Speed or velocity of the protons, km/s, in any frame, on the epochs of `density`.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton, on the same epochs. Without `alpha_ratio` and `assumed_alpha`, the plasma
        consists of protons only.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing; OMNI takes 0.05.

    Returns
    -------
    Table, shape (n,)
        (m_p + m_α N_α/N_p) N_p V² in nPa. NaN where a quantity is missing or negative, or the ratio above 1.

    Raises
    ------
    ClockMismatch
        When the epochs differ.

    References
    ----------
    OMNIWeb, Detailed Derivation of Parameters, https://omniweb.gsfc.nasa.gov/ftpbrowser/bow_derivation.html:
    P = 1.67e-6 N_p V² (1 + 4 N_α/N_p), within 0.2 % of this.

    Examples
    --------
    Of protons alone, then with the alpha particles that OMNI takes:

    >>> from helio.steps.examples import series
    >>> density, speed = series([5.0], "cm^-3"), series([400.0], "km/s")
    >>> dynamic_pressure(density, speed).values.round(2)
    array([1.34])
    >>> dynamic_pressure(density, speed, assumed_alpha=0.05).values.round(2)
    array([1.6])
    """
    inputs = on_one_clock(density, velocity, alpha_ratio)
    values = length_of(velocity, "a dynamic pressure")
    values *= values
    values *= not_negative(density)
    values *= mass_per_proton(alpha_fraction(alpha_ratio, assumed_alpha)) * 1e21  # cm^-3 km²/s² into nPa
    return derived(inputs, values, unit="nPa", name="P_dyn", description="dynamic pressure of the solar wind")
