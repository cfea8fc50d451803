"""Cross-helicity and residual energy of fluctuations."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np

from helio.knowledge.constants import VACUUM_PERMEABILITY
from helio.steps.compute.alpha_particles import alpha_fraction, mass_per_proton
from helio.steps.compute.cartesian import cartesian
from helio.steps.compute.derived import derived, on_one_clock
from helio.steps.compute.possible import positive
from helio.steps.compute.window_sums import centred_windows, counted_means
from helio.steps.quantity import Quantity, same_frame
from helio.steps.result import MatchingTables, Result
from helio.steps.signature import window as window_of
from helio.steps.tool import tool
from helio.store.table import Table
from helio.time_range import Duration

FEWEST = 10
"""The smallest number of complete records in a window."""

ROUNDING = 1e-13
"""Fluctuations with a smaller share of the mean squares are rounding errors."""

_NAMES = {
    "cross_helicity": ("σ_c", "normalised cross-helicity", ""),
    "residual_energy": ("σ_r", "normalised residual energy", ""),
    "elsasser_plus": ("e⁺", "energy of the Elsasser variable z⁺", "km^2/s^2"),
    "elsasser_minus": ("e⁻", "energy of the Elsasser variable z⁻", "km^2/s^2"),
}


@tool(
    version=1,
    context=window_of("window"),
    gives=Result(
        frame="",
        kind="scalar",
        by={"give": {name: Result(unit=unit) for name, (_, _, unit) in _NAMES.items()}},
    ),
    same=(MatchingTables("frame", ("velocity", "field")),),
    synonyms="normalized_cross_helicity normalised_cross_helicity sigma_c residual_energy sigma_r elsasser alfvenicity",
)
def cross_helicity(
    velocity: Annotated[Table, Quantity("km/s", kind="vector")],
    field: Annotated[Table, Quantity("nT", kind="vector")],
    density: Annotated[Table, Quantity("cm^-3", kind="scalar")],
    alpha_ratio: Annotated[Table, Quantity("1", kind="scalar")] | None = None,
    *,
    window: Duration,
    assumed_alpha: float | None = None,
    give: Literal["cross_helicity", "residual_energy", "elsasser_plus", "elsasser_minus"] = "cross_helicity",
) -> Table:
    """Compute the normalised cross-helicity of fluctuations in a running window: how Alfvénic they are, and which way.

    Parameters
    ----------
    velocity : Table, shape (n, 3) or (n, 4)
        Velocity of the protons, km/s.
    field : Table, shape (n, 3) or (n, 4)
        Magnetic field, nT, in the same frame and on the same epochs.
    density : Table, shape (n,)
        Protons per volume, cm^-3, on the same epochs.
    alpha_ratio : Table, shape (n,)
        Alpha particles per proton, on the same epochs. Without `alpha_ratio` and `assumed_alpha`, the plasma
        consists of protons only.
    window : Duration
        Length w of the centred window, closed: [t − w/2, t + w/2]. Fluctuations are differences from its mean.
    assumed_alpha : float
        Alpha particles per proton where `alpha_ratio` is missing.
    give : "cross_helicity", "residual_energy", "elsasser_plus" or "elsasser_minus"
        The kind of result; see below.

    Returns
    -------
    Table, shape (n,)
        With v and b = B/√(μ₀ρ), the fluctuations δ from the means of a window, and z± = v ± b:
        ``cross_helicity``: σ_c = 2⟨δv·δb⟩/(⟨δv²⟩ + ⟨δb²⟩) = (e⁺ − e⁻)/(e⁺ + e⁻), −1 to 1, without a unit.
        ``residual_energy``: σ_r = (⟨δv²⟩ − ⟨δb²⟩)/(⟨δv²⟩ + ⟨δb²⟩), −1 to 1, without a unit; 0 for Alfvén waves.
        ``elsasser_plus``, ``elsasser_minus``: e± = ⟨|δz±|²⟩/2 in km²/s².
        Records with a missing value are left out of the means. NaN where a window has fewer than ten complete
        records, and the first two also where nothing varies.

    Raises
    ------
    FrameMismatch
        When the vectors are in different frames.
    ClockMismatch
        When the epochs differ.
    StepError
        When a vector does not have three Cartesian components.

    Notes
    -----
    σ_c is positive for waves that travel against the field, in the plasma's frame, and negative for waves along it.
    Waves that travel away from the Sun have σ_c < 0 where the field points away from the Sun, and σ_c > 0 where it
    points towards the Sun.

    References
    ----------
    Elsasser, Phys. Rev. 79, 183 (1950); Matthaeus & Goldstein, J. Geophys. Res. 87, 6011 (1982); Bruno & Carbone,
    Living Rev. Sol. Phys. 10, 2 (2013), sec. 3.2.

    Examples
    --------
    A wave along the field: the flow is opposite to the field in Alfvén units.

    >>> import numpy as np
    >>> from helio.steps.examples import series, vector
    >>> phase = np.arange(20) * 0.7
    >>> field = vector(np.c_[5 + 0 * phase, np.sin(phase), np.cos(phase)].tolist(), "nT")
    >>> flow = vector((-21.812 / np.sqrt(4.0) * field.values).tolist(), "km/s", "V")
    >>> density = series([4.0] * 20, "cm^-3")
    >>> cross_helicity(flow, field, density, window=Duration("18min")).values[9:11].round(4)
    array([-1., -1.])
    """
    what = "a cross-helicity"
    same_frame(velocity, field)
    inputs = on_one_clock(velocity, field, density, alpha_ratio)
    mass_density = positive(density) * mass_per_proton(alpha_fraction(alpha_ratio, assumed_alpha)) * 1e6
    flow = cartesian(velocity, what)
    # nT and m/s into km/s
    alfven = cartesian(field, what) * (1e-12 / np.sqrt(VACUUM_PERMEABILITY * mass_density))[:, np.newaxis]
    both = np.concatenate([flow, alfven], axis=1)
    both[~np.isfinite(both).all(axis=1)] = np.nan
    complete = np.isfinite(both[:, 0])
    flow, alfven = both[:, :3], both[:, 3:]
    products = np.c_[(flow**2).sum(axis=1), (alfven**2).sum(axis=1), (flow * alfven).sum(axis=1)]
    first, last = centred_windows(field.epoch, window)
    means, squares = counted_means(both, first, last), counted_means(products, first, last)
    kinetic, magnetic, crossed = (
        squares
        - np.c_[
            (means[:, :3] ** 2).sum(axis=1),
            (means[:, 3:] ** 2).sum(axis=1),
            (means[:, :3] * means[:, 3:]).sum(axis=1),
        ]
    ).T
    running = np.concatenate([[0], np.cumsum(complete)])
    few = running[last] - running[first] < FEWEST
    energy = kinetic + magnetic
    if give in ("elsasser_plus", "elsasser_minus"):
        values = energy / 2 + (crossed if give == "elsasser_plus" else -crossed)
    else:
        values = np.full(energy.shape, np.nan)
        above = 2 * crossed if give == "cross_helicity" else kinetic - magnetic
        varies = energy > ROUNDING * (squares[:, 0] + squares[:, 1])
        np.divide(above, energy, out=values, where=varies)
    values[few] = np.nan
    name, words, unit = _NAMES[give]
    made = derived(inputs, values, unit=unit, name=name, description=f"{words} in windows of {window}")
    if few.any():
        lost = f"{int(few.sum()):,} of {few.size:,} records"
        note = f"missing in windows with fewer than {FEWEST} complete records: {lost}"
        made = replace(made, notes=(*made.notes, note))
    return made
